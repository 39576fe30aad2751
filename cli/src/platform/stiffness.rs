//! `softdock platform stiffness`: the 6×6 stiffness of the end effector.

use super::start::{PlaceArgs, WrenchArgs};
use crate::output::{self, OutputArgs};
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::{Summary, significant};
use anyhow::Result;
use multibody::group::Group;
use serde::Serialize;
use softdock_platform::PlatformConfig;
use softdock_platform::attitude::Attitude;
use softdock_platform::statics::StaticPlatform;
use std::process::ExitCode;

/// What the help says below the options.
const HELP: &str = "\
Motors held; about the end effector's centre, world axes: translations [m] and rotations [rad] to
forces [N] and moments [N·m]. Principal stiffnesses of translation are given with rotations held and
with rotations free, those of rotation with the centre held. The six eigenvalues are those of the
matrix with rotations measured as arc lengths at the spherical joints (length_m), all in N/m; their
condition number and the smallest of them tell how close the pose is to a singular one. The motors'
singular values tell the same of the way from motor angles to the wrench.
With --out, stiffness.json and config.toml are written to the folder.";

/// Arguments of `softdock platform stiffness`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    wrench: WrenchArgs,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Serialize)]
struct Principal {
    stiffness_n_per_m: f64,
    /// Translation, then rotation times length_m; of length one.
    direction: [f64; 6],
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    position_m: [f64; 3],
    attitude_rad: Attitude,
    motor_rad: Vec<f64>,
    /// Rows.
    stiffness: [[f64; 6]; 6],
    translation_n_per_m: [f64; 3],
    translation_with_free_rotation_n_per_m: [f64; 3],
    rotation_nm_per_rad: [f64; 3],
    length_m: f64,
    eigenvalues: Vec<Principal>,
    condition: f64,
    /// Smallest over largest eigenvalue: zero at a singular pose, negative beyond.
    closeness_to_singular: f64,
    asymmetry: f64,
    motor_singular_values_n_per_rad: Vec<f64>,
    motor_condition: f64,
    stable: bool,
    unstable_directions: usize,
}

fn report(platform: &mut StaticPlatform) -> Result<Report> {
    let stability = platform.stability()?;
    let found = platform.stiffness_report();
    let values = &found.motor_singular_values;
    let principal = (0..6).map(|i| Principal {
        stiffness_n_per_m: found.eigenvalues[i],
        direction: found.directions[i].into(),
    });
    Ok(Report {
        position_m: platform.pose().translation().into(),
        attitude_rad: Attitude::of_body(platform.pose()),
        motor_rad: platform.motors().to_vec(),
        stiffness: core::array::from_fn(|i| core::array::from_fn(|j| found.matrix[(i, j)])),
        translation_n_per_m: found.translation,
        translation_with_free_rotation_n_per_m: found.translation_free,
        rotation_nm_per_rad: found.rotation,
        length_m: found.length,
        eigenvalues: principal.collect(),
        condition: found.condition,
        closeness_to_singular: found.eigenvalues[0] / found.eigenvalues[5],
        asymmetry: found.asymmetry,
        motor_condition: values.first().unwrap_or(&0.0) / values.last().unwrap_or(&0.0),
        motor_singular_values_n_per_rad: values.clone(),
        stable: stability.stable,
        unstable_directions: stability.unstable_directions,
    })
}

fn listed(values: &[f64]) -> String {
    let texts: Vec<String> = values.iter().map(|x| significant(*x, 6)).collect();
    texts.join("  ")
}

impl Report {
    fn summary(&self) -> Summary {
        let mut summary = Summary::new("Stiffness of the end effector, motors held");
        summary
            .text("position", listed(&self.position_m), "m")
            .text("pitch, yaw, roll", listed(&self.attitude_rad.list()), "rad");
        for (name, row) in ["Fx", "Fy", "Fz", "Mx", "My", "Mz"]
            .iter()
            .zip(&self.stiffness)
        {
            let texts: Vec<String> = row.iter().map(|x| format!("{x:11.3}")).collect();
            summary.text(name, texts.join(" "), "");
        }
        let free = &self.translation_with_free_rotation_n_per_m;
        summary
            .text("translation", listed(&self.translation_n_per_m), "N/m")
            .text("translation, rotation free", listed(free), "N/m")
            .text("rotation", listed(&self.rotation_nm_per_rad), "N·m/rad");
        let values: Vec<f64> = self
            .eigenvalues
            .iter()
            .map(|e| e.stiffness_n_per_m)
            .collect();
        summary
            .text("eigenvalues", listed(&values), "N/m")
            .number("condition", self.condition, "")
            .number("condition of the motors", self.motor_condition, "");
        if self.stable {
            summary.note("stable with the motors held");
        } else {
            let count = self.unstable_directions;
            summary.note(format!(
                "UNSTABLE in {count} directions with the motors held"
            ));
        }
        summary
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = Resolved::<PlatformConfig>::new(&arguments.settings)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    arguments.output.probe("stiffness.json")?;
    let (mut platform, _) = arguments
        .place
        .equilibrium(&resolved.config, &arguments.wrench)?;
    let report = report(&mut platform)?;
    if let Some(out) = &arguments.output.out {
        output::write_json(&out.join("stiffness.json"), &report)?;
        output::write_atomic(&out.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        output::say(&report.summary().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
