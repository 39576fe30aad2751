//! Friction of one contact point: a force against the sliding velocity, smooth through rest.
//!
//! ```text
//! T(u, N) = −q(v, N) u,  v = |u|                                              (1)
//! ∂T/∂u = −(q I + (q_v/v) u uᵀ),  ∂T/∂N = −q_N u                              (2)
//! ```
//!
//! u tangential velocity of body A against body B [m/s], N normal force [N], T friction
//! on A [N], q the friction force per speed [N·s/m]; a subscript is a derivative. Written
//! with q and q_v/v, which are smooth functions of v², (1) and (2) have no special case at rest.
//!
//! ```text
//! none          q = 0
//! coulomb       q = μ N / √(v² + v_t²)                                        (3)
//! brown_mcphee  q = N/v_t [μ tanh(4y)/y + (μ_s − μ)/(y²/4 + 3/4)²]
//!                   + c tanh(4 N/N_t),  y = v/v_t                             (4)
//! ```
//!
//! μ (dynamic) coefficient, v_t transition speed [m/s]; in (4) μ_s static coefficient, reached at
//! v = v_t (but for tanh 4 = 0.9993), c viscous coefficient [N·s/m], N_t the normal force [N] over
//! which the viscous part sets in. Neither law holds a body at true rest: below the break-away
//! force it creeps at a speed under v_t ((3): under v_t for forces below 0.7 μN).
//!
//! Source of (4): Brown & McPhee 2016 (`brown2016`), here for a velocity vector.

use crate::math;
use nalgebra::{Matrix3, Vector3};
use softdock_settings::words;

/// Below this argument the derivative of tanh(z)/z comes from its series.
const SERIES_LIMIT: f64 = 0.05;

words! {
    /// Which friction law.
    pub enum FrictionLaw {
        /// Frictionless.
        None = "none",
        /// Coulomb's law, regularised, (3).
        #[default]
        Coulomb = "coulomb",
        /// Static and dynamic coefficient, Stribeck effect and viscous part, (4).
        BrownMcphee = "brown_mcphee",
    }
}

/// A friction law with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Friction {
    /// Frictionless.
    None,
    /// (3).
    Coulomb {
        /// Coefficient μ [-].
        coefficient: f64,
        /// Transition speed v_t [m/s].
        transition_speed: f64,
    },
    /// (4).
    BrownMcphee {
        /// Dynamic coefficient μ [-].
        coefficient: f64,
        /// Static coefficient μ_s [-].
        static_coefficient: f64,
        /// Transition speed v_t [m/s].
        transition_speed: f64,
        /// Viscous coefficient c [N·s/m].
        viscous: f64,
        /// Transition force N_t [N].
        transition_force: f64,
    },
}

/// Friction force and its derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrictionValue {
    /// Force on body A, T [N].
    pub force: Vector3<f64>,
    /// ∂T/∂u [N·s/m].
    pub by_velocity: Matrix3<f64>,
    /// ∂T/∂N [-].
    pub by_normal_force: Vector3<f64>,
}

/// `q`, `q_v/v` and `q_N` of (1) and (2).
#[derive(Default)]
struct Secant {
    value: f64,
    slope: f64,
    by_normal_force: f64,
}

impl Friction {
    /// Friction at the tangential velocity `u` [m/s] and the normal force `normal_force` [N].
    pub fn evaluate(&self, u: &Vector3<f64>, normal_force: f64) -> FrictionValue {
        let q = self.secant(u.norm_squared(), normal_force);
        FrictionValue {
            force: -q.value * u,                                                       // (1)
            by_velocity: -q.slope * u * u.transpose() - Matrix3::identity() * q.value, // (2)
            by_normal_force: -q.by_normal_force * u,
        }
    }

    fn secant(&self, speed_squared: f64, normal_force: f64) -> Secant {
        match *self {
            Self::None => Secant::default(),
            Self::Coulomb {
                coefficient,
                transition_speed,
            } => {
                let squared = speed_squared + transition_speed * transition_speed;
                let by_normal_force = coefficient / squared.sqrt(); // (3)
                let value = by_normal_force * normal_force;
                Secant {
                    value,
                    slope: -value / squared,
                    by_normal_force,
                }
            }
            Self::BrownMcphee {
                coefficient,
                static_coefficient,
                transition_speed,
                viscous,
                transition_force,
            } => {
                let y_squared = speed_squared / (transition_speed * transition_speed);
                let (sigmoid, sigmoid_slope) = sigmoid(y_squared);
                let bell = 1.0 / (0.25 * y_squared + 0.75);
                let excess = static_coefficient - coefficient;
                let dry = (coefficient * sigmoid + excess * bell * bell) / transition_speed;
                let dry_slope = (coefficient * sigmoid_slope - excess * bell * bell * bell)
                    / (transition_speed * transition_speed * transition_speed);
                let onset = math::tanh(4.0 * normal_force / transition_force);
                Secant {
                    value: normal_force * dry + viscous * onset, // (4)
                    slope: normal_force * dry_slope,
                    by_normal_force: dry + viscous * 4.0 / transition_force * (1.0 - onset * onset),
                }
            }
        }
    }
}

/// `f(y) = tanh(4y)/y` and `f'(y)/y` as functions of y².
fn sigmoid(y_squared: f64) -> (f64, f64) {
    let squared = 16.0 * y_squared;
    let z = squared.sqrt();
    // With t(z) = tanh(z)/z: f = 4 t and f'/y = 64 t'/z.
    if z < SERIES_LIMIT {
        let x = squared;
        let t = 1.0 + x * (-1.0 / 3.0 + x * (2.0 / 15.0 + x * (-17.0 / 315.0 + x * 62.0 / 2835.0)));
        let slope = -2.0 / 3.0
            + x * (8.0 / 15.0 + x * (-34.0 / 105.0 + x * (496.0 / 2835.0 - x * 2764.0 / 31185.0)));
        return (4.0 * t, 64.0 * slope);
    }
    let tanh = math::tanh(z);
    let slope = ((1.0 - tanh * tanh) * z - tanh) / (squared * z);
    (4.0 * tanh / z, 64.0 * slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COULOMB: Friction = Friction::Coulomb {
        coefficient: 0.3,
        transition_speed: 1e-3,
    };
    const BROWN_MCPHEE: Friction = Friction::BrownMcphee {
        coefficient: 0.2,
        static_coefficient: 0.35,
        transition_speed: 1e-3,
        viscous: 2.0,
        transition_force: 4.0,
    };

    #[test]
    fn series_meets_the_formula_at_the_switch() {
        let y = |factor: f64| (SERIES_LIMIT * factor / 4.0).powi(2);
        let (below, above) = (sigmoid(y(1.0 - 1e-9)), sigmoid(y(1.0 + 1e-9)));
        assert!((below.0 - above.0).abs() < 1e-10);
        // Cancellation leaves 1e-12 of the slope's 64·2/3; the functions differ by 1e-9 · 1e-3.
        assert!((below.1 - above.1).abs() < 1e-9, "{below:?} {above:?}");
    }

    #[test]
    fn brown_mcphee_peaks_at_the_static_coefficient() {
        let dry = Friction::BrownMcphee {
            coefficient: 0.2,
            static_coefficient: 0.35,
            transition_speed: 1e-3,
            viscous: 0.0,
            transition_force: 1.0,
        };
        let at = |v: f64| -dry.evaluate(&Vector3::new(v, 0.0, 0.0), 10.0).force.x / 10.0;
        assert!((at(1e-3) - 0.35).abs() < 0.2 * (1.0 - 4.0_f64.tanh()) + 1e-12);
        assert!(at(1e-3) > at(0.8e-3) && at(1e-3) > at(1.2e-3));
        assert!((at(0.1) - 0.2).abs() < 1e-5);
    }

    proptest! {
        #[test]
        fn tangents_match_differences(
            law in 0..3usize, direction in prop::array::uniform3(-1.0..1.0f64),
            exponent in -5.0..-1.0f64, normal_force in 0.0..50.0f64,
        ) {
            let law = [Friction::None, COULOMB, BROWN_MCPHEE][law];
            let u = Vector3::from(direction) * 10.0_f64.powf(exponent);
            let value = law.evaluate(&u, normal_force);
            prop_assert!(value.force.dot(&u) <= 0.0);
            // Fourth-order differences with a step small against the transition speed.
            let h = 1e-6;
            let scale = 60.0 / 1e-3;
            for axis in 0..3 {
                let at = |t: f64| {
                    let mut moved = u;
                    moved[axis] += t * h;
                    law.evaluate(&moved, normal_force).force
                };
                let slope = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
                let error = (slope - value.by_velocity.column(axis)).norm();
                prop_assert!(error < 1e-8 * scale, "{error:e}");
            }
            let at = |t: f64| law.evaluate(&u, normal_force + t * 1e-4).force;
            let slope = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * 1e-4);
            prop_assert!((slope - value.by_normal_force).norm() < 1e-8);
        }
    }
}
