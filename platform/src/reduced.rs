//! A reduced leg ([`leg_core::reduced`]) as a leg of the monolithic scheme.
//!
//! Its coordinates y move by the step of `multibody::dynamics::integrator`, in which they are their own
//! increments. With the tangent S, the residual r and the tip's G = ∂x_B/∂y, Newton's correction that
//! brings the tip to where the end effector has it, gap g plus its own change δp, is
//!
//! ```text
//! δλ = H (g + δp + G S⁻¹ r),    H = (G S⁻¹ Gᵀ)⁻¹,    δy = −S⁻¹ r + S⁻¹ Gᵀ δλ               (1)
//! f = −λ,    ∂f/∂p = −H                                                                  (2)
//! ```

use crate::bodies::PortResponse;
use crate::body::BodyState;
use crate::leg::{PlatformLeg, TipMotion};
use crate::native::{Start, motor_signals};
use crate::unit::{LegEnergy, LegShape, LegView};
use leg_core::LegError;
use leg_core::config::MotorMode;
use leg_core::reduced::forces::{Command, Line, Motion, MotorState, Square};
use leg_core::reduced::sweep::{CRANK, Coordinates, Movement, Posture};
use leg_core::reduced::{ReducedLeg as Mechanics, Resting, Solved, StopMemories};
use multibody::dynamics::integrator::Integrator;
use multibody::dynamics::stops::crossing_of;
use multibody::element::inertia::Weights;
use multibody::group::{Group, Se3};
use multibody::model::{LastTorque, Signal};
use multibody::port::condensed::{Guess, Iteration};
use multibody::results::soundness::LeafStrain;
use multibody::results::stress::Stress;
use nalgebra::{Vector3, Vector6};

/// What changes of a reduced leg in a run.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReducedState {
    motion: Motion,
    /// Acceleration-like variable of the generalised-α method.
    algorithmic: Coordinates,
    /// Force of the joint on the leaf's tip [N].
    lambda: Vector3<f64>,
    memory: StopMemories,
    /// What the motor delivered last [N·m].
    delivered: f64,
    /// Torque on the crank: of the motor without friction, or what holds it [N·m].
    torque: f64,
    /// From A to B, and its rate [m, m/s].
    span: [Vector3<f64>; 2],
    /// Work of tip and motor, and energy lost since the start [J], with their powers now [W].
    work_in: f64,
    power_in: f64,
    lost: f64,
    power_lost: f64,
}

/// A step under way.
#[derive(Debug, Clone, Copy)]
struct OpenStep {
    integrator: Integrator,
    /// n.
    increment: Coordinates,
    /// λ at the iterate.
    lambda: Vector3<f64>,
    command: Command,
    /// The leg stands still: accelerations and reactions jump.
    standing: bool,
}

/// A reduced leg as part of the monolithic system.
#[derive(Debug, Clone)]
pub struct ReducedLeg {
    leg: Mechanics,
    /// Torque and target of the motor.
    signals: (Signal, Signal),
    start_angle: f64,
    initial: f64,
    state: ReducedState,
    before: ReducedState,
    open: Option<OpenStep>,
    solved: Option<Solved>,
    /// The crank's residual and its derivatives: what its motor has to do where it is locked.
    crank: (f64, Coordinates),
    /// Size of the last correction of this step [rad].
    last: f64,
    /// Energy stored in the accepted state [J], and where the leaf's own tip is then [m].
    accepted: Option<(f64, Vector3<f64>)>,
    /// Motion of the tip at the last linearisation.
    tip: TipMotion,
    /// G S⁻¹ r − g of (1), with its sign turned: the way that the tip still has to go [m].
    gap: Vector3<f64>,
    response: Option<PortResponse>,
    failure: Option<multibody::Error>,
    attached: bool,
}

/// Behind a correction of this size [rad] the factors serve the rest of the step: the next correction is
/// smaller by the tangent's relative change, some times this.
const FACTORS_SERVE: f64 = 1e-3;

/// Winches of reduced legs were not tried.
static NO_PULL: Signal = Signal::Constant(0.0);

fn part(tip: &TipMotion, i: usize) -> Vector3<f64> {
    Vector3::from(tip.map(|component| component[i]))
}

fn turned_too_far() -> multibody::Error {
    multibody::Error::BadReference {
        owner: "reduced leaf".to_owned(),
        problem: "it is bent too sharply for its points",
    }
}

impl ReducedLeg {
    /// The leg at rest where the equilibrium of the full one is.
    pub fn new(start: &Start<'_>) -> Result<Self, LegError> {
        let Resting {
            leg,
            place,
            lambda,
            holding_torque,
        } = Mechanics::at_rest(start.leg, start.state, start.motor, start.rest_length)?;
        let own = Start {
            holding_torque,
            ..*start
        };
        let posture = leg.frame().posture(leg.shape(), &place);
        let posture = posture.ok_or_else(turned_too_far)?;
        let state = ReducedState {
            motion: Motion::at_rest(place),
            algorithmic: Coordinates::zeros(),
            lambda,
            memory: StopMemories::default(),
            delivered: holding_torque,
            torque: holding_torque,
            span: [posture.tip - posture.a, Vector3::zeros()],
            work_in: 0.0,
            power_in: 0.0,
            lost: 0.0,
            power_lost: 0.0,
        };
        let mut out = Self {
            signals: motor_signals(start.leg, &own),
            start_angle: start.motor,
            initial: 0.0,
            before: state,
            open: None,
            solved: None,
            crank: (0.0, Coordinates::zeros()),
            last: f64::INFINITY,
            accepted: None,
            tip: [[0.0; 3]; 3],
            gap: Vector3::zeros(),
            response: None,
            failure: None,
            attached: true,
            leg,
            state,
        };
        out.remember_stops();
        out.before = out.state;
        out.initial = out.stored(&posture);
        Ok(out)
    }

    fn posture(&self, place: &Coordinates) -> Option<Posture> {
        self.leg.frame().posture(self.leg.shape(), place)
    }

    fn movement(&self, posture: &Posture, motion: &Motion) -> Movement {
        let (rate, acceleration) = (&motion.rate, &motion.acceleration);
        self.leg
            .frame()
            .movement(self.leg.shape(), posture, rate, acceleration)
    }

    /// Energy stored [J].
    fn stored(&self, posture: &Posture) -> f64 {
        let energy = self.energy_at(posture);
        energy.kinetic + energy.strain + energy.tendon + energy.gravity
    }

    fn energy_at(&self, posture: &Posture) -> LegEnergy {
        let state = &self.state;
        let motion = &state.motion;
        LegEnergy {
            kinetic: {
                let movement = self.movement(posture, motion);
                self.leg
                    .kinetic_energy(posture, &movement, motion.rate[CRANK])
            },
            strain: self.leg.strain_energy(&motion.place),
            tendon: self
                .leg
                .spring_energy(state.span[0].norm(), motion.place[CRANK]),
            gravity: self.leg.gravity_energy(posture),
            work_in: state.work_in,
            dissipated: state.lost,
        }
    }

    /// From A to B and its rate [m, m/s], the tip moving like this.
    fn span(&self, motion: &Motion, tip: &TipMotion) -> [Vector3<f64>; 2] {
        let frame = self.leg.frame();
        let arm = frame.crank(motion.place[CRANK]).column(0) * frame.crank_length;
        let axis: Vector3<f64> = frame.axes.column(2).into();
        let a_rate = axis.cross(&arm) * motion.rate[CRANK];
        [part(tip, 0) - frame.origin - arm, part(tip, 1) - a_rate]
    }

    /// Energy stored [J] and the leaf's own tip [m], found once for each accepted state.
    fn looked_at(&mut self) -> multibody::Result<(f64, Vector3<f64>)> {
        if let Some(known) = self.accepted {
            return Ok(known);
        }
        let posture = self.posture(&self.state.motion.place);
        let posture = posture.ok_or_else(turned_too_far)?;
        let found = (self.stored(&posture), posture.tip);
        self.accepted = Some(found);
        Ok(found)
    }

    fn line(&self) -> Line {
        let [span, rate] = &self.state.span;
        self.leg.line(span, rate, &self.state.memory)
    }

    /// Thrust of the leaf along its chord [N].
    fn thrust(&self) -> f64 {
        let line = self.line();
        line.pull - self.state.lambda.dot(&line.direction)
    }

    fn remember_stops(&mut self) {
        let [length, speed] = self.line().length;
        let motion = &self.state.motion;
        let angle = [motion.place[CRANK], motion.rate[CRANK]];
        let memory = &mut self.state.memory;
        let [tendon, motor] = self.leg.stops();
        if let Some(stops) = tendon {
            stops.remember(length, speed, &mut memory.tendon);
        }
        if let Some(stops) = motor {
            stops.remember(angle[0], angle[1], &mut memory.motor);
        }
    }

    /// What the motor is told at `time` [s], `elapsed` [s] behind the accepted state.
    fn command(&self, time: f64, elapsed: f64, behind: bool) -> Command {
        let sample = |signal: &Signal| {
            if behind {
                signal.sample(time)
            } else {
                signal.sample_before(time)
            }
        };
        let (torque, _, _) = sample(&self.signals.0);
        let (target, rate, _) = sample(&self.signals.1);
        Command {
            torque,
            target: [target, rate],
            last: LastTorque {
                torque: self.state.delivered,
                elapsed,
            },
        }
    }

    /// Motion at the iterate of a step.
    fn trial(&self, open: &OpenStep) -> (Motion, Coordinates) {
        let Motion {
            place,
            rate,
            acceleration,
        } = &self.state.motion;
        if open.standing {
            return (self.state.motion, self.state.algorithmic);
        }
        let known = [rate, acceleration, &self.state.algorithmic];
        let end = open.integrator.follow(known, &open.increment);
        let motion = Motion {
            place: place + open.increment,
            rate: end.velocity,
            acceleration: end.acceleration,
        };
        (motion, end.algorithmic)
    }

    /// Newton's system at the iterate, for this place of the tip [m].
    fn linearize_at(&mut self, tip: &Vector3<f64>, kind: Iteration) -> Option<()> {
        let open = self.open?;
        let (motion, _) = self.trial(&open);
        let posture = self.posture(&motion.place)?;
        let movement = self.movement(&posture, &motion);
        let weights = open.integrator.weights();
        self.condense(
            &open,
            &motion,
            (&posture, &movement),
            tip - posture.tip,
            (kind, &weights),
        )
    }

    /// The answer of the leg, its tip being `gap` [m] away from where it has to be.
    fn condense(
        &mut self,
        open: &OpenStep,
        motion: &Motion,
        (posture, movement): (&Posture, &Movement),
        gap: Vector3<f64>,
        (kind, weights): (Iteration, &Weights),
    ) -> Option<()> {
        let all = (motion, posture, movement);
        let (lambda, command, memory) = (&open.lambda, &open.command, &self.state.memory);
        let held = self.leg.crank_is_led();
        // The tangent hardly changes within a step: near the solution its factors gain digits enough.
        let serves = kind == Iteration::Short || self.last <= FACTORS_SERVE;
        match &mut self.solved {
            Some(solved) if serves => {
                let balance = self.leg.balance(all, lambda, command, memory, None);
                self.leg.solve_again(solved, &balance, held);
                self.crank.0 = balance.residual[CRANK];
            }
            _ => {
                let jacobians = self.leg.frame().jacobians(self.leg.shape(), posture);
                let wanted = Some((weights, &jacobians));
                let balance = self.leg.balance(all, lambda, command, memory, wanted);
                let tangent: &Square = balance.tangent.as_ref()?;
                let row = Coordinates::from_fn(|i, _| tangent[i][CRANK]);
                self.crank = (balance.residual[CRANK], row);
                self.solved = Some(self.leg.solve(&balance, &jacobians.tip, held)?);
            }
        }
        let solved = self.solved.as_ref()?;
        self.gap = gap - solved.tip_by * solved.free;
        self.response = Some(PortResponse {
            force: -open.lambda,
            change: -(solved.stiffness * self.gap),
            by_position: -solved.stiffness,
            by_velocity: nalgebra::Matrix3::zeros(),
            base: None,
        });
        Some(())
    }

    /// (1).
    fn correction(&self, way: &Vector3<f64>) -> (Coordinates, Vector3<f64>) {
        let Some(solved) = &self.solved else {
            return (Coordinates::zeros(), Vector3::zeros());
        };
        let change = solved.stiffness * (self.gap + way);
        (solved.free + solved.by_force * change, change)
    }

    /// Starts where the leg is, under inputs that have jumped at `time` [s] or less than `slack` behind it.
    fn stand(&mut self, integrator: &Integrator, (time, slack): (f64, f64)) {
        let (torque, angle) = &self.signals;
        let jumps = [torque, angle].map(|signal| signal.next_jump(time, time + slack));
        let at = jumps.into_iter().flatten().reduce(f64::min).unwrap_or(time);
        self.open = Some(OpenStep {
            integrator: *integrator,
            increment: Coordinates::zeros(),
            lambda: self.state.lambda,
            command: self.command(at, 0.0, true),
            standing: true,
        });
        self.solved = None;
        self.accepted = None;
        self.last = f64::INFINITY;
    }

    fn fail(&mut self, done: Option<()>) {
        if done.is_none() {
            self.failure = Some(turned_too_far());
        }
    }

    /// Velocities become consistent with those of the tip, and accelerations with the next jump.
    fn make_consistent(&mut self, open: &OpenStep, tip: &TipMotion) -> Option<()> {
        let posture = self.posture(&self.state.motion.place)?;
        let solved = self.solved.as_ref()?;
        let missing = part(tip, 1) - solved.tip_by * self.state.motion.rate;
        let change = solved.by_force * (solved.stiffness * missing);
        self.state.motion.rate += change;
        let motion = self.state.motion;
        let movement = self.movement(&posture, &motion);
        let weights = open.integrator.weights();
        let gap = (part(tip, 2) - movement.tip[1]) / weights.inertia;
        let all = (&posture, &movement);
        self.condense(open, &motion, all, gap, (Iteration::Full, &weights))
    }

    /// Torque on the crank in the accepted state, and what was delivered.
    fn crank_torque(&self, command: &Command) -> MotorState {
        let motion = &self.state.motion;
        let angle = [motion.place[CRANK], motion.rate[CRANK]];
        self.leg.motor(angle, command, &self.state.memory.motor)
    }
}

impl PlatformLeg for ReducedLeg {
    type State = ReducedState;

    fn fits(&self, _: &ReducedState) -> bool {
        true
    }

    fn snapshot(&self) -> ReducedState {
        self.state
    }

    fn restore(&mut self, state: &ReducedState) {
        self.state = *state;
        self.accepted = None;
    }

    fn set_attached(&mut self, attached: bool) {
        self.attached = attached;
        self.open = None;
    }

    fn is_attached(&self) -> bool {
        self.attached
    }

    fn motor(&self) -> (&Signal, &Signal) {
        (&self.signals.0, &self.signals.1)
    }

    fn set_motor(&mut self, torque: Signal, angle: Signal) {
        self.signals = (torque, angle);
    }

    fn tendon_force(&self) -> &Signal {
        &NO_PULL
    }

    fn set_tendon_force(&mut self, _pull: Signal) -> bool {
        false
    }

    fn start_angle(&self) -> f64 {
        self.start_angle
    }

    fn is_led(&self) -> bool {
        self.leg.config().motor.mode == MotorMode::Angle
    }

    fn begin(&mut self, integrator: &Integrator, guess: Guess, (end, slack): (f64, f64)) {
        if !self.attached {
            return;
        }
        let (torque, angle) = &self.signals;
        let jumps = [torque, angle].map(|signal| signal.next_jump(end - slack, end));
        let at = jumps.into_iter().flatten().reduce(f64::min).unwrap_or(end);
        let motion = &self.state.motion;
        let increment = match guess {
            Guess::Accelerations => integrator.predict(&motion.rate, &self.state.algorithmic),
            Guess::Velocities => integrator.predict_calmly(&motion.rate),
        };
        self.open = Some(OpenStep {
            integrator: *integrator,
            increment,
            lambda: self.state.lambda,
            command: self.command(at, integrator.step(), false),
            standing: false,
        });
        self.solved = None;
        self.last = f64::INFINITY;
    }

    fn linearize(&mut self, tip: &TipMotion, _: Option<&BodyState>, (kind, _): (Iteration, usize)) {
        if !self.attached {
            return;
        }
        self.tip = *tip;
        let done = self.linearize_at(&part(tip, 0), kind);
        self.fail(done);
    }

    fn begin_jump(
        &mut self,
        integrator: &Integrator,
        tip: &TipMotion,
        _: Option<&BodyState>,
        time_and_slack: (f64, f64),
    ) {
        if !self.attached {
            return;
        }
        self.stand(integrator, time_and_slack);
        let done = self.linearize_at(&part(tip, 0), Iteration::Full);
        self.fail(done);
    }

    fn begin_consistent(
        &mut self,
        integrator: &Integrator,
        tip: &TipMotion,
        base: Option<&BodyState>,
        time_and_slack: (f64, f64),
    ) {
        self.begin_jump(integrator, tip, base, time_and_slack);
        let (Some(open), true) = (self.open, self.attached) else {
            return;
        };
        let done = self.make_consistent(&open, tip);
        self.fail(done);
    }

    fn jump(&mut self, tip: &Vector3<f64>, _: Option<&Vector6<f64>>) {
        let Some(open) = self.open.take() else { return };
        let (change, force) = self.correction(tip);
        let weight = open.integrator.weights().inertia;
        let state = &mut self.state;
        state.motion.acceleration += change * weight;
        state.algorithmic += change * weight;
        state.lambda += force;
        let motor = self.crank_torque(&open.command);
        if !self.leg.crank_is_led() {
            self.state.torque = motor.delivered;
        }
    }

    fn take_failure(&mut self) -> Option<multibody::Error> {
        self.failure.take()
    }

    fn response(&self) -> Option<PortResponse> {
        self.response.filter(|_| self.attached)
    }

    fn correct(&mut self, tip: &Vector3<f64>, _: Option<&Vector6<f64>>) -> f64 {
        let (change, force) = self.correction(tip);
        if let Some(solved) = &self.solved {
            let (torque, by) = &mut self.crank;
            *torque += by.dot(&change) - solved.tip_by.column(CRANK).dot(&force);
        }
        let Some(open) = &mut self.open else {
            return 0.0;
        };
        open.increment += change;
        open.lambda += force;
        self.last = self.leg.size(&change);
        self.last
    }

    fn stop_event(&mut self, h: f64) -> Option<f64> {
        let open = self.open.filter(|_| self.attached)?;
        let [tendon, motor] = self.leg.stops();
        if tendon.is_none() && motor.is_none() {
            return None;
        }
        let (trial, _) = self.trial(&open);
        let now = &self.state.motion;
        let angles = [now, &trial].map(|motion| [motion.place[CRANK], motion.rate[CRANK]]);
        let memory = &self.state.memory;
        let turned = motor.and_then(|stops| crossing_of(stops, &memory.motor, angles, h));
        let stretched = tendon.and_then(|stops| {
            let to = self.span(&trial, &self.tip);
            let length =
                |[span, rate]: &[Vector3<f64>; 2]| [span.norm(), span.dot(rate) / span.norm()];
            let ends = [length(&self.state.span), length(&to)];
            crossing_of(stops, &memory.tendon, ends, h)
        });
        [turned, stretched].into_iter().flatten().reduce(f64::min)
    }

    fn accept(&mut self, tip: &TipMotion, _: Option<&BodyState>, h: f64, audit: bool) {
        self.before = self.state;
        let Some(open) = self.open.take() else { return };
        let (motion, algorithmic) = self.trial(&open);
        let velocity = part(tip, 1);
        let memory = self.state.memory;
        self.state.motion = motion;
        self.state.algorithmic = algorithmic;
        self.state.lambda = open.lambda;
        self.state.span = self.span(&motion, tip);
        let motor = self.crank_torque(&open.command);
        let line = self.line();
        let lost = self.leg.lost_power(&line, &motion.rate, &memory) + motor.lost;
        let power = open.lambda.dot(&velocity) + motor.delivered * motion.rate[CRANK];
        let state = &mut self.state;
        state.work_in += 0.5 * h * (state.power_in + power);
        state.lost += 0.5 * h * (state.power_lost + lost);
        (state.power_in, state.power_lost) = (power, lost);
        state.delivered = motor.delivered;
        state.torque = motor.delivered;
        if self.leg.crank_is_led() {
            // What the crank needs to stay where it is.
            self.state.torque = self.crank.0;
        }
        self.remember_stops();
        self.accepted = None;
        if audit && let Err(failure) = self.looked_at() {
            self.failure = Some(failure);
        }
    }

    fn undo(&mut self) {
        self.state = self.before;
        self.accepted = None;
    }

    fn touches_stop(&self) -> bool {
        let StopMemories { tendon, motor } = &self.state.memory;
        self.attached && [tendon[0], tendon[2], motor[0], motor[2]].contains(&1.0)
    }

    fn balance(&mut self) -> multibody::Result<f64> {
        let (stored, _) = self.looked_at()?;
        Ok(stored + self.state.lost - self.state.work_in)
    }

    fn work_in(&self) -> f64 {
        self.state.work_in
    }

    fn dissipated(&self) -> f64 {
        self.state.lost
    }

    fn initial_energy(&self) -> f64 {
        self.initial
    }

    fn base_power(&self, _: &BodyState) -> f64 {
        0.0
    }

    fn tip_force(&self) -> Vector3<f64> {
        if self.attached {
            -self.state.lambda
        } else {
            Vector3::zeros()
        }
    }

    fn tip(&self) -> Vector3<f64> {
        if let Some((_, tip)) = self.accepted {
            return tip;
        }
        let posture = self.posture(&self.state.motion.place);
        posture.map_or(Vector3::repeat(f64::NAN), |posture| posture.tip)
    }

    fn view(&self) -> LegView {
        let motion = &self.state.motion;
        let [span, rate] = &self.state.span;
        let length = span.norm();
        let tension = self.leg.tension(length, span.dot(rate) / length);
        LegView {
            tip_force: self.tip_force(),
            tendon_tension: tension,
            tendon_length: length,
            motor_angle: motion.place[CRANK],
            motor_rate: motion.rate[CRANK],
            motor_torque: self.state.torque,
        }
    }

    fn energy(&self) -> multibody::Result<LegEnergy> {
        let posture = self.posture(&self.state.motion.place);
        Ok(self.energy_at(&posture.ok_or_else(turned_too_far)?))
    }

    fn shape(&self) -> LegShape {
        let place = &self.state.motion.place;
        let frame = self.leg.frame();
        let crank = Se3::from_parts(frame.origin, frame.crank(place[CRANK]));
        let elements = self.leg.config().solver.elements;
        let leaf = self.posture(place);
        LegShape {
            crank,
            leaf: leaf.map_or(Vec::new(), |posture| {
                self.leg.centre_line(place, &posture, elements)
            }),
        }
    }

    fn leaf_strain(&self) -> Result<LeafStrain, LegError> {
        Ok(self
            .leg
            .leaf_strain(&self.state.motion.place, self.thrust()))
    }

    fn leaf_stress(&self) -> Result<Stress, LegError> {
        Ok(self
            .leg
            .leaf_stress(&self.state.motion.place, self.thrust()))
    }

    fn has_tendon(&self) -> bool {
        self.leg.rest_length().is_some()
    }
}
