//! One step of the generalised-α method for one node: all that is known of the method is here.
//!
//! ```text
//! H_{k+1} = H_k exp(n),   n = h v_k + h² (½ − β) a_k + h² β a_{k+1}             (1)
//! v_{k+1} = v_k + h (1 − γ) a_k + h γ a_{k+1}                                   (2)
//! (1 − α_m) a_{k+1} + α_m a_k = (1 − α_f) v̇_{k+1} + α_f v̇_k                     (3)
//! α_m = (2ρ − 1)/(ρ + 1),  α_f = ρ/(ρ + 1),  γ = ½ + α_f − α_m,  β = ¼ (γ + ½)² (4)
//! ```
//!
//! Brüls, Cardona & Arnold 2012 (`bruls2012`), after Chung & Hulbert 1993 (`chung1993`). The unknown
//! of a step is the increment n; v, v̇ and a at its end follow from it. Models, bodies of a larger
//! system and derivatives of steps ask an [`Integrator`] how; another method is another one of it.

use crate::element::inertia::Weights;
use nalgebra::SVector;

/// The method for one step size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Integrator {
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
    /// h [s].
    step: f64,
}

/// Velocity of a node and what the method keeps of its past.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates<const N: usize> {
    /// v [m/s, rad/s].
    pub velocity: SVector<f64, N>,
    /// v̇ [m/s², rad/s²].
    pub acceleration: SVector<f64, N>,
    /// a, the acceleration-like variable of the method [m/s², rad/s²].
    pub algorithmic: SVector<f64, N>,
}

impl Integrator {
    /// For the spectral radius at infinite frequency ρ∞ and steps of `step` [s].
    pub fn new(spectral_radius: f64, step: f64) -> Self {
        let rho = spectral_radius;
        let alpha_m = (2.0 * rho - 1.0) / (rho + 1.0); // (4)
        let alpha_f = rho / (rho + 1.0);
        let gamma = 0.5 + alpha_f - alpha_m;
        Self {
            alpha_m,
            alpha_f,
            beta: 0.25 * (gamma + 0.5) * (gamma + 0.5),
            gamma,
            step,
        }
    }

    /// Step size h [s].
    #[inline]
    pub fn step(&self) -> f64 {
        self.step
    }

    /// How pose, velocity and acceleration follow the increment.
    pub fn weights(&self) -> Weights {
        let h = self.step;
        Weights {
            stiffness: 1.0,
            damping: self.gamma / (h * self.beta),
            inertia: (1.0 - self.alpha_m) / (h * h * self.beta * (1.0 - self.alpha_f)),
        }
    }

    /// ∂a_{k+1}/∂n [1/s²].
    #[inline]
    pub fn algorithmic_by_increment(&self) -> f64 {
        1.0 / (self.step * self.step * self.beta)
    }

    /// First guess of n: a_{k+1} = a_k.
    #[inline]
    pub fn predict<const N: usize>(
        &self,
        velocity: &SVector<f64, N>,
        algorithmic: &SVector<f64, N>,
    ) -> SVector<f64, N> {
        let h = self.step;
        velocity * h + algorithmic * (0.5 * h * h)
    }

    /// A calmer guess of n where accelerations oscillate: the velocity stays.
    #[inline]
    pub fn predict_calmly<const N: usize>(&self, velocity: &SVector<f64, N>) -> SVector<f64, N> {
        velocity * self.step
    }

    /// n for a given a_{k+1} = `end`, (1).
    #[inline]
    pub fn increment<const N: usize>(
        &self,
        velocity: &SVector<f64, N>,
        algorithmic: &SVector<f64, N>,
        end: &SVector<f64, N>,
    ) -> SVector<f64, N> {
        let h = self.step;
        let bent = algorithmic * (0.5 - self.beta) + end * self.beta;
        velocity * h + bent * (h * h)
    }

    /// What n leads to, (1) to (3).
    #[inline(always)]
    pub fn follow<const N: usize>(
        &self,
        [v, v_dot, a]: [&SVector<f64, N>; 3],
        increment: &SVector<f64, N>,
    ) -> Rates<N> {
        let Self {
            alpha_m,
            alpha_f,
            beta,
            gamma,
            step: h,
        } = *self;
        let (per_square, by_f) = (self.algorithmic_by_increment(), 1.0 / (1.0 - alpha_f));
        let algorithmic = (increment - v * h - a * (h * h * (0.5 - beta))) * per_square; // (1)
        Rates {
            velocity: v + a * (h * (1.0 - gamma)) + algorithmic * (h * gamma), // (2)
            acceleration: (algorithmic * (1.0 - alpha_m) + a * alpha_m - v_dot * alpha_f) * by_f, // (3)
            algorithmic,
        }
    }

    /// What (1) changes by with β = 1/6, the value that makes it third-order accurate, per change of
    /// a over the step: the error of n, in s².
    #[inline]
    pub fn error_by_algorithmic(&self) -> f64 {
        self.step.powi(2) * (self.beta - 1.0 / 6.0)
    }
}
