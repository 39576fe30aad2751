//! The program, a cheap study and folders that vanish.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A folder of its own for each test, removed afterwards.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("softdock-batch-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.join(name), text).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_softdock"));
        command.arg("batch").args(arguments).current_dir(&self.0);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
        quiet.spawn().unwrap()
    }

    /// Runs and expects success.
    pub fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.stdout(arguments)).unwrap()
    }

    /// Runs, expects `status` and returns the message.
    pub fn refused(&self, status: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            output.status.code(),
            Some(status),
            "{arguments:?}: {errors}"
        );
        assert!(!errors.contains("panicked"), "{errors}");
        errors
    }

    pub fn table(&self, directory: &str) -> Vec<u8> {
        fs::read(self.join(directory).join("results.parquet")).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Dockings of 30 ms with two elements per leg, through contact; about one in six has leaves too short
/// to reach the end effector and fails.
pub fn study(runs: u64) -> String {
    format!(
        "name = \"cheap\"\nseed = 5\nruns = {runs}\nsampling = \"latin_hypercube\"\nblock = 0\n\
         [base]\nduration_s = 0.03\noutput_interval_s = 0.005\ninitial_gap_m = 0.0001\n\
         legs.elements = 2\n\
         [[vary]]\nkey = \"misalignment.pitch_deg\"\ndistribution = \"arcsine\"\n\
         min = -4\nmax = 4\n\
         [[vary]]\nkey = \"leaf.length_m\"\ndistribution = \"choice\"\n\
         values = [0.5, 0.49, 0.4]\nweights = [3, 2, 1]\n\
         [[vary]]\nkey = \"contact.normal.law\"\ndistribution = \"choice\"\n\
         values = [\"exact\", \"flores\"]\n"
    )
}

/// The same without runs that fail.
pub fn sound_study(runs: u64) -> String {
    study(runs)
        .replace("values = [0.5, 0.49, 0.4]", "values = [0.5, 0.49, 0.48]")
        .replace("name = \"cheap\"", "name = \"sound\"")
}

/// Names in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
