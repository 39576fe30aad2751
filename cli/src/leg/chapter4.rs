//! The published attempt of chapter 4, rigid loop closure and a linear leaf, beside the leg as it
//! is: the leaf is crushed instead of bowed, and the released loop comes apart.

use super::BadInput;
use super::motion::{Job, Sampled};
use crate::output::{self, CsvFile};
use crate::run::{self, Ended};
use crate::settings::Resolved;
use crate::summary::{Summary, significant};
use anyhow::Result;
use clap::ValueEnum;
use leg_core::config::{History, Load, MotorMode, Posture, Pretension};
use leg_core::pretension::Pretensioned;
use leg_core::{LegConfig, LegSample, Simulation};
use multibody::results;
use multibody::results::soundness::{Soundness, Watch};
use serde::Serialize;
use softdock_report::{Axis, Chart, Page, Series};
use softdock_validation::chapter4::{
    LinearPretension, LinearSample, linear_pretension, linear_release,
};
use std::process::ExitCode;

/// How leaf and loop are modelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Variant {
    /// Geometrically exact leaf in a loop that stays closed
    #[default]
    Exact,
    /// Linear leaf and rigid loop closure as published, shown beside the exact leg: it fails
    #[value(name = "chapter-4")]
    Chapter4,
}

/// An element shortened by more than this is crushed: metals yield before.
const CRUSHED: f64 = 1e-2;

/// The linear leaf in the working posture.
#[derive(Debug, Serialize)]
pub struct Crushed {
    chord_m: f64,
    worst_axial_strain: f64,
    crushed_elements: usize,
    axial_strain: Vec<f64>,
    thrust_n: f64,
    /// Young's modulus times the worst strain.
    axial_stress_pa: f64,
    sag_m: f64,
    loop_gap_m: f64,
}

/// The linear leaf turned to the posture that `config` asks for.
pub fn crushed(config: &LegConfig) -> Result<Crushed> {
    let wanted = Pretension {
        q1_rad: config.pretension.q1_rad,
        q3_rad: config.pretension.q3_rad,
        side: config.pretension.side,
        ..Pretension::default()
    };
    if config.pretension != wanted {
        let message = "--variant chapter-4 turns both links to pretension.q1_rad and \
                       pretension.q3_rad: leave the other keys of pretension as they are";
        return Err(BadInput::new(message).into());
    }
    let LinearPretension {
        chord_m,
        axial_strain,
        worst_axial_strain,
        thrust_n,
        sag_m,
        loop_gap_m,
    } = linear_pretension(config)?;
    Ok(Crushed {
        chord_m,
        worst_axial_strain,
        crushed_elements: axial_strain.iter().filter(|e| **e < -CRUSHED).count(),
        axial_strain,
        thrust_n,
        axial_stress_pa: config.leaf.youngs_modulus_pa * worst_axial_strain,
        sag_m,
        loop_gap_m,
    })
}

impl Crushed {
    /// The linear leaf beside the exact one.
    pub fn summary(&self, exact: &Pretensioned) -> Summary {
        let config = &exact.leg.config;
        let modulus = config.leaf.youngs_modulus_pa;
        let report = &exact.report;
        let gap = results::largest_gap(&exact.leg.model, &exact.state);
        let mut summary = Summary::new(format!(
            "Chapter 4 variant (linear leaf, rigid loop closure) beside the exact leg, {} elements",
            config.solver.elements
        ));
        let mut row = |label: &str, linear: String, exact: String, unit: &str| {
            summary.text(label, format!("{linear:>14}  {exact:>14}"), unit);
        };
        let number = |value: f64| significant(value, 6);
        let small = |value: f64| format!("{value:.3e}");
        row("", "chapter 4".into(), "exact".into(), "");
        row(
            "chord |AB|",
            number(self.chord_m),
            number(report.chord_m),
            "m",
        );
        row(
            "sag of the middle",
            small(self.sag_m),
            number(report.sag_m),
            "m",
        );
        row(
            "leaf thrust along AB",
            small(self.thrust_n),
            number(report.thrust_n),
            "N",
        );
        row(
            "axial strain, worst element",
            format!("{:.2} %", 100.0 * self.worst_axial_strain),
            format!("{:.2e} %", 100.0 * report.max_axial_strain),
            "",
        );
        row(
            "axial stress there",
            number(1e-6 * self.axial_stress_pa),
            number(1e-6 * modulus * report.max_axial_strain),
            "MPa",
        );
        row(
            "largest gap at a joint",
            small(self.loop_gap_m),
            small(gap),
            "m",
        );
        if self.crushed_elements > 0 {
            summary.note(format!(
                "the linear leaf is crushed: {} of {} elements shorten by more than {} %",
                self.crushed_elements,
                self.axial_strain.len(),
                100.0 * CRUSHED
            ));
        }
        summary
    }
}

/// What the release of the linear leg amounts to.
#[derive(Debug, Serialize)]
struct Report {
    complete: bool,
    /// Whether the exact leg can be believed; the linear one is there to be doubted.
    #[serde(flatten)]
    soundness: Soundness,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_because: Option<String>,
    file: std::path::PathBuf,
    rows: usize,
    step_s: f64,
    largest_loop_gap_m: f64,
    /// Time at which the gap passes 1 mm.
    loop_open_s: Option<f64>,
    final_q1_rad: f64,
    final_q3_rad: f64,
    exact_largest_loop_gap_m: f64,
    exact_final_q1_rad: f64,
    exact_final_q3_rad: f64,
}

/// A loop that gapes wider than this has come apart [m].
const OPEN: f64 = 1e-3;

const HEADER: [&str; 7] = [
    "t",
    "q1",
    "q3",
    "loop_gap",
    "q1_exact",
    "q3_exact",
    "loop_gap_exact",
];

/// The leg that both variants release: straight, without tendon, nothing but gravity acting.
fn released(config: &LegConfig) -> Result<LegConfig, BadInput> {
    let motor = &config.motor;
    let still = motor.mode == MotorMode::Torque && motor.torque_nm == History::default();
    if !still || config.load != Load::default() || config.solver.adaptive {
        return Err(BadInput::new(
            "--variant chapter-4 releases the straight leg without tendon, motor and load, in \
             fixed steps: leave motor.mode, motor.torque_nm, load and solver.adaptive as they are",
        ));
    }
    let mut out = config.clone();
    out.pretension.posture = Posture::Straight;
    out.tendon.present = false;
    Ok(out)
}

/// Releases the straight linear leg, and the exact one beside it.
pub fn release(job: &Job<'_>, resolved: &Resolved<LegConfig>) -> Result<ExitCode> {
    let config = released(&resolved.config)?;
    let step = config.solver.step_s;
    if job.times.output_step.is_some() {
        let message = "--variant chapter-4 writes every step: leave --output-step out";
        return Err(BadInput::new(message).into());
    }
    job.output.probe("leg.csv")?;
    let folder = job.output.out.clone().unwrap_or_default();
    let linear = linear_release(&config, job.times.duration, step)?;
    let mut exact = Simulation::new(&config)?;
    let mut csv = CsvFile::create(&folder.join("leg.csv"), &HEADER)?;
    let mut pairs = Vec::with_capacity(linear.len());
    let mut watch = Watch::default();
    let grid = run::Grid::new(step * (linear.len() - 1) as f64, step);
    let mut run_to_end = || -> Result<bool> {
        for (index, sample) in linear.iter().enumerate() {
            if run::stop_requested() {
                return Ok(false);
            }
            let t = grid.time(index);
            exact.advance_to(t)?;
            let beside = exact.sample()?;
            beside.account().note(&mut watch);
            let LinearSample { q1, q3, .. } = *sample;
            let [q1_exact, _, q3_exact] = beside.q;
            let gaps = [sample.loop_gap_m, beside.loop_gap];
            csv.row(&[t, q1, q3, gaps[0], q1_exact, q3_exact, gaps[1]])?;
            pairs.push((LinearSample { t, ..*sample }, beside));
        }
        Ok(true)
    };
    let ended = Ended::new(run_to_end());
    let report = Report {
        complete: ended.is_complete(),
        soundness: ended.soundness(&watch),
        stopped_because: ended.reason(),
        file: ended.close(csv)?,
        ..Report::new(&pairs, step)
    };
    if job.output.out.is_some() {
        output::write_json(&folder.join("summary.json"), &report)?;
        output::write_atomic(&folder.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if let Some(plot) = job.plot {
        output::write_atomic(plot, page(&pairs).html()?.as_bytes())?;
    }
    if job.output.json {
        output::say_json(&report)?;
    } else {
        output::tell(&report.summary(job).to_string())?;
    }
    ended.status(Some(&report.file), &report.soundness)
}

impl Report {
    fn new(pairs: &[(LinearSample, LegSample)], step_s: f64) -> Self {
        let widest =
            |gap: fn(&(LinearSample, LegSample)) -> f64| pairs.iter().map(gap).fold(0.0, f64::max);
        let last = pairs.last();
        let opened = pairs.iter().find(|(linear, _)| linear.loop_gap_m > OPEN);
        Self {
            complete: false,
            soundness: Soundness::Sound,
            stopped_because: None,
            file: std::path::PathBuf::new(),
            rows: pairs.len(),
            step_s,
            largest_loop_gap_m: widest(|(linear, _)| linear.loop_gap_m),
            loop_open_s: opened.map(|(linear, _)| linear.t),
            final_q1_rad: last.map_or(0.0, |(linear, _)| linear.q1),
            final_q3_rad: last.map_or(0.0, |(linear, _)| linear.q3),
            exact_largest_loop_gap_m: widest(|(_, exact)| exact.loop_gap),
            exact_final_q1_rad: last.map_or(0.0, |(_, exact)| exact.q[0]),
            exact_final_q3_rad: last.map_or(0.0, |(_, exact)| exact.q[2]),
        }
    }

    fn summary(&self, job: &Job<'_>) -> Summary {
        let mut summary = Summary::new(format!(
            "Chapter 4 variant released for {} s from the straight leaf without tendon, beside the \
             exact leg",
            significant(job.times.duration, 4)
        ));
        let mut row = |label: &str, linear: String, exact: String, unit: &str| {
            summary.text(label, format!("{linear:>12}  {exact:>12}"), unit);
        };
        let number = |value: f64| format!("{value:.5}");
        let small = |value: f64| format!("{value:.1e}");
        row("", "chapter 4".into(), "exact".into(), "");
        row(
            "final q1",
            number(self.final_q1_rad),
            number(self.exact_final_q1_rad),
            "rad",
        );
        row(
            "final q3",
            number(self.final_q3_rad),
            number(self.exact_final_q3_rad),
            "rad",
        );
        row(
            "largest gap at a joint",
            small(self.largest_loop_gap_m),
            small(self.exact_largest_loop_gap_m),
            "m",
        );
        summary.soundness(&self.soundness);
        if let Some(time) = self.loop_open_s {
            summary.note(format!(
                "the linear loop comes apart: its joints gape by more than 1 mm after {} s",
                significant(time, 3)
            ));
        }
        for file in [Some(self.file.as_path()), job.plot].into_iter().flatten() {
            summary.note(format!("wrote {}", file.display()));
        }
        summary
    }
}

fn page(pairs: &[(LinearSample, LegSample)]) -> Page {
    let times: Vec<f64> = pairs.iter().map(|(linear, _)| linear.t).collect();
    let curve = |name: &str, value: fn(&(LinearSample, LegSample)) -> f64| {
        let values: Vec<f64> = pairs.iter().map(value).collect();
        Series::line(name, &times, &values)
    };
    let angles = vec![
        curve("q1, chapter 4", |(linear, _)| linear.q1),
        curve("q3, chapter 4", |(linear, _)| linear.q3),
        curve("q1, exact", |(_, exact)| exact.q[0]),
        curve("q3, exact", |(_, exact)| exact.q[2]),
    ];
    let gaps = vec![
        curve("chapter 4", |(linear, _)| linear.loop_gap_m),
        curve("exact", |(_, exact)| exact.loop_gap),
    ];
    let charts = [
        Chart::over_time(
            "Angles",
            "Crank and upper link, fallen from the straight leaf.",
            Axis::new("angle", "rad"),
            angles,
        ),
        Chart::over_time(
            "Gap of the loop",
            "Largest distance of what the pins ought to hold together.",
            Axis::new("gap", "m"),
            gaps,
        ),
    ];
    Page {
        title: "Linear leaf, rigid loop closure".to_owned(),
        lead:
            "The published variant of chapter 4 beside the exact leg: both fall from the straight \
               leaf, without tendon."
                .to_owned(),
        blocks: charts.into_iter().map(Into::into).collect(),
        ..Page::default()
    }
}
