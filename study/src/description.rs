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
use crate::value::Kind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
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
    /// Independent scrambles of a Sobol' sequence, from which intervals follow; run i is of scramble
    /// i mod this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scrambles: Option<u32>,
    /// Runs of one Latin hypercube; a study is made of as many independent ones as its runs fill. 0
    /// makes one of the whole study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<u32>,
    /// File of the base scenario, relative to the study; not interpreted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<PathBuf>,
    /// Which time series are kept.
    #[serde(default)]
    pub keep: Keep,
    /// What varies.
    #[serde(default)]
    pub vary: Vec<Variation>,
    /// Inputs that are limited together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<Joint>,
    /// Correlations between continuous inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub correlate: Vec<Correlation>,
    /// Settings of the base scenario, on top of its file; not interpreted here.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub base: toml::Table,
    /// Figures as formulas of the inputs: a run then evaluates them and simulates nothing. For trying
    /// samplings and statistics on functions with known answers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub formula: BTreeMap<String, String>,
    /// Whether all runs are made in full, or all by a cheap model and a few in full.
    #[serde(default, skip_serializing_if = "Fidelity::is_full")]
    pub fidelity: Fidelity,
    /// The cheap model, for `fidelity = "screen"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<Screen>,
    /// Points from elsewhere, for `sampling = "design"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design: Option<DesignRows>,
}

/// How the runs of a study are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fidelity {
    /// Every run in full.
    #[default]
    Full,
    /// Every run by a cheap model, the first ones and the worst in full as well.
    Screen,
}

impl Fidelity {
    fn is_full(&self) -> bool {
        *self == Self::Full
    }
}

/// The cheap model of a screened study. It may be wrong by any amount: that costs width, not truth.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Screen {
    /// Settings of the cheap runs on top of the base scenario; not interpreted here. Keys may be
    /// dotted.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub set: toml::Table,
    /// Formulas of the cheap runs, for a study of formulas; the others stay.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub formula: BTreeMap<String, String>,
    /// How many runs are made in full, from the first on; a fortieth of them, at least 100, when left
    /// out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full: Option<u64>,
    /// How many of the worst cheap runs are confirmed in full; ten when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<u32>,
}

impl Screen {
    /// Runs in full of a study with so many.
    pub fn full_runs(&self, runs: u64) -> u64 {
        self.full.unwrap_or((runs / 40).max(100)).min(runs)
    }

    /// Runs that are confirmed.
    pub fn worst_runs(&self) -> usize {
        self.worst.map_or(10, |count| count as usize)
    }
}

/// Points that were made elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignRows {
    /// Where they are from, for people.
    pub origin: String,
    /// A row for each run, with a value for each `vary`, in order.
    pub rows: Vec<Vec<toml::Value>>,
    /// Weight of each row: the density of the inputs over that which the points were drawn from. They
    /// stand in the table, in a column of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<f64>,
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
    /// A radial design for elementary effects: which inputs matter at all.
    Morris,
    /// Points that were made elsewhere.
    Design,
}

impl std::fmt::Display for Sampling {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Grid => "grid",
            Self::LatinHypercube => "latin_hypercube",
            Self::Sobol => "sobol",
            Self::MonteCarlo => "monte_carlo",
            Self::Saltelli => "saltelli",
            Self::Morris => "morris",
            Self::Design => "design",
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
    /// Most likely value of a triangular distribution, in the unit of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<f64>,
    /// Scale of a Weibull distribution, in the unit of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Shape of a Weibull distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<f64>,
    /// First exponent of a beta distribution: (x − min)^(alpha − 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Second exponent of a beta distribution: (max − x)^(beta − 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// Kind of the values of a design that was made elsewhere; real when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Where the distribution is from, for people: a standard, a test report, a guess.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl Variation {
    /// A variation of a key with none of its numbers.
    pub fn new(key: &str, distribution: Form) -> Self {
        Self {
            key: key.to_owned(),
            distribution,
            min: None,
            max: None,
            mean: None,
            std_dev: None,
            from: None,
            to: None,
            count: None,
            spacing: None,
            values: None,
            weights: None,
            mode: None,
            scale: None,
            shape: None,
            alpha: None,
            beta: None,
            kind: None,
            source: None,
        }
    }
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
    #[serde(alias = "discrete")]
    Choice,
    /// `from`, `to`, `count`, optionally `spacing`.
    Range,
    /// `mean` and `std_dev` of the quantity itself, which is positive.
    Lognormal,
    /// `min`, `mode`, `max`.
    Triangular,
    /// `min`, `max`, `alpha`, `beta`.
    Beta,
    /// `scale`, `shape`, optionally `min`, from which on it counts.
    Weibull,
    /// `values` that were measured: linear between them.
    Tabulated,
    /// One of several inputs of a `[[joint]]` limit.
    Joint,
    /// The values of a design that was made elsewhere.
    Listed,
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

/// Inputs that are limited together, such as an offset whose length has a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// The keys: two for a disc or circle, three for a ball or sphere. Their `distribution` is "joint".
    pub keys: Vec<String>,
    /// What they fill.
    pub shape: JointShape,
    /// Its radius, in the unit of the keys.
    pub radius: f64,
}

/// What inputs that are limited together fill, evenly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointShape {
    /// Two inputs: everything up to the radius.
    Disc,
    /// Two inputs: the edge of the disc.
    Circle,
    /// Three inputs: everything up to the radius.
    Ball,
    /// Three inputs: the surface of the ball.
    Sphere,
}

impl JointShape {
    /// How many inputs it takes.
    pub(crate) fn dimensions(self) -> usize {
        match self {
            Self::Disc | Self::Circle => 2,
            Self::Ball | Self::Sphere => 3,
        }
    }
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

impl Sampling {
    /// Scrambles of a new study that does not say how many: enough for an interval, few enough to
    /// leave each sequence long.
    const SCRAMBLES: u32 = 16;
    /// Runs of a Latin hypercube of a new study that does not say how many: enough strata to take
    /// nearly all of the effect of single inputs out of an estimate's error.
    const BLOCK: u32 = 32;
}

impl Study {
    /// The study with the choices that a new one makes where it leaves them open. Studies of earlier
    /// versions had one scramble and one Latin hypercube.
    pub(crate) fn with_choices(mut self) -> Self {
        match self.sampling {
            Sampling::Sobol | Sampling::Saltelli => {
                self.scrambles = self.scrambles.or(Some(Sampling::SCRAMBLES));
            }
            Sampling::LatinHypercube => self.block = self.block.or(Some(Sampling::BLOCK)),
            Sampling::Grid | Sampling::MonteCarlo | Sampling::Morris | Sampling::Design => {}
        }
        self
    }

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
