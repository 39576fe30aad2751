//! A part of a study: run i belongs to shard i mod N.

use crate::error::{Result, StudyError, setting};
use std::fmt;
use std::str::FromStr;

/// Shard `index` of `count`, written `index/count`; the whole study is `0/1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// The whole study.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// Most shards of a study.
    pub const MAX_COUNT: u64 = 100_000;

    /// Shard `index` of `count`, counted from zero.
    pub fn new(index: u64, count: u64) -> Result<Self> {
        if (1..=Self::MAX_COUNT).contains(&count) && index < count {
            return Ok(Self { index, count });
        }
        let rule = format!(
            "must be K/N with K from 0 to N - 1 and N from 1 to {}",
            Self::MAX_COUNT
        );
        Err(setting("shard", format!("{index}/{count}"), rule))
    }

    /// Number of this shard, from zero.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Number of shards.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether a run belongs to this shard.
    pub fn contains(&self, run: u64) -> bool {
        run % self.count == self.index
    }

    /// How many of `runs` runs belong to this shard.
    pub fn size(&self, runs: u64) -> u64 {
        (runs + self.count - 1 - self.index) / self.count
    }

    /// As part of the name of a file.
    pub(crate) fn label(&self) -> String {
        format!("shard-{}-of-{}", self.index, self.count)
    }

    /// Reads what [`Shard::label`] wrote.
    pub(crate) fn from_label(label: &str) -> Option<Self> {
        let (index, count) = label.strip_prefix("shard-")?.split_once("-of-")?;
        Self::new(index.parse().ok()?, count.parse().ok()?).ok()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = StudyError;

    fn from_str(text: &str) -> Result<Self> {
        let numbers = text
            .split_once('/')
            .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) => Self::new(index, count),
            None => Err(setting("shard", text, "must be K/N, for example 0/4")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_divide_the_runs() {
        for runs in [0, 1, 7, 8, 9, 100] {
            let sizes: Vec<u64> = (0..4)
                .map(|k| Shard::new(k, 4).unwrap().size(runs))
                .collect();
            assert_eq!(sizes.iter().sum::<u64>(), runs);
            for k in 0..4 {
                let shard = Shard::new(k, 4).unwrap();
                let count = (0..runs).filter(|&run| shard.contains(run)).count() as u64;
                assert_eq!(count, sizes[k as usize]);
            }
        }
    }

    #[test]
    fn text_is_read_and_written() {
        let shard: Shard = "3/4".parse().unwrap();
        assert_eq!(
            (shard.index(), shard.count(), shard.to_string()),
            (3, 4, "3/4".into())
        );
        assert_eq!(Shard::from_label(&shard.label()), Some(shard));
        for bad in ["4/4", "1", "a/b", "0/0", "-1/2", ""] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
