//! `softdock platform forward` and `inverse`: kinetostatics.

use super::lists::{Numbers, three};
use super::start::{self, WrenchArgs};
use crate::output::{self, CsvFile, OutputArgs};
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::Summary;
use anyhow::Result;
use multibody::group::Group;
use serde::Serialize;
use softdock_platform::PlatformConfig;
use softdock_platform::attitude::Attitude;
use softdock_platform::statics::{
    CurveEnd, CurveSettings, Found, LoadCurve, StaticPlatform, Target,
};
use std::path::Path;
use std::process::ExitCode;

/// What the help says below the options.
const HELP: &str = "\
The wrench acts at the end effector's centre, in world axes; R = Rz(roll)·Ry(yaw)·Rx(pitch). The
equilibrium is followed on a straight path from the nominal pose (end_effector.position_m, motors at
legs.q1_rad) to what is asked for; if the path ends before, the message says where and why, and the
exit status is 2. `stable`: with the motors held the equilibrium is a minimum of the energy.
With --out, equilibrium.json and config.toml are written to the folder.";

/// Arguments of `softdock platform forward`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct ForwardArguments {
    /// Motor angles [rad]; the nominal ones if left out
    #[arg(
        long,
        value_name = "A,B,...",
        allow_hyphen_values = true,
        value_parser = Numbers::parse
    )]
    motor_rad: Option<Numbers>,
    #[command(flatten)]
    wrench: WrenchArgs,
    /// Follows the load curve from the unloaded equilibrium toward the wrench, past limit points,
    /// instead of stopping there; with --out, curve.csv is written
    #[arg(long)]
    curve: bool,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Arguments of `softdock platform inverse`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct InverseArguments {
    /// Position of the end effector's centre [m]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = three)]
    position: [f64; 3],
    /// Its pitch (about x), yaw (about y) and roll (about z) [rad]
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

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    position_m: [f64; 3],
    attitude_rad: Attitude,
    motor_rad: Vec<f64>,
    /// Force of each leg on the end effector, world axes.
    leg_forces_n: Vec<[f64; 3]>,
    /// Largest force or moment out of balance at the end effector [N, N·m].
    residual: f64,
    stable: bool,
    unstable_directions: usize,
    /// Legs, from 1, that are unstable even with their ends held.
    unstable_legs: Vec<usize>,
    /// Fraction of the path from which on the equilibrium was unstable.
    unstable_from: Option<f64>,
    /// Smallest stiffness of the end effector, rotations over the radius of the joints.
    smallest_stiffness_n_per_m: f64,
    force_n: [f64; 3],
    moment_nm: [f64; 3],
    holding_torque_nm: Vec<f64>,
    tendon_length_m: Vec<f64>,
    tendon_tension_n: Vec<f64>,
    /// Largest force or moment out of balance at a node of a leg; rounding leaves some 1e-8.
    leg_residual: f64,
    path_points: usize,
    iterations: usize,
}

fn report(platform: &mut StaticPlatform, found: &Found) -> Result<Report> {
    let stability = platform.stability()?;
    let (force, moment) = platform.wrench();
    Ok(Report {
        position_m: platform.pose().translation().into(),
        attitude_rad: Attitude::of_body(platform.pose()),
        motor_rad: platform.motors().to_vec(),
        leg_forces_n: platform.leg_forces().iter().map(|f| (*f).into()).collect(),
        residual: platform.residual(),
        stable: stability.stable,
        unstable_directions: stability.unstable_directions,
        unstable_legs: stability.unstable_legs.iter().map(|leg| leg + 1).collect(),
        unstable_from: found.unstable_from,
        smallest_stiffness_n_per_m: stability.smallest_stiffness,
        force_n: force.into(),
        moment_nm: moment.into(),
        holding_torque_nm: platform.holding_torques(),
        tendon_length_m: platform.chords(),
        tendon_tension_n: platform.tensions(),
        leg_residual: platform.leg_residual(),
        path_points: found.points,
        iterations: found.iterations,
    })
}

/// Numbers in a row.
fn listed(values: &[f64], digits: usize) -> String {
    let texts: Vec<String> = values.iter().map(|x| format!("{x:.digits$}")).collect();
    texts.join("  ")
}

impl Report {
    fn summary(&self, title: &str) -> Summary {
        let mut summary = Summary::new(title);
        summary
            .text("position", listed(&self.position_m, 6), "m")
            .text(
                "pitch, yaw, roll",
                listed(&self.attitude_rad.list(), 6),
                "rad",
            )
            .text("motor angles", listed(&self.motor_rad, 6), "rad")
            .text("holding torques", listed(&self.holding_torque_nm, 4), "N·m")
            .text("tendon lengths", listed(&self.tendon_length_m, 5), "m")
            .text("tendon tensions", listed(&self.tendon_tension_n, 3), "N");
        for (i, force) in self.leg_forces_n.iter().enumerate() {
            summary.text(&format!("force of leg {}", i + 1), listed(force, 4), "N");
        }
        summary
            .text("out of balance", format!("{:.1e}", self.residual), "N, N·m")
            .number("smallest stiffness", self.smallest_stiffness_n_per_m, "N/m");
        if self.stable {
            summary.note("stable: a minimum of the energy with the motors held");
        } else {
            summary.note(format!(
                "UNSTABLE in {} directions with the motors held",
                self.unstable_directions
            ));
        }
        summary
    }
}

fn deliver(
    title: &str,
    resolved: &Resolved<PlatformConfig>,
    output: &OutputArgs,
    report: &Report,
) -> Result<ExitCode> {
    if let Some(out) = &output.out {
        output::write_json(&out.join("equilibrium.json"), report)?;
        output::write_atomic(&out.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if output.json {
        output::say_json(report)?;
    } else {
        output::say(&report.summary(title).to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `forward`.
pub fn forward(arguments: &ForwardArguments) -> Result<ExitCode> {
    let resolved = Resolved::<PlatformConfig>::new(&arguments.settings)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    arguments.output.probe("equilibrium.json")?;
    let motors = arguments.motor_rad.as_ref().map(|m| m.0.as_slice());
    if arguments.curve {
        return curve(arguments, &resolved, motors);
    }
    let (mut platform, found) = start::forward(&resolved.config, motors, &arguments.wrench)?;
    let report = report(&mut platform, &found)?;
    deliver(
        "Pose of the platform",
        &resolved,
        &arguments.output,
        &report,
    )
}

/// Runs `inverse`.
pub fn inverse(arguments: &InverseArguments) -> Result<ExitCode> {
    let resolved = Resolved::<PlatformConfig>::new(&arguments.settings)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    arguments.output.probe("equilibrium.json")?;
    let pose = start::pose(arguments.position, arguments.attitude_rad);
    let (mut platform, found) = start::inverse(&resolved.config, pose, &arguments.wrench)?;
    let report = report(&mut platform, &found)?;
    deliver(
        "Motor angles of the platform",
        &resolved,
        &arguments.output,
        &report,
    )
}

/// What `--curve --json` prints.
#[derive(Debug, Serialize)]
struct CurveReport {
    points: Vec<PointReport>,
    /// Fractions of the wrench at the limit points passed.
    limit_fractions: Vec<f64>,
    /// Fraction of the wrench from which on the equilibrium is unstable.
    unstable_from: Option<f64>,
    ended: String,
}

#[derive(Debug, Serialize)]
struct PointReport {
    fraction: f64,
    position_m: [f64; 3],
    attitude_rad: Attitude,
    unstable_directions: usize,
    smallest_stiffness_n_per_m: f64,
    residual: f64,
}

impl CurveReport {
    fn new(curve: &LoadCurve) -> Self {
        let point = |point: &softdock_platform::statics::CurvePoint| PointReport {
            fraction: point.fraction,
            position_m: point.pose.translation().into(),
            attitude_rad: Attitude::of_body(&point.pose),
            unstable_directions: point.unstable_directions,
            smallest_stiffness_n_per_m: point.smallest_stiffness,
            residual: point.residual,
        };
        let unstable = curve.points.iter().find(|p| p.unstable_directions > 0);
        Self {
            points: curve.points.iter().map(point).collect(),
            limit_fractions: curve.limits.clone(),
            unstable_from: unstable.map(|point| point.fraction),
            ended: match &curve.end {
                CurveEnd::Target => "the wrench is reached".to_owned(),
                CurveEnd::Returned => "the curve came back to a wrench of zero".to_owned(),
                CurveEnd::Points => "most points of a curve".to_owned(),
                CurveEnd::Stuck(error) => format!("it could not be followed further: {error}"),
            },
        }
    }

    fn write(&self, path: &Path) -> Result<()> {
        let header = [
            "fraction",
            "x",
            "y",
            "z",
            "pitch",
            "yaw",
            "roll",
            "unstable_directions",
            "smallest_stiffness",
            "residual",
        ];
        let mut csv = CsvFile::create(path, &header)?;
        for point in &self.points {
            let [x, y, z] = point.position_m;
            let [pitch, yaw, roll] = point.attitude_rad.list();
            csv.row(&[
                point.fraction,
                x,
                y,
                z,
                pitch,
                yaw,
                roll,
                point.unstable_directions as f64,
                point.smallest_stiffness_n_per_m,
                point.residual,
            ])?;
        }
        csv.finish()?;
        Ok(())
    }
}

fn curve(
    arguments: &ForwardArguments,
    resolved: &Resolved<PlatformConfig>,
    motors: Option<&[f64]>,
) -> Result<ExitCode> {
    let none = WrenchArgs::default();
    let (mut platform, _) = start::forward(&resolved.config, motors, &none)?;
    let target = Target {
        pose: None,
        motors: Some(platform.motors().to_vec()),
        force: arguments.wrench.force.into(),
        moment: arguments.wrench.moment.into(),
    };
    let curve = platform.load_curve(&target, &CurveSettings::default())?;
    let report = CurveReport::new(&curve);
    if let Some(out) = &arguments.output.out {
        report.write(&out.join("curve.csv"))?;
        output::write_atomic(&out.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut summary = Summary::new(format!("Load curve: {} points", report.points.len()));
    for fraction in &report.limit_fractions {
        summary.number("limit point at", 100.0 * fraction, "% of the wrench");
    }
    if let Some(fraction) = report.unstable_from {
        summary.number("unstable from", 100.0 * fraction, "% of the wrench");
    }
    if let Some(last) = report.points.last() {
        summary
            .number("last point at", 100.0 * last.fraction, "% of the wrench")
            .text("position there", listed(&last.position_m, 6), "m");
    }
    summary.note(format!("ended: {}", report.ended));
    output::say(&summary.to_string())?;
    Ok(ExitCode::SUCCESS)
}
