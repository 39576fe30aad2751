//! `softdock leg spatial linearize`: the matrices A, B, C, D about the bowed equilibrium.

use super::config::SpatialSettings;
use super::equilibrium::{Equilibrium, Held};
use crate::failure::BadInput;
use crate::leg::linear::{input_on, place, signals, unknown};
use crate::leg::linearize::{Report, StateArgs};
use crate::output::{self, OutputArgs};
use crate::settings::{Resolved, SettingsArgs};
use anyhow::Result;
use leg_core::SpatialLeg;
use leg_core::planar::LinkDrive;
use leg_core::spatial::SpatialChannel;
use multibody::linearize::{self as kernel, Output, Request};
use multibody::modal;
use multibody::model::InputId;
use std::process::ExitCode;

/// Inputs with their units.
const INPUTS: [(&str, &str); 5] = [
    ("crank_torque_nm", "N·m"),
    ("crank_angle_rad", "rad"),
    ("force_x_n", "N"),
    ("force_y_n", "N"),
    ("force_z_n", "N"),
];

/// Outputs with their units: crank, tendon, tip B, force of the leg on what holds the tip, the
/// leaf's middle.
const OUTPUTS: [(&str, &str); 20] = [
    ("q1", "rad"),
    ("q1_dot", "rad/s"),
    ("tendon_length", "m"),
    ("tendon_rate", "m/s"),
    ("tendon_tension", "N"),
    ("xb", "m"),
    ("yb", "m"),
    ("zb", "m"),
    ("xb_dot", "m/s"),
    ("yb_dot", "m/s"),
    ("zb_dot", "m/s"),
    ("fx", "N"),
    ("fy", "N"),
    ("fz", "N"),
    ("x12", "m"),
    ("y12", "m"),
    ("z12", "m"),
    ("x12_dot", "m/s"),
    ("y12_dot", "m/s"),
    ("z12_dot", "m/s"),
];

/// What the help says below the options.
const HELP: &str = "\
The leg is in its pre-tensioned posture. A crank that is not locked is free under the constant
torque that holds it there; a tip that is not held (tip.mode) under the constant force. States,
inputs and outputs are deviations from it:
  d/dt x = A x + B u,   y = C x + D u
With --out, linear.json and config.toml are written to the folder.";

/// Arguments of `softdock leg spatial linearize`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Inputs: crank_torque_nm, crank_angle_rad, force_x_n, force_y_n, force_z_n (on a tip that is
    /// not held)
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "crank_torque_nm"
    )]
    inputs: Vec<String>,
    /// Outputs: q1, tendon_length, xb, yb, zb (tip), x12, y12, z12 (middle of the leaf), each also
    /// with _dot (tendon_rate), tendon_tension, and fx, fy, fz (force of the leg on what holds its
    /// tip)
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "q1,tendon_length"
    )]
    outputs: Vec<String>,
    #[command(flatten)]
    states: StateArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = Resolved::<SpatialSettings>::new(&arguments.settings)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    arguments.output.probe("linear.json")?;
    let rest = Equilibrium::new(&resolved.config)?;
    report(arguments, &rest)?.write(&arguments.output, &resolved.print()?)?;
    Ok(ExitCode::SUCCESS)
}

fn report(arguments: &Arguments, rest: &Equilibrium) -> Result<Report<Held>> {
    let leg = rest.leg();
    let inputs: Vec<&str> = arguments.inputs.iter().map(String::as_str).collect();
    let outputs: Vec<&str> = arguments.outputs.iter().map(String::as_str).collect();
    let reduction = modal::reduce(&leg.model, rest.state(), &mut rest.workspace())?;
    let order = reduction.system.order();
    let crank = LinkDrive::from(leg.config.motor.mode) != LinkDrive::Prescribed;
    let free = crank.then_some(leg.motor_joint).into_iter().collect();
    let request = Request {
        coordinates: arguments.states.coordinates(order, free),
        inputs: inputs
            .iter()
            .map(|name| input(leg, name))
            .collect::<Result<_, _>>()?,
        outputs: outputs
            .iter()
            .map(|name| observe(leg, name))
            .collect::<Result<_, _>>()?,
    };
    let mut workspace = rest.workspace();
    let full = kernel::linearize(&leg.model, rest.state(), &mut workspace, &request)?;
    let (model, error) = arguments.states.reduced(full)?;
    let named = [
        signals(&inputs, &model.input_values, &INPUTS),
        signals(&outputs, &model.output_values, &OUTPUTS),
    ];
    Ok(Report::new(
        (&model, error),
        named,
        &reduction.damped_modes(order)?,
        rest.held,
    ))
}

/// The kernel's input of a name.
fn input(leg: &SpatialLeg, name: &str) -> Result<InputId, BadInput> {
    let force = SpatialChannel::TipForce as usize;
    let channel = match name {
        "crank_torque_nm" => SpatialChannel::CrankTorque as usize,
        "crank_angle_rad" => SpatialChannel::CrankAngle as usize,
        "force_x_n" => force,
        "force_y_n" => force + 1,
        "force_z_n" => force + 2,
        _ => {
            return Err(unknown(
                "input",
                name,
                INPUTS.iter().map(|(known, _)| *known),
            ));
        }
    };
    if channel >= force && leg.tip_driver.is_some() {
        let message = format!("the input `{name}` acts on nothing: it needs --set tip.mode=loaded");
        return Err(BadInput::new(message));
    }
    input_on(leg.model.forces(), channel, name)
}

/// The kernel's output of a name.
fn observe(leg: &SpatialLeg, name: &str) -> Result<Output<3>, BadInput> {
    if !OUTPUTS.iter().any(|(known, _)| *known == name) {
        let known = OUTPUTS.iter().map(|(known, _)| *known);
        return Err(unknown("output", name, known));
    }
    let needs = |what: &str| BadInput::new(format!("the output `{name}` needs {what}"));
    let tendon = || leg.tendon.ok_or_else(|| needs("a tendon"));
    let axis = |letter: Option<char>| match letter {
        Some('x') => 0,
        Some('y') => 1,
        _ => 2,
    };
    let (moving, component) = (name.ends_with("_dot"), axis(name.chars().next()));
    Ok(match name {
        "q1" => Output::Angle(leg.motor_joint),
        "q1_dot" => Output::AngleRate(leg.motor_joint),
        "tendon_length" => Output::LineLength(tendon()?),
        "tendon_rate" => Output::LineRate(tendon()?),
        "tendon_tension" => Output::LineTension(tendon()?),
        // The multiplier of a driver is the force that it feels.
        "fx" | "fy" | "fz" => Output::Multiplier {
            joint: leg.tip_driver.ok_or_else(|| needs("a tip that is held"))?,
            row: axis(name.chars().nth(1)),
        },
        "xb" | "yb" | "zb" | "xb_dot" | "yb_dot" | "zb_dot" => place(leg.node_b, component, moving),
        _ => {
            let elements = leg.config.solver.elements;
            if elements % 2 == 1 {
                return Err(needs("an even number of elements"));
            }
            place(
                leg.model.beam_node(leg.leaf, elements / 2),
                component,
                moving,
            )
        }
    })
}
