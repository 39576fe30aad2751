//! Scratch memory of the solvers: made once per model, so that a step allocates nothing.

use crate::error::{Error, Result};
use crate::group::Group;
use crate::linear_solver::{Item, Singular, System};
use crate::model::Model;
use crate::state::State;
use nalgebra::{SMatrix, SVector};

/// Preallocated memory for one simulation at a time.
#[derive(Debug, Clone)]
pub struct Workspace<G, const N: usize> {
    /// The state being iterated.
    pub(crate) trial: State<G, N>,
    /// A second state for line searches and step doubling.
    pub(crate) backup: State<G, N>,
    /// The state before the last part of a step that stops divide.
    pub(crate) before: State<G, N>,
    /// Increment of every node over the step.
    pub(crate) increments: Vec<SVector<f64, N>>,
    /// T⁻¹ of the increments; the identity outside time stepping.
    pub(crate) maps: Vec<SMatrix<f64, N, N>>,
    /// The linear system of the last iteration, and its solution.
    pub system: System<N>,
    /// A second right-hand side.
    pub(crate) loads: Loads<N>,
    /// Norms of the corrections of the last Newton iteration, for reports and tests.
    pub(crate) corrections: Vec<f64>,
}

/// A right-hand side of the linear system.
#[derive(Debug, Clone)]
pub(crate) struct Loads<const N: usize> {
    /// Of the nodes.
    pub nodes: Vec<SVector<f64, N>>,
    /// Of the constraints.
    pub rows: Vec<f64>,
}

/// Newton iterations remembered in a workspace.
const REMEMBERED_CORRECTIONS: usize = 64;

impl<G, const N: usize> Workspace<G, N> {
    /// Memory for simulations of `model`.
    pub fn new<const D: usize>(model: &Model<G, N, D>) -> Self
    where
        G: Group<N, D>,
    {
        G::workspace(model)
    }

    /// [`Self::new`], compiled for a group.
    pub(crate) fn of_group<const D: usize>(model: &Model<G, N, D>) -> Self
    where
        G: Group<N, D>,
    {
        let trial = State::new(model);
        Self {
            backup: trial.clone(),
            before: trial.clone(),
            trial,
            increments: vec![SVector::zeros(); model.node_count()],
            maps: vec![SMatrix::identity(); model.node_count()],
            system: System::new(&model.layout),
            loads: Loads {
                nodes: vec![SVector::zeros(); model.node_count()],
                rows: vec![0.0; model.constraint_count()],
            },
            corrections: Vec::with_capacity(REMEMBERED_CORRECTIONS),
        }
    }

    /// Norms of the corrections of the last Newton iteration (relative to the model's length;
    /// rad). Quadratic convergence squares them from one to the next.
    pub fn corrections(&self) -> &[f64] {
        &self.corrections
    }

    pub(crate) fn remember(&mut self, correction: f64) {
        if self.corrections.len() < REMEMBERED_CORRECTIONS {
            self.corrections.push(correction);
        }
    }

    pub(crate) fn reset_maps(&mut self) {
        self.maps.fill(SMatrix::identity());
    }

    /// Factorises the assembled system and solves it; errors name body or joint.
    pub(crate) fn factor_and_solve<const D: usize>(
        &mut self,
        model: &Model<G, N, D>,
        time: f64,
        iteration: usize,
    ) -> Result<()>
    where
        G: Group<N, D>,
    {
        self.factor_assembled(model, time, iteration)?;
        G::solve(&mut self.system, &model.layout);
        self.check_finite(model, time, iteration)
    }

    /// Factorises the assembled system, whose right-hand side must be finite.
    pub(crate) fn factor_assembled<const D: usize>(
        &mut self,
        model: &Model<G, N, D>,
        time: f64,
        iteration: usize,
    ) -> Result<()>
    where
        G: Group<N, D>,
    {
        self.check_finite(model, time, iteration)?;
        self.factor(model, time, iteration)
    }

    /// Factorises the assembled system.
    pub(crate) fn factor<const D: usize>(
        &mut self,
        model: &Model<G, N, D>,
        time: f64,
        iteration: usize,
    ) -> Result<()>
    where
        G: Group<N, D>,
    {
        G::factor(&mut self.system, &model.layout).map_err(|Singular { item, pivot, scale }| {
            let location = match item {
                Item::Node(node) => model.node_location(node),
                Item::Row(row) => model.row_location(row),
            };
            Error::Singular {
                time,
                iteration,
                location,
                pivot,
                scale,
            }
        })
    }

    /// Whether the sum of the right-hand side is a finite number, and so all of it.
    pub(crate) fn is_finite(&self) -> bool {
        let sum: f64 = self.system.node_rhs.iter().map(|v| v.sum()).sum::<f64>()
            + self.system.row_rhs.iter().sum::<f64>();
        sum.is_finite()
    }

    /// Names the first entry of the right-hand side that is not a finite number.
    pub(crate) fn check_finite<const D: usize>(
        &self,
        model: &Model<G, N, D>,
        time: f64,
        iteration: usize,
    ) -> Result<()>
    where
        G: Group<N, D>,
    {
        // One sum decides in the usual case; only a bad one is searched.
        if self.is_finite() {
            return Ok(());
        }
        let bad = |x: &f64| !x.is_finite();
        let location =
            if let Some(node) = self.system.node_rhs.iter().position(|v| v.iter().any(bad)) {
                model.node_location(node)
            } else if let Some(row) = self.system.row_rhs.iter().position(bad) {
                model.row_location(row)
            } else {
                return Ok(()); // finite entries whose sum overflowed
            };
        Err(Error::NotFinite {
            time,
            iteration,
            location,
        })
    }

    /// Size of the solution: the largest linear part against the model's length, the largest
    /// angular part in radians.
    pub(crate) fn correction_norm<const D: usize>(&self, model: &Model<G, N, D>) -> f64
    where
        G: Group<N, D>,
    {
        let scale = 1.0 / model.length_scale;
        let mut norm: f64 = 0.0;
        for psi in &self.system.node_rhs {
            for i in 0..N {
                let size = if i < D {
                    psi[i].abs() * scale
                } else {
                    psi[i].abs()
                };
                if size > norm {
                    norm = size;
                }
            }
        }
        norm
    }

    /// Largest entry of the assembled right-hand side of the nodes and where it is.
    pub(crate) fn largest_residual(&self) -> (f64, usize) {
        let mut worst = (0.0, 0);
        for (node, rhs) in self.system.node_rhs.iter().enumerate() {
            for entry in rhs {
                if entry.abs() > worst.0 {
                    worst = (entry.abs(), node);
                }
            }
        }
        worst
    }
}

/// Memory for a model in the plane.
pub type PlanarWorkspace = Workspace<crate::group::Se2, 3>;
/// Memory for a model in space.
pub type SpatialWorkspace = Workspace<crate::group::Se3, 6>;
