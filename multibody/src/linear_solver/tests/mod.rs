//! The solver against dense LU factorisation and against beams with known solutions.
#![allow(clippy::unwrap_used)]

mod agreement;
mod failures;
mod structure;

use super::*;
use nalgebra::{DMatrix, DVector, SMatrix, SVector};
use proptest::prelude::ProptestConfig;

/// Agreement with dense LU. Both solvers lose about six digits to matrices of [`CONDITION_LIMIT`].
const RELATIVE_ERROR: f64 = 1e-9;
/// Worse conditioned random matrices are not compared.
const CONDITION_LIMIT: f64 = 1e6;

/// Few enough cases for a debug build, without files of past failures.
fn configuration() -> ProptestConfig {
    ProptestConfig {
        cases: 30,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

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
    fill(topology, layout, skeleton_diagonal, numbers, &mut system);
    system
}

fn fill<const N: usize>(
    topology: &Topology,
    layout: &Layout<N>,
    skeleton_diagonal: f64,
    numbers: &mut Numbers,
    system: &mut System<N>,
) {
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
    for column in 0..topology.rank {
        for node in 0..topology.node_count {
            *system.update.left(column, node) = numbers.vector();
            *system.update.right(column, node) = numbers.vector();
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
    if layout.rank() == 0 {
        assert_columns_agree_with_dense(layout, &mut system, &lu, numbers);
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

/// Six columns side by side, all but the first of which are zero at interior nodes, and their sum.
fn assert_columns_agree_with_dense<const N: usize>(
    layout: &Layout<N>,
    system: &mut System<N>,
    lu: &nalgebra::LU<f64, nalgebra::Dyn, nalgebra::Dyn>,
    numbers: &mut Numbers,
) {
    let (size, nodes) = (layout.unknown_count(), layout.node_count());
    let mut columns = SkeletonColumns::new(layout, 6);
    let factors: [f64; 5] = core::array::from_fn(|_| numbers.next());
    // A second time, so that what the first left would show; then with the first column alone.
    for again in [true, true, false] {
        let own = DVector::from_fn(size, |_, _| numbers.next());
        let mut expected = lu.solve(&own).unwrap();
        set_rhs(system, &own);
        if again {
            columns.clear_directions();
        }
        let mut directions = Vec::new();
        for column in 1..6 {
            let mut rhs = DVector::zeros(size);
            for &(node, _) in &layout.skeleton {
                let values: SVector<f64, N> = numbers.vector();
                rhs.rows_mut(node * N, N).copy_from(&values);
                if again {
                    columns.set_node(layout, column, node, &values);
                }
            }
            for row in 0..layout.row_count() {
                rhs[nodes * N + row] = numbers.next();
                if again {
                    columns.set_row(layout, column, row, rhs[nodes * N + row]);
                }
            }
            directions.push(lu.solve(&rhs).unwrap());
        }
        if again {
            system.solve_columns(layout, &mut columns);
            for (factor, direction) in factors.iter().zip(&directions) {
                expected += direction * *factor;
            }
            for (column, direction) in (1..).zip(&directions) {
                for &(node, _) in &layout.skeleton {
                    let expected = direction.rows(node * N, N);
                    let error = (columns.node::<N>(layout, column, node) - expected).norm();
                    assert!(error <= RELATIVE_ERROR * direction.norm(), "{error:e}");
                }
            }
            system.complete(layout, &columns, &factors);
        } else {
            system.solve_first_column(layout, &mut columns);
            system.complete(layout, &columns, &[0.0; 5]);
        }
        let error = (solution(system) - &expected).norm() / expected.norm();
        assert!(error < RELATIVE_ERROR, "relative error {error:e}");
    }
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
        rank: 0,
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
        rank: 0,
    }
}
