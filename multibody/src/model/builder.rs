//! Builds and validates a [`Model`].

use super::InputRole;
use super::bushing::{Bushing, MountedBushing};
use super::cable::{Cable, MountedCable};
use super::joint::{Attachment, Body, ConstraintRow, Joint, JointKind};
use super::reduced::{MountedShapes, Shapes};
use super::section::{Section, require_positive};
use super::surface::MountedSurface;
use super::{
    Beam, BeamId, CableId, FarDamping, Force, ForceId, FrameId, InputId, JointId, LineLaw,
    ModalDamper, Model, MotorLaw, MovingFrame, NodeId, PointOn, ReducedId, Stops, StripLaw,
    SurfaceId,
};
use crate::assembly::Along;
use crate::contact::ContactPair;
use crate::element::{BeamElement, ElementKind, Rayleigh};
use crate::error::{Error, Result, require};
use crate::group::Group;
use crate::linear_solver::{BeamRun, ConstraintGroup, Layout, Topology};
use nalgebra::{SMatrix, SVector};

/// Data of a beam.
#[derive(Debug, Clone, PartialEq)]
pub struct BeamSpec<const N: usize, const D: usize> {
    /// Length of the unstressed beam [m].
    pub length: f64,
    /// Number of elements.
    pub elements: usize,
    /// Section.
    pub section: Section<N, D>,
    /// Curvature of the unstressed beam [1/m]: κ in the plane (one entry used), (κ1, κ2, κ3) in
    /// space. Zero for a straight beam.
    pub curvature: [f64; 3],
    /// Rayleigh damping.
    pub rayleigh: Rayleigh,
    /// The body, ground or a node outside the beam, against which mass-proportional damping counts
    /// velocities: what is at rest there is at rest.
    pub reference: Body,
    /// Dampers of modes, one weight per element each.
    pub modal: Vec<ModalDamper<N>>,
    /// Strain field of the elements.
    pub kind: ElementKind,
    /// Bending law of a strip about e3; none is a beam.
    pub strip: Option<StripLaw>,
}

impl<const N: usize, const D: usize> BeamSpec<N, D> {
    /// A straight undamped beam.
    pub fn straight(length: f64, elements: usize, section: Section<N, D>) -> Self {
        Self {
            length,
            elements,
            section,
            curvature: [0.0; 3],
            rayleigh: Rayleigh::default(),
            reference: Body::Ground,
            modal: Vec::new(),
            kind: ElementKind::default(),
            strip: None,
        }
    }

    fn validate(&self, name: &str) -> Result<()> {
        require(self.length > 0.0, name, "length", self.length, "> 0 m")?;
        let elements = self.elements as f64;
        require(
            (1..=100_000).contains(&self.elements),
            name,
            "elements",
            elements,
            "1 to 100000",
        )?;
        self.section.validate(name)?;
        for value in self.curvature {
            require(value.abs() < 1e9, name, "curvature", value, "finite [1/m]")?;
        }
        self.validate_strip(name)?;
        for damper in &self.modal {
            let coefficient = damper.coefficient;
            let count = damper.weights.len();
            let whole = damper
                .weights
                .iter()
                .map(|weight| weight.sum())
                .sum::<f64>();
            let ok = coefficient >= 0.0 && count == self.elements && whole.is_finite();
            require(
                ok,
                name,
                "modal damping",
                coefficient,
                ">= 0 1/s with one finite weight per element",
            )?;
        }
        let Rayleigh { mass, stiffness } = self.rayleigh;
        require(mass >= 0.0, name, "mass damping", mass, ">= 0 1/s")?;
        require(
            stiffness >= 0.0,
            name,
            "stiffness damping",
            stiffness,
            ">= 0 s",
        )
    }
}

impl<const N: usize, const D: usize> BeamSpec<N, D> {
    /// A strip is flat, and has the section's stiffness where it is hardly bent.
    fn validate_strip(&self, name: &str) -> Result<()> {
        let Some(strip) = &self.strip else {
            return Ok(());
        };
        strip.validate(name)?;
        for value in self.curvature {
            let allowed = "0: a strip is flat when unstressed";
            require(value == 0.0, name, "curvature", value, allowed)?;
        }
        let (stiffness, own) = (self.section.stiffness, strip.bending_stiffness());
        let ratio = own / stiffness[(N - 1, N - 1)];
        let same = (ratio - 1.0).abs() < 1e-9;
        let alone = (0..N - 1).all(|i| stiffness[(i, N - 1)] == 0.0);
        let allowed = "that of the section about e3, which is not coupled";
        require(
            same && alone,
            name,
            "bending stiffness of the strip",
            own,
            allowed,
        )
    }
}

/// Collects bodies, joints and forces; [`ModelBuilder::build`] makes the model.
#[derive(Debug, Clone)]
pub struct ModelBuilder<G: Group<N, D>, const N: usize, const D: usize> {
    node_names: Vec<String>,
    poses: Vec<G>,
    inertia: Vec<Option<SMatrix<f64, N, N>>>,
    beams: Vec<Beam<N, D>>,
    element_count: usize,
    frames: Vec<MovingFrame<N>>,
    joints: Vec<Joint<G, D>>,
    row_count: usize,
    forces: Vec<Force<D>>,
    bushings: Vec<MountedBushing<G, N>>,
    cables: Vec<MountedCable<D>>,
    surfaces: Vec<MountedSurface>,
    reduced: Vec<MountedShapes<G, D>>,
    inputs: Vec<String>,
    gravity: SVector<f64, D>,
    error: Option<Error>,
}

impl<G: Group<N, D>, const N: usize, const D: usize> Default for ModelBuilder<G, N, D> {
    fn default() -> Self {
        Self::new()
    }
}

/// Methods record the first error and go on; [`ModelBuilder::build`] returns it, so a model can
/// be written down without checking every line.
impl<G: Group<N, D>, const N: usize, const D: usize> ModelBuilder<G, N, D> {
    /// An empty model without gravity.
    pub fn new() -> Self {
        Self {
            node_names: Vec::new(),
            poses: Vec::new(),
            inertia: Vec::new(),
            beams: Vec::new(),
            element_count: 0,
            frames: Vec::new(),
            joints: Vec::new(),
            row_count: 0,
            forces: Vec::new(),
            bushings: Vec::new(),
            cables: Vec::new(),
            surfaces: Vec::new(),
            reduced: Vec::new(),
            inputs: Vec::new(),
            gravity: SVector::zeros(),
            error: None,
        }
    }

    fn record(&mut self, result: Result<()>) {
        if let (Err(error), None) = (result, &self.error) {
            self.error = Some(error);
        }
    }

    fn refuse(&mut self, owner: &str, problem: &'static str) {
        self.record(Err(Error::BadReference {
            owner: owner.to_owned(),
            problem,
        }));
    }

    /// Sets gravity [m/s²].
    pub fn gravity(&mut self, gravity: SVector<f64, D>) -> &mut Self {
        for value in gravity.iter() {
            self.record(require(
                value.is_finite(),
                "model",
                "gravity",
                *value,
                "finite",
            ));
        }
        self.gravity = gravity;
        self
    }

    fn node(&mut self, name: String, pose: G) -> NodeId {
        let entries = pose
            .rotation()
            .iter()
            .chain(pose.translation().iter())
            .copied()
            .sum::<f64>();
        self.record(require(
            entries.is_finite(),
            &name,
            "pose",
            entries,
            "finite",
        ));
        self.node_names.push(name);
        self.poses.push(pose);
        self.inertia.push(None);
        NodeId(self.poses.len() - 1)
    }

    /// Adds a rigid body: a node at `pose` with `inertia` about the node's frame (see
    /// [`rigid_inertia`]). A body without mass is allowed if joints and forces hold it.
    pub fn rigid_body(&mut self, name: &str, pose: G, inertia: SMatrix<f64, N, N>) -> NodeId {
        let node = self.node(name.to_owned(), pose);
        self.attach_inertia(node, inertia);
        node
    }

    /// Adds an inertia about the frame of `node` (mass, moments, point masses) to what is there.
    pub fn attach_inertia(&mut self, node: NodeId, inertia: SMatrix<f64, N, N>) -> &mut Self {
        if node.0 >= self.poses.len() {
            self.refuse("inertia", "the node does not belong to this model");
            return self;
        }
        let name = self.node_names[node.0].clone();
        self.record(require_positive(&inertia, &name, "inertia", false));
        let sum = self.inertia[node.0].unwrap_or_else(SMatrix::zeros) + inertia;
        self.inertia[node.0] = Some(sum);
        self
    }

    /// Adds a point mass [kg] at `point` of a node's frame.
    pub fn point_mass(&mut self, node: NodeId, point: SVector<f64, D>, mass: f64) -> &mut Self {
        self.record(require(mass >= 0.0, "point mass", "mass", mass, ">= 0 kg"));
        let inertia = rigid_inertia::<G, N, D>(mass, point, SMatrix::zeros());
        self.attach_inertia(node, inertia)
    }

    /// Adds a beam whose first node is at `root`, its e1 along the beam.
    pub fn beam(&mut self, name: &str, root: G, spec: &BeamSpec<N, D>) -> BeamId {
        G::beam(self, name, root, spec)
    }

    /// [`Self::beam`], compiled for a group.
    pub(crate) fn beam_of_group(&mut self, name: &str, root: G, spec: &BeamSpec<N, D>) -> BeamId {
        let id = BeamId(self.beams.len());
        let mut spec = spec.clone();
        if let Err(error) = spec.validate(name) {
            self.record(Err(error));
            spec.elements = spec.elements.clamp(1, 100_000);
        }
        let mut reference_strain = SVector::zeros();
        reference_strain[0] = 1.0;
        for i in D..N {
            reference_strain[i] = spec.curvature[if D == 2 { 0 } else { i - D }];
        }
        let length = spec.length / spec.elements as f64;
        let element = BeamElement::new::<G>(
            length,
            spec.section,
            spec.kind,
            reference_strain,
            spec.rayleigh,
        );
        let element = element.map(|element| BeamElement {
            strip: spec.strip,
            ..element
        });
        let Some(element) = element else {
            self.refuse(name, "the section's stiffness cannot be inverted");
            return id;
        };
        let first_node = self.poses.len();
        let reference = match spec.reference {
            Body::Ground => None,
            Body::Node(node) if node.0 < first_node => Some((node.0, 0)),
            _ => {
                self.refuse(
                    name,
                    "its reference must be the ground or a node that is there",
                );
                None
            }
        };
        for i in 0..=spec.elements {
            let pose = root.compose(&G::exp(&(reference_strain * (length * i as f64))));
            self.node(format!("{name}[{i}]"), pose);
        }
        let first_element = self.element_count;
        self.element_count += spec.elements;
        self.beams.push(Beam {
            name: name.to_owned(),
            first_node,
            first_element,
            elements: spec.elements,
            damping: FarDamping {
                reference: reference.filter(|_| element.rayleigh.mass > 0.0),
                modes: spec.modal,
                first_mode: 0,
            },
            element,
        });
        id
    }

    /// Node `index` of a beam, counted from its root (the last one if there are fewer).
    pub fn beam_node(&mut self, beam: BeamId, index: usize) -> NodeId {
        match self.beams.get(beam.0) {
            Some(beam) => NodeId(beam.first_node + index.min(beam.elements)),
            None => {
                self.refuse("beam", "the beam does not belong to this model");
                NodeId(0)
            }
        }
    }

    /// Last node of a beam.
    pub fn beam_end(&mut self, beam: BeamId) -> NodeId {
        self.beam_node(beam, usize::MAX)
    }

    /// Adds an input channel.
    pub fn input(&mut self, name: &str) -> InputId {
        self.inputs.push(name.to_owned());
        InputId(self.inputs.len() - 1)
    }

    /// Adds a frame moved by inputs: position [m], then rotation vector [rad] (one angle in the
    /// plane).
    pub fn moving_frame(&mut self, name: &str, inputs: [InputId; N]) -> FrameId {
        for input in inputs {
            self.check_input(name, input);
        }
        self.frames.push(MovingFrame {
            name: name.to_owned(),
            inputs: inputs.map(|i| i.0),
        });
        FrameId(self.frames.len() - 1)
    }

    fn check_input(&mut self, owner: &str, input: InputId) {
        if input.0 >= self.inputs.len() {
            self.refuse(owner, "the input does not belong to this model");
        }
    }

    fn check_body(&mut self, owner: &str, body: Body) {
        match body {
            Body::Ground => {}
            Body::Node(node) if node.0 < self.poses.len() => {}
            Body::Frame(frame) if frame.0 < self.frames.len() => {}
            _ => self.refuse(owner, "the body does not belong to this model"),
        }
    }

    /// Adds a joint or driver between frame A and frame B.
    pub fn joint(
        &mut self,
        name: &str,
        kind: JointKind,
        a: Attachment<G>,
        b: Attachment<G>,
    ) -> JointId {
        self.check_body(name, a.body);
        self.check_body(name, b.body);
        match (a.body, b.body) {
            (Body::Node(x), Body::Node(y)) if x == y => {
                self.refuse(name, "a joint cannot connect a body with itself");
            }
            (Body::Node(_), _) | (_, Body::Node(_)) => {}
            _ => self.refuse(name, "a joint needs at least one moving body"),
        }
        if D == 2 && needs_space(&kind) {
            let joint = name.to_owned();
            self.record(Err(Error::SpatialOnly {
                joint,
                kind: kind.name(),
            }));
        }
        for input in kind.inputs(D) {
            self.check_input(name, InputId(input));
        }
        let mut joint = Joint::new(name, kind, a, b, self.row_count);
        joint.index = self.joints.len();
        self.check_lengths(name, &kind);
        self.set_offset(&mut joint);
        self.row_count += joint.rows.len();
        self.joints.push(joint);
        JointId(self.joints.len() - 1)
    }

    /// Refuses a screw without lead and a wheel without radius.
    fn check_lengths(&mut self, name: &str, kind: &JointKind) {
        let (quantity, value) = match *kind {
            JointKind::Screw { lead } => ("lead", lead),
            JointKind::Rolling { radius } => ("radius", radius),
            JointKind::Meshing { ratio } => ("ratio", if ratio == 0.0 { 1.0 } else { ratio }),
            _ => return,
        };
        let ok = value != 0.0 && value.is_finite();
        self.record(require(
            ok,
            name,
            quantity,
            value,
            "finite and not zero [m]",
        ));
        if D == 3 && matches!(kind, JointKind::Rolling { .. }) {
            self.refuse(name, "rolling without slip is written for the plane only");
        }
    }

    /// A turn that goes with a displacement starts from the initial poses.
    fn set_offset(&mut self, joint: &mut Joint<G, D>) {
        let pose_of = |attachment: &Attachment<G>| match attachment.body {
            Body::Node(node) => {
                (self.poses.get(node.0)).map(|pose| pose.compose(&attachment.frame))
            }
            _ => Some(attachment.frame),
        };
        let (Some(a), Some(b)) = (pose_of(&joint.a), pose_of(&joint.b)) else {
            return;
        };
        let relative = a.between(&b);
        let (r, d) = (relative.rotation(), relative.translation());
        for row in &mut joint.rows {
            if let ConstraintRow::Turning(turning) = row {
                let angle = crate::math::atan2(r[(1, 0)], r[(0, 0)]);
                let s = match turning.along {
                    Along::Axis(axis) => d[axis],
                    Along::Direction => crate::math::atan2(d[1], d[0]),
                };
                turning.offset = angle - turning.per_length * s;
            }
        }
        let between = crate::math::hypot(d[0], d[1]);
        if joint.counts_direction() && between < 1e-9 {
            self.refuse(&joint.name, "wheels that mesh need centres apart");
        }
    }

    /// Adds a bushing between bodies A and B, neither a moving frame.
    pub fn bushing(&mut self, name: &str, bodies: [Body; 2], bushing: Bushing<G, N>) {
        for body in bodies {
            self.check_body(name, body);
            if matches!(body, Body::Frame(_)) {
                self.refuse(name, "a bushing holds bodies, not moving frames");
            }
        }
        if bodies[0] == bodies[1] {
            self.refuse(name, "a bushing needs two different bodies");
        }
        let matrices = [
            ("stiffness", &bushing.stiffness),
            ("damping", &bushing.damping),
        ];
        for (quantity, matrix) in matrices {
            for value in matrix.diagonal().iter().copied() {
                self.record(require(value >= 0.0, name, quantity, value, ">= 0"));
            }
        }
        self.bushings.push(MountedBushing {
            name: name.to_owned(),
            bodies,
            bushing,
            coupling: None,
        });
    }

    /// Adds a cable over guides.
    pub fn cable(&mut self, cable: Cable<D>) -> CableId {
        let name = cable.name.clone();
        for point in &cable.points {
            self.check_body(&name, point.body);
        }
        let first = cable.points.first().map(|point| point.body);
        if cable.points.iter().all(|point| Some(point.body) == first) {
            self.refuse(&name, "a cable needs two different bodies");
        }
        self.record(cable.validate());
        self.cables.push(MountedCable {
            cable,
            couplings: Vec::new(),
        });
        CableId(self.cables.len() - 1)
    }

    /// Adds a contact of points of body A with surfaces of body B; `speeds` are the channels of the
    /// speed of every contact's touch [m/s], in the order of [`ContactPair::approaches`].
    pub fn surface_contact(
        &mut self,
        name: &str,
        bodies: [Body; 2],
        pair: ContactPair,
        speeds: Vec<InputId>,
    ) -> SurfaceId {
        for body in bodies {
            self.check_body(name, body);
        }
        if bodies[0] == bodies[1] {
            self.refuse(name, "a contact needs two different bodies");
        }
        if speeds.len() != pair.contacts() {
            self.refuse(name, "a contact needs one channel of speed per contact");
        }
        for &speed in &speeds {
            self.check_input(name, speed);
        }
        self.surfaces.push(MountedSurface {
            bodies,
            pair,
            speeds: speeds.iter().map(|speed| speed.0).collect(),
            coupling: None,
        });
        SurfaceId(self.surfaces.len() - 1)
    }

    /// Adds a reduced body whose moving frame is the node `frame`; its other interfaces are nodes at
    /// their places in the undeformed body. `shapes` has N coordinates per further interface, then the
    /// modes, for which nodes are added.
    pub fn reduced_body(
        &mut self,
        name: &str,
        frame: NodeId,
        interfaces: &[NodeId],
        shapes: Shapes,
    ) -> ReducedId {
        let id = ReducedId(self.reduced.len());
        self.record(shapes.validate(name));
        let known = |node: &NodeId| node.0 < self.poses.len();
        if !known(&frame) || !interfaces.iter().all(known) || interfaces.contains(&frame) {
            self.refuse(name, "its interfaces must be different nodes of this model");
            return id;
        }
        let Some(modes) = shapes.count().checked_sub(N * interfaces.len()) else {
            self.refuse(name, "it has fewer shapes than its interfaces move");
            return id;
        };
        let origin = self.poses[frame.0];
        let measure = |node: &NodeId| {
            let between = origin.between(&self.poses[node.0]);
            let identity = SMatrix::<f64, D, D>::identity();
            let on_frame = G::from_parts(between.translation(), identity);
            let back = G::from_parts(SVector::zeros(), between.rotation().transpose());
            let ends = [
                Attachment::node(frame, on_frame),
                Attachment::node(*node, back),
            ];
            let [a, b] = ends;
            let mut joint = Joint::new(name, JointKind::Fixed, a, b, 0);
            joint.rows = crate::assembly::reduced::measuring_rows(D);
            joint
        };
        let interfaces = interfaces.iter().map(measure).collect();
        let place = G::from_parts(origin.translation(), SMatrix::identity());
        let modal = (0..modes.div_ceil(D))
            .map(|i| self.node(format!("{name}, modes {}", i * D + 1), place).0)
            .collect();
        self.reduced.push(MountedShapes {
            frame: frame.0,
            interfaces,
            modal,
            shapes,
            couplings: Vec::new(),
        });
        id
    }

    fn force(&mut self, force: Force<D>) -> ForceId {
        self.forces.push(force);
        ForceId(self.forces.len() - 1)
    }

    /// Adds a spring-damper or tendon between two points.
    pub fn line(&mut self, name: &str, a: PointOn<D>, b: PointOn<D>, law: LineLaw) -> ForceId {
        self.stopped_line(name, a, b, law, None, None)
    }

    /// The same with stops of its length [m] and a winch, whose pull [N] is an input.
    pub fn stopped_line(
        &mut self,
        name: &str,
        a: PointOn<D>,
        b: PointOn<D>,
        law: LineLaw,
        stops: Option<Stops>,
        winch: Option<InputId>,
    ) -> ForceId {
        self.check_body(name, a.body);
        self.check_body(name, b.body);
        if a.body == b.body {
            self.refuse(name, "a line force needs two different bodies");
        }
        self.record(law.validate(name));
        if let Some(stops) = &stops {
            self.record(stops.validate(name));
        }
        if let Some(winch) = winch {
            self.check_input(name, winch);
        }
        self.force(Force::Line {
            name: name.to_owned(),
            a,
            b,
            law,
            stops,
            winch,
        })
    }

    /// Adds stops to the angle of a joint [rad].
    pub fn stop(&mut self, name: &str, joint: JointId, stops: Stops) -> ForceId {
        self.check_angle(name, joint);
        self.record(stops.validate(name));
        self.force(Force::Stop {
            name: name.to_owned(),
            joint,
            stops,
        })
    }

    fn check_angle(&mut self, owner: &str, joint: JointId) {
        match self.joints.get(joint.0) {
            Some(joint) if joint.has_angle() => {}
            _ => self.refuse(
                owner,
                "it needs a revolute or cylindrical joint of this model",
            ),
        }
    }

    /// Adds a torsion spring and damper to a joint.
    pub fn torsion(
        &mut self,
        name: &str,
        joint: JointId,
        stiffness: f64,
        rest_angle: f64,
        damping: f64,
    ) -> ForceId {
        self.check_angle(name, joint);
        self.record(require(
            stiffness >= 0.0,
            name,
            "stiffness",
            stiffness,
            ">= 0 N·m/rad",
        ));
        self.record(require(
            damping >= 0.0,
            name,
            "damping",
            damping,
            ">= 0 N·m·s/rad",
        ));
        self.record(require(
            rest_angle.is_finite(),
            name,
            "rest angle",
            rest_angle,
            "finite rad",
        ));
        self.force(Force::Torsion {
            name: name.to_owned(),
            joint,
            stiffness,
            rest_angle,
            damping,
        })
    }

    /// Adds a motor to a joint.
    pub fn motor(&mut self, name: &str, joint: JointId, law: MotorLaw) -> ForceId {
        self.check_angle(name, joint);
        let target = law.hold.map(|hold| hold.target);
        for input in law.torque.into_iter().chain(target) {
            self.check_input(name, input);
        }
        self.record(law.validate(name));
        let framed = |body: Body| matches!(body, Body::Frame(_));
        if law.rotor.is_some()
            && let Some(joint) = self.joints.get(joint.0)
            && (framed(joint.a.body) || framed(joint.b.body))
        {
            let problem = "a rotor needs a joint between bodies that are no moving frames";
            self.refuse(name, problem);
        }
        self.force(Force::Motor {
            name: name.to_owned(),
            joint,
            law,
        })
    }

    /// Adds an applied wrench.
    pub fn wrench(&mut self, force: Force<D>) -> ForceId {
        if let Force::Wrench {
            ref name,
            node,
            force: f,
            moment,
            ..
        } = force
        {
            let name = name.clone();
            self.check_body(&name, Body::Node(node));
            for input in f.into_iter().chain(moment).flatten() {
                self.check_input(&name, input);
            }
        } else {
            self.refuse(force.name(), "this is not a wrench");
        }
        self.force(force)
    }

    /// Adds a force by a formula.
    pub fn law(&mut self, law: super::LawForce<D>) -> ForceId {
        let name = law.name.clone();
        match &law.coordinate {
            super::Coordinate::Angle(joint) => self.check_angle(&name, *joint),
            other => {
                let bodies = other.bodies().unwrap_or([Body::Ground; 2]);
                for body in bodies {
                    self.check_body(&name, body);
                }
                if bodies[0] == bodies[1] {
                    self.refuse(&name, "a law needs two different bodies");
                }
            }
        }
        let bodies = law.coordinate.bodies();
        if law
            .acts_on
            .is_some_and(|acts_on| acts_on.bodies() != bodies)
        {
            self.refuse(
                &name,
                "what is measured and what is pushed need the same bodies",
            );
        }
        let inputs: Vec<usize> = law.inputs().collect();
        if inputs.len() > 6 {
            self.refuse(&name, "a law reads at most six inputs");
        }
        for input in inputs {
            self.check_input(&name, InputId(input));
        }
        self.force(Force::Law(law))
    }

    /// Checks everything and makes the model.
    pub fn build(self) -> Result<Model<G, N, D>> {
        G::build(self)
    }

    /// [`Self::build`], compiled for a group.
    pub(crate) fn build_of_group(mut self) -> Result<Model<G, N, D>> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if self.poses.is_empty() {
            return Err(Error::BadReference {
                owner: "model".into(),
                problem: "it has no bodies",
            });
        }
        let (topology, line_couplings) = self.topology();
        let layout = Layout::new(&topology)?;
        let length_scale = self.length_scale();
        let mass_scale = self.mass_scale();
        let stiffness_scale = self.stiffness_scale(length_scale);
        let input_roles = self.input_roles();
        let mut memory_starts = vec![0];
        for force in &self.forces {
            memory_starts.push(memory_starts.last().copied().unwrap_or(0) + force.memory());
        }
        let has_stops = |force: &Force<D>| {
            matches!(
                force,
                Force::Stop { .. } | Force::Line { stops: Some(_), .. }
            )
        };
        let stopped = (0..self.forces.len()).filter(|&i| has_stops(&self.forces[i]));
        Ok(Model {
            memory_starts,
            stopped: stopped.collect(),
            node_names: self.node_names,
            initial_poses: self.poses,
            node_inertia: self.inertia,
            beams: self.beams,
            element_count: self.element_count,
            frames: self.frames,
            joints: self.joints,
            row_count: self.row_count,
            forces: self.forces,
            line_couplings,
            bushings: self.bushings,
            cables: self.cables,
            surfaces: self.surfaces,
            reduced: self.reduced,
            input_names: self.inputs,
            input_roles,
            gravity: self.gravity,
            length_scale,
            mass_scale,
            stiffness_scale,
            layout,
        })
    }

    /// What each input channel does.
    fn input_roles(&self) -> Vec<InputRole> {
        let mut roles = vec![InputRole::default(); self.inputs.len()];
        let rows = self.joints.iter().flat_map(|joint| &joint.rows);
        let driven = rows.filter_map(ConstraintRow::input);
        let framed = self.frames.iter().flat_map(|frame| frame.inputs);
        for channel in driven.chain(framed) {
            roles[channel].prescribes = true;
        }
        for force in &self.forces {
            for input in force.inputs() {
                roles[input.0].forces = true;
            }
            if let Force::Motor { law, .. } = force
                && let Some(hold) = &law.hold
            {
                roles[hold.target.0].aims = true;
            }
        }
        roles
    }

    /// Topology for the solver, and the index of each line force's coupling. The coupling of a
    /// joint between two nodes is written into the joint.
    fn topology(&mut self) -> (Topology, Vec<Option<usize>>) {
        let node_of = |body: Body| match body {
            Body::Node(node) => Some(node.0),
            _ => None,
        };
        let mut couplings = Vec::new();
        let mut couple = |a: Body, b: Body| {
            couplings.push((node_of(a)?, node_of(b)?));
            Some(couplings.len() - 1)
        };
        for joint in &mut self.joints {
            joint.coupling = couple(joint.a.body, joint.b.body);
        }
        let line_couplings = self
            .forces
            .iter()
            .map(|force| match force {
                Force::Line { a, b, .. } => couple(a.body, b.body),
                Force::Law(law) => law.coordinate.bodies().and_then(|[a, b]| couple(a, b)),
                _ => None,
            })
            .collect();
        for mounted in &mut self.bushings {
            mounted.coupling = couple(mounted.bodies[0], mounted.bodies[1]);
        }
        for mounted in &mut self.surfaces {
            mounted.coupling = couple(mounted.bodies[0], mounted.bodies[1]);
        }
        for mounted in &mut self.cables {
            let points = &mounted.cable.points;
            for (i, a) in points.iter().enumerate() {
                for b in &points[i + 1..] {
                    let apart = a.body != b.body;
                    let coupling = apart.then(|| couple(a.body, b.body)).flatten();
                    mounted.couplings.push(coupling);
                }
            }
        }
        for body in &mut self.reduced {
            let nodes: Vec<usize> = body.nodes().collect();
            for (i, &a) in nodes.iter().enumerate() {
                for &b in &nodes[i + 1..] {
                    let coupling = couple(Body::Node(NodeId(a)), Body::Node(NodeId(b)));
                    body.couplings.push(coupling);
                }
            }
        }
        let rank = self.low_rank();
        let beams = self.beams.iter().map(|beam| BeamRun {
            first_node: beam.first_node,
            elements: beam.elements,
        });
        let constraints = self.joints.iter().map(|joint| ConstraintGroup {
            nodes: [node_of(joint.a.body), node_of(joint.b.body)],
            rows: joint.rows.len(),
        });
        let topology = Topology {
            node_count: self.poses.len(),
            beams: beams.collect(),
            constraints: constraints.collect(),
            couplings,
            rank,
        };
        (topology, line_couplings)
    }

    /// Gives every reference of mass-proportional damping its 2N columns and every damper of a mode
    /// its own, and counts all.
    fn low_rank(&mut self) -> usize {
        let mut roots = Vec::new();
        for (root, columns) in self
            .beams
            .iter_mut()
            .filter_map(|beam| beam.damping.reference.as_mut())
        {
            let place = roots.iter().position(|known| known == root);
            *columns = 2 * N * place.unwrap_or(roots.len());
            if place.is_none() {
                roots.push(*root);
            }
        }
        let mut rank = 2 * N * roots.len();
        for beam in &mut self.beams {
            beam.damping.first_mode = rank;
            rank += beam.damping.modes.len();
        }
        rank
    }

    /// Mean mass of a node, one if there is none.
    fn mass_scale(&self) -> f64 {
        let bodies: f64 = self
            .inertia
            .iter()
            .flatten()
            .map(|inertia| inertia[(0, 0)])
            .sum();
        let beams: f64 = self
            .beams
            .iter()
            .map(|beam| beam.element.section.mass_per_length * beam.length())
            .sum();
        let reduced: f64 = self.reduced.iter().map(|body| body.shapes.mass()).sum();
        let mean = (bodies + beams + reduced) / self.poses.len() as f64;
        if mean > 0.0 { mean } else { 1.0 }
    }

    /// Geometric mean of the largest and smallest element stiffness and the springs, one if
    /// there is none.
    fn stiffness_scale(&self, length_scale: f64) -> f64 {
        let mut lowest = f64::INFINITY;
        let mut highest: f64 = 0.0;
        for beam in &self.beams {
            let k = beam.element.section.stiffness.diagonal() / beam.element.length;
            for i in 0..N {
                let unit = if i < D {
                    1.0
                } else {
                    length_scale * length_scale
                };
                lowest = lowest.min(k[i] / unit);
                highest = highest.max(k[i] / unit);
            }
        }
        for body in &self.reduced {
            // Of interfaces; modal coordinates have other units.
            for index in (0..N * body.interfaces.len()).filter(|i| i % N < D) {
                let k = body.shapes.stiffness[(index, index)];
                lowest = lowest.min(k);
                highest = highest.max(k);
            }
        }
        if highest > 0.0 {
            (lowest * highest).sqrt()
        } else {
            1.0
        }
    }

    /// Half the largest extent of the initial poses and joint offsets, at least a micrometre.
    fn length_scale(&self) -> f64 {
        let mut lowest = self.poses[0].translation();
        let mut highest = lowest;
        let mut widen = |point: SVector<f64, D>| {
            lowest = lowest.inf(&point);
            highest = highest.sup(&point);
        };
        for pose in &self.poses {
            widen(pose.translation());
        }
        for joint in &self.joints {
            for attachment in [&joint.a, &joint.b] {
                let origin = match attachment.body {
                    Body::Node(node) => self.poses[node.0].compose(&attachment.frame),
                    _ => attachment.frame,
                };
                widen(origin.translation());
            }
        }
        (0.5 * (highest - lowest).amax()).max(1e-6)
    }
}

/// Joints that have no meaning in the plane.
fn needs_space(kind: &JointKind) -> bool {
    matches!(
        kind,
        JointKind::Universal
            | JointKind::Cylindrical
            | JointKind::Perpendicular
            | JointKind::PerpendicularUpright
            | JointKind::PointOnPlane
            | JointKind::Planar
            | JointKind::Screw { .. }
    )
}

/// Inertia matrix of a rigid body about a frame: mass [kg], centre of mass [m] in that frame, and
/// rotary inertia about the centre of mass [kg·m²] in the angular block of `rotary`.
pub fn rigid_inertia<G: Group<N, D>, const N: usize, const D: usize>(
    mass: f64,
    centre: SVector<f64, D>,
    rotary: SMatrix<f64, N, N>,
) -> SMatrix<f64, N, N> {
    let centre_map = G::linear_part() + G::cross(&centre);
    centre_map.tr_mul(&centre_map) * mass + rotary
}

/// Inertia of a planar rigid body: mass [kg], centre of mass [m], moment about it [kg·m²].
pub fn planar_inertia(mass: f64, centre: [f64; 2], moment: f64) -> SMatrix<f64, 3, 3> {
    let mut rotary = SMatrix::zeros();
    rotary[(2, 2)] = moment;
    rigid_inertia::<crate::group::Se2, 3, 2>(mass, SVector::from(centre), rotary)
}

/// Inertia of a spatial rigid body: mass [kg], centre of mass [m], inertia tensor about it
/// [kg·m²].
pub fn spatial_inertia(
    mass: f64,
    centre: [f64; 3],
    tensor: SMatrix<f64, 3, 3>,
) -> SMatrix<f64, 6, 6> {
    let mut rotary = SMatrix::<f64, 6, 6>::zeros();
    rotary.fixed_view_mut::<3, 3>(3, 3).copy_from(&tensor);
    rigid_inertia::<crate::group::Se3, 6, 3>(mass, SVector::from(centre), rotary)
}
