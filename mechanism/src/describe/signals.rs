//! Signals of a file.

use super::Assembler;
use crate::document::{Data, Value};
use crate::error::Result;
use crate::formula::Meaning;
use crate::parts::InputPart;
use crate::read::{Entry, near};
use crate::signal::History;
use multibody::model::{Interpolation, Program, Signal};

impl Assembler<'_> {
    pub(super) fn read_signals(&mut self) -> Result<()> {
        for entry in self.entries("signal")? {
            let name = self.name(&entry)?;
            let history = if entry.required_word("kind")? == "input" {
                let value = entry.number("value")?.unwrap_or(0.0);
                self.inputs.push(InputPart {
                    name: name.clone(),
                    value,
                    unit: entry.text("unit")?.unwrap_or_default(),
                    meaning: entry.text("meaning")?.unwrap_or_default(),
                });
                let number = self.inputs.len() - 1;
                History::Input { number, value }
            } else {
                self.history(&entry)?
            };
            self.signals.push((name, history));
        }
        Ok(())
    }

    fn history(&self, entry: &Entry<'_>) -> Result<History> {
        let number = |key: &str, default: f64| Ok(entry.number(key)?.unwrap_or(default));
        let needed = |key: &str| entry.required_number(key);
        Ok(match entry.required_word("kind")?.as_str() {
            "constant" => History::constant(needed("value")?),
            "line" => History::Line {
                value: number("value", 0.0)?,
                slope: needed("slope")?,
            },
            "step" => History::Kernel(Signal::Step {
                time: number("start_s", 0.0)?,
                before: number("from", 0.0)?,
                after: needed("to")?,
            }),
            "ramp" => History::Kernel(Signal::Ramp {
                start: number("start_s", 0.0)?,
                duration: needed("duration_s")?,
                from: number("from", 0.0)?,
                to: needed("to")?,
            }),
            "cycloid" => History::Cycloid {
                start: number("start_s", 0.0)?,
                duration: needed("duration_s")?,
                from: number("from", 0.0)?,
                to: needed("to")?,
            },
            "velocity_ramp" => History::VelocityRamp {
                start: number("start_s", 0.0)?,
                duration: needed("duration_s")?,
                from: number("from", 0.0)?,
                rate: needed("rate")?,
            },
            "sine" => History::Kernel(Signal::Sine {
                offset: number("offset", 0.0)?,
                amplitude: needed("amplitude")?,
                frequency: needed("frequency_hz")?,
                phase: number("phase_rad", 0.0)?,
            }),
            "chirp" => History::Kernel(Signal::Chirp {
                offset: number("offset", 0.0)?,
                amplitude: needed("amplitude")?,
                start_frequency: needed("frequency_hz")?,
                end_frequency: needed("end_frequency_hz")?,
                duration: needed("duration_s")?,
            }),
            "polynomial" => {
                let list = entry.numbers("coefficients")?.unwrap_or_default();
                if list.is_empty() {
                    let remedy = "add coefficients = [c0, c1, …] of powers of t";
                    return Err(entry.error("has no coefficients", remedy));
                }
                History::Polynomial(list)
            }
            "table" => table(entry)?,
            "formula" => History::Pieces {
                ends: Vec::new(),
                programs: vec![of_time(entry, "formula", &entry.required_text("formula")?)?],
            },
            _ => pieces(entry)?,
        })
    }

    /// The history that a value stands for: a number, the name of a signal, or a formula of t.
    pub(super) fn history_of(
        &self,
        entry: &Entry<'_>,
        key: &str,
        value: &Value,
    ) -> Result<History> {
        let Data::Text(text) = &value.data else {
            return Ok(History::constant(self.context.number(key, value)?));
        };
        let text = self.context.filled(value.place, text)?;
        if let Some((_, history)) = self.signals.iter().find(|(name, _)| *name == text) {
            return Ok(history.clone());
        }
        let is_name = text
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        let looks_like_name = is_name && text.parse::<f64>().is_err() && text.len() > 1;
        if looks_like_name && self.context.meaning(&text).is_none() && text != "pi" {
            let names = || self.signals.iter().map(|(name, _)| name.as_str());
            let remedy = match near(&text, names()) {
                Some(known) => format!("did you mean the signal \"{known}\"?"),
                None => "add [[signal]] of that name, or write a formula of t".to_owned(),
            };
            return Err(entry.error_at(
                key,
                format!("= \"{text}\": no signal has this name"),
                remedy,
            ));
        }
        Ok(History::Pieces {
            ends: Vec::new(),
            programs: vec![of_time(entry, key, &text)?],
        })
    }

    /// Adds an input channel.
    pub(super) fn channel(&mut self, name: String, history: History) -> usize {
        self.channels.push((name, history));
        self.channels.len() - 1
    }

    /// The channel of a key that is a signal, if it is there.
    pub(super) fn channel_of(
        &mut self,
        entry: &Entry<'_>,
        owner: &str,
        key: &str,
    ) -> Result<Option<usize>> {
        let values = entry.values(key);
        let [value] = values.as_slice() else {
            if values.is_empty() {
                return Ok(None);
            }
            return Err(entry.error_at(key, "is a list", "write one signal"));
        };
        let history = self.history_of(entry, key, value)?;
        Ok(Some(self.channel(format!("{owner}.{key}"), history)))
    }
}

fn of_time(entry: &Entry<'_>, key: &str, text: &str) -> Result<Program> {
    let place = entry
        .table
        .get(key)
        .map_or(entry.place, |value| value.place);
    let mut own = |name: &str| (name == "t").then_some(Meaning::Variable(0));
    entry.context().formula(key, place, text, &mut own)
}

fn table(entry: &Entry<'_>) -> Result<History> {
    let times = entry.numbers("times_s")?.unwrap_or_default();
    let values = entry.numbers("values")?.unwrap_or_default();
    if times.is_empty() || times.len() != values.len() {
        let problem = format!("has {} times and {} values", times.len(), values.len());
        return Err(entry.error(problem, "give as many values as times_s"));
    }
    if times.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(entry.error_at("times_s", "do not grow", "sort the rows by time"));
    }
    let interpolation = match entry.word("interpolation")?.as_deref() {
        Some("linear") => Interpolation::Linear,
        Some("hold") => Interpolation::Hold,
        _ => Interpolation::Cubic,
    };
    Ok(History::Kernel(Signal::Table {
        times,
        values,
        interpolation,
    }))
}

fn pieces(entry: &Entry<'_>) -> Result<History> {
    let ends = entry.numbers("times_s")?.unwrap_or_default();
    let formulas = entry.texts("formulas")?.unwrap_or_default();
    if formulas.len() != ends.len() + 1 {
        let problem = format!("has {} times and {} formulas", ends.len(), formulas.len());
        return Err(entry.error(problem, "give one formula more than times_s"));
    }
    if ends.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(entry.error_at("times_s", "do not grow", "sort the pieces by time"));
    }
    let programs = formulas
        .iter()
        .map(|(text, _)| of_time(entry, "formulas", text));
    Ok(History::Pieces {
        ends,
        programs: programs.collect::<Result<_>>()?,
    })
}
