//! Storing finished runs, one after the other.
//!
//! The order of the steps makes every moment safe to be killed at: a series is on the disk before
//! the row that vouches for it is appended, and a series that is pushed out is removed after the row
//! that pushes it.

use super::damage::Damage;
use super::journal::{self, Journal};
use super::lock::Lock;
use super::record::Row;
use super::rows::Member;
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
    /// What could not be read of the journals when they were opened, those of other shards included.
    pub(crate) damage: Vec<Damage>,
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
            damage: Vec::new(),
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
            let mut found = rows::BlockRows::read(plan, block, &files)?;
            self.damage.append(&mut found.damage);
            for row in found.decoded(plan) {
                let row = row?;
                if plan.shard_contains(self.shard, row.run) {
                    self.finished += 1;
                    self.failed += u64::from(row.outcome.is_err());
                    self.keeper.insert(&row);
                }
            }
        }
        Ok(())
    }

    /// Cuts off torn ends, writes damaged journals anew and removes files that a killed process left
    /// behind. Journals of other shards are theirs to put in order.
    fn clean_up(&self) -> Result<()> {
        let plan = self.directory.plan();
        let digest = plan.digest_bytes();
        for (block, files) in self.directory.journal_files()? {
            for file in files.iter().filter(|file| file.shard == self.shard) {
                let member = Member::new(plan, block, &file.path);
                let scan = journal::scan(&file.path, digest, &member, |_| Ok(()))?;
                if !scan.gaps.is_empty() {
                    journal::restore(&file.path, digest, &member, &self.tag)?;
                } else if scan.torn > 0 {
                    Journal::open(&file.path, digest, scan.good as u64)?.sync()?;
                }
            }
        }
        let own = self.directory.path();
        let series = own.join("series");
        for folder in [own, &series, &own.join("rows")] {
            atomic::remove_unfinished(folder, &self.tag)?;
        }
        series::clean(&series, &self.keeper, |run| {
            plan.shard_contains(self.shard, run)
        })
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
        let appended = self.append(row.run, &bytes);
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

    fn append(&mut self, run: u64, row: &[u8]) -> Result<()> {
        let block = run / BLOCK;
        if let Some(journal) = self.journals.get_mut(&block) {
            return journal.append(run, row, &mut self.record_bytes);
        }
        if self.journals.len() >= OPEN_JOURNALS
            && let Some((_, mut oldest)) = self.journals.pop_first()
        {
            oldest.sync()?;
        }
        let mut journal = self.open_journal(block)?;
        let appended = journal.append(run, row, &mut self.record_bytes);
        self.journals.insert(block, journal);
        appended
    }

    fn open_journal(&self, block: u64) -> Result<Journal> {
        let path = self.directory.journal_path(block, self.shard);
        let plan = self.directory.plan();
        let digest = plan.digest_bytes();
        if !path.exists() {
            return Journal::open(&path, digest, 0);
        }
        let member = Member::new(plan, block, &path);
        journal::restore(&path, digest, &member, &self.tag)?;
        let scan = journal::scan(&path, digest, &member, |_| Ok(()))?;
        Journal::open(&path, digest, scan.good as u64)
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
