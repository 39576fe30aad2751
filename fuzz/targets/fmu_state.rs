//! Saved states of an FMU: whatever the bytes, they are refused or make a state from which the FMU
//! goes on, with a status for every call. A panic that the boundary would catch counts as found.

#![no_main]

use libfuzzer_sys::fuzz_target;
use softdock_fmu::{ModelKind, fmi2Instantiate};
use softdock_fmi::abi::{FMI2_CO_SIMULATION, FMI2_OK, fmi2Component};
use softdock_fmi::exports::access::fmi2GetReal;
use softdock_fmi::exports::lifecycle::{
    fmi2EnterInitializationMode, fmi2ExitInitializationMode, fmi2FreeInstance,
};
use softdock_fmi::exports::state::{
    fmi2DeSerializeFMUstate, fmi2FreeFMUstate, fmi2GetFMUstate, fmi2SerializeFMUstate,
    fmi2SerializedFMUstateSize, fmi2SetFMUstate,
};
use softdock_fmi::exports::step::fmi2DoStep;
use softdock_xml::Causality;
use std::ffi::CString;
use std::ptr::{null, null_mut};

fn instance(kind: ModelKind) -> fmi2Component {
    let guid = CString::new(kind.guid().expect("a GUID")).expect("text");
    let name = c"leg".as_ptr();
    // SAFETY: texts that end with zeros; no callbacks.
    unsafe { fmi2Instantiate(name, FMI2_CO_SIMULATION, guid.as_ptr(), null(), null(), 0, 0) }
}

/// The state of an instance as bytes, without its check sum.
fn content(component: fmi2Component) -> Vec<u8> {
    let (mut state, mut size) = (null_mut(), 0);
    // SAFETY: the instance is alive, the arrays are as long as they say.
    unsafe {
        assert_eq!(fmi2GetFMUstate(component, &mut state), FMI2_OK);
        assert_eq!(fmi2SerializedFMUstateSize(component, state, &mut size), FMI2_OK);
        let mut bytes = vec![0; size];
        let done = fmi2SerializeFMUstate(component, state, bytes.as_mut_ptr(), size);
        assert_eq!(done, FMI2_OK);
        assert_eq!(fmi2FreeFMUstate(component, &mut state), FMI2_OK);
        bytes.truncate(size - 8);
        bytes.into_iter().map(|byte| byte as u8).collect()
    }
}

/// States before and after initialisation and behind some steps, each behind the number of its model.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, kind) in ModelKind::ALL.into_iter().enumerate() {
        let leg = instance(kind);
        let mut keep = || seeds.push([&[number as u8][..], &content(leg)].concat());
        keep();
        // SAFETY: the instance is alive.
        unsafe {
            assert_eq!(fmi2EnterInitializationMode(leg), FMI2_OK);
            keep();
            assert_eq!(fmi2ExitInitializationMode(leg), FMI2_OK);
            for step in 0..3 {
                assert_eq!(fmi2DoStep(leg, f64::from(step) * 1e-3, 1e-3, 0), FMI2_OK);
            }
            keep();
            fmi2FreeInstance(leg);
        }
    }
    seeds
}

/// The check sum of a state, without which hardly any bytes would get further.
fn check_sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn outputs(kind: ModelKind) -> Vec<u32> {
    let description = kind.description().expect("a description");
    let variables = description.model_variables.iter();
    variables
        .filter(|variable| variable.causality == Causality::Output)
        .map(|variable| variable.value_reference)
        .collect()
}

fuzz_target!(
    init: { softdock_fuzz::write_seeds(seeds) },
    |bytes: &[u8]| {
        let Some((&number, content)) = bytes.split_first() else {
            return;
        };
        let kind = ModelKind::ALL[usize::from(number) % ModelKind::ALL.len()];
        let bytes = [content, &check_sum(content).to_le_bytes()].concat();
        let leg = instance(kind);
        let mut state = null_mut();
        // SAFETY: the instance is alive, the arrays are as long as they say.
        unsafe {
            let made = fmi2DeSerializeFMUstate(leg, bytes.as_ptr().cast(), bytes.len(), &mut state);
            if made == FMI2_OK && fmi2SetFMUstate(leg, state) == FMI2_OK {
                fmi2EnterInitializationMode(leg);
                fmi2ExitInitializationMode(leg);
                // The time is unknown here: one of these may be the right one.
                fmi2DoStep(leg, 3e-3, 1e-3, 0);
                fmi2DoStep(leg, 0.0, 1e-3, 0);
                let references = outputs(kind);
                let mut values = vec![0.0; references.len()];
                let (list, count) = (references.as_ptr(), references.len());
                fmi2GetReal(leg, list, count, values.as_mut_ptr());
            }
            fmi2FreeFMUstate(leg, &mut state);
            fmi2FreeInstance(leg);
        }
    }
);
