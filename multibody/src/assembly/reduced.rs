//! Reduced bodies: see `model::reduced` for their equations.
//!
//! With the coordinates ζ of the interfaces as functions of the nodes' poses, E their gradient (and that
//! of the frame's twist and the modal coordinates), `f` the forces on (v, ω, ζ):
//!
//! ```text
//! (v, ω, η) = E v_nodes,   (v̇, ω̇, η̇) = E v̇_nodes + bias                         (1)
//! r = Eᵀ f,   δr = δEᵀ f + Eᵀ (f_place E ψ + (w_C f_rate + w_M f_change) E' T⁻¹ ψ)     (2)
//! E' = E + (w_C / w_M) ∂bias/∂v                                                        (3)
//! ```
//!
//! (3) carries the change of the bias with the velocities, which f_change meets; that with f_rate, and the
//! change of E with the place in (1), of the order of the step squared against the terms kept, are left
//! out of δr. The first term of δr, the geometric stiffness of the interface forces, is exact. The bias is
//! a quadratic form b of the velocities, so that its derivative along e is b(v + e) − b(v) − b(e).

use super::joints::{Geometric, JointKinematics};
use super::{Motion, Task, Wanted};
use crate::group::Group;
use crate::linear_solver::System;
use crate::model::reduced::{
    CurvedScratch, MOST_FIELDS, MountedShapes, RIGID, ShapeMotion, Shapes,
};
use crate::model::{ConstraintRow, Joint, Model};
use nalgebra::{DMatrix, SMatrix, SVector, Vector3};

/// Square of the frequency of coordinates that do not take part [rad²/s²]: above all others.
const IDLE: f64 = 1e14;

/// Scratch memory of a reduced body.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReducedScratch {
    forces: Vec<f64>,
    rows: Vec<f64>,
    by: [DMatrix<f64>; 2],
    curved: CurvedScratch,
    /// E, (6 + m) × (N · nodes), its product with the tangents, and Eᵀ with that.
    gradient: DMatrix<f64>,
    /// E' of eq. (3).
    moving: DMatrix<f64>,
    product: DMatrix<f64>,
    projected: DMatrix<f64>,
}

impl ReducedScratch {
    /// Makes room; allocates only where the size changes from body to body.
    fn fit(&mut self, shapes: &Shapes, unknowns: usize) {
        let order = RIGID + shapes.count();
        self.forces.clear();
        self.forces.resize(RIGID + shapes.fields(), 0.0);
        self.rows.resize(shapes.scratch(), 0.0);
        self.curved.fit(shapes);
        if self.gradient.shape() != (order, unknowns) {
            self.gradient = DMatrix::zeros(order, unknowns);
            self.moving = DMatrix::zeros(order, unknowns);
            self.product = DMatrix::zeros(order, unknowns);
            self.projected = DMatrix::zeros(unknowns, unknowns);
            self.by = [0; 2].map(|_| DMatrix::zeros(order, order));
        }
        self.gradient.fill(0.0);
    }
}

/// Factors of all fields of a body with their first two derivatives in time.
pub(crate) struct Coordinates {
    pub zeta: [f64; MOST_FIELDS],
    pub eta: [f64; MOST_FIELDS],
    pub eta_rate: [f64; MOST_FIELDS],
}

/// One coordinate of an interface.
struct Measured<const N: usize> {
    value: f64,
    by: [SVector<f64, N>; 2],
    rate: f64,
    bias: f64,
}

/// Coordinate `index` of an interface: displacement, or half the difference of two crossings.
fn measure<G: Group<N, D>, const N: usize, const D: usize>(
    kinematics: &JointKinematics<G, N, D>,
    joint: &Joint<G, D>,
    motion: &Motion<'_, G, N>,
    index: usize,
    dynamic: bool,
) -> Measured<N> {
    let mut out = Measured {
        value: 0.0,
        by: [SVector::zeros(); 2],
        rate: 0.0,
        bias: 0.0,
    };
    for (row, share) in shares(index, D) {
        let row = &joint.rows[row];
        let at = kinematics.row(joint, row, motion.inputs);
        out.value += share * at.value;
        for (sum, by) in out.by.iter_mut().zip(&at.by) {
            *sum += by * share;
        }
        if dynamic {
            let rates = kinematics.rates(joint, row, motion.inputs, &at);
            out.rate += share * rates.rate;
            out.bias += share * rates.acceleration_bias;
        }
    }
    out
}

/// The rows of a coordinate with their shares.
fn shares(index: usize, dimension: usize) -> impl Iterator<Item = (usize, f64)> {
    let rows = if index < dimension {
        [Some((index, 1.0)), None]
    } else {
        let first = dimension + 2 * (index - dimension);
        [Some((first, 0.5)), Some((first + 1, -0.5))]
    };
    rows.into_iter().flatten()
}

/// Rows that measure displacement and turn of an interface.
pub(crate) fn measuring_rows(dimension: usize) -> Vec<ConstraintRow> {
    let mut rows: Vec<ConstraintRow> = (0..dimension)
        .map(|axis| ConstraintRow::Position { axis, input: None })
        .collect();
    let pairs: &[(usize, usize)] = match dimension {
        2 => &[(1, 0)],
        _ => &[(2, 1), (0, 2), (1, 0)],
    };
    for &(i, j) in pairs {
        for (axis_a, axis_b) in [(i, j), (j, i)] {
            rows.push(ConstraintRow::Crossing { axis_a, axis_b });
        }
    }
    rows
}

/// The linear and angular part of a twist in three dimensions.
fn split<const N: usize, const D: usize>(v: &SVector<f64, N>) -> (Vector3<f64>, Vector3<f64>) {
    let linear = Vector3::from_fn(|i, _| if i < D { v[i] } else { 0.0 });
    let angular = Vector3::from_fn(|i, _| match D {
        2 if i == 2 => v[N - 1],
        2 => 0.0,
        _ => v[D + i],
    });
    (linear, angular)
}

/// Row of the twist's component `i` in (v, ω, ζ).
fn twist_row<const D: usize>(i: usize) -> usize {
    match D {
        2 if i == 2 => 5,
        _ => i,
    }
}

/// Coordinates of a body, and the rows of E if wanted.
#[inline(never)]
fn coordinates_of<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    body: &MountedShapes<G, D>,
    motion: &Motion<'_, G, N>,
    dynamic: bool,
    mut gradient: Option<&mut DMatrix<f64>>,
) -> Coordinates {
    let mut out = Coordinates {
        zeta: [0.0; MOST_FIELDS],
        eta: [0.0; MOST_FIELDS],
        eta_rate: [0.0; MOST_FIELDS],
    };
    let m = body.shapes.count();
    for (number, joint) in body.interfaces.iter().enumerate() {
        let kinematics = JointKinematics::new(model, joint, motion);
        for index in 0..N {
            let at = measure(&kinematics, joint, motion, index, dynamic);
            let k = number * N + index;
            out.zeta[k] = at.value;
            if let Some(gradient) = gradient.as_deref_mut() {
                for i in 0..N {
                    gradient[(RIGID + k, i)] = at.by[0][i];
                    gradient[(RIGID + k, (1 + number) * N + i)] = at.by[1][i];
                }
            }
            if dynamic {
                out.eta[k] = at.rate;
                out.eta_rate[k] = at.bias
                    + at.by[0].dot(&kinematics.bodies[0].acceleration)
                    + at.by[1].dot(&kinematics.bodies[1].acceleration); // (1)
            }
        }
    }
    let first = N * body.interfaces.len();
    for k in first..m {
        let (node, i) = ((k - first) / D, (k - first) % D);
        let global = body.modal[node];
        let start = model.initial_poses[global].translation()[i];
        out.zeta[k] = motion.poses[global].translation()[i] - start;
        if let Some(gradient) = gradient.as_deref_mut() {
            gradient[(RIGID + k, (1 + body.interfaces.len() + node) * N + i)] = 1.0;
        }
        if dynamic {
            out.eta[k] = motion.velocities[global][i];
            out.eta_rate[k] = motion.accelerations[global][i];
        }
    }
    if let Some(gradient) = gradient {
        for i in 0..N {
            gradient[(twist_row::<D>(i), i)] = 1.0;
        }
    }
    (body.shapes).extend(&mut out.zeta, &mut out.eta, &mut out.eta_rate);
    out
}

/// The motion of the shapes: `coordinates` with the twist of the frame and gravity in its axes.
fn shape_motion<'a, G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    body: &MountedShapes<G, D>,
    motion: &Motion<'_, G, N>,
    dynamic: bool,
    coordinates: &'a Coordinates,
) -> ShapeMotion<'a> {
    let m = body.shapes.fields();
    let gravity = motion.poses[body.frame].rotation().tr_mul(&model.gravity);
    let still = SVector::zeros();
    let (velocity, acceleration) = if dynamic {
        (
            &motion.velocities[body.frame],
            &motion.accelerations[body.frame],
        )
    } else {
        (&still, &still)
    };
    let ((v, omega), (v_rate, omega_rate)) = (split::<N, D>(velocity), split::<N, D>(acceleration));
    ShapeMotion {
        zeta: &coordinates.zeta[..m],
        eta: &coordinates.eta[..m],
        eta_rate: &coordinates.eta_rate[..m],
        v,
        omega,
        v_rate,
        omega_rate,
        gravity: Vector3::from_fn(|i, _| if i < D { gravity[i] } else { 0.0 }),
    }
}

pub(super) fn assemble<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    system: &mut System<N>,
) {
    if model.reduced.is_empty() {
        return;
    }
    let mut scratch = core::mem::take(&mut system.reduced);
    for body in &model.reduced {
        assemble_body(model, body, motion, task, wanted, (&mut scratch, system));
    }
    system.reduced = scratch;
}

#[inline(never)]
fn assemble_body<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    body: &MountedShapes<G, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    (scratch, system): (&mut ReducedScratch, &mut System<N>),
) {
    let shapes = &body.shapes;
    scratch.fit(shapes, N * body.node_count());
    let gradient = Some(&mut scratch.gradient);
    let coordinates = coordinates_of(model, body, motion, task.dynamic, gradient);
    let at = shape_motion(model, body, motion, task.dynamic, &coordinates);
    shapes.forces(&at, task.dynamic, &mut scratch.rows, &mut scratch.forces);
    shapes.contract(at.zeta, &mut scratch.forces);
    for (position, node) in body.nodes().enumerate() {
        for i in 0..N {
            let column = scratch.gradient.column(position * N + i);
            let terms = column.iter().zip(&scratch.forces).map(|(e, f)| e * f);
            system.node_rhs[node][i] -= terms.sum::<f64>();
        }
    }
    idle(model, body, motion, task, wanted, system);
    if wanted == Wanted::Tangent {
        tangents(shapes, &at, task, scratch);
        if task.dynamic {
            scratch.moving.copy_from(&scratch.gradient);
            add_bias_gradient(model, body, motion, task, &mut scratch.moving);
        }
        add_tangent(model, body, motion, task, (scratch, system));
        if task.weights.stiffness != 0.0 {
            add_geometric(
                model,
                body,
                motion,
                task.weights.stiffness,
                &scratch.forces,
                system,
            );
        }
    }
}

/// The second term of E', eq. (3).
fn add_bias_gradient<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    body: &MountedShapes<G, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    gradient: &mut DMatrix<f64>,
) {
    let ratio = task.weights.damping / task.weights.inertia;
    if !ratio.is_finite() || ratio == 0.0 {
        return;
    }
    for (number, joint) in body.interfaces.iter().enumerate() {
        let now = JointKinematics::new(model, joint, motion);
        let at = |kinematics: &JointKinematics<G, N, D>, index: usize| {
            measure(kinematics, joint, motion, index, true).bias
        };
        let still: [f64; N] = core::array::from_fn(|index| at(&now, index));
        for side in 0..2 {
            for j in 0..N {
                let unit = SVector::<f64, N>::from_fn(|i, _| f64::from(u8::from(i == j)));
                let (mut more, mut alone) = (now, now);
                more.bodies[side].velocity += unit;
                alone.bodies[side].velocity = unit;
                alone.bodies[1 - side].velocity.fill(0.0);
                let column = side * (1 + number) * N + j;
                for (index, still) in still.iter().enumerate() {
                    let slope = at(&more, index) - still - at(&alone, index);
                    gradient[(RIGID + number * N + index, column)] += ratio * slope;
                }
            }
        }
    }
}

/// Derivatives of the forces by (v, ω, ζ).
fn tangents(shapes: &Shapes, at: &ShapeMotion<'_>, task: &Task, scratch: &mut ReducedScratch) {
    let [place, moving] = &mut scratch.by;
    let (weights, dynamic, rows) = (&task.weights, task.dynamic, &scratch.rows);
    if shapes.quadratic.is_empty() {
        shapes.tangents(at, weights, dynamic, rows, [place, moving]);
        return;
    }
    let [wide_place, wide_moving] = &mut scratch.curved.by;
    shapes.tangents(at, weights, dynamic, rows, [wide_place, wide_moving]);
    let known = (rows.as_slice(), scratch.forces.as_slice());
    let curved = &mut scratch.curved;
    shapes.contract_tangents(at, (weights, dynamic), known, curved, [place, moving]);
}

/// The rows of E that the column `column` of a node at `position` has: (v, ω) of the frame, then the
/// coordinates of interfaces; none for modal nodes, whose rows are units.
fn gradient_rows<const N: usize, const D: usize>(
    interfaces: usize,
    position: usize,
    column: usize,
) -> (Option<usize>, core::ops::Range<usize>) {
    match position {
        0 => (Some(twist_row::<D>(column)), RIGID..RIGID + N * interfaces),
        _ if position <= interfaces => {
            let first = RIGID + N * (position - 1);
            (None, first..first + N)
        }
        _ => (None, 0..0),
    }
}

/// The row of (v, ω, ζ) that is column `column` of a modal node, if it is a mode.
fn modal_row<const N: usize, const D: usize>(
    interfaces: usize,
    shapes: usize,
    position: usize,
    column: usize,
) -> Option<usize> {
    let mode = N * interfaces + D * position.checked_sub(1 + interfaces)? + column;
    (column < D && mode < shapes).then_some(RIGID + mode)
}

/// Eᵀ (…) E of eq. (2), block by block.
fn add_tangent<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    body: &MountedShapes<G, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    (scratch, system): (&mut ReducedScratch, &mut System<N>),
) {
    let ReducedScratch {
        gradient,
        moving: moving_gradient,
        product,
        projected,
        by: [place, moving],
        ..
    } = scratch;
    let (interfaces, shapes) = (body.interfaces.len(), body.shapes.count());
    let order = gradient.nrows();
    product.fill(0.0);
    for (position, node) in body.nodes().enumerate() {
        for j in 0..N {
            let column = position * N + j;
            let target = &mut product.as_mut_slice()[column * order..(column + 1) * order];
            if let Some(mode) = modal_row::<N, D>(interfaces, shapes, position, j) {
                add_column(target, place, mode, 1.0);
                add_column(target, moving, mode, 1.0);
                continue;
            }
            let (unit, rows) = gradient_rows::<N, D>(interfaces, position, j);
            if let Some(unit) = unit {
                add_column(target, place, unit, 1.0);
            }
            for row in rows {
                add_column(target, place, row, gradient[(row, column)]);
            }
            if !task.dynamic {
                continue;
            }
            // E T⁻¹: column j of the map combines the columns of E.
            let map = motion.maps[node].column(j);
            for l in (0..N).filter(|_| position == 0) {
                add_column(target, moving, twist_row::<D>(l), map[l]);
            }
            let (_, rows) = gradient_rows::<N, D>(interfaces, position, j);
            for row in rows {
                let shares = (0..N).map(|l| map[l] * moving_gradient[(row, position * N + l)]);
                add_column(target, moving, row, shares.sum());
            }
        }
    }
    for column in 0..product.ncols() {
        let from = product.column(column);
        for position in 0..body.node_count() {
            for i in 0..N {
                let own = position * N + i;
                let sum = match modal_row::<N, D>(interfaces, shapes, position, i) {
                    Some(mode) => from[mode],
                    None => {
                        let (unit, rows) = gradient_rows::<N, D>(interfaces, position, i);
                        let rest = rows
                            .map(|row| gradient[(row, own)] * from[row])
                            .sum::<f64>();
                        unit.map_or(0.0, |unit| from[unit]) + rest
                    }
                };
                projected[(own, column)] = sum;
            }
        }
    }
    let block = |a: usize, b: usize| -> SMatrix<f64, N, N> {
        projected.fixed_view::<N, N>(a * N, b * N).into()
    };
    for (position, node) in body.nodes().enumerate() {
        system.diagonal[node] += block(position, position);
    }
    let mut pair = 0;
    for a in 0..body.node_count() {
        for b in a + 1..body.node_count() {
            if let Some(coupling) = body.couplings[pair] {
                system.add_coupling(&model.layout, coupling, &block(a, b), &block(b, a));
            }
            pair += 1;
        }
    }
}

/// Adds `share` times a column of a matrix.
fn add_column(target: &mut [f64], matrix: &DMatrix<f64>, column: usize, share: f64) {
    if share == 0.0 {
        return;
    }
    let order = target.len();
    let from = &matrix.as_slice()[column * order..(column + 1) * order];
    for (sum, x) in target.iter_mut().zip(from) {
        *sum += share * x;
    }
}

/// δEᵀ f of eq. (2).
fn add_geometric<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    body: &MountedShapes<G, D>,
    motion: &Motion<'_, G, N>,
    weight: f64,
    forces: &[f64],
    system: &mut System<N>,
) {
    for (number, joint) in body.interfaces.iter().enumerate() {
        let kinematics = JointKinematics::new(model, joint, motion);
        let mut geometric = Geometric::none();
        for index in 0..N {
            let force = forces[RIGID + number * N + index];
            for (row, share) in shares(index, D) {
                let row = &joint.rows[row];
                let at = kinematics.row(joint, row, motion.inputs);
                kinematics.add_geometric(joint, row, &at, share * force, &mut geometric);
            }
        }
        let k = kinematics.geometric_stiffness(joint, geometric);
        for (side, block) in kinematics.bodies.iter().zip([&k[0][0], &k[1][1]]) {
            if let Some(node) = side.node {
                system.diagonal[node] += block * weight;
            }
        }
        // The pair (frame, interface) is the first of those of the frame.
        if let Some(coupling) = body.couplings[number] {
            let (ab, ba) = (k[0][1] * weight, k[1][0] * weight);
            system.add_coupling(&model.layout, coupling, &ab, &ba);
        }
    }
}

/// Turns of the modal nodes and displacements left over: oscillators that nothing excites.
fn idle<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    body: &MountedShapes<G, D>,
    motion: &Motion<'_, G, N>,
    task: &Task,
    wanted: Wanted,
    system: &mut System<N>,
) {
    let modes = body.shapes.count() - N * body.interfaces.len();
    let mass = model.mass_scale;
    for (number, &node) in body.modal.iter().enumerate() {
        let pose = &motion.poses[node];
        let (start, rotation) = (model.initial_poses[node].translation(), pose.rotation());
        let used = modes - D * number;
        for i in 0..N {
            if i < D && i < used {
                continue;
            }
            let unit = if i < D {
                1.0
            } else {
                model.length_scale.powi(2)
            };
            let place = match i {
                i if i < D => pose.translation()[i] - start[i],
                i if i == N - 1 => rotation[(1, 0)],
                i if i == N - 2 => rotation[(0, 2)],
                _ => rotation[(2, 1)],
            };
            let change = if task.dynamic {
                motion.accelerations[node][i]
            } else {
                0.0
            };
            system.node_rhs[node][i] -= mass * unit * (IDLE * place + change);
            if wanted == Wanted::Residual {
                continue;
            }
            let inertia = if task.dynamic {
                task.weights.inertia
            } else {
                0.0
            };
            system.diagonal[node][(i, i)] +=
                mass * unit * (IDLE * task.weights.stiffness + inertia);
        }
    }
}

/// Kinetic, strain and gravity energy of a reduced body, and the power its damping takes out.
pub(crate) struct ReducedEnergies {
    pub kinetic: f64,
    pub strain: f64,
    pub gravity: f64,
    pub dissipated: f64,
}

#[inline(never)]
pub(crate) fn energies<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    body: &MountedShapes<G, D>,
) -> ReducedEnergies {
    let coordinates = coordinates_of(model, body, motion, true, None);
    let at = shape_motion(model, body, motion, true, &coordinates);
    let shapes = &body.shapes;
    let pose = &motion.poses[body.frame];
    let first = shapes.first_moment(at.zeta);
    let local = SVector::<f64, D>::from_fn(|i, _| first[i]);
    let weighted = pose.translation() * shapes.mass() + pose.rotation() * local;
    ReducedEnergies {
        kinetic: shapes.kinetic_energy(&at),
        strain: shapes.strain_energy(at.zeta),
        gravity: -model.gravity.dot(&weighted),
        dissipated: shapes.dissipated_power(at.eta),
    }
}

/// Coordinates of a reduced body.
#[inline(never)]
pub(crate) fn coordinates<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    motion: &Motion<'_, G, N>,
    body: &MountedShapes<G, D>,
) -> Coordinates {
    coordinates_of(model, body, motion, true, None)
}
