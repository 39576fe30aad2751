//! Writing the table, block by block.

use super::{Column, STATUS_FAILED, STATUS_OK, WEIGHT, metadata};
use crate::error::{Result, StudyError, file_error};
use crate::missing::Missing;
use crate::plan::Plan;
use crate::store::record::Row;
use crate::store::rows::BlockRows;
use crate::value::{Kind, Value};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Turns an error of the Parquet library into one that names the file.
pub(super) fn table_error(path: &Path) -> impl Fn(ParquetError) -> StudyError + '_ {
    move |error| match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => file_error("write", path)(*error),
            Err(other) => StudyError::Table {
                path: path.to_path_buf(),
                reason: other.to_string(),
            },
        },
        other => StudyError::Table {
            path: path.to_path_buf(),
            reason: other.to_string(),
        },
    }
}

/// Writes a table.
pub(crate) struct TableWriter<'a> {
    plan: &'a Plan,
    path: PathBuf,
    writer: SerializedFileWriter<File>,
    columns: Vec<Column>,
    missing: Missing,
}

impl<'a> TableWriter<'a> {
    /// Starts a table in `file`; `path` is named in messages.
    pub(crate) fn new(plan: &'a Plan, file: File, path: &Path) -> Result<Self> {
        let layout = layout(plan);
        let schema = schema(&layout).map_err(table_error(path))?;
        let properties = properties(plan, &layout)?;
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties))
            .map_err(table_error(path))?;
        let columns = layout
            .iter()
            .map(|(_, kind, _)| Column::new(*kind))
            .collect();
        Ok(Self {
            plan,
            path: path.to_path_buf(),
            writer,
            columns,
            missing: Missing::default(),
        })
    }

    /// Writes the rows of a block as a row group; blocks come in order.
    pub(crate) fn write_block(&mut self, block: &BlockRows) -> Result<()> {
        if block.rows.is_empty() {
            return Ok(());
        }
        self.columns.iter_mut().for_each(Column::clear);
        for row in block.decoded(self.plan) {
            let row = row?;
            self.missing.seen(row.run);
            self.push(&row);
        }
        self.write_row_group().map_err(table_error(&self.path))
    }

    /// Ends the table. One that lacks runs says which in its metadata.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.missing.until(self.plan.runs());
        if self.missing.count > 0 {
            let entries = [
                (metadata::MISSING, self.missing.count.to_string()),
                (metadata::MISSING_RUNS, self.missing.text()),
            ];
            for (key, value) in entries {
                let entry = KeyValue::new(key.to_owned(), value);
                self.writer.append_key_value_metadata(entry);
            }
        }
        self.writer
            .close()
            .map(|_| ())
            .map_err(table_error(&self.path))
    }

    fn push(&mut self, row: &Row) {
        let run = Value::Integer(row.run as i64);
        let figures = self.plan.figures().len();
        let (status, error) = match &row.outcome {
            Ok(_) => (STATUS_OK, None),
            Err(reason) => (STATUS_FAILED, Some(Value::Text(reason.clone()))),
        };
        let status = Value::Text(status.to_owned());
        let weight = self.plan.weight(row.run).map(Value::Real);
        let figure = |index: usize| {
            row.outcome
                .as_ref()
                .ok()
                .and_then(|all| all[index].as_ref())
        };
        let values = std::iter::once(Some(&run))
            .chain(row.inputs.iter().map(Some))
            .chain((0..figures).map(figure))
            .chain(weight.iter().map(Some))
            .chain([Some(&status), error.as_ref()]);
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(value);
        }
    }

    fn write_row_group(&mut self) -> std::result::Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for column in &self.columns {
            let Some(mut writer) = group.next_column()? else {
                break;
            };
            write_column(&mut writer, column)?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }
}

/// Names, kinds and whether values may be missing.
fn layout(plan: &Plan) -> Vec<(String, Kind, bool)> {
    let mut layout = vec![("run".to_owned(), Kind::Integer, false)];
    layout.extend(
        plan.inputs()
            .iter()
            .map(|input| (input.name.clone(), input.kind, false)),
    );
    layout.extend(
        plan.figures()
            .iter()
            .map(|figure| (figure.name.clone(), figure.kind, true)),
    );
    if plan.weight(0).is_some() {
        layout.push((WEIGHT.to_owned(), Kind::Real, false));
    }
    layout.push(("status".to_owned(), Kind::Text, false));
    layout.push(("error".to_owned(), Kind::Text, true));
    layout
}

fn schema(layout: &[(String, Kind, bool)]) -> std::result::Result<Arc<Type>, ParquetError> {
    let mut fields = Vec::with_capacity(layout.len());
    for (name, kind, optional) in layout {
        let (physical, logical) = match kind {
            Kind::Real => (PhysicalType::DOUBLE, None),
            Kind::Integer => (PhysicalType::INT64, None),
            Kind::Bool => (PhysicalType::BOOLEAN, None),
            Kind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if *optional {
            Repetition::OPTIONAL
        } else {
            Repetition::REQUIRED
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .build()?;
        fields.push(Arc::new(field));
    }
    Ok(Arc::new(
        Type::group_type_builder("study")
            .with_fields(fields)
            .build()?,
    ))
}

fn properties(plan: &Plan, layout: &[(String, Kind, bool)]) -> Result<WriterProperties> {
    let study = plan.study();
    let versions = plan.versions();
    let versions = (versions.len() > 1).then(|| (metadata::VERSIONS, versions.join("\n")));
    let entries = [
        (metadata::STUDY, study.name.clone()),
        (metadata::SEED, study.seed.to_string()),
        (metadata::VERSION, plan.version().to_owned()),
        (metadata::DIGEST, plan.digest().to_owned()),
        (metadata::SETTINGS_DIGEST, plan.settings_digest()),
        (metadata::INPUTS, plan.pedigree()?),
        (metadata::SAMPLING, study.sampling.to_string()),
        (metadata::RUNS, plan.runs().to_string()),
        (metadata::PLAN, plan.text()?),
    ];
    let entries = entries
        .into_iter()
        .chain(versions)
        .map(|(key, value)| KeyValue::new(key.to_owned(), value));
    let mut builder = WriterProperties::builder()
        .set_created_by(format!("softdock {}", plan.version()))
        .set_key_value_metadata(Some(entries.collect()))
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        // Numbers of a study hardly repeat; texts do.
        .set_dictionary_enabled(false);
    for (name, kind, _) in layout {
        if *kind == Kind::Text {
            let path = ColumnPath::new(vec![name.clone()]);
            builder = builder.set_column_dictionary_enabled(path, true);
        }
    }
    Ok(builder.build())
}

fn write_column(
    writer: &mut SerializedColumnWriter<'_>,
    column: &Column,
) -> std::result::Result<(), ParquetError> {
    match column {
        Column::Real(values) => write_values::<DoubleType>(writer, values.iter().copied()),
        Column::Integer(values) => write_values::<Int64Type>(writer, values.iter().copied()),
        Column::Bool(values) => write_values::<BoolType>(writer, values.iter().copied()),
        Column::Text(values) => write_values::<ByteArrayType>(
            writer,
            values
                .iter()
                .map(|text| text.as_deref().map(ByteArray::from)),
        ),
    }
}

fn write_values<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    values: impl Iterator<Item = Option<T::T>>,
) -> std::result::Result<(), ParquetError> {
    let mut levels: Vec<i16> = Vec::new();
    let mut present: Vec<T::T> = Vec::new();
    for value in values {
        levels.push(i16::from(value.is_some()));
        present.extend(value);
    }
    // Columns whose values are never missing ignore the levels.
    writer
        .typed::<T>()
        .write_batch(&present, Some(&levels), None)?;
    Ok(())
}
