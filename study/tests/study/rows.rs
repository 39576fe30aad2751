//! What a row says: failures, panics, missing figures, NaN.

use crate::common::*;
use softdock_study::ranking::{Ranking, worst};
use softdock_study::table::Column;
use softdock_study::{
    Case, Directory, FigureSpec, Job, Kind, Outcome, StudyError, Table, Value, run, run_one,
};

#[test]
fn the_table_holds_what_the_job_gave() {
    let plan = mixed_plan(60);
    let folder = Folder::new("rows");
    let summary = run_mixed(&plan, &folder.join("out"), &options(2, "0/1"));
    let table = Table::open(&summary.table.unwrap()).unwrap();
    assert_eq!(table.rows(), 60);
    assert_eq!(
        table.names(),
        [
            "run",
            "closing.speed_m_per_s",
            "law",
            "count",
            "latch",
            "force_n",
            "episodes",
            "captured",
            "verdict",
            "status",
            "error"
        ]
    );
    assert_eq!(table.plan().digest(), plan.digest());
    let column = |name: &str| table.column(name).unwrap();
    let job = Mixed::new();
    for run in 0..60_u64 {
        let row = run as usize;
        assert_eq!(column("run").get(row), Some(Value::Integer(run as i64)));
        for (input, value) in plan.inputs().iter().zip(plan.values(run).unwrap()) {
            assert_eq!(column(&input.name).get(row), Some(value));
        }
        let outcome = quietly(|| run_one(&plan, &job, run).unwrap());
        let status = if outcome.figures.is_ok() {
            "ok"
        } else {
            "failed"
        };
        assert_eq!(column("status").get(row), Some(Value::Text(status.into())));
        let reason = outcome.figures.as_ref().err().cloned().map(Value::Text);
        assert_eq!(column("error").get(row), reason);
        for (index, figure) in plan.figures().iter().enumerate() {
            let expected = outcome.figures.as_ref().ok().and_then(|f| f[index].clone());
            let found = column(&figure.name).get(row);
            // NaN is unlike itself: its bits are compared.
            let bits = |value: &Option<Value>| match value {
                Some(Value::Real(x)) => Some(x.to_bits()),
                _ => None,
            };
            assert_eq!(bits(&found), bits(&expected));
            if bits(&found).is_none() {
                assert_eq!(found, expected);
            }
        }
    }
    let Column::Real(forces) = column("force_n") else {
        panic!("not real")
    };
    assert!(
        forces[0].unwrap().is_nan(),
        "NaN comes back as NaN, not as missing"
    );
    assert_eq!(forces[1], Some(f64::NEG_INFINITY));
    assert_eq!(forces[3], None, "a failed run has no figures");
}

#[test]
fn a_panic_is_a_failed_row_with_its_message() {
    let plan = mixed_plan(60);
    let folder = Folder::new("panic");
    let summary = run_mixed(&plan, &folder.join("out"), &options(1, "0/1"));
    let table = Table::open(&summary.table.unwrap()).unwrap();
    let error = table.column("error").unwrap();
    assert_eq!(
        error.get(5),
        Some(Value::Text("panic: run 5 went wrong".into()))
    );
    let status = table.column("status").unwrap();
    let failed = (0..60).filter(|&row| status.get(row) == Some(Value::Text("failed".into())));
    assert_eq!(failed.count() as u64, summary.failed);
    assert!(summary.failed > 10);
}

struct Wrong(Vec<FigureSpec>, Vec<Option<Value>>);

impl Job for Wrong {
    type Scratch = ();
    fn figures(&self) -> &[FigureSpec] {
        &self.0
    }
    fn scratch(&self) {}
    fn run(&self, _: &Case<'_>, _: &mut ()) -> Outcome {
        Outcome::ok(self.1.clone())
    }
}

#[test]
fn figures_that_do_not_fit_fail_the_run_and_say_so() {
    let specs = vec![FigureSpec::new("force_n", Kind::Real)];
    for (figures, expected) in [
        (vec![], "the job gave 0 figures, the study has 1"),
        (
            vec![Some(Value::Bool(true))],
            "the job gave force_n as bool, the study has it as real",
        ),
    ] {
        let job = Wrong(specs.clone(), figures);
        let plan = plan_of(STUDY, &job);
        let folder = Folder::new("wrong");
        let summary = run(
            &plan,
            &job,
            &folder.join("out"),
            &options(1, "0/1"),
            &|_| {},
        )
        .unwrap();
        assert_eq!(summary.failed, 60);
        let table = Table::open(&summary.table.unwrap()).unwrap();
        assert_eq!(
            table.column("error").unwrap().get(0),
            Some(Value::Text(expected.into()))
        );
    }
    let other = Wrong(vec![FigureSpec::new("torque_n_m", Kind::Real)], Vec::new());
    let plan = plan_of(STUDY, &Wrong(specs, Vec::new()));
    let folder = Folder::new("figures");
    let error = run(
        &plan,
        &other,
        &folder.join("out"),
        &options(1, "0/1"),
        &|_| {},
    )
    .unwrap_err();
    assert!(
        matches!(error, StudyError::FiguresChanged { .. }),
        "{error}"
    );
}

#[test]
fn the_worst_runs_are_ranked() {
    let plan = mixed_plan(60);
    let folder = Folder::new("worst");
    run_mixed(&plan, &folder.join("out"), &options(2, "0/1"));
    let directory = Directory::open(&folder.join("out")).unwrap();
    let ranking: Ranking = "force_n:5".parse().unwrap();
    let ranked = worst(&directory, &ranking, |_| true).unwrap();
    let table = Table::open(&directory.table_path()).unwrap();
    let mut forces: Vec<f64> = table
        .numbers("force_n")
        .unwrap()
        .into_iter()
        .filter(|x| !x.is_nan())
        .collect();
    forces.sort_by(|a, b| b.total_cmp(a));
    let found: Vec<f64> = ranked.iter().map(|ranked| ranked.value).collect();
    assert_eq!(found, forces[..5]);
    let error = worst(&directory, &"colour:5".parse().unwrap(), |_| true).unwrap_err();
    assert!(
        error.to_string().contains("force_n, episodes, captured"),
        "{error}"
    );
}

#[test]
fn a_file_that_is_no_table_is_refused() {
    let folder = Folder::new("no-table");
    let path = folder.join("results.parquet");
    std::fs::write(&path, b"PAR1 but not really").unwrap();
    assert!(Table::open(&path).is_err());
    assert!(Table::open(&folder.join("none")).is_err());
}
