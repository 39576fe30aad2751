//! A leg as the unit of a packaged model.

use leg_core::unit::{self, LegUnit, Origin, OutputGroup, Saved, UnitLeg};
use multibody::group::Group;
use multibody::results::soundness::{Books, LeafStrain, Watch};
use softdock_fmi::model::{Failure, Input, StepsTaken, Unit};
use softdock_fmi::numbers;
use std::ops::Range;

/// The group behind those of a leg: whether the result is sound.
pub const VERDICT: usize = OutputGroup::ALL.len();

/// Where the outputs of each group of a leg are, and the verdict behind them.
pub fn groups<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize>()
-> Vec<Range<usize>> {
    let outputs = LegUnit::<L, G, N, D>::output_count();
    let own = OutputGroup::ALL.map(L::outputs).into_iter();
    own.chain(core::iter::once(outputs..outputs + 1)).collect()
}

/// A leg that a host steps, saves and restores, watched at the end of every communication step.
pub struct PackagedLeg<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize> {
    leg: Box<LegUnit<L, G, N, D>>,
    watch: Watch,
}

/// A saved state.
pub struct SavedPackaged<L, G, const N: usize> {
    leg: Saved<L, G, N>,
    watch: Watch,
}

impl<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize> PackagedLeg<L, G, N, D> {
    /// A leg at its start.
    pub fn new(leg: Box<LegUnit<L, G, N, D>>) -> Self {
        let mut out = Self {
            leg,
            watch: Watch::default(),
        };
        out.note();
        out
    }

    /// Notes what may make the result suspect.
    fn note(&mut self) {
        // What cannot be computed is NaN, and suspect.
        let mut energies = [f64::NAN; 7];
        let mut look = [f64::NAN; 3];
        let _ = self.leg.evaluate(OutputGroup::Energy, &mut energies);
        let _ = self.leg.evaluate(OutputGroup::Diagnostic, &mut look);
        let [
            kinetic,
            strain,
            tendon,
            gravity,
            work_in,
            dissipated,
            residual,
        ] = energies;
        let [axial, surface, _] = look;
        let (time, watch) = (self.leg.time(), &mut self.watch);
        watch.energies(
            time,
            &Books {
                kinetic,
                potentials: &[strain, tendon, gravity],
                work: &[work_in],
                lost: &[dissipated],
                residual,
            },
        );
        watch.leaf(time, None, &LeafStrain { axial, surface });
    }
}

impl<L: UnitLeg<G, N, D>, G: Group<N, D>, const N: usize, const D: usize> Unit
    for PackagedLeg<L, G, N, D>
{
    type Config = L::Config;
    type Origin = Origin;
    type Saved = SavedPackaged<L, G, N>;

    fn from_saved(saved: &Self::Saved) -> Self {
        Self {
            leg: Box::new(LegUnit::from_saved(&saved.leg)),
            watch: saved.watch.clone(),
        }
    }

    fn time(&self) -> f64 {
        self.leg.time()
    }

    fn origin(&self) -> &Origin {
        self.leg.origin()
    }

    fn input(&self, index: usize) -> Input {
        let input = &self.leg.inputs()[index];
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
        self.leg.inputs_mut()[index] = unit::Input::from_parts(value, derivatives, order);
    }

    fn advance_by(&mut self, length: f64) -> Result<StepsTaken, Failure> {
        let done = self.leg.advance_by(length)?;
        let asked = self.leg.leg().solver().error_tolerance;
        self.watch.steps_at_floor(self.leg.time(), done.at_floor);
        self.watch
            .step_error(self.leg.time(), done.excess_error, asked);
        if done.steps > 0 {
            self.note();
        }
        Ok(StepsTaken {
            steps: done.steps,
            rejected: done.rejected,
            iterations: done.iterations,
        })
    }

    fn evaluate(&mut self, group: usize, out: &mut [f64]) -> Result<(), Failure> {
        if group == VERDICT {
            out.fill(f64::from(u8::from(!self.watch.soundness().is_suspect())));
            return Ok(());
        }
        Ok(self.leg.evaluate(OutputGroup::ALL[group], out)?)
    }

    fn rates(&mut self, group: usize, out: &mut [f64]) -> Result<(), Failure> {
        if group == VERDICT {
            out.fill(0.0);
            return Ok(());
        }
        Ok(self.leg.rates(OutputGroup::ALL[group], out)?)
    }

    fn derivative(&mut self, output: usize, input: usize) -> Result<f64, Failure> {
        if output >= LegUnit::<L, G, N, D>::output_count() {
            return Ok(0.0);
        }
        Ok(self.leg.derivative(output, input)?)
    }

    fn regime(&self) -> &'static str {
        if self.leg.slack() {
            "the tendon is slack"
        } else {
            "the tendon is taut"
        }
    }

    fn save(&self) -> Self::Saved {
        SavedPackaged {
            leg: self.leg.save(),
            watch: self.watch.clone(),
        }
    }

    fn save_into(&self, saved: &mut Self::Saved) {
        self.leg.save_into(&mut saved.leg);
        saved.watch.copy_from(&self.watch);
    }

    fn restore(&mut self, saved: &Self::Saved) {
        self.leg.restore(&saved.leg);
        self.watch.copy_from(&saved.watch);
    }

    /// The count of the watch's numbers, these, then the leg's.
    fn to_numbers(saved: &Self::Saved) -> Result<Vec<f64>, Failure> {
        let watch = numbers::to_numbers(&saved.watch)?;
        let mut out = vec![watch.len() as f64];
        out.extend(watch);
        out.extend(saved.leg.to_numbers());
        Ok(out)
    }

    fn from_numbers(config: &L::Config, numbers: &[f64]) -> Result<Self::Saved, Failure> {
        let parts = numbers.split_first().and_then(|(&count, rest)| {
            // A count that is no whole number, or too large, is refused by one of the two.
            rest.split_at_checked(count as usize)
        });
        let (watch, leg) = parts.ok_or("they are not those of a leg")?;
        Ok(SavedPackaged {
            watch: numbers::from_numbers(watch)?,
            leg: Saved::from_numbers(config, leg)?,
        })
    }
}
