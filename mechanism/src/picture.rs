//! What a mechanism looks like: lines through places, for pages.

use crate::build::Built;
use crate::parts::{Description, ForcePart, Host, Point, Pose, Spot};
use crate::quantity;
use crate::space::Space;
use multibody::state::State;
use nalgebra::Vector3;

/// Look of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// A rigid body.
    Body,
    /// A beam.
    Beam,
    /// A spring or tendon.
    Spring,
    /// A joint with the ground.
    Pivot,
    /// Any other joint.
    Joint,
}

/// A line of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Name.
    pub name: String,
    /// Look.
    pub look: Look,
    /// The places it passes.
    pub spots: Vec<Spot>,
}

/// The lines of a mechanism.
pub fn lines(description: &Description) -> Vec<Line> {
    let mut out = Vec::new();
    for (number, body) in description.bodies.iter().enumerate() {
        let spots = body_spots(description, number);
        out.push(Line {
            name: body.name.clone(),
            look: Look::Body,
            spots,
        });
    }
    for (number, beam) in description.beams.iter().enumerate() {
        let spots = (0..=beam.elements).map(|node| Spot {
            host: Host::Beam(number, node),
            pose: Pose::identity(),
        });
        out.push(Line {
            name: beam.name.clone(),
            look: Look::Beam,
            spots: spots.collect(),
        });
    }
    for force in &description.forces {
        if let ForcePart::Line { ends, .. } = &force.force {
            out.push(Line {
                name: force.name.clone(),
                look: Look::Spring,
                spots: ends.iter().map(spot_of).collect(),
            });
        }
    }
    for cable in &description.cables {
        out.push(Line {
            name: cable.name.clone(),
            look: Look::Spring,
            spots: cable.points.iter().map(spot_of).collect(),
        });
    }
    for (number, part) in description.reduced.iter().enumerate() {
        let Some(body) = &part.body else { continue };
        let spots = (0..body.matrices.interfaces.len()).map(|station| Spot {
            host: Host::Flexible(number, station),
            pose: Pose::identity(),
        });
        out.push(Line {
            name: part.name.clone(),
            look: Look::Beam,
            spots: spots.collect(),
        });
    }
    for joint in description.joints.iter().filter(|joint| !joint.driver) {
        let grounded = joint.spots.iter().any(|spot| spot.host == Host::Ground);
        out.push(Line {
            name: joint.name.clone(),
            look: if grounded { Look::Pivot } else { Look::Joint },
            spots: vec![joint.spots[1]],
        });
    }
    out
}

fn spot_of(point: &Point) -> Spot {
    Spot {
        host: point.host,
        pose: Pose {
            position: point.point,
            ..Pose::identity()
        },
    }
}

/// The places of joints and springs on a body; around its origin if there are more than two.
fn body_spots(description: &Description, number: usize) -> Vec<Spot> {
    let host = Host::Body(number);
    let mut places: Vec<Vector3<f64>> = Vec::new();
    let add = |places: &mut Vec<Vector3<f64>>, place: Vector3<f64>| {
        if !places.iter().any(|known| (known - place).norm() < 1e-9) {
            places.push(place);
        }
    };
    for joint in description.joints.iter().filter(|joint| !joint.driver) {
        for spot in joint.spots.iter().filter(|spot| spot.host == host) {
            add(&mut places, spot.pose.position);
        }
    }
    for force in &description.forces {
        if let ForcePart::Line { ends, .. } = &force.force {
            for end in ends.iter().filter(|end| end.host == host) {
                add(&mut places, end.point);
            }
        }
    }
    if places.len() < 2 {
        add(&mut places, Vector3::zeros());
    }
    if places.len() > 2 {
        let first = places[0];
        places.push(first);
    }
    let spot = |position| Spot {
        host,
        pose: Pose {
            position,
            ..Pose::identity()
        },
    };
    places.into_iter().map(spot).collect()
}

/// The points of every line at a state, world axes [m].
pub fn points<G: Space<N, D>, const N: usize, const D: usize>(
    built: &Built<G, N, D>,
    state: &State<G, N>,
    lines: &[Line],
) -> Vec<Vec<[f64; 3]>> {
    let at = |spot: &Spot| {
        let place = quantity::pose(built, state, spot).translation();
        G::lift(&place).into()
    };
    (lines.iter())
        .map(|line| line.spots.iter().map(at).collect())
        .collect()
}
