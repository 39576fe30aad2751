//! A mechanism in time: the start, steps, events, rows.
//!
//! The start: places are moved onto the constraints by the least change, or to the equilibrium nearby;
//! velocities by the least change of kinetic energy (momentum balance). A joint that closes during a
//! run does so by momentum balance: with M the mass matrix and φ_q all constraints behind it,
//!
//! ```text
//! M (v⁺ − v⁻) + φ_qᵀ Λ = 0,   φ_q v⁺ + φ_t = 0,   loss = T⁻ − T⁺                    (1)
//! ```
//!
//! Bodies that hit do so with the same equations for the constraint φ_i of their touching, and part with the
//! restitution e_i times the speed of meeting; all pairs that touch and come closer do so at once:
//!
//! ```text
//! M (v⁺ − v⁻) + φ_qᵀ Λ = 0,   φ̇_i⁺ = −e_i φ̇_i⁻                                      (2)
//! ```

mod contact;
mod friction;
mod memory;
mod stops;

pub use memory::Memory;

use crate::build::{self, Built};
use crate::error::{MechanismError, Result};
use crate::parts::{Description, Host, JointPart, JointPartKind, OutputPart, Spot};
use crate::quantity::{self, Turns};
use crate::signal::Histories;
use crate::space::Space;
use multibody::dynamics::{
    self, Advance, Control, Held, Projection, ProjectionWeight, StepSettings, Stepping, jumps,
};
use multibody::model::{Drive, Inputs};
use multibody::results::energy;
use multibody::results::soundness::{Books, Soundness, Watch};
use multibody::state::State;
use multibody::statics::{self, StaticSettings};
use multibody::workspace::Workspace;
use nalgebra::{SVector, Vector3};
use std::sync::Arc;

/// A mechanism that runs.
pub struct Simulation<G: Space<N, D>, const N: usize, const D: usize> {
    description: Arc<Description>,
    /// The model in use.
    pub built: Built<G, N, D>,
    /// The state.
    pub state: State<G, N>,
    workspace: Workspace<G, N>,
    active: Vec<bool>,
    turns: Turns,
    settings: StepSettings,
    control: Control,
    watch: Watch,
    impacts: usize,
    corrected: bool,
    regimes: Vec<friction::Regime>,
    touching: Vec<bool>,
    /// Channels whose history is not that of the file.
    overrides: Vec<(usize, crate::signal::History)>,
    /// Reduced bodies that were said to bend too far.
    bent: Vec<bool>,
    /// Whether friction or conditions read reactions or accelerations.
    reads_forces: bool,
    /// The state as [`dynamics::balance`] sees it; none where the state is its own.
    seen: Option<State<G, N>>,
    /// What the steps did.
    pub totals: Advance,
    /// What happened: time and text.
    pub events: Vec<(f64, String)>,
}

/// More impacts than this do not end.
const MOST_IMPACTS: usize = 100_000;

/// Displacement of a reduced body, as a share of its size, beyond which it is warned of.
const MOST_BENDING: f64 = 0.02;

/// What happened within a step.
#[derive(Clone, Copy)]
enum Fired {
    /// A condition became true.
    Condition(usize),
    /// A pair began to overlap.
    Impact(usize),
    /// A joint begins to slip or to stick.
    Friction(usize),
    /// A contact begins or ends.
    Contact(usize),
    /// A stop is met or left.
    Stop(usize),
}

/// Inputs as they are at the start of an impulsive motion: places without rates.
struct AtRest<'a>(&'a Histories);

impl Drive for AtRest<'_> {
    fn sample(&self, time: f64, inputs: &mut Inputs) {
        self.0.sample(time, inputs);
        inputs.rate.fill(0.0);
        inputs.acceleration.fill(0.0);
    }
}

/// Whether a joint is there at `time` [s], of those that times alone decide.
fn present(joint: &JointPart, time: f64) -> bool {
    let presence = &joint.presence;
    let closed = match (presence.closes, &presence.closes_when) {
        (Some(closes), _) => time >= closes,
        (None, when) => when.is_none(),
    };
    closed && presence.opens.is_none_or(|opens| time < opens)
}

impl<G: Space<N, D>, const N: usize, const D: usize> Simulation<G, N, D> {
    /// The mechanism at its start.
    pub fn new(description: &Description) -> Result<Self> {
        Self::shared(&Arc::new(description.clone()))
    }

    /// The same with a description that several runs share.
    pub fn shared(shared: &Arc<Description>) -> Result<Self> {
        let description: &Description = shared;
        let analysis = &description.analysis;
        let step = analysis.step;
        let control = match analysis.error_tolerance {
            None => Control::fixed(step),
            Some(tolerance) => Control::Adaptive {
                first: step,
                tolerance,
                smallest: 1e-6 * step,
                largest: analysis.output_step.max(step),
            },
        };
        let settings = StepSettings {
            spectral_radius: analysis.spectral_radius,
            tolerance: analysis.tolerance,
            max_iterations: 30,
            ..StepSettings::default()
        };
        // Joints that open at t = 0 hold the start.
        let holding: Vec<bool> = (description.joints.iter())
            .map(|joint| present(joint, 0.0) || joint.presence.opens == Some(0.0))
            .collect();
        let built: Built<G, N, D> = build::build(description, &holding, &[])?;
        let events = description
            .joints
            .iter()
            .flat_map(|joint| [&joint.presence.closes_when, &joint.presence.opens_when]);
        let events: Vec<&OutputPart> = events.flatten().collect();
        let reads_forces =
            !description.frictions.is_empty() || events.iter().any(|part| part.reads_forces());
        let turns = Turns::new(description.outputs.iter().chain(events));
        let mut out = Self {
            description: Arc::clone(shared),
            state: State::new(&built.model),
            workspace: Workspace::new(&built.model),
            built,
            active: holding,
            turns,
            settings,
            control,
            watch: Watch::default(),
            impacts: 0,
            corrected: true,
            regimes: vec![friction::Regime::Slip(0.0); description.frictions.len()],
            touching: vec![false; description.contacts.len()],
            overrides: Vec::new(),
            bent: vec![false; description.reduced.len()],
            reads_forces,
            seen: None,
            totals: Advance::default(),
            events: Vec::new(),
        };
        if description.initial.as_given {
            // The row at t = 0; the first step begins with `correct`.
            out.built.drive.sample(0.0, &mut out.state.inputs);
            multibody::assembly::hinge::update_angles(&out.built.model, &mut out.state);
            out.set_velocities();
            let (built, state, workspace) = out.parts();
            dynamics::initialize_as_given(&built.model, state, workspace, &built.drive)
                .map_err(|cause| explain(description, "accelerations at the start", cause))?;
            out.turns.start(|spot| start_angle(description, spot));
            out.follow();
            out.corrected = false;
            return Ok(out);
        }
        out.correct()?;
        Ok(out)
    }

    /// Brings places and velocities onto the constraints and starts the accounts.
    fn correct(&mut self) -> Result<()> {
        let description = &*Arc::clone(&self.description);
        self.corrected = true;
        let out = self;
        out.place()?;
        out.set_velocities();
        let active: Vec<bool> = (description.joints.iter())
            .map(|joint| present(joint, 0.0))
            .collect();
        if active != out.active {
            out.change_model(active)?;
        }
        out.start_contacts();
        out.start()?;
        out.start_frictions()
    }

    /// Moves places onto the constraints.
    fn place(&mut self) -> Result<()> {
        let Self {
            built,
            state,
            workspace,
            description,
            ..
        } = self;
        built.drive.sample(0.0, &mut state.inputs);
        for (part, id) in description.beams.iter().zip(&built.beams) {
            if let (Some(_), Some(id)) = (part.start_curvature, id) {
                for node in 0..=part.elements {
                    let index = built.model.beam_node(*id, node).index();
                    state.poses[index] = G::of(&build::beam_pose(part, node, true));
                }
            }
        }
        multibody::assembly::hinge::update_angles(&built.model, state);
        if description.initial.equilibrium {
            statics::solve(&built.model, state, workspace, &StaticSettings::default())
                .map_err(|cause| explain(description, "equilibrium at the start", cause))?;
            return Ok(());
        }
        let mut held = Vec::new();
        for host in &description.initial.held {
            let Some(node) = built.node(*host) else {
                continue;
            };
            held.extend((0..N).map(|component| Held { node, component }));
        }
        let weight = if description.initial.by_mass {
            ProjectionWeight::Mass
        } else {
            ProjectionWeight::Plain
        };
        let projection = Projection { weight, held };
        let before = state.poses.clone();
        dynamics::project_positions(&built.model, state, workspace, &projection)
            .map_err(|cause| explain(description, "closing the joints at the start", cause))?;
        let scale = built.model.length_scale();
        let moved = before
            .iter()
            .zip(&state.poses)
            .map(|(a, b)| (a.translation() - b.translation()).norm() / scale);
        let moved = moved.fold(0.0, f64::max);
        if moved > 1e-12 {
            let text = format!("places corrected by at most {:.3e} m", moved * scale);
            self.events.push((0.0, text));
        }
        Ok(())
    }

    fn set_velocities(&mut self) {
        let (velocity, turning, about) = self.description.initial.velocity;
        let (velocity, turning, about) = (
            Vector3::from(velocity),
            Vector3::from(turning),
            Vector3::from(about),
        );
        let moving = self.built.places(&self.description);
        let nodes = self.state.poses.iter().zip(&mut self.state.velocities);
        for ((pose, v), moves) in nodes.zip(moving) {
            // The coordinates of modes begin at rest.
            if !moves {
                v.fill(0.0);
                continue;
            }
            let arm = G::lift(&pose.translation()) - about;
            *v = pose.twist(&(velocity + turning.cross(&arm)), &turning);
        }
        for (part, id) in self.description.bodies.iter().zip(&self.built.bodies) {
            if let Some((velocity, turning)) = part.velocity {
                let pose = &self.state.poses[id.index()];
                let twist = pose.twist(&velocity.into(), &turning.into());
                self.state.velocities[id.index()] = twist;
            }
        }
    }

    /// Velocities onto the constraints, then accelerations and multipliers.
    fn start(&mut self) -> Result<()> {
        let Self {
            built,
            state,
            workspace,
            description,
            events,
            ..
        } = self;
        let impulsive = description.initial.impulsive;
        let failed = |cause| explain(description, "velocities at the start", cause);
        if impulsive {
            AtRest(&built.drive).sample(0.0, &mut state.inputs);
        } else {
            built.drive.sample(0.0, &mut state.inputs);
        }
        let given = state.velocities.clone();
        project_velocities(built, state, workspace).map_err(failed)?;
        if !impulsive {
            let struck = struck(description, built, &given, &state.velocities);
            events.extend(struck.map(|(beam, change)| {
                let name = &description.beams[beam].name;
                let text = format!(
                    "warning: drivers set {name} in motion at once, by up to {change:.2e} m/s: a blow that lets it \
                     ring; let drivers begin at rest (ramp, cycloid, velocity_ramp), or give [initial] velocities"
                );
                (0.0, text)
            }));
        }
        let failed = |cause| explain(description, "accelerations at the start", cause);
        if impulsive {
            dynamics::initialize(&built.model, state, workspace, &AtRest(&built.drive))
        } else {
            dynamics::initialize(&built.model, state, workspace, &built.drive)
        }
        .map_err(failed)?;
        let description = &self.description;
        self.turns.start(|spot| start_angle(description, spot));
        self.turns.follow(&self.built, &self.state);
        self.note();
        Ok(())
    }

    /// Goes on with the joints marked `active`.
    fn change_model(&mut self, active: Vec<bool>) -> Result<()> {
        let mut new: Built<G, N, D> = build::build(&self.description, &active, &[])?;
        for (channel, history) in &self.overrides {
            new.drive.0[*channel] = history.clone();
        }
        let mut state = State::new(&new.model);
        state.time = self.state.time;
        state.poses.copy_from_slice(&self.state.poses);
        state.velocities.copy_from_slice(&self.state.velocities);
        state.inputs = self.state.inputs.clone();
        for (old, id) in self.built.joints.iter().zip(&new.joints) {
            if let (Some(old), Some(id)) = (old, id) {
                state.angles[id.index()] = self.state.angles[old.index()];
            }
        }
        state.ledger = self.state.ledger;
        self.workspace = Workspace::new(&new.model);
        self.built = new;
        self.state = state;
        self.seen = None;
        self.active = active;
        Ok(())
    }

    /// Closes and opens joints during a run, eq. (1).
    fn switch(&mut self, active: Vec<bool>) -> Result<()> {
        let time = self.state.time;
        for (joint, (was, is)) in
            (self.description.joints.iter()).zip(self.active.iter().zip(&active))
        {
            if was != is {
                let what = if *is { "closes" } else { "opens" };
                self.events.push((time, format!("{} {what}", joint.name)));
            }
        }
        let description = Arc::clone(&self.description);
        let failed = MechanismError::computing("switching joints");
        let before = energy::energies(&self.built.model, &self.state).map_err(&failed)?;
        self.change_model(active)?;
        let Self {
            built,
            state,
            workspace,
            ..
        } = self;
        let model = &built.model;
        let projection = Projection {
            weight: ProjectionWeight::Mass,
            held: Vec::new(),
        };
        let wrong = |cause| explain(&description, "closing and opening joints", cause);
        dynamics::project_positions(model, state, workspace, &projection).map_err(wrong)?;
        project_velocities(built, state, workspace).map_err(wrong)?;
        let mut ledger = state.ledger;
        dynamics::initialize(model, state, workspace, &built.drive).map_err(wrong)?;
        let after = energy::energies(model, state).map_err(&failed)?;
        ledger.dissipated += before.mechanical() - after.mechanical();
        ledger.powers = state.ledger.powers;
        state.ledger = ledger;
        self.see();
        Ok(())
    }

    /// Notes the energies.
    fn note(&mut self) {
        let Ok(now) = energy::energies(&self.built.model, &self.state) else {
            return;
        };
        let ledger = &self.state.ledger;
        self.watch.energies(
            self.state.time,
            &Books {
                kinetic: now.kinetic,
                potentials: &[now.strain, now.springs, now.gravity],
                work: &[ledger.work_in],
                lost: &[ledger.dissipated],
                residual: ledger.residual(&now),
            },
        );
    }

    /// Says once of each reduced body that it bends beyond what its shapes describe.
    fn watch_bending(&mut self) {
        for (number, body) in self.built.reduced.iter().enumerate() {
            if self.bent[number] {
                continue;
            }
            let model = &self.built.model;
            let [zeta, ..] = multibody::results::reduced_coordinates(model, &self.state, body.id);
            let share = body.result.largest_share(&zeta);
            if share > MOST_BENDING {
                self.bent[number] = true;
                let text = format!(
                    "warning: {} bends by more than {:.0} % of its size, which shapes of small \
                     deformations do not describe; use the full beams",
                    body.part.name,
                    100.0 * MOST_BENDING
                );
                self.events.push((self.state.time, text));
            }
        }
    }

    /// The next time at which a joint closes or opens by the clock.
    fn next_switch(&self, until: f64) -> Option<f64> {
        let times = self
            .description
            .joints
            .iter()
            .flat_map(|joint| [joint.presence.closes, joint.presence.opens]);
        let later = times
            .flatten()
            .filter(|t| *t > self.state.time && *t <= until);
        later.reduce(f64::min)
    }

    /// Goes on to `end` [s].
    pub fn advance(&mut self, end: f64) -> Result<()> {
        if !self.corrected {
            self.correct()?;
        }
        while self.state.time < end {
            let switch = self.next_switch(end);
            let until = switch.unwrap_or(end);
            self.advance_watching(until)?;
            if switch.is_some() {
                let time = self.state.time;
                let active = self.active.clone();
                let new: Vec<bool> = (self.description.joints.iter().zip(active))
                    .map(|(joint, was)| {
                        let timed = joint.presence.closes.is_some_and(|t| t == time)
                            || joint.presence.opens.is_some_and(|t| t == time);
                        if timed { present(joint, time) } else { was }
                    })
                    .collect();
                if new != self.active {
                    self.switch(new)?;
                }
            }
        }
        Ok(())
    }

    /// The formulas that may close or open a joint now: joint, whether it closes, formula.
    fn conditions<'d>(&self, description: &'d Description) -> Vec<(usize, bool, &'d OutputPart)> {
        let mut out = Vec::new();
        for (i, joint) in description.joints.iter().enumerate() {
            if let (false, Some(when)) = (self.active[i], &joint.presence.closes_when) {
                out.push((i, true, when));
            }
            if let (true, Some(when)) = (self.active[i], &joint.presence.opens_when) {
                out.push((i, false, when));
            }
        }
        out
    }

    /// Goes on to `end` [s]; where a condition becomes true, joints close or open.
    fn advance_watching(&mut self, end: f64) -> Result<()> {
        let description = &*Arc::clone(&self.description);
        while self.state.time < end {
            let conditions = self.conditions(description);
            let frictions = self.description.frictions.len();
            let none = conditions.is_empty() && self.description.impacts.is_empty();
            let contacts = self.description.contacts.len();
            let stops = self.located_stops();
            if none && frictions == 0 && contacts == 0 && stops == 0 {
                self.steps(end)?;
                self.note();
                return Ok(());
            }
            if self.seen.is_none() {
                self.see();
            }
            self.update_loads();
            self.start_stops();
            let resting: Vec<f64> = (0..frictions).map(|i| self.friction_event(i)).collect();
            let start = self.state.clone();
            let turns = self.turns.clone();
            let before: Vec<f64> = conditions.iter().map(|c| self.value(c.2)).collect();
            let apart: Vec<f64> = (0..contacts).map(|i| self.contact_event(i)).collect();
            let before_stops: Vec<f64> = (0..stops).map(|i| self.stop_event(i)).collect();
            let step = self.step_in_contact();
            let mut until = (start.time + step).min(end);
            if end - until < 1e-9 * step {
                until = end;
            }
            self.steps(until)?;
            let fired = |sim: &Self| {
                let condition = (conditions.iter().zip(&before))
                    .position(|(c, before)| *before <= 0.0 && sim.value(c.2) > 0.0);
                let slips = || {
                    let now = |i: &usize| resting[*i] <= 0.0 && sim.friction_event(*i) > 0.0;
                    (0..frictions).find(now)
                };
                condition
                    .map(Fired::Condition)
                    .or(sim.hit().map(Fired::Impact))
                    .or_else(|| slips().map(Fired::Friction))
                    .or_else(|| {
                        let now = |i: &usize| apart[*i] <= 0.0 && sim.contact_event(*i) > 0.0;
                        (0..contacts).find(now).map(Fired::Contact)
                    })
                    .or_else(|| {
                        let now = |i: &usize| before_stops[*i] <= 0.0 && sim.stop_event(*i) > 0.0;
                        (0..stops).find(now).map(Fired::Stop)
                    })
            };
            let Some(first) = fired(self) else {
                self.note();
                continue;
            };
            // What overlaps from before, after a weak rebound, is not looked for further back.
            if let Fired::Impact(which) = first {
                let now = self.state.clone();
                self.state.copy_from(&start);
                let overlaps = self.gap(which).0 <= 0.0;
                self.state.copy_from(&now);
                if overlaps {
                    self.note();
                    self.impact(which)?;
                    continue;
                }
            }
            // Halving finds the time to within rounding of the step.
            let (mut low, mut high) = (start.time, until);
            while high - low > 1e-10 * step {
                let middle = 0.5 * (low + high);
                // No number is left between them.
                if middle <= low || middle >= high {
                    break;
                }
                self.state.copy_from(&start);
                self.turns = turns.clone();
                self.steps(middle)?;
                if fired(self).is_some() {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            self.state.copy_from(&start);
            self.turns = turns;
            self.steps(high)?;
            self.note();
            match fired(self) {
                Some(Fired::Condition(which)) => {
                    let (joint, closes, _) = conditions[which];
                    let mut active = self.active.clone();
                    active[joint] = closes;
                    self.switch(active)?;
                }
                Some(Fired::Impact(which)) => self.impact(which)?,
                Some(Fired::Friction(which)) => self.change_regime(which)?,
                Some(Fired::Contact(which)) => self.change_contact(which)?,
                Some(Fired::Stop(which)) => self.change_stop(which)?,
                None => {}
            }
        }
        Ok(())
    }

    /// Gap of an impact and its rate [m, m/s].
    fn gap(&self, impact: usize) -> (f64, f64) {
        let (model, state) = (&self.built.model, &self.state);
        let coordinate = &self.built.impacts[impact];
        let (value, rate) = multibody::results::coordinate(model, state, coordinate);
        (value - self.description.impacts[impact].limit, rate)
    }

    /// The first pair that overlaps and comes closer.
    fn hit(&self) -> Option<usize> {
        (0..self.built.impacts.len()).find(|&impact| {
            let (gap, rate) = self.gap(impact);
            gap < 0.0 && rate < 0.0
        })
    }

    /// Lets a pair hit, eq. (2), together with all pairs that touch and come closer.
    fn impact(&mut self, first: usize) -> Result<()> {
        self.impacts += 1;
        if self.impacts > MOST_IMPACTS {
            return Err(MechanismError::Mechanism {
                file: self.description.file.clone(),
                problem: format!("more than {MOST_IMPACTS} impacts"),
                remedy: "bodies that come to rest on each other need a [[stop]] instead".to_owned(),
            });
        }
        let failed = MechanismError::computing("impact");
        let scale = self.built.model.length_scale();
        let touching: Vec<usize> = (0..self.built.impacts.len())
            .filter(|&impact| {
                let (gap, rate) = self.gap(impact);
                impact == first || (gap <= 1e-9 * scale && rate < 0.0)
            })
            .collect();
        let before = energy::energies(&self.built.model, &self.state).map_err(&failed)?;
        let speed = self.gap(first).1;
        let touched: Built<G, N, D> = build::build(&self.description, &self.active, &touching)?;
        let mut state = State::new(&touched.model);
        state.poses.copy_from_slice(&self.state.poses);
        state.velocities.copy_from_slice(&self.state.velocities);
        state.inputs = self.state.inputs.clone();
        for &index in &touching {
            let impact = &self.description.impacts[index];
            if let JointPartKind::Distance(channel) | JointPartKind::Slide(channel) = impact.kind {
                state.inputs.rate[channel] = -impact.restitution * self.gap(index).1; // (2)
            }
        }
        let mut workspace = Workspace::new(&touched.model);
        let mass = Projection {
            weight: ProjectionWeight::Mass,
            held: Vec::new(),
        };
        dynamics::project_velocities(&touched.model, &mut state, &mut workspace, &mass)
            .map_err(&failed)?;
        self.state.velocities.copy_from_slice(&state.velocities);
        let mut ledger = self.state.ledger;
        let Self {
            built,
            state,
            workspace,
            ..
        } = self;
        dynamics::initialize(&built.model, state, workspace, &built.drive).map_err(&failed)?;
        let after = energy::energies(&built.model, state).map_err(&failed)?;
        ledger.dissipated += before.mechanical() - after.mechanical();
        ledger.powers = state.ledger.powers;
        state.ledger = ledger;
        let name = &self.description.impacts[first].name;
        let text = format!("{name} hits with {:.9} m/s", -speed);
        self.events.push((self.state.time, text));
        self.see();
        Ok(())
    }

    /// Steps to `end` [s] without events of joints. Energies are noted by the caller, since a step that an
    /// event cuts short is taken back.
    fn steps(&mut self, end: f64) -> Result<()> {
        let Self {
            built,
            state,
            workspace,
            turns,
            settings,
            control,
            ..
        } = self;
        let stepping = Stepping::new(control, settings);
        let mut watch = |state: &State<G, N>| turns.follow(built, state);
        let done = dynamics::advance_watched(
            &built.model,
            state,
            workspace,
            &built.drive,
            end,
            &stepping,
            &mut watch,
        )
        .map_err(MechanismError::computing("steps"))?;
        self.totals.steps += done.steps;
        self.totals.rejected += done.rejected;
        self.totals.iterations += done.iterations;
        self.totals.at_floor += done.at_floor;
        if let Control::Adaptive { first, .. } = &mut self.control {
            *first = done.next_step;
        }
        self.watch.steps_at_floor(self.state.time, done.at_floor);
        self.watch_bending();
        self.see();
        Ok(())
    }

    fn value(&self, part: &OutputPart) -> f64 {
        quantity::output(&self.built, self.balanced(), &self.turns, part)
    }

    /// The outputs now, in the order of the file, with the accelerations and reactions that the state has.
    pub fn outputs(&self) -> Vec<f64> {
        self.outputs_of(&self.state)
    }

    fn outputs_of(&self, state: &State<G, N>) -> Vec<f64> {
        (self.description.outputs.iter())
            .map(|part| quantity::output(&self.built, state, &self.turns, part))
            .collect()
    }

    /// The same in the course of a run: accelerations and reactions are those of the places, velocities
    /// and inputs now ([`dynamics::balance`]).
    pub fn row(&mut self) -> Vec<f64> {
        // The row of places as given is that of these places.
        let reads = (self.description.outputs.iter()).any(OutputPart::reads_forces);
        if !reads || !self.corrected {
            return self.outputs();
        }
        match self.balance() {
            Some(state) => self.outputs_of(&state),
            None => self.outputs(),
        }
    }

    /// The state with accelerations and reactions of its places and velocities; none in a singular place.
    ///
    /// Steps keep the constraints of places, so for this look velocities are made to fulfil theirs as well.
    /// Of rigid bodies accelerations and reactions follow from that alone. Flexible ones vibrate faster than
    /// the step follows: their exact accelerations would show what is left of that, so parts too stiff for
    /// the step move along as if they were rigid ([`jumps::make_consistent`]).
    fn balance(&mut self) -> Option<State<G, N>> {
        let Self {
            built,
            workspace,
            settings,
            description,
            state: own,
            ..
        } = self;
        let mut state = own.clone();
        let done = if description.beams.is_empty() && description.reduced.is_empty() {
            if project_velocities(built, &mut state, workspace).is_err() {
                state.velocities.copy_from_slice(&own.velocities);
            }
            dynamics::balance(&built.model, &mut state, workspace)
        } else {
            let step = description.analysis.step;
            jumps::make_consistent(&built.model, &mut state, workspace, step, settings)
        };
        state.velocities.copy_from_slice(&own.velocities);
        state.ledger = own.ledger;
        done.is_ok().then_some(state)
    }

    /// Looks at the reactions now, if friction or conditions read them.
    fn see(&mut self) {
        self.seen = if self.reads_forces {
            self.balance()
        } else {
            None
        };
    }

    /// The state, with reactions as seen last.
    fn balanced(&self) -> &State<G, N> {
        self.seen.as_ref().unwrap_or(&self.state)
    }

    /// What a page shows of the state.
    pub fn snapshot(&self, lines: &[crate::picture::Line]) -> crate::simulate::Snapshot {
        let (model, state) = (&self.built.model, &self.state);
        let now = energy::energies(model, state).unwrap_or_default();
        let ledger = &state.ledger;
        crate::simulate::Snapshot {
            time: state.time,
            lines: crate::picture::points(&self.built, state, lines),
            energies: [
                now.kinetic,
                now.strain,
                now.springs,
                now.gravity,
                ledger.work_in,
                ledger.dissipated,
                ledger.residual(&now),
            ],
        }
    }

    /// Counts the turns of attitudes on to those of the state.
    pub fn follow(&mut self) {
        self.turns.follow(&self.built, &self.state);
    }

    /// Whether the run can be believed so far.
    pub fn soundness(&self) -> Soundness {
        self.watch.soundness()
    }

    /// Share of the energy that moved which the ledger misses.
    pub fn missing_share(&self) -> f64 {
        self.watch.missing_share()
    }

    /// Largest violation of a joint now [m or 1].
    pub fn largest_gap(&self) -> f64 {
        multibody::results::largest_gap(&self.built.model, &self.state)
    }

    /// Scratch memory, for analyses of the state.
    pub fn parts(&mut self) -> (&Built<G, N, D>, &mut State<G, N>, &mut Workspace<G, N>) {
        (&self.built, &mut self.state, &mut self.workspace)
    }
}

/// Attitude of a place in the plane at the start, as the file gives it.
fn start_angle(description: &Description, spot: &Spot) -> f64 {
    let angle = |rotation: &nalgebra::Matrix3<f64>| {
        multibody::math::atan2(rotation[(1, 0)], rotation[(0, 0)])
    };
    let host = match spot.host {
        Host::Body(i) => description.bodies[i].angle,
        _ => 0.0,
    };
    host + angle(&spot.pose.rotation)
}

/// The beam whose velocities the start changed most, and by how much [m/s], if that is more than rounding.
fn struck<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
    built: &Built<G, N, D>,
    before: &[SVector<f64, N>],
    after: &[SVector<f64, N>],
) -> Option<(usize, f64)> {
    let linear = |v: &SVector<f64, N>| v.fixed_rows::<D>(0).norm();
    let fastest = after.iter().map(linear).fold(0.0, f64::max);
    let mut worst = None;
    for (number, beam) in built.beams.iter().enumerate() {
        let Some(beam) = *beam else { continue };
        for node in 0..=description.beams[number].elements {
            let node = built.model.beam_node(beam, node).index();
            let change = linear(&(after[node] - before[node]));
            if change > 1e-6 * fastest && worst.is_none_or(|(_, most)| change > most) {
                worst = Some((number, change));
            }
        }
    }
    worst
}

fn project_velocities<G: Space<N, D>, const N: usize, const D: usize>(
    built: &Built<G, N, D>,
    state: &mut State<G, N>,
    workspace: &mut Workspace<G, N>,
) -> multibody::Result<()> {
    let by = |weight| Projection {
        weight,
        held: Vec::new(),
    };
    let before = state.velocities.clone();
    let mass = by(ProjectionWeight::Mass);
    dynamics::project_velocities(&built.model, state, workspace, &mass).or_else(|_| {
        // Parts without mass: the least change of velocities instead.
        state.velocities.copy_from_slice(&before);
        let identity = by(ProjectionWeight::Identity);
        dynamics::project_velocities(&built.model, state, workspace, &identity)
    })
}

/// An error of the start, in terms of the mechanism.
pub(crate) fn explain(
    description: &Description,
    what: &'static str,
    cause: multibody::Error,
) -> MechanismError {
    let remedy = match &cause {
        multibody::Error::Singular { .. } => {
            "the joint named repeats what others prescribe already (redundant), or the mechanism can \
             move freely there; remove a joint or driver, choose a kind with fewer constraints, or \
             move it out of the singular place"
        }
        multibody::Error::NewtonDiverged { .. } | multibody::Error::Inconsistent { .. } => {
            "the joint named cannot close from the given places: check positions, lengths and \
             points, and whether the parts can reach each other"
        }
        _ => return MechanismError::Computation { what, cause },
    };
    MechanismError::Mechanism {
        file: description.file.clone(),
        problem: format!("{what}: {cause}"),
        remedy: remedy.to_owned(),
    }
}
