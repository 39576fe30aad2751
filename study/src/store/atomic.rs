//! Files that are there whole or not at all.

use crate::error::{Result, file_error};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// End of the names of files that are being written.
const UNFINISHED: &str = "unfinished";

/// Writes a file under a temporary name and renames it when it is on the disk. `tag` keeps writers
/// of the same file apart.
pub(crate) fn write(
    path: &Path,
    tag: &str,
    fill: impl FnOnce(&File, &Path) -> Result<()>,
) -> Result<()> {
    let temporary = temporary(path, tag);
    let done = File::create(&temporary)
        .map_err(file_error("create", &temporary))
        .and_then(|file| {
            fill(&file, &temporary)?;
            file.sync_all().map_err(file_error("write", &temporary))
        })
        .and_then(|()| fs::rename(&temporary, path).map_err(file_error("rename to", path)));
    if done.is_err() {
        // Nothing half-written stays behind; a disk that is full gets its space back.
        let _ = fs::remove_file(&temporary);
    }
    done?;
    sync_folder(path)
}

/// Removes what writers with this tag left behind in a folder when they were killed.
pub(crate) fn remove_unfinished(folder: &Path, tag: &str) -> Result<()> {
    let end = format!(".{tag}.{UNFINISHED}");
    for entry in fs::read_dir(folder).map_err(file_error("list", folder))? {
        let path = entry.map_err(file_error("list", folder))?.path();
        if path.to_string_lossy().ends_with(&end) {
            fs::remove_file(&path).map_err(file_error("remove", &path))?;
        }
    }
    Ok(())
}

/// Waits until the name of a file is on the disk.
pub(crate) fn sync_folder(path: &Path) -> Result<()> {
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // Only Unix lets a folder be opened and synchronised; elsewhere renaming has to suffice.
    if cfg!(unix) {
        let file = File::open(folder).map_err(file_error("open", folder))?;
        file.sync_all().map_err(file_error("write", folder))?;
    }
    Ok(())
}

fn temporary(path: &Path, tag: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{tag}.{UNFINISHED}"))
}
