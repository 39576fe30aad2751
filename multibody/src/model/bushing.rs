//! A spring-damper in all directions between a frame on body A and one on body B: a bushing, or a
//! latch that has closed.
//!
//! With the poses P of B's frame and Q of A's, their places F_B and F_A on the bodies and
//! `Z = P⁻¹ Q`:
//!
//! ```text
//! e = log Z,  ζ = J_A ψ_A + J_B ψ_B,  ν = J_A v_A + J_B v_B                      (1)
//! J_A = Ad_{F_A}⁻¹,  J_B = −Ad_Z⁻¹ Ad_{F_B}⁻¹                                    (2)
//! w = −T⁻ᵀ(e) K e − D ν,  w_A = J_Aᵀ w,  w_B = J_Bᵀ w                            (3)
//! U = ½ eᵀ K e,  P = νᵀ D ν                                                     (4)
//! ```
//!
//! e deformation [m, rad], ν its rate as a twist in the axes of Q, w the wrench on A there, K
//! stiffness and D damping, symmetric and positive semidefinite, U energy [J], P dissipated power
//! [W]. Since Z turns by ζ, δJ_B = −ad_ζ J_B, and with `coad(w) ζ = ad_ζᵀ w`
//!
//! ```text
//! δw = −([∂(T⁻ᵀ(e) p)/∂e at p = K e] + T⁻ᵀ K) T⁻¹ ζ − D ad(J_B v_B) ζ − D (J_A δv_A + J_B δv_B)
//! δw_A = J_Aᵀ δw,  δw_B = J_Bᵀ (δw − coad(w) ζ)                                  (5)
//! ```
//!
//! e is a full logarithm: (3) is exact for any deformation short of a half turn.

use super::joint::Body;
use crate::group::{Group, LogAmbiguous};
use nalgebra::{SMatrix, SVector};

/// A bushing; without deformation where its frames coincide.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Bushing<G, const N: usize> {
    /// F_A: its frame on body A, in whose axes stiffness and damping are.
    pub on_a: G,
    /// F_B: its frame on body B.
    pub on_b: G,
    /// K [N/m, N·m/rad].
    pub stiffness: SMatrix<f64, N, N>,
    /// D [N·s/m, N·m·s/rad].
    pub damping: SMatrix<f64, N, N>,
}

/// A bushing in a model.
#[derive(Debug, Clone)]
pub(crate) struct MountedBushing<G, const N: usize> {
    pub name: String,
    /// A, then B.
    pub bodies: [Body; 2],
    pub bushing: Bushing<G, N>,
    /// Coupling of the two nodes.
    pub coupling: Option<usize>,
}

/// Wrenches of a bushing, in the frames of the bodies, A first.
#[derive(Debug, Clone, Copy)]
pub struct BushingResponse<const N: usize> {
    /// On the bodies, (3).
    pub wrenches: [SVector<f64, N>; 2],
    /// Their derivatives by the twists ψ of the bodies: `by_pose[i][j]` of wrench i by body j.
    pub by_pose: [[SMatrix<f64, N, N>; 2]; 2],
    /// Their derivatives by the velocities.
    pub by_velocity: [[SMatrix<f64, N, N>; 2]; 2],
    /// Energy stored [J].
    pub energy: f64,
    /// Power dissipated [W].
    pub power: f64,
}

impl<G, const N: usize> Bushing<G, N> {
    /// The response to the poses and velocities of bodies A and B.
    pub fn respond<const D: usize>(
        &self,
        poses: [&G; 2],
        velocities: [&SVector<f64, N>; 2],
    ) -> Result<BushingResponse<N>, LogAmbiguous>
    where
        G: Group<N, D>,
    {
        let q = poses[0].compose(&self.on_a);
        let p = poses[1].compose(&self.on_b);
        let z = p.between(&q);
        let e = z.log()?; // (1)
        let maps = [
            self.on_a.adjoint_inverse(),
            -(z.adjoint_inverse() * self.on_b.adjoint_inverse()),
        ]; // (2)
        let carried = maps[1] * velocities[1];
        let rate = maps[0] * velocities[0] + carried;
        let load = self.stiffness * e;
        let inverse = G::tangent_inverse(&e);
        let wrench = -(inverse.tr_mul(&load) + self.damping * rate); // (3)
        let elastic = (G::tangent_inverse_transpose_derivative(&e, &load)
            + inverse.tr_mul(&self.stiffness))
            * inverse;
        let turn = -(elastic + self.damping * G::ad(&carried)); // (5)
        let turns = [turn, turn - G::coad(&wrench)];
        Ok(BushingResponse {
            wrenches: maps.map(|map| map.tr_mul(&wrench)),
            by_pose: [0, 1].map(|i| [0, 1].map(|j| maps[i].tr_mul(&turns[i]) * maps[j])),
            by_velocity: [0, 1].map(|i| [0, 1].map(|j| -(maps[i].tr_mul(&self.damping) * maps[j]))),
            energy: 0.5 * e.dot(&load), // (4)
            power: rate.dot(&(self.damping * rate)),
        })
    }
}
