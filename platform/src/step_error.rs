//! The error of a step, by the motion of the bodies, in every coupling scheme that can go back.

use crate::body::{BodyState, BodyStep};
use crate::config::PlatformConfig;
use crate::error::PlatformError;
use multibody::dynamics::integrator::Integrator;
use multibody::dynamics::pace::{Pace, StepError};
use multibody::dynamics::stepper::Refusal;
use nalgebra::Vector6;

/// Part of the accuracy by which a step may falsify the speed of bodies: errors of many steps add up.
/// Chosen by errors of peak forces over random dockings.
const ERROR_SHARE: f64 = 0.15;
/// Steps are not made shorter than this part of the largest one for their error: contact has limits of
/// its own, and behind a jump the acceleration-like variables say little.
const SMALLEST_FOR_ERROR: f64 = 1.0 / 64.0;

/// Judges the error of the bodies' increments in a step; a refusal says how much smaller it has to be.
pub(crate) fn judge(
    pace: &mut Pace,
    config: &PlatformConfig,
    (bodies, steps): (&[BodyState], &[BodyStep]),
    integrator: &Integrator,
    strict: bool,
) -> core::result::Result<(), Refusal<PlatformError>> {
    let accuracy = config.solver.step_accuracy;
    if accuracy == 0.0 {
        return Ok(());
    }
    let radius = config.legs.sphere_radius_m;
    let size = |twist: &Vector6<f64>| {
        let linear = twist.fixed_rows::<3>(0).norm();
        linear + radius * twist.fixed_rows::<3>(3).norm()
    };
    let (mut error, mut speed) = (0.0_f64, 0.0_f64);
    for (step, state) in steps.iter().zip(bodies) {
        error = error.max(size(&(step.trial.algorithmic - state.algorithmic)));
        speed = speed.max(size(&step.trial.velocity));
    }
    let judged = StepError {
        error: error * integrator.error_by_algorithmic().abs(),
        speed,
        share: ERROR_SHARE * accuracy,
        step: integrator.step(),
        smallest: SMALLEST_FOR_ERROR * config.solver.step_s,
    };
    let judged = pace.judge_error(&judged, strict);
    judged.map_err(Refusal::Inaccurate)
}
