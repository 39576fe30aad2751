//! Newmark's method and the generalised-α method for a linear system.
//!
//! ```text
//! M a_{n+1−α_m} + C v_{n+1−α_f} + K q_{n+1−α_f} = f(t_{n+1−α_f})                 (1)
//! q_{n+1} = q_n + h v_n + h² (½ − β) a_n + h² β a_{n+1}                         (2)
//! v_{n+1} = v_n + h (1 − γ) a_n + h γ a_{n+1}                                   (3)
//! ```
//!
//! with `x_{n+1−α} = (1 − α) x_{n+1} + α x_n`. Newmark's method (`newmark1959`) has
//! `α_m = α_f = 0`: β = ¼, γ = ½ keeps the energy of an undamped system and is stable for any h;
//! γ > ½ damps and costs an order. The generalised-α method (`chung1993`) keeps second order with
//! the spectral radius ρ∞ at high frequencies:
//!
//! ```text
//! α_m = (2ρ∞ − 1)/(ρ∞ + 1),  α_f = ρ∞/(ρ∞ + 1),  γ = ½ − α_m + α_f,  β = ¼ (γ + ½)²   (4)
//! ```
//!
//! The matrix `(1 − α_m) M + (1 − α_f)(γ h C + β h² K)` is factorised once. The system is a beam,
//! or any model, about its equilibrium ([`multibody::modal::reduce`]), or the reader's own.

use multibody::error::{Error, Result, require};
use multibody::modal::SecondOrder;
use nalgebra::{DMatrix, DVector, Dyn, LU};

/// Coefficients of a method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scheme {
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
}

impl Scheme {
    /// Newmark's method with β ∈ [0, ½] and γ ∈ [½, 1].
    pub fn newmark(beta: f64, gamma: f64) -> Result<Self> {
        let owner = "Newmark's method";
        let ok = (0.0..=0.5).contains(&beta);
        require(ok, owner, "beta", beta, "0 to 0.5")?;
        let ok = (0.5..=1.0).contains(&gamma);
        require(ok, owner, "gamma", gamma, "0.5 to 1")?;
        Ok(Self {
            alpha_m: 0.0,
            alpha_f: 0.0,
            beta,
            gamma,
        })
    }

    /// Newmark's method with β = ¼, γ = ½ (average acceleration).
    pub fn average_acceleration() -> Self {
        Self {
            alpha_m: 0.0,
            alpha_f: 0.0,
            beta: 0.25,
            gamma: 0.5,
        }
    }

    /// The generalised-α method with spectral radius ρ∞ ∈ [0, 1], eq. (4).
    pub fn generalized_alpha(spectral_radius: f64) -> Result<Self> {
        let rho = spectral_radius;
        let ok = (0.0..=1.0).contains(&rho);
        require(ok, "generalised-α method", "spectral radius", rho, "0 to 1")?;
        let alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
        let alpha_f = rho / (rho + 1.0);
        let gamma = 0.5 - alpha_m + alpha_f;
        Ok(Self {
            alpha_m,
            alpha_f,
            beta: 0.25 * (gamma + 0.5).powi(2),
            gamma,
        })
    }
}

/// State of a linear system.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearState {
    /// Time [s].
    pub time: f64,
    /// Coordinates q.
    pub position: DVector<f64>,
    /// Rates q̇.
    pub velocity: DVector<f64>,
    /// Accelerations q̈.
    pub acceleration: DVector<f64>,
}

fn singular(system: &SecondOrder, problem: &'static str) -> Error {
    Error::Modal {
        problem,
        asked: system.order(),
        available: 0,
    }
}

/// Deflection under a constant force: `K q = f`.
pub fn static_response(system: &SecondOrder, force: &DVector<f64>) -> Result<DVector<f64>> {
    check_length(system, "force", force)?;
    let solution = system.stiffness.clone().lu().solve(force);
    solution.ok_or_else(|| singular(system, "the stiffness is singular: a motion is free"))
}

fn check_length(system: &SecondOrder, quantity: &'static str, v: &DVector<f64>) -> Result<()> {
    let ok = v.len() == system.order();
    let length = v.len() as f64;
    require(
        ok,
        "linear system",
        quantity,
        length,
        "as long as the system",
    )
}

/// The state with the acceleration that position, velocity and force demand at `time` [s].
pub fn initial_state(
    system: &SecondOrder,
    time: f64,
    position: DVector<f64>,
    velocity: DVector<f64>,
    force: &DVector<f64>,
) -> Result<LinearState> {
    for (quantity, vector) in [
        ("position", &position),
        ("velocity", &velocity),
        ("force", force),
    ] {
        check_length(system, quantity, vector)?;
    }
    let right = force - &system.damping * &velocity - &system.stiffness * &position;
    let acceleration = system.mass.clone().lu().solve(&right);
    let acceleration = acceleration.ok_or_else(|| singular(system, "the mass is singular"))?;
    Ok(LinearState {
        time,
        position,
        velocity,
        acceleration,
    })
}

/// Kinetic plus strain energy, `½ vᵀMv + ½ qᵀKq` [J].
pub fn energy(system: &SecondOrder, state: &LinearState) -> f64 {
    let (q, v) = (&state.position, &state.velocity);
    0.5 * (v.dot(&(&system.mass * v)) + q.dot(&(&system.stiffness * q)))
}

/// A method for one system and one step size, its matrix factorised.
#[derive(Debug, Clone)]
pub struct Stepper<'a> {
    system: &'a SecondOrder,
    scheme: Scheme,
    step: f64,
    factors: LU<f64, Dyn, Dyn>,
    force: DVector<f64>,
}

impl<'a> Stepper<'a> {
    /// Prepares steps of `step` seconds.
    pub fn new(system: &'a SecondOrder, scheme: Scheme, step: f64) -> Result<Self> {
        require(step > 0.0, "linear system", "step", step, "> 0 s")?;
        let Scheme {
            alpha_m,
            alpha_f,
            beta,
            gamma,
        } = scheme;
        let elastic: DMatrix<f64> =
            &system.damping * (gamma * step) + &system.stiffness * (beta * step * step);
        let factors = (&system.mass * (1.0 - alpha_m) + elastic * (1.0 - alpha_f)).lu();
        if !factors.is_invertible() {
            return Err(singular(system, "the matrix of the time step is singular"));
        }
        Ok(Self {
            system,
            scheme,
            step,
            factors,
            force: DVector::zeros(system.order()),
        })
    }

    /// One step; `force` writes f(t).
    pub fn step(
        &mut self,
        state: &mut LinearState,
        mut force: impl FnMut(f64, &mut DVector<f64>),
    ) -> Result<()> {
        let Scheme {
            alpha_m,
            alpha_f,
            beta,
            gamma,
        } = self.scheme;
        let h = self.step;
        // The parts of (2) and (3) that are known.
        let q =
            &state.position + &state.velocity * h + &state.acceleration * (h * h * (0.5 - beta));
        let v = &state.velocity + &state.acceleration * (h * (1.0 - gamma));
        self.force.fill(0.0);
        force(state.time + (1.0 - alpha_f) * h, &mut self.force);
        let blend = |new: &DVector<f64>, old: &DVector<f64>| new * (1.0 - alpha_f) + old * alpha_f;
        let right = &self.force
            - &self.system.damping * blend(&v, &state.velocity)
            - &self.system.stiffness * blend(&q, &state.position)
            - &self.system.mass * &state.acceleration * alpha_m; // (1)
        let solution = self.factors.solve(&right);
        let a = solution
            .ok_or_else(|| singular(self.system, "the matrix of the time step is singular"))?;
        state.position = q + &a * (h * h * beta); // (2)
        state.velocity = v + &a * (h * gamma); // (3)
        state.acceleration = a;
        state.time += h;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
