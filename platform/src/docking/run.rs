//! A docking run: advance, sample, sum up.

use super::config::Scenario;
use super::control::Control;
use super::setup::{resting_platform, visitor};
use super::summary::Summary;
use super::track::Track;
use crate::contact::PointForce;
use crate::error::{PlatformError, Result};
use crate::hub::EFFECTOR;
use crate::monolithic::Platform;
use crate::world::WrenchHistory;
use leg_core::group::{Group, Se3};
use nalgebra::{Vector3, Vector6};

/// Most nominal steps of one advance.
const MOST_STEPS: f64 = 50.0;

/// A leg at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct LegSample {
    /// Force on the end effector, world axes [N].
    pub tip_force: Vector3<f64>,
    /// Distance A to B [m].
    pub tendon_length: f64,
    /// Tendon tension [N].
    pub tendon_tension: f64,
    /// Crank angle [rad].
    pub motor_angle: f64,
    /// Torque on the crank [N·m].
    pub motor_torque: f64,
    /// Pose of the crank; its frame is on the motor's axis.
    pub crank: Se3,
    /// Poses of the leaf's nodes from A to B; e1 along the leaf, e3 across it.
    pub leaf: Vec<Se3>,
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
    platform: Platform,
    control: Option<Control>,
    track: Track,
    start: EnergySample,
    samples: Vec<Sample>,
    keep_samples: bool,
    poses: Vec<(f64, Se3)>,
    largest_residual: f64,
    iterations: usize,
    rejected: usize,
}

impl DockingRun {
    /// Ready to run. Without `keep_samples` only the summary is kept.
    pub fn new(scenario: &Scenario, keep_samples: bool) -> Result<Self> {
        scenario.validate()?;
        let equilibrium = resting_platform(scenario)?;
        let wrench = WrenchHistory(scenario.platform.wrench.signals());
        let mut platform = Platform::at_rest_under(&equilibrium, wrench)?;
        let visitor = visitor(&scenario.docking, equilibrium.pose())?;
        platform.add_target(visitor.body, visitor.state, visitor.pair, visitor.latch);
        let mut out = Self {
            scenario: scenario.clone(),
            track: Track::start(&platform),
            platform,
            control: Control::new(scenario, &equilibrium)?,
            start: EnergySample::default(),
            samples: Vec::new(),
            keep_samples,
            poses: Vec::new(),
            largest_residual: 0.0,
            iterations: 0,
            rejected: 0,
        };
        out.start = out.energy()?;
        out.record()?;
        Ok(out)
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The platform.
    pub fn platform(&self) -> &Platform {
        &self.platform
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
        let parts = (left / most * (1.0 - 1e-9)).ceil().max(1.0);
        let whole = parts <= 1.0;
        let end = if whole {
            output
        } else {
            self.time() + left / parts
        };
        let track = &mut self.track;
        let observe = |platform: &Platform| track.observe(platform);
        let done = match &mut self.control {
            Some(control) => control.advance(&mut self.platform, end, observe)?,
            None => self.platform.advance_observed(end, observe)?,
        };
        self.iterations += done.iterations;
        self.rejected += done.rejected;
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
        let energy = self.energy()?;
        Ok(Summary::new(
            &self.scenario,
            &self.track,
            &self.platform,
            &self.poses,
            (&self.start, &energy, self.largest_residual),
            (self.iterations, self.rejected),
        ))
    }

    fn record(&mut self) -> Result<()> {
        let energy = self.energy()?;
        let residual = energy.residual(&self.start).abs();
        self.largest_residual = self.largest_residual.max(residual);
        let pose = self.platform.effector().pose;
        self.poses.push((self.time(), pose));
        if self.keep_samples {
            let sample = self.sample(energy);
            self.samples.push(sample);
        }
        Ok(())
    }

    /// Energies now.
    fn energy(&self) -> Result<EnergySample> {
        let platform = &self.platform;
        let account = platform.world().account();
        let mut out = EnergySample {
            bodies: platform.body_energy(),
            contact: platform.world().contact_potential(),
            wrench_work: account.wrench.energy,
            contact_loss: account.contact_damping.energy,
            friction_loss: account.friction.energy,
            latch_loss: account.latch.energy,
            ..EnergySample::default()
        };
        for (i, leg) in platform.legs().iter().enumerate() {
            let state = leg.state();
            let energies = leg_core::results::energy::energies(&leg.leg().model, state)
                .map_err(PlatformError::in_leg(i))?;
            out.legs_kinetic += energies.kinetic;
            out.leaves += energies.strain;
            out.tendons += energies.springs;
            out.legs_gravity += energies.gravity;
            out.motor_work += platform.motor_work(i);
            out.leg_loss += state.ledger.dissipated;
        }
        Ok(out)
    }

    fn sample(&self, energy: EnergySample) -> Sample {
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
        Sample {
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
            legs: (0..platform.legs().len())
                .map(|i| leg_sample(platform, i))
                .collect(),
            energy,
        }
    }
}

fn leg_sample(platform: &Platform, index: usize) -> LegSample {
    let native = &platform.legs()[index];
    let (leg, state) = (native.leg(), native.state());
    let nodes = 0..=leg.config.solver.elements;
    LegSample {
        tip_force: native.tip_force(),
        tendon_length: leg.chord(state).norm(),
        tendon_tension: leg.tendon_tension(state),
        motor_angle: state.angle(leg.motor_joint),
        motor_torque: leg.crank_torque(state),
        crank: *state.pose(leg.crank),
        leaf: nodes
            .map(|i| *state.pose(leg.model.beam_node(leg.leaf, i)))
            .collect(),
    }
}
