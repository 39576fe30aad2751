//! `softdock leg pretension`: the bowed equilibrium.

use super::BadInput;
use super::chapter4::{self, Crushed, Variant};
use super::scene::Pose;
use crate::failure::verdict;
use crate::output::{self, CsvFile, OutputArgs};
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::{Summary, warning};
use anyhow::Result;
use leg_core::config::Side;
use leg_core::pretension::{PathSample, Pretensioned};
use leg_core::{LegConfig, pretension};
use multibody::results::soundness::{Soundness, Watch};
use multibody::results::stress;
use serde::Serialize;
use softdock_report::{Axis, Block, Chart, Figure, Mark, Page, Series};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `softdock leg pretension`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "With --out, pretension.json, path.csv and config.toml are written to the \
    folder. Forces on the leaf do not count the tendon's pull. With a free link the equilibria are \
    followed from the straight leaf to shorter chords. Where two chords have the tension asked for, \
    the longer one, which is reached first, is taken; a tension or rest length that none of them \
    has is refused with the range they cover."
)]
pub struct Arguments {
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// How leaf and loop are modelled; chapter-4 prints the linear leaf, which is crushed, beside
    /// the exact one
    #[arg(long, value_enum, default_value_t)]
    variant: Variant,
    /// Writes the equilibrium path to this table: chord_m, thrust_n, sag_m, max_axial_strain,
    /// residual_n, iterations; its folder is made if missing
    #[arg(long, value_name = "FILE.csv")]
    path: Option<PathBuf>,
    /// Writes a page with the shape, the bending moment and the equilibrium path;
    /// its folder is made if missing
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,
}

/// A node of the leaf: arc length [m], position [m], angle [rad].
#[derive(Debug, Serialize)]
struct Node {
    s: f64,
    x: f64,
    y: f64,
    theta: f64,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    soundness: Soundness,
    q1_rad: f64,
    q2_rad: f64,
    q3_rad: f64,
    chord_m: f64,
    tension_n: f64,
    rest_length_m: Option<f64>,
    thrust_n: f64,
    sag_m: f64,
    side: Side,
    force_on_leaf_a_n: [f64; 2],
    force_on_leaf_b_n: [f64; 2],
    hold_torque_1_nm: f64,
    hold_torque_3_nm: f64,
    max_axial_strain: f64,
    max_bending_moment_nm: f64,
    max_bending_stress_pa: f64,
    strain_energy_j: f64,
    mid_point_m: [f64; 2],
    mid_moment_nm: f64,
    residual_n: f64,
    iterations: usize,
    path_points: usize,
    elements: usize,
    nodes: Vec<Node>,
}

/// Bending moment at both ends and in the middle of every element: (arc length [m], moment [N·m]).
fn moments(bowed: &Pretensioned) -> Result<Vec<(f64, f64)>> {
    let leg = &bowed.leg;
    let mut list = Vec::with_capacity(3 * leg.config.solver.elements);
    stress::visit_sections(&leg.model, &bowed.state, leg.leaf, |s, wrench| {
        list.push((s, wrench[2]));
    })?;
    Ok(list)
}

impl Report {
    fn new(bowed: &Pretensioned, moments: &[(f64, f64)]) -> Result<Self> {
        let strain = bowed.leg.leaf_strain(&bowed.state)?;
        let mut watch = Watch::default();
        watch.leaf_at_rest(None, &strain);
        let report = &bowed.report;
        let leaf = &bowed.leg.config.leaf;
        let moment = moments
            .iter()
            .fold(0.0, |worst: f64, (_, m)| worst.max(m.abs()));
        let node = |n: &leg_core::pretension::LeafNode| Node {
            s: n.s,
            x: n.x,
            y: n.y,
            theta: n.theta,
        };
        Ok(Self {
            soundness: watch.soundness(),
            q1_rad: report.q1_rad,
            q2_rad: report.q2_rad,
            q3_rad: report.q3_rad,
            chord_m: report.chord_m,
            tension_n: report.tension_n,
            rest_length_m: report.rest_length_m,
            thrust_n: report.thrust_n,
            sag_m: report.sag_m,
            side: bowed.leg.config.pretension.side,
            force_on_leaf_a_n: report.force_on_leaf_a_n,
            force_on_leaf_b_n: report.force_on_leaf_b_n,
            hold_torque_1_nm: report.hold_torque_1_nm,
            hold_torque_3_nm: report.hold_torque_3_nm,
            max_axial_strain: report.max_axial_strain,
            max_bending_moment_nm: moment,
            max_bending_stress_pa: leaf.bending_stress(moment),
            strain_energy_j: report.strain_energy_j,
            mid_point_m: report.mid_point_m,
            mid_moment_nm: report.mid_moment_nm,
            residual_n: report.residual_n,
            iterations: report.iterations,
            path_points: bowed.path.len(),
            elements: bowed.leg.config.solver.elements,
            nodes: report.nodes.iter().map(node).collect(),
        })
    }

    fn summary(&self) -> Summary {
        let side = if self.side == Side::Outward {
            "outward (+x)"
        } else {
            "inward (-x)"
        };
        let mut summary = Summary::new(format!("Leg bowed {side}, {} elements", self.elements));
        summary
            .number("chord |AB|", self.chord_m, "m")
            .number("sag of the middle", self.sag_m, "m")
            .number("tendon tension", self.tension_n, "N");
        if let Some(rest) = self.rest_length_m {
            summary.number("tendon rest length", rest, "m");
        }
        let [ax, ay] = self.force_on_leaf_a_n;
        let [bx, by] = self.force_on_leaf_b_n;
        summary
            .number("leaf thrust along AB", self.thrust_n, "N")
            .text("force on leaf at A", format!("{ax:.4}, {ay:.4}"), "N")
            .text("force on leaf at B", format!("{bx:.4}, {by:.4}"), "N")
            .number("holding torque, crank", self.hold_torque_1_nm, "N·m")
            .number("holding torque, upper link", self.hold_torque_3_nm, "N·m")
            .text(
                "largest axial strain",
                format!("{:.3e}", self.max_axial_strain),
                "",
            )
            .number(
                "largest bending stress",
                self.max_bending_stress_pa * 1e-6,
                "MPa",
            )
            .number("strain energy", self.strain_energy_j, "J")
            .text(
                "q1, q2, q3",
                format!("{:.5}, {:.5}, {:.5}", self.q1_rad, self.q2_rad, self.q3_rad),
                "rad",
            )
            .text(
                "residual",
                format!("{:.1e}", self.residual_n),
                &format!("N after {} iterations", self.iterations),
            )
            .soundness(&self.soundness);
        summary
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = Resolved::<LegConfig>::new(&arguments.settings)?;
    if arguments.settings.print_config {
        output::say(&resolved.print()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let out = arguments.output.out.as_deref();
    let files = [arguments.path.as_deref(), arguments.plot.as_deref()];
    for file in files.into_iter().flatten() {
        output::probe(file)?;
    }
    arguments.output.probe("pretension.json")?;
    if arguments.variant == Variant::Chapter4 {
        return compare(arguments, &resolved);
    }
    let bowed = pretension(&resolved.config)?;
    let moments = moments(&bowed)?;
    let report = Report::new(&bowed, &moments)?;
    if let Some(out) = out {
        output::write_json(&out.join("pretension.json"), &report)?;
        write_path(&out.join("path.csv"), &bowed.path)?;
        output::write_atomic(&out.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if let Some(path) = &arguments.path {
        write_path(path, &bowed.path)?;
    }
    let mut summary = report.summary();
    if let Some(plot) = &arguments.plot {
        let page = page(&bowed, &report, &moments)?;
        output::write_atomic(plot, page.html()?.as_bytes())?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        for file in files.into_iter().flatten().chain(out) {
            summary.note(format!("wrote {}", file.display()));
        }
        output::say(&summary.to_string())?;
    }
    Ok(verdict(&report.soundness))
}

/// What `--json` prints with `--variant chapter-4`.
#[derive(Debug, Serialize)]
struct Comparison {
    chapter_4: Crushed,
    exact: Report,
}

/// The linear leaf beside the exact one.
fn compare(arguments: &Arguments, resolved: &Resolved<LegConfig>) -> Result<ExitCode> {
    if arguments.path.is_some() || arguments.plot.is_some() {
        let message = "--variant chapter-4 has neither --path nor --plot: the linear leaf has one \
                       equilibrium and no shape";
        return Err(BadInput::new(message).into());
    }
    let chapter_4 = chapter4::crushed(&resolved.config)?;
    let bowed = pretension(&resolved.config)?;
    let summary = chapter_4.summary(&bowed);
    let exact = Report::new(&bowed, &moments(&bowed)?)?;
    let comparison = Comparison { chapter_4, exact };
    if let Some(out) = &arguments.output.out {
        output::write_json(&out.join("pretension.json"), &comparison)?;
        output::write_atomic(&out.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if arguments.output.json {
        output::say_json(&comparison)?;
    } else {
        output::say(&summary.to_string())?;
    }
    Ok(verdict(&comparison.exact.soundness))
}

/// Writes the equilibrium path.
pub fn write_path(file: &Path, path: &[PathSample]) -> Result<()> {
    let header = [
        "chord_m",
        "thrust_n",
        "sag_m",
        "max_axial_strain",
        "residual_n",
        "iterations",
    ];
    let mut csv = CsvFile::create(file, &header)?;
    for point in path {
        csv.row(&[
            point.chord_m,
            point.thrust_n,
            point.sag_m,
            point.max_axial_strain,
            point.residual_n,
            point.iterations as f64,
        ])?;
    }
    csv.finish()?;
    Ok(())
}

fn page(bowed: &Pretensioned, report: &Report, moments: &[(f64, f64)]) -> Result<Page> {
    let lead = format!(
        "Static equilibrium of the planar leg with {} elements, found from the straight leaf by \
         continuation.",
        report.elements
    );
    let mut blocks = vec![Block::Chart(shape_chart(bowed, report)?)];
    blocks.extend(leaf_charts(report, moments));
    blocks.extend(path_charts(&bowed.path));
    let (title, figures) = ("Pre-tensioned leg".to_owned(), figures(report));
    Ok(Page {
        title,
        lead,
        warning: warning(None, 0.0, &report.soundness),
        figures,
        blocks,
        ..Page::default()
    })
}

fn figures(report: &Report) -> Vec<Figure> {
    let mut figures = vec![
        Figure::number("chord |AB|", report.chord_m, 6, "m"),
        Figure::number("sag of the middle", report.sag_m, 6, "m"),
        Figure::number("tendon tension", report.tension_n, 6, "N"),
        Figure::number("leaf thrust along AB", report.thrust_n, 6, "N"),
        Figure::number("holding torque, crank", report.hold_torque_1_nm, 5, "N·m"),
        Figure::number("holding torque, link", report.hold_torque_3_nm, 5, "N·m"),
        Figure::number("strain energy", report.strain_energy_j, 5, "J"),
        Figure::number(
            "largest bending stress",
            report.max_bending_stress_pa * 1e-6,
            4,
            "MPa",
        ),
    ];
    if let Some(rest) = report.rest_length_m {
        figures.insert(3, Figure::number("tendon rest length", rest, 6, "m"));
    }
    figures
}

fn shape_chart(bowed: &Pretensioned, report: &Report) -> Result<Chart> {
    let pose = Pose::new(&bowed.leg, &bowed.state)?;
    let line = |name: &str, points: &[[f64; 2]]| {
        let (x, y): (Vec<f64>, Vec<f64>) = points.iter().map(|p| (p[0], p[1])).unzip();
        Series::line(name, &x, &y)
    };
    let [o, c] = pose.ground;
    let [a, b] = pose.ends;
    let nodes: Vec<[f64; 2]> = report.nodes.iter().map(|n| [n.x, n.y]).collect();
    let mut series = vec![
        line("leaf", &pose.leaf),
        line("tendon", &pose.ends),
        line("nodes", &nodes).marked(Mark::Dots),
        line("crank", &[o, a]).marked(Mark::Bar),
        line("upper link", &[c, b]).marked(Mark::Bar),
    ];
    if report.rest_length_m.is_none() {
        series.remove(1);
    }
    let mut shape = Chart::over(
        "Shape",
        "The leg in equilibrium, drawn to scale: the leaf is the curve through its elements.",
        Axis::new("x", "m"),
        Axis::new("y", "m"),
        series,
    );
    shape.equal = true;
    Ok(shape)
}

fn leaf_charts(report: &Report, moments: &[(f64, f64)]) -> [Block; 2] {
    let (s, moment): (Vec<f64>, Vec<f64>) = moments.iter().copied().unzip();
    let (nodes, angles): (Vec<f64>, Vec<f64>) =
        report.nodes.iter().map(|node| (node.s, node.theta)).unzip();
    let along = || Axis::new("arc length from A", "m");
    [
        Block::Chart(Chart::over(
            "Bending moment",
            "Bending moment along the leaf; positive bends it to the left of the way from A to B.",
            along(),
            Axis::new("moment", "N·m"),
            vec![Series::line("bending moment", &s, &moment)],
        )),
        Block::Chart(Chart::over(
            "Direction of the leaf",
            "Angle of the leaf's sections against the x axis.",
            along(),
            Axis::new("angle", "rad"),
            vec![Series::line("angle", &nodes, &angles).marked(Mark::LineAndDots)],
        )),
    ]
}

/// The equilibrium path.
pub fn path_charts(path: &[PathSample]) -> [Block; 2] {
    let column = |value: fn(&PathSample) -> f64| path.iter().map(value).collect::<Vec<_>>();
    let chords = column(|p| p.chord_m);
    let over_chord = |title: &str, sentence: &str, y: Axis, values: Vec<f64>| {
        let series = Series::line(&y.label, &chords, &values).marked(Mark::LineAndDots);
        Block::Chart(Chart::over(
            title,
            sentence,
            Axis::new("chord |AB|", "m"),
            y,
            vec![series],
        ))
    };
    [
        over_chord(
            "Thrust on the way",
            "Thrust of the leaf along AB while B is brought nearer to A; every point is \
             an equilibrium.",
            Axis::new("thrust", "N"),
            column(|p| p.thrust_n),
        ),
        over_chord(
            "Sag on the way",
            "Distance of the leaf's middle from the chord on the same way.",
            Axis::new("sag", "m"),
            column(|p| p.sag_m),
        ),
    ]
}
