//! Rows of output between the ends of steps that no row limits.
//!
//! Poses go on the cubic through poses and twists at both ends of the step
//! (`softdock_platform::body::BodyState::within`); everything else is linear in time. Both are of
//! the integrator's second order or better. Events end steps, so nothing that jumps is between them.

use crate::error::Result;
use crate::interface::InterfaceLoad;
use crate::run::{EnergySample, LegSample, Sample, measure_energy, take_sample};
use crate::track::Track;
use multibody::group::{Group, Se3};
use multibody::results::soundness::Watch;
use nalgebra::Vector3;
use softdock_platform::audit::note_leaves;
use softdock_platform::body::BodyState;
use softdock_platform::contact::Alignment;
use softdock_platform::scheme::Scheme;
use softdock_platform::unit::{LegShape, LegView};

/// Times of rows: `index · interval`, counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rows {
    interval: f64,
    next: f64,
    duration: f64,
}

/// Rows nearer to the end of a step than this part of their interval are at the end.
const SAME: f64 = 1e-9;

impl Rows {
    /// Rows every `interval` [s] until `duration` [s]; the one at 0 is made already.
    pub fn new(interval: f64, duration: f64) -> Self {
        Self {
            interval,
            next: 1.0,
            duration,
        }
    }

    /// The next row that is due in a step that ends at `end` [s]; the last one is at the duration.
    pub fn due(&mut self, end: f64) -> Option<f64> {
        let time = (self.next * self.interval).min(self.duration);
        let past = (self.next - 1.0) * self.interval >= self.duration * (1.0 - SAME);
        let due = !past && time <= end + SAME * self.interval;
        if due {
            self.next += 1.0;
        }
        due.then_some(time.min(end))
    }
}

/// Energies and strains are looked at so often [s].
pub(crate) const LOOK_INTERVAL: f64 = 0.02;

/// End effector, and base if it floats.
fn vehicles(platform: &dyn Scheme) -> [Option<BodyState>; 2] {
    let base = platform.world().bodies().base;
    [
        Some(*platform.effector()),
        base.map(|base| platform.bodies()[base]),
    ]
}

/// Pose of the end effector, seen from the base.
pub(crate) fn pose_on_base(platform: &dyn Scheme) -> Se3 {
    let [_, base] = vehicles(platform);
    let pose = platform.effector().pose;
    base.map_or(pose, |base| base.pose.between(&pose))
}

/// Rows of a run whose steps do not end at them.
#[derive(Debug)]
pub(crate) struct FreeRows {
    rows: Rows,
    /// Time [s], end effector and base, if it floats, at the end of the last step.
    last: (f64, [Option<BodyState>; 2]),
    last_sample: Option<Sample>,
    /// When to look for doubts next [s].
    look_due: f64,
}

impl FreeRows {
    /// From the start of a run, whose first row is `sample` if samples are kept.
    pub(crate) fn new(rows: Rows, platform: &dyn Scheme, sample: Option<Sample>) -> Self {
        Self {
            rows,
            last: (platform.time(), vehicles(platform)),
            last_sample: sample,
            look_due: LOOK_INTERVAL,
        }
    }

    /// Looks at the platform after a step and makes the rows that were due in it. What is looked at for
    /// doubts does not depend on whether samples are kept.
    pub(crate) fn see(
        &mut self,
        platform: &mut dyn Scheme,
        track: &Track,
        (start, watch): (&EnergySample, &mut Watch),
        poses: &mut Vec<(f64, Se3)>,
        mut samples: Option<&mut Vec<Sample>>,
    ) -> Result<()> {
        let time = platform.time();
        let look = time >= self.look_due;
        let now = if look || samples.is_some() {
            let energy = measure_energy(platform)?;
            if look {
                energy.note(start, time, watch);
                note_leaves(platform, watch)?;
                self.look_due = time + LOOK_INTERVAL;
            }
            let sample = samples
                .as_ref()
                .map(|_| take_sample(platform, track, energy));
            sample.transpose()?
        } else {
            None
        };
        let now_at = vehicles(platform);
        let h = time - self.last.0;
        while let Some(row) = self.rows.due(time) {
            let share = if h > 0.0 {
                (row - self.last.0) / h
            } else {
                1.0
            };
            let [effector, base] = [0, 1].map(|i| {
                let (from, to) = (self.last.1[i]?, now_at[i]?);
                Some(BodyState::within(&from, &to, h, share.min(1.0)).0)
            });
            let pose = effector.unwrap_or_else(Se3::identity);
            poses.push((row, base.map_or(pose, |base| base.between(&pose))));
            if let (Some(list), Some(now)) = (samples.as_mut(), &now) {
                let before = self.last_sample.as_ref().unwrap_or(now);
                list.push(Sample::between(before, now, row));
            }
        }
        self.last = (time, now_at);
        if now.is_some() {
            self.last_sample = now;
        }
        Ok(())
    }
}

fn linear(a: f64, b: f64, share: f64) -> f64 {
    a + (b - a) * share
}

fn both(a: Option<f64>, b: Option<f64>, share: f64) -> Option<f64> {
    Some(linear(a?, b?, share))
}

fn line(a: &Vector3<f64>, b: &Vector3<f64>, share: f64) -> Vector3<f64> {
    a + (b - a) * share
}

/// On the screw motion from `a` to `b`.
fn screw(a: &Se3, b: &Se3, share: f64) -> Se3 {
    let way = a.between(b).log();
    way.map_or(*a, |way| a.compose(&Se3::exp(&(way * share))))
}

fn moving(pose: Se3, twist: nalgebra::Vector6<f64>) -> BodyState {
    BodyState::moving(pose, twist)
}

fn views(a: &LegView, b: &LegView, share: f64) -> LegView {
    let at = |value: fn(&LegView) -> f64| linear(value(a), value(b), share);
    LegView {
        tip_force: line(&a.tip_force, &b.tip_force, share),
        tendon_tension: at(|v| v.tendon_tension),
        tendon_length: at(|v| v.tendon_length),
        motor_angle: at(|v| v.motor_angle),
        motor_rate: at(|v| v.motor_rate),
        motor_torque: at(|v| v.motor_torque),
    }
}

fn legs(a: &LegSample, b: &LegSample, share: f64) -> LegSample {
    let leaf = a.shape.leaf.iter().zip(&b.shape.leaf);
    LegSample {
        view: views(&a.view, &b.view, share),
        shape: LegShape {
            crank: screw(&a.shape.crank, &b.shape.crank, share),
            leaf: leaf.map(|(a, b)| screw(a, b, share)).collect(),
        },
        stress_pa: both(a.stress_pa, b.stress_pa, share),
        joint_turns: (a.joint_turns.zip(b.joint_turns))
            .map(|(a, b)| [0, 1].map(|k| linear(a[k], b[k], share))),
    }
}

fn energies(a: &EnergySample, b: &EnergySample, share: f64) -> EnergySample {
    let at = |value: fn(&EnergySample) -> f64| linear(value(a), value(b), share);
    EnergySample {
        legs_kinetic: at(|e| e.legs_kinetic),
        leaves: at(|e| e.leaves),
        tendons: at(|e| e.tendons),
        legs_gravity: at(|e| e.legs_gravity),
        bodies: at(|e| e.bodies),
        bodies_kinetic: at(|e| e.bodies_kinetic),
        contact: at(|e| e.contact),
        motor_work: at(|e| e.motor_work),
        wrench_work: at(|e| e.wrench_work),
        actuator_work: at(|e| e.actuator_work),
        leg_loss: at(|e| e.leg_loss),
        contact_loss: at(|e| e.contact_loss),
        friction_loss: at(|e| e.friction_loss),
        latch_loss: at(|e| e.latch_loss),
        panel_loss: at(|e| e.panel_loss),
    }
}

impl Sample {
    /// The sample at `time` [s] between two that are the ends of one step.
    pub fn between(a: &Self, b: &Self, time: f64) -> Self {
        let h = b.time - a.time;
        let share = if h > 0.0 { (time - a.time) / h } else { 1.0 };
        if share >= 1.0 {
            return b.clone();
        }
        let body = |a: (Se3, _), b: (Se3, _)| {
            BodyState::within(&moving(a.0, a.1), &moving(b.0, b.1), h, share)
        };
        let (effector, effector_twist) = body(
            (a.effector, a.effector_twist),
            (b.effector, b.effector_twist),
        );
        let (target, target_twist) = body((a.target, a.target_twist), (b.target, b.target_twist));
        let nearer = if share < 0.5 { a } else { b };
        let legs_of = a.legs.iter().zip(&b.legs);
        Self {
            time,
            effector,
            effector_twist,
            target,
            target_twist,
            base: screw(&a.base, &b.base, share),
            contact_force: line(&a.contact_force, &b.contact_force, share),
            contact_moment: line(&a.contact_moment, &b.contact_moment, share),
            interface: InterfaceLoad {
                force: line(&a.interface.force, &b.interface.force, share),
                moment: line(&a.interface.moment, &b.interface.moment, share),
            },
            alignment: Alignment {
                gap: linear(a.alignment.gap, b.alignment.gap, share),
                angle: linear(a.alignment.angle, b.alignment.angle, share),
                speed: linear(a.alignment.speed, b.alignment.speed, share),
            },
            gap: linear(a.gap, b.gap, share),
            contacts: nearer.contacts.clone(),
            // A latch closes at the end of a step.
            captured: a.captured,
            legs: legs_of.map(|(a, b)| legs(a, b, share)).collect(),
            energy: energies(&a.energy, &b.energy, share),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows are counted: none is left out, none made twice, the last is at the end.
    #[test]
    fn rows_are_counted() {
        for (interval, duration, ends) in [
            (0.002, 0.01, vec![0.0031, 0.0045, 0.01]),
            (0.003, 0.01, vec![0.001, 0.0099, 0.01]),
            (0.1, 0.05, vec![0.05]),
        ] {
            let mut rows = Rows::new(interval, duration);
            let mut made = Vec::new();
            for end in ends {
                while let Some(time) = rows.due(end) {
                    made.push(time);
                }
            }
            let whole = (duration / interval - 1e-9_f64).ceil() as usize;
            assert_eq!(made.len(), whole, "{made:?}");
            assert!(made.windows(2).all(|pair| pair[1] > pair[0]), "{made:?}");
            assert!((made.last().copied().unwrap_or(0.0) - duration).abs() < 1e-12);
        }
    }
}
