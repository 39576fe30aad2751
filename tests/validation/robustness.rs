//! No panic is reachable from the public interface: random models with random numbers in them,
//! some of them absurd, are built, solved, stepped and asked for results. Errors are welcome.

use multibody::dynamics::{
    self, ConstraintHandling, Control, Projection, ProjectionWeight, StepSettings,
};
use multibody::element::{ElementKind, Rayleigh};
use multibody::group::{Group, Se2, Se3};
use multibody::linearize::{self, Coordinates, Output, Request};
use multibody::modal;
use multibody::model::{
    Attachment, Axes, BeamId, BeamSpec, Body, Drive, Force, ForceId, FrameId, Hold, InputId,
    Inputs, Interpolation, JointId, JointKind, LineLaw, Model, ModelBuilder, MotorLaw, NodeId,
    PointOn, Section, Signal, Signals,
};
use multibody::results;
use multibody::state::State;
use multibody::statics::{self, ContinuationSettings, Path, StaticSettings};
use multibody::workspace::Workspace;
use nalgebra::{DVector, SMatrix, SVector};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use softdock_validation::fourbar::{Bar, Branch, FourBar, FourBarData, PerBar, Start, Torques};
use softdock_validation::newmark;
use softdock_validation::runge_kutta::Tolerances;
use std::ops::ControlFlow;

/// Numbers and choices that a random model is made of, used over and over.
#[derive(Debug, Clone)]
struct Dice {
    numbers: Vec<f64>,
    choices: Vec<u8>,
    next_number: usize,
    next_choice: usize,
}

impl Dice {
    fn number(&mut self) -> f64 {
        self.next_number += 1;
        self.numbers[self.next_number % self.numbers.len()]
    }

    /// Positive and of the size of `scale`, unless the number is absurd.
    fn positive(&mut self, scale: f64) -> f64 {
        let x = self.number();
        if (-1.0..=1.0).contains(&x) {
            scale * (1.5 + x)
        } else {
            x
        }
    }

    fn choice(&mut self, below: usize) -> usize {
        self.next_choice += 1;
        usize::from(self.choices[self.next_choice % self.choices.len()]) % below.max(1)
    }

    fn often(&mut self) -> bool {
        self.choice(4) > 0
    }

    fn vector<const N: usize>(&mut self, size: f64) -> SVector<f64, N> {
        SVector::from_fn(|_, _| size * self.number())
    }

    fn frame<G: Group<N, D>, const N: usize, const D: usize>(&mut self) -> G {
        G::exp(&self.vector::<N>(0.5))
    }
}

/// Mostly numbers between −1 and 1, with a few absurd ones put in by `absurdities`.
fn dice() -> impl Strategy<Value = Dice> {
    let absurd = prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        Just(1e300),
        Just(-1e300),
        Just(1e-300),
        Just(-50.0),
        Just(1e9),
        Just(1e-12),
    ];
    let usual = prop_oneof![9 => -1.0..1.0_f64, 1 => Just(0.0)];
    let absurdities = prop_oneof![
        2 => Just(Vec::new()).boxed(),
        1 => vec((any::<usize>(), absurd), 1..4).boxed(),
    ];
    (vec(usual, 40..160), vec(any::<u8>(), 20..80), absurdities).prop_map(
        |(mut numbers, choices, absurdities)| {
            let count = numbers.len();
            for (place, value) in absurdities {
                numbers[place % count] = value;
            }
            Dice {
                numbers,
                choices,
                next_number: 0,
                next_choice: 0,
            }
        },
    )
}

/// What a random model consists of.
#[derive(Default)]
struct Parts {
    nodes: Vec<NodeId>,
    beams: Vec<BeamId>,
    joints: Vec<JointId>,
    hinges: Vec<JointId>,
    forces: Vec<ForceId>,
    inputs: Vec<InputId>,
    frames: Vec<FrameId>,
}

fn pick<T: Copy>(list: &[T], dice: &mut Dice) -> Option<T> {
    list.get(dice.choice(list.len())).copied()
}

struct RandomModel<G: Group<N, D>, const N: usize, const D: usize> {
    builder: ModelBuilder<G, N, D>,
    /// Poses of the nodes, to make joints that fit.
    poses: Vec<G>,
    parts: Parts,
}

impl<G: Group<N, D>, const N: usize, const D: usize> RandomModel<G, N, D> {
    fn new(dice: &mut Dice) -> Self {
        let mut out = Self {
            builder: ModelBuilder::new(),
            poses: Vec::new(),
            parts: Parts::default(),
        };
        out.builder.gravity(dice.vector::<D>(9.81));
        for i in 0..4 {
            let name = format!("input {i}");
            out.parts.inputs.push(out.builder.input(&name));
        }
        let inputs = core::array::from_fn(|i| out.parts.inputs[i % 4]);
        out.parts
            .frames
            .push(out.builder.moving_frame("frame", inputs));
        for _ in 0..dice.choice(3) {
            out.add_body(dice);
        }
        for _ in 0..dice.choice(2) + usize::from(out.poses.is_empty() && dice.often()) {
            out.add_beam(dice);
        }
        for _ in 0..dice.choice(4) {
            out.add_joint(dice);
        }
        for _ in 0..dice.choice(5) {
            out.add_force(dice);
        }
        out
    }

    fn add_body(&mut self, dice: &mut Dice) {
        let pose: G = dice.frame();
        let mut rotary = SMatrix::<f64, N, N>::zeros();
        for i in D..N {
            rotary[(i, i)] = dice.positive(0.1);
        }
        let (mass, centre) = (dice.positive(1.0), dice.vector::<D>(0.1));
        let inertia = multibody::model::rigid_inertia::<G, N, D>(mass, centre, rotary);
        self.parts
            .nodes
            .push(self.builder.rigid_body("body", pose, inertia));
        self.poses.push(pose);
    }

    fn add_beam(&mut self, dice: &mut Dice) {
        let root: G = dice.frame();
        let diagonal = SVector::<f64, N>::from_fn(|_, _| dice.positive(100.0));
        let mut rotary_inertia = SMatrix::zeros();
        for i in D..N {
            rotary_inertia[(i, i)] = dice.positive(1e-3);
        }
        let section = Section {
            stiffness: SMatrix::from_diagonal(&diagonal),
            mass_per_length: dice.positive(0.5),
            mass_centre: SVector::from_fn(|i, _| if i == 0 { 0.0 } else { 0.01 * dice.number() }),
            rotary_inertia,
        };
        let spec = BeamSpec {
            length: dice.positive(0.5),
            elements: dice.choice(8),
            section,
            curvature: [dice.number(), dice.number(), dice.number()],
            rayleigh: Rayleigh {
                mass: dice.positive(0.1),
                stiffness: dice.positive(1e-4),
            },
            reference: Body::Ground,
            modal: Vec::new(),
            kind: if dice.often() {
                ElementKind::LinearStrain
            } else {
                ElementKind::ConstantStrain
            },
            strip: None,
        };
        let beam = self.builder.beam("beam", root, &spec);
        self.parts.beams.push(beam);
        for i in [0, spec.elements / 2, spec.elements] {
            let node = self.builder.beam_node(beam, i);
            let mut strain = SVector::<f64, N>::zeros();
            strain[0] = 1.0;
            for j in D..N {
                strain[j] = spec.curvature[if D == 2 { 0 } else { j - D }];
            }
            let s = spec.length * i as f64 / spec.elements.max(1) as f64;
            self.poses.push(root.compose(&G::exp(&(strain * s))));
            self.parts.nodes.push(node);
        }
        let _ = self.builder.beam_end(beam);
        if let Some(node) = pick(&self.parts.nodes, dice) {
            self.builder
                .point_mass(node, dice.vector::<D>(0.1), dice.positive(0.1));
        }
    }

    /// A random attachment and where its frame is.
    fn attachment(&mut self, dice: &mut Dice) -> (Attachment<G>, G) {
        match dice.choice(5) {
            0 | 1 => {
                let frame: G = dice.frame();
                (Attachment::ground(frame), frame)
            }
            2 => {
                let frame: G = dice.frame();
                let body = Body::Frame(self.parts.frames[0]);
                (Attachment { body, frame }, frame)
            }
            _ => self.on_node(dice),
        }
    }

    /// A random attachment to a node, if there is one.
    fn on_node(&mut self, dice: &mut Dice) -> (Attachment<G>, G) {
        let frame: G = dice.frame();
        let index = dice.choice(self.parts.nodes.len());
        match self.parts.nodes.get(index) {
            None => (Attachment::ground(frame), frame),
            Some(&node) => (
                Attachment::node(node, frame),
                self.poses[index].compose(&frame),
            ),
        }
    }

    fn add_joint(&mut self, dice: &mut Dice) {
        let input = self.parts.inputs[dice.choice(4)];
        let others = [self.parts.inputs[0], self.parts.inputs[1]];
        let kinds = [
            JointKind::Revolute,
            JointKind::Spherical,
            JointKind::Prismatic,
            JointKind::Fixed,
            JointKind::PrescribedAngle(input),
            JointKind::PrescribedSlide(input),
            JointKind::PrescribedPosition([input, others[0], others[1]]),
            JointKind::Universal,
            JointKind::Cylindrical,
        ];
        let known = if D == 2 && dice.often() {
            7
        } else {
            kinds.len()
        };
        let kind = kinds[dice.choice(known)];
        let (a, place) = self.attachment(dice);
        let (mut b, _) = if dice.often() {
            self.on_node(dice)
        } else {
            self.attachment(dice)
        };
        if a.body == b.body && dice.often() {
            return;
        }
        // Most joints fit: B's frame is put where A's is.
        if let (Body::Node(node), true) = (b.body, dice.often())
            && let Some(index) = self.parts.nodes.iter().position(|n| *n == node)
        {
            b.frame = self.poses[index].between(&place);
        }
        let joint = self.builder.joint("joint", kind, a, b);
        self.parts.joints.push(joint);
        if matches!(kind, JointKind::Revolute | JointKind::Cylindrical) {
            self.parts.hinges.push(joint);
        }
    }

    fn two_points(&mut self, dice: &mut Dice) -> (PointOn<D>, PointOn<D>) {
        let (a, b) = (self.attachment(dice).0.body, self.on_node(dice).0.body);
        // A line to the body itself is refused: not too often.
        let a = if a == b && dice.often() {
            Body::Ground
        } else {
            a
        };
        let point = |body: Body, dice: &mut Dice| PointOn {
            body,
            point: dice.vector::<D>(0.2),
        };
        (point(a, dice), point(b, dice))
    }

    fn add_force(&mut self, dice: &mut Dice) {
        let input = self.parts.inputs[dice.choice(4)];
        let joints = if dice.often() {
            &self.parts.hinges
        } else {
            &self.parts.joints
        };
        let joint = pick(joints, dice);
        let node = pick(&self.parts.nodes, dice);
        let force = match (dice.choice(5), joint, node) {
            (0, Some(joint), _) => self.builder.torsion(
                "torsion",
                joint,
                dice.positive(1.0),
                dice.number(),
                dice.positive(0.1),
            ),
            (1, Some(joint), _) => {
                let hold = Hold {
                    target: input,
                    stiffness: dice.positive(1.0),
                    damping: dice.positive(0.1),
                };
                let law = MotorLaw {
                    torque: Some(input),
                    torque_limit: dice.positive(1.0),
                    hold: dice.often().then_some(hold),
                    ..MotorLaw::default()
                };
                self.builder.motor("motor", joint, law)
            }
            (2, _, Some(node)) => self.builder.wrench(Force::Wrench {
                name: "wrench".into(),
                node,
                point: dice.vector::<D>(0.1),
                axes: if dice.often() {
                    Axes::World
                } else {
                    Axes::Body
                },
                force: [Some(input); D],
                moment: [None, Some(input), Some(input)],
            }),
            (3, ..) => {
                let law = LineLaw::Tendon {
                    stiffness: dice.positive(10.0),
                    rest_length: dice.positive(0.2),
                    damping_lengthening: dice.positive(1.0),
                    damping_shortening: dice.positive(1.0),
                    friction: dice.positive(0.1),
                    friction_speed: dice.positive(0.1),
                    slack_width: dice.positive(0.1),
                    rate_width: dice.positive(0.1),
                };
                let (a, b) = self.two_points(dice);
                self.builder.line("tendon", a, b, law)
            }
            _ => {
                let law = LineLaw::SpringDamper {
                    stiffness: dice.positive(10.0),
                    rest_length: dice.positive(0.2),
                    damping: dice.positive(1.0),
                };
                let (a, b) = self.two_points(dice);
                self.builder.line("spring", a, b, law)
            }
        };
        self.parts.forces.push(force);
    }
}

fn signals(dice: &mut Dice) -> Signals {
    let signal = |dice: &mut Dice| match dice.choice(6) {
        0 => Signal::Constant(dice.number()),
        1 => Signal::Step {
            time: dice.number(),
            before: dice.number(),
            after: dice.number(),
        },
        2 => Signal::Ramp {
            start: dice.number(),
            duration: dice.number(),
            from: dice.number(),
            to: dice.number(),
        },
        3 => Signal::Sine {
            offset: dice.number(),
            amplitude: dice.number(),
            frequency: dice.positive(5.0),
            phase: dice.number(),
        },
        4 => Signal::Chirp {
            offset: dice.number(),
            amplitude: dice.number(),
            start_frequency: dice.positive(1.0),
            end_frequency: dice.positive(9.0),
            duration: dice.number(),
        },
        _ => Signal::Table {
            times: (0..dice.choice(4)).map(|_| dice.number()).collect(),
            values: (0..dice.choice(4)).map(|_| dice.number()).collect(),
            interpolation: [
                Interpolation::Linear,
                Interpolation::Cubic,
                Interpolation::Hold,
            ][dice.choice(3)],
        },
    };
    Signals((0..dice.choice(6)).map(|_| signal(dice)).collect())
}

/// Everything a state can be asked for.
fn look<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    parts: &Parts,
    dice: &mut Dice,
) {
    for &joint in &parts.joints {
        let _ = results::reaction(model, state, joint);
        let _ = results::joint_gap(model, state, joint);
        let _ = results::angle_rate(model, state, joint);
        let _ = state.angle(joint);
    }
    for &beam in &parts.beams {
        for element in [0, 1, 7, usize::MAX] {
            let _ = results::section(model, state, beam, element);
            let _ = model.beam_node(beam, element);
        }
        for s in [0.0, 0.1, dice.number(), dice.number()] {
            let _ = results::pose_at(model, state, beam, s);
        }
    }
    for &force in &parts.forces {
        let _ = results::line(model, state, force);
        let _ = results::torque(model, state, force);
        let law = LineLaw::tendon(dice.number(), dice.number(), dice.number());
        let _ = model.with_line_law(force, law);
    }
    for &node in &parts.nodes {
        let _ = (
            state.pose(node),
            state.velocity(node),
            model.node_name(node),
        );
        let point = PointOn::node(node, dice.vector::<D>(1.0));
        let _ = results::point_velocity(model, state, &point);
    }
    let _ = results::largest_gap(model, state);
    if let Ok(energies) = results::energy::energies(model, state) {
        let _ = state.ledger.residual(&energies);
    }
}

/// Modes, linearisation and linear time stepping about a state, be it in equilibrium or not.
fn vibrate<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    workspace: &mut Workspace<G, N>,
    parts: &Parts,
    dice: &mut Dice,
) {
    let _ = modal::modes(model, state, workspace, dice.choice(5));
    let _ = modal::damped_modes(model, state, workspace, dice.choice(5));
    let mut outputs = vec![];
    for &joint in &parts.joints {
        outputs.extend([Output::Angle(joint), Output::AngleRate(joint)]);
        outputs.push(Output::Multiplier {
            joint,
            row: dice.choice(4),
        });
    }
    for &node in &parts.nodes {
        let (point, component) = (dice.vector::<D>(0.1), dice.choice(4));
        outputs.push(Output::Position {
            node,
            point,
            component,
        });
        outputs.push(Output::Velocity {
            node,
            point,
            component,
        });
    }
    for &force in &parts.forces {
        outputs.extend([Output::LineLength(force), Output::LineTension(force)]);
    }
    outputs.retain(|_| dice.choice(3) == 0);
    let count = dice.choice(8);
    let coordinates = match dice.choice(3) {
        0 => Coordinates::NullSpace,
        1 => Coordinates::Angles(parts.hinges.clone()),
        _ => Coordinates::Modal {
            count,
            static_correction: dice.often(),
        },
    };
    let inputs = parts
        .inputs
        .iter()
        .copied()
        .filter(|_| dice.often())
        .collect();
    let request = Request {
        coordinates,
        inputs,
        outputs,
    };
    if let Ok(linear) = linearize::linearize(model, state, workspace, &request) {
        let _ = linear.state_of(model, state, state);
    }
    let Ok(reduction) = modal::reduce(model, state, workspace) else {
        return;
    };
    let system = &reduction.system;
    let vector = |dice: &mut Dice| {
        DVector::from_fn(system.order() + dice.choice(20) / 19, |_, _| dice.number())
    };
    let (position, velocity, force) = (vector(dice), vector(dice), vector(dice));
    let _ = newmark::static_response(system, &force);
    let Ok(scheme) = newmark::Scheme::newmark(0.25, dice.positive(0.5)) else {
        return;
    };
    let start = newmark::initial_state(system, dice.number(), position, velocity, &force);
    let stepper = newmark::Stepper::new(system, scheme, dice.positive(1e-3));
    if let (Ok(mut linear), Ok(mut stepper)) = (start, stepper) {
        let _ = stepper.step(&mut linear, |_, f| f.fill(1.0));
        let _ = newmark::energy(system, &linear);
    }
}

fn step_settings(dice: &mut Dice, nodes: &[NodeId]) -> StepSettings {
    let held = nodes
        .iter()
        .filter(|_| dice.choice(5) == 0)
        .map(|&node| dynamics::Held { node, component: 3 })
        .collect();
    StepSettings {
        spectral_radius: dice.number().abs(),
        tolerance: if dice.often() { 1e-8 } else { dice.number() },
        max_iterations: dice.choice(12),
        constraints: match dice.choice(3) {
            0 => ConstraintHandling::Position,
            1 => ConstraintHandling::Baumgarte {
                ratio: dice.positive(1.0),
                frequency: dice.positive(0.1),
            },
            _ => ConstraintHandling::Projection(Projection {
                weight: if dice.often() {
                    ProjectionWeight::Mass
                } else {
                    ProjectionWeight::Identity
                },
                held,
            }),
        },
    }
}

/// Solves, steps and looks, as far as errors allow.
fn exercise<G: Group<N, D>, const N: usize, const D: usize>(dice: &mut Dice) -> bool {
    let RandomModel { builder, parts, .. } = RandomModel::<G, N, D>::new(dice);
    let Ok(model) = builder.build() else {
        return false;
    };
    let mut workspace = Workspace::new(&model);
    let mut state = State::new(&model);
    let drive = signals(dice);
    drive.sample(dice.number(), &mut state.inputs);
    look(&model, &state, &parts, dice);
    let newton = StaticSettings {
        tolerance: 1e-8,
        max_iterations: dice.choice(12),
        largest_correction: dice.positive(0.5),
    };
    let mut equilibrium = state.clone();
    let _ = statics::solve(&model, &mut equilibrium, &mut workspace, &newton);
    look(&model, &equilibrium, &parts, dice);
    vibrate(&model, &equilibrium, &mut workspace, &parts, dice);
    let settings = ContinuationSettings {
        smallest_step: 1e-3,
        max_steps: 5,
        newton,
        ..ContinuationSettings::default()
    };
    let mut line = |count: usize| (0..count).map(|_| dice.number()).collect::<Vec<_>>();
    let path = Path {
        from: line(model.input_count()),
        to: line(model.input_count()),
    };
    let mut walker = state.clone();
    let _ = statics::load_to(
        &model,
        &mut walker,
        &mut workspace,
        &path,
        &settings,
        |_, _| (),
    );
    let mut walker = state.clone();
    let go_on = |_: &State<G, N>, _: &statics::PathPoint| ControlFlow::Continue(());
    let _ = statics::follow_path(&model, &mut walker, &mut workspace, &path, &settings, go_on);

    let settings = step_settings(dice, &parts.nodes);
    let projection = Projection::default();
    for velocity in &mut state.velocities {
        *velocity = dice.vector::<N>(0.3);
    }
    if dice.often() {
        let _ = dynamics::project_positions(&model, &mut state, &mut workspace, &projection);
        let _ = dynamics::project_velocities(&model, &mut state, &mut workspace, &projection);
    }
    let ready = dynamics::initialize(&model, &mut state, &mut workspace, &drive).is_ok();
    look(&model, &state, &parts, dice);
    let h = dice.positive(1e-3);
    for _ in 0..3 {
        let _ = dynamics::step(&model, &mut state, &mut workspace, &drive, h, &settings);
    }
    let end = state.time + 3.5e-3;
    for control in [
        Control::Fixed {
            step: 1e-3,
            smallest: 1e-4,
        },
        Control::Adaptive {
            first: 1e-3,
            tolerance: 1e-4,
            smallest: 1e-4,
            largest: 1e-2,
        },
    ] {
        let mut runner = state.clone();
        let to = &mut runner;
        let _ = dynamics::advance(&model, to, &mut workspace, &drive, end, &control, &settings);
        look(&model, &runner, &parts, dice);
    }
    ready
}

/// Fewer without optimisation, where a model takes a hundred times as long.
const CASES: u32 = if cfg!(debug_assertions) { 40 } else { 1500 };

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_random_planar_model_panics(mut dice in dice()) {
        exercise::<Se2, 3, 2>(&mut dice);
    }

    #[test]
    fn no_random_spatial_model_panics(mut dice in dice()) {
        exercise::<Se3, 6, 3>(&mut dice);
    }

    #[test]
    fn no_random_four_bar_panics(mut dice in dice()) {
        let bars = PerBar::from([0.12, 0.5, 0.19].map(|scale| Bar {
            length: dice.positive(scale),
            mass: dice.positive(1.0),
            inertia: dice.positive(0.01),
        }));
        let data = FourBarData {
            lower_pivot: [0.15 + 0.1 * dice.number(), 0.1 * dice.number()],
            upper_pivot: [0.1 * dice.number(), 0.4 + 0.1 * dice.number()],
            bars,
            gravity: [dice.number(), 9.81 * dice.number()],
        };
        if let Ok(four_bar) = FourBar::new(data) {
            let (q1, q1_rate) = (3.0 * dice.number(), 5.0 * dice.number());
            let branch = if dice.often() { Branch::Counterclockwise } else { Branch::Clockwise };
            if let Ok(configuration) = four_bar.assemble(q1, branch) {
                let torques = Torques { link1: dice.number(), link3: dice.number() };
                let accelerations = four_bar.accelerations(&configuration, q1_rate, torques);
                let _ = four_bar.reactions(&configuration, q1_rate, &accelerations, torques);
                let _ = four_bar.energy(&configuration, q1_rate);
            }
            let start = Start { q1, q1_rate, branch };
            let tolerances = Tolerances {
                relative: 1e-6,
                absolute: dice.positive(1e-6),
                largest_step: dice.positive(0.1),
                max_steps: 200,
            };
            let times = [0.0, dice.positive(0.1), dice.positive(1.0)];
            let _ = four_bar.simulate(&start, &times, &tolerances);
        }
    }

    #[test]
    fn no_random_signal_or_section_panics(mut dice in dice()) {
        let drive = signals(&mut dice);
        let mut inputs = Inputs::zeros(dice.choice(6));
        drive.sample(dice.number(), &mut inputs);
        let any = SMatrix::<f64, 6, 6>::from_fn(|_, _| dice.number());
        let _ = Section::<6, 3>::from_matrices(any * any.transpose(), any);
        let _ = Section::<6, 3>::from_matrices(any, any * any.transpose());
        let flat = SMatrix::<f64, 3, 3>::from_fn(|_, _| dice.number());
        let _ = Section::<3, 2>::from_matrices(flat, flat);
        let two = Rayleigh::from_two_modes(dice.number(), dice.number(), dice.number(), 0.1);
        let _ = two.ratio_at(dice.number());
        let twist = dice.vector::<6>(10.0);
        let pose = Se3::exp(&twist);
        let _ = (pose.log(), Se3::tangent(&twist), Se3::tangent_inverse(&twist));
        let _ = Se3::tangent_inverse_derivative(&twist, &twist);
    }
}

/// The property is worth little if most models are refused before anything happens.
#[test]
fn many_random_models_get_as_far_as_stepping() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = dice();
    let mut ready = 0;
    let rounds = CASES.min(400);
    for _ in 0..rounds {
        let mut dice = strategy.new_tree(&mut runner).unwrap().current();
        ready += usize::from(exercise::<Se2, 3, 2>(&mut dice));
        ready += usize::from(exercise::<Se3, 6, 3>(&mut dice));
    }
    println!("{ready} of {} random models could be stepped", 2 * rounds);
    assert!(ready as u32 > rounds / 3, "only {ready}");
}
