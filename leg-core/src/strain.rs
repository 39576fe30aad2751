//! Strains of the leaf, the largest over its length.

use super::LegError;
use super::planar::PlanarLeg;
use super::pretension::PlanarState;
use super::spatial::{SectionShape, SpatialLeg, SpatialLegConfig, SpatialState};
use multibody::element::elastic::SectionState;
use multibody::results;
use multibody::results::soundness::LeafStrain;

impl PlanarLeg {
    /// Largest strains of the leaf in `state`.
    pub fn leaf_strain(&self, state: &PlanarState) -> Result<LeafStrain, LegError> {
        let half = 0.5 * self.config.leaf.thickness_m;
        let section = |element| results::section(&self.model, state, self.leaf, element);
        largest(self.config.solver.elements, &[(2, half)], section)
    }
}

impl SpatialLeg {
    /// Largest strains of the leaf in `state`.
    pub fn leaf_strain(&self, state: &SpatialState) -> Result<LeafStrain, LegError> {
        let (thickness, width, _) = section_size(&self.config);
        let section = |element| results::section(&self.model, state, self.leaf, element);
        let arms = [(5, thickness), (4, width)];
        largest(self.config.solver.elements, &arms, section)
    }
}

/// The largest strains of all elements; `arms` are the components of the curvature and the distance
/// of the surface from their axes [m].
fn largest<const N: usize>(
    elements: usize,
    arms: &[(usize, f64)],
    section: impl Fn(usize) -> multibody::Result<SectionState<N>>,
) -> Result<LeafStrain, LegError> {
    let mut out = LeafStrain::default();
    for element in 0..elements {
        let section = section(element)?;
        // Strains vary linearly along an element: the largest is at one of its ends.
        let largest = |i: usize| section.strain[i].abs() + section.strain_slope[i].abs();
        let bending: f64 = arms.iter().map(|&(i, arm)| arm * largest(i)).sum();
        out.axial = out.axial.max(largest(0));
        out.surface = out.surface.max(largest(0) + bending);
    }
    Ok(out)
}

/// Half the thickness in the plane of bending and half the width [m], bending stiffness [N·m²].
pub(super) fn section_size(config: &SpatialLegConfig) -> (f64, f64, f64) {
    let leaf = &config.leaf;
    match config.section {
        SectionShape::Leaf => (
            0.5 * leaf.thickness_m,
            0.5 * leaf.width_m,
            leaf.bending_stiffness(),
        ),
        SectionShape::Rod { radius_m: r } => {
            let stiffness = leaf.youngs_modulus_pa * core::f64::consts::FRAC_PI_4 * r.powi(4);
            (r, r, stiffness)
        }
    }
}
