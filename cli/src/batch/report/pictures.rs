//! Distributions, sensitivities, relations and all runs at once.

use super::data::{Data, Input};
use super::measure::Measure;
use crate::batch::results::{CONFIDENCE, FORCE, capture};
use anyhow::Result;
use softdock_docking::{Figure, Outcome, Summary};
use softdock_report::{
    Axis, Bar, Bars, Chart, Dimension, Estimate, Group, Histogram, Parallel, Scatter, Series,
};
use softdock_study::description::Sampling;
use softdock_study::statistics::{
    ElementaryEffects, Indices, InputSensitivity, Interval, Proportion, Sensitivity, SobolIndex,
    Surrogate, SurrogateIndex, SurrogateKind, best_surrogate, exceedance, quantile,
};

/// Figures whose distributions are shown, if the study has them.
const FIGURES: [Figure; 7] = [
    FORCE,
    Summary::capture_time_s,
    Summary::max_leg_stroke_m,
    Summary::contact_impulse_n_s,
    Summary::peak_motor_torque_nm,
    Summary::settling_time_s,
    Summary::final_angle_deg,
];

/// A figure on the axes of all runs beside the main one.
const BESIDE: Figure = Summary::max_leg_stroke_m;

/// Inputs that the main figure is plotted against.
const RELATIONS: usize = 4;

/// Runs on the plots that have a mark for each.
const MOST_MARKS: usize = 4000;

/// How the results spread: the named figures, then the usual ones.
pub fn distributions(data: &Data<'_>, named: &[Measure]) -> Result<Vec<Histogram>> {
    let has = |figure: &&Figure| data.plan.figures().iter().any(|f| f.name == figure.key);
    let usual = FIGURES
        .iter()
        .filter(has)
        .map(|figure| Measure::of(figure.key));
    let mut shown = named.to_vec();
    shown.extend(usual.filter(|usual| !named.contains(usual)));
    let mut out = Vec::new();
    for measure in &shown {
        let values = scaled(data, measure)?;
        if !values.iter().any(|value| value.is_finite()) {
            continue;
        }
        let sentence = "Over the sound runs in which end effector and target met.";
        let (title, axis) = (measure.title(), measure.axis());
        let mut histogram = Histogram::new(&title, sentence, axis, "runs", &values);
        for (probability, label) in [(0.5, "median"), (0.95, "95 %")] {
            if let Some(value) = quantile(&values, probability) {
                histogram = histogram.line(value, label);
            }
        }
        out.push(histogram);
    }
    Ok(out)
}

/// A figure of the runs that count in the unit in which it is shown.
pub fn scaled(data: &Data<'_>, measure: &Measure) -> Result<Vec<f64>> {
    let values = data.counted(&measure.key)?.into_iter();
    Ok(values.map(|value| measure.scaled(value)).collect())
}

/// How often a value of each figure is exceeded, with the band that holds the whole curve.
pub fn exceedances(data: &Data<'_>, figures: &[Measure]) -> Result<Vec<Chart>> {
    let mut out = Vec::new();
    for measure in figures {
        let values = scaled(data, measure)?;
        let curve = exceedance(&values, &data.dependence, CONFIDENCE);
        let curve: Vec<_> = curve.into_iter().filter(|p| p.value.is_finite()).collect();
        if curve.len() < 2 {
            continue;
        }
        let x: Vec<f64> = curve.iter().map(|p| p.value).collect();
        let share: Vec<f64> = curve.iter().map(|p| 100.0 * p.share).collect();
        let mut series = vec![Series::line("runs above", &x, &share)];
        let end = |high: bool| -> Option<Vec<f64>> {
            let end = |band: softdock_study::statistics::Interval| match high {
                true => 100.0 * band.high,
                false => 100.0 * band.low,
            };
            curve.iter().map(|p| p.band.map(end)).collect()
        };
        if let (Some(low), Some(high)) = (end(false), end(true)) {
            series.push(Series::line("95 % band, low", &x, &low));
            series.push(Series::line("95 % band, high", &x, &high));
        }
        out.push(Chart::over(
            &format!("How often {} is exceeded", measure.label),
            "Share of the sound runs that met whose value is larger. The band holds the whole curve \
             with at least 95 %.",
            measure.axis(),
            Axis::new("runs above", "%"),
            series,
        ));
    }
    Ok(out)
}

/// What drives a figure: rank correlation and shares of the variance, the strongest on top.
pub fn sensitivities(name: &str, found: &Sensitivity, data: &Data<'_>) -> Vec<Bars> {
    let label = |input: &InputSensitivity| {
        data.input(&input.input)
            .map_or_else(|| input.input.clone(), |known| known.axis.label.clone())
    };
    let mut ranks: Vec<(f64, Bar)> = Vec::new();
    let mut shares: Vec<(f64, Bar)> = Vec::new();
    let mut design = false;
    for input in &found.inputs {
        if let Some(rank) = &input.spearman {
            let value = match rank.interval {
                Some(i) => Estimate::within(rank.coefficient, i.low, i.high),
                None => Estimate::exact(rank.coefficient),
            };
            let bar = Bar {
                name: label(input),
                values: vec![value],
            };
            ranks.push((rank.coefficient.abs(), bar));
        }
        let values: Vec<SobolIndex> = match input.indices {
            Indices::Saltelli { first_order, total } => {
                design = true;
                vec![first_order, total]
            }
            Indices::GivenData(first) => vec![first.index],
            Indices::Unknown => continue,
        };
        let strongest = values.last().map_or(0.0, |index| index.estimate);
        let bar = Bar {
            name: label(input),
            values: values.iter().map(estimate).collect(),
        };
        shares.push((strongest, bar));
    }
    let rows = |mut bars: Vec<(f64, Bar)>| {
        bars.sort_by(|a, b| b.0.total_cmp(&a.0));
        bars.into_iter().map(|(_, bar)| bar).collect::<Vec<Bar>>()
    };
    let (series, origin): (&[&str], &str) = if design {
        (&["first order", "total"], "by Saltelli's design")
    } else {
        (&["first order"], "from differences of neighbouring runs")
    };
    let sure = found.coverage.words();
    let whiskers = format!("Whiskers: intervals that hold with {sure}95 %.");
    let all = [
        Bars {
            title: format!("Rank correlation with {name}"),
            sentence:
                "Whether more of an input goes with more of the result; effects that are the \
                       same to both sides of zero do not show. Whiskers: intervals that hold with \
                       at least 95 %."
                    .to_owned(),
            x: Axis::new("Spearman's rank correlation", ""),
            series: vec!["rank correlation".to_owned()],
            rows: rows(ranks),
        },
        Bars {
            title: format!("Share of the variance of {name}"),
            sentence: format!(
                "Sobol' indices {origin}: what an input explains alone, whatever the shape of its \
                 effect; the rest is joint effects. {whiskers}"
            ),
            x: Axis::new("share of the variance", ""),
            series: series.iter().map(|&name| name.to_owned()).collect(),
            rows: rows(shares),
        },
    ];
    all.into_iter()
        .filter(|bars| !bars.rows.is_empty())
        .collect()
}

/// Which inputs matter at all, from a radial design; none of another.
pub fn elementary(name: &str, found: &[ElementaryEffects], data: &Data<'_>) -> Bars {
    let bar = |(input, effects): (&Input, &ElementaryEffects)| {
        let magnitude = match effects.interval {
            Some(i) => Estimate::within(effects.mean_magnitude, i.low.max(0.0), i.high),
            None => Estimate::exact(effects.mean_magnitude),
        };
        let bar = Bar {
            name: input.axis.label.clone(),
            values: vec![magnitude, Estimate::exact(effects.std_dev)],
        };
        (effects.mean_magnitude, bar)
    };
    let mut rows: Vec<(f64, Bar)> = data.inputs.iter().zip(found).map(bar).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    Bars {
        title: format!("Elementary effects on {name}"),
        sentence: "How much the result changes over the whole range of an input, the others held: \
                   mean magnitude, and how much that differs from place to place. A spread that is \
                   large against the mean means a curved or a joint effect. Whiskers: intervals that \
                   hold with 95 %."
            .to_owned(),
        x: Axis::new("change over the range of the input", ""),
        series: vec!["mean magnitude".to_owned(), "spread".to_owned()],
        rows: rows.into_iter().map(|(_, bar)| bar).collect(),
    }
}

/// Share of the variance of an input alone, and what it can be: from the runs themselves where they tell
/// it, because a surrogate shares out what it does not explain among the inputs.
pub fn alone(index: &SurrogateIndex, direct: &InputSensitivity) -> (f64, Interval) {
    match direct.indices {
        Indices::GivenData(first) if first.index.interval.low.is_finite() => {
            let Interval { low, high } = first.index.interval;
            let estimate = first.index.estimate.clamp(0.0, 1.0);
            let limits = Interval {
                low: low.clamp(0.0, estimate),
                high: high.clamp(estimate, 1.0),
            };
            (estimate, limits)
        }
        _ => (index.first_order, index.first_order_limits),
    }
}

/// What an input does together with others, from a surrogate, and `direct`ly alone.
pub fn joint_effects(name: &str, found: &Surrogate, direct: &Sensitivity, data: &Data<'_>) -> Bars {
    let bar = |(input, (index, direct)): (&Input, (&SurrogateIndex, &InputSensitivity))| {
        let (first_order, limits) = alone(index, direct);
        let within =
            |share: f64, limits: Interval| Estimate::within(share, limits.low, limits.high);
        let bar = Bar {
            name: input.axis.label.clone(),
            values: vec![
                within(first_order, limits),
                within(index.total, index.total_limits),
            ],
        };
        (index.total, bar)
    };
    let pairs = found.inputs.iter().zip(&direct.inputs);
    let mut rows: Vec<(f64, Bar)> = data.inputs.iter().zip(pairs).map(bar).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    Bars {
        title: format!("Alone and with others: {name}"),
        sentence: format!(
            "With others: from {}, which predicts {} % of the variance of runs that it has not seen. What it \
             leaves open may belong to any input, and other runs would give another one: the whiskers say \
             what the shares can be. Alone: from the runs themselves.",
            match found.kind {
                SurrogateKind::Expansion(terms) =>
                    format!("a polynomial chaos expansion of {terms} terms"),
                SurrogateKind::Process | SurrogateKind::Classifier =>
                    format!("a Gaussian process fitted to {} runs", found.rows),
            },
            crate::batch::results::percent(found.predicted.max(0.0))
        ),
        x: Axis::new("share of the variance", ""),
        series: vec!["alone".to_owned(), "with others (total)".to_owned()],
        rows: rows.into_iter().map(|(_, bar)| bar).collect(),
    }
}

/// The surrogate of values, one per run, over the points of the runs; none where inputs are not
/// independent or the runs are too few.
pub fn expansion(values: &[f64], data: &Data<'_>) -> Option<Surrogate> {
    // Runs of these designs share coordinates: those left out for the cross-validation would have been seen.
    let shared = matches!(
        data.plan.study().sampling,
        Sampling::Saltelli | Sampling::Morris
    );
    if !data.plan.has_independent_inputs() || shared {
        return None;
    }
    let (u, y) = points(values, data);
    best_surrogate(&u, &y)
}

/// Points of the unit cube of runs with finite values, and these: all, or a fair sample of as many as
/// surrogates are made from.
pub fn points(values: &[f64], data: &Data<'_>) -> (Vec<Vec<f64>>, Vec<f64>) {
    // More rows make it slow, not better.
    const ROWS: usize = 3000;
    let finite: Vec<usize> = (0..values.len())
        .filter(|&i| values[i].is_finite())
        .collect();
    let share = ROWS as f64 / finite.len().max(1) as f64;
    let chosen =
        |&(place, _): &(usize, &usize)| (place as f64 * 0.618_033_988_749_894_9).fract() < share;
    let places: Vec<usize> = finite
        .iter()
        .enumerate()
        .filter(chosen)
        .map(|(_, &i)| i)
        .collect();
    let u: Vec<Vec<f64>> = places
        .iter()
        .map(|&i| data.plan.point(data.runs[i]))
        .collect();
    (u, places.iter().map(|&i| values[i]).collect())
}

/// The probability of capture as it was after fewer runs.
pub fn convergence(data: &Data<'_>) -> Option<Chart> {
    const POINTS: usize = 25;
    let count = data.runs.len();
    if count < 50 {
        return None;
    }
    let share = |k: usize| k as f64 / (POINTS - 1) as f64;
    // From 20 runs to all of them, at equal ratios.
    let places = (0..POINTS).map(|k| 20.0 * multibody::math::powf(count as f64 / 20.0, share(k)));
    let mut places: Vec<usize> = places.map(|n| (n.round() as usize).min(count)).collect();
    places.dedup();
    let found: Vec<_> = places
        .iter()
        .map(|&n| capture(data.plan, &data.runs[..n], &data.outcome[..n]))
        .collect();
    if found.iter().any(|p| p.trials == 0 || p.interval.is_none()) {
        return None;
    }
    let x: Vec<f64> = places.iter().map(|&n| n as f64).collect();
    let line = |name: &str, value: &dyn Fn(&Proportion) -> f64| {
        let y: Vec<f64> = found.iter().map(|p| 100.0 * value(p)).collect();
        Series::line(name, &x, &y)
    };
    let end = |p: &Proportion, high: bool| {
        p.interval
            .map_or(f64::NAN, |i| if high { i.high } else { i.low })
    };
    Some(Chart::over(
        "Convergence of the probability of capture",
        "The estimate after so many runs, each with its own 95 % interval.",
        Axis::new("runs", ""),
        Axis::new("captured", "%"),
        vec![
            line("captured", &|p| p.estimate),
            line("95 % interval, low", &|p| end(p, false)),
            line("95 % interval, high", &|p| end(p, true)),
        ],
    ))
}

fn estimate(index: &SobolIndex) -> Estimate {
    match index.interval.low.is_finite() {
        true => Estimate::within(index.estimate, index.interval.low, index.interval.high),
        false => Estimate::exact(index.estimate),
    }
}

/// The main figure against the inputs that drive it most.
pub fn relations(main: &Sensitivity, data: &Data<'_>) -> Result<Vec<Scatter>> {
    let strength = |input: &InputSensitivity| {
        let rank = input.spearman.map_or(0.0, |rank| rank.coefficient.powi(2));
        match input.indices {
            Indices::Saltelli { first_order, .. } => first_order.estimate.max(rank),
            Indices::GivenData(first) => first.index.estimate.max(rank),
            Indices::Unknown => rank,
        }
    };
    let mut ranked: Vec<(f64, &Input)> = main
        .inputs
        .iter()
        .filter_map(|input| Some((strength(input), data.input(&input.input)?)))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let places = some_places(data);
    let mut out = Vec::new();
    for (_, input) in ranked.iter().take(RELATIONS) {
        out.extend(scatter(input, data, &places)?);
    }
    Ok(out)
}

/// Places of the runs that are drawn one by one: all, or as many as a page can hold.
pub fn some_places(data: &Data<'_>) -> Vec<usize> {
    let count = data.runs.len();
    if count <= MOST_MARKS {
        return (0..count).collect();
    }
    // The fractional parts of multiples of the golden ratio go with no design.
    let golden = |i: usize| (i as f64 * 0.618_033_988_749_894_9).fract();
    let share = MOST_MARKS as f64 / count as f64;
    (0..count).filter(|&i| golden(i) < share).collect()
}

/// What is said of plots that do not show all runs.
pub fn chosen(data: &Data<'_>, places: &[usize]) -> String {
    match places.len() {
        shown if shown < data.runs.len() => format!(" Shown: {shown} of {} runs.", data.runs.len()),
        _ => String::new(),
    }
}

fn scatter(input: &Input, data: &Data<'_>, places: &[usize]) -> Result<Option<Scatter>> {
    let Some(values) = data.column(input)?.numbers() else {
        return Ok(None);
    };
    let group = |wanted: Outcome| {
        let own = places
            .iter()
            .copied()
            .filter(|&i| data.outcome[i] == Some(wanted));
        let labels: Vec<(usize, String)> = own.map(|i| (i, data.label(i))).collect();
        let points = labels.iter().map(|(i, label)| {
            let y = data.main.scaled(data.main_values[*i]);
            (values[*i], y, label.as_str(), data.report(*i))
        });
        Group::new(&wanted.to_string(), points)
    };
    let met = Outcome::ALL.into_iter().filter(|outcome| outcome.met());
    Ok(Some(Scatter {
        title: format!("{} against {}", data.main.title(), input.axis.label),
        sentence: format!(
            "A point per sound run that touched; those that were done again lead to their reports.{}",
            chosen(data, places)
        ),
        x: input.axis.clone(),
        y: data.main.axis(),
        groups: met.map(group).collect(),
        lines: Vec::new(),
    }))
}

/// An axis per result and input, a line per run. Results stand first, where the eye begins and where
/// they are seen without scrolling.
pub fn parallel(data: &Data<'_>) -> Result<Option<Parallel>> {
    if data.runs.is_empty() {
        return Ok(None);
    }
    let places = some_places(data);
    let at = |values: &[f64]| -> Vec<f64> { places.iter().map(|&i| values[i]).collect() };
    let main: Vec<f64> = data
        .main_values
        .iter()
        .map(|&y| data.main.scaled(y))
        .collect();
    let mut axes = vec![Dimension::result(data.main.axis(), at(&main))];
    if data.plan.figures().iter().any(|f| f.name == BESIDE.key) {
        let beside = Measure::of(BESIDE.key);
        axes.push(Dimension::result(
            beside.axis(),
            at(&scaled(data, &beside)?),
        ));
    }
    axes.push(Dimension::result(
        Axis::new("captured", ""),
        at(&data.captured()),
    ));
    for input in &data.inputs {
        if let Some(values) = data.column(input)?.numbers() {
            axes.push(Dimension::input(input.axis.clone(), at(&values)));
        }
    }
    let labels: Vec<String> = places.iter().map(|&i| data.label(i)).collect();
    let reports: Vec<Option<String>> = places
        .iter()
        .map(|&i| data.report(i).map(str::to_owned))
        .collect();
    let sentence = format!(
        "A line per run, coloured by its {}; runs that were done again lead to their reports.{}",
        data.main.label,
        chosen(data, &places)
    );
    Ok(Some(Parallel::new(
        "Inputs and results of all runs",
        &sentence,
        axes,
        0,
        &labels,
        &reports,
    )))
}
