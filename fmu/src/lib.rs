//! The leg behind the C interface of FMI 2.0 co-simulation.
//!
//! Not written yet: this crate holds no code and offers nothing to call.
