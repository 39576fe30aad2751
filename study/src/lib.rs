//! Batch studies: many runs of one scenario with varied inputs.
//!
//! This crate samples the inputs, divides the runs among threads and shards, stores every finished
//! run so that nothing is lost when a process is killed, merges shards into one table and computes
//! statistics. It knows nothing of mechanics: what a run does is behind the trait [`Job`].
//!
//! ```
//! use softdock_study::{Case, FigureSpec, Job, Kind, Outcome, Plan, RunOptions, Study, Value};
//!
//! struct Square([FigureSpec; 1]);
//!
//! impl Job for Square {
//!     type Scratch = ();
//!     fn figures(&self) -> &[FigureSpec] {
//!         &self.0
//!     }
//!     fn scratch(&self) {}
//!     fn run(&self, case: &Case<'_>, _: &mut ()) -> Outcome {
//!         match case.inputs[0].number() {
//!             Some(x) => Outcome::ok(vec![Some(Value::Real(x * x))]),
//!             None => Outcome::failed("the input is not a number"),
//!         }
//!     }
//! }
//!
//! let text = "name = \"squares\"\nruns = 8\nsampling = \"latin_hypercube\"\n\
//!             [[vary]]\nkey = \"x_m\"\ndistribution = \"uniform\"\nmin = 0\nmax = 1\n";
//! let job = Square([FigureSpec::new("area_m2", Kind::Real)]);
//! let study = Study::parse(text, "squares.toml")?;
//! let plan = Plan::new(study, toml::Table::new(), job.figures(), "1.0.0")?;
//! let directory = std::env::temp_dir().join(format!("squares-{}", std::process::id()));
//! let summary = softdock_study::run(&plan, &job, &directory, &RunOptions::default(), &|_| {})?;
//! assert_eq!(summary.finished_now, 8);
//! # std::fs::remove_dir_all(directory).ok();
//! # Ok::<(), softdock_study::StudyError>(())
//! ```
//!
//! Invariants:
//!
//! - The inputs of a run follow from the study and the number of the run alone.
//! - The table follows from the plan and the program alone: threads, shards, order, interruptions
//!   and machines leave no trace in its bytes.
//! - Running, resuming and merging need memory for one block of runs, whatever their number.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

pub mod boundary;
pub mod description;
pub mod error;
mod finish;
pub mod formula;
mod merge;
mod missing;
pub mod pbs;
mod plan;
pub mod ranking;
pub mod rare;
mod runner;
pub mod sampling;
pub mod scenario;
mod shard;
pub mod slurm;
pub mod statistics;
mod status;
pub mod store;
pub mod table;
mod validate;
mod value;

pub use description::Study;
pub use error::{Result, StudyError};
pub use finish::export_table;
pub use merge::{Completeness, merge};
pub use plan::{ColumnSpec, Plan};
pub use runner::{
    Case, Job, Outcome, Progress, RunOptions, RunSummary, most_threads, run, run_one,
};
pub use shard::Shard;
pub use status::{Status, Versions, status};
pub use store::Directory;
pub use store::damage::Damage;
pub use table::Table;
pub use validate::MAX_RUNS;
pub use value::{FigureSpec, Kind, SOUND, SOUNDNESS, Value};
