//! Capture and hold.

use super::tangent::{Scene, check_tangents};
use super::*;
use nalgebra::Matrix6;

fn limits() -> LatchConfig {
    LatchConfig {
        gap_m: 0.002,
        angle_deg: 2.0,
        speed_m_s: 0.01,
        dwell_s: 0.1,
        ..LatchConfig::default()
    }
}

fn pair() -> ContactPair {
    ContactConfig::default().pair(&Mounts::default()).unwrap()
}

const GOOD: Alignment = Alignment {
    gap: 0.001,
    angle: 0.01,
    speed: 0.005,
};

#[test]
fn capture_needs_all_limits_for_the_whole_dwell() {
    let rest = BodyMotion::at_rest(Se3::identity());
    let bad = [
        Alignment { gap: 0.003, ..GOOD },
        Alignment {
            angle: 0.04,
            ..GOOD
        },
        Alignment {
            speed: 0.02,
            ..GOOD
        },
        Alignment {
            gap: f64::NAN,
            ..GOOD
        },
    ];
    let mut latch = limits().latch(&pair());
    let mut time = 0.0;
    for spoiler in bad {
        assert!(!latch.observe(time, &GOOD, &rest, &rest));
        assert_eq!(*latch.state(), LatchState::Dwelling { since: time });
        assert!(!latch.observe(time + 0.09, &GOOD, &rest, &rest));
        assert!(!latch.observe(time + 0.095, &spoiler, &rest, &rest));
        assert_eq!(*latch.state(), LatchState::Open);
        time += 1.0;
    }
    assert!(!latch.observe(time, &GOOD, &rest, &rest));
    assert!(latch.observe(time + 0.11, &GOOD, &rest, &rest));
    assert_eq!(latch.capture_time(), Some(time + 0.11));
    // Closed is closed.
    assert!(!latch.observe(time + 1.0, &bad[0], &rest, &rest));
    assert_eq!(latch.capture_time(), Some(time + 0.11));
    latch.release();
    assert_eq!(latch.capture_time(), None);
}

#[test]
fn disabled_latch_never_closes() {
    let rest = BodyMotion::at_rest(Se3::identity());
    let config = LatchConfig {
        enabled: false,
        ..limits()
    };
    let mut latch = config.latch(&pair());
    for i in 0..10 {
        assert!(!latch.observe(f64::from(i), &GOOD, &rest, &rest));
    }
}

/// A closed latch with a full stiffness and damping.
fn closed(numbers: &mut Numbers, pair: &ContactPair, bodies: &[BodyMotion; 2]) -> Latch {
    let mut symmetric = |size: f64| {
        let half = Matrix6::from_fn(|_, _| numbers.next());
        (half * half.transpose() + Matrix6::identity()) * size
    };
    let mut latch = Latch::new(limits().limits(), pair, &symmetric(100.0), &symmetric(5.0));
    latch.observe(0.0, &GOOD, &bodies[0], &bodies[1]);
    assert!(latch.observe(1.0, &GOOD, &bodies[0], &bodies[1]));
    latch
}

#[test]
fn hold_has_exact_tangents_and_balances_power() {
    let mut numbers = Numbers(5);
    for _ in 0..10 {
        let scene = Scene::new(
            &mut numbers,
            EffectorShape::Ring,
            TargetShape::Plane,
            FrictionLaw::None,
        );
        let latch = closed(&mut numbers, &scene.pair, &scene.bodies);
        let evaluate = |bodies: &[BodyMotion; 2]| {
            let mut output = scene.pair.output();
            latch.add_hold(&bodies[0], &bodies[1], &mut output).unwrap();
            output
        };
        let mut bodies = scene.bodies;
        let captured = evaluate(&bodies.map(|body| BodyMotion::at_rest(body.pose)));
        assert!(captured.wrench_a.norm() < 1e-10, "no jump at capture");
        bodies[0].pose = bodies[0].pose.compose(&Se3::exp(&numbers.vector(0.5)));
        check_tangents(&bodies, evaluate, "hold");
        let output = evaluate(&bodies);
        let world =
            |i: usize, wrench: &Vector6<f64>| bodies[i].pose.adjoint_inverse().tr_mul(wrench);
        let sum = world(0, &output.wrench_a) + world(1, &output.wrench_b);
        assert!(sum.norm() < 1e-13 * output.wrench_a.norm() * 10.0);
        let power = output.wrench_a.dot(&bodies[0].twist) + output.wrench_b.dot(&bodies[1].twist);
        let potential = |t: f64| {
            evaluate(&bodies.map(|body| BodyMotion {
                pose: body.pose.compose(&Se3::exp(&(t * 1e-4 * body.twist))),
                ..body
            }))
            .latch_potential
        };
        let rate =
            (8.0 * (potential(1.0) - potential(-1.0)) - (potential(2.0) - potential(-2.0))) / 12e-4;
        let error = power + rate + output.latch_power;
        assert!(error.abs() < 1e-9 * output.wrench_a.norm(), "{error:e}");
    }
}

#[test]
fn held_bodies_come_to_rest_against_each_other() {
    let config = ContactConfig::default();
    let mut rig = Rig::new(
        &config,
        &Mounts::default(),
        [inertia(3.0, 0.05), inertia(1500.0, 400.0)],
        no_load,
    );
    let face = Se3::new(
        Vector3::new(0.0, 0.0, 0.03),
        Vector3::x() * core::f64::consts::PI,
    );
    let chaser = BodyMotion {
        pose: face,
        twist: Vector6::new(0.01, 0.0, -0.005, 0.0, 0.02, 0.01),
    };
    let start = [chaser, BodyMotion::at_rest(Se3::identity())];
    let mut latch = limits().latch(&rig.pair);
    latch.observe(0.0, &GOOD, &start[0], &start[1]);
    latch.observe(1.0, &GOOD, &start[0], &start[1]);
    rig.latch = Some(latch);
    let kinetic = rig.kinetic(&start);
    let spectator = Rig::new(&config, &Mounts::default(), rig.inertia, no_load);
    let mut worst = 0.0_f64;
    let end = rig.run(start, 1.0, 1e-2, |_, bodies, losses, output| {
        let energy = spectator.kinetic(bodies) + output.potential() + losses[0] + losses[1];
        worst = worst.max((energy / kinetic - 1.0).abs());
        false
    });
    assert!(worst < 1e-9, "{worst:e}");
    let drift = start[1]
        .pose
        .between(&start[0].pose)
        .between(&end[1].pose.between(&end[0].pose));
    assert!(drift.log().unwrap().norm() < 1e-6);
    assert!(rig.pair.alignment(&end[0], &end[1]).speed < 1e-6);
}

#[test]
fn latch_survives_as_numbers_and_refuses_nonsense() {
    let mut numbers = Numbers(9);
    let bodies = [0, 1].map(|_| BodyMotion::at_rest(Se3::exp(&numbers.vector(0.5))));
    let closed = closed(&mut numbers, &pair(), &bodies);
    let mut dwelling = closed.clone();
    dwelling.release();
    dwelling.observe(3.0, &GOOD, &bodies[0], &bodies[1]);
    let mut open = closed.clone();
    open.release();
    for latch in [&closed, &dwelling, &open] {
        let mut other = dwelling.clone();
        other.restore(&latch.numbers()).unwrap();
        assert_eq!(other.state(), latch.state());
    }
    let mut bad = closed.numbers();
    bad[0] = 3.0;
    assert_eq!(open.restore(&bad).unwrap_err().index, 0);
    bad[0] = 2.0;
    bad[7] = f64::NAN;
    assert_eq!(open.restore(&bad).unwrap_err().index, 7);
    assert!(open.restore(&bad[1..]).is_err());
    assert_eq!(*open.state(), LatchState::Open);
}
