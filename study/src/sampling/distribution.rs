//! Distributions of the inputs, by their quantile functions.
//!
//! With u uniform on (0, 1):
//!
//! ```text
//! uniform            x = a + u (b − a)                                                     (1)
//! normal             x = μ + σ Φ⁻¹(u)                                                      (2)
//! truncated normal   x = μ + σ Φ⁻¹(Φ(α) + u (Φ(β) − Φ(α))),  α = (a − μ)/σ, β = (b − μ)/σ   (3)
//! arcsine            x = (a + b)/2 − (b − a)/2 cos(π u)                                    (4)
//! log-uniform        x = exp(ln a + u (ln b − ln a))                                       (5)
//! choice             x = v_j,  j the first with u < w_1 + … + w_j                          (6)
//! lognormal          x = exp(μ + σ Φ⁻¹(u)),  μ and σ of the logarithm                      (7)
//! triangular         x = a + √(u (b − a)(c − a)) below the mode c, mirrored above            (8)
//! beta               x = a + (b − a) I⁻¹_u(α, β)                                           (9)
//! Weibull            x = a + λ (−ln(1 − u))^(1/k)                                          (10)
//! tabulated          linear between the sorted values, at u (n − 1)                        (11)
//! ```
//!
//! The arcsine distribution puts most of its mass at the edges: a third within 7 % of the width from
//! one of them.

use super::normal;
use crate::statistics::special::beta_quantile;
use crate::value::{Kind, Value};

/// A distribution of an input, validated.
#[derive(Debug, Clone, PartialEq)]
pub enum Distribution {
    /// Uniform between two numbers.
    Uniform {
        /// Lower end.
        min: f64,
        /// Upper end.
        max: f64,
    },
    /// Normal.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        std_dev: f64,
    },
    /// Normal, cut off at two numbers, which may be infinite.
    TruncatedNormal {
        /// Mean before cutting.
        mean: f64,
        /// Standard deviation before cutting.
        std_dev: f64,
        /// Lower end.
        min: f64,
        /// Upper end.
        max: f64,
    },
    /// Arcsine between two numbers, which weights the edges.
    Arcsine {
        /// Lower end.
        min: f64,
        /// Upper end.
        max: f64,
    },
    /// Uniform in the logarithm.
    LogUniform {
        /// Lower end, positive.
        min: f64,
        /// Upper end.
        max: f64,
    },
    /// One of several values.
    Choice {
        /// The values, all of one kind.
        values: Vec<Value>,
        /// Cumulative probabilities; the last is one.
        cumulative: Vec<f64>,
    },
    /// Its logarithm is normal.
    Lognormal {
        /// Mean of the logarithm.
        log_mean: f64,
        /// Standard deviation of the logarithm.
        log_std_dev: f64,
    },
    /// A density that rises to the mode and falls behind it.
    Triangular {
        /// Lower end.
        min: f64,
        /// Most likely value.
        mode: f64,
        /// Upper end.
        max: f64,
    },
    /// Beta between two numbers.
    Beta {
        /// Lower end.
        min: f64,
        /// Upper end.
        max: f64,
        /// First exponent.
        alpha: f64,
        /// Second exponent.
        beta: f64,
    },
    /// Weibull above a number.
    Weibull {
        /// Lower end.
        min: f64,
        /// Scale.
        scale: f64,
        /// Shape.
        shape: f64,
    },
    /// As the given values are distributed, linear between them.
    Tabulated {
        /// The values, sorted.
        values: Vec<f64>,
    },
    /// One of several inputs that are limited together; its values come from all of them.
    Joint {
        /// Limit of their length.
        radius: f64,
    },
    /// Values of a design that was made elsewhere; how they are distributed is not known.
    Listed {
        /// Kind of the values.
        kind: Kind,
    },
}

impl Distribution {
    /// Levels from `from` to `to`, both included, equally likely.
    pub fn range(from: f64, to: f64, count: u32, logarithmic: bool) -> Self {
        let last = f64::from(count.max(2) - 1);
        let level = |j: u32| {
            let share = f64::from(j) / last;
            match j {
                0 => from,
                _ if j + 1 == count => to,
                _ if logarithmic => {
                    libm::exp(libm::log(from) + share * (libm::log(to) - libm::log(from)))
                }
                _ => from + share * (to - from),
            }
        };
        Self::choice((0..count).map(|j| Value::Real(level(j))).collect(), None)
    }

    /// One of `values`, equally likely or with the given weights.
    pub fn choice(values: Vec<Value>, weights: Option<&[f64]>) -> Self {
        let total: f64 = weights.map_or(values.len() as f64, |w| w.iter().sum());
        let mut sum = 0.0;
        let mut cumulative: Vec<f64> = (0..values.len())
            .map(|j| {
                sum += weights.map_or(1.0, |w| w[j]);
                sum / total
            })
            .collect();
        // From the last value that can be drawn on, so that rounding leaves no gap below one.
        let last = (0..values.len())
            .rev()
            .find(|&j| weights.is_none_or(|w| w[j] > 0.0));
        for probability in cumulative.iter_mut().skip(last.unwrap_or(0)) {
            *probability = 1.0;
        }
        Self::Choice { values, cumulative }
    }

    /// Kind of the values.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Choice { values, .. } => values.first().map_or(Kind::Real, Value::kind),
            Self::Listed { kind } => *kind,
            _ => Kind::Real,
        }
    }

    /// The values of a choice.
    pub fn levels(&self) -> Option<&[Value]> {
        match self {
            Self::Choice { values, .. } => Some(values),
            _ => None,
        }
    }

    /// The ends between which the values of a continuous distribution lie; infinite for a normal one,
    /// NaN for a choice.
    pub fn ends(&self) -> (f64, f64) {
        match *self {
            Self::Lognormal { .. } => (0.0, f64::INFINITY),
            Self::Weibull { min, .. } => (min, f64::INFINITY),
            Self::Tabulated { ref values } => {
                let end = |value: Option<&f64>| value.copied().unwrap_or(f64::NAN);
                (end(values.first()), end(values.last()))
            }
            Self::Joint { radius } => (-radius, radius),
            Self::Uniform { min, max }
            | Self::Triangular { min, max, .. }
            | Self::Beta { min, max, .. }
            | Self::Arcsine { min, max }
            | Self::LogUniform { min, max }
            | Self::TruncatedNormal { min, max, .. } => (min, max),
            Self::Normal { .. } => (f64::NEG_INFINITY, f64::INFINITY),
            Self::Choice { .. } | Self::Listed { .. } => (f64::NAN, f64::NAN),
        }
    }

    /// The value that is not exceeded with probability `u`, which lies in the open interval (0, 1).
    pub fn quantile(&self, u: f64) -> Value {
        match self {
            Self::Choice { values, cumulative } => {
                let index = cumulative
                    .partition_point(|&c| c <= u)
                    .min(values.len() - 1); // (6)
                values[index].clone()
            }
            continuous => Value::Real(continuous.real_quantile(u)),
        }
    }

    /// The value at the normal score `z`, that is at the probability Φ(z).
    pub fn at_score(&self, z: f64) -> Value {
        const LOWEST: f64 = f64::MIN_POSITIVE;
        const HIGHEST: f64 = 1.0 - f64::EPSILON / 2.0;
        match self {
            Self::Normal { mean, std_dev } => Value::Real(mean + std_dev * z),
            other => other.quantile(normal::cdf(z).clamp(LOWEST, HIGHEST)),
        }
    }

    fn real_quantile(&self, u: f64) -> f64 {
        match *self {
            Self::Uniform { min, max } => (min + u * (max - min)).clamp(min, max), // (1)
            Self::Normal { mean, std_dev } => mean + std_dev * normal::quantile(u), // (2)
            Self::TruncatedNormal {
                mean,
                std_dev,
                min,
                max,
            } => {
                let (alpha, beta) = ((min - mean) / std_dev, (max - mean) / std_dev);
                (mean + std_dev * truncated_score(alpha, beta, u)).clamp(min, max)
            }
            Self::Arcsine { min, max } => {
                let (centre, half) = (0.5 * (min + max), 0.5 * (max - min));
                (centre - half * libm::cos(std::f64::consts::PI * u)).clamp(min, max) // (4)
            }
            Self::LogUniform { min, max } => {
                let (low, high) = (libm::log(min), libm::log(max));
                libm::exp(low + u * (high - low)).clamp(min, max) // (5)
            }
            Self::Lognormal {
                log_mean,
                log_std_dev,
            } => libm::exp(log_mean + log_std_dev * normal::quantile(u)), // (7)
            Self::Triangular { min, mode, max } => {
                let below = (mode - min) / (max - min);
                let x = if u < below {
                    min + (u * (max - min) * (mode - min)).sqrt() // (8)
                } else {
                    max - ((1.0 - u) * (max - min) * (max - mode)).sqrt()
                };
                x.clamp(min, max)
            }
            Self::Beta {
                min,
                max,
                alpha,
                beta,
            } => (min + (max - min) * beta_quantile(alpha, beta, u)).clamp(min, max), // (9)
            Self::Weibull { min, scale, shape } => {
                min + scale * libm::pow(-libm::log1p(-u), 1.0 / shape) // (10)
            }
            Self::Tabulated { ref values } => {
                let h = u * (values.len() - 1) as f64; // (11)
                let j = (h.floor() as usize).min(values.len() - 2);
                values[j] + (h - j as f64) * (values[j + 1] - values[j])
            }
            Self::Choice { .. } | Self::Listed { .. } | Self::Joint { .. } => f64::NAN,
        }
    }
}

/// Probability between two normal scores, accurate in both tails.
pub(crate) fn mass_between(alpha: f64, beta: f64) -> f64 {
    if alpha > 0.0 {
        normal::cdf(-alpha) - normal::cdf(-beta)
    } else {
        normal::cdf(beta) - normal::cdf(alpha)
    }
}

/// Equation (3), taken from whichever tail is nearer so that nothing cancels.
fn truncated_score(alpha: f64, beta: f64, u: f64) -> f64 {
    let mass = mass_between(alpha, beta);
    let below = normal::cdf(alpha) + u * mass;
    let above = normal::cdf(-beta) + (1.0 - u) * mass;
    if below < above {
        normal::quantile(below)
    } else {
        -normal::quantile(above)
    }
}

#[cfg(test)]
mod tests;
