//! Consistent initial accelerations and multipliers.
//!
//! ```text
//! [ M   φ_qᵀ ] [ v̇ ]   [ −f(H, v) ]
//! [ φ_q  0   ] [ λ  ] = [ −φ̈(v̇ = 0) ]                                          (1)
//! ```

use super::stops;
use crate::assembly::{self, ConstraintLevel, Task, Weights, hinge};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::model::{Drive, Model};
use crate::results::energy::{self, Ledger};
use crate::state::State;
use crate::workspace::Workspace;
use nalgebra::SVector;

/// Violation of a constraint above which a state is called inconsistent (relative to the
/// model's length; rad), and the same for rates.
const CONSISTENT: f64 = 1e-6;

/// Prepares a state for time stepping: samples the inputs at its time, checks that positions and
/// velocities satisfy the constraints, solves (1) for accelerations and multipliers, and starts
/// a new ledger.
#[inline(never)]
pub fn initialize<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
) -> Result<()> {
    prepare(model, state, workspace, drive);
    check(model, state, workspace, ConstraintLevel::Position)?;
    check(model, state, workspace, ConstraintLevel::Velocity)?;
    accelerate(model, state, workspace)
}

/// The same for a state that may violate its constraints: accelerations and multipliers of the places
/// and velocities as they are. Such a state is to be looked at, not to be stepped from.
pub fn initialize_as_given<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
) -> Result<()> {
    prepare(model, state, workspace, drive);
    accelerate(model, state, workspace)
}

/// Accelerations and multipliers of a state as it is, with the inputs it has, by (1). Those that steps
/// leave keep the constraints of places, not of accelerations: they are off by a multiple of the step
/// for some steps behind a start or a jump. To be looked at, not to be stepped from.
pub fn balance<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
) -> Result<()> {
    let ledger = state.ledger;
    state.accelerations.fill(SVector::zeros());
    state.multipliers.fill(0.0);
    workspace.reset_maps();
    accelerate(model, state, workspace)?;
    state.ledger = ledger;
    Ok(())
}

fn prepare<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
) {
    drive.sample(state.time, &mut state.inputs);
    hinge::update_angles(model, state);
    state.accelerations.fill(SVector::zeros());
    state.multipliers.fill(0.0);
    stops::start(model, state);
    workspace.reset_maps();
}

/// Solves (1) and starts a new ledger.
fn accelerate<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
) -> Result<()> {
    let task = Task {
        weights: Weights {
            stiffness: 0.0,
            damping: 0.0,
            inertia: 1.0,
        },
        dynamic: true,
        level: ConstraintLevel::Acceleration {
            velocity_gain: 0.0,
            position_gain: 0.0,
        },
        constraint_scale: model.mass_scale,
    };
    let Workspace { maps, system, .. } = workspace;
    assembly::assemble(model, &state.motion_with(maps), &task, system)?;
    workspace.factor_and_solve(model, state.time, 1)?;
    state
        .accelerations
        .copy_from_slice(&workspace.system.node_rhs);
    state
        .algorithmic
        .copy_from_slice(&workspace.system.node_rhs);
    for (lambda, value) in state.multipliers.iter_mut().zip(&workspace.system.row_rhs) {
        *lambda = value * task.constraint_scale;
    }
    state.ledger = Ledger::default();
    let power = energy::powers(model, state);
    let total = energy::energies(model, state)?.mechanical();
    state.ledger.start(total, power);
    Ok(())
}

/// Refuses a state that violates a constraint at the given level.
fn check<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    level: ConstraintLevel,
) -> Result<()> {
    let task = Task {
        weights: Weights {
            stiffness: 0.0,
            damping: 0.0,
            inertia: 0.0,
        },
        dynamic: false,
        level,
        constraint_scale: 1.0,
    };
    let Workspace { maps, system, .. } = workspace;
    assembly::assemble(model, &state.motion_with(maps), &task, system)?;
    let speed = state
        .velocities
        .iter()
        .map(|v| v.amax())
        .fold(1.0, f64::max);
    let allowed = match level {
        ConstraintLevel::Position => CONSISTENT,
        _ => CONSISTENT * speed,
    };
    for (row, violation) in system.row_rhs.iter().enumerate() {
        if violation.is_nan() || violation.abs() > allowed {
            return Err(Error::Inconsistent {
                time: state.time,
                location: model.row_location(row),
                violation: violation.abs(),
                allowed,
            });
        }
    }
    Ok(())
}
