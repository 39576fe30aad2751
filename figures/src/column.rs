//! Columns of tables, and tables.
//!
//! A column is stated once: key with its unit, unit, meaning, and how its number follows from a
//! sample. Header, rows, help texts and curves of a chart follow from it. A table of numbers has the
//! time, if it has one, in the column `time_s`.

use serde::Serialize;
use softdock_report::Series;
use std::fmt::Write;

/// Key of the column of time [s].
pub const TIME: &str = "time_s";

/// How a number follows from a sample.
type Reading<S> = Box<dyn Fn(&S) -> f64 + Send + Sync>;

/// A column of a table with a row per sample `S`.
pub struct Column<S> {
    /// Its key.
    pub key: String,
    /// Its unit; `-` for none.
    pub unit: &'static str,
    value: Reading<S>,
}

/// Columns that are told of together: the same unit and meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Meaning {
    /// Keys as a reader sees them, such as `x, y, z`.
    keys: String,
    /// What they are, with their unit.
    text: String,
}

/// The columns of a table with a row per sample `S`.
pub struct Columns<S> {
    columns: Vec<Column<S>>,
    meanings: Vec<Meaning>,
}

impl<S> std::fmt::Debug for Columns<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.header()).finish()
    }
}

impl<S: 'static> Columns<S> {
    /// No columns.
    pub fn new() -> Self {
        Self {
            columns: Vec::new(),
            meanings: Vec::new(),
        }
    }

    /// Columns that begin with the time [s].
    pub fn over_time(time: impl Fn(&S) -> f64 + Send + Sync + 'static) -> Self {
        Self::new().one(TIME, "s", "time", time)
    }

    /// Adds a column.
    pub fn one(
        mut self,
        key: &str,
        unit: &'static str,
        meaning: &str,
        value: impl Fn(&S) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.columns.push(Column {
            key: key.to_owned(),
            unit,
            value: Box::new(value),
        });
        self.told(key.to_owned(), unit, meaning)
    }

    /// Adds a column for each of `keys`; `value` gets the number of the key, from 0.
    pub fn each(
        mut self,
        keys: &[&str],
        unit: &'static str,
        meaning: &str,
        value: impl Fn(&S, usize) -> f64 + Send + Sync + Clone + 'static,
    ) -> Self {
        for (i, key) in keys.iter().enumerate() {
            let value = value.clone();
            self.columns.push(Column {
                key: (*key).to_owned(),
                unit,
                value: Box::new(move |sample| value(sample, i)),
            });
        }
        self.told(keys.join(", "), unit, meaning)
    }

    /// Adds a column for each of `count` legs, motors or the like: `key` has `{}` where their number
    /// stands, counted from 1; `value` gets it counted from 0.
    pub fn numbered(
        mut self,
        count: usize,
        key: &str,
        unit: &'static str,
        meaning: &str,
        value: impl Fn(&S, usize) -> f64 + Send + Sync + Clone + 'static,
    ) -> Self {
        for i in 0..count {
            let value = value.clone();
            self.columns.push(Column {
                key: key.replace("{}", &(i + 1).to_string()),
                unit,
                value: Box::new(move |sample| value(sample, i)),
            });
        }
        self.told(format!("{} ...", key.replace("{}", "1")), unit, meaning)
    }

    fn told(mut self, keys: String, unit: &str, meaning: &str) -> Self {
        let text = match unit {
            "-" => meaning.to_owned(),
            unit => format!("{meaning} [{unit}]"),
        };
        self.meanings.push(Meaning { keys, text });
        self
    }

    /// Adds the columns of a part of the sample, their keys behind `prefix`.
    pub fn part<P: 'static>(
        mut self,
        prefix: &str,
        part: Columns<P>,
        of: impl for<'a> Fn(&'a S) -> &'a P + Send + Sync + Clone + 'static,
    ) -> Self {
        for column in part.columns {
            let (of, value) = (of.clone(), column.value);
            self.columns.push(Column {
                key: format!("{prefix}{}", column.key),
                unit: column.unit,
                value: Box::new(move |sample| value(of(sample))),
            });
        }
        for Meaning { keys, text } in part.meanings {
            let keys: Vec<String> = keys
                .split(", ")
                .map(|key| format!("{prefix}{key}"))
                .collect();
            let keys = keys.join(", ");
            self.meanings.push(Meaning { keys, text });
        }
        self
    }

    /// What a help text says of the columns: a line each, or one for several of a kind.
    pub fn help(&self) -> String {
        let width = self.meanings.iter().map(|m| m.keys.chars().count());
        let width = width.max().unwrap_or(0);
        let mut out = String::new();
        for Meaning { keys, text } in &self.meanings {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "  {keys:<width$}  {text}");
        }
        out
    }

    /// The table of all samples, for the file `file`.
    pub fn table<'a>(&self, file: &'static str, samples: impl IntoIterator<Item = &'a S>) -> Table {
        let mut table = Table {
            file,
            keys: self.header().map(str::to_owned).collect(),
            units: self.columns.iter().map(|column| column.unit).collect(),
            values: vec![Vec::new(); self.columns.len()],
            words: Vec::new(),
        };
        for sample in samples {
            for (values, value) in table.values.iter_mut().zip(self.row(sample)) {
                values.push(value);
            }
        }
        table
    }
}

impl<S> Columns<S> {
    /// Keys of the columns.
    pub fn header(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.key.as_str())
    }

    /// The numbers of a sample.
    pub fn row(&self, sample: &S) -> impl Iterator<Item = f64> {
        self.columns.iter().map(|column| (column.value)(sample))
    }
}

impl<S: 'static> Default for Columns<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// A table of numbers, column by column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// Name of its file in the folder of results.
    pub file: &'static str,
    /// Keys of the columns.
    pub keys: Vec<String>,
    /// Units of the columns; `-` for none.
    pub units: Vec<&'static str>,
    /// The columns: as many numbers each as there are rows; NaN where there is none.
    pub values: Vec<Vec<f64>>,
    /// Columns of words behind them: key and a word for each row.
    pub words: Vec<(String, Vec<String>)>,
}

impl Table {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.first().map_or(0, Vec::len)
    }

    /// Keys of all columns.
    pub fn header(&self) -> impl Iterator<Item = &str> {
        let words = self.words.iter().map(|(key, _)| key);
        self.keys.iter().chain(words).map(String::as_str)
    }

    /// A row as text: numbers with the digits that read back as the same ones, nothing where there
    /// is none; whole numbers without a unit have no decimal point.
    pub fn row(&self, index: usize) -> impl Iterator<Item = String> {
        // Flags and counts are whole numbers without a unit.
        let whole = |value: f64| value.fract() == 0.0 && value.abs() < 1e15;
        let number = move |(column, unit): (&Vec<f64>, &&'static str)| {
            let value = *column.get(index)?;
            Some(match *unit {
                _ if value.is_nan() => String::new(),
                "-" if whole(value) => value.to_string(),
                _ => format!("{value:?}"),
            })
        };
        let numbers = self.values.iter().zip(&self.units).filter_map(number);
        let words = self.words.iter();
        let words = words.filter_map(move |(_, column)| column.get(index).cloned());
        numbers.chain(words)
    }
}

/// A curve of one number of every sample against another, thinned without losing its peaks.
pub fn curve<S>(name: &str, samples: &[S], x: impl Fn(&S) -> f64, y: impl Fn(&S) -> f64) -> Series {
    let x: Vec<f64> = samples.iter().map(x).collect();
    let y: Vec<f64> = samples.iter().map(y).collect();
    Series::line(name, &x, &y)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Point {
        time: f64,
        place: [f64; 2],
    }

    struct Two {
        first: Point,
        second: Point,
    }

    fn columns() -> Columns<Point> {
        Columns::over_time(|p: &Point| p.time)
            .each(&["x_m", "y_m"], "m", "place", |p: &Point, i| p.place[i])
            .numbered(2, "q{}_m", "m", "place again", |p: &Point, i| p.place[i])
    }

    #[test]
    fn header_rows_and_help_follow_from_the_columns() {
        let point = Point {
            time: 1.0,
            place: [2.0, 3.0],
        };
        let columns = columns();
        let header: Vec<&str> = columns.header().collect();
        assert_eq!(header, ["time_s", "x_m", "y_m", "q1_m", "q2_m"]);
        let row: Vec<f64> = columns.row(&point).collect();
        assert_eq!(row, [1.0, 2.0, 3.0, 2.0, 3.0]);
        assert_eq!(
            columns.help(),
            "  time_s    time [s]\n  x_m, y_m  place [m]\n  q1_m ...  place again [m]\n"
        );
        let table = columns.table("points.csv", [&point, &point]);
        assert_eq!(table.rows(), 2);
        assert_eq!(
            table.row(1).collect::<Vec<_>>(),
            ["1.0", "2.0", "3.0", "2.0", "3.0"]
        );
    }

    #[test]
    fn columns_of_parts_have_their_prefix() {
        let place = || Columns::new().each(&["x", "y"], "m", "place", |p: &Point, i| p.place[i]);
        let both = Columns::over_time(|two: &Two| two.first.time)
            .part("a_", place(), |two: &Two| &two.first)
            .part("b_", place(), |two: &Two| &two.second);
        let header: Vec<&str> = both.header().collect();
        assert_eq!(header, ["time_s", "a_x", "a_y", "b_x", "b_y"]);
        assert!(both.help().contains("  b_x, b_y  place [m]\n"));
        let two = Two {
            first: Point {
                time: 0.0,
                place: [1.0, 2.0],
            },
            second: Point {
                time: 0.0,
                place: [3.0, 4.0],
            },
        };
        let row: Vec<f64> = both.row(&two).collect();
        assert_eq!(row, [0.0, 1.0, 2.0, 3.0, 4.0]);
    }
}
