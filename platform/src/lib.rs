//! Six legs coupled through the spherical joints of the end effector.
//!
//! Written so far: [`contact`], the contact of the end effector with a target.

pub mod contact;
