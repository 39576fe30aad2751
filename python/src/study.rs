//! Studies: thousands of dockings, stored as they finish.

use crate::error::raised;
use crate::settings::source;
use crate::work::{detached, interruptible};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;
use softdock::library::{self, StudyOptions};
use softdock_study::Progress;
use softdock_study::table::Column;
use std::path::Path;

/// Runs a study: finished before, finished now, failed, total, file of the table.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "as many as a study has options")]
pub fn study(
    py: Python<'_>,
    name: Option<String>,
    text: Option<String>,
    out: String,
    runs: Option<u64>,
    set: Vec<String>,
    threads: usize,
    resume: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, u64, u64, u64, Option<String>)> {
    let tell = |now: &Progress| {
        let Some(callback) = &progress else { return };
        Python::attach(|py| {
            let told = callback.call1(py, (now.finished, now.total, now.failed));
            if let Err(error) = told {
                // A bar that fails ends no study.
                error.write_unraisable(py, None);
            }
        });
    };
    let done = interruptible(py, |stop| {
        let options = StudyOptions {
            runs,
            set: &set,
            out: Path::new(&out),
            threads,
            resume,
            cancel: stop,
        };
        library::run_study(source(name.as_deref(), text.as_deref()), &options, &tell)
    })?;
    let table = done.table.map(|path| path.to_string_lossy().into_owned());
    Ok((
        done.finished_before,
        done.finished_now,
        done.failed,
        done.total,
        table,
    ))
}

/// The columns of a table in its file: names, kinds and values. Reals are arrays, NaN where a value
/// is missing; others are lists, None where a value is missing.
#[pyfunction]
pub fn study_table<'py>(py: Python<'py>, file: &str) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let columns = detached(py, || {
        let table = softdock_study::Table::open(Path::new(file))?;
        let names = table.names().into_iter();
        let read = |name: String| table.column(&name).map(|column| (name, column));
        Ok(names.map(read).collect::<Result<Vec<_>, _>>()?)
    })?;
    columns
        .into_iter()
        .map(|(name, column)| {
            let values = match column {
                Column::Real(list) => {
                    let list = list.into_iter().map(|x| x.unwrap_or(f64::NAN)).collect();
                    PyArray1::<f64>::from_vec(py, list).into_any()
                }
                Column::Integer(list) => PyList::new(py, list)?.into_any(),
                Column::Bool(list) => PyList::new(py, list)?.into_any(),
                Column::Text(list) => PyList::new(py, list)?.into_any(),
            };
            Ok((name, values))
        })
        .collect()
}

/// Writes the page of a study into its folder; gives the file.
#[pyfunction]
pub fn study_report(py: Python<'_>, folder: String) -> PyResult<String> {
    let file = interruptible(py, |_| library::study_report(Path::new(&folder)))?;
    file.into_os_string()
        .into_string()
        .map_err(|_| raised(anyhow::anyhow!("the path of the report is no text")))
}
