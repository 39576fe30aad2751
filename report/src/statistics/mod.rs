//! Pictures of many runs at once: distributions, relations, sensitivities.

mod bars;
mod histogram;
mod map;
mod parallel;
mod scatter;

pub use bars::{Bar, Bars, Estimate};
pub use histogram::Histogram;
pub use map::Map;
pub use parallel::{Dimension, Parallel};
pub use scatter::{Group, Line, Scatter};

/// At most `most` of `count` indices, evenly spread, in order: what is left out does not depend on
/// the values.
fn spread(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    (0..most).map(|i| i * count / most).collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn thinning_is_even_and_bounded() {
        assert_eq!(spread(3, 10), [0, 1, 2]);
        assert_eq!(spread(10, 5), [0, 2, 4, 6, 8]);
        assert!(spread(0, 5).is_empty());
    }
}
