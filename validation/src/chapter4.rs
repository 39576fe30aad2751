//! The leg with everything linear: how the published attempt fails.
//!
//! The thesis closes the loop with the rigid mechanism and gives the leaf the stiffness of a
//! straight beam, once and for all. Linearised about the straight assembly this is
//!
//! ```text
//! static   K ψ + φ_qᵀ λ = 0,   φ_q ψ = −φ_u δq3                                  (1)
//! dynamic  M z̈ + K z = Zᵀ f_gravity,   ψ = Z z,   φ_q Z = 0                       (2)
//! ```
//!
//! with every matrix taken at the straight leaf. Such a leaf cannot buckle: asked for the working
//! posture it shortens along its axis, by a strain that no metal bears and a force in meganewtons;
//! let go, the displacements leave the curved set of closed loops, and the gap at the joints grows
//! with the square of the motion. The reports below are meant to be read beside those of
//! [`leg_core::pretension()`] and [`leg_core::Simulation`].

use crate::newmark::{self, Scheme, Stepper};
use leg_core::LegError;
use leg_core::config::LegConfig;
use leg_core::planar::{Channel, LinkDrive, PlanarLeg};
use multibody::group::{Group, Se2};
use multibody::modal;
use multibody::model::PlanarModel;
use multibody::results;
use multibody::state::State;
use multibody::statics;
use multibody::workspace::Workspace;
use nalgebra::{DVector, SVector, Vector2};

/// What the linear leaf does when the links are turned to the working posture.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearPretension {
    /// Distance A to B that the links then have [m].
    pub chord_m: f64,
    /// Axial strain of every element [-].
    pub axial_strain: Vec<f64>,
    /// The most negative of them [-].
    pub worst_axial_strain: f64,
    /// Thrust of the leaf [N].
    pub thrust_n: f64,
    /// Largest distance of the leaf from its chord [m]: it does not bow.
    pub sag_m: f64,
    /// Largest gap at a joint, with the displacements put on the real mechanism [m].
    pub loop_gap_m: f64,
}

/// Turns the links of a linear leg to the working posture, eq. (1).
pub fn linear_pretension(config: &LegConfig) -> Result<LinearPretension, LegError> {
    let wanted = config.pretension;
    let prescribed = LinkDrive::Prescribed;
    let mut weightless = config.clone();
    weightless.gravity_m_s2 = [0.0; 2];
    let leg = PlanarLeg::new(&weightless, prescribed, prescribed, wanted.q1_rad, None)?;
    let mut state = State::new(&leg.model);
    let straight = state.angle(leg.joints.c);
    state.inputs.value[Channel::CrankAngle as usize] = wanted.q1_rad;
    state.inputs.value[Channel::LinkAngle as usize] = straight;
    let mut workspace = Workspace::new(&leg.model);
    let channel = Channel::LinkAngle as usize;
    let per_radian = statics::displacement_per_input(&leg.model, &state, &mut workspace, channel)?;
    let turn = wanted.q3_rad - straight;
    let displacements: Vec<SVector<f64, 3>> = per_radian.iter().map(|psi| psi * turn).collect();
    report(&leg, &state, &displacements, wanted.q3_rad)
}

fn report(
    leg: &PlanarLeg,
    state: &State<Se2, 3>,
    displacements: &[SVector<f64, 3>],
    q3: f64,
) -> Result<LinearPretension, LegError> {
    let config = &leg.config;
    let first = leg.node_a.index();
    let leaf = &displacements[first..=leg.node_b.index()];
    let element_length = config.leaf.length_m / config.solver.elements as f64;
    let axial_strain: Vec<f64> = leaf
        .windows(2)
        .map(|pair| (pair[1][0] - pair[0][0]) / element_length)
        .collect();
    let worst = axial_strain.iter().copied().fold(0.0, f64::min);
    // Deflection from the straight line between the displaced ends.
    let ends = (leaf[0][1], leaf[leaf.len() - 1][1]);
    let count = (leaf.len() - 1) as f64;
    let sag = leaf.iter().enumerate().map(|(i, psi)| {
        let line = ends.0 + (ends.1 - ends.0) * i as f64 / count;
        (psi[1] - line).abs()
    });
    let mut moved = state.clone();
    for (pose, psi) in moved.poses.iter_mut().zip(displacements) {
        *pose = displaced(pose, psi);
    }
    moved.inputs.value[Channel::LinkAngle as usize] = q3;
    let area = config.leaf.width_m * config.leaf.thickness_m;
    let stretch = config.leaf.youngs_modulus_pa * area;
    let linkage = leg_core::planar::Linkage::new(config);
    Ok(LinearPretension {
        chord_m: linkage.chord(config.pretension.q1_rad, q3),
        worst_axial_strain: worst,
        thrust_n: -stretch * axial_strain.iter().sum::<f64>() / axial_strain.len() as f64,
        sag_m: sag.fold(0.0, f64::max),
        loop_gap_m: pin_gap(leg, &moved),
        axial_strain,
    })
}

/// A pose displaced linearly: translation and angle are added, nothing is turned on the way.
fn displaced(pose: &Se2, psi: &SVector<f64, 3>) -> Se2 {
    let shift = pose.rotation() * Vector2::new(psi[0], psi[1]);
    let place = pose.translation() + shift;
    Se2::new(place.x, place.y, pose.angle() + psi[2])
}

/// Largest gap at the four pins [m].
fn pin_gap(leg: &PlanarLeg, state: &State<Se2, 3>) -> f64 {
    let pins = [leg.joints.o, leg.joints.a, leg.joints.b, leg.joints.c];
    pins.into_iter()
        .map(|pin| results::joint_gap(&leg.model, state, pin))
        .fold(0.0, f64::max)
}

/// One time of a linear release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearSample {
    /// Time [s].
    pub t: f64,
    /// Crank angle [rad].
    pub q1: f64,
    /// Angle of the upper link [rad].
    pub q3: f64,
    /// Largest gap at a pin [m].
    pub loop_gap_m: f64,
}

/// Releases the straight linear leg under gravity, without tendon, eq. (2), by Newmark's method
/// of average acceleration.
pub fn linear_release(
    config: &LegConfig,
    duration_s: f64,
    step_s: f64,
) -> Result<Vec<LinearSample>, LegError> {
    let free = LinkDrive::Free;
    let q1 = config.pretension.q1_rad;
    let heavy = PlanarLeg::new(config, free, free, q1, None)?;
    let mut weightless = config.clone();
    weightless.gravity_m_s2 = [0.0; 2];
    let leg = PlanarLeg::new(&weightless, free, free, q1, None)?;
    let state = State::new(&leg.model);
    let mut workspace = Workspace::new(&leg.model);
    let reduction = modal::reduce(&leg.model, &state, &mut workspace)?;
    let force = reduction
        .basis
        .tr_mul(&gravity_force(&heavy.model, &state)?);
    let system = &reduction.system;
    let zeros = DVector::zeros(system.order());
    let mut now = newmark::initial_state(system, 0.0, zeros.clone(), zeros, &force)?;
    let mut stepper = Stepper::new(system, Scheme::average_acceleration(), step_s)?;
    let steps = (duration_s / step_s).round().max(0.0) as usize;
    let mut samples = Vec::with_capacity(steps + 1);
    samples.push(sample(&leg, &state, &reduction.basis, &now));
    for _ in 0..steps {
        stepper.step(&mut now, |_, out| out.copy_from(&force))?;
        samples.push(sample(&leg, &state, &reduction.basis, &now));
    }
    Ok(samples)
}

/// Gravity on the straight leg, all node unknowns in a row.
fn gravity_force(model: &PlanarModel, state: &State<Se2, 3>) -> Result<DVector<f64>, LegError> {
    let force = statics::unbalanced_force(model, state, &mut Workspace::new(model))?;
    let numbers = force.iter().flat_map(|force| force.iter().copied());
    Ok(DVector::from_iterator(3 * model.node_count(), numbers))
}

fn sample(
    leg: &PlanarLeg,
    straight: &State<Se2, 3>,
    basis: &nalgebra::DMatrix<f64>,
    now: &newmark::LinearState,
) -> LinearSample {
    let psi = basis * &now.position;
    let mut moved = straight.clone();
    for (i, pose) in moved.poses.iter_mut().enumerate() {
        *pose = displaced(pose, &psi.fixed_rows::<3>(3 * i).into());
    }
    let turned = |node: usize| psi[3 * node + 2];
    let link = leg.node_b.index() + 1;
    LinearSample {
        t: now.time,
        q1: straight.angle(leg.joints.o) + turned(0),
        q3: straight.angle(leg.joints.c) + turned(link),
        loop_gap_m: pin_gap(leg, &moved),
    }
}
