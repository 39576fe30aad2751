//! The end effector as something that a host steps, saves and restores.

use super::motion::{Change, Loaded};
use super::variables::EndEffectorSettings;
use crate::clock::{Clock, check_count};
use multibody::dynamics::grid::SLIVER;
use multibody::group::{Group, Se3};
use nalgebra::{Vector3, Vector6};
use serde::{Deserialize, Serialize};
use softdock_fmi::model::{Failure, INPUT_ORDER, Input, StepsTaken, Unit};
use softdock_fmi::numbers;
use softdock_platform::attitude::Attitude;
use softdock_platform::body::{BodyState, point_map};
use softdock_platform::sample::BodySample;
use std::sync::Arc;

/// An input over a communication step: value and derivatives at its start.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Polynomial {
    value: f64,
    derivatives: [f64; INPUT_ORDER],
    order: usize,
}

impl Polynomial {
    /// The value `s` seconds after the start.
    fn at(&self, s: f64) -> f64 {
        if self.order == 0 {
            return self.value;
        }
        let [first, second, third] = self.derivatives;
        self.value + s * (first + s * (0.5 * second + s * third / 6.0))
    }
}

/// The last step: what a derivative is of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Last {
    pose: Se3,
    velocity: Vector6<f64>,
    inputs: Vec<Polynomial>,
    /// Where the steps began, from the start of the communication step [s].
    begin: f64,
    count: usize,
    h: f64,
}

/// What changes in a unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Memory {
    pose: Se3,
    /// Twist in the body's axes (linear, angular) [m/s, rad/s].
    velocity: Vector6<f64>,
    /// The time that the motion has reached [s].
    time: f64,
    inputs: Vec<Polynomial>,
    clock: Clock,
    last: Option<Last>,
}

/// What does not change in a run.
#[derive(Debug)]
struct Built {
    loaded: Loaded,
    step: f64,
    /// Where the joints are at the start [m].
    starts: Vec<Vector3<f64>>,
}

/// An end effector that a host steps, saves and restores.
pub struct EndEffectorUnit {
    built: Arc<Built>,
    memory: Memory,
    /// How the last step followed an input, if that was asked for.
    known: Option<(usize, Change)>,
}

/// A saved state.
pub struct SavedEndEffector {
    built: Arc<Built>,
    memory: Memory,
}

/// Outputs of the body in front of those of the joints.
const BODY_OUTPUTS: usize = 12;

impl EndEffectorUnit {
    /// The end effector at rest in its nominal pose.
    #[inline(never)]
    pub fn new(config: &EndEffectorSettings, inputs: &[f64]) -> Self {
        let input = |value: &f64| Polynomial {
            value: *value,
            ..Polynomial::default()
        };
        Self {
            built: Arc::new(Built {
                loaded: Loaded {
                    body: config.body.body(&config.gravity_m_s2),
                    tips: config.tips.clone(),
                },
                step: config.solver.step_s,
                starts: places(&config.body.pose(), &config.tips),
            }),
            memory: Memory {
                pose: config.body.pose(),
                velocity: Vector6::zeros(),
                time: 0.0,
                inputs: inputs.iter().map(input).collect(),
                clock: Clock::default(),
                last: None,
            },
            known: None,
        }
    }

    /// The motion now, with the acceleration that the inputs give.
    fn state(&self) -> Result<BodyState, Failure> {
        let Memory { pose, velocity, .. } = self.memory;
        let values: Vec<f64> = self.memory.inputs.iter().map(|input| input.value).collect();
        self.built.loaded.state((pose, velocity), &values)
    }

    /// How the outputs change with the motion.
    fn changes(&self, change: &Change, out: &mut [f64]) -> Result<(), Failure> {
        let Memory { pose, velocity, .. } = &self.memory;
        let rotation = pose.rotation();
        let turn: Vector3<f64> = change.pose.fixed_rows::<3>(3).into();
        let part =
            |v: &Vector6<f64>, first: usize| -> Vector3<f64> { v.fixed_rows::<3>(first).into() };
        // δ(R u) = R (ω × u + δu).
        let vector = |u: Vector3<f64>, by: Vector3<f64>| rotation * (turn.cross(&u) + by);
        let attitude = Attitude::of_body(pose)
            .rates(&(rotation * turn))
            .ok_or("pitch and roll turn about the same axis: they have no derivatives")?;
        let mut places = out.chunks_mut(3);
        let mut put = |values: Vector3<f64>| {
            if let Some(place) = places.next() {
                place.copy_from_slice(values.as_slice());
            }
        };
        put(rotation * part(&change.pose, 0));
        put(attitude.into());
        for first in [0, 3] {
            put(vector(part(velocity, first), part(&change.velocity, first)));
        }
        for tip in &self.built.loaded.tips {
            let map = point_map(tip);
            put(rotation * (map * change.pose));
            put(vector(map * velocity, map * change.velocity));
        }
        for tip in &self.built.loaded.tips {
            put(rotation * (point_map(tip) * change.pose));
        }
        Ok(())
    }

    /// How the last step followed an input.
    fn change_by(&mut self, input: usize) -> Result<Change, Failure> {
        if let Some((_, change)) = self.known.filter(|(known, _)| *known == input) {
            return Ok(change);
        }
        let Some(last) = &self.memory.last else {
            return Err("there was no step yet".into());
        };
        let inputs = |s: f64| at(&last.inputs, last.begin + s);
        let start = (last.pose, last.velocity);
        let steps = (last.count, last.h);
        let change = self
            .built
            .loaded
            .sensitivity(start, steps, &inputs, input)?;
        self.known = Some((input, change));
        Ok(change)
    }
}

/// Where points of a body in this pose are [m].
fn places(pose: &Se3, points: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let state = BodyState::moving(*pose, Vector6::zeros());
    points.iter().map(|point| state.point(point)).collect()
}

/// Inputs `s` seconds after the start of their step.
fn at(inputs: &[Polynomial], s: f64) -> Vec<f64> {
    inputs.iter().map(|input| input.at(s)).collect()
}

impl Unit for EndEffectorUnit {
    type Config = EndEffectorSettings;
    type Origin = ();
    type Saved = SavedEndEffector;

    fn from_saved(saved: &SavedEndEffector) -> Self {
        Self {
            built: Arc::clone(&saved.built),
            memory: saved.memory.clone(),
            known: None,
        }
    }

    fn time(&self) -> f64 {
        self.memory.clock.time()
    }

    fn origin(&self) -> &() {
        &()
    }

    fn input(&self, index: usize) -> Input {
        let Polynomial {
            value,
            derivatives,
            order,
        } = self.memory.inputs[index];
        Input {
            value,
            derivatives,
            order,
        }
    }

    fn set_input(&mut self, index: usize, input: Input) {
        let Input {
            value,
            derivatives,
            order,
        } = input;
        self.memory.inputs[index] = Polynomial {
            value,
            derivatives,
            order,
        };
    }

    #[inline(never)]
    fn advance_by(&mut self, length: f64) -> Result<StepsTaken, Failure> {
        let memory = &self.memory;
        let clock = memory.clock.after(length);
        // What earlier steps of rounding size left is made up for.
        let begin = memory.time - memory.clock.time();
        let span = clock.time() - memory.time;
        let steps = span / self.built.step;
        check_count(steps)?;
        let settled: Vec<Polynomial> = (memory.inputs.iter())
            .map(|input| Polynomial {
                value: input.at(length),
                ..Polynomial::default()
            })
            .collect();
        if steps < SLIVER {
            // Rounding of the host's clock: the time moves alone.
            self.memory.clock = clock;
            self.memory.inputs = settled;
            return Ok(StepsTaken::default());
        }
        let count = (steps - SLIVER).ceil().max(1.0) as usize;
        let last = Last {
            pose: memory.pose,
            velocity: memory.velocity,
            inputs: memory.inputs.clone(),
            begin,
            count,
            h: span / count as f64,
        };
        let inputs = |s: f64| at(&last.inputs, begin + s);
        let start = (last.pose, last.velocity);
        let ignore = &mut |_: &_, _: &_, _: &_| Ok(());
        let (end, iterations) =
            (self.built.loaded).advance(start, (count, last.h), &inputs, ignore)?;
        self.memory = Memory {
            pose: end.pose,
            velocity: end.velocity,
            time: clock.time(),
            inputs: settled,
            clock,
            last: Some(last),
        };
        self.known = None;
        Ok(StepsTaken {
            steps: count,
            rejected: 0,
            iterations,
        })
    }

    fn evaluate(&mut self, _group: usize, out: &mut [f64]) -> Result<(), Failure> {
        let Memory { pose, velocity, .. } = self.memory;
        let state = BodyState::moving(pose, velocity);
        let body = BodySample::new(&state);
        let own = [
            body.position,
            body.attitude.list(),
            body.velocity,
            body.spin,
        ];
        let (first, rest) = out.split_at_mut(BODY_OUTPUTS);
        first.copy_from_slice(own.as_flattened());
        let (joints, ways) = rest.split_at_mut(6 * self.built.loaded.tips.len());
        let starts = self.built.loaded.tips.iter().zip(&self.built.starts);
        for ((tip, start), way) in starts.zip(ways.chunks_mut(3)) {
            way.copy_from_slice((state.point(tip) - start).as_slice());
        }
        for (tip, places) in self.built.loaded.tips.iter().zip(joints.chunks_mut(6)) {
            places[..3].copy_from_slice(state.point(tip).as_slice());
            places[3..].copy_from_slice(state.point_velocity(tip).as_slice());
        }
        Ok(())
    }

    fn rates(&mut self, _group: usize, out: &mut [f64]) -> Result<(), Failure> {
        let state = self.state()?;
        let change = Change {
            pose: state.velocity,
            velocity: state.acceleration,
        };
        self.changes(&change, out)
    }

    fn derivative(&mut self, output: usize, input: usize) -> Result<f64, Failure> {
        let change = self.change_by(input)?;
        let mut out = vec![0.0; BODY_OUTPUTS + 9 * self.built.loaded.tips.len()];
        self.changes(&change, &mut out)?;
        Ok(out[output])
    }

    fn regime(&self) -> &'static str {
        "the end effector moves as its forces say"
    }

    fn save(&self) -> SavedEndEffector {
        SavedEndEffector {
            built: Arc::clone(&self.built),
            memory: self.memory.clone(),
        }
    }

    fn restore(&mut self, saved: &SavedEndEffector) {
        *self = Self::from_saved(saved);
    }

    fn to_numbers(saved: &SavedEndEffector) -> Result<Vec<f64>, Failure> {
        Ok(numbers::to_numbers(&saved.memory)?)
    }

    #[inline(never)]
    fn from_numbers(
        config: &EndEffectorSettings,
        numbers: &[f64],
    ) -> Result<SavedEndEffector, Failure> {
        let memory: Memory = numbers::from_numbers(numbers)?;
        let built = Self::new(config, &[]).built;
        let count = built.loaded.input_count();
        let last = memory.last.as_ref().map_or(count, |last| last.inputs.len());
        check_count(memory.last.as_ref().map_or(0.0, |last| last.count as f64))?;
        if memory.inputs.len() != count || last != count {
            return Err("they are of an end effector with other legs".into());
        }
        Ok(SavedEndEffector { built, memory })
    }
}
