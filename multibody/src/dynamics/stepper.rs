//! The one loop that makes steps, whatever is stepped.
//!
//! An interval is taken apart where something is known to jump. Between jumps it is divided evenly
//! ([`super::grid`]); steps are smaller where the system asks for it (contact), behind a jump, or
//! after one was refused ([`super::pace`]). An event inside a step ends it: it is repeated to end
//! there. A step that fails, misses energy or is too inaccurate is repeated smaller.
//!
//! What is stepped says what it needs to by [`Stepped`]; models of the kernel, legs in the hands of a
//! master and every coupling of the platform are stepped by [`advance`]. It allocates nothing.

use super::grid::{SLIVER, TimeGrid, even_step, next_part};
use super::pace::{GROWTH, Pace};

/// A step that fails or misses energy is halved at most so often.
const HALVINGS: i32 = 12;
/// Most searches for events in one step.
const MOST_CUTS: usize = 3;
/// Steps are looked at one by one if a touch is nearer than this number of them and the next.
const NEAR_A_TOUCH: f64 = 2.0;

/// What an advance did, summed over its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Progress {
    /// Accepted (macro) steps.
    pub steps: usize,
    /// Steps that failed and were repeated smaller.
    pub rejected: usize,
    /// Steps refused because the account of energies missed too much in them or their error was too
    /// large, and repeated smaller.
    pub refused: usize,
    /// Steps accepted although they miss too much, because they cannot be smaller.
    pub at_floor: usize,
    /// Events that were located inside steps, which were repeated to end there.
    pub events: usize,
    /// Iterations of accepted steps: how often all parts were evaluated.
    pub iterations: usize,
    /// How often parts were linearised for a coupling.
    pub linearizations: usize,
}

impl core::ops::AddAssign for Progress {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.rejected += other.rejected;
        self.refused += other.refused;
        self.at_floor += other.at_floor;
        self.events += other.events;
        self.iterations += other.iterations;
        self.linearizations += other.linearizations;
    }
}

/// What a step did that was accepted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Done {
    /// Steps into which it was divided, but for one.
    pub further_steps: usize,
    /// Iterations.
    pub iterations: usize,
    /// How often parts were linearised for a coupling.
    pub linearizations: usize,
    /// The latch closed at its end.
    pub closed: bool,
    /// A contact began or ended with it.
    pub changed: bool,
}

/// Why a step was not accepted.
#[derive(Debug)]
pub enum Refusal<E> {
    /// A smaller one may do.
    Smaller(E),
    /// Nothing will.
    Never(E),
    /// It has to end so many seconds after its start.
    Event(f64),
    /// It misses energy, or its error is too large: one so many times as long may do.
    Inaccurate(f64),
}

/// What a step is refused for.
#[derive(Debug, Clone, Copy)]
pub struct Strictness {
    /// Events inside.
    pub events: bool,
    /// Missing energy, or too large an error.
    pub account: bool,
    /// The account is to be looked at.
    pub look: bool,
}

/// How an interval is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Division {
    /// Into equal steps; one that fails is halved, and halves meet the others again.
    Counted,
    /// Into equal steps as long as nothing asks for shorter ones.
    Even,
    /// Into steps as long as the pace allows.
    Paced,
}

/// Bounds of the steps of a system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepSizes {
    /// The largest [s].
    pub largest: f64,
    /// The smallest [s].
    pub smallest: f64,
    /// The largest first one of counted steps [s]; from there they double.
    pub first: f64,
    /// The step of which steps behind jumps of forces are a part [s].
    pub reference: f64,
    /// How an interval is divided.
    pub division: Division,
}

impl StepSizes {
    /// Even steps of at most `largest` [s]; the smallest are a fixed part of steps of `reference` [s].
    pub fn even(largest: f64, reference: f64) -> Self {
        Self {
            largest,
            smallest: reference * 0.5_f64.powi(HALVINGS),
            first: f64::INFINITY,
            reference,
            division: Division::Even,
        }
    }
}

/// Something that is stepped through time.
pub trait Stepped {
    /// Why a step fails.
    type Error;

    /// Time [s].
    fn time(&self) -> f64;

    /// Its pace.
    fn pace(&mut self) -> &mut Pace;

    /// Bounds of its steps from here on.
    fn sizes(&self) -> StepSizes;

    /// Makes a step, or leaves everything as it was.
    fn attempt(&mut self, step: &Planned, strict: Strictness)
    -> Result<Done, Refusal<Self::Error>>;

    /// Goes on behind an accepted step; true if it was at its floor and not good enough.
    fn accepted(&mut self, step: &Planned, done: &Done) -> bool {
        self.pace().accepted(step, done, GROWTH)
    }

    /// The error of a step that would have to be smaller than the smallest; both [s].
    fn stalled(&self, next_and_smallest: [f64; 2], cause: Self::Error) -> Self::Error;

    /// The first time behind now and not behind `end` [s] at which something is known to jump.
    fn next_jump(&mut self, _end: f64) -> Option<f64> {
        None
    }

    /// Times nearer than this are the same [s].
    fn slack(&self) -> f64 {
        0.0
    }

    /// Prepares steps without jumps to `end` [s].
    fn begin(&mut self, _end: f64) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Goes to `end` [s] without a step if that is too near for one; then, whether anything moved.
    fn skip(&mut self, _end: f64) -> Option<bool> {
        None
    }

    /// Goes on behind the jump that [`Self::next_jump`] told of.
    fn passed_jump(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// The longest step that contact allows from here, and the time until something touches that does
    /// not yet [s].
    fn contact_limit(&mut self) -> (f64, f64) {
        (f64::INFINITY, f64::INFINITY)
    }

    /// When the next known event is if nothing comes in between [s].
    fn next_event(&self) -> Option<f64> {
        None
    }
}

/// Advances to `end` [s], which is hit; `observe` sees the system after every accepted step. On an
/// error the system is that of the last accepted step.
pub fn advance<S: Stepped>(
    system: &mut S,
    end: f64,
    out: &mut Progress,
    observe: &mut dyn FnMut(&mut S),
) -> Result<(), S::Error> {
    let slack = system.slack();
    while end - system.time() > slack {
        let jump = system.next_jump(end);
        // A jump next to the end is at the end.
        let until = jump.filter(|jump| *jump < end - slack).unwrap_or(end);
        match system.skip(until) {
            None => {
                system.begin(until)?;
                walk(system, until, out, observe)?;
            }
            Some(true) => observe(system),
            Some(false) => {}
        }
        if jump.is_some() {
            system.passed_jump()?;
        }
    }
    Ok(())
}

/// Makes the steps of an interval without jumps.
fn walk<S: Stepped>(
    system: &mut S,
    end: f64,
    out: &mut Progress,
    observe: &mut dyn FnMut(&mut S),
) -> Result<(), S::Error> {
    let mut walk = Walk::new(system.time(), end, &system.sizes());
    while system.time() < end {
        let step = walk.next(system, end);
        let strict = Strictness {
            events: walk.cuts < MOST_CUTS,
            account: !step.at_floor,
            look: step.near_a_touch || system.pace().looks_at(step.length, walk.largest),
        };
        match system.attempt(&step, strict) {
            Ok(done) => {
                out.steps += 1 + done.further_steps;
                out.iterations += done.iterations;
                out.linearizations += done.linearizations;
                walk.accepted(&step);
                out.at_floor += usize::from(system.accepted(&step, &done));
                observe(system);
            }
            Err(refusal) => walk.refused(&step, refusal, system, out)?,
        }
    }
    Ok(())
}

/// A step to try.
#[derive(Debug, Clone, Copy)]
pub struct Planned {
    /// Its length [s].
    pub length: f64,
    /// Where it ends [s].
    pub end: f64,
    /// How long it could have been, but for the end of the interval or an event [s].
    pub allowed: f64,
    /// The largest step of all [s].
    pub largest: f64,
    /// The step of which steps behind jumps of forces are a part [s].
    pub reference: f64,
    /// It cannot be smaller.
    pub at_floor: bool,
    /// It or the next one may meet a touch.
    near_a_touch: bool,
}

/// The way through an interval without jumps.
#[derive(Debug)]
struct Walk {
    /// Steps that are counted, and halved where one fails.
    grid: Option<TimeGrid>,
    largest: f64,
    reference: f64,
    smallest: f64,
    /// Length of even steps [s].
    nominal: f64,
    /// Steps of the nominal length are counted from here [s], so many so far.
    anchor: f64,
    count: f64,
    /// Length after which an event ends the next step, and the length that was allowed [s].
    cut: Option<(f64, f64)>,
    /// The step to try is one that an event ends.
    is_cut: bool,
    /// Events found in the step under way.
    cuts: usize,
}

impl Walk {
    fn new(start: f64, end: f64, sizes: &StepSizes) -> Self {
        let largest = sizes.largest;
        let grid = || TimeGrid::new(start, end, largest).beginning_with(sizes.first);
        Self {
            grid: (sizes.division == Division::Counted).then(grid),
            largest,
            smallest: sizes.smallest,
            reference: sizes.reference,
            nominal: match sizes.division {
                Division::Paced => f64::INFINITY,
                _ => even_step(end - start, largest),
            },
            anchor: start,
            count: 0.0,
            cut: None,
            is_cut: false,
            cuts: 0,
        }
    }

    /// The step to try from where the system is.
    fn next(&mut self, system: &mut impl Stepped, end: f64) -> Planned {
        if let Some(grid) = &self.grid {
            let length = grid.next_size();
            return Planned {
                length,
                end: grid.next_time(),
                allowed: length,
                largest: self.largest,
                reference: self.reference,
                near_a_touch: false,
                // A step half as long would not be tried.
                at_floor: length < grid.step() && length < 2.0 * self.smallest,
            };
        }
        let start = system.time();
        // A closing next to the end is at the end; the latch sees it so, too.
        let closing = system.next_event();
        let closing = closing.filter(|closing| *closing < end - SLIVER * self.largest);
        let until = closing.unwrap_or(end);
        let left = until - start;
        let mut touch = 0.0;
        self.is_cut = self.cut.is_some();
        let (length, allowed) = self.cut.take().unwrap_or_else(|| {
            let contact;
            (contact, touch) = system.contact_limit();
            let longest = self.largest.min(system.pace().longest).min(contact);
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
            largest: self.largest,
            reference: self.reference,
            near_a_touch: touch <= NEAR_A_TOUCH * (length + self.largest),
            // Even parts may be longer by rounding of their number.
            at_floor: length <= self.smallest * (1.0 + 10.0 * SLIVER),
        }
    }

    fn accepted(&mut self, step: &Planned) {
        self.cuts = 0;
        if let Some(grid) = &mut self.grid {
            grid.accept();
        } else if step.length == self.nominal {
            self.count += 1.0;
        } else {
            (self.anchor, self.count) = (step.end, 0.0);
        }
    }

    /// What to do about a step that was not accepted.
    fn refused<S: Stepped>(
        &mut self,
        step: &Planned,
        refusal: Refusal<S::Error>,
        system: &mut S,
        out: &mut Progress,
    ) -> Result<(), S::Error> {
        match refusal {
            Refusal::Never(cause) => return Err(cause),
            Refusal::Event(after) => {
                self.cuts += 1;
                out.events += 1;
                self.cut = Some((after, step.allowed));
            }
            Refusal::Inaccurate(factor) => {
                out.refused += 1;
                let longest = (factor * step.length).max(self.smallest);
                system.pace().refused(longest);
            }
            // A step that an event ends may be as short as it likes: it is the search that failed.
            Refusal::Smaller(_) if self.is_cut => {
                out.rejected += 1;
                self.cuts = MOST_CUTS;
                system.pace().longest = 0.5 * step.allowed;
            }
            Refusal::Smaller(cause) => {
                out.rejected += 1;
                let (next, can) = match &mut self.grid {
                    Some(grid) => {
                        let can = grid.halve();
                        (grid.next_size(), can)
                    }
                    None => (0.5 * step.length, true),
                };
                system.pace().longest = next;
                if !can || next < self.smallest {
                    return Err(system.stalled([next, self.smallest], cause));
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

    /// A system without mechanics: refuses what it is told to, and notes the ends of its steps.
    #[derive(Debug, Default)]
    struct Clock {
        time: f64,
        pace: Pace,
        ends: Vec<f64>,
        /// What the coming attempts meet: 0 nothing, 1 a failure if a step half as long is allowed,
        /// 2 an event, 3 a miss.
        fates: Vec<u8>,
        contact: f64,
        largest: f64,
    }

    impl Stepped for Clock {
        type Error = &'static str;

        fn time(&self) -> f64 {
            self.time
        }

        fn pace(&mut self) -> &mut Pace {
            &mut self.pace
        }

        fn contact_limit(&mut self) -> (f64, f64) {
            (self.contact, f64::INFINITY)
        }

        fn sizes(&self) -> StepSizes {
            StepSizes::even(self.largest, self.largest)
        }

        fn stalled(&self, _: [f64; 2], cause: Self::Error) -> Self::Error {
            cause
        }

        fn attempt(
            &mut self,
            step: &Planned,
            strict: Strictness,
        ) -> Result<Done, Refusal<Self::Error>> {
            let end = step.end;
            let h = end - self.time;
            match self.fates.pop() {
                Some(1) if step.length >= 2.0 * self.sizes().smallest => {
                    Err(Refusal::Smaller("failed"))
                }
                Some(2) if strict.events => Err(Refusal::Event(0.3 * h)),
                Some(3) if strict.account => Err(Refusal::Inaccurate(0.4)),
                _ => {
                    self.time = end;
                    self.ends.push(end);
                    Ok(Done::default())
                }
            }
        }
    }

    fn advance_by(clock: &mut Clock, end: f64, h: f64) -> Progress {
        let mut out = Progress::default();
        clock.largest = h;
        advance(clock, end, &mut out, &mut |_| {}).unwrap();
        out
    }

    /// Advances through `intervals` and says if a step is a sliver, or an end is missed; all in steps of
    /// the largest.
    fn slivers(
        intervals: &[f64],
        contact: f64,
        fates: Vec<u8>,
    ) -> core::result::Result<(), TestCaseError> {
        let h = 1e-3;
        let mut clock = Clock {
            contact: contact * h,
            fates,
            ..Clock::default()
        };
        let mut end = 0.0;
        for interval in intervals {
            end += interval * h;
            advance_by(&mut clock, end, h);
            prop_assert_eq!(clock.time, end);
        }
        let mut last = 0.0;
        for time in &clock.ends {
            prop_assert!(
                time - last > 1e-3 * 0.05 * 0.05 * h * (1.0 - ROUNDING),
                "{:?}",
                clock.ends
            );
            last = *time;
        }
        Ok(())
    }

    #[test]
    fn no_sliver_is_left_behind_events_that_fail() {
        let fates = vec![1, 1, 2, 1, 1, 1, 1, 0, 2, 1, 1, 1];
        slivers(&[0.05, 0.05], 0.05, fates).unwrap();
    }

    /// A step that fails however small it is, behind an event that was found in it.
    #[derive(Debug, Default)]
    struct Stuck(Clock);

    impl Stepped for Stuck {
        type Error = &'static str;

        fn time(&self) -> f64 {
            self.0.time
        }

        fn pace(&mut self) -> &mut Pace {
            &mut self.0.pace
        }

        fn sizes(&self) -> StepSizes {
            StepSizes::even(1e-3, 1e-3)
        }

        fn stalled(&self, _: [f64; 2], cause: Self::Error) -> Self::Error {
            cause
        }

        fn attempt(
            &mut self,
            step: &Planned,
            strict: Strictness,
        ) -> Result<Done, Refusal<Self::Error>> {
            match self.0.fates.pop() {
                Some(2) if strict.events => Err(Refusal::Event(0.3 * step.length)),
                _ => Err(Refusal::Smaller("failed")),
            }
        }
    }

    #[test]
    fn what_fails_however_small_its_steps_ends_with_its_error_also_behind_an_event() {
        for events in 0..=MOST_CUTS {
            let mut stuck = Stuck::default();
            stuck.0.fates = vec![2; events];
            let mut out = Progress::default();
            let ended = advance(&mut stuck, 0.1, &mut out, &mut |_| {});
            assert_eq!((ended, out.events), (Err("failed"), events));
            let most = HALVINGS as usize + events + 2;
            assert!(out.rejected <= most, "{events} {}", out.rejected);
        }
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
            let done = advance_by(&mut clock, end, h);
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
            slivers(&intervals, contact, fates)?;
        }

        /// Steps at most double.
        #[test]
        fn steps_grow_slowly(fates in prop::collection::vec(0_u8..8, 0..20)) {
            let h = 1e-3;
            // Events end steps but do not make the next ones shorter.
            let fates = fates.into_iter().map(|fate| if fate == 2 { 3 } else { fate }).collect();
            let mut clock = Clock { contact: f64::INFINITY, fates, ..Clock::default() };
            advance_by(&mut clock, 0.1, h);
            let sizes: Vec<f64> = core::iter::once(&0.0)
                .chain(&clock.ends)
                .zip(&clock.ends)
                .map(|(from, to)| to - from)
                .collect();
            for pair in sizes.windows(2) {
                prop_assert!(pair[1] <= 2.0 * pair[0] * (1.0 + ROUNDING));
            }
        }
    }
}
