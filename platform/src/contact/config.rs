//! Configuration of contact and latch: every quantity with its unit in the key, every key
//! optional, unknown keys refused.
//!
//! Why the default stiffness is 2e6 N/m^1.5: an end effector of 3 kg meeting a heavy target with
//! 0.05 m/s through one point sinks in by 0.5 mm (0.8 mm at 0.10 m/s), and a single point that
//! carries the 45 N of a typical docking by 0.8 mm. That is far less than the legs give way (some
//! centimetres), so contact does not add to the compliance of the platform, and its half period of
//! about 30 ms is still resolved by steps of a millisecond. It corresponds to a tip of 10 mm radius
//! on a polymer pad of 15 MPa effective modulus; bare metal would be a thousand times stiffer and
//! multiply the force of the first touch without changing the docking.

use super::friction::FrictionLaw;
use super::law::NormalLaw;
use leg_core::ConfigError;
use leg_core::check::{check, not_negative, positive};
use multibody::math;
use serde::{Deserialize, Serialize};

mod shape;

pub use shape::{
    ConeConfig, EffectorConfig, EffectorShape, PetalsConfig, RimConfig, RingConfig, TargetConfig,
    TargetShape,
};

/// Normal force of one contact point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NormalConfig {
    /// Law of the damping.
    pub law: NormalLaw,
    /// Stiffness K of one point [N/mⁿ], with n the exponent.
    pub stiffness_n_per_m_n: f64,
    /// Exponent n [-]: 1.5 for a sphere, 1 for a linear spring.
    pub exponent: f64,
    /// Restitution e [-] asked for.
    pub restitution: f64,
    /// Approach speed below which the damping no longer grows [m/s].
    pub floor_speed_m_s: f64,
}

impl Default for NormalConfig {
    fn default() -> Self {
        Self {
            law: NormalLaw::default(),
            stiffness_n_per_m_n: 2e6,
            exponent: 1.5,
            restitution: 0.5,
            floor_speed_m_s: 1e-3,
        }
    }
}

impl NormalConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let stiffness = self.stiffness_n_per_m_n;
        check(
            (1.0..=1e12).contains(&stiffness),
            "contact.normal.stiffness_n_per_m_n",
            stiffness,
            "in [1, 1e12] N/m^n",
        )?;
        let exponent = self.exponent;
        check(
            (1.0..=3.0).contains(&exponent),
            "contact.normal.exponent",
            exponent,
            "in [1, 3]",
        )?;
        let restitution = self.restitution;
        check(
            (0.01..=1.0).contains(&restitution),
            "contact.normal.restitution",
            restitution,
            "in [0.01, 1]",
        )?;
        positive("contact.normal.floor_speed_m_s", self.floor_speed_m_s)
    }
}

/// Friction of one contact point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FrictionConfig {
    /// Which law.
    pub law: FrictionLaw,
    /// Coefficient of sliding friction [-].
    pub coefficient: f64,
    /// Coefficient of static friction [-]; `brown_mcphee` only.
    pub static_coefficient: f64,
    /// Speed below which friction fades to zero; `brown_mcphee`: at which it peaks [m/s].
    pub transition_speed_m_s: f64,
    /// Viscous coefficient [N·s/m]; `brown_mcphee` only.
    pub viscous_n_s_per_m: f64,
    /// Normal force over which the viscous part sets in [N]; `brown_mcphee` only.
    pub transition_force_n: f64,
}

impl Default for FrictionConfig {
    fn default() -> Self {
        Self {
            law: FrictionLaw::default(),
            coefficient: 0.2,
            static_coefficient: 0.25,
            transition_speed_m_s: 1e-3,
            viscous_n_s_per_m: 0.0,
            transition_force_n: 1.0,
        }
    }
}

impl FrictionConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let range = "in [0, 10]";
        let coefficient = self.coefficient;
        check(
            (0.0..=10.0).contains(&coefficient),
            "contact.friction.coefficient",
            coefficient,
            range,
        )?;
        let fixed = self.static_coefficient;
        let above = self.law != FrictionLaw::BrownMcphee || fixed >= coefficient;
        check(
            (0.0..=10.0).contains(&fixed) && above,
            "contact.friction.static_coefficient",
            fixed,
            "in [0, 10], for brown_mcphee not below coefficient",
        )?;
        positive(
            "contact.friction.transition_speed_m_s",
            self.transition_speed_m_s,
        )?;
        not_negative("contact.friction.viscous_n_s_per_m", self.viscous_n_s_per_m)?;
        positive(
            "contact.friction.transition_force_n",
            self.transition_force_n,
        )
    }
}

/// Capture: when it happens, and what holds the bodies together from then on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LatchConfig {
    /// Whether there is a latch.
    pub enabled: bool,
    /// Largest gap [m].
    pub gap_m: f64,
    /// Largest angle between the docking axes [deg].
    pub angle_deg: f64,
    /// Largest relative speed at the contact points' centre [m/s].
    pub speed_m_s: f64,
    /// How long all three must hold [s].
    pub dwell_s: f64,
    /// Stiffness of the closed latch along the end effector's axes [N/m].
    pub stiffness_n_per_m: [f64; 3],
    /// Stiffness of the closed latch about the end effector's axes [N·m/rad].
    pub stiffness_nm_per_rad: [f64; 3],
    /// Damping of the closed latch along the end effector's axes [N·s/m].
    pub damping_n_s_per_m: [f64; 3],
    /// Damping of the closed latch about the end effector's axes [N·m·s/rad].
    pub damping_nm_s_per_rad: [f64; 3],
}

impl Default for LatchConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            gap_m: 0.002,
            angle_deg: 1.5,
            speed_m_s: 0.01,
            dwell_s: 0.05,
            stiffness_n_per_m: [1e5; 3],
            stiffness_nm_per_rad: [2e3; 3],
            damping_n_s_per_m: [300.0; 3],
            damping_nm_s_per_rad: [6.0; 3],
        }
    }
}

impl LatchConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        not_negative("contact.latch.gap_m", self.gap_m)?;
        let angle = self.angle_deg;
        check(
            (0.0..=180.0).contains(&angle),
            "contact.latch.angle_deg",
            angle,
            "in [0, 180] degrees",
        )?;
        not_negative("contact.latch.speed_m_s", self.speed_m_s)?;
        not_negative("contact.latch.dwell_s", self.dwell_s)?;
        let all = |key, values: [f64; 3]| {
            values
                .into_iter()
                .try_for_each(|value| not_negative(key, value))
        };
        all("contact.latch.stiffness_n_per_m", self.stiffness_n_per_m)?;
        all(
            "contact.latch.stiffness_nm_per_rad",
            self.stiffness_nm_per_rad,
        )?;
        all("contact.latch.damping_n_s_per_m", self.damping_n_s_per_m)?;
        all(
            "contact.latch.damping_nm_s_per_rad",
            self.damping_nm_s_per_rad,
        )
    }
}

/// Contact between end effector and target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContactConfig {
    /// Time steps per half period of a contact oscillation.
    pub steps_per_half_period: f64,
    /// The end effector's side.
    pub effector: EffectorConfig,
    /// The target's side.
    pub target: TargetConfig,
    /// Normal force.
    pub normal: NormalConfig,
    /// Friction.
    pub friction: FrictionConfig,
    /// Capture.
    pub latch: LatchConfig,
}

impl Default for ContactConfig {
    fn default() -> Self {
        Self {
            steps_per_half_period: 40.0,
            effector: EffectorConfig::default(),
            target: TargetConfig::default(),
            normal: NormalConfig::default(),
            friction: FrictionConfig::default(),
            latch: LatchConfig::default(),
        }
    }
}

impl ContactConfig {
    /// Checks every value.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let steps = self.steps_per_half_period;
        check(
            (2.0..=1e4).contains(&steps),
            "contact.steps_per_half_period",
            steps,
            "in [2, 10000]",
        )?;
        self.effector.validate()?;
        self.target.validate()?;
        self.normal.validate()?;
        self.friction.validate()?;
        self.latch.validate()?;
        // On the axis the walls of cone and ring have no normal: a tip must not reach them there.
        let room = match self.target.shape {
            TargetShape::Plane => f64::INFINITY,
            TargetShape::Cone => {
                let angle = self.target.cone.half_angle_deg.to_radians();
                self.target.cone.seat_radius_m() * math::cos(angle)
            }
            TargetShape::Ring => self.target.ring.radius_m - self.target.ring.tube_radius_m,
        };
        let tip = self.effector.tip_radius_m;
        check(
            tip < room,
            "contact.effector.tip_radius_m",
            tip,
            "small enough to pass through the target's opening on its axis",
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn defaults_are_valid_and_survive_a_round_trip() {
        let config = ContactConfig::default();
        config.validate().unwrap();
        let text = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<ContactConfig>(&text).unwrap(), config);
        assert_eq!(toml::from_str::<ContactConfig>("").unwrap(), config);
    }

    #[test]
    fn names_select_laws_and_shapes() {
        let text = "[target]\nshape = 'cone'\n[effector]\nshape = 'petals'\n\
            [normal]\nlaw = 'lankarani_nikravesh'\n[friction]\nlaw = 'brown_mcphee'\n";
        let config: ContactConfig = toml::from_str(text).unwrap();
        assert_eq!(config.target.shape, TargetShape::Cone);
        assert_eq!(config.effector.shape, EffectorShape::Petals);
        assert_eq!(config.normal.law, NormalLaw::LankaraniNikravesh);
        assert_eq!(config.friction.law, FrictionLaw::BrownMcphee);
        config.validate().unwrap();
    }

    #[test]
    fn unknown_keys_are_refused_at_every_level() {
        for text in [
            "speed = 1.0",
            "[effector]\nradius = 1.0",
            "[effector.ring]\nradius = 1.0",
            "[effector.petals]\nangle = 1.0",
            "[target]\nplane = 1.0",
            "[target.cone]\nangle_deg = 1.0",
            "[target.ring]\nheight = 1.0",
            "[normal]\nstiffness = 1.0",
            "[friction]\nmu = 1.0",
            "[latch]\nforce_n = 1.0",
        ] {
            let message = toml::from_str::<ContactConfig>(text)
                .unwrap_err()
                .to_string();
            assert!(message.contains("unknown field"), "{text}: {message}");
        }
    }

    #[test]
    fn bad_values_name_key_value_and_range() {
        let cases: [(&str, &str); 16] = [
            ("[normal]\nrestitution = 0.0", "contact.normal.restitution"),
            ("[normal]\nrestitution = 1.5", "contact.normal.restitution"),
            ("[normal]\nexponent = 0.5", "contact.normal.exponent"),
            (
                "[normal]\nstiffness_n_per_m_n = nan",
                "contact.normal.stiffness_n_per_m_n",
            ),
            (
                "[normal]\nfloor_speed_m_s = 0.0",
                "contact.normal.floor_speed_m_s",
            ),
            (
                "[friction]\ncoefficient = -0.1",
                "contact.friction.coefficient",
            ),
            (
                "[friction]\nlaw = 'brown_mcphee'\nstatic_coefficient = 0.1",
                "contact.friction.static_coefficient",
            ),
            ("[effector.ring]\ncount = 0", "contact.effector.ring.count"),
            (
                "[effector.ring]\nheight_m = inf",
                "contact.effector.ring.height_m",
            ),
            (
                "[effector.petals]\npoints_per_petal = 1",
                "contact.effector.petals.points_per_petal",
            ),
            (
                "[effector.petals]\nlength_m = 1.0",
                "contact.effector.petals.length_m",
            ),
            (
                "[target.cone]\ndepth_m = 0.3",
                "contact.target.cone.depth_m",
            ),
            (
                "[target.ring]\ntube_radius_m = 0.3",
                "contact.target.ring.tube_radius_m",
            ),
            (
                "[target]\nshape = 'ring'\n[effector]\ntip_radius_m = 0.2",
                "contact.effector.tip_radius_m",
            ),
            ("[latch]\ndwell_s = -1.0", "contact.latch.dwell_s"),
            (
                "[latch]\nstiffness_n_per_m = [1.0, -1.0, 1.0]",
                "contact.latch.stiffness_n_per_m",
            ),
        ];
        for (text, key) in cases {
            let config: ContactConfig = toml::from_str(text).unwrap();
            let error = config.validate().unwrap_err();
            assert_eq!(error.key, key, "{error}");
            assert!(error.to_string().contains("must be"));
        }
    }
}
