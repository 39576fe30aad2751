//! Time series in other formats than CSV: MAT files (level 5) and Parquet.
//!
//! A MAT file is a header of 128 bytes and elements of (type, size, data), each padded to 8 bytes; a
//! column becomes a matrix of one column under its own name:
//!
//! ```text
//! miMATRIX { miUINT32 flags: class double; miINT32 dimensions: n, 1; miINT8 name; miDOUBLE data }
//! ```
//!
//! (MathWorks, MAT-File Format, level 5.)

use crate::output::{self, OutputError};
use clap::ValueEnum;
use parquet::basic::{Compression, Repetition, Type as PhysicalType};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A format of time series beside CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Parquet: run.parquet
    Parquet,
    /// MATLAB and GNU Octave, level 5: run.mat
    Mat,
}

impl Format {
    /// Ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Mat => "mat",
        }
    }

    /// Writes columns to `path` with the ending of the format; gives the file.
    pub fn write(
        self,
        path: &Path,
        names: &[String],
        columns: &[Vec<f64>],
    ) -> Result<PathBuf, OutputError> {
        let file = path.with_extension(self.ending());
        let bytes = match self {
            Self::Mat => mat(names, columns),
            Self::Parquet => parquet_file(names, columns).map_err(|error| OutputError {
                path: file.clone(),
                cause: io::Error::other(error),
            })?,
        };
        output::write_atomic(&file, &bytes)?;
        Ok(file)
    }
}

/// Types of elements.
const INT8: u32 = 1;
const INT32: u32 = 5;
const UINT32: u32 = 6;
const DOUBLE: u32 = 9;
const MATRIX: u32 = 14;
/// Class of a matrix of doubles.
const CLASS_DOUBLE: u32 = 6;

/// Adds an element, padded to 8 bytes.
fn element(out: &mut Vec<u8>, kind: u32, data: &[u8]) {
    out.extend(kind.to_le_bytes());
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out.resize(out.len().next_multiple_of(8), 0);
}

/// A MAT file of columns.
fn mat(names: &[String], columns: &[Vec<f64>]) -> Vec<u8> {
    let text = format!(
        "MATLAB 5.0 MAT-file, softdock {}",
        env!("CARGO_PKG_VERSION")
    );
    let mut out = text.into_bytes();
    out.resize(124, b' ');
    // Version 1.0 and the mark of the byte order.
    out.extend([0x00, 0x01, b'I', b'M']);
    for (name, column) in names.iter().zip(columns) {
        let mut inner = Vec::with_capacity(8 * column.len() + 128);
        let flags = [CLASS_DOUBLE.to_le_bytes(), 0_u32.to_le_bytes()].concat();
        element(&mut inner, UINT32, &flags);
        let rows = column.len() as i32;
        let dimensions = [rows.to_le_bytes(), 1_i32.to_le_bytes()].concat();
        element(&mut inner, INT32, &dimensions);
        element(&mut inner, INT8, name.as_bytes());
        let numbers: Vec<u8> = column.iter().flat_map(|x| x.to_le_bytes()).collect();
        element(&mut inner, DOUBLE, &numbers);
        element(&mut out, MATRIX, &inner);
    }
    out
}

/// A Parquet file of columns.
fn parquet_file(names: &[String], columns: &[Vec<f64>]) -> Result<Vec<u8>, ParquetError> {
    let field = |name: &String| {
        let column = Type::primitive_type_builder(name, PhysicalType::DOUBLE);
        column
            .with_repetition(Repetition::REQUIRED)
            .build()
            .map(Arc::new)
    };
    let fields = names.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("time_series")
        .with_fields(fields)
        .build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("softdock {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for column in columns {
        if let Some(mut one) = group.next_column()? {
            one.typed::<DoubleType>().write_batch(column, None, None)?;
            one.close()?;
        }
    }
    group.close()?;
    writer.close()?;
    Ok(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use parquet::column::reader::ColumnReader;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    fn table() -> (Vec<String>, Vec<Vec<f64>>) {
        let names = ["time_s", "contact_force_n"].map(str::to_owned).to_vec();
        (
            names,
            vec![
                vec![0.0, 0.1, 0.2],
                vec![1.0 / 3.0, f64::INFINITY, -2.5e-300],
            ],
        )
    }

    /// Reads what [`mat`] wrote by the same description of the format, not by its code.
    #[test]
    fn a_mat_file_has_names_and_numbers_to_the_last_bit() {
        let (names, columns) = table();
        let bytes = mat(&names, &columns);
        assert!(bytes.starts_with(b"MATLAB 5.0 MAT-file") && &bytes[124..128] == b"\0\x01IM");
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let mut at = 128;
        for (name, column) in names.iter().zip(&columns) {
            assert_eq!(word(at), 14);
            let end = at + 8 + word(at + 4);
            // Flags (8 + 8 bytes), dimensions (8 + 8), name (8 + padded), numbers.
            assert_eq!(
                (word(at + 16), word(at + 32), word(at + 36)),
                (6, column.len(), 1)
            );
            let length = word(at + 44);
            assert_eq!(&bytes[at + 48..at + 48 + length], name.as_bytes());
            let data = at + 48 + length.next_multiple_of(8);
            assert_eq!((word(data), word(data + 4)), (9, 8 * column.len()));
            let read: Vec<f64> = bytes[data + 8..data + 8 + 8 * column.len()]
                .chunks(8)
                .map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap()))
                .collect();
            assert_eq!(&read, column);
            at = end;
        }
        assert_eq!(at, bytes.len());
    }

    #[test]
    fn a_parquet_file_has_names_and_numbers_to_the_last_bit() {
        let (names, columns) = table();
        let folder = tempfile::tempdir().unwrap();
        let file = Format::Parquet.write(&folder.path().join("run.csv"), &names, &columns);
        let file = std::fs::File::open(file.unwrap()).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr();
        let found: Vec<&str> = schema
            .columns()
            .iter()
            .map(|column| column.name())
            .collect();
        assert_eq!(found, names);
        let group = reader.get_row_group(0).unwrap();
        for (i, column) in columns.iter().enumerate() {
            let ColumnReader::DoubleColumnReader(mut reader) = group.get_column_reader(i).unwrap()
            else {
                panic!("not a column of doubles")
            };
            let mut values = Vec::new();
            reader.read_records(10, None, None, &mut values).unwrap();
            assert_eq!(&values, column);
        }
    }
}
