//! Several directories of one study made into one.

use crate::error::{Result, StudyError, file_error};
use crate::finish::write_table;
use crate::plan::Plan;
use crate::shard::Shard;
use crate::status::{Status, Stock, Versions, gather_from, read_block};
use crate::store::journal::Journal;
use crate::store::series::{self, Keeper};
use crate::store::{BLOCK, Directory, JournalFiles, atomic};
use std::fs;
use std::path::Path;

/// Whether a merge may lack runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// Every run of the study must be there.
    Whole,
    /// Runs may be missing; the metadata of the table names them.
    Partial,
}

/// Merges directories of one study into a new one, which holds every finished run, the series that
/// are kept, and the table of what is finished. Runs that are there twice must agree bit by bit. Unless
/// a partial study is asked for, a missing or unreadable run is an error that says which.
///
/// Runs of different versions of the program are refused, unless `versions` allows them; the plan and
/// the table of the new directory then name all of them.
///
/// The new directory is one like any other: it can be resumed if runs are missing.
pub fn merge(
    directories: &[Directory],
    out: &Path,
    completeness: Completeness,
    versions: Versions,
) -> Result<Status> {
    let (plan, files) = gather_from(directories, versions)?;
    let made_by = directories.iter().flat_map(|d| d.plan().versions());
    let plan = &plan.with_versions(&made_by.map(str::to_owned).collect())?;
    if out.exists()
        && fs::read_dir(out)
            .map_err(file_error("list", out))?
            .next()
            .is_some()
    {
        return Err(StudyError::File {
            action: "merge into",
            path: out.to_path_buf(),
            cause: std::io::Error::new(std::io::ErrorKind::AlreadyExists, "it is not empty"),
        });
    }
    // Under another name until everything is there: a merge that is killed leaves no directory that
    // looks complete.
    let name = out
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let unfinished = out.with_file_name(format!(".{name}.unfinished"));
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(file_error("remove", &unfinished))?;
    }
    let merged = merge_into(directories, plan, &files, &unfinished, completeness);
    if merged.is_err() {
        // The error at hand says more than one of cleaning up after it.
        let _ = fs::remove_dir_all(&unfinished);
    }
    let status = merged?;
    if out.exists() {
        fs::remove_dir(out).map_err(file_error("replace", out))?;
    }
    fs::rename(&unfinished, out).map_err(file_error("rename to", out))?;
    atomic::sync_folder(out)?;
    Ok(status)
}

fn merge_into(
    directories: &[Directory],
    plan: &Plan,
    files: &JournalFiles,
    path: &Path,
    completeness: Completeness,
) -> Result<Status> {
    let target = Directory::open_or_create(path, plan, "merge")?;
    let mut keeper = Keeper::new(plan);
    let mut stock = Stock::new(plan);
    let mut buffer = Vec::new();
    for block in 0..plan.runs().div_ceil(BLOCK) {
        let rows = read_block(plan, files, block)?;
        stock.add(plan, block, &rows)?;
        if rows.rows.is_empty() {
            continue;
        }
        for row in rows.decoded(plan) {
            keeper.insert(&row?);
        }
        let path = target.journal_path(block, Shard::WHOLE);
        let mut journal = Journal::open(&path, plan.digest_bytes(), 0)?;
        for (run, row) in &rows.rows {
            journal.append(*run, row, &mut buffer)?;
        }
        journal.sync()?;
    }
    let status = stock.finish();
    if completeness == Completeness::Whole && status.missing_count() > 0 {
        return Err(StudyError::Incomplete {
            runs: status.runs,
            missing: status.missing_count(),
            which: status.missing_text(),
            damage: status.damage_text(),
        });
    }
    copy_series(directories, &target, &keeper)?;
    write_table(&target, &target.table_path(), "merge")?;
    Ok(status)
}

/// Copies the series that are kept when all directories are taken together.
fn copy_series(directories: &[Directory], target: &Directory, keeper: &Keeper) -> Result<()> {
    for directory in directories {
        let folder = directory.path().join("series");
        if !folder.exists() {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(file_error("list", &folder))? {
            let path = entry.map_err(file_error("list", &folder))?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let kept = match (series::run_of_file(&name), keeper) {
                (Some(run), Keeper::Worst { worst, .. }) => worst.contains(run),
                (run, _) => run.is_some(),
            };
            if kept {
                let to = target.path().join("series").join(&name);
                fs::copy(&path, &to).map_err(file_error("copy to", &to))?;
            }
        }
    }
    Ok(())
}
