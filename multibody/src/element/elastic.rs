//! Elastic energy of an element as a function of `d = log(H_A⁻¹ H_B)`.
//!
//! With the strain varying linearly along the element, `f(η) = f̄ + η σ`, η ∈ [−1, 1], the
//! fourth-order Magnus expansion of `H' = H f̂` is (`iserles2000`)
//!
//! ```text
//! d = L f̄ + (L²/6) [f̄, σ] + O(L⁵)                                           (1)
//! ```
//!
//! Solved for f̄ to the same order, `f̄ = d/L − (1/6) ad_d σ`, this is *linear* in σ, so the
//! energy `(L/2)(ε̄ᵀ K ε̄ + ⅓ σᵀ K σ)`, `ε̄ = f̄ − f0`, is quadratic in σ and its minimum over σ is
//! known in closed form (Woodbury): with `e = d/L − f0`,
//!
//! ```text
//! W(d) = (L/2) eᵀ F⁻¹ e,   F(d) = K⁻¹ + (1/12) ad_d K⁻¹ ad_dᵀ                 (2)
//! p = F⁻¹ e   (wrench at the middle),   q = ad_dᵀ p,   r = K⁻¹ q,   σ = r/2   (3)
//! ∂W/∂d  = p + (L/12) coad(p) r                                              (4)
//! ∂²W/∂d² = L Yᵀ F⁻¹ Y − (L/12) coad(p)ᵀ K⁻¹ coad(p)                          (5)
//! Y = I/L + (1/12)(ad_r − ad_d K⁻¹ coad(p))                                   (6)
//! ```
//!
//! F is a compliance: (2) is the complementary energy of a wrench that is constant in space and
//! therefore varies linearly, to this order, in the turning frame of the section. Nothing
//! internal is left to iterate. The term with 1/12 gone, this is the constant-strain
//! (helicoidal) element of `sonneville2014`.
//!
//! Against that paper's element and the variant that keeps (1) implicit in f̄, the error of the
//! thrust of the pinned leaf (chord 0.407922 m of 0.5 m) is
//!
//! ```text
//! elements               4        5        8        10       20
//! constant strain        5.3e-2   3.4e-2   1.3e-2   8.3e-3   2.1e-3
//! implicit in f̄          2.9e-3   1.2e-3   1.8e-4   7.5e-5   4.7e-6
//! (2)                    3.0e-4   1.2e-4   2.0e-5   8.1e-6   5.1e-7
//! ```
//!
//! The nodal forces follow from `δd = T⁻¹(d) ψ_B − T⁻¹(−d) ψ_A`:
//!
//! ```text
//! f_A = Q_Aᵀ g,  f_B = Qᵀ g,   Q_A = −T⁻¹(−d) = −Q A,  Q = T⁻¹(d),  g = ∂W/∂d  (7)
//! ```
//!
//! with `A = Ad(H_B⁻¹ H_A)`. Forces depend on the relative pose alone, whose change is
//! `χ = ψ_B − A ψ_A`, and `δ(Aᵀ f) = −Aᵀ coad(f) χ`; so one block gives all four:
//!
//! ```text
//! k = ∂f_B/∂χ = (∂(Qᵀ g)/∂d + Qᵀ W'') Q,        f_A = −Aᵀ f_B                   (8)
//! k_BB = k,   k_BA = −k A,   k_AB = −Aᵀ (k − coad(f_B)),   k_AA = −k_AB A       (9)
//! ```
//!
//! Without damping the forces have a potential, and `k_AB = k_BAᵀ`. The stiffness-proportional
//! part of Rayleigh damping adds `β V(d) ḋ` to g (`viscous`), with `ḋ = Q w`,
//! `w = v_B − A v_A`, `δw = δv_B − A δv_A − ad(A v_A) χ`:
//!
//! ```text
//! k += β Qᵀ (∂(V ḋ)/∂d Q + V (∂(Q w)/∂d Q − Q ad(A v_A))),   c = ∂f_B/∂v_B = β Qᵀ V Q  (10)
//! c_BB = c,   c_BA = −c A,   c_AB = −Aᵀ c,   c_AA = Aᵀ c A                      (11)
//! ```

use super::factor::Factors;
use super::inertia::Weights;
use super::strip;
use super::viscous::{self, ViscousResponse};
use super::{BeamElement, ElementKind};
use crate::group::{Group, InverseTangent, Operator};
use nalgebra::{SMatrix, SVector};

/// Energy of an element with its first two derivatives by `d`.
#[derive(Debug, Clone, Copy)]
pub struct ElasticResponse<const N: usize> {
    /// Energy W [J].
    pub energy: f64,
    /// Gradient ∂W/∂d.
    pub gradient: SVector<f64, N>,
    /// Hessian ∂²W/∂d².
    pub hessian: SMatrix<f64, N, N>,
}

/// Strain and wrench at the middle of an element, and how the strain varies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SectionState<const N: usize> {
    /// Strain ε̄ in the middle of the element [-, 1/m].
    pub strain: SVector<f64, N>,
    /// Half the difference of the strains at the two ends, σ [-, 1/m].
    pub strain_slope: SVector<f64, N>,
    /// Section wrench in the middle: forces [N], then moments [N·m], on the section whose
    /// outward normal is the tangent.
    pub wrench: SVector<f64, N>,
}

/// Wrench p, `r = K⁻¹ ad_dᵀ p` and the factors of F of eqs. (2), (3).
#[inline(always)]
pub(super) fn wrench<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    d: &SVector<f64, N>,
    e: &SVector<f64, N>,
) -> (SVector<f64, N>, SVector<f64, N>, Factors<N>) {
    let q = |p: &SVector<f64, N>| G::ad_operator(d).tr_apply(p);
    if let Some(c) = &element.diagonal_compliance {
        let mut f = G::ad_sandwich(d, &(c * (1.0 / 12.0)));
        for i in 0..N {
            f[(i, i)] += c[i]; // (2)
        }
        let factors = Factors::new(&f);
        let p = factors.solve(e); // (3)
        (p, c.component_mul(&q(&p)), factors)
    } else {
        let ad = G::ad(d);
        let f = element.compliance + ad * element.compliance * ad.transpose() * (1.0 / 12.0);
        let factors = Factors::new(&f);
        let p = factors.solve(e);
        (p, element.compliance * q(&p), factors)
    }
}

/// Strain e of eq. (2): that of a curve with constant strain.
#[inline(always)]
pub(super) fn mean_strain<const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    d: &SVector<f64, N>,
) -> SVector<f64, N> {
    d * element.inverse_length - element.reference_strain
}

/// Energy, gradient and Hessian at the relative pose `d`.
#[inline(always)]
pub fn respond<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    d: &SVector<f64, N>,
) -> ElasticResponse<N> {
    if let Some(law) = &element.strip {
        return strip::respond::<G, N, D>(element, law, d);
    }
    let length = element.length;
    let e = mean_strain(element, d);
    if element.kind == ElementKind::ConstantStrain {
        let p = element.section.stiffness * e;
        return ElasticResponse {
            energy: 0.5 * length * e.dot(&p),
            gradient: p,
            hessian: element.section.stiffness * element.inverse_length,
        };
    }
    let (p, r, factors) = wrench::<G, N, D>(element, d, &e);
    let twelfth = length / 12.0;
    let r = r * (1.0 / 12.0);
    // coad(p) is antisymmetric: coad(p)ᵀ K⁻¹ ad_dᵀ and coad(p)ᵀ K⁻¹ coad(p) have a minus sign.
    let (mut y_transposed, mut hessian) = if let Some(c) = &element.diagonal_compliance {
        (
            G::coad_ad_sandwich(&p, &(c * (1.0 / 12.0)), d, &r),
            G::coad_sandwich(&p, &(c * twelfth)),
        )
    } else {
        let coad = G::coad(&p);
        let coad_compliance = coad * element.compliance;
        (
            coad_compliance * G::ad(d).transpose() * (1.0 / 12.0) + G::ad(&r).transpose(),
            coad_compliance * coad * twelfth,
        )
    }; // (6)
    for i in 0..N {
        y_transposed[(i, i)] += element.inverse_length;
    }
    factors.add_sandwich(&y_transposed, length, &mut hessian); // (5)
    ElasticResponse {
        energy: 0.5 * length * e.dot(&p),
        gradient: p + G::ad_operator(&r).tr_apply(&p) * length, // (4), coad(p) r = ad_rᵀ p
        hessian,
    }
}

/// Gradient ∂W/∂d alone.
#[inline(always)]
fn gradient<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    d: &SVector<f64, N>,
) -> SVector<f64, N> {
    if let Some(law) = &element.strip {
        return strip::gradient::<G, N, D>(element, law, d);
    }
    let e = mean_strain(element, d);
    if element.kind == ElementKind::ConstantStrain {
        return element.section.stiffness * e;
    }
    let (p, r, _) = wrench::<G, N, D>(element, d, &e);
    p + G::ad_operator(&r).tr_apply(&p) * (element.length / 12.0) // (4)
}

/// Strains and wrench at the relative pose `d`.
pub fn section_state<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    d: &SVector<f64, N>,
) -> SectionState<N> {
    if let Some(law) = &element.strip {
        return strip::section_state::<G, N, D>(element, law, d);
    }
    let e = mean_strain(element, d);
    let (p, r) = if element.kind == ElementKind::ConstantStrain {
        (element.section.stiffness * e, SVector::zeros())
    } else {
        let (p, r, _) = wrench::<G, N, D>(element, d, &e);
        (p, r)
    };
    SectionState {
        strain: element.compliance * p,
        strain_slope: r * 0.5,
        wrench: p,
    }
}

/// Section wrench at the last node of an element whose ends are `twist` apart, in that node's frame,
/// given its section: (7) with `∂W/∂d = p + (L/6) ad_σᵀ p`, which is (4). The element is in equilibrium
/// by itself, so this is the wrench that acts through all of its sections, each seeing it in its own
/// frame.
pub fn end_wrench<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    twist: &SVector<f64, N>,
    section: &SectionState<N>,
) -> SVector<f64, N> {
    let p = &section.wrench;
    let turned = G::ad_operator(&section.strain_slope).tr_apply(p);
    let gradient = p + turned * (element.length / 6.0);
    G::inverse_tangent(twist).operator().tr_apply(&gradient)
}

/// Where the forces of an element on nodes A and B go (in the nodes' frames; the residual's sign:
/// what the element resists with), and the weighted derivatives of force i by unknown j.
#[derive(Debug)]
pub(crate) struct NodalElastic<'a, const N: usize> {
    /// Added to.
    pub force_a: &'a mut SVector<f64, N>,
    /// Written.
    pub force_b: &'a mut SVector<f64, N>,
    /// Added to.
    pub aa: &'a mut SMatrix<f64, N, N>,
    /// Written, as are the two that follow.
    pub ab: &'a mut SMatrix<f64, N, N>,
    pub ba: &'a mut SMatrix<f64, N, N>,
    pub bb: &'a mut SMatrix<f64, N, N>,
}

/// Relative pose and motion of an element's nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Relative<'a, G, const N: usize> {
    /// H_A⁻¹ H_B.
    pub pose: &'a G,
    /// Its logarithm d.
    pub twist: &'a SVector<f64, N>,
    /// v_A and v_B.
    pub velocities: [&'a SVector<f64, N>; 2],
    /// T⁻¹ of the increments of A and B.
    pub maps: [&'a SMatrix<f64, N, N>; 2],
}

impl<G, const N: usize> Relative<'_, G, N> {
    /// ḋ.
    fn rate<const D: usize>(&self) -> SVector<f64, N>
    where
        G: Group<N, D>,
    {
        let [va, vb] = self.velocities;
        let w = vb - self.pose.adjoint_inverse_operator().apply(va);
        G::inverse_tangent(self.twist).operator().apply(&w)
    }
}

/// Forces on the nodes, eqs. (7), (10).
#[inline(always)]
pub(crate) fn nodal_forces<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    pose: &G,
    twist: &SVector<f64, N>,
    velocities: [&SVector<f64, N>; 2],
) -> [SVector<f64, N>; 2] {
    let inverse = G::inverse_tangent(twist);
    let q = inverse.operator();
    let minus_a = pose.adjoint_inverse_operator().negated();
    let mut g = gradient::<G, N, D>(element, twist);
    let beta = element.rayleigh.stiffness;
    if beta != 0.0 {
        let [va, vb] = velocities;
        let rate = q.apply(&(vb + minus_a.apply(va)));
        g += viscous::force::<G, N, D>(element, twist, &rate) * beta;
    }
    let on_b = q.tr_apply(&g);
    [minus_a.tr_apply(&on_b), on_b]
}

/// Forces and tangents of an element, eqs. (7) to (11).
#[inline(never)]
pub(crate) fn nodal<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    relative: &Relative<'_, G, N>,
    weights: &Weights,
    out: NodalElastic<'_, N>,
) {
    let response = respond::<G, N, D>(element, relative.twist);
    let inverse = G::inverse_tangent(relative.twist);
    let q = inverse.operator();
    let minus_a = relative.pose.adjoint_inverse_operator().negated();
    let on_b = q.tr_apply(&response.gradient); // (7)
    *out.force_a += minus_a.tr_apply(&on_b);
    *out.force_b = on_b;
    let mut by_d = inverse.transpose_derivative(&response.gradient);
    q.add_tr_mul(&response.hessian, &mut by_d);
    *out.bb = q.after(&by_d); // (8)
    if weights.stiffness != 1.0 {
        *out.bb *= weights.stiffness;
    }
    *out.ba = minus_a.after(out.bb); // (9)
    *out.ab = out.ba.transpose();
    minus_a.add_after(out.ab, out.aa);
}

/// The same with stiffness-proportional damping, eqs. (10), (11). The viscous part comes first and
/// needs much of the stack, so nothing else is there yet.
#[inline(never)]
pub(crate) fn nodal_damped<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    relative: &Relative<'_, G, N>,
    weights: &Weights,
    out: NodalElastic<'_, N>,
) {
    let viscous = viscous::respond::<G, N, D>(element, relative.twist, &relative.rate::<D>());
    damped(element, relative, weights, &viscous, out);
}

#[inline(never)]
fn damped<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    relative: &Relative<'_, G, N>,
    weights: &Weights,
    viscous: &ViscousResponse<N>,
    out: NodalElastic<'_, N>,
) {
    let response = respond::<G, N, D>(element, relative.twist);
    let inverse = G::inverse_tangent(relative.twist);
    let q = inverse.operator();
    let minus_a = relative.pose.adjoint_inverse_operator().negated();
    let ([va, vb], [map_a, map_b]) = (relative.velocities, relative.maps);
    let minus_carried = minus_a.apply(va);
    let w = vb + minus_carried;
    let beta = element.rayleigh.stiffness;
    let g = response.gradient + viscous.force * beta;
    let on_b = q.tr_apply(&g);
    *out.force_a += minus_a.tr_apply(&on_b);
    *out.force_b = on_b;
    let rate_by = q.after(&inverse.derivative(&w)) + q.matrix() * G::ad(&minus_carried);
    let by_pose = response.hessian + viscous.by_pose * beta;
    let mut k = q.after(&(inverse.transpose_derivative(&g) + q.tr_mul(&by_pose)))
        + q.tr_mul(&(viscous.matrix * rate_by)) * beta; // (10)
    k *= weights.stiffness;
    let c = q.after(&q.tr_mul(&viscous.matrix)) * (beta * weights.damping);
    let turn = G::coad(&on_b) * weights.stiffness;
    *out.bb = k + c * map_b;
    *out.ba = minus_a.after(&k) + minus_a.after(&c) * map_a;
    *out.ab = minus_a.tr_mul(&(*out.bb - turn)); // (9), (11)
    *out.aa += minus_a.tr_mul(&(*out.ba - minus_a.after(&turn)));
}
