//! The whole platform linearised about an equilibrium: (A, B, C, D) for its pose.
//!
//! The states are vibration modes of the platform as one model, slowest first, with the shapes that
//! strong dampers need beside them (`multibody::linearize`), and their rates. The response of the
//! model is compared with that of the platform without any reduction. The outputs are the pose of the end effector as deviations in world axes: with the point at `ℓ e_i`
//! from the centre (world axes, fixed to the end effector),
//!
//! ```text
//! δx = δc,   δθ_x = δ(z of ℓ e_y − z of c)/ℓ,   δθ_y = −δ(z of ℓ e_x − z of c)/ℓ,
//! δθ_z = δ(y of ℓ e_x − y of c)/ℓ                                               (1)
//! ```
//!
//! and the rates of the same.

use crate::error::{PlatformError, Result};
use crate::statics::StaticPlatform;
use crate::whole_model::{CapturedTarget, WholeModel};
use leg_core::planar::LinkDrive;
use multibody::group::Group;
use multibody::linearize::{
    Coordinates, Label, LinearModel, Output, Reduced, Request, ResponseError, linearize,
};
use multibody::model::InputId;
use multibody::workspace::Workspace;
use nalgebra::{DMatrix, DVector, Vector3};

/// Which modes are kept as states.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kept {
    /// So many, slowest first; the others give way to loads at once.
    Count(usize),
    /// Those below a frequency [Hz], and shapes until the response is right below half of it.
    Below(f64),
}

pub use multibody::linearize::RESPONSE_TOLERANCE;

/// The platform linearised.
#[derive(Debug, Clone)]
pub struct LinearPlatform {
    /// The platform as one model, in its equilibrium.
    pub whole: WholeModel,
    /// Inputs: torques of the motors if they are not prescribed, pulls of the tendons' winches if they
    /// are asked for, then force and moment on the end effector. Outputs: eq. (1), then their rates.
    pub model: LinearModel,
    /// Number of torques among the inputs.
    pub torques: usize,
    /// Number of pulls among the inputs.
    pub pulls: usize,
    /// Frequencies of all modes, ascending [Hz]; zero for neutral ones, negative for those that
    /// grow.
    pub frequencies: Vec<f64>,
    /// Response of the model against that of the platform without any reduction.
    pub error: ResponseError,
}

impl LinearPlatform {
    /// Number of inputs that motors and winches have; those of the wrench follow.
    pub fn actuators(&self) -> usize {
        self.torques + self.pulls
    }

    /// What motors and winches do in `equilibrium`: torques [N·m], no pulls [N].
    pub fn holding(&self, equilibrium: &StaticPlatform) -> DVector<f64> {
        let torques = equilibrium.holding_torques();
        DVector::from_fn(self.actuators(), |i, _| {
            if i < self.torques { torques[i] } else { 0.0 }
        })
    }

    /// Undamped frequencies of the model's own coordinates [Hz].
    pub fn kept_frequencies(&self) -> Vec<f64> {
        let order = self.model.order();
        (0..order).map(|i| self.model.frequency(i)).collect()
    }
}

/// Names and units of the outputs.
pub const POSE_OUTPUTS: [(&str, &str); 12] = [
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
    ("rotation_x", "rad"),
    ("rotation_y", "rad"),
    ("rotation_z", "rad"),
    ("vx", "m/s"),
    ("vy", "m/s"),
    ("vz", "m/s"),
    ("spin_x", "rad/s"),
    ("spin_y", "rad/s"),
    ("spin_z", "rad/s"),
];

/// Linearises the platform about `equilibrium`, its motors driven like this. A model whose response
/// is off by more than `tolerance` (relative) is refused.
pub fn linearize_platform(
    equilibrium: &StaticPlatform,
    drive: LinkDrive,
    kept: Kept,
    tolerance: f64,
) -> Result<LinearPlatform> {
    let whole = WholeModel::driven(equilibrium, drive)?;
    let inputs = Actuators {
        drive,
        winches: false,
    };
    linearize_whole(equilibrium, whole, inputs, kept, tolerance)
}

/// The same with the pulls of the tendons' winches as inputs.
pub fn linearize_with_winches(
    equilibrium: &StaticPlatform,
    drive: LinkDrive,
    kept: Kept,
    tolerance: f64,
) -> Result<LinearPlatform> {
    let whole = WholeModel::driven(equilibrium, drive)?;
    if whole.legs.iter().any(|leg| leg.tendon.is_none()) {
        return Err(PlatformError::NoWinch);
    }
    let inputs = Actuators {
        drive,
        winches: true,
    };
    linearize_whole(equilibrium, whole, inputs, kept, tolerance)
}

/// The same with a target in the latch.
pub fn linearize_captured(
    equilibrium: &StaticPlatform,
    target: &CapturedTarget,
    drive: LinkDrive,
    kept: Kept,
    tolerance: f64,
) -> Result<LinearPlatform> {
    let whole = WholeModel::with_target(equilibrium, drive, Some(target))?;
    let inputs = Actuators {
        drive,
        winches: false,
    };
    linearize_whole(equilibrium, whole, inputs, kept, tolerance)
}

/// What acts on the platform.
#[derive(Debug, Clone, Copy)]
struct Actuators {
    drive: LinkDrive,
    winches: bool,
}

fn linearize_whole(
    equilibrium: &StaticPlatform,
    whole: WholeModel,
    actuators: Actuators,
    kept: Kept,
    tolerance: f64,
) -> Result<LinearPlatform> {
    let mut inputs: Vec<InputId> = Vec::new();
    if actuators.drive != LinkDrive::Prescribed {
        inputs.extend(whole.legs.iter().map(|leg| leg.torque));
    }
    let torques = inputs.len();
    if actuators.winches {
        inputs.extend(whole.legs.iter().map(|leg| leg.pull));
    }
    let pulls = inputs.len() - torques;
    inputs.extend(whole.wrench);
    let length = equilibrium.config().legs.sphere_radius_m;
    let order = whole.model.unknown_count() - 2 * whole.model.constraint_count();
    let request = Request {
        coordinates: Coordinates::Modal {
            count: order,
            static_correction: false,
        },
        inputs,
        outputs: raw_outputs(&whole, length),
    };
    let mut workspace = Workspace::new(&whole.model);
    let mut full = linearize(&whole.model, &whole.rest, &mut workspace, &request)?;
    pose_outputs(&mut full, length);
    let frequencies: Vec<f64> = (0..order).map(|i| full.frequency(i)).collect();
    let Reduced { model, error } = match kept {
        Kept::Count(count) => full.reduced_to(count.clamp(1, order), tolerance),
        Kept::Below(cutoff_hz) => full.reduced_below(cutoff_hz, tolerance),
    }?;
    Ok(LinearPlatform {
        whole,
        model,
        torques,
        pulls,
        frequencies,
        error,
    })
}

/// Places whose motion makes up eq. (1), then their rates.
fn raw_outputs(whole: &WholeModel, length: f64) -> Vec<Output<3>> {
    let rotation = whole.rest.pose(whole.effector).rotation();
    let along = |axis: usize| {
        let mut world = Vector3::zeros();
        world[axis] = length;
        rotation.tr_mul(&world)
    };
    let centre = Vector3::zeros();
    let places = [
        (centre, 0),
        (centre, 1),
        (centre, 2),
        (along(1), 2),
        (along(0), 2),
        (along(0), 1),
    ];
    let node = whole.effector;
    let position = places.map(|(point, component)| Output::Position {
        node,
        point,
        component,
    });
    let velocity = places.map(|(point, component)| Output::Velocity {
        node,
        point,
        component,
    });
    position.into_iter().chain(velocity).collect()
}

/// Replaces the places by eq. (1).
fn pose_outputs(model: &mut LinearModel, length: f64) {
    let mut combine = DMatrix::<f64>::identity(12, 12);
    for first in [0, 6] {
        for (row, sign, centre) in [(3, 1.0, 2), (4, -1.0, 2), (5, 1.0, 1)] {
            let row = first + row;
            combine[(row, row)] = sign / length;
            combine[(row, first + centre)] = -sign / length;
        }
    }
    model.c = &combine * &model.c;
    model.d = &combine * &model.d;
    let label = |(name, unit): (&str, &'static str)| Label {
        name: name.to_owned(),
        unit,
    };
    model.outputs = POSE_OUTPUTS.map(label).to_vec();
    let centre: Vec<f64> = model.output_values[..3].to_vec();
    model.output_values = vec![0.0; 12];
    model.output_values[..3].copy_from_slice(&centre);
}
