//! Bending of a wide, thin strip: between a beam and a plate, depending on its curvature.
//!
//! A strip of width b and thickness t is bent to the curvature κ about its width. Its section wants to
//! curve the other way (anticlastic, −νκ); fibres that this moves by w(y) along the radius are
//! stretched by κw, which a wide strip does not allow. The energy per length is that of a plate,
//! stretching included (Lamb 1891, `lamb1891`; Ashwell 1950, `ashwell1950`), with
//! `D = E t³/12(1 − ν²)`:
//!
//! ```text
//! ψ = ∫ ½ D (κ² + w″² + 2ν κ w″) + ½ E t κ² w² dy   over |y| ≤ b/2                     (1)
//! ```
//!
//! least for `D w⁗ + E t κ² w = 0` with free edges, `w″ = −νκ`, `w‴ = 0`. With
//!
//! ```text
//! β⁴ = 3(1 − ν²) κ²/t²,   ξ = b β = b √(κ/t) (3(1 − ν²))^¼                            (2)
//! w = k (Q cosh βy cos βy + P sinh βy sin βy),   k = −νκ/(β² (sinh ξ + sin ξ)),
//! P, Q = ± cosh(ξ/2) sin(ξ/2) + sinh(ξ/2) cos(ξ/2)                                    (3)
//! ```
//!
//! (1) becomes, with the beam's `EI = E b t³/12`,
//!
//! ```text
//! ψ = ½ EI κ² (1 − ν² F)/(1 − ν²),   F = (2/ξ)(cosh ξ − cos ξ)/(sinh ξ + sin ξ)        (4)
//! ```
//!
//! F falls from 1 (narrow or hardly bent: a beam, EI) to 2/ξ (wide: a plate, EI/(1 − ν²)). The integral
//! of w over the width is zero: bending makes no axial force. As power series in `x = ξ⁴ ∝ κ²`,
//!
//! ```text
//! P = 1 − F = Σ 4k xᵏ/(4k + 2)! / Σ xᵏ/(4k + 1)!                                       (5)
//! ```
//!
//! has positive terms only and loses no digits. With `θ = x d/dx`, so that `κ d/dκ = 2θ`, the parts
//! beyond the beam's, in units of EI ν²/(1 − ν²), are
//!
//! ```text
//! energy ½ κ² P,   moment κ (P + θP),   tangent P + 3θP + 2θ²P                         (6)
//! ```
//!
//! For ξ > 8 the closed form is used: with `g = n/m`, `n = cosh ξ − cos ξ`, `m = sinh ξ + sin ξ`,
//!
//! ```text
//! P = 1 − 2g/ξ,   θP = g/2ξ − g′/2,   θ²P = g′/8 − g/8ξ − ξg″/8                          (7)
//! g′ = 1 − nc/m²,   g″ = −c/m − nd/m² + 2nc²/m³,   c = cosh ξ + cos ξ,  d = sinh ξ − sin ξ
//! ```
//!
//! The largest stress is at the edges, where bending is that of the beam (w″ = −νκ) and stretching,
//! E κ w, is largest; from (3)
//!
//! ```text
//! σ_edge = ½ E t κ (1 + ν/√(3(1 − ν²)) (sinh ξ − sin ξ)/(sinh ξ + sin ξ))               (8)
//! ```
//!
//! For the leaf (77 mm × 1.2 mm, ν = 0.35) at 5.5 1/m, ξ = 6.6: 10.8 % more moment, 21 % more stress.
//!
//! The strip is flat when unstressed. How κ varies along it is not felt by w (the strip is long
//! against its width); bending about e2, torsion, shear and stretching are those of the beam.

use crate::error::{Result, require};
use crate::math;

/// Largest ξ of the series (5).
const SERIES_LIMIT: f64 = 8.0;
/// Terms of the series: at ξ = 8 the next is below 1e-18 of the sum.
const TERMS: usize = 14;
/// Corrections of Newton's method for the curvature of a moment.
const MOST_CORRECTIONS: usize = 30;

/// Coefficients 1/(4k + 1)! and 4k/(4k + 2)! of (5).
const COEFFICIENTS: [[f64; 2]; TERMS] = coefficients();

const fn coefficients() -> [[f64; 2]; TERMS] {
    let mut out = [[0.0; 2]; TERMS];
    // (4k + 1)!, exact up to 22!, then rounded.
    let mut factorial = 1.0;
    let mut k = 0;
    while k < TERMS {
        let n = 4.0 * k as f64;
        out[k] = [1.0 / factorial, n / (factorial * (n + 2.0))];
        factorial *= (n + 2.0) * (n + 3.0) * (n + 4.0) * (n + 5.0);
        k += 1;
    }
    out
}

/// Bending law of a strip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StripLaw {
    /// Width b [m].
    pub width: f64,
    /// Thickness t [m].
    pub thickness: f64,
    /// Young's modulus E [Pa].
    pub youngs_modulus: f64,
    /// Poisson's ratio ν [-].
    pub poisson_ratio: f64,
}

/// What the strip adds to the beam.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StripExcess {
    /// Energy per length [J/m].
    pub energy: f64,
    /// Moment [N·m].
    pub moment: f64,
    /// Bending stiffness, the moment's derivative [N·m²].
    pub stiffness: f64,
}

impl StripLaw {
    /// EI of the beam [N·m²].
    pub fn bending_stiffness(&self) -> f64 {
        self.youngs_modulus * self.width * self.thickness.powi(3) / 12.0
    }

    /// ξ⁴ at the curvature κ [1/m], (2).
    fn x(&self, curvature: f64) -> f64 {
        let nu = self.poisson_ratio;
        let ratio = self.width * self.width * curvature / self.thickness;
        3.0 * (1.0 - nu * nu) * ratio * ratio
    }

    /// What it adds to the beam at the curvature κ [1/m], (6).
    pub fn excess(&self, curvature: f64) -> StripExcess {
        let nu = self.poisson_ratio;
        let unit = self.bending_stiffness() * nu * nu / (1.0 - nu * nu);
        let [p, p1, p2] = stiffening(self.x(curvature));
        StripExcess {
            energy: 0.5 * unit * curvature * curvature * p,
            moment: unit * curvature * (p + p1),
            stiffness: unit * (p + 3.0 * p1 + 2.0 * p2),
        }
    }

    /// Moment at the curvature κ [1/m] [N·m].
    pub fn moment(&self, curvature: f64) -> f64 {
        self.bending_stiffness() * curvature + self.excess(curvature).moment
    }

    /// Curvature [1/m] at a moment [N·m]. The moment rises with the curvature, between those of beam
    /// and plate, so Newton's method from the beam's curvature converges.
    pub fn curvature(&self, moment: f64) -> f64 {
        let stiffness = self.bending_stiffness();
        let mut curvature = moment / stiffness;
        for _ in 0..MOST_CORRECTIONS {
            let excess = self.excess(curvature);
            let missing = moment - stiffness * curvature - excess.moment;
            let correction = missing / (stiffness + excess.stiffness);
            curvature += correction;
            if correction.abs() <= 1e-14 * curvature.abs() {
                break;
            }
        }
        curvature
    }

    /// Largest stress at the edge [Pa] at the curvature κ [1/m], (8).
    pub fn edge_stress(&self, curvature: f64) -> f64 {
        let nu = self.poisson_ratio;
        let xi = self.x(curvature).sqrt().sqrt();
        // sinh ξ ∓ sin ξ over ½ exp ξ; both vanish as ξ³/6 and ξ at 0.
        let ratio = if xi < 1e-3 {
            xi * xi / 6.0
        } else {
            let (fast, slow) = (
                math::exp(-2.0 * xi),
                2.0 * math::exp(-xi) * math::sin_cos(xi).0,
            );
            (1.0 - fast - slow) / (1.0 - fast + slow)
        };
        let edge = nu / (3.0 * (1.0 - nu * nu)).sqrt() * ratio;
        0.5 * self.youngs_modulus * self.thickness * curvature.abs() * (1.0 + edge)
    }

    /// Checks the ranges.
    pub(crate) fn validate(&self, owner: &str) -> Result<()> {
        let positive = |quantity, value: f64| require(value > 0.0, owner, quantity, value, "> 0");
        positive("strip width", self.width)?;
        positive("strip thickness", self.thickness)?;
        positive("Young's modulus", self.youngs_modulus)?;
        let nu = self.poisson_ratio;
        let ok = nu > -1.0 && nu <= 0.5;
        require(
            ok,
            owner,
            "Poisson's ratio of a strip",
            nu,
            "above -1, at most 0.5",
        )
    }
}

/// P, θP and θ²P at x = ξ⁴.
fn stiffening(x: f64) -> [f64; 3] {
    const LIMIT: f64 = SERIES_LIMIT * SERIES_LIMIT * SERIES_LIMIT * SERIES_LIMIT;
    if x > LIMIT {
        return closed(x.sqrt().sqrt());
    }
    // Sums of both series and of their first two derivatives by ln x: the term xᵏ has kᵐ.
    let (mut m, mut n) = ([0.0; 3], [0.0; 3]);
    for (k, [below, above]) in COEFFICIENTS.iter().enumerate().rev() {
        let k = k as f64;
        for (order, power) in [1.0, k, k * k].into_iter().enumerate() {
            m[order] = m[order] * x + below * power;
            n[order] = n[order] * x + above * power;
        }
    }
    // Quotient rule in ln x.
    let p = n[0] / m[0];
    let p1 = (n[1] - p * m[1]) / m[0];
    let p2 = (n[2] - 2.0 * p1 * m[1] - p * m[2]) / m[0];
    [p, p1, p2]
}

/// (7), all hyperbolic functions divided by ½ exp ξ.
fn closed(xi: f64) -> [f64; 3] {
    let (sin, cos) = math::sin_cos(xi);
    let (slow, fast) = (2.0 * math::exp(-xi), math::exp(-2.0 * xi));
    let (n, m) = (1.0 + fast - slow * cos, 1.0 - fast + slow * sin);
    let (c, d) = (1.0 + fast + slow * cos, 1.0 - fast - slow * sin);
    let g = n / m;
    let g1 = 1.0 - n * c / (m * m);
    let g2 = -c / m - n * d / (m * m) + 2.0 * n * c * c / (m * m * m);
    [
        1.0 - 2.0 * g / xi,
        0.5 * g / xi - 0.5 * g1,
        0.125 * (g1 - g / xi - xi * g2),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published leaf.
    pub(crate) const LEAF: StripLaw = StripLaw {
        width: 0.077,
        thickness: 0.0012,
        youngs_modulus: 120e9,
        poisson_ratio: 120.0 / 88.88 - 1.0,
    };

    #[test]
    fn the_leaf_is_as_stiff_as_a_strip() {
        for (curvature, expected) in [(1.0, 1.0550), (2.0, 1.0887), (5.56, 1.1083)] {
            let ratio = LEAF.moment(curvature) / (LEAF.bending_stiffness() * curvature);
            assert!((ratio - expected).abs() < 5e-5, "{ratio}");
            let back = LEAF.curvature(LEAF.moment(curvature));
            assert!((back / curvature - 1.0).abs() < 1e-13, "{back}");
            assert!((LEAF.curvature(-LEAF.moment(curvature)) + back).abs() < 1e-13);
        }
    }

    /// ξ → 0: beam, P = x/180 + O(x²). ξ → ∞: plate, P = 1 − 2/ξ but for exp(−ξ).
    #[test]
    fn limits_are_beam_and_plate() {
        for x in [1e-12, 1e-8, 1e-4] {
            let [p, p1, p2] = stiffening(x);
            for (found, order) in [(p, 1.0), (p1, 1.0), (p2, 1.0)] {
                assert!((found / (order * x / 180.0) - 1.0).abs() < 0.04 * x + 1e-14);
            }
        }
        for xi in [40.0_f64, 100.0, 1e4] {
            let [p, p1, p2] = stiffening(xi.powi(4));
            assert!((p - (1.0 - 2.0 / xi)).abs() < 1e-13);
            assert!((p1 - 0.5 / xi).abs() < 1e-13 && (p2 + 0.125 / xi).abs() < 1e-12);
        }
        let nu = LEAF.poisson_ratio;
        let plate = LEAF.bending_stiffness() / (1.0 - nu * nu);
        let wide = StripLaw {
            width: 1e3 * LEAF.width,
            ..LEAF
        };
        let (moment, stiffness) = (wide.moment(5.0) / 1e3, 5.0 * plate);
        assert!(
            (moment / stiffness - 1.0).abs() < 1e-3,
            "{moment} {stiffness}"
        );
        let beam = 0.5 * LEAF.youngs_modulus * LEAF.thickness * 1e-7;
        assert!((LEAF.edge_stress(1e-7) / beam - 1.0).abs() < 1e-6);
        let edge = 1.0 + nu / (3.0 * (1.0 - nu * nu)).sqrt();
        let stress = 0.5 * LEAF.youngs_modulus * LEAF.thickness * 500.0;
        assert!((LEAF.edge_stress(500.0) / (stress * edge) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn series_meets_the_closed_form_and_derivatives_match_differences() {
        for xi in [1.0_f64, 3.0, 6.0, 7.9, 8.0] {
            let (series, formula) = (stiffening(xi.powi(4)), closed(xi));
            for (a, b) in series.iter().zip(formula) {
                assert!((a - b).abs() < 1e-12, "{xi}: {a} {b}");
            }
        }
        for curvature in [-6.0, -0.3, 1e-3, 0.5, 5.5, 7.98, 30.0, 300.0] {
            let h = 1e-4 * f64::abs(curvature);
            let at = |t: f64| LEAF.excess(curvature + t * h);
            let slope = |f: fn(StripExcess) -> f64| {
                (8.0 * (f(at(1.0)) - f(at(-1.0))) - (f(at(2.0)) - f(at(-2.0)))) / (12.0 * h)
            };
            let excess = at(0.0);
            let scale = LEAF.bending_stiffness();
            let moment = slope(|e| e.energy);
            assert!((moment - excess.moment).abs() < 1e-9 * scale * curvature.abs());
            let stiffness = slope(|e| e.moment);
            assert!((stiffness - excess.stiffness).abs() < 1e-9 * scale);
        }
    }

    /// Across the width, w of (3) makes the energy (1) that (4) says, and the stress at the edge (8).
    #[test]
    fn the_shape_across_the_width_has_this_energy() {
        for curvature in [0.3, 2.0, 5.5] {
            let (b, t, e, nu) = (
                LEAF.width,
                LEAF.thickness,
                LEAF.youngs_modulus,
                LEAF.poisson_ratio,
            );
            let plate = e * t.powi(3) / 12.0 / (1.0 - nu * nu);
            let beta = (3.0 * (1.0 - nu * nu)).powf(0.25) * (curvature / t).sqrt();
            let xi = b * beta;
            let k = -nu * curvature / (beta * beta * (xi.sinh() + xi.sin()));
            let u = 0.5 * xi;
            let (p, q) = (
                u.cosh() * u.sin() + u.sinh() * u.cos(),
                u.sinh() * u.cos() - u.cosh() * u.sin(),
            );
            let w = |y: f64| {
                let z = beta * y;
                k * (q * z.cosh() * z.cos() + p * z.sinh() * z.sin())
            };
            let w2 = |y: f64| {
                let z = beta * y;
                2.0 * beta * beta * k * (p * z.cosh() * z.cos() - q * z.sinh() * z.sin())
            };
            let density = |y: f64| {
                let bent = curvature.powi(2) + w2(y).powi(2) + 2.0 * nu * curvature * w2(y);
                0.5 * plate * bent + 0.5 * e * t * (curvature * w(y)).powi(2)
            };
            // Simpson's rule.
            let count = 2000;
            let step = b / f64::from(count);
            let sum: f64 = (0..=count)
                .map(|i| {
                    let weight = match i {
                        0 => 1.0,
                        i if i == count => 1.0,
                        i if i % 2 == 1 => 4.0,
                        _ => 2.0,
                    };
                    weight * density(-0.5 * b + f64::from(i) * step)
                })
                .sum();
            let energy = sum * step / 3.0;
            let beam = 0.5 * LEAF.bending_stiffness() * curvature * curvature;
            let expected = beam + LEAF.excess(curvature).energy;
            assert!(
                (energy / expected - 1.0).abs() < 1e-10,
                "{energy} {expected}"
            );
            let edge = 0.5 * e * t * curvature + e * curvature * w(0.5 * b).abs();
            assert!((LEAF.edge_stress(curvature) / edge - 1.0).abs() < 1e-12);
            assert!((w2(0.5 * b) + nu * curvature).abs() < 1e-12 * curvature);
        }
    }
}
