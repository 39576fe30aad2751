//! `softdock leg simulate`: motion of the leg from its equilibrium.

use super::scene::Film;
use super::{BadInput, STOPPED, input};
use crate::output::{self, CsvFile, OutputArgs};
use crate::plot::{Axis, Block, Chart, Figure, Page, Series};
use crate::run::{self, Progress};
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::{Summary, significant};
use anyhow::{Context, Result};
use leg_core::leg::{LegConfig, LegSample, Simulation};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use toml::Value;

/// Arguments of `softdock leg simulate`.
///
/// Writes leg.csv to the folder of --out, or to the current folder. With --out, summary.json and
/// config.toml are written beside it. Columns: t [s]; q1, q2, q3 [rad] crank, chord against
/// crank, upper link; their rates [rad/s]; tendon_length [m]; tendon_tension [N]; x14 … y34 [m]
/// places at a quarter, half and three quarters of the leaf; kinetic, gravity, strain, tendon,
/// work_in, dissipated, residual [J]; loop_gap [m] largest violation of a joint; crank_torque
/// [N·m]. A run that is stopped or fails leaves its rows in leg.partial.csv.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Simulated time [s]
    #[arg(long, value_name = "S", default_value_t = 3.0, allow_negative_numbers = true)]
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

/// Columns of leg.csv.
pub const HEADER: [&str; 24] = [
    "t", "q1", "q2", "q3", "q1_dot", "q2_dot", "q3_dot", "tendon_length", "tendon_tension", "x14",
    "y14", "x12", "y12", "x34", "y34", "kinetic", "gravity", "strain", "tendon", "work_in",
    "dissipated", "residual", "loop_gap", "crank_torque",
];

/// A row of leg.csv.
pub fn row(s: &LegSample) -> [f64; 24] {
    let [q1, q2, q3] = s.q;
    let [q1_dot, q2_dot, q3_dot] = s.q_dot;
    let [[x14, y14], [x12, y12], [x34, y34]] = s.stations;
    let e = &s.energies;
    [
        s.t, q1, q2, q3, q1_dot, q2_dot, q3_dot, s.tendon_length, s.tendon_tension, x14, y14, x12,
        y12, x34, y34, e.kinetic, e.gravity, e.strain, e.springs, s.work_in, s.dissipated,
        s.energy_residual, s.loop_gap, s.crank_torque,
    ]
}

/// What `--json` prints and summary.json holds.
#[derive(Debug, Clone, Serialize)]
struct Report {
    complete: bool,
    /// Why a run ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_because: Option<String>,
    file: PathBuf,
    rows: usize,
    simulated_s: f64,
    wall_s: f64,
    step_s: f64,
    steps: usize,
    rejected_steps: usize,
    iterations: usize,
    iterations_per_step: f64,
    largest_loop_gap_m: f64,
    initial_energy_j: f64,
    largest_energy_residual_j: f64,
    /// Largest residual relative to the initial energy, or to the most that any account has
    /// exchanged since, whichever is larger.
    energy_residual_rel: f64,
    tendon_tension_range_n: [f64; 2],
    slack_time_s: f64,
    largest_crank_turn_rad: f64,
    crank_range_rad: f64,
    peak_crank_torque_nm: f64,
    final_q_rad: [f64; 3],
    final_q_dot_rad_s: [f64; 3],
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = resolve(arguments)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let output_step = arguments.output_step.unwrap_or(resolved.config.solver.step_s);
    check_times(arguments.duration, output_step)?;
    let folder = arguments.output.out.clone().unwrap_or_default();
    if let Some(plot) = &arguments.plot {
        output::probe(plot)?;
    }
    run::listen_for_stop();
    let simulation = Simulation::new(&resolved.config)?;
    let csv = CsvFile::create(&folder.join("leg.csv"), &HEADER)?;
    let mut record =
        Record::new(simulation, csv, arguments.duration, output_step, arguments.plot.is_some());
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
        (format!("--step {step}"), "solver.step_s", Value::Float(step))
    });
    let more: Vec<_> = step.into_iter().collect();
    let mut resolved = Resolved::<LegConfig>::with(&arguments.settings, &more)?;
    if let Some(path) = &arguments.input {
        input::apply(path, &mut resolved.config)?;
        resolved.check()?;
    }
    Ok(resolved)
}

/// Most rows of a table.
const MOST_ROWS: f64 = 1e8;

fn check_times(duration: f64, output_step: f64) -> Result<(), BadInput> {
    let refuse = |argument, value: f64, allowed| {
        Err(BadInput::new(format!("{argument} {value} is not allowed: it must be {allowed}")))
    };
    if !(duration > 0.0 && duration.is_finite()) {
        return refuse("--duration", duration, "> 0 and finite");
    }
    if !(output_step > 0.0 && output_step.is_finite()) {
        return refuse("--output-step", output_step, "> 0 and finite");
    }
    if duration / output_step > MOST_ROWS {
        return refuse("--output-step", output_step, "long enough to give at most 1e8 rows");
    }
    Ok(())
}

/// How a run ended.
#[derive(Debug)]
enum Ended {
    Complete,
    Stopped,
    Failed(anyhow::Error),
}

/// Most frames of an animation.
const MOST_FRAMES: usize = 600;
/// Most samples kept for the charts.
const MOST_SAMPLES: usize = 200_000;

/// A run and what is kept of it.
struct Record {
    simulation: Simulation,
    csv: CsvFile,
    duration: f64,
    output_step: f64,
    rows: usize,
    steps: usize,
    rejected: usize,
    iterations: usize,
    first: Option<LegSample>,
    last: Option<LegSample>,
    worst: Worst,
    keep_samples: bool,
    samples: Vec<LegSample>,
    film: Film,
    progress: Progress,
}

/// Extremes over a run.
#[derive(Debug, Clone, Copy)]
struct Worst {
    gap: f64,
    residual: f64,
    tension: [f64; 2],
    turn: f64,
    torque: f64,
    slack_time: f64,
    energy_moved: f64,
}

impl Record {
    fn new(
        simulation: Simulation,
        csv: CsvFile,
        duration: f64,
        output_step: f64,
        keep_samples: bool,
    ) -> Self {
        let worst = Worst {
            gap: 0.0,
            residual: 0.0,
            tension: [f64::INFINITY, f64::NEG_INFINITY],
            turn: 0.0,
            torque: 0.0,
            slack_time: 0.0,
            energy_moved: 0.0,
        };
        Self {
            simulation,
            csv,
            duration,
            output_step,
            rows: 0,
            steps: 0,
            rejected: 0,
            iterations: 0,
            first: None,
            last: None,
            worst,
            keep_samples,
            samples: Vec::new(),
            film: Film::default(),
            progress: Progress::new(duration),
        }
    }

    fn run(&mut self) -> Ended {
        let done = self.run_to_end();
        self.progress.finish();
        match done {
            Ok(true) => Ended::Complete,
            Ok(false) => Ended::Stopped,
            Err(error) => Ended::Failed(error),
        }
    }

    /// False if somebody stopped the run.
    fn run_to_end(&mut self) -> Result<bool> {
        // A duration that is a whole number of output steps ends with the last of them.
        let count = (self.duration / self.output_step * (1.0 + 1e-12)).floor() as usize;
        let remainder = self.duration - count as f64 * self.output_step;
        let last = if remainder > 1e-9 * self.output_step { count + 1 } else { count };
        let frames = last / MOST_FRAMES + 1;
        let kept = last / MOST_SAMPLES + 1;
        for index in 0..=last {
            if run::stop_requested() {
                return Ok(false);
            }
            let time = if index == last { self.duration } else { index as f64 * self.output_step };
            let done = self.simulation.advance_to(time)?;
            self.steps += done.steps;
            self.rejected += done.rejected;
            self.iterations += done.iterations;
            let sample = self.simulation.sample()?;
            self.csv.row(&row(&sample))?;
            self.rows += 1;
            self.note(&sample);
            if self.keep_samples {
                if index % kept == 0 || index == last {
                    self.samples.push(sample);
                }
                if index % frames == 0 || index == last {
                    self.film.add(&self.simulation.leg, &self.simulation.state, &sample)?;
                }
            }
            self.progress.at(time);
        }
        Ok(true)
    }

    fn note(&mut self, sample: &LegSample) {
        let first = *self.first.get_or_insert(*sample);
        let since = self.last.map_or(0.0, |last| sample.t - last.t);
        let worst = &mut self.worst;
        worst.gap = worst.gap.max(sample.loop_gap);
        worst.residual = worst.residual.max(sample.energy_residual.abs());
        let [low, high] = &mut worst.tension;
        *low = low.min(sample.tendon_tension);
        *high = high.max(sample.tendon_tension);
        worst.turn = worst.turn.max((sample.q[0] - first.q[0]).abs());
        worst.torque = worst.torque.max(sample.crank_torque.abs());
        let slack_width = self.simulation.leg.config.tendon.slack_width_n;
        if self.simulation.leg.tendon.is_some() && sample.tendon_tension <= slack_width {
            worst.slack_time += since;
        }
        let (e, e0) = (&sample.energies, &first.energies);
        let moved = [
            e.kinetic - e0.kinetic,
            e.gravity - e0.gravity,
            e.strain - e0.strain,
            e.springs - e0.springs,
            sample.work_in,
            sample.dissipated,
        ];
        worst.energy_moved = moved.iter().fold(worst.energy_moved, |m, x| m.max(x.abs()));
        self.last = Some(*sample);
    }

    fn finish(self, ended: &Ended) -> Result<(Report, Vec<LegSample>, Film)> {
        let complete = matches!(ended, Ended::Complete);
        let file = if complete { self.csv.finish()? } else { self.csv.keep_partial()? };
        let wall_s = self.progress.elapsed();
        let config = &self.simulation.leg.config;
        let worst = self.worst;
        let initial = self.first.map_or(0.0, |first| first.energies.mechanical());
        let per = |count: usize| count as f64 / self.steps.max(1) as f64;
        let stopped_because = match ended {
            Ended::Complete => None,
            Ended::Stopped => Some("stopped by a signal".to_owned()),
            Ended::Failed(error) => Some(format!("{error:#}")),
        };
        let report = Report {
            complete,
            stopped_because,
            file,
            rows: self.rows,
            simulated_s: self.last.map_or(0.0, |last| last.t),
            wall_s,
            step_s: config.solver.step_s,
            steps: self.steps,
            rejected_steps: self.rejected,
            iterations: self.iterations,
            iterations_per_step: per(self.iterations),
            largest_loop_gap_m: worst.gap,
            initial_energy_j: initial,
            largest_energy_residual_j: worst.residual,
            energy_residual_rel: worst.residual
                / worst.energy_moved.max(initial.abs()).max(f64::MIN_POSITIVE),
            tendon_tension_range_n: worst.tension,
            slack_time_s: worst.slack_time,
            largest_crank_turn_rad: worst.turn,
            crank_range_rad: config.motor.range_rad,
            peak_crank_torque_nm: worst.torque,
            final_q_rad: self.last.map_or([0.0; 3], |last| last.q),
            final_q_dot_rad_s: self.last.map_or([0.0; 3], |last| last.q_dot),
        };
        Ok((report, self.samples, self.film))
    }
}

impl Report {
    fn summary(&self) -> Summary {
        let state = if self.complete { "" } else { ", INCOMPLETE" };
        let mut summary =
            Summary::new(format!("Leg simulated for {} s{state}", significant(self.simulated_s, 4)));
        let [q1, q2, q3] = self.final_q_rad;
        let [low, high] = self.tendon_tension_range_n;
        summary
            .text("final q1, q2, q3", format!("{q1:.5}, {q2:.5}, {q3:.5}"), "rad")
            .text("tendon tension", format!("{low:.3} to {high:.3}"), "N");
        if self.slack_time_s > 0.0 {
            summary.number("tendon slack for", self.slack_time_s, "s");
        }
        summary
            .text("largest loop gap", format!("{:.1e}", self.largest_loop_gap_m), "m")
            .text(
                "energy residual",
                format!("{:.1e}", self.largest_energy_residual_j),
                &format!("J ({:.1e} relative)", self.energy_residual_rel),
            )
            .text("steps", self.steps.to_string(), &format!("of {} s", self.step_s))
            .text("iterations per step", format!("{:.2}", self.iterations_per_step), "");
        if self.rejected_steps > 0 {
            summary.text("rejected steps", self.rejected_steps.to_string(), "");
        }
        let speed = self.simulated_s / self.wall_s.max(1e-9);
        summary.text("wall time", significant(self.wall_s, 3), &format!("s ({speed:.0} × real time)"));
        if self.largest_crank_turn_rad > self.crank_range_rad {
            summary.note(format!(
                "the crank turned {:.1}°, beyond its working range of ±{:.1}°",
                self.largest_crank_turn_rad.to_degrees(),
                self.crank_range_rad.to_degrees()
            ));
        }
        if let Some(reason) = &self.stopped_because {
            summary.note(format!("ended early: {reason}"));
        }
        summary
    }
}

fn page(report: &Report, config: &LegConfig, samples: &[LegSample], film: &Film) -> Page {
    let tendon = config.tendon.present;
    let mut blocks = Vec::new();
    if !samples.is_empty() {
        blocks.push(Block::Animation(film.animation(
            "Motion",
            "The leg in its plane, drawn to scale; the charts follow the slider.",
            tendon,
        )));
    }
    blocks.extend(motion_charts(samples, tendon));
    blocks.extend(energy_charts(samples, tendon));
    let warning = report
        .stopped_because
        .as_ref()
        .map(|why| format!("Incomplete: ended at t = {:.4} s ({why}).", report.simulated_s));
    let lead = format!(
        "Planar leg with {} elements, {} s simulated in steps of {} s.",
        config.solver.elements, report.simulated_s, config.solver.step_s
    );
    let figures = figures(report, tendon);
    Page { title: "Motion of the leg".to_owned(), lead, warning, figures, blocks }
}

fn figures(report: &Report, tendon: bool) -> Vec<Figure> {
    let [low, high] = report.tendon_tension_range_n;
    let mut figures = vec![
        Figure::number("largest turn of the crank", report.largest_crank_turn_rad.to_degrees(), 4, "°"),
        Figure::text("largest loop gap", format!("{:.1e}", report.largest_loop_gap_m), "m"),
        Figure::text("energy residual", format!("{:.1e}", report.largest_energy_residual_j), "J"),
        Figure::number("iterations per step", report.iterations_per_step, 3, ""),
        Figure::number("wall time", report.wall_s, 3, "s"),
    ];
    if tendon {
        figures.insert(1, Figure::number("highest tendon tension", high, 5, "N"));
        figures.insert(1, Figure::number("lowest tendon tension", low, 5, "N"));
    }
    figures
}

/// One number of every sample against time.
pub fn curve(samples: &[LegSample], name: &str, value: fn(&LegSample) -> f64) -> Series {
    let times: Vec<f64> = samples.iter().map(|s| s.t).collect();
    let values: Vec<f64> = samples.iter().map(value).collect();
    Series::line(name, &times, &values)
}

fn motion_charts(samples: &[LegSample], tendon: bool) -> Vec<Block> {
    let curve = |name, value| curve(samples, name, value);
    let mut blocks = vec![Chart::over_time(
        "Angles",
        "Crank q1, chord against crank q2 and upper link q3.",
        Axis::new("angle", "rad"),
        vec![curve("q1", |s| s.q[0]), curve("q2", |s| s.q[1]), curve("q3", |s| s.q[2])],
    )];
    if tendon {
        blocks.push(Chart::over_time(
            "Tendon tension",
            "Spring and damper together; at zero the tendon is slack.",
            Axis::new("tension", "N"),
            vec![curve("tension", |s| s.tendon_tension)],
        ));
    }
    let sentence = if tendon {
        "Distance from A to B, which is the tendon's length."
    } else {
        "Distance from A to B."
    };
    blocks.push(Chart::over_time(
        "Chord",
        sentence,
        Axis::new("length", "m"),
        vec![curve("chord |AB|", |s| s.tendon_length)],
    ));
    blocks.push(Chart::over_time(
        "Middle of the leaf",
        "Position of the middle of the leaf.",
        Axis::new("position", "m"),
        vec![curve("x", |s| s.stations[1][0]), curve("y", |s| s.stations[1][1])],
    ));
    if samples.iter().any(|s| s.crank_torque != 0.0) {
        blocks.push(Chart::over_time(
            "Crank torque",
            "Torque of the motor, or of what prescribes the crank's angle.",
            Axis::new("torque", "N·m"),
            vec![curve("crank torque", |s| s.crank_torque)],
        ));
    }
    blocks
}

fn energy_charts(samples: &[LegSample], tendon: bool) -> [Block; 2] {
    let curve = |name, value| curve(samples, name, value);
    let mut energies = vec![
        curve("kinetic", |s| s.energies.kinetic),
        curve("gravity", |s| s.energies.gravity),
        curve("strain", |s| s.energies.strain),
    ];
    if tendon {
        energies.push(curve("tendon", |s| s.energies.springs));
    }
    energies.push(curve("work in", |s| s.work_in));
    energies.push(curve("dissipated", |s| s.dissipated));
    [
        Chart::over_time(
            "Energies",
            "Where the energy is, what came in and what the dampers took.",
            Axis::new("energy", "J"),
            energies,
        ),
        Chart::over_time(
            "Energy residual",
            "What the energy account misses: the error of the time integration.",
            Axis::new("residual", "J"),
            vec![curve("residual", |s| s.energy_residual)],
        ),
    ]
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

    #[test]
    fn impossible_times_are_refused() {
        for (duration, step) in
            [(0.0, 1e-3), (-1.0, 1e-3), (f64::NAN, 1e-3), (1.0, 0.0), (1.0, f64::INFINITY), (1e9, 1e-3)]
        {
            assert!(check_times(duration, step).is_err(), "{duration} {step}");
        }
        check_times(3.0, 1e-3).unwrap();
    }
}
