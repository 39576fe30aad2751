//! Storing finished runs, one after the other.
//!
//! The order of the steps makes every moment safe to be killed at: a series is on the disk before
//! the row that vouches for it is appended, and a series that is pushed out is removed after the row
//! that pushes it.

use super::journal::{self, Journal};
use super::lock::Lock;
use super::record::Row;
use super::series::{self, Keeper};
use super::{BLOCK, Directory, atomic, rows};
use crate::error::{Result, StudyError};
use crate::plan::Plan;
use crate::shard::Shard;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Journals kept open at a time: runs of neighbouring blocks finish side by side.
const OPEN_JOURNALS: usize = 3;

/// Stores the runs of one shard.
#[derive(Debug)]
pub(crate) struct Writer {
    directory: Directory,
    shard: Shard,
    tag: String,
    journals: BTreeMap<u64, Journal>,
    keeper: Keeper,
    sync_interval: Duration,
    last_sync: Instant,
    row_bytes: Vec<u8>,
    record_bytes: Vec<u8>,
    /// Finished runs of the shard.
    pub(crate) finished: u64,
    /// Failed ones among them.
    pub(crate) failed: u64,
    _lock: Lock,
}

impl Writer {
    /// Opens a directory for writing a shard, and puts it in order after whatever happened to the
    /// process that wrote it last.
    pub(crate) fn open(
        path: &Path,
        plan: &Plan,
        shard: Shard,
        resume: bool,
        sync_interval: Duration,
    ) -> Result<Self> {
        let tag = shard.label();
        let directory = Directory::open_or_create(path, plan, &tag)?;
        let lock = Lock::take(path, shard)?;
        let mut writer = Self {
            directory,
            shard,
            tag,
            journals: BTreeMap::new(),
            keeper: Keeper::new(plan),
            sync_interval,
            last_sync: Instant::now(),
            row_bytes: Vec::new(),
            record_bytes: Vec::new(),
            finished: 0,
            failed: 0,
            _lock: lock,
        };
        writer.take_stock()?;
        if writer.finished > 0 && !resume {
            return Err(StudyError::AlreadyStarted {
                path: path.to_path_buf(),
                shard: shard.to_string(),
                rows: writer.finished,
            });
        }
        writer.clean_up()?;
        Ok(writer)
    }

    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    pub(crate) fn keeper(&self) -> &Keeper {
        &self.keeper
    }

    /// Counts what is finished, from the journals of every shard, and fills the keeper.
    fn take_stock(&mut self) -> Result<()> {
        let plan = self.directory.plan();
        for (block, files) in self.directory.journal_files()? {
            let found = rows::BlockRows::read(plan, block, &files)?;
            for row in found.decoded(plan) {
                let row = row?;
                if self.shard.contains(row.run) {
                    self.finished += 1;
                    self.failed += u64::from(row.outcome.is_err());
                    self.keeper.insert(&row);
                }
            }
        }
        Ok(())
    }

    /// Cuts off torn ends and removes files that a killed process left behind.
    fn clean_up(&self) -> Result<()> {
        let digest = self.directory.plan().digest_bytes();
        for (_, files) in self.directory.journal_files()? {
            for file in files.iter().filter(|file| file.shard == self.shard) {
                let scan = journal::scan(&file.path, digest, |_| Ok(()))?;
                if scan.torn > 0 {
                    Journal::open(&file.path, digest, scan.good)?.sync()?;
                }
            }
        }
        let series = self.directory.path().join("series");
        atomic::remove_unfinished(self.directory.path(), &self.tag)?;
        atomic::remove_unfinished(&series, &self.tag)?;
        series::clean(&series, &self.keeper, |run| self.shard.contains(run))
    }

    /// Stores a finished run and its series, if that is kept.
    pub(crate) fn store(&mut self, row: &Row, series: Option<&[u8]>) -> Result<()> {
        if let Some(bytes) = series
            && self.keeper.admits(row)
        {
            series::write(&self.directory.series_path(row.run), &self.tag, bytes)?;
        }
        let mut bytes = std::mem::take(&mut self.row_bytes);
        bytes.clear();
        row.encode(&mut bytes);
        let appended = self.append(row.run / BLOCK, &bytes);
        self.row_bytes = bytes;
        appended?;
        if let Some(run) = self.keeper.insert(row) {
            series::remove(&self.directory.series_path(run))?;
        }
        self.finished += 1;
        self.failed += u64::from(row.outcome.is_err());
        if self.last_sync.elapsed() >= self.sync_interval {
            self.sync()?;
        }
        Ok(())
    }

    fn append(&mut self, block: u64, row: &[u8]) -> Result<()> {
        if let Some(journal) = self.journals.get_mut(&block) {
            return journal.append(row, &mut self.record_bytes);
        }
        if self.journals.len() >= OPEN_JOURNALS
            && let Some((_, mut oldest)) = self.journals.pop_first()
        {
            oldest.sync()?;
        }
        let mut journal = self.open_journal(block)?;
        let appended = journal.append(row, &mut self.record_bytes);
        self.journals.insert(block, journal);
        appended
    }

    fn open_journal(&self, block: u64) -> Result<Journal> {
        let path = self.directory.journal_path(block, self.shard);
        let digest = self.directory.plan().digest_bytes();
        let good = if path.exists() {
            journal::scan(&path, digest, |_| Ok(()))?.good
        } else {
            0
        };
        Journal::open(&path, digest, good)
    }

    /// Waits until everything is on the disk.
    pub(crate) fn sync(&mut self) -> Result<()> {
        for journal in self.journals.values_mut() {
            journal.sync()?;
        }
        self.last_sync = Instant::now();
        Ok(())
    }
}
