//! Runs the default experiment of every FMU that it is given through the crate `fmi`, and compares the
//! outputs with the reference results inside the FMU.

use fmi::fmi2::import::Fmi2Import;
use fmi::fmi2::instance::{CoSimulation as _, Common as _};
use fmi::fmi3::import::Fmi3Import;
use fmi::fmi3::{CoSimulation as _, Common as _, Fmi3Model, GetSet as _};
use fmi::schema::MajorVersion;
use fmi::schema::fmi3::{AbstractVariableTrait, ArrayableVariableTrait};
use fmi::schema::traits::{DefaultExperiment, FmiModelDescription};
use fmi::traits::{FmiImport, FmiInstance as _};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

/// Where an FMU keeps its reference results.
const RESULTS: &str = "extra/org.fmi-standard.fmi-ls-ref/results.csv";
/// Times of communication points are summed up in another way than in the program: their last bits differ.
const ALLOWED: f64 = 1e-9;
/// A row of the results belongs to a communication point nearer than this part of the step.
const NEAR: f64 = 1e-3;

type Anything<T> = Result<T, Box<dyn Error>>;

/// Names of columns and rows, the time first.
struct Table {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Table {
    fn read(path: &Path) -> Anything<Self> {
        let text = std::fs::read_to_string(path)?;
        let mut lines = text.lines();
        let header = lines.next().ok_or("there are no results")?;
        let names = header.split(',').skip(1).map(str::to_owned).collect();
        let number = |cell: &str| Ok(cell.parse::<f64>()?);
        let row = |line: &str| line.split(',').map(number).collect::<Anything<Vec<f64>>>();
        let rows = lines.map(row).collect::<Anything<Vec<_>>>()?;
        Ok(Self { names, rows })
    }

    /// Largest difference of a row from these values, as a part of the column's size.
    fn difference(&self, row: usize, values: &[f64]) -> f64 {
        let wanted = &self.rows[row][1..];
        let mut largest: f64 = 0.0;
        for (k, (value, wanted)) in values.iter().zip(wanted).enumerate() {
            let column = self.rows.iter().map(|row| row[k + 1].abs());
            let size = column.fold(1e-3, f64::max);
            let off = (value - wanted).abs() / size;
            // NaN counts, too.
            if !(off <= largest) {
                largest = off;
            }
        }
        largest
    }
}

/// An FMU that can be stepped and asked.
trait Running {
    fn values(&mut self) -> Anything<Vec<f64>>;
    fn step(&mut self, start: f64, length: f64) -> Anything<()>;
}

/// Makes the steps of the experiment and compares at the times of the table: rows and largest difference.
fn compare(running: &mut dyn Running, table: &Table, step: f64) -> Anything<(usize, f64)> {
    let (mut largest, mut count, mut k) = (0.0_f64, 0, 0_u32);
    for (row, cells) in table.rows.iter().enumerate() {
        while f64::from(k) * step < cells[0] - NEAR * step {
            running.step(f64::from(k) * step, step)?;
            k += 1;
        }
        if (f64::from(k) * step - cells[0]).abs() > NEAR * step {
            return Err(format!("no communication point at {} s", cells[0]).into());
        }
        let off = table.difference(row, &running.values()?);
        if !(off <= largest) {
            largest = off;
        }
        count += 1;
    }
    Ok((count, largest))
}

struct Two {
    instance: fmi::fmi2::instance::InstanceCS,
    references: Vec<u32>,
}

impl Running for Two {
    fn values(&mut self) -> Anything<Vec<f64>> {
        let mut out = vec![0.0; self.references.len()];
        self.instance.get_real(&self.references, &mut out)?;
        Ok(out)
    }

    fn step(&mut self, start: f64, length: f64) -> Anything<()> {
        self.instance.do_step(start, length, true)?;
        Ok(())
    }
}

fn run_two(path: &Path) -> Anything<(usize, f64)> {
    let import: Fmi2Import = fmi::import::from_path(path)?;
    let description = import.model_description();
    let table = Table::read(&import.archive_path().join(RESULTS))?;
    let known: BTreeMap<&str, u32> = description
        .get_model_variables()
        .map(|variable| (variable.name.as_str(), variable.value_reference))
        .collect();
    let find = |name: &String| {
        known
            .get(name.as_str())
            .copied()
            .ok_or(format!("no {name}"))
    };
    let references = table.names.iter().map(find).collect::<Result<_, _>>()?;
    let step = description.step_size().ok_or("no step size")?;
    let mut instance = import.instantiate_cs("in the crate fmi", false, false)?;
    instance.setup_experiment(None, 0.0, None)?;
    fmi::fmi2::instance::Common::enter_initialization_mode(&mut instance)?;
    fmi::fmi2::instance::Common::exit_initialization_mode(&mut instance)?;
    compare(
        &mut Two {
            instance,
            references,
        },
        &table,
        step,
    )
}

struct Three {
    instance: fmi::fmi3::instance::InstanceCS,
    /// Arrays: reference and number of elements.
    arrays: Vec<(u32, usize)>,
    /// Array and element of every column.
    columns: Vec<(usize, usize)>,
}

impl Running for Three {
    fn values(&mut self) -> Anything<Vec<f64>> {
        let mut all = Vec::new();
        for &(reference, count) in &self.arrays {
            let mut values = vec![0.0; count];
            self.instance.get_float64(&[reference], &mut values)?;
            all.push(values);
        }
        let value = |&(array, element): &(usize, usize)| all[array][element];
        Ok(self.columns.iter().map(value).collect())
    }

    fn step(&mut self, start: f64, length: f64) -> Anything<()> {
        let (mut event, mut end, mut early, mut reached) = (false, false, false, 0.0);
        self.instance.do_step(
            start,
            length,
            true,
            &mut event,
            &mut end,
            &mut early,
            &mut reached,
        )?;
        Ok(())
    }
}

fn run_three(path: &Path) -> Anything<(usize, f64)> {
    let import: Fmi3Import = fmi::import::from_path(path)?;
    let description = import.model_description();
    let table = Table::read(&import.archive_path().join(RESULTS))?;
    let known: BTreeMap<&str, (u32, usize)> = (description.model_variables.float64().iter())
        .map(|variable| {
            let dimension = variable.dimensions().first().and_then(|d| d.as_fixed());
            let count = usize::try_from(dimension.unwrap_or(1)).unwrap_or(1);
            (variable.name(), (variable.value_reference(), count))
        })
        .collect();
    let (mut arrays, mut columns): (Vec<(u32, usize)>, Vec<_>) = (Vec::new(), Vec::new());
    for name in &table.names {
        // A name with a number is a variable of its own, or the element of an array.
        let (found, element) = match (known.get(name.as_str()), name.rsplit_once('[')) {
            (Some(found), _) => (*found, 0),
            (None, Some((array, number))) => {
                let number: usize = number.trim_end_matches(']').parse()?;
                let found = known.get(array).ok_or(format!("no {name}"))?;
                (*found, number - 1)
            }
            (None, None) => return Err(format!("no {name}").into()),
        };
        let place = arrays.iter().position(|array| *array == found);
        let place = place.unwrap_or_else(|| {
            arrays.push(found);
            arrays.len() - 1
        });
        columns.push((place, element));
    }
    let step = description.step_size().ok_or("no step size")?;
    let mut instance =
        import.instantiate_cs("in the crate fmi", false, false, false, false, &[])?;
    fmi::fmi3::Common::enter_initialization_mode(&mut instance, None, 0.0, None)?;
    fmi::fmi3::Common::exit_initialization_mode(&mut instance)?;
    let mut running = Three {
        instance,
        arrays,
        columns,
    };
    compare(&mut running, &table, step)
}

fn run(path: &Path) -> Anything<bool> {
    let version = fmi::import::peek_descr_path(path)?.major_version()?;
    let (rows, off) = match version {
        MajorVersion::FMI2 => run_two(path)?,
        MajorVersion::FMI3 => run_three(path)?,
        other => return Err(format!("version {other:?}").into()),
    };
    println!(
        "{}: {rows} rows, largest difference {off:.1e}",
        path.display()
    );
    Ok(off <= ALLOWED)
}

fn main() {
    let mut good = true;
    for path in std::env::args_os().skip(1) {
        match run(Path::new(&path)) {
            Ok(near) => good &= near,
            Err(error) => {
                println!("{}: {error}", Path::new(&path).display());
                good = false;
            }
        }
    }
    std::process::exit(i32::from(!good));
}
