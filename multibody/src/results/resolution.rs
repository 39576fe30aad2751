//! Whether the steps of a run resolve the extremes of a curve.
//!
//! A curve is known at the ends of steps. With the second difference of neighbouring values
//!
//! ```text
//! D_k = |y_{k+1} − y_k − (y_k − y_{k−1}) h_{k+1}/h_k| · 2 h_k/(h_k + h_{k+1})   (1)
//! ```
//!
//! (|y_{k+1} − 2 y_k + y_{k−1}| where steps are equal), a vibration of the amplitude A and the angular
//! frequency ω has D ≈ (ωh)² A, and the error of a step of second order is of the same order. So
//!
//! ```text
//! ρ_k = min(max(D_{k−2}, D_{k−1}), max(D_{k+1}, D_{k+2})),   e_k = ½ ρ_k         (2)
//! ```
//!
//! estimates how far the value at k may be off, and the largest value may be max (y_k + e_k) instead of
//! max y_k. A jump, or a kink, is seen from its calm side: (2) takes the smoother of the two sides, and
//! D_k itself does not count. What a run starts with is known exactly.
//!
//! It is an upper estimate for most curves. What it does not see is that phases of vibrations which are
//! resolved drift apart over many periods, and what follows from that.

/// e over ρ in (2).
const ERROR_SHARE: f64 = 0.5;
/// Values that (2) needs.
const WINDOW: usize = 7;

/// An extreme of a curve, as seen from above: a smallest value is one of the negative curve.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Extreme {
    /// The largest value.
    seen: f64,
    /// The largest value with its error on top, and its time [s].
    possible: (f64, f64),
}

impl Default for Extreme {
    fn default() -> Self {
        Self {
            seen: f64::NEG_INFINITY,
            possible: (f64::NEG_INFINITY, 0.0),
        }
    }
}

impl Extreme {
    fn note(&mut self, (time, value): (f64, f64), error: f64) {
        self.seen = self.seen.max(value);
        if value + error > self.possible.0 {
            self.possible = (value + error, time);
        }
    }

    /// Takes the larger ones of both.
    fn merge(&mut self, other: &Self) {
        self.seen = self.seen.max(other.seen);
        if other.possible.0 > self.possible.0 {
            self.possible = other.possible;
        }
    }

    fn error(&self) -> f64 {
        self.possible.0 - self.seen
    }
}

/// Watches a curve.
#[derive(Debug, Clone, Default)]
pub struct CurveWatch {
    /// The last times [s] and values, the newest last.
    recent: Vec<(f64, f64)>,
    /// Values seen.
    count: usize,
    /// Of the curve and of its negative.
    extremes: [Extreme; 2],
}

/// How far the extremes of a curve may be off.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Resolved {
    /// By this share of the largest value [-].
    pub error: f64,
    /// Where that is [s].
    pub time: f64,
}

impl CurveWatch {
    /// Takes note of `value` at `time` [s], the end of a step.
    pub fn see(&mut self, time: f64, value: f64) {
        if self.recent.len() == WINDOW {
            self.recent.remove(0);
        }
        self.recent.push((time, value));
        self.count += 1;
        if let Some(centre) = self.recent.len().checked_sub(4) {
            self.judge(centre);
        }
    }

    /// Takes the value at `centre` of those that are kept into account.
    fn judge(&mut self, centre: usize) {
        let at_start = self.count == self.recent.len() && centre == 0;
        let error = if at_start {
            0.0
        } else {
            ERROR_SHARE * roughness(&self.recent, centre) // (2)
        };
        let (time, value) = self.recent[centre];
        let [high, low] = &mut self.extremes;
        high.note((time, value), error);
        low.note((time, -value), error);
    }

    /// With the last values, behind which nothing is known.
    fn complete(&self) -> Self {
        let mut all = self.clone();
        for centre in self.recent.len().saturating_sub(3)..self.recent.len() {
            all.judge(centre);
        }
        all
    }

    /// Of the curve and of its negative.
    fn finished(&self) -> [Extreme; 2] {
        self.complete().extremes
    }
}

/// How far the largest and the smallest value of `curves` together may be off; as nothing counts what is
/// below `least`.
pub fn extremes<'a>(curves: impl IntoIterator<Item = &'a CurveWatch>, least: f64) -> Resolved {
    let mut all = [Extreme::default(); 2];
    for curve in curves {
        for (all, one) in all.iter_mut().zip(curve.finished()) {
            all.merge(&one);
        }
    }
    let [high, low] = all;
    let size = high.seen.max(low.seen);
    let worst = if high.error() >= low.error() {
        high
    } else {
        low
    };
    share(worst.error(), size, least, worst.possible.1)
}

/// How far the largest absolute value of `curves` together may be off, each with what bounds it in any
/// case; as nothing counts what is below `least`.
pub fn largest<'a>(
    curves: impl IntoIterator<Item = (&'a CurveWatch, f64)>,
    least: f64,
) -> Resolved {
    let mut all = Extreme::default();
    for (curve, limit) in curves {
        let [mut both, low] = curve.finished();
        both.merge(&low);
        both.possible.0 = both.possible.0.min(limit.max(both.seen));
        all.merge(&both);
    }
    share(all.error(), all.seen, least, all.possible.1)
}

fn share(error: f64, size: f64, least: f64, time: f64) -> Resolved {
    // Of less than two values nothing is known.
    if error > 0.0 && size > least {
        let error = error / size;
        Resolved { error, time }
    } else {
        Resolved::default()
    }
}

/// ρ of (2) at `centre` of neighbouring `values`; of what is known on one side only, that side.
fn roughness(values: &[(f64, f64)], centre: usize) -> f64 {
    let side = |places: [Option<usize>; 2]| {
        let known = places.into_iter().flatten();
        let bends = known.filter_map(|place| second_difference(values, place));
        bends.reduce(f64::max)
    };
    let before = side([centre.checked_sub(1), centre.checked_sub(2)]);
    let behind = side([Some(centre + 1), Some(centre + 2)]);
    match (before, behind) {
        (Some(a), Some(b)) => a.min(b),
        (Some(a), None) | (None, Some(a)) => a,
        (None, None) => 0.0,
    }
}

/// D of (1) at `place`, if there is a value on either side.
fn second_difference(values: &[(f64, f64)], place: usize) -> Option<f64> {
    let before = place.checked_sub(1)?;
    let three: [(f64, f64); 3] = values.get(before..before + 3)?.try_into().ok()?;
    let [(t0, y0), (t1, y1), (t2, y2)] = three;
    let (h1, h2) = (t1 - t0, t2 - t1);
    let bend = (y2 - y1 - (y1 - y0) * h2 / h1).abs() * 2.0 * h1 / (h1 + h2); // (1)
    // Two values at one time are no curve.
    Some(if h1 > 0.0 && h2 > 0.0 { bend } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(h: f64, end: f64, curve: impl Fn(f64) -> f64) -> CurveWatch {
        let mut watch = CurveWatch::default();
        for k in 0..=(end / h).round() as u32 {
            let t = f64::from(k) * h;
            watch.see(t, curve(t));
        }
        watch
    }

    /// e = ½ (ωh)² of the amplitude, whatever rests below the vibration.
    #[test]
    fn a_vibration_is_judged_by_its_angle_per_step() {
        for (angle, at_rest) in [(0.05, 0.0), (0.1, 3.0), (0.2, 1.0)] {
            let curve = |t: f64| at_rest + (100.0 * t + 0.3).sin();
            let found = extremes([&watched(angle / 100.0, 2.0, curve)], 0.0).error;
            let expected = 0.5 * angle * angle / (1.0 + at_rest);
            assert!((found / expected - 1.0).abs() < 0.06, "{found} {expected}");
        }
    }

    #[test]
    fn a_vibration_at_a_quarter_of_the_sampling_rate_is_not_resolved() {
        for period in [2.0, 3.0, 4.0, 5.0, 6.0] {
            let turn = core::f64::consts::TAU / period;
            let found = watched(1.0, 300.0, |t| 10.0 + (turn * t + 0.3).cos());
            assert!(extremes([&found], 0.0).error > 0.02, "{period} {found:?}");
        }
    }

    /// Jumps and kinks are seen from their calm sides; what comes first is known.
    #[test]
    fn jumps_kinks_and_the_start_are_no_vibration() {
        let jump = |t: f64| if t < 0.5 { t } else { -2.0 * t };
        let kink = |t: f64| 1.0 - (t - 0.503).abs();
        let start = |t: f64| if t == 0.0 { 5.0 } else { 1.0 };
        for curve in [&jump as &dyn Fn(f64) -> f64, &kink, &start] {
            let found = watched(0.01, 1.0, curve);
            assert!(extremes([&found], 0.0).error < 1e-12, "{found:?}");
        }
    }

    /// A vibration far below the largest value does not matter, one that could reach it does.
    #[test]
    fn what_cannot_reach_the_largest_value_does_not_count() {
        let curve =
            |fine: f64| move |t: f64| (2.0 * t).sin() + fine * (1e3 * t).sin() * (t - 0.78).powi(2);
        let harmless = watched(1e-3, 1.5, curve(0.05));
        let harmless = largest([(&harmless, f64::INFINITY)], 0.0);
        assert!(harmless.error < 1e-3, "{harmless:?}");
        let felt = watched(1e-3, 1.5, |t| (2.0 * t).sin() + 0.1 * (1e3 * t).sin());
        let felt = largest([(&felt, f64::INFINITY)], 0.0);
        assert!(felt.error > 0.015 && felt.time > 0.5, "{felt:?}");
    }

    #[test]
    fn what_a_limit_bounds_is_no_more_uncertain_than_the_limit() {
        let curve = |t: f64| (10.0 * t).sin().clamp(-0.5, 0.5);
        let found = watched(0.2, 5.0, curve);
        assert_eq!(largest([(&found, 0.5)], 0.0).error, 0.0);
        assert!(largest([(&found, 10.0)], 0.0).error > 0.05);
        assert_eq!(largest([(&found, 10.0)], 0.6), Resolved::default());
    }

    #[test]
    fn uneven_steps_are_taken_as_they_are() {
        let mut watch = CurveWatch::default();
        let (mut t, mut h) = (0.0, 1e-4);
        while t < 1.0 {
            watch.see(t, 3.0 * t - 1.0);
            t += h;
            h = if h > 0.02 { 1e-4 } else { 1.7 * h };
        }
        assert!(extremes([&watch], 0.0).error < 1e-12);
        assert_eq!(extremes([&CurveWatch::default()], 0.0), Resolved::default());
    }

    /// Of several curves only those that can reach the largest value of all count.
    #[test]
    fn curves_are_judged_together() {
        let calm = watched(1e-3, 1.0, |t| 10.0 + t);
        let rough = watched(1e-3, 1.0, |t| (1500.0 * t).sin());
        let alone = largest([(&rough, f64::INFINITY)], 0.0).error;
        assert!(alone > 0.3, "{alone}");
        let both = [(&calm, f64::INFINITY), (&rough, f64::INFINITY)];
        assert!(largest(both, 0.0).error < 1e-12);
        // The smallest value is that of the rough one.
        assert!(extremes([&calm, &rough], 0.0).error > 0.03);
    }
}
