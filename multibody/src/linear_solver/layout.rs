//! The pattern of a system: which nodes are condensed, and where the others lie in the band.

use super::Item;
use super::band::BandShape;
use super::ordering::ItemGraph;

/// A beam: `elements + 1` consecutive nodes, each coupled with its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeamRun {
    /// The first of the nodes.
    pub first_node: usize,
    /// Number of elements, at least one.
    pub elements: usize,
}

/// Constraint rows that act on one or two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstraintGroup {
    /// The nodes with entries in the rows; at least one.
    pub nodes: [Option<usize>; 2],
    /// Number of rows.
    pub rows: usize,
}

/// The nodes of a system and what couples them.
///
/// Elements and constraint rows are numbered globally, in the order of `beams` and `constraints`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Topology {
    /// Number of nodes.
    pub node_count: usize,
    /// Beams; a node belongs to one beam at most.
    pub beams: Vec<BeamRun>,
    /// Constraints; their nodes are not condensed.
    pub constraints: Vec<ConstraintGroup>,
    /// Pairs of different nodes coupled directly; these nodes are not condensed.
    pub couplings: Vec<(usize, usize)>,
    /// Columns of the part of low rank, which may couple any nodes.
    pub rank: usize,
}

/// A topology that no system can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// A beam without elements.
    #[error("beam {beam} has no elements")]
    EmptyBeam {
        /// The beam.
        beam: usize,
    },
    /// A beam that ends behind the last node.
    #[error("beam {beam} ends at node {node}, but there are {node_count} nodes")]
    BeamOutOfRange {
        /// The beam.
        beam: usize,
        /// Its last node.
        node: usize,
        /// Number of nodes.
        node_count: usize,
    },
    /// A node in two beams.
    #[error("beam {beam} contains node {node}, which belongs to another beam already")]
    SharedNode {
        /// The later of the two beams.
        beam: usize,
        /// The shared node.
        node: usize,
    },
    /// A constraint group that names a node out of range, no node, or the same node twice.
    #[error(
        "constraint group {group} names {nodes:?}; wanted: one or two different nodes of {node_count}"
    )]
    ConstraintNodes {
        /// The group.
        group: usize,
        /// Its nodes.
        nodes: [Option<usize>; 2],
        /// Number of nodes.
        node_count: usize,
    },
    /// A coupling that names a node out of range or the same node twice.
    #[error("coupling {coupling} names {nodes:?}; wanted: two different nodes of {node_count}")]
    CouplingNodes {
        /// The coupling.
        coupling: usize,
        /// Its nodes.
        nodes: (usize, usize),
        /// Number of nodes.
        node_count: usize,
    },
}

/// Interior nodes between two skeleton nodes of a beam.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    /// The left skeleton node; the interior nodes and the right one follow it.
    pub left: usize,
    /// Number of interior nodes.
    pub interior: usize,
    /// The element between the left node and the next one.
    pub first_element: usize,
    /// Index of the first interior node among the interior and right skeleton nodes of all segments.
    pub first_link: usize,
    /// Whether the left node is the first one of its beam.
    pub starts_beam: bool,
}

impl Segment {
    /// The right skeleton node.
    pub fn right(&self) -> usize {
        self.left + self.interior + 1
    }
}

/// The pattern of a system with `N` unknowns per node; immutable, shared by any number of
/// [`System`](super::System)s.
#[derive(Debug, Clone)]
pub struct Layout<const N: usize> {
    node_count: usize,
    row_count: usize,
    element_count: usize,
    interior_count: usize,
    first_elements: Vec<usize>,
    pub(super) rank: usize,
    /// Whether each node belongs to a beam.
    pub(super) in_beam: Vec<bool>,
    pub(super) segments: Vec<Segment>,
    /// Skeleton nodes with their first unknown in the band.
    pub(super) skeleton: Vec<(usize, usize)>,
    /// First unknown in the band per node; `usize::MAX` for interior nodes.
    pub(super) node_position: Vec<usize>,
    /// Unknown in the band per constraint row.
    pub(super) row_position: Vec<usize>,
    /// The nodes of the group of each constraint row.
    pub(super) row_nodes: Vec<[Option<usize>; 2]>,
    /// First unknowns in the band of the two nodes per coupling.
    pub(super) coupling_position: Vec<(usize, usize)>,
    /// The owner of each unknown in the band.
    pub(super) owner: Vec<Item>,
    pub(super) shape: BandShape,
}

impl<const N: usize> Layout<N> {
    /// Checks a topology, divides its beams into segments and orders its skeleton.
    pub fn new(topology: &Topology) -> Result<Self, LayoutError> {
        let attached = attached_nodes(topology)?;
        let beam_of_node = beam_of_node(topology)?;
        let mut is_skeleton: Vec<bool> = attached.clone();
        for (node, beam) in beam_of_node.iter().enumerate() {
            is_skeleton[node] |= beam.is_none();
        }
        for beam in &topology.beams {
            is_skeleton[beam.first_node] = true;
            is_skeleton[beam.first_node + beam.elements] = true;
        }

        let (segments, first_elements) = segments(topology, &is_skeleton);
        let element_count = topology.beams.iter().map(|beam| beam.elements).sum();
        let interior_count = segments.iter().map(|segment| segment.interior).sum();
        let nodes: Vec<usize> = (0..topology.node_count)
            .filter(|&node| is_skeleton[node])
            .collect();
        let mut item_of_node = vec![usize::MAX; topology.node_count];
        for (item, &node) in nodes.iter().enumerate() {
            item_of_node[node] = item;
        }
        let graph = item_graph::<N>(topology, &segments, &item_of_node, nodes.len());
        let order = graph.elimination_order();

        let mut first_row = Vec::with_capacity(topology.constraints.len());
        let mut row_count = 0;
        for group in &topology.constraints {
            first_row.push(row_count);
            row_count += group.rows;
        }
        let row_nodes = topology.constraints.iter();
        let row_nodes = row_nodes.flat_map(|group| std::iter::repeat_n(group.nodes, group.rows));
        let mut node_position = vec![usize::MAX; topology.node_count];
        let mut row_position = vec![usize::MAX; row_count];
        let mut owner = Vec::with_capacity(nodes.len() * N + row_count);
        for &item in &order {
            if let Some(&node) = nodes.get(item) {
                node_position[node] = owner.len();
                owner.extend([Item::Node(node); N]);
            } else {
                let group = item - nodes.len();
                for row in first_row[group]..first_row[group] + topology.constraints[group].rows {
                    row_position[row] = owner.len();
                    owner.push(Item::Row(row));
                }
            }
        }
        let (first, last) = graph.row_extents(&order);
        Ok(Self {
            node_count: topology.node_count,
            row_count,
            element_count,
            interior_count,
            first_elements,
            in_beam: beam_of_node.iter().map(Option::is_some).collect(),
            rank: topology.rank,
            segments,
            skeleton: nodes
                .iter()
                .map(|&node| (node, node_position[node]))
                .collect(),
            coupling_position: topology
                .couplings
                .iter()
                .map(|&(first, second)| (node_position[first], node_position[second]))
                .collect(),
            row_nodes: row_nodes.collect(),
            node_position,
            row_position,
            owner,
            shape: BandShape::new(&first, &last),
        })
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.node_count
    }

    /// Number of constraint rows.
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// Number of beam elements.
    pub fn element_count(&self) -> usize {
        self.element_count
    }

    /// Number of unknowns: `N` per node and one per constraint row.
    pub fn unknown_count(&self) -> usize {
        self.node_count * N + self.row_count
    }

    /// The global index of the first element of a beam.
    pub fn first_element(&self, beam: usize) -> usize {
        self.first_elements[beam]
    }

    /// Number of condensed nodes.
    pub fn interior_count(&self) -> usize {
        self.interior_count
    }

    /// Number of unknowns that remain after condensation.
    pub fn skeleton_size(&self) -> usize {
        self.shape.size()
    }

    /// Columns of the part of low rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Numbers stored for the skeleton matrix.
    pub fn skeleton_storage(&self) -> usize {
        self.shape.storage()
    }
}

/// Marks the nodes of constraints and couplings.
fn attached_nodes(topology: &Topology) -> Result<Vec<bool>, LayoutError> {
    let node_count = topology.node_count;
    let mut attached = vec![false; node_count];
    for (group, &ConstraintGroup { nodes, .. }) in topology.constraints.iter().enumerate() {
        let in_range = nodes.iter().flatten().all(|&node| node < node_count);
        if !in_range || nodes[0] == nodes[1] {
            return Err(LayoutError::ConstraintNodes {
                group,
                nodes,
                node_count,
            });
        }
        for &node in nodes.iter().flatten() {
            attached[node] = true;
        }
    }
    for (coupling, &nodes) in topology.couplings.iter().enumerate() {
        if nodes.0 >= node_count || nodes.1 >= node_count || nodes.0 == nodes.1 {
            return Err(LayoutError::CouplingNodes {
                coupling,
                nodes,
                node_count,
            });
        }
        attached[nodes.0] = true;
        attached[nodes.1] = true;
    }
    Ok(attached)
}

/// The beam of each node.
fn beam_of_node(topology: &Topology) -> Result<Vec<Option<usize>>, LayoutError> {
    let node_count = topology.node_count;
    let mut beam_of_node = vec![None; node_count];
    for (beam, run) in topology.beams.iter().enumerate() {
        if run.elements == 0 {
            return Err(LayoutError::EmptyBeam { beam });
        }
        let last_node = run.first_node.saturating_add(run.elements);
        if last_node >= node_count {
            return Err(LayoutError::BeamOutOfRange {
                beam,
                node: last_node,
                node_count,
            });
        }
        for node in run.first_node..=last_node {
            if beam_of_node[node].replace(beam).is_some() {
                return Err(LayoutError::SharedNode { beam, node });
            }
        }
    }
    Ok(beam_of_node)
}

/// Divides the beams at their skeleton nodes; also returns the first element of each beam.
fn segments(topology: &Topology, is_skeleton: &[bool]) -> (Vec<Segment>, Vec<usize>) {
    let mut segments = Vec::new();
    let mut first_elements = Vec::with_capacity(topology.beams.len());
    let mut beam_element = 0;
    let mut first_link = 0;
    for run in &topology.beams {
        first_elements.push(beam_element);
        let last_node = run.first_node + run.elements;
        let mut left = run.first_node;
        for right in run.first_node + 1..=last_node {
            if !is_skeleton[right] {
                continue;
            }
            let interior = right - left - 1;
            segments.push(Segment {
                left,
                interior,
                first_element: beam_element + left - run.first_node,
                first_link,
                starts_beam: left == run.first_node,
            });
            first_link += interior + 1;
            left = right;
        }
        beam_element += run.elements;
    }
    (segments, first_elements)
}

/// The graph of skeleton nodes, numbered by `item_of_node`, followed by the constraint groups.
fn item_graph<const N: usize>(
    topology: &Topology,
    segments: &[Segment],
    item_of_node: &[usize],
    skeleton_nodes: usize,
) -> ItemGraph {
    let mut sizes = vec![N; skeleton_nodes];
    sizes.extend(topology.constraints.iter().map(|group| group.rows));
    let mut graph = ItemGraph::new(sizes);
    for segment in segments {
        graph.connect(item_of_node[segment.left], item_of_node[segment.right()]);
    }
    for &(first, second) in &topology.couplings {
        graph.connect(item_of_node[first], item_of_node[second]);
    }
    for (group, constraint) in topology.constraints.iter().enumerate() {
        for &node in constraint.nodes.iter().flatten() {
            graph.connect(item_of_node[node], skeleton_nodes + group);
        }
    }
    graph
}
