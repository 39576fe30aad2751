//! How far a study is.

use crate::error::{Result, StudyError};
use crate::missing::{self, Missing};
use crate::plan::Plan;
use crate::store::damage::Damage;
use crate::store::rows::BlockRows;
use crate::store::{BLOCK, Directory, JournalFile, JournalFiles};
use std::collections::VecDeque;

/// What a directory, or several together, holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// Runs of the study.
    pub runs: u64,
    /// Finished runs, the failed ones included.
    pub finished: u64,
    /// Failed runs.
    pub failed: u64,
    /// Missing runs, as ranges of first and last; at most [`Status::LISTED`] ranges.
    pub missing: Vec<(u64, u64)>,
    /// How many runs are there more than once, with the same result.
    pub duplicates: u64,
    /// Torn ends of journals, which do not count [bytes].
    pub torn_bytes: u64,
    /// Parts of journals that cannot be read, in order; at most [`Status::LISTED`].
    pub damage: Vec<Damage>,
    /// All that cannot be read [bytes], torn ends left out.
    pub damaged_bytes: u64,
    /// Mean time of a run [s]; wall clock.
    pub mean_run_s: f64,
    /// Runs finished per second lately; wall clock.
    pub recent_rate_per_s: f64,
}

impl Status {
    /// Most ranges of missing runs, and most damaged parts, that are listed.
    pub const LISTED: usize = Missing::LISTED;

    /// Most ranges and damaged parts that a text names.
    const NAMED: usize = 8;

    /// How many runs are missing.
    pub fn missing_count(&self) -> u64 {
        self.runs - self.finished
    }

    /// Whether something that cannot be read may be the reason why runs are missing.
    pub fn has_lost_runs(&self) -> bool {
        self.damaged_bytes > 0 && self.missing_count() > 0
    }

    /// The runs that are missing, in words; the first few ranges.
    pub fn missing_text(&self) -> String {
        missing::text(&self.missing, Self::NAMED)
    }

    /// What cannot be read, each part behind a line break; the first few parts.
    pub fn damage_text(&self) -> String {
        let shown = self.damage.iter().take(Self::NAMED);
        let mut text: String = shown.map(|damage| format!("\n  {damage}")).collect();
        if self.damage.len() > Self::NAMED {
            text += &format!("\n  and more, {} bytes in all", self.damaged_bytes);
        }
        text
    }
}

/// Finds out how far a study is; the directories must belong to one study.
pub fn status(directories: &[Directory]) -> Result<Status> {
    let (plan, files) = gather(directories)?;
    let mut stock = Stock::new(plan);
    for block in 0..plan.runs().div_ceil(BLOCK) {
        let rows = read_block(plan, &files, block)?;
        stock.add(plan, block, &rows)?;
    }
    Ok(stock.finish())
}

/// The common plan of the directories, and all their journals.
pub(crate) fn gather(directories: &[Directory]) -> Result<(&Plan, JournalFiles)> {
    gather_from(directories, Versions::Same)
}

/// Whether runs of different versions of the program go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versions {
    /// All must be of one version.
    Same,
    /// They may differ; the table names them.
    Any,
}

/// The same; plans that differ in the version alone may be taken for one.
pub(crate) fn gather_from(
    directories: &[Directory],
    versions: Versions,
) -> Result<(&Plan, JournalFiles)> {
    let Some(first) = directories.first() else {
        return Err(StudyError::TooFew {
            statistic: "a study",
            what: "directories",
            needed: 1,
            found: 0,
        });
    };
    let mut files = JournalFiles::new();
    for directory in directories {
        let plan = directory.plan();
        if versions == Versions::Same || plan.version() == first.plan().version() {
            plan.require_same(first.plan(), directory.path())?;
        } else {
            let alike = plan.with_version(first.plan().version())?;
            alike.require_same(first.plan(), directory.path())?;
        }
        for (block, list) in directory.journal_files()? {
            files.entry(block).or_default().extend(list);
        }
    }
    Ok((first.plan(), files))
}

pub(crate) fn read_block(plan: &Plan, files: &JournalFiles, block: u64) -> Result<BlockRows> {
    let files: &[JournalFile] = files.get(&block).map_or(&[], Vec::as_slice);
    BlockRows::read(plan, block, files)
}

/// Counts what is there.
pub(crate) struct Stock {
    status: Status,
    missing: Missing,
    elapsed_s: f64,
    /// The latest times of finishing [ms], ascending.
    latest: VecDeque<u64>,
}

impl Stock {
    /// How many of the latest runs give the rate.
    const LATEST: usize = 64;

    pub(crate) fn new(plan: &Plan) -> Self {
        let status = Status {
            runs: plan.runs(),
            finished: 0,
            failed: 0,
            missing: Vec::new(),
            duplicates: 0,
            torn_bytes: 0,
            damage: Vec::new(),
            damaged_bytes: 0,
            mean_run_s: 0.0,
            recent_rate_per_s: 0.0,
        };
        Self {
            status,
            missing: Missing::default(),
            elapsed_s: 0.0,
            latest: VecDeque::new(),
        }
    }

    /// Counts a block; blocks come in order.
    pub(crate) fn add(&mut self, plan: &Plan, block: u64, rows: &BlockRows) -> Result<()> {
        for &(run, _) in &rows.rows {
            self.missing.seen(run);
        }
        self.missing.until(plan.runs().min((block + 1) * BLOCK));
        for row in rows.decoded(plan) {
            let row = row?;
            self.status.finished += 1;
            self.status.failed += u64::from(row.outcome.is_err());
            self.elapsed_s += row.elapsed_s;
            let place = self
                .latest
                .partition_point(|&time| time < row.finished_unix_ms);
            self.latest.insert(place, row.finished_unix_ms);
            if self.latest.len() > Self::LATEST {
                self.latest.pop_front();
            }
        }
        self.status.duplicates += rows.duplicates;
        self.status.torn_bytes += rows.torn;
        self.status.damaged_bytes += rows.damage.iter().map(|part| part.bytes).sum::<u64>();
        let room = Status::LISTED - self.status.damage.len();
        self.status
            .damage
            .extend(rows.damage.iter().take(room).cloned());
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Status {
        self.status.missing = self.missing.ranges;
        if self.status.finished > 0 {
            self.status.mean_run_s = self.elapsed_s / self.status.finished as f64;
        }
        if let (Some(&first), Some(&last)) = (self.latest.front(), self.latest.back())
            && last > first
        {
            let span_s = (last - first) as f64 / 1000.0;
            self.status.recent_rate_per_s = (self.latest.len() - 1) as f64 / span_s;
        }
        self.status
    }
}
