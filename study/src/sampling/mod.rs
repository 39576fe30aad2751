//! From the number of a run to its inputs: a function of the study and of that number alone.
//!
//! Every design gives a point u of the unit cube, which the quantile functions of the inputs take to
//! values. With n runs in d dimensions (`mckay1979`, `saltelli2010`):
//!
//! ```text
//! Monte Carlo       u_j = U(i, j)                                                           (1)
//! Latin hypercube   u_j = (π_j(i) + U(i, j)) / n,  π_j a random permutation of 0 … n−1       (2)
//! Sobol'            u = scrambled point i                                                   (3)
//! Saltelli          run i = (d+2) m + c: A_m for c = 0; A_m with coordinate c taken from B_m
//!                   for 1 ≤ c ≤ d; B_m for c = d+1; (A_m, B_m) is Sobol' point m in 2d dims (4)
//! grid              i in mixed radix, the last input fastest                                (5)
//! ```
//!
//! Correlated inputs leave their strata: with a copula, (2) and (3) hold for the independent numbers
//! that it mixes.

pub mod copula;
pub mod distribution;
pub mod normal;
pub mod permutation;
pub mod random;
pub mod sobol;

use crate::description::{Sampling, Study};
use crate::error::{Result, setting};
use crate::value::Value;
use copula::Copula;
use distribution::Distribution;
use permutation::Permutation;
use random::{Generator, Stream};
use sobol::Sobol;

/// Gives the inputs of any run.
#[derive(Debug, Clone)]
pub struct Sampler {
    generator: Generator,
    runs: u64,
    design: Design,
    distributions: Vec<Distribution>,
    copula: Option<Copula>,
}

#[derive(Debug, Clone)]
enum Design {
    Grid,
    LatinHypercube(Vec<Permutation>),
    Sobol(Sobol),
    MonteCarlo,
    Saltelli(Sobol),
}

impl Sampler {
    /// The sampler of a study.
    pub fn new(study: &Study) -> Result<Self> {
        study.validate()?;
        let generator = Generator::new(study.seed);
        let runs = study.run_count()?;
        let distributions = study.distributions()?;
        let d = distributions.len();
        let sequence = |dimensions: usize| {
            Sobol::new(dimensions).ok_or_else(|| {
                setting(
                    "vary",
                    format!("{d} keys"),
                    "too many for a Sobol' sequence",
                )
            })
        };
        let design = match study.sampling {
            Sampling::Grid => Design::Grid,
            Sampling::LatinHypercube => Design::LatinHypercube(
                (0..d)
                    .map(|j| Permutation::new(generator, j as u32, runs))
                    .collect(),
            ),
            Sampling::Sobol => Design::Sobol(sequence(d)?),
            Sampling::MonteCarlo => Design::MonteCarlo,
            Sampling::Saltelli => Design::Saltelli(sequence(2 * d)?),
        };
        let copula = Copula::new(&study.correlated_pairs()?, "correlate")?;
        Ok(Self {
            generator,
            runs,
            design,
            distributions,
            copula,
        })
    }

    /// Number of runs.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Distributions of the inputs.
    pub fn distributions(&self) -> &[Distribution] {
        &self.distributions
    }

    /// The inputs of run `run`, which must be below the number of runs.
    pub fn values(&self, run: u64) -> Vec<Value> {
        debug_assert!(run < self.runs);
        if let Design::Grid = self.design {
            return self.grid_values(run);
        }
        let point: Vec<f64> = (0..self.distributions.len())
            .map(|j| self.coordinate(run, j))
            .collect();
        let mut values: Vec<Value> = self
            .distributions
            .iter()
            .zip(&point)
            .map(|(d, &u)| d.quantile(u))
            .collect();
        for (j, score) in self.copula.iter().flat_map(|copula| copula.scores(&point)) {
            values[j] = self.distributions[j].at_score(score);
        }
        values
    }

    /// Coordinate `j` of the point of run `run` in the unit cube.
    fn coordinate(&self, run: u64, j: usize) -> f64 {
        match &self.design {
            Design::Grid => f64::NAN,
            Design::MonteCarlo => {
                self.generator.uniform(Stream::MonteCarlo, j as u32, run) // (1)
            }
            Design::LatinHypercube(permutations) => {
                let stratum = permutations[j].apply(run);
                self.in_stratum(stratum, run, j)
            }
            Design::Sobol(sequence) => sequence.scrambled(&self.generator, run as u32, j), // (3)
            Design::Saltelli(sequence) => {
                let d = self.distributions.len();
                let (sample, member) = (run / (d as u64 + 2), (run % (d as u64 + 2)) as usize);
                let from_b = member == d + 1 || member == j + 1;
                let dimension = if from_b { d + j } else { j };
                sequence.scrambled(&self.generator, sample as u32, dimension) // (4)
            }
        }
    }

    /// A random place in a stratum. As many random digits as leave stratum and place exact together,
    /// so that rounding cannot lead into the next stratum.
    fn in_stratum(&self, stratum: u64, run: u64, j: usize) -> f64 {
        let digits = 48 - (64 - self.runs.leading_zeros());
        let bits = self.generator.bits(Stream::LatinPlace, j as u32, 0, run) >> (64 - digits);
        let place = (bits as f64 + 0.5) / (1_u64 << digits) as f64;
        (stratum as f64 + place) / self.runs as f64 // (2)
    }

    fn grid_values(&self, run: u64) -> Vec<Value> {
        let mut rest = run;
        let mut values = Vec::with_capacity(self.distributions.len());
        for distribution in self.distributions.iter().rev() {
            let levels = distribution.levels().unwrap_or_default();
            let size = levels.len().max(1) as u64;
            values.extend(levels.get((rest % size) as usize).cloned()); // (5)
            rest /= size;
        }
        values.reverse();
        values
    }
}

#[cfg(test)]
mod tests;
