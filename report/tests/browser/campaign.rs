//! An invented campaign of dockings: inputs spread evenly, results that follow from them.

use softdock_report::{
    Axis, Bar, Bars, BatchReport, Cell, Dimension, Estimate, Figure, Group, Histogram, Parallel,
    Scatter, SweepCurve, SweepPoint, SweepReport, Table,
};

/// A number between 0 and 1 that depends on both arguments alone (additive recurrence).
fn spread(run: usize, input: usize) -> f64 {
    let root = [
        0.754_877_67,
        0.569_840_29,
        0.819_172_51,
        0.671_043_6,
        0.549_700_5,
    ];
    (0.5 + run as f64 * root[input % 5] + input as f64 * 0.17).fract()
}

struct Input {
    label: &'static str,
    unit: &'static str,
    low: f64,
    high: f64,
    weight: f64,
}

const INPUTS: [Input; 7] = [
    Input {
        label: "closing speed",
        unit: "m/s",
        low: 0.05,
        high: 0.10,
        weight: 1.0,
    },
    Input {
        label: "pitch",
        unit: "°",
        low: -4.0,
        high: 4.0,
        weight: 0.35,
    },
    Input {
        label: "yaw",
        unit: "°",
        low: -4.0,
        high: 4.0,
        weight: 0.3,
    },
    Input {
        label: "roll",
        unit: "°",
        low: -4.0,
        high: 4.0,
        weight: 0.04,
    },
    Input {
        label: "lateral offset",
        unit: "m",
        low: 0.0,
        high: 0.1,
        weight: 0.55,
    },
    Input {
        label: "target mass",
        unit: "kg",
        low: 500.0,
        high: 1500.0,
        weight: 0.45,
    },
    Input {
        label: "friction coefficient",
        unit: "",
        low: 0.05,
        high: 0.3,
        weight: 0.12,
    },
];

/// The report of `count` runs.
pub fn report(count: usize) -> BatchReport {
    let input =
        |run: usize, k: usize| INPUTS[k].low + spread(run, k) * (INPUTS[k].high - INPUTS[k].low);
    let force = |run: usize| -> f64 {
        if run % 97 == 13 {
            return f64::NAN; // a failed run
        }
        let driven: f64 = (0..7).map(|k| INPUTS[k].weight * spread(run, k)).sum();
        22.0 + 14.0 * driven * driven
    };
    let captured = |run: usize| force(run) < 70.0;
    let runs: Vec<usize> = (0..count).collect();
    let forces: Vec<f64> = runs.iter().map(|&run| force(run)).collect();
    let labels: Vec<String> = runs.iter().map(|run| format!("run {run}")).collect();
    let links: Vec<Option<String>> = runs
        .iter()
        .map(|run| (force(*run) > 75.0).then(|| format!("runs/{run:05}/report.html")))
        .collect();
    let group = |name: &str, which: &dyn Fn(usize) -> bool| {
        let chosen = runs.iter().copied().filter(|&run| which(run));
        Group::new(
            name,
            chosen.map(|run| {
                (
                    input(run, 0),
                    force(run),
                    &*labels[run],
                    links[run].as_deref(),
                )
            }),
        )
    };
    let mut sorted: Vec<f64> = forces.iter().copied().filter(|f| f.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let quantile = |share: f64| sorted[(share * (sorted.len() - 1) as f64) as usize];
    let rate = runs.iter().filter(|&&run| captured(run)).count() as f64 / count as f64;
    let mut dimensions: Vec<Dimension> = (0..7)
        .map(|k| {
            let axis = Axis::new(INPUTS[k].label, INPUTS[k].unit);
            Dimension::input(axis, runs.iter().map(|&run| input(run, k)).collect())
        })
        .collect();
    dimensions.push(Dimension::result(
        Axis::new("settling time", "s"),
        runs.iter().map(|&run| 0.8 + spread(run, 3)).collect(),
    ));
    dimensions.push(Dimension::result(
        Axis::new("peak contact force", "N"),
        forces.clone(),
    ));
    BatchReport {
        title: "Docking campaign: IDSS envelope".to_owned(),
        lead: format!("{count} dockings, edges of the envelope sampled on purpose, seed 42."),
        warning: Some("2 of the runs failed; they are listed below.".to_owned()),
        figures: vec![
            Figure::number("probability of capture", 100.0 * rate, 3, "%")
                .keyed("capture_probability_rel", rate),
            Figure::text("95 % interval", "78.1 … 88.0", "%"),
            Figure::number("median peak force", quantile(0.5), 3, "N")
                .keyed("peak_contact_force_median_n", quantile(0.5)),
            Figure::number("95th percentile", quantile(0.95), 3, "N"),
            Figure::number("largest peak force", quantile(1.0), 3, "N"),
            Figure::text("runs", count.to_string(), "").keyed("runs", count),
        ],
        answers: Vec::new(),
        distributions: vec![
            Histogram::new(
                "Peak contact force",
                "How often each range of the peak force occurred.",
                Axis::new("peak contact force", "N"),
                "runs",
                &forces,
            )
            .line(quantile(0.5), "median")
            .line(quantile(0.95), "95th percentile"),
            Histogram::new(
                "Settling time",
                "How often each range of the settling time occurred.",
                Axis::new("settling time", "s"),
                "runs",
                &runs
                    .iter()
                    .map(|&run| 0.8 + spread(run, 3))
                    .collect::<Vec<_>>(),
            ),
        ],
        sensitivities: vec![
            Bars {
                title: "Peak force: rank correlation".to_owned(),
                sentence: "Spearman's coefficient with 95 % intervals; the sign says which way."
                    .to_owned(),
                x: Axis::new("rank correlation", ""),
                series: vec!["rank correlation".to_owned()],
                rows: INPUTS
                    .iter()
                    .map(|i| Bar {
                        name: i.label.to_owned(),
                        values: vec![Estimate::within(
                            i.weight - 0.2,
                            i.weight - 0.32,
                            i.weight - 0.08,
                        )],
                    })
                    .collect(),
            },
            Bars {
                title: "Peak force: Sobol' indices".to_owned(),
                sentence: "Share of the variance that each input explains alone and together with \
                           others, with 95 % intervals."
                    .to_owned(),
                x: Axis::new("share of variance", ""),
                series: vec!["first order".to_owned(), "total".to_owned()],
                rows: INPUTS
                    .iter()
                    .map(|i| {
                        let s = i.weight * i.weight / 2.0;
                        Bar {
                            name: i.label.to_owned(),
                            values: vec![
                                Estimate::within(s, (s - 0.05).max(0.0), s + 0.05),
                                Estimate::within(1.1 * s, 1.1 * s - 0.03, 1.1 * s + 0.06),
                            ],
                        }
                    })
                    .collect(),
            },
        ],
        curves: Vec::new(),
        relations: vec![Scatter {
            title: "Peak force against closing speed".to_owned(),
            sentence: "A point per run; a click opens the report of a run that was kept."
                .to_owned(),
            x: Axis::new("closing speed", "m/s"),
            y: Axis::new("peak contact force", "N"),
            groups: vec![
                group("captured", &|run| captured(run)),
                group("not captured", &|run| force(run) >= 70.0),
            ],
            lines: Vec::new(),
        }],
        parallel: Some(Parallel::new(
            "Inputs and results",
            "A line per run, coloured by its peak force; results in bold.",
            dimensions,
            8,
            &labels,
            &links,
        )),
        tables: vec![worst(&forces, &links)],
        config_text: "[study]\nruns = 200\nseed = 42\n".to_owned(),
    }
}

fn worst(forces: &[f64], links: &[Option<String>]) -> Table {
    let mut order: Vec<usize> = (0..forces.len())
        .filter(|&i| forces[i].is_finite())
        .collect();
    order.sort_by(|&a, &b| forces[b].total_cmp(&forces[a]));
    let row = |&run: &usize| {
        let name = format!("run {run}");
        let first = match &links[run] {
            Some(link) => Cell::link(name, link),
            None => Cell::text(name),
        };
        let mut cells = vec![first, Cell::number(forces[run], 4)];
        cells.extend((0..7).map(|k| {
            let Input { low, high, .. } = INPUTS[k];
            Cell::number(low + spread(run, k) * (high - low), 3)
        }));
        cells
    };
    let mut columns = vec!["run".to_owned(), "peak force [N]".to_owned()];
    columns.extend(INPUTS.iter().map(|i| match i.unit {
        "" => i.label.to_owned(),
        unit => format!("{} [{unit}]", i.label),
    }));
    Table {
        title: "Worst runs".to_owned(),
        sentence: "The ten runs with the largest peak force.".to_owned(),
        columns,
        rows: order.iter().take(10).map(row).collect(),
    }
}

/// A sweep with one failed run.
pub fn sweep() -> SweepReport {
    let value = |i: usize| 0.5 * i as f64;
    let force = |i: usize| match i {
        13 => f64::NAN,
        i => 38.0 + 1.1 * value(i) - 0.012 * value(i) * value(i),
    };
    let point = |i: usize| {
        let value = value(i);
        if i == 13 {
            return SweepPoint {
                value,
                failure: Some("the time step became too small at t = 0.61 s".to_owned()),
                ..SweepPoint::default()
            };
        }
        SweepPoint {
            value,
            figures: vec![
                Figure::text(
                    "outcome",
                    if value < 8.0 { "captured" } else { "bounced" },
                    "",
                ),
                Figure::number("peak contact force", force(i), 3, "N"),
                Figure::number("largest leg stroke", 4.0 + 0.6 * value, 3, "mm"),
            ],
            failure: None,
            link: Some(format!("pitch_{value}/report.html")),
        }
    };
    SweepReport {
        title: "Sweep over the pitch misalignment".to_owned(),
        lead: "21 dockings at 0.05 m/s.".to_owned(),
        warning: None,
        parameter: Axis::new("misalignment.pitch", "°"),
        points: (0..21).map(point).collect(),
        curves: vec![SweepCurve {
            title: "Peak contact force".to_owned(),
            sentence: "Largest force between end effector and target.".to_owned(),
            axis: Axis::new("peak contact force", "N"),
            values: (0..21).map(force).collect(),
            level: Some(softdock_report::Level {
                value: 45.5,
                label: "published, 45.5 N".to_owned(),
            }),
        }],
        config_text: "duration_s = 3.0\n".to_owned(),
    }
}
