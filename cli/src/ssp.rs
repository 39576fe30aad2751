//! `softdock ssp`: the platform as a system of FMUs, legs and end effector, for other masters.

use crate::command::{self, Computed, ViewArgs};
use crate::failure::{BadInput, settle};
use crate::output;
use crate::run::Ended;
use crate::settings::{Resolved, SettingsArgs};
use anyhow::Result;
use clap::{Args, Subcommand};
use leg_core::SpatialLegConfig;
use softdock_figures::{Views, figures};
use softdock_fmi::model::{Failure, Packaged};
use softdock_fmi::package::{FmiVersion, TargetSystem, archive, pack_model};
use softdock_fmu::{COUPLED_SPECTRAL_RADIUS, EndEffectorModel, LegSpatial, ModelKind};
use softdock_fmu_library::LIBRARY;
use softdock_platform::PlatformConfig;
use softdock_platform::config::BaseConfig;
use softdock_xml::Causality;
use softdock_xml::ssp::{Component, SSD_FILE, SystemStructure};
use std::path::PathBuf;
use std::process::ExitCode;

/// Name of the system, and of its archive.
const NAME: &str = "platform";
/// The end effector's place among the components, behind nothing.
const EFFECTOR: usize = 0;

/// What the help says below the options.
const ABOUT: &str = "\
The archive has an FMU for every leg, with its placement and settings baked in, one for the end effector,
the connections between them, and the step at which any master can couple them, also one that holds forces
over a step and begins with zeros on all connections. Motion goes to the legs as tip.displacement and
tip.velocity, forces come back as tip.force. The wrench on the end effector is the start value of its
inputs effector.force and effector.moment (--set wrench.force_z_n=-50). The system starts at rest in its
nominal pose: gravity, which would move it from there, and a floating base are refused.";

/// Arguments of `softdock ssp`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write six legs and the end effector, with their connections, as one .ssp (SSP 1.0).
    Export(ExportArguments),
}

/// Arguments of `softdock ssp export`.
#[derive(Debug, clap::Args)]
#[command(after_help = ABOUT)]
pub struct ExportArguments {
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    views: ViewArgs,
}

figures! {
    /// The system written.
    struct SspResult;
    file: PathBuf as "The archive.";
    components: Vec<String> as "Its components.";
    connections: usize as "How many variables are connected.";
    step_size_s: f64 as "Largest communication step at which it is stable, in seconds.";
    bytes: usize as "Size of the archive.";
}

impl Views for SspResult {
    const FILE: &'static str = "ssp.json";

    fn title(&self) -> String {
        format!(
            "SSP 1.0: {}, {} connections; step of {} s or below",
            self.components.join(", "),
            self.connections,
            self.step_size_s
        )
    }
}

fn refused(cause: Failure) -> anyhow::Error {
    BadInput::new(cause.to_string()).into()
}

/// Refuses what would not start at rest in the nominal pose.
fn check(config: &PlatformConfig) -> Result<()> {
    if config.gravity_m_s2 != [0.0; 3] {
        let key = PlatformConfig::gravity_m_s2.key;
        let message = format!(
            "{key} = {:?}: the system starts at rest in its nominal pose, where gravity would not \
             leave it; leave it out",
            config.gravity_m_s2
        );
        return Err(BadInput::new(message).into());
    }
    if config.base.free_floating {
        let key = BaseConfig::free_floating.key;
        let message = format!("{key} = true: the legs of the system stand on a fixed base");
        return Err(BadInput::new(message).into());
    }
    Ok(())
}

/// A leg as masters couple it: with the time stepping of its FMU, not that of the platform.
fn coupled(mut leg: SpatialLegConfig) -> SpatialLegConfig {
    let elements = leg.solver.elements;
    leg.solver = leg_core::config::Solver {
        elements,
        spectral_radius: COUPLED_SPECTRAL_RADIUS,
        ..Default::default()
    };
    leg
}

/// Names and contents of files.
type Files = Vec<(String, Vec<u8>)>;

/// Components and connections of a platform, with the FMUs of the components.
pub fn system(config: &PlatformConfig) -> Result<(SystemStructure, Files)> {
    check(config)?;
    let mut files = Vec::new();
    let mut component =
        |name: String, kind: ModelKind, model: &dyn Packaged| -> Result<Component> {
            let kind = kind.packaged();
            let fmu = pack_model((kind, model), FmiVersion::Two, LIBRARY, TargetSystem::HERE)?;
            let source = format!("resources/{name}.fmu");
            let description = model.description()?;
            files.push((source.clone(), fmu));
            Ok(Component::new(&name, &source, &description.model_variables))
        };
    let effector = EndEffectorModel::with(config).map_err(refused)?;
    let step = effector.step_size();
    let mut components = vec![component(
        "effector".to_owned(),
        ModelKind::EndEffector,
        &effector,
    )?];
    let legs = config.leg_configs()?;
    for (i, leg) in legs.into_iter().enumerate() {
        let model = LegSpatial::with(coupled(leg)).map_err(refused)?;
        components.push(component(
            format!("leg{}", i + 1),
            ModelKind::LegSpatial,
            &model,
        )?);
    }
    let mut system = SystemStructure {
        name: NAME.to_owned(),
        description: format!(
            "Soft docking platform: {} legs and their end effector. Communication steps of {step} s \
             or below are stable in any master; from 0.00025 s on those diverge that step all \
             components at once.",
            components.len() - 1
        ),
        stop_time: 1.5,
        step_size: step,
        components,
        connections: Vec::new(),
    };
    connect(&mut system);
    Ok((system, files))
}

fn connect(system: &mut SystemStructure) {
    for leg in 1..system.components.len() {
        for axis in 1..=3 {
            for part in ["displacement", "velocity"] {
                let output = format!("leg[{leg}].tip.{part}[{axis}]");
                let input = format!("tip.{part}[{axis}]");
                system.connect((EFFECTOR, &output), (leg, &input));
            }
            let output = format!("tip.force[{axis}]");
            let input = format!("leg[{leg}].tip.force[{axis}]");
            system.connect((leg, &output), (EFFECTOR, &input));
        }
    }
    for part in ["position", "attitude"] {
        for axis in 1..=3 {
            let name = format!("effector.{part}[{axis}]");
            system.components[EFFECTOR].connect(&name, Causality::Output);
        }
    }
}

/// Runs an SSP command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Command::Export(arguments) = &arguments.command;
    settle(command::show(&arguments.views, || {
        let config = Resolved::<PlatformConfig>::named(None, &arguments.settings, &[])?.config;
        let (system, mut files) = system(&config)?;
        files.insert(0, (SSD_FILE.to_owned(), system.to_xml()?.into_bytes()));
        let bytes = archive(&files)?;
        let file = arguments.views.folder().join(format!("{NAME}.ssp"));
        output::write_atomic(&file, &bytes)?;
        Ok(Computed {
            written: vec![file.clone()],
            result: SspResult {
                file,
                components: system
                    .components
                    .iter()
                    .map(|one| one.name.clone())
                    .collect(),
                connections: system.connections.len(),
                step_size_s: system.step_size,
                bytes: bytes.len(),
            },
            ended: Ended::Complete,
        })
    }))
}
