//! Impedance control by its claim: the impedance asked for is the one that is measured.

use super::impedance::ImpedanceConfig;
use super::*;
use crate::run::DockingRun;
use multibody::math;
use nalgebra::Complex;

/// Under impedance control, the target far away.
fn controlled() -> Scenario {
    let mut scenario = Scenario::default();
    scenario.platform.legs.elements = 3;
    scenario.platform.motor.mode = MotorMode::Torque;
    let docking = &mut scenario.docking;
    docking.regulator.law = Law::Impedance;
    docking.initial_gap_m = 5.0;
    docking.closing_speed_m_s = 0.0;
    docking.misalignment.pitch_deg = 0.0;
    scenario
}

/// Displacement per wrench of one axis at a frequency, from a run with a small sine.
fn measured(axis: usize, frequency_hz: f64) -> Complex<f64> {
    let mut scenario = controlled();
    // Small enough for the linear platform, large against rounding.
    let amplitude = if axis < 3 { 0.5 } else { 0.02 };
    let sine = History::Shape(leg_core::config::Shape::Sine {
        offset: 0.0,
        amplitude,
        frequency_hz,
        phase_rad: 0.0,
    });
    let wrench = &mut scenario.platform.wrench;
    match axis {
        0 => wrench.force_x_n = sine,
        2 => wrench.force_z_n = sine,
        _ => wrench.moment_x_nm = sine,
    }
    // Two periods to settle, one to measure in.
    let settle = 2.0_f64.max((2.0 * frequency_hz).ceil()) / frequency_hz;
    let docking = &mut scenario.docking;
    docking.duration_s = settle + 1.0 / frequency_hz;
    docking.output_interval_s = 1.0 / frequency_hz / 200.0;
    let mut run = DockingRun::new(&scenario, true).unwrap();
    run.run().unwrap();
    let rest = run.samples()[0].effector;
    let omega = core::f64::consts::TAU * frequency_hz;
    let mut sum = Complex::new(0.0, 0.0);
    let samples = run.samples();
    let window = &samples[samples.len() - 200..];
    for sample in window {
        let moved = rest.between(&sample.effector).log().unwrap()[axis];
        let (sine, cosine) = math::sin_cos(omega * sample.time);
        // x = a sin ωt + b cos ωt answers sin ωt with a + i b.
        sum += Complex::new(sine, cosine) * moved;
    }
    sum * 2.0 / (200.0 * amplitude)
}

/// What is commanded: 1/(k − m ω² + i d ω).
fn commanded(axis: usize, frequency_hz: f64) -> Complex<f64> {
    let config = ImpedanceConfig::default();
    let omega = core::f64::consts::TAU * frequency_hz;
    let [m, d, k] = if axis < 3 {
        [
            config.mass_kg,
            config.damping_n_s_per_m,
            config.stiffness_n_per_m,
        ]
    } else {
        [
            config.inertia_kg_m2,
            config.damping_nm_s_per_rad,
            config.stiffness_nm_per_rad,
        ]
    };
    Complex::new(1.0, 0.0) / Complex::new(k - m * omega * omega, d * omega)
}

#[test]
fn the_commanded_impedance_is_measured_at_the_end_effector() {
    for (axis, frequency_hz) in [(2, 1.0), (2, 5.0), (0, 1.0), (0, 5.0), (3, 1.0), (3, 5.0)] {
        let (found, asked) = (measured(axis, frequency_hz), commanded(axis, frequency_hz));
        let error = math::modulus(found / asked - Complex::new(1.0, 0.0));
        println!("axis {axis}, {frequency_hz} Hz: {found} for {asked}, off by {error:.3}");
        assert!(error < 0.05, "axis {axis} at {frequency_hz} Hz: {error}");
    }
}
