//! Contact of the end effector (body A) with the target (body B) as a docking describes it: the
//! tables of its settings, and the kernel's contact ([`multibody::contact`]) made of them.

mod config;
mod kernel;
#[cfg(test)]
mod tests;

pub use config::{
    ConeConfig, ContactConfig, EffectorConfig, EffectorShape, FrictionConfig, LatchConfig,
    NormalConfig, PetalsConfig, RimConfig, RingConfig, TargetConfig, TargetShape,
};
pub use kernel::effector_points;
pub use multibody::contact::*;
