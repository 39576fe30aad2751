//! End stops of a joint's angle or of a line's length: a stiff spring-damper that only pushes back,
//! with the damping that delivers a restitution.
//!
//! For a coordinate x between a lower stop x₁ and an upper one x₂, with the depth `δ = x₁ − x` or
//! `δ = x − x₂` in a stop, the force on the coordinate is −N at the upper stop and +N at the lower:
//!
//! ```text
//! N = max(0, K δⁿ (1 + χ δ̇/v₀))  for δ > 0, else 0,    v₀ = max(δ̇₀, v_f)          (1)
//! U = K δⁿ⁺¹/(n + 1),     dissipated power = (N − K δⁿ) δ̇ ≥ 0                      (2)
//! ```
//!
//! K stiffness [N·m/radⁿ or N/mⁿ], n exponent, δ̇₀ the speed at which the stop was met, v_f a floor of
//! it, χ the factor that delivers the restitution asked for ([`crate::restitution`]). This is the
//! exact law of the docking's contact. The damping starts from zero with the force, so a touch does
//! not jump, and the stop never pulls.
//!
//! The speed δ̇₀ is memory: it is part of the state, changes only when a step is accepted, and is that
//! of the first accepted state inside the stop. Steps end where a stop is met or left
//! ([`crate::dynamics::stops`]), so that this is the speed of the touch. Numbers per pair of stops: for
//! the lower, then the upper, whether it is touched (1 or 0), and δ̇₀; then two of the model as a whole,
//! which the steps keep with its first pair: the time since a stop was met first, and the length of the
//! step to go on with [s].
//!
//! Below v_f the damping stays that of an impact at v_f; the restitution of slower ones rises toward
//! 1. A stop that is pressed keeps the δ̇₀ with which it was met.

use crate::error::{Result, require};
use crate::math;
use crate::restitution;

/// Numbers of memory of a pair of stops.
pub const STOP_MEMORY: usize = 6;

/// A speed behind the touch counts as the speed of the touch while it is at least this part of the
/// speed before: the state that met the stop is hardly inside it then.
const STILL_CLOSING: f64 = 0.5;

/// How a stop pushes back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopLaw {
    /// Stiffness K [N·m/radⁿ or N/mⁿ].
    pub stiffness: f64,
    /// Exponent n [-], at least 1.
    pub exponent: f64,
    /// Restitution e [-], 0.01 to 1.
    pub restitution: f64,
    /// Floor v_f of the speed at which it is met [rad/s or m/s].
    pub floor_speed: f64,
}

/// Stops at both ends of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stops {
    /// Lower stop x₁ [rad or m]; −∞ for none.
    pub lower: f64,
    /// Upper stop x₂ [rad or m]; ∞ for none.
    pub upper: f64,
    /// How they push back.
    pub law: StopLaw,
    /// χ.
    damping_factor: f64,
}

/// Force of stops on their coordinate, and its derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StopResponse {
    /// Force along growing x: −N at the upper stop, N at the lower [N·m or N].
    pub force: f64,
    /// By x [N·m/rad or N/m].
    pub by_position: f64,
    /// By ẋ [N·m·s/rad or N·s/m].
    pub by_rate: f64,
}

/// One of the two stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSide {
    /// That of small coordinates.
    Lower,
    /// That of large ones.
    Upper,
}

impl StopSide {
    /// Derivative of the depth by the coordinate.
    fn sign(self) -> f64 {
        match self {
            Self::Lower => -1.0,
            Self::Upper => 1.0,
        }
    }
}

impl Stops {
    /// Stops at `lower` and `upper` [rad or m].
    pub fn new(lower: f64, upper: f64, law: StopLaw) -> Self {
        Self {
            lower,
            upper,
            law,
            damping_factor: restitution::damping_factor(law.restitution),
        }
    }

    /// Distances to the lower and upper stop [rad or m], negative inside.
    pub fn gaps(&self, x: f64) -> [f64; 2] {
        [x - self.lower, self.upper - x]
    }

    /// How deep the coordinate is in a stop, and in which [rad or m]; none between the stops.
    #[inline]
    pub fn depth(&self, x: f64) -> Option<(StopSide, f64)> {
        if x > self.upper {
            Some((StopSide::Upper, x - self.upper))
        } else if x < self.lower {
            Some((StopSide::Lower, self.lower - x))
        } else {
            None
        }
    }

    /// Force at `x` [rad or m], `rate` [rad/s or m/s] and this memory, (1).
    #[inline]
    pub fn respond(&self, x: f64, rate: f64, memory: &[f64]) -> StopResponse {
        let Some((side, depth)) = self.depth(x) else {
            return StopResponse::default();
        };
        let sign = side.sign();
        let elastic = self.elastic(depth);
        let damping = self.damping_factor / self.approach(side, memory);
        let factor = 1.0 + damping * sign * rate;
        if factor <= 0.0 {
            return StopResponse::default();
        }
        StopResponse {
            force: -sign * elastic * factor, // (1)
            by_position: -self.law.exponent * elastic / depth * factor,
            by_rate: -elastic * damping,
        }
    }

    /// v₀ of (1).
    fn approach(&self, side: StopSide, memory: &[f64]) -> f64 {
        let first = match side {
            StopSide::Lower => 0,
            StopSide::Upper => 2,
        };
        let met = memory.get(first + 1).copied().unwrap_or(0.0);
        met.max(self.law.floor_speed)
    }

    fn elastic(&self, depth: f64) -> f64 {
        let n = self.law.exponent;
        let power = if n == 1.0 {
            depth
        } else {
            math::powf(depth, n)
        };
        self.law.stiffness * power
    }

    /// Energy stored at `x` [J], (2).
    pub fn stored_energy(&self, x: f64) -> f64 {
        self.depth(x).map_or(0.0, |(_, depth)| {
            self.elastic(depth) * depth / (self.law.exponent + 1.0)
        })
    }

    /// Power dissipated [W], (2).
    pub fn dissipated_power(&self, x: f64, rate: f64, memory: &[f64]) -> f64 {
        let Some((side, depth)) = self.depth(x) else {
            return 0.0;
        };
        let elastic = -side.sign() * self.elastic(depth);
        (elastic - self.respond(x, rate, memory).force) * rate
    }

    /// Takes over an accepted state into the memory.
    pub fn remember(&self, x: f64, rate: f64, memory: &mut [f64]) {
        let sides = [StopSide::Lower, StopSide::Upper];
        for ((side, gap), memory) in sides
            .into_iter()
            .zip(self.gaps(x))
            .zip(memory.chunks_exact_mut(2))
        {
            let closing = (side.sign() * rate).max(0.0);
            let touching = gap < 0.0;
            let met_before = memory[0] == 1.0;
            if !touching || (!met_before && closing >= STILL_CLOSING * memory[1]) {
                memory[1] = closing;
            }
            memory[0] = f64::from(u8::from(touching));
        }
    }

    /// Checks the ranges.
    pub(crate) fn validate(&self, owner: &str) -> Result<()> {
        let StopLaw {
            stiffness,
            exponent,
            restitution: e,
            floor_speed,
        } = self.law;
        let (lower, upper) = (self.lower, self.upper);
        // Infinite is none, which `require` would refuse.
        if upper.is_nan() || lower.is_nan() || upper <= lower {
            return require(false, owner, "upper stop", upper, "above the lower stop");
        }
        let finite = stiffness > 0.0 && stiffness.is_finite();
        require(finite, owner, "stop stiffness", stiffness, "> 0")?;
        let ok = (1.0..=10.0).contains(&exponent);
        require(ok, owner, "stop exponent", exponent, "1 to 10")?;
        let ok = (restitution::LEAST..=1.0).contains(&e);
        require(ok, owner, "stop restitution", e, "0.01 to 1")?;
        let ok = floor_speed > 0.0 && floor_speed.is_finite();
        require(ok, owner, "stop floor speed", floor_speed, "> 0")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stops(exponent: f64, restitution: f64) -> Stops {
        let law = StopLaw {
            stiffness: 1e4,
            exponent,
            restitution,
            floor_speed: 1e-2,
        };
        Stops::new(-0.3, 0.2, law)
    }

    #[test]
    fn nothing_is_felt_between_the_stops_and_nothing_pulls() {
        let stops = stops(1.0, 0.3);
        for x in [-0.3, -0.1, 0.0, 0.2] {
            assert_eq!(stops.respond(x, 5.0, &[0.0; 4]), StopResponse::default());
            assert_eq!(stops.stored_energy(x), 0.0);
        }
        assert!(stops.respond(0.21, -100.0, &[0.0; 4]).force <= 0.0);
        assert!(stops.respond(-0.31, 100.0, &[0.0; 4]).force >= 0.0);
    }

    /// The speed of the touch is remembered until the stop is left.
    #[test]
    fn memory_keeps_the_speed_of_the_touch() {
        let stops = stops(1.0, 0.3);
        let mut memory = [0.0; 4];
        stops.remember(0.15, 2.0, &mut memory);
        assert_eq!(memory, [0.0, 0.0, 0.0, 2.0]);
        stops.remember(0.2001, 2.1, &mut memory);
        assert_eq!(memory, [0.0, 0.0, 1.0, 2.1]);
        stops.remember(0.21, 0.1, &mut memory);
        stops.remember(0.205, -0.6, &mut memory);
        assert_eq!(memory, [0.0, 0.6, 1.0, 2.1]);
        stops.remember(0.19, -0.7, &mut memory);
        assert_eq!(memory, [0.0, 0.7, 0.0, 0.0]);
        // A step that went deep at once keeps the speed before.
        stops.remember(-0.25, -0.8, &mut memory);
        stops.remember(-0.32, -0.1, &mut memory);
        assert_eq!(memory, [1.0, 0.8, 0.0, 0.0]);
    }

    proptest! {
        #[test]
        fn derivatives_match_differences(
            exponent in 1.0..2.5_f64, e in 0.05..1.0_f64, depth in 1e-4..1e-2_f64,
            rate in -1.0..1.0_f64, met in 0.0..1.0_f64, upper in any::<bool>(),
        ) {
            let stops = stops(exponent, e);
            let x = if upper { 0.2 + depth } else { -0.3 - depth };
            let memory = [1.0, met, 1.0, met];
            let at = |dx: f64, dr: f64| stops.respond(x + dx, rate + dr, &memory);
            let value = at(0.0, 0.0);
            let power = stops.dissipated_power(x, rate, &memory);
            prop_assert!(power >= 0.0, "{power}");
            let (hx, hr) = (1e-5 * depth, 1e-6);
            let sides = [at(hx, 0.0), at(-hx, 0.0), at(0.0, hr), at(0.0, -hr)];
            if sides.iter().all(|side| (side.force == 0.0) == (value.force == 0.0)) {
                let scale = stops.elastic(depth) * (1.0 + stops.damping_factor / 1e-2);
                // Where x is rounded to: a step of 1e-9 is off by 5e-8 of itself.
                let span = (x + hx) - (x - hx);
                let by_x = (sides[0].force - sides[1].force) / span;
                prop_assert!((by_x - value.by_position).abs() < 1e-8 * scale / depth);
                let by_r = (sides[2].force - sides[3].force) / (2.0 * hr);
                prop_assert!((by_r - value.by_rate).abs() < 1e-8 * scale);
            }
            let rise = stops.stored_energy(x + hx) - stops.stored_energy(x - hx);
            let elastic = stops.elastic(depth) * if upper { 1.0 } else { -1.0 };
            // Rounding of x over the step: 5e-17 of 1e-9.
            prop_assert!((rise / (2.0 * hx) / elastic - 1.0).abs() < 1e-6);
        }
    }
}
