//! The planar cases (Nikravesh), numbers recomputed with SciPy.

use crate::{describe, inverse, near, run};

/// Ten units of the last of six digits.
const DIGITS: f64 = 1e-5;

#[test]
fn four_bar_torque_is_the_recomputed_one() {
    let table = inverse("four-bar-inverse", &["analysis.duration_s=0.01"]);
    near(table.at(0.0, "coupler.angle_rad"), 0.272125, DIGITS);
    near(table.at(0.0, "rocker.angle_rad"), 0.758631, DIGITS);
    near(table.at(0.0, "coupler.rate_rad_per_s"), 0.028622, DIGITS);
    near(table.at(0.0, "rocker.rate_rad_per_s"), 0.716076, DIGITS);
    near(table.at(0.0, "motor.torque_nm"), 6.675652, DIGITS);
}

#[test]
fn slider_crank_torque_and_pins() {
    let table = inverse("slider-crank", &[]);
    near(table.at(0.0, "motor.torque_nm"), 7.380987, DIGITS);
    near(table.at(0.0, "o.force_x_n"), -50.3718, 1e-3);
    near(table.at(0.0, "o.force_y_n"), 42.4233, 1e-3);
    near(table.at(0.0, "a.force_x_n"), 50.3068, 1e-3);
    near(table.at(0.0, "a.force_y_n"), -32.7525, 1e-3);
}

#[test]
fn slider_crank_over_a_turn() {
    let table = inverse(
        "slider-crank",
        &[
            "parameters.angle_rad=0",
            "parameters.mass2_kg=1.5",
            "parameters.mass3_kg=10",
            "parameters.inertia2_kg_m2=0.002",
            "parameters.inertia3_kg_m2=1",
            "parameters.force_n=5",
            "parameters.rate_rad_per_s=6.283185307179586",
            "parameters.gravity=0",
        ],
    );
    let torque = table.values("motor.torque_nm");
    let largest = torque.iter().copied().fold(f64::MIN, f64::max);
    near(largest, 5.476981, DIGITS);
    near(torque[35], largest, 1e-12);
    near(torque[90], -2.579480, DIGITS);
    let mean = torque[..360].iter().sum::<f64>() / 360.0;
    near(mean, 0.0, 1e-6);
}

#[test]
fn two_bodies_accelerate_as_recomputed() {
    let table = run("two-bodies", &["analysis.duration_s=0.01"]);
    let expected = [
        ("one.ax_m_per_s2", -2.58321),
        ("one.ay_m_per_s2", -2.57893),
        ("one.rate_change_rad_per_s2", 37.40382),
        ("two.ax_m_per_s2", 17.17746),
        ("two.ay_m_per_s2", -34.44006),
        ("two.rate_change_rad_per_s2", -9.19568),
    ];
    for (name, value) in expected {
        near(table.at(0.0, name), value, 1e-4);
    }
}

#[test]
fn two_bodies_with_a_rod_accelerate_as_published_for_the_places_given() {
    let table = run(
        "two-bodies",
        &["parameters.rod=1", "analysis.duration_s=0.01"],
    );
    let expected = [
        ("one.ax_m_per_s2", 5.87841),
        ("one.ay_m_per_s2", -5.33598),
        ("one.rate_change_rad_per_s2", 45.33662),
        ("two.ax_m_per_s2", 5.89530),
        ("two.ay_m_per_s2", -30.76400),
        ("two.rate_change_rad_per_s2", -18.14734),
    ];
    for (name, value) in expected {
        near(table.at(0.0, name), value, 1e-4);
    }
    // The rod keeps its length from then on.
    assert!(table.outcome.joint_gap < 1e-9);
    assert!(table.outcome.energy_residual_rel < 1e-3);
}

#[test]
fn inverted_slider_crank_closes() {
    let table = inverse("inverted-slider-crank", &[]);
    near(table.at(0.0, "guide.angle_rad"), 0.214853, DIGITS);
    near(table.at(0.0, "slide_m"), 0.401724, DIGITS);
}

#[test]
fn sliding_pendulum_after_four_seconds() {
    let table = run("sliding-pendulum", &[]);
    near(table.at(4.0, "slider.x_m"), 1.058173, DIGITS);
    near(table.at(4.0, "pendulum.angle_rad"), 0.019796, DIGITS);
    near(table.at(4.0, "slider.vx_m_per_s"), -0.483552, DIGITS);
    near(table.at(4.0, "pendulum.rate_rad_per_s"), 1.370407, DIGITS);
}

#[test]
fn carts_roll_without_slip() {
    let table = run("cart-a", &["analysis.duration_s=1"]);
    near(table.at(1.0, "cart.vx_m_per_s"), 0.628319, 1e-6);
    near(table.at(1.0, "cart.x_m"), 0.5 + 0.6283185307, 1e-9);
    near(
        table.at(1.0, "rear.angle_rad"),
        -std::f64::consts::TAU,
        1e-9,
    );
    let table = inverse("cart-b", &["analysis.duration_s=2"]);
    let torque = table.values("motor.torque_nm");
    let largest = torque.iter().copied().fold(0.0, f64::min);
    near(largest, -7.304203, DIGITS);
    near(table.at(1.0, "motor.torque_nm"), largest, 1e-12);
    // One coordinate: (20 + 2·2 + 2·0.5/r²) ẍ = T(ẋ/r)/r, by SciPy with rtol 1e-12.
    let table = run("cart-c", &[]);
    for (time, x, v) in [
        (1.0, 1.048836, 0.908468),
        (2.0, 2.109367, 1.160172),
        (4.0, 4.553253, 1.249232),
    ] {
        near(table.at(time, "cart.x_m"), x, DIGITS);
        near(table.at(time, "cart.vx_m_per_s"), v, DIGITS);
    }
    let table = run("cart-d", &["analysis.duration_s=20"]);
    near(table.at(20.0, "cart.vx_m_per_s"), 1.170546, DIGITS);
}

#[test]
fn double_a_arm_settles() {
    let table = run("double-a-arm", &[]);
    near(table.at(0.02, "upright.y_m"), 0.341835, DIGITS);
    near(table.at(0.1, "upright.y_m"), 0.313406, DIGITS);
    near(table.at(1.0, "upright.y_m"), 0.320019, DIGITS);
    let lowest = table.values("upright.y_m").into_iter().fold(1.0, f64::min);
    near(lowest, 0.311323, DIGITS);
    let rest = softdock_mechanism::analysis::equilibrium(&describe("double-a-arm", &[])).unwrap();
    assert!(rest.outputs.iter().any(|y| (y - 0.3200187).abs() < 1e-6));
}

#[test]
fn macpherson_models() {
    let a = run("macpherson-a", &["analysis.duration_s=0.4"]);
    for (time, height) in [(0.05, 0.287966), (0.1, 0.284956), (0.4, 0.285778)] {
        near(a.at(time, "upright.y_m"), height, DIGITS);
    }
    // B and C leave the mass of strut and arm out. Their references: absolute coordinates with
    // multipliers, Baumgarte at 50/s, SciPy's Radau with rtol 1e-10 and steps of at most 1 ms.
    let published = [
        (
            "macpherson-b",
            [(0.05, 0.2879185), (0.1, 0.2849767), (0.4, 0.2857786)],
        ),
        (
            "macpherson-c",
            [(0.05, 0.2861070), (0.1, 0.2856325), (0.4, 0.2858568)],
        ),
    ];
    for (name, rows) in published {
        let table = run(name, &["analysis.duration_s=0.4"]);
        for (time, height) in rows {
            near(table.at(time, "upright.y_m"), height, DIGITS);
        }
    }
}

#[test]
fn balls_and_rods_hit_by_momentum_balance() {
    let table = run("disc-on-rod", &[]);
    let expected = [
        ("disc.vx_m_per_s", 0.535593),
        ("disc.vy_m_per_s", 1.0),
        ("disc.rate_rad_per_s", 0.5),
        ("rod.vx_m_per_s", 1.220339),
        ("rod.vy_m_per_s", -1.0),
        ("rod.rate_rad_per_s", -3.661017),
    ];
    for (name, value) in expected {
        near(table.at(0.2, name), value, DIGITS);
    }
    let table = run("pendulum-balls", &[]);
    let hits: Vec<f64> = table.outcome.events.iter().map(|(time, _)| *time).collect();
    for (hit, expected) in hits.iter().zip([0.170625, 0.511874, 0.853123]) {
        near(*hit, expected, DIGITS);
    }
    assert_eq!(hits.len(), 3);
}

#[test]
fn a_rod_bounces() {
    let table = run("bouncing-rod", &["analysis.duration_s=0.05"]);
    near(table.outcome.events[0].0, 0.0470090, 1e-6);
    // By momentum balance at the speed of the first contact, −6.461158 m/s: in the ratio of the
    // published example at −6.5 m/s.
    let ratio = 6.461158 / 6.5;
    let after = table.at(0.048, "rod.vy_m_per_s") + 9.81 * (0.048 - 0.0470090);
    near(after, -6.251471 * ratio, DIGITS);
    // The end that hits is the lower one, to the right: the rod turns counterclockwise.
    near(
        table.at(0.048, "rod.rate_rad_per_s"),
        17.573683 * ratio,
        1e-4,
    );
}

/// By a contact law, whose steps are so short that the end of the touch is found to the last digit of
/// the time.
#[test]
fn a_rod_bounces_by_a_contact_law() {
    let settings = [
        "analysis.duration_s=0.05",
        "parameters.contact=\"lankarani_nikravesh\"",
    ];
    let table = run("bouncing-rod", &settings);
    let [touches, parts] = &table.outcome.events[..] else {
        panic!("{:?}", table.outcome.events);
    };
    near(touches.0, 0.0470090, 1e-6);
    let after = table.at(0.048, "rod.vy_m_per_s") + 9.81 * (0.048 - parts.0);
    near(after, -6.213865, 1e-5);
    near(table.at(0.048, "rod.rate_rad_per_s"), 17.499668, 1e-5);
}

/// The disc meets the rod where `arm_m` says, whatever the rod does: by momentum balance with the speed of
/// the rod's point that is hit.
#[test]
fn a_disc_hits_a_rod_that_moves() {
    let table = run(
        "disc-on-rod",
        &[
            "parameters.rod_vx_m_per_s=-0.6",
            "parameters.rod_rad_per_s=0.8",
        ],
    );
    let (arm, disc, rod, inertia) = (0.25, 0.5, 0.6, 0.05);
    let meeting = 2.0 - (-0.6 - 0.8 * arm);
    let impulse = 1.8 * meeting / (1.0 / disc + 1.0 / rod + arm * arm / inertia);
    for (name, value) in [
        ("disc.vx_m_per_s", 2.0 - impulse / disc),
        ("disc.rate_rad_per_s", 0.5),
        ("rod.vx_m_per_s", -0.6 + impulse / rod),
        ("rod.rate_rad_per_s", 0.8 - impulse * arm / inertia),
    ] {
        near(table.at(0.2, name), value, DIGITS);
    }
    near(table.outcome.events[0].0, 0.1, DIGITS);
}
