//! Outputs of a file: formulas of quantities.

use super::Assembler;
use crate::document::Place;
use crate::error::Result;
use crate::formula::Meaning;
use crate::parts::{ForcePart, JointPartKind, OutputPart, Source};
use crate::prescribed::variable;
use crate::read::{Entry, near};
use multibody::model::JointKind;

const AXES: [&str; 3] = ["x", "y", "z"];
const ENERGIES: [&str; 7] = [
    "kinetic_j",
    "strain_j",
    "springs_j",
    "gravity_j",
    "work_j",
    "dissipated_j",
    "residual_j",
];

impl Assembler<'_> {
    pub(super) fn outputs(&self, top: &Entry<'_>) -> Result<Vec<OutputPart>> {
        let Some(list) = top.texts("outputs")? else {
            return Ok(self.default_outputs());
        };
        let mut out: Vec<OutputPart> = Vec::new();
        for (text, place) in list {
            let (name, formula) = match text.split_once('=') {
                Some((name, formula)) if !formula.starts_with('=') => (name.trim(), formula.trim()),
                _ => (text.trim(), text.trim()),
            };
            if name == "time_s" || out.iter().any(|part| part.name == name) {
                let problem = format!("output {name} stands twice");
                let remedy = "time_s is always the first column; name every other one once";
                return Err(self.context.document.error(place, problem, remedy));
            }
            out.push(self.formula_of(name, formula, "outputs", place)?);
        }
        Ok(out)
    }

    /// All bodies' places, if the file names no outputs.
    fn default_outputs(&self) -> Vec<OutputPart> {
        let mut out = Vec::new();
        let place = Place::default();
        for body in &self.bodies {
            for quantity in ["x_m", "y_m", "z_m", "angle_rad"] {
                let name = format!("{}.{quantity}", body.name);
                out.extend(self.formula_of(&name, &name, "outputs", place));
            }
        }
        out
    }

    /// A formula of quantities, for an event.
    pub(super) fn output_part(
        &self,
        key: &str,
        text: &str,
        entry: &Entry<'_>,
    ) -> Result<OutputPart> {
        let place = entry
            .table
            .get(key)
            .map_or(entry.place, |value| value.place);
        self.formula_of(key, text, key, place)
    }

    fn formula_of(&self, name: &str, text: &str, key: &str, place: Place) -> Result<OutputPart> {
        // A name may hold a minus sign (`part-1`), which a formula would read as one.
        if let Some(source) = self.source(text) {
            return Ok(OutputPart {
                name: name.to_owned(),
                formula: variable(),
                sources: vec![source],
            });
        }
        let mut sources: Vec<Source> = Vec::new();
        let mut unknown = None;
        let mut own = |word: &str| match self.source(word) {
            Some(source) => {
                sources.push(source);
                Some(Meaning::Variable(sources.len() - 1))
            }
            None => {
                if self.context.meaning(word).is_none() && word != "pi" {
                    unknown.get_or_insert_with(|| word.to_owned());
                }
                None
            }
        };
        let formula = self.context.formula(key, place, text, &mut own);
        if let (Err(_), Some(word)) = (&formula, &unknown) {
            return Err(self.unknown_quantity(word, place));
        }
        Ok(OutputPart {
            name: name.to_owned(),
            formula: formula?,
            sources,
        })
    }

    fn unknown_quantity(&self, word: &str, place: Place) -> crate::error::MechanismError {
        let (owner, quantity) = word.rsplit_once('.').unwrap_or((word, ""));
        let document = &self.context.document;
        let known = self.quantities(owner);
        if known.is_empty() {
            let names: Vec<&str> = self.names.iter().map(|(name, _)| name.as_str()).collect();
            if names.contains(&owner) {
                let remedy = "take places, joints, drivers or forces that have them";
                return document.error(place, format!("{word}: {owner} has no outputs"), remedy);
            }
            let remedy = match near(owner, names.iter().copied()) {
                Some(name) => format!("did you mean {name}?"),
                None => format!("known parts: {}", names.join(", ")),
            };
            return document.error(place, format!("{word}: there is no {owner}"), remedy);
        }
        let remedy = format!("{owner} has {}", known.join(", "));
        document.error(place, format!("{word}: {owner} has no {quantity}"), remedy)
    }

    /// What can be read of a part.
    fn quantities(&self, owner: &str) -> Vec<&'static str> {
        const ALL: &[&str] = &[
            "x_m",
            "y_m",
            "z_m",
            "vx_m_per_s",
            "vy_m_per_s",
            "vz_m_per_s",
            "ax_m_per_s2",
            "ay_m_per_s2",
            "az_m_per_s2",
            "angle_rad",
            "angle_x_rad",
            "angle_y_rad",
            "angle_z_rad",
            "rate_rad_per_s",
            "rate_x_rad_per_s",
            "rate_y_rad_per_s",
            "rate_z_rad_per_s",
            "rate_change_rad_per_s2",
            "rate_change_x_rad_per_s2",
            "rate_change_y_rad_per_s2",
            "rate_change_z_rad_per_s2",
            "slide_m",
            "force_x_n",
            "force_y_n",
            "force_z_n",
            "moment_x_nm",
            "moment_y_nm",
            "moment_z_nm",
            "body_force_x_n",
            "body_force_y_n",
            "body_force_z_n",
            "body_moment_x_nm",
            "body_moment_y_nm",
            "body_moment_z_nm",
            "torque_nm",
            "force_n",
            "length_m",
            "tension_n",
            "end_tension_n",
            "gap_m",
            "value",
            "rate",
            "kinetic_j",
            "strain_j",
            "springs_j",
            "gravity_j",
            "work_j",
            "dissipated_j",
            "residual_j",
        ];
        (ALL.iter().copied())
            .filter(|quantity| self.source(&format!("{owner}.{quantity}")).is_some())
            .collect()
    }

    /// The quantity of a name.
    fn source(&self, word: &str) -> Option<Source> {
        if word == "t" || word == "time_s" {
            return Some(Source::Time);
        }
        let (owner, quantity) = word.rsplit_once('.')?;
        let plane = self.context.dimension == 2;
        let axis = |prefix: &str, suffix: &str| {
            let middle = quantity.strip_prefix(prefix)?.strip_suffix(suffix)?;
            let axis = AXES.iter().position(|axis| *axis == middle)?;
            (axis < 2 || !plane).then_some(axis)
        };
        if owner == "energy" {
            return (ENERGIES.iter().position(|name| *name == quantity)).map(Source::Energy);
        }
        if let Some(spot) = self.spot_named(owner) {
            for (order, (prefix, suffix)) in [("", "_m"), ("v", "_m_per_s"), ("a", "_m_per_s2")]
                .iter()
                .enumerate()
            {
                if let Some(axis) = axis(prefix, suffix) {
                    return Some(Source::Point(spot, order, axis));
                }
            }
            return match quantity {
                "angle_rad" if plane => Some(Source::Turn(spot, 0, 2)),
                "rate_rad_per_s" if plane => Some(Source::Turn(spot, 1, 2)),
                "rate_change_rad_per_s2" if plane => Some(Source::Turn(spot, 2, 2)),
                _ if plane => None,
                _ => {
                    let angle = axis("angle_", "_rad").map(|i| Source::Turn(spot, 0, i));
                    let rate = || axis("rate_", "_rad_per_s").map(|i| Source::Turn(spot, 1, i));
                    let change = || axis("rate_change_", "_rad_per_s2");
                    (angle.or_else(rate)).or_else(|| change().map(|i| Source::Turn(spot, 2, i)))
                }
            };
        }
        let friction = self
            .frictions
            .iter()
            .find(|friction| friction.name == owner);
        if let (Some(friction), "force_n" | "torque_nm") = (friction, quantity) {
            let stick = friction.stick.as_ref().map(|stick| stick.joint);
            return Some(Source::Friction(friction.force, stick));
        }
        let rod = self.rod_drivers.iter().find(|(name, _)| name == owner);
        let joint = self.joints.iter().position(|joint| joint.name == owner);
        if let Some(joint) = joint.or(rod.map(|(_, joint)| *joint)) {
            return self.joint_source(joint, quantity, plane);
        }
        if let Some(force) = self.forces.iter().position(|force| force.name == owner) {
            return match (&self.forces[force].force, quantity) {
                (ForcePart::Line { .. }, "length_m") => Some(Source::Line(force, 0)),
                (ForcePart::Line { .. }, "rate") => Some(Source::Line(force, 1)),
                (ForcePart::Line { .. }, "tension_n") => Some(Source::Line(force, 2)),
                (ForcePart::Motor { .. } | ForcePart::Torsion { .. }, "torque_nm") => {
                    Some(Source::Torque(force))
                }
                (ForcePart::Law { .. }, "value") => Some(Source::Law(force, 0)),
                (ForcePart::Law { .. }, "rate") => Some(Source::Law(force, 1)),
                (ForcePart::Law { .. }, "force_n" | "torque_nm") => Some(Source::Law(force, 2)),
                _ => None,
            };
        }
        if let Some(cable) = self.cables.iter().position(|cable| cable.name == owner) {
            let list = ["length_m", "rate", "tension_n", "end_tension_n"];
            let what = list.iter().position(|known| *known == quantity)?;
            return Some(Source::Cable(cable, what));
        }
        if let Some(surface) = self.surfaces.iter().position(|part| part.name == owner) {
            let list = ["force_n", "force_x_n", "force_y_n", "force_z_n", "gap_m"];
            let what = list.iter().position(|known| *known == quantity)?;
            return (what != 3 || !plane).then_some(Source::Surface(surface, what));
        }
        None
    }

    fn joint_source(&self, joint: usize, quantity: &str, plane: bool) -> Option<Source> {
        let part = &self.joints[joint];
        let several = matches!(
            part.kind,
            JointPartKind::Position(_) | JointPartKind::Frame(_)
        );
        if several && matches!(quantity, "torque_nm" | "force_n" | "slide_m") {
            return None;
        }
        if let JointPartKind::Distance(channel) = part.kind {
            match quantity {
                "force_n" => return Some(Source::DriverEffort(joint)),
                "length_m" => return Some(Source::Channel(channel)),
                _ => {}
            }
        }
        if part.driver && matches!(quantity, "torque_nm" | "force_n") {
            return Some(Source::DriverEffort(joint));
        }
        let turns = crate::build::has_angle(&part.kind);
        let slides = matches!(
            part.kind,
            JointPartKind::Slide(_)
                | JointPartKind::Plain(
                    JointKind::Prismatic
                        | JointKind::Cylindrical
                        | JointKind::Screw { .. }
                        | JointKind::PointOnLine
                )
        );
        match quantity {
            "angle_rad" if turns => return Some(Source::JointAngle(joint, 0)),
            "rate_rad_per_s" if turns => return Some(Source::JointAngle(joint, 1)),
            "slide_m" if slides => return Some(Source::JointSlide(joint)),
            _ => {}
        }
        let (own, rest) = match quantity.strip_prefix("body_") {
            Some(rest) => (true, rest),
            None => (false, quantity),
        };
        for (kind, (prefix, suffix)) in [("force_", "_n"), ("moment_", "_nm")].iter().enumerate() {
            let middle = rest
                .strip_prefix(prefix)
                .and_then(|rest| rest.strip_suffix(suffix));
            let axis = middle.and_then(|middle| AXES.iter().position(|axis| *axis == middle));
            if let Some(axis) = axis {
                let there = !plane || (kind == 0) == (axis < 2);
                return there.then_some(Source::Reaction(joint, kind, axis, own));
            }
        }
        None
    }
}
