//! Outputs of a linearised model and their gradients at rest.

use crate::assembly::LineKinematics;
use crate::assembly::hinge::Hinge;
use crate::error::{Error, Result};
use crate::group::Group;
use crate::model::{ConstraintRow, Force, ForceId, JointId, Model, NodeId};
use crate::state::State;
use nalgebra::{DVector, SVector};

/// A quantity to observe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Output<const D: usize> {
    /// Angle of a revolute or cylindrical joint [rad].
    Angle(JointId),
    /// Its rate [rad/s].
    AngleRate(JointId),
    /// World coordinate of a point fixed to a node [m].
    Position {
        /// The node.
        node: NodeId,
        /// The point in the node's frame [m].
        point: SVector<f64, D>,
        /// World axis, from 0.
        component: usize,
    },
    /// Its rate [m/s].
    Velocity {
        /// The node.
        node: NodeId,
        /// The point in the node's frame [m].
        point: SVector<f64, D>,
        /// World axis, from 0.
        component: usize,
    },
    /// Length of a line force [m].
    LineLength(ForceId),
    /// Its rate [m/s].
    LineRate(ForceId),
    /// Tension of a line force [N].
    LineTension(ForceId),
    /// Multiplier of a joint's constraint row [N or N·m].
    Multiplier {
        /// The joint.
        joint: JointId,
        /// Row of the joint, from 0.
        row: usize,
    },
}

/// Name and unit of a state, input or output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Name.
    pub name: String,
    /// SI unit.
    pub unit: &'static str,
}

impl Label {
    /// Label of the time derivative of a coordinate.
    pub(super) fn rate(&self) -> Self {
        Self {
            name: format!("rate of {}", self.name),
            unit: match self.unit {
                "rad" => "rad/s",
                "m" => "m/s",
                "m·√kg" => "m·√kg/s",
                _ => "1/s",
            },
        }
    }
}

/// Covectors on some nodes: the gradient of a scalar.
pub(super) type Gradient<const N: usize> = Vec<(usize, SVector<f64, N>)>;

/// An output at rest.
pub(super) struct Measurement<const N: usize> {
    pub label: Label,
    pub value: f64,
    pub by_position: Gradient<N>,
    pub by_velocity: Gradient<N>,
    /// Global constraint row, for a multiplier.
    pub multiplier: Option<usize>,
}

/// A gradient as one column over all nodes.
pub(super) fn dense<const N: usize>(gradient: &Gradient<N>, size: usize) -> DVector<f64> {
    let mut out = DVector::zeros(size);
    for (node, covector) in gradient {
        let mut part = out.fixed_rows_mut::<N>(node * N);
        part += covector;
    }
    out
}

fn on_nodes<const N: usize>(
    nodes: [Option<usize>; 2],
    covectors: [SVector<f64, N>; 2],
) -> Gradient<N> {
    let pairs = nodes.into_iter().zip(covectors);
    pairs
        .filter_map(|(node, covector)| Some((node?, covector)))
        .collect()
}

/// A quantity or its rate: at rest both have the same gradient, by pose or by velocity.
fn still<const N: usize>(
    name: String,
    unit: &'static str,
    value: f64,
    gradient: Gradient<N>,
    is_rate: bool,
) -> Measurement<N> {
    let (by_position, by_velocity) = if is_rate {
        (Vec::new(), gradient)
    } else {
        (gradient, Vec::new())
    };
    Measurement {
        label: Label { name, unit },
        value: if is_rate { 0.0 } else { value },
        by_position,
        by_velocity,
        multiplier: None,
    }
}

/// Value and gradients of `output` at the resting state `rest`.
pub(super) fn measure<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    rest: &State<G, N>,
    output: &Output<D>,
) -> Result<Measurement<N>> {
    match *output {
        Output::Angle(joint) => angle(model, rest, joint, false),
        Output::AngleRate(joint) => angle(model, rest, joint, true),
        Output::Position {
            node,
            point,
            component,
        } => position(model, rest, node, &point, component, false),
        Output::Velocity {
            node,
            point,
            component,
        } => position(model, rest, node, &point, component, true),
        Output::LineLength(force) => line(model, rest, force, LineQuantity::Length),
        Output::LineRate(force) => line(model, rest, force, LineQuantity::Rate),
        Output::LineTension(force) => line(model, rest, force, LineQuantity::Tension),
        Output::Multiplier { joint, row } => multiplier(model, rest, joint, row),
    }
}

fn bad(owner: String, problem: &'static str) -> Error {
    Error::BadReference { owner, problem }
}

fn angle<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    rest: &State<G, N>,
    id: JointId,
    is_rate: bool,
) -> Result<Measurement<N>> {
    let joint = model.joints.get(id.0).filter(|joint| joint.has_angle());
    let Some(joint) = joint else {
        let owner = format!("joint {}", id.0);
        return Err(bad(
            owner,
            "only a revolute or cylindrical joint of this model has an angle",
        ));
    };
    let hinge = Hinge::new(model, joint, &rest.motion(), rest.angles[id.0]);
    let (prefix, unit) = if is_rate {
        ("angle rate", "rad/s")
    } else {
        ("angle", "rad")
    };
    let gradient = on_nodes(hinge.nodes, hinge.by);
    let name = format!("{prefix} of {}", joint.name);
    Ok(still(name, unit, hinge.angle, gradient, is_rate))
}

fn position<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    rest: &State<G, N>,
    node: NodeId,
    point: &SVector<f64, D>,
    component: usize,
    is_rate: bool,
) -> Result<Measurement<N>> {
    if node.0 >= model.node_count() || component >= D {
        let owner = format!("node {}, axis {component}", node.0);
        return Err(bad(owner, "there is no such node or axis in this model"));
    }
    let pose = &rest.poses[node.0];
    let rotation = pose.rotation();
    let map = rotation * (G::linear_part() + G::cross(point));
    let place = pose.translation() + rotation * point;
    let gradient = vec![(node.0, map.row(component).transpose())];
    let axis = ["x", "y", "z"][component];
    let (prefix, unit) = if is_rate {
        ("velocity", "m/s")
    } else {
        ("position", "m")
    };
    let name = format!("{prefix} {axis} of {}", model.node_names[node.0]);
    Ok(still(name, unit, place[component], gradient, is_rate))
}

#[derive(Clone, Copy, PartialEq)]
enum LineQuantity {
    Length,
    Rate,
    Tension,
}

fn line<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    rest: &State<G, N>,
    force: ForceId,
    quantity: LineQuantity,
) -> Result<Measurement<N>> {
    let Some(Force::Line {
        name,
        a,
        b,
        law,
        winch,
        ..
    }) = model.forces.get(force.0)
    else {
        let owner = format!("force {}", force.0);
        return Err(bad(owner, "only a line force has a length and a tension"));
    };
    let line = LineKinematics::new(model, &rest.motion(), a, b);
    let gradients = [0, 1].map(|i| line.z_by[i].tr_mul(&line.direction));
    let nodes = [line.bodies[0].node, line.bodies[1].node];
    let scaled = |factor: f64| on_nodes(nodes, gradients.map(|g| g * factor));
    Ok(match quantity {
        LineQuantity::Length => {
            let label = format!("length of {name}");
            still(label, "m", line.length, scaled(1.0), false)
        }
        LineQuantity::Rate => still(format!("rate of {name}"), "m/s", 0.0, scaled(1.0), true),
        LineQuantity::Tension => {
            let pull = winch.map_or(0.0, |input| rest.inputs.value[input.0]);
            let response = law.pulled(pull, line.length, 0.0);
            Measurement {
                label: Label {
                    name: format!("tension of {name}"),
                    unit: "N",
                },
                value: response.tension,
                by_position: scaled(response.by_length),
                by_velocity: scaled(response.by_rate),
                multiplier: None,
            }
        }
    })
}

fn multiplier<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    rest: &State<G, N>,
    id: JointId,
    row: usize,
) -> Result<Measurement<N>> {
    let joint = model.joints.get(id.0);
    let Some((joint, kind)) = joint.and_then(|joint| Some((joint, joint.rows.get(row)?))) else {
        let owner = format!("joint {}, row {row}", id.0);
        return Err(bad(
            owner,
            "there is no such joint or constraint row in this model",
        ));
    };
    let unit = match kind {
        ConstraintRow::Position { .. } | ConstraintRow::Distance { .. } => "N",
        ConstraintRow::Crossing { .. }
        | ConstraintRow::Upright { .. }
        | ConstraintRow::Turning(_)
        | ConstraintRow::Sum { .. }
        | ConstraintRow::Angle { .. } => "N·m",
    };
    Ok(Measurement {
        label: Label {
            name: format!("multiplier {row} of {}", joint.name),
            unit,
        },
        value: rest.multipliers[joint.first_row + row],
        by_position: Vec::new(),
        by_velocity: Vec::new(),
        multiplier: Some(joint.first_row + row),
    })
}
