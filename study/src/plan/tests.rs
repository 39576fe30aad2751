//! Plans come back from their text, and say what differs.

use super::*;

const STUDY: &str = "name = \"s\"\nseed = 3\nruns = 4\nsampling = \"sobol\"\n\
                     [[vary]]\nkey = \"a.x_m\"\ndistribution = \"uniform\"\nmin = 0\nmax = 1\n";

fn plan(study: &str, scenario: &str) -> Plan {
    let figures = [
        FigureSpec::new("force_n", Kind::Real),
        FigureSpec::new("captured", Kind::Bool),
    ];
    let scenario = toml::from_str(scenario).unwrap();
    Plan::new(
        Study::parse(study, "test").unwrap(),
        scenario,
        &figures,
        "1.2.3",
    )
    .unwrap()
}

#[test]
fn the_text_of_a_plan_gives_the_plan_back() {
    let plan = plan(
        STUDY,
        "mass_kg = 0.1\nwhen = 1979-05-27\n[a]\nz = [1, 2.5, \"t\"]\n",
    );
    let text = plan.text().unwrap();
    let again = Plan::parse(&text, Path::new("study.toml")).unwrap();
    assert_eq!(again.manifest, plan.manifest);
    assert_eq!(again.text().unwrap(), text);
    let scenario = plan.scenario_of(2).unwrap();
    assert_eq!(
        scenario["a"]["x_m"].as_float(),
        plan.values(2).unwrap()[0].number()
    );
    assert!(
        plan.values(4)
            .unwrap_err()
            .to_string()
            .contains("must be 0 to 3")
    );
}

#[test]
fn an_edited_file_is_noticed() {
    let text = plan(STUDY, "mass_kg = 1\n").text().unwrap();
    let edited = text.replace("seed = 3", "seed = 4");
    assert_ne!(edited, text);
    let error = Plan::parse(&edited, Path::new("study.toml")).unwrap_err();
    assert!(error.to_string().contains("digest"), "{error}");
}

#[test]
fn differences_are_named() {
    let (a, b) = (plan(STUDY, "mass_kg = 1\n"), plan(STUDY, "mass_kg = 2\n"));
    let error = a
        .require_same(&b, Path::new("out"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("resolved_scenario.mass_kg (1 there, 2 here)"),
        "{error}"
    );
    let c = plan(&STUDY.replace("max = 1", "max = 2"), "mass_kg = 1\n");
    let error = a
        .require_same(&c, Path::new("out"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("study.vary[0].max (1.0 there, 2.0 here)"),
        "{error}"
    );
    let moved = plan(
        &STUDY.replace("[[vary]]", "scenario = \"b.toml\"\n[[vary]]"),
        "mass_kg = 1\n",
    );
    assert!(a.require_same(&moved, Path::new("out")).is_ok());
}

#[test]
fn names_of_columns_do_not_clash() {
    let study = || Study::parse(STUDY, "test").unwrap();
    for name in ["a.x_m", "run", ""] {
        let figures = [FigureSpec::new(name, Kind::Real)];
        assert!(
            Plan::new(study(), toml::Table::new(), &figures, "1").is_err(),
            "{name}"
        );
    }
    let mut worst = study();
    worst.keep = Keep {
        series: KeepSeries::Worst,
        figure: Some("captured".into()),
        count: Some(1),
        order: None,
    };
    let figures = [
        FigureSpec::new("captured", Kind::Bool),
        FigureSpec::new("f_n", Kind::Real),
    ];
    let refused = |name: &str| {
        let mut worst = worst.clone();
        worst.keep.figure = Some(name.into());
        let plan = Plan::new(worst, toml::Table::new(), &figures, "1");
        plan.unwrap_err().to_string()
    };
    let message = refused("captured");
    assert!(message.ends_with("must be one of: f_n"), "{message}");
    let message = refused("fn");
    assert!(
        message.ends_with("one of: f_n; did you mean `f_n`?"),
        "{message}"
    );
}
