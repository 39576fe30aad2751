//! `softdock leg simulate`: motion of the leg from its equilibrium.

mod page;
mod record;
mod report;
mod table;

pub use page::curve;

use super::{BadInput, STOPPED, input};
use crate::output::{self, CsvFile, OutputArgs};
use crate::run;
use crate::settings::{Resolved, SettingsArgs};
use anyhow::{Context, Result};
use leg_core::leg::{LegConfig, Simulation};
use page::page;
use record::{Ended, Record};
use std::path::PathBuf;
use std::process::ExitCode;
use table::HEADER;
use toml::Value;

/// What the help says below the options.
const FILES: &str = "\
Writes leg.csv to the folder of --out, or to the current folder if there is none. With --out,
summary.json and config.toml are written beside it. A run that is stopped or fails leaves its rows
in leg.partial.csv. Columns:
  t                       time [s]
  q1, q2, q3              angles of crank, chord against crank, upper link [rad]
  q1_dot, q2_dot, q3_dot  their rates [rad/s]
  tendon_length           distance from A to B [m]
  tendon_tension          spring and damper together [N]
  x14, y14 ... x34, y34   places at a quarter, half and three quarters of the leaf [m]
  kinetic, gravity, strain, tendon                        energies [J]
  work_in, dissipated                                     since the start [J]
  residual                what the account of energy misses [J]
  loop_gap                largest violation of a joint [m]
  crank_torque            of the motor, or of what prescribes the crank's angle [N·m]";

/// Arguments of `softdock leg simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = FILES)]
pub struct Arguments {
    /// Simulated time [s]
    #[arg(
        long,
        value_name = "S",
        default_value_t = 3.0,
        allow_negative_numbers = true
    )]
    duration: f64,
    /// Step size [s]; the same as --set solver.step_s=S
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    step: Option<f64>,
    /// Time between rows [s]; every step if left out
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    output_step: Option<f64>,
    /// Table of inputs: a column t [s] and any of crank_torque_nm, link_torque_nm, load_x_n,
    /// load_y_n, crank_angle_rad (counted from the start, in the motor modes angle and hold)
    #[arg(long, value_name = "FILE.csv")]
    input: Option<PathBuf>,
    /// Writes a page with an animation, angles, tension and energies
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = resolve(arguments)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let output_step = arguments
        .output_step
        .unwrap_or(resolved.config.solver.step_s);
    run::check_times(arguments.duration, output_step).map_err(BadInput::new)?;
    let folder = arguments.output.out.clone().unwrap_or_default();
    if let Some(plot) = &arguments.plot {
        output::probe(plot)?;
    }
    run::listen_for_stop();
    let simulation = Simulation::new(&resolved.config)?;
    let csv = CsvFile::create(&folder.join("leg.csv"), &HEADER)?;
    let mut record = Record::new(
        simulation,
        csv,
        arguments.duration,
        output_step,
        arguments.plot.is_some(),
    );
    let ended = record.run();
    let (report, samples, film) = record.finish(&ended)?;
    let mut summary = report.summary();
    if arguments.output.out.is_some() {
        output::write_json(&folder.join("summary.json"), &report)?;
        output::write_atomic(&folder.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if let Some(plot) = &arguments.plot {
        let page = page(&report, &resolved.config, &samples, &film);
        output::write_atomic(plot, page.html()?.as_bytes())?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        summary.note(format!("wrote {}", report.file.display()));
        if let Some(plot) = &arguments.plot {
            summary.note(format!("wrote {}", plot.display()));
        }
        output::say(&summary.to_string())?;
    }
    match ended {
        Ended::Complete => Ok(ExitCode::SUCCESS),
        Ended::Stopped => Ok(ExitCode::from(STOPPED)),
        Ended::Failed(error) => {
            let kept = report.file.display();
            Err(error).with_context(|| format!("the rows until then are in {kept}"))
        }
    }
}

fn resolve(arguments: &Arguments) -> Result<Resolved<LegConfig>> {
    let step = arguments.step.map(|step| {
        (
            format!("--step {step}"),
            "solver.step_s",
            Value::Float(step),
        )
    });
    let more: Vec<_> = step.into_iter().collect();
    let mut resolved = Resolved::<LegConfig>::with(&arguments.settings, &more)?;
    if let Some(path) = &arguments.input {
        input::apply(path, &mut resolved.config)?;
        resolved.check()?;
    }
    Ok(resolved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_starts_as_documented() {
        assert!(HEADER.join(",").starts_with(
            "t,q1,q2,q3,q1_dot,q2_dot,q3_dot,tendon_length,tendon_tension,x14,y14,x12,y12,x34,y34,\
             kinetic,gravity,strain,tendon,work_in,dissipated,residual,loop_gap"
        ));
    }
}
