//! How often intervals hold: studies of a known function with many seeds.
//!
//! y = 2 x1 + 1.5 sin²(2π x2) + 3 (x3 − ½)(x4 − ½) + 0.2 Σ_(j>4) x_j with all inputs uniform on [0, 1]:
//! straight, wavy, joint and weak effects. Mean and shares of the variance are known in closed form,
//! probability and quantiles from four million points.

use softdock_study::statistics::{
    Coverage, Dependence, Interval, distribution, given_data_first_order, proportion,
    sobol_indices, spearman,
};
use softdock_study::{Plan, Study, Value};

fn figure(x: &[f64]) -> f64 {
    let wave = (2.0 * std::f64::consts::PI * x[1]).sin().powi(2);
    let joint = 3.0 * (x[2] - 0.5) * (x[3] - 0.5);
    2.0 * x[0] + 1.5 * wave + joint + 0.2 * x[4..].iter().sum::<f64>()
}

/// Above this a run counts as captured: about one in five.
const LIMIT: f64 = 2.4;

struct Truth {
    mean: f64,
    share_above: f64,
    median: f64,
    high: f64,
    first: [f64; 2],
    rank: f64,
}

/// The truth for `d` inputs, from closed forms and from the points of a long Sobol' sequence.
fn truth(d: usize) -> Truth {
    let plan = plan("sobol", 1 << 22, d, 77);
    let n = 1 << 20;
    let rows: Vec<Vec<f64>> = (0..n).map(|run| plan.point(run)).collect();
    let y: Vec<f64> = rows.iter().map(|x| figure(x)).collect();
    let mut sorted = y.clone();
    sorted.sort_by(f64::total_cmp);
    let above = y.iter().filter(|y| **y > LIMIT).count();
    let weak = 0.04 / 12.0 * (d as f64 - 4.0);
    let parts = [4.0 / 12.0, 2.25 / 8.0, 9.0 / 144.0];
    let variance = parts.iter().sum::<f64>() + weak;
    let x: Vec<f64> = rows.iter().map(|x| x[0]).collect();
    let rank = spearman(&x, &y, &Dependence::independent(y.len()), 0.95).unwrap();
    Truth {
        mean: 1.0 + 0.75 + 0.1 * (d as f64 - 4.0),
        share_above: above as f64 / n as f64,
        median: sorted[n as usize / 2],
        high: sorted[(n as f64 * 0.95) as usize],
        first: [parts[0] / variance, parts[1] / variance],
        rank: rank.coefficient,
    }
}

fn plan(sampling: &str, runs: u64, d: usize, seed: u64) -> Plan {
    let mut text =
        format!("name = \"c\"\nseed = {seed}\nruns = {runs}\nsampling = \"{sampling}\"\n");
    for j in 0..d {
        text +=
            &format!("[[vary]]\nkey = \"x{j}\"\ndistribution = \"uniform\"\nmin = 0\nmax = 1\n");
    }
    let study = Study::parse(&text, "test").unwrap();
    Plan::new(study, toml::Table::new(), &[], "1").unwrap()
}

/// How often an interval held, and how it is said to.
#[derive(Default)]
struct Tally {
    held: u32,
    told: u32,
    conservative: bool,
}

impl Tally {
    fn count(&mut self, interval: Option<Interval>, truth: f64, coverage: Coverage) {
        let Some(interval) = interval else { return };
        self.told += 1;
        self.held += u32::from(interval.low <= truth && truth <= interval.high);
        self.conservative |= coverage != Coverage::Nominal;
    }

    fn percent(&self) -> f64 {
        100.0 * f64::from(self.held) / f64::from(self.told.max(1))
    }
}

const NAMES: [&str; 8] = [
    "probability",
    "mean",
    "median",
    "95 % quantile",
    "share of x1",
    "share of x2",
    "total of x1",
    "rank correlation",
];

fn tallies(sampling: &str, d: usize, runs: u64, seeds: u64, truth: &Truth) -> [Tally; 8] {
    let mut out: [Tally; 8] = Default::default();
    let runs = match sampling {
        "saltelli" => (runs / (d as u64 + 2)).max(2) * (d as u64 + 2),
        _ => runs,
    };
    for seed in 0..seeds {
        let plan = plan(sampling, runs, d, seed);
        let numbers: Vec<u64> = (0..runs).collect();
        let values = |run| -> Vec<f64> {
            plan.values(run)
                .unwrap()
                .iter()
                .filter_map(Value::number)
                .collect()
        };
        let x: Vec<Vec<f64>> = numbers.iter().map(|&run| values(run)).collect();
        let y: Vec<f64> = x.iter().map(|x| figure(x)).collect();
        let dependence = Dependence::of(&plan, &numbers);
        let rows: Vec<Option<bool>> = y.iter().map(|y| Some(*y > LIMIT)).collect();
        let found = proportion(&rows, &dependence, 0.95);
        out[0].count(found.interval, truth.share_above, found.coverage);
        let found = distribution(&y, &dependence, &[0.5, 0.95], 0.95).unwrap();
        out[1].count(found.mean_interval, truth.mean, found.coverage);
        for (tally, (quantile, truth)) in out[2..4]
            .iter_mut()
            .zip(found.quantiles.iter().zip([truth.median, truth.high]))
        {
            let interval = Interval {
                low: quantile.low.unwrap_or(f64::NEG_INFINITY),
                high: quantile.high.unwrap_or(f64::INFINITY),
            };
            tally.count(Some(interval), truth, quantile.coverage);
        }
        let even = match sampling {
            "monte_carlo" => Coverage::Nominal,
            _ => Coverage::Conservative,
        };
        if sampling == "saltelli" {
            if let Ok(found) = sobol_indices(&y, d, 16, 0.95) {
                for i in 0..2 {
                    let interval = found.first_order[i].interval;
                    out[4 + i].count(Some(interval), truth.first[i], Coverage::Nominal);
                }
                let total = found.total[0].interval;
                out[6].count(Some(total), truth.first[0], Coverage::Nominal);
            }
        } else {
            for i in 0..2 {
                let column: Vec<f64> = x.iter().map(|x| x[i]).collect();
                let found = given_data_first_order(&column, &y, &dependence, 0.95).unwrap();
                out[4 + i].count(Some(found.index.interval), truth.first[i], even);
            }
        }
        let column: Vec<f64> = x.iter().map(|x| x[0]).collect();
        let found = spearman(&column, &y, &dependence, 0.95).unwrap();
        // Stated as conservative for every design.
        out[7].count(found.interval, truth.rank, Coverage::Conservative);
    }
    out
}

/// A few seeds of every design: an interval that is stated as nominal holds in 86 to 100 % of 80
/// studies (three and a half standard deviations below 95 %), a conservative one no less often.
#[test]
fn intervals_hold_for_every_design() {
    let truth = truth(4);
    for sampling in ["monte_carlo", "latin_hypercube", "sobol", "saltelli"] {
        let found = tallies(sampling, 4, 300, 80, &truth);
        for (name, tally) in NAMES.iter().zip(&found) {
            let percent = tally.percent();
            assert!(
                tally.told == 0 || percent >= 86.0,
                "{sampling}, {name}: {percent} %"
            );
        }
    }
}

/// The whole table of docs/coverage.md, with 300 seeds: prints what holds how often and fails where a
/// nominal interval holds in less than 92 or more than 98 %, or a conservative one in less than 92 %.
/// 300 seeds leave a standard error of 1.3 %, so that of 200 entries a few miss these limits by chance:
/// one in fifty may, by at most 2 %.
#[test]
#[ignore = "takes minutes; run with --ignored --nocapture"]
fn intervals_hold_as_often_as_they_say() {
    println!("| design | inputs | runs | {} |", NAMES.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(NAMES.len()));
    let (mut entries, mut missed) = (0, Vec::new());
    for d in [4, 14] {
        let truth = truth(d);
        for sampling in ["monte_carlo", "latin_hypercube", "sobol", "saltelli"] {
            for runs in [60, 250, 1000, 5000] {
                let found = tallies(sampling, d, runs, 300, &truth);
                let mut line = format!("| {sampling} | {d} | {runs} |");
                for (name, tally) in NAMES.iter().zip(&found) {
                    if tally.told == 0 {
                        line += " – |";
                        continue;
                    }
                    let percent = tally.percent();
                    let mark = if tally.conservative { "\\*" } else { "" };
                    line += &format!(" {percent:.1}{mark} |");
                    entries += 1;
                    let most = if tally.conservative { 100.0 } else { 98.0 };
                    if !(92.0..=most).contains(&percent) {
                        missed.push((percent, format!("{sampling} {d} {runs} {name}")));
                    }
                }
                println!("{line}");
            }
        }
    }
    let far = |(percent, _): &&(f64, String)| !(90.0..=99.7).contains(percent);
    println!("{entries} entries, outside 92 to 98 %: {missed:?}");
    assert!(missed.len() * 50 <= entries, "{missed:?}");
    assert_eq!(missed.iter().filter(far).count(), 0, "{missed:?}");
}
