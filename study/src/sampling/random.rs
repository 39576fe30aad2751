//! A counter-based random generator: every number is a function of the seed and of where it is
//! used, so that no run depends on another.
//!
//! Philox4x32-10 (`salmon2011`): ten rounds on the counter `c` (four 32-bit words) with the key `k`
//! (two words),
//!
//! ```text
//! c ← (hi(M1 c2) ⊕ c1 ⊕ k0, lo(M1 c2), hi(M0 c0) ⊕ c3 ⊕ k1, lo(M0 c0)),   k ← k + (W0, W1)   (1)
//! u = (⌊x / 2¹²⌋ + ½) / 2⁵²,   0 < u < 1                                                      (2)
//! ```
//!
//! with x the first 64 bits of the result. In (2) the half keeps u away from 0 and 1, where
//! quantiles are infinite, and 52 bits keep it exact.

const M0: u64 = 0xD251_1F53;
const M1: u64 = 0xCD9E_8D57;
const W0: u32 = 0x9E37_79B9;
const W1: u32 = 0xBB67_AE85;
const ROUNDS: usize = 10;

/// What a number is used for; numbers of different use are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Stream {
    /// Independent points.
    MonteCarlo = 1,
    /// The place inside a stratum of a Latin hypercube.
    LatinPlace = 2,
    /// Round keys of a keyed permutation.
    PermutationKey = 3,
    /// Decisions of a keyed permutation.
    PermutationBit = 4,
    /// Digits of a scrambled Sobol' sequence.
    Scramble = 5,
    /// Resampling for confidence intervals.
    Bootstrap = 6,
    /// Which run of a round goes to which shard.
    Shard = 7,
    /// The order of equal values.
    Ties = 8,
    /// Which values are kept of very many.
    Thinning = 9,
    /// Moves of a Markov chain.
    Chain = 10,
    /// Points of importance sampling.
    Importance = 11,
    /// Candidates for further points near a boundary.
    Candidates = 12,
}

/// A random generator without state: a seed, and a function of the place of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generator {
    seed: u64,
}

impl Generator {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// 64 random bits for the place (`stream`, `dimension`, `level`, `index`).
    pub fn bits(&self, stream: Stream, dimension: u32, level: u16, index: u64) -> u64 {
        let place = u32::from(level) << 16 | u32::from(stream as u16);
        let word = philox4x32(
            [index as u32, (index >> 32) as u32, dimension, place],
            [self.seed as u32, (self.seed >> 32) as u32],
        );
        u64::from(word[1]) << 32 | u64::from(word[0])
    }

    /// A uniform number in the open interval (0, 1) for the place.
    pub fn uniform(&self, stream: Stream, dimension: u32, index: u64) -> f64 {
        open_unit(self.bits(stream, dimension, 0, index))
    }

    /// A uniform integer in `0..bound` for the place; the bias is below `bound`/2⁶⁴.
    pub fn below(&self, bound: u64, stream: Stream, dimension: u32, level: u16, index: u64) -> u64 {
        let bits = self.bits(stream, dimension, level, index);
        ((u128::from(bits) * u128::from(bound)) >> 64) as u64
    }
}

/// 52 of the bits as a number in the open interval (0, 1).
pub(crate) fn open_unit(bits: u64) -> f64 {
    const SCALE: f64 = 1.0 / (1_u64 << 52) as f64;
    ((bits >> 12) as f64 + 0.5) * SCALE // (2)
}

fn philox4x32(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..ROUNDS {
        let p0 = M0 * u64::from(counter[0]);
        let p1 = M1 * u64::from(counter[2]);
        counter = [
            (p1 >> 32) as u32 ^ counter[1] ^ key[0],
            p1 as u32,
            (p0 >> 32) as u32 ^ counter[3] ^ key[1],
            p0 as u32,
        ]; // (1)
        key = [key[0].wrapping_add(W0), key[1].wrapping_add(W1)];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The three known answers published with Random123 for philox4x32-10.
    #[test]
    fn philox_gives_the_published_answers() {
        let ones = u32::MAX;
        assert_eq!(
            philox4x32([0; 4], [0; 2]),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            philox4x32([ones; 4], [ones; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox4x32(
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0]
            ),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn unit_numbers_stay_inside_the_open_interval() {
        assert!(open_unit(0) > 0.0);
        assert!(open_unit(u64::MAX) < 1.0);
        assert_eq!(open_unit(u64::MAX), 1.0 - open_unit(0));
    }

    #[test]
    fn bounded_integers_are_below_the_bound_and_cover_it() {
        let generator = Generator::new(7);
        let mut seen = [0_u32; 5];
        for index in 0..1000 {
            seen[generator.below(5, Stream::Bootstrap, 0, 0, index) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| n > 150), "{seen:?}");
    }

    /// Mean and variance of 100,000 numbers within four standard errors of 1/2 and 1/12.
    #[test]
    fn uniform_numbers_have_the_moments_of_the_uniform_distribution() {
        let generator = Generator::new(1);
        let n = 100_000;
        let (mut sum, mut square) = (0.0, 0.0);
        for index in 0..n {
            let u = generator.uniform(Stream::MonteCarlo, 3, index) - 0.5;
            sum += u;
            square += u * u;
        }
        let n = n as f64;
        assert!((sum / n).abs() < 4.0 * (1.0 / 12.0 / n).sqrt());
        assert!((square / n - 1.0 / 12.0).abs() < 4.0 * (1.0 / 180.0 / n).sqrt());
    }
}
