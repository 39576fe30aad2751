//! Input channels: what drives a model from outside.
//!
//! A channel has a value, a rate and an acceleration at every time; drivers need all three (the
//! hidden constraints), forces only the value. A [`Drive`] gives them at any time.

use super::Interpolation;
use crate::math;
use core::f64::consts::TAU;

/// Values of all input channels at one time.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Inputs {
    /// Values.
    pub value: Vec<f64>,
    /// First time derivatives.
    pub rate: Vec<f64>,
    /// Second time derivatives.
    pub acceleration: Vec<f64>,
}

impl Inputs {
    /// `count` channels, all at rest at zero.
    pub fn zeros(count: usize) -> Self {
        Self {
            value: vec![0.0; count],
            rate: vec![0.0; count],
            acceleration: vec![0.0; count],
        }
    }

    /// Channels at rest at the given values.
    pub fn constant(values: &[f64]) -> Self {
        Self {
            value: values.to_vec(),
            ..Self::zeros(values.len())
        }
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.value.copy_from_slice(&other.value);
        self.rate.copy_from_slice(&other.rate);
        self.acceleration.copy_from_slice(&other.acceleration);
    }
}

/// Gives the input channels at any time. Must not allocate: it is called in every step.
pub trait Drive {
    /// Writes the channels at `time` [s] into `inputs`, whose length is the model's. Where a channel
    /// jumps, it has its new value.
    fn sample(&self, time: f64, inputs: &mut Inputs);

    /// The same where a channel that jumps at `time` has its old value still.
    fn sample_before(&self, time: f64, inputs: &mut Inputs) {
        self.sample(time, inputs);
    }

    /// First time later than `after` and not later than `until` [s] at which a channel jumps: time
    /// steps end there, and what follows begins consistently. Jumps that are not told are smeared
    /// over a step.
    fn next_jump(&self, _after: f64, _until: f64) -> Option<f64> {
        None
    }
}

/// Inputs that do not change.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Held(pub Inputs);

impl Drive for Held {
    fn sample(&self, _time: f64, inputs: &mut Inputs) {
        inputs.copy_from(&self.0);
    }
}

/// A named time history of one channel.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Signal {
    /// Always the same value.
    Constant(f64),
    /// `before` until `time`, then `after`; derivatives are zero on both sides.
    Step {
        /// Time of the step [s].
        time: f64,
        /// Value before.
        before: f64,
        /// Value from `time` on.
        after: f64,
    },
    /// Quintic blend from one value to another, smooth to the second derivative.
    Ramp {
        /// Start [s].
        start: f64,
        /// Duration [s], > 0.
        duration: f64,
        /// Value before.
        from: f64,
        /// Value after.
        to: f64,
    },
    /// `offset + amplitude sin(2π f t + phase)`.
    Sine {
        /// Mean value.
        offset: f64,
        /// Amplitude.
        amplitude: f64,
        /// Frequency [Hz].
        frequency: f64,
        /// Phase [rad].
        phase: f64,
    },
    /// Sine whose frequency grows linearly over `duration`, then stays.
    Chirp {
        /// Mean value.
        offset: f64,
        /// Amplitude.
        amplitude: f64,
        /// Frequency at t = 0 [Hz].
        start_frequency: f64,
        /// Frequency at `duration` [Hz].
        end_frequency: f64,
        /// Duration of the sweep [s], > 0.
        duration: f64,
    },
    /// Rows of a table, joined in one of three ways; held outside the table.
    Table {
        /// Times [s], strictly increasing.
        times: Vec<f64>,
        /// Values, as many as times.
        values: Vec<f64>,
        /// What is between the rows.
        interpolation: Interpolation,
    },
}

impl Signal {
    /// The same history with `by` added to its value.
    pub fn shifted(mut self, by: f64) -> Self {
        match &mut self {
            Self::Constant(value) => *value += by,
            Self::Step { before, after, .. } => {
                *before += by;
                *after += by;
            }
            Self::Ramp { from, to, .. } => {
                *from += by;
                *to += by;
            }
            Self::Sine { offset, .. } | Self::Chirp { offset, .. } => *offset += by,
            Self::Table { values, .. } => values.iter_mut().for_each(|value| *value += by),
        }
        self
    }

    /// First time later than `after` and not later than `until` [s] at which its value jumps.
    pub fn next_jump(&self, after: f64, until: f64) -> Option<f64> {
        let inside = |time: &f64| *time > after && *time <= until;
        match self {
            Self::Step { time, .. } => Some(*time).filter(inside),
            Self::Table {
                times,
                interpolation,
                ..
            } => interpolation.next_jump(times, after, until),
            _ => None,
        }
    }

    /// As [`Self::sample`]; where the value jumps at `time`, it is the old one.
    pub fn sample_before(&self, time: f64) -> (f64, f64, f64) {
        match *self {
            Self::Step {
                time: at, before, ..
            } if at == time => (before, 0.0, 0.0),
            Self::Table {
                ref times,
                ref values,
                interpolation,
            } => interpolation.sample_before(times, values, time),
            _ => self.sample(time),
        }
    }

    /// Value, rate and acceleration at `time` [s]; where the value jumps, it is the new one.
    pub fn sample(&self, time: f64) -> (f64, f64, f64) {
        match *self {
            Self::Constant(value) => (value, 0.0, 0.0),
            Self::Step {
                time: at,
                before,
                after,
            } => (if time < at { before } else { after }, 0.0, 0.0),
            Self::Ramp {
                start,
                duration,
                from,
                to,
            } => {
                let x = ((time - start) / duration).clamp(0.0, 1.0);
                let rise = to - from;
                let value = x * x * x * (10.0 + x * (6.0 * x - 15.0));
                let slope = 30.0 * x * x * (1.0 - x) * (1.0 - x) / duration;
                let curve = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (duration * duration);
                (from + rise * value, rise * slope, rise * curve)
            }
            Self::Sine {
                offset,
                amplitude,
                frequency,
                phase,
            } => {
                let w = TAU * frequency;
                let (sin, cos) = math::sin_cos(w * time + phase);
                (
                    offset + amplitude * sin,
                    amplitude * w * cos,
                    -amplitude * w * w * sin,
                )
            }
            Self::Chirp {
                offset,
                amplitude,
                start_frequency,
                end_frequency,
                duration,
            } => {
                let sweep = TAU * (end_frequency - start_frequency) / duration;
                let swept = time.max(0.0).min(duration.max(0.0));
                let after = time - swept;
                let w = TAU * start_frequency + sweep * swept;
                let angle = (TAU * start_frequency + 0.5 * sweep * swept) * swept + w * after;
                let w_dot = if (0.0..duration).contains(&time) {
                    sweep
                } else {
                    0.0
                };
                let (sin, cos) = math::sin_cos(angle);
                let rate = amplitude * w * cos;
                (
                    offset + amplitude * sin,
                    rate,
                    amplitude * (w_dot * cos - w * w * sin),
                )
            }
            Self::Table {
                ref times,
                ref values,
                interpolation,
            } => interpolation.sample(times, values, time),
        }
    }
}

/// One signal per input channel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Signals(pub Vec<Signal>);

impl Signals {
    fn write(&self, inputs: &mut Inputs, sample: impl Fn(&Signal) -> (f64, f64, f64)) {
        for (i, signal) in self.0.iter().enumerate().take(inputs.value.len()) {
            let (value, rate, acceleration) = sample(signal);
            inputs.value[i] = value;
            inputs.rate[i] = rate;
            inputs.acceleration[i] = acceleration;
        }
    }
}

impl Drive for Signals {
    fn sample(&self, time: f64, inputs: &mut Inputs) {
        self.write(inputs, |signal| signal.sample(time));
    }

    fn sample_before(&self, time: f64, inputs: &mut Inputs) {
        self.write(inputs, |signal| signal.sample_before(time));
    }

    fn next_jump(&self, after: f64, until: f64) -> Option<f64> {
        let jumps = self.0.iter().filter_map(|s| s.next_jump(after, until));
        jumps.reduce(f64::min)
    }
}
