//! What can go wrong in a study, with the evidence.

use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong in a study.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// A file is not TOML, or has keys that nobody knows.
    #[error("{origin}: {message}")]
    Syntax {
        /// The file, or what stands for it.
        origin: String,
        /// What the reader says, with line and column.
        message: String,
    },
    /// A setting is outside what is allowed.
    #[error("{key} = {value}: {allowed}")]
    Setting {
        /// Key of the setting.
        key: String,
        /// The value found.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// A file could not be used.
    #[error("cannot {action} {}: {cause}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// No space is left.
    #[error(
        "no space left to {action} {}: {cause}; every finished run is kept, free some space and \
         resume",
        path.display()
    )]
    DiskFull {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// The directory already holds results and resuming was not asked for.
    #[error(
        "{} already holds {rows} finished runs of shard {shard}: resume it or choose another \
         directory",
        path.display()
    )]
    AlreadyStarted {
        /// The directory.
        path: PathBuf,
        /// The shard asked for.
        shard: String,
        /// Finished runs of that shard.
        rows: u64,
    },
    /// The directory holds no study.
    #[error(
        "{} holds no study (there is no study.toml): name the folder that `softdock batch run` was \
         given with --out",
        path.display()
    )]
    NoStudy {
        /// The directory.
        path: PathBuf,
    },
    /// The directory belongs to another study.
    #[error(
        "{} belongs to another study: its digest is {found}, this study has {expected}; \
         different: {differences}",
        path.display()
    )]
    OtherStudy {
        /// The directory or file.
        path: PathBuf,
        /// Digest of the study found there.
        found: String,
        /// Digest of the study at hand.
        expected: String,
        /// The keys that differ.
        differences: String,
    },
    /// A file of a study directory is not what was written.
    #[error("{} is damaged: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// Another process writes the same shard.
    #[error("shard {shard} of {} is being written by {holder}", path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
        /// The shard.
        shard: String,
        /// Who holds the lock.
        holder: String,
    },
    /// Two directories hold different results for one run.
    #[error("run {run} has two different results, one of them in {}", path.display())]
    Conflict {
        /// The run.
        run: u64,
        /// A directory that holds one of the results.
        path: PathBuf,
    },
    /// Runs are missing where all of them are asked for.
    #[error("{missing} of {runs} runs are missing: {which}{damage}")]
    Incomplete {
        /// Runs of the study.
        runs: u64,
        /// How many are missing.
        missing: u64,
        /// Which.
        which: String,
        /// What cannot be read, each part behind a line break; may be empty.
        damage: String,
    },
    /// A job offers other figures than the study was planned with.
    #[error("the job offers the figures [{offered}], the study was planned with [{planned}]")]
    FiguresChanged {
        /// Figures of the job.
        offered: String,
        /// Figures of the plan.
        planned: String,
    },
    /// The worker threads could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// The cause.
        reason: String,
    },
    /// A table could not be written or read.
    #[error("{}: {reason}", path.display())]
    Table {
        /// The table.
        path: PathBuf,
        /// The cause.
        reason: String,
    },
    /// A table has no such column, or one of another kind.
    #[error("no {wanted} column named {name}; there are: {available}")]
    Column {
        /// Name asked for.
        name: String,
        /// Kind asked for.
        wanted: &'static str,
        /// Columns of that kind.
        available: String,
    },
    /// There is too little to compute a statistic from.
    #[error("{statistic} needs at least {needed} {what}, there are {found}")]
    TooFew {
        /// The statistic.
        statistic: &'static str,
        /// What is counted.
        what: &'static str,
        /// How many are needed.
        needed: u64,
        /// How many there are.
        found: u64,
    },
}

/// What the functions of this crate return.
pub type Result<T> = std::result::Result<T, StudyError>;

/// Turns an error of the operating system into one that names file and action.
pub(crate) fn file_error<'a>(
    action: &'static str,
    path: &'a Path,
) -> impl FnOnce(io::Error) -> StudyError + 'a {
    move |cause| {
        let path = path.to_path_buf();
        match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StudyError::DiskFull {
                action,
                path,
                cause,
            },
            _ => StudyError::File {
                action,
                path,
                cause,
            },
        }
    }
}

/// A setting outside what is allowed.
pub(crate) fn setting(
    key: impl Into<String>,
    value: impl ToString,
    allowed: impl Into<String>,
) -> StudyError {
    StudyError::Setting {
        key: key.into(),
        value: value.to_string(),
        allowed: allowed.into(),
    }
}
