//! A cable that runs over guides in straight segments, with friction at the guides.
//!
//! Points P_0 … P_n on bodies, of which the inner ones are guides; segment j from P_j to P_{j+1} has the
//! length ℓ_j, the direction u_j and the tension T_j. With L = Σ ℓ_j and s of `force` eq. (3):
//!
//! ```text
//! T̄ = s(k (L − L0) + c L̇)                                                      (1)
//! T_{i−1}/T_i = exp(μ_i β_i tanh(v_i/v_t)),   β_i = angle of u_{i−1} and u_i      (2)
//! v_i = Σ_{j<i} (ℓ̇_j − ℓ_j L̇/L)                                                (3)
//! Σ T_j ℓ_j = T̄ L                                                              (4)
//! F_i = T_i u_i − T_{i−1} u_{i−1}                                               (5)
//! ```
//!
//! (2) is Euler's and Eytelwein's formula for a cable that slides over the guide with the speed v_i, smooth
//! through rest; (3) is the speed of the cable towards P_0 if it is stretched evenly, and (4) says that the
//! stretch of a cable of one stiffness is the sum of those of its segments. Σ T_j ℓ̇_j = T̄ L̇ + Σ v_i (T_{i−1} − T_i),
//! so guides only dissipate. The energy stored is ½ k (L − L0)₊²; what else the cable absorbs is dissipated.
//!
//! Derivatives of (5) by places and velocities of the points come from the same lines evaluated over
//! [`Dual`]. Source of (2): Euler 1769, in any book on machine elements.

use super::force::PointOn;
use super::program::Number;
use crate::error::{Result, require};
use crate::math;

/// Most points of a cable, ends included.
pub const MOST_POINTS: usize = 8;
/// Places and velocities of the points.
const VARIABLES: usize = 6 * MOST_POINTS;

/// A cable over guides.
#[derive(Debug, Clone, PartialEq)]
pub struct Cable<const D: usize> {
    /// Name for messages.
    pub name: String,
    /// First end, guides, last end.
    pub points: Vec<PointOn<D>>,
    /// μ of every guide.
    pub guide_friction: Vec<f64>,
    /// k [N/m].
    pub stiffness: f64,
    /// L0 [m].
    pub rest_length: f64,
    /// c [N·s/m].
    pub damping: f64,
    /// v_t [m/s].
    pub transition_speed: f64,
    /// Half width of the rounded corner at zero tension [N].
    pub slack_width: f64,
}

/// A cable in a model.
#[derive(Debug, Clone)]
pub(crate) struct MountedCable<const D: usize> {
    pub cable: Cable<D>,
    /// Coupling of points i < j, in the order (0, 1), (0, 2), …; none on one node or on none.
    pub couplings: Vec<Option<usize>>,
}

/// What a cable does at a motion.
#[derive(Debug, Clone, Copy)]
pub struct CableResponse<T, const D: usize> {
    /// Forces on the points, eq. (5) [N].
    pub forces: [[T; D]; MOST_POINTS],
    /// Tensions of the segments [N].
    pub tensions: [T; MOST_POINTS],
    /// L [m].
    pub length: f64,
    /// L̇ [m/s].
    pub rate: f64,
    /// Energy stored [J].
    pub energy: f64,
    /// Power dissipated [W].
    pub power: f64,
}

/// A number with its derivatives by all places and velocities.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dual {
    pub value: f64,
    pub by: [f64; VARIABLES],
}

impl Dual {
    /// Variable number `index` with its value.
    pub(crate) fn variable(value: f64, index: usize) -> Self {
        let mut by = [0.0; VARIABLES];
        by[index] = 1.0;
        Self { value, by }
    }
}

impl Number for Dual {
    fn constant(value: f64) -> Self {
        Self {
            value,
            by: [0.0; VARIABLES],
        }
    }
    fn value(self) -> f64 {
        self.value
    }
    fn chain(self, f: f64, first: f64, _second: f64) -> Self {
        Self {
            value: f,
            by: self.by.map(|d| first * d),
        }
    }
    fn plus(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            by: core::array::from_fn(|i| self.by[i] + other.by[i]),
        }
    }
    fn times(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            by: core::array::from_fn(|i| self.by[i] * other.value + self.value * other.by[i]),
        }
    }
}

fn scaled<T: Number>(x: T, factor: f64) -> T {
    x.chain(factor * x.value(), factor, 0.0)
}

fn minus<T: Number>(a: T, b: T) -> T {
    a.plus(scaled(b, -1.0))
}

fn dot<T: Number, const D: usize>(a: &[T; D], b: &[T; D]) -> T {
    (0..D).fold(T::constant(0.0), |sum, i| sum.plus(a[i].times(b[i])))
}

fn inverse<T: Number>(x: T) -> T {
    let y = 1.0 / x.value();
    x.chain(y, -y * y, 2.0 * y * y * y)
}

/// √x, with slope zero at zero: a wrap angle that begins has no direction yet.
fn root<T: Number>(x: T) -> T {
    let y = x.value().max(0.0).sqrt();
    let slope = if y > 1e-12 { 0.5 / y } else { 0.0 };
    x.chain(y, slope, 0.0)
}

/// Lengths, rates and directions of the segments.
struct Segments<T, const D: usize> {
    length: [T; MOST_POINTS],
    rate: [T; MOST_POINTS],
    direction: [[T; D]; MOST_POINTS],
}

impl<const D: usize> Cable<D> {
    fn segments<T: Number>(&self, x: &[[T; D]], v: &[[T; D]]) -> Segments<T, D> {
        let zero = T::constant(0.0);
        let mut out = Segments {
            length: [zero; MOST_POINTS],
            rate: [zero; MOST_POINTS],
            direction: [[zero; D]; MOST_POINTS],
        };
        for j in 0..self.points.len() - 1 {
            let d: [T; D] = core::array::from_fn(|i| minus(x[j + 1][i], x[j][i]));
            let w: [T; D] = core::array::from_fn(|i| minus(v[j + 1][i], v[j][i]));
            // Points that meet pull nowhere.
            let length = root(dot(&d, &d).plus(T::constant(1e-24)));
            let shrink = inverse(length);
            let u = d.map(|d| d.times(shrink));
            out.length[j] = length;
            out.rate[j] = dot(&u, &w);
            out.direction[j] = u;
        }
        out
    }

    /// Weights T_j/T̄, eqs. (2) to (4).
    fn shares<T: Number>(&self, at: &Segments<T, D>, length: T, rate: T) -> [T; MOST_POINTS] {
        let mut shares = [T::constant(1.0); MOST_POINTS];
        let last = self.points.len() - 1;
        let stretch = rate.times(inverse(length));
        let mut speed = T::constant(0.0);
        for (guide, &mu) in (1..last).zip(&self.guide_friction) {
            let before = guide - 1;
            speed = speed.plus(minus(at.rate[before], at.length[before].times(stretch))); // (3)
            let (u, w) = (&at.direction[before], &at.direction[guide]);
            let apart: [T; D] = core::array::from_fn(|i| minus(w[i], u[i]));
            let half = scaled(root(dot(&apart, &apart)), 0.5);
            let sine = half.value().min(1.0);
            let slope = 2.0 / (1.0 - sine * sine).sqrt().max(1e-9);
            let wrap = half.chain(2.0 * math::asin(sine), slope, 0.0);
            let t = math::tanh(speed.value() / self.transition_speed);
            let sense = speed.chain(t, (1.0 - t * t) / self.transition_speed, 0.0);
            let exponent = scaled(wrap.times(sense), -mu);
            let ratio = math::exp(exponent.value());
            shares[guide] = shares[before].times(exponent.chain(ratio, ratio, ratio)); // (2)
        }
        let weighted = (0..last).fold(T::constant(0.0), |sum, j| {
            sum.plus(shares[j].times(at.length[j]))
        });
        let norm = length.times(inverse(weighted)); // (4)
        shares.map(|share| share.times(norm))
    }

    /// Forces at the places `x` [m] and velocities `v` [m/s] of the points, world axes.
    pub(crate) fn respond<T: Number>(&self, x: &[[T; D]], v: &[[T; D]]) -> CableResponse<T, D> {
        let zero = T::constant(0.0);
        let at = self.segments(x, v);
        let last = self.points.len() - 1;
        let sum = |list: &[T]| list[..last].iter().fold(zero, |sum, part| sum.plus(*part));
        let (length, rate) = (sum(&at.length), sum(&at.rate));
        let shares = self.shares(&at, length, rate);
        let stretch = length.plus(T::constant(-self.rest_length));
        let pull = scaled(stretch, self.stiffness).plus(scaled(rate, self.damping));
        let (tension, slope) = super::force::positive_part(pull.value(), self.slack_width);
        let mean = pull.chain(tension, slope, 0.0); // (1)
        let mut out = CableResponse {
            forces: [[zero; D]; MOST_POINTS],
            tensions: [zero; MOST_POINTS],
            length: length.value(),
            rate: rate.value(),
            energy: 0.0,
            power: 0.0,
        };
        for (j, share) in shares.iter().enumerate().take(last) {
            let tension = mean.times(*share);
            out.tensions[j] = tension;
            for i in 0..D {
                let pull = tension.times(at.direction[j][i]);
                out.forces[j][i] = out.forces[j][i].plus(pull); // (5)
                out.forces[j + 1][i] = minus(out.forces[j + 1][i], pull);
            }
            out.power += tension.value() * at.rate[j].value();
        }
        let taut = stretch.value().max(0.0);
        out.energy = 0.5 * self.stiffness * taut * taut;
        out.power -= self.stiffness * taut * rate.value();
        out
    }

    pub(crate) fn validate(&self) -> Result<()> {
        let name = &self.name;
        let count = self.points.len();
        let ok = (2..=MOST_POINTS).contains(&count);
        require(ok, name, "number of points", count as f64, "2 to 8")?;
        let guides = self.guide_friction.len();
        require(
            guides + 2 == count,
            name,
            "number of friction coefficients",
            guides as f64,
            "one per guide",
        )?;
        for &mu in &self.guide_friction {
            require(mu >= 0.0, name, "friction of a guide", mu, ">= 0")?;
        }
        require(
            self.stiffness >= 0.0,
            name,
            "stiffness",
            self.stiffness,
            ">= 0",
        )?;
        require(
            self.rest_length >= 0.0,
            name,
            "rest length",
            self.rest_length,
            ">= 0",
        )?;
        require(self.damping >= 0.0, name, "damping", self.damping, ">= 0")?;
        require(
            self.transition_speed > 0.0,
            name,
            "transition speed",
            self.transition_speed,
            "> 0",
        )?;
        require(
            self.slack_width > 0.0,
            name,
            "slack width",
            self.slack_width,
            "> 0",
        )
    }
}
