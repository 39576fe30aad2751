//! The nonlinear leg under a linear regulator.

use super::equilibrium::Equilibrium;
use super::motion::Sampled;
use super::scene::{Film, Pose};
use anyhow::Result;
use leg_core::planar::{Channel, LinkDrive};
use leg_core::pretension::PlanarState;
use leg_core::{LegSample, PlanarLeg};
use multibody::dynamics;
use multibody::linearize::LinearModel;
use multibody::model::Held;
use multibody::results::soundness::{Soundness, Watch};
use multibody::state::State;
use multibody::statics::{self, ContinuationSettings, Path};
use multibody::workspace::Workspace;
use nalgebra::{DMatrix, DVector};
use softdock_control::riccati;

/// What the observer measures.
const MEASURED: [&str; 3] = ["q1", "q3", "tendon_length"];

/// What the observer of this leg measures.
pub fn measured(rest: &Equilibrium) -> &'static [&'static str] {
    if rest.leg().tendon.is_some() {
        &MEASURED
    } else {
        &MEASURED[..2]
    }
}

/// Standard deviations from which the observer is made.
#[derive(Debug, Clone, Copy)]
pub struct Noise {
    /// Of the torques that disturb the two links, constant over a sample [N·m].
    pub torque_nm: f64,
    /// Of the measured angles [rad].
    pub angle_rad: f64,
    /// Of the measured tendon length [m].
    pub length_m: f64,
}

/// A Kalman observer in sampled time: `x̂⁺ = A x̂ + B u + L (y − C x̂)`.
#[derive(Debug, Clone)]
pub struct Observer {
    a: DMatrix<f64>,
    b: DMatrix<f64>,
    c: DMatrix<f64>,
    gain: DMatrix<f64>,
    residual: f64,
    /// Measured values at the equilibrium.
    at_rest: DVector<f64>,
    /// Variances of what is measured.
    noise: DVector<f64>,
    /// W of the first estimate.
    start_weight: DVector<f64>,
}

impl Observer {
    /// An observer of `model`, whose inputs are the torques on both links, which disturb it, and
    /// whose outputs are [`measured`], sampled with `period` [s].
    pub fn new(model: &LinearModel, period: f64, noise: Noise) -> Result<Self> {
        let (a, b) = riccati::discretize(&model.a, &model.b, period)?;
        let process = &b * b.transpose() * noise.torque_nm.powi(2);
        let squares = [noise.angle_rad, noise.angle_rad, noise.length_m].map(|d| d * d);
        let squares = DVector::from_column_slice(&squares[..model.c.nrows()]);
        let measurement = DMatrix::from_diagonal(&squares);
        let order = model.order();
        let start_weight =
            DVector::from_fn(order, |i, _| 1.0 / (model.a[(order + i, i)].abs() + 1.0));
        let solved = riccati::sampled_observer(&a, &model.c, &process, &measurement)?;
        Ok(Self {
            a,
            b: b.columns(0, 1).into_owned(),
            c: model.c.clone(),
            gain: solved.gain,
            residual: solved.relative_residual,
            at_rest: DVector::from_column_slice(&model.output_values),
            noise: squares,
            start_weight,
        })
    }

    /// L.
    pub fn gain(&self) -> &DMatrix<f64> {
        &self.gain
    }

    /// Relative residual of its Riccati equation.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// The first estimate: the leg at rest in the shape of least energy that explains what is
    /// measured, `z = W Cᵀ (C W Cᵀ + R)⁻¹ y` with `W = diag 1/(|ω²| + 1 s⁻²)`.
    fn start(&self, sample: &LegSample) -> DVector<f64> {
        let order = self.start_weight.len();
        let c = self.c.columns(0, order);
        let weighted = DMatrix::from_diagonal(&self.start_weight) * c.transpose();
        let mut system = c * &weighted;
        for (i, noise) in self.noise.iter().enumerate() {
            system[(i, i)] += noise;
        }
        let mut estimate = DVector::zeros(self.c.ncols());
        // The noise makes the system positive definite.
        if let Some(factors) = system.cholesky() {
            let z = weighted * factors.solve(&self.deviation(sample));
            estimate.rows_mut(0, order).copy_from(&z);
        }
        estimate
    }

    /// What is measured, from the equilibrium.
    fn deviation(&self, sample: &LegSample) -> DVector<f64> {
        let all = [sample.q[0], sample.q[2], sample.tendon_length];
        DVector::from_column_slice(&all[..self.at_rest.len()]) - &self.at_rest
    }

    /// The estimate one sample later.
    fn advance(&self, estimate: &DVector<f64>, torque: f64, sample: &LegSample) -> DVector<f64> {
        let surprise = self.deviation(sample) - &self.c * estimate;
        &self.a * estimate + self.b.column(0) * torque + &self.gain * surprise
    }
}

/// The leg at rest with its crank turned by `angle` [rad] from the equilibrium and held there, the
/// upper link in balance under its load: where the crank is let go.
pub fn disturbed(rest: &Equilibrium, angle: f64) -> Result<PlanarState> {
    let leg = rest.leg();
    let link = if leg.config.load.lock_q3 {
        LinkDrive::Prescribed
    } else {
        LinkDrive::Free
    };
    let mut near = leg.config.clone();
    near.pretension.q3_rad = rest.report.q3_rad;
    let (q1, rest_length) = (rest.report.q1_rad, rest.report.rest_length_m);
    let held = PlanarLeg::new(&near, LinkDrive::Prescribed, link, q1, rest_length)?;
    let mut state = State::new(&held.model);
    state.poses.copy_from_slice(&rest.state().poses);
    for (there, here) in [(held.joints.o, leg.joints.o), (held.joints.c, leg.joints.c)] {
        state.angles[there.index()] = rest.state().angle(here);
    }
    let from = rest.state().inputs.value.clone();
    let mut to = from.clone();
    to[Channel::CrankAngle as usize] += angle;
    let mut workspace = Workspace::new(&held.model);
    let settings = ContinuationSettings {
        largest_step: 0.25,
        ..Default::default()
    };
    statics::load_to(
        &held.model,
        &mut state,
        &mut workspace,
        &Path { from, to },
        &settings,
        |_, _| {},
    )?;
    let mut released = rest.state().clone();
    released.poses.copy_from_slice(&state.poses);
    for (there, here) in [(held.joints.o, leg.joints.o), (held.joints.c, leg.joints.c)] {
        released.angles[here.index()] = state.angle(there);
    }
    released.stop();
    Ok(released)
}

/// A run of the leg.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// What it showed at every step.
    pub samples: Vec<LegSample>,
    /// Its pictures.
    pub film: Film,
    /// Why it ended early.
    pub ended_because: Option<String>,
}

/// How the leg is regulated.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// The equilibrium.
    pub rest: &'a Equilibrium,
    /// The linear model in whose states the gain is given.
    pub model: &'a LinearModel,
    /// K of `δτ = −K x`.
    pub gain: &'a DMatrix<f64>,
    /// The observer; without it x is read from the leg.
    pub observer: Option<&'a Observer>,
    /// Time between changes of the torque [s].
    pub period: f64,
    /// Step size [s].
    pub step: f64,
    /// Simulated time [s].
    pub duration: f64,
    /// Limit of the torque [N·m].
    pub torque_limit: f64,
    /// Keeps pictures.
    pub keep_film: bool,
}

/// Most frames of an animation.
const MOST_FRAMES: usize = 500;

impl Setup<'_> {
    /// Lets the leg go from `start`, regulated or under the constant holding torque.
    pub fn run(&self, start: &PlanarState, closed: bool) -> Result<Run> {
        let mut simulation = self.rest.simulation.clone();
        simulation.state.copy_from(start);
        let mut run = Run::default();
        run.film.set_ghost(
            "leaf in equilibrium",
            Pose::new(self.rest.leg(), self.rest.state())?,
        );
        let mut inputs = simulation.inputs_at(0.0);
        let first = simulation.sample()?;
        let mut estimate = match self.observer {
            Some(observer) => observer.start(&first),
            None => DVector::zeros(0),
        };
        let samples = (self.duration / self.period).ceil().max(1.0) as usize;
        let inner = (self.period / self.step).ceil().max(1.0) as usize;
        let frames = samples * inner / MOST_FRAMES + 1;
        for k in 0..samples {
            let hold = self.rest.crank_torque;
            let x = match self.observer {
                Some(_) => estimate.clone(),
                None => self.state(&simulation.state)?,
            };
            let wanted = if closed {
                hold - (self.gain * x)[0]
            } else {
                hold
            };
            let torque = wanted.clamp(-self.torque_limit, self.torque_limit);
            inputs.value[Channel::CrankTorque as usize] = torque;
            let drive = Held(inputs.clone());
            if k == 0 {
                let leg_core::Simulation { leg, state, .. } = &mut simulation;
                dynamics::initialize(&leg.model, state, &mut Workspace::new(&leg.model), &drive)?;
                run.keep(&mut simulation, self.keep_film)?;
            }
            let measured = run.samples.last().copied();
            for j in 1..=inner {
                let time = (k as f64 + j as f64 / inner as f64) * self.period;
                if let Err(error) = simulation.advance_with(&drive, time) {
                    run.ended_because = Some(error.to_string());
                    return Ok(run);
                }
                run.keep(
                    &mut simulation,
                    self.keep_film && (k * inner + j).is_multiple_of(frames),
                )?;
            }
            if let (Some(observer), Some(measured)) = (self.observer, measured) {
                estimate = observer.advance(&estimate, torque - hold, &measured);
            }
        }
        Ok(run)
    }

    fn state(&self, state: &PlanarState) -> Result<DVector<f64>> {
        Ok(self
            .model
            .state_of(&self.rest.leg().model, self.rest.state(), state)?)
    }
}

impl Run {
    /// Whether what it showed can be believed.
    pub fn soundness(&self) -> Soundness {
        let mut watch = Watch::default();
        for sample in &self.samples {
            sample.account().note(&mut watch);
        }
        match self.ended_because {
            None => watch.soundness(),
            Some(_) => watch.soundness().failed(),
        }
    }

    fn keep(&mut self, simulation: &mut leg_core::Simulation, picture: bool) -> Result<()> {
        let sample = simulation.sample()?;
        self.samples.push(sample);
        if picture {
            self.film.add(&simulation.leg, &simulation.state, &sample)?;
        }
        Ok(())
    }
}
