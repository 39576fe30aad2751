//! Sobol' sequences, any point by its number, scrambled by Owen's method.
//!
//! With the primitive polynomial x^s + a_1 x^(s−1) + … + a_(s−1) x + 1 of a dimension, the direction
//! numbers V_k (32-bit words, the leading bit is 1/2) and the points follow (`joe2008`)
//!
//! ```text
//! V_k = a_1 V_(k−1) ⊕ … ⊕ a_(s−1) V_(k−s+1) ⊕ V_(k−s) ⊕ V_(k−s) / 2^s                       (1)
//! x_i = g_1 V_1 ⊕ g_2 V_2 ⊕ …,   g = i ⊕ ⌊i/2⌋                                              (2)
//! ```
//!
//! Nested uniform scrambling (`owen1995`): digit b of a point is flipped by a random bit that
//! depends on the dimension and on the digits 1 … b−1 in front of it,
//!
//! ```text
//! y_b = x_b ⊕ π(x_1 … x_(b−1))                                                             (3)
//! ```
//!
//! Each scrambled point is uniform on the unit cube and the net structure stays; no point lies on
//! the border. The digits behind the 32nd are random and depend on all in front of them.

mod directions;

use super::random::{Generator, Stream};
use directions::ROWS;

/// Dimensions the table of direction numbers covers.
pub const MAX_DIMENSIONS: usize = ROWS.len() + 1;

const BITS: usize = 32;

/// Digits of a coordinate behind the 32 of the sequence; 52 in all.
const EXTRA_BITS: u32 = 20;

/// The Sobol' sequence in up to [`MAX_DIMENSIONS`] dimensions.
#[derive(Debug, Clone)]
pub struct Sobol {
    /// Direction numbers, one row for each dimension.
    directions: Vec<[u32; BITS]>,
}

impl Sobol {
    /// The sequence in `dimensions` dimensions; none when the table does not reach so far.
    pub fn new(dimensions: usize) -> Option<Self> {
        if dimensions > MAX_DIMENSIONS {
            return None;
        }
        let directions = (0..dimensions).map(direction_numbers).collect();
        Some(Self { directions })
    }

    /// Coordinate `dimension` of point `index`, times 2³².
    pub fn raw(&self, index: u32, dimension: usize) -> u32 {
        let mut gray = index ^ (index >> 1);
        let mut x = 0;
        while gray != 0 {
            x ^= self.directions[dimension][gray.trailing_zeros() as usize]; // (2)
            gray &= gray - 1;
        }
        x
    }

    /// Coordinate `dimension` of point `index` of a scramble, in the open interval (0, 1). Scrambles
    /// are numbered from zero and independent of each other.
    pub fn scrambled(
        &self,
        generator: &Generator,
        scramble: u32,
        index: u32,
        dimension: usize,
    ) -> f64 {
        const SCALE: f64 = 1.0 / (1_u64 << 52) as f64;
        // Dimensions are below 256.
        let place = dimension as u32 | scramble << 8;
        let x = self.raw(index, dimension);
        let mut y = 0_u32;
        for digit in 0..BITS as u32 {
            let before = if digit == 0 { 0 } else { x >> (32 - digit) };
            let random = generator.bits(Stream::Scramble, place, digit as u16, u64::from(before));
            let flipped = (x >> (31 - digit) & 1) ^ (random & 1) as u32; // (3)
            y = y << 1 | flipped;
        }
        let tail = generator.bits(Stream::Scramble, place, BITS as u16, u64::from(x));
        let all = u64::from(y) << EXTRA_BITS | tail >> (64 - EXTRA_BITS);
        (all as f64 + 0.5) * SCALE
    }
}

fn direction_numbers(dimension: usize) -> [u32; BITS] {
    let mut v = [0_u32; BITS];
    if dimension == 0 {
        for (k, word) in v.iter_mut().enumerate() {
            *word = 1 << (31 - k);
        }
        return v;
    }
    let directions::Row(polynomial, initial) = ROWS[dimension - 1];
    let s = initial.len();
    for (k, &m) in initial.iter().enumerate() {
        v[k] = m << (31 - k);
    }
    for k in s..BITS {
        let mut word = v[k - s] ^ (v[k - s] >> s);
        for j in 1..s {
            if polynomial >> (s - j) & 1 == 1 {
                word ^= v[k - j];
            }
        }
        v[k] = word; // (1)
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points in Gray-code order, times 2³², dimensions 1, 2, 3, 4, 21, 32 and 64, as other
    /// implementations with the numbers of Joe and Kuo give them (SciPy, `qmc.Sobol`).
    const KNOWN: [(u32, [u32; 7]); 7] = [
        (0, [0; 7]),
        (1, [2147483648; 7]),
        (
            2,
            [
                3221225472, 1073741824, 1073741824, 1073741824, 1073741824, 1073741824, 3221225472,
            ],
        ),
        (
            4,
            [
                1610612736, 1610612736, 2684354560, 3758096384, 536870912, 536870912, 536870912,
            ],
        ),
        (
            7,
            [
                536870912, 2684354560, 1610612736, 536870912, 3758096384, 3758096384, 1610612736,
            ],
        ),
        (
            100,
            [
                1778384896, 1107296256, 3321888768, 3120562176, 3254779904, 1778384896, 2785017856,
            ],
        ),
        (
            1023,
            [
                4194304, 3233808384, 2629828608, 624951296, 3720347648, 2638217216, 171966464,
            ],
        ),
    ];

    #[test]
    fn points_are_the_known_ones() {
        let sobol = Sobol::new(64).unwrap();
        for (index, expected) in KNOWN {
            let found = [0, 1, 2, 3, 20, 31, 63].map(|d| sobol.raw(index, d));
            assert_eq!(found, expected, "point {index}");
        }
        assert!(Sobol::new(65).is_none());
    }

    /// Any 2^m consecutive points from the start hold one point in each of 2^m equal intervals, in
    /// every dimension, scrambled or not.
    #[test]
    fn scrambling_keeps_every_dimension_stratified() {
        let sobol = Sobol::new(64).unwrap();
        let generator = Generator::new(99);
        for dimension in 0..64 {
            let mut hit = [false; 256];
            for index in 0..256 {
                let cell = (sobol.scrambled(&generator, 0, index, dimension) * 256.0) as usize;
                assert!(
                    !std::mem::replace(&mut hit[cell], true),
                    "dimension {dimension}"
                );
            }
        }
    }

    /// The first two dimensions are a (0, m, 2)-net: 64 points, one in each box of area 1/64.
    #[test]
    fn scrambling_keeps_the_net() {
        let sobol = Sobol::new(2).unwrap();
        let generator = Generator::new(3);
        for rows in 0..=6_u32 {
            let (across, down) = (f64::from(1 << rows), f64::from(1 << (6 - rows)));
            let mut boxes = std::collections::BTreeSet::new();
            for index in 0..64 {
                let x = sobol.scrambled(&generator, 0, index, 0) * across;
                let y = sobol.scrambled(&generator, 0, index, 1) * down;
                boxes.insert((x as u32, y as u32));
            }
            assert_eq!(boxes.len(), 64, "{rows}");
        }
    }

    /// Point 0, the corner when not scrambled, is uniform over the seeds: mean 1/2 within four
    /// standard errors.
    #[test]
    fn a_scrambled_point_is_uniform() {
        let sobol = Sobol::new(1).unwrap();
        let n = 4000;
        let mean = (0..n)
            .map(|seed| sobol.scrambled(&Generator::new(seed), 0, 0, 0))
            .sum::<f64>()
            / n as f64;
        assert!(
            (mean - 0.5).abs() < 4.0 * (1.0 / 12.0 / n as f64).sqrt(),
            "{mean}"
        );
    }
}
