//! How long a step may be for now, and the account of energies that acts on it.
//!
//! Steps are smaller behind a jump, or after one was refused, and at most double from one to the
//! next: accelerations of parts that a longer step cannot resolve, a, would become velocities of the
//! size h a in it, which dampers then take for real.
//!
//! The account of energies acts. With the net miss R of the steps so far and the energy E that has
//! moved, a step of h at the time t after the first movement may miss at most
//!
//! ```text
//! m = max(φ (B − |R|), B h/(t + T), ψ B, ε S),   B = β E                        (1)
//! h ← h · 0.9 (m/|miss|)^⅓,   ¼ ≤ factor ≤ 1/√2 if refused, ½ ≤ factor ≤ 2 else  (2)
//! ```
//!
//! or it is repeated. Factors are rounded down to powers of √2: what a step misses is known to
//! Newton's tolerance only, and schemes that differ by that should make the same steps. The first
//! part lets an impact use up to φ of what is left and can never use more than B in all; the second,
//! which a long run lives on, adds B ln(1 + t/T). ψ B is what Newton's tolerance leaves, however small
//! the step; ε S is what rounding leaves of the energies that are held, S in all, and decides only where
//! next to nothing has moved. Energies of legs cost a tenth of a step: when
//! all is calm only every fourth step is looked at, together with those before it. Steps just before a
//! touch are looked at one by one, so that the one that meets it can be refused.
//!
//! Steps that cannot be smaller are accepted whatever they miss. They are told of once they have missed
//! more than B together: behind every jump of a torque there may be such steps, each of which is nothing.
//!
//! Where an accuracy is asked for, the error of a step acts, too. With e, the error of the increments
//! of the bodies ([`super::integrator::Integrator::error_by_algorithmic`]; turns times a length), V,
//! the largest speed they have had, and η, the part of it that a step may falsify,
//!
//! ```text
//! u = |e|/(η V h)                                                                (3)
//! h ← h · 0.9/√u,   ¼ ≤ factor ≤ 1/√2 if refused (u > 1), ½ ≤ factor ≤ 2 else    (4)
//! ```
//!
//! e/h is a velocity and of second order in h. The speed at which bodies meet decides the peak force,
//! about in proportion.

use super::grid::SLIVER;
use super::stepper::{Done, Planned};
use crate::math;
use core::f64::consts::SQRT_2;

/// First step behind a jump, as a fraction of a step.
const FIRST_STEP: f64 = 1.0 / 16.0;
/// First step behind forces that jump between bodies, as a fraction of a step: of the damper of a latch
/// that closes, or of a motor whose leg does not say how it answers at once.
const FIRST_FORCED_STEP: f64 = 1.0 / 512.0;
/// Steps grow at most by this factor.
pub const GROWTH: f64 = 2.0;
/// β of (1).
const BUDGET: f64 = 4e-4;
/// φ of (1).
const SHARE: f64 = 0.05;
/// ψ of (1).
const LEAST_SHARE: f64 = 1e-5;
/// It is calm while steps use less than this part of what they may miss.
const CALM: f64 = 0.05;
/// Most steps in a row that are not looked at.
const MOST_UNSEEN: u32 = 3;
/// Only steps of this part of the largest one and more may be left out.
const WHOLE_STEP: f64 = 0.9;
/// Steps behind a change of contact, or behind one that was refused, that are looked at in any case.
const AWAKE: u32 = 8;
/// ε of (1). The energies of a leg are sums over ten elements and more, each rounded a few times by
/// 2⁻⁵³; the change over a step is a difference of two such sums.
const ROUNDING: f64 = 1e-13;
/// T of (1) [s].
const IMPACT_TIME: f64 = 0.2;

/// What a step may miss by (1), part by part [J].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Allowance {
    /// φ (B − |R|): what an impact may use up.
    impact: f64,
    /// B max(h/(t + T), ψ): what a long run lives on.
    pub(super) steady: f64,
    /// ε S.
    rounding: f64,
}

impl Allowance {
    /// For a step of `h` [s], `since` [s] after the first movement, when `moved` [J] has moved of the
    /// energies `held` [J] and `missed` [J] is missed so far.
    pub(super) fn new(missed: f64, (moved, held): (f64, f64), (h, since): (f64, f64)) -> Self {
        let budget = BUDGET * moved;
        Self {
            impact: SHARE * (budget - missed.abs()),
            steady: budget * (h / (since + IMPACT_TIME)).max(LEAST_SHARE),
            rounding: ROUNDING * held,
        }
    }

    /// m of (1), the share of an impact being at most `most` [J].
    pub(super) fn at_most(&self, most: f64) -> f64 {
        self.impact.min(most).max(self.steady).max(self.rounding)
    }
}

/// The account of energies of the steps so far.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct EnergyGuard {
    /// Net miss R [J].
    missed: f64,
    /// When something moved first [s].
    began: Option<f64>,
    /// Miss over what was allowed, of the last step that was looked at.
    used: f64,
    /// Steps since, their length [s], and what was missed outside the legs in them [J].
    unseen: u32,
    unseen_time: f64,
    unseen_miss: f64,
    /// Steps that are to be looked at in any case.
    awake: u32,
    /// What steps missed in all that could not be refused, signs left out, and B [J].
    tolerated: f64,
    budget: f64,
}

impl EnergyGuard {
    /// Takes note of a step of `h` [s] in which `miss` [J] is missed outside the legs; what the legs
    /// did will be seen later.
    pub fn postpone(&mut self, miss: f64, h: f64) {
        self.unseen += 1;
        self.unseen_time += h;
        self.unseen_miss += miss;
    }

    /// Judges a step of `h` [s] to `time` [s] when `moved` [J] has moved of the energies `held` [J];
    /// `miss` [J] is missed in it, and by the legs in the postponed ones before. The factor of (2) if
    /// it is to be refused; the account goes on with it otherwise.
    pub fn judge(
        &mut self,
        miss: f64,
        (moved, held): (f64, f64),
        (h, time): (f64, f64),
        strict: bool,
    ) -> core::result::Result<(), f64> {
        if moved <= 0.0 {
            return Ok(());
        }
        let miss = miss + self.unseen_miss;
        let h = h + self.unseen_time;
        // What went wrong in steps that are accepted cannot be mended in this one.
        let strict = strict && self.unseen == 0;
        let since = time - *self.began.get_or_insert(time - h);
        let allowance = Allowance::new(self.missed, (moved, held), (h, since));
        let used = miss.abs() / allowance.at_most(f64::INFINITY); // (1)
        // NaN is not within the allowance.
        let within = used <= 1.0;
        if strict && !within {
            return Err(rung(0.9 / math::cbrt(used), -4, -1)); // (2)
        }
        if !within {
            self.tolerated += miss.abs();
        }
        self.budget = BUDGET * moved;
        self.missed += miss;
        self.used = used.max(0.1 * self.used);
        (self.unseen, self.unseen_time, self.unseen_miss) = (0, 0.0, 0.0);
        Ok(())
    }

    /// True if the next step has to be looked at.
    fn looks(&self) -> bool {
        self.awake > 0 || self.unseen >= MOST_UNSEEN || self.used > CALM || self.began.is_none()
    }

    /// True if the last step missed too much, and if all of that kind together missed more than B. What
    /// is not a number is too much.
    fn missed_too_much(&self) -> bool {
        let within = self.used <= 1.0 || self.tolerated <= self.budget;
        !within
    }

    /// By how much the next step may be longer, (2).
    fn growth(&self) -> f64 {
        rung(0.9 / math::cbrt(self.used.max(1e-3)), -2, 2)
    }
}

/// The largest √2ⁿ not above `factor`, n between two numbers.
fn rung(factor: f64, lowest: i32, highest: i32) -> f64 {
    let power = |n: i32| {
        let whole = 2.0_f64.powi(n.div_euclid(2));
        whole * if n % 2 == 0 { 1.0 } else { SQRT_2 }
    };
    let fits = (lowest..highest).rev().map(|n| power(n + 1));
    fits.into_iter()
        .find(|rung| *rung <= factor)
        .unwrap_or(power(lowest))
}

/// A step shorter than this fraction of the last one is far shorter. Steps of a spectral radius of 0.9
/// that double behind one of a hundredth still damp what it amplifies; behind one of a thousandth it
/// grows by a factor of 4 to 11.
const SHORT_STEP: f64 = 0.02;
/// Steps that could have been longer by this factor are cut short, not chosen.
const MUCH_LONGER: f64 = 5.0;

/// The pace of a run.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pace {
    /// How long a step may be for now [s].
    pub longest: f64,
    /// The account.
    pub guard: EnergyGuard,
    /// Length of the last step [s].
    last: f64,
    /// V of (3) [m/s].
    speed: f64,
    /// u of (3) of the last step that was judged.
    error_used: f64,
}

/// Slower than this bodies are at rest [m/s]: the error of their speed is rounding, and falsifies nothing.
const AT_REST: f64 = 1e-5;
/// Error over what is allowed at which the next step has the length of the last.
const STEADY_ERROR: f64 = 0.6;

/// The error of a step, and what it is held against.
#[derive(Debug, Clone, Copy)]
pub struct StepError {
    /// |e| of (3) [m].
    pub error: f64,
    /// Speed of the fastest body [m/s].
    pub speed: f64,
    /// η of (3).
    pub share: f64,
    /// Length of the step [s].
    pub step: f64,
    /// Steps are not refused for their error below this length [s].
    pub smallest: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            longest: f64::INFINITY,
            guard: EnergyGuard::default(),
            last: 0.0,
            speed: 0.0,
            error_used: 0.0,
        }
    }
}

impl Pace {
    /// The first step is at most `longest` [s].
    pub fn starting_with(longest: f64) -> Self {
        Self {
            longest,
            ..Self::default()
        }
    }

    /// The motion goes on differently from now on: with small steps at first; `step` [s] is the
    /// configured one.
    pub fn restart_small_steps(&mut self, step: f64) {
        self.longest = FIRST_STEP * step;
        self.guard.awake = AWAKE;
    }

    /// The same behind a jump of forces between bodies, whose impulse a step would not have right.
    pub fn restart_smallest_steps(&mut self, step: f64) {
        self.restart_small_steps(step);
        self.longest = FIRST_FORCED_STEP * step;
    }

    /// Judges the error of a step, (3): the factor of (4) if it is to be refused.
    pub fn judge_error(&mut self, step: &StepError, strict: bool) -> core::result::Result<(), f64> {
        let speed = self.speed.max(step.speed);
        if speed <= 0.0 {
            return Ok(());
        }
        let used = step.error / (step.share * speed.max(AT_REST) * step.step); // (3)
        let at_floor = step.step <= step.smallest;
        // NaN is not accurate.
        let within = used <= 1.0 || at_floor;
        if strict && !within {
            return Err(rung(0.9 / used.sqrt(), -4, -1)); // (4)
        }
        self.speed = speed;
        // Nor does the next step become shorter than the smallest for its error.
        self.error_used = if at_floor {
            used.min(STEADY_ERROR)
        } else {
            used
        };
        Ok(())
    }

    /// By how much the next step may be longer, (4).
    fn error_growth(&self) -> f64 {
        rung(0.9 / self.error_used.max(1e-3).sqrt(), -2, 2)
    }

    /// True if the end of an interval or an event makes `step` far shorter than the last one: too short
    /// for what that left of the hidden constraints.
    pub fn becomes_short(&self, step: &Planned) -> bool {
        step.length < SHORT_STEP * self.last && step.allowed > MUCH_LONGER * step.length
    }

    /// True if a step of `length` [s] has to be looked at: always if it is shorter than it could be
    /// with `largest` [s], or longer than the last.
    pub(super) fn looks_at(&self, length: f64, largest: f64) -> bool {
        let whole = length > WHOLE_STEP * largest && length <= self.last * (1.0 + SLIVER);
        self.guard.looks() || !whole
    }

    /// Goes on behind a step; the next may be longer by the factor `growth`, also behind a step that an
    /// event or the end of an interval cut short: it is the ratio of neighbouring steps that multiplies
    /// errors in stiff and constrained directions. True if the step was at its floor and misses more
    /// than it may, and if such steps together have missed more than a run may.
    pub fn accepted(&mut self, step: &Planned, done: &Done, growth: f64) -> bool {
        self.last = step.length;
        self.longest = if done.closed {
            FIRST_FORCED_STEP * step.reference
        } else {
            growth.min(self.guard.growth()).min(self.error_growth()) * step.length
        };
        self.guard.awake = if done.changed || done.closed {
            AWAKE
        } else {
            self.guard.awake.saturating_sub(1)
        };
        step.at_floor && self.guard.missed_too_much()
    }

    /// A step was refused for its account: the next is at most `longest` [s].
    pub(super) fn refused(&mut self, longest: f64) {
        self.longest = longest;
        self.guard.awake = AWAKE;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// As long as no step is accepted at its floor, the account misses no more than (1) adds up
        /// to, whatever the steps would like to miss.
        #[test]
        fn the_budget_is_kept(
            misses in prop::collection::vec((-6.0..0.0_f64, any::<bool>()), 2000),
            h in 1e-4..1e-2_f64,
        ) {
            let (mut watch, mut time) = (EnergyGuard::default(), 0.0);
            for (exponent, negative) in misses {
                let miss = 10.0_f64.powf(exponent) * if negative { -1.0 } else { 1.0 };
                if watch.judge(miss, (1.0, 1.0), (h, time + h), true).is_ok() {
                    time += h;
                }
            }
            let least = 2000.0 * LEAST_SHARE;
            let most = BUDGET * (1.0 + (1.0 + time / IMPACT_TIME).ln() + least);
            prop_assert!(watch.missed.abs() <= most, "{} {}", watch.missed, most);
        }
    }

    /// Steps that cannot be smaller are told of once they have missed a whole budget together.
    #[test]
    fn tolerated_misses_are_told_of_when_they_add_up() {
        let (mut watch, h) = (EnergyGuard::default(), 1e-6);
        let mut told = Vec::new();
        for step in 1..=10 {
            let miss = if step % 2 == 0 { 1e-4 } else { -1e-4 };
            let time = f64::from(step) * h;
            watch.judge(miss, (1.0, 1.0), (h, time), false).unwrap();
            told.push(watch.missed_too_much());
        }
        // Five of 1e-4 are more than 4e-4.
        assert_eq!(told, [[false; 4].as_slice(), &[true; 6]].concat());
    }

    #[test]
    fn a_miss_that_is_no_number_is_refused() {
        let mut watch = EnergyGuard::default();
        let (stake, step) = ((1.0, 1.0), (1e-3, 1e-3));
        assert!(watch.judge(f64::NAN, stake, step, true).is_err());
        assert_eq!(watch.judge(1.0, (0.0, 1.0), step, true), Ok(()));
    }

    /// Halving a step makes its error an eighth, u a quarter: (4) leads to u = 0.81 from either side.
    #[test]
    fn the_error_leads_to_the_longest_step_that_is_accurate() {
        let step = |h: f64| StepError {
            error: 2e3 * h.powi(3),
            speed: 0.05,
            share: 1e-3,
            step: h,
            smallest: 1e-6,
        };
        let longest = (1e-3 * 0.05 / 2e3_f64).sqrt();
        for first in [longest / 30.0, longest * 30.0] {
            let (mut pace, mut h) = (Pace::default(), first);
            for _ in 0..40 {
                h *= match pace.judge_error(&step(h), true) {
                    Ok(()) => pace.error_growth(),
                    Err(factor) => factor,
                };
            }
            assert!(h < longest && h > 0.5 * longest, "{first} {h} {longest}");
        }
        let mut pace = Pace::default();
        let unknown = StepError {
            error: f64::NAN,
            ..step(1e-3)
        };
        assert!(pace.judge_error(&unknown, true).is_err());
        assert!(
            pace.judge_error(
                &StepError {
                    smallest: 1.0,
                    ..unknown
                },
                true
            )
            .is_ok()
        );
    }

    /// Where nothing has moved but by rounding, a step may miss what rounding leaves, and no more.
    #[test]
    fn rounding_of_what_is_held_is_no_miss() {
        let (held, step) = (50.0, (1e-3, 1e-3));
        let moved = 10.0 * f64::EPSILON * held;
        let judge = |miss| EnergyGuard::default().judge(miss, (moved, held), step, true);
        assert_eq!(judge(100.0 * f64::EPSILON * held), Ok(()));
        assert!(judge(1e4 * f64::EPSILON * held).is_err());
    }
}
