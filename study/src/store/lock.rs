//! One process writes one shard.
//!
//! The lock is the operating system's, on a file that also says who holds it. It ends with the
//! process, however that ends: a file left behind by a killed process is not a lock.

use crate::error::{Result, StudyError, file_error};
use crate::shard::Shard;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// Held while a shard is written.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a shard of a directory.
    pub(crate) fn take(directory: &Path, shard: Shard) -> Result<Self> {
        let path = directory.join(format!("{}.lock", shard.label()));
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(file_error("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The lock is held either way; who holds it is only for the message.
                let _ = file.read_to_string(&mut holder);
                let holder = match holder.trim() {
                    "" => "another process".to_owned(),
                    holder => holder.to_owned(),
                };
                let (path, shard) = (directory.to_path_buf(), shard.to_string());
                return Err(StudyError::Locked {
                    path,
                    shard,
                    holder,
                });
            }
            Err(TryLockError::Error(error)) => return Err(file_error("lock", &path)(error)),
        }
        let holder = format!("process {} on {}\n", std::process::id(), host_name());
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(holder.as_bytes()))
            .map_err(file_error("write", &path))?;
        Ok(Self { file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file would release it too; the file itself stays, since removing it could
        // part two processes that are about to take the lock.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "this machine".to_owned(),
        name => name.to_owned(),
    }
}
