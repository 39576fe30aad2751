//! A keyed permutation of 0..n, computed for one element at a time: no table, whatever n.
//!
//! Swap-or-not (`hoang2012`): in round r the element x has the partner x' = (K_r − x) mod n; a bit
//! that depends on r and on max(x, x') says whether the two change places,
//!
//! ```text
//! x ← x'  if B_r(max(x, x')) = 1,   r = 1 … R                                              (1)
//! ```
//!
//! K_r and B_r come from the generator. It works for every n, small ones included, unlike Feistel
//! networks, which need cycle walking and are poor on a few bits. After R ≈ 6 log₂ n rounds the
//! distribution of the permutation is close to uniform; we take more.

use super::random::{Generator, Stream};

/// A random permutation of `0..size`.
#[derive(Debug, Clone)]
pub struct Permutation {
    generator: Generator,
    dimension: u32,
    size: u64,
    round_keys: Vec<u64>,
}

impl Permutation {
    /// The permutation of `0..size` that belongs to `dimension`.
    pub fn new(generator: Generator, dimension: u32, size: u64) -> Self {
        let bits = 64 - size.leading_zeros() as u16;
        let rounds = 32 + 8 * bits;
        let round_keys = (0..rounds)
            .map(|r| generator.below(size.max(1), Stream::PermutationKey, dimension, r, 0))
            .collect();
        Self {
            generator,
            dimension,
            size,
            round_keys,
        }
    }

    /// Where `x`, which must be below the size, goes.
    pub fn apply(&self, mut x: u64) -> u64 {
        debug_assert!(x < self.size);
        for (round, &key) in self.round_keys.iter().enumerate() {
            let partner = if key >= x {
                key - x
            } else {
                key + self.size - x
            };
            let bits = self.generator.bits(
                Stream::PermutationBit,
                self.dimension,
                round as u16,
                x.max(partner),
            );
            if bits & 1 == 1 {
                x = partner; // (1)
            }
        }
        x
    }
}

/// Where `place` goes in a random permutation of `0..size` that belongs to `dimension` and `block`,
/// by shuffling all of it (Fisher and Yates): faster than [`Permutation`] for small sizes.
pub fn shuffled(generator: &Generator, dimension: u32, block: u64, size: u64, place: usize) -> u64 {
    // Levels that no permutation by rounds reaches.
    const LEVEL: u16 = 0x4000;
    let mut order: Vec<u16> = (0..size as u16).collect();
    let mut bits = 0;
    for (draw, last) in (1..order.len()).rev().enumerate() {
        if draw % 2 == 0 {
            let level = LEVEL + (draw / 2) as u16;
            bits = generator.bits(Stream::PermutationKey, dimension, level, block);
        }
        let chosen = ((bits & 0xFFFF_FFFF) * (last as u64 + 1)) >> 32;
        order.swap(last, chosen as usize);
        bits >>= 32;
    }
    order.get(place).copied().map_or(0, u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_hit_once() {
        for size in [1_u64, 2, 3, 7, 64, 100, 1000] {
            let permutation = Permutation::new(Generator::new(5), 2, size);
            let mut hit = vec![false; size as usize];
            for x in 0..size {
                let y = permutation.apply(x) as usize;
                assert!(!hit[y], "{y} is hit twice of {size}");
                hit[y] = true;
            }
        }
    }

    /// All 24 permutations of four elements appear equally often: χ² of 23 degrees of freedom below
    /// its 99.9 % point 49.73.
    #[test]
    fn small_permutations_are_uniform() {
        check_uniform(|seed, x| Permutation::new(Generator::new(seed), 0, 4).apply(x));
        check_uniform(|block, x| shuffled(&Generator::new(7), 3, block, 4, x as usize));
    }

    fn check_uniform(permuted: impl Fn(u64, u64) -> u64) {
        let trials = 24_000_u32;
        let mut counts = std::collections::BTreeMap::new();
        for number in 0..trials {
            let order = [0, 1, 2, 3].map(|x| permuted(u64::from(number), x));
            *counts.entry(order).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        let expected = f64::from(trials) / 24.0;
        let chi_square: f64 = counts
            .values()
            .map(|&n| (f64::from(n) - expected).powi(2) / expected)
            .sum();
        assert!(chi_square < 49.73, "χ² = {chi_square}");
    }
}
