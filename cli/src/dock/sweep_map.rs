//! Two keys varied against each other: a map of the figures with the outcome of every run.

use super::sweep::{COLUMNS, CURVES, MOST_RUNS, Point, Range, check_ends, run_all, scenario_at};
use super::{Arguments, shipped};
use crate::failure::{BadInput, FAILED, STOPPED, verdict_with};
use crate::figures::{axis, title};
use crate::kind;
use crate::output::{self, CsvFile};
use crate::run;
use crate::settings::Resolved;
use anyhow::Result;
use multibody::results::soundness::Soundness;
use serde_json::{Value, json};
use softdock_docking::{Figure, Outcome, Scenario, Summary, Verdicts};
use softdock_report::{Block, Cell, Listing, Map, Page, Table};
use std::path::Path;
use std::process::ExitCode;

/// What became of runs that no outcome is claimed for.
const WITHOUT: [&str; 2] = ["suspect", "failed"];

/// What a sweep over two keys found.
struct Grid {
    ranges: [Range; 2],
    /// Name of the scenario.
    scenario: String,
    /// The runs that came to an end, by their places: the first key fastest.
    points: Vec<(usize, Point)>,
}

impl Grid {
    fn runs(&self) -> usize {
        self.ranges.iter().map(|range| range.values.len()).product()
    }

    /// The values of both keys of a run.
    fn values(&self, place: usize) -> [f64; 2] {
        let [x, y] = &self.ranges;
        let count = x.values.len();
        [x.values[place % count], y.values[place / count]]
    }

    fn at(&self, place: usize) -> String {
        let [x, y] = self.values(place).map(shown);
        format!("{x}, {y}")
    }

    /// What every run says about the requirements.
    fn requirements(&self) -> Verdicts {
        let mut out = Verdicts::default();
        for (place, point) in &self.points {
            let Ok(summary) = &point.done else { continue };
            out.0
                .extend(summary.requirements.0.iter().cloned().map(|mut verdict| {
                    verdict.name = format!("at {}: {}", self.at(*place), verdict.name);
                    verdict
                }));
        }
        out
    }

    fn soundness(&self) -> Soundness {
        let all = self.points.iter().map(|(_, point)| point.soundness());
        all.reduce(Soundness::and).unwrap_or_default()
    }

    fn failures(&self) -> usize {
        let failed = self.points.iter().filter(|(_, point)| point.done.is_err());
        failed.count()
    }

    /// For machines.
    fn summary(&self) -> Value {
        let run = |(place, point): &(usize, Point)| {
            let (summary, error) = (point.done.as_ref().ok(), point.done.as_ref().err());
            json!({ "values": self.values(*place), "summary": summary, "error": error })
        };
        json!({
            "keys": self.ranges.each_ref().map(|range| &range.key),
            "complete": self.points.len() == self.runs(),
            "runs": self.points.iter().map(run).collect::<Vec<Value>>(),
        })
    }

    /// A figure over both keys with what became of every run; nothing if no run has it.
    fn map(&self, figure: &Figure) -> Option<Map> {
        let mut values = vec![f64::NAN; self.runs()];
        let mut marks = vec![None; self.runs()];
        let outcomes = Outcome::ALL.map(|outcome| outcome.to_string());
        let mut kinds: Vec<String> = outcomes.into_iter().collect();
        kinds.extend(WITHOUT.map(str::to_owned));
        for (place, point) in &self.points {
            let known = match point.soundness() {
                Soundness::Sound => {
                    values[*place] = figure.scaled(point.number(figure));
                    let outcome = point.done.as_ref().ok().map(|done| done.outcome);
                    Outcome::ALL.iter().position(|one| Some(*one) == outcome)
                }
                Soundness::Suspect(_) => Some(kinds.len() - 2),
                Soundness::Failed(_) => Some(kinds.len() - 1),
            };
            marks[*place] = known;
        }
        let [x, y] = &self.ranges;
        values.iter().any(|value| value.is_finite()).then(|| Map {
            title: title(figure),
            sentence: format!("{}. The marks say what became of each run.", figure.meaning),
            x: x.axis(),
            y: y.axis(),
            value: axis(figure),
            xs: x.values.clone(),
            ys: y.values.clone(),
            values,
            marks,
            kinds,
        })
    }

    /// A run per row.
    fn table(&self) -> Table {
        let named = |range: &Range| match range.axis().unit.as_str() {
            "" => range.key.clone(),
            unit => format!("{} [{unit}]", range.key),
        };
        let mut columns: Vec<String> = self.ranges.iter().map(named).collect();
        let known = self.points.iter().map(|(_, point)| point.shown().figures);
        let known = known.max_by_key(Vec::len).unwrap_or_default();
        columns.extend(known.iter().map(|figure| figure.label.clone()));
        let any_failed = self.failures() > 0;
        columns.extend(any_failed.then(|| "failure".to_owned()));
        let row = |(place, point): &(usize, Point)| {
            let shown = point.shown();
            let mut cells: Vec<Cell> = self.values(*place).map(Cell::setting).to_vec();
            cells.extend((0..known.len()).map(|i| match shown.figures.get(i) {
                Some(figure) => Cell::figure(figure),
                None => Cell::number(f64::NAN, 1),
            }));
            cells.extend(any_failed.then(|| Cell::text(shown.failure.unwrap_or_default())));
            cells
        };
        Table {
            title: "Runs".to_owned(),
            sentence: "A run per row, the first setting fastest.".to_owned(),
            columns,
            rows: self.points.iter().map(row).collect(),
        }
    }

    /// What the reader must know first.
    fn warning(&self) -> Option<String> {
        let (done, all) = (self.points.len(), self.runs());
        let stopped = format!("Incomplete: stopped after {done} of {all} runs.");
        let suspect = self.points.iter().map(|(_, point)| point.soundness());
        let suspect = suspect.filter(Soundness::is_suspect).count();
        let left_out = format!("{suspect} suspect runs have no colour in the maps.");
        let parts: Vec<String> = [(done < all, stopped), (suspect > 0, left_out)]
            .into_iter()
            .filter_map(|(holds, text)| holds.then_some(text))
            .collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

/// A value as people type it: steps of a tenth do not add up to that.
fn shown(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

/// Runs the sweep.
pub fn run(
    arguments: &Arguments,
    base: &Resolved<Scenario>,
    texts: [&String; 2],
) -> Result<ExitCode> {
    let [x, y] = [Range::parse(texts[0])?, Range::parse(texts[1])?];
    let count = x.values.len() * y.values.len();
    if x.key == y.key {
        return Err(BadInput::new(format!("--sweep: {} is given twice", x.key)).into());
    }
    if count as f64 > MOST_RUNS {
        let message =
            format!("--sweep: {count} runs are more than {MOST_RUNS}; use `softdock batch`");
        return Err(BadInput::new(message).into());
    }
    let mut grid = Grid {
        ranges: [x, y],
        scenario: shipped::name_of(arguments.scenario.as_deref()),
        points: Vec::new(),
    };
    let scenario = |place: usize| {
        let [a, b] = grid.values(place);
        let [x, y] = &grid.ranges;
        scenario_at(arguments, &[(&x.key, a, texts[0]), (&y.key, b, texts[1])])
    };
    let scenarios = (0..count).map(scenario).collect::<Result<Vec<_>>>()?;
    let fmu = arguments.legs.archive()?;
    check_ends(&scenarios, fmu.as_ref())?;
    let folder = arguments.folder();
    kind::check(&folder, "a sweep", arguments.force)?;
    for name in ["report.html", "sweep.csv", "summary.json"] {
        output::probe(&folder.join(name))?;
    }
    let places: Vec<f64> = (0..count).map(|place| place as f64).collect();
    let points = run_all(&scenarios, &places, fmu.as_ref(), &run::stop_requested);
    grid.points = points
        .into_iter()
        .map(|point| (point.value as usize, point))
        .collect();
    write(arguments, &folder, &grid, base)?;
    if arguments.output.json {
        output::say_json(&grid.summary())?;
    } else {
        say(arguments, &grid, &folder)?;
    }
    if grid.points.len() < count {
        return Ok(ExitCode::from(STOPPED));
    }
    if grid.failures() > 0 {
        let failed = grid.failures();
        eprintln!("softdock: {failed} of {count} runs failed; the others are kept");
        return Ok(ExitCode::from(FAILED));
    }
    Ok(verdict_with(&grid.soundness(), &grid.requirements()))
}

fn write(
    arguments: &Arguments,
    folder: &Path,
    grid: &Grid,
    base: &Resolved<Scenario>,
) -> Result<()> {
    let mut header: Vec<&str> = grid.ranges.iter().map(|range| &*range.key).collect();
    header.extend(COLUMNS.iter().map(|figure| figure.key));
    header.extend([Summary::outcome.key, Summary::soundness.key]);
    let mut csv = CsvFile::create(&folder.join("sweep.csv"), &header)?;
    for (place, point) in &grid.points {
        let mut row = grid.values(*place).to_vec();
        row.extend(COLUMNS.iter().map(|figure| point.number(figure)));
        csv.row_with_words(&row, &point.words())?;
    }
    if grid.points.len() == grid.runs() {
        csv.finish()?;
    } else {
        csv.keep_partial()?;
        output::remove_stale(folder, &["sweep.csv"])?;
    }
    output::write_json(&folder.join("summary.json"), &grid.summary())?;
    output::remove_stale(folder, &["run.csv", "run.partial.csv", "config.toml"])?;
    if arguments.no_report {
        output::remove_stale(folder, &["report.html"])?;
        return Ok(());
    }
    let maps = CURVES.iter().filter_map(|figure| grid.map(figure));
    let mut blocks: Vec<Block> = maps.map(Block::from).collect();
    blocks.push(grid.table().into());
    blocks.push(
        Listing {
            title: "Configuration".to_owned(),
            sentence: "What all runs share.".to_owned(),
            text: base.print()?,
        }
        .into(),
    );
    let [x, y] = &grid.ranges;
    let page = Page {
        title: format!("Docking over {} and {}", x.key, y.key),
        lead: format!(
            "{} runs of the scenario {}, all alike but for two settings.",
            grid.points.len(),
            grid.scenario
        ),
        warning: grid.warning(),
        figures: Vec::new(),
        blocks,
        dense: false,
    };
    output::write_atomic(&folder.join("report.html"), page.html()?.as_bytes())?;
    Ok(())
}

/// Outcomes as a field of letters, forces beside it.
fn say(arguments: &Arguments, grid: &Grid, folder: &Path) -> Result<()> {
    let [x, y] = &grid.ranges;
    let (scenario, done) = (&grid.scenario, grid.points.len());
    let mut lines = vec![
        format!("Docking: {scenario}, {done} runs over {} and {}", x.key, y.key),
        "  peak contact force [N]; c captured, b bounced, i in contact at the end, n never touched, \
         ? suspect, x failed"
            .to_owned(),
    ];
    let head: String = x
        .values
        .iter()
        .map(|v| format!("{:>10}", shown(*v)))
        .collect();
    lines.push(format!("  {:>10}{head}", ""));
    let cell = |place: usize| {
        let found = grid.points.iter().find(|(at, _)| *at == place);
        let Some((_, point)) = found else {
            return format!("{:>10}", "-");
        };
        let letter = match (&point.soundness(), &point.done) {
            (Soundness::Sound, Ok(done)) => &done.outcome.key()[..1],
            (Soundness::Suspect(_), _) => "?",
            _ => "x",
        };
        let force = point.number(&Summary::peak_contact_force_n);
        match force.is_finite() {
            true => format!("{force:>8.1} {letter}"),
            false => format!("{:>8} {letter}", "-"),
        }
    };
    for (j, value) in y.values.iter().enumerate() {
        let count = x.values.len();
        let row: String = (0..count).map(|i| cell(j * count + i)).collect();
        lines.push(format!("  {:>10}{row}", shown(*value)));
    }
    if done < grid.runs() {
        let all = grid.runs();
        lines.push(format!(
            "  Stopped after {done} of {all} runs: the sweep is incomplete."
        ));
    }
    if !arguments.no_report {
        let report = folder.join("report.html");
        lines.push(format!("\n  report  {}", report.display()));
    }
    output::tell(&lines.join("\n"))?;
    Ok(())
}
