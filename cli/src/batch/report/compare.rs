//! `softdock batch compare`: what two studies say, side by side.

use super::data::Data;
use super::measure::Measure;
use super::{answers, open_table, pictures};
use crate::batch::results::{CONFIDENCE, Results, level, percent, percents, quantile_words};
use crate::failure::BadInput;
use crate::output;
use crate::summary::{Summary as Text, significant};
use anyhow::Result;
use serde_json::{Value as Json, json};
use softdock_docking::Outcome;
use softdock_report::{Axis, Block, Cell, Chart, Page, Series, Table};
use softdock_study::statistics::{Interval, exceedance};
use softdock_study::{Directory, Plan};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `softdock batch compare`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folders of two studies or more; they need not be finished
    #[arg(value_name = "DIR", num_args = 2.., required = true)]
    directories: Vec<PathBuf>,
    /// A figure to compare (`softdock figures` lists them); repeatable; without any the peak contact
    /// force
    #[arg(long = "figure", value_name = "FIGURE")]
    figures: Vec<String>,
    /// Folder for comparison.html
    #[arg(long, value_name = "DIR", default_value = "out/compare")]
    out: PathBuf,
    /// Prints JSON instead of the summary
    #[arg(long)]
    json: bool,
}

/// What is known of one of the studies.
struct Side {
    name: String,
    results: Results,
    /// Of each figure its curve, and a row for each of its quantiles: name, value, interval in words.
    figures: Vec<Shown>,
    settings: BTreeMap<String, String>,
}

struct Shown {
    measure: Measure,
    x: Vec<f64>,
    percent_above: Vec<f64>,
    rows: Vec<(String, f64, String)>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let page = arguments.out.join("comparison.html");
    output::probe(&page)?;
    let sides = arguments
        .directories
        .iter()
        .map(|path| {
            side(
                &Directory::open(path)?,
                path.display().to_string(),
                &arguments.figures,
            )
        })
        .collect::<Result<Vec<Side>>>()?;
    output::write_atomic(&page, html(&sides)?.as_bytes())?;
    if arguments.json {
        output::say_json(&json!({
            "studies": sides.iter().map(Side::json).collect::<Vec<Json>>(),
            "capture_difference": difference(&sides).map(|(d, i)| json!({
                "estimate": d, "low": i.low, "high": i.high,
            })),
            "report": page,
        }))?;
    } else {
        let mut text = Text::new("Studies compared");
        for side in &sides {
            text.text(&side.name, side.capture_words(), "captured");
        }
        if let Some((estimate, interval)) = difference(&sides) {
            let unit = format!("% points ({})", percents(interval));
            text.text("difference, second less first", percent(estimate), &unit);
        }
        for (i, shown) in sides[0].figures.iter().enumerate() {
            for (k, (name, ..)) in shown.rows.iter().enumerate() {
                let values = sides.iter().filter_map(|side| side.figures[i].rows.get(k));
                let values: Vec<String> = values.map(|row| significant(row.1, 4)).collect();
                text.text(name, values.join("  "), &shown.measure.unit);
            }
        }
        text.note(format!("report: {}", page.display()));
        output::tell(&text.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a study.
fn side(directory: &Directory, name: String, asked: &[String]) -> Result<Side> {
    let plan = directory.plan();
    let (table, passing) = open_table(directory)?;
    let read = || -> Result<Side> {
        let named = asked.iter().map(|key| Measure::named(plan, key));
        let mut named = named.collect::<Result<Vec<Measure>, _>>()?;
        let data = Data::read(directory, &table, named.first().cloned())?;
        if named.is_empty() {
            named.push(data.main.clone());
        }
        let figures = named.iter().map(|measure| shown(&data, measure));
        Ok(Side {
            name,
            results: Results::read(core::slice::from_ref(directory))?,
            figures: figures.collect::<Result<_>>()?,
            settings: settings(plan)?,
        })
    };
    let out = read();
    drop(table);
    if let Some(passing) = passing {
        std::fs::remove_file(&passing).map_err(|cause| output::OutputError {
            path: passing,
            cause,
        })?;
    }
    let out = out?;
    match out.results.finished {
        0 => Err(BadInput::new(format!("{} has no finished run", out.name)).into()),
        _ => Ok(out),
    }
}

fn shown(data: &Data<'_>, measure: &Measure) -> Result<Shown> {
    let values = pictures::scaled(data, measure)?;
    let curve = exceedance(&values, &data.dependence, CONFIDENCE);
    let curve: Vec<_> = curve.into_iter().filter(|p| p.value.is_finite()).collect();
    let found = answers::shown(data, measure)?;
    let rows = found.iter().flat_map(|found| {
        found.quantiles.iter().map(|quantile| {
            let name = format!("{}, {} % below", measure.label, level(quantile.probability));
            let words = quantile_words(quantile, found.count);
            let words = words.trim_matches(['(', ')']).to_owned();
            (name, quantile.value, words)
        })
    });
    Ok(Shown {
        measure: measure.clone(),
        x: curve.iter().map(|p| p.value).collect(),
        percent_above: curve.iter().map(|p| 100.0 * p.share).collect(),
        rows: rows.collect(),
    })
}

/// What the study is made of: the description and the base scenario, a line for each key.
fn settings(plan: &Plan) -> Result<BTreeMap<String, String>> {
    let mut out = BTreeMap::new();
    flatten("", &toml::Value::try_from(plan.study())?, &mut out);
    if plan.study().formula.is_empty() {
        flatten("", &toml::Value::try_from(plan.scenario())?, &mut out);
    }
    Ok(out)
}

fn flatten(prefix: &str, value: &toml::Value, out: &mut BTreeMap<String, String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let key = match prefix {
                    "" => key.clone(),
                    prefix => format!("{prefix}.{key}"),
                };
                flatten(&key, value, out);
            }
        }
        other => {
            out.insert(prefix.to_owned(), other.to_string());
        }
    }
}

/// The probability of capture of the second study less that of the first, with its interval from
/// those of both (Newcombe 1998, method 10; studies that share their points differ less).
fn difference(sides: &[Side]) -> Option<(f64, Interval)> {
    let [first, second] = sides else { return None };
    let known = |side: &Side| {
        Some((
            side.results.capture_probability()?,
            side.results.capture.interval?,
        ))
    };
    let ((p, a), (q, b)) = (known(first)?, known(second)?);
    let d = q - p;
    let reach = |own: f64, other: f64| (own * own + other * other).sqrt();
    Some((
        d,
        Interval {
            low: d - reach(q - b.low, a.high - p),
            high: d + reach(b.high - q, p - a.low),
        },
    ))
}

impl Side {
    fn capture_words(&self) -> String {
        let Some(share) = self.results.capture_probability() else {
            return "–".to_owned();
        };
        match self.results.capture.interval {
            Some(interval) => format!("{} % ({})", percent(share), percents(interval)),
            None => format!("{} %", percent(share)),
        }
    }

    fn json(&self) -> Json {
        json!({ "folder": self.name, "results": self.results.json() })
    }
}

fn html(sides: &[Side]) -> Result<String> {
    let mut blocks: Vec<Block> = vec![outcomes(sides).into()];
    for i in 0..sides[0].figures.len() {
        blocks.push(quantiles(sides, i).into());
        blocks.push(curves(sides, i).into());
    }
    blocks.extend(differing(sides).map(Block::from));
    let lead = match difference(sides) {
        Some((estimate, interval)) => format!(
            "{} captures {}, {} {}: {} percentage points of difference (95 % interval {}).",
            sides[1].name,
            sides[1].capture_words(),
            sides[0].name,
            sides[0].capture_words(),
            percent(estimate),
            percents(interval)
        ),
        None => "The results of studies, side by side.".to_owned(),
    };
    let page = Page {
        title: "Studies compared".to_owned(),
        lead,
        blocks,
        ..Page::default()
    };
    Ok(page.html()?)
}

fn columns(first: &str, sides: &[Side]) -> Vec<String> {
    let names = sides.iter().map(|side| side.name.clone());
    core::iter::once(first.to_owned()).chain(names).collect()
}

fn row(name: &str, sides: &[Side], text: impl Fn(&Side) -> String) -> Vec<Cell> {
    let cells = sides.iter().map(|side| Cell::text(text(side)));
    core::iter::once(Cell::text(name)).chain(cells).collect()
}

/// How the runs of the studies ended.
fn outcomes(sides: &[Side]) -> Table {
    let mut rows = vec![row("probability of capture", sides, Side::capture_words)];
    for outcome in Outcome::ALL {
        let count = |side: &Side| side.results.count(outcome).to_string();
        rows.push(row(&outcome.to_string(), sides, count));
    }
    rows.push(row("suspect", sides, |side| {
        side.results.suspect.to_string()
    }));
    rows.push(row("failed", sides, |side| side.results.failed.to_string()));
    Table {
        title: "Outcomes".to_owned(),
        sentence: "Probability of capture with its 95 % interval; runs by what became of them."
            .to_owned(),
        columns: columns("outcome", sides),
        rows,
    }
}

/// The quantiles of a figure.
fn quantiles(sides: &[Side], figure: usize) -> Table {
    let measure = &sides[0].figures[figure].measure;
    let most = sides
        .iter()
        .max_by_key(|side| side.figures[figure].rows.len());
    let names = most.map_or(&[][..], |side| &side.figures[figure].rows);
    let text = |k: usize| {
        move |side: &Side| match side.figures[figure].rows.get(k) {
            Some((_, value, known)) => {
                format!("{} {} ({known})", significant(*value, 4), measure.unit)
            }
            None => "–".to_owned(),
        }
    };
    let rows = names.iter().enumerate();
    Table {
        title: measure.title(),
        sentence: "Quantiles over the sound runs that met, with their 95 % intervals.".to_owned(),
        columns: columns("figure", sides),
        rows: rows
            .map(|(k, (name, ..))| row(name, sides, text(k)))
            .collect(),
    }
}

/// How often a value is exceeded, a curve for each study.
fn curves(sides: &[Side], figure: usize) -> Chart {
    let measure = &sides[0].figures[figure].measure;
    let line = |side: &Side| {
        let own = &side.figures[figure];
        Series::line(&side.name, &own.x, &own.percent_above)
    };
    Chart::over(
        &format!("How often {} is exceeded", measure.label),
        "Share of the sound runs that met whose value is larger.",
        measure.axis(),
        Axis::new("runs above", "%"),
        sides.iter().map(line).collect(),
    )
}

/// Settings that are not the same everywhere; nothing if all are.
fn differing(sides: &[Side]) -> Option<Table> {
    let mut keys: Vec<&String> = sides.iter().flat_map(|side| side.settings.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.retain(|key| {
        let first = sides[0].settings.get(*key);
        sides.iter().any(|side| side.settings.get(*key) != first)
    });
    let text = |key: &str| {
        let key = key.to_owned();
        move |side: &Side| {
            side.settings
                .get(&key)
                .cloned()
                .unwrap_or_else(|| "–".to_owned())
        }
    };
    (!keys.is_empty()).then(|| Table {
        title: "What differs".to_owned(),
        sentence: "Settings of the studies and of their base scenarios that are not the same."
            .to_owned(),
        columns: columns("setting", sides),
        rows: keys.iter().map(|key| row(key, sides, text(key))).collect(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_flattened_to_their_keys() {
        let value: toml::Value = toml::from_str("a = 1\n[b.c]\nd = [1, 2]").unwrap();
        let mut out = BTreeMap::new();
        flatten("", &value, &mut out);
        assert_eq!(out["a"], "1");
        assert_eq!(out["b.c.d"], "[1, 2]");
        assert_eq!(out.len(), 2);
    }
}
