//! Joints and drivers of a file.

use super::Assembler;
use crate::error::Result;
use crate::parts::{Host, JointPart, JointPartKind, Pose, Presence, Spot};
use crate::read::Entry;
use crate::signal::History;
use multibody::model::JointKind;
use nalgebra::{Matrix3, Vector3};

/// Which axis of a joint's frame its `axis` is.
#[derive(Clone, Copy, PartialEq)]
enum Main {
    First,
    Third,
}

impl Assembler<'_> {
    pub(super) fn read_joints(&mut self) -> Result<()> {
        for entry in self.entries("joint")? {
            let name = self.name(&entry)?;
            let kind = entry.required_word("kind")?;
            let spots = self.joint_spots(&entry, &kind)?;
            let needs_space = [
                "universal",
                "cylindrical",
                "screw",
                "planar",
                "point_in_plane",
            ];
            if self.context.dimension == 2 && needs_space.contains(&kind.as_str()) {
                let problem = format!("= \"{kind}\" needs space");
                let remedy = "in the plane use fixed, revolute, prismatic, slot, distance, rolling, \
                              gear or belt";
                return Err(entry.error_at("kind", problem, remedy));
            }
            if self.context.dimension == 3 && kind == "rolling" {
                let remedy = "write the mechanism in the plane";
                return Err(entry.error_at("kind", "= \"rolling\" is for the plane", remedy));
            }
            if spots[0].host == spots[1].host {
                let problem = "joins a body with itself";
                return Err(entry.error(problem, "name two different bodies in a and b"));
            }
            let part_kind = self.joint_kind(&entry, &name, &kind, &spots)?;
            let counted = ["screw", "rolling", "gear", "belt"].contains(&kind.as_str());
            if counted && (entry.has("closes_s") || entry.has("closes_when")) {
                let problem = format!("is a {kind} that closes during the run");
                let remedy =
                    "it relates to the places at the start: let it be closed from there on";
                return Err(entry.error(problem, remedy));
            }
            self.joints.push(JointPart {
                name,
                kind: part_kind,
                spots,
                presence: Presence {
                    closes: entry.number("closes_s")?,
                    opens: entry.number("opens_s")?,
                    closes_when: None,
                    opens_when: None,
                },
                place: entry.place,
                driver: false,
            });
        }
        Ok(())
    }

    fn joint_kind(
        &mut self,
        entry: &Entry<'_>,
        name: &str,
        kind: &str,
        spots: &[Spot; 2],
    ) -> Result<JointPartKind> {
        let plain = JointPartKind::Plain;
        Ok(match kind {
            "fixed" => plain(JointKind::Fixed),
            "revolute" => plain(JointKind::Revolute),
            "prismatic" => plain(JointKind::Prismatic),
            "spherical" => plain(JointKind::Spherical),
            "universal" => plain(JointKind::Universal),
            "cylindrical" => plain(JointKind::Cylindrical),
            "planar" => plain(JointKind::Planar),
            "slot" => plain(JointKind::PointOnLine),
            "point_in_plane" => plain(JointKind::PointOnPlane),
            "screw" => {
                let lead = entry.required_number("lead_m")?;
                if lead == 0.0 {
                    return Err(entry.error_at("lead_m", "= 0 is not allowed", "way per turn [m]"));
                }
                plain(JointKind::Screw { lead })
            }
            "rolling" => {
                let radius = entry.required_number("radius_m")?;
                if radius == 0.0 {
                    let remedy = "radius of the wheel [m]";
                    return Err(entry.error_at("radius_m", "= 0 is not allowed", remedy));
                }
                plain(JointKind::Rolling { radius })
            }
            "gear" | "belt" => self.meshing(entry, kind == "belt", spots)?,
            _ => {
                let ends = spots.map(|spot| self.world(&spot).position);
                let now = (ends[1] - ends[0]).norm();
                let length = entry.number("length_m")?.unwrap_or(now);
                if length < 1e-9 {
                    let remedy = "move its points apart, or use a spherical joint";
                    return Err(entry.error("is a rod without length", remedy));
                }
                let channel = self.channel(format!("{name}.length_m"), History::constant(length));
                JointPartKind::Distance(channel)
            }
        })
    }

    /// Wheels that mesh, or that a belt joins.
    fn meshing(&self, entry: &Entry<'_>, belt: bool, spots: &[Spot; 2]) -> Result<JointPartKind> {
        let mut radii = [0.0; 2];
        for (radius, key) in radii.iter_mut().zip(["a_radius_m", "radius_m"]) {
            *radius = entry.required_number(key)?;
            let inside = !belt && key == "a_radius_m";
            if *radius == 0.0 || (*radius < 0.0 && !inside) {
                let problem = format!("= {radius} is not allowed");
                return Err(entry.error_at(key, problem, "radius of a wheel [m], above zero"));
            }
        }
        if entry.has("crossed") && !belt {
            let remedy = "it is for belts; teeth inside have a negative a_radius_m";
            return Err(entry.error_at("crossed", "is not for gears", remedy));
        }
        let ends = spots.map(|spot| self.world(&spot).position);
        if (ends[1] - ends[0]).norm() < 1e-9 {
            let remedy = "move the centres apart; the bodies that carry them keep their distance";
            return Err(entry.error("has both centres at one place", remedy));
        }
        let open = belt && !entry.switch("crossed")?.unwrap_or(false);
        let sign = if open { -1.0 } else { 1.0 };
        let ratio = 1.0 + sign * radii[0] / radii[1];
        Ok(JointPartKind::Plain(JointKind::Meshing { ratio }))
    }

    /// Frames A and B of a joint.
    fn joint_spots(&self, entry: &Entry<'_>, kind: &str) -> Result<[Spot; 2]> {
        let a = self.spot(entry, "a")?;
        let b = self.spot(entry, "b")?;
        let world = [self.world(&a), self.world(&b)];
        let main = match kind {
            "prismatic" | "slot" | "rolling" => Main::First,
            _ => Main::Third,
        };
        let rotations = self.joint_axes(entry, kind, main, &world)?;
        let at = entry.vector("at_m")?.map(Vector3::from);
        let mut out = [a, b];
        for i in 0..2 {
            let key = ["a_point_m", "b_point_m"][i];
            if at.is_some() && entry.has(key) {
                let remedy = "give at_m (world) or the points on a and b, not both";
                return Err(entry.error(format!("has at_m and {key}"), remedy));
            }
            let position = match at {
                Some(at) => world[i].rotation.tr_mul(&(at - world[i].position)),
                None => entry.vector(key)?.unwrap_or_default().into(),
            };
            let local = Pose {
                position,
                rotation: rotations[i],
            };
            out[i] = Spot {
                host: out[i].host,
                pose: out[i].pose.compose(&local),
            };
        }
        if kind == "rolling" {
            self.lift(entry, &mut out)?;
        }
        Ok(out)
    }

    /// The line that a wheel's centre moves on lies a radius above the line it rolls on.
    fn lift(&self, entry: &Entry<'_>, spots: &mut [Spot; 2]) -> Result<()> {
        let radius = entry.number("radius_m")?.unwrap_or(0.0);
        let e2 = spots[0].pose.rotation.column(1) * radius;
        spots[0].pose.position += e2;
        Ok(())
    }

    /// Attitudes of the joint's frames against its places.
    fn joint_axes(
        &self,
        entry: &Entry<'_>,
        kind: &str,
        main: Main,
        world: &[Pose; 2],
    ) -> Result<[Matrix3<f64>; 2]> {
        let plane = self.context.dimension == 2;
        let own = [entry.vector("a_axis")?, entry.vector("b_axis")?];
        let axis = entry.vector("axis")?;
        if own.iter().any(Option::is_some) {
            let [Some(a), Some(b)] = own else {
                return Err(entry.error("has one of a_axis and b_axis", "give both, or axis"));
            };
            return Ok([
                frame(entry, a.into(), main, plane)?,
                frame(entry, b.into(), main, plane)?,
            ]);
        }
        if plane && axis.is_none() && main == Main::Third {
            return Ok([Matrix3::identity(); 2]);
        }
        let default = match (main, kind) {
            (Main::First, "prismatic" | "slot" | "rolling") if axis.is_none() => Vector3::x(),
            _ => Vector3::z(),
        };
        let direction = axis.map_or(default, Vector3::from);
        let mut joint = frame(entry, direction, main, plane)?;
        if kind == "universal" {
            let second = Vector3::from(entry.required_vector("second_axis")?);
            let e3 = direction.normalize();
            let e2 = second - e3 * second.dot(&e3);
            if e2.norm() < 1e-6 * second.norm().max(1e-300) {
                let remedy = "the two axes of a universal joint cross at right angles";
                return Err(entry.error_at("second_axis", "lies along axis", remedy));
            }
            let e2 = e2.normalize();
            joint = Matrix3::from_columns(&[e2.cross(&e3), e2, e3]);
        }
        let mut frames = [joint, joint];
        if let Some(angle) = entry.number("angle_rad")? {
            // The angle of B against A is this one at the start.
            let turn = nalgebra::Rotation3::from_axis_angle(&Vector3::z_axis(), -angle);
            frames[0] *= turn.into_inner();
        }
        Ok([
            world[0].rotation.tr_mul(&frames[0]),
            world[1].rotation.tr_mul(&frames[1]),
        ])
    }

    pub(super) fn read_drivers(&mut self) -> Result<()> {
        for entry in self.entries("driver")? {
            let name = self.name(&entry)?;
            match entry.word("kind")?.as_deref() {
                None | Some("joint") => {}
                Some(kind) => {
                    self.place_driver(&entry, name, kind == "frame")?;
                    continue;
                }
            }
            let joint = self.joint_of(&entry)?;
            let Some(channel) = self.channel_of(&entry, &name, "motion")? else {
                return Err(
                    entry.error("has no motion", "add motion = \"formula of t\" or a signal")
                );
            };
            let part = &self.joints[joint];
            let spots = part.spots;
            let kind = match part.kind {
                JointPartKind::Plain(JointKind::Revolute | JointKind::Cylindrical) => {
                    JointPartKind::Angle(channel)
                }
                JointPartKind::Plain(JointKind::Prismatic | JointKind::PointOnLine) => {
                    JointPartKind::Slide(channel)
                }
                JointPartKind::Distance(own) => {
                    // A rod whose length is prescribed is its own driver.
                    self.channels[own].1 = self.channels[channel].1.clone();
                    JointPartKind::Distance(own)
                }
                _ => {
                    let problem =
                        format!("drives {}, which has no angle, slide or length", part.name);
                    let remedy = "drive a revolute, cylindrical, prismatic or distance joint";
                    return Err(entry.error(problem, remedy));
                }
            };
            if matches!(kind, JointPartKind::Distance(_)) {
                for key in ["opens_s", "closes_s", "opens_when", "closes_when"] {
                    if entry.has(key) {
                        let problem = "is not for the driver of a rod's length";
                        return Err(entry.error_at(key, problem, "give it to the rod"));
                    }
                }
                self.rod_drivers.push((name, joint));
                continue;
            }
            self.joints.push(JointPart {
                name,
                kind,
                spots,
                presence: Presence {
                    opens: entry.number("opens_s")?,
                    closes: entry.number("closes_s")?,
                    ..Presence::default()
                },
                place: entry.place,
                driver: true,
            });
        }
        if self
            .joints
            .iter()
            .any(|j| j.spots.iter().all(|s| s.host == Host::Ground))
        {
            let document = &self.context.document;
            let place = self.joints.first().map(|j| j.place).unwrap_or_default();
            return Err(document.error(
                place,
                "a joint joins the ground with itself",
                "name a body",
            ));
        }
        Ok(())
    }

    /// A driver of a point, or of a frame.
    fn place_driver(&mut self, entry: &Entry<'_>, name: String, frame: bool) -> Result<()> {
        for key in ["joint", "motion"] {
            if entry.has(key) {
                let remedy = "use path_m, or drive a joint (kind = \"joint\")";
                return Err(entry.error_at(key, "is for drivers of joints", remedy));
            }
        }
        let a = match entry.text("a")? {
            None => Spot {
                host: Host::Ground,
                pose: Pose::identity(),
            },
            Some(_) => self.spot(entry, "a")?,
        };
        let b = self.spot(entry, "b")?;
        if b.host == Host::Ground || a.host == b.host {
            return Err(entry.error("drives nothing", "name a body, beam end or frame in b"));
        }
        if frame && a.host != Host::Ground {
            let remedy = "leave a out: a frame is driven in the world";
            return Err(entry.error_at("a", "is for points", remedy));
        }
        let moved = |spot: Spot, key: &str| -> Result<Spot> {
            let position = Vector3::from(entry.vector(key)?.unwrap_or_default());
            let local = Pose {
                position,
                ..Pose::identity()
            };
            Ok(Spot {
                host: spot.host,
                pose: spot.pose.compose(&local),
            })
        };
        let spots = [moved(a, "a_point_m")?, moved(b, "b_point_m")?];
        let dimension = self.context.dimension;
        let path = self.path(entry, &name, "path_m", dimension)?;
        let kind = if frame {
            let turns = if dimension == 2 { 1 } else { 3 };
            let turn = if entry.has("turn_rad") {
                self.path(entry, &name, "turn_rad", turns)?
            } else {
                let zero = History::constant(0.0);
                (0..turns)
                    .map(|i| self.channel(format!("{name}.turn_rad.{i}"), zero.clone()))
                    .collect()
            };
            // In the plane the angle stands last.
            let channels: [usize; 6] = core::array::from_fn(|i| match (i, dimension) {
                (0..2, _) => path[i],
                (5, 2) => turn[0],
                (_, 2) => path[0],
                (2, _) => path[2],
                _ => turn[i - 3],
            });
            JointPartKind::Frame(channels)
        } else {
            if entry.has("turn_rad") {
                let remedy = "use kind = \"frame\"";
                return Err(entry.error_at("turn_rad", "is for frames", remedy));
            }
            let last = path.len() - 1;
            JointPartKind::Position(core::array::from_fn(|i| path[i.min(last)]))
        };
        self.joints.push(JointPart {
            name,
            kind,
            spots,
            presence: Presence {
                opens: entry.number("opens_s")?,
                closes: entry.number("closes_s")?,
                ..Presence::default()
            },
            place: entry.place,
            driver: true,
        });
        Ok(())
    }

    /// Channels of the components of a path.
    fn path(
        &mut self,
        entry: &Entry<'_>,
        name: &str,
        key: &str,
        count: usize,
    ) -> Result<Vec<usize>> {
        let values = entry.values(key);
        if values.len() != count {
            let problem = format!("has {} components", values.len());
            return Err(entry.error_at(key, problem, format!("write {count} signals in brackets")));
        }
        let mut out = Vec::new();
        for (i, value) in values.into_iter().enumerate() {
            let history = self.history_of(entry, key, value)?;
            out.push(self.channel(format!("{name}.{key}.{i}"), history));
        }
        Ok(out)
    }

    /// Formulas that close and open joints.
    pub(super) fn read_presence(&mut self) -> Result<()> {
        let entries = [self.entries("joint")?, self.entries("driver")?].concat();
        for entry in entries {
            let name = entry.required_text("name")?;
            let Some(index) = self.joints.iter().position(|joint| joint.name == name) else {
                continue;
            };
            if let Some(text) = entry.text("closes_when")? {
                let part = self.output_part("closes_when", &text, &entry)?;
                self.joints[index].presence.closes_when = Some(part);
            }
            if let Some(text) = entry.text("opens_when")? {
                let part = self.output_part("opens_when", &text, &entry)?;
                self.joints[index].presence.opens_when = Some(part);
            }
        }
        Ok(())
    }
}

/// Axes with the main one along `direction`; in the plane a turn about the normal.
fn frame(
    entry: &Entry<'_>,
    direction: Vector3<f64>,
    main: Main,
    plane: bool,
) -> Result<Matrix3<f64>> {
    let length = direction.norm();
    if length < 1e-9 {
        return Err(entry.error("has an axis without length", "write a direction"));
    }
    let along = direction / length;
    if plane {
        if main == Main::Third {
            return Ok(Matrix3::identity());
        }
        let across = Vector3::z().cross(&along);
        return Ok(Matrix3::from_columns(&[along, across, Vector3::z()]));
    }
    // The other axes: as near to the world's as they can be.
    let helper = if along.x.abs() < 0.9 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let other = (helper - along * helper.dot(&along)).normalize();
    let third = along.cross(&other);
    Ok(match main {
        Main::First => Matrix3::from_columns(&[along, other, third]),
        Main::Third => Matrix3::from_columns(&[other, third, along]),
    })
}
