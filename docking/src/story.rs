//! What happened and why, in a sentence: the first thing that a reader sees.

use crate::config::Scenario;
use crate::figures::shown_unit;
use crate::outcome::Outcome;
use crate::requirement::{Quantity, Verdict};
use crate::summary::Summary;

/// A number with some significant digits, without an exponent.
pub fn digits(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let mut decimals = digits.saturating_sub(1);
    let mut scaled = value.abs();
    while scaled < 1.0 && decimals < 12 {
        (scaled, decimals) = (10.0 * scaled, decimals + 1);
    }
    while scaled >= 10.0 && decimals > 0 {
        (scaled, decimals) = (0.1 * scaled, decimals - 1);
    }
    format!("{value:.decimals$}")
}

/// What became of the docking, and why it was not captured if it was not.
pub fn outcome(scenario: &Scenario, summary: &Summary) -> String {
    let reason = summary.capture.reason(&scenario.docking.contact.latch);
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    match summary.outcome {
        Outcome::Captured => {
            let when = digits(summary.capture_time_s.unwrap_or(f64::NAN), 3);
            let settled = match (summary.settling_time_s, summary.first_touch_s) {
                (Some(after), Some(touch)) => {
                    format!("; settled at {} s", digits(after + touch, 3))
                }
                _ => "; still moving at the end".to_owned(),
            };
            let beside = beside(scenario, summary);
            format!("Captured: the latch closed at {when} s and holds the target{beside}{settled}.")
        }
        Outcome::Bounced => {
            let speed = summary
                .effective_restitution
                .map_or_else(String::new, |part| {
                    format!(" with {} % of its closing speed", digits(100.0 * part, 2))
                });
            format!("Not captured, the target left again{speed}{reason}.")
        }
        Outcome::InContact => format!("Not captured, in contact at the end{reason}."),
        Outcome::NeverTouched => untouched(scenario, summary),
    }
}

/// Part of the end effector's radius beside the axis that is worth telling.
const BESIDE: f64 = 0.1;

/// Where a target is held that is far beside the axis: a latch goes by gap, angle and speed.
fn beside(scenario: &Scenario, summary: &Summary) -> String {
    let lateral = summary.final_lateral_m;
    if lateral <= BESIDE * scenario.platform.legs.sphere_radius_m {
        return String::new();
    }
    format!(", {} mm beside the axis", digits(1e3 * lateral, 3))
}

/// Why nothing was touched, as far as can be told.
fn untouched(scenario: &Scenario, summary: &Summary) -> String {
    let capture = &summary.capture;
    let Some(gap) = capture.smallest_gap_m else {
        return "Never touched.".to_owned();
    };
    let millimetres = digits(1e3 * gap, 3);
    let speed = scenario.docking.closing_speed_m_s;
    // Nearest in the last thousandth of the run: it is still on its way.
    let on_its_way = capture.smallest_gap_time_s >= 0.999 * summary.simulated_s;
    match (speed > 0.0, on_its_way) {
        (true, true) => format!(
            "Never touched: the gap is {millimetres} mm at the end; a touch takes about {} s more, so \
             lengthen duration_s.",
            digits(gap / speed, 2)
        ),
        (true, false) => format!(
            "Never touched: the gap is {millimetres} mm at {} s, its smallest, and wider at the end.",
            digits(capture.smallest_gap_time_s, 3)
        ),
        (false, _) => format!(
            "Never touched: the gap is {millimetres} mm at its smallest; the target does not come nearer \
             with closing_speed_m_s = 0."
        ),
    }
}

/// How hard it was.
pub fn hardness(summary: &Summary) -> Option<String> {
    let force = summary.peak_contact_force_n?;
    let touch = summary.first_touch_s?;
    Some(format!(
        "First touch at {} s, peak contact force {} N.",
        digits(touch, 3),
        digits(force, 3)
    ))
}

/// Which margin is the tightest, and which limits are not kept.
pub fn margins(summary: &Summary) -> Option<String> {
    let beyond: Vec<&str> = summary
        .margins
        .violated()
        .map(|v| v.name.as_str())
        .collect();
    if !beyond.is_empty() {
        return Some(format!("Beyond its limit: {}.", beyond.join(", ")));
    }
    let tightest = summary.margins.tightest()?;
    let percent = 100.0 * tightest.relative()?;
    let percent = if percent >= 1e3 {
        "more than 1000".to_owned()
    } else {
        digits(percent, 2)
    };
    let name = &tightest.name;
    Some(format!(
        "Smallest margin {percent} % of its limit ({name})."
    ))
}

/// Whether the requirements are met; none if there are none.
pub fn requirements(summary: &Summary) -> Option<String> {
    let all = &summary.requirements.0;
    let violated: Vec<&Verdict> = summary.requirements.violated().collect();
    match (all.len(), violated.as_slice()) {
        (0, _) => None,
        (1, []) => Some("The requirement is met.".to_owned()),
        (count, []) => Some(format!("All {count} requirements are met.")),
        (count, violated) => {
            let named: Vec<String> = violated.iter().map(|v| complaint(v)).collect();
            let missed = violated.len();
            Some(format!(
                "NOT MET: {missed} of {count} requirements: {}.",
                named.join("; ")
            ))
        }
    }
}

/// A requirement that is not met: its name, what it is and what it ought to be.
pub fn complaint(verdict: &Verdict) -> String {
    let unit = match shown_unit(verdict.unit) {
        "" | "°" => shown_unit(verdict.unit).to_owned(),
        unit => format!(" {unit}"),
    };
    let text = |quantity: &Quantity| match quantity {
        Quantity::Number(number) => format!("{}{unit}", digits(*number, 4)),
        Quantity::Word(word) => word.clone(),
        Quantity::None => "nothing to measure".to_owned(),
    };
    let bound = match verdict.bound {
        crate::requirement::Bound::Min => "at least ",
        crate::requirement::Bound::Max => "at most ",
        crate::requirement::Bound::Is => "",
    };
    let (value, limit) = (text(&verdict.value), text(&verdict.limit));
    format!("{} ({value}, {bound}{limit} asked for)", verdict.name)
}

/// Outcome, hardness, margins and requirements in this order.
pub fn whole(scenario: &Scenario, summary: &Summary) -> String {
    let parts = [
        Some(outcome(scenario, summary)),
        hardness(summary),
        margins(summary),
        requirements(summary),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(" ")
}
