//! A platform that was put aside goes on with the same bits, whatever acted on it in between.

use crate::{PUSH, free_equilibrium, push};
use leg_core::config::{History, MotorMode, Shape};
use multibody::model::Signal;
use nalgebra::DVector;
use softdock_platform::PlatformConfig;
use softdock_platform::actuation::HoldMode;
use softdock_platform::monolithic::{Platform, PlatformState};
use softdock_platform::regulator::apply;
use softdock_platform::vehicle::Vehicle;
use softdock_platform::wrench::WrenchHistory;

fn constant(wrench: [f64; 6]) -> WrenchHistory {
    WrenchHistory(wrench.map(Signal::Constant))
}

/// Free motors on a fixed base, or on one that floats, holds its attitude and has thrusters whose force
/// changes all the time.
fn config(floating: bool) -> PlatformConfig {
    let mut config = PlatformConfig::default();
    config.legs.elements = 2;
    config.motor.mode = MotorMode::Torque;
    if floating {
        config.base.free_floating = true;
        config.base.hold.mode = HoldMode::Attitude;
        config.base.wrench.force_x_n = History::Shape(Shape::Sine {
            offset: 0.0,
            amplitude: 30.0,
            frequency_hz: 20.0,
            phase_rad: 0.0,
        });
    }
    config
}

/// Three samples of other torques, as a controller gives them.
fn controlled(platform: &mut Platform, hold: &[f64]) -> PlatformState {
    let start = platform.time();
    for k in 0..3 {
        let more = 0.2 + 0.1 * f64::from(k);
        let torques = DVector::from_iterator(hold.len(), hold.iter().map(|torque| torque + more));
        apply(platform, &torques).unwrap();
        platform
            .advance_to(start + 1e-3 * f64::from(k + 1))
            .unwrap();
    }
    platform.state()
}

/// Torques that change make accelerations follow at once, under the wrenches of the moment: those of
/// the memory, not those of whatever the platform did before it was recalled.
#[test]
fn a_recalled_platform_goes_on_with_the_same_bits() {
    for floating in [false, true] {
        let config = config(floating);
        let equilibrium = free_equilibrium(&config);
        let hold = equilibrium.holding_torques();
        let start = Platform::at_rest_under(&equilibrium, constant(PUSH)).unwrap();
        let mut platform = start.clone();
        if floating {
            let thrust = constant([0.0, 0.0, 4.0, 0.0, 1.0, 0.0]);
            assert!(platform.set_vehicle_wrench(Vehicle::Base, thrust));
        }
        controlled(&mut platform, &hold);
        let memory = platform.memory();
        let expected = controlled(&mut platform, &hold);

        // Meanwhile everything changes: wrenches, torques, and how often steps were made.
        platform.set_wrench(push([0.0, 50.0, 0.0, 0.0, 0.0, 3.0], 1e-3));
        platform.set_vehicle_wrench(Vehicle::Base, constant([9.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
        platform.advance_to(0.0123).unwrap();
        for mut again in [platform, start] {
            assert!(again.recall(&memory));
            assert!(again.memory() == memory, "floating: {floating}");
            let found = controlled(&mut again, &hold);
            assert!(found == expected, "floating: {floating}");
        }
    }
}

/// A leg that broke after the platform was put aside is whole again, and the other way round.
#[test]
fn a_recalled_platform_has_the_legs_it_had() {
    let config = config(false);
    let equilibrium = free_equilibrium(&config);
    let hold = equilibrium.holding_torques();
    let mut platform = Platform::at_rest_under(&equilibrium, constant(PUSH)).unwrap();
    let whole = platform.memory();
    let expected_whole = controlled(&mut platform, &hold);
    platform.detach(2);
    let broken = platform.memory();
    let expected_broken = controlled(&mut platform, &hold);
    assert!(platform.recall(&whole));
    assert!(controlled(&mut platform, &hold) == expected_whole);
    assert!(platform.legs().iter().all(|leg| leg.is_attached()));
    assert!(platform.recall(&broken));
    assert!(controlled(&mut platform, &hold) == expected_broken);
    assert!(!platform.legs()[2].is_attached());
}
