//! Damping of the bowed leaf: decay rates, energy, and what it leaves alone.

#![allow(clippy::unwrap_used)]

use super::config::{History, MotorMode};
use super::planar::LinkDrive;
use super::spatial::{
    Foundation, SpatialChannel, SpatialLeg, SpatialLegConfig, TipDrive, pretension_spatial,
};
use super::spatial_simulate::SpatialSimulation;
use multibody::dynamics::{self, StepSettings};
use multibody::modal::{self, Reduction};
use multibody::results::energy;
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::{Vector3, Vector6};

/// Decay rates of the first four modes of the continuum at β = 1e-5 s [1/s]: a Cosserat rod with
/// `β K ε̇` in every section. Modes 1 and 4 were given with five digits by an independent code; 2
/// and 3 are limits of refined meshes.
const CONTINUUM: [f64; 4] = [0.010483, 0.24954, 1.7261, 1.4751];
/// What ten elements may be off from the continuum.
const MESH_ERROR: f64 = 0.01;
/// A decay rate that the model is to have exactly; eigenvalues of 1e6 1/s leave this.
const ROUNDING: f64 = 1e-6;

/// The default leg, its motor locked, without gravity and without damping in the tendon.
fn quiet() -> SpatialLegConfig {
    let mut config = SpatialLegConfig {
        gravity_m_s2: [0.0; 3],
        ..SpatialLegConfig::default()
    };
    config.motor.mode = MotorMode::Locked;
    config.tendon.damping_n_s_per_m = 0.0;
    config
}

fn at_rest(config: &SpatialLegConfig) -> (SpatialSimulation, Reduction<6>) {
    let simulation = SpatialSimulation::new(config, TipDrive::Prescribed).unwrap();
    let model = &simulation.leg.model;
    let mut workspace = Workspace::new(model);
    let reduction = modal::reduce(model, &simulation.state, &mut workspace).unwrap();
    (simulation, reduction)
}

/// Decay rate and damping ratio of the first four modes.
fn decay(config: &SpatialLegConfig) -> Vec<(f64, f64)> {
    let modes = at_rest(config).1.damped_modes(4).unwrap().modes;
    let both = modes.iter().map(|m| (-m.eigenvalue.re, m.damping_ratio()));
    both.collect()
}

#[test]
fn mass_damping_makes_every_mode_of_the_bowed_leg_decay_by_half_its_coefficient() {
    let mut config = quiet();
    config.leaf.rayleigh_mass_per_s = 1.0;
    for (i, (rate, _)) in decay(&config).into_iter().enumerate() {
        println!("mode {}: {rate:.8} 1/s", i + 1);
        assert!(
            (rate / 0.5 - 1.0).abs() < ROUNDING,
            "mode {}: {rate}",
            i + 1
        );
    }
}

#[test]
fn stiffness_damping_makes_modes_decay_like_those_of_the_continuum() {
    let mut config = quiet();
    config.leaf.rayleigh_stiffness_s = 1e-5;
    for ((i, (rate, _)), exact) in decay(&config).into_iter().enumerate().zip(CONTINUUM) {
        println!("mode {}: {rate:.6} 1/s, {:+.2e}", i + 1, rate / exact - 1.0);
        assert!(
            (rate / exact - 1.0).abs() < MESH_ERROR,
            "mode {}: {rate}",
            i + 1
        );
    }
}

/// Errors of the slowest mode shrink with the fourth power of the element's length, as those of
/// everything else do.
#[test]
fn stiffness_damping_has_the_order_of_the_element() {
    let error = |elements: usize| {
        let mut config = quiet();
        config.leaf.rayleigh_stiffness_s = 1e-5;
        config.solver.elements = elements;
        decay(&config)[0].0 - CONTINUUM[0]
    };
    let (coarse, fine) = (error(5), error(10));
    println!("{coarse:e} {fine:e}");
    // The reference has five digits, so a factor of eight is asked for, not sixteen.
    assert!(coarse.abs() > 8.0 * fine.abs(), "{coarse:e} {fine:e}");
}

#[test]
fn modes_have_the_damping_ratios_asked_for_and_no_others() {
    let mut config = quiet();
    config.leaf.modal_damping_ratios = [0.02, 0.0, 0.01, 0.3];
    let wanted = config.leaf.modal_damping_ratios;
    let reduction = at_rest(&config).1;
    let modes = reduction.damped_modes(7).unwrap().modes;
    for (i, mode) in modes.iter().enumerate() {
        let exact = wanted.get(i).copied().unwrap_or(0.0);
        let ratio = mode.damping_ratio();
        assert!((ratio - exact).abs() < ROUNDING, "mode {}: {ratio}", i + 1);
    }
}

/// Starts a mode with `kinetic` [J] and follows it for `duration` [s]: part of its energy that is
/// left, and what the ledger misses of it.
fn decay_in_time(config: &SpatialLegConfig, mode: usize, duration: f64, h: f64) -> (f64, f64) {
    let kinetic: f64 = 1e-6;
    let (mut simulation, reduction) = at_rest(config);
    let shape = reduction.modes(mode + 1).unwrap().modes[mode].shape.clone();
    let SpatialSimulation {
        leg,
        state,
        signals,
        ..
    } = &mut simulation;
    let model = &leg.model;
    let rest = energy::energies(model, state).unwrap().mechanical();
    for (velocity, twist) in state.velocities.iter_mut().zip(&shape) {
        *velocity = twist * (2.0 * kinetic).sqrt(); // mass-normalised
    }
    let mut workspace = Workspace::new(model);
    dynamics::initialize(model, state, &mut workspace, signals).unwrap();
    let settings = StepSettings {
        spectral_radius: 1.0,
        tolerance: 1e-11,
        ..StepSettings::default()
    };
    let steps = (duration / h).round() as usize;
    for _ in 0..steps {
        dynamics::step(model, state, &mut workspace, signals, h, &settings).unwrap();
    }
    let now = energy::energies(model, state).unwrap();
    let left = (now.mechanical() - rest) / kinetic;
    (left, state.ledger.residual(&now) / kinetic)
}

/// Energy of a mode oscillates a little on its way down, by the damping ratio; the time step is a
/// fiftieth of the period.
const IN_TIME: f64 = 0.01;

#[test]
fn a_mode_set_going_loses_the_energy_that_its_decay_rate_says() {
    let mut mass = quiet();
    mass.leaf.rayleigh_mass_per_s = 1.0;
    let mut stiffness = quiet();
    stiffness.leaf.rayleigh_stiffness_s = 1e-3;
    let mut single = quiet();
    single.leaf.modal_damping_ratios = [0.01, 0.0, 0.0, 0.0];
    let period = 1.0 / 7.4726;
    let omega = core::f64::consts::TAU * 7.4726;
    let cases = [
        (mass, 0.5),
        (stiffness, 100.0 * CONTINUUM[0]),
        (single, 0.01 * omega),
    ];
    for (config, rate) in cases {
        // Four periods, whole ones: the energy is then all kinetic again.
        let duration = 4.0 * period;
        let (left, missing) = decay_in_time(&config, 0, duration, period / 50.0);
        let exact = (-2.0 * rate * duration).exp();
        println!("left {left:.6} of {exact:.6}, ledger misses {missing:.1e}");
        assert!((left / exact - 1.0).abs() < IN_TIME, "{left} {exact}");
        assert!(missing.abs() < IN_TIME * (1.0 - exact), "{missing}");
    }
}

/// A leg on a base that moves, everything at one rigid motion: no damper dissipates.
#[test]
fn a_leg_that_moves_with_its_base_is_not_damped() {
    let mut config = quiet();
    config.solver.elements = 4;
    config.leaf.rayleigh_mass_per_s = 3.0;
    config.leaf.rayleigh_stiffness_s = 1e-3;
    config.leaf.modal_damping_ratios = [0.1; 4];
    let bowed = pretension_spatial(&config).unwrap();
    let tip = Vector3::from(config.tip_position_m);
    let (drive, free) = (LinkDrive::Prescribed, TipDrive::Free);
    let moving = Foundation::Moving;
    let rest = bowed.rest_length_m;
    let leg = SpatialLeg::founded(&config, moving, drive, free, config.q1_rad, tip, rest).unwrap();
    let mut state = State::new(&leg.model);
    let extra = state.poses.len() - bowed.state.poses.len();
    state.poses[extra..].copy_from_slice(&bowed.state.poses);
    let rigid = Vector6::new(0.3, -0.2, 0.5, 1.1, -0.7, 0.4);
    for i in 0..state.poses.len() {
        use multibody::group::Group;
        state.velocities[i] = state.poses[i].adjoint_inverse() * rigid;
    }
    let still = energy::powers(&leg.model, &state).dissipated;
    let node = leg.node_b.index();
    state.velocities[node] += Vector6::new(0.0, 1e-3, 0.0, 0.0, 0.0, 0.0);
    let bent = energy::powers(&leg.model, &state).dissipated;
    println!("{still:e} W moving as one, {bent:e} W bending");
    assert!(still.abs() < 1e-18 + 1e-9 * bent && bent > 1e-9);
}

/// A motor told nothing delivers nothing, and one told too much its limit.
#[test]
fn motors_deliver_what_they_are_told_within_their_limit() {
    let mut config = SpatialLegConfig::default();
    config.solver.elements = 4;
    config.motor.mode = MotorMode::Torque;
    config.motor.torque_limit_nm = 0.7;
    for (told, delivered) in [(0.0, 0.0), (0.5, 0.5), (3.0, 0.7), (-3.0, -0.7)] {
        config.motor.torque_nm = History::Constant(told);
        let mut simulation = SpatialSimulation::new(&config, TipDrive::Prescribed).unwrap();
        simulation.advance_to(0.02).unwrap();
        let told_channel = simulation.state.inputs.value[SpatialChannel::CrankTorque as usize];
        assert_eq!(told_channel, told);
        assert_eq!(simulation.sample().unwrap().crank_torque, delivered);
    }
}
