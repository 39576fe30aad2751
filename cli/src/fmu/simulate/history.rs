//! What a page shows of a run: the columns that are numbers, over time.

use super::columns::Value;
use softdock_report::{Axis, Block, Chart, Series};
use softdock_xml::{ModelDescription, VariableType};

/// Most curves in one chart.
const MOST_CURVES: usize = 12;
/// Rows above which every second one is left out.
const MOST_ROWS: usize = 50_000;

/// A column of numbers.
#[derive(Debug)]
struct Column {
    name: String,
    unit: String,
    values: Vec<f64>,
}

/// Columns of a run over time; none if no page is asked for.
#[derive(Debug, Default)]
pub struct History {
    times: Vec<f64>,
    columns: Vec<Column>,
    /// One row of so many is kept.
    stride: usize,
    rows: usize,
}

impl History {
    /// Of these columns.
    pub fn new<'a>(names: impl Iterator<Item = &'a str>, description: &ModelDescription) -> Self {
        let column = |name: &str| {
            let variable = description.variable(name).map(|(_, variable)| variable);
            let unit = match variable.map(|variable| &variable.variable_type) {
                Some(VariableType::Real(real)) => description.real_attributes(real).unit,
                _ => None,
            };
            Column {
                name: name.to_owned(),
                unit: unit.unwrap_or_default(),
                values: Vec::new(),
            }
        };
        Self {
            columns: names.map(column).collect(),
            stride: 1,
            ..Self::default()
        }
    }

    /// Adds a row.
    pub fn add(&mut self, time: f64, row: &[Value]) {
        if self.columns.is_empty() {
            return;
        }
        if self.rows.is_multiple_of(self.stride) {
            self.times.push(time);
            for (column, value) in self.columns.iter_mut().zip(row) {
                column.values.push(match value {
                    Value::Real(value) => *value,
                    Value::Integer(value) => f64::from(*value),
                    Value::Text(_) => f64::NAN,
                });
            }
        }
        self.rows += 1;
        if self.times.len() > MOST_ROWS {
            self.halve();
        }
    }

    /// Leaves every second row out.
    fn halve(&mut self) {
        let halved = |list: &[f64]| list.iter().step_by(2).copied().collect();
        self.times = halved(&self.times);
        for column in &mut self.columns {
            column.values = halved(&column.values);
        }
        self.stride *= 2;
    }

    /// One chart for every variable, or for all elements of an array.
    pub fn blocks(&self) -> Vec<Block> {
        let mut groups: Vec<Vec<&Column>> = Vec::new();
        for column in &self.columns {
            if !column.values.iter().any(|value| value.is_finite()) {
                continue;
            }
            let same = |group: &&mut Vec<&Column>| {
                let array = column.name.contains('[') && group.len() < MOST_CURVES;
                array && family(&group[0].name) == family(&column.name)
            };
            match groups.last_mut().filter(same) {
                Some(group) => group.push(column),
                None => groups.push(vec![column]),
            }
        }
        let blocks = groups.iter().map(|group| Block::from(self.chart(group)));
        blocks.collect()
    }

    fn chart(&self, group: &[&Column]) -> Chart {
        let (first, last) = (group[0], group[group.len() - 1]);
        let title = match group.len() {
            1 => first.name.clone(),
            _ => format!("{} to {}", first.name, last.name),
        };
        let sentence = match self.stride {
            1 => String::new(),
            stride => format!("One row of {stride} is drawn; the table has all."),
        };
        let curve = |column: &&Column| Series::line(&column.name, &self.times, &column.values);
        let series = group.iter().map(curve).collect();
        let axis = Axis::new(family(&first.name), &first.unit);
        Chart::over_time(&title, &sentence, axis, series)
    }
}

/// A name without its indices.
fn family(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use softdock_fmu::ModelKind;

    #[test]
    fn arrays_share_a_chart_and_texts_have_none() {
        let description = ModelKind::LegSpatial.description().unwrap();
        let names = ["tip.force[1]", "tip.force[2]", "motor.angle", "text"];
        let mut history = History::new(names.into_iter(), &description);
        for k in 0..10 {
            let row = [
                Value::Real(1.0),
                Value::Real(2.0),
                Value::Integer(k),
                Value::Text("a".into()),
            ];
            history.add(f64::from(k), &row);
        }
        assert_eq!(history.blocks().len(), 2);
        assert_eq!(history.columns[0].unit, "N");
        assert!(History::default().blocks().is_empty());
    }

    #[test]
    fn long_runs_are_thinned_evenly() {
        let description = ModelKind::LegSpatial.description().unwrap();
        let mut history = History::new(["motor.angle"].into_iter(), &description);
        for k in 0..(2 * MOST_ROWS + 10) {
            history.add(k as f64, &[Value::Real(k as f64)]);
        }
        assert!(history.times.len() <= MOST_ROWS + 1);
        let steps = history.times.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(steps.into_iter().all(|step| step == history.stride as f64));
    }
}
