//! Reading and setting variables. Every number of a model is a `Float64`, an `Int32` or a
//! `Boolean`; the functions of other types refuse whatever is named.

use super::Named;
use crate::abi3::{
    FMI3_FALSE, FMI3_TRUE, fmi3Boolean, fmi3Clock, fmi3Float64, fmi3Instance, fmi3Int32,
    fmi3Status, fmi3String, fmi3ValueReference,
};
use crate::exports::{slice, slice_mut};
use crate::guard::guard;
use crate::instance::Instance;
use crate::lifecycle::Function3::{GetVariable, SetVariable};
use crate::refusal::Refusal;
use core::ffi::c_void;

const REFERENCES: &str = "the array of value references";
const VALUES: &str = "the array of values";

/// The references of all elements of these variables, `values` in number.
pub(super) fn elements(
    instance: &Instance,
    references: &[u32],
    values: usize,
) -> Result<Vec<u32>, Refusal> {
    let mut elements = Vec::with_capacity(values.min(1 << 16));
    for &reference in references {
        let length = instance.slave.span(reference)?;
        elements.extend((0..length).map(|element| reference + element));
    }
    if elements.len() == values {
        return Ok(elements);
    }
    Err(Refusal::WrongCount {
        given: values,
        needed: elements.len(),
    })
}

/// Reads reals; the one behind the last variable of the table is the time.
fn read_reals(instance: &mut Instance, references: &[u32], out: &mut [f64]) -> Result<(), Refusal> {
    let time = instance.slave.time_reference();
    if let ([reference], [out]) = (references, &mut *out)
        && *reference == time
    {
        *out = instance.slave.time();
        return Ok(());
    }
    let elements = elements(instance, references, out.len())?;
    for (element, out) in elements.iter().zip(out) {
        *out = if *element == time {
            instance.slave.time()
        } else {
            let mut value = [0.0];
            instance.slave.get_reals(&[*element], &mut value)?;
            value[0]
        };
    }
    Ok(())
}

/// Reads reals.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetFloat64(
    instance: fmi3Instance,
    references: *const fmi3ValueReference,
    count: usize,
    values: *mut fmi3Float64,
    value_count: usize,
) -> fmi3Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(instance, Named("fmi3GetFloat64", GetVariable), |instance| {
            let references = slice(references, count, REFERENCES)?;
            let values = slice_mut(values, value_count, VALUES)?;
            read_reals(instance, references, values)
        })
    }
}

/// Sets reals: all of them or none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetFloat64(
    instance: fmi3Instance,
    references: *const fmi3ValueReference,
    count: usize,
    values: *const fmi3Float64,
    value_count: usize,
) -> fmi3Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(instance, Named("fmi3SetFloat64", SetVariable), |instance| {
            let references = slice(references, count, REFERENCES)?;
            let values = slice(values, value_count, VALUES)?;
            let elements = elements(instance, references, value_count)?;
            let state = instance.state;
            instance.slave.set_reals(state, &elements, values)
        })
    }
}

/// Reads integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetInt32(
    instance: fmi3Instance,
    references: *const fmi3ValueReference,
    count: usize,
    values: *mut fmi3Int32,
    value_count: usize,
) -> fmi3Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(instance, Named("fmi3GetInt32", GetVariable), |instance| {
            let references = slice(references, count, REFERENCES)?;
            let values = slice_mut(values, value_count, VALUES)?;
            let elements = elements(instance, references, value_count)?;
            instance.slave.get_integers(&elements, values)
        })
    }
}

/// Sets integers: all of them or none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetInt32(
    instance: fmi3Instance,
    references: *const fmi3ValueReference,
    count: usize,
    values: *const fmi3Int32,
    value_count: usize,
) -> fmi3Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(instance, Named("fmi3SetInt32", SetVariable), |instance| {
            let references = slice(references, count, REFERENCES)?;
            let values = slice(values, value_count, VALUES)?;
            let elements = elements(instance, references, value_count)?;
            let state = instance.state;
            instance.slave.set_integers(state, &elements, values)
        })
    }
}

/// Reads truth values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetBoolean(
    instance: fmi3Instance,
    references: *const fmi3ValueReference,
    count: usize,
    values: *mut fmi3Boolean,
    value_count: usize,
) -> fmi3Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(instance, Named("fmi3GetBoolean", GetVariable), |instance| {
            let references = slice(references, count, REFERENCES)?;
            let values = slice_mut(values, value_count, VALUES)?;
            let elements = elements(instance, references, value_count)?;
            let mut read = vec![0; elements.len()];
            instance.slave.get_booleans(&elements, &mut read)?;
            for (value, read) in values.iter_mut().zip(read) {
                *value = if read == 0 { FMI3_FALSE } else { FMI3_TRUE };
            }
            Ok(())
        })
    }
}

/// Sets truth values: all of them or none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetBoolean(
    instance: fmi3Instance,
    references: *const fmi3ValueReference,
    count: usize,
    values: *const fmi3Boolean,
    value_count: usize,
) -> fmi3Status {
    // SAFETY: an instance and arrays of the caller.
    unsafe {
        guard(instance, Named("fmi3SetBoolean", SetVariable), |instance| {
            let references = slice(references, count, REFERENCES)?;
            let values = slice(values, value_count, VALUES)?;
            let elements = elements(instance, references, value_count)?;
            let values: Vec<i32> = values.iter().map(|&value| i32::from(value)).collect();
            let state = instance.state;
            instance.slave.set_booleans(state, &elements, &values)
        })
    }
}

/// Exports functions for a type that no variable has: whatever is named is refused.
macro_rules! foreign_type {
    ($($get:ident, $set:ident: $type:ty, $word:literal;)+) => {$(
        /// Refuses variables of a type that the models do not have.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(
            instance: fmi3Instance,
            references: *const fmi3ValueReference,
            count: usize,
            _values: *mut $type,
            _value_count: usize,
        ) -> fmi3Status {
            // SAFETY: an instance and an array of the caller.
            unsafe {
                guard(instance, Named(stringify!($get), GetVariable), |instance| {
                    let references = slice(references, count, REFERENCES)?;
                    instance.slave.refuse_type(references, $word)
                })
            }
        }

        /// Refuses variables of a type that the models do not have.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(
            instance: fmi3Instance,
            references: *const fmi3ValueReference,
            count: usize,
            _values: *const $type,
            _value_count: usize,
        ) -> fmi3Status {
            // SAFETY: an instance and an array of the caller.
            unsafe {
                guard(instance, Named(stringify!($set), SetVariable), |instance| {
                    let references = slice(references, count, REFERENCES)?;
                    instance.slave.refuse_type(references, $word)
                })
            }
        }
    )+};
}

foreign_type! {
    fmi3GetFloat32, fmi3SetFloat32: f32, "a Float32";
    fmi3GetInt8, fmi3SetInt8: i8, "an Int8";
    fmi3GetUInt8, fmi3SetUInt8: u8, "a UInt8";
    fmi3GetInt16, fmi3SetInt16: i16, "an Int16";
    fmi3GetUInt16, fmi3SetUInt16: u16, "a UInt16";
    fmi3GetUInt32, fmi3SetUInt32: u32, "a UInt32";
    fmi3GetInt64, fmi3SetInt64: i64, "an Int64";
    fmi3GetUInt64, fmi3SetUInt64: u64, "a UInt64";
    fmi3GetString, fmi3SetString: fmi3String, "a String";
}

/// Exports functions for a type that no variable has, with the sizes of the values beside them.
macro_rules! foreign_binary {
    ($($name:ident: $family:ident, $values:ty, $sizes:ty;)+) => {$(
        /// Refuses binary variables, of which there are none.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            instance: fmi3Instance,
            references: *const fmi3ValueReference,
            count: usize,
            _sizes: $sizes,
            _values: $values,
            _value_count: usize,
        ) -> fmi3Status {
            // SAFETY: an instance and an array of the caller.
            unsafe {
                guard(instance, Named(stringify!($name), $family), |instance| {
                    let references = slice(references, count, REFERENCES)?;
                    instance.slave.refuse_type(references, "a Binary")
                })
            }
        }
    )+};
}

foreign_binary! {
    fmi3GetBinary: GetVariable, *mut *const c_void, *mut usize;
    fmi3SetBinary: SetVariable, *const *const c_void, *const usize;
}

/// Refuses clocks, of which there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetClock(
    instance: fmi3Instance,
    references: *const fmi3ValueReference,
    count: usize,
    _values: *mut fmi3Clock,
) -> fmi3Status {
    // SAFETY: an instance and an array of the caller.
    unsafe {
        guard(instance, Named("fmi3GetClock", GetVariable), |instance| {
            let references = slice(references, count, REFERENCES)?;
            instance.slave.refuse_type(references, "a Clock")
        })
    }
}

/// Refuses clocks, of which there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetClock(
    instance: fmi3Instance,
    references: *const fmi3ValueReference,
    count: usize,
    _values: *const fmi3Clock,
) -> fmi3Status {
    // SAFETY: an instance and an array of the caller.
    unsafe {
        guard(instance, Named("fmi3SetClock", SetVariable), |instance| {
            let references = slice(references, count, REFERENCES)?;
            instance.slave.refuse_type(references, "a Clock")
        })
    }
}
