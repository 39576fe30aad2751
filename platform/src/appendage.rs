//! Elastic appendages of a body: modes that its motion shakes and that shake it.
//!
//! With the twist v of the body (own axes), the modal coordinates η of its appendages clamped at their roots,
//! scaled to unit modal mass, and L = ∫ (φ, x × φ) dm, the momentum of each mode per unit of its rate,
//!
//! ```text
//! T = ½ vᵀ M v + vᵀ L η̇ + ½ η̇ᵀ η̇,   U = ½ ηᵀ Ω² η                                   (1)
//! M v̇ + L η̈ − ad_vᵀ (M v + L η̇) − w = 0                                              (2)
//! η̈ + Lᵀ v̇ + 2 Z Ω η̇ + Ω² η = 0                                                      (3)
//! ```
//!
//! M is the inertia of the whole body with its appendages undeformed. Both follow from (1) alone, so
//! momentum and energy are those of one mechanical system, and balance exactly. (1) is of first order in the
//! deflection: inertia does not follow it, nor does the spin stiffen or soften the modes. That holds while
//! deflections are a few hundredths of the appendage's length and the body turns slowly against its modes.
//! A body with appendages feels no gravity.
//!
//! η is linear in the motion of the body, so within a step it is solved for at every iterate of the body,
//! and what it does to the body's own equations is condensed into them: with n the increment of η,
//!
//! ```text
//! D n = −r(0),   D = w_M + 2 Z Ω w_C + Ω²                                            (4)
//! δ(2) = (…) ψ − (L w_M − ad_vᵀ L w_C) D⁻¹ Lᵀ w_M T⁻¹ ψ                              (5)
//! ```
//!
//! Source: hybrid coordinates, Likins 1970 (`likins1970`).

use multibody::dynamics::integrator::Integrator;
use multibody::group::{Group, Se3};
use nalgebra::{Matrix6, SMatrix, SVector, Vector6};
use serde::{Deserialize, Serialize};

/// Most modes that a body may have.
pub const MOST_MODES: usize = 12;

/// A number per mode.
pub type PerMode = SVector<f64, MOST_MODES>;

/// Modes of the appendages of a body; those not used are zero.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Modes {
    /// Number of them.
    pub count: usize,
    /// L: momentum and angular momentum per modal rate, own axes [√kg, √kg·m].
    pub momentum: SMatrix<f64, 6, MOST_MODES>,
    /// Ω² [rad²/s²].
    pub stiffness: PerMode,
    /// 2 Z Ω [1/s].
    pub damping: PerMode,
}

/// Motion of the modes of a body.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ModalMotion {
    /// η [√kg·m].
    pub place: PerMode,
    /// η̇.
    pub rate: PerMode,
    /// η̈.
    pub acceleration: PerMode,
    /// Acceleration-like variable of the generalised-α method.
    pub algorithmic: PerMode,
    /// Energy lost in the damping of the modes since the start [J].
    pub lost: f64,
}

impl Modes {
    /// Momentum that the rates of the modes have, own axes.
    pub fn momentum_of(&self, motion: &ModalMotion) -> Vector6<f64> {
        self.momentum * motion.rate
    }

    /// Energy of the motion of the modes, with what they share with the body's twist, and of their
    /// deflection [J].
    pub fn energies(&self, velocity: &Vector6<f64>, motion: &ModalMotion) -> [f64; 2] {
        if self.count == 0 {
            return [0.0; 2];
        }
        let kinetic = velocity.dot(&self.momentum_of(motion)) + 0.5 * motion.rate.norm_squared();
        let squares = motion.place.component_mul(&motion.place);
        [kinetic, 0.5 * self.stiffness.dot(&squares)] // (1)
    }

    /// Power lost in the damping of the modes [W].
    pub fn lost_power(&self, motion: &ModalMotion) -> f64 {
        self.damping.dot(&motion.rate.component_mul(&motion.rate))
    }

    /// The inertia that answers a jump of the wrench, M − L Lᵀ.
    pub fn instantaneous(&self, inertia: &Matrix6<f64>) -> Matrix6<f64> {
        inertia - self.momentum * self.momentum.transpose()
    }

    /// How the modes' accelerations follow a jump of the body's.
    pub fn jump(&self, motion: &mut ModalMotion, acceleration: &Vector6<f64>) {
        let jump = -self.momentum.tr_mul(acceleration); // (3)
        motion.acceleration += jump;
        motion.algorithmic += jump;
    }

    /// Inertia forces of the modes on the body, which moves with the twist v: L η̈ − ad_vᵀ L η̇ of eq. (2).
    pub fn force(&self, velocity: &Vector6<f64>, motion: &ModalMotion) -> Vector6<f64> {
        self.momentum * motion.acceleration - Se3::ad(velocity).tr_mul(&self.momentum_of(motion))
    }

    /// The end of a step from `before`, at the end of which the body has this acceleration: eq. (4).
    pub fn end(
        &self,
        before: &ModalMotion,
        integrator: &Integrator,
        acceleration: &Vector6<f64>,
    ) -> ModalMotion {
        if self.count == 0 {
            return *before;
        }
        let past = [&before.rate, &before.acceleration, &before.algorithmic];
        let none = integrator.follow(past, &PerMode::zeros());
        let left = none.acceleration
            + self.momentum.tr_mul(acceleration)
            + self.damping.component_mul(&none.velocity)
            + self.stiffness.component_mul(&before.place);
        let increment = -left.component_div(&self.resistance(integrator)); // (4)
        let end = integrator.follow(past, &increment);
        let mut out = ModalMotion {
            place: before.place + increment,
            rate: end.velocity,
            acceleration: end.acceleration,
            algorithmic: end.algorithmic,
            lost: before.lost,
        };
        // By the trapezoidal rule, as all that is lost.
        out.lost += 0.5 * integrator.step() * (self.lost_power(before) + self.lost_power(&out));
        out
    }

    /// D of eq. (4).
    fn resistance(&self, integrator: &Integrator) -> PerMode {
        let weights = integrator.weights();
        (self.damping * weights.damping + self.stiffness).add_scalar(weights.inertia)
    }

    /// What the modes add to the derivative of the body's equations by ψ, with `map` T⁻¹ of its step:
    /// eq. (5) and the change of ad_vᵀ L η̇ with v.
    pub fn tangent(
        &self,
        velocity: &Vector6<f64>,
        motion: &ModalMotion,
        integrator: &Integrator,
        map: &Matrix6<f64>,
    ) -> Matrix6<f64> {
        let weights = integrator.weights();
        let own = self.momentum * weights.inertia
            - Se3::ad(velocity).tr_mul(&self.momentum) * weights.damping;
        let mut answer = self.momentum.transpose() * weights.inertia;
        let resistance = self.resistance(integrator);
        for (mut row, d) in answer.row_iter_mut().zip(resistance.iter()) {
            row /= *d;
        }
        let by_twist = Se3::coad(&self.momentum_of(motion)) * weights.damping;
        -(own * answer + by_twist) * map
    }
}
