//! Shapes that meet: points fixed to body A, surfaces fixed to body B.
//!
//! Every contact point carries a small sphere of radius r (its tip; r = 0 is a bare point). The
//! surface of B is made of smooth *features*, each a signed distance φ(x) of a position x in the
//! port frame of B [m], positive outside the material:
//!
//! ```text
//! gap = φ(x) − r,  n = ∇φ,  |n| = 1,  ∇n = ∇∇φ                                (1)
//! ```
//!
//! All are surfaces of revolution about the port's z axis, with ρ = √(x² + y²), e_ρ the radial and
//! e_θ the circumferential direction:
//!
//! ```text
//! ∇φ  = φ_ρ e_ρ + φ_z e_z
//! ∇∇φ = φ_ρρ e_ρe_ρᵀ + φ_ρz (e_ρe_zᵀ + e_ze_ρᵀ) + φ_zz e_ze_zᵀ + (φ_ρ/ρ) e_θe_θᵀ  (2)
//! ```
//!
//! - plane: the half space z < 0 is material, φ = z.
//! - cone: a conical recess (funnel) in a flat face z = 0, with half angle α against the axis,
//!   the mouth of radius R_m rounded by a lip of radius r_l, and a flat seat at z = −depth. In the
//!   half plane (ρ, z), with Q the centre of the lip and q = (ρ, z) − Q,
//!
//!   ```text
//!   Q = (R_m + r_l (1 − sin α)/cos α, −r_l)                                   (3)
//!   φ = q·(−cos α, sin α) − r_l    beside the wall,  q·(−sin α, −cos α) ≥ 0
//!       q·(0, 1) − r_l             above the face,   q·(1, 0) ≥ 0
//!       |q| − r_l                  around the lip,   neither                  (4)
//!   ```
//!
//!   φ has a continuous gradient as long as nothing sinks deeper than r_l + r into the lip. The
//!   seat is a feature of its own: a tip in the corner between wall and seat touches both.
//! - rim: a torus of radius R and tube radius r_t in the plane z = 0,
//!   φ = √((ρ − R)² + z²) − r_t.                                               (5)
//! - disc: the face z = 0 of a round post of radius R along −z, its edge rounded by r_e; with
//!   Q = (R − r_e, −r_e) and q = (ρ, z) − Q,
//!
//!   ```text
//!   φ = q·(0, 1) − r_e    above the face,   q·(1, 0) ≤ 0
//!       q·(1, 0) − r_e    beside the post,  q·(0, 1) ≤ 0
//!       |q| − r_e         around the edge,  neither                           (6)
//!   ```
//!
//!   Deep inside the material, where both straight lines hold, the nearer surface counts.

use crate::math;
use nalgebra::{Matrix3, Vector3};

/// Distance from the axis below which (2) is evaluated as on it [m]; no feature can be touched
/// there but the planes, whose φ_ρ is zero.
const AXIS: f64 = 1e-12;

/// Signed distance of a position from a feature, with its derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// φ [m], positive outside.
    pub value: f64,
    /// Outward normal ∇φ [-].
    pub normal: Vector3<f64>,
    /// ∇∇φ [1/m].
    pub hessian: Matrix3<f64>,
}

/// A smooth piece of the surface of body B, in its port frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Feature {
    /// Material below a plane normal to z.
    Plane {
        /// Height of the plane [m].
        height: f64,
    },
    /// A flat face with a conical hole, (4).
    Funnel {
        /// sin α.
        sine: f64,
        /// cos α.
        cosine: f64,
        /// Radius of the circle of lip centres [m], (3).
        lip_centre: f64,
        /// Radius of the lip [m].
        lip_radius: f64,
    },
    /// A torus, (5).
    Torus {
        /// Radius of the circle [m].
        radius: f64,
        /// Radius of the tube [m].
        tube_radius: f64,
    },
    /// The face of a round post, (6).
    Disc {
        /// Radius of the post [m].
        radius: f64,
        /// Radius of its rounded edge, above zero and not above the post's [m].
        edge_radius: f64,
    },
}

/// φ and its derivatives in the half plane (ρ, z).
struct Meridian {
    value: f64,
    gradient: [f64; 2],
    /// φ_ρρ, φ_ρz, φ_zz.
    hessian: [f64; 3],
}

impl Meridian {
    /// Distance from a straight line.
    fn straight(value: f64, gradient: [f64; 2]) -> Self {
        Self {
            value,
            gradient,
            hessian: [0.0; 3],
        }
    }

    /// Distance `|q| − radius` from a circle.
    fn round(q: [f64; 2], radius: f64) -> Self {
        let length = math::hypot(q[0], q[1]);
        let inverse = 1.0 / length.max(AXIS);
        let t = [q[0] * inverse, q[1] * inverse];
        Self {
            value: length - radius,
            gradient: t,
            hessian: [
                t[1] * t[1] * inverse,
                -t[0] * t[1] * inverse,
                t[0] * t[0] * inverse,
            ],
        }
    }

    /// (2).
    fn revolve(&self, x: &Vector3<f64>, rho: f64) -> Distance {
        let [slope_rho, slope_z] = self.gradient;
        let [rr, rz, zz] = self.hessian;
        let (c, s, hoop) = if rho > AXIS {
            (x.x / rho, x.y / rho, slope_rho / rho)
        } else {
            (1.0, 0.0, 0.0)
        };
        let xy = (rr - hoop) * c * s;
        Distance {
            value: self.value,
            normal: Vector3::new(slope_rho * c, slope_rho * s, slope_z),
            hessian: Matrix3::new(
                rr * c * c + hoop * s * s,
                xy,
                rz * c,
                xy,
                rr * s * s + hoop * c * c,
                rz * s,
                rz * c,
                rz * s,
                zz,
            ),
        }
    }
}

impl Feature {
    /// A conical recess in a flat face: half angle against the axis [rad], radius of the mouth
    /// where wall and face would meet without the lip [m], radius of the lip [m]. Its seat is a
    /// [`Feature::Plane`].
    pub fn funnel(half_angle: f64, mouth_radius: f64, lip_radius: f64) -> Self {
        let (sine, cosine) = math::sin_cos(half_angle);
        Self::Funnel {
            sine,
            cosine,
            lip_centre: mouth_radius + lip_radius * (1.0 - sine) / cosine, // (3)
            lip_radius,
        }
    }

    /// Signed distance and derivatives at `x`, a position in the port frame [m].
    pub fn distance(&self, x: &Vector3<f64>) -> Distance {
        let rho = math::hypot(x.x, x.y);
        self.meridian(rho, x.z).revolve(x, rho)
    }

    fn meridian(&self, rho: f64, z: f64) -> Meridian {
        match *self {
            Self::Plane { height } => Meridian::straight(z - height, [0.0, 1.0]),
            Self::Funnel {
                sine,
                cosine,
                lip_centre,
                lip_radius,
            } => {
                let q = [rho - lip_centre, z + lip_radius];
                let wall = sine * q[1] - cosine * q[0] - lip_radius;
                let face = q[1] - lip_radius;
                let beside_wall = -sine * q[0] - cosine * q[1] >= 0.0;
                let above_face = q[0] >= 0.0;
                // Both only deep inside the material: there the nearer surface counts.
                if beside_wall && !(above_face && face > wall) {
                    Meridian::straight(wall, [-cosine, sine]) // (4)
                } else if above_face {
                    Meridian::straight(face, [0.0, 1.0])
                } else {
                    Meridian::round(q, lip_radius)
                }
            }
            Self::Torus {
                radius,
                tube_radius,
            } => Meridian::round([rho - radius, z], tube_radius), // (5)
            Self::Disc {
                radius,
                edge_radius,
            } => {
                let q = [rho - radius + edge_radius, z + edge_radius];
                let above_face = q[0] <= 0.0;
                let beside_post = q[1] <= 0.0;
                if above_face && !(beside_post && q[0] > q[1]) {
                    Meridian::straight(q[1] - edge_radius, [0.0, 1.0]) // (6)
                } else if beside_post {
                    Meridian::straight(q[0] - edge_radius, [1.0, 0.0])
                } else {
                    Meridian::round(q, edge_radius)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::TAU;
    use proptest::prelude::*;

    /// Fourth-order differences with a step of 20 µm on radii of at least 5 mm.
    const TOLERANCE: f64 = 1e-8;
    const STEP: f64 = 2e-5;

    /// Kinds of features tried.
    const KINDS: usize = 5;
    const HALF_ANGLE: f64 = core::f64::consts::FRAC_PI_4;
    const MOUTH: f64 = 0.25;
    const DEPTH: f64 = 0.05;
    const LIP: f64 = 0.005;
    const RIM: [f64; 2] = [0.19, 0.01];

    fn feature(kind: usize) -> Feature {
        match kind {
            0 => Feature::Plane { height: 0.0 },
            1 => Feature::funnel(HALF_ANGLE, MOUTH, LIP),
            2 => Feature::Plane { height: -DEPTH },
            3 => Feature::Torus {
                radius: RIM[0],
                tube_radius: RIM[1],
            },
            _ => Feature::Disc {
                radius: 0.2,
                edge_radius: 0.02,
            },
        }
    }

    /// Which formula of (4) holds; constant elsewhere.
    fn branch(feature: &Feature, x: &Vector3<f64>) -> u8 {
        let flat = feature.meridian(x.x.hypot(x.y), x.z).hessian == [0.0; 3];
        let upward = feature.distance(x).normal.z == 1.0;
        u8::from(flat) + 2 * u8::from(upward)
    }

    fn check_derivatives(feature: &Feature, x: &Vector3<f64>) -> Result<(), TestCaseError> {
        let here = feature.distance(x);
        prop_assert!((here.normal.norm() - 1.0).abs() < 1e-14);
        prop_assert!((here.hessian * here.normal).norm() < 1e-10);
        for axis in 0..3 {
            let at = |t: f64| {
                let mut moved = *x;
                moved[axis] += t * STEP;
                feature.distance(&moved)
            };
            let four = [at(1.0), at(-1.0), at(2.0), at(-2.0)];
            let slope = (8.0 * (four[0].value - four[1].value) - (four[2].value - four[3].value))
                / (12.0 * STEP);
            prop_assert!((slope - here.normal[axis]).abs() < TOLERANCE);
            let bend = (8.0 * (four[0].normal - four[1].normal)
                - (four[2].normal - four[3].normal))
                / (12.0 * STEP);
            let scale = 1.0 + here.hessian.norm();
            prop_assert!((bend - here.hessian.column(axis)).norm() < TOLERANCE * scale);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn derivatives_match_differences(
            kind in 0..KINDS, rho in 0.03..0.4f64, theta in 0.0..TAU, z in -0.06..0.1f64,
        ) {
            let feature = feature(kind);
            let at = |rho: f64, z: f64| Vector3::new(rho * theta.cos(), rho * theta.sin(), z);
            let x = at(rho, z);
            // Away from the centre of a tube and from the seams between the formulas of (4).
            let smooth = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)]
                .iter()
                .all(|(a, b)| {
                    let near = at(rho + a * 3.0 * STEP, z + b * 3.0 * STEP);
                    branch(&feature, &near) == branch(&feature, &x)
                });
            if smooth && feature.distance(&x).hessian.norm() < 200.0 {
                check_derivatives(&feature, &x)?;
            }
        }

        /// The distance of (4) is the distance to the nearest point of the drawn outline.
        #[test]
        fn funnel_is_a_distance(rho in 0.0..0.4f64, z in -0.05..0.2f64) {
            let funnel = feature(1);
            let value = funnel.distance(&Vector3::new(rho, 0.0, z)).value;
            if value <= 0.0 {
                return Ok(());
            }
            let (sine, cosine) = HALF_ANGLE.sin_cos();
            let r = LIP;
            let centre = (MOUTH + r * (1.0 - sine) / cosine, -r);
            let mut nearest = f64::INFINITY;
            for i in 0..=4000 {
                let s = f64::from(i) / 4000.0;
                let on_wall = (centre.0 - r * cosine - 0.5 * s * sine,
                    centre.1 + r * sine - 0.5 * s * cosine);
                let on_face = (centre.0 + 0.5 * s, 0.0);
                // The lip turns from the wall's normal (−cos α, sin α) to (0, 1).
                let angle = (1.0 - s) * (core::f64::consts::PI - HALF_ANGLE)
                    + s * core::f64::consts::FRAC_PI_2;
                let on_lip = (centre.0 + r * angle.cos(), centre.1 + r * angle.sin());
                for (a, b) in [on_wall, on_face, on_lip] {
                    nearest = nearest.min((rho - a).hypot(z - b));
                }
            }
            // The samples stand 0.125 mm apart.
            let farthest = value.hypot(6.3e-5);
            prop_assert!(nearest > value - 1e-12 && nearest < farthest, "{nearest} {value}");
        }

        #[test]
        fn funnel_is_continuously_differentiable(angle in 0.0..TAU, theta in 0.0..TAU) {
            // Around a circle close to the lip, neighbouring normals stay close.
            let Feature::Funnel { lip_centre, lip_radius, .. } = feature(1) else {
                return Err(TestCaseError::fail("the cone's first feature is a funnel"));
            };
            let at = |angle: f64| {
                let (rho, z) = (lip_centre + lip_radius * angle.cos(), lip_radius * (angle.sin() - 1.0));
                feature(1).distance(&Vector3::new(rho * theta.cos(), rho * theta.sin(), z))
            };
            let (one, other) = (at(angle), at(angle + 1e-6));
            // Below the lip the nearer of wall and face may change: that is deep in the material.
            if one.value < -0.5 * lip_radius {
                return Ok(());
            }
            prop_assert!((one.normal - other.normal).norm() < 2e-6);
            prop_assert!((one.value - other.value).abs() < 1e-8);
        }
    }

    #[test]
    fn planes_and_ring_have_their_distances() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
        near(feature(0).distance(&Vector3::new(1.0, 2.0, 0.3)).value, 0.3);
        let seat = feature(2).distance(&Vector3::zeros());
        near(seat.value, DEPTH);
        let above = Vector3::new(0.0, RIM[0], 0.04);
        let distance = feature(3).distance(&above);
        near(distance.value, 0.04 - RIM[1]);
        assert_eq!(distance.normal, Vector3::z());
    }

    #[test]
    fn nothing_breaks_on_the_axis() {
        for kind in 0..KINDS {
            let distance = feature(kind).distance(&Vector3::new(0.0, 0.0, -0.01));
            assert!(distance.value.is_finite() && distance.normal.norm() > 0.999);
            assert!(distance.hessian.iter().all(|entry| entry.is_finite()));
        }
    }

    /// Distances from the face, the mantle and the rounded edge of a post, outside and inside.
    #[test]
    fn disc_has_its_distances() {
        let at = |x: f64, z: f64| feature(4).distance(&Vector3::new(x, 0.0, z));
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
        near(at(0.1, 0.03).value, 0.03);
        near(at(0.25, -0.1).value, 0.05);
        near(at(0.18 + 0.03, -0.02 + 0.04).value, 0.05 - 0.02);
        near(at(0.1, -0.01).value, -0.01);
        near(at(0.199, -0.1).value, -0.001);
        assert_eq!(at(0.25, -0.1).normal, Vector3::x());
        assert_eq!(at(0.1, 0.03).normal, Vector3::z());
    }
}
