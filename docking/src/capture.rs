//! How near the latch came to closing, and what kept it from it.
//!
//! The latch closes when gap g, angle θ and relative speed v have been within their limits for the
//! dwell time. With each condition over its limit the approach to capture at one time is
//!
//! ```text
//! r_g = max(g, 0)/g_lim,  r_θ = θ/θ_lim,  r_v = v/v_lim,   r = max(r_g, r_θ, r_v)   (1)
//! ```
//!
//! The nearest moment is the one with the smallest r. If r > 1 there, the condition with the largest
//! share is the one that failed; if r ≤ 1, the conditions did not hold for the dwell time.

use crate::figures::Value;
use crate::story::digits;
use crate::summary::Summary;
use serde::{Deserialize, Serialize};
use softdock_figures::figures;
use softdock_platform::contact::{Alignment, LatchConfig, LatchState};

/// What kept the latch from closing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// Nothing: it closed.
    None,
    /// The gap stayed too wide.
    Gap,
    /// The angle between the axes stayed too large.
    Angle,
    /// The relative speed stayed too high.
    Speed,
    /// All conditions were met, but not for long enough.
    Dwell,
    /// There is no latch.
    NoLatch,
}

impl Failure {
    /// Their names for programs.
    pub const KEYS: &'static [&'static str] =
        &["none", "gap", "angle", "speed", "dwell", "no_latch"];

    /// Its name for programs.
    pub const fn key(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gap => "gap",
            Self::Angle => "angle",
            Self::Speed => "speed",
            Self::Dwell => "dwell",
            Self::NoLatch => "no_latch",
        }
    }
}

impl From<&Failure> for Value {
    fn from(failure: &Failure) -> Self {
        Self::Word(failure.key())
    }
}

/// The course of one condition.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Course {
    /// Smallest value and when [s].
    smallest: (f64, f64),
    /// Longest time inside the limit [s].
    longest: f64,
    since: Option<f64>,
}

impl Course {
    const START: Self = Self {
        smallest: (f64::INFINITY, 0.0),
        longest: 0.0,
        since: None,
    };

    fn see(&mut self, time: f64, value: f64, limit: f64) {
        if value < self.smallest.0 {
            self.smallest = (value, time);
        }
        self.since = (value <= limit).then(|| self.since.unwrap_or(time));
        if let Some(since) = self.since {
            self.longest = self.longest.max(time - since);
        }
    }
}

/// Values of the conditions at one time: gap [m], angle [rad], speed [m/s].
fn values(alignment: &Alignment) -> [f64; 3] {
    [alignment.gap, alignment.angle, alignment.speed]
}

/// The limits in the same order.
fn limits(latch: &LatchConfig) -> [f64; 3] {
    [latch.gap_m, latch.angle_deg.to_radians(), latch.speed_m_s]
}

/// Conditions over their limits, eq. (1).
pub fn shares(alignment: &Alignment, latch: &LatchConfig) -> [f64; 3] {
    let (values, limits) = (values(alignment), limits(latch));
    core::array::from_fn(|i| {
        let value = values[i].max(0.0);
        match (value, limits[i]) {
            (0.0, _) => 0.0,
            (_, 0.0) => f64::INFINITY,
            (value, limit) => value / limit,
        }
    })
}

/// What is watched of the conditions until the latch closes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CaptureTrack {
    courses: [Course; 3],
    /// Longest time for which all of them were met [s].
    longest: f64,
    /// The nearest moment: time [s], shares, alignment.
    nearest: Option<(f64, [f64; 3], Alignment)>,
}

impl Default for CaptureTrack {
    fn default() -> Self {
        Self {
            courses: [Course::START; 3],
            longest: 0.0,
            nearest: None,
        }
    }
}

impl CaptureTrack {
    /// Looks at an accepted state at `time` [s].
    pub fn see(
        &mut self,
        time: f64,
        alignment: &Alignment,
        latch: &LatchConfig,
        state: &LatchState,
    ) {
        let all = self
            .courses
            .iter_mut()
            .zip(values(alignment))
            .zip(limits(latch));
        for ((course, value), limit) in all {
            course.see(time, value, limit);
        }
        match state {
            LatchState::Open => {}
            LatchState::Dwelling { since } => self.longest = self.longest.max(time - since),
            LatchState::Captured { .. } => self.longest = self.longest.max(latch.dwell_s),
        }
        let shares = shares(alignment, latch);
        let largest = |shares: &[f64; 3]| shares.iter().copied().fold(0.0, f64::max);
        let sum = |shares: &[f64; 3]| shares.iter().sum::<f64>();
        let nearer = |(_, before, _): &(f64, [f64; 3], Alignment)| {
            let (old, new) = (largest(before), largest(&shares));
            // Deep inside the limits, and infinitely far from them, the smaller sum is nearer.
            new < old || (new == old && sum(&shares) < sum(before))
        };
        if self.nearest.as_ref().is_none_or(nearer) {
            self.nearest = Some((time, shares, *alignment));
        }
    }

    /// What it comes to; `captured` if the latch closed.
    pub fn summary(&self, latch: &LatchConfig, captured: bool) -> CaptureSummary {
        let [gap, angle, speed] = &self.courses;
        let known = |value: f64| value.is_finite().then_some(value);
        let degrees = |angle: f64| known(angle).map(f64::to_degrees);
        let nearest = self.nearest.as_ref();
        CaptureSummary {
            failed: self.failure(latch, captured),
            nearest_time_s: nearest.map(|(time, ..)| *time),
            nearest_gap_m: nearest.and_then(|(.., at)| known(at.gap)),
            nearest_angle_deg: nearest.and_then(|(.., at)| degrees(at.angle)),
            nearest_speed_m_s: nearest.and_then(|(.., at)| known(at.speed)),
            longest_together_s: self.longest,
            smallest_gap_m: known(gap.smallest.0),
            smallest_gap_time_s: gap.smallest.1,
            gap_met_s: gap.longest,
            smallest_angle_deg: degrees(angle.smallest.0),
            smallest_angle_time_s: angle.smallest.1,
            angle_met_s: angle.longest,
            smallest_speed_m_s: known(speed.smallest.0),
            smallest_speed_time_s: speed.smallest.1,
            speed_met_s: speed.longest,
        }
    }

    fn failure(&self, latch: &LatchConfig, captured: bool) -> Failure {
        if captured {
            return Failure::None;
        }
        if !latch.enabled {
            return Failure::NoLatch;
        }
        let Some((_, shares, _)) = self.nearest else {
            return Failure::Gap;
        };
        let named = [Failure::Gap, Failure::Angle, Failure::Speed];
        let worst = named.into_iter().zip(shares);
        let worst = worst.reduce(|a, b| if b.1 > a.1 { b } else { a });
        match worst {
            Some((condition, share)) if share > 1.0 => condition,
            _ => Failure::Dwell,
        }
    }
}

figures! {
    /// How near the latch came to closing.
    #[derive(Clone, Copy, PartialEq)]
    pub struct CaptureSummary in "capture." of Summary at |summary| summary.capture;
    failed: Failure = "-", "what kept the latch open",
        "Condition of the latch that was not met when all of them were nearest to being met",
        one_of(Failure::KEYS);
    nearest_time_s: Option<f64> = "s", "nearest to capture at",
        "When the conditions of the latch were nearest to being met together";
    nearest_gap_m: Option<f64> = "m", "gap then", "Smallest gap at that time",
        shown_in("mm", 1e-3), digits(3);
    nearest_angle_deg: Option<f64> = "deg", "angle then", "Angle between the axes at that time",
        digits(3);
    nearest_speed_m_s: Option<f64> = "m/s", "relative speed then",
        "Relative speed of the ports at that time", digits(3);
    longest_together_s: f64 = "s", "longest dwell",
        "Longest time for which all conditions of the latch were met", digits(3);
    smallest_gap_m: Option<f64> = "m", "smallest gap", "Smallest gap until the latch closed",
        shown_in("mm", 1e-3), digits(3);
    smallest_gap_time_s: f64 = "s", "time of the smallest gap", "When the gap was smallest",
        digits(3);
    gap_met_s: f64 = "s", "gap met for", "Longest time with the gap within the latch's limit",
        digits(3);
    smallest_angle_deg: Option<f64> = "deg", "smallest angle",
        "Smallest angle between the axes until the latch closed", digits(3);
    smallest_angle_time_s: f64 = "s", "time of the smallest angle",
        "When the angle was smallest", digits(3);
    angle_met_s: f64 = "s", "angle met for",
        "Longest time with the angle within the latch's limit", digits(3);
    smallest_speed_m_s: Option<f64> = "m/s", "smallest relative speed",
        "Smallest relative speed of the ports until the latch closed", digits(3);
    smallest_speed_time_s: f64 = "s", "time of the smallest relative speed",
        "When the relative speed was smallest", digits(3);
    speed_met_s: f64 = "s", "speed met for",
        "Longest time with the relative speed within the latch's limit", digits(3);
}

/// Three significant digits.
fn short(value: f64) -> String {
    digits(value, 3)
}

impl CaptureSummary {
    /// Why the latch did not close, in a sentence without its full stop; none if it did.
    pub fn reason(&self, latch: &LatchConfig) -> Option<String> {
        let gap = |value: Option<f64>| short(1e3 * value.unwrap_or(f64::NAN));
        let (gap_limit, dwell) = (short(1e3 * latch.gap_m), short(latch.dwell_s));
        let when = short(self.nearest_time_s.unwrap_or(0.0));
        let text = match self.failed {
            Failure::None => return None,
            Failure::NoLatch => {
                return Some("there is no latch (contact.latch.enabled = false)".to_owned());
            }
            Failure::Gap => format!(
                "the gap stayed too wide: {} mm at best, {gap_limit} mm allowed",
                gap(self.nearest_gap_m)
            ),
            Failure::Angle => format!(
                "the angle stayed too large: {}° at best, {}° allowed",
                short(self.nearest_angle_deg.unwrap_or(f64::NAN)),
                short(latch.angle_deg)
            ),
            Failure::Speed => format!(
                "the relative speed stayed too high: {} m/s at best, {} m/s allowed",
                short(self.nearest_speed_m_s.unwrap_or(f64::NAN)),
                short(latch.speed_m_s)
            ),
            Failure::Dwell => {
                return Some(format!(
                    "gap, angle and speed were met together for {} s only, {dwell} s are asked for",
                    short(self.longest_together_s)
                ));
            }
        };
        Some(format!(
            "{text} (at {when} s, when the latch's conditions were nearest to being met)"
        ))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const LATCH: fn() -> LatchConfig = LatchConfig::default;

    fn alignment(gap: f64, degrees: f64, speed: f64) -> Alignment {
        Alignment {
            gap,
            angle: degrees.to_radians(),
            speed,
        }
    }

    fn seen(course: &[(f64, Alignment)]) -> CaptureSummary {
        let mut track = CaptureTrack::default();
        for (time, alignment) in course {
            track.see(*time, alignment, &LATCH(), &LatchState::Open);
        }
        track.summary(&LATCH(), false)
    }

    /// The condition that fails is the worst one when all together were best, not the one that is
    /// worst at the end or the one that never came near on its own.
    #[test]
    fn the_condition_that_failed_is_the_worst_at_the_nearest_moment() {
        let summary = seen(&[
            (0.0, alignment(0.02, 7.5, 0.05)),
            (0.1, alignment(0.0, 3.0, 0.005)),
            (0.2, alignment(0.0, 2.0, 0.012)),
            (0.3, alignment(0.01, 0.5, 0.02)),
        ]);
        assert_eq!(summary.failed, Failure::Angle);
        assert_eq!(summary.nearest_time_s, Some(0.2));
        let reason = summary.reason(&LATCH()).unwrap();
        assert!(reason.starts_with("the angle stayed too large: 2.00° at best, 1.50° allowed"));
        // Each condition on its own.
        assert_eq!(summary.smallest_speed_m_s, Some(0.005));
        assert_eq!(summary.smallest_speed_time_s, 0.1);
        assert!((summary.gap_met_s - 0.1).abs() < 1e-12);
        assert_eq!(summary.angle_met_s, 0.0);
    }

    #[test]
    fn conditions_met_too_briefly_fail_by_the_dwell() {
        let mut track = CaptureTrack::default();
        for k in 0..4 {
            let time = 0.01 * f64::from(k);
            let state = LatchState::Dwelling { since: 0.0 };
            track.see(time, &alignment(0.0, 1.0, 0.001), &LATCH(), &state);
        }
        let summary = track.summary(&LATCH(), false);
        assert_eq!(summary.failed, Failure::Dwell);
        assert_eq!(summary.longest_together_s, 0.03);
        let reason = summary.reason(&LATCH()).unwrap();
        assert!(reason.contains("for 0.0300 s only, 0.0500 s"), "{reason}");
    }

    #[test]
    fn a_latch_with_a_limit_of_zero_is_judged_too() {
        let mut latch = LATCH();
        latch.speed_m_s = 0.0;
        let at = alignment(0.0, 1.0, 0.001);
        let [gap, angle, speed] = shares(&at, &latch);
        assert_eq!((gap, speed), (0.0, f64::INFINITY));
        assert!((angle - 1.0 / 1.5).abs() < 1e-12);
        let mut track = CaptureTrack::default();
        track.see(0.0, &at, &latch, &LatchState::Open);
        assert_eq!(track.summary(&latch, false).failed, Failure::Speed);
    }
}
