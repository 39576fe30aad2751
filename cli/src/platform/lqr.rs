//! `softdock platform lqr`: a regulator of the pose, tried on the nonlinear platform.

use super::linearize::rows;
use super::lists::three;
use super::start::{PlaceArgs, WrenchArgs};
use crate::failure::BadInput;
use crate::output::{self, CsvFile, OutputArgs};
use crate::run::Progress;
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::Summary;
use anyhow::Result;
use leg_core::group::Group;
use leg_core::leg::config::MotorMode;
use leg_core::model::Signal;
use nalgebra::DVector;
use serde::Serialize;
use softdock_platform::PlatformConfig;
use softdock_platform::monolithic::{Platform, WrenchHistory};
use softdock_platform::regulator::{Regulator, RegulatorSettings};
use softdock_platform::statics::StaticPlatform;
use softdock_report::{Axis, Block, Chart, Page, Series};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the help says below the options.
const HELP: &str = "\
The motors turn freely under the torques that hold the equilibrium, to which the regulator adds its
own. It minimises, on the slow vibration modes, the integral of
  position · |δx|² + rotation · |δθ|² + velocity · |δv|² + spin · |δω|² + effort · |δτ|²
with torques held over each period. Torques beyond ± motor.torque_limit_nm are brought within by
allocation: of all torques within their limits, those whose wrench on the end effector is nearest to
the one asked for. The regulator is fed the projection of the platform's true state on its modes.
It is tried on the nonlinear platform, pushed as --push says; beside it the same with the holding
torques alone. With --out, lqr.json, lqr.csv and config.toml are written to the folder.";

/// Arguments of `softdock platform lqr`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Weight of the position [1/m²]
    #[arg(long, value_name = "VALUE", default_value_t = RegulatorSettings::default().position)]
    position_weight: f64,
    /// Weight of the rotation [1/rad²]
    #[arg(long, value_name = "VALUE", default_value_t = RegulatorSettings::default().rotation)]
    rotation_weight: f64,
    /// Weight of the velocity [s²/m²]
    #[arg(long, value_name = "VALUE", default_value_t = RegulatorSettings::default().velocity)]
    velocity_weight: f64,
    /// Weight of the spin [s²/rad²]
    #[arg(long, value_name = "VALUE", default_value_t = RegulatorSettings::default().spin)]
    spin_weight: f64,
    /// Weight of the torques [1/(N·m)²]
    #[arg(long, value_name = "VALUE", default_value_t = RegulatorSettings::default().effort)]
    effort: f64,
    /// Regulates the modes below this frequency [Hz]
    #[arg(long, value_name = "HZ", default_value_t = RegulatorSettings::default().cutoff_hz)]
    cutoff_hz: f64,
    /// Sampling period [s]
    #[arg(long, value_name = "S", default_value_t = RegulatorSettings::default().period_s)]
    period: f64,
    /// Force that disturbs the end effector at the start [N]
    #[arg(
        long,
        value_name = "FX,FY,FZ",
        default_value = "6,-8,-17.3",
        allow_hyphen_values = true,
        value_parser = three
    )]
    push: [f64; 3],
    /// Moment with it [N·m]
    #[arg(
        long,
        value_name = "MX,MY,MZ",
        default_value = "1.5,0.8,-0.6",
        allow_hyphen_values = true,
        value_parser = three
    )]
    push_moment: [f64; 3],
    /// How long the push lasts [s]
    #[arg(long, value_name = "S", default_value_t = 0.05)]
    push_time: f64,
    /// Simulated time [s]
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    duration: f64,
    /// The end effector has settled when it stays this near [m]
    #[arg(long, value_name = "M", default_value_t = 1e-3)]
    settled_m: f64,
    /// Writes a page with closed and open loop side by side
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    wrench: WrenchArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The platform at one time.
#[derive(Debug, Clone)]
struct Sample {
    t: f64,
    /// Deviation of the end effector's centre, world axes [m].
    moved: [f64; 3],
    /// Rotation from the equilibrium, world axes [rad].
    turned: [f64; 3],
    torques: DVector<f64>,
    saturated: bool,
}

/// A run with or without the regulator.
#[derive(Debug, Clone, Serialize)]
struct Outcome {
    largest_displacement_m: f64,
    largest_rotation_rad: f64,
    final_displacement_m: f64,
    /// From when on the end effector stays near; none if it does not.
    settled_after_s: Option<f64>,
    largest_torque_nm: f64,
    saturated_time_s: f64,
    /// Why the run ended early.
    ended: Option<String>,
}

#[derive(Debug, Serialize)]
struct Pole {
    magnitude: f64,
    re: f64,
    im: f64,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    modes: usize,
    mode_frequencies_hz: Vec<f64>,
    period_s: f64,
    /// Torques per state: modes, then their rates; one row per motor.
    gain: Vec<Vec<f64>>,
    riccati_residual: f64,
    /// Eigenvalues of the closed loop per period.
    closed_loop: Vec<Pole>,
    torque_limit_nm: f64,
    holding_torque_nm: Vec<f64>,
    closed: Outcome,
    open: Outcome,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut resolved = Resolved::<PlatformConfig>::new(&arguments.settings)?;
    resolved.config.motor.mode = MotorMode::Torque;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    check(arguments, &resolved.config)?;
    if let Some(plot) = &arguments.plot {
        output::probe(plot)?;
    }
    arguments.output.probe("lqr.json")?;
    let (equilibrium, _) = arguments
        .place
        .equilibrium(&resolved.config, &arguments.wrench)?;
    let regulator = Regulator::new(&equilibrium, &settings(arguments))?;
    let (closed, closed_ended) = simulate(arguments, &equilibrium, Some(&regulator))?;
    let (open, open_ended) = simulate(arguments, &equilibrium, None)?;
    let report = Report::new(
        arguments,
        &regulator,
        Outcome::new(arguments, &closed, closed_ended),
        Outcome::new(arguments, &open, open_ended),
    );
    if let Some(out) = &arguments.output.out {
        output::write_json(&out.join("lqr.json"), &report)?;
        write_table(&out.join("lqr.csv"), &closed, &open)?;
        output::write_atomic(&out.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if let Some(plot) = &arguments.plot {
        output::write_atomic(plot, page(&report, &closed, &open).html()?.as_bytes())?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        output::say(&report.summary().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn settings(arguments: &Arguments) -> RegulatorSettings {
    RegulatorSettings {
        position: arguments.position_weight,
        rotation: arguments.rotation_weight,
        velocity: arguments.velocity_weight,
        spin: arguments.spin_weight,
        effort: arguments.effort,
        cutoff_hz: arguments.cutoff_hz,
        period_s: arguments.period,
    }
}

fn check(arguments: &Arguments, config: &PlatformConfig) -> Result<(), BadInput> {
    let positive = [
        ("--effort", arguments.effort),
        ("--cutoff-hz", arguments.cutoff_hz),
        ("--period", arguments.period),
        ("--duration", arguments.duration),
        ("--settled-m", arguments.settled_m),
    ];
    let not_negative = [
        ("--position-weight", arguments.position_weight),
        ("--rotation-weight", arguments.rotation_weight),
        ("--velocity-weight", arguments.velocity_weight),
        ("--spin-weight", arguments.spin_weight),
        ("--push-time", arguments.push_time),
    ];
    let wrong = |(name, value): (&str, f64), allowed: &str| {
        BadInput::new(format!(
            "{name} {value} is not allowed: it must be {allowed} and finite"
        ))
    };
    let finite_above = |value: f64, above: bool| value.is_finite() && above;
    for pair in positive {
        if !finite_above(pair.1, pair.1 > 0.0) {
            return Err(wrong(pair, "> 0"));
        }
    }
    for pair in not_negative {
        if !finite_above(pair.1, pair.1 >= 0.0) {
            return Err(wrong(pair, ">= 0"));
        }
    }
    if config.base.free_floating {
        let message = "the regulator holds the pose in the world: leave base.free_floating = false";
        return Err(BadInput::new(message));
    }
    Ok(())
}

/// Pushes the platform; why the run ended early, if it did.
fn simulate(
    arguments: &Arguments,
    equilibrium: &StaticPlatform,
    regulator: Option<&Regulator>,
) -> Result<(Vec<Sample>, Option<String>)> {
    let (force, moment) = equilibrium.wrench();
    let wrench = WrenchHistory(core::array::from_fn(|i| {
        let (held, push) = if i < 3 {
            (force[i], arguments.push[i])
        } else {
            (moment[i - 3], arguments.push_moment[i - 3])
        };
        Signal::Step {
            time: arguments.push_time,
            before: held + push,
            after: held,
        }
    }));
    let mut platform = Platform::at_rest_under(equilibrium, wrench)?;
    let count = (arguments.duration / arguments.period).ceil().max(1.0) as usize;
    let mut progress = Progress::new(arguments.duration);
    let mut samples = Vec::with_capacity(count + 1);
    let mut ended = None;
    for k in 0..=count {
        let torques = regulator.map(|regulator| regulator.torques(&platform));
        let torques = torques.transpose()?;
        samples.push(sample(&platform, equilibrium, torques.as_ref()));
        if let (Some(regulator), Some(torques)) = (regulator, &torques) {
            regulator.apply(&mut platform, torques);
        }
        if k == count {
            break;
        }
        if let Err(error) = platform.advance_to((k + 1) as f64 * arguments.period) {
            // Without a regulator the platform may well fold up.
            ended = Some(error.to_string());
            break;
        }
        progress.at(platform.time());
    }
    progress.finish();
    Ok((samples, ended))
}

fn sample(
    platform: &Platform,
    equilibrium: &StaticPlatform,
    torques: Option<&softdock_platform::regulator::Torques>,
) -> Sample {
    let (start, now) = (equilibrium.pose(), &platform.effector().pose);
    let turn = start.between(now).log();
    let turned = turn.map(|turn| start.rotation() * turn.fixed_rows::<3>(3));
    let legs = platform.legs().iter().map(|leg| leg.motor_torque());
    Sample {
        t: platform.time(),
        moved: (now.translation() - start.translation()).into(),
        turned: turned.map_or([f64::NAN; 3], Into::into),
        saturated: torques.is_some_and(|t| t.applied != t.demand),
        torques: torques.map_or_else(
            || DVector::from_iterator(platform.legs().len(), legs),
            |t| t.applied.clone(),
        ),
    }
}

fn norm(v: &[f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl Outcome {
    fn new(arguments: &Arguments, samples: &[Sample], ended: Option<String>) -> Self {
        let most = |value: &dyn Fn(&Sample) -> f64| samples.iter().map(value).fold(0.0, f64::max);
        let away = |s: &Sample| norm(&s.moved) > arguments.settled_m;
        let last_away = samples.iter().rposition(away);
        let settled = match last_away {
            None => Some(0.0),
            Some(i) => samples.get(i + 1).map(|s| s.t),
        };
        let saturated = samples.iter().filter(|s| s.saturated).count();
        Self {
            largest_displacement_m: most(&|s| norm(&s.moved)),
            largest_rotation_rad: most(&|s| norm(&s.turned)),
            final_displacement_m: samples.last().map_or(0.0, |s| norm(&s.moved)),
            settled_after_s: settled.filter(|_| ended.is_none()),
            largest_torque_nm: most(&|s| s.torques.amax()),
            saturated_time_s: saturated as f64 * arguments.period,
            ended,
        }
    }
}

impl Report {
    fn new(arguments: &Arguments, regulator: &Regulator, closed: Outcome, open: Outcome) -> Self {
        let order = regulator.linear.model.order();
        let poles = regulator.riccati.closed_loop.iter().map(|pole| Pole {
            magnitude: pole.norm(),
            re: pole.re,
            im: pole.im,
        });
        Self {
            modes: order,
            mode_frequencies_hz: regulator.linear.frequencies[..order].to_vec(),
            period_s: arguments.period,
            gain: rows(&regulator.riccati.gain),
            riccati_residual: regulator.riccati.relative_residual,
            closed_loop: poles.collect(),
            torque_limit_nm: regulator.limit,
            holding_torque_nm: regulator.holding.iter().copied().collect(),
            closed,
            open,
        }
    }

    fn summary(&self) -> Summary {
        let mut summary = Summary::new(format!("Regulator of the pose on {} modes", self.modes));
        let slowest = self
            .closed_loop
            .iter()
            .map(|p| p.magnitude)
            .fold(0.0, f64::max);
        let time = -self.period_s / slowest.ln();
        summary.number("slowest time constant", time, "s").number(
            "largest gain",
            self.gain
                .iter()
                .flatten()
                .fold(0.0, |m: f64, x| m.max(x.abs())),
            "",
        );
        for (name, outcome) in [("closed", &self.closed), ("open", &self.open)] {
            let label = |what: &str| format!("{name} loop, {what}");
            summary
                .number(
                    &label("largest displacement"),
                    outcome.largest_displacement_m,
                    "m",
                )
                .number(
                    &label("largest rotation"),
                    outcome.largest_rotation_rad,
                    "rad",
                )
                .number(
                    &label("displacement at the end"),
                    outcome.final_displacement_m,
                    "m",
                );
            match outcome.settled_after_s {
                Some(time) => summary.number(&label("settled after"), time, "s"),
                None => summary.text(&label("settled after"), "never", ""),
            };
            summary.number(&label("largest torque"), outcome.largest_torque_nm, "N·m");
            if let Some(why) = &outcome.ended {
                summary.note(format!("{name} loop ended early: {why}"));
            }
        }
        summary
            .number("torque limit", self.torque_limit_nm, "N·m")
            .number("at the limit for", self.closed.saturated_time_s, "s");
        summary
    }
}

fn write_table(path: &Path, closed: &[Sample], open: &[Sample]) -> Result<()> {
    let legs = closed.first().map_or(0, |s| s.torques.len());
    let mut header = vec!["t".to_owned()];
    for suffix in ["", "_open"] {
        let names = ["x", "y", "z", "rotation_x", "rotation_y", "rotation_z"];
        header.extend(names.map(|name| format!("{name}{suffix}")));
        header.extend((1..=legs).map(|leg| format!("torque_{leg}{suffix}")));
    }
    let names: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut csv = CsvFile::create(path, &names)?;
    for (i, sample) in closed.iter().enumerate() {
        let mut row = vec![sample.t];
        for sample in [Some(sample), open.get(i)] {
            match sample {
                Some(s) => {
                    row.extend(s.moved.iter().chain(&s.turned).chain(s.torques.iter()));
                }
                None => row.extend(std::iter::repeat_n(f64::NAN, 6 + legs)),
            }
        }
        csv.row(&row)?;
    }
    csv.finish()?;
    Ok(())
}

fn page(report: &Report, closed: &[Sample], open: &[Sample]) -> Page {
    let curve = |samples: &[Sample], name: &str, value: &dyn Fn(&Sample) -> f64| {
        let times: Vec<f64> = samples.iter().map(|s| s.t).collect();
        let values: Vec<f64> = samples.iter().map(value).collect();
        Series::line(name, &times, &values)
    };
    let both = |value: &dyn Fn(&Sample) -> f64| {
        vec![
            curve(closed, "closed loop", value),
            curve(open, "open loop", value),
        ]
    };
    let legs = closed.first().map_or(0, |s| s.torques.len());
    let torques = (0..legs).map(|i| {
        let name = format!("motor {}", i + 1);
        curve(closed, &name, &|s| s.torques[i])
    });
    let charts = vec![
        Chart::over_time(
            "Displacement",
            "Distance of the end effector from its equilibrium.",
            Axis::new("distance", "mm"),
            both(&|s| 1e3 * norm(&s.moved)),
        ),
        Chart::over_time(
            "Rotation",
            "Angle of the end effector from its equilibrium.",
            Axis::new("angle", "°"),
            both(&|s| norm(&s.turned).to_degrees()),
        ),
        Chart::over_time(
            "Torques",
            "Motor torques of the closed loop, within their limits.",
            Axis::new("torque", "N·m"),
            torques.collect(),
        ),
    ];
    Page {
        title: "Regulator of the platform's pose".to_owned(),
        lead: format!(
            "{} modes, a period of {} s, torques within ± {} N·m.",
            report.modes, report.period_s, report.torque_limit_nm
        ),
        blocks: charts.into_iter().map(Block::from).collect(),
        ..Page::default()
    }
}
