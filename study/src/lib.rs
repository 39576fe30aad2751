//! wip
pub mod description;
pub mod error;
pub mod sampling;
pub mod scenario;
pub mod validate;
pub mod value;
pub use error::{Result, StudyError};
pub use validate::MAX_RUNS;
pub mod plan;
