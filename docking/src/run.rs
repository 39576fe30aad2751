//! A docking run: advance, sample, sum up.

use crate::config::{DockingConfig, Scenario};
use crate::control::controller::Controller;
use crate::control::{Control, give};
use crate::error::{DockingError, Result};
use crate::interface::{InterfaceLoad, contact_moment};
use crate::outcome::Outcome;
use crate::panel::LARGEST_DEFLECTION;
use crate::record::{FreeRows, LOOK_INTERVAL, Rows, pose_on_base};
use crate::setup::{approaching_target, resting_platform};
use crate::summary::Summary;
use crate::track::{LegLimits, Track};
use multibody::dynamics::grid;
use multibody::group::{Group, Se3};
use multibody::results::soundness::{Books, Soundness, Watch};
use nalgebra::{DVector, Vector3, Vector6};
#[cfg(feature = "fmus")]
use softdock_fmi::import::FmuArchive;
use softdock_platform::audit::{note_leaves, note_motors};
use softdock_platform::bodies::EFFECTOR;
use softdock_platform::body::kinetic_energy;
use softdock_platform::contact::{Alignment, BodyMotion, PointForce};
use softdock_platform::motor_range::MotorRange;
use softdock_platform::scheme::{self, Progress, Scheme};
use softdock_platform::statics::StaticPlatform;
#[cfg(feature = "fmus")]
use softdock_platform::unit::LoadedFmu;
use softdock_platform::unit::{LegShape, LegView};
use softdock_platform::world::lost_in_appendages;
use softdock_platform::wrench::WrenchHistory;

/// Most nominal steps of one advance.
const MOST_STEPS: f64 = 50.0;
/// Part of the interval between rows within which two times are the same.
const SAME_ROW: f64 = 1e-9;

/// A leg at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct LegSample {
    /// Force, tendon and motor.
    pub view: LegView,
    /// Crank and leaf.
    pub shape: LegShape,
    /// Largest stress of the leaf, von Mises [Pa]; none of legs that do not tell.
    pub stress_pa: Option<f64>,
    /// Turn of the universal and of the spherical joint from where they were at the start [rad]; none
    /// of legs that do not tell.
    pub joint_turns: Option<[f64; 2]>,
}

/// Energies of everything at one time [J].
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct EnergySample {
    /// Kinetic energy of legs.
    pub legs_kinetic: f64,
    /// Strain energy of the leaves.
    pub leaves: f64,
    /// Energy stored in the tendons.
    pub tendons: f64,
    /// Potential of gravity of the legs.
    pub legs_gravity: f64,
    /// Energy of end effector, base and target: kinetic and potential.
    pub bodies: f64,
    /// The kinetic part of it.
    pub bodies_kinetic: f64,
    /// Energy stored in contact and latch.
    pub contact: f64,
    /// Work of motors since the start.
    pub motor_work: f64,
    /// Work of the wrench from outside since the start.
    pub wrench_work: f64,
    /// Work of the actuators of target and base since the start.
    pub actuator_work: f64,
    /// Lost in tendons and leaves since the start.
    pub leg_loss: f64,
    /// Lost in contact damping since the start.
    pub contact_loss: f64,
    /// Lost in friction since the start.
    pub friction_loss: f64,
    /// Lost in the latch since the start.
    pub latch_loss: f64,
    /// Lost in the panels of the target since the start.
    pub panel_loss: f64,
}

impl EnergySample {
    /// Mechanical energy.
    pub fn mechanical(&self) -> f64 {
        self.legs_kinetic
            + self.leaves
            + self.tendons
            + self.legs_gravity
            + self.bodies
            + self.contact
    }

    /// All losses since the start.
    pub fn dissipated(&self) -> f64 {
        self.leg_loss + self.contact_loss + self.friction_loss + self.latch_loss + self.panel_loss
    }

    /// What the ledger misses against the start.
    pub fn residual(&self, start: &Self) -> f64 {
        self.mechanical()
            - start.mechanical()
            - self.motor_work
            - self.wrench_work
            - self.actuator_work
            + self.dissipated()
    }

    /// Notes the energies at `time` [s].
    pub(crate) fn note(&self, start: &Self, time: f64, watch: &mut Watch) {
        let books = Books {
            kinetic: self.bodies_kinetic + self.legs_kinetic,
            potentials: &[
                self.leaves,
                self.tendons,
                self.legs_gravity,
                self.bodies - self.bodies_kinetic,
                self.contact,
            ],
            work: &[self.motor_work, self.wrench_work, self.actuator_work],
            lost: &[
                self.leg_loss,
                self.contact_loss,
                self.friction_loss,
                self.latch_loss,
                self.panel_loss,
            ],
            residual: self.residual(start),
        };
        watch.energies(time, &books);
    }
}

/// Everything at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Time [s].
    pub time: f64,
    /// Pose of the end effector.
    pub effector: Se3,
    /// Its twist, own axes.
    pub effector_twist: Vector6<f64>,
    /// Pose of the target's port.
    pub target: Se3,
    /// Its twist, own axes.
    pub target_twist: Vector6<f64>,
    /// Pose of the base.
    pub base: Se3,
    /// Contact force on the end effector, world axes [N].
    pub contact_force: Vector3<f64>,
    /// Moment of the contact forces about the centre of the mating plane, world axes [N·m].
    pub contact_moment: Vector3<f64>,
    /// Load at the mating plane, contact and latch together.
    pub interface: InterfaceLoad,
    /// Gap, angle and relative speed, by which the latch goes.
    pub alignment: Alignment,
    /// Smallest gap [m].
    pub gap: f64,
    /// Points that carry a force.
    pub contacts: Vec<PointForce>,
    /// The latch is closed.
    pub captured: bool,
    /// The legs.
    pub legs: Vec<LegSample>,
    /// Energies.
    pub energy: EnergySample,
}

/// A docking under way.
#[derive(Debug)]
pub struct DockingRun {
    pub(crate) scenario: Scenario,
    pub(crate) platform: Box<dyn Scheme>,
    pub(crate) control: Option<Control>,
    /// Torques that hold the platform at rest [N·m].
    pub(crate) holding: Vec<f64>,
    pub(crate) track: Track,
    pub(crate) start: EnergySample,
    pub(crate) energy: EnergySample,
    pub(crate) samples: Vec<Sample>,
    pub(crate) keep_samples: bool,
    pub(crate) poses: Vec<(f64, Se3)>,
    pub(crate) watch: Watch,
    pub(crate) ranges: Vec<MotorRange>,
    pub(crate) iterations: usize,
    pub(crate) rejected: usize,
    pub(crate) progress: Progress,
    /// Rows, where they do not end steps.
    pub(crate) free: Option<FreeRows>,
    /// When a run without rows looks for what makes its result suspect next [s].
    pub(crate) look_due: f64,
}

impl DockingRun {
    /// Ready to run with native legs, coupled as the scenario says. Without `keep_samples` only the
    /// summary is kept.
    pub fn new(scenario: &Scenario, keep_samples: bool) -> Result<Self> {
        Self::coupled(scenario, keep_samples, None, scheme::start)
    }

    /// The same with the motors under a controller of one's own, whatever the coupling. The scenario's
    /// motors must be in mode `torque` and its `regulator.law` `external`.
    pub fn with_controller(
        scenario: &Scenario,
        keep_samples: bool,
        controller: Box<dyn Controller>,
    ) -> Result<Self> {
        Self::coupled(scenario, keep_samples, Some(controller), scheme::start)
    }

    /// The same with legs inside FMUs: one archive for all of them, or one each; and with a controller
    /// of one's own, if there is one. Monolithic coupling, which takes legs apart, is refused.
    #[cfg(feature = "fmus")]
    pub fn with_fmus(
        scenario: &Scenario,
        keep_samples: bool,
        archives: &[FmuArchive],
        controller: Option<Box<dyn Controller>>,
    ) -> Result<Self> {
        Self::coupled(scenario, keep_samples, controller, |equilibrium, wrench| {
            let (starts, units) = LoadedFmu::all(archives, equilibrium)?;
            scheme::couple(equilibrium, &starts, units, wrench)
        })
    }

    fn coupled(
        scenario: &Scenario,
        keep_samples: bool,
        controller: Option<Box<dyn Controller>>,
        couple: impl FnOnce(
            &StaticPlatform,
            WrenchHistory,
        ) -> softdock_platform::Result<Box<dyn Scheme>>,
    ) -> Result<Self> {
        scenario.validate()?;
        let scenario = &scenario.resolved();
        let equilibrium = resting_platform(scenario)?;
        let wrench = WrenchHistory(scenario.platform.wrench.signals());
        let mut platform = couple(&equilibrium, wrench)?;
        let target = approaching_target(&scenario.docking, equilibrium.pose())?;
        platform.add_target(target.body, target.state, target.pair, target.latch);
        if let Some(actuation) = target.actuation {
            platform.act_on_target(actuation);
        }
        let ranges = MotorRange::of_legs(&scenario.platform)?;
        let limits = LegLimits::of_legs(&scenario.platform)?;
        let latch = &scenario.docking.contact.latch;
        let watched = (latch, scenario.docking.target.panel.as_slice());
        let mut out = Self {
            scenario: scenario.clone(),
            track: Track::start(platform.as_ref(), &ranges, &limits, watched),
            ranges,
            platform,
            control: None,
            holding: equilibrium.holding_torques(),
            start: EnergySample::default(),
            energy: EnergySample::default(),
            samples: Vec::new(),
            keep_samples,
            poses: Vec::new(),
            watch: Watch::default(),
            iterations: 0,
            rejected: 0,
            progress: Progress::default(),
            free: None,
            look_due: LOOK_INTERVAL,
        };
        out.control = Control::new(scenario, &equilibrium, out.platform.as_ref(), controller)?;
        out.start = measure_energy(out.platform.as_mut())?;
        out.look()?;
        out.record()?;
        if scenario.platform.solver.accuracy.is_some() {
            let DockingConfig {
                output_interval_s,
                duration_s,
                ..
            } = scenario.docking;
            let rows = Rows::new(output_interval_s, duration_s);
            let sample = out.samples.last().cloned();
            out.free = Some(FreeRows::new(rows, out.platform.as_ref(), sample));
        }
        Ok(out)
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The platform.
    pub fn platform(&self) -> &dyn Scheme {
        self.platform.as_ref()
    }

    /// The platform, to set what acts on it.
    pub fn platform_mut(&mut self) -> &mut dyn Scheme {
        self.platform.as_mut()
    }

    /// Torques that hold the platform at rest [N·m].
    pub fn holding_torques(&self) -> &[f64] {
        &self.holding
    }

    /// What became of it so far.
    pub fn outcome(&self) -> Outcome {
        Outcome::of(&self.track, self.platform.as_ref())
    }

    /// Whether what was computed so far can be believed.
    pub fn soundness(&self) -> Soundness {
        self.watch.soundness()
    }

    /// Gives the end effector another wrench history from now on.
    pub fn set_wrench(&mut self, wrench: WrenchHistory) {
        self.platform.set_wrench(wrench);
    }

    /// Energies at the start.
    pub fn start(&self) -> &EnergySample {
        &self.start
    }

    /// Time reached [s].
    pub fn time(&self) -> f64 {
        self.platform.time()
    }

    /// True when the whole duration is simulated.
    pub fn finished(&self) -> bool {
        self.time() >= self.scenario.docking.duration_s
    }

    /// What the steps did so far: among others those that the account of energies refused, and those
    /// it would have refused but that could not be smaller.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The samples so far.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// What was watched so far.
    pub fn track(&self) -> &Track {
        &self.track
    }

    /// Goes on toward the next output time, by `MOST_STEPS` nominal steps at most so that the
    /// caller is asked now and then whether to go on, and records it when it is reached. On an
    /// error everything up to the last good step is kept.
    pub fn advance(&mut self) -> Result<()> {
        self.advance_until(f64::INFINITY)
    }

    /// Goes to `end` [s], or to the end of the duration, whichever comes first: for callers that hold the
    /// reins themselves. An end that was added up, and so misses a row of output by rounding, is that row.
    pub fn reach(&mut self, end: f64) -> Result<()> {
        let slack = SAME_ROW * self.scenario.docking.output_interval_s;
        while !self.finished() && self.time() < end - slack {
            self.advance_until(end)?;
        }
        Ok(())
    }

    /// Advances, but not beyond `limit` [s]. Nothing happens if that is reached already, or missed by
    /// rounding only.
    fn advance_until(&mut self, limit: f64) -> Result<()> {
        let config = &self.scenario.docking;
        let interval = config.output_interval_s;
        let slack = SAME_ROW * interval;
        if limit <= self.time() + slack {
            return Ok(());
        }
        if self.free.is_some() {
            return self.advance_freely(limit);
        }
        let index = (self.time() / interval * (1.0 + 1e-12) + SAME_ROW).floor() + 1.0;
        let output = (index * interval).min(config.duration_s);
        let recorded = output <= limit + slack;
        let output = if recorded { output } else { limit };
        let left = output - self.time();
        let most = MOST_STEPS * self.scenario.platform.solver.step_s;
        let parts = grid::count(left, most);
        let whole = parts <= 1.0;
        let end = if whole {
            output
        } else {
            self.time() + left / parts
        };
        let (track, watch, ranges) = (&mut self.track, &mut self.watch, &self.ranges);
        let platform = self.platform.as_mut();
        let observe = &mut |platform: &mut dyn Scheme| {
            track.observe(platform);
            note_motors(platform, ranges, watch);
        };
        let done = match &mut self.control {
            Some(control) => control.advance(platform, end, observe),
            None => platform
                .advance_observed(end, observe)
                .map_err(DockingError::from),
        };
        // What a failed advance did before it failed counts, too.
        let seen = self.look();
        let done = done?;
        seen?;
        self.count(&done);
        if whole && recorded {
            self.record()
        } else {
            Ok(())
        }
    }

    /// Goes to `end` [s] without rows of output, for callers that look for themselves. On an error
    /// everything up to the last good step is kept.
    pub fn advance_to(&mut self, end: f64) -> Result<Progress> {
        if end <= self.time() {
            return Ok(Progress::default());
        }
        let (track, watch, ranges) = (&mut self.track, &mut self.watch, &self.ranges);
        let platform = self.platform.as_mut();
        let observe = &mut |platform: &mut dyn Scheme| {
            track.observe(platform);
            note_motors(platform, ranges, watch);
        };
        let done = match &mut self.control {
            Some(control) => control.advance(platform, end, observe)?,
            None => platform.advance_observed(end, observe)?,
        };
        self.count(&done);
        if self.time() >= self.look_due {
            self.look_due = self.time() + LOOK_INTERVAL;
            self.look()?;
        }
        Ok(done)
    }

    /// The same with steps that do not end at rows of output: rows are made in between.
    fn advance_freely(&mut self, limit: f64) -> Result<()> {
        let step = self.scenario.platform.solver.step_s;
        let last = self.scenario.docking.duration_s.min(limit);
        let end = (self.time() + MOST_STEPS * step).min(last);
        let Self {
            track,
            watch,
            ranges,
            platform,
            control,
            free,
            poses,
            samples,
            keep_samples,
            start,
            ..
        } = self;
        let mut failure = None;
        let observe = &mut |platform: &mut dyn Scheme| {
            track.observe(platform);
            note_motors(platform, ranges, watch);
            let Some(free) = free.as_mut() else { return };
            let samples = keep_samples.then_some(&mut *samples);
            if let Err(error) = free.see(platform, track, (&*start, &mut *watch), poses, samples) {
                failure.get_or_insert(error);
            }
        };
        let done = match control {
            Some(control) => control.advance(platform.as_mut(), end, observe),
            None => platform
                .advance_observed(end, observe)
                .map_err(DockingError::from),
        };
        let seen = self.look();
        failure.map_or(Ok(()), Err)?;
        self.count(&done?);
        seen
    }

    fn count(&mut self, done: &Progress) {
        self.iterations += done.iterations;
        self.rejected += done.rejected;
        self.progress += *done;
        self.watch.steps_at_floor(self.time(), done.at_floor);
    }

    /// Gives the motors torques [N·m], one each, which act from now on: for callers that are the
    /// controller themselves. Refused where a regulator sets them, and of motors in another mode than
    /// `torque`, which would take no notice.
    pub fn set_torques(&mut self, torques: &DVector<f64>) -> Result<()> {
        self.scenario
            .docking
            .regulator
            .check_caller(&self.scenario.platform)?;
        give(self.platform.as_mut(), torques)
    }

    /// Runs to the end.
    pub fn run(&mut self) -> Result<()> {
        while !self.finished() {
            self.advance()?;
        }
        Ok(())
    }

    /// The figures of the run so far.
    pub fn summary(&self) -> Result<Summary> {
        Ok(Summary::new(
            &self.scenario,
            &self.track,
            self.platform.as_ref(),
            &self.poses,
            (&self.start, &self.energy),
            &self.watch,
            (self.iterations, self.rejected),
        ))
    }

    fn record(&mut self) -> Result<()> {
        let pose = pose_on_base(self.platform.as_ref());
        self.poses.push((self.time(), pose));
        if self.keep_samples {
            let sample = take_sample(self.platform.as_mut(), &self.track, self.energy)?;
            self.samples.push(sample);
        }
        Ok(())
    }

    /// Looks for what makes the result suspect.
    fn look(&mut self) -> Result<()> {
        self.energy = measure_energy(self.platform.as_mut())?;
        self.energy.note(&self.start, self.time(), &mut self.watch);
        let Track {
            penetration,
            penetration_time,
            ..
        } = self.track;
        let radius = self.scenario.docking.contact.effector.tip_radius_m;
        self.watch.contact(penetration_time, penetration, radius);
        let panels = &self.track.panels;
        (self.watch).appendage(panels.time_s, panels.share, LARGEST_DEFLECTION);
        note_motors(self.platform.as_ref(), &self.ranges, &mut self.watch);
        Ok(note_leaves(self.platform.as_mut(), &mut self.watch)?)
    }
}

/// Energies now.
pub(crate) fn measure_energy(platform: &mut dyn Scheme) -> Result<EnergySample> {
    let legs = platform.leg_energies()?;
    let world = platform.world();
    let account = world.account();
    let bodies = world.bodies().all.iter().zip(platform.bodies());
    let mut out = EnergySample {
        bodies: world.body_energy(platform.bodies()),
        bodies_kinetic: bodies
            .map(|(body, state)| kinetic_energy(body, state))
            .sum(),
        contact: world.contact_potential(),
        motor_work: platform.motor_work(),
        wrench_work: account.wrench_work,
        actuator_work: account.actuator_work,
        contact_loss: account.contact_damping.energy,
        friction_loss: account.friction.energy,
        latch_loss: account.latch.energy,
        panel_loss: lost_in_appendages(platform.bodies().iter()),
        ..EnergySample::default()
    };
    for leg in legs {
        out.legs_kinetic += leg.kinetic;
        out.leaves += leg.strain;
        out.tendons += leg.tendon;
        out.legs_gravity += leg.gravity;
        out.leg_loss += leg.dissipated;
    }
    Ok(out)
}

/// Everything now, with these energies.
pub(crate) fn take_sample(
    platform: &mut dyn Scheme,
    track: &Track,
    energy: EnergySample,
) -> Result<Sample> {
    let shapes = platform.leg_shapes()?;
    let platform = &*platform;
    let bodies = platform.bodies();
    let list = platform.world().bodies();
    let effector = bodies[EFFECTOR];
    let target = list.target.map_or(effector, |i| bodies[i]);
    let base = list.base.map_or_else(Se3::identity, |i| bodies[i].pose);
    let encounter = platform.world().encounter();
    let contacts: Vec<PointForce> = encounter
        .map(|e| &e.output().points)
        .into_iter()
        .flatten()
        .filter(|point| point.normal_force > 0.0)
        .copied()
        .collect();
    Ok(Sample {
        time: platform.time(),
        effector: effector.pose,
        effector_twist: effector.velocity,
        target: target.pose,
        target_twist: target.velocity,
        base,
        contact_force: contacts.iter().map(|point| point.force).sum(),
        contact_moment: encounter.map_or_else(Vector3::zeros, |encounter| {
            contact_moment(encounter, &effector.pose)
        }),
        interface: encounter.map(InterfaceLoad::of).unwrap_or_default(),
        alignment: encounter.map_or(
            Alignment {
                gap: f64::INFINITY,
                angle: 0.0,
                speed: 0.0,
            },
            |encounter| {
                let [a, b] = [effector, target].map(|body| BodyMotion {
                    pose: body.pose,
                    twist: body.velocity,
                });
                encounter.pair().alignment(&a, &b)
            },
        ),
        gap: encounter.map_or(f64::INFINITY, |e| e.output().minimum_gap),
        captured: encounter.is_some_and(|e| e.latch().capture_time().is_some()),
        contacts,
        legs: shapes
            .into_iter()
            .enumerate()
            .map(|(i, shape)| {
                let strength = track.legs[i].strength_now(platform, i);
                LegSample {
                    view: platform.leg(i),
                    shape,
                    stress_pa: strength.stress,
                    joint_turns: strength.joint_turns,
                }
            })
            .collect(),
        energy,
    })
}
