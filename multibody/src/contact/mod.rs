//! Contact between two bodies, and a latch that joins them.
//!
//! ```text
//!             body A                          body B
//!        ▐███ port z ──►        gap        ◄── port z ███▌
//!        points with tips                  plane, disc, cone, rim
//! ```
//!
//! [`ContactPair`] is the immutable model made of [`ContactParts`]; [`Episodes`] and [`Latch`]
//! are the memory, which belongs to the state of a run and changes only with accepted steps;
//! [`ContactOutput`] is the workspace. A time step reads:
//!
//! ```text
//! advice = pair.step_advice(a, b, pair.effective_mass(…))      choose the step
//! loop   { pair.evaluate(&episodes, a, b, &mut output);        Newton
//!          latch.add_hold(a, b, &mut output)?; }
//! episodes.accept(&pair, a, b);                                accept
//! latch.observe(time, &pair.alignment(a, b), a, b);
//! ```
//!
//! Wrenches and tangents follow the conventions of the kernel: wrenches are forces *on* the
//! bodies, so a residual takes them with a minus sign.

mod episode;
pub(crate) mod event;
mod friction;
mod geometry;
mod latch;
mod law;
mod output;
mod pair;
mod relative;

pub use episode::{Episode, EpisodeChanges, Episodes, EpisodesError, StepAdvice, contact_step};
pub use event::crossing;
pub use friction::{Friction, FrictionLaw, FrictionValue};
pub use geometry::{Distance, Feature};
pub use latch::{Latch, LatchError, LatchLimits, LatchState};
pub use law::{NormalForce, NormalLaw, NormalValue};
pub use output::{ContactOutput, PointForce};
pub use pair::{Alignment, Approach, ContactPair, ContactParts, Mounts, PairResponse};
pub use relative::{BodyMotion, PairTangent};
