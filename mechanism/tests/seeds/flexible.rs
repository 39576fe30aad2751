//! The two-link manipulators, the arm and the L.

use crate::{describe, near, run};
use softdock_mechanism::analysis;

#[test]
fn rigid_two_link_follows_the_exact_equation() {
    for (start, rows) in [
        (
            "rest",
            [
                (0.5, 2.484046, -0.222425),
                (2.0, 0.277224, 0.165031),
                (6.28, 0.256304, -0.843372),
            ],
        ),
        (
            "smooth",
            [
                (0.5, 2.998969, -0.015408),
                (2.0, 1.621514, 0.152515),
                (6.28, 0.984306, 1.408567),
            ],
        ),
    ] {
        let table = run("two-link-rr", &[&format!("parameters.start={start}")]);
        for (time, x, y) in rows {
            near(table.at(time, "tip.x_m"), x, 1e-5);
            near(table.at(time, "tip.y_m"), y, 1e-5);
        }
    }
}

#[test]
fn arm_starts_in_equilibrium_with_known_frequencies() {
    let found = analysis::equilibrium(&describe("two-link-arm", &[])).unwrap();
    let expected = [
        0.0, -0.0325459, -0.0086766, 1.877538, -0.09465, 0.0, 0.0, 97.638, 26.03,
    ];
    let allowed = [1e-6, 1e-6, 1e-6, 1e-5, 1e-4, 1e-6, 1e-2, 1e-2, 1e-1];
    for ((found, expected), allowed) in found.outputs.iter().zip(expected).zip(allowed) {
        near(*found, expected, allowed);
    }
    let modes = analysis::modes(&describe("two-link-arm", &[])).unwrap();
    for (found, expected) in modes
        .frequencies
        .iter()
        .zip([1.78733, 1.88541, 9.86018, 12.51372])
    {
        near(*found, expected, 1e-4 * expected);
    }
}

#[test]
fn frequencies_of_the_l() {
    let modes = analysis::modes(&describe("l-torque", &["parameters.torque=none"])).unwrap();
    let expected = [
        0.0, 8.4347, 12.2653, 23.1514, 30.9320, 117.486, 119.223, 151.002, 171.513,
    ];
    for (found, expected) in modes.frequencies.iter().zip(expected) {
        near(*found, expected, 1e-3 * expected + 1e-6);
    }
}

#[test]
fn steel_l_falls() {
    let table = run("l-release", &[]);
    let degrees = |time: f64| table.at(time, "root_rad").to_degrees();
    near(degrees(0.25), 38.82, 0.1);
    near(degrees(0.5), 127.977, 0.01);
    near(table.at(0.5, "tip.x_m"), -0.3107, 1e-3);
    near(table.at(0.5, "tip.z_m"), -0.3976, 1e-3);
}

#[test]
fn torque_turns_the_l() {
    let table = run("l-torque", &[]);
    for (time, angle) in [(0.25, 0.514143), (0.5, 1.027894), (1.0, 1.028446)] {
        near(table.at(time, "root_rad"), angle, 1e-5);
    }
    near(table.at(0.5, "tip.x_m"), 0.257528, 1e-5);
    near(table.at(0.5, "tip.z_m"), -0.428599, 1e-5);
}
