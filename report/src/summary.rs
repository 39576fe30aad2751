//! Figures made from the machine-readable summary of a run, so that both always agree.
//!
//! Keys carry their unit at the end (`peak_contact_force_n`). Well-known keys have a label, a unit
//! for people and a number of digits here; any other key is shown by its own words. Parts of a
//! nested object are named with a dot: `energy.kinetic_j`.

use crate::figure::Figure;
use crate::text::significant;
use serde_json::Value;

/// How a well-known key is shown.
struct Known {
    key: &'static str,
    label: &'static str,
    /// Unit on the page and its value in the unit of the key.
    unit: (&'static str, f64),
    digits: usize,
    /// Stands at the top of the page.
    headline: bool,
}

const fn known(
    key: &'static str,
    label: &'static str,
    unit: (&'static str, f64),
    digits: usize,
    headline: bool,
) -> Known {
    Known {
        key,
        label,
        unit,
        digits,
        headline,
    }
}

/// Millimetres for lengths that are given in metres.
const MILLIMETRES: (&str, f64) = ("mm", 1e-3);
const KNOWN: [Known; 15] = [
    known("soundness", "soundness", ("", 1.0), 3, true),
    known("outcome", "outcome", ("", 1.0), 3, true),
    known("soundness_reasons", "reasons to doubt", ("", 1.0), 3, false),
    known(
        "peak_contact_force_n",
        "peak contact force",
        ("N", 1.0),
        3,
        true,
    ),
    known(
        "peak_contact_time_s",
        "time of the peak",
        ("s", 1.0),
        4,
        false,
    ),
    known("settling_time_s", "settling time", ("s", 1.0), 3, true),
    known(
        "contact_impulse_n_s",
        "contact impulse",
        ("N·s", 1.0),
        3,
        true,
    ),
    known(
        "max_leg_stroke_m",
        "largest leg stroke",
        MILLIMETRES,
        3,
        true,
    ),
    known(
        "tendon_tension_range_n",
        "tendon tension",
        ("N", 1.0),
        3,
        true,
    ),
    known(
        "peak_motor_torque_nm",
        "peak motor torque",
        ("N·m", 1.0),
        3,
        true,
    ),
    known(
        "energy_residual_rel",
        "energy residual",
        ("", 1.0),
        2,
        false,
    ),
    known("max_joint_gap_m", "largest joint gap", ("m", 1.0), 2, false),
    known("energy", "energy", ("J", 1.0), 4, false),
    known("simulated_s", "simulated time", ("s", 1.0), 4, false),
    known("wall_s", "wall time", ("s", 1.0), 3, false),
];

/// Units by the end of a key, longer ends first.
const UNITS: [(&str, &str); 20] = [
    ("_n_s_per_m", "N·s/m"),
    ("_rad_per_s", "rad/s"),
    ("_deg_per_s", "°/s"),
    ("_n_per_m", "N/m"),
    ("_m_per_s", "m/s"),
    ("_rad_s", "rad/s"),
    ("_deg_s", "°/s"),
    ("_n_s", "N·s"),
    ("_m_s", "m/s"),
    ("_deg", "°"),
    ("_rad", "rad"),
    ("_rel", ""),
    ("_nm", "N·m"),
    ("_mm", "mm"),
    ("_kg", "kg"),
    ("_hz", "Hz"),
    ("_n", "N"),
    ("_m", "m"),
    ("_s", "s"),
    ("_j", "J"),
];

/// The figures that stand at the top of a page, in their order, of those that `summary` has.
pub fn headlines(summary: &Value) -> Vec<Figure> {
    KNOWN
        .iter()
        .filter(|known| known.headline)
        .filter_map(|known| Some(figure(known.key, summary.get(known.key)?)))
        .collect()
}

/// All figures of `summary`: well-known ones first, then the others by name.
pub fn rows(summary: &Value) -> Vec<Figure> {
    let Some(entries) = summary.as_object() else {
        return Vec::new();
    };
    let first = KNOWN.iter().map(|known| known.key);
    let is_known = |key: &str| KNOWN.iter().any(|known| known.key == key);
    let mut others: Vec<&str> = entries.keys().map(String::as_str).collect();
    others.retain(|key| !is_known(key));
    others.sort_unstable();
    let mut figures = Vec::new();
    for key in first.chain(others) {
        if let Some(value) = entries.get(key) {
            flatten(key, value, &mut figures);
        }
    }
    figures
}

fn flatten(key: &str, value: &Value, figures: &mut Vec<Figure>) {
    match value {
        Value::Object(entries) => {
            for (name, value) in entries {
                flatten(&format!("{key}.{name}"), value, figures);
            }
        }
        _ => figures.push(figure(key, value)),
    }
}

/// One entry of a summary.
pub(crate) fn figure(key: &str, value: &Value) -> Figure {
    let (label, unit, size, digits) = match KNOWN.iter().find(|known| known.key == key) {
        Some(known) => (
            known.label.to_owned(),
            known.unit.0,
            known.unit.1,
            known.digits,
        ),
        None => {
            let (words, unit) = split_unit(key);
            (words, unit, 1.0, 4)
        }
    };
    let text = match value.as_str() {
        // A name of several words.
        Some(name) if key == "outcome" => name.replace('_', " "),
        _ => shown(value, size, digits),
    };
    let numeric = value.is_number() || value.is_array() && reasons(value).is_none();
    Figure::text(&label, text, if numeric { unit } else { "" }).keyed(key, value.clone())
}

/// Words and unit of a key: `energy.kinetic_j` is "energy: kinetic" in J.
pub fn split_unit(key: &str) -> (String, &'static str) {
    let known = UNITS.iter().find(|(end, _)| key.ends_with(end));
    let (words, unit) = match known {
        Some((end, unit)) => (key.strip_suffix(end).unwrap_or(key), *unit),
        None => (key, ""),
    };
    (words.replace('_', " ").replace('.', ": "), unit)
}

/// The sentences of a list of reasons: objects with a `text` each; none for other lists.
pub(crate) fn reasons(list: &Value) -> Option<Vec<&str>> {
    let texts = list.as_array()?.iter();
    texts.map(|entry| entry.get("text")?.as_str()).collect()
}

/// A value as text, in units of `size`.
fn shown(value: &Value, size: f64, digits: usize) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => match number.as_f64() {
            Some(whole) if number.is_f64() || size != 1.0 => significant(whole / size, digits),
            _ => number.to_string(),
        },
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            if let Some(reasons) = reasons(value) {
                return match reasons.as_slice() {
                    [] => "none".to_owned(),
                    reasons => reasons.join("; "),
                };
            }
            let parts: Vec<String> = values
                .iter()
                .map(|value| shown(value, size, digits).replace('-', "−"))
                .collect();
            // Two numbers are a range.
            parts.join(if parts.len() == 2 { " … " } else { ", " })
        }
        Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn summary() -> Value {
        json!({
            "outcome": "in_contact",
            "soundness": "suspect",
            "soundness_reasons": [{ "text": "too deep" }, { "text": "too fast" }],
            "peak_contact_force_n": 45.4987,
            "max_leg_stroke_m": 0.012_34,
            "tendon_tension_range_n": [-1.0, 80.0],
            "settling_time_s": null,
            "steps": 3000,
            "peak_slack_time_s": 0.01,
            "energy": { "kinetic_j": 1.5, "dissipated_j": 0.5 },
            "coupling": "monolithic",
        })
    }

    #[test]
    fn headlines_keep_their_order_and_the_full_value() {
        let figures = headlines(&summary());
        let labels: Vec<&str> = figures.iter().map(|f| f.label.as_str()).collect();
        let expected = [
            "soundness",
            "outcome",
            "peak contact force",
            "settling time",
            "largest leg stroke",
            "tendon tension",
        ];
        assert_eq!(labels, expected);
        assert_eq!((&*figures[0].value, &*figures[0].unit), ("suspect", ""));
        assert_eq!((&*figures[1].value, &*figures[1].unit), ("in contact", ""));
        assert_eq!((&*figures[2].value, &*figures[2].unit), ("45.5", "N"));
        assert_eq!((&*figures[3].value, &*figures[3].unit), ("–", ""));
        assert_eq!((&*figures[4].value, &*figures[4].unit), ("12.3", "mm"));
        assert_eq!(figures[5].value, "−1.00 … 80.0");
        let datum = figures[4].datum.as_ref().map(|datum| &datum.value);
        assert_eq!(datum, Some(&json!(0.012_34)));
    }

    #[test]
    fn unknown_keys_are_shown_by_their_words() {
        let figures = rows(&summary());
        let find = |label: &str| figures.iter().find(|f| f.label == label);
        assert_eq!(find("peak slack time").map(|f| &*f.unit), Some("s"));
        assert_eq!(find("steps").map(|f| &*f.value), Some("3000"));
        assert_eq!(find("energy: kinetic").map(|f| &*f.unit), Some("J"));
        assert_eq!(find("coupling").map(|f| &*f.value), Some("monolithic"));
        let doubts = find("reasons to doubt");
        assert_eq!(doubts.map(|f| &*f.value), Some("too deep; too fast"));
        assert_eq!(doubts.map(|f| &*f.unit), Some(""));
        assert_eq!(figures.len(), 12);
        assert!(rows(&json!(3)).is_empty());
    }
}
