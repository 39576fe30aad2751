//! Configuration of a docking scenario: the platform's keys and those of the encounter, side by
//! side in one file.

use crate::control::RegulatorConfig;
use crate::error::{DockingError, Result};
use leg_core::ConfigError;
use leg_core::check::{positive, within};
use serde::{Deserialize, Serialize};
use softdock_platform::config::{PlatformConfig, check_inertia, check_mass};
use softdock_platform::contact::ContactConfig;

/// Where and how the target comes, against a perfect approach along the end effector's axis.
///
/// In the docking frame ([`softdock_platform::attitude`]): pitch turns about x, yaw about y, roll about z (the
/// docking axis), in this order, about the centre of the target's port; rates are components of
/// the angular velocity. What is given here is what the columns of the target show at the start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Misalignment {
    /// Angle about x [deg].
    pub pitch_deg: f64,
    /// Angle about y [deg].
    pub yaw_deg: f64,
    /// Angle about the docking axis z [deg].
    pub roll_deg: f64,
    /// Offset along x [m].
    pub lateral_x_m: f64,
    /// Offset along y [m].
    pub lateral_y_m: f64,
    /// Rate about x [deg/s].
    pub pitch_rate_deg_s: f64,
    /// Rate about y [deg/s].
    pub yaw_rate_deg_s: f64,
    /// Rate about z [deg/s].
    pub roll_rate_deg_s: f64,
    /// Velocity along x [m/s].
    pub lateral_rate_x_m_s: f64,
    /// Velocity along y [m/s].
    pub lateral_rate_y_m_s: f64,
}

impl Default for Misalignment {
    fn default() -> Self {
        Self {
            pitch_deg: 7.5,
            yaw_deg: 0.0,
            roll_deg: 0.0,
            lateral_x_m: 0.0,
            lateral_y_m: 0.0,
            pitch_rate_deg_s: 0.0,
            yaw_rate_deg_s: 0.0,
            roll_rate_deg_s: 0.0,
            lateral_rate_x_m_s: 0.0,
            lateral_rate_y_m_s: 0.0,
        }
    }
}

/// The target spacecraft, floating freely.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TargetBody {
    /// Mass [kg].
    pub mass_kg: f64,
    /// Moments of inertia about the centre of mass [kg·m²].
    pub inertia_kg_m2: [f64; 3],
    /// Centre of mass behind the port, along the docking axis [m].
    pub centre_of_mass_behind_port_m: f64,
}

impl Default for TargetBody {
    fn default() -> Self {
        Self {
            mass_kg: 500.0,
            inertia_kg_m2: [80.0, 80.0, 80.0],
            centre_of_mass_behind_port_m: 0.5,
        }
    }
}

/// What counts as settled and what a leg may do.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// A leg's chord may change by this much [m].
    pub leg_stroke_m: f64,
    /// Settled: the end effector stays this near to where it ends [m].
    pub settled_position_m: f64,
    /// Settled: and this near in angle [deg].
    pub settled_angle_deg: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            leg_stroke_m: 0.08,
            settled_position_m: 0.001,
            settled_angle_deg: 0.2,
        }
    }
}

/// The encounter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DockingConfig {
    /// How long to simulate [s].
    pub duration_s: f64,
    /// Speed of the target toward the end effector [m/s].
    pub closing_speed_m_s: f64,
    /// Smallest gap at the start [m].
    pub initial_gap_m: f64,
    /// Interval of the time series [s].
    pub output_interval_s: f64,
    /// Where and how the target comes.
    pub misalignment: Misalignment,
    /// The target.
    pub target: TargetBody,
    /// Contact and latch.
    pub contact: ContactConfig,
    /// What counts as settled and what a leg may do.
    pub limits: Limits,
    /// Regulator of the motors.
    pub regulator: RegulatorConfig,
}

impl Default for DockingConfig {
    fn default() -> Self {
        Self {
            duration_s: 3.0,
            closing_speed_m_s: 0.05,
            initial_gap_m: 0.002,
            output_interval_s: 0.002,
            misalignment: Misalignment::default(),
            target: TargetBody::default(),
            contact: ContactConfig::default(),
            limits: Limits::default(),
            regulator: RegulatorConfig::default(),
        }
    }
}

impl DockingConfig {
    /// Checks every value.
    pub fn validate(&self) -> core::result::Result<(), ConfigError> {
        positive("duration_s", self.duration_s)?;
        within(
            "duration_s",
            self.duration_s,
            (0.0, 3600.0),
            "at most 3600 s",
        )?;
        let speed = self.closing_speed_m_s;
        within("closing_speed_m_s", speed, (0.0, 2.0), "in [0, 2] m/s")?;
        let gap = self.initial_gap_m;
        within("initial_gap_m", gap, (0.0, 10.0), "in [0, 10] m")?;
        positive("output_interval_s", self.output_interval_s)?;
        self.misalignment.validate()?;
        check_mass("target.mass_kg", self.target.mass_kg)?;
        check_inertia("target.inertia_kg_m2", &self.target.inertia_kg_m2)?;
        within(
            "target.centre_of_mass_behind_port_m",
            self.target.centre_of_mass_behind_port_m,
            (-100.0, 100.0),
            "in [-100, 100] m",
        )?;
        positive("limits.leg_stroke_m", self.limits.leg_stroke_m)?;
        positive("limits.settled_position_m", self.limits.settled_position_m)?;
        positive("limits.settled_angle_deg", self.limits.settled_angle_deg)?;
        self.regulator.validate()?;
        self.contact.validate()
    }
}

impl Misalignment {
    fn validate(&self) -> core::result::Result<(), ConfigError> {
        for (key, value) in [
            ("misalignment.pitch_deg", self.pitch_deg),
            ("misalignment.yaw_deg", self.yaw_deg),
        ] {
            within(key, value, (-45.0, 45.0), "in [-45, 45] deg")?;
        }
        let roll = self.roll_deg;
        within(
            "misalignment.roll_deg",
            roll,
            (-180.0, 180.0),
            "in [-180, 180] deg",
        )?;
        for (key, value) in [
            ("misalignment.lateral_x_m", self.lateral_x_m),
            ("misalignment.lateral_y_m", self.lateral_y_m),
        ] {
            within(key, value, (-1.0, 1.0), "in [-1, 1] m")?;
        }
        for (key, value) in [
            ("misalignment.pitch_rate_deg_s", self.pitch_rate_deg_s),
            ("misalignment.yaw_rate_deg_s", self.yaw_rate_deg_s),
            ("misalignment.roll_rate_deg_s", self.roll_rate_deg_s),
        ] {
            within(key, value, (-90.0, 90.0), "in [-90, 90] deg/s")?;
        }
        for (key, value) in [
            ("misalignment.lateral_rate_x_m_s", self.lateral_rate_x_m_s),
            ("misalignment.lateral_rate_y_m_s", self.lateral_rate_y_m_s),
        ] {
            within(key, value, (-2.0, 2.0), "in [-2, 2] m/s")?;
        }
        Ok(())
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

/// Keys of a scenario that belong to the encounter.
const DOCKING_KEYS: [&str; 9] = [
    "duration_s",
    "closing_speed_m_s",
    "initial_gap_m",
    "output_interval_s",
    "misalignment",
    "target",
    "contact",
    "limits",
    "regulator",
];

impl TryFrom<toml::Table> for Scenario {
    type Error = toml::de::Error;

    fn try_from(mut table: toml::Table) -> core::result::Result<Self, Self::Error> {
        let mut docking = toml::Table::new();
        for key in DOCKING_KEYS {
            if let Some(value) = table.remove(key) {
                docking.insert(key.to_owned(), value);
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
    /// Checks every value.
    pub fn validate(&self) -> Result<()> {
        self.docking.validate()?;
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
        let period = if regulator.active {
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
