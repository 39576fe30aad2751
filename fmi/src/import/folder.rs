//! Folders for what is unpacked, of which none stays behind.
//!
//! A folder goes when nobody needs it any more. A process that is killed cannot see to that, and
//! statics are not dropped at the end of a program: so every folder holds a file that its process
//! keeps locked, and the first folder of a process removes those whose lock nobody holds.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// How the names of the folders begin.
const PREFIX: &str = "softdock-fmu-";
/// The file whose lock says that somebody needs the folder.
const LOCK: &str = "in-use.lock";

/// Folders of this process.
static PRESENT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn present() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PRESENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes whatever this process has unpacked and not removed yet: for the moment before
/// [`std::process::exit`], which drops nothing. Loaded FMUs must not be used afterwards.
pub fn remove_unpacked() {
    for path in std::mem::take(&mut *present()) {
        remove(&path);
    }
}

/// Removes what processes that have gone left unpacked: for a program whose child has been brought
/// down by an FMU.
pub fn remove_abandoned() {
    // The first folder of a process does it, but perhaps not the last.
    if let Ok(own) = Folder::new() {
        remove_abandoned_in(&std::env::temp_dir(), own.path());
    }
}

/// A folder that is removed when nobody needs it any more.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// None where files cannot be locked.
    lock: Option<File>,
}

impl Folder {
    /// A new folder among the temporary files, which only its owner can write to.
    pub(super) fn new() -> io::Result<Self> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        static FIRST: Once = Once::new();
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |time| time.subsec_nanos());
        let parent = std::env::temp_dir();
        loop {
            let count = COUNTER.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{PREFIX}{}-{count}-{now:x}", std::process::id()));
            match private_folder(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            if let Some(lock) = occupy(&path) {
                present().insert(path.clone());
                let folder = Self { path, lock };
                FIRST.call_once(|| remove_abandoned_in(&parent, &folder.path));
                return Ok(folder);
            }
        }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        present().remove(&self.path);
        // Some systems remove no file that is open.
        self.lock = None;
        remove(&self.path);
    }
}

/// What cannot be removed now stays for the system's own cleaning.
fn remove(path: &Path) {
    let _ = fs::remove_dir_all(path);
}

/// Makes a folder that only its owner can write to: it will hold a library to be loaded.
fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Locks the file of a new folder, if files can be locked there. None if another process has just
/// found the folder without its lock, and removed it.
fn occupy(path: &Path) -> Option<Option<File>> {
    let name = path.join(LOCK);
    let Ok(lock) = File::create(&name) else {
        return path.exists().then_some(None);
    };
    if lock.lock().is_err() {
        // Without the file nobody believes that the folder has been left behind.
        let _ = fs::remove_file(&name);
        return Some(None);
    }
    name.exists().then_some(Some(lock))
}

/// Removes folders whose process has gone, as far as they belong to the owner of `own`.
fn remove_abandoned_in(parent: &Path, own: &Path) {
    let (Ok(entries), Ok(mine)) = (fs::read_dir(parent), fs::symlink_metadata(own)) else {
        return;
    };
    for entry in entries.flatten() {
        let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        // Of the entry itself: links are not followed.
        let theirs = entry.metadata();
        if named && theirs.is_ok_and(|it| it.is_dir() && same_owner(&it, &mine)) {
            remove_if_abandoned(&entry.path());
        }
    }
}

fn remove_if_abandoned(path: &Path) {
    let Ok(lock) = File::open(path.join(LOCK)) else {
        return;
    };
    // The lock is held until the folder is gone: see `occupy`.
    if lock.try_lock().is_ok() {
        remove(path);
    }
}

#[cfg(unix)]
fn same_owner(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    one.uid() == other.uid()
}

/// Elsewhere temporary files are each user's own.
#[cfg(not(unix))]
fn same_owner(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_its_process_is_removed_and_no_other() {
        let used = Folder::new().unwrap();
        let parent = used.path().join("tmp");
        let make = |name: &str, locked: bool| {
            let path = parent.join(name);
            fs::create_dir_all(path.join("binaries")).unwrap();
            if locked {
                File::create(path.join(LOCK)).unwrap();
            }
            path
        };
        // As a killed process leaves it.
        let abandoned = make("softdock-fmu-1-0-0", true);
        // Just made, or of another kind.
        let without = make("softdock-fmu-1-1-0", false);
        let other = make("something-else", true);
        let busy = make("softdock-fmu-1-2-0", true);
        let lock = File::open(busy.join(LOCK)).unwrap();
        lock.lock().unwrap();
        remove_abandoned_in(&parent, used.path());
        assert!(!abandoned.exists());
        assert!(without.exists() && other.exists() && busy.exists());
        let path = used.path().to_owned();
        remove_abandoned_in(path.parent().unwrap(), &path);
        assert!(path.exists());
        drop(used);
        assert!(!path.exists());
    }
}
