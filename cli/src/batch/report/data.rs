//! The columns of a study that its report shows.

use super::beside;
use crate::batch::rerun;
use crate::batch::results::FORCE;
use crate::settings::Settings;
use anyhow::Result;
use multibody::results::soundness::Soundness;
use softdock_docking::figures::shown_unit;
use softdock_docking::{Figure, Outcome, Scenario, Summary};
use softdock_report::Axis;
use softdock_study::table::Column;
use softdock_study::{Directory, Plan, Table};
use std::path::Path;

/// What was varied.
#[derive(Debug)]
pub struct Input {
    /// Its key.
    pub key: String,
    /// Its name and unit on the page.
    pub axis: Axis,
    /// Its values.
    pub column: Column,
}

/// What the pictures and tables are made from; one entry per finished run.
pub struct Data<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The table, for further columns.
    pub table: &'a Table,
    /// Numbers of the runs.
    pub runs: Vec<u64>,
    /// Names of the runs.
    pub labels: Vec<String>,
    /// Reports of runs that were done again.
    pub reports: Vec<Option<String>>,
    /// Time series that were kept.
    pub series: Vec<Option<String>>,
    /// What was varied.
    pub inputs: Vec<Input>,
    /// What became of the sound runs; none for failed and suspect ones.
    pub outcome: Vec<Option<Outcome>>,
    /// Names of the reasons to doubt a run; none for failed and sound ones.
    pub doubts: Vec<Option<String>>,
    /// Peak contact force [N]; NaN for runs that do not count or did not touch.
    pub force: Vec<f64>,
}

impl<'a> Data<'a> {
    /// Reads what is there.
    pub fn read(directory: &'a Directory, table: &'a Table) -> Result<Self> {
        let plan = directory.plan();
        let runs: Vec<u64> = table
            .numbers("run")?
            .into_iter()
            .map(|run| run as u64)
            .collect();
        let report = |&run: &u64| {
            let folder = Path::new(rerun::FOLDER).join(rerun::folder_name(run));
            beside(directory, &folder.join("report.html"))
        };
        let series = |&run: &u64| {
            let path = directory.series_path(run);
            beside(directory, path.strip_prefix(directory.path()).ok()?)
        };
        let inputs = plan
            .inputs()
            .iter()
            .map(|input| {
                Ok(Input {
                    key: input.name.clone(),
                    axis: axis_of_input(&input.name),
                    column: table.column(&input.name)?,
                })
            })
            .collect::<Result<Vec<Input>>>()?;
        let words = |figure: &Figure| -> Result<Vec<Option<String>>> {
            Ok(match table.column(figure.key)? {
                Column::Text(values) => values,
                other => vec![None; other.len()],
            })
        };
        let sound =
            |soundness: &Option<String>| soundness.as_deref() == Some(Soundness::Sound.key());
        let soundness = words(&Summary::soundness)?;
        let outcomes = words(&Summary::outcome)?.into_iter().zip(&soundness);
        let outcome = outcomes.map(|(outcome, soundness)| {
            let outcome = outcome.filter(|_| sound(soundness))?;
            outcome.parse().ok()
        });
        let doubts = words(&Summary::soundness_reasons)?
            .into_iter()
            .zip(&soundness);
        let doubts = doubts.map(|(reasons, soundness)| reasons.filter(|_| !sound(soundness)));
        let mut out = Self {
            plan,
            table,
            labels: runs.iter().map(|run| format!("run {run}")).collect(),
            reports: runs.iter().map(report).collect(),
            series: runs.iter().map(series).collect(),
            runs,
            inputs,
            outcome: outcome.collect(),
            doubts: doubts.collect(),
            force: Vec::new(),
        };
        out.force = out.counted(&FORCE)?;
        Ok(out)
    }

    /// A figure of the runs that count: sound ones in which end effector and target met; NaN for the
    /// others.
    pub fn counted(&self, figure: &Figure) -> Result<Vec<f64>> {
        let values = self.table.numbers(figure.key)?;
        let counts = |outcome: &Option<Outcome>| outcome.is_some_and(Outcome::met);
        let pairs = values.into_iter().zip(&self.outcome);
        Ok(pairs
            .map(|(value, outcome)| if counts(outcome) { value } else { f64::NAN })
            .collect())
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
fn axis_of_input(key: &str) -> Axis {
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
