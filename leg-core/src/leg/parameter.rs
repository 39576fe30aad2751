//! The numbers of a leg that a user can set: key, unit and range, each stated once.
//!
//! Validation, the keys of configuration files and the variables of the FMUs take their ranges
//! from here. Both ends of a range are allowed: FMI knows no open ones. A range ends where the
//! equations lose their digits or where nothing can be built, so that a value outside is refused
//! by its name instead of ending in equations that cannot be solved.

use super::check::{ConfigError, check};

/// A number that a user can set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Key, with the name of its table: `tendon.stiffness_n_per_m`.
    pub key: &'static str,
    /// Unit, `-` for none.
    pub unit: &'static str,
    /// Lowest allowed value, in the unit.
    pub low: f64,
    /// Highest allowed value, in the unit.
    pub high: f64,
    /// The range as a comment has it: `0.001 to 100`.
    pub range: &'static str,
    /// The range as a complaint has it: `in [0.001, 100] m`.
    pub allowed: &'static str,
}

impl Parameter {
    /// Refuses a value outside the range.
    pub fn check(&self, value: f64) -> Result<(), ConfigError> {
        // NaN fails both comparisons.
        let inside = value >= self.low && value <= self.high;
        check(inside, self.key, value, self.allowed)
    }

    /// Refuses the first of several values that is outside the range.
    pub fn check_all(&self, values: &[f64]) -> Result<(), ConfigError> {
        values.iter().try_for_each(|&value| self.check(value))
    }
}

/// Declares a table of [`Parameter`]s: constants, and `ALL` of them in their order.
#[macro_export]
macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident = $key:literal, $unit:tt, $low:literal to $high:literal;)+) => {
        $(
            $(#[$doc])*
            pub const $name: $crate::leg::parameter::Parameter = $crate::leg::parameter::Parameter {
                key: $key,
                unit: $crate::parameters!(@unit $unit),
                low: $low as f64,
                high: $high as f64,
                range: concat!($low, " to ", $high),
                allowed: concat!("in [", $low, ", ", $high, "]", $crate::parameters!(@after $unit)),
            };
        )+

        /// All of them.
        pub const ALL: &[$crate::leg::parameter::Parameter] = &[$($name),+];
    };
    (@unit -) => { "-" };
    (@unit $unit:literal) => { $unit };
    (@after -) => { "" };
    (@after $unit:literal) => { concat!(" ", $unit) };
}

parameters! {
    /// Gravity, every component.
    GRAVITY = "gravity_m_s2", "m/s²", -1000 to 1000;
    /// Lower ground pivot of the planar leg, every coordinate.
    LOWER_PIVOT = "geometry.lower_pivot_m", "m", -100 to 100;
    /// Upper ground pivot of the planar leg, every coordinate.
    UPPER_PIVOT = "geometry.upper_pivot_m", "m", -100 to 100;
    /// Motor of the spatial leg, every coordinate.
    MOTOR_POSITION = "base.motor_position_m", "m", -100 to 100;
    /// Direction of the crank, every component.
    CRANK_DIRECTION = "base.crank_direction", -, -1000 to 1000;
    /// The motor's axis, every component.
    MOTOR_AXIS = "base.motor_axis", -, -1000 to 1000;
    /// First axis of the universal joint, every component.
    FIRST_AXIS = "universal.first_axis", -, -1000 to 1000;
    /// Second axis of the universal joint, every component.
    SECOND_AXIS = "universal.second_axis", -, -1000 to 1000;
    /// Length of the crank.
    CRANK_LENGTH = "crank.length_m", "m", 0.001 to 100;
    /// Mass of the crank.
    CRANK_MASS = "crank.mass_kg", "kg", 1e-6 to 1e6;
    /// Length of the upper link.
    LINK_LENGTH = "link.length_m", "m", 0.001 to 100;
    /// Mass of the upper link.
    LINK_MASS = "link.mass_kg", "kg", 1e-6 to 1e6;
    /// Length of the leaf.
    LEAF_LENGTH = "leaf.length_m", "m", 0.001 to 100;
    /// Width of the leaf.
    LEAF_WIDTH = "leaf.width_m", "m", 1e-6 to 10;
    /// Thickness of the leaf.
    LEAF_THICKNESS = "leaf.thickness_m", "m", 1e-6 to 1;
    /// Young's modulus; beyond, bending and stretching differ by more than a number's digits.
    YOUNGS_MODULUS = "leaf.youngs_modulus_pa", "Pa", 1e3 to 1e13;
    /// Shear modulus.
    SHEAR_MODULUS = "leaf.shear_modulus_pa", "Pa", 1e3 to 1e13;
    /// Shear correction factor.
    SHEAR_FACTOR = "leaf.shear_factor", -, 0.001 to 10;
    /// Density of the leaf.
    DENSITY = "leaf.density_kg_m3", "kg/m³", 0.001 to 1e6;
    /// Curvature of the unstressed leaf.
    CURVATURE = "leaf.curvature_per_m", "1/m", -1e4 to 1e4;
    /// Rayleigh damping, mass coefficient.
    RAYLEIGH_MASS = "leaf.rayleigh_mass_per_s", "1/s", 0 to 1e6;
    /// Rayleigh damping, stiffness coefficient.
    RAYLEIGH_STIFFNESS = "leaf.rayleigh_stiffness_s", "s", 0 to 1e3;
    /// Damping ratios of single modes of the leaf, each.
    MODAL_DAMPING = "leaf.modal_damping_ratios", -, 0 to 0.999;
    /// Radius of a round rod instead of the leaf.
    SECTION_RADIUS = "section.radius_m", "m", 1e-6 to 1;
    /// Stiffness of the tendon; beyond, the tension is rounding of its length.
    TENDON_STIFFNESS = "tendon.stiffness_n_per_m", "N/m", 0.001 to 1e12;
    /// Damping of the tendon.
    TENDON_DAMPING = "tendon.damping_n_s_per_m", "N·s/m", 0 to 1e9;
    /// Damping of the tendon while shortening.
    TENDON_DAMPING_SHORTENING = "tendon.damping_shortening_n_s_per_m", "N·s/m", 0 to 1e9;
    /// Rest length of the tendon.
    REST_LENGTH = "tendon.rest_length_m", "m", 0 to 100;
    /// Guide friction of the tendon.
    TENDON_FRICTION = "tendon.friction_n", "N", 0 to 1e6;
    /// Speed over which the friction changes sign.
    FRICTION_SPEED = "tendon.friction_speed_m_per_s", "m/s", 1e-9 to 1e3;
    /// Half width of the rounded corner at zero tension.
    SLACK_WIDTH = "tendon.slack_width_n", "N", 1e-9 to 1e3;
    /// Half width of the rounded corner between the two dampings.
    RATE_WIDTH = "tendon.rate_width_m_per_s", "m/s", 1e-12 to 1e3;
    /// Crank angle of the planar leg's posture.
    PRETENSION_Q1 = "pretension.q1_rad", "rad", -10 to 10;
    /// Angle of the upper link of that posture.
    PRETENSION_Q3 = "pretension.q3_rad", "rad", -10 to 10;
    /// Distance from A to B of that posture.
    CHORD = "pretension.chord_m", "m", 0.001 to 100;
    /// Tendon tension of that posture.
    TENSION = "pretension.tension_n", "N", 0 to 1e9;
    /// Crank angle of the spatial leg's posture.
    Q1 = "q1_rad", "rad", -10 to 10;
    /// Tip of that posture, every coordinate.
    TIP_POSITION = "tip_position_m", "m", -100 to 100;
    /// Stiffness of the hold.
    HOLD_STIFFNESS = "motor.hold_stiffness_nm_per_rad", "N·m/rad", 0 to 1e9;
    /// Damping of the hold.
    HOLD_DAMPING = "motor.hold_damping_nm_s_per_rad", "N·m·s/rad", 0 to 1e9;
    /// Torque limit.
    TORQUE_LIMIT = "motor.torque_limit_nm", "N·m", 1e-9 to 1e9;
    /// Working range of the motor.
    MOTOR_RANGE = "motor.range_rad", "rad", 1e-6 to 1e3;
    /// Elements of the leaf.
    ELEMENTS = "solver.elements", -, 2 to 2000;
    /// Step size; below, accelerations are rounding of positions divided by its square.
    STEP = "solver.step_s", "s", 1e-7 to 1;
    /// Allowed error of an adaptive step.
    ERROR_TOLERANCE = "solver.error_tolerance", -, 1e-12 to 1;
    /// Spectral radius at infinite frequency.
    SPECTRAL_RADIUS = "solver.spectral_radius", -, 0 to 1;
    /// Newton's tolerance.
    NEWTON_TOLERANCE = "solver.newton_tolerance", -, 1e-12 to 0.001;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked_as_they_are_worded() {
        for parameter in ALL {
            let (low, high) = parameter.range.split_once(" to ").unwrap_or_default();
            assert_eq!(low.parse(), Ok(parameter.low), "{parameter:?}");
            assert_eq!(high.parse(), Ok(parameter.high), "{parameter:?}");
            assert!(
                parameter
                    .allowed
                    .starts_with(&format!("in [{low}, {high}]"))
            );
            assert!(parameter.low < parameter.high, "{parameter:?}");
            assert_eq!(parameter.check(parameter.low), Ok(()));
            assert_eq!(parameter.check(parameter.high), Ok(()));
            let outside = [parameter.low.next_down(), parameter.high.next_up()];
            for value in outside.into_iter().chain([f64::NAN, f64::INFINITY]) {
                assert!(parameter.check(value).is_err(), "{parameter:?}: {value}");
            }
        }
    }

    #[test]
    fn no_key_stands_twice() {
        for (k, parameter) in ALL.iter().enumerate() {
            assert!(ALL[..k].iter().all(|other| other.key != parameter.key));
        }
    }
}
