//! `softdock leg linearize`: the matrices A, B, C, D about the bowed equilibrium.

use super::equilibrium::Equilibrium;
use super::linear::{self, Signal};
use crate::failure::BadInput;
use crate::output::{self, OutputArgs};
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::Summary;
use anyhow::Result;
use clap::ValueEnum;
use leg_core::LegConfig;
use leg_core::planar::LinkDrive;
use multibody::linearize::{Coordinates, LinearModel, RESPONSE_TOLERANCE, ResponseError};
use multibody::modal::{self, DampedModes};
use multibody::model::JointId;
use serde::Serialize;
use std::process::ExitCode;

/// Choice of the states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StateChoice {
    /// Angles of links that are free, then motions that leave them alone; then the rates
    Angles,
    /// Undamped modes, slowest first, mass-normalised; then the rates
    Modal,
    /// An orthonormal basis of the motions the joints allow; then the rates
    NullSpace,
}

/// The states of a linear model.
#[derive(Debug, clap::Args)]
pub struct StateArgs {
    /// States
    #[arg(long, value_enum, default_value_t = StateChoice::Angles)]
    states: StateChoice,
    /// With modal states: keeps this many modes, the others follow the inputs at once
    #[arg(long, value_name = "N")]
    modes: Option<usize>,
    /// With modal states: makes a model for frequencies below half of this one, of the modes below
    /// it and the shapes that strong dampers need beside them [Hz]
    #[arg(long, value_name = "HZ", conflicts_with = "modes")]
    cutoff_hz: Option<f64>,
    /// Largest relative error of the response of a model with fewer states; beyond it is refused
    #[arg(long, value_name = "RELATIVE", default_value_t = RESPONSE_TOLERANCE)]
    tolerance: f64,
}

impl StateArgs {
    /// The coordinates of a leg with `order` degrees of freedom and these free angles.
    pub fn coordinates(&self, order: usize, free: Vec<JointId>) -> Coordinates {
        match self.states {
            StateChoice::NullSpace => Coordinates::NullSpace,
            StateChoice::Angles => Coordinates::Angles(free),
            StateChoice::Modal => Coordinates::Modal {
                count: order,
                static_correction: false,
            },
        }
    }

    /// The model with as many states as asked for, and how far its response is from that of all.
    pub fn reduced(&self, full: LinearModel) -> Result<(LinearModel, Option<ResponseError>)> {
        for (name, value) in [
            ("--cutoff-hz", self.cutoff_hz),
            ("--tolerance", Some(self.tolerance)),
        ] {
            if let Some(value) = value.filter(|value| value.is_nan() || *value <= 0.0) {
                let message = format!("{name} {value} is not allowed: it must be > 0");
                return Err(BadInput::new(message).into());
            }
        }
        let reduced = match (self.states, self.modes, self.cutoff_hz) {
            (StateChoice::Modal, Some(count), _) => {
                full.reduced_to(count.clamp(1, full.order()), self.tolerance)?
            }
            (StateChoice::Modal, None, Some(cutoff)) => {
                full.reduced_below(cutoff, self.tolerance)?
            }
            _ => return Ok((full, None)),
        };
        Ok((reduced.model, Some(reduced.error)))
    }
}

/// What the help says below the options.
const HELP: &str = "\
The leg is in its pre-tensioned posture; links that are not locked are free under the constant
torque that holds them. States, inputs and outputs are deviations from it:
  d/dt x = A x + B u,   y = C x + D u
With --out, linear.json and config.toml are written to the folder.";

/// Arguments of `softdock leg linearize`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Inputs: crank_torque_nm, link_torque_nm, load_x_n, load_y_n, crank_angle_rad
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "crank_torque_nm"
    )]
    inputs: Vec<String>,
    /// Outputs: q1, q3, tendon_length, xb, yb (end of the upper link), x12, y12 (middle of the
    /// leaf), each also with _dot (tendon_rate), and tendon_tension
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "q1,q3,tendon_length"
    )]
    outputs: Vec<String>,
    #[command(flatten)]
    states: StateArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Serialize)]
struct Eigenvalue {
    re_per_s: f64,
    im_per_s: f64,
}

/// What `--json` prints; `H` is what holds the leg in equilibrium.
#[derive(Debug, Serialize)]
pub struct Report<H> {
    states: Vec<Signal>,
    inputs: Vec<Signal>,
    outputs: Vec<Signal>,
    a: Vec<Vec<f64>>,
    b: Vec<Vec<f64>>,
    c: Vec<Vec<f64>>,
    d: Vec<Vec<f64>>,
    /// Of the whole leg, slowest first, of a complex pair the one above the real axis.
    eigenvalues: Vec<Eigenvalue>,
    unstable_eigenvalues: usize,
    /// Of a model with fewer states: largest relative error of its response, where it is, and the
    /// highest frequency compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_error_at_hz: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_compared_below_hz: Option<f64>,
    #[serde(flatten)]
    held: H,
}

#[derive(Debug, Serialize)]
struct Held {
    crank_torque_nm: f64,
    link_torque_nm: f64,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = Resolved::<LegConfig>::new(&arguments.settings)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    arguments.output.probe("linear.json")?;
    let rest = Equilibrium::new(&resolved.config)?;
    let report = report(arguments, &rest)?;
    report.write(&arguments.output, &resolved.print()?)?;
    Ok(ExitCode::SUCCESS)
}

fn report(arguments: &Arguments, rest: &Equilibrium) -> Result<Report<Held>> {
    let leg = rest.leg();
    let reduction = modal::reduce(&leg.model, rest.state(), &mut rest.workspace())?;
    let order = reduction.system.order();
    let crank = LinkDrive::from(leg.config.motor.mode) != LinkDrive::Prescribed;
    let links = [
        (crank, leg.joints.o),
        (!leg.config.load.lock_q3, leg.joints.c),
    ];
    let free = links.iter().filter(|(free, _)| *free);
    let free = free.map(|(_, joint)| *joint).collect();
    let coordinates = arguments.states.coordinates(order, free);
    let inputs: Vec<&str> = arguments.inputs.iter().map(String::as_str).collect();
    let outputs: Vec<&str> = arguments.outputs.iter().map(String::as_str).collect();
    let full = linear::linear_model(rest, coordinates, &inputs, &outputs)?;
    let (model, error) = arguments.states.reduced(full)?;
    let signals = [
        linear::input_signals(&inputs, &model),
        linear::output_signals(&outputs, &model),
    ];
    let held = Held {
        crank_torque_nm: rest.crank_torque,
        link_torque_nm: rest.link_torque,
    };
    Ok(Report::new(
        (&model, error),
        signals,
        &reduction.damped_modes(order)?,
        held,
    ))
}

impl<H: Serialize> Report<H> {
    /// A linear model with its distance from the full one, its inputs and outputs, and the modes of
    /// the whole leg.
    pub fn new<const N: usize>(
        (model, error): (&LinearModel, Option<ResponseError>),
        [inputs, outputs]: [Vec<Signal>; 2],
        all: &DampedModes<N>,
        held: H,
    ) -> Self {
        let eigenvalues = all.modes.iter().map(|mode| Eigenvalue {
            re_per_s: mode.eigenvalue.re,
            im_per_s: mode.eigenvalue.im,
        });
        Self {
            states: linear::state_signals(model),
            inputs,
            outputs,
            a: linear::rows(&model.a),
            b: linear::rows(&model.b),
            c: linear::rows(&model.c),
            d: linear::rows(&model.d),
            eigenvalues: eigenvalues.collect(),
            unstable_eigenvalues: all.unstable,
            response_error: error.map(|error| error.relative),
            response_error_at_hz: error.map(|error| error.at_hz),
            response_compared_below_hz: error.map(|error| error.below_hz),
            held,
        }
    }

    /// Writes linear.json and the settings, and prints the matrices or a summary.
    pub fn write(&self, output: &OutputArgs, settings: &str) -> Result<()> {
        if let Some(out) = &output.out {
            output::write_json(&out.join("linear.json"), self)?;
            output::write_atomic(&out.join("config.toml"), settings.as_bytes())?;
        }
        if output.json {
            output::say_json(self)?;
        } else {
            output::tell(&self.summary().to_string())?;
        }
        Ok(())
    }

    fn summary(&self) -> Summary {
        let mut summary = Summary::new(format!("Leg linearised: {} states", self.states.len()));
        let list = self.inputs.iter().map(|signal| ("input", signal));
        for (kind, signal) in list.chain(self.outputs.iter().map(|signal| ("output", signal))) {
            let value = signal.value.unwrap_or(0.0);
            summary.number(&format!("{kind} {}", signal.name), value, signal.unit);
        }
        for (i, value) in self.eigenvalues.iter().take(5).enumerate() {
            let text = format!("{:.4e} {:+.4e}i", value.re_per_s, value.im_per_s);
            summary.text(&format!("eigenvalue {}", i + 1), text, "1/s");
        }
        summary.text(
            "unstable eigenvalues",
            self.unstable_eigenvalues.to_string(),
            "",
        );
        if let (Some(error), Some(at), Some(below)) = (
            self.response_error,
            self.response_error_at_hz,
            self.response_compared_below_hz,
        ) {
            let text = format!("{error:.2e} at {at:.4} Hz, compared up to {below:.4} Hz");
            summary.text("response error", text, "");
        }
        summary.note("--json prints the matrices, --out DIR writes linear.json");
        summary
    }
}
