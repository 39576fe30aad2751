//! Storage, rejected topologies, and a beam with a known solution.

use super::*;

/// Row-wise units of a beam in space differ by orders of magnitude; a cantilever of Euler–Bernoulli
/// elements is exact at its nodes: tip deflection P l³ / 3 EI.
#[test]
fn long_slender_cantilever_deflects_as_the_textbook_says() {
    let (elements, axial, bending, length, force) = (200, 2e7, 0.02, 0.01, 1e-3);
    let topology = Topology {
        rank: 0,
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
        let layout = Layout::<3>::new(&topology).unwrap();
        layout.skeleton_storage() / layout.skeleton_size()
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
}
