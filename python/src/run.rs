//! Dockings from their start to their end, sweeps, and what needs no state.

use crate::error::{raised, refused};
use crate::settings::{Pairs, settings, source};
use crate::work::{detached, interruptible};
use numpy::PyArray1;
use pyo3::prelude::*;
use softdock::library::{self, Finished, Legs};
use softdock_docking::{Figure, Summary};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// Names of the columns, and their values, one column behind the other.
pub type Series<'py> = (Vec<String>, Bound<'py, PyArray1<f64>>);

/// A docking that came to its end.
#[pyclass(frozen, module = "softdock._softdock")]
pub struct Run {
    name: String,
    text: String,
    // A run holds what only one thread may touch at a time.
    finished: Mutex<Finished>,
}

impl Run {
    pub fn new(name: String, text: String, finished: Finished) -> Self {
        Self {
            name,
            text,
            finished: Mutex::new(finished),
        }
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Finished) -> anyhow::Result<T> + Send,
    ) -> PyResult<T> {
        detached(py, || {
            work(
                &self
                    .finished
                    .lock()
                    .unwrap_or_else(|poison| poison.into_inner()),
            )
        })
    }
}

/// Columns behind one another, as one array.
pub fn flat(columns: Vec<Vec<f64>>) -> Vec<f64> {
    columns.concat()
}

#[pymethods]
impl Run {
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Every setting of the run as a TOML file.
    #[getter]
    fn config_text(&self) -> &str {
        &self.text
    }

    /// summary.json.
    fn summary_json(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |finished| Ok(finished.summary()?.to_string()))
    }

    /// The columns of run.csv.
    fn series<'py>(&self, py: Python<'py>) -> PyResult<Series<'py>> {
        let (names, columns) = self.with(py, |finished| Ok(library::series(&finished.run)))?;
        Ok((names, PyArray1::from_vec(py, flat(columns))))
    }

    /// report.html.
    fn report_html(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |finished| {
            library::report(&self.name, &self.text, finished)
        })
    }
}

/// What the legs are.
fn legs(word: &str) -> PyResult<Legs> {
    match word {
        "native" => Ok(Legs::Native),
        "fmu" => Ok(Legs::Fmu),
        other => Err(refused(format!(
            "legs = \"{other}\" is not allowed: it must be \"native\" or \"fmu\""
        ))),
    }
}

/// Runs a docking.
#[pyfunction]
#[pyo3(signature = (name, text, pairs, requirements=None, legs_word="native"))]
pub fn dock(
    py: Python<'_>,
    name: Option<String>,
    text: Option<String>,
    pairs: Pairs,
    requirements: Option<String>,
    legs_word: &str,
) -> PyResult<Run> {
    let (legs, settings) = (legs(legs_word)?, settings(&pairs)?);
    let (chosen, finished) = interruptible(py, |stop| {
        let chosen = library::scenario(
            source(name.as_deref(), text.as_deref()),
            &settings,
            requirements.as_deref().map(Path::new),
            legs,
        )?;
        let finished = library::dock(&chosen.config, legs, &|| stop.load(Ordering::SeqCst))?;
        Ok((chosen, finished))
    })?;
    Ok(Run::new(chosen.name, chosen.text, finished))
}

/// The scenario as a TOML file, every key with its comment.
#[pyfunction]
pub fn scenario_text(
    py: Python<'_>,
    name: Option<String>,
    text: Option<String>,
    pairs: Pairs,
) -> PyResult<String> {
    let settings = settings(&pairs)?;
    let source = source(name.as_deref(), text.as_deref());
    detached(py, || {
        Ok(library::scenario(source, &settings, None, Legs::Native)?.text)
    })
}

/// Runs a scenario with one key at several values: value, summary as JSON, error of each.
#[pyfunction]
pub fn sweep(
    py: Python<'_>,
    name: Option<String>,
    text: Option<String>,
    pairs: Pairs,
    key: &str,
    values: Vec<f64>,
) -> PyResult<Vec<(f64, Option<String>, Option<String>)>> {
    let settings = settings(&pairs)?;
    interruptible(py, |stop| {
        let stopped = || stop.load(Ordering::SeqCst);
        let source = source(name.as_deref(), text.as_deref());
        let points = library::run_sweep(source, &settings, key, &values, &stopped)?;
        points
            .into_iter()
            .map(|point| match point.done {
                Ok(summary) => Ok((point.value, Some(serde_json::to_string(&summary)?), None)),
                Err(error) => Ok((point.value, None, Some(error))),
            })
            .collect()
    })
}

/// The figures of a docking: key, unit, label and meaning.
#[pyfunction]
pub fn figures() -> Vec<(String, String, String, String)> {
    let entry = |figure: &Figure| {
        let Figure {
            key,
            unit,
            label,
            meaning,
            ..
        } = figure;
        (
            key.to_string(),
            unit.to_string(),
            label.to_string(),
            meaning.to_string(),
        )
    };
    Summary::figures().into_iter().map(entry).collect()
}

/// The validation cases as JSON.
#[pyfunction]
#[pyo3(signature = (filter=None))]
pub fn verify(py: Python<'_>, filter: Option<String>) -> PyResult<String> {
    let outcomes = interruptible(py, |_| library::run_verify(filter.as_deref()))?;
    serde_json::to_string(&outcomes).map_err(raised)
}
