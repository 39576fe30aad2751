//! A study as its author writes it, in TOML.
//!
//! ```toml
//! name = "envelope"
//! seed = 7
//! runs = 200
//! sampling = "latin_hypercube"
//! scenario = "docking.toml"
//!
//! [keep]
//! series = "worst"
//! figure = "peak_contact_force_n"
//! count = 10
//!
//! [[vary]]
//! key = "misalignment.pitch_deg"
//! distribution = "arcsine"
//! min = -4
//! max = 4
//!
//! [[vary]]
//! key = "closing.speed_m_per_s"
//! distribution = "normal"
//! mean = 0.08
//! std_dev = 0.01
//!
//! [base.target]
//! mass_kg = 800
//! ```

use crate::error::{Result, StudyError, file_error};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Name of the study.
    pub name: String,
    /// Seed of every random number.
    #[serde(default)]
    pub seed: u64,
    /// Number of runs; for a grid it follows from the levels and may be left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u64>,
    /// How the inputs are sampled.
    pub sampling: Sampling,
    /// File of the base scenario, relative to the study; not interpreted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<PathBuf>,
    /// Which time series are kept.
    #[serde(default)]
    pub keep: Keep,
    /// What varies.
    #[serde(default)]
    pub vary: Vec<Variation>,
    /// Correlations between continuous inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub correlate: Vec<Correlation>,
    /// Settings of the base scenario, on top of its file; not interpreted here.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub base: toml::Table,
}

/// How the inputs are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    /// Every combination of levels.
    Grid,
    /// One point in each of as many strata as there are runs, in every dimension.
    LatinHypercube,
    /// A scrambled Sobol' sequence.
    Sobol,
    /// Independent points.
    MonteCarlo,
    /// Saltelli's design for first-order and total Sobol' indices.
    Saltelli,
}

impl std::fmt::Display for Sampling {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Grid => "grid",
            Self::LatinHypercube => "latin_hypercube",
            Self::Sobol => "sobol",
            Self::MonteCarlo => "monte_carlo",
            Self::Saltelli => "saltelli",
        })
    }
}

/// An input that varies: a key of the scenario and its distribution.
///
/// Which of the numbers are needed depends on the distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variation {
    /// Dotted key of the scenario, with unit: `misalignment.pitch_deg`.
    pub key: String,
    /// Name of the distribution.
    pub distribution: Form,
    /// Lower end, in the unit of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Upper end, in the unit of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Mean, in the unit of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Standard deviation, in the unit of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub std_dev: Option<f64>,
    /// First level of a range, in the unit of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// Last level of a range, in the unit of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// Number of levels of a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Spacing of the levels of a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<Spacing>,
    /// Values of a choice: numbers, texts or truth values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<toml::Value>>,
    /// Weights of the values of a choice; equal when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f64>>,
}

/// Names of the distributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// `min`, `max`.
    Uniform,
    /// `mean`, `std_dev`.
    Normal,
    /// `mean`, `std_dev`, `min` or `max` or both.
    TruncatedNormal,
    /// `min`, `max`; weights the edges.
    Arcsine,
    /// `min`, `max`.
    LogUniform,
    /// `values`, optionally `weights`.
    Choice,
    /// `from`, `to`, `count`, optionally `spacing`.
    Range,
}

/// Spacing of the levels of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spacing {
    /// Equal differences.
    Linear,
    /// Equal ratios.
    Logarithmic,
}

/// A correlation of two continuous inputs, by a Gaussian copula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correlation {
    /// The two keys.
    pub keys: [String; 2],
    /// Correlation of the normal scores; of the inputs themselves when both are normal.
    pub coefficient: f64,
}

/// Which time series are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// The policy.
    #[serde(default)]
    pub series: KeepSeries,
    /// For the worst: the figure that ranks the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
    /// For the worst: how many runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// For the worst: which end of the figure is bad; the largest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
}

/// A policy of keeping time series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepSeries {
    /// None.
    #[default]
    None,
    /// Those of failed runs.
    Failures,
    /// Those of the runs with the worst values of a figure; suspect runs are not ranked.
    Worst,
    /// All.
    All,
}

/// Which end of a figure is bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The largest values are the worst.
    #[default]
    Largest,
    /// The smallest values are the worst.
    Smallest,
}

impl Study {
    /// Reads a study from text; `origin` names it in messages.
    pub fn parse(text: &str, origin: &str) -> Result<Self> {
        let study: Self = toml::from_str(text).map_err(|error| StudyError::Syntax {
            origin: origin.to_owned(),
            message: error.to_string().trim_end().to_owned(),
        })?;
        study.validate()?;
        Ok(study)
    }

    /// Reads a study from a file.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(file_error("read", path))?;
        Self::parse(&text, &path.display().to_string())
    }
}
