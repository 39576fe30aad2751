//! How many threads work on a study.

use crate::error::{Result, setting};

/// Threads that a machine is asked to run at most: four for each core it has, and never fewer than
/// 32. More would not finish sooner, only hold more runs in memory and stop later when asked to.
pub fn most_threads() -> usize {
    (4 * cores()).max(32)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Threads to start for `runs` runs when `asked` were asked for, 0 meaning one for each core: never
/// more than there are runs.
pub(super) fn count(asked: usize, runs: u64) -> Result<usize> {
    let most = most_threads();
    if asked > most {
        let cores = cores();
        let allowed =
            format!("must be 0 to {most} here ({cores} cores); 0 takes one for each core");
        return Err(setting("threads", asked, allowed));
    }
    let wanted = if asked == 0 { cores() } else { asked };
    let runs = usize::try_from(runs).unwrap_or(usize::MAX);
    Ok(wanted.min(runs).max(1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn no_more_threads_than_runs_are_started() {
        assert_eq!(count(8, 3).unwrap(), 3);
        assert_eq!(count(2, 1_000_000).unwrap(), 2);
        assert_eq!(count(0, 1_000_000).unwrap(), cores());
        assert_eq!(count(0, 1).unwrap(), 1);
        assert_eq!(count(5, 0).unwrap(), 1);
    }

    #[test]
    fn more_threads_than_a_machine_can_use_are_refused() {
        let most = most_threads();
        assert_eq!(count(most, u64::MAX).unwrap(), most);
        for asked in [most + 1, 100_000, usize::MAX] {
            let error = count(asked, 3).unwrap_err().to_string();
            let start = format!("threads = {asked}: must be 0 to {most} ");
            assert!(error.starts_with(&start), "{error}");
        }
    }
}
