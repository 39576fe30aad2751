//! `fidelity = "screen"`: all runs by a cheap model, a few in full, one estimate without bias.
//!
//! The cheap runs are a study in the folder `screen`, the first runs in full one in `full`, the worst
//! cheap runs in full one in `worst`. Run i has the same inputs in the first two. Every folder is a
//! study like any other: stopped or killed, the same command goes on with what is missing.

mod say;

use super::job::{Docking, FormulaJob, StudyJob};
use super::results::{CONFIDENCE, Verdicts, main_figure};
use super::stages;
use super::start::{self, Execution};
use super::study::{Prepared, VERSION};
use crate::failure::{BadInput, STOPPED};
use crate::settings::{Place, Settings, find_key};
use crate::{output, run};
use anyhow::{Context, Result};
use softdock_docking::{Outcome, Scenario};
use softdock_study::description::{Fidelity, Screen, Study};
use softdock_study::slurm::EXIT_UNFINISHED;
use softdock_study::statistics::{
    Dependence, Interval, TwoFidelity, mean_of_two, probability_of_two, quantile, quantile_of_two,
};
use softdock_study::{Directory, Job, Plan, Shard, Value, scenario};
use std::path::Path;
use std::process::ExitCode;

/// The quantile of the main figure that is estimated.
const HIGH: f64 = 0.95;

/// What a run gave.
#[derive(Debug, Clone, Copy, Default)]
struct Gave {
    captured: Option<bool>,
    main: Option<f64>,
    /// Whether it was still in contact at the end: it may be captured later.
    open: bool,
}

impl Gave {
    /// Whether the run was captured, if that is decided.
    fn decided(&self) -> Option<bool> {
        self.captured.filter(|_| !self.open)
    }
}

/// What the two fidelities say together.
struct Found {
    runs: u64,
    full_runs: u64,
    /// Name of the main figure.
    main: String,
    capture: Option<TwoFidelity>,
    /// What is known of the probability of capture whatever became of runs in full that failed, are suspect
    /// or undecided; none without such runs.
    known: Option<Interval>,
    mean: Option<TwoFidelity>,
    high: Option<TwoFidelity>,
    /// Runs in full whose main figure is infinite.
    infinite: usize,
    /// Runs in full without a result, and cheap ones.
    without: [usize; 2],
    /// What it cost over what all runs in full would cost, by the time of the runs.
    cost_share: f64,
    /// A cheap run over one in full.
    cost_ratio: f64,
    pairs: Vec<(u64, Gave, Gave)>,
    worst: Vec<(u64, Gave, Gave)>,
}

/// Runs a screened study, or what is left of it, and says what came out.
pub fn execute(prepared: &Prepared, how: &Execution<'_>) -> Result<ExitCode> {
    let Prepared { plan, job } = prepared;
    if how.shard != Shard::WHOLE {
        let message = "a screened study cannot be run in shards: run its folders as studies";
        return Err(BadInput::new(message).into());
    }
    let screen = plan.study().screen.clone().unwrap_or_default();
    let (cheap_plan, cheap_job) = cheap(plan, &screen)?;
    let full_plan = full(plan, screen.full_runs(plan.runs()))?;
    let mut cost = [(0.0, 0); 3];
    let folder = |name: &str| how.out.join(name);
    for (k, (name, plan, job)) in [
        ("screen", &cheap_plan, &cheap_job),
        ("full", &full_plan, job),
    ]
    .into_iter()
    .enumerate()
    {
        // The first folder says whether the study is a new one.
        if !finished(plan, job, &folder(name), how, how.resume || k > 0)? {
            return Ok(stopped());
        }
        cost[k] = time_of(&folder(name))?;
    }
    let cheap_rows = rows(&folder("screen"), &cheap_plan)?;
    let full_rows = rows(&folder("full"), &full_plan)?;
    let chosen = worst(&cheap_rows, screen.worst_runs(), plan);
    let missing: Vec<u64> = chosen
        .iter()
        .copied()
        .filter(|run| *run >= full_plan.runs())
        .collect();
    let mut confirmed = Vec::new();
    if !missing.is_empty() {
        let values = missing.iter().map(|&run| plan.values(run));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let worst_plan = stages::listed(plan, job, "worst of the screened", &values, Vec::new())?;
        if !finished(&worst_plan, job, &folder("worst"), how, true)? {
            return Ok(stopped());
        }
        cost[2] = time_of(&folder("worst"))?;
        confirmed = rows(&folder("worst"), &worst_plan)?;
    }
    let in_full = |run: u64| match missing.iter().position(|m| *m == run) {
        Some(place) => confirmed[place],
        None => full_rows[run as usize],
    };
    let mut found = estimate(plan, &cheap_rows, &full_rows);
    found.worst = chosen
        .iter()
        .map(|&run| (run, cheap_rows[run as usize], in_full(run)))
        .collect();
    let spent: f64 = cost.iter().map(|(seconds, _)| seconds).sum();
    let one_full = (cost[1].0 + cost[2].0) / (cost[1].1 + cost[2].1) as f64;
    found.cost_share = spent / (one_full * plan.runs() as f64);
    found.cost_ratio = cost[0].0 / cost[0].1 as f64 / one_full;
    let page = how.out.join("report.html");
    output::write_atomic(&page, say::report(plan, &found).html()?.as_bytes())?;
    if how.json {
        output::say_json(&say::machine(plan, &found))?;
    } else {
        output::tell(&say::describe(plan, &found, &page))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn stopped() -> ExitCode {
    ExitCode::from(if run::terminated() {
        EXIT_UNFINISHED
    } else {
        STOPPED
    })
}

fn finished(
    plan: &Plan,
    job: &StudyJob,
    folder: &Path,
    how: &Execution<'_>,
    resume: bool,
) -> Result<bool> {
    let here = Execution {
        out: folder,
        resume,
        ..*how
    };
    Ok(!start::run_only(plan, job, &here)?.cancelled)
}

/// Plan and job of the cheap runs.
fn cheap(plan: &Plan, screen: &Screen) -> Result<(Plan, StudyJob)> {
    let study = Study {
        fidelity: Fidelity::Full,
        screen: None,
        ..plan.study().clone()
    };
    if !study.formula.is_empty() {
        if screen.formula.is_empty() {
            let message = "fidelity = \"screen\": a study of formulas needs [screen.formula]";
            return Err(BadInput::new(message).into());
        }
        let mut study = study;
        study.formula.extend(screen.formula.clone());
        let job = StudyJob::Formulas(FormulaJob::new(&study)?);
        let plan = Plan::new(study, toml::Table::new(), job.figures(), VERSION)?;
        return Ok((plan, job));
    }
    let set = match screen.set.is_empty() {
        false => nested(&screen.set, plan)?,
        true => struts(plan)?,
    };
    let mut base = plan.scenario().clone();
    scenario::overlay(&mut base, &set);
    let base = Scenario::try_from(base).context("[screen] set")?;
    if let Err(refused) = base.check() {
        let message = match screen.set.is_empty() {
            false => format!("[screen] set: {}", refused.message),
            true => format!(
                "fidelity = \"screen\" takes legs as struts: {}; or name other cheap settings, such as \
                 [screen.set] legs.elements = 3",
                refused.message
            ),
        };
        return Err(BadInput::new(message).into());
    }
    let job = StudyJob::Docking(Docking::new(&base).context("a screening run cannot start")?);
    let plan = Plan::new(study, base.into(), job.figures(), VERSION)?;
    Ok((plan, job))
}

/// Interval of the time series of a cheap run [s]: nobody looks at it, and figures do not depend on it.
const CHEAP_OUTPUT_S: f64 = 0.05;
/// Accuracy that a cheap run aims at; coarser ones save nothing.
const CHEAP_ACCURACY: f64 = 0.01;

/// What makes a run cheap where the study does not say: legs as struts, steps as long as their accuracy
/// allows, few rows. Keys that the study varies stay as they are.
fn struts(plan: &Plan) -> Result<toml::Table> {
    let mut set = toml::Table::new();
    for (key, value) in [
        ("legs.fidelity", Value::Text("strut".to_owned())),
        ("solver.accuracy", Value::Real(CHEAP_ACCURACY)),
        ("output_interval_s", Value::Real(CHEAP_OUTPUT_S)),
    ] {
        let varied = plan.inputs().iter().any(|input| input.name == key);
        if !varied {
            scenario::set(&mut set, key, &value)?;
        }
    }
    Ok(set)
}

/// Dotted keys as tables inside tables; each must be a key of the scenario that the study does not vary.
fn nested(set: &toml::Table, plan: &Plan) -> Result<toml::Table> {
    fn leaves<'a>(table: &'a toml::Table, before: &str, out: &mut Vec<(String, &'a toml::Value)>) {
        for (key, value) in table {
            let key = format!("{before}{key}");
            match value {
                toml::Value::Table(inner) => leaves(inner, &format!("{key}."), out),
                value => out.push((key, value)),
            }
        }
    }
    let mut all = Vec::new();
    leaves(set, "", &mut all);
    let mut out = toml::Table::new();
    for (key, value) in all {
        find_key::<Scenario>(&key, &Place::default()).context("[screen] set")?;
        if plan.inputs().iter().any(|input| input.name == key) {
            let message = format!("[screen] set: the study varies `{key}`");
            return Err(BadInput::new(message).into());
        }
        let mut table = &mut out;
        let (path, last) = key.rsplit_once('.').unwrap_or(("", &key));
        for part in path.split('.').filter(|part| !part.is_empty()) {
            let inner = table
                .entry(part.to_owned())
                .or_insert_with(|| toml::Value::Table(toml::Table::new()));
            table = inner.as_table_mut().ok_or_else(|| {
                BadInput::new(format!("[screen] set: `{part}` of `{key}` is a value"))
            })?;
        }
        table.insert(last.to_owned(), value.clone());
    }
    Ok(out)
}

/// The first runs, in full.
fn full(plan: &Plan, runs: u64) -> Result<Plan> {
    let study = Study {
        fidelity: Fidelity::Full,
        screen: None,
        runs: Some(runs),
        ..plan.study().clone()
    };
    let figures = plan.figures();
    Ok(Plan::new(study, plan.scenario().clone(), figures, VERSION)?)
}

/// What every run of a folder gave.
fn rows(folder: &Path, plan: &Plan) -> Result<Vec<Gave>> {
    let verdicts = Verdicts::of(plan)?;
    let main = main_figure(plan).map(|(place, _)| place);
    let mut out = vec![Gave::default(); plan.runs() as usize];
    Directory::open(folder)?.for_each_row(|row| {
        let Ok(figures) = &row.outcome else {
            return Ok(());
        };
        let outcome = verdicts.outcome_if_sound(figures);
        if let Some(outcome) = outcome.filter(|outcome| outcome.met()) {
            let value = main.and_then(|place| figures.get(place)?.as_ref()?.number());
            out[row.run as usize] = Gave {
                captured: Some(outcome == Outcome::Captured),
                open: outcome == Outcome::InContact,
                main: value.filter(|value| !value.is_nan()),
            };
        }
        Ok(())
    })?;
    Ok(out)
}

/// Time of all runs of a folder [s], and their number.
fn time_of(folder: &Path) -> Result<(f64, u64)> {
    let (mut seconds, mut count) = (0.0, 0);
    Directory::open(folder)?.for_each_row(|row| {
        seconds += row.elapsed_s;
        count += 1;
        Ok(())
    })?;
    Ok((seconds, count))
}

/// The worst cheap runs by the main figure, the worst first.
fn worst(rows: &[Gave], count: usize, plan: &Plan) -> Vec<u64> {
    use softdock_study::description::Order;
    let sign = match plan.study().keep.order {
        Some(Order::Smallest) => -1.0,
        _ => 1.0,
    };
    let values = rows.iter().enumerate();
    let mut ranked: Vec<(f64, u64)> = values
        .filter_map(|(run, row)| Some((sign * row.main?, run as u64)))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.truncate(count);
    ranked.into_iter().map(|(_, run)| run).collect()
}

/// The ends of the interval of the probability of capture if no undecided run in full were captured, and if
/// all were.
fn known(plan: &Plan, cheap: &[Gave], full: &[Gave]) -> Option<Interval> {
    let flag = |row: &Gave| row.captured.unwrap_or(false);
    let (near, far) = cheap.split_at(full.len());
    let (near, far): (Vec<bool>, Vec<bool>) = (
        near.iter().map(flag).collect(),
        far.iter().map(flag).collect(),
    );
    let dependence = Dependence::of(plan, &(0..full.len() as u64).collect::<Vec<_>>());
    let either_way = |event: bool| {
        let rows = full.iter().map(|row| row.decided().unwrap_or(event));
        probability_of_two(
            &rows.collect::<Vec<_>>(),
            &near,
            &far,
            &dependence,
            CONFIDENCE,
        )
    };
    if full.iter().all(|row| row.decided().is_some()) {
        return None;
    }
    Some(Interval {
        low: either_way(false)?.interval.low,
        high: either_way(true)?.interval.high,
    })
}

/// The estimates. The cheap value of a run without one is the same for all such runs: it is still a
/// function of the inputs, which is all that is asked of it.
fn estimate(plan: &Plan, cheap: &[Gave], full: &[Gave]) -> Found {
    let n = full.len();
    let values: Vec<f64> = cheap.iter().filter_map(|row| row.main).collect();
    let middle = quantile(&values, 0.5).unwrap_or(0.0);
    let flag = |row: &Gave| row.captured.unwrap_or(false);
    let value = |row: &Gave| row.main.unwrap_or(middle);
    let decided = || {
        full.iter()
            .zip(cheap)
            .filter(|(full, _)| full.captured.is_some())
    };
    // Which runs in full hang together, of those that have what is asked.
    let dependence = |has: fn(&Gave) -> bool| {
        let runs = (0..n as u64).filter(|&run| has(&full[run as usize]));
        Dependence::of(plan, &runs.collect::<Vec<_>>())
    };
    let capture = probability_of_two(
        &decided().map(|(full, _)| flag(full)).collect::<Vec<_>>(),
        &decided().map(|(_, cheap)| flag(cheap)).collect::<Vec<_>>(),
        &cheap[n..].iter().map(flag).collect::<Vec<_>>(),
        &dependence(|full| full.captured.is_some()),
        CONFIDENCE,
    );
    let known = known(plan, cheap, full);
    let measured = || {
        full.iter()
            .zip(cheap)
            .filter(|(full, _)| full.main.is_some())
    };
    let y: Vec<f64> = measured().map(|(full, _)| value(full)).collect();
    let z: Vec<f64> = measured().map(|(_, cheap)| value(cheap)).collect();
    let further: Vec<f64> = cheap[n..].iter().map(value).collect();
    let of_main = dependence(|full| full.main.is_some());
    let pairs = (0..n).map(|i| (i as u64, cheap[i], full[i])).collect();
    let without = |rows: &[Gave]| rows.iter().filter(|row| row.captured.is_none()).count();
    Found {
        runs: plan.runs(),
        full_runs: n as u64,
        main: main_figure(plan).map_or("", |(_, name)| name).to_owned(),
        capture,
        known,
        // Neither of infinite values nor of values that are all the same.
        mean: mean_of_two(&y, &z, &further, &of_main, CONFIDENCE)
            .filter(|found| found.interval.low < found.interval.high),
        infinite: y.iter().filter(|y| y.is_infinite()).count(),
        high: quantile_of_two(&y, &z, &further, &of_main, HIGH, CONFIDENCE),
        without: [without(full), without(cheap)],
        cost_share: f64::NAN,
        cost_ratio: f64::NAN,
        pairs,
        worst: Vec::new(),
    }
}
