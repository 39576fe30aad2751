//! Long Taylor series in double-double arithmetic (about 31 digits), the reference for `series`.

use core::ops::{Add, Div, Mul, Neg, Sub};

/// Terms kept. The slowest series here has the radius of convergence `(2π)²` and is asked for up
/// to `x = 14`, so what is left out is below `0.36^100 ≈ 1e-44`.
const TERMS: usize = 100;

/// An unevaluated sum of two `f64`, the second below half a unit in the last place of the first.
#[derive(Debug, Clone, Copy)]
pub struct Wide(f64, f64);

impl Wide {
    fn new(value: f64) -> Self {
        Self(value, 0.0)
    }

    fn from_sum(a: f64, b: f64) -> Self {
        let sum = a + b;
        let part = sum - a;
        Self(sum, (a - (sum - part)) + (b - part))
    }

    /// `(value − self) / self`, evaluated before rounding.
    pub fn relative_error_of(self, value: f64) -> f64 {
        self.error_of(value) / self.0
    }

    /// `value − self`, evaluated before rounding.
    pub fn error_of(self, value: f64) -> f64 {
        (Self::new(value) - self).0
    }
}

impl Add for Wide {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = Self::from_sum(self.0, other.0);
        Self::from_sum(high.0, high.1 + (self.1 + other.1))
    }
}

impl Neg for Wide {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl Sub for Wide {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Wide {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.0 * other.0;
        let low = self.0.mul_add(other.0, -high);
        Self::from_sum(high, low + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Div for Wide {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = Self::new(self.0 / other.0);
        let rest = self - first * other;
        let second = Self::new(rest.0 / other.0);
        let rest = rest - second * other;
        first + second + Self::new(rest.0 / other.0)
    }
}

/// A power series.
pub struct Taylor(Vec<Wide>);

impl Taylor {
    /// Stumpff function `c_k(x) = Σ (−x)ⁿ / (2n + k)!`.
    pub fn stumpff(k: usize) -> Self {
        let mut term = (2..=k).fold(Wide::new(1.0), |term, i| term / Wide::new(i as f64));
        let mut coefficients = Vec::with_capacity(TERMS);
        for n in 0..TERMS {
            coefficients.push(term);
            let i = 2 * n + k;
            term = -(term / Wide::new(((i + 1) * (i + 2)) as f64));
        }
        Self(coefficients)
    }

    /// `(1 − h cot h)/(4h²)` in `x = 4h²`, as the quotient of `(c_2 − c_3)(h²)` and `4 c_1(h²)`.
    pub fn cotangent_deficit() -> Self {
        let (c1, c2, c3) = (Self::stumpff(1), Self::stumpff(2), Self::stumpff(3));
        let mut quotient: Vec<Wide> = Vec::with_capacity(TERMS);
        for n in 0..TERMS {
            let known = (0..n).fold(c2.0[n] - c3.0[n], |sum, j| sum - quotient[j] * c1.0[n - j]);
            quotient.push(known / c1.0[0]);
        }
        let mut scale = Wide::new(0.25);
        for coefficient in &mut quotient {
            *coefficient = *coefficient * scale;
            scale = scale * Wide::new(0.25);
        }
        Self(quotient)
    }

    /// `Σ (−y)ⁿ / (2n + 1)`.
    pub fn arc_quotient() -> Self {
        let sign = |n| if n % 2 == 0 { 1.0 } else { -1.0 };
        Self(
            (0..TERMS)
                .map(|n| Wide::new(sign(n)) / Wide::new((2 * n + 1) as f64))
                .collect(),
        )
    }

    /// The series of the derivative.
    pub fn derivative(&self) -> Self {
        Self(
            (1..self.0.len())
                .map(|n| Wide::new(n as f64) * self.0[n])
                .collect(),
        )
    }

    /// The sum at `x`.
    pub fn at(&self, x: f64) -> Wide {
        self.0
            .iter()
            .rev()
            .fold(Wide::new(0.0), |sum, &c| sum * Wide::new(x) + c)
    }
}
