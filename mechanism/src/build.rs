//! From a description to a kernel model.

use crate::error::{MechanismError, Result};
use crate::parts::{
    BeamPart, CoordinatePart, Description, ForcePart, Host, ImpactPart, JointPartKind, Point, Pose,
    ReducedPart, Spot,
};
use crate::reduce::{Reduced, Station};
use crate::signal::Histories;
use crate::space::Space;
use multibody::element::Rayleigh;
use multibody::group::{Group, Se3};
use multibody::model::{
    Attachment, Axes, BeamId, BeamSpec, Body, Cable, CableId, Coordinate, Force, ForceId, Hold,
    InputId, JointId, JointKind, LawForce, Model, ModelBuilder, MotorLaw, NodeId, PointOn,
    ReducedId, SurfaceId,
};
use nalgebra::{SMatrix, SVector, Vector3};
use std::sync::Arc;

/// A model with the way back to its description.
#[derive(Debug, Clone)]
pub struct Built<G: Group<N, D>, const N: usize, const D: usize> {
    /// The model.
    pub model: Model<G, N, D>,
    /// The drive of its inputs.
    pub drive: Histories,
    /// The node of every rigid body.
    pub bodies: Vec<NodeId>,
    /// Every beam; `None` for one that belongs to a reduced body.
    pub beams: Vec<Option<BeamId>>,
    /// Every reduced body.
    pub reduced: Vec<MountedReduced>,
    /// The joint of every joint of the description; `None` where it is open.
    pub joints: Vec<Option<JointId>>,
    /// Every force.
    pub forces: Vec<ForceId>,
    /// Every cable.
    pub cables: Vec<CableId>,
    /// Number of segments of every cable.
    pub cable_segments: Vec<usize>,
    /// Every contact of points with a surface.
    pub surfaces: Vec<SurfaceId>,
    /// The coordinate of every impact.
    pub impacts: Vec<Coordinate<D>>,
}

impl<G: Space<N, D>, const N: usize, const D: usize> Built<G, N, D> {
    /// The node of a host, if it has one: a place inside a reduced body has none.
    pub fn node(&self, host: Host) -> Option<NodeId> {
        match host {
            Host::Ground => None,
            Host::Body(i) => Some(self.bodies[i]),
            Host::Beam(i, node) => match self.beams[i] {
                Some(beam) => Some(self.model.beam_node(beam, node)),
                None => interface(&self.reduced, i, node),
            },
            Host::Flexible(part, station) => {
                self.reduced.get(part)?.interfaces.get(station).copied()
            }
        }
    }

    /// Of every node, whether it is a place: those of the modes of reduced bodies are none.
    pub fn places(&self, description: &Description) -> Vec<bool> {
        let mut out = vec![false; self.model.node_count()];
        let interfaces = self.reduced.iter().flat_map(|body| &body.interfaces);
        for node in self.bodies.iter().chain(interfaces) {
            out[node.index()] = true;
        }
        for (beam, part) in self.beams.iter().zip(&description.beams) {
            for node in 0..=part.elements {
                if let Some(beam) = *beam {
                    out[self.model.beam_node(beam, node).index()] = true;
                }
            }
        }
        out
    }

    /// The reduced body that a host lies in, and its station there.
    pub fn reduced_at(&self, host: Host) -> Option<(&MountedReduced, &Station)> {
        match host {
            Host::Beam(beam, node) => {
                let mut bodies = self.reduced.iter();
                let body = bodies.find(|body| body.part.beams.contains(&beam))?;
                Some((body, body.result.station(beam, node)?))
            }
            Host::Flexible(part, station) => {
                let body = self.reduced.get(part)?;
                Some((body, body.result.stations.get(station)?))
            }
            _ => None,
        }
    }
}

/// A reduced body of a model.
#[derive(Debug, Clone)]
pub struct MountedReduced {
    /// The body.
    pub id: ReducedId,
    /// What it was made of.
    pub part: ReducedPart,
    /// Its shapes.
    pub result: Arc<Reduced>,
    /// The nodes of its interfaces.
    pub interfaces: Vec<NodeId>,
}

/// The node of an interface of a reduced body.
fn interface(reduced: &[MountedReduced], beam: usize, node: usize) -> Option<NodeId> {
    reduced.iter().find_map(|body| {
        let mut places = body.part.interfaces.iter();
        let place = places.position(|known| *known == (beam, node))?;
        Some(body.interfaces[place])
    })
}

/// True if a joint has an angle that is counted.
pub fn has_angle(kind: &JointPartKind) -> bool {
    matches!(
        kind,
        JointPartKind::Plain(JointKind::Revolute | JointKind::Cylindrical)
    )
}

/// Pose of a node of a beam at the start; with `bent`, along its start curvature.
pub fn beam_pose(beam: &BeamPart, node: usize, bent: bool) -> Pose {
    let s = beam.length * node as f64 / beam.elements as f64;
    let arc = |curvature: [f64; 3], s: f64| {
        let [x, y, z] = curvature;
        let pose = Se3::exp(&SVector::from([s, 0.0, 0.0, x * s, y * s, z * s]));
        Pose {
            position: pose.translation(),
            rotation: pose.rotation(),
        }
    };
    match beam.start_curvature.filter(|_| bent) {
        Some(curvature) => {
            // The chord keeps its direction: the first tangent is turned back by half the arc.
            let back = curvature.map(|k| -0.5 * k * beam.length);
            let root = beam.pose.compose(&Pose::new([0.0; 3], back));
            root.compose(&arc(curvature, s))
        }
        None => beam.pose.compose(&arc(beam.curvature, s)),
    }
}

/// Poses of the interfaces of a reduced body at the start.
pub fn interface_poses(description: &Description, part: &ReducedPart) -> Vec<Pose> {
    match &part.body {
        Some(body) => (body.matrices.interfaces.iter())
            .map(|interface| {
                body.pose.compose(&Pose {
                    position: interface.place,
                    ..Pose::identity()
                })
            })
            .collect(),
        None => (part.interfaces.iter())
            .map(|&(beam, node)| beam_pose(&description.beams[beam], node, false))
            .collect(),
    }
}

struct Builder<'a, G: Group<N, D>, const N: usize, const D: usize> {
    description: &'a Description,
    builder: ModelBuilder<G, N, D>,
    bodies: Vec<NodeId>,
    beams: Vec<Option<BeamId>>,
    reduced: Vec<MountedReduced>,
    inputs: Vec<InputId>,
}

impl<G: Space<N, D>, const N: usize, const D: usize> Builder<'_, G, N, D> {
    fn body(&mut self, host: Host) -> Body {
        match host {
            Host::Ground => Body::Ground,
            Host::Body(i) => Body::Node(self.bodies[i]),
            Host::Beam(i, node) => match self.beams[i] {
                Some(beam) => Body::Node(self.builder.beam_node(beam, node)),
                // Places that are no interfaces were refused when the file was read.
                None => interface(&self.reduced, i, node).map_or(Body::Ground, Body::Node),
            },
            Host::Flexible(part, station) => {
                let body = self.reduced.get(part);
                let node = body.and_then(|body| body.interfaces.get(station));
                node.map_or(Body::Ground, |node| Body::Node(*node))
            }
        }
    }

    fn attachment(&mut self, spot: &Spot) -> Attachment<G> {
        Attachment {
            body: self.body(spot.host),
            frame: G::of(&spot.pose),
        }
    }

    fn point(&mut self, point: &Point) -> PointOn<D> {
        PointOn {
            body: self.body(point.host),
            point: G::vector(&point.point),
        }
    }

    /// A coordinate; `angle` is the joint of an angle.
    fn coordinate(
        &mut self,
        part: &CoordinatePart,
        angle: Option<JointId>,
    ) -> Option<Coordinate<D>> {
        Some(match part {
            CoordinatePart::Angle(_) => Coordinate::Angle(angle?),
            CoordinatePart::Distance(a, b) => Coordinate::Distance(self.point(a), self.point(b)),
            CoordinatePart::Offset(origin, direction, point) => {
                let a = self.point(origin);
                Coordinate::Offset {
                    body: a.body,
                    origin: a.point,
                    direction: G::vector(direction),
                    point: self.point(point),
                }
            }
        })
    }

    fn add_bodies(&mut self) {
        for body in &self.description.bodies {
            let centre = Vector3::from(body.centre);
            let inertia = G::inertia(body.mass, &centre, &body.inertia);
            let node = (self.builder).rigid_body(&body.name, G::of(&body.pose), inertia);
            self.bodies.push(node);
        }
        self.add_beams();
        self.add_reduced();
        for (number, mass) in self.description.masses.iter().enumerate() {
            if (self.description.reduced.iter()).any(|part| part.masses.contains(&number)) {
                continue;
            }
            if let Body::Node(node) = self.body(mass.spot.host) {
                let r = &mass.spot.pose.rotation;
                let tensor = r * mass.inertia * r.transpose();
                let inertia = G::inertia(mass.mass, &mass.spot.pose.position, &tensor);
                self.builder.attach_inertia(node, inertia);
            }
        }
    }

    fn add_beams(&mut self) {
        for (number, beam) in self.description.beams.iter().enumerate() {
            if self.description.reduced_with(number).is_some() {
                self.beams.push(None);
                continue;
            }
            let mut spec =
                BeamSpec::straight(beam.length, beam.elements, G::section(&beam.section));
            spec.curvature = match D {
                2 => [beam.curvature[2], 0.0, 0.0],
                _ => beam.curvature,
            };
            let [mass, stiffness] = beam.damping;
            spec.rayleigh = Rayleigh { mass, stiffness };
            let id = (self.builder).beam(&beam.name, G::of(&beam.pose), &spec);
            self.beams.push(Some(id));
        }
    }

    fn add_reduced(&mut self) {
        for part in &self.description.reduced {
            let poses = interface_poses(self.description, part);
            let nodes: Vec<NodeId> = (poses.iter().enumerate())
                .map(|(number, pose)| {
                    let name = format!("{}, interface {}", part.name, number + 1);
                    (self.builder).rigid_body(&name, G::of(pose), SMatrix::zeros())
                })
                .collect();
            let Some(result) = &part.result else { continue };
            let shapes = result.shapes.clone();
            let id = (self.builder).reduced_body(&part.name, nodes[0], &nodes[1..], shapes);
            if let ([frame, end], false) = (poses.as_slice(), result.locked.is_empty()) {
                self.lock_shapes(&part.name, &nodes, [frame, end], &result.locked);
            }
            self.reduced.push(MountedReduced {
                id,
                part: part.clone(),
                result: Arc::clone(result),
                interfaces: nodes,
            });
        }
    }

    /// Keeps the second interface of a body where its assumed modes can bring it.
    fn lock_shapes(
        &mut self,
        name: &str,
        nodes: &[NodeId],
        [frame, end]: [&Pose; 2],
        locked: &[[f64; 6]],
    ) {
        let between = frame.between(end);
        let on_frame = Pose {
            position: between.position,
            ..Pose::identity()
        };
        let back = Pose {
            position: Vector3::zeros(),
            rotation: between.rotation.transpose(),
        };
        for (number, weights) in locked.iter().enumerate() {
            let kind = JointKind::Proportional { weights: *weights };
            let name = format!("{name}, assumed modes, sum {}", number + 1);
            let (a, b) = (
                Attachment::node(nodes[0], G::of(&on_frame)),
                Attachment::node(nodes[1], G::of(&back)),
            );
            self.builder.joint(&name, kind, a, b);
        }
    }

    fn add_cables(&mut self) -> Vec<CableId> {
        let mut out = Vec::new();
        for part in &self.description.cables {
            let points = part.points.iter().map(|point| self.point(point)).collect();
            let [stiffness, rest_length, damping] = part.data;
            out.push(self.builder.cable(Cable {
                name: part.name.clone(),
                points,
                guide_friction: part.friction.clone(),
                stiffness,
                rest_length,
                damping,
                transition_speed: part.transition,
                slack_width: 1e-3,
            }));
        }
        out
    }

    fn add_surfaces(&mut self) -> Vec<SurfaceId> {
        let mut out = Vec::new();
        for part in &self.description.surfaces {
            let bodies = part.hosts.map(|host| self.body(host));
            let speeds = part.speeds.iter().map(|&i| self.inputs[i]).collect();
            let pair = part.pair.clone();
            out.push((self.builder).surface_contact(&part.name, bodies, pair, speeds));
        }
        out
    }

    fn add_joints(&mut self, active: &[bool]) -> Vec<Option<JointId>> {
        let mut out = Vec::new();
        let inside = |number: usize| {
            (self.description.reduced.iter()).any(|part| part.joints.contains(&number))
        };
        let inside: Vec<bool> = (0..active.len()).map(inside).collect();
        let parts = self.description.joints.iter();
        for ((part, &active), inside) in parts.zip(active).zip(inside) {
            if !active || inside {
                out.push(None);
                continue;
            }
            let (mut a, b) = (
                self.attachment(&part.spots[0]),
                self.attachment(&part.spots[1]),
            );
            let kind = match part.kind {
                JointPartKind::Position(channels) => {
                    JointKind::PrescribedPosition(channels.map(|channel| self.inputs[channel]))
                }
                JointPartKind::Frame(channels) => {
                    // In the plane: x, y and the angle, which is the last channel.
                    let order = if D == 2 {
                        [0, 1, 5, 5, 5, 5]
                    } else {
                        [0, 1, 2, 3, 4, 5]
                    };
                    let inputs = core::array::from_fn(|i| self.inputs[channels[order[i]]]);
                    let frame = self.builder.moving_frame(&part.name, inputs);
                    a = Attachment {
                        body: Body::Frame(frame),
                        frame: G::identity(),
                    };
                    JointKind::Fixed
                }
                JointPartKind::Plain(kind) => kind,
                JointPartKind::Distance(channel) => JointKind::Distance(self.inputs[channel]),
                JointPartKind::Angle(channel) => JointKind::PrescribedAngle(self.inputs[channel]),
                JointPartKind::Slide(channel) => JointKind::PrescribedSlide(self.inputs[channel]),
            };
            out.push(Some(self.builder.joint(&part.name, kind, a, b)));
        }
        out
    }

    fn add_touching(&mut self, impact: &ImpactPart) {
        let (a, b) = (
            self.attachment(&impact.spots[0]),
            self.attachment(&impact.spots[1]),
        );
        let kind = match impact.kind {
            JointPartKind::Distance(channel) => JointKind::Distance(self.inputs[channel]),
            JointPartKind::Slide(channel) => JointKind::PrescribedSlide(self.inputs[channel]),
            _ => return,
        };
        self.builder.joint(&impact.name, kind, a, b);
    }

    fn add_forces(&mut self, joints: &[Option<JointId>]) -> Result<Vec<ForceId>> {
        let mut out = Vec::new();
        for part in &self.description.forces {
            let hinge = |joint: usize| {
                joints[joint].ok_or_else(|| MechanismError::Mechanism {
                    file: self.description.file.clone(),
                    problem: format!("{} acts on a joint that is open", part.name),
                    remedy: "a joint with a motor or spring stays closed".to_owned(),
                })
            };
            let name = part.name.as_str();
            let id = match &part.force {
                ForcePart::Line { ends, law } => {
                    let (a, b) = (self.point(&ends[0]), self.point(&ends[1]));
                    self.builder.line(name, a, b, *law)
                }
                ForcePart::Torsion { joint, data } => {
                    let [k, rest, c] = *data;
                    self.builder.torsion(name, hinge(*joint)?, k, rest, c)
                }
                ForcePart::Motor {
                    joint,
                    torque,
                    hold,
                    limits,
                } => {
                    let law = MotorLaw {
                        torque: torque.map(|channel| self.inputs[channel]),
                        hold: hold.map(|(target, stiffness, damping)| Hold {
                            target: self.inputs[target],
                            stiffness,
                            damping,
                        }),
                        ..*limits
                    };
                    self.builder.motor(name, hinge(*joint)?, law)
                }
                ForcePart::Wrench {
                    point,
                    follows,
                    force,
                    moment,
                } => {
                    let on = self.point(point);
                    let Body::Node(node) = on.body else { continue };
                    let input = |channel: &Option<usize>| channel.map(|i| self.inputs[i]);
                    let wrench = Force::Wrench {
                        name: name.to_owned(),
                        node,
                        point: on.point,
                        axes: if *follows { Axes::Body } else { Axes::World },
                        force: core::array::from_fn(|i| input(&force[i])),
                        moment: core::array::from_fn(|i| input(&moment[i])),
                    };
                    self.builder.wrench(wrench)
                }
                ForcePart::Law {
                    coordinate,
                    acts_on,
                    law,
                    booking,
                } => {
                    let angle = match coordinate {
                        CoordinatePart::Angle(joint) => Some(hinge(*joint)?),
                        _ => None,
                    };
                    let acts_on = acts_on
                        .as_ref()
                        .and_then(|part| self.coordinate(part, None));
                    let Some(coordinate) = self.coordinate(coordinate, angle) else {
                        continue;
                    };
                    self.builder.law(LawForce {
                        name: name.to_owned(),
                        coordinate,
                        acts_on,
                        law: law.clone(),
                        booking: booking.clone(),
                    })
                }
            };
            out.push(id);
        }
        Ok(out)
    }
}

/// Builds the model in which the joints marked `active` are there, and the constraints of the impacts
/// `touching`.
pub fn build<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
    active: &[bool],
    touching: &[usize],
) -> Result<Built<G, N, D>> {
    let mut builder = ModelBuilder::<G, N, D>::new();
    builder.gravity(G::vector(&Vector3::from(description.gravity)));
    let inputs = (description.channels.iter())
        .map(|(name, _)| builder.input(name))
        .collect();
    let mut all = Builder {
        description,
        builder,
        bodies: Vec::new(),
        beams: Vec::new(),
        reduced: Vec::new(),
        inputs,
    };
    all.add_bodies();
    let joints = all.add_joints(active);
    let forces = all.add_forces(&joints)?;
    let (cables, surfaces) = (all.add_cables(), all.add_surfaces());
    for &impact in touching {
        all.add_touching(&description.impacts[impact]);
    }
    let impacts = (description.impacts.iter())
        .filter_map(|impact| all.coordinate(&impact.coordinate, None))
        .collect();
    let histories = description.channels.iter();
    let drive = Histories(histories.map(|(_, history)| history.clone()).collect());
    let model = all
        .builder
        .build()
        .map_err(|cause| MechanismError::Mechanism {
            file: description.file.clone(),
            problem: cause.to_string(),
            remedy: "change the part that is named".to_owned(),
        })?;
    Ok(Built {
        model,
        drive,
        bodies: all.bodies,
        beams: all.beams,
        reduced: all.reduced,
        joints,
        forces,
        cable_segments: (description.cables.iter())
            .map(|part| part.points.len() - 1)
            .collect(),
        cables,
        surfaces,
        impacts,
    })
}
