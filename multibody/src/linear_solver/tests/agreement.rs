//! Random systems against dense LU factorisation.

use super::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(configuration())]

    #[test]
    fn random_topologies_agree_with_dense(
        seed: u64,
        beams in prop::collection::vec(1usize..7, 1..4),
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
    fn closed_loops_agree_with_dense(seed: u64, beams in prop::collection::vec(1usize..4, 2..6)) {
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
    fn trees_agree_with_dense(seed: u64, beams in prop::collection::vec(1usize..4, 2..6)) {
        let mut topology = random_topology(seed, &beams, 0, 0, 0);
        let mut numbers = Numbers(!seed);
        for run in &topology.beams[1..] {
            topology.constraints.push(group(numbers.index(run.first_node), run.first_node, 3));
        }
        prop_assume!(check_random::<3>(&topology, 1.0, seed));
        prop_assume!(check_random::<6>(&topology, 1.0, seed));
    }

    #[test]
    fn parts_of_low_rank_agree_with_dense(
        seed: u64,
        beams in prop::collection::vec(1usize..7, 1..4),
        rank in 1usize..8,
    ) {
        let mut topology = random_topology(seed, &beams, 2, 2, 1);
        topology.rank = rank;
        prop_assume!(check_random::<3>(&topology, 1.0, seed));
        prop_assume!(check_random::<6>(&topology, 1.0, seed));
    }
}

/// Every node coupled with every other one: a full matrix, wider than any compiled kernel.
#[test]
fn full_skeletons_agree_with_dense() {
    for nodes in [2, 3, 5, 8] {
        let mut topology = Topology {
            node_count: nodes,
            ..Topology::default()
        };
        for first in 0..nodes {
            topology
                .couplings
                .extend((0..first).map(|second| (first, second)));
            topology.constraints.push(group(first, None, 1));
        }
        let compared = (0..2).filter(|&seed| {
            check_random::<3>(&topology, 1.0, seed) && check_random::<6>(&topology, 1.0, seed)
        });
        assert!(compared.count() > 0);
    }
}

/// The same system twice, with other numbers in between.
#[test]
fn clearing_leaves_no_trace() {
    let topology = planar_leg(10);
    let layout = Layout::<3>::new(&topology).unwrap();
    let solved = |system: &mut System<3>| {
        let rhs = DVector::from_fn(layout.unknown_count(), |i, _| i as f64);
        set_rhs(system, &rhs);
        system.factor(&layout).unwrap();
        system.solve(&layout);
        solution(system)
    };
    let mut fresh = random_system(&topology, &layout, 1.0, &mut Numbers(1));
    let expected = solved(&mut fresh);
    let mut used = random_system(&topology, &layout, 1.0, &mut Numbers(2));
    solved(&mut used);
    used.clear();
    fill(&topology, &layout, 1.0, &mut Numbers(1), &mut used);
    assert_eq!(solved(&mut used), expected);
}
