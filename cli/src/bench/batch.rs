//! `softdock bench batch`: what a docking of a study costs, whether a second thread doubles the
//! throughput, and what coarser meshes and steps save and spoil.
//!
//! Times of single runs, set-up included, are processor time of all threads where the system tells it,
//! so that other work on the machine does not count. One and two threads are compared by the wall clock, which needs a
//! machine with nothing else to do, and by the processor time of a docking, which does not: it tells
//! what two free cores would give, short of waiting for each other.

use super::clock::{Clock, go_on, process_time};
use super::wanted;
use crate::batch::Docking;
use crate::command::{self, ViewArgs};
use crate::run as stopping;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use serde::Serialize;
use softdock_docking::{DockingRun, Scenario};
use softdock_figures::{Figures, Views, figures};
use softdock_report::Figure as Shown;
use softdock_study::{Directory, Job, Plan, RunOptions, Study};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Arguments of `softdock bench batch`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Dockings of each measurement of throughput
    #[arg(long, default_value_t = 16)]
    runs: u64,
    /// Repetitions, of which the fastest counts
    #[arg(long, default_value_t = 3)]
    repetitions: usize,
    /// Leaves out the table of meshes and steps
    #[arg(long)]
    no_meshes: bool,
    #[command(flatten)]
    views: ViewArgs,
}

/// Dockings of three seconds per minute and core that are wanted.
const WANTED_PER_MINUTE: f64 = 15.0;
/// Throughput of two threads over that of one that is wanted.
const WANTED_RATIO: f64 = 1.8;

/// What a docking costs and where the time goes.
#[derive(Debug, Serialize)]
struct Cost {
    simulated_s: f64,
    setup_s: f64,
    stepping_s: f64,
    summary_s: f64,
    steps: usize,
    iterations_per_step: f64,
    microseconds_per_step: f64,
    runs_per_minute_and_core: f64,
}

/// Throughput of a study.
#[derive(Debug, Serialize)]
struct Throughput {
    threads: usize,
    runs: u64,
    wall_s: f64,
    runs_per_minute: f64,
    /// Time between runs: sampling, storing, the table, waiting for the last one [s per run].
    overhead_s: f64,
    /// Processor time of all threads [s per run].
    processor_s: Option<f64>,
}

/// A choice of mesh and step.
#[derive(Debug, Serialize)]
struct Choice {
    elements: usize,
    step_s: f64,
    /// Largest error of the peak contact force over the cases, against the fine runs [-].
    force_error: f64,
    /// Mean time of a run [s].
    seconds: f64,
    runs_per_minute_and_core: f64,
}

figures! {
    /// What dockings of a study cost.
    struct StudySpeed;
    cost: Cost as "What a docking costs and where the time goes.";
    throughput: [Throughput; 2] as "Of one and of two threads.";
    ratio: f64 = "-", "two threads over one, by the wall clock", "Ratio of the throughputs",
        digits(3);
    processor_ratio: Option<f64> = "-", "by processor time: what two free cores would give",
        "Twice the processor time of a docking on one thread over that on two", digits(3),
        optional();
    choices: Vec<Choice> as "Meshes and steps to choose from.";
}

/// Runs the benchmark.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    command::show(&arguments.views, || Ok(measure(arguments)?.into()))
}

fn measure(arguments: &Arguments) -> Result<StudySpeed> {
    let cost = (0..arguments.repetitions.max(1))
        .map(|_| cost())
        .collect::<Result<Vec<Cost>>>()?
        .into_iter()
        .min_by(|a, b| a.stepping_s.total_cmp(&b.stepping_s))
        .ok_or_else(|| anyhow!("nothing was measured"))?;
    let throughput = throughputs(arguments)?;
    let [one, two] = [&throughput[0], &throughput[1]].map(|line| line.processor_s);
    Ok(StudySpeed {
        processor_ratio: one.zip(two).map(|(one, two)| 2.0 * one / two),
        ratio: throughput[1].runs_per_minute / throughput[0].runs_per_minute,
        cost,
        throughput,
        choices: if arguments.no_meshes {
            Vec::new()
        } else {
            choices()?
        },
    })
}

/// The default docking on one thread.
fn base() -> Scenario {
    let mut scenario = Scenario::default();
    scenario.platform.solver.threads = 1;
    scenario
}

/// Setups, and summaries, over which the time of one is averaged.
const SETUPS: usize = 20;

fn cost() -> Result<Cost> {
    go_on()?;
    let scenario = base();
    let clock = Clock::of_all_threads();
    for _ in 1..SETUPS {
        DockingRun::new(&scenario, false)?;
    }
    let mut run = DockingRun::new(&scenario, false)?;
    let setup_s = clock.spent().over(SETUPS).processor;
    let clock = Clock::of_all_threads();
    run.run()?;
    let stepping_s = clock.spent().processor;
    let clock = Clock::of_all_threads();
    for _ in 1..SETUPS {
        run.summary()?;
    }
    let summary = run.summary()?;
    let summary_s = clock.spent().over(SETUPS).processor;
    let steps = summary.steps.max(1) as f64;
    Ok(Cost {
        simulated_s: summary.simulated_s,
        setup_s,
        stepping_s,
        summary_s,
        steps: summary.steps,
        iterations_per_step: summary.iterations as f64 / steps,
        microseconds_per_step: 1e6 * stepping_s / steps,
        runs_per_minute_and_core: 60.0 / (setup_s + stepping_s + summary_s),
    })
}

/// A study of dockings that cost about the same, with one and with two threads.
fn throughputs(arguments: &Arguments) -> Result<[Throughput; 2]> {
    let text = format!(
        "name = \"bench\"\nruns = {}\nsampling = \"sobol\"\n[[vary]]\n\
         key = \"misalignment.pitch_deg\"\ndistribution = \"uniform\"\nmin = 7.0\nmax = 8.0\n",
        arguments.runs.max(2)
    );
    let job = Docking::new(&base())?;
    let study = Study::parse(&text, "bench")?;
    let plan = Plan::new(study, base().into(), job.figures(), "bench")?;
    let folder = std::env::temp_dir().join(format!("softdock-bench-{}", std::process::id()));
    let mut best: [Option<Throughput>; 2] = [None, None];
    // Turn and turn about, so that a change of the machine's load meets both.
    for _ in 0..arguments.repetitions.max(1) {
        for (slot, threads) in best.iter_mut().zip([1, 2]) {
            go_on()?;
            let measured = throughput(&plan, &job, &folder, threads);
            // Whatever happened, nothing is left behind.
            let removed = std::fs::remove_dir_all(&folder);
            let measured = measured?;
            removed.with_context(|| format!("cannot remove {}", folder.display()))?;
            if slot.as_ref().is_none_or(|old| measured.wall_s < old.wall_s) {
                *slot = Some(measured);
            }
        }
    }
    match best {
        [Some(one), Some(two)] => Ok([one, two]),
        _ => Err(anyhow!("nothing was measured")),
    }
}

fn throughput(plan: &Plan, job: &Docking, folder: &Path, threads: usize) -> Result<Throughput> {
    let options = RunOptions {
        threads,
        cancel: Some(stopping::stop_flag()),
        ..RunOptions::default()
    };
    let (start, processor) = (Instant::now(), process_time());
    softdock_study::run(plan, job, folder, &options, &|_| {})?;
    let wall_s = start.elapsed().as_secs_f64();
    let processor = processor.zip(process_time());
    let mut in_runs = 0.0;
    Directory::open(folder)?.for_each_row(|row| {
        in_runs += row.elapsed_s;
        Ok(())
    })?;
    let runs = plan.runs();
    Ok(Throughput {
        threads,
        runs,
        wall_s,
        runs_per_minute: 60.0 * runs as f64 / wall_s,
        overhead_s: (threads as f64 * wall_s - in_runs) / runs as f64,
        processor_s: processor.map(|(before, after)| (after - before) / runs as f64),
    })
}

/// Meshes and steps to choose from.
const ELEMENTS: [usize; 4] = [4, 6, 10, 20];
const STEPS: [f64; 4] = [0.5e-3, 1e-3, 2e-3, 4e-3];
/// Mesh and step of the fine runs.
const FINE: (usize, f64) = (30, 0.1e-3);
/// Pitch, yaw [deg] and closing speed [m/s] of the cases.
const CASES: [(f64, f64, f64); 2] = [(7.5, 0.0, 0.05), (4.0, 4.0, 0.10)];

fn choices() -> Result<Vec<Choice>> {
    let fine = CASES
        .iter()
        .map(|case| Ok(peak_force(case, FINE)?.0))
        .collect::<Result<Vec<f64>>>()?;
    let mut out = Vec::new();
    for elements in ELEMENTS {
        for step_s in STEPS {
            let (mut force_error, mut total) = (0.0_f64, 0.0);
            for (case, reference) in CASES.iter().zip(&fine) {
                go_on()?;
                let (force, seconds) = peak_force(case, (elements, step_s))?;
                force_error = force_error.max((force / reference - 1.0).abs());
                total += seconds;
            }
            let seconds = total / CASES.len() as f64;
            out.push(Choice {
                elements,
                step_s,
                force_error,
                seconds,
                runs_per_minute_and_core: 60.0 / seconds,
            });
        }
    }
    Ok(out)
}

/// Peak contact force [N] and time of a run [s].
fn peak_force(
    &(pitch, yaw, speed): &(f64, f64, f64),
    (elements, step_s): (usize, f64),
) -> Result<(f64, f64)> {
    let mut scenario = base();
    scenario.docking.misalignment.pitch_deg = pitch;
    scenario.docking.misalignment.yaw_deg = yaw;
    scenario.docking.closing_speed_m_s = speed;
    scenario.platform.legs.elements = elements;
    scenario.platform.solver.step_s = step_s;
    // No step goes beyond an output time.
    let interval = &mut scenario.docking.output_interval_s;
    *interval = interval.max(step_s);
    let clock = Clock::of_all_threads();
    let mut run = DockingRun::new(&scenario, false)?;
    run.run()?;
    let peak = run.summary()?.peak_contact_force_n.unwrap_or(f64::NAN);
    Ok((peak, clock.spent().processor))
}

impl Views for StudySpeed {
    const FILE: &'static str = "bench-batch.json";

    fn title(&self) -> String {
        let simulated = self.cost.simulated_s;
        format!("One docking of {simulated} s, 10 elements, 1 ms, and studies of them")
    }

    fn rows(&self) -> Vec<Shown> {
        let cost = &self.cost;
        let seconds = |label: &str, time: f64| Shown::text(label, format!("{time:.5}"), "s");
        let rate = cost.runs_per_minute_and_core;
        let mut rows = vec![
            seconds("setup", cost.setup_s),
            seconds("stepping", cost.stepping_s),
            seconds("summary", cost.summary_s),
            Shown::number("steps", cost.steps as f64, 6, ""),
            Shown::number("iterations per step", cost.iterations_per_step, 3, ""),
            Shown::number("time per step", cost.microseconds_per_step, 4, "µs"),
            Shown::text(
                "dockings per minute and core",
                format!("{rate:.1}"),
                &wanted(rate, Some(WANTED_PER_MINUTE)),
            ),
        ];
        let mut ratios = self.lines();
        if let Some(ratio) = ratios.first_mut() {
            ratio.unit = wanted(self.ratio, Some(WANTED_RATIO));
        }
        rows.extend(ratios);
        rows
    }

    fn listing(&self) -> Option<(Vec<&'static str>, Vec<Vec<String>>)> {
        if self.choices.is_empty() {
            return None;
        }
        let row = |choice: &Choice| {
            vec![
                choice.elements.to_string(),
                format!("{} ms", 1e3 * choice.step_s),
                format!("{:.3} %", 100.0 * choice.force_error),
                format!("{:.3}", choice.seconds),
                format!("{:.1}", choice.runs_per_minute_and_core),
            ]
        };
        let header = [
            "elements",
            "step",
            "error of peak force",
            "s per run",
            "per minute and core",
        ];
        Some((header.to_vec(), self.choices.iter().map(row).collect()))
    }

    fn notes(&self) -> Vec<String> {
        let line = |line: &Throughput| {
            format!(
                "{} thread(s): {} dockings in {:.2} s, {:.1} per minute; a docking takes {:.3} s of \
                 processor time, {:.1} ms are between runs",
                line.threads,
                line.runs,
                line.wall_s,
                line.runs_per_minute,
                line.processor_s.unwrap_or(f64::NAN),
                1e3 * line.overhead_s
            )
        };
        let errors = (!self.choices.is_empty()).then(|| {
            let (elements, step) = (FINE.0, 1e3 * FINE.1);
            format!(
                "errors against {elements} elements and {step} ms, the larger of two cases: 7.5° at \
                 0.05 m/s, 4° of pitch and yaw at 0.10 m/s; steps above 2 ms need an \
                 output_interval_s as large"
            )
        });
        self.throughput.iter().map(line).chain(errors).collect()
    }
}
