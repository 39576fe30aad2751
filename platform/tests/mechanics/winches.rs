//! Winches that pull the tendons: as inputs of the linear model, in motion, in the account, at their
//! limits.

use crate::free_equilibrium;
use leg_core::config::MotorMode;
use leg_core::planar::LinkDrive;
use multibody::group::Group;
use multibody::linearize::RESPONSE_TOLERANCE;
use multibody::model::Signal;
use nalgebra::{DVector, Vector6};
use softdock_platform::PlatformConfig;
use softdock_platform::audit::energy_account;
use softdock_platform::config::{Coupling, Fidelity};
use softdock_platform::linear_model::{Kept, linearize_with_winches};
use softdock_platform::monolithic::Platform;
use softdock_platform::scheme::{self, Scheme};
use softdock_platform::statics::StaticPlatform;
use softdock_platform::wrench::WrenchHistory;

/// Free motors, told what holds the platform at rest.
fn held_by_torques() -> (StaticPlatform, Platform) {
    let mut config = PlatformConfig::default();
    config.legs.elements = 4;
    config.motor.mode = MotorMode::Torque;
    let equilibrium = free_equilibrium(&config);
    let mut platform = Platform::at_rest(&equilibrium).unwrap();
    for (leg, torque) in equilibrium.holding_torques().into_iter().enumerate() {
        platform.set_motor(leg, Signal::Constant(torque), Signal::Constant(0.0));
    }
    (equilibrium, platform)
}

/// Place of the end effector's centre and its turn against the equilibrium, world axes.
fn deviation(platform: &Platform, from: &StaticPlatform) -> Vector6<f64> {
    let now = &platform.effector().pose;
    let turn = from.pose().between(now).log().unwrap();
    let moved = now.translation() - from.pose().translation();
    let turned = from.pose().rotation() * turn.fixed_rows::<3>(3);
    Vector6::from_iterator(moved.iter().chain(turned.iter()).copied())
}

/// Difference of two runs under small pulls of opposite sign, per newton, against the column of the
/// linear model that belongs to that winch.
#[test]
fn columns_of_the_linear_model_are_differences_of_the_platform() {
    let (equilibrium, start) = held_by_torques();
    // Every mode.
    let kept = Kept::Count(usize::MAX);
    let free = LinkDrive::Free;
    let linear = linearize_with_winches(&equilibrium, free, kept, RESPONSE_TOLERANCE).unwrap();
    let model = &linear.model;
    assert_eq!((linear.torques, linear.pulls), (6, 6));
    let (h, small) = (2.5e-4, 0.01);
    let (a, b) = softdock_control::riccati::discretize(&model.a, &model.b, h).unwrap();
    for leg in [1, 4] {
        let mut pulled = [1.0, -1.0].map(|sign| {
            let mut platform = start.clone();
            assert!(platform.set_tendon_force(leg, Signal::Constant(sign * small)));
            platform
        });
        let column = b.column(linear.torques + leg).into_owned();
        let mut x = DVector::zeros(model.a.nrows());
        let (mut error, mut size) = (Vector6::<f64>::zeros(), Vector6::<f64>::zeros());
        for k in 1..=240 {
            let ends = pulled.each_mut().map(|platform| {
                platform.advance_to(h * f64::from(k)).unwrap();
                deviation(platform, &equilibrium)
            });
            let found = (ends[0] - ends[1]) / (2.0 * small);
            x = &a * x + &column;
            let y = &model.c * &x;
            for i in 0..6 {
                size[i] = size[i].max(found[i].abs());
                error[i] = error[i].max((found[i] - y[i]).abs());
            }
        }
        let [moved, turned] = [0, 3].map(|i| size.fixed_rows::<3>(i).amax());
        let [off, off_turn] = [0, 3].map(|i| error.fixed_rows::<3>(i).amax());
        println!("leg {leg}: {moved:e} m/N off by {off:e}, {turned:e} rad/N off by {off_turn:e}");
        assert!(moved > 1e-6 && turned > 1e-5, "the pull does something");
        // The integrator's error in the first milliseconds.
        assert!(off < 3e-3 * moved && off_turn < 3e-3 * turned);
    }
}

/// Pulls that come and go, one of them more than slackens its tendon: no tendon ever pushes, what winches
/// do is in the account, and a saved platform goes on with the same bits.
#[test]
fn winches_never_push_and_are_in_the_account() {
    let (_, mut platform) = held_by_torques();
    let pull = |from: f64, to: f64| Signal::Step {
        time: 0.02,
        before: from,
        after: to,
    };
    assert!(platform.set_tendon_force(0, pull(15.0, -10.0)));
    assert!(platform.set_tendon_force(2, pull(0.0, -500.0)));
    let ramp = Signal::Ramp {
        start: 0.0,
        duration: 0.05,
        from: 0.0,
        to: 25.0,
    };
    assert!(platform.set_tendon_force(5, ramp));
    let mut least = f64::INFINITY;
    let mut saved = None;
    for k in 1..=120 {
        platform.advance_to(1e-3 * f64::from(k)).unwrap();
        least = least.min(Scheme::leg(&platform, 2).tendon_tension);
        if k == 40 {
            saved = Some(platform.memory());
        }
    }
    assert_eq!(
        least, 0.0,
        "the third tendon is slack and no more than that"
    );
    let account = energy_account(&mut platform).unwrap();
    println!("{account:?}");
    assert!(account.motor_work.abs() > 0.05, "{}", account.motor_work);
    let moved = account.motor_work.abs().max(account.dissipated);
    assert!(
        account.residual.abs() < 1e-3 * moved,
        "{}",
        account.residual
    );

    let (_, mut again) = held_by_torques();
    assert!(again.recall(&saved.unwrap()));
    for k in 41..=120 {
        again.advance_to(1e-3 * f64::from(k)).unwrap();
    }
    assert_eq!(again.effector(), platform.effector());
}

/// Where there is no winch, none is told to pull.
#[test]
fn legs_without_winches_say_so() {
    let mut config = PlatformConfig::default();
    config.legs.elements = 3;
    let told = |config: &PlatformConfig| {
        let equilibrium = StaticPlatform::nominal(config).unwrap();
        let mut platform = scheme::start(&equilibrium, WrenchHistory::default()).unwrap();
        platform.set_tendon_force(0, Signal::Constant(1.0))
    };
    assert!(told(&config));
    let mut strut = config.clone();
    strut.legs.fidelity = Fidelity::Strut;
    assert!(!told(&strut));
    let mut coupled = config.clone();
    coupled.coupling = Coupling::Implicit;
    assert!(!told(&coupled));
}
