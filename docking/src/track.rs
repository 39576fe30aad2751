//! What is watched in every step of a docking.

use crate::capture::CaptureTrack;
use crate::interface::{InterfaceLoad, contact_moment};
use crate::panel::{Panel, PanelPeaks};
use leg_core::SpatialLegConfig;
use leg_core::config::EndStops;
use leg_core::limits::JointAttitudes;
use multibody::dynamics::grid::SLIVER;
use multibody::group::Group;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use softdock_platform::PlatformConfig;
use softdock_platform::bodies::EFFECTOR;
use softdock_platform::contact::{BodyMotion, LatchConfig};
use softdock_platform::motor_range::MotorRange;
use softdock_platform::scheme::{Scheme, largest_gap};

pub use softdock_platform::results::SLACK_TENSION;

/// A parabola may raise a peak between steps by this fraction; what would rise more is no peak of a
/// curve that the steps resolve.
const LARGEST_RISE: f64 = 0.02;

/// The largest value of a curve that is known at the ends of steps: that of the parabola through
/// three neighbours of which the middle one is the largest.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Peak {
    /// Value and time [s].
    largest: (f64, f64),
    /// The last two times [s] and values.
    recent: [(f64, f64); 2],
}

impl Peak {
    fn see(&mut self, time: f64, value: f64) {
        let [(t0, f0), (t1, f1)] = self.recent;
        let mut found = (value, time);
        if f0 > 0.0 && f1 > f0 && f1 > value {
            // Divided differences of the parabola.
            let (rise, fall) = ((f1 - f0) / (t1 - t0), (value - f1) / (time - t1));
            let bend = (fall - rise) / (time - t0);
            let at = 0.5 * (t0 + t1 - rise / bend);
            let top = f0 + (at - t0) * (rise + bend * (at - t1));
            found = if top <= f1 * (1.0 + LARGEST_RISE) {
                (top, at)
            } else {
                (f1, t1)
            };
        }
        if found.0 > self.largest.0 {
            self.largest = found;
        }
        self.recent = [(t1, f1), (time, value)];
    }
}

/// Limits of one leg, which may differ from its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LegLimits {
    /// Yield strength of the leaf [Pa].
    pub yield_strength: f64,
    /// Torque limit of the motor [N·m].
    pub torque: f64,
    /// Middle of the tendon unit's stroke and how far it reaches to either side [m]; none without stops.
    pub stroke: Option<[f64; 2]>,
}

impl LegLimits {
    /// Those of all legs of a platform.
    pub fn of_legs(config: &PlatformConfig) -> softdock_platform::Result<Vec<Self>> {
        let of = |leg: &SpatialLegConfig| {
            let stopped = leg.tendon.present && leg.tendon.end_stops != EndStops::Off;
            let middle = leg.stroke_middle().ok().filter(|_| stopped);
            Self {
                yield_strength: leg.leaf.yield_strength_pa,
                torque: leg.motor.torque_limit_nm,
                stroke: middle.map(|middle| [middle, leg.tendon.stroke_m]),
            }
        };
        Ok(config.leg_configs()?.iter().map(of).collect())
    }
}

/// What is watched of one leg.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LegTrack {
    /// Distance A to B at the start [m].
    pub initial_length: f64,
    /// Shortest and longest distance A to B [m].
    pub length_range: [f64; 2],
    /// Smallest and largest tendon tension [N].
    pub tension_range: [f64; 2],
    /// Time for which the tendon was slack [s].
    pub slack_time: f64,
    /// Largest torque of the motor, either sense [N·m].
    pub peak_torque: f64,
    /// Largest turn of the crank from where it started [rad].
    pub largest_turn: f64,
    initial_angle: f64,
    /// Largest stress of the leaf [Pa]; none of legs that do not tell.
    pub peak_stress: Option<f64>,
    /// Largest turn of the universal and of the spherical joint from where they were at the start
    /// [rad]; none of legs that do not tell.
    pub joint_turns: Option<[f64; 2]>,
    initial_joints: Option<JointAttitudes>,
    /// Largest use of the motor's working range [-].
    pub range_use: f64,
    range: MotorRange,
    limits: LegLimits,
    /// The last look at its strength; may be left out, being looked at again then.
    #[serde(skip)]
    seen: Option<(f64, LegStrength)>,
}

/// What is looked at less often than the rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegStrength {
    /// Largest stress of the leaf [Pa]; none of legs that do not tell.
    pub stress: Option<f64>,
    /// Turn of the universal and of the spherical joint from where they were at the start [rad]; none
    /// of legs that do not tell.
    pub joint_turns: Option<[f64; 2]>,
}

/// How the joints of a leg (from 0) stand, the spherical one seen from the end effector.
fn joint_attitudes(platform: &dyn Scheme, leg: usize) -> Option<JointAttitudes> {
    let effector = platform.effector().pose.rotation();
    Some(platform.joint_attitudes(leg)?.seen_from(&effector))
}

impl LegTrack {
    /// Largest change of the distance A to B [m].
    pub fn stroke(&self) -> f64 {
        let [shortest, longest] = self.length_range;
        (longest - self.initial_length).max(self.initial_length - shortest)
    }

    /// Largest stress of the leaf over its yield strength [-]; none of legs that do not tell.
    pub fn stress_use(&self) -> Option<f64> {
        Some(self.peak_stress? / self.limits.yield_strength)
    }

    /// Largest torque of the motor over its limit [-].
    pub fn torque_use(&self) -> f64 {
        self.peak_torque / self.limits.torque
    }

    /// Largest way of the tendon unit from the middle of its stroke over what it reaches to either side
    /// [-]: one at its stops; none without stops.
    pub fn stroke_use(&self) -> Option<f64> {
        let [middle, reach] = self.limits.stroke?;
        let [shortest, longest] = self.length_range;
        Some((longest - middle).max(middle - shortest) / reach)
    }

    /// Stress and turns of the joints of this leg (from 0) now.
    pub fn strength_now(&self, platform: &dyn Scheme, leg: usize) -> LegStrength {
        let time = platform.time();
        if let Some((_, known)) = self.seen.filter(|(seen, _)| *seen == time) {
            return known;
        }
        let joints = self.initial_joints.zip(joint_attitudes(platform, leg));
        LegStrength {
            stress: platform.leaf_stress(leg).map(|stress| stress.von_mises),
            joint_turns: joints.map(|(start, now)| start.angles_to(&now)),
        }
    }

    fn see_strength(&mut self, platform: &dyn Scheme, leg: usize) {
        let now = self.strength_now(platform, leg);
        self.seen = Some((platform.time(), now));
        if let Some(stress) = now.stress {
            self.peak_stress = Some(self.peak_stress.unwrap_or(0.0).max(stress));
        }
        if let Some(turns) = now.joint_turns {
            let known = self.joint_turns.unwrap_or_default();
            self.joint_turns = Some([0, 1].map(|k| known[k].max(turns[k])));
        }
    }
}

/// Largest loads at the mating plane.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct InterfacePeaks {
    tension: Peak,
    compression: Peak,
    shear: Peak,
    bending: Peak,
    torsion: Peak,
    contact_moment: Peak,
}

impl InterfacePeaks {
    fn see(&mut self, time: f64, load: &InterfaceLoad, contact_moment: f64) {
        self.tension.see(time, load.tension());
        self.compression.see(time, load.compression());
        self.shear.see(time, load.shear());
        self.bending.see(time, load.bending());
        self.torsion.see(time, load.torsion().abs());
        self.contact_moment.see(time, contact_moment);
    }

    /// Largest tension [N].
    pub fn tension(&self) -> f64 {
        self.tension.largest.0
    }

    /// Largest compression [N].
    pub fn compression(&self) -> f64 {
        self.compression.largest.0
    }

    /// Largest shear force [N].
    pub fn shear(&self) -> f64 {
        self.shear.largest.0
    }

    /// Largest bending moment [N·m].
    pub fn bending(&self) -> f64 {
        self.bending.largest.0
    }

    /// Largest torsion, either sense [N·m].
    pub fn torsion(&self) -> f64 {
        self.torsion.largest.0
    }

    /// Largest moment of the contact forces alone [N·m].
    pub fn contact_moment(&self) -> f64 {
        self.contact_moment.largest.0
    }
}

/// Peaks and sums over a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Time of the last step seen [s].
    pub time: f64,
    /// Largest contact force [N] and when [s].
    pub peak_force: (f64, f64),
    /// Largest force of the closed latch on the end effector [N] and when [s].
    pub peak_latch_force: (f64, f64),
    /// Impulse of contact and latch on the end effector, world axes [N·s].
    pub impulse: Vector3<f64>,
    /// Time for which something touched [s].
    pub contact_time: f64,
    /// Times the pair came from apart to touching.
    pub episodes: usize,
    /// First touch [s].
    pub first_touch: Option<f64>,
    /// Last time that something touched [s].
    pub last_touch: Option<f64>,
    /// Deepest penetration [m].
    pub penetration: f64,
    /// When it was deepest [s].
    pub penetration_time: f64,
    /// Closing speed along the docking axis before the first touch and now [m/s].
    pub closing_speeds: (f64, f64),
    /// Largest distance between a leg's tip and its joint on the end effector [m].
    pub joint_gap: f64,
    /// Largest loads at the mating plane.
    pub interface: InterfacePeaks,
    /// How near the latch came to closing.
    pub capture: CaptureTrack,
    /// The panels of the target.
    pub panels: PanelPeaks,
    /// The legs.
    pub legs: Vec<LegTrack>,
    /// Accepted steps, smallest and largest of them [s].
    pub steps: usize,
    /// Smallest step [s].
    pub smallest_step: f64,
    /// Largest step [s].
    pub largest_step: f64,
    /// Part of the scenario, not of what changes.
    #[serde(skip)]
    latch: LatchConfig,
    /// Part of the scenario, too.
    #[serde(skip)]
    panel: Vec<Panel>,
    contact_peak: Peak,
    latch_peak: Peak,
    force: Vector3<f64>,
    touching: bool,
    /// Smallest gap at the end of the last step [m].
    gap: f64,
    /// When the leaves' stress is looked at next, in intervals of [`STRESS_INTERVAL`].
    looks_due: f64,
}

/// The leaves' stress and the joints' angles are looked at in steps of at least this length [s]: they
/// follow bending, whose slow modes have periods of 10 ms and more, and cost a tenth of a step.
const STRESS_INTERVAL: f64 = 2e-3;

impl Track {
    /// The start of a run.
    pub fn start(
        platform: &dyn Scheme,
        ranges: &[MotorRange],
        limits: &[LegLimits],
        (latch, panel): (&LatchConfig, &[Panel]),
    ) -> Self {
        let legs = ranges
            .iter()
            .zip(limits)
            .enumerate()
            .map(|(i, (&range, &limits))| {
                let leg = platform.leg(i);
                LegTrack {
                    initial_length: leg.tendon_length,
                    length_range: [leg.tendon_length; 2],
                    tension_range: [leg.tendon_tension; 2],
                    slack_time: 0.0,
                    peak_torque: leg.motor_torque.abs(),
                    largest_turn: 0.0,
                    initial_angle: leg.motor_angle,
                    peak_stress: platform.leaf_stress(i).map(|stress| stress.von_mises),
                    joint_turns: None,
                    initial_joints: joint_attitudes(platform, i),
                    range_use: range.used_at(leg.motor_angle),
                    range,
                    limits,
                    seen: None,
                }
            })
            .collect();
        let speed = closing_speed(platform);
        let mut out = Self {
            interface: InterfacePeaks::default(),
            capture: CaptureTrack::default(),
            latch: *latch,
            panel: panel.to_vec(),
            panels: PanelPeaks::default(),
            time: platform.time(),
            peak_force: (0.0, 0.0),
            peak_latch_force: (0.0, 0.0),
            impulse: Vector3::zeros(),
            contact_time: 0.0,
            episodes: 0,
            first_touch: None,
            last_touch: None,
            penetration: 0.0,
            penetration_time: 0.0,
            closing_speeds: (speed, speed),
            joint_gap: 0.0,
            legs,
            steps: 0,
            smallest_step: f64::INFINITY,
            largest_step: 0.0,
            contact_peak: Peak::default(),
            latch_peak: Peak::default(),
            force: Vector3::zeros(),
            touching: false,
            gap: (platform.world().encounter())
                .map_or(f64::INFINITY, |encounter| encounter.output().minimum_gap),
            looks_due: (platform.time() / STRESS_INTERVAL).floor(),
        };
        out.observe_capture(platform);
        out
    }

    /// Goes on from what was watched in another run of the same scenario; false, and nothing
    /// changes, if that has other legs.
    pub(crate) fn recall(&mut self, seen: &Self) -> bool {
        if seen.legs.len() != self.legs.len() {
            return false;
        }
        let (latch, panel) = (self.latch, core::mem::take(&mut self.panel));
        self.clone_from(seen);
        (self.latch, self.panel) = (latch, panel);
        true
    }

    /// Looks at the platform after an accepted step.
    pub fn observe(&mut self, platform: &dyn Scheme) {
        let h = platform.time() - self.time;
        self.time = platform.time();
        self.steps += 1;
        self.smallest_step = self.smallest_step.min(h);
        self.largest_step = self.largest_step.max(h);
        self.observe_contact(platform, h);
        if let (false, Some(target)) = (self.panel.is_empty(), platform.world().bodies().target) {
            let state = &platform.bodies()[target];
            self.panels.see(&self.panel, state, self.time);
        }
        self.joint_gap = self.joint_gap.max(largest_gap(platform));
        // Due times are counted: added up, every short step would move those behind it.
        let looks = (self.time / STRESS_INTERVAL + SLIVER).floor();
        let stressed = looks >= self.looks_due;
        if stressed {
            self.looks_due = looks + 1.0;
        }
        for (i, track) in self.legs.iter_mut().enumerate() {
            let leg = platform.leg(i);
            let (length, tension) = (leg.tendon_length, leg.tendon_tension);
            track.length_range[0] = track.length_range[0].min(length);
            track.length_range[1] = track.length_range[1].max(length);
            track.tension_range[0] = track.tension_range[0].min(tension);
            track.tension_range[1] = track.tension_range[1].max(tension);
            if platform.has_tendon(i) && tension < SLACK_TENSION {
                track.slack_time += h;
            }
            track.peak_torque = track.peak_torque.max(leg.motor_torque.abs());
            if stressed {
                track.see_strength(platform, i);
            }
            let turned = (leg.motor_angle - track.initial_angle).abs();
            track.largest_turn = track.largest_turn.max(turned);
            track.range_use = track.range_use.max(track.range.used_at(leg.motor_angle));
        }
    }

    fn observe_contact(&mut self, platform: &dyn Scheme, h: f64) {
        let Some(encounter) = platform.world().encounter() else {
            return;
        };
        let output = encounter.output();
        let force: Vector3<f64> = output.points.iter().map(|point| point.force).sum();
        self.contact_peak.see(self.time, force.norm());
        self.peak_force = self.contact_peak.largest;
        let whole: Vector3<f64> = output.wrench_a.fixed_rows::<3>(0).into();
        let rotation = multibody::group::Group::rotation(&platform.bodies()[EFFECTOR].pose);
        let whole = rotation * whole;
        let latch = (whole - force).norm();
        if encounter
            .latch()
            .capture_time()
            .is_some_and(|time| time < self.time)
        {
            self.latch_peak.see(self.time, latch);
            self.peak_latch_force = self.latch_peak.largest;
        }
        // A closed latch pulls while the contact pushes: only both together move anything.
        self.impulse += (self.force + whole) * (0.5 * h);
        self.force = whole;
        if output.penetration() > self.penetration {
            self.penetration = output.penetration();
            self.penetration_time = self.time;
        }
        let touching = encounter.touching();
        // A step ends next to the touch, on either side of it: the part of the step behind it follows
        // from the gaps at both ends.
        let (before, now) = (self.gap, output.minimum_gap);
        let after = if before > 0.0 && now < before {
            (-now / (before - now)).clamp(0.0, 1.0)
        } else {
            1.0
        };
        self.gap = now;
        if touching && !self.touching {
            self.episodes += 1;
        }
        // Contact begins and ends where steps meet: it lasts all of a step that has it at either end.
        if touching || self.touching {
            self.contact_time += if self.touching { h } else { h * after };
            self.last_touch = Some(self.time);
            self.first_touch = self.first_touch.or(Some(self.time - h * after));
        }
        let moment = contact_moment(encounter, &platform.bodies()[EFFECTOR].pose).norm();
        let load = InterfaceLoad::of(encounter);
        self.interface.see(self.time, &load, moment);
        self.observe_capture(platform);
        let speed = closing_speed(platform);
        if self.first_touch.is_none() {
            self.closing_speeds.0 = speed;
        }
        self.closing_speeds.1 = speed;
        self.touching = touching;
    }
}

impl Track {
    /// Looks at the conditions of the latch until it closes.
    fn observe_capture(&mut self, platform: &dyn Scheme) {
        let world = platform.world();
        let (Some(encounter), Some(target)) = (world.encounter(), world.bodies().target) else {
            return;
        };
        let state = encounter.latch().state();
        let closed = encounter.latch().capture_time();
        if closed.is_some_and(|time| time < self.time) {
            return;
        }
        let motion = |i: usize| BodyMotion {
            pose: platform.bodies()[i].pose,
            twist: platform.bodies()[i].velocity,
        };
        let alignment = encounter
            .pair()
            .alignment(&motion(EFFECTOR), &motion(target));
        self.capture.see(self.time, &alignment, &self.latch, state);
    }
}

/// Speed at which the target's port nears the end effector along the end effector's axis [m/s].
fn closing_speed(platform: &dyn Scheme) -> f64 {
    let bodies = platform.bodies();
    let Some(target) = platform.world().bodies().target else {
        return 0.0;
    };
    let origin = Vector3::zeros();
    let relative =
        bodies[target].point_velocity(&origin) - bodies[EFFECTOR].point_velocity(&origin);
    let rotation = multibody::group::Group::rotation(&bodies[EFFECTOR].pose);
    -relative.dot(&rotation.column(2))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::run::Sample;
    use crate::{DockingRun, Scenario};
    use leg_core::spatial::Carrier;
    use multibody::group::{Group, Se3};
    use nalgebra::{Matrix3, Vector3};

    fn moved(carried_by: Carrier) -> DockingRun {
        let mut scenario = Scenario::default();
        scenario.platform.legs.elements = 4;
        scenario.platform.universal.carried_by = carried_by;
        scenario.platform.motor.mode = leg_core::config::MotorMode::Hold;
        scenario.docking.duration_s = 0.5;
        let mut run = DockingRun::new(&scenario, true).unwrap();
        run.run().unwrap();
        run
    }

    /// Rotation of a leaf's root against what carries its joint, and the stud's direction in the end
    /// effector's axes, from what pictures are made of.
    fn drawn(sample: &Sample, leg: usize, carried_by: Carrier) -> (Matrix3<f64>, Vector3<f64>) {
        let at = &sample.legs[leg];
        let (root, tip) = (
            at.shape.leaf.first().unwrap(),
            at.shape.leaf.last().unwrap(),
        );
        let crank = at.shape.crank.rotation();
        // The crank's third axis is the motor's; a parallelogram does not turn with the crank.
        let back = nalgebra::Rotation3::from_axis_angle(
            &nalgebra::Unit::new_normalize(crank.column(2).into()),
            -at.view.motor_angle,
        );
        let carrier = match carried_by {
            Carrier::Crank => crank,
            Carrier::Base => back.matrix() * crank,
        };
        let effector = sample.effector.rotation();
        (
            carrier.transpose() * root.rotation(),
            effector.transpose() * tip.rotation().column(0),
        )
    }

    /// The figures and the time series again, from the poses that pictures are made of.
    #[test]
    fn turns_of_joints_are_those_of_the_drawn_parts() {
        for carried_by in [Carrier::Crank, Carrier::Base] {
            let run = moved(carried_by);
            let mut largest = [0.0_f64; 2];
            for sample in run.samples() {
                for leg in 0..6 {
                    let start = drawn(&run.samples()[0], leg, carried_by);
                    let now = drawn(sample, leg, carried_by);
                    let between = Se3::from_parts(Vector3::zeros(), start.0.transpose() * now.0);
                    let angles = [between.log().unwrap().norm(), start.1.angle(&now.1)];
                    let told = sample.legs[leg].joint_turns.unwrap();
                    for k in 0..2 {
                        // The angle of two directions by their cosine is good to 1e-8.
                        assert!((angles[k] - told[k]).abs() < 3e-8, "{angles:?} {told:?}");
                        largest[k] = largest[k].max(angles[k]);
                    }
                }
            }
            let summary = run.summary().unwrap();
            let found = [
                summary.max_universal_turn_rad,
                summary.max_spherical_turn_rad,
            ];
            for (found, drawn) in found.into_iter().zip(largest) {
                let found = found.unwrap();
                assert!(drawn > 1e-3, "the joints hardly turn: {drawn}");
                // Looked at every 2 ms, as it is drawn.
                assert!((found / drawn - 1.0).abs() < 1e-6, "{found}, drawn {drawn}");
            }
        }
    }

    /// The largest stress of the time series is the figure, and a series that is looked at more often
    /// finds no more.
    #[test]
    fn the_largest_stress_of_the_series_is_the_figure() {
        let mut scenario = Scenario::default();
        scenario.platform.legs.elements = 4;
        scenario.docking.duration_s = 0.3;
        scenario.docking.output_interval_s = 5e-4;
        let mut run = DockingRun::new(&scenario, true).unwrap();
        run.run().unwrap();
        let legs = run.samples().iter().flat_map(|sample| &sample.legs);
        let largest = legs.map(|leg| leg.stress_pa.unwrap()).fold(0.0, f64::max);
        let figure = run.summary().unwrap().peak_leaf_stress_pa.unwrap();
        println!("{figure} {largest}");
        assert!((figure / largest - 1.0).abs() < 2e-3, "{figure} {largest}");
    }
}
