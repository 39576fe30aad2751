//! Where somebody looks at the platform is no concern of its mechanics: intervals of any length, next
//! to each other, change its motion by less than its own steps do.

use crate::{PUSH, PUSH_TIME, free_equilibrium, push};
use leg_core::config::MotorMode;
use nalgebra::Vector3;
use softdock_platform::PlatformConfig;
use softdock_platform::audit::energy_account;
use softdock_platform::monolithic::Platform;

/// Length of the runs [s].
const END: f64 = 0.03;
/// What the forces of the legs may change by, of that by which smaller steps change them: a short
/// interval moves the ends of the steps behind it, and so where in a vibration they are.
const ALLOWED: f64 = 1.1;

fn floating() -> PlatformConfig {
    let mut config = PlatformConfig::default();
    config.base.free_floating = true;
    config.base.mass_kg = 20.0;
    config.base.inertia_kg_m2 = [1.0, 1.2, 0.8];
    config
}

/// Times and forces of all legs at the end effector, after intervals that `next` gives.
fn forces(
    config: &PlatformConfig,
    mut next: impl FnMut(usize) -> f64,
) -> Vec<(f64, Vec<Vector3<f64>>)> {
    let mut platform = Platform::at_rest(&free_equilibrium(config)).unwrap();
    platform.set_wrench(push(PUSH, 1.0));
    let (mut time, mut rows) = (0.0, Vec::new());
    while time < END {
        time += next(rows.len());
        platform.advance_to(time).unwrap();
        let legs = platform.legs().iter();
        rows.push((time, legs.map(|leg| leg.tip_force()).collect()));
    }
    rows
}

/// Largest distance of forces from those of a run with rows `spacing` [s] apart [N].
fn distance(
    rows: &[(f64, Vec<Vector3<f64>>)],
    fine: &[(f64, Vec<Vector3<f64>>)],
    spacing: f64,
) -> f64 {
    let mut worst = 0.0_f64;
    for (time, forces) in rows.iter().filter(|row| row.0 <= END) {
        let place = time / spacing - 1.0;
        let k = (place.max(0.0) as usize).min(fine.len() - 2);
        let part = place - k as f64;
        for (i, force) in forces.iter().enumerate() {
            let expected = fine[k].1[i] * (1.0 - part) + fine[k + 1].1[i] * part;
            worst = worst.max((force - expected).norm());
        }
    }
    worst
}

/// Intervals of 1e-5 to 1e-14 s between those of 1 ms once made forces of 3e5 N.
#[test]
fn short_intervals_change_forces_by_less_than_smaller_steps_do() {
    for (name, config) in [
        ("fixed", PlatformConfig::default()),
        ("floating", floating()),
    ] {
        let spacing = 1e-4;
        let fine = forces(&config, |_| spacing);
        let own = distance(&forces(&config, |_| 1e-3), &fine, spacing);
        for short in [1e-5, 1e-6, 3e-7, 1e-7, 1e-8, 1e-11, 1e-14] {
            let rows = forces(&config, |k| [1e-3, short][k % 2]);
            let off = distance(&rows, &fine, spacing);
            println!("{name}, {short:e} s: {off:.3e} N, even steps {own:.3e} N");
            assert!(off <= ALLOWED * own, "{name}, {short:e} s: {off} of {own}");
        }
    }
}

/// A crank that meets its stop at the very end of a step, where no event ends the step: the account is
/// kept from the start of that step on. The push of `platform lqr` with free motors does so at 162 ms,
/// and missed 1.4 %.
#[test]
fn a_stop_met_at_the_end_of_a_step_is_accounted_for() {
    let mut config = PlatformConfig::default();
    config.motor.mode = MotorMode::Torque;
    config.solver.step_s = 1e-3;
    let mut platform = Platform::at_rest(&free_equilibrium(&config)).unwrap();
    platform.set_wrench(push(PUSH, PUSH_TIME));
    let mut stopped = false;
    for k in 1..=200 {
        platform.advance_to(f64::from(k) * 1e-3).unwrap();
        stopped |= platform.legs().iter().any(|leg| leg.touches_stop());
    }
    let account = energy_account(&mut platform).unwrap();
    println!("{account:?}");
    assert!(stopped);
    assert!(
        account.residual.abs() < 1e-3 * account.dissipated,
        "{account:?}"
    );
}
