//! Jumps of inputs.
//!
//! Where an input jumps, the motion goes on with other accelerations and reactions, and with other
//! velocities if a prescribed rate jumps. Constraints are kept at position level: without help the
//! generalised-α method would learn of the jump from the end of the next step only, be of first order
//! behind it, and answer with accelerations and multipliers that oscillate from step to step and die
//! out with ρ∞ only. So these jump too. With values before (⁻) and behind (⁺) the jump, and with
//! m = (1 − α_m)/(h²β(1 − α_f)) the weight of the inertia in a step of h:
//!
//! ```text
//! A = K + γ/(hβ) C + m M                                                        (1)
//! A δv + φ_qᵀ Λ = 0,             φ_q δv = φ̇⁻ − φ̇⁺,   v ← v + δv                 (2)
//! A δ + φ_qᵀ λ_δ = m (r⁻ − r⁺),  φ_q δ = φ̈⁻ − φ̈⁺                                (3)
//! v̇ ← v̇ + δ,   a ← a + δ,   λ ← λ + λ_δ/m                                       (4)
//! W ← W + T(v + δv) − T(v)                                                      (5)
//! ```
//!
//! A is the matrix of the step ([`super::alpha`]), taken before the jump: parts too stiff for the step
//! move along as if they were rigid, soft ones feel their inertia, and as h goes to zero (2) and (3)
//! become the balance of momentum and of forces. In (3) r⁺ and φ̈⁺ contain the new velocities. All the
//! kinetic energy that comes in (2) is work of the drivers, (5): their impulses are the only ones.
//! A prescribed position that jumps is refused.

use super::alpha::{ConstraintHandling, StepSettings, step_task};
use super::integrator::Integrator;
use crate::assembly::{self, ConstraintLevel, Motion, Task, inputs};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::model::{Drive, Inputs, Model};
use crate::results::energy;
use crate::state::State;
use crate::workspace::Workspace;

/// Change of an input channel behind a jump.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Change {
    /// The channel.
    pub channel: usize,
    /// Change of its value.
    pub value: f64,
    /// Change of its rate.
    pub rate: f64,
    /// Change of its acceleration.
    pub acceleration: f64,
}

/// Largest jump of a prescribed position that is taken for rounding [m, rad].
const SAME_POSITION: f64 = 1e-9;

/// The hidden constraint of accelerations.
const ACCELERATIONS: ConstraintLevel = ConstraintLevel::Acceleration {
    velocity_gain: 0.0,
    position_gain: 0.0,
};
/// Relative change of an input that is taken for rounding.
const ROUNDING: f64 = 1e-12;

/// What jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Jump {
    /// Rates of prescribed motions.
    momentum: bool,
    /// Forces, or accelerations of prescribed motions.
    forces: bool,
}

impl Jump {
    /// What jumps from the inputs of `state` to `after`; prescribed accelerations count only if
    /// `accelerations`.
    fn between<G: Group<N, D>, const N: usize, const D: usize>(
        model: &Model<G, N, D>,
        state: &State<G, N>,
        after: &Inputs,
        accelerations: bool,
    ) -> Result<Self> {
        let before = &state.inputs;
        let mut out = Self::default();
        for (channel, role) in model.input_roles.iter().enumerate() {
            let differ = |list: fn(&Inputs) -> &Vec<f64>| {
                let (a, b) = (list(before)[channel], list(after)[channel]);
                (a - b).abs() > ROUNDING * a.abs().max(b.abs())
            };
            let by = after.value[channel] - before.value[channel];
            let rate_jumps = differ(|inputs| &inputs.rate);
            if role.prescribes {
                if by.abs() > SAME_POSITION {
                    return Err(Error::PositionJumps {
                        time: state.time,
                        input: model.input_names[channel].clone(),
                        by,
                    });
                }
                out.momentum |= rate_jumps;
                out.forces |= accelerations && differ(|inputs| &inputs.acceleration);
            }
            // Of the inputs that are forces, holds alone feel the rate.
            let felt = differ(|inputs| &inputs.value) || (role.aims && rate_jumps);
            out.forces |= role.forces && felt;
        }
        Ok(out)
    }
}

/// The matrix (1) at a state before a jump, factorised in the workspace.
#[derive(Debug, Clone, Copy)]
pub struct Crossing {
    task: Task,
}

/// Takes `state` across whatever jumps between its inputs and those that `drive` has from now on,
/// for steps of `h` [s]. Accelerations of prescribed motions may jump unnoticed unless
/// `accelerations`: a single step knows the end of a curve only, and its acceleration is what makes
/// it get there.
pub fn cross<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    drive: &(impl Drive + ?Sized),
    (h, accelerations): (f64, bool),
    settings: &StepSettings,
) -> Result<()> {
    drive.sample(state.time, &mut workspace.trial.inputs);
    let jump = Jump::between(model, state, &workspace.trial.inputs, accelerations)?;
    if jump == Jump::default() {
        return Ok(());
    }
    let crossing = Crossing::new(model, state, workspace, h, settings)?;
    if !accelerations {
        let Workspace { trial, .. } = workspace;
        (trial.inputs.acceleration).copy_from_slice(&state.inputs.acceleration);
    }
    crossing.apply(model, state, workspace, jump)
}

/// Makes velocities and accelerations of `state` fulfil the hidden constraints, before steps of
/// `h` [s] that are far shorter than those before:
///
/// Steps at position level leave φ̇ and φ̈ of the order of their size squared and of their size. A
/// step far shorter than the last one would make up for that φ̇ within its own length, with
/// accelerations and reactions far beyond those of the motion.
pub fn make_consistent<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
    h: f64,
    settings: &StepSettings,
) -> Result<()> {
    let crossing = Crossing::new(model, state, workspace, h, settings)?;
    workspace.backup.copy_from(state);
    let task = Task {
        level: ConstraintLevel::Velocity,
        ..crossing.task
    };
    assembly::assemble_rhs(model, &state.motion(), &task, &mut workspace.system)?;
    crossing.change_velocities(model, state, workspace)?; // (2) with φ̇⁺ = 0
    crossing.difference(model, state, workspace, ACCELERATIONS)?;
    let Workspace { system, loads, .. } = workspace;
    // (3) with φ̈⁺ = 0: what the constraints missed before counts, too.
    for (row, before) in system.row_rhs.iter_mut().zip(&loads.rows) {
        *row += before;
    }
    crossing.change_accelerations(model, state, workspace)
}

impl Crossing {
    /// Factorises (1) for steps of `h` [s] from `state`.
    pub fn new<G: Group<N, D>, const N: usize, const D: usize>(
        model: &Model<G, N, D>,
        state: &State<G, N>,
        workspace: &mut Workspace<G, N>,
        h: f64,
        settings: &StepSettings,
    ) -> Result<Self> {
        let integrator = Integrator::new(settings.spectral_radius, h);
        let task = step_task(model, &integrator, &ConstraintHandling::Position);
        workspace.reset_maps();
        let Workspace { maps, system, .. } = workspace;
        assembly::assemble(model, &state.motion_with(maps), &task, system)?;
        workspace.factor_assembled(model, state.time, 1)?;
        Ok(Self { task })
    }

    /// Takes `state` across a jump to the inputs of the workspace's trial state.
    fn apply<G: Group<N, D>, const N: usize, const D: usize>(
        &self,
        model: &Model<G, N, D>,
        state: &mut State<G, N>,
        workspace: &mut Workspace<G, N>,
        jump: Jump,
    ) -> Result<()> {
        // The state before the jump: (3) looks back at it.
        let Workspace { trial, backup, .. } = workspace;
        backup.copy_from(state);
        state.inputs.copy_from(&trial.inputs);
        if jump.momentum {
            let before = energy::energies(model, state)?.kinetic;
            self.difference(model, state, workspace, ConstraintLevel::Velocity)?;
            self.change_velocities(model, state, workspace)?;
            let after = energy::energies(model, state)?.kinetic;
            state.ledger.work_in += after - before; // (5)
        }
        self.difference(model, state, workspace, ACCELERATIONS)?;
        self.change_accelerations(model, state, workspace)
    }

    /// Solves (2) for the constraint rows of the workspace's right-hand side.
    fn change_velocities<G: Group<N, D>, const N: usize, const D: usize>(
        &self,
        model: &Model<G, N, D>,
        state: &mut State<G, N>,
        workspace: &mut Workspace<G, N>,
    ) -> Result<()> {
        workspace.system.node_rhs.fill(nalgebra::SVector::zeros());
        G::solve(&mut workspace.system, &model.layout);
        workspace.check_finite(model, state.time, 1)?;
        let changes = &workspace.system.node_rhs;
        for (v, change) in state.velocities.iter_mut().zip(changes) {
            *v += change;
        }
        Ok(())
    }

    /// Solves (3) for the workspace's right-hand side and takes over the answer, (4).
    fn change_accelerations<G: Group<N, D>, const N: usize, const D: usize>(
        &self,
        model: &Model<G, N, D>,
        state: &mut State<G, N>,
        workspace: &mut Workspace<G, N>,
    ) -> Result<()> {
        let inertia = self.task.weights.inertia;
        for load in &mut workspace.system.node_rhs {
            *load *= inertia;
        }
        self.solve(model, workspace);
        workspace.check_finite(model, state.time, 1)?;
        let system = &workspace.system;
        for (i, delta) in system.node_rhs.iter().enumerate() {
            state.accelerations[i] += delta;
            state.algorithmic[i] += delta;
        }
        for (lambda, delta) in state.multipliers.iter_mut().zip(&system.row_rhs) {
            *lambda += delta;
        }
        state.ledger.powers = energy::powers(model, state);
        Ok(())
    }

    /// Writes what residual and constraints were in the workspace's backup less what they are at
    /// `state` into the right-hand side.
    fn difference<G: Group<N, D>, const N: usize, const D: usize>(
        &self,
        model: &Model<G, N, D>,
        state: &State<G, N>,
        workspace: &mut Workspace<G, N>,
        level: ConstraintLevel,
    ) -> Result<()> {
        let Workspace {
            backup,
            system,
            loads,
            ..
        } = workspace;
        let task = Task { level, ..self.task };
        // Accelerations and multipliers are the same on both sides: their jumps are looked for.
        let before: Motion<'_, G, N> = backup.motion();
        assembly::assemble_rhs(model, &before, &task, system)?;
        loads.nodes.copy_from_slice(&system.node_rhs);
        loads.rows.copy_from_slice(&system.row_rhs);
        assembly::assemble_rhs(model, &state.motion(), &task, system)?;
        for (load, before) in system.node_rhs.iter_mut().zip(&loads.nodes) {
            *load -= before;
        }
        for (load, before) in system.row_rhs.iter_mut().zip(&loads.rows) {
            *load -= before;
        }
        Ok(())
    }

    /// Solves (3): δ and λ_δ/m take the place of the right-hand side.
    fn solve<G: Group<N, D>, const N: usize, const D: usize>(
        &self,
        model: &Model<G, N, D>,
        workspace: &mut Workspace<G, N>,
    ) {
        let system = &mut workspace.system;
        G::solve(system, &model.layout);
        let scale = self.task.constraint_scale / self.task.weights.inertia;
        system.row_rhs.iter_mut().for_each(|row| *row *= scale); // (4)
    }

    /// How accelerations and multipliers behind the jump change with the inputs there: solves (3)
    /// for the derivative of its right-hand side along `changes`. The answer takes the place of the
    /// workspace's right-hand side. `state` has the inputs from behind the jump.
    pub fn vary<G: Group<N, D>, const N: usize, const D: usize>(
        &self,
        model: &Model<G, N, D>,
        state: &State<G, N>,
        workspace: &mut Workspace<G, N>,
        changes: impl Iterator<Item = Change> + Clone,
    ) {
        let Workspace { system, loads, .. } = workspace;
        let motion = state.motion();
        let inertia = self.task.weights.inertia;
        let scale = self.task.constraint_scale;
        loads.nodes.fill(nalgebra::SVector::zeros());
        let mut add = |system: &crate::linear_solver::System<N>, factor: f64| {
            for (sum, load) in loads.nodes.iter_mut().zip(&system.node_rhs) {
                *sum += load * (inertia * factor);
            }
        };
        for change in changes.clone() {
            // Prescribed positions do not jump; what they move is felt with their accelerations.
            if !model.input_roles[change.channel].forces {
                continue;
            }
            if change.value != 0.0 {
                inputs::input_column(model, &motion, change.channel, scale, system);
                add(system, change.value);
            }
            if change.rate != 0.0 {
                inputs::input_rate_column(model, &motion, change.channel, system);
                add(system, change.rate);
            }
        }
        let driven = changes.map(|change| (change.channel, change.acceleration));
        inputs::driven_rows(model, &motion, driven, scale, system);
        system.node_rhs.copy_from_slice(&loads.nodes);
        self.solve(model, workspace);
    }
}
