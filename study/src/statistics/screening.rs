//! Screening by elementary effects, on a radial design.
//!
//! With A_m a point, A_m^i the same with coordinate i from another point B_m and u the coordinates in
//! the unit cube (`morris1991`, `campolongo2011`),
//!
//! ```text
//! E_i = (f(A^i) − f(A)) / (u_i(B) − u_i(A)),   μ*_i = mean |E_i|,   σ_i = deviation of E_i    (1)
//! ```
//!
//! μ* says how much an input matters, in units of the figure over the whole range of the input; a σ
//! that is large against it says that its effect is curved or depends on other inputs. Effects over
//! steps below [`SHORTEST`] are left out: they amplify noise.

use super::Interval;
use super::design::Dependence;

/// Shortest step that an effect is taken from.
const SHORTEST: f64 = 0.05;

/// Fewest effects whose interval is told: that of four held in 84 % (docs/coverage.md).
const FEWEST_EFFECTS: usize = 8;

/// How much an input matters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementaryEffects {
    /// Mean of the magnitudes.
    pub mean_magnitude: f64,
    /// Its interval; none of fewer than eight effects.
    pub interval: Option<Interval>,
    /// Standard deviation of the effects.
    pub std_dev: f64,
    /// Effects it is from.
    pub count: u64,
}

/// The effects of all inputs: `values` of the runs of a radial design, in order, NaN where they are
/// missing; `point` gives the coordinates of a run in the unit cube.
pub fn elementary_effects(
    values: &[f64],
    inputs: usize,
    point: impl Fn(u64) -> Vec<f64>,
    confidence: f64,
) -> Vec<ElementaryEffects> {
    let mut effects: Vec<Vec<f64>> = vec![Vec::new(); inputs];
    for (group, values) in values.chunks_exact(inputs + 1).enumerate() {
        let first = (group * (inputs + 1)) as u64;
        let base = point(first);
        for (i, effects) in effects.iter_mut().enumerate() {
            let moved = point(first + i as u64 + 1);
            let step = moved[i] - base[i];
            let change = values[i + 1] - values[0];
            if step.abs() >= SHORTEST && change.is_finite() {
                effects.push(change / step); // (1)
            }
        }
    }
    let summed_up = |effects: &Vec<f64>| {
        let n = effects.len() as f64;
        let mean = effects.iter().sum::<f64>() / n;
        let magnitude = effects.iter().map(|e| e.abs()).sum::<f64>() / n;
        let square = effects.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let influences = effects.iter().map(|e| (e.abs() - magnitude) / n);
        ElementaryEffects {
            mean_magnitude: magnitude,
            interval: Dependence::independent(effects.len())
                .interval(magnitude, influences, confidence)
                .filter(|_| effects.len() >= FEWEST_EFFECTS),
            std_dev: square.sqrt(),
            count: effects.len() as u64,
        }
    };
    effects.iter().map(summed_up).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::random::{Generator, Stream};

    /// y = 3 u0 − u1 + 4 u2 u3: μ* is 3, 1, 4 E[u] = 2 and 2; σ is 0, 0 and 4/√12 twice.
    #[test]
    fn effects_of_a_plane_and_of_a_product() {
        let draw = |d: u32, i: u64| Generator::new(2).uniform(Stream::MonteCarlo, d, i);
        let point = |run: u64| -> Vec<f64> {
            let (group, member) = (run / 5, (run % 5) as u32);
            (0..4)
                .map(|j| draw(if member == j + 1 { j + 4 } else { j }, group))
                .collect()
        };
        let figure = |u: &[f64]| 3.0 * u[0] - u[1] + 4.0 * u[2] * u[3];
        let values: Vec<f64> = (0..5 * 2000).map(|run| figure(&point(run))).collect();
        let found = elementary_effects(&values, 4, point, 0.95);
        for (found, (magnitude, std_dev)) in
            found
                .iter()
                .zip([(3.0, 0.0), (1.0, 0.0), (2.0, 1.1547), (2.0, 1.1547)])
        {
            assert!((found.mean_magnitude - magnitude).abs() < 0.1, "{found:?}");
            assert!((found.std_dev - std_dev).abs() < 0.06, "{found:?}");
            assert!(found.count > 1700 && found.interval.is_some());
        }
        let few = elementary_effects(&values[..20], 4, point, 0.95);
        assert!(few.iter().all(|found| found.interval.is_none()));
    }
}
