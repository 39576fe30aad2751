//! The figures an engineer wants of a docking.

use crate::config::Scenario;
use crate::outcome::Outcome;
use crate::run::EnergySample;
use crate::track::Track;
use multibody::group::{Group, Se3};
use multibody::math;
use multibody::results::soundness::{Soundness, Watch};
use nalgebra::Vector3;
use serde::Serialize;
use softdock_platform::hub::EFFECTOR;
use softdock_platform::scheme::Scheme;

/// Figures of a run; keys carry their units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The whole duration was simulated.
    pub complete: bool,
    /// Whether the figures can be believed.
    #[serde(flatten)]
    pub soundness: Soundness,
    /// What became of the docking.
    pub outcome: Outcome,
    /// Largest contact force on the end effector [N]; none if nothing touched.
    pub peak_contact_force_n: Option<f64>,
    /// When it was largest [s].
    pub peak_contact_time_s: Option<f64>,
    /// Impulse of contact and latch on the end effector [N·s]; none if they did not meet.
    pub contact_impulse_n_s: Option<f64>,
    /// First touch [s].
    pub first_touch_s: Option<f64>,
    /// Time for which something touched [s].
    pub contact_time_s: f64,
    /// Times the bodies came from apart to touching.
    pub contact_episodes: usize,
    /// Deepest penetration of the contact [m].
    pub max_penetration_m: f64,
    /// When the latch closed [s].
    pub capture_time_s: Option<f64>,
    /// Largest force of the closed latch [N].
    pub peak_latch_force_n: f64,
    /// From the first touch until the end effector stays where it ends [s].
    pub settling_time_s: Option<f64>,
    /// Speed apart over speed together along the docking axis, if they came apart for good [-].
    pub effective_restitution: Option<f64>,
    /// Relative rotation rate of target and end effector at the end [deg/s].
    pub final_relative_rate_deg_s: f64,
    /// Relative speed of the ports at the end [m/s].
    pub final_relative_speed_m_s: f64,
    /// Angle between the docking axes at the end [deg].
    pub final_angle_deg: f64,
    /// Largest change of a leg's chord [m].
    pub max_leg_stroke_m: f64,
    /// The same over its limit [-].
    pub leg_stroke_over_limit: f64,
    /// Largest change of each leg's chord [m].
    pub leg_strokes_m: Vec<f64>,
    /// Smallest and largest tendon tension of any leg [N].
    pub tendon_tension_range_n: [f64; 2],
    /// Longest time for which a tendon was slack [s].
    pub max_slack_time_s: f64,
    /// Largest torque of a motor [N·m].
    pub peak_motor_torque_nm: f64,
    /// Largest turn of a crank from where it started [rad].
    pub max_motor_turn_rad: f64,
    /// Largest use of the working range of any motor: above one a crank left it [-].
    pub max_motor_range_use: f64,
    /// The same of each leg: the largest turn of its crank from the pre-tensioned posture, over
    /// `motor.range_rad` [-].
    pub motor_range_use: Vec<f64>,
    /// Energies.
    pub energy: EnergySummary,
    /// What the energy ledger misses, largest over the run, over the energy that moved [-].
    pub energy_residual_rel: f64,
    /// Largest distance between a leg's tip and its joint [m].
    pub max_joint_gap_m: f64,
    /// Simulated time [s].
    pub simulated_s: f64,
    /// Accepted steps.
    pub steps: usize,
    /// Steps refused and repeated smaller.
    pub rejected_steps: usize,
    /// Newton iterations.
    pub iterations: usize,
    /// Smallest accepted step [s].
    pub smallest_step_s: f64,
}

/// Where the energy went [J].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EnergySummary {
    /// Kinetic energy of relative motion brought in by the target.
    pub brought_in_j: f64,
    /// Kinetic energy and potential of end effector, base and target at the end.
    pub bodies_j: f64,
    /// Change of the energy in leaves, tendons and cranks.
    pub legs_change_j: f64,
    /// Stored in contact and latch at the end.
    pub contact_stored_j: f64,
    /// Work of the motors.
    pub motor_work_j: f64,
    /// Work of a wrench from outside.
    pub wrench_work_j: f64,
    /// Lost in tendons and leaves.
    pub lost_in_legs_j: f64,
    /// Lost in contact damping.
    pub lost_in_contact_j: f64,
    /// Lost in friction.
    pub lost_in_friction_j: f64,
    /// Lost in the latch.
    pub lost_in_latch_j: f64,
    /// What the ledger misses at the end.
    pub residual_j: f64,
}

impl Summary {
    /// From what was watched.
    pub(super) fn new(
        scenario: &Scenario,
        track: &Track,
        platform: &dyn Scheme,
        poses: &[(f64, Se3)],
        (start, end): (&EnergySample, &EnergySample),
        watch: &Watch,
        (iterations, rejected): (usize, usize),
    ) -> Self {
        let config = &scenario.docking;
        let legs = &track.legs;
        let largest =
            |value: fn(&crate::track::LegTrack) -> f64| legs.iter().map(value).fold(0.0, f64::max);
        let strokes: Vec<f64> = legs.iter().map(crate::track::LegTrack::stroke).collect();
        let max_stroke = strokes.iter().copied().fold(0.0, f64::max);
        let tension = legs.iter().map(|leg| leg.tension_range);
        let tension_range = tension
            .reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
            .unwrap_or([0.0; 2]);
        let range_use: Vec<f64> = legs.iter().map(|leg| leg.range_use).collect();
        let capture = platform
            .world()
            .encounter()
            .and_then(|encounter| encounter.latch().capture_time());
        let outcome = Outcome::of(track, platform);
        let touched = track.first_touch.is_some();
        let relative = relative_motion(platform);
        Self {
            complete: platform.time() >= config.duration_s,
            soundness: watch.soundness(),
            outcome,
            peak_contact_force_n: touched.then_some(track.peak_force.0),
            peak_contact_time_s: touched.then_some(track.peak_force.1),
            contact_impulse_n_s: outcome.met().then(|| track.impulse.norm()),
            first_touch_s: track.first_touch,
            contact_time_s: track.contact_time,
            contact_episodes: track.episodes,
            max_penetration_m: track.penetration,
            capture_time_s: capture,
            peak_latch_force_n: track.peak_latch_force.0,
            settling_time_s: track
                .first_touch
                .and_then(|touch| settling_time(scenario, poses, touch)),
            effective_restitution: restitution(track, outcome),
            final_relative_rate_deg_s: relative.rate.to_degrees(),
            final_relative_speed_m_s: relative.speed,
            final_angle_deg: relative.angle.to_degrees(),
            max_leg_stroke_m: max_stroke,
            leg_stroke_over_limit: max_stroke / config.limits.leg_stroke_m,
            leg_strokes_m: strokes,
            tendon_tension_range_n: tension_range,
            max_slack_time_s: largest(|leg| leg.slack_time),
            peak_motor_torque_nm: largest(|leg| leg.peak_torque),
            max_motor_turn_rad: largest(|leg| leg.largest_turn),
            max_motor_range_use: range_use.iter().copied().fold(0.0, f64::max),
            motor_range_use: range_use,
            energy: energy_summary(start, end),
            energy_residual_rel: watch.missing_share(),
            max_joint_gap_m: track.joint_gap,
            simulated_s: platform.time(),
            steps: track.steps,
            rejected_steps: rejected,
            iterations,
            smallest_step_s: if track.steps > 0 {
                track.smallest_step
            } else {
                0.0
            },
        }
    }
}

fn energy_summary(start: &EnergySample, end: &EnergySample) -> EnergySummary {
    let legs = |e: &EnergySample| e.legs_kinetic + e.leaves + e.tendons + e.legs_gravity;
    EnergySummary {
        brought_in_j: start.bodies,
        bodies_j: end.bodies,
        legs_change_j: legs(end) - legs(start),
        contact_stored_j: end.contact,
        motor_work_j: end.motor_work,
        wrench_work_j: end.wrench_work,
        lost_in_legs_j: end.leg_loss,
        lost_in_contact_j: end.contact_loss,
        lost_in_friction_j: end.friction_loss,
        lost_in_latch_j: end.latch_loss,
        residual_j: end.residual(start),
    }
}

/// Time from `touch` until the pose stays near its last value; none if it moves until the end.
fn settling_time(scenario: &Scenario, poses: &[(f64, Se3)], touch: f64) -> Option<f64> {
    let limits = &scenario.docking.limits;
    let (end, last) = poses.last()?;
    let outside = |pose: &Se3| {
        let difference = last.between(pose);
        let angle = difference
            .log()
            .map_or(f64::INFINITY, |twist| twist.fixed_rows::<3>(3).norm());
        difference.translation().norm() > limits.settled_position_m
            || angle > limits.settled_angle_deg.to_radians()
    };
    let moved = poses.iter().rev().find(|(_, pose)| outside(pose));
    let time = moved.map_or(touch, |(time, _)| *time);
    // What only comes near in the last tenth of the run has not been seen to stay.
    (time <= touch + 0.9 * (end - touch)).then(|| (time - touch).max(0.0))
}

fn restitution(track: &Track, outcome: Outcome) -> Option<f64> {
    let (before, now) = track.closing_speeds;
    let apart = outcome == Outcome::Bounced;
    (apart && before > 0.0 && now < 0.0).then(|| -now / before)
}

struct Relative {
    rate: f64,
    speed: f64,
    angle: f64,
}

fn relative_motion(platform: &dyn Scheme) -> Relative {
    let bodies = platform.bodies();
    let effector = &bodies[EFFECTOR];
    let Some(target) = platform.world().hub().target.map(|i| &bodies[i]) else {
        return Relative {
            rate: 0.0,
            speed: 0.0,
            angle: 0.0,
        };
    };
    let spin = |state: &softdock_platform::body::BodyState| -> Vector3<f64> {
        state.pose.rotation() * state.velocity.fixed_rows::<3>(3)
    };
    let port = target.pose.translation();
    let on_effector = effector
        .pose
        .rotation()
        .tr_mul(&(port - effector.pose.translation()));
    let speed = target.point_velocity(&Vector3::zeros()) - effector.point_velocity(&on_effector);
    let (a, b): (Vector3<f64>, Vector3<f64>) = (
        effector.pose.rotation().column(2).into(),
        target.pose.rotation().column(2).into(),
    );
    Relative {
        rate: (spin(target) - spin(effector)).norm(),
        speed: speed.norm(),
        angle: math::atan2(a.cross(&b).norm(), -a.dot(&b)),
    }
}
