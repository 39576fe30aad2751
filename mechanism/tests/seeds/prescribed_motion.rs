//! Kinematics and inverse dynamics of driven mechanisms.

use crate::{describe, kinematics, near};
use softdock_mechanism::prescribed::{self, MotionOnly};
