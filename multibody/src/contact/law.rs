//! Normal force of one contact point: a spring stiffening with depth, and a damping that grows
//! with the spring's force.
//!
//! ```text
//! N(δ, δ̇) = max(0, K δⁿ (1 + χ δ̇/v₀))  for δ > 0, else 0                      (1)
//! v₀ = max(δ̇₀, v_f)                                                           (2)
//! U(δ) = K δⁿ⁺¹ / (n + 1)                                                     (3)
//! ```
//!
//! δ penetration [m], δ̇ its rate [m/s], δ̇₀ that rate when the contact episode began, K stiffness
//! [N/mⁿ], n exponent, χ damping factor, U potential energy [J]. The damping starts from zero
//! with the force, so a touch does not jump; it is never attractive.
//!
//! χ follows from the restitution e that is asked for:
//!
//! ```text
//! hertz                χ = 0
//! hunt_crossley        χ = 3 (1 − e) / 2
//! lankarani_nikravesh  χ = 3 (1 − e²) / 4
//! flores               χ = 8 (1 − e) / (5 e)
//! exact                χ (1 + e) = ln[(1 + χ)/(1 − χ e)]                      (4)
//! ```
//!
//! Equation (4): for a mass m that meets the surface with δ̇₀ and feels nothing else, `u = δ̇/δ̇₀`
//! obeys `m δ̇₀² u du/(1 + χu) = −K δⁿ dδ`. The right side integrates to zero from touch (u = 1)
//! to separation (u = −e), both at δ = 0, so `∫ u/(1 + χu) du` over [−e, 1] vanishes; that is (4),
//! whatever m, K, n and δ̇₀. The other three are approximations of (4); what they really deliver
//! is the root e of (4) for their χ ([`NormalForce::delivered_restitution`]).
//!
//! [`crate::restitution`] solves (4).
//!
//! Slow and lasting contact: χ/v₀ would grow without bound as δ̇₀ → 0; below the floor speed v_f
//! the damping stays that of an impact at v_f (the delivered restitution rises toward 1, as that
//! of real materials does). A contact that lasts keeps the δ̇₀ it began with.
//!
//! Sources: Hunt & Crossley 1975 (`hunt1975`), Lankarani & Nikravesh 1990 (`lankarani1990`),
//! Flores et al. 2011 (`flores2011`); (4) is the relation of Gonthier et al. 2004
//! (`gonthier2004`), rederived; Johnson 1985 (`johnson1985`) for Hertz's exponent 3/2.

use crate::{math, restitution};
use softdock_settings::words;

words! {
    /// How the damping factor χ follows from the restitution.
    pub enum NormalLaw {
        /// No damping.
        Hertz = "hertz",
        /// Hunt & Crossley 1975.
        HuntCrossley = "hunt_crossley",
        /// Lankarani & Nikravesh 1990.
        LankaraniNikravesh = "lankarani_nikravesh",
        /// Flores et al. 2011.
        Flores = "flores",
        /// Delivers the restitution asked for, (4).
        #[default]
        Exact = "exact",
    }
}

impl NormalLaw {
    /// Damping factor χ [-] for a restitution in (0, 1].
    pub fn damping_factor(self, restitution: f64) -> f64 {
        let e = restitution;
        match self {
            Self::Hertz => 0.0,
            Self::HuntCrossley => 1.5 * (1.0 - e),
            Self::LankaraniNikravesh => 0.75 * (1.0 - e * e),
            Self::Flores => 1.6 * (1.0 - e) / e,
            Self::Exact => restitution::damping_factor(e),
        }
    }
}

/// The normal law of a contact point with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalForce {
    stiffness: f64,
    exponent: f64,
    damping_factor: f64,
    floor_speed: f64,
}

/// Value and derivatives of the normal force.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NormalValue {
    /// Force N [N], never negative.
    pub force: f64,
    /// ∂N/∂δ [N/m].
    pub by_penetration: f64,
    /// ∂N/∂δ̇ [N·s/m].
    pub by_rate: f64,
    /// The elastic part K δⁿ [N].
    pub elastic: f64,
}

impl NormalForce {
    /// `stiffness` [N/mⁿ] and `floor_speed` [m/s] positive, `exponent` at least 1, `restitution`
    /// in [0.01, 1]; the configuration checks them.
    pub fn new(
        law: NormalLaw,
        stiffness: f64,
        exponent: f64,
        restitution: f64,
        floor_speed: f64,
    ) -> Self {
        Self {
            stiffness,
            exponent,
            damping_factor: law.damping_factor(restitution),
            floor_speed,
        }
    }

    /// Damping factor χ [-].
    pub fn damping_factor(&self) -> f64 {
        self.damping_factor
    }

    /// Restitution [-] that a free impact above the floor speed really has: e of (4) for this χ.
    pub fn delivered_restitution(&self) -> f64 {
        restitution::delivered(self.damping_factor)
    }

    /// Force and derivatives, (1), at `penetration` δ [m], `rate` δ̇ [m/s] and `approach_speed`
    /// δ̇₀ [m/s]. On each branch the derivatives are exact; a penetration that is not a number
    /// gives forces that are not.
    pub fn evaluate(&self, penetration: f64, rate: f64, approach_speed: f64) -> NormalValue {
        if penetration <= 0.0 {
            return NormalValue::default();
        }
        let elastic = self.elastic(penetration);
        let damping = self.damping_factor / approach_speed.max(self.floor_speed); // (2)
        let factor = 1.0 + damping * rate;
        if factor <= 0.0 {
            return NormalValue {
                elastic,
                ..NormalValue::default()
            };
        }
        NormalValue {
            force: elastic * factor, // (1)
            by_penetration: self.exponent * elastic / penetration * factor,
            by_rate: elastic * damping,
            elastic,
        }
    }

    /// Elastic part K δⁿ [N] at a penetration δ [m] above zero.
    fn elastic(&self, penetration: f64) -> f64 {
        // Hertz's exponent by the exactly rounded square root: the same bits on every machine.
        let power = if self.exponent == 1.5 {
            penetration * penetration.sqrt()
        } else {
            math::powf(penetration, self.exponent)
        };
        self.stiffness * power
    }

    /// Potential energy (3) [J] at a penetration [m].
    pub fn potential(&self, penetration: f64) -> f64 {
        if penetration <= 0.0 {
            return 0.0;
        }
        self.elastic(penetration) * penetration / (self.exponent + 1.0)
    }

    /// Elastic tangent stiffness n K δⁿ⁻¹ [N/m] at a penetration [m].
    pub fn tangent_stiffness(&self, penetration: f64) -> f64 {
        if penetration <= 0.0 {
            return 0.0;
        }
        self.exponent * self.elastic(penetration) / penetration
    }

    /// Penetration [m] at which (3) has stored the kinetic energy of `mass` [kg] at `speed` [m/s]:
    /// the depth of an undamped impact.
    pub fn peak_penetration(&self, mass: f64, speed: f64) -> f64 {
        let order = self.exponent + 1.0;
        math::powf(
            0.5 * order * mass * speed * speed / self.stiffness,
            1.0 / order,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Second-order differences with relative step 1e-5.
    const DERIVATIVE_TOLERANCE: f64 = 1e-8;
    const DAMPED: [NormalLaw; 4] = [
        NormalLaw::HuntCrossley,
        NormalLaw::LankaraniNikravesh,
        NormalLaw::Flores,
        NormalLaw::Exact,
    ];

    fn force(law: NormalLaw, restitution: f64) -> NormalForce {
        NormalForce::new(law, 2e6, 1.5, restitution, 1e-3)
    }

    #[test]
    fn laws_deliver_their_known_restitution() {
        // Asked for 0.5: the root e of (4) for each law's χ, rounded to three digits.
        let known = [0.663, 0.725, 0.470, 0.500];
        for (law, expected) in DAMPED.into_iter().zip(known) {
            let delivered = force(law, 0.5).delivered_restitution();
            assert!((delivered - expected).abs() < 5e-4, "{law:?}: {delivered}");
        }
        assert_eq!(force(NormalLaw::Hertz, 0.5).delivered_restitution(), 1.0);
        for e in [0.01, 0.02, 0.1, 0.3, 0.7, 0.99, 0.999_999] {
            let delivered = force(NormalLaw::Exact, e).delivered_restitution();
            assert!((delivered - e).abs() < 1e-12, "{delivered} {e}");
        }
    }

    /// Restitution delivered where 0.1, 0.2, …, 0.9 is asked: independent integrations of the impact.
    #[test]
    fn delivered_restitution_is_that_of_integrated_impacts() {
        let lankarani = [
            0.6653, 0.6723, 0.6842, 0.7016, 0.7252, 0.7561, 0.7960, 0.8471, 0.9132,
        ];
        let flores = [
            0.0694, 0.1555, 0.2562, 0.3629, 0.4704, 0.5773, 0.6832, 0.7885, 0.8939,
        ];
        for (law, expected) in [
            (NormalLaw::LankaraniNikravesh, lankarani),
            (NormalLaw::Flores, flores),
        ] {
            for (i, expected) in expected.into_iter().enumerate() {
                let asked = (i + 1) as f64 / 10.0;
                let found = force(law, asked).delivered_restitution();
                assert!((found - expected).abs() < 1e-4, "{law:?} {asked}: {found}");
            }
        }
    }

    #[test]
    fn slow_impacts_stay_bounded() {
        let law = force(NormalLaw::Exact, 0.1);
        let slow = law.evaluate(1e-4, 1e-6, 0.0);
        assert_eq!(slow, law.evaluate(1e-4, 1e-6, 1e-3));
        assert!(slow.force.is_finite() && slow.by_rate.is_finite());
    }

    #[test]
    fn nothing_is_felt_apart_and_nan_is_not_hidden() {
        let law = force(NormalLaw::Exact, 0.5);
        for penetration in [-1.0, -1e-300, 0.0] {
            assert_eq!(law.evaluate(penetration, 1.0, 1.0), NormalValue::default());
        }
        assert!(law.evaluate(f64::NAN, 0.0, 1.0).force.is_nan());
    }

    #[test]
    fn peak_penetration_stores_the_kinetic_energy() {
        for exponent in [1.0, 1.5, 2.2] {
            let law = NormalForce::new(NormalLaw::Hertz, 3e5, exponent, 1.0, 1e-3);
            let depth = law.peak_penetration(3.0, 0.05);
            let energy = 0.5 * 3.0 * 0.05 * 0.05;
            assert!((law.potential(depth) / energy - 1.0).abs() < 1e-13);
        }
    }

    proptest! {
        #[test]
        fn derivatives_match_differences(
            law in 0..5usize, exponent in 1.0..2.5f64, e in 0.05..1.0f64,
            penetration in 1e-5..1e-2f64, rate in -0.2..0.2f64, approach in 0.0..0.2f64,
        ) {
            let law = [NormalLaw::Hertz, DAMPED[0], DAMPED[1], DAMPED[2], DAMPED[3]][law];
            let law = NormalForce::new(law, 2e6, exponent, e, 1e-3);
            let at = |d: f64, r: f64| law.evaluate(d, r, approach);
            let value = at(penetration, rate);
            prop_assert!(value.force >= 0.0);
            let (hd, hr) = (1e-5 * penetration, 1e-7);
            let sides = [at(penetration + hd, rate), at(penetration - hd, rate),
                at(penetration, rate + hr), at(penetration, rate - hr)];
            // Skip differences that straddle the clamp.
            if sides.iter().all(|s| (s.force > 0.0) == (value.force > 0.0)) {
                let slope = (sides[0].force - sides[1].force) / (2.0 * hd);
                let scale = value.elastic / penetration * (1.0 + law.damping_factor / 1e-3);
                prop_assert!((slope - value.by_penetration).abs() < DERIVATIVE_TOLERANCE * scale);
                let slope = (sides[2].force - sides[3].force) / (2.0 * hr);
                let scale = value.elastic * (law.damping_factor / 1e-3 + 1.0);
                prop_assert!((slope - value.by_rate).abs() < DERIVATIVE_TOLERANCE * scale);
            }
            let rise = (law.potential(penetration + hd) - law.potential(penetration - hd)) / (2.0 * hd);
            prop_assert!((rise / value.elastic - 1.0).abs() < DERIVATIVE_TOLERANCE);
        }
    }
}
