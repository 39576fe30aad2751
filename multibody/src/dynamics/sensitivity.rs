//! Exact derivatives of time stepping with respect to inputs.
//!
//! A variation of the state, `(δψ, δv, δv̇, δa, δλ)` with `H ← H exp(δψ)`, is carried through a
//! step of the generalised-α method ([`super::alpha`]) by differentiating its equations. With
//! `δn` the change of the step's increment,
//!
//! ```text
//! δψ' = Ad(exp(−n)) δψ + T(n) δn                                                (1)
//! δa' = (δn − h δv − h² (½ − β) δa) / (h² β)                                    (2)
//! δv' = δv + h (1 − γ) δa + h γ δa'                                             (3)
//! δv̇' = ((1 − α_m) δa' + α_m δa − α_f δv̇) / (1 − α_f)                            (4)
//! K δψ' + C δv' + M δv̇' + φ_qᵀ δλ' = −r_u δu − r_u̇ δu̇,   φ_q δψ' = −φ_u δu      (5)
//! ```
//!
//! (5) is solved with the matrix of Newton's last iteration, assembled at the solution. A chain
//! of steps therefore has the derivative of the *discrete* solution: what a master needs to
//! iterate on an interface, and what finite differences of repeated runs converge to.

use super::alpha::{ConstraintHandling, StepSettings, step_task, update_maps};
use super::integrator::Integrator;
use crate::assembly::{self, Task, Weights, hinge, inputs};
use crate::error::Result;
use crate::group::Group;
use crate::model::Model;
use crate::state::State;
use crate::workspace::Workspace;
use nalgebra::{DVector, SVector};

/// Change of an input over a step, at the step's end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InputVariation {
    /// Input channel.
    pub channel: usize,
    /// δu at the end of the step.
    pub value: f64,
    /// δu̇ at the end of the step.
    pub rate: f64,
}

/// A variation of a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Variation<const N: usize> {
    /// δψ of every node.
    pub poses: Vec<SVector<f64, N>>,
    /// δv of every node.
    pub velocities: Vec<SVector<f64, N>>,
    /// δv̇ of every node.
    pub accelerations: Vec<SVector<f64, N>>,
    /// δa of every node.
    pub algorithmic: Vec<SVector<f64, N>>,
    /// δλ of every constraint row.
    pub multipliers: Vec<f64>,
    zero: bool,
}

impl<const N: usize> Variation<N> {
    /// No variation.
    pub fn zero<G: Group<N, D>, const D: usize>(model: &Model<G, N, D>) -> Self {
        let zeros = vec![SVector::zeros(); model.node_count()];
        Self {
            poses: zeros.clone(),
            velocities: zeros.clone(),
            accelerations: zeros.clone(),
            algorithmic: zeros,
            multipliers: vec![0.0; model.constraint_count()],
            zero: true,
        }
    }

    /// The accelerations jump, those of the method too, and the multipliers with them.
    pub fn accelerate(&mut self, changes: &[SVector<f64, N>], multipliers: &[f64]) {
        self.accelerations.copy_from_slice(changes);
        self.algorithmic.copy_from_slice(changes);
        self.multipliers.copy_from_slice(multipliers);
        self.zero = false;
    }

    /// Back to no variation.
    pub fn clear(&mut self) {
        let lists = [
            &mut self.poses,
            &mut self.velocities,
            &mut self.accelerations,
            &mut self.algorithmic,
        ];
        for list in lists {
            list.fill(SVector::zeros());
        }
        self.multipliers.fill(0.0);
        self.zero = true;
    }

    /// Writes `state` moved by `factor` times this variation into `out` (poses, velocities,
    /// accelerations, multipliers, joint angles), for differentiating outputs.
    pub fn apply<G: Group<N, D>, const D: usize>(
        &self,
        model: &Model<G, N, D>,
        state: &State<G, N>,
        factor: f64,
        out: &mut State<G, N>,
    ) {
        out.copy_from(state);
        for i in 0..self.poses.len() {
            out.poses[i] = state.poses[i].compose(&G::exp(&(self.poses[i] * factor)));
            out.velocities[i] += self.velocities[i] * factor;
            out.accelerations[i] += self.accelerations[i] * factor;
            out.algorithmic[i] += self.algorithmic[i] * factor;
        }
        for (lambda, delta) in out.multipliers.iter_mut().zip(&self.multipliers) {
            *lambda += delta * factor;
        }
        hinge::update_angles(model, out);
    }
}

/// Carries `variations` through the step of size `h` [s] that [`super::step`] has just taken with
/// this workspace, each under its own change of inputs. Valid for constraints kept at position
/// level.
pub fn propagate<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    workspace: &mut Workspace<G, N>,
    h: f64,
    settings: &StepSettings,
    variations: &mut [Variation<N>],
    changes: &[&[InputVariation]],
) -> Result<()> {
    let integrator = Integrator::new(settings.spectral_radius, h);
    let task = step_task(model, &integrator, &ConstraintHandling::Position);
    update_maps::<G, N, D>(workspace);
    let mut loads = Vec::with_capacity(variations.len());
    let separate = if variations.iter().any(|variation| !variation.zero) {
        Some(Separate::assemble(model, workspace, &task)?)
    } else {
        None
    };
    for (variation, change) in variations.iter_mut().zip(changes) {
        let carried = (!variation.zero).then(|| carry(workspace, &integrator, variation));
        let mut load = input_load(model, workspace, &task, change);
        if let (Some(carried), Some(separate)) = (&carried, &separate) {
            load -= separate.multiply(carried);
        }
        if let Some(carried) = carried {
            *variation = carried;
        }
        loads.push(load);
    }
    let time = workspace.trial.time;
    let Workspace {
        trial,
        maps,
        system,
        ..
    } = workspace;
    assembly::assemble(model, &trial.motion_with(maps), &task, system)?;
    workspace.factor(model, time, 1)?;
    for (variation, load) in variations.iter_mut().zip(&loads) {
        solve_for(model, workspace, &integrator, &task, load, variation);
    }
    Ok(())
}

/// Part of the variation at the end of the step that does not depend on δn, eqs. (1) to (4).
fn carry<G: Group<N, D>, const N: usize, const D: usize>(
    workspace: &Workspace<G, N>,
    integrator: &Integrator,
    old: &Variation<N>,
) -> Variation<N> {
    let still = SVector::zeros();
    let mut new = old.clone();
    new.multipliers.fill(0.0);
    for i in 0..old.poses.len() {
        let (dv, dv_dot, da) = (
            &old.velocities[i],
            &old.accelerations[i],
            &old.algorithmic[i],
        );
        new.poses[i] = G::exp(&workspace.increments[i]).adjoint_inverse() * old.poses[i]; // (1)
        let end = integrator.follow([dv, dv_dot, da], &still); // (2) to (4)
        new.algorithmic[i] = end.algorithmic;
        new.velocities[i] = end.velocity;
        new.accelerations[i] = end.acceleration;
    }
    new
}

/// Right-hand side `−r_u δu − r_u̇ δu̇`, `−s φ_u δu`.
fn input_load<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    workspace: &mut Workspace<G, N>,
    task: &Task,
    changes: &[InputVariation],
) -> DVector<f64> {
    let mut load = DVector::zeros(model.unknown_count());
    let Workspace { trial, system, .. } = workspace;
    let mut add = |system: &crate::linear_solver::System<N>, factor: f64| {
        for (i, value) in system.node_rhs.iter().enumerate() {
            for k in 0..N {
                load[i * N + k] += value[k] * factor;
            }
        }
        let first = N * model.node_count();
        for (row, value) in system.row_rhs.iter().enumerate() {
            load[first + row] += value * factor;
        }
    };
    for change in changes {
        let motion = trial.motion();
        inputs::input_column(
            model,
            &motion,
            change.channel,
            task.constraint_scale,
            system,
        );
        add(system, change.value);
        inputs::input_rate_column(model, &motion, change.channel, system);
        add(system, change.rate);
    }
    load
}

/// K, C and M apart.
struct Separate {
    matrices: [nalgebra::DMatrix<f64>; 3],
}

impl Separate {
    fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
        model: &Model<G, N, D>,
        workspace: &mut Workspace<G, N>,
        task: &Task,
    ) -> Result<Self> {
        let Workspace { trial, system, .. } = workspace;
        let identity = vec![nalgebra::SMatrix::identity(); model.node_count()];
        let mut one = |stiffness, damping, inertia| -> Result<nalgebra::DMatrix<f64>> {
            let task = Task {
                weights: Weights {
                    stiffness,
                    damping,
                    inertia,
                },
                ..*task
            };
            assembly::assemble(model, &trial.motion_with(&identity), &task, system)?;
            Ok(system.to_dense(&model.layout))
        };
        Ok(Self {
            matrices: [
                one(1.0, 0.0, 0.0)?,
                one(0.0, 1.0, 0.0)?,
                one(0.0, 0.0, 1.0)?,
            ],
        })
    }

    /// `K δψ + C δv + M δv̇` in the node rows, `s φ_q δψ` in the constraint rows.
    fn multiply<const N: usize>(&self, variation: &Variation<N>) -> DVector<f64> {
        let size = self.matrices[0].nrows();
        let nodes = N * variation.poses.len();
        let flatten = |list: &[SVector<f64, N>]| {
            let mut out = DVector::zeros(size);
            for (i, value) in list.iter().enumerate() {
                out.fixed_rows_mut::<N>(i * N).copy_from(value);
            }
            out
        };
        let mut sum = &self.matrices[0] * flatten(&variation.poses);
        for (matrix, list) in self.matrices[1..]
            .iter()
            .zip([&variation.velocities, &variation.accelerations])
        {
            let product = matrix * flatten(list);
            for i in 0..nodes {
                sum[i] += product[i];
            }
        }
        sum
    }
}

/// Solves (5) for δn and completes the variation.
fn solve_for<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    workspace: &mut Workspace<G, N>,
    integrator: &Integrator,
    task: &Task,
    load: &DVector<f64>,
    variation: &mut Variation<N>,
) {
    let Workspace { system, maps, .. } = workspace;
    for (i, rhs) in system.node_rhs.iter_mut().enumerate() {
        rhs.copy_from(&load.fixed_rows::<N>(i * N));
    }
    let first = N * model.node_count();
    for (row, rhs) in system.row_rhs.iter_mut().enumerate() {
        *rhs = load[first + row];
    }
    G::solve(system, &model.layout);
    let Weights {
        damping, inertia, ..
    } = integrator.weights();
    let per_square = integrator.algorithmic_by_increment();
    for (i, psi) in system.node_rhs.iter().enumerate() {
        let dn = maps[i] * psi;
        variation.poses[i] += psi;
        variation.algorithmic[i] += dn * per_square;
        variation.velocities[i] += dn * damping;
        variation.accelerations[i] += dn * inertia;
    }
    for (lambda, delta) in variation.multipliers.iter_mut().zip(&system.row_rhs) {
        *lambda = delta * task.constraint_scale;
    }
    variation.zero = false;
}
