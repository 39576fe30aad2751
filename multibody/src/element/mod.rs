//! The two-node beam element, written once over the group.
//!
//! * [`elastic`]: energy of the relative pose of the two frames, its gradient and Hessian;
//! * [`inertia`]: kinetic energy of the line of mass centres, and that of the turning sections;
//! * `viscous`: damping by strain rates;
//! * [`shape`]: the curve inside an element.
//!
//! What all elements of a beam share is in [`BeamElement`].

pub mod elastic;
mod factor;
pub mod inertia;
pub(crate) mod rotary;
pub mod shape;
pub(crate) mod strip;
pub(crate) mod viscous;

use crate::group::Group;
use crate::model::{Section, StripLaw};
use inertia::MassTable;
use nalgebra::{SMatrix, SVector};

/// Which strain field the element assumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ElementKind {
    /// Strain varies linearly as equilibrium demands: fourth-order accurate (the default).
    #[default]
    LinearStrain,
    /// Constant strain (helicoidal curve): second-order accurate, the element of
    /// `sonneville2014`; kept as the yardstick.
    ConstantStrain,
}

/// Rayleigh damping of a beam, `C = α M + β K`.
///
/// The α part acts on velocities relative to the beam's reference (the ground, or the node that
/// [`BeamSpec::reference`](crate::model::BeamSpec::reference) names): vibrations about a state at
/// rest there decay with α/2. The β part acts on strain rates, `β K ε̇` in every section:
/// vibrations of an unstressed beam decay with βω²/2; stress at rest changes ω, not the
/// damping.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rayleigh {
    /// Mass coefficient α [1/s].
    pub mass: f64,
    /// Stiffness coefficient β [s].
    pub stiffness: f64,
}

impl Rayleigh {
    /// Coefficients that give damping ratio `ratio_i` at angular frequency `omega_i` [rad/s]:
    /// `ζ = ½ (α/ω + β ω)` solved for two modes.
    pub fn from_two_modes(omega_1: f64, ratio_1: f64, omega_2: f64, ratio_2: f64) -> Self {
        let gap = omega_2 * omega_2 - omega_1 * omega_1;
        Self {
            mass: 2.0 * omega_1 * omega_2 * (ratio_1 * omega_2 - ratio_2 * omega_1) / gap,
            stiffness: 2.0 * (ratio_2 * omega_2 - ratio_1 * omega_1) / gap,
        }
    }

    /// Damping ratio at angular frequency `omega` [rad/s].
    pub fn ratio_at(&self, omega: f64) -> f64 {
        0.5 * (self.mass / omega + self.stiffness * omega)
    }
}

/// What all elements of a beam share.
#[derive(Debug, Clone)]
pub struct BeamElement<const N: usize, const D: usize> {
    /// Length of the unstressed element [m].
    pub length: f64,
    /// Section.
    pub section: Section<N, D>,
    /// Strain field.
    pub kind: ElementKind,
    /// Derivative of the pose along the unstressed beam, `H⁻¹ H'`: `(1, 0, …, κ)` [-, 1/m].
    pub reference_strain: SVector<f64, N>,
    /// Rayleigh damping.
    pub rayleigh: Rayleigh,
    /// Bending law of a strip about e3, if it is one; damping stays that of the beam.
    pub strip: Option<StripLaw>,
    pub(crate) inverse_length: f64,
    pub(crate) compliance: SMatrix<f64, N, N>,
    /// Its diagonal, if the rest is zero: nearly every section, and much cheaper.
    pub(crate) diagonal_compliance: Option<SVector<f64, N>>,
    /// Takes a node's twist to the velocity of its mass centre, in the node's frame.
    pub(crate) centre_map: SMatrix<f64, D, N>,
    /// Tangent of the line of mass centres, in the node's frame [-].
    pub(crate) tangent: SVector<f64, D>,
    /// The mass centre is not the origin of the section's frame.
    pub(crate) eccentric: bool,
    /// Takes a node's twist to the rate of its tangent vector, in the node's frame.
    pub(crate) tangent_map: SMatrix<f64, D, N>,
    /// Hermite mass coefficients [kg, kg·m, kg·m²], order (centre A, tangent A, centre B,
    /// tangent B).
    pub(crate) hermite_mass: SMatrix<f64, 4, 4>,
    pub(crate) mass_table: MassTable,
    /// Rotary inertia of the element that a node feels of its own turning [kg·m²].
    pub(crate) rotary_own: SMatrix<f64, N, N>,
    /// Axis of torsion as an angular twist, and the inertia [kg·m²] that couples the turning of
    /// the two nodes about it. Zero in the plane.
    pub(crate) torsion_axis: SVector<f64, N>,
    pub(crate) torsion_cross: f64,
}

impl<const N: usize, const D: usize> BeamElement<N, D> {
    /// Element of `length` [m] with the given section and reference strain. The section must be
    /// valid and its stiffness invertible.
    pub(crate) fn new<G: Group<N, D>>(
        length: f64,
        section: Section<N, D>,
        kind: ElementKind,
        reference_strain: SVector<f64, N>,
        rayleigh: Rayleigh,
    ) -> Option<Self> {
        let compliance = section.stiffness.try_inverse()?;
        let diagonal = section.stiffness.diagonal();
        let diagonal_compliance = (section.stiffness == SMatrix::from_diagonal(&diagonal))
            .then(|| diagonal.map(|stiffness| 1.0 / stiffness));
        let linear = G::linear_part();
        let centre_map = linear + G::cross(&section.mass_centre);
        // The line of mass centres has the tangent f0 applied to the mass centre.
        let tangent = linear * reference_strain + G::cross(&section.mass_centre) * reference_strain;
        let hermite_mass = inertia::hermite_mass(section.mass_per_length, length);
        let mut torsion_axis = SVector::<f64, N>::zeros();
        if D == 3 {
            let unit = tangent.normalize();
            for i in 0..D {
                torsion_axis[D + i] = unit[i];
            }
        }
        let torsion = torsion_axis.dot(&(section.rotary_inertia * torsion_axis));
        let torsion_cross = torsion * length / 12.0;
        Some(Self {
            length,
            section,
            kind,
            reference_strain,
            rayleigh,
            strip: None,
            inverse_length: 1.0 / length,
            compliance,
            diagonal_compliance,
            centre_map,
            tangent,
            eccentric: section.mass_centre.amax() != 0.0,
            tangent_map: G::cross(&tangent),
            hermite_mass,
            mass_table: MassTable::new(&hermite_mass),
            rotary_own: section.rotary_inertia * (0.5 * length)
                - torsion_axis * torsion_axis.transpose() * torsion_cross,
            torsion_axis,
            torsion_cross,
        })
    }
}
