//! Which input drives a figure: everything that the sampling of a study allows to say.

use super::given_data::{FirstOrder, given_data_first_order, given_data_first_order_of_groups};
use super::indices::{SobolIndex, sobol_indices};
use super::rank::{Spearman, spearman};
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
    let seed = plan.study().seed;
    let mut inputs = Vec::with_capacity(plan.inputs().len());
    for (index, input) in plan.inputs().iter().enumerate() {
        let column = table.column(&input.name)?;
        let numbers = column.numbers();
        let given = || match (&numbers, &column) {
            (Some(x), _) => given_data_first_order(x, y, confidence, seed),
            (None, Column::Text(groups)) => {
                given_data_first_order_of_groups(groups, y, confidence, seed)
            }
            _ => None,
        };
        let indices = match &from_design {
            Some(pairs) => Indices::Saltelli {
                first_order: pairs[index].0,
                total: pairs[index].1,
            },
            None => given().map_or(Indices::Unknown, Indices::GivenData),
        };
        let spearman = numbers.as_ref().and_then(|x| spearman(x, y, confidence));
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
    })
}

/// First-order and total indices of every input; none where too few samples are complete.
fn saltelli(
    table: &Table,
    y: &[f64],
    confidence: f64,
) -> Result<Option<Vec<(SobolIndex, SobolIndex)>>> {
    let plan = table.plan();
    let runs = table.numbers("run")?;
    let mut by_run = vec![f64::NAN; plan.runs() as usize];
    for (run, y) in runs.iter().zip(y) {
        if let Some(place) = by_run.get_mut(*run as usize) {
            *place = *y;
        }
    }
    match sobol_indices(&by_run, plan.inputs().len(), confidence, plan.study().seed) {
        Ok(found) => Ok(Some(
            found.first_order.into_iter().zip(found.total).collect(),
        )),
        Err(StudyError::TooFew { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}
