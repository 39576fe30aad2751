//! Configuration of a platform: every quantity with its unit in the key, every key optional.
//!
//! Defaults are the platform "pacoma". Leg settings are shared by all legs; [`Difference`] gives
//! single legs others. Unknown keys are refused; [`PlatformConfig::validate`] names the key, the
//! value and the allowed range of whatever is wrong.

use crate::attitude::Attitude;
use crate::error::PlatformError;
use crate::parameter as narrower;
use leg_core::ConfigError;
use leg_core::check::{check, positive};
use leg_core::config::{History, Leaf, Link, Motor, MotorMode, Side, Solver, Tendon};
use leg_core::parameter::GRAVITY;
use leg_core::spatial::{Base, SectionShape, SpatialLegConfig, UniversalJoint};
use multibody::math;
use multibody::model::Signal;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How legs and end effector are coupled in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coupling {
    /// One system, each leg condensed to its tip.
    #[default]
    Monolithic,
    /// Macro steps repeated until the joints close.
    Implicit,
    /// Macro steps done once, forces extrapolated.
    Explicit,
}

/// The base.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BaseConfig {
    /// The base floats freely; otherwise it is fixed.
    pub free_floating: bool,
    /// Mass of the chaser without legs and end effector [kg].
    pub mass_kg: f64,
    /// Centre of mass from the centre of the motors' circle [m].
    pub centre_of_mass_m: [f64; 3],
    /// Moments of inertia about the centre of mass [kg·m²].
    pub inertia_kg_m2: [f64; 3],
}

impl Default for BaseConfig {
    fn default() -> Self {
        Self {
            free_floating: false,
            mass_kg: 500.0,
            centre_of_mass_m: [0.0, 0.0, -0.5],
            inertia_kg_m2: [80.0, 80.0, 80.0],
        }
    }
}

/// The end effector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndEffectorConfig {
    /// Position of its centre in the nominal pose, at which the legs are pre-tensioned [m].
    pub position_m: [f64; 3],
    /// Pitch, yaw and roll there [rad].
    pub attitude_rad: Attitude,
    /// Mass [kg].
    pub mass_kg: f64,
    /// Moments of inertia about its centre [kg·m²].
    pub inertia_kg_m2: [f64; 3],
    /// Gravity acts on it; false leaves its weight to the wrench of the user.
    pub feels_gravity: bool,
}

impl Default for EndEffectorConfig {
    fn default() -> Self {
        Self {
            position_m: [0.0, 0.0, 0.400],
            attitude_rad: Attitude::default(),
            mass_kg: 3.0,
            inertia_kg_m2: [0.04, 0.04, 0.07],
            feels_gravity: true,
        }
    }
}

/// Settings of a single leg that differ from those of the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// Leg, from 1.
    pub leg: usize,
    /// Keys of the leg's settings and their values, such as `"tendon.stiffness_n_per_m" = 1500.0`.
    pub set: BTreeMap<String, toml::Value>,
}

/// Where the legs are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LegsConfig {
    /// Elements of each leaf.
    pub elements: usize,
    /// Radius of the circle of motors [m].
    pub motor_radius_m: f64,
    /// Azimuths of the motors [deg]; as many as legs.
    pub motor_azimuth_deg: Vec<f64>,
    /// Azimuths to which the cranks point at q1 = 0 [deg]; empty: radially outward.
    pub crank_azimuth_deg: Vec<f64>,
    /// Radius of the circle of spherical joints on the end effector [m].
    pub sphere_radius_m: f64,
    /// Azimuths of the spherical joints [deg].
    pub sphere_azimuth_deg: Vec<f64>,
    /// Crank angles of the nominal pose [rad]; empty: zero.
    pub q1_rad: Vec<f64>,
    /// Side to which the leaves bow.
    pub side: Side,
    /// Legs that differ from the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub different: Vec<Difference>,
}

impl Default for LegsConfig {
    fn default() -> Self {
        Self {
            elements: 10,
            motor_radius_m: 0.150,
            motor_azimuth_deg: vec![61.84, 118.16, 181.84, 238.16, 301.84, 358.16],
            crank_azimuth_deg: Vec::new(),
            sphere_radius_m: 0.190,
            sphere_azimuth_deg: vec![47.40, 132.60, 167.40, 252.60, 287.40, 12.60],
            q1_rad: Vec::new(),
            side: Side::default(),
            different: Vec::new(),
        }
    }
}

/// Wrench on the end effector's centre in simulations, world axes: numbers or histories.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WrenchConfig {
    /// Force along x [N].
    pub force_x_n: History,
    /// Force along y [N].
    pub force_y_n: History,
    /// Force along z [N].
    pub force_z_n: History,
    /// Moment about x [N·m].
    pub moment_x_nm: History,
    /// Moment about y [N·m].
    pub moment_y_nm: History,
    /// Moment about z [N·m].
    pub moment_z_nm: History,
}

impl WrenchConfig {
    /// Keys and histories, force first.
    fn parts(&self) -> [(&'static str, &History); 6] {
        [
            ("wrench.force_x_n", &self.force_x_n),
            ("wrench.force_y_n", &self.force_y_n),
            ("wrench.force_z_n", &self.force_z_n),
            ("wrench.moment_x_nm", &self.moment_x_nm),
            ("wrench.moment_y_nm", &self.moment_y_nm),
            ("wrench.moment_z_nm", &self.moment_z_nm),
        ]
    }

    /// The histories as signals, force first.
    pub fn signals(&self) -> [Signal; 6] {
        self.parts().map(|(_, history)| history.signal())
    }
}

/// Time stepping of the platform.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolverConfig {
    /// Step of legs and bodies [s].
    pub step_s: f64,
    /// Spectral radius at infinite frequency ρ∞ [-].
    pub spectral_radius: f64,
    /// Newton stops after a correction smaller than this (relative to the length; rad).
    pub newton_tolerance: f64,
    /// Macro step of co-simulation [s].
    pub macro_step_s: f64,
    /// Interface iterations stop below this change of the joints [m].
    pub interface_tolerance_m: f64,
    /// Order of extrapolation in explicit co-simulation: 0, 1 or 2.
    pub extrapolation_order: usize,
    /// Threads inside one run; 0 takes all cores.
    pub threads: usize,
}

impl Default for SolverConfig {
    fn default() -> Self {
        let leg = Solver::default();
        Self {
            step_s: leg.step_s,
            spectral_radius: leg.spectral_radius,
            newton_tolerance: leg.newton_tolerance,
            macro_step_s: leg.step_s,
            interface_tolerance_m: 8e-10,
            extrapolation_order: 0,
            threads: 0,
        }
    }
}

/// Configuration of a platform.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlatformConfig {
    /// Gravity [m/s²].
    pub gravity_m_s2: [f64; 3],
    /// How legs and end effector are coupled.
    pub coupling: Coupling,
    /// The base.
    pub base: BaseConfig,
    /// The end effector.
    pub end_effector: EndEffectorConfig,
    /// Where the legs are.
    pub legs: LegsConfig,
    /// Crank of every leg.
    pub crank: Link,
    /// Universal joint of every leg.
    pub universal: UniversalJoint,
    /// Leaf of every leg.
    pub leaf: Leaf,
    /// Section, if it is not that of the leaf.
    pub section: SectionShape,
    /// Tendon of every leg.
    pub tendon: Tendon,
    /// Motor of every leg.
    pub motor: Motor,
    /// Wrench in simulations.
    pub wrench: WrenchConfig,
    /// Time stepping.
    pub solver: SolverConfig,
}

impl Default for PlatformConfig {
    fn default() -> Self {
        let leg = SpatialLegConfig::default();
        Self {
            gravity_m_s2: [0.0; 3],
            coupling: Coupling::default(),
            base: BaseConfig::default(),
            end_effector: EndEffectorConfig::default(),
            legs: LegsConfig::default(),
            crank: leg.crank,
            universal: leg.universal,
            leaf: leg.leaf,
            section: leg.section,
            tendon: leg.tendon,
            motor: Motor {
                mode: MotorMode::Locked,
                ..leg.motor
            },
            wrench: WrenchConfig::default(),
            solver: SolverConfig::default(),
        }
    }
}

/// All values between `-most` and `most`.
fn all_within(
    key: &'static str,
    values: &[f64],
    most: f64,
    allowed: &'static str,
) -> Result<(), ConfigError> {
    values
        .iter()
        .try_for_each(|&value| check(value.abs() <= most, key, value, allowed))
}

/// Three moments of inertia that a body can have.
pub fn check_inertia(key: &'static str, inertia: &[f64; 3]) -> Result<(), ConfigError> {
    let [a, b, c] = *inertia;
    for (one, others) in [(a, b + c), (b, a + c), (c, a + b)] {
        let ok = (1e-9..=1e15).contains(&one);
        check(ok, key, one, "in [1e-9, 1e15] kg·m²")?;
        let allowed = "no larger than the sum of the other two moments of inertia";
        check(one <= others * (1.0 + 1e-9), key, one, allowed)?;
    }
    Ok(())
}

/// A mass that a body can have.
pub fn check_mass(key: &'static str, mass: f64) -> Result<(), ConfigError> {
    let ok = (1e-3..=1e9).contains(&mass);
    check(ok, key, mass, "in [0.001, 1e9] kg")
}

impl PlatformConfig {
    /// Number of legs.
    pub fn leg_count(&self) -> usize {
        self.legs.motor_azimuth_deg.len()
    }

    /// Checks every value, those of each leg included.
    pub fn validate(&self) -> Result<(), PlatformError> {
        GRAVITY.check_all(&self.gravity_m_s2)?;
        self.validate_bodies()?;
        self.validate_parts()?;
        self.validate_placement()?;
        self.validate_solver()?;
        for (key, history) in self.wrench.parts() {
            history.validate(key)?;
        }
        for (leg, config) in self.leg_configs()?.iter().enumerate() {
            config.validate().map_err(|cause| PlatformError::Leg {
                leg: leg + 1,
                cause: cause.into(),
            })?;
        }
        Ok(())
    }

    fn validate_bodies(&self) -> Result<(), ConfigError> {
        let (base, effector) = (&self.base, &self.end_effector);
        check_mass("base.mass_kg", base.mass_kg)?;
        let far = "in [-100, 100] m";
        all_within("base.centre_of_mass_m", &base.centre_of_mass_m, 1e2, far)?;
        check_inertia("base.inertia_kg_m2", &base.inertia_kg_m2)?;
        let near = "in [-10, 10] m";
        all_within("end_effector.position_m", &effector.position_m, 1e1, near)?;
        let turn = "in [-10, 10] rad";
        all_within(
            "end_effector.attitude_rad",
            &effector.attitude_rad.list(),
            1e1,
            turn,
        )?;
        check_mass("end_effector.mass_kg", effector.mass_kg)?;
        check_inertia("end_effector.inertia_kg_m2", &effector.inertia_kg_m2)
    }

    fn validate_parts(&self) -> Result<(), ConfigError> {
        let (crank, leaf) = (&self.crank, &self.leaf);
        narrower::CRANK_LENGTH.check(crank.length_m)?;
        narrower::LEAF_LENGTH.check(leaf.length_m)?;
        narrower::LEAF_WIDTH.check(leaf.width_m)?;
        narrower::LEAF_THICKNESS.check(leaf.thickness_m)?;
        narrower::YOUNGS_MODULUS.check(leaf.youngs_modulus_pa)?;
        narrower::SHEAR_MODULUS.check(leaf.shear_modulus_pa)?;
        narrower::DENSITY.check(leaf.density_kg_m3)
    }

    fn validate_placement(&self) -> Result<(), ConfigError> {
        let legs = &self.legs;
        let count = self.leg_count();
        let key = "legs.motor_azimuth_deg";
        check(
            (3..=24).contains(&count),
            key,
            count as f64,
            "a list of 3 to 24 azimuths",
        )?;
        let azimuth = "in [-360, 360] deg";
        all_within(key, &legs.motor_azimuth_deg, 360.0, azimuth)?;
        let lists = [
            (
                "legs.sphere_azimuth_deg",
                &legs.sphere_azimuth_deg,
                false,
                360.0,
                azimuth,
            ),
            (
                "legs.crank_azimuth_deg",
                &legs.crank_azimuth_deg,
                true,
                360.0,
                azimuth,
            ),
            ("legs.q1_rad", &legs.q1_rad, true, 10.0, "in [-10, 10] rad"),
        ];
        for (key, list, may_be_empty, most, allowed) in lists {
            let ok = list.len() == count || (may_be_empty && list.is_empty());
            let length = "a list with as many entries as legs.motor_azimuth_deg";
            check(ok, key, list.len() as f64, length)?;
            all_within(key, list, most, allowed)?;
        }
        for (key, radius) in [
            ("legs.motor_radius_m", legs.motor_radius_m),
            ("legs.sphere_radius_m", legs.sphere_radius_m),
        ] {
            check(
                (1e-3..=1e1).contains(&radius),
                key,
                radius,
                "in [0.001, 10] m",
            )?;
        }
        let elements = legs.elements as f64;
        let ok = (2..=200).contains(&legs.elements);
        check(ok, "legs.elements", elements, "in [2, 200]")
    }

    fn validate_solver(&self) -> Result<(), ConfigError> {
        let solver = &self.solver;
        positive("solver.macro_step_s", solver.macro_step_s)?;
        positive("solver.interface_tolerance_m", solver.interface_tolerance_m)?;
        let order = solver.extrapolation_order as f64;
        let ok = solver.extrapolation_order <= 2;
        check(ok, "solver.extrapolation_order", order, "0, 1 or 2")?;
        let threads = solver.threads as f64;
        let ok = solver.threads <= 1024;
        check(ok, "solver.threads", threads, "in [0, 1024]")
    }

    /// Centres of the spherical joints in the end effector's frame [m].
    pub fn sphere_positions(&self) -> Vec<Vector3<f64>> {
        let azimuths = self.legs.sphere_azimuth_deg.iter();
        azimuths
            .map(|azimuth| radial(*azimuth) * self.legs.sphere_radius_m)
            .collect()
    }

    /// Configuration of every leg, tips at the nominal pose.
    pub fn leg_configs(&self) -> Result<Vec<SpatialLegConfig>, PlatformError> {
        let legs = &self.legs;
        let rotation = self.end_effector.attitude_rad.rotation();
        let centre = Vector3::from(self.end_effector.position_m);
        let shared = self.shared_leg();
        let mut out = Vec::with_capacity(self.leg_count());
        for (index, sphere) in self.sphere_positions().iter().enumerate() {
            let Some(&azimuth) = legs.motor_azimuth_deg.get(index) else {
                break;
            };
            let crank = legs.crank_azimuth_deg.get(index).copied();
            let direction = radial(crank.unwrap_or(azimuth));
            let config = SpatialLegConfig {
                base: Base {
                    motor_position_m: (radial(azimuth) * legs.motor_radius_m).into(),
                    crank_direction: direction.into(),
                    motor_axis: direction.cross(&Vector3::z()).into(),
                },
                q1_rad: legs.q1_rad.get(index).copied().unwrap_or(0.0),
                tip_position_m: (centre + rotation * sphere).into(),
                ..shared.clone()
            };
            out.push(config);
        }
        for difference in &legs.different {
            let Some(config) = difference.leg.checked_sub(1).and_then(|i| out.get_mut(i)) else {
                let (leg, count) = (difference.leg, legs.motor_azimuth_deg.len());
                return Err(PlatformError::NoSuchLeg { leg, count });
            };
            *config = overridden(config, difference)?;
        }
        Ok(out)
    }

    /// What all legs share.
    fn shared_leg(&self) -> SpatialLegConfig {
        SpatialLegConfig {
            gravity_m_s2: self.gravity_m_s2,
            crank: self.crank,
            universal: self.universal,
            leaf: self.leaf,
            section: self.section,
            tendon: self.tendon,
            side: self.legs.side,
            motor: self.motor.clone(),
            solver: Solver {
                elements: self.legs.elements,
                step_s: self.solver.step_s,
                spectral_radius: self.solver.spectral_radius,
                newton_tolerance: self.solver.newton_tolerance,
                ..Solver::default()
            },
            ..SpatialLegConfig::default()
        }
    }
}

fn radial(azimuth_deg: f64) -> Vector3<f64> {
    let (sin, cos) = math::sin_cos(azimuth_deg.to_radians());
    Vector3::new(cos, sin, 0.0)
}

/// A leg's configuration with some keys changed.
fn overridden(
    config: &SpatialLegConfig,
    difference: &Difference,
) -> Result<SpatialLegConfig, PlatformError> {
    let refuse = |key: &str, problem: String| PlatformError::Difference {
        leg: difference.leg,
        key: key.to_owned(),
        problem,
    };
    let mut table = toml::Table::try_from(config).map_err(|e| refuse("*", e.to_string()))?;
    for (key, value) in &difference.set {
        put(&mut table, key, value).map_err(|problem| refuse(key, problem.to_owned()))?;
    }
    let keys: Vec<&str> = difference.set.keys().map(String::as_str).collect();
    table
        .try_into()
        .map_err(|error: toml::de::Error| refuse(&keys.join(", "), error.message().to_owned()))
}

/// Sets `key`, which may name tables, in `table`; a table is merged into the one that is there,
/// unless it is a history of its own.
fn put(table: &mut toml::Table, key: &str, value: &toml::Value) -> Result<(), &'static str> {
    if let Some((first, rest)) = key.split_once('.') {
        let inner = table.get_mut(first).and_then(toml::Value::as_table_mut);
        return put(inner.ok_or("a leg has no such table")?, rest, value);
    }
    match (table.get_mut(key), value) {
        (Some(toml::Value::Table(old)), toml::Value::Table(new)) if !new.contains_key("kind") => {
            new.iter()
                .try_for_each(|(name, value)| put(old, name, value))
        }
        _ => {
            table.insert(key.to_owned(), value.clone());
            Ok(())
        }
    }
}
