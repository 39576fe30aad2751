//! The figures of a docking as columns of a table.

use softdock_docking::Summary;
use softdock_docking::figures::{Figure, Value as Measured};
use softdock_docking::requirement::{self, Cell, Requirement};
use softdock_study::{FigureSpec, Kind, Value};

/// Figures that stand first in the table, in this order; the others follow by key.
const FIRST: [Figure; 9] = [
    Summary::complete,
    Summary::soundness,
    Summary::soundness_reasons,
    Summary::outcome,
    Summary::peak_contact_force_n,
    Summary::peak_contact_time_s,
    Summary::capture_time_s,
    Summary::max_leg_stroke_m,
    Summary::contact_impulse_n_s,
];

/// A column: its name, its kind, and what a run has in it.
type Column = (String, Kind, Option<Value>);

/// Names and kinds of the columns that a summary fills, those of the requirements last.
pub fn specs(summary: &Summary, requirements: &[Requirement]) -> Vec<FigureSpec> {
    let all = columns(summary, requirements).into_iter();
    all.map(|(name, kind, _)| FigureSpec::new(&name, kind))
        .collect()
}

/// What a run has in the columns of `specs`, which may be those of another version of the program;
/// what is not a number counts as missing.
pub fn values(
    summary: &Summary,
    requirements: &[Requirement],
    specs: &[FigureSpec],
) -> Vec<Option<Value>> {
    let all = columns(summary, requirements);
    let find = |spec: &FigureSpec| {
        let is_it = |(name, kind, _): &&Column| *name == spec.name && *kind == spec.kind;
        all.iter().find(is_it)?.2.clone()
    };
    specs.iter().map(find).collect()
}

fn columns(summary: &Summary, requirements: &[Requirement]) -> Vec<Column> {
    let judged = requirement::columns(requirements, summary).into_iter();
    let judged = judged.map(|column| match column.value {
        Cell::Met(met) => (column.name, Kind::Bool, Some(Value::Bool(met))),
        Cell::Margin(margin) => (column.name, Kind::Real, margin.map(Value::Real)),
    });
    let place = |figure: &Figure| FIRST.iter().position(|first| first.key == figure.key);
    let mut figures = Summary::figures();
    figures.sort_by_key(|figure| (place(figure).unwrap_or(FIRST.len()), figure.key));
    figures
        .into_iter()
        .flat_map(|figure| columns_of(figure, summary))
        .chain(judged)
        .collect()
}

/// The columns of a figure: one, or one for each entry of a list.
fn columns_of(figure: &Figure, summary: &Summary) -> Vec<Column> {
    let one = |kind: Kind, value: Option<Value>| vec![(figure.key.to_owned(), kind, value)];
    // Infinite values are values; a missing one is NaN.
    let real = |value: f64| (!value.is_nan()).then_some(Value::Real(value));
    let list = |values: &[f64]| {
        let entries = values.iter().enumerate();
        let column = |(i, value): (usize, &f64)| (figure.column(i), Kind::Real, real(*value));
        entries.map(column).collect()
    };
    match figure.of(summary) {
        Measured::Flag(flag) => one(Kind::Bool, Some(Value::Bool(flag))),
        Measured::Word(word) => one(Kind::Text, Some(Value::Text(word.to_owned()))),
        Measured::Count(count) => one(Kind::Integer, i64::try_from(count).ok().map(Value::Integer)),
        Measured::Number(number) => one(Kind::Real, number.and_then(real)),
        Measured::Ends(ends) => list(&ends),
        Measured::List(values) => list(&values),
        Measured::Rows(rows) => list(&rows.concat()),
        Measured::Text(text) => one(Kind::Text, text.map(Value::Text)),
        // However many there are: their names in one column.
        Measured::Reasons(reasons) => {
            let names: Vec<&str> = reasons.iter().map(|reason| reason.doubt.key()).collect();
            one(Kind::Text, Some(Value::Text(names.join(" "))))
        }
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
        let specs = specs(&run.summary().unwrap(), &[]);
        run.run().unwrap();
        let summary = run.summary().unwrap();
        let values = values(&summary, &[], &specs);
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
