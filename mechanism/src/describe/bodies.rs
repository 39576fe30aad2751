//! Bodies, beams, frames and masses of a file.

use super::Assembler;
use crate::error::Result;
use crate::parts::{BeamPart, BodyPart, Host, MassPart, Pose, SectionPart, Spot};
use crate::read::Entry;
use multibody::model::rectangle_torsion_constant;
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

impl Assembler<'_> {
    pub(super) fn read_bodies(&mut self) -> Result<()> {
        for entry in self.entries("body")? {
            let name = self.name(&entry)?;
            let velocity = entry.vector("velocity_m_per_s")?;
            let turning = entry.turn("angular_velocity_rad_per_s")?;
            let given = velocity.is_some() || turning.is_some();
            let part = BodyPart {
                name,
                mass: entry.required_number("mass_kg")?,
                centre: entry.vector("centre_m")?.unwrap_or_default(),
                inertia: inertia(&entry, self.context.dimension)?,
                pose: Pose::new(
                    entry.required_vector("position_m")?,
                    entry.turn("rotation_rad")?.unwrap_or_default(),
                ),
                angle: entry.turn("rotation_rad")?.unwrap_or_default()[2],
                velocity: given
                    .then(|| (velocity.unwrap_or_default(), turning.unwrap_or_default())),
            };
            self.bodies.push(part);
        }
        Ok(())
    }

    pub(super) fn read_beams(&mut self) -> Result<()> {
        for entry in self.entries("beam")? {
            let name = self.name(&entry)?;
            let from = Vector3::from(entry.required_vector("from_m")?);
            let to = Vector3::from(entry.required_vector("to_m")?);
            let span = to - from;
            if span.norm() < 1e-9 {
                return Err(entry.error("begins where it ends", "give from_m and to_m two places"));
            }
            let across = entry.vector("across")?.map(Vector3::from);
            let pose = Pose {
                position: from,
                rotation: along(&entry, span, across)?,
            };
            let elements = entry.count("elements")?.unwrap_or(10);
            self.beams.push(BeamPart {
                name,
                pose,
                length: entry.number("length_m")?.unwrap_or(span.norm()),
                elements,
                curvature: entry.turn("curvature_per_m")?.unwrap_or_default(),
                start_curvature: entry.turn("start_curvature_per_m")?,
                section: section(&entry, self.context.dimension)?,
                damping: [
                    entry.number("mass_damping_per_s")?.unwrap_or(0.0),
                    entry.number("stiffness_damping_s")?.unwrap_or(0.0),
                ],
            });
        }
        Ok(())
    }

    /// A spot on `on`, which may be a beam with `at_node`.
    fn spot_on(&self, entry: &Entry<'_>) -> Result<Spot> {
        let Some(node) = entry.count("at_node")? else {
            return self.spot(entry, "on");
        };
        let name = entry.required_text("on")?;
        let Some(beam) = self.beams.iter().position(|beam| beam.name == name) else {
            let remedy = "at_node is for beams: name a beam, without .start or .end";
            return Err(entry.error_at("on", format!("= \"{name}\" is no beam"), remedy));
        };
        let elements = self.beams[beam].elements;
        if node > elements {
            let problem = format!("= {node} is beyond the end of the beam");
            return Err(entry.error_at("at_node", problem, format!("it must be 0 to {elements}")));
        }
        Ok(Spot {
            host: Host::Beam(beam, node),
            pose: Pose::identity(),
        })
    }

    pub(super) fn read_frames(&mut self) -> Result<()> {
        for entry in self.entries("frame")? {
            let name = self.name(&entry)?;
            let on = self.spot_on(&entry)?;
            let mut local = Pose::new(
                entry.vector("position_m")?.unwrap_or_default(),
                entry.turn("rotation_rad")?.unwrap_or_default(),
            );
            if let Some(at) = entry.vector("at_m")? {
                if entry.has("position_m") {
                    let remedy =
                        "at_m is in the world, position_m in the axes of `on`: leave one out";
                    return Err(entry.error_at("at_m", "is there besides position_m", remedy));
                }
                let host = self.world(&on);
                let from_host = nalgebra::Vector3::from(at) - host.position;
                local.position = host.rotation.tr_mul(&from_host);
            }
            let spot = Spot {
                host: on.host,
                pose: on.pose.compose(&local),
            };
            self.frames.push((name, spot));
        }
        Ok(())
    }

    pub(super) fn read_masses(&mut self) -> Result<()> {
        for entry in self.entries("mass")? {
            self.name(&entry)?;
            let spot = self.spot_on(&entry)?;
            if spot.host == Host::Ground {
                return Err(entry.error("sits on the ground", "name a body or a beam end"));
            }
            self.masses.push(MassPart {
                spot,
                mass: entry.number("mass_kg")?.unwrap_or(0.0),
                inertia: inertia(&entry, self.context.dimension)?,
            });
        }
        Ok(())
    }
}

/// Axes whose first lies along `span`.
fn along(
    entry: &Entry<'_>,
    span: Vector3<f64>,
    across: Option<Vector3<f64>>,
) -> Result<Matrix3<f64>> {
    let e1 = span.normalize();
    let e2 = match across {
        Some(across) => across - e1 * across.dot(&e1),
        // e3 as near to the world's z as it can be; for a beam along z, e2 near y.
        None if e1.z.abs() > 0.999 => Vector3::y() - e1 * e1.y,
        None => Vector3::z().cross(&e1),
    };
    if e2.norm() < 1e-9 {
        return Err(entry.error_at("across", "lies along the beam", "choose another direction"));
    }
    let e2 = e2.normalize();
    Ok(Matrix3::from_columns(&[e1, e2, e1.cross(&e2)]))
}

fn inertia(entry: &Entry<'_>, dimension: usize) -> Result<Matrix3<f64>> {
    let list = entry.numbers("inertia_kg_m2")?.unwrap_or_default();
    let mut out = Matrix3::zeros();
    match (dimension, list.as_slice()) {
        (_, []) => {}
        (2, [moment]) => out[(2, 2)] = *moment,
        (3, [x, y, z]) => out = Matrix3::from_diagonal(&Vector3::new(*x, *y, *z)),
        (3, [x, y, z, xy, xz, yz]) => {
            out = Matrix3::new(*x, *xy, *xz, *xy, *y, *yz, *xz, *yz, *z);
        }
        _ => {
            let wanted = if dimension == 2 {
                "write one number"
            } else {
                "write Ixx, Iyy, Izz or Ixx, Iyy, Izz, Ixy, Ixz, Iyz"
            };
            let problem = format!("has {} numbers", list.len());
            return Err(entry.error_at("inertia_kg_m2", problem, wanted));
        }
    }
    let eigen = out.symmetric_eigenvalues();
    if eigen.min() < -1e-12 * eigen.amax() {
        let remedy = "moments of inertia cannot be negative";
        return Err(entry.error_at("inertia_kg_m2", "is not positive", remedy));
    }
    Ok(out)
}

/// The section of a beam.
fn section(entry: &Entry<'_>, dimension: usize) -> Result<SectionPart> {
    let shape = entry.required_word("shape")?;
    if shape == "given" {
        return given(entry, dimension);
    }
    let (area, i2, i3, saint_venant) = match shape.as_str() {
        "rectangle" => match entry.numbers("size_m")?.unwrap_or_default().as_slice() {
            [a, b] => (
                a * b,
                a * b.powi(3) / 12.0,
                b * a.powi(3) / 12.0,
                rectangle_torsion_constant(*a, *b),
            ),
            _ => {
                let remedy = "add size_m = [along e2, along e3]";
                return Err(entry.error("is a rectangle without its two sizes", remedy));
            }
        },
        _ => {
            let outer = entry.required_number("radius_m")?;
            let inner = match shape.as_str() {
                "tube" => entry.required_number("inner_radius_m")?,
                _ => 0.0,
            };
            if inner >= outer {
                let problem = format!("= {inner} is not inside radius_m = {outer}");
                return Err(entry.error_at("inner_radius_m", problem, "choose a smaller one"));
            }
            let second = 0.25 * PI * (outer.powi(4) - inner.powi(4));
            (
                PI * (outer * outer - inner * inner),
                second,
                second,
                2.0 * second,
            )
        }
    };
    let e = entry.required_number("youngs_modulus_pa")?;
    let g = match (
        entry.number("shear_modulus_pa")?,
        entry.number("poisson_ratio")?,
    ) {
        (Some(g), None) => g,
        (None, Some(nu)) => e / (2.0 * (1.0 + nu)),
        _ => {
            let remedy = "give poisson_ratio or shear_modulus_pa, one of them";
            return Err(entry.error("has no shear modulus, or two", remedy));
        }
    };
    let density = entry.required_number("density_kg_per_m3")?;
    let factor = entry.number("shear_factor")?.unwrap_or(5.0 / 6.0);
    let torsion = entry.number("torsion_constant_m4")?.unwrap_or(saint_venant);
    let shear = factor * g * area;
    Ok(SectionPart {
        stiffness: [e * area, shear, shear, g * torsion, e * i2, e * i3],
        mass: density * area,
        rotary: [density * (i2 + i3), density * i2, density * i3],
    })
}

fn given(entry: &Entry<'_>, dimension: usize) -> Result<SectionPart> {
    let bending = entry.numbers("bending_stiffness_n_m2")?.unwrap_or_default();
    let rotary = entry.numbers("rotary_inertia_kg_m")?.unwrap_or_default();
    let (ei2, ei3) = match (dimension, bending.as_slice()) {
        (2, [ei]) => (*ei, *ei),
        (3, [ei2, ei3]) => (*ei2, *ei3),
        _ => {
            let remedy = "one number in the plane, two (about e2 and e3) in space";
            return Err(entry.error("has not as many bending_stiffness_n_m2 as it needs", remedy));
        }
    };
    let rotary = match (dimension, rotary.as_slice()) {
        (_, []) => [0.0; 3],
        (2, [r]) => [0.0, 0.0, *r],
        (3, [r1, r2, r3]) => [*r1, *r2, *r3],
        _ => {
            let remedy = "one number in the plane, three (about e1, e2, e3) in space";
            return Err(entry.error_at("rotary_inertia_kg_m", "has a wrong length", remedy));
        }
    };
    let shear = entry.required_number("shear_stiffness_n")?;
    let torsion = match dimension {
        2 => 1.0,
        _ => entry.required_number("torsion_stiffness_n_m2")?,
    };
    let axial = entry.required_number("axial_stiffness_n")?;
    Ok(SectionPart {
        stiffness: [axial, shear, shear, torsion, ei2, ei3],
        mass: entry.required_number("mass_per_length_kg_per_m")?,
        rotary,
    })
}
