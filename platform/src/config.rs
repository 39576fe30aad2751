//! Configuration of a platform: every quantity with its unit in the key, every key optional.
//!
//! Defaults are the platform "pacoma". Leg settings are shared by all legs; [`Difference`] gives
//! single legs others. Unknown keys are refused; [`PlatformConfig::validate`] names the key, the
//! value and the allowed range of whatever is wrong.

use crate::actuation::{BaseHold, BaseWrench, HoldMode};
use crate::attitude::Attitude;
use crate::body::Body;
use crate::error::PlatformError;
use leg_core::config::{Crank, History, Leaf, Motor, MotorMode, Side, Solver, Tendon};
use leg_core::spatial::{Base, SectionShape, SpatialLegConfig, UniversalJoint};
use multibody::group::{Group, Se3};
use multibody::math;
use multibody::model::{Signal, spatial_inertia};
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use softdock_settings::{ConfigError, Parameter, Table, TableEntry, check, range, table, words};
use std::collections::BTreeMap;

words! {
    /// How legs and end effector are coupled in time.
    pub enum Coupling {
        /// One system, each leg condensed to its tip.
        #[default]
        Monolithic = "monolithic",
        /// Macro steps repeated until the joints close.
        Implicit = "implicit",
        /// Macro steps done once, forces extrapolated.
        Explicit = "explicit",
    }
}

words! {
    /// How exactly the legs are modelled.
    pub enum Fidelity {
        /// The leaf as a beam with inertia.
        #[default]
        Full = "full",
        /// The leaf with inertia, its curvature a sum of a few fields.
        Reduced = "reduced",
        /// The leaf without inertia: its force follows from the chord.
        Strut = "strut",
    }
}

table! {
    /// The base.
    pub struct BaseConfig in "base" {
        free_floating: bool = false, "The base floats freely; otherwise it is fixed";
        mass_kg: f64 = 500.0, "Mass of the chaser without legs and end effector" ["kg"; 0.001 to 1e9];
        centre_of_mass_m: [f64; 3] = [0.0, 0.0, -0.5], "Centre of mass from the centre of the motors' circle" ["m"; -100 to 100];
        inertia_kg_m2: [f64; 3] = [80.0; 3], "Moments of inertia about the centre of mass" ["kg·m²"; 1e-9 to 1e15, "none above the sum of the other two"];
        products_of_inertia_kg_m2: [f64; 3] = [0.0; 3], "Entries xy, xz and yz of its inertia tensor" ["kg·m²"; -1e15 to 1e15, "principal moments that are positive, none above the sum of the other two"];
        /// What its thrusters and wheels do.
        table wrench: BaseWrench;
        /// How it holds itself.
        table hold: BaseHold;
    }
}

table! {
    /// The end effector.
    pub struct EndEffectorConfig in "end_effector" {
        position_m: [f64; 3] = [0.0, 0.0, 0.400], "Centre in the nominal pose, at which the legs are pre-tensioned" ["m"; -10 to 10];
        attitude_rad: Attitude = Attitude::default(), "Pitch (about x), yaw (about y) and roll (about z) there, R = Rz(roll) Ry(yaw) Rx(pitch)" ["rad"; -10 to 10];
        mass_kg: f64 = 3.0, "Mass" ["kg"; 0.001 to 1e9];
        inertia_kg_m2: [f64; 3] = [0.04, 0.04, 0.07], "Moments of inertia about the centre" ["kg·m²"; 1e-9 to 1e15, "none above the sum of the other two"];
        mating_height_m: f64 = 0.02, "Height of the mating plane above its centre, where loads from outside are told without a target; in dockings they are told where contact.effector touches" ["m"; -10 to 10];
        feels_gravity: bool = true, "Gravity acts on it; false leaves its weight to the wrench of the user";
    }
}

impl EndEffectorConfig {
    /// The rigid body, where this gravity acts [m/s²]. Its frame stands at its centre.
    pub fn body(&self, gravity_m_s2: &[f64; 3]) -> Body {
        let tensor = Matrix3::from_diagonal(&self.inertia_kg_m2.into());
        let gravity = if self.feels_gravity {
            Vector3::from(*gravity_m_s2)
        } else {
            Vector3::zeros()
        };
        Body::rigid(spatial_inertia(self.mass_kg, [0.0; 3], tensor), gravity)
    }

    /// Its nominal pose.
    pub fn pose(&self) -> Se3 {
        Se3::from_parts(self.position_m.into(), self.attitude_rad.rotation())
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

impl TableEntry for Difference {}

table! {
    /// Where the legs are.
    pub struct LegsConfig in "legs" {
        fidelity: Fidelity = Fidelity::Full, "How exactly the legs are modelled: full (leaf of beam elements with inertia), reduced (leaf with inertia whose curvature has nine coordinates, on a fixed base), or strut (weightless leaf with the elastica's thrust, for screening with locked motors)";
        elements: usize = 10, "Elements of each leaf" ["-"; 2 to 200];
        motor_radius_m: f64 = 0.150, "Radius of the circle of motors" ["m"; 0.001 to 10];
        motor_azimuth_deg: Vec<f64> = vec![61.84, 118.16, 181.84, 238.16, 301.84, 358.16], "Azimuths of the motors; as many as legs" ["deg"; -360 to 360, "3 to 24 of them"];
        crank_azimuth_deg: Vec<f64> = Vec::new(), "Azimuths to which the cranks point at zero; empty: radially outward" ["deg"; -360 to 360, "one per leg or none"];
        sphere_radius_m: f64 = 0.190, "Radius of the circle of spherical joints on the end effector" ["m"; 0.001 to 10];
        sphere_azimuth_deg: Vec<f64> = vec![47.40, 132.60, 167.40, 252.60, 287.40, 12.60], "Azimuths of the spherical joints" ["deg"; -360 to 360, "one per leg"];
        q1_rad: Vec<f64> = Vec::new(), "Crank angles of the nominal pose; empty: zero" ["rad"; -10 to 10, "one per leg or none"];
        side: Side = Side::default(), "Side to which the leaves bow: +x is outward" ["-"; "+x or -x"];
        #[serde(skip_serializing_if = "Vec::is_empty")]
        different: Vec<Difference> = Vec::new(), "Legs that differ from the others: their number and keys of theirs" ["-"; "tables { leg = 1, set = { \"tendon.stiffness_n_per_m\" = 1500.0 } }"] sample "[{ leg = 1, set = { \"tendon.stiffness_n_per_m\" = 1500.0 } }]";
    }
}

table! {
    /// Wrench on the end effector's centre in simulations, world axes: numbers or histories.
    pub struct WrenchConfig in "wrench" {
        force_x_n: History = History::default(), "Force on the end effector's centre along x in simulations" ["N"];
        force_y_n: History = History::default(), "Force along y" ["N"];
        force_z_n: History = History::default(), "Force along z" ["N"];
        moment_x_nm: History = History::default(), "Moment about x" ["N·m"];
        moment_y_nm: History = History::default(), "Moment about y" ["N·m"];
        moment_z_nm: History = History::default(), "Moment about z" ["N·m"];
    }
}

impl WrenchConfig {
    /// Keys and histories, force first.
    pub fn parts(&self) -> [(&'static str, &History); 6] {
        [
            (Self::force_x_n.key, &self.force_x_n),
            (Self::force_y_n.key, &self.force_y_n),
            (Self::force_z_n.key, &self.force_z_n),
            (Self::moment_x_nm.key, &self.moment_x_nm),
            (Self::moment_y_nm.key, &self.moment_y_nm),
            (Self::moment_z_nm.key, &self.moment_z_nm),
        ]
    }

    /// The histories as signals, force first.
    pub fn signals(&self) -> [Signal; 6] {
        self.parts().map(|(_, history)| history.signal())
    }
}

table! {
    /// Time stepping of the platform.
    pub struct SolverConfig in "solver" {
        #[serde(skip_serializing_if = "Option::is_none")]
        accuracy: Option<f64> = None, "Accuracy aimed at for a docking's peak force, as a part of it (an aim, not a bound: of 64 random dockings at 1e-3 one was off by more, 1.4e-3): decides legs.elements, the largest step_s, spectral_radius, newton_tolerance and contact.steps_per_half_period; steps are as long as their error allows and do not end at rows of output; left out: as these keys say" ["-"; 1e-5 to 0.05] sample "1e-3";
        step_accuracy: f64 = 1e-3, "Dockings: a step whose error falsifies the peak force by more than about this part of it is repeated smaller, down to a sixty-fourth of step_s; 0: steps are as long as step_s says; not in explicit co-simulation" ["-"; 0 to 0.05];
        step_s: f64 = Solver::default().step_s, "Step size of legs and bodies; contact makes it smaller where needed" ["s"; as Solver::step_s];
        spectral_radius: f64 = Solver::default().spectral_radius, "Spectral radius at infinite frequency: 1 keeps energy, 0 damps most" ["-"; as Solver::spectral_radius];
        newton_tolerance: f64 = Solver::default().newton_tolerance, "Newton's tolerance, relative to the leg's size or in rad" ["-"; as Solver::newton_tolerance];
        macro_step_s: f64 = Solver::default().step_s, "Macro step of co-simulation" ["s"; > 0];
        interface_tolerance_m: f64 = 8e-10, "Interface iterations stop below this change of the joints" ["m"; > 0];
        extrapolation_order: usize = 0, "Order of extrapolation in explicit co-simulation" ["-"; 0 to 2];
        threads: usize = 0, "Threads inside one run; 0 takes all cores" ["-"; 0 to 1024];
    }
}

/// Ranges of leg settings that are narrower on a platform than for a leg by itself: sizes and
/// materials far from anything that can be built would end in equations of the whole platform that
/// cannot be solved, and a message that blames them.
pub const NARROWER: &[Parameter] = &[
    Crank::length_m.within(range!("m"; 0.001 to 10)),
    Leaf::length_m.within(range!("m"; 0.01 to 100)),
    Leaf::width_m.within(range!("m"; 1e-5 to 10)),
    Leaf::thickness_m.within(range!("m"; 1e-5 to 1)),
    Leaf::youngs_modulus_pa.within(range!("Pa"; 1e5 to 1e13)),
    Leaf::shear_modulus_pa.within(range!("Pa"; 1e5 to 1e13)),
    Leaf::density_kg_m3.within(range!("kg/m³"; 0.1 to 1e6)),
];

table! {
    /// Configuration of a platform.
    pub struct PlatformConfig in "" narrowed by NARROWER {
        gravity_m_s2: [f64; 3] = [0.0; 3], "Gravity along x, y and z (z from the base to the target)" ["m/s²"; as SpatialLegConfig::gravity_m_s2];
        coupling: Coupling = Coupling::default(), "How legs and end effector are coupled: one system, or co-simulation";
        /// The base.
        table base: BaseConfig;
        /// The end effector.
        table end_effector: EndEffectorConfig;
        /// Where the legs are.
        table legs: LegsConfig;
        /// Crank of every leg.
        table crank: Crank;
        /// Universal joint of every leg.
        table universal: UniversalJoint;
        /// Leaf of every leg.
        table leaf: Leaf;
        /// Section, if it is not that of the leaf.
        table section: SectionShape;
        /// Tendon of every leg.
        table tendon: Tendon;
        /// Motor of every leg.
        table motor: Motor = Motor { mode: MotorMode::Locked, ..Motor::default() };
        /// Wrench in simulations.
        table wrench: WrenchConfig;
        /// Time stepping.
        table solver: SolverConfig;
    }
}

/// Mesh and time stepping for an accuracy of forces.
///
/// Measured over random dockings at 1e-3: six elements, steps of at most 16 ms whose error is controlled
/// (`multibody::dynamics::pace`), a spectral radius of 0.65 (0.5 needs a quarter more steps for the
/// same error, 0.8 a quarter more iterations) and Newton's tolerance 1e-5. Errors go with the fourth
/// power of the element's length and the square of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolution {
    /// Elements of a leaf.
    pub elements: usize,
    /// Largest step [s].
    pub step_s: f64,
    /// Spectral radius.
    pub spectral_radius: f64,
    /// Newton's tolerance.
    pub newton_tolerance: f64,
    /// Steps per half period of a contact.
    pub steps_per_half_period: f64,
}

impl Resolution {
    /// For an accuracy, as a part of the peak force.
    pub fn for_accuracy(accuracy: f64) -> Self {
        // 1 at 1e-3, larger for finer.
        let finer = 1e-3 / accuracy;
        let root = finer.sqrt();
        Self {
            elements: (6.0 * root.sqrt()).round().clamp(4.0, 40.0) as usize,
            step_s: (16e-3 / root).min(32e-3),
            spectral_radius: 0.65,
            newton_tolerance: (1e-2 * accuracy).clamp(1e-9, 1e-4),
            steps_per_half_period: (40.0 * root).max(20.0),
        }
    }
}

/// The inertia tensor of these moments, and of its entries xy, xz and yz [kg·m²].
pub fn inertia_tensor(moments: &[f64; 3], products: &[f64; 3]) -> Matrix3<f64> {
    let mut out = Matrix3::from_diagonal(&Vector3::from(*moments));
    for ((i, j), entry) in [(0, 1), (0, 2), (1, 2)].into_iter().zip(products) {
        (out[(i, j)], out[(j, i)]) = (*entry, *entry);
    }
    out
}

/// A body of positive mass has positive moments, none above the sum of the other two: both the
/// tensor I and ½ tr(I) 1 − I, the second moments of its mass, are positive. `key` is that of the
/// products of inertia.
pub fn check_tensor(
    key: &'static str,
    moments: &[f64; 3],
    products: &[f64; 3],
) -> Result<(), ConfigError> {
    let tensor = inertia_tensor(moments, products);
    // Rounding of a body without extent across an axis.
    let spread = Matrix3::identity() * (0.5 + 1e-12) * tensor.trace() - tensor;
    let positive = |matrix: Matrix3<f64>| matrix.cholesky().is_some();
    check(
        positive(tensor) && positive(spread),
        key,
        Vector3::from(*products).amax(),
        "such that the principal moments are positive, none above the sum of the other two",
    )
}

impl BaseConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        check_inertia(Self::inertia_kg_m2.key, &self.inertia_kg_m2)?;
        check_tensor(
            Self::products_of_inertia_kg_m2.key,
            &self.inertia_kg_m2,
            &self.products_of_inertia_kg_m2,
        )?;
        self.wrench.validate()
    }

    /// The key of a setting by which the base acts, if it does.
    pub(crate) fn acting(&self) -> Option<&'static str> {
        let holds = self.hold.mode != HoldMode::Off;
        holds
            .then_some(BaseHold::mode.key)
            .or_else(|| self.wrench.acting())
    }
}

/// Three moments of inertia that a body can have.
pub fn check_inertia(key: &'static str, inertia: &[f64; 3]) -> Result<(), ConfigError> {
    let [a, b, c] = *inertia;
    for (one, others) in [(a, b + c), (b, a + c), (c, a + b)] {
        let allowed = "no larger than the sum of the other two moments of inertia";
        check(one <= others * (1.0 + 1e-9), key, one, allowed)?;
    }
    Ok(())
}

impl PlatformConfig {
    /// The same with mesh and time stepping as its accuracy asks for, if it has one.
    pub fn resolved(&self) -> Self {
        let mut out = self.clone();
        if let Some(accuracy) = self.solver.accuracy {
            let found = Resolution::for_accuracy(accuracy);
            out.solver.step_accuracy = accuracy;
            out.legs.elements = found.elements;
            out.solver.step_s = found.step_s;
            out.solver.spectral_radius = found.spectral_radius;
            out.solver.newton_tolerance = found.newton_tolerance;
        }
        out
    }

    /// Number of legs.
    pub fn leg_count(&self) -> usize {
        self.legs.motor_azimuth_deg.len()
    }

    /// Checks every value, those of each leg included.
    pub fn validate(&self) -> Result<(), PlatformError> {
        // The narrower ranges first: a message should name them.
        self.validate_parts()?;
        self.check_ranges()?;
        self.base.validate()?;
        if let Some(key) = self.base.acting().filter(|_| !self.base.free_floating) {
            return Err(PlatformError::FixedBaseActs { key });
        }
        let inertia = &self.end_effector.inertia_kg_m2;
        check_inertia(EndEffectorConfig::inertia_kg_m2.key, inertia)?;
        self.validate_placement()?;
        for (key, history) in self.wrench.parts() {
            history.validate(key)?;
        }
        for (leg, config) in self.leg_configs()?.iter().enumerate() {
            let checked = config.validate().and_then(|()| config.motor.check_start());
            checked.map_err(|cause| PlatformError::Leg {
                leg: leg + 1,
                cause: cause.into(),
            })?;
            let tried = match self.legs.fidelity {
                Fidelity::Full => Ok(()),
                Fidelity::Reduced => leg_core::reduced::check(config),
                Fidelity::Strut => leg_core::strut::check(config),
            };
            tried.map_err(PlatformError::in_leg(leg))?;
        }
        if self.solver.accuracy.is_some() && self.coupling != Coupling::Monolithic {
            return Err(PlatformError::NoAccuracy);
        }
        self.check_reduced()?;
        self.check_struts()
    }

    /// Refuses what a platform of reduced legs was not tried with.
    fn check_reduced(&self) -> Result<(), PlatformError> {
        if self.legs.fidelity != Fidelity::Reduced {
            return Ok(());
        }
        let refuse = |what, reason| Err(PlatformError::NotReduced { what, reason });
        if self.coupling != Coupling::Monolithic {
            return refuse(
                "coupling = \"implicit\" or \"explicit\"",
                "units in co-simulation are full legs; take coupling = \"monolithic\"",
            );
        }
        if self.base.free_floating {
            return refuse(
                "base.free_floating = true",
                "reduced legs stand on a fixed base; take legs.fidelity = \"full\" or \"strut\"",
            );
        }
        Ok(())
    }

    /// Refuses what a platform of struts was not tried with.
    fn check_struts(&self) -> Result<(), PlatformError> {
        if self.legs.fidelity != Fidelity::Strut {
            return Ok(());
        }
        if self.coupling != Coupling::Monolithic {
            return Err(PlatformError::NotAsStruts {
                what: "coupling = \"implicit\" or \"explicit\"",
                reason: "co-simulation is of legs that solve their own steps, and a strut has none; \
                         take coupling = \"monolithic\"",
            });
        }
        if self.base.free_floating && self.gravity_m_s2 != [0.0; 3] {
            return Err(PlatformError::NotAsStruts {
                what: "base.free_floating = true together with gravity_m_s2",
                reason: "struts on a base that falls were not tried",
            });
        }
        Ok(())
    }

    fn validate_parts(&self) -> Result<(), ConfigError> {
        let (crank, leaf) = (&self.crank, &self.leaf);
        // In the order of `NARROWER`.
        let values = [
            crank.length_m,
            leaf.length_m,
            leaf.width_m,
            leaf.thickness_m,
            leaf.youngs_modulus_pa,
            leaf.shear_modulus_pa,
            leaf.density_kg_m3,
        ];
        let mut rows = NARROWER.iter().zip(values);
        rows.try_for_each(|(row, value)| row.check(value))
    }

    fn validate_placement(&self) -> Result<(), ConfigError> {
        let legs = &self.legs;
        let count = self.leg_count();
        check(
            (3..=24).contains(&count),
            LegsConfig::motor_azimuth_deg.key,
            count as f64,
            "a list of 3 to 24 azimuths",
        )?;
        let lists = [
            (
                LegsConfig::sphere_azimuth_deg,
                &legs.sphere_azimuth_deg,
                false,
            ),
            (LegsConfig::crank_azimuth_deg, &legs.crank_azimuth_deg, true),
            (LegsConfig::q1_rad, &legs.q1_rad, true),
        ];
        for (row, list, may_be_empty) in lists {
            let ok = list.len() == count || (may_be_empty && list.is_empty());
            let length = "a list with as many entries as legs.motor_azimuth_deg";
            check(ok, row.key, list.len() as f64, length)?;
        }
        Ok(())
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
