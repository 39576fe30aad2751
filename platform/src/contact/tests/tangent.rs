//! Wrenches and tangents of the pair against finite differences, Newton's third law, the power
//! balance, and the independence of the overall motion.

use super::*;
use nalgebra::Matrix6;

/// Relative to the largest entry of each block: fourth-order differences with step 1e-6 on
/// penetrations of some millimetres leave rounding of about 1e-8.
const TANGENT_TOLERANCE: f64 = 1e-7;
const STEP: f64 = 1e-6;
/// Sums of rounded products.
const ROUNDING: f64 = 1e-13;

const EFFECTORS: [EffectorShape; 2] = [EffectorShape::Ring, EffectorShape::Petals];
const TARGETS: [TargetShape; 3] = [TargetShape::Plane, TargetShape::Cone, TargetShape::Ring];
const FRICTIONS: [FrictionLaw; 3] = [
    FrictionLaw::None,
    FrictionLaw::Coulomb,
    FrictionLaw::BrownMcphee,
];

/// A soft contact with everything in it, and a random touching pose with random twists.
pub(super) struct Scene {
    pub pair: ContactPair,
    pub episodes: Episodes,
    pub bodies: [BodyMotion; 2],
}

impl Scene {
    pub(super) fn new(
        numbers: &mut Numbers,
        effector: EffectorShape,
        target: TargetShape,
        friction: FrictionLaw,
    ) -> Self {
        let mut config = ContactConfig::default();
        config.effector.shape = effector;
        config.target.shape = target;
        config.normal.stiffness_n_per_m_n = 1e4;
        config.friction.law = friction;
        config.friction.transition_speed_m_s = 0.05;
        config.friction.viscous_n_s_per_m = 1.0;
        config.target.cone.lip_radius_m = 0.02;
        config.target.ring.tube_radius_m = 0.03;
        let mounts = Mounts {
            a: Se3::exp(&numbers.vector(0.3)),
            b: Se3::exp(&numbers.vector(0.3)),
        };
        let pair = config.pair(&mounts).unwrap();
        let face = Se3::new(Vector3::zeros(), Vector3::x() * core::f64::consts::PI);
        let tilt = Se3::exp(&numbers.vector(0.08));
        let b = BodyMotion {
            pose: Se3::exp(&numbers.vector(1.0)),
            twist: numbers.vector(0.05),
        };
        let twist = numbers.vector(0.05);
        let depth = 0.006 + 0.003 * numbers.next();
        // Lowers the end effector until its deepest point sinks in by `depth`.
        let lowered = |height: f64| BodyMotion {
            pose: b
                .pose
                .compose(&mounts.b)
                .compose(&at(0.0, 0.0, height))
                .compose(&face)
                .compose(&tilt)
                .compose(&mounts.a.inverse()),
            twist,
        };
        let gap = |height: f64| pair.alignment(&lowered(height), &b).gap;
        let mut height = 0.5;
        while gap(height) > -depth && height > -0.5 {
            height -= 1e-4;
        }
        let a = lowered(height);
        let mut episodes = Episodes::start(&pair, &a, &b);
        let memory: Vec<f64> = episodes
            .numbers()
            .enumerate()
            .map(|(i, number)| if i % 2 == 0 { number } else { 0.3 })
            .collect();
        episodes.restore(&memory).unwrap();
        Self {
            pair,
            episodes,
            bodies: [a, b],
        }
    }

    /// Whether a difference would straddle the touching of some contact.
    fn on_the_edge(&self) -> bool {
        let [a, b] = &self.bodies;
        self.pair
            .approaches(a, b)
            .any(|approach| approach.gap.abs() < 1e-4)
    }

    fn evaluate(&self, bodies: &[BodyMotion; 2]) -> ContactOutput {
        let mut output = self.pair.output();
        self.pair
            .evaluate(&self.episodes, &bodies[0], &bodies[1], &mut output);
        output
    }
}

/// Moves a body along a perturbation of its pose, or changes its twist.
fn moved(
    bodies: &[BodyMotion; 2],
    body: usize,
    pose: bool,
    axis: usize,
    by: f64,
) -> [BodyMotion; 2] {
    let mut step = Vector6::zeros();
    step[axis] = by;
    let mut bodies = *bodies;
    if pose {
        bodies[body].pose = bodies[body].pose.compose(&Se3::exp(&step));
    } else {
        bodies[body].twist += step;
    }
    bodies
}

/// All blocks of both tangents against fourth-order differences.
pub(super) fn check_tangents(
    bodies: &[BodyMotion; 2],
    evaluate: impl Fn(&[BodyMotion; 2]) -> ContactOutput,
    label: &str,
) {
    let output = evaluate(bodies);
    for (pose, tangent) in [(true, &output.by_pose), (false, &output.by_twist)] {
        let blocks = [
            [&tangent.a_by_a, &tangent.b_by_a],
            [&tangent.a_by_b, &tangent.b_by_b],
        ];
        for (body, [of_a, of_b]) in blocks.into_iter().enumerate() {
            let mut differences = [Matrix6::zeros(), Matrix6::zeros()];
            for axis in 0..6 {
                let at = |t: f64| evaluate(&moved(bodies, body, pose, axis, t * STEP));
                let four = [at(1.0), at(-1.0), at(2.0), at(-2.0)];
                let slope = |wrench: fn(&ContactOutput) -> Vector6<f64>| {
                    (8.0 * (wrench(&four[0]) - wrench(&four[1]))
                        - (wrench(&four[2]) - wrench(&four[3])))
                        / (12.0 * STEP)
                };
                differences[0].set_column(axis, &slope(|output| output.wrench_a));
                differences[1].set_column(axis, &slope(|output| output.wrench_b));
            }
            for (block, difference) in [of_a, of_b].into_iter().zip(&differences) {
                let error = (block - difference).amax() / difference.amax();
                assert!(
                    error < TANGENT_TOLERANCE || difference.amax() == 0.0,
                    "{label} pose {pose} body {body}: {error:e}\n{block}{difference}"
                );
            }
        }
    }
}

fn every_scene(mut check: impl FnMut(&mut Numbers, &Scene, &str)) {
    let mut numbers = Numbers(17);
    for effector in EFFECTORS {
        for target in TARGETS {
            for friction in FRICTIONS {
                let label = format!("{effector:?} {target:?} {friction:?}");
                for _ in 0..6 {
                    let scene = Scene::new(&mut numbers, effector, target, friction);
                    assert!(scene.evaluate(&scene.bodies).normal_force > 0.0, "{label}");
                    check(&mut numbers, &scene, &label);
                }
            }
        }
    }
}

#[test]
fn tangents_match_differences() {
    let mut checked = 0;
    every_scene(|_, scene, label| {
        if !scene.on_the_edge() {
            check_tangents(&scene.bodies, |bodies| scene.evaluate(bodies), label);
            checked += 1;
        }
    });
    assert!(checked > 60, "{checked}");
}

/// Equal and opposite forces at one point: the wrenches cancel in the world.
#[test]
fn action_is_reaction() {
    every_scene(|_, scene, label| {
        let output = scene.evaluate(&scene.bodies);
        let world =
            |body: &BodyMotion, wrench: &Vector6<f64>| body.pose.adjoint_inverse().tr_mul(wrench);
        let (on_a, on_b) = (
            world(&scene.bodies[0], &output.wrench_a),
            world(&scene.bodies[1], &output.wrench_b),
        );
        assert!((on_a + on_b).norm() < ROUNDING * on_a.norm(), "{label}");
        let points: Vector3<f64> = output.points.iter().map(|point| point.force).sum();
        assert!((points - on_a.fixed_rows::<3>(0)).norm() < ROUNDING * on_a.norm());
        let moment: Vector3<f64> = output
            .points
            .iter()
            .map(|point| point.position.cross(&point.force))
            .sum();
        assert!((moment - on_a.fixed_rows::<3>(3)).norm() < ROUNDING * 10.0 * on_a.norm());
    });
}

/// w_A·v_A + w_B·v_B = −dU/dt − dissipated power.
#[test]
fn power_is_stored_or_dissipated() {
    every_scene(|_, scene, label| {
        let output = scene.evaluate(&scene.bodies);
        let [a, b] = &scene.bodies;
        let power = output.wrench_a.dot(&a.twist) + output.wrench_b.dot(&b.twist);
        let potential = |t: f64| {
            let forward = scene.bodies.map(|body| BodyMotion {
                pose: body.pose.compose(&Se3::exp(&(t * 1e-5 * body.twist))),
                ..body
            });
            scene.evaluate(&forward).potential()
        };
        let rate =
            (8.0 * (potential(1.0) - potential(-1.0)) - (potential(2.0) - potential(-2.0))) / 12e-5;
        assert!(
            output.damping_power >= 0.0 && output.friction_power >= 0.0,
            "{label}"
        );
        let error = power + rate + output.dissipated_power();
        let scale = output.wrench_a.norm() * (a.twist.norm() + b.twist.norm());
        assert!(
            error.abs() < 1e-9 * scale,
            "{label}: {error:e} of {scale:e}"
        );
    });
}

#[test]
fn overall_motion_does_not_matter() {
    every_scene(|numbers, scene, label| {
        let output = scene.evaluate(&scene.bodies);
        let turn = Se3::exp(&numbers.vector(2.0));
        let elsewhere = scene.bodies.map(|body| BodyMotion {
            pose: turn.compose(&body.pose),
            ..body
        });
        let other = scene.evaluate(&elsewhere);
        let close = |one: &Vector6<f64>, two: &Vector6<f64>| (one - two).norm() / one.norm();
        // Rounding of positions of some metres against penetrations of some millimetres.
        assert!(close(&output.wrench_a, &other.wrench_a) < 1e-11, "{label}");
        assert!(close(&output.wrench_b, &other.wrench_b) < 1e-11, "{label}");
    });
}

#[test]
fn forces_alone_are_those_of_the_full_evaluation() {
    every_scene(|_, scene, _| {
        let full = scene.evaluate(&scene.bodies);
        let mut forces = scene.pair.output();
        let [a, b] = &scene.bodies;
        scene
            .pair
            .evaluate_forces(&scene.episodes, a, b, &mut forces);
        assert_eq!(full.wrench_a, forces.wrench_a);
        assert_eq!(full.wrench_b, forces.wrench_b);
        assert_eq!(full.points, forces.points);
        assert_eq!(forces.by_pose.a_by_a, Matrix6::zeros());
    });
}

#[test]
fn bodies_apart_feel_nothing() {
    let pair = ContactConfig::default().pair(&Mounts::default()).unwrap();
    let (a, b) = (
        BodyMotion::at_rest(at(0.0, 0.0, 1.0)),
        BodyMotion::at_rest(Se3::identity()),
    );
    let mut output = pair.output();
    pair.evaluate(&Episodes::start(&pair, &a, &b), &a, &b, &mut output);
    assert_eq!(output.wrench_a, Vector6::zeros());
    assert_eq!(output.penetration(), 0.0);
    // Port z axes are parallel here, so the ring looks away from the plane.
    assert!((output.minimum_gap - 1.015).abs() < 1e-15);
    assert!((pair.alignment(&a, &b).angle - core::f64::consts::PI).abs() < 1e-15);
}

#[test]
fn nan_is_not_taken_for_apart() {
    let pair = ContactConfig::default().pair(&Mounts::default()).unwrap();
    let a = BodyMotion::at_rest(at(f64::NAN, 0.0, 1.0));
    let nan_height = BodyMotion::at_rest(at(0.0, 0.0, f64::NAN));
    let b = BodyMotion::at_rest(Se3::identity());
    let mut output = pair.output();
    let episodes = Episodes::start(&pair, &b, &b);
    for body in [a, nan_height] {
        pair.evaluate(&episodes, &body, &b, &mut output);
        let all_finite = output.wrench_a.iter().all(|entry| entry.is_finite());
        let placed = output
            .points
            .iter()
            .all(|p| p.position.iter().all(|x| x.is_finite()));
        assert!(!all_finite || !placed);
    }
}
