//! A plan: a study with its scenario resolved, the figures of its runs and the version of the
//! program. The digest of the plan identifies a study; it is in every file.

mod digest;

use crate::description::{Keep, KeepSeries, Order, Sampling, Study};
use crate::error::{Result, StudyError, file_error, setting};
use crate::ranking::find_figure;
use crate::sampling::Sampler;
use crate::sampling::random::Generator;
use crate::shard::{Shard, Sharing};
use crate::validate::RESERVED;
use crate::value::{FigureSpec, Kind, SOUNDNESS, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// Version of the files of a study directory.
const FORMAT: u32 = 2;

/// The version before: runs in turn for the shards, journals that name the number of runs, one
/// scramble and one Latin hypercube. Such directories are read and resumed as they are.
const FORMAT_IN_TURN: u32 = 1;

/// What is written into `study.toml` of a directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    format: u32,
    version: String,
    digest: String,
    /// Versions that made runs, where a merge was told to take several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    merged_versions: Vec<String>,
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
    /// The digest in the journals.
    journal_digest: [u8; 32],
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
        let manifest = Manifest {
            format: FORMAT,
            version: version.to_owned(),
            digest: String::new(),
            merged_versions: Vec::new(),
            study: Study {
                scenario: None,
                ..study.with_choices()
            },
            figures: figures.to_vec(),
            resolved_scenario: scenario,
        };
        Self::of(manifest)
    }

    fn of(mut manifest: Manifest) -> Result<Self> {
        let (study, figures) = (&manifest.study, &manifest.figures[..]);
        let sampler = Sampler::new(study)?;
        check_names(study, figures)?;
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
        manifest.digest.clear();
        let digest = manifest.compute_digest()?;
        let journal_digest = manifest.journal_digest()?;
        manifest.digest = digest::hexadecimal(&digest);
        Ok(Self {
            manifest,
            digest,
            journal_digest,
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
        if !(FORMAT_IN_TURN..=FORMAT).contains(&manifest.format) {
            let format = manifest.format;
            return Err(damaged(format!(
                "format {format} is unknown, this program knows {FORMAT_IN_TURN} to {FORMAT}"
            )));
        }
        let recorded = manifest.digest.clone();
        let plan = Self::of(manifest)?;
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

    /// All versions of the program that runs are from.
    pub fn versions(&self) -> Vec<&str> {
        match &self.manifest.merged_versions[..] {
            [] => vec![self.version()],
            several => several.iter().map(String::as_str).collect(),
        }
    }

    /// The same study of another version of the program.
    pub fn with_version(&self, version: &str) -> Result<Self> {
        let mut manifest = self.manifest.clone();
        version.clone_into(&mut manifest.version);
        manifest.merged_versions.clear();
        Self::of(manifest)
    }

    /// The same study with runs of several versions of the program.
    pub(crate) fn with_versions(&self, versions: &BTreeSet<String>) -> Result<Self> {
        let mut manifest = self.manifest.clone();
        manifest.merged_versions = match versions.len() {
            0 | 1 => Vec::new(),
            _ => versions.iter().cloned().collect(),
        };
        Self::of(manifest)
    }

    /// Digest of the base scenario with all its settings, in hexadecimal digits.
    pub fn settings_digest(&self) -> String {
        digest::hexadecimal(&digest::digest(&self.manifest.resolved_scenario))
    }

    /// What varies and where that is from, as TOML.
    pub fn pedigree(&self) -> Result<String> {
        #[derive(Serialize)]
        struct Pedigree<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            points_from: Option<&'a str>,
            vary: &'a [crate::description::Variation],
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            joint: &'a [crate::description::Joint],
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            correlate: &'a [crate::description::Correlation],
        }
        let study = self.study();
        let pedigree = Pedigree {
            points_from: study.design.as_ref().map(|design| design.origin.as_str()),
            vary: &study.vary,
            joint: &study.joint,
            correlate: &study.correlate,
        };
        toml::to_string(&pedigree).map_err(|error| StudyError::Syntax {
            origin: "study".to_owned(),
            message: error.to_string(),
        })
    }

    /// Weight of a run, where points were drawn from another distribution than that of the inputs.
    pub fn weight(&self, run: u64) -> Option<f64> {
        let weights = &self.study().design.as_ref()?.weights;
        weights.get(usize::try_from(run).ok()?).copied()
    }

    /// The digest, in hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.manifest.digest
    }

    /// The digest in the journals: of everything but the number of runs, so that they stay what they
    /// are when a study is extended.
    pub(crate) fn digest_bytes(&self) -> &[u8; 32] {
        &self.journal_digest
    }

    /// The same study with more runs: every run that there is stays what it is.
    pub fn extended(&self, runs: u64) -> Result<Self> {
        let refused = |rule: &str| Err(setting("runs", runs, rule));
        let study = self.study();
        if self.manifest.format < FORMAT {
            return refused("a study of an earlier version of the program cannot be extended");
        }
        match study.sampling {
            Sampling::Grid => return refused("a grid has as many runs as it has combinations"),
            Sampling::Design => return refused("a design from a file has as many runs as rows"),
            Sampling::LatinHypercube if study.block == Some(0) => {
                return refused("one Latin hypercube (block = 0) cannot be extended");
            }
            _ => {}
        }
        if runs < self.runs() {
            let rule = format!("must be at least the {} runs of the study", self.runs());
            return Err(setting("runs", runs, rule));
        }
        let mut manifest = self.manifest.clone();
        manifest.study.runs = Some(runs);
        Self::of(manifest)
    }

    /// Runs that belong together: a number of runs that is a multiple of it wastes nothing.
    pub fn unit(&self) -> u64 {
        let study = self.study();
        let scrambles = study.scrambles.map_or(1, u64::from).max(1);
        match study.sampling {
            Sampling::Sobol => scrambles,
            Sampling::Saltelli => scrambles * (self.inputs.len() as u64 + 2),
            Sampling::Morris => self.inputs.len() as u64 + 1,
            Sampling::LatinHypercube => study.block.map_or(1, u64::from).max(1),
            Sampling::Grid | Sampling::MonteCarlo | Sampling::Design => 1,
        }
    }

    /// The same study with another number of runs.
    pub fn with_runs(&self, runs: u64) -> Result<Self> {
        let mut manifest = self.manifest.clone();
        manifest.study.runs = Some(runs);
        Self::of(manifest)
    }

    fn sharing(&self) -> Sharing {
        if self.manifest.format == FORMAT_IN_TURN {
            return Sharing::InTurn;
        }
        Sharing::Drawn {
            generator: Generator::new(self.study().seed),
            unit: match self.study().sampling {
                Sampling::Saltelli => self.inputs.len() as u64 + 2,
                Sampling::Morris => self.inputs.len() as u64 + 1,
                _ => 1,
            },
        }
    }

    /// Whether a run belongs to a shard.
    pub fn shard_contains(&self, shard: Shard, run: u64) -> bool {
        self.sharing().contains(shard, run)
    }

    /// How many runs a shard has.
    pub fn shard_size(&self, shard: Shard) -> u64 {
        self.sharing().size(shard, self.runs())
    }

    /// Run number `index` of a shard, from zero; they rise.
    pub fn shard_run(&self, shard: Shard, index: u64) -> u64 {
        self.sharing().run(shard, index)
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

    /// The point of a run in the unit cube; NaN for a grid and a design from elsewhere.
    pub fn point(&self, run: u64) -> Vec<f64> {
        self.sampler.point(run)
    }

    /// Whether the inputs are independent of each other and follow one coordinate of the unit cube
    /// each.
    pub fn has_independent_inputs(&self) -> bool {
        let study = self.study();
        let cube = !matches!(study.sampling, Sampling::Grid | Sampling::Design);
        cube && study.correlate.is_empty() && study.joint.is_empty()
    }

    /// The inputs at normal scores, for inputs that are independent of each other.
    pub fn values_at_scores(&self, scores: &[f64]) -> Vec<Value> {
        let pairs = self.sampler.distributions().iter().zip(scores);
        pairs.map(|(d, &z)| d.at_score(z)).collect()
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
            differences: digest::differences(
                &self.manifest.identity()?,
                &other.manifest.identity()?,
            ),
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

    /// Index of the figure that says whether a run is sound, if the job has it.
    pub(crate) fn soundness_figure(&self) -> Option<usize> {
        let figures = self.figures().iter();
        let mut words = figures.map(|figure| figure.kind == Kind::Text && figure.name == SOUNDNESS);
        words.position(|is| is)
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
        Ok(digest::digest(&self.identity()?))
    }

    fn journal_digest(&self) -> Result<[u8; 32]> {
        let mut identity = self.identity()?;
        if self.format > FORMAT_IN_TURN
            && let Some(study) = identity
                .get_mut("study")
                .and_then(toml::Value::as_table_mut)
        {
            study.remove("runs");
        }
        Ok(digest::digest(&identity))
    }
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
    let ranking = |kind| matches!(kind, Kind::Real | Kind::Integer);
    let found = find_figure(figures, name, ranking);
    found
        .map(|_| ())
        .map_err(|names| setting("keep.figure", name, format!("must be one of: {names}")))
}

#[cfg(test)]
mod tests;
