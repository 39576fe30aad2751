//! The Python that opens tables: a virtual environment below `target` with pandas, Polars and
//! DuckDB, made when it is not there yet. Part of the test binaries that need it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository, seen from a crate of the workspace.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Says why a test does nothing, past the capture of the test harness; under CI that is a failure.
pub fn skip(test: &str, reason: &str) {
    let message = format!("SKIPPED {test}: {reason}");
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{message}");
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// The interpreter of the environment with the packages.
pub fn interpreter() -> Result<PathBuf, String> {
    let environment = repository().join("target/parquet-venv");
    let requirements = repository().join("tests/importers/requirements-parquet.txt");
    let wanted = std::fs::read_to_string(&requirements).unwrap();
    let note = environment.join("installed.txt");
    let python = environment.join("bin/python");
    if std::fs::read_to_string(&note).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    let attempt = |command: &mut Command, what: &str| match command.output() {
        Err(error) => Err(format!("{what}: {error}")),
        Ok(output) if !output.status.success() => Err(format!(
            "{what}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Ok(_) => Ok(()),
    };
    let make = ["-m", "venv"];
    attempt(
        Command::new("python3").args(make).arg(&environment),
        "python3 -m venv",
    )?;
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
    ];
    attempt(
        Command::new(&python).args(install).arg(&requirements),
        "pip install",
    )?;
    std::fs::write(note, wanted).unwrap();
    Ok(python)
}
