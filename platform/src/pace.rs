//! How long the steps of a coupling scheme are, and which of them are refused. All schemes share it.
//!
//! An interval is divided evenly. Steps are smaller where contact asks for it, behind a jump, or
//! after one was refused, and at most double from one to the next: accelerations of parts that a
//! longer step cannot resolve, a, would become velocities of the size h a in it, which dampers then
//! take for real. An event inside a step (contact begins or ends, the latch closes) ends it.
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

use crate::error::{PlatformError, Result};
use crate::scheme::Progress;
use core::f64::consts::SQRT_2;
use multibody::dynamics::grid::{SLIVER, even_step, next_part};
use multibody::math;

/// A step that fails or misses energy is halved at most so often.
pub(crate) const HALVINGS: i32 = 12;
/// Where nothing forbids it, longer steps are halved as often as steps of this length [s]: how hard an
/// impact is does not depend on the step that was asked for.
const HALVED_FROM: f64 = 1e-3;

/// Smallest step of a scheme without steps of the legs' own, for a largest one of `largest` [s].
pub(crate) fn smallest_undivided(largest: f64) -> f64 {
    largest.min(HALVED_FROM) * 0.5_f64.powi(HALVINGS)
}
/// First step behind a jump, as a fraction of a step.
pub(crate) const FIRST_STEP: f64 = 1.0 / 16.0;
/// First step behind forces that jump between bodies, as a fraction of a step: of the damper of a latch
/// that closes, or of a motor whose leg does not say how it answers at once.
const FIRST_FORCED_STEP: f64 = 1.0 / 512.0;
/// Steps grow at most by this factor.
pub(crate) const GROWTH: f64 = 2.0;
/// Most searches for events in one step.
const MOST_CUTS: usize = 3;
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
/// Steps are looked at one by one if a touch is nearer than this number of them and the next.
const NEAR_A_TOUCH: f64 = 2.0;
/// T of (1) [s].
const IMPACT_TIME: f64 = 0.2;

/// What a step did that was accepted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Done {
    pub iterations: usize,
    pub linearizations: usize,
    /// The latch closed at its end.
    pub closed: bool,
    /// A contact began or ended with it.
    pub changed: bool,
}

/// Why a step was not accepted.
pub(crate) enum Refusal {
    /// A smaller one may do.
    Smaller(PlatformError),
    /// Nothing will.
    Never(PlatformError),
    /// It has to end so many seconds after its start.
    Event(f64),
    /// It misses energy: the factor of (2).
    Account(f64),
}

/// What a step is refused for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strictness {
    /// Events inside.
    pub events: bool,
    /// Missing energy.
    pub account: bool,
    /// The account is to be looked at.
    pub look: bool,
}

/// The account of energies of the steps so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Watch {
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
}

impl Watch {
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
        let budget = BUDGET * moved;
        let share = SHARE * (budget - self.missed.abs());
        let least = (h / (since + IMPACT_TIME)).max(LEAST_SHARE);
        let allowed = share.max(budget * least).max(ROUNDING * held); // (1)
        let used = miss.abs() / allowed;
        // NaN is not within the allowance.
        let within = used <= 1.0;
        if strict && !within {
            return Err(rung(0.9 / math::cbrt(used), -4, -1)); // (2)
        }
        self.missed += miss;
        self.used = used.max(0.1 * self.used);
        (self.unseen, self.unseen_time, self.unseen_miss) = (0, 0.0, 0.0);
        Ok(())
    }

    /// True if the next step has to be looked at.
    fn looks(&self) -> bool {
        self.awake > 0 || self.unseen >= MOST_UNSEEN || self.used > CALM || self.began.is_none()
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

/// The pace of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pace {
    /// How long a step may be for now [s].
    pub longest: f64,
    /// The account.
    pub watch: Watch,
    /// Length of the last step [s].
    last: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            longest: f64::INFINITY,
            watch: Watch::default(),
            last: 0.0,
        }
    }
}

impl Pace {
    /// The motion goes on differently from now on: with small steps at first; `step` [s] is the
    /// configured one.
    pub fn disturb(&mut self, step: f64) {
        self.longest = FIRST_STEP * step;
        self.watch.awake = AWAKE;
    }

    /// The same behind a jump of forces between bodies, whose impulse a step would not have right.
    pub fn disturb_by_force(&mut self, step: f64) {
        self.disturb(step);
        self.longest = FIRST_FORCED_STEP * step;
    }

    /// True if a step of `length` [s] has to be looked at: always if it is shorter than it could be
    /// with `largest` [s], or longer than the last.
    fn looks_at(&self, length: f64, largest: f64) -> bool {
        let whole = length > WHOLE_STEP * largest && length <= self.last * (1.0 + SLIVER);
        self.watch.looks() || !whole
    }

    /// Goes on behind a step; the next may be longer by the factor `growth`.
    fn accepted(&mut self, step: &Planned, done: &Done, growth: f64) {
        self.last = step.length;
        self.longest = growth.min(self.watch.growth()) * step.allowed;
        self.watch.awake = if done.changed || done.closed {
            AWAKE
        } else {
            self.watch.awake.saturating_sub(1)
        };
    }
}

/// A scheme that makes steps.
pub(crate) trait Stepper {
    /// Time [s].
    fn time(&self) -> f64;

    /// Its pace.
    fn pace(&mut self) -> &mut Pace;

    /// The longest step that contact allows from here, and the time until something touches that does
    /// not yet [s].
    fn contact_limit(&mut self) -> (f64, f64);

    /// When the latch closes if nothing comes in between [s].
    fn closing(&self) -> Option<f64>;

    /// Makes a step to `end` [s], or leaves everything as it was.
    fn attempt(&mut self, end: f64, strict: Strictness) -> core::result::Result<Done, Refusal>;

    /// Smallest step for a largest one of `largest` [s]. Units of co-simulation take steps far shorter
    /// than their own for rounding.
    fn smallest(&self, largest: f64) -> f64 {
        largest * 0.5_f64.powi(HALVINGS)
    }

    /// Largest growth behind a step of `h` [s].
    fn growth(&self, _h: f64) -> f64 {
        GROWTH
    }
}

/// Advances to `end` [s] in even steps of at most `largest` [s]; `observe` sees every accepted one.
/// On an error the scheme is that of the last accepted step.
pub(crate) fn advance_evenly<S: Stepper>(
    scheme: &mut S,
    end: f64,
    largest: f64,
    out: &mut Progress,
    observe: &mut dyn FnMut(&S),
) -> Result<()> {
    let mut walk = Walk::new(scheme.time(), end, (largest, scheme.smallest(largest)));
    while scheme.time() < end {
        let time = scheme.time();
        let step = walk.next(scheme, end);
        let strict = Strictness {
            events: walk.cuts < MOST_CUTS,
            account: !step.at_floor,
            look: step.near_a_touch || scheme.pace().looks_at(step.length, largest),
        };
        match scheme.attempt(step.end, strict) {
            Ok(done) => {
                out.steps += 1;
                out.iterations += done.iterations;
                out.linearizations += done.linearizations;
                let growth = scheme.growth(step.length);
                let pace = scheme.pace();
                out.at_floor += usize::from(step.at_floor && pace.watch.used > 1.0);
                walk.accepted(&step);
                pace.accepted(&step, &done, growth);
                if done.closed {
                    pace.longest = FIRST_FORCED_STEP * largest;
                }
                observe(scheme);
            }
            Err(refusal) => walk.refused(&step, refusal, (time, scheme.pace()), out)?,
        }
    }
    Ok(())
}

/// A step to try.
#[derive(Debug, Clone, Copy)]
struct Planned {
    /// Its length [s].
    length: f64,
    /// Where it ends [s].
    end: f64,
    /// How long it could have been, but for the end of the interval or an event [s].
    allowed: f64,
    /// It cannot be smaller.
    at_floor: bool,
    /// It or the next one may meet a touch.
    near_a_touch: bool,
}

/// The way through an interval.
#[derive(Debug)]
struct Walk {
    largest: f64,
    /// Length of even steps [s].
    nominal: f64,
    smallest: f64,
    /// Steps of the nominal length are counted from here [s], so many so far.
    anchor: f64,
    count: f64,
    /// Length after which an event ends the next step, and the length that was allowed [s].
    cut: Option<(f64, f64)>,
    /// Events found in the step under way.
    cuts: usize,
}

impl Walk {
    fn new(start: f64, end: f64, (largest, smallest): (f64, f64)) -> Self {
        Self {
            largest,
            nominal: even_step(end - start, largest),
            smallest,
            anchor: start,
            count: 0.0,
            cut: None,
            cuts: 0,
        }
    }

    /// The step to try from where the scheme is.
    fn next(&mut self, scheme: &mut impl Stepper, end: f64) -> Planned {
        let start = scheme.time();
        // A closing next to the end is at the end; the latch sees it so, too.
        let closing = scheme.closing();
        let closing = closing.filter(|closing| *closing < end - SLIVER * self.largest);
        let until = closing.unwrap_or(end);
        let left = until - start;
        let mut touch = 0.0;
        let (length, allowed) = self.cut.take().unwrap_or_else(|| {
            let contact;
            (contact, touch) = scheme.contact_limit();
            let longest = self.largest.min(scheme.pace().longest).min(contact);
            let allowed = longest.max(self.smallest);
            // Even steps may be longer than the largest one by rounding of their number.
            let even = allowed * (1.0 + 2.0 * SLIVER) >= self.nominal;
            let wanted = if even { self.nominal } else { allowed };
            (next_part(left, wanted), allowed)
        });
        let end = if length >= left {
            until
        } else if length == self.nominal {
            self.anchor + (self.count + 1.0) * self.nominal
        } else {
            start + length
        };
        Planned {
            length,
            end,
            allowed,
            near_a_touch: touch <= NEAR_A_TOUCH * (length + self.largest),
            // Even parts may be longer by rounding of their number.
            at_floor: length <= self.smallest * (1.0 + 10.0 * SLIVER),
        }
    }

    fn accepted(&mut self, step: &Planned) {
        self.cuts = 0;
        if step.length == self.nominal {
            self.count += 1.0;
        } else {
            (self.anchor, self.count) = (step.end, 0.0);
        }
    }

    /// What to do about a step that was not accepted, at `time` [s].
    fn refused(
        &mut self,
        step: &Planned,
        refusal: Refusal,
        (time, pace): (f64, &mut Pace),
        out: &mut Progress,
    ) -> Result<()> {
        match refusal {
            Refusal::Never(cause) => return Err(cause),
            Refusal::Event(after) => {
                self.cuts += 1;
                out.events += 1;
                self.cut = Some((after, step.allowed));
            }
            Refusal::Account(factor) => {
                out.refused += 1;
                pace.longest = (factor * step.length).max(self.smallest);
                pace.watch.awake = AWAKE;
            }
            // A step that an event ends may be as short as it likes: it is the search that failed.
            Refusal::Smaller(_) if self.cuts > 0 => {
                out.rejected += 1;
                self.cuts = MOST_CUTS;
                pace.longest = 0.5 * step.allowed;
            }
            Refusal::Smaller(cause) => {
                out.rejected += 1;
                pace.longest = 0.5 * step.length;
                if pace.longest < self.smallest {
                    return Err(PlatformError::Stalled {
                        time_s: time,
                        smallest_s: self.smallest,
                        cause: Box::new(cause),
                    });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;

    /// A scheme without mechanics: refuses what it is told to, and notes the ends of its steps.
    #[derive(Debug, Default)]
    struct Clock {
        time: f64,
        pace: Pace,
        ends: Vec<f64>,
        /// What the coming attempts meet: 0 nothing, 1 a failure, 2 an event, 3 a miss.
        fates: Vec<u8>,
        contact: f64,
    }

    impl Stepper for Clock {
        fn time(&self) -> f64 {
            self.time
        }

        fn pace(&mut self) -> &mut Pace {
            &mut self.pace
        }

        fn contact_limit(&mut self) -> (f64, f64) {
            (self.contact, f64::INFINITY)
        }

        fn closing(&self) -> Option<f64> {
            None
        }

        fn attempt(&mut self, end: f64, strict: Strictness) -> core::result::Result<Done, Refusal> {
            let h = end - self.time;
            match self.fates.pop() {
                Some(1) => Err(Refusal::Smaller(PlatformError::FloatingBase)),
                Some(2) if strict.events => Err(Refusal::Event(0.3 * h)),
                Some(3) if strict.account => Err(Refusal::Account(0.4)),
                _ => {
                    self.time = end;
                    self.ends.push(end);
                    Ok(Done::default())
                }
            }
        }
    }

    fn advance(clock: &mut Clock, end: f64, h: f64) -> Progress {
        let mut out = Progress::default();
        advance_evenly(clock, end, h, &mut out, &mut |_| {}).unwrap();
        out
    }

    /// Steps may be shorter than events and refusals make them by next to nothing.
    const ROUNDING: f64 = 1e-6;

    proptest! {
        /// Left alone, an interval of n steps takes n steps, which end at their counted times.
        #[test]
        fn steps_taken_equal_steps_asked(
            n in 1_u32..2000, exponent in -5.0..0.0_f64, first in 0_u32..100,
        ) {
            let h = 10.0_f64.powf(exponent);
            let interval = f64::from(n) * h;
            let start = f64::from(first) * interval;
            let mut clock = Clock { time: start, contact: f64::INFINITY, ..Clock::default() };
            let end = f64::from(first + 1) * interval;
            let done = advance(&mut clock, end, h);
            prop_assert_eq!(done.steps, n as usize);
            prop_assert_eq!(clock.time, end);
            for (k, time) in clock.ends.iter().enumerate() {
                let counted = start + (k + 1) as f64 * ((end - start) / f64::from(n));
                prop_assert!((time - counted).abs() <= 4.0 * f64::EPSILON * end);
            }
        }

        /// Whatever fails, is refused or happens on the way, the end is hit and no step is a
        /// sliver.
        #[test]
        fn no_sliver_is_left(
            intervals in prop::collection::vec(0.05..5.0_f64, 1..6),
            fates in prop::collection::vec(0_u8..8, 0..40),
            contact in 0.05..3.0_f64,
        ) {
            let h = 1e-3;
            let mut clock = Clock { contact: contact * h, fates, ..Clock::default() };
            let mut end = 0.0;
            for interval in &intervals {
                end += interval * h;
                advance(&mut clock, end, h);
                prop_assert_eq!(clock.time, end);
            }
            let mut last = 0.0;
            for time in &clock.ends {
                prop_assert!(time - last > 1e-3 * 0.05 * 0.05 * h * (1.0 - ROUNDING));
                last = *time;
            }
        }

        /// Steps at most double.
        #[test]
        fn steps_grow_slowly(fates in prop::collection::vec(0_u8..8, 0..20)) {
            let h = 1e-3;
            // Events end steps but do not make the next ones shorter.
            let fates = fates.into_iter().map(|fate| if fate == 2 { 3 } else { fate }).collect();
            let mut clock = Clock { contact: f64::INFINITY, fates, ..Clock::default() };
            advance(&mut clock, 0.1, h);
            let sizes: Vec<f64> = core::iter::once(&0.0)
                .chain(&clock.ends)
                .zip(&clock.ends)
                .map(|(from, to)| to - from)
                .collect();
            for pair in sizes.windows(2) {
                prop_assert!(pair[1] <= 2.0 * pair[0] * (1.0 + ROUNDING));
            }
        }

        /// As long as no step is accepted at its floor, the account misses no more than (1) adds up
        /// to, whatever the steps would like to miss.
        #[test]
        fn the_budget_is_kept(
            misses in prop::collection::vec((-6.0..0.0_f64, any::<bool>()), 2000),
            h in 1e-4..1e-2_f64,
        ) {
            let (mut watch, mut time) = (Watch::default(), 0.0);
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

    #[test]
    fn a_miss_that_is_no_number_is_refused() {
        let mut watch = Watch::default();
        let (stake, step) = ((1.0, 1.0), (1e-3, 1e-3));
        assert!(watch.judge(f64::NAN, stake, step, true).is_err());
        assert_eq!(watch.judge(1.0, (0.0, 1.0), step, true), Ok(()));
    }

    /// Where nothing has moved but by rounding, a step may miss what rounding leaves, and no more.
    #[test]
    fn rounding_of_what_is_held_is_no_miss() {
        let (held, step) = (50.0, (1e-3, 1e-3));
        let moved = 10.0 * f64::EPSILON * held;
        let judge = |miss| Watch::default().judge(miss, (moved, held), step, true);
        assert_eq!(judge(100.0 * f64::EPSILON * held), Ok(()));
        assert!(judge(1e4 * f64::EPSILON * held).is_err());
    }
}
