//! Dry and viscous friction of a drive against what integrates by hand.
//!
//! A crank of inertia J that turns with ω_0 and meets nothing but friction F(ω) obeys J ω̇ = −F(ω), so
//! that it turns by
//!
//! ```text
//! θ = J ∫₀^ω₀ ω/F(ω) dω                                                         (1)
//! ```
//!
//! and takes `J ∫ dω/F(ω)` for it. With F = F_d ω/√(ω² + v_t²) (1) is
//! `J/(2 F_d) (ω_0 √(ω_0² + v_t²) + v_t² arsinh(ω_0/v_t))`, and `J ω_0²/(2 F_d)` for v_t → 0.

use leg_core::config::Motor;
use multibody::dynamics::advance;
use multibody::model::*;
use multibody::prelude::*;
use multibody::results::energy::energies;

/// Inertia of the crank about its axis [kg·m²]: 1 kg and 0.12 m.
const INERTIA: f64 = 0.12 * 0.12 / 3.0;
/// Speed at the start [rad/s].
const START: f64 = 2.0;
/// Relative error of angles and speeds: steps of 0.1 ms, in which friction changes its sign at the end.
const EXACT: f64 = 1e-5;
/// Part of the kinetic energy that the account may miss.
const LEDGER: f64 = 1e-6;
const STEP: f64 = 1e-4;

/// A crank in the plane with the motor of a leg, whose torque is an input.
fn crank_in_plane(motor: &Motor) -> (PlanarModel, JointId, usize) {
    let mut builder = PlanarModelBuilder::new();
    let inertia = planar_inertia(1.0, [0.06, 0.0], 0.12 * 0.12 / 12.0);
    let crank = builder.rigid_body("crank", Se2::identity(), inertia);
    let (a, b) = (
        Attachment::ground(Se2::identity()),
        Attachment::node(crank, Se2::identity()),
    );
    let joint = builder.joint("O", JointKind::Revolute, a, b);
    let torque = builder.input("torque");
    builder.motor("motor", joint, motor.law(torque, None));
    (builder.build().unwrap(), joint, crank.index())
}

/// The same in space, about an axis that is no axis of the world.
fn crank_in_space(motor: &Motor) -> (SpatialModel, JointId, usize) {
    let mut builder = SpatialModelBuilder::new();
    let turn = Se3::exp(&[0.0, 0.0, 0.0, 0.4, -0.9, 0.3].into());
    let across = 0.12 * 0.12 / 12.0;
    let tensor = Matrix3::from_diagonal(&Vector3::new(1e-6, across, across));
    let inertia = spatial_inertia(1.0, [0.06, 0.0, 0.0], tensor);
    let crank = builder.rigid_body("crank", turn, inertia);
    let (a, b) = (
        Attachment::ground(turn),
        Attachment::node(crank, Se3::identity()),
    );
    let joint = builder.joint("O", JointKind::Revolute, a, b);
    let torque = builder.input("torque");
    builder.motor("motor", joint, motor.law(torque, None));
    (builder.build().unwrap(), joint, crank.index())
}

/// What a crank did.
#[derive(Debug)]
struct Turned {
    angle: f64,
    rate: f64,
    /// Energy that was lost.
    lost: f64,
}

/// Turns with the rate `start` [rad/s] for `time` [s] under a torque [N·m].
fn turned<G: Group<N, D>, const N: usize, const D: usize>(
    (model, joint, crank): &(Model<G, N, D>, JointId, usize),
    (start, torque, time): (f64, f64, f64),
) -> Turned {
    let mut state = State::new(model);
    state.velocities[*crank][N - 1] = start;
    let mut workspace = Workspace::new(model);
    let drive = Signals(vec![Signal::Constant(torque)]);
    let settings = StepSettings::default();
    dynamics::initialize(model, &mut state, &mut workspace, &drive).unwrap();
    let control = Control::fixed(STEP);
    advance(
        model,
        &mut state,
        &mut workspace,
        &drive,
        time,
        &control,
        &settings,
    )
    .unwrap();
    let now = energies(model, &state).unwrap();
    let moved = 0.5 * INERTIA * start * start + state.ledger.work_in;
    let miss = state.ledger.residual(&now) / moved;
    assert!(miss.abs() < LEDGER, "{miss:e}");
    Turned {
        angle: state.angle(*joint),
        rate: results::angle_rate(model, &state, *joint),
        lost: state.ledger.dissipated,
    }
}

/// In the plane and in space.
fn both(motor: &Motor, how: (f64, f64, f64)) -> [Turned; 2] {
    [
        turned(&crank_in_plane(motor), how),
        turned(&crank_in_space(motor), how),
    ]
}

fn assert_close(found: f64, expected: f64, what: &str) {
    let error = found / expected - 1.0;
    println!("{what}: {found} for {expected}, off by {error:.1e}");
    assert!(error.abs() < EXACT, "{what}: {found} for {expected}");
}

/// (1) by Simpson's rule, in a variable that is dense at rest.
fn way(friction: impl Fn(f64) -> f64) -> f64 {
    let parts = 20_000;
    let at = |i: usize| {
        let s = i as f64 / f64::from(parts);
        let rate = START * s * s * s;
        if rate == 0.0 {
            return 0.0;
        }
        rate / friction(rate) * 3.0 * START * s * s
    };
    let inner = |i: usize| if i % 2 == 1 { 4.0 } else { 2.0 };
    let n = parts as usize;
    let sum: f64 = (1..n).map(|i| inner(i) * at(i)).sum();
    INERTIA * (at(0) + sum + at(n)) / (3.0 * f64::from(parts))
}

#[test]
fn a_crank_under_dry_friction_stops_at_the_known_angle() {
    for (sliding, v_t) in [(0.05, 1e-2), (0.2, 1e-2), (0.1, 1e-1)] {
        let motor = Motor {
            friction_nm: sliding,
            friction_speed_rad_per_s: v_t,
            ..Motor::default()
        };
        let root = (START * START + v_t * v_t).sqrt();
        let at_rest = START * root + v_t * v_t * (START / v_t).asinh();
        let expected = INERTIA / (2.0 * sliding) * at_rest;
        // The rule that `way` uses for what has no closed form.
        let curve = |rate: f64| sliding * rate / (rate * rate + v_t * v_t).sqrt();
        assert!((way(curve) / expected - 1.0).abs() < 1e-9);
        for crank in both(&motor, (START, 0.0, 0.5)) {
            assert_close(crank.angle, expected, "angle at rest");
            assert_close(crank.lost, 0.5 * INERTIA * START * START, "energy lost");
            assert!(crank.rate.abs() < 1e-6, "{}", crank.rate);
        }
    }
}

/// F = F_d tanh 4y + (F_s − F_d) y/(y²/4 + 3/4)² + c ω with y = ω/v_t (Brown and McPhee 2016), written
/// here once more.
#[test]
fn a_crank_under_brown_mcphee_friction_stops_where_its_integral_says() {
    let (sliding, breakaway, v_t, viscous) = (0.05, 0.12, 0.05, 0.01);
    let motor = Motor {
        friction_nm: sliding,
        breakaway_friction_nm: breakaway,
        friction_speed_rad_per_s: v_t,
        viscous_friction_nm_s_per_rad: viscous,
        ..Motor::default()
    };
    let curve = |rate: f64| {
        let y: f64 = rate / v_t;
        let falling = (breakaway - sliding) * y / (0.25 * y * y + 0.75).powi(2);
        sliding * (4.0 * y).tanh() + falling + viscous * rate
    };
    for crank in both(&motor, (START, 0.0, 0.5)) {
        assert_close(crank.angle, way(curve), "angle at rest");
    }
}

/// Far above the transition J ω̇ = −F_d − c ω has the solution ω = (ω_0 + F_d/c) exp(−c t/J) − F_d/c.
#[test]
fn dry_and_viscous_friction_slow_a_crank_as_by_hand() {
    let (sliding, viscous) = (0.02, 0.03);
    let motor = Motor {
        friction_nm: sliding,
        friction_speed_rad_per_s: 1e-4,
        viscous_friction_nm_s_per_rad: viscous,
        ..Motor::default()
    };
    let (time, level) = (0.1, sliding / viscous);
    let left = (-viscous * time / INERTIA).exp();
    let rate = (START + level) * left - level;
    let angle = (START + level) * INERTIA / viscous * (1.0 - left) - level * time;
    for crank in both(&motor, (START, 0.0, time)) {
        assert_close(crank.rate, rate, "rate");
        assert_close(crank.angle, angle, "angle");
    }
}

/// Below its breakaway friction a drive creeps slower than the transition; above, it is driven by what
/// the sliding friction leaves over.
#[test]
fn a_drive_breaks_away_at_its_breakaway_friction() {
    let (sliding, breakaway, v_t) = (0.05, 0.12, 1e-3);
    let motor = Motor {
        friction_nm: sliding,
        breakaway_friction_nm: breakaway,
        friction_speed_rad_per_s: v_t,
        ..Motor::default()
    };
    for crank in both(&motor, (0.0, 0.95 * breakaway, 1.0)) {
        assert!(crank.rate > 0.0 && crank.rate < v_t, "{}", crank.rate);
    }
    // Near v_t it takes a little longer, the friction being larger there.
    let expected = (1.2 * breakaway - sliding) * 0.5 / INERTIA;
    for crank in both(&motor, (0.0, 1.2 * breakaway, 0.5)) {
        let error = crank.rate / expected - 1.0;
        assert!(
            (-1e-3..=0.0).contains(&error),
            "{} for {expected}",
            crank.rate
        );
    }
}
