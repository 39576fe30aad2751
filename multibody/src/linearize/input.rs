//! Inputs of a linearised model: forces, torques and targets of holds. The rate of the target of a hold with
//! damping is an input of its own, behind all others.

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
    let damped = damped_targets(model, chosen);
    let mut force = DMatrix::zeros(N * model.node_count(), chosen.len() + damped.len());
    let Workspace { maps, system, .. } = workspace;
    let mut motion = rest.motion_with(maps);
    // About an equilibrium, limits of rates are not felt.
    motion.since_memory = f64::INFINITY;
    for (column, input) in chosen.iter().enumerate() {
        inputs::input_column(model, &motion, input.0, 1.0, system);
        force.column_mut(column).copy_from(&stacked(system));
    }
    for (column, input) in (chosen.len()..).zip(&damped) {
        inputs::input_rate_column(model, &motion, input.0, system);
        force.column_mut(column).copy_from(&stacked(system));
    }
    force
}

/// Those of the inputs that are targets of holds with damping.
fn damped_targets<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    chosen: &[InputId],
) -> Vec<InputId> {
    let damped = |input: &&InputId| {
        model.forces.iter().any(|force| match force {
            Force::Motor { law, .. } => law
                .hold
                .is_some_and(|hold| hold.target.0 == input.0 && hold.damping > 0.0),
            _ => false,
        })
    };
    chosen.iter().filter(damped).copied().collect()
}

/// Values of the inputs, and of the rates behind them, at rest.
pub(super) fn values<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    rest: &State<G, N>,
    chosen: &[InputId],
) -> Vec<f64> {
    let rates = damped_targets(model, chosen).into_iter().map(|_| 0.0);
    let own = chosen.iter().map(|input| rest.inputs.value[input.0]);
    own.chain(rates).collect()
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
            None => refuse("it is used by no force"),
        }
    };
    let mut labels: Vec<Label> = chosen.iter().map(label).collect::<Result<_>>()?;
    let rates = damped_targets(model, chosen);
    labels.extend(rates.iter().map(|input| Label {
        name: format!("rate of {}", model.input_names[input.0]),
        unit: "rad/s",
    }));
    Ok(labels)
}

/// Unit of a force-like input; `None` if no force uses it.
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
            Force::Motor { law, .. } if is(&law.hold.map(|hold| hold.target)) => "rad",
            Force::Law(law) if law.inputs().any(|i| i == channel) => "as in its formula",
            _ => continue,
        };
        unit = match unit {
            Some(other) if other != found => Some("mixed"),
            _ => Some(found),
        };
    }
    unit
}
