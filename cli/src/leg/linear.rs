//! Inputs and outputs of the linearised leg by name.

use super::BadInput;
use super::equilibrium::Equilibrium;
use anyhow::Result;
use leg_core::PlanarLeg;
use leg_core::planar::Channel;
use multibody::linearize::{self, Coordinates, LinearModel, Output, Request};
use multibody::model::{Force, InputId, NodeId};
use nalgebra::{DMatrix, SVector};
use serde::Serialize;

/// Names of inputs with their units.
pub const INPUTS: [(&str, &str, Channel); 5] = [
    ("crank_torque_nm", "N·m", Channel::CrankTorque),
    ("link_torque_nm", "N·m", Channel::LinkTorque),
    ("load_x_n", "N", Channel::LoadX),
    ("load_y_n", "N", Channel::LoadY),
    ("crank_angle_rad", "rad", Channel::CrankAngle),
];

/// Names of outputs with their units: angles, tendon, the upper link's end B, the leaf's middle.
pub const OUTPUTS: [(&str, &str); 15] = [
    ("q1", "rad"),
    ("q3", "rad"),
    ("q1_dot", "rad/s"),
    ("q3_dot", "rad/s"),
    ("tendon_length", "m"),
    ("tendon_rate", "m/s"),
    ("tendon_tension", "N"),
    ("xb", "m"),
    ("yb", "m"),
    ("xb_dot", "m/s"),
    ("yb_dot", "m/s"),
    ("x12", "m"),
    ("y12", "m"),
    ("x12_dot", "m/s"),
    ("y12_dot", "m/s"),
];

/// A name, its unit and, for inputs and outputs, its value at the equilibrium.
#[derive(Debug, Clone, Serialize)]
pub struct Signal {
    /// Name.
    pub name: String,
    /// Unit.
    pub unit: &'static str,
    /// Value at the equilibrium.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

/// A complaint about a name that is not one of `known`.
pub fn unknown(kind: &str, name: &str, known: impl Iterator<Item = &'static str>) -> BadInput {
    let known: Vec<&str> = known.collect();
    BadInput::new(format!(
        "unknown {kind} `{name}`; there are {}",
        known.join(", ")
    ))
}

/// The kernel's input on a channel, called `name`, if a force follows it.
pub fn input_on<const D: usize>(
    forces: &[Force<D>],
    channel: usize,
    name: &str,
) -> Result<InputId, BadInput> {
    let of = |ids: &[Option<InputId>]| {
        let mut ids = ids.iter().flatten().copied();
        ids.find(|id| id.index() == channel)
    };
    let used = |force: &Force<D>| match force {
        Force::Motor { law, .. } => of(&[law.torque, law.hold.map(|hold| hold.target)]),
        Force::Wrench { force, .. } => of(force),
        _ => None,
    };
    forces.iter().find_map(used).ok_or_else(|| {
        BadInput::new(format!(
            "the input `{name}` acts on nothing: it needs --set motor.mode=hold and --set \
             motor.hold_damping_nm_s_per_rad=0"
        ))
    })
}

/// The kernel's input of a name.
fn input(leg: &PlanarLeg, name: &str) -> Result<InputId, BadInput> {
    let (_, _, channel) = INPUTS
        .iter()
        .find(|(known, ..)| *known == name)
        .ok_or_else(|| unknown("input", name, INPUTS.iter().map(|(known, ..)| *known)))?;
    input_on(leg.model.forces(), *channel as usize, name)
}

/// Position or velocity of a node along one axis.
pub fn place<const D: usize>(node: NodeId, component: usize, moving: bool) -> Output<D> {
    let point = SVector::zeros();
    if moving {
        Output::Velocity {
            node,
            point,
            component,
        }
    } else {
        Output::Position {
            node,
            point,
            component,
        }
    }
}

/// The kernel's output of a name.
fn output(leg: &PlanarLeg, name: &str) -> Result<Output<2>, BadInput> {
    if !OUTPUTS.iter().any(|(known, _)| *known == name) {
        return Err(unknown(
            "output",
            name,
            OUTPUTS.iter().map(|(known, _)| *known),
        ));
    }
    let tendon = || {
        let message = format!("the output `{name}` needs a tendon");
        leg.tendon.ok_or_else(|| BadInput::new(message))
    };
    let middle = || {
        let elements = leg.config.solver.elements;
        if elements % 2 == 1 {
            let message = format!("the output `{name}` needs an even number of elements");
            return Err(BadInput::new(message));
        }
        Ok(leg.model.beam_node(leg.leaf, elements / 2))
    };
    let moving = name.ends_with("_dot");
    let component = usize::from(name.starts_with('y'));
    Ok(match name {
        "q1" => Output::Angle(leg.joints.o),
        "q3" => Output::Angle(leg.joints.c),
        "q1_dot" => Output::AngleRate(leg.joints.o),
        "q3_dot" => Output::AngleRate(leg.joints.c),
        "tendon_length" => Output::LineLength(tendon()?),
        "tendon_rate" => Output::LineRate(tendon()?),
        "tendon_tension" => Output::LineTension(tendon()?),
        "xb" | "yb" | "xb_dot" | "yb_dot" => place(leg.node_b, component, moving),
        _ => place(middle()?, component, moving),
    })
}

/// Linearises the leg about its equilibrium.
pub fn linear_model(
    rest: &Equilibrium,
    coordinates: Coordinates,
    inputs: &[&str],
    outputs: &[&str],
) -> Result<LinearModel> {
    let leg = rest.leg();
    let request = Request {
        coordinates,
        inputs: inputs
            .iter()
            .map(|name| input(leg, name))
            .collect::<Result<_, _>>()?,
        outputs: outputs
            .iter()
            .map(|name| output(leg, name))
            .collect::<Result<_, _>>()?,
    };
    Ok(linearize::linearize(
        &leg.model,
        rest.state(),
        &mut rest.workspace(),
        &request,
    )?)
}

/// The inputs of a linear model, with their values.
pub fn input_signals(names: &[&str], model: &LinearModel) -> Vec<Signal> {
    let units: Vec<_> = INPUTS
        .iter()
        .map(|(name, unit, _)| (*name, *unit))
        .collect();
    signals(names, &model.input_values, &units)
}

/// The outputs of a linear model, with their values.
pub fn output_signals(names: &[&str], model: &LinearModel) -> Vec<Signal> {
    signals(names, &model.output_values, &OUTPUTS)
}

/// Names with their values, and the units that `known` gives them.
pub fn signals(
    names: &[&str],
    values: &[f64],
    known: &[(&'static str, &'static str)],
) -> Vec<Signal> {
    let unit = |name: &str| {
        known
            .iter()
            .find(|(n, _)| *n == name)
            .map_or("", |(_, u)| u)
    };
    let pairs = names.iter().zip(values);
    pairs
        .map(|(name, value)| signal(name, unit(name), Some(*value)))
        .collect()
}

/// The states of a linear model.
pub fn state_signals(model: &LinearModel) -> Vec<Signal> {
    model
        .states
        .iter()
        .map(|label| signal(&label.name, label.unit, None))
        .collect()
}

fn signal(name: &str, unit: &'static str, value: Option<f64>) -> Signal {
    Signal {
        name: name.to_owned(),
        unit,
        value,
    }
}

/// A matrix as a list of rows.
pub fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix
        .row_iter()
        .map(|row| row.iter().copied().collect())
        .collect()
}
