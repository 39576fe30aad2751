//! Contact of points and discs with planes and discs, by the normal laws of the docking.
//!
//! With the depth d behind the surface and the speed v₀ at the touch:
//!
//! ```text
//! F = max(0, K dⁿ (1 + χ ḋ/v₀)),   χ of `multibody::contact::NormalLaw`            (1)
//! ```
//!
//! The touch is located as an event, which gives v₀; steps are `step_s` long while parts touch. Points on
//! discs, cones and rims, several points, and friction are contacts of `multibody::contact`, with the same
//! laws.

use super::Assembler;
use crate::error::Result;
use crate::formula::Meaning;
use crate::parts::{
    ContactPart, ContactSource, CoordinatePart, ForcePart, NamedForce, Point, SurfacePart,
};
use crate::read::Entry;
use crate::signal::History;
use multibody::contact::{
    ContactPair, ContactParts, Feature, Friction, Mounts, NormalForce, NormalLaw,
};
use multibody::group::{Group, Se3};
use multibody::model::{Booking, FIRST_INPUT};
use nalgebra::Vector3;
use softdock_settings::Words;

impl Assembler<'_> {
    pub(super) fn read_contacts(&mut self) -> Result<()> {
        for entry in self.entries("contact")? {
            let name = self.name(&entry)?;
            self.contact(&entry, name)?;
        }
        Ok(())
    }

    fn contact(&mut self, entry: &Entry<'_>, name: String) -> Result<()> {
        let (a, b) = (
            self.point(entry, "a", "a_point_m")?,
            self.point(entry, "b", "b_point_m")?,
        );
        if a.host == b.host {
            return Err(entry.error("touches itself", "name two bodies in a and b"));
        }
        let radius = entry.number("radius_m")?.unwrap_or(0.0);
        let kind = entry.required_word("kind")?;
        let rubs = entry
            .word("friction")?
            .is_some_and(|friction| friction != "none");
        if kind == "discs" && (rubs || entry.has("points")) {
            let key = if rubs { "friction" } else { "points" };
            let remedy = "let points touch a disc, cone or rim instead";
            return Err(entry.error_at(key, "is not for two discs", remedy));
        }
        if kind != "discs" && (kind != "plane" || rubs || entry.has("points")) {
            return self.surface(entry, name, &kind, [a, b]);
        }
        let (coordinate, limit) = if entry.required_word("kind")? == "discs" {
            let limit = radius + entry.number("a_radius_m")?.unwrap_or(0.0);
            if limit <= 0.0 {
                let remedy = "add radius_m and a_radius_m";
                return Err(entry.error("is between two points", remedy));
            }
            (CoordinatePart::Distance(a, b), limit)
        } else {
            let spot = self.spot(entry, "a")?;
            let normal = Vector3::from(entry.required_vector("direction")?);
            if normal.norm() < 1e-9 {
                return Err(entry.error_at("direction", "has no length", "write a normal"));
            }
            let normal = spot.pose.rotation * normal.normalize();
            (CoordinatePart::Offset(a, normal, b), radius)
        };
        let law = normal_law(entry)?;
        let chi = law.damping_factor(entry.number("restitution")?.unwrap_or(1.0));
        let stiffness = entry.required_number("stiffness")?;
        let exponent = entry.number("exponent")?.unwrap_or(1.5);
        let speed = self.channel(format!("{name}.speed"), History::constant(1.0));
        let depth = format!("max(0, {limit} - q)");
        let force = format!(
            "if(speed > 0 and q < {limit}, \
             max(0, {stiffness}*{depth}^{exponent}*(1 - {chi}*rate/max(speed, 1e-9))), 0)"
        );
        let energy = format!(
            "{}*{depth}^{}",
            stiffness / (exponent + 1.0),
            exponent + 1.0
        );
        let mut own = |word: &str| match word {
            "q" => Some(Meaning::Variable(0)),
            "rate" => Some(Meaning::Variable(1)),
            "speed" => Some(Meaning::Variable(FIRST_INPUT + speed)),
            _ => None,
        };
        let program = self
            .context
            .formula("contact", entry.place, &force, &mut own)?;
        let stored = self
            .context
            .formula("contact", entry.place, &energy, &mut own)?;
        self.contacts.push(ContactPart {
            name: name.clone(),
            source: ContactSource::Law(self.forces.len()),
            speed,
            limit,
            step: entry.number("step_s")?,
        });
        self.forces.push(NamedForce {
            name,
            force: ForcePart::Law {
                coordinate,
                acts_on: None,
                law: program,
                booking: Booking::Stored(stored),
            },
            place: entry.place,
        });
        Ok(())
    }

    /// Points of b against a surface of a.
    fn surface(
        &mut self,
        entry: &Entry<'_>,
        name: String,
        kind: &str,
        [a, b]: [Point; 2],
    ) -> Result<()> {
        let spot = self.spot(entry, "a")?;
        let axis = Vector3::from(entry.required_vector("direction")?);
        if axis.norm() < 1e-9 {
            return Err(entry.error_at("direction", "has no length", "write a direction"));
        }
        let z = spot.pose.rotation * axis.normalize();
        let helper = if z.x.abs() < 0.9 {
            Vector3::x()
        } else {
            Vector3::y()
        };
        let x = (helper - z * helper.dot(&z)).normalize();
        let port = nalgebra::Matrix3::from_columns(&[x, z.cross(&x), z]);
        let mut points = Vec::new();
        for (text, place) in entry.texts("points")?.unwrap_or_default() {
            let found = self.spot_named(&text).filter(|found| found.host == b.host);
            let Some(found) = found else {
                let problem = format!("point \"{text}\" is not on what b names");
                let remedy = "name frames on the body b";
                return Err(self.context.document.error(place, problem, remedy));
            };
            points.push(found.pose.position);
        }
        if points.is_empty() {
            points.push(b.point);
        }
        let normal = NormalForce::new(
            normal_law(entry)?,
            entry.required_number("stiffness")?,
            entry.number("exponent")?.unwrap_or(1.5),
            entry.number("restitution")?.unwrap_or(1.0),
            SLOWEST_TOUCH,
        );
        let pair = ContactPair::new(ContactParts {
            points,
            tip_radius: entry.number("radius_m")?.unwrap_or(0.0),
            features: features(entry, kind)?,
            normal,
            friction: friction(entry)?,
            mounts: Mounts {
                a: Se3::identity(),
                b: Se3::from_parts(a.point, port),
            },
            steps_per_half_period: 10.0,
        });
        let number = self.surfaces.len();
        let mut speeds = Vec::new();
        for contact in 0..pair.contacts() {
            let label = match pair.contacts() {
                1 => name.clone(),
                _ => format!("{name}.{}", contact + 1),
            };
            let speed = self.channel(format!("{label}.speed"), History::constant(1.0));
            speeds.push(speed);
            self.contacts.push(ContactPart {
                name: label,
                source: ContactSource::Surface(number, contact),
                speed,
                limit: 0.0,
                step: entry.number("step_s")?,
            });
        }
        self.surfaces.push(SurfacePart {
            name,
            hosts: [b.host, a.host],
            pair,
            speeds,
            place: entry.place,
        });
        Ok(())
    }
}

/// Least speed of a touch that damping is computed for [m/s].
const SLOWEST_TOUCH: f64 = 1e-6;

fn normal_law(entry: &Entry<'_>) -> Result<NormalLaw> {
    // The table allows no other words than those of the laws.
    let law = entry
        .word("law")?
        .and_then(|word| NormalLaw::from_word(&word));
    Ok(law.unwrap_or_default())
}

fn friction(entry: &Entry<'_>) -> Result<Friction> {
    let transition_speed = entry.number("transition_m_per_s")?.unwrap_or(1e-3);
    Ok(match entry.word("friction")?.as_deref() {
        None | Some("none") => {
            for key in ["dynamic_friction", "static_friction", "transition_m_per_s"] {
                if entry.has(key) {
                    let remedy = "add friction = \"coulomb\" or \"brown_mcphee\"";
                    return Err(entry.error_at(key, "is there without friction", remedy));
                }
            }
            Friction::None
        }
        Some("coulomb") => Friction::Coulomb {
            coefficient: entry.required_number("dynamic_friction")?,
            transition_speed,
        },
        _ => {
            let coefficient = entry.required_number("dynamic_friction")?;
            let largest = entry.number("static_friction")?.unwrap_or(coefficient);
            if largest < coefficient {
                let problem = format!("= {largest} is below dynamic_friction = {coefficient}");
                return Err(entry.error_at("static_friction", problem, "choose a larger one"));
            }
            Friction::BrownMcphee {
                coefficient,
                static_coefficient: largest,
                transition_speed,
                viscous: 0.0,
                transition_force: 1.0,
            }
        }
    })
}

/// The surface of a in its own axes.
fn features(entry: &Entry<'_>, kind: &str) -> Result<Vec<Feature>> {
    if kind == "plane" {
        return Ok(vec![Feature::Plane { height: 0.0 }]);
    }
    let radius = entry.required_number("a_radius_m")?;
    let edge = entry.required_number("edge_radius_m")?;
    if radius <= edge {
        let problem = format!("= {edge} is not below a_radius_m = {radius}");
        return Err(entry.error_at("edge_radius_m", problem, "round it with a smaller radius"));
    }
    Ok(match kind {
        "disc" => vec![Feature::Disc {
            radius,
            edge_radius: edge,
        }],
        "rim" => vec![Feature::Torus {
            radius,
            tube_radius: edge,
        }],
        _ => {
            let angle = entry.required_number("half_angle_rad")?;
            let mut out = vec![Feature::funnel(angle, radius, edge)];
            if let Some(depth) = entry.number("depth_m")? {
                out.push(Feature::Plane { height: -depth });
            }
            out
        }
    })
}
