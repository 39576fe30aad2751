//! Memory of the contacts and advice on the step size.
//!
//! Every contact remembers whether it touches and the approach speed δ̇₀ that its episode began
//! with. The memory changes only when a step is accepted, so all iterations of a step, and a
//! step that is repeated, see the same law. While apart, δ̇₀ follows the closing speed of the last
//! accepted state: it is the speed with which a touch inside the next step begins.
//!
//! Step size, with g gap, δ̇ closing speed, m effective mass, k tangent stiffness:
//!
//! ```text
//! time to touch   t = min g/δ̇  over contacts apart and closing                (1)
//! contact step    h = π √(m/k) / s                                            (2)
//! k = n K δ*ⁿ⁻¹,  δ* = max(δ, δ_peak(m, |δ̇|))                                 (3)
//! ```
//!
//! s is the number of steps per half period; (3) looks ahead to the depth that the present speed
//! can reach, because at the first touch δ and the stiffness of a Hertzian contact are zero. k is
//! summed over the contacts that touch; before a touch, over those due within one contact step of the
//! first: an aligned ring meets its target with all of its points. The advised step is h while touching, max(t, h) while closing (a step may reach into the touch by
//! one contact step, so the approach does not end in ever smaller steps), unlimited otherwise.

use super::pair::{Approach, ContactPair};
use super::relative::BodyMotion;
use core::f64::consts::PI;

/// Numbers per contact in a serialised memory.
const NUMBERS: usize = 2;

/// A gap that closes and is smaller than this is closed [m]: a touch that falls on the end of a step is
/// there, whichever way Newton's tolerance and rounding moved the last digits of the positions.
const SAME_PLACE: f64 = 1e-10;

/// Memory of one contact.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Episode {
    /// Whether it touched at the last accepted state.
    pub touching: bool,
    /// Approach speed δ̇₀ of the episode; while apart the present closing speed [m/s], never
    /// negative.
    pub approach_speed: f64,
}

/// Memory of all contacts of a pair.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Episodes {
    contacts: Vec<Episode>,
}

/// How many episodes began and ended with an accepted step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EpisodeChanges {
    /// Contacts that began to touch.
    pub begun: usize,
    /// Contacts that came apart.
    pub ended: usize,
}

/// A serialised memory that does not fit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EpisodesError {
    /// Another number of contacts.
    #[error("contact memory has {found} numbers where {expected} are needed")]
    Length {
        /// Numbers needed.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// A number that no memory can hold.
    #[error("number {index} of the contact memory is {value}: it must be {allowed}")]
    Value {
        /// Position in the numbers.
        index: usize,
        /// The number.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
}

impl Episodes {
    /// Number of contacts.
    pub fn count(&self) -> usize {
        self.contacts.len()
    }

    /// Memory at the beginning of a run, from the initial motion. A contact that already touches
    /// begins its episode with the closing speed it has.
    pub fn start(pair: &ContactPair, a: &BodyMotion, b: &BodyMotion) -> Self {
        let contacts = pair
            .approaches(a, b)
            .map(|approach| Episode {
                touching: approach.gap < 0.0,
                approach_speed: approach.closing_speed.max(0.0),
            })
            .collect();
        Self { contacts }
    }

    /// Takes over an accepted state.
    pub fn accept(&mut self, pair: &ContactPair, a: &BodyMotion, b: &BodyMotion) -> EpisodeChanges {
        let mut changes = EpisodeChanges::default();
        for (episode, approach) in self.contacts.iter_mut().zip(pair.approaches(a, b)) {
            let arrived = approach.gap < SAME_PLACE && approach.closing_speed > 0.0;
            let touching = approach.gap < 0.0 || (arrived && !episode.touching);
            changes.begun += usize::from(touching && !episode.touching);
            changes.ended += usize::from(!touching && episode.touching);
            if !touching {
                episode.approach_speed = approach.closing_speed.max(0.0);
            }
            episode.touching = touching;
        }
        changes
    }

    /// Memory of every contact.
    pub fn contacts(&self) -> &[Episode] {
        &self.contacts
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Whether there is no contact at all.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// Whether any contact touched at the last accepted state.
    pub fn any_touching(&self) -> bool {
        self.contacts.iter().any(|episode| episode.touching)
    }

    /// The memory as numbers, two per contact.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        let pair = |e: &Episode| [f64::from(u8::from(e.touching)), e.approach_speed];
        self.contacts.iter().flat_map(pair)
    }

    /// Takes the memory from [`Self::numbers`] of a pair with as many contacts; unchanged on error.
    pub fn restore(&mut self, numbers: &[f64]) -> Result<(), EpisodesError> {
        let expected = NUMBERS * self.contacts.len();
        if numbers.len() != expected {
            return Err(EpisodesError::Length {
                expected,
                found: numbers.len(),
            });
        }
        let refuse = |index, allowed| EpisodesError::Value {
            index,
            value: numbers[index],
            allowed,
        };
        for (i, pair) in numbers.chunks_exact(NUMBERS).enumerate() {
            if pair[0] != 0.0 && pair[0] != 1.0 {
                return Err(refuse(NUMBERS * i, "0 or 1"));
            }
            if !(pair[1] >= 0.0 && pair[1].is_finite()) {
                return Err(refuse(NUMBERS * i + 1, ">= 0 and finite"));
            }
        }
        for (episode, pair) in self.contacts.iter_mut().zip(numbers.chunks_exact(NUMBERS)) {
            *episode = Episode {
                touching: pair[0] == 1.0,
                approach_speed: pair[1],
            };
        }
        Ok(())
    }
}

/// Advice on the size of the next step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepAdvice {
    /// Whether any contact touches now.
    pub touching: bool,
    /// Time to the first touch, (1) [s]; infinite when nothing closes.
    pub time_to_touch: f64,
    /// Step that resolves the contact, (2) [s]; infinite when none touches or closes.
    pub contact_step: f64,
    /// Depth δ* that it is made for, the largest of all contacts concerned [m].
    pub depth: f64,
}

impl StepAdvice {
    /// The largest advisable step [s].
    pub fn step(&self) -> f64 {
        if self.touching {
            self.contact_step
        } else {
            self.time_to_touch.max(self.contact_step)
        }
    }
}

/// Step (2) [s] for an effective mass [kg], a tangent stiffness [N/m] and a number of steps per
/// half period.
pub fn contact_step(
    effective_mass: f64,
    tangent_stiffness: f64,
    steps_per_half_period: f64,
) -> f64 {
    PI * (effective_mass / tangent_stiffness).sqrt() / steps_per_half_period
}

impl ContactPair {
    /// Advice for the next step from the motion at its start; `effective_mass` [kg] as from
    /// [`ContactPair::effective_mass`].
    pub fn step_advice(&self, a: &BodyMotion, b: &BodyMotion, effective_mass: f64) -> StepAdvice {
        let normal = self.normal();
        let steps = self.steps_per_half_period();
        let own = |approach: &Approach| {
            let reach = normal.peak_penetration(effective_mass, approach.closing_speed);
            let depth = reach.max(-approach.gap);
            (normal.tangent_stiffness(depth), depth) // (3)
        };
        let (mut touching, mut time_to_touch) = (false, f64::INFINITY);
        let (mut present, mut first) = ((0.0, 0.0_f64), (0.0, 0.0));
        for approach in self.approaches(a, b) {
            if approach.gap < 0.0 {
                touching = true;
                let (stiffness, depth) = own(&approach);
                present = (present.0 + stiffness, present.1.max(depth));
            } else if time_until_touch(&approach) < time_to_touch {
                time_to_touch = time_until_touch(&approach); // (1)
                first = own(&approach);
            }
        }
        // Contacts that come so soon behind the first that one step may meet them all act together.
        let (stiffness, depth) = if touching {
            present
        } else {
            let soon = time_to_touch + contact_step(effective_mass, first.0, steps);
            let coming = self.approaches(a, b);
            let coming = coming.filter(|approach| {
                let time = time_until_touch(approach);
                time.is_finite() && time <= soon
            });
            coming.fold((0.0, 0.0_f64), |(sum, deepest), approach| {
                let (stiffness, depth) = own(&approach);
                (sum + stiffness, deepest.max(depth))
            })
        };
        StepAdvice {
            touching,
            time_to_touch,
            contact_step: contact_step(effective_mass, stiffness, steps),
            depth,
        }
    }
}

/// Time until an open gap closes at the speed that it has [s]; infinite if it does not.
fn time_until_touch(approach: &Approach) -> f64 {
    if approach.closing_speed > 0.0 {
        approach.gap / approach.closing_speed
    } else {
        f64::INFINITY
    }
}
