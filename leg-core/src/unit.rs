//! A leg moved from outside, one communication step at a time.
//!
//! Over a step of length H that starts at t₀, with s = t − t₀, every channel of the model follows
//! a cubic: a force or target the Taylor polynomial of its input, a prescribed motion the Hermite
//! curve from where it is to where its input wants it to be at the end,
//!
//! ```text
//! u(s) = u₀ + u̇₀ s + ½ ü₀ s² + ⅙ u⃛₀ s³                                         (1)
//! p(s) = p₀ + v₀ s + (3Δ/H − 2v₀ − v₁) s²/H + (v₀ + v₁ − 2Δ/H) s³/H²            (2)
//! ```
//!
//! with Δ = p₁ − p₀. The step is divided evenly into steps of the leg's own solver. A step that
//! fails leaves the unit as it was. Forces and targets may jump where steps meet, and the motion goes
//! on consistently behind them (`multibody::dynamics::jumps`); where a communication step takes several
//! steps, accelerations jump with those of the curve, too: a single one knows its end only.
//!
//! A unit counts time from its own start, and every communication step from that step's: what a
//! master calls its time is no concern of the mechanics. A communication step far shorter than a step
//! of the solver comes from rounding of the master's clock. It moves the unit's time only; the
//! mechanics catch up with the next one.
//!
//! Communication steps may vary at will, steps of the solver may not. In directions that are
//! constrained, or too stiff for the step, x = 0 at the end of every step, and with b = h a the
//! scheme reduces to
//!
//! ```text
//! b' = −(v + (½ − β) b)/β,   v' = v + (1 − γ) b + γ b'                           (3)
//! ```
//!
//! with the double eigenvalue −ρ∞. A step longer by a factor σ multiplies b by σ, one shorter turns
//! the v that the last one left into an acceleration of v/(βh). Short steps and long ones in turn,
//! of 30 and 850 μs in every millisecond, amplify more than ρ∞ⁿ damps: the error grows without limit. So
//! steps of the solver at most double from one to the next: a communication step that is much longer
//! than the last step begins with small ones. One that is much shorter begins with velocities and
//! accelerations that fulfil the hidden constraints, so that v = 0 in (3).
//!
//! Everything that changes is in the memory of the unit, which can be saved, restored and turned
//! into plain numbers: equal memories and equal inputs give equal bits afterwards.

use super::LegError;
use super::config::Solver;
use super::series::{Recording, Series};
use super::simulate::{control, stalled, step_settings};
use super::unit_derivative::Sensitivity;
use core::fmt::Debug;
use core::ops::Range;
use multibody::dynamics::{
    Advance, Control, GROWTH, StepSettings, Stepping, advance_watched, grid, jumps,
};
use multibody::error::require;
use multibody::group::Group;
use multibody::model::{Drive, ForceId, Inputs, Model, NodeId};
use multibody::results;
use multibody::state::State;
use multibody::workspace::Workspace;
use std::sync::Arc;

/// Longest chord of a leaf that is computed, against its length: ten times the axial strain up to which
/// a result is sound.
const LONGEST_CHORD: f64 = 1.01;
/// Highest derivative of an input.
pub const INPUT_ORDER: usize = 3;
/// Most steps of the solver in one communication step: more is taken for a mistake.
pub const MOST_STEPS: f64 = 1e7;

/// A communication step shorter than this fraction of the last step of the solver begins with
/// consistent velocities and accelerations.
const SHORT_STEP: f64 = 0.1;
/// The same with a spectral radius above [`DAMPS_UNEVEN_STEPS`].
const SHORT_UNDAMPED_STEP: f64 = 0.9;
/// Largest spectral radius ρ∞ at which (3) dies out fast enough behind every step that is shorter than
/// the last. At ρ∞ = 1 it never does: forces grow with the number of uneven steps.
const DAMPS_UNEVEN_STEPS: f64 = 0.95;

/// An input over a communication step: its value and derivatives at the start, eq. (1).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Input {
    /// Value.
    pub value: f64,
    derivatives: [f64; INPUT_ORDER],
    order: usize,
}

impl Input {
    /// An input that does not change.
    pub fn constant(value: f64) -> Self {
        Self {
            value,
            ..Self::default()
        }
    }

    /// Gives the derivative of this order, 1 to [`INPUT_ORDER`]; another order is ignored.
    pub fn set_derivative(&mut self, order: usize, value: f64) {
        if (1..=INPUT_ORDER).contains(&order) {
            self.derivatives[order - 1] = value;
            self.order = self.order.max(order);
        }
    }

    /// The derivatives of order 1 to [`INPUT_ORDER`].
    pub fn derivatives(&self) -> [f64; INPUT_ORDER] {
        self.derivatives
    }

    /// Highest order given; zero for an input that does not change.
    pub fn order(&self) -> usize {
        self.order
    }

    /// An input with these derivatives, of which the first `order` were given.
    pub fn from_parts(value: f64, derivatives: [f64; INPUT_ORDER], order: usize) -> Self {
        Self {
            value,
            derivatives,
            order: order.min(INPUT_ORDER),
        }
    }

    /// Eq. (1).
    pub(super) fn taylor(&self) -> Cubic {
        let [first, second, third] = self.derivatives;
        Cubic([self.value, first, 0.5 * second, third / 6.0])
    }

    /// The polynomial of a step that starts `by` seconds earlier, and has the same values.
    fn earlier(&self, by: f64) -> Self {
        let [c0, c1, c2, c3] = self.taylor().0;
        let value = c0 - by * (c1 - by * (c2 - by * c3));
        let first = c1 - by * (2.0 * c2 - by * (3.0 * c3));
        let derivatives = [first, 2.0 * c2 - 6.0 * by * c3, 6.0 * c3];
        Self {
            value,
            derivatives,
            order: self.order,
        }
    }

    /// Stays where its polynomial ends: derivatives belong to the step they were given for.
    fn settle(&mut self, length: f64) {
        if self.order > 0 {
            *self = Self::constant(self.taylor().sample(length).0);
        }
    }
}

/// A cubic in the time since the start of the step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cubic(pub(super) [f64; 4]);

impl Cubic {
    pub(super) fn constant(value: f64) -> Self {
        Self([value, 0.0, 0.0, 0.0])
    }

    /// Eq. (2): from `(value, rate)` to `(value, rate)` over `length` seconds.
    pub(super) fn hermite(from: (f64, f64), to: (f64, f64), length: f64) -> Self {
        let ((p0, v0), (p1, v1)) = (from, to);
        let mean = (p1 - p0) / length;
        let square = (3.0 * mean - 2.0 * v0 - v1) / length;
        let cube = (v0 + v1 - 2.0 * mean) / (length * length);
        Self([p0, v0, square, cube])
    }

    pub(super) fn shifted(mut self, by: f64) -> Self {
        self.0[0] += by;
        self
    }

    /// Value, rate and acceleration at the start.
    pub(super) fn start(&self) -> (f64, f64, f64) {
        let [c0, c1, c2, _] = self.0;
        (c0, c1, 2.0 * c2)
    }

    /// Value, rate and acceleration `s` seconds after the start.
    pub(super) fn sample(&self, s: f64) -> (f64, f64, f64) {
        let [c0, c1, c2, c3] = self.0;
        (
            c0 + s * (c1 + s * (c2 + s * c3)),
            c1 + s * (2.0 * c2 + s * (3.0 * c3)),
            2.0 * c2 + s * (6.0 * c3),
        )
    }
}

/// All channels over a step, whose start is t = 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Curves<'a>(pub &'a [Cubic]);

impl Drive for Curves<'_> {
    fn sample(&self, time: f64, inputs: &mut Inputs) {
        for (i, cubic) in self.0.iter().enumerate().take(inputs.value.len()) {
            let (value, rate, acceleration) = cubic.sample(time);
            inputs.value[i] = value;
            inputs.rate[i] = rate;
            inputs.acceleration[i] = acceleration;
        }
    }
}

/// Outputs that are computed together; they follow one another in the list of outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputGroup {
    /// Angles, lengths and their rates.
    Motion,
    /// Forces and torques.
    Force,
    /// The shape of the leaf.
    Shape,
    /// Energies and the ledger.
    Energy,
    /// Largest strains and the largest violation of a joint: for a look, without derivatives.
    Diagnostic,
    /// How the force of the tip went over the last step.
    Course,
    /// What the leg does to a base that moves.
    Base,
}

impl OutputGroup {
    /// All groups, in the order of the outputs.
    pub const ALL: [Self; 7] = [
        Self::Motion,
        Self::Force,
        Self::Shape,
        Self::Energy,
        Self::Diagnostic,
        Self::Course,
        Self::Base,
    ];
}

/// What a leg was built from besides its configuration: the equilibrium it starts from.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Origin {
    /// Crank angle [rad].
    pub q1: f64,
    /// Angle of the upper link [rad]; planar leg only.
    pub q3: f64,
    /// Angles of crank and upper link from which targets count and at which they are locked [rad].
    pub held: [f64; 2],
    /// Tip [m]; spatial leg only.
    pub tip: [f64; 3],
    /// False where nobody supplies the tip's velocity at the end of a step, which is then the mean
    /// velocity of the step; spatial leg only.
    pub tip_velocity_given: bool,
    /// True for a leg whose base is moved by inputs; spatial leg only.
    pub base_moves: bool,
    /// Rest length of the tendon [m].
    pub rest_length: Option<f64>,
    /// Distance A to B when pre-tensioned [m].
    pub chord: f64,
    /// Tendon tension when pre-tensioned [N].
    pub tension: f64,
    /// Thrust of the leaf along AB when pre-tensioned [N].
    pub thrust: f64,
}

/// What a unit needs to know of a leg.
pub trait UnitLeg<G: Group<N, D>, const N: usize, const D: usize>:
    Debug + Clone + Send + Sync + 'static
{
    /// Its configuration.
    type Config: Clone + Debug;
    /// Number of inputs.
    const INPUTS: usize;

    /// Where the outputs of a group are in the list of outputs.
    fn outputs(group: OutputGroup) -> Range<usize>;

    /// The model.
    fn model(&self) -> &Model<G, N, D>;

    /// Time stepping.
    fn solver(&self) -> &Solver;

    /// The tendon.
    fn tendon(&self) -> Option<ForceId>;

    /// First and last node of the leaf, and its length [m].
    fn leaf(&self) -> ([NodeId; 2], f64);

    /// The leg that was built from this configuration and origin.
    fn rebuild(config: &Self::Config, origin: &Origin) -> Result<Self, LegError>;

    /// Curves of all channels over a step of `length` [s] that starts at `state`.
    fn curves(
        &self,
        origin: &Origin,
        inputs: &[Input],
        state: &State<G, N>,
        length: f64,
        out: &mut [Cubic],
    );

    /// How the curves change with the value of one input: channels and the changes per unit.
    fn curve_changes(
        &self,
        origin: &Origin,
        inputs: &[Input],
        input: usize,
        length: f64,
        out: &mut Vec<(usize, Cubic)>,
    );

    /// Force on what holds the tip, whose course over a step is told; zero where nothing does.
    fn port_force(&self, _state: &State<G, N>) -> [f64; 3] {
        [0.0; 3]
    }

    /// The angle that is counted over full turns without a joint to count it, near `near` [rad].
    fn counted_angle(&self, _state: &State<G, N>, near: f64) -> f64 {
        near
    }

    /// Writes the outputs of a group at `state`, but for those of [`OutputGroup::Course`]; `near` as
    /// in [`UnitLeg::counted_angle`].
    fn evaluate(
        &self,
        group: OutputGroup,
        state: &State<G, N>,
        near: f64,
        out: &mut [f64],
    ) -> Result<(), LegError>;
}

/// A leg with its origin: never changes.
#[derive(Debug)]
pub(super) struct Built<L> {
    pub leg: L,
    pub origin: Origin,
}

/// Everything of a unit that changes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Memory<G, const N: usize> {
    /// The state; its time counts from the start of the last step.
    pub state: State<G, N>,
    /// The state at the start of the last step, with time zero.
    pub previous: State<G, N>,
    /// Time since the unit's start [s].
    pub elapsed: f64,
    /// Part of that time which the state has still to catch up with [s].
    pub pending: f64,
    pub inputs: Vec<Input>,
    /// The inputs of the last step.
    pub last_inputs: Vec<Input>,
    /// The angle counted over full turns, at the start of the last step.
    pub near: f64,
    /// What the last step did.
    pub last: Advance,
    /// Where the solver's steps go on in the last communication step and in the next one [s]: the first
    /// step of an adaptive solver, the last step of one with fixed steps.
    pub first_steps: [f64; 2],
    /// Whether there was a last step.
    pub stepped: bool,
    /// How the force of the tip went over it.
    pub series: Series,
}

impl<G: Copy, const N: usize> Memory<G, N> {
    pub(super) fn new(state: State<G, N>, inputs: Vec<Input>, near: f64, first: f64) -> Self {
        Self {
            previous: state.clone(),
            state,
            elapsed: 0.0,
            pending: 0.0,
            last_inputs: inputs.clone(),
            inputs,
            near,
            last: Advance::default(),
            first_steps: [first; 2],
            stepped: false,
            series: Series::default(),
        }
    }

    fn copy_from(&mut self, other: &Self) {
        self.state.copy_from(&other.state);
        self.previous.copy_from(&other.previous);
        self.elapsed = other.elapsed;
        self.pending = other.pending;
        self.inputs.copy_from_slice(&other.inputs);
        self.last_inputs.copy_from_slice(&other.last_inputs);
        self.near = other.near;
        self.last = other.last;
        self.first_steps = other.first_steps;
        self.stepped = other.stepped;
        self.series = other.series;
    }
}

/// A saved unit. Saving into it again allocates nothing.
#[derive(Debug, Clone)]
pub struct Saved<L, G, const N: usize> {
    pub(super) built: Arc<Built<L>>,
    pub(super) memory: Memory<G, N>,
}

/// A leg in the hands of a master: see the module's documentation.
#[derive(Debug, Clone)]
pub struct LegUnit<L, G, const N: usize, const D: usize> {
    pub(super) built: Arc<Built<L>>,
    pub(super) memory: Memory<G, N>,
    /// The state at the start of the step under way.
    backup: State<G, N>,
    /// The inputs of the step under way, from where the mechanics are.
    late_inputs: Vec<Input>,
    pub(super) scratch: State<G, N>,
    pub(super) workspace: Box<Workspace<G, N>>,
    pub(super) settings: StepSettings,
    pub(super) curves: Vec<Cubic>,
    pub(super) sensitivity: Sensitivity<N>,
}

impl<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize> LegUnit<L, G, N, D> {
    /// A unit at the start of its first step.
    #[inline(never)]
    pub(super) fn from_start(
        leg: L,
        origin: Origin,
        state: State<G, N>,
        inputs: &[f64],
        near: f64,
    ) -> Self {
        let first = match control(leg.solver()) {
            Control::Fixed { step, .. } => step,
            Control::Adaptive { first, .. } => first,
        };
        let inputs = inputs.iter().map(|&value| Input::constant(value)).collect();
        let series = Series::constant(leg.port_force(&state));
        let mut memory = Memory::new(state, inputs, near, first);
        memory.series = series;
        let built = Arc::new(Built { leg, origin });
        Self::from_saved(&Saved { built, memory })
    }

    /// A unit in the saved state.
    #[inline(never)]
    pub fn from_saved(saved: &Saved<L, G, N>) -> Self {
        let built = Arc::clone(&saved.built);
        let (model, memory) = (built.leg.model(), saved.memory.clone());
        Self {
            backup: memory.state.clone(),
            late_inputs: memory.inputs.clone(),
            scratch: memory.state.clone(),
            workspace: Box::new(Workspace::new(model)),
            settings: step_settings(built.leg.solver()),
            curves: vec![Cubic::default(); model.input_count()],
            sensitivity: Sensitivity::default(),
            memory,
            built,
        }
    }

    /// The leg.
    pub fn leg(&self) -> &L {
        &self.built.leg
    }

    /// The equilibrium it started from.
    pub fn origin(&self) -> &Origin {
        &self.built.origin
    }

    /// Its state at the end of the last step.
    pub fn state(&self) -> &State<G, N> {
        &self.memory.state
    }

    /// How the force of the tip went over the last step.
    pub fn port_force_series(&self) -> &Series {
        &self.memory.series
    }

    /// Time since its start [s].
    pub fn time(&self) -> f64 {
        self.memory.elapsed
    }

    /// What the last step did.
    pub fn last_step(&self) -> Advance {
        self.memory.last
    }

    /// Number of outputs.
    pub fn output_count() -> usize {
        let ends = OutputGroup::ALL.map(|group| L::outputs(group).end);
        ends.into_iter().max().unwrap_or(0)
    }

    /// The inputs.
    pub fn inputs(&self) -> &[Input] {
        &self.memory.inputs
    }

    /// The inputs, to be set for the next step.
    pub fn inputs_mut(&mut self) -> &mut [Input] {
        &mut self.memory.inputs
    }

    /// Moves on by `length` [s]. On an error the unit is as it was.
    pub fn advance_by(&mut self, length: f64) -> Result<Advance, LegError> {
        let leg = &self.built.leg;
        let owner = "communication step";
        require(length > 0.0, owner, "length", length, "> 0 s")?;
        let span = self.memory.pending + length;
        let steps = span / leg.solver().step_s;
        require(
            steps <= MOST_STEPS,
            owner,
            "number of solver steps",
            steps,
            "at most 1e7",
        )?;
        if steps < grid::SLIVER {
            self.wait(length);
            return Ok(Advance {
                next_step: self.memory.first_steps[1],
                ..Advance::default()
            });
        }
        self.sensitivity.forget();
        let last_span = core::mem::replace(&mut self.memory.state.time, 0.0);
        self.backup.copy_from(&self.memory.state);
        let shorter = self.steps_become_shorter(span);
        let near = leg.counted_angle(&self.memory.state, self.memory.near);
        // What inputs do is said from the start of this communication step; the curves begin where
        // the mechanics are.
        let pending = self.memory.pending;
        for (late, input) in self.late_inputs.iter_mut().zip(&self.memory.inputs) {
            *late = if pending > 0.0 {
                input.earlier(pending)
            } else {
                *input
            };
        }
        let done = if shorter {
            self.begin(span).and_then(|()| self.travel(span))
        } else {
            self.travel(span)
        };
        match done.and_then(|done| self.check_reach().map(|()| done)) {
            Ok((done, series, last_step)) => {
                if shorter {
                    self.backup.copy_from(&self.scratch);
                }
                self.memory.near = near;
                self.memory.series = series;
                self.settle(length, done, last_step);
                Ok(done)
            }
            Err(error) => {
                self.memory.state.copy_from(&self.backup);
                self.memory.state.time = last_span;
                Err(error)
            }
        }
    }

    /// Refuses a leaf whose ends are farther apart than it is long: its law is not meant for that.
    fn check_reach(&self) -> Result<(), LegError> {
        let ([a, b], length) = self.built.leg.leaf();
        let place = |node| self.memory.state.pose(node).translation();
        let chord = (place(b) - place(a)).norm();
        if chord <= LONGEST_CHORD * length {
            return Ok(());
        }
        // NaN, too.
        Err(LegError::ImpossibleChord {
            chord_m: chord,
            shortest_m: 0.0,
            longest_m: length,
            reason: "it is longer than the leaf, which does not stretch",
        })
    }

    /// Whether a communication step of `span` [s] is far shorter than the last step.
    fn steps_become_shorter(&self, span: f64) -> bool {
        let Memory {
            stepped,
            first_steps,
            ..
        } = &self.memory;
        let damped = self.settings.spectral_radius <= DAMPS_UNEVEN_STEPS;
        let share = if damped {
            SHORT_STEP
        } else {
            SHORT_UNDAMPED_STEP
        };
        *stepped && span < share * first_steps[1]
    }

    /// Prepares a communication step of `span` [s] that is far shorter than the last step; the state it
    /// begins with stays in the scratch state.
    fn begin(&mut self, span: f64) -> Result<(), LegError> {
        let Self {
            built,
            memory,
            workspace,
            settings,
            scratch,
            ..
        } = self;
        let (model, state) = (built.leg.model(), &mut memory.state);
        let began = memory.elapsed - memory.pending;
        jumps::make_consistent(model, state, workspace, span, settings)
            .map_err(|error| error.later_by(began))?;
        scratch.copy_from(state);
        Ok(())
    }

    /// Lets time pass for a communication step of rounding size.
    fn wait(&mut self, length: f64) {
        let memory = &mut self.memory;
        memory.pending += length;
        memory.elapsed += length;
        memory
            .inputs
            .iter_mut()
            .for_each(|input| input.settle(length));
    }

    /// Makes the steps of a communication step, in `span` [s] from the state's t = 0.
    fn travel(&mut self, span: f64) -> Result<(Advance, Series, f64), LegError> {
        let Self {
            built,
            memory,
            workspace,
            settings,
            curves,
            late_inputs,
            ..
        } = self;
        let Built { leg, origin } = &**built;
        let (model, state) = (leg.model(), &mut memory.state);
        leg.curves(origin, late_inputs, state, span, curves);
        let drive = Curves(curves);
        let control = control_from(leg.solver(), memory.first_steps[1]);
        let stepping = stepping(&control, settings, memory.first_steps[1]);
        let first = stepping.first_between(0.0, span);
        let began = memory.elapsed - memory.pending;
        // Reactions jump with the inputs: the course of the force begins behind the jump.
        jumps::cross(model, state, workspace, &drive, first, settings)
            .map_err(|error| error.later_by(began))?;
        let mut recording = Recording::default();
        let mut last = (0.0, leg.port_force(state));
        let mut last_step = span;
        let mut watch = |state: &State<G, N>| {
            let now = (state.time / span, leg.port_force(state));
            last_step = (now.0 - last.0) * span;
            recording.add([last.0, now.0], [&last.1, &now.1]);
            last = now;
        };
        let done = advance_watched(model, state, workspace, &drive, span, &stepping, &mut watch);
        let done = done.map_err(|error| {
            stalled(began + state.time, &control, settings)(error.later_by(began))
        })?;
        Ok((done, recording.series(), last_step))
    }

    /// Remembers the communication step that was made; inputs stay where they ended.
    fn settle(&mut self, length: f64, done: Advance, last_step: f64) {
        let memory = &mut self.memory;
        core::mem::swap(&mut memory.previous, &mut self.backup);
        core::mem::swap(&mut memory.last_inputs, &mut self.late_inputs);
        memory.elapsed += length;
        memory.pending = 0.0;
        memory.last = done;
        let next = match control(self.built.leg.solver()) {
            Control::Fixed { .. } => last_step,
            Control::Adaptive { .. } => done.next_step,
        };
        memory.first_steps = [memory.first_steps[1], next];
        memory.stepped = true;
        memory
            .inputs
            .iter_mut()
            .for_each(|input| input.settle(length));
        self.sensitivity.solved_in_workspace = done.steps == 1 && done.rejected == 0;
    }

    /// Writes the outputs of one group.
    pub fn evaluate(&self, group: OutputGroup, out: &mut [f64]) -> Result<(), LegError> {
        let Memory {
            state,
            near,
            series,
            ..
        } = &self.memory;
        if group == OutputGroup::Course {
            series.write(out);
            return Ok(());
        }
        self.built.leg.evaluate(group, state, *near, out)
    }

    /// All outputs.
    pub fn outputs(&self) -> Result<Vec<f64>, LegError> {
        let mut out = vec![0.0; Self::output_count()];
        for group in OutputGroup::ALL {
            self.evaluate(group, &mut out[L::outputs(group)])?;
        }
        Ok(out)
    }

    /// Whether the tendon hangs slack.
    pub fn slack(&self) -> bool {
        let leg = &self.built.leg;
        let line = leg
            .tendon()
            .and_then(|tendon| results::line(leg.model(), &self.memory.state, tendon));
        line.is_some_and(|line| line.response.tension == 0.0)
    }

    /// Saves the unit.
    pub fn save(&self) -> Saved<L, G, N> {
        Saved {
            built: Arc::clone(&self.built),
            memory: self.memory.clone(),
        }
    }

    /// Saves the unit into `saved`; allocates nothing if that was saved from this unit before.
    pub fn save_into(&self, saved: &mut Saved<L, G, N>) {
        if Arc::ptr_eq(&self.built, &saved.built) {
            saved.memory.copy_from(&self.memory);
        } else {
            *saved = self.save();
        }
    }

    /// Goes back to what was saved; allocates nothing if it was saved from this unit.
    pub fn restore(&mut self, saved: &Saved<L, G, N>) {
        if Arc::ptr_eq(&self.built, &saved.built) {
            self.memory.copy_from(&saved.memory);
            self.sensitivity.forget();
        } else {
            *self = Self::from_saved(saved);
        }
    }
}

/// Step control of a leg; an adaptive one goes on with `first` [s].
pub(super) fn control_from(solver: &Solver, first: f64) -> Control {
    let mut control = control(solver);
    if let Control::Adaptive { first: size, .. } = &mut control {
        *size = first;
    }
    control
}

/// How steps go on behind one of `last` [s]: at most [`GROWTH`] times as long. Masters that grow their
/// steps by the same factor are not divided, but for rounding of their times, so that a leg at the
/// master's own step solves the master's equations.
pub(super) fn stepping<'a>(
    control: &'a Control,
    settings: &'a StepSettings,
    last: f64,
) -> Stepping<'a> {
    Stepping {
        first: GROWTH * (1.0 + 10.0 * grid::SLIVER) * last,
        ..Stepping::new(control, settings)
    }
}
