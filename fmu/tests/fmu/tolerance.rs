//! The tolerance of an experiment decides how accurate the steps are.

use crate::support::Raw;
use softdock_fmi::abi::FMI2_OK;
use softdock_fmi::exports::lifecycle::fmi2SetupExperiment;
use softdock_fmi::exports::state::*;
use softdock_fmu::ModelKind;
use std::ptr::null_mut;

/// An instance that was started with a tolerance.
fn started(kind: ModelKind, tolerance: Option<f64>) -> Raw {
    let raw = Raw::new(kind);
    let (defined, value) = (i32::from(tolerance.is_some()), tolerance.unwrap_or(0.0));
    // SAFETY: the component is alive.
    let status = unsafe { fmi2SetupExperiment(raw.component, defined, value, 0.0, 0, 0.0) };
    assert_eq!(status, FMI2_OK);
    raw.start();
    raw
}

/// Moves a leg for `steps` of 10 ms; the tip of the spatial one goes down and comes back.
fn travel(raw: &Raw, kind: ModelKind, from: u32, steps: u32) {
    for k in from..from + steps {
        let (time, end) = (f64::from(k) * 0.01, f64::from(k + 1) * 0.01);
        if kind == ModelKind::LegSpatial {
            let (sine, cosine) = (20.0 * end).sin_cos();
            let place = 0.4 - 2e-3 * (1.0 - cosine);
            assert_eq!(raw.set("tip.position[3]", place), FMI2_OK);
            assert_eq!(raw.set("tip.velocity[3]", -0.04 * sine), FMI2_OK);
        }
        assert_eq!(raw.step(time, 0.01), FMI2_OK);
    }
}

/// The output that is compared.
const COMPARED: [(ModelKind, &str); 2] = [
    (ModelKind::LegPlanar, "q3"),
    (ModelKind::LegSpatial, "tendon.length"),
];
const STEPS: u32 = 12;

#[test]
fn a_tighter_tolerance_gives_a_smaller_error() {
    for (kind, output) in COMPARED {
        let at = |tolerance| {
            let raw = started(kind, tolerance);
            let one = |k| {
                travel(&raw, kind, k, 1);
                raw.get(output)
            };
            (0..STEPS).map(one).collect::<Vec<f64>>()
        };
        let reference = at(Some(1e-7));
        let errors = [1e-3, 1e-4, 1e-5, 1e-6].map(|tolerance| {
            let run = at(Some(tolerance));
            let pairs = run.iter().zip(&reference);
            let error = pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            println!("{kind:?} {tolerance:e}: {error:e}");
            error
        });
        // The error is of second order in a step that follows the root of the tolerance.
        for pair in errors.windows(2) {
            assert!(pair[1] < 0.4 * pair[0], "{kind:?} {errors:?}");
        }
        // What is not asked for changes nothing.
        let own = at(None);
        for loose in [0.0, 1e-3, 0.5, f64::INFINITY] {
            assert_eq!(at(Some(loose)), own, "{kind:?} {loose}");
        }
    }
}

#[test]
fn a_tolerance_changes_no_parameter_and_is_part_of_a_saved_state() {
    for (kind, output) in COMPARED {
        let raw = started(kind, Some(1e-4));
        assert_eq!(raw.get("solver.step"), 1e-3);
        travel(&raw, kind, 0, 3);
        let mut state = null_mut();
        let mut size = 0;
        let other = started(kind, None);
        let mut copy = null_mut();
        // SAFETY: the places are there, and the bytes are as many as were asked for.
        unsafe {
            assert_eq!(fmi2GetFMUstate(raw.component, &mut state), FMI2_OK);
            let measured = fmi2SerializedFMUstateSize(raw.component, state, &mut size);
            assert_eq!(measured, FMI2_OK);
            let mut bytes = vec![0_u8; size];
            let to = bytes.as_mut_ptr().cast();
            assert_eq!(
                fmi2SerializeFMUstate(raw.component, state, to, size),
                FMI2_OK
            );
            let from = bytes.as_ptr().cast();
            let read = fmi2DeSerializeFMUstate(other.component, from, size, &mut copy);
            assert_eq!(read, FMI2_OK);
            assert_eq!(fmi2SetFMUstate(other.component, copy), FMI2_OK);
        }
        travel(&raw, kind, 3, 3);
        travel(&other, kind, 3, 3);
        assert_eq!(raw.get(output).to_bits(), other.get(output).to_bits());
        // SAFETY: saved above, freed once.
        unsafe {
            assert_eq!(fmi2FreeFMUstate(raw.component, &mut state), FMI2_OK);
            assert_eq!(fmi2FreeFMUstate(other.component, &mut copy), FMI2_OK);
        }
    }
}
