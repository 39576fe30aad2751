//! One docking: progress, time series, a clean end.

use super::table;
use crate::failure::BadInput;
use crate::output::CsvFile;
use crate::run::Progress;
use anyhow::Result;
use leg_core::LegError;
use multibody::results::soundness::Soundness;
use serde::Serialize;
use serde_json::Value;
use softdock_docking::{
    Controller, DockingError, DockingRun, Law, NumericalErrors, Scenario, Summary,
};
use softdock_fmi::import::FmuArchive;
use softdock_platform::PlatformError;
use softdock_platform::config::Coupling;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// The whole duration is simulated.
    Complete,
    /// Somebody stopped it.
    Stopped,
    /// It could not go on.
    Failed(DockingError),
}

/// A run and its results.
#[derive(Debug)]
pub struct Finished {
    /// The run with its samples.
    pub run: DockingRun,
    /// How it ended.
    pub ended: Ended,
    /// The figures.
    pub figures: Summary,
    /// What only the program knows.
    pub circumstances: Circumstances,
    /// The file of the time series, if one was asked for.
    pub table: Option<PathBuf>,
    /// Errors of figures, if they were asked for.
    pub errors: Option<NumericalErrors>,
}

/// What the program knows of a run beside its figures: entries of its summary.
#[derive(Debug, Clone, Serialize)]
pub struct Circumstances {
    /// Wall time that it took [s].
    pub wall_s: f64,
    /// How the legs are coupled.
    pub coupling: Coupling,
    /// What the legs are.
    pub legs: Legs,
    /// Version of the program.
    pub version: &'static str,
    /// Why it ended early, if it did.
    pub error: Option<String>,
}

/// What the legs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Legs {
    /// Part of the program.
    Native,
    /// Inside FMUs.
    Fmu,
}

impl Finished {
    /// The summary for machines.
    pub fn summary(&self) -> Result<Value> {
        #[derive(Serialize)]
        struct Whole<'a> {
            #[serde(flatten)]
            figures: &'a Summary,
            #[serde(flatten)]
            circumstances: &'a Circumstances,
            #[serde(skip_serializing_if = "Option::is_none")]
            numerical_errors: &'a Option<NumericalErrors>,
        }
        Ok(serde_json::to_value(Whole {
            figures: &self.figures,
            circumstances: &self.circumstances,
            numerical_errors: &self.errors,
        })?)
    }

    /// Runs the same docking refined, and tells the errors of figures from the differences. Nothing
    /// happens to a run that did not come to its end.
    pub fn find_errors(&mut self, stop: &dyn Fn() -> bool) -> Result<()> {
        if !matches!(self.ended, Ended::Complete) {
            return Ok(());
        }
        let scenario = self.run.scenario();
        let refined = prepare(&scenario.refined()?, false, None)?;
        let Some(refined) = refined.summarize(stop)? else {
            self.ended = Ended::Stopped;
            return Ok(());
        };
        let accuracy = scenario.platform.solver.accuracy;
        let found = NumericalErrors::new(&self.figures, &refined, accuracy);
        let doubts = match found.doubts.as_slice() {
            [] => Soundness::Sound,
            doubts => Soundness::Suspect(doubts.to_vec()),
        };
        let soundness = core::mem::take(&mut self.figures.soundness);
        self.figures.soundness = soundness.and(doubts);
        self.errors = Some(found);
        Ok(())
    }

    /// What the run cost, in a line.
    pub fn effort(&self) -> String {
        let Summary {
            steps,
            rejected_steps,
            iterations,
            smallest_step_s,
            simulated_s,
            ..
        } = &self.figures;
        format!(
            "{simulated_s:.4} s simulated in {:.3} s: {steps} steps, {rejected_steps} refused, {iterations} \
             iterations, smallest step {smallest_step_s:.1e} s",
            self.circumstances.wall_s
        )
    }

    /// How the legs are coupled, if not in the usual way.
    pub fn coupling(&self) -> Option<String> {
        let coupling = match self.circumstances.coupling {
            Coupling::Monolithic => return None,
            Coupling::Implicit => "implicit",
            Coupling::Explicit => "explicit",
        };
        let legs = match self.circumstances.legs {
            Legs::Fmu => "legs inside FMUs",
            Legs::Native => "native legs",
        };
        Some(format!("{coupling}, {legs}"))
    }

    /// Why the results are incomplete, if they are.
    pub fn incomplete(&self) -> Option<String> {
        let time = self.run.time();
        match &self.ended {
            Ended::Complete => None,
            Ended::Stopped => Some(format!("stopped at t = {time:.4} s.")),
            Ended::Failed(error) => Some(format!("the run ended at t = {time:.4} s: {error}.")),
        }
    }
}

/// A run in equilibrium with the target in front of it.
#[derive(Debug)]
pub struct Ready {
    run: DockingRun,
    /// What the legs are.
    legs: Legs,
    /// Wall time that this took [s].
    preparation_s: f64,
}

/// Finds the equilibrium and places the target: what can be refused is refused here, before
/// anything is written.
pub fn prepare(scenario: &Scenario, keep_samples: bool, fmu: Option<&FmuArchive>) -> Result<Ready> {
    prepare_controlled(scenario, keep_samples, fmu, None)
}

/// The same with the motors under a controller of one's own, if there is one.
pub fn prepare_controlled(
    scenario: &Scenario,
    keep_samples: bool,
    fmu: Option<&FmuArchive>,
    controller: Option<Box<dyn Controller>>,
) -> Result<Ready> {
    if controller.is_none() && scenario.docking.regulator.law == Law::External {
        return Err(DockingError::NoController.into());
    }
    start(scenario, keep_samples, fmu, controller)
}

/// The same for a caller who advances the run: with `regulator.law = "external"`, the caller is the
/// controller.
pub fn prepare_stepped(scenario: &Scenario) -> Result<Ready> {
    start(scenario, true, None, None)
}

fn start(
    scenario: &Scenario,
    keep_samples: bool,
    fmu: Option<&FmuArchive>,
    controller: Option<Box<dyn Controller>>,
) -> Result<Ready> {
    let started = Instant::now();
    let run = match (fmu, controller) {
        (Some(fmu), controller) => {
            let archives = core::slice::from_ref(fmu);
            DockingRun::with_fmus(scenario, keep_samples, archives, controller)
        }
        (None, Some(controller)) => DockingRun::with_controller(scenario, keep_samples, controller),
        (None, None) => DockingRun::new(scenario, keep_samples),
    };
    Ok(Ready {
        run: run.map_err(explained)?,
        legs: match fmu {
            Some(_) => Legs::Fmu,
            None => Legs::Native,
        },
        preparation_s: started.elapsed().as_secs_f64(),
    })
}

/// An error with the keys that can help.
fn explained(error: DockingError) -> anyhow::Error {
    let DockingError::Platform(PlatformError::Leg {
        leg,
        cause:
            LegError::ImpossibleChord {
                chord_m,
                shortest_m,
                longest_m,
                ..
            },
    }) = error
    else {
        return error.into();
    };
    let amiss = if chord_m > longest_m { "far" } else { "near" };
    BadInput::new(format!(
        "leg {leg} cannot be mounted: its spherical joint is {chord_m:.4} m from the tip of its \
         crank, which is too {amiss} for its leaf ({shortest_m:.4} m to {longest_m:.4} m); change \
         leaf.length_m, crank.length_m, end_effector.position_m, end_effector.attitude_rad, \
         legs.motor_radius_m, legs.sphere_radius_m or the azimuths of the legs"
    ))
    .into()
}

impl Ready {
    /// A run with native legs that its caller has advanced.
    pub fn under_way(run: DockingRun) -> Self {
        Self {
            run,
            legs: Legs::Native,
            preparation_s: 0.0,
        }
    }

    /// The run itself, for callers that advance it themselves.
    pub fn into_run(self) -> DockingRun {
        self.run
    }

    /// Runs to the end, or until `stop` says so; the time series goes to `file`, if there is one.
    pub fn run(self, file: Option<&Path>, stop: &dyn Fn() -> bool) -> Result<Finished> {
        let Self {
            mut run,
            legs,
            preparation_s,
        } = self;
        let mut progress = Progress::new(run.scenario().docking.duration_s);
        let header = table::header(&run);
        let names: Vec<&str> = header.iter().map(String::as_str).collect();
        let mut csv = file.map(|file| CsvFile::create(file, &names)).transpose()?;
        let mut written = 0;
        let ended = loop {
            if let Some(csv) = &mut csv {
                for sample in &run.samples()[written..] {
                    csv.row(&table::row(sample, run.start()))?;
                }
                written = run.samples().len();
            }
            if run.finished() {
                break Ended::Complete;
            }
            if stop() {
                break Ended::Stopped;
            }
            let (time, steps) = (run.time(), run.track().steps);
            if let Err(error) = run.advance() {
                break Ended::Failed(error);
            }
            let step = (run.time() - time) / (run.track().steps - steps).max(1) as f64;
            progress.at_with_step(run.time(), step);
        };
        progress.finish();
        let table = match (csv, &ended) {
            (None, _) => None,
            (Some(csv), Ended::Complete) => Some(csv.finish()?),
            (Some(csv), _) => Some(csv.keep_partial()?),
        };
        let mut figures = run.summary()?;
        if matches!(ended, Ended::Failed(_)) {
            figures.soundness = figures.soundness.failed();
        }
        let circumstances = Circumstances {
            wall_s: preparation_s + progress.elapsed(),
            coupling: run.platform().coupling(),
            legs,
            version: env!("CARGO_PKG_VERSION"),
            error: match &ended {
                Ended::Complete => None,
                Ended::Stopped => Some(format!("stopped at t = {:.4} s", run.time())),
                Ended::Failed(error) => Some(error.to_string()),
            },
        };
        Ok(Finished {
            run,
            ended,
            figures,
            circumstances,
            table,
            errors: None,
        })
    }

    /// The figures of a run to the end; none if `stop` ends it.
    pub fn summarize(mut self, stop: &dyn Fn() -> bool) -> Result<Option<Summary>> {
        while !self.run.finished() {
            if stop() {
                return Ok(None);
            }
            self.run.advance()?;
        }
        Ok(Some(self.run.summary()?))
    }
}
