//! The page of a boundary.

use super::contour::contour;
use super::{Found, LEVELS, names};
use crate::batch::report::axis_of_input;
use crate::batch::results::{CONFIDENCE, percent, percents};
use crate::summary::significant;
use softdock_report::{BatchReport, Figure, Group, Line, Scatter};
use softdock_study::statistics::Interval;

/// Places of the third input at which maps are drawn, in shares of its range.
const SLICES: [f64; 3] = [0.1, 0.5, 0.9];

/// The page: figures, and a map or three.
pub(super) fn report(found: &Found<'_>) -> BatchReport {
    let all = names(found).join(", ");
    let shares = |name: &str, shares: &softdock_study::boundary::Shares| {
        let known = Interval {
            low: shares.sure,
            high: shares.possible,
        };
        [
            Figure::text(name, percent(shares.expected), "%"),
            Figure::text("  sure … possible (95 %)", percents(known), "%"),
        ]
    };
    let mut figures = Vec::new();
    figures.extend(shares(
        "probability under the distributions",
        &found.of_inputs,
    ));
    figures.extend(shares("share of the box", &found.of_box));
    let runs = found.search.found().count();
    figures.push(Figure::text("runs", runs.to_string(), ""));
    let unknown = found.search.found().filter(|(_, e)| e.is_none()).count();
    figures.push(Figure::text("without a result", unknown.to_string(), ""));
    BatchReport {
        title: format!("Boundary: {}, {}", found.plan.study().name, found.event),
        lead: format!(
            "Where \"{}\" begins, over {all}; the other inputs at their medians. {runs} runs, most of \
             them placed where it was least known whether the event happens.",
            found.event
        ),
        figures,
        relations: maps(found),
        config_text: toml::to_string(found.plan.study()).unwrap_or_default(),
        ..BatchReport::default()
    }
}

fn maps(found: &Found<'_>) -> Vec<Scatter> {
    if found.area.places.len() == 2 {
        return vec![map(found, None)];
    }
    SLICES.iter().map(|&x| map(found, Some(x))).collect()
}

/// The map over the first two inputs, at a place of the third if there is one.
fn map(found: &Found<'_>, third: Option<f64>) -> Scatter {
    let columns = LEVELS[0];
    let place = |i: usize| i as f64 / (columns - 1) as f64;
    let mut values = Vec::with_capacity(columns * columns);
    for i in 0..columns * columns {
        let mut x = vec![place(i % columns), place(i / columns)];
        x.extend(third);
        values.push(found.map.probability(&x));
    }
    let tail = 0.5 * (1.0 - CONFIDENCE);
    let line = |name: &str, level: f64, dashed: bool| {
        let (x, y) = contour(&values, columns, level);
        Line {
            name: name.to_owned(),
            dashed,
            x: x.iter().map(|&x| found.area.value(0, x)).collect(),
            y: y.iter().map(|&y| found.area.value(1, y)).collect(),
        }
    };
    let keys = names(found);
    let at = third.map(|x| {
        let axis = axis_of_input(keys[2]);
        let value = significant(found.area.value(2, x), 3);
        format!(" at {} {value} {}", axis.label, axis.unit)
    });
    // Runs within a fifth of the range of a slice belong to it.
    let near = |x: &[f64]| third.is_none_or(|slice| (x[2] - slice).abs() < 0.2);
    let group = |name: &str, wanted: Option<bool>| {
        let own = found.search.found().enumerate();
        let own = own.filter(|(_, (x, event))| *event == wanted && near(x));
        let points: Vec<(f64, f64, String)> = own
            .map(|(run, (x, _))| {
                let label = format!("run {run}");
                (found.area.value(0, x[0]), found.area.value(1, x[1]), label)
            })
            .collect();
        Group::new(
            name,
            points.iter().map(|(x, y, l)| (*x, *y, l.as_str(), None)),
        )
    };
    Scatter {
        title: format!("{}{}", found.event, at.unwrap_or_default()),
        sentence: "Along the solid line the event is as likely as not; beyond the dashed ones it is sure \
                   or impossible with 97.5 %: the zone between them is how well the boundary is known."
            .to_owned(),
        x: axis_of_input(keys[0]),
        y: axis_of_input(keys[1]),
        groups: vec![
            group("with the event", Some(true)),
            group("without", Some(false)),
            group("without a result", None),
        ],
        lines: vec![
            line("boundary", 0.5, false),
            line("possible from here (2.5 %)", tail, true),
            line("sure from here (97.5 %)", 1.0 - tail, true),
        ],
    }
}
