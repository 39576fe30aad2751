//! The solver against dense LU factorisation and against beams with known solutions.
#![allow(clippy::unwrap_used)]

use super::*;
use nalgebra::{DMatrix, DVector, SMatrix, SVector};
use proptest::prelude::*;

/// Agreement with dense LU. Both solvers lose about six digits to matrices of [`CONDITION_LIMIT`].
const RELATIVE_ERROR: f64 = 1e-9;
/// Worse conditioned random matrices are not compared.
const CONDITION_LIMIT: f64 = 1e6;

/// Reproducible numbers in [−1, 1) (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn index(&mut self, count: usize) -> usize {
        ((self.next() + 1.0) / 2.0 * count as f64) as usize % count
    }

    fn block<const N: usize>(&mut self, diagonal: f64) -> SMatrix<f64, N, N> {
        SMatrix::from_fn(|i, j| self.next() + if i == j { diagonal } else { 0.0 })
    }

    fn vector<const N: usize>(&mut self) -> SVector<f64, N> {
        SVector::from_fn(|_, _| self.next())
    }
}

fn beam(first_node: usize, elements: usize) -> BeamRun {
    BeamRun {
        first_node,
        elements,
        rooted: false,
    }
}

fn group(
    first: impl Into<Option<usize>>,
    second: impl Into<Option<usize>>,
    rows: usize,
) -> ConstraintGroup {
    ConstraintGroup {
        nodes: [first.into(), second.into()],
        rows,
    }
}

/// Fills a system with random numbers; interior nodes get regular blocks, the blocks of the others
/// have `skeleton_diagonal` times the same dominance, and no entries at all if it is zero.
fn random_system<const N: usize>(
    topology: &Topology,
    layout: &Layout<N>,
    skeleton_diagonal: f64,
    numbers: &mut Numbers,
) -> System<N> {
    let mut system = System::new(layout);
    let dominance = 3.0 * N as f64;
    for node in 0..topology.node_count {
        let interior = layout.node_position[node] == usize::MAX;
        let weight = if interior { 1.0 } else { skeleton_diagonal };
        system.diagonal[node] = numbers.block(dominance) * weight;
    }
    for element in 0..layout.element_count() {
        system.upper[element] = numbers.block(0.0);
        system.lower[element] = numbers.block(0.0);
    }
    for run in topology.beams.iter().filter(|run| run.rooted) {
        for node in run.first_node + 1..=run.first_node + run.elements {
            system.root_column[node] = numbers.block(0.0);
            system.root_row[node] = numbers.block(0.0);
        }
    }
    for coupling in 0..topology.couplings.len() {
        system.add_coupling(layout, coupling, &numbers.block(0.0), &numbers.block(0.0));
    }
    let mut row = 0;
    for group in &topology.constraints {
        for _ in 0..group.rows {
            for &node in group.nodes.iter().flatten() {
                let (entries, column) = (numbers.vector(), numbers.vector());
                system.add_constraint(layout, row, node, &entries, &column);
            }
            row += 1;
        }
    }
    system
}

fn set_rhs<const N: usize>(system: &mut System<N>, values: &DVector<f64>) {
    let node_unknowns = system.node_rhs.len() * N;
    for (node, rhs) in system.node_rhs.iter_mut().enumerate() {
        rhs.copy_from_slice(&values.as_slice()[node * N..(node + 1) * N]);
    }
    system
        .row_rhs
        .copy_from_slice(&values.as_slice()[node_unknowns..]);
}

fn solution<const N: usize>(system: &System<N>) -> DVector<f64> {
    let nodes = system.node_rhs.iter().flat_map(|rhs| rhs.iter().copied());
    let values: Vec<f64> = nodes.chain(system.row_rhs.iter().copied()).collect();
    DVector::from_vec(values)
}

fn is_well_conditioned(dense: &DMatrix<f64>) -> bool {
    let inverse = dense.clone().try_inverse();
    inverse.is_some_and(|inverse| inverse.norm() * dense.norm() < CONDITION_LIMIT)
}

/// Compares three right-hand sides and the sign of the determinant with dense LU.
fn assert_agrees_with_dense<const N: usize>(
    layout: &Layout<N>,
    mut system: System<N>,
    numbers: &mut Numbers,
) {
    let dense = system.to_dense(layout);
    let lu = dense.clone().lu();
    system.factor(layout).unwrap();
    for _ in 0..3 {
        let rhs = DVector::from_fn(dense.nrows(), |_, _| numbers.next());
        set_rhs(&mut system, &rhs);
        system.solve(layout);
        let expected = lu.solve(&rhs).unwrap();
        let error = (solution(&system) - &expected).norm() / expected.norm();
        assert!(error < RELATIVE_ERROR, "relative error {error:e}");
    }
    let signs: f64 = lu
        .u()
        .diagonal()
        .iter()
        .map(|pivot| pivot.signum())
        .product();
    let permutation: f64 = lu.p().determinant();
    assert_eq!(system.determinant_sign(), signs * permutation);
}

fn check_random<const N: usize>(topology: &Topology, skeleton_diagonal: f64, seed: u64) -> bool {
    let mut numbers = Numbers(seed);
    let layout = Layout::<N>::new(topology).unwrap();
    let system = random_system(topology, &layout, skeleton_diagonal, &mut numbers);
    if !is_well_conditioned(&system.to_dense(&layout)) {
        return false;
    }
    assert_agrees_with_dense(&layout, system, &mut numbers);
    true
}

/// Beams and rigid nodes with random constraints and couplings: chains, loops, trees and separate
/// parts, with attachments anywhere.
fn random_topology(
    seed: u64,
    beams: &[usize],
    rigid: usize,
    groups: usize,
    couplings: usize,
) -> Topology {
    let mut numbers = Numbers(seed);
    let mut topology = Topology {
        node_count: rigid,
        ..Topology::default()
    };
    for &elements in beams {
        topology.beams.push(beam(topology.node_count, elements));
        topology.node_count += elements + 1;
    }
    let nodes = topology.node_count;
    for _ in 0..groups {
        let (first, second) = (numbers.index(nodes), numbers.index(nodes));
        let rows = numbers.index(3);
        let second = (first != second).then_some(second);
        topology.constraints.push(group(first, second, rows));
    }
    for _ in 0..couplings {
        let (first, second) = (numbers.index(nodes), numbers.index(nodes));
        if first != second {
            topology.couplings.push((first, second));
        }
    }
    topology
}

/// The planar leg: crank 0, leaf 1 … 11, link 12.
fn planar_leg(elements: usize) -> Topology {
    let (tip, link) = (elements + 1, elements + 2);
    Topology {
        node_count: elements + 3,
        beams: vec![beam(1, elements)],
        constraints: vec![
            group(0, None, 2),
            group(0, 1, 2),
            group(tip, link, 2),
            group(link, None, 2),
        ],
        couplings: vec![(1, tip)],
    }
}

/// The spatial leg: crank 0, leaf 1 … 11.
fn spatial_leg(elements: usize) -> Topology {
    let tip = elements + 1;
    Topology {
        node_count: elements + 2,
        beams: vec![beam(1, elements)],
        constraints: vec![group(0, None, 5), group(0, 1, 4), group(tip, None, 3)],
        couplings: vec![(1, tip)],
    }
}

proptest! {
    #[test]
    fn random_topologies_agree_with_dense(
        seed: u64,
        beams in prop::collection::vec(1usize..9, 1..4),
        rigid in 0usize..4,
        groups in 0usize..5,
        couplings in 0usize..5,
    ) {
        let topology = random_topology(seed, &beams, rigid, groups, couplings);
        prop_assume!(check_random::<3>(&topology, 1.0, seed));
        prop_assume!(check_random::<6>(&topology, 1.0, seed));
    }

    #[test]
    fn legs_agree_with_dense(seed: u64, elements in 1usize..14) {
        prop_assume!(check_random::<3>(&planar_leg(elements), 1.0, seed));
        prop_assume!(check_random::<6>(&spatial_leg(elements), 1.0, seed));
    }

    #[test]
    fn zero_node_blocks_are_pivoted(seed: u64, elements in 2usize..14) {
        prop_assume!(check_random::<3>(&planar_leg(elements), 0.0, seed));
        // Twelve rows hold eighteen unknowns: what remains is held by the couplings.
        let mut leg = spatial_leg(elements);
        leg.couplings.push((0, elements + 1));
        prop_assume!(check_random::<6>(&leg, 0.0, seed));
    }

    #[test]
    fn closed_loops_agree_with_dense(seed: u64, beams in prop::collection::vec(1usize..6, 2..6)) {
        let mut topology = random_topology(seed, &beams, 0, 0, 0);
        for index in 0..beams.len() {
            let end = topology.beams[index].first_node + beams[index];
            let start = topology.beams[(index + 1) % beams.len()].first_node;
            topology.constraints.push(group(end, start, 2));
        }
        prop_assume!(check_random::<3>(&topology, 1.0, seed));
        prop_assume!(check_random::<6>(&topology, 1.0, seed));
    }

    #[test]
    fn trees_agree_with_dense(seed: u64, beams in prop::collection::vec(1usize..6, 2..8)) {
        let mut topology = random_topology(seed, &beams, 0, 0, 0);
        let mut numbers = Numbers(!seed);
        for run in &topology.beams[1..] {
            topology.constraints.push(group(numbers.index(run.first_node), run.first_node, 3));
        }
        prop_assume!(check_random::<3>(&topology, 1.0, seed));
        prop_assume!(check_random::<6>(&topology, 1.0, seed));
    }

    #[test]
    fn rooted_beams_agree_with_dense(seed: u64, beams in prop::collection::vec(1usize..9, 1..4)) {
        let mut topology = random_topology(seed, &beams, 1, 0, 0);
        for (index, run) in topology.beams.iter_mut().enumerate() {
            run.rooted = index % 2 == 0;
            topology.constraints.push(group(0, run.first_node, 1));
            topology.couplings.push((0, run.first_node + run.elements));
        }
        prop_assume!(check_random::<3>(&topology, 1.0, seed));
        prop_assume!(check_random::<6>(&topology, 1.0, seed));
    }

    #[test]
    fn any_entry_that_is_not_finite_is_reported(seed: u64, infinite: bool) {
        let mut topology = planar_leg(6);
        topology.beams[0].rooted = true;
        let layout = Layout::<3>::new(&topology).unwrap();
        let mut numbers = Numbers(seed);
        let mut system = random_system(&topology, &layout, 1.0, &mut numbers);
        let bad = if infinite { f64::INFINITY } else { f64::NAN };
        let (element, node, entry) = (numbers.index(6), numbers.index(9), numbers.index(9));
        let vector = SVector::from_fn(|i, _| if i == entry % 3 { bad } else { 0.0 });
        let zero = SVector::zeros();
        match numbers.index(7) {
            0 => system.diagonal[node][entry] = bad,
            1 => system.upper[element][entry] = bad,
            2 => system.lower[element][entry] = bad,
            3 => system.root_column[2 + element][entry] = bad,
            4 => system.root_row[2 + element][entry] = bad,
            5 => system.add_constraint(&layout, 3, 1, &vector, &zero),
            _ => system.add_constraint(&layout, 3, 1, &zero, &vector),
        }
        prop_assert!(system.factor(&layout).is_err());
    }
}

#[test]
fn equal_constraints_are_reported_as_a_row() {
    let mut topology = planar_leg(10);
    topology.constraints.push(group(0, 1, 1));
    let layout = Layout::<3>::new(&topology).unwrap();
    let mut numbers = Numbers(1);
    let mut system = random_system(&topology, &layout, 1.0, &mut numbers);
    for node in [0, 1] {
        // Makes row 8 equal to row 3, and its column likewise.
        let dense = system.to_dense(&layout);
        let (row, copy, column) = (39 + 3, 39 + 8, node * 3);
        let difference = |along: DMatrix<f64>| {
            SVector::<f64, 3>::from_fn(|i, _| along[(row, column + i)] - along[(copy, column + i)])
        };
        let (entries, columns) = (difference(dense.clone()), difference(dense.transpose()));
        system.add_constraint(&layout, 8, node, &entries, &columns);
    }
    let failure = system.factor(&layout).unwrap_err();
    assert!(
        failure.item == Item::Row(3) || failure.item == Item::Row(8),
        "{failure}"
    );
    assert!(failure.pivot.abs() < 1e-13 * failure.scale, "{failure}");
}

#[test]
fn free_massless_node_is_reported_as_a_node() {
    let mut topology = planar_leg(10);
    topology.node_count += 1;
    let layout = Layout::<3>::new(&topology).unwrap();
    let mut system = random_system(&topology, &layout, 1.0, &mut Numbers(2));
    system.diagonal[13].fill(0.0);
    assert_eq!(system.factor(&layout).unwrap_err().item, Item::Node(13));
}

#[test]
fn singular_interior_node_is_reported() {
    fn check<const N: usize>() {
        let topology = spatial_leg(10);
        let layout = Layout::<N>::new(&topology).unwrap();
        let mut system = random_system(&topology, &layout, 1.0, &mut Numbers(3));
        system.upper[4].fill(0.0);
        system.lower[4].fill(0.0);
        let first = system.diagonal[6].row(0).clone_owned();
        system.diagonal[6].set_row(1, &(2.0 * first));
        assert_eq!(system.factor(&layout).unwrap_err().item, Item::Node(6));
    }
    check::<3>();
    check::<6>();
}

/// Row-wise units of a beam in space differ by orders of magnitude; a cantilever of Euler–Bernoulli
/// elements is exact at its nodes: tip deflection P l³ / 3 EI.
#[test]
fn long_slender_cantilever_deflects_as_the_textbook_says() {
    let (elements, axial, bending, length, force) = (200, 2e7, 0.02, 0.01, 1e-3);
    let topology = Topology {
        node_count: elements + 1,
        beams: vec![beam(0, elements)],
        constraints: vec![group(0, None, 3)],
        couplings: vec![],
    };
    let layout = Layout::<3>::new(&topology).unwrap();
    let mut system = System::<3>::new(&layout);
    let (a, b) = (axial / length, bending / length);
    let (c, d) = (6.0 * b / length, 12.0 * b / (length * length));
    let left = SMatrix::<f64, 3, 3>::new(a, 0., 0., 0., d, c, 0., c, 4.0 * b);
    let right = SMatrix::<f64, 3, 3>::new(a, 0., 0., 0., d, -c, 0., -c, 4.0 * b);
    let across = SMatrix::<f64, 3, 3>::new(-a, 0., 0., 0., -d, c, 0., -c, 2.0 * b);
    for element in 0..elements {
        system.diagonal[element] += left;
        system.diagonal[element + 1] += right;
        system.upper[element] += across;
        system.lower[element] += across.transpose();
    }
    for row in 0..3 {
        let entries = SVector::from_fn(|i, _| if i == row { 1.0 } else { 0.0 });
        system.add_constraint(&layout, row, 0, &entries, &entries);
    }
    system.node_rhs[elements] = SVector::from([0.0, force, 0.0]);
    system.factor(&layout).unwrap();
    system.solve(&layout);
    let span = elements as f64 * length;
    let deflection = force * span.powi(3) / (3.0 * bending);
    // 200 elements condition the stiffness like 200⁴ = 1.6e9, which leaves seven digits.
    let error = system.node_rhs[elements][1] / deflection - 1.0;
    assert!(error.abs() < 1e-6, "relative error {error:e}");
    // The multipliers balance the load by a force and a moment.
    assert!((system.row_rhs[1] - force).abs() < 1e-6 * force);
    assert!((system.row_rhs[2] - force * span).abs() < 1e-6 * force * span);
    assert!(system.determinant_sign() < 0.0);
}

#[test]
fn storage_grows_by_a_constant_per_element() {
    let layouts = [100, 200].map(|count| Layout::<6>::new(&spatial_leg(count)).unwrap());
    for (layout, elements) in layouts.iter().zip([100, 200]) {
        let system = System::new(layout);
        assert_eq!(system.links.len(), elements);
        assert_eq!(layout.skeleton_size(), 30);
        assert_eq!(layout.skeleton_storage(), layouts[0].skeleton_storage());
    }
}

#[test]
fn chain_of_legs_has_a_constant_band() {
    let chain = |count: usize| {
        let mut topology = random_topology(0, &vec![3; count], 0, 0, 0);
        for run in &topology.beams[1..] {
            topology
                .constraints
                .push(group(run.first_node - 1, run.first_node, 2));
        }
        Layout::<3>::new(&topology).unwrap().shape.stride
    };
    assert_eq!(chain(5), chain(50));
}

#[test]
fn impossible_topologies_are_rejected() {
    let rejected = |change: fn(&mut Topology)| {
        let mut topology = planar_leg(4);
        change(&mut topology);
        Layout::<3>::new(&topology).unwrap_err()
    };
    let error = rejected(|t| t.beams.push(beam(0, 0)));
    assert_eq!(error, LayoutError::EmptyBeam { beam: 1 });
    let error = rejected(|t| t.beams[0].elements = 6);
    assert_eq!(
        error,
        LayoutError::BeamOutOfRange {
            beam: 0,
            node: 7,
            node_count: 7
        }
    );
    let error = rejected(|t| t.beams.push(beam(5, 1)));
    assert_eq!(error, LayoutError::SharedNode { beam: 1, node: 5 });
    let error = rejected(|t| t.constraints[1].nodes[1] = Some(0));
    assert!(matches!(
        error,
        LayoutError::ConstraintNodes { group: 1, .. }
    ));
    let error = rejected(|t| t.constraints[0].nodes[0] = None);
    assert!(matches!(
        error,
        LayoutError::ConstraintNodes { group: 0, .. }
    ));
    let error = rejected(|t| t.couplings[0] = (7, 0));
    assert!(matches!(
        error,
        LayoutError::CouplingNodes { coupling: 0, .. }
    ));
    let error = rejected(|t| {
        t.beams[0].rooted = true;
        t.couplings.push((0, 3));
    });
    assert_eq!(error, LayoutError::RootedBeamSplit { beam: 0, node: 3 });
}
