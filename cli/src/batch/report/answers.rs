//! What a study is asked first, a part of the page for each: what drives the figures, what drives capture,
//! where capture ends, how sure all of that is.

use super::boundary_map;
use super::data::Data;
use super::limits::{self, Kept};
use super::measure::Measure;
use super::pictures;
use crate::batch::results::{CONFIDENCE, PROBABILITIES, Results, level, percents, quantile_words};
use anyhow::Result;
use softdock_docking::{Outcome, Summary};
use softdock_report::{Answer, Block, Cell, Table, significant};
use softdock_study::statistics::{
    Coverage, Distribution, ElementaryEffects, Indices, Interval, Sensitivity, SobolIndex,
    Surrogate, distribution, screening_of, sensitivity_of,
};

/// Share of the variance from which on the total effects of a surrogate are put into words.
const TRUSTED: f64 = 0.5;

/// What drives one figure.
pub struct Driver {
    /// The figure in words.
    pub name: String,
    /// Whether it is about captures.
    is_capture: bool,
    /// Its values, one per run; NaN where a run does not count.
    pub values: Vec<f64>,
    /// Elementary effects, from a design that is made for them.
    pub effects: Option<Vec<ElementaryEffects>>,
    /// Rank correlations and shares of the variance.
    pub found: Sensitivity,
    /// What inputs do together.
    pub surrogate: Option<Surrogate>,
}

impl Driver {
    fn new(data: &Data<'_>, key: &str, name: &str, values: Vec<f64>) -> Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            is_capture: key == Summary::outcome.key,
            found: sensitivity_of(data.table, key, &values, CONFIDENCE)?,
            effects: screening_of(data.table, &values, CONFIDENCE)?,
            surrogate: pictures::expansion(&values, data),
            values,
        })
    }

    /// What drives the figures that the report is about, captures last.
    pub fn all(data: &Data<'_>, results: &Results, named: &[Measure]) -> Result<Vec<Self>> {
        let mut out = Vec::new();
        for measure in named {
            let values = data.counted(&measure.key)?;
            out.push(Self::new(data, &measure.key, &measure.label, values)?);
        }
        let captures = results.count(Outcome::Captured);
        if captures > 0 && captures < results.met() {
            let key = Summary::outcome.key;
            out.push(Self::new(data, key, "capture", data.captured())?);
        }
        Ok(out)
    }

    fn answer(&self, data: &Data<'_>) -> Answer {
        let mut blocks: Vec<Block> = Vec::new();
        let effects = self.effects.as_ref();
        let effects = effects.map(|found| pictures::elementary(&self.name, found, data));
        blocks.extend(effects.map(Into::into));
        let joint = self.surrogate.as_ref();
        let joint =
            joint.map(|found| pictures::joint_effects(&self.name, found, &self.found, data));
        blocks.extend(joint.map(Into::into));
        let shares = pictures::sensitivities(&self.name, &self.found, data);
        // Shares of the variance first: a rank correlation does not show effects to both sides.
        blocks.extend(shares.into_iter().rev().map(Into::into));
        Answer {
            title: format!("What drives {}", self.name),
            sentence: self.in_words(data),
            blocks,
        }
    }

    /// The strongest inputs in a sentence, from the best that is known of them.
    fn in_words(&self, data: &Data<'_>) -> String {
        if let Some(effects) = &self.effects {
            let effects = effects
                .iter()
                .map(|found| (found.mean_magnitude, String::new()));
            let said = strongest(data, effects, |value| significant(value, 3));
            return format!("Mean change over the range of an input: {said}.");
        }
        let share = |value: f64| format!("{} %", whole_percent(value));
        let alone = || {
            self.found.inputs.iter().map(|input| match input.indices {
                Indices::GivenData(first) => (first.index.estimate, known_share(&first.index)),
                _ => (0.0, String::new()),
            })
        };
        let saltelli = self
            .found
            .inputs
            .iter()
            .filter_map(|input| match input.indices {
                Indices::Saltelli { first_order, total } => {
                    let alone = format!("; {} % alone", whole_percent(first_order.estimate));
                    Some((total.estimate, known_share(&total) + &alone))
                }
                _ => None,
            });
        let saltelli: Vec<(f64, String)> = saltelli.collect();
        let with_others = "Share of the variance with all joint effects";
        if !saltelli.is_empty() {
            let said = strongest(data, saltelli.into_iter(), share);
            return format!("{with_others}: {said}.");
        }
        match &self.surrogate {
            Some(surrogate) if surrogate.predicted >= TRUSTED => {
                let pairs = surrogate.inputs.iter().zip(&self.found.inputs);
                let inputs = pairs.map(|(index, direct)| {
                    let limits = index.total_limits;
                    let alone = pictures::alone(index, direct).0;
                    let [low, high, alone] = [limits.low, limits.high, alone].map(whole_percent);
                    (index.total, format!("{low} … {high}; {alone} % alone"))
                });
                format!("{with_others}: {}.", strongest(data, inputs, share))
            }
            other => {
                let mut said = strongest(data, alone(), share);
                if said.is_empty() {
                    return said;
                }
                said = format!("Share of the variance that an input explains alone: {said}.");
                if let Some(surrogate) = other {
                    said += &format!(
                        " Of joint effects little is known: the surrogate predicts {} % of the \
                         variance of runs that it has not seen.",
                        whole_percent(surrogate.predicted)
                    );
                }
                said
            }
        }
    }
}

/// A share in whole percent, no less than none and no more than all.
fn whole_percent(share: f64) -> String {
    format!("{:.0}", 100.0 * share.clamp(0.0, 1.0))
}

/// The interval of an index in words; nothing without one.
fn known_share(index: &SobolIndex) -> String {
    let Interval { low, high } = index.interval;
    match low.is_finite() {
        true => format!("{} … {}", whole_percent(low), whole_percent(high)),
        false => String::new(),
    }
}

/// The three inputs with the largest values, each with what else is said of it.
fn strongest(
    data: &Data<'_>,
    inputs: impl Iterator<Item = (f64, String)>,
    shown: impl Fn(f64) -> String,
) -> String {
    let named = data.inputs.iter().zip(inputs);
    let mut ranked: Vec<(f64, String, &str)> = named
        .map(|(input, (value, more))| (value, more, &*input.axis.label))
        .filter(|(value, ..)| *value > 0.0)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let part = |(value, more, name): &(f64, String, &str)| {
        let value = shown(*value);
        match more.trim_start_matches("; ") {
            "" => format!("{name} {value}"),
            more => format!("{name} {value} ({more})"),
        }
    };
    ranked
        .iter()
        .take(3)
        .map(part)
        .collect::<Vec<_>>()
        .join(", ")
}

/// All parts, in the order in which they are asked for.
pub fn all(
    data: &Data<'_>,
    results: &Results,
    named: &[Measure],
    drivers: &[Driver],
    kept: &[Kept],
) -> Result<Vec<Answer>> {
    let mut out = Vec::new();
    for driver in drivers {
        out.push(driver.answer(data));
    }
    for driver in drivers.iter().filter(|driver| driver.is_capture) {
        out.extend(boundary_map::answer(driver, data)?);
    }
    out.push(how_sure(data, results, named, kept)?);
    Ok(out)
}

fn how_sure(
    data: &Data<'_>,
    results: &Results,
    named: &[Measure],
    kept: &[Kept],
) -> Result<Answer> {
    let mut blocks: Vec<Block> = vec![known(data, results, named)?.into()];
    blocks.extend(limits::table(kept).map(Into::into));
    blocks.extend(pictures::convergence(data).map(Into::into));
    let curves = pictures::exceedances(data, named)?;
    blocks.extend(curves.into_iter().map(Into::into));
    Ok(Answer {
        title: "How sure this is".to_owned(),
        sentence:
            "Chance alone: how far the figures of as many other runs of the same study would \
                   differ. What the model leaves out is not in it."
                .to_owned(),
        blocks,
    })
}

/// How often an interval holds, in words; nothing where there is none.
fn holds(coverage: Coverage, there: bool) -> Cell {
    Cell::text(match there {
        true => format!("{}95 %", coverage.words()),
        false => "–".to_owned(),
    })
}

/// Everything that the page names with an interval.
fn known(data: &Data<'_>, results: &Results, named: &[Measure]) -> Result<Table> {
    let mut rows = Vec::new();
    if let Some(share) = results.capture_probability() {
        let found = &results.capture;
        let interval = found.interval.map_or_else(|| "–".to_owned(), percents);
        rows.push(vec![
            Cell::text("probability of capture [%]"),
            Cell::number(100.0 * share, 3),
            Cell::text(interval),
            holds(found.coverage, found.interval.is_some()),
        ]);
        if let Some(bounds) = found.bounds {
            let label = format!(
                "  whatever became of the {} undecided runs [%]",
                results.undecided()
            );
            rows.push(vec![
                Cell::text(label),
                Cell::number(f64::NAN, 1),
                Cell::text(percents(bounds)),
                holds(found.coverage, found.interval.is_some()),
            ]);
        }
    }
    for measure in named {
        let found = shown(data, measure)?;
        rows.extend(found.iter().flat_map(|found| figure_rows(found, measure)));
    }
    Ok(Table {
        title: "Figures and their intervals".to_owned(),
        sentence: "An interval that holds with at least 95 % is wider than need be.".to_owned(),
        columns: ["figure", "estimate", "interval", "holds with"]
            .map(str::to_owned)
            .to_vec(),
        rows,
    })
}

/// The distribution of a figure in the unit in which it is shown.
pub fn shown(data: &Data<'_>, measure: &Measure) -> Result<Option<Distribution>> {
    let values = data.counted(&measure.key)?.into_iter();
    let values: Vec<f64> = values.map(|value| measure.scaled(value)).collect();
    let all = &data.dependence;
    Ok(distribution(&values, all, &PROBABILITIES, CONFIDENCE))
}

fn figure_rows(found: &Distribution, measure: &Measure) -> Vec<Vec<Cell>> {
    let name = |what: &str| {
        let unit = match &*measure.unit {
            "" => String::new(),
            unit => format!(" [{unit}]"),
        };
        Cell::text(format!("{}, {what}{unit}", measure.label))
    };
    let number = |value: f64| significant(value, 4);
    let mean = match found.mean_interval {
        Some(i) => format!("{} … {}", number(i.low), number(i.high)),
        None => "–".to_owned(),
    };
    let mut rows = vec![vec![
        name("mean"),
        Cell::number(found.mean, 4),
        Cell::text(mean),
        holds(found.coverage, found.mean_interval.is_some()),
    ]];
    for q in &found.quantiles {
        let words = quantile_words(q, found.count);
        let words = words.trim_matches(['(', ')']).to_owned();
        rows.push(vec![
            name(&format!("{} % below", level(q.probability))),
            Cell::number(q.value, 4),
            Cell::text(if words.is_empty() {
                "–"
            } else {
                words.as_str()
            }),
            holds(q.coverage, q.low.is_some() || q.high.is_some()),
        ]);
    }
    rows
}
