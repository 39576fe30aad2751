//! The table opens in pandas, Polars and DuckDB. Takes Python and its packages, which are put into a
//! virtual environment below `target`; skipped with a message where they cannot be had, except under
//! CI, where they must.

use crate::common::*;
use softdock_study::{Plan, Table, Value};
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

fn expected(table: &Table, plan: &Plan) -> String {
    let mut text = format!(
        "softdock.study=mixed\tsoftdock.seed=42\tsoftdock.version=0.0.0-test\t\
         softdock.study_digest={}\tsoftdock.sampling=latin_hypercube\tsoftdock.runs={}\n",
        plan.digest(),
        plan.runs()
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
fn the_table_opens_in_pandas_polars_and_duckdb() {
    let interpreter = match python::interpreter() {
        Ok(interpreter) => interpreter,
        Err(reason) => {
            return python::skip("the_table_opens_in_pandas_polars_and_duckdb", &reason);
        }
    };
    // More than one row group.
    let plan = mixed_plan(softdock_study::store::BLOCK + 100);
    let folder = Folder::new("importers");
    let summary = run_mixed(&plan, &folder.join("out"), &options(2, "0/1"));
    let path = summary.table.unwrap();
    let table = Table::open(&path).unwrap();
    let file = folder.join("expected.txt");
    std::fs::write(&file, expected(&table, &plan)).unwrap();
    let output = Command::new(interpreter)
        .arg(python::repository().join("tests/importers/check_parquet.py"))
        .args([&path, &file])
        .arg("closing.speed_m_per_s")
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
