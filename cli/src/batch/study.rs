//! From a study file to a plan: the base scenario resolved, every variation checked against the
//! table of keys, before the first run.

use super::job::{Docking, FormulaJob, StudyJob};
use super::{design, samples};
use crate::dock::shipped;
use crate::failure::BadInput;
use crate::input_file;
use crate::settings::{
    Kind, Part, Place, Resolved, SettingsArgs, SettingsError, find_key, key, meant,
};
use anyhow::{Context, Result};
use softdock_docking::{DockingError, Law, Scenario};
use softdock_study::description::{Form, Variation};
use softdock_study::sampling::distribution::Distribution;
use softdock_study::{Job, Plan, Shard, Study, StudyError};
use std::path::{Path, PathBuf};
use toml::Value;
use toml::de::{DeTable, DeValue};

/// Name and text of the studies that come with the program.
const SHIPPED: [(&str, &str); 4] = [
    (
        "idss-envelope",
        include_str!("../../../scenarios/idss-envelope.toml"),
    ),
    (
        "misalignment-map",
        include_str!("../../../scenarios/misalignment-map.toml"),
    ),
    (
        "motor-stops",
        include_str!("../../../scenarios/motor-stops.toml"),
    ),
    (
        "wide-ranges",
        include_str!("../../../scenarios/wide-ranges.toml"),
    ),
];

/// Version of the program with the commit it was built from, if that is known; it is in every plan and
/// table.
pub const VERSION: &str = env!("SOFTDOCK_VERSION");

/// A study ready to run.
#[derive(Debug)]
pub struct Prepared {
    /// The plan.
    pub plan: Plan,
    /// What a run does.
    pub job: StudyJob,
}

/// What the command line changes of a study.
#[derive(Debug, Clone, Copy, Default)]
pub struct Changes<'a> {
    /// Number of runs.
    pub runs: Option<u64>,
    /// Keys of the base scenario, as `KEY=VALUE`.
    pub set: &'a [String],
    /// File with the points of the inputs.
    pub design: Option<&'a Path>,
}

/// Prepares the study of a file or name; `runs` replaces its number of runs, `set` are keys of the
/// base scenario, as `KEY=VALUE`. Values of the runs that are not allowed are refused: of the whole
/// study for each key on its own, of `shard` for all of them together.
pub fn prepare(path: &Path, changes: &Changes<'_>, shard: Shard) -> Result<Prepared> {
    prepare_source(&Source::read(path)?, changes, shard)
}

/// The same for the text of a study; `path` stands for it in messages.
pub fn prepare_text(
    path: &Path,
    text: &str,
    changes: &Changes<'_>,
    shard: Shard,
) -> Result<Prepared> {
    let source = Source {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    prepare_source(&source, changes, shard)
}

fn prepare_source(source: &Source, changes: &Changes<'_>, shard: Shard) -> Result<Prepared> {
    let set = changes.set;
    let mut study = source
        .study(changes.runs)
        .with_context(|| source.path.display().to_string())?;
    if let Some(file) = changes.design {
        study = design::put_into(study, file)?;
    }
    if !study.formula.is_empty() {
        return formulas(study, set).with_context(|| source.path.display().to_string());
    }
    source.check_variations(&study)?;
    refuse_varied(&study, set)?;
    let base = source.base(&study, set)?;
    let job = Docking::new(&base).context("the base scenario cannot start")?;
    let plan = Plan::new(study, base.into(), job.figures(), VERSION)
        .with_context(|| source.path.display().to_string())?;
    samples::check(
        &plan,
        shard,
        &source.places_of_variations(plan.inputs().len()),
    )?;
    Ok(Prepared {
        plan,
        job: StudyJob::Docking(job),
    })
}

/// A study of formulas, which has no scenario.
fn formulas(study: Study, set: &[String]) -> Result<Prepared> {
    if let Some(argument) = set.first() {
        let message = format!("--set {argument}: a study of formulas has no scenario");
        return Err(BadInput::new(message).into());
    }
    let job = FormulaJob::new(&study)?;
    let job = StudyJob::Formulas(job);
    let plan = Plan::new(study, toml::Table::new(), job.figures(), VERSION)?;
    Ok(Prepared { plan, job })
}

/// The text with `[[requirement]]` of the study as requirements of its base scenario, which every run
/// has to keep; lines stay where they are.
fn requirements_of_base(text: &str) -> String {
    let header = |line: &str| line.trim_end() == "[[requirement]]";
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        if header(line) {
            out += &line.replacen("[[requirement]]", "[[base.requirement]]", 1);
        } else {
            out += line;
        }
    }
    out
}

/// True if `path` is the name of a study that comes with the program and not a file.
pub fn is_shipped(path: &Path) -> bool {
    !path.is_file() && SHIPPED.iter().any(|(name, _)| Path::new(name) == path)
}

/// The text of a study and where it is from.
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    fn read(path: &Path) -> Result<Self> {
        let text = if path.exists() && !is_shipped(path) {
            input_file::read_text(path).map_err(|cause| StudyError::File {
                action: "read",
                path: path.to_owned(),
                cause,
            })?
        } else {
            let shipped = SHIPPED.iter().find(|(name, _)| Path::new(name) == path);
            let (_, text) = shipped.ok_or_else(|| {
                BadInput::new(format!(
                    "there is no study file {}, and no study of that name comes with the program \
                     ({}there are {})",
                    path.display(),
                    meant(path, &SHIPPED.map(|(name, _)| name)),
                    SHIPPED.map(|(name, _)| name).join(", ")
                ))
            })?;
            (*text).to_owned()
        };
        Ok(Self {
            path: path.to_owned(),
            text: requirements_of_base(&text),
        })
    }

    /// The study, checked; `runs` replaces its number of runs before that.
    fn study(&self, runs: Option<u64>) -> Result<Study, StudyError> {
        let mut study: Study = toml::from_str(&self.text).map_err(|error| StudyError::Syntax {
            origin: "not a study".to_owned(),
            message: error.to_string().trim_end().to_owned(),
        })?;
        study.runs = runs.or(study.runs);
        study.validate()?;
        Ok(study)
    }

    /// The base scenario: the file or name that the study gives, with its table `[base]` on top, and
    /// the arguments `set` above that.
    fn base(&self, study: &Study, set: &[String]) -> Result<Scenario> {
        let args = SettingsArgs {
            part: Some(Part {
                path: self.path.clone(),
                text: self.text.clone(),
                table: "base",
            }),
            set: set.to_vec(),
            ..SettingsArgs::default()
        };
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let mut base: Resolved<Scenario> = match &study.scenario {
            Some(scenario) => shipped::resolve_from(folder, scenario, &args)?,
            None => Resolved::new(&args)?,
        };
        if base.config.docking.regulator.law == Law::External {
            return Err(DockingError::NoController.into());
        }
        // One run per core is faster than one leg per core.
        base.config.platform.solver.threads = 1;
        Ok(base.config)
    }

    /// Checks that every varied key exists and takes the values that it will be given.
    fn check_variations(&self, study: &Study) -> Result<()> {
        let places = self.places_of_variations(study.vary.len());
        let variations = study.vary.iter().zip(study.distributions()?);
        for ((variation, distribution), place) in variations.zip(places) {
            check_variation(variation, &distribution, place)?;
        }
        Ok(())
    }

    /// Where the first `count` variations stand.
    fn places_of_variations(&self, count: usize) -> Vec<Place> {
        let lines = self.lines_of_variations();
        let place = |index: usize| Place::File {
            path: self.path.clone(),
            line: lines.get(index).copied().unwrap_or(1),
        };
        (0..count).map(place).collect()
    }

    /// Lines of the keys of `[[vary]]`, from 1, in order.
    fn lines_of_variations(&self) -> Vec<usize> {
        let Ok(table) = DeTable::parse(&self.text) else {
            return Vec::new();
        };
        let Some(DeValue::Array(list)) = table.get_ref().get("vary").map(|v| v.get_ref()) else {
            return Vec::new();
        };
        let line = |offset: usize| 1 + self.text[..offset].matches('\n').count();
        list.iter()
            .map(|entry| match entry.get_ref() {
                DeValue::Table(table) => table
                    .get("key")
                    .map_or(entry.span().start, |key| key.span().start),
                _ => entry.span().start,
            })
            .map(line)
            .collect()
    }
}

/// Whether a key of a scenario takes whole numbers only.
pub fn takes_integers(key: &str) -> bool {
    find_key::<Scenario>(key, &Place::default())
        .is_ok_and(|key| key::mismatch(key, &Value::Float(0.5)).is_some())
}

/// Refuses arguments that would do nothing: every run has its own value of what is varied.
fn refuse_varied(study: &Study, set: &[String]) -> Result<()> {
    for argument in set {
        let key = argument.split('=').next().unwrap_or_default().trim();
        if study.vary.iter().any(|variation| variation.key == key) {
            return Err(BadInput::new(format!(
                "--set {argument}: the study varies `{key}`; its [[vary]] says what the values are"
            ))
            .into());
        }
    }
    Ok(())
}

fn check_variation(variation: &Variation, distribution: &Distribution, place: Place) -> Result<()> {
    let key = find_key::<Scenario>(&variation.key, &place)?;
    if key.key == "solver.threads" {
        return Err(BadInput::new(format!(
            "{place}: `solver.threads` cannot be varied: results do not depend on it, and a study \
             runs one docking per core"
        ))
        .into());
    }
    let wrong = |expected: String, found: String| SettingsError::WrongKind {
        place: place.clone(),
        key: variation.key.clone(),
        expected,
        found,
    };
    if matches!(key.kind, Kind::Numbers(_) | Kind::List | Kind::Tables) {
        let expected = "a single value to be varied".to_owned();
        return Err(wrong(expected, "a key that holds a list".to_owned()).into());
    }
    let levels = distribution.levels();
    let real = [Value::Float(0.5)];
    let samples: Vec<Value> = match levels {
        Some(levels) => levels.iter().map(|level| level.to_toml()).collect(),
        // The values themselves are checked with the runs.
        None if variation.distribution == Form::Listed => Vec::new(),
        None => real.to_vec(),
    };
    for value in &samples {
        if let Some((expected, found)) = key::mismatch(key, value) {
            let found = match variation.distribution {
                Form::Choice => found,
                Form::Range => "a range, whose levels are real numbers (use choice)".to_owned(),
                _ => "a continuous distribution (use choice)".to_owned(),
            };
            return Err(wrong(expected, found).into());
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn source(vary: &str) -> Source {
        Source {
            path: "study.toml".into(),
            text: format!(
                "name = \"s\"\nruns = 4\nsampling = \"sobol\"\n\n[base]\nlegs.elements = 2\n\n{vary}"
            ),
        }
    }

    #[test]
    fn requirements_of_a_study_are_those_of_its_base() {
        let text = "name = \"s\"\n[[requirement]]\nname = \"[[requirement]]\"\n[[requirement]]  \nmax = 1\n";
        let found = requirements_of_base(text);
        assert_eq!(
            found,
            "name = \"s\"\n[[base.requirement]]\nname = \"[[requirement]]\"\n[[base.requirement]]  \nmax = 1\n"
        );
    }

    fn complaint(vary: &str) -> String {
        let source = source(vary);
        let study = source.study(None).unwrap();
        source.check_variations(&study).unwrap_err().to_string()
    }

    #[test]
    fn shipped_studies_are_ready_to_run() {
        for (name, _) in SHIPPED {
            let prepared = prepare(Path::new(name), &Changes::default(), Shard::WHOLE);
            let plan = prepared.unwrap_or_else(|e| panic!("{name}: {e:#}")).plan;
            assert!(plan.runs() >= 100, "{name}: {} runs", plan.runs());
            for run in [0, plan.runs() - 1] {
                let scenario = super::super::job::scenario_of(&plan, run).unwrap();
                scenario.validate().unwrap();
                assert_eq!(scenario.platform.solver.threads, 1);
            }
        }
    }

    #[test]
    fn keys_that_cannot_be_varied_are_refused_with_line_and_advice() {
        let uniform = "distribution = \"uniform\"\nmin = 1\nmax = 2\n";
        for (vary, expected) in [
            (
                format!("[[vary]]\nkey = \"misalignment.pitch\"\n{uniform}"),
                "study.toml:9: unknown key `misalignment.pitch`; did you mean \
                 `misalignment.pitch_deg`?",
            ),
            (
                format!("[[vary]]\n{uniform}key = \"target.inertia_kg_m2\"\n"),
                "study.toml:12: `target.inertia_kg_m2` must be a single value",
            ),
            (
                format!("[[vary]]\nkey = \"legs.elements\"\n{uniform}"),
                "`legs.elements` must be a whole number, zero or more; found a continuous \
                 distribution (use choice)",
            ),
            (
                "[[vary]]\nkey = \"motor.mode\"\ndistribution = \"choice\"\nvalues = [\"lock\"]\n"
                    .to_owned(),
                "`motor.mode` must be one of",
            ),
            (
                format!("[[vary]]\nkey = \"solver.threads\"\n{uniform}"),
                "cannot be varied",
            ),
        ] {
            let complaint = complaint(&vary);
            assert!(complaint.contains(expected), "{complaint}");
        }
    }

    #[test]
    fn the_base_of_a_study_is_checked_with_its_lines() {
        let mut source = source("[[vary]]\nkey = \"x\"\n");
        source.text = "name = \"s\"\n[base]\n[base.target]\nmas_kg = 3\n".to_owned();
        let study = Study::parse(
            "name = \"s\"\nruns = 1\nsampling = \"sobol\"\n[[vary]]\nkey = \"x\"\n\
             distribution = \"uniform\"\nmin = 0\nmax = 1\n",
            "s",
        );
        let error = source.base(&study.unwrap(), &[]).unwrap_err().to_string();
        assert!(
            error.contains("study.toml:4: unknown key `target.mas_kg`; did you mean"),
            "{error}"
        );
    }
}
