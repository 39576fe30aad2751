//! Folders and runs of the program.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Settings that make a docking quick: a coarse mesh, nothing else changed.
pub const COARSE: [&str; 2] = ["--set", "legs.elements=4"];

/// Scenarios that come with the program and that tests name.
const SHIPPED: [&str; 10] = [
    "default",
    "aligned",
    "lateral-50mm",
    "idss-corner",
    "gravity-bench",
    "free-floating-pair",
    "motors-locked",
    "motors-hold",
    "motors-lqr",
    "motors-impedance",
];

/// A folder of its own for each test, empty at first; it stays to be looked at.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("dock")
            .join(name);
        if path.exists() {
            fs::remove_dir_all(&path).unwrap();
        }
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// `softdock dock` with these arguments, in this folder. Where they name no scenario, it is the one
    /// with locked motors: what most tests look at does not depend on the motors, and a regulator
    /// costs time.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let first = arguments
            .first()
            .is_some_and(|argument| !argument.starts_with('-'));
        let named = |argument: &str| {
            argument.ends_with(".toml")
                || matches!(argument, "--compare" | "--config")
                || SHIPPED.contains(&argument)
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_softdock"));
        command.arg("dock");
        if !first && !arguments.iter().any(|argument| named(argument)) {
            command.arg("motors-locked");
        }
        command
            .args(arguments)
            .current_dir(&self.0)
            .env("RUST_BACKTRACE", "1")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs, expects success, and returns what was printed.
    pub fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs, expects the exit status of bad input, one message and no panic, and returns it.
    pub fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(output.stdout.is_empty(), "{arguments:?}: prints a result");
        no_panic(&errors);
        errors
    }

    pub fn file(&self, name: &str) -> String {
        let path = self.0.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.file(name)).unwrap()
    }

    /// Every file and folder below, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        collect(&self.0, "", &mut names);
        names.sort();
        names
    }
}

fn collect(folder: &Path, prefix: &str, names: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), names);
        }
        names.push(name);
    }
}

/// Nothing of what a crash prints.
pub fn no_panic(errors: &str) {
    for word in ["panicked", "backtrace", "RUST_BACKTRACE", "overflow"] {
        assert!(!errors.contains(word), "{errors}");
    }
}

/// A table of numbers with a header: every row whole, every entry a number.
pub fn table(text: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    assert!(text.ends_with('\n'), "the last row is cut");
    let mut lines = text.lines();
    let header: Vec<String> = lines
        .next()
        .unwrap()
        .split(',')
        .map(str::to_owned)
        .collect();
    let rows = lines.map(|line| {
        let row: Vec<f64> = line
            .split(',')
            .map(|entry| entry.parse().unwrap())
            .collect();
        assert_eq!(row.len(), header.len(), "{line}");
        row
    });
    let rows = rows.collect();
    (header, rows)
}

/// The summary without what no two runs share.
pub fn timeless(mut summary: Value) -> Value {
    summary.as_object_mut().unwrap().remove("wall_s").unwrap();
    summary
}
