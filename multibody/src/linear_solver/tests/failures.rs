//! Singular matrices and numbers that are not finite.

use super::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..configuration() })]

    #[test]
    fn any_entry_that_is_not_finite_is_reported(seed: u64, infinite: bool) {
        let mut topology = planar_leg(6);
        topology.rank = 2;
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
            3 => system.update.left(entry % 2, node)[entry % 3] = bad,
            4 => system.update.right(entry % 2, node)[entry % 3] = bad,
            5 => system.add_constraint(&layout, 3, 1, &vector, &zero),
            _ => system.add_constraint(&layout, 3, 1, &zero, &vector),
        }
        prop_assert!(system.factor(&layout).is_err());
    }

    /// The same in a skeleton too wide for the compiled kernels.
    #[test]
    fn not_finite_entries_of_full_skeletons_are_reported(seed: u64, infinite: bool) {
        let mut topology = Topology { node_count: 8, ..Topology::default() };
        for first in 0..8 {
            topology.couplings.extend((0..first).map(|second| (first, second)));
        }
        let layout = Layout::<6>::new(&topology).unwrap();
        let mut numbers = Numbers(seed);
        let mut system = random_system(&topology, &layout, 1.0, &mut numbers);
        let mut bad = SMatrix::zeros();
        bad[numbers.index(36)] = if infinite { f64::INFINITY } else { f64::NAN };
        let coupling = numbers.index(topology.couplings.len());
        system.add_coupling(&layout, coupling, &bad, &SMatrix::zeros());
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
