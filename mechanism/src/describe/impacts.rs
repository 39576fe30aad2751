//! Impacts of a file.

use super::Assembler;
use crate::error::Result;
use crate::parts::{CoordinatePart, ImpactPart, JointPartKind, Pose, Spot};
use crate::signal::History;
use nalgebra::{Matrix3, Vector3};

impl Assembler<'_> {
    pub(super) fn read_impacts(&mut self) -> Result<()> {
        for entry in self.entries("impact")? {
            let name = self.name(&entry)?;
            let (a, b) = (
                self.point(&entry, "a", "a_point_m")?,
                self.point(&entry, "b", "b_point_m")?,
            );
            if a.host == b.host {
                return Err(entry.error("hits itself", "name two bodies in a and b"));
            }
            let radius = entry.number("radius_m")?.unwrap_or(0.0);
            let at = |point: &crate::parts::Point, rotation| Spot {
                host: point.host,
                pose: Pose {
                    position: point.point,
                    rotation,
                },
            };
            let restitution = entry.required_number("restitution")?;
            let part = if entry.required_word("kind")? == "discs" {
                let limit = radius + entry.number("a_radius_m")?.unwrap_or(0.0);
                if limit <= 0.0 {
                    let remedy = "add radius_m and a_radius_m";
                    return Err(entry.error("is between two points", remedy));
                }
                let channel = self.channel(format!("{name}.limit"), History::constant(limit));
                ImpactPart {
                    name,
                    coordinate: CoordinatePart::Distance(a, b),
                    limit,
                    restitution,
                    kind: JointPartKind::Distance(channel),
                    spots: [at(&a, Matrix3::identity()), at(&b, Matrix3::identity())],
                }
            } else {
                let spot = self.spot(&entry, "a")?;
                let normal = Vector3::from(entry.required_vector("direction")?);
                if normal.norm() < 1e-9 {
                    return Err(entry.error_at("direction", "has no length", "write a normal"));
                }
                let normal = spot.pose.rotation * normal.normalize();
                let plane = self.context.dimension == 2;
                let rotation = across(&normal, plane);
                let channel = self.channel(format!("{name}.limit"), History::constant(0.0));
                let mut on_a = at(&a, rotation);
                on_a.pose.position += normal * radius;
                ImpactPart {
                    name,
                    coordinate: CoordinatePart::Offset(a, normal, b),
                    limit: radius,
                    restitution,
                    kind: JointPartKind::Slide(channel),
                    spots: [on_a, at(&b, Matrix3::identity())],
                }
            };
            self.impacts.push(part);
        }
        Ok(())
    }
}

/// Axes whose first is the normal.
fn across(normal: &Vector3<f64>, plane: bool) -> Matrix3<f64> {
    if plane {
        return Matrix3::from_columns(&[*normal, Vector3::z().cross(normal), Vector3::z()]);
    }
    let helper = if normal.x.abs() < 0.9 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let first = (helper - normal * helper.dot(normal)).normalize();
    Matrix3::from_columns(&[*normal, first, normal.cross(&first)])
}
