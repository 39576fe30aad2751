//! Append-only files of finished runs.
//!
//! ```text
//! file   = magic [8] · digest of the study [32] · checksum [u32] · record …
//! record = length of the row [u32] · checksum of length and row [u32] · row
//! ```
//!
//! A process killed while it writes leaves a torn record at the end at worst: its length or checksum
//! does not fit, and it is cut off when the file is opened for writing again.

use crate::error::{Result, StudyError, file_error};
use crate::store::atomic::sync_folder;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"SDSTUDY1";
const HEADER: usize = 44;

/// What reading a journal found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    /// Length of header and whole records.
    pub(crate) good: u64,
    /// Length of what follows.
    pub(crate) torn: u64,
}

fn header(digest: &[u8; 32]) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..40].copy_from_slice(digest);
    let checksum = crc32fast::hash(&bytes[..40]);
    bytes[40..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn checksum(length: [u8; 4], row: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&length);
    hasher.update(row);
    hasher.finalize()
}

/// Hands every whole record of a journal to `each`.
pub(crate) fn scan(
    path: &Path,
    digest: &[u8; 32],
    mut each: impl FnMut(&[u8]) -> Result<()>,
) -> Result<Scan> {
    let failed = || file_error("read", path);
    let file = File::open(path).map_err(failed())?;
    let total = file.metadata().map_err(failed())?.len();
    if total < HEADER as u64 {
        return Ok(Scan {
            good: 0,
            torn: total,
        });
    }
    let mut reader = BufReader::new(file);
    let mut found = [0; HEADER];
    reader.read_exact(&mut found).map_err(failed())?;
    check_header(path, &found, digest)?;
    let mut good = HEADER as u64;
    let mut row = Vec::new();
    // Another process may append while we read: what is behind `total` is left for later.
    while read_record(&mut reader, total - good, &mut row).map_err(failed())? {
        each(&row)?;
        good += 8 + row.len() as u64;
    }
    Ok(Scan {
        good,
        torn: total - good,
    })
}

/// Reads the next record of at most `rest` bytes; false when there is none, or a torn one.
fn read_record(reader: &mut impl Read, rest: u64, row: &mut Vec<u8>) -> std::io::Result<bool> {
    if rest < 8 {
        return Ok(false);
    }
    let mut length = [0; 4];
    let mut sum = [0; 4];
    let whole = (|| {
        reader.read_exact(&mut length)?;
        reader.read_exact(&mut sum)?;
        let size = u64::from(u32::from_le_bytes(length));
        if size > rest - 8 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        row.resize(size as usize, 0);
        reader.read_exact(row)
    })();
    match whole {
        // Also when its writer, out of space, cut the file while we read it.
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
        Ok(()) => Ok(u32::from_le_bytes(sum) == checksum(length, row)),
    }
}

fn check_header(path: &Path, found: &[u8; HEADER], digest: &[u8; 32]) -> Result<()> {
    let damaged = |detail: &str| {
        Err(StudyError::Damaged {
            path: path.to_path_buf(),
            detail: detail.to_owned(),
        })
    };
    if found[..8] != MAGIC {
        return damaged("it is not a journal of a study");
    }
    if found[40..] != crc32fast::hash(&found[..40]).to_le_bytes() {
        return damaged("the checksum of its header does not fit");
    }
    if found[8..40] != *digest {
        return damaged("it belongs to a study with another digest than its directory");
    }
    Ok(())
}

/// A journal open for writing.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
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
            length: good,
            dirty: false,
        };
        if good == 0 {
            journal.write(&header(digest))?;
            journal.sync()?;
            sync_folder(path)?;
        }
        Ok(journal)
    }

    /// Appends a row; `buffer` is scratch. Either the whole record is in the file or none of it.
    pub(crate) fn append(&mut self, row: &[u8], buffer: &mut Vec<u8>) -> Result<()> {
        let size = u32::try_from(row.len()).map_err(|_| StudyError::Damaged {
            path: self.path.clone(),
            detail: format!("a row of {} bytes does not fit", row.len()),
        })?;
        let length = size.to_le_bytes();
        buffer.clear();
        buffer.extend(length);
        buffer.extend(checksum(length, row).to_le_bytes());
        buffer.extend(row);
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
mod tests {
    use super::*;

    const DIGEST: [u8; 32] = [7; 32];

    fn rows(path: &Path) -> (Vec<Vec<u8>>, Scan) {
        let mut rows = Vec::new();
        let scan = scan(path, &DIGEST, |row| {
            rows.push(row.to_vec());
            Ok(())
        })
        .unwrap();
        (rows, scan)
    }

    fn folder(name: &str) -> PathBuf {
        let path =
            std::env::temp_dir().join(format!("softdock-journal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// Cut off after any byte of the last record, or of the header, a journal gives the records that
    /// are whole, and goes on from there.
    #[test]
    fn a_torn_tail_is_dropped_whatever_its_length() {
        let folder = folder("torn");
        let path = folder.join("j");
        let mut buffer = Vec::new();
        let mut journal = Journal::open(&path, &DIGEST, 0).unwrap();
        let written: Vec<Vec<u8>> = vec![b"first".to_vec(), Vec::new(), vec![9; 300]];
        for row in &written {
            journal.append(row, &mut buffer).unwrap();
        }
        journal.sync().unwrap();
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(
            rows(&path),
            (
                written.clone(),
                Scan {
                    good: whole.len() as u64,
                    torn: 0
                }
            )
        );
        let last = whole.len() - 308;
        for length in (0..=HEADER).chain(last..whole.len()) {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (found, scan) = rows(&path);
            let expected = if length >= last { &written[..2] } else { &[] };
            assert_eq!(found, expected, "{length} bytes");
            assert_eq!(scan.good + scan.torn, length as u64);
            let mut journal = Journal::open(&path, &DIGEST, scan.good).unwrap();
            for row in &written[found.len()..] {
                journal.append(row, &mut buffer).unwrap();
            }
            assert_eq!(std::fs::read(&path).unwrap(), whole, "{length} bytes");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_flipped_bit_in_the_last_record_drops_it() {
        let folder = folder("bits");
        let path = folder.join("j");
        let mut buffer = Vec::new();
        let mut journal = Journal::open(&path, &DIGEST, 0).unwrap();
        journal.append(b"first", &mut buffer).unwrap();
        journal.append(b"second", &mut buffer).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for byte in whole.len() - 14..whole.len() {
            for bit in 0..8 {
                let mut bad = whole.clone();
                bad[byte] ^= 1 << bit;
                std::fs::write(&path, &bad).unwrap();
                assert_eq!(rows(&path).0, [b"first".to_vec()], "byte {byte} bit {bit}");
            }
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn foreign_files_are_refused() {
        let folder = folder("foreign");
        let path = folder.join("j");
        Journal::open(&path, &[8; 32], 0).unwrap();
        let error = scan(&path, &DIGEST, |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("another digest"), "{error}");
        std::fs::write(&path, [1; 60]).unwrap();
        let error = scan(&path, &DIGEST, |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("not a journal"), "{error}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
