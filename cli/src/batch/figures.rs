//! The summary of a docking as columns of a table.
//!
//! Tables inside the summary are flattened with dots (`energy.residual_j`), lists get a name per
//! entry (`leg1_stroke_m`), reasons to doubt a run are one text of names. Columns follow from the summary itself: what is added there is in the
//! table too.

use super::results::{FORCE, OUTCOME, REASONS, SOUNDNESS};
use anyhow::Result;
use serde_json::Value as Json;
use softdock_docking::Summary;
use softdock_study::{FigureSpec, Kind, Value};

/// Figures that stand first in the table, in this order.
const FIRST: [&str; 9] = [
    "complete",
    SOUNDNESS,
    REASONS,
    OUTCOME,
    FORCE,
    "peak_contact_time_s",
    "capture_time_s",
    "max_leg_stroke_m",
    "contact_impulse_n_s",
];

/// Names and kinds of the figures that a summary gives.
pub fn specs(summary: &Summary) -> Result<Vec<FigureSpec>> {
    let kind = |value: &Json| match value {
        Json::Bool(_) => Kind::Bool,
        Json::String(_) => Kind::Text,
        Json::Number(number) if !number.is_f64() => Kind::Integer,
        // Whatever may be missing is a real number.
        _ => Kind::Real,
    };
    Ok(flat(summary)?
        .iter()
        .map(|(name, value)| FigureSpec::new(name, kind(value)))
        .collect())
}

/// The figures of a summary in the order of `specs`; what is not finite counts as missing.
pub fn values(summary: &Summary, specs: &[FigureSpec]) -> Result<Vec<Option<Value>>> {
    let flat = flat(summary)?;
    let find = |spec: &FigureSpec| {
        let (_, value) = flat.iter().find(|(name, _)| *name == spec.name)?;
        match spec.kind {
            Kind::Real => value.as_f64().map(Value::Real),
            Kind::Integer => value.as_i64().map(Value::Integer),
            Kind::Bool => value.as_bool().map(Value::Bool),
            Kind::Text => value.as_str().map(|text| Value::Text(text.to_owned())),
        }
    };
    Ok(specs.iter().map(find).collect())
}

/// Names and values, the most wanted ones first, then by name; entries of a list stay together.
fn flat(summary: &Summary) -> Result<Vec<(String, Json)>> {
    let mut out = Vec::new();
    flatten("", serde_json::to_value(summary)?, &mut out);
    let place = |name: &str| FIRST.iter().position(|first| *first == name);
    // Stable: what has no place keeps its order.
    out.sort_by_key(|(name, _)| place(name).unwrap_or(FIRST.len()));
    Ok(out)
}

fn flatten(name: &str, value: Json, out: &mut Vec<(String, Json)>) {
    match value {
        Json::Object(map) => {
            let mut entries: Vec<(String, Json)> = map.into_iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            for (key, value) in entries {
                let dot = if name.is_empty() { "" } else { "." };
                flatten(&format!("{name}{dot}{key}"), value, out);
            }
        }
        // However many there are: their names in one column.
        Json::Array(list) if name == REASONS => {
            let names = list.iter().filter_map(|reason| reason["reason"].as_str());
            let names: Vec<&str> = names.collect();
            out.push((name.to_owned(), names.join(" ").into()));
        }
        Json::Array(list) => {
            for (index, value) in list.into_iter().enumerate() {
                flatten(&entry_name(name, index), value, out);
            }
        }
        _ => out.push((name.to_owned(), value)),
    }
}

/// Name of an entry of a list; known lists have names that say what it is.
fn entry_name(list: &str, index: usize) -> String {
    let number = index + 1;
    match (list, index) {
        ("leg_strokes_m", _) => format!("leg{number}_stroke_m"),
        ("motor_range_use", _) => format!("leg{number}_motor_range_use"),
        ("tendon_tension_range_n", 0) => "tendon_tension_min_n".to_owned(),
        ("tendon_tension_range_n", 1) => "tendon_tension_max_n".to_owned(),
        _ => format!("{list}.{number}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use softdock_docking::{DockingRun, Scenario};

    #[test]
    fn every_entry_of_the_summary_is_a_column_with_its_value() {
        let mut scenario = Scenario::default();
        scenario.platform.legs.elements = 2;
        scenario.docking.duration_s = 0.01;
        let mut run = DockingRun::new(&scenario, false).unwrap();
        let specs = specs(&run.summary().unwrap()).unwrap();
        run.run().unwrap();
        let summary = run.summary().unwrap();
        let values = values(&summary, &specs).unwrap();
        let value = |name: &str| {
            let index = specs.iter().position(|spec| spec.name == name);
            values[index.unwrap_or_else(|| panic!("no {name}"))].clone()
        };
        assert_eq!(specs[1], FigureSpec::new("soundness", Kind::Text));
        assert_eq!(specs[2], FigureSpec::new("soundness_reasons", Kind::Text));
        assert_eq!(specs[3], FigureSpec::new("outcome", Kind::Text));
        assert_eq!(value("soundness"), Some(Value::Text("sound".to_owned())));
        // The words that rankings of the study go by.
        assert_eq!(softdock_study::SOUNDNESS, "soundness");
        assert_eq!(softdock_study::SOUND, "sound");
        assert_eq!(value("soundness_reasons"), Some(Value::Text(String::new())));
        let never = Some(Value::Text("never_touched".to_owned()));
        assert_eq!(value("outcome"), never);
        // Nothing touched: no force rather than one of 0 N.
        assert_eq!(value("peak_contact_force_n"), None);
        assert_eq!(value("complete"), Some(Value::Bool(true)));
        assert_eq!(
            value("leg6_stroke_m"),
            Some(Value::Real(summary.leg_strokes_m[5]))
        );
        assert_eq!(
            value("tendon_tension_max_n"),
            Some(Value::Real(summary.tendon_tension_range_n[1]))
        );
        assert_eq!(
            value("energy.residual_j"),
            Some(Value::Real(summary.energy.residual_j))
        );
        assert_eq!(value("steps"), Some(Value::Integer(summary.steps as i64)));
        assert_eq!(value("capture_time_s"), None);
        let kinds_fit = specs
            .iter()
            .zip(&values)
            .all(|(spec, value)| value.as_ref().is_none_or(|value| value.kind() == spec.kind));
        assert!(kinds_fit);
    }
}
