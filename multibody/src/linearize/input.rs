//! Inputs of a linearised model: forces, torques and undamped holds.

use super::Label;
use crate::assembly::inputs;
use crate::error::{Error, Result};
use crate::group::Group;
use crate::modal::reduction::stacked;
use crate::model::{ConstraintRow, Force, InputId, Model};
use crate::state::State;
use crate::workspace::Workspace;
use nalgebra::DMatrix;

/// The columns `F`: force on the nodes per unit of each input.
pub(super) fn forces<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    rest: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    chosen: &[InputId],
) -> DMatrix<f64> {
    let mut force = DMatrix::zeros(N * model.node_count(), chosen.len());
    let Workspace { maps, system, .. } = workspace;
    let mut motion = rest.motion_with(maps);
    // About an equilibrium, limits of rates are not felt.
    motion.since_memory = f64::INFINITY;
    for (column, input) in chosen.iter().enumerate() {
        inputs::input_column(model, &motion, input.0, 1.0, system);
        force.column_mut(column).copy_from(&stacked(system));
    }
    force
}

/// Names and units of the inputs; those that are no forces are refused.
pub(super) fn labels<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    chosen: &[InputId],
) -> Result<Vec<Label>> {
    let label = |input: &InputId| {
        let channel = input.0;
        let owner = model.input_names.get(channel).cloned();
        let refuse = |problem| {
            let owner = owner.clone().unwrap_or_else(|| format!("input {channel}"));
            Err(Error::BadReference { owner, problem })
        };
        let Some(name) = owner.clone() else {
            return refuse("it does not belong to this model");
        };
        let rows = model.joints.iter().flat_map(|joint| &joint.rows);
        let mut driven = rows.filter_map(ConstraintRow::input);
        let mut framed = model.frames.iter().flat_map(|frame| frame.inputs);
        if driven.any(|i| i == channel) || framed.any(|i| i == channel) {
            return refuse(
                "it drives a joint or frame, whose motion needs its rate and acceleration too: replace the driver by a motor with a torque input or a hold, and linearise that",
            );
        }
        match input_unit(model, channel) {
            Some(unit) => Ok(Label { name, unit }),
            None => refuse(
                "it is used by no force, or by a hold with damping, which needs its rate too: give the damping to a torsion spring",
            ),
        }
    };
    chosen.iter().map(label).collect()
}

/// Unit of a force-like input; `None` if no force uses it or a damped hold does.
fn input_unit<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    channel: usize,
) -> Option<&'static str> {
    let is = |input: &Option<InputId>| input.is_some_and(|i| i.0 == channel);
    let mut unit = None;
    for force in &model.forces {
        let found = match force {
            Force::Wrench { force, .. } if force.iter().any(is) => "N",
            Force::Wrench { moment, .. } if moment.iter().any(is) => "N·m",
            Force::Line { winch, .. } if is(winch) => "N",
            Force::Motor { law, .. } if is(&law.torque) => "N·m",
            Force::Motor { law, .. } if is(&law.hold.map(|hold| hold.target)) => {
                if law.hold.is_some_and(|hold| hold.damping > 0.0) {
                    return None;
                }
                "rad"
            }
            _ => continue,
        };
        unit = match unit {
            Some(other) if other != found => Some("mixed"),
            _ => Some(found),
        };
    }
    unit
}
