//! What a person reads on the terminal after a docking.

use super::execute::{Ended, Finished};
use crate::summary::{Summary, significant};
use serde_json::Value;
use softdock_docking::{Outcome, summary as figures};

/// The summary of a run: what happened, then the figures.
pub fn for_people(name: &str, finished: &Finished) -> Summary {
    let mut out = Summary::new(format!("Docking: {name}"));
    out.lead(story(finished));
    let figures = Figures(&finished.summary);
    out.text("outcome", finished.figures.outcome.to_string(), "");
    out.soundness(&finished.figures.soundness);
    contact(&mut out, &figures);
    legs(&mut out, &figures);
    energy(&mut out, &figures);
    out.text(
        "largest joint gap",
        figures.short("max_joint_gap_m", 1.0, 2),
        "m",
    );
    if let Some(coupling) = finished.coupling() {
        out.text("coupling", coupling, "");
    }
    let wall = figures.short("wall_s", 1.0, 3);
    out.text(
        "simulated",
        figures.short("simulated_s", 1.0, 3),
        &format!("s in {wall} s of wall time"),
    );
    out
}

/// The machine-readable summary.
struct Figures<'a>(&'a Value);

impl Figures<'_> {
    fn number(&self, key: &str) -> Option<f64> {
        self.0
            .pointer(&format!("/{}", key.replace('.', "/")))?
            .as_f64()
    }

    /// A figure times `scale`, as text.
    fn short(&self, key: &str, scale: f64, digits: usize) -> String {
        let value = self
            .number(key)
            .map(|value| significant(value * scale, digits));
        value.unwrap_or_else(|| "-".to_owned())
    }
}

fn contact(out: &mut Summary, figures: &Figures<'_>) {
    let touched = figures.number("first_touch_s").is_some();
    let peak_time = figures.short("peak_contact_time_s", 1.0, 3);
    let when = if touched {
        format!("N  at {peak_time} s")
    } else {
        "N".to_owned()
    };
    let force = figures.short("peak_contact_force_n", 1.0, 4);
    out.text("peak contact force", force, &when);
    let impulse = figures.short("contact_impulse_n_s", 1.0, 4);
    out.text("contact impulse", impulse, "N·s");
    if let Some(time) = figures.number("capture_time_s") {
        out.text("capture at", significant(time, 4), "s");
    }
    match figures.number("settling_time_s") {
        Some(time) => out.text("settling time", significant(time, 4), "s  after the touch"),
        None if touched => out.text("settling time", "none", "  it still moves at the end"),
        None => out.text("settling time", "-", ""),
    };
}

fn legs(out: &mut Summary, figures: &Figures<'_>) {
    let part = figures.short("leg_stroke_over_limit", 100.0, 2);
    out.text(
        "largest leg stroke",
        figures.short("max_leg_stroke_m", 1e3, 4),
        &format!("mm  {part} % of its limit"),
    );
    let low = figures.short("tendon_tension_range_n.0", 1.0, 4);
    let high = figures.short("tendon_tension_range_n.1", 1.0, 4);
    let slack = match figures.number("max_slack_time_s") {
        Some(time) if time > 0.0 => format!("N  slack for {} s", significant(time, 3)),
        _ => "N  never slack".to_owned(),
    };
    out.text("tendon tension", format!("{low} … {high}"), &slack);
    let torque = figures.short("peak_motor_torque_nm", 1.0, 4);
    out.text("peak motor torque", torque, "N·m");
    let used = figures.number("max_motor_range_use").unwrap_or(0.0);
    if used > 0.0 {
        let turn = figures.short("max_motor_turn_rad", 1.0_f64.to_degrees(), 3);
        let used = significant(100.0 * used, 2);
        out.text(
            "largest turn of a crank",
            turn,
            &format!("°  {used} % of its working range"),
        );
    }
}

/// Part of the energy brought in that is nothing.
const NOTHING: f64 = 1e-12;

fn energy(out: &mut Summary, figures: &Figures<'_>) {
    let value = |key: &str| figures.number(&format!("energy.{key}")).unwrap_or(0.0);
    let brought = value("brought_in_j");
    let milli = |joule: f64| {
        let nothing = joule.abs() <= NOTHING * brought.abs();
        significant(if nothing { 0.0 } else { 1e3 * joule }, 4)
    };
    out.text("energy brought in", milli(brought), "mJ");
    for (label, key) in [
        ("  work of the motors", "motor_work_j"),
        ("  left in the bodies", "bodies_j"),
        ("  kept by the legs", "legs_change_j"),
        ("  kept by the contact", "contact_stored_j"),
        ("  lost in the legs", "lost_in_legs_j"),
        ("  lost in contact", "lost_in_contact_j"),
        ("  lost in friction", "lost_in_friction_j"),
        ("  lost in the latch", "lost_in_latch_j"),
    ] {
        let joule = value(key);
        // What plays no part takes no line.
        if joule.abs() > NOTHING * brought.abs() {
            out.text(label, milli(joule), "mJ");
        }
    }
    let residual = figures.short("energy_residual_rel", 1.0, 2);
    out.text("  missing", residual, "of what moved");
}

/// What happened, in a sentence or two.
fn story(finished: &Finished) -> String {
    let figures = Figures(&finished.summary);
    let mut text = match (finished.figures.outcome, finished.figures.first_touch_s) {
        (Outcome::NeverTouched, _) => untouched(finished),
        (_, Some(touch)) => {
            let touch = significant(touch, 3);
            let force = figures.short("peak_contact_force_n", 1.0, 3);
            let outcome = outcome(&finished.figures);
            format!("First touch after {touch} s, peak force {force} N; {outcome}.")
        }
        (_, None) => format!("Nothing touched; {}.", outcome(&finished.figures)),
    };
    if finished.figures.soundness.is_suspect() {
        text += " SUSPECT: do not use these figures before you know why.";
    }
    match &finished.ended {
        Ended::Complete => {}
        Ended::Stopped => text += " Stopped before the end: the results are incomplete.",
        Ended::Failed(_) => text += " The run could not go on: the results are incomplete.",
    }
    text
}

fn outcome(figures: &figures::Summary) -> String {
    match (figures.outcome, figures.effective_restitution) {
        (Outcome::Captured, _) => "captured: the latch closed and holds the target".to_owned(),
        (Outcome::Bounced, Some(part)) => {
            let percent = significant(100.0 * part, 2);
            format!("bounced: the target left again with {percent} % of its closing speed")
        }
        (Outcome::Bounced, None) => "bounced: they are apart again, not captured".to_owned(),
        (Outcome::InContact, _) => "they are in contact at the end, not captured".to_owned(),
        (Outcome::NeverTouched, _) => "they never touched".to_owned(),
    }
}

/// Why nothing was touched, as far as can be told.
fn untouched(finished: &Finished) -> String {
    let docking = &finished.run.scenario().docking;
    let gap = finished.run.samples().last().map_or(f64::NAN, |s| s.gap);
    let gap_text = significant(1e3 * gap, 3);
    let speed = docking.closing_speed_m_s;
    let advice = if speed > 0.0 {
        let more = significant(gap / speed, 2);
        format!("a touch takes about {more} s more, so lengthen duration_s")
    } else {
        "the target does not come nearer with closing_speed_m_s = 0".to_owned()
    };
    format!("Never touched: the gap is {gap_text} mm at the end; {advice}.")
}
