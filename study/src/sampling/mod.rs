//! From the number of a run to its inputs: a function of the study and of that number alone.
//!
//! Every design gives a point u of the unit cube, which the quantile functions of the inputs take to
//! values. With n runs in d dimensions (`mckay1979`, `saltelli2010`):
//!
//! ```text
//! Monte Carlo       u_j = U(i, j)                                                           (1)
//! Latin hypercube   u_j = (π_j(i mod b) + U(i, j)) / b,  π_j a random permutation of 0 … b−1,
//!                   another one for each of the blocks ⌊i/b⌋                                (2)
//! Sobol'            u = point ⌊i/R⌋ of scramble i mod R                                     (3)
//! Saltelli          run i = (d+2) m + c: A_m for c = 0; A_m with coordinate c taken from B_m
//!                   for 1 ≤ c ≤ d; B_m for c = d+1; (A_m, B_m) is in 2d dimensions
//!                   point ⌊m/R⌋ of scramble m mod R                                         (4)
//! Morris            run i = (d+1) m + c: A_m for c = 0, A_m with coordinate c taken from B_m
//!                   else; A_m and B_m are independent points                                (4a)
//! grid              i in mixed radix, the last input fastest                                (5)
//! ```
//!
//! Blocks and scrambles are independent of each other, which is where the intervals of estimates come
//! from; a run never depends on how many runs there are (unless one Latin hypercube is made of all).
//!
//! Correlated inputs leave their strata: with a copula, (2) and (3) hold for the independent numbers
//! that it mixes.

pub mod copula;
pub mod distribution;
pub mod normal;
pub mod permutation;
pub mod random;
pub mod sobol;

use crate::description::{JointShape, Sampling, Study};
use crate::error::{Result, setting};
use crate::value::Value;
use copula::Copula;
use distribution::Distribution;
use permutation::Permutation;
use random::{Generator, Stream};
use sobol::Sobol;
use std::f64::consts::PI;

/// Gives the inputs of any run.
#[derive(Debug, Clone)]
pub struct Sampler {
    generator: Generator,
    runs: u64,
    design: Design,
    distributions: Vec<Distribution>,
    copula: Option<Copula>,
    joints: Vec<Together>,
}

/// Inputs that are limited together.
#[derive(Debug, Clone)]
struct Together {
    inputs: Vec<usize>,
    shape: JointShape,
    radius: f64,
}

#[derive(Debug, Clone)]
enum Design {
    Grid,
    /// One hypercube of the whole study.
    LatinHypercube(Vec<Permutation>),
    /// Hypercubes of this many runs each.
    LatinBlocks(u64),
    /// The sequence and how many scrambles of it there are.
    Sobol(Sobol, u64),
    MonteCarlo,
    Saltelli(Sobol, u64),
    Morris,
    /// A row for each run.
    Listed(Vec<Vec<Value>>),
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
        let scrambles = u64::from(study.scrambles.unwrap_or(1).max(1));
        let design = match study.sampling {
            Sampling::Grid => Design::Grid,
            Sampling::LatinHypercube => match study.block.unwrap_or(0) {
                0 => Design::LatinHypercube(
                    (0..d)
                        .map(|j| Permutation::new(generator, j as u32, runs))
                        .collect(),
                ),
                block => Design::LatinBlocks(u64::from(block)),
            },
            Sampling::Sobol => Design::Sobol(sequence(d)?, scrambles),
            Sampling::MonteCarlo => Design::MonteCarlo,
            Sampling::Saltelli => Design::Saltelli(sequence(2 * d)?, scrambles),
            Sampling::Morris => Design::Morris,
            Sampling::Design => Design::Listed(study.design_values()?),
        };
        let copula = Copula::new(&study.correlated_pairs()?, "correlate")?;
        let place = |key: &String| study.vary.iter().position(|v| &v.key == key);
        let together = |joint: &crate::description::Joint| Together {
            inputs: joint.keys.iter().filter_map(place).collect(),
            shape: joint.shape,
            radius: joint.radius,
        };
        Ok(Self {
            joints: study.joint.iter().map(together).collect(),
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
        match &self.design {
            Design::Grid => return self.grid_values(run),
            Design::Listed(rows) => return rows.get(run as usize).cloned().unwrap_or_default(),
            _ => {}
        }
        let point = self.point(run);
        let mut values: Vec<Value> = self
            .distributions
            .iter()
            .zip(&point)
            .map(|(d, &u)| d.quantile(u))
            .collect();
        for (j, score) in self.copula.iter().flat_map(|copula| copula.scores(&point)) {
            values[j] = self.distributions[j].at_score(score);
        }
        for joint in &self.joints {
            let u: Vec<f64> = joint.inputs.iter().map(|&j| point[j]).collect();
            for (&j, x) in joint
                .inputs
                .iter()
                .zip(in_shape(joint.shape, joint.radius, &u))
            {
                values[j] = Value::Real(x);
            }
        }
        values
    }

    /// The point of run `run` in the unit cube; NaN where the design has none.
    pub fn point(&self, run: u64) -> Vec<f64> {
        (0..self.distributions.len())
            .map(|j| self.coordinate(run, j))
            .collect()
    }

    /// Coordinate `j` of the point of run `run` in the unit cube.
    fn coordinate(&self, run: u64, j: usize) -> f64 {
        match &self.design {
            Design::Grid | Design::Listed(_) => f64::NAN,
            Design::MonteCarlo => {
                self.generator.uniform(Stream::MonteCarlo, j as u32, run) // (1)
            }
            Design::LatinHypercube(permutations) => {
                let stratum = permutations[j].apply(run);
                self.in_stratum(stratum, self.runs, run, j)
            }
            Design::LatinBlocks(block) => {
                let (number, place) = (run / block, (run % block) as usize);
                let stratum =
                    permutation::shuffled(&self.generator, j as u32, number, *block, place);
                self.in_stratum(stratum, *block, run, j)
            }
            Design::Sobol(sequence, scrambles) => {
                let (index, scramble) = (run / scrambles, run % scrambles);
                sequence.scrambled(&self.generator, scramble as u32, index as u32, j) // (3)
            }
            Design::Morris => {
                let d = self.distributions.len();
                let (sample, member) = (run / (d as u64 + 1), (run % (d as u64 + 1)) as usize);
                let dimension = if member == j + 1 { d + j } else { j };
                let stream = Stream::MonteCarlo;
                self.generator.uniform(stream, dimension as u32, sample) // (4a)
            }
            Design::Saltelli(sequence, scrambles) => {
                let d = self.distributions.len();
                let (sample, member) = (run / (d as u64 + 2), (run % (d as u64 + 2)) as usize);
                let from_b = member == d + 1 || member == j + 1;
                let dimension = if from_b { d + j } else { j };
                let (index, scramble) = (sample / scrambles, sample % scrambles);
                sequence.scrambled(&self.generator, scramble as u32, index as u32, dimension) // (4)
            }
        }
    }

    /// A random place in a stratum. As many random digits as leave stratum and place exact together,
    /// so that rounding cannot lead into the next stratum.
    fn in_stratum(&self, stratum: u64, strata: u64, run: u64, j: usize) -> f64 {
        let digits = 48 - (64 - strata.leading_zeros());
        let bits = self.generator.bits(Stream::LatinPlace, j as u32, 0, run) >> (64 - digits);
        let place = (bits as f64 + 0.5) / (1_u64 << digits) as f64;
        (stratum as f64 + place) / strata as f64 // (2)
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

/// A point that fills a shape evenly when u fills the unit cube evenly:
///
/// ```text
/// disc   ρ = R √u_1, angle 2π u_2;   ball   ρ = R ∛u_1, height ρ (1 − 2 u_2), angle 2π u_3     (6)
/// ```
///
/// On the circle and on the sphere ρ = R.
fn in_shape(shape: JointShape, radius: f64, u: &[f64]) -> Vec<f64> {
    let turn = |u: f64| (libm::cos(2.0 * PI * u), libm::sin(2.0 * PI * u));
    match (shape, u) {
        (JointShape::Disc | JointShape::Circle, &[a, b]) => {
            let rho = if shape == JointShape::Disc {
                radius * a.sqrt()
            } else {
                radius
            };
            let (c, s) = turn(b);
            vec![rho * c, rho * s]
        }
        (JointShape::Ball | JointShape::Sphere, &[a, b, c]) => {
            let rho = if shape == JointShape::Ball {
                radius * libm::cbrt(a)
            } else {
                radius
            };
            let height = 1.0 - 2.0 * b;
            let across = (1.0 - height * height).max(0.0).sqrt();
            let (c, s) = turn(c);
            vec![rho * across * c, rho * across * s, rho * height]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
