//! Springs, tendons, motors, forces, laws and stops of a file.

use super::Assembler;
use crate::error::Result;
use crate::formula::Meaning;
use crate::parts::{CoordinatePart, ForcePart, Host, NamedForce, StopPart};
use crate::read::Entry;
use crate::signal::History;
use multibody::model::{
    Booking, FIRST_INPUT, JointKind, LineLaw, MotorLaw, Op, Program, Rotor, SpeedLine,
};
use nalgebra::Vector3;

impl Assembler<'_> {
    pub(super) fn read_forces(&mut self) -> Result<()> {
        self.read_lines()?;
        self.read_hinge_forces()?;
        self.read_wrenches()?;
        self.read_actuators()?;
        for entry in self.entries("law")? {
            let name = self.name(&entry)?;
            let force = self.law(&entry)?;
            self.add(name, force, &entry);
        }
        for entry in self.entries("stop")? {
            let name = self.name(&entry)?;
            let force = self.stop(&name, &entry)?;
            self.add(name, force, &entry);
        }
        Ok(())
    }

    fn add(&mut self, name: String, force: ForcePart, entry: &Entry<'_>) {
        self.forces.push(NamedForce {
            name,
            force,
            place: entry.place,
        });
    }

    fn read_lines(&mut self) -> Result<()> {
        for section in ["spring", "tendon"] {
            for entry in self.entries(section)? {
                let name = self.name(&entry)?;
                if entry.has("over") {
                    self.cable(&entry, name)?;
                    continue;
                }
                for key in ["guide_friction", "transition_m_per_s"] {
                    if entry.has(key) {
                        let remedy = "add over = [\"place\", …], the guides it runs over";
                        return Err(entry.error_at(key, "is for tendons over guides", remedy));
                    }
                }
                let ends = [
                    self.point(&entry, "a", "a_point_m")?,
                    self.point(&entry, "b", "b_point_m")?,
                ];
                if ends[0].host == ends[1].host {
                    return Err(entry.error("pulls at one body only", "name two bodies in a and b"));
                }
                let stiffness = entry.number("stiffness_n_per_m")?.unwrap_or(0.0);
                let damping = entry.number("damping_n_s_per_m")?.unwrap_or(0.0);
                let rest_length = match entry.number("rest_length_m")? {
                    Some(length) => length,
                    None if stiffness == 0.0 => 0.0,
                    None => {
                        let remedy = "add rest_length_m, the length at which it does not pull";
                        return Err(entry.error("has stiffness but no rest length", remedy));
                    }
                };
                let law = if section == "spring" {
                    LineLaw::SpringDamper {
                        stiffness,
                        rest_length,
                        damping,
                    }
                } else {
                    let shortening = entry.number("shortening_damping_n_s_per_m")?;
                    LineLaw::Tendon {
                        stiffness,
                        rest_length,
                        damping_lengthening: damping,
                        damping_shortening: shortening.unwrap_or(damping),
                        friction: 0.0,
                        friction_speed: 1e-3,
                        slack_width: 1e-3,
                        rate_width: 1e-6,
                    }
                };
                self.add(name, ForcePart::Line { ends, law }, &entry);
            }
        }
        Ok(())
    }

    /// The joint of a force on an angle.
    fn hinge(&self, entry: &Entry<'_>) -> Result<usize> {
        let joint = self.joint_of(entry)?;
        let part = &self.joints[joint];
        let turns = matches!(
            part.kind,
            crate::parts::JointPartKind::Plain(JointKind::Revolute | JointKind::Cylindrical)
        );
        if turns {
            return Ok(joint);
        }
        let problem = format!("= \"{}\" has no angle", part.name);
        Err(entry.error_at("joint", problem, "name a revolute or cylindrical joint"))
    }

    fn read_hinge_forces(&mut self) -> Result<()> {
        for entry in self.entries("torsion_spring")? {
            let name = self.name(&entry)?;
            let joint = self.hinge(&entry)?;
            let data = [
                entry.number("stiffness_nm_per_rad")?.unwrap_or(0.0),
                entry.number("rest_angle_rad")?.unwrap_or(0.0),
                entry.number("damping_nm_s_per_rad")?.unwrap_or(0.0),
            ];
            self.add(name, ForcePart::Torsion { joint, data }, &entry);
        }
        for entry in self.entries("motor")? {
            let name = self.name(&entry)?;
            let joint = self.hinge(&entry)?;
            let torque = self.channel_of(&entry, &name, "torque_nm")?;
            let target = self.channel_of(&entry, &name, "target_rad")?;
            let stiffness = entry.number("stiffness_nm_per_rad")?.unwrap_or(0.0);
            let damping = entry.number("damping_nm_s_per_rad")?.unwrap_or(0.0);
            if target.is_none() && torque.is_none() {
                let remedy = "add torque_nm, or target_rad with gains";
                return Err(entry.error("does nothing", remedy));
            }
            if target.is_some() && stiffness == 0.0 && damping == 0.0 {
                let remedy = "add stiffness_nm_per_rad or damping_nm_s_per_rad";
                return Err(entry.error("has a target but no gains", remedy));
            }
            let force = ForcePart::Motor {
                joint,
                torque,
                hold: target.map(|target| (target, stiffness, damping)),
                limits: limits(&entry)?,
            };
            self.add(name, force, &entry);
        }
        Ok(())
    }

    fn read_wrenches(&mut self) -> Result<()> {
        for entry in self.entries("force")? {
            let name = self.name(&entry)?;
            let point = self.point(&entry, "on", "point_m")?;
            if point.host == Host::Ground {
                return Err(entry.error("acts on the ground", "name a body or a beam end"));
            }
            let dimension = self.context.dimension;
            let turns = if dimension == 2 { 1 } else { 3 };
            let force = self.components(&entry, &name, "force_n", dimension, 0)?;
            let moment = self.components(&entry, &name, "moment_nm", turns, 3 - turns)?;
            let force = ForcePart::Wrench {
                point,
                follows: entry.word("axes")?.is_some_and(|word| word == "body"),
                force,
                moment,
            };
            self.add(name, force, &entry);
        }
        Ok(())
    }

    /// Channels of the components of a force or moment; zeros need none.
    fn components(
        &mut self,
        entry: &Entry<'_>,
        name: &str,
        key: &str,
        count: usize,
        first: usize,
    ) -> Result<[Option<usize>; 3]> {
        let values = entry.values(key);
        let mut out = [None; 3];
        if values.is_empty() {
            return Ok(out);
        }
        if values.len() != count {
            let problem = format!("has {} components", values.len());
            return Err(entry.error_at(key, problem, format!("write {count} signals in brackets")));
        }
        for (i, value) in values.into_iter().enumerate() {
            let history = self.history_of(entry, key, value)?;
            if history != History::constant(0.0) {
                out[first + i] = Some(self.channel(format!("{name}.{key}.{i}"), history));
            }
        }
        Ok(out)
    }

    fn coordinate(&self, entry: &Entry<'_>) -> Result<CoordinatePart> {
        Ok(match entry.required_word("coordinate")?.as_str() {
            "angle" => CoordinatePart::Angle(self.hinge(entry)?),
            "distance" => CoordinatePart::Distance(
                self.point(entry, "a", "a_point_m")?,
                self.point(entry, "b", "b_point_m")?,
            ),
            _ => {
                let a = self.spot(entry, "a")?;
                let direction = Vector3::from(entry.required_vector("direction")?);
                if direction.norm() < 1e-9 {
                    return Err(entry.error_at("direction", "has no length", "write a direction"));
                }
                let direction = a.pose.rotation * direction.normalize();
                let origin = self.point(entry, "a", "a_point_m")?;
                let point = self.point(entry, "b", "b_point_m")?;
                CoordinatePart::Offset(origin, direction, point)
            }
        })
    }

    fn law(&mut self, entry: &Entry<'_>) -> Result<ForcePart> {
        let coordinate = self.coordinate(entry)?;
        let text = entry.required_text("force")?;
        let place = entry
            .table
            .get("force")
            .map_or(entry.place, |value| value.place);
        let context = self.context;
        let mut wanted: Vec<String> = Vec::new();
        // Names of signals and t become channels behind those that are there.
        let signals: Vec<String> = self.signals.iter().map(|(name, _)| name.clone()).collect();
        let first = self.channels.len();
        let mut own = |name: &str| match name {
            "q" => Some(Meaning::Variable(0)),
            "rate" => Some(Meaning::Variable(1)),
            name if name == "t" || signals.iter().any(|known| known == name) => {
                let known = wanted.iter().position(|known| known == name);
                let index = known.unwrap_or_else(|| {
                    wanted.push(name.to_owned());
                    wanted.len() - 1
                });
                Some(Meaning::Variable(FIRST_INPUT + first + index))
            }
            _ => None,
        };
        let law = context.formula("force", place, &text, &mut own)?;
        for name in wanted {
            let history = match self.signals.iter().find(|(known, _)| *known == name) {
                Some((_, history)) => history.clone(),
                None => History::Line {
                    value: 0.0,
                    slope: 1.0,
                },
            };
            self.channel(name, history);
        }
        let booking = match entry.text("energy")? {
            Some(text) => {
                let mut own = |name: &str| (name == "q").then_some(Meaning::Variable(0));
                Booking::Stored(context.formula("energy", place, &text, &mut own)?)
            }
            None if entry
                .word("booking")?
                .is_some_and(|word| word == "dissipated") =>
            {
                Booking::Dissipated
            }
            None => Booking::Work,
        };
        Ok(ForcePart::Law {
            coordinate,
            acts_on: None,
            law,
            booking,
        })
    }

    fn stop(&mut self, name: &str, entry: &Entry<'_>) -> Result<ForcePart> {
        let coordinate = self.coordinate(entry)?;
        let stiffness = entry.required_number("stiffness")?;
        let damping = entry.number("damping")?.unwrap_or(0.0);
        let exponent = entry.number("exponent")?.unwrap_or(1.0);
        let (limit, up) = match (entry.number("below")?, entry.number("above")?) {
            (Some(below), None) => (below, true),
            (None, Some(above)) => (above, false),
            _ => {
                let remedy = "give below or above, one of them; use two stops for two ends";
                return Err(entry.error("needs one end", remedy));
            }
        };
        // Damping makes the force jump where the stop is met: a run looks for the time of that.
        let closed = (damping > 0.0).then(|| {
            self.channel(
                format!("{name}.closed"),
                History::constant(StopPart::BY_DEPTH),
            )
        });
        if let Some(channel) = closed {
            self.stops.push(StopPart {
                name: name.to_owned(),
                force: self.forces.len(),
                limit,
                sign: if up { 1.0 } else { -1.0 },
                closed: channel,
            });
        }
        let (law, potential) = push_only(limit, up, [stiffness, damping, exponent], closed);
        let checked = |ops| {
            Program::new(ops).map_err(|error| entry.error(error.to_string(), "simplify the stop"))
        };
        let acts_on = match (coordinate, entry.has("acts_at_m")) {
            (CoordinatePart::Offset(origin, direction, _), true) => {
                let point = self.point(entry, "b", "acts_at_m")?;
                Some(CoordinatePart::Offset(origin, direction, point))
            }
            (_, true) => {
                let remedy = "use it with coordinate = \"offset\"";
                return Err(entry.error_at("acts_at_m", "is for offsets", remedy));
            }
            _ => None,
        };
        Ok(ForcePart::Law {
            coordinate,
            acts_on,
            law: checked(law)?,
            booking: Booking::Stored(checked(potential)?),
        })
    }
}

/// Limits and rotor of a motor.
fn limits(entry: &Entry<'_>) -> Result<MotorLaw> {
    let none = f64::INFINITY;
    let line = match (
        entry.number("stall_torque_nm")?,
        entry.number("no_load_rad_per_s")?,
    ) {
        (Some(stall_torque), Some(no_load_speed)) => Some(SpeedLine {
            stall_torque,
            no_load_speed,
        }),
        (None, None) => None,
        _ => {
            let remedy = "give stall_torque_nm and no_load_rad_per_s, or neither";
            return Err(entry.error("has half a torque-speed line", remedy));
        }
    };
    let inertia = entry.number("rotor_kg_m2")?;
    let ratio = entry.number("gear_ratio")?.unwrap_or(1.0);
    Ok(MotorLaw {
        torque_limit: entry.number("torque_limit_nm")?.unwrap_or(none),
        torque_rate_limit: entry.number("torque_rate_limit_nm_per_s")?.unwrap_or(none),
        speed_line: line,
        rotor: inertia.map(|inertia| Rotor {
            inertia,
            gear_ratio: ratio,
        }),
        ..MotorLaw::default()
    })
}

/// With the depth d behind the limit: `max(0, k dⁿ + c ḋ)` where d > 0, or where the channel `closed` says
/// so, pushing out, and its potential `k dⁿ⁺¹/(n + 1)`.
fn push_only(
    limit: f64,
    up: bool,
    [k, c, n]: [f64; 3],
    closed: Option<usize>,
) -> (Vec<Op>, Vec<Op>) {
    let sign = if up { 1.0 } else { -1.0 };
    // d = sign (limit − q), at least zero.
    let depth = [
        Op::Constant(limit),
        Op::Variable(0),
        Op::Subtract,
        Op::Constant(sign),
        Op::Multiply,
        Op::Constant(0.0),
        Op::Max,
    ];
    let mut law = Vec::new();
    let channel = closed.map(|channel| Op::Variable(FIRST_INPUT + channel));
    if let Some(channel) = channel {
        law.extend([channel, Op::Constant(StopPart::BY_DEPTH), Op::Equal]);
    }
    law.push(Op::Constant(0.0));
    law.extend(depth);
    law.push(Op::Less);
    law.extend(
        channel
            .into_iter()
            .flat_map(|channel| [channel, Op::Select]),
    );
    law.extend([Op::Constant(0.0), Op::Constant(k)]);
    law.extend(depth);
    law.extend([
        Op::Constant(n),
        Op::Power,
        Op::Multiply,
        Op::Constant(-sign * c),
        Op::Variable(1),
        Op::Multiply,
        Op::Add,
        Op::Max,
        Op::Constant(sign),
        Op::Multiply,
        Op::Constant(0.0),
        Op::Select,
    ]);
    let mut potential = depth.to_vec();
    potential.extend([
        Op::Constant(n + 1.0),
        Op::Power,
        Op::Constant(k / (n + 1.0)),
        Op::Multiply,
    ]);
    (law, potential)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn stops_push_and_never_pull() {
        let of = |up, q: f64, rate: f64| {
            let (law, _) = push_only(0.5, up, [100.0, 10.0, 1.0], None);
            let variables = [q, rate];
            Program::new(law).unwrap().evaluate(|n| variables[n])
        };
        assert_eq!(of(true, 0.6, -5.0), 0.0);
        assert!((of(true, 0.4, 0.0) - 10.0).abs() < 1e-12);
        assert!((of(true, 0.4, -1.0) - 20.0).abs() < 1e-12);
        assert_eq!(of(true, 0.4, 5.0), 0.0);
        assert_eq!(of(false, 0.4, 5.0), 0.0);
        assert!((of(false, 0.6, 0.0) + 10.0).abs() < 1e-12);
        assert!((of(false, 0.6, 1.0) + 20.0).abs() < 1e-12);
        assert_eq!(of(false, 0.6, -5.0), 0.0);
    }
}
