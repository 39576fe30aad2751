//! The linear model against finite differences of the nonlinear one.

#![allow(clippy::unwrap_used)]

use super::{Coordinates, LinearModel, Output, Request, linearize};
use crate::dynamics::{self, Projection};
use crate::element::Rayleigh;
use crate::error::Error;
use crate::group::{Group, Se2, Se3};
use crate::modal;
use crate::model::*;
use crate::results;
use crate::state::State;
use crate::statics::{self, StaticSettings};
use crate::workspace::Workspace;
use nalgebra::{Complex, DMatrix, DVector, SMatrix, SVector, Vector2, Vector3};

/// What the brief allows, relative to the largest entry of a column.
const ALLOWED: f64 = 1e-5;
/// Step of the fourth-order central differences [m, rad, m/s, N].
const STEP: f64 = 1e-4;

/// A model at an equilibrium with everything one can ask of it.
struct Case<G: Group<N, D>, const N: usize, const D: usize> {
    model: Model<G, N, D>,
    state: State<G, N>,
    inputs: Vec<InputId>,
    outputs: Vec<Output<D>>,
    hinges: Vec<JointId>,
}

impl<G: Group<N, D>, const N: usize, const D: usize> Case<G, N, D> {
    fn linear(&self, coordinates: Coordinates) -> LinearModel {
        let request = Request {
            coordinates,
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
        };
        let mut workspace = Workspace::new(&self.model);
        linearize(&self.model, &self.state, &mut workspace, &request).unwrap()
    }

    /// The nonlinear model at the constraint-consistent state nearest to `(z, ż)` with the inputs
    /// changed by `du`: derivative of the rates z̈, and the outputs.
    fn evaluate(&self, linear: &LinearModel, x: &DVector<f64>, du: &[f64]) -> DVector<f64> {
        let order = linear.order();
        let mut state = self.state.clone();
        let mut workspace = Workspace::new(&self.model);
        let psi = &linear.basis * x.rows(0, order);
        let rate = &linear.basis * x.rows(order, order);
        for (node, pose) in state.poses.iter_mut().enumerate() {
            *pose = pose.compose(&G::exp(&psi.fixed_rows::<N>(node * N).into()));
            state.velocities[node] = rate.fixed_rows::<N>(node * N).into();
        }
        for (input, change) in self.inputs.iter().zip(du) {
            state.inputs.value[input.0] += change;
        }
        let projection = Projection::default();
        let model = &self.model;
        dynamics::project_positions(model, &mut state, &mut workspace, &projection).unwrap();
        dynamics::project_velocities(model, &mut state, &mut workspace, &projection).unwrap();
        let drive = Held(state.inputs.clone());
        dynamics::initialize(model, &mut state, &mut workspace, &drive).unwrap();
        let accelerations = state.accelerations.iter().flat_map(|a| a.iter().copied());
        let v_dot = DVector::from_iterator(linear.basis.nrows(), accelerations);
        let z_ddot = &linear.reader * v_dot;
        let outputs = self
            .outputs
            .iter()
            .map(|output| observe(model, &state, output));
        DVector::from_iterator(
            order + self.outputs.len(),
            z_ddot.iter().copied().chain(outputs),
        )
    }

    /// Compares A, B, C, D with central differences, and returns the largest error.
    fn check(&self, coordinates: Coordinates) -> f64 {
        let linear = self.linear(coordinates);
        let (order, states, inputs) = (linear.order(), linear.a.nrows(), linear.b.ncols());
        let mut worst: f64 = 0.0;
        for column in 0..states + inputs {
            let evaluate = |sign: f64| {
                let (mut x, mut du) = (DVector::zeros(states), vec![0.0; inputs]);
                if column < states {
                    x[column] = sign * STEP;
                } else {
                    du[column - states] = sign * STEP;
                }
                self.evaluate(&linear, &x, &du)
            };
            let near = evaluate(1.0) - evaluate(-1.0);
            let far = evaluate(2.0) - evaluate(-2.0);
            let difference = (near * 8.0 - far) / (12.0 * STEP);
            let (rates, outputs) = if column < states {
                (linear.a.column(column), linear.c.column(column))
            } else {
                (
                    linear.b.column(column - states),
                    linear.d.column(column - states),
                )
            };
            let rates = rates.rows(order, order).into_owned();
            let miss = (&rates - difference.rows(0, order)).amax() / rates.amax().max(1e-3);
            worst = worst.max(miss);
            for (i, exact) in outputs.iter().enumerate() {
                let scale = linear.c.row(i).amax().max(linear.d.row(i).amax());
                let miss = (exact - difference[order + i]).abs() / scale;
                assert!(miss < ALLOWED, "{}: {miss:e}", linear.outputs[i].name);
                worst = worst.max(miss);
            }
            assert!(worst < ALLOWED, "column {column}: {worst:e}");
        }
        worst
    }
}

fn observe<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    output: &Output<D>,
) -> f64 {
    let line = |force| results::line(model, state, force).unwrap();
    match *output {
        Output::Angle(joint) => state.angle(joint),
        Output::AngleRate(joint) => results::angle_rate(model, state, joint),
        Output::Position {
            node,
            point,
            component,
        } => (state.pose(node).translation() + state.pose(node).rotation() * point)[component],
        Output::Velocity {
            node,
            point,
            component,
        } => results::point_velocity(model, state, &PointOn::node(node, point))[component],
        Output::LineLength(force) => line(force).length,
        Output::LineRate(force) => line(force).rate,
        Output::LineTension(force) => line(force).response.tension,
        Output::Multiplier { joint, row } => {
            state.multipliers[model.joints[joint.0].first_row + row]
        }
    }
}

/// A section of some softness: EA = 4e3, GA = 1.5e3, GJ = 3, EI = 6 and 9, 0.8 kg/m.
fn section<const N: usize, const D: usize>() -> Section<N, D> {
    let stiff = if D == 2 {
        vec![4e3, 1.5e3, 6.0]
    } else {
        vec![4e3, 1.5e3, 1.5e3, 3.0, 9.0, 6.0]
    };
    let mut rotary_inertia = SMatrix::zeros();
    for i in D..N {
        rotary_inertia[(i, i)] = 1e-3;
    }
    Section {
        stiffness: SMatrix::from_diagonal(&SVector::from_column_slice(&stiff)),
        mass_per_length: 0.8,
        mass_centre: SVector::zeros(),
        rotary_inertia,
    }
}

fn all_outputs<const D: usize>(
    hinge: JointId,
    line: ForceId,
    node: NodeId,
    rows: &[(JointId, usize)],
) -> Vec<Output<D>> {
    let point = SVector::from_fn(|i, _| 0.1 - 0.05 * i as f64);
    let mut outputs = vec![
        Output::Angle(hinge),
        Output::AngleRate(hinge),
        Output::LineLength(line),
        Output::LineRate(line),
        Output::LineTension(line),
    ];
    for component in 0..D {
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
    let rows = rows.iter();
    outputs.extend(rows.map(|&(joint, row)| Output::Multiplier { joint, row }));
    outputs
}

fn tendon() -> LineLaw {
    LineLaw::tendon(300.0, 0.3, 20.0)
}

fn solve<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    values: &[f64],
) -> State<G, N> {
    let mut state = State::new(model);
    state.inputs.value.copy_from_slice(values);
    let settings = StaticSettings::default();
    statics::solve(model, &mut state, &mut Workspace::new(model), &settings).unwrap();
    state
}

/// Four-bar with a flexible coupler under gravity, bowed by a tendon, crank and rocker on springs
/// and motors; a dead load and a held angle as further inputs.
fn four_bar() -> Case<Se2, 3, 2> {
    let mut builder = ModelBuilder::<Se2, 3, 2>::new();
    builder.gravity(Vector2::new(0.0, -9.81));
    let at = |x: f64, y: f64, angle: f64| {
        let turn = Se2::exp(&[0.0, 0.0, angle].into());
        Se2::from_parts(Vector2::new(x, y), turn.rotation())
    };
    let bar = |length: f64| planar_inertia(0.5, [0.5 * length, 0.0], 0.01);
    let crank = builder.rigid_body("crank", at(0.0, 0.0, 0.2), bar(0.3));
    let rocker = builder.rigid_body("rocker", at(0.0, 0.4, 0.1), bar(0.25));
    let (a, b) = (
        Vector2::new(0.3 * 0.2f64.cos(), 0.3 * 0.2f64.sin()),
        Vector2::new(0.25 * 0.1f64.cos(), 0.4 + 0.25 * 0.1f64.sin()),
    );
    let span = b - a;
    let mut spec = BeamSpec::straight(span.norm(), 4, section());
    spec.rayleigh = Rayleigh {
        mass: 0.3,
        stiffness: 2e-3,
    };
    let leaf = builder.beam("leaf", at(a.x, a.y, span.y.atan2(span.x)), &spec);
    let (first, middle, last) = (
        builder.beam_node(leaf, 0),
        builder.beam_node(leaf, 2),
        builder.beam_end(leaf),
    );
    let ground = |x: f64, y: f64| Attachment::ground(at(x, y, 0.0));
    let on = |node, x: f64| Attachment::node(node, at(x, 0.0, 0.0));
    let revolute = JointKind::Revolute;
    let o = builder.joint("O", revolute, ground(0.0, 0.0), on(crank, 0.0));
    let c = builder.joint("C", revolute, ground(0.0, 0.4), on(rocker, 0.0));
    let joint_a = builder.joint("A", revolute, on(crank, 0.3), on(first, 0.0));
    builder.joint("B", revolute, on(rocker, 0.25), on(last, 0.0));
    builder.torsion("spring O", o, 15.0, 0.2, 0.1);
    builder.torsion("spring C", c, 10.0, 0.1, 0.0);
    let line = builder.line(
        "tendon",
        PointOn::node(crank, Vector2::new(0.25, 0.02)),
        PointOn::node(last, Vector2::new(0.01, 0.0)),
        tendon(),
    );
    let torque = builder.input("torque");
    let target = builder.input("target");
    let push = builder.input("push");
    builder.motor("motor O", o, MotorLaw::torque(torque));
    let hold = Hold {
        target,
        stiffness: 3.0,
        damping: 0.0,
    };
    let law = MotorLaw {
        torque: None,
        hold: Some(hold),
        torque_limit: 50.0,
        ..MotorLaw::default()
    };
    builder.motor("motor C", c, law);
    builder.wrench(Force::Wrench {
        name: "push".into(),
        node: middle,
        point: Vector2::new(0.0, 0.03),
        axes: Axes::World,
        force: [Some(push), None],
        moment: [None; 3],
    });
    let model = builder.build().unwrap();
    let state = solve(&model, &[1.0, 0.2, 2.0]);
    let rows = [(o, 0), (o, 1), (joint_a, 0)];
    Case {
        outputs: all_outputs(o, line, middle, &rows),
        inputs: vec![torque, target, push],
        hinges: vec![o, c],
        model,
        state,
    }
}

/// R-U-leaf-S in space with a follower load on the leaf: the stiffness is not symmetric.
fn spatial_leg() -> Case<Se3, 6, 3> {
    let mut builder = ModelBuilder::<Se3, 6, 3>::new();
    builder.gravity(Vector3::new(0.0, -9.81, 1.0));
    let shift = |x: f64, y: f64| Se3::exp(&[x, y, 0.0, 0.0, 0.0, 0.0].into());
    let tensor = SMatrix::from_diagonal(&Vector3::new(1e-3, 5e-3, 5e-3));
    let inertia = spatial_inertia(0.5, [0.15, 0.0, 0.0], tensor);
    let crank = builder.rigid_body("crank", Se3::identity(), inertia);
    let mut spec = BeamSpec::straight(0.5, 3, section());
    spec.curvature = [0.0, 0.2, 0.4];
    spec.rayleigh.stiffness = 1e-3;
    let leaf = builder.beam("leaf", shift(0.3, 0.0), &spec);
    let (first, last) = (builder.beam_node(leaf, 0), builder.beam_end(leaf));
    let middle = builder.beam_node(leaf, 1);
    let on = |node, frame| Attachment::node(node, frame);
    let joint_o = builder.joint(
        "O",
        JointKind::Revolute,
        Attachment::ground(Se3::identity()),
        on(crank, Se3::identity()),
    );
    let joint_a = builder.joint(
        "A",
        JointKind::Universal,
        on(crank, shift(0.3, 0.0)),
        on(first, Se3::identity()),
    );
    // The tip is held where the unstressed leaf ends.
    let end = shift(0.3, 0.0).compose(&Se3::exp(&[0.5, 0.0, 0.0, 0.0, 0.1, 0.2].into()));
    let joint_b = builder.joint(
        "B",
        JointKind::Spherical,
        Attachment::ground(end),
        on(last, Se3::identity()),
    );
    builder.torsion("spring O", joint_o, 8.0, 0.0, 0.05);
    let line = builder.line(
        "tendon",
        PointOn::node(crank, Vector3::new(0.2, 0.03, 0.01)),
        PointOn::node(last, Vector3::new(0.0, 0.02, 0.0)),
        tendon(),
    );
    let torque = builder.input("torque");
    let follow = builder.input("follow");
    builder.motor("motor", joint_o, MotorLaw::torque(torque));
    builder.wrench(Force::Wrench {
        name: "jet".into(),
        node: middle,
        point: Vector3::zeros(),
        axes: Axes::Body,
        force: [None, Some(follow), None],
        moment: [None; 3],
    });
    let model = builder.build().unwrap();
    let state = solve(&model, &[0.5, 1.5]);
    let rows = [(joint_o, 0), (joint_o, 4), (joint_a, 3), (joint_b, 2)];
    Case {
        outputs: all_outputs(joint_o, line, middle, &rows),
        inputs: vec![torque, follow],
        hinges: vec![joint_o],
        model,
        state,
    }
}

#[test]
fn planar_linear_model_is_the_derivative_of_the_nonlinear_one() {
    let case = four_bar();
    let plain = case.check(Coordinates::NullSpace);
    let angles = case.check(Coordinates::Angles(case.hinges.clone()));
    let order = case.linear(Coordinates::NullSpace).order();
    let modal = case.check(Coordinates::Modal {
        count: order,
        static_correction: false,
    });
    println!("largest errors: null space {plain:.1e}, angles {angles:.1e}, modes {modal:.1e}");
}

#[test]
fn spatial_linear_model_is_the_derivative_of_the_nonlinear_one() {
    let case = spatial_leg();
    let plain = case.check(Coordinates::NullSpace);
    let angles = case.check(Coordinates::Angles(case.hinges.clone()));
    println!("largest errors: null space {plain:.1e}, angles {angles:.1e}");
    let request = Request {
        coordinates: Coordinates::Modal {
            count: 2,
            static_correction: true,
        },
        inputs: vec![],
        outputs: vec![],
    };
    let mut workspace = Workspace::new(&case.model);
    let cut = linearize(&case.model, &case.state, &mut workspace, &request);
    assert!(matches!(cut, Err(Error::NotConservative { .. })));
}

fn sorted_eigenvalues(a: &DMatrix<f64>) -> Vec<Complex<f64>> {
    let mut values = crate::modal::eigen::eigenvalues(a).unwrap();
    values.retain(|x| x.im >= 0.0);
    values.sort_by(|x, y| x.norm().total_cmp(&y.norm()));
    values
}

#[test]
fn eigenvalues_do_not_depend_on_the_coordinates() {
    let case = four_bar();
    let mut workspace = Workspace::new(&case.model);
    let exact = modal::damped_modes(&case.model, &case.state, &mut workspace, 10).unwrap();
    let order = case.linear(Coordinates::NullSpace).order();
    for coordinates in [
        Coordinates::NullSpace,
        Coordinates::Angles(case.hinges.clone()),
        Coordinates::Modal {
            count: order,
            static_correction: false,
        },
    ] {
        let values = sorted_eigenvalues(&case.linear(coordinates).a);
        for (mode, value) in exact.modes.iter().zip(values) {
            assert!((mode.eigenvalue - value).norm() < 1e-7 * value.norm());
        }
    }
}

#[test]
fn named_angles_are_the_first_states_and_outputs() {
    let case = four_bar();
    let linear = case.linear(Coordinates::Angles(case.hinges.clone()));
    assert_eq!(linear.states[0].name, "angle of O");
    assert_eq!(linear.states[1].unit, "rad");
    assert_eq!(linear.states[linear.order()].unit, "rad/s");
    assert_eq!(linear.inputs[0].unit, "N·m");
    assert_eq!(linear.inputs[1].unit, "rad");
    assert_eq!(linear.inputs[2].unit, "N");
    assert_eq!(linear.outputs[0].name, "angle of O");
    let mut row = linear.c.row(0).into_owned();
    row[0] -= 1.0;
    assert!(row.amax() < 1e-10);
}

/// A modal model of a few modes answers a slow input as the full one does, the static part exactly
/// when corrected, and its state is read back from a displaced nonlinear state.
#[test]
fn cut_modal_model_keeps_slow_modes_and_static_gain() {
    let case = four_bar();
    let order = case.linear(Coordinates::NullSpace).order();
    let modal = |count, static_correction| {
        case.linear(Coordinates::Modal {
            count,
            static_correction,
        })
    };
    let gain = |model: &LinearModel| {
        let response = model.a.clone().lu().solve(&model.b).unwrap();
        &model.d - &model.c * response
    };
    let full = gain(&modal(order, false));
    let (raw, corrected) = (gain(&modal(3, false)), gain(&modal(3, true)));
    let miss = |gain: &DMatrix<f64>| {
        let rows = full.row_iter().zip(gain.row_iter());
        rows.map(|(f, g)| (f - g).amax() / f.amax().max(1e-9))
            .fold(0.0, f64::max)
    };
    println!(
        "static gain of 3 modes: {:.1e} off, corrected {:.1e}",
        miss(&raw),
        miss(&corrected)
    );
    assert!(miss(&raw) > 1e-4 && miss(&corrected) < 1e-8);

    let cut = modal(3, true);
    let mut state = case.state.clone();
    let x = [1e-6, -2e-6, 0.5e-6];
    let psi = &cut.basis * DVector::from_column_slice(&x);
    for (node, pose) in state.poses.iter_mut().enumerate() {
        let twist: SVector<f64, 3> = psi.fixed_rows::<3>(node * 3).into();
        *pose = pose.compose(&Se2::exp(&twist));
        state.velocities[node] = twist * 7.0;
    }
    let read = cut.state_of(&case.model, &case.state, &state).unwrap();
    for i in 0..3 {
        assert!((read[i] - x[i]).abs() < 1e-11);
        assert!((read[3 + i] - 7.0 * x[i]).abs() < 1e-10);
    }
}

/// The linear model's answer to a small torque step follows the nonlinear simulation.
#[test]
fn linear_step_response_follows_the_simulation() {
    let case = four_bar();
    let linear = case.linear(Coordinates::Angles(case.hinges.clone()));
    let (step, torque, steps) = (2e-4, 1e-3, 500);
    let (a, b) = softdock_control::riccati::discretize(&linear.a, &linear.b, step).unwrap();
    let mut state = case.state.clone();
    let mut workspace = Workspace::new(&case.model);
    let mut inputs = state.inputs.clone();
    inputs.value[case.inputs[0].0] += torque;
    let drive = Held(inputs);
    let settings = dynamics::StepSettings {
        spectral_radius: 1.0,
        tolerance: 1e-12,
        ..Default::default()
    };
    dynamics::initialize(&case.model, &mut state, &mut workspace, &drive).unwrap();
    let mut x = DVector::zeros(linear.a.nrows());
    let (mut worst, mut largest): (f64, f64) = (0.0, 0.0);
    for _ in 0..steps {
        dynamics::step(
            &case.model,
            &mut state,
            &mut workspace,
            &drive,
            step,
            &settings,
        )
        .unwrap();
        x = &a * x + b.column(0) * torque;
        let read = linear.state_of(&case.model, &case.state, &state).unwrap();
        worst = worst.max((read[0] - x[0]).abs());
        largest = largest.max(x[0].abs());
    }
    println!(
        "crank angle: largest {largest:.2e} rad, linear off by {:.1e}",
        worst / largest
    );
    assert!(worst < 2e-3 * largest);
}

#[test]
fn requests_without_meaning_are_refused() {
    let case = four_bar();
    let mut workspace = Workspace::new(&case.model);
    let mut refused = |coordinates, inputs, outputs| {
        let request = Request {
            coordinates,
            inputs,
            outputs,
        };
        let result = linearize(&case.model, &case.state, &mut workspace, &request);
        matches!(
            result,
            Err(Error::BadReference { .. } | Error::Modal { .. })
        )
    };
    let plain = Coordinates::NullSpace;
    assert!(refused(plain.clone(), vec![InputId(99)], vec![]));
    assert!(refused(
        plain.clone(),
        vec![],
        vec![Output::Angle(JointId(77))]
    ));
    assert!(refused(
        plain.clone(),
        vec![],
        vec![Output::LineLength(ForceId(0))]
    ));
    let row = Output::Multiplier {
        joint: JointId(0),
        row: 2,
    };
    assert!(refused(plain, vec![], vec![row]));
    let twice = vec![case.hinges[0], case.hinges[0]];
    assert!(refused(Coordinates::Angles(twice), vec![], vec![]));
    let none = Coordinates::Modal {
        count: 0,
        static_correction: false,
    };
    assert!(refused(none, vec![], vec![]));
}

#[test]
fn driver_inputs_are_refused_with_advice() {
    let mut builder = ModelBuilder::<Se2, 3, 2>::new();
    let body = builder.rigid_body(
        "body",
        Se2::identity(),
        planar_inertia(1.0, [0.1, 0.0], 0.1),
    );
    let angle = builder.input("angle");
    let (a, b) = (
        Attachment::ground(Se2::identity()),
        Attachment::node(body, Se2::identity()),
    );
    builder.joint("driver", JointKind::PrescribedAngle(angle), a, b);
    let model = builder.build().unwrap();
    let request = Request {
        coordinates: Coordinates::NullSpace,
        inputs: vec![angle],
        outputs: vec![],
    };
    let state = State::new(&model);
    let error = linearize(&model, &state, &mut Workspace::new(&model), &request).unwrap_err();
    assert!(error.to_string().contains("replace the driver"), "{error}");
}

/// The regulator of four modes, fed with the state of the nonlinear model: the crank, 5° off, comes
/// back sooner than the springs and dampers alone bring it.
#[test]
fn regulator_of_a_cut_model_controls_the_nonlinear_one() {
    let case = four_bar();
    let linear = case.linear(Coordinates::Modal {
        count: 4,
        static_correction: true,
    });
    let b = linear.b.columns(0, 1).into_owned(); // the crank's motor alone
    let angle = linear.c.rows(0, 2).into_owned(); // its angle and rate
    let weight = DMatrix::from_diagonal(&DVector::from_vec(vec![1e4, 10.0]));
    let q = angle.tr_mul(&(weight * &angle));
    let riccati =
        softdock_control::riccati::care(&linear.a, &b, &q, &DMatrix::identity(1, 1)).unwrap();
    println!("Riccati residual {:.1e}", riccati.relative_residual);
    assert!(riccati.relative_residual < 1e-12);

    // The slowest mode, as large as turns the crank by 5°.
    let mut start = case.state.clone();
    let amplitude = 5f64.to_radians() / linear.c[(0, 0)];
    let psi = linear.basis.column(0) * amplitude;
    for (node, pose) in start.poses.iter_mut().enumerate() {
        *pose = pose.compose(&Se2::exp(&psi.fixed_rows::<3>(3 * node).into()));
    }
    let mut workspace = Workspace::new(&case.model);
    let projection = Projection::default();
    dynamics::project_positions(&case.model, &mut start, &mut workspace, &projection).unwrap();
    let mut simulate = |closed: bool| {
        let mut state = start.clone();
        let mut inputs = state.inputs.clone();
        let settings = dynamics::StepSettings::default();
        let (mut late, mut largest): (f64, f64) = (0.0, 0.0);
        for k in 0..500 {
            if closed {
                let x = linear.state_of(&case.model, &case.state, &state).unwrap();
                let torque = -(&riccati.gain * x)[0];
                largest = largest.max(torque.abs());
                inputs.value[0] = case.state.inputs.value[0] + torque;
            }
            let drive = Held(inputs.clone());
            if k == 0 {
                dynamics::initialize(&case.model, &mut state, &mut workspace, &drive).unwrap();
            }
            dynamics::step(
                &case.model,
                &mut state,
                &mut workspace,
                &drive,
                1e-3,
                &settings,
            )
            .unwrap();
            if k >= 400 {
                let off = state.angle(case.hinges[0]) - case.state.angle(case.hinges[0]);
                late = late.max(off.abs());
            }
        }
        (late.to_degrees(), largest)
    };
    let (open, closed) = (simulate(false), simulate(true));
    println!(
        "largest angle after 0.4 s: {:.4}° open, {:.5}° closed with up to {:.1} N·m",
        open.0, closed.0, closed.1
    );
    assert!(closed.0 < 0.02 * open.0);
}

/// All modes of a stiff beam up to 1e6 rad/s, in mixed units and with no cut: the solver balances.
#[test]
fn regulator_of_a_stiff_uncut_beam_is_found() {
    let material = Material::from_poisson(70e9, 0.33, 2600.0, 5.0 / 6.0);
    let section = Section::<3, 2>::rectangle(&material, 5e-3, 2.5e-3).unwrap();
    for (alpha, beta) in [(1.0, 1e-8), (0.5, 0.0), (0.0, 0.0)] {
        let mut builder = ModelBuilder::<Se2, 3, 2>::new();
        let mut spec = BeamSpec::straight(0.15, 8, section);
        spec.rayleigh = Rayleigh {
            mass: alpha,
            stiffness: beta,
        };
        let beam = builder.beam("beam", Se2::identity(), &spec);
        let (root, tip) = (builder.beam_node(beam, 0), builder.beam_end(beam));
        builder.joint(
            "clamp",
            JointKind::Fixed,
            Attachment::ground(Se2::identity()),
            Attachment::node(root, Se2::identity()),
        );
        let load = [builder.input("fx"), builder.input("fy")];
        builder.wrench(Force::Wrench {
            name: "load".into(),
            node: tip,
            point: Vector2::zeros(),
            axes: Axes::World,
            force: load.map(Some),
            moment: [None; 3],
        });
        let model = builder.build().unwrap();
        let velocity = |component| Output::Velocity {
            node: tip,
            point: Vector2::zeros(),
            component,
        };
        let request = Request {
            coordinates: Coordinates::NullSpace,
            inputs: load.to_vec(),
            outputs: vec![velocity(0), velocity(1)],
        };
        let mut workspace = Workspace::new(&model);
        let linear = linearize(&model, &State::new(&model), &mut workspace, &request).unwrap();
        let q = linear.c.tr_mul(&linear.c) * 1e2;
        let found =
            softdock_control::riccati::care(&linear.a, &linear.b, &q, &DMatrix::identity(2, 2));
        let found = found.unwrap();
        let fastest = found
            .closed_loop
            .iter()
            .map(|x| x.norm())
            .fold(0.0, f64::max);
        println!(
            "α = {alpha}/s, β = {beta} s, {} states up to {fastest:.1e} rad/s: residual {:.1e}, {} doublings, {} refinements",
            linear.a.nrows(),
            found.relative_residual,
            found.doublings,
            found.refinements
        );
        assert!(found.closed_loop.iter().all(|value| value.re < 0.0));
        assert!(found.relative_residual < 1e-12);
        // Collocated velocity feedback: the cost's exact solution is X ∝ the energy, K ∝ C.
        if alpha == 0.0 && beta == 0.0 {
            let exact = &linear.c * 10.0;
            let off = (&found.gain - &exact).amax() / exact.amax();
            println!("  gain against the exact one: {off:.1e}");
            assert!(off < 1e-6);
        }
    }
}
