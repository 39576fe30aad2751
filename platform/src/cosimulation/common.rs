//! What both schemes of co-simulation share: bodies, units in their slots, accounts.

use super::cubic::{CubicMotion, NODES, SIMPSON};
use super::cubic_equations::mean_power;
use super::slot::{LegSlot, Request, Stop, inward};
use crate::actuation::Actuation;
use crate::bodies::{BaseResponse, Bodies, EFFECTOR, PortResponse};
use crate::body::{Body, BodyState, BodyStep};
use crate::config::PlatformConfig;
use crate::contact::{ContactPair, Latch};
use crate::error::{PlatformError, Result};
use crate::monolithic::{base_actuation, base_body};
use crate::statics::StaticPlatform;
use crate::stopwatch::{UnitTimes, timed};
use crate::threads::ThreadPool;
use crate::unit::{LegEnergy, LegShape, LegUnit, STAND_ON_MOVING_BASE, UnitError, UnitStart};
use crate::vehicle::Vehicle;
use crate::world::{Flow, World};
use crate::wrench::{WrenchHistory, replacing_jumps};
use multibody::dynamics::integrator::Integrator;
use multibody::group::{Group, Se3};
use multibody::model::Signal;
use multibody::results::soundness::LeafStrain;
use nalgebra::{Matrix3, Matrix6, SMatrix, Vector3, Vector6};
use std::time::Duration;

/// Where the energy of the legs is.
#[derive(Debug, Clone, Copy, Default)]
pub struct LegBalance {
    /// Stored and lost, less the work of the motors [J].
    pub sum: f64,
    /// Work of the motors [J].
    pub motors: f64,
    /// Lost [J].
    pub lost: f64,
}

/// What a leg does to the bodies, world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegLoad {
    /// Force on the end effector [N].
    pub force: Vector3<f64>,
    /// Wrench on a base that moves, about its origin [N, N·m].
    pub on_base: Vector6<f64>,
}

impl LegLoad {
    /// Of a leg that carries nothing.
    pub const NONE: Self = Self {
        force: Vector3::new(0.0, 0.0, 0.0),
        on_base: Vector6::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// What a unit has answered.
    pub fn of(slot: &LegSlot) -> Self {
        Self {
            force: slot.response.force,
            on_base: slot.response.base_wrench,
        }
    }

    /// A response that does not depend on the motion.
    pub fn held(&self, base: Option<&BodyState>) -> PortResponse {
        PortResponse {
            force: self.force,
            change: Vector3::zeros(),
            by_position: Matrix3::zeros(),
            by_velocity: Matrix3::zeros(),
            base: base.map(|base| BaseResponse {
                wrench: inward(base, &self.on_base),
                change: Vector6::zeros(),
                by_position: SMatrix::zeros(),
                by_base: Matrix6::zeros(),
                tip_by_base: SMatrix::zeros(),
                rates: None,
            }),
        }
    }

    /// Power of a base with this motion on the leg [W].
    fn power_of(&self, base: &BodyState) -> f64 {
        -inward(base, &self.on_base).dot(&base.velocity)
    }
}

/// Bodies and units.
#[derive(Debug)]
pub struct Cosimulation {
    pub config: PlatformConfig,
    pub world: World,
    /// End effector first.
    pub bodies: Vec<BodyState>,
    pub time: f64,
    pub slots: Vec<LegSlot>,
    pub pool: ThreadPool,
    /// What the legs do to the end effector and to a base that moves now.
    pub loads: Vec<LegLoad>,
    /// Work of the end effector on each leg.
    pub given: Vec<Flow>,
    /// Work of a base that moves on each leg.
    pub feet: Vec<Flow>,
    /// Work of each motor.
    pub motors: Vec<Flow>,
    /// Energy stored in the legs at the start [J].
    pub initial_legs: f64,
    /// Wall times of the parallel parts and of all advances, once somebody asks for them.
    pub walls: Option<[Duration; 2]>,
}

/// Wrenches on a base that add up to no more than this share of the legs' forces are in balance.
const BALANCED: f64 = 1e-6;
/// A torque that changes by no more than this share of what the tendon does at the crank is no jump.
const SMALL_CHANGE: f64 = 5e-3;
/// One that changes by no more than this is a moderate jump.
const MODERATE_CHANGE: f64 = 5e-2;

/// How the history of a motor goes on where another replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MotorChange {
    /// As good as without a jump.
    Smooth,
    /// By what a controller changes from one sample to the next.
    Moderate,
    /// By more.
    Large,
}

impl Cosimulation {
    /// Units at rest in `equilibrium`, from which they were started.
    pub fn new(
        equilibrium: &StaticPlatform,
        starts: &[UnitStart],
        units: Vec<Box<dyn LegUnit>>,
    ) -> Result<Self> {
        let config = equilibrium.config().clone();
        let floating = config.base.free_floating;
        let mut each = units.iter();
        let unable = each.position(|unit| floating && !unit.abilities().moving_base);
        if let Some(leg) = unable {
            let ability = STAND_ON_MOVING_BASE;
            return Err(PlatformError::in_unit(leg)(UnitError::Unable { ability }));
        }
        let spheres = config.sphere_positions();
        if units.len() != spheres.len() || starts.len() != spheres.len() {
            return Err(PlatformError::WrongUnits {
                found: units.len().min(starts.len()),
                wanted: spheres.len(),
            });
        }
        let slots: Vec<LegSlot> = units
            .into_iter()
            .zip(starts)
            .zip(&spheres)
            .map(|((unit, start), sphere)| LegSlot::new(unit, start, *sphere))
            .collect();
        let mut list = Bodies {
            all: vec![*equilibrium.effector()],
            base: None,
            target: None,
        };
        let mut bodies = vec![BodyState::at_rest(*equilibrium.pose())];
        if floating {
            list.base = Some(list.all.len());
            list.all.push(base_body(&config));
            bodies.push(BodyState::at_rest(Se3::identity()));
        }
        let count = slots.len();
        let mut out = Self {
            pool: ThreadPool::new(config.solver.threads, count),
            world: World::new(
                list,
                &bodies,
                &equilibrium.wrench_vector(),
                config.solver.step_s,
            ),
            bodies,
            time: 0.0,
            loads: vec![LegLoad::NONE; count],
            given: vec![Flow::default(); count],
            feet: vec![Flow::default(); count],
            motors: vec![Flow::default(); count],
            initial_legs: 0.0,
            walls: None,
            slots,
            config,
        };
        out.look()?;
        for (i, slot) in out.slots.iter_mut().enumerate() {
            out.loads[i].force = slot.view.tip_force;
            if floating {
                let wrench = slot.unit.base_wrench();
                out.loads[i].on_base = wrench.map_err(PlatformError::in_unit(i))?;
            }
        }
        out.act_on_base();
        for (flow, slot) in out.motors.iter_mut().zip(&out.slots) {
            flow.power = motor_power(slot);
        }
        out.initial_legs = out.leg_energies()?.iter().map(LegEnergy::stored).sum();
        Ok(out)
    }

    /// The end effector.
    pub fn effector(&self) -> &BodyState {
        &self.bodies[EFFECTOR]
    }

    /// The end effector as a body.
    pub fn body(&self) -> &Body {
        &self.world.bodies().all[EFFECTOR]
    }

    /// Puts a target in front of the end effector.
    pub fn add_target(&mut self, body: Body, state: BodyState, pair: ContactPair, latch: Latch) {
        self.world
            .add_target(body, state, pair, latch, &mut self.bodies, self.time);
    }

    /// A floating base does what its configuration says.
    fn act_on_base(&mut self) {
        let Some(base) = self.world.bodies().base else {
            return;
        };
        let actuation = base_actuation(&self.config, &self.bodies[base], self.time);
        if let Some(actuation) = actuation {
            self.world.act_on_base(actuation);
            self.cross_actuator_jumps();
        }
    }

    /// The base, if it moves.
    pub fn base(&self) -> Option<&BodyState> {
        self.world.bodies().base.map(|i| &self.bodies[i])
    }

    /// True if what acts on a base that moves is not in balance: at the start it lets go.
    pub fn base_lets_go(&self) -> bool {
        let sum: Vector6<f64> = self.loads.iter().map(|load| load.on_base).sum();
        let size: f64 = self.loads.iter().map(|load| load.force.norm()).sum();
        let acts = self.world.bodies().base.is_some();
        acts && (self.config.base.acting().is_some() || sum.amax() > BALANCED * size)
    }

    /// The target does this by itself from now on.
    pub fn act_on_target(&mut self, actuation: Actuation) {
        let time = self.time;
        self.world.act_on_target(actuation, &mut self.bodies, time);
    }

    /// Goes on behind a jump of an actuator's history, if there is one here.
    pub fn cross_actuator_jumps(&mut self) {
        let time = self.time;
        self.world.cross_actuator_jumps(&mut self.bodies, time);
    }

    /// Gives a vehicle a wrench history from now on: whether it jumps, or none if there is no such
    /// vehicle.
    pub fn set_vehicle_wrench(&mut self, vehicle: Vehicle, wrench: WrenchHistory) -> Option<bool> {
        self.world.set_vehicle_wrench(vehicle, wrench, self.time)
    }

    /// Gives the end effector another wrench history.
    pub fn set_wrench(&mut self, wrench: WrenchHistory) {
        self.world.set_wrench(wrench, self.time);
    }

    /// Gives the motor of a leg another torque history [N·m] and target history [rad].
    pub fn set_motor(
        &mut self,
        leg: usize,
        torque: Option<Signal>,
        angle: Option<Signal>,
    ) -> MotorChange {
        let Some(slot) = self.slots.get_mut(leg) else {
            return MotorChange::Smooth;
        };
        let (old_torque, old_angle) = slot.motor();
        let torque = torque.unwrap_or_else(|| old_torque.clone());
        let angle = angle.unwrap_or_else(|| old_angle.clone());
        let jumps = replacing_jumps([(old_torque, &torque), (old_angle, &angle)], self.time);
        // What a controller changes from sample to sample is smooth to a leg that carries far more.
        let carried = slot.view.tendon_tension.abs() * self.config.crank.length_m;
        let change = torque.sample(self.time).0 - old_torque.sample_before(self.time).0;
        let same_angle = old_angle.sample_before(self.time) == angle.sample(self.time);
        let within = |share: f64| same_angle && change.abs() <= share * carried;
        slot.set_motor(torque, angle);
        if !jumps || within(SMALL_CHANGE) {
            MotorChange::Smooth
        } else if within(MODERATE_CHANGE) {
            MotorChange::Moderate
        } else {
            MotorChange::Large
        }
    }

    /// Lets all units follow the end effector.
    pub fn follow(
        &mut self,
        stop: &Stop,
        request: &Request,
    ) -> core::result::Result<(), (usize, UnitError)> {
        let Self {
            slots, pool, walls, ..
        } = self;
        timed(walls.as_mut().map(|walls| &mut walls[0]), || {
            pool.for_each(slots, |_, slot| slot.follow(stop, request));
        });
        self.first_failure()
    }

    /// Starts to measure where the time goes, from zero.
    pub fn measure(&mut self) {
        self.walls = Some([Duration::ZERO; 2]);
        for slot in &mut self.slots {
            slot.busy = Some(Duration::ZERO);
        }
    }

    /// Where the time went since [`Self::measure`].
    pub fn times(&self) -> UnitTimes {
        let [parallel_wall, wall] = self.walls.unwrap_or_default();
        UnitTimes {
            units: self.slots.iter().filter_map(|slot| slot.busy).sum(),
            parallel_wall,
            wall,
        }
    }

    /// The first unit that failed, with why.
    pub fn first_failure(&mut self) -> core::result::Result<(), (usize, UnitError)> {
        let failures = self.slots.iter_mut().enumerate();
        let failures = failures.filter_map(|(i, slot)| Some((i, slot.failure.take()?)));
        // A failure for good is told before a step that was discarded.
        let mut first = None;
        for (i, failure) in failures {
            if !failure.is_discard() {
                return Err((i, failure));
            }
            first = first.or(Some((i, failure)));
        }
        first.map_or(Ok(()), Err)
    }

    /// Looks at all units; of a broken leg nothing is left.
    fn look(&mut self) -> Result<()> {
        for (i, slot) in self.slots.iter_mut().enumerate() {
            slot.view = slot.unit.view().map_err(PlatformError::in_unit(i))?;
            if !slot.attached {
                slot.view.tip_force = Vector3::zeros();
            }
        }
        Ok(())
    }

    /// Energies of all legs.
    pub fn leg_energies(&mut self) -> Result<Vec<LegEnergy>> {
        let energy = |(i, slot): (usize, &mut LegSlot)| {
            slot.unit.energy().map_err(PlatformError::in_unit(i))
        };
        self.slots.iter_mut().enumerate().map(energy).collect()
    }

    /// Largest strains of the leaves of all legs, where they are told.
    pub fn leaf_strains(&mut self) -> Result<Vec<Option<LeafStrain>>> {
        let strain = |(i, slot): (usize, &mut LegSlot)| {
            let strain = slot.unit.leaf_strain();
            strain.map_err(PlatformError::in_unit(i))
        };
        self.slots.iter_mut().enumerate().map(strain).collect()
    }

    /// Where the parts of all legs are.
    pub fn shapes(&mut self) -> Result<Vec<LegShape>> {
        let shape =
            |(i, slot): (usize, &mut LegSlot)| slot.unit.shape().map_err(PlatformError::in_unit(i));
        self.slots.iter_mut().enumerate().map(shape).collect()
    }

    /// Distance between a leg's tip and its joint [m]; zero for a broken leg.
    pub fn gap(&self, leg: usize) -> f64 {
        let slot = &self.slots[leg];
        if !slot.attached {
            return 0.0;
        }
        (self.effector().point(&slot.sphere) - slot.tip()).norm()
    }

    /// First jumps of histories behind now and not behind `end` [s]: of the wrench or an actuator of
    /// the target, of a motor.
    pub fn next_jumps(&self, end: f64, slack: f64) -> [Option<f64>; 2] {
        let start = self.time;
        let end = end + 2.0 * slack;
        let motors = self.slots.iter();
        let motors = motors.filter_map(|slot| slot.next_jump(start, end, slack));
        let wrench = self.world.next_wrench_jump(start, end, slack);
        let actuators = self.world.next_actuator_jump(start, end, slack);
        let wrench = wrench.into_iter().chain(actuators).reduce(f64::min);
        [wrench, motors.reduce(f64::min)]
    }

    /// The wrench from outside at the nodes of a cubic.
    pub fn outside(&self, start: f64, length: f64) -> [Vector6<f64>; NODES] {
        let end = start + length;
        let times = [start, start + 0.5 * length, end];
        self.world.wrench().at_points(start, end, times, SIMPSON)
    }

    /// One Newton correction of the bodies' step of the generalised-α method, the legs answering
    /// with `response(leg, base)`: the largest way of a joint or of another body [m].
    pub fn correct_bodies(
        &mut self,
        steps: &mut [BodyStep],
        integrator: &Integrator,
        end: f64,
        response: impl Fn(usize, &LegSlot, Option<&BodyState>) -> PortResponse,
    ) -> Result<f64> {
        self.world.linearize(steps, integrator, end)?;
        let base = self.world.bodies().base.map(|i| steps[i].trial);
        for (i, slot) in self.slots.iter().enumerate().filter(|(_, s)| s.attached) {
            let response = response(i, slot, base.as_ref());
            self.world
                .add_leg(steps, integrator, &slot.sphere, &response);
        }
        let psi = self.world.solve(end)?;
        let before = steps[EFFECTOR].trial;
        let bodies = self.world.bodies().all.iter().zip(&self.bodies);
        for ((step, known), psi) in steps.iter_mut().zip(bodies).zip(&psi) {
            step.correct(known, integrator, psi);
        }
        let after = &steps[EFFECTOR].trial;
        let way = |slot: &LegSlot| (after.point(&slot.sphere) - before.point(&slot.sphere)).norm();
        let others = psi.iter().take(steps.len()).skip(1);
        let mut largest: f64 = 0.0;
        for way in self
            .slots
            .iter()
            .map(way)
            .chain(others.map(|psi| psi.amax()))
        {
            // The larger of a number and none would be the number.
            if way.is_nan() {
                return Ok(way);
            }
            largest = largest.max(way);
        }
        Ok(largest)
    }

    /// Goes on with the end of a step of the generalised-α method to `end` [s] in which the legs did
    /// `felt(leg)` to the bodies at its end; `now(leg)` is what they really do there. True
    /// if the latch closed with it.
    pub fn accept_steps(
        &mut self,
        steps: &[BodyStep],
        integrator: &Integrator,
        end: f64,
        felt: impl Fn(usize) -> LegLoad,
        now: impl Fn(usize) -> LegLoad,
    ) -> Result<bool> {
        let h = integrator.step();
        self.time = end;
        let closed = self.world.accept(&mut self.bodies, steps, integrator, end);
        let effector = self.bodies[EFFECTOR];
        let base = self.base().copied();
        for (i, slot) in self.slots.iter().enumerate().filter(|(_, s)| s.attached) {
            let velocity = effector.point_velocity(&slot.sphere);
            let (felt, now) = (felt(i), now(i));
            self.given[i].advance(h, -felt.force.dot(&velocity));
            self.given[i].power = -now.force.dot(&velocity);
            self.loads[i] = now;
            if let Some(base) = base.as_ref() {
                self.feet[i].advance(h, felt.power_of(base));
                self.feet[i].power = now.power_of(base);
            }
        }
        self.look()?;
        for (flow, slot) in self.motors.iter_mut().zip(&mut self.slots) {
            flow.advance(h, motor_power(slot));
            slot.work_in = None;
        }
        Ok(closed)
    }

    /// Energy stored in and lost by the legs, less the work of the motors, where the units are now,
    /// a step of `h` [s] behind the accounts; and the work of the motors [J].
    pub fn leg_balance(&mut self, h: f64) -> Result<LegBalance> {
        let mut out = LegBalance::default();
        for (i, slot) in self.slots.iter_mut().enumerate() {
            let energy = slot.unit.energy().map_err(PlatformError::in_unit(i))?;
            let mut motor = self.motors[i];
            if slot.has_motor() && h > 0.0 {
                let view = slot.unit.view().map_err(PlatformError::in_unit(i))?;
                motor.advance(h, view.motor_torque * view.motor_rate);
            }
            out.sum += energy.stored() + energy.dissipated - motor.energy;
            out.motors += motor.energy;
            out.lost += energy.dissipated;
        }
        Ok(out)
    }

    /// Before a long step, whose start the units are at. What a motor does over it is the work of its
    /// leg's inputs, as the leg has it, but for that of the tip: torque and rate at the ends of
    /// the step would miss what happens in between.
    pub fn note_work(&mut self) -> Result<()> {
        for (i, slot) in self.slots.iter_mut().enumerate() {
            if slot.has_motor() && slot.work_in.is_none() {
                let energy = slot.unit.energy().map_err(PlatformError::in_unit(i))?;
                slot.work_in = Some(energy.work_in);
            }
        }
        Ok(())
    }

    /// Goes on with the end of a cubic under the wrenches `outside` at its nodes, the legs
    /// answering as they did last.
    pub fn accept_cubic(
        &mut self,
        cubic: &CubicMotion,
        outside: &[Vector6<f64>; NODES],
    ) -> Result<()> {
        let (h, end) = (cubic.length, cubic.end());
        let powers = outside.iter().enumerate();
        let powers = powers.map(|(node, wrench)| power(cubic.at_node(node), wrench));
        let mean: f64 = powers
            .zip(SIMPSON)
            .map(|(power, weight)| power * weight)
            .sum();
        self.world.account_for_wrench(mean * h, &outside[NODES - 1]);
        for (i, slot) in self.slots.iter().enumerate().filter(|(_, s)| s.attached) {
            let velocity = |node| cubic.at_node(node).point_velocity(&slot.sphere);
            let velocities = core::array::from_fn(velocity);
            let tip = -h * mean_power(&slot.response.series, &velocities);
            if let Some(before) = slot.work_in {
                self.motors[i].energy -= before + tip;
            }
            let flow = &mut self.given[i];
            flow.energy += tip;
            self.loads[i] = LegLoad::of(slot);
            flow.power = -self.loads[i].force.dot(&velocities[NODES - 1]);
        }
        self.bodies[EFFECTOR] = BodyState {
            pose: end.pose.renormalized(),
            ..*end
        };
        self.time = cubic.start + h;
        self.look()?;
        for slot in &mut self.slots {
            slot.work_in = None;
        }
        self.note_work()?;
        for (flow, slot) in self.motors.iter_mut().zip(&self.slots) {
            flow.energy += slot.work_in.unwrap_or(0.0);
            flow.power = motor_power(slot);
        }
        Ok(())
    }

    /// Breaks a leg (from 0): from now on it carries nothing and stays where it is.
    pub fn detach(&mut self, leg: usize) {
        if let Some(slot) = self.slots.get_mut(leg) {
            slot.attached = false;
            slot.view.tip_force = Vector3::zeros();
            self.given[leg].power = 0.0;
            self.feet[leg].power = 0.0;
            self.loads[leg] = LegLoad::NONE;
        }
    }
}

/// Power of a motor that can have any [W].
fn motor_power(slot: &LegSlot) -> f64 {
    if slot.has_motor() {
        slot.view.motor_torque * slot.view.motor_rate
    } else {
        0.0
    }
}

/// Power of a wrench in world axes on a body [W].
fn power(state: &BodyState, wrench: &Vector6<f64>) -> f64 {
    let rotation = state.pose.rotation();
    let (force, moment) = crate::wrench::split(wrench);
    force.dot(&(rotation * state.velocity.fixed_rows::<3>(0)))
        + moment.dot(&(rotation * state.velocity.fixed_rows::<3>(3)))
}
