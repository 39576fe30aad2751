//! A plan: a study with its scenario resolved, the figures of its runs and the version of the
//! program. The digest of the plan identifies a study; it is in every file.

use crate::description::{Keep, KeepSeries, Order, Study};
use crate::error::{Result, StudyError, file_error, setting};
use crate::sampling::Sampler;
use crate::validate::RESERVED;
use crate::value::{FigureSpec, Kind, Value};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Version of the files of a study directory.
const FORMAT: u32 = 1;

/// What is written into `study.toml` of a directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    format: u32,
    version: String,
    digest: String,
    study: Study,
    figures: Vec<FigureSpec>,
    #[serde(default)]
    resolved_scenario: toml::Table,
}

/// A column of the table: an input or a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSpec {
    /// Name, with unit.
    pub name: String,
    /// Kind of the values.
    pub kind: Kind,
}

/// A study ready to run.
#[derive(Debug, Clone)]
pub struct Plan {
    manifest: Manifest,
    digest: [u8; 32],
    sampler: Sampler,
    inputs: Vec<ColumnSpec>,
}

impl Plan {
    /// The plan of a study: `scenario` is the base scenario with all its settings, which is recorded
    /// and covered by the digest but not interpreted (the path it came from is forgotten);
    /// `figures` are those of the job; `version` is that of the program that runs it.
    pub fn new(
        study: Study,
        scenario: toml::Table,
        figures: &[FigureSpec],
        version: &str,
    ) -> Result<Self> {
        let sampler = Sampler::new(&study)?;
        check_names(&study, figures)?;
        check_keep(&study.keep, figures)?;
        let inputs = study
            .vary
            .iter()
            .zip(sampler.distributions())
            .map(|(variation, distribution)| ColumnSpec {
                name: variation.key.clone(),
                kind: distribution.kind(),
            })
            .collect();
        let study = Study {
            scenario: None,
            ..study
        };
        let mut manifest = Manifest {
            format: FORMAT,
            version: version.to_owned(),
            digest: String::new(),
            study,
            figures: figures.to_vec(),
            resolved_scenario: scenario,
        };
        let digest = manifest.compute_digest()?;
        manifest.digest = hexadecimal(&digest);
        Ok(Self {
            manifest,
            digest,
            sampler,
            inputs,
        })
    }

    /// Reads the plan from the text of a `study.toml` as [`Plan::text`] gives it; `path` is named in
    /// messages.
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        let manifest: Manifest = toml::from_str(text).map_err(|error| StudyError::Syntax {
            origin: path.display().to_string(),
            message: error.to_string().trim_end().to_owned(),
        })?;
        let damaged = |detail: String| StudyError::Damaged {
            path: path.to_path_buf(),
            detail,
        };
        if manifest.format != FORMAT {
            let format = manifest.format;
            return Err(damaged(format!(
                "format {format} is unknown, this program knows {FORMAT}"
            )));
        }
        let recorded = manifest.digest;
        let plan = Self::new(
            manifest.study,
            manifest.resolved_scenario,
            &manifest.figures,
            &manifest.version,
        )?;
        if plan.manifest.digest != recorded {
            let found = &plan.manifest.digest;
            return Err(damaged(format!(
                "its content has the digest {found}, it says {recorded}"
            )));
        }
        Ok(plan)
    }

    /// Reads the plan of a `study.toml`.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(file_error("read", path))?;
        Self::parse(&text, path)
    }

    /// The text of `study.toml`.
    pub fn text(&self) -> Result<String> {
        let body = toml::to_string(&self.manifest).map_err(|error| StudyError::Syntax {
            origin: "study".to_owned(),
            message: error.to_string(),
        })?;
        Ok(format!(
            "# Written by the program; do not edit, the digest covers everything.\n{body}"
        ))
    }

    /// The study.
    pub fn study(&self) -> &Study {
        &self.manifest.study
    }

    /// The base scenario with all its settings.
    pub fn scenario(&self) -> &toml::Table {
        &self.manifest.resolved_scenario
    }

    /// The figures of a run.
    pub fn figures(&self) -> &[FigureSpec] {
        &self.manifest.figures
    }

    /// The inputs of a run as columns.
    pub fn inputs(&self) -> &[ColumnSpec] {
        &self.inputs
    }

    /// Version of the program the study was planned with.
    pub fn version(&self) -> &str {
        &self.manifest.version
    }

    /// The digest, in hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.manifest.digest
    }

    pub(crate) fn digest_bytes(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Number of runs.
    pub fn runs(&self) -> u64 {
        self.sampler.runs()
    }

    /// The inputs of a run.
    pub fn values(&self, run: u64) -> Result<Vec<Value>> {
        if run < self.runs() {
            Ok(self.sampler.values(run))
        } else {
            Err(setting(
                "run",
                run,
                format!("must be 0 to {}", self.runs() - 1),
            ))
        }
    }

    /// The scenario of a run: the base scenario with the inputs of the run put in.
    pub fn scenario_of(&self, run: u64) -> Result<toml::Table> {
        let mut scenario = self.scenario().clone();
        for (input, value) in self.inputs.iter().zip(self.values(run)?) {
            crate::scenario::set(&mut scenario, &input.name, &value)?;
        }
        Ok(scenario)
    }

    /// Refuses a plan whose digest differs, and says what differs; `path` is where `self` is from.
    pub fn require_same(&self, other: &Self, path: &Path) -> Result<()> {
        if self.digest == other.digest {
            return Ok(());
        }
        Err(StudyError::OtherStudy {
            path: path.to_path_buf(),
            found: self.digest().to_owned(),
            expected: other.digest().to_owned(),
            differences: differences(&self.manifest, &other.manifest),
        })
    }

    /// Index and order of the figure that ranks the runs to keep, and how many are kept.
    pub(crate) fn keep_worst(&self) -> Option<(usize, Order, usize)> {
        let keep = &self.study().keep;
        let name = keep.figure.as_ref()?;
        let index = self
            .figures()
            .iter()
            .position(|figure| &figure.name == name)?;
        Some((index, keep.order.unwrap_or_default(), keep.count? as usize))
    }
}

impl Manifest {
    /// Everything that identifies the study, as TOML.
    fn identity(&self) -> Result<toml::Table> {
        let mut manifest = self.clone();
        manifest.digest.clear();
        toml::Table::try_from(&manifest).map_err(|error| StudyError::Syntax {
            origin: "study".to_owned(),
            message: error.to_string(),
        })
    }

    fn compute_digest(&self) -> Result<[u8; 32]> {
        let mut hasher = Sha256::new();
        hash_table(&mut hasher, &self.identity()?);
        Ok(hasher.finalize().into())
    }
}

/// Feeds a table to the digest, keys in order whatever order the table keeps.
fn hash_table(hasher: &mut Sha256, table: &toml::Table) {
    let keys: BTreeSet<&String> = table.keys().collect();
    hasher.update(b"t");
    hasher.update((keys.len() as u64).to_le_bytes());
    for key in keys {
        hash_text(hasher, key);
        if let Some(value) = table.get(key) {
            hash_value(hasher, value);
        }
    }
}

fn hash_value(hasher: &mut Sha256, value: &toml::Value) {
    match value {
        toml::Value::Table(table) => hash_table(hasher, table),
        toml::Value::Array(array) => {
            hasher.update(b"a");
            hasher.update((array.len() as u64).to_le_bytes());
            array.iter().for_each(|item| hash_value(hasher, item));
        }
        toml::Value::String(text) => {
            hasher.update(b"s");
            hash_text(hasher, text);
        }
        toml::Value::Integer(n) => {
            hasher.update(b"i");
            hasher.update(n.to_le_bytes());
        }
        toml::Value::Float(x) => {
            hasher.update(b"f");
            hasher.update(x.to_bits().to_le_bytes());
        }
        toml::Value::Boolean(b) => hasher.update([b'b', u8::from(*b)]),
        toml::Value::Datetime(time) => {
            hasher.update(b"d");
            hash_text(hasher, &time.to_string());
        }
    }
}

fn hash_text(hasher: &mut Sha256, text: &str) {
    hasher.update((text.len() as u64).to_le_bytes());
    hasher.update(text);
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn check_names(study: &Study, figures: &[FigureSpec]) -> Result<()> {
    let mut seen: BTreeSet<&str> = RESERVED.into_iter().collect();
    seen.extend(study.vary.iter().map(|variation| variation.key.as_str()));
    for FigureSpec { name, .. } in figures {
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(setting(
                "figures",
                format!("{name:?}"),
                "must be a line of text",
            ));
        }
        if !seen.insert(name) {
            return Err(setting("figures", name, "is the name of another column"));
        }
    }
    Ok(())
}

fn check_keep(keep: &Keep, figures: &[FigureSpec]) -> Result<()> {
    let (KeepSeries::Worst, Some(name)) = (keep.series, &keep.figure) else {
        return Ok(());
    };
    let ranking = |figure: &&FigureSpec| matches!(figure.kind, Kind::Real | Kind::Integer);
    if figures
        .iter()
        .filter(ranking)
        .any(|figure| &figure.name == name)
    {
        return Ok(());
    }
    let names: Vec<&str> = figures
        .iter()
        .filter(ranking)
        .map(|figure| figure.name.as_str())
        .collect();
    Err(setting(
        "keep.figure",
        name,
        format!("must be one of: {}", names.join(", ")),
    ))
}

/// Names the settings that differ.
fn differences(a: &Manifest, b: &Manifest) -> String {
    const MOST: usize = 5;
    let (Ok(a), Ok(b)) = (a.identity(), b.identity()) else {
        return "the whole content".to_owned();
    };
    let mut found = Vec::new();
    compare_tables(&a, &b, "", &mut found);
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{rest}", found.join(", "))
}

fn compare_tables(a: &toml::Table, b: &toml::Table, path: &str, found: &mut Vec<String>) {
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    for key in keys {
        let place = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        compare_values(a.get(key), b.get(key), &place, found);
    }
}

fn compare_values(
    a: Option<&toml::Value>,
    b: Option<&toml::Value>,
    place: &str,
    found: &mut Vec<String>,
) {
    match (a, b) {
        (Some(toml::Value::Table(a)), Some(toml::Value::Table(b))) => {
            compare_tables(a, b, place, found);
        }
        (Some(toml::Value::Array(a)), Some(toml::Value::Array(b))) => {
            for index in 0..a.len().max(b.len()) {
                let place = format!("{place}[{index}]");
                compare_values(a.get(index), b.get(index), &place, found);
            }
        }
        (a, b) if a == b => {}
        (a, b) => {
            let show = |value: Option<&toml::Value>| match value {
                None => "nothing".to_owned(),
                Some(toml::Value::Table(_)) => "a table".to_owned(),
                Some(toml::Value::Array(_)) => "an array".to_owned(),
                Some(value) => value.to_string(),
            };
            found.push(format!("{place} ({} there, {} here)", show(a), show(b)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: &str = "name = \"s\"\nseed = 3\nruns = 4\nsampling = \"sobol\"\n\
                         [[vary]]\nkey = \"a.x_m\"\ndistribution = \"uniform\"\nmin = 0\nmax = 1\n";

    fn plan(study: &str, scenario: &str) -> Plan {
        let figures = [
            FigureSpec::new("force_n", Kind::Real),
            FigureSpec::new("captured", Kind::Bool),
        ];
        let scenario = toml::from_str(scenario).unwrap();
        Plan::new(
            Study::parse(study, "test").unwrap(),
            scenario,
            &figures,
            "1.2.3",
        )
        .unwrap()
    }

    #[test]
    fn the_text_of_a_plan_gives_the_plan_back() {
        let plan = plan(
            STUDY,
            "mass_kg = 0.1\nwhen = 1979-05-27\n[a]\nz = [1, 2.5, \"t\"]\n",
        );
        let text = plan.text().unwrap();
        let again = Plan::parse(&text, Path::new("study.toml")).unwrap();
        assert_eq!(again.manifest, plan.manifest);
        assert_eq!(again.text().unwrap(), text);
        let scenario = plan.scenario_of(2).unwrap();
        assert_eq!(
            scenario["a"]["x_m"].as_float(),
            plan.values(2).unwrap()[0].number()
        );
        assert!(
            plan.values(4)
                .unwrap_err()
                .to_string()
                .contains("must be 0 to 3")
        );
    }

    #[test]
    fn an_edited_file_is_noticed() {
        let text = plan(STUDY, "mass_kg = 1\n").text().unwrap();
        let edited = text.replace("seed = 3", "seed = 4");
        assert_ne!(edited, text);
        let error = Plan::parse(&edited, Path::new("study.toml")).unwrap_err();
        assert!(error.to_string().contains("digest"), "{error}");
    }

    #[test]
    fn differences_are_named() {
        let (a, b) = (plan(STUDY, "mass_kg = 1\n"), plan(STUDY, "mass_kg = 2\n"));
        let error = a
            .require_same(&b, Path::new("out"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("resolved_scenario.mass_kg (1 there, 2 here)"),
            "{error}"
        );
        let c = plan(&STUDY.replace("max = 1", "max = 2"), "mass_kg = 1\n");
        let error = a
            .require_same(&c, Path::new("out"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("study.vary[0].max (1.0 there, 2.0 here)"),
            "{error}"
        );
        let moved = plan(
            &STUDY.replace("[[vary]]", "scenario = \"b.toml\"\n[[vary]]"),
            "mass_kg = 1\n",
        );
        assert!(a.require_same(&moved, Path::new("out")).is_ok());
    }

    #[test]
    fn names_of_columns_do_not_clash() {
        let study = || Study::parse(STUDY, "test").unwrap();
        for name in ["a.x_m", "run", ""] {
            let figures = [FigureSpec::new(name, Kind::Real)];
            assert!(
                Plan::new(study(), toml::Table::new(), &figures, "1").is_err(),
                "{name}"
            );
        }
        let mut worst = study();
        worst.keep = Keep {
            series: KeepSeries::Worst,
            figure: Some("captured".into()),
            count: Some(1),
            order: None,
        };
        let figures = [
            FigureSpec::new("captured", Kind::Bool),
            FigureSpec::new("f_n", Kind::Real),
        ];
        let error = Plan::new(worst, toml::Table::new(), &figures, "1").unwrap_err();
        assert!(error.to_string().contains("must be one of: f_n"), "{error}");
    }
}
