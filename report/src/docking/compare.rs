//! Several dockings side by side.

use super::charts::{curve, mega, milli, with_contacts};
use super::{ChartLimit, DockingRun, DockingSeries, draw_limits, listing, push_group};
use crate::block::Block;
use crate::chart::{Axis, Chart, Series};
use crate::figure::Figure;
use crate::table::{Cell, Table};
use std::collections::BTreeMap;

/// The blocks of a comparison.
pub(super) fn blocks(runs: &[DockingRun]) -> Vec<Block> {
    let mut blocks = Vec::new();
    blocks.extend(stories(runs));
    blocks.extend(figures(runs, "Figures", |run| &run.headlines));
    blocks.extend(differences(runs));
    push_group(
        &mut blocks,
        "Motion",
        "All pictures follow one clock and are seen from the same side.",
        scenes(runs),
    );
    push_group(&mut blocks, "Over time", "One curve per run.", charts(runs));
    let mut details: Vec<Block> = Vec::new();
    details.extend(figures(runs, "All figures", |run| &run.figures));
    details
        .extend(runs.iter().filter_map(|run| {
            listing(&format!("Configuration of {}", run.name), &run.config_text)
        }));
    push_group(
        &mut blocks,
        "Details",
        "Everything that was measured, and what was asked for.",
        details,
    );
    // A limit that several runs share is drawn once.
    let mut limits: Vec<ChartLimit> = Vec::new();
    for limit in runs.iter().flat_map(|run| &run.limits) {
        let known = |other: &ChartLimit| {
            other.chart == limit.chart && other.level.value == limit.level.value
        };
        if !limits.iter().any(known) {
            limits.push(limit.clone());
        }
    }
    draw_limits(&mut blocks, &limits);
    blocks
}

/// What happened in each run.
fn stories(runs: &[DockingRun]) -> Option<Block> {
    let told = runs.iter().filter(|run| !run.story.is_empty());
    let row = |run: &DockingRun| vec![Cell::text(&*run.name), Cell::text(&*run.story)];
    let rows: Vec<Vec<Cell>> = told.map(row).collect();
    (!rows.is_empty()).then(|| {
        Block::Table(Table {
            title: "What happened".to_owned(),
            sentence: "And why.".to_owned(),
            columns: vec!["run".to_owned(), "verdict".to_owned()],
            rows,
        })
    })
}

/// A figure per row, a run per column. Nothing for no runs.
fn figures(runs: &[DockingRun], title: &str, of: fn(&DockingRun) -> &[Figure]) -> Option<Block> {
    let mut order: Vec<(&str, &str)> = Vec::new();
    for figure in runs.iter().flat_map(of) {
        let key = figure.datum.as_ref().map_or("", |datum| &datum.key);
        if !order.iter().any(|(known, _)| *known == key) {
            order.push((key, &figure.label));
        }
    }
    let cell = |run: &DockingRun, key: &str| {
        let is_it = |f: &&Figure| f.datum.as_ref().is_some_and(|datum| datum.key == key);
        of(run).iter().find(is_it).map_or_else(
            || Cell::number(f64::NAN, 1),
            |figure| {
                let mut figure = figure.clone();
                if let Some(datum) = &mut figure.datum {
                    datum.key = format!("{}/{key}", run.name);
                }
                Cell::figure(&figure)
            },
        )
    };
    let rows: Vec<Vec<Cell>> = order
        .iter()
        .map(|(key, label)| {
            let cells = runs.iter().map(|run| cell(run, key));
            [Cell::text(*label)].into_iter().chain(cells).collect()
        })
        .collect();
    (!rows.is_empty()).then(|| {
        Block::Table(Table {
            title: title.to_owned(),
            sentence: "The same figure of every run in a row.".to_owned(),
            columns: columns(runs, "figure"),
            rows,
        })
    })
}

fn columns(runs: &[DockingRun], first: &str) -> Vec<String> {
    let names = runs.iter().map(|run| run.name.clone());
    [first.to_owned()].into_iter().chain(names).collect()
}

/// The settings that are not the same in all runs; nothing if there is none, or if a configuration
/// is not TOML.
fn differences(runs: &[DockingRun]) -> Option<Block> {
    let mut settings: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    for (index, run) in runs.iter().enumerate() {
        let table: toml::Table = run.config_text.parse().ok()?;
        let mut flat = Vec::new();
        flatten("", &toml::Value::Table(table), &mut flat);
        for (key, value) in flat {
            let row = settings
                .entry(key)
                .or_insert_with(|| vec![None; runs.len()]);
            row[index] = Some(value);
        }
    }
    settings.retain(|_, values| values.iter().any(|value| *value != values[0]));
    let rows: Vec<Vec<Cell>> = settings
        .into_iter()
        .map(|(key, values)| {
            let cells = values
                .into_iter()
                .map(|value| Cell::text(value.unwrap_or_else(|| "–".to_owned())));
            [Cell::text(key)].into_iter().chain(cells).collect()
        })
        .collect();
    (!rows.is_empty()).then(|| {
        Block::Table(Table {
            title: "What differs".to_owned(),
            sentence: "Settings that are not the same in all runs.".to_owned(),
            columns: columns(runs, "setting"),
            rows,
        })
    })
}

fn flatten(prefix: &str, value: &toml::Value, into: &mut Vec<(String, String)>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let key = if prefix.is_empty() {
                    key.clone()
                } else {
                    format!("{prefix}.{key}")
                };
                flatten(&key, value, into);
            }
        }
        toml::Value::String(text) => into.push((prefix.to_owned(), text.clone())),
        _ => into.push((prefix.to_owned(), value.to_string())),
    }
}

fn scenes(runs: &[DockingRun]) -> Vec<Block> {
    runs.iter()
        .filter_map(|run| {
            let mut scene = run.scene.clone()?;
            scene.title.clone_from(&run.name);
            Some(scene.into())
        })
        .collect()
}

/// How one quantity of a run becomes one curve.
type Curve = fn(&DockingSeries, &str) -> Series;

/// A chart with a curve per run; nothing if no run knows the quantity.
fn chart(runs: &[DockingRun], title: &str, sentence: &str, y: Axis, make: Curve) -> Option<Chart> {
    let curves: Vec<Series> = runs
        .iter()
        .map(|run| make(&run.series, &run.name))
        .filter(|curve| !curve.x.is_empty())
        .collect();
    (!curves.is_empty()).then(|| Chart::over_time(title, sentence, y, curves))
}

fn charts(runs: &[DockingRun]) -> Vec<Block> {
    let force = chart(
        runs,
        "Contact force",
        "Magnitude of the resultant force between end effector and target.",
        Axis::new("force", "N"),
        |s, name| curve(s, name, &s.contact_force_n),
    );
    let force = force.map(|chart| match runs {
        [run] => with_contacts(chart, &run.series),
        _ => chart,
    });
    let rest = [
        chart(
            runs,
            "Gap",
            "Smallest distance between the contact surfaces; negative where they press into each \
             other.",
            Axis::new("gap", "mm"),
            |s, name| milli(s, name, &s.gap_m),
        ),
        chart(
            runs,
            "Misalignment",
            "Pitch, yaw and roll together: the root of the sum of their squares.",
            Axis::new("angle", "°"),
            |s, name| curve(s, name, &length(&s.angle_error_deg)),
        ),
        chart(
            runs,
            "Lateral error",
            "Distance of the interfaces' centres across the docking axis.",
            Axis::new("distance", "mm"),
            |s, name| milli(s, name, &length(&s.position_error_m[..2])),
        ),
        chart(
            runs,
            "Largest leg force",
            "Largest magnitude of the legs' forces on the end effector.",
            Axis::new("force", "N"),
            |s, name| curve(s, name, &largest(&s.leg_force_n)),
        ),
        chart(
            runs,
            "Largest leg stroke",
            "Largest change of a leg's chord since the start, to either side.",
            Axis::new("stroke", "mm"),
            |s, name| milli(s, name, &largest(&s.leg_stroke_m)),
        ),
        chart(
            runs,
            "Highest tendon tension",
            "Tension of the tendon that is pulled most.",
            Axis::new("tension", "N"),
            |s, name| curve(s, name, &largest(&s.tendon_tension_n)),
        ),
        chart(
            runs,
            "Largest motor torque",
            "Largest magnitude of the motors' torques.",
            Axis::new("torque", "N·m"),
            |s, name| curve(s, name, &largest(&s.motor_torque_nm)),
        ),
        chart(
            runs,
            "Largest leaf stress",
            "Stress (von Mises) of the leaf that is stressed most.",
            Axis::new("stress", "MPa"),
            |s, name| mega(s, name, &largest(&s.leaf_stress_pa)),
        ),
        chart(
            runs,
            "Energy residual",
            "What the energy account misses: the error of the time integration.",
            Axis::new("residual", "J"),
            |s, name| curve(s, name, &s.energy_residual_j),
        ),
    ];
    [force]
        .into_iter()
        .chain(rest)
        .flatten()
        .map(Block::from)
        .collect()
}

/// Fold of the parts at each time; empty if there is no part or one is shorter than the first.
fn over_parts(parts: &[Vec<f64>], fold: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let count = parts.first().map_or(0, Vec::len);
    if parts.iter().any(|part| part.len() < count) {
        return Vec::new();
    }
    (0..count)
        .map(|i| parts.iter().fold(0.0, |sum, part| fold(sum, part[i])))
        .collect()
}

/// Root of the sum of squares at each time.
fn length(parts: &[Vec<f64>]) -> Vec<f64> {
    over_parts(parts, libm::hypot)
}

/// Largest magnitude at each time; not a number where one part is none.
pub(super) fn largest(parts: &[Vec<f64>]) -> Vec<f64> {
    over_parts(parts, |most, value| {
        if value.is_nan() || most.is_nan() {
            f64::NAN
        } else {
            most.max(value.abs())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_combined_and_gaps_kept() {
        let parts = [vec![3.0, -1.0, 0.0], vec![-4.0, 0.5, f64::NAN]];
        assert_eq!(length(&parts)[0], 5.0);
        assert_eq!(largest(&parts)[..2], [4.0, 1.0]);
        assert!(largest(&parts)[2].is_nan());
        assert!(largest(&[]).is_empty() && length(&[vec![1.0], vec![]]).is_empty());
    }

    #[test]
    fn settings_are_flattened() {
        let table: toml::Table = "a = 1\n[b]\nc = \"x\"\nd = [1, 2]\n"
            .parse()
            .unwrap_or_default();
        let mut flat = Vec::new();
        flatten("", &toml::Value::Table(table), &mut flat);
        let flat: Vec<String> = flat.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(flat, ["a=1", "b.c=x", "b.d=[1, 2]"]);
    }
}
