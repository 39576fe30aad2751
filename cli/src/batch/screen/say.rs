//! What a screened study says.

use super::{Found, Gave};
use crate::batch::results::{ends, number, percent, percents};
use crate::summary::{Summary as Text, significant};
use serde_json::{Value as Json, json};
use softdock_report::{Axis, BatchReport, Cell, Figure, Group, Scatter, Table};
use softdock_study::Plan;
use softdock_study::statistics::TwoFidelity;
use std::path::Path;

/// For programs.
pub(super) fn machine(plan: &Plan, found: &Found) -> Json {
    let two = |two: &Option<TwoFidelity>| {
        two.map(|two| {
            json!({
                "estimate": number(two.estimate),
                "interval_95": ends(two.interval),
                "correlation": two.correlation,
                "worth_full_runs": two.worth * found.full_runs as f64,
            })
        })
    };
    let worst = |(run, cheap, full): &(u64, Gave, Gave)| {
        json!({
            "run": run,
            "screened": cheap.main.map(number),
            "full": full.main.map(number),
            "captured": full.captured,
        })
    };
    json!({
        "study": plan.study().name,
        "runs": found.runs,
        "full_runs": found.full_runs,
        "figure": found.main,
        "capture_probability": two(&found.capture),
        "capture_known_95": found.known.map(ends),
        "mean": two(&found.mean),
        "quantile_95": two(&found.high),
        "infinite_in_full": found.infinite,
        "without_result_in_full": found.without[0],
        "without_result_screened": found.without[1],
        "cost_share": found.cost_share,
        "cost_ratio": found.cost_ratio,
        "worst": found.worst.iter().map(worst).collect::<Vec<_>>(),
    })
}

/// For people.
pub(super) fn describe(plan: &Plan, found: &Found, page: &Path) -> String {
    let mut text = Text::new(format!("Study {}, screened", plan.study().name));
    let full = format!("{} of them in full as well", found.full_runs);
    text.text("runs", found.runs.to_string(), &full);
    let worth = |two: &TwoFidelity| {
        let runs = significant(two.worth * found.full_runs as f64, 3);
        format!("worth {runs} runs in full")
    };
    if let Some(two) = &found.capture {
        let unit = format!("%  ({}; {})", percents(two.interval), worth(two));
        text.text("probability of capture", percent(two.estimate), &unit);
    }
    if let Some(known) = found.known {
        let unit = "%  (whatever became of runs in full that failed, are suspect or undecided)";
        text.text("  what is known", percents(known), unit);
    }
    for (name, two) in [("mean", &found.mean), ("95 % quantile", &found.high)] {
        let Some(two) = two else { continue };
        let ends = [two.interval.low, two.interval.high].map(|x| significant(x, 4));
        let unit = format!("({} … {}; {})", ends[0], ends[1], worth(two));
        let name = format!("{}, {name}", found.main);
        text.text(&name, significant(two.estimate, 4), &unit);
    }
    let share = significant(100.0 * found.cost_share, 3);
    text.text("cost", share, "% of all runs in full, by their time");
    if found.infinite > 0 {
        text.note(format!(
            "{} is infinite in {} runs in full: it has no mean",
            found.main, found.infinite
        ));
    }
    if found.without != [0, 0] {
        text.note(format!(
            "without a result: {} runs in full (left out), {} screened ones",
            found.without[0], found.without[1]
        ));
    }
    let number = |x: Option<f64>| x.map_or_else(|| "–".to_owned(), |x| significant(x, 4));
    for (run, cheap, full) in &found.worst {
        text.note(format!(
            "run {run}: {} screened, {} in full",
            number(cheap.main),
            number(full.main)
        ));
    }
    text.note(format!("report  {}", page.display()));
    text.to_string()
}

/// The page.
pub(super) fn report(plan: &Plan, found: &Found) -> BatchReport {
    let row = |(run, cheap, full): &(u64, Gave, Gave)| {
        let number = |x: Option<f64>| Cell::number(x.unwrap_or(f64::NAN), 4);
        let captured = match full.captured {
            Some(true) => "yes",
            Some(false) => "no",
            None => "unknown",
        };
        vec![
            Cell::text(format!("run {run}")),
            number(cheap.main),
            number(full.main),
            Cell::text(captured),
        ]
    };
    BatchReport {
        title: format!("Study: {}, screened", plan.study().name),
        lead: format!(
            "{} runs by the cheap settings of [screen], the first {} of them and the worst in full as \
             well. The estimates are those of the full model: the cheap one only narrows them \
             (control variates).",
            found.runs, found.full_runs
        ),
        figures: headlines(found),
        relations: vec![relation(found)],
        tables: vec![Table {
            title: format!("Largest {} of the screened runs, confirmed", found.main),
            sentence: "What the worst of the screened runs give in full.".to_owned(),
            columns: ["run", "screened", "in full", "captured"]
                .map(str::to_owned)
                .to_vec(),
            rows: found.worst.iter().map(row).collect(),
        }],
        config_text: toml::to_string(plan.study()).unwrap_or_default(),
        ..BatchReport::default()
    }
}

fn headlines(found: &Found) -> Vec<Figure> {
    let mut out = Vec::new();
    if let Some(two) = &found.capture {
        let share = percent(two.estimate);
        out.push(Figure::text("probability of capture", share, "%"));
        out.push(Figure::text(
            "its 95 % interval",
            percents(two.interval),
            "%",
        ));
    }
    if let Some(known) = found.known {
        out.push(Figure::text(
            "whatever became of undecided runs",
            percents(known),
            "%",
        ));
    }
    for (name, two) in [("mean", &found.mean), ("95 % quantile", &found.high)] {
        let Some(two) = two else { continue };
        let ends = [two.interval.low, two.interval.high].map(|x| significant(x, 4));
        let title = format!("{name} of {}", found.main);
        out.push(Figure::text(&title, significant(two.estimate, 4), ""));
        let interval = format!("{} … {}", ends[0], ends[1]);
        out.push(Figure::text("  95 % interval", interval, ""));
    }
    let share = significant(100.0 * found.cost_share, 3);
    out.push(Figure::text("cost, of all runs in full", share, "%"));
    out
}

fn relation(found: &Found) -> Scatter {
    let pairs = || found.pairs.iter();
    let labels: Vec<String> = pairs().map(|(run, ..)| format!("run {run}")).collect();
    let points = pairs().zip(&labels).map(|((_, cheap, full), label)| {
        let value = |row: &Gave| row.main.unwrap_or(f64::NAN);
        (value(cheap), value(full), label.as_str(), None)
    });
    Scatter {
        title: format!("{} in full against screened", found.main),
        sentence: "The closer to one curve, the more a screened run is worth; it need not be the \
                   diagonal."
            .to_owned(),
        x: Axis::new("screened", ""),
        y: Axis::new("in full", ""),
        groups: vec![Group::new("runs made both ways", points)],
        lines: Vec::new(),
    }
}
