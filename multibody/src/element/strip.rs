//! The element with the bending law of a strip: energy as a function of `d = log(H_A⁻¹ H_B)`.
//!
//! As in [`super::elastic`] the strain is `f̄ + η σ` with `f̄ = d/L − (1/6) ad_d σ`, but the energy of a
//! section is `½ εᵀ K ε + φ(κ)` with the strip's part φ of the curvature about e3
//! ([`StripLaw`]). Integrated by Gauss' two points, exact for the first part,
//! with `e = d/L − f0`:
//!
//! ```text
//! W(d, σ) = (L/2) Σ± ψ(ε±),   ε± = e + T± σ,   T± = −(1/6) ad_d ± I/√3              (1)
//! ∂W/∂σ = (L/2) Σ T±ᵀ s±,   ∂²W/∂σ² = (L/2) Σ T±ᵀ C± T±                             (2)
//! ```
//!
//! s± wrenches and C± tangents of the sections. σ makes W least: Newton's method from the σ of the
//! beam. Then, with `Y = I/L + (1/6) ad_σ` (because −ad_d σ = ad_σ d) and the mean wrench p,
//!
//! ```text
//! ∂W/∂d = L Yᵀ p                                                                  (3)
//! ∂²W/∂d² = (L/2) Σ Yᵀ C± Y − B (∂²W/∂σ²)⁻¹ Bᵀ                                      (4)
//! B = ∂²W/∂d∂σ = (L/2) Σ Yᵀ C± T± + (L/6) coad(p)                                  (5)
//! ```
//!
//! Without φ this is the beam's element.

use super::elastic::{ElasticResponse, SectionState, mean_strain, wrench};
use super::factor::Factors;
use super::{BeamElement, ElementKind};
use crate::group::Group;
use crate::model::StripLaw;
use nalgebra::{SMatrix, SVector};

/// Corrections of σ; the excess is a tenth of the beam's law and smooth, so four suffice.
const MOST_CORRECTIONS: usize = 12;
/// A correction of the curvature below this part of its size is the last one.
const SMALL: f64 = 1e-13;

/// Strains at the two points, wrenches and the strip's tangents there.
struct Points<const N: usize> {
    wrenches: [SVector<f64, N>; 2],
    /// φ″.
    stiffness: [f64; 2],
    energy: f64,
}

impl<const N: usize> Points<N> {
    fn new(k: &SMatrix<f64, N, N>, law: &StripLaw, strains: [SVector<f64, N>; 2]) -> Self {
        let mut out = Self {
            wrenches: [SVector::zeros(); 2],
            stiffness: [0.0; 2],
            energy: 0.0,
        };
        for (i, strain) in strains.iter().enumerate() {
            let excess = law.excess(strain[N - 1]);
            let mut wrench = k * strain;
            out.energy += 0.5 * strain.dot(&wrench) + excess.energy;
            wrench[N - 1] += excess.moment;
            out.wrenches[i] = wrench;
            out.stiffness[i] = excess.stiffness;
        }
        out
    }
}

/// σ, the points and what (2) to (5) share.
struct Solution<const N: usize> {
    slope: SVector<f64, N>,
    maps: [SMatrix<f64, N, N>; 2],
    points: Points<N>,
}

impl<const N: usize> Solution<N> {
    /// Mean wrench.
    fn wrench(&self) -> SVector<f64, N> {
        (self.points.wrenches[0] + self.points.wrenches[1]) * 0.5
    }

    /// `(L/2) Σ X±ᵀ C± Z±`.
    fn product<const D: usize>(
        &self,
        element: &BeamElement<N, D>,
        left: [&SMatrix<f64, N, N>; 2],
        right: [&SMatrix<f64, N, N>; 2],
    ) -> SMatrix<f64, N, N> {
        let mut sum = SMatrix::zeros();
        for i in 0..2 {
            let mut section = element.section.stiffness;
            section[(N - 1, N - 1)] += self.points.stiffness[i];
            sum += left[i].tr_mul(&(section * right[i]));
        }
        sum * (0.5 * element.length)
    }
}

/// Makes (1) least.
#[inline(never)]
fn solve<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    law: &StripLaw,
    d: &SVector<f64, N>,
) -> Solution<N> {
    let e = mean_strain(element, d);
    let k = &element.section.stiffness;
    let (sixth, root) = (G::ad(d) * (-1.0 / 6.0), 1.0 / 3.0_f64.sqrt());
    let maps = [1.0, -1.0].map(|sign| sixth + SMatrix::identity() * (sign * root));
    let constant = element.kind == ElementKind::ConstantStrain;
    let slope = if constant {
        SVector::zeros()
    } else {
        wrench::<G, N, D>(element, d, &e).1 * 0.5
    };
    let strains = |slope: &SVector<f64, N>| [e + maps[0] * slope, e + maps[1] * slope];
    let points = Points::new(k, law, strains(&slope));
    let mut out = Solution {
        slope,
        maps,
        points,
    };
    if constant {
        return out;
    }
    for _ in 0..MOST_CORRECTIONS {
        let gradient = (out.maps[0].tr_mul(&out.points.wrenches[0])
            + out.maps[1].tr_mul(&out.points.wrenches[1]))
            * (0.5 * element.length);
        let t = [&out.maps[0], &out.maps[1]];
        let correction = Factors::new(&out.product(element, t, t)).solve(&gradient); // (2)
        out.slope -= correction;
        out.points = Points::new(k, law, strains(&out.slope));
        let bend = e[N - 1].abs() + out.slope[N - 1].abs();
        // NaN ends it too; it is found, with its place, in the forces.
        let change = correction[N - 1].abs();
        if change.is_nan() || change <= SMALL * bend {
            break;
        }
    }
    out
}

/// Energy, gradient and Hessian at the relative pose `d`.
#[inline(never)]
pub(super) fn respond<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    law: &StripLaw,
    d: &SVector<f64, N>,
) -> ElasticResponse<N> {
    let solution = solve::<G, N, D>(element, law, d);
    let y = SMatrix::identity() * element.inverse_length + G::ad(&solution.slope) * (1.0 / 6.0);
    let p = solution.wrench();
    let mut hessian = solution.product(element, [&y; 2], [&y; 2]);
    if element.kind != ElementKind::ConstantStrain {
        let t = [&solution.maps[0], &solution.maps[1]];
        let mixed = solution.product(element, [&y; 2], t) + G::coad(&p) * (element.length / 6.0); // (5)
        let factors = Factors::new(&solution.product(element, t, t));
        factors.add_sandwich(&mixed, -1.0, &mut hessian); // (4)
    }
    ElasticResponse {
        energy: 0.5 * element.length * solution.points.energy,
        gradient: y.tr_mul(&p) * element.length, // (3)
        hessian,
    }
}

/// Gradient alone.
#[inline(never)]
pub(super) fn gradient<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    law: &StripLaw,
    d: &SVector<f64, N>,
) -> SVector<f64, N> {
    let solution = solve::<G, N, D>(element, law, d);
    let y = SMatrix::identity() * element.inverse_length + G::ad(&solution.slope) * (1.0 / 6.0);
    y.tr_mul(&solution.wrench()) * element.length
}

/// Strains and wrench at the relative pose `d`.
pub(super) fn section_state<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    law: &StripLaw,
    d: &SVector<f64, N>,
) -> SectionState<N> {
    let solution = solve::<G, N, D>(element, law, d);
    let strain = mean_strain(element, d) - G::ad(d) * solution.slope * (1.0 / 6.0);
    SectionState {
        strain: if element.kind == ElementKind::ConstantStrain {
            mean_strain(element, d)
        } else {
            strain
        },
        strain_slope: solution.slope,
        wrench: solution.wrench(),
    }
}
