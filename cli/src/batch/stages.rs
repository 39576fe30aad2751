//! Runs at chosen points, as studies of their own: stages of a search, runs to be confirmed.

use super::job::StudyJob;
use super::progress::Bar;
use super::study::VERSION;
use crate::run;
use anyhow::Result;
use softdock_study::description::{DesignRows, Fidelity, Form, Sampling, Study, Variation};
use softdock_study::{Directory, Job, Plan, RunOptions, Value};
use std::path::Path;

/// A study of `plan`'s scenario at given points.
pub fn listed(
    plan: &Plan,
    job: &StudyJob,
    name: &str,
    rows: &[Vec<Value>],
    weights: Vec<f64>,
) -> Result<Plan> {
    let vary = plan.inputs().iter().map(|input| Variation {
        kind: Some(input.kind),
        ..Variation::new(&input.name, Form::Listed)
    });
    let row = |values: &Vec<Value>| values.iter().map(Value::to_toml).collect();
    let study = Study {
        name: format!("{}, {name}", plan.study().name),
        fidelity: Fidelity::Full,
        screen: None,
        runs: None,
        sampling: Sampling::Design,
        scrambles: None,
        block: None,
        vary: vary.collect(),
        joint: Vec::new(),
        correlate: Vec::new(),
        design: Some(DesignRows {
            origin: name.to_owned(),
            rows: rows.iter().map(row).collect(),
            weights,
        }),
        ..plan.study().clone()
    };
    let scenario = plan.scenario().clone();
    Ok(Plan::new(study, scenario, job.figures(), VERSION)?)
}

/// Runs a stage, or what is left of it; none if it was stopped.
pub fn finished(
    stage: &Plan,
    job: &StudyJob,
    folder: &Path,
    threads: usize,
) -> Result<Option<Directory>> {
    let options = RunOptions {
        threads,
        resume: true,
        cancel: Some(run::stop_flag()),
        ..RunOptions::default()
    };
    let bar = Bar::new();
    let done = softdock_study::run(stage, job, folder, &options, &|now| bar.at(now));
    bar.finish();
    if done?.cancelled {
        return Ok(None);
    }
    Ok(Some(Directory::open(folder)?))
}
