//! Time histories of input channels.
//!
//! Beyond the kernel's own: with x = (t − t0)/T cut to [0, 1] and rise Δ,
//!
//! ```text
//! cycloid        u = u0 + Δ (x − sin(2πx)/2π)                                   (1)
//! velocity ramp  u = u0 + v T (5/2 x⁴ − 3 x⁵ + x⁶), then on with rate v          (2)
//! ```
//!
//! (2) reaches the rate v with acceleration and its rate zero. Formulas give their derivatives by
//! jets; pieces end where a step must end.

use core::f64::consts::TAU;
use multibody::math;
use multibody::model::{Drive, Inputs, Jet, Program, Signal};

/// A time history.
#[derive(Debug, Clone, PartialEq)]
pub enum History {
    /// One of the kernel's.
    Kernel(Signal),
    /// Value and change per second.
    Line {
        /// Value at t = 0.
        value: f64,
        /// Change per second.
        slope: f64,
    },
    /// Eq. (1).
    Cycloid {
        /// Begin [s].
        start: f64,
        /// Duration [s].
        duration: f64,
        /// Value before.
        from: f64,
        /// Value after.
        to: f64,
    },
    /// Eq. (2).
    VelocityRamp {
        /// Begin [s].
        start: f64,
        /// Duration [s].
        duration: f64,
        /// Value before.
        from: f64,
        /// Rate reached [1/s].
        rate: f64,
    },
    /// What somebody outside sets: one of the inputs of the file.
    Input {
        /// Which of them.
        number: usize,
        /// Its value now.
        value: f64,
    },
    /// c0 + c1 t + c2 t² + …
    Polynomial(Vec<f64>),
    /// Formulas of t, each until a time.
    Pieces {
        /// End of every piece but the last [s].
        ends: Vec<f64>,
        /// The pieces.
        programs: Vec<Program>,
    },
}

impl History {
    /// A constant.
    pub fn constant(value: f64) -> Self {
        Self::Kernel(Signal::Constant(value))
    }

    /// Value, rate and acceleration at `time` [s].
    pub fn sample_now(&self, time: f64) -> (f64, f64, f64) {
        self.sample(time, false)
    }

    fn sample(&self, time: f64, before: bool) -> (f64, f64, f64) {
        match self {
            Self::Kernel(signal) if before => signal.sample_before(time),
            Self::Kernel(signal) => signal.sample(time),
            Self::Line { value, slope } => (value + slope * time, *slope, 0.0),
            Self::Input { value, .. } => (*value, 0.0, 0.0),
            Self::Cycloid {
                start,
                duration,
                from,
                to,
            } => {
                let x = ((time - start) / duration).clamp(0.0, 1.0);
                let (sin, cos) = math::sin_cos(TAU * x);
                let rise = to - from;
                (
                    from + rise * (x - sin / TAU),
                    rise * (1.0 - cos) / duration,
                    rise * TAU * sin / (duration * duration),
                ) // (1)
            }
            Self::VelocityRamp {
                start,
                duration,
                from,
                rate,
            } => {
                let beyond = (time - start - duration).max(0.0);
                let x = ((time - start) / duration).clamp(0.0, 1.0);
                let way = x.powi(4) * (2.5 + x * (x - 3.0));
                let speed = x.powi(3) * (10.0 + x * (6.0 * x - 15.0));
                let change = 30.0 * x * x * (1.0 - x) * (1.0 - x);
                (
                    from + rate * (duration * way + beyond),
                    rate * speed,
                    rate * change / duration,
                ) // (2)
            }
            Self::Polynomial(coefficients) => {
                let mut jet = [0.0; 3];
                for c in coefficients.iter().rev() {
                    jet = [
                        jet[0] * time + c,
                        jet[1] * time + jet[0],
                        jet[2] * time + 2.0 * jet[1],
                    ];
                }
                (jet[0], jet[1], jet[2])
            }
            Self::Pieces { ends, programs } => {
                let passed = |end: &f64| if before { *end < time } else { *end <= time };
                let piece = ends.iter().take_while(|end| passed(end)).count();
                let jet = programs[piece].evaluate(|_| Jet {
                    value: time,
                    rate: 1.0,
                    acceleration: 0.0,
                });
                (jet.value, jet.rate, jet.acceleration)
            }
        }
    }

    fn next_jump(&self, after: f64, until: f64) -> Option<f64> {
        let inside = |time: &f64| *time > after && *time <= until;
        match self {
            Self::Kernel(signal) => signal.next_jump(after, until),
            Self::Line { .. } | Self::Input { .. } | Self::Polynomial(_) => None,
            Self::Cycloid {
                start, duration, ..
            }
            | Self::VelocityRamp {
                start, duration, ..
            } => [*start, start + duration].into_iter().find(inside),
            Self::Pieces { ends, .. } => ends.iter().copied().find(inside),
        }
    }
}

/// One history per input channel; channels behind them hold a value that events set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Histories(pub Vec<History>);

impl Histories {
    fn write(&self, time: f64, before: bool, inputs: &mut Inputs) {
        for (i, history) in self.0.iter().enumerate().take(inputs.value.len()) {
            let (value, rate, acceleration) = history.sample(time, before);
            inputs.value[i] = value;
            inputs.rate[i] = rate;
            inputs.acceleration[i] = acceleration;
        }
    }
}

impl Drive for Histories {
    fn sample(&self, time: f64, inputs: &mut Inputs) {
        self.write(time, false, inputs);
    }

    fn sample_before(&self, time: f64, inputs: &mut Inputs) {
        self.write(time, true, inputs);
    }

    fn next_jump(&self, after: f64, until: f64) -> Option<f64> {
        let jumps = self.0.iter().filter_map(|s| s.next_jump(after, until));
        jumps.reduce(f64::min)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use multibody::model::{Function, Op};

    #[test]
    fn rates_are_derivatives_of_values() {
        let formula = vec![
            Op::Variable(0),
            Op::Variable(0),
            Op::Call(Function::Sin),
            Op::Subtract,
        ];
        let histories = [
            History::Line {
                value: 1.0,
                slope: 2.0,
            },
            History::Cycloid {
                start: 0.1,
                duration: 0.7,
                from: -1.0,
                to: 2.0,
            },
            History::VelocityRamp {
                start: 0.1,
                duration: 0.7,
                from: 0.4,
                rate: -3.0,
            },
            History::Polynomial(vec![1.0, -2.0, 0.5, 3.0]),
            History::Pieces {
                ends: vec![],
                programs: vec![Program::new(formula).unwrap()],
            },
        ];
        let h = 1e-4;
        for history in &histories {
            for time in [0.3, 0.45, 0.7, 1.4] {
                let at = |t: f64| history.sample(t, false);
                let (value, rate, acceleration) = at(time);
                let first = (at(time + h).0 - at(time - h).0) / (2.0 * h);
                let second = (at(time + h).0 - 2.0 * value + at(time - h).0) / (h * h);
                assert!((rate - first).abs() < 1e-5, "{history:?} {time}");
                assert!((acceleration - second).abs() < 1e-4, "{history:?} {time}");
            }
        }
    }

    #[test]
    fn a_velocity_ramp_reaches_its_rate() {
        let ramp = History::VelocityRamp {
            start: 0.0,
            duration: 2.0,
            from: 0.0,
            rate: -TAU,
        };
        let (value, rate, acceleration) = ramp.sample(2.0, false);
        assert!((rate + TAU).abs() < 1e-14 && acceleration == 0.0);
        assert!((value + TAU).abs() < 1e-14);
        assert!((ramp.sample(3.0, false).0 + 2.0 * TAU).abs() < 1e-13);
    }
}
