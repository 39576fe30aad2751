//! Reading and setting.

use crate::support::Raw;
use softdock_fmi::abi::{FMI2_DISCARD, FMI2_ERROR, FMI2_OK};
use softdock_fmi::exports::access::*;
use softdock_fmi::exports::lifecycle::*;
use softdock_fmi::lifecycle::State;
use softdock_fmu::ModelKind;
use softdock_xml::{Causality, VariableType};

#[test]
fn every_start_value_is_what_the_instance_has() {
    for kind in ModelKind::ALL {
        let raw = Raw::in_state(kind, State::Initialization);
        for variable in kind.description().unwrap().model_variables {
            let reference = variable.value_reference;
            let c = raw.component;
            // SAFETY: one reference, one value.
            unsafe {
                match variable.variable_type {
                    VariableType::Real(real) => {
                        let value = raw.get(&variable.name);
                        assert!(value.is_finite(), "{}", variable.name);
                        assert_eq!(real.start.unwrap_or(value), value, "{}", variable.name);
                    }
                    VariableType::Integer(integer) => {
                        let mut value = -7;
                        assert_eq!(fmi2GetInteger(c, &reference, 1, &mut value), FMI2_OK);
                        assert_eq!(Some(value), integer.start, "{}", variable.name);
                    }
                    VariableType::Boolean(boolean) => {
                        let mut value = -7;
                        assert_eq!(fmi2GetBoolean(c, &reference, 1, &mut value), FMI2_OK);
                        assert_eq!(Some(value == 1), boolean.start, "{}", variable.name);
                    }
                    _ => panic!("{} is of no type that we use", variable.name),
                }
            }
        }
    }
}

#[test]
fn parameters_and_inputs_keep_what_they_are_given() {
    for kind in ModelKind::ALL {
        let raw = Raw::new(kind);
        for variable in kind.description().unwrap().model_variables {
            let settable = matches!(variable.causality, Causality::Parameter | Causality::Input);
            if let (true, VariableType::Real(real)) = (settable, variable.variable_type) {
                let start = real.start.unwrap();
                let value = match (real.attributes.min, real.attributes.max) {
                    (Some(min), Some(max)) => (start * 1.01 + 1e-4).clamp(min, max),
                    _ => start + 1.0,
                };
                assert_eq!(raw.set(&variable.name, value), FMI2_OK, "{}", variable.name);
            }
        }
        // SAFETY: the component is alive.
        let status = unsafe { fmi2EnterInitializationMode(raw.component) };
        assert_eq!(status, FMI2_OK);
        for variable in kind.description().unwrap().model_variables {
            let settable = matches!(variable.causality, Causality::Parameter | Causality::Input);
            if let (true, VariableType::Real(real)) = (settable, variable.variable_type) {
                let start = real.start.unwrap();
                let unchanged = raw.get(&variable.name) == start;
                let at_limit = real.attributes.max == Some(start);
                assert!(!unchanged || at_limit, "{}", variable.name);
            }
        }
    }
}

#[test]
fn values_that_are_no_numbers_or_out_of_range_have_no_effect() {
    let raw = Raw::started(ModelKind::LegPlanar);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(raw.set("load.torque", bad), FMI2_DISCARD);
        assert_eq!(raw.get("load.torque"), 0.0);
    }
    // Denormals are numbers.
    assert_eq!(raw.set("load.torque", f64::from_bits(1)), FMI2_OK);
    assert_eq!(raw.set("load.force[1]", -f64::from_bits(77)), FMI2_OK);
    assert_eq!(raw.step(0.0, 1e-3), FMI2_OK);
    assert_eq!(raw.set("leaf.length", 0.5), FMI2_ERROR);

    let raw = Raw::new(ModelKind::LegPlanar);
    for (name, bad) in [
        ("leaf.length", f64::NAN),
        ("leaf.length", 0.0),
        ("leaf.length", f64::from_bits(1)),
        ("leaf.youngs_modulus", -1.0),
        ("solver.spectral_radius", 1.1),
    ] {
        assert_eq!(raw.set(name, bad), FMI2_DISCARD, "{name} = {bad}");
    }
    assert_eq!(raw.set_integer("motor.mode", 4), FMI2_DISCARD);
    assert_eq!(raw.set_integer("solver.elements", -1), FMI2_DISCARD);
    assert_eq!(raw.set("solver.step", 2e-3), FMI2_OK);
    raw.start();
    assert_eq!(raw.get("leaf.length"), 0.5);
}

#[test]
fn of_several_values_all_are_set_or_none() {
    let raw = Raw::new(ModelKind::LegPlanar);
    let references = ["crank.mass", "link.mass", "leaf.length"].map(|name| raw.reference(name));
    // SAFETY: three references, three values.
    let status = unsafe {
        fmi2SetReal(
            raw.component,
            references.as_ptr(),
            3,
            [2.0, 3.0, -1.0].as_ptr(),
        )
    };
    assert_eq!(status, FMI2_DISCARD);
    // SAFETY: the component is alive.
    unsafe { fmi2EnterInitializationMode(raw.component) };
    assert_eq!([raw.get("crank.mass"), raw.get("link.mass")], [1.0, 1.0]);
}

#[test]
fn unknown_references_and_wrong_types_are_refused() {
    let kind = ModelKind::LegSpatial;
    let count = kind.description().unwrap().model_variables.len() as u32;
    let (mut real, mut integer) = (0.0, 0);
    for reference in [count, count + 1, u32::MAX] {
        // SAFETY: one reference, one value.
        let status = unsafe {
            let raw = Raw::in_state(kind, State::StepComplete);
            fmi2GetReal(raw.component, &reference, 1, &mut real)
        };
        assert_eq!(status, FMI2_ERROR);
    }
    let real_one = crate::support::reference(kind, "leaf.length");
    let whole = crate::support::reference(kind, "motor.mode");
    let flag = crate::support::reference(kind, "tendon.present");
    let output = crate::support::reference(kind, "tip.force[1]");
    // SAFETY: the components are alive; one reference, one value.
    unsafe {
        let new = || Raw::in_state(kind, State::Initialization);
        let c = |raw: &Raw| raw.component;
        assert_eq!(fmi2GetReal(c(&new()), &whole, 1, &mut real), FMI2_ERROR);
        assert_eq!(fmi2GetReal(c(&new()), &flag, 1, &mut real), FMI2_ERROR);
        assert_eq!(
            fmi2GetInteger(c(&new()), &real_one, 1, &mut integer),
            FMI2_ERROR
        );
        assert_eq!(
            fmi2GetBoolean(c(&new()), &whole, 1, &mut integer),
            FMI2_ERROR
        );
        assert_eq!(fmi2SetReal(c(&new()), &whole, 1, &real), FMI2_ERROR);
        assert_eq!(fmi2SetInteger(c(&new()), &flag, 1, &integer), FMI2_ERROR);
        assert_eq!(fmi2SetReal(c(&new()), &output, 1, &real), FMI2_ERROR);
        let text = c"x".as_ptr();
        assert_eq!(fmi2SetString(c(&new()), &real_one, 1, &text), FMI2_ERROR);
    }
}

#[test]
fn impossible_parameters_are_refused_at_the_start_and_forgotten_by_a_reset() {
    let raw = Raw::new(ModelKind::LegSpatial);
    assert_eq!(raw.set("leaf.length", 0.1), FMI2_OK);
    // SAFETY: the component is alive.
    unsafe {
        assert_eq!(fmi2EnterInitializationMode(raw.component), FMI2_OK);
        assert_eq!(fmi2ExitInitializationMode(raw.component), FMI2_ERROR);
        assert_eq!(fmi2Reset(raw.component), FMI2_OK);
    }
    raw.start();
    assert_eq!(raw.step(0.0, 1e-3), FMI2_OK);
}

#[test]
fn outputs_before_the_start_follow_the_parameters() {
    let raw = Raw::in_state(ModelKind::LegSpatial, State::Initialization);
    let before = raw.get("tip.force[3]");
    assert_eq!(raw.set("pretension.tip_position[3]", 0.41), FMI2_OK);
    assert_eq!(raw.get("tip.position[3]"), 0.41);
    let after = raw.get("tip.force[3]");
    assert!((after - before).abs() > 1e-3, "{before} {after}");
    // Once it is set, the input stands on its own: the tip is moved there.
    assert_eq!(raw.set("tip.position[3]", 0.40), FMI2_OK);
    assert_eq!(raw.get("pretension.tip_position[3]"), 0.41);
    assert!(raw.get("tendon.length") < raw.get("equilibrium.chord"));
    // SAFETY: the component is alive.
    let status = unsafe { fmi2ExitInitializationMode(raw.component) };
    assert_eq!(status, FMI2_OK);
    assert_eq!(raw.step(0.0, 1e-3), FMI2_OK);
}

#[test]
fn booleans_choose() {
    let raw = Raw::new(ModelKind::LegPlanar);
    assert_eq!(raw.set_boolean("tendon.present", false), FMI2_OK);
    assert_eq!(raw.set_boolean("pretension.inward", true), FMI2_OK);
    raw.start();
    assert_eq!(raw.get("tendon.tension"), 0.0);
    assert!(
        raw.get("leaf.bending_moment")
            * Raw::started(ModelKind::LegPlanar).get("leaf.bending_moment")
            < 0.0
    );
}

/// With default inputs nothing blows up for a minute: the planar leg swings and loses energy all
/// the time, the crank of the spatial leg comes to rest.
#[test]
fn a_minute_of_default_inputs_stays_sane() {
    for kind in ModelKind::LEGS {
        let raw = Raw::started(kind);
        let energy = || {
            let parts = [
                "energy.kinetic",
                "energy.strain",
                "energy.tendon",
                "energy.gravity",
            ];
            parts.map(|name| raw.get(name)).iter().sum::<f64>()
        };
        let first = energy();
        let mut before = first;
        for k in 0..6000 {
            let time = f64::from(k) * 0.01;
            assert_eq!(raw.step(time, 0.01), FMI2_OK, "{} at {time}", kind.name());
            if k % 100 == 99 {
                let now = energy();
                assert!(now < before + 1e-6, "{time}");
                assert!(raw.get("energy.residual").abs() < 1e-3, "{time}");
                before = now;
                assert!(raw.get("joints.largest_gap") < 1e-12);
                assert!(raw.get("leaf.largest_axial_strain") < 1e-3);
                assert!((30.0..100.0).contains(&raw.get("tendon.tension")));
            }
        }
        assert!(before < first - 5e-3);
        if kind == ModelKind::LegSpatial {
            assert!(raw.get("energy.kinetic") < 1e-20);
        }
    }
}
