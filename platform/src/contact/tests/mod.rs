//! Contact physics and tangents, with a small rig of two rigid bodies integrated by DOP853.

#![allow(clippy::unwrap_used)]

mod free_pair;
mod impact;
mod latch;
mod memory;
mod newton;
mod sliding;
mod tangent;

use super::*;
use core::convert::Infallible;
use multibody::group::{Group, Se3};
use nalgebra::{Matrix3, SVector, Vector3, Vector6};
use softdock_validation::runge_kutta::{Tolerances, integrate};

/// Rotation, translation and twist of two bodies, then what damping and friction dissipated.
const STATE: usize = 38;
const BODY: usize = 18;
/// Fine enough that what is measured is the model, not the integrator.
const TOLERANCES: Tolerances = Tolerances {
    relative: 1e-12,
    absolute: 1e-15,
    largest_step: f64::INFINITY,
    max_steps: 1_000_000,
};

/// A repeatable stream of numbers in [−1, 1].
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }

    fn vector<const N: usize>(&mut self, size: f64) -> SVector<f64, N> {
        SVector::from_fn(|_, _| size * self.next())
    }
}

/// Two rigid bodies, their frames in their centres of mass.
struct Rig<L: Fn(f64, &BodyMotion) -> Vector6<f64>> {
    pair: ContactPair,
    /// Diagonals of the inertias; infinite for a body that does not move.
    inertia: [Vector6<f64>; 2],
    /// Load on body A in its axes.
    load: L,
    latch: Option<Latch>,
    output: ContactOutput,
}

fn no_load(_: f64, _: &BodyMotion) -> Vector6<f64> {
    Vector6::zeros()
}

fn inertia(mass: f64, rotary: f64) -> Vector6<f64> {
    Vector6::new(mass, mass, mass, rotary, rotary, rotary)
}

fn fixed() -> Vector6<f64> {
    Vector6::from_element(f64::INFINITY)
}

fn pack(bodies: &[BodyMotion; 2], losses: [f64; 2]) -> [f64; STATE] {
    let mut state = [0.0; STATE];
    for (body, slots) in bodies.iter().zip(state.chunks_exact_mut(BODY)) {
        slots[..9].copy_from_slice(body.pose.rotation().as_slice());
        slots[9..12].copy_from_slice(body.pose.translation().as_slice());
        slots[12..].copy_from_slice(body.twist.as_slice());
    }
    state[36..].copy_from_slice(&losses);
    state
}

fn unpack(state: &[f64; STATE]) -> [BodyMotion; 2] {
    core::array::from_fn(|i| {
        let slots = &state[BODY * i..BODY * (i + 1)];
        let rotation = Matrix3::from_column_slice(&slots[..9]);
        BodyMotion {
            pose: Se3::from_parts(Vector3::from_column_slice(&slots[9..12]), rotation),
            twist: Vector6::from_column_slice(&slots[12..]),
        }
    })
}

/// `M v`, taking a body that does not move as one without momentum.
fn momentum(inertia: &Vector6<f64>, twist: &Vector6<f64>) -> Vector6<f64> {
    inertia.zip_map(twist, |m, v| if m.is_finite() { m * v } else { 0.0 })
}

impl<L: Fn(f64, &BodyMotion) -> Vector6<f64>> Rig<L> {
    fn new(config: &ContactConfig, mounts: &Mounts, inertia: [Vector6<f64>; 2], load: L) -> Self {
        let pair = config.pair(mounts).unwrap();
        let output = pair.output();
        Self {
            pair,
            inertia,
            load,
            latch: None,
            output,
        }
    }

    fn rates(&mut self, time: f64, state: &[f64; STATE], episodes: &Episodes) -> [f64; STATE] {
        let [a, b] = unpack(state);
        self.pair
            .evaluate_forces(episodes, &a, &b, &mut self.output);
        if let Some(latch) = &self.latch {
            latch.add_hold(&a, &b, &mut self.output).unwrap();
        }
        let wrenches = [
            self.output.wrench_a + (self.load)(time, &a),
            self.output.wrench_b,
        ];
        let mut rates = [0.0; STATE];
        for (i, body) in [a, b].iter().enumerate() {
            let slots = &mut rates[BODY * i..BODY * (i + 1)];
            let turn = body.pose.rotation() * body.twist.fixed_rows::<3>(3).cross_matrix();
            let shift = body.pose.rotation() * body.twist.fixed_rows::<3>(0);
            // M v̇ = ad_vᵀ M v + w
            let p = momentum(&self.inertia[i], &body.twist);
            let force = Se3::coad(&p) * body.twist + wrenches[i];
            slots[..9].copy_from_slice(turn.as_slice());
            slots[9..12].copy_from_slice(shift.as_slice());
            slots[12..].copy_from_slice(force.component_div(&self.inertia[i]).as_slice());
        }
        rates[36] = self.output.damping_power + self.output.latch_power;
        rates[37] = self.output.friction_power;
        rates
    }

    /// Smallest effective mass of the contacts [kg].
    fn effective_mass(&self, [a, b]: &[BodyMotion; 2]) -> f64 {
        let inverse = |m: &Vector6<f64>| nalgebra::Matrix6::from_diagonal(&m.map(f64::recip));
        let [m_a, m_b] = [inverse(&self.inertia[0]), inverse(&self.inertia[1])];
        self.pair.effective_mass(a, b, &m_a, &m_b)
    }

    /// Integrates to `end` [s], accepting the memory after every advised step of at most
    /// `largest` [s] and showing each accepted state; stops early when the observer says so.
    fn run(
        &mut self,
        initial: [BodyMotion; 2],
        end: f64,
        largest: f64,
        mut observe: impl FnMut(f64, &[BodyMotion; 2], [f64; 2], &ContactOutput) -> bool,
    ) -> [BodyMotion; 2] {
        let mut episodes = Episodes::start(&self.pair, &initial[0], &initial[1]);
        let mut state = pack(&initial, [0.0; 2]);
        let mut time = 0.0;
        while time < end {
            let bodies = unpack(&state);
            let mass = self.effective_mass(&bodies);
            let advice = self.pair.step_advice(&bodies[0], &bodies[1], mass);
            let next = (time + advice.step().min(largest)).min(end);
            let mut outputs = [state; 2];
            integrate::<STATE, Infallible, _>(
                |t, y| Ok(self.rates(t, y, &episodes)),
                state,
                &[time, next],
                &TOLERANCES,
                &mut outputs,
            )
            .unwrap();
            (state, time) = (outputs[1], next);
            let bodies = unpack(&state);
            episodes.accept(&self.pair, &bodies[0], &bodies[1]);
            self.pair
                .evaluate(&episodes, &bodies[0], &bodies[1], &mut self.output);
            if let Some(latch) = &self.latch {
                latch
                    .add_hold(&bodies[0], &bodies[1], &mut self.output)
                    .unwrap();
            }
            if observe(time, &bodies, [state[36], state[37]], &self.output) {
                break;
            }
        }
        unpack(&state)
    }

    fn kinetic(&self, bodies: &[BodyMotion; 2]) -> f64 {
        let one =
            |i: usize| 0.5 * momentum(&self.inertia[i], &bodies[i].twist).dot(&bodies[i].twist);
        one(0) + one(1)
    }

    /// Momentum and angular momentum about the world's origin, in world axes.
    fn world_momentum(&self, bodies: &[BodyMotion; 2]) -> [Vector6<f64>; 2] {
        core::array::from_fn(|i| {
            let p = momentum(&self.inertia[i], &bodies[i].twist);
            bodies[i].pose.adjoint_inverse().tr_mul(&p)
        })
    }
}

/// A single bare point, a ball's lowest.
fn probe() -> ContactConfig {
    let mut config = ContactConfig::default();
    config.effector.tip_radius_m = 0.0;
    config.effector.ring = RingConfig {
        radius_m: 0.0,
        count: 1,
        height_m: 0.0,
    };
    config.friction.law = FrictionLaw::None;
    config
}

fn at(x: f64, y: f64, z: f64) -> Se3 {
    Se3::from_translation(Vector3::new(x, y, z))
}
