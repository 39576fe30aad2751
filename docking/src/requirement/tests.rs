use super::*;
use crate::config::Scenario;
use crate::run::DockingRun;

fn summary() -> Summary {
    let mut scenario = Scenario::default();
    scenario.platform.legs.elements = 2;
    scenario.docking.duration_s = 0.01;
    let mut run = DockingRun::new(&scenario, false).unwrap();
    run.run().unwrap();
    let mut summary = run.summary().unwrap();
    summary.peak_contact_force_n = Some(40.0);
    summary.leg_strokes_m = vec![0.01, 0.02, 0.03, 0.0, 0.0, 0.005];
    summary.tendon_tension_range_n = [10.0, 80.0];
    summary.settling_time_s = None;
    summary
}

fn limit(figure: &str, min: Option<f64>, max: Option<f64>) -> Requirement {
    Requirement {
        name: "test".to_owned(),
        figure: figure.to_owned(),
        min,
        max,
        word: None,
        source: None,
    }
}

#[test]
fn the_nearest_limit_decides() {
    let summary = summary();
    let judge = |figure, min, max| limit(figure, min, max).judge(&summary);
    let met = judge("peak_contact_force_n", Some(1.0), Some(45.0));
    assert!(met.met && met.margin == Some(5.0) && met.bound == Bound::Max);
    assert_eq!(met.limit, Quantity::Number(45.0));
    assert_eq!(met.unit, "N");
    let low = judge("peak_contact_force_n", Some(39.0), Some(45.0));
    assert!(low.met && low.margin == Some(1.0) && low.bound == Bound::Min);
    let beyond = judge("peak_contact_force_n", None, Some(35.0));
    assert!(!beyond.met && beyond.margin == Some(-5.0));
    // A limit that is just reached is kept.
    assert!(judge("peak_contact_force_n", None, Some(40.0)).met);
}

#[test]
fn every_entry_of_a_list_or_range_must_keep_the_limit() {
    let summary = summary();
    let all = limit("leg_strokes_m", None, Some(0.025)).judge(&summary);
    assert!(!all.met && all.value == Quantity::Number(0.03));
    assert!(
        limit("leg1_stroke_m", None, Some(0.025))
            .judge(&summary)
            .met
    );
    assert!(
        !limit("leg3_stroke_m", None, Some(0.025))
            .judge(&summary)
            .met
    );
    let low = limit("tendon_tension_min_n", Some(5.0), None).judge(&summary);
    assert!(low.met && low.margin == Some(5.0));
    assert!(
        !limit("tendon_tension_range_n", None, Some(79.0))
            .judge(&summary)
            .met
    );
}

#[test]
fn what_has_no_value_meets_nothing() {
    let missing = limit("settling_time_s", None, Some(5.0)).judge(&summary());
    assert!(!missing.met && missing.margin.is_none() && missing.value == Quantity::None);
    assert_eq!(missing.limit, Quantity::Number(5.0));
}

#[test]
fn words_are_compared() {
    let captured = Requirement {
        word: Some("captured".to_owned()),
        ..limit("outcome", None, None)
    };
    captured.validate().unwrap();
    let verdict = captured.judge(&summary());
    assert!(!verdict.met && verdict.value == Quantity::Word("never_touched".to_owned()));
}

#[test]
fn what_cannot_be_judged_is_refused_with_advice() {
    let cases = [
        (
            limit("peak_contact_force_kn", None, Some(1.0)),
            "`peak_contact_force_n` is in N",
        ),
        (
            limit("peak_contact_force", None, Some(1.0)),
            "`peak_contact_force_n` is in N",
        ),
        (
            limit("max_leg_stroke_mm", None, Some(1.0)),
            "`max_leg_stroke_m` is in m",
        ),
        (
            limit("peek_contact_force_n", None, Some(1.0)),
            "did you mean `peak_contact_force_n`?",
        ),
        (
            limit("zzz", None, Some(1.0)),
            "`softdock figures` lists them",
        ),
        (
            limit("peak_contact_force_n", None, None),
            "give `min` or `max` in N",
        ),
        (
            limit("peak_contact_force_n", None, Some(f64::NAN)),
            "`max` = NaN is not a finite",
        ),
        (
            limit("peak_contact_force_n", Some(f64::INFINITY), None),
            "`min` = inf is not a finite",
        ),
        (
            limit("peak_contact_force_n", Some(2.0), Some(1.0)),
            "`min` = 2 is above `max` = 1",
        ),
        (limit("outcome", None, Some(1.0)), "`outcome` is a word"),
        (limit("soundness_reasons", None, Some(1.0)), "has no limit"),
        (
            Requirement {
                word: Some("caught".to_owned()),
                ..limit("outcome", None, None)
            },
            "never `caught`; it is one of captured, bounced",
        ),
        (
            Requirement {
                word: Some("captured".to_owned()),
                ..limit("steps", None, None)
            },
            "`steps` is a number",
        ),
        (
            Requirement {
                name: " ".to_owned(),
                ..limit("steps", None, Some(1.0))
            },
            "empty",
        ),
    ];
    for (requirement, expected) in cases {
        let message = requirement.validate().unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    let twice = vec![limit("steps", None, Some(1.0)); 2];
    assert!(
        validate(&twice)
            .unwrap_err()
            .to_string()
            .contains("two of this name")
    );
}

/// Every figure of numbers takes a requirement, with every name that its columns have.
#[test]
fn any_figure_takes_a_requirement() {
    let summary = summary();
    for figure in Summary::figures() {
        let names = [figure.key.to_owned(), figure.column(0), figure.column(1)];
        let count = if figure.is_list() { 3 } else { 1 };
        for name in &names[..count] {
            let requirement = limit(name, Some(-1e300), Some(1e300));
            assert_eq!(requirement.validate().is_err(), figure.is_text(), "{name}");
            if !figure.is_text() {
                let verdict = requirement.judge(&summary);
                assert_eq!(verdict.unit, figure.unit);
                assert_eq!(verdict.met, verdict.margin.is_some(), "{name}");
            }
        }
    }
}

#[test]
fn columns_are_named_by_requirement_and_unit() {
    let mut soft = limit("peak_contact_force_n", None, Some(45.0));
    soft.name = "Soft capture, compression (x)".to_owned();
    let captured = Requirement {
        word: Some("captured".to_owned()),
        ..limit("outcome", None, None)
    };
    let columns = columns(&[soft, captured], &summary());
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let stem = "requirement.soft_capture_compression_x";
    assert_eq!(
        names,
        [
            format!("{stem}.met"),
            format!("{stem}.margin_n"),
            "requirement.test.met".to_owned()
        ]
    );
    assert_eq!(columns[0].value, Cell::Met(true));
    assert_eq!(columns[1].value, Cell::Margin(Some(5.0)));
}
