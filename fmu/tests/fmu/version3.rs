//! FMI 3.0: the same instances through the other set of functions.

use crate::models::tried;
use crate::support::{Raw, reference};
use softdock_fmi::abi::{FMI2_DISCARD, FMI2_ERROR, FMI2_OK};
use softdock_fmi::abi3::{self, fmi3Instance, fmi3InstanceEnvironment, fmi3Status, fmi3String};
use softdock_fmi::exports3::{access::*, lifecycle::*, not_offered::*, state::*, step::*};
use softdock_fmu::{ModelKind, fmi3InstantiateCoSimulation};
use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

unsafe extern "C" fn keep(
    environment: fmi3InstanceEnvironment,
    _status: fmi3Status,
    category: fmi3String,
    message: fmi3String,
) {
    // SAFETY: the environment is a list of texts that outlives the instance; texts end with zeros.
    unsafe {
        let told = &mut *environment.cast::<Vec<String>>();
        let text = |pointer| CStr::from_ptr(pointer).to_string_lossy().into_owned();
        told.push(format!("{}: {}", text(category), text(message)));
    }
}

fn instantiate(token: &str, told: &mut Vec<String>) -> fmi3Instance {
    let token = CString::new(token).unwrap();
    let environment = std::ptr::from_mut(told).cast();
    // SAFETY: texts end with zeros; the list outlives the instance.
    unsafe {
        fmi3InstantiateCoSimulation(
            c"leg".as_ptr(),
            token.as_ptr(),
            null(),
            0,
            0,
            0,
            0,
            null(),
            0,
            environment,
            Some(keep),
            None,
        )
    }
}

fn started(kind: ModelKind, start: f64, told: &mut Vec<String>) -> fmi3Instance {
    let instance = instantiate(kind.packaged().token().unwrap(), told);
    assert!(!instance.is_null());
    // SAFETY: the instance is alive.
    unsafe {
        let entered = fmi3EnterInitializationMode(instance, 0, 0.0, start, 0, 0.0);
        assert_eq!(entered, FMI2_OK);
        assert_eq!(fmi3ExitInitializationMode(instance), FMI2_OK);
    }
    instance
}

fn step(instance: fmi3Instance, time: f64, length: f64) -> (fmi3Status, f64) {
    let (mut event, mut end, mut early, mut reached) = (9, 9, 9, f64::NAN);
    // SAFETY: the instance is alive, the places are ours.
    let status = unsafe {
        fmi3DoStep(
            instance,
            time,
            length,
            0,
            &mut event,
            &mut end,
            &mut early,
            &mut reached,
        )
    };
    assert_eq!([event, end, early], [0; 3]);
    (status, reached)
}

fn get(instance: fmi3Instance, reference: u32, out: &mut [f64]) -> fmi3Status {
    // SAFETY: one reference, as many values as there are places.
    unsafe { fmi3GetFloat64(instance, &reference, 1, out.as_mut_ptr(), out.len()) }
}

/// An output by its name in FMI 2.0: a variable, or the element of an array.
fn element(kind: ModelKind, instance: fmi3Instance, name: &str) -> f64 {
    let description = kind.description().unwrap();
    let array = name
        .strip_suffix(']')
        .and_then(|name| name.rsplit_once('['));
    let (text, place) = array.map_or((name, 0), |(text, number)| {
        (text, number.parse::<usize>().unwrap() - 1)
    });
    let variables = description.model_variables.iter();
    let belongs = |other: &str| {
        let rest = other
            .strip_prefix(text)
            .and_then(|rest| rest.strip_prefix('['));
        rest.is_some_and(|rest| rest.find(']') == Some(rest.len() - 1))
    };
    let count = variables.filter(|variable| belongs(&variable.name)).count();
    let first = if array.is_some() {
        reference(kind, &format!("{text}[1]"))
    } else {
        reference(kind, name)
    };
    let mut values = vec![f64::NAN; count.max(1)];
    assert_eq!(get(instance, first, &mut values), FMI2_OK, "{name}");
    values[place]
}

#[test]
fn both_versions_give_the_same_bits() {
    for kind in ModelKind::ALL {
        let mut told = Vec::new();
        let (two, three) = (Raw::started(kind), started(kind, 0.0, &mut told));
        for index in 0..20 {
            let time = f64::from(index) * 1e-3;
            assert_eq!(two.step(time, 1e-3), FMI2_OK);
            assert_eq!(step(three, time, 1e-3).0, FMI2_OK);
        }
        for name in tried(kind).outputs {
            let value = element(kind, three, name);
            assert_eq!(value.to_bits(), two.get(name).to_bits(), "{name}");
        }
        // SAFETY: made above.
        unsafe { fmi3FreeInstance(three) };
    }
}

#[test]
fn arrays_are_read_and_set_as_a_whole_and_the_time_is_a_variable() {
    let kind = ModelKind::LegSpatial;
    let mut told = Vec::new();
    let instance = started(kind, 5.0, &mut told);
    let force = reference(kind, "tip.force[1]");
    let mut values = [f64::NAN; 3];
    assert_eq!(get(instance, force, &mut values), FMI2_OK);
    assert!(values.iter().all(|value| value.is_finite()));
    let two = Raw::started(kind);
    for (axis, value) in (1..=3).zip(values) {
        assert_eq!(
            value.to_bits(),
            two.get(&format!("tip.force[{axis}]")).to_bits()
        );
    }
    // Too few places, and an element without its array.
    assert_eq!(get(instance, force, &mut [0.0; 2]), FMI2_ERROR);
    assert!(
        told.last().unwrap().contains("2 values are given"),
        "{told:?}"
    );
    // SAFETY: the instance is alive.
    unsafe { assert_eq!(fmi3Reset(instance), FMI2_OK) };
    // SAFETY: the instance is alive.
    unsafe {
        assert_eq!(
            fmi3EnterInitializationMode(instance, 0, 0.0, 5.0, 0, 0.0),
            FMI2_OK
        );
    }
    assert_eq!(get(instance, force + 1, &mut [0.0]), FMI2_ERROR);
    assert!(
        told.last().unwrap().contains("inside the array tip.force"),
        "{told:?}"
    );
    // SAFETY: the instance is alive.
    unsafe { fmi3FreeInstance(instance) };

    let instance = started(kind, 5.0, &mut told);
    let time = u32::try_from(kind.description().unwrap().model_variables.len()).unwrap();
    let mut value = [f64::NAN];
    assert_eq!(get(instance, time, &mut value), FMI2_OK);
    assert_eq!(value, [5.0]);
    assert_eq!(step(instance, 5.0, 1e-3), (FMI2_OK, 5.0 + 1e-3));
    assert_eq!(get(instance, time, &mut value), FMI2_OK);
    assert_eq!(value, [5.0 + 1e-3]);
    // SAFETY: the instance is alive.
    unsafe { fmi3FreeInstance(instance) };
}

#[test]
fn the_adjoint_is_the_transpose_of_the_directional_derivative() {
    let kind = ModelKind::LegSpatial;
    let mut told = Vec::new();
    let instance = started(kind, 0.0, &mut told);
    assert_eq!(step(instance, 0.0, 1e-3).0, FMI2_OK);
    let (force, position) = (
        reference(kind, "tip.force[1]"),
        reference(kind, "tip.position[1]"),
    );
    let column = |seed: [f64; 3]| {
        let mut out = [f64::NAN; 3];
        // SAFETY: arrays of three elements each.
        let status = unsafe {
            fmi3GetDirectionalDerivative(
                instance,
                &force,
                1,
                &position,
                1,
                seed.as_ptr(),
                3,
                out.as_mut_ptr(),
                3,
            )
        };
        assert_eq!(status, FMI2_OK);
        out
    };
    let jacobian = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(column);
    assert!(jacobian.iter().flatten().any(|entry| entry.abs() > 1.0));
    let weights = [0.3, -2.0, 1.7];
    let mut adjoint = [f64::NAN; 3];
    // SAFETY: arrays of three elements each.
    let status = unsafe {
        fmi3GetAdjointDerivative(
            instance,
            &force,
            1,
            &position,
            1,
            weights.as_ptr(),
            3,
            adjoint.as_mut_ptr(),
            3,
        )
    };
    assert_eq!(status, FMI2_OK);
    for (known, entry) in adjoint.iter().enumerate() {
        let expected: f64 = (0..3).map(|k| jacobian[known][k] * weights[k]).sum();
        assert!((entry - expected).abs() <= 1e-9 * expected.abs().max(1.0));
    }
    // SAFETY: the instance is alive.
    unsafe { fmi3FreeInstance(instance) };
}

#[test]
fn a_state_is_saved_restored_and_turned_into_bytes() {
    for kind in ModelKind::ALL {
        let mut told = Vec::new();
        let instance = started(kind, 0.0, &mut told);
        assert_eq!(step(instance, 0.0, 2e-3).0, FMI2_OK);
        let (mut state, mut size) = (null_mut(), 0);
        let output = tried(kind).outputs[0];
        let (first, second);
        // SAFETY: the instance is alive, the places are ours, the array has the size asked for.
        unsafe {
            assert_eq!(fmi3GetFMUState(instance, &mut state), FMI2_OK);
            assert_eq!(step(instance, 2e-3, 5e-3).0, FMI2_OK);
            first = element(kind, instance, output);
            assert_eq!(
                fmi3SerializedFMUStateSize(instance, state, &mut size),
                FMI2_OK
            );
            let mut bytes = vec![0; size];
            let status = fmi3SerializeFMUState(instance, state, bytes.as_mut_ptr(), size);
            assert_eq!(status, FMI2_OK);
            assert_eq!(fmi3FreeFMUState(instance, &mut state), FMI2_OK);
            assert!(state.is_null());
            let status = fmi3DeserializeFMUState(instance, bytes.as_ptr(), size, &mut state);
            assert_eq!(status, FMI2_OK);
            assert_eq!(fmi3SetFMUState(instance, state), FMI2_OK);
            assert_eq!(step(instance, 2e-3, 5e-3).0, FMI2_OK);
            second = element(kind, instance, output);
            fmi3FreeInstance(instance);
        }
        assert_eq!(first.to_bits(), second.to_bits());
    }
}

#[test]
fn what_is_not_offered_or_not_allowed_says_so() {
    let mut told = Vec::new();
    assert!(instantiate("{wrong}", &mut told).is_null());
    assert!(told.last().unwrap().contains("{wrong}"), "{told:?}");
    let kind = ModelKind::LegPlanar;
    let instance = started(kind, 0.0, &mut told);
    // SAFETY: the instance is alive.
    unsafe {
        assert_eq!(fmi3EnterEventMode(instance), FMI2_DISCARD);
        assert!(
            told.last().unwrap().contains("fmi3EnterEventMode"),
            "{told:?}"
        );
        assert_eq!(step(instance, 0.0, 1e9), (FMI2_DISCARD, 0.0));
        fmi3FreeInstance(instance);
        fmi3FreeInstance(null_mut());
        assert_eq!(fmi3Reset(null_mut()), FMI2_ERROR);
    }
    assert_eq!(abi3::FUNCTIONS.len(), 75);
}
