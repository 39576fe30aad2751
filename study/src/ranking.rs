//! The worst runs by a figure.

use crate::description::Order;
use crate::error::{Result, StudyError, setting};
use crate::store::Directory;
use crate::value::{FigureSpec, Kind, Value};
use std::collections::BTreeSet;
use std::str::FromStr;

/// What to rank by, written `figure:count` or `figure:count:smallest`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// Name of the figure.
    pub figure: String,
    /// How many runs.
    pub count: usize,
    /// Which end of the figure is bad.
    pub order: Order,
}

impl FromStr for Ranking {
    type Err = StudyError;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            setting(
                "worst",
                text,
                "must be FIGURE:COUNT or FIGURE:COUNT:smallest",
            )
        };
        let (rest, order) = if let Some(rest) = text.strip_suffix(":smallest") {
            (rest, Order::Smallest)
        } else {
            (
                text.strip_suffix(":largest").unwrap_or(text),
                Order::Largest,
            )
        };
        let (figure, count) = rest.rsplit_once(':').ok_or_else(wrong)?;
        let count: usize = count.parse().ok().filter(|&n| n > 0).ok_or_else(wrong)?;
        if figure.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            figure: figure.to_owned(),
            count,
            order,
        })
    }
}

/// A run and the value that ranks it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The run.
    pub run: u64,
    /// Its figure.
    pub value: f64,
}

/// The worst runs of a directory whose figures `counts` accepts, the worst first; runs without the
/// figure are left out, of equal ones the earlier comes first. Works on directories that are not
/// finished too.
pub fn worst(
    directory: &Directory,
    ranking: &Ranking,
    counts: impl Fn(&[Option<Value>]) -> bool,
) -> Result<Vec<Ranked>> {
    let index = figure_index(directory.plan().figures(), &ranking.figure)?;
    let mut worst = Worst::new(ranking.order, ranking.count);
    directory.for_each_row(|row| {
        if let Ok(figures) = &row.outcome
            && counts(figures)
            && let Some(value) = figures[index].as_ref().and_then(|value| value.number())
        {
            worst.insert(row.run, value);
        }
        Ok(())
    })?;
    Ok(worst.ranked())
}

fn figure_index(figures: &[FigureSpec], name: &str) -> Result<usize> {
    let place = find_figure(figures, name, |kind| kind != Kind::Text);
    place.map_err(|available| StudyError::Column {
        name: name.to_owned(),
        wanted: "numeric",
        available,
    })
}

/// Similarity of names above which one is suggested for the other.
const SIMILAR: f64 = 0.6;

/// Place of the figure called `name` among those of a usable kind; if there is none, the names that
/// there are and which was perhaps meant.
pub(crate) fn find_figure(
    figures: &[FigureSpec],
    name: &str,
    usable: impl Fn(Kind) -> bool,
) -> std::result::Result<usize, String> {
    let is_it = |figure: &FigureSpec| figure.name == name && usable(figure.kind);
    figures.iter().position(is_it).ok_or_else(|| {
        let usable = figures.iter().filter(|figure| usable(figure.kind));
        let names: Vec<&str> = usable.map(|figure| figure.name.as_str()).collect();
        let similarity = |known: &&str| strsim::normalized_damerau_levenshtein(name, known);
        let closest = names
            .iter()
            .copied()
            .max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
        let hint = closest.filter(|known| similarity(known) >= SIMILAR);
        let hint = hint.map_or_else(String::new, |known| format!("; did you mean `{known}`?"));
        format!("{}{hint}", names.join(", "))
    })
}

/// The worst few of any number of values.
#[derive(Debug, Clone)]
pub(crate) struct Worst {
    order: Order,
    count: usize,
    /// Keys that sort the worst first, with the run.
    members: BTreeSet<(u64, u64)>,
}

impl Worst {
    pub(crate) fn new(order: Order, count: usize) -> Self {
        Self {
            order,
            count,
            members: BTreeSet::new(),
        }
    }

    /// Whether a value would be a member now. NaN never is.
    pub(crate) fn admits(&self, run: u64, value: f64) -> bool {
        if value.is_nan() {
            return false;
        }
        let entry = (self.key(value), run);
        self.members.len() < self.count || self.members.last().is_some_and(|last| entry < *last)
    }

    /// Takes a value in and returns the run that is pushed out.
    pub(crate) fn insert(&mut self, run: u64, value: f64) -> Option<u64> {
        if !self.admits(run, value) {
            return None;
        }
        self.members.insert((self.key(value), run));
        if self.members.len() > self.count {
            return self.members.pop_last().map(|(_, run)| run);
        }
        None
    }

    pub(crate) fn contains(&self, run: u64) -> bool {
        self.members.iter().any(|&(_, member)| member == run)
    }

    fn ranked(&self) -> Vec<Ranked> {
        self.members
            .iter()
            .map(|&(key, run)| Ranked {
                run,
                value: self.value(key),
            })
            .collect()
    }

    /// Bits whose order is that of the numbers, the worst lowest.
    fn key(&self, value: f64) -> u64 {
        const SIGN: u64 = 1 << 63;
        let bits = (value + 0.0).to_bits(); // −0 and 0 are equal
        let ascending = if bits & SIGN == 0 { bits | SIGN } else { !bits };
        match self.order {
            Order::Largest => !ascending,
            Order::Smallest => ascending,
        }
    }

    fn value(&self, key: u64) -> f64 {
        const SIGN: u64 = 1 << 63;
        let ascending = match self.order {
            Order::Largest => !key,
            Order::Smallest => key,
        };
        f64::from_bits(if ascending & SIGN == 0 {
            !ascending
        } else {
            ascending & !SIGN
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rankings_are_read() {
        let ranking: Ranking = "peak_contact_force_n:10".parse().unwrap();
        assert_eq!(
            (ranking.figure.as_str(), ranking.count),
            ("peak_contact_force_n", 10)
        );
        assert_eq!(ranking.order, Order::Largest);
        assert_eq!(
            "gap_m:3:smallest".parse::<Ranking>().unwrap().order,
            Order::Smallest
        );
        for bad in ["", "x", "x:0", "x:-1", ":3", "x:y", "x:3:middle"] {
            assert!(bad.parse::<Ranking>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_worst_are_kept_whatever_the_order_of_arrival() {
        let values = [
            3.0,
            f64::NAN,
            -1.0,
            f64::INFINITY,
            3.0,
            -0.0,
            0.0,
            f64::NEG_INFINITY,
        ];
        let expected = [
            (
                Order::Largest,
                [(3, f64::INFINITY), (0, 3.0), (4, 3.0), (5, 0.0)],
            ),
            (
                Order::Smallest,
                [(7, f64::NEG_INFINITY), (2, -1.0), (5, 0.0), (6, 0.0)],
            ),
        ];
        for (order, expected) in expected {
            for rotation in 0..values.len() {
                let mut worst = Worst::new(order, 4);
                for step in 0..values.len() {
                    let run = (step + rotation) % values.len();
                    worst.insert(run as u64, values[run]);
                }
                let found: Vec<(u64, f64)> = worst
                    .ranked()
                    .iter()
                    .map(|ranked| (ranked.run, ranked.value))
                    .collect();
                assert_eq!(found, expected, "{order:?} from {rotation}");
                assert!(worst.contains(expected[0].0) && !worst.contains(1));
            }
        }
    }
}
