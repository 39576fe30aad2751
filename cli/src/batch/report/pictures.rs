//! Distributions, sensitivities, relations and all runs at once.

use super::data::{Data, Input};
use crate::batch::results::FORCE;
use crate::figures::{axis, title};
use anyhow::Result;
use softdock_docking::{Figure, Outcome, Summary};
use softdock_report::{Axis, Bar, Bars, Dimension, Estimate, Group, Histogram, Parallel, Scatter};
use softdock_study::statistics::{Indices, InputSensitivity, Sensitivity, SobolIndex, quantile};

/// Figures whose distributions are shown.
const FIGURES: [Figure; 7] = [
    FORCE,
    Summary::capture_time_s,
    Summary::max_leg_stroke_m,
    Summary::contact_impulse_n_s,
    Summary::peak_motor_torque_nm,
    Summary::settling_time_s,
    Summary::final_angle_deg,
];

/// Figures on the axes of all runs, the one that colours the lines first.
const RESULTS: [Figure; 2] = [FORCE, Summary::max_leg_stroke_m];

/// Inputs that the peak force is plotted against.
const RELATIONS: usize = 4;

/// How the results spread.
pub fn distributions(data: &Data<'_>) -> Result<Vec<Histogram>> {
    let mut out = Vec::new();
    for figure in &FIGURES {
        let values = scaled(data, figure)?;
        if !values.iter().any(|value| value.is_finite()) {
            continue;
        }
        let sentence = "Over the sound runs in which end effector and target met.";
        let mut histogram = Histogram::new(&title(figure), sentence, axis(figure), "runs", &values);
        for (probability, label) in [(0.5, "median"), (0.95, "95 %")] {
            if let Some(value) = quantile(&values, probability) {
                histogram = histogram.line(value, label);
            }
        }
        out.push(histogram);
    }
    Ok(out)
}

fn scaled(data: &Data<'_>, figure: &Figure) -> Result<Vec<f64>> {
    let values = data.counted(figure)?.into_iter();
    Ok(values.map(|value| figure.scaled(value)).collect())
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
            let interval = rank.interval;
            let value = Estimate::within(rank.coefficient, interval.low, interval.high);
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
        (&["first order"], "estimated from the runs in bins")
    };
    let all = [
        Bars {
            title: format!("Rank correlation with {name}"),
            sentence:
                "Whether more of an input goes with more of the result; effects that are the \
                       same to both sides of zero do not show. Whiskers: 95 % intervals."
                    .to_owned(),
            x: Axis::new("Spearman's rank correlation", ""),
            series: vec!["rank correlation".to_owned()],
            rows: rows(ranks),
        },
        Bars {
            title: format!("Share of the variance of {name}"),
            sentence: format!(
                "Sobol' indices {origin}: what an input explains alone, whatever the shape of its \
                 effect; the rest is joint effects. Whiskers: 95 % intervals."
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

fn estimate(index: &SobolIndex) -> Estimate {
    Estimate::within(index.estimate, index.interval.low, index.interval.high)
}

/// The peak force against the inputs that drive it most.
pub fn relations(force: &Sensitivity, data: &Data<'_>) -> Vec<Scatter> {
    let strength = |input: &InputSensitivity| {
        let rank = input.spearman.map_or(0.0, |rank| rank.coefficient.powi(2));
        match input.indices {
            Indices::Saltelli { first_order, .. } => first_order.estimate.max(rank),
            Indices::GivenData(first) => first.index.estimate.max(rank),
            Indices::Unknown => rank,
        }
    };
    let mut ranked: Vec<(f64, &Input)> = force
        .inputs
        .iter()
        .filter_map(|input| Some((strength(input), data.input(&input.input)?)))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked
        .iter()
        .take(RELATIONS)
        .filter_map(|(_, input)| scatter(input, data))
        .collect()
}

fn scatter(input: &Input, data: &Data<'_>) -> Option<Scatter> {
    let values = input.column.numbers()?;
    let group = |wanted: Outcome| {
        let points = (0..values.len())
            .filter(|&i| data.outcome[i] == Some(wanted))
            .map(|i| {
                let link = data.reports[i].as_deref();
                (values[i], data.force[i], data.labels[i].as_str(), link)
            });
        Group::new(&wanted.to_string(), points)
    };
    let met = Outcome::ALL.into_iter().filter(|outcome| outcome.met());
    Some(Scatter {
        title: format!("{} against {}", title(&FORCE), input.axis.label),
        sentence: "A point per sound run that touched; those that were done again lead to their \
                   reports."
            .to_owned(),
        x: input.axis.clone(),
        y: axis(&FORCE),
        groups: met.map(group).collect(),
    })
}

/// An axis per result and input, a line per run. Results stand first, where the eye begins and where
/// they are seen without scrolling.
pub fn parallel(data: &Data<'_>) -> Result<Option<Parallel>> {
    if data.runs.is_empty() {
        return Ok(None);
    }
    let mut axes = Vec::new();
    for figure in &RESULTS {
        axes.push(Dimension::result(axis(figure), scaled(data, figure)?));
    }
    let captured = Axis::new("captured", "");
    axes.push(Dimension::result(captured, data.captured()));
    for input in &data.inputs {
        if let Some(values) = input.column.numbers() {
            axes.push(Dimension::input(input.axis.clone(), values));
        }
    }
    let force = 0;
    Ok(Some(Parallel::new(
        "Inputs and results of all runs",
        "A line per run, coloured by its peak contact force; runs that were done again lead to their \
         reports.",
        axes,
        force,
        &data.labels,
        &data.reports,
    )))
}
