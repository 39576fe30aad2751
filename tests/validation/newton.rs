//! Newton's iteration: quadratic near the solution, and short in time stepping.

use multibody::dynamics::{self, StepSettings};
use multibody::element::Rayleigh;
use multibody::group::{Group, Se2, Se3};
use multibody::model::Section;
use multibody::state::State;
use multibody::statics::{self, StaticSettings};
use multibody::workspace::Workspace;
use nalgebra::SVector;
use softdock_validation::models::{
    PinnedLeaf, held, leaf_section, leaf_section_in_space, swinging_leaf,
};

/// Corrections below this are rounding (relative to the model's length; rad).
const ROUNDING: f64 = 1e-14;
/// Bound of c₊/c² for corrections c of the leaf: half of (L/h)², the ratio of stretching to bending
/// stiffness, is 9e4; a first-order method exceeds any bound as c goes to zero.
const QUADRATIC_FACTOR: f64 = 1e4;

fn assert_quadratic(title: &str, corrections: &[f64]) {
    let list: Vec<String> = corrections.iter().map(|c| format!("{c:.1e}")).collect();
    println!("{title}: {}", list.join("  "));
    let (mut pairs, mut fell) = (0, 1.0_f64);
    for pair in corrections.windows(2) {
        let (c, next) = (pair[0], pair[1]);
        // Where the bound exceeds c itself, Newton is not near the solution yet.
        if QUADRATIC_FACTOR * c < 1.0 {
            pairs += 1;
            assert!(
                next <= (QUADRATIC_FACTOR * c * c).max(ROUNDING),
                "{title}: {list:?}"
            );
            fell = fell.min(next / c);
        }
    }
    assert!(pairs >= 2 && fell < 1e-4, "{title}: {list:?}");
}

/// Buckled leaf, every section turned a little: corrections on the way back to equilibrium.
fn way_back<G: Group<N, D>, const N: usize, const D: usize>(section: Section<N, D>) -> Vec<f64> {
    let leaf = PinnedLeaf::<G, N, D>::new(G::identity(), 10, section).unwrap();
    let mut state: State<G, N> = leaf.buckled(0.407921561).unwrap();
    let mut push = SVector::<f64, N>::zeros();
    push[N - 1] = 1e-3;
    for pose in &mut state.poses {
        *pose = pose.compose(&G::exp(&push));
    }
    let mut workspace = Workspace::new(&leaf.model);
    let settings = StaticSettings {
        tolerance: 1e-12,
        ..StaticSettings::default()
    };
    statics::solve(&leaf.model, &mut state, &mut workspace, &settings).unwrap();
    workspace.corrections().to_vec()
}

#[test]
fn static_newton_is_quadratic_near_the_solution() {
    assert_quadratic("plane", &way_back::<Se2, 3, 2>(leaf_section().unwrap()));
    assert_quadratic(
        "space",
        &way_back::<Se3, 6, 3>(leaf_section_in_space().unwrap()),
    );
}

#[test]
fn newton_in_a_time_step_is_quadratic() {
    let (leaf, mut state) = swinging_leaf(
        10,
        Rayleigh {
            mass: 1.0,
            stiffness: 1e-4,
        },
    )
    .unwrap();
    let mut workspace = Workspace::new(&leaf.model);
    let drive = held(&state);
    dynamics::initialize(&leaf.model, &mut state, &mut workspace, &drive).unwrap();
    let settings = StepSettings {
        tolerance: 1e-13,
        ..StepSettings::default()
    };
    // Ten times the usual step, so that there is something to converge.
    for step in 0..5 {
        dynamics::step(
            &leaf.model,
            &mut state,
            &mut workspace,
            &drive,
            1e-2,
            &settings,
        )
        .unwrap();
        assert_quadratic(&format!("step {step} of 10 ms"), workspace.corrections());
    }
}

#[test]
fn a_millisecond_of_the_leaf_takes_two_or_three_iterations() {
    let (leaf, mut state) = swinging_leaf(10, Rayleigh::default()).unwrap();
    let mut workspace = Workspace::new(&leaf.model);
    let drive = held(&state);
    dynamics::initialize(&leaf.model, &mut state, &mut workspace, &drive).unwrap();
    let settings = StepSettings::default();
    let mut counts = [0; 16];
    for _ in 0..1000 {
        let model = &leaf.model;
        let report = dynamics::step(model, &mut state, &mut workspace, &drive, 1e-3, &settings);
        counts[report.unwrap().iterations] += 1;
    }
    println!("steps by number of iterations: {counts:?}");
    // 990 steps of two iterations and 10 of three; a few near the limit may fall either way.
    assert_eq!(counts[2] + counts[3], 1000);
    assert!((985..=995).contains(&counts[2]), "{counts:?}");
}
