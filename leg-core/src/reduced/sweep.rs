//! Where a reduced leg is and how it moves, from its coordinates.
//!
//! Coordinates y: crank angle q₁, angles u₁ and u₂ of the universal joint, fields of the leaf
//! ([`super::shape`]). With the carrier's axes C (the crank's or the base's), the joint's axes f (first)
//! and s (second), and the sections' rotations R_g, tangents t_g and angular velocities ω_g at the Gauss
//! points, all in axes of the ground:
//!
//! ```text
//! A = O + l₁ C_crank e₁,    R_0 = C F R₃(u₁) R₂(u₂) F_Rᵀ                               (1)
//! R_g = R_{g−1} exp φ_g,    t_g = R_g e₁                                              (2)
//! x_j = A + Σ Q_jg t_g,     x_B = A + Σ w_g t_g                                        (3)
//! ω_g = Σ_a Ω_{g,a} ẏ_a,    Ω_g = Ω_{g−1} + D_g ∂φ_g/∂y,    D_g = R_g T(φ_g)            (4)
//! ∂x_j/∂y_a = ∂A/∂y_a + Σ Q_jg Ω_{g,a} × t_g                                           (5)
//! ```
//!
//! and the angular accelerations are
//!
//! ```text
//! ω̇_g = ω̇_{g−1} + ω_g × D_g φ̇ + R_g (DT[φ̇]) φ̇ + D_g φ̈                                 (6)
//! ẗ_g = ω̇_g × t_g + ω_g × (ω_g × t_g)                                                   (7)
//! ```
//!
//! φ̈ has what the product in φ makes of velocities.

use super::shape::{BENDING, FIELDS, FieldRow, POINTS, Shape};
use super::turn::{LARGEST, Turn};
use multibody::math;
use nalgebra::{Matrix3, Rotation3, SMatrix, SVector, Unit, Vector3};

/// Coordinates of a leg.
pub const COORDINATES: usize = 3 + FIELDS;
/// The crank's angle.
pub const CRANK: usize = 0;
/// The universal joint's first angle.
pub const FIRST: usize = 1;
/// Its second angle.
pub const SECOND: usize = 2;
/// The first field.
pub const FIELD: usize = 3;

/// Coordinates, or their rates.
pub type Coordinates = SVector<f64, COORDINATES>;
/// A vector per coordinate.
pub type Columns = SMatrix<f64, 3, COORDINATES>;
/// One component of a vector per coordinate.
pub type Row = [f64; COORDINATES];
/// The three components.
pub type Rows = [Row; 3];

/// What does not change of the leg's joints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// O [m].
    pub origin: Vector3<f64>,
    /// Columns e_c, e_u, e_m.
    pub axes: Matrix3<f64>,
    /// l₁ [m].
    pub crank_length: f64,
    /// The crank carries the universal joint; otherwise the base.
    pub on_crank: bool,
    /// F of (1): the first axis is its third column.
    pub first: Matrix3<f64>,
    /// F_R of (1): the second axis is its second column.
    pub second: Matrix3<f64>,
}

/// A section of the leaf.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// R_g.
    pub rotation: Matrix3<f64>,
    /// t_g.
    pub tangent: Vector3<f64>,
    /// D_g.
    pub turning: Matrix3<f64>,
    /// How the interval before it turns.
    pub turn: Turn,
    /// ∂φ₂/∂p.
    pub second: FieldRow,
}

/// Where a leg is.
#[derive(Debug, Clone)]
pub struct Posture {
    /// A [m].
    pub a: Vector3<f64>,
    /// ∂A/∂q₁, ∂²A/∂q₁².
    pub a_by: [Vector3<f64>; 2],
    /// f and s.
    pub joint: [Vector3<f64>; 2],
    /// R_0.
    pub root: Matrix3<f64>,
    /// The sections.
    pub points: [Point; POINTS],
    /// x_B [m].
    pub tip: Vector3<f64>,
}

impl Posture {
    /// x_j [m], (3).
    pub fn place(&self, shape: &Shape, j: usize) -> Vector3<f64> {
        let points = self.points.iter().enumerate();
        points.fold(self.a, |sum, (g, point)| {
            sum + point.tangent * shape.place[(j, g)]
        })
    }
}

/// How the places of a leg depend on its coordinates.
#[derive(Debug, Clone)]
pub struct Jacobians {
    /// Ω_g.
    pub spin: [Rows; POINTS],
    /// ∂x_j/∂y.
    pub place: [Rows; POINTS],
    /// ∂x_B/∂y.
    pub tip: Columns,
}

/// How it moves.
#[derive(Debug, Clone)]
pub struct Movement {
    /// ω_g [rad/s].
    pub spin: [Vector3<f64>; POINTS],
    /// ω̇_g [rad/s²].
    pub spin_rate: [Vector3<f64>; POINTS],
    /// ω_g × t_g [1/s].
    pub swung: [Vector3<f64>; POINTS],
    /// Accelerations of the Gauss points [m/s²].
    pub acceleration: [Vector3<f64>; POINTS],
    /// Velocity and acceleration of the tip [m/s, m/s²].
    pub tip: [Vector3<f64>; 2],
}

impl Movement {
    /// Velocities of the Gauss points, A having this one [m/s].
    pub fn velocities(&self, shape: &Shape, a: &Vector3<f64>) -> [Vector3<f64>; POINTS] {
        core::array::from_fn(|j| {
            let swung = self.swung.iter().enumerate();
            swung.fold(*a, |sum, (g, swung)| sum + swung * shape.place[(j, g)])
        })
    }
}

fn turned(axis: &Vector3<f64>, angle: f64) -> Matrix3<f64> {
    Rotation3::from_axis_angle(&Unit::new_unchecked(*axis), angle).into_inner()
}

/// Rotation by `angle` about the axis `axis` (1 or 2) of the frame.
fn about(axis: usize, angle: f64) -> Matrix3<f64> {
    let (s, c) = (math::sin(angle), math::cos(angle));
    match axis {
        1 => Matrix3::new(c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c),
        _ => Matrix3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0),
    }
}

/// φ of (2) of [`super::shape`], and the derivative of its second part by the fields.
fn rotation_vector(shape: &Shape, g: usize, p: &FieldRow) -> (Vector3<f64>, FieldRow) {
    let [bend, twist, bend_slope, twist_slope] = sums(shape, g, p);
    let (integral, slope) = (&shape.integral[g], &shape.slope[g]);
    let second = FieldRow::from_fn(|i, _| {
        if i < BENDING {
            (integral[i] * twist_slope - twist * slope[i]) / 6.0
        } else {
            (bend * slope[i] - integral[i] * bend_slope) / 6.0
        }
    });
    let phi = Vector3::new(twist, (bend * twist_slope - twist * bend_slope) / 6.0, bend);
    (phi, second)
}

/// I₃ and I₁ of an interval.
#[inline]
fn integrals(shape: &Shape, g: usize, p: &FieldRow) -> [f64; 2] {
    let row = &shape.integral[g];
    let (mut bend, mut twist) = (0.0, 0.0);
    for i in 0..BENDING {
        bend += row[i] * p[i];
    }
    for i in BENDING..FIELDS {
        twist += row[i] * p[i];
    }
    [bend, twist]
}

/// I₃, I₁, S₃, S₁ of an interval.
#[inline]
fn sums(shape: &Shape, g: usize, p: &FieldRow) -> [f64; 4] {
    let [bend, twist] = integrals(shape, g, p);
    let row = &shape.slope[g];
    let (mut bend_slope, mut twist_slope) = (0.0, 0.0);
    for i in 0..BENDING {
        bend_slope += row[i] * p[i];
    }
    for i in BENDING..FIELDS {
        twist_slope += row[i] * p[i];
    }
    [bend, twist, bend_slope, twist_slope]
}

impl Frame {
    /// Rotation of the crank.
    pub fn crank(&self, q1: f64) -> Matrix3<f64> {
        turned(&self.axes.column(2).into(), q1) * self.axes
    }

    /// The leg at these coordinates, (1) to (3); none if a section turns too far from one point to the
    /// next.
    pub fn posture(&self, shape: &Shape, y: &Coordinates) -> Option<Posture> {
        let motor: Vector3<f64> = self.axes.column(2).into();
        let crank = self.crank(y[CRANK]);
        let arm = crank.column(0) * self.crank_length;
        let a_by = [motor.cross(&arm), motor.cross(&motor.cross(&arm))];
        let a = self.origin + arm;
        let carrier = if self.on_crank { crank } else { self.axes } * self.first;
        let between = carrier * about(2, y[FIRST]);
        let root = between * about(1, y[SECOND]) * self.second.transpose(); // (1)
        let joint = [carrier.column(2).into(), between.column(1).into()];
        let p: FieldRow = y.fixed_rows::<FIELDS>(FIELD).into();
        let mut rotation = root;
        let mut too_far = false;
        let points: [Point; POINTS] = core::array::from_fn(|g| {
            let (phi, second) = rotation_vector(shape, g, &p);
            let turn_squared = phi.norm_squared();
            too_far |= turn_squared.is_nan() || turn_squared > LARGEST * LARGEST;
            let turn = Turn::new(phi);
            rotation *= turn.rotation(); // (2)
            Point {
                rotation,
                tangent: rotation.column(0).into(),
                turning: rotation * turn.tangent(),
                turn,
                second,
            }
        });
        if too_far {
            return None;
        }
        let mut tip = a;
        for (point, weight) in points.iter().zip(&shape.weight) {
            tip += point.tangent * *weight; // (3)
        }
        Some(Posture {
            a,
            a_by,
            joint,
            root,
            points,
            tip,
        })
    }

    /// How places depend on the coordinates, (4) and (5).
    pub fn jacobians(&self, shape: &Shape, posture: &Posture) -> Jacobians {
        let motor: Vector3<f64> = self.axes.column(2).into();
        let carried = if self.on_crank {
            motor
        } else {
            Vector3::zeros()
        };
        let axes = [carried, posture.joint[0], posture.joint[1]];
        let mut rows = [[0.0; COORDINATES]; 3];
        for (i, axis) in axes.iter().enumerate() {
            for c in 0..3 {
                rows[c][i] = axis[c];
            }
        }
        let mut out = Jacobians {
            spin: [rows; POINTS],
            place: [[[0.0; COORDINATES]; 3]; POINTS],
            tip: Columns::zeros(),
        };
        let mut moved = [[[0.0; FIELDS]; 3]; POINTS];
        for (g, point) in posture.points.iter().enumerate() {
            let (d, integral) = (&point.turning, &shape.integral[g]);
            for (c, row) in rows.iter_mut().enumerate() {
                for i in 0..FIELDS {
                    let along = if i < BENDING { d[(c, 2)] } else { d[(c, 0)] };
                    row[FIELD + i] += along * integral[i] + d[(c, 1)] * point.second[i]; // (4)
                }
            }
            out.spin[g] = rows;
            let t = &point.tangent;
            for i in 0..FIELDS {
                let [x, y, z] = rows.map(|row| row[FIELD + i]);
                moved[g][0][i] = y * t.z - z * t.y;
                moved[g][1][i] = z * t.x - x * t.z;
                moved[g][2][i] = x * t.y - y * t.x;
            }
        }
        for j in 0..POINTS {
            let weights: [f64; POINTS] = core::array::from_fn(|g| shape.place[(j, g)]);
            let place = posture.place(shape, j);
            out.place[j] = moved_by(posture, &axes, &place, &moved, &weights);
        }
        let tip = moved_by(posture, &axes, &posture.tip, &moved, &shape.weight);
        out.tip = Columns::from_fn(|c, i| tip[c][i]);
        out
    }

    /// How the leg moves with these rates and accelerations, (6) and (7).
    pub fn movement(
        &self,
        shape: &Shape,
        posture: &Posture,
        rate: &Coordinates,
        acceleration: &Coordinates,
    ) -> Movement {
        let motor: Vector3<f64> = self.axes.column(2).into();
        let [f, s] = &posture.joint;
        let (mut carried, mut spin_rate) = (Vector3::zeros(), Vector3::zeros());
        if self.on_crank {
            carried = motor * rate[CRANK];
            spin_rate = motor * acceleration[CRANK];
        }
        let mut spin = carried + f * rate[FIRST];
        spin_rate += f * acceleration[FIRST]
            + s * acceleration[SECOND]
            + carried.cross(&(f * rate[FIRST]))
            + spin.cross(&(s * rate[SECOND]));
        spin += s * rate[SECOND];
        let p: FieldRow = rate.fixed_rows::<FIELDS>(FIELD).into();
        let p_rate: FieldRow = acceleration.fixed_rows::<FIELDS>(FIELD).into();
        let zero = [Vector3::zeros(); POINTS];
        let mut out = Movement {
            spin: zero,
            spin_rate: zero,
            swung: zero,
            acceleration: zero,
            tip: [Vector3::zeros(); 2],
        };
        let mut bent = zero;
        for (g, point) in posture.points.iter().enumerate() {
            let [bend, twist, bend_slope, twist_slope] = sums(shape, g, &p);
            let [bend_rate, twist_rate] = integrals(shape, g, &p_rate);
            let turning = Vector3::new(twist, point.second.dot(&p), bend);
            let turned = point.turning * turning;
            spin += turned;
            let product = (bend * twist_slope - twist * bend_slope) / 3.0;
            let second = product + point.second.dot(&p_rate);
            spin_rate += spin.cross(&turned)
                + point.rotation * point.turn.tangent_change(&turning, &turning)
                + point.turning * Vector3::new(twist_rate, second, bend_rate); // (6)
            (out.spin[g], out.spin_rate[g]) = (spin, spin_rate);
            let t = &point.tangent;
            let swung = spin.cross(t);
            out.swung[g] = swung;
            bent[g] = spin_rate.cross(t) + spin.cross(&swung); // (7)
        }
        let [by, by_twice] = &posture.a_by;
        let a = by * acceleration[CRANK] + by_twice * (rate[CRANK] * rate[CRANK]);
        out.acceleration = [a; POINTS];
        out.tip = [by * rate[CRANK], a];
        for j in 0..POINTS {
            for (g, bent) in bent.iter().enumerate() {
                out.acceleration[j] += bent * shape.place[(j, g)];
            }
            out.tip[0] += out.swung[j] * shape.weight[j];
            out.tip[1] += bent[j] * shape.weight[j];
        }
        out
    }
}

/// (5) for a place whose tangents have these weights.
#[inline]
fn moved_by(
    posture: &Posture,
    axes: &[Vector3<f64>; FIELD],
    place: &Vector3<f64>,
    moved: &[[[f64; FIELDS]; 3]; POINTS],
    weights: &[f64; POINTS],
) -> Rows {
    let mut out = [[0.0; COORDINATES]; 3];
    let arm = place - posture.a;
    for (i, axis) in axes.iter().enumerate() {
        let mut way = axis.cross(&arm);
        if i == CRANK {
            way += posture.a_by[0];
        }
        for c in 0..3 {
            out[c][i] = way[c];
        }
    }
    for (c, row) in out.iter_mut().enumerate() {
        let mut sum = [0.0; FIELDS];
        for (moved, weight) in moved.iter().zip(weights) {
            for i in 0..FIELDS {
                sum[i] += moved[c][i] * weight;
            }
        }
        row[FIELD..].copy_from_slice(&sum);
    }
    out
}
