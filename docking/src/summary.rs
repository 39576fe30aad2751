//! The figures an engineer wants of a docking.

use crate::config::Scenario;
use crate::figures::{Figure, Figures, Value, figures};
use crate::outcome::Outcome;
use crate::run::EnergySample;
use crate::track::Track;
use multibody::group::{Group, Se3};
use multibody::math;
use multibody::results::soundness::{Soundness, Watch};
use nalgebra::Vector3;
use softdock_platform::hub::EFFECTOR;
use softdock_platform::scheme::Scheme;

/// One millimetre, in which lengths of metres are shown [m].
const MILLI: f64 = 1e-3;
/// One degree, in which angles of radians are shown [rad].
const DEGREE: f64 = core::f64::consts::PI / 180.0;

figures! {
    /// Figures of a run; keys carry their units.
    pub struct Summary in "" at |summary| summary;
    complete: bool = "-", "complete", "Whether the whole duration was simulated";
    /// Whether the figures can be believed.
    #[serde(flatten)]
    soundness: Soundness;
    outcome: Outcome = "-", "outcome", "What became of the docking", headline();
    peak_contact_force_n: Option<f64> = "N", "peak contact force",
        "Largest contact force on the end effector; none if nothing touched", headline();
    peak_contact_time_s: Option<f64> = "s", "time of the peak",
        "When the contact force was largest", digits(3);
    contact_impulse_n_s: Option<f64> = "N·s", "contact impulse",
        "Impulse of contact and latch on the end effector; none if they did not meet", headline();
    first_touch_s: Option<f64> = "s", "first touch", "When end effector and target first touched";
    contact_time_s: f64 = "s", "contact time", "Time for which something touched";
    contact_episodes: usize = "-", "contact episodes",
        "Times the bodies came from apart to touching";
    max_penetration_m: f64 = "m", "deepest penetration", "Deepest penetration of the contact";
    capture_time_s: Option<f64> = "s", "time of capture", "When the latch closed";
    peak_latch_force_n: f64 = "N", "peak latch force", "Largest force of the closed latch";
    settling_time_s: Option<f64> = "s", "settling time",
        "From the first touch until the end effector stays where it ends; none if it still moves",
        headline();
    effective_restitution: Option<f64> = "-", "effective restitution",
        "Speed apart over speed together along the docking axis, if they came apart for good";
    final_relative_rate_deg_s: f64 = "deg/s", "relative rotation rate at the end",
        "Relative rotation rate of target and end effector at the end";
    final_relative_speed_m_s: f64 = "m/s", "relative speed at the end",
        "Relative speed of the ports at the end";
    final_angle_deg: f64 = "deg", "angle at the end", "Angle between the docking axes at the end";
    max_leg_stroke_m: f64 = "m", "largest leg stroke", "Largest change of a leg's chord",
        shown_in("mm", MILLI), headline();
    leg_stroke_over_limit: f64 = "-", "largest leg stroke over its limit",
        "Largest change of a leg's chord over `limits.leg_stroke_m`";
    leg_strokes_m: Vec<f64> = "m", "leg strokes", "Largest change of each leg's chord",
        per_leg("_stroke_m");
    tendon_tension_range_n: [f64; 2] = "N", "tendon tension",
        "Smallest and largest tendon tension of any leg", headline(),
        ends("tendon_tension_min_n", "tendon_tension_max_n");
    max_slack_time_s: f64 = "s", "longest slack time", "Longest time for which a tendon was slack";
    peak_motor_torque_nm: f64 = "N·m", "peak motor torque", "Largest torque of a motor",
        headline();
    max_motor_turn_rad: f64 = "rad", "largest turn of a crank",
        "Largest turn of a crank from where it started", shown_in("°", DEGREE), digits(3);
    max_motor_range_use: f64 = "-", "largest use of a motor's range",
        "Largest use of the working range of any motor: above one a crank left it";
    motor_range_use: Vec<f64> = "-", "use of the motors' ranges",
        "Largest turn of each crank from the pre-tensioned posture, over `motor.range_rad`",
        per_leg("_motor_range_use");
    /// Energies.
    energy: EnergySummary;
    energy_residual_rel: f64 = "-", "energy residual",
        "What the energy ledger misses, largest over the run, over the energy that moved",
        digits(2);
    max_joint_gap_m: f64 = "m", "largest joint gap",
        "Largest distance between a leg's tip and its joint", digits(2);
    simulated_s: f64 = "s", "simulated time", "Simulated time", digits(3);
    steps: usize = "-", "steps", "Accepted steps";
    rejected_steps: usize = "-", "rejected steps", "Steps refused and repeated smaller";
    iterations: usize = "-", "iterations", "Newton iterations";
    smallest_step_s: f64 = "s", "smallest step", "Smallest accepted step";
}

figures! {
    /// Where the energy went.
    #[derive(Copy)]
    pub struct EnergySummary in "energy." at |summary| summary.energy;
    brought_in_j: f64 = "J", "brought in",
        "Kinetic energy of relative motion brought in by the target", shown_in("mJ", MILLI);
    motor_work_j: f64 = "J", "work of the motors", "Work of the motors", shown_in("mJ", MILLI);
    wrench_work_j: f64 = "J", "work of the wrench", "Work of a wrench from outside",
        shown_in("mJ", MILLI);
    bodies_j: f64 = "J", "left in the bodies",
        "Kinetic energy and potential of end effector, base and target at the end",
        shown_in("mJ", MILLI);
    legs_change_j: f64 = "J", "kept by the legs",
        "Change of the energy in leaves, tendons and cranks", shown_in("mJ", MILLI);
    contact_stored_j: f64 = "J", "kept by the contact",
        "Stored in contact and latch at the end", shown_in("mJ", MILLI);
    lost_in_legs_j: f64 = "J", "lost in the legs", "Lost in tendons and leaves",
        shown_in("mJ", MILLI);
    lost_in_contact_j: f64 = "J", "lost in contact", "Lost in contact damping",
        shown_in("mJ", MILLI);
    lost_in_friction_j: f64 = "J", "lost in friction", "Lost in friction", shown_in("mJ", MILLI);
    lost_in_latch_j: f64 = "J", "lost in the latch", "Lost in the latch", shown_in("mJ", MILLI);
    residual_j: f64 = "J", "missing", "What the ledger misses at the end",
        shown_in("mJ", MILLI);
}

/// The verdict is one field and two entries of a summary.
#[allow(
    non_upper_case_globals,
    reason = "a figure has the name of its entry in a summary"
)]
impl Summary {
    /// The figure `soundness`.
    pub const soundness: Figure = Figure::new(
        "soundness",
        "-",
        "soundness",
        "Whether the figures can be believed: sound, suspect or failed",
        |summary| Value::Word(summary.soundness.key()),
    )
    .headline();
    /// The figure `soundness_reasons`.
    pub const soundness_reasons: Figure = Figure::new(
        "soundness_reasons",
        "-",
        "reasons to doubt",
        "Why they cannot; in tables the names of the reasons",
        |summary| Value::Reasons(summary.soundness.reasons().to_vec()),
    );
}

impl Figures for Soundness {
    fn collect(out: &mut Vec<&'static Figure>) {
        out.extend([&Summary::soundness, &Summary::soundness_reasons]);
    }
}

impl Summary {
    /// All figures, in the order in which they are listed.
    pub fn figures() -> Vec<&'static Figure> {
        let mut out = Vec::new();
        Self::collect(&mut out);
        out
    }
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
