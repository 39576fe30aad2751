//! The leaf as an inextensible elastica between two hinges: thrust, energy and shape from the chord.
//!
//! With the thrust P, λ = √(P/EI), the modulus k = sin(α/2) of the end angle α, m = k², and s counted
//! from the middle of the leaf (Love, *Mathematical Theory of Elasticity*, art. 263):
//!
//! ```text
//! P L²/EI = 4 K²,     c/L = 2 E/K − 1,     sag/L = k/K                            (1)
//! U L/EI = 4 K² (c/L − cos α),     dU/dc = −P                                     (2)
//! sin(θ/2) = k sn(u),   x = (2 ℰ(u) − u)/λ,   y = sag cn(u),   u = λ s            (3)
//! mean of y over the leaf: ȳ/L = α/(2 K²)                                         (4)
//! ```
//!
//! K and E are the complete elliptic integrals, ℰ is Jacobi's epsilon; all follow from the
//! arithmetic-geometric mean (Abramowitz and Stegun, 17.6). (2) is the first integral
//! `½ EI κ² = P (cos θ − cos α)` summed over the leaf; (4) follows from `EI κ = P y`.
//!
//! P L²/EI and (ȳ/L)² are smooth functions of r = c/L, the same for every leaf: [`ThrustLaw`] has them
//! as Chebyshev series on [0.02, 1], which end at rounding (the nearest singularity is r = −1).
//! Beyond c = L the leaf is straight and stretched: `P = π² EI/L² − EA (c/L − 1)`.
//!
//! Stretching and shear of the bowed leaf are left out: they change P by about P/EA + P/GA, 1.4e-5 of
//! the default leaf.
//!
//! Units: lengths [m], P [N], EI [N·m²], EA [N], U [J]; angles [rad].

use core::f64::consts::PI;
use multibody::math;
use std::sync::OnceLock;

/// Shortest chord of the law, as a fraction of the leaf's length.
pub const SHORTEST: f64 = 0.02;
/// Terms of a series.
const TERMS: usize = 22;
/// Most steps of Newton's method for the modulus.
const MOST_STEPS: usize = 60;
/// Most steps of the arithmetic-geometric mean: it doubles the digits each time.
const MEANS: usize = 9;

/// Complete elliptic integrals K and E of the parameter m = k².
pub fn complete_integrals(m: f64) -> (f64, f64) {
    let (mut a, mut b) = (1.0_f64, (1.0 - m).sqrt());
    let (mut sum, mut power) = (0.5 * m, 0.5);
    for _ in 0..MEANS {
        let c = 0.5 * (a - b);
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        power *= 2.0;
        sum += power * c * c;
        if c.abs() <= f64::EPSILON * a {
            break;
        }
    }
    let k = 0.5 * PI / a;
    (k, k * (1.0 - sum))
}

/// The elastica at one chord.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elastica {
    /// Parameter m = sin²(α/2).
    pub parameter: f64,
    /// K(m).
    pub complete_first: f64,
    /// E(m).
    pub complete_second: f64,
}

/// A point of the elastica, in units of its length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElasticaPoint {
    /// Along the chord from A.
    pub along: f64,
    /// Away from the chord.
    pub away: f64,
    /// Angle of the tangent against the chord, positive where the leaf leaves it [rad].
    pub angle: f64,
}

impl Elastica {
    /// At the chord `ratio` of its length, 1 or less; shorter chords than [`SHORTEST`] count as that.
    pub fn at(ratio: f64) -> Self {
        let ratio = ratio.clamp(SHORTEST, 1.0);
        let (mut low, mut high) = (0.0, 1.0 - 1e-9);
        // r ≈ 1 − m: the tangent at the straight leaf.
        let mut m = (1.0 - ratio).min(0.8);
        for _ in 0..MOST_STEPS {
            let (k, e) = complete_integrals(m);
            let miss = 2.0 * e / k - 1.0 - ratio;
            if miss > 0.0 {
                low = m;
            } else {
                high = m;
            }
            let slope = chord_by_parameter(m, k, e);
            let step = miss / slope;
            let next = m - step;
            let inside = next >= low && next <= high;
            let next = if inside { next } else { 0.5 * (low + high) };
            let moved = (next - m).abs();
            m = next;
            if moved <= 4.0 * f64::EPSILON {
                break;
            }
        }
        let (complete_first, complete_second) = complete_integrals(m);
        Self {
            parameter: m,
            complete_first,
            complete_second,
        }
    }

    /// P L²/EI, (1).
    pub fn thrust(&self) -> f64 {
        4.0 * self.complete_first * self.complete_first
    }

    /// c/L, (1).
    pub fn chord(&self) -> f64 {
        2.0 * self.complete_second / self.complete_first - 1.0
    }

    /// Angle between leaf and chord at the ends, α [rad].
    pub fn end_angle(&self) -> f64 {
        2.0 * math::asin(self.parameter.sqrt())
    }

    /// Largest distance from the chord over L, (1).
    pub fn sag(&self) -> f64 {
        self.parameter.sqrt() / self.complete_first
    }

    /// Mean distance from the chord over L, (4).
    pub fn mean_offset(&self) -> f64 {
        0.5 * self.end_angle() / (self.complete_first * self.complete_first)
    }

    /// U L/EI, (2).
    pub fn energy(&self) -> f64 {
        self.thrust() * (self.chord() - 1.0 + 2.0 * self.parameter)
    }

    /// The point at `share` of the leaf from A, (3).
    pub fn point(&self, share: f64) -> ElasticaPoint {
        let u = 2.0 * self.complete_first * (share - 0.5);
        let Jacobi { sn, cn, epsilon } = jacobi(u, self);
        ElasticaPoint {
            along: 0.5 * self.chord() + (2.0 * epsilon - u) / (2.0 * self.complete_first),
            away: self.sag() * cn,
            angle: -2.0 * math::asin(self.parameter.sqrt() * sn),
        }
    }
}

/// d(c/L)/dm.
fn chord_by_parameter(m: f64, k: f64, e: f64) -> f64 {
    if m < 1e-6 {
        // 2E/K − 1 = 1 − m − m²/8 − …
        return -1.0 - 0.25 * m;
    }
    let e_by = (e - k) / (2.0 * m);
    let k_by = (e - (1.0 - m) * k) / (2.0 * m * (1.0 - m));
    2.0 * (e_by - e * k_by / k) / k
}

/// Jacobi's functions at one argument.
struct Jacobi {
    sn: f64,
    cn: f64,
    epsilon: f64,
}

/// sn, cn and ℰ at `u` by the descending Landen transformation.
fn jacobi(u: f64, elastica: &Elastica) -> Jacobi {
    let m = elastica.parameter;
    let (mut a, mut b) = (1.0_f64, (1.0 - m).sqrt());
    let mut ratios = [0.0; MEANS];
    let mut differences = [0.0; MEANS];
    let (mut count, mut power) = (0, 1.0);
    while count < MEANS {
        let c = 0.5 * (a - b);
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        (ratios[count], differences[count]) = (c / a, c);
        power *= 2.0;
        count += 1;
        if c.abs() <= f64::EPSILON * a {
            break;
        }
    }
    let mut phi = power * a * u;
    let mut epsilon = elastica.complete_second / elastica.complete_first * u;
    for n in (0..count).rev() {
        let sine = math::sin(phi);
        epsilon += differences[n] * sine;
        phi = 0.5 * (phi + math::asin((ratios[n] * sine).clamp(-1.0, 1.0)));
    }
    let (sn, cn) = math::sin_cos(phi);
    Jacobi { sn, cn, epsilon }
}

/// A function of r on [[`SHORTEST`], 1] as a Chebyshev series.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    coefficients: [f64; TERMS],
}

/// A function with its first two derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WithSlopes {
    /// Value.
    pub value: f64,
    /// First derivative.
    pub slope: f64,
    /// Second derivative.
    pub curvature: f64,
}

/// Half the length of the interval of r.
const HALF: f64 = 0.5 * (1.0 - SHORTEST);

impl Series {
    /// The series through `f` at Chebyshev's points.
    pub fn of(f: impl Fn(&Elastica) -> f64) -> Self {
        let count = TERMS as f64;
        let angle = |j: usize| PI * (j as f64 + 0.5) / count;
        let values: [f64; TERMS] = core::array::from_fn(|j| {
            let r = SHORTEST + HALF * (1.0 + math::cos(angle(j)));
            f(&Elastica::at(r))
        });
        let coefficients = core::array::from_fn(|n| {
            let scale = if n == 0 { 1.0 } else { 2.0 } / count;
            let terms = values.iter().enumerate();
            let sum: f64 = terms
                .map(|(j, value)| value * math::cos(n as f64 * angle(j)))
                .sum();
            scale * sum
        });
        Self { coefficients }
    }

    /// Value and slopes at `r`, by Clenshaw's recurrence and its derivatives.
    #[inline]
    pub fn at(&self, r: f64) -> WithSlopes {
        let x = (r - SHORTEST) / HALF - 1.0;
        let (mut b1, mut b2) = (0.0, 0.0);
        let (mut d1, mut d2) = (0.0, 0.0);
        let (mut s1, mut s2) = (0.0, 0.0);
        for &coefficient in self.coefficients[1..].iter().rev() {
            (s1, s2) = (4.0 * d1 + 2.0 * x * s1 - s2, s1);
            (d1, d2) = (2.0 * b1 + 2.0 * x * d1 - d2, d1);
            (b1, b2) = (coefficient + 2.0 * x * b1 - b2, b1);
        }
        WithSlopes {
            value: self.coefficients[0] + x * b1 - b2,
            slope: (b1 + x * d1 - d2) / HALF,
            curvature: (2.0 * d1 + x * s1 - s2) / (HALF * HALF),
        }
    }
}

/// Thrust of a leaf between hinges as a function of its chord.
#[derive(Debug, Clone, PartialEq)]
pub struct ThrustLaw {
    length: f64,
    /// EI/L² [N].
    scale: f64,
    /// EA [N].
    stretching: f64,
    functions: &'static Functions,
}

/// The functions of r that all leaves share.
#[derive(Debug, PartialEq)]
struct Functions {
    thrust: Series,
    energy: Series,
    offset_squared: Series,
}

impl Functions {
    /// Made once; they hold no memory of the heap.
    fn shared() -> &'static Self {
        static SHARED: OnceLock<Functions> = OnceLock::new();
        SHARED.get_or_init(|| Self {
            thrust: Series::of(Elastica::thrust),
            energy: Series::of(Elastica::energy),
            offset_squared: Series::of(|elastica| elastica.mean_offset().powi(2)),
        })
    }
}

impl ThrustLaw {
    /// Of a leaf of this length [m], bending stiffness EI [N·m²] and stretching stiffness EA [N].
    pub fn new(length: f64, bending: f64, stretching: f64) -> Self {
        Self {
            length,
            scale: bending / (length * length),
            stretching,
            functions: Functions::shared(),
        }
    }

    /// Length of the leaf [m].
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Thrust at a chord [m] and its derivative [N, N/m].
    #[inline]
    pub fn thrust(&self, chord: f64) -> (f64, f64) {
        let r = chord / self.length;
        if r > 1.0 {
            let euler = PI * PI * self.scale;
            return (
                euler - self.stretching * (r - 1.0),
                -self.stretching / self.length,
            );
        }
        let inside = r.max(SHORTEST);
        let p = self.functions.thrust.at(inside);
        // Below the shortest chord the law goes on straight.
        let value = p.value + p.slope * (r - inside);
        (self.scale * value, self.scale * p.slope / self.length)
    }

    /// Strain energy at a chord [J].
    pub fn energy(&self, chord: f64) -> f64 {
        let r = chord / self.length;
        let unit = self.scale * self.length;
        if r > 1.0 {
            let beyond = r - 1.0;
            let stretched = 0.5 * self.stretching * self.length * beyond * beyond;
            return stretched - PI * PI * unit * beyond;
        }
        let inside = r.max(SHORTEST);
        let p = self.functions.thrust.at(inside);
        let beyond = inside - r;
        let more = p.value * beyond - 0.5 * p.slope * beyond * beyond;
        unit * (self.functions.energy.at(inside).value + more)
    }

    /// Mean distance of the leaf from its chord [m], with its derivatives by the chord.
    pub fn mean_offset(&self, chord: f64) -> WithSlopes {
        let r = (chord / self.length).clamp(SHORTEST, 1.0 - 1e-9);
        let q = self.functions.offset_squared.at(r);
        let value = q.value.max(f64::MIN_POSITIVE).sqrt();
        let slope = 0.5 * q.slope / value;
        WithSlopes {
            value: self.length * value,
            slope,
            curvature: (0.5 * q.curvature / value - slope * slope / value) / self.length,
        }
    }

    /// The elastica at a chord [m].
    pub fn elastica(&self, chord: f64) -> Elastica {
        Elastica::at(chord / self.length)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn default_law() -> ThrustLaw {
        let leaf = crate::config::Leaf::default();
        let area = leaf.width_m * leaf.thickness_m;
        ThrustLaw::new(
            leaf.length_m,
            leaf.bending_stiffness(),
            leaf.youngs_modulus_pa * area,
        )
    }

    /// Published digits of the inextensible elastica: thrust and sag at the chord of the planar leg.
    #[test]
    fn thrust_and_sag_have_the_known_digits() {
        let law = default_law();
        let (thrust, _) = law.thrust(0.407921561);
        assert!((thrust - 57.926572).abs() < 1e-6, "{thrust}");
        let elastica = law.elastica(0.407921561);
        let sag = 0.5 * elastica.sag();
        assert!((sag - 0.12849557).abs() < 2e-6, "{sag}");
        // The reference is of a leaf that stretches and shears.
        assert!((elastica.end_angle() - 0.87552).abs() < 5e-5);
        let straight = law.thrust(0.5).0;
        assert!((straight - 52.528403).abs() < 1e-6, "{straight}");
    }

    /// Legendre's relation checks K and E together.
    #[test]
    fn complete_integrals_satisfy_legendre() {
        for m in [1e-9, 0.1, 0.5, 0.83, 0.999] {
            let (k, e) = complete_integrals(m);
            let (l, f) = complete_integrals(1.0 - m);
            let found = e * l + f * k - k * l;
            assert!((found - 0.5 * PI).abs() < 1e-14 * k.max(l), "{m}: {found}");
        }
    }

    /// The series is the closed form to rounding, and its slopes are those of its values.
    #[test]
    fn series_equals_closed_form() {
        let law = default_law();
        let unit = law.scale;
        for i in 0..200 {
            let r = SHORTEST + (1.0 - SHORTEST) * f64::from(i) / 199.0;
            let elastica = Elastica::at(r);
            let chord = r * law.length;
            let (thrust, slope) = law.thrust(chord);
            assert!((thrust / unit - elastica.thrust()).abs() < 2e-11, "{r}");
            let energy = law.energy(chord) / (unit * law.length);
            assert!((energy - elastica.energy()).abs() < 2e-11, "{r}");
            let h = 1e-6;
            if r > SHORTEST + 1e-4 && r < 1.0 - 1e-4 {
                let by = |f: &dyn Fn(f64) -> f64| (f(chord + h) - f(chord - h)) / (2.0 * h);
                assert!((by(&|c| law.thrust(c).0) - slope).abs() < 1e-6 * slope.abs().max(1.0));
                assert!((by(&|c| law.energy(c)) + thrust).abs() < 1e-7 * thrust);
                let offset = law.mean_offset(chord);
                let found = by(&|c| law.mean_offset(c).value);
                assert!((found / offset.slope - 1.0).abs() < 1e-4, "{r}");
                let found = by(&|c| law.mean_offset(c).slope);
                assert!((found / offset.curvature - 1.0).abs() < 1e-3, "{r}");
            }
        }
    }

    /// The shape starts at A, ends at B, is as long as the leaf and has the mean offset of (4).
    #[test]
    fn the_shape_closes() {
        for ratio in [0.1, 0.5, 0.82, 0.99, 0.999999] {
            let elastica = Elastica::at(ratio);
            let (a, b) = (elastica.point(0.0), elastica.point(1.0));
            assert!(a.along.abs() < 1e-12 && a.away.abs() < 1e-12, "{a:?}");
            assert!((b.along - ratio).abs() < 1e-12 && b.away.abs() < 1e-12);
            assert!((a.angle - elastica.end_angle()).abs() < 1e-7);
            let middle = elastica.point(0.5);
            assert!((middle.away - elastica.sag()).abs() < 1e-14);
            let n = 4000;
            let (mut length, mut offset, mut last) = (0.0, 0.0, a);
            for i in 1..=n {
                let next = elastica.point(f64::from(i) / f64::from(n));
                length += (next.along - last.along).hypot(next.away - last.away);
                offset += 0.5 * (next.away + last.away) / f64::from(n);
                last = next;
            }
            assert!((length - 1.0).abs() < 1e-6, "{length}");
            assert!((offset - elastica.mean_offset()).abs() < 1e-6);
        }
    }

    /// Pulled beyond its length, the leaf stretches; the energy goes on without a jump.
    #[test]
    fn a_leaf_pulled_straight_stretches() {
        let law = default_law();
        let (before, after) = (law.thrust(0.5 - 1e-9), law.thrust(0.5 + 1e-9));
        assert!((before.0 - after.0).abs() < 0.1);
        assert!(law.thrust(0.501).0 < -2e4);
        assert!((law.energy(0.5 - 1e-9) - law.energy(0.5 + 1e-9)).abs() < 1e-6);
    }
}
