//! Which rows of a study are independent of each other.
//!
//! Intervals that take rows for independent are wrong for most designs: too narrow for Saltelli's,
//! whose rows share coordinates, too wide for Latin hypercubes and Sobol' sequences, and without any
//! meaning for a grid. What is independent are *blocks* of rows: whole Latin hypercubes, whole
//! scrambles of a sequence. With B blocks, e_i the influence of row i on an estimate (they add up to
//! zero) and E_b the sum of e_i over block b, the variance of the estimate is that of a sum of
//! independent parts (`korn1999`, with one stratum),
//!
//! ```text
//! s² = B/(B − 1) Σ_b E_b²                                                                  (1)
//! ```
//!
//! and estimate ± t s with Student's t of B − 1 degrees of freedom is its interval. A mean is skewed as
//! its parts are. With γ their skewness and c = γ/√B the ratio T of error to s is transformed to one that
//! is symmetrical to second order (`hall1992`),
//!
//! ```text
//! g(T) = T + c T²/3 + c² T³/27 + c/6,    T(g) = (3/c) (∛(1 + c (g − c/6)) − 1)             (2)
//! ```
//!
//! so that the interval of a mean goes from estimate − s T(t) to estimate − s T(−t). A sample has less
//! skewness than what it is drawn from, because most samples miss most of a long tail, so that 1.6 γ takes
//! the place of γ where the parts are single rows; where these are hardly skewed, it makes no difference.
//!
//! A few blocks with a long tail tell their variance badly. With n draws that are independent of each
//! other but for their blocks (rows, or groups of Saltelli's design) of skewness γ, blocks are only
//! counted on if
//!
//! ```text
//! n > 100 γ²                                                                               (3)
//! ```
//!
//! Otherwise the draws are taken for independent, which makes the interval wider than need be. All of
//! this holds in simulations (docs/coverage.md) if, moreover,
//!
//! ```text
//! n > 6 γ²                                                                                 (4)
//! ```
//!
//! With fewer draws the interval of the mean is given with that reservation. Draws that hold m_k rows are
//! worth
//!
//! ```text
//! n = (Σ m_k)²/Σ m_k²                                                                      (5)
//! ```
//!
//! of equal size, and Student's t has one degree of freedom less (`kish1965`).

use super::Interval;
use super::special::student_score;
use crate::description::Sampling;
use crate::plan::Plan;

/// Fewest blocks or draws that say something about a variance; rows in fewer blocks are taken for
/// independent.
const FEWEST_BLOCKS: usize = 8;
/// The same of draws that have given rows in very different numbers, as the runs with an event do.
const FEWEST_UNEQUAL: f64 = 20.0;
/// Skewness of what rows are drawn from over that of a sample with a long tail (2).
const MISSED_SKEWNESS: f64 = 1.6;
/// Draws per square of their skewness from which on blocks are counted on (3).
const DRAWS_FOR_BLOCKS: f64 = 100.0;
/// Draws per square of their skewness that the interval of a mean needs (4).
const DRAWS_FOR_MEAN: f64 = 6.0;

/// How far an interval can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// It holds as often as it says.
    Nominal,
    /// It holds at least as often as it says: it is wider than need be.
    Conservative,
    /// It holds if the rows are independent, which is not known of a design from outside.
    IfIndependent,
    /// It may hold less often than it says: the values have a long tail for their number, and runs that
    /// would move the mean are missing from most samples.
    LongTail,
}

impl Coverage {
    /// What stands in front of the percentage.
    pub fn words(self) -> &'static str {
        match self {
            Self::Nominal => "",
            Self::Conservative => "at least ",
            Self::IfIndependent => "(if rows are independent) ",
            Self::LongTail => "perhaps, the tail being long, less than ",
        }
    }

    /// Its name for programs.
    pub fn key(self) -> &'static str {
        match self {
            Self::Nominal => "nominal",
            Self::Conservative => "conservative",
            Self::IfIndependent => "if_independent",
            Self::LongTail => "long_tail",
        }
    }
}

/// Which rows belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependence {
    /// Block of each row, numbered from zero; none when every row is one by itself.
    blocks: Option<Vec<u32>>,
    /// Number of blocks; rows if there are none.
    count: usize,
    coverage: Coverage,
    /// Whether anything was drawn at random; nothing is on a grid.
    random: bool,
    /// Rows that hold one independent draw: 1, or the size of a group of Saltelli's design.
    group: u64,
    /// Which of these draws each row is of, where they are neither rows nor blocks.
    draws: Option<Vec<u32>>,
}

/// Any numbers as numbers from zero in order of appearance, and how many there are.
fn numbered(keys: impl Iterator<Item = u64>) -> (Vec<u32>, usize) {
    let mut numbers = std::collections::BTreeMap::new();
    let places = keys
        .map(|key| {
            let next = numbers.len() as u32;
            *numbers.entry(key).or_insert(next)
        })
        .collect();
    (places, numbers.len())
}

impl Dependence {
    /// Rows that are independent of each other.
    pub fn independent(rows: usize) -> Self {
        Self {
            blocks: None,
            count: rows,
            coverage: Coverage::Nominal,
            random: true,
            group: 1,
            draws: None,
        }
    }

    /// Rows in blocks that are independent of each other; `block_of` gives any number per row.
    pub fn in_blocks(block_of: impl Iterator<Item = u64>) -> Self {
        let (blocks, count) = numbered(block_of);
        Self {
            count,
            blocks: Some(blocks),
            ..Self::independent(0)
        }
    }

    /// That of the given runs of a study.
    pub fn of(plan: &Plan, runs: &[u64]) -> Self {
        let study = plan.study();
        let independent = |coverage| Self {
            coverage,
            ..Self::independent(runs.len())
        };
        let group = plan.inputs().len() as u64 + 2;
        let grouped = |blocks: u64, size: u64| {
            let found = Self::in_blocks(runs.iter().map(|run| run / size % blocks));
            Self {
                group: size,
                draws: (size > 1).then(|| numbered(runs.iter().map(|run| run / size)).0),
                ..found
            }
        };
        match study.sampling {
            Sampling::MonteCarlo => independent(Coverage::Nominal),
            // A group shares most of its coordinates; groups are independent.
            Sampling::Morris => grouped(u64::MAX, group - 1),
            Sampling::Grid => Self {
                random: false,
                ..independent(Coverage::Nominal)
            },
            Sampling::Design => independent(Coverage::IfIndependent),
            Sampling::Sobol => match study.scrambles.unwrap_or(1) {
                few if (few as usize) < FEWEST_BLOCKS => independent(Coverage::Conservative),
                scrambles => grouped(u64::from(scrambles), 1).or_independent(runs.len()),
            },
            Sampling::LatinHypercube => {
                let size = study.block.map_or(plan.runs(), u64::from).max(1);
                Self::in_blocks(runs.iter().map(|run| run / size)).or_independent(runs.len())
            }
            // One scramble: the samples are taken for independent.
            Sampling::Saltelli => match study.scrambles.unwrap_or(1) {
                few if (few as usize) < FEWEST_BLOCKS => Self {
                    coverage: Coverage::Conservative,
                    ..grouped(u64::MAX, group)
                },
                scrambles => grouped(u64::from(scrambles), group),
            },
        }
    }

    /// The same, or independent rows where the blocks are too few; their interval is then wide
    /// enough, because a block spreads its points more evenly than chance does.
    fn or_independent(self, rows: usize) -> Self {
        if self.count >= FEWEST_BLOCKS {
            return self;
        }
        Self {
            coverage: Coverage::Conservative,
            ..Self::independent(rows)
        }
    }

    /// How far intervals can be trusted.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// Whether there are intervals at all: not on a grid, where nothing was drawn at random.
    pub fn has_intervals(&self) -> bool {
        self.random
    }

    /// Whether every row is independent of all others.
    pub(crate) fn is_by_row(&self) -> bool {
        self.blocks.is_none()
    }

    /// Whether there are enough independent rows or blocks to say something about a variance.
    pub(crate) fn has_blocks(&self) -> bool {
        self.blocks.is_none() || self.count >= FEWEST_BLOCKS
    }

    /// Number of blocks.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Rows that one independent draw gave: 1, or the size of a group of Saltelli's design.
    pub(crate) fn group(&self) -> u64 {
        self.group
    }

    /// That of some of the rows, by their places.
    pub fn of_rows(&self, places: impl Iterator<Item = usize>) -> Self {
        let Some(blocks) = &self.blocks else {
            return Self {
                count: places.count(),
                ..self.clone()
            };
        };
        let places: Vec<usize> = places.collect();
        let of = |all: &[u32]| numbered(places.iter().map(|&place| u64::from(all[place])));
        let (blocks, count) = of(blocks);
        Self {
            blocks: Some(blocks),
            count,
            draws: self.draws.as_ref().map(|draws| of(draws).0),
            coverage: self.coverage,
            random: self.random,
            group: self.group,
        }
    }

    /// Standard error of an estimate from the influences of the rows, which add up to zero, and its
    /// degrees of freedom; none with fewer than two blocks.
    pub(crate) fn standard_error(
        &self,
        influences: impl Iterator<Item = f64>,
    ) -> Option<(f64, f64)> {
        if self.count < 2 {
            return None;
        }
        Some(error_of(&self.parts(influences)))
    }

    /// Influences of what is independent: of every row, or of every block.
    fn parts(&self, influences: impl Iterator<Item = f64>) -> Vec<f64> {
        match &self.blocks {
            None => influences.collect(),
            Some(blocks) => sums(influences, blocks),
        }
    }

    /// The interval of an estimate, with the given confidence.
    pub(crate) fn interval(
        &self,
        estimate: f64,
        influences: impl Iterator<Item = f64>,
        confidence: f64,
    ) -> Option<Interval> {
        if !self.random {
            return None;
        }
        let (error, freedom) = self.standard_error(influences)?;
        let reach = student_score(confidence, freedom) * error;
        Some(Interval {
            low: estimate - reach,
            high: estimate + reach,
        })
    }

    /// The interval of a mean, which is skewed as its parts are, with the given confidence, and how far it
    /// can be trusted; none of a few draws or blocks and of values that are all the same.
    pub(crate) fn interval_of_mean(
        &self,
        mean: f64,
        influences: &[f64],
        confidence: f64,
    ) -> Option<(Interval, Coverage)> {
        if !self.random || !self.has_blocks() {
            return None;
        }
        let draws = match &self.draws {
            Some(draws) => sums(influences.iter().copied(), draws),
            None => influences.to_vec(),
        };
        let worth = self.worth(draws.len(), influences.len());
        if worth < FEWEST_BLOCKS as f64 {
            return None;
        }
        let skewed = skewness(&draws)?;
        let enough = draws.len() as f64 / (skewed * skewed);
        let mut coverage = self.coverage;
        let (parts, skewed) = match &self.blocks {
            Some(blocks) if enough > DRAWS_FOR_BLOCKS => {
                let parts = sums(influences.iter().copied(), blocks);
                let skewed = skewness(&parts).unwrap_or(0.0);
                (parts, skewed)
            }
            blocks => {
                // What is independent may be the blocks themselves.
                let further = blocks.is_some() && draws.len() > self.count;
                if further && coverage == Coverage::Nominal {
                    coverage = Coverage::Conservative;
                }
                (draws, MISSED_SKEWNESS * skewed)
            }
        };
        let (error, freedom) = error_of(&parts);
        let freedom = freedom.min(worth - 1.0);
        let c = skewed / (parts.len() as f64).sqrt();
        let score = student_score(confidence, freedom);
        let end = |g: f64| mean - error * skewed_score(g, c);
        let promised = matches!(coverage, Coverage::Nominal | Coverage::Conservative);
        if promised && enough < DRAWS_FOR_MEAN {
            coverage = Coverage::LongTail;
        }
        let interval = Interval {
            low: end(score),
            high: end(-score),
        };
        Some((interval, coverage))
    }

    /// How many draws of equal size those are worth that the rows come from (5); none where they are of
    /// very different sizes and too few.
    fn worth(&self, draws: usize, rows: usize) -> f64 {
        let Some(draw_of) = &self.draws else {
            return draws as f64;
        };
        let sizes = sums(core::iter::repeat_n(1.0, rows), draw_of);
        let squares: f64 = sizes.iter().map(|m| m * m).sum();
        let worth = (rows as f64).powi(2) / squares;
        if worth < 0.9 * draws as f64 && worth < FEWEST_UNEQUAL {
            return 0.0;
        }
        worth
    }
}

/// Sums of the influences of each part.
fn sums(influences: impl Iterator<Item = f64>, part_of: &[u32]) -> Vec<f64> {
    let count = part_of.iter().max().map_or(0, |last| *last as usize + 1);
    let mut sums = vec![0.0; count];
    for (e, &part) in influences.zip(part_of) {
        sums[part as usize] += e;
    }
    sums
}

/// Standard error from the influences of what is independent, and its degrees of freedom.
fn error_of(parts: &[f64]) -> (f64, f64) {
    let b = parts.len() as f64;
    let largest = largest(parts);
    if largest == 0.0 {
        return (0.0, b - 1.0);
    }
    // In units of the largest, because squares of very small numbers vanish.
    let squares: f64 = parts.iter().map(|e| (e / largest).powi(2)).sum();
    (largest * (b / (b - 1.0) * squares).sqrt(), b - 1.0) // (1)
}

fn largest(parts: &[f64]) -> f64 {
    parts.iter().fold(0.0, |all: f64, e| all.max(e.abs()))
}

/// Skewness of parts that add up to zero; none if they are all zero.
fn skewness(parts: &[f64]) -> Option<f64> {
    let largest = largest(parts);
    let moment = |power: i32| {
        let sum: f64 = parts.iter().map(|e| (e / largest).powi(power)).sum();
        sum / parts.len() as f64
    };
    let (second, third) = (moment(2), moment(3));
    (largest > 0.0).then(|| third / (second * second.sqrt()))
}

/// Skewness below which (2) is its argument to ten digits.
const SYMMETRICAL: f64 = 1e-5;

/// T(g) of (2).
fn skewed_score(g: f64, c: f64) -> f64 {
    if c.abs() < SYMMETRICAL {
        return g;
    }
    3.0 / c * (libm::cbrt(1.0 + c * (g - c / 6.0)) - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (2) there and back, and its limit.
    #[test]
    fn the_skewed_score_undoes_the_transformation() {
        for c in [-0.9, -0.1, 1e-4, 0.3, 1.0] {
            for g in [-2.5, -1.0, 0.0, 0.7, 2.5] {
                let t = skewed_score(g, c);
                let back = t + c * t * t / 3.0 + c * c * t.powi(3) / 27.0 + c / 6.0;
                assert!((back - g).abs() < 1e-11, "{c}, {g}: {back}");
            }
        }
        let (below, above) = (skewed_score(2.0, 0.999e-5), skewed_score(2.0, 1.001e-5));
        assert!((below - above).abs() < 2e-5);
    }

    /// Independent rows give the usual standard error of a mean; blocks that hold a value twice give
    /// that of the values, not that of twice as many.
    #[test]
    fn repeated_rows_do_not_count_twice() {
        let x = [1.0, 4.0, 2.0, 8.0, 5.0, 7.0];
        let mean = x.iter().sum::<f64>() / 6.0;
        let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 5.0;
        let single = Dependence::independent(6).standard_error(x.iter().map(|x| (x - mean) / 6.0));
        let twice = Dependence::in_blocks((0..12).map(|i| i / 2))
            .standard_error((0..12).map(|i| (x[i / 2] - mean) / 12.0));
        for found in [single, twice] {
            let (error, freedom) = found.unwrap();
            assert!((error - (variance / 6.0).sqrt()).abs() < 1e-14);
            assert_eq!(freedom, 5.0);
        }
        assert_eq!(
            Dependence::independent(1).standard_error([0.0].into_iter()),
            None
        );
    }

    /// Runs 0 to `runs` of a study of three inputs.
    fn of(sampling: &str, runs: u64) -> Dependence {
        let range = "distribution = 'uniform'\nmin = 0.0\nmax = 1.0\n";
        let vary = ["a", "b", "c"].map(|key| format!("[[vary]]\nkey = '{key}'\n{range}"));
        let head = format!("name = 's'\nruns = {runs}\nsampling = {sampling}\n");
        let study = crate::Study::parse(&(head + &vary.concat()), "test").unwrap();
        let plan = Plan::new(study, toml::Table::new(), &[], "1").unwrap();
        Dependence::of(&plan, &(0..runs).collect::<Vec<_>>())
    }

    /// Which runs belong together is known from how they were made: trajectories of Morris' design
    /// are of one run more than there are inputs, groups of Saltelli's of two more, run i of a Sobol'
    /// sequence is of scramble i mod their number, Latin hypercubes follow one after the other.
    #[test]
    fn runs_that_were_drawn_together_are_of_one_block() {
        type Case = (&'static str, u64, u64, usize, fn(u64) -> u64);
        let cases: [Case; 4] = [
            ("'morris'", 40, 4, 10, |run| run / 4),
            ("'saltelli'\nscrambles = 8", 80, 5, 8, |run| run / 5 % 8),
            ("'sobol'\nscrambles = 16", 64, 1, 16, |run| run % 16),
            ("'latin_hypercube'\nblock = 5", 40, 1, 8, |run| run / 5),
        ];
        for (sampling, runs, group, count, block) in cases {
            let found = of(sampling, runs);
            assert_eq!((found.group(), found.count()), (group, count), "{sampling}");
            assert_eq!(found.coverage(), Coverage::Nominal, "{sampling}");
            let blocks = found.blocks.as_ref().expect(sampling);
            for run in 0..runs {
                assert_eq!(u64::from(blocks[run as usize]), block(run), "{sampling}");
            }
            assert!(found.has_blocks() && found.has_intervals() && !found.is_by_row());
            let some = found.of_rows(0..2 * group as usize);
            assert_eq!((some.group(), some.coverage()), (group, Coverage::Nominal));
        }
    }

    /// Rows are taken for independent where they are, and where there are too few blocks, which
    /// makes intervals wider than need be. Nothing is drawn on a grid.
    #[test]
    fn rows_by_themselves_say_how_far_their_intervals_hold() {
        for (sampling, runs, coverage) in [
            ("'monte_carlo'", 40, Coverage::Nominal),
            ("'sobol'\nscrambles = 7", 28, Coverage::Conservative),
            ("'latin_hypercube'\nblock = 5", 35, Coverage::Conservative),
        ] {
            let found = of(sampling, runs);
            assert!(found.is_by_row() && found.has_blocks(), "{sampling}");
            assert_eq!(found.count(), runs as usize, "{sampling}");
            assert_eq!(found.coverage(), coverage, "{sampling}");
        }
        let saltelli = of("'saltelli'\nscrambles = 7", 35);
        assert_eq!(saltelli.coverage(), Coverage::Conservative);
        assert_eq!((saltelli.count(), saltelli.group()), (7, 5));
        assert!(!saltelli.has_blocks());
    }
}
