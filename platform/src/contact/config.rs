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

use multibody::contact::{FrictionLaw, NormalLaw};
use multibody::math;
use softdock_settings::{ConfigError, Table, check, table};

mod shape;

pub use shape::{
    ConeConfig, EffectorConfig, EffectorShape, PetalsConfig, RimConfig, RingConfig, TargetConfig,
    TargetShape,
};

table! {
    /// Normal force of one contact point.
    #[derive(Copy)]
    pub struct NormalConfig in "contact.normal" {
        law: NormalLaw = NormalLaw::default(), "Law of the normal force; exact delivers the restitution asked for";
        stiffness_n_per_m_n: f64 = 2e6, "Stiffness of one point, n being the exponent" ["N/m^n"; 1 to 1e12];
        exponent: f64 = 1.5, "Exponent: 1.5 for a sphere, 1 for a linear spring" ["-"; 1 to 3];
        restitution: f64 = 0.5, "Restitution asked for" ["-"; 0.01 to 1];
        floor_speed_m_s: f64 = 1e-3, "Approach speed below which the damping no longer grows" ["m/s"; > 0];
    }
}

table! {
    /// Friction of one contact point.
    #[derive(Copy)]
    pub struct FrictionConfig in "contact.friction" {
        law: FrictionLaw = FrictionLaw::default(), "Law of friction";
        coefficient: f64 = 0.2, "Coefficient of sliding friction" ["-"; 0 to 10];
        static_coefficient: f64 = 0.25, "Coefficient of static friction; brown_mcphee only" ["-"; 0 to 10];
        transition_speed_m_s: f64 = 1e-3, "Speed below which friction fades; brown_mcphee: at which it peaks" ["m/s"; > 0];
        viscous_n_s_per_m: f64 = 0.0, "Viscous coefficient; brown_mcphee only" ["N·s/m"; >= 0];
        transition_force_n: f64 = 1.0, "Normal force over which the viscous part sets in; brown_mcphee only" ["N"; > 0];
    }
}

impl FrictionConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let fixed = self.static_coefficient;
        let above = self.law != FrictionLaw::BrownMcphee || fixed >= self.coefficient;
        let key = Self::static_coefficient.key;
        check(above, key, fixed, "not below coefficient for brown_mcphee")
    }
}

table! {
    /// Capture: when it happens, and what holds the bodies together from then on.
    #[derive(Copy)]
    pub struct LatchConfig in "contact.latch" {
        enabled: bool = true, "There is a latch";
        gap_m: f64 = 0.002, "It closes when the gap is at most this" ["m"; >= 0];
        angle_deg: f64 = 1.5, "and the angle between the axes at most this" ["deg"; 0 to 180];
        speed_m_s: f64 = 0.01, "and the relative speed at most this" ["m/s"; >= 0];
        dwell_s: f64 = 0.05, "for this long" ["s"; >= 0];
        stiffness_n_per_m: [f64; 3] = [1e5; 3], "Stiffness of the closed latch along the end effector's axes" ["N/m"; >= 0];
        stiffness_nm_per_rad: [f64; 3] = [2e3; 3], "Stiffness of the closed latch about them" ["N·m/rad"; >= 0];
        damping_n_s_per_m: [f64; 3] = [300.0; 3], "Damping of the closed latch along them" ["N·s/m"; >= 0];
        damping_nm_s_per_rad: [f64; 3] = [6.0; 3], "Damping of the closed latch about them" ["N·m·s/rad"; >= 0];
    }
}

table! {
    /// Contact between end effector and target.
    #[derive(Copy)]
    pub struct ContactConfig in "contact" {
        steps_per_half_period: f64 = 40.0, "Time steps per half period of a contact oscillation" ["-"; 2 to 10000];
        /// The end effector's side.
        table effector: EffectorConfig;
        /// The target's side.
        table target: TargetConfig;
        /// Normal force.
        table normal: NormalConfig;
        /// Friction.
        table friction: FrictionConfig;
        /// Capture.
        table latch: LatchConfig;
    }
}

impl ContactConfig {
    /// Checks every value.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        self.effector.petals.validate()?;
        self.target.validate()?;
        self.friction.validate()?;
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
            EffectorConfig::tip_radius_m.key,
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
