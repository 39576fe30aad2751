//! The comparison of one quantity.

use crate::{Case, Demand, Failure, Quantity};
use serde::Serialize;

/// Verdict on a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Inside its tolerance.
    Ok,
    /// Outside its tolerance.
    Outside,
    /// Not computed.
    Failed,
}

/// How error and tolerance are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Relative to the reference.
    Relative,
    /// In the unit of the quantity.
    Absolute,
    /// The quantity itself is held against an upper bound.
    AtMost,
    /// The quantity itself is held against a lower bound.
    AtLeast,
}

/// One line of the validation table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// Name of the case.
    pub case: &'static str,
    /// Name of the quantity.
    pub quantity: &'static str,
    /// Unit of reference and ours; empty for pure numbers.
    pub unit: &'static str,
    /// Short citation.
    pub source: &'static str,
    /// Citation in full.
    pub citation: &'static str,
    /// Reference values; empty where a bound is demanded.
    pub reference: &'static [f64],
    /// Our values; empty if the computation failed.
    pub ours: Vec<f64>,
    /// Which component is worst, from 0.
    pub worst: usize,
    /// Its error (for a bound: its value); none if the computation failed.
    pub error: Option<f64>,
    /// The largest error allowed (for a bound: the bound).
    pub allowed: f64,
    /// How `error` and `allowed` are measured.
    pub measure: Measure,
    /// Why the tolerance is what it is.
    pub reason: &'static str,
    /// The verdict.
    pub status: Status,
    /// Why the computation failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Outcome {
    /// True when the quantity is inside its tolerance.
    pub fn holds(&self) -> bool {
        self.status == Status::Ok
    }

    pub(crate) fn compare(case: &Case, quantity: &Quantity, ours: &[f64]) -> Self {
        let mut out = Self::blank(case, quantity);
        let expected = out.reference.len().max(1);
        let complete = match out.measure {
            Measure::Relative | Measure::Absolute => ours.len() == expected,
            Measure::AtMost | Measure::AtLeast => !ours.is_empty(),
        };
        let Some((worst, error)) = worst_of(&out, ours) else {
            return out;
        };
        let inside = match out.measure {
            Measure::AtLeast => error >= out.allowed,
            _ => error <= out.allowed, // false for NaN
        };
        out.ours = ours.to_vec();
        out.worst = worst;
        out.error = Some(error);
        out.status = if complete && inside {
            Status::Ok
        } else {
            Status::Outside
        };
        out
    }

    pub(crate) fn failed(case: &Case, quantity: &Quantity, failure: &Failure) -> Self {
        Self {
            failure: Some(failure.to_string()),
            ..Self::blank(case, quantity)
        }
    }

    fn blank(case: &Case, quantity: &Quantity) -> Self {
        let (reference, allowed, measure): (&'static [f64], _, _) = match quantity.demand {
            Demand::Relative { reference, allowed } => (reference, allowed, Measure::Relative),
            Demand::Absolute { reference, allowed } => (reference, allowed, Measure::Absolute),
            Demand::AtMost(bound) => (&[], bound, Measure::AtMost),
            Demand::AtLeast(bound) => (&[], bound, Measure::AtLeast),
        };
        Self {
            case: case.name,
            quantity: quantity.name,
            unit: quantity.unit,
            source: case.source.short,
            citation: case.source.full,
            reference,
            ours: Vec::new(),
            worst: 0,
            error: None,
            allowed,
            measure,
            reason: quantity.reason,
            status: Status::Failed,
            failure: None,
        }
    }
}

/// Index and error of the worst component; one that is not a number is worst of all.
fn worst_of(outcome: &Outcome, ours: &[f64]) -> Option<(usize, f64)> {
    let reference = outcome.reference;
    let scale = reference.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let at = |i: usize| reference.get(i).copied().unwrap_or(f64::NAN);
    let error = |(i, &value): (usize, &f64)| match outcome.measure {
        Measure::Relative if at(i) == 0.0 => value.abs() / scale,
        Measure::Relative => (value / at(i) - 1.0).abs(),
        Measure::Absolute => (value - at(i)).abs(),
        Measure::AtMost | Measure::AtLeast => value,
    };
    let sign = if outcome.measure == Measure::AtLeast {
        -1.0
    } else {
        1.0
    };
    let badness = |error: f64| {
        if error.is_nan() {
            f64::INFINITY
        } else {
            sign * error
        }
    };
    ours.iter()
        .enumerate()
        .map(error)
        .enumerate()
        .max_by(|a, b| badness(a.1).total_cmp(&badness(b.1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    fn verdict(demand: Demand, ours: &[f64]) -> (Status, usize) {
        let case = Case {
            name: "case",
            source: Source {
                short: "",
                full: "",
            },
            quantities: &[],
            ours: || Ok(Vec::new()),
        };
        let quantity = Quantity {
            name: "",
            unit: "",
            demand,
            reason: "",
        };
        let outcome = Outcome::compare(&case, &quantity, ours);
        (outcome.status, outcome.worst)
    }

    #[test]
    fn the_worst_component_decides() {
        let relative = Demand::Relative {
            reference: &[1.0, 100.0, 0.0],
            allowed: 0.01,
        };
        assert_eq!(verdict(relative, &[1.0, 100.9, 0.0]), (Status::Ok, 1));
        assert_eq!(verdict(relative, &[1.02, 100.9, 0.0]), (Status::Outside, 0));
        assert_eq!(verdict(relative, &[1.0, 100.0, 1.1]), (Status::Outside, 2));
        assert_eq!(
            verdict(Demand::AtMost(1.0), &[0.5, 1.5]),
            (Status::Outside, 1)
        );
        assert_eq!(
            verdict(Demand::AtLeast(1.0), &[0.5, 1.5]),
            (Status::Outside, 0)
        );
        assert_eq!(verdict(Demand::AtLeast(0.5), &[0.5, 1.5]), (Status::Ok, 0));
    }

    #[test]
    fn what_is_missing_or_not_a_number_never_passes() {
        let absolute = Demand::Absolute {
            reference: &[1.0, 2.0],
            allowed: 0.1,
        };
        assert_eq!(verdict(absolute, &[1.0, f64::NAN]), (Status::Outside, 1));
        assert_eq!(verdict(absolute, &[1.0]), (Status::Outside, 0));
        assert_eq!(verdict(absolute, &[]), (Status::Failed, 0));
        assert_eq!(
            verdict(Demand::AtMost(1.0), &[f64::NAN]),
            (Status::Outside, 0)
        );
        assert_eq!(
            verdict(Demand::AtLeast(1.0), &[f64::NAN]),
            (Status::Outside, 0)
        );
    }
}
