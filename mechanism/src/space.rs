//! The plane and space as one: from descriptions in three dimensions to the kernel's types.

use crate::parts::{Pose, SectionPart};
use multibody::group::{Group, Se2, Se3};
use multibody::model::{Section, rigid_inertia};
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};

/// A group with what a description needs.
pub trait Space<const N: usize, const D: usize>: Group<N, D> {
    /// Stiffness and rotary inertia of a section.
    fn section(part: &SectionPart) -> Section<N, D>;

    /// The angular entries of a twist from a vector.
    fn angular(v: &Vector3<f64>) -> SVector<f64, N>;

    /// The angular entries of a twist as a vector.
    fn angular_of(v: &SVector<f64, N>) -> Vector3<f64>;

    /// The pose.
    fn of(pose: &Pose) -> Self {
        let rotation = SMatrix::from_fn(|i, j| pose.rotation[(i, j)]);
        Self::from_parts(Self::vector(&pose.position), rotation)
    }

    /// The first components.
    fn vector(v: &Vector3<f64>) -> SVector<f64, D> {
        SVector::from_fn(|i, _| v[i])
    }

    /// In three dimensions.
    fn lift(v: &SVector<f64, D>) -> Vector3<f64> {
        Vector3::from_fn(|i, _| if i < D { v[i] } else { 0.0 })
    }

    /// The rotation in three dimensions.
    fn lift_rotation(&self) -> Matrix3<f64> {
        let r = self.rotation();
        Matrix3::from_fn(|i, j| match (i < D, j < D) {
            (true, true) => r[(i, j)],
            _ if i == j => 1.0,
            _ => 0.0,
        })
    }

    /// Inertia about the frame's origin.
    fn inertia(mass: f64, centre: &Vector3<f64>, tensor: &Matrix3<f64>) -> SMatrix<f64, N, N> {
        let mut rotary = SMatrix::zeros();
        for i in D..N {
            for j in D..N {
                let axis = |k: usize| if D == 2 { 2 } else { k - D };
                rotary[(i, j)] = tensor[(axis(i), axis(j))];
            }
        }
        rigid_inertia::<Self, N, D>(mass, Self::vector(centre), rotary)
    }

    /// The twist of a frame with a velocity and an angular velocity in world axes.
    fn twist(&self, velocity: &Vector3<f64>, turning: &Vector3<f64>) -> SVector<f64, N> {
        let r = self.lift_rotation();
        let linear = Self::vector(&r.tr_mul(velocity));
        Self::linear_part().tr_mul(&linear) + Self::angular(&r.tr_mul(turning))
    }
}

impl Space<3, 2> for Se2 {
    fn section(part: &SectionPart) -> Section<3, 2> {
        let [axial, shear, _, _, _, bending] = part.stiffness;
        let mut rotary_inertia = SMatrix::zeros();
        rotary_inertia[(2, 2)] = part.rotary[2];
        Section {
            stiffness: SMatrix::from_diagonal(&SVector::from([axial, shear, bending])),
            mass_per_length: part.mass,
            mass_centre: SVector::zeros(),
            rotary_inertia,
        }
    }

    fn angular(v: &Vector3<f64>) -> SVector<f64, 3> {
        SVector::from([0.0, 0.0, v.z])
    }

    fn angular_of(v: &SVector<f64, 3>) -> Vector3<f64> {
        Vector3::new(0.0, 0.0, v[2])
    }
}

impl Space<6, 3> for Se3 {
    fn section(part: &SectionPart) -> Section<6, 3> {
        let mut rotary_inertia = SMatrix::zeros();
        for i in 0..3 {
            rotary_inertia[(3 + i, 3 + i)] = part.rotary[i];
        }
        Section {
            stiffness: SMatrix::from_diagonal(&SVector::from(part.stiffness)),
            mass_per_length: part.mass,
            mass_centre: SVector::zeros(),
            rotary_inertia,
        }
    }

    fn angular(v: &Vector3<f64>) -> SVector<f64, 6> {
        SVector::from([0.0, 0.0, 0.0, v.x, v.y, v.z])
    }

    fn angular_of(v: &SVector<f64, 6>) -> Vector3<f64> {
        Vector3::new(v[3], v[4], v[5])
    }
}
