//! The curve inside an element.
//!
//! The strain is known to vary linearly (see [`super::elastic`]); the part of the element from
//! its first node to arc length `s` has the mean strain `f_c = f̄ + (s/L − 1) σ` and the half
//! difference `σ s/L`, so by the fourth-order Magnus expansion
//!
//! ```text
//! H(s) = H_A exp(Ω(s)),   Ω(s) = s f_c + (s²/6) [f_c, σ s/L]                  (1)
//! ```
//!
//! At `s = L` this misses H_B by a term of fifth order in L, which is spread over the element so
//! that the curve meets both nodes.

use super::elastic::SectionState;
use super::{BeamElement, elastic};
use crate::group::Group;
use nalgebra::SVector;

/// Ω of (1) at the fraction `xi` ∈ [0, 1] of an element with this section.
pub(crate) fn from_first<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    state: &SectionState<N>,
    xi: f64,
) -> SVector<f64, N> {
    let s = xi * element.length;
    let mean = state.strain + element.reference_strain;
    let centre = mean + state.strain_slope * (xi - 1.0);
    let slope = state.strain_slope * xi;
    centre * s + G::ad(&centre) * slope * (s * s / 6.0) // (1)
}

/// Pose at the fraction `xi` ∈ [0, 1] of an element between the poses `h_a` and `h_b`. `None`
/// when the two are turned by half a turn against each other.
pub fn pose_at<G: Group<N, D>, const N: usize, const D: usize>(
    element: &BeamElement<N, D>,
    h_a: &G,
    h_b: &G,
    xi: f64,
) -> Option<G> {
    let h_ab = h_a.between(h_b);
    let d = h_ab.log().ok()?;
    let state = elastic::section_state::<G, N, D>(element, &d);
    let partial = |fraction: f64| from_first::<G, N, D>(element, &state, fraction);
    let end = G::exp(&partial(1.0));
    let miss = end.between(&h_ab).log().ok()?;
    Some(
        h_a.compose(&G::exp(&partial(xi)))
            .compose(&G::exp(&(miss * xi))),
    )
}
