//! What an archive may hold: how much, how many, where.
//!
//! Everything is checked against the archive's own list before the first byte is unpacked, and the
//! list against what comes out: an entry never gives more bytes than it declares.

use super::ImportError;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use zip::ZipArchive;
use zip::read::ZipFile;

/// Limits of what an archive may unpack to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Sum of all entries [bytes].
    pub total_bytes: u64,
    /// One entry [bytes].
    pub entry_bytes: u64,
    /// Number of entries.
    pub entries: usize,
    /// Bytes unpacked per packed byte, of entries beyond [`Limits::FREE_OF_RATIO`].
    pub ratio: u64,
}

impl Limits {
    /// Entries up to this size may be packed as densely as they like [bytes].
    pub const FREE_OF_RATIO: u64 = 16 << 20;
    /// Largest model description, which is read into memory [bytes].
    pub const DESCRIPTION_BYTES: u64 = 256 << 20;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            total_bytes: 2 << 30,
            entry_bytes: 1 << 30,
            entries: 20_000,
            ratio: 200,
        }
    }
}

/// Why an archive is not unpacked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveProblem {
    /// It has too many entries.
    #[error("it has {entries} entries, more than the {limit} allowed")]
    TooManyEntries {
        /// How many it has.
        entries: usize,
        /// How many it may have.
        limit: usize,
    },
    /// An entry is too large.
    #[error("its entry {entry:?} unpacks to {bytes} bytes, more than the {limit} allowed")]
    EntryTooLarge {
        /// The entry.
        entry: String,
        /// Its size [bytes].
        bytes: u64,
        /// Its largest size [bytes].
        limit: u64,
    },
    /// All entries together are too large.
    #[error("it unpacks to more than the {limit} bytes allowed")]
    TooLarge {
        /// Its largest size [bytes].
        limit: u64,
    },
    /// An entry grows too much.
    #[error(
        "its entry {entry:?} unpacks from {packed} to {bytes} bytes, more than the {limit} times \
         allowed"
    )]
    TooDense {
        /// The entry.
        entry: String,
        /// Its packed size [bytes].
        packed: u64,
        /// Its size [bytes].
        bytes: u64,
        /// Largest ratio of the two.
        limit: u64,
    },
    /// An entry is larger than the archive's list says.
    #[error("its entry {entry:?} declares {declared} bytes and has more")]
    LongerThanDeclared {
        /// The entry.
        entry: String,
        /// What the list says [bytes].
        declared: u64,
    },
    /// An entry cannot be unpacked.
    #[error("its entry {entry:?} cannot be unpacked: {cause}")]
    Damaged {
        /// The entry.
        entry: String,
        /// Why.
        cause: String,
    },
    /// An entry would be written outside the folder.
    #[error("the name of its entry {entry:?} leads out of the folder")]
    LeadsOut {
        /// The entry.
        entry: String,
    },
    /// An entry is a symbolic link.
    #[error("its entry {entry:?} is a symbolic link")]
    Link {
        /// The entry.
        entry: String,
    },
    /// Two entries would be the same file.
    #[error("its entry {entry:?} is there twice")]
    Twice {
        /// The entry.
        entry: String,
    },
}

impl ArchiveProblem {
    pub(crate) fn of(self, path: &Path) -> ImportError {
        ImportError::Archive {
            path: path.to_owned(),
            problem: self,
        }
    }
}

/// Checks the list of an archive.
pub(crate) fn check<R: Read + Seek>(
    path: &Path,
    archive: &mut ZipArchive<R>,
    limits: &Limits,
) -> Result<(), ImportError> {
    let entries = archive.len();
    if entries > limits.entries {
        let limit = limits.entries;
        return Err(ArchiveProblem::TooManyEntries { entries, limit }.of(path));
    }
    let mut total: u64 = 0;
    for index in 0..entries {
        let entry = archive
            .by_index_raw(index)
            .map_err(|cause| ImportError::NotAnArchive {
                path: path.to_owned(),
                cause,
            })?;
        check_entry(&entry, limits).map_err(|problem| problem.of(path))?;
        total = total.saturating_add(entry.size());
    }
    if total > limits.total_bytes {
        let limit = limits.total_bytes;
        return Err(ArchiveProblem::TooLarge { limit }.of(path));
    }
    Ok(())
}

fn check_entry<R: Read>(entry: &ZipFile<'_, R>, limits: &Limits) -> Result<(), ArchiveProblem> {
    let named = || name_of(entry);
    if enclosed(entry).is_none() {
        return Err(ArchiveProblem::LeadsOut { entry: named() });
    }
    if entry.is_symlink() {
        return Err(ArchiveProblem::Link { entry: named() });
    }
    let (bytes, packed) = (entry.size(), entry.compressed_size());
    if bytes > limits.entry_bytes {
        return Err(ArchiveProblem::EntryTooLarge {
            entry: named(),
            bytes,
            limit: limits.entry_bytes,
        });
    }
    if bytes > Limits::FREE_OF_RATIO && bytes / limits.ratio > packed {
        return Err(ArchiveProblem::TooDense {
            entry: named(),
            packed,
            bytes,
            limit: limits.ratio,
        });
    }
    Ok(())
}

/// The name of an entry, for a message.
fn name_of<R: Read>(entry: &ZipFile<'_, R>) -> String {
    String::from_utf8_lossy(entry.name_raw()).into_owned()
}

/// The path of an entry below the folder; none if it would lead out of it, here or elsewhere.
pub(super) fn enclosed<R: Read>(entry: &ZipFile<'_, R>) -> Option<PathBuf> {
    let name = entry.name().ok()?;
    let drive = name.as_bytes().get(1) == Some(&b':');
    if drive || name.starts_with(['/', '\\']) || name.split(['/', '\\']).any(|part| part == "..") {
        return None;
    }
    entry.enclosed_name()
}

/// Unpacks an entry, and refuses one that has more bytes than it declares.
pub(crate) fn unpack_entry<R: Read>(
    path: &Path,
    entry: &mut ZipFile<'_, R>,
    out: &mut impl Write,
    failed: impl FnOnce(io::Error) -> ImportError,
) -> Result<(), ImportError> {
    let (declared, name) = (entry.size(), name_of(entry));
    let mut left = declared;
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = match entry.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let cause = error.to_string();
                return Err(ArchiveProblem::Damaged { entry: name, cause }.of(path));
            }
        };
        if count as u64 > left {
            return Err(ArchiveProblem::LongerThanDeclared {
                entry: name,
                declared,
            }
            .of(path));
        }
        left -= count as u64;
        if let Err(error) = out.write_all(&chunk[..count]) {
            return Err(failed(error));
        }
    }
}

/// Bytes unpacked at a time.
const CHUNK: usize = 1 << 16;

/// Reads an entry into memory.
pub(crate) fn read_entry<R: Read>(
    path: &Path,
    entry: &mut ZipFile<'_, R>,
) -> Result<Vec<u8>, ImportError> {
    let mut out = Vec::new();
    unpack_entry(path, entry, &mut out, |cause| ImportError::File {
        path: path.to_owned(),
        cause,
    })?;
    Ok(out)
}
