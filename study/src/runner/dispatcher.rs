//! Which run is next.

use crate::error::Result;
use crate::plan::Plan;
use crate::shard::Shard;
use crate::store::{BLOCK, Directory, JournalFiles, rows};

/// Hands out the runs of a shard in order, without those that are finished. Knows one block at a
/// time.
pub(super) struct Dispatcher {
    directory: Directory,
    files: JournalFiles,
    shard: Shard,
    next: u64,
    finished: Vec<bool>,
}

impl Dispatcher {
    pub(super) fn new(directory: Directory, shard: Shard) -> Result<Self> {
        let files = directory.journal_files()?;
        Ok(Self {
            directory,
            files,
            shard,
            next: shard.index(),
            finished: Vec::new(),
        })
    }

    pub(super) fn next(&mut self, plan: &Plan) -> Result<Option<u64>> {
        while self.next < plan.runs() {
            let (run, block) = (self.next, self.next / BLOCK);
            let enters = self.finished.is_empty() || run % BLOCK < self.shard.count();
            if enters {
                let files = self.files.get(&block).map_or(&[][..], Vec::as_slice);
                self.finished = rows::finished(self.directory.plan(), block, files)?;
            }
            self.next += self.shard.count();
            if !self.finished[(run % BLOCK) as usize] {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }
}
