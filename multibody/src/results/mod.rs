//! What a state tells: reactions, section forces, shapes, line tensions, energies.

pub mod energy;
pub mod resolution;
pub mod soundness;
pub mod stress;

use crate::assembly::hinge::Hinge;
use crate::assembly::{BodyMotion, JointKinematics};
use crate::element::elastic::{self, SectionState};
use crate::element::shape;
use crate::error::{Error, Result};
use crate::group::Group;
use crate::model::{
    BeamId, Coordinate, Force, ForceId, JointId, LineLaw, Model, PointOn, Response,
};
use crate::state::State;
use nalgebra::SVector;

/// Force and moment of a joint on its body B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reaction<const D: usize> {
    /// Force in world axes [N].
    pub force: SVector<f64, D>,
    /// Moment about the joint's origin on B, world axes (e1, e2, e3) [N·m]; in the plane only the
    /// last entry is used.
    pub moment: [f64; 3],
}

/// Reaction of a joint on its body B. The reaction on A is the opposite at the same point.
pub fn reaction<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    joint: JointId,
) -> Reaction<D> {
    let joint = &model.joints[joint.0];
    let motion = state.motion();
    let kinematics = JointKinematics::new(model, joint, &motion);
    let mut covector = SVector::<f64, N>::zeros();
    for (index, row) in joint.rows.iter().enumerate() {
        let lambda = state.multipliers[joint.first_row + index];
        let forces = kinematics
            .row(joint, row, &state.inputs)
            .force(&kinematics.r);
        covector -= forces[1] * lambda;
    }
    // Force at the body's origin in body axes; the moment is carried to the joint's point.
    let rotation = kinematics.bodies[1].pose.rotation();
    let force_body: SVector<f64, D> = G::linear_part() * covector;
    let at_point = covector - (G::linear_part() + G::cross(&joint.points[1])).tr_mul(&force_body);
    let mut moment = [0.0; 3];
    if D == 2 {
        moment[2] = at_point[N - 1];
    } else {
        for (i, entry) in moment.iter_mut().enumerate().take(D) {
            *entry = (0..D).map(|j| rotation[(i, j)] * at_point[D + j]).sum();
        }
    }
    Reaction {
        force: rotation * force_body,
        moment,
    }
}

/// Strains and section wrench in the middle of element `element` of a beam.
pub fn section<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    beam: BeamId,
    element: usize,
) -> Result<SectionState<N>> {
    let beam = &model.beams[beam.0];
    let a = beam.first_node + element.min(beam.elements - 1);
    let h_ab = state.poses[a].between(&state.poses[a + 1]);
    let d = crate::assembly::relative_twist(beam, element, &h_ab, state.time)?;
    Ok(elastic::section_state::<G, N, D>(&beam.element, &d))
}

/// Pose of a beam's section at arc length `s` [m] of the unstressed beam.
pub fn pose_at<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    beam: BeamId,
    s: f64,
) -> Result<G> {
    let beam = &model.beams[beam.0];
    let position = (s / beam.element.length).clamp(0.0, beam.elements as f64);
    let element = (position as usize).min(beam.elements - 1);
    let a = beam.first_node + element;
    let xi = position - element as f64;
    shape::pose_at(&beam.element, &state.poses[a], &state.poses[a + 1], xi).ok_or_else(|| {
        Error::ElementTurnedTooFar {
            beam: beam.name.clone(),
            element,
            angle_rad: core::f64::consts::PI,
            limit_rad: crate::assembly::LARGEST_TURN,
            time: state.time,
        }
    })
}

/// Length, rate and tension of a line force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineState<const D: usize> {
    /// Length ℓ [m].
    pub length: f64,
    /// Rate ℓ̇ [m/s].
    pub rate: f64,
    /// Unit vector from P to Q in world axes.
    pub direction: SVector<f64, D>,
    /// Tension and its derivatives.
    pub response: Response,
    /// Energy stored [J].
    pub stored_energy: f64,
}

/// State of a line force; `None` if `force` is not one.
pub fn line<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    force: ForceId,
) -> Option<LineState<D>> {
    match model.forces.get(force.0)? {
        Force::Line {
            a, b, law, winch, ..
        } => {
            let pull = winch.map_or(0.0, |input| state.inputs.value[input.0]);
            Some(line_state(model, state, [a, b], (law, pull)))
        }
        _ => None,
    }
}

fn line_state<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    [a, b]: [&PointOn<D>; 2],
    (law, pull): (&LineLaw, f64),
) -> LineState<D> {
    let line = crate::assembly::LineKinematics::new(model, &state.motion(), a, b);
    LineState {
        length: line.length,
        rate: line.rate,
        direction: line.direction,
        response: law.pulled(pull, line.length, line.rate),
        stored_energy: law.stored_energy(line.length),
    }
}

/// Rate of a joint's angle [rad/s].
pub fn angle_rate<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    joint: JointId,
) -> f64 {
    let near = state.angles[joint.0];
    Hinge::new(model, &model.joints[joint.0], &state.motion(), near).rate
}

/// Torque of a motor, without the friction of its drive, of a torsion spring or of stops on body B
/// [N·m]; `None` for other forces.
pub fn torque<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    force: ForceId,
) -> Option<f64> {
    let motion = state.motion();
    let hinge = |joint: &JointId| {
        Hinge::new(
            model,
            &model.joints[joint.0],
            &motion,
            state.angles[joint.0],
        )
    };
    match model.forces.get(force.0)? {
        Force::Motor { joint, law, .. } => {
            let memory = &state.memory[model.memory_of(force.0)];
            let out = crate::assembly::motor_torque(&hinge(joint), law, &motion, memory, true);
            Some(out.torque.value)
        }
        Force::Torsion {
            joint,
            stiffness,
            rest_angle,
            damping,
            ..
        } => {
            let hinge = hinge(joint);
            Some(-stiffness * (hinge.angle - rest_angle) - damping * hinge.rate)
        }
        Force::Stop { .. } => stop(model, state, force).map(|stop| stop.force),
        _ => None,
    }
}

/// A force by a formula: its coordinate, the coordinate's rate and the force along it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LawState {
    /// Coordinate [m or rad].
    pub value: f64,
    /// Its rate [m/s or rad/s].
    pub rate: f64,
    /// Force that makes the coordinate grow [N or N·m].
    pub force: f64,
}

/// State of a force by a formula; `None` if `force` is not one.
pub fn law<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    force: ForceId,
) -> Option<LawState> {
    let Force::Law(law) = model.forces.get(force.0)? else {
        return None;
    };
    let measure = crate::assembly::Measure::new(model, &state.motion(), &law.coordinate);
    Some(LawState {
        value: measure.value,
        rate: measure.rate,
        force: measure.force_of(law, &state.inputs, true, None).value,
    })
}

/// Length of a cable over guides [m], its rate [m/s] and the tensions of its segments [N].
pub fn cable<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    cable: crate::model::CableId,
) -> crate::model::CableResponse<f64, D> {
    let mounted = &model.cables[cable.0];
    crate::assembly::cables::respond(model, &state.motion(), mounted, true)
}

/// Gap and closing speed of one contact of points with surfaces.
pub fn surface_approach<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    surface: crate::model::SurfaceId,
    contact: usize,
) -> Option<crate::contact::Approach> {
    let mounted = &model.surfaces[surface.0];
    crate::assembly::surfaces::approach(model, &state.motion(), mounted, contact)
}

/// Forces of a contact of points with surfaces.
pub fn surface<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    surface: crate::model::SurfaceId,
) -> crate::contact::PairResponse {
    let mounted = &model.surfaces[surface.0];
    crate::assembly::surfaces::respond(model, &state.motion(), mounted, true, false).1
}

/// Value and rate of a coordinate [m, m/s or rad, rad/s].
pub fn coordinate<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    coordinate: &Coordinate<D>,
) -> (f64, f64) {
    let measure = crate::assembly::Measure::new(model, &state.motion(), coordinate);
    (measure.value, measure.rate)
}

/// Where a coordinate is between its stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopState {
    /// The coordinate [rad or m].
    pub position: f64,
    /// Its rate [rad/s or m/s].
    pub rate: f64,
    /// Distances to the lower and upper stop [rad or m], negative inside.
    pub gaps: [f64; 2],
    /// Force of the stops along the coordinate [N·m or N]: zero between them.
    pub force: f64,
    /// Energy stored in them [J].
    pub stored_energy: f64,
}

/// State of the stops of a force; `None` if it has none.
pub fn stop<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    force: ForceId,
) -> Option<StopState> {
    let (stops, position, rate) = crate::assembly::stops::coordinate(model, state, force.0)?;
    let memory = &state.memory[model.memory_of(force.0)];
    Some(StopState {
        position,
        rate,
        gaps: stops.gaps(position),
        force: stops.respond(position, rate, memory).force,
        stored_energy: stops.stored_energy(position),
    })
}

/// Largest violation of a joint's constraints at position level [m or 1].
pub fn joint_gap<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    joint: JointId,
) -> f64 {
    let joint = &model.joints[joint.0];
    let motion = state.motion();
    let kinematics = JointKinematics::new(model, joint, &motion);
    joint
        .rows
        .iter()
        .map(|row| kinematics.row(joint, row, &state.inputs).value.abs())
        .fold(0.0, f64::max)
}

/// Largest violation of any constraint at position level [m or 1].
pub fn largest_gap<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
) -> f64 {
    (0..model.joints.len())
        .map(|i| joint_gap(model, state, JointId(i)))
        .fold(0.0, f64::max)
}

/// Velocity of a point fixed to a node, world axes [m/s].
pub fn point_velocity<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    point: &PointOn<D>,
) -> SVector<f64, D> {
    let body = BodyMotion::of(model, &state.motion(), point.body);
    body.pose.rotation() * ((G::linear_part() + G::cross(&point.point)) * body.velocity)
}

/// Coordinates ζ of a reduced body and the factors of its fields of second order, their rates and accelerations.
pub fn reduced_coordinates<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    body: crate::model::ReducedId,
) -> [Vec<f64>; 3] {
    let body = &model.reduced[body.index()];
    let found = crate::assembly::reduced::coordinates(model, &state.motion(), body);
    let count = body.shapes.fields();
    [found.zeta, found.eta, found.eta_rate].map(|list| list[..count].to_vec())
}
