//! Quantities of a state: what outputs and events read.
//!
//! Of a point p fixed to a node with pose (R, x), twist (v, ω) and its derivative:
//!
//! ```text
//! place x + R p,   velocity R (v + ω × p),
//! acceleration R (v̇ + ω̇ × p + ω × (v + ω × p))                                   (1)
//! ```

use crate::build::Built;
use crate::parts::{Host, OutputPart, Pose, Source, Spot};
use crate::space::Space;
use multibody::math;
use multibody::model::{Coordinate, JointKind, PointOn};
use multibody::results::{self, energy};
use multibody::state::State;
use nalgebra::{Rotation3, SVector, Vector3};
use std::f64::consts::{PI, TAU};

/// Attitudes of places in the plane, counted over full turns.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    spots: Vec<Spot>,
    angles: Vec<f64>,
}

impl Turns {
    /// Watches the places that `outputs` read the angle of.
    pub fn new<'a>(outputs: impl Iterator<Item = &'a OutputPart>) -> Self {
        let mut out = Self::default();
        for source in outputs.flat_map(|output| &output.sources) {
            if let Source::Turn(spot, 0, 2) = source {
                out.spots.push(*spot);
                out.angles.push(0.0);
            }
        }
        out
    }

    /// Starts at the angles that the description gives.
    pub fn start(&mut self, angle_of: impl Fn(&Spot) -> f64) {
        for (spot, angle) in self.spots.iter().zip(&mut self.angles) {
            *angle = angle_of(spot);
        }
    }

    /// Follows the attitudes of a state.
    pub fn follow<G: Space<N, D>, const N: usize, const D: usize>(
        &mut self,
        built: &Built<G, N, D>,
        state: &State<G, N>,
    ) {
        for (spot, angle) in self.spots.iter().zip(&mut self.angles) {
            let now = attitude(built, state, spot);
            let change = now - *angle;
            *angle = now - TAU * ((change + PI) / TAU).floor();
        }
    }

    /// The angles that are counted [rad].
    pub fn angles(&self) -> &[f64] {
        &self.angles
    }

    /// Counts on from these angles [rad], as many as there are.
    pub fn set_angles(&mut self, angles: &[f64]) {
        self.angles.copy_from_slice(angles);
    }

    fn of(&self, spot: &Spot) -> Option<f64> {
        let i = self.spots.iter().position(|known| known == spot)?;
        Some(self.angles[i])
    }
}

/// Angle of a place about the normal of the plane, in (−π, π].
fn attitude<G: Space<N, D>, const N: usize, const D: usize>(
    built: &Built<G, N, D>,
    state: &State<G, N>,
    spot: &Spot,
) -> f64 {
    let r = pose(built, state, spot).lift_rotation();
    math::atan2(r[(1, 0)], r[(0, 0)])
}

fn node<G: Space<N, D>, const N: usize, const D: usize>(
    built: &Built<G, N, D>,
    host: Host,
) -> Option<usize> {
    built.node(host).map(|node| node.index())
}

/// A place inside a reduced body, in the axes of its moving frame: pose, and velocity and acceleration
/// of its point and its turning as material ones (world motion seen in these axes).
struct Inside {
    frame: usize,
    pose: Pose,
    motion: [Vector3<f64>; 2],
    turning: [Vector3<f64>; 2],
}

/// With x = X + Σ ζ φ of the body's node and the spot's own arm s:
/// v + ω × x + u̇ + ω_s × s and so on.
fn inside<G: Space<N, D>, const N: usize, const D: usize>(
    built: &Built<G, N, D>,
    state: &State<G, N>,
    spot: &Spot,
) -> Option<Inside> {
    if node(built, spot.host).is_some() {
        return None;
    }
    let (body, station) = built.reduced_at(spot.host)?;
    let frame = body.interfaces.first()?.index();
    let lists = results::reduced_coordinates(&built.model, state, body.id);
    let [zeta, eta, eta_rate] = lists.map(nalgebra::DVector::from_vec);
    let at = |matrix: &nalgebra::DMatrix<f64>, list: &nalgebra::DVector<f64>| {
        let v = matrix * list;
        Vector3::new(v[0], v[1], v[2])
    };
    let turn = Rotation3::new(at(&station.turn, &zeta)).into_inner();
    let node_pose = Pose {
        position: station.pose.position + at(&station.shift, &zeta),
        rotation: turn * station.pose.rotation,
    };
    let pose = node_pose.compose(&spot.pose);
    let arm = pose.position - node_pose.position;
    let (twist, change) = (&state.velocities[frame], &state.accelerations[frame]);
    let linear = |v: &SVector<f64, N>| G::lift(&(G::linear_part() * v));
    let (v, omega) = (linear(twist), G::angular_of(twist));
    let (v_rate, omega_rate) = (linear(change), G::angular_of(change));
    let (x, u_rate) = (node_pose.position, at(&station.shift, &eta));
    let spin = omega + at(&station.turn, &eta);
    let spin_rate =
        omega_rate + omega.cross(&at(&station.turn, &eta)) + at(&station.turn, &eta_rate);
    let velocity = v + omega.cross(&x) + u_rate;
    let acceleration = v_rate
        + omega.cross(&v)
        + omega_rate.cross(&x)
        + omega.cross(&omega.cross(&x))
        + omega.cross(&u_rate) * 2.0
        + at(&station.shift, &eta_rate);
    Some(Inside {
        frame,
        pose,
        motion: [
            velocity + spin.cross(&arm),
            acceleration + spin_rate.cross(&arm) + spin.cross(&spin.cross(&arm)),
        ],
        turning: [spin, spin_rate],
    })
}

/// World pose of a place.
pub fn pose<G: Space<N, D>, const N: usize, const D: usize>(
    built: &Built<G, N, D>,
    state: &State<G, N>,
    spot: &Spot,
) -> G {
    let local = G::of(&spot.pose);
    if let Some(inside) = inside(built, state, spot) {
        return state.poses[inside.frame].compose(&G::of(&inside.pose));
    }
    match node(built, spot.host) {
        Some(node) => state.poses[node].compose(&local),
        None => local,
    }
}

/// Place, velocity or acceleration of a place, eq. (1).
fn point<G: Space<N, D>, const N: usize, const D: usize>(
    built: &Built<G, N, D>,
    state: &State<G, N>,
    spot: &Spot,
    order: usize,
) -> SVector<f64, D> {
    if let Some(inside) = inside(built, state, spot) {
        let frame = &state.poses[inside.frame];
        return match order {
            0 => frame.translation() + frame.rotation() * G::vector(&inside.pose.position),
            _ => frame.rotation() * G::vector(&inside.motion[order - 1]),
        };
    }
    let p = G::vector(&spot.pose.position);
    let Some(node) = node(built, spot.host) else {
        return if order == 0 { p } else { SVector::zeros() };
    };
    let r = state.poses[node].rotation();
    let linear = G::linear_part();
    let v = &state.velocities[node];
    let velocity = linear * v + G::turn(v, &p);
    match order {
        0 => state.poses[node].translation() + r * p,
        1 => r * velocity,
        _ => {
            let v_dot = &state.accelerations[node];
            r * (linear * v_dot + G::turn(v_dot, &p) + G::turn(v, &velocity))
        }
    }
}

fn turn<G: Space<N, D>, const N: usize, const D: usize>(
    built: &Built<G, N, D>,
    state: &State<G, N>,
    spot: &Spot,
    order: usize,
) -> Vector3<f64> {
    if order == 0 {
        return match pose(built, state, spot).log() {
            Ok(v) => G::angular_of(&v),
            Err(_) => Vector3::repeat(f64::NAN),
        };
    }
    if let Some(inside) = inside(built, state, spot) {
        return state.poses[inside.frame].lift_rotation() * inside.turning[order - 1];
    }
    let Some(node) = node(built, spot.host) else {
        return Vector3::zeros();
    };
    let list = if order == 1 {
        &state.velocities
    } else {
        &state.accelerations
    };
    state.poses[node].lift_rotation() * G::angular_of(&list[node])
}

/// Way of b along the direction in which the joint slides: e3 of joints that turn about it, else e1.
fn coordinate_of<G: Space<N, D>, const N: usize, const D: usize>(
    built: &Built<G, N, D>,
    joint: usize,
) -> Option<Coordinate<D>> {
    let joint = &built.model.joints()[built.joints[joint]?.index()];
    let axis = match joint.kind {
        JointKind::Cylindrical | JointKind::Screw { .. } => D - 1,
        _ => 0,
    };
    Some(Coordinate::Offset {
        body: joint.a.body,
        origin: joint.a.frame.translation(),
        direction: joint.a.frame.rotation().column(axis).into(),
        point: PointOn {
            body: joint.b.body,
            point: joint.b.frame.translation(),
        },
    })
}

/// The value of a source.
pub fn source<G: Space<N, D>, const N: usize, const D: usize>(
    built: &Built<G, N, D>,
    state: &State<G, N>,
    turns: &Turns,
    source: &Source,
) -> f64 {
    let model = &built.model;
    match source {
        Source::Time => state.time,
        Source::Point(spot, order, axis) => point(built, state, spot, *order)[*axis],
        Source::Turn(spot, 0, 2) if D == 2 => turns
            .of(spot)
            .unwrap_or_else(|| attitude(built, state, spot)),
        Source::Turn(spot, order, axis) => turn(built, state, spot, *order)[*axis],
        Source::JointAngle(joint, order) => match built.joints[*joint] {
            Some(id) if *order == 0 => state.angle(id),
            Some(id) => results::coordinate(model, state, &Coordinate::Angle(id)).1,
            None => f64::NAN,
        },
        Source::Friction(force, stick) => {
            let law = results::law(model, state, built.forces[*force]);
            let effort =
                |joint: usize| self::source(built, state, turns, &Source::DriverEffort(joint));
            let closed = stick.filter(|joint| built.joints[*joint].is_some());
            law.map_or(0.0, |law| law.force) + closed.map_or(0.0, effort)
        }
        Source::JointSlide(joint) => coordinate_of(built, *joint).map_or(f64::NAN, |coordinate| {
            results::coordinate(model, state, &coordinate).0
        }),
        Source::Reaction(joint, kind, axis, own) => {
            let Some(id) = built.joints[*joint] else {
                return 0.0;
            };
            let reaction = results::reaction(model, state, id);
            let vector = match kind {
                0 => G::lift(&reaction.force),
                _ => Vector3::from(reaction.moment),
            };
            if !own {
                return vector[*axis];
            }
            let b = match model.joints()[id.index()].b.body {
                multibody::model::Body::Node(node) => state.pose(node).lift_rotation(),
                _ => nalgebra::Matrix3::identity(),
            };
            b.tr_mul(&vector)[*axis]
        }
        Source::DriverEffort(joint) => match built.joints[*joint] {
            Some(id) => -state.multipliers[model.joints()[id.index()].first_row],
            None => 0.0,
        },
        Source::Line(force, what) => {
            results::line(model, state, built.forces[*force]).map_or(f64::NAN, |line| match what {
                0 => line.length,
                1 => line.rate,
                _ => line.response.tension,
            })
        }
        Source::Torque(force) => {
            results::torque(model, state, built.forces[*force]).unwrap_or(f64::NAN)
        }
        Source::Law(force, what) => {
            results::law(model, state, built.forces[*force]).map_or(f64::NAN, |law| match what {
                0 => law.value,
                1 => law.rate,
                _ => law.force,
            })
        }
        Source::Cable(cable, what) => {
            let id = built.cables[*cable];
            let at = results::cable(model, state, id);
            match what {
                0 => at.length,
                1 => at.rate,
                2 => at.tensions[0],
                _ => at.tensions[built.cable_segments[*cable] - 1],
            }
        }
        Source::Surface(surface, what) => {
            let at = results::surface(model, state, built.surfaces[*surface]);
            match what {
                0 => at.normal_force,
                1..=3 => at.force[what - 1],
                _ => at.gap,
            }
        }
        Source::Channel(channel) => state.inputs.value[*channel],
        Source::Energy(what) => energy_of(built, state, *what),
    }
}

fn energy_of<G: Space<N, D>, const N: usize, const D: usize>(
    built: &Built<G, N, D>,
    state: &State<G, N>,
    what: usize,
) -> f64 {
    let Ok(now) = energy::energies(&built.model, state) else {
        return f64::NAN;
    };
    match what {
        0 => now.kinetic,
        1 => now.strain,
        2 => now.springs,
        3 => now.gravity,
        4 => state.ledger.work_in,
        5 => state.ledger.dissipated,
        _ => state.ledger.residual(&now),
    }
}

/// The value of an output.
pub fn output<G: Space<N, D>, const N: usize, const D: usize>(
    built: &Built<G, N, D>,
    state: &State<G, N>,
    turns: &Turns,
    part: &OutputPart,
) -> f64 {
    part.formula
        .evaluate(|n| source(built, state, turns, &part.sources[n]))
}
