//! What became of a docking.

use crate::track::Track;
use core::fmt;
use core::str::FromStr;
use serde::Serialize;
use softdock_platform::scheme::Scheme;

/// How a docking ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The latch closed.
    Captured,
    /// The bodies touched and are apart at the end.
    Bounced,
    /// The bodies touch at the end, but the latch has not closed.
    InContact,
    /// The bodies did not touch.
    NeverTouched,
}

impl Outcome {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 4] = [
        Self::Captured,
        Self::Bounced,
        Self::InContact,
        Self::NeverTouched,
    ];

    /// Their names for programs, in the same order.
    pub const KEYS: &'static [&'static str] =
        &["captured", "bounced", "in_contact", "never_touched"];

    /// Its name for programs.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Captured => "captured",
            Self::Bounced => "bounced",
            Self::InContact => "in_contact",
            Self::NeverTouched => "never_touched",
        }
    }

    /// True if end effector and target met: only then there is something to be captured.
    pub const fn met(self) -> bool {
        !matches!(self, Self::NeverTouched)
    }

    pub(super) fn of(track: &Track, platform: &dyn Scheme) -> Self {
        let encounter = platform.world().encounter();
        let latched = encounter.is_some_and(|e| e.latch().capture_time().is_some());
        let touching = encounter.is_some_and(|e| e.touching());
        match (latched, touching, track.first_touch) {
            (true, ..) => Self::Captured,
            (false, true, _) => Self::InContact,
            (false, false, Some(_)) => Self::Bounced,
            (false, false, None) => Self::NeverTouched,
        }
    }
}

/// In words.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Captured => "captured",
            Self::Bounced => "bounced",
            Self::InContact => "in contact at the end",
            Self::NeverTouched => "never touched",
        })
    }
}

/// There is no outcome of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no outcome `{0}`")]
pub struct NoSuchOutcome(String);

/// From its name for programs.
impl FromStr for Outcome {
    type Err = NoSuchOutcome;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|outcome| outcome.key() == text);
        known.ok_or_else(|| NoSuchOutcome(text.to_owned()))
    }
}
