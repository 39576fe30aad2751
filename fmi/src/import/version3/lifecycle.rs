//! Making, initialising, stepping; derivatives.

use super::super::instance::{FmuInstance, c_text, same_length};
use super::super::log::{LogBook, receive3};
use super::super::watch::{Call, calling, watched};
use super::super::{ImportError, Options};
use super::arrays::{Arrays, place};
use super::library::Functions3;
use crate::abi::{FMI2_DISCARD, fmi2Component};
use crate::abi3::{FMI3_FALSE, FMI3_TRUE, fmi3Boolean, fmi3Instance, fmi3InstanceEnvironment};
use softdock_xml::version3::Place;
use std::collections::BTreeMap;
use std::ptr::null;

/// What an experiment begins with; FMI 3.0 takes it at the start of initialisation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Experiment {
    pub start: f64,
    pub stop: Option<f64>,
    pub tolerance: Option<f64>,
}

/// How a step ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reached {
    /// At its end.
    End,
    /// Before it, because the FMU wants to end the simulation, at the time that it tells [s].
    WantsToEnd(Option<f64>),
    /// Before it, or not at all.
    Early(Option<f64>),
}

/// Makes an instance without event mode, early return and intermediate update.
pub fn instantiate(
    functions: &Functions3,
    name: &str,
    token: &str,
    resources: &str,
    book: &LogBook,
    options: &Options,
) -> Result<fmi2Component, ImportError> {
    let (name, token, resources) = (c_text(name)?, c_text(token)?, c_text(resources)?);
    let environment: fmi3InstanceEnvironment = std::ptr::from_ref(book).cast_mut().cast();
    let logging = fmi3Boolean::from(options.logging);
    // SAFETY: texts end with zeros; the book lives as long as the instance.
    Ok(calling("fmi3InstantiateCoSimulation", || unsafe {
        (functions.fmi3InstantiateCoSimulation)(
            name.as_ptr(),
            token.as_ptr(),
            resources.as_ptr(),
            FMI3_FALSE,
            logging,
            FMI3_FALSE,
            FMI3_FALSE,
            null(),
            0,
            environment,
            Some(receive3),
            None,
        )
    }))
}

impl FmuInstance {
    /// The places of flattened variables.
    pub(super) fn places(
        &self,
        functions: &Functions3,
        references: &[u32],
    ) -> Result<Vec<Place>, ImportError> {
        let model = &self.description().model_name;
        let all = references.iter();
        all.map(|&reference| place(&functions.places, reference, model))
            .collect()
    }

    pub(in super::super) fn enter_initialization3(
        &self,
        functions: &Functions3,
    ) -> Result<(), ImportError> {
        let Experiment {
            start,
            stop,
            tolerance,
        } = self.experiment;
        let given = |value: Option<f64>| fmi3Boolean::from(value.is_some());
        let name = "fmi3EnterInitializationMode";
        // SAFETY: the component is alive; there are no pointers.
        let status = calling(name, || unsafe {
            (functions.fmi3EnterInitializationMode)(
                self.component,
                given(tolerance),
                tolerance.unwrap_or(0.0),
                start,
                given(stop),
                stop.unwrap_or(0.0),
            )
        });
        self.check(name, status)
    }

    pub(in super::super) fn step3(
        &self,
        functions: &Functions3,
        (time, step): (f64, f64),
        no_going_back: bool,
    ) -> Result<Reached, ImportError> {
        let name = "fmi3DoStep";
        let (mut event, mut end, mut early) = (FMI3_FALSE, FMI3_FALSE, FMI3_FALSE);
        let mut reached = f64::NAN;
        let no_going_back = if no_going_back { FMI3_TRUE } else { FMI3_FALSE };
        let call = Call::Step {
            function: name,
            time,
            step,
        };
        // SAFETY: the component is alive; the places are there.
        let status = watched(call, || unsafe {
            (functions.fmi3DoStep)(
                self.component,
                time,
                step,
                no_going_back,
                &mut event,
                &mut end,
                &mut early,
                &mut reached,
            )
        });
        let told = Some(reached).filter(|time| time.is_finite());
        if status != FMI2_DISCARD {
            self.check(name, status)?;
        }
        // An FMU that was not told that it may return early must not.
        Ok(match (status, end != FMI3_FALSE, early != FMI3_FALSE) {
            (_, true, _) => Reached::WantsToEnd(told),
            (FMI2_DISCARD, ..) | (_, _, true) => Reached::Early(told),
            _ => Reached::End,
        })
    }

    pub(in super::super) fn directional_derivative3(
        &self,
        functions: &Functions3,
        unknowns: &[u32],
        (knowns, seed): (&[u32], &[f64]),
        out: &mut [f64],
    ) -> Result<(), ImportError> {
        let name = "fmi3GetDirectionalDerivative";
        same_length(name, knowns.len(), seed.len())?;
        same_length(name, unknowns.len(), out.len())?;
        let function = self.optional(name, functions.fmi3GetDirectionalDerivative)?;
        let gather = |references: &[u32]| -> Result<Arrays, ImportError> {
            let mut arrays = Arrays::default();
            let places = self.places(functions, references)?;
            places
                .iter()
                .enumerate()
                .for_each(|(i, place)| arrays.add(i, place));
            Ok(arrays)
        };
        let (unknowns, knowns) = (gather(unknowns)?, gather(knowns)?);
        // Elements that nobody named do not move.
        let mut direction = vec![0.0; knowns.values];
        for &(i, place) in &knowns.members {
            direction[place] += seed[i];
        }
        let mut changes = vec![0.0; unknowns.values];
        let component: fmi3Instance = self.component;
        // SAFETY: the arrays have the lengths given.
        let status = calling(name, || unsafe {
            function(
                component,
                unknowns.references.as_ptr(),
                unknowns.references.len(),
                knowns.references.as_ptr(),
                knowns.references.len(),
                direction.as_ptr(),
                direction.len(),
                changes.as_mut_ptr(),
                changes.len(),
            )
        });
        self.check(name, status)?;
        for &(i, place) in &unknowns.members {
            out[i] = changes[place];
        }
        Ok(())
    }

    pub(in super::super) fn output_derivatives3(
        &self,
        functions: &Functions3,
        references: &[u32],
        orders: &[i32],
        values: &mut [f64],
    ) -> Result<(), ImportError> {
        let name = "fmi3GetOutputDerivatives";
        same_length(name, references.len(), orders.len())?;
        same_length(name, references.len(), values.len())?;
        let function = self.optional(name, functions.fmi3GetOutputDerivatives)?;
        // An array has one order in a call.
        let mut by_order: BTreeMap<i32, Arrays> = BTreeMap::new();
        let places = self.places(functions, references)?;
        for (i, (place, &order)) in places.iter().zip(orders).enumerate() {
            by_order.entry(order).or_default().add(i, place);
        }
        for (order, arrays) in by_order {
            let orders = vec![order; arrays.references.len()];
            let mut found = vec![0.0; arrays.values];
            let component: fmi3Instance = self.component;
            // SAFETY: the arrays have the lengths given.
            let status = calling(name, || unsafe {
                function(
                    component,
                    arrays.references.as_ptr(),
                    arrays.references.len(),
                    orders.as_ptr(),
                    found.as_mut_ptr(),
                    found.len(),
                )
            });
            self.check(name, status)?;
            for (i, place) in arrays.members {
                values[i] = found[place];
            }
        }
        Ok(())
    }
}
