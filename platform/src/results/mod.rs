//! What computations with the platform end with: typed results with their figures.

mod equilibrium;
mod linear;
mod load_curve;
mod motion;
mod regulation;
pub mod scene;
mod stiffness;
mod workspace;

pub use equilibrium::EquilibriumResult;
pub use linear::{Eigenvalue, LinearResult, Signal, matrix_rows};
pub use load_curve::{CurvePointResult, LoadCurveResult};
pub use motion::{Motion, MotionResult, SLACK_TENSION, columns as motion_columns};
pub use regulation::{LoopResult, Pole, Push, PushedMotion, RegulationResult};
pub use stiffness::{Principal, StiffnessResult};
pub use workspace::{Reached, Tried, Workspace, WorkspaceResult};

use crate::attitude::Attitude;
use softdock_figures::Value;

impl From<&Attitude> for Value {
    fn from(attitude: &Attitude) -> Self {
        Self::List(attitude.list().to_vec())
    }
}

/// What is said of the stability of an equilibrium.
fn stability_note(stable: bool, unstable_directions: usize) -> String {
    if stable {
        "stable: a minimum of the energy with the motors held".to_owned()
    } else {
        format!("UNSTABLE in {unstable_directions} directions with the motors held")
    }
}
