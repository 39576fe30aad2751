//! The units against the simulations they wrap, and against themselves after going back.

#![allow(clippy::unwrap_used)]

use super::config::MotorMode;
use super::planar::Channel;
use super::series::{Recording, Series};
use super::spatial::{Foundation, TipDrive};
use super::unit::{Cubic, LegUnit, OutputGroup, Saved, UnitLeg};
use super::unit_planar::{PLANAR_INPUTS, PLANAR_OUTPUTS, PlanarInput, PlanarOutput};
use super::unit_spatial::{SPATIAL_INPUTS, SPATIAL_OUTPUTS, SpatialInput, SpatialOutput};
use super::{
    LegConfig, LegError, PlanarUnit, Simulation, SpatialLegConfig, SpatialSimulation, SpatialUnit,
};
use multibody::dynamics::Advance;
use multibody::group::Group;
use multibody::model::Signal;
use nalgebra::Vector3;

const TIP: [f64; 3] = [0.19, 0.0, 0.40];

fn planar_config(mode: MotorMode) -> LegConfig {
    let mut config = LegConfig::default();
    config.motor.mode = mode;
    config.solver.elements = 6;
    config
}

fn spatial_config(mode: MotorMode) -> SpatialLegConfig {
    let mut config = SpatialLegConfig::default();
    config.motor.mode = mode;
    config.solver.elements = 6;
    config
}

fn spatial_inputs() -> [f64; SPATIAL_INPUTS] {
    let mut inputs = [0.0; SPATIAL_INPUTS];
    inputs[..3].copy_from_slice(&TIP);
    inputs
}

/// Moves a unit on to `end` [s] after its start.
fn to<L, G, const N: usize, const D: usize>(
    unit: &mut LegUnit<L, G, N, D>,
    end: f64,
) -> Result<Advance, LegError>
where
    L: UnitLeg<G, N, D>,
    G: Group<N, D>,
{
    unit.advance_by(end - unit.time())
}

#[test]
fn planar_unit_has_the_bits_of_the_simulation() {
    for (mode, step) in [(MotorMode::Hold, 1e-3), (MotorMode::Torque, 3e-3)] {
        let mut config = planar_config(mode);
        let mut unit = PlanarUnit::new(&config, &[0.0; PLANAR_INPUTS]).unwrap();
        config.load.force_x_n = super::config::History::Constant(0.0);
        let mut simulation = Simulation::new(&config).unwrap();
        for k in 1..=200 {
            let time = f64::from(k) * step;
            if k == 50 {
                unit.inputs_mut()[PlanarInput::LoadForceX as usize].value = 3.0;
                simulation.set_signal(Channel::LoadX, Signal::Constant(3.0));
            }
            unit.advance_by(step).unwrap();
            simulation.advance_to(time).unwrap();
            let (out, sample) = (unit.outputs().unwrap(), simulation.sample().unwrap());
            assert_eq!(out[..3], sample.q);
            assert_eq!(out[3..6], sample.q_dot);
            assert_eq!(
                out[PlanarOutput::TendonTension as usize],
                sample.tendon_tension
            );
            assert_eq!(out[PlanarOutput::MotorTorque as usize], sample.crank_torque);
            assert_eq!(out[PlanarOutput::Stations as usize], sample.stations[0][0]);
            assert_eq!(out[PlanarOutput::Residual as usize], sample.energy_residual);
            assert_eq!(out[PlanarOutput::LoopGap as usize], sample.loop_gap);
        }
    }
}

#[test]
fn spatial_unit_has_the_bits_of_the_simulation() {
    let config = spatial_config(MotorMode::Hold);
    let mut unit = SpatialUnit::new(&config, true, &spatial_inputs()).unwrap();
    let mut simulation = SpatialSimulation::new(&config, TipDrive::Prescribed).unwrap();
    for k in 1..=100 {
        let time = f64::from(k) * 1e-3;
        unit.advance_by(1e-3).unwrap();
        simulation.advance_to(time).unwrap();
        let (out, sample) = (unit.outputs().unwrap(), simulation.sample().unwrap());
        assert_eq!(out[SpatialOutput::MotorAngle as usize], sample.q1);
        assert_eq!(out[4..7], sample.tip_force);
        assert_eq!(out[9..12], sample.mid_point);
        assert_eq!(
            out[SpatialOutput::Residual as usize],
            sample.energy_residual
        );
    }
    let force = unit.outputs().unwrap()[SpatialOutput::TipForce as usize + 2];
    assert!(
        force.abs() < 5.0,
        "the leg carries little but its own weight: {force} N"
    );
}

#[test]
fn tip_ends_where_its_inputs_say() {
    let config = spatial_config(MotorMode::Locked);
    let mut unit = SpatialUnit::new(&config, true, &spatial_inputs()).unwrap();
    unit.inputs_mut()[0].value = TIP[0] + 1e-3;
    unit.inputs_mut()[3].value = 0.2;
    unit.advance_by(0.01).unwrap();
    let tip = unit.state().pose(unit.leg().node_b).translation();
    assert!((tip.x - TIP[0] - 1e-3).abs() < 1e-12);
    assert!((unit.state().inputs.rate[2] - 0.2).abs() < 1e-12);
    // A polynomial from the start of the step: x + 0.2 s + ½ 10 s².
    unit.inputs_mut()[0].set_derivative(1, 0.2);
    unit.inputs_mut()[0].set_derivative(2, 10.0);
    unit.advance_by(0.01).unwrap();
    let tip = unit.state().pose(unit.leg().node_b).translation();
    assert!((tip.x - TIP[0] - 1e-3 - 0.002 - 0.0005).abs() < 1e-12);
    assert!((unit.state().inputs.rate[2] - 0.3).abs() < 1e-12);
    assert_eq!(unit.inputs()[0].order(), 0);
    assert!((unit.inputs()[0].value - TIP[0] - 3.5e-3).abs() < 1e-15);
}

#[test]
fn a_leg_may_start_elsewhere_than_where_it_was_pretensioned() {
    let config = spatial_config(MotorMode::Locked);
    let mut inputs = spatial_inputs();
    let home = SpatialUnit::new(&config, true, &inputs).unwrap();
    inputs[2] += 0.01;
    let mut unit = SpatialUnit::new(&config, true, &inputs).unwrap();
    assert_eq!(unit.origin().rest_length, home.origin().rest_length);
    let before = unit.outputs().unwrap();
    to(&mut unit, 0.05).unwrap();
    let after = unit.outputs().unwrap();
    for i in 0..SpatialOutput::AxialStrain as usize {
        assert!(
            (before[i] - after[i]).abs() < 1e-6,
            "output {i}: {} {}",
            before[i],
            after[i]
        );
    }
}

#[test]
fn a_failed_step_leaves_everything_as_it_was() {
    let config = spatial_config(MotorMode::Locked);
    let mut unit = SpatialUnit::new(&config, true, &spatial_inputs()).unwrap();
    to(&mut unit, 0.01).unwrap();
    let (before, derivative) = (unit.outputs().unwrap(), unit.derivative(4, 0).unwrap());
    let inputs = unit.inputs().to_vec();
    // The leaf does not reach this far.
    unit.inputs_mut()[2].value = 3.0;
    let error = to(&mut unit, 0.011).unwrap_err();
    println!("{error}");
    assert_eq!(unit.time(), 0.01);
    assert_eq!(unit.outputs().unwrap(), before);
    assert_eq!(unit.derivative(4, 0).unwrap(), derivative);
    unit.inputs_mut().copy_from_slice(&inputs);
    to(&mut unit, 0.011).unwrap();
    assert!(to(&mut unit, 0.011).is_err());
    assert!(to(&mut unit, f64::NAN).is_err());
    assert!(to(&mut unit, 1e9).is_err());
    assert!(to(&mut unit, f64::INFINITY).is_err());
}

/// Goes on, back and on again; the bits must be those of the straight run.
fn goes_back<L, G, const N: usize, const D: usize>(
    mut unit: LegUnit<L, G, N, D>,
    config: &L::Config,
) where
    L: UnitLeg<G, N, D>,
    G: Group<N, D>,
{
    let mut saved = unit.save();
    for k in 1..=5 {
        to(&mut unit, 2e-3 * f64::from(k)).unwrap();
        unit.save_into(&mut saved);
    }
    let at_saved = unit.outputs().unwrap();
    let mut straight = Vec::new();
    for k in 6..=10 {
        to(&mut unit, 2e-3 * f64::from(k)).unwrap();
        straight.push(unit.outputs().unwrap());
    }
    let go_on = |mut unit: LegUnit<L, G, N, D>| {
        assert_eq!(unit.outputs().unwrap(), at_saved);
        for (k, expected) in (6..=10).zip(&straight) {
            to(&mut unit, 2e-3 * f64::from(k)).unwrap();
            assert_eq!(&unit.outputs().unwrap(), expected);
        }
    };
    unit.restore(&saved);
    go_on(unit);
    let numbers = saved.to_numbers();
    let copy = Saved::<L, G, N>::from_numbers(config, &numbers).unwrap();
    assert_eq!(copy.to_numbers(), numbers);
    go_on(LegUnit::from_saved(&copy));
    assert!(Saved::<L, G, N>::from_numbers(config, &numbers[1..]).is_err());
    assert!(Saved::<L, G, N>::from_numbers(config, &[]).is_err());
}

#[test]
fn going_back_gives_the_bits_of_the_straight_run() {
    let mut planar = planar_config(MotorMode::Hold);
    goes_back(
        PlanarUnit::new(&planar, &[0.1; PLANAR_INPUTS]).unwrap(),
        &planar,
    );
    planar.solver.adaptive = true;
    goes_back(
        PlanarUnit::new(&planar, &[0.1; PLANAR_INPUTS]).unwrap(),
        &planar,
    );
    let spatial = spatial_config(MotorMode::Torque);
    let mut inputs = spatial_inputs();
    inputs[0] += 1e-3;
    inputs[6] = 0.5;
    goes_back(SpatialUnit::new(&spatial, true, &inputs).unwrap(), &spatial);
    goes_back(on_moving_base(&spatial), &spatial);
}

/// A leg whose base is to move and to turn.
fn on_moving_base(config: &SpatialLegConfig) -> SpatialUnit {
    let (moving, inputs) = (Foundation::Moving, spatial_inputs());
    let mut unit = *SpatialUnit::boxed(config, moving, true, &inputs).unwrap();
    let places = [1e-4, -5e-5, 2e-5, 2e-4, -1e-4, 1e-4];
    for (i, place) in places.into_iter().enumerate() {
        let inputs = unit.inputs_mut();
        inputs[SpatialInput::BasePlace as usize + i].value = place;
        inputs[SpatialInput::BaseRate as usize + i].value = place / 0.02;
    }
    unit
}

/// What an equilibrium misses, in parts of the force (for moments: metres).
const BALANCE: f64 = 1e-7;
/// What the leaf's vibrations, which the way has stirred up and its damping has calmed down for three
/// seconds, may leave of it (found: 1.6e-7, a third every half second).
const CARRIED: f64 = 1e-6;

/// A leg that is carried along as a whole, however it is turned, does not notice: its forces turn with
/// it, and those on tip and base balance.
#[test]
fn forces_turn_with_a_base_that_carries_the_tip_along() {
    let mut config = spatial_config(MotorMode::Locked);
    config.gravity_m_s2 = [0.0; 3];
    config.leaf.rayleigh_stiffness_s = 1e-3;
    config.leaf.rayleigh_mass_per_s = 5.0;
    // Where nothing holds it, thrust and tendon balance inside the leg: this tip is held aside.
    let tip = Vector3::from(TIP) + Vector3::new(2e-3, 1e-3, -1e-3);
    let (moving, mut inputs) = (Foundation::Moving, spatial_inputs());
    inputs[..3].copy_from_slice(tip.as_slice());
    let mut unit = *SpatialUnit::boxed(&config, moving, true, &inputs).unwrap();
    let at = |unit: &SpatialUnit| {
        let state = unit.state();
        (unit.leg().tip_force(state), unit.leg().base_wrench(state))
    };
    let (force, wrench) = at(&unit);
    let on_base: Vector3<f64> = wrench.fixed_rows::<3>(0).into();
    let moment: Vector3<f64> = wrench.fixed_rows::<3>(3).into();
    let missed = (force + on_base).norm() / force.norm();
    let turning = (tip.cross(&force) + moment).norm() / force.norm();
    println!("balance: {missed:e} {turning:e}");
    assert!(missed < BALANCE && turning < BALANCE);
    // A turn of 0.4 rad and a way of 0.2 m within 2 s, by a ramp that begins and ends at rest.
    let (way, turn) = (Vector3::new(0.1, -0.05, 0.2), Vector3::new(0.2, 0.3, -0.15));
    for k in 1..=200 {
        let s = f64::from(k) / 200.0;
        let (share, rate) = (s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s) / 2.0);
        let rotation = nalgebra::Rotation3::new(turn * share);
        let place = way * share + rotation * tip;
        let velocity = way * rate + (turn * rate).cross(&(rotation * tip));
        let inputs = unit.inputs_mut();
        for i in 0..3 {
            inputs[SpatialInput::TipPosition as usize + i].value = place[i];
            inputs[SpatialInput::TipVelocity as usize + i].value = velocity[i];
            inputs[SpatialInput::BasePlace as usize + i].value = way[i] * share;
            inputs[SpatialInput::BasePlace as usize + 3 + i].value = turn[i] * share;
            inputs[SpatialInput::BaseRate as usize + i].value = way[i] * rate;
            inputs[SpatialInput::BaseRate as usize + 3 + i].value = turn[i] * rate;
        }
        to(&mut unit, 0.01 * f64::from(k)).unwrap();
    }
    // It comes to rest, but for what the ramp has stirred up.
    unit.advance_by(3.0).unwrap();
    let rotation = nalgebra::Rotation3::new(turn);
    let (there, on_base) = at(&unit);
    let off = (there - rotation * force).norm() / force.norm();
    let now: Vector3<f64> = on_base.fixed_rows::<3>(3).into();
    let moment_off = (now - rotation * moment).norm() / force.norm();
    println!("carried along: {off:e} {moment_off:e}");
    assert!(
        off < CARRIED && moment_off < CARRIED,
        "{off:e} {moment_off:e}"
    );
}

#[test]
fn derivatives_on_a_moving_base_are_those_of_repeated_steps() {
    for length in [1e-3, 4e-3] {
        let mut config = spatial_config(MotorMode::Hold);
        config.solver.newton_tolerance = 1e-9;
        let mut unit = on_moving_base(&config);
        to(&mut unit, 0.02).unwrap();
        for (i, by) in [1e-4, -5e-5, 2e-5].into_iter().enumerate() {
            unit.inputs_mut()[i].value += by;
            unit.inputs_mut()[SpatialInput::BasePlace as usize + 3 + i].value += by;
        }
        let (place, speed) = (1e-6, 1e-4);
        let tip = [place, place, place, speed, speed, speed, 0.1, 1e-4, 0.1];
        let base = [[place; 6], [speed; 6]].concat();
        derivatives_agree(unit, length, &[&tip[..], &base].concat());
    }
}

/// Every derivative against central differences of repeated steps. `sizes` are the changes of the
/// inputs; what counts is the error of an output's change against the largest change that any
/// input of that size makes.
fn derivatives_agree<L, G, const N: usize, const D: usize>(
    mut unit: LegUnit<L, G, N, D>,
    length: f64,
    sizes: &[f64],
) where
    L: UnitLeg<G, N, D>,
    G: Group<N, D>,
{
    let before = unit.save();
    let end = unit.time() + length;
    let count = LegUnit::<L, G, N, D>::output_count();
    let mut differences = |input: usize, change: f64| {
        let mut at = |change: f64| {
            unit.restore(&before);
            unit.inputs_mut()[input].value += change;
            to(&mut unit, end).unwrap();
            unit.outputs().unwrap()
        };
        let (plus, minus) = (at(change), at(-change));
        (0..count)
            .map(|i| 0.5 * (plus[i] - minus[i]))
            .collect::<Vec<f64>>()
    };
    // Changes of the outputs, Richardson taking the differences' own error of second order out.
    let changes: Vec<Vec<f64>> = (0..L::INPUTS)
        .map(|input| {
            let (fine, coarse) = (
                differences(input, sizes[input]),
                differences(input, 2.0 * sizes[input]),
            );
            fine.iter()
                .zip(&coarse)
                .map(|(f, c)| (4.0 * f - 0.5 * c) / 3.0)
                .collect()
        })
        .collect();
    unit.restore(&before);
    to(&mut unit, end).unwrap();
    let mut worst: (f64, usize, usize) = (0.0, 0, 0);
    let diagnostic = L::outputs(OutputGroup::Diagnostic);
    for output in (0..count).filter(|output| !diagnostic.contains(output)) {
        // What the ledger misses is a small difference of energies: it is measured by those. Higher
        // orders of the course of a force, which one step does not have, by the lower ones.
        let energies = L::outputs(OutputGroup::Energy);
        let course = L::outputs(OutputGroup::Course);
        let rows = if output == energies.end - 1 {
            energies
        } else if course.contains(&output) {
            course
        } else {
            output..output + 1
        };
        let sizes_of = |change: &Vec<f64>| {
            change[rows.clone()]
                .iter()
                .map(|x| x.abs())
                .fold(0.0, f64::max)
        };
        let scale = changes.iter().map(sizes_of).fold(1e-12, f64::max);
        for input in 0..L::INPUTS {
            let exact = unit.derivative(output, input).unwrap() * sizes[input];
            let error = (exact - changes[input][output]).abs() / scale;
            if error > worst.0 {
                worst = (error, output, input);
            }
        }
    }
    println!("step {length}: {worst:?}");
    assert!(worst.0 < 1e-6, "step {length}: {worst:?}");
}

#[test]
fn derivatives_of_the_planar_unit_are_those_of_repeated_steps() {
    for mode in [
        MotorMode::Hold,
        MotorMode::Torque,
        MotorMode::Angle,
        MotorMode::Locked,
    ] {
        for length in [1e-3, 5e-3] {
            let mut config = planar_config(mode);
            config.solver.newton_tolerance = 1e-9;
            let mut unit = PlanarUnit::new(&config, &[0.0; PLANAR_INPUTS]).unwrap();
            unit.inputs_mut()[PlanarInput::LoadForceY as usize].value = 5.0;
            to(&mut unit, 0.02).unwrap();
            // Loads so large that rounding of the leaf's moment does not show in the differences.
            derivatives_agree(unit, length, &[0.1, 1e-4, 0.1, 1.0, 1.0]);
        }
    }
}

#[test]
fn derivatives_of_the_spatial_unit_are_those_of_repeated_steps() {
    for mode in [MotorMode::Hold, MotorMode::Locked] {
        for length in [1e-3, 4e-3] {
            let mut config = spatial_config(mode);
            config.solver.newton_tolerance = 1e-9;
            let mut unit = SpatialUnit::new(&config, true, &spatial_inputs()).unwrap();
            unit.inputs_mut()[SpatialInput::TipPosition as usize].value += 1e-3;
            unit.inputs_mut()[SpatialInput::TipVelocity as usize].value = 0.05;
            to(&mut unit, 0.02).unwrap();
            for i in 0..3 {
                unit.inputs_mut()[i].value += [1e-4, -5e-5, 2e-5][i];
            }
            let (place, speed) = (1e-6, 1e-4);
            let tip = [place, place, place, speed, speed, speed, 0.1, 1e-4, 0.1];
            // Nothing moves the ground.
            derivatives_agree(unit, length, &[&tip[..], &[1.0; 12]].concat());
        }
    }
}

#[test]
fn derivatives_know_adaptive_steps() {
    let mut config = planar_config(MotorMode::Torque);
    config.solver.adaptive = true;
    let mut unit = PlanarUnit::new(&config, &[0.0; PLANAR_INPUTS]).unwrap();
    to(&mut unit, 0.02).unwrap();
    to(&mut unit, 0.03).unwrap();
    assert!(unit.derivative(0, 0).unwrap() > 0.0);
}

#[test]
fn rates_are_the_slopes_of_the_outputs() {
    let mut config = planar_config(MotorMode::Hold);
    config.solver.step_s = 1e-4;
    config.leaf.rayleigh_stiffness_s = 1e-3;
    let mut unit = PlanarUnit::new(&config, &[0.0; PLANAR_INPUTS]).unwrap();
    unit.inputs_mut()[PlanarInput::LoadForceX as usize].value = 5.0;
    to(&mut unit, 0.05).unwrap();
    let mut rates = vec![0.0; PLANAR_OUTPUTS];
    let mut history = Vec::new();
    for k in 1..=3 {
        to(&mut unit, 0.05 + 1e-4 * f64::from(k)).unwrap();
        history.push(unit.outputs().unwrap());
        if k == 2 {
            for group in OutputGroup::ALL {
                unit.rates(group, &mut rates[super::PlanarLeg::outputs(group)])
                    .unwrap();
            }
        }
    }
    for i in 0..PlanarOutput::AxialStrain as usize {
        let slope = (history[2][i] - history[0][i]) / 2e-4;
        let back = (history[1][i] - history[0][i]) / 1e-4;
        let allowed = 1e-3 * slope.abs() + 2.0 * (slope - back).abs() + 1e-4;
        assert!(
            (rates[i] - slope).abs() < allowed,
            "output {i}: {} {slope}",
            rates[i]
        );
    }
    assert_eq!(history[0].len(), PLANAR_OUTPUTS);
    let config = spatial_config(MotorMode::Hold);
    let unit = SpatialUnit::new(&config, true, &spatial_inputs()).unwrap();
    assert_eq!(unit.outputs().unwrap().len(), SPATIAL_OUTPUTS);
}

/// The force of the tip over a step of ten, against what a master sees that looks ten times.
#[test]
fn course_of_the_force_is_what_many_looks_see() {
    let config = spatial_config(MotorMode::Locked);
    let mut unit = SpatialUnit::new(&config, true, &spatial_inputs()).unwrap();
    let (length, count) = (0.01, 10);
    // Without any acceleration at its start.
    let (way, speed) = (1e-4, 0.03);
    let before = unit.save();
    let mut last: [f64; 3] = unit.leg().tip_force(unit.state()).into();
    assert_eq!(*unit.port_force_series(), Series::constant(last));
    let from = config.tip_position_m[0];
    let curve = Cubic::hermite((from, 0.0), (from + way, speed), length);
    let inputs = unit.inputs_mut();
    inputs[SpatialInput::TipPosition as usize].value = from + way;
    inputs[SpatialInput::TipVelocity as usize].value = speed;
    to(&mut unit, length).unwrap();
    let told = *unit.port_force_series();
    assert!(told.0.iter().all(|row| row[2].abs() > 1e-3), "{told:?}");

    unit.restore(&before);
    let mut seen = Recording::default();
    for k in 1..=count {
        let span = [k - 1, k].map(|k| f64::from(k) / f64::from(count));
        let (place, rate, _) = curve.sample(length * span[1]);
        let inputs = unit.inputs_mut();
        inputs[SpatialInput::TipPosition as usize].value = place;
        inputs[SpatialInput::TipVelocity as usize].value = rate;
        to(&mut unit, length * span[1]).unwrap();
        let force: [f64; 3] = unit.leg().tip_force(unit.state()).into();
        seen.add(span, [&last, &force]);
        last = force;
    }
    let (told, seen) = (told.0.as_flattened(), seen.series().0);
    for (told, seen) in told.iter().zip(seen.as_flattened()) {
        assert!((told - seen).abs() < 1e-6, "{told} {seen}");
    }
}

#[test]
fn course_of_the_force_changes_as_its_rate_says() {
    let mut config = spatial_config(MotorMode::Locked);
    config.solver.step_s = 2e-5;
    let start = SpatialUnit::new(&config, true, &spatial_inputs()).unwrap();
    let pulled = |length: f64| {
        let mut unit = start.clone();
        let input = &mut unit.inputs_mut()[SpatialInput::TipPosition as usize];
        input.set_derivative(3, 1e3);
        to(&mut unit, length).unwrap();
        unit
    };
    // The same number of steps, a little longer or shorter.
    let (length, change) = (0.00999, 1e-6);
    let mut rates = [0.0; 12];
    let mut here = pulled(length);
    here.rates(OutputGroup::Course, &mut rates).unwrap();
    let ends = [length + change, length - change].map(|length| *pulled(length).port_force_series());
    let slopes = ends[0]
        .0
        .as_flattened()
        .iter()
        .zip(ends[1].0.as_flattened());
    let slopes = slopes.map(|(a, b)| (a - b) / (2.0 * change));
    let largest = rates.iter().fold(0.0, |max: f64, rate| max.max(rate.abs()));
    for (rate, slope) in rates.iter().zip(slopes) {
        assert!(
            (rate - slope).abs() < 0.05 * largest,
            "{rate} {slope} {rates:?}"
        );
    }
}

/// Outputs after every millisecond, of steps whose parts `parts` gives for each [s].
fn by_parts<L, G, const N: usize, const D: usize>(
    mut unit: LegUnit<L, G, N, D>,
    output: usize,
    parts: impl Fn(usize) -> Vec<f64>,
) -> Vec<f64>
where
    L: UnitLeg<G, N, D>,
    G: Group<N, D>,
{
    let step = |k: usize| {
        for (i, part) in parts(k).into_iter().enumerate() {
            let done = unit.advance_by(part);
            done.unwrap_or_else(|error| panic!("part {i} of step {k}, {part} s: {error}"));
        }
        unit.outputs().unwrap()[output]
    };
    (0..MILLISECONDS).map(step).collect()
}

const MILLISECONDS: usize = 300;

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    let distances = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    distances.fold(0.0, f64::max)
}

/// Short communication steps among long ones, of any size between rounding and the leg's own step,
/// once in a while and each time: the reaction that feels it most stays within what halving the step
/// changes.
fn short_steps_do_not_disturb<L, G, const N: usize, const D: usize>(
    unit: impl Fn(f64) -> LegUnit<L, G, N, D>,
    output: usize,
) where
    L: UnitLeg<G, N, D>,
    G: Group<N, D>,
{
    let whole = |_: usize| vec![1e-3];
    let reference = by_parts(unit(1e-3), output, whole);
    let own = farthest(&by_parts(unit(0.5e-3), output, whole), &reference);
    for length in [2e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4] {
        for every in [1, 2, 5, 20] {
            let divided = |k: usize| match k % every {
                0 if k > 0 => vec![length, 1e-3 - length],
                _ => vec![1e-3],
            };
            let found = farthest(&by_parts(unit(1e-3), output, divided), &reference);
            assert!(
                found < 2.0 * own,
                "{length} s in every step of {every}: off by {found} N, own error {own} N"
            );
        }
    }
}

#[test]
fn short_communication_steps_among_long_ones_disturb_nothing() {
    short_steps_do_not_disturb(
        |step| {
            let mut config = planar_config(MotorMode::Torque);
            config.solver.step_s = step;
            let mut inputs = [0.0; PLANAR_INPUTS];
            inputs[PlanarInput::MotorTorque as usize] = 0.3;
            PlanarUnit::new(&config, &inputs).unwrap()
        },
        PlanarOutput::ForceA as usize,
    );
    short_steps_do_not_disturb(
        |step| {
            let mut config = spatial_config(MotorMode::Torque);
            config.solver.step_s = step;
            SpatialUnit::new(&config, true, &spatial_inputs()).unwrap()
        },
        SpatialOutput::TipForce as usize,
    );
}
