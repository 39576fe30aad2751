//! FMUs of foreign origin: how much they may unpack, how long they may think.

use crate::failure::BadInput;
use anyhow::Result;
use softdock_fmi::import::{ArchiveProblem, FmuArchive, ImportError, Limits};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of a megabyte.
const MEGABYTE: u64 = 1 << 20;

/// Where the help lists them.
const HEADING: &str = "Limits of foreign FMUs";

/// Default of the longest time inside one call [s].
const TIMEOUT: f64 = 60.0;

/// Limits of what an archive may unpack to.
#[derive(Debug, Clone, clap::Args)]
pub struct ArchiveArgs {
    /// Most that an FMU may unpack to [MiB]
    #[arg(long, value_name = "MB", hide_short_help = true, help_heading = HEADING,
          default_value_t = Limits::default().total_bytes / MEGABYTE,
          value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    max_unpacked_mb: u64,
    /// Most that one file in it may unpack to [MiB]
    #[arg(long, value_name = "MB", hide_short_help = true, help_heading = HEADING,
          default_value_t = Limits::default().entry_bytes / MEGABYTE,
          value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    max_entry_mb: u64,
    /// Most files in it
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = HEADING,
          default_value_t = Limits::default().entries as u64,
          value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    max_entries: u64,
    /// Most bytes per packed byte, of files above 16 MiB
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = HEADING,
          default_value_t = Limits::default().ratio,
          value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    max_ratio: u64,
}

impl ArchiveArgs {
    /// The limits.
    pub fn limits(&self) -> Limits {
        Limits {
            total_bytes: self.max_unpacked_mb * MEGABYTE,
            entry_bytes: self.max_entry_mb * MEGABYTE,
            entries: usize::try_from(self.max_entries).unwrap_or(usize::MAX),
            ratio: self.max_ratio,
        }
    }
}

/// Limits of FMUs that are loaded.
#[derive(Debug, Clone, clap::Args)]
pub struct ForeignArgs {
    /// Longest time inside one call of an FMU [s]; `inf` for no limit
    #[arg(long, value_name = "S", default_value_t = TIMEOUT, value_parser = seconds, help_heading = HEADING,
          allow_negative_numbers = true)]
    timeout: f64,
    #[command(flatten)]
    archive: ArchiveArgs,
}

fn seconds(text: &str) -> Result<f64, String> {
    let value: Result<f64, _> = text.trim().parse();
    value
        .ok()
        .filter(|value| *value > 0.0)
        .ok_or_else(|| "it must be a number of seconds > 0, or `inf`".to_owned())
}

impl ForeignArgs {
    /// Unpacks and loads an FMU: from here on foreign code runs in this process.
    pub fn open(&self, path: &Path) -> Result<FmuArchive> {
        FmuArchive::open_within(path, &self.archive.limits()).map_err(with_option)
    }

    /// Loading of this file, as something to be supervised.
    pub fn code(&self, file: &Path) -> ForeignCode {
        ForeignCode {
            file: file.to_owned(),
            // Beyond what a duration can be there is no limit.
            limit: Duration::try_from_secs_f64(self.timeout).unwrap_or(Duration::MAX),
        }
    }
}

/// Foreign code that a command will load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignCode {
    /// The FMU.
    pub file: PathBuf,
    /// Longest time inside one of its calls.
    pub limit: Duration,
}

impl ForeignCode {
    /// This one or that of another file: which of them misbehaves cannot be told.
    pub fn or(mut self, other: &Path) -> Self {
        self.file.as_mut_os_string().push(" or ");
        self.file.as_mut_os_string().push(other);
        self
    }
}

/// An error with the option that allows more, where there is one.
fn with_option(error: ImportError) -> anyhow::Error {
    let ImportError::Archive { problem, .. } = &error else {
        return error.into();
    };
    let option = match problem {
        ArchiveProblem::TooManyEntries { .. } => "--max-entries",
        ArchiveProblem::EntryTooLarge { .. } => "--max-entry-mb",
        ArchiveProblem::TooLarge { .. } => "--max-unpacked-mb",
        ArchiveProblem::TooDense { .. } => "--max-ratio",
        _ => return error.into(),
    };
    BadInput::new(format!("{error} ({option} allows more)")).into()
}
