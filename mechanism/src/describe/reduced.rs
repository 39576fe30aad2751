//! Reduced bodies of a file.

use super::Assembler;
use crate::error::Result;
use crate::parts::{Host, JointPartKind, Pose, ReducedPart, Selection};
use crate::read::{Entry, near};
use multibody::model::JointKind;

impl Assembler<'_> {
    pub(super) fn read_reduced(&mut self) -> Result<()> {
        for entry in self.entries("reduced")? {
            if entry.has("file") {
                continue;
            }
            let name = self.name(&entry)?;
            let beams = self.member_beams(&entry)?;
            let interfaces = self.interfaces(&entry, &beams)?;
            let member = |host: Host| matches!(host, Host::Beam(beam, _) if beams.contains(&beam));
            let inside = |hosts: [Host; 2]| hosts.iter().all(|host| member(*host));
            let mut joints = Vec::new();
            for (number, joint) in self.joints.iter().enumerate() {
                if !inside(joint.spots.map(|spot| spot.host)) {
                    continue;
                }
                if joint.kind != JointPartKind::Plain(JointKind::Fixed) {
                    let problem = format!("has the joint {} inside, which moves", joint.name);
                    let remedy = "joints between its beams must be fixed; split it at the others";
                    return Err(entry.error(problem, remedy));
                }
                joints.push(number);
            }
            let masses = (self.masses.iter().enumerate())
                .filter(|(_, mass)| member(mass.spot.host))
                .map(|(number, _)| number)
                .collect();
            self.check_outside(&entry, &beams, &interfaces)?;
            if let Some(&beam) = beams
                .iter()
                .find(|&&beam| self.beams[beam].damping[0] != 0.0)
            {
                let problem = format!("has {} with mass damping", self.beams[beam].name);
                return Err(entry.error(problem, "use stiffness_damping_s"));
            }
            let assumed = self.assumed(&entry, &beams, &interfaces)?;
            self.reduced.push(ReducedPart {
                name,
                body: None,
                assumed,
                selection: selection(&entry)?,
                geometric_stiffening: assumed.is_none()
                    && entry.switch("geometric_stiffening")?.unwrap_or(true),
                beams,
                interfaces,
                modes: entry.count("modes")?.unwrap_or(6),
                joints,
                masses,
                result: None,
                place: entry.place,
            });
        }
        Ok(())
    }

    /// Assumed modes, which are for one straight beam with at most two interfaces.
    fn assumed(
        &self,
        entry: &Entry<'_>,
        beams: &[usize],
        interfaces: &[(usize, usize)],
    ) -> Result<Option<usize>> {
        let Some(count) = entry.count("assumed")? else {
            return Ok(None);
        };
        for key in ["modes", "selection"] {
            if entry.has(key) {
                let remedy = "assumed modes stand in the place of fixed-interface modes";
                return Err(entry.error_at(key, "is there besides assumed", remedy));
            }
        }
        let straight = beams.len() == 1 && self.beams[beams[0]].curvature == [0.0; 3];
        let ends = interfaces.len() <= 2 && interfaces[0].1 == 0;
        if !straight || !ends {
            let problem = "is not one straight beam with its start as first interface";
            let remedy = "reduce it with modes = … instead";
            return Err(entry.error_at("assumed", problem, remedy));
        }
        Ok(Some(count))
    }

    fn member_beams(&self, entry: &Entry<'_>) -> Result<Vec<usize>> {
        let mut out = Vec::new();
        for (name, place) in entry.texts("beams")?.unwrap_or_default() {
            let names = || self.beams.iter().map(|beam| beam.name.as_str());
            let Some(beam) = self.beams.iter().position(|beam| beam.name == name) else {
                let remedy = match near(&name, names()) {
                    Some(known) => format!("did you mean \"{known}\"?"),
                    None => format!("known beams: {}", names().collect::<Vec<_>>().join(", ")),
                };
                let problem = format!("beam \"{name}\" is not there");
                return Err(self.context.document.error(place, problem, remedy));
            };
            let taken =
                out.contains(&beam) || self.reduced.iter().any(|other| other.beams.contains(&beam));
            if taken {
                let problem = format!("beam \"{name}\" is in a reduced body already");
                return Err(self.context.document.error(place, problem, "name it once"));
            }
            out.push(beam);
        }
        if out.is_empty() {
            return Err(entry.error("has no beams", "add beams = [\"name\", …]"));
        }
        Ok(out)
    }

    fn interfaces(&self, entry: &Entry<'_>, beams: &[usize]) -> Result<Vec<(usize, usize)>> {
        let mut out: Vec<(usize, usize)> = Vec::new();
        for (name, place) in entry.texts("interfaces")?.unwrap_or_default() {
            let wrong = |problem: String, remedy: &str| {
                Err(self.context.document.error(place, problem, remedy))
            };
            let remedy =
                "name an end of one of its beams (beam.start), or a frame at a node of one";
            let Some(spot) = self.spot_named(&name) else {
                return wrong(format!("interface \"{name}\" is not there"), remedy);
            };
            match spot.host {
                Host::Beam(beam, node) if beams.contains(&beam) => {
                    if spot.pose != Pose::identity() {
                        return wrong(format!("interface \"{name}\" is not at a node"), remedy);
                    }
                    if out.contains(&(beam, node)) {
                        return wrong(format!("interface \"{name}\" stands twice"), "name it once");
                    }
                    out.push((beam, node));
                }
                _ => return wrong(format!("interface \"{name}\" is not on its beams"), remedy),
            }
        }
        if out.is_empty() {
            let remedy = "add interfaces = [\"beam.start\", …]; the first carries the moving frame";
            return Err(entry.error("has no interfaces", remedy));
        }
        Ok(out)
    }

    /// Refuses joints with the rest of the mechanism at nodes that are no interfaces.
    fn check_outside(
        &self,
        entry: &Entry<'_>,
        beams: &[usize],
        interfaces: &[(usize, usize)],
    ) -> Result<()> {
        for joint in &self.joints {
            let inner = joint.spots.iter().filter(|spot| match spot.host {
                Host::Beam(beam, _) => beams.contains(&beam),
                _ => false,
            });
            let hosts: Vec<Host> = inner.map(|spot| spot.host).collect();
            let [Host::Beam(beam, node)] = hosts.as_slice() else {
                continue;
            };
            if !interfaces.contains(&(*beam, *node)) {
                let problem = format!(
                    "has no interface where the joint {} is: node {node} of {}",
                    joint.name, self.beams[*beam].name
                );
                return Err(entry.error(problem, "add that place to interfaces"));
            }
        }
        Ok(())
    }

    /// Refuses forces and impacts at nodes of reduced bodies that are no interfaces.
    pub(super) fn check_reduced(&self) -> Result<()> {
        let inner = |host: &Host| match host {
            Host::Beam(beam, node) => self.reduced.iter().any(|part| {
                part.beams.contains(beam) && !part.interfaces.contains(&(*beam, *node))
            }),
            _ => false,
        };
        let refuse = |name: &str, place| {
            let problem = format!("{name} acts inside a reduced body");
            let remedy = "add the place to the interfaces of that body";
            Err(self.context.document.error(place, problem, remedy))
        };
        for cable in &self.cables {
            if cable.points.iter().any(|point| inner(&point.host)) {
                return refuse(&cable.name, cable.place);
            }
        }
        for surface in &self.surfaces {
            if surface.hosts.iter().any(inner) {
                return refuse(&surface.name, surface.place);
            }
        }
        for force in &self.forces {
            if force.force.hosts().iter().flatten().any(inner) {
                return refuse(&force.name, force.place);
            }
        }
        for impact in &self.impacts {
            if impact.spots.iter().any(|spot| inner(&spot.host)) {
                return refuse(&impact.name, Default::default());
            }
        }
        Ok(())
    }
}

/// Which modes are kept.
pub(super) fn selection(entry: &Entry<'_>) -> Result<Selection> {
    Ok(match entry.word("selection")?.as_deref() {
        Some("load") => Selection::Load,
        Some("mounted") => Selection::Mounted,
        _ => Selection::Frequency,
    })
}
