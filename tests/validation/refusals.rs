//! Bad input: the right error, naming body or joint, time, iteration and residual.

use multibody::Error;
use multibody::dynamics::{self, Control, StepSettings};
use multibody::element::Rayleigh;
use multibody::group::{Group, Se2, Se3};
use multibody::model::{
    Attachment, Axes, BeamSpec, Force, Held, Inputs, JointKind, LineLaw, Location, Material,
    ModelBuilder, NodeId, PlanarModel, PointOn, Section, Signal, Signals, planar_inertia,
    spatial_inertia,
};
use multibody::state::State;
use multibody::statics::{self, ContinuationSettings, Path, StaticSettings};
use multibody::workspace::Workspace;
use nalgebra::{Matrix3, SMatrix, Vector2, Vector3};
use softdock_validation::models::{Cantilever, PinnedLeaf, held, leaf_section, swinging_leaf};

type Plane = ModelBuilder<Se2, 3, 2>;

fn rod(builder: &mut Plane) -> NodeId {
    builder.rigid_body(
        "rod",
        Se2::new(0.5, 0.0, 0.0),
        planar_inertia(1.0, [0.0; 2], 0.1),
    )
}

fn pin(builder: &mut Plane, name: &str, node: NodeId) {
    builder.joint(
        name,
        JointKind::Revolute,
        Attachment::ground(Se2::identity()),
        Attachment::node(node, Se2::new(-0.5, 0.0, 0.0)),
    );
}

/// A rod on a pin with a force on it given by the one input.
fn pushed_rod() -> PlanarModel {
    let mut builder = Plane::new();
    let node = rod(&mut builder);
    pin(&mut builder, "pin", node);
    let push = builder.input("push");
    builder.wrench(Force::Wrench {
        name: "push".into(),
        node,
        point: Vector2::zeros(),
        axes: Axes::World,
        force: [None, Some(push)],
        moment: [None; 3],
    });
    builder.build().unwrap()
}

/// The error of consistent initial values, with everything at rest.
fn initial_error<G: Group<N, D>, const N: usize, const D: usize>(
    builder: ModelBuilder<G, N, D>,
) -> Error {
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    let mut workspace = Workspace::new(&model);
    let drive = Held(Inputs::zeros(model.input_count()));
    dynamics::initialize(&model, &mut state, &mut workspace, &drive).unwrap_err()
}

#[test]
fn a_joint_given_twice_is_singular_and_named() {
    let mut builder = Plane::new();
    let node = rod(&mut builder);
    pin(&mut builder, "first pin", node);
    pin(&mut builder, "second pin", node);
    let error = initial_error(builder);
    println!("{error}");
    let Error::Singular {
        time: 0.0,
        iteration: 1,
        location: Location::Joint(name, _),
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert!(name.ends_with("pin"));
}

#[test]
fn a_planar_loop_of_spatial_hinges_is_redundant_and_a_joint_is_named() {
    // Three bars in a plane with four parallel hinges: 3·6 − 4·5 = −2 degrees of freedom by count,
    // one in truth, so three constraints are redundant.
    let mut builder = ModelBuilder::<Se3, 6, 3>::new();
    let inertia = spatial_inertia(1.0, [0.0; 3], Matrix3::identity() * 0.1);
    let at = |x: f64, y: f64| Se3::from_translation(Vector3::new(x, y, 0.0));
    let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)];
    let bars: Vec<NodeId> = (0..3)
        .map(|i| {
            let (x, y) = corners[i];
            builder.rigid_body(&format!("bar {i}"), at(x, y), inertia)
        })
        .collect();
    for (i, (x, y)) in corners.into_iter().enumerate() {
        let a = match i {
            0 => Attachment::ground(at(x, y)),
            _ => Attachment::node(bars[i - 1], at(x - corners[i - 1].0, y - corners[i - 1].1)),
        };
        let b = match i {
            3 => Attachment::ground(at(x, y)),
            _ => Attachment::node(bars[i], Se3::identity()),
        };
        builder.joint(&format!("hinge {i}"), JointKind::Revolute, a, b);
    }
    let error = initial_error(builder);
    println!("{error}");
    let Error::Singular {
        location: Location::Joint(name, _),
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert!(name.starts_with("hinge"));
}

#[test]
fn a_joint_that_does_not_fit_is_inconsistent_and_named() {
    let mut builder = Plane::new();
    let node = rod(&mut builder);
    builder.joint(
        "misplaced pin",
        JointKind::Revolute,
        Attachment::ground(Se2::new(0.0, 0.25, 0.0)),
        Attachment::node(node, Se2::new(-0.5, 0.0, 0.0)),
    );
    let error = initial_error(builder);
    let Error::Inconsistent {
        time: 0.0,
        location,
        violation,
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(location, &Location::Joint("misplaced pin".into(), 1));
    assert!((violation - 0.25).abs() < 1e-12);
}

#[test]
fn a_body_that_nothing_holds_has_no_equilibrium_and_is_named() {
    let mut builder = Plane::new();
    let node = rod(&mut builder);
    pin(&mut builder, "pin", node);
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    let mut workspace = Workspace::new(&model);
    let settings = StaticSettings::default();
    let error = statics::solve(&model, &mut state, &mut workspace, &settings).unwrap_err();
    println!("{error}");
    let Error::Singular {
        time: 0.0,
        iteration: 1,
        location,
        ..
    } = error
    else {
        panic!("{error}")
    };
    assert!(matches!(location, Location::Body(name) if name == "rod"));
}

#[test]
fn lengths_stiffnesses_and_masses_without_meaning_are_named() {
    let section = leaf_section().unwrap();
    let spec = BeamSpec::straight(0.5, 4, section);
    let refusal = |change: &dyn Fn(&mut BeamSpec<3, 2>)| {
        let mut builder = Plane::new();
        let mut spec = spec.clone();
        change(&mut spec);
        builder.beam("leaf", Se2::identity(), &spec);
        builder.build().unwrap_err().to_string()
    };
    type Change<'a> = &'a dyn Fn(&mut BeamSpec<3, 2>);
    let cases: [(Change, &str); 10] = [
        (&|s| s.length = 0.0, "leaf: length = 0 is not allowed"),
        (&|s| s.length = -1.0, "leaf: length = -1 is not allowed"),
        (
            &|s| s.length = f64::NAN,
            "leaf: length = NaN is not allowed",
        ),
        (&|s| s.elements = 0, "leaf: elements = 0 is not allowed"),
        (
            &|s| s.section.stiffness[(2, 2)] = -1.0,
            "leaf: stiffness must be symmetric and positive",
        ),
        (
            &|s| s.section.stiffness[(0, 1)] = 1e6,
            "leaf: stiffness must be symmetric",
        ),
        (
            &|s| s.section.mass_per_length = -0.1,
            "leaf: mass per length = -0.1",
        ),
        (
            &|s| s.section.stiffness[(0, 0)] = f64::INFINITY,
            "leaf: stiffness must be",
        ),
        (
            &|s| s.rayleigh.stiffness = -1e-3,
            "leaf: stiffness damping = -0.001",
        ),
        (&|s| s.curvature[0] = f64::NAN, "leaf: curvature = NaN"),
    ];
    for (change, words) in cases {
        let message = refusal(change);
        assert!(message.starts_with(words), "{message}");
    }
    let soft = Material {
        youngs_modulus: -1.0,
        ..Material::titanium()
    };
    let error = Section::<3, 2>::rectangle(&soft, 1e-3, 1e-2).unwrap_err();
    assert!(matches!(
        error,
        Error::OutOfRange {
            quantity: "youngs_modulus",
            value: -1.0,
            ..
        }
    ));
    let flat = Section::<6, 3>::rectangle(&Material::titanium(), 0.0, 1e-2).unwrap_err();
    assert!(matches!(
        flat,
        Error::OutOfRange {
            quantity: "size along e2",
            value: 0.0,
            ..
        }
    ));
}

#[test]
fn springs_and_bodies_without_meaning_are_named() {
    type Change<'a> = &'a dyn Fn(&mut Plane, NodeId);
    let spring = |stiffness, rest_length, damping| LineLaw::SpringDamper {
        stiffness,
        rest_length,
        damping,
    };
    let line = |builder: &mut Plane, node: NodeId, law: LineLaw| {
        builder.line(
            "spring",
            PointOn::ground(Vector2::zeros()),
            PointOn::node(node, Vector2::zeros()),
            law,
        );
    };
    let cases: [(Change, &str); 7] = [
        (
            &|b, n| line(b, n, spring(-1.0, 0.1, 0.0)),
            "spring: stiffness = -1",
        ),
        (
            &|b, n| line(b, n, spring(1.0, f64::NAN, 0.0)),
            "spring: rest length = NaN",
        ),
        (
            &|b, n| line(b, n, spring(1.0, 0.1, -2.0)),
            "spring: damping = -2",
        ),
        (
            &|b, n| {
                b.point_mass(n, Vector2::zeros(), -1.0);
            },
            "point mass: mass = -1",
        ),
        (
            &|b, n| {
                b.attach_inertia(n, SMatrix::from_diagonal(&Vector3::new(1.0, 1.0, -1.0)));
            },
            "rod: inertia must be symmetric and positive semidefinite",
        ),
        (
            &|b, _| {
                b.gravity(Vector2::new(0.0, f64::NAN));
            },
            "model: gravity = NaN",
        ),
        (
            &|b, n| {
                let here = Attachment::node(n, Se2::identity());
                b.joint("loop", JointKind::Revolute, here, here);
            },
            "loop: a joint cannot connect a body with itself",
        ),
    ];
    for (change, words) in cases {
        let mut builder = Plane::new();
        let node = rod(&mut builder);
        change(&mut builder, node);
        let message = builder.build().unwrap_err().to_string();
        assert!(message.starts_with(words), "{message}");
    }
}

#[test]
fn joints_that_need_space_are_refused_in_the_plane() {
    let mut builder = Plane::new();
    let node = rod(&mut builder);
    builder.joint(
        "yoke",
        JointKind::Universal,
        Attachment::ground(Se2::identity()),
        Attachment::node(node, Se2::identity()),
    );
    let error = builder.build().unwrap_err();
    assert_eq!(
        error,
        Error::SpatialOnly {
            joint: "yoke".into(),
            kind: "universal"
        }
    );
}

#[test]
fn a_force_that_is_not_a_number_names_the_body_and_the_time() {
    let model = pushed_rod();
    let mut workspace = Workspace::new(&model);
    let start = |value: f64| {
        let mut state = State::new(&model);
        state.inputs.value[0] = value;
        state
    };
    let rod = Location::Body("rod".into());
    let error = statics::solve(
        &model,
        &mut start(f64::NAN),
        &mut workspace,
        &StaticSettings::default(),
    )
    .unwrap_err();
    assert_eq!(
        error,
        Error::NotFinite {
            time: 0.0,
            iteration: 1,
            location: rod.clone()
        }
    );
    let drive = Held(Inputs::constant(&[f64::INFINITY]));
    let error = dynamics::initialize(&model, &mut start(0.0), &mut workspace, &drive).unwrap_err();
    assert_eq!(
        error,
        Error::NotFinite {
            time: 0.0,
            iteration: 1,
            location: rod.clone()
        }
    );
    // A force that breaks later: the time of the step that meets it, and the state before it.
    let mut state = start(1.0);
    let drive = Signals(vec![Signal::Step {
        time: 0.0095,
        before: 1.0,
        after: f64::NAN,
    }]);
    let settings = StepSettings::default();
    dynamics::initialize(&model, &mut state, &mut workspace, &drive).unwrap();
    let control = Control::Fixed {
        step: 1e-3,
        smallest: 1e-3,
    };
    let error = dynamics::advance(
        &model,
        &mut state,
        &mut workspace,
        &drive,
        1.0,
        &control,
        &settings,
    )
    .unwrap_err();
    let Error::StepTooSmall { time, cause, .. } = error else {
        panic!("{error}")
    };
    let Error::NotFinite {
        time: met,
        iteration: 1,
        location,
    } = *cause
    else {
        panic!("{cause}")
    };
    // A step ends where the force breaks; the next one meets it.
    assert!((time - 0.0095).abs() < 1e-12 && met > time && met < 0.0106);
    assert_eq!(location, rod);
    assert!(state.poses.iter().all(|pose| pose.angle().is_finite()));
}

#[test]
fn an_equilibrium_not_found_tells_iterations_and_residual() {
    let spec = BeamSpec::straight(0.5, 5, leaf_section().unwrap());
    let beam = Cantilever::<Se2, 3, 2>::new(Se2::identity(), &spec, Vector2::zeros()).unwrap();
    let mut state = State::new(&beam.model);
    state.inputs.value[1] = 50.0;
    let mut workspace = Workspace::new(&beam.model);
    let settings = StaticSettings {
        max_iterations: 3,
        ..StaticSettings::default()
    };
    let error = statics::solve(&beam.model, &mut state, &mut workspace, &settings).unwrap_err();
    println!("{error}");
    let Error::NewtonDiverged {
        time: 0.0,
        iterations: 3,
        residual,
        location,
        correction,
        ..
    } = error
    else {
        panic!("{error}")
    };
    assert!(residual > 0.0 && residual.is_finite() && correction > 1e-10);
    assert!(matches!(location, Location::Body(name) if name.starts_with("beam[")));
}

#[test]
fn a_step_not_found_leaves_the_state_as_it_was() {
    let (leaf, mut state) = swinging_leaf(5, Rayleigh::default()).unwrap();
    let model = &leaf.model;
    let mut workspace = Workspace::new(model);
    let drive = held(&state);
    dynamics::initialize(model, &mut state, &mut workspace, &drive).unwrap();
    let before = state.clone();
    let settings = StepSettings {
        max_iterations: 2,
        tolerance: 1e-15,
        ..StepSettings::default()
    };
    let error =
        dynamics::step(model, &mut state, &mut workspace, &drive, 0.01, &settings).unwrap_err();
    println!("{error}");
    let Error::NewtonDiverged {
        time,
        step,
        iterations: 2,
        residual,
        ..
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!((time, step), (0.01, 0.01));
    assert!(residual.is_finite());
    assert_eq!(state, before);
    let control = Control::fixed(0.01);
    let error = dynamics::advance(
        model,
        &mut state,
        &mut workspace,
        &drive,
        1.0,
        &control,
        &StepSettings {
            tolerance: 1e-300,
            ..settings
        },
    )
    .unwrap_err();
    let Error::StepTooSmall {
        time: 0.0, cause, ..
    } = &error
    else {
        panic!("{error}")
    };
    assert!(matches!(**cause, Error::NewtonDiverged { .. }));
    assert_eq!(state, before);
}

#[test]
fn an_impossible_chord_stops_the_continuation_and_says_where() {
    let leaf = PinnedLeaf::<Se2, 3, 2>::new(Se2::identity(), 5, leaf_section().unwrap()).unwrap();
    let mut state = State::new(&leaf.model);
    let mut workspace = Workspace::new(&leaf.model);
    let inputs = |chord: f64, bow: f64| vec![0.0, chord, 0.0, -bow, bow];
    let settings = ContinuationSettings {
        smallest_step: 1e-4,
        ..ContinuationSettings::default()
    };
    let mut go = |from: Vec<f64>, to: Vec<f64>| {
        let path = Path { from, to };
        statics::load_to(
            &leaf.model,
            &mut state,
            &mut workspace,
            &path,
            &settings,
            |_, _| (),
        )
    };
    go(inputs(0.5, 0.0), inputs(0.5, 1.0)).unwrap();
    go(inputs(0.5, 1.0), inputs(0.4, 1.0)).unwrap();
    // Folded through itself: the ends of an element would turn by more than half a turn.
    let error = go(inputs(0.4, 1.0), inputs(-2.0, 1.0)).unwrap_err();
    println!("{error}");
    let Error::ContinuationStopped {
        reached,
        target: 1.0,
        steps,
        ..
    } = error
    else {
        panic!("{error}")
    };
    assert!(reached > 0.0 && reached < 1.0 && steps > 0);
}

#[test]
fn an_element_turned_too_far_is_named() {
    let spec = BeamSpec::straight(0.5, 2, leaf_section().unwrap());
    let beam = Cantilever::<Se2, 3, 2>::new(Se2::identity(), &spec, Vector2::zeros()).unwrap();
    let mut state = State::new(&beam.model);
    state.poses[2] = state.poses[2].compose(&Se2::new(0.0, 0.0, 3.0));
    let mut workspace = Workspace::new(&beam.model);
    let settings = StaticSettings::default();
    let error = statics::solve(&beam.model, &mut state, &mut workspace, &settings).unwrap_err();
    let Error::ElementTurnedTooFar {
        beam,
        element: 1,
        angle_rad,
        ..
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!(beam, "beam");
    assert!((angle_rad - 3.0).abs() < 1e-12);
}

#[test]
fn settings_without_meaning_are_named() {
    let model = pushed_rod();
    let mut state = State::new(&model);
    let mut workspace = Workspace::new(&model);
    let drive = Held(Inputs::zeros(1));
    dynamics::initialize(&model, &mut state, &mut workspace, &drive).unwrap();
    let mut message = |control: Control, settings: StepSettings| {
        dynamics::advance(
            &model,
            &mut state,
            &mut workspace,
            &drive,
            1.0,
            &control,
            &settings,
        )
        .unwrap_err()
        .to_string()
    };
    let usual = StepSettings::default;
    let wild = StepSettings {
        spectral_radius: 1.5,
        ..usual()
    };
    assert!(message(Control::fixed(1e-3), wild).contains("spectral_radius = 1.5"));
    assert!(message(Control::fixed(0.0), usual()).contains("step = 0"));
    assert!(message(Control::fixed(f64::NAN), usual()).contains("step = NaN"));
}
