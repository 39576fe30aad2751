//! Motors under a regulator while a target docks.
//!
//! A controller ([`controller::Controller`]) is asked at the times k h, h its period, and its torques
//! are held in between; every sample time is the end of a time step. Controllers at hand:
//!
//! * `lqr`: a linear-quadratic regulator that holds the pose of the end effector ([`lqr`]) by motors,
//!   tendons (`docking/src/control/actuators.rs`) or both, or one in
//!   every leg that goes by its own motor (`per_leg`);
//! * `impedance`: the end effector answers a force like a mass on spring and damper
//!   ([`impedance`]), by a force sensor ([`sensor`]);
//! * `external`: whatever the caller brings, among others a controller inside an FMU (`packaged`).
//!
//! The first two go by the platform's state as it is seen from the base, which may float ([`joined`] says what
//! they move then): estimated from sensors, or exact ([`sight`]). They are designed about the platform
//! at rest; when the latch closes, `resting` takes over. Weights of the `lqr` that bring the end effector alone back in the shortest time make it a
//! stiff spring to a target of 500 kg, which is thrown back; those of [`RegulatorConfig::default`]
//! weigh rates as much as deviations over one second and brake it.

mod actuators;
pub mod controller;
pub mod impedance;
pub mod joined;
pub mod lqr;
#[cfg(feature = "fmus")]
pub mod packaged;
mod per_leg;
mod resting;
pub mod sensor;
pub mod sight;

use crate::config::Scenario;
use crate::error::{DockingError, Result};
use actuators::Limits;
pub(super) use actuators::give;
use controller::{Controller, ControllerMemory, Seen};
use impedance::ImpedanceController;
use leg_core::config::{History, MotorMode};
use lqr::LqrController;
use multibody::dynamics::grid::SLIVER;
use multibody::group::{Group, Se3};
use nalgebra::Vector6;
use per_leg::PerLegController;
use resting::Plan;
use sensor::{ForceSensor, SensorMemory};
use sight::StateSource;
use softdock_platform::PlatformError;
use softdock_platform::bodies::EFFECTOR;
use softdock_platform::config::{Coupling, Fidelity, PlatformConfig};
use softdock_platform::regulator::{RegulatorSettings, WinchSettings};
use softdock_platform::scheme::{Observer, Progress, Scheme};
use softdock_platform::statics::StaticPlatform;
use softdock_settings::{table, words};

words! {
    /// What sets the torques of the motors.
    pub enum Law {
        /// Nothing: motors do what `motor` says.
        #[default]
        None = "none",
        /// A linear-quadratic regulator of the end effector's pose.
        Lqr = "lqr",
        /// Impedance control of the end effector.
        Impedance = "impedance",
        /// A controller from outside.
        External = "external",
    }
}

words! {
    /// Who regulates by what.
    pub enum Structure {
        /// One regulator sets all torques by the state of the whole platform.
        #[default]
        Central = "central",
        /// Every leg sets its torque by angle and rate of its own motor.
        PerLeg = "per_leg",
    }
}

words! {
    /// What a regulator moves.
    pub enum RegulatorInputs {
        /// The motors.
        #[default]
        Motors = "motors",
        /// Motors and the winches that pull the tendons.
        MotorsAndTendons = "motors_and_tendons",
        /// The winches alone, the motors being locked.
        Tendons = "tendons",
    }
}

table! {
    /// The regulator of the end effector's pose.
    #[derive(Copy)]
    pub struct RegulatorConfig in "regulator" {
        law: Law = Law::None, "What sets the torques of the motors: none, a linear-quadratic regulator of the end effector's pose, impedance control (table impedance), or a controller from outside (softdock dock --controller); all but none need motor.mode = \"torque\"";
        structure: Structure = Structure::Central, "lqr: central (one regulator goes by the state of the whole platform), or per_leg (every leg goes by angle and rate of its own motor; the gains, alike for all legs, are those of the lowest cost)";
        inputs: RegulatorInputs = RegulatorInputs::Motors, "lqr: what it moves: motors, motors_and_tendons, or tendons alone with motor.mode = \"locked\" (a winch adds a force to what each tendon has by itself; together they never push)";
        redesign: bool = true, "Design it anew, without a jump, for what hangs on the end effector when the latch closes";
        state: StateSource = StateSource::default(), "How the regulator knows the state of the platform: estimated from pose, motor angles, their rates and the force sensor, or exact (monolithic coupling only)";
        captured_frequency_hz: f64 = 0.2, "Frequency with which everything comes to rest, critically damped, once the latch has closed; lower where the motors' torques do not suffice" ["Hz"; 0.001 to 100];
        position_weight_per_m2: f64 = 1e4, "lqr: weight of the end effector's deviation from its pose at rest" ["1/m²"; 0 to 1e12];
        rotation_weight_per_rad2: f64 = 1e2, "lqr: weight of its rotation" ["1/rad²"; 0 to 1e12];
        velocity_weight_s2_per_m2: f64 = 1e4, "lqr: weight of its velocity" ["s²/m²"; 0 to 1e12];
        spin_weight_s2_per_rad2: f64 = 1e2, "lqr: weight of its rate of rotation" ["s²/rad²"; 0 to 1e12];
        effort_weight_per_n2_m2: f64 = RegulatorSettings::default().effort, "lqr: weight of the torques" ["1/(N·m)²"; 1e-9 to 1e12];
        tendon_effort_weight_per_n2: f64 = 1e-2, "lqr with tendons among its inputs: weight of the forces that winches add to the tendons" ["1/N²"; 1e-12 to 1e12];
        tendon_force_limit_n: f64 = 20.0, "Most that a winch adds to the force of its tendon or takes away from it, under a regulator or a controller from outside" ["N"; 0 to 1e9];
        cutoff_hz: f64 = RegulatorSettings::default().cutoff_hz, "Vibration modes below this frequency are regulated" ["Hz"; 0.01 to 10000, "at most half the sampling rate"];
        period_s: f64 = RegulatorSettings::default().period_s, "Sampling period; torques are held in between" ["s"; 1e-5 to 1];
    }
}

impl RegulatorConfig {
    /// Whether it sets the torques.
    pub fn active(&self) -> bool {
        self.law != Law::None
    }

    /// Whether it is designed here, by a model of the platform.
    fn designed(&self) -> bool {
        matches!(self.law, Law::Lqr | Law::Impedance)
    }

    /// Refuses what an active regulator cannot work with.
    pub(super) fn check_with(&self, platform: &PlatformConfig) -> Result<()> {
        if !self.active() {
            return Ok(());
        }
        let fastest = 0.5 / self.period_s;
        if self.designed() && self.cutoff_hz > fastest * (1.0 + 1e-12) {
            let problem = format!(
                "a period_s of {} tells no faster oscillation than {fastest} Hz from a slower one",
                self.period_s
            );
            return conflict("regulator.cutoff_hz", word(self.cutoff_hz), problem);
        }
        let exact = self.designed() && self.state == StateSource::Exact;
        if platform.coupling != Coupling::Monolithic && exact {
            return conflict(
                "regulator.state",
                word(self.state),
                "only coupling = \"monolithic\" knows the inner state of the legs; take \"estimated\"",
            );
        }
        if self.structure != Structure::Central && self.law != Law::Lqr {
            return conflict(
                "regulator.structure",
                word(self.structure),
                "only regulator.law = \"lqr\" has it; take \"central\"",
            );
        }
        self.check_inputs(platform)?;
        if self.inputs != RegulatorInputs::Tendons {
            return check_motors(platform);
        }
        if platform.motor.mode == MotorMode::Locked {
            return Ok(());
        }
        conflict(
            "motor.mode",
            word(platform.motor.mode),
            "regulator.inputs = \"tendons\" leaves the motors \"locked\"",
        )
    }

    /// Refuses winches where there are none, and regulators that know no winches.
    fn check_inputs(&self, platform: &PlatformConfig) -> Result<()> {
        if self.inputs == RegulatorInputs::Motors {
            return Ok(());
        }
        let refused = |problem| conflict("regulator.inputs", word(self.inputs), problem);
        if self.law != Law::Lqr || self.structure != Structure::Central {
            return refused(
                "only regulator.law = \"lqr\" with structure = \"central\" moves tendons, and a controller \
                 from outside, which needs no setting for that; take \"motors\"",
            );
        }
        if platform.coupling != Coupling::Monolithic {
            return refused("winches need coupling = \"monolithic\"; take \"motors\"");
        }
        if platform.legs.fidelity != Fidelity::Full {
            return refused("winches need legs.fidelity = \"full\"; take \"motors\"");
        }
        let bare = platform
            .leg_configs()?
            .iter()
            .any(|leg| !leg.tendon.present);
        if bare {
            return refused("a leg without a tendon has no winch; take \"motors\"");
        }
        Ok(())
    }

    /// Refuses torques from a caller where a regulator sets them, or where motors take none.
    pub(super) fn check_caller(&self, platform: &PlatformConfig) -> Result<()> {
        if self.designed() {
            return conflict(
                "regulator.law",
                word(self.law),
                "torques from outside need \"external\"",
            );
        }
        check_motors(platform)
    }

    fn settings(&self) -> RegulatorSettings {
        RegulatorSettings {
            position: self.position_weight_per_m2,
            rotation: self.rotation_weight_per_rad2,
            velocity: self.velocity_weight_s2_per_m2,
            spin: self.spin_weight_s2_per_rad2,
            effort: self.effort_weight_per_n2_m2,
            winches: (self.inputs != RegulatorInputs::Motors).then_some(WinchSettings {
                alone: self.inputs == RegulatorInputs::Tendons,
                effort: self.tendon_effort_weight_per_n2,
                limit: self.tendon_force_limit_n,
            }),
            cutoff_hz: self.cutoff_hz,
            period_s: self.period_s,
        }
    }
}

/// Refuses motors that do not take torques from a controller.
fn check_motors(platform: &PlatformConfig) -> Result<()> {
    let motor = &platform.motor;
    if motor.mode != MotorMode::Torque {
        return conflict(
            "motor.mode",
            word(motor.mode),
            "it sets the torques of motors that turn freely (motor.mode = \"torque\")",
        );
    }
    if motor.torque_nm != History::Constant(0.0) {
        let given = word(&motor.torque_nm);
        return conflict("motor.torque_nm", given, "it sets the torques itself");
    }
    let other = platform
        .leg_configs()?
        .iter()
        .position(|leg| leg.motor != *motor);
    other.map_or(Ok(()), |leg| {
        let given = format!("(motor of leg {})", leg + 1);
        conflict("legs.different", given, "its motors must all be alike")
    })
}

fn conflict(key: &'static str, value: String, problem: impl Into<String>) -> Result<()> {
    Err(DockingError::RegulatorConflict {
        key,
        value,
        problem: problem.into(),
    })
}

/// A value as a configuration file has it.
fn word(value: impl serde::Serialize) -> String {
    toml::Value::try_from(value).map_or_else(|_| String::new(), |value| value.to_string())
}

/// Why a design failed, as an error of the regulator.
fn design_error(error: PlatformError) -> DockingError {
    match error {
        PlatformError::Control(cause) => DockingError::NoRegulator { cause },
        PlatformError::Kernel(cause) => DockingError::NoRegulator {
            cause: cause.into(),
        },
        other => other.into(),
    }
}

/// What changes in a controller at work.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct ControlMemory {
    controller: ControllerMemory,
    sensor: SensorMemory,
    captured: bool,
    samples: u64,
    pulls: Vec<f64>,
}

/// A controller at work on a docking platform.
#[derive(Debug)]
pub(super) struct Control {
    controller: Box<dyn Controller>,
    sensor: ForceSensor,
    limits: Limits,
    redesign: bool,
    captured: bool,
    /// Samples taken.
    samples: u64,
    /// Pulls of the winches since the last sample [N]; none if it moves none.
    pulls: Vec<f64>,
}

impl Control {
    /// The controller of a scenario about `equilibrium`, if it has one; `platform` is about to start
    /// there. The law `external` takes the one `from_outside`, if there is one; no other law allows
    /// one.
    pub fn new(
        scenario: &Scenario,
        equilibrium: &StaticPlatform,
        platform: &dyn Scheme,
        from_outside: Option<Box<dyn Controller>>,
    ) -> Result<Option<Self>> {
        let config = &scenario.docking.regulator;
        if from_outside.is_some() && config.law != Law::External {
            conflict(
                "regulator.law",
                word(config.law),
                "a controller from outside needs \"external\"",
            )?;
        }
        if !config.active() {
            return Ok(None);
        }
        let limit = scenario.platform.motor.torque_limit_nm;
        let holding = equilibrium.holding_torques();
        let needed = holding
            .iter()
            .fold(0.0, |most: f64, torque| most.max(torque.abs()));
        if needed > limit && config.inputs != RegulatorInputs::Tendons {
            let problem = format!("the motors need {needed:.3} N·m to hold the platform at rest");
            conflict("motor.torque_limit_nm", word(limit), problem)?;
        }
        let inertia = joined::inertia(platform, false);
        let plan = Plan::new(config, equilibrium);
        let controller: Box<dyn Controller> = match config.law {
            Law::None => return Ok(None),
            Law::External => match from_outside {
                Some(controller) => controller,
                // The caller is the controller.
                None => return Ok(None),
            },
            Law::Lqr => match config.structure {
                Structure::Central => Box::new(LqrController::new(plan, &inertia)?),
                Structure::PerLeg => Box::new(PerLegController::new(plan, &inertia)?),
            },
            Law::Impedance => Box::new(ImpedanceController::new(
                plan,
                &scenario.docking.impedance,
                &inertia,
            )?),
        };
        let period = controller.period_s();
        Ok(Some(Self {
            sensor: ForceSensor::new(&scenario.docking.force_sensor, period),
            controller,
            limits: Limits::new(scenario, period),
            redesign: scenario.docking.regulator.redesign,
            captured: false,
            samples: 0,
            pulls: Vec::new(),
        }))
    }

    /// What changes in it; none of a controller that cannot tell.
    pub fn memory(&self) -> Option<ControlMemory> {
        Some(ControlMemory {
            controller: self.controller.memory()?,
            sensor: self.sensor.memory(),
            captured: self.captured,
            samples: self.samples,
            pulls: self.pulls.clone(),
        })
    }

    /// Goes on from a memory of the same scenario; false if it is of another one.
    pub fn recall(&mut self, memory: &ControlMemory) -> Result<bool> {
        if !self.sensor.recall(&memory.sensor) || !self.controller.recall(&memory.controller)? {
            return Ok(false);
        }
        self.captured = memory.captured;
        self.samples = memory.samples;
        self.pulls.clone_from(&memory.pulls);
        Ok(true)
    }

    /// The same once more, if the controller can be copied.
    pub fn copy(&self) -> Option<Self> {
        Some(Self {
            controller: self.controller.copy()?,
            sensor: self.sensor.clone(),
            limits: self.limits,
            redesign: self.redesign,
            captured: self.captured,
            samples: self.samples,
            pulls: self.pulls.clone(),
        })
    }

    /// When the next sample is due [s].
    fn due(&self) -> f64 {
        self.samples as f64 * self.controller.period_s()
    }

    /// [`Scheme::advance_observed`] with new torques at every sample time before `end`.
    pub fn advance(
        &mut self,
        platform: &mut dyn Scheme,
        end: f64,
        observe: &mut Observer<'_>,
    ) -> Result<Progress> {
        let period = self.controller.period_s();
        let same = SLIVER * period.min(platform.config().solver.step_s);
        let mut out = Progress::default();
        loop {
            if platform.time() >= self.due() - same {
                self.sample(platform)?;
                self.samples += 1;
            }
            let last = self.due() >= end - same;
            let stop = if last { end } else { self.due() };
            out += platform.advance_observed(stop, observe)?;
            if last {
                return Ok(out);
            }
        }
    }

    /// Asks the controller and tells motors and winches.
    fn sample(&mut self, platform: &mut dyn Scheme) -> Result<()> {
        let time = platform.time();
        let truth = outer_wrench(platform, time);
        let seen = Seen {
            time,
            platform,
            wrench: self.sensor.read(&truth),
        };
        let latch = platform.world().encounter().map(|e| e.latch());
        let closed = latch.is_some_and(|latch| latch.capture_time().is_some());
        if closed && !self.captured && self.redesign {
            self.controller
                .captured(&seen, &joined::inertia(platform, true))?;
        }
        self.captured |= closed;
        let demand = self.controller.torques(&seen)?;
        let (controller, pulls) = (self.controller.as_ref(), self.pulls.as_slice());
        let applied = actuators::within_limits(controller, platform, &self.limits, &demand, pulls)?;
        self.pulls = applied.iter().skip(platform.leg_count()).copied().collect();
        self.controller.applied(&demand, &applied);
        give(platform, &applied)
    }
}

/// Wrench on the end effector from outside: axes of the base, about the end effector's origin.
fn outer_wrench(platform: &dyn Scheme, time: f64) -> Vector6<f64> {
    let world = platform.world();
    let base = world.bodies().base;
    let base = base.map_or_else(Se3::identity, |i| platform.bodies()[i].pose);
    let turned = base.between(&platform.bodies()[EFFECTOR].pose).rotation();
    let mut out = Vector6::zeros();
    let (force, moment) = world.wrench().sample(time);
    let touched = world.encounter().map(|e| e.output().wrench_a);
    for (block, outer) in [force, moment].iter().enumerate() {
        let mut rows = out.fixed_rows_mut::<3>(3 * block);
        rows += base.rotation().tr_mul(outer);
        if let Some(touched) = &touched {
            rows += turned * touched.fixed_rows::<3>(3 * block);
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod claims;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::setup::resting_platform;
    use leg_core::config::Shape;
    use multibody::model::Signal;
    use softdock_platform::monolithic::Platform;
    use softdock_platform::wrench::WrenchHistory;

    fn regulated() -> Scenario {
        let mut scenario = Scenario::default();
        scenario.platform.legs.elements = 3;
        scenario.platform.motor.mode = MotorMode::Torque;
        scenario.docking.regulator.law = Law::Lqr;
        scenario
    }

    #[test]
    fn settings_that_do_not_go_with_a_regulator_are_refused_by_name() {
        regulated().validate().unwrap();
        type Change = fn(&mut Scenario);
        let changes: [(&str, Change); 11] = [
            ("motor.mode = \"torque\"", |s| {
                s.docking.regulator.inputs = RegulatorInputs::Tendons;
            }),
            ("regulator.inputs = \"motors_and_tendons\"", |s| {
                s.docking.regulator.inputs = RegulatorInputs::MotorsAndTendons;
                s.docking.regulator.law = Law::Impedance;
            }),
            ("regulator.inputs = \"motors_and_tendons\"", |s| {
                s.docking.regulator.inputs = RegulatorInputs::MotorsAndTendons;
                s.platform.coupling = Coupling::Implicit;
            }),
            ("regulator.inputs = \"motors_and_tendons\"", |s| {
                s.docking.regulator.inputs = RegulatorInputs::MotorsAndTendons;
                s.platform.tendon.present = false;
            }),
            ("regulator.cutoff_hz = 501.0", |s| {
                s.docking.regulator.cutoff_hz = 501.0;
            }),
            ("regulator.state = \"exact\"", |s| {
                s.platform.coupling = Coupling::Implicit;
                s.docking.regulator.state = StateSource::Exact;
            }),
            ("motor.mode = \"locked\"", |s| {
                s.platform.motor.mode = MotorMode::Locked;
            }),
            ("motor.torque_nm = 1.0", |s| {
                s.platform.motor.torque_nm = History::Constant(1.0);
            }),
            ("motor.torque_nm = { ", |s| {
                s.platform.motor.torque_nm = History::Shape(Shape::Sine {
                    offset: 0.0,
                    amplitude: 1.0,
                    frequency_hz: 1.0,
                    phase_rad: 0.0,
                });
            }),
            ("legs.different = (motor of leg 2)", |s| {
                let text = "leg = 2\nset = { \"motor.torque_limit_nm\" = 5.0 }";
                s.platform.legs.different = vec![toml::from_str(text).unwrap()];
            }),
            ("regulator.period_s = 0.00001", |s| {
                s.docking.regulator.period_s = 1e-5;
                s.docking.duration_s = 1000.0;
                s.docking.output_interval_s = 0.1;
            }),
        ];
        for (named, change) in changes {
            let mut scenario = regulated();
            change(&mut scenario);
            let message = scenario.validate().unwrap_err().to_string();
            assert!(message.starts_with(named), "{message}");
            scenario.docking.regulator.law = Law::None;
            scenario.validate().unwrap();
        }
    }

    /// Regulated until a time, in a docking in which the latch closes early.
    fn brought_to_rest(scenario: &Scenario) -> crate::Summary {
        let mut run = crate::DockingRun::new(scenario, false).unwrap();
        run.run().unwrap();
        run.summary().unwrap()
    }

    /// A target of 500 kg that is captured comes to rest within 5 s of the capture, under every law, and
    /// nothing beyond its limits.
    #[test]
    fn what_is_captured_comes_to_rest_under_every_law() {
        for law in [Law::Lqr, Law::Impedance] {
            let mut scenario = regulated();
            scenario.docking.regulator.law = law;
            scenario.docking.misalignment.pitch_deg = 2.0;
            scenario.docking.duration_s = 6.5;
            let summary = brought_to_rest(&scenario);
            let captured = summary.capture_time_s.unwrap();
            let touched = summary.first_touch_s.unwrap();
            let settled = touched + summary.settling_time_s.unwrap();
            println!("{law:?}: captured at {captured} s, at rest at {settled} s");
            assert!(
                settled < captured + 5.0,
                "{law:?}: {captured} s, {settled} s"
            );
            assert!(summary.margins.all_met(), "{law:?}: {:?}", summary.margins);
            assert!(summary.energy_residual_rel < 1e-3);
        }
    }

    /// The same where gravity acts on platform and legs: the regulator holds what the motors carry at rest.
    #[test]
    fn what_is_captured_under_gravity_comes_to_rest() {
        for law in [Law::Lqr, Law::Impedance] {
            let mut scenario = regulated();
            scenario.platform.gravity_m_s2 = [0.0, 0.0, -9.81];
            scenario.docking.regulator.law = law;
            scenario.docking.misalignment.pitch_deg = 2.0;
            scenario.docking.duration_s = 6.5;
            let summary = brought_to_rest(&scenario);
            let captured = summary.capture_time_s.unwrap();
            let settled = summary.first_touch_s.unwrap() + summary.settling_time_s.unwrap();
            println!("{law:?}: captured at {captured} s, at rest at {settled} s");
            assert!(
                settled < captured + 5.0,
                "{law:?}: {captured} s, {settled} s"
            );
            assert!(summary.margins.all_met(), "{law:?}: {:?}", summary.margins);
            assert!(!summary.soundness.is_suspect() && summary.energy_residual_rel < 1e-3);
        }
    }

    /// A controller that is asked every 2 ms changes its torques by more at once; behind every change
    /// the co-simulation begins smaller steps, which must not shake the leaves (100 N instead of 25 N).
    #[test]
    fn co_simulated_legs_are_not_shaken_by_a_slow_controller() {
        let peak = |coupling| {
            let mut scenario = regulated();
            scenario.platform.coupling = coupling;
            scenario.docking.regulator.period_s = 2e-3;
            scenario.docking.duration_s = 1.25;
            let summary = brought_to_rest(&scenario);
            assert!(!summary.soundness.is_suspect());
            summary.peak_contact_force_n.unwrap()
        };
        let (one, coupled) = (peak(Coupling::Monolithic), peak(Coupling::Implicit));
        println!("peak force {one} N, in co-simulation {coupled} N");
        assert!((coupled / one - 1.0).abs() < 3e-3, "{one} N, {coupled} N");
    }

    /// A target that is as good as a wall finds a regulator, too.
    #[test]
    fn regulators_take_over_with_a_wall() {
        let mut scenario = regulated();
        let docking = &mut scenario.docking;
        docking.closing_speed_m_s = 0.02;
        docking.misalignment.pitch_deg = 1.0;
        docking.target.mass_kg = 1e9;
        docking.target.inertia_kg_m2 = [1e9; 3];
        docking.duration_s = 0.15;
        let latch = &mut docking.contact.latch;
        (latch.speed_m_s, latch.dwell_s) = (0.1, 0.02);
        assert!(brought_to_rest(&scenario).capture_time_s.is_some());
    }

    /// Legs that solve their own steps hide their state; the estimate needs only what sensors tell.
    #[test]
    fn co_simulated_legs_are_regulated_like_those_of_one_solver() {
        let mut scenario = regulated();
        scenario.docking.duration_s = 0.4;
        let one = brought_to_rest(&scenario).peak_contact_force_n.unwrap();
        scenario.platform.coupling = Coupling::Implicit;
        let coupled = brought_to_rest(&scenario).peak_contact_force_n.unwrap();
        println!("peak force {one} N, in co-simulation {coupled} N");
        assert!((coupled / one - 1.0).abs() < 1e-3, "{one} N, {coupled} N");
        scenario.platform.coupling = Coupling::Monolithic;
        scenario.docking.regulator.state = StateSource::Exact;
        let exact = brought_to_rest(&scenario).peak_contact_force_n.unwrap();
        println!("with the exact state {exact} N");
        assert!((exact / one - 1.0).abs() < 2e-2, "{one} N, {exact} N");
    }

    #[test]
    fn values_outside_their_range_are_refused_even_if_not_active() {
        type Change = fn(&mut RegulatorConfig);
        let changes: [(&str, Change); 4] = [
            ("regulator.spin_weight_s2_per_rad2", |c| {
                c.spin_weight_s2_per_rad2 = -1.0;
            }),
            ("regulator.effort_weight_per_n2_m2", |c| {
                c.effort_weight_per_n2_m2 = 0.0;
            }),
            ("regulator.cutoff_hz", |c| c.cutoff_hz = f64::NAN),
            ("regulator.period_s", |c| c.period_s = 0.0),
        ];
        for (key, change) in changes {
            let mut scenario = Scenario::default();
            change(&mut scenario.docking.regulator);
            let message = scenario.validate().unwrap_err().to_string();
            assert!(message.contains(key), "{message}");
        }
    }

    #[test]
    fn motors_too_weak_to_hold_the_platform_are_refused() {
        let mut scenario = regulated();
        scenario.platform.gravity_m_s2 = [0.0, 0.0, -9.81];
        scenario.platform.motor.torque_limit_nm = 0.1;
        let equilibrium = resting_platform(&scenario).unwrap();
        let platform = Platform::at_rest(&equilibrium).unwrap();
        let message = Control::new(&scenario, &equilibrium, &platform, None)
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with("motor.torque_limit_nm = 0.1"),
            "{message}"
        );
    }

    /// A pushed platform, advanced in unequal parts: time and first torque after every step.
    fn torques(period: f64, ends: &[f64]) -> Vec<(f64, f64)> {
        let mut scenario = regulated();
        scenario.docking.regulator.period_s = period;
        let equilibrium = resting_platform(&scenario).unwrap();
        let push = WrenchHistory(core::array::from_fn(|i| Signal::Constant(i as f64)));
        let mut platform = Platform::at_rest_under(&equilibrium, push).unwrap();
        let mut control = Control::new(&scenario, &equilibrium, &platform, None)
            .unwrap()
            .unwrap();
        let mut out = Vec::new();
        for end in ends {
            let observe = &mut |p: &mut dyn Scheme| out.push((p.time(), p.leg(0).motor_torque));
            control.advance(&mut platform, *end, observe).unwrap();
            assert_eq!(platform.time(), *end);
        }
        out
    }

    /// Whatever the output times are, every sample time ends a step, no step is a sliver between
    /// two numbers for the same time, and the torque is constant from one sample to the next.
    #[test]
    fn torques_are_held_from_sample_to_sample() {
        for period in [1e-3, 1.3e-3, 0.7e-3] {
            let ends: Vec<f64> = (1..=10).map(|k| f64::from(k) * 2e-3).collect();
            let seen = torques(period, &ends);
            let mut last = 0.0;
            for (time, _) in &seen {
                assert!(time - last > 1e-5, "{period}: a step of {:e}", time - last);
                last = *time;
            }
            let samples = (0.02 / period + 1e-6).floor() as usize;
            let mut different = 0;
            for k in 0..samples {
                let (from, to) = (k as f64 * period, (k + 1) as f64 * period);
                let same = 1e-5 * period;
                assert!(seen.iter().any(|(t, _)| (t - to).abs() < same), "{to}");
                let held: Vec<f64> = seen
                    .iter()
                    .filter(|(t, _)| *t > from + same && *t < to + same)
                    .map(|(_, torque)| *torque)
                    .collect();
                assert!(held.iter().all(|torque| *torque == held[0]), "{held:?}");
                let next = seen.iter().find(|(t, _)| *t > to + same);
                different += usize::from(next.is_some_and(|(_, torque)| *torque != held[0]));
            }
            assert!(different + 1 >= samples, "{different} of {samples}");
            assert_eq!(seen, torques(period, &ends));
        }
    }
}
