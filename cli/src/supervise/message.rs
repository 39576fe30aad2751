//! What a supervised process tells its parent, one line each.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// A call that may take long begins.
    Call(String),
    /// A sign of life: the oldest call that has not returned, with its number.
    Inside(u64, String),
    /// A sign of life, outside of foreign code.
    Outside,
    /// Rows of a table are kept here until the run ends.
    Rows(PathBuf),
    /// The work is done and the process ends by itself, with this exit status.
    Finished(u8),
}

impl Message {
    /// The message as a line.
    pub fn line(&self) -> Vec<u8> {
        // Only a path that is no text cannot be written; its rows are then not mentioned.
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }

    /// The message of a line; foreign code may write others.
    pub fn parse(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}
