//! The end effector's motion over a macro step, as a function of a few unknowns.
//!
//! The motion over a step H is one cubic in the coordinates ξ of the Lie algebra
//! (`munthekaas1999`), and so is, but for the curvature of the group, the way of every joint: legs
//! are told positions and velocities at its end. With the poses `H_0 exp(ξ)`, the twists
//! `v = T(ξ) ξ̇` and s = t/H,
//!
//! ```text
//! ξ(s) = s (1 − s)² H v_0 + s² (3 − 2s) ξ_1 + s² (s − 1) H ξ̇_1                  (1)
//! ξ̈_i = T⁻¹(ξ_i) v̇_i + (d/dt T⁻¹(ξ_i)) v_i,     s_i = 0, ½, 1                   (2)
//! ξ̇_1 = v_0 + H Σ b_i ξ̈_i,              b = (1/6, 2/3, 1/6)                     (3)
//! ξ_1 = H v_0 + H² Σ b̄_i ξ̈_i,           b̄ = (1/6 + κ, 1/3 − 2κ, κ)              (4)
//! ```
//!
//! where v̇_i follows from the forces on the end effector in that place with that velocity. Not the
//! second derivative of (1), which legs would feel as jumps between steps only, but forces make the
//! motion. These are not the forces at the three nodes, in which waves of the leaves would look
//! slow (aliasing), but those of the cubic nearest to the force over the whole step
//! ([`leg_core::series`]): its moments, and so the impulse and the work on the legs, are those
//! of the force itself, and nothing has to be known of the force at the start, which jumps with
//! the acceleration of the tip.
//!
//! κ = 0 is the Lobatto IIIA method of order 4 (`hairer1996`, section IV.5), A-stable but without
//! any damping. κ < 0 damps, with order 3. For `ẍ = −ω² x − d ẋ` the spectral radius is at most 1
//! for all ω H and d H, and for ω H → ∞ or d H → ∞ a step shrinks the velocity to a fraction
//!
//! ```text
//! ρ∞ = (1 + 18κ)/(1 − 18κ),     κ = −(1 − ρ∞)/(18 (1 + ρ∞))                     (5)
//! ```
//!
//! of itself, so κ is chosen as the legs' integrators are. The obvious alternative, a cubic whose
//! second derivative satisfies the equations of motion at two points (collocation), is unstable for
//! ω H > 2.6 at the nodes of Radau's method; one that satisfies them in the mean and to the first
//! moment is unstable, too.

use crate::body::BodyState;
use multibody::group::{Group, Se3};
use nalgebra::{Matrix6, Vector6};

/// Number of nodes: start, middle and end.
pub const NODES: usize = 3;
/// Weights of Simpson's rule, b of eq. (3).
pub const SIMPSON: [f64; NODES] = [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0];

/// Weights of the nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// b of eq. (3).
    pub velocity: [f64; NODES],
    /// b̄ of eq. (4).
    pub position: [f64; NODES],
}

impl Weights {
    /// For ρ∞ of eq. (5).
    pub fn new(spectral_radius: f64) -> Self {
        let kappa = (spectral_radius - 1.0) / (18.0 * (1.0 + spectral_radius)); // (5)
        Self {
            velocity: SIMPSON,
            position: [1.0 / 6.0 + kappa, 1.0 / 3.0 - 2.0 * kappa, kappa],
        }
    }
}

/// Number of stages: middle and end.
pub const STAGES: usize = 2;

/// The motion at a stage.
#[derive(Debug, Clone, Copy)]
pub struct Stage {
    /// Time [s].
    pub time: f64,
    /// The end effector then; its acceleration is not known from the motion alone.
    pub state: BodyState,
    /// ξ, the twist from the start.
    pub twist: Vector6<f64>,
    /// ξ̇ [1/s].
    pub rate: Vector6<f64>,
    /// T⁻¹(ξ).
    pub map: Matrix6<f64>,
    /// T(ξ).
    pub turn: Matrix6<f64>,
}

/// How ξ and H ξ̇ at a stage of a cubic depend on ξ_1 and H ξ̇_1.
pub const CUBIC_PARTIALS: [[[f64; 2]; 2]; 2] =
    [[[0.5, -0.125], [1.5, -0.25]], [[1.0, 0.0], [0.0, 1.0]]];

/// A motion over a macro step.
#[derive(Debug, Clone)]
pub struct CubicMotion {
    /// How its nodes count.
    pub weights: Weights,
    /// Start [s].
    pub start: f64,
    /// Length H [s].
    pub length: f64,
    /// Where it starts.
    pub from: BodyState,
    /// The unknowns ξ_1 and H ξ̇_1 (m, rad).
    pub unknowns: [Vector6<f64>; STAGES],
    /// The stages; the last one is the end of the step.
    pub stages: [Stage; STAGES],
}

impl CubicMotion {
    /// The motion from `from` with these accelerations at the stages, guessed.
    pub fn new(
        weights: Weights,
        start: f64,
        length: f64,
        from: &BodyState,
        guess: &[Vector6<f64>],
    ) -> Self {
        let square = length * length;
        let straight = from.velocity * length;
        let Weights { velocity, position } = weights;
        let weigh = |weights: [f64; NODES]| {
            let sum =
                from.acceleration * weights[0] + guess[0] * weights[1] + guess[1] * weights[2];
            straight + sum * square
        };
        let unknowns = [weigh(position), weigh(velocity)];
        let resting = Stage {
            time: start + length,
            state: *from,
            twist: Vector6::zeros(),
            rate: from.velocity,
            map: Matrix6::identity(),
            turn: Matrix6::identity(),
        };
        let mut stages = [resting; STAGES];
        stages[0].time = start + 0.5 * length;
        let mut out = Self {
            weights,
            start,
            length,
            from: *from,
            unknowns,
            stages,
        };
        out.follow();
        out
    }

    /// The same with changed unknowns.
    pub fn changed(&self, change: impl Fn(usize) -> Vector6<f64>) -> Self {
        let mut out = self.clone();
        for (i, unknown) in out.unknowns.iter_mut().enumerate() {
            *unknown += change(i);
        }
        out.follow();
        out
    }

    /// Eq. (1).
    fn follow(&mut self) {
        let h = self.length;
        let (end, end_way) = (self.unknowns[0], self.unknowns[1]);
        let way = self.from.velocity * h;
        let places = [
            (
                way * 0.125 + end * 0.5 - end_way * 0.125,
                end * 1.5 - (way + end_way) * 0.25,
            ),
            (end, end_way),
        ];
        for (stage, (twist, scaled_rate)) in self.stages.iter_mut().zip(places) {
            stage.twist = twist;
            stage.rate = scaled_rate / h;
            stage.map = Se3::tangent_inverse(&twist);
            stage.turn = Se3::tangent(&twist);
            stage.state.pose = self.from.pose.compose(&Se3::exp(&twist));
            stage.state.velocity = stage.turn * stage.rate;
        }
    }

    /// Gives the stages the accelerations v̇ that forces make there.
    pub fn accelerate(&mut self, accelerations: &[Vector6<f64>]) {
        for (stage, acceleration) in self.stages.iter_mut().zip(accelerations) {
            stage.state.acceleration = *acceleration;
            stage.state.algorithmic = *acceleration;
        }
    }

    /// ξ̈ at a stage under the acceleration v̇ there, eq. (2).
    pub fn second_rate(stage: &Stage, acceleration: &Vector6<f64>) -> Vector6<f64> {
        let turning = Se3::tangent_inverse_derivative(&stage.twist, &stage.state.velocity);
        stage.map * acceleration + turning * stage.rate
    }

    /// What is wrong with the unknowns under the accelerations v̇ at start and stages,
    /// eqs. (4) and (3) (m, rad).
    pub fn mismatch(&self, accelerations: &[Vector6<f64>; NODES]) -> [Vector6<f64>; 2] {
        let square = self.length * self.length;
        let straight = self.from.velocity * self.length;
        // At the start T is the identity, and its change acts on v alone, which it leaves alone.
        let seconds = [
            accelerations[0],
            Self::second_rate(&self.stages[0], &accelerations[1]),
            Self::second_rate(&self.stages[1], &accelerations[2]),
        ];
        let missed = |unknown: usize, weights: &[f64; NODES]| {
            let sum: Vector6<f64> = seconds.iter().zip(weights).map(|(a, b)| a * *b).sum();
            self.unknowns[unknown] - straight - sum * square
        };
        let Weights { velocity, position } = self.weights;
        [missed(0, &position), missed(1, &velocity)]
    }

    /// The end effector at a node.
    pub fn at_node(&self, node: usize) -> &BodyState {
        match node {
            0 => &self.from,
            _ => &self.stages[node - 1].state,
        }
    }

    /// The end of the step.
    pub fn end(&self) -> &BodyState {
        &self.stages[STAGES - 1].state
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::body::{Body, free_acceleration, momentum};
    use multibody::model::spatial_inertia;
    use nalgebra::{Matrix2, Matrix3, Vector3};

    /// A spectral radius that damps.
    const DAMPED: f64 = 0.5;

    fn tumbling() -> (Body, BodyState) {
        let tensor = Matrix3::from_diagonal(&Vector3::new(0.04, 0.05, 0.07));
        let body = Body::rigid(spatial_inertia(3.0, [0.0; 3], tensor), Vector3::zeros());
        let twist = Vector6::new(0.3, -0.2, 0.1, 3.0, 2.0, -4.0);
        let mut state = BodyState::moving(Se3::identity(), twist);
        state.acceleration = free_acceleration(&body, &state, &Vector6::zeros()).unwrap();
        (body, state)
    }

    /// A body under a spring to the origin and a damper, over `time` in `steps` equal steps, each
    /// solved by repeated substitution.
    fn tumble(steps: usize, time: f64, spring: f64) -> BodyState {
        let (body, mut state) = tumbling();
        let accelerate = |state: &BodyState| {
            let pull = -state.pose.rotation().tr_mul(&state.pose.translation()) * spring;
            let wrench = Vector6::new(pull.x, pull.y, pull.z, 0.0, 0.0, 0.0);
            free_acceleration(&body, state, &wrench).unwrap()
        };
        let h = time / steps as f64;
        for k in 0..steps {
            let first = accelerate(&state);
            state.acceleration = first;
            let guess = [first; 2];
            let weights = Weights::new(DAMPED);
            let mut cubic = CubicMotion::new(weights, h * k as f64, h, &state, &guess);
            for _ in 0..60 {
                let found: Vec<_> = cubic.stages.iter().map(|s| accelerate(&s.state)).collect();
                let missed = cubic.mismatch(&[first, found[0], found[1]]);
                cubic = cubic.changed(|i| -missed[i]);
            }
            state = *cubic.end();
        }
        state
    }

    /// A tumbling body keeps its angular momentum with an error that falls with the third power of
    /// the step.
    #[test]
    fn tumbling_body_converges_with_third_order() {
        let (body, start) = tumbling();
        let wanted = momentum(&body, &start).1;
        let error = |steps| (momentum(&body, &tumble(steps, 0.5, 0.0)).1 - wanted).norm();
        let (coarse, fine) = (error(20), error(40));
        let order = (coarse / fine).log2();
        assert!(order > 2.8, "{coarse:e} {fine:e} order {order}");
        assert!(fine < 1e-4 * wanted.norm(), "{fine:e}");
    }

    /// A body that tumbles on a spring converges to itself with the third power of the step.
    #[test]
    fn body_on_a_spring_converges_with_third_order() {
        let fine = tumble(320, 0.5, 300.0);
        let error = |steps| {
            let state = tumble(steps, 0.5, 300.0);
            fine.pose.between(&state.pose).log().unwrap().norm()
        };
        let (coarse, half) = (error(20), error(40));
        let order = (coarse / half).log2();
        assert!(order > 2.8, "{coarse:e} {half:e} order {order}");
    }

    /// What a step of size one on `ẍ = −ω² x − d ẋ` makes of place and velocity.
    fn amplification(weights: Weights, omega: f64, damping: f64) -> Matrix2<f64> {
        // Forces at start, middle and end as functions of (x_0, v_0, x_1, v_1).
        let force = |x: [f64; 4], v: [f64; 4]| {
            core::array::from_fn::<f64, 4, _>(|i| -omega * omega * x[i] - damping * v[i])
        };
        let forces = [
            force([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]),
            force([0.5, 0.125, 0.5, -0.125], [-1.5, -0.25, 1.5, -0.25]),
            force([0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]),
        ];
        let sum = |weights: [f64; 3], i: usize| -> f64 {
            forces.iter().zip(weights).map(|(f, b)| f[i] * b).sum()
        };
        let (p, v) = (weights.position, weights.velocity);
        let after = Matrix2::new(1.0 - sum(p, 2), -sum(p, 3), -sum(v, 2), 1.0 - sum(v, 3));
        let before = Matrix2::new(1.0 + sum(p, 0), 1.0 + sum(p, 1), sum(v, 0), 1.0 + sum(v, 1));
        after.lu().solve(&before).unwrap()
    }

    fn spectral_radius(weights: Weights, omega: f64, damping: f64) -> f64 {
        let values = amplification(weights, omega, damping).complex_eigenvalues();
        values.iter().map(|value| value.norm()).fold(0.0, f64::max)
    }

    #[test]
    fn spectral_radius_never_exceeds_one() {
        let sizes = [
            1e-3, 0.1, 0.3, 1.0, 2.0, 2.6, 3.0, 3.5, 5.0, 10.0, 100.0, 1e3,
        ];
        for radius_at_infinity in [0.0, 0.5, 0.9, 1.0] {
            let weights = Weights::new(radius_at_infinity);
            for omega in sizes {
                for damping in [0.0, 1e-3, 0.1, 1.0, 5.0, 30.0, 1e3] {
                    let radius = spectral_radius(weights, omega, damping);
                    assert!(radius < 1.0 + 1e-9, "{omega} {damping}: {radius}");
                }
            }
        }
    }

    /// A stiff damper shrinks the velocity of a free body to ρ∞ of itself; its place stays.
    #[test]
    fn stiff_damper_shrinks_by_the_spectral_radius() {
        for radius_at_infinity in [0.0, 0.5, 0.9] {
            let step = amplification(Weights::new(radius_at_infinity), 1e-6, 1e9);
            assert!((step[(1, 1)] - radius_at_infinity).abs() < 1e-6, "{step}");
            let radius = spectral_radius(Weights::new(radius_at_infinity), 1e-6, 1e9);
            assert!((radius - 1.0).abs() < 1e-6, "{radius}");
        }
    }
}
