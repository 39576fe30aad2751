//! A block on a plane: stopping distance, and stick-slip on a pulled spring.

use super::*;

const GRAVITY: f64 = 9.81;

/// A block of 1 kg on four points in the plane of its centre of mass, so that friction does not
/// tip it, lying as deep as its weight presses it.
fn block(config: &mut ContactConfig, speed: f64) -> [BodyMotion; 2] {
    config.effector.tip_radius_m = 0.0;
    config.effector.ring = RingConfig {
        radius_m: 0.05,
        count: 4,
        height_m: 0.0,
    };
    let depth = (GRAVITY / 4.0 / config.normal.stiffness_n_per_m_n).powf(1.0 / 1.5);
    let block = BodyMotion {
        pose: at(0.0, 0.0, -depth),
        twist: Vector6::new(speed, 0.0, 0.0, 0.0, 0.0, 0.0),
    };
    [block, BodyMotion::at_rest(Se3::identity())]
}

fn pulled(force_x: f64) -> Vector6<f64> {
    Vector6::new(force_x, 0.0, -GRAVITY, 0.0, 0.0, 0.0)
}

#[test]
fn sliding_block_stops_after_v_squared_over_two_mu_g() {
    const SPEED: f64 = 1.0;
    /// The regularisation moves the distance by (v_t/v)² ln(2v/v_t) = 1e-7.
    const TOLERANCE: f64 = 1e-6;
    for law in [FrictionLaw::Coulomb, FrictionLaw::BrownMcphee] {
        let mut config = ContactConfig::default();
        config.friction.law = law;
        config.friction.coefficient = 0.3;
        config.friction.static_coefficient = 0.3;
        config.friction.transition_speed_m_s = 1e-4;
        let start = block(&mut config, SPEED);
        let load = |_: f64, _: &BodyMotion| pulled(0.0);
        let mut rig = Rig::new(
            &config,
            &Mounts::default(),
            [inertia(1.0, 1.0), fixed()],
            load,
        );
        let mut stopped = f64::INFINITY;
        let end = rig.run(start, 0.4, 1e-2, |time, bodies, losses, _| {
            if bodies[0].twist.x < 1e-4 {
                stopped = stopped.min(time);
            }
            assert!(losses[0] < 1e-20, "the block does not bounce");
            false
        });
        let distance = SPEED * SPEED / (2.0 * 0.3 * GRAVITY);
        let error = end[0].pose.translation().x / distance - 1.0;
        assert!(error.abs() < TOLERANCE, "{law:?}: {error:e}");
        assert!(
            (stopped - SPEED / (0.3 * GRAVITY)).abs() < 1.1e-2,
            "{stopped}"
        );
    }
}

/// A block on a spring of stiffness k whose far end moves with V. It sticks until the spring
/// pulls with μ_s N, then slips under μ N: the stretch swings about μN/k with the amplitude
/// A = (μ_s − μ)N/k, and the block sticks again when it is at rest, at the mirror image. So the
/// stretch drops by 2A, in the time t = (2π − 2 atan(A ω/V))/ω, ω = √(k/m), and the block slips by
/// 2A + V t.
#[test]
fn pulled_block_sticks_and_slips() {
    const STIFFNESS: f64 = 500.0;
    const PULL_SPEED: f64 = 0.005;
    const TRANSITION_SPEED: f64 = 2e-5;
    /// Friction peaks 0.2 (1 − tanh 4) below μ_s; past the peak the block needs some milliseconds,
    /// at 2.5 N/s, to leave the transition range.
    const FORCE_TOLERANCE: f64 = 2e-3;
    /// Entering and leaving the transition range costs of the order v_t/(A ω) = 5e-4.
    const SLIP_TOLERANCE: f64 = 5e-3;
    let mut config = ContactConfig::default();
    config.friction.law = FrictionLaw::BrownMcphee;
    config.friction.coefficient = 0.2;
    config.friction.static_coefficient = 0.3;
    config.friction.transition_speed_m_s = TRANSITION_SPEED;
    let start = block(&mut config, 0.0);
    let spring =
        |time: f64, a: &BodyMotion| STIFFNESS * (PULL_SPEED * time - a.pose.translation().x);
    let load = |time: f64, a: &BodyMotion| pulled(spring(time, a));
    let mut rig = Rig::new(
        &config,
        &Mounts::default(),
        [inertia(1.0, 1.0), fixed()],
        load,
    );
    let (mut slips, mut began) = (Vec::new(), None);
    rig.run(start, 3.0, 2e-4, |time, bodies, _, _| {
        let (x, speed) = (bodies[0].pose.translation().x, bodies[0].twist.x);
        match began {
            None if speed > 5.0 * TRANSITION_SPEED => {
                began = Some((time, x, spring(time, &bodies[0])));
            }
            Some((since, from, force)) if speed < 5.0 * TRANSITION_SPEED => {
                slips.push((time - since, x - from, force));
                began = None;
            }
            _ => {}
        }
        slips.len() == 2
    });
    let break_away = 0.3 * GRAVITY;
    let omega = STIFFNESS.sqrt();
    let amplitude = 0.1 * GRAVITY / STIFFNESS;
    let time = (core::f64::consts::TAU - 2.0 * (amplitude * omega / PULL_SPEED).atan()) / omega;
    let slip = 2.0 * amplitude + PULL_SPEED * time;
    assert_eq!(slips.len(), 2);
    for (duration, distance, force) in slips {
        assert!(
            (force / break_away - 1.0).abs() < FORCE_TOLERANCE,
            "{force} {break_away}"
        );
        assert!(
            (distance / slip - 1.0).abs() < SLIP_TOLERANCE,
            "{distance} {slip}"
        );
        assert!((duration / time - 1.0).abs() < 0.02, "{duration} {time}");
    }
}
