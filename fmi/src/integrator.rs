//! The smallest model: an integrator, `x' = gain u`, with which the shell is tested.

use crate::model::{
    Abilities, About, Failure, Input, Model, Packaged, Parameters, StepsTaken, Unit,
};
use crate::variables::{List, Name, UnitOf, Variable, one};
use softdock_xml::DefaultExperiment;
use std::ops::Range;
use std::sync::Arc;

/// The integrator as a model.
pub struct Integrator;

/// Its parameter.
#[derive(Clone)]
pub struct Gain(f64);

impl Default for Gain {
    fn default() -> Self {
        Self(1.0)
    }
}

impl Parameters for Gain {
    type Config = f64;
    type Origin = f64;

    fn boxed_config(&self) -> Result<Box<f64>, Failure> {
        Ok(Box::new(self.0))
    }
}

/// The integrator at work.
#[derive(Clone)]
pub struct State {
    gain: f64,
    input: Input,
    x: f64,
    time: f64,
}

impl Unit for State {
    type Config = f64;
    type Origin = f64;
    type Saved = Self;

    fn from_saved(saved: &Self) -> Self {
        saved.clone()
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn origin(&self) -> &f64 {
        &self.gain
    }

    fn input(&self, _index: usize) -> Input {
        self.input
    }

    fn set_input(&mut self, _index: usize, input: Input) {
        self.input = input;
    }

    fn advance_by(&mut self, length: f64) -> Result<StepsTaken, Failure> {
        if self.input.value < 0.0 {
            return Err("the input is negative".into());
        }
        self.x += length * self.gain * self.input.value;
        self.time += length;
        Ok(StepsTaken::default())
    }

    fn evaluate(&mut self, _group: usize, out: &mut [f64]) -> Result<(), Failure> {
        out[0] = self.x;
        Ok(())
    }

    fn rates(&mut self, _group: usize, out: &mut [f64]) -> Result<(), Failure> {
        out[0] = self.gain * self.input.value;
        Ok(())
    }

    fn derivative(&mut self, _output: usize, _input: usize) -> Result<f64, Failure> {
        Ok(self.gain)
    }

    fn regime(&self) -> &'static str {
        "the only one"
    }

    fn save(&self) -> Self {
        self.clone()
    }

    fn save_into(&self, saved: &mut Self) {
        saved.clone_from(self);
    }

    fn restore(&mut self, saved: &Self) {
        self.clone_from(saved);
    }

    fn to_numbers(saved: &Self) -> Result<Vec<f64>, Failure> {
        Ok(vec![saved.x, saved.time])
    }

    fn from_numbers(config: &f64, numbers: &[f64]) -> Result<Self, Failure> {
        let &[x, time] = numbers else {
            return Err("two numbers are needed".into());
        };
        let (gain, input) = (*config, Input::default());
        Ok(Self {
            gain,
            input,
            x,
            time,
        })
    }
}

const fn table() -> List<Gain> {
    let mut list = List::<Gain>::new();
    list.real("gain", UnitOf::One, [0.0, 10.0], "Gain", |p| one(&mut p.0))
        .input(Name::of("u"), UnitOf::One, 0, "Input", |_, _| 0.5)
        .output("x", UnitOf::One, 0, 0, "Integral of the input");
    list
}

impl Model for Integrator {
    type Parameters = Gain;
    type Unit = State;

    fn about(&self) -> About<'_> {
        About {
            name: "Integrator",
            summary: "An integrator.",
            documentation: "",
            linked: "",
            started: "ready",
            experiment: DefaultExperiment {
                start_time: Some(0.0),
                stop_time: Some(1.0),
                tolerance: None,
                step_size: Some(0.1),
            },
            abilities: Abilities {
                input_derivatives: true,
                output_derivatives: true,
                directional_derivatives: true,
            },
        }
    }

    fn defaults(&self) -> Gain {
        Gain::default()
    }

    fn variables(&self) -> &[Variable<Gain>] {
        static TABLE: List<Gain> = table();
        TABLE.variables()
    }

    fn groups(&self) -> Vec<Range<usize>> {
        Vec::from([Range { start: 0, end: 1 }])
    }

    // Its solution is exact.
    fn tighten(_: &mut f64, _: f64) {}

    fn start(_: &Gain, config: &f64, inputs: &[f64]) -> Result<State, Failure> {
        let value = inputs[0];
        Ok(State {
            gain: *config,
            input: Input {
                value,
                ..Input::default()
            },
            x: 0.0,
            time: 0.0,
        })
    }

    fn icon(&self, _x: f64, _y: f64) -> [u8; 4] {
        [0; 4]
    }
}

#[test]
fn the_shell_serves_any_model() {
    use crate::slave::Slave;
    let mut slave = Arc::new(Integrator).create();
    let read = |slave: &mut Box<dyn Slave>| {
        let mut out = [0.0];
        slave.get_reals(&[2], &mut out).unwrap();
        out[0]
    };
    let before = crate::lifecycle::State::Instantiated;
    let during = crate::lifecycle::State::StepComplete;
    slave.set_reals(before, &[0], &[3.0]).unwrap();
    slave.set_experiment(5.0, None, None);
    slave.start().unwrap();
    slave.step(5.0, 2.0, true).unwrap();
    assert_eq!(read(&mut slave), 3.0);
    let saved = slave.save(None, during).unwrap();
    slave.set_reals(during, &[1], &[1.0]).unwrap();
    slave.step(7.0, 1.0, false).unwrap();
    assert_eq!((read(&mut slave), slave.time()), (6.0, 8.0));
    let bytes = slave.serialize(saved).unwrap();
    let copy = slave.deserialize(&bytes).unwrap();
    slave.restore(copy).unwrap();
    assert_eq!((read(&mut slave), slave.time()), (3.0, 7.0));
    slave.set_reals(during, &[1], &[-1.0]).unwrap();
    let refusal = slave.step(7.0, 1.0, false).unwrap_err();
    assert!(refusal.to_string().contains("the input is negative"));
    let outside = slave.set_reals(before, &[0], &[11.0]).unwrap_err();
    assert!(outside.to_string().contains("[0, 10]"), "{outside}");
}
