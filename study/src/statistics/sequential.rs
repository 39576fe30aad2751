//! Running until a probability is known well enough.
//!
//! Who looks at an interval again and again and stops when it is narrow has it wrong more often than it
//! says. With K = 5 looks at equal distances the intervals of all looks hold together with 95 %
//! if each is made with the score of `pocock1977`, c = 2.413 in place of 1.960,
//!
//! ```text
//! p ± c √(p(1−p)/n)                                                                        (1)
//! ```
//!
//! so that the one at which the study stops holds too, whatever made it stop there. No probability
//! needs more runs than one half does, where the half width is c/(2√n): the last look is at
//!
//! ```text
//! n = c²/(4 ε²)                                                                            (2)
//! ```

use crate::sampling::normal;

/// Looks at most.
pub const LOOKS: u64 = 5;

/// The score of each of them.
const SCORE: f64 = 2.413;

/// Confidence of the interval of each look, for 95 % of all together.
pub fn look_confidence() -> f64 {
    2.0 * normal::cdf(SCORE) - 1.0
}

/// Numbers of runs at which a study is looked at that is to know a probability to ± `half_width`; each
/// a multiple of `unit`.
pub fn looks(half_width: f64, unit: u64) -> Vec<u64> {
    let most = (0.25 * (SCORE / half_width).powi(2)).ceil(); // (2)
    let unit = unit.max(1);
    let look = |k: u64| (most * k as f64 / LOOKS as f64).ceil() as u64;
    (1..=LOOKS).map(|k| look(k).div_ceil(unit) * unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::random::{Generator, Stream};
    use crate::statistics::{Dependence, proportion};

    /// Known: 95 % in (1) at one half, ± 0.02: 2.413²/(4·0.0004) = 3639.1 runs at most.
    #[test]
    fn looks_end_where_every_probability_is_known() {
        assert_eq!(looks(0.02, 1), [728, 1456, 2184, 2912, 3640]);
        assert_eq!(looks(0.1, 32), [32, 64, 96, 128, 160]);
        assert!(
            (look_confidence() - 0.984_18).abs() < 1e-5,
            "{}",
            look_confidence()
        );
    }

    /// Of 400 studies that stop by themselves at ± 0.05 at least 93 % hold the truth: 380 ± 4.4, and
    /// stopped ones are as narrow as asked for.
    #[test]
    fn stopping_keeps_the_error_rate() {
        for p in [0.03, 0.2, 0.5, 0.93] {
            let mut held = 0;
            for seed in 0..400 {
                let generator = Generator::new(seed);
                let event = |i| generator.uniform(Stream::MonteCarlo, 0, i) < p;
                for look in looks(0.05, 1) {
                    let rows: Vec<Option<bool>> = (0..look).map(|i| Some(event(i))).collect();
                    let all = Dependence::independent(rows.len());
                    let found = proportion(&rows, &all, look_confidence());
                    let interval = found.interval.unwrap();
                    if interval.high - interval.low <= 0.1 || look == looks(0.05, 1)[4] {
                        assert!(interval.high - interval.low <= 0.1 + 1e-9);
                        held += i32::from(interval.low <= p && p <= interval.high);
                        break;
                    }
                }
            }
            assert!(held >= 372, "{p}: {held}");
        }
    }
}
