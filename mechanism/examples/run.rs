//! Prints rows of a mechanism: `run NAME|FILE [inverse|modes|statics] [KEY=VALUE]… [at TIME…]`.

use softdock_mechanism::{analysis, library, prescribed, simulate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let name = arguments.next().ok_or("name a mechanism")?;
    let (mut what, mut settings, mut times) = ("simulate".to_owned(), Vec::new(), Vec::new());
    for argument in arguments {
        if let Some((key, value)) = argument.split_once('=') {
            settings.push((key.to_owned(), value.to_owned()));
        } else if let Ok(time) = argument.parse::<f64>() {
            times.push(time);
        } else if argument != "at" {
            what = argument;
        }
    }
    let description = match library::text(&name) {
        Some(_) => library::describe(&name, &settings)?,
        None => {
            let text = std::fs::read_to_string(&name)?;
            softdock_mechanism::describe(&name, &text, &settings, &library::find)?
        }
    };
    match what.as_str() {
        "modes" => {
            let modes = analysis::modes(&description)?;
            println!("{:?}", modes.frequencies);
            return Ok(());
        }
        "statics" => {
            let found = analysis::equilibrium(&description)?;
            for (part, value) in description.outputs.iter().zip(&found.outputs) {
                println!("{} {value:.10}", part.name);
            }
            return Ok(());
        }
        _ => {}
    }
    let names: Vec<&str> = (description.outputs.iter())
        .map(|part| part.name.as_str())
        .collect();
    println!("time_s {}", names.join(" "));
    let mut rows = |time: f64, values: &[f64]| {
        let end = time == description.analysis.duration;
        if end || time == 0.0 || times.iter().any(|t| (t - time).abs() < 1e-9) {
            let values: Vec<String> = values.iter().map(|v| format!("{v:.8}")).collect();
            println!("{time:.6} {}", values.join(" "));
        }
        true
    };
    let started = std::time::Instant::now();
    let outcome = match what.as_str() {
        "inverse" => prescribed::inverse(&description, &mut rows)?,
        _ => simulate::simulate(&description, &mut rows)?,
    };
    println!(
        "{} steps {} iterations {:.3} s, residual {:.2e}, gap {:.1e}, dof {}, {} {:?}",
        outcome.steps,
        outcome.iterations,
        started.elapsed().as_secs_f64(),
        outcome.energy_residual_rel,
        outcome.joint_gap,
        outcome.degrees_of_freedom,
        outcome.soundness,
        outcome.events
    );
    Ok(())
}
