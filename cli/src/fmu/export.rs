//! `softdock fmu export`: legs, the end effector, the platform, dockings and mechanisms as FMUs.

use crate::command::{self, Computed, ViewArgs};
use crate::failure::BadInput;
use crate::fmu::simulate::reference;
use crate::input_file;
use crate::leg::spatial::config::{SpatialSettings, Tip};
use crate::mechanism;
use crate::output;
use crate::run::Ended;
use crate::settings::{Resolved, Settings, SettingsArgs, meant};
use anyhow::Result;
use leg_core::LegConfig;
use leg_core::config::Solver;
use serde::Serialize;
use softdock_docking::Scenario;
use softdock_figures::{Views, figures};
use softdock_fmi::import::FmuArchive;
use softdock_fmi::model::{Failure, Packaged, guid_of, token_of};
use softdock_fmi::package::{FmiVersion, TargetSystem, pack_model, with_reference_results};
use softdock_fmu::{
    COUPLED_SPECTRAL_RADIUS, DockingModel, EndEffectorModel, LegPlanar, LegSpatial, MechanismModel,
    ModelKind, PlatformModel,
};
use softdock_fmu_library::LIBRARY;
use softdock_mechanism::MechanismError;
use softdock_mechanism::library::SHIPPED;
use softdock_platform::PlatformConfig;
use softdock_report::Figure as Shown;
use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// What the help says below the options.
const ABOUT: &str = "\
With --config and --set a leg, the end effector, the platform (both by the platform's keys) or a docking gets
settings of its own (--config FILE; for a docking also the NAME of a scenario that comes with the program): they become the start values of the FMU's parameters, and what is no parameter (the
number of legs, say) is kept in its resources. LegSpatial has a solver.spectral_radius of 0 if none is given:
what simple masters can couple. Settings that are histories are inputs of the FMU and are refused here. A mechanism is a file, or the name of one
that comes with the program (softdock mechanism list); --set sets its parameters and analysis.* keys. Its
signals of kind `input` become inputs, its outputs outputs.

Every FMU holds the outputs of its default experiment, as FMI-LS-REF wants them
(extra/org.fmi-standard.fmi-ls-ref/results.csv): what another tool should find.";

/// Arguments of `softdock fmu export`.
#[derive(Debug, clap::Args)]
#[command(after_help = ABOUT)]
pub struct Arguments {
    /// The model: LegPlanar, LegSpatial, EndEffector, Platform, Docking, Mechanism (an example), or a
    /// mechanism, by its file or name; all but the latter if left out
    #[arg(long, value_name = "MODEL|FILE")]
    model: Option<String>,
    /// Lists the models and does nothing else
    #[arg(long)]
    list: bool,
    /// The version of the standard
    #[arg(long, value_name = "VERSION", value_parser = ["2", "3"], default_value = "2")]
    fmi: String,
    /// Takes this library instead of the program's own: the same version, built for another system
    /// (softdock fmu merge puts several into one FMU)
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Leaves out the reference results, for which the default experiment is run
    #[arg(long)]
    no_reference: bool,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    views: ViewArgs,
}

/// A library for FMUs, and the system that it is for.
pub struct Library {
    bytes: Cow<'static, [u8]>,
    system: TargetSystem,
    /// Whether it is run for reference results.
    reference: bool,
}

impl Library {
    /// The one that the program carries.
    pub const OWN: Self = Self {
        bytes: Cow::Borrowed(LIBRARY),
        system: TargetSystem::HERE,
        reference: true,
    };

    fn read(path: &Path) -> Result<Self> {
        let wrong =
            |problem: String| BadInput::new(format!("--library {}: {problem}", path.display()));
        let mut bytes = Vec::new();
        let read = input_file::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
        read.map_err(|error| wrong(error.to_string()))?;
        let system = TargetSystem::of_library(&bytes).ok_or_else(|| {
            wrong("not a library for Linux, Windows or macOS on x86-64 or ARM".to_owned())
        })?;
        Ok(Self {
            bytes: Cow::Owned(bytes),
            system,
            // It may be of another system, and of anybody.
            reference: false,
        })
    }
}

/// An FMU that was written.
#[derive(Debug, Serialize)]
pub struct Exported {
    model: String,
    /// The file.
    pub file: PathBuf,
    guid: String,
    platform: &'static str,
    bytes: usize,
}

figures! {
    /// The FMUs written.
    #[serde(transparent)]
    struct ExportResult;
    models: Vec<Exported> as "The FMUs.";
    /// Version of the standard.
    #[serde(skip)]
    version: String as "";
}

impl Views for ExportResult {
    const FILE: &'static str = "export.json";

    fn title(&self) -> String {
        format!("FMI {}.0 co-simulation", self.version)
    }

    fn rows(&self) -> Vec<Shown> {
        let row = |one: &Exported| Shown::text(&one.model, one.guid.clone(), "");
        self.models.iter().map(row).collect()
    }
}

/// A model that can be exported.
#[derive(Debug, Serialize)]
struct Listed {
    model: String,
    summary: String,
}

figures! {
    /// The models.
    #[serde(transparent)]
    struct ListResult;
    models: Vec<Listed> as "The models.";
}

impl Views for ListResult {
    const FILE: &'static str = "models.json";

    fn title(&self) -> String {
        "Models".to_owned()
    }

    fn rows(&self) -> Vec<Shown> {
        let row = |one: &Listed| Shown::text(&one.model, one.summary.clone(), "");
        self.models.iter().map(row).collect()
    }
}

/// Writes the FMU of a model into `folder`. A model that cannot start is refused, as its FMU would be by
/// every host that loaded it.
pub fn export(
    (kind, model): (ModelKind, &dyn Packaged),
    version: FmiVersion,
    library: &Library,
    folder: &Path,
) -> Result<Exported> {
    model.check_start().map_err(refused)?;
    let name = model.about().name.to_owned();
    let file = folder.join(format!("{name}.fmu"));
    let packed = pack_model(
        (kind.packaged(), model),
        version,
        &library.bytes,
        library.system,
    );
    let mut fmu = packed?;
    if library.reference {
        fmu = with_results(&name, fmu)?;
    }
    output::write_atomic(&file, &fmu)?;
    Ok(Exported {
        model: name,
        file,
        guid: match version {
            FmiVersion::Two => guid_of(model),
            FmiVersion::Three => token_of(model),
        }
        .unwrap_or_default(),
        platform: library.system.folder(version),
        bytes: fmu.len(),
    })
}

/// The FMU with what its default experiment gives; a model that cannot do it goes without, with a warning.
fn with_results(name: &str, fmu: Vec<u8>) -> Result<Vec<u8>> {
    let archive = FmuArchive::from_bytes(name, &fmu)?;
    match reference::results(&archive) {
        Ok(table) => Ok(with_reference_results(fmu, &table)?),
        Err(error) => {
            eprintln!("softdock: warning: {name}.fmu has no reference results: {error:#}");
            Ok(fmu)
        }
    }
}

/// Settings that the arguments describe.
fn resolved<C: Settings>(settings: &SettingsArgs) -> Result<C> {
    Ok(Resolved::<C>::named(None, settings, &[])?.config)
}

fn refused(cause: Failure) -> anyhow::Error {
    BadInput::new(cause.to_string()).into()
}

/// The complaint about a model: perhaps one that comes with the program was meant.
fn unknown(name: &str, error: &anyhow::Error) -> BadInput {
    let cause = error.downcast_ref::<MechanismError>();
    if !matches!(cause, Some(MechanismError::Unknown { .. })) {
        return BadInput::new(format!("--model {name}: {error}"));
    }
    let models = ModelKind::ALL.map(ModelKind::name);
    let shipped = SHIPPED.iter().map(|(name, _)| *name);
    let names: Vec<&str> = models.into_iter().chain(shipped).collect();
    BadInput::new(format!(
        "--model {name}: there is no model or mechanism of that name ({}there are {}, and the \
         mechanisms that `softdock mechanism list` names)",
        meant(Path::new(name), &names),
        models.join(", ")
    ))
}

/// The model of this name, with the settings given.
fn model_of(name: &str, settings: &SettingsArgs) -> Result<(ModelKind, Arc<dyn Packaged>)> {
    let plain = settings.config.is_none() && settings.set.is_empty();
    let Some(kind) = ModelKind::from_name(name) else {
        if settings.config.is_some() {
            let message = "--config: a mechanism is set with --set parameters.KEY=VALUE";
            return Err(BadInput::new(message).into());
        }
        let files = mechanism::files(name, &settings.set).map_err(|error| unknown(name, &error))?;
        let model = MechanismModel::with(files).map_err(refused)?;
        return Ok((ModelKind::Mechanism, Arc::new(model)));
    };
    // What `softdock dock` runs if nothing is said is a scenario of its own.
    if plain && kind != ModelKind::Docking {
        return Ok((kind, kind.packaged().model()));
    }
    let model: Arc<dyn Packaged> = match kind {
        ModelKind::LegPlanar => {
            let settings: LegConfig = resolved(settings)?;
            Arc::new(LegPlanar::with(settings).map_err(refused)?)
        }
        ModelKind::LegSpatial => {
            let given = Resolved::<SpatialSettings>::named(None, settings, &[])?;
            let chosen = given.gives(Solver::spectral_radius.key);
            let mut settings = given.config;
            if !chosen {
                // The default of the FMU, not that of a leg by itself.
                settings.leg.solver.spectral_radius = COUPLED_SPECTRAL_RADIUS;
            }
            if settings.tip != Tip::default() {
                let message = "tip: in an FMU the tip's motion is an input; leave the table out";
                return Err(BadInput::new(message).into());
            }
            Arc::new(LegSpatial::with(settings.leg).map_err(refused)?)
        }
        ModelKind::EndEffector => {
            let settings: PlatformConfig = resolved(settings)?;
            Arc::new(EndEffectorModel::with(&settings).map_err(refused)?)
        }
        ModelKind::Platform => {
            let settings: PlatformConfig = resolved(settings)?;
            Arc::new(PlatformModel::with(&settings).map_err(refused)?)
        }
        ModelKind::Docking => {
            let scenario = Resolved::<Scenario>::named(None, settings, &[])?.config;
            Arc::new(DockingModel::with(&scenario).map_err(refused)?)
        }
        ModelKind::Mechanism => {
            let message = "--model Mechanism is an example: name a mechanism or its file to set it";
            return Err(BadInput::new(message).into());
        }
    };
    Ok((kind, model))
}

fn list() -> ListResult {
    let kinds = ModelKind::ALL.into_iter();
    let listed = |kind: ModelKind| Listed {
        model: kind.name().to_owned(),
        summary: kind.packaged().model().about().summary.to_owned(),
    };
    ListResult {
        models: kinds.map(listed).collect(),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.list {
        return command::show(&arguments.views, || Ok(list().into()));
    }
    command::show(&arguments.views, || {
        let settings = &arguments.settings;
        let folder = arguments.views.folder();
        let version = match arguments.fmi.as_str() {
            "3" => FmiVersion::Three,
            _ => FmiVersion::Two,
        };
        let chosen: Vec<&str> = match &arguments.model {
            Some(name) => vec![name],
            None if settings.config.is_some() || !settings.set.is_empty() => {
                let message = "--config and --set are for one model: name it with --model";
                return Err(BadInput::new(message).into());
            }
            None => ModelKind::ALL.map(ModelKind::name).to_vec(),
        };
        let library = match &arguments.library {
            Some(path) => Library::read(path)?,
            None => Library {
                reference: !arguments.no_reference,
                ..Library::OWN
            },
        };
        let mut models = Vec::new();
        for name in chosen {
            let (kind, model) = model_of(name, settings)?;
            models.push(export((kind, &*model), version, &library, &folder)?);
        }
        Ok(Computed {
            written: models.iter().map(|one| one.file.clone()).collect(),
            result: ExportResult {
                models,
                version: arguments.fmi.clone(),
            },
            ended: Ended::Complete,
        })
    })
}
