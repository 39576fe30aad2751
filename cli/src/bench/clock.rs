//! Time of work, by the wall and by the processor.

use crate::run;
use anyhow::{Result, bail};
#[cfg(unix)]
use nix::time::ClockId;
use std::time::Instant;

/// A clock that runs since it was made. It sees one thread, or all of the process.
#[derive(Debug)]
pub struct Clock {
    processor: Option<f64>,
    read: fn() -> Option<f64>,
    wall: Instant,
}

/// A duration [s].
#[derive(Debug, Clone, Copy)]
pub struct Spent {
    /// By the wall: other work on the machine counts.
    pub wall: f64,
    /// Processor time of the thread: other work does not count. The wall's time where the system
    /// does not tell it.
    pub processor: f64,
}

impl Spent {
    /// Longer than anything.
    pub const FOREVER: Self = Self {
        wall: f64::INFINITY,
        processor: f64::INFINITY,
    };

    /// No time at all.
    pub const NOTHING: Self = Self {
        wall: 0.0,
        processor: 0.0,
    };

    /// One after the other.
    pub fn plus(self, other: Self) -> Self {
        Self {
            wall: self.wall + other.wall,
            processor: self.processor + other.processor,
        }
    }

    /// The shorter of each.
    pub fn min(self, other: Self) -> Self {
        Self {
            wall: self.wall.min(other.wall),
            processor: self.processor.min(other.processor),
        }
    }

    /// Of one of `parts` equal parts.
    pub fn over(self, parts: usize) -> Self {
        let parts = parts.max(1) as f64;
        Self {
            wall: self.wall / parts,
            processor: self.processor / parts,
        }
    }
}

impl Clock {
    /// Starts a clock of this thread.
    pub fn start() -> Self {
        Self::reading(thread_time)
    }

    /// Starts a clock of all threads of this process: for work that other threads may help with.
    pub fn of_all_threads() -> Self {
        Self::reading(process_time)
    }

    fn reading(read: fn() -> Option<f64>) -> Self {
        Self {
            processor: read(),
            read,
            wall: Instant::now(),
        }
    }

    /// Time since the start.
    pub fn spent(&self) -> Spent {
        let wall = self.wall.elapsed().as_secs_f64();
        let processor = match (self.processor, (self.read)()) {
            (Some(before), Some(now)) => now - before,
            _ => wall,
        };
        Spent { wall, processor }
    }
}

/// Processor time of this thread [s]; none where the system does not tell it.
fn thread_time() -> Option<f64> {
    #[cfg(unix)]
    return time_of(ClockId::CLOCK_THREAD_CPUTIME_ID);
    #[cfg(not(unix))]
    return None;
}

/// Processor time of all threads of this process [s]; none where the system does not tell it.
pub fn process_time() -> Option<f64> {
    #[cfg(unix)]
    return time_of(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    #[cfg(not(unix))]
    return None;
}

#[cfg(unix)]
fn time_of(clock: ClockId) -> Option<f64> {
    let time = nix::time::clock_gettime(clock).ok()?;
    Some(std::time::Duration::from(time).as_secs_f64())
}

/// An error once a signal has asked the program to end: an unfinished measurement is not kept.
pub fn go_on() -> Result<()> {
    if run::stop_requested() {
        bail!("stopped by a signal");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_what_the_system_tells_and_the_walls_where_it_tells_none() {
        let still = Clock::reading(|| Some(3.0));
        std::thread::sleep(std::time::Duration::from_millis(2));
        let spent = still.spent();
        assert!(spent.wall >= 0.002 && spent.processor == 0.0, "{spent:?}");
        let spent = Clock::reading(|| None).spent();
        assert_eq!(spent.processor, spent.wall);
    }

    #[test]
    fn clocks_of_thread_and_process_run_forward() {
        for clock in [Clock::start(), Clock::of_all_threads()] {
            assert!(clock.spent().processor >= 0.0);
        }
    }
}
