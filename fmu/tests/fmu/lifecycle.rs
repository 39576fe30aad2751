//! Every function in every state, against the table of the standard.

use crate::models::tried;
use crate::support::Raw;
use softdock_fmi::abi::{
    FMI2_DISCARD, FMI2_ERROR, FMI2_LAST_SUCCESSFUL_TIME, FMI2_OK, FMI2_TERMINATED, FUNCTIONS,
    fmi2Component, fmi2Status,
};
use softdock_fmi::exports::access::*;
use softdock_fmi::exports::lifecycle::*;
use softdock_fmi::exports::state::*;
use softdock_fmi::exports::step::*;
use softdock_fmi::lifecycle::{Callable, Function, State};
use softdock_fmu::ModelKind;
use std::ptr::{null, null_mut};

/// Section 4.2.4 of FMI 2.0.4, without the states of asynchronous steps: instantiated,
/// Initialization Mode, stepComplete, stepFailed, terminated, error. An `x` (or a footnote) in
/// the standard is an `x` here.
const STANDARD: &[(&str, &str)] = &[
    ("fmi2SetDebugLogging", "xxxxxx"),
    ("fmi2FreeInstance", "xxxxxx"),
    ("fmi2SetupExperiment", "x-----"),
    ("fmi2EnterInitializationMode", "x-----"),
    ("fmi2ExitInitializationMode", "-x----"),
    ("fmi2Terminate", "--xx--"),
    ("fmi2Reset", "xxxxxx"),
    ("fmi2GetReal", "-xxxxx"),
    ("fmi2GetInteger", "-xxxxx"),
    ("fmi2GetBoolean", "-xxxxx"),
    ("fmi2GetString", "-xxxxx"),
    ("fmi2SetReal", "xxx---"),
    ("fmi2SetInteger", "xxx---"),
    ("fmi2SetBoolean", "xxx---"),
    ("fmi2SetString", "xxx---"),
    ("fmi2GetFMUstate", "xxxxxx"),
    ("fmi2SetFMUstate", "xxxxxx"),
    ("fmi2FreeFMUstate", "xxxxxx"),
    ("fmi2SerializedFMUstateSize", "xxxxxx"),
    ("fmi2SerializeFMUstate", "xxxxxx"),
    ("fmi2DeSerializeFMUstate", "xxxxxx"),
    ("fmi2GetDirectionalDerivative", "-xxxxx"),
    ("fmi2SetRealInputDerivatives", "xxx---"),
    ("fmi2GetRealOutputDerivatives", "--xxxx"),
    ("fmi2DoStep", "--x---"),
    ("fmi2CancelStep", "------"),
    ("fmi2GetStatus", "--xxx-"),
    ("fmi2GetRealStatus", "--xxx-"),
    ("fmi2GetIntegerStatus", "--xxx-"),
    ("fmi2GetBooleanStatus", "--xxx-"),
    ("fmi2GetStringStatus", "--xxx-"),
];

/// Calls a function with arguments that are fine in the state in which it is allowed.
fn call(function: Function, component: fmi2Component, kind: ModelKind) -> fmi2Status {
    let input = crate::support::reference(kind, tried(kind).input.0);
    let output = crate::support::reference(kind, tried(kind).outputs[0]);
    let (mut real, mut integer, mut size) = (0.0, 0, 0);
    let (mut text, mut bytes) = (null(), vec![0; 1 << 20]);
    let mut state = null_mut();
    let c = component;
    // SAFETY: the component is alive or NULL; every array has the length given with it.
    unsafe {
        match function {
            Function::SetDebugLogging => fmi2SetDebugLogging(c, 0, 0, null()),
            Function::FreeInstance => FMI2_OK,
            Function::SetupExperiment => fmi2SetupExperiment(c, 0, 0.0, 0.0, 0, 0.0),
            Function::EnterInitializationMode => fmi2EnterInitializationMode(c),
            Function::ExitInitializationMode => fmi2ExitInitializationMode(c),
            Function::Terminate => fmi2Terminate(c),
            Function::Reset => fmi2Reset(c),
            Function::GetReal => fmi2GetReal(c, &output, 1, &mut real),
            Function::GetInteger => fmi2GetInteger(c, null(), 0, null_mut()),
            Function::GetBoolean => fmi2GetBoolean(c, null(), 0, null_mut()),
            Function::GetString => fmi2GetString(c, null(), 0, null_mut()),
            Function::SetReal => fmi2SetReal(c, &input, 1, &real),
            Function::SetInteger => fmi2SetInteger(c, null(), 0, null()),
            Function::SetBoolean => fmi2SetBoolean(c, null(), 0, null()),
            Function::SetString => fmi2SetString(c, null(), 0, null()),
            Function::GetFmuState => fmi2GetFMUstate(c, &mut state),
            Function::SetFmuState => {
                fmi2GetFMUstate(c, &mut state);
                fmi2SetFMUstate(c, state)
            }
            Function::FreeFmuState => {
                fmi2GetFMUstate(c, &mut state);
                fmi2FreeFMUstate(c, &mut state)
            }
            Function::SerializedFmuStateSize => {
                fmi2GetFMUstate(c, &mut state);
                fmi2SerializedFMUstateSize(c, state, &mut size)
            }
            Function::SerializeFmuState => {
                fmi2GetFMUstate(c, &mut state);
                fmi2SerializeFMUstate(c, state, bytes.as_mut_ptr(), bytes.len())
            }
            Function::DeSerializeFmuState => {
                fmi2GetFMUstate(c, &mut state);
                fmi2SerializedFMUstateSize(c, state, &mut size);
                fmi2SerializeFMUstate(c, state, bytes.as_mut_ptr(), size);
                fmi2DeSerializeFMUstate(c, bytes.as_ptr(), size, &mut state)
            }
            Function::GetDirectionalDerivative => {
                fmi2GetDirectionalDerivative(c, &output, 1, &input, 1, &1.0, &mut real)
            }
            Function::SetRealInputDerivatives => {
                fmi2SetRealInputDerivatives(c, &input, 1, &1, &0.5)
            }
            Function::GetRealOutputDerivatives => {
                fmi2GetRealOutputDerivatives(c, &output, 1, &1, &mut real)
            }
            Function::DoStep => fmi2DoStep(c, 1e-3, 1e-3, 0),
            Function::CancelStep => fmi2CancelStep(c),
            Function::GetStatus => fmi2GetStatus(c, 0, &mut integer),
            Function::GetRealStatus => fmi2GetRealStatus(c, FMI2_LAST_SUCCESSFUL_TIME, &mut real),
            Function::GetIntegerStatus => fmi2GetIntegerStatus(c, 0, &mut integer),
            Function::GetBooleanStatus => fmi2GetBooleanStatus(c, FMI2_TERMINATED, &mut integer),
            Function::GetStringStatus => fmi2GetStringStatus(c, 1, &mut text),
        }
    }
}

/// What an allowed call returns.
fn expected(kind: ModelKind, function: Function) -> fmi2Status {
    match function {
        // What a model does not claim has no effect.
        Function::GetDirectionalDerivative
        | Function::SetRealInputDerivatives
        | Function::GetRealOutputDerivatives
            if !tried(kind).derivatives() =>
        {
            FMI2_DISCARD
        }
        // There is no asynchronous step to tell of.
        Function::GetStatus | Function::GetIntegerStatus | Function::GetStringStatus => {
            FMI2_DISCARD
        }
        _ => FMI2_OK,
    }
}

#[test]
fn every_function_in_every_state_returns_what_the_standard_says() {
    assert_eq!(STANDARD.len(), Function::ALL.len());
    for kind in ModelKind::ALL {
        for &function in Function::ALL {
            let row = STANDARD.iter().find(|row| row.0 == function.name());
            let row = row.unwrap().1.as_bytes();
            for (state, &mark) in State::ALL.into_iter().zip(row) {
                let raw = Raw::small_in_state(kind, state);
                let status = call(function, raw.component, kind);
                let wanted = if mark == b'x' {
                    expected(kind, function)
                } else {
                    FMI2_ERROR
                };
                let place = (kind.name(), function.name(), state.name());
                assert_eq!(status, wanted, "{place:?}");
                // Whatever happened, the instance can be reset and used.
                // SAFETY: the component is alive.
                assert_eq!(unsafe { fmi2Reset(raw.component) }, FMI2_OK, "{place:?}");
                let (parameter, value, _) = tried(kind).parameter;
                assert_eq!(raw.set(parameter, value), FMI2_OK, "{place:?}");
            }
        }
    }
}

#[test]
fn a_refused_call_leads_to_the_error_state_from_which_a_saved_state_helps() {
    let raw = Raw::in_state(ModelKind::LegPlanar, State::StepComplete);
    let mut saved = null_mut();
    // SAFETY: the component is alive; the place is there.
    unsafe {
        assert_eq!(fmi2GetFMUstate(raw.component, &mut saved), FMI2_OK);
        assert_eq!(fmi2EnterInitializationMode(raw.component), FMI2_ERROR);
        assert_eq!(raw.step(1e-3, 1e-3), FMI2_ERROR);
        assert_eq!(fmi2SetFMUstate(raw.component, saved), FMI2_OK);
        assert_eq!(raw.step(1e-3, 1e-3), FMI2_OK);
        assert_eq!(fmi2FreeFMUstate(raw.component, &mut saved), FMI2_OK);
        assert!(saved.is_null());
    }
}

#[test]
fn null_and_foreign_components_are_refused() {
    let nobody = [7_u64; 64];
    let foreign: fmi2Component = nobody.as_ptr().cast_mut().cast();
    for &function in Function::ALL {
        if function != Function::FreeInstance {
            for component in [null_mut(), foreign] {
                let status = call(function, component, ModelKind::LegPlanar);
                assert_eq!(status, FMI2_ERROR, "{}", function.name());
            }
        }
    }
    // SAFETY: both are what a caller may hand over by mistake.
    unsafe {
        fmi2FreeInstance(null_mut());
        fmi2FreeInstance(foreign);
    }
}

#[test]
fn the_list_of_functions_is_that_of_the_standard() {
    assert_eq!(FUNCTIONS.len(), 34);
    let without_instance = ["fmi2GetTypesPlatform", "fmi2GetVersion", "fmi2Instantiate"];
    for name in FUNCTIONS {
        let known = Function::ALL
            .iter()
            .any(|function| function.name() == *name);
        assert!(known != without_instance.contains(name), "{name}");
    }
}

#[test]
fn reset_gives_an_instance_as_new() {
    for kind in ModelKind::ALL {
        let (new, used) = (Raw::new(kind), Raw::new(kind));
        let (parameter, _, other) = tried(kind).parameter;
        let (input, amplitude) = tried(kind).input;
        assert_eq!(used.set(parameter, other), FMI2_OK);
        assert_eq!(used.set(input, 1.5 * amplitude), FMI2_OK);
        used.start();
        assert_eq!(used.step(0.0, 0.01), FMI2_OK);
        // SAFETY: the component is alive.
        assert_eq!(unsafe { fmi2Reset(used.component) }, FMI2_OK);
        for raw in [&new, &used] {
            raw.start();
            assert_eq!(raw.step(0.0, 0.01), FMI2_OK);
        }
        let names = tried(kind).outputs.iter().chain([&parameter, &input]);
        for name in names {
            assert_eq!(new.get(name).to_bits(), used.get(name).to_bits(), "{name}");
        }
    }
}
