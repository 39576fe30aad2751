//! Contact and latch between end effector and target in the course of a run.
//!
//! While something touches, steps are at least as long as the contact's own oscillation asks for,
//! and grow beyond that as long as the estimated error e of a step stays below its tolerance:
//!
//! ```text
//! h ← h_contact s,     s ← max(1, s · 0.9 (e_tol/e)^⅓),   0.5 ≤ factor ≤ 1.5      (1)
//! e_tol = ε δ_max                                                               (2)
//! ```
//!
//! so that an impact is resolved and a quiet contact does not slow the run down. δ_max is the
//! greatest depth to which contacts were pressed so far, or will be at the speed they have: forces
//! are wanted to a fraction of the largest one, however stiff the contact. e is the error of the
//! gaps that are closed.

use crate::body::{Body, BodyState};
use crate::contact::{
    BodyMotion, ContactOutput, ContactPair, EpisodeChanges, Episodes, Latch, crossing,
};
use crate::error::{PlatformError, Result};
use multibody::dynamics::grid::SLIVER;
use multibody::math;
use nalgebra::{Matrix6, Vector6};

/// Contact and latch between end effector and target.
#[derive(Debug, Clone)]
pub struct Encounter {
    pair: ContactPair,
    episodes: Episodes,
    latch: Latch,
    /// At the last accepted state.
    output: ContactOutput,
    /// Within an iteration.
    trial: ContactOutput,
    inverse_inertias: [Matrix6<f64>; 2],
    changes: EpisodeChanges,
    /// s of eq. (1).
    stride: f64,
    /// δ_max of eq. (2) [m].
    deepest: f64,
    /// The trial has the forces at the end of the step under way.
    examined: bool,
    /// When the dwell of the latch begins, if it does in the step under way [s].
    entry: Option<f64>,
}

/// Allowed error of a step in contact over the greatest depth, ε of eq. (2).
const CONTACT_ERROR: f64 = 1e-4;

/// Newton's last correction over the greatest depth: of its square the error is.
const NEWTON_ERROR: f64 = 1e-3;

/// A latch that ought to close earlier than after this part of a step closes then.
const SHORTEST_PART: f64 = 0.02;

/// The memory of an encounter.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct EncounterMemory {
    episodes: Episodes,
    latch: Latch,
    output: ContactOutput,
    stride: f64,
    deepest: f64,
}

fn motion_of(state: &BodyState) -> BodyMotion {
    BodyMotion {
        pose: state.pose,
        twist: state.velocity,
    }
}

impl Encounter {
    /// The pair at this motion of end effector and target.
    pub(crate) fn new(
        pair: ContactPair,
        mut latch: Latch,
        bodies: [(&Body, &BodyState); 2],
        time: f64,
    ) -> Self {
        let [a, b] = bodies.map(|(_, state)| motion_of(state));
        let inverse = |body: &Body| {
            let inertia = body.instantaneous_inertia();
            inertia.try_inverse().unwrap_or_else(Matrix6::zeros)
        };
        let episodes = Episodes::start(&pair, &a, &b);
        let mut output = pair.output();
        pair.evaluate(&episodes, &a, &b, &mut output);
        latch.observe(time, &pair.alignment(&a, &b), &a, &b);
        Self {
            trial: output.clone(),
            output,
            episodes,
            latch,
            inverse_inertias: bodies.map(|(body, _)| inverse(body)),
            changes: EpisodeChanges::default(),
            stride: 1.0,
            deepest: 0.0,
            examined: false,
            entry: None,
            pair,
        }
    }

    /// Forces at the last accepted state.
    pub fn output(&self) -> &ContactOutput {
        &self.output
    }

    /// The latch.
    pub fn latch(&self) -> &Latch {
        &self.latch
    }

    /// The pair.
    pub fn pair(&self) -> &ContactPair {
        &self.pair
    }

    /// Contacts that began or ended with the last accepted step.
    pub fn changes(&self) -> EpisodeChanges {
        self.changes
    }

    /// True while a contact touches.
    pub fn touching(&self) -> bool {
        self.episodes.any_touching()
    }

    /// Forces of contact and latch within an iteration, which ends at `time` [s].
    pub(crate) fn evaluate(&mut self, a: &BodyState, b: &BodyState, time: f64) -> Result<()> {
        let (a, b) = (motion_of(a), motion_of(b));
        self.pair.evaluate(&self.episodes, &a, &b, &mut self.trial);
        self.latch
            .add_hold(&a, &b, &mut self.trial)
            .map_err(|_| PlatformError::LatchTorn { time_s: time })
    }

    /// Forces within an iteration.
    pub(crate) fn trial(&self) -> &ContactOutput {
        &self.trial
    }

    /// Evaluates the forces at the end of a step that is looked at before it is accepted.
    pub(crate) fn evaluate_end(&mut self, a: &BodyState, b: &BodyState, time: f64) {
        self.examined = self.evaluate(a, b, time).is_ok();
    }

    /// Energy that the deepest contact so far, or the one that is coming, stores [J].
    pub(crate) fn at_stake(&self) -> f64 {
        self.pair.normal().potential(self.deepest)
    }

    /// Largest last correction of Newton's method, for the sake of contacts that touch [m].
    pub(crate) fn newton_error(&self) -> Option<f64> {
        let touching = self.trial.normal_force > 0.0 && self.deepest > 0.0;
        touching.then_some(NEWTON_ERROR * self.deepest)
    }

    /// The forces at the end of an accepted step become those that hold.
    pub(crate) fn take_forces(&mut self, a: &BodyState, b: &BodyState, time: f64) {
        // They belong to the memory that the step was made with.
        if core::mem::take(&mut self.examined) || self.evaluate(a, b, time).is_ok() {
            core::mem::swap(&mut self.output, &mut self.trial);
        }
    }

    /// What changes.
    pub(crate) fn memory(&self) -> EncounterMemory {
        EncounterMemory {
            episodes: self.episodes.clone(),
            latch: self.latch.clone(),
            output: self.output.clone(),
            stride: self.stride,
            deepest: self.deepest,
        }
    }

    /// Whether a memory is of an encounter with as many contacts.
    pub(crate) fn fits(&self, saved: &EncounterMemory) -> bool {
        let contacts = self.output.points.len();
        saved.output.points.len() == contacts && saved.episodes.count() == contacts
    }

    /// Goes back to a memory of this encounter.
    pub(crate) fn restore(&mut self, saved: &EncounterMemory) {
        self.episodes.clone_from(&saved.episodes);
        self.latch.clone_from(&saved.latch);
        self.output.clone_from(&saved.output);
        self.stride = saved.stride;
        self.deepest = saved.deepest;
        (self.examined, self.entry) = (false, None);
    }

    /// What happens inside a step of `h` [s] from `start` [s], over which the bodies move as `at`
    /// says: how long after the start it has to end instead. Remembers when the latch's dwell
    /// begins.
    pub(crate) fn event(
        &mut self,
        (start, h): (f64, f64),
        at: impl Fn(f64) -> [BodyMotion; 2],
    ) -> Option<f64> {
        let aligned = |share: f64| {
            let [a, b] = at(share);
            self.pair.alignment(&a, &b)
        };
        let entry = self.latch.entry(aligned).map(|share| start + share * h);
        // A dwell so short that it ends in the step where it begins; the end of the step is near
        // enough for one that ends there, and nothing may leave a sliver.
        let closing = entry.map(|entry| entry + self.latch.dwell() - start);
        let closing = closing.filter(|after| *after < h * (1.0 - SLIVER));
        let closing = closing.map(|after| after.max(SHORTEST_PART * h));
        let forces = (&self.output, &self.trial);
        let touch = crossing(&self.pair, &self.episodes, forces, at).map(|share| share * h);
        self.entry = entry;
        closing.into_iter().chain(touch).reduce(f64::min)
    }

    /// Goes on at `time` [s], times within `same` [s] being the same, with estimated errors of the
    /// bodies' poses; true if the latch closed.
    pub(crate) fn accept(
        &mut self,
        bodies: [&BodyState; 2],
        (time, same): (f64, f64),
        errors: [Vector6<f64>; 2],
    ) -> bool {
        let [a, b] = bodies.map(motion_of);
        self.changes = self.episodes.accept(&self.pair, &a, &b);
        let begun = self.changes.begun > 0;
        self.stride = if self.touching() && !begun {
            let allowed = CONTACT_ERROR * self.deepest; // (2)
            let error = self.gap_error(bodies, errors).max(1e-3 * allowed);
            let factor = 0.9 * math::cbrt(allowed / error);
            (self.stride * factor.clamp(0.5, 1.5)).max(1.0) // (1)
        } else {
            1.0
        };
        let alignment = self.pair.alignment(&a, &b);
        let entry = self.entry.take().unwrap_or(time);
        self.latch
            .observe_since(entry, (time, same), &alignment, &a, &b)
    }

    /// Largest error of a gap that is closed, for errors of the poses, which take the place of twists
    /// [m]: bodies that move together may be wrong together.
    fn gap_error(&self, bodies: [&BodyState; 2], errors: [Vector6<f64>; 2]) -> f64 {
        let [a, b] = [0, 1].map(|i| BodyMotion {
            pose: bodies[i].pose,
            twist: errors[i],
        });
        let touching = self.pair.approaches(&a, &b).filter(|at| at.gap < 0.0);
        touching.fold(0.0, |most, at| most.max(at.closing_speed.abs()))
    }

    /// Longest step from here, and the time until something touches that does not yet [s]; the depth
    /// that the step is made for counts for (2).
    pub(crate) fn largest_step(&mut self, a: &BodyState, b: &BodyState) -> (f64, f64) {
        let (a, b) = (motion_of(a), motion_of(b));
        let [inverse_a, inverse_b] = &self.inverse_inertias;
        let mass = self.pair.effective_mass(&a, &b, inverse_a, inverse_b);
        let advice = self.pair.step_advice(&a, &b, mass);
        self.deepest = self.deepest.max(advice.depth);
        (advice.step() * self.stride, advice.time_to_touch)
    }
}
