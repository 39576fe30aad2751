//! Stops of lines and joints as terms of the residual.
//!
//! A stop is a force along its coordinate ([`Stops`]): a tension of the opposite sign on a line, a
//! torque on body B about a joint's axis. Derivatives are those of the law; the coordinate's own are
//! those of the line or hinge.

use super::forces::{LineKinematics, Torque};
use super::hinge::Hinge;
use crate::group::Group;
use crate::model::{Force, Model, Response, Stops};
use crate::state::State;

/// Adds the stops of a line to its response.
#[inline]
pub(super) fn add_to_line<G: Group<N, D>, const N: usize, const D: usize>(
    response: &mut Response,
    stops: &Stops,
    line: &LineKinematics<G, N, D>,
    memory: &[f64],
    dynamic: bool,
) {
    if stops.depth(line.length).is_none() {
        return;
    }
    let rate = if dynamic { line.rate } else { 0.0 };
    let stop = stops.respond(line.length, rate, memory);
    // A force along growing length is a negative tension.
    response.tension -= stop.force;
    response.by_length -= stop.by_position;
    if dynamic {
        response.by_rate -= stop.by_rate;
    }
}

/// Torque of the stops of a joint on its body B.
#[inline]
pub(super) fn torque<const N: usize, const D: usize>(
    stops: &Stops,
    hinge: &Hinge<N, D>,
    memory: &[f64],
    dynamic: bool,
) -> Torque {
    let rate = if dynamic { hinge.rate } else { 0.0 };
    let stop = stops.respond(hinge.angle, rate, memory);
    Torque {
        value: stop.force,
        by_angle: stop.by_position,
        by_rate: if dynamic { stop.by_rate } else { 0.0 },
    }
}

/// The stops of force `index`, their coordinate [rad or m] and its rate; none if it has none.
pub(crate) fn coordinate<'a, G: Group<N, D>, const N: usize, const D: usize>(
    model: &'a Model<G, N, D>,
    state: &State<G, N>,
    index: usize,
) -> Option<(&'a Stops, f64, f64)> {
    match model.forces.get(index)? {
        Force::Line {
            a,
            b,
            stops: Some(stops),
            ..
        } => {
            let line = LineKinematics::new(model, &state.motion(), a, b);
            Some((stops, line.length, line.rate))
        }
        Force::Stop { joint, stops, .. } => {
            let (near, joint) = (state.angles[joint.0], &model.joints[joint.0]);
            let hinge = Hinge::new(model, joint, &state.motion(), near);
            Some((stops, hinge.angle, hinge.rate))
        }
        _ => None,
    }
}
