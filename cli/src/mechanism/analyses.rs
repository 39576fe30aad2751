//! `softdock mechanism statics`, `modes`, `linearize` and `check`.

use super::MechanismArgs;
use crate::output::{self, OutputArgs};
use anyhow::Result;
use serde_json::{Value, json};
use softdock_mechanism::analysis;
use std::process::ExitCode;

/// Arguments of an analysis of one state.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    mechanism: MechanismArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl Arguments {
    /// Writes `value` where it is asked for, and `text` for people.
    fn report(&self, name: &str, value: &Value, text: &str) -> Result<ExitCode> {
        if let Some(out) = &self.output.out {
            output::write_json(&out.join(format!("{name}.json")), value)?;
        }
        if self.output.json {
            output::say_json(value)?;
        } else {
            output::say(text)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Equilibrium near the start.
pub fn statics(arguments: &Arguments) -> Result<ExitCode> {
    let description = arguments.mechanism.read()?;
    let found = analysis::equilibrium(&description)?;
    let names = description.outputs.iter().map(|part| part.name.as_str());
    let outputs: serde_json::Map<String, Value> = (names.clone().zip(&found.outputs))
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect();
    let mut text = format!("{}: equilibrium\n", description.title);
    for (name, value) in names.zip(&found.outputs) {
        text.push_str(&format!("  {name:32} {value:18.10}\n"));
    }
    text.push_str(&format!(
        "  {} iterations, largest force left {:.1e}, unstable directions {}\n",
        found.iterations, found.residual, found.unstable
    ));
    let value = json!({
        "mechanism": description.file,
        "outputs": outputs,
        "iterations": found.iterations,
        "residual": found.residual,
        "unstable_directions": found.unstable,
    });
    arguments.report("statics", &value, &text)
}

/// Frequencies and shapes about the equilibrium near the start.
pub fn modes(arguments: &Arguments) -> Result<ExitCode> {
    let description = arguments.mechanism.read()?;
    let modes = analysis::modes(&description)?;
    let mut text = format!(
        "{}: {} degrees of freedom\n",
        description.title, modes.degrees_of_freedom
    );
    text.push_str("  mode  undamped [Hz]   damped [Hz]    damping ratio\n");
    let tau = std::f64::consts::TAU;
    let shown = without_double_zeros(&modes);
    for (i, frequency) in modes.frequencies.iter().enumerate() {
        let damped = shown.get(i).map_or_else(String::new, |mu| {
            let size = multibody::math::hypot(mu.re, mu.im);
            let ratio = if size > 0.0 { -mu.re / size } else { 0.0 };
            format!("{:14.6} {ratio:14.6}", mu.im.abs() / tau)
        });
        text.push_str(&format!("  {:4} {frequency:14.6} {damped}\n", i + 1));
    }
    let damped: Vec<[f64; 2]> = modes.damped.iter().map(|mu| [mu.re, mu.im]).collect();
    let value = json!({
        "mechanism": description.file,
        "degrees_of_freedom": modes.degrees_of_freedom,
        "frequencies_hz": modes.frequencies,
        "eigenvalues_per_s": damped,
        "places": modes.places,
        "shapes": modes.shapes,
    });
    arguments.report("modes", &value, &text)
}

/// Damped eigenvalues to stand beside the undamped frequencies: of the two zeros that every mode without
/// stiffness and damping has, one.
fn without_double_zeros(modes: &analysis::Modes) -> Vec<nalgebra::Complex<f64>> {
    let zeros = modes
        .damped
        .iter()
        .filter(|mu| mu.norm_sqr() == 0.0)
        .count();
    modes.damped[zeros / 2..].to_vec()
}

/// Linear model about the equilibrium near the start.
pub fn linearize(arguments: &Arguments) -> Result<ExitCode> {
    let description = arguments.mechanism.read()?;
    let linear = analysis::linear_model(&description)?;
    let rows = |matrix: &nalgebra::DMatrix<f64>| -> Vec<Vec<f64>> {
        let row = |i: usize| matrix.row(i).iter().copied().collect();
        (0..matrix.nrows()).map(row).collect()
    };
    let labels = |labels: &[multibody::linearize::Label]| -> Vec<String> {
        let text = |label: &multibody::linearize::Label| format!("{} [{}]", label.name, label.unit);
        labels.iter().map(text).collect()
    };
    let value = json!({
        "mechanism": description.file,
        "states": labels(&linear.states),
        "inputs": labels(&linear.inputs),
        "outputs": labels(&linear.outputs),
        "a": rows(&linear.a),
        "b": rows(&linear.b),
        "c": rows(&linear.c),
        "d": rows(&linear.d),
    });
    let text = format!(
        "{}: linear model of {} states, {} inputs, {} outputs\nUse --json or --out for its matrices.",
        description.title,
        linear.a.nrows(),
        linear.b.ncols(),
        linear.c.nrows()
    );
    arguments.report("linear", &value, &text)
}

/// Reads, builds and brings to the start.
pub fn check(arguments: &Arguments) -> Result<ExitCode> {
    let description = arguments.mechanism.read()?;
    let check = analysis::check(&description)?;
    let mut text = format!(
        "{}: fine\n  {} nodes, {} constraints, {} degrees of freedom\n",
        description.title, check.nodes, check.constraints, check.degrees_of_freedom
    );
    for note in &check.notes {
        text.push_str(&format!("  {note}\n"));
    }
    let value = json!({
        "mechanism": description.file,
        "nodes": check.nodes,
        "constraints": check.constraints,
        "degrees_of_freedom": check.degrees_of_freedom,
        "notes": check.notes,
    });
    arguments.report("check", &value, &text)
}
