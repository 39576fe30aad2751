//! The packaged models, stepped in this process: what their FMUs do, without the archive.

use crate::error::{ComputationError, refused};
use crate::work::detached;
use numpy::PyArray1;
use pyo3::prelude::*;
use softdock::library;
use softdock_fmi::Refusal;
use softdock_fmi::lifecycle::State;
use softdock_fmi::slave::Slave;
use softdock_fmu::ModelKind;
use softdock_xml::{ScalarVariable, VariableType};
use std::path::Path;
use std::sync::Mutex;

/// A variable: name, reference, causality, type, unit, description.
type Variable = (String, u32, String, String, String, String);

/// A packaged model under way.
#[pyclass(frozen, module = "softdock._softdock")]
pub struct Model {
    slave: Mutex<Box<dyn Slave>>,
}

fn failed(refusal: Refusal) -> PyErr {
    ComputationError::new_err(refusal.to_string())
}

/// Why a parameter or input was refused: the input's fault.
fn wrong(refusal: Refusal) -> PyErr {
    refused(refusal.to_string())
}

fn kind(name: &str) -> PyResult<ModelKind> {
    ModelKind::from_name(name).ok_or_else(|| {
        let names = ModelKind::ALL.map(ModelKind::name).join(", ");
        refused(format!("there is no model {name} (there are {names})"))
    })
}

fn unit(variable: &ScalarVariable) -> String {
    match &variable.variable_type {
        VariableType::Real(real) => real.attributes.unit.clone().unwrap_or_default(),
        _ => String::new(),
    }
}

/// Names of the packaged models.
#[pyfunction]
pub fn models() -> Vec<String> {
    ModelKind::ALL
        .iter()
        .map(|kind| kind.name().to_owned())
        .collect()
}

/// Writes a model as an FMU into a folder; gives the file.
#[pyfunction]
pub fn export_fmu(py: Python<'_>, model: String, folder: String, fmi: u32) -> PyResult<String> {
    let file = detached(py, || library::export_fmu(&model, fmi, Path::new(&folder)))?;
    Ok(file.to_string_lossy().into_owned())
}

impl Model {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn Slave) -> Result<T, Refusal> + Send,
    ) -> Result<T, Refusal> {
        let work = || {
            let mut slave = self
                .slave
                .lock()
                .unwrap_or_else(|poison| poison.into_inner());
            work(slave.as_mut())
        };
        py.detach(work)
    }
}

#[pymethods]
impl Model {
    /// A model at its start: parameters (and start values of inputs) by reference, for each type.
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        reals: (Vec<u32>, Vec<f64>),
        integers: (Vec<u32>, Vec<i32>),
        booleans: (Vec<u32>, Vec<i32>),
        tolerance: Option<f64>,
    ) -> PyResult<Self> {
        let mut slave = kind(name)?.packaged().create();
        slave.set_experiment(0.0, None, tolerance);
        let state = State::Instantiated;
        slave.set_reals(state, &reals.0, &reals.1).map_err(wrong)?;
        slave
            .set_integers(state, &integers.0, &integers.1)
            .map_err(wrong)?;
        slave
            .set_booleans(state, &booleans.0, &booleans.1)
            .map_err(wrong)?;
        let out = Self {
            slave: Mutex::new(slave),
        };
        out.with(py, |slave| slave.start()).map_err(wrong)?;
        Ok(out)
    }

    /// The variables of a model.
    #[staticmethod]
    fn variables(name: &str) -> PyResult<Vec<Variable>> {
        let description = kind(name)?.packaged().description();
        let description =
            description.map_err(|error| ComputationError::new_err(error.to_string()))?;
        let entry = |variable: &ScalarVariable| {
            (
                variable.name.clone(),
                variable.value_reference,
                variable.causality.to_string(),
                variable.variable_type.base_name().to_owned(),
                unit(variable),
                variable.description.clone().unwrap_or_default(),
            )
        };
        Ok(description.model_variables.iter().map(entry).collect())
    }

    /// Time reached [s].
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |slave| Ok(slave.time())).map_err(failed)
    }

    /// Sets reals.
    fn set(&self, py: Python<'_>, references: Vec<u32>, values: Vec<f64>) -> PyResult<()> {
        if references.len() != values.len() {
            return Err(refused(format!(
                "{} values are given for {} variables",
                values.len(),
                references.len()
            )));
        }
        self.with(py, |slave| {
            slave.set_reals(State::StepComplete, &references, &values)
        })
        .map_err(wrong)
    }

    /// Reads reals.
    fn get<'py>(
        &self,
        py: Python<'py>,
        references: Vec<u32>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = self
            .with(py, |slave| {
                let mut out = vec![0.0; references.len()];
                slave.get_reals(&references, &mut out).map(|()| out)
            })
            .map_err(failed)?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Moves on by `length` [s].
    fn step(&self, py: Python<'_>, length: f64) -> PyResult<()> {
        self.with(py, |slave| {
            let time = slave.time();
            slave.step(time, length, false).map(drop)
        })
        .map_err(failed)
    }

    /// Derivatives of unknowns along a direction of knowns, over the last step.
    fn directional_derivative<'py>(
        &self,
        py: Python<'py>,
        unknowns: Vec<u32>,
        knowns: Vec<u32>,
        seed: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = self
            .with(py, |slave| {
                let mut out = vec![0.0; unknowns.len()];
                slave
                    .directional_derivatives(&unknowns, &knowns, &seed, &mut out)
                    .map(|()| out)
            })
            .map_err(failed)?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Saves the state; gives its handle.
    fn save(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |slave| slave.save(None, State::StepComplete))
            .map_err(failed)
    }

    /// Goes back to a saved state.
    fn restore(&self, py: Python<'_>, handle: usize) -> PyResult<()> {
        self.with(py, |slave| slave.restore(handle).map(drop))
            .map_err(failed)
    }

    /// Forgets a saved state.
    fn free(&self, py: Python<'_>, handle: usize) -> PyResult<()> {
        self.with(py, |slave| slave.free(handle)).map_err(failed)
    }

    /// A saved state as bytes.
    fn serialize(&self, py: Python<'_>, handle: usize) -> PyResult<Vec<u8>> {
        self.with(py, |slave| slave.serialize(handle))
            .map_err(failed)
    }

    /// Bytes as a saved state; gives its handle.
    fn deserialize(&self, py: Python<'_>, bytes: Vec<u8>) -> PyResult<usize> {
        self.with(py, |slave| slave.deserialize(&bytes))
            .map_err(failed)
    }
}
