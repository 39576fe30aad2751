//! The monolithic scheme where things go wrong: saturated motors, slack tendons, a broken leg,
//! poses next to a limit point, and beyond it.

use crate::{PUSH, PUSH_TIME, free_equilibrium, push};
use leg_core::config::MotorMode;
use multibody::group::Group;
use multibody::model::Signal;
use softdock_platform::PlatformConfig;
use softdock_platform::audit::energy_account;
use softdock_platform::monolithic::Platform;
use softdock_platform::statics::{StaticPlatform, StaticSettings, Target};
use softdock_platform::wrench::WrenchHistory;

/// A ramp to `wrench` over `duration` [s], then constant.
fn ramp(wrench: [f64; 6], duration: f64) -> WrenchHistory {
    WrenchHistory(wrench.map(|to| Signal::Ramp {
        start: 0.0,
        duration,
        from: 0.0,
        to,
    }))
}

fn moved(platform: &Platform, from: &StaticPlatform) -> f64 {
    let gap = platform.effector().pose.translation() - from.pose().translation();
    gap.norm()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads: usize, floating: bool| {
        let mut config = PlatformConfig::default();
        config.solver.threads = threads;
        config.base.free_floating = floating;
        let equilibrium = free_equilibrium(&config);
        let mut platform = Platform::at_rest_under(&equilibrium, push(PUSH, PUSH_TIME)).unwrap();
        platform.advance_to(0.1).unwrap();
        platform.state()
    };
    for floating in [false, true] {
        let one = run(1, floating);
        for threads in [2, 3, 6] {
            assert_eq!(one, run(threads, floating), "{threads} threads");
        }
    }
}

#[test]
fn motors_at_their_torque_limit_give_way_and_come_back() {
    let mut config = PlatformConfig::default();
    config.motor.mode = MotorMode::Hold;
    config.motor.torque_limit_nm = 1.0;
    let limit = config.motor.torque_limit_nm;
    let equilibrium = free_equilibrium(&config);
    let wrench = push([0.0, 0.0, -80.0, 0.0, 0.0, 0.0], 0.05);
    let mut platform = Platform::at_rest_under(&equilibrium, wrench).unwrap();
    let (mut saturated, mut turned) = (0, 0.0_f64);
    for k in 1..=1500 {
        platform.advance_to(1e-3 * f64::from(k)).unwrap();
        for leg in platform.legs() {
            let torque = leg.motor_torque().abs();
            assert!(torque <= limit, "{torque}");
            saturated += usize::from(torque == limit);
            turned = turned.max(leg.crank_angle().abs());
        }
    }
    println!("saturated {saturated} times, cranks turned by {turned:.3} rad");
    assert!(saturated > 20);
    // More than the hold's stiffness allows below its limit.
    assert!(turned > 2.0 * limit / config.motor.hold_stiffness_nm_per_rad);
    let gap = moved(&platform, &equilibrium);
    println!("{gap:e} m from where it was");
    assert!(gap < 5e-3);
}

/// Numbers in [0, 1), the same in every run.
struct Dice(u64);

impl Dice {
    fn throw(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.throw()
    }
}

/// Any gravity, hold, limit, target and push: whatever asks for the torque, the motor delivers no
/// more than its limit. Few elements and steps: what is tried is the motor.
#[test]
fn motors_that_hold_deliver_no_more_than_their_limit_in_200_random_runs() {
    let mut dice = Dice(17);
    let mut saturated = 0;
    for run in 0..25 {
        let mut config = PlatformConfig::default();
        config.legs.elements = 2;
        config.motor.mode = MotorMode::Hold;
        config.gravity_m_s2 = [0.0, 0.0, -dice.between(0.0, 12.0)];
        config.motor.hold_stiffness_nm_per_rad = 10.0_f64.powf(dice.between(0.0, 3.0));
        config.motor.hold_damping_nm_s_per_rad = dice.between(0.0, 5.0);
        config.motor.torque_limit_nm = 10.0_f64.powf(dice.between(-2.0, 1.0));
        let limit = config.motor.torque_limit_nm;
        let equilibrium = free_equilibrium(&config);
        // Eight runs from one equilibrium, each with targets and a push of its own.
        for _ in 0..8 {
            let push_now = push([0; 6].map(|_| dice.between(-30.0, 30.0)), 0.003);
            let mut platform = Platform::at_rest_under(&equilibrium, push_now).unwrap();
            for leg in platform.legs_mut() {
                let torque = leg.motor().0.clone();
                let target = leg.start_angle() + dice.between(-0.05, 0.05);
                leg.set_motor(
                    torque.shifted(dice.between(-2.0, 2.0)),
                    Signal::Constant(target),
                );
            }
            for k in 1..=5 {
                platform.advance_to(1e-3 * f64::from(k)).unwrap();
                for leg in platform.legs() {
                    let torque = leg.motor_torque().abs();
                    assert!(torque <= limit, "run {run}: {torque} of {limit}");
                    saturated += usize::from(torque == limit);
                }
            }
        }
    }
    println!("{saturated} times at the limit");
    assert!(saturated > 500);
}

/// A motor in mode torque that is told 0 N·m lets the platform go at t = 0; told the torques of the
/// equilibrium it stays.
#[test]
fn motors_told_nothing_let_the_platform_fall() {
    let mut config = PlatformConfig::default();
    config.legs.elements = 4;
    config.motor.mode = MotorMode::Torque;
    config.gravity_m_s2 = [0.0, 0.0, -9.81];
    let mut equilibrium = free_equilibrium(&config);
    assert!(equilibrium.holding_torques().iter().all(|t| t.abs() > 1.0));
    let fall = |equilibrium: &StaticPlatform| {
        let mut platform = Platform::at_rest(equilibrium).unwrap();
        platform.advance_to(0.05).unwrap();
        let torque = platform.legs()[0].motor_torque();
        (moved(&platform, equilibrium), torque)
    };
    let (fallen, torque) = fall(&equilibrium);
    println!("{fallen:.4} m in 50 ms");
    assert_eq!(torque, 0.0);
    assert!(fallen > 1e-3 && fallen < 0.5 * 9.81 * 0.05 * 0.05 * 1.5);
    equilibrium.hold_motors();
    let (stayed, torque) = fall(&equilibrium);
    assert!(stayed < 1e-9, "{stayed:e}");
    assert!(torque.abs() > 1.0);
}

#[test]
fn slack_tendons_carry_nothing_and_tighten_again() {
    let config = PlatformConfig::default();
    let equilibrium = free_equilibrium(&config);
    let wrench = push([40.0, 0.0, -150.0, 12.0, -8.0, 0.0], 0.03);
    let mut platform = Platform::at_rest_under(&equilibrium, wrench).unwrap();
    let mut slack = [0; 6];
    let mut worst: f64 = 0.0;
    for k in 1..=1000 {
        platform.advance_to(1e-3 * f64::from(k)).unwrap();
        let account = energy_account(&mut platform).unwrap();
        worst = worst.max(account.residual.abs());
        for (count, leg) in slack.iter_mut().zip(platform.legs()) {
            assert!(leg.tension() >= 0.0);
            *count += usize::from(leg.tension() < 2.0 * config.tendon.slack_width_n);
        }
    }
    let account = energy_account(&mut platform).unwrap();
    println!(
        "slack {slack:?} ms, residual {worst:e} of {:e} J",
        account.dissipated
    );
    assert!(slack.iter().any(|&time| time > 10));
    assert!(slack.contains(&0), "some legs stay taut");
    assert!(worst < 1e-2 * account.dissipated, "{account:?}");
    let gap = moved(&platform, &equilibrium);
    assert!(gap < 0.02, "{gap}");
}

#[test]
fn a_platform_whose_leg_breaks_at_once_is_one_with_five_legs() {
    let config = PlatformConfig::default();
    let mut five = config.clone();
    for list in [
        &mut five.legs.motor_azimuth_deg,
        &mut five.legs.sphere_azimuth_deg,
    ] {
        list.remove(2);
    }
    // Unloaded, every leg is in balance by itself: the nominal pose is one of rest for both.
    let start = |config| {
        let nominal = StaticPlatform::nominal(config).unwrap();
        Platform::at_rest(&nominal).unwrap()
    };
    let (mut broken, mut five) = (start(&config), start(&five));
    broken.detach(2);
    for platform in [&mut broken, &mut five] {
        platform.set_wrench(push(PUSH, PUSH_TIME));
        platform.advance_to(0.3).unwrap();
    }
    let gap = broken.effector().pose.between(&five.effector().pose);
    assert!(gap.log().unwrap().amax() < 1e-9);
}

#[test]
fn a_leg_that_breaks_in_motion_leaves_the_platform_a_free_direction() {
    let config = PlatformConfig::default();
    let equilibrium = free_equilibrium(&config);
    let mut platform = Platform::at_rest_under(&equilibrium, push(PUSH, PUSH_TIME)).unwrap();
    platform.advance_to(0.05).unwrap();
    platform.detach(2);
    let before = energy_account(&mut platform).unwrap();
    for k in 6..=100 {
        platform.advance_to(0.01 * f64::from(k)).unwrap();
        assert!(platform.effector().is_finite());
        assert_eq!(platform.legs()[2].tip_force().norm(), 0.0);
    }
    // Five two-force members cannot hold six directions: the end effector drifts away.
    let mut whole = Platform::at_rest_under(&equilibrium, push(PUSH, PUSH_TIME)).unwrap();
    whole.advance_to(1.0).unwrap();
    let (gone, held) = (moved(&platform, &equilibrium), moved(&whole, &equilibrium));
    let account = energy_account(&mut platform).unwrap();
    println!("{gone:.4} m instead of {held:.4} m; {before:?} {account:?}");
    assert!(gone > 3.0 * held);
    assert!((account.residual - before.residual).abs() < 1e-2 * account.dissipated);
}

/// Lateral force at the limit point [N], and the platform there.
fn lateral_limit(config: &PlatformConfig) -> (f64, StaticPlatform) {
    let mut platform = free_equilibrium(config);
    let target = Target {
        pose: None,
        motors: Some(platform.motors().to_vec()),
        force: [100.0, 0.0, 0.0].into(),
        moment: Default::default(),
    };
    let error = platform.follow(&target, &StaticSettings::default());
    assert!(error.is_err());
    (platform.wrench().0.x, platform)
}

#[test]
fn next_to_a_limit_point_the_platform_is_soft_but_calm() {
    let config = PlatformConfig::default();
    let (limit, mut platform) = lateral_limit(&config);
    let target = Target {
        pose: None,
        motors: Some(platform.motors().to_vec()),
        force: [0.97 * limit, 0.0, 0.0].into(),
        moment: Default::default(),
    };
    platform
        .follow(&target, &StaticSettings::default())
        .unwrap();
    let mut wrench = push([1.0, 0.5, 0.0, 0.0, 0.0, 0.0], PUSH_TIME);
    let held = Signal::Step {
        time: PUSH_TIME,
        before: 0.97 * limit + 1.0,
        after: 0.97 * limit,
    };
    wrench.0[0] = held;
    let mut running = Platform::at_rest_under(&platform, wrench).unwrap();
    let mut furthest: f64 = 0.0;
    for k in 1..=100 {
        running.advance_to(0.01 * f64::from(k)).unwrap();
        furthest = furthest.max(moved(&running, &platform));
    }
    let account = energy_account(&mut running).unwrap();
    println!("limit {limit:.3} N; at 97 % moved by {furthest:.4} m; {account:?}");
    assert!(furthest > 1e-4 && furthest < 0.05);
    assert!(account.residual.abs() < 1e-3 * account.wrench_work.abs().max(1e-3));
}

#[test]
fn a_limit_point_is_passed_dynamically() {
    let config = PlatformConfig::default();
    let (limit, _) = lateral_limit(&config);
    let equilibrium = free_equilibrium(&config);
    let load = ramp([1.5 * limit, 0.0, 0.0, 0.0, 0.0, 0.0], 0.2);
    let mut platform = Platform::at_rest_under(&equilibrium, load).unwrap();
    let mut furthest: f64 = 0.0;
    let mut fastest: f64 = 0.0;
    for k in 1..=300 {
        let done = platform.advance_to(0.01 * f64::from(k));
        if let Err(error) = done {
            panic!("{error}; {furthest} m");
        }
        furthest = furthest.max(moved(&platform, &equilibrium));
        fastest = fastest.max(platform.effector().velocity.fixed_rows::<3>(0).norm());
    }
    let account = energy_account(&mut platform).unwrap();
    println!(
        "limit {limit:.2} N: moved by {furthest:.3} m, {fastest:.2} m/s; now {:?} {account:?}",
        platform.effector().pose.translation().as_slice()
    );
    assert!(platform.effector().is_finite() && furthest > 0.2);
    assert!(account.residual.abs() < 1e-2 * account.wrench_work.abs());
}
