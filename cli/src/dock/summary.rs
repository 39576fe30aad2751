//! What a person reads on the terminal after a docking.

use super::execute::{Ended, Finished};
use crate::summary::{Summary, significant};
use serde_json::Value;

/// The summary of a run.
pub fn for_people(name: &str, finished: &Finished) -> Summary {
    let mut out = Summary::new(format!("Docking: {name}"));
    out.note(story(finished));
    let value = |key: &str| finished.summary.get(key).and_then(Value::as_f64);
    let number =
        |out: &mut Summary, label: &str, key: &str, scale: f64, unit: &str| match value(key) {
            Some(value) => {
                out.text(label, significant(value * scale, 4), unit);
            }
            None => {
                out.text(label, "-", "");
            }
        };
    number(
        &mut out,
        "peak contact force",
        "peak_contact_force_n",
        1.0,
        "N",
    );
    number(&mut out, "  at", "peak_contact_time_s", 1.0, "s");
    number(
        &mut out,
        "contact impulse",
        "contact_impulse_n_s",
        1.0,
        "N·s",
    );
    number(&mut out, "capture", "capture_time_s", 1.0, "s");
    number(&mut out, "settling time", "settling_time_s", 1.0, "s");
    number(
        &mut out,
        "largest leg stroke",
        "max_leg_stroke_m",
        1e3,
        "mm",
    );
    number(
        &mut out,
        "  of its limit",
        "leg_stroke_over_limit",
        100.0,
        "%",
    );
    let range = finished.summary["tendon_tension_range_n"].as_array();
    let bound = |i: usize| range.and_then(|r| r.get(i)).and_then(Value::as_f64);
    if let (Some(low), Some(high)) = (bound(0), bound(1)) {
        let text = format!("{} … {}", significant(low, 4), significant(high, 4));
        out.text("tendon tension", text, "N");
    }
    number(&mut out, "longest slack", "max_slack_time_s", 1.0, "s");
    number(
        &mut out,
        "peak motor torque",
        "peak_motor_torque_nm",
        1.0,
        "N·m",
    );
    energy(&mut out, finished);
    number(
        &mut out,
        "energy residual",
        "energy_residual_rel",
        1.0,
        "of what moved",
    );
    number(&mut out, "largest joint gap", "max_joint_gap_m", 1.0, "m");
    let (simulated, wall) = (value("simulated_s"), value("wall_s"));
    if let (Some(simulated), Some(wall)) = (simulated, wall) {
        let text = format!(
            "{} s in {} s",
            significant(simulated, 3),
            significant(wall, 3)
        );
        out.text("simulated", text, "of wall time");
    }
    out
}

fn energy(out: &mut Summary, finished: &Finished) {
    let ledger = &finished.summary["energy"];
    let value = |key: &str| ledger.get(key).and_then(Value::as_f64).unwrap_or(0.0);
    let milli = |key: &str| significant(1e3 * value(key), 4);
    out.text("energy brought in", milli("brought_in_j"), "mJ");
    for (label, key) in [
        ("  left in the bodies", "bodies_j"),
        ("  lost in the legs", "lost_in_legs_j"),
        ("  lost in contact", "lost_in_contact_j"),
        ("  lost in friction", "lost_in_friction_j"),
        ("  lost in the latch", "lost_in_latch_j"),
    ] {
        out.text(label, milli(key), "mJ");
    }
}

/// What happened, in a sentence or two.
fn story(finished: &Finished) -> String {
    let summary = &finished.summary;
    let number = |key: &str| summary.get(key).and_then(Value::as_f64);
    let mut text = match number("first_touch_s") {
        None => "Nothing was touched.".to_owned(),
        Some(touch) => {
            let mut text = format!("First touch after {} s;", significant(touch, 3));
            if summary["captured"].as_bool() == Some(true) {
                text += " the latch closed and holds the target.";
            } else if let Some(restitution) = number("effective_restitution") {
                text += &format!(
                    " the target left again with {} of its closing speed.",
                    significant(restitution, 2)
                );
            } else {
                text += " the target was not captured.";
            }
            text
        }
    };
    match &finished.ended {
        Ended::Complete => {}
        Ended::Stopped => text += " Stopped before the end: the results are incomplete.",
        Ended::Failed(_) => text += " The run could not go on: the results are incomplete.",
    }
    text
}
