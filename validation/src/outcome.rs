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
    /// Reference values; empty where a bound is demanded.
    pub reference: &'static [f64],
    /// Our values; empty if the computation failed.
    pub ours: Vec<f64>,
    /// The largest error (for a bound: our worst value); none if the computation failed.
    pub error: Option<f64>,
    /// The largest error allowed (for a bound: the bound).
    pub allowed: f64,
    /// How `error` and `allowed` are measured.
    pub measure: &'static str,
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
        let reference = references(&quantity.demand);
        let complete = !ours.is_empty() && (reference.is_empty() || reference.len() == ours.len());
        let error = error_of(&quantity.demand, ours);
        let inside = match quantity.demand {
            Demand::AtLeast(bound) => error >= bound,
            Demand::AtMost(bound) => error <= bound,
            Demand::Relative { allowed, .. } | Demand::Absolute { allowed, .. } => error <= allowed,
        };
        let status = if complete && inside { Status::Ok } else { Status::Outside };
        Self { ours: ours.to_vec(), error: Some(error), status, ..Self::blank(case, quantity) }
    }

    pub(crate) fn failed(case: &Case, quantity: &Quantity, failure: &Failure) -> Self {
        Self { failure: Some(failure.to_string()), ..Self::blank(case, quantity) }
    }

    fn blank(case: &Case, quantity: &Quantity) -> Self {
        let (allowed, measure) = match quantity.demand {
            Demand::Relative { allowed, .. } => (allowed, "relative"),
            Demand::Absolute { allowed, .. } => (allowed, "absolute"),
            Demand::AtMost(bound) => (bound, "at most"),
            Demand::AtLeast(bound) => (bound, "at least"),
        };
        Self {
            case: case.name,
            quantity: quantity.name,
            unit: quantity.unit,
            source: case.source.short,
            reference: references(&quantity.demand),
            ours: Vec::new(),
            error: None,
            allowed,
            measure,
            reason: quantity.reason,
            status: Status::Failed,
            failure: None,
        }
    }
}

fn references(demand: &Demand) -> &'static [f64] {
    match *demand {
        Demand::Relative { reference, .. } | Demand::Absolute { reference, .. } => reference,
        Demand::AtMost(_) | Demand::AtLeast(_) => &[],
    }
}

/// The number that is held against what is allowed; NaN when a component is not a number.
fn error_of(demand: &Demand, ours: &[f64]) -> f64 {
    if ours.iter().any(|x| x.is_nan()) {
        return f64::NAN;
    }
    let largest = |errors: &mut dyn Iterator<Item = f64>| errors.fold(0.0, f64::max);
    match *demand {
        Demand::Relative { reference, .. } => {
            let scale = reference.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
            let unit = |r: f64| if r == 0.0 { scale } else { r.abs() };
            largest(&mut ours.iter().zip(reference).map(|(o, &r)| (o - r).abs() / unit(r)))
        }
        Demand::Absolute { reference, .. } => {
            largest(&mut ours.iter().zip(reference).map(|(o, r)| (o - r).abs()))
        }
        Demand::AtMost(_) => ours.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        Demand::AtLeast(_) => ours.iter().copied().fold(f64::INFINITY, f64::min),
    }
}
