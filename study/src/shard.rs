//! A part of a study.
//!
//! N shards share the units of a study (its runs, or the groups of a Saltelli design, which are of use
//! only together) round by round: of every N consecutive units each shard has one, and which one is
//! drawn anew for each round c,
//!
//! ```text
//! unit c N + ((k + r_c) mod N) belongs to shard k,   r_c random, 0 … N − 1                   (1)
//! ```
//!
//! So a shard that finishes before the others is a fair sample whatever the design is. (Run i mod N,
//! as in studies of format 1, sees half of the range of some inputs of a Sobol' sequence for even N.)

use crate::error::{Result, StudyError, setting};
use crate::sampling::random::{Generator, Stream};
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

/// How the runs of a study are shared among shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Run i belongs to shard i mod N: studies of format 1.
    InTurn,
    /// Equation (1), with so many runs to a unit.
    Drawn { generator: Generator, unit: u64 },
}

impl Sharing {
    /// Where in its round the unit of a shard is.
    fn place(self, shard: Shard, round: u64) -> u64 {
        let turn = match self {
            Self::InTurn => 0,
            Self::Drawn { generator, .. } => {
                generator.below(shard.count, Stream::Shard, 0, 0, round)
            }
        };
        (shard.index + turn) % shard.count // (1)
    }

    fn unit(self) -> u64 {
        match self {
            Self::InTurn => 1,
            Self::Drawn { unit, .. } => unit.max(1),
        }
    }

    /// Whether a run belongs to a shard.
    pub(crate) fn contains(self, shard: Shard, run: u64) -> bool {
        let unit = run / self.unit();
        unit % shard.count == self.place(shard, unit / shard.count)
    }

    /// How many of `runs` runs belong to a shard.
    pub(crate) fn size(self, shard: Shard, runs: u64) -> u64 {
        let per_unit = self.unit();
        let units = runs.div_ceil(per_unit);
        let rounds = units / shard.count;
        let mut size = rounds * per_unit;
        let unit = rounds * shard.count + self.place(shard, rounds);
        if unit < units {
            size += per_unit.min(runs - unit * per_unit);
        }
        size
    }

    /// Run number `index` of a shard, from zero; they rise.
    pub(crate) fn run(self, shard: Shard, index: u64) -> u64 {
        let per_unit = self.unit();
        let round = index / per_unit;
        let unit = round * shard.count + self.place(shard, round);
        unit * per_unit + index % per_unit
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
        let drawn = |unit| Sharing::Drawn {
            generator: Generator::new(3),
            unit,
        };
        for (sharing, unit) in [(Sharing::InTurn, 1), (drawn(1), 1), (drawn(6), 6)] {
            for units in [0, 1, 7, 8, 9, 100] {
                let runs = units * unit;
                let mut seen = vec![0; runs as usize];
                for k in 0..4 {
                    let shard = Shard::new(k, 4).unwrap();
                    let own: Vec<u64> = (0..runs)
                        .filter(|&run| sharing.contains(shard, run))
                        .collect();
                    assert_eq!(own.len() as u64, sharing.size(shard, runs));
                    let listed = (0..own.len() as u64).map(|i| sharing.run(shard, i));
                    assert_eq!(listed.collect::<Vec<_>>(), own);
                    own.iter().for_each(|&run| seen[run as usize] += 1);
                    assert!(own.iter().all(|run| own.contains(&(run / unit * unit))));
                }
                assert!(seen.iter().all(|&times| times == 1), "{sharing:?} {runs}");
            }
        }
    }

    /// Which shard has a run does not depend on how many runs there are.
    #[test]
    fn shards_stay_when_a_study_grows() {
        let sharing = Sharing::Drawn {
            generator: Generator::new(5),
            unit: 1,
        };
        let shard = Shard::new(1, 3).unwrap();
        let (few, many) = (sharing.size(shard, 20), sharing.size(shard, 200));
        assert!(few < many && (0..few).all(|i| sharing.run(shard, i) < 20));
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
