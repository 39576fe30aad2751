//! Reading a table back, column by column.

use super::write::table_error;
use super::{Column, metadata};
use crate::error::{Result, StudyError, file_error};
use crate::plan::Plan;
use parquet::basic::Type as PhysicalType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A table that was written before.
pub struct Table {
    path: PathBuf,
    reader: SerializedFileReader<File>,
    plan: Plan,
}

impl Table {
    /// Opens a table.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(file_error("open", path))?;
        let reader = SerializedFileReader::new(file).map_err(table_error(path))?;
        let text = entry(&reader, metadata::PLAN).ok_or_else(|| StudyError::Table {
            path: path.to_path_buf(),
            reason: format!("it is not the table of a study (no {})", metadata::PLAN),
        })?;
        let plan = Plan::parse(&text, path)?;
        Ok(Self {
            path: path.to_path_buf(),
            reader,
            plan,
        })
    }

    /// The plan of the study.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// A text of the metadata by its key, one of [`metadata`].
    pub fn metadata(&self, key: &str) -> Option<String> {
        entry(&self.reader, key)
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        u64::try_from(self.reader.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// Names of the columns, in order.
    pub fn names(&self) -> Vec<String> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        schema
            .columns()
            .iter()
            .map(|column| column.name().to_owned())
            .collect()
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Result<Column> {
        let names = self.names();
        let index = names
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| StudyError::Column {
                name: name.to_owned(),
                wanted: "such",
                available: names.join(", "),
            })?;
        self.read(index).map_err(table_error(&self.path))
    }

    /// A column as numbers: false and true as 0 and 1, missing ones as NaN. Texts are refused.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        self.column(name)?
            .numbers()
            .ok_or_else(|| StudyError::Column {
                name: name.to_owned(),
                wanted: "numeric",
                available: self.numeric_names().join(", "),
            })
    }

    /// Names of the columns that are not texts.
    pub fn numeric_names(&self) -> Vec<String> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let columns = schema.columns().iter();
        columns
            .filter(|column| column.physical_type() != PhysicalType::BYTE_ARRAY)
            .map(|column| column.name().to_owned())
            .collect()
    }

    fn read(&self, index: usize) -> std::result::Result<Column, ParquetError> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let physical = schema.column(index).physical_type();
        let mut column = match physical {
            PhysicalType::DOUBLE => Column::Real(Vec::new()),
            PhysicalType::INT64 => Column::Integer(Vec::new()),
            PhysicalType::BOOLEAN => Column::Bool(Vec::new()),
            PhysicalType::BYTE_ARRAY => Column::Text(Vec::new()),
            other => {
                let message = format!("columns of type {other} are not written by a study");
                return Err(ParquetError::General(message));
            }
        };
        for group in 0..self.reader.num_row_groups() {
            let group = self.reader.get_row_group(group)?;
            match (&mut column, group.get_column_reader(index)?) {
                (Column::Real(values), ColumnReader::DoubleColumnReader(reader)) => {
                    values.extend(read_values(reader)?);
                }
                (Column::Integer(values), ColumnReader::Int64ColumnReader(reader)) => {
                    values.extend(read_values(reader)?);
                }
                (Column::Bool(values), ColumnReader::BoolColumnReader(reader)) => {
                    values.extend(read_values(reader)?);
                }
                (Column::Text(values), ColumnReader::ByteArrayColumnReader(reader)) => {
                    for bytes in read_values(reader)? {
                        values.push(bytes.map(text).transpose()?);
                    }
                }
                _ => {
                    return Err(ParquetError::General(
                        "a column changes its type".to_owned(),
                    ));
                }
            }
        }
        Ok(column)
    }
}

fn entry(reader: &SerializedFileReader<File>, key: &str) -> Option<String> {
    let entries = reader.metadata().file_metadata().key_value_metadata()?;
    let found = entries.iter().find(|entry| entry.key == key)?;
    found.value.clone()
}

fn text(bytes: ByteArray) -> std::result::Result<String, ParquetError> {
    let text = bytes.as_utf8()?;
    Ok(text.to_owned())
}

/// Reads a column of a row group; where there are no levels, no value is missing.
fn read_values<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
) -> std::result::Result<Vec<Option<T::T>>, ParquetError> {
    const BATCH: usize = 4096;
    let mut found = Vec::new();
    loop {
        let (mut values, mut levels): (Vec<T::T>, Vec<i16>) = (Vec::new(), Vec::new());
        let (records, _, _) = reader.read_records(BATCH, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Ok(found);
        }
        let mut values = values.into_iter();
        if levels.is_empty() {
            found.extend(values.map(Some));
        } else {
            found.extend(
                levels
                    .iter()
                    .map(|&level| if level > 0 { values.next() } else { None }),
            );
        }
    }
}
