//! Points of a study from a file, as other programs write them.
//!
//! A table with a header: the names of the columns are keys. Columns are separated by commas,
//! semicolons, tabs or spaces, whichever the header has. Dakota's tables begin their header with `%`
//! and have columns of their own (`eval_id`, `interface`), which are passed over.

use crate::failure::BadInput;
use crate::input_file;
use anyhow::Result;
use softdock_study::Kind;
use softdock_study::description::{DesignRows, Form, Sampling, Study, Variation};
use std::path::Path;

/// Columns that are not inputs.
const PASSED_OVER: [&str; 3] = ["eval_id", "interface", "run"];

/// The study with the points of a file in place of its own.
pub fn put_into(study: Study, file: &Path) -> Result<Study> {
    let text = input_file::read_text(file)
        .map_err(|error| BadInput::new(format!("{} cannot be read: {error}", file.display())))?;
    let refused = |message: String| BadInput::new(format!("{}: {message}", file.display()));
    let table = Table::read(&text, !study.formula.is_empty()).map_err(refused)?;
    let origin = file
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let vary = table.columns.iter().map(Column::variation).collect();
    let rows = (0..table.rows)
        .map(|row| {
            table
                .columns
                .iter()
                .map(|column| column.value(row))
                .collect()
        })
        .collect();
    let study = Study {
        runs: None,
        sampling: Sampling::Design,
        scrambles: None,
        block: None,
        vary,
        joint: Vec::new(),
        correlate: Vec::new(),
        design: Some(DesignRows {
            origin,
            rows,
            weights: Vec::new(),
        }),
        ..study
    };
    study.validate()?;
    Ok(study)
}

struct Table {
    columns: Vec<Column>,
    rows: usize,
}

struct Column {
    key: String,
    kind: Kind,
    cells: Vec<String>,
    /// Line of each cell in the file, from 1.
    lines: Vec<usize>,
}

impl Table {
    /// Reads a table; `numbers` says that texts and truth values are of no use.
    fn read(text: &str, numbers: bool) -> Result<Self, String> {
        // Spreadsheets put a byte order mark in front.
        let mut lines = text
            .trim_start_matches('\u{feff}')
            .lines()
            .enumerate()
            .map(|(number, line)| (number + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty());
        let (_, header) = lines.next().ok_or("it is empty")?;
        let header = header.trim_start_matches(['%', '#']).trim();
        let separator = [',', ';', '\t'].into_iter().find(|c| header.contains(*c));
        let split = |line: &str| -> Vec<String> {
            let clean = |cell: &str| cell.trim().trim_matches('"').to_owned();
            match separator {
                Some(separator) => line.split(separator).map(clean).collect(),
                None => line.split_whitespace().map(clean).collect(),
            }
        };
        let names = split(header);
        let mut columns: Vec<Column> = names
            .iter()
            .map(|name| Column {
                key: name.clone(),
                kind: Kind::Real,
                cells: Vec::new(),
                lines: Vec::new(),
            })
            .collect();
        let mut rows = 0;
        for (number, line) in lines {
            let cells = split(line);
            if cells.len() != names.len() {
                let (found, expected) = (cells.len(), names.len());
                return Err(format!(
                    "line {number} has {found} columns, the header {expected}"
                ));
            }
            for (column, cell) in columns.iter_mut().zip(cells) {
                column.cells.push(cell);
                column.lines.push(number);
            }
            rows += 1;
        }
        columns.retain(|column| !PASSED_OVER.contains(&column.key.as_str()));
        for column in &mut columns {
            column.find_kind();
            column.check(numbers)?;
        }
        match (columns.is_empty(), rows) {
            (true, _) => Err("it names no key".to_owned()),
            (_, 0) => Err("it has no row".to_owned()),
            _ => Ok(Self { columns, rows }),
        }
    }
}

impl Column {
    /// Integers where all cells are, numbers, truth values, or else texts.
    fn find_kind(&mut self) {
        let all = |fits: &dyn Fn(&str) -> bool| self.cells.iter().all(|cell| fits(cell));
        self.kind = if all(&|cell| cell.parse::<i64>().is_ok()) {
            Kind::Integer
        } else if all(&|cell| cell.parse::<f64>().is_ok()) {
            Kind::Real
        } else if all(&|cell| cell.parse::<bool>().is_ok()) {
            Kind::Bool
        } else {
            Kind::Text
        };
        // Keys of real numbers are by far the most; those that count take no point.
        let counts = crate::batch::study::takes_integers(&self.key);
        if self.kind == Kind::Integer && !counts {
            self.kind = Kind::Real;
        }
    }

    /// Refuses cells that are empty or infinite, and texts where other cells of the column are numbers.
    fn check(&self, numbers: bool) -> Result<(), String> {
        let number = |cell: &str| cell.parse::<f64>().ok();
        let numbers = numbers || self.cells.iter().any(|cell| number(cell).is_some());
        for (cell, line) in self.cells.iter().zip(&self.lines) {
            let rule = match number(cell) {
                _ if cell.is_empty() => "must have a value",
                Some(value) if !value.is_finite() => "must be finite",
                None if numbers => "must be a number",
                _ => continue,
            };
            return Err(format!("line {line}: {} = {cell}: {rule}", self.key));
        }
        Ok(())
    }

    fn value(&self, row: usize) -> toml::Value {
        let cell = &self.cells[row];
        let text = || toml::Value::String(cell.clone());
        match self.kind {
            Kind::Real => cell.parse().map_or_else(|_| text(), toml::Value::Float),
            Kind::Integer => cell.parse().map_or_else(|_| text(), toml::Value::Integer),
            Kind::Bool => cell.parse().map_or_else(|_| text(), toml::Value::Boolean),
            Kind::Text => text(),
        }
    }

    fn variation(&self) -> Variation {
        Variation {
            kind: Some(self.kind),
            ..Variation::new(&self.key, Form::Listed)
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_several_programs_are_read() {
        for text in [
            "a.x_m,b\n1.5,2\n-3e-1,4\n",
            "\u{feff}a.x_m,b\r\n1.5,2\r\n-3e-1,4\r\n",
            "\"a.x_m\";\"b\"\n1.5;2\n-3e-1;4\n",
            "%eval_id interface a.x_m b\n1 NO_ID 1.5 2\n2 NO_ID -3e-1 4\n",
        ] {
            let table = Table::read(text, false).unwrap();
            let keys: Vec<&str> = table.columns.iter().map(|c| c.key.as_str()).collect();
            assert_eq!((keys, table.rows), (vec!["a.x_m", "b"], 2), "{text}");
            assert_eq!(table.columns[0].value(1), toml::Value::Float(-0.3));
            assert_eq!(table.columns[1].value(0), toml::Value::Float(2.0));
        }
        for (bad, why) in [
            ("", "empty"),
            ("a,b\n1\n", "line 2 has 1"),
            ("a\n", "no row"),
            ("a,b\n1,2\n3,\n", "line 3: b = : must have a value"),
            ("a,b\n1,2\n\n3,x\n", "line 4: b = x: must be a number"),
            ("a,b\nnan,2\n", "line 2: a = nan: must be finite"),
            ("a\n-inf\n", "line 2: a = -inf: must be finite"),
        ] {
            let error = Table::read(bad, false).err().unwrap();
            assert!(error.contains(why), "{error}");
        }
        // Words are values of some keys, but not of a formula.
        assert_eq!(
            Table::read("a\nlocked\n", false).unwrap().columns[0].kind,
            Kind::Text
        );
        let error = Table::read("a\nlocked\n", true).err().unwrap();
        assert!(error.contains("must be a number"), "{error}");
    }
}
