//! `softdock bench dockings`: what a docking of a study costs at every fidelity, and how wrong it is.
//!
//! The same random dockings are run at every setting. Times are processor times of all threads,
//! set-up, run and summary together; errors are those of peak force and impulse against fine runs,
//! relative, and the number of outcomes that differ. Instructions are counted by callgrind in a process
//! of their own: the difference of two runs that differ by some dockings, over these.

use super::clock::{go_on, process_time};
use super::wanted;
use crate::batch::{Changes, prepare, scenario_of};
use crate::command::{self, ViewArgs};
use crate::failure::BadInput;
use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use softdock_docking::{DockingRun, Outcome, Scenario};
use softdock_figures::{Views, figures};
use softdock_platform::config::Fidelity;
use softdock_study::{Plan, Shard};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Arguments of `softdock bench dockings`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Study whose first runs are taken: a name or a file
    #[arg(long, default_value = "idss-envelope")]
    study: String,
    /// Dockings
    #[arg(long, default_value_t = 20)]
    runs: u64,
    /// Setting to measure: fixed, accuracy, reduced, strut; repeatable, all if left out
    #[arg(long)]
    only: Vec<String>,
    /// Elements of the fine runs
    #[arg(long, default_value_t = 20)]
    fine_elements: usize,
    /// Step of the fine runs [s]
    #[arg(long, default_value_t = 0.25e-3)]
    fine_step: f64,
    /// Leaves out the fine runs, and with them the errors
    #[arg(long)]
    no_errors: bool,
    /// Counts instructions, too; needs valgrind
    #[arg(long)]
    instructions: bool,
    #[command(flatten)]
    views: ViewArgs,
}

/// How dockings are run.
struct Setting {
    name: &'static str,
    /// Dockings per minute and core that are wanted, with 95 % of the errors below the last.
    wanted: Option<(f64, f64)>,
    apply: fn(&mut Scenario),
}

const SETTINGS: [Setting; 4] = [
    Setting {
        name: "fixed",
        wanted: None,
        apply: |_| {},
    },
    Setting {
        name: "accuracy",
        wanted: Some((600.0, 1e-3)),
        apply: |scenario| scenario.platform.solver.accuracy = Some(1e-3),
    },
    Setting {
        name: "reduced",
        wanted: Some((1200.0, 2e-3)),
        apply: |scenario| {
            scenario.platform.legs.fidelity = Fidelity::Reduced;
            scenario.platform.solver.accuracy = Some(2e-3);
        },
    },
    Setting {
        name: "strut",
        wanted: Some((3000.0, 1e-2)),
        apply: |scenario| {
            scenario.platform.legs.fidelity = Fidelity::Strut;
            scenario.platform.solver.accuracy = Some(1e-3);
        },
    },
];

/// What came out of a docking.
#[derive(Debug, Clone, Copy)]
struct DockingResult {
    peak: f64,
    impulse: f64,
    outcome: Outcome,
}

/// One setting over all dockings.
#[derive(Debug, Serialize)]
struct Line {
    setting: &'static str,
    dockings: u64,
    /// Processor time of all threads [s per docking].
    processor_s: f64,
    wall_s: f64,
    per_minute_and_core: f64,
    wanted_per_minute: Option<f64>,
    /// Mean steps.
    steps: f64,
    /// 95th percentile and largest error of the peak force [-].
    peak_error: Option<[f64; 2]>,
    /// The same of the impulse.
    impulse_error: Option<[f64; 2]>,
    outcomes_changed: Option<usize>,
    /// Dockings that could not be computed.
    failed: usize,
    instructions: Option<f64>,
}

figures! {
    /// Dockings at every fidelity.
    struct Fidelities;
    study: String = "-", "study", "Study whose runs were taken";
    fine: String = "-", "errors against", "Mesh and step of the fine runs";
    lines: Vec<Line> as "The settings.";
}

/// Runs the benchmark.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    command::show(&arguments.views, || Ok(measure(arguments)?.into()))
}

fn measure(arguments: &Arguments) -> Result<Fidelities> {
    let changes = Changes {
        runs: Some(arguments.runs.max(1)),
        ..Changes::default()
    };
    let plan = prepare(Path::new(&arguments.study), &changes, Shard::WHOLE)?.plan;
    let chosen = chosen(&arguments.only)?;
    let fine = if arguments.no_errors {
        Vec::new()
    } else {
        fine_runs(&plan, arguments)?
    };
    let mut lines = Vec::new();
    for setting in chosen {
        let mut line = one_setting(&plan, setting, &fine)?;
        if arguments.instructions {
            line.instructions = Some(instructions(arguments, setting.name)?);
        }
        lines.push(line);
    }
    Ok(Fidelities {
        study: arguments.study.clone(),
        fine: if arguments.no_errors {
            "nothing".to_owned()
        } else {
            let step = 1e3 * arguments.fine_step;
            format!("{} elements and {step} ms", arguments.fine_elements)
        },
        lines,
    })
}

fn chosen(only: &[String]) -> Result<Vec<&'static Setting>> {
    if only.is_empty() {
        return Ok(SETTINGS.iter().collect());
    }
    let find = |name: &String| {
        let found = SETTINGS.iter().find(|setting| setting.name == name);
        found.ok_or_else(|| {
            let message = format!("--only {name} is not one of fixed, accuracy, reduced, strut");
            BadInput::new(message).into()
        })
    };
    only.iter().map(find).collect()
}

/// The docking of a run of the study on one thread.
fn docking(plan: &Plan, run: u64) -> Result<Scenario> {
    let mut scenario = scenario_of(plan, run)?;
    scenario.platform.solver.threads = 1;
    Ok(scenario)
}

/// Runs a docking: results and steps; none if it cannot be computed.
fn outcome(scenario: &Scenario) -> Option<(DockingResult, usize)> {
    let mut run = DockingRun::new(scenario, false).ok()?;
    run.run().ok()?;
    let summary = run.summary().ok()?;
    let result = DockingResult {
        peak: summary.peak_contact_force_n.unwrap_or(0.0),
        impulse: summary.contact_impulse_n_s.unwrap_or(0.0),
        outcome: summary.outcome,
    };
    Some((result, summary.steps))
}

fn fine_runs(plan: &Plan, arguments: &Arguments) -> Result<Vec<Option<DockingResult>>> {
    (0..arguments.runs.max(1))
        .map(|run| {
            go_on()?;
            let mut scenario = docking(plan, run)?;
            scenario.platform.legs.elements = arguments.fine_elements;
            scenario.platform.solver.step_s = arguments.fine_step;
            Ok(outcome(&scenario).map(|(result, _)| result))
        })
        .collect()
}

fn one_setting(plan: &Plan, setting: &Setting, fine: &[Option<DockingResult>]) -> Result<Line> {
    let runs = plan.runs();
    let (wall, processor) = (Instant::now(), process_time());
    let mut found = Vec::new();
    for run in 0..runs {
        go_on()?;
        let mut scenario = docking(plan, run)?;
        (setting.apply)(&mut scenario);
        found.push(outcome(&scenario));
    }
    let wall_s = wall.elapsed().as_secs_f64();
    let processor = processor.zip(process_time()).map(|(from, to)| to - from);
    let processor_s = processor.unwrap_or(wall_s) / runs as f64;
    let steps: usize = found.iter().flatten().map(|(_, steps)| *steps).sum();
    let pairs: Vec<(DockingResult, DockingResult)> = found
        .iter()
        .zip(fine)
        .filter_map(|(found, fine)| Some((found.as_ref()?.0, (*fine)?)))
        .collect();
    let errors = |value: fn(&DockingResult) -> f64| {
        let all = pairs.iter().map(|(found, fine)| {
            let scale = value(fine).abs().max(f64::MIN_POSITIVE);
            (value(found) - value(fine)).abs() / scale
        });
        percentiles(all.collect())
    };
    Ok(Line {
        setting: setting.name,
        dockings: runs,
        processor_s,
        wall_s,
        per_minute_and_core: 60.0 / processor_s,
        wanted_per_minute: setting.wanted.map(|(rate, _)| rate),
        steps: steps as f64 / runs as f64,
        peak_error: errors(|result| result.peak),
        impulse_error: errors(|result| result.impulse),
        outcomes_changed: (!pairs.is_empty()).then(|| {
            let changed = |(a, b): &&(DockingResult, DockingResult)| a.outcome != b.outcome;
            pairs.iter().filter(changed).count()
        }),
        failed: found.iter().filter(|found| found.is_none()).count(),
        instructions: None,
    })
}

/// 95th percentile and largest.
fn percentiles(mut errors: Vec<f64>) -> Option<[f64; 2]> {
    errors.sort_by(f64::total_cmp);
    let last = *errors.last()?;
    let index = (0.95 * errors.len() as f64).ceil() as usize;
    Some([errors[index.clamp(1, errors.len()) - 1], last])
}

/// Dockings over which instructions are averaged.
const COUNTED: u64 = 2;

/// Instructions of one docking.
fn instructions(arguments: &Arguments, setting: &str) -> Result<f64> {
    let [few, many] = [1, 1 + COUNTED].map(|runs| counted(arguments, setting, runs));
    Ok((many? - few?) / COUNTED as f64)
}

/// Instructions of this program with so many dockings, by callgrind.
fn counted(arguments: &Arguments, setting: &str, runs: u64) -> Result<f64> {
    go_on()?;
    let program = std::env::current_exe().context("where this program is")?;
    let out = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["bench", "dockings", "--no-errors", "--only", setting])
        .args(["--study", &arguments.study, "--runs", &runs.to_string()])
        .output()
        .map_err(|cause| BadInput::new(format!("--instructions needs valgrind: {cause}")))?;
    let text = String::from_utf8_lossy(&out.stderr);
    let collected = text
        .lines()
        .filter_map(|line| line.split("Collected :").nth(1))
        .find_map(|number| number.trim().parse().ok());
    collected.context("callgrind did not say how many instructions it collected")
}

impl Views for Fidelities {
    const FILE: &'static str = "bench-dockings.json";

    fn title(&self) -> String {
        let count = self.lines.first().map_or(0, |line| line.dockings);
        format!("{count} dockings of {} at every fidelity", self.study)
    }

    fn listing(&self) -> Option<(Vec<&'static str>, Vec<Vec<String>>)> {
        let pair = |errors: &Option<[f64; 2]>| {
            errors.map_or_else(
                || "-".to_owned(),
                |[most, worst]| format!("{most:.1e} / {worst:.1e}"),
            )
        };
        let row = |line: &Line| {
            vec![
                line.setting.to_owned(),
                format!("{:.2} ms", 1e3 * line.processor_s),
                format!("{:.0}", line.per_minute_and_core),
                format!("{:.0}", line.steps),
                pair(&line.peak_error),
                pair(&line.impulse_error),
                line.outcomes_changed
                    .map_or_else(|| "-".to_owned(), |count| count.to_string()),
                line.failed.to_string(),
                line.instructions
                    .map_or_else(|| "-".to_owned(), |count| format!("{:.3} G", 1e-9 * count)),
                wanted(line.per_minute_and_core, line.wanted_per_minute),
            ]
        };
        let header = vec![
            "setting",
            "processor",
            "per minute and core",
            "steps",
            "peak, 95 % / worst",
            "impulse, 95 % / worst",
            "outcomes changed",
            "failed",
            "instructions",
            "",
        ];
        Some((header, self.lines.iter().map(row).collect()))
    }

    fn notes(&self) -> Vec<String> {
        vec![
            format!("errors against {}", self.fine),
            "processor time of all threads, set-up included; accuracy and strut with \
             solver.accuracy = 1e-3"
                .to_owned(),
        ]
    }
}
