//! The assembled tangent against finite differences, on models with everything in them.

#![allow(clippy::unwrap_used)]

use super::{ConstraintLevel, Motion, Task, Weights, assemble, assemble_rhs, inputs};
use crate::contact::{ContactPair, ContactParts, Friction, Mounts, NormalForce, NormalLaw};
use crate::element::Rayleigh;
use crate::group::{Group, Se2, Se3};
use crate::linear_solver::System;
use crate::model::*;
use crate::state::State;
use nalgebra::{DMatrix, SMatrix, SVector};

/// Relative error allowed: fourth-order differences with step 1e-3 leave about 1e-9 of the
/// largest entry, rounding less.
const TANGENT_TOLERANCE: f64 = 2e-8;
/// Torque limit of a motor that is told more [N·m].
const AT_THE_LIMIT: f64 = 0.5;
/// The right-hand side with and without tangent sums the same numbers in another order.
const RESIDUAL_ROUNDING: f64 = 1e-13;

/// A repeatable stream of numbers in [−1, 1].
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }

    fn vector<const N: usize>(&mut self, size: f64) -> SVector<f64, N> {
        SVector::from_fn(|_, _| size * self.next())
    }
}

fn add_forces<G: Group<N, D>, const N: usize, const D: usize>(
    builder: &mut ModelBuilder<G, N, D>,
    nodes: [NodeId; 3],
    hinge: JointId,
    torque_limit: f64,
) {
    let [body, first, last] = nodes;
    let point = |x: f64| SVector::<f64, D>::from_fn(|i, _| x + 0.1 * i as f64);
    let law = LineLaw::SpringDamper {
        stiffness: 30.0,
        rest_length: 0.2,
        damping: 3.0,
    };
    builder.line(
        "spring",
        PointOn::node(body, point(0.1)),
        PointOn::node(last, point(-0.2)),
        law,
    );
    let tendon = LineLaw::Tendon {
        stiffness: 50.0,
        rest_length: 0.1,
        damping_lengthening: 2.0,
        damping_shortening: 5.0,
        friction: 1.0,
        friction_speed: 0.5,
        slack_width: 100.0,
        rate_width: 2.0,
    };
    // The line is longer than its upper stop by far, the angle beyond one of its own.
    let stop = StopLaw {
        stiffness: 7.0,
        exponent: 1.5,
        restitution: 0.6,
        floor_speed: 2.0,
    };
    let winch = builder.input("winch");
    builder.stopped_line(
        "tendon",
        PointOn::ground(point(0.3)),
        PointOn::node(last, point(0.05)),
        tendon,
        Some(Stops::new(0.0, 1e-2, stop)),
        Some(winch),
    );
    let frame = |x: f64| G::exp(&SVector::from_fn(|i, _| x + 0.05 * i as f64));
    let matrix = |x: f64| SMatrix::from_fn(|i, j| if i == j { x } else { 0.1 * x });
    let bushing = Bushing {
        on_a: frame(0.1),
        on_b: frame(-0.2),
        stiffness: matrix(5.0),
        damping: matrix(0.4),
    };
    let bodies = [Body::Node(last), Body::Node(body)];
    builder.bushing("bushing", bodies, bushing);
    builder.cable(Cable {
        name: "cable".into(),
        points: vec![
            PointOn::node(body, point(0.4)),
            PointOn::ground(point(-0.7)),
            PointOn::node(last, point(0.2)),
            PointOn::node(first, point(-0.3)),
            PointOn::node(last, point(-0.5)),
        ],
        guide_friction: vec![0.2, 0.0, 0.3],
        stiffness: 20.0,
        rest_length: 0.1,
        damping: 1.5,
        transition_speed: 4.0,
        slack_width: 30.0,
    });
    // Everything lies behind this plane.
    let speed = builder.input("speed");
    let parts = ContactParts {
        points: vec![nalgebra::Vector3::new(0.1, -0.2, 0.0)],
        tip_radius: 0.05,
        features: vec![crate::contact::Feature::Plane { height: 20.0 }],
        normal: NormalForce::new(NormalLaw::Flores, 3.0, 1.5, 0.9, 1e-3),
        friction: Friction::Coulomb {
            coefficient: 0.3,
            transition_speed: 5.0,
        },
        mounts: Mounts {
            a: Se3::identity(),
            b: Se3::exp(&SVector::from([0.1, 0.2, 0.0, -1.5, 0.0, 0.0])),
        },
        steps_per_half_period: 10.0,
    };
    let pair = ContactPair::new(parts);
    let bodies = [Body::Node(last), Body::Node(body)];
    builder.surface_contact("contact", bodies, pair.clone(), vec![speed]);
    builder.surface_contact(
        "floor",
        [Body::Node(first), Body::Ground],
        pair,
        vec![speed],
    );
    builder.bushing("mount", [Body::Ground, Body::Node(last)], bushing);
    builder.stop("stop", hinge, Stops::new(9.0, 10.0, stop));
    builder.torsion("torsion", hinge, 4.0, 0.3, 0.7);
    let torque = builder.input("torque");
    let target = builder.input("target");
    let hold = Hold {
        target,
        stiffness: 6.0,
        damping: 0.4,
    };
    let law = MotorLaw {
        torque: Some(torque),
        hold: Some(hold),
        torque_limit,
        speed_line: Some(SpeedLine {
            stall_torque: 0.8 * torque_limit,
            no_load_speed: 9.0,
        }),
        friction: AxisFriction {
            curve: FrictionCurve::BrownMcphee {
                sliding: 0.4,
                breakaway: 0.9,
                transition_speed: 2.0,
            },
            viscous: 0.3,
        },
        rotor: Some(Rotor {
            inertia: 0.02,
            gear_ratio: 7.0,
        }),
        ..MotorLaw::default()
    };
    builder.motor("motor", hinge, law);
    for (name, axes, node) in [("dead", Axes::World, last), ("follower", Axes::Body, first)] {
        let mut channel = |what: &str| Some(builder.input(&format!("{name} {what}")));
        let force = core::array::from_fn(|_| channel("force"));
        let moment = [channel("m1"), channel("m2"), channel("m3")];
        builder.wrench(Force::Wrench {
            name: name.into(),
            node,
            point: point(0.07),
            axes,
            force,
            moment,
        });
    }
}

/// Laws on every kind of coordinate, each of coordinate, rate and an input.
fn add_laws<G: Group<N, D>, const N: usize, const D: usize>(
    builder: &mut ModelBuilder<G, N, D>,
    [body, first, last]: [NodeId; 3],
    hinge: JointId,
) {
    let point = |x: f64| SVector::<f64, D>::from_fn(|i, _| x - 0.2 * i as f64);
    let offset = |body: Body, other: NodeId| Coordinate::Offset {
        body,
        origin: point(0.1),
        direction: point(0.6).normalize(),
        point: PointOn::node(other, point(0.3)),
    };
    let coordinates = [
        Coordinate::Distance(
            PointOn::node(first, point(0.9)),
            PointOn::node(body, point(-0.4)),
        ),
        Coordinate::Angle(hinge),
        offset(Body::Node(body), last),
        offset(Body::Ground, first),
    ];
    for (i, coordinate) in coordinates.into_iter().enumerate() {
        let input = builder.input(&format!("law {i}"));
        // f = u sin(q) + 0.3 q̇ q².
        let law = Program::new(vec![
            Op::Variable(FIRST_INPUT + input.0),
            Op::Variable(0),
            Op::Call(Function::Sin),
            Op::Multiply,
            Op::Constant(0.3),
            Op::Variable(1),
            Op::Multiply,
            Op::Variable(0),
            Op::Constant(2.0),
            Op::Power,
            Op::Multiply,
            Op::Add,
        ]);
        builder.law(LawForce {
            name: format!("law {i}"),
            coordinate,
            acts_on: match coordinate {
                Coordinate::Offset {
                    body, point: on, ..
                } if i == 3 => Some(Coordinate::Offset {
                    body,
                    origin: point(-0.3),
                    direction: point(0.2).normalize(),
                    point: PointOn {
                        body: on.body,
                        point: point(-0.7),
                    },
                }),
                _ => None,
            },
            law: law.unwrap(),
            booking: Booking::Work,
        });
    }
}

/// Elements take shortcuts for a section whose stiffness is diagonal and whose centre is its
/// origin.
#[derive(Clone, Copy, PartialEq)]
enum Stiffness {
    /// With Rayleigh damping against the ground.
    Full,
    /// Without damping, for which the tangent of an element is made from fewer products; the motor
    /// is at its limit.
    Diagonal,
    /// Full, damped against a body that moves, with dampers of modes.
    Carried,
    /// Diagonal, bent like a strip, with Rayleigh damping.
    Strip,
}

fn section<const N: usize, const D: usize>(
    numbers: &mut Numbers,
    stiffness: Stiffness,
) -> Section<N, D> {
    let mut k = SMatrix::<f64, N, N>::from_fn(|_, _| 0.3 * numbers.next());
    k = k * k.transpose() + SMatrix::identity() * 2.0;
    let mut mass_centre = SVector::from_fn(|i, _| if i == 0 { 0.0 } else { 0.04 * i as f64 });
    if matches!(stiffness, Stiffness::Diagonal | Stiffness::Strip) {
        k = SMatrix::from_fn(|i, j| if i == j { 1.0 + 0.7 * i as f64 } else { 0.0 });
        mass_centre = SVector::zeros();
    }
    let mut rotary = SMatrix::zeros();
    for i in D..N {
        rotary[(i, i)] = 0.1 + 0.05 * i as f64;
    }
    Section {
        stiffness: k,
        mass_per_length: 1.3,
        mass_centre,
        rotary_inertia: rotary,
    }
}

/// A rigid body, a beam and every force; `joints` adds the joints that the group knows.
fn everything<G: Group<N, D>, const N: usize, const D: usize>(
    numbers: &mut Numbers,
    kinds: &[JointKind],
    stiffness: Stiffness,
) -> Model<G, N, D> {
    let mut builder = ModelBuilder::<G, N, D>::new();
    builder.gravity(SVector::from_fn(|i, _| 1.0 - 2.0 * i as f64));
    let mut frame = || G::exp(&numbers.vector::<N>(0.4));
    let (frame_a, frame_b, pose) = (frame(), frame(), frame());
    let mut rotary = SMatrix::zeros();
    for i in D..N {
        rotary[(i, i)] = 0.5 + 0.1 * i as f64;
    }
    let centre = SVector::from_fn(|i, _| 0.1 + 0.1 * i as f64);
    let inertia = rigid_inertia::<G, N, D>(2.0, centre, rotary);
    let body = builder.rigid_body("body", pose, inertia);
    let mut spec = BeamSpec::straight(0.9, 3, section(numbers, stiffness));
    if stiffness == Stiffness::Strip {
        let (width, thickness) = (1.0, 0.05_f64);
        let bending = spec.section.stiffness[(N - 1, N - 1)];
        spec.strip = Some(StripLaw {
            width,
            thickness,
            youngs_modulus: 12.0 * bending / (width * thickness.powi(3)),
            poisson_ratio: 0.45,
        });
    } else {
        spec.curvature = [0.4, -0.3, 0.5];
    }
    if stiffness == Stiffness::Carried {
        spec.reference = Body::Node(body);
        spec.modal = vec![0.7, 0.3]
            .into_iter()
            .map(|coefficient| ModalDamper {
                coefficient,
                weights: (0..3).map(|_| numbers.vector(1.0)).collect(),
            })
            .collect();
    }
    if stiffness != Stiffness::Diagonal {
        spec.rayleigh = Rayleigh {
            mass: 0.8,
            stiffness: 0.05,
        };
    }
    let beam = builder.beam("beam", frame_b, &spec);
    let (first, last) = (builder.beam_node(beam, 0), builder.beam_end(beam));
    builder.point_mass(last, SVector::from_fn(|i, _| 0.1 * i as f64), 0.7);
    let hinge = builder.joint(
        "hinge",
        JointKind::Revolute,
        Attachment::node(body, frame_a),
        Attachment::node(first, frame_b),
    );
    for (i, kind) in kinds.iter().enumerate() {
        let b = if i % 2 == 0 { last } else { first };
        builder.joint(
            &format!("joint {i}"),
            *kind,
            Attachment::node(body, frame_b),
            Attachment::node(b, frame_a),
        );
    }
    let inputs: [InputId; N] = core::array::from_fn(|i| builder.input(&format!("frame {i}")));
    let moving = builder.moving_frame("moving", inputs);
    builder.joint(
        "to frame",
        JointKind::Fixed,
        Attachment {
            body: Body::Frame(moving),
            frame: frame_a,
        },
        Attachment::node(body, frame_b),
    );
    let angle = builder.input("angle");
    let hinged = (
        Attachment::node(body, frame_a),
        Attachment::node(first, frame_b),
    );
    builder.joint(
        "driver",
        JointKind::PrescribedAngle(angle),
        hinged.0,
        hinged.1,
    );
    let place = core::array::from_fn(|i| builder.input(&format!("place {i}")));
    builder.joint(
        "placed",
        JointKind::PrescribedPosition(place),
        Attachment::ground(frame_a),
        Attachment::node(last, frame_b),
    );
    let torque_limit = if stiffness == Stiffness::Diagonal {
        AT_THE_LIMIT
    } else {
        1e6
    };
    add_forces(&mut builder, [body, first, last], hinge, torque_limit);
    add_laws(&mut builder, [body, first, last], hinge);
    let length = builder.input("length");
    let (a, b) = (
        Attachment::node(body, frame_b),
        Attachment::node(last, frame_a),
    );
    builder.joint("rod", JointKind::Distance(length), a, b);
    builder.build().unwrap()
}

fn right_hand_side<const N: usize>(system: &System<N>) -> Vec<f64> {
    let nodes = system.node_rhs.iter().flat_map(|v| v.iter().copied());
    nodes.chain(system.row_rhs.iter().copied()).collect()
}

struct Trial<G, const N: usize> {
    state: State<G, N>,
    base: Vec<G>,
    velocities: Vec<SVector<f64, N>>,
    accelerations: Vec<SVector<f64, N>>,
    increments: Vec<SVector<f64, N>>,
}

impl<G, const N: usize> Trial<G, N> {
    fn random<const D: usize>(model: &Model<G, N, D>, numbers: &mut Numbers) -> Self
    where
        G: Group<N, D>,
    {
        let mut state = State::new(model);
        let count = model.node_count();
        for list in [
            &mut state.inputs.value,
            &mut state.inputs.rate,
            &mut state.inputs.acceleration,
        ] {
            list.iter_mut().for_each(|x| *x = 0.7 * numbers.next());
        }
        // A motor with a limit is told far more, so that no difference crosses the corner there.
        for force in &model.forces {
            if let Force::Motor { law, .. } = force
                && let Some(torque) = law.torque.filter(|_| law.torque_limit <= AT_THE_LIMIT)
            {
                state.inputs.value[torque.0] = 40.0;
            }
        }
        // Touches were fast, so that no contact is at the corner where its force would pull.
        for speed in model.surfaces.iter().flat_map(|contact| &contact.speeds) {
            state.inputs.value[*speed] = 30.0;
        }
        state
            .multipliers
            .iter_mut()
            .for_each(|x| *x = numbers.next());
        let mut list = |size: f64| -> Vec<SVector<f64, N>> {
            (0..count).map(|_| numbers.vector(size)).collect()
        };
        let (bend, velocities, accelerations, increments) =
            (list(0.15), list(0.8), list(0.6), list(0.2));
        let base = model
            .initial_poses
            .iter()
            .zip(&bend)
            .map(|(h, b)| h.compose(&G::exp(b)))
            .collect();
        Self {
            state,
            base,
            velocities,
            accelerations,
            increments,
        }
    }

    /// Right-hand side, and the dense matrix if asked for, at the current increments.
    fn evaluate<const D: usize>(
        &mut self,
        model: &Model<G, N, D>,
        task: &Task,
        system: &mut System<N>,
    ) -> (Vec<SMatrix<f64, N, N>>, Vec<f64>)
    where
        G: Group<N, D>,
    {
        let w = &task.weights;
        for i in 0..self.base.len() {
            let n = self.increments[i];
            self.state.poses[i] = self.base[i].compose(&G::exp(&n));
            self.state.velocities[i] = self.velocities[i] + n * w.damping;
            self.state.accelerations[i] = self.accelerations[i] + n * w.inertia;
        }
        let maps: Vec<_> = self
            .increments
            .iter()
            .map(|n| G::tangent_inverse(n))
            .collect();
        let motion: Motion<'_, G, N> = self.state.motion_with(&maps);
        assemble(model, &motion, task, system).unwrap();
        let rhs = right_hand_side(system);
        let mut alone = system.clone();
        assemble_rhs(model, &motion, task, &mut alone).unwrap();
        for (a, b) in rhs.iter().zip(right_hand_side(&alone)) {
            assert!(
                (a - b).abs() <= RESIDUAL_ROUNDING * (1.0 + a.abs()),
                "{a} {b}"
            );
        }
        (maps, rhs)
    }
}

/// Fourth-order central difference of `f` at 0 along step `h`.
fn differentiate(h: f64, mut f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let values = [f(-2.0 * h), f(-h), f(h), f(2.0 * h)];
    (0..values[0].len())
        .map(|i| {
            let v = |k: usize| values[k][i];
            (8.0 * (v(2) - v(1)) - (v(3) - v(0))) / (12.0 * h)
        })
        .collect()
}

fn tangent_error<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    seed: u64,
    task: &Task,
) -> f64 {
    let mut numbers = Numbers(seed);
    let mut trial = Trial::random(model, &mut numbers);
    let mut system = System::new(&model.layout);
    let (maps, _) = trial.evaluate(model, task, &mut system);
    let dense: DMatrix<f64> = system.to_dense(&model.layout);
    let unknowns = N * model.node_count();
    let scale = dense.amax();
    let mut worst: f64 = 0.0;
    for column in 0..unknowns {
        let (node, component) = (column / N, column % N);
        let direction: SVector<f64, N> = maps[node].column(component).into();
        let start = trial.increments[node];
        let slope = differentiate(1e-3, |x| {
            trial.increments[node] = start + direction * x;
            trial.evaluate(model, task, &mut system).1
        });
        trial.increments[node] = start;
        for (row, value) in slope.iter().enumerate() {
            worst = worst.max((dense[(row, column)] + value).abs() / scale);
        }
    }
    for row in 0..model.row_count {
        let start = trial.state.multipliers[row];
        let slope = differentiate(1e-3, |x| {
            trial.state.multipliers[row] = start + x * task.constraint_scale;
            trial.evaluate(model, task, &mut system).1
        });
        trial.state.multipliers[row] = start;
        for (i, value) in slope.iter().enumerate().take(unknowns) {
            worst = worst.max((dense[(i, unknowns + row)] + value).abs() / scale);
        }
    }
    worst
}

fn input_error<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    seed: u64,
    task: &Task,
) -> f64 {
    let mut trial = Trial::random(model, &mut Numbers(seed));
    // Rates of the inputs are held while a value is varied.
    let mut system = System::new(&model.layout);
    let mut worst: f64 = 0.0;
    for channel in 0..model.input_count() {
        trial.evaluate(model, task, &mut system);
        inputs::input_column(
            model,
            &trial.state.motion(),
            channel,
            task.constraint_scale,
            &mut system,
        );
        let column = right_hand_side(&system);
        let start = trial.state.inputs.value[channel];
        let slope = differentiate(1e-3, |x| {
            trial.state.inputs.value[channel] = start + x;
            trial.evaluate(model, task, &mut system).1
        });
        trial.state.inputs.value[channel] = start;
        for (a, b) in column.iter().zip(&slope) {
            worst = worst.max((a - b).abs());
        }
    }
    worst
}

const PLANAR_KINDS: &[JointKind] = &[
    JointKind::Prismatic,
    JointKind::Fixed,
    JointKind::Spherical,
    JointKind::PointOnLine,
    JointKind::Rolling { radius: 0.7 },
    JointKind::Meshing { ratio: 1.3 },
    JointKind::Proportional {
        weights: [0.4, -0.7, 1.3, 0.0, 0.0, 0.0],
    },
];
const SPATIAL_KINDS: &[JointKind] = &[
    JointKind::Prismatic,
    JointKind::Fixed,
    JointKind::Spherical,
    JointKind::Universal,
    JointKind::Cylindrical,
    JointKind::Perpendicular,
    JointKind::PerpendicularUpright,
    JointKind::PointOnLine,
    JointKind::PointOnPlane,
    JointKind::Planar,
    JointKind::Screw { lead: 0.9 },
    JointKind::Meshing { ratio: 0.3 },
    JointKind::Proportional {
        weights: [0.4, -0.7, 1.3, 0.9, -0.2, 0.6],
    },
];

fn tasks() -> [Task; 3] {
    let dynamic = |stiffness, damping, inertia| Task {
        weights: Weights {
            stiffness,
            damping,
            inertia,
        },
        dynamic: true,
        level: ConstraintLevel::Position,
        constraint_scale: 1.7,
    };
    [
        dynamic(1.0, 2.0, 3.0),
        dynamic(1.0, 0.0, 0.0),
        Task::statics(0.6),
    ]
}

fn assert_tangents<G: Group<N, D>, const N: usize, const D: usize>(
    seed: u64,
    kinds: &[JointKind],
    trials: u64,
) {
    for stiffness in [
        Stiffness::Full,
        Stiffness::Diagonal,
        Stiffness::Carried,
        Stiffness::Strip,
    ] {
        let model = everything::<G, N, D>(&mut Numbers(seed), kinds, stiffness);
        for task in tasks() {
            for seed in 0..trials {
                let error = tangent_error(&model, seed, &task);
                assert!(
                    error < TANGENT_TOLERANCE,
                    "{task:?}, seed {seed}: {error:e}"
                );
            }
        }
    }
}

#[test]
fn planar_tangent_equals_finite_differences() {
    assert_tangents::<Se2, 3, 2>(1, PLANAR_KINDS, 5);
}

#[test]
fn spatial_tangent_equals_finite_differences() {
    assert_tangents::<Se3, 6, 3>(2, SPATIAL_KINDS, 3);
}

#[test]
fn input_columns_equal_finite_differences() {
    let planar = everything::<Se2, 3, 2>(&mut Numbers(1), PLANAR_KINDS, Stiffness::Full);
    let spatial = everything::<Se3, 6, 3>(&mut Numbers(2), SPATIAL_KINDS, Stiffness::Full);
    let task = tasks()[0];
    let limited = everything::<Se2, 3, 2>(&mut Numbers(1), PLANAR_KINDS, Stiffness::Diagonal);
    for seed in 0..3 {
        let error = input_error(&planar, seed, &task)
            .max(input_error(&spatial, seed, &task))
            .max(input_error(&limited, seed, &task));
        assert!(error < TANGENT_TOLERANCE, "seed {seed}: {error:e}");
    }
}
