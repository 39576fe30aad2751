//! The one attitude convention of inputs and outputs.
//!
//! In the docking frame, whose z is the docking axis from the base to the target, an attitude is
//! turned by *pitch* about x, then by *yaw* about y, then by *roll* about z, the axes staying where
//! they are:
//!
//! ```text
//! R = Rz(roll) Ry(yaw) Rx(pitch)                                                 (1)
//! ```
//!
//! Lists are in the order pitch, yaw, roll, which is also x, y, z. End effector and base are not
//! turned when their axes are those of the docking frame. The target is not turned when it is
//! aligned: then its port looks back along the docking axis,
//!
//! ```text
//! R_target = Rz(roll) Ry(yaw) Rx(pitch) · Rx(π)                                  (2)
//! ```
//!
//! Rates are components of the angular velocity about x, y, z of the docking frame: the pitch, yaw
//! and roll rate. They are the derivatives of the angles while these are zero.

use multibody::group::{Group, Se3};
use multibody::math;
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use softdock_settings::{Kind, Range, Setting};

/// Cosine of the yaw below which pitch and roll turn about the same axis; all is given to pitch.
const SINGULAR: f64 = 1e-12;

/// Pitch, yaw and roll [rad]; written as a list in this order.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "[f64; 3]", into = "[f64; 3]")]
pub struct Attitude {
    /// Angle about x [rad].
    pub pitch: f64,
    /// Angle about y [rad].
    pub yaw: f64,
    /// Angle about z, the docking axis [rad].
    pub roll: f64,
}

impl From<[f64; 3]> for Attitude {
    fn from([pitch, yaw, roll]: [f64; 3]) -> Self {
        Self { pitch, yaw, roll }
    }
}

impl From<Attitude> for [f64; 3] {
    fn from(attitude: Attitude) -> Self {
        attitude.list()
    }
}

impl Attitude {
    /// Names of the angles, in the order of lists and columns.
    pub const NAMES: [&'static str; 3] = ["pitch", "yaw", "roll"];

    /// Of angles in degrees.
    pub fn from_degrees(pitch: f64, yaw: f64, roll: f64) -> Self {
        Self::from([pitch, yaw, roll].map(f64::to_radians))
    }

    /// Of a rotation. Pitch and roll are in (−π, π], yaw in [−π/2, π/2].
    pub fn of_rotation(r: &Matrix3<f64>) -> Self {
        let cosine = math::hypot(r.m11, r.m21);
        let yaw = math::atan2(-r.m31, cosine);
        let (pitch, roll) = if cosine > SINGULAR {
            (math::atan2(r.m32, r.m33), math::atan2(r.m21, r.m11))
        } else {
            (math::atan2(-r.m23, r.m22), 0.0)
        };
        // Adding zero turns −0 into 0.
        Self::from([pitch + 0.0, yaw + 0.0, roll + 0.0])
    }

    /// Of an end effector or base.
    pub fn of_body(pose: &Se3) -> Self {
        Self::of_rotation(&pose.rotation())
    }

    /// Of a target, against the aligned one.
    pub fn of_target(pose: &Se3) -> Self {
        Self::of_rotation(&(pose.rotation() * half_turn())) // (2)
    }

    /// Of a target, seen from the end effector instead of the docking frame.
    pub fn of_target_against(effector: &Se3, target: &Se3) -> Self {
        let seen = effector.rotation().tr_mul(&target.rotation());
        Self::of_rotation(&(seen * half_turn()))
    }

    /// The rotation (1).
    pub fn rotation(self) -> Matrix3<f64> {
        let turn = |axis, angle| Se3::from_axis_angle(&axis, angle).rotation();
        turn(Vector3::z_axis(), self.roll)
            * turn(Vector3::y_axis(), self.yaw)
            * turn(Vector3::x_axis(), self.pitch)
    }

    /// The rotation (2) of a target.
    pub fn target_rotation(self) -> Matrix3<f64> {
        self.rotation() * half_turn()
    }

    /// Rates of pitch, yaw and roll of a body that turns with this angular velocity in the docking
    /// frame [rad/s]; none where pitch and roll turn about the same axis.
    ///
    /// ```text
    /// ω = Rz Ry e_x pitch' + Rz e_y yaw' + e_z roll'                                 (3)
    /// ```
    pub fn rates(self, spin: &Vector3<f64>) -> Option<[f64; 3]> {
        let (sine, cosine) = math::sin_cos(self.yaw);
        if cosine.abs() <= SINGULAR {
            return None;
        }
        let (sine_roll, cosine_roll) = math::sin_cos(self.roll);
        // Solved from the plane of x and y, in which e_z has no part.
        let pitch = (cosine_roll * spin.x + sine_roll * spin.y) / cosine;
        let yaw = cosine_roll * spin.y - sine_roll * spin.x;
        Some([pitch, yaw, spin.z + sine * pitch])
    }

    /// Pitch, yaw and roll [rad].
    pub fn list(self) -> [f64; 3] {
        [self.pitch, self.yaw, self.roll]
    }

    /// Pitch, yaw and roll [deg].
    pub fn degrees(self) -> [f64; 3] {
        self.list().map(f64::to_degrees)
    }
}

impl Setting for Attitude {
    const KIND: Kind = Kind::Numbers(3);

    fn first_outside(&self, range: &Range) -> Option<f64> {
        self.list().first_outside(range)
    }
}

/// `Rx(π)`, its own inverse.
fn half_turn() -> Matrix3<f64> {
    Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, -1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::{FRAC_PI_2, PI};
    use proptest::prelude::*;

    /// Products of three rotations and arc tangents: a few units in the last place.
    const ROUNDING: f64 = 1e-14;

    fn close(a: [f64; 3], b: [f64; 3]) -> Result<(), TestCaseError> {
        let apart = (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
        prop_assert!(apart < ROUNDING, "{a:?} against {b:?}");
        Ok(())
    }

    proptest! {
        #[test]
        fn angles_given_are_angles_shown(
            pitch in -PI..PI, yaw in -1.5..1.5_f64, roll in -PI..PI,
        ) {
            let given = Attitude { pitch, yaw, roll };
            close(Attitude::of_rotation(&given.rotation()).list(), given.list())?;
            let target = Se3::from_parts(Vector3::zeros(), given.target_rotation());
            close(Attitude::of_target(&target).list(), given.list())?;
        }

        /// Against a small turn about a fixed axis.
        #[test]
        fn rates_are_those_of_the_angles(
            pitch in -1.0..1.0_f64, yaw in -1.2..1.2_f64, roll in -1.0..1.0_f64,
            spin in proptest::array::uniform3(-1.0..1.0_f64),
        ) {
            let given = Attitude { pitch, yaw, roll };
            let spin = Vector3::from(spin);
            let Some(rates) = given.rates(&spin) else {
                return Err(TestCaseError::fail("pitch and roll about one axis"));
            };
            let turned = |time: f64| {
                let turn = Se3::new(Vector3::zeros(), spin * time).rotation();
                Attitude::of_rotation(&(turn * given.rotation())).list()
            };
            let (after, before) = (turned(1e-5), turned(-1e-5));
            for i in 0..3 {
                let seen = (after[i] - before[i]) / 2e-5;
                prop_assert!((rates[i] - seen).abs() < 1e-8, "{} {seen}", rates[i]);
            }
        }

        /// Against a second statement of the convention, word by word: pitch about x first, then
        /// yaw about y, then roll about z, each time a right-handed turn of the whole body.
        #[test]
        fn the_order_is_pitch_yaw_roll_about_axes_that_stay(
            pitch in -PI..PI, yaw in -1.5..1.5_f64, roll in -PI..PI,
            point in proptest::array::uniform3(-1.0..1.0_f64),
        ) {
            let about = |angle: f64, a: f64, b: f64| {
                let (sine, cosine) = angle.sin_cos();
                (cosine * a - sine * b, sine * a + cosine * b)
            };
            let [x, y, z] = point;
            let (y, z) = about(pitch, y, z);
            let (z, x) = about(yaw, z, x);
            let (x, y) = about(roll, x, y);
            let turned = Attitude { pitch, yaw, roll }.rotation() * Vector3::from(point);
            close(turned.into(), [x, y, z])?;
        }
    }

    #[test]
    fn an_aligned_target_looks_back_along_the_docking_axis_and_is_not_turned() {
        let target = Attitude::default().target_rotation();
        assert_eq!(target * Vector3::z(), -Vector3::z());
        assert_eq!(target * Vector3::x(), Vector3::x());
        let pose = Se3::from_parts(Vector3::zeros(), target);
        assert_eq!(Attitude::of_target(&pose).list(), [0.0; 3]);
    }

    #[test]
    fn a_quarter_turn_of_yaw_keeps_its_rotation() {
        for yaw in [FRAC_PI_2, -FRAC_PI_2] {
            let given = Attitude {
                pitch: 0.3,
                yaw,
                roll: 0.4,
            };
            let shown = Attitude::of_rotation(&given.rotation());
            assert_eq!(shown.roll, 0.0);
            assert!((shown.rotation() - given.rotation()).norm() < ROUNDING);
        }
    }
}
