//! The table of a study as a Parquet file: one row for each run.
//!
//! Columns: `run`, the inputs by their keys, the figures by their names, `weight` where points have
//! one, `status` (`ok` or `failed`), `error`. The file's metadata name the study, its seed, the version
//! of the program, the digests of study and settings, where the inputs are from, and hold the whole
//! plan, so that a table can be read without its directory. Equal rows give equal bytes.

mod read;
mod write;

pub use read::Table;
pub(crate) use write::TableWriter;

use crate::value::{Kind, Value};

/// Text of the `status` column for a run that gave figures.
pub const STATUS_OK: &str = "ok";

/// Text of the `status` column for a run that did not.
pub const STATUS_FAILED: &str = "failed";

/// Name of the column of weights, of points that were drawn from another distribution than that of the
/// inputs.
pub const WEIGHT: &str = "weight";

/// Keys of the metadata.
pub mod metadata {
    /// Name of the study.
    pub const STUDY: &str = "softdock.study";
    /// Seed.
    pub const SEED: &str = "softdock.seed";
    /// Version of the program.
    pub const VERSION: &str = "softdock.version";
    /// Digest of the plan.
    pub const DIGEST: &str = "softdock.study_digest";
    /// All versions of the program that made rows, one to a line; only where they differ.
    pub const VERSIONS: &str = "softdock.versions";
    /// Digest of the base scenario with all its settings.
    pub const SETTINGS_DIGEST: &str = "softdock.settings_digest";
    /// The inputs as TOML: key, distribution, its numbers, where it is from.
    pub const INPUTS: &str = "softdock.inputs";
    /// How the inputs were sampled.
    pub const SAMPLING: &str = "softdock.sampling";
    /// Number of runs of the study; a table of an unfinished study has fewer rows.
    pub const RUNS: &str = "softdock.runs";
    /// How many runs of the study the table lacks; only in the table of an unfinished study.
    pub const MISSING: &str = "softdock.missing";
    /// Which runs the table lacks, such as `3, 17 to 20`; only in the table of an unfinished study.
    pub const MISSING_RUNS: &str = "softdock.missing_runs";
    /// The plan, as in `study.toml`.
    pub const PLAN: &str = "softdock.plan";
}

/// Values of a column; a value may be missing.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Real numbers.
    Real(Vec<Option<f64>>),
    /// Integers.
    Integer(Vec<Option<i64>>),
    /// Truth values.
    Bool(Vec<Option<bool>>),
    /// Texts.
    Text(Vec<Option<String>>),
}

impl Column {
    /// An empty column.
    pub(crate) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Real => Self::Real(Vec::new()),
            Kind::Integer => Self::Integer(Vec::new()),
            Kind::Bool => Self::Bool(Vec::new()),
            Kind::Text => Self::Text(Vec::new()),
        }
    }

    /// Kind of the values.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Real(_) => Kind::Real,
            Self::Integer(_) => Kind::Integer,
            Self::Bool(_) => Kind::Bool,
            Self::Text(_) => Kind::Text,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Integer(values) => values.len(),
            Self::Bool(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a row.
    pub fn get(&self, row: usize) -> Option<Value> {
        match self {
            Self::Real(values) => values.get(row)?.map(Value::Real),
            Self::Integer(values) => values.get(row)?.map(Value::Integer),
            Self::Bool(values) => values.get(row)?.map(Value::Bool),
            Self::Text(values) => values.get(row)?.clone().map(Value::Text),
        }
    }

    /// The values as numbers, false and true as 0 and 1, missing ones as NaN; none for texts.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        if let Self::Text(_) = self {
            return None;
        }
        let number = |row| {
            self.get(row)
                .and_then(|value| value.number())
                .unwrap_or(f64::NAN)
        };
        Some((0..self.len()).map(number).collect())
    }

    /// Appends a value of the column's own kind; one of another kind counts as missing.
    pub(crate) fn push(&mut self, value: Option<&Value>) {
        match (self, value) {
            (Self::Real(values), Some(Value::Real(x))) => values.push(Some(*x)),
            (Self::Integer(values), Some(Value::Integer(n))) => values.push(Some(*n)),
            (Self::Bool(values), Some(Value::Bool(b))) => values.push(Some(*b)),
            (Self::Text(values), Some(Value::Text(text))) => values.push(Some(text.clone())),
            (Self::Real(values), _) => values.push(None),
            (Self::Integer(values), _) => values.push(None),
            (Self::Bool(values), _) => values.push(None),
            (Self::Text(values), _) => values.push(None),
        }
    }

    pub(crate) fn clear(&mut self) {
        match self {
            Self::Real(values) => values.clear(),
            Self::Integer(values) => values.clear(),
            Self::Bool(values) => values.clear(),
            Self::Text(values) => values.clear(),
        }
    }
}
