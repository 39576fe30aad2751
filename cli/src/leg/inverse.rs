//! `softdock leg inverse`: torques and reactions over a prescribed motion of the planar leg.
//!
//! Crank and upper link follow the motion, the leaf between them moves as it must, with its inertia and the
//! tendon's damper; what the two drivers do is what motors would have to do.

use super::motion::Sampled;
use crate::command::{self, CommandArgs};
use crate::failure::BadInput;
use crate::inverse::{Demand, DemandResult, DemandSample, Wanted};
use crate::run;
use anyhow::Result;
use leg_core::config::MotorMode;
use leg_core::planar::{LegJoints, PlanarLeg};
use leg_core::pretension::PlanarState;
use leg_core::{LegConfig, Simulation};
use multibody::model::{Interpolation, JointId, Signal};
use multibody::results;
use multibody::results::soundness::Watch;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the help says below the options.
const HELP: &str = "\
The rows of the table are joined by a cubic spline that is at rest at both ends; the motion begins in the
pre-tensioned posture, so the first row has pretension.q1_rad and pretension.q3_rad. The leaf moves between the
two links with its inertia (steps solver.step_s). With --out, inverse.json and inverse.csv are written: angle,
rate and torque of crank (motor 1) and upper link (motor 2), forces in the pins O and A to C (on crank, leaf, link
and link, world axes), tension of the tendon.";

/// Arguments of `softdock leg inverse`.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::failure::with_exit_status(HELP))]
pub struct Arguments {
    /// Table of the motion: a column time_s and any of q1_rad, q3_rad, the angles of crank and upper link (one
    /// that is left out stays where it is)
    #[arg(long, value_name = "FILE.csv")]
    motion: PathBuf,
    #[command(flatten)]
    common: CommandArgs,
}

/// Columns of the motion beside the time.
const COLUMNS: [&str; 2] = ["q1_rad", "q3_rad"];
/// How far the first row may be from the pre-tensioned posture [rad].
const SAME: f64 = 1e-9;

/// Further columns of the table of results.
const MORE: [(&str, &str, &str); 9] = [
    ("o_force_x_n", "N", "force in O on the crank"),
    ("o_force_y_n", "N", "force in O on the crank"),
    ("a_force_x_n", "N", "force in A on the leaf"),
    ("a_force_y_n", "N", "force in A on the leaf"),
    ("b_force_x_n", "N", "force in B on the upper link"),
    ("b_force_y_n", "N", "force in B on the upper link"),
    ("c_force_x_n", "N", "force in C on the upper link"),
    ("c_force_y_n", "N", "force in C on the upper link"),
    ("tendon_tension_n", "N", "tension of the tendon"),
];

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    command::run(&arguments.common, |config| {
        Ok(compute(config, &arguments.motion)?.into())
    })
}

fn compute(config: &LegConfig, file: &Path) -> Result<DemandResult> {
    let wanted = Wanted::read(file, &COLUMNS)?;
    let mut config = config.clone();
    config.motor.mode = MotorMode::Locked;
    config.load.lock_q3 = true;
    let step = config.solver.step_s;
    run::check_times(wanted.duration, step).map_err(BadInput::new)?;
    let rows = run::Grid::new(wanted.duration, step);
    let times: Vec<f64> = (0..=rows.last).map(|i| rows.time(i)).collect();
    let mut simulation = Simulation::new(&config)?;
    let start = simulation.sample()?.q;
    let signal = |column: &str, at_start: f64| match wanted.at(column, 0.0) {
        None => Ok(Signal::Constant(at_start)),
        Some([first, ..]) if (first - at_start).abs() <= SAME => Ok(Signal::Table {
            times: times.clone(),
            values: (times.iter())
                .map(|t| wanted.at(column, *t).map_or(at_start, |at| at[0]))
                .collect(),
            interpolation: Interpolation::Cubic,
        }),
        Some([first, ..]) => Err(BadInput::new(format!(
            "{}: {column} begins at {first}, the pre-tensioned leg at {at_start}: begin there, or set \
             pretension.{column}",
            file.display()
        ))),
    };
    let crank = signal(COLUMNS[0], start[0])?;
    let link = signal(COLUMNS[1], start[2])?;
    simulation.prescribe(crank, link)?;
    let mut watch = Watch::default();
    let mut samples = Vec::new();
    let mut progress = run::Progress::new(wanted.duration);
    for time in times {
        simulation.advance_to(time)?;
        let sample = simulation.sample()?;
        sample.account().note(&mut watch);
        samples.push(row(&simulation.leg, &simulation.state, &sample));
        progress.at(time);
    }
    progress.finish();
    let demand = Demand {
        heading: "What moves crank and upper link of the leg".to_owned(),
        names: vec!["crank".to_owned(), "upper link".to_owned()],
        samples,
        more: MORE.to_vec(),
        soundness: watch.soundness(),
        energy_residual_rel: watch.missing_share(),
        errors: None,
    };
    Ok(DemandResult::new(demand, &config.motor))
}

fn row(leg: &PlanarLeg, state: &PlanarState, sample: &leg_core::LegSample) -> DemandSample {
    let LegJoints {
        o,
        a,
        b,
        c,
        crank_driver,
        link_driver,
    } = leg.joints;
    let torque = |driver: Option<JointId>| {
        driver.map_or(0.0, |joint| {
            results::reaction(&leg.model, state, joint).moment[2]
        })
    };
    let force = |joint| {
        let force = results::reaction(&leg.model, state, joint).force;
        [force[0], force[1]]
    };
    DemandSample {
        t: sample.t,
        motors: vec![
            [sample.q[0], sample.q_dot[0], torque(crank_driver)],
            [sample.q[2], sample.q_dot[2], torque(link_driver)],
        ],
        holding: Vec::new(),
        more: ([o, a, b, c].into_iter().flat_map(force))
            .chain([sample.tendon_tension])
            .collect(),
    }
}
