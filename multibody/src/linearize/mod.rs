//! Linearisation about an equilibrium to a state-space model in independent coordinates.
//!
//! With the reduction of [`crate::modal`] in coordinates z (`ψ = W z`, `φ_q W = 0`) and the force
//! `F δu` of the inputs on the nodes:
//!
//! ```text
//! x = (z, ż),   ẋ = A x + B δu,   δy = C x + D δu                              (1)
//! A = [0, I; −M⁻¹K, −M⁻¹C],   B = [0; M⁻¹ Wᵀ F],   M = WᵀMW etc.               (2)
//! δy = y_ψ W z + y_v W ż          (angles, points, lines: at rest y_ψ̇ = y_v)   (3)
//! δλ = (φ_qᵀ)⁺ (F δu − M W z̈ − C W ż − K W z)   (multipliers)                  (4)
//! z  = L ψ,   L = (WᵀMW)⁻¹ WᵀM                  (reading a nonlinear state)     (5)
//! ```
//!
//! The coordinates are chosen by [`Coordinates`]; with named angles θ = g·ψ the basis is
//! `W = Z [G⁺, G⁰]`, `G = gᵀZ`, so that the first coordinates *are* these angles and the others do
//! not move them. Modal coordinates can be cut to the slowest ones; the others then follow the
//! inputs at once, `z_i = x_iᵀ F δu/ω_i²`, if the static correction is asked for:
//!
//! ```text
//! D ← D + Σ_cut y_ψ x_i x_iᵀ F/ω_i²                                            (6)
//! ```

mod input;
mod output;
mod reduced;
mod response;
#[cfg(test)]
mod tests;

pub use output::{Label, Output};
pub use reduced::{RESPONSE_TOLERANCE, Reduced};
pub use response::{Response, ResponseError};

use crate::assembly::hinge::{Hinge, unwrap_angle};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::modal::{Reduction, SecondOrder, reduce};
use crate::model::{InputId, JointId, Model};
use crate::state::State;
use crate::workspace::Workspace;
use core::f64::consts::TAU;
use nalgebra::{DMatrix, DVector};
use output::Measurement;

/// Choice of the independent coordinates z.
#[derive(Debug, Clone, PartialEq)]
pub enum Coordinates {
    /// An orthonormal basis of the motions the constraints allow [m]; rotations count with the
    /// model's length.
    NullSpace,
    /// Angles of revolute or cylindrical joints first [rad], then motions that leave them alone
    /// [m].
    Angles(Vec<JointId>),
    /// Mass-normalised undamped modes, slowest first [m·√kg].
    Modal {
        /// Number of modes kept.
        count: usize,
        /// Let the modes that are cut respond statically, eq. (6).
        static_correction: bool,
    },
}

/// What to linearise.
#[derive(Debug, Clone, PartialEq)]
pub struct Request<const D: usize> {
    /// Coordinates.
    pub coordinates: Coordinates,
    /// Inputs δu: channels of forces, torques and targets of holds. The rate of the target of a hold with
    /// damping is an input too, behind all others.
    pub inputs: Vec<InputId>,
    /// Outputs δy.
    pub outputs: Vec<Output<D>>,
}

/// A state-space model about an equilibrium, eq. (1). All quantities are deviations from it.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    /// A, shape 2f × 2f.
    pub a: DMatrix<f64>,
    /// B, shape 2f × inputs.
    pub b: DMatrix<f64>,
    /// C, shape outputs × 2f.
    pub c: DMatrix<f64>,
    /// D, shape outputs × inputs.
    pub d: DMatrix<f64>,
    /// States: the coordinates z, then their rates.
    pub states: Vec<Label>,
    /// Inputs.
    pub inputs: Vec<Label>,
    /// Outputs.
    pub outputs: Vec<Label>,
    /// Values of the inputs at the equilibrium.
    pub input_values: Vec<f64>,
    /// Values of the outputs at the equilibrium.
    pub output_values: Vec<f64>,
    /// W: twists of all nodes, N rows each, per unit of each coordinate.
    pub basis: DMatrix<f64>,
    /// L of eq. (5).
    reader: DMatrix<f64>,
    angles: Vec<JointId>,
}

/// Everything in the coordinates chosen, before modes are cut.
struct Coordinated {
    basis: DMatrix<f64>,
    system: SecondOrder,
    names: Vec<Label>,
    angles: Vec<JointId>,
}

/// Part of an angle's gradient that must be left free by the constraints and the other angles.
const INDEPENDENT: f64 = 1e-9;

/// Linearises `model` about the equilibrium `state`.
pub fn linearize<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    request: &Request<D>,
) -> Result<LinearModel> {
    G::linearize(model, state, workspace, request)
}

/// [`linearize`], compiled for a group.
pub(crate) fn linearize_of_group<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    request: &Request<D>,
) -> Result<LinearModel> {
    let reduction = reduce(model, state, workspace)?;
    let mut rest = state.clone();
    rest.stop();
    rest.inputs.rate.fill(0.0);
    rest.multipliers.clone_from(&reduction.multipliers);

    let inputs = input::labels(model, &request.inputs)?;
    let force = input::forces(model, &rest, workspace, &request.inputs);
    let measured: Vec<Measurement<N>> = request
        .outputs
        .iter()
        .map(|output| output::measure(model, &rest, output))
        .collect::<Result<_>>()?;
    let chosen = coordinate(model, &rest, &reduction, &request.coordinates)?;
    let (a, b, reader) = state_space(&chosen, &force, &reduction.full.mass)?;
    let motion = Motions {
        reduction: &reduction,
        basis: &chosen.basis,
        force: &force,
        a: &a,
        b: &b,
    };
    let (c, d) = output_matrices(&motion, &measured);
    let rates = chosen.names.iter().map(Label::rate).collect::<Vec<_>>();
    let full = LinearModel {
        a,
        b,
        c,
        d,
        states: chosen.names.into_iter().chain(rates).collect(),
        inputs,
        outputs: measured.iter().map(|m| m.label.clone()).collect(),
        input_values: input::values(model, &rest, &request.inputs),
        output_values: measured.iter().map(|m| m.value).collect(),
        basis: chosen.basis,
        reader,
        angles: chosen.angles,
    };
    match request.coordinates {
        Coordinates::Modal {
            count,
            static_correction,
        } => full.cut(count, static_correction),
        _ => Ok(full),
    }
}

/// A and B of eq. (2) and L of eq. (5), given the full mass matrix.
fn state_space(
    chosen: &Coordinated,
    force: &DMatrix<f64>,
    full_mass: &DMatrix<f64>,
) -> Result<(DMatrix<f64>, DMatrix<f64>, DMatrix<f64>)> {
    let (order, inputs) = (chosen.system.order(), force.ncols());
    let Some(mass) = chosen.system.mass.clone().cholesky() else {
        return Err(Error::Modal {
            problem: "the mass matrix is singular in the coordinates chosen",
            asked: order,
            available: 0,
        });
    };
    let square = (order, order);
    let mut a = DMatrix::zeros(2 * order, 2 * order);
    a.view_mut((0, order), square).fill_with_identity();
    a.view_mut((order, 0), square)
        .copy_from(&-mass.solve(&chosen.system.stiffness));
    a.view_mut((order, order), square)
        .copy_from(&-mass.solve(&chosen.system.damping));
    let mut b = DMatrix::zeros(2 * order, inputs);
    b.view_mut((order, 0), (order, inputs))
        .copy_from(&mass.solve(&chosen.basis.tr_mul(force)));
    let reader = mass.solve(&chosen.basis.tr_mul(full_mass));
    Ok((a, b, reader))
}

/// Basis and system in the coordinates asked for.
fn coordinate<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    rest: &State<G, N>,
    reduction: &Reduction<N>,
    coordinates: &Coordinates,
) -> Result<Coordinated> {
    let order = reduction.system.order();
    let plain = |i: usize| Label {
        name: format!("coordinate {i}"),
        unit: "m",
    };
    match coordinates {
        Coordinates::NullSpace => Ok(Coordinated {
            basis: reduction.basis.clone(),
            system: reduction.system.clone(),
            names: (0..order).map(plain).collect(),
            angles: Vec::new(),
        }),
        Coordinates::Angles(joints) => {
            let t = angle_transform(model, rest, reduction, joints)?;
            let angle = |joint: &JointId| Label {
                name: format!("angle of {}", model.joints[joint.0].name),
                unit: "rad",
            };
            let others = (joints.len()..order).map(plain);
            Ok(Coordinated {
                basis: &reduction.basis * &t,
                system: reduction.system.transformed(&t),
                names: joints.iter().map(angle).chain(others).collect(),
                angles: joints.clone(),
            })
        }
        Coordinates::Modal { .. } => {
            let modal = reduction.system.modal_basis()?;
            modal.require_conservative()?;
            // A stiffness that is zero but for rounding is zero: a neutral mode neither oscillates
            // nor grows.
            let known = |i: usize| {
                let omega_squared = modal.omega_squared[i];
                if omega_squared.abs() <= modal.resolution[i] {
                    0.0
                } else {
                    omega_squared
                }
            };
            let mode = |i: usize| {
                let omega_squared = known(i);
                let name = if omega_squared == 0.0 {
                    format!("mode {}, neutral", i + 1)
                } else if omega_squared > 0.0 {
                    format!("mode {} at {:.6} Hz", i + 1, omega_squared.sqrt() / TAU)
                } else {
                    let growth = (-omega_squared).sqrt();
                    format!("mode {} growing with {growth:.6} per second", i + 1)
                };
                Label {
                    name,
                    unit: "m·√kg",
                }
            };
            let mut system = reduction.system.transformed(&modal.shapes);
            system.mass = DMatrix::identity(order, order);
            system.stiffness = DMatrix::from_diagonal(&DVector::from_fn(order, |i, _| known(i)));
            Ok(Coordinated {
                basis: &reduction.basis * &modal.shapes,
                system,
                names: (0..order).map(mode).collect(),
                angles: Vec::new(),
            })
        }
    }
}

/// `[G⁺, G⁰]` of the module's head, from the QR factors of Gᵀ.
fn angle_transform<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    rest: &State<G, N>,
    reduction: &Reduction<N>,
    joints: &[JointId],
) -> Result<DMatrix<f64>> {
    let order = reduction.system.order();
    let mut gradients = DMatrix::zeros(order, joints.len());
    for (column, &joint) in joints.iter().enumerate() {
        let measured = output::measure(model, rest, &Output::Angle(joint))?;
        let gradient = output::dense(&measured.by_position, reduction.basis.nrows());
        gradients
            .column_mut(column)
            .copy_from(&reduction.basis.tr_mul(&gradient));
    }
    let qr = gradients.clone().qr();
    let r = qr.r();
    for (column, joint) in joints.iter().enumerate() {
        let free = if column < order {
            r[(column, column)].abs()
        } else {
            0.0
        };
        // A gradient of one per model length is usual.
        if free <= INDEPENDENT / model.length_scale {
            return Err(Error::BadReference {
                owner: model.joints[joint.0].name.clone(),
                problem: "its angle is fixed by the constraints or follows from the angles named before it",
            });
        }
    }
    let mut q_transposed = DMatrix::identity(order, order);
    if !joints.is_empty() {
        qr.q_tr_mul(&mut q_transposed);
    }
    let mut t = q_transposed.transpose();
    // G⁺ = Q₁ R⁻ᵀ, so R (G⁺)ᵀ = Q₁ᵀ; the diagonal of R was checked.
    let mut right = q_transposed.rows(0, joints.len()).into_owned();
    let solved = r.solve_upper_triangular_mut(&mut right);
    debug_assert!(solved);
    for i in 0..joints.len() {
        t.set_column(i, &right.row(i).transpose());
    }
    Ok(t)
}

/// What the outputs are made of.
struct Motions<'a, const N: usize> {
    reduction: &'a Reduction<N>,
    basis: &'a DMatrix<f64>,
    force: &'a DMatrix<f64>,
    a: &'a DMatrix<f64>,
    b: &'a DMatrix<f64>,
}

/// C and D, eqs. (3) and (4).
fn output_matrices<const N: usize>(
    motion: &Motions<'_, N>,
    measured: &[Measurement<N>],
) -> (DMatrix<f64>, DMatrix<f64>) {
    let (nodes, order) = motion.basis.shape();
    let count = motion.b.ncols();
    let mut c = DMatrix::zeros(measured.len(), 2 * order);
    let mut d = DMatrix::zeros(measured.len(), count);
    let reactions = measured
        .iter()
        .any(|m| m.multiplier.is_some())
        .then(|| multiplier_matrices(motion));
    for (i, m) in measured.iter().enumerate() {
        if let (Some(row), Some((by_state, by_input))) = (m.multiplier, &reactions) {
            c.row_mut(i).copy_from(&by_state.row(row));
            d.row_mut(i).copy_from(&by_input.row(row));
            continue;
        }
        for (part, gradient) in [(0, &m.by_position), (order, &m.by_velocity)] {
            let row = output::dense(gradient, nodes).tr_mul(motion.basis); // (3)
            c.view_mut((i, part), (1, order)).copy_from(&row);
        }
    }
    (c, d)
}

/// Multipliers by state and by input, eq. (4).
fn multiplier_matrices<const N: usize>(motion: &Motions<'_, N>) -> (DMatrix<f64>, DMatrix<f64>) {
    let full = &motion.reduction.full;
    let order = motion.basis.ncols();
    let inertia = &full.mass * motion.basis;
    let mut force = &inertia * motion.a.rows(order, order);
    let mut positions = force.columns_mut(0, order);
    positions += &full.stiffness * motion.basis;
    let mut rates = force.columns_mut(order, order);
    rates += &full.damping * motion.basis;
    let by_input = motion.force - inertia * motion.b.rows(order, order);
    let constraints = &motion.reduction.constraints;
    (
        constraints.multipliers(&-force),
        constraints.multipliers(&by_input),
    )
}

impl LinearModel {
    /// Number of coordinates z; the states are twice as many.
    pub fn order(&self) -> usize {
        self.basis.ncols()
    }

    /// Keeps the first `count` coordinates, which must be decoupled from the others in stiffness
    /// (modes); the others may be let respond statically, eq. (6).
    pub fn cut(&self, count: usize, static_correction: bool) -> Result<Self> {
        let order = self.order();
        if count == 0 || count > order {
            return Err(Error::Modal {
                problem: "the number of modes to keep must be one to all",
                asked: count,
                available: order,
            });
        }
        let kept: Vec<usize> = (0..count).chain(order..order + count).collect();
        let mut d = self.d.clone();
        if static_correction {
            for i in count..order {
                let stiffness = -self.a[(order + i, i)];
                d += self.c.column(i) * self.b.row(order + i) / stiffness; // (6)
            }
        }
        Ok(Self {
            a: self.a.select_rows(&kept).select_columns(&kept),
            b: self.b.select_rows(&kept),
            c: self.c.select_columns(&kept),
            d,
            states: kept.iter().map(|&i| self.states[i].clone()).collect(),
            basis: self.basis.columns(0, count).into_owned(),
            reader: self.reader.rows(0, count).into_owned(),
            ..self.clone()
        })
    }

    /// The state x of the linear model that a state of the nonlinear one corresponds to, eq. (5):
    /// node displacements and velocities from `equilibrium`, weighted by mass; named angles
    /// exactly.
    pub fn state_of<G: Group<N, D>, const N: usize, const D: usize>(
        &self,
        model: &Model<G, N, D>,
        equilibrium: &State<G, N>,
        state: &State<G, N>,
    ) -> Result<DVector<f64>> {
        let size = self.basis.nrows();
        let (mut psi, mut psi_dot) = (DVector::zeros(size), DVector::zeros(size));
        for (node, (from, to)) in equilibrium.poses.iter().zip(&state.poses).enumerate() {
            let twist = from.between(to).log().map_err(|error| Error::OutOfRange {
                owner: model.node_names[node].clone(),
                quantity: "rotation away from the equilibrium",
                value: error.angle_rad,
                allowed: "less than half a turn",
            })?;
            let rate = G::tangent_inverse(&twist) * state.velocities[node];
            psi.fixed_rows_mut::<N>(node * N).copy_from(&twist);
            psi_dot.fixed_rows_mut::<N>(node * N).copy_from(&rate);
        }
        let order = self.order();
        let mut x = DVector::zeros(2 * order);
        x.rows_mut(0, order).copy_from(&(&self.reader * psi));
        x.rows_mut(order, order)
            .copy_from(&(&self.reader * psi_dot));
        for (i, &joint) in self.angles.iter().enumerate() {
            let start = equilibrium.angles[joint.0];
            let hinge = Hinge::new(model, &model.joints[joint.0], &state.motion(), start);
            x[i] = unwrap_angle(hinge.angle, state.angles[joint.0]) - start;
            x[order + i] = hinge.rate;
        }
        Ok(x)
    }
}
