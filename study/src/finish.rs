//! From journals to the table.

use crate::error::{Result, file_error};
use crate::store::rows::{self, BlockRows};
use crate::store::{BLOCK, Directory, atomic};
use crate::table::TableWriter;

/// Writes the table of a directory from its journals; rows are those that are finished.
pub(crate) fn write_table(directory: &Directory, tag: &str) -> Result<()> {
    let plan = directory.plan();
    let files = directory.journal_files()?;
    atomic::write(&directory.table_path(), tag, |file, name| {
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
