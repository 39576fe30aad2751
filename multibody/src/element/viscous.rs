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
use super::factor::Factors;
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
    let point = Point::new::<G, D>(element, d);
    let rates = point.rates(element, rate);
    let y_tr_u = point.y.tr_mul(&rates.u);
    ViscousResponse {
        force: (y_tr_u - point.coad_p * rates.x * TWELFTH) * element.length, // (5)
        matrix: point.matrix(element),
        by_pose: point.by_pose::<G, D>(element, rate, &rates),
    }
}

const TWELFTH: f64 = 1.0 / 12.0;

/// What (4) to (9) need at one relative pose. Its functions stay functions: in one frame, all their
/// matrices would need 7 KiB of stack.
struct Point<const N: usize> {
    /// Those of F.
    factors: Factors<N>,
    ad: SMatrix<f64, N, N>,
    coad_p: SMatrix<f64, N, N>,
    y: SMatrix<f64, N, N>,
    a: SMatrix<f64, N, N>,
    b: SMatrix<f64, N, N>,
}

/// ṗ, x, u and `c coad(p) ḋ`.
struct Rates<const N: usize> {
    p_dot: SVector<f64, N>,
    x: SVector<f64, N>,
    u: SVector<f64, N>,
    bent: SVector<f64, N>,
}

impl<const N: usize> Point<N> {
    #[inline(never)]
    fn new<G: Group<N, D>, const D: usize>(
        element: &BeamElement<N, D>,
        d: &SVector<f64, N>,
    ) -> Self {
        let (p, r, factors) = wrench::<G, N, D>(element, d, &mean_strain(element, d));
        let (ad, coad_p) = (G::ad(d), G::coad(&p));
        let y = SMatrix::identity() * element.inverse_length
            + (G::ad(&r) - ad * element.compliance * coad_p) * TWELFTH;
        let a = solve(&factors, &y);
        let b = coad_p + ad.tr_mul(&a);
        Self {
            factors,
            ad,
            coad_p,
            y,
            a,
            b,
        }
    }

    /// V of (4).
    #[inline(never)]
    fn matrix<const D: usize>(&self, element: &BeamElement<N, D>) -> SMatrix<f64, N, N> {
        let (a, b, c) = (&self.a, &self.b, &element.compliance);
        (a.tr_mul(&(c * a)) + b.tr_mul(&(c * b)) * TWELFTH) * element.length
    }

    fn rates<const D: usize>(
        &self,
        element: &BeamElement<N, D>,
        rate: &SVector<f64, N>,
    ) -> Rates<N> {
        let c = &element.compliance;
        let p_dot = self.a * rate;
        let x = c * (self.b * rate);
        Rates {
            u: self.factors.solve(&(c * p_dot + self.ad * x * TWELFTH)),
            bent: c * (self.coad_p * rate),
            p_dot,
            x,
        }
    }

    /// `∂F/∂d` applied to a fixed wrench z: `δF z = (1/12)(ad_d c coad(z) − ad(c ad_dᵀ z)) δd`, (6).
    #[inline(never)]
    fn compliance_by<G: Group<N, D>, const D: usize>(
        &self,
        element: &BeamElement<N, D>,
        z: &SVector<f64, N>,
    ) -> SMatrix<f64, N, N> {
        let c = &element.compliance;
        (self.ad * c * G::coad(z) - G::ad(&(c * self.ad.tr_mul(z)))) * TWELFTH
    }

    /// `∂ṗ/∂d` with ḋ held. ∂p/∂d = A and ∂r/∂d = c B, because p and r follow d as they follow it in
    /// time.
    #[inline(never)]
    fn p_dot_by<G: Group<N, D>, const D: usize>(
        &self,
        element: &BeamElement<N, D>,
        rate: &SVector<f64, N>,
        rates: &Rates<N>,
    ) -> SMatrix<f64, N, N> {
        let (c, ad_rate) = (&element.compliance, G::ad(rate));
        let mut by = G::ad(&rates.bent) - ad_rate * (c * self.b);
        by -= self.ad * c * ad_rate.tr_mul(&self.a);
        by *= TWELFTH; // (7)
        by -= self.compliance_by::<G, D>(element, &rates.p_dot);
        solve(&self.factors, &by)
    }

    /// `∂u/∂d`, given ∂ṗ/∂d and ∂q̇/∂d, (8).
    #[inline(never)]
    fn u_by<G: Group<N, D>, const D: usize>(
        &self,
        element: &BeamElement<N, D>,
        rates: &Rates<N>,
        p_dot_by: &SMatrix<f64, N, N>,
        q_dot_by: &SMatrix<f64, N, N>,
    ) -> SMatrix<f64, N, N> {
        let c = &element.compliance;
        let mut by = (self.ad * c * q_dot_by - G::ad(&rates.x)) * TWELFTH;
        by += c * p_dot_by;
        by -= self.compliance_by::<G, D>(element, &rates.u);
        solve(&self.factors, &by)
    }

    /// `∂(V ḋ)/∂d` with ḋ held.
    #[inline(never)]
    fn by_pose<G: Group<N, D>, const D: usize>(
        &self,
        element: &BeamElement<N, D>,
        rate: &SVector<f64, N>,
        rates: &Rates<N>,
    ) -> SMatrix<f64, N, N> {
        let p_dot_by = self.p_dot_by::<G, D>(element, rate, rates);
        let mut q_dot_by = G::ad(rate).tr_mul(&self.a) + G::coad(&rates.p_dot);
        q_dot_by += self.ad.tr_mul(&p_dot_by);
        let u_by = self.u_by::<G, D>(element, rates, &p_dot_by, &q_dot_by);
        let mut out = self.y_tr_by::<G, D>(element, rates, &q_dot_by);
        out += self.y.tr_mul(&u_by);
        out * element.length
    }

    /// (9): the derivative of Yᵀ with u held, and that of the last term of (5).
    #[inline(never)]
    fn y_tr_by<G: Group<N, D>, const D: usize>(
        &self,
        element: &BeamElement<N, D>,
        rates: &Rates<N>,
        q_dot_by: &SMatrix<f64, N, N>,
    ) -> SMatrix<f64, N, N> {
        let (c, coad_u) = (&element.compliance, G::coad(&rates.u));
        let inner = c * self.ad.tr_mul(&rates.u);
        let mut out = coad_u * (c * self.b) + G::ad(&(inner - rates.x)).tr_mul(&self.a);
        out += self.coad_p * c * (coad_u - q_dot_by);
        out * TWELFTH
    }
}

/// F⁻¹ times a matrix.
#[inline(never)]
fn solve<const N: usize>(factors: &Factors<N>, m: &SMatrix<f64, N, N>) -> SMatrix<f64, N, N> {
    let mut out = *m;
    for mut column in out.column_iter_mut() {
        let solved = factors.solve(&column.clone_owned());
        column.copy_from(&solved);
    }
    out
}
