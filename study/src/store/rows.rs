//! The finished runs of one block, gathered from its journals.

use super::record::{Row, result_of, run_of};
use super::{BLOCK, JournalFile, journal};
use crate::error::{Result, StudyError};
use crate::plan::Plan;
use std::path::PathBuf;

/// The finished runs of a block, in order, each once.
#[derive(Debug, Default)]
pub(crate) struct BlockRows {
    /// Runs and their encoded rows.
    pub(crate) rows: Vec<(u64, Vec<u8>)>,
    /// How many runs were there more than once, with the same result.
    pub(crate) duplicates: u64,
    /// Torn ends of journals [bytes].
    pub(crate) torn: u64,
}

impl BlockRows {
    /// Reads a block.
    pub(crate) fn read(plan: &Plan, block: u64, files: &[JournalFile]) -> Result<Self> {
        let mut found: Vec<(u64, usize, Vec<u8>)> = Vec::new();
        let mut torn = 0;
        for (index, file) in files.iter().enumerate() {
            torn += journal::scan(&file.path, plan.digest_bytes(), |row| {
                let run = checked_run(plan, block, row, file)?;
                found.push((run, index, row.to_vec()));
                Ok(())
            })?
            .torn;
        }
        found.sort_by_key(|&(run, index, _)| (run, index));
        let mut rows: Vec<(u64, Vec<u8>)> = Vec::with_capacity(found.len());
        let (mut duplicates, mut last_duplicate) = (0, None);
        for (run, index, row) in found {
            match rows.last() {
                Some((last, known)) if *last == run => {
                    if result_of(known) != result_of(&row) {
                        let path = files[index].path.clone();
                        return Err(StudyError::Conflict { run, path });
                    }
                    if last_duplicate != Some(run) {
                        duplicates += 1;
                        last_duplicate = Some(run);
                    }
                }
                _ => rows.push((run, row)),
            }
        }
        Ok(Self {
            rows,
            duplicates,
            torn,
        })
    }

    /// The rows, read one after the other.
    pub(crate) fn decoded<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = Result<Row>> + 'a {
        self.rows.iter().map(|(run, bytes)| {
            Row::decode(plan, bytes).ok_or_else(|| StudyError::Damaged {
                path: PathBuf::from("rows"),
                detail: format!("the row of run {run} does not fit the study"),
            })
        })
    }
}

/// Which runs of a block are finished.
pub(crate) fn finished(plan: &Plan, block: u64, files: &[JournalFile]) -> Result<Vec<bool>> {
    let mut finished = vec![false; BLOCK as usize];
    for file in files {
        journal::scan(&file.path, plan.digest_bytes(), |row| {
            let run = checked_run(plan, block, row, file)?;
            finished[(run % BLOCK) as usize] = true;
            Ok(())
        })?;
    }
    Ok(finished)
}

fn checked_run(plan: &Plan, block: u64, row: &[u8], file: &JournalFile) -> Result<u64> {
    run_of(row)
        .filter(|run| *run < plan.runs() && run / BLOCK == block)
        .ok_or_else(|| StudyError::Damaged {
            path: file.path.clone(),
            detail: format!("it holds a run that does not belong to block {block}"),
        })
}
