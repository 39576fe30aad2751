//! Reading and setting variables.
//!
//! FMI 3.0 sets arrays as a whole. Where only some elements are given, the others keep what they have:
//! what the FMU says, or, before initialisation, what was set and else the start values.

use super::super::ImportError;
use super::super::instance::{FmuInstance, same_length};
use super::super::watch::calling;
use super::arrays::Arrays;
use super::library::Functions3;
use crate::abi3::types::{Get, Set};
use softdock_xml::version3::{Kind3, Place};
use softdock_xml::{ScalarVariable, VariableType};
use std::collections::BTreeMap;

/// What has been set before initialisation, by value reference.
#[derive(Debug, Default)]
pub struct Known(BTreeMap<u32, Told>);

/// A value of any type.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) enum Told {
    Real(f64),
    Integer(i32),
    Boolean(bool),
    Text(String),
}

impl Told {
    fn start(variable: &ScalarVariable) -> Option<Self> {
        match &variable.variable_type {
            VariableType::Real(real) => real.start.map(Self::Real),
            VariableType::Integer(integer) => integer.start.map(Self::Integer),
            VariableType::Enumeration(choice) => choice.start.map(Self::Integer),
            VariableType::Boolean(boolean) => boolean.start.map(Self::Boolean),
            VariableType::String(text) => text.start.clone().map(Self::Text),
        }
    }
}

/// A number as callers have it.
pub(in super::super) trait Number: Copy {
    fn told(self) -> Told;
    fn of(told: &Told) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ty: $told:ident),+) => {$(
        impl Number for $number {
            fn told(self) -> Told {
                Told::$told(self)
            }
            fn of(told: &Told) -> Option<Self> {
                match told {
                    Told::$told(value) => Some(*value),
                    _ => None,
                }
            }
        }
    )+};
}

numbers!(f64: Real, i32: Integer, bool: Boolean);

/// A type of FMI 3.0 that carries numbers of the type `N`.
trait Carrier<N>: Copy + Default {
    /// The number, if `N` has it.
    fn number(self) -> Option<N>;
    /// The carrier, if it can hold the number.
    fn carrying(number: N) -> Option<Self>;
}

impl Carrier<f64> for f64 {
    fn number(self) -> Option<f64> {
        Some(self)
    }
    fn carrying(number: f64) -> Option<Self> {
        Some(number)
    }
}

impl Carrier<f64> for f32 {
    fn number(self) -> Option<f64> {
        Some(f64::from(self))
    }
    /// The nearest one; refused beyond the range.
    fn carrying(number: f64) -> Option<Self> {
        let near = number as f32;
        (near.is_finite() || !number.is_finite()).then_some(near)
    }
}

macro_rules! integers {
    ($($integer:ty),+) => {$(
        impl Carrier<i32> for $integer {
            fn number(self) -> Option<i32> {
                i32::try_from(self).ok()
            }
            fn carrying(number: i32) -> Option<Self> {
                Self::try_from(number).ok()
            }
        }
    )+};
}

integers!(i8, u8, i16, u16, i32, u32, i64, u64);

impl Carrier<bool> for u8 {
    fn number(self) -> Option<bool> {
        Some(self != 0)
    }
    fn carrying(number: bool) -> Option<Self> {
        Some(Self::from(number))
    }
}

/// Calls `$step` for every type that carries reals, integers or truth values.
macro_rules! each_kind {
    (real: $step:ident) => {
        $step!(Float64: fmi3GetFloat64, fmi3SetFloat64);
        $step!(Float32: fmi3GetFloat32, fmi3SetFloat32);
    };
    (integer: $step:ident) => {
        $step!(Int32: fmi3GetInt32, fmi3SetInt32);
        $step!(Enumeration: fmi3GetInt64, fmi3SetInt64);
        $step!(Int64: fmi3GetInt64, fmi3SetInt64);
        $step!(Int8: fmi3GetInt8, fmi3SetInt8);
        $step!(UInt8: fmi3GetUInt8, fmi3SetUInt8);
        $step!(Int16: fmi3GetInt16, fmi3SetInt16);
        $step!(UInt16: fmi3GetUInt16, fmi3SetUInt16);
        $step!(UInt32: fmi3GetUInt32, fmi3SetUInt32);
        $step!(UInt64: fmi3GetUInt64, fmi3SetUInt64);
    };
    (boolean: $step:ident) => {
        $step!(Boolean: fmi3GetBoolean, fmi3SetBoolean);
    };
}

/// Defines reading and setting of one type of callers.
macro_rules! access {
    ($group:ident, $number:ty, $get:ident, $set:ident) => {
        impl FmuInstance {
            pub(in super::super) fn $get(
                &self,
                functions: &Functions3,
                references: &[u32],
                out: &mut [$number],
            ) -> Result<(), ImportError> {
                same_length(stringify!($get), references.len(), out.len())?;
                let list = self.places(functions, references)?;
                let mut done = 0;
                macro_rules! step {
                    ($kind:ident: $getter:ident, $setter:ident) => {
                        let access = (stringify!($getter), functions.$getter);
                        done += self.read(access, &list, Kind3::$kind, out)?;
                    };
                }
                each_kind!($group: step);
                self.all_done(done, &list, stringify!($number))
            }

            pub(in super::super) fn $set(
                &self,
                functions: &Functions3,
                references: &[u32],
                values: &[$number],
            ) -> Result<(), ImportError> {
                same_length(stringify!($set), references.len(), values.len())?;
                let list = self.places(functions, references)?;
                self.refuse_structural(&list)?;
                let mut done = 0;
                macro_rules! step {
                    ($kind:ident: $getter:ident, $setter:ident) => {
                        let get = (stringify!($getter), functions.$getter);
                        let set = (stringify!($setter), functions.$setter);
                        let what = (&list[..], references, values);
                        done += self.write((get, set), Kind3::$kind, what)?;
                    };
                }
                each_kind!($group: step);
                self.all_done(done, &list, stringify!($number))
            }
        }
    };
}

access!(real, f64, get_real3, set_real3);
access!(integer, i32, get_integer3, set_integer3);
access!(boolean, bool, get_boolean3, set_boolean3);

/// A function of the library with its name; it may lack it.
type Named<F> = (&'static str, Option<F>);

impl FmuInstance {
    /// Reads the variables of one type among `list`; their number.
    fn read<T: Carrier<N>, N>(
        &self,
        get: Named<Get<T>>,
        list: &[Place],
        kind: Kind3,
        out: &mut [N],
    ) -> Result<usize, ImportError> {
        let arrays = Arrays::of_kind(list, kind);
        if arrays.members.is_empty() {
            return Ok(0);
        }
        let values = self.read_arrays(get, &arrays)?;
        for &(i, place) in &arrays.members {
            let number = values[place].number();
            out[i] = number.ok_or_else(|| self.out_of_range(&list[i]))?;
        }
        Ok(arrays.members.len())
    }

    fn read_arrays<T: Copy + Default>(
        &self,
        (name, get): Named<Get<T>>,
        arrays: &Arrays,
    ) -> Result<Vec<T>, ImportError> {
        let get = self.optional(name, get)?;
        let mut values = vec![T::default(); arrays.values];
        let (list, count) = (arrays.references.as_ptr(), arrays.references.len());
        // SAFETY: both arrays have the lengths given.
        let status = calling(name, || unsafe {
            get(
                self.component,
                list,
                count,
                values.as_mut_ptr(),
                values.len(),
            )
        });
        self.check(name, status)?;
        Ok(values)
    }

    /// Sets the variables of one type among a list of places, references and values; their number.
    fn write<T: Carrier<N>, N: Number>(
        &self,
        (get, (name, set)): (Named<Get<T>>, Named<Set<T>>),
        kind: Kind3,
        (list, references, values): (&[Place], &[u32], &[N]),
    ) -> Result<usize, ImportError> {
        let arrays = Arrays::of_kind(list, kind);
        if arrays.members.is_empty() {
            return Ok(0);
        }
        let set = self.optional(name, set)?;
        let mut all = match (arrays.has_gaps(), self.initialized) {
            (false, _) => vec![T::default(); arrays.values],
            (true, true) => self.read_arrays(get, &arrays)?,
            (true, false) => {
                let mut all = vec![T::default(); arrays.values];
                for &(i, place) in &arrays.members {
                    let element = list[i].element as usize;
                    let first = references[i] - list[i].element;
                    for (k, other) in (first..first + list[i].count).enumerate() {
                        let told = self.told_or_start(other);
                        let number = told.as_ref().and_then(N::of).and_then(T::carrying);
                        all[place - element + k] = number.unwrap_or_default();
                    }
                }
                all
            }
        };
        for &(i, place) in &arrays.members {
            let carrier = T::carrying(values[i]);
            all[place] = carrier.ok_or_else(|| self.out_of_range(&list[i]))?;
        }
        let (list, count) = (arrays.references.as_ptr(), arrays.references.len());
        // SAFETY: both arrays have the lengths given.
        let status = calling(name, || unsafe {
            set(self.component, list, count, all.as_ptr(), all.len())
        });
        self.check(name, status)?;
        Ok(arrays.members.len())
    }

    pub(super) fn told_or_start(&self, reference: u32) -> Option<Told> {
        let known = self.known.0.get(&reference).cloned();
        known.or_else(|| {
            let mut all = self.description().model_variables.iter();
            Told::start(all.find(|variable| variable.value_reference == reference)?)
        })
    }

    /// Refuses a list in which some variables have another type than the one asked for.
    pub(super) fn all_done(
        &self,
        done: usize,
        list: &[Place],
        wanted: &str,
    ) -> Result<(), ImportError> {
        if done == list.len() {
            return Ok(());
        }
        let wanted_kind = |kind: Kind3| match kind {
            Kind3::Float32 | Kind3::Float64 => wanted == "f64",
            Kind3::Boolean => wanted == "bool",
            Kind3::String | Kind3::Binary => wanted == "text",
            _ => wanted == "i32",
        };
        let other = list.iter().find(|place| !wanted_kind(place.kind));
        Err(ImportError::WrongType {
            instance: self.name.clone(),
            variable: other.map_or_else(String::new, |place| self.name_at(place)),
            kind: other.map_or("another type", |place| place.kind.name()),
        })
    }

    /// Sizes of arrays stay as the description has them.
    pub(super) fn refuse_structural(&self, list: &[Place]) -> Result<(), ImportError> {
        let structural = list.iter().find(|place| place.structural);
        structural.map_or(Ok(()), |place| {
            Err(ImportError::Structural {
                instance: self.name.clone(),
                variable: self.name_at(place),
            })
        })
    }

    pub(super) fn out_of_range(&self, place: &Place) -> ImportError {
        ImportError::OutOfRange {
            instance: self.name.clone(),
            variable: self.name_at(place),
            kind: place.kind.name(),
        }
    }

    /// The name of a flattened variable.
    pub(super) fn name_at(&self, place: &Place) -> String {
        let reference = self.places3().iter().position(|one| one == place);
        let mut all = self.description().model_variables.iter();
        let named = all.find(|one| reference.is_some_and(|at| one.value_reference as usize == at));
        named.map_or_else(String::new, |variable| variable.name.clone())
    }

    /// Remembers what was set before initialisation.
    pub(in super::super) fn note<N: Number>(&mut self, references: &[u32], values: &[N]) {
        if !self.initialized {
            let told = values.iter().map(|value| value.told());
            self.known.0.extend(references.iter().copied().zip(told));
        }
    }

    /// The same of a text.
    pub(in super::super) fn note_text(&mut self, reference: u32, value: &str) {
        if !self.initialized {
            self.known.0.insert(reference, Told::Text(value.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_a_type_does_not_have_are_refused() {
        assert_eq!(<i8 as Carrier<i32>>::carrying(128), None);
        assert_eq!(<u64 as Carrier<i32>>::carrying(-1), None);
        assert_eq!(Carrier::<i32>::number(1_i64 << 31), None);
        assert_eq!(Carrier::<i32>::number(u32::MAX), None);
        assert_eq!(<f32 as Carrier<f64>>::carrying(1e300), None);
        assert_eq!(<f32 as Carrier<f64>>::carrying(0.5), Some(0.5));
    }
}
