//! Which input drives a figure: everything that the sampling of a study allows to say.

use super::design::{Coverage, Dependence};
use super::given_data::{FirstOrder, given_data_first_order, given_data_first_order_of_groups};
use super::indices::{SobolIndex, sobol_indices};
use super::rank::{Spearman, spearman};
use super::screening::{ElementaryEffects, elementary_effects};
use crate::description::Sampling;
use crate::error::{Result, StudyError};
use crate::table::{Column, Table};

/// Indices of one input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Indices {
    /// From Saltelli's design: first order and total.
    Saltelli {
        /// Share of the variance the input explains alone.
        first_order: SobolIndex,
        /// Share of the variance that vanishes if all other inputs are known.
        total: SobolIndex,
    },
    /// First order, estimated from given data by bins.
    GivenData(FirstOrder),
    /// Nothing can be said: too few runs, or nothing varies.
    Unknown,
}

/// What one input does to a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct InputSensitivity {
    /// Key of the input.
    pub input: String,
    /// Rank correlation; none for texts and where nothing varies.
    pub spearman: Option<Spearman>,
    /// Sobol' indices.
    pub indices: Indices,
}

/// What the inputs do to a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// Name of the figure.
    pub figure: String,
    /// Inputs in the order of the study.
    pub inputs: Vec<InputSensitivity>,
    /// Rows with a finite value of the figure.
    pub rows: u64,
    /// Rows without.
    pub left_out: u64,
    /// How far the intervals of the indices can be trusted; those of rank correlations are conservative for
    /// every design.
    pub coverage: Coverage,
}

/// The sensitivity of a figure of numbers or truth values to every input of a study.
pub fn sensitivity(table: &Table, figure: &str, confidence: f64) -> Result<Sensitivity> {
    sensitivity_of(table, figure, &table.numbers(figure)?, confidence)
}

/// The same of values `y` of one's own making, one per row of the table; NaN where a row does not
/// count.
pub fn sensitivity_of(
    table: &Table,
    figure: &str,
    y: &[f64],
    confidence: f64,
) -> Result<Sensitivity> {
    let plan = table.plan();
    let finite = y.iter().filter(|y| y.is_finite()).count() as u64;
    let from_design = match plan.study().sampling {
        Sampling::Saltelli => saltelli(table, y, confidence)?,
        _ => None,
    };
    let runs: Vec<u64> = table
        .numbers("run")?
        .iter()
        .map(|run| *run as u64)
        .collect();
    let dependence = Dependence::of(plan, &runs);
    let mut inputs = Vec::with_capacity(plan.inputs().len());
    for (index, input) in plan.inputs().iter().enumerate() {
        let column = table.column(&input.name)?;
        let numbers = column.numbers();
        let given = || match (&numbers, &column) {
            (Some(x), _) => given_data_first_order(x, y, &dependence, confidence),
            (None, Column::Text(groups)) => {
                given_data_first_order_of_groups(groups, y, &dependence, confidence)
            }
            _ => None,
        };
        let indices = match &from_design {
            Some(pairs) => Indices::Saltelli {
                first_order: pairs[index].0,
                total: pairs[index].1,
            },
            // The rows of these designs depend on each other.
            None if matches!(plan.study().sampling, Sampling::Saltelli | Sampling::Morris) => {
                Indices::Unknown
            }
            None => given().map_or(Indices::Unknown, Indices::GivenData),
        };
        let spearman = numbers
            .as_ref()
            .and_then(|x| spearman(x, y, &dependence, confidence));
        inputs.push(InputSensitivity {
            input: input.name.clone(),
            spearman,
            indices,
        });
    }
    let left_out = y.len() as u64 - finite;
    Ok(Sensitivity {
        figure: figure.to_owned(),
        inputs,
        rows: finite,
        left_out,
        coverage: match (plan.study().sampling, dependence.coverage()) {
            // Differences of neighbours take rows for independent; designs that spread evenly do better.
            (Sampling::MonteCarlo | Sampling::Saltelli, Coverage::Nominal) => Coverage::Nominal,
            (_, Coverage::IfIndependent) => Coverage::IfIndependent,
            _ => Coverage::Conservative,
        },
    })
}

/// Elementary effects of every input on values `y`, one per row of the table; none of another design.
pub fn screening_of(
    table: &Table,
    y: &[f64],
    confidence: f64,
) -> Result<Option<Vec<ElementaryEffects>>> {
    let plan = table.plan();
    if plan.study().sampling != Sampling::Morris {
        return Ok(None);
    }
    let by_run = by_run(table, y)?;
    let point = |run| plan.point(run);
    Ok(Some(elementary_effects(
        &by_run,
        plan.inputs().len(),
        point,
        confidence,
    )))
}

/// The values in the order of the runs, NaN where one is missing.
fn by_run(table: &Table, y: &[f64]) -> Result<Vec<f64>> {
    let mut by_run = vec![f64::NAN; table.plan().runs() as usize];
    for (run, y) in table.numbers("run")?.iter().zip(y) {
        if let Some(place) = by_run.get_mut(*run as usize) {
            *place = *y;
        }
    }
    Ok(by_run)
}

/// First-order and total indices of every input; none where too few samples are complete.
fn saltelli(
    table: &Table,
    y: &[f64],
    confidence: f64,
) -> Result<Option<Vec<(SobolIndex, SobolIndex)>>> {
    let plan = table.plan();
    let scrambles = u64::from(plan.study().scrambles.unwrap_or(1));
    let by_run = by_run(table, y)?;
    match sobol_indices(&by_run, plan.inputs().len(), scrambles, confidence) {
        Ok(found) => Ok(Some(
            found.first_order.into_iter().zip(found.total).collect(),
        )),
        Err(StudyError::TooFew { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}
