//! How the force of the tip went over a communication step: the cubic nearest to it.
//!
//! A master that looks at the ends of its steps only would see waves of the leaf as if they were
//! slow (aliasing). What a body feels of them is their impulse and its moments: with
//! s = (t − t₀)/H the coefficients of Legendre's polynomials,
//!
//! ```text
//! c_j = (2j + 1) ∫₀¹ f L_j ds,     f ≈ Σ c_j L_j                                (1)
//! L = 1,  2s − 1,  6s² − 6s + 1,  20s³ − 30s² + 12s − 1                         (2)
//! ```
//!
//! Reactions of the generalised-α method carry errors that change their sign from step to step and
//! die out with ρ∞ only; over few steps they look like a cubic, and a master would feed them back.
//! The mean of both ends of a step does not have them. So f is known by these means, and goes in
//! every step in a straight line with the slope between the means of its neighbours,
//!
//! ```text
//! f(s) = m_k + (s − s_k) (m_{k+1} − m_{k−1})/(s_{k+1} − s_{k−1})                (3)
//! ```
//!
//! (at either end of the communication step with the one neighbour there is), for which the integrals
//! are exact.

/// Number of coefficients.
pub const ORDERS: usize = 4;

/// Eq. (2).
fn legendre(s: f64) -> [f64; ORDERS] {
    [
        1.0,
        2.0 * s - 1.0,
        (6.0 * s - 6.0) * s + 1.0,
        ((20.0 * s - 30.0) * s + 12.0) * s - 1.0,
    ]
}

/// Nodes and weights of Gauss's rule with three points on [0, 1]: exact up to order five.
const GAUSS: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 5.0 / 18.0),
    (0.5, 8.0 / 18.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
];

/// Coefficients of three components, order by order, eq. (1).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Series(pub [[f64; 3]; ORDERS]);

impl Series {
    /// A force that does not change.
    pub fn constant(value: [f64; 3]) -> Self {
        let mut out = Self::default();
        out.0[0] = value;
        out
    }

    /// How the coefficients change per second if the step, now `length` seconds long, goes on with
    /// `force` at its end: `ċ_j = ((2j + 1)(f − Σ_{k<j} c_k) − (j + 1) c_j)/H`, from (1) and
    /// `s L_j′ = j L_j + Σ_{k<j} (2k + 1) L_k`.
    pub(super) fn rate(&self, force: &[f64; 3], length: f64) -> Self {
        let mut out = Self::default();
        for (i, force) in force.iter().enumerate() {
            let mut left = *force;
            for (j, (rate, c)) in out.0.iter_mut().zip(&self.0).enumerate() {
                let j = j as f64;
                rate[i] = ((2.0 * j + 1.0) * left - (j + 1.0) * c[i]) / length;
                left -= c[i];
            }
        }
        out
    }

    /// Writes as many of the coefficients as `out` takes.
    pub(super) fn write(&self, out: &mut [f64]) {
        for (out, value) in out.iter_mut().zip(self.0.as_flattened()) {
            *out = *value;
        }
    }

    /// Adds a piece of the step, eq. (3).
    fn add(&mut self, piece: &Piece, slope: &[f64; 3]) {
        for (x, weight) in GAUSS {
            let off = (x - 0.5) * piece.length;
            let polynomials = legendre(piece.middle + off);
            for (j, (row, value)) in self.0.iter_mut().zip(polynomials).enumerate() {
                let share = (2 * j + 1) as f64 * piece.length * weight * value;
                for (i, sum) in row.iter_mut().enumerate() {
                    *sum += share * (piece.mean[i] + slope[i] * off);
                }
            }
        }
    }
}

/// A piece of the communication step: one step of the solver.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    /// s_k.
    middle: f64,
    length: f64,
    /// m_k.
    mean: [f64; 3],
}

impl Piece {
    /// Slope from the mean of this piece to that of another.
    fn slope_to(&self, other: &Self) -> [f64; 3] {
        let way = other.middle - self.middle;
        core::array::from_fn(|i| (other.mean[i] - self.mean[i]) / way)
    }
}

/// A series under way, step by step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Recording {
    /// Of all pieces but the last.
    series: Series,
    /// The last piece but one, and the last one.
    pieces: [Option<Piece>; 2],
}

impl Recording {
    /// The force goes on from `span[0]` to `span[1]` of the communication step, with the values
    /// `ends`.
    pub fn add(&mut self, span: [f64; 2], ends: [&[f64; 3]; 2]) {
        let next = Piece {
            middle: 0.5 * (span[0] + span[1]),
            length: span[1] - span[0],
            mean: core::array::from_fn(|i| 0.5 * (ends[0][i] + ends[1][i])),
        };
        let [before, last] = self.pieces;
        if let Some(last) = last {
            let before = before.unwrap_or(last);
            self.series.add(&last, &before.slope_to(&next));
        }
        self.pieces = [last, Some(next)];
    }

    /// The series of what was added.
    pub fn series(&self) -> Series {
        let mut out = self.series;
        match self.pieces {
            [_, None] => {}
            [None, Some(only)] => out.add(&only, &[0.0; 3]),
            [Some(before), Some(last)] => out.add(&last, &before.slope_to(&last)),
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The series of a force that is looked at `count` times.
    fn looked_at(count: usize, force: impl Fn(f64) -> f64) -> Series {
        let mut out = Recording::default();
        for k in 0..count {
            let span = [k, k + 1].map(|k| k as f64 / count as f64);
            let [from, to] = span.map(|s| [force(s), 0.0, -force(s)]);
            out.add(span, [&from, &to]);
        }
        out.series()
    }

    #[test]
    fn straight_line_is_exact() {
        for count in [2, 3, 7] {
            let Series(found) = looked_at(count, |s| 3.0 + 4.0 * (2.0 * s - 1.0));
            for (row, wanted) in found.iter().zip([3.0, 4.0, 0.0, 0.0]) {
                assert!((row[0] - wanted).abs() < 1e-13 && row[1] == 0.0);
                assert!((row[2] + wanted).abs() < 1e-13);
            }
        }
    }

    /// Looks at a cubic see it with an error that falls with the square of their distance.
    #[test]
    fn cubic_is_seen_with_second_order() {
        let wanted = [1.0, -2.0, 0.5, 3.0];
        let cubic = |s| -> f64 { legendre(s).iter().zip(wanted).map(|(l, c)| l * c).sum() };
        let error = |count| {
            let Series(found) = looked_at(count, cubic);
            let errors = found.iter().zip(wanted).map(|(row, c)| (row[0] - c).abs());
            errors.fold(0.0, f64::max)
        };
        let order = (error(20) / error(40)).log2();
        assert!((order - 2.0).abs() < 0.05 && error(40) < 0.02, "{order}");
    }

    /// One step knows no more than the mean.
    #[test]
    fn one_step_has_a_mean_only() {
        let Series(found) = looked_at(1, |s| 3.0 + s);
        let wanted = [3.5, 0.0, 0.0, 0.0];
        for (row, wanted) in found.iter().zip(wanted) {
            assert!((row[0] - wanted).abs() < 1e-14, "{found:?}");
        }
    }

    /// Errors that change their sign from step to step leave no trace.
    #[test]
    fn alternating_values_leave_nothing() {
        for count in 1..9 {
            let zigzag = |s: f64| {
                if (s * count as f64).round() % 2.0 == 0.0 {
                    1.0
                } else {
                    -1.0
                }
            };
            assert_eq!(looked_at(count, zigzag), Series::default(), "{count}");
        }
    }

    /// A wave too fast for the cubic leaves nothing of what a look at the end would see.
    #[test]
    fn fast_wave_averages_out() {
        let wave = |s: f64| (2.0 * core::f64::consts::PI * 8.0 * s).cos();
        let Series(found) = looked_at(200, wave);
        assert!(found.iter().all(|row| row[0].abs() < 0.05), "{found:?}");
    }

    /// The series of the same force over a step that goes on.
    #[test]
    fn rate_is_that_of_a_longer_step() {
        let force = |t: f64| (5.0 * t).sin() + t * t;
        let over = |length: f64| looked_at(4000, |s| force(s * length));
        let (length, more) = (0.8, 1e-4);
        let value = force(length);
        let rate = over(length).rate(&[value, 0.0, -value], length);
        let (long, short) = (over(length + more), over(length - more));
        for j in 0..ORDERS {
            let slope = (long.0[j][0] - short.0[j][0]) / (2.0 * more);
            assert!((rate.0[j][0] - slope).abs() < 1e-4, "{j}: {rate:?} {slope}");
        }
    }
}
