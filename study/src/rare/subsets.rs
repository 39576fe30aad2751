//! Points inside a rare event, by subset simulation.
//!
//! Levels b_1 < b_2 < … < b are chosen such that a share p₀ of the points of a level lies above the
//! next (`au2001`). Points above a level come from those that are there by chains that leave the
//! distribution as it is (`papaioannou2015`),
//!
//! ```text
//! z' = √(1 − σ²) z + σ ξ,   taken if g(z') > b_k, else z stays                              (1)
//! ```
//!
//! with σ set after every step so that some 40 % of them are taken. The last level is the event
//! itself. The product of the shares is an estimate of the probability too, but one whose levels come
//! from the points that they count (it is biased) and whose points hang together; it is not used.

use super::Settings;
use crate::sampling::normal;
use crate::sampling::random::{Generator, Stream};

/// Levels at most: with a tenth per level, probabilities down to 1e-12.
const MOST_LEVELS: u32 = 12;

/// A share of the points that goes on to the next level.
const SHARE: f64 = 0.1;

/// A point and its figure.
#[derive(Debug, Clone, PartialEq)]
struct Point {
    z: Vec<f64>,
    g: f64,
}

/// One repetition.
#[derive(Debug, Clone)]
struct Repetition {
    /// Points of this level.
    level: Vec<Point>,
    /// Last points of the chains.
    heads: Vec<Point>,
    /// What the chains try.
    proposals: Vec<Vec<f64>>,
    threshold: f64,
    levels: u32,
    sigma: f64,
    /// Whether it is over.
    done: bool,
}

/// A search for points inside the event.
#[derive(Debug, Clone)]
pub(super) struct Subsets {
    settings: Settings,
    generator: Generator,
    repetitions: Vec<Repetition>,
    stage: u64,
}

impl Subsets {
    /// A search that has not begun.
    pub(super) fn new(settings: Settings) -> Self {
        let one = Repetition {
            level: Vec::new(),
            heads: Vec::new(),
            proposals: Vec::new(),
            threshold: f64::NEG_INFINITY,
            levels: 0,
            sigma: 0.6,
            done: false,
        };
        let mut out = Self {
            settings,
            generator: Generator::new(settings.seed),
            repetitions: vec![one; settings.repetitions.max(1)],
            stage: 0,
        };
        for r in 0..out.repetitions.len() {
            let fresh = (0..settings.points).map(|i| out.noise(r, i)).collect();
            out.repetitions[r].proposals = fresh;
        }
        out
    }

    /// Independent normal numbers for a point of this stage.
    fn noise(&self, repetition: usize, point: usize) -> Vec<f64> {
        let index = self.stage << 32 | (repetition as u64) << 20 | point as u64;
        let score = |j| normal::quantile(self.generator.uniform(Stream::Chain, j as u32, index));
        (0..self.settings.inputs).map(score).collect()
    }

    /// The points of this stage; none when the search is over.
    pub(super) fn points(&self) -> Vec<Vec<f64>> {
        let all = self.repetitions.iter();
        all.flat_map(|r| r.proposals.iter().cloned()).collect()
    }

    /// Takes the figures of the points of this stage, in their order, and goes to the next. NaN
    /// exceeds nothing.
    pub(super) fn advance(&mut self, figures: &[f64]) {
        let mut figures = figures.iter();
        self.stage += 1;
        for r in 0..self.repetitions.len() {
            if self.repetitions[r].done {
                continue;
            }
            let (limit, points) = (self.settings.limit, self.settings.points);
            let repetition = &mut self.repetitions[r];
            let proposals = std::mem::take(&mut repetition.proposals);
            let tried = proposals.into_iter().map(|z| {
                let g = figures.next().copied().filter(|g| !g.is_nan());
                let g = g.unwrap_or(f64::NEG_INFINITY);
                Point { z, g }
            });
            let tried = tried.collect();
            repetition.take(tried);
            if repetition.level.len() >= points {
                repetition.next_level(limit, points);
            }
            if !self.repetitions[r].done {
                let heads = self.repetitions[r].heads.len();
                let noise: Vec<Vec<f64>> = (0..heads).map(|i| self.noise(r, i)).collect();
                self.repetitions[r].propose(&noise);
            }
        }
    }

    /// The points inside the event that were found; a chain that stays somewhere counts it again.
    pub(super) fn inside(&self) -> Vec<Vec<f64>> {
        let all = self.repetitions.iter().flat_map(|r| &r.level);
        let inside = all.filter(|point| point.g > self.settings.limit);
        inside.map(|point| point.z.clone()).collect()
    }
}

impl Repetition {
    /// Takes the points that were tried: all of the first level, then the steps of the chains.
    fn take(&mut self, tried: Vec<Point>) {
        if self.heads.is_empty() {
            self.level = tried;
            return;
        }
        let mut taken = 0_usize;
        for (head, point) in self.heads.iter_mut().zip(tried) {
            if point.g > self.threshold {
                *head = point; // (1)
                taken += 1;
            }
            self.level.push(head.clone());
        }
        let rate = taken as f64 / self.heads.len().max(1) as f64;
        self.sigma = (self.sigma * libm::exp(0.5 * (rate - 0.4))).clamp(0.05, 1.0);
    }

    /// The next level begins with the points above it; the last is the event.
    fn next_level(&mut self, limit: f64, points: usize) {
        let seeds = ((self.level.len() as f64 * SHARE).round() as usize).max(1);
        self.level.sort_by(|a, b| b.g.total_cmp(&a.g));
        let beyond = self.level.iter().filter(|point| point.g > limit).count();
        if self.threshold >= limit || beyond >= points {
            self.done = true;
            return;
        }
        let (threshold, going_on) = match beyond >= seeds {
            true => (limit, beyond),
            // The level lies between the last point that goes on and the first that does not.
            false => {
                let next = self.level[seeds.min(self.level.len() - 1)].g;
                (0.5 * (self.level[seeds - 1].g + next), seeds)
            }
        };
        let stuck = threshold.is_nan() || threshold.is_infinite() || threshold <= self.threshold;
        if stuck || self.levels >= MOST_LEVELS {
            self.done = true;
            return;
        }
        self.levels += 1;
        self.threshold = threshold;
        self.level.truncate(going_on);
        self.heads = self.level.clone();
    }

    fn propose(&mut self, noise: &[Vec<f64>]) {
        let keep = (1.0 - self.sigma * self.sigma).max(0.0).sqrt();
        let step = |(head, noise): (&Point, &Vec<f64>)| {
            let pairs = head.z.iter().zip(noise);
            pairs.map(|(z, xi)| keep * z + self.sigma * xi).collect() // (1)
        };
        self.proposals = self.heads.iter().zip(noise).map(step).collect();
    }
}
