//! Checks of a study: every message names the key, the value and what is allowed.

mod variation;

use crate::description::{
    Correlation, Fidelity, Form, Keep, KeepSeries, Sampling, Study, Variation,
};
use crate::error::{Result, setting};
use crate::sampling::distribution::Distribution;
use crate::sampling::sobol;
use crate::statistics::FEWEST_FULL;
use crate::value::Value;

/// Most runs of a study; run numbers fit into 32 bits.
pub const MAX_RUNS: u64 = u32::MAX as u64;

/// Most scrambles of a sequence.
const MAX_SCRAMBLES: u32 = 1024;

/// Most runs of one of several Latin hypercubes.
const MAX_BLOCK: u32 = 1024;

/// Most values of a design that was made elsewhere: it is kept in the plan.
const MAX_DESIGN_VALUES: u64 = 4_000_000;

/// Names of columns that every table has.
pub(crate) const RESERVED: [&str; 4] = ["run", "status", "error", "weight"];

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
        self.check_design_settings()?;
        self.check_runs()?;
        self.check_correlations()?;
        self.check_joints()?;
        self.keep.validate()
    }

    /// The distributions of the inputs, in order.
    pub fn distributions(&self) -> Result<Vec<Distribution>> {
        let one = |(index, v): (usize, &Variation)| {
            let found = v.resolve(index)?;
            let joint = self.joint.iter().find(|joint| joint.keys.contains(&v.key));
            Ok(match (found, joint) {
                (Distribution::Joint { .. }, Some(joint)) => Distribution::Joint {
                    radius: joint.radius,
                },
                (found, _) => found,
            })
        };
        self.vary.iter().enumerate().map(one).collect()
    }

    /// Checks that the inputs of joint limits are there, each in one limit.
    fn check_joints(&self) -> Result<()> {
        if !self.joint.is_empty() && matches!(self.sampling, Sampling::Saltelli | Sampling::Morris)
        {
            let rule = format!("{} sampling needs independent inputs", self.sampling);
            return Err(setting("joint", "(given)", rule));
        }
        let form = |key: &String| {
            let found = self.vary.iter().find(|v| &v.key == key);
            found.map(|v| v.distribution)
        };
        for (index, joint) in self.joint.iter().enumerate() {
            let name = |part: &str| format!("joint[{index}].{part}");
            let wanted = joint.shape.dimensions();
            let mut keys = joint.keys.clone();
            keys.sort();
            keys.dedup();
            if keys.len() != wanted || joint.keys.len() != wanted {
                let rule = format!("must be {wanted} different keys");
                return Err(setting(name("keys"), joint.keys.join(", "), rule));
            }
            if let Some(key) = joint.keys.iter().find(|key| form(key) != Some(Form::Joint)) {
                let rule = "must be a key of `vary` with distribution = \"joint\"";
                return Err(setting(name("keys"), key, rule));
            }
            if !(joint.radius.is_finite() && joint.radius > 0.0) {
                return Err(setting(name("radius"), joint.radius, "must be positive"));
            }
        }
        for (index, variation) in self.vary.iter().enumerate() {
            let limits = self
                .joint
                .iter()
                .filter(|j| j.keys.contains(&variation.key));
            let count = limits.count();
            if variation.distribution == Form::Joint && count != 1 {
                let rule = "must be among the keys of one [[joint]]";
                return Err(setting(place(index, "key"), &variation.key, rule));
            }
        }
        Ok(())
    }

    /// Number of runs.
    pub fn run_count(&self) -> Result<u64> {
        match (self.sampling, self.runs) {
            (Sampling::Grid, _) => self.grid_size(),
            (Sampling::Design, _) => Ok(self.design.as_ref().map_or(0, |d| d.rows.len() as u64)),
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

    /// Checks the cheap model of a screened study.
    fn check_screen(&self) -> Result<()> {
        if self.fidelity == Fidelity::Full {
            return match &self.screen {
                Some(_) => Err(setting("screen", "(given)", "needs fidelity = \"screen\"")),
                None => Ok(()),
            };
        }
        let random = [
            Sampling::MonteCarlo,
            Sampling::LatinHypercube,
            Sampling::Sobol,
        ];
        if !random.contains(&self.sampling) || self.block == Some(0) {
            let rule = "needs sampling = \"monte_carlo\", \"latin_hypercube\" or \"sobol\", of \
                        which the first runs are a fair sample";
            return Err(setting("fidelity", "screen", rule));
        }
        let screen = self.screen.clone().unwrap_or_default();
        let least = FEWEST_FULL as u64;
        if let Some(full) = screen.full
            && !(least..=self.run_count()?).contains(&full)
        {
            let rule = format!("must be {least} to the number of runs");
            return Err(setting("screen.full", full, rule));
        }
        match screen
            .formula
            .keys()
            .find(|key| !self.formula.contains_key(*key))
        {
            Some(key) => {
                let rule = "must have the name of a formula of the study";
                Err(setting("screen.formula", key, rule))
            }
            None => Ok(()),
        }
    }

    /// Checks what belongs to one kind of sampling.
    fn check_design_settings(&self) -> Result<()> {
        self.check_screen()?;
        if let Some(scrambles) = self.scrambles {
            let sequence = matches!(self.sampling, Sampling::Sobol | Sampling::Saltelli);
            if !sequence || !(1..=MAX_SCRAMBLES).contains(&scrambles) {
                let rule = format!("must be 1 to {MAX_SCRAMBLES}, with sobol or saltelli sampling");
                return Err(setting("scrambles", scrambles, rule));
            }
        }
        if let Some(block) = self.block {
            let latin = self.sampling == Sampling::LatinHypercube;
            if !latin || block == 1 || block > MAX_BLOCK {
                let rule = format!("must be 0 or 2 to {MAX_BLOCK}, with latin_hypercube sampling");
                return Err(setting("block", block, rule));
            }
        }
        match (&self.design, self.sampling) {
            (Some(_), Sampling::Design) => self.design_values().map(|_| ()),
            (None, Sampling::Design) => {
                let rule = "sampling = \"design\" needs points: batch run --design FILE";
                Err(setting("design", "(missing)", rule))
            }
            (Some(_), other) => {
                let rule = format!("belongs to sampling = \"design\" alone, not to {other}");
                Err(setting("design", "(given)", rule))
            }
            _ => Ok(()),
        }
    }

    /// The points of a design that was made elsewhere.
    pub(crate) fn design_values(&self) -> Result<Vec<Vec<Value>>> {
        let Some(design) = &self.design else {
            return Ok(Vec::new());
        };
        let kinds: Vec<_> = self
            .distributions()?
            .iter()
            .map(Distribution::kind)
            .collect();
        if design.rows.len() as u64 * kinds.len() as u64 > MAX_DESIGN_VALUES {
            let rule = format!("must have at most {MAX_DESIGN_VALUES} values in all");
            return Err(setting("design.rows", design.rows.len(), rule));
        }
        let (weights, rows) = (&design.weights, design.rows.len());
        if !weights.is_empty() && weights.len() != rows {
            let rule = format!("must be {rows} numbers, one for each row");
            return Err(setting("design.weights", weights.len(), rule));
        }
        if let Some(weight) = weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(setting("design.weights", weight, "must be zero or more"));
        }
        let read = |(index, row): (usize, &Vec<toml::Value>)| {
            let wrong = |value: String| {
                let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
                let rule = format!(
                    "must be {} finite values: {}",
                    kinds.len(),
                    kinds.join(", ")
                );
                setting(format!("design.rows[{index}]"), value, rule)
            };
            if row.len() != kinds.len() {
                return Err(wrong(format!("{} values", row.len())));
            }
            let value = |(value, kind): (&toml::Value, &crate::Kind)| {
                Value::of_toml(value, *kind).ok_or_else(|| wrong(value.to_string()))
            };
            row.iter().zip(&kinds).map(value).collect()
        };
        design.rows.iter().enumerate().map(read).collect()
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
            Sampling::Saltelli => check_group_runs("saltelli", runs, dimensions as u64, 2),
            Sampling::Morris => check_group_runs("morris", runs, dimensions as u64, 1),
            _ => Ok(()),
        }
    }

    fn check_correlations(&self) -> Result<()> {
        if let (
            Some(_),
            Sampling::Grid | Sampling::Saltelli | Sampling::Morris | Sampling::Design,
        ) = (self.correlate.first(), self.sampling)
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
                let continuous = found.filter(|&d| {
                    !matches!(
                        self.vary[d].distribution,
                        Form::Choice | Form::Range | Form::Listed | Form::Joint
                    )
                });
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
        let rule = format!("{} are columns of the table", RESERVED.join(", "));
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

/// Checks that the runs are whole groups of `keys` + `more`.
fn check_group_runs(sampling: &str, runs: u64, keys: u64, more: u64) -> Result<()> {
    let group = keys + more;
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
        format!(
            "{sampling} sampling takes multiples of {group} (keys + {more}); the nearest: {near}"
        ),
    ))
}

#[cfg(test)]
mod tests;
