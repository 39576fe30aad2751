//! A time step of a model whose port belongs to a larger system.
//!
//! The step is that of [`crate::dynamics`] with constraints at position level, taken apart so that
//! the larger system can iterate on all its parts at once: [`begin`]; then [`assemble`], [`factor`],
//! [`condense`] and [`correct`] until all parts converge; then [`accept`]. A short iteration keeps
//! factors and operator of an earlier one.

use super::{Condensation, Port};
use crate::assembly::{self, ConstraintLevel, Task};
use crate::dynamics::alpha::{self, ConstraintHandling};
use crate::dynamics::integrator::Integrator;
use crate::dynamics::stops;
use crate::error::Result;
use crate::group::Group;
use crate::model::{Drive, InputId, Model};
use crate::results::energy;
use crate::state::State;
use crate::workspace::Workspace;

/// A step under way.
#[derive(Debug, Clone, Copy)]
pub struct OpenStep {
    integrator: Integrator,
    task: Task,
}

/// First guess of the end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guess {
    /// The accelerations stay what they are.
    Accelerations,
    /// The velocities stay what they are: calmer where accelerations oscillate.
    Velocities,
}

/// What an iteration uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Iteration {
    /// A new tangent.
    Full,
    /// Factors and operator of the iteration before.
    Short,
}

/// Progress of the larger system's Newton iteration: near the solution the factors of a full
/// iteration serve one more, if that is accurate by (6) of `dynamics::alpha`.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    tolerance: f64,
    next: Iteration,
    /// Correction of the last full iteration.
    full: f64,
}

impl Progress {
    /// The start of an iteration that ends at a correction of `tolerance`.
    pub fn new(tolerance: f64) -> Self {
        Self {
            tolerance,
            next: Iteration::Full,
            full: f64::INFINITY,
        }
    }

    /// What the next iteration is to use.
    pub fn next(&self) -> Iteration {
        self.next
    }

    /// Takes the correction of an iteration and says whether it was the last one.
    pub fn finished(&mut self, correction: f64) -> bool {
        let tolerance = self.tolerance;
        match self.next {
            Iteration::Full => {
                self.full = correction;
                if correction <= alpha::NEAR && tolerance >= alpha::SHORT_TOLERANCE {
                    self.next = Iteration::Short;
                }
                correction <= tolerance
            }
            Iteration::Short => {
                self.next = Iteration::Full;
                let left = alpha::TANGENT_CHANGE * self.full * correction;
                correction <= tolerance && left <= alpha::SHORT_ACCURACY * tolerance
            }
        }
    }
}

/// Starts a step from `state` by this integrator; inputs outside the port follow `drive`.
pub fn begin<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
    integrator: &Integrator,
    guess: Guess,
) -> OpenStep {
    let trial = &mut workspace.trial;
    trial.time = state.time + integrator.step();
    drive.sample_before(trial.time, &mut trial.inputs);
    alpha::predict(state, workspace, integrator);
    if guess == Guess::Velocities {
        alpha::predict_calmly(state, workspace, integrator);
    }
    OpenStep {
        integrator: *integrator,
        task: alpha::step_task(model, integrator, &ConstraintHandling::Position),
    }
}

/// Sets an input of the port at the end of the step: value, rate and acceleration.
pub fn set_input<G, const N: usize>(
    workspace: &mut Workspace<G, N>,
    input: InputId,
    [value, rate, acceleration]: [f64; 3],
) {
    let inputs = &mut workspace.trial.inputs;
    inputs.value[input.0] = value;
    inputs.rate[input.0] = rate;
    inputs.acceleration[input.0] = acceleration;
}

/// Evaluates elements, joints and forces at the iterate and assembles Newton's system, or its
/// right-hand side alone.
pub fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    step: &OpenStep,
    kind: Iteration,
) -> Result<()> {
    alpha::follow_increments::<G, N, D>(state, workspace, &step.integrator);
    match kind {
        Iteration::Full => alpha::linearize(model, workspace, &step.task),
        Iteration::Short => {
            let Workspace { trial, system, .. } = workspace;
            assembly::assemble_rhs(model, &trial.motion(), &step.task, system)
        }
    }
}

/// Factorises Newton's system; a short iteration only checks its right-hand side.
pub fn factor<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    workspace: &mut Workspace<G, N>,
    (kind, number): (Iteration, usize),
) -> Result<()> {
    let time = workspace.trial.time;
    match kind {
        Iteration::Full => workspace.factor_assembled(model, time, number),
        Iteration::Short => workspace.check_finite(model, time, number),
    }
}

/// Condenses the factorised system to the port.
pub fn condense<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    workspace: &mut Workspace<G, N>,
    step: &OpenStep,
    port: &Port,
    condensation: &mut Condensation<N>,
    kind: Iteration,
) {
    let Workspace {
        trial,
        maps,
        system,
        ..
    } = workspace;
    let motion = trial.motion_with(maps);
    match kind {
        Iteration::Full => condensation.condense(model, &motion, &step.task, system, port),
        Iteration::Short => condensation.refresh(model, &motion, system, port),
    }
}

/// Corrects the iterate for the changes `delta` of the port's inputs. The size of the correction
/// (relative to the model's length; rad).
pub fn correct<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    workspace: &mut Workspace<G, N>,
    step: &OpenStep,
    condensation: &Condensation<N>,
    delta: &[f64],
) -> f64 {
    condensation.expand(model, &mut workspace.system, delta);
    let size = workspace.correction_norm(model);
    alpha::correct(workspace, step.task.constraint_scale);
    size
}

/// Prepares a jump of forces where `state` is: it stays there, but its inputs outside the port become
/// those of `drive` from now on. Then [`assemble_jump`], [`factor`], [`condense`] and [`jump`].
pub fn begin_jump<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
    integrator: &Integrator,
) -> OpenStep {
    workspace.trial.copy_from(state);
    drive.sample(state.time, &mut workspace.trial.inputs);
    workspace.reset_maps();
    OpenStep {
        integrator: *integrator,
        task: alpha::step_task(model, integrator, &ConstraintHandling::Position),
    }
}

/// Assembles the matrix of a step where the state is, with the forces that are not balanced there.
pub fn assemble_jump<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    workspace: &mut Workspace<G, N>,
    step: &OpenStep,
) -> Result<()> {
    let Workspace {
        trial,
        maps,
        system,
        ..
    } = workspace;
    assembly::assemble(model, &trial.motion_with(maps), &step.task, system)
}

/// The same for velocities and accelerations that are to fulfil the hidden constraints, before a step
/// far shorter than the last one ([`crate::dynamics::jumps::make_consistent`]): velocities of `state`
/// become consistent with the port's at once, accelerations with [`jump`]. Factorises the matrix, too.
pub fn assemble_consistent<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    step: &OpenStep,
) -> Result<()> {
    assemble_jump(model, workspace, step)?;
    workspace.factor_assembled(model, state.time, 1)?;
    let rows_of = |level| Task { level, ..step.task };
    let Workspace { trial, system, .. } = &mut *workspace;
    let velocities = rows_of(ConstraintLevel::Velocity);
    assembly::assemble_rhs(model, &trial.motion(), &velocities, system)?;
    system.node_rhs.fill(nalgebra::SVector::zeros());
    system.solve(&model.layout);
    workspace.check_finite(model, state.time, 1)?;
    let Workspace { trial, system, .. } = &mut *workspace;
    for (i, change) in system.node_rhs.iter().enumerate() {
        state.velocities[i] += change;
        trial.velocities[i] += change;
    }
    let accelerations = rows_of(ConstraintLevel::Acceleration {
        velocity_gain: 0.0,
        position_gain: 0.0,
    });
    assembly::assemble_rhs(model, &trial.motion(), &accelerations, system)?;
    // The solution is δ of v̇ ← v̇ + w δ.
    let weight = step.task.weights.inertia;
    system.row_rhs.iter_mut().for_each(|row| *row /= weight);
    workspace.check_finite(model, state.time, 1)
}

/// Lets accelerations and reactions of `state` jump as the step's matrix answers the forces that are
/// not balanced: with the solution δ of Newton's system at this place, the port's inputs changing
/// by `delta`,
///
/// ```text
/// v̇ ← v̇ + w δ,   a ← a + w δ,   λ ← λ + δλ,   w = (1 − α_m)/(h²β(1 − α_f))
/// ```
///
/// as in [`crate::dynamics::jumps`]: parts too stiff for the step move along as if they were rigid.
pub fn jump<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    step: &OpenStep,
    condensation: &Condensation<N>,
    delta: &[f64],
) {
    condensation.expand(model, &mut workspace.system, delta);
    let Workspace { trial, system, .. } = workspace;
    let weight = step.task.weights.inertia;
    for (i, psi) in system.node_rhs.iter().enumerate() {
        state.accelerations[i] += psi * weight;
        state.algorithmic[i] += psi * weight;
    }
    for (lambda, change) in state.multipliers.iter_mut().zip(&system.row_rhs) {
        *lambda += step.task.constraint_scale * change;
    }
    state.inputs.copy_from(&trial.inputs);
    state.ledger.powers = energy::powers(model, state);
}

/// Fraction of the step at which a stop of the model is met or left, as
/// [`stops::crossing`] finds it at the iterate.
pub fn stop_event<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    step: &OpenStep,
) -> Option<f64> {
    let h = step.integrator.step();
    if !stops::near(model, state, h) {
        return None;
    }
    alpha::follow_increments::<G, N, D>(state, workspace, &step.integrator);
    stops::crossing(model, state, &workspace.trial, h)
}

/// Makes the iterate the state.
pub fn accept<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    step: &OpenStep,
) {
    alpha::follow_increments::<G, N, D>(state, workspace, &step.integrator);
    alpha::accept(model, state, workspace, step.integrator.step());
}
