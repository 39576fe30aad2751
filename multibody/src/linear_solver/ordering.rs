//! An elimination order of the skeleton that keeps the work of a banded factorisation small.
//!
//! With `first(i)` and `last(i)` the first and last column of row i, elimination of column j with
//! partial pivoting touches
//!
//! ```text
//! rows    j … reach(j),  reach(j) = max { i : first(i) ≤ j }                   (1)
//! columns j … fill(j),   fill(j)  = max { last(i) : i ≤ reach(j) }             (2)
//! work = Σ_j  a + (reach(j) − j) (fill(j) − j + b)                             (3)
//! ```
//!
//! where a and b stand for the cost of a pivot and of a row, in multiply-adds.
//! Candidates come from the Cuthill–McKee order of every start item, forwards and backwards; the
//! best one is improved by moving single items.

/// Cost of the pivot search and of the division, a in (3).
const PIVOT_COST: usize = 20;
/// Cost of starting a row, b in (3).
const ROW_COST: usize = 3;
/// Connected parts with more items than this are not tried from every start.
const START_LIMIT: usize = 64;
/// Connected parts with more items than this are not improved by moves.
const MOVE_LIMIT: usize = 40;

/// Items with their sizes and the couplings between them.
pub(super) struct ItemGraph {
    /// Unknowns per item.
    pub sizes: Vec<usize>,
    /// Items coupled with each item, without itself, without repetition.
    pub neighbours: Vec<Vec<usize>>,
}

impl ItemGraph {
    /// A graph without couplings.
    pub fn new(sizes: Vec<usize>) -> Self {
        let neighbours = vec![Vec::new(); sizes.len()];
        Self { sizes, neighbours }
    }

    /// Couples two different items.
    pub fn connect(&mut self, a: usize, b: usize) {
        if a != b && !self.neighbours[a].contains(&b) {
            self.neighbours[a].push(b);
            self.neighbours[b].push(a);
        }
    }

    /// The items in the order of elimination.
    pub fn elimination_order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.sizes.len());
        let mut seen = vec![false; self.sizes.len()];
        for item in 0..self.sizes.len() {
            if seen[item] {
                continue;
            }
            let part = self.cuthill_mckee(item);
            for &member in &part {
                seen[member] = true;
            }
            order.extend(self.best_order(part));
        }
        order
    }

    /// The best order found for one connected part.
    fn best_order(&self, part: Vec<usize>) -> Vec<usize> {
        let mut starts = part.clone();
        starts.sort_unstable_by_key(|&item| (self.weight(item), item));
        starts.truncate(START_LIMIT);
        let mut best_work = self.work(&part);
        let mut best = part;
        for start in starts {
            let mut order = self.cuthill_mckee(start);
            for _ in 0..2 {
                let work = self.work(&order);
                if work < best_work {
                    best_work = work;
                    best.clone_from(&order);
                }
                order.reverse();
            }
        }
        if best.len() <= MOVE_LIMIT {
            self.improve(&mut best, best_work);
        }
        best
    }

    /// Moves single items while this reduces the work.
    fn improve(&self, order: &mut Vec<usize>, mut best_work: usize) {
        let mut improved = true;
        while improved {
            improved = false;
            for from in 0..order.len() {
                for to in 0..order.len() {
                    let item = order.remove(from);
                    order.insert(to, item);
                    let work = self.work(order);
                    if work < best_work {
                        best_work = work;
                        improved = true;
                    } else {
                        let item = order.remove(to);
                        order.insert(from, item);
                    }
                }
            }
        }
    }

    /// Unknowns coupled with an item.
    fn weight(&self, item: usize) -> usize {
        self.neighbours[item]
            .iter()
            .map(|&other| self.sizes[other])
            .sum()
    }

    /// Breadth first from `start`, lighter neighbours first; visits the whole connected part.
    fn cuthill_mckee(&self, start: usize) -> Vec<usize> {
        let mut order = vec![start];
        let mut seen = vec![false; self.sizes.len()];
        seen[start] = true;
        let mut next = 0;
        while next < order.len() {
            let level = order.len();
            for &other in &self.neighbours[order[next]] {
                if !seen[other] {
                    seen[other] = true;
                    order.push(other);
                }
            }
            order[level..].sort_unstable_by_key(|&item| (self.weight(item), item));
            next += 1;
        }
        order
    }

    /// Multiply-adds of a factorisation of the ordered items, (3).
    pub fn work(&self, order: &[usize]) -> usize {
        let (first, last) = self.row_extents(order);
        let reach = reach(&first);
        let fill = fill(&reach, &last);
        let column_work = |j: usize| PIVOT_COST + (reach[j] - j) * (fill[j] - j + ROW_COST);
        (0..reach.len()).map(column_work).sum() // (3)
    }

    /// First and last column of every row of the ordered items.
    pub fn row_extents(&self, order: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let mut start = vec![usize::MAX; self.sizes.len()];
        let mut size = 0;
        for &item in order {
            start[item] = size;
            size += self.sizes[item];
        }
        let mut first = Vec::with_capacity(size);
        let mut last = Vec::with_capacity(size);
        for &item in order {
            let (mut low, mut end) = (start[item], start[item] + self.sizes[item]);
            for &other in &self.neighbours[item] {
                if start[other] != usize::MAX && self.sizes[other] > 0 {
                    low = low.min(start[other]);
                    end = end.max(start[other] + self.sizes[other]);
                }
            }
            for _ in 0..self.sizes[item] {
                first.push(low);
                last.push(end - 1);
            }
        }
        (first, last)
    }
}

/// The last row that elimination of each column can touch, (1).
pub(super) fn reach(first: &[usize]) -> Vec<usize> {
    let mut reach: Vec<usize> = (0..first.len()).collect();
    for (i, &column) in first.iter().enumerate() {
        reach[column] = reach[column].max(i);
    }
    for j in 1..reach.len() {
        reach[j] = reach[j].max(reach[j - 1]);
    }
    reach
}

/// The last column that elimination of each column can touch, (2).
pub(super) fn fill(reach: &[usize], last: &[usize]) -> Vec<usize> {
    let mut furthest = last.to_vec();
    for i in 1..furthest.len() {
        furthest[i] = furthest[i].max(furthest[i - 1]);
    }
    reach.iter().map(|&row| furthest[row]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All orders of `count` items.
    fn permutations(count: usize) -> Vec<Vec<usize>> {
        let Some(last) = count.checked_sub(1) else {
            return vec![Vec::new()];
        };
        let shorter = permutations(last);
        let insertions = shorter.iter().flat_map(|order| {
            (0..count).map(move |place| {
                let mut order = order.clone();
                order.insert(place, last);
                order
            })
        });
        insertions.collect()
    }

    #[test]
    fn order_of_the_spatial_leg_is_the_best_of_all() {
        // Crank, beam ends, and the constraints to ground, between them, and at the tip.
        let mut graph = ItemGraph::new(vec![6, 6, 6, 5, 4, 3]);
        for (a, b) in [(0, 3), (0, 4), (1, 4), (1, 2), (2, 5)] {
            graph.connect(a, b);
        }
        let least = permutations(6).iter().map(|order| graph.work(order)).min();
        assert_eq!(Some(graph.work(&graph.elimination_order())), least);
    }

    #[test]
    fn separate_parts_stay_together() {
        let mut graph = ItemGraph::new(vec![3; 6]);
        for (a, b) in [(0, 2), (2, 4), (1, 3), (3, 5)] {
            graph.connect(a, b);
        }
        let order = graph.elimination_order();
        assert!(order[..3].iter().all(|item| item % 2 == order[0] % 2));
    }

    /// Row 3 reaches back to column 0, and so do the rows between; the fill follows from row 2.
    #[test]
    fn reach_and_fill_bound_the_elimination() {
        let reach = reach(&[0, 1, 2, 0, 4]);
        assert_eq!(reach, [3, 3, 3, 3, 4]);
        assert_eq!(fill(&reach, &[3, 1, 4, 3, 4]), [4, 4, 4, 4, 4]);
    }
}
