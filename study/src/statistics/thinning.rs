//! Very many values in bounded memory.
//!
//! Count, mean and extremes are exact. For everything else the values whose hash is below a threshold
//! are kept; the threshold is halved when they become too many. The hash is that of the number of the
//! run, so that what is kept is a fair sample whatever the design is: every second run of a Sobol'
//! sequence, for one, is not.

use super::design::{Coverage, Dependence};
use super::distribution::{Distribution, distribution};
use crate::plan::Plan;
use crate::sampling::random::{Generator, Stream};

/// Values of runs, thinned when they are very many.
#[derive(Debug, Clone)]
pub struct Values {
    most: usize,
    /// Hashes are kept up to this one.
    threshold: u64,
    runs: Vec<u64>,
    values: Vec<f64>,
    count: u64,
    /// Sum and what rounding left out of it.
    sum: (f64, f64),
    min: f64,
    max: f64,
}

impl Values {
    /// None yet; at most `most` are kept.
    pub fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            threshold: u64::MAX,
            runs: Vec::new(),
            values: Vec::new(),
            count: 0,
            sum: (0.0, 0.0),
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }

    fn hash(run: u64) -> u64 {
        Generator::new(0).bits(Stream::Thinning, 0, 0, run)
    }

    /// Takes the value of a run in; NaN is none.
    pub fn push(&mut self, run: u64, value: f64) {
        if value.is_nan() {
            return;
        }
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        // Summed with the rounding errors beside (Kahan), which infinite values would spoil.
        let (sum, lost) = self.sum;
        let part = value - lost;
        let next = sum + part;
        let lost = (next - sum) - part;
        self.sum = (next, if lost.is_finite() { lost } else { 0.0 });
        if self.threshold < u64::MAX && Self::hash(run) > self.threshold {
            return;
        }
        self.runs.push(run);
        self.values.push(value);
        while self.values.len() > self.most {
            self.threshold /= 2;
            let keep: Vec<bool> = self
                .runs
                .iter()
                .map(|&run| Self::hash(run) <= self.threshold)
                .collect();
            retain(&mut self.runs, &keep);
            retain(&mut self.values, &keep);
        }
    }

    /// Values taken in.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many are kept for quantiles, if not all.
    pub fn thinned_to(&self) -> Option<u64> {
        (self.threshold < u64::MAX).then_some(self.values.len() as u64)
    }

    /// The runs and values that are kept.
    pub fn kept(&self) -> (&[u64], &[f64]) {
        (&self.runs, &self.values)
    }

    /// Their distribution; none without values.
    pub fn distribution(
        &self,
        plan: &Plan,
        probabilities: &[f64],
        confidence: f64,
    ) -> Option<Distribution> {
        let dependence = Dependence::of(plan, &self.runs);
        let mut found = distribution(&self.values, &dependence, probabilities, confidence)?;
        if self.threshold < u64::MAX {
            let mean = self.sum.0 / self.count as f64;
            // As wide as that of the kept values: wider than need be.
            found.mean_interval = found.mean_interval.map(|interval| super::Interval {
                low: interval.low + mean - found.mean,
                high: interval.high + mean - found.mean,
            });
            if found.coverage == Coverage::Nominal {
                found.coverage = Coverage::Conservative;
            }
            found.mean = mean;
            found.count = self.count;
            (found.min, found.max) = (self.min, self.max);
        }
        Some(found)
    }
}

fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut place = 0;
    values.retain(|_| {
        place += 1;
        keep.get(place - 1).copied().unwrap_or(false)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Study;

    /// A Sobol' sequence without scrambling puts every second run into one half of the range: of
    /// every second of 2²¹ runs the median came out as 0.75.
    #[test]
    fn thinning_does_not_go_with_the_sequence() {
        let text = "name = \"s\"\nruns = 2097152\nsampling = \"sobol\"\n\
                    [[vary]]\nkey = \"x\"\ndistribution = \"uniform\"\nmin = 0\nmax = 1\n";
        let study = Study::parse(text, "test").unwrap();
        let plan = Plan::new(study, toml::Table::new(), &[], "1").unwrap();
        let sequence = crate::sampling::sobol::Sobol::new(1).unwrap();
        let mut values = Values::new(1 << 15);
        let runs = 1_u32 << 20;
        for run in 0..runs {
            values.push(
                u64::from(run),
                f64::from(sequence.raw(run, 0)) / 2.0_f64.powi(32),
            );
        }
        let kept = values.thinned_to().unwrap();
        assert!((1 << 14..=1 << 15).contains(&kept), "{kept}");
        let found = values
            .distribution(&plan, &[0.25, 0.5, 0.75], 0.95)
            .unwrap();
        assert_eq!(found.count, u64::from(runs));
        let last = 1.0 - 2.0_f64.powi(-20);
        assert_eq!((found.min, found.max, found.mean), (0.0, last, 0.5 * last));
        for q in found.quantiles {
            // Four standard errors of a share.
            let error = 4.0 * (q.probability * (1.0 - q.probability) / kept as f64).sqrt();
            assert!((q.value - q.probability).abs() < error, "{q:?}");
        }
    }
}
