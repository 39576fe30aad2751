//! Append-only files of finished runs; `frame` says what their bytes mean.
//!
//! A process killed while it writes leaves the beginning of a record at the end at worst, which is cut
//! off when the file is opened for writing again. Damage anywhere else costs the records it touches
//! and no other. A damaged file is put aside under another name before its readable records are
//! written to a new one.

use super::frame::{self, Expected, Format, Scan};
use crate::error::{Result, StudyError, file_error};
use crate::store::atomic::{self, sync_folder};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reads a journal and hands every whole row to `each`.
pub(crate) fn scan(
    path: &Path,
    digest: &[u8; 32],
    expected: &impl Expected,
    each: impl FnMut(&[u8]) -> Result<()>,
) -> Result<Scan> {
    // A journal holds one block of runs at most. Another process may append while we read: what is
    // not there yet looks like a torn record.
    let bytes = fs::read(path).map_err(file_error("read", path))?;
    frame::scan(&bytes, digest, expected, each)?.map_err(|frame::OtherStudy| StudyError::Damaged {
        path: path.to_path_buf(),
        detail: "it belongs to a study with another digest than its directory".to_owned(),
    })
}

/// Makes a journal fit to be appended to: one that is damaged is put aside, and what can be read of
/// it, as of one in the older format, is written anew. `tag` keeps writers apart.
pub(crate) fn restore(
    path: &Path,
    digest: &[u8; 32],
    expected: &impl Expected,
    tag: &str,
) -> Result<()> {
    let mut fresh = frame::header(digest).to_vec();
    let mut record = Vec::new();
    let found = scan(path, digest, expected, |row| {
        let run = expected.run_of(row)?;
        encode(path, digest, run, row, &mut record)?;
        fresh.extend_from_slice(&record);
        Ok(())
    })?;
    if found.gaps.is_empty() && found.format == Format::Framed {
        return Ok(());
    }
    if !found.gaps.is_empty() {
        let aside = free_name(path);
        atomic::write(&aside, tag, |mut file, name| {
            let bytes = fs::read(path).map_err(file_error("read", path))?;
            file.write_all(&bytes).map_err(file_error("write", name))
        })?;
    }
    atomic::write(path, tag, |mut file, name| {
        file.write_all(&fresh).map_err(file_error("write", name))
    })
}

/// A name beside `path` that is not taken, for a damaged journal.
fn free_name(path: &Path) -> PathBuf {
    let name = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{number}"));
        PathBuf::from(name)
    };
    let mut number = 1;
    while name(number).exists() {
        number += 1;
    }
    name(number)
}

fn encode(
    path: &Path,
    digest: &[u8; 32],
    run: u64,
    row: &[u8],
    record: &mut Vec<u8>,
) -> Result<()> {
    frame::encode(digest, run, row, record).ok_or_else(|| StudyError::Damaged {
        path: path.to_path_buf(),
        detail: format!("a row of {} bytes does not fit", row.len()),
    })
}

/// A journal open for writing.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    digest: [u8; 32],
    length: u64,
    dirty: bool,
}

impl Journal {
    /// Opens or makes a journal. What is behind `good` in an existing one is cut off.
    pub(crate) fn open(path: &Path, digest: &[u8; 32], good: u64) -> Result<Self> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(file_error("open", path))?;
        file.set_len(good).map_err(file_error("cut", path))?;
        let mut journal = Self {
            file,
            path: path.to_path_buf(),
            digest: *digest,
            length: good,
            dirty: false,
        };
        if good == 0 {
            journal.write(&frame::header(digest))?;
            journal.sync()?;
            sync_folder(path)?;
        }
        Ok(journal)
    }

    /// Appends the row of a run; `buffer` is scratch. Either the whole record is in the file or none
    /// of it.
    pub(crate) fn append(&mut self, run: u64, row: &[u8], buffer: &mut Vec<u8>) -> Result<()> {
        encode(&self.path, &self.digest, run, row, buffer)?;
        self.write(buffer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if let Err(error) = self.file.write_all(bytes) {
            // If this fails too, the next opening finds a torn record and cuts it off.
            let _ = self.file.set_len(self.length);
            return Err(file_error("write", &self.path)(error));
        }
        self.length += bytes.len() as u64;
        self.dirty = true;
        Ok(())
    }

    /// Waits until everything is on the disk.
    pub(crate) fn sync(&mut self) -> Result<()> {
        if self.dirty {
            self.file
                .sync_data()
                .map_err(file_error("write", &self.path))?;
            self.dirty = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
