//! Friction about an axis or along a slide as a smooth function of the sliding speed.
//!
//! The friction opposes the speed v with `F(v) = f(v) + c v`, where c is viscous [N·m·s/rad or N·s/m]
//! and f one of
//!
//! ```text
//! coulomb       f = F_d v/√(v² + v_t²)                                          (1)
//! anderson      f = (F_d + (F_s − F_d) exp(−(|v|/v_s)^p)) tanh(v/v_t)           (2)
//! brown_mcphee  f = F_d tanh(4y) + (F_s − F_d) y/(y²/4 + 3/4)²,   y = v/v_t     (3)
//! ```
//!
//! F_d sliding and F_s breakaway friction, v_t the speed over which friction changes its sign, v_s
//! Stribeck's speed. All are odd in v and differentiable through rest. None holds a body at true
//! rest: below the breakaway friction it creeps at a speed of the order of v_t.
//!
//! F_d and F_s may be torques [N·m] (a drive), forces [N], or coefficients [-] that a normal force
//! multiplies: the curve is the same.
//!
//! Sources: Andersson, Söderberg & Björklund 2007 (`anderson2007`) for (2), Brown & McPhee 2016
//! (`brown2016`) for (3).

use crate::error::{Result, require};
use crate::math;

/// How friction depends on speed; units as in the file's head.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum FrictionCurve {
    /// No dry friction.
    #[default]
    None,
    /// (1).
    Coulomb {
        /// Sliding friction F_d.
        sliding: f64,
        /// Speed v_t over which it changes its sign [rad/s or m/s].
        transition_speed: f64,
    },
    /// (2).
    Anderson {
        /// Sliding friction F_d.
        sliding: f64,
        /// Breakaway friction F_s.
        breakaway: f64,
        /// Stribeck's speed v_s [rad/s or m/s].
        stribeck_speed: f64,
        /// Exponent p [-].
        exponent: f64,
        /// Speed v_t over which it changes its sign [rad/s or m/s].
        transition_speed: f64,
    },
    /// (3).
    BrownMcphee {
        /// Sliding friction F_d.
        sliding: f64,
        /// Breakaway friction F_s, reached at v_t but for tanh 4 = 0.9993.
        breakaway: f64,
        /// Speed v_t of breakaway [rad/s or m/s].
        transition_speed: f64,
    },
}

impl FrictionCurve {
    /// `f(v)` and `f'(v)` at the speed `v` [rad/s or m/s].
    pub fn at(&self, v: f64) -> (f64, f64) {
        match *self {
            Self::None => (0.0, 0.0),
            Self::Coulomb {
                sliding,
                transition_speed: v_t,
            } => {
                let root = (v * v + v_t * v_t).sqrt();
                let secant = sliding / root;
                (secant * v, secant * (v_t / root) * (v_t / root)) // (1)
            }
            Self::Anderson {
                sliding,
                breakaway,
                stribeck_speed,
                exponent,
                transition_speed,
            } => {
                let z = v.abs() / stribeck_speed;
                let power = math::powf(z, exponent);
                let excess = (breakaway - sliding) * math::exp(-power);
                let t = math::tanh(v / transition_speed);
                // d exp(−zᵖ)/dv · tanh is even in v: the signs of both odd factors cancel.
                let falling = if z > 0.0 {
                    -excess * exponent * power / v.abs() * t.abs()
                } else {
                    0.0
                };
                let level = sliding + excess;
                (
                    level * t, // (2)
                    falling + level * (1.0 - t * t) / transition_speed,
                )
            }
            Self::BrownMcphee {
                sliding,
                breakaway,
                transition_speed,
            } => {
                let y = v / transition_speed;
                let t = math::tanh(4.0 * y);
                let d = 0.25 * y * y + 0.75;
                let excess = breakaway - sliding;
                let slope = sliding * 4.0 * (1.0 - t * t) + excess * (d - y * y) / (d * d * d);
                (
                    sliding * t + excess * y / (d * d), // (3)
                    slope / transition_speed,
                )
            }
        }
    }

    /// Checks the ranges.
    pub fn validate(&self, owner: &str) -> Result<()> {
        let positive = |quantity, value: f64| require(value > 0.0, owner, quantity, value, "> 0");
        let level = |value: f64| require(value >= 0.0, owner, "sliding friction", value, ">= 0");
        let above = |breakaway: f64, sliding: f64| {
            let ok = breakaway >= sliding && breakaway.is_finite();
            let allowed = ">= sliding friction";
            require(ok, owner, "breakaway friction", breakaway, allowed)
        };
        match *self {
            Self::None => Ok(()),
            Self::Coulomb {
                sliding,
                transition_speed,
            } => {
                level(sliding)?;
                positive("friction transition speed", transition_speed)
            }
            Self::Anderson {
                sliding,
                breakaway,
                stribeck_speed,
                exponent,
                transition_speed,
            } => {
                level(sliding)?;
                above(breakaway, sliding)?;
                positive("Stribeck speed", stribeck_speed)?;
                require(
                    exponent >= 1.0,
                    owner,
                    "Stribeck exponent",
                    exponent,
                    ">= 1",
                )?;
                positive("friction transition speed", transition_speed)
            }
            Self::BrownMcphee {
                sliding,
                breakaway,
                transition_speed,
            } => {
                level(sliding)?;
                above(breakaway, sliding)?;
                positive("friction transition speed", transition_speed)
            }
        }
    }
}

/// Friction of a drive or bearing that no normal force changes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AxisFriction {
    /// Dry part; its levels are torques [N·m] or forces [N].
    pub curve: FrictionCurve,
    /// Viscous part c [N·m·s/rad or N·s/m].
    pub viscous: f64,
}

impl AxisFriction {
    /// Friction against the speed `v` [rad/s or m/s], and its derivative by it.
    #[inline]
    pub fn at(&self, v: f64) -> (f64, f64) {
        let (dry, slope) = self.curve.at(v);
        (dry + self.viscous * v, slope + self.viscous)
    }

    /// Whether there is none at all.
    pub fn is_none(&self) -> bool {
        self.curve == FrictionCurve::None && self.viscous == 0.0
    }

    /// Checks the ranges.
    pub fn validate(&self, owner: &str) -> Result<()> {
        let c = self.viscous;
        require(c >= 0.0, owner, "viscous friction", c, ">= 0")?;
        self.curve.validate(owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CURVES: [FrictionCurve; 4] = [
        FrictionCurve::None,
        FrictionCurve::Coulomb {
            sliding: 0.3,
            transition_speed: 0.02,
        },
        FrictionCurve::Anderson {
            sliding: 0.2,
            breakaway: 0.35,
            stribeck_speed: 0.3,
            exponent: 1.7,
            transition_speed: 0.02,
        },
        FrictionCurve::BrownMcphee {
            sliding: 0.2,
            breakaway: 0.35,
            transition_speed: 0.02,
        },
    ];

    #[test]
    fn curves_reach_their_levels() {
        for curve in &CURVES[1..] {
            let sliding = curve.at(1e3).0;
            let expected = if let FrictionCurve::Coulomb { sliding, .. } = curve {
                *sliding
            } else {
                0.2
            };
            assert!((sliding - expected).abs() < 1e-6, "{curve:?}: {sliding}");
            assert_eq!(curve.at(0.0).0, 0.0);
        }
        // 0.35 at the transition speed, but for 0.2 (1 − tanh 4).
        let peak = CURVES[3].at(0.02).0;
        assert!((peak - 0.35).abs() < 0.2 * 7e-4, "{peak}");
    }

    proptest! {
        #[test]
        fn slopes_match_differences_and_friction_dissipates(
            which in 0..4_usize, exponent in -4.0..1.0_f64, negative in any::<bool>(),
        ) {
            let v = 10.0_f64.powf(exponent) * if negative { -1.0 } else { 1.0 };
            let law = AxisFriction { curve: CURVES[which], viscous: 0.1 };
            let (value, slope) = law.at(v);
            prop_assert!(value * v >= 0.0);
            prop_assert!((law.at(-v).0 + value).abs() < 1e-15);
            let h = 1e-5 * v.abs().max(0.01);
            let at = |t: f64| law.at(v + t * h).0;
            let found = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
            // The steepest slope is 0.8/0.02; rounding leaves 1e-16/h of it.
            prop_assert!((found - slope).abs() < 1e-7 * 40.0, "{found} {slope}");
        }
    }
}
