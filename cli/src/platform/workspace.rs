//! `softdock platform workspace`: a grid of poses tried in parallel.

use super::start::{self, WrenchArgs};
use crate::failure::{BadInput, STOPPED};
use crate::output::{self, OutputArgs};
use crate::run::{self, Progress};
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::Summary;
use anyhow::Result;
use rayon::prelude::*;
use serde::Serialize;
use softdock_platform::attitude::Attitude;
use softdock_platform::motor_range::MotorRange;
use softdock_platform::statics::{Saved, StaticPlatform, StaticSettings, Target};
use softdock_platform::{PlatformConfig, PlatformError};
use softdock_study::most_threads;
use std::path::PathBuf;
use std::process::ExitCode;

/// What the help says below the options.
const HELP: &str = "\
A range is FROM:TO:COUNT, or one number. Positions are absolute, x varies fastest. Writes
workspace.csv to the folder of --out, or to the current folder if there is none. Columns:
  x, y, z, pitch, yaw, roll    the pose [m, rad]
  reachable                    1 if an equilibrium was found there, by continuation
  stable                       1 if it is stable with the motors held
  in_range                     1 if all motors are within motor.range_rad of the pre-tensioned posture
  reached                      how far the path from the nominal pose came [%]
  motor_1 ...                  motor angles [rad]
  torque_1 ...                 holding torques [N·m]
  stroke_1 ...                 change of the distance A to B from the nominal pose [m]
  k_1 ... k_6                  eigenvalues of the stiffness, rotations as arc lengths at the joints
                               [N/m]
  reason                       why there is no equilibrium
Rows are the same for any number of threads (solver.threads).";

/// Arguments of `softdock platform workspace`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
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
    /// Pitch (about x), yaw (about y) and roll (about z) [rad]
    #[arg(
        long,
        value_name = "PITCH,YAW,ROLL",
        default_value = "0,0,0",
        allow_hyphen_values = true,
        value_parser = start::attitude
    )]
    attitude_rad: Attitude,
    #[command(flatten)]
    renamed: start::RenamedArgs,
    #[command(flatten)]
    wrench: WrenchArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
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

/// One pose of the grid.
#[derive(Debug, Clone)]
struct Tried {
    pose: [f64; 6],
    found: Option<Equilibrium>,
    reached_percent: f64,
    reason: String,
}

#[derive(Debug, Clone)]
struct Equilibrium {
    stable: bool,
    in_range: bool,
    motors: Vec<f64>,
    torques: Vec<f64>,
    strokes: Vec<f64>,
    eigenvalues: [f64; 6],
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    file: PathBuf,
    poses: usize,
    reachable: usize,
    stable: usize,
    in_range: usize,
    /// Smallest and largest of the smallest eigenvalue over the stable poses.
    smallest_stiffness_range_n_per_m: [f64; 2],
    longest_stroke_m: f64,
    wall_s: f64,
}

/// What all poses start from.
struct Setup<'a> {
    ranges: Vec<MotorRange>,
    saved: Saved,
    chords: Vec<f64>,
    wrench: &'a WrenchArgs,
    attitude: Attitude,
}

impl Setup<'_> {
    fn attempt(&self, platform: &mut StaticPlatform, [x, y, z]: [f64; 3]) -> Result<Tried> {
        platform.restore(&self.saved)?;
        let [pitch, yaw, roll] = self.attitude.list();
        let mut out = Tried {
            pose: [x, y, z, pitch, yaw, roll],
            found: None,
            reached_percent: 100.0,
            reason: String::new(),
        };
        let target = Target {
            pose: Some(start::pose([x, y, z], self.attitude)),
            motors: None,
            force: self.wrench.force.into(),
            moment: self.wrench.moment.into(),
        };
        match platform.follow(&target, &ROUGH) {
            Ok(_) => out.found = Some(self.equilibrium(platform)?),
            Err(PlatformError::NoEquilibrium {
                reached_percent,
                reason,
            }) => (out.reached_percent, out.reason) = (reached_percent, reason),
            Err(error) => return Err(error.into()),
        }
        Ok(out)
    }

    fn equilibrium(&self, platform: &mut StaticPlatform) -> Result<Equilibrium> {
        let stability = platform.stability()?;
        let motors = platform.motors().iter().zip(&self.ranges);
        let pairs = platform.chords().into_iter().zip(&self.chords);
        Ok(Equilibrium {
            stable: stability.stable,
            in_range: motors
                .map(|(&at, range)| range.used_at(at))
                .all(|used| used <= 1.0),
            motors: platform.motors().to_vec(),
            torques: platform.holding_torques(),
            strokes: pairs.map(|(now, before)| now - before).collect(),
            eigenvalues: platform.stiffness_report().eigenvalues,
        })
    }
}

/// Where a path ends is found to a thousandth of it.
const ROUGH: StaticSettings = StaticSettings {
    smallest_step: 1e-3,
    ..StaticSettings::DEFAULT
};
/// Poses between two looks at the clock and at a request to stop.
const CHUNK: usize = 256;

/// Threads for `points` points when `asked` were asked for, 0 meaning one per core: no more than
/// there are points, nor than help on this machine.
fn threads(asked: usize, points: usize) -> usize {
    asked.min(points.max(1)).min(most_threads())
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = Resolved::<PlatformConfig>::new(&arguments.settings)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let grid = grid(arguments, &resolved.config)?;
    let folder = arguments.output.out.clone().unwrap_or_default();
    let file = folder.join("workspace.csv");
    output::probe(&file)?;
    run::listen_for_stop();
    let nominal = StaticPlatform::nominal(&resolved.config)?;
    let setup = Setup {
        saved: nominal.save(),
        chords: nominal.chords(),
        ranges: MotorRange::of_legs(&resolved.config)?,
        wrench: &arguments.wrench,
        attitude: arguments.attitude_rad,
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads(resolved.config.solver.threads, grid.len()))
        .build()?;
    let mut progress = Progress::new(grid.len() as f64);
    let mut tried: Vec<Tried> = Vec::with_capacity(grid.len());
    let mut complete = true;
    for chunk in grid.chunks(CHUNK) {
        if run::stop_requested() {
            complete = false;
            break;
        }
        let done: Result<Vec<Tried>> = pool.install(|| {
            chunk
                .par_iter()
                .map_init(
                    || nominal.clone(),
                    |platform, place| setup.attempt(platform, *place),
                )
                .collect()
        });
        tried.extend(done?);
        progress.at(tried.len() as f64);
    }
    progress.finish();
    let file = if complete {
        file
    } else {
        file.with_extension("partial.csv")
    };
    output::write_atomic(&file, &table(&tried, nominal.motors().len()))?;
    if arguments.output.out.is_some() {
        output::write_atomic(&folder.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    let report = Report::new(&tried, file, progress.elapsed());
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        output::say(&report.summary().to_string())?;
    }
    Ok(if complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(STOPPED)
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

/// The rows as text; a reason is quoted.
fn table(tried: &[Tried], legs: usize) -> Vec<u8> {
    let mut header: Vec<String> = ["x", "y", "z", "pitch", "yaw", "roll"]
        .into_iter()
        .chain(["reachable", "stable", "in_range", "reached"])
        .map(str::to_owned)
        .collect();
    for group in ["motor", "torque", "stroke"] {
        header.extend((1..=legs).map(|leg| format!("{group}_{leg}")));
    }
    header.extend((1..=6).map(|i| format!("k_{i}")));
    header.push("reason".to_owned());
    let mut out = header.join(",").into_bytes();
    out.push(b'\n');
    for row in tried {
        let mut cells: Vec<String> = row.pose.iter().map(|x| format!("{x:?}")).collect();
        let flag = |on: bool| if on { "1" } else { "0" }.to_owned();
        let found = row.found.as_ref();
        cells.push(flag(found.is_some()));
        cells.push(flag(found.is_some_and(|f| f.stable)));
        cells.push(flag(found.is_some_and(|f| f.in_range)));
        cells.push(format!("{:.3}", row.reached_percent));
        match found {
            Some(f) => {
                let lists = f.motors.iter().chain(&f.torques).chain(&f.strokes);
                cells.extend(lists.chain(&f.eigenvalues).map(|x| format!("{x:?}")));
            }
            None => cells.extend(std::iter::repeat_n(String::new(), 3 * legs + 6)),
        }
        cells.push(if row.reason.is_empty() {
            String::new()
        } else {
            format!("\"{}\"", row.reason.replace('"', "'"))
        });
        out.extend_from_slice(cells.join(",").as_bytes());
        out.push(b'\n');
    }
    out
}

impl Report {
    fn new(tried: &[Tried], file: PathBuf, wall_s: f64) -> Self {
        let found: Vec<&Equilibrium> = tried.iter().filter_map(|row| row.found.as_ref()).collect();
        let mut softest = [f64::INFINITY, f64::NEG_INFINITY];
        for value in found.iter().filter(|f| f.stable).map(|f| f.eigenvalues[0]) {
            softest = [softest[0].min(value), softest[1].max(value)];
        }
        let strokes = found.iter().flat_map(|f| &f.strokes);
        Self {
            file,
            poses: tried.len(),
            reachable: found.len(),
            stable: found.iter().filter(|f| f.stable).count(),
            in_range: found.iter().filter(|f| f.in_range).count(),
            smallest_stiffness_range_n_per_m: softest,
            longest_stroke_m: strokes.fold(0.0, |longest, stroke| longest.max(stroke.abs())),
            wall_s,
        }
    }

    fn summary(&self) -> Summary {
        let mut summary = Summary::new(format!("Workspace: {} poses", self.poses));
        let [low, high] = self.smallest_stiffness_range_n_per_m;
        summary
            .text("reachable", self.reachable.to_string(), "")
            .text("stable", self.stable.to_string(), "")
            .text("motors in their range", self.in_range.to_string(), "")
            .number("lowest smallest stiffness", low, "N/m")
            .number("highest smallest stiffness", high, "N/m")
            .number("longest stroke", self.longest_stroke_m, "m")
            .number("poses per second", self.poses as f64 / self.wall_s, "1/s")
            .note(format!("wrote {}", self.file.display()));
        summary
    }
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
