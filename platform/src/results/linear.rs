//! A linear model of the platform.

use crate::error::Result;
use crate::linear_model::LinearPlatform;
use multibody::linearize::Label;
use multibody::{math, modal};
use nalgebra::DMatrix;
use serde::Serialize;
use softdock_figures::{Views, figures};
use softdock_report::Figure as Shown;

/// A state, an input or an output.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Its value at the equilibrium, in that unit; states have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

impl Signal {
    /// Signals of a linear model, with their values if they have some.
    pub fn all(labels: &[Label], values: Option<&[f64]>) -> Vec<Self> {
        let signal = |(i, label): (usize, &Label)| Self {
            name: label.name.clone(),
            unit: label.unit,
            value: values.and_then(|values| values.get(i).copied()),
        };
        labels.iter().enumerate().map(signal).collect()
    }
}

/// An eigenvalue of a linear model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Eigenvalue {
    /// Real part [1/s].
    pub re_per_s: f64,
    /// Imaginary part [1/s].
    pub im_per_s: f64,
    /// Frequency of the oscillation [Hz].
    pub frequency_hz: f64,
    /// Damping ratio [-].
    pub damping_ratio: f64,
}

/// A matrix as a list of rows.
pub fn matrix_rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let row = |i: usize| matrix.row(i).iter().copied().collect();
    (0..matrix.nrows()).map(row).collect()
}

figures! {
    /// The matrices A, B, C, D of the platform about an equilibrium.
    pub struct LinearResult;
    states: Vec<Signal> as "The states.";
    inputs: Vec<Signal> as "The inputs.";
    outputs: Vec<Signal> as "The outputs.";
    a: Vec<Vec<f64>> as "d/dt x = A x + B u.";
    b: Vec<Vec<f64>> as "d/dt x = A x + B u.";
    c: Vec<Vec<f64>> as "y = C x + D u.";
    d: Vec<Vec<f64>> as "y = C x + D u.";
    eigenvalues: Vec<Eigenvalue>
        as "Of A, slowest first, of a complex pair the one above the real axis.";
    degrees_of_freedom: usize as "Degrees of freedom of the whole platform.";
    growing_eigenvalues: usize = "-", "eigenvalues that grow", "Eigenvalues that grow, rounding aside";
    mode_frequencies_hz: Vec<f64> as "Undamped frequencies of the modes and shapes kept [Hz]; zero \
        for neutral ones, negative for those that grow.";
    response_error: f64 = "-", "response error",
        "Largest relative error of the response against the whole platform", exponent(2);
    response_error_at_hz: f64 = "Hz", "  it is at", "Where the response is most wrong", decimals(4);
    response_compared_below_hz: f64 = "Hz", "  compared up to", "Highest frequency compared",
        decimals(4);
    holding_torque_nm: Vec<f64> as "Torques that hold the equilibrium [N·m].";
}

/// Most modes that a terminal shows.
const MOST_MODES: usize = 18;

impl LinearResult {
    /// Of a linear model and the torques that hold its equilibrium [N·m].
    pub fn new(linear: &LinearPlatform, holding_torque_nm: Vec<f64>) -> Result<Self> {
        let model = &linear.model;
        let all = modal::eigenvalues(&model.a)?;
        let (growing_eigenvalues, _) = modal::growing(&all, 0.0);
        let above = all.iter().filter(|value| value.im >= 0.0);
        let mut eigenvalues: Vec<Eigenvalue> = above
            .map(|value| {
                let size = math::modulus(*value);
                Eigenvalue {
                    re_per_s: value.re,
                    im_per_s: value.im,
                    frequency_hz: value.im / core::f64::consts::TAU,
                    damping_ratio: if size > 0.0 { -value.re / size } else { 0.0 },
                }
            })
            .collect();
        let size = |e: &Eigenvalue| math::hypot(e.re_per_s, e.im_per_s);
        eigenvalues.sort_by(|a, b| size(a).total_cmp(&size(b)));
        Ok(Self {
            states: Signal::all(&model.states, None),
            inputs: Signal::all(&model.inputs, Some(&model.input_values)),
            outputs: Signal::all(&model.outputs, Some(&model.output_values)),
            a: matrix_rows(&model.a),
            b: matrix_rows(&model.b),
            c: matrix_rows(&model.c),
            d: matrix_rows(&model.d),
            eigenvalues,
            degrees_of_freedom: linear.frequencies.len(),
            growing_eigenvalues,
            mode_frequencies_hz: linear.kept_frequencies(),
            response_error: linear.error.relative,
            response_error_at_hz: linear.error.at_hz,
            response_compared_below_hz: linear.error.below_hz,
            holding_torque_nm,
        })
    }
}

impl Views for LinearResult {
    const FILE: &'static str = "linear.json";

    fn title(&self) -> String {
        let (kept, all) = (self.states.len(), 2 * self.degrees_of_freedom);
        format!("Platform linearised: {kept} states of {all}")
    }

    fn rows(&self) -> Vec<Shown> {
        let modes = self.mode_frequencies_hz.iter().take(MOST_MODES);
        let modes = modes.enumerate().map(|(i, &frequency)| {
            let name = format!("mode {}", i + 1);
            if frequency == 0.0 {
                Shown::text(&name, "0 Hz, neutral", "")
            } else {
                Shown::number(&name, frequency, 6, "Hz")
            }
        });
        modes
            .chain(softdock_figures::Figures::lines(self))
            .collect()
    }

    fn notes(&self) -> Vec<String> {
        vec!["--json prints the matrices, --out DIR writes linear.json".to_owned()]
    }
}
