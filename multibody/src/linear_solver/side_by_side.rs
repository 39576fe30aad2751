//! Several right-hand sides that differ at the skeleton only, solved side by side.
//!
//! A port ([`crate::port`]) needs the solution for its model's own residual and one for each of its
//! directions, whose right-hand sides are zero at all interior nodes. The residual is carried to the
//! skeleton once, (4) of the module [`super`]; the band is then solved for [`LANES`] columns at a time, so
//! that every factor is loaded once for all of them; and only the sum of the columns that is wanted in
//! the end goes back to the interior nodes, (5).

use super::System;
use super::layout::Layout;
use nalgebra::SVector;

/// Columns that are solved at a time: four numbers fill two or one registers of most processors.
pub(super) const LANES: usize = 4;

/// Columns of unknowns at the skeleton: right-hand sides, then solutions. Column 0 is the one that may
/// have right-hand sides at interior nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct SkeletonColumns {
    /// Groups of [`LANES`] columns; in each group, one entry per unknown, followed by zeros.
    groups: Vec<Vec<[f64; LANES]>>,
    count: usize,
}

impl SkeletonColumns {
    /// So many columns of zeros.
    pub fn new<const N: usize>(layout: &Layout<N>, count: usize) -> Self {
        let length = layout.shape.padded_size();
        Self {
            groups: vec![vec![[0.0; LANES]; length]; count.div_ceil(LANES)],
            count,
        }
    }

    /// Sets all columns but the first to zero.
    pub fn clear_directions(&mut self) {
        for (index, group) in self.groups.iter_mut().enumerate() {
            let first = usize::from(index == 0);
            for entry in group {
                entry[first..].fill(0.0);
            }
        }
    }

    /// The entry of a constraint row.
    #[inline]
    pub fn row<const N: usize>(&self, layout: &Layout<N>, column: usize, row: usize) -> f64 {
        self.groups[column / LANES][layout.row_position[row]][column % LANES]
    }

    /// Sets the entry of a constraint row.
    #[inline]
    pub fn set_row<const N: usize>(
        &mut self,
        layout: &Layout<N>,
        column: usize,
        row: usize,
        value: f64,
    ) {
        self.groups[column / LANES][layout.row_position[row]][column % LANES] = value;
    }

    /// The entries of a skeleton node.
    pub fn node<const N: usize>(
        &self,
        layout: &Layout<N>,
        column: usize,
        node: usize,
    ) -> SVector<f64, N> {
        let position = layout.node_position[node];
        debug_assert_ne!(position, usize::MAX, "an interior node");
        let group = &self.groups[column / LANES];
        SVector::from_fn(|k, _| group[position + k][column % LANES])
    }

    /// Sets the entries of a skeleton node.
    pub fn set_node<const N: usize>(
        &mut self,
        layout: &Layout<N>,
        column: usize,
        node: usize,
        values: &SVector<f64, N>,
    ) {
        let position = layout.node_position[node];
        debug_assert_ne!(position, usize::MAX, "an interior node");
        let group = &mut self.groups[column / LANES];
        for (entry, value) in group[position..].iter_mut().zip(values) {
            entry[column % LANES] = *value;
        }
    }

    /// Sets a column to what a solution at all nodes has at the skeleton.
    pub fn set_column<const N: usize>(
        &mut self,
        layout: &Layout<N>,
        column: usize,
        (nodes, rows): (&[SVector<f64, N>], &[f64]),
    ) {
        for &(node, _) in &layout.skeleton {
            self.set_node(layout, column, node, &nodes[node]);
        }
        for (row, value) in rows.iter().enumerate() {
            self.set_row(layout, column, row, *value);
        }
    }
}

impl<const N: usize> System<N> {
    /// Carries the right-hand side to the skeleton, where it becomes column 0, and solves for all
    /// columns there. What is left at the interior nodes stays in `node_rhs` for
    /// [`complete`](Self::complete). For systems without a part of low rank.
    pub fn solve_columns(&mut self, layout: &Layout<N>, columns: &mut SkeletonColumns) {
        self.gather(layout, columns);
        for group in &mut columns.groups {
            self.band.solve_lanes(&layout.shape, group);
        }
    }

    /// The same for column 0 alone; the others stay what they are.
    pub fn solve_first_column(&mut self, layout: &Layout<N>, columns: &mut SkeletonColumns) {
        self.gather(layout, columns);
        let group = &mut columns.groups[0][..layout.skeleton_size()];
        for (value, entry) in self.band.values_mut().iter_mut().zip(&*group) {
            *value = entry[0];
        }
        self.band.solve(&layout.shape);
        for (value, entry) in self.band.values_mut().iter().zip(group) {
            entry[0] = *value;
        }
    }

    /// Makes the right-hand side the solution: column 0 and the others times `factors`.
    pub fn complete(&mut self, layout: &Layout<N>, columns: &SkeletonColumns, factors: &[f64]) {
        debug_assert_eq!(factors.len() + 1, columns.count);
        // The zeros behind the unknowns stay what they are, whatever is in the columns.
        let values = &mut self.band.values_mut()[..layout.skeleton_size()];
        for (value, entry) in values.iter_mut().zip(&columns.groups[0]) {
            *value = entry[0];
        }
        for (index, factor) in (1..).zip(factors) {
            let (group, lane) = (&columns.groups[index / LANES], index % LANES);
            for (value, entry) in values.iter_mut().zip(group) {
                *value += entry[lane] * factor;
            }
        }
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

    /// Carries the right-hand side to the skeleton as column 0.
    fn gather(&mut self, layout: &Layout<N>, columns: &mut SkeletonColumns) {
        debug_assert_eq!(self.update.rank(), 0);
        for segment in &layout.segments {
            self.condense_rhs(segment);
        }
        let group = &mut columns.groups[0];
        for entry in group.iter_mut() {
            entry[0] = 0.0;
        }
        for &(node, position) in &layout.skeleton {
            for (entry, value) in group[position..].iter_mut().zip(&self.node_rhs[node]) {
                entry[0] = *value;
            }
        }
        for (&position, &value) in layout.row_position.iter().zip(&self.row_rhs) {
            group[position][0] = value;
        }
    }
}
