//! The directory of a study.
//!
//! ```text
//! study.toml                                 the plan: study, scenario, figures, version, digest
//! rows/block-000000-shard-0-of-1.journal     finished runs, appended as they finish
//! series/run-0000000012.csv                  time series that are kept
//! results.parquet                            the table, written when every run is finished
//! shard-0-of-1.lock                          says who writes a shard
//! ```
//!
//! Journals hold [`BLOCK`] runs each (of the study, not of the shard), so that no step ever needs
//! more than one block in memory, whatever the number of runs. Several shards may share a directory.

pub(crate) mod atomic;
pub mod damage;
pub(crate) mod frame;
pub(crate) mod journal;
mod lock;
pub mod record;
pub(crate) mod rows;
pub(crate) mod series;
pub(crate) mod writer;

use crate::error::{Result, StudyError, file_error};
use crate::plan::Plan;
use crate::shard::Shard;
use record::Row;
use rows::BlockRows;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Runs in a journal, and in a row group of the table.
pub const BLOCK: u64 = 2048;

/// A directory that holds a study.
#[derive(Debug, Clone)]
pub struct Directory {
    path: PathBuf,
    plan: Plan,
}

/// A journal by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JournalFile {
    pub(crate) path: PathBuf,
    pub(crate) shard: Shard,
    /// The digest that stands in it.
    pub(crate) digest: [u8; 32],
}

/// Journals by block.
pub(crate) type JournalFiles = BTreeMap<u64, Vec<JournalFile>>;

impl Directory {
    /// Opens a directory that holds a study.
    pub fn open(path: &Path) -> Result<Self> {
        let file = manifest_path(path);
        if !file.exists() {
            return Err(StudyError::NoStudy {
                path: path.to_path_buf(),
            });
        }
        Ok(Self {
            path: path.to_path_buf(),
            plan: Plan::load(&file)?,
        })
    }

    /// Opens the directory of a plan, or makes it. One that holds another study is refused. `tag`
    /// keeps processes apart that make the same directory.
    pub(crate) fn open_or_create(path: &Path, plan: &Plan, tag: &str) -> Result<Self> {
        fs::create_dir_all(path).map_err(file_error("create", path))?;
        let file = manifest_path(path);
        if file.exists() {
            let directory = Self::open(path)?;
            directory.plan.require_same(plan, path)?;
        } else {
            let text = plan.text()?;
            atomic::write(&file, tag, |mut out, name| {
                std::io::Write::write_all(&mut out, text.as_bytes())
                    .map_err(file_error("write", name))
            })?;
        }
        for folder in [path.join("rows"), path.join("series")] {
            fs::create_dir_all(&folder).map_err(file_error("create", &folder))?;
        }
        Ok(Self {
            path: path.to_path_buf(),
            plan: plan.clone(),
        })
    }

    /// Makes the study of a directory one of more runs; those that are finished stay. The table of the
    /// fewer runs is removed.
    pub fn extend(&mut self, runs: u64) -> Result<()> {
        let plan = self.plan.extended(runs)?;
        if plan.runs() == self.plan.runs() {
            return Ok(());
        }
        // The table first: one that lacks runs would look complete.
        let table = self.table_path();
        if table.exists() {
            fs::remove_file(&table).map_err(file_error("remove", &table))?;
        }
        let text = plan.text()?;
        atomic::write(&manifest_path(&self.path), "extend", |mut out, name| {
            std::io::Write::write_all(&mut out, text.as_bytes()).map_err(file_error("write", name))
        })?;
        self.plan = plan;
        Ok(())
    }

    /// Where the directory is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The plan of the study.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Where the table is, once every run is finished.
    pub fn table_path(&self) -> PathBuf {
        self.path.join("results.parquet")
    }

    /// Where the time series of a run is, if it is kept.
    pub fn series_path(&self, run: u64) -> PathBuf {
        self.path.join("series").join(series::file_name(run))
    }

    /// The runs whose time series are kept, in order.
    pub fn kept_runs(&self) -> Result<Vec<u64>> {
        let folder = self.path.join("series");
        if !folder.exists() {
            return Ok(Vec::new());
        }
        let mut runs = Vec::new();
        for entry in fs::read_dir(&folder).map_err(file_error("list", &folder))? {
            let name = entry.map_err(file_error("list", &folder))?.file_name();
            runs.extend(series::run_of_file(&name.to_string_lossy()));
        }
        runs.sort_unstable();
        Ok(runs)
    }

    /// Hands every finished run to `each`, in order.
    pub fn for_each_row(&self, mut each: impl FnMut(&Row) -> Result<()>) -> Result<()> {
        for (block, files) in self.journal_files()? {
            let rows = BlockRows::read(&self.plan, block, &files)?;
            for row in rows.decoded(&self.plan) {
                each(&row?)?;
            }
        }
        Ok(())
    }

    pub(crate) fn journal_path(&self, block: u64, shard: Shard) -> PathBuf {
        self.path
            .join("rows")
            .join(format!("block-{block:06}-{}.journal", shard.label()))
    }

    /// The journals that are there, in a fixed order.
    pub(crate) fn journal_files(&self) -> Result<JournalFiles> {
        let folder = self.path.join("rows");
        let mut files = JournalFiles::new();
        if !folder.exists() {
            return Ok(files);
        }
        for entry in fs::read_dir(&folder).map_err(file_error("list", &folder))? {
            let path = entry.map_err(file_error("list", &folder))?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let parts = name
                .strip_prefix("block-")
                .and_then(|rest| rest.strip_suffix(".journal"))
                .and_then(|rest| rest.split_once('-'));
            if let Some((block, label)) = parts
                && let (Ok(block), Some(shard)) = (block.parse(), Shard::from_label(label))
            {
                files.entry(block).or_default().push(JournalFile {
                    path,
                    shard,
                    digest: *self.plan.digest_bytes(),
                });
            }
        }
        for list in files.values_mut() {
            list.sort_by_key(|file| (file.shard.count(), file.shard.index()));
        }
        Ok(files)
    }
}

fn manifest_path(directory: &Path) -> PathBuf {
    directory.join("study.toml")
}
