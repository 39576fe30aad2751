//! The fields of curvature of a reduced leaf, and the quadrature along it.
//!
//! With ξ from −1 (root) to 1 (tip), Legendre's polynomials P_i and the coordinates p, of which the first
//! `BENDING` bend the leaf about its width and the others twist it:
//!
//! ```text
//! κ₃ = Σ p_i (1 − ξ) P_i(ξ)/2,    κ₁ = Σ p_j (1 − ξ) P_j(ξ)/2                          (1)
//! ```
//!
//! No moment acts at the spherical joint, so both vanish at the tip. Along the leaf, Gauss's rule with
//! `POINTS` points s_g and weights w_g serves energies, masses and places; between neighbouring points
//! (and the root) the sections turn by the rotation vector
//!
//! ```text
//! φ = ∫ κ ds + (1/6) I × S,    I = ∫ κ ds,  S = (3/2) ∫ η κ h dη,  η ∈ [−1, 1]           (2)
//! ```
//!
//! which is right to the fourth order of their distance h (Magnus; Iserles et al. 2000, `iserles2000`).
//! Places follow from tangents by the polynomial through them: ∫₀^{s_j} t ds = Σ Q_jg t_g.

use nalgebra::{SMatrix, SVector};

/// Coordinates that bend the leaf.
pub const BENDING: usize = 6;
/// Coordinates that twist it.
pub const TORSION: usize = 3;
/// All coordinates of the leaf.
pub const FIELDS: usize = BENDING + TORSION;
/// Gauss points along it.
pub const POINTS: usize = 8;

/// Values of the fields (1) at a place.
pub type FieldRow = SVector<f64, FIELDS>;

/// What the fields are at the Gauss points and between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Weights w_g [m].
    pub weight: [f64; POINTS],
    /// Values of the fields at the points; the first `BENDING` are of κ₃, the others of κ₁.
    pub value: [FieldRow; POINTS],
    /// I of (2) between a point and the one before [m].
    pub integral: [FieldRow; POINTS],
    /// S of (2) [m].
    pub slope: [FieldRow; POINTS],
    /// Q_jg [m], row j.
    pub place: SMatrix<f64, POINTS, POINTS>,
}

/// Points and weights of Gauss's rule on [−1, 1].
fn gauss() -> [(f64, f64); POINTS] {
    let mut out = [(0.0, 0.0); POINTS];
    let n = POINTS as f64;
    for (i, entry) in out.iter_mut().enumerate() {
        // Newton's method from the classical first guess.
        let mut x = -multibody::math::cos(core::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5));
        let mut slope = 1.0;
        for _ in 0..10 {
            let (p, before) = legendre(x);
            slope = n * (x * p - before) / (x * x - 1.0);
            x -= p / slope;
        }
        *entry = (x, 2.0 / ((1.0 - x * x) * slope * slope));
    }
    out
}

/// P_n and P_{n−1} for n = `POINTS`.
fn legendre(x: f64) -> (f64, f64) {
    let (mut p, mut before) = (x, 1.0);
    for k in 2..=POINTS {
        let k = k as f64;
        (p, before) = (((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k, p);
    }
    (p, before)
}

/// The fields (1) at ξ.
pub fn fields(xi: f64) -> FieldRow {
    let mut p = [0.0; BENDING];
    (p[0], p[1]) = (1.0, xi);
    for k in 2..BENDING {
        let n = k as f64;
        p[k] = ((2.0 * n - 1.0) * xi * p[k - 1] - (n - 1.0) * p[k - 2]) / n;
    }
    FieldRow::from_fn(|i, _| {
        let order = if i < BENDING { i } else { i - BENDING };
        0.5 * (1.0 - xi) * p[order]
    })
}

impl Shape {
    /// Of a leaf of this length [m].
    pub fn new(length: f64) -> Self {
        let rule = gauss();
        let half = 0.5 * length;
        let mut out = Self {
            weight: rule.map(|(_, w)| w * half),
            value: rule.map(|(xi, _)| fields(xi)),
            integral: [FieldRow::zeros(); POINTS],
            slope: [FieldRow::zeros(); POINTS],
            place: SMatrix::zeros(),
        };
        let mut from = -1.0;
        for (g, &(to, _)) in rule.iter().enumerate() {
            let (middle, reach) = (0.5 * (from + to), 0.5 * (to - from));
            for &(eta, w) in &rule {
                let value = fields(middle + reach * eta) * (w * reach * half);
                out.integral[g] += value;
                out.slope[g] += value * (3.0 * eta);
            }
            from = to;
        }
        for (j, &(end, _)) in rule.iter().enumerate() {
            let reach = 0.5 * (end + 1.0);
            for &(eta, w) in &rule {
                let xi = reach * (eta + 1.0) - 1.0;
                for g in 0..POINTS {
                    out.place[(j, g)] += lagrange(&rule, g, xi) * w * reach * half;
                }
            }
        }
        out
    }
}

/// The polynomial that is 1 at point g and 0 at the others, at ξ.
fn lagrange(rule: &[(f64, f64); POINTS], g: usize, xi: f64) -> f64 {
    let own = rule[g].0;
    let others = rule.iter().enumerate().filter(|(k, _)| *k != g);
    others.map(|(_, (x, _))| (xi - x) / (own - x)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gauss's rule is exact up to degree 2n − 1, places up to degree n of the tangent.
    #[test]
    fn the_rule_integrates_polynomials() {
        let rule = gauss();
        for degree in 0..2 * POINTS {
            let sum: f64 = rule.iter().map(|(x, w)| w * x.powi(degree as i32)).sum();
            let exact = if degree % 2 == 0 {
                2.0 / (degree as f64 + 1.0)
            } else {
                0.0
            };
            assert!((sum - exact).abs() < 1e-14, "{degree}: {sum} {exact}");
        }
        let shape = Shape::new(2.0);
        for degree in 0..POINTS {
            for (j, (end, _)) in rule.iter().enumerate() {
                let found: f64 = (0..POINTS)
                    .map(|g| shape.place[(j, g)] * rule[g].0.powi(degree as i32))
                    .sum();
                let n = degree as i32 + 1;
                let exact = (end.powi(n) - (-1.0_f64).powi(n)) / f64::from(n);
                assert!(
                    (found - exact).abs() < 1e-13,
                    "{degree} {j}: {found} {exact}"
                );
            }
        }
    }

    /// Fields vanish at the tip, integrals between the points add up to those from the root.
    #[test]
    fn fields_and_their_integrals_agree() {
        assert!(fields(1.0).amax() == 0.0);
        let shape = Shape::new(0.5);
        for i in 0..FIELDS {
            let (mut sum, mut whole) = (0.0, 0.0);
            for g in 0..POINTS {
                sum += shape.integral[g][i];
                let found: f64 = (0..POINTS)
                    .map(|k| shape.place[(g, k)] * shape.value[k][i])
                    .sum();
                assert!((sum - found).abs() < 1e-14, "{i} {g}");
                whole += shape.weight[g] * shape.value[g][i];
            }
            assert!(sum.abs() < 1.0 && whole.abs() < 1.0);
        }
    }
}
