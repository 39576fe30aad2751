//! The reduced equation of motion of the four-bar, its pin reactions and its energies.
//!
//! Every body coordinate (the centre of mass Gᵢ and the angle θᵢ of each bar) is a function of q1.
//! With S the column of their derivatives in q1 and S' that of their second derivatives, the
//! Newton–Euler equations projected on the one admissible motion are
//!
//! ```text
//! S = (G1', θ1', G2', θ2', G3', θ3'),   M = diag(mᵢ, mᵢ, Iᵢ)                 (1)
//! m(q1) = Sᵀ M S = Σ mᵢ Gᵢ'·Gᵢ' + Iᵢ kᵢ²                                     (2)
//! b(q1) = Sᵀ M S' = Σ mᵢ Gᵢ'·Gᵢ'' + Iᵢ kᵢ kᵢ' = ½ dm/dq1                     (3)
//! Q(q1) = Σ mᵢ g·Gᵢ' + τ1 + k3 τ3                                            (4)
//! m q̈1 + b q̇1² = Q                                                          (5)
//! θ̈ᵢ = kᵢ q̈1 + kᵢ' q̇1²,   G̈ᵢ = Gᵢ' q̈1 + Gᵢ'' q̇1²                          (6)
//! ```
//!
//! The reactions follow bar by bar, with fᵢ = mᵢ (G̈ᵢ − g) and eᵢ the direction of bar i. Moments
//! of link 3 about C and of bar 2 about A give the force B on link 3, forces give the others:
//!
//! ```text
//! L3 e3 × F_B = I3 θ̈3 + ½ L3 e3 × f3 − τ3                                    (7)
//! L2 e2 × F_B = −(I2 θ̈2 + ½ L2 e2 × f2)                                      (8)
//! F_A = f2 + F_B,   F_O = f1 + F_A,   F_C = f3 − F_B                         (9)
//! ```
//!
//! Symbols: the table of the parent module, and kᵢ, kᵢ' of `closure.rs`; m and b in kg·m², Q in
//! N·m, F in N. Moments of link 1 about O are not used by (7) to (9); the tests hold them against
//! (5). Source: García de Jalón & Bayo 1994 (`garciadejalon1994`), chapter 5.

use super::plane::{Vector, add_scaled, cross, dot, normal, scale, unit};
use super::{Configuration, FourBar, PerBar};

/// Torques of the ground on the links, positive counter-clockwise.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Torques {
    /// On link 1 [N·m].
    pub link1: f64,
    /// On link 3 [N·m].
    pub link3: f64,
}

/// The coefficients of (5).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReducedEquation {
    /// Inertia m(q1) [kg·m²].
    pub inertia: f64,
    /// Factor b(q1) of q̇1² [kg·m²].
    pub bias: f64,
    /// Generalised load Q(q1) [N·m].
    pub load: f64,
}

/// Pin forces in ground axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reactions {
    /// Force of the ground at O on link 1 [N].
    pub o_on_link1: [f64; 2],
    /// Force of link 1 at A on bar 2 [N].
    pub a_on_bar2: [f64; 2],
    /// Force of bar 2 at B on link 3 [N].
    pub b_on_link3: [f64; 2],
    /// Force of the ground at C on link 3 [N].
    pub c_on_link3: [f64; 2],
}

/// Mechanical energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energy {
    /// Kinetic energy [J].
    pub kinetic: f64,
    /// Potential energy of gravity, zero at the origin [J].
    pub gravity: f64,
}

impl Energy {
    /// Kinetic and potential energy together [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravity
    }
}

/// A centre of mass [m] and its first and second derivative in q1 [m/rad, m/rad²].
struct Centre {
    position: Vector,
    slope: Vector,
    curvature: Vector,
}

impl FourBar {
    /// The reduced equation of motion (5) at a configuration.
    pub fn reduced_equation(
        &self,
        configuration: &Configuration,
        torques: Torques,
    ) -> ReducedEquation {
        let ratios = configuration.ratios.into_array();
        let ratio_slopes = configuration.ratio_slopes.into_array();
        let bars = self.data.bars.into_array();
        let mut equation = ReducedEquation {
            inertia: 0.0,
            bias: 0.0,
            load: torques.link1 + configuration.ratios.link3 * torques.link3,
        };
        for (i, centre) in self.centres(configuration).iter().enumerate() {
            let bar = bars[i];
            let square = dot(centre.slope, centre.slope);
            let mixed = dot(centre.slope, centre.curvature);
            equation.inertia += bar.mass * square + bar.inertia * ratios[i] * ratios[i]; // (2)
            equation.bias += bar.mass * mixed + bar.inertia * ratios[i] * ratio_slopes[i]; // (3)
            equation.load += bar.mass * dot(self.data.gravity, centre.slope); // (4)
        }
        equation
    }

    /// Angular accelerations of the three bars [rad/s²] at a rate of q1 [rad/s].
    pub fn accelerations(
        &self,
        configuration: &Configuration,
        q1_rate: f64,
        torques: Torques,
    ) -> PerBar<f64> {
        let ReducedEquation {
            inertia,
            bias,
            load,
        } = self.reduced_equation(configuration, torques);
        let square = q1_rate * q1_rate;
        let q1_acceleration = (load - bias * square) / inertia; // (5)
        let (ratios, slopes) = (configuration.ratios, configuration.ratio_slopes);
        PerBar {
            link1: q1_acceleration,
            bar2: ratios.bar2 * q1_acceleration + slopes.bar2 * square, // (6)
            link3: ratios.link3 * q1_acceleration + slopes.link3 * square,
        }
    }

    /// Pin forces at a rate of q1 [rad/s] and the accelerations that belong to it [rad/s²].
    pub fn reactions(
        &self,
        configuration: &Configuration,
        q1_rate: f64,
        accelerations: &PerBar<f64>,
        torques: Torques,
    ) -> Reactions {
        let PerBar { bar2, link3, .. } = self.data.bars;
        let [f1, f2, f3] = self.inertial_forces(configuration, q1_rate, accelerations.link1);
        let e2 = unit(configuration.angles.bar2);
        let e3 = unit(configuration.angles.link3);
        let moment3 = link3.inertia * accelerations.link3 - torques.link3;
        let e3_cross_b = moment3 / link3.length + 0.5 * cross(e3, f3); // (7)
        let moment2 = bar2.inertia * accelerations.bar2;
        let e2_cross_b = -(moment2 / bar2.length + 0.5 * cross(e2, f2)); // (8)
        let sine = cross(e2, e3);
        let b_on_link3 = add_scaled(scale(-e3_cross_b / sine, e2), e2_cross_b / sine, e3);
        let a_on_bar2 = add_scaled(f2, 1.0, b_on_link3); // (9)
        let o_on_link1 = add_scaled(f1, 1.0, a_on_bar2);
        let c_on_link3 = add_scaled(f3, -1.0, b_on_link3);
        Reactions {
            o_on_link1,
            a_on_bar2,
            b_on_link3,
            c_on_link3,
        }
    }

    /// Energies at a rate of q1 [rad/s].
    pub fn energy(&self, configuration: &Configuration, q1_rate: f64) -> Energy {
        let inertia = self
            .reduced_equation(configuration, Torques::default())
            .inertia;
        let masses = self.data.bars.into_array().map(|bar| bar.mass);
        let centres = self.centres(configuration);
        let work = |(mass, centre): (f64, &Centre)| mass * dot(self.data.gravity, centre.position);
        Energy {
            kinetic: 0.5 * inertia * q1_rate * q1_rate,
            gravity: -masses.into_iter().zip(&centres).map(work).sum::<f64>(),
        }
    }

    /// The forces fᵢ = mᵢ (G̈ᵢ − g) that the pins of each bar supply together [N].
    fn inertial_forces(
        &self,
        configuration: &Configuration,
        q1_rate: f64,
        q1_acceleration: f64,
    ) -> [Vector; 3] {
        let masses = self.data.bars.into_array().map(|bar| bar.mass);
        let centres = self.centres(configuration);
        core::array::from_fn(|i| {
            let turning = scale(q1_rate * q1_rate, centres[i].curvature);
            let acceleration = add_scaled(turning, q1_acceleration, centres[i].slope); // (6)
            scale(masses[i], add_scaled(acceleration, -1.0, self.data.gravity))
        })
    }

    /// The centres of mass and their derivatives in q1, the translational rows of S and S' (1).
    fn centres(&self, configuration: &Configuration) -> [Centre; 3] {
        let lengths = self.data.bars.into_array().map(|bar| bar.length);
        let angles = configuration.angles.into_array();
        let ratios = configuration.ratios.into_array();
        let slopes = configuration.ratio_slopes.into_array();
        let half = |i: usize| {
            let e = scale(0.5 * lengths[i], unit(angles[i]));
            let turned = scale(slopes[i], normal(e));
            Centre {
                position: e,
                slope: scale(ratios[i], normal(e)),
                curvature: add_scaled(turned, -ratios[i] * ratios[i], e),
            }
        };
        let (mut first, mut second, mut third) = (half(0), half(1), half(2));
        second.position = add_scaled(second.position, 1.0, configuration.pin_a);
        second.slope = add_scaled(second.slope, 2.0, first.slope);
        second.curvature = add_scaled(second.curvature, 2.0, first.curvature);
        first.position = add_scaled(first.position, 1.0, self.data.lower_pivot);
        third.position = add_scaled(third.position, 1.0, self.data.upper_pivot);
        [first, second, third]
    }
}
