//! Tendons over guides and line actuators of a file.
//!
//! An actuator pushes its points, at the distance q, apart with
//!
//! ```text
//! F = clamp(F(t) + k (q_target(t) − q) − c q̇, ±limit)                             (1)
//! ```

use super::Assembler;
use crate::error::Result;
use crate::formula::Meaning;
use crate::parts::{CablePart, CoordinatePart, ForcePart, NamedForce, Point};
use crate::read::Entry;
use multibody::model::{Booking, FIRST_INPUT, MOST_CABLE_POINTS};

impl Assembler<'_> {
    /// A tendon that runs over guides.
    pub(super) fn cable(&mut self, entry: &Entry<'_>, name: String) -> Result<()> {
        let guides = entry.texts("over")?.unwrap_or_default();
        let most = MOST_CABLE_POINTS - 2;
        if guides.len() > most {
            let problem = format!("has {} guides", guides.len());
            return Err(entry.error_at("over", problem, format!("at most {most} are possible")));
        }
        let mut points = vec![self.point(entry, "a", "a_point_m")?];
        for (text, place) in &guides {
            let Some(spot) = self.spot_named(text) else {
                let names = self.places().join(", ");
                let problem = format!("guide \"{text}\" is not there");
                let remedy = format!("add a [[frame]] of that name; known places: {names}");
                return Err(self.context.document.error(*place, problem, remedy));
            };
            points.push(Point {
                host: spot.host,
                point: spot.pose.position,
            });
        }
        points.push(self.point(entry, "b", "b_point_m")?);
        if points.iter().all(|point| point.host == points[0].host) {
            return Err(entry.error("runs on one body only", "name other bodies"));
        }
        if entry.has("shortening_damping_n_s_per_m") {
            let remedy = "a tendon over guides has one damping";
            return Err(entry.error_at("shortening_damping_n_s_per_m", "is not used", remedy));
        }
        let friction = match entry.numbers("guide_friction")?.unwrap_or_default() {
            list if list.len() == guides.len() => list,
            list if list.is_empty() => vec![0.0; guides.len()],
            list if list.len() == 1 => vec![list[0]; guides.len()],
            list => {
                let problem = format!("has {} values for {} guides", list.len(), guides.len());
                let remedy = "write one for all, or one for each";
                return Err(entry.error_at("guide_friction", problem, remedy));
            }
        };
        let stiffness = entry.required_number("stiffness_n_per_m")?;
        let rest = entry.required_number("rest_length_m")?;
        let damping = entry.number("damping_n_s_per_m")?.unwrap_or(0.0);
        self.cables.push(CablePart {
            name,
            points,
            friction,
            data: [stiffness, rest, damping],
            transition: entry.number("transition_m_per_s")?.unwrap_or(1e-3),
            place: entry.place,
        });
        Ok(())
    }

    pub(super) fn read_actuators(&mut self) -> Result<()> {
        for entry in self.entries("actuator")? {
            let name = self.name(&entry)?;
            let ends = [
                self.point(&entry, "a", "a_point_m")?,
                self.point(&entry, "b", "b_point_m")?,
            ];
            if ends[0].host == ends[1].host {
                return Err(entry.error("pushes one body only", "name two bodies in a and b"));
            }
            let force = self.channel_of(&entry, &name, "force_n")?;
            let target = self.channel_of(&entry, &name, "target_m")?;
            let stiffness = entry.number("stiffness_n_per_m")?.unwrap_or(0.0);
            let damping = entry.number("damping_n_s_per_m")?.unwrap_or(0.0);
            if force.is_none() && target.is_none() {
                let remedy = "add force_n, or target_m with gains";
                return Err(entry.error("does nothing", remedy));
            }
            if target.is_some() && stiffness == 0.0 {
                let remedy = "add stiffness_n_per_m";
                return Err(entry.error("has a target but no gain", remedy));
            }
            let mut text = format!("-{damping}*rate");
            if force.is_some() {
                text.push_str(" + force");
            }
            if target.is_some() {
                text.push_str(&format!(" + {stiffness}*(target - q)"));
            }
            if let Some(limit) = entry.number("force_limit_n")? {
                text = format!("min({limit}, max(-{limit}, {text}))");
            }
            let channel = |channel: Option<usize>| {
                channel.map(|channel| Meaning::Variable(FIRST_INPUT + channel))
            };
            let mut own = |word: &str| match word {
                "q" => Some(Meaning::Variable(0)),
                "rate" => Some(Meaning::Variable(1)),
                "force" => channel(force),
                "target" => channel(target),
                _ => None,
            };
            let context = self.context;
            let law = context.formula("actuator", entry.place, &text, &mut own)?; // (1)
            let [a, b] = ends;
            self.forces.push(NamedForce {
                name,
                force: ForcePart::Law {
                    coordinate: CoordinatePart::Distance(a, b),
                    acts_on: None,
                    law,
                    booking: Booking::Work,
                },
                place: entry.place,
            });
        }
        Ok(())
    }
}
