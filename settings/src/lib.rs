//! Tables of settings: name, unit, range, default and meaning of every key, stated once.
//!
//! [`table!`] declares a part of a configuration. From its rows come the structure with its
//! documentation, its default, its reading and writing by `serde`, the check of its ranges, and the
//! list of [`Parameter`]s from which files, arguments, messages, the JSON schema and the variables
//! of FMUs are made. A parameter is added by adding a row.

mod parameter;
mod table;
mod value;

pub use parameter::{ConfigError, Kind, Parameter, Range, check, plain};
pub use table::{Table, narrow};
pub use value::{Setting, TableEntry, Words};

/// What the macros of this crate expand to.
#[doc(hidden)]
pub use serde;
