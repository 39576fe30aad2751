//! Division of time into steps: by counting, never by adding up.
//!
//! An interval of length L is divided into n equal steps of h, which may be asked for only to
//! rounding of the times that L comes from:
//!
//! ```text
//! n = ⌊L/h⌉ if |L/h − ⌊L/h⌉| ≤ ε, ⌈L/h⌉ otherwise; at least 1                   (1)
//! t_k = t₀ + k L/n,   t_n = t₁ exactly                                          (2)
//! ```
//!
//! with ⌊·⌉ the nearest whole number. Where L = n h but for rounding of t₀ and t₁, steps have the size
//! h to the last bit, wherever the interval is. Adding up h instead leaves a remainder of rounding size at the
//! end of the interval. Taken as a step of its own it ruins an index-3 system: accelerations and
//! multipliers of a step are differences of positions divided by its square.

/// ε of eq. (1): steps may be longer than asked for by this fraction of a step, in all.
const SLACK: f64 = 2e-3;
/// An interval shorter than this fraction of a step is no step: its accelerations would be rounding
/// of positions divided by its square.
pub const SLIVER: f64 = 1e-4;
/// Times closer than this fraction of a step are the same time.
pub const SAME_TIME: f64 = 1e-6;

/// Number of steps of at most `largest` [s] that make up `interval` [s], eq. (1).
pub fn count(interval: f64, largest: f64) -> f64 {
    let ratio = interval / largest;
    let nearest = ratio.round();
    let count = if (ratio - nearest).abs() <= SLACK {
        nearest
    } else {
        ratio.ceil()
    };
    count.max(1.0)
}

/// Size [s] of the steps of at most `largest` [s] that divide `interval` [s] evenly.
pub fn even_step(interval: f64, largest: f64) -> f64 {
    interval / count(interval, largest)
}

/// The part of `left` [s] to step next if steps of `allowed` [s] are wanted for now: all of it, half
/// of it, or `allowed`. What remains is never shorter than half of `allowed`.
pub fn next_part(left: f64, allowed: f64) -> f64 {
    if left < 2.0 * allowed {
        even_step(left, allowed)
    } else {
        allowed
    }
}

/// Equal steps between two times, each of which may be halved several times over.
///
/// Positions are counted in the smallest parts of a step, so that halves and wholes always meet
/// again: no failure leaves a remainder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeGrid {
    start: f64,
    end: f64,
    count: f64,
    step: f64,
    /// Whole steps done.
    done: f64,
    /// Parts of the next step that are done, of 2^`HALVINGS`.
    parts: u64,
    /// Size of the next step, in such parts: a power of two that divides `parts`.
    size: u64,
}

/// A step can be halved so often.
const HALVINGS: u32 = 40;
const WHOLE: u64 = 1 << HALVINGS;

impl TimeGrid {
    /// Steps of at most `largest` [s] from `start` to `end` [s].
    pub fn new(start: f64, end: f64, largest: f64) -> Self {
        let interval = end - start;
        let count = count(interval, largest);
        let rounding = 4.0 * f64::EPSILON * start.abs().max(end.abs());
        let asked = (interval - count * largest).abs() <= rounding;
        Self {
            start,
            end,
            count,
            step: if asked { largest } else { interval / count },
            done: 0.0,
            parts: 0,
            size: WHOLE,
        }
    }

    /// The same grid, beginning with a step of at most `first` [s] from which sizes double: the first
    /// whole step is halved as often as that takes.
    pub fn beginning_with(mut self, first: f64) -> Self {
        // Callers round their parts by as much.
        while self.next_size() > first * (1.0 + SLACK) && self.halve() {}
        self
    }

    /// Size of a whole step [s].
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Number of whole steps.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// Whether the end is reached.
    pub fn finished(&self) -> bool {
        self.done >= self.count
    }

    /// Size [s] of the next step.
    pub fn next_size(&self) -> f64 {
        self.step() * (self.size as f64 / WHOLE as f64)
    }

    /// Time [s] at which the next step ends, eq. (2).
    pub fn next_time(&self) -> f64 {
        let parts = self.parts + self.size;
        let done = self.done + parts as f64 / WHOLE as f64;
        if done >= self.count {
            self.end
        } else {
            self.start + done * self.step()
        }
    }

    /// Goes on behind the next step. After a half its other half comes next, then steps double.
    pub fn accept(&mut self) {
        self.parts += self.size;
        if self.parts >= WHOLE {
            self.done += 1.0;
            self.parts = 0;
        }
        // A step twice as long must begin where such steps begin.
        let doubled = 2 * self.size;
        if doubled <= WHOLE && self.parts.is_multiple_of(doubled) {
            self.size = doubled;
        }
    }

    /// Halves the next step; false if it cannot be halved any more.
    pub fn halve(&mut self) -> bool {
        self.size = (self.size / 2).max(1);
        self.size > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// Whatever the step, an interval of n steps is divided into n steps, also where its ends
        /// are far from zero.
        #[test]
        fn steps_taken_equal_steps_asked(
            exponent in -7.0..0.0_f64,
            log_count in 0.0..6.0_f64,
            first in 0_u32..1000,
        ) {
            let h = 10.0_f64.powf(exponent);
            let n = 10.0_f64.powf(log_count).round();
            let interval = n * h;
            let (start, end) = (f64::from(first) * interval, f64::from(first + 1) * interval);
            prop_assert_eq!(TimeGrid::new(start, end, h).count(), n);
        }

        /// Steps end at the times of eq. (2), the last at the end, whatever is refused on the way;
        /// a step is never shorter than refusals make it.
        #[test]
        fn refused_steps_leave_no_remainder(
            n in 1_u32..40,
            start in 0.0..10.0_f64,
            h in 1e-6..1.0_f64,
            refusals in prop::collection::vec(prop::bool::weighted(0.4), 400),
        ) {
            let end = start + f64::from(n) * h;
            let mut grid = TimeGrid::new(start, end, h);
            let (mut sum, mut depth, mut smallest) = (0.0, 0, 0);
            let mut refusals = refusals.into_iter();
            let mut last = start;
            while !grid.finished() {
                if refusals.next() == Some(true) && depth < 20 {
                    grid.halve();
                    depth = (grid.step() / grid.next_size()).log2().round() as i32;
                    smallest = smallest.max(depth);
                    continue;
                }
                let (size, time) = (grid.next_size(), grid.next_time());
                prop_assert!(size >= grid.step() * 0.5_f64.powi(smallest));
                prop_assert!((time - last - size).abs() <= 4.0 * f64::EPSILON * end);
                sum += size;
                last = time;
                grid.accept();
                depth = (grid.step() / grid.next_size()).log2().round() as i32;
            }
            prop_assert_eq!(last, end);
            prop_assert!((sum - (end - start)).abs() <= 1e-12 * end.max(1.0));
        }

        /// A grid that begins with a small step has steps that at most double, ends where it should,
        /// and takes no more steps than the doublings and as many again.
        #[test]
        fn steps_grow_from_a_small_first_one(
            n in 1_u32..20,
            h in 1e-6..1.0_f64,
            log_first in -20.0..2.0_f64,
        ) {
            let (end, first) = (f64::from(n) * h, h * 2.0_f64.powf(log_first));
            let mut grid = TimeGrid::new(0.0, end, h).beginning_with(first);
            let (mut last, mut sum, mut steps) = (first, 0.0, 0.0);
            while !grid.finished() {
                let size = grid.next_size();
                let limit = if sum == 0.0 { first * (1.0 + SLACK) } else { 2.0 * last };
                prop_assert!(size <= limit * (1.0 + 1e-12));
                (last, sum, steps) = (size, sum + size, steps + 1.0);
                grid.accept();
            }
            prop_assert!((sum - end).abs() <= 1e-12 * end);
            prop_assert!(steps <= f64::from(n) + 1.0 - log_first.min(0.0));
        }

        /// Parts of what is left never leave less than half of what is allowed.
        #[test]
        fn parts_leave_no_sliver(left in 1e-3..1e3_f64, allowed in 1e-3..1e3_f64) {
            let part = next_part(left, allowed);
            prop_assert!(part <= allowed * (1.0 + SLACK));
            let rest = left - part;
            prop_assert!(rest <= 1e-12 * left || rest >= 0.49 * allowed);
        }
    }

    #[test]
    fn times_of_a_long_run_stay_on_the_grid() {
        // Six seconds in outputs of two: the sum of 5e-5 misses 2 s by 5e-12.
        for k in 0..3 {
            let (start, end) = (2.0 * f64::from(k), 2.0 * f64::from(k + 1));
            let mut grid = TimeGrid::new(start, end, 5e-5);
            let mut steps = 0;
            while !grid.finished() {
                grid.accept();
                steps += 1;
            }
            assert_eq!(steps, 40_000);
        }
    }
}
