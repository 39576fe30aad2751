//! From journals to the table.

use crate::error::{Result, file_error};
use crate::store::rows::{self, BlockRows};
use crate::store::{BLOCK, Directory, atomic};
use crate::table::TableWriter;
use std::path::Path;

/// Writes a table of the runs that are finished in a directory, for a look at a study under way.
/// When every run is finished, it is the table of the study.
pub fn export_table(directory: &Directory, path: &Path) -> Result<()> {
    write_table(directory, path, "export")
}

/// Writes a table of the runs that are finished, from the journals.
pub(crate) fn write_table(directory: &Directory, path: &Path, tag: &str) -> Result<()> {
    let plan = directory.plan();
    let files = directory.journal_files()?;
    atomic::write(path, tag, |file, name| {
        let file = file.try_clone().map_err(file_error("write", name))?;
        let mut table = TableWriter::new(plan, file, name)?;
        for (&block, files) in &files {
            table.write_block(&BlockRows::read(plan, block, files)?)?;
        }
        table.finish()
    })
}

/// Whether every run is finished in a directory.
pub(crate) fn is_complete(directory: &Directory) -> Result<bool> {
    let plan = directory.plan();
    let files = directory.journal_files()?;
    for block in 0..plan.runs().div_ceil(BLOCK) {
        let Some(files) = files.get(&block) else {
            return Ok(false);
        };
        let expected = (plan.runs() - block * BLOCK).min(BLOCK);
        let finished = rows::finished(plan, block, files)?;
        if (finished.iter().filter(|done| **done).count() as u64) < expected {
            return Ok(false);
        }
    }
    Ok(true)
}
