//! `softdock platform workspace`: a grid of poses tried in parallel.

use super::start::{AttitudeArgs, WrenchArgs};
use crate::command::{self, CommandArgs, Computed};
use crate::failure::BadInput;
use crate::output;
use crate::run::{self, Ended, Progress};
use anyhow::Result;
use rayon::prelude::*;
use softdock_platform::PlatformConfig;
use softdock_platform::results::{Tried, Workspace, WorkspaceResult};
use softdock_study::most_threads;
use std::process::ExitCode;

/// What the help says below the options.
const HELP: &str = "\
A range is FROM:TO:COUNT, or one number. Positions are absolute, x varies fastest. Writes
workspace.csv to the folder of --out, or to the current folder if there is none. Rows are the same for
any number of threads (solver.threads). Columns, and `reason` why there is no equilibrium:";

fn help() -> String {
    format!("{HELP}\n{}", Workspace::columns(1).help())
}

/// Arguments of `softdock platform workspace`.
#[derive(Debug, clap::Args)]
#[command(after_help = help())]
pub struct Arguments {
    /// Range of x [m]
    #[arg(
        long,
        value_name = "RANGE",
        default_value = "-0.1:0.1:11",
        allow_hyphen_values = true
    )]
    x: String,
    /// Range of y [m]
    #[arg(
        long,
        value_name = "RANGE",
        default_value = "-0.1:0.1:11",
        allow_hyphen_values = true
    )]
    y: String,
    /// Range of z [m]; the nominal height if left out
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    z: Option<String>,
    #[command(flatten)]
    attitude: AttitudeArgs,
    #[command(flatten)]
    wrench: WrenchArgs,
    #[command(flatten)]
    common: CommandArgs,
}

/// Most poses of a grid.
const MOST_POSES: usize = 10_000_000;

/// The numbers of a range.
fn range(name: &str, text: &str) -> Result<Vec<f64>, BadInput> {
    let bad = || {
        BadInput::new(format!(
            "--{name} {text}: write FROM:TO:COUNT with finite numbers, such as -0.1:0.1:11, or one \
             number"
        ))
    };
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        [one] => Ok(vec![number(one).ok_or_else(bad)?]),
        [from, to, count] => {
            let (from, to) = (number(from).ok_or_else(bad)?, number(to).ok_or_else(bad)?);
            let count: usize = count.trim().parse().map_err(|_| bad())?;
            match count {
                0 => Err(bad()),
                1 => Ok(vec![from]),
                _ => {
                    let step = |i: usize| i as f64 / (count - 1) as f64;
                    Ok((0..count).map(|i| from + (to - from) * step(i)).collect())
                }
            }
        }
        _ => Err(bad()),
    }
}

/// Poses between two looks at the clock and at a request to stop.
const CHUNK: usize = 256;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    command::run(&arguments.common, |config| compute(arguments, config))
}

fn compute(arguments: &Arguments, config: &PlatformConfig) -> Result<Computed<WorkspaceResult>> {
    let grid = grid(arguments, config)?;
    let folder = arguments.common.views.folder();
    output::probe(&folder.join("workspace.csv"))?;
    run::listen_for_stop();
    let wrench = (arguments.wrench.force, arguments.wrench.moment);
    let workspace = Workspace::new(config, wrench, arguments.attitude.attitude_rad)?;
    // No more threads than there are poses, nor than help on this machine; 0 is one per core.
    let threads = config
        .solver
        .threads
        .min(grid.len().max(1))
        .min(most_threads());
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let mut progress = Progress::new(grid.len() as f64);
    let mut tried: Vec<Tried> = Vec::with_capacity(grid.len());
    let mut ended = Ended::Complete;
    for chunk in grid.chunks(CHUNK) {
        if run::stop_requested() {
            ended = Ended::Stopped;
            break;
        }
        let attempt = |platform: &mut _, place: &[f64; 3]| workspace.attempt(platform, *place);
        let poses = || chunk.par_iter().map_init(|| workspace.platform(), attempt);
        let done: Result<Vec<Tried>, _> = pool.install(|| poses().collect());
        tried.extend(done?);
        progress.at(tried.len() as f64);
    }
    progress.finish();
    let table = Workspace::table(&tried, config.leg_count());
    let file = command::write_table(&folder, &table, ended.is_complete())?;
    Ok(Computed {
        result: WorkspaceResult::new(&tried, file.clone(), progress.elapsed()),
        ended,
        written: vec![file],
    })
}

fn grid(arguments: &Arguments, config: &PlatformConfig) -> Result<Vec<[f64; 3]>, BadInput> {
    let (x, y) = (range("x", &arguments.x)?, range("y", &arguments.y)?);
    let z = match &arguments.z {
        Some(text) => range("z", text)?,
        None => vec![config.end_effector.position_m[2]],
    };
    let count = x.len().saturating_mul(y.len()).saturating_mul(z.len());
    if count > MOST_POSES {
        let message = format!("{count} poses are too many: at most {MOST_POSES}");
        return Err(BadInput::new(message));
    }
    let mut out = Vec::with_capacity(count);
    for &z in &z {
        for &y in &y {
            out.extend(x.iter().map(|&x| [x, y, z]));
        }
    }
    Ok(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        assert_eq!(range("x", "-0.1:0.1:3").unwrap(), [-0.1, 0.0, 0.1]);
        assert_eq!(range("x", "-0.4").unwrap(), [-0.4]);
        for bad in ["", "1:2", "1:2:0", "a:2:3", "1:inf:3", "1:2:3:4"] {
            assert!(range("x", bad).is_err(), "{bad}");
        }
    }
}
