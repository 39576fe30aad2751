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
    /// How many runs of the shard were looked at.
    next: u64,
    size: u64,
    block: Option<u64>,
    /// Which runs of the block are finished.
    finished: Vec<bool>,
}

impl Dispatcher {
    pub(super) fn new(directory: Directory, shard: Shard) -> Result<Self> {
        let files = directory.journal_files()?;
        Ok(Self {
            size: directory.plan().shard_size(shard),
            directory,
            files,
            shard,
            next: 0,
            block: None,
            finished: Vec::new(),
        })
    }

    pub(super) fn next(&mut self, plan: &Plan) -> Result<Option<u64>> {
        while self.next < self.size {
            let run = plan.shard_run(self.shard, self.next);
            let block = run / BLOCK;
            if self.block != Some(block) {
                self.block = Some(block);
                let files = self.files.get(&block).map_or(&[][..], Vec::as_slice);
                self.finished = rows::finished(self.directory.plan(), block, files)?;
            }
            self.next += 1;
            if !self.finished[(run % BLOCK) as usize] {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }
}
