//! The spatial leg with the motion of its tip in two parts: a position, and a displacement that is added
//! to it.
//!
//! Masters that know of no start values begin with zeros on all connections. A tip at the world's origin
//! is no place for a leg to start from; a displacement of zero is where it stands.

use crate::unit::{PackagedLeg, SavedPackaged};
use leg_core::SpatialLegConfig;
use leg_core::spatial::SpatialLeg;
use leg_core::unit::Origin;
use leg_core::unit_spatial::SPATIAL_INPUTS;
use multibody::group::Se3;
use softdock_fmi::model::{Failure, INPUT_ORDER, Input, StepsTaken, Unit};

/// Inputs of the tip's position, the first of the leg, and of its displacement, behind them all.
const AXES: usize = 3;
/// Numbers of one input.
const NUMBERS: usize = INPUT_ORDER + 2;

type Leg = PackagedLeg<SpatialLeg, Se3, 6, 3>;

/// Both parts of the tip's place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Parts {
    position: [Input; AXES],
    displacement: [Input; AXES],
}

impl Parts {
    /// Those of the inputs at the start.
    fn of(inputs: &[f64]) -> Self {
        let part = |first: usize| {
            core::array::from_fn(|k| Input {
                value: inputs[first + k],
                ..Input::default()
            })
        };
        Self {
            position: part(0),
            displacement: part(SPATIAL_INPUTS),
        }
    }

    /// Their sum along an axis.
    fn sum(&self, axis: usize) -> Input {
        let (a, b) = (&self.position[axis], &self.displacement[axis]);
        Input {
            value: a.value + b.value,
            derivatives: core::array::from_fn(|k| a.derivatives[k] + b.derivatives[k]),
            order: a.order.max(b.order),
        }
    }

    /// Goes on behind a step of `length` [s]: inputs stay where they are then.
    fn settle(&mut self, length: f64) {
        for input in self.position.iter_mut().chain(&mut self.displacement) {
            if input.order > 0 {
                let [first, second, third] = input.derivatives;
                let value = first + length * (0.5 * second + length * third / 6.0);
                *input = Input {
                    value: input.value + length * value,
                    ..Input::default()
                };
            }
        }
    }

    fn to_numbers(self) -> Vec<f64> {
        let all = self.position.into_iter().chain(self.displacement);
        all.flat_map(|input| {
            let [first, second, third] = input.derivatives;
            [input.value, first, second, third, input.order as f64]
        })
        .collect()
    }

    /// None if an order is no order.
    fn from_numbers(numbers: &[f64]) -> Option<Self> {
        let mut inputs = [Input::default(); 2 * AXES];
        for (input, numbers) in inputs.iter_mut().zip(numbers.chunks(NUMBERS)) {
            let order = numbers[NUMBERS - 1];
            if !(0..=INPUT_ORDER).any(|known| known as f64 == order) {
                return None;
            }
            input.value = numbers[0];
            input.derivatives.copy_from_slice(&numbers[1..=INPUT_ORDER]);
            input.order = order as usize;
        }
        let [a, b, c, d, e, f] = inputs;
        Some(Self {
            position: [a, b, c],
            displacement: [d, e, f],
        })
    }
}

/// A leg whose tip has a position and a displacement.
pub struct DisplacedLeg {
    leg: Leg,
    parts: Parts,
}

/// A saved state.
pub struct SavedLeg {
    leg: SavedPackaged<SpatialLeg, Se3, 6>,
    parts: Parts,
}

impl DisplacedLeg {
    /// Makes the leg that starts with the inputs of [`SPATIAL_INPUTS`] that it is given.
    pub fn start(
        inputs: &[f64],
        start: impl FnOnce(&[f64; SPATIAL_INPUTS]) -> Result<Leg, Failure>,
    ) -> Result<Self, Failure> {
        let parts = Parts::of(inputs);
        let mut values = [0.0; SPATIAL_INPUTS];
        values.copy_from_slice(&inputs[..SPATIAL_INPUTS]);
        for (axis, value) in values.iter_mut().take(AXES).enumerate() {
            *value = parts.sum(axis).value;
        }
        Ok(Self {
            leg: start(&values)?,
            parts,
        })
    }
}

impl Unit for DisplacedLeg {
    type Config = SpatialLegConfig;
    type Origin = Origin;
    type Saved = SavedLeg;

    fn from_saved(saved: &SavedLeg) -> Self {
        Self {
            leg: Leg::from_saved(&saved.leg),
            parts: saved.parts,
        }
    }

    fn time(&self) -> f64 {
        self.leg.time()
    }

    fn origin(&self) -> &Origin {
        self.leg.origin()
    }

    fn input(&self, index: usize) -> Input {
        match index {
            0..AXES => self.parts.position[index],
            AXES..SPATIAL_INPUTS => self.leg.input(index),
            _ => self.parts.displacement[index - SPATIAL_INPUTS],
        }
    }

    fn set_input(&mut self, index: usize, input: Input) {
        let axis = match index {
            0..AXES => {
                self.parts.position[index] = input;
                index
            }
            AXES..SPATIAL_INPUTS => return self.leg.set_input(index, input),
            _ => {
                let axis = index - SPATIAL_INPUTS;
                self.parts.displacement[axis] = input;
                axis
            }
        };
        self.leg.set_input(axis, self.parts.sum(axis));
    }

    fn advance_by(&mut self, length: f64) -> Result<StepsTaken, Failure> {
        let done = self.leg.advance_by(length)?;
        self.parts.settle(length);
        Ok(done)
    }

    fn evaluate(&mut self, group: usize, out: &mut [f64]) -> Result<(), Failure> {
        self.leg.evaluate(group, out)
    }

    fn rates(&mut self, group: usize, out: &mut [f64]) -> Result<(), Failure> {
        self.leg.rates(group, out)
    }

    fn derivative(&mut self, output: usize, input: usize) -> Result<f64, Failure> {
        // The tip does not mind which part moves it.
        let input = input.checked_sub(SPATIAL_INPUTS).unwrap_or(input);
        self.leg.derivative(output, input)
    }

    fn regime(&self) -> &'static str {
        self.leg.regime()
    }

    fn save(&self) -> SavedLeg {
        SavedLeg {
            leg: self.leg.save(),
            parts: self.parts,
        }
    }

    fn save_into(&self, saved: &mut SavedLeg) {
        self.leg.save_into(&mut saved.leg);
        saved.parts = self.parts;
    }

    fn restore(&mut self, saved: &SavedLeg) {
        self.leg.restore(&saved.leg);
        self.parts = saved.parts;
    }

    fn to_numbers(saved: &SavedLeg) -> Result<Vec<f64>, Failure> {
        let mut out = saved.parts.to_numbers();
        out.extend(Leg::to_numbers(&saved.leg)?);
        Ok(out)
    }

    fn from_numbers(config: &SpatialLegConfig, numbers: &[f64]) -> Result<SavedLeg, Failure> {
        let found = numbers.split_at_checked(2 * AXES * NUMBERS);
        let found = found.and_then(|(parts, leg)| Some((Parts::from_numbers(parts)?, leg)));
        let (parts, leg) = found.ok_or("they are not those of a leg")?;
        let leg = Leg::from_numbers(config, leg)?;
        Ok(SavedLeg { leg, parts })
    }
}
