//! A leg as the unit of a packaged model.

use leg_core::unit::{self, LegUnit, Origin, OutputGroup, Saved, UnitLeg};
use multibody::group::Group;
use softdock_fmi::model::{Failure, Input, StepsTaken, Unit};
use std::ops::Range;

/// Where the outputs of each group of a leg are.
pub fn groups<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize>()
-> Vec<Range<usize>> {
    OutputGroup::ALL.map(L::outputs).into_iter().collect()
}

/// A leg that a host steps, saves and restores.
pub struct PackagedLeg<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize>(
    pub Box<LegUnit<L, G, N, D>>,
);

impl<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize> Unit
    for PackagedLeg<L, G, N, D>
{
    type Config = L::Config;
    type Origin = Origin;
    type Saved = Saved<L, G, N>;
    fn from_saved(saved: &Self::Saved) -> Self {
        Self(Box::new(LegUnit::from_saved(saved)))
    }

    fn time(&self) -> f64 {
        self.0.time()
    }

    fn origin(&self) -> &Origin {
        self.0.origin()
    }

    fn input(&self, index: usize) -> Input {
        let input = &self.0.inputs()[index];
        Input {
            value: input.value,
            derivatives: input.derivatives(),
            order: input.order(),
        }
    }

    fn set_input(&mut self, index: usize, input: Input) {
        let Input {
            value,
            derivatives,
            order,
        } = input;
        self.0.inputs_mut()[index] = unit::Input::from_parts(value, derivatives, order);
    }

    fn advance_by(&mut self, length: f64) -> Result<StepsTaken, Failure> {
        let done = self.0.advance_by(length)?;
        Ok(StepsTaken {
            steps: done.steps,
            rejected: done.rejected,
            iterations: done.iterations,
        })
    }

    fn evaluate(&mut self, group: usize, out: &mut [f64]) -> Result<(), Failure> {
        Ok(self.0.evaluate(OutputGroup::ALL[group], out)?)
    }

    fn rates(&mut self, group: usize, out: &mut [f64]) -> Result<(), Failure> {
        Ok(self.0.rates(OutputGroup::ALL[group], out)?)
    }

    fn derivative(&mut self, output: usize, input: usize) -> Result<f64, Failure> {
        Ok(self.0.derivative(output, input)?)
    }

    fn regime(&self) -> &'static str {
        if self.0.slack() {
            "the tendon is slack"
        } else {
            "the tendon is taut"
        }
    }

    fn save(&self) -> Self::Saved {
        self.0.save()
    }

    fn save_into(&self, saved: &mut Self::Saved) {
        self.0.save_into(saved);
    }

    fn restore(&mut self, saved: &Self::Saved) {
        self.0.restore(saved);
    }

    fn to_numbers(saved: &Self::Saved) -> Result<Vec<f64>, Failure> {
        Ok(saved.to_numbers())
    }

    fn from_numbers(config: &L::Config, numbers: &[f64]) -> Result<Self::Saved, Failure> {
        Ok(Saved::from_numbers(config, numbers)?)
    }
}
