//! FMUs of any origin, loaded into this process: co-simulation, FMI 2.0 and 3.0.
//!
//! ```no_run
//! use softdock_fmi::import::{FmuArchive, Options};
//!
//! let fmu = FmuArchive::open("LegSpatial.fmu".as_ref())?;
//! let force = fmu.references(&["tip.force[1]", "tip.force[2]", "tip.force[3]"])?;
//! let mut leg = fmu.instantiate("leg 1", &Options::default())?;
//! leg.initialize(0.0, None)?;
//! let mut values = [0.0; 3];
//! for k in 0..1000 {
//!     leg.do_step(f64::from(k) / 1000.0, 1e-3)?;
//!     leg.get_real(&force, &mut values)?;
//! }
//! # Ok::<(), softdock_fmi::import::ImportError>(())
//! ```
//!
//! Opening an FMU runs foreign code in this process: it can do whatever the process may do, and can
//! bring it down or hang. A program that must outlive it opens FMUs in a child process; calls can be
//! watched for that ([`set_watcher`]).
//!
//! Instances share the library of their archive, which stays loaded and unpacked as long as one of
//! them lives. An instance can be sent to another thread; several can be used at once.

mod archive;
mod error;
mod folder;
mod instance;
mod library;
pub(crate) mod limits;
mod log;
mod names;
mod states;
mod values;
mod version3;
mod watch;

pub use archive::{Contents, FmuArchive};
pub(crate) use archive::{open_file, read_description};
pub use error::ImportError;
pub use folder::{remove_abandoned, remove_unpacked};
pub use instance::{FmuInstance, Options, SavedState};
pub use limits::{ArchiveProblem, Limits};
pub use log::LogLine;
pub use names::file_name;
pub use watch::{Call, Watcher, set_watcher};
