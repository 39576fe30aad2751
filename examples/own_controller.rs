//! A controller of one's own: a PD law holds the crank of the leg where it was released.

use leg_core::planar::Channel;
use leg_core::{LegConfig, LegError, Simulation};
use multibody::prelude::*;

/// Gains of the law [N·m/rad, N·m·s/rad].
const GAINS: [f64; 2] = [200.0, 2.0];
/// Time between two looks of the controller [s].
const PERIOD: f64 = 1e-3;

/// Angle of the crank at the start and after a second [rad], and the last torque [N·m].
fn run(control: impl Fn(f64, f64) -> f64) -> Result<[f64; 3], LegError> {
    let mut leg = Simulation::new(&LegConfig::default())?;
    let start = leg.sample()?.q[0];
    let mut torque = 0.0;
    for period in 1..=1000 {
        // Read the angle and its rate, compute a torque, hold it until the next look.
        let now = leg.sample()?;
        torque = control(now.q[0] - start, now.q_dot[0]);
        leg.set_signal(Channel::CrankTorque, Signal::Constant(torque));
        leg.advance_to(PERIOD * f64::from(period))?;
    }
    Ok([start, leg.sample()?.q[0], torque])
}

/// Compares the leg left alone with the leg under control.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [start, free, _] = run(|_, _| 0.0)?;
    let [_, held, torque] = run(|error, rate| -GAINS[0] * error - GAINS[1] * rate)?;
    println!("left alone, the crank goes from {start:.3} to {free:.3} rad");
    println!("under control it ends at {held:.3} rad with {torque:.2} N·m");

    // It falls when left alone, and rests where weight and law agree when held.
    assert!((free - start).abs() > 1.0);
    assert!((held - start).abs() < 0.05);
    assert!((torque + GAINS[0] * (held - start)).abs() < 0.1);
    Ok(())
}
