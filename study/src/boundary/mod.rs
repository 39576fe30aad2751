//! Where an event begins: a map over two or three inputs, from runs near its boundary.
//!
//! The first points fill the box evenly. Then, stage by stage, a classifier is fitted to all runs
//! (`classifier.rs`), and the next points are those of many candidates with the largest
//!
//! ```text
//! P (1 − P) (1 − exp(−(r/δ)²))                                                             (1)
//! ```
//!
//! P the probability of the event there, r the distance to the nearest point that is there or chosen,
//! δ = ½ n^(−1/d) the distance of n points that fill the box. Every fourth point is the candidate
//! farthest from all others, so that a second region is not overlooked. Coordinates are shares of the
//! range of each input.
//!
//! The boundary is where P = ½. The event is sure where P > 1 − α/2, impossible where P < α/2; what lies
//! between is the uncertainty of the boundary, which further runs shrink. Its shares of the box bound
//! the share of the event.

pub(crate) mod classifier;

use crate::sampling::random::{Generator, Stream};
use crate::sampling::sobol::Sobol;
use classifier::{Classifier, Kernel};

/// Candidates for the next points.
const CANDIDATES: u64 = 1200;
/// Sweeps of the search for parameters in a stage, and at the end.
const SWEEPS: [usize; 2] = [1, 6];

/// How a boundary is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Seed.
    pub seed: u64,
    /// Inputs: two or three.
    pub inputs: usize,
    /// Runs in all.
    pub runs: usize,
    /// Runs of a stage.
    pub stage: usize,
}

/// A search under way.
#[derive(Debug, Clone)]
pub struct BoundarySearch {
    settings: Settings,
    /// Points that were run.
    placed: Vec<Vec<f64>>,
    /// Whether the event happened; none where that is not known.
    events: Vec<Option<bool>>,
    next: Vec<Vec<f64>>,
    kernel: Kernel,
    stage: u64,
}

/// What a map says of the box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// Share of the event, by its probability at every place.
    pub expected: f64,
    /// Share where the event is sure.
    pub sure: f64,
    /// Share where it is not impossible.
    pub possible: f64,
}

/// The map that a search ends with.
#[derive(Debug, Clone)]
pub struct BoundaryMap {
    classifier: Option<Classifier>,
    /// Share of the event where all runs agree.
    constant: f64,
    /// Runs that all agree.
    agreeing: usize,
}

impl BoundarySearch {
    /// A search that has not begun.
    pub fn new(settings: Settings) -> Self {
        let d = settings.inputs;
        let first = (10 * d).min(settings.runs);
        let generator = Generator::new(settings.seed);
        let place = |i: usize| -> Vec<f64> {
            (0..d)
                .map(|j| match Sobol::new(d) {
                    Some(sequence) => sequence.scrambled(&generator, 0, i as u32, j),
                    None => generator.uniform(Stream::MonteCarlo, j as u32, i as u64),
                })
                .collect()
        };
        Self {
            settings,
            placed: Vec::new(),
            events: Vec::new(),
            next: (0..first).map(place).collect(),
            kernel: Kernel::new(d, 0.5),
            stage: 0,
        }
    }

    /// The points of this stage, in shares of the ranges; none when there are enough runs.
    pub fn points(&self) -> &[Vec<f64>] {
        &self.next
    }

    /// Number of this stage, from zero.
    pub fn stage(&self) -> u64 {
        self.stage
    }

    /// All points that were run, with whether the event happened.
    pub fn found(&self) -> impl Iterator<Item = (&[f64], Option<bool>)> {
        let points = self.placed.iter().map(Vec::as_slice);
        points.zip(self.events.iter().copied())
    }

    /// Takes what happened at the points of this stage, in their order; none where it is not known.
    pub fn advance(&mut self, events: &[Option<bool>]) {
        self.stage += 1;
        self.placed.append(&mut self.next);
        self.events.extend_from_slice(events);
        let left = self.settings.runs.saturating_sub(self.placed.len());
        if left == 0 || events.is_empty() {
            return;
        }
        let map = self.fitted(SWEEPS[0]);
        if let Some(classifier) = &map.classifier {
            self.kernel = classifier.kernel.clone();
        }
        self.next = self.chosen(&map, left.min(self.settings.stage));
    }

    /// The map of all runs so far.
    pub fn map(&self) -> BoundaryMap {
        self.fitted(SWEEPS[1])
    }

    fn fitted(&self, sweeps: usize) -> BoundaryMap {
        let known = || self.found().filter_map(|(x, event)| Some((x, event?)));
        let points: Vec<Vec<f64>> = known().map(|(x, _)| x.to_vec()).collect();
        let events: Vec<bool> = known().map(|(_, event)| event).collect();
        let count = events.iter().filter(|event| **event).count();
        if count == 0 || count == events.len() {
            // With one kind of outcome alone there is no boundary to fit.
            let constant = if events.is_empty() {
                0.5
            } else {
                f64::from(u8::from(count > 0))
            };
            return BoundaryMap {
                classifier: None,
                constant,
                agreeing: events.len(),
            };
        }
        let fit = Classifier::fitted(&points, &events, &self.kernel, sweeps);
        BoundaryMap {
            classifier: Some(fit.refined(&events)),
            constant: f64::NAN,
            agreeing: 0,
        }
    }

    fn chosen(&self, map: &BoundaryMap, count: usize) -> Vec<Vec<f64>> {
        let d = self.settings.inputs;
        let generator = Generator::new(self.settings.seed);
        let candidate = |i: u64| -> Vec<f64> {
            let index = (self.stage << 32) | i;
            (0..d)
                .map(|j| generator.uniform(Stream::Candidates, j as u32, index))
                .collect()
        };
        let candidates: Vec<Vec<f64>> = (0..CANDIDATES).map(candidate).collect();
        let doubt: Vec<f64> = candidates
            .iter()
            .map(|x| {
                let p = map.probability(x);
                p * (1.0 - p)
            })
            .collect();
        let nearest = |x: &[f64], others: &[Vec<f64>]| {
            let square = others.iter().map(|other| square_distance(x, other));
            square.fold(f64::INFINITY, f64::min)
        };
        let mut apart: Vec<f64> = candidates
            .iter()
            .map(|x| nearest(x, &self.placed))
            .collect();
        let n = (self.placed.len() + count) as f64;
        let delta = 0.5 * libm::pow(n, -1.0 / d as f64);
        let mut out: Vec<Vec<f64>> = Vec::with_capacity(count);
        while out.len() < count {
            let explore = out.len() % 4 == 3 || map.classifier.is_none();
            let score = |i: usize| match explore {
                true => apart[i],
                false => doubt[i] * -libm::expm1(-apart[i] / (delta * delta)), // (1)
            };
            let best = (0..candidates.len()).max_by(|&a, &b| score(a).total_cmp(&score(b)));
            let Some(best) = best else { break };
            let chosen = candidates[best].clone();
            for (apart, x) in apart.iter_mut().zip(&candidates) {
                *apart = apart.min(square_distance(x, &chosen));
            }
            out.push(chosen);
        }
        out
    }
}

fn square_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

impl BoundaryMap {
    /// Probability of the event at a place of the box.
    pub fn probability(&self, x: &[f64]) -> f64 {
        match &self.classifier {
            Some(classifier) => classifier.probability(x),
            None => self.constant,
        }
    }

    /// Whether runs of both kinds were seen, so that there is a boundary.
    pub fn has_boundary(&self) -> bool {
        self.classifier.is_some()
    }

    /// Shares of places at which the event is expected, sure and possible. n runs that all agree leave
    /// room for a region of the share 1 − α^(1/n), which as many random places would miss with the
    /// probability α that is left.
    pub fn shares(&self, places: impl Iterator<Item = Vec<f64>>, confidence: f64) -> Shares {
        let tail = 0.5 * (1.0 - confidence);
        let (mut n, mut expected, mut sure, mut possible) = (0.0, 0.0, 0.0, 0.0);
        for place in places {
            let p = self.probability(&place);
            n += 1.0;
            expected += p;
            sure += f64::from(u8::from(p > 1.0 - tail));
            possible += f64::from(u8::from(p > tail));
        }
        let missed = match self.has_boundary() {
            true => 0.0,
            false => 1.0 - libm::pow(1.0 - confidence, 1.0 / self.agreeing as f64),
        };
        Shares {
            expected: expected / n,
            sure: (sure / n).min(1.0 - missed),
            possible: (possible / n).max(missed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(
        seed: u64,
        inputs: usize,
        runs: usize,
        event: impl Fn(&[f64]) -> bool,
    ) -> BoundarySearch {
        let mut search = BoundarySearch::new(Settings {
            seed,
            inputs,
            runs,
            stage: 10,
        });
        while !search.points().is_empty() {
            let events: Vec<Option<bool>> =
                search.points().iter().map(|x| Some(event(x))).collect();
            search.advance(&events);
        }
        search
    }

    fn grid(inputs: usize, levels: usize) -> impl Iterator<Item = Vec<f64>> {
        (0..levels.pow(inputs as u32)).map(move |i| {
            let digit = |j: u32| (i / levels.pow(j)) % levels;
            (0..inputs as u32)
                .map(|j| (digit(j) as f64 + 0.5) / levels as f64)
                .collect()
        })
    }

    /// A circle of radius 0.3: 120 runs find it. Of the places that the map calls sure or impossible
    /// nearly none is of the other kind, the exact share π 0.09 lies between the bounds, the
    /// uncertain part is small, and most runs are near the boundary.
    #[test]
    fn a_circle_is_found_with_its_uncertainty() {
        let inside = |x: &[f64]| (x[0] - 0.5).powi(2) + (x[1] - 0.4).powi(2) < 0.09;
        for seed in 0..4 {
            let search = search(seed, 2, 120, inside);
            let map = search.map();
            let (mut wrong, mut told) = (0, 0);
            for x in grid(2, 60) {
                let p = map.probability(&x);
                if !(0.025..=0.975).contains(&p) {
                    told += 1;
                    wrong += i32::from((p > 0.5) != inside(&x));
                }
            }
            assert!(
                wrong as f64 <= 0.025 * told as f64,
                "{seed}: {wrong} of {told}"
            );
            let shares = map.shares(grid(2, 60), 0.95);
            let exact = std::f64::consts::PI * 0.09;
            assert!(shares.sure < exact && exact < shares.possible, "{shares:?}");
            assert!((shares.expected - exact).abs() < 0.02, "{shares:?}");
            assert!(shares.possible - shares.sure < 0.16, "{shares:?}");
            let edge = |x: &[f64]| {
                let r = ((x[0] - 0.5).powi(2) + (x[1] - 0.4).powi(2)).sqrt();
                (r - 0.3).abs() < 0.06
            };
            // A ring of that width is 11 % of the square.
            let near = search.found().filter(|(x, _)| edge(x)).count();
            assert!(near > 40, "{seed}: {near}");
        }
    }

    /// A plane in three inputs, and events that never or always happen.
    #[test]
    fn a_plane_in_space_and_no_boundary_at_all() {
        let beyond = |x: &[f64]| x[0] + 0.5 * x[1] - 0.3 * x[2] > 0.6;
        let map = search(1, 3, 120, beyond).map();
        let wrong = grid(3, 12).filter(|x| (map.probability(x) > 0.5) != beyond(x));
        assert!(wrong.count() < 12 * 12 * 12 / 25);
        let never = search(1, 2, 30, |_| false).map();
        assert!(!never.has_boundary() && never.probability(&[0.5, 0.5]) == 0.0);
        let shares = never.shares(grid(2, 12), 0.95);
        assert_eq!((shares.expected, shares.sure), (0.0, 0.0));
        // 1 − 0.05^(1/30): a region of a tenth would hardly have been missed by 30 runs.
        assert!((shares.possible - 0.095).abs() < 1e-3, "{shares:?}");
        let unknown = BoundarySearch::new(Settings {
            seed: 1,
            inputs: 2,
            runs: 40,
            stage: 10,
        });
        assert_eq!(unknown.map().probability(&[0.1, 0.2]), 0.5);
    }
}
