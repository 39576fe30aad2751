//! Steps of any length, inputs within them, and steps that fail.

use crate::models::tried;
use crate::support::{Random, Raw};
use leg_core::unit_planar::{PLANAR_INPUTS, PlanarInput, PlanarOutput};
use leg_core::{LegConfig, PlanarUnit};
use softdock_fmi::abi::{FMI2_DISCARD, FMI2_ERROR, FMI2_LAST_SUCCESSFUL_TIME, FMI2_OK};
use softdock_fmi::exports::access::*;
use softdock_fmi::exports::lifecycle::*;
use softdock_fmi::exports::state::*;
use softdock_fmi::exports::step::*;
use softdock_fmu::ModelKind;
use softdock_xml::Causality;
use std::ptr::null_mut;
use std::sync::OnceLock;

const PLANAR: ModelKind = ModelKind::LegPlanar;

fn last_time(raw: &Raw) -> f64 {
    let mut time = f64::NAN;
    // SAFETY: the place is there.
    let status = unsafe { fmi2GetRealStatus(raw.component, FMI2_LAST_SUCCESSFUL_TIME, &mut time) };
    assert_eq!(status, FMI2_OK);
    time
}

#[test]
fn steps_have_the_bits_of_the_native_leg() {
    let raw = Raw::started(PLANAR);
    let mut unit = PlanarUnit::new(&LegConfig::default(), &[0.0; PLANAR_INPUTS]).unwrap();
    let mut time = 0.0;
    for (k, length) in [1e-3, 1e-6, 0.0137, 3e-5, 0.1, 0.5e-3]
        .iter()
        .cycle()
        .take(60)
        .enumerate()
    {
        let load = (k as f64).sin();
        assert_eq!(raw.set("load.force[1]", load), FMI2_OK);
        unit.inputs_mut()[PlanarInput::LoadForceX as usize].value = load;
        assert_eq!(raw.step(time, *length), FMI2_OK);
        unit.advance_by(*length).unwrap();
        time += length;
        let out = unit.outputs().unwrap();
        for (name, index) in [
            ("q1", PlanarOutput::Angles as usize),
            ("q3_rate", PlanarOutput::Rates as usize + 2),
            ("tendon.tension", PlanarOutput::TendonTension as usize),
            ("leaf.thrust", PlanarOutput::Thrust as usize),
            ("energy.residual", PlanarOutput::Residual as usize),
            ("joints.largest_gap", PlanarOutput::LoopGap as usize),
        ] {
            assert_eq!(
                raw.get(name).to_bits(),
                out[index].to_bits(),
                "{name} at {time}"
            );
        }
    }
}

#[test]
fn times_are_accepted_with_rounding_and_no_step_is_skipped() {
    let raw = Raw::started(PLANAR);
    let mut time = 0.0;
    for _ in 0..10 {
        assert_eq!(raw.step(time, 0.1), FMI2_OK);
        time += 0.1;
    }
    // Ten steps of 0.1 make 0.9999999999999999.
    assert!(time < 1.0 && last_time(&raw) == time);
    assert_eq!(raw.step(1.0, 0.09999999999999998), FMI2_OK);
    assert_eq!(last_time(&raw), 1.0 + 0.09999999999999998);
    assert_eq!(raw.step(1.1 + 1e-6, 0.1), FMI2_ERROR);
}

#[test]
fn impossible_steps_are_refused() {
    for (time, length) in [
        (0.0, 0.0),
        (0.0, -0.0),
        (0.0, -1e-3),
        (0.0, f64::NAN),
        (0.0, f64::INFINITY),
        (f64::NAN, 1e-3),
        (f64::INFINITY, 1e-3),
        (1.0, 1e-3),
        (-1e-3, 1e-3),
    ] {
        let raw = Raw::started(PLANAR);
        assert_eq!(raw.step(time, length), FMI2_ERROR, "{time} {length}");
        assert_eq!(raw.get("energy.work_in"), 0.0);
    }
    // One that would take for ever is left to the caller to divide.
    for length in [1e9, 1e300, f64::MAX] {
        let raw = Raw::started(PLANAR);
        assert_eq!(raw.step(0.0, length), FMI2_DISCARD);
        assert_eq!(last_time(&raw), 0.0);
    }
}

#[test]
fn tiny_steps_add_up() {
    for kind in ModelKind::ALL {
        let (fine, coarse) = (Raw::started(kind), Raw::started(kind));
        let (input, size) = tried(kind).input;
        assert_eq!(fine.set(input, size), FMI2_OK);
        assert_eq!(coarse.set(input, size), FMI2_OK);
        assert_eq!(coarse.step(0.0, 1e-4), FMI2_OK);
        for k in 0..100 {
            assert_eq!(fine.step(f64::from(k) * 1e-6, 1e-6), FMI2_OK);
        }
        let output = tried(kind).outputs[0];
        let (a, b) = (fine.get(output), coarse.get(output));
        assert!((a - b).abs() < 1e-2 * b.abs(), "{a} {b}");
        assert_eq!(fine.step(1e-4, 1e-9), FMI2_OK);
    }
}

/// Names and references of the real outputs of a model, in the order of the description.
fn output_list(kind: ModelKind) -> &'static (Vec<String>, Vec<u32>) {
    static LISTS: [OnceLock<(Vec<String>, Vec<u32>)>; ModelKind::ALL.len()] =
        [const { OnceLock::new() }; ModelKind::ALL.len()];
    LISTS[kind as usize].get_or_init(|| {
        let description = kind.description().unwrap();
        let variables = description.model_variables.iter();
        let outputs = variables.filter(|variable| variable.causality == Causality::Output);
        outputs.map(|v| (v.name.clone(), v.value_reference)).unzip()
    })
}

/// All outputs of an instance.
fn outputs(raw: &Raw, kind: ModelKind) -> Vec<(String, f64)> {
    let (names, references) = output_list(kind);
    let mut values = vec![f64::NAN; references.len()];
    let (from, to) = (references.as_ptr(), values.as_mut_ptr());
    // SAFETY: as many values as references.
    let status = unsafe { fmi2GetReal(raw.component, from, references.len(), to) };
    assert_eq!(status, FMI2_OK);
    names.iter().cloned().zip(values).collect()
}

/// Sets what moves a leg in a step that ends `end` seconds after the start.
fn move_leg(raw: &Raw, kind: ModelKind, end: f64) {
    let (sine, cosine) = (50.0 * end).sin_cos();
    match kind {
        ModelKind::LegPlanar => {
            assert_eq!(raw.set("load.force[1]", 3.0 * sine), FMI2_OK);
        }
        ModelKind::LegSpatial => {
            let place = TIP_HEIGHT - 1e-4 * (1.0 - cosine);
            assert_eq!(raw.set("tip.position[3]", place), FMI2_OK);
            assert_eq!(raw.set("tip.velocity[3]", -5e-3 * sine), FMI2_OK);
        }
        _ => {
            let (name, amplitude) = tried(kind).input;
            assert_eq!(raw.set(name, 0.2 * amplitude * sine), FMI2_OK);
        }
    }
}

/// Height of the spatial leg's tip at its start [m].
const TIP_HEIGHT: f64 = 0.4;
const STEPS: usize = 120;
const STEP: f64 = 1e-3;

/// A run of [`STEPS`] from `start` with a leg that makes steps of `own` [s]; the last `sliver(k)` [s] of
/// step k, if any, are a step of their own. Gives the outputs after every step.
fn run(
    kind: ModelKind,
    (start, own): (f64, f64),
    sliver: impl Fn(usize) -> Option<f64>,
) -> Vec<Vec<(String, f64)>> {
    let raw = Raw::new(kind);
    assert_eq!(raw.set(tried(kind).step, own), FMI2_OK);
    // SAFETY: the component is alive.
    let status = unsafe { fmi2SetupExperiment(raw.component, 0, 0.0, start, 0, 0.0) };
    assert_eq!(status, FMI2_OK);
    raw.start();
    let mut time = start;
    let mut rows = Vec::new();
    for k in 0..STEPS {
        let end = (k + 1) as f64 * STEP;
        let sliver = sliver(k);
        move_leg(&raw, kind, end - sliver.unwrap_or(0.0));
        // The sliver is cut off the step, so that times stay those of a run without it.
        let length = STEP - sliver.unwrap_or(0.0);
        assert_eq!(raw.step(time, length), FMI2_OK, "{time}");
        time += length;
        if let Some(length) = sliver {
            move_leg(&raw, kind, end);
            assert_eq!(raw.step(time, length), FMI2_OK, "{length} at {time}");
            time += length;
        }
        rows.push(outputs(&raw, kind));
    }
    rows
}

#[test]
fn the_start_time_leaves_no_trace() {
    for kind in ModelKind::ALL {
        let reference = run(kind, (0.0, STEP), |_| None);
        for start in [3e4, 86_400.0, 1e7, -5.5] {
            let rows = run(kind, (start, STEP), |_| None);
            for (row, expected) in rows.iter().zip(&reference) {
                for ((name, value), (_, expected)) in row.iter().zip(expected) {
                    assert_eq!(value.to_bits(), expected.to_bits(), "{name} from {start} s");
                }
            }
        }
        // Where the caller's clock cannot show its own steps, it is the length that counts.
        let raw = Raw::new(kind);
        // SAFETY: the component is alive.
        let status = unsafe { fmi2SetupExperiment(raw.component, 0, 0.0, 1e12, 0, 0.0) };
        assert_eq!(status, FMI2_OK);
        raw.start();
        assert_eq!(raw.step(1e12, 0.05), FMI2_OK);
        let other = Raw::started(kind);
        assert_eq!(other.step(0.0, 0.05), FMI2_OK);
        for ((name, value), (_, expected)) in outputs(&raw, kind).iter().zip(&outputs(&other, kind))
        {
            assert_eq!(value.to_bits(), expected.to_bits(), "{name}");
        }
    }
}

/// Steps of rounding size, as callers make them that add up their steps: outputs stay, and the run
/// goes on as without them.
#[test]
fn steps_of_rounding_size_move_time_only() {
    for kind in ModelKind::ALL {
        let raw = Raw::started(kind);
        let mut time = 0.0;
        for k in 0..40 {
            move_leg(&raw, kind, f64::from(k + 1) * STEP);
            assert_eq!(raw.step(time, STEP), FMI2_OK);
            time += STEP;
        }
        let before = outputs(&raw, kind);
        for length in [2e-13, 1e-14, 1e-10, 5e-9, f64::from_bits(1)] {
            assert_eq!(raw.step(time, length), FMI2_OK, "{length}");
            time += length;
            for ((name, value), (_, expected)) in outputs(&raw, kind).iter().zip(&before) {
                assert_eq!(
                    value.to_bits(),
                    expected.to_bits(),
                    "{name} after {length} s"
                );
            }
        }
        assert_eq!(last_time(&raw), time);
    }
}

/// Rounding of an output, relative to its largest value.
const ROUNDING: f64 = 1e-9;
/// What a force out of the plane of symmetry may be, which would be zero without rounding [N].
const NOTHING: f64 = 1e-30;

/// Models other than legs do not begin short steps with projected velocities: what their forces may
/// differ by, in own errors and as a part of the quantity's size.
const SLIVERS: [f64; 2] = [3.0, 2e-4];

/// Steps of 1e-6 to 1e-14 s change nothing beyond the error that a step of the leg has anyway: what
/// halving the leg's own step changes.
#[test]
fn slivers_strewn_into_a_run_do_not_disturb_it() {
    for kind in ModelKind::ALL {
        let (reference, finer) = (
            run(kind, (0.0, STEP), |_| None),
            run(kind, (0.0, 0.5 * STEP), |_| None),
        );
        let mut random = Random(7);
        let lengths: Vec<Option<f64>> = (0..STEPS)
            .map(|_| (random.below(3) == 0).then(|| 10.0_f64.powf(-6.0 - random.below(9) as f64)))
            .collect();
        let strewn = run(kind, (0.0, STEP), |k| lengths[k]);
        for (i, (name, _)) in reference[0].iter().enumerate() {
            let farthest = |rows: &[Vec<(String, f64)>], i: usize| {
                let pairs = rows.iter().zip(&reference);
                let distances = pairs.map(|(a, b)| (a[i].1 - b[i].1).abs());
                distances.fold(0.0, f64::max)
            };
            // What is said about the force over a step depends on how many steps of the leg it has: a
            // single one has no quadratic part. It is as accurate as the force.
            let mut measure = i;
            if let Some((_, axis)) = name
                .strip_prefix("tip.force_")
                .and_then(|n| n.split_once('['))
            {
                let force = format!("tip.force[{axis}");
                let found = reference[0].iter().position(|(name, _)| *name == force);
                measure = found.expect(&force);
            }
            let scale = reference
                .iter()
                .fold(0.0, |m: f64, row| m.max(row[i].1.abs()));
            let own = farthest(&finer, i).max(farthest(&finer, measure));
            let worst = farthest(&strewn, i);
            println!("{kind:?} {name}: {worst:e}, own error {own:e}, largest {scale:e}");
            let allowed = if ModelKind::LEGS.contains(&kind) {
                own + ROUNDING * scale + NOTHING
            } else {
                // The size of the quantity: an axis of symmetry has none of its own.
                let quantity = |name: &str| name.split('[').next().map(str::to_owned);
                let alike = reference[0].iter().enumerate();
                let alike = alike.filter(|(_, (other, _))| quantity(other) == quantity(name));
                let sizes =
                    alike.flat_map(|(i, _)| reference.iter().map(move |row| row[i].1.abs()));
                SLIVERS[0] * own + SLIVERS[1] * sizes.fold(0.0, f64::max)
            };
            assert!(worst <= allowed, "{name}: {worst:e}, {own:e} of {scale:e}");
        }
    }
}

#[test]
fn a_step_beyond_the_stop_time_is_refused() {
    let raw = Raw::new(PLANAR);
    // SAFETY: the component is alive.
    let status = unsafe { fmi2SetupExperiment(raw.component, 1, 1e-4, 2.0, 1, 2.01) };
    assert_eq!(status, FMI2_OK);
    raw.start();
    for k in 0..10 {
        assert_eq!(raw.step(2.0 + f64::from(k) * 1e-3, 1e-3), FMI2_OK);
    }
    assert_eq!(raw.step(2.01, 1e-3), FMI2_ERROR);
    for (start, stop) in [(f64::NAN, 1.0), (0.0, -1.0), (0.0, f64::NAN)] {
        let raw = Raw::new(PLANAR);
        // SAFETY: the component is alive.
        let status = unsafe { fmi2SetupExperiment(raw.component, 0, 0.0, start, 1, stop) };
        assert_eq!(status, FMI2_ERROR);
    }
}

#[test]
fn a_failed_step_leaves_the_last_good_state() {
    let raw = Raw::started(PLANAR);
    assert_eq!(raw.step(0.0, 0.01), FMI2_OK);
    let mut saved = null_mut();
    // SAFETY: the place is there.
    unsafe { assert_eq!(fmi2GetFMUstate(raw.component, &mut saved), FMI2_OK) };
    let before: Vec<f64> = ["q1", "q2_rate", "tendon.tension", "energy.residual"]
        .map(|name| raw.get(name))
        .to_vec();
    for (input, load) in [("load.force[1]", 1e300), ("load.torque", -1e200)] {
        assert_eq!(raw.set(input, load), FMI2_OK);
        assert_eq!(raw.step(0.01, 0.01), FMI2_DISCARD);
        assert_eq!(last_time(&raw), 0.01);
        let after: Vec<f64> = ["q1", "q2_rate", "tendon.tension", "energy.residual"]
            .map(|name| raw.get(name))
            .to_vec();
        assert_eq!(before, after);
        // SAFETY: the state was saved above.
        unsafe { assert_eq!(fmi2SetFMUstate(raw.component, saved), FMI2_OK) };
    }
    assert_eq!(raw.get("load.force[1]"), 0.0);
    assert_eq!(raw.step(0.01, 0.01), FMI2_OK);
}

#[test]
fn inputs_are_polynomials_where_derivatives_are_given() {
    let drive = |derivatives: &[f64], steps: i32| {
        let raw = Raw::started(PLANAR);
        let length = 0.02 / f64::from(steps);
        let load = raw.reference("load.force[1]");
        for k in 0..steps {
            let s = f64::from(k) * length;
            // Value and derivatives of u = d1 s + d2 s²/2 + d3 s³/6 at s.
            let [d1, d2, d3] = [0, 1, 2].map(|i| derivatives.get(i).copied().unwrap_or(0.0));
            let value = s * (d1 + s * (d2 / 2.0 + s * d3 / 6.0));
            let slopes = [d1 + s * (d2 + s * d3 / 2.0), d2 + s * d3, d3];
            assert_eq!(raw.set("load.force[1]", value), FMI2_OK);
            // SAFETY: three references, orders and values.
            let status = unsafe {
                fmi2SetRealInputDerivatives(
                    raw.component,
                    [load; 3].as_ptr(),
                    3,
                    [1, 2, 3].as_ptr(),
                    slopes.as_ptr(),
                )
            };
            assert_eq!(status, FMI2_OK);
            assert_eq!(raw.step(s, length), FMI2_OK);
        }
        (
            raw.get("q3"),
            raw.get("tendon.tension"),
            raw.get("load.force[1]"),
        )
    };
    for derivatives in [&[200.0][..], &[100.0, 1e4], &[50.0, -1e4, 2e6]] {
        let (whole, parts) = (drive(derivatives, 1), drive(derivatives, 20));
        assert!((whole.0 - parts.0).abs() < 1e-12, "{whole:?} {parts:?}");
        assert!((whole.1 - parts.1).abs() < 1e-9, "{whole:?} {parts:?}");
        assert!((whole.2 - parts.2).abs() < 1e-12 * whole.2.abs());
        assert!((whole.0 - drive(&[], 1).0).abs() > 1e-6);
    }
}

#[test]
fn orders_out_of_range_are_refused() {
    let mut value = 0.0;
    for order in [0, -1, 4, i32::MAX] {
        let raw = Raw::started(PLANAR);
        let load = raw.reference("load.torque");
        // SAFETY: one reference, order and value.
        let status = unsafe { fmi2SetRealInputDerivatives(raw.component, &load, 1, &order, &1.0) };
        assert_eq!(status, FMI2_ERROR, "{order}");
    }
    for order in [0, 2, -1] {
        let raw = Raw::started(PLANAR);
        let output = raw.reference("q1");
        // SAFETY: one reference, order and value.
        let status =
            unsafe { fmi2GetRealOutputDerivatives(raw.component, &output, 1, &order, &mut value) };
        assert_eq!(status, FMI2_ERROR, "{order}");
    }
    let raw = Raw::started(PLANAR);
    let load = raw.reference("load.torque");
    // SAFETY: one reference, order and value.
    unsafe {
        let c = raw.component;
        let bad = fmi2SetRealInputDerivatives(c, &load, 1, &1, &f64::NAN);
        assert_eq!(bad, FMI2_DISCARD);
        assert_eq!(raw.step(0.0, 1e-3), FMI2_OK);
    }
}
