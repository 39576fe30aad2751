//! A model as a part of a larger system.
//!
//! Some inputs u of a model are unknowns of a larger system, which feels the forces f with which
//! the model resists them. Newton's system of the whole is reduced to the operator between the
//! changes of the two, by one solution for the model's own residual and one per input, all with
//! the same factors:
//!
//! ```text
//! K a = −r,     K b_j = −r_{u_j},     δ = a + Σ b_j δu_j                        (1)
//! δf = f_x a + S δu,     S_ij = f_{i,x} b_j + f_{i,u_j}                         (2)
//! ```
//!
//! The right-hand sides of the b_j are zero at the interior nodes of beams, and S asks for multipliers and
//! for nodes with joints only: (1) is solved at the skeleton for all columns side by side, and δ alone is
//! carried to the interior nodes (`linear_solver::SkeletonColumns`). Where a part of low rank couples
//! interior nodes, or an input is not a plain position, every column is solved at all nodes.
//!
//! With (2) the larger system finds δu, and (1) completes the correction: exactly Newton's method
//! on the whole, with the model eliminated. The forces are those *of the model on whatever moves
//! its inputs*: of a driver with the rows φ(x) − u and the multipliers λ, `f = λ`; of a moving
//! frame that carries the model by a fixed joint, `f = −φ_ψᵀ λ`, a wrench in the frame's axes, and
//! the input is the twist ψ of the frame.
//!
//! [`condensed`] does this inside a time step, [`equilibrium`] in equilibrium.

pub mod condensed;
pub mod equilibrium;

use crate::assembly::{Geometric, JointKinematics, Motion, Task, inputs};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::linear_solver::{Layout, SkeletonColumns, System};
use crate::model::{Body, ConstraintRow, FrameId, InputId, JointId, JointKind, Model};
use nalgebra::{DMatrix, SMatrix, SVector};

/// Rows of a fixed joint in space.
const MOST_FRAME_ROWS: usize = 6;

/// Inputs of a model that are unknowns of a larger system.
#[derive(Debug, Clone)]
pub struct Port {
    inputs: Vec<Driven>,
    frame: Option<Carried>,
}

/// An input that drives rows of joints.
#[derive(Debug, Clone)]
struct Driven {
    channel: usize,
    /// First row driven; its multiplier is the force.
    row: usize,
    /// The row measures a position: its derivative by the input is the number −1.
    plain: bool,
}

/// A moving frame and the fixed joint by which it carries the model.
#[derive(Debug, Clone, Copy)]
struct Carried {
    frame: FrameId,
    joint: JointId,
}

impl Port {
    /// The port made of `inputs`, each of which drives one row, and of the twist of a moving frame
    /// that carries the model by a fixed joint.
    pub fn new<G: Group<N, D>, const N: usize, const D: usize>(
        model: &Model<G, N, D>,
        inputs: &[InputId],
        carried: Option<(FrameId, JointId)>,
    ) -> Result<Self> {
        let inputs = inputs
            .iter()
            .map(|&input| Driven::find(model, input))
            .collect::<Result<_>>()?;
        let frame = carried.map(|(frame, joint)| Carried { frame, joint });
        if let Some(Carried { frame, joint }) = frame {
            let fixed = model.joints.get(joint.0).is_some_and(|joint| {
                joint.kind == JointKind::Fixed && joint.a.body == Body::Frame(frame)
            });
            if !fixed {
                return Err(Error::BadReference {
                    owner: format!("port, frame {}", frame.0),
                    problem: "the frame must carry the model by a fixed joint, as its body A",
                });
            }
        }
        Ok(Self { inputs, frame })
    }

    /// Number of directions for twists of `N` entries: the inputs, then the frame's twist.
    pub fn size<const N: usize>(&self) -> usize {
        self.inputs.len() + if self.frame.is_some() { N } else { 0 }
    }
}

impl Driven {
    fn find<G: Group<N, D>, const N: usize, const D: usize>(
        model: &Model<G, N, D>,
        input: InputId,
    ) -> Result<Self> {
        for joint in &model.joints {
            for (index, row) in joint.rows.iter().enumerate() {
                if row.input() == Some(input.0) {
                    return Ok(Self {
                        channel: input.0,
                        row: joint.first_row + index,
                        plain: matches!(row, ConstraintRow::Position { .. }),
                    });
                }
            }
        }
        Err(Error::BadReference {
            owner: format!("port, input {}", input.0),
            problem: "the input drives no joint of this model",
        })
    }
}

/// A solution of Newton's system: twists of the nodes, changes of the multipliers over the scale
/// of the constraints.
#[derive(Debug, Clone, PartialEq)]
struct Solution<const N: usize> {
    nodes: Vec<SVector<f64, N>>,
    rows: Vec<f64>,
}

impl<const N: usize> Solution<N> {
    fn zero(nodes: usize, rows: usize) -> Self {
        Self {
            nodes: vec![SVector::zeros(); nodes],
            rows: vec![0.0; rows],
        }
    }

    /// Solves for the right-hand side in `system`.
    fn solve<G: Group<N, D>, const D: usize>(
        &mut self,
        model: &Model<G, N, D>,
        system: &mut System<N>,
    ) {
        G::solve(system, &model.layout);
        self.nodes.copy_from_slice(&system.node_rhs);
        self.rows.copy_from_slice(&system.row_rhs);
    }
}

/// The moving frame's joint at the current iterate.
#[derive(Debug, Clone, Copy)]
struct FrameJoint<const N: usize> {
    first_row: usize,
    rows: usize,
    /// Node that the frame carries.
    node: usize,
    /// ∂φ/∂ψ of the frame, one row of the joint each.
    by: [SVector<f64, N>; MOST_FRAME_ROWS],
    /// Derivatives of the joint's force on the frame by the twists of frame and node, and of its
    /// force on the node by the frame's twist.
    frame_by_frame: SMatrix<f64, N, N>,
    frame_by_node: SMatrix<f64, N, N>,
    node_by_frame: SMatrix<f64, N, N>,
}

/// Solutions of (1) at all nodes.
#[derive(Debug, Clone)]
struct Everywhere<const N: usize> {
    own: Solution<N>,
    columns: Vec<Solution<N>>,
}

/// Eqs. (1) and (2) for one model, in memory made once.
#[derive(Debug, Clone)]
pub struct Condensation<const N: usize> {
    /// a, then the b_j, at the skeleton.
    columns: SkeletonColumns,
    /// The same at all nodes, where the skeleton does not suffice.
    everywhere: Option<Everywhere<N>>,
    frame: Option<FrameJoint<N>>,
    constraint_scale: f64,
    /// Forces f at the iterate [N, N·m].
    pub force: Vec<f64>,
    /// Their change f_x a by the model's own correction.
    pub force_change: Vec<f64>,
    /// S of eq. (2).
    pub operator: DMatrix<f64>,
}

impl<const N: usize> Condensation<N> {
    /// Memory for `model` at `port`.
    pub fn new<G: Group<N, D>, const D: usize>(model: &Model<G, N, D>, port: &Port) -> Self {
        let size = port.size::<N>();
        let suffices = model.layout.rank() == 0 && port.inputs.iter().all(|driven| driven.plain);
        let zero = || Solution::zero(model.node_count(), model.row_count);
        Self {
            columns: SkeletonColumns::new(&model.layout, 1 + size),
            everywhere: (!suffices).then(|| Everywhere {
                own: zero(),
                columns: vec![zero(); size],
            }),
            frame: None,
            constraint_scale: 1.0,
            force: vec![0.0; size],
            force_change: vec![0.0; size],
            operator: DMatrix::zeros(size, size),
        }
    }

    /// Takes the assembled right-hand side and the factorised matrix in `system` and solves (1);
    /// fills (2).
    fn condense<G: Group<N, D>, const D: usize>(
        &mut self,
        model: &Model<G, N, D>,
        motion: &Motion<'_, G, N>,
        task: &Task,
        system: &mut System<N>,
        port: &Port,
    ) {
        let scale = task.constraint_scale;
        self.constraint_scale = scale;
        self.frame = port
            .frame
            .map(|carried| FrameJoint::new(model, motion, carried));
        match &mut self.everywhere {
            None => self.solve_at_skeleton(model, system, port),
            Some(everywhere) => {
                let frame = self.frame.as_ref();
                everywhere.solve((model, motion), system, (port, frame), scale);
                let Everywhere { own, columns } = &*everywhere;
                for (index, solution) in core::iter::once(own).chain(columns).enumerate() {
                    let values = (&solution.nodes[..], &solution.rows[..]);
                    self.columns.set_column(&model.layout, index, values);
                }
            }
        }
        self.fill_forces(&model.layout, port, motion.multipliers);
        self.fill_operator(&model.layout, port);
    }

    /// Solves (1) at the skeleton.
    fn solve_at_skeleton<G: Group<N, D>, const D: usize>(
        &mut self,
        model: &Model<G, N, D>,
        system: &mut System<N>,
        port: &Port,
    ) {
        let (layout, scale, columns) = (&model.layout, self.constraint_scale, &mut self.columns);
        columns.clear_directions();
        for (index, driven) in (1..).zip(&port.inputs) {
            columns.set_row(layout, index, driven.row, scale); // −s φ_u
        }
        if let Some(frame) = &self.frame {
            for (k, index) in (0..N).zip(1 + port.inputs.len()..) {
                for (row, by) in (frame.first_row..).zip(&frame.by[..frame.rows]) {
                    columns.set_row(layout, index, row, -scale * by[k]);
                }
                let force: SVector<f64, N> = -frame.node_by_frame.column(k);
                columns.set_node(layout, index, frame.node, &force);
            }
        }
        G::solve_columns(system, layout, columns);
    }

    /// The same with the factors and the columns of an earlier iterate: only the model's own
    /// correction and the forces are new.
    fn refresh<G: Group<N, D>, const D: usize>(
        &mut self,
        model: &Model<G, N, D>,
        motion: &Motion<'_, G, N>,
        system: &mut System<N>,
        port: &Port,
    ) {
        let layout = &model.layout;
        match &mut self.everywhere {
            None => system.solve_first_column(layout, &mut self.columns),
            Some(Everywhere { own, .. }) => {
                own.solve(model, system);
                self.columns.set_column(layout, 0, (&own.nodes, &own.rows));
            }
        }
        self.frame = port
            .frame
            .map(|carried| FrameJoint::new(model, motion, carried));
        self.fill_forces(layout, port, motion.multipliers);
    }

    /// Forces and their change by the model's own correction.
    fn fill_forces(&mut self, layout: &Layout<N>, port: &Port, multipliers: &[f64]) {
        let (scale, columns) = (self.constraint_scale, &self.columns);
        for (i, driven) in port.inputs.iter().enumerate() {
            self.force[i] = multipliers[driven.row];
            self.force_change[i] = scale * columns.row(layout, 0, driven.row);
        }
        let Some(frame) = &self.frame else { return };
        let inputs = port.inputs.len();
        let wrench = frame.transpose_by(&multipliers[frame.first_row..]);
        let change = frame.change(layout, (columns, 0), scale);
        for k in 0..N {
            self.force[inputs + k] = -wrench[k];
            self.force_change[inputs + k] = -change[k];
        }
    }

    /// S of eq. (2) from the columns.
    fn fill_operator(&mut self, layout: &Layout<N>, port: &Port) {
        let Self {
            columns,
            frame,
            constraint_scale: scale,
            operator,
            ..
        } = self;
        let size = operator.ncols();
        for (i, driven) in port.inputs.iter().enumerate() {
            for j in 0..size {
                operator[(i, j)] = *scale * columns.row(layout, 1 + j, driven.row);
            }
        }
        let Some(frame) = frame else { return };
        let inputs = port.inputs.len();
        for j in 0..size {
            let mut total = frame.change(layout, (columns, 1 + j), *scale);
            if j >= inputs {
                total += frame.frame_by_frame.column(j - inputs);
            }
            for k in 0..N {
                operator[(inputs + k, j)] = -total[k];
            }
        }
    }

    /// Writes δ of eq. (1) for the changes `delta` of the inputs into the right-hand side of
    /// `system`, which is as the solution left it.
    fn expand<G: Group<N, D>, const D: usize>(
        &self,
        model: &Model<G, N, D>,
        system: &mut System<N>,
        delta: &[f64],
    ) {
        let Some(Everywhere { own, columns }) = &self.everywhere else {
            G::complete(system, &model.layout, &self.columns, delta);
            return;
        };
        system.node_rhs.copy_from_slice(&own.nodes);
        system.row_rhs.copy_from_slice(&own.rows);
        for (column, &factor) in columns.iter().zip(delta) {
            for (node, part) in system.node_rhs.iter_mut().zip(&column.nodes) {
                *node += part * factor;
            }
            for (row, part) in system.row_rhs.iter_mut().zip(&column.rows) {
                *row += part * factor;
            }
        }
    }
}

impl<const N: usize> Everywhere<N> {
    /// Solves (1) with the residual in the right-hand side of `system`.
    fn solve<G: Group<N, D>, const D: usize>(
        &mut self,
        (model, motion): (&Model<G, N, D>, &Motion<'_, G, N>),
        system: &mut System<N>,
        (port, frame): (&Port, Option<&FrameJoint<N>>),
        scale: f64,
    ) {
        self.own.solve(model, system);
        for (driven, column) in port.inputs.iter().zip(&mut self.columns) {
            if driven.plain {
                system.clear_rhs();
                system.row_rhs[driven.row] = scale; // −s φ_u
            } else {
                inputs::input_column(model, motion, driven.channel, scale, system);
            }
            column.solve(model, system);
        }
        let Some(frame) = frame else { return };
        for (k, column) in self.columns[port.inputs.len()..].iter_mut().enumerate() {
            system.clear_rhs();
            for (row, by) in frame.by[..frame.rows].iter().enumerate() {
                system.row_rhs[frame.first_row + row] = -scale * by[k];
            }
            system.node_rhs[frame.node] = -frame.node_by_frame.column(k);
            column.solve(model, system);
        }
    }
}

impl<const N: usize> FrameJoint<N> {
    fn new<G: Group<N, D>, const D: usize>(
        model: &Model<G, N, D>,
        motion: &Motion<'_, G, N>,
        carried: Carried,
    ) -> Self {
        let joint = &model.joints[carried.joint.0];
        let kinematics = JointKinematics::new(model, joint, motion);
        let mut by = [SVector::zeros(); MOST_FRAME_ROWS];
        let mut geometric = Geometric::none();
        let multipliers = &motion.multipliers[joint.first_row..];
        for ((row, out), &lambda) in joint.rows.iter().zip(&mut by).zip(multipliers) {
            let row = kinematics.row(joint, row, motion.inputs);
            geometric.add::<G>(&kinematics.r, &row, lambda);
            *out = row.by[0]; // a fixed joint does no work: also its forces
        }
        let k = kinematics.geometric_stiffness(joint, geometric);
        Self {
            first_row: joint.first_row,
            rows: joint.rows.len().min(MOST_FRAME_ROWS),
            node: kinematics.bodies[1].node.unwrap_or(0),
            by,
            frame_by_frame: k[0][0],
            frame_by_node: k[0][1],
            node_by_frame: k[1][0],
        }
    }

    /// Change of Σ φ_ψᵀ λ with a solution of the model.
    fn change(
        &self,
        layout: &Layout<N>,
        (columns, index): (&SkeletonColumns, usize),
        scale: f64,
    ) -> SVector<f64, N> {
        let rows: [f64; MOST_FRAME_ROWS] = core::array::from_fn(|row| {
            if row < self.rows {
                columns.row(layout, index, self.first_row + row)
            } else {
                0.0
            }
        });
        self.transpose_by(&rows) * scale
            + self.frame_by_node * columns.node(layout, index, self.node)
    }

    /// Σ φ_ψᵀ λ of the frame.
    fn transpose_by(&self, multipliers: &[f64]) -> SVector<f64, N> {
        let mut sum = SVector::zeros();
        for (by, lambda) in self.by[..self.rows].iter().zip(multipliers) {
            sum += by * *lambda;
        }
        sum
    }
}
