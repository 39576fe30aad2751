//! Mechanisms that come with the program against independent results (Exudyn, SciPy, own FEM), and the
//! messages for wrong files.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::approx_constant,
    reason = "times of tables happen to lie near constants"
)]

mod book;
mod elements;
mod flexible;
mod friction;
mod mistakes;
mod mistakes_many;
mod prescribed_motion;
mod random;
mod reduced;

use softdock_mechanism::prescribed::{self, MotionOnly};
use softdock_mechanism::{Description, library, simulate};

/// A table of a run.
pub struct Table {
    names: Vec<String>,
    rows: Vec<(f64, Vec<f64>)>,
    /// What happened.
    pub outcome: simulate::Outcome,
}

impl Table {
    /// The value of an output at a time that has a row.
    pub fn at(&self, time: f64, name: &str) -> f64 {
        let column = self.column(name);
        let row = self.rows.iter().find(|(t, _)| (t - time).abs() < 1e-9);
        row.unwrap_or_else(|| panic!("no row at {time}")).1[column]
    }

    /// The values of an output.
    pub fn values(&self, name: &str) -> Vec<f64> {
        let column = self.column(name);
        self.rows.iter().map(|(_, row)| row[column]).collect()
    }

    fn column(&self, name: &str) -> usize {
        let found = self.names.iter().position(|known| known == name);
        found.unwrap_or_else(|| panic!("no output {name}"))
    }
}

/// The description of a mechanism with settings `KEY=VALUE`.
pub fn describe(name: &str, settings: &[&str]) -> Description {
    let settings: Vec<(String, String)> = (settings.iter())
        .map(|setting| setting.split_once('=').unwrap())
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    library::describe(name, &settings).unwrap()
}

/// Runs a mechanism.
pub fn run(name: &str, settings: &[&str]) -> Table {
    table(&describe(name, settings), simulate::simulate)
}

/// Inverse dynamics of a mechanism.
pub fn inverse(name: &str, settings: &[&str]) -> Table {
    table(&describe(name, settings), prescribed::inverse)
}

/// Kinematics of a mechanism.
pub fn kinematics(name: &str, settings: &[&str]) -> Table {
    let motion = MotionOnly::of(&describe(name, settings));
    table(motion.description(), |_, rows| {
        prescribed::kinematics(&motion, rows, None)
    })
}

fn table(
    description: &Description,
    run: impl Fn(&Description, simulate::Rows<'_>) -> softdock_mechanism::Result<simulate::Outcome>,
) -> Table {
    let mut rows = Vec::new();
    let outcome = run(description, &mut |time, values| {
        rows.push((time, values.to_vec()));
        true
    });
    let names = description.outputs.iter().map(|part| part.name.clone());
    Table {
        names: names.collect(),
        rows,
        outcome: outcome.unwrap(),
    }
}

/// Asserts that a value is near.
#[track_caller]
pub fn near(found: f64, expected: f64, allowed: f64) {
    assert!(
        (found - expected).abs() <= allowed,
        "{found} instead of {expected}: {:e} off, {allowed:e} allowed",
        (found - expected).abs()
    );
}

#[test]
fn every_shipped_mechanism_reads_and_starts() {
    for (name, _) in library::SHIPPED {
        let description = library::describe(name, &[]).unwrap();
        assert!(!description.title.is_empty(), "{name}");
        softdock_mechanism::analysis::check(&description).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}
