//! The columns of a study that its report shows.

use super::measure::Measure;
use crate::batch::rerun;
use crate::batch::results::main_figure;
use crate::settings::Settings;
use anyhow::Result;
use multibody::results::soundness::Soundness;
use softdock_docking::figures::shown_unit;
use softdock_docking::{Figure, Outcome, Scenario, Summary};
use softdock_report::Axis;
use softdock_study::statistics::Dependence;
use softdock_study::table::Column;
use softdock_study::{Directory, Plan, Table};
use std::collections::BTreeMap;
use std::path::Path;

/// What was varied.
#[derive(Debug)]
pub struct Input {
    /// Its key.
    pub key: String,
    /// Its name and unit on the page.
    pub axis: Axis,
}

/// What the pictures and tables are made from; one entry per finished run. Columns of inputs and
/// figures are read when they are needed: a study may have a million runs.
pub struct Data<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The table, for further columns.
    pub table: &'a Table,
    /// Numbers of the runs.
    pub runs: Vec<u64>,
    /// Reports of runs that were done again, by the number of the run.
    reports: BTreeMap<u64, String>,
    /// Time series that were kept, by the number of the run.
    series: BTreeMap<u64, String>,
    /// What was varied.
    pub inputs: Vec<Input>,
    /// What became of the sound runs; none for failed and suspect ones.
    pub outcome: Vec<Option<Outcome>>,
    /// Names of the reasons to doubt a run, by its place; only those of suspect runs.
    pub doubts: BTreeMap<usize, String>,
    /// The figure that the study is about.
    pub main: Measure,
    /// Its values; NaN for runs that do not count or did not touch.
    pub main_values: Vec<f64>,
    /// Which runs are independent of each other.
    pub dependence: Dependence,
}

impl<'a> Data<'a> {
    /// Reads what is there; `main` is the figure that the study is about, if one was named.
    pub fn read(directory: &'a Directory, table: &'a Table, main: Option<Measure>) -> Result<Self> {
        let plan = directory.plan();
        let runs: Vec<u64> = table
            .numbers("run")?
            .into_iter()
            .map(|run| run as u64)
            .collect();
        let kept = directory.kept_runs()?.into_iter();
        let series = kept.filter_map(|run| {
            let path = directory.series_path(run);
            let path = path.strip_prefix(directory.path()).ok()?;
            Some((run, path.to_string_lossy().into_owned()))
        });
        let inputs = plan.inputs().iter().map(|input| Input {
            key: input.name.clone(),
            axis: axis_of_input(&input.name),
        });
        let (outcome, doubts) = verdicts(table)?;
        let main = main.unwrap_or_else(|| Measure::of(main_figure(plan).map_or("", |(_, n)| n)));
        let mut out = Self {
            plan,
            table,
            dependence: Dependence::of(plan, &runs),
            runs,
            reports: reports(directory),
            series: series.collect(),
            inputs: inputs.collect(),
            outcome,
            doubts,
            main,
            main_values: Vec::new(),
        };
        out.main_values = out.counted(&out.main.key)?;
        Ok(out)
    }

    /// A figure of the runs that count: sound ones in which end effector and target met; NaN for the
    /// others.
    pub fn counted(&self, key: &str) -> Result<Vec<f64>> {
        let mut values = self.table.numbers(key)?;
        for (value, outcome) in values.iter_mut().zip(&self.outcome) {
            if !outcome.is_some_and(Outcome::met) {
                *value = f64::NAN;
            }
        }
        Ok(values)
    }

    /// The values of an input.
    pub fn column(&self, input: &Input) -> Result<Column> {
        Ok(self.table.column(&input.key)?)
    }

    /// Name of the run at a place.
    pub fn label(&self, place: usize) -> String {
        format!("run {}", self.runs[place])
    }

    /// Report of the run at a place, if it was done again.
    pub fn report(&self, place: usize) -> Option<&str> {
        self.reports.get(&self.runs[place]).map(String::as_str)
    }

    /// Time series of the run at a place, if it was kept.
    pub fn series(&self, place: usize) -> Option<&str> {
        self.series.get(&self.runs[place]).map(String::as_str)
    }

    /// 1 for captures, 0 for other runs that count, NaN for the others.
    pub fn captured(&self) -> Vec<f64> {
        let captured = |outcome: &Option<Outcome>| match outcome {
            Some(Outcome::Captured) => 1.0,
            Some(outcome) if outcome.met() => 0.0,
            _ => f64::NAN,
        };
        self.outcome.iter().map(captured).collect()
    }

    /// An input by its key.
    pub fn input(&self, key: &str) -> Option<&Input> {
        self.inputs.iter().find(|input| input.key == key)
    }
}

/// Outcome of every run, and what else is said of single ones.
type Verdicts = (Vec<Option<Outcome>>, BTreeMap<usize, String>);

/// Outcomes of the sound runs, and the doubts of the suspect ones. One column of words at a time: they
/// take much memory.
fn verdicts(table: &Table) -> Result<Verdicts> {
    let words = |figure: &Figure| -> Result<Vec<Option<String>>> {
        Ok(match table.column(figure.key)? {
            Column::Text(values) => values,
            other => vec![None; other.len()],
        })
    };
    let is_sound = |word: Option<String>| word.as_deref() == Some(Soundness::Sound.key());
    let sound: Vec<bool> = words(&Summary::soundness)?
        .into_iter()
        .map(is_sound)
        .collect();
    let outcomes = words(&Summary::outcome)?.into_iter().zip(&sound);
    let outcome = outcomes.map(|(word, sound)| word.filter(|_| *sound)?.parse().ok());
    let outcome = outcome.collect();
    let reasons = words(&Summary::soundness_reasons)?.into_iter().enumerate();
    let doubts = reasons.filter(|(place, _)| !sound[*place]);
    let doubts = doubts.filter_map(|(place, reasons)| Some((place, reasons?)));
    Ok((outcome, doubts.collect()))
}

/// The reports of runs that were done again.
fn reports(directory: &Directory) -> BTreeMap<u64, String> {
    let folder = directory.path().join(rerun::FOLDER);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let report = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let run = name.strip_prefix("run-")?.parse().ok()?;
        let page = Path::new(rerun::FOLDER).join(name).join("report.html");
        let there = directory.path().join(&page).exists();
        there.then(|| (run, page.to_string_lossy().into_owned()))
    };
    entries.filter_map(report).collect()
}

/// Ends of keys that are units, longer ones first.
const UNITS: [&str; 20] = [
    "_n_s_per_m",
    "_rad_per_s",
    "_deg_per_s",
    "_n_per_m",
    "_m_per_s",
    "_rad_s",
    "_deg_s",
    "_n_s",
    "_m_s",
    "_deg",
    "_rad",
    "_rel",
    "_nm",
    "_mm",
    "_kg",
    "_hz",
    "_n",
    "_m",
    "_s",
    "_j",
];

/// A key of a scenario for people: its last words, and the unit of the key table.
pub fn axis_of_input(key: &str) -> Axis {
    let words = UNITS.iter().find_map(|unit| key.strip_suffix(unit));
    let words = words.unwrap_or(key).replace('_', " ");
    let words = words.strip_prefix("misalignment.").unwrap_or(&words);
    let words = words.strip_prefix("contact.").unwrap_or(words);
    let known = Scenario::keys().find(|known| known.key == key);
    let unit = known.map_or("", |known| shown_unit(known.unit));
    Axis::new(&words.replace('.', " "), unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_named_in_words() {
        for (key, label, unit) in [
            ("misalignment.pitch_deg", "pitch", "°"),
            ("misalignment.lateral_rate_x_m_s", "lateral rate x", "m/s"),
            ("closing_speed_m_s", "closing speed", "m/s"),
            ("contact.friction.coefficient", "friction coefficient", ""),
            ("tendon.damping_n_s_per_m", "tendon damping", "N·s/m"),
        ] {
            assert_eq!(axis_of_input(key), Axis::new(label, unit));
        }
    }
}
