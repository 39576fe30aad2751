//! One run of a study: a docking, or the value of formulas.

use super::figures;
use crate::dock::table;
use crate::output::{append_header, append_row};
use anyhow::Result;
use multibody::results::soundness::Soundness;
use softdock_docking::{DockingRun, Outcome as Verdict, Scenario, Summary};
use softdock_study::formula::Formulas;
use softdock_study::{Case, FigureSpec, Job, Kind, Outcome, Plan, Study, Value};

/// What a run of a study does.
#[derive(Debug)]
pub enum StudyJob {
    /// It simulates a docking.
    Docking(Docking),
    /// It evaluates formulas.
    Formulas(FormulaJob),
}

impl StudyJob {
    /// The job of a plan that was made before.
    pub fn of(plan: &Plan) -> Result<Self> {
        if plan.study().formula.is_empty() {
            let base = Scenario::try_from(plan.scenario().clone())?;
            return Ok(Self::Docking(Docking::new(&base)?));
        }
        Ok(Self::Formulas(FormulaJob::new(plan.study())?))
    }
}

impl Job for StudyJob {
    type Scratch = ();

    fn figures(&self) -> &[FigureSpec] {
        match self {
            Self::Docking(job) => job.figures(),
            Self::Formulas(job) => &job.figures,
        }
    }

    fn scratch(&self) {}

    fn run(&self, case: &Case<'_>, (): &mut ()) -> Outcome {
        match self {
            Self::Docking(job) => job.run(case, &mut ()),
            Self::Formulas(job) => job.run(case),
        }
    }
}

/// Formulas with the verdicts that every table has. A formula called `captured` says what became of a
/// run: above 0 captured, 0 bounced, below 0 still in contact at the end.
#[derive(Debug)]
pub struct FormulaJob {
    figures: Vec<FigureSpec>,
    formulas: Formulas,
}

impl FormulaJob {
    /// The formulas of a study.
    pub fn new(study: &Study) -> Result<Self> {
        let inputs: Vec<&str> = study.vary.iter().map(|v| v.key.as_str()).collect();
        let formulas = Formulas::new(&study.formula, &inputs)?;
        let verdicts = [
            Summary::soundness.key,
            Summary::soundness_reasons.key,
            Summary::outcome.key,
        ];
        let mut figures = verdicts
            .map(|key| FigureSpec::new(key, Kind::Text))
            .to_vec();
        figures.extend(formulas.figures().iter().cloned());
        Ok(Self { figures, formulas })
    }

    fn run(&self, case: &Case<'_>) -> Outcome {
        let outcome = self.formulas.run(case, &mut ());
        let Ok(values) = &outcome.figures else {
            return outcome;
        };
        let names = self.formulas.figures().iter().zip(values);
        let captured = names.filter(|(spec, _)| spec.name == "captured");
        let mut captured = captured.filter_map(|(_, value)| value.as_ref()?.number());
        let verdict = match captured.next_back() {
            Some(x) if x < 0.0 => Verdict::InContact,
            Some(x) if x <= 0.0 => Verdict::Bounced,
            _ => Verdict::Captured,
        };
        let words = [Soundness::Sound.key(), "", verdict.key()];
        let words = words.map(|word| Some(Value::Text(word.to_owned())));
        Outcome::ok(words.into_iter().chain(values.iter().cloned()).collect())
    }
}

/// Dockings with varied inputs.
#[derive(Debug)]
pub struct Docking {
    figures: Vec<FigureSpec>,
}

impl Docking {
    /// Dockings that vary `base`, which must be able to start: its summary says which figures
    /// there are.
    pub fn new(base: &Scenario) -> Result<Self> {
        let start = DockingRun::new(base, false)?;
        Ok(Self {
            figures: figures::specs(&start.summary()?, &base.docking.requirement),
        })
    }

    fn attempt(&self, case: &Case<'_>) -> Result<Outcome> {
        let scenario = scenario_of(case.plan, case.run)?;
        let mut run = DockingRun::new(&scenario, case.wants_series)?;
        let outcome = match run.run() {
            Ok(()) => {
                let requirements = &scenario.docking.requirement;
                Outcome::ok(figures::values(
                    &run.summary()?,
                    requirements,
                    &self.figures,
                ))
            }
            Err(error) => Outcome::failed(error.to_string()),
        };
        Ok(if case.wants_series {
            outcome.with_series(series(&run))
        } else {
            outcome
        })
    }
}

impl Job for Docking {
    type Scratch = ();

    fn figures(&self) -> &[FigureSpec] {
        &self.figures
    }

    fn scratch(&self) {}

    fn run(&self, case: &Case<'_>, (): &mut ()) -> Outcome {
        self.attempt(case)
            .unwrap_or_else(|error| Outcome::failed(format!("{error:#}")))
    }
}

/// The scenario of a run, not checked.
pub fn scenario_of(plan: &Plan, run: u64) -> Result<Scenario> {
    Ok(Scenario::try_from(plan.scenario_of(run)?)?)
}

/// The time series as CSV: the same bytes as `run.csv` of a docking on its own.
fn series(run: &DockingRun) -> Vec<u8> {
    let header = table::header(run);
    let names: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut bytes = Vec::new();
    append_header(&mut bytes, &names);
    for sample in run.samples() {
        append_row(&mut bytes, &table::row(sample, run.start()));
    }
    bytes
}
