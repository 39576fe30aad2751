//! What the monolithic scheme asks of a leg, whatever its fidelity: how its ends answer their motion,
//! and what it shows.

use crate::bodies::PortResponse;
use crate::body::BodyState;
use crate::native::NativeLeg;
use crate::stopwatch::LegTimes;
use crate::unit::native::{leg_energy, leg_shape, leg_view};
use crate::unit::{LegEnergy, LegShape, LegView};
use leg_core::LegError;
use leg_core::config::MotorMode;
use leg_core::limits::JointAttitudes;
use leg_core::spatial::SpatialState;
use multibody::dynamics::integrator::Integrator;
use multibody::group::Group;
use multibody::model::Signal;
use multibody::port::condensed::{Guess, Iteration};
use multibody::results::soundness::LeafStrain;
use multibody::results::stress::Stress;
use nalgebra::{Vector3, Vector6};

/// Position, velocity and acceleration of a tip, each component of the three together.
pub type TipMotion = [[f64; 3]; 3];

/// A leg of the monolithic scheme.
pub trait PlatformLeg: Clone + core::fmt::Debug + Send + Sync + 'static {
    /// What changes in a run.
    type State: Clone + core::fmt::Debug + PartialEq;

    /// A snapshot.
    fn snapshot(&self) -> Self::State;
    /// Goes back (or on) to a snapshot.
    fn restore(&mut self, state: &Self::State);
    /// Whether a snapshot that was read can be one of this leg.
    fn fits(&self, state: &Self::State) -> bool;

    /// Breaks the leg, or makes it whole again: while it is broken, it carries nothing and stays where it
    /// is.
    fn set_attached(&mut self, attached: bool);
    /// True until the leg is broken.
    fn is_attached(&self) -> bool;

    /// The motor's torque history [N·m] and target history [rad].
    fn motor(&self) -> (&Signal, &Signal);
    /// Gives the motor another torque history [N·m] and target history [rad], both absolute.
    fn set_motor(&mut self, torque: Signal, angle: Signal);
    /// History of the pull that a winch adds to the tendon [N].
    fn tendon_force(&self) -> &Signal;
    /// Gives the winch another history [N]; false if the leg has none.
    fn set_tendon_force(&mut self, pull: Signal) -> bool;
    /// Crank angle at the start [rad].
    fn start_angle(&self) -> f64;
    /// The crank's angle follows a history.
    fn is_led(&self) -> bool;

    /// Starts a step that ends at `end` [s]; a history that jumps less than `slack` [s] before jumps
    /// at the end.
    fn begin(&mut self, integrator: &Integrator, guess: Guess, end_and_slack: (f64, f64));
    /// Linearises the step for this motion of the ends.
    fn linearize(&mut self, tip: &TipMotion, base: Option<&BodyState>, how: (Iteration, usize));
    /// Linearises where the leg is, under inputs that have jumped at a time [s] or less than the slack
    /// [s] behind it.
    fn begin_jump(
        &mut self,
        integrator: &Integrator,
        tip: &TipMotion,
        base: Option<&BodyState>,
        time_and_slack: (f64, f64),
    );
    /// The same before a step far shorter than the last one: velocities become consistent with those of
    /// the ends, accelerations with [`Self::jump`]. A leg without constraints of its own has no more to
    /// do than behind a jump.
    fn begin_consistent(
        &mut self,
        integrator: &Integrator,
        tip: &TipMotion,
        base: Option<&BodyState>,
        time_and_slack: (f64, f64),
    ) {
        self.begin_jump(integrator, tip, base, time_and_slack);
    }
    /// Lets accelerations and reactions jump, for these changes of the ends.
    fn jump(&mut self, tip: &Vector3<f64>, base: Option<&Vector6<f64>>);
    /// Why the last linearisation failed, if it did.
    fn take_failure(&mut self) -> Option<multibody::Error>;
    /// The answer to the motion of the ends; none if the leg is broken.
    fn response(&self) -> Option<PortResponse>;
    /// Completes the correction for these changes of the ends: size of the correction.
    fn correct(&mut self, tip: &Vector3<f64>, base: Option<&Vector6<f64>>) -> f64;
    /// Fraction of the step of `h` [s] under way at which a stop is met or left.
    fn stop_event(&mut self, h: f64) -> Option<f64>;
    /// Makes the iterate the leg's state behind a step of `h` [s]; with `audit` its balance is found at
    /// once.
    fn accept(&mut self, tip: &TipMotion, base: Option<&BodyState>, h: f64, audit: bool);
    /// Goes back to where the last accepted step began.
    fn undo(&mut self);
    /// True if a stop is touched.
    fn touches_stop(&self) -> bool;

    /// Energy stored and dissipated less the work of the inputs since the start [J].
    fn balance(&mut self) -> multibody::Result<f64>;
    /// Work of the inputs since the start [J].
    fn work_in(&self) -> f64;
    /// Energy dissipated since the start [J].
    fn dissipated(&self) -> f64;
    /// Energy stored at the start [J].
    fn initial_energy(&self) -> f64;
    /// Power of a floating base on the leg [W].
    fn base_power(&self, base: &BodyState) -> f64;
    /// Force on the end effector, world axes [N].
    fn tip_force(&self) -> Vector3<f64>;
    /// Where the leg's own tip is [m].
    fn tip(&self) -> Vector3<f64>;

    /// A look at the leg.
    fn view(&self) -> LegView;
    /// Angle of its crank [rad].
    fn motor_angle(&self) -> f64 {
        self.view().motor_angle
    }
    /// Its energies.
    fn energy(&self) -> multibody::Result<LegEnergy>;
    /// Where its parts are.
    fn shape(&self) -> LegShape;
    /// Largest strains of its leaf.
    fn leaf_strain(&self) -> Result<LeafStrain, LegError>;
    /// Largest stress of its leaf.
    fn leaf_stress(&self) -> Result<Stress, LegError>;
    /// How its members stand in its joints; none of a leg without a leaf.
    fn joint_attitudes(&self) -> Option<JointAttitudes> {
        None
    }
    /// True if it has a tendon.
    fn has_tendon(&self) -> bool;

    /// Starts to measure the time spent, from zero.
    fn measure(&mut self) {}
    /// Time spent since [`Self::measure`].
    fn times(&self) -> LegTimes {
        LegTimes::default()
    }
    /// The leg with its leaf as a beam, if it is one.
    fn as_native(&self) -> Option<&NativeLeg> {
        None
    }
}

impl PlatformLeg for NativeLeg {
    type State = SpatialState;

    fn snapshot(&self) -> SpatialState {
        self.state().clone()
    }

    fn restore(&mut self, state: &SpatialState) {
        self.set_state(state);
    }

    fn fits(&self, state: &SpatialState) -> bool {
        state.fits(self.state())
    }

    fn set_attached(&mut self, attached: bool) {
        NativeLeg::set_attached(self, attached);
    }

    fn is_attached(&self) -> bool {
        NativeLeg::is_attached(self)
    }

    fn motor(&self) -> (&Signal, &Signal) {
        NativeLeg::motor(self)
    }

    fn set_motor(&mut self, torque: Signal, angle: Signal) {
        NativeLeg::set_motor(self, torque, angle);
    }

    fn tendon_force(&self) -> &Signal {
        NativeLeg::tendon_force(self)
    }

    fn set_tendon_force(&mut self, pull: Signal) -> bool {
        let has_tendon = self.leg().tendon.is_some();
        if has_tendon {
            NativeLeg::set_tendon_force(self, pull);
        }
        has_tendon
    }

    fn start_angle(&self) -> f64 {
        NativeLeg::start_angle(self)
    }

    fn is_led(&self) -> bool {
        self.leg().config.motor.mode == MotorMode::Angle
    }

    fn begin(&mut self, integrator: &Integrator, guess: Guess, end_and_slack: (f64, f64)) {
        NativeLeg::begin(self, integrator, guess, end_and_slack);
    }

    fn linearize(&mut self, tip: &TipMotion, base: Option<&BodyState>, how: (Iteration, usize)) {
        NativeLeg::linearize(self, tip, base, how);
    }

    fn begin_jump(
        &mut self,
        integrator: &Integrator,
        tip: &TipMotion,
        base: Option<&BodyState>,
        time_and_slack: (f64, f64),
    ) {
        NativeLeg::begin_jump(self, integrator, tip, base, time_and_slack);
    }

    fn begin_consistent(
        &mut self,
        integrator: &Integrator,
        tip: &TipMotion,
        base: Option<&BodyState>,
        time_and_slack: (f64, f64),
    ) {
        NativeLeg::begin_consistent(self, integrator, tip, base, time_and_slack);
    }

    fn jump(&mut self, tip: &Vector3<f64>, base: Option<&Vector6<f64>>) {
        NativeLeg::jump(self, tip, base);
    }

    fn take_failure(&mut self) -> Option<multibody::Error> {
        NativeLeg::take_failure(self)
    }

    fn response(&self) -> Option<PortResponse> {
        NativeLeg::response(self)
    }

    fn correct(&mut self, tip: &Vector3<f64>, base: Option<&Vector6<f64>>) -> f64 {
        NativeLeg::correct(self, tip, base)
    }

    fn stop_event(&mut self, _h: f64) -> Option<f64> {
        NativeLeg::stop_event(self)
    }

    fn accept(&mut self, tip: &TipMotion, base: Option<&BodyState>, _h: f64, audit: bool) {
        NativeLeg::accept(self, tip, base, audit);
    }

    fn undo(&mut self) {
        NativeLeg::undo(self);
    }

    fn touches_stop(&self) -> bool {
        NativeLeg::touches_stop(self)
    }

    fn balance(&mut self) -> multibody::Result<f64> {
        NativeLeg::balance(self)
    }

    fn work_in(&self) -> f64 {
        self.state().ledger.work_in
    }

    fn dissipated(&self) -> f64 {
        self.state().ledger.dissipated
    }

    fn initial_energy(&self) -> f64 {
        self.state().ledger.initial
    }

    fn base_power(&self, base: &BodyState) -> f64 {
        NativeLeg::base_power(self, base)
    }

    fn tip_force(&self) -> Vector3<f64> {
        NativeLeg::tip_force(self)
    }

    fn tip(&self) -> Vector3<f64> {
        self.state().pose(self.leg().node_b).translation()
    }

    fn view(&self) -> LegView {
        leg_view(self.leg(), self.state(), NativeLeg::tip_force(self))
    }

    fn motor_angle(&self) -> f64 {
        self.state().angle(self.leg().motor_joint)
    }

    fn energy(&self) -> multibody::Result<LegEnergy> {
        leg_energy(self.leg(), self.state())
    }

    fn shape(&self) -> LegShape {
        leg_shape(self.leg(), self.state())
    }

    fn leaf_strain(&self) -> Result<LeafStrain, LegError> {
        self.leg().leaf_strain(self.state())
    }

    fn leaf_stress(&self) -> Result<Stress, LegError> {
        NativeLeg::leaf_stress(self)
    }

    fn joint_attitudes(&self) -> Option<JointAttitudes> {
        Some(self.leg().joint_attitudes(self.state()))
    }

    fn has_tendon(&self) -> bool {
        self.leg().tendon.is_some()
    }

    fn measure(&mut self) {
        NativeLeg::measure(self);
    }

    fn times(&self) -> LegTimes {
        NativeLeg::times(self)
    }

    fn as_native(&self) -> Option<&NativeLeg> {
        Some(self)
    }
}
