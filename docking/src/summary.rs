//! The figures an engineer wants of a docking.

use crate::capture::CaptureSummary;
use crate::config::Scenario;
use crate::figures::Figure;
use crate::margin;
use crate::outcome::Outcome;
use crate::requirement::{self, Verdicts};
use crate::run::EnergySample;
use crate::track::Track;
use multibody::group::{Group, Se3};
use multibody::math;
use multibody::results::soundness::{Soundness, Watch};
use nalgebra::Vector3;
use softdock_figures::figure::{Judged, soundness_figure, soundness_reasons_figure};
use softdock_figures::figures;
use softdock_platform::bodies::EFFECTOR;
use softdock_platform::scheme::Scheme;

/// One millimetre, in which lengths of metres are shown [m].
const MILLI: f64 = 1e-3;
/// A million.
const MEGA: f64 = 1e6;
/// One degree, in which angles of radians are shown [rad].
const DEGREE: f64 = core::f64::consts::PI / 180.0;

figures! {
    /// Figures of a run; keys carry their units.
    #[derive(Clone, PartialEq)]
    pub struct Summary;
    complete: bool = "-", "complete", "Whether the whole duration was simulated";
    /// Whether the figures can be believed.
    #[serde(flatten)]
    soundness: Soundness;
    outcome: Outcome = "-", "outcome", "What became of the docking", headline(),
        one_of(Outcome::KEYS);
    peak_contact_force_n: Option<f64> = "N", "peak contact force",
        "Largest contact force on the end effector; none if nothing touched", headline(),
        on("Contact force");
    peak_contact_time_s: Option<f64> = "s", "time of the peak",
        "When the contact force was largest", digits(3);
    contact_impulse_n_s: Option<f64> = "N·s", "contact impulse",
        "Impulse of contact and latch on the end effector; none if they did not meet", headline();
    first_touch_s: Option<f64> = "s", "first touch", "When end effector and target first touched";
    contact_time_s: f64 = "s", "contact time", "Time for which something touched";
    contact_episodes: usize = "-", "contact episodes",
        "Times the bodies came from apart to touching";
    max_penetration_m: f64 = "m", "deepest penetration", "Deepest penetration of the contact",
        shown_in("mm", MILLI);
    capture_time_s: Option<f64> = "s", "time of capture", "When the latch closed";
    peak_latch_force_n: f64 = "N", "peak latch force", "Largest force of the closed latch";
    peak_contact_moment_nm: Option<f64> = "N·m", "peak contact moment",
        "Largest moment of the contact forces about the centre of the mating plane; none if nothing touched",
        on("Interface moment");
    peak_interface_tension_n: Option<f64> = "N", "peak interface tension",
        "Largest pull along the docking axis at the mating plane, contact and latch together; none if they did not meet",
        on("Interface force");
    peak_interface_compression_n: Option<f64> = "N", "peak interface compression",
        "Largest push along the docking axis at the mating plane; none if they did not meet",
        headline(), on("Interface force");
    peak_interface_shear_n: Option<f64> = "N", "peak interface shear",
        "Largest force across the docking axis at the mating plane; none if they did not meet",
        on("Interface force");
    peak_interface_bending_nm: Option<f64> = "N·m", "peak interface bending",
        "Largest moment across the docking axis at the mating plane, about its centre; none if they did not meet",
        headline(), on("Interface moment");
    peak_interface_torsion_nm: Option<f64> = "N·m", "peak interface torsion",
        "Largest moment about the docking axis at the mating plane; none if they did not meet",
        either_sense_on("Interface moment");
    /// How near the latch came to closing.
    capture: CaptureSummary;
    settling_time_s: Option<f64> = "s", "settling time",
        "From the first touch until the end effector stays where it ends, seen from the base; none if it still moves",
        headline();
    effective_restitution: Option<f64> = "-", "effective restitution",
        "Speed apart over speed together along the docking axis, if they came apart for good";
    final_relative_rate_deg_s: f64 = "deg/s", "relative rotation rate at the end",
        "Relative rotation rate of target and end effector at the end";
    final_relative_speed_m_s: f64 = "m/s", "relative speed at the end",
        "Relative speed of the ports at the end";
    final_angle_deg: f64 = "deg", "angle at the end", "Angle between the docking axes at the end";
    final_lateral_m: f64 = "m", "lateral offset at the end",
        "Distance of the ports' centres across the docking axis of the end effector at the end",
        shown_in("mm", MILLI);
    max_leg_stroke_m: f64 = "m", "largest leg stroke", "Largest change of a leg's chord",
        shown_in("mm", MILLI), headline(), either_sense_on("Leg stroke");
    leg_stroke_over_limit: f64 = "-", "largest leg stroke over its limit",
        "Largest change of a leg's chord over `limits.leg_stroke_m`";
    leg_strokes_m: Vec<f64> = "m", "leg strokes", "Largest change of each leg's chord",
        per_leg("_stroke_m"), either_sense_on("Leg stroke"), shown_in("mm", MILLI);
    max_tendon_stroke_use: Option<f64> = "-", "largest use of a tendon unit's stroke",
        "Largest way of a tendon unit from the middle of its stroke over `tendon.stroke_m` of its leg: one at its stops; none without stops";
    tendon_tension_range_n: [f64; 2] = "N", "tendon tension",
        "Smallest and largest tendon tension of any leg", headline(),
        ends("tendon_tension_min_n", "tendon_tension_max_n"), on("Tendon tension");
    max_slack_time_s: f64 = "s", "longest slack time", "Longest time for which a tendon was slack";
    peak_motor_torque_nm: f64 = "N·m", "peak motor torque", "Largest torque of a motor",
        headline(), either_sense_on("Motor torque");
    max_motor_torque_use: f64 = "-", "largest use of a motor's torque",
        "Largest torque of a motor over `motor.torque_limit_nm` of its leg";
    peak_leaf_stress_pa: Option<f64> = "Pa", "peak stress of a leaf",
        "Largest stress of any leaf (von Mises), looked at every 2 ms; none of legs that solve their own steps",
        shown_in("MPa", MEGA), on("Leaf stress");
    max_leaf_stress_use: Option<f64> = "-", "largest use of a leaf's strength",
        "Largest stress of a leaf over `leaf.yield_strength_pa` of its leg; none of legs that solve their own steps";
    max_universal_turn_rad: Option<f64> = "rad", "largest turn of a universal joint",
        "Largest rotation of a leaf's root against what carries its joint (crank or base), from the posture at the start, looked at every 2 ms; none of legs that do not tell",
        shown_in("°", DEGREE), digits(3), on("Joint angles");
    max_spherical_turn_rad: Option<f64> = "rad", "largest turn of a spherical joint",
        "Largest turn of a leaf's tip against the end effector, from the posture at the start, turning about the leaf left out; looked at every 2 ms; none of legs that do not tell",
        shown_in("°", DEGREE), digits(3), on("Joint angles");
    max_panel_deflection_m: Option<f64> = "m", "largest deflection of a panel",
        "Largest deflection of the tip of an elastic panel of the target; none without panels",
        shown_in("mm", MILLI), digits(3);
    max_panel_root_moment_nm: Option<f64> = "N·m", "largest moment at a panel's root",
        "Largest bending moment where an elastic panel of the target is clamped; none without panels",
        digits(3);
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
    /// What is left to the limits that every platform has.
    margins: Verdicts;
    /// What the run says about the requirements of the user.
    requirements: Verdicts;
}

figures! {
    /// Where the energy went.
    #[derive(Clone, Copy, PartialEq)]
    pub struct EnergySummary in "energy." of Summary at |summary| summary.energy;
    brought_in_j: f64 = "J", "brought in",
        "Kinetic energy of relative motion brought in by the target", shown_in("mJ", MILLI);
    motor_work_j: f64 = "J", "work of the motors", "Work of motors and winches", shown_in("mJ", MILLI);
    wrench_work_j: f64 = "J", "work of the wrench", "Work of a wrench from outside",
        shown_in("mJ", MILLI);
    actuator_work_j: f64 = "J", "work of actuators",
        "Work of the actuators of target and floating base: wrench histories and laws that hold them",
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
    lost_in_panels_j: f64 = "J", "lost in the panels", "Lost in the damping of elastic panels of the target",
        shown_in("mJ", MILLI);
    residual_j: f64 = "J", "missing", "What the ledger misses at the end",
        shown_in("mJ", MILLI);
}

#[allow(
    non_upper_case_globals,
    reason = "a figure has the name of its entry in a summary"
)]
impl Summary {
    /// The figure `soundness`.
    pub const soundness: Figure = soundness_figure();
    /// The figure `soundness_reasons`.
    pub const soundness_reasons: Figure = soundness_reasons_figure();

    /// All figures, in the order in which they are listed.
    pub fn figures() -> Vec<&'static Figure> {
        <Self as softdock_figures::Figures>::figures()
    }
}

impl Judged for Summary {
    fn soundness(&self) -> &Soundness {
        &self.soundness
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
        let most = |value: fn(&crate::track::LegTrack) -> Option<f64>| {
            legs.iter().filter_map(value).reduce(f64::max)
        };
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
        let met = |load: f64| outcome.met().then_some(load);
        let interface = &track.interface;
        let panelled = !config.target.panel.is_empty();
        let mut out = Self {
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
            peak_contact_moment_nm: touched.then(|| interface.contact_moment()),
            peak_interface_tension_n: met(interface.tension()),
            peak_interface_compression_n: met(interface.compression()),
            peak_interface_shear_n: met(interface.shear()),
            peak_interface_bending_nm: met(interface.bending()),
            peak_interface_torsion_nm: met(interface.torsion()),
            capture: track
                .capture
                .summary(&config.contact.latch, capture.is_some()),
            settling_time_s: track
                .first_touch
                .and_then(|touch| settling_time(scenario, poses, touch)),
            effective_restitution: restitution(track, outcome),
            final_relative_rate_deg_s: relative.rate.to_degrees(),
            final_relative_speed_m_s: relative.speed,
            final_angle_deg: relative.angle.to_degrees(),
            final_lateral_m: relative.lateral,
            max_leg_stroke_m: max_stroke,
            leg_stroke_over_limit: max_stroke / config.limits.leg_stroke_m,
            leg_strokes_m: strokes,
            max_tendon_stroke_use: most(crate::track::LegTrack::stroke_use),
            tendon_tension_range_n: tension_range,
            max_slack_time_s: largest(|leg| leg.slack_time),
            peak_motor_torque_nm: largest(|leg| leg.peak_torque),
            max_motor_torque_use: largest(crate::track::LegTrack::torque_use),
            peak_leaf_stress_pa: most(|leg| leg.peak_stress),
            max_leaf_stress_use: most(crate::track::LegTrack::stress_use),
            max_universal_turn_rad: most(|leg| Some(leg.joint_turns?[0])),
            max_spherical_turn_rad: most(|leg| Some(leg.joint_turns?[1])),
            max_panel_deflection_m: panelled.then_some(track.panels.deflection_m),
            max_panel_root_moment_nm: panelled.then_some(track.panels.root_moment_nm),
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
            margins: Verdicts::default(),
            requirements: Verdicts::default(),
        };
        out.margins = Verdicts(requirement::judge(&margin::limits(scenario), &out));
        out.requirements = Verdicts(requirement::judge(&config.requirement, &out));
        out
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
        actuator_work_j: end.actuator_work,
        lost_in_legs_j: end.leg_loss,
        lost_in_contact_j: end.contact_loss,
        lost_in_friction_j: end.friction_loss,
        lost_in_latch_j: end.latch_loss,
        lost_in_panels_j: end.panel_loss,
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
    lateral: f64,
}

fn relative_motion(platform: &dyn Scheme) -> Relative {
    let bodies = platform.bodies();
    let effector = &bodies[EFFECTOR];
    let Some(target) = platform.world().bodies().target.map(|i| &bodies[i]) else {
        return Relative {
            rate: 0.0,
            speed: 0.0,
            angle: 0.0,
            lateral: 0.0,
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
        lateral: math::hypot(on_effector.x, on_effector.y),
    }
}
