//! What a controller sees of a platform, as one list of numbers.

use multibody::group::Group;
use softdock_platform::attitude::Attitude;
use softdock_platform::sample::BodySample;
use softdock_platform::scheme::Scheme;

/// Names of the numbers of [`observe`], units included.
pub fn names(legs: usize, target: bool) -> Vec<String> {
    let mut out = vec!["time_s".to_owned()];
    let mut body = |prefix: &str| {
        for name in [
            "x_m",
            "y_m",
            "z_m",
            "pitch_rad",
            "yaw_rad",
            "roll_rad",
            "velocity_x_m_s",
            "velocity_y_m_s",
            "velocity_z_m_s",
            "rate_x_rad_s",
            "rate_y_rad_s",
            "rate_z_rad_s",
        ] {
            out.push(format!("{prefix}{name}"));
        }
    };
    body("effector_");
    if target {
        body("target_");
        for name in [
            "contact_force_x_n",
            "contact_force_y_n",
            "contact_force_z_n",
            "gap_m",
        ] {
            out.push(name.to_owned());
        }
    }
    for name in [
        "motor_angle_rad",
        "motor_rate_rad_s",
        "motor_torque_nm",
        "tendon_tension_n",
    ] {
        out.extend((1..=legs).map(|leg| format!("leg{leg}_{name}")));
    }
    out
}

/// Time, end effector, target and contact if there is one, then angles, rates and torques of the
/// motors and tensions of the tendons: axes of the world.
pub fn observe(platform: &dyn Scheme) -> Vec<f64> {
    let legs = platform.leg_count();
    let mut out = Vec::with_capacity(29 + 4 * legs);
    out.push(platform.time());
    let mut body = |sample: BodySample, attitude: [f64; 3]| {
        out.extend(sample.position);
        out.extend(attitude);
        out.extend(sample.velocity);
        out.extend(sample.spin);
    };
    let effector = BodySample::new(platform.effector());
    body(effector, effector.attitude.list());
    let world = platform.world();
    if let Some(target) = world.bodies().target {
        let state = &platform.bodies()[target];
        body(
            BodySample::new(state),
            Attitude::of_target(&state.pose).list(),
        );
        let output = world.encounter().map(|encounter| encounter.output());
        let mut force = [0.0; 3];
        for point in output.iter().flat_map(|output| &output.points) {
            if point.normal_force > 0.0 {
                (0..3).for_each(|i| force[i] += point.force[i]);
            }
        }
        out.extend(force);
        out.push(output.map_or(f64::INFINITY, |output| output.minimum_gap));
    }
    let views: Vec<_> = (0..legs).map(|leg| platform.leg(leg)).collect();
    out.extend(views.iter().map(|leg| leg.motor_angle));
    out.extend(views.iter().map(|leg| leg.motor_rate));
    out.extend(views.iter().map(|leg| leg.motor_torque));
    out.extend(views.iter().map(|leg| leg.tendon_tension));
    out
}

/// A pose as a matrix of four rows, row by row.
pub fn matrix(pose: &multibody::group::Se3) -> Vec<f64> {
    let (rotation, place) = (pose.rotation(), pose.translation());
    let mut out = Vec::with_capacity(16);
    for row in 0..3 {
        out.extend((0..3).map(|column| rotation[(row, column)]));
        out.push(place[row]);
    }
    out.extend([0.0, 0.0, 0.0, 1.0]);
    out
}
