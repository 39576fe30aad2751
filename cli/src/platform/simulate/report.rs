//! What a run of the platform amounts to.

use super::table::gap;
use crate::summary::Summary;
use multibody::results::soundness::Soundness;
use serde::Serialize;
use softdock_docking::track::SLACK_TENSION;
use softdock_platform::attitude::Attitude;
use softdock_platform::config::Coupling;
use softdock_platform::motor_range::MotorRange;
use softdock_platform::sample::PlatformSample;
use std::path::PathBuf;

/// Extremes over a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Worst {
    start: Option<[f64; 3]>,
    displacement: f64,
    speed: f64,
    leg_force: f64,
    tension: Option<[f64; 2]>,
    torque: f64,
    turn: f64,
    start_angles: Vec<f64>,
    ranges: Vec<MotorRange>,
    range_use: f64,
    gap: f64,
    slack_time: f64,
}

fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl Worst {
    /// Of a platform whose motors have these ranges.
    pub(super) fn new(ranges: Vec<MotorRange>) -> Self {
        Self {
            ranges,
            ..Self::default()
        }
    }

    /// Takes a sample into account; `last` is the one before.
    pub(super) fn note(&mut self, sample: &PlatformSample, last: Option<&PlatformSample>) {
        let position = sample.effector.position;
        let start = *self.start.get_or_insert(position);
        if self.start_angles.is_empty() {
            self.start_angles = sample.legs.iter().map(|leg| leg.motor_angle).collect();
        }
        let moved = core::array::from_fn(|i| position[i] - start[i]);
        self.displacement = self.displacement.max(norm(moved));
        self.speed = self.speed.max(norm(sample.effector.velocity));
        self.gap = self.gap.max(gap(sample));
        let since = last.map_or(0.0, |last| sample.t - last.t);
        for (leg, range) in sample.legs.iter().zip(&self.ranges) {
            self.range_use = self.range_use.max(range.used_at(leg.motor_angle));
        }
        for (leg, angle) in sample.legs.iter().zip(&self.start_angles) {
            self.leg_force = self.leg_force.max(norm(leg.force));
            self.torque = self.torque.max(leg.motor_torque.abs());
            self.turn = self.turn.max((leg.motor_angle - angle).abs());
            let tension = leg.tendon_tension;
            let [low, high] = self.tension.unwrap_or([tension, tension]);
            self.tension = Some([low.min(tension), high.max(tension)]);
            if tension < SLACK_TENSION {
                self.slack_time += since;
            }
        }
    }
}

/// What `--json` prints.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Report {
    pub(super) complete: bool,
    /// Whether the figures can be believed.
    #[serde(flatten)]
    pub(super) soundness: Soundness,
    pub(super) stopped_because: Option<String>,
    pub(super) file: PathBuf,
    pub(super) rows: usize,
    pub(super) simulated_s: f64,
    pub(super) wall_s: f64,
    pub(super) coupling: Coupling,
    /// Step, or macro step of co-simulation.
    pub(super) step_s: f64,
    pub(super) steps: usize,
    pub(super) rejected_steps: usize,
    pub(super) iterations_per_step: f64,
    pub(super) largest_displacement_m: f64,
    pub(super) largest_speed_m_s: f64,
    pub(super) largest_leg_force_n: f64,
    pub(super) tendon_tension_range_n: [f64; 2],
    /// Summed over the legs.
    pub(super) slack_time_s: f64,
    pub(super) largest_motor_torque_nm: f64,
    pub(super) largest_motor_turn_rad: f64,
    /// Largest turn from the pre-tensioned posture over motor.range_rad.
    pub(super) largest_motor_range_use: f64,
    pub(super) largest_joint_gap_m: f64,
    pub(super) largest_energy_residual_j: f64,
    /// The same over the energy that moved.
    pub(super) energy_residual_rel: f64,
    pub(super) wrench_work_j: f64,
    pub(super) motor_work_j: f64,
    pub(super) dissipated_j: f64,
    /// Work that the joints of a co-simulation lose between bodies and legs.
    pub(super) lost_in_coupling_j: f64,
    pub(super) final_position_m: [f64; 3],
    pub(super) final_attitude_rad: Attitude,
}

impl Report {
    /// The part that the samples tell.
    pub(super) fn of(worst: &Worst, last: Option<&PlatformSample>) -> Self {
        let energy = last.map(|last| last.energy).unwrap_or_default();
        Self {
            simulated_s: last.map_or(0.0, |last| last.t),
            largest_displacement_m: worst.displacement,
            largest_speed_m_s: worst.speed,
            largest_leg_force_n: worst.leg_force,
            tendon_tension_range_n: worst.tension.unwrap_or_default(),
            slack_time_s: worst.slack_time,
            largest_motor_torque_nm: worst.torque,
            largest_motor_turn_rad: worst.turn,
            largest_motor_range_use: worst.range_use,
            largest_joint_gap_m: worst.gap,
            wrench_work_j: energy.wrench_work,
            motor_work_j: energy.motor_work,
            dissipated_j: energy.dissipated,
            final_position_m: last.map_or([0.0; 3], |last| last.effector.position),
            final_attitude_rad: last.map(|last| last.effector.attitude).unwrap_or_default(),
            ..Self::default()
        }
    }

    /// The summary for people.
    pub(super) fn summary(&self) -> Summary {
        let mut summary = Summary::new(format!("Platform: {} s simulated", self.simulated_s));
        let [low, high] = self.tendon_tension_range_n;
        summary
            .number("largest displacement", self.largest_displacement_m, "m")
            .number("largest speed", self.largest_speed_m_s, "m/s")
            .number("largest leg force", self.largest_leg_force_n, "N")
            .number("lowest tendon tension", low, "N")
            .number("highest tendon tension", high, "N")
            .number("slack time, all legs", self.slack_time_s, "s")
            .number("largest motor torque", self.largest_motor_torque_nm, "N·m")
            .number("largest motor turn", self.largest_motor_turn_rad, "rad")
            .number("work of the wrench", self.wrench_work_j, "J")
            .number("work of the motors", self.motor_work_j, "J")
            .number("dissipated", self.dissipated_j, "J")
            .text(
                "energy residual",
                format!("{:.1e}", self.largest_energy_residual_j),
                &format!("J ({:.1e} of what moved)", self.energy_residual_rel),
            )
            .text(
                "largest joint gap",
                format!("{:.1e}", self.largest_joint_gap_m),
                "m",
            )
            .number("iterations per step", self.iterations_per_step, "")
            .number("wall time", self.wall_s, "s");
        summary.soundness(&self.soundness);
        if self.rejected_steps > 0 {
            summary.text(
                "steps repeated smaller",
                self.rejected_steps.to_string(),
                "",
            );
        }
        if let Some(why) = &self.stopped_because {
            summary.note(format!("INCOMPLETE: {why}"));
        }
        summary
    }
}
