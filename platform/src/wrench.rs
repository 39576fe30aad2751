//! Wrenches on the end effector, and how a step of a time integrator feels them.
//!
//! A scheme evaluates forces at a few points of a step only. A push that starts or ends between
//! or at those points would lose part of its impulse, an error of first order in the step. Each
//! scheme therefore adds to its values what makes the impulse of the step right: with the weights
//! b_i of its points t_i over the step of length h,
//!
//! ```text
//! w_i = F(t_i) + m − Σ b_j F(t_j),     m = (1/h) ∫ F dt                         (1)
//! ```
//!
//! For a smooth wrench the correction is of the order of the scheme's own error.

use crate::body::BodyState;
use multibody::group::Group;
use multibody::model::{Interpolation, Signal};
use nalgebra::{Vector3, Vector6};

/// A wrench on the end effector's centre over time, world axes: force [N], then moment [N·m].
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct WrenchHistory(pub [Signal; 6]);

impl Default for WrenchHistory {
    fn default() -> Self {
        Self(core::array::from_fn(|_| Signal::Constant(0.0)))
    }
}

impl WrenchHistory {
    /// Force and moment at `time` [s].
    pub fn sample(&self, time: f64) -> (Vector3<f64>, Vector3<f64>) {
        split(&Vector6::from_fn(|i, _| self.0[i].sample(time).0))
    }
}

/// Force and moment of a wrench.
pub fn split(wrench: &Vector6<f64>) -> (Vector3<f64>, Vector3<f64>) {
    (
        wrench.fixed_rows::<3>(0).into(),
        wrench.fixed_rows::<3>(3).into(),
    )
}

pub(crate) use multibody::dynamics::grid::SAME_TIME;

/// A wrench that takes over from none at t = 0, as `count` equal steps of `h` [s] feel it: a table
/// of their ends, for solvers that look at a wrench there only.
pub fn felt(history: &WrenchHistory, h: f64, count: usize) -> WrenchHistory {
    let mut applied = AppliedWrench::default();
    applied.replace(history.clone(), 0.0);
    let times: Vec<f64> = (0..=count).map(|k| h * k as f64).collect();
    let steps = times.windows(2);
    let ends: Vec<_> = steps.map(|step| applied.at_end(step[0], step[1])).collect();
    WrenchHistory(core::array::from_fn(|i| Signal::Table {
        values: core::iter::once(0.0)
            .chain(ends.iter().map(|wrench| wrench[i]))
            .collect(),
        times: times.clone(),
        interpolation: Interpolation::Linear,
    }))
}

/// What an equilibrium leaves unbalanced is no jump [N, N·m].
const SMALLEST_JUMP: f64 = 1e-8;

/// The wrench that acts in a run: another history may replace it at any time.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct AppliedWrench {
    history: WrenchHistory,
    /// When the history took over [s].
    since: f64,
    /// The wrench before that.
    before: Vector6<f64>,
}

impl AppliedWrench {
    /// A wrench that was there before the run began, and goes on until a history replaces it.
    pub fn held(wrench: &Vector6<f64>) -> Self {
        Self {
            history: WrenchHistory(core::array::from_fn(|i| Signal::Constant(wrench[i]))),
            since: 0.0,
            before: *wrench,
        }
    }

    /// Another history takes over at `time` [s].
    pub fn replace(&mut self, history: WrenchHistory, time: f64) {
        if time > self.since {
            self.before = Vector6::from_fn(|i, _| self.history.0[i].sample(time).0);
        }
        *self = Self {
            history,
            since: time,
            before: self.before,
        };
    }

    /// The history.
    pub fn history(&self) -> &WrenchHistory {
        &self.history
    }

    /// Force and moment at `time` [s].
    pub fn sample(&self, time: f64) -> (Vector3<f64>, Vector3<f64>) {
        self.history.sample(time)
    }

    /// The wrench as seen from times before `time`; `slack` [s] is the rounding of times.
    fn left(&self, time: f64, slack: f64) -> Vector6<f64> {
        if time <= self.since + slack {
            return self.before;
        }
        Vector6::from_fn(|i, _| left_limit(&self.history.0[i], time, slack))
    }

    /// Eq. (1) for a scheme that weighs both ends of a step alike and evaluates its equations at
    /// the end: the wrench at the end of the step from `start` to `end` [s].
    pub fn at_end(&self, start: f64, end: f64) -> Vector6<f64> {
        let slack = SAME_TIME * (end - start);
        let last = self.left(end, slack);
        if self.is_constant() && start > self.since + slack {
            return last;
        }
        let first = self.left(start, slack);
        last + self.mean(start, end) - (first + last) * 0.5
    }

    /// Eq. (1) for points `times` [s] with `weights`, which add up to one, in the step from `start`
    /// to `end` [s]: as seen from inside the step.
    pub fn at_points<const M: usize>(
        &self,
        start: f64,
        end: f64,
        times: [f64; M],
        weights: [f64; M],
    ) -> [Vector6<f64>; M] {
        let slack = SAME_TIME * (end - start);
        let mut values = times.map(|time| {
            if time <= start + slack {
                Vector6::from_fn(|i, _| self.history.0[i].sample(start + slack).0)
            } else {
                self.left(time, slack)
            }
        });
        if self.is_constant() {
            return values;
        }
        let weigh = |sum, (value, weight): (&Vector6<f64>, f64)| sum + value * weight;
        let weighed = values.iter().zip(weights).fold(Vector6::zeros(), weigh);
        let correction = self.mean(start, end) - weighed;
        values.iter_mut().for_each(|value| *value += correction);
        values
    }

    /// First time between `start` and `end` [s], both left out, at which the wrench jumps.
    pub fn next_jump(&self, start: f64, end: f64, slack: f64) -> Option<f64> {
        next_jump(&self.history.0, start, end, slack)
    }

    /// True if another wrench was there before the history took over.
    pub fn begins_with_jump(&self) -> bool {
        let first = Vector6::from_fn(|i, _| self.history.0[i].sample(self.since).0);
        (first - self.before).amax() > SMALLEST_JUMP
    }

    fn is_constant(&self) -> bool {
        let constant = |signal: &Signal| matches!(signal, Signal::Constant(_));
        self.history.0.iter().all(constant)
    }

    fn mean(&self, start: f64, end: f64) -> Vector6<f64> {
        Vector6::from_fn(|i, _| mean(&self.history.0[i], start, end))
    }
}

/// Work [J] over a step of `length` [s] in which the end effector moves from one state to another,
/// of a wrench that was felt as `before` at the start and as `after` at the end, eq. (1).
pub fn work(
    before: &Vector6<f64>,
    after: &Vector6<f64>,
    from: &BodyState,
    to: &BodyState,
    length: f64,
) -> f64 {
    let (force, moment) = split(&((before + after) * 0.5));
    let way = to.pose.translation() - from.pose.translation();
    let turn = (spin(from) + spin(to)) * (0.5 * length);
    force.dot(&way) + moment.dot(&turn)
}

/// Angular velocity in world axes [rad/s].
fn spin(state: &BodyState) -> Vector3<f64> {
    state.pose.rotation() * state.velocity.fixed_rows::<3>(3)
}

/// First time between `start` and `end` [s], both left out, at which one of the signals jumps.
pub fn next_jump<'a>(
    signals: impl IntoIterator<Item = &'a Signal>,
    start: f64,
    end: f64,
    slack: f64,
) -> Option<f64> {
    let inside = |time: &f64| *time < end - slack;
    let first = |signal: &Signal| signal.next_jump(start + slack, end).filter(inside);
    let jumps = signals.into_iter().filter_map(first);
    jumps.reduce(f64::min)
}

/// True if a signal jumps where another replaces it at `time` [s], for pairs of old and new ones.
pub fn replacing_jumps<const N: usize>(pairs: [(&Signal, &Signal); N], time: f64) -> bool {
    let jumps = |(old, new): &(&Signal, &Signal)| old.sample_before(time) != new.sample(time);
    pairs.iter().any(jumps)
}

/// A signal as seen from times before `time` [s].
pub fn left_limit(signal: &Signal, time: f64, slack: f64) -> f64 {
    // A jump within the rounding of times before `time` counts as being there.
    let at = signal.next_jump(time - slack, time).unwrap_or(time);
    signal.sample_before(at).0
}

/// Nodes and weights of Gauss's rule with four points on [−1, 1].
const GAUSS: [(f64, f64); 4] = [
    (-0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
    (-0.339_981_043_584_856_3, 0.652_145_154_862_546_1),
    (0.339_981_043_584_856_3, 0.652_145_154_862_546_1),
    (0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
];

/// Mean of a signal over a step, smooth piece by smooth piece.
fn mean(signal: &Signal, start: f64, end: f64) -> f64 {
    let mut from = start;
    let mut sum = 0.0;
    let mut piece = |to: f64| {
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        for (node, weight) in GAUSS {
            sum += half * weight * signal.sample(middle + half * node).0;
        }
        from = to;
    };
    let inside = |kink: &f64| *kink > start && *kink < end;
    match signal {
        Signal::Constant(value) => return *value,
        Signal::Step { time, .. } => [*time].into_iter().filter(inside).for_each(&mut piece),
        Signal::Ramp {
            start, duration, ..
        } => [*start, start + duration]
            .into_iter()
            .filter(inside)
            .for_each(&mut piece),
        Signal::Sine { .. } => {}
        Signal::Chirp { duration, .. } => [0.0, *duration]
            .into_iter()
            .filter(inside)
            .for_each(&mut piece),
        Signal::Table { times, .. } => {
            let from = times.partition_point(|&time| time <= start);
            let kinks = times[from..].iter().copied();
            kinks.take_while(inside).for_each(&mut piece);
        }
    }
    piece(end);
    sum / (end - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounding of a few sums.
    const ROUNDING: f64 = 1e-12;

    fn along_x(signal: Signal) -> WrenchHistory {
        let mut history = WrenchHistory::default();
        history.0[0] = signal;
        history
    }

    fn push() -> Signal {
        Signal::Step {
            time: 0.05,
            before: 20.0,
            after: 0.0,
        }
    }

    /// A wrench that is there from the start acts from the start: the first step makes up for the
    /// rest before it.
    #[test]
    fn impulse_of_a_push_is_exact_on_and_off_the_grid() {
        for h in [1e-3, 0.7e-3, 2.3e-3] {
            let mut applied = AppliedWrench::default();
            applied.replace(along_x(push()), 0.0);
            let mut impulse = 0.0;
            for k in 0..100 {
                let (start, end) = (h * f64::from(k), h * f64::from(k + 1));
                impulse += h * applied.at_end(start, end)[0];
            }
            assert!((impulse - 1.0).abs() < ROUNDING, "{h}: {impulse}");
        }
    }

    #[test]
    fn impulse_at_collocation_points_is_exact() {
        let mut applied = AppliedWrench::default();
        applied.replace(along_x(push()), 0.0);
        let (times, weights) = ([1.0 / 3.0, 1.0], [0.75, 0.25]);
        for h in [1e-2, 0.7e-2] {
            let mut impulse = 0.0;
            for k in 0..30 {
                let (start, end) = (h * f64::from(k), h * f64::from(k + 1));
                let at = times.map(|c| start + c * h);
                let values = applied.at_points(start, end, at, weights);
                impulse += h * (values[0][0] * weights[0] + values[1][0] * weights[1]);
            }
            assert!((impulse - 1.0).abs() < ROUNDING, "{h}: {impulse}");
        }
    }

    #[test]
    fn table_with_steep_edges_keeps_its_impulse() {
        let table = Signal::Table {
            times: vec![0.01, 0.0101, 0.05, 0.0501],
            values: vec![0.0, 20.0, 20.0, 0.0],
            interpolation: Interpolation::Linear,
        };
        let mut applied = AppliedWrench::default();
        applied.replace(along_x(table), 0.0);
        let h = 1e-3;
        let steps = (0..100).map(|k| applied.at_end(h * f64::from(k), h * f64::from(k + 1))[0]);
        let impulse: f64 = steps.map(|value| value * h).sum();
        assert!((impulse - 0.8).abs() < ROUNDING, "{impulse}");
    }

    #[test]
    fn smooth_wrench_is_hardly_corrected() {
        let sine = Signal::Sine {
            offset: 0.0,
            amplitude: 1.0,
            frequency: 1.0,
            phase: 0.0,
        };
        let mut applied = AppliedWrench::default();
        applied.replace(along_x(sine.clone()), 0.0);
        let (start, end) = (0.1, 0.101);
        let corrected = applied.at_end(start, end)[0] - sine.sample(end).0;
        // h² F''/12 with F'' = (2π)².
        assert!(corrected.abs() < 1e-6 * 40.0 / 12.0, "{corrected}");
    }

    #[test]
    fn jumps_are_found_inside_a_step_only() {
        let history = along_x(push());
        let find = |start, end| next_jump(&history.0, start, end, 1e-9);
        assert_eq!(find(0.0, 0.1), Some(0.05));
        assert_eq!(find(0.05, 0.1), None);
        assert_eq!(find(0.0, 0.05), None);
    }
}
