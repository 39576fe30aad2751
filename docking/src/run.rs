//! A docking run: advance, sample, sum up.

use crate::config::Scenario;
use crate::control::Control;
use crate::error::{DockingError, Result};
use crate::setup::{resting_platform, visitor};
use crate::summary::Summary;
use crate::track::Track;
use multibody::dynamics::grid;
use multibody::group::{Group, Se3};
use multibody::results::soundness::{Books, Watch};
use nalgebra::{Vector3, Vector6};
use softdock_fmi::import::FmuArchive;
use softdock_platform::audit::{note_leaves, note_motors};
use softdock_platform::body::kinetic_energy;
use softdock_platform::contact::PointForce;
use softdock_platform::hub::EFFECTOR;
use softdock_platform::motor_range::MotorRange;
use softdock_platform::scheme::{self, Progress, Scheme};
use softdock_platform::statics::StaticPlatform;
use softdock_platform::unit::{LegShape, LegView, LoadedFmu};
use softdock_platform::wrench::WrenchHistory;

/// Most nominal steps of one advance.
const MOST_STEPS: f64 = 50.0;

/// A leg at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct LegSample {
    /// Force, tendon and motor.
    pub view: LegView,
    /// Crank and leaf.
    pub shape: LegShape,
}

/// Energies of everything at one time [J].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
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
    /// Lost in tendons and leaves since the start.
    pub leg_loss: f64,
    /// Lost in contact damping since the start.
    pub contact_loss: f64,
    /// Lost in friction since the start.
    pub friction_loss: f64,
    /// Lost in the latch since the start.
    pub latch_loss: f64,
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
        self.leg_loss + self.contact_loss + self.friction_loss + self.latch_loss
    }

    /// What the ledger misses against the start.
    pub fn residual(&self, start: &Self) -> f64 {
        self.mechanical() - start.mechanical() - self.motor_work - self.wrench_work
            + self.dissipated()
    }

    /// Notes the energies at `time` [s].
    fn note(&self, start: &Self, time: f64, watch: &mut Watch) {
        let books = Books {
            kinetic: self.bodies_kinetic + self.legs_kinetic,
            potentials: &[
                self.leaves,
                self.tendons,
                self.legs_gravity,
                self.bodies - self.bodies_kinetic,
                self.contact,
            ],
            work: &[self.motor_work, self.wrench_work],
            lost: &[
                self.leg_loss,
                self.contact_loss,
                self.friction_loss,
                self.latch_loss,
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
    scenario: Scenario,
    platform: Box<dyn Scheme>,
    control: Option<Control>,
    track: Track,
    start: EnergySample,
    energy: EnergySample,
    samples: Vec<Sample>,
    keep_samples: bool,
    poses: Vec<(f64, Se3)>,
    watch: Watch,
    ranges: Vec<MotorRange>,
    iterations: usize,
    rejected: usize,
    progress: Progress,
}

impl DockingRun {
    /// Ready to run with native legs, coupled as the scenario says. Without `keep_samples` only the
    /// summary is kept.
    pub fn new(scenario: &Scenario, keep_samples: bool) -> Result<Self> {
        Self::coupled(scenario, keep_samples, scheme::start)
    }

    /// The same with legs inside FMUs: one archive for all of them, or one each. Monolithic
    /// coupling, which takes legs apart, is refused.
    pub fn with_fmus(
        scenario: &Scenario,
        keep_samples: bool,
        archives: &[FmuArchive],
    ) -> Result<Self> {
        Self::coupled(scenario, keep_samples, |equilibrium, wrench| {
            let (starts, units) = LoadedFmu::all(archives, equilibrium)?;
            scheme::couple(equilibrium, &starts, units, wrench)
        })
    }

    fn coupled(
        scenario: &Scenario,
        keep_samples: bool,
        couple: impl FnOnce(
            &StaticPlatform,
            WrenchHistory,
        ) -> softdock_platform::Result<Box<dyn Scheme>>,
    ) -> Result<Self> {
        scenario.validate()?;
        let equilibrium = resting_platform(scenario)?;
        let wrench = WrenchHistory(scenario.platform.wrench.signals());
        let mut platform = couple(&equilibrium, wrench)?;
        let visitor = visitor(&scenario.docking, equilibrium.pose())?;
        platform.add_target(visitor.body, visitor.state, visitor.pair, visitor.latch);
        let ranges = MotorRange::of_legs(&scenario.platform)?;
        let mut out = Self {
            scenario: scenario.clone(),
            track: Track::start(platform.as_ref(), &ranges),
            ranges,
            platform,
            control: Control::new(scenario, &equilibrium)?,
            start: EnergySample::default(),
            energy: EnergySample::default(),
            samples: Vec::new(),
            keep_samples,
            poses: Vec::new(),
            watch: Watch::default(),
            iterations: 0,
            rejected: 0,
            progress: Progress::default(),
        };
        out.start = out.measure_energy()?;
        out.look()?;
        out.record()?;
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
        let config = &self.scenario.docking;
        let interval = config.output_interval_s;
        let index = (self.time() / interval * (1.0 + 1e-12) + 1e-9).floor() + 1.0;
        let output = (index * interval).min(config.duration_s);
        let left = output - self.time();
        let most = MOST_STEPS * self.scenario.platform.solver.step_s;
        let parts = grid::count(left, most);
        let whole = parts <= 1.0;
        let end = if whole {
            output
        } else {
            self.time() + left / parts
        };
        let track = &mut self.track;
        let done = if let Some(control) = &mut self.control
            && let Some(platform) = self.platform.monolithic_mut()
        {
            control.advance(platform, end, |platform| track.observe(platform))
        } else {
            let observe = &mut |platform: &dyn Scheme| track.observe(platform);
            self.platform
                .advance_observed(end, observe)
                .map_err(DockingError::from)
        };
        // What a failed advance did before it failed counts, too.
        let seen = self.look();
        let done = done?;
        seen?;
        self.iterations += done.iterations;
        self.rejected += done.rejected;
        self.progress += done;
        self.watch.steps_at_floor(self.time(), done.at_floor);
        if whole { self.record() } else { Ok(()) }
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
        let pose = self.platform.effector().pose;
        self.poses.push((self.time(), pose));
        if self.keep_samples {
            let sample = self.sample()?;
            self.samples.push(sample);
        }
        Ok(())
    }

    /// Looks for what makes the result suspect.
    fn look(&mut self) -> Result<()> {
        self.energy = self.measure_energy()?;
        self.energy.note(&self.start, self.time(), &mut self.watch);
        let Track {
            penetration,
            penetration_time,
            ..
        } = self.track;
        let radius = self.scenario.docking.contact.effector.tip_radius_m;
        self.watch.contact(penetration_time, penetration, radius);
        note_motors(self.platform.as_ref(), &self.ranges, &mut self.watch);
        Ok(note_leaves(self.platform.as_mut(), &mut self.watch)?)
    }

    /// Energies now.
    fn measure_energy(&mut self) -> Result<EnergySample> {
        let legs = self.platform.leg_energies()?;
        let (platform, world) = (&self.platform, self.platform.world());
        let account = world.account();
        let bodies = world.hub().bodies.iter().zip(platform.bodies());
        let mut out = EnergySample {
            bodies: world.body_energy(platform.bodies()),
            bodies_kinetic: bodies
                .map(|(body, state)| kinetic_energy(body, state))
                .sum(),
            contact: world.contact_potential(),
            motor_work: platform.motor_work(),
            wrench_work: account.wrench_work,
            contact_loss: account.contact_damping.energy,
            friction_loss: account.friction.energy,
            latch_loss: account.latch.energy,
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

    fn sample(&mut self) -> Result<Sample> {
        let shapes = self.platform.leg_shapes()?;
        let platform = &self.platform;
        let bodies = platform.bodies();
        let hub = platform.world().hub();
        let effector = bodies[EFFECTOR];
        let target = hub.target.map_or(effector, |i| bodies[i]);
        let base = hub.base.map_or_else(Se3::identity, |i| bodies[i].pose);
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
            gap: encounter.map_or(f64::INFINITY, |e| e.output().minimum_gap),
            captured: encounter.is_some_and(|e| e.latch().capture_time().is_some()),
            contacts,
            legs: shapes
                .into_iter()
                .enumerate()
                .map(|(i, shape)| LegSample {
                    view: platform.leg(i),
                    shape,
                })
                .collect(),
            energy: self.energy,
        })
    }
}
