//! Six legs coupled through the spherical joints of the end effector.
//!
//! Not written yet: this crate holds no code and offers nothing to call.
