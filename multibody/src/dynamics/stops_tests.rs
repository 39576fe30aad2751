//! Cranks and sliders against their stops: the restitution asked for, energy in the account.

#![allow(clippy::unwrap_used)]

use crate::dynamics::{Control, StepSettings, Stepping, advance, advance_watched};
use crate::group::{Group, Se2, Se3};
use crate::model::*;
use crate::prelude::*;
use crate::results::energy::energies;
use nalgebra::{Matrix3, Vector2, Vector3};

/// Part of the energy that an impact may miss.
const LEDGER: f64 = 1e-3;
/// Relative error of the restitution.
const RESTITUTION: f64 = 1e-2;

/// Stiff enough that weight, which acts on while the crank is inside, changes little.
const STIFFNESS: f64 = 2e7;

fn stop_law(restitution: f64) -> StopLaw {
    StopLaw {
        stiffness: STIFFNESS,
        exponent: 1.0,
        restitution,
        floor_speed: 1e-2,
    }
}

/// A crank of 1 kg and 0.12 m that starts level and falls onto a stop 0.3 rad below.
fn crank_in_plane(restitution: f64) -> (PlanarModel, ForceId) {
    let mut builder = PlanarModelBuilder::new();
    builder.gravity(Vector2::new(0.0, -9.81));
    let inertia = planar_inertia(1.0, [0.06, 0.0], 0.12 * 0.12 / 12.0);
    let crank = builder.rigid_body("crank", Se2::identity(), inertia);
    let (ground, root) = (Se2::identity(), Se2::identity());
    let (a, b) = (Attachment::ground(ground), Attachment::node(crank, root));
    let joint = builder.joint("O", JointKind::Revolute, a, b);
    let stops = Stops::new(-0.3, 0.4, stop_law(restitution));
    let stop = builder.stop("stop", joint, stops);
    (builder.build().unwrap(), stop)
}

/// The same in space, about an axis that is no axis of the world, with gravity across it.
fn crank_in_space(restitution: f64) -> (SpatialModel, ForceId) {
    let mut builder = SpatialModelBuilder::new();
    let turn = Se3::exp(&[0.0, 0.0, 0.0, 0.4, -0.9, 0.3].into());
    builder.gravity(turn.rotation() * Vector3::new(0.0, -9.81, 0.0));
    let across = 0.12 * 0.12 / 12.0;
    let tensor = Matrix3::from_diagonal(&Vector3::new(1e-6, across, across));
    let inertia = spatial_inertia(1.0, [0.06, 0.0, 0.0], tensor);
    let crank = builder.rigid_body("crank", turn, inertia);
    let (a, b) = (
        Attachment::ground(turn),
        Attachment::node(crank, Se3::identity()),
    );
    let joint = builder.joint("O", JointKind::Revolute, a, b);
    let stops = Stops::new(-0.3, 0.4, stop_law(restitution));
    let stop = builder.stop("stop", joint, stops);
    (builder.build().unwrap(), stop)
}

struct Bounce {
    /// Speed of the touch by energy, and the largest speed away from the stop afterwards [rad/s].
    before: f64,
    after: f64,
    deepest: f64,
    residual: f64,
    moved: f64,
}

/// Drops the crank; gravity does no work to speak of inside the stop.
fn drop_on_stop<G: Group<N, D>, const N: usize, const D: usize>(
    (model, stop): &(Model<G, N, D>, ForceId),
    step: f64,
) -> Bounce {
    let mut state = State::new(model);
    let mut workspace = Workspace::new(model);
    dynamics::initialize(model, &mut state, &mut workspace, &Held::default()).unwrap();
    let settings = StepSettings::default();
    let control = Control::fixed(step);
    let stepping = Stepping::new(&control, &settings);
    let mut deepest: f64 = 0.0;
    // Speed at the stop that a speed elsewhere means, by energy: ½ J θ̇² + m g l sin θ is constant.
    let (inertia, weight): (f64, f64) = (0.12 * 0.12 / 3.0, 9.81 * 0.06);
    let at_stop = |angle: f64, rate: f64| {
        (rate * rate + 2.0 * weight / inertia * (angle.sin() + 0.3_f64.sin())).sqrt()
    };
    let mut bounced = None;
    advance_watched(
        model,
        &mut state,
        &mut workspace,
        &Held::default(),
        0.1,
        &stepping,
        &mut |state| {
            let seen = results::stop(model, state, *stop).unwrap();
            deepest = deepest.max(-seen.gaps[0]);
            if seen.rate > 0.0 && seen.gaps[0] >= 0.0 && bounced.is_none() {
                bounced = Some(at_stop(seen.position, seen.rate));
            }
        },
    )
    .unwrap();
    let now = energies(model, &state).unwrap();
    Bounce {
        before: at_stop(0.0, 0.0),
        after: bounced.unwrap(),
        deepest,
        residual: state.ledger.residual(&now),
        moved: weight * 0.3_f64.sin(),
    }
}

#[test]
fn a_dropped_crank_rebounds_with_the_restitution_asked_for() {
    for restitution in [0.3, 0.5, 0.8, 1.0] {
        for step in [5e-4, 1e-3] {
            let bounces = [
                drop_on_stop(&crank_in_plane(restitution), step),
                drop_on_stop(&crank_in_space(restitution), step),
            ];
            for bounce in bounces {
                let found = bounce.after / bounce.before;
                println!(
                    "e {restitution} h {step}: {found:.5}, deepest {:.2e}, miss {:.2e}",
                    bounce.deepest,
                    bounce.residual / bounce.moved
                );
                assert!((found / restitution - 1.0).abs() < RESTITUTION, "{found}");
                assert!(bounce.residual.abs() < LEDGER * bounce.moved);
                // The give of the stop: that of an undamped impact.
                let give = (0.12 * 0.12 / 3.0_f64 / STIFFNESS).sqrt() * bounce.before;
                assert!(bounce.deepest < 1.1 * give, "{} {give}", bounce.deepest);
            }
        }
    }
}

/// A mass on a line with stops at both ends flies to and fro: without loss its speed stays.
#[test]
fn stops_of_a_line_keep_or_take_energy_as_asked() {
    for (restitution, bounces) in [(1.0, 8), (0.7, 4)] {
        let mut builder = PlanarModelBuilder::new();
        let body = builder.rigid_body(
            "body",
            Se2::from_translation(Vector2::new(0.5, 0.0)),
            planar_inertia(2.0, [0.0, 0.0], 0.01),
        );
        let law = LineLaw::SpringDamper {
            stiffness: 0.0,
            rest_length: 0.5,
            damping: 0.0,
        };
        let stop = StopLaw {
            stiffness: 1e5,
            exponent: 1.5,
            restitution,
            floor_speed: 1e-3,
        };
        let (a, b) = (
            PointOn::ground(Vector2::zeros()),
            PointOn::node(body, Vector2::zeros()),
        );
        let stops = Stops::new(0.45, 0.53, stop);
        let line = builder.stopped_line("unit", a, b, law, Some(stops), None);
        let model = builder.build().unwrap();
        let mut state = State::new(&model);
        state.velocities[body.index()][0] = 0.4;
        let mut workspace = Workspace::new(&model);
        dynamics::initialize(&model, &mut state, &mut workspace, &Held::default()).unwrap();
        let settings = StepSettings::default();
        let control = Control::fixed(2e-3);
        let (mut turns, mut last, mut time) = (0, 0.4_f64, 0.0);
        while turns < bounces {
            time += 2e-3;
            advance(
                &model,
                &mut state,
                &mut workspace,
                &Held::default(),
                time,
                &control,
                &settings,
            )
            .unwrap();
            let seen = results::stop(&model, &state, line).unwrap();
            assert!(seen.position > 0.44 && seen.position < 0.54);
            if seen.force == 0.0 && seen.rate * last < 0.0 {
                turns += 1;
                let ratio = seen.rate.abs() / last.abs();
                assert!((ratio / restitution - 1.0).abs() < 1e-3, "{ratio}");
                last = seen.rate;
            }
            assert!(time < 20.0);
        }
        let now = energies(&model, &state).unwrap();
        let miss = state.ledger.residual(&now) / 0.16;
        println!("e {restitution}: miss {miss:.2e} after {turns} bounces");
        assert!(miss.abs() < LEDGER, "{miss:e}");
    }
}

/// A crank with a rotor behind a gear swings like one that is heavier by n² J about its axis.
#[test]
fn a_rotor_is_felt_as_reflected_inertia() {
    let swing = |rotor: Option<Rotor>, extra: f64| {
        let mut builder = SpatialModelBuilder::new();
        builder.gravity(Vector3::new(0.0, -9.81, 0.0));
        let tensor = Matrix3::from_diagonal(&Vector3::new(1e-3, 2e-3, 2e-3 + extra));
        let inertia = spatial_inertia(1.0, [0.06, 0.0, 0.0], tensor);
        let crank = builder.rigid_body("crank", Se3::identity(), inertia);
        let (a, b) = (
            Attachment::ground(Se3::identity()),
            Attachment::node(crank, Se3::identity()),
        );
        let joint = builder.joint("O", JointKind::Revolute, a, b);
        let law = MotorLaw {
            rotor,
            ..MotorLaw::default()
        };
        builder.motor("motor", joint, law);
        let model = builder.build().unwrap();
        let mut state = State::new(&model);
        let mut workspace = Workspace::new(&model);
        let (drive, settings) = (Held::default(), StepSettings::default());
        dynamics::initialize(&model, &mut state, &mut workspace, &drive).unwrap();
        let control = Control::fixed(1e-3);
        advance(
            &model,
            &mut state,
            &mut workspace,
            &drive,
            0.5,
            &control,
            &settings,
        )
        .unwrap();
        let now = energies(&model, &state).unwrap();
        (state.angle(joint), state.ledger.residual(&now))
    };
    let rotor = Rotor {
        inertia: 5e-6,
        gear_ratio: -30.0,
    };
    let (found, residual) = swing(Some(rotor), 0.0);
    let (expected, _) = swing(None, 900.0 * 5e-6);
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    assert!(residual.abs() < 1e-5, "{residual:e}");
}

/// On a free body, spinning a rotor up turns the body the other way: momentum is conserved.
#[test]
fn a_rotor_on_a_free_body_conserves_momentum() {
    let mut builder = PlanarModelBuilder::new();
    let body = builder.rigid_body("body", Se2::identity(), planar_inertia(3.0, [0.0; 2], 0.2));
    let arm = builder.rigid_body("arm", Se2::identity(), planar_inertia(1.0, [0.0; 2], 0.05));
    let (a, b) = (
        Attachment::node(body, Se2::identity()),
        Attachment::node(arm, Se2::identity()),
    );
    let joint = builder.joint("O", JointKind::Revolute, a, b);
    let torque = builder.input("torque");
    let law = MotorLaw {
        rotor: Some(Rotor {
            inertia: 2e-3,
            gear_ratio: 10.0,
        }),
        ..MotorLaw::torque(torque)
    };
    builder.motor("motor", joint, law);
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    let mut workspace = Workspace::new(&model);
    let drive = Signals(vec![Signal::Constant(0.3)]);
    let settings = StepSettings::default();
    dynamics::initialize(&model, &mut state, &mut workspace, &drive).unwrap();
    let control = Control::fixed(1e-2);
    advance(
        &model,
        &mut state,
        &mut workspace,
        &drive,
        1.0,
        &control,
        &settings,
    )
    .unwrap();
    let (w_a, w_b) = (state.velocity(body)[2], state.velocity(arm)[2]);
    let spin = 10.0 * w_b - 9.0 * w_a;
    let momentum = 0.2 * w_a + 0.05 * w_b + 2e-3 * spin;
    assert!(momentum.abs() < 1e-12, "{momentum:e}");
    // θ̈ from the reduced inertia: by hand, M = [[a, b], [b, c]] in (ω_A, θ̇).
    let (m_aa, m_at, m_tt) = (0.2 + 0.05 + 2e-3, 0.05 + 2e-2, 0.05 + 0.2);
    let expected = 0.3 / (m_tt - m_at * m_at / m_aa);
    assert!(
        (w_b - w_a - expected).abs() < 1e-9,
        "{} {expected}",
        w_b - w_a
    );
    let now = energies(&model, &state).unwrap();
    assert!(state.ledger.residual(&now).abs() < 1e-12);
}

/// A motor with a limited rate ramps its torque; friction of the drive is in the account.
#[test]
fn a_limited_rate_ramps_the_torque_and_friction_is_accounted_for() {
    let mut builder = PlanarModelBuilder::new();
    let arm = builder.rigid_body("arm", Se2::identity(), planar_inertia(1.0, [0.0; 2], 0.05));
    let (a, b) = (
        Attachment::ground(Se2::identity()),
        Attachment::node(arm, Se2::identity()),
    );
    let joint = builder.joint("O", JointKind::Revolute, a, b);
    let torque = builder.input("torque");
    let law = MotorLaw {
        torque_rate_limit: 4.0,
        friction: AxisFriction {
            curve: FrictionCurve::Coulomb {
                sliding: 0.1,
                transition_speed: 1e-2,
            },
            viscous: 0.05,
        },
        ..MotorLaw::torque(torque)
    };
    let motor = builder.motor("motor", joint, law);
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    let mut workspace = Workspace::new(&model);
    let drive = Signals(vec![Signal::Step {
        time: 0.1,
        before: 0.5,
        after: 1.5,
    }]);
    let settings = StepSettings::default();
    dynamics::initialize(&model, &mut state, &mut workspace, &drive).unwrap();
    let control = Control::fixed(1e-3);
    for (time, expected) in [(0.1, 0.5), (0.2, 0.9), (0.35, 1.5), (0.6, 1.5)] {
        advance(
            &model,
            &mut state,
            &mut workspace,
            &drive,
            time,
            &control,
            &settings,
        )
        .unwrap();
        let found = results::torque(&model, &state, motor).unwrap();
        assert!((found - expected).abs() < 1e-9, "{time}: {found}");
    }
    let now = energies(&model, &state).unwrap();
    let miss = state.ledger.residual(&now) / state.ledger.work_in;
    assert!(miss.abs() < LEDGER, "{miss:e}");
    assert!(state.ledger.dissipated > 0.1 * state.ledger.work_in);
}
