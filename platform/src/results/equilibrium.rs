//! An equilibrium of the platform.

use super::stability_note;
use crate::Result;
use crate::attitude::Attitude;
use crate::statics::{Found, StaticPlatform};
use multibody::group::Group;
use multibody::results::soundness::Soundness;
use softdock_figures::{Views, figures};

figures! {
    /// An equilibrium: pose, motors, forces, stability.
    pub struct EquilibriumResult;
    /// What was looked for, as a heading.
    #[serde(skip)]
    title: &'static str as "";
    #[serde(flatten)]
    soundness: Soundness as "Whether the leaves are strained within their model.";
    position_m: [f64; 3] = "m", "position", "Centre of the end effector", decimals(6);
    attitude_rad: Attitude = "rad", "pitch, yaw, roll", "Attitude of the end effector",
        decimals(6);
    motor_rad: Vec<f64> = "rad", "motor angles", "Crank angles", decimals(6);
    holding_torque_nm: Vec<f64> = "N·m", "holding torques",
        "Torques with which the motors hold the equilibrium", decimals(4);
    tendon_length_m: Vec<f64> = "m", "tendon lengths", "Distance A to B of each leg", decimals(5);
    tendon_tension_n: Vec<f64> = "N", "tendon tensions", "Tension of each tendon", decimals(3);
    leg_forces_n: Vec<[f64; 3]> = "N", "force of leg {}",
        "Force of each leg on the end effector, world axes", decimals(4);
    force_n: [f64; 3] as "Force on the end effector's centre, world axes [N].";
    moment_nm: [f64; 3] as "Moment on the end effector, world axes [N·m].";
    residual: f64 = "N, N·m", "out of balance",
        "Largest force or moment out of balance at the end effector", exponent(1);
    smallest_stiffness_n_per_m: f64 = "N/m", "smallest stiffness",
        "Smallest stiffness of the end effector, rotations over the radius of the joints";
    stable: bool as "Whether it is a minimum of the energy with the motors held.";
    unstable_directions: usize as "Number of directions in which it is not.";
    unstable_legs: Vec<usize> as "Legs, from 1, that are unstable even with their ends held.";
    unstable_from: Option<f64>
        as "Fraction of the path from which on the equilibrium was unstable.";
    leg_residual: f64
        as "Largest force or moment out of balance at a node of a leg; rounding leaves some 1e-8.";
    path_points: usize as "Points of the path from the nominal pose.";
    iterations: usize as "Newton iterations of all points.";
}

impl EquilibriumResult {
    /// Of the equilibrium that `platform` is in and how it was found.
    pub fn new(title: &'static str, platform: &mut StaticPlatform, found: &Found) -> Result<Self> {
        let stability = platform.stability()?;
        let (force, moment) = platform.wrench();
        Ok(Self {
            soundness: platform.soundness()?,
            title,
            position_m: platform.pose().translation().into(),
            attitude_rad: Attitude::of_body(platform.pose()),
            motor_rad: platform.motors().to_vec(),
            holding_torque_nm: platform.holding_torques(),
            tendon_length_m: platform.chords(),
            tendon_tension_n: platform.tensions(),
            leg_forces_n: platform.leg_forces().iter().map(|f| (*f).into()).collect(),
            force_n: force.into(),
            moment_nm: moment.into(),
            residual: platform.residual(),
            smallest_stiffness_n_per_m: stability.smallest_stiffness,
            stable: stability.stable,
            unstable_directions: stability.unstable_directions,
            unstable_legs: stability.unstable_legs.iter().map(|leg| leg + 1).collect(),
            unstable_from: found.unstable_from,
            leg_residual: platform.leg_residual(),
            path_points: found.points,
            iterations: found.iterations,
        })
    }
}

impl Views for EquilibriumResult {
    const FILE: &'static str = "equilibrium.json";

    fn title(&self) -> String {
        self.title.to_owned()
    }

    fn verdict(&self) -> Soundness {
        self.soundness.clone()
    }

    fn notes(&self) -> Vec<String> {
        vec![stability_note(self.stable, self.unstable_directions)]
    }
}
