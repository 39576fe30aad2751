//! What the pre-tensioned spatial leg tells: forces, shape, strains and stresses.
//!
//! Moments are those of `multibody::results::stress`, of the element's own order. The stress at the surface
//! of a section under the bending moments M2 (about its e2) and M3 (about e3) is, for a leaf of width w
//! and thickness t, and for a rod of radius r:
//!
//! ```text
//! σ = σ_3 + 6 |M2| / (t w²),   σ = 4 √(M2² + M3²) / (π r³)                      (1)
//! ```
//!
//! σ_3 = 6 |M3| / (w t²), or the stress at the edge of a strip that has the moment M3.
//!
//! Units: M [N·m], w, t, r [m], σ [Pa].

use super::LegError;
use super::config::Side;
use super::pretension::PathSample;
use super::spatial::{SectionShape, SpatialLeg, SpatialPretensioned, SpatialState};
use core::f64::consts::PI;
use multibody::group::Group;
use multibody::math;
use multibody::results::{self, stress};
use multibody::statics::PathPoint;
use nalgebra::Vector3;

/// A node of the leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialNode {
    /// Arc length from A [m].
    pub s: f64,
    /// Place [m].
    pub position: [f64; 3],
    /// Direction of the leaf there.
    pub tangent: [f64; 3],
    /// Normal of its face.
    pub normal: [f64; 3],
}

/// Moments at one section of the leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SectionMoments {
    /// Arc length from A [m].
    pub s: f64,
    /// Torsion about the leaf [N·m].
    pub torsion: f64,
    /// Bending about its face's normal (the stiff way) [N·m].
    pub stiff: f64,
    /// Bending of the leaf as a leaf [N·m].
    pub soft: f64,
}

/// A spatial leg in equilibrium.
#[derive(Debug, Clone, PartialEq)]
pub struct SpatialReport {
    /// Angles of the universal joint [rad].
    pub universal_rad: [f64; 2],
    /// Distance of the leaf's middle from the chord [m].
    pub sag_m: f64,
    /// Side to which the leaf bows.
    pub side: Side,
    /// Force on the leaf at A, without the tendon's share [N].
    pub force_on_leaf_a_n: [f64; 3],
    /// Force on the leaf at B, without the tendon's share [N].
    pub force_on_leaf_b_n: [f64; 3],
    /// Largest axial strain [-].
    pub max_axial_strain: f64,
    /// Largest stress of bending at the leaf's surface [Pa].
    pub max_bending_stress_pa: f64,
    /// Strain energy [J].
    pub strain_energy_j: f64,
    /// Middle of the leaf [m].
    pub mid_point_m: [f64; 3],
    /// Moments at both ends and in the middle of every element.
    pub moments: Vec<SectionMoments>,
    /// Nodes from A to B.
    pub nodes: Vec<SpatialNode>,
}

/// Everything that the equilibrium tells.
pub fn report(bowed: &SpatialPretensioned) -> Result<SpatialReport, LegError> {
    let SpatialPretensioned { leg, state, .. } = bowed;
    let bow = Bow::new(leg, state)?;
    let [at_a, at_b] = leaf_forces(leg, state);
    let moments = moments(leg, state)?;
    let stress = |worst: f64, at: &SectionMoments| worst.max(bending_stress(leg, at));
    Ok(SpatialReport {
        universal_rad: leg.universal_angles(state).angle,
        sag_m: bow.sag.norm(),
        side: bow.side,
        force_on_leaf_a_n: at_a.into(),
        force_on_leaf_b_n: at_b.into(),
        max_axial_strain: leg.leaf_strain(state)?.axial,
        max_bending_stress_pa: moments.iter().fold(0.0, stress),
        strain_energy_j: results::energy::energies(&leg.model, state)?.strain,
        mid_point_m: bow.middle.into(),
        nodes: nodes(leg, state),
        moments,
    })
}

/// A point of the equilibrium path.
pub fn path_sample(
    leg: &SpatialLeg,
    state: &SpatialState,
    point: &PathPoint,
) -> Result<PathSample, LegError> {
    let chord = leg.chord(state);
    let [at_a, at_b] = leaf_forces(leg, state);
    Ok(PathSample {
        chord_m: chord.norm(),
        thrust_n: 0.5 * (at_a - at_b).dot(&chord) / chord.norm(),
        sag_m: Bow::new(leg, state)?.sag.norm(),
        max_axial_strain: leg.leaf_strain(state)?.axial,
        residual_n: point.residual,
        iterations: point.iterations,
    })
}

/// The middle of the leaf against its chord.
struct Bow {
    middle: Vector3<f64>,
    /// From the chord to the middle.
    sag: Vector3<f64>,
    side: Side,
}

impl Bow {
    fn new(leg: &SpatialLeg, state: &SpatialState) -> Result<Self, LegError> {
        let half = 0.5 * leg.config.leaf.length_m;
        let section = results::pose_at(&leg.model, state, leg.leaf, half)?;
        let middle = section.translation();
        let from_a = middle - state.pose(leg.node_a).translation();
        let e = leg.chord(state).normalize();
        let sag = from_a - e * e.dot(&from_a);
        let inward = section.rotation().column(1).dot(&sag) > 0.0;
        let side = if inward { Side::Inward } else { Side::Outward };
        Ok(Self { middle, sag, side })
    }
}

/// Forces on the leaf at A and B without the tendon's share [N].
fn leaf_forces(leg: &SpatialLeg, state: &SpatialState) -> [Vector3<f64>; 2] {
    let line = leg
        .tendon
        .and_then(|tendon| results::line(&leg.model, state, tendon));
    let pull = line.map_or(Vector3::zeros(), |line| {
        line.direction * line.response.tension
    });
    let at_a = results::reaction(&leg.model, state, leg.root_joint).force;
    [at_a + pull, -leg.tip_force(state) - pull]
}

fn moments(leg: &SpatialLeg, state: &SpatialState) -> Result<Vec<SectionMoments>, LegError> {
    let mut list = Vec::with_capacity(3 * leg.config.solver.elements);
    stress::visit_sections(&leg.model, state, leg.leaf, |s, wrench| {
        list.push(SectionMoments {
            s,
            torsion: wrench[3],
            stiff: wrench[4],
            soft: wrench[5],
        });
    })?;
    Ok(list)
}

/// Stress at the surface [Pa], eq. (1).
fn bending_stress(leg: &SpatialLeg, at: &SectionMoments) -> f64 {
    match leg.config.section {
        SectionShape::Leaf => {
            let leaf = &leg.config.leaf;
            let (w, t) = (leaf.width_m, leaf.thickness_m);
            leaf.bending_stress(at.soft) + 6.0 * at.stiff.abs() / (t * w * w)
        }
        SectionShape::Rod { radius_m } => {
            4.0 * math::hypot(at.soft, at.stiff) / (PI * radius_m.powi(3))
        }
    }
}

fn nodes(leg: &SpatialLeg, state: &SpatialState) -> Vec<SpatialNode> {
    let count = leg.config.solver.elements;
    let node = |i: usize| {
        let pose = state.pose(leg.model.beam_node(leg.leaf, i));
        let rotation = pose.rotation();
        SpatialNode {
            s: leg.config.leaf.length_m * i as f64 / count as f64,
            position: pose.translation().into(),
            tangent: rotation.column(0).into_owned().into(),
            normal: rotation.column(1).into_owned().into(),
        }
    };
    (0..=count).map(node).collect()
}
