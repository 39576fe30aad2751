//! Where the time of a step goes. Wall-clock figures: they never enter results.

use std::time::{Duration, Instant};

/// Time spent in the parts of the steps of one leg, by the thread that worked on it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LegTimes {
    /// Evaluating elements, joints and forces, and assembling.
    pub assembly: Duration,
    /// Factorising.
    pub factorisation: Duration,
    /// Condensing to the ends.
    pub condensation: Duration,
    /// Accepting a step: angles, ledger.
    pub acceptance: Duration,
}

impl LegTimes {
    /// All of it.
    pub fn total(&self) -> Duration {
        self.assembly + self.factorisation + self.condensation + self.acceptance
    }
}

/// Time spent by a platform.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Times {
    /// The legs' work, all threads together.
    pub legs: LegTimes,
    /// Bodies and corrections, between the parallel parts.
    pub coupling: Duration,
    /// Wall time of the parallel parts.
    pub parallel_wall: Duration,
    /// Wall time of all steps.
    pub wall: Duration,
}

impl Times {
    /// Time in which threads had nothing to do while legs were worked on.
    pub fn waiting(&self, threads: usize) -> Duration {
        let offered = self.parallel_wall * u32::try_from(threads).unwrap_or(1);
        offered.saturating_sub(self.legs.total())
    }
}

/// Time spent by a co-simulation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct UnitTimes {
    /// The units' work, all threads together.
    pub units: Duration,
    /// Wall time of the parallel parts.
    pub parallel_wall: Duration,
    /// Wall time of all advances.
    pub wall: Duration,
}

impl UnitTimes {
    /// Time between the parallel parts.
    pub fn coupling(&self) -> Duration {
        self.wall.saturating_sub(self.parallel_wall)
    }

    /// Time in which threads had nothing to do while units were at work.
    pub fn waiting(&self, threads: usize) -> Duration {
        let offered = self.parallel_wall * u32::try_from(threads).unwrap_or(1);
        offered.saturating_sub(self.units)
    }
}

/// Does `work` and adds the time it took to `sum`, if there is one.
pub(crate) fn timed<R>(sum: Option<&mut Duration>, work: impl FnOnce() -> R) -> R {
    match sum {
        Some(sum) => {
            let start = Instant::now();
            let out = work();
            *sum += start.elapsed();
            out
        }
        None => work(),
    }
}
