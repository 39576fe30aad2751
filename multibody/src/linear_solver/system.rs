//! The numbers of a system: assembly, factorisation and solution.
//!
//! The equation numbers are those of the module [`super`].

use super::band::{Band, NoPivot};
use super::chain::{self, Link, NoInverse};
use super::layout::{Layout, Segment};
use super::update::Update;
use super::{Item, Singular};
use nalgebra::{DMatrix, SMatrix, SVector};

/// A linear system with `N` unknowns per node and one per constraint row.
///
/// The order of calls is [`clear`](Self::clear); assembly, by adding to the public blocks and by
/// the `add_…` functions; [`factor`](Self::factor); then, for any number of right-hand sides, fill
/// `node_rhs` and `row_rhs` and call [`solve`](Self::solve). After [`new`](Self::new), nothing
/// allocates but [`to_dense`](Self::to_dense). All calls take the layout given to `new`.
#[derive(Debug, Clone)]
pub struct System<const N: usize> {
    /// Diagonal block of each node. Not changed by `factor`.
    pub diagonal: Vec<SMatrix<f64, N, N>>,
    /// Block (i, i+1) of each element, i its left node. Not changed by `factor`, and read again by
    /// `solve`.
    pub upper: Vec<SMatrix<f64, N, N>>,
    /// Block (i+1, i) of each element, i its left node. Not changed by `factor`.
    pub lower: Vec<SMatrix<f64, N, N>>,
    /// The part of low rank, added to everything else. Not changed by `factor`, and read again by
    /// `solve`.
    pub update: Update<N>,
    /// Right-hand side of each node, and after `solve` the solution.
    pub node_rhs: Vec<SVector<f64, N>>,
    /// Right-hand side of each constraint row, and after `solve` the multiplier.
    pub row_rhs: Vec<f64>,
    /// Scratch memory of the assembly of reduced bodies.
    pub(crate) reduced: crate::assembly::ReducedScratch,
    /// Constraint rows and couplings; `factor` adds the condensed beams and factorises in place.
    pub(super) band: Band,
    pub(super) links: Vec<Link<N>>,
    determinant_sign: f64,
    stage: Stage,
}

/// What the band holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Assembly,
    Factored,
    Failed,
}

impl<const N: usize> System<N> {
    /// A system with zero matrix and zero right-hand side.
    pub fn new(layout: &Layout<N>) -> Self {
        let blocks = |count: usize| vec![SMatrix::zeros(); count];
        Self {
            diagonal: blocks(layout.node_count()),
            upper: blocks(layout.element_count()),
            lower: blocks(layout.element_count()),
            update: Update::new(layout.node_count(), layout.row_count(), layout.rank),
            node_rhs: vec![SVector::zeros(); layout.node_count()],
            row_rhs: vec![0.0; layout.row_count()],
            reduced: Default::default(),
            band: Band::new(&layout.shape),
            links: vec![Link::zero(); layout.interior_count() + layout.segments.len()],
            determinant_sign: 0.0,
            stage: Stage::Assembly,
        }
    }

    /// Sets the matrix to zero and discards the factors; the right-hand side stays.
    pub fn clear(&mut self) {
        let zero = SMatrix::zeros();
        self.diagonal.fill(zero);
        self.upper.fill(zero);
        self.lower.fill(zero);
        self.update.clear();
        self.band.clear();
        self.stage = Stage::Assembly;
    }

    /// Sets the right-hand side to zero.
    pub fn clear_rhs(&mut self) {
        self.node_rhs.fill(SVector::zeros());
        self.row_rhs.fill(0.0);
    }

    /// Adds to the two blocks of a coupling (first, second) of the topology: `first_second` is the
    /// block (row first, column second), `second_first` the block (row second, column first).
    #[inline]
    pub fn add_coupling(
        &mut self,
        layout: &Layout<N>,
        coupling: usize,
        first_second: &SMatrix<f64, N, N>,
        second_first: &SMatrix<f64, N, N>,
    ) {
        debug_assert_eq!(self.stage, Stage::Assembly);
        let (first, second) = layout.coupling_position[coupling];
        let shape = &layout.shape;
        self.band
            .add_block(shape, first, second, &first_second.data.0);
        self.band
            .add_block(shape, second, first, &second_first.data.0);
        self.band.add_scale(second, &first_second.data.0);
        self.band.add_scale(first, &second_first.data.0);
    }

    /// Adds to a constraint row and its column at one node of the row's group: `row_entries` are
    /// the entries (row, unknowns of the node), `column_entries` the entries (unknowns of the node,
    /// row). `row` counts over all groups.
    #[inline]
    pub fn add_constraint(
        &mut self,
        layout: &Layout<N>,
        row: usize,
        node: usize,
        row_entries: &SVector<f64, N>,
        column_entries: &SVector<f64, N>,
    ) {
        debug_assert_eq!(self.stage, Stage::Assembly);
        debug_assert!(layout.row_nodes[row].contains(&Some(node)));
        let (shape, band) = (&layout.shape, &mut self.band);
        let (position, node_position) = (layout.row_position[row], layout.node_position[node]);
        for k in 0..N {
            band.add(shape, position, node_position + k, row_entries[k]);
            band.add(shape, node_position + k, position, column_entries[k]);
        }
    }

    /// Adds to the diagonal entry of a constraint row.
    #[inline]
    pub fn add_constraint_diagonal(&mut self, layout: &Layout<N>, row: usize, value: f64) {
        debug_assert_eq!(self.stage, Stage::Assembly);
        let position = layout.row_position[row];
        self.band.add(&layout.shape, position, position, value);
    }

    /// Factorises the matrix. The public blocks keep their values; the constraint rows and the
    /// couplings are overwritten, so that [`clear`](Self::clear) and a new assembly must precede
    /// the next call, also after an error.
    pub fn factor(&mut self, layout: &Layout<N>) -> Result<(), Singular> {
        debug_assert_eq!(self.stage, Stage::Assembly);
        self.stage = Stage::Failed;
        self.determinant_sign = 0.0;
        let mut sign = 1.0;
        for &(node, position) in &layout.skeleton {
            let block = &self.diagonal[node].data.0;
            self.band.add_scale(position, block);
            if !layout.in_beam[node] {
                self.band
                    .add_block(&layout.shape, position, position, block);
            }
        }
        for segment in &layout.segments {
            sign *= self.condense(layout, segment)?;
        }
        let skeleton_sign = self.band.factor(&layout.shape).map_err(|failure| {
            let NoPivot {
                column,
                pivot,
                scale,
            } = failure;
            Singular {
                item: layout.owner[column],
                pivot,
                scale,
            }
        })?;
        self.determinant_sign = sign * skeleton_sign; // (7)
        self.stage = Stage::Factored;
        if self.update.rank() > 0 {
            self.factor_update(layout).inspect_err(|_| {
                self.stage = Stage::Failed;
                self.determinant_sign = 0.0;
            })?;
        }
        Ok(())
    }

    /// Solves for the columns of the part of low rank and factorises what they leave; the
    /// right-hand side stays.
    fn factor_update(&mut self, layout: &Layout<N>) -> Result<(), Singular> {
        let (nodes, rows) = (self.node_rhs.len(), self.row_rhs.len());
        for column in 0..self.update.rank() {
            let (node_range, row_range) = (column * nodes, column * rows);
            // The right-hand side and the place of the column change places for the solution.
            let place = &mut self.update.solved[node_range..node_range + nodes];
            self.node_rhs.swap_with_slice(place);
            let place = &mut self.update.solved_rows[row_range..row_range + rows];
            self.row_rhs.swap_with_slice(place);
            self.node_rhs
                .copy_from_slice(self.update.left_column(column));
            self.row_rhs.fill(0.0);
            self.solve_sparse(layout);
            let place = &mut self.update.solved[node_range..node_range + nodes];
            self.node_rhs.swap_with_slice(place);
            let place = &mut self.update.solved_rows[row_range..row_range + rows];
            self.row_rhs.swap_with_slice(place);
        }
        let sign = self.update.factor().map_err(|pivot| Singular {
            item: Item::Node(0),
            pivot,
            scale: 1.0,
        })?;
        self.determinant_sign *= sign;
        Ok(())
    }

    /// Replaces the right-hand side by the solution.
    pub fn solve(&mut self, layout: &Layout<N>) {
        debug_assert_eq!(self.stage, Stage::Factored);
        self.solve_sparse(layout);
        if self.update.rank() > 0 {
            self.update.correct(&mut self.node_rhs, &mut self.row_rhs);
        }
    }

    /// The same without the part of low rank.
    #[inline]
    fn solve_sparse(&mut self, layout: &Layout<N>) {
        for segment in &layout.segments {
            self.condense_rhs(segment);
        }
        let values = self.band.values_mut();
        for &(node, position) in &layout.skeleton {
            values[position..position + N].copy_from_slice(self.node_rhs[node].as_slice());
        }
        for (&position, &value) in layout.row_position.iter().zip(&self.row_rhs) {
            values[position] = value;
        }
        self.band.solve(&layout.shape);
        let values = self.band.values_mut();
        for &(node, position) in &layout.skeleton {
            self.node_rhs[node].copy_from_slice(&values[position..position + N]);
        }
        for (&position, value) in layout.row_position.iter().zip(&mut self.row_rhs) {
            *value = values[position];
        }
        for segment in &layout.segments {
            self.expand(segment);
        }
    }

    /// The sign of the determinant of the factorised matrix, 1 or −1; 0 before `factor` and after its
    /// failure.
    pub fn determinant_sign(&self) -> f64 {
        self.determinant_sign
    }

    /// The matrix before `factor`: node unknowns in the order of the nodes, then constraint rows.
    pub fn to_dense(&self, layout: &Layout<N>) -> DMatrix<f64> {
        debug_assert_eq!(self.stage, Stage::Assembly);
        let size = layout.unknown_count();
        let mut dense = DMatrix::zeros(size, size);
        let mut add = |row: usize, column: usize, block: &SMatrix<f64, N, N>| {
            let mut view = dense.fixed_view_mut::<N, N>(row * N, column * N);
            view += block;
        };
        for (node, block) in self.diagonal.iter().enumerate() {
            add(node, node, block);
        }
        for segment in &layout.segments {
            for offset in 0..=segment.interior {
                let (node, element) = (segment.left + offset, segment.first_element + offset);
                add(node, node + 1, &self.upper[element]);
                add(node + 1, node, &self.lower[element]);
            }
        }
        let dense_index = |unknown: usize| match layout.owner[unknown] {
            Item::Node(node) => node * N + unknown - layout.node_position[node],
            Item::Row(row) => layout.node_count() * N + row,
        };
        for row in 0..layout.skeleton_size() {
            for column in 0..layout.skeleton_size() {
                dense[(dense_index(row), dense_index(column))] +=
                    self.band.entry(&layout.shape, row, column);
            }
        }
        self.update.add_to(&mut dense);
        dense
    }

    /// Eliminates the interior nodes of a segment, adds the result to the band and returns the sign
    /// of the product of their determinants.
    fn condense(&mut self, layout: &Layout<N>, segment: &Segment) -> Result<f64, Singular> {
        let Segment {
            left,
            interior,
            first_element,
            first_link,
            starts_beam,
        } = *segment;
        let zero = [[0.0; N]; N];
        let mut sign = 1.0;
        let [left_diagonal, diagonals @ ..] = &self.diagonal[left..=left + interior + 1] else {
            return Ok(sign);
        };
        let uppers = &self.upper[first_element..=first_element + interior];
        let lowers = &self.lower[first_element..=first_element + interior];
        let links = &mut self.links[first_link..=first_link + interior];
        let corner = if starts_beam {
            &left_diagonal.data.0
        } else {
            &zero
        };
        for k in 0..N {
            links[0].diagonal_row[k] = [diagonals[0].data.0[k], uppers[0].data.0[k]];
            links[0].column_corner[k] = [lowers[0].data.0[k], corner[k]];
        }
        for index in 0..=interior {
            let node = left + 1 + index;
            let [link, rest @ ..] = &mut links[index..] else {
                break;
            };
            let [next, ..] = rest else { break };
            sign *= chain::eliminate(
                link,
                next,
                &diagonals[index].data.0,
                &diagonals[index + 1].data.0,
                &uppers[index + 1].data.0,
                &lowers[index + 1].data.0,
            )
            .map_err(|NoInverse { pivot, scale }| Singular {
                item: Item::Node(node),
                pivot,
                scale,
            })?;
        }
        let left = layout.node_position[left];
        let right = layout.node_position[segment.right()];
        let Link {
            column_corner,
            diagonal_row,
            ..
        } = &links[interior];
        self.band
            .add_half(&layout.shape, left, left, column_corner, 1);
        self.band
            .add_half(&layout.shape, left, right, diagonal_row, 1);
        self.band
            .add_half(&layout.shape, right, left, column_corner, 0);
        self.band
            .add_half(&layout.shape, right, right, diagonal_row, 0);
        Ok(sign)
    }

    /// Carries the right-hand sides of the interior nodes of a segment to its ends, (4).
    #[inline(always)]
    pub(super) fn condense_rhs(&mut self, segment: &Segment) {
        let Segment {
            left,
            interior,
            first_link,
            ..
        } = *segment;
        let links = &self.links[first_link..first_link + interior];
        let [left_rhs, rhs @ ..] = &mut self.node_rhs[left..=left + interior + 1] else {
            return;
        };
        let mut value = rhs[0].data.0[0];
        let mut left_value = left_rhs.data.0[0];
        for (link, next) in links.iter().zip(&mut rhs[1..]) {
            let mut tall = [next.data.0[0], left_value];
            chain::subtract_tall(&mut tall, &link.transfer, &value);
            [value, left_value] = tall;
            next.data.0[0] = value;
        }
        left_rhs.data.0[0] = left_value;
    }

    /// Solves for the interior nodes of a segment, (5).
    #[inline(always)]
    pub(super) fn expand(&mut self, segment: &Segment) {
        let Segment {
            left,
            interior,
            first_link,
            first_element,
            ..
        } = *segment;
        let links = &self.links[first_link..first_link + interior];
        let uppers = &self.upper[first_element + 1..first_element + 1 + interior];
        let left_value = self.node_rhs[left].data.0[0];
        let mut value = self.node_rhs[segment.right()].data.0[0];
        let nodes = &mut self.node_rhs[left + 1..left + 1 + interior];
        for ((node, link), upper) in nodes.iter_mut().zip(links).zip(uppers).rev() {
            value = chain::expand(link, &upper.data.0, &node.data.0[0], &left_value, &value);
            node.data.0[0] = value;
        }
    }
}
