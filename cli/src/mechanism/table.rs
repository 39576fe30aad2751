//! `softdock mechanism table`: published computing times beside ours, and modes kept against results.

use crate::bench::clock::Clock;
use crate::failure::BadInput;
use crate::output;
use anyhow::Result;
use serde_json::json;
use softdock_mechanism::{library, simulate};
use std::process::ExitCode;

/// Arguments of `softdock mechanism table`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Which table: two-link (computing times), l-release or l-torque (modes kept)
    name: String,
    /// Prints JSON instead of the table
    #[arg(long)]
    json: bool,
}

const MODELS: [&str; 7] = ["rr", "rf", "fr", "ff", "ff2", "ff5", "ff10"];
/// Models without a number of elements in their name are published with one per arm.
const ONE_ELEMENT: [&str; 3] = ["rf", "fr", "ff"];
/// Steps [s] with the published times [s] for 2π s of motion on an i7-4910MQ (Grazioso et al.).
const PUBLISHED: [(f64, [f64; 7]); 3] = [
    (
        1e-3,
        [149.12, 175.96, 167.47, 156.09, 169.05, 176.11, 198.41],
    ),
    (1e-2, [14.26, 15.64, 15.71, 15.46, 17.18, 19.04, 21.86]),
    (1e-1, [1.75, 1.65, 1.57, 1.76, 1.87, 1.96, 2.30]),
];

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    match arguments.name.as_str() {
        "two-link" => {}
        "l-release" | "l-torque" => return modes(arguments),
        other => {
            let message =
                format!("there is no table {other}; known: two-link, l-release, l-torque");
            return Err(BadInput::new(message).into());
        }
    }
    let mut text = String::from(
        "Processor times for 2π s of the two-link manipulator, start smooth [s]; FFn: n elements per arm, RF, FR, FF: one\n  \
         step [s]  model   published        ours      factor\n",
    );
    let mut rows = Vec::new();
    for (step, published) in PUBLISHED {
        for (model, published) in MODELS.iter().zip(published) {
            let mut settings = vec![("analysis.step_s".to_owned(), format!("{step}"))];
            if ONE_ELEMENT.contains(model) {
                settings.push(("parameters.elements".to_owned(), "1".to_owned()));
            }
            let description = library::describe(&format!("two-link-{model}"), &settings)?;
            let clock = Clock::start();
            simulate::simulate(&description, &mut |_, _| true)?;
            let ours = clock.spent().processor;
            let factor = published / ours;
            text.push_str(&format!(
                "  {step:8} {model:>6} {published:11.2} {ours:11.4} {factor:11.0}\n"
            ));
            rows.push(json!({
                "step_s": step, "model": model, "published_s": published, "ours_s": ours,
                "factor": factor,
            }));
        }
    }
    if arguments.json {
        output::say_json(&rows)?;
    } else {
        output::tell(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Models of the L: name, value of `model`, fixed-interface modes.
const MODELS_OF_L: [(&str, &str, usize); 8] = [
    ("full", "full", 0),
    ("12 + 0", "craig-bampton", 0),
    ("12 + 2", "craig-bampton", 2),
    ("12 + 4", "craig-bampton", 4),
    ("12 + 6", "craig-bampton", 6),
    ("12 + 12", "craig-bampton", 12),
    ("12 + 20", "craig-bampton", 20),
    ("5 masses", "lumped", 0),
];

/// Elements per rod, as in the published reduction.
const ELEMENTS_OF_L: usize = 20;

/// Modes kept against root angle, elbow and tip of the L at 0.5 s, with the computing time.
fn modes(arguments: &Arguments) -> Result<ExitCode> {
    let mut text = format!(
        "{} at 0.5 s, {ELEMENTS_OF_L} elements per rod: interface coordinates + modes kept\n  {:10} {:>10} {:>9} {:>9} \
         {:>9} {:>9} {:>9} {:>9} {:>8} {:>8}\n",
        arguments.name,
        "model",
        "root [°]",
        "elbow x",
        "y",
        "z",
        "tip x",
        "y",
        "z",
        "time [s]",
        "factor"
    );
    let (mut rows, mut full) = (Vec::new(), None);
    for (name, model, modes) in MODELS_OF_L {
        let settings = [
            ("parameters.model".to_owned(), model.to_owned()),
            ("parameters.modes".to_owned(), modes.to_string()),
            ("analysis.duration_s".to_owned(), "0.5".to_owned()),
            ("parameters.elements".to_owned(), ELEMENTS_OF_L.to_string()),
        ];
        let description = library::describe(&arguments.name, &settings)?;
        let mut last = Vec::new();
        let clock = Clock::start();
        simulate::simulate(&description, &mut |_, values| {
            last = values.to_vec();
            true
        })?;
        let seconds = clock.spent().processor;
        let [root, places @ ..] = last.as_slice() else {
            continue;
        };
        let degrees = root.to_degrees();
        text.push_str(&format!("  {name:10} {degrees:10.4}"));
        for place in places {
            text.push_str(&format!(" {place:9.5}"));
        }
        // Against the full beams, which are the first row.
        let factor = *full.get_or_insert(seconds) / seconds;
        text.push_str(&format!(" {seconds:8.4} {factor:8.2}\n"));
        rows.push(json!({
            "model": name, "factor": factor, "root_deg": degrees, "elbow_m": places.get(..3), "tip_m": places.get(3..),
            "seconds": seconds,
        }));
    }
    if arguments.json {
        output::say_json(&rows)?;
    } else {
        output::tell(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}
