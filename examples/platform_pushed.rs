//! The platform pushed: the end effector yields to a steady force, as its stiffness says.

use multibody::prelude::*;
use softdock_platform::config::PlatformConfig;
use softdock_platform::monolithic::Platform;
use softdock_platform::statics::StaticPlatform;
use softdock_platform::wrench::WrenchHistory;

/// Pushes the end effector sideways and compares where it comes to rest with the stiffness.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Six legs, pre-tensioned, at the nominal pose; the wrench that holds them there.
    let equilibrium = StaticPlatform::nominal(&PlatformConfig::default())?;
    let held = equilibrium.wrench_vector();

    // From 0.1 s to 2.1 s a force along x grows to 0.5 N, and stays.
    let push = 0.5;
    let wrench = WrenchHistory(core::array::from_fn(|i| {
        let more = if i == 0 { push } else { 0.0 };
        Signal::Ramp {
            start: 0.1,
            duration: 2.0,
            from: held[i],
            to: held[i] + more,
        }
    }));
    let mut platform = Platform::at_rest_under(&equilibrium, wrench)?;
    let start = platform.effector().pose.translation();
    platform.advance_to(4.0)?;

    // The dampers sit along the legs: what swings sideways dies out slowly. So the mean of the last
    // seconds counts.
    let mut way = 0.0;
    for k in 1..=200 {
        platform.advance_to(4.0 + 0.02 * f64::from(k))?;
        way += (platform.effector().pose.translation() - start).x / 200.0;
    }
    let flexibility = equilibrium.stiffness().try_inverse().ok_or("singular")?;
    let expected = flexibility[(0, 0)] * push;
    println!(
        "the end effector yields by {:.4} mm, {:.4} mm expected",
        1e3 * way,
        1e3 * expected
    );
    assert!((way / expected - 1.0).abs() < 0.02, "{way} {expected}");
    Ok(())
}
