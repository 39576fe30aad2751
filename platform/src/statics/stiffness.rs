//! Stiffness of the end effector and stability of the equilibrium.
//!
//! With the motors held, the potential of the whole platform is a minimum exactly if every leg's
//! own equilibrium is one with its ends held, and the stiffness K that the legs leave at the end
//! effector is positive definite: eliminating the legs splits the signs of the eigenvalues
//! (Haynsworth). Both are counted, [`multibody::statics::stability`]:
//!
//! ```text
//! unstable directions = Σ unstable directions of leg i + neg(½ (K + Kᵀ))        (1)
//! K_s = S K S,   S = diag(1, 1, 1, 1/ℓ, 1/ℓ, 1/ℓ)                               (2)
//! ```
//!
//! ℓ is the radius of the spherical joints: the eigenvalues of (2) are all in N/m and comparable.

use super::StaticPlatform;
use crate::error::{PlatformError, Result};
use multibody::group::Group;
use nalgebra::{DMatrix, Matrix3, Matrix6, Vector6};

/// Whether an equilibrium is stable, motors held.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// The equilibrium is a minimum of the potential.
    pub stable: bool,
    /// Number of independent directions in which the potential falls, eq. (1).
    pub unstable_directions: usize,
    /// Legs (from 0) that are unstable even with their ends held.
    pub unstable_legs: Vec<usize>,
    /// Smallest eigenvalue of (2) [N/m].
    pub smallest_stiffness: f64,
}

/// Stiffness of the end effector about its centre, motors held, world axes.
#[derive(Debug, Clone, PartialEq)]
pub struct StiffnessReport {
    /// The matrix: rows force [N] and moment [N·m] that resist, columns translation [m] and
    /// rotation [rad].
    pub matrix: Matrix6<f64>,
    /// Principal stiffnesses of translation, rotation held, ascending [N/m].
    pub translation: [f64; 3],
    /// Principal stiffnesses of rotation, centre held, ascending [N·m/rad].
    pub rotation: [f64; 3],
    /// Principal stiffnesses of translation, rotation free, ascending [N/m].
    pub translation_free: [f64; 3],
    /// ℓ of eq. (2) [m].
    pub length: f64,
    /// Eigenvalues of (2), ascending [N/m].
    pub eigenvalues: [f64; 6],
    /// Their directions, one each: translation, then rotation times ℓ; of length one.
    pub directions: [Vector6<f64>; 6],
    /// Largest over smallest eigenvalue; negative if the smallest is.
    pub condition: f64,
    /// Largest antisymmetric part of (2) over the largest eigenvalue: a dead moment has no
    /// potential.
    pub asymmetry: f64,
    /// Singular values of the motors' effect on force and moment/ℓ, descending [N/rad].
    pub motor_singular_values: Vec<f64>,
}

/// Eigenvalues ascending, with vectors.
fn symmetric_eigen(matrix: &Matrix6<f64>) -> ([f64; 6], [Vector6<f64>; 6]) {
    let eigen = (0.5 * (matrix + matrix.transpose())).symmetric_eigen();
    let mut order = [0, 1, 2, 3, 4, 5];
    order.sort_by(|&i, &j| eigen.eigenvalues[i].total_cmp(&eigen.eigenvalues[j]));
    let direction = |i: usize| {
        let v: Vector6<f64> = eigen.eigenvectors.column(i).into();
        if v[v.icamax()] < 0.0 { -v } else { v }
    };
    (order.map(|i| eigen.eigenvalues[i]), order.map(direction))
}

fn ascending(matrix: Matrix3<f64>) -> [f64; 3] {
    let values = (0.5 * (matrix + matrix.transpose())).symmetric_eigenvalues();
    let mut out = [values[0], values[1], values[2]];
    out.sort_by(f64::total_cmp);
    out
}

impl StaticPlatform {
    /// ℓ of eq. (2).
    fn joint_radius(&self) -> f64 {
        self.config.legs.sphere_radius_m
    }

    /// Eq. (2), in the axes of the end effector.
    fn scaled_stiffness(&self) -> Matrix6<f64> {
        let mut k = self.stiffness();
        let per_length = 1.0 / self.joint_radius();
        for i in 3..6 {
            k.row_mut(i).scale_mut(per_length);
            k.column_mut(i).scale_mut(per_length);
        }
        k
    }

    /// Smallest eigenvalue of eq. (2) [N/m].
    pub(super) fn softest(&self) -> f64 {
        symmetric_eigen(&self.scaled_stiffness()).0[0]
    }

    /// ∂(force, moment/ℓ)/∂motors [N/rad].
    fn scaled_by_motors(&self) -> DMatrix<f64> {
        let mut by_motors = self.wrench_by_motors();
        let per_length = 1.0 / self.joint_radius();
        for i in 3..6 {
            by_motors.row_mut(i).scale_mut(per_length);
        }
        by_motors
    }

    /// Smallest and largest singular value of the motors' effect [N/rad], and the leg (from 0) that
    /// takes most part in the direction of the smallest.
    pub(super) fn weakest_motors(&self) -> (f64, f64, usize) {
        let svd = self.scaled_by_motors().svd(false, true);
        let values = &svd.singular_values;
        let (low, high) = (values.min(), values.max());
        let weakest = values.imin();
        let leg = svd.v_t.map_or(0, |v_t| {
            let parts = v_t.row(weakest);
            let larger = |a: &usize, b: &usize| parts[*a].abs().total_cmp(&parts[*b].abs());
            (0..parts.len()).max_by(larger).unwrap_or(0)
        });
        (low, high, leg)
    }

    /// Stability of the equilibrium, motors held.
    pub fn stability(&mut self) -> Result<Stability> {
        let (eigenvalues, _) = symmetric_eigen(&self.scaled_stiffness());
        let mut count = eigenvalues.iter().filter(|value| **value <= 0.0).count();
        let mut unstable_legs = Vec::new();
        for (i, leg) in self.legs.iter_mut().enumerate() {
            let own = leg
                .unstable_directions()
                .map_err(PlatformError::in_leg(i))?;
            count += own;
            if own > 0 {
                unstable_legs.push(i);
            }
        }
        // Counting used the legs' memory: what depends on it is made again.
        self.linearize(1)?;
        Ok(Stability {
            stable: count == 0,
            unstable_directions: count,
            unstable_legs,
            smallest_stiffness: eigenvalues[0],
        })
    }

    /// Stiffness at the equilibrium.
    pub fn stiffness_report(&self) -> StiffnessReport {
        let rotation = self.pose.rotation();
        let mut turn = Matrix6::zeros();
        for block in [0, 3] {
            turn.fixed_view_mut::<3, 3>(block, block)
                .copy_from(&rotation);
        }
        let matrix = turn * self.stiffness() * turn.transpose();
        let scaled = turn * self.scaled_stiffness() * turn.transpose();
        let (eigenvalues, directions) = symmetric_eigen(&scaled);
        let block = |m: &Matrix6<f64>, at: usize| m.fixed_view::<3, 3>(at, at).into_owned();
        let free = matrix
            .try_inverse()
            .and_then(|compliance| block(&compliance, 0).try_inverse())
            .map_or([f64::NAN; 3], ascending);
        StiffnessReport {
            translation: ascending(block(&matrix, 0)),
            rotation: ascending(block(&matrix, 3)),
            translation_free: free,
            matrix,
            length: self.joint_radius(),
            condition: eigenvalues[5] / eigenvalues[0],
            asymmetry: 0.5 * (scaled - scaled.transpose()).amax() / eigenvalues[5].abs(),
            eigenvalues,
            directions,
            motor_singular_values: self.scaled_by_motors().singular_values().data.into(),
        }
    }
}
