//! Statistics of studies with known answers, through the real program: figures are formulas.

use crate::common::Folder;
use serde_json::Value;
use std::fs;

/// y = sin x1 + 7 sin² x2 + 0.1 x3⁴ sin x1 on [−π, π]³.
fn ishigami(sampling: &str, runs: u64) -> String {
    let mut text =
        format!("name = \"ishigami\"\nseed = 5\nruns = {runs}\nsampling = \"{sampling}\"\n");
    for key in ["x1", "x2", "x3"] {
        let pi = std::f64::consts::PI;
        text += &format!(
            "[[vary]]\nkey = \"{key}\"\ndistribution = \"uniform\"\nmin = -{pi}\nmax = {pi}\n"
        );
    }
    text + "[formula]\ny = \"sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)\"\n"
}

/// Inputs uniform on [0, 1] and formulas of them.
pub fn unit(sampling: &str, runs: u64, inputs: usize, formulas: &str) -> String {
    let mut text = format!("name = \"unit\"\nseed = 3\nruns = {runs}\nsampling = \"{sampling}\"\n");
    for j in 1..=inputs {
        text +=
            &format!("[[vary]]\nkey = \"x{j}\"\ndistribution = \"uniform\"\nmin = 0\nmax = 1\n");
    }
    format!("{text}[formula]\n{formulas}\n")
}

pub fn report(folder: &Folder, study: &str, more: &[&str]) -> Value {
    folder.write("study.toml", study);
    folder.stdout(&["run", "study.toml", "--out", "out"]);
    let mut arguments = vec!["report", "out", "--json"];
    arguments.extend(more);
    folder.json(&arguments)
}

/// First-order indices of a figure, and total ones where there are.
fn indices(report: &Value, figure: &str, order: &str) -> Vec<(f64, [f64; 2])> {
    let inputs = report["sensitivities"][figure]["inputs"]
        .as_array()
        .unwrap();
    let one = |input: &Value| {
        let index = &input[order];
        let end = |i: usize| index["interval_95"][i].as_f64().unwrap();
        (index["estimate"].as_f64().unwrap(), [end(0), end(1)])
    };
    inputs.iter().map(one).collect()
}

fn assert_indices(found: &[(f64, [f64; 2])], exact: &[f64], tolerance: f64) {
    assert_eq!(found.len(), exact.len());
    for ((estimate, [low, high]), exact) in found.iter().zip(exact) {
        assert!(
            (estimate - exact).abs() < tolerance,
            "{estimate} for {exact}"
        );
        // Widened by half: each whisker holds with 95 %, all of them together less often.
        let more = 0.25 * (high - low);
        assert!(
            (low - more..=high + more).contains(exact),
            "{low} … {high} for {exact}"
        );
    }
}

/// Exact: V1 = ½ (1 + b π⁴/5)², V2 = a²/8, V13 = b² π⁸ (1/18 − 1/50).
#[test]
fn the_ishigami_function_has_its_indices_from_every_sampling() {
    let pi = std::f64::consts::PI;
    let (v1, v2) = (0.5 * (1.0 + 0.1 * pi.powi(4) / 5.0).powi(2), 49.0 / 8.0);
    let v13 = 0.01 * pi.powi(8) * (1.0 / 18.0 - 1.0 / 50.0);
    let v = v1 + v2 + v13;
    for (sampling, runs) in [
        ("monte_carlo", 2000),
        ("sobol", 2000),
        ("latin_hypercube", 2000),
    ] {
        let folder = Folder::new(&format!("ishigami-{sampling}"));
        let found = report(&folder, &ishigami(sampling, runs), &[]);
        assert_indices(
            &indices(&found, "y", "first_order"),
            &[v1 / v, v2 / v, 0.0],
            0.08,
        );
        let mean = found["figures"]["y"]["mean"].as_f64().unwrap();
        assert!((mean - 3.5).abs() < 0.3, "{mean}");
    }
    let folder = Folder::new("ishigami-saltelli");
    let found = report(&folder, &ishigami("saltelli", 5 * 2048), &[]);
    assert_indices(
        &indices(&found, "y", "first_order"),
        &[v1 / v, v2 / v, 0.0],
        0.05,
    );
    let totals = [(v1 + v13) / v, v2 / v, v13 / v];
    assert_indices(&indices(&found, "y", "total"), &totals, 0.05);
}

/// Sobol's g with a = (0, 1, 4.5, 9): V_i = 1/(3 (1 + a_i)²), V = Π (1 + V_i) − 1.
#[test]
fn the_g_function_has_its_indices() {
    let a = [0.0, 1.0, 4.5, 9.0];
    let factor = |j: usize| format!("((abs(4*x{} - 2) + {}) / {})", j + 1, a[j], 1.0 + a[j]);
    let product: Vec<String> = (0..4).map(factor).collect();
    let formula = format!("g = \"{}\"", product.join(" * "));
    let parts = a.map(|a: f64| 1.0 / (3.0 * (1.0 + a).powi(2)));
    let v = parts.iter().map(|part| 1.0 + part).product::<f64>() - 1.0;
    let first = parts.map(|part| part / v);
    let total = parts.map(|part| part * (v + 1.0) / (1.0 + part) / v);
    let folder = Folder::new("g-sobol");
    let found = report(&folder, &unit("sobol", 3000, 4, &formula), &[]);
    assert_indices(&indices(&found, "g", "first_order"), &first, 0.06);
    let folder = Folder::new("g-saltelli");
    let found = report(&folder, &unit("saltelli", 6 * 1024, 4, &formula), &[]);
    assert_indices(&indices(&found, "g", "first_order"), &first, 0.06);
    assert_indices(&indices(&found, "g", "total"), &total, 0.06);
}

/// y = x1 + 2 x2 with x1 and x2 uniform: mean 3/2, shares 1/5 and 4/5; y ≤ 2 where x2 ≤ 1 − x1/2, which
/// is three quarters of the square.
#[test]
fn a_plane_has_its_mean_its_shares_and_its_probabilities() {
    let folder = Folder::new("plane");
    let study = unit(
        "sobol",
        4000,
        2,
        "captured = \"x1 > 0.25\"\ny = \"x1 + 2*x2\"",
    );
    let limits = ["--limit", "y<=2", "--limit", "captured>=1", "--figure", "y"];
    let found = report(&folder, &study, &limits);
    assert_indices(&indices(&found, "y", "first_order"), &[0.2, 0.8], 0.05);
    let y = &found["figures"]["y"];
    let end = |value: &Value, i: usize| value[i].as_f64().unwrap();
    let mean = &y["mean_interval_95"];
    assert!(end(mean, 0) <= 1.5 && 1.5 <= end(mean, 1) && end(mean, 1) - end(mean, 0) < 0.01);
    // The median is 1.5, by symmetry.
    let median = &y["quantiles"][1]["interval_95"];
    assert!(end(median, 0) <= 1.5 && 1.5 <= end(median, 1), "{median}");
    let limits = found["limits"].as_array().unwrap();
    // Both: of x1 > ¼ the part with x2 ≤ 1 − x1/2: ∫_¼^1 (1 − x/2) dx = 0.75 − (1 − 1/16)/4.
    for (limit, exact) in limits
        .iter()
        .zip([0.75, 0.75, 0.75 - (1.0 - 1.0 / 16.0) / 4.0])
    {
        let share = limit["probability"].as_f64().unwrap();
        assert!((share - exact).abs() < 0.01, "{limit} for {exact}");
        let interval = &limit["interval_95"];
        assert!(
            end(interval, 0) - 2e-3 <= exact && exact <= end(interval, 1) + 2e-3,
            "{limit}"
        );
    }
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(page.contains("How often y is exceeded") && page.contains("Requirements"));
    for part in [
        "What drives y",
        "What drives capture",
        "Where capture ends",
        "How sure this is",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let message = folder.refused(2, &["report", "out", "--figure", "z"]);
    assert!(message.contains("captured, y"), "{message}");
}

/// y = 1 + x2 where x1 > 0.7, else 0, as a force that is there or not: total shares from a Gaussian process,
/// said in words on the page. With the mean 0.3 and v = 0.21 of the first factor, 1.5 and 1/12 of the
/// second, the parts of the variance are 2.25 v, 0.3²/12 and v/12.
#[test]
fn total_effects_on_a_figure_with_an_edge_are_found() {
    let folder = Folder::new("edge");
    let formula = "y = \"(x1 > 0.7)*(1 + x2)\"";
    let found = report(&folder, &unit("sobol", 200, 3, formula), &[]);
    let expansion = &found["sensitivities"]["y"]["expansion"];
    assert_eq!(expansion["kind"], "gaussian_process");
    let predicted = expansion["predicted_share"].as_f64().unwrap();
    assert!((0.9..1.0).contains(&predicted), "{expansion}");
    let v = 0.21;
    let parts = [2.25 * v, 0.3 * 0.3 / 12.0, v / 12.0];
    let all: f64 = parts.iter().sum();
    let totals = [parts[0] + parts[2], parts[1] + parts[2], 0.0];
    for (i, total) in totals.into_iter().enumerate() {
        let limits = &expansion["inputs"][i]["total_limits"];
        let end = |k: usize| limits[k].as_f64().unwrap();
        let exact = total / all;
        assert!(
            end(0) <= exact && exact <= end(1) && end(1) - end(0) < 0.2,
            "{limits} for {exact}"
        );
    }
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(page.contains("with all joint effects: x1 98 % ("));
    assert!(page.contains("95 % of y below") && !page.contains("95.0 %"));
}

/// The mean of a figure with a long tail is given with a reservation, its quantiles are not.
#[test]
fn the_mean_of_a_long_tail_is_not_promised() {
    let folder = Folder::new("long-tail");
    let formula = "y = \"exp(25*x1)\"";
    let found = report(&folder, &unit("monte_carlo", 60, 2, formula), &[]);
    let y = &found["figures"]["y"];
    assert_eq!(y["coverage"], "long_tail");
    assert_eq!(y["quantiles"][1]["coverage"], "conservative");
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(page.contains("the tail being long"));
}

/// With half of the shards outstanding a Sobol' study shows what the whole study shows: two shards of
/// run mod 2 printed probabilities of 84 and 72 %.
#[test]
fn a_shard_alone_is_a_fair_sample() {
    let folder = Folder::new("fair");
    // Whether a run is captured hangs on the first digit of x1, which run mod 2 fixed.
    folder.write(
        "study.toml",
        &unit("sobol", 2048, 3, "captured = \"x1 > 0.5\"\ny = \"x1\""),
    );
    for shard in ["0/2", "1/2", "3/8"] {
        let out = shard.replace('/', "-");
        let arguments = [
            "run",
            "study.toml",
            "--out",
            &out,
            "--shard",
            shard,
            "--json",
        ];
        let results = &folder.json(&arguments)["results"];
        let share = results["capture_probability"].as_f64().unwrap();
        let median = results["y"]["quantiles"][1]["value"].as_f64().unwrap();
        assert!((share - 0.5).abs() < 0.07, "{shard}: {share}");
        assert!((median - 0.5).abs() < 0.07, "{shard}: {median}");
    }
}

/// 24 → 48 → 200 runs give the bytes of 200 runs; killed in between as well.
#[test]
fn an_extended_study_is_that_of_all_its_runs() {
    for sampling in [
        "monte_carlo",
        "sobol",
        "latin_hypercube",
        "saltelli",
        "morris",
    ] {
        let folder = Folder::new(&format!("extend-{sampling}"));
        // Saltelli's groups are of 5 runs, Morris's of 4.
        let (few, more) = if sampling == "saltelli" {
            (25, "50")
        } else {
            (24, "48")
        };
        folder.write("few.toml", &ishigami(sampling, few));
        folder.write("many.toml", &ishigami(sampling, 200));
        folder.stdout(&["run", "many.toml", "--out", "at-once"]);
        folder.stdout(&["run", "few.toml", "--out", "grown"]);
        folder.stdout(&["extend", "grown", "--runs", more]);
        let done = folder.json(&["extend", "grown", "--runs", "200", "--json"]);
        let before: u64 = more.parse().unwrap();
        assert_eq!(
            (&done["finished_before"], &done["finished_now"]),
            (&before.into(), &(200 - before).into())
        );
        assert_eq!(folder.table("grown"), folder.table("at-once"), "{sampling}");
        let message = folder.refused(2, &["extend", "grown", "--runs", "100"]);
        assert!(message.contains("at least the 200 runs"), "{message}");
    }
    let folder = Folder::new("extend-shards");
    folder.write("few.toml", &ishigami("sobol", 40));
    folder.write("many.toml", &ishigami("sobol", 200));
    folder.stdout(&["run", "many.toml", "--out", "at-once"]);
    for k in 0..3 {
        let (out, shard) = (format!("part-{k}"), format!("{k}/3"));
        folder.stdout(&["run", "few.toml", "--out", &out, "--shard", &shard]);
        folder.stdout(&["extend", &out, "--runs", "200", "--shard", &shard]);
    }
    folder.stdout(&["merge", "part-0", "part-1", "part-2", "--out", "merged"]);
    assert_eq!(folder.table("merged"), folder.table("at-once"));
}

/// Runs that failed or are undecided leave a trace: half of the runs are captured, a fifth fails
/// (a root of a negative number), a tenth is still in contact.
#[test]
fn unknown_runs_widen_what_is_known() {
    let folder = Folder::new("unknown");
    let formulas =
        "captured = \"(x1 < 0.5) - (x1 > 0.9) + 0*sqrt(x2 - 0.2)\"\ny = \"1/floor(2*x1)\"";
    let study = unit("monte_carlo", 2000, 2, formulas);
    folder.write("study.toml", &study);
    let results = &folder.json(&["run", "study.toml", "--out", "out", "--json"])["results"];
    let (failed, open) = (
        &results["failed"],
        &results["outcomes"]["in_contact"]["count"],
    );
    let (failed, open) = (failed.as_f64().unwrap(), open.as_f64().unwrap());
    assert!((failed / 2000.0 - 0.2).abs() < 0.03 && (open / 2000.0 - 0.08).abs() < 0.02);
    let known = |i: usize| results["capture_known_95"][i].as_f64().unwrap();
    // All unknown ones not captured: 0.4 of all; all captured: 0.4 + 0.2 + 0.08.
    assert!((0.36..0.40).contains(&known(0)), "{}", known(0));
    assert!((0.68..0.72).contains(&known(1)), "{}", known(1));
    let text = folder.stdout(&["run", "study.toml", "--out", "out", "--resume"]);
    assert!(text.contains("what is known"), "{text}");
    // 1/0 is infinite, not missing.
    let y = &results["y"];
    let infinite = y["infinite"].as_f64().unwrap();
    assert!(
        (infinite / y["count"].as_f64().unwrap() - 0.5).abs() < 0.04,
        "{y}"
    );
    assert_eq!(y["max"], "inf");
    assert_eq!(y["quantiles"][3]["value"], "inf");
}

/// On a grid nothing was drawn at random: no interval anywhere.
#[test]
fn a_grid_has_no_intervals() {
    let folder = Folder::new("grid");
    let text = "name = \"g\"\nsampling = \"grid\"\n\
        [[vary]]\nkey = \"a\"\ndistribution = \"range\"\nfrom = 0\nto = 1\ncount = 8\n\
        [[vary]]\nkey = \"b\"\ndistribution = \"range\"\nfrom = 0\nto = 1\ncount = 8\n\
        [formula]\ncaptured = \"a > 0.5\"\ny = \"a + b\"\n";
    let found = report(&folder, text, &[]);
    assert!(found["results"]["capture_interval_95"].is_null());
    assert_eq!(found["results"]["capture_probability"], 0.5);
    assert!(found["figures"]["y"]["mean_interval_95"].is_null());
    let rank = &found["sensitivities"]["y"]["inputs"][0]["rank_correlation"];
    assert!(rank["estimate"].as_f64().unwrap() > 0.5 && rank["interval_95"].is_null());
    let first = &found["sensitivities"]["y"]["inputs"][0]["first_order"];
    assert!(first["interval_95"].is_null());
    // Both inputs have exactly half of the variance of their sum.
    assert!(
        (first["estimate"].as_f64().unwrap() - 0.5).abs() < 1e-12,
        "{first}"
    );
    let message = folder.refused(2, &["extend", "out", "--runs", "100"]);
    assert!(message.contains("a grid has"), "{message}");
}

/// The 99 % quantile of 100 runs has no upper bound, and it is said how many runs would give one.
#[test]
fn what_a_few_runs_do_not_bound_is_said() {
    let folder = Folder::new("few");
    folder.write("study.toml", &unit("monte_carlo", 100, 1, "y = \"x1\""));
    let text = folder.stdout(&["run", "study.toml", "--out", "out"]);
    assert!(
        text.contains("100 values do not bound it above, 299 would"),
        "{text}"
    );
    let done = folder.json(&["extend", "out", "--runs", "299", "--json"]);
    let quantile = &done["results"]["y"]["quantiles"][3];
    assert_eq!(quantile["interval_95"][1], done["results"]["y"]["max"]);
    assert!(quantile["interval_95"][0].is_null() && quantile["values_needed"].is_null());
}

/// Stopping by itself: the probability of 0.3 is known to ± 0.06 after fewer runs than one half would
/// need, and the table is that of so many runs at once.
#[test]
fn a_study_stops_when_enough_is_known() {
    let folder = Folder::new("until");
    let study = unit("monte_carlo", 10, 2, "captured = \"x1 < 0.1\"\ny = \"x2\"");
    folder.write("study.toml", &study);
    let goal = ["--until", "captured ± 0.06"];
    let mut arguments = vec!["run", "study.toml", "--out", "out"];
    arguments.extend(goal);
    let text = folder.stdout(&arguments);
    assert!(
        text.contains("stopped after") && text.contains("for all looks together"),
        "{text}"
    );
    let status = folder.json(&["status", "out", "--json"]);
    // Who looks later is told the interval of all looks, too: it is wider than that of as many planned runs.
    let width = |results: &Value| {
        let end = |i: usize| results["capture_interval_95"][i].as_f64().unwrap();
        end(1) - end(0)
    };
    let later = &folder.json(&["report", "out", "--json"])["results"];
    assert_eq!(later["stops_by_itself"], true);
    assert_eq!(later["capture_coverage"], "conservative");
    let runs = status["runs"].as_u64().unwrap();
    assert!((81..405).contains(&runs), "{runs}");
    let runs = runs.to_string();
    folder.stdout(&["run", "study.toml", "--out", "at-once", "--runs", &runs]);
    assert_eq!(folder.table("out"), folder.table("at-once"));
    let planned = &folder.json(&["report", "at-once", "--json"])["results"];
    assert_eq!(planned["stops_by_itself"], false);
    assert!(width(later) > 1.15 * width(planned), "{later} {planned}");
    arguments.extend(["--resume", "--json"]);
    let until = &folder.json(&arguments)["until"];
    assert_eq!(
        (&until["half_width"], &until["reached"]),
        (&0.06.into(), &true.into())
    );
    let message = folder.refused(
        2,
        &["run", "study.toml", "--out", "x", "--until", "force ± 1"],
    );
    assert!(message.contains("captured ± WIDTH"), "{message}");
}

/// What `batch sample` writes, `batch run --design` takes back: the same values of the same formulas.
#[test]
fn points_go_out_and_come_back() {
    let folder = Folder::new("design");
    folder.write("study.toml", &ishigami("sobol", 64));
    let text = folder.stdout(&["sample", "study.toml", "--csv", "points.csv"]);
    assert!(text.contains("64 runs") && text.contains("x3"), "{text}");
    folder.stdout(&["run", "study.toml", "--out", "own"]);
    folder.stdout(&[
        "run",
        "study.toml",
        "--out",
        "back",
        "--design",
        "points.csv",
    ]);
    let own = folder.json(&["report", "own", "--json"]);
    let back = folder.json(&["report", "back", "--json"]);
    assert_eq!(own["figures"]["y"]["mean"], back["figures"]["y"]["mean"]);
    assert_eq!(back["results"]["capture_coverage"], "if_independent");
    folder.write("wrong.csv", "x1,x2,x3\n1,2\n");
    let arguments = ["run", "study.toml", "--out", "no", "--design", "wrong.csv"];
    let message = folder.refused(2, &arguments);
    assert!(message.contains("line 2 has 2 columns"), "{message}");
}

/// P(x1 + x2 > 2 − 0.01·√2) of uniform inputs is 1e-4, exactly: half of the square of 0.01·√2.
#[test]
fn a_rare_event_is_found_and_goes_on_where_it_stopped() {
    let folder = Folder::new("rare");
    folder.write("study.toml", &unit("monte_carlo", 10, 2, "y = \"x1 + x2\""));
    let limit = format!("y>{}", 2.0 - 0.01 * 2.0_f64.sqrt());
    let arguments = [
        "rare",
        "study.toml",
        "--event",
        &limit,
        "--out",
        "out",
        "--json",
    ];
    let found = folder.json(&arguments);
    let end = |i: usize| found["interval_95"][i].as_f64().unwrap();
    assert!(end(0) <= 1e-4 && 1e-4 <= end(1), "{found}");
    // Less than a hundredth of the plain cost for the same relative error.
    let number = |key: &str| found[key].as_f64().unwrap();
    assert!(number("runs") < 0.01 * number("plain_runs"), "{found}");
    // The probability is the mean of the weights of the runs with the event.
    let table = softdock_study::Table::open(&folder.join("out/measured/results.parquet")).unwrap();
    let (weights, y) = (
        table.numbers("weight").unwrap(),
        table.numbers("y").unwrap(),
    );
    let limit: f64 = limit[2..].parse().unwrap();
    let events = weights.iter().zip(&y).filter(|(_, y)| **y > limit);
    let mean = events.map(|(w, _)| w).sum::<f64>() / weights.len() as f64;
    assert!((mean / number("probability") - 1.0).abs() < 1e-12, "{mean}");
    // Without its last stages the search gives the same again.
    fs::remove_dir_all(folder.join("out/measured")).unwrap();
    fs::remove_dir_all(folder.join("out/stage-012")).unwrap();
    assert_eq!(folder.json(&arguments), found);
}

/// y = 3 x1 − x2 + 4 x3 x4 of uniform inputs: mean magnitudes 3, 1, 2 and 2 over the range; the spread is 0
/// for the straight effects and 4/√12 for the joint ones.
#[test]
fn morris_screening_finds_what_matters() {
    let folder = Folder::new("morris");
    let study = unit("morris", 5 * 400, 4, "y = \"3*x1 - x2 + 4*x3*x4\"");
    let found = report(&folder, &study, &[]);
    let effects = &found["sensitivities"]["y"]["elementary_effects"];
    for (i, (magnitude, spread)) in [(3.0, 0.0), (1.0, 0.0), (2.0, 1.1547), (2.0, 1.1547)]
        .into_iter()
        .enumerate()
    {
        let number = |key: &str| effects[i][key].as_f64().unwrap();
        assert!(
            (number("mean_magnitude") - magnitude).abs() < 0.2,
            "{effects}"
        );
        assert!((number("std_dev") - spread).abs() < 0.15, "{effects}");
        let end = |k: usize| effects[i]["interval_95"][k].as_f64().unwrap();
        let exact = end(0) - 0.1 <= magnitude && magnitude <= end(1) + 0.1;
        assert!(exact && end(1) - end(0) < 0.5, "{effects}");
    }
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(page.contains("Elementary effects on y"));
    folder.write("wrong.toml", &unit("morris", 12, 4, "y = \"x1\""));
    let message = folder.refused(2, &["run", "wrong.toml", "--out", "no"]);
    assert!(message.contains("multiples of 5"), "{message}");
}

/// A page about a figure that is not the first one is about that figure in every part of it.
#[test]
fn the_page_is_about_the_figure_that_is_named() {
    let folder = Folder::new("named");
    let formulas = "captured = \"x1 > 0.4\"\na = \"x1\"\nz = \"1000 + 10*x2\"";
    let study = unit("monte_carlo", 400, 2, formulas);
    report(&folder, &study, &["--figure", "z"]);
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    let outcomes = &page[page.find(">Outcomes<").unwrap()..];
    let outcomes = &outcomes[..outcomes.find("never touched").unwrap()];
    // Medians, 95 % and largest of both outcomes.
    assert_eq!(
        outcomes.matches(">100").count() + outcomes.matches(">101").count(),
        6,
        "{outcomes}"
    );
    assert!(page.contains("median z") && page.contains("largest z"));
}

/// The boundary of x1² + x2² < 0.6 on the unit square: the share π 0.6/4 lies between what is sure and what
/// is possible.
#[test]
fn a_boundary_is_mapped_with_its_uncertainty() {
    let folder = Folder::new("boundary");
    let formulas = "captured = \"(x1^2 + x2^2) < 0.6\"\ny = \"x1 + x3\"";
    folder.write("study.toml", &unit("monte_carlo", 10, 3, formulas));
    let mut arguments = vec!["boundary", "study.toml", "--over", "x1", "--over", "x2"];
    arguments.extend(["--out", "out", "--runs", "80", "--json"]);
    let found = folder.json(&arguments);
    let exact = std::f64::consts::PI * 0.15;
    for key in ["share_of_box", "probability"] {
        let share = &found[key];
        let end = |i: usize| share["known_95"][i].as_f64().unwrap();
        assert!(end(0) <= exact && exact <= end(1), "{share}");
        assert!(end(1) - end(0) < 0.25, "{share}");
        assert!(
            (share["expected"].as_f64().unwrap() - exact).abs() < 0.03,
            "{share}"
        );
    }
    let map = fs::read_to_string(folder.join("out/map.csv")).unwrap();
    assert!(map.starts_with("x1,x2,probability") && map.lines().count() == 1 + 41 * 41);
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(page.contains("sure from here"));
    for (wrong, why) in [
        (vec!["--over", "x1"], "two or three"),
        (vec!["--over", "x1", "--over", "z"], "x1, x2, x3"),
    ] {
        let mut arguments = vec!["boundary", "study.toml", "--out", "no"];
        arguments.extend(wrong);
        let message = folder.refused(2, &arguments);
        assert!(message.contains(why), "{message}");
    }
}
