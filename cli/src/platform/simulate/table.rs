//! Columns and rows of platform.csv.

use softdock_platform::sample::{BodySample, PlatformSample};

const POSE: [&str; 12] = [
    "x", "y", "z", "pitch", "yaw", "roll", "vx", "vy", "vz", "wx", "wy", "wz",
];
const ENERGY: [&str; 9] = [
    "kinetic",
    "strain",
    "tendon",
    "gravity",
    "wrench_work",
    "motor_work",
    "dissipated",
    "residual",
    "joint_gap",
];

/// Names of the columns.
pub fn header(legs: usize, floating: bool) -> Vec<String> {
    let mut out = vec!["t".to_owned()];
    out.extend(POSE.map(str::to_owned));
    if floating {
        out.extend(POSE.map(|name| format!("base_{name}")));
    }
    for leg in 1..=legs {
        out.extend(["x", "y", "z"].map(|axis| format!("f{leg}_{axis}")));
    }
    for group in [
        "tendon_length",
        "tendon_tension",
        "motor_angle",
        "motor_torque",
    ] {
        out.extend((1..=legs).map(|leg| format!("{group}_{leg}")));
    }
    out.extend(ENERGY.map(str::to_owned));
    out
}

fn body(sample: &BodySample) -> impl Iterator<Item = f64> {
    let lists = [
        sample.position,
        sample.attitude.list(),
        sample.velocity,
        sample.spin,
    ];
    lists.into_iter().flatten()
}

/// Largest opening of a spherical joint [m].
pub fn gap(sample: &PlatformSample) -> f64 {
    sample.legs.iter().fold(0.0, |gap, leg| gap.max(leg.gap))
}

/// The row of a sample.
pub fn row(sample: &PlatformSample) -> Vec<f64> {
    let mut out = vec![sample.t];
    out.extend(body(&sample.effector));
    out.extend(sample.base.iter().flat_map(body));
    let legs = &sample.legs;
    out.extend(legs.iter().flat_map(|leg| leg.force));
    out.extend(legs.iter().map(|leg| leg.tendon_length));
    out.extend(legs.iter().map(|leg| leg.tendon_tension));
    out.extend(legs.iter().map(|leg| leg.motor_angle));
    out.extend(legs.iter().map(|leg| leg.motor_torque));
    let e = &sample.energy;
    out.extend([
        e.bodies_kinetic + e.legs_kinetic,
        e.strain,
        e.tendons,
        e.gravity,
        e.wrench_work,
        e.motor_work,
        e.dissipated,
        e.residual,
        gap(sample),
    ]);
    out
}
