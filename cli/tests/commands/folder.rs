//! Folders that vanish, and the program run in them.

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of its own for each test, removed afterwards, in which commands run.
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// What stands in front of all arguments.
    prefix: &'static [&'static str],
}

impl Folder {
    pub fn new() -> Self {
        Self::within(&[])
    }

    /// A folder for one family of commands.
    pub fn within(prefix: &'static [&'static str]) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("softdock-commands-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self { path, prefix }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_softdock"));
        command.args(self.prefix).args(arguments);
        command.current_dir(&self.path);
        command
    }

    /// Runs and expects success.
    pub fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs with `--json`, expects success and reads what is printed.
    pub fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.stdout(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// Runs, expects `status` and a message without a panic, and returns it.
    pub fn refused(&self, status: i32, arguments: &[&str]) -> String {
        let Output {
            status: code,
            stderr,
            ..
        } = self.command(arguments).output().unwrap();
        let errors = String::from_utf8(stderr).unwrap();
        assert_eq!(code.code(), Some(status), "{arguments:?}: {errors}");
        let crash = ["panicked", "backtrace"];
        assert!(!crash.iter().any(|word| errors.contains(word)), "{errors}");
        errors
    }

    /// Names of what is in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path.join(name)).unwrap()
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path.join(name), text).unwrap();
    }

    /// A table of numbers: one named column.
    pub fn column(&self, table: &str, name: &str) -> Vec<f64> {
        let text = self.read(table);
        let mut lines = text.lines();
        let header = lines.next().unwrap();
        let index = header.split(',').position(|known| known == name);
        let index = index.unwrap_or_else(|| panic!("no column {name} in {header}"));
        lines
            .map(|line| line.split(',').nth(index).unwrap().parse().unwrap())
            .collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A number of a report.
pub fn number(value: &Value, key: &str) -> f64 {
    value[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} is {:?}", value[key]))
}
