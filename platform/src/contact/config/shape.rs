//! Shapes of the end effector's and the target's side of the contact.

use multibody::math;
use softdock_settings::{ConfigError, check, table, words};

words! {
    /// What the end effector touches with.
    pub enum EffectorShape {
        /// A ring of points.
        #[default]
        Ring = "ring",
        /// Guide petals.
        Petals = "petals",
    }
}

table! {
    /// A ring of contact points on the end effector, in a plane normal to its z axis.
    #[derive(Copy)]
    pub struct RingConfig in "contact.effector.ring" {
        radius_m: f64 = 0.19, "Radius of the ring; 0 for a single probe tip" ["m"; 0 to 10];
        count: usize = 12, "Number of points, the first on the x axis" ["-"; 1 to 1000];
        height_m: f64 = 0.02, "Height of the tips' centres above the end effector's centre" ["m"; -10 to 10];
    }
}

table! {
    /// Guide petals on the end effector: straight, evenly spaced around z, the first in the xz
    /// plane, with points along each, root and end included.
    #[derive(Copy)]
    pub struct PetalsConfig in "contact.effector.petals" {
        count: usize = 3, "Number of petals" ["-"; 1 to 100];
        root_radius_m: f64 = 0.19, "Distance of the roots from the axis" ["m"; > 0];
        root_height_m: f64 = 0.02, "Height of the roots" ["m"; -10 to 10];
        length_m: f64 = 0.08, "Length from the first to the last point" ["m"; > 0, "inward petals must end before the axis"];
        inclination_deg: f64 = -30.0, "Angle between petal and axis, positive when they open outward" ["deg"; -89 to 89];
        points_per_petal: usize = 5, "Points along each petal" ["-"; 2 to 100];
    }
}

table! {
    /// The end effector's side of the contact.
    #[derive(Copy)]
    pub struct EffectorConfig in "contact.effector" {
        shape: EffectorShape = EffectorShape::default(), "What the end effector touches with: a ring of points, or guide petals";
        tip_radius_m: f64 = 0.005, "Radius of the sphere at every point" ["m"; 0 to 10];
        /// The ring.
        table ring: RingConfig;
        /// The petals.
        table petals: PetalsConfig;
    }
}

impl PetalsConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let inward = math::sin(self.inclination_deg.to_radians());
        check(
            self.root_radius_m + self.length_m * inward >= 0.0,
            Self::length_m.key,
            self.length_m,
            "short enough that inward petals end before the axis",
        )
    }
}

words! {
    /// What the target offers to touch.
    pub enum TargetShape {
        /// A flat face.
        #[default]
        Plane = "plane",
        /// A conical recess in a flat face.
        Cone = "cone",
        /// A rim.
        Ring = "ring",
    }
}

table! {
    /// A conical recess in the flat face of the target. The mouth's radius is where wall and face
    /// would meet without the lip; the depth is that of the flat seat below the face.
    #[derive(Copy)]
    pub struct ConeConfig in "contact.target.cone" {
        half_angle_deg: f64 = 45.0, "Half angle of the cone" ["deg"; 5 to 85];
        mouth_radius_m: f64 = 0.25, "Radius of its mouth" ["m"; > 0];
        depth_m: f64 = 0.05, "Its depth" ["m"; > 0, "less than the depth of the full cone"];
        lip_radius_m: f64 = 0.005, "Radius of its rounded lip" ["m"; > 0];
    }
}

impl ConeConfig {
    /// Radius of the wall where it meets the seat [m].
    pub fn seat_radius_m(&self) -> f64 {
        self.mouth_radius_m - self.depth_m * math::tan(self.half_angle_deg.to_radians())
    }
}

table! {
    /// A rim on the target: a torus about its z axis.
    #[derive(Copy)]
    pub struct RimConfig in "contact.target.ring" {
        radius_m: f64 = 0.19, "Radius of the circle through the middle of the rim's tube" ["m"; > 0];
        tube_radius_m: f64 = 0.01, "Radius of the tube" ["m"; > 0, "less than the radius"];
    }
}

table! {
    /// The target's side of the contact.
    #[derive(Copy)]
    pub struct TargetConfig in "contact.target" {
        shape: TargetShape = TargetShape::default(), "What the target is touched at: a plane, a conical recess or a rim";
        /// The conical recess.
        table cone: ConeConfig;
        /// The rim.
        table ring: RimConfig;
    }
}

impl TargetConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check(
            self.cone.seat_radius_m() > 0.0,
            ConeConfig::depth_m.key,
            self.cone.depth_m,
            "less than the depth of the full cone, mouth_radius_m / tan(half_angle_deg)",
        )?;
        let RimConfig {
            radius_m,
            tube_radius_m,
        } = self.ring;
        check(
            tube_radius_m < radius_m,
            RimConfig::tube_radius_m.key,
            tube_radius_m,
            "less than radius_m",
        )
    }
}
