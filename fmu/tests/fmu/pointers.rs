//! Pointers that are missing, and lengths that cannot be.

use crate::support::{Raw, instantiate};
use softdock_fmi::abi::{
    FMI2_CO_SIMULATION, FMI2_ERROR, FMI2_MODEL_EXCHANGE, FMI2_OK, fmi2Component, fmi2Status,
};
use softdock_fmi::exports::access::*;
use softdock_fmi::exports::lifecycle::*;
use softdock_fmi::exports::state::*;
use softdock_fmi::exports::step::*;
use softdock_fmi::lifecycle::State;
use softdock_fmu::{ModelKind, fmi2Instantiate};
use std::ffi::CString;
use std::ptr::{null, null_mut};

type Call = (&'static str, fn(fmi2Component) -> fmi2Status);

/// The component is alive; the other pointers are NULL or have one entry, or their length cannot be.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "said once for all of them"
)]
const MISSING: &[Call] = &[
    ("GetReal references", |c| unsafe {
        fmi2GetReal(c, null(), 1, &mut 0.0)
    }),
    ("GetReal values", |c| unsafe {
        fmi2GetReal(c, &0, 1, null_mut())
    }),
    ("GetReal length", |c| unsafe {
        fmi2GetReal(c, &0, usize::MAX, &mut 0.0)
    }),
    ("GetInteger", |c| unsafe {
        fmi2GetInteger(c, &0, 1, null_mut())
    }),
    ("GetBoolean", |c| unsafe {
        fmi2GetBoolean(c, null(), 1, &mut 0)
    }),
    ("GetString", |c| unsafe {
        fmi2GetString(c, &0, 1, null_mut())
    }),
    ("SetReal references", |c| unsafe {
        fmi2SetReal(c, null(), 1, &0.0)
    }),
    ("SetReal values", |c| unsafe {
        fmi2SetReal(c, &0, 1, null())
    }),
    ("SetReal length", |c| unsafe {
        fmi2SetReal(c, &0, usize::MAX / 2, &0.0)
    }),
    ("SetInteger", |c| unsafe {
        fmi2SetInteger(c, &0, 1, null())
    }),
    ("SetBoolean", |c| unsafe {
        fmi2SetBoolean(c, &0, 1, null())
    }),
    ("SetString", |c| unsafe { fmi2SetString(c, &0, 1, null()) }),
    ("SetDebugLogging", |c| unsafe {
        fmi2SetDebugLogging(c, 1, 1, null())
    }),
    ("GetFMUstate", |c| unsafe { fmi2GetFMUstate(c, null_mut()) }),
    ("SetFMUstate", |c| unsafe { fmi2SetFMUstate(c, null_mut()) }),
    ("SerializedFMUstateSize", |c| unsafe {
        fmi2SerializedFMUstateSize(c, null_mut(), &mut 0)
    }),
    ("SerializeFMUstate", |c| unsafe {
        fmi2SerializeFMUstate(c, null_mut(), null_mut(), 0)
    }),
    ("DeSerializeFMUstate bytes", |c| unsafe {
        fmi2DeSerializeFMUstate(c, null(), 10, &mut null_mut())
    }),
    ("DeSerializeFMUstate state", |c| unsafe {
        fmi2DeSerializeFMUstate(c, [1; 10].as_ptr(), 10, null_mut())
    }),
    ("GetDirectionalDerivative", |c| unsafe {
        fmi2GetDirectionalDerivative(c, &0, 1, &0, 1, null(), &mut 0.0)
    }),
    ("SetRealInputDerivatives", |c| unsafe {
        fmi2SetRealInputDerivatives(c, &0, 1, null(), &0.0)
    }),
    ("GetRealOutputDerivatives", |c| unsafe {
        fmi2GetRealOutputDerivatives(c, &0, 1, null(), &mut 0.0)
    }),
    ("GetRealStatus", |c| unsafe {
        fmi2GetRealStatus(c, 2, null_mut())
    }),
    ("GetBooleanStatus", |c| unsafe {
        fmi2GetBooleanStatus(c, 3, null_mut())
    }),
];

#[test]
fn missing_arrays_are_refused() {
    for (name, call) in MISSING {
        let raw = Raw::in_state(ModelKind::LegPlanar, State::StepComplete);
        assert_eq!(call(raw.component), FMI2_ERROR, "{name}");
    }
}

#[test]
fn nothing_to_do_needs_no_arrays() {
    let raw = Raw::in_state(ModelKind::LegPlanar, State::StepComplete);
    let c = raw.component;
    // SAFETY: the component is alive; arrays of no length may be NULL.
    unsafe {
        assert_eq!(fmi2GetReal(c, null(), 0, null_mut()), FMI2_OK);
        assert_eq!(fmi2SetReal(c, null(), 0, null()), FMI2_OK);
        assert_eq!(fmi2GetString(c, null(), 0, null_mut()), FMI2_OK);
        let nothing = fmi2GetDirectionalDerivative(c, null(), 0, null(), 0, null(), null_mut());
        assert_eq!(nothing, FMI2_OK);
        assert_eq!(fmi2FreeFMUstate(c, null_mut()), FMI2_OK);
        assert_eq!(fmi2FreeFMUstate(c, &mut null_mut()), FMI2_OK);
    }
}

#[test]
fn a_misaligned_array_is_refused() {
    let raw = Raw::in_state(ModelKind::LegPlanar, State::StepComplete);
    let numbers = [0.0_f64; 2];
    // SAFETY: the address lies inside `numbers` and is not read, being odd.
    let status = unsafe {
        let odd = numbers.as_ptr().cast::<u8>().add(1).cast::<f64>();
        fmi2SetReal(raw.component, &0, 1, odd)
    };
    assert_eq!(status, FMI2_ERROR);
}

#[test]
fn an_instance_needs_the_right_guid_and_kind_and_nothing_else() {
    let guid = CString::new(ModelKind::LegPlanar.guid().unwrap()).unwrap();
    let make = |name, kind, guid, resources| {
        // SAFETY: texts are NULL or end with zeros.
        unsafe { fmi2Instantiate(name, kind, guid, resources, null(), 1, 1) }
    };
    let name = c"leg".as_ptr();
    for wrong in [c"{0}".as_ptr(), c"".as_ptr(), null()] {
        assert!(make(name, FMI2_CO_SIMULATION, wrong, null()).is_null());
    }
    assert!(make(name, FMI2_MODEL_EXCHANGE, guid.as_ptr(), null()).is_null());
    for resources in [
        null(),
        c"".as_ptr(),
        c"file:///tmp/x".as_ptr(),
        c"file:/tmp/x".as_ptr(),
        c"file:///tmp/%C3%A4%20b".as_ptr(),
        c"no address \xff".as_ptr(),
    ] {
        for name in [name, null(), c"".as_ptr(), c"\xff\xfe".as_ptr()] {
            let component = make(name, FMI2_CO_SIMULATION, guid.as_ptr(), resources);
            assert!(!component.is_null());
            // SAFETY: made above.
            unsafe { fmi2FreeInstance(component) };
        }
    }
    let other = instantiate(ModelKind::LegSpatial, null(), true);
    assert!(!other.is_null());
    // SAFETY: made above.
    unsafe { fmi2FreeInstance(other) };
}

#[test]
fn pointers_that_are_no_states_are_refused() {
    let (one, other) = (
        Raw::in_state(ModelKind::LegPlanar, State::StepComplete),
        Raw::in_state(ModelKind::LegPlanar, State::StepComplete),
    );
    let mut state = null_mut();
    // SAFETY: the components are alive; the places are there.
    unsafe {
        assert_eq!(fmi2GetFMUstate(one.component, &mut state), FMI2_OK);
        assert_eq!(fmi2SetFMUstate(other.component, state), FMI2_ERROR);
        let mut copy = state;
        assert_eq!(fmi2FreeFMUstate(one.component, &mut copy), FMI2_OK);
        assert_eq!(fmi2SetFMUstate(one.component, state), FMI2_ERROR);
        assert_eq!(fmi2FreeFMUstate(one.component, &mut state), FMI2_ERROR);
        assert_eq!(fmi2GetFMUstate(one.component, &mut state), FMI2_ERROR);
    }
}
