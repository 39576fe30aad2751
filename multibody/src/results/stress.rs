//! Section wrenches of a beam to the order of its element, and the stresses that they make.
//!
//! An element is in equilibrium by itself: one wrench acts through all of its sections. With the
//! section wrench f_B at its last node (exact where loads act at nodes), the section at S sees
//!
//! ```text
//! f_S = Ad(H_B⁻¹ H_S)ᵀ f_B                                                        (1)
//! ```
//!
//! H_S from the curve inside the element. Strains at the ends of an element are of second order (the
//! moment of a bowed leaf at ten elements 0.9 % too large at a node, at five 1.9 % too small in the
//! middle); (1) is of the order of the nodes' places and forces, the fourth.
//!
//! Stress of a rectangle (size2 = t along e2, size3 = b along e3, b ≥ t) at its two worst points:
//!
//! ```text
//! corner       σ = |N|/A + |M2|/W2 + σ_3,           τ = 0                          (2)
//! middle of the wide face  σ = |N|/A + |M3|/W3,     τ = |M1| t/J + 3|V|/2A          (3)
//! ```
//!
//! W2 = t b²/6, W3 = b t²/6, V the shear force along the wide face; σ_3 = |M3|/W3, or the stress at the
//! edge of a strip that has the moment M3. `|M1| t/J` is the torsion's shear stress on the wide face
//! of a thin rectangle (at b = 3t 1.5 % too large). Bending and shear across the thickness are zero
//! on the face. Of a circle, the surface: `σ = |N|/A + M/W`, `τ = |M1| r/J + 4V/3A`, an upper bound.
//! Compared by von Mises, `√(σ² + 3τ²)`.

use crate::assembly::relative_twist;
use crate::element::{elastic, shape};
use crate::error::Result;
use crate::group::{Group, Operator};
use crate::math;
use crate::model::{BeamId, Model, StripLaw, rectangle_torsion_constant};
use crate::state::State;
use core::f64::consts::PI;
use nalgebra::SVector;

/// Outline of a section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outline {
    /// A full rectangle.
    Rectangle {
        /// Side along e2 [m].
        size2: f64,
        /// Side along e3 [m].
        size3: f64,
        /// Torsion constant [m⁴].
        torsion: f64,
    },
    /// A full circle.
    Circle {
        /// Radius [m].
        radius: f64,
    },
}

/// Largest stress of a section or beam.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stress {
    /// Largest von Mises stress [Pa].
    pub von_mises: f64,
    /// Largest normal stress along the beam, as an absolute value [Pa].
    pub normal: f64,
    /// Where along the unstressed beam the first is [m].
    pub place: f64,
}

/// Forces (N, V2, V3) [N] and moments (M1, M2, M3) [N·m] of a section.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Loads {
    force: [f64; 3],
    moment: [f64; 3],
}

impl Loads {
    fn of<const N: usize>(wrench: &SVector<f64, N>) -> Self {
        let mut out = Self::default();
        if N == 3 {
            out.force = [wrench[0], wrench[1], 0.0];
            out.moment[2] = wrench[2];
        } else {
            for i in 0..3 {
                (out.force[i], out.moment[i]) = (wrench[i], wrench[3 + i]);
            }
        }
        out
    }
}

impl Outline {
    /// A full rectangle with these sides along e2 and e3 [m].
    pub fn rectangle(size2: f64, size3: f64) -> Self {
        Self::Rectangle {
            size2,
            size3,
            torsion: rectangle_torsion_constant(size2, size3),
        }
    }

    /// Stress of a section that carries `wrench` (forces [N], then moments [N·m]), (2) and (3); with
    /// `strip`, bending about e3 is that of a strip.
    pub fn stress<const N: usize>(
        &self,
        wrench: &SVector<f64, N>,
        strip: Option<&StripLaw>,
    ) -> Stress {
        let loads = Loads::of(wrench);
        let ([n, v2, v3], [m1, m2, m3]) = (loads.force, loads.moment);
        match *self {
            Self::Rectangle {
                size2,
                size3,
                torsion,
            } => {
                let area = size2 * size3;
                let axial = n.abs() / area;
                let (w2, w3) = (size2 * size3 * size3 / 6.0, size3 * size2 * size2 / 6.0);
                let bent = m3.abs() / w3;
                let edge = strip.map_or(bent, |law| law.edge_stress(law.curvature(m3)));
                let corner = axial + m2.abs() / w2 + edge; // (2)
                let (thin, along, face) = if size2 <= size3 {
                    (size2, v3, bent)
                } else {
                    (size3, v2, m2.abs() / w2)
                };
                let twisted = m1.abs() * thin / torsion;
                let shear = twisted + 1.5 * along.abs() / area;
                let on_face = axial + face;
                let middle = (on_face * on_face + 3.0 * shear * shear).sqrt(); // (3)
                Stress {
                    von_mises: corner.max(middle),
                    normal: corner,
                    place: 0.0,
                }
            }
            Self::Circle { radius } => {
                let area = PI * radius * radius;
                let w = 0.25 * PI * radius.powi(3);
                let normal = n.abs() / area + math::hypot(m2, m3) / w;
                let shear = 0.5 * m1.abs() / w + 4.0 / 3.0 * math::hypot(v2, v3) / area;
                Stress {
                    von_mises: (normal * normal + 3.0 * shear * shear).sqrt(),
                    normal,
                    place: 0.0,
                }
            }
        }
    }
}

/// Section wrenches (forces [N], then moments [N·m]) at the first node, in the middle and at the last
/// node of an element, each in the section's own frame.
pub fn element_wrenches<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    beam: BeamId,
    element: usize,
) -> Result<[SVector<f64, N>; 3]> {
    let beam = &model.beams[beam.0];
    let element = element.min(beam.elements - 1);
    let a = beam.first_node + element;
    let h_ab = state.poses[a].between(&state.poses[a + 1]);
    let d = relative_twist(beam, element, &h_ab, state.time)?;
    let section = elastic::section_state::<G, N, D>(&beam.element, &d);
    let last = elastic::end_wrench::<G, N, D>(&beam.element, &d, &section);
    let first = h_ab.adjoint_inverse_operator().tr_apply(&last); // (1), S = A
    let half = shape::from_first::<G, N, D>(&beam.element, &section, 0.5);
    // Ad(H_A⁻¹ H_S) is that of the inverse of exp(−Ω).
    let middle = G::exp(&-half).adjoint_inverse_operator().tr_apply(&first);
    Ok([first, middle, last])
}

/// Section wrench in the middle of a beam, in the section's own frame. Where a node is there, the mean
/// of both sides: loads at the node, its inertia too, make them differ.
pub fn middle_wrench<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    beam: BeamId,
) -> Result<SVector<f64, N>> {
    let elements = model.beams[beam.0].elements;
    let of = |element| element_wrenches(model, state, beam, element);
    if elements % 2 == 1 {
        return Ok(of(elements / 2)?[1]);
    }
    let ([.., before], [after, ..]) = (of(elements / 2 - 1)?, of(elements / 2)?);
    Ok((before + after) * 0.5)
}

/// Visits the section wrenches at both ends and in the middle of every element: place along the
/// unstressed beam [m], wrench (forces [N], then moments [N·m]) in the section's own frame.
pub fn visit_sections<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    beam: BeamId,
    mut visit: impl FnMut(f64, &SVector<f64, N>),
) -> Result<()> {
    let (elements, length) = {
        let beam = &model.beams[beam.0];
        (beam.elements, beam.element.length)
    };
    for element in 0..elements {
        let wrenches = element_wrenches(model, state, beam, element)?;
        for (part, wrench) in [0.0, 0.5, 1.0].into_iter().zip(&wrenches) {
            visit((element as f64 + part) * length, wrench);
        }
    }
    Ok(())
}

/// Largest stress of a beam whose section has this outline.
pub fn largest<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    beam: BeamId,
    outline: &Outline,
) -> Result<Stress> {
    let strip = model.beams[beam.0].element.strip;
    let mut out = Stress::default();
    visit_sections(model, state, beam, |place, wrench| {
        let here = outline.stress(wrench, strip.as_ref());
        out.normal = out.normal.max(here.normal);
        if here.von_mises > out.von_mises {
            (out.von_mises, out.place) = (here.von_mises, place);
        }
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stresses_are_those_of_textbooks() {
        let leaf = Outline::rectangle(1.2e-3, 0.077);
        let wrench = |values: [f64; 6]| SVector::<f64, 6>::from(values);
        let von_mises = |values| leaf.stress(&wrench(values), None).von_mises;
        let area = 1.2e-3 * 0.077;
        let close = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-12);
        close(von_mises([-50.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 50.0 / area);
        let bent = 6.0 * 7.443207 / (0.077 * 1.2e-3 * 1.2e-3);
        close(von_mises([0.0, 0.0, 0.0, 0.0, 0.0, -7.443207]), bent);
        assert!((bent / 1e6 - 402.77).abs() < 0.01);
        let across = 6.0 * 2.0 / (1.2e-3 * 0.077 * 0.077);
        close(
            von_mises([0.0, 0.0, 0.0, 0.0, 2.0, 7.443207]),
            bent + across,
        );
        // A thin strip in torsion: τ = 3 M/(b t²) but for its ends.
        let torsion = von_mises([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]) / 3.0_f64.sqrt();
        assert!((torsion / (3.0 / (0.077 * 1.2e-3 * 1.2e-3)) - 1.0).abs() < 0.011);
        // In the plane the same section, and turned by a quarter the same stress.
        let planar = leaf.stress(&SVector::<f64, 3>::from([1.0, 2.0, 3.0]), None);
        close(von_mises([1.0, 2.0, 0.0, 0.0, 0.0, 3.0]), planar.von_mises);
        let turned = Outline::rectangle(0.077, 1.2e-3);
        let other = turned.stress(&wrench([4.0, 3.0, 2.0, 0.5, 7.0, 1.0]), None);
        let this = leaf.stress(&wrench([4.0, 2.0, 3.0, 0.5, 1.0, 7.0]), None);
        close(this.von_mises, other.von_mises);
        let rod = Outline::Circle { radius: 2e-3 };
        let bent = 4.0 * 5.0 / (PI * 8e-9);
        close(
            rod.stress(&wrench([0.0, 0.0, 0.0, 0.0, 3.0, 4.0]), None)
                .normal,
            bent,
        );
    }
}
