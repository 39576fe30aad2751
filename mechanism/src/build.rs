//! From a description to a kernel model.

use crate::error::{MechanismError, Result};
use crate::parts::{
    BeamPart, CoordinatePart, Description, ForcePart, Host, ImpactPart, JointPartKind, Point, Pose,
    ReducedPart, Spot,
};
use crate::reduce::Reduced;
use crate::signal::Histories;
use crate::space::Space;
use multibody::element::Rayleigh;
use multibody::group::{Group, Se3};
use multibody::model::{
    Attachment, Axes, BeamId, BeamSpec, Body, Coordinate, Force, ForceId, Hold, InputId, JointId,
    JointKind, LawForce, Model, ModelBuilder, MotorLaw, NodeId, PointOn, ReducedId,
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
        }
    }

    /// The reduced body that a host lies in.
    pub fn reduced_at(&self, host: Host) -> Option<&MountedReduced> {
        let Host::Beam(beam, _) = host else {
            return None;
        };
        self.reduced
            .iter()
            .find(|body| body.part.beams.contains(&beam))
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
            let nodes: Vec<NodeId> = (part.interfaces.iter().enumerate())
                .map(|(number, &(beam, node))| {
                    let pose = G::of(&beam_pose(&self.description.beams[beam], node, false));
                    let name = format!("{}, interface {}", part.name, number + 1);
                    self.builder.rigid_body(&name, pose, SMatrix::zeros())
                })
                .collect();
            let Some(result) = &part.result else { continue };
            let shapes = result.shapes.clone();
            let id = (self.builder).reduced_body(&part.name, nodes[0], &nodes[1..], shapes);
            self.reduced.push(MountedReduced {
                id,
                part: part.clone(),
                result: Arc::clone(result),
                interfaces: nodes,
            });
        }
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
            let (a, b) = (
                self.attachment(&part.spots[0]),
                self.attachment(&part.spots[1]),
            );
            let kind = match part.kind {
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
            JointPartKind::Plain(kind) => kind,
            JointPartKind::Angle(_) | JointPartKind::Slide(_) => return,
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
        impacts,
    })
}
