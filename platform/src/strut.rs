//! A strut as a leg of the monolithic scheme: no unknowns of its own, its force follows from the
//! motion of its ends.
//!
//! With the tip's place x_B in world axes, the crank's end at a in the base's axes, B_a = [I, −a×],
//! and the force f of `leg_core::strut` as a function of z = x_B − x_A and ż, S = ∂f/∂z, D = ∂f/∂ż:
//!
//! ```text
//! x_A = x + R a,     v_A = R B_a v,     ∂v_A/∂ψ = −R (B_a v)× P_ω                 (1)
//! w = −B_aᵀ Rᵀ f                                     on a floating base           (2)
//! ∂f/∂ψ = −S R B_a − D ∂v_A/∂ψ,     ∂f/∂v = −D R B_a                              (3)
//! ∂w/∂ψ = −B_aᵀ (Rᵀ ∂f/∂ψ + (Rᵀ f)× P_ω)                                         (4)
//! ```
//!
//! Masses: those of the leaf's ends and of the locked crank belong to end effector and base
//! ([`effector_with_tips`], [`base_with_cranks`]). The end effector's gravity acts on a third of the
//! leaf there; the strut carries the rest of its half of the leaf's weight.

use crate::bodies::{BaseRates, BaseResponse, PortResponse};
use crate::body::{Body, BodyState, inertia_of, point_map, skew};
use crate::leg::{PlatformLeg, TipMotion};
use crate::unit::{LegEnergy, LegShape, LegView};
use leg_core::LegError;
use leg_core::strut::{MASS_SHARE, StopMemory, Strut, StrutMotion};
use multibody::dynamics::integrator::Integrator;
use multibody::group::{Group, Se3};
use multibody::model::{Signal, spatial_inertia};
use multibody::port::condensed::{Guess, Iteration};
use multibody::results::soundness::LeafStrain;
use multibody::results::stress::Stress;
use nalgebra::{Matrix3, Matrix3x6, Vector3, Vector6};

/// What changes of a strut in a run.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StrutState {
    motion: StrutMotion,
    /// A and B [m].
    ends: [Vector3<f64>; 2],
    /// The floating base.
    base: Option<BodyState>,
    memory: StopMemory,
    /// Force on the end effector [N].
    force: Vector3<f64>,
    /// Work of the ends and energy lost since the start [J], with their powers now [W].
    work_in: f64,
    power_in: f64,
    lost: f64,
    power_lost: f64,
}

/// A strut as part of the monolithic system.
#[derive(Debug, Clone)]
pub struct StrutLeg {
    strut: Strut,
    /// Crank angle [rad].
    q1: f64,
    /// A and the joint's first axis in the base's axes.
    foot: Vector3<f64>,
    first: Vector3<f64>,
    /// Weight on the tip that the end effector's gravity does not see [N].
    tip_weight: Vector3<f64>,
    floating: bool,
    /// Torque and angle of the motor, which is locked.
    signals: (Signal, Signal),
    state: StrutState,
    before: StrutState,
    response: Option<PortResponse>,
    trial: StrutMotion,
    initial: f64,
    attached: bool,
}

/// What winches do to the tendons of struts.
static NO_PULL: Signal = Signal::Constant(0.0);

/// Inertia of the crank in its own frame, with the leaf's end on it.
fn crank_inertia(strut: &Strut) -> nalgebra::Matrix6<f64> {
    let config = strut.config();
    let (length, mass) = (config.crank.length_m, config.crank.mass_kg);
    let across = mass * length * length / 12.0;
    let tensor = Matrix3::from_diagonal(&Vector3::new(0.0, across, across));
    let end = strut.mass() * MASS_SHARE;
    spatial_inertia(mass, [0.5 * length, 0.0, 0.0], tensor)
        + spatial_inertia(end, [length, 0.0, 0.0], Matrix3::zeros())
}

/// The end effector with the leaves' ends on it.
pub fn effector_with_tips<'a>(
    effector: &Body,
    struts: impl Iterator<Item = (&'a Strut, &'a Vector3<f64>)>,
) -> Body {
    let mut out = *effector;
    for (strut, sphere) in struts {
        let end = strut.mass() * MASS_SHARE;
        out.inertia += spatial_inertia(end, (*sphere).into(), Matrix3::zeros());
    }
    out
}

/// A floating base with the cranks and the leaves' ends on it, as `struts` at these crank angles [rad].
pub fn base_with_cranks<'a>(
    base: &Body,
    struts: impl Iterator<Item = (&'a Strut, &'a f64)>,
) -> Body {
    let mut out = *base;
    for (strut, q1) in struts {
        let map = strut.crank_pose(*q1).adjoint_inverse();
        out.inertia += map.tr_mul(&(crank_inertia(strut) * map));
    }
    out
}

impl StrutLeg {
    /// A strut at rest with its crank at `q1` [rad] and its tip at `tip` [m]; `effector` carries the tip.
    pub fn new(
        strut: &Strut,
        q1: f64,
        tip: Vector3<f64>,
        effector: &Body,
        base: Option<&BodyState>,
    ) -> Self {
        let foot = strut.crank_end(q1);
        let first = strut.first_axis(q1);
        let carried = effector.gravity * (strut.mass() * MASS_SHARE);
        let motion = StrutMotion {
            span: tip - foot,
            rate: Vector3::zeros(),
            first,
        };
        let state = StrutState {
            motion,
            ends: [foot, tip],
            base: base.copied(),
            memory: StopMemory::default(),
            force: Vector3::zeros(),
            work_in: 0.0,
            power_in: 0.0,
            lost: 0.0,
            power_lost: 0.0,
        };
        let mut out = Self {
            tip_weight: strut.end_weight() - carried,
            strut: strut.clone(),
            q1,
            foot,
            first,
            floating: base.is_some(),
            signals: (Signal::Constant(0.0), Signal::Constant(q1)),
            before: state,
            trial: motion,
            state,
            response: None,
            initial: 0.0,
            attached: true,
        };
        out.strut.remember(&motion, &mut out.state.memory);
        out.state.force = out.force(&motion);
        out.before = out.state;
        out.initial = out.stored();
        out
    }

    /// The strut.
    pub fn strut(&self) -> &Strut {
        &self.strut
    }

    /// Motion of the tip against A, with A and its velocity.
    fn motion(
        &self,
        tip: &TipMotion,
        base: Option<&BodyState>,
    ) -> (StrutMotion, [Vector3<f64>; 2]) {
        let place = Vector3::from(tip.map(|part| part[0]));
        let velocity = Vector3::from(tip.map(|part| part[1]));
        let (foot, foot_velocity, first) = match base.filter(|_| self.floating) {
            Some(base) => (
                base.point(&self.foot),
                base.point_velocity(&self.foot),
                base.pose.rotation() * self.first,
            ),
            None => (self.foot, Vector3::zeros(), self.first),
        };
        let motion = StrutMotion {
            span: place - foot,
            rate: velocity - foot_velocity,
            first,
        };
        (motion, [foot, place])
    }

    /// Force on the end effector [N].
    fn force(&self, motion: &StrutMotion) -> Vector3<f64> {
        self.strut.respond(motion, &self.state.memory).force + self.tip_weight
    }

    /// Energy stored [J].
    fn stored(&self) -> f64 {
        let energy = self.strut.energy(&self.state.motion);
        energy.strain + energy.tendon + energy.bow + self.tip_potential()
    }

    fn tip_potential(&self) -> f64 {
        -self.tip_weight.dot(&self.state.ends[1])
    }

    /// Power of the ends on the strut [W], by the motion of its accepted state.
    fn power(&self, velocity: &Vector3<f64>) -> f64 {
        let foot = self.state.base.map_or(0.0, |base| self.base_power(&base));
        foot - self.state.force.dot(velocity)
    }

    /// Torque that holds the crank [N·m].
    fn motor_torque(&self) -> f64 {
        let on_foot = -self
            .strut
            .respond(&self.state.motion, &self.state.memory)
            .force;
        let Some(base) = &self.state.base else {
            return self
                .strut
                .holding_torque(self.q1, &(on_foot + self.strut.end_weight()));
        };
        // The crank moves with the base: its inertia about the motor's axis, less the pull at A.
        let pose = self.strut.crank_pose(self.q1);
        let map = pose.adjoint_inverse();
        let moving = BodyState {
            pose: base.pose.compose(&pose),
            velocity: map * base.velocity,
            acceleration: map * base.acceleration,
            algorithmic: map * base.algorithmic,
            modal: Default::default(),
        };
        let body = Body::rigid(crank_inertia(&self.strut), Vector3::zeros());
        let arm = Vector3::new(self.strut.config().crank.length_m, 0.0, 0.0);
        let local = moving.pose.rotation().tr_mul(&on_foot);
        inertia_of(&body, &moving).force[5] - arm.cross(&local).z
    }

    /// Eqs. (2) to (4).
    fn base_response(
        &self,
        base: &BodyState,
        force: &Vector3<f64>,
        [by_span, by_rate]: [&Matrix3<f64>; 2],
    ) -> BaseResponse {
        let rotation = base.pose.rotation();
        let map = point_map(&self.foot);
        let by_point: Matrix3x6<f64> = rotation * map;
        let back = by_point.transpose();
        let mut foot_velocity_by = Matrix3x6::zeros();
        foot_velocity_by
            .fixed_view_mut::<3, 3>(0, 3)
            .copy_from(&-(rotation * skew(&(map * base.velocity)))); // (1)
        let tip_by_base = -(by_span * by_point) - by_rate * foot_velocity_by; // (3)
        let tip_by_velocity = -(by_rate * by_point);
        let mut turned = Matrix3x6::zeros();
        turned
            .fixed_view_mut::<3, 3>(0, 3)
            .copy_from(&skew(&rotation.tr_mul(force)));
        BaseResponse {
            wrench: -(back * force), // (2)
            change: Vector6::zeros(),
            by_position: -(back * by_span),
            by_base: -(back * tip_by_base) - map.tr_mul(&turned), // (4)
            tip_by_base,
            rates: Some(BaseRates {
                by_velocity: -(back * by_rate),
                by_base: -(back * tip_by_velocity),
                tip_by_base: tip_by_velocity,
            }),
        }
    }
}

impl PlatformLeg for StrutLeg {
    type State = StrutState;

    fn fits(&self, _: &StrutState) -> bool {
        true
    }

    fn snapshot(&self) -> StrutState {
        self.state
    }

    fn restore(&mut self, state: &StrutState) {
        self.state = *state;
    }

    fn set_attached(&mut self, attached: bool) {
        self.attached = attached;
    }

    fn is_attached(&self) -> bool {
        self.attached
    }

    fn motor(&self) -> (&Signal, &Signal) {
        (&self.signals.0, &self.signals.1)
    }

    /// A locked motor has nothing to be told.
    fn set_motor(&mut self, _torque: Signal, _angle: Signal) {}

    fn tendon_force(&self) -> &Signal {
        &NO_PULL
    }

    // Validated with locked motors, nothing pulling.
    fn set_tendon_force(&mut self, _pull: Signal) -> bool {
        false
    }

    fn start_angle(&self) -> f64 {
        self.q1
    }

    fn is_led(&self) -> bool {
        false
    }

    fn begin(&mut self, _: &Integrator, _: Guess, _: (f64, f64)) {}

    fn linearize(&mut self, tip: &TipMotion, base: Option<&BodyState>, _: (Iteration, usize)) {
        if !self.attached {
            return;
        }
        let (motion, _) = self.motion(tip, base);
        self.trial = motion;
        let found = self.strut.respond(&motion, &self.state.memory);
        let slopes = [&found.by_span, &found.by_rate];
        self.response = Some(PortResponse {
            force: found.force + self.tip_weight,
            change: Vector3::zeros(),
            by_position: found.by_span,
            by_velocity: found.by_rate,
            base: base
                .filter(|_| self.floating)
                .map(|base| self.base_response(base, &found.force, slopes)),
        });
    }

    fn begin_jump(
        &mut self,
        _: &Integrator,
        tip: &TipMotion,
        base: Option<&BodyState>,
        _: (f64, f64),
    ) {
        self.linearize(tip, base, (Iteration::Full, 1));
    }

    fn jump(&mut self, _: &Vector3<f64>, _: Option<&Vector6<f64>>) {}

    fn take_failure(&mut self) -> Option<multibody::Error> {
        None
    }

    fn response(&self) -> Option<PortResponse> {
        self.response.filter(|_| self.attached)
    }

    fn correct(&mut self, _: &Vector3<f64>, _: Option<&Vector6<f64>>) -> f64 {
        0.0
    }

    fn stop_event(&mut self, h: f64) -> Option<f64> {
        let ends = [&self.state.motion, &self.trial];
        self.strut
            .stop_event(ends, h, &self.state.memory)
            .filter(|_| self.attached)
    }

    fn accept(&mut self, tip: &TipMotion, base: Option<&BodyState>, h: f64, _audit: bool) {
        self.before = self.state;
        if !self.attached {
            return;
        }
        let (motion, ends) = self.motion(tip, base);
        self.state.motion = motion;
        self.state.ends = ends;
        self.state.base = base.filter(|_| self.floating).copied();
        let memory = self.state.memory;
        self.state.force = self.force(&motion);
        let power = self.power(&Vector3::from(tip.map(|part| part[1])));
        let lost = self.strut.dissipated_power(&motion, &memory);
        let state = &mut self.state;
        state.work_in += 0.5 * h * (state.power_in + power);
        state.lost += 0.5 * h * (state.power_lost + lost);
        (state.power_in, state.power_lost) = (power, lost);
        self.strut.remember(&motion, &mut state.memory);
    }

    fn undo(&mut self) {
        self.state = self.before;
    }

    fn touches_stop(&self) -> bool {
        let memory = &self.state.memory;
        self.attached && (memory[0] == 1.0 || memory[2] == 1.0)
    }

    fn balance(&mut self) -> multibody::Result<f64> {
        Ok(self.stored() + self.state.lost - self.state.work_in)
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

    fn base_power(&self, base: &BodyState) -> f64 {
        if !self.floating || !self.attached {
            return 0.0;
        }
        (self.state.force - self.tip_weight).dot(&base.point_velocity(&self.foot))
    }

    fn tip_force(&self) -> Vector3<f64> {
        if self.attached {
            self.state.force
        } else {
            Vector3::zeros()
        }
    }

    fn tip(&self) -> Vector3<f64> {
        self.state.ends[1]
    }

    fn view(&self) -> LegView {
        LegView {
            tip_force: self.tip_force(),
            tendon_tension: self.strut.tension(&self.state.motion),
            tendon_length: self.state.motion.span.norm(),
            motor_angle: self.q1,
            motor_rate: 0.0,
            motor_torque: self.motor_torque(),
        }
    }

    fn energy(&self) -> multibody::Result<LegEnergy> {
        let energy = self.strut.energy(&self.state.motion);
        Ok(LegEnergy {
            kinetic: 0.0,
            strain: energy.strain,
            tendon: energy.tendon,
            gravity: energy.bow + self.tip_potential(),
            work_in: self.state.work_in,
            dissipated: self.state.lost,
        })
    }

    fn shape(&self) -> LegShape {
        let crank = self.strut.crank_pose(self.q1);
        let elements = self.strut.config().solver.elements;
        let base = self.state.base.map_or_else(Se3::identity, |base| base.pose);
        LegShape {
            crank: base.compose(&crank),
            leaf: self
                .strut
                .shape(&self.state.ends[0], &self.state.motion, elements),
        }
    }

    fn leaf_strain(&self) -> Result<LeafStrain, LegError> {
        Ok(self.strut.leaf_strain(self.state.motion.span.norm()))
    }

    fn leaf_stress(&self) -> Result<Stress, LegError> {
        Ok(self.strut.leaf_stress(self.state.motion.span.norm()))
    }

    fn has_tendon(&self) -> bool {
        self.strut.has_tendon()
    }
}
