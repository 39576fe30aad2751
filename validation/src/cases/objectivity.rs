//! Nothing depends on where the mechanism stands and how it is turned.
//!
//! *Congruence*: the thesis' cantilever, horizontal and tilted with its loads. *Invariance*: a
//! crank on a sprung hinge, a pre-curved leaf with a mass and a pendulum at its end, a tendon and a
//! dead load, in the plane and in space; the same mechanism moved by a rigid motion must show the
//! same deformation, velocities, multipliers, section forces and energies, at rest and in motion.
//!
//! A frame that moves steadily is another matter: velocities in body axes make the *discrete*
//! motion depend on the speed of the observer by an error of the method's own order.

use super::modes::frequencies;
use super::statics::aluminium_spec;
use crate::error::Result;
use crate::models::{Cantilever, held, leaf_section};
use crate::sources::OBJECTIVITY;
use crate::{Case, Demand, Quantity};
use core::f64::consts::FRAC_PI_2;
use multibody::dynamics::{self, Control, StepSettings};
use multibody::group::{Group, Se2, Se3};
use multibody::model::{
    Attachment, Axes, BeamId, BeamSpec, Force, ForceId, Held, Inputs, JointKind, LineLaw, Material,
    Model, ModelBuilder, PointOn, Section, rigid_inertia,
};
use multibody::results;
use multibody::state::State;
use multibody::statics::{self, StaticSettings};
use multibody::workspace::Workspace;
use nalgebra::{SMatrix, SVector, Vector2, Vector3};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "tilted and horizontal mesh",
        source: OBJECTIVITY,
        quantities: &[
            rounding("static deflection, relative difference"),
            rounding("tip in free vibration, 0.02 s, / L"),
            rounding("first five frequencies, relative difference"),
        ],
        ours: congruence,
    },
    Case {
        name: "superposed rigid motion",
        source: OBJECTIVITY,
        quantities: &[
            rounding("shape and rates, at rest and after 0.5 s, plane"),
            rounding("shape and rates, at rest and after 0.5 s, space"),
            forces("forces and energies, the same, plane"),
            forces("forces and energies, the same, space"),
            Quantity {
                name: "free flight at 3 m/s against rest, 1 ms",
                unit: "",
                demand: Demand::AtMost(1e-6),
                reason: "the discrete motion feels the observer's speed, by less than its error",
            },
            Quantity {
                name: "the same, 0.1 ms",
                unit: "",
                demand: Demand::AtMost(1e-8),
                reason: "and the less, by the square, the smaller the step",
            },
        ],
        ours: invariance,
    },
];

const fn rounding(name: &'static str) -> Quantity {
    Quantity {
        name,
        unit: "",
        demand: Demand::AtMost(1e-9),
        reason: "exact up to rounding, amplified by the condition of a slender beam (1e5) and by \
                 the steps",
    }
}

const fn forces(name: &'static str) -> Quantity {
    Quantity {
        name,
        unit: "",
        demand: Demand::AtMost(1e-7),
        reason: "rounding of positions of 2 m over an element of 0.08 m is a strain of 5e-15, with \
                 EA = 1e7 N a force of 5e-8 N among forces of 10 N",
    }
}

const ELEMENTS: usize = 6;
const TILT: f64 = 0.65;

fn congruence() -> Result<Vec<Vec<f64>>> {
    let [flat, tilted] = [0.0, TILT].map(tilted_cantilever);
    let (flat, tilted) = (flat?, tilted?);
    let length = aluminium_spec(1)?.length;
    let deflection = (flat.0 - tilted.0).norm() / flat.0[1].abs();
    let spec = aluminium_spec(10)?;
    let level = frequencies(Se2::identity(), &spec, 5)?;
    let sloping = frequencies(Se2::new(1.0, 2.0, TILT), &spec, 5)?;
    let shift = |(a, b): (&f64, &f64)| (a / b - 1.0).abs();
    Ok(vec![
        vec![deflection],
        vec![(flat.1 - tilted.1).norm() / length],
        level.iter().zip(&sloping).map(shift).collect(),
    ])
}

/// Static tip position under 5 N and gravity, and tip position 0.02 s after the load is taken
/// away, both in the axes of the tilted root.
fn tilted_cantilever(tilt: f64) -> Result<(Vector2<f64>, Vector2<f64>)> {
    let root = Se2::new(0.3 * tilt, -0.2 * tilt, tilt);
    let down = root.rotation() * Vector2::new(0.0, -1.0);
    let beam = Cantilever::<Se2, 3, 2>::new(root, &aluminium_spec(10)?, down * 9.81)?;
    let tip = |state: &State<Se2, 3>| root.between(state.pose(beam.tip)).translation();
    let mut state = beam.loaded(&Cantilever::<Se2, 3, 2>::load(down * 5.0, 0.0))?;
    let deflected = tip(&state);
    let model = &beam.model;
    let mut workspace = Workspace::new(model);
    let drive = Held(Inputs::zeros(model.input_count()));
    dynamics::initialize(model, &mut state, &mut workspace, &drive)?;
    let (control, settings) = (Control::fixed(1e-4), StepSettings::default());
    dynamics::advance(
        model,
        &mut state,
        &mut workspace,
        &drive,
        0.02,
        &control,
        &settings,
    )?;
    Ok((deflected, tip(&state)))
}

/// A mechanism standing at `frame`.
struct Mechanism<G: Group<N, D>, const N: usize, const D: usize> {
    model: Model<G, N, D>,
    frame: G,
    leaf: BeamId,
    tendon: ForceId,
    load: Vec<f64>,
}

impl<G: Group<N, D>, const N: usize, const D: usize> Mechanism<G, N, D> {
    fn new(frame: G, section: Section<N, D>) -> Result<Self> {
        let mut builder = ModelBuilder::<G, N, D>::new();
        let vector = |values: [f64; 3]| SVector::<f64, D>::from_fn(|i, _| values[i]);
        let shift = |values: [f64; 3]| G::from_parts(vector(values), SMatrix::identity());
        builder.gravity(frame.rotation() * vector([1.0, -9.0, 2.0]));
        let mut rotary = SMatrix::zeros();
        for i in D..N {
            rotary[(i, i)] = 1e-3 * (1 + i) as f64;
        }
        let inertia = rigid_inertia::<G, N, D>(1.0, vector([0.01, 0.02, -0.01]), rotary);
        let crank = builder.rigid_body("crank", frame.compose(&shift([0.06, 0.0, 0.0])), inertia);
        let mut spec = BeamSpec::straight(0.5, ELEMENTS, section);
        spec.curvature = if D == 2 {
            [0.8, 0.0, 0.0]
        } else {
            [0.1, 0.05, 0.8]
        };
        spec.rayleigh = multibody::element::Rayleigh {
            mass: 0.5,
            stiffness: 1e-4,
        };
        let leaf = builder.beam("leaf", frame.compose(&shift([0.12, 0.0, 0.0])), &spec);
        let (root, tip) = (builder.beam_node(leaf, 0), builder.beam_end(leaf));
        builder.point_mass(tip, vector([0.0, 0.01, 0.0]), 0.05);
        let tip_pose = frame
            .compose(&shift([0.12, 0.0, 0.0]))
            .compose(&unstressed_end::<G, N, D>(&spec));
        let bob = builder.rigid_body(
            "bob",
            tip_pose.compose(&shift([0.0, -0.05, 0.0])),
            inertia * 0.1,
        );
        let hinge = builder.joint(
            "hinge",
            JointKind::Revolute,
            Attachment::ground(frame),
            Attachment::node(crank, shift([-0.06, 0.0, 0.0])),
        );
        builder.joint(
            "clamp",
            JointKind::Fixed,
            Attachment::node(crank, shift([0.06, 0.0, 0.0])),
            Attachment::node(root, G::identity()),
        );
        // The axes of a universal joint, e3 and e2, are to be across the pendulum.
        let mut turn = SVector::<f64, N>::zeros();
        turn[N - 1] = -FRAC_PI_2;
        let hanging = G::exp(&turn);
        builder.joint(
            "pendulum",
            if D == 2 {
                JointKind::Revolute
            } else {
                JointKind::Universal
            },
            Attachment::node(tip, hanging),
            Attachment::node(bob, shift([0.0, 0.05, 0.0]).compose(&hanging)),
        );
        builder.torsion("hinge spring", hinge, 30.0, 0.1, 0.2);
        let above = frame.translation() + frame.rotation() * vector([0.2, 0.4, 0.1]);
        let tendon = builder.line(
            "tendon",
            PointOn::ground(above),
            PointOn::node(tip, SVector::zeros()),
            LineLaw::tendon(50.0, 0.4, 1.0),
        );
        let force = core::array::from_fn(|_| Some(builder.input("force")));
        builder.wrench(Force::Wrench {
            name: "load".into(),
            node: tip,
            point: vector([0.02, 0.0, 0.01]),
            axes: Axes::World,
            force,
            moment: [None; 3],
        });
        let load = frame.rotation() * vector([1.0, 0.5, -0.3]);
        Ok(Self {
            model: builder.build()?,
            frame,
            leaf,
            tendon,
            load: load.as_slice().to_vec(),
        })
    }

    /// What an observer who moves with the frame sees: shape and rates; forces and energies.
    fn seen(&self, state: &State<G, N>) -> Result<[Vec<f64>; 2]> {
        let mut shape = Vec::new();
        for (pose, velocity) in state.poses.iter().zip(&state.velocities) {
            let relative = self.frame.between(pose);
            shape.extend(relative.translation().iter());
            shape.extend(relative.rotation().iter());
            shape.extend(velocity.iter());
        }
        let mut forces = Vec::new();
        for element in 0..ELEMENTS {
            let section = results::section(&self.model, state, self.leaf, element)?;
            forces.extend(section.wrench.iter());
        }
        if let Some(line) = results::line(&self.model, state, self.tendon) {
            shape.extend([line.length, line.rate]);
            forces.push(line.response.tension);
        }
        forces.extend(&state.multipliers);
        let energies = results::energy::energies(&self.model, state)?;
        forces.extend([energies.kinetic, energies.strain, energies.springs]);
        Ok([shape, forces])
    }

    /// What is seen in equilibrium under the load, and half a second after it is taken away.
    fn observe(&self) -> Result<[[Vec<f64>; 2]; 2]> {
        let mut state = State::new(&self.model);
        let mut workspace = Workspace::new(&self.model);
        state.inputs = Inputs::constant(&self.load);
        let settings = StaticSettings::default();
        statics::solve(&self.model, &mut state, &mut workspace, &settings)?;
        let rest = self.seen(&state)?;
        let drive = Held(Inputs::zeros(self.load.len()));
        dynamics::initialize(&self.model, &mut state, &mut workspace, &drive)?;
        let (control, settings) = (Control::fixed(1e-3), StepSettings::default());
        let model = &self.model;
        dynamics::advance(
            model,
            &mut state,
            &mut workspace,
            &drive,
            0.5,
            &control,
            &settings,
        )?;
        Ok([rest, self.seen(&state)?])
    }
}

/// End of an unstressed beam seen from its root.
fn unstressed_end<G: Group<N, D>, const N: usize, const D: usize>(spec: &BeamSpec<N, D>) -> G {
    let mut twist = SVector::<f64, N>::zeros();
    twist[0] = spec.length;
    for i in D..N {
        twist[i] = spec.length * spec.curvature[if D == 2 { 0 } else { i - D }];
    }
    G::exp(&twist)
}

/// Largest difference, relative to the largest value of its list or one.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let scale = a.iter().fold(1.0_f64, |s, x| s.max(x.abs()));
    let pairs = a.iter().zip(b);
    pairs.fold(0.0, |worst: f64, (x, y)| worst.max((x - y).abs())) / scale
}

/// Largest differences between a mechanism and its moved twin: in shape at rest and in motion,
/// and in forces.
fn moved<G: Group<N, D>, const N: usize, const D: usize>(
    motion: G,
    section: Section<N, D>,
) -> Result<[Vec<f64>; 2]> {
    let here = Mechanism::new(G::identity(), section)?.observe()?;
    let there = Mechanism::new(motion, section)?.observe()?;
    let compare = |list: usize| {
        here.iter()
            .zip(&there)
            .map(|(a, b)| difference(&a[list], &b[list]))
            .collect()
    };
    Ok([compare(0), compare(1)])
}

fn invariance() -> Result<Vec<Vec<f64>>> {
    // Four millimetres thick: stiff enough for Newton to find the equilibrium at once.
    let plane = Section::<3, 2>::rectangle(&Material::titanium(), 4e-3, 20e-3)?;
    let space = Section::<6, 3>::rectangle(&Material::titanium(), 4e-3, 20e-3)?;
    let [plane_shape, plane_forces] = moved(Se2::new(1.7, -0.9, 2.3), plane)?;
    let motion = Se3::new(Vector3::new(-0.8, 1.1, 2.0), Vector3::new(1.0, -1.5, 0.7));
    let [space_shape, space_forces] = moved(motion, space)?;
    let flight = |h: f64| -> Result<Vec<f64>> {
        let rest = free_leaf(Vector2::zeros(), h)?;
        Ok(vec![difference(
            &rest,
            &free_leaf(Vector2::new(3.0, 0.0), h)?,
        )])
    };
    Ok(vec![
        plane_shape,
        space_shape,
        plane_forces,
        space_forces,
        flight(1e-3)?,
        flight(1e-4)?,
    ])
}

/// Relative poses of a free leaf that turns and bends, 0.1 s after its start.
fn free_leaf(boost: Vector2<f64>, h: f64) -> Result<Vec<f64>> {
    let mut builder = ModelBuilder::<Se2, 3, 2>::new();
    let spec = BeamSpec::straight(0.5, ELEMENTS, leaf_section()?);
    let beam = builder.beam("leaf", Se2::identity(), &spec);
    let root = builder.beam_node(beam, 0);
    let model = builder.build()?;
    let mut state = State::new(&model);
    for (i, velocity) in state.velocities.iter_mut().enumerate() {
        let s = i as f64 / ELEMENTS as f64;
        // Rotation at 5 rad/s and a bending rate that vanishes at neither end.
        *velocity = Vector3::new(boost[0], boost[1] + 2.5 * s + s * s, 5.0 + 4.0 * s);
    }
    let mut workspace = Workspace::new(&model);
    let drive = held(&state);
    dynamics::initialize(&model, &mut state, &mut workspace, &drive)?;
    let control = Control::fixed(h);
    let settings = StepSettings {
        tolerance: 1e-13,
        ..StepSettings::default()
    };
    dynamics::advance(
        &model,
        &mut state,
        &mut workspace,
        &drive,
        0.1,
        &control,
        &settings,
    )?;
    let relative = |pose: &Se2| {
        let seen = state.pose(root).between(pose);
        [seen.translation()[0], seen.translation()[1], seen.angle()]
    };
    Ok(state.poses.iter().flat_map(relative).collect())
}
