//! `softdock platform linearize`: the matrices A, B, C, D of the whole platform.

use super::start::{PlaceArgs, WrenchArgs};
use crate::failure::BadInput;
use crate::output::{self, OutputArgs};
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::Summary;
use anyhow::Result;
use clap::ValueEnum;
use leg_core::planar::LinkDrive;
use multibody::math;
use multibody::modal;
use nalgebra::DMatrix;
use serde::Serialize;
use softdock_platform::PlatformConfig;
use softdock_platform::linear::{Kept, LinearPlatform, RESPONSE_TOLERANCE, linearize_platform};
use std::process::ExitCode;

/// What the motors do while the platform vibrates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Motors {
    /// They turn freely under the torques that hold the equilibrium; the torques are inputs
    Free,
    /// They stay where they are
    Locked,
    /// PD controllers hold them, motor.hold_*; torques on top are inputs
    Held,
}

impl From<Motors> for LinkDrive {
    fn from(motors: Motors) -> Self {
        match motors {
            Motors::Free => Self::Free,
            Motors::Locked => Self::Prescribed,
            Motors::Held => Self::Held,
        }
    }
}

/// What the help says below the options.
const HELP: &str = "\
States are the slow vibration modes of the platform about its equilibrium, mass-normalised, and the
shapes that strong dampers need beside them, then the rates of all. The response of this model is
compared with that of the whole platform at frequencies up to half the cutoff, every output to every
input; the largest relative error is printed, and a model beyond --tolerance is refused. With
--modes there are no shapes, the modes left out give way to loads at once, and half the frequency of
the first of them is compared up to. Inputs: motor torques (not with locked
motors), then force and moment on the end effector's centre, world axes. Outputs: position and
rotation of the end effector, then velocity and spin. All are deviations from the equilibrium:
  d/dt x = A x + B u,   y = C x + D u
With --out, linear.json and config.toml are written to the folder.";

/// Arguments of `softdock platform linearize`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// What the motors do
    #[arg(long, value_enum, default_value_t = Motors::Free)]
    motors: Motors,
    /// Makes a model for frequencies below half of this one, of the modes below it [Hz]
    #[arg(long, value_name = "HZ", default_value_t = 50.0)]
    cutoff_hz: f64,
    /// Keeps this many modes instead
    #[arg(long, value_name = "N")]
    modes: Option<usize>,
    /// Largest relative error of the response against the whole platform
    #[arg(long, value_name = "RELATIVE", default_value_t = RESPONSE_TOLERANCE)]
    tolerance: f64,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    wrench: WrenchArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Serialize)]
struct Named {
    name: String,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Eigenvalue {
    re_per_s: f64,
    im_per_s: f64,
    frequency_hz: f64,
    damping_ratio: f64,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    states: Vec<Named>,
    inputs: Vec<Named>,
    outputs: Vec<Named>,
    a: Vec<Vec<f64>>,
    b: Vec<Vec<f64>>,
    c: Vec<Vec<f64>>,
    d: Vec<Vec<f64>>,
    /// Of A, slowest first, of a complex pair the one above the real axis.
    eigenvalues: Vec<Eigenvalue>,
    degrees_of_freedom: usize,
    /// Eigenvalues that grow, rounding aside.
    growing_eigenvalues: usize,
    /// Undamped frequencies of the modes and shapes kept; zero for neutral ones, negative for those
    /// that grow.
    mode_frequencies_hz: Vec<f64>,
    /// Largest relative error of the response against the whole platform.
    response_error: f64,
    /// Where it is.
    response_error_at_hz: f64,
    /// Highest frequency compared.
    response_compared_below_hz: f64,
    /// Torques that hold the equilibrium.
    holding_torque_nm: Vec<f64>,
}

/// A matrix as a list of rows.
pub fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let row = |i: usize| matrix.row(i).iter().copied().collect();
    (0..matrix.nrows()).map(row).collect()
}

fn report(linear: &LinearPlatform, holding: Vec<f64>) -> Result<Report> {
    let model = &linear.model;
    let named = |labels: &[multibody::linearize::Label], values: Option<&[f64]>| {
        let named = labels.iter().enumerate().map(|(i, label)| Named {
            name: label.name.clone(),
            unit: label.unit,
            value: values.and_then(|values| values.get(i).copied()),
        });
        named.collect::<Vec<_>>()
    };
    let all = modal::eigenvalues(&model.a)?;
    let (growing_eigenvalues, _) = modal::growing(&all, 0.0);
    let mut eigenvalues: Vec<Eigenvalue> = all
        .iter()
        .filter(|value| value.im >= 0.0)
        .map(|value| Eigenvalue {
            re_per_s: value.re,
            im_per_s: value.im,
            frequency_hz: value.im / core::f64::consts::TAU,
            damping_ratio: if math::modulus(*value) > 0.0 {
                -value.re / math::modulus(*value)
            } else {
                0.0
            },
        })
        .collect();
    let size = |e: &Eigenvalue| math::hypot(e.re_per_s, e.im_per_s);
    eigenvalues.sort_by(|a, b| size(a).total_cmp(&size(b)));
    Ok(Report {
        states: named(&model.states, None),
        inputs: named(&model.inputs, Some(&model.input_values)),
        outputs: named(&model.outputs, Some(&model.output_values)),
        a: rows(&model.a),
        b: rows(&model.b),
        c: rows(&model.c),
        d: rows(&model.d),
        eigenvalues,
        degrees_of_freedom: linear.frequencies.len(),
        growing_eigenvalues,
        mode_frequencies_hz: linear.kept_frequencies(),
        response_error: linear.error.relative,
        response_error_at_hz: linear.error.at_hz,
        response_compared_below_hz: linear.error.below_hz,
        holding_torque_nm: holding,
    })
}

impl Report {
    fn summary(&self) -> Summary {
        let mut summary = Summary::new(format!(
            "Platform linearised: {} states of {}",
            self.states.len(),
            2 * self.degrees_of_freedom
        ));
        for (i, frequency) in self.mode_frequencies_hz.iter().take(18).enumerate() {
            let name = format!("mode {}", i + 1);
            if *frequency == 0.0 {
                summary.text(&name, "0 Hz, neutral", "");
            } else {
                summary.number(&name, *frequency, "Hz");
            }
        }
        let growing = self.growing_eigenvalues;
        summary.text("eigenvalues that grow", growing.to_string(), "");
        summary.text(
            "response error",
            format!(
                "{:.2e} at {:.4} Hz, compared up to {:.4} Hz",
                self.response_error, self.response_error_at_hz, self.response_compared_below_hz
            ),
            "",
        );
        summary.note("--json prints the matrices, --out DIR writes linear.json");
        summary
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = Resolved::<PlatformConfig>::new(&arguments.settings)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.cutoff_hz.is_nan() || arguments.cutoff_hz <= 0.0 {
        let value = arguments.cutoff_hz;
        let message = format!("--cutoff-hz {value} is not allowed: it must be > 0");
        return Err(BadInput::new(message).into());
    }
    if arguments.tolerance.is_nan() || arguments.tolerance <= 0.0 {
        let value = arguments.tolerance;
        let message = format!("--tolerance {value} is not allowed: it must be > 0");
        return Err(BadInput::new(message).into());
    }
    arguments.output.probe("linear.json")?;
    let (platform, _) = arguments
        .place
        .equilibrium(&resolved.config, &arguments.wrench)?;
    let kept = arguments
        .modes
        .map_or(Kept::Below(arguments.cutoff_hz), Kept::Count);
    let drive = arguments.motors.into();
    let linear = linearize_platform(&platform, drive, kept, arguments.tolerance)?;
    let report = report(&linear, platform.holding_torques())?;
    if let Some(out) = &arguments.output.out {
        output::write_json(&out.join("linear.json"), &report)?;
        output::write_atomic(&out.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        output::say(&report.summary().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
