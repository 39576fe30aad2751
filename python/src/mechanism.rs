//! Mechanisms from text.

use crate::run::{Series, flat};
use crate::settings::source;
use crate::work::{detached, interruptible};
use numpy::PyArray1;
use pyo3::prelude::*;
use serde_json::json;
use softdock::library;
use softdock_mechanism::{Description, analysis, prescribed, simulate};
use std::sync::atomic::Ordering;

/// A mechanism.
#[pyclass(frozen, module = "softdock._softdock")]
pub struct Mechanism {
    description: Description,
}

#[pymethods]
impl Mechanism {
    #[new]
    #[pyo3(signature = (name, text, pairs))]
    fn new(
        py: Python<'_>,
        name: Option<String>,
        text: Option<String>,
        pairs: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let source = source(name.as_deref(), text.as_deref());
        let description = detached(py, || library::mechanism(source, &pairs))?;
        Ok(Self { description })
    }

    /// What it is.
    #[getter]
    fn title(&self) -> &str {
        &self.description.title
    }

    /// Names of the outputs.
    #[getter]
    fn outputs(&self) -> Vec<String> {
        let outputs = self.description.outputs.iter();
        outputs.map(|part| part.name.clone()).collect()
    }

    /// Moves it over its duration, or with `inverse` finds the forces of its motion: what came out as
    /// JSON, and the columns of mechanism.csv.
    #[pyo3(signature = (inverse=false))]
    fn simulate<'py>(&self, py: Python<'py>, inverse: bool) -> PyResult<(String, Series<'py>)> {
        let mut names = vec!["time_s".to_owned()];
        names.extend(self.outputs());
        let description = &self.description;
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
        let kept = &mut columns;
        let outcome = interruptible(py, move |stop| {
            let mut row = |time: f64, values: &[f64]| {
                let row = std::iter::once(time).chain(values.iter().copied());
                kept.iter_mut()
                    .zip(row)
                    .for_each(|(column, value)| column.push(value));
                !stop.load(Ordering::SeqCst)
            };
            Ok(match inverse {
                false => simulate::simulate(description, &mut row)?,
                true => prescribed::inverse(description, &mut row)?,
            })
        })?;
        let events: Vec<_> = outcome
            .events
            .iter()
            .map(|(time, text)| json!({ "time_s": time, "text": text }))
            .collect();
        let summary = json!({
            "title": self.description.title,
            "soundness": outcome.soundness.key(),
            "soundness_reasons": outcome.soundness.reasons().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "energy_residual_rel": outcome.energy_residual_rel,
            "joint_gap": outcome.joint_gap,
            "degrees_of_freedom": outcome.degrees_of_freedom,
            "steps": outcome.steps,
            "rejected_steps": outcome.rejected,
            "newton_iterations": outcome.iterations,
            "events": events,
        });
        let series = (names, PyArray1::from_vec(py, flat(columns)));
        Ok((summary.to_string(), series))
    }

    /// Equilibrium near the start as JSON.
    fn statics_json(&self, py: Python<'_>) -> PyResult<String> {
        let found = interruptible(py, |_| Ok(analysis::equilibrium(&self.description)?))?;
        let outputs: serde_json::Map<String, serde_json::Value> =
            (self.outputs().into_iter().zip(&found.outputs))
                .map(|(name, value)| (name, json!(value)))
                .collect();
        let value = json!({
            "outputs": outputs,
            "iterations": found.iterations,
            "residual": found.residual,
            "unstable_directions": found.unstable,
        });
        Ok(value.to_string())
    }

    /// Undamped frequencies [Hz], and real and imaginary parts of the eigenvalues [1/s].
    fn modes(&self, py: Python<'_>) -> PyResult<(Vec<f64>, Vec<f64>, Vec<f64>)> {
        let modes = interruptible(py, |_| Ok(analysis::modes(&self.description)?))?;
        let (re, im) = modes.damped.iter().map(|mu| (mu.re, mu.im)).unzip();
        Ok((modes.frequencies, re, im))
    }

    /// A, B, C, D about the equilibrium near the start, and names of states, inputs and outputs.
    #[expect(
        clippy::type_complexity,
        reason = "four matrices and three lists of names"
    )]
    fn linearize(
        &self,
        py: Python<'_>,
    ) -> PyResult<(Vec<(usize, usize, Vec<f64>)>, Vec<Vec<String>>)> {
        interruptible(py, |_| {
            let model = analysis::linear_model(&self.description)?;
            let rows = |matrix: &nalgebra::DMatrix<f64>| {
                (
                    matrix.nrows(),
                    matrix.ncols(),
                    matrix.transpose().as_slice().to_vec(),
                )
            };
            let names = [&model.states, &model.inputs, &model.outputs].map(|labels| {
                let name = |label: &multibody::linearize::Label| label.name.to_string();
                labels.iter().map(name).collect::<Vec<String>>()
            });
            let matrices = [&model.a, &model.b, &model.c, &model.d].map(rows);
            Ok((matrices.to_vec(), names.to_vec()))
        })
    }
}
