//! Friction of joints.
//!
//! With the sliding speed s = r q̇ − v (r = 1 m/m for slides, the radius of the pin for revolute joints,
//! v the speed of the surface), the load N and the coefficients μ_s, μ_d:
//!
//! ```text
//! coulomb       F = −N μ_d tanh(4 s/v_t)                                          (1)
//! anderson      F = −N (μ_d + (μ_s − μ_d) exp(−(s/v_t)²)) tanh(10 s/v_t)            (2)
//! brown_mcphee  F = −N (μ_d tanh(4 s/v_t) + (μ_s − μ_d) (s/v_t)/((s/2v_t)² + ¾)²)   (3)
//! switching     stick: s = 0 by a constraint while it needs less than μ_s N; slip: F = −N μ_d sign s (4)
//! ```
//!
//! N is the force of the joint (normal to a slide) at the last accepted step, plus `preload_n`. Sources:
//! Andersson, Söderberg & Björklund 2007; Brown & McPhee 2016.

use super::Assembler;
use crate::error::Result;
use crate::formula::Meaning;
use crate::parts::{
    CoordinatePart, ForcePart, FrictionPart, JointPart, JointPartKind, NamedForce, Point, Presence,
    StickPart,
};
use crate::read::Entry;
use crate::signal::History;
use multibody::model::{Booking, FIRST_INPUT, JointKind};

impl Assembler<'_> {
    pub(super) fn read_frictions(&mut self) -> Result<()> {
        for entry in self.entries("friction")? {
            let name = self.name(&entry)?;
            self.friction(&entry, name)?;
        }
        Ok(())
    }

    fn friction(&mut self, entry: &Entry<'_>, name: String) -> Result<()> {
        let joint = self.joint_of(entry)?;
        let part = self.joints[joint].clone();
        let dynamic = entry.required_number("dynamic_friction")?;
        let stick = entry.number("static_friction")?.unwrap_or(dynamic);
        if stick < dynamic {
            let problem = format!("= {stick} is below dynamic_friction = {dynamic}");
            return Err(entry.error_at("static_friction", problem, "choose a larger one"));
        }
        let (coordinate, radius) = match part.kind {
            JointPartKind::Plain(JointKind::Revolute) => (
                CoordinatePart::Angle(joint),
                entry.required_number("radius_m")?,
            ),
            JointPartKind::Plain(JointKind::Prismatic | JointKind::PointOnLine) => {
                let at = |side: usize| Point {
                    host: part.spots[side].host,
                    point: part.spots[side].pose.position,
                };
                let along = part.spots[0].pose.rotation.column(0).into();
                (CoordinatePart::Offset(at(0), along, at(1)), 1.0)
            }
            _ => {
                let problem = format!("= \"{}\" has no friction", part.name);
                let remedy = "name a revolute, prismatic or slot joint";
                return Err(entry.error_at("joint", problem, remedy));
            }
        };
        let surface = entry.number("surface_m_per_s")?.unwrap_or(0.0);
        let preload = entry.number("preload_n")?.unwrap_or(0.0);
        let load = self.channel(format!("{name}.load"), History::constant(0.0));
        let law_word = entry.required_word("law")?;
        let transition = match law_word.as_str() {
            "switching" => 1.0,
            _ => entry.required_number("transition_m_per_s")?,
        };
        let speed = format!("((rate*{radius} - ({surface}))/{transition})");
        let mu = match law_word.as_str() {
            "coulomb" => format!("{dynamic}*tanh(4*{speed})"), // (1)
            "anderson" => {
                format!(
                    "({dynamic} + {}*exp(-{speed}^2))*tanh(10*{speed})",
                    stick - dynamic
                ) // (2)
            }
            "brown_mcphee" => format!(
                "({dynamic}*tanh(4*{speed}) + {}*{speed}/({speed}^2/4 + 3/4)^2)",
                stick - dynamic
            ), // (3)
            _ => "1".to_owned(), // (4): the channel holds N μ_d sign s.
        };
        let text = format!("-load*{radius}*{mu}");
        let mut own = |word: &str| match word {
            "rate" => Some(Meaning::Variable(1)),
            "load" => Some(Meaning::Variable(FIRST_INPUT + load)),
            _ => None,
        };
        let law = self.context.formula("law", entry.place, &text, &mut own)?;
        let stick_part = (law_word == "switching").then(|| {
            let channel = self.channel(format!("{name}.stick"), History::constant(0.0));
            self.joints.push(JointPart {
                name: format!("{name}_stick"),
                kind: match coordinate {
                    CoordinatePart::Angle(_) => JointPartKind::Angle(channel),
                    _ => JointPartKind::Slide(channel),
                },
                spots: part.spots,
                presence: Presence {
                    // It comes and goes with the friction, never by the clock.
                    closes: Some(f64::INFINITY),
                    ..Presence::default()
                },
                place: entry.place,
                driver: true,
            });
            StickPart {
                joint: self.joints.len() - 1,
                channel,
            }
        });
        self.frictions.push(FrictionPart {
            name: name.clone(),
            joint,
            force: self.forces.len(),
            load,
            stick: stick_part,
            coefficients: [stick, dynamic],
            radius,
            surface,
            preload,
        });
        self.forces.push(NamedForce {
            name,
            force: ForcePart::Law {
                coordinate,
                acts_on: None,
                law,
                booking: if surface == 0.0 {
                    Booking::Dissipated
                } else {
                    Booking::Work
                },
            },
            place: entry.place,
        });
        Ok(())
    }
}
