//! Every value that a study will take, checked before the first run.
//!
//! 1. Each key on its own, over the whole study: the base scenario with the key at the ends of its
//!    distribution must be one that could be run. Where an end is infinite (normal), or is not
//!    allowed itself but also never drawn (0 of a range "above 0"), the smallest and the largest value
//!    that the study draws stand for it: the runs are known before they start, so that the answer is
//!    exact.
//! 2. All keys together, for every run of the shard: values that are allowed alone need not go with
//!    each other. This takes some 50 µs for each run, far below a thousandth of what the run takes.

use super::job::scenario_of;
use crate::run;
use crate::settings::{Place, Refused, Settings, SettingsError};
use anyhow::Result;
use rayon::prelude::*;
use softdock_docking::Scenario;
use softdock_study::sampling::distribution::Distribution;
use softdock_study::{Plan, Shard, Value, scenario};

/// Refuses a plan with a run whose values are not allowed; `places` are those of its variations, in
/// order.
pub fn check(plan: &Plan, shard: Shard, places: &[Place]) -> Result<()> {
    let distributions = plan.study().distributions()?;
    let mut drawn = None;
    for (index, distribution) in distributions.iter().enumerate() {
        let key = &plan.inputs()[index].name;
        let candidates = match distribution.levels() {
            Some(levels) => levels.to_vec(),
            None if ends_are_allowed(plan, key, distribution)? => continue,
            None => {
                if drawn.is_none() {
                    drawn = Some(extremes(plan)?);
                }
                let ends = drawn.as_ref().and_then(|all| all.get(index)).copied();
                let [low, high] = ends.unwrap_or(NOTHING);
                let known = if low <= high { vec![low, high] } else { vec![] };
                known.into_iter().map(Value::Real).collect()
            }
        };
        for value in &candidates {
            if let Some(message) = refusal(plan, key, value)? {
                let place = place_of(places, index);
                let message = format!("the study varies `{key}` beyond what is allowed: {message}");
                return Err(SettingsError::OutOfRange { place, message }.into());
            }
        }
    }
    check_together(plan, shard, places)
}

/// Whether a continuous distribution has ends that could both be run.
fn ends_are_allowed(plan: &Plan, key: &str, distribution: &Distribution) -> Result<bool> {
    let (low, high) = distribution.ends();
    for end in [low, high] {
        if !end.is_finite() || refusal(plan, key, &Value::Real(end))?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What is wrong with the base scenario with `key` at `value`.
fn refusal(plan: &Plan, key: &str, value: &Value) -> Result<Option<String>> {
    let mut table = plan.scenario().clone();
    scenario::set(&mut table, key, value)?;
    Ok(complaint(table).map(|refused| refused.message))
}

fn complaint(table: toml::Table) -> Option<Refused> {
    let scenario: Result<Scenario, _> = table.try_into();
    match scenario {
        Ok(scenario) => scenario.check().err(),
        Err(error) => Some(Refused {
            key: String::new(),
            message: error.message().lines().collect::<Vec<_>>().join("; "),
        }),
    }
}

/// Smallest and largest of no values.
const NOTHING: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

/// The smallest and the largest value that each input takes in any run of the study.
fn extremes(plan: &Plan) -> Result<Vec<[f64; 2]>> {
    let nothing = || vec![NOTHING; plan.inputs().len()];
    let join = |mut all: Vec<[f64; 2]>, more: Vec<[f64; 2]>| {
        for (ends, [low, high]) in all.iter_mut().zip(more) {
            *ends = [ends[0].min(low), ends[1].max(high)];
        }
        all
    };
    (0..plan.runs())
        .into_par_iter()
        .filter(|_| !run::stop_requested())
        .map(|run| {
            let number = |value: &Value| value.number().map_or(NOTHING, |x| [x, x]);
            anyhow::Ok(plan.values(run)?.iter().map(number).collect())
        })
        .try_reduce(nothing, |all, more| Ok(join(all, more)))
}

/// Checks the scenario of every run of the shard, as a whole.
fn check_together(plan: &Plan, shard: Shard, places: &[Place]) -> Result<()> {
    let first = (0..plan.shard_size(shard))
        .into_par_iter()
        .map(|index| plan.shard_run(shard, index))
        .find_map_first(|run| {
            if run::stop_requested() {
                return None;
            }
            let refused = match scenario_of(plan, run) {
                Ok(scenario) => scenario.check().err()?,
                Err(error) => Refused {
                    key: String::new(),
                    message: format!("{error:#}"),
                },
            };
            Some((run, refused))
        });
    let Some((run, Refused { key, message })) = first else {
        return Ok(());
    };
    let inputs = plan.inputs().iter();
    let values: Vec<String> = inputs
        .zip(plan.values(run)?)
        .map(|(input, value)| format!("{} = {value}", input.name))
        .collect();
    let blamed = plan.inputs().iter().position(|input| input.name == key);
    let place = place_of(places, blamed.unwrap_or(0));
    let message = format!(
        "run {run} cannot be run: {message} (with {})",
        values.join(", ")
    );
    Err(SettingsError::OutOfRange { place, message }.into())
}

fn place_of(places: &[Place], index: usize) -> Place {
    places.get(index).cloned().unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use softdock_study::Study;

    /// A study of the default docking; each entry of `vary` is a key and what follows it.
    fn plan(runs: u64, vary: &[(&str, &str)]) -> Plan {
        let mut text = format!("name = \"s\"\nruns = {runs}\nsampling = \"monte_carlo\"\n");
        for (key, rest) in vary {
            text += &format!("[[vary]]\nkey = \"{key}\"\n{rest}\n");
        }
        let study = Study::parse(&text, "study.toml").unwrap();
        Plan::new(study, Scenario::default().into(), &[], "0").unwrap()
    }

    fn places(plan: &Plan) -> Vec<Place> {
        let place = |line| Place::File {
            path: "study.toml".into(),
            line,
        };
        (1..=plan.inputs().len()).map(place).collect()
    }

    fn answer(plan: &Plan) -> std::result::Result<(), String> {
        check(plan, Shard::WHOLE, &places(plan)).map_err(|error| error.to_string())
    }

    const UNIFORM: &str = "distribution = \"uniform\"\n";

    #[test]
    fn ranges_that_reach_beyond_what_a_key_allows_are_refused_with_key_value_and_range() {
        let pitch = "misalignment.pitch_deg";
        for (key, rest, allowed) in [
            (
                pitch,
                format!("{UNIFORM}min = -50\nmax = 10"),
                "[-45, 45] deg",
            ),
            (
                pitch,
                "distribution = \"arcsine\"\nmin = 1\nmax = 46".to_owned(),
                "[-45, 45] deg",
            ),
            (
                "target.mass_kg",
                "distribution = \"normal\"\nmean = 100\nstd_dev = 50".to_owned(),
                "[0.001, 1e9] kg",
            ),
            (
                "target.mass_kg",
                "distribution = \"truncated_normal\"\nmean = 5\nstd_dev = 50\nmax = 20".to_owned(),
                "[0.001, 1e9] kg",
            ),
            (
                "closing_speed_m_s",
                "distribution = \"choice\"\nvalues = [0.05, 2.5]".to_owned(),
                "[0, 2] m/s",
            ),
            (
                "contact.normal.stiffness_n_per_m_n",
                "distribution = \"log_uniform\"\nmin = 1e6\nmax = 1e20".to_owned(),
                "[1, 1e12]",
            ),
        ] {
            let message = answer(&plan(1000, &[(key, &rest)])).unwrap_err();
            let start =
                format!("study.toml:1: the study varies `{key}` beyond what is allowed: {key} = ");
            assert!(message.starts_with(&start), "{message}");
            assert!(message.contains(allowed), "{message}");
        }
    }

    /// Only what is drawn counts where the ends of a distribution are not allowed themselves.
    #[test]
    fn ranges_whose_values_are_all_allowed_are_taken() {
        for (key, rest) in [
            // 0 is not allowed, and is never drawn.
            (
                "limits.leg_stroke_m",
                format!("{UNIFORM}min = 0\nmax = 0.1"),
            ),
            // Zero is 20 standard deviations away.
            (
                "target.mass_kg",
                "distribution = \"normal\"\nmean = 100\nstd_dev = 5".to_owned(),
            ),
            (
                "target.mass_kg",
                "distribution = \"truncated_normal\"\nmean = 5\nstd_dev = 50\nmin = 1".to_owned(),
            ),
            (
                "misalignment.pitch_deg",
                format!("{UNIFORM}min = -45\nmax = 45"),
            ),
            (
                "contact.normal.law",
                "distribution = \"choice\"\nvalues = [\"flores\", \"hertz\"]".to_owned(),
            ),
        ] {
            assert_eq!(answer(&plan(1000, &[(key, &rest)])), Ok(()), "{key} {rest}");
        }
    }

    #[test]
    fn values_that_do_not_go_together_are_refused_with_their_run() {
        let tube = format!("{UNIFORM}min = 0.005\nmax = 0.18");
        let ring = format!("{UNIFORM}min = 0.1\nmax = 0.3");
        let keys = [
            "contact.target.ring.radius_m",
            "contact.target.ring.tube_radius_m",
        ];
        let plan = plan(1000, &[(keys[0], &ring), (keys[1], &tube)]);
        let message = answer(&plan).unwrap_err();
        assert!(message.starts_with("study.toml:2: run "), "{message}");
        for part in [keys[0], keys[1], "less than radius_m"] {
            assert!(message.contains(part), "{message}");
        }
        // The first such run, which only its own shard refuses.
        let run = |radius: &Value, tube: &Value| tube.number() >= radius.number();
        let wrong = |&n: &u64| {
            let values = plan.values(n).unwrap();
            run(&values[0], &values[1])
        };
        let first = (0..1000).find(wrong).unwrap();
        assert!(
            message.contains(&format!("run {first} cannot be run")),
            "{message}"
        );
        let shards = (0..1000).map(|index| Shard::new(index, 1000).unwrap());
        for shard in shards.take(40) {
            let refused = check(&plan, shard, &places(&plan)).is_err();
            assert_eq!(refused, wrong(&plan.shard_run(shard, 0)));
        }
    }
}
