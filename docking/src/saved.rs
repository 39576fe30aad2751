//! A docking under way, put aside: to come back to, and to go on from elsewhere.
//!
//! What is saved is what changes: the platform with contact and latch, what was watched so far, and the
//! controller's state. A regulator that took over when the latch closed is kept by what it was designed
//! for, and designed again where it is not at hand.

use crate::control::ControlMemory;
use crate::error::Result;
use crate::run::{DockingRun, EnergySample, Sample};
use crate::track::Track;
use multibody::group::Se3;
use multibody::results::soundness::Watch;
use serde::{Deserialize, Serialize};
use softdock_platform::scheme::{Progress, SchemeMemory};

/// Everything that changes in a docking, but for rows of output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DockingMemory {
    platform: SchemeMemory,
    control: Option<ControlMemory>,
    track: Track,
    energy: EnergySample,
    watch: Watch,
    /// Iterations and rejected steps.
    counts: (usize, usize),
    progress: Progress,
    look_due: f64,
}

/// A docking under way, put aside.
#[derive(Debug, Clone)]
pub struct SavedDocking {
    memory: DockingMemory,
    samples: Vec<Sample>,
    poses: Vec<(f64, Se3)>,
}

impl DockingRun {
    /// What changes in it. None of a co-simulation, nor of a run under a controller that cannot be
    /// saved (one inside an FMU, say) or with rows between its steps.
    pub fn memory(&self) -> Option<DockingMemory> {
        if self.free.is_some() {
            return None;
        }
        let control = match &self.control {
            Some(control) => Some(control.memory()?),
            None => None,
        };
        Some(DockingMemory {
            platform: self.platform.memory()?,
            control,
            track: self.track.clone(),
            energy: self.energy,
            watch: self.watch.clone(),
            counts: (self.iterations, self.rejected),
            progress: self.progress,
            look_due: self.look_due,
        })
    }

    /// Goes on from a memory of a run of the same scenario; the same inputs give the same bits from
    /// there on. False if it is of another one: the run is of no use then.
    pub fn recall(&mut self, memory: &DockingMemory) -> Result<bool> {
        let fits = match (&mut self.control, &memory.control) {
            (Some(control), Some(memory)) => control.recall(memory)?,
            (None, None) => true,
            _ => false,
        };
        let fits =
            fits && self.track.recall(&memory.track) && self.platform.recall(&memory.platform);
        if fits {
            self.energy = memory.energy;
            self.watch.clone_from(&memory.watch);
            (self.iterations, self.rejected) = memory.counts;
            self.progress = memory.progress;
            self.look_due = memory.look_due;
        }
        Ok(fits)
    }

    /// A snapshot to come back to; none of a run without [`Self::memory`].
    pub fn save(&self) -> Option<SavedDocking> {
        Some(SavedDocking {
            memory: self.memory()?,
            samples: self.samples.clone(),
            poses: self.poses.clone(),
        })
    }

    /// Goes back to a snapshot of this run; the same inputs give the same bits from there on.
    pub fn restore(&mut self, saved: &SavedDocking) -> Result<()> {
        if self.recall(&saved.memory)? {
            self.samples.clone_from(&saved.samples);
            self.poses.clone_from(&saved.poses);
        }
        Ok(())
    }

    /// The same run once more, without rows of output; none if legs or controller cannot be copied.
    pub fn copy(&self) -> Option<Self> {
        let control = match &self.control {
            Some(control) => Some(control.copy()?),
            None => None,
        };
        Some(Self {
            scenario: self.scenario.clone(),
            platform: self.platform.copy()?,
            control,
            holding: self.holding.clone(),
            track: self.track.clone(),
            start: self.start,
            energy: self.energy,
            samples: Vec::new(),
            keep_samples: false,
            poses: Vec::new(),
            watch: self.watch.clone(),
            ranges: self.ranges.clone(),
            iterations: self.iterations,
            rejected: self.rejected,
            progress: self.progress,
            free: None,
            look_due: self.look_due,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::control::RegulatorInputs;
    use crate::{Law, Scenario};
    use leg_core::config::MotorMode;
    use multibody::group::Group;
    use softdock_platform::config::Fidelity;

    /// Captured after a few steps, so that a regulator is designed anew.
    fn scenario(law: Law) -> Scenario {
        let mut out = Scenario::default();
        out.platform.legs.elements = 3;
        out.docking.duration_s = 0.3;
        out.docking.misalignment.pitch_deg = 0.5;
        if law != Law::None {
            out.platform.motor.mode = MotorMode::Torque;
            out.docking.regulator.law = law;
            if law == Law::Lqr {
                out.docking.regulator.inputs = RegulatorInputs::MotorsAndTendons;
            }
        }
        out.docking.force_sensor.delay_s = 3e-3;
        out.docking.force_sensor.force_noise_n = 0.1;
        let latch = &mut out.docking.contact.latch;
        (latch.gap_m, latch.speed_m_s, latch.dwell_s) = (0.001, 0.1, 0.04);
        out
    }

    fn ended(run: &DockingRun) -> Vec<f64> {
        let mut out: Vec<f64> = (0..6)
            .map(|leg| run.platform().leg(leg).motor_torque)
            .collect();
        for body in run.platform().bodies() {
            out.extend(body.pose.translation().iter());
            out.extend(body.velocity.iter());
        }
        out.push(run.track().peak_force.0);
        out
    }

    /// Saved before and behind the capture, recalled by the same run, by a copy and by a new one.
    #[test]
    fn a_saved_docking_goes_on_with_the_same_bits_under_every_law() {
        for law in [Law::None, Law::Lqr, Law::Impedance] {
            let scenario = scenario(law);
            let mut run = DockingRun::new(&scenario, false).unwrap();
            let start = run.copy().unwrap();
            for until in [0.05, 0.2] {
                run.advance_to(until).unwrap();
                let memory = run.memory().unwrap();
                run.advance_to(0.25).unwrap();
                let expected = ended(&run);
                assert_eq!(memory.control.is_some(), law != Law::None);
                let copies = [
                    run.copy().unwrap(),
                    start.copy().unwrap(),
                    DockingRun::new(&scenario, false).unwrap(),
                ];
                for mut again in copies {
                    assert!(again.recall(&memory).unwrap());
                    again.advance_to(0.25).unwrap();
                    assert_eq!(ended(&again), expected, "{law:?} from {until} s");
                }
                let captured = run.summary().unwrap().capture_time_s;
                assert!(
                    captured.is_some_and(|time| time > 0.05 && time < 0.2),
                    "{captured:?}"
                );
                assert!(run.recall(&memory).unwrap());
            }
        }
    }

    #[test]
    fn memories_of_other_scenarios_are_refused() {
        let mut run = DockingRun::new(&scenario(Law::Lqr), false).unwrap();
        run.advance_to(0.01).unwrap();
        let memory = run.memory().unwrap();
        let mut strut = scenario(Law::None);
        strut.platform.legs.fidelity = Fidelity::Strut;
        for other in [scenario(Law::None), scenario(Law::Impedance), strut] {
            let mut other = DockingRun::new(&other, false).unwrap();
            assert!(!other.recall(&memory).unwrap());
        }
    }
}
