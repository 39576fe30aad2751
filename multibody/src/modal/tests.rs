//! Modes against exact frequencies, and what is refused.

#![allow(clippy::unwrap_used)]

use super::{Modes, Reduction, damped_modes, modes, reduce};
use crate::element::Rayleigh;
use crate::error::Error;
use crate::group::{Group, Se2, Se3};
use crate::model::*;
use crate::state::State;
use crate::statics::{self, StaticSettings};
use crate::workspace::Workspace;
use core::f64::consts::{FRAC_PI_2, PI, TAU};
use nalgebra::{SMatrix, SVector, Vector2, Vector3};

/// Exact Timoshenko frequencies [Hz] of the aluminium cantilever (reference/README.md): bending,
/// then the first axial one.
const ALUMINIUM_BENDING: [f64; 4] = [186.0968, 1160.0287, 3220.6711, 6235.4317];
const ALUMINIUM_AXIAL: f64 = 8647.9087;
/// Exact Timoshenko frequencies [Hz] of the steel cantilever.
const STEEL_BENDING: [f64; 3] = [50.96343, 317.39681, 880.00164];
/// What the issue allows at 20 elements.
const ALLOWED_AT_20: f64 = 1e-3;

fn aluminium() -> Material {
    Material::from_poisson(70e9, 0.33, 2600.0, 5.0 / 6.0)
}

fn steel() -> Material {
    Material::from_poisson(480e9, 1e-6, 7700.0, 5.0 / 6.0)
}

/// A beam along x fixed to the ground at its root.
fn cantilever<G: Group<N, D>, const N: usize, const D: usize>(
    spec: &BeamSpec<N, D>,
) -> Model<G, N, D> {
    let mut builder = ModelBuilder::<G, N, D>::new();
    let beam = builder.beam("beam", G::identity(), spec);
    let root = builder.beam_node(beam, 0);
    builder.joint(
        "clamp",
        JointKind::Fixed,
        Attachment::ground(G::identity()),
        Attachment::node(root, G::identity()),
    );
    builder.build().unwrap()
}

fn initial_modes<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    count: usize,
) -> Modes<N> {
    modes(model, &State::new(model), &mut Workspace::new(model), count).unwrap()
}

/// Frequencies [Hz] of the modes whose tip moves mostly along component `axis`.
fn along<const N: usize, const D: usize>(modes: &Modes<N>, axis: usize) -> Vec<f64> {
    let moves = |shape: &[SVector<f64, N>]| {
        let tip = shape.last().unwrap();
        (0..D).all(|i| i == axis || tip[i].abs() < 1e-3 * tip[axis].abs()) && tip[axis].abs() > 1e-6
    };
    let chosen = modes.modes.iter().filter(|mode| moves(&mode.shape));
    chosen.map(|mode| mode.frequency()).collect()
}

/// Prints the errors for 5 to 40 elements and returns those of 20 and the order from 5 to 10.
fn convergence(
    name: &str,
    exact: &[f64],
    frequencies: impl Fn(usize) -> Vec<f64>,
) -> (Vec<f64>, Vec<f64>) {
    println!("{name}: relative errors of the frequencies");
    let errors: Vec<Vec<f64>> = [5, 10, 20, 40]
        .iter()
        .map(|&elements| {
            let ours = frequencies(elements);
            let errors: Vec<f64> = exact.iter().zip(&ours).map(|(e, f)| f / e - 1.0).collect();
            let text: Vec<_> = errors.iter().map(|e| format!("{e:+.2e}")).collect();
            println!("  {elements:2} elements: {}", text.join("  "));
            errors
        })
        .collect();
    let order = |k: usize, i: usize| (errors[k][i] / errors[k + 1][i]).abs().log2();
    let orders = |k: usize| (0..exact.len()).map(|i| order(k, i)).collect::<Vec<f64>>();
    for (k, range) in ["5 to 10", "10 to 20", "20 to 40"].iter().enumerate() {
        println!("  observed order {range}: {:.2?}", orders(k));
    }
    (errors[2].clone(), orders(0))
}

#[test]
fn planar_cantilever_has_the_exact_timoshenko_frequencies() {
    let run = |section: Section<3, 2>, length: f64, elements: usize| {
        let model = cantilever::<Se2, 3, 2>(&BeamSpec::straight(length, elements, section));
        initial_modes(&model, 3 * elements)
    };
    let aluminium = Section::<3, 2>::rectangle(&aluminium(), 5e-3, 2.5e-3).unwrap();
    let (errors, orders) = convergence("aluminium, plane", &ALUMINIUM_BENDING, |n| {
        along::<3, 2>(&run(aluminium, 0.15, n), 1)
    });
    assert!(errors[..3].iter().all(|e| e.abs() < ALLOWED_AT_20));
    // Between four (bending) and two: the line of mass centres takes its slope from the sections,
    // which shear turns away from it.
    assert!(orders[..3].iter().all(|&order| order > 2.8), "{orders:?}");
    let (axial, _) = convergence("aluminium, plane, axial", &[ALUMINIUM_AXIAL], |n| {
        along::<3, 2>(&run(aluminium, 0.15, n), 0)
    });
    assert!(axial[0].abs() < ALLOWED_AT_20);
    let steel = Section::<3, 2>::rectangle(&steel(), 0.04, 0.04).unwrap();
    let (errors, _) = convergence("steel, plane", &STEEL_BENDING, |n| {
        along::<3, 2>(&run(steel, 1.0, n), 1)
    });
    assert!(errors.iter().all(|e| e.abs() < ALLOWED_AT_20));
}

#[test]
fn spatial_cantilever_has_the_exact_timoshenko_frequencies() {
    let run = |section: Section<6, 3>, length: f64, elements: usize| {
        let model = cantilever::<Se3, 6, 3>(&BeamSpec::straight(length, elements, section));
        initial_modes(&model, 6 * elements)
    };
    let section = Section::<6, 3>::rectangle(&aluminium(), 5e-3, 2.5e-3).unwrap();
    let (errors, _) = convergence("aluminium, space", &ALUMINIUM_BENDING, |n| {
        along::<6, 3>(&run(section, 0.15, n), 1)
    });
    assert!(errors[..3].iter().all(|e| e.abs() < ALLOWED_AT_20));
    // Torsion: a quarter wave at the speed √(GJ/ρI_p).
    let speed = (section.stiffness[(3, 3)] / section.rotary_inertia[(3, 3)]).sqrt();
    let (errors, orders) = convergence("aluminium, torsion", &[speed / 0.6], |n| {
        let found = run(section, 0.15, n);
        let twisting = |shape: &[SVector<f64, 6>]| {
            let tip = shape.last().unwrap();
            tip[3].abs() > 1e3 * tip[4].abs().max(tip[5].abs())
        };
        let mode = found.modes.iter().find(|mode| twisting(&mode.shape));
        vec![mode.unwrap().frequency()]
    });
    assert!(errors[0].abs() < ALLOWED_AT_20);
    assert!(orders[0] > 3.5);
    // A square section: every bending mode is double.
    let square = Section::<6, 3>::rectangle(&steel(), 0.04, 0.04).unwrap();
    let (errors, _) = convergence("steel, space (pairs)", &STEEL_BENDING, |n| {
        let all = run(square, 1.0, n).frequencies();
        assert!((all[0] / all[1] - 1.0).abs() < 1e-9);
        vec![all[0], all[2], all[4]]
    });
    assert!(errors.iter().all(|e| e.abs() < ALLOWED_AT_20));
}

#[test]
fn modes_are_mass_normalised_and_orthogonal() {
    let section = Section::<6, 3>::rectangle(&steel(), 0.04, 0.04).unwrap();
    let model = cantilever::<Se3, 6, 3>(&BeamSpec::straight(1.0, 6, section));
    let reduction = reduce(&model, &State::new(&model), &mut Workspace::new(&model)).unwrap();
    let basis = reduction.system.modal_basis().unwrap();
    let modal = reduction.system.transformed(&basis.shapes);
    let unit = nalgebra::DMatrix::identity(36, 36);
    assert!((modal.mass - unit).amax() < 1e-10);
    let scale = basis.omega_squared.map(|x| x.sqrt());
    for i in 0..36 {
        for j in 0..36 {
            let exact = if i == j { basis.omega_squared[i] } else { 0.0 };
            assert!((modal.stiffness[(i, j)] - exact).abs() < 1e-9 * scale[i] * scale[j]);
        }
    }
}

/// A planar pendulum whose pivot carries its weight: m = 2 kg, l = 0.7 m, J = 0.1 kg·m².
fn pendulum(angle: f64) -> Model<Se2, 3, 2> {
    let mut builder = ModelBuilder::<Se2, 3, 2>::new();
    builder.gravity(Vector2::new(0.0, -9.81));
    let pose = Se2::exp(&[0.3, 0.2, angle].into());
    let body = builder.rigid_body("bob", pose, planar_inertia(2.0, [0.7, 0.0], 0.1));
    builder.joint(
        "pivot",
        JointKind::Revolute,
        Attachment::ground(Se2::from_parts(pose.translation(), SMatrix::identity())),
        Attachment::node(body, Se2::identity()),
    );
    builder.build().unwrap()
}

#[test]
fn hanging_pendulum_swings_at_its_frequency_and_standing_one_falls() {
    let exact = 2.0 * 9.81 * 0.7 / (0.1 + 2.0 * 0.49);
    for (angle, sign, unstable) in [(-FRAC_PI_2, 1.0, 0), (FRAC_PI_2, -1.0, 1)] {
        let model = pendulum(angle);
        let found = initial_modes(&model, 1);
        assert!((found.modes[0].omega_squared / (sign * exact) - 1.0).abs() < 1e-12);
        assert_eq!(found.unstable, unstable);
        assert_eq!(found.is_stable(), unstable == 0);
        let damped = damped_modes(&model, &State::new(&model), &mut Workspace::new(&model), 1);
        assert_eq!(damped.unwrap().unstable, unstable);
    }
}

#[test]
fn pendulum_off_its_equilibrium_is_refused() {
    let model = pendulum(0.3);
    let found = modes(&model, &State::new(&model), &mut Workspace::new(&model), 1);
    assert!(
        matches!(found, Err(Error::NotEquilibrium { .. })),
        "{found:?}"
    );
}

/// A slender pinned beam with a roller and an axial dead load [N] at its end, 16 elements.
fn column(load: f64) -> (Model<Se2, 3, 2>, State<Se2, 3>) {
    let section = Section::<3, 2>::rectangle(&aluminium(), 2e-3, 20e-3).unwrap();
    let mut builder = ModelBuilder::<Se2, 3, 2>::new();
    let beam = builder.beam(
        "column",
        Se2::identity(),
        &BeamSpec::straight(1.0, 16, section),
    );
    let (root, tip) = (builder.beam_node(beam, 0), builder.beam_end(beam));
    let height = builder.input("height");
    let push = builder.input("push");
    let up = Se2::exp(&[0.0, 0.0, FRAC_PI_2].into());
    builder.joint(
        "pin",
        JointKind::Revolute,
        Attachment::ground(Se2::identity()),
        Attachment::node(root, Se2::identity()),
    );
    builder.joint(
        "roller",
        JointKind::PrescribedSlide(height),
        Attachment::ground(up),
        Attachment::node(tip, Se2::identity()),
    );
    builder.wrench(Force::Wrench {
        name: "load".into(),
        node: tip,
        point: Vector2::zeros(),
        axes: Axes::World,
        force: [Some(push), None],
        moment: [None; 3],
    });
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    state.inputs.value[push.index()] = -load;
    let mut workspace = Workspace::new(&model);
    statics::solve(
        &model,
        &mut state,
        &mut workspace,
        &StaticSettings::default(),
    )
    .unwrap();
    (model, state)
}

/// ω² of a pinned beam falls linearly with its thrust and passes zero at Euler's load; shear and
/// shortening are smaller than the tolerance for this slenderness.
#[test]
fn thrust_softens_a_column_and_euler_load_makes_it_unstable() {
    let section = Section::<3, 2>::rectangle(&aluminium(), 2e-3, 20e-3).unwrap();
    let euler = PI * PI * section.stiffness[(2, 2)];
    let free = euler * PI * PI / section.mass_per_length;
    for factor in [-2.0, 0.0, 0.5, 0.9, 1.1, 2.0] {
        let (model, state) = column(factor * euler);
        let found = modes(&model, &state, &mut Workspace::new(&model), 2).unwrap();
        let error = found.modes[0].omega_squared / free - (1.0 - factor);
        println!("P/Pe = {factor:4.1}: ω²/ω0² − (1 − P/Pe) = {error:+.1e}");
        assert!(error.abs() < 2e-4);
        assert_eq!(found.unstable, usize::from(factor > 1.0));
    }
}

/// Beck's column: a follower thrust never makes a cantilever buckle, it flutters at 20.05 EI/L².
fn beck(factor: f64) -> (Model<Se2, 3, 2>, State<Se2, 3>) {
    let section = Section::<3, 2>::rectangle(&aluminium(), 2e-3, 20e-3).unwrap();
    let mut builder = ModelBuilder::<Se2, 3, 2>::new();
    let beam = builder.beam(
        "column",
        Se2::identity(),
        &BeamSpec::straight(1.0, 12, section),
    );
    let (root, tip) = (builder.beam_node(beam, 0), builder.beam_end(beam));
    let push = builder.input("push");
    builder.joint(
        "clamp",
        JointKind::Fixed,
        Attachment::ground(Se2::identity()),
        Attachment::node(root, Se2::identity()),
    );
    builder.wrench(Force::Wrench {
        name: "thruster".into(),
        node: tip,
        point: Vector2::zeros(),
        axes: Axes::Body,
        force: [Some(push), None],
        moment: [None; 3],
    });
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    state.inputs.value[0] = -factor * section.stiffness[(2, 2)];
    let mut workspace = Workspace::new(&model);
    statics::solve(
        &model,
        &mut state,
        &mut workspace,
        &StaticSettings::default(),
    )
    .unwrap();
    (model, state)
}

#[test]
fn follower_thrust_makes_a_cantilever_flutter_at_becks_load() {
    for (factor, unstable) in [(10.0, 0), (19.9, 0), (20.2, 2)] {
        let (model, state) = beck(factor);
        let mut workspace = Workspace::new(&model);
        let found = damped_modes(&model, &state, &mut workspace, 3).unwrap();
        println!(
            "P L²/EI = {factor}: slowest {:.3?}",
            found.modes[0].eigenvalue
        );
        assert_eq!(found.unstable, unstable, "at {factor}");
        let real = modes(&model, &state, &mut workspace, 1);
        assert!(matches!(real, Err(Error::NotConservative { .. })));
    }
}

#[test]
fn rayleigh_damping_gives_every_mode_its_ratio() {
    let section = Section::<3, 2>::rectangle(&aluminium(), 5e-3, 2.5e-3).unwrap();
    let [first, second, ..] = ALUMINIUM_BENDING.map(|f| TAU * f);
    let mut spec = BeamSpec::straight(0.15, 8, section);
    spec.rayleigh = Rayleigh::from_two_modes(first, 0.02, second, 0.01);
    let model = cantilever::<Se2, 3, 2>(&spec);
    let (state, mut workspace) = (State::new(&model), Workspace::new(&model));
    let found = damped_modes(&model, &state, &mut workspace, 5).unwrap();
    let undamped = modes(&model, &state, &mut workspace, 5).unwrap();
    for (damped, undamped) in found.modes.iter().zip(&undamped.modes) {
        let omega = undamped.omega_squared.sqrt();
        let exact = spec.rayleigh.ratio_at(omega);
        assert!((damped.damping_ratio() / exact - 1.0).abs() < 1e-8);
        assert!((TAU * damped.natural_frequency() / omega - 1.0).abs() < 1e-10);
        // The shape is the undamped one up to a factor.
        let tip = (damped.shape.last().unwrap(), undamped.shape.last().unwrap());
        let main = tip.1.iamax();
        let factor = tip.0[main] / tip.1[main];
        for (a, b) in damped.shape.iter().zip(&undamped.shape) {
            let miss = a - b.map(nalgebra::Complex::from) * factor;
            assert!(miss.norm() < 1e-6 * tip.0.norm());
        }
    }
    assert!(found.is_stable());
}

#[test]
fn free_beam_has_its_rigid_motions_as_neutral_modes() {
    let section = Section::<6, 3>::rectangle(&steel(), 0.02, 0.04).unwrap();
    let mut builder = ModelBuilder::<Se3, 6, 3>::new();
    let root = Se3::exp(&[0.3, -0.2, 0.1, 0.5, 1.0, -0.4].into());
    let mut spec = BeamSpec::straight(1.0, 10, section);
    spec.curvature = [0.0, 0.7, 0.3];
    builder.beam("beam", root, &spec);
    let model = builder.build().unwrap();
    let found = initial_modes(&model, 8);
    assert_eq!((found.neutral, found.unstable), (6, 0));
    assert!(found.modes[6].frequency() > 50.0);
    let damped = damped_modes(&model, &State::new(&model), &mut Workspace::new(&model), 8);
    assert_eq!(damped.unwrap().unstable, 0);
}

#[test]
fn redundant_constraints_are_counted_and_named() {
    let mut builder = ModelBuilder::<Se3, 6, 3>::new();
    let inertia = spatial_inertia(1.0, [0.0; 3], SMatrix::<f64, 3, 3>::identity());
    let door = builder.rigid_body("door", Se3::identity(), inertia);
    for (name, height) in [("lower hinge", 0.0), ("upper hinge", 1.0)] {
        let frame = Se3::exp(&[0.0, 0.0, height, 0.0, 0.0, 0.0].into());
        let (a, b) = (Attachment::ground(frame), Attachment::node(door, frame));
        builder.joint(name, JointKind::Revolute, a, b);
    }
    let model = builder.build().unwrap();
    let found = modes(&model, &State::new(&model), &mut Workspace::new(&model), 1);
    let Err(Error::Redundant {
        count,
        constraints,
        location,
        ..
    }) = found
    else {
        panic!("{found:?}");
    };
    assert_eq!((count, constraints), (5, 10));
    assert_eq!(location, Location::Joint("upper hinge".into(), 0));
}

#[test]
fn massless_motions_are_counted_and_named() {
    let mut builder = ModelBuilder::<Se3, 6, 3>::new();
    let inertia = spatial_inertia(1.0, [0.0; 3], SMatrix::<f64, 3, 3>::identity());
    builder.rigid_body("heavy", Se3::identity(), inertia);
    let rod = spatial_inertia(
        1.0,
        [0.5, 0.0, 0.0],
        SMatrix::from_diagonal(&Vector3::new(0.0, 0.1, 0.1)),
    );
    builder.rigid_body("rod without thickness", Se3::identity(), rod);
    let model = builder.build().unwrap();
    let found = modes(&model, &State::new(&model), &mut Workspace::new(&model), 1);
    let Err(Error::Massless {
        count, location, ..
    }) = found
    else {
        panic!("{found:?}");
    };
    assert_eq!(count, 1);
    assert_eq!(location, Location::Body("rod without thickness".into()));
}

#[test]
fn impossible_requests_are_refused() {
    let model = pendulum(-FRAC_PI_2);
    let mut workspace = Workspace::new(&model);
    let mut state = State::new(&model);
    let found = modes(&model, &state, &mut workspace, 2);
    assert!(matches!(
        found,
        Err(Error::Modal {
            asked: 2,
            available: 1,
            ..
        })
    ));
    state.poses[0] = Se2::exp(&[f64::NAN, 0.0, 0.0].into());
    let found = modes(&model, &state, &mut workspace, 1);
    assert!(matches!(found, Err(Error::NotFinite { .. })), "{found:?}");
}

/// A soft pendulum on a stiff beam: ω² of the pendulum is 1e-11 of the largest one, and yet right.
#[test]
fn slow_modes_keep_their_digits_beside_fast_ones() {
    let section = Section::<3, 2>::rectangle(&steel(), 2e-3, 20e-3).unwrap();
    let mut builder = ModelBuilder::<Se2, 3, 2>::new();
    let mass = section.mass_per_length;
    builder.gravity(Vector2::new(0.0, -1e-3));
    let down = Se2::exp(&[0.0, 0.0, -FRAC_PI_2].into());
    let beam = builder.beam("bar", down, &BeamSpec::straight(1.0, 24, section));
    let root = builder.beam_node(beam, 0);
    builder.joint(
        "pivot",
        JointKind::Revolute,
        Attachment::ground(Se2::identity()),
        Attachment::node(root, Se2::identity()),
    );
    let model = builder.build().unwrap();
    let (mut state, mut workspace) = (State::new(&model), Workspace::new(&model));
    statics::solve(
        &model,
        &mut state,
        &mut workspace,
        &StaticSettings::default(),
    )
    .unwrap();
    let reduction: Reduction<3> = reduce(&model, &state, &mut workspace).unwrap();
    let basis = reduction.system.modal_basis().unwrap();
    // A uniform bar about its end; the rotary inertia of the sections adds ρI per length.
    let inertia = mass / 3.0 + section.rotary_inertia[(2, 2)];
    let exact = 0.5 * mass * 1e-3 / inertia;
    let error = basis.omega_squared[0] / exact - 1.0;
    let spread = basis.omega_squared[0] / basis.omega_squared.max();
    println!(
        "ω²min/ω²max = {spread:.1e}, relative error {error:.1e}, resolution {:.1e}",
        basis.resolution[0] / exact
    );
    assert!(spread < 1e-14 && error.abs() < 1e-5);
}
