//! The page of a motion: the mechanism moving, its outputs, their spectra, the ledger.

use super::simulate::{Record, Summary};
use softdock_mechanism::Description;
use softdock_mechanism::picture::{self, Look as Line};
use softdock_mechanism::simulate::Snapshot;
use softdock_mechanism::spectrum;
use softdock_report::{
    Animation, Axis, Block, Cell, Chart, Figure, Heading, Item, Look, Page, Paint, Points, Scene,
    Series, Strip, Table,
};

/// Frames of the animation at most.
const MOST_FRAMES: usize = 400;
/// Points of a curve at most.
const MOST_POINTS: usize = 2000;
/// Units by the endings of names.
const UNITS: [(&str, &str, &str); 12] = [
    ("_rad_per_s2", "rad/s²", "angular acceleration"),
    ("_m_per_s2", "m/s²", "acceleration"),
    ("_rad_per_s", "rad/s", "rate"),
    ("_m_per_s", "m/s", "velocity"),
    ("_nm", "N·m", "moment"),
    ("_rad", "rad", "angle"),
    ("_deg", "°", "angle"),
    ("_m", "m", "length"),
    ("_n", "N", "force"),
    ("_j", "J", "energy"),
    ("_hz", "Hz", "frequency"),
    ("_s", "s", "time"),
];

/// The page of a run.
pub fn page(
    description: &Description,
    summary: &Summary,
    record: &Record,
    snapshots: &[Snapshot],
) -> Page {
    let mut blocks = Vec::new();
    if !snapshots.is_empty() {
        blocks.push(motion(description, snapshots));
    }
    let groups = groups(description);
    for (unit, quantity, columns) in &groups {
        let series = columns.iter().map(|&column| {
            let name = &description.outputs[column].name;
            Series::thinned(name, &record.times, &record.column(column), MOST_POINTS)
        });
        let title = capital(quantity);
        let axis = Axis::new(quantity, unit);
        let chart = Chart::over_time(&title, "Outputs of the file.", axis, series.collect());
        blocks.push(chart.into());
    }
    // A prescribed motion takes no steps and keeps no account.
    if summary.steps > 0 {
        blocks.push(ledger(snapshots));
    }
    blocks.extend(spectra(description, record, &groups));
    Page {
        title: summary.title.clone(),
        lead: format!(
            "{} {} s in steps of {} s; {}",
            description.text.trim(),
            summary.duration_s,
            summary.step_s,
            description.source
        ),
        warning: (summary.soundness.key() != "sound")
            .then(|| format!("The result is {}.", summary.soundness.key())),
        figures: vec![
            Figure::text(
                "degrees of freedom",
                summary.degrees_of_freedom.to_string(),
                "",
            ),
            Figure::text("steps", summary.steps.to_string(), ""),
            Figure::number("energy missing", summary.energy_residual_rel, 2, ""),
            Figure::number("joint gap", summary.joint_gap, 2, ""),
        ],
        blocks,
        dense: false,
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Outputs of one unit: unit, quantity, columns.
fn groups(description: &Description) -> Vec<(&'static str, &'static str, Vec<usize>)> {
    let mut out: Vec<(&'static str, &'static str, Vec<usize>)> = Vec::new();
    for (column, part) in description.outputs.iter().enumerate() {
        let known = UNITS
            .iter()
            .find(|(ending, ..)| part.name.ends_with(ending));
        let (unit, quantity) =
            known.map_or(("", "value"), |(_, unit, quantity)| (*unit, *quantity));
        match out.iter_mut().find(|(_, known, _)| *known == quantity) {
            Some((.., columns)) => columns.push(column),
            None => out.push((unit, quantity, vec![column])),
        }
    }
    out
}

/// Every so many snapshots that no more than [`MOST_FRAMES`] are left.
fn thinned(snapshots: &[Snapshot]) -> Vec<&Snapshot> {
    let every = snapshots.len().div_ceil(MOST_FRAMES).max(1);
    snapshots.iter().step_by(every).collect()
}

fn motion(description: &Description, snapshots: &[Snapshot]) -> Block {
    let frames = thinned(snapshots);
    let times: Vec<f64> = frames.iter().map(|frame| frame.time).collect();
    let lines = picture::lines(description);
    let title = "Motion".to_owned();
    let sentence = "Drawn to scale: bodies as lines between their joints.".to_owned();
    if description.dimension == 3 {
        let strips = lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.spots.len() > 1);
        let strips = strips.map(|(number, line)| {
            let paint = match line.look {
                Line::Body => Paint::Link,
                Line::Beam => Paint::Leaf,
                _ => Paint::Cable,
            };
            let points: Vec<Vec<[f64; 3]>> = frames
                .iter()
                .map(|frame| frame.lines[number].clone())
                .collect();
            Strip::cable(&line.name, paint, &points)
        });
        return Scene {
            title,
            sentence,
            times,
            strips: strips.collect(),
            ..Scene::default()
        }
        .into();
    }
    let item = |(number, line): (usize, &picture::Line)| {
        let frames = frames.iter().map(|frame| {
            let points: Vec<[f64; 2]> = frame.lines[number].iter().map(|p| [p[0], p[1]]).collect();
            Points::new(&points)
        });
        let named = matches!(line.look, Line::Body | Line::Beam | Line::Spring);
        Item {
            name: if named {
                line.name.clone()
            } else {
                String::new()
            },
            look: match line.look {
                Line::Body => Look::Bar,
                Line::Beam => Look::Leaf,
                Line::Spring => Look::Cable,
                Line::Pivot => Look::Ground,
                Line::Joint => Look::Joint,
            },
            frames: frames.collect(),
        }
    };
    Animation {
        title,
        sentence,
        times,
        items: lines.iter().enumerate().map(item).collect(),
        readings: Vec::new(),
        loops: false,
    }
    .into()
}

fn ledger(snapshots: &[Snapshot]) -> Block {
    const NAMES: [&str; 7] = [
        "kinetic",
        "strain",
        "springs",
        "gravity",
        "work done",
        "dissipated",
        "missing",
    ];
    let times: Vec<f64> = snapshots.iter().map(|frame| frame.time).collect();
    let series = NAMES.iter().enumerate().map(|(i, name)| {
        let values: Vec<f64> = snapshots.iter().map(|frame| frame.energies[i]).collect();
        Series::thinned(name, &times, &values, MOST_POINTS)
    });
    Chart::over_time(
        "Energy ledger",
        "Energies stored, work done by drivers and motors, energy dissipated, and what the account misses.",
        Axis::new("energy", "J"),
        series.collect(),
    )
    .into()
}

/// Spectra of all outputs and a table of their peaks.
fn spectra(
    description: &Description,
    record: &Record,
    groups: &[(&'static str, &'static str, Vec<usize>)],
) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut rows = Vec::new();
    for (unit, quantity, columns) in groups {
        let mut series = Vec::new();
        for &column in columns {
            let name = &description.outputs[column].name;
            let Some(found) = spectrum::spectrum(&record.times, &record.column(column)) else {
                continue;
            };
            for peak in found.peaks(3, 0.05) {
                rows.push(vec![
                    Cell::text(name.clone()),
                    Cell::number(peak.frequency_hz, 5),
                    Cell::number(peak.amplitude, 4),
                ]);
            }
            let (x, y) = (&found.frequencies, &found.amplitudes);
            series.push(Series::thinned(name, x, y, MOST_POINTS));
        }
        if !series.is_empty() {
            let x = Axis::new("frequency", "Hz");
            let title = format!("Spectrum of {quantity}");
            let sentence = "Amplitudes, with Hann's window, less the straight line.";
            let y = Axis::new("amplitude", unit);
            blocks.push(Chart::over(&title, sentence, x, y, series).into());
        }
    }
    if blocks.is_empty() {
        return blocks;
    }
    let heading = Heading {
        title: "Spectra".to_owned(),
        ..Heading::default()
    };
    let table = Table {
        title: "Peaks".to_owned(),
        sentence: "At most three per output, above a twentieth of its highest.".to_owned(),
        columns: ["output", "frequency [Hz]", "amplitude"]
            .map(str::to_owned)
            .to_vec(),
        rows,
    };
    blocks.insert(0, heading.into());
    blocks.push(table.into());
    blocks
}
