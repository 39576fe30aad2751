//! Sobol' indices of the Ishigami function, y = sin x1 + 7 sin² x2 + 0.1 x3⁴ sin x1, whose values are
//! known in closed form (`ishigami1990`).

use crate::common::*;
use softdock_study::statistics::{Dependence, Indices, proportion, sensitivity};
use softdock_study::table::Column;
use softdock_study::{Case, FigureSpec, Job, Kind, Outcome, RunOptions, Table, Value, run};

const A: f64 = 7.0;
const B: f64 = 0.1;

struct Ishigami([FigureSpec; 2]);

impl Ishigami {
    fn new() -> Self {
        Self([
            FigureSpec::new("y", Kind::Real),
            FigureSpec::new("positive", Kind::Bool),
        ])
    }
}

impl Job for Ishigami {
    type Scratch = ();
    fn figures(&self) -> &[FigureSpec] {
        &self.0
    }
    fn scratch(&self) {}
    fn run(&self, case: &Case<'_>, _: &mut ()) -> Outcome {
        let x: Vec<f64> = case.inputs.iter().filter_map(Value::number).collect();
        let y = x[0].sin() + A * x[1].sin().powi(2) + B * x[2].powi(4) * x[0].sin();
        Outcome::ok(vec![Some(Value::Real(y)), Some(Value::Bool(x[0] > 0.0))])
    }
}

/// First-order and total indices.
fn exact() -> ([f64; 3], [f64; 3]) {
    let pi = std::f64::consts::PI;
    let v1 = 0.5 * (1.0 + B * pi.powi(4) / 5.0).powi(2);
    let v2 = A * A / 8.0;
    let v13 = B * B * pi.powi(8) * (1.0 / 18.0 - 1.0 / 50.0);
    let v = v1 + v2 + v13;
    ([v1 / v, v2 / v, 0.0], [(v1 + v13) / v, v2 / v, v13 / v])
}

fn table(folder: &Folder, sampling: &str, runs: u64) -> Table {
    let mut text = format!("name = \"i\"\nseed = 5\nruns = {runs}\nsampling = \"{sampling}\"\n");
    for key in ["x1", "x2", "x3"] {
        let pi = std::f64::consts::PI;
        text += &format!(
            "[[vary]]\nkey = \"{key}\"\ndistribution = \"uniform\"\nmin = -{pi}\nmax = {pi}\n"
        );
    }
    let job = Ishigami::new();
    let plan = plan_of(&text, &job);
    let options = RunOptions {
        threads: 2,
        ..RunOptions::default()
    };
    let summary = run(&plan, &job, &folder.join(sampling), &options, &|_| {}).unwrap();
    Table::open(&summary.table.unwrap()).unwrap()
}

/// 2048 samples of a scrambled sequence: errors of the estimators are below 0.02 here; independent
/// samples would give standard errors of about that.
#[test]
fn saltelli_finds_the_indices_of_the_ishigami_function() {
    let folder = Folder::new("saltelli");
    let found = sensitivity(&table(&folder, "saltelli", 2048 * 5), "y", 0.99).unwrap();
    let (first, total) = exact();
    for (input, (s, t)) in found.inputs.iter().zip(first.into_iter().zip(total)) {
        let Indices::Saltelli { first_order, total } = input.indices else {
            panic!("{:?}", input.indices)
        };
        assert!(
            (first_order.estimate - s).abs() < 0.02,
            "{} {first_order:?} for {s}",
            input.input
        );
        assert!(
            (total.estimate - t).abs() < 0.02,
            "{} {total:?} for {t}",
            input.input
        );
        for (index, exact) in [(first_order, s), (total, t)] {
            assert!(
                index.interval.low <= exact && exact <= index.interval.high,
                "{index:?}"
            );
            assert!(index.interval.high - index.interval.low < 0.25, "{index:?}");
        }
    }
}

#[test]
fn other_samplings_give_first_order_indices_from_given_data() {
    let folder = Folder::new("given");
    let table = table(&folder, "latin_hypercube", 4000);
    let found = sensitivity(&table, "y", 0.99).unwrap();
    let (first, _) = exact();
    for (input, exact) in found.inputs.iter().zip(first) {
        let Indices::GivenData(found) = input.indices else {
            panic!("{:?}", input.indices)
        };
        assert!(
            (found.index.estimate - exact).abs() < 0.03,
            "{}: {found:?} for {exact}",
            input.input
        );
    }
    // Of the three only x1 moves y in one direction.
    let significant: Vec<bool> = found
        .inputs
        .iter()
        .map(|input| input.spearman.unwrap().p_value.unwrap() < 1e-6)
        .collect();
    assert_eq!(significant, [true, false, false]);
    // Latin hypercubes have exactly half of their points on either side: no doubt is left.
    let Column::Bool(positive) = table.column("positive").unwrap() else {
        panic!("not a truth value")
    };
    let runs: Vec<u64> = (0..4000).collect();
    let half = proportion(&positive, &Dependence::of(table.plan(), &runs), 0.95);
    assert_eq!((half.events, half.trials, half.unknown), (2000, 4000, 0));
    let interval = half.interval.unwrap();
    assert!(interval.high - interval.low < 1e-3, "{interval:?}");
}
