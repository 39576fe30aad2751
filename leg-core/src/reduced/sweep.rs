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
//! and with the part of the angular acceleration that velocities make, ω̇_g = Ω_g ÿ + b_g:
//!
//! ```text
//! b_g = b_{g−1} + ω_g × D_g φ̇ + R_g (DT[φ̇]) φ̇ + D_g φ̈₀                                 (6)
//! ẗ_g = ω̇_g × t_g + ω_g × (ω_g × t_g)                                                   (7)
//! ```
//!
//! φ̈₀ is what the product in φ makes at ÿ = 0.

use super::shape::{BENDING, FIELDS, FieldRow, POINTS, Shape};
use super::turn::Turn;
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
    /// Ω_g.
    pub columns: Columns,
    /// x_j [m].
    pub place: Vector3<f64>,
    /// ∂x_j/∂y.
    pub place_by: Columns,
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
    /// ∂x_B/∂y.
    pub tip_by: Columns,
}

/// How it moves.
#[derive(Debug, Clone)]
pub struct Movement {
    /// ω_g [rad/s].
    pub spin: [Vector3<f64>; POINTS],
    /// ω̇_g [rad/s²].
    pub spin_rate: [Vector3<f64>; POINTS],
    /// Accelerations of the Gauss points [m/s²].
    pub acceleration: [Vector3<f64>; POINTS],
    /// Acceleration of the tip [m/s²].
    pub tip_acceleration: Vector3<f64>,
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

/// I₃, I₁, S₃, S₁ of an interval.
pub(super) fn sums(shape: &Shape, g: usize, p: &FieldRow) -> [f64; 4] {
    let part =
        |row: &FieldRow, from: usize, to: usize| -> f64 { (from..to).map(|i| row[i] * p[i]).sum() };
    let (integral, slope) = (&shape.integral[g], &shape.slope[g]);
    [
        part(integral, 0, BENDING),
        part(integral, BENDING, FIELDS),
        part(slope, 0, BENDING),
        part(slope, BENDING, FIELDS),
    ]
}

impl Frame {
    /// Rotation of the crank.
    pub fn crank(&self, q1: f64) -> Matrix3<f64> {
        turned(&self.axes.column(2).into(), q1) * self.axes
    }

    /// A at a crank angle [rad].
    pub fn crank_end(&self, q1: f64) -> Vector3<f64> {
        self.origin + self.crank(q1).column(0) * self.crank_length
    }

    /// The leg at these coordinates, (1) to (5); none if a section turns too far from one point to the
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
        let mut columns = Columns::zeros();
        if self.on_crank {
            columns.set_column(CRANK, &motor);
        }
        columns.set_column(FIRST, &joint[0]);
        columns.set_column(SECOND, &joint[1]);
        let p: FieldRow = y.fixed_rows::<FIELDS>(FIELD).into();
        let mut rotation = root;
        let mut too_far = false;
        let mut points: [Point; POINTS] = core::array::from_fn(|g| {
            let (phi, second) = rotation_vector(shape, g, &p);
            // Not a number is too far, too.
            too_far |= !(phi.norm_squared() <= super::turn::LARGEST * super::turn::LARGEST);
            let turn = Turn::new(phi);
            rotation *= turn.rotation(); // (2)
            let turning = rotation * turn.tangent();
            let integral = &shape.integral[g];
            for i in 0..FIELDS {
                let along = if i < BENDING { 2 } else { 0 };
                let mut column = columns.column_mut(FIELD + i);
                column += turning.column(along) * integral[i] + turning.column(1) * second[i]; // (4)
            }
            Point {
                rotation,
                tangent: rotation.column(0).into(),
                turning,
                turn,
                second,
                columns,
                place: a,
                place_by: Columns::zeros(),
            }
        });
        if too_far {
            return None;
        }
        let moved: [Columns; POINTS] = core::array::from_fn(|g| {
            let point = &points[g];
            let mut out = Columns::zeros();
            for i in 0..COORDINATES {
                let spin: Vector3<f64> = point.columns.column(i).into();
                out.set_column(i, &spin.cross(&point.tangent));
            }
            out
        });
        let tangents = points.each_ref().map(|point| point.tangent);
        let (mut tip, mut tip_by) = (a, Columns::zeros());
        tip_by.set_column(CRANK, &a_by[0]);
        for (j, point) in points.iter_mut().enumerate() {
            point.place_by.set_column(CRANK, &a_by[0]);
            for g in 0..POINTS {
                let weight = shape.place[(j, g)];
                point.place += tangents[g] * weight; // (3)
                point.place_by += moved[g] * weight; // (5)
            }
            tip += tangents[j] * shape.weight[j];
            tip_by += moved[j] * shape.weight[j];
        }
        Some(Posture {
            a,
            a_by,
            joint,
            root,
            points,
            tip,
            tip_by,
        })
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
        let carried = if self.on_crank {
            motor * rate[CRANK]
        } else {
            Vector3::zeros()
        };
        let mut spin = carried + f * rate[FIRST];
        let mut bias = carried.cross(&(f * rate[FIRST])) + spin.cross(&(s * rate[SECOND]));
        spin += s * rate[SECOND];
        let p: FieldRow = rate.fixed_rows::<FIELDS>(FIELD).into();
        let mut out = Movement {
            spin: [Vector3::zeros(); POINTS],
            spin_rate: [Vector3::zeros(); POINTS],
            acceleration: [Vector3::zeros(); POINTS],
            tip_acceleration: Vector3::zeros(),
        };
        let mut bent = [Vector3::zeros(); POINTS];
        for (g, point) in posture.points.iter().enumerate() {
            let [bend, twist, bend_slope, twist_slope] = sums(shape, g, &p);
            let turning = Vector3::new(twist, point.second.dot(&p), bend);
            let turned = point.turning * turning;
            spin += turned;
            let product = (bend * twist_slope - twist * bend_slope) / 3.0;
            bias += spin.cross(&turned)
                + point.rotation * point.turn.tangent_change(&turning, &turning)
                + point.turning.column(1) * product; // (6)
            out.spin[g] = spin;
            out.spin_rate[g] = point.columns * acceleration + bias;
            let t = &point.tangent;
            bent[g] = out.spin_rate[g].cross(t) + spin.cross(&spin.cross(t)); // (7)
        }
        let [by, by_twice] = &posture.a_by;
        let a = by * acceleration[CRANK] + by_twice * (rate[CRANK] * rate[CRANK]);
        out.acceleration = [a; POINTS];
        out.tip_acceleration = a;
        for j in 0..POINTS {
            for (g, bent) in bent.iter().enumerate() {
                out.acceleration[j] += bent * shape.place[(j, g)];
            }
            out.tip_acceleration += bent[j] * shape.weight[j];
        }
        out
    }
}
