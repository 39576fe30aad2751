//! Kinematics and inverse dynamics of driven mechanisms. References: the loop of a four-bar solved for its
//! angles and their two derivatives, torques by virtual power, in Python, without code of this program.

use crate::{describe, inverse, kinematics, near, run};
use softdock_mechanism::prescribed::{self, MotionOnly};
use softdock_mechanism::{library, simulate};

/// Rounding of the references, which have nine digits behind the point, and of Newton's method.
const NINE_DIGITS: f64 = 1e-7;

#[test]
fn web_cutter_torque_over_a_turn() {
    let table = inverse("web-cutter", &[]);
    // Time, torque, height of blade C above D.
    for (time, torque, gap) in [
        (0.0, -6.585455825, 0.102858968),
        (0.1, -7.687665152, 0.053997588),
        (0.25, -1.880458306, -0.020521094),
        (0.5, -10.517899813, -0.032913756),
        (0.75, 11.169655232, 0.084581465),
        (0.9, 23.029028165, 0.123561927),
        // While the blades press.
        (0.193, 76.390767, 0.0),
        (0.202, 74.416205, 0.0),
    ] {
        let digits = if gap == 0.0 { 1e-5 } else { NINE_DIGITS };
        near(table.at(time, "motor.torque_nm"), torque, digits);
        if gap != 0.0 {
            near(table.at(time, "gap_m"), gap, NINE_DIGITS);
        }
    }
    let pressed = table.values("cut_n");
    assert_eq!(pressed.iter().filter(|force| **force != 0.0).count(), 10);
    near(
        table.at(0.855, "motor.torque_nm"),
        28.560648742,
        NINE_DIGITS,
    );
    near(
        table.at(0.047, "motor.torque_nm"),
        -10.795291105,
        NINE_DIGITS,
    );
}

#[test]
fn film_strip_path() {
    let table = kinematics("film-strip", &[]);
    for (time, x, y) in [
        (0.0, -0.086597077, 0.026982104),
        (0.25, -0.104628592, 0.025141882),
        (0.5, -0.103063824, 0.057400025),
        (0.75, -0.084911114, 0.046968562),
    ] {
        near(table.at(time, "hook.x_m"), x, 1e-8);
        near(table.at(time, "hook.y_m"), y, 1e-8);
    }
}

/// Angles and angular accelerations of the second and third link of the web cutter.
#[test]
fn kinematics_has_the_motion_of_every_body_and_no_force() {
    let table = kinematics("web-cutter", &[]);
    for (time, angles, changes) in [
        (0.0, [1.520504628, 2.127285199], [1.095341190, 5.563546339]),
        (0.1, [1.380950407, 2.068297396], [6.831393318, 7.387906168]),
        (
            0.75,
            [1.727742950, 2.359460133],
            [-9.352071080, -6.251761626],
        ),
    ] {
        for (i, link) in ["link2", "link3"].iter().enumerate() {
            let at = |what: &str| table.at(time, &format!("{link}.{what}"));
            near(at("angle_rad"), angles[i], NINE_DIGITS);
            near(at("rate_change_rad_per_s2"), changes[i], 1e-6);
        }
    }
    let forces = |name: &&String| name.ends_with("_nm") || name.ends_with("_n");
    assert_eq!(table.names.iter().find(forces), None);
    // Velocities and accelerations are the derivatives of places: central differences of 2 ms.
    let all = |what: &str| table.values(&format!("link2.{what}"));
    let (x, vx, ax) = (all("x_m"), all("vx_m_per_s"), all("ax_m_per_s2"));
    let largest = ax.iter().fold(0.0_f64, |most, a| most.max(a.abs()));
    for i in 1..x.len() - 1 {
        near(vx[i], (x[i + 1] - x[i - 1]) / 2e-3, 1e-4 * largest);
        near(ax[i], (vx[i + 1] - vx[i - 1]) / 2e-3, 1e-3 * largest);
    }
}

#[test]
fn a_driven_body_in_space_accelerates_as_its_driver_says() {
    let text = r#"
space = "space"
[analysis]
duration_s = 1
step_s = 0.1
output_step_s = 0.1
[[body]]
name = "arm"
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
position_m = [0.5, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
a = "ground"
b = "arm"
at_m = [0, 0, 0]
axis = [0, 0, 1]
[[driver]]
name = "motor"
joint = "hinge"
motion = "0.3*t^2"
"#;
    let description = softdock_mechanism::describe("arm.toml", text, &[], &library::find).unwrap();
    let motion = MotionOnly::of(&description);
    let names = &motion.description().outputs;
    let column = |name: &str| names.iter().position(|part| part.name == name).unwrap();
    let (spin, across) = (
        column("arm.rate_change_z_rad_per_s2"),
        column("arm.ax_m_per_s2"),
    );
    let mut rows = 0;
    let mut row = |time: f64, values: &[f64]| {
        let (angle, rate) = (0.3 * time * time, 0.6 * time);
        near(values[spin], 0.6, 1e-9);
        let expected = 0.5 * (-0.6 * f64::sin(angle) - rate * rate * f64::cos(angle));
        near(values[across], expected, 1e-9);
        rows += 1;
        true
    };
    prescribed::kinematics(&motion, &mut row, None).unwrap();
    assert_eq!(rows, 11);
}

#[test]
fn what_is_not_driven_is_refused_with_the_reason() {
    for (name, reason) in [
        ("sliding-pendulum", "2 degrees of freedom are not driven"),
        ("two-link-rr", "1 degrees of freedom are not driven"),
        ("two-link-ff", "can bend"),
    ] {
        let description = describe(name, &[]);
        let mut none = |_: f64, _: &[f64]| true;
        let kinematics: softdock_mechanism::Result<simulate::Outcome> =
            prescribed::kinematics(&MotionOnly::of(&description), &mut none, None);
        let said = kinematics.unwrap_err().to_string();
        assert!(said.contains(reason), "{name}: {said}");
        let said = prescribed::inverse(&description, &mut none).unwrap_err();
        assert!(said.to_string().contains(reason), "{name}: {said}");
    }
}

/// Steps keep the constraints of places: their own reactions are off by up to 2 % for some steps behind
/// the start. What a run writes are the reactions of the motion.
#[test]
fn reactions_in_a_run_are_those_of_inverse_dynamics() {
    for (name, column, allowed) in [
        ("web-cutter", "motor.torque_nm", 1e-6),
        ("four-bar-inverse", "motor.torque_nm", 1e-6),
        ("slider-crank", "motor.torque_nm", 1e-6),
        ("slider-crank", "a.force_x_n", 1e-5),
        ("cart-a", "motor.torque_nm", 1e-6),
        ("cart-b", "motor.torque_nm", 1e-6),
    ] {
        let driven = inverse(name, &[]).values(column);
        let stepped = run(name, &[]).values(column);
        assert_eq!(driven.len(), stepped.len());
        for (a, b) in stepped.iter().zip(driven) {
            near(*a, b, allowed);
        }
    }
}
