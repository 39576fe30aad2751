//! Configuration of a docking scenario: the platform's keys and those of the encounter, side by
//! side in one file.

use crate::control::RegulatorConfig;
use crate::control::impedance::ImpedanceConfig;
use crate::control::sensor::ForceSensorConfig;
use crate::error::{DockingError, Result};
use crate::panel::{self, Panel};
use crate::requirement::{self, Requirement};
use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};
use softdock_platform::actuation::{TargetHold, TargetWrench};
use softdock_platform::config::{
    PlatformConfig, Resolution, check_inertia, check_tensor, inertia_tensor,
};
use softdock_platform::contact::ContactConfig;
use softdock_settings::{ConfigError, Parameter, Table, table};

table! {
    /// Where and how the target comes, against a perfect approach along the end effector's axis.
    ///
    /// In the docking frame ([`softdock_platform::attitude`]): pitch turns about x, yaw about y,
    /// roll about z (the docking axis), in this order, about the centre of the target's port; rates
    /// are components of the angular velocity. What is given here is what the columns of the target
    /// show at the start.
    #[derive(Copy)]
    pub struct Misalignment in "misalignment" {
        pitch_deg: f64 = 7.5, "Angle of the target about x" ["deg"; -45 to 45];
        yaw_deg: f64 = 0.0, "Angle of the target about y" ["deg"; -45 to 45];
        roll_deg: f64 = 0.0, "Angle of the target about the docking axis z" ["deg"; -180 to 180];
        lateral_x_m: f64 = 0.0, "Offset of the target's port along x" ["m"; -1 to 1];
        lateral_y_m: f64 = 0.0, "Offset of the target's port along y" ["m"; -1 to 1];
        pitch_rate_deg_s: f64 = 0.0, "Rate about x" ["deg/s"; -90 to 90];
        yaw_rate_deg_s: f64 = 0.0, "Rate about y" ["deg/s"; -90 to 90];
        roll_rate_deg_s: f64 = 0.0, "Rate about z" ["deg/s"; -90 to 90];
        lateral_rate_x_m_s: f64 = 0.0, "Velocity of the target's port along x" ["m/s"; -2 to 2];
        lateral_rate_y_m_s: f64 = 0.0, "Velocity of the target's port along y" ["m/s"; -2 to 2];
    }
}

table! {
    /// The target spacecraft, floating freely.
    pub struct TargetBody in "target" {
        mass_kg: f64 = 500.0, "Mass of the target, which floats freely" ["kg"; 0.001 to 1e9];
        inertia_kg_m2: [f64; 3] = [80.0; 3], "Moments of inertia about its centre of mass" ["kg·m²"; 1e-9 to 1e15, "none above the sum of the other two"];
        products_of_inertia_kg_m2: [f64; 3] = [0.0; 3], "Entries xy, xz and yz of its inertia tensor, axes of its port" ["kg·m²"; -1e15 to 1e15, "principal moments that are positive, none above the sum of the other two"];
        centre_of_mass_beside_axis_m: [f64; 2] = [0.0; 2], "Centre of mass beside the docking axis, along x and y of its port" ["m"; -100 to 100];
        centre_of_mass_behind_port_m: f64 = 0.5, "Centre of mass behind the port, along the docking axis" ["m"; -100 to 100];
        #[serde(skip_serializing_if = "Vec::is_empty")]
        panel: Vec<Panel> = Vec::new(), "Elastic panels or booms clamped to the target, their mass and inertia beside those above: root_m (in the frame of the port), direction, normal (they bend along it), length_m, mass_kg, frequency_hz (first in bending), edge_frequency_hz (across the normal; stiff if left out), damping_ratio (0.005), modes (per direction of bending, 0 to 3; 2)" ["-"; "tables { name, root_m, direction, normal, length_m, mass_kg, frequency_hz, edge_frequency_hz, damping_ratio, modes }"] sample "[{ name = \"wing\", root_m = [0.5, 0.0, -0.5], direction = [1.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0], length_m = 3.0, mass_kg = 15.0, frequency_hz = 0.5 }]";
        /// What its thrusters and wheels do.
        table wrench: TargetWrench;
        /// How it holds itself.
        table hold: TargetHold;
    }
}

table! {
    /// What counts as settled and what a leg may do.
    #[derive(Copy)]
    pub struct Limits in "limits" {
        leg_stroke_m: f64 = 0.08, "A leg's chord may change by this much; reported, not enforced" ["m"; > 0];
        universal_turn_deg: f64 = 45.0, "A universal joint may turn by this much from the posture at rest; reported, not enforced" ["deg"; above 0 to 180];
        spherical_turn_deg: f64 = 45.0, "A spherical joint may turn by this much from the posture at rest; reported, not enforced" ["deg"; above 0 to 180];
        settled_position_m: f64 = 0.001, "Settled: the end effector stays this near to where it ends" ["m"; > 0];
        settled_angle_deg: f64 = 0.2, "Settled: and this near in angle" ["deg"; > 0];
    }
}

table! {
    /// The encounter.
    pub struct DockingConfig in "" {
        duration_s: f64 = 3.0, "How long to simulate" ["s"; above 0 to 3600];
        closing_speed_m_s: f64 = 0.05, "Speed of the target toward the end effector" ["m/s"; 0 to 2];
        initial_gap_m: f64 = 0.002, "Smallest gap between the contact surfaces at the start" ["m"; 0 to 10];
        output_interval_s: f64 = 0.002, "Interval of the time series" ["s"; > 0];
        #[serde(skip_serializing_if = "Vec::is_empty")]
        requirement: Vec<Requirement> = Vec::new(), "Limits on figures that the docking has to keep; `softdock figures` lists the figures" ["-"; "tables { name, figure, min, max, source }"] sample "[{ name = \"soft\", figure = \"peak_contact_force_n\", max = 45.0 }]";
        /// Where and how the target comes.
        table misalignment: Misalignment;
        /// The target.
        table target: TargetBody;
        /// What counts as settled and what a leg may do.
        table limits: Limits;
        /// Regulator of the motors.
        table regulator: RegulatorConfig;
        /// The impedance asked for at the end effector.
        table impedance: ImpedanceConfig;
        /// The force sensor.
        table force_sensor: ForceSensorConfig;
        /// Contact and latch.
        table contact: ContactConfig;
    }
}

impl TargetBody {
    /// Inertia tensor about the centre of mass, axes of the port [kg·m²].
    pub fn tensor(&self) -> Matrix3<f64> {
        inertia_tensor(&self.inertia_kg_m2, &self.products_of_inertia_kg_m2)
    }

    /// Centre of mass in the frame of the port [m].
    pub fn centre_of_mass(&self) -> [f64; 3] {
        let [x, y] = self.centre_of_mass_beside_axis_m;
        [x, y, -self.centre_of_mass_behind_port_m]
    }
}

impl DockingConfig {
    /// Checks every value.
    pub fn validate(&self) -> core::result::Result<(), ConfigError> {
        self.check_ranges()?;
        check_inertia(TargetBody::inertia_kg_m2.key, &self.target.inertia_kg_m2)?;
        let target = &self.target;
        check_tensor(
            TargetBody::products_of_inertia_kg_m2.key,
            &target.inertia_kg_m2,
            &target.products_of_inertia_kg_m2,
        )?;
        target.wrench.validate()?;
        panel::validate(&target.panel)?;
        self.contact.validate()
    }
}

/// A docking scenario: platform and encounter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "toml::Table", into = "toml::Table")]
pub struct Scenario {
    /// The platform.
    pub platform: PlatformConfig,
    /// The encounter.
    pub docking: DockingConfig,
}

impl TryFrom<toml::Table> for Scenario {
    type Error = toml::de::Error;

    fn try_from(mut table: toml::Table) -> core::result::Result<Self, Self::Error> {
        let mut docking = toml::Table::new();
        for parameter in DockingConfig::parameters() {
            let first = parameter.key.split('.').next().unwrap_or_default();
            if let Some((key, value)) = table.remove_entry(first) {
                docking.insert(key, value);
            }
        }
        Ok(Self {
            platform: table.try_into()?,
            docking: docking.try_into()?,
        })
    }
}

impl From<Scenario> for toml::Table {
    fn from(scenario: Scenario) -> Self {
        // Both parts are plain structs of numbers, names and tables: writing them cannot fail.
        let mut table = Self::try_from(scenario.platform).unwrap_or_default();
        table.extend(Self::try_from(scenario.docking).unwrap_or_default());
        table
    }
}

/// Most rows of output of one run; each takes some 2 kB of `run.csv`.
const MOST_ROWS: f64 = 1e5;
/// Most poses of leaf nodes that one run keeps for its pictures, of 96 bytes each.
const MOST_POSES: f64 = 1e7;
/// Most steps, counted for every element, of one run: hours of work.
const MOST_ELEMENT_STEPS: f64 = 1e9;

impl Scenario {
    /// The rows of its settings: those of the encounter, then those of the platform.
    pub fn parameters() -> Vec<&'static Parameter> {
        let mut out = DockingConfig::parameters();
        PlatformConfig::collect(&mut out);
        out
    }

    /// The same with mesh and time stepping as `solver.accuracy` asks for, if it is given.
    pub fn resolved(&self) -> Self {
        let mut out = self.clone();
        out.platform = self.platform.resolved();
        if let Some(accuracy) = self.platform.solver.accuracy {
            let found = Resolution::for_accuracy(accuracy);
            out.docking.contact.steps_per_half_period = found.steps_per_half_period;
        }
        out
    }

    /// Checks every value.
    pub fn validate(&self) -> Result<()> {
        self.docking.validate()?;
        requirement::validate(&self.docking.requirement)?;
        self.platform.validate()?;
        self.docking.regulator.check_with(&self.platform)?;
        self.validate_size()
    }

    /// Refuses what would fill the memory or not end in this life.
    fn validate_size(&self) -> Result<()> {
        let duration_s = self.docking.duration_s;
        let (interval, step) = (self.docking.output_interval_s, self.platform.solver.step_s);
        let elements = (self.platform.leg_count() * self.platform.legs.elements) as f64;
        let rows = duration_s / interval;
        let regulator = &self.docking.regulator;
        // Every sample of a regulator ends a step.
        let period = if regulator.active() {
            regulator.period_s
        } else {
            f64::INFINITY
        };
        let limits = [
            (
                "output_interval_s",
                interval,
                rows,
                "rows of output",
                MOST_ROWS,
            ),
            (
                "output_interval_s",
                interval,
                rows * elements,
                "poses of leaves to keep",
                MOST_POSES,
            ),
            (
                "solver.step_s",
                step,
                duration_s / step * elements,
                "steps of elements",
                MOST_ELEMENT_STEPS,
            ),
            (
                "regulator.period_s",
                period,
                duration_s / period * elements,
                "steps of elements",
                MOST_ELEMENT_STEPS,
            ),
        ];
        for (key, value, count, what, most) in limits {
            if count > most {
                return Err(DockingError::TooMuch {
                    key,
                    value,
                    duration_s,
                    count,
                    what,
                    most,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_that_no_body_has_is_refused() {
        let mut config = DockingConfig::default();
        config.target.inertia_kg_m2 = [80.0, 90.0, 100.0];
        for (products, allowed) in [
            ([0.0; 3], true),
            ([5.0, -8.0, 3.0], true),
            ([90.0, 0.0, 0.0], false),
            ([0.0, 0.0, 60.0], false),
        ] {
            config.target.products_of_inertia_kg_m2 = products;
            let found = config.validate();
            assert_eq!(found.is_ok(), allowed, "{products:?}");
            if let Err(error) = found {
                assert_eq!(error.key, "target.products_of_inertia_kg_m2");
            }
        }
    }
}
