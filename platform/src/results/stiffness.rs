//! The stiffness of the end effector.

use super::stability_note;
use crate::Result;
use crate::attitude::Attitude;
use crate::statics::StaticPlatform;
use multibody::group::Group;
use multibody::results::soundness::Soundness;
use serde::Serialize;
use softdock_figures::{Views, figures};

/// A principal stiffness.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Principal {
    /// The stiffness [N/m].
    pub stiffness_n_per_m: f64,
    /// Translation, then rotation times `length_m`; of length one.
    pub direction: [f64; 6],
}

figures! {
    /// Stiffness of the end effector at an equilibrium, motors held.
    pub struct StiffnessResult;
    #[serde(flatten)]
    soundness: Soundness as "Whether the leaves are strained within their model.";
    position_m: [f64; 3] = "m", "position", "Centre of the end effector";
    attitude_rad: Attitude = "rad", "pitch, yaw, roll", "Attitude of the end effector";
    motor_rad: Vec<f64> as "Crank angles [rad].";
    stiffness: [[f64; 6]; 6] = "N, N·m per m, rad", "stiffness, row {}",
        "Rows Fx, Fy, Fz, Mx, My, Mz that resist, columns translation and rotation", decimals(3);
    translation_n_per_m: [f64; 3] = "N/m", "translation",
        "Principal stiffnesses of translation, rotation held";
    translation_with_free_rotation_n_per_m: [f64; 3] = "N/m", "translation, rotation free",
        "Principal stiffnesses of translation, rotation free";
    rotation_nm_per_rad: [f64; 3] = "N·m/rad", "rotation",
        "Principal stiffnesses of rotation, centre held";
    length_m: f64 as "Length by which rotations are measured as arcs [m].";
    eigenvalues_n_per_m: [f64; 6] = "N/m", "eigenvalues",
        "Eigenvalues of the matrix with rotations as arcs at the joints";
    eigenvalues: Vec<Principal> as "The same with their directions.";
    condition: f64 = "-", "condition", "Largest over smallest eigenvalue";
    closeness_to_singular: f64
        as "Smallest over largest eigenvalue: zero at a singular pose, negative beyond.";
    asymmetry: f64 as "Largest antisymmetric part over the largest eigenvalue.";
    motor_singular_values_n_per_rad: Vec<f64>
        as "Singular values of the motors' effect on the wrench [N/rad].";
    motor_condition: f64 = "-", "condition of the motors",
        "Largest over smallest of the motors' singular values";
    stable: bool as "Whether the equilibrium is a minimum of the energy with the motors held.";
    unstable_directions: usize as "Number of directions in which it is not.";
}

impl StiffnessResult {
    /// Of the equilibrium that `platform` is in.
    pub fn new(platform: &mut StaticPlatform) -> Result<Self> {
        let stability = platform.stability()?;
        let found = platform.stiffness_report();
        let values = found.motor_singular_values;
        let principal = (0..6).map(|i| Principal {
            stiffness_n_per_m: found.eigenvalues[i],
            direction: found.directions[i].into(),
        });
        Ok(Self {
            soundness: platform.soundness()?,
            position_m: platform.pose().translation().into(),
            attitude_rad: Attitude::of_body(platform.pose()),
            motor_rad: platform.motors().to_vec(),
            stiffness: core::array::from_fn(|i| core::array::from_fn(|j| found.matrix[(i, j)])),
            translation_n_per_m: found.translation,
            translation_with_free_rotation_n_per_m: found.translation_free,
            rotation_nm_per_rad: found.rotation,
            length_m: found.length,
            eigenvalues_n_per_m: found.eigenvalues,
            eigenvalues: principal.collect(),
            condition: found.condition,
            closeness_to_singular: found.eigenvalues[0] / found.eigenvalues[5],
            asymmetry: found.asymmetry,
            motor_condition: values.first().unwrap_or(&0.0) / values.last().unwrap_or(&0.0),
            motor_singular_values_n_per_rad: values,
            stable: stability.stable,
            unstable_directions: stability.unstable_directions,
        })
    }
}

impl Views for StiffnessResult {
    const FILE: &'static str = "stiffness.json";

    fn title(&self) -> String {
        "Stiffness of the end effector, motors held".to_owned()
    }

    fn verdict(&self) -> Soundness {
        self.soundness.clone()
    }

    fn notes(&self) -> Vec<String> {
        vec![stability_note(self.stable, self.unstable_directions)]
    }
}
