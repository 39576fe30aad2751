//! Reading and setting the variables of an instance.

use super::archive::Interface;
use super::instance::{c_text, same_length};
use super::watch::calling;
use super::{FmuInstance, ImportError};
use crate::abi::FMI2_FALSE;
use softdock_xml::{ScalarVariable, VariableType};
use std::ffi::CStr;

impl FmuInstance {
    /// Sets reals.
    pub fn set_real(&mut self, references: &[u32], values: &[f64]) -> Result<(), ImportError> {
        same_length("fmi2SetReal", references.len(), values.len())?;
        let functions = match self.interface() {
            Interface::Two(functions) => functions,
            Interface::Three(functions) => {
                self.set_real3(functions, references, values)?;
                self.note(references, values);
                return Ok(());
            }
        };
        let (list, count) = (references.as_ptr(), references.len());
        // SAFETY: both arrays have this length.
        let status = calling("fmi2SetReal", || unsafe {
            (functions.fmi2SetReal)(self.component, list, count, values.as_ptr())
        });
        self.check("fmi2SetReal", status)
    }

    /// Reads reals.
    pub fn get_real(&mut self, references: &[u32], values: &mut [f64]) -> Result<(), ImportError> {
        same_length("fmi2GetReal", references.len(), values.len())?;
        let functions = match self.interface() {
            Interface::Two(functions) => functions,
            Interface::Three(functions) => {
                return self.get_real3(functions, references, values);
            }
        };
        let (list, count) = (references.as_ptr(), references.len());
        // SAFETY: both arrays have this length.
        let status = calling("fmi2GetReal", || unsafe {
            (functions.fmi2GetReal)(self.component, list, count, values.as_mut_ptr())
        });
        self.check("fmi2GetReal", status)
    }

    /// Reads reals, and refuses NaN and infinite ones.
    pub fn get_finite_real(
        &mut self,
        references: &[u32],
        values: &mut [f64],
    ) -> Result<(), ImportError> {
        self.get_real(references, values)?;
        let Some(position) = values.iter().position(|value| !value.is_finite()) else {
            return Ok(());
        };
        let named = |variable: &&ScalarVariable| {
            variable.value_reference == references[position]
                && matches!(variable.variable_type, VariableType::Real(_))
        };
        let variable = self.description().model_variables.iter().find(named);
        Err(ImportError::NotFinite {
            instance: self.name.clone(),
            variable: variable.map_or_else(String::new, |variable| variable.name.clone()),
            value: values[position],
            time: self.time,
        })
    }

    /// Sets integers.
    pub fn set_integer(&mut self, references: &[u32], values: &[i32]) -> Result<(), ImportError> {
        same_length("fmi2SetInteger", references.len(), values.len())?;
        let functions = match self.interface() {
            Interface::Two(functions) => functions,
            Interface::Three(functions) => {
                self.set_integer3(functions, references, values)?;
                self.note(references, values);
                return Ok(());
            }
        };
        let (list, count) = (references.as_ptr(), references.len());
        // SAFETY: both arrays have this length.
        let status = calling("fmi2SetInteger", || unsafe {
            (functions.fmi2SetInteger)(self.component, list, count, values.as_ptr())
        });
        self.check("fmi2SetInteger", status)
    }

    /// Reads integers.
    pub fn get_integer(
        &mut self,
        references: &[u32],
        values: &mut [i32],
    ) -> Result<(), ImportError> {
        same_length("fmi2GetInteger", references.len(), values.len())?;
        let functions = match self.interface() {
            Interface::Two(functions) => functions,
            Interface::Three(functions) => {
                return self.get_integer3(functions, references, values);
            }
        };
        let (list, count) = (references.as_ptr(), references.len());
        // SAFETY: both arrays have this length.
        let status = calling("fmi2GetInteger", || unsafe {
            (functions.fmi2GetInteger)(self.component, list, count, values.as_mut_ptr())
        });
        self.check("fmi2GetInteger", status)
    }

    /// Sets truth values.
    pub fn set_boolean(&mut self, references: &[u32], values: &[bool]) -> Result<(), ImportError> {
        same_length("fmi2SetBoolean", references.len(), values.len())?;
        let functions = match self.interface() {
            Interface::Two(functions) => functions,
            Interface::Three(functions) => {
                self.set_boolean3(functions, references, values)?;
                self.note(references, values);
                return Ok(());
            }
        };
        let (list, count) = (references.as_ptr(), references.len());
        let values: Vec<i32> = values.iter().map(|&value| i32::from(value)).collect();
        // SAFETY: both arrays have this length.
        let status = calling("fmi2SetBoolean", || unsafe {
            (functions.fmi2SetBoolean)(self.component, list, count, values.as_ptr())
        });
        self.check("fmi2SetBoolean", status)
    }

    /// Reads truth values.
    pub fn get_boolean(
        &mut self,
        references: &[u32],
        values: &mut [bool],
    ) -> Result<(), ImportError> {
        same_length("fmi2GetBoolean", references.len(), values.len())?;
        let functions = match self.interface() {
            Interface::Two(functions) => functions,
            Interface::Three(functions) => {
                return self.get_boolean3(functions, references, values);
            }
        };
        let (list, count) = (references.as_ptr(), references.len());
        let mut numbers = vec![0_i32; count];
        // SAFETY: both arrays have this length.
        let status = calling("fmi2GetBoolean", || unsafe {
            (functions.fmi2GetBoolean)(self.component, list, count, numbers.as_mut_ptr())
        });
        self.check("fmi2GetBoolean", status)?;
        for (value, number) in values.iter_mut().zip(numbers) {
            *value = number != FMI2_FALSE;
        }
        Ok(())
    }

    /// Sets a text.
    pub fn set_string(&mut self, reference: u32, value: &str) -> Result<(), ImportError> {
        let functions = match self.interface() {
            Interface::Two(functions) => functions,
            Interface::Three(functions) => {
                self.set_string3(functions, reference, value)?;
                self.note_text(reference, value);
                return Ok(());
            }
        };
        let value = c_text(value)?;
        let values = [value.as_ptr()];
        // SAFETY: both arrays have one entry; the text ends with a zero.
        let status = calling("fmi2SetString", || unsafe {
            (functions.fmi2SetString)(self.component, &reference, 1, values.as_ptr())
        });
        self.check("fmi2SetString", status)
    }

    /// Reads a text.
    pub fn get_string(&mut self, reference: u32) -> Result<String, ImportError> {
        let functions = match self.interface() {
            Interface::Two(functions) => functions,
            Interface::Three(functions) => return self.get_string3(functions, reference),
        };
        let mut values = [std::ptr::null()];
        // SAFETY: both arrays have one entry.
        let status = calling("fmi2GetString", || unsafe {
            (functions.fmi2GetString)(self.component, &reference, 1, values.as_mut_ptr())
        });
        self.check("fmi2GetString", status)?;
        if values[0].is_null() {
            return Ok(String::new());
        }
        // SAFETY: not NULL, and the FMU keeps the text until the next call.
        let text = unsafe { CStr::from_ptr(values[0]) };
        Ok(text.to_string_lossy().into_owned())
    }

    /// Sets derivatives of inputs by time, for the next step.
    pub fn set_input_derivatives(
        &mut self,
        references: &[u32],
        orders: &[i32],
        values: &[f64],
    ) -> Result<(), ImportError> {
        let name = "fmi2SetRealInputDerivatives";
        same_length(name, references.len(), orders.len())?;
        same_length(name, references.len(), values.len())?;
        let Interface::Two(functions) = self.interface() else {
            return Err(ImportError::NotInVersion3 {
                instance: self.name.clone(),
                what: "derivatives of inputs, as a command that moves within a step needs",
            });
        };
        let function = self.optional(name, functions.fmi2SetRealInputDerivatives)?;
        let (list, count) = (references.as_ptr(), references.len());
        // SAFETY: all arrays have this length.
        let status = calling(name, || unsafe {
            function(
                self.component,
                list,
                count,
                orders.as_ptr(),
                values.as_ptr(),
            )
        });
        self.check(name, status)
    }

    /// Reads derivatives of outputs by time.
    pub fn get_output_derivatives(
        &mut self,
        references: &[u32],
        orders: &[i32],
        values: &mut [f64],
    ) -> Result<(), ImportError> {
        let name = "fmi2GetRealOutputDerivatives";
        same_length(name, references.len(), orders.len())?;
        same_length(name, references.len(), values.len())?;
        let functions = match self.interface() {
            Interface::Two(functions) => functions,
            Interface::Three(functions) => {
                return self.output_derivatives3(functions, references, orders, values);
            }
        };
        let function = self.optional(name, functions.fmi2GetRealOutputDerivatives)?;
        let (list, count) = (references.as_ptr(), references.len());
        let (orders, values) = (orders.as_ptr(), values.as_mut_ptr());
        // SAFETY: all arrays have this length.
        let status = calling(name, || unsafe {
            function(self.component, list, count, orders, values)
        });
        self.check(name, status)
    }
}
