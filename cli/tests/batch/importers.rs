//! The table of real dockings opens in pandas, Polars and DuckDB, cell by cell.

use crate::common::{Folder, study};
use softdock_study::{Table, Value};
use std::fmt::Write;
use std::process::Command;

#[path = "../../../tests/importers/interpreter.rs"]
mod python;

fn cell(value: Option<Value>) -> String {
    match value {
        None => "-".to_owned(),
        Some(Value::Real(x)) => format!("r:{:016x}", x.to_bits()),
        Some(Value::Integer(n)) => format!("i:{n}"),
        Some(Value::Bool(b)) => format!("b:{}", u8::from(b)),
        Some(Value::Text(text)) => format!("t:{text}"),
    }
}

fn expected(table: &Table) -> String {
    let mut text = format!(
        "softdock.study=cheap\tsoftdock.seed=5\tsoftdock.version={}\tsoftdock.runs=24\n",
        env!("SOFTDOCK_VERSION"),
    );
    let names = table.names();
    writeln!(text, "{}", names.join("\t")).unwrap();
    let columns: Vec<_> = names
        .iter()
        .map(|name| table.column(name).unwrap())
        .collect();
    for row in 0..table.rows() as usize {
        let cells: Vec<String> = columns.iter().map(|column| cell(column.get(row))).collect();
        writeln!(text, "{}", cells.join("\t")).unwrap();
    }
    text
}

#[test]
fn tables_of_dockings_open_in_pandas_polars_and_duckdb() {
    let interpreter = match python::interpreter() {
        Ok(interpreter) => interpreter,
        Err(reason) => {
            return python::skip(
                "tables_of_dockings_open_in_pandas_polars_and_duckdb",
                &reason,
            );
        }
    };
    let folder = Folder::new("importers");
    folder.write("study.toml", &study(24));
    folder.stdout(&["run", "study.toml", "--out", "out"]);
    let path = folder.join("out/results.parquet");
    folder.write("expected.txt", &expected(&Table::open(&path).unwrap()));
    let output = Command::new(interpreter)
        .arg(python::repository().join("tests/importers/check_parquet.py"))
        .args([&path, &folder.join("expected.txt")])
        .arg("misalignment.pitch_deg")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    eprint!("{text}");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for tool in ["pandas", "Polars", "DuckDB", "metadata"] {
        assert!(text.contains(tool), "{text}");
    }
}
