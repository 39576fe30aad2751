//! Checks of a study: every message names the key, the value and what is allowed.

mod variation;

use crate::description::{Correlation, Form, Keep, KeepSeries, Sampling, Study, Variation};
use crate::error::{Result, setting};
use crate::sampling::distribution::Distribution;
use crate::sampling::sobol;
use crate::value::Value;

/// Most runs of a study; run numbers fit into 32 bits.
pub const MAX_RUNS: u64 = u32::MAX as u64;

/// Names of columns that every table has.
pub(crate) const RESERVED: [&str; 3] = ["run", "status", "error"];

impl Study {
    /// Checks everything that can be checked without knowing the figures.
    pub fn validate(&self) -> Result<()> {
        if self.name.is_empty() || self.name.chars().any(char::is_control) {
            return Err(setting(
                "name",
                format!("{:?}", self.name),
                "must be a line of text",
            ));
        }
        if self.seed > i64::MAX as u64 {
            return Err(setting(
                "seed",
                self.seed,
                format!("must be 0 to {}", i64::MAX),
            ));
        }
        if self.vary.is_empty() {
            return Err(setting("vary", "[]", "must name at least one key to vary"));
        }
        for (index, variation) in self.vary.iter().enumerate() {
            check_key(index, variation)?;
            if self.vary[..index]
                .iter()
                .any(|earlier| earlier.key == variation.key)
            {
                return Err(setting(
                    place(index, "key"),
                    &variation.key,
                    "appears twice",
                ));
            }
            let distribution = variation.resolve(index)?;
            if self.sampling == Sampling::Grid {
                check_grid(index, variation, &distribution)?;
            }
        }
        self.check_runs()?;
        self.check_correlations()?;
        self.keep.validate()
    }

    /// The distributions of the inputs, in order.
    pub fn distributions(&self) -> Result<Vec<Distribution>> {
        self.vary
            .iter()
            .enumerate()
            .map(|(index, v)| v.resolve(index))
            .collect()
    }

    /// Number of runs.
    pub fn run_count(&self) -> Result<u64> {
        match (self.sampling, self.runs) {
            (Sampling::Grid, _) => self.grid_size(),
            (_, Some(runs)) => Ok(runs),
            (_, None) => Err(setting("runs", "(missing)", "must be given, 1 or more")),
        }
    }

    fn grid_size(&self) -> Result<u64> {
        let mut size = 1_u64;
        for distribution in self.distributions()? {
            let levels = distribution.levels().map_or(1, <[Value]>::len) as u64;
            size = size
                .checked_mul(levels)
                .filter(|&n| n <= MAX_RUNS)
                .ok_or_else(|| {
                    setting(
                        "vary",
                        "this grid",
                        format!("must have at most {MAX_RUNS} combinations"),
                    )
                })?;
        }
        Ok(size)
    }

    fn check_runs(&self) -> Result<()> {
        let runs = self.run_count()?;
        if runs == 0 || runs > MAX_RUNS {
            return Err(setting("runs", runs, format!("must be 1 to {MAX_RUNS}")));
        }
        let dimensions = self.vary.len();
        match self.sampling {
            Sampling::Grid => match self.runs {
                Some(asked) if asked != runs => Err(setting(
                    "runs",
                    asked,
                    format!("this grid has {runs} combinations; leave the key out"),
                )),
                _ => Ok(()),
            },
            Sampling::Sobol if dimensions > sobol::MAX_DIMENSIONS => Err(setting(
                "vary",
                format!("{dimensions} keys"),
                format!("sobol sampling takes at most {}", sobol::MAX_DIMENSIONS),
            )),
            Sampling::Saltelli if 2 * dimensions > sobol::MAX_DIMENSIONS => Err(setting(
                "vary",
                format!("{dimensions} keys"),
                format!(
                    "saltelli sampling takes at most {}",
                    sobol::MAX_DIMENSIONS / 2
                ),
            )),
            Sampling::Saltelli => check_saltelli_runs(runs, dimensions as u64 + 2),
            _ => Ok(()),
        }
    }

    fn check_correlations(&self) -> Result<()> {
        if let (Some(_), Sampling::Grid | Sampling::Saltelli) =
            (self.correlate.first(), self.sampling)
        {
            return Err(setting(
                "correlate",
                format!("{} pairs", self.correlate.len()),
                format!("{} sampling needs independent inputs", self.sampling),
            ));
        }
        self.correlated_pairs().map(|_| ())
    }

    /// Correlated pairs as dimensions and coefficient.
    pub(crate) fn correlated_pairs(&self) -> Result<Vec<(usize, usize, f64)>> {
        let mut pairs: Vec<(usize, usize, f64)> = Vec::new();
        for (index, Correlation { keys, coefficient }) in self.correlate.iter().enumerate() {
            let name = |part: &str| format!("correlate[{index}].{part}");
            let dimension = |key: &String| {
                let found = self.vary.iter().position(|variation| &variation.key == key);
                let continuous = found
                    .filter(|&d| !matches!(self.vary[d].distribution, Form::Choice | Form::Range));
                continuous.ok_or_else(|| {
                    setting(
                        name("keys"),
                        key,
                        "must be a key of `vary` with a continuous distribution",
                    )
                })
            };
            let (a, b) = (dimension(&keys[0])?, dimension(&keys[1])?);
            if a == b {
                return Err(setting(
                    name("keys"),
                    &keys[0],
                    "must be two different keys",
                ));
            }
            if coefficient.is_nan() || coefficient.abs() >= 1.0 {
                return Err(setting(
                    name("coefficient"),
                    coefficient,
                    "must be between -1 and 1",
                ));
            }
            let pair = (a.min(b), a.max(b), *coefficient);
            if pairs
                .iter()
                .any(|known| (known.0, known.1) == (pair.0, pair.1))
            {
                let both = format!("{} and {}", keys[0], keys[1]);
                return Err(setting(name("keys"), both, "are correlated twice"));
            }
            pairs.push(pair);
        }
        Ok(pairs)
    }
}

impl Keep {
    fn validate(&self) -> Result<()> {
        let worst = self.series == KeepSeries::Worst;
        let belongs = "belongs to keep.series = \"worst\" alone";
        match (&self.figure, self.count) {
            (None, _) if worst => Err(setting(
                "keep.figure",
                "(missing)",
                "must name the figure that ranks the runs",
            )),
            (_, None | Some(0)) if worst => Err(setting(
                "keep.count",
                self.count.map_or("(missing)".to_owned(), |n| n.to_string()),
                "must be 1 or more",
            )),
            (Some(figure), _) if !worst => Err(setting("keep.figure", figure, belongs)),
            (_, Some(count)) if !worst => Err(setting("keep.count", count, belongs)),
            _ if !worst && self.order.is_some() => Err(setting("keep.order", "(given)", belongs)),
            _ => Ok(()),
        }
    }
}

fn place(index: usize, part: &str) -> String {
    format!("vary[{index}].{part}")
}

fn check_key(index: usize, variation: &Variation) -> Result<()> {
    let key = &variation.key;
    let fine = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    if !key.split('.').all(fine) {
        let rule = "must be a dotted key of letters, digits, _ and -";
        return Err(setting(place(index, "key"), format!("{key:?}"), rule));
    }
    if RESERVED.contains(&key.as_str()) {
        let rule = format!("{} are columns of every table", RESERVED.join(", "));
        return Err(setting(place(index, "key"), key, rule));
    }
    Ok(())
}

fn check_grid(index: usize, variation: &Variation, distribution: &Distribution) -> Result<()> {
    if variation.weights.is_some() {
        let key = format!("vary[{index}] ({}).weights", variation.key);
        return Err(setting(key, "(given)", "a grid takes every value once"));
    }
    if distribution.levels().is_none() {
        let name = toml::Value::try_from(variation.distribution)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default();
        return Err(setting(
            format!("vary[{index}] ({}).distribution", variation.key),
            name,
            "a grid needs levels: use range (from, to, count) or choice (values)",
        ));
    }
    Ok(())
}

fn check_saltelli_runs(runs: u64, group: u64) -> Result<()> {
    if runs.is_multiple_of(group) && runs >= 2 * group {
        return Ok(());
    }
    let below = (runs / group * group).max(2 * group);
    let above = (runs.div_ceil(group) * group).max(2 * group);
    let near = if below == above {
        format!("{below}")
    } else {
        format!("{below} or {above}")
    };
    Err(setting(
        "runs",
        runs,
        format!("saltelli sampling takes multiples of {group} (keys + 2); the nearest: {near}"),
    ))
}

#[cfg(test)]
mod tests;
