//! What dockings must show as a whole: bodies that act by themselves, controllers at their limits.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod actuation;
mod captured;
mod per_leg;
mod reached;
mod stability;
mod tendons;
