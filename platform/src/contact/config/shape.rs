//! Shapes of the end effector's and the target's side of the contact.

use super::{check, positive};
use leg_core::ConfigError;
use multibody::math;
use serde::{Deserialize, Serialize};

/// What the end effector touches with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectorShape {
    /// A ring of points.
    #[default]
    Ring,
    /// Guide petals.
    Petals,
}

/// A ring of contact points on the end effector, in a plane normal to its z axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RingConfig {
    /// Radius of the ring [m]; 0 for a single probe tip.
    pub radius_m: f64,
    /// Number of points, the first on the x axis.
    pub count: usize,
    /// Height of the tips' centres along z [m].
    pub height_m: f64,
}

impl Default for RingConfig {
    fn default() -> Self {
        Self {
            radius_m: 0.19,
            count: 12,
            height_m: 0.02,
        }
    }
}

/// Guide petals on the end effector: straight, evenly spaced around z, with points along each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PetalsConfig {
    /// Number of petals, the first in the xz plane.
    pub count: usize,
    /// Distance of the roots from the z axis [m].
    pub root_radius_m: f64,
    /// Height of the roots along z [m].
    pub root_height_m: f64,
    /// Length from the first to the last point [m].
    pub length_m: f64,
    /// Angle between petal and z axis [deg], positive when the petals open outward.
    pub inclination_deg: f64,
    /// Points along each petal, root and end included.
    pub points_per_petal: usize,
}

impl Default for PetalsConfig {
    fn default() -> Self {
        Self {
            count: 3,
            root_radius_m: 0.19,
            root_height_m: 0.02,
            length_m: 0.08,
            inclination_deg: -30.0,
            points_per_petal: 5,
        }
    }
}

/// The end effector's side of the contact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EffectorConfig {
    /// Ring or petals.
    pub shape: EffectorShape,
    /// Radius of the sphere at every point [m]; 0 for bare points.
    pub tip_radius_m: f64,
    /// The ring.
    pub ring: RingConfig,
    /// The petals.
    pub petals: PetalsConfig,
}

impl Default for EffectorConfig {
    fn default() -> Self {
        Self {
            shape: EffectorShape::default(),
            tip_radius_m: 0.005,
            ring: RingConfig::default(),
            petals: PetalsConfig::default(),
        }
    }
}

impl EffectorConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let size =
            |key, value: f64| check((0.0..=10.0).contains(&value), key, value, "in [0, 10] m");
        size("contact.effector.tip_radius_m", self.tip_radius_m)?;
        let RingConfig {
            radius_m,
            count,
            height_m,
        } = self.ring;
        size("contact.effector.ring.radius_m", radius_m)?;
        check(
            (1..=1000).contains(&count),
            "contact.effector.ring.count",
            count as f64,
            "1 to 1000",
        )?;
        check(
            height_m.abs() <= 10.0,
            "contact.effector.ring.height_m",
            height_m,
            "in [-10, 10] m",
        )?;
        self.petals.validate()
    }
}

impl PetalsConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        check(
            (1..=100).contains(&self.count),
            "contact.effector.petals.count",
            self.count as f64,
            "1 to 100",
        )?;
        positive("contact.effector.petals.root_radius_m", self.root_radius_m)?;
        check(
            self.root_height_m.abs() <= 10.0,
            "contact.effector.petals.root_height_m",
            self.root_height_m,
            "in [-10, 10] m",
        )?;
        positive("contact.effector.petals.length_m", self.length_m)?;
        let inclination = self.inclination_deg;
        check(
            inclination.abs() <= 89.0,
            "contact.effector.petals.inclination_deg",
            inclination,
            "in [-89, 89] degrees",
        )?;
        let end_radius = self.root_radius_m + self.length_m * math::sin(inclination.to_radians());
        check(
            end_radius >= 0.0,
            "contact.effector.petals.length_m",
            self.length_m,
            "short enough that inward petals end before the axis",
        )?;
        check(
            (2..=100).contains(&self.points_per_petal),
            "contact.effector.petals.points_per_petal",
            self.points_per_petal as f64,
            "2 to 100",
        )
    }
}

/// What the target offers to touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetShape {
    /// A flat face.
    #[default]
    Plane,
    /// A conical recess in a flat face.
    Cone,
    /// A rim.
    Ring,
}

/// A conical recess in the flat face of the target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConeConfig {
    /// Angle between wall and axis [deg].
    pub half_angle_deg: f64,
    /// Radius where wall and face would meet without the lip [m].
    pub mouth_radius_m: f64,
    /// Depth of the flat seat below the face [m].
    pub depth_m: f64,
    /// Radius of the rounding of the mouth [m].
    pub lip_radius_m: f64,
}

impl Default for ConeConfig {
    fn default() -> Self {
        Self {
            half_angle_deg: 45.0,
            mouth_radius_m: 0.25,
            depth_m: 0.05,
            lip_radius_m: 0.005,
        }
    }
}

impl ConeConfig {
    /// Radius of the wall where it meets the seat [m].
    pub fn seat_radius_m(&self) -> f64 {
        self.mouth_radius_m - self.depth_m * math::tan(self.half_angle_deg.to_radians())
    }

    fn validate(&self) -> Result<(), ConfigError> {
        let angle = self.half_angle_deg;
        check(
            (5.0..=85.0).contains(&angle),
            "contact.target.cone.half_angle_deg",
            angle,
            "in [5, 85] degrees",
        )?;
        positive("contact.target.cone.mouth_radius_m", self.mouth_radius_m)?;
        positive("contact.target.cone.depth_m", self.depth_m)?;
        check(
            self.seat_radius_m() > 0.0,
            "contact.target.cone.depth_m",
            self.depth_m,
            "less than the depth of the full cone, mouth_radius_m / tan(half_angle_deg)",
        )?;
        positive("contact.target.cone.lip_radius_m", self.lip_radius_m)
    }
}

/// A rim on the target: a torus about its z axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RimConfig {
    /// Radius of the circle through the middle of the tube [m].
    pub radius_m: f64,
    /// Radius of the tube [m].
    pub tube_radius_m: f64,
}

impl Default for RimConfig {
    fn default() -> Self {
        Self {
            radius_m: 0.19,
            tube_radius_m: 0.01,
        }
    }
}

/// The target's side of the contact.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TargetConfig {
    /// Plane, cone or ring.
    pub shape: TargetShape,
    /// The conical recess.
    pub cone: ConeConfig,
    /// The rim.
    pub ring: RimConfig,
}

impl TargetConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        self.cone.validate()?;
        let RimConfig {
            radius_m,
            tube_radius_m,
        } = self.ring;
        positive("contact.target.ring.radius_m", radius_m)?;
        check(
            tube_radius_m > 0.0 && tube_radius_m < radius_m,
            "contact.target.ring.tube_radius_m",
            tube_radius_m,
            "> 0 and less than radius_m",
        )
    }
}
