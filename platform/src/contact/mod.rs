//! Contact between the end effector and the target, and the latch that joins them.
//!
//! ```text
//!          end effector (A)                 target (B)
//!   legs ──▐███ port z ──►  gap   ◄── port z ███▌ target body
//!             points with tips    plane, cone or ring
//! ```
//!
//! [`ContactPair`] is the immutable model made from a [`ContactConfig`]; [`Episodes`] and [`Latch`]
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

mod config;
mod episode;
mod event;
mod friction;
mod geometry;
mod latch;
mod law;
mod output;
mod pair;
mod relative;
#[cfg(test)]
mod tests;

pub use config::{
    ConeConfig, ContactConfig, EffectorConfig, EffectorShape, FrictionConfig, LatchConfig,
    NormalConfig, PetalsConfig, RimConfig, RingConfig, TargetConfig, TargetShape,
};
pub use episode::{Episode, EpisodeChanges, Episodes, EpisodesError, StepAdvice, contact_step};
pub(crate) use event::crossing;
pub use friction::{Friction, FrictionLaw, FrictionValue};
pub use geometry::points as effector_points;
pub use geometry::{Distance, Feature};
pub use latch::{Latch, LatchError, LatchState};
pub use law::{NormalForce, NormalLaw, NormalValue};
pub use output::{ContactOutput, PointForce};
pub use pair::{Alignment, Approach, ContactPair, Mounts};
pub use relative::{BodyMotion, PairTangent};
