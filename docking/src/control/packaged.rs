//! A controller inside an FMU for co-simulation.
//!
//! Its variables are those of `Platform.fmu`, seen from the other side, so that one controller drives
//! that FMU in any tool and a docking here: what the platform puts out the controller may take as an
//! input, and it puts out `motor.torque_command[1]` to `[n]`, one for each of the n legs [N·m], and, if
//! it moves the tendons too, `tendon.force_command[1]` to `[n]` [N].
//! Inputs it may have, world axes unless said otherwise:
//!
//! | name | what |
//! |---|---|
//! | `effector.position[1..3]`, `.attitude`, `.velocity`, `.spin` | motion of the end effector's centre; pitch, yaw and roll [m, rad, m/s, rad/s] |
//! | `base.position[1..3]`, … | the same of the base's origin; zero if the base is fixed |
//! | `motor.angle[1..n]`, `motor.rate`, `motor.torque` | of each crank [rad, rad/s, N·m] |
//! | `tendon.length[1..n]`, `tendon.tension` | of each tendon [m, N] |
//! | `sensor.force[1..3]`, `sensor.moment[1..3]` | the force sensor's wrench, axes of the base, about the end effector's origin [N, N·m] |
//! | `latch.closed` | whether the latch has closed: 1 or 0, or a truth value |
//!
//! At a sample time t_k it is told its inputs and makes a step from t_k to t_k + h, h its period; its
//! outputs behind that step are the torques from t_k to t_k + h. This is the order of a master that
//! steps the controller before the plant: a sampled controller answers without delay.

use super::controller::{Controller, Seen};
use crate::config::Scenario;
use crate::error::{DockingError, Result};
use nalgebra::{DVector, Vector6};
use softdock_fmi::import::{FmuArchive, FmuInstance, ImportError, Options};
use softdock_platform::sample::BodySample;
use softdock_platform::scheme::Scheme;
use softdock_xml::{Causality, ModelDescription, VariableType};

/// What the controller puts out, one for each leg.
const TORQUE: &str = "motor.torque_command";
/// What it may put out besides, one for each leg.
const PULL: &str = "tendon.force_command";
/// Whether the latch has closed.
const LATCH: &str = "latch.closed";
/// Parts of the motion of a body, three numbers each.
const MOTION: [&str; 4] = ["position", "attitude", "velocity", "spin"];
/// What is seen of every leg.
const LEG: [&str; 5] = [
    "motor.angle",
    "motor.rate",
    "motor.torque",
    "tendon.length",
    "tendon.tension",
];

/// A controller inside an FMU.
#[derive(Debug)]
pub struct PackagedController {
    instance: FmuInstance,
    period_s: f64,
    /// Samples taken.
    samples: u64,
    /// What it takes in: where that is in the list of [`offered`], and its value reference.
    inputs: Vec<(usize, u32)>,
    /// The latch, if it takes it in as a truth value.
    latch: Option<u32>,
    /// Torques, and pulls if it has them.
    commands: Vec<u32>,
}

/// Names of what a controller may take in, in the order of [`values`].
fn offered(legs: usize) -> Vec<String> {
    let listed = |name: &str, count: usize| -> Vec<String> {
        (1..=count).map(|i| format!("{name}[{i}]")).collect()
    };
    let mut out = Vec::new();
    for body in ["effector", "base"] {
        for part in MOTION {
            out.extend(listed(&format!("{body}.{part}"), 3));
        }
    }
    for name in LEG {
        out.extend(listed(name, legs));
    }
    for part in ["force", "moment"] {
        out.extend(listed(&format!("sensor.{part}"), 3));
    }
    out.push(LATCH.to_owned());
    out
}

/// What the names of [`offered`] stand for now.
fn values(platform: &dyn Scheme, sensor: &Vector6<f64>, latched: bool) -> Vec<f64> {
    let legs = platform.leg_count();
    let base = platform.world().bodies().base;
    let bodies = [
        Some(BodySample::new(platform.effector())),
        base.map(|i| BodySample::new(&platform.bodies()[i])),
    ];
    let mut out = Vec::with_capacity(2 * 3 * MOTION.len() + LEG.len() * legs + 7);
    for body in bodies {
        let motion = body.map_or([[0.0; 3]; MOTION.len()], |body| {
            [
                body.position,
                body.attitude.list(),
                body.velocity,
                body.spin,
            ]
        });
        out.extend(motion.into_iter().flatten());
    }
    let views: Vec<_> = (0..legs).map(|leg| platform.leg(leg)).collect();
    out.extend(views.iter().map(|leg| leg.motor_angle));
    out.extend(views.iter().map(|leg| leg.motor_rate));
    out.extend(views.iter().map(|leg| leg.motor_torque));
    out.extend(views.iter().map(|leg| leg.tendon_length));
    out.extend(views.iter().map(|leg| leg.tendon_tension));
    out.extend(sensor.iter());
    out.push(f64::from(u8::from(latched)));
    out
}

fn failed(error: ImportError) -> DockingError {
    DockingError::Controller {
        reason: error.to_string(),
    }
}

/// The value reference of a real variable in this role, if there is one.
fn real(description: &ModelDescription, name: &str, role: Causality) -> Option<u32> {
    let (_, variable) = description.variable(name)?;
    let fits =
        variable.causality == role && matches!(variable.variable_type, VariableType::Real(_));
    fits.then_some(variable.value_reference)
}

impl PackagedController {
    /// An instance of `archive` for this scenario, sampled with `regulator.period_s`; `set` gives it its
    /// parameters.
    pub fn new(
        archive: &FmuArchive,
        scenario: &Scenario,
        set: impl FnOnce(&mut FmuInstance) -> core::result::Result<(), ImportError>,
    ) -> Result<Self> {
        let legs = scenario.platform.leg_count();
        let description = archive.description();
        let outputs = |family: &str| -> Option<Vec<u32>> {
            let names = (1..=legs).map(|leg| format!("{family}[{leg}]"));
            names
                .map(|name| real(description, &name, Causality::Output))
                .collect()
        };
        let Some(mut commands) = outputs(TORQUE) else {
            return Err(DockingError::Controller {
                reason: format!(
                    "{} has no real outputs {TORQUE}[1] to [{legs}], by which a controller tells \
                     the motors of {legs} legs their torques",
                    description.model_name
                ),
            });
        };
        commands.extend(outputs(PULL).into_iter().flatten());
        let names = offered(legs);
        let input = |(i, name): (usize, &String)| {
            real(description, name, Causality::Input).map(|reference| (i, reference))
        };
        let inputs: Vec<_> = names.iter().enumerate().filter_map(input).collect();
        let known = |name: &str| names.iter().any(|one| one == name);
        let mut others = description
            .model_variables
            .iter()
            .filter(|variable| variable.causality == Causality::Input && !known(&variable.name));
        if let Some(unknown) = others.next() {
            return Err(DockingError::Controller {
                reason: format!(
                    "{} has an input {} that nothing here can serve; offered are {}",
                    description.model_name,
                    unknown.name,
                    families(&names)
                ),
            });
        }
        let latch = description.variable(LATCH).and_then(|(_, variable)| {
            let truth = matches!(variable.variable_type, VariableType::Boolean(_));
            truth.then_some(variable.value_reference)
        });
        let mut instance = archive
            .instantiate("controller", &Options::default())
            .map_err(failed)?;
        set(&mut instance).map_err(failed)?;
        instance.initialize(0.0, None).map_err(failed)?;
        Ok(Self {
            instance,
            period_s: scenario.docking.regulator.period_s,
            samples: 0,
            inputs,
            latch,
            commands,
        })
    }
}

/// Names without their numbers, each once.
fn families(names: &[String]) -> String {
    let mut out: Vec<&str> = Vec::new();
    for name in names {
        let family = name.split('[').next().unwrap_or(name);
        if out.last() != Some(&family) {
            out.push(family);
        }
    }
    out.join(", ")
}

impl Controller for PackagedController {
    fn period_s(&self) -> f64 {
        self.period_s
    }

    fn torques(&mut self, seen: &Seen<'_>) -> Result<DVector<f64>> {
        let latch = seen.platform.world().encounter().map(|e| e.latch());
        let latched = latch.is_some_and(|latch| latch.capture_time().is_some());
        let all = values(seen.platform, &seen.wrench, latched);
        let (references, told): (Vec<u32>, Vec<f64>) = (self.inputs.iter())
            .map(|(i, reference)| (*reference, all[*i]))
            .unzip();
        let instance = &mut self.instance;
        if !references.is_empty() {
            instance.set_real(&references, &told).map_err(failed)?;
        }
        if let Some(latch) = self.latch {
            instance.set_boolean(&[latch], &[latched]).map_err(failed)?;
        }
        let time = self.samples as f64 * self.period_s;
        instance.do_step(time, self.period_s).map_err(failed)?;
        self.samples += 1;
        let mut out = DVector::zeros(self.commands.len());
        instance
            .get_finite_real(&self.commands, out.as_mut_slice())
            .map_err(failed)?;
        Ok(out)
    }
}
