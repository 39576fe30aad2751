//! Energy and momentum of the platform in motion.

use crate::{PUSH, PUSH_TIME, free_equilibrium, push};
use leg_core::config::{History, MotorMode, Shape};
use nalgebra::Vector3;
use softdock_docking::{DockingRun, Scenario};
use softdock_platform::PlatformConfig;
use softdock_platform::audit::{EnergyAccount, energy_account, total_momentum};
use softdock_platform::monolithic::Platform;

fn floating() -> PlatformConfig {
    let mut config = PlatformConfig::default();
    config.base.free_floating = true;
    config.base.mass_kg = 20.0;
    config.base.inertia_kg_m2 = [1.0, 1.2, 0.8];
    config.base.centre_of_mass_m = [0.02, -0.01, -0.1];
    config
}

/// Motors that swing with different frequencies.
fn swinging(mut config: PlatformConfig) -> PlatformConfig {
    config.motor.mode = MotorMode::Angle;
    // A sine that starts at rest: 1 − cos.
    config.motor.angle_rad = History::Shape(Shape::Sine {
        offset: 0.05,
        amplitude: 0.05,
        frequency_hz: 2.0,
        phase_rad: -core::f64::consts::FRAC_PI_2,
    });
    config
}

/// The account after a push of 50 ms and `end` [s], and the energy moved.
fn pushed(mut config: PlatformConfig, step: f64, end: f64) -> EnergyAccount {
    config.solver.step_s = step;
    let mut platform = Platform::at_rest(&free_equilibrium(&config)).unwrap();
    platform.set_wrench(push(PUSH, PUSH_TIME));
    platform.advance_to(end).unwrap();
    energy_account(&mut platform).unwrap()
}

#[test]
fn energy_is_accounted_for_on_a_fixed_and_on_a_floating_base() {
    for (name, config) in [
        ("fixed", PlatformConfig::default()),
        ("floating", floating()),
    ] {
        let coarse = pushed(config.clone(), 1e-3, 0.5);
        let fine = pushed(config, 0.25e-3, 0.5);
        println!("{name}: {coarse:?}\n{name}: {fine:?}");
        // The jumps of the push excite waves in the leaves that steps of 1 ms cannot resolve: the
        // integrator dissipates them, less of them with smaller steps.
        assert!(coarse.dissipated > 5e-3 && fine.dissipated > 5e-3);
        assert!(
            coarse.residual.abs() < 1e-3 * coarse.dissipated,
            "{coarse:?}"
        );
        assert!(fine.residual.abs() < 2e-4 * fine.dissipated, "{fine:?}");
    }
}

/// Largest linear [kg·m/s] and angular momentum [kg·m²/s] while the motors swing, and the size of
/// the momentum that the parts exchange.
fn drift(step: f64) -> (Vector3<f64>, f64) {
    let mut config = swinging(floating());
    config.solver.step_s = step;
    let mut platform = Platform::at_rest(&free_equilibrium(&config)).unwrap();
    let mut worst = Vector3::<f64>::zeros();
    let mut exchanged: f64 = 0.0;
    for k in 1..=500 {
        platform.advance_to(1e-3 * f64::from(k)).unwrap();
        let (linear, angular) = total_momentum(&platform).unwrap();
        worst.x = worst.x.max(linear.norm());
        worst.y = worst.y.max(angular.norm());
        let speed = platform.effector().velocity.fixed_rows::<3>(0).norm();
        exchanged = exchanged.max(config.end_effector.mass_kg * speed);
    }
    (worst, exchanged)
}

#[test]
fn momentum_of_the_floating_platform_is_kept_under_internal_motion() {
    let (coarse, exchanged) = drift(1e-3);
    let (fine, _) = drift(0.25e-3);
    println!("exchanged {exchanged:.3} kg·m/s; drift at 1 ms {coarse:?}, at 0.25 ms {fine:?}");
    assert!(exchanged > 0.1);
    assert!(coarse.x < 1e-6 * exchanged && coarse.y < 1e-6 * exchanged);
    assert!(fine.x < coarse.x && fine.y < coarse.y);
}

/// The shipped pair of floating spacecraft, through the whole contact: relative to the momentum
/// that the target brings.
#[test]
fn the_shipped_floating_pair_keeps_its_momentum() {
    let text = include_str!("../../../scenarios/free-floating-pair.toml");
    let mut scenario: Scenario = toml::from_str(text).unwrap();
    scenario.docking.duration_s = 0.5;
    scenario.docking.output_interval_s = 0.01;
    let mut run = DockingRun::new(&scenario, false).unwrap();
    let momentum = |run: &DockingRun| total_momentum(run.platform().monolithic().unwrap()).unwrap();
    let (linear, angular) = momentum(&run);
    let mut drift: (f64, f64) = (0.0, 0.0);
    while !run.finished() {
        run.advance().unwrap();
        let (p, l) = momentum(&run);
        drift.0 = drift.0.max((p - linear).norm() / linear.norm());
        drift.1 = drift.1.max((l - angular).norm() / linear.norm());
    }
    println!("linear and angular {drift:?}");
    assert!(drift.0 < 1e-10 && drift.1 < 1e-10, "{drift:?}");
}
