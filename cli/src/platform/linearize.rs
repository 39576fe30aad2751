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
use softdock_platform::linear::{Kept, LinearPlatform, linearize_platform};
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
States are the slow vibration modes of the platform about its equilibrium, mass-normalised, then
their rates; the modes left out give way to loads at once. Inputs: motor torques (not with locked
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
    /// Keeps the modes below this frequency [Hz]
    #[arg(long, value_name = "HZ", default_value_t = 50.0)]
    cutoff_hz: f64,
    /// Keeps this many modes instead
    #[arg(long, value_name = "N")]
    modes: Option<usize>,
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
    /// Undamped frequencies of the modes kept; negative for those that grow.
    mode_frequencies_hz: Vec<f64>,
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
    let mut eigenvalues: Vec<Eigenvalue> = modal::eigenvalues(&model.a)?
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
        mode_frequencies_hz: linear.frequencies[..model.order()].to_vec(),
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
            summary.number(&format!("mode {}", i + 1), *frequency, "Hz");
        }
        let growing = self
            .eigenvalues
            .iter()
            .filter(|e| e.re_per_s > 1e-6)
            .count();
        summary.text("eigenvalues that grow", growing.to_string(), "");
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
    arguments.output.probe("linear.json")?;
    let (platform, _) = arguments
        .place
        .equilibrium(&resolved.config, &arguments.wrench)?;
    let kept = arguments
        .modes
        .map_or(Kept::Below(arguments.cutoff_hz), Kept::Count);
    let linear = linearize_platform(&platform, arguments.motors.into(), kept)?;
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
