//! What of a journal cannot be read, and what that costs.

use std::fmt;
use std::path::PathBuf;

/// A part of a journal that cannot be read: its checksums do not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The journal.
    pub path: PathBuf,
    /// Where the part begins in it [bytes].
    pub offset: u64,
    /// Length of the part [bytes].
    pub bytes: u64,
    /// Whether the part is all zero, as after a crash of the file system.
    pub zeros: bool,
    /// Runs that were there and are nowhere else, as far as that can still be told.
    pub lost: Vec<u64>,
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.offset + self.bytes.max(1) - 1;
        let Self { path, offset, .. } = self;
        write!(formatter, "{}: ", path.display())?;
        match self.bytes {
            1 => write!(formatter, "byte {offset} cannot be read")?,
            bytes => write!(
                formatter,
                "bytes {offset} to {last} ({bytes}) cannot be read"
            )?,
        }
        if self.zeros {
            formatter.write_str(", they are zero")?;
        }
        match self.lost.as_slice() {
            [] => Ok(()),
            [run] => write!(formatter, "; run {run} is lost"),
            runs => {
                let runs: Vec<String> = runs.iter().map(u64::to_string).collect();
                write!(formatter, "; the runs {} are lost", runs.join(", "))
            }
        }
    }
}
