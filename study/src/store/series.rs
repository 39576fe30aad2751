//! Time series that are kept: which, and where.

use super::atomic;
use super::record::Row;
use crate::description::KeepSeries;
use crate::error::{Result, file_error};
use crate::plan::Plan;
use crate::ranking::Worst;
use crate::value::{SOUND, Value};
use std::fs;
use std::io::Write;
use std::path::Path;

/// Name of the file of a run.
pub(crate) fn file_name(run: u64) -> String {
    format!("run-{run:010}.csv")
}

/// The run of a file, by its name.
pub(crate) fn run_of_file(name: &str) -> Option<u64> {
    name.strip_prefix("run-")?
        .strip_suffix(".csv")?
        .parse()
        .ok()
}

/// Decides which time series are kept. The answer depends on the finished runs, not on their order.
#[derive(Debug)]
pub(crate) enum Keeper {
    None,
    Failures,
    /// Suspect runs are no results and are not ranked.
    Worst {
        figure: usize,
        soundness: Option<usize>,
        worst: Worst,
    },
    All,
}

impl Keeper {
    pub(crate) fn new(plan: &Plan) -> Self {
        match (plan.study().keep.series, plan.keep_worst()) {
            (KeepSeries::Failures, _) => Self::Failures,
            (KeepSeries::All, _) => Self::All,
            (KeepSeries::Worst, Some((figure, order, count))) => Self::Worst {
                figure,
                soundness: plan.soundness_figure(),
                worst: Worst::new(order, count),
            },
            _ => Self::None,
        }
    }

    /// Whether a run can be kept at all: if not, it need not record its series.
    pub(crate) fn wants_series(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Whether the series of a run is kept as things stand.
    pub(crate) fn admits(&self, row: &Row) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Failures => row.outcome.is_err(),
            Self::Worst {
                figure,
                soundness,
                worst,
            } => ranked_value(row, *figure, *soundness)
                .is_some_and(|value| worst.admits(row.run, value)),
        }
    }

    /// Takes note of a finished run; returns the run whose series is no longer kept.
    pub(crate) fn insert(&mut self, row: &Row) -> Option<u64> {
        match self {
            Self::Worst {
                figure,
                soundness,
                worst,
            } => ranked_value(row, *figure, *soundness)
                .and_then(|value| worst.insert(row.run, value)),
            _ => None,
        }
    }
}

/// The figure that ranks a run; none if the run failed, lacks the figure or is not sound.
fn ranked_value(row: &Row, figure: usize, soundness: Option<usize>) -> Option<f64> {
    let figures = row.outcome.as_ref().ok()?;
    if let Some(soundness) = soundness {
        let verdict = figures.get(soundness)?.as_ref()?;
        if !matches!(verdict, Value::Text(word) if word == SOUND) {
            return None;
        }
    }
    figures.get(figure)?.as_ref()?.number()
}

/// Stores the series of a run.
pub(crate) fn write(path: &Path, tag: &str, bytes: &[u8]) -> Result<()> {
    atomic::write(path, tag, |mut file, name| {
        file.write_all(bytes).map_err(file_error("write", name))
    })
}

/// Removes a series that is no longer kept; one that is not there is fine.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(file_error("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Removes what a killed process left behind: of the runs for which `own` holds, series that are not
/// among the worst. With the other policies a series left behind belongs to a run that is done again
/// and writes the same file.
pub(crate) fn clean(folder: &Path, keeper: &Keeper, own: impl Fn(u64) -> bool) -> Result<()> {
    let Keeper::Worst { worst, .. } = keeper else {
        return Ok(());
    };
    for entry in fs::read_dir(folder).map_err(file_error("list", folder))? {
        let path = entry.map_err(file_error("list", folder))?.path();
        let run = run_of_file(&path.file_name().unwrap_or_default().to_string_lossy());
        if run.is_some_and(|run| own(run) && !worst.contains(run)) {
            remove(&path)?;
        }
    }
    Ok(())
}
