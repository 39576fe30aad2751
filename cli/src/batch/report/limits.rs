//! Limits on figures: the probability that each is kept, and that all are.
//!
//! They come from the requirements of the scenario, or from `--limit`.

use super::data::Data;
use super::measure::Measure;
use crate::batch::results::{CONFIDENCE, ends, percent, percents};
use anyhow::Result;
use serde_json::{Value as Json, json};
use softdock_docking::requirement::column_name;
use softdock_report::{Cell, Table, significant};
use softdock_study::Plan;
use softdock_study::statistics::{Proportion, proportion};
use std::str::FromStr;

/// A figure that must lie between two numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    name: String,
    key: String,
    /// Smallest value that is allowed; −∞ if there is none.
    min: f64,
    /// Largest value that is allowed; ∞ if there is none.
    max: f64,
}

impl FromStr for Limit {
    type Err = String;

    /// Reads `FIGURE<=NUMBER` or `FIGURE>=NUMBER`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text}: must be FIGURE<=NUMBER or FIGURE>=NUMBER");
        let at_most = text.split_once("<=");
        let (key, number) = at_most
            .or_else(|| text.split_once(">="))
            .ok_or_else(wrong)?;
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        if !number.is_finite() || key.trim().is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            name: text.to_owned(),
            key: key.trim().to_owned(),
            min: if at_most.is_some() {
                f64::NEG_INFINITY
            } else {
                number
            },
            max: if at_most.is_some() {
                number
            } else {
                f64::INFINITY
            },
        })
    }
}

/// A limit and how often it is kept.
pub struct Kept {
    /// The limit; none for all of them together.
    limit: Option<Limit>,
    probability: Proportion,
}

/// The requirements of the base scenario. The study has a column that says whether a run meets it, so
/// that what the requirement says is not judged a second time.
fn of_scenario(plan: &Plan) -> Vec<Limit> {
    let listed = plan.scenario().get("requirement");
    let listed = listed.and_then(toml::Value::as_array).into_iter().flatten();
    let names = listed.filter_map(|one| one.as_table()?.get("name")?.as_str());
    let limit = |name: &str| Limit {
        name: name.to_owned(),
        key: format!("requirement.{}.met", column_name(name)),
        min: 1.0,
        max: f64::INFINITY,
    };
    names.map(limit).collect()
}

/// How often every limit is kept, and all of them. A run that failed, is suspect or has no such figure
/// keeps or breaks a limit in a way that is not known.
pub fn kept(data: &Data<'_>, asked: &[Limit]) -> Result<Vec<Kept>> {
    let mut limits = of_scenario(data.plan);
    limits.extend(asked.iter().cloned());
    let mut out = Vec::new();
    // Broken if one is; kept if all are; unknown otherwise.
    let mut all: Vec<Option<bool>> = vec![Some(true); data.runs.len()];
    for limit in limits {
        Measure::named(data.plan, &limit.key)?;
        let values = data.counted(&limit.key)?;
        let holds =
            |value: &f64| (!value.is_nan()).then(|| (limit.min..=limit.max).contains(value));
        let rows: Vec<Option<bool>> = values.iter().map(holds).collect();
        for (all, row) in all.iter_mut().zip(&rows) {
            *all = match (*all, *row) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        out.push(Kept {
            limit: Some(limit),
            probability: proportion(&rows, &data.dependence, CONFIDENCE),
        });
    }
    if out.len() > 1 {
        out.push(Kept {
            limit: None,
            probability: proportion(&all, &data.dependence, CONFIDENCE),
        });
    }
    Ok(out)
}

impl Kept {
    fn name(&self) -> &str {
        self.limit
            .as_ref()
            .map_or("all of them", |limit| &limit.name)
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let found = &self.probability;
        json!({
            "name": self.name(),
            "figure": self.limit.as_ref().map(|limit| &limit.key),
            "min": self.limit.as_ref().map(|limit| limit.min).filter(|x| x.is_finite()),
            "max": self.limit.as_ref().map(|limit| limit.max).filter(|x| x.is_finite()),
            "probability": (found.trials > 0).then_some(found.estimate),
            "interval_95": found.interval.map(ends),
            "known_95": found.bounds.map(ends),
            "trials": found.trials,
            "unknown": found.unknown,
            "coverage": found.coverage.key(),
        })
    }

    /// For the terminal: name, share of the runs, interval, counts.
    pub fn line(&self) -> String {
        let found = &self.probability;
        let (name, counts) = (self.name(), format!("{} of {}", found.events, found.trials));
        match found.interval.filter(|_| found.trials > 0) {
            Some(interval) => format!(
                "kept: {name}  {} %  ({} with 95 %; {counts} runs)",
                percent(found.estimate),
                percents(interval)
            ),
            None if found.trials > 0 => {
                format!(
                    "kept: {name}  {} %  ({counts} runs)",
                    percent(found.estimate)
                )
            }
            None => format!("kept: {name}  not known of any run"),
        }
    }

    fn row(&self) -> Vec<Cell> {
        let found = &self.probability;
        let limit = self.limit.as_ref().map_or_else(String::new, |limit| {
            if limit.key.starts_with("requirement.") {
                return "met".to_owned();
            }
            match (limit.min.is_finite(), limit.max.is_finite()) {
                (true, true) => {
                    let (min, max) = (significant(limit.min, 4), significant(limit.max, 4));
                    format!("{min} … {max}")
                }
                (true, false) => format!("≥ {}", significant(limit.min, 4)),
                _ => format!("≤ {}", significant(limit.max, 4)),
            }
        });
        let interval = |interval: Option<_>| interval.map_or_else(|| "–".to_owned(), percents);
        vec![
            Cell::text(self.name()),
            Cell::text(limit),
            Cell::text(if found.trials > 0 {
                percent(found.estimate)
            } else {
                "–".to_owned()
            }),
            Cell::text(interval(found.interval)),
            Cell::text(interval(found.bounds.or(found.interval))),
            Cell::text(format!("{} of {}", found.events, found.trials)),
        ]
    }
}

/// The table of limits; none without any.
pub fn table(kept: &[Kept]) -> Option<Table> {
    let columns = [
        "requirement",
        "limit",
        "kept [%]",
        "95 % interval",
        "whatever became of unknown runs",
        "runs",
    ];
    (!kept.is_empty()).then(|| Table {
        title: "Requirements".to_owned(),
        sentence:
            "Probability that a limit is kept, of the runs of which that is known; the interval \
                   beside it takes failed, suspect and untouched runs either way."
                .to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: kept.iter().map(Kept::row).collect(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let limit: Limit = "peak_contact_force_n<=300".parse().unwrap();
        assert_eq!(
            (&*limit.key, limit.min, limit.max),
            ("peak_contact_force_n", f64::NEG_INFINITY, 300.0)
        );
        let limit: Limit = " y >= -1e3".parse().unwrap();
        assert_eq!(
            (&*limit.key, limit.min, limit.max),
            ("y", -1e3, f64::INFINITY)
        );
        for bad in ["", "y", "y<3", "y<=", "<=3", "y<=inf"] {
            assert!(bad.parse::<Limit>().is_err(), "{bad}");
        }
    }
}
