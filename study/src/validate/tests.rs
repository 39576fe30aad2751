//! Every refusal names key, value and rule.

use crate::description::Study;

const HEAD: &str = "name = \"s\"\nseed = 1\nruns = 8\nsampling = \"monte_carlo\"\n";
const UNIFORM: &str = "[[vary]]\nkey = \"a.x_m\"\ndistribution = \"uniform\"\nmin = 0\nmax = 1\n";

fn refusal(text: &str) -> String {
    match Study::parse(text, "study.toml") {
        Ok(study) => panic!("accepted: {study:?}"),
        Err(error) => error.to_string(),
    }
}

fn refuse_variation(body: &str, expected: &str) {
    let text = format!("{HEAD}[[vary]]\nkey = \"a.x_m\"\n{body}");
    let message = refusal(&text);
    assert!(message.contains(expected), "{body}\n→ {message}");
}

#[test]
fn a_good_study_is_read_and_written_back_the_same() {
    let text = format!(
        "{HEAD}scenario = \"base.toml\"\n[keep]\nseries = \"worst\"\nfigure = \"f_n\"\ncount = 3\n\
         {UNIFORM}[[vary]]\nkey = \"b\"\ndistribution = \"choice\"\nvalues = [1, 2.5]\n\
         [[vary]]\nkey = \"c_m\"\ndistribution = \"truncated_normal\"\nmean = 0\nstd_dev = 1\nmin = -1\n\
         [[correlate]]\nkeys = [\"a.x_m\", \"c_m\"]\ncoefficient = 0.5\n[base.t]\nm_kg = 3\n"
    );
    let study = Study::parse(&text, "study.toml").unwrap();
    let again = toml::to_string(&study).unwrap();
    assert_eq!(Study::parse(&again, "again").unwrap(), study);
    assert_eq!(study.base["t"]["m_kg"].as_integer(), Some(3));
}

#[test]
fn distributions_say_what_they_need() {
    for (body, expected) in [
        (
            "distribution = \"uniform\"\nmin = 1\nmax = 0",
            "vary[0] (a.x_m).max = 0: must be above min = 1",
        ),
        (
            "distribution = \"uniform\"\nmin = 1",
            "(a.x_m).max = (missing)",
        ),
        (
            "distribution = \"uniform\"\nmin = 0\nmax = inf",
            "max = inf: must be finite",
        ),
        (
            "distribution = \"uniform\"\nmin = 0\nmax = 1\nmean = 0",
            "takes min, max only",
        ),
        (
            "distribution = \"normal\"\nmean = 0\nstd_dev = 0",
            "std_dev = 0: must be positive",
        ),
        (
            "distribution = \"log_uniform\"\nmin = -1\nmax = 1",
            "min = -1: must be positive",
        ),
        (
            "distribution = \"truncated_normal\"\nmean = 0\nstd_dev = 1",
            "needs min, max or both",
        ),
        (
            "distribution = \"truncated_normal\"\nmean = 0\nstd_dev = 1\nmin = 50\nmax = 51",
            "max = 51: the interval 50 to 51 is too far from mean = 0",
        ),
        ("distribution = \"choice\"", "values = (missing)"),
        (
            "distribution = \"choice\"\nvalues = [1, \"a\"]",
            "must be of one kind",
        ),
        (
            "distribution = \"choice\"\nvalues = [1, 1]",
            "values = 1: appears twice",
        ),
        (
            "distribution = \"choice\"\nvalues = [1, 2]\nweights = [1]",
            "must be 2 numbers",
        ),
        (
            "distribution = \"choice\"\nvalues = [nan]",
            "must be finite numbers",
        ),
        (
            "distribution = \"range\"\nfrom = 0\nto = 1\ncount = 1",
            "count = 1: must be 2 to",
        ),
        (
            "distribution = \"range\"\nfrom = 0\nto = 0\ncount = 2",
            "must differ from from = 0",
        ),
        (
            "distribution = \"range\"\nfrom = 0\nto = 1\ncount = 3\nspacing = \"logarithmic\"",
            "logarithmic spacing needs positive ends",
        ),
        ("distribution = \"triangle\"", "unknown variant `triangle`"),
        (
            "distribution = \"uniform\"\nmin = 0\nmaximum = 1",
            "unknown field `maximum`",
        ),
    ] {
        refuse_variation(body, expected);
    }
}

#[test]
fn keys_are_checked() {
    for (key, expected) in [
        ("", "must be a dotted key"),
        ("a..b", "must be a dotted key"),
        ("a b", "must be a dotted key"),
        ("run", "columns of the table"),
    ] {
        let text = format!("{HEAD}{}", UNIFORM.replace("a.x_m", key));
        assert!(refusal(&text).contains(expected), "{key}");
    }
    assert!(
        refusal(&format!("{HEAD}{UNIFORM}{UNIFORM}"))
            .contains("vary[1].key = a.x_m: appears twice")
    );
    assert!(refusal(HEAD).contains("vary = []"));
    assert!(refusal(&format!("{HEAD}colour = 1\n{UNIFORM}")).contains("unknown field `colour`"));
}

#[test]
fn run_numbers_fit_the_sampling() {
    let replaced = |from: &str, to: &str| format!("{HEAD}{UNIFORM}").replace(from, to);
    assert!(refusal(&replaced("runs = 8\n", "")).contains("runs = (missing)"));
    assert!(refusal(&replaced("runs = 8", "runs = 0")).contains("runs = 0: must be 1 to"));
    let saltelli = replaced("monte_carlo", "saltelli");
    let message = refusal(&saltelli);
    assert!(
        message.contains("multiples of 3") && message.contains("6 or 9"),
        "{message}"
    );
    let grid = replaced("monte_carlo", "grid");
    assert!(refusal(&grid).contains("distribution = uniform: a grid needs levels"));
    let sized = "name = \"s\"\nruns = 5\nsampling = \"grid\"\n[[vary]]\nkey = \"k\"\n\
                 distribution = \"range\"\nfrom = 0\nto = 1\ncount = 4\n";
    assert!(refusal(sized).contains("this grid has 4 combinations"));
}

#[test]
fn correlations_and_keeping_are_checked() {
    let pair = |keys: &str, c: &str| {
        format!(
            "{HEAD}{UNIFORM}[[vary]]\nkey = \"k\"\ndistribution = \"choice\"\nvalues = [1, 2]\n\
             [[correlate]]\nkeys = {keys}\ncoefficient = {c}\n"
        )
    };
    assert!(refusal(&pair("[\"a.x_m\", \"k\"]", "0.5")).contains("continuous distribution"));
    assert!(refusal(&pair("[\"a.x_m\", \"a.x_m\"]", "0.5")).contains("two different keys"));
    let two = format!("{HEAD}{UNIFORM}{}", UNIFORM.replace("a.x_m", "b"));
    let strong = format!("{two}[[correlate]]\nkeys = [\"a.x_m\", \"b\"]\ncoefficient = 1.0\n");
    assert!(refusal(&strong).contains("coefficient = 1: must be between -1 and 1"));
    let keep = |body: &str| format!("{HEAD}[keep]\n{body}\n{UNIFORM}");
    assert!(refusal(&keep("series = \"worst\"")).contains("keep.figure = (missing)"));
    assert!(
        refusal(&keep("series = \"worst\"\nfigure = \"f\"")).contains("keep.count = (missing)")
    );
    assert!(refusal(&keep("figure = \"f\"")).contains("belongs to keep.series"));
}
