//! Stiffness-proportional (Kelvin–Voigt) damping of an element.
//!
//! Every section answers its strain rate with the wrench `β K ε̇`. The strain of the element is the
//! field `ε̄ + η σ` that its elastic energy chooses for the relative pose d (see [`super::elastic`];
//! its symbols and equation numbers are used here), so strain rates follow from ḋ:
//!
//! ```text
//! ε̄ = c p,  σ = ½ c q,   c = K⁻¹,  q = ad_dᵀ p                                 (1)
//! ṗ = F⁻¹ Y ḋ =: A ḋ,    q̇ = coad(p) ḋ + ad_dᵀ ṗ =: B ḋ                        (2)
//! power = β ḋᵀ V ḋ = β L (ε̄̇ᵀ K ε̄̇ + ⅓ σ̇ᵀ K σ̇) = β L (ṗᵀ c ṗ + (1/12) q̇ᵀ c q̇)  (3)
//! V = L (Aᵀ c A + (1/12) Bᵀ c B)                                              (4)
//! ```
//!
//! V is the Hessian of the energy less the part that stems from stress at rest (its geometric
//! part). With `x = c q̇`, `u = F⁻¹ (c ṗ + (1/12) ad_d x)`,
//!
//! ```text
//! V ḋ = L (Yᵀ u − (1/12) coad(p) x)                                           (5)
//! ```
//!
//! and its derivative by d with ḋ held follows from that of each of its factors, (6) to (9) below.
//!
//! V must be that of the present d. Taken at the unstressed pose it is wrong by the squared turn
//! of an element times the ratio of the section's two bending stiffnesses, which for a leaf is
//! four thousand: its slowest vibration across its plane would decay 16 % too fast at ten elements.

use super::elastic::{mean_strain, wrench};
use super::{BeamElement, ElementKind};
use crate::group::{Group, Operator};
use nalgebra::{SMatrix, SVector};

/// V ḋ, V and the derivative of V ḋ by d with ḋ held.
#[derive(Debug, Clone, Copy)]
pub(super) struct ViscousResponse<const N: usize> {
    /// V ḋ.
    pub force: SVector<f64, N>,
    /// V.
    pub matrix: SMatrix<f64, N, N>,
    /// ∂(V ḋ)/∂d.
    pub by_pose: SMatrix<f64, N, N>,
}

/// `V ḋ` of eq. (5) at the relative pose `d` with the rate `rate`. The power dissipated is β times
/// its product with the rate.
#[inline(never)]
pub(crate) fn force<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    d: &SVector<f64, N>,
    rate: &SVector<f64, N>,
) -> SVector<f64, N> {
    let length = element.length;
    if element.kind == ElementKind::ConstantStrain {
        return element.section.stiffness * rate * element.inverse_length;
    }
    let (p, r, factors) = wrench::<G, N, D>(element, d, &mean_strain(element, d));
    let (ad, c) = (G::ad_operator(d), &element.compliance);
    let bent = G::ad_operator(rate).tr_apply(&p); // coad(p) ḋ
    let by_rate = rate * element.inverse_length
        + (G::ad_operator(&r).apply(rate) - ad.apply(&(c * bent))) / 12.0;
    let p_dot = factors.solve(&by_rate); // (2)
    let x = c * (bent + ad.tr_apply(&p_dot));
    let u = factors.solve(&(c * p_dot + ad.apply(&x) / 12.0));
    let y_tr_u = u * element.inverse_length
        + (G::ad_operator(&r).tr_apply(&u) + G::ad_operator(&(c * ad.tr_apply(&u))).tr_apply(&p))
            / 12.0;
    (y_tr_u - G::ad_operator(&x).tr_apply(&p) / 12.0) * length // (5)
}

/// V of eq. (4) at the relative pose `d`.
pub(crate) fn matrix<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    d: &SVector<f64, N>,
) -> SMatrix<f64, N, N> {
    respond::<G, N, D>(element, d, &SVector::zeros()).matrix
}

/// The same with its derivatives.
#[inline(never)]
pub(super) fn respond<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    d: &SVector<f64, N>,
    rate: &SVector<f64, N>,
) -> ViscousResponse<N> {
    if element.kind == ElementKind::ConstantStrain {
        let matrix = element.section.stiffness * element.inverse_length;
        return ViscousResponse {
            force: matrix * rate,
            matrix,
            by_pose: SMatrix::zeros(),
        };
    }
    let (length, twelfth) = (element.length, 1.0 / 12.0);
    let (p, r, factors) = wrench::<G, N, D>(element, d, &mean_strain(element, d));
    let c = &element.compliance;
    let (ad, coad_p) = (G::ad(d), G::coad(&p));
    let ad_c = ad * c;
    let solve = |m: &SMatrix<f64, N, N>| {
        SMatrix::<f64, N, N>::from_columns(&core::array::from_fn::<_, N, _>(|j| {
            factors.solve(&m.column(j).into())
        }))
    };
    let y = SMatrix::identity() * element.inverse_length + (G::ad(&r) - ad_c * coad_p) * twelfth;
    let a = solve(&y);
    let b = coad_p + ad.tr_mul(&a);
    let matrix = (a.tr_mul(&(c * a)) + b.tr_mul(&(c * b)) * twelfth) * length; // (4)

    let p_dot = a * rate;
    let x = c * (b * rate);
    let u = factors.solve(&(c * p_dot + ad * x * twelfth));
    let bent = c * (coad_p * rate);
    let (ad_rate, coad_u) = (G::ad(rate), G::coad(&u));
    // ∂F/∂d applied to a fixed wrench z: δF z = (1/12)(ad_d c coad(z) − ad(c ad_dᵀ z)) δd.
    let compliance_by = |z: &SVector<f64, N>| {
        (ad_c * G::coad(z) - G::ad(&(c * ad.tr_mul(z)))) * twelfth // (6)
    };
    // ∂p/∂d = A and ∂r/∂d = c B, because p and r follow d as they follow it in time.
    let r_by = c * b;
    let y_rate_by = (G::ad(&bent) - ad_rate * r_by - ad_c * (ad_rate.tr_mul(&a))) * twelfth; // (7)
    let p_dot_by = solve(&(y_rate_by - compliance_by(&p_dot)));
    let q_dot_by = ad_rate.tr_mul(&a) + G::coad(&p_dot) + ad.tr_mul(&p_dot_by);
    let t_by = c * p_dot_by + (ad_c * q_dot_by - G::ad(&x)) * twelfth;
    let u_by = solve(&(t_by - compliance_by(&u))); // (8)
    let inner = c * ad.tr_mul(&u);
    let y_tr_by =
        (coad_u * r_by + G::ad(&(inner - x)).tr_mul(&a) + coad_p * c * (coad_u - q_dot_by))
            * twelfth; // (9): that of Yᵀ with u held, and that of the last term of (5)
    let y_tr_u = y.tr_mul(&u);
    ViscousResponse {
        force: (y_tr_u - coad_p * x * twelfth) * length,
        matrix,
        by_pose: (y.tr_mul(&u_by) + y_tr_by) * length,
    }
}
