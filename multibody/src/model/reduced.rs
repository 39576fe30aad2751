//! A flexible body with few coordinates: a moving frame and deformations in given shapes.
//!
//! In the axes of the moving frame a material point that lies at X in the undeformed body is at
//!
//! ```text
//! x = X + Σ_k ζ_k φ_k(X)                                                        (1)
//! a = α + B x + 2 ω × Σ η_k φ_k + Σ η̇_k φ_k,  α = v̇ + ω × v − Rᵀg,  B = ω̃̇ + ω̃ω̃   (2)
//! ```
//!
//! with the twist (v, ω) of the frame, η = ζ̇, and gravity g. Rigid motion is exact. Inertia forces by
//! virtual power, dual to (v, ω, ζ):
//!
//! ```text
//! f_v = ∫ a dm,   f_ω = ∫ x × a dm,   f_ζk = ∫ φ_k · a dm + Σ_l (K_kl ζ_l + D_kl η_l)   (3)
//! ```
//!
//! All integrals are entries of one matrix of moments, with ψ = (1, X_1, X_2, X_3, φ_1x, φ_1y, φ_1z, …):
//!
//! ```text
//! S = ∫ ψ ψᵀ dm,   a = A ψ,   P = A S,
//! A = [α | B | ζ_1 B + 2 η_1 ω̃ + η̇_1 I | …]                                      (4)
//! ```
//!
//! What point masses along the body do not carry (rotary inertia of sections, and the difference of the
//! mass matrix of the elements from that of the points) is a constant mass matrix ΔM on (v, ω, η), with
//! the gyroscopic moment ω × ΔM_ωω ω.
//!
//! The coordinates ζ are first the displacements and turns of the interfaces 2, 3, … against the frame,
//! which is interface 1 (Craig & Bampton's constraint modes), N each, then those of modes. The turn of
//! an interface is half the axial vector of Q − Qᵀ, Q its rotation against the frame: its rates are
//! exact, and its difference from the rotation vector is of third order.
//!
//! Geometric stiffening is that of fields of second order (`curved`): the last n of the fields φ move by
//! quadratic forms of the m coordinates before them, and K, D, S and ΔM are those of all m + n. A body
//! without them (n = 0) is one of small deformations whose stiffness does not know of axial forces.
//!
//! Sources: Craig & Bampton 1968 (`craig1968`); the moments without further integrals, Zwölfer &
//! Gerstmayr 2021 (`zwolfer2021`). In the plane the same arrays are used with z = 0.

mod curved;

pub(crate) use curved::CurvedScratch;

use super::joint::Joint;
use crate::element::inertia::Weights;
use crate::error::{Error, Result};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// Inertia and stiffness of a body in its shapes.
#[derive(Debug, Clone, PartialEq)]
pub struct Shapes {
    /// S of eq. (4), 4 + 3 (m + n) square [kg, kg·m, …].
    pub moments: DMatrix<f64>,
    /// ΔM on (v, ω, η), 6 + m + n square.
    pub rest_mass: DMatrix<f64>,
    /// K, m + n square.
    pub stiffness: DMatrix<f64>,
    /// D, m + n square.
    pub damping: DMatrix<f64>,
    /// H_p, m × m and symmetric, of the n fields of second order.
    pub quadratic: Vec<DMatrix<f64>>,
    /// Parts of S by components.
    parts: [DMatrix<f64>; 9],
    /// Whether component a of field k is there at all, 3 k + a: many fields move along one axis only.
    live: Vec<bool>,
}

/// Share of the largest mass moment below which a component of a field is rounding.
const STILL: f64 = 1e-24;

/// Where a body and its shapes move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShapeMotion<'a> {
    pub zeta: &'a [f64],
    pub eta: &'a [f64],
    pub eta_rate: &'a [f64],
    pub v: Vector3<f64>,
    pub omega: Vector3<f64>,
    pub v_rate: Vector3<f64>,
    pub omega_rate: Vector3<f64>,
    /// Gravity in the axes of the frame.
    pub gravity: Vector3<f64>,
}

/// Most shapes that a body may have.
pub const MOST_SHAPES: usize = 96;

/// Most fields of second order.
pub const MOST_QUADRATIC: usize = 16;

/// Most fields of both kinds.
pub(crate) const MOST_FIELDS: usize = MOST_SHAPES + MOST_QUADRATIC;

/// First three of (v, ω, ζ) in a vector of forces: v; then ω; then ζ.
pub(crate) const RIGID: usize = 6;

impl Shapes {
    /// From S of eq. (4), ΔM, K and D, without fields of second order.
    pub fn new(
        mut moments: DMatrix<f64>,
        rest_mass: DMatrix<f64>,
        stiffness: DMatrix<f64>,
        damping: DMatrix<f64>,
    ) -> Self {
        let count = stiffness.nrows().min(moments.nrows().saturating_sub(4) / 3);
        let live = Self::clear_still(&mut moments, count);
        Self {
            parts: Self::shape_parts(&moments, count),
            live,
            moments,
            rest_mass,
            stiffness,
            damping,
            quadratic: Vec::new(),
        }
    }

    /// The same with the last fields moving by ½ ζᵀ H_p ζ.
    #[must_use]
    pub fn with_quadratic(self, quadratic: Vec<DMatrix<f64>>) -> Self {
        Self { quadratic, ..self }
    }

    /// Clears the components of fields that are but rounding, and says which are not.
    fn clear_still(moments: &mut DMatrix<f64>, count: usize) -> Vec<bool> {
        // ∫ φ_a² dm of each component against the largest of its field.
        let square =
            |moments: &DMatrix<f64>, k: usize, a: usize| moments[(4 + 3 * k + a, 4 + 3 * k + a)];
        let mut live = vec![true; 3 * count];
        for k in 0..count {
            let largest = (0..3).map(|a| square(moments, k, a)).fold(0.0, f64::max);
            for a in 0..3 {
                if square(moments, k, a) <= STILL * largest {
                    live[3 * k + a] = false;
                    moments.row_mut(4 + 3 * k + a).fill(0.0);
                    moments.column_mut(4 + 3 * k + a).fill(0.0);
                }
            }
        }
        live
    }

    /// Number of coordinates m.
    pub fn count(&self) -> usize {
        self.fields().saturating_sub(self.quadratic.len())
    }

    /// Number of fields m + n.
    pub fn fields(&self) -> usize {
        self.stiffness.nrows()
    }

    /// Mass [kg].
    pub fn mass(&self) -> f64 {
        self.moments[(0, 0)]
    }

    pub(crate) fn validate(&self, name: &str) -> Result<()> {
        let (count, m) = (self.count(), self.fields());
        let square = |matrix: &DMatrix<f64>, size: usize| matrix.shape() == (size, size);
        let ok = count <= MOST_SHAPES
            && self.quadratic.len() <= MOST_QUADRATIC
            && self.quadratic.iter().all(|h| square(h, count))
            && square(&self.moments, 4 + 3 * m)
            && square(&self.rest_mass, RIGID + m)
            && square(&self.stiffness, m)
            && square(&self.damping, m);
        let all = [
            &self.moments,
            &self.rest_mass,
            &self.stiffness,
            &self.damping,
        ];
        let finite = all
            .into_iter()
            .chain(&self.quadratic)
            .all(|matrix| matrix.iter().all(|x| x.is_finite()));
        if ok && finite && self.mass() > 0.0 {
            return Ok(());
        }
        Err(Error::BadReference {
            owner: name.to_owned(),
            problem: "its matrices do not fit each other, are not finite, have no mass, or more than 96 shapes and 16 of second order",
        })
    }

    /// Column `j` of S.
    fn column(&self, j: usize) -> &[f64] {
        let size = 4 + 3 * self.fields();
        &self.moments.as_slice()[j * size..(j + 1) * size]
    }

    /// ∫ x_a ψ_j dm, j over all of ψ, a = 0, 1, 2; with `whole` false that of Σ factor φ alone.
    fn contracted_rows(&self, factors: &[f64], whole: bool, out: &mut [f64]) {
        let size = 4 + 3 * self.fields();
        for (a, row) in out.chunks_exact_mut(size).enumerate() {
            if whole {
                row.copy_from_slice(self.column(1 + a));
            } else {
                row.fill(0.0);
            }
            for (k, factor) in factors.iter().enumerate() {
                if self.live[3 * k + a] {
                    add_multiple(row, *factor, self.column(4 + 3 * k + a));
                }
            }
        }
    }

    /// Length of the scratch memory that [`Shapes::forces`] and [`Shapes::tangents`] want.
    pub(crate) fn scratch(&self) -> usize {
        let size = 4 + 3 * self.fields();
        12 * size
    }

    /// Forces (3), added to `out`; `rows` is scratch memory, left with ∫ x_a ψ dm, ∫ u̇_a ψ dm,
    /// ∫ ü_a ψ dm and P for [`Shapes::tangents`]. At rest if not `dynamic`.
    pub(crate) fn forces(
        &self,
        at: &ShapeMotion<'_>,
        dynamic: bool,
        rows: &mut [f64],
        out: &mut [f64],
    ) {
        let size = 4 + 3 * self.fields();
        let (place, others) = rows.split_at_mut(3 * size);
        let (rate, others) = others.split_at_mut(3 * size);
        let (change, p) = others.split_at_mut(3 * size);
        self.contracted_rows(at.zeta, true, place);
        let mut alpha = -at.gravity;
        if dynamic {
            self.contracted_rows(at.eta, false, rate);
            self.contracted_rows(at.eta_rate, false, change);
            alpha += at.v_rate + at.omega.cross(&at.v);
        } else {
            rate.fill(0.0);
            change.fill(0.0);
        }
        let b = at.spin(dynamic);
        let twice = at.omega.cross_matrix() * if dynamic { 2.0 } else { 0.0 };
        for (i, row) in p.chunks_exact_mut(size).enumerate() {
            row.copy_from_slice(&change[i * size..(i + 1) * size]); // (4)
            add_multiple(row, alpha[i], self.column(0));
            for a in 0..3 {
                add_multiple(row, b[(i, a)], &place[a * size..(a + 1) * size]);
                add_multiple(row, twice[(i, a)], &rate[a * size..(a + 1) * size]);
            }
        }
        let at_p = |i: usize, j: usize| p[i * size + j];
        let mut turning = moment(|i, a| at_p(i, 1 + a));
        for (k, z) in at.zeta.iter().enumerate() {
            turning += moment(|i, a| at_p(i, 4 + 3 * k + a)) * *z;
        }
        for i in 0..3 {
            out[i] += at_p(i, 0);
            out[3 + i] += turning[i];
        }
        let elastic = &mut out[RIGID..];
        for (k, force) in elastic.iter_mut().enumerate() {
            let first = 4 + 3 * k;
            *force += at_p(0, first) + at_p(1, first + 1) + at_p(2, first + 2); // (3)
        }
        add_product(elastic, &self.stiffness, at.zeta);
        if dynamic {
            add_product(elastic, &self.damping, at.eta);
            self.rest_forces(at, out);
        }
    }

    /// Forces of ΔM.
    fn rest_forces(&self, at: &ShapeMotion<'_>, out: &mut [f64]) {
        let linear = at.v_rate + at.omega.cross(&at.v);
        let rest = &self.rest_mass;
        let order = rest.nrows();
        let rates = linear.iter().chain(&at.omega_rate).chain(at.eta_rate);
        for (column, rate) in rest.as_slice().chunks_exact(order).zip(rates) {
            add_multiple(out, *rate, column);
        }
        let inertia: Matrix3<f64> = rest.fixed_view::<3, 3>(3, 3).into();
        let gyroscopic = at.omega.cross(&(inertia * at.omega));
        for i in 0..3 {
            out[3 + i] += gyroscopic[i];
        }
    }

    /// Derivatives of the forces, weighted: by the place (turn of the frame, ζ) in the first matrix; by
    /// (v, ω, η) and by their rates together in the second. `rows` as [`Shapes::forces`] left it.
    pub(crate) fn tangents(
        &self,
        at: &ShapeMotion<'_>,
        weights: &Weights,
        dynamic: bool,
        rows: &[f64],
        by: [&mut DMatrix<f64>; 2],
    ) {
        let [by_place, by_motion] = by;
        by_place.fill(0.0);
        by_motion.fill(0.0);
        let columns = Columns::new(self, at, rows);
        let omega = at.omega.cross_matrix();
        let (w_k, w_c, w_m) = (weights.stiffness, weights.damping, weights.inertia);
        for j in 0..3 {
            let e = unit(j);
            let turn = e.cross_matrix();
            // δ(−Rᵀ g) = ψ × Rᵀ g.
            let falling = e.cross(&at.gravity) * w_k;
            columns.rigid_shift(&falling, by_place, 3 + j);
            if dynamic {
                let alpha = e * w_m + at.omega.cross(&e) * w_c;
                columns.rigid_shift(&alpha, by_motion, j);
                let spin = turn * w_m + (omega * turn + turn * omega) * w_c;
                let twice = turn * (2.0 * w_c);
                columns.rigid(&(e.cross(&at.v) * w_c), &spin, &twice, by_motion, 3 + j);
            }
        }
        if dynamic {
            let motion = Matrix3::identity() * w_m + omega * (2.0 * w_c);
            columns.shapes(&motion, by_motion);
            columns.shapes(&(at.spin(true) * w_k), by_place);
        }
        for k in 0..self.fields() {
            columns.lever(k, w_k, by_place);
        }
        add_scaled(by_place, &self.stiffness, w_k);
        if dynamic {
            add_scaled(by_motion, &self.damping, w_c);
            self.rest_tangents(at, weights, by_motion);
        }
    }

    fn rest_tangents(&self, at: &ShapeMotion<'_>, weights: &Weights, out: &mut DMatrix<f64>) {
        let (w_c, w_m) = (weights.damping, weights.inertia);
        for (sum, rest) in (out.as_mut_slice().iter_mut()).zip(self.rest_mass.as_slice()) {
            *sum += w_m * rest;
        }
        let inertia: Matrix3<f64> = self.rest_mass.fixed_view::<3, 3>(3, 3).into();
        let (omega, v) = (at.omega.cross_matrix() * w_c, at.v.cross_matrix() * w_c);
        let gyroscopic = omega * inertia - (inertia * at.omega).cross_matrix() * w_c;
        for j in 0..3 {
            for i in 0..self.rest_mass.nrows() {
                for a in 0..3 {
                    let rest = self.rest_mass[(i, a)];
                    out[(i, j)] += rest * omega[(a, j)];
                    out[(i, 3 + j)] -= rest * v[(a, j)];
                }
            }
            for i in 0..3 {
                out[(3 + i, 3 + j)] += gyroscopic[(i, j)];
            }
        }
    }

    /// The parts of S that couple component i of shapes with component a of others, in the order
    /// (0, 0), (0, 1), …, (2, 2): `parts[3 i + a][(l, k)] = ∫ φ_li φ_ka dm`.
    fn shape_parts(moments: &DMatrix<f64>, count: usize) -> [DMatrix<f64>; 9] {
        core::array::from_fn(|part| {
            let (i, a) = (part / 3, part % 3);
            DMatrix::from_fn(count, count, |l, k| moments[(4 + 3 * l + i, 4 + 3 * k + a)])
        })
    }

    /// Kinetic energy [J].
    pub(crate) fn kinetic_energy(&self, at: &ShapeMotion<'_>) -> f64 {
        let size = 4 + 3 * self.fields();
        // The velocity field has the coefficients [v | ω̃ | ζ_k ω̃ + η_k I].
        let omega = at.omega.cross_matrix();
        let mut sum = 0.0;
        // S times them follows from the rows of places and rates, as in eq. (4).
        let mut rows = [0.0; 6 * (4 + 3 * MOST_FIELDS)];
        let (place, rate) = rows[..6 * size].split_at_mut(3 * size);
        self.contracted_rows(at.zeta, true, place);
        self.contracted_rows(at.eta, false, rate);
        let with_velocity = |i: usize, row: &dyn Fn(usize) -> f64| {
            let mut product = at.v[i] * row(0);
            for a in 0..3 {
                let moved = at.zeta.iter().enumerate();
                let lever = row(1 + a) + moved.map(|(k, z)| z * row(4 + 3 * k + a)).sum::<f64>();
                product += omega[(i, a)] * lever;
            }
            let moving = at.eta.iter().enumerate();
            product + moving.map(|(k, eta)| eta * row(4 + 3 * k + i)).sum::<f64>()
        };
        for i in 0..3 {
            sum += with_velocity(i, &|j| {
                let mut product = at.v[i] * self.moments[(j, 0)] + rate[i * size + j];
                for a in 0..3 {
                    product += omega[(i, a)] * place[a * size + j];
                }
                product
            });
        }
        let mut speeds = [0.0; RIGID + MOST_FIELDS];
        let speeds = &mut speeds[..self.rest_mass.nrows()];
        let all = at.v.iter().chain(&at.omega).chain(at.eta);
        for (speed, value) in speeds.iter_mut().zip(all) {
            *speed = *value;
        }
        0.5 * (sum + quadratic(&self.rest_mass, speeds))
    }

    /// Strain energy [J].
    pub(crate) fn strain_energy(&self, zeta: &[f64]) -> f64 {
        0.5 * quadratic(&self.stiffness, zeta)
    }

    /// Power that the damping takes out [W].
    pub(crate) fn dissipated_power(&self, eta: &[f64]) -> f64 {
        quadratic(&self.damping, eta)
    }

    /// ∫ x dm in the axes of the frame [kg·m].
    pub(crate) fn first_moment(&self, zeta: &[f64]) -> Vector3<f64> {
        let mass = self.moments.column(0);
        Vector3::from_fn(|a, _| {
            let moved = zeta
                .iter()
                .enumerate()
                .map(|(k, z)| z * mass[4 + 3 * k + a]);
            mass[1 + a] + moved.sum::<f64>()
        })
    }
}

/// Adds `weight` times a matrix on ζ to one on (v, ω, ζ).
fn add_scaled(out: &mut DMatrix<f64>, matrix: &DMatrix<f64>, weight: f64) {
    let (order, count) = (out.nrows(), matrix.nrows());
    for k in 0..count {
        let from = (RIGID + k) * order + RIGID;
        let column = &mut out.as_mut_slice()[from..from + count];
        add_multiple(column, weight, &matrix.as_slice()[k * count..]);
    }
}

/// Adds `factor` times a list to another, as far as both go.
fn add_multiple(sum: &mut [f64], factor: f64, list: &[f64]) {
    if factor != 0.0 {
        for (sum, x) in sum.iter_mut().zip(list) {
            *sum += factor * x;
        }
    }
}

/// Adds a matrix times a vector.
fn add_product(sum: &mut [f64], matrix: &DMatrix<f64>, x: &[f64]) {
    let columns = matrix.as_slice().chunks_exact(matrix.nrows().max(1));
    for (column, x) in columns.zip(x) {
        add_multiple(sum, *x, column);
    }
}

/// a · b in four sums, which the processor adds side by side.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let length = a.len().min(b.len());
    let (a, b) = (a[..length].chunks_exact(4), b[..length].chunks_exact(4));
    let last: f64 = (a.remainder().iter().zip(b.remainder()))
        .map(|(a, b)| a * b)
        .sum();
    let mut sums = [0.0; 4];
    for (a, b) in a.zip(b) {
        for i in 0..4 {
            sums[i] += a[i] * b[i];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + last
}

/// xᵀ A x.
fn quadratic(matrix: &DMatrix<f64>, x: &[f64]) -> f64 {
    let columns = matrix.as_slice().chunks_exact(matrix.nrows().max(1));
    let terms = columns.zip(x).map(|(column, xj)| xj * dot(column, x));
    terms.sum()
}

fn unit(axis: usize) -> Vector3<f64> {
    Vector3::from_fn(|i, _| if i == axis { 1.0 } else { 0.0 })
}

/// Σ_a e_a × p_a, with `p(i, a)` the component i of p_a.
fn moment(p: impl Fn(usize, usize) -> f64) -> Vector3<f64> {
    Vector3::new(p(2, 1) - p(1, 2), p(0, 2) - p(2, 0), p(1, 0) - p(0, 1))
}

impl ShapeMotion<'_> {
    /// B of eq. (2).
    fn spin(&self, dynamic: bool) -> Matrix3<f64> {
        if !dynamic {
            return Matrix3::zeros();
        }
        let omega = self.omega.cross_matrix();
        self.omega_rate.cross_matrix() + omega * omega
    }
}

/// Columns of the tangents.
struct Columns<'a> {
    shapes: &'a Shapes,
    place: &'a [f64],
    rate: &'a [f64],
    p: &'a [f64],
    size: usize,
    /// ∫ x_a x_b dm and ∫ u̇_a x_b dm.
    second: Matrix3<f64>,
    second_rate: Matrix3<f64>,
}

impl<'a> Columns<'a> {
    fn new(shapes: &'a Shapes, at: &ShapeMotion<'_>, rows: &'a [f64]) -> Self {
        let size = 4 + 3 * shapes.fields();
        let (place, rate) = (&rows[..3 * size], &rows[3 * size..6 * size]);
        let with_place = |row: &[f64], b: usize| {
            let moved = at.zeta.iter().enumerate();
            row[1 + b] + moved.map(|(k, z)| z * row[4 + 3 * k + b]).sum::<f64>()
        };
        let of =
            |rows: &[f64]| Matrix3::from_fn(|a, b| with_place(&rows[a * size..(a + 1) * size], b));
        Self {
            shapes,
            place,
            rate,
            p: &rows[9 * size..12 * size],
            size,
            second: of(place),
            second_rate: of(rate),
        }
    }

    /// Adds the forces of δA with δα alone to a column.
    fn rigid_shift(&self, alpha: &Vector3<f64>, out: &mut DMatrix<f64>, column: usize) {
        let (size, mass) = (self.size, self.shapes.column(0));
        let turning = moment(|i, a| alpha[i] * self.place[a * size]);
        for i in 0..3 {
            out[(i, column)] += alpha[i] * mass[0];
            out[(3 + i, column)] += turning[i];
        }
        for k in 0..self.shapes.fields() {
            let at = &mass[4 + 3 * k..7 + 3 * k];
            out[(RIGID + k, column)] += alpha[0] * at[0] + alpha[1] * at[1] + alpha[2] * at[2];
        }
    }

    /// Adds the forces of δA with δα, δB and 2 δω̃ = `twice` to a column.
    fn rigid(
        &self,
        alpha: &Vector3<f64>,
        b: &Matrix3<f64>,
        twice: &Matrix3<f64>,
        out: &mut DMatrix<f64>,
        column: usize,
    ) {
        let (size, mass) = (self.size, self.shapes.moments.column(0));
        let entry = |i: usize, j: usize| {
            let mut sum = alpha[i] * mass[j];
            for a in 0..3 {
                sum +=
                    b[(i, a)] * self.place[a * size + j] + twice[(i, a)] * self.rate[a * size + j];
            }
            sum
        };
        // Contracted with x_a.
        let with_place = |i: usize, a: usize| {
            let mut sum = alpha[i] * self.place[a * size];
            for c in 0..3 {
                sum += b[(i, c)] * self.second[(c, a)] + twice[(i, c)] * self.second_rate[(c, a)];
            }
            sum
        };
        let turning = moment(with_place);
        for i in 0..3 {
            out[(i, column)] += entry(i, 0);
            out[(3 + i, column)] += turning[i];
        }
        for k in 0..self.shapes.fields() {
            let first = 4 + 3 * k;
            out[(RIGID + k, column)] += entry(0, first) + entry(1, first + 1) + entry(2, first + 2);
        }
    }

    /// Adds the forces of δA = d in the columns of every shape.
    fn shapes(&self, d: &Matrix3<f64>, out: &mut DMatrix<f64>) {
        for k in 0..self.shapes.fields() {
            self.shape_rigid(d, k, out, RIGID + k);
        }
        for (part, matrix) in self.shapes.parts.iter().enumerate() {
            let weight = d[(part / 3, part % 3)];
            if weight != 0.0 {
                add_scaled(out, matrix, weight);
            }
        }
    }

    /// The part of these forces on (v, ω), of the shape k.
    fn shape_rigid(&self, d: &Matrix3<f64>, k: usize, out: &mut DMatrix<f64>, column: usize) {
        let (size, s, first) = (self.size, &self.shapes.moments, 4 + 3 * k);
        let turning = moment(|i, a| {
            let terms = (0..3).map(|c| d[(i, c)] * self.place[a * size + first + c]);
            terms.sum()
        });
        for i in 0..3 {
            out[(i, column)] += (0..3).map(|a| d[(i, a)] * s[(first + a, 0)]).sum::<f64>();
            out[(3 + i, column)] += turning[i];
        }
    }

    /// Adds the change of the lever in f_ω with ζ_k.
    fn lever(&self, k: usize, weight: f64, out: &mut DMatrix<f64>) {
        let turning = moment(|i, a| self.p[i * self.size + 4 + 3 * k + a]);
        for i in 0..3 {
            out[(3 + i, RIGID + k)] += weight * turning[i];
        }
    }
}

/// A reduced body in a model.
#[derive(Debug, Clone)]
pub(crate) struct MountedShapes<G, const D: usize> {
    /// The node of the moving frame.
    pub frame: usize,
    /// What the other interfaces do against it: not constraints, but rows that measure.
    pub interfaces: Vec<Joint<G, D>>,
    /// The nodes whose displacements are the modal coordinates, D each.
    pub modal: Vec<usize>,
    pub shapes: Shapes,
    /// Coupling of each pair of its nodes, in the order (0, 1), (0, 2), …, (1, 2), ….
    pub couplings: Vec<Option<usize>>,
}

impl<G, const D: usize> MountedShapes<G, D> {
    /// Its nodes: frame, interfaces, modal.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        let interfaces = self
            .interfaces
            .iter()
            .filter_map(|joint| match joint.b.body {
                super::Body::Node(node) => Some(node.0),
                _ => None,
            });
        core::iter::once(self.frame)
            .chain(interfaces)
            .chain(self.modal.iter().copied())
    }

    /// Number of its nodes.
    pub(crate) fn node_count(&self) -> usize {
        1 + self.interfaces.len() + self.modal.len()
    }

    /// Coordinates of its nodes that are none: turns of the modal nodes and displacements left over.
    pub(crate) fn idle<const N: usize>(&self) -> usize {
        let modes = self.shapes.count() - N * self.interfaces.len();
        N * self.modal.len() - modes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body of random points that move in random shapes.
    pub(super) fn body(count: usize) -> Shapes {
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
        };
        let size = 4 + 3 * count;
        let mut moments = DMatrix::zeros(size, size);
        for _ in 0..30 {
            let psi = nalgebra::DVector::from_fn(size, |i, _| if i == 0 { 1.0 } else { next() });
            moments += &psi * psi.transpose() * 0.1;
        }
        let mut square = |size: usize| {
            let a = DMatrix::from_fn(size, size, |_, _| next());
            &a * a.transpose()
        };
        let rest_mass = square(RIGID + count) * 0.01;
        let (stiffness, damping) = (square(count), square(count) * 0.1);
        Shapes::new(moments, rest_mass, stiffness, damping)
    }

    /// Place (turn of the frame, ζ), velocity and acceleration, each 6 + m, as one motion.
    pub(super) fn evaluate(x: &[f64], w: &[f64], a: &[f64], f: &mut dyn FnMut(&ShapeMotion<'_>)) {
        let vector = |list: &[f64]| Vector3::new(list[0], list[1], list[2]);
        // Gravity turns against the frame, to first order.
        let world = Vector3::new(0.3, -9.0, 2.0);
        let gravity = world - vector(&x[3..]).cross(&world);
        f(&ShapeMotion {
            zeta: &x[RIGID..],
            eta: &w[RIGID..],
            eta_rate: &a[RIGID..],
            v: vector(w),
            omega: vector(&w[3..]),
            v_rate: vector(a),
            omega_rate: vector(&a[3..]),
            gravity,
        });
    }

    fn forces(shapes: &Shapes, x: &[f64], w: &[f64], a: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; RIGID + shapes.count()];
        let mut rows = vec![0.0; shapes.scratch()];
        evaluate(x, w, a, &mut |at| {
            shapes.forces(at, true, &mut rows, &mut out)
        });
        out
    }

    pub(super) fn motion(count: usize) -> [Vec<f64>; 3] {
        let list = |scale: f64, shift: f64| {
            (0..RIGID + count)
                .map(|i| scale * (1.7 * i as f64 + shift).sin())
                .collect()
        };
        let mut place: Vec<f64> = list(0.1, 0.3);
        place[..RIGID].fill(0.0);
        [place, list(1.3, 0.9), list(2.0, 2.1)]
    }

    #[test]
    fn tangents_equal_finite_differences() {
        let shapes = body(4);
        let order = RIGID + 4;
        let lists = motion(4);
        let mut rows = vec![0.0; shapes.scratch()];
        let mut by = [0; 2].map(|_| DMatrix::zeros(order, order));
        let mut out = vec![0.0; order];
        let h = 1e-6;
        for which in 0..3 {
            let weight = |index: usize| f64::from(u8::from(index == which));
            let weights = Weights {
                stiffness: weight(0),
                damping: weight(1),
                inertia: weight(2),
            };
            evaluate(&lists[0], &lists[1], &lists[2], &mut |at| {
                shapes.forces(at, true, &mut rows, &mut out);
                let [place, motion] = &mut by;
                shapes.tangents(at, &weights, true, &rows, [place, motion]);
            });
            let exact = &by[usize::from(which > 0)];
            // The place of the frame itself does not matter, only its turn.
            let first = if which == 0 { 3 } else { 0 };
            for j in first..order {
                let shifted = |by: f64| {
                    let mut lists = lists.clone();
                    lists[which][j] += by;
                    forces(&shapes, &lists[0], &lists[1], &lists[2])
                };
                let (plus, minus) = (shifted(h), shifted(-h));
                for i in 0..order {
                    let difference = (plus[i] - minus[i]) / (2.0 * h);
                    let error = (exact[(i, j)] - difference).abs();
                    assert!(
                        error < 1e-6,
                        "{which} ({i}, {j}): {} {difference}",
                        exact[(i, j)]
                    );
                }
            }
        }
    }

    /// Without stiffness, damping and gravity, the power of the inertia forces is the change of the
    /// kinetic energy.
    #[test]
    fn inertia_forces_conserve_energy() {
        let mut shapes = body(3);
        shapes.stiffness.fill(0.0);
        shapes.damping.fill(0.0);
        // ΔM couples rigid motions and shapes of a body at rest only.
        shapes.rest_mass.fill(0.0);
        let [x, w, a] = motion(3);
        let energy = |t: f64| {
            let x: Vec<f64> = x.iter().zip(&w).map(|(x, w)| x + t * w).collect();
            let w: Vec<f64> = w.iter().zip(&a).map(|(w, a)| w + t * a).collect();
            let mut out = 0.0;
            evaluate(&x, &w, &a, &mut |at| out = shapes.kinetic_energy(at));
            out
        };
        let mut force = vec![0.0; RIGID + 3];
        let mut rows = vec![0.0; shapes.scratch()];
        evaluate(&x, &w, &a, &mut |at| {
            let still = ShapeMotion {
                gravity: Vector3::zeros(),
                ..*at
            };
            shapes.forces(&still, true, &mut rows, &mut force);
        });
        let power: f64 = force.iter().zip(&w).map(|(f, w)| f * w).sum();
        let change = (energy(1e-6) - energy(-1e-6)) / 2e-6;
        assert!(
            (power - change).abs() < 1e-6 * change.abs().max(1.0),
            "{power} {change}"
        );
    }
}
