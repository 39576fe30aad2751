//! How often intervals hold: studies of a known function with many seeds.
//!
//! y = 2 x1 + 1.5 sin²(2π x2) + 3 (x3 − ½)(x4 − ½) + 0.2 Σ_(j>4) x_j with all inputs uniform on [0, 1]:
//! straight, wavy, joint and weak effects; and the functions of Ishigami and of Sobol' (`truth.rs`). Mean
//! and shares of the variance are known in closed form, everything else from a million points.

mod modes;
mod truth;

use softdock_study::statistics::{
    Coverage, Dependence, Interval, QuantileEstimate, distribution, exceedance,
    given_data_first_order, proportion, sobol_indices, spearman,
};
use softdock_study::{Plan, Study, Value};
use truth::{EFFECTS, FUNCTIONS, Function, Truth};

/// The figure of most of these studies.
fn figure(x: &[f64]) -> f64 {
    let wave = (2.0 * std::f64::consts::PI * x[1]).sin().powi(2);
    let joint = 3.0 * (x[2] - 0.5) * (x[3] - 0.5);
    2.0 * x[0] + 1.5 * wave + joint + 0.2 * x[4..].iter().sum::<f64>()
}

fn plan(sampling: &str, runs: u64, d: usize, seed: u64) -> Plan {
    of_inputs(
        sampling,
        runs,
        &vec!["\"uniform\"\nmin = 0\nmax = 1"; d],
        seed,
    )
}

/// A study of inputs with the given distributions.
fn of_inputs(sampling: &str, runs: u64, distributions: &[&str], seed: u64) -> Plan {
    let mut text =
        format!("name = \"c\"\nseed = {seed}\nruns = {runs}\nsampling = \"{sampling}\"\n");
    for (j, distribution) in distributions.iter().enumerate() {
        text += &format!("[[vary]]\nkey = \"x{j}\"\ndistribution = {distribution}\n");
    }
    let study = Study::parse(&text, "test").unwrap();
    Plan::new(study, toml::Table::new(), &[], "1").unwrap()
}

/// The inputs of every run of a plan.
fn inputs(plan: &Plan) -> Vec<Vec<f64>> {
    let values = |run| -> Vec<f64> {
        let values = plan.values(run).unwrap();
        values.iter().filter_map(Value::number).collect()
    };
    (0..plan.runs()).map(values).collect()
}

/// How often an interval held, and how it is said to.
#[derive(Debug, Default, Clone)]
struct Tally {
    held: u32,
    told: u32,
    conservative: bool,
}

impl Tally {
    fn count(&mut self, interval: Option<Interval>, truth: f64, coverage: Coverage) {
        // What is told with a reservation is no promise.
        if coverage == Coverage::LongTail {
            return;
        }
        let told = |i: &Interval| i.low.is_finite() || i.high.is_finite();
        let Some(interval) = interval.filter(told) else {
            return;
        };
        let held = interval.low <= truth && truth <= interval.high;
        self.note(held, coverage);
    }

    fn note(&mut self, held: bool, coverage: Coverage) {
        self.told += 1;
        self.held += u32::from(held);
        self.conservative |= coverage != Coverage::Nominal;
    }

    fn percent(&self) -> f64 {
        100.0 * f64::from(self.held) / f64::from(self.told.max(1))
    }
}

/// What is counted, in the order of the tables; the first part is about the figure, the second about
/// what drives it.
const NAMES: [&str; 20] = [
    "probability",
    "probability of 2 %",
    "mean",
    "5 % quantile",
    "median",
    "95 % quantile",
    "99 % quantile",
    "exceedance",
    "mean of the event's runs",
    "median of the event's runs",
    "share of x1",
    "share of x2",
    "share of x3",
    "total of x1",
    "total of x3",
    "rank correlation",
    "event: share of x1",
    "event: share of x2",
    "event: total of x1",
    "event: total of x3",
];
/// Entries of the first table.
const FIRST: usize = 10;
const QUANTILES: [f64; 4] = [0.05, 0.5, 0.95, 0.99];

/// Tallies of one design, in the order of `NAMES`.
fn tallies(
    function: &Function,
    truth: &Truth,
    sampling: &str,
    d: usize,
    runs: u64,
    seeds: u64,
) -> Vec<Tally> {
    let mut out = vec![Tally::default(); NAMES.len()];
    let group = d as u64 + 2;
    let runs = match sampling {
        "saltelli" => (runs / group).max(2) * group,
        _ => runs,
    };
    for seed in 0..seeds {
        let plan = plan(sampling, runs, d, seed);
        let x = inputs(&plan);
        let y: Vec<f64> = x.iter().map(|x| (function.figure)(x)).collect();
        let numbers: Vec<u64> = (0..runs).collect();
        let dependence = Dependence::of(&plan, &numbers);
        let (about, drivers) = out.split_at_mut(FIRST);
        of_the_figure(about, &y, &dependence, truth);
        of_drivers(drivers, sampling, &x, &y, &dependence, truth);
    }
    out
}

fn bounds(quantile: &QuantileEstimate) -> Option<Interval> {
    Some(Interval {
        low: quantile.low.unwrap_or(f64::NEG_INFINITY),
        high: quantile.high.unwrap_or(f64::INFINITY),
    })
}

fn of_the_figure(out: &mut [Tally], y: &[f64], dependence: &Dependence, truth: &Truth) {
    for (tally, (limit, share)) in out.iter_mut().zip(truth.above) {
        let rows: Vec<Option<bool>> = y.iter().map(|y| Some(*y > limit)).collect();
        let found = proportion(&rows, dependence, 0.95);
        tally.count(found.interval, share, found.coverage);
    }
    let found = distribution(y, dependence, &QUANTILES, 0.95).unwrap();
    out[2].count(found.mean_interval, truth.mean, found.coverage);
    for (k, quantile) in found.quantiles.iter().enumerate() {
        out[3 + k].count(bounds(quantile), truth.quantiles[k], quantile.coverage);
    }
    // Stated as conservative for every design.
    let curve = exceedance(y, dependence, 0.95);
    let held = curve.iter().all(|point| {
        let (band, exact) = (point.band.unwrap(), truth.share_above(point.value));
        band.low <= exact && exact <= band.high
    });
    out[7].note(held, Coverage::Conservative);
    // The figure over the runs with the event alone, as of those that were captured.
    let with = |y: &f64| if *y > truth.above[0].0 { *y } else { f64::NAN };
    let of_event: Vec<f64> = y.iter().map(with).collect();
    if let Some(found) = distribution(&of_event, dependence, &[0.5], 0.95) {
        out[8].count(found.mean_interval, truth.event_mean, found.coverage);
        let median = found.quantiles[0];
        out[9].count(bounds(&median), truth.event_median, median.coverage);
    }
}

fn of_drivers(
    out: &mut [Tally],
    sampling: &str,
    x: &[Vec<f64>],
    y: &[f64],
    dependence: &Dependence,
    truth: &Truth,
) {
    let d = x[0].len();
    let column = |i: usize| -> Vec<f64> { x.iter().map(|x| x[i]).collect() };
    let event: Vec<f64> = y
        .iter()
        .map(|y| f64::from(u8::from(*y > truth.above[0].0)))
        .collect();
    let rank = spearman(&column(0), y, dependence, 0.95).unwrap();
    // Stated as conservative for every design.
    out[5].count(rank.interval, truth.rank, Coverage::Conservative);
    if sampling == "saltelli" {
        if let Ok(found) = sobol_indices(y, d, 16, 0.95) {
            for (i, one) in out.iter_mut().enumerate().take(3) {
                let interval = found.first_order[i].interval;
                one.count(Some(interval), truth.first[i], Coverage::Nominal);
            }
            for (place, i) in [(3, 0), (4, 2)] {
                let interval = found.total[i].interval;
                out[place].count(Some(interval), truth.total[i], Coverage::Nominal);
            }
        }
        if let Ok(found) = sobol_indices(&event, d, 16, 0.95) {
            for i in 0..2 {
                let interval = found.first_order[i].interval;
                out[6 + i].count(Some(interval), truth.event_first[i], Coverage::Nominal);
            }
            for (place, i) in [(8, 0), (9, 2)] {
                let interval = found.total[i].interval;
                out[place].count(Some(interval), truth.event_total[i], Coverage::Nominal);
            }
        }
        return;
    }
    let coverage = match sampling {
        "monte_carlo" => Coverage::Nominal,
        _ => Coverage::Conservative,
    };
    for (i, one) in out.iter_mut().enumerate().take(3) {
        let found = given_data_first_order(&column(i), y, dependence, 0.95).unwrap();
        one.count(Some(found.index.interval), truth.first[i], coverage);
    }
    for i in 0..2 {
        if let Some(found) = given_data_first_order(&column(i), &event, dependence, 0.95) {
            let interval = found.index.interval;
            out[6 + i].count(Some(interval), truth.event_first[i], coverage);
        }
    }
}

/// A few seeds of every design: an interval that is stated as nominal holds in 86 to 100 % of 80
/// studies (three and a half standard deviations below 95 %), a conservative one no less often.
#[test]
fn intervals_hold_for_every_design() {
    let truth = Truth::new(&EFFECTS, 4);
    for sampling in ["monte_carlo", "latin_hypercube", "sobol", "saltelli"] {
        let found = tallies(&EFFECTS, &truth, sampling, 4, 300, 80);
        for (name, tally) in NAMES.iter().zip(&found) {
            let percent = tally.percent();
            assert!(
                tally.told == 0 || percent >= 86.0,
                "{sampling}, {name}: {percent} %"
            );
        }
    }
}

/// Told in fewer of 300 studies: how often it holds is not known from so few.
const SELDOM: u32 = 30;

/// One table of docs/coverage.md: an entry of each row is printed, and what lies outside the limits is
/// gathered.
struct Report {
    entries: usize,
    missed: Vec<(f64, String)>,
}

impl Report {
    fn row(&mut self, title: &str, names: &[&str], found: &[Tally]) {
        let mut line = format!("| {title} |");
        for (name, tally) in names.iter().zip(found) {
            if tally.told == 0 {
                line += " – |";
                continue;
            }
            if tally.told < SELDOM {
                line += " † |";
                continue;
            }
            let percent = tally.percent();
            let mark = if tally.conservative { "\\*" } else { "" };
            line += &format!(" {percent:.1}{mark} |");
            self.entries += 1;
            let most = if tally.conservative { 100.0 } else { 98.0 };
            if !(92.0..=most).contains(&percent) {
                self.missed.push((percent, format!("{title}: {name}")));
            }
        }
        println!("{line}");
    }

    /// 300 seeds leave a standard error of 1.3 %, so that of hundreds of entries a few miss their limits
    /// by chance: one in fifty may, by at most 2 %.
    fn assert(&self) {
        let Self { entries, missed } = self;
        println!("{entries} entries, outside 92 to 98 %: {missed:?}");
        let far = |(percent, _): &&(f64, String)| !(90.0..=99.7).contains(percent);
        assert!(missed.len() * 50 <= *entries, "{missed:?}");
        assert_eq!(missed.iter().filter(far).count(), 0, "{missed:?}");
    }
}

fn head(first: &str, names: &[&str]) {
    println!("\n| {first} | {} |", names.join(" | "));
    let columns = first.split('|').count() + names.len();
    println!("|{}", "---|".repeat(columns));
}

/// The tables of docs/coverage.md about designs, with 300 seeds: prints what holds how often and fails
/// where a nominal interval holds in less than 92 or more than 98 %, or a conservative one in less than
/// 92 %.
fn tables(samplings: &[&str]) {
    let mut report = Report {
        entries: 0,
        missed: Vec::new(),
    };
    for function in FUNCTIONS {
        let mut rows = Vec::new();
        for d in [4, 14] {
            let truth = Truth::new(&function, d);
            for sampling in samplings {
                for runs in [60, 250, 1000, 5000] {
                    let found = tallies(&function, &truth, sampling, d, runs, 300);
                    rows.push((format!("{sampling} | {d} | {runs}"), found));
                }
            }
        }
        println!("\n{}", function.name);
        for part in [0..FIRST, FIRST..NAMES.len()] {
            head("design | inputs | runs", &NAMES[part.clone()]);
            for (title, found) in &rows {
                report.row(title, &NAMES[part.clone()], &found[part.clone()]);
            }
        }
    }
    report.assert();
}

#[test]
#[ignore = "takes minutes; run with --ignored --nocapture"]
fn intervals_hold_as_often_as_they_say() {
    tables(&["monte_carlo", "latin_hypercube", "sobol"]);
}

/// The same of runs that share coordinates.
#[test]
#[ignore = "takes minutes; run with --ignored --nocapture"]
fn intervals_of_groups_hold_as_often_as_they_say() {
    tables(&["saltelli"]);
}
