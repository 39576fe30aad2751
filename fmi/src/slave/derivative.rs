//! Derivatives: of inputs and outputs by time, of outputs by inputs.

use super::SlaveOf;
use super::access::{check_finite, variable};
use crate::model::{Failure, INPUT_ORDER, Model, Unit};
use crate::refusal::Refusal;
use crate::variables::Role;
use std::sync::Arc;

/// Length of the step whose derivatives are told before the first one, if a model has no default [s].
const TRIAL_STEP: f64 = 1e-3;

fn wrong_role<M: Model>(model: &M, reference: u32, wanted: &'static str) -> Refusal {
    match variable(model, reference) {
        Ok(variable) => Refusal::WrongRole {
            variable: variable.name.to_string(),
            reference,
            wanted,
        },
        Err(refusal) => refusal,
    }
}

/// The position of an input.
fn input<M: Model>(model: &M, reference: u32) -> Result<usize, Refusal> {
    match variable(model, reference)?.role {
        Role::Input { index, .. } => Ok(index),
        _ => Err(wrong_role(model, reference, "input")),
    }
}

/// The position of an output, and its group.
fn output<M: Model>(model: &M, reference: u32) -> Result<(usize, usize), Refusal> {
    match variable(model, reference)?.role {
        Role::Output { index, group } => Ok((index, group)),
        _ => Err(wrong_role(model, reference, "output")),
    }
}

fn bad_order<M: Model>(model: &M, reference: u32, order: i32, allowed: &'static str) -> Refusal {
    match variable(model, reference) {
        Ok(variable) => Refusal::BadOrder {
            variable: variable.name.to_string(),
            order,
            allowed,
        },
        Err(refusal) => refusal,
    }
}

impl<M: Model> SlaveOf<M> {
    pub(super) fn set_derivatives(
        &mut self,
        references: &[u32],
        orders: &[i32],
        values: &[f64],
    ) -> Result<(), Refusal> {
        let model = Arc::clone(&self.model);
        if !model.about().abilities.input_derivatives {
            return Err(Refusal::NotAble {
                what: "inputs that change within a step",
            });
        }
        for ((&reference, &order), &value) in references.iter().zip(orders).zip(values) {
            input(&*model, reference)?;
            if usize::try_from(order).is_ok_and(|order| (1..=INPUT_ORDER).contains(&order)) {
                check_finite(&variable(&*model, reference)?.name, value)?;
            } else {
                return Err(bad_order(&*model, reference, order, "1, 2 or 3"));
            }
        }
        for ((&reference, &order), &value) in references.iter().zip(orders).zip(values) {
            let (index, order) = (input(&*model, reference)?, order.unsigned_abs() as usize);
            // Before the start both are kept: the start does not depend on derivatives.
            self.inputs[index].set_derivative(order, value);
            if let Some(unit) = &mut self.unit {
                let mut input = unit.input(index);
                input.set_derivative(order, value);
                unit.set_input(index, input);
            }
        }
        Ok(())
    }

    pub(super) fn rates(
        &mut self,
        references: &[u32],
        orders: &[i32],
        out: &mut [f64],
    ) -> Result<(), Refusal> {
        let model = Arc::clone(&self.model);
        if !model.about().abilities.output_derivatives {
            return Err(Refusal::NotAble {
                what: "derivatives of outputs by time",
            });
        }
        let mut rates = vec![Vec::new(); self.groups.len()];
        for ((&reference, &order), out) in references.iter().zip(orders).zip(out) {
            let (index, group) = output(&*model, reference)?;
            if order != crate::description::OUTPUT_ORDER {
                return Err(bad_order(&*model, reference, order, "1"));
            }
            let range = self.groups[group].clone();
            let rates = &mut rates[group];
            if rates.is_empty() {
                rates.resize(range.len(), 0.0);
                let unit = self.unit()?;
                unit.rates(group, rates).map_err(Refusal::NoDerivative)?;
            }
            *out = rates[index - range.start];
        }
        Ok(())
    }

    pub(super) fn directional(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        out: &mut [f64],
    ) -> Result<(), Refusal> {
        let model = Arc::clone(&self.model);
        if !model.about().abilities.directional_derivatives {
            return Err(Refusal::NotAble {
                what: "directional derivatives",
            });
        }
        let inputs = knowns.iter().map(|&reference| input(&*model, reference));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let outputs = unknowns.iter().map(|&reference| output(&*model, reference));
        let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
        let step = model.about().experiment.step_size.unwrap_or(TRIAL_STEP);
        let unit = self.unit()?;
        let mut compute = |unit: &mut M::Unit| -> Result<(), Failure> {
            for ((output, _), out) in outputs.iter().zip(out.iter_mut()) {
                let mut sum = 0.0;
                for (input, seed) in inputs.iter().zip(seed) {
                    sum += unit.derivative(*output, *input)? * seed;
                }
                *out = sum;
            }
            Ok(())
        };
        if unit.time() > 0.0 {
            return compute(unit).map_err(Refusal::NoDerivative);
        }
        // Before the first step: those of a step of the default length, which is taken back.
        let start = unit.save();
        let computed = unit.advance_by(step).and_then(|_| compute(unit));
        unit.restore(&start);
        computed.map_err(Refusal::NoDerivative)
    }
}
