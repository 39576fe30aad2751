//! Where in a step a contact begins or ends.
//!
//! The force of a contact has a corner at the touch. A step that reaches over it is of first order
//! there, and makes or loses energy of the order of the square of its length over the contact's
//! period; a step that ends there does not. The gaps g_i over a step are known from the motion that
//! interpolates it. With s_i = +1 for contacts that begin in the step and −1 for those that end,
//!
//! ```text
//! f(θ) = min s_i g_i(θ),   f(0) ≥ 0 > f(1)                                       (1)
//! ```
//!
//! changes its sign at the first touch or separation.

use super::episode::{Episode, Episodes};
use super::output::{ContactOutput, PointForce};
use super::pair::ContactPair;
use super::relative::BodyMotion;

/// Events this near to an end of the step, as a fraction of it, are taken as being there: the
/// error is smaller by the square of this than that of an event anywhere.
const NEAR_AN_END: f64 = 0.05;
/// A contact that carries less than this fraction of the force of all may begin or end within a
/// step.
const NEGLIGIBLE: f64 = 1e-3;
/// A zero is found when it is known to this fraction of a step.
const SHARP: f64 = 1e-9;
/// Most evaluations of a search.
const MOST_EVALUATIONS: usize = 90;

/// A zero in [0, 1] of a function that is not negative at 0 and negative at 1, by regula falsi: of
/// an end that stays twice the value is halved (Illinois), so that both ends close in, and every
/// third time the interval is halved, whatever the function.
pub(crate) fn first_zero(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    let (mut f_low, mut f_high) = (f(low), f(high));
    let mut last_was_low = None;
    for evaluation in 1..=MOST_EVALUATIONS {
        if high - low <= SHARP {
            break;
        }
        let share = f_low / (f_low - f_high);
        // Every third time, and where the share is not a number or at an end by rounding, the
        // interval is halved.
        let share = if evaluation % 3 != 0 && share > 0.0 && share < 1.0 {
            share
        } else {
            0.5
        };
        let middle = low + (high - low) * share;
        let value = f(middle);
        if value < 0.0 {
            (high, f_high) = (middle, value);
            if last_was_low == Some(false) {
                f_low *= 0.5;
            }
            last_was_low = Some(false);
        } else {
            (low, f_low) = (middle, value);
            if last_was_low == Some(true) {
                f_high *= 0.5;
            }
            last_was_low = Some(true);
        }
    }
    high
}

/// Fraction of a step at which the first contact begins or ends, (1); none if that is nowhere or
/// near an end. `at(θ)` is the motion of both bodies, `before` and `after` are the
/// forces at both ends.
pub fn crossing(
    pair: &ContactPair,
    episodes: &Episodes,
    (before, after): (&ContactOutput, &ContactOutput),
    at: impl Fn(f64) -> [BodyMotion; 2],
) -> Option<f64> {
    let negligible = NEGLIGIBLE * before.normal_force.max(after.normal_force);
    let points = before.points.iter().zip(&after.points);
    // +1 begins, −1 ends, 0 does neither.
    let sense = |(episode, (old, new)): (&Episode, (&PointForce, &PointForce))| {
        let touches = new.gap < 0.0;
        if touches == episode.touching || old.normal_force.max(new.normal_force) < negligible {
            0.0
        } else if touches {
            1.0
        } else {
            -1.0
        }
    };
    let senses = episodes.contacts().iter().zip(points).map(sense);
    if senses.clone().all(|sense| sense == 0.0) {
        return None;
    }
    let first = |share: f64| {
        let [a, b] = at(share);
        let gaps = pair.approaches(&a, &b).zip(senses.clone());
        let crossing = gaps.filter(|(_, sense)| *sense != 0.0);
        crossing.fold(f64::INFINITY, |least, (approach, sense)| {
            least.min(sense * approach.gap)
        })
    };
    let share = first_zero(first);
    (share > NEAR_AN_END && share < 1.0 - NEAR_AN_END).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_found_wherever_they_are() {
        for k in 1..100 {
            let root = f64::from(k) / 100.0;
            let curves: [&dyn Fn(f64) -> f64; 4] = [
                &|x| root - x,
                &|x| (root - x).powi(3),
                &|x| (root - x) * (1.0 + 50.0 * x),
                &|x| 1e-12 * (root * root - x * x),
            ];
            for (i, curve) in curves.iter().enumerate() {
                let found = first_zero(curve);
                assert!((found - root).abs() < 1e-7, "{i}: {found} {root}");
            }
        }
    }
}
