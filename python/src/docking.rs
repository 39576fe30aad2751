//! A docking that the caller advances.

use crate::error::refused;
use crate::observation::{names, observe};
use crate::run::{Run, Series, flat};
use crate::settings::{Pairs, settings, source};
use crate::work::{detached, interruptible, used_up};
use nalgebra::DVector;
use numpy::PyArray1;
use pyo3::prelude::*;
use softdock::library::{self, Chosen, Legs};
use softdock_docking::{DockingRun, SavedDocking, Scenario};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard};

/// A docking under way.
#[pyclass(frozen, module = "softdock._softdock")]
pub struct Docking {
    name: String,
    text: String,
    duration: f64,
    legs: usize,
    run: Mutex<Option<DockingRun>>,
}

/// A docking put aside.
#[pyclass(frozen, module = "softdock._softdock")]
pub struct SavedState {
    saved: Mutex<SavedDocking>,
    time: f64,
}

#[pymethods]
impl SavedState {
    /// Time at which it was saved [s].
    #[getter]
    fn time(&self) -> f64 {
        self.time
    }
}

impl Docking {
    fn lock(&self) -> MutexGuard<'_, Option<DockingRun>> {
        self.run.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut DockingRun) -> anyhow::Result<T> + Send,
    ) -> PyResult<T> {
        let done = detached(py, || self.lock().as_mut().map(work).transpose())?;
        done.ok_or_else(|| used_up("docking"))
    }

    fn check(&self, torques: &Option<Vec<f64>>) -> PyResult<()> {
        match torques {
            Some(list) if list.len() != self.legs || list.iter().any(|x| !x.is_finite()) => {
                Err(refused(format!(
                    "torques = {list:?} is not allowed: there must be {} finite numbers",
                    self.legs
                )))
            }
            _ => Ok(()),
        }
    }
}

fn advance(run: &mut DockingRun, end: f64, torques: Option<Vec<f64>>) -> anyhow::Result<()> {
    if let Some(torques) = torques {
        run.set_torques(&DVector::from_vec(torques))?;
    }
    Ok(run.reach(end)?)
}

#[pymethods]
impl Docking {
    #[new]
    #[pyo3(signature = (name, text, pairs))]
    fn new(
        py: Python<'_>,
        name: Option<String>,
        text: Option<String>,
        pairs: Pairs,
    ) -> PyResult<Self> {
        let settings = settings(&pairs)?;
        let (chosen, run) = interruptible(py, |_| {
            let source = source(name.as_deref(), text.as_deref());
            let chosen: Chosen<Scenario> =
                library::scenario(source, &settings, None, Legs::Native)?;
            let run = library::docking(&chosen.config)?;
            Ok((chosen, run))
        })?;
        Ok(Self {
            name: chosen.name,
            text: chosen.text,
            duration: chosen.config.docking.duration_s,
            legs: run.platform().leg_count(),
            run: Mutex::new(Some(run)),
        })
    }

    /// Names of the numbers of an observation.
    #[getter]
    fn names(&self) -> Vec<String> {
        names(self.legs, true)
    }

    /// Number of motors.
    #[getter]
    fn motors(&self) -> usize {
        self.legs
    }

    /// Time at which the scenario ends [s].
    #[getter]
    fn duration(&self) -> f64 {
        self.duration
    }

    /// Time reached [s].
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |run| Ok(run.time()))
    }

    /// Whether the whole duration is simulated.
    #[getter]
    fn finished(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |run| Ok(run.finished()))
    }

    /// Every setting as a TOML file.
    #[getter]
    fn config_text(&self) -> &str {
        &self.text
    }

    /// What there is to see now.
    fn observe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let seen = self.with(py, |run| Ok(observe(run.platform())))?;
        Ok(PyArray1::from_vec(py, seen))
    }

    /// Moves on by `length` [s] with these torques [N·m] and gives the observation there.
    #[pyo3(signature = (length, torques=None))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        length: f64,
        torques: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.check(&torques)?;
        if !(length > 0.0 && length.is_finite()) {
            return Err(refused(format!(
                "a step of {length} s is not allowed: it must be > 0 and finite"
            )));
        }
        let seen = self.with(py, |run| {
            let end = run.time() + length;
            advance(run, end, torques)?;
            Ok(observe(run.platform()))
        })?;
        Ok(PyArray1::from_vec(py, seen))
    }

    /// Moves on to a time [s] with these torques [N·m].
    #[pyo3(signature = (time, torques=None))]
    fn advance_to(&self, py: Python<'_>, time: f64, torques: Option<Vec<f64>>) -> PyResult<()> {
        self.check(&torques)?;
        self.with(py, |run| advance(run, time, torques))
    }

    /// Puts the docking aside.
    fn save(&self, py: Python<'_>) -> PyResult<SavedState> {
        let saved = self.with(py, |run| Ok((run.save(), run.time())))?;
        let (Some(saved), time) = saved else {
            return Err(refused(
                "this docking cannot be saved: coupling must be \"monolithic\", solver.accuracy left \
                 out, and no controller inside an FMU",
            ));
        };
        Ok(SavedState {
            saved: Mutex::new(saved),
            time,
        })
    }

    /// Goes back to where it was saved.
    fn restore(&self, py: Python<'_>, state: &SavedState) -> PyResult<()> {
        self.with(py, |run| {
            run.restore(
                &state
                    .saved
                    .lock()
                    .unwrap_or_else(|poison| poison.into_inner()),
            )?;
            Ok(())
        })
    }

    /// The figures so far as JSON.
    fn summary_json(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |run| Ok(serde_json::to_string(&run.summary()?)?))
    }

    /// The columns of run.csv so far.
    fn series<'py>(&self, py: Python<'py>) -> PyResult<Series<'py>> {
        let (names, columns) = self.with(py, |run| Ok(library::series(run)))?;
        Ok((names, PyArray1::from_vec(py, flat(columns))))
    }

    /// Runs to the end with the torques it has, and gives the run; this docking is used up.
    fn finish(&self, py: Python<'_>) -> PyResult<Run> {
        let run = self.lock().take().ok_or_else(|| used_up("docking"))?;
        let finished = interruptible(py, move |stop| {
            library::finish(run, &|| stop.load(Ordering::SeqCst))
        })?;
        Ok(Run::new(self.name.clone(), self.text.clone(), finished))
    }
}
