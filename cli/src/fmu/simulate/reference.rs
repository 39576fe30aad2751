//! What the default experiment of a packaged model gives, for the reference results inside its FMU.

use super::columns::Columns;
use super::{Times, division, prepare};
use crate::run::grid_time;
use anyhow::{Context, Result};
use softdock_fmi::import::{FmuArchive, Options};

/// Most rows of the table, but for the first.
const MOST_ROWS: usize = 200;

/// The outputs over the default experiment as a table, at every step or, of a long one, at every so many.
/// The library is loaded into this process: it must be the program's own.
pub fn results(fmu: &FmuArchive) -> Result<Vec<u8>> {
    let description = fmu.description();
    let experiment = description.default_experiment.unwrap_or_default();
    let (stop, step) = (experiment.stop_time, experiment.step_size);
    let times = Times {
        start: 0.0,
        stop: stop.context("the model names no stop time")?,
        step: step.context("the model names no step")?,
        tolerance: experiment.tolerance,
    };
    let columns = Columns::new(&[], description)?;
    let mut instance = fmu.instantiate(&description.model_name, &Options::default())?;
    prepare(&mut instance, &[], None, times)?;
    let (count, duration) = division(times);
    let offset = |k: usize| match k {
        k if k == count => duration,
        k => grid_time(k, times.step),
    };
    let stride = count.div_ceil(MOST_ROWS).max(1);
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["time"].into_iter().chain(columns.names()))?;
    for k in 0..=count {
        if k > 0 {
            instance.do_final_step(offset(k - 1), offset(k) - offset(k - 1))?;
        }
        if k % stride == 0 || k == count {
            let time = std::iter::once(format!("{:?}", offset(k)));
            let row = columns.read(&mut instance)?;
            table.write_record(time.chain(row.iter().map(ToString::to_string)))?;
        }
    }
    Ok(table.into_inner()?)
}
