//! The monolithic scheme against the kernel on the platform as one model.
//!
//! Both solve the same equations of the same step, one condensed leg by leg, the other all at
//! once: they must agree to the tolerance of Newton's iteration.

use crate::{PUSH, PUSH_TIME, free_equilibrium, push};
use leg_core::config::MotorMode;
use leg_core::planar::LinkDrive;
use leg_core::spatial::SpatialState;
use multibody::dynamics::{self, StepSettings};
use multibody::group::Group;
use multibody::model::spatial_inertia;
use multibody::results;
use multibody::workspace::Workspace;
use nalgebra::Matrix3;
use softdock_platform::PlatformConfig;
use softdock_platform::body::Body;
use softdock_platform::contact::{ContactConfig, Mounts};
use softdock_platform::linear_model::{
    Kept, LinearPlatform, RESPONSE_TOLERANCE, linearize_captured, linearize_platform,
};
use softdock_platform::monolithic::Platform;
use softdock_platform::whole_model::{CapturedTarget, WholeModel};
use softdock_platform::wrench::felt;

/// Largest difference allowed [m, rad, m/s, rad/s]; rounding gives 1e-12.
const EQUAL: f64 = 1e-9;
/// Largest difference of leg forces [N]: multipliers feel the rounding of accelerations.
const EQUAL_FORCE: f64 = 1e-7;

/// Largest differences of poses [m, rad], velocities, and leg forces [N].
#[derive(Debug, Default)]
struct Difference {
    pose: f64,
    velocity: f64,
    nodes: f64,
    force: f64,
}

fn compare(platform: &Platform, whole: &WholeModel, state: &SpatialState, out: &mut Difference) {
    let bodies = platform.bodies();
    let nodes = [Some(whole.effector), whole.base];
    for (body, node) in bodies.iter().zip(nodes.into_iter().flatten()) {
        let gap = body.pose.between(state.pose(node)).log().unwrap();
        out.pose = out.pose.max(gap.amax());
        let rate = body.velocity - state.velocity(node);
        out.velocity = out.velocity.max(rate.amax());
    }
    for (leg, parts) in platform.legs().iter().zip(&whole.legs) {
        let own = &leg.state().poses;
        let count = leg.leg().model.node_count() - usize::from(whole.base.is_some());
        let first = parts.parts.crank.index();
        let shared = &state.poses[first..first + count];
        for (a, b) in own[own.len() - count..].iter().zip(shared) {
            out.nodes = out.nodes.max(a.between(b).log().unwrap().amax());
        }
        let force = results::reaction(&whole.model, state, parts.tip).force;
        out.force = out.force.max((leg.tip_force() + force).amax());
    }
}

/// Pushes both for 50 ms and lets them go on to `end` [s].
fn differences(mut config: PlatformConfig, end: f64) -> Difference {
    config.solver.newton_tolerance = 1e-9;
    let equilibrium = free_equilibrium(&config);
    let (h, count) = (1e-3, (end / 1e-3_f64).round() as usize);
    let wrench = push(PUSH, PUSH_TIME);
    let mut whole = WholeModel::at_rest(&equilibrium).unwrap();
    whole.set_wrench(&felt(&wrench, h, count));
    let mut platform = Platform::at_rest_under(&equilibrium, wrench).unwrap();
    let settings = StepSettings {
        spectral_radius: config.solver.spectral_radius,
        tolerance: 1e-9,
        ..StepSettings::default()
    };
    let mut state = whole.rest.clone();
    let mut workspace = Workspace::new(&whole.model);
    let mut out = Difference::default();
    for _ in 0..count {
        platform.step(h).unwrap();
        dynamics::step(
            &whole.model,
            &mut state,
            &mut workspace,
            &whole.signals,
            h,
            &settings,
        )
        .unwrap();
        compare(&platform, &whole, &state, &mut out);
    }
    let moved = equilibrium.pose().between(&platform.effector().pose);
    assert!(moved.translation().norm() > 1e-3, "nothing moved");
    out
}

fn assert_equal(config: PlatformConfig, end: f64) {
    let out = differences(config, end);
    println!("{out:?}");
    assert!(out.pose < EQUAL && out.nodes < EQUAL, "{out:?}");
    assert!(out.velocity < EQUAL && out.force < EQUAL_FORCE, "{out:?}");
}

#[test]
fn condensed_legs_equal_one_model() {
    assert_equal(PlatformConfig::default(), 0.3);
}

#[test]
fn condensed_legs_equal_one_model_under_gravity() {
    let config = PlatformConfig {
        gravity_m_s2: [0.5, -1.0, -9.7],
        ..PlatformConfig::default()
    };
    assert_equal(config, 0.3);
}

#[test]
fn condensed_legs_equal_one_model_on_a_floating_base() {
    let mut config = PlatformConfig::default();
    config.base.free_floating = true;
    config.base.mass_kg = 20.0;
    config.base.inertia_kg_m2 = [1.0, 1.2, 0.8];
    config.base.centre_of_mass_m = [0.02, -0.01, -0.1];
    assert_equal(config, 0.3);
}

#[test]
fn condensed_legs_equal_one_model_with_free_and_with_held_motors() {
    for mode in [MotorMode::Torque, MotorMode::Hold] {
        let mut config = PlatformConfig::default();
        config.motor.mode = mode;
        config.base.free_floating = true;
        config.base.mass_kg = 50.0;
        config.base.inertia_kg_m2 = [2.0, 2.0, 2.0];
        assert_equal(config, 0.1);
    }
}

/// Frequencies of the slowest modes, cranks prescribed [Hz].
fn slowest(linear: &LinearPlatform) -> Vec<f64> {
    linear.frequencies.iter().take(6).copied().collect()
}

/// Linearisation sees a captured target. In a latch a thousand times stiffer than usual it moves with
/// the end effector as one body: the modes are those of a platform whose end effector has its mass. In
/// the usual latch it is no worse than the square of the frequencies' ratio.
#[test]
fn linearisation_sees_a_captured_target() {
    let config = PlatformConfig {
        gravity_m_s2: [0.0; 3],
        ..PlatformConfig::default()
    };
    let equilibrium = free_equilibrium(&config);
    let (mass, inertia) = (40.0, [3.0, 2.5, 2.0]);
    let tensor = |diagonal: [f64; 3]| Matrix3::from_diagonal(&diagonal.into());
    let target = |stiffer: f64| {
        let contact = ContactConfig::default();
        let pair = contact.pair(&Mounts::default()).unwrap();
        let mut latch = contact.latch;
        latch.stiffness_n_per_m = latch.stiffness_n_per_m.map(|k| stiffer * k);
        latch.stiffness_nm_per_rad = latch.stiffness_nm_per_rad.map(|k| stiffer * k);
        CapturedTarget {
            body: Body::rigid(
                spatial_inertia(mass, [0.0; 3], tensor(inertia)),
                Default::default(),
            ),
            pose: *equilibrium.pose(),
            latch: latch.latch(&pair),
        }
    };
    let (drive, all) = (LinkDrive::Prescribed, Kept::Count(usize::MAX));
    let captured = |stiffer: f64| {
        let target = target(stiffer);
        let linear = linearize_captured(&equilibrium, &target, drive, all, RESPONSE_TOLERANCE);
        slowest(&linear.unwrap())
    };
    let mut heavy = config.clone();
    heavy.end_effector.mass_kg += mass;
    for (own, more) in heavy.end_effector.inertia_kg_m2.iter_mut().zip(inertia) {
        *own += more;
    }
    let heavy = free_equilibrium(&heavy);
    let one_body = linearize_platform(&heavy, drive, all, RESPONSE_TOLERANCE).unwrap();
    let one_body = slowest(&one_body);
    for (stiffer, tolerance) in [(1e3, 1e-4), (1.0, 5e-2)] {
        for (held, wanted) in captured(stiffer).iter().zip(&one_body) {
            let error = (held / wanted - 1.0).abs();
            assert!(error < tolerance, "{stiffer}: {held} Hz, {wanted} Hz");
        }
    }
    let empty = linearize_platform(&equilibrium, drive, all, RESPONSE_TOLERANCE).unwrap();
    assert!(slowest(&empty)[0] > 1.5 * one_body[0]);
}
