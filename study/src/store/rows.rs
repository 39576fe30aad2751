//! The finished runs of one block, gathered from its journals.

use super::damage::Damage;
use super::frame::{Expected, Gap};
use super::record::{Row, begins_like, result_of, run_of};
use super::{BLOCK, JournalFile, journal};
use crate::error::{Result, StudyError};
use crate::plan::Plan;
use std::path::{Path, PathBuf};

/// The finished runs of a block, in order, each once.
#[derive(Debug, Default)]
pub(crate) struct BlockRows {
    /// Runs and their encoded rows.
    pub(crate) rows: Vec<(u64, Vec<u8>)>,
    /// How many runs were there more than once, with the same result.
    pub(crate) duplicates: u64,
    /// Torn ends of journals [bytes].
    pub(crate) torn: u64,
    /// What cannot be read.
    pub(crate) damage: Vec<Damage>,
}

impl BlockRows {
    /// Reads a block.
    pub(crate) fn read(plan: &Plan, block: u64, files: &[JournalFile]) -> Result<Self> {
        let mut found: Vec<(u64, usize, Vec<u8>)> = Vec::new();
        let mut torn = 0;
        let mut damage = Vec::new();
        for (index, file) in files.iter().enumerate() {
            let member = Member::new(plan, block, &file.path);
            let scan = journal::scan(&file.path, &file.digest, &member, |row| {
                found.push((member.run_of(row)?, index, row.to_vec()));
                Ok(())
            })?;
            torn += scan.torn as u64;
            damage.extend(member.damage(&scan.gaps));
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
        // A run that is there a second time is not lost.
        for damage in &mut damage {
            damage
                .lost
                .retain(|run| rows.binary_search_by_key(run, |row| row.0).is_err());
        }
        Ok(Self {
            rows,
            duplicates,
            torn,
            damage,
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
        let member = Member::new(plan, block, &file.path);
        journal::scan(&file.path, &file.digest, &member, |row| {
            finished[(member.run_of(row)? % BLOCK) as usize] = true;
            Ok(())
        })?;
    }
    Ok(finished)
}

/// What the rows of a journal must be: rows of runs of one block of a plan.
pub(crate) struct Member<'a> {
    plan: &'a Plan,
    block: u64,
    path: &'a Path,
}

impl<'a> Member<'a> {
    /// Rows of a block; `path` is the journal, for messages.
    pub(crate) fn new(plan: &'a Plan, block: u64, path: &'a Path) -> Self {
        Self { plan, block, path }
    }

    fn in_block(&self, run: u64) -> bool {
        run < self.plan.runs() && run / BLOCK == self.block
    }

    /// The damage of the journal.
    pub(crate) fn damage(&self, gaps: &[Gap]) -> Vec<Damage> {
        let damage = |gap: &Gap| Damage {
            path: self.path.to_path_buf(),
            offset: gap.place.start as u64,
            bytes: gap.place.len() as u64,
            zeros: gap.zeros,
            lost: gap
                .runs
                .iter()
                .copied()
                .filter(|&run| self.in_block(run))
                .collect(),
        };
        gaps.iter().map(damage).collect()
    }
}

impl Expected for Member<'_> {
    fn belongs(&self, row: &[u8]) -> bool {
        // The run first: it refuses most of what is no row.
        run_of(row).is_some_and(|run| self.in_block(run))
            && begins_like(self.plan, row).is_some()
            && Row::decode(self.plan, row).is_some()
    }

    fn run_of_remains(&self, row: &[u8]) -> Option<u64> {
        begins_like(self.plan, row)
    }

    fn run_of(&self, row: &[u8]) -> Result<u64> {
        run_of(row)
            .filter(|&run| self.in_block(run))
            .ok_or_else(|| StudyError::Damaged {
                path: self.path.to_path_buf(),
                detail: format!(
                    "it holds a run that does not belong to block {}",
                    self.block
                ),
            })
    }
}
