//! A plan: a study with its scenario resolved, the figures of its runs and the version of the
//! program. The digest of the plan identifies a study; it is in every file.

mod digest;

use crate::description::{Keep, KeepSeries, Order, Study};
use crate::error::{Result, StudyError, file_error, setting};
use crate::ranking::find_figure;
use crate::sampling::Sampler;
use crate::validate::RESERVED;
use crate::value::{FigureSpec, Kind, SOUNDNESS, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
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
        manifest.digest = digest::hexadecimal(&digest);
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
