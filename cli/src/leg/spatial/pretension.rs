//! `softdock leg spatial pretension`: the bowed equilibrium in space.

use super::config::SpatialSettings;
use super::picture::Film;
use crate::failure::verdict;
use crate::leg::pretension::{path_charts, write_path};
use crate::output::{self, OutputArgs};
use crate::settings::{Resolved, SettingsArgs};
use crate::summary::{Summary, fixed, warning};
use anyhow::Result;
use leg_core::SpatialPretensioned;
use leg_core::config::Side;
use leg_core::pretension::PathSample;
use leg_core::spatial::pretension_spatial_along;
use leg_core::spatial_report::{SectionMoments, SpatialNode, SpatialReport, path_sample, report};
use multibody::math;
use multibody::results::soundness::{Soundness, Watch};
use serde::Serialize;
use softdock_report::{Axis, Block, Chart, Figure, Page, Series};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `softdock leg spatial pretension`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Crank and tip are held at q1_rad and tip_position_m; the tendon takes over the \
    leaf's thrust, or has tendon.rest_length_m. With --out, pretension.json, path.csv and \
    config.toml are written to the folder. Forces on the leaf do not count the tendon's pull."
)]
pub struct Arguments {
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Writes the equilibrium path to this table: chord_m, thrust_n, sag_m, max_axial_strain,
    /// residual_n, iterations; its folder is made if missing
    #[arg(long, value_name = "FILE.csv")]
    path: Option<PathBuf>,
    /// Writes a page with the leg in space, the moments along the leaf and the equilibrium path;
    /// its folder is made if missing
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,
}

/// A node of the leaf: arc length [m], position [m], direction of the leaf, normal of its face.
#[derive(Debug, Serialize)]
struct Node {
    s: f64,
    x: f64,
    y: f64,
    z: f64,
    tangent: [f64; 3],
    normal: [f64; 3],
}

impl From<&SpatialNode> for Node {
    fn from(node: &SpatialNode) -> Self {
        let [x, y, z] = node.position;
        Self {
            s: node.s,
            x,
            y,
            z,
            tangent: node.tangent,
            normal: node.normal,
        }
    }
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    soundness: Soundness,
    q1_rad: f64,
    universal_rad: [f64; 2],
    tip_position_m: [f64; 3],
    chord_m: f64,
    tension_n: f64,
    rest_length_m: Option<f64>,
    thrust_n: f64,
    sag_m: f64,
    side: Side,
    force_on_leaf_a_n: [f64; 3],
    force_on_leaf_b_n: [f64; 3],
    /// Force of the leg on what holds its tip.
    tip_force_n: [f64; 3],
    hold_torque_1_nm: f64,
    max_axial_strain: f64,
    max_bending_moment_nm: f64,
    max_torsion_nm: f64,
    max_bending_stress_pa: f64,
    strain_energy_j: f64,
    mid_point_m: [f64; 3],
    residual_n: f64,
    iterations: usize,
    path_points: usize,
    elements: usize,
    nodes: Vec<Node>,
}

impl Report {
    fn new(
        bowed: &SpatialPretensioned,
        details: &SpatialReport,
        path_points: usize,
    ) -> Result<Self> {
        let strain = bowed.leg.leaf_strain(&bowed.state)?;
        let mut watch = Watch::default();
        watch.leaf_at_rest(None, &strain);
        let largest = |value: fn(&SectionMoments) -> f64| {
            details.moments.iter().map(value).fold(0.0, f64::max)
        };
        Ok(Self {
            soundness: watch.soundness(),
            q1_rad: bowed.state.angle(bowed.leg.motor_joint),
            universal_rad: details.universal_rad,
            tip_position_m: bowed.leg.config.tip_position_m,
            chord_m: bowed.chord_m,
            tension_n: bowed.tension_n,
            rest_length_m: bowed.rest_length_m,
            thrust_n: bowed.thrust_n,
            sag_m: details.sag_m,
            side: details.side,
            force_on_leaf_a_n: details.force_on_leaf_a_n,
            force_on_leaf_b_n: details.force_on_leaf_b_n,
            tip_force_n: bowed.tip_force_n,
            hold_torque_1_nm: bowed.hold_torque_nm,
            max_axial_strain: details.max_axial_strain,
            max_bending_moment_nm: largest(|at| math::hypot(at.soft, at.stiff)),
            max_torsion_nm: largest(|at| at.torsion.abs()),
            max_bending_stress_pa: details.max_bending_stress_pa,
            strain_energy_j: details.strain_energy_j,
            mid_point_m: details.mid_point_m,
            residual_n: bowed.residual_n,
            iterations: bowed.iterations,
            path_points,
            elements: bowed.leg.config.solver.elements,
            nodes: details.nodes.iter().map(Node::from).collect(),
        })
    }

    fn summary(&self, asked: Side) -> Summary {
        let side = match self.side {
            Side::Outward => "outward (+x)",
            Side::Inward => "inward (-x)",
        };
        let elements = self.elements;
        let mut summary = Summary::new(format!("Spatial leg bowed {side}, {elements} elements"));
        summary
            .number("chord |AB|", self.chord_m, "m")
            .number("sag of the middle", self.sag_m, "m")
            .number("tendon tension", self.tension_n, "N");
        if let Some(rest) = self.rest_length_m {
            summary.number("tendon rest length", rest, "m");
        }
        summary
            .number("leaf thrust along AB", self.thrust_n, "N")
            .text("force on leaf at A", fixed(&self.force_on_leaf_a_n, 4), "N")
            .text("force on leaf at B", fixed(&self.force_on_leaf_b_n, 4), "N")
            .text(
                "force of the leg at its tip",
                fixed(&self.tip_force_n, 4),
                "N",
            )
            .number("holding torque, crank", self.hold_torque_1_nm, "N·m")
            .text(
                "largest torsion of the leaf",
                fixed(&[self.max_torsion_nm], 6),
                "N·m",
            )
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
            .text("q1", fixed(&[self.q1_rad], 5), "rad")
            .text(
                "universal joint u1, u2",
                fixed(&self.universal_rad, 5),
                "rad",
            )
            .text(
                "residual",
                format!("{:.1e}", self.residual_n),
                &format!("N after {} iterations", self.iterations),
            )
            .soundness(&self.soundness);
        if self.side != asked {
            summary.note("NOTE: the leaf does not bow to the side asked for");
        }
        summary
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let resolved = Resolved::<SpatialSettings>::new(&arguments.settings)?;
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
    let config = &resolved.config.leg;
    let mut path = Vec::new();
    let bowed = pretension_spatial_along(config, |leg, state, point| {
        path.push(path_sample(leg, state, point));
    })?;
    let path: Vec<PathSample> = path.into_iter().collect::<Result<_, _>>()?;
    let details = report(&bowed)?;
    let report = Report::new(&bowed, &details, path.len())?;
    if let Some(out) = out {
        output::write_json(&out.join("pretension.json"), &report)?;
        write_path(&out.join("path.csv"), &path)?;
        output::write_atomic(&out.join("config.toml"), resolved.print()?.as_bytes())?;
    }
    if let Some(file) = &arguments.path {
        write_path(file, &path)?;
    }
    if let Some(plot) = &arguments.plot {
        let page = page(&bowed, &report, &details, &path)?;
        output::write_atomic(plot, page.html()?.as_bytes())?;
    }
    if arguments.output.json {
        output::say_json(&report)?;
    } else {
        let mut summary = report.summary(config.side);
        for file in files.into_iter().flatten().chain(out) {
            summary.note(format!("wrote {}", file.display()));
        }
        output::tell(&summary.to_string())?;
    }
    Ok(verdict(&report.soundness))
}

fn page(
    bowed: &SpatialPretensioned,
    report: &Report,
    details: &SpatialReport,
    path: &[PathSample],
) -> Result<Page> {
    let mut film = Film::default();
    film.add(&bowed.leg, 0.0, &bowed.state)?;
    let mut blocks = vec![Block::from(film.scene(
        "Shape",
        "The leg in equilibrium, to scale: crank, leaf and tendon.",
    ))];
    let s: Vec<f64> = details.moments.iter().map(|at| at.s).collect();
    let along = |name: &str, value: fn(&SectionMoments) -> f64| {
        let values: Vec<f64> = details.moments.iter().map(value).collect();
        Series::line(name, &s, &values)
    };
    blocks.push(Block::from(Chart::over(
        "Moments along the leaf",
        "Bending of the leaf, bending the stiff way about its normal, and torsion.",
        Axis::new("arc length from A", "m"),
        Axis::new("moment", "N·m"),
        vec![
            along("bending", |at| at.soft),
            along("stiff bending", |at| at.stiff),
            along("torsion", |at| at.torsion),
        ],
    )));
    blocks.extend(path_charts(path));
    let mut figures = vec![
        Figure::number("chord |AB|", report.chord_m, 6, "m"),
        Figure::number("sag of the middle", report.sag_m, 6, "m"),
        Figure::number("tendon tension", report.tension_n, 6, "N"),
        Figure::number("leaf thrust along AB", report.thrust_n, 6, "N"),
        Figure::number("holding torque, crank", report.hold_torque_1_nm, 5, "N·m"),
        Figure::number("strain energy", report.strain_energy_j, 5, "J"),
    ];
    if let Some(rest) = report.rest_length_m {
        figures.insert(3, Figure::number("tendon rest length", rest, 6, "m"));
    }
    Ok(Page {
        title: "Pre-tensioned spatial leg".to_owned(),
        lead: format!(
            "Static equilibrium of the spatial leg with {} elements, found from the straight leaf \
             by continuation.",
            report.elements
        ),
        warning: warning(None, 0.0, &report.soundness),
        figures,
        blocks,
        ..Page::default()
    })
}
