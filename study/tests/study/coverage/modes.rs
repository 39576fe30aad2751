//! Intervals of the modes that are more than a sample: elementary effects, two fidelities, studies that
//! stop by themselves, boundaries.

use super::{EFFECTS, Report, Tally, figure, head, inputs, of_inputs, plan};
use softdock_study::boundary::{BoundarySearch, Settings};
use softdock_study::statistics::sequential::{look_confidence, looks};
use softdock_study::statistics::{
    Coverage, Dependence, TwoFidelity, best_surrogate, distribution, elementary_effects,
    mean_of_two, probability_of_two, proportion, quantile_of_two,
};

const SEEDS: u64 = 300;
const SPREAD: [&str; 3] = ["monte_carlo", "latin_hypercube", "sobol"];

fn new_report() -> Report {
    Report {
        entries: 0,
        missed: Vec::new(),
    }
}

/// Mean magnitude of the effect of x2, 1.5 |sin²(2πb) − sin²(2πa)| / |b − a| over steps of at least 0.05,
/// by the midpoints of a grid; that of x3 is 3 E|x4 − ½| = ¾.
fn magnitude_of_x2() -> f64 {
    const CELLS: usize = 2000;
    let at = |i: usize| (i as f64 + 0.5) / CELLS as f64;
    let wave = |x: f64| 1.5 * (2.0 * std::f64::consts::PI * x).sin().powi(2);
    let (mut sum, mut count) = (0.0, 0.0);
    for a in 0..CELLS {
        for b in (0..CELLS).filter(|&b| at(b).max(at(a)) - at(b).min(at(a)) >= 0.05) {
            sum += ((wave(at(b)) - wave(at(a))) / (at(b) - at(a))).abs();
            count += 1.0;
        }
    }
    sum / count
}

/// Elementary effects of x2 and x3 from Morris' design.
#[test]
#[ignore = "takes minutes; run with --ignored --nocapture"]
fn intervals_of_elementary_effects_hold() {
    let truth = [magnitude_of_x2(), 0.75];
    let names = ["effect of x2", "effect of x3"];
    let mut report = new_report();
    head("inputs | runs", &names);
    for d in [4, 14] {
        for runs in [60, 150, 250, 1000, 5000] {
            let runs = runs / (d as u64 + 1) * (d as u64 + 1);
            let mut found = vec![Tally::default(); 2];
            for seed in 0..SEEDS {
                let plan = plan("morris", runs, d, seed);
                let y: Vec<f64> = inputs(&plan).iter().map(|x| figure(x)).collect();
                let effects = elementary_effects(&y, d, |run| plan.point(run), 0.95);
                for (k, tally) in found.iter_mut().enumerate() {
                    tally.count(effects[k + 1].interval, truth[k], Coverage::Nominal);
                }
            }
            report.row(&format!("{d} | {runs}"), &names, &found);
        }
    }
    report.assert();
}

type Figure = fn(&[f64]) -> f64;

/// Figures of three normal inputs with a tail, from moderate to one that most samples miss, and their
/// means: that of exp(σ z) is exp(½ σ²), that of the last is exp(⅛) exp(½/(1 − 1/25))/√(1 − 1/25).
fn tails() -> [(&'static str, Figure, f64); 3] {
    let square: f64 = 1.0 - 1.0 / 25.0;
    let far = (0.125 + 0.5 / square).exp() / square.sqrt();
    [
        (
            "Σ exp(z_j / 2)",
            |z| z.iter().map(|z| (0.5 * z).exp()).sum(),
            3.0 * 0.125_f64.exp(),
        ),
        (
            "exp(0.4 Σ z_j)",
            |z| (0.4 * z.iter().sum::<f64>()).exp(),
            0.24_f64.exp(),
        ),
        (
            "exp(z1 + z2 / 2 + z1 z3 / 5)",
            |z| (z[0] + 0.5 * z[1] + 0.2 * z[0] * z[2]).exp(),
            far,
        ),
    ]
}

/// Means of figures with long tails: how often their intervals hold, all together and by what is said of
/// them, each with the share of the studies in which that is said.
#[test]
#[ignore = "takes minutes; run with --ignored --nocapture"]
fn means_of_long_tails_hold() {
    println!("| figure | design | runs | all | nominal | conservative | with the reservation |");
    println!("|---|---|---|---|---|---|---|");
    for (name, figure, truth) in tails() {
        for sampling in ["monte_carlo", "latin_hypercube", "sobol", "saltelli"] {
            for runs in [60, 250, 1000, 5000] {
                let mut tallies = vec![Tally::default(); 4];
                for seed in 0..SEEDS {
                    let normal = "\"normal\"\nmean = 0\nstd_dev = 1";
                    let plan = of_inputs(sampling, runs / 5 * 5, &[normal; 3], seed);
                    let y: Vec<f64> = inputs(&plan).iter().map(|z| figure(z)).collect();
                    let numbers: Vec<u64> = (0..plan.runs()).collect();
                    let dependence = Dependence::of(&plan, &numbers);
                    let found = distribution(&y, &dependence, &[], 0.95).unwrap();
                    let Some(interval) = found.mean_interval else {
                        continue;
                    };
                    let held = interval.low <= truth && truth <= interval.high;
                    let kind = match found.coverage {
                        Coverage::Nominal => 1,
                        Coverage::Conservative => 2,
                        _ => 3,
                    };
                    tallies[0].note(held, Coverage::Conservative);
                    tallies[kind].note(held, Coverage::Conservative);
                }
                let all = tallies[0].told;
                let part = |tally: &Tally| match tally.told {
                    0 => "–".to_owned(),
                    told => {
                        let share = 100.0 * f64::from(told) / f64::from(all);
                        format!("{:.0} ({share:.0} %)", tally.percent())
                    }
                };
                let parts: Vec<String> = tallies[1..].iter().map(part).collect();
                let percent = tallies[0].percent();
                println!(
                    "| {name} | {sampling} | {runs} | {percent:.1} | {} |",
                    parts.join(" | ")
                );
                assert!(
                    all == 0 || percent >= LEAST_OF_TAILS,
                    "{sampling}, {runs}: {percent} %"
                );
            }
        }
    }
}

/// Two standard errors of 300 studies below 92 %.
const LEAST_OF_TAILS: f64 = 89.0;

/// The cheap figure of a screened study: off in scale and place, and by a wave of its own.
fn cheap(x: &[f64], error: f64) -> f64 {
    0.8 * figure(x) + 0.5 + error * (9.0 * x[0] + 5.0 * x[3]).sin()
}

/// Mean, probability and quantile from two fidelities: 5,000 cheap runs and a few in full, with cheap runs
/// that go with the full ones closely and hardly.
#[test]
#[ignore = "takes minutes; run with --ignored --nocapture"]
fn intervals_of_two_fidelities_hold() {
    let truth = super::Truth::new(&EFFECTS, 4);
    let (limit, share) = truth.above[0];
    let names = ["mean", "probability", "95 % quantile"];
    let mut report = new_report();
    head("design | in full | error of the cheap model", &names);
    let cases: Vec<(usize, f64)> = [20, 50, 100, 200, 500]
        .into_iter()
        .flat_map(|full| [(full, 0.02), (full, 0.4)])
        .collect();
    for sampling in SPREAD {
        let mut found = vec![vec![Tally::default(); 3]; cases.len()];
        for seed in 0..SEEDS {
            let whole = plan(sampling, 5000, 4, seed);
            let x = inputs(&whole);
            for (found, &(full, error)) in found.iter_mut().zip(&cases) {
                let numbers: Vec<u64> = (0..full as u64).collect();
                let dependence = Dependence::of(&whole, &numbers);
                let y: Vec<f64> = x[..full].iter().map(|x| figure(x)).collect();
                let z: Vec<f64> = x.iter().map(|x| cheap(x, error)).collect();
                let exact = [truth.mean, share, truth.quantiles[2]];
                let all = of_two(&y, &z, &dependence, limit);
                for ((tally, two), exact) in found.iter_mut().zip(all).zip(exact) {
                    let interval = two.map(|two| two.interval);
                    tally.count(interval, exact, Coverage::Conservative);
                }
            }
        }
        for (found, (full, error)) in found.iter().zip(&cases) {
            report.row(&format!("{sampling} | {full} | {error}"), &names, found);
        }
    }
    report.assert();
}

/// Mean, probability above the limit and 95 % quantile of full values `y` with cheap ones `z`, the first of
/// which are of the same runs.
fn of_two(y: &[f64], z: &[f64], dependence: &Dependence, limit: f64) -> [Option<TwoFidelity>; 3] {
    let above = |v: &[f64], limit: f64| -> Vec<bool> { v.iter().map(|v| *v > limit).collect() };
    let (near, far) = z.split_at(y.len());
    let at = 0.8 * limit + 0.5;
    [
        mean_of_two(y, near, far, dependence, 0.95),
        probability_of_two(
            &above(y, limit),
            &above(near, at),
            &above(far, at),
            dependence,
            0.95,
        ),
        quantile_of_two(y, near, far, dependence, 0.95, 0.95),
    ]
}

/// Studies that stop when a probability is known to ± 0.05: the interval at the stop, made for all looks
/// together, holds with at least 95 %, whatever the design. The last column is the plain 95 % interval of
/// the same runs, which nobody is shown.
#[test]
#[ignore = "takes minutes; run with --ignored --nocapture"]
fn stopping_keeps_the_error_rate_of_every_design() {
    let truth = super::Truth::new(&EFFECTS, 4);
    let names = ["interval of all looks"];
    let mut report = new_report();
    head("design | probability | plain interval", &names);
    let looks = looks(0.05, 16);
    for sampling in SPREAD {
        for (limit, share) in [
            truth.quantiles[0],
            truth.quantiles[1],
            2.4,
            truth.above[1].0,
        ]
        .map(|limit| (limit, truth.share_above(limit)))
        {
            let mut found = [Tally::default(), Tally::default()];
            for seed in 0..SEEDS {
                let whole = plan(sampling, looks[4], 4, seed);
                let y: Vec<f64> = inputs(&whole).iter().map(|x| figure(x)).collect();
                for &look in &looks {
                    let rows: Vec<Option<bool>> = y[..look as usize]
                        .iter()
                        .map(|y| Some(*y > limit))
                        .collect();
                    let numbers: Vec<u64> = (0..look).collect();
                    let dependence = Dependence::of(&whole, &numbers);
                    let now = proportion(&rows, &dependence, look_confidence());
                    let interval = now.interval.unwrap();
                    if interval.high - interval.low <= 0.1 || look == looks[4] {
                        found[0].count(now.interval, share, Coverage::Conservative);
                        let plain = proportion(&rows, &dependence, 0.95);
                        found[1].count(plain.interval, share, Coverage::Nominal);
                        break;
                    }
                }
            }
            let plain = found[1].percent();
            let title = format!("{sampling} | {share:.3} | {plain:.1}");
            report.row(&title, &names, &found[..1]);
        }
    }
    report.assert();
}

/// What total effects can be by a surrogate, whichever predicts best: of the figure and of the event that
/// it is above its limit.
#[test]
#[ignore = "takes minutes; run with --ignored --nocapture"]
fn limits_of_total_effects_hold() {
    const STUDIES: u64 = 100;
    let names = [
        "total of x1",
        "total of x2",
        "total of x3",
        "event: total of x1",
        "event: total of x2",
        "event: total of x3",
    ];
    let mut report = new_report();
    head("design | inputs | runs", &names);
    for d in [4, 14] {
        let truth = super::Truth::new(&EFFECTS, d);
        let exact: Vec<f64> = truth.total.into_iter().chain(truth.event_total).collect();
        for sampling in ["monte_carlo", "sobol"] {
            for runs in [60, 250, 1000] {
                let mut found = vec![Tally::default(); names.len()];
                for seed in 0..STUDIES {
                    let plan = plan(sampling, runs, d, seed);
                    let u: Vec<Vec<f64>> = (0..runs).map(|run| plan.point(run)).collect();
                    let y: Vec<f64> = inputs(&plan).iter().map(|x| figure(x)).collect();
                    let event = |y: &f64| f64::from(u8::from(*y > truth.above[0].0));
                    let events: Vec<f64> = y.iter().map(event).collect();
                    for (k, values) in [y, events].iter().enumerate() {
                        let Some(surrogate) = best_surrogate(&u, values) else {
                            continue;
                        };
                        for i in 0..3 {
                            let limits = Some(surrogate.inputs[i].total_limits);
                            let place = 3 * k + i;
                            found[place].count(limits, exact[place], Coverage::Conservative);
                        }
                    }
                }
                report.row(&format!("{sampling} | {d} | {runs}"), &names, &found);
            }
        }
    }
    report.assert();
}

type Event = fn(&[f64]) -> bool;

/// Boundaries of known shape with 60 and 120 runs: how often the true share of the box lies between what
/// is sure and what is possible, and how many of the places called sure or impossible are neither.
#[test]
#[ignore = "takes many minutes; run with --ignored --nocapture"]
fn zones_of_boundaries_hold() {
    let shapes: [(&str, usize, Event); 4] = [
        ("circle", 2, |x| {
            (x[0] - 0.4).powi(2) + (x[1] - 0.6).powi(2) < 0.09
        }),
        ("line", 2, |x| x[0] + 0.3 * x[1] < 0.6),
        ("wave", 2, |x| x[1] < 0.5 + 0.2 * (6.0 * x[0]).sin()),
        ("plane", 3, |x| x[0] + 0.5 * x[1] + 0.2 * x[2] < 0.8),
    ];
    println!("\n| boundary | runs | share between the bounds | places called wrongly |");
    println!("|---|---|---|---|");
    for (name, d, event) in shapes {
        for runs in [60, 120] {
            let (mut held, mut wrong, mut called) = (0_u32, 0_u32, 0_u32);
            const SEARCHES: u64 = 100;
            for seed in 0..SEARCHES {
                let mut search = BoundarySearch::new(Settings {
                    seed,
                    inputs: d,
                    runs,
                    stage: 10,
                });
                while !search.points().is_empty() {
                    let events: Vec<Option<bool>> =
                        search.points().iter().map(|x| Some(event(x))).collect();
                    search.advance(&events);
                }
                let map = search.map();
                let levels = if d == 2 { 41_usize } else { 15 };
                let places: Vec<Vec<f64>> = (0..levels.pow(d as u32))
                    .map(|i| {
                        let digit = |j: usize| i / levels.pow(j as u32) % levels;
                        (0..d)
                            .map(|j| digit(j) as f64 / (levels - 1) as f64)
                            .collect()
                    })
                    .collect();
                let exact = places.iter().filter(|x| event(x)).count() as f64 / places.len() as f64;
                let shares = map.shares(places.iter().cloned(), 0.95);
                held += u32::from(shares.sure <= exact && exact <= shares.possible);
                for place in &places {
                    let p = map.probability(place);
                    if !(0.025..=0.975).contains(&p) {
                        called += 1;
                        wrong += u32::from((p > 0.5) != event(place));
                    }
                }
            }
            let wrong = 100.0 * f64::from(wrong) / f64::from(called.max(1));
            println!("| {name} | {runs} | {held} % | {wrong:.2} % |");
            assert!(held >= 90 && wrong <= 2.5, "{name} {runs}: {held} {wrong}");
        }
    }
}
