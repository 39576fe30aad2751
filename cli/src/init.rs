//! `softdock init`: a commented file to start from.
//!
//! What a file says about a key (unit, range, meaning) comes from the table of settings, so that it
//! cannot say anything else than the program does.

use crate::failure::BadInput;
use crate::output;
use crate::schema;
use crate::settings::{Place, Resolved, SettingsArgs, find_key};
use anyhow::Result;
use clap::{Args, ValueEnum};
use softdock_docking::Scenario;
use softdock_mechanism::library;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the help says below the options.
const MORE: &str = "\
A scenario and a study name a JSON schema, which is written beside them: editors that know TOML (Even
Better TOML, Taplo) then complete keys, show their meaning and mark wrong values.

Examples:
  softdock init scenario                        scenario.toml, then: softdock dock scenario.toml
  softdock init scenario mine.toml --from motors-lqr
  softdock init study                           study.toml, then: softdock batch run study.toml --out s
  softdock init mechanism pendulum.toml         then: softdock mechanism simulate pendulum.toml";

/// Arguments of `softdock init`.
#[derive(Debug, Args)]
#[command(after_help = MORE)]
pub struct Arguments {
    /// What to start
    what: What,
    /// The file; scenario.toml, study.toml or mechanism.toml in the current folder if left out
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Starts from a scenario or mechanism that comes with the program
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Replaces a file that is there
    #[arg(long)]
    force: bool,
}

/// Kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// A docking: `softdock dock FILE`
    Scenario,
    /// Many dockings with varied inputs: `softdock batch run FILE`
    Study,
    /// Bodies, joints and forces: `softdock mechanism simulate FILE`
    Mechanism,
}

/// Keys that a new scenario sets although they have their defaults: what people change first.
const SHOWN: [&str; 8] = [
    "closing_speed_m_s",
    "duration_s",
    "misalignment.pitch_deg",
    "misalignment.yaw_deg",
    "misalignment.lateral_x_m",
    "target.mass_kg",
    "motor.mode",
    "tendon.damping_n_s_per_m",
];

/// Inputs that a new study varies: key, smallest and largest value.
const VARIED: [(&str, f64, f64); 4] = [
    ("closing_speed_m_s", 0.03, 0.06),
    ("misalignment.pitch_deg", -5.0, 5.0),
    ("misalignment.yaw_deg", -5.0, 5.0),
    ("target.mass_kg", 400.0, 600.0),
];

/// The mechanism to start from.
const MECHANISM: &str = include_str!("init/mechanism.toml");

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let name = match arguments.what {
        What::Scenario => "scenario.toml",
        What::Study => "study.toml",
        What::Mechanism => "mechanism.toml",
    };
    let file = arguments.file.clone().unwrap_or_else(|| name.into());
    if file.exists() && !arguments.force {
        let message = format!("{} is there already; --force replaces it", file.display());
        return Err(BadInput::new(message).into());
    }
    output::probe(&file)?;
    let from = arguments.from.as_deref();
    let (text, schema, next) = match arguments.what {
        What::Scenario => (scenario(from)?, schema::scenario()?, "softdock dock"),
        What::Study => {
            if from.is_some() {
                let message = "--from: a study starts from its own template; set `scenario` in it";
                return Err(BadInput::new(message).into());
            }
            (
                study()?,
                schema::study()?,
                "softdock batch run --out results",
            )
        }
        What::Mechanism => (
            mechanism(from)?,
            schema::mechanism()?,
            "softdock mechanism simulate",
        ),
    };
    output::write_atomic(&file, text.as_bytes())?;
    output::tell(&format!("wrote {}", file.display()))?;
    let beside = file.with_file_name(schema_name(arguments.what));
    output::write_atomic(&beside, schema.as_bytes())?;
    output::tell(&format!("wrote {} (for editors)", beside.display()))?;
    output::tell(&format!("next: {next} {}", file.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Name of the schema beside a file.
fn schema_name(what: What) -> &'static str {
    match what {
        What::Study => "softdock-study.schema.json",
        What::Scenario => "softdock-scenario.schema.json",
        What::Mechanism => "softdock-mechanism.schema.json",
    }
}

/// All keys of a scenario with their comments; those with default values are commented out, but for
/// the ones that people change first.
fn scenario(from: Option<&str>) -> Result<String> {
    let args = SettingsArgs::default();
    let resolved: Resolved<Scenario> = Resolved::named(from.map(Path::new), &args, &[])?;
    let defaults = Resolved::<Scenario>::new(&args)?.print()?;
    let mut out = format!(
        "#:schema ./{}\n# A docking: `softdock dock FILE`. Keys that are commented out have the value shown.\n\
         # `softdock figures` lists what comes out; `softdock dock --help` lists scenarios to compare with.\n",
        schema_name(What::Scenario)
    );
    let usual: BTreeSet<String> = settings(&defaults).into_iter().flatten().collect();
    let printed = resolved.print()?;
    for (line, setting) in printed.lines().zip(settings(&printed)) {
        let comment = setting.is_some_and(|setting| {
            let key = setting.split(" = ").next().unwrap_or_default();
            usual.contains(&setting) && !SHOWN.contains(&key)
        });
        writeln!(out, "{}{line}", if comment { "# " } else { "" })?;
    }
    Ok(out)
}

/// What each line of a printed configuration sets, with the key's tables; none for other lines.
fn settings(printed: &str) -> Vec<Option<String>> {
    let mut section = String::new();
    let mut setting = |line: &str| {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = format!("{name}.");
        }
        let sets = !line.is_empty() && !line.starts_with(['#', '[']);
        sets.then(|| format!("{section}{line}"))
    };
    printed.lines().map(&mut setting).collect()
}

/// A study of the default docking.
fn study() -> Result<String> {
    let mut out = format!(
        "#:schema ./{}\n\
         # A study: `softdock batch run FILE --out DIR`, then `softdock batch report DIR`.\n\n\
         name = \"my-study\"\n\
         # Run i follows from the seed and i alone.\n\
         seed = 1\n\
         runs = 200\n\
         # sobol (fills the space evenly), latin_hypercube, monte_carlo, saltelli, morris or grid\n\
         sampling = \"sobol\"\n\
         # The docking that is varied: a file, or a name that comes with the program\n\
         scenario = \"default\"\n\n\
         # Keys of the scenario that all runs share.\n\
         [base]\n\
         # {}\n\
         legs.elements = 6\n",
        schema_name(What::Study),
        comment("legs.elements")?
    );
    for (key, low, high) in VARIED {
        write!(
            out,
            "\n# {}\n[[vary]]\nkey = \"{key}\"\ndistribution = \"uniform\"\nmin = {low:?}\nmax = {high:?}\n",
            comment(key)?
        )?;
    }
    out.push_str(
        "\n# Whose time series are kept: none, all or the worst.\n[keep]\nseries = \"worst\"\n\
         figure = \"peak_contact_force_n\"\ncount = 3\n",
    );
    Ok(out)
}

/// What the table says of a key.
fn comment(key: &str) -> Result<String> {
    Ok(find_key::<Scenario>(key, &Place::default())?.comment())
}

fn mechanism(from: Option<&str>) -> Result<String> {
    let text = match from {
        None => MECHANISM,
        Some(name) => library::text(name).ok_or_else(|| library::unknown(name))?,
    };
    let schema = schema_name(What::Mechanism);
    Ok(format!("#:schema ./{schema}\n{text}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::batch::study::{Changes, prepare_text};
    use crate::settings::Settings;
    use softdock_study::Shard;

    #[test]
    fn a_new_scenario_is_the_one_it_starts_from() {
        for (name, _) in Scenario::shipped() {
            let text = scenario(Some(name)).unwrap();
            let args = SettingsArgs::default();
            let read = Resolved::<Scenario>::with_text("new", &text, &args, &[]).unwrap();
            let from = Resolved::<Scenario>::named(Some(Path::new(name)), &args, &[]).unwrap();
            assert_eq!(read.config, from.config, "{name}");
        }
        let text = scenario(None).unwrap();
        for key in SHOWN {
            let name = key.rsplit('.').next().unwrap();
            assert!(text.contains(&format!("\n{name} = ")), "{key} is not set");
        }
    }

    #[test]
    fn a_new_study_can_be_run() {
        let changes = Changes::default();
        let prepared = prepare_text(Path::new("new"), &study().unwrap(), &changes, Shard::WHOLE);
        assert_eq!(prepared.unwrap().plan.inputs().len(), VARIED.len());
    }

    #[test]
    fn a_new_mechanism_moves() {
        let description = softdock_mechanism::describe("new", MECHANISM, &[], &library::find);
        let mut rows = 0;
        let outcome = softdock_mechanism::simulate::simulate(&description.unwrap(), &mut |_, _| {
            rows += 1;
            true
        });
        let outcome = outcome.unwrap();
        assert!(outcome.complete && !outcome.soundness.is_suspect() && rows > 100);
    }
}
