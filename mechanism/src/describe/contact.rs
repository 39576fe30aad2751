//! Contact of points and discs with planes and discs, by the normal laws of the docking.
//!
//! With the depth d behind the surface and the speed v₀ at the touch:
//!
//! ```text
//! F = max(0, K dⁿ (1 + χ ḋ/v₀)),   χ of `multibody::contact::NormalLaw`            (1)
//! ```
//!
//! The touch is located as an event, which gives v₀; steps are `step_s` long while parts touch.

use super::Assembler;
use crate::error::Result;
use crate::formula::Meaning;
use crate::parts::{ContactPart, CoordinatePart, ForcePart, NamedForce};
use crate::read::Entry;
use crate::signal::History;
use multibody::contact::NormalLaw;
use multibody::model::{Booking, FIRST_INPUT};
use nalgebra::Vector3;

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
        let law = match entry.word("law")?.as_deref() {
            Some("hertz") => NormalLaw::Hertz,
            Some("hunt_crossley") => NormalLaw::HuntCrossley,
            Some("lankarani_nikravesh") => NormalLaw::LankaraniNikravesh,
            Some("flores") => NormalLaw::Flores,
            _ => NormalLaw::Exact,
        };
        let chi = law.damping_factor(entry.number("restitution")?.unwrap_or(1.0));
        let stiffness = entry.required_number("stiffness")?;
        let exponent = entry.number("exponent")?.unwrap_or(1.5);
        let speed = self.channel(format!("{name}.speed"), History::constant(1.0));
        let depth = format!("max(0, {limit} - q)");
        let force = format!(
            "if(q < {limit}, max(0, {stiffness}*{depth}^{exponent}*(1 - {chi}*rate/speed)), 0)"
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
            force: self.forces.len(),
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
}
