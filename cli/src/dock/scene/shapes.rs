//! Surfaces of end effector and target: what touches is drawn where the contact model has it, the
//! rest is there to be recognised.

use core::f64::consts::{PI, TAU};
use multibody::math;
use nalgebra::Vector3;
use softdock_docking::Scenario;
use softdock_platform::contact::{EffectorShape, TargetShape, effector_points};
use softdock_platform::results::scene::{PLATE, plate};
use softdock_report::Mesh;

/// Facets of round things.
const FACETS: usize = 48;
/// More tips than this are drawn as what they lie on.
const MOST_TIPS: usize = 40;
/// Smallest radius that can be seen [m].
const THIN: f64 = 0.003;
/// Length of the piece of the target that is drawn behind its port [m].
const HULL: f64 = 0.16;

/// The plate of the end effector, and the tips that touch.
pub fn effector_meshes(scenario: &Scenario) -> (Mesh, Mesh) {
    let plate = plate(&scenario.platform);
    let effector = &scenario.docking.contact.effector;
    let tip = effector.tip_radius_m.max(THIN);
    let points = effector_points(effector);
    let balls = |points: &[Vector3<f64>]| {
        let place = |point: &Vector3<f64>| ball(tip).moved((*point).into());
        points.iter().map(place).fold(Mesh::default(), Mesh::and)
    };
    match effector.shape {
        EffectorShape::Ring => {
            let (radius, height) = (effector.ring.radius_m, effector.ring.height_m);
            let carrier = if radius > tip {
                let half = 0.6 * tip;
                Mesh::ring(
                    [radius - half, radius + half],
                    sorted(PLATE, height),
                    FACETS,
                )
            } else {
                Mesh::rod([0.0; 3], [0.0, 0.0, height], tip, FACETS)
            };
            let tips = if points.len() > MOST_TIPS {
                torus(radius, tip).moved([0.0, 0.0, height])
            } else {
                balls(&points)
            };
            (plate.and(carrier), tips)
        }
        EffectorShape::Petals => {
            let petals = &effector.petals;
            let root = petals.root_radius_m;
            let inner = (root - tip).max(0.0);
            let heights = sorted(PLATE, petals.root_height_m);
            let carrier = Mesh::ring([inner, root + tip], heights, FACETS);
            // A petal touches along a line of tips: it is drawn as the rod they fill.
            let mut fingers = Mesh::default();
            for petal in points.chunks(petals.points_per_petal.max(1)) {
                if let (Some(first), Some(last)) = (petal.first(), petal.last()) {
                    let rod = Mesh::rod((*first).into(), (*last).into(), tip, 12);
                    fingers = fingers.and(rod).and(balls(&[*last]));
                }
            }
            (plate.and(carrier), fingers)
        }
    }
}

/// Of the target: what is touched and thin, what is touched and would hide the rest if it were not
/// of glass, and a piece of hull. Their frame is the port, z toward the end effector.
pub fn target_meshes(scenario: &Scenario) -> (Mesh, Mesh, Mesh) {
    let contact = &scenario.docking.contact;
    let radius = match contact.effector.shape {
        EffectorShape::Ring => contact.effector.ring.radius_m,
        EffectorShape::Petals => contact.effector.petals.root_radius_m,
    }
    .max(0.05);
    let target = &contact.target;
    let hull = |radius: f64, depth: f64| Mesh::prism(8, radius, [-depth - HULL, -depth], 3);
    match target.shape {
        TargetShape::Plane => {
            let plate = Mesh::ring([0.5 * radius, 1.25 * radius], [-0.012, 0.0], FACETS);
            (Mesh::default(), plate, hull(0.5 * radius, 0.012))
        }
        TargetShape::Cone => {
            let cone = &target.cone;
            let (mouth, seat, depth) = (cone.mouth_radius_m, cone.seat_radius_m(), cone.depth_m);
            let (rim, floor) = (mouth + 0.03, -depth - 0.006);
            let outline = [
                [0.0, floor],
                [rim, floor],
                [rim, 0.0],
                [mouth, 0.0],
                [seat, -depth],
                [0.0, -depth],
            ];
            let funnel = Mesh::turned(&outline, FACETS);
            (Mesh::default(), funnel, hull(0.5 * mouth, depth + 0.006))
        }
        TargetShape::Ring => {
            let (r, tube) = (target.ring.radius_m, target.ring.tube_radius_m);
            let depth = tube + 0.05;
            let half = 0.4 * tube;
            let wall = Mesh::ring([r - half, r + half], [-depth, 0.0], FACETS);
            let back = Mesh::ring([0.3 * r, r + half], [-depth - 0.006, -depth], FACETS);
            (torus(r, tube), wall.and(back), hull(0.5 * r, depth + 0.006))
        }
    }
}

/// A ball about the origin.
fn ball(radius: f64) -> Mesh {
    const ARCS: usize = 6;
    let point = |i: usize| {
        let angle = PI * (i as f64 / ARCS as f64 - 0.5);
        // Exactly on the axis at both ends, where faces close.
        let on_axis = i == 0 || i == ARCS;
        let distance = if on_axis {
            0.0
        } else {
            radius * math::cos(angle)
        };
        [distance, radius * math::sin(angle)]
    };
    let outline: Vec<[f64; 2]> = (0..=ARCS).map(point).collect();
    Mesh::turned(&outline, 10)
}

/// A torus about z in the plane z = 0.
fn torus(radius: f64, tube: f64) -> Mesh {
    const ARCS: usize = 12;
    let point = |i: usize| {
        let (sine, cosine) = math::sin_cos(TAU * i as f64 / ARCS as f64);
        [radius + tube * cosine, tube * sine]
    };
    let outline: Vec<[f64; 2]> = (0..ARCS).map(point).collect();
    Mesh::turned(&outline, FACETS)
}

fn sorted(a: f64, b: f64) -> [f64; 2] {
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use softdock_platform::contact::ContactConfig;

    fn scenario(change: impl Fn(&mut ContactConfig)) -> Scenario {
        let mut scenario = Scenario::default();
        change(&mut scenario.docking.contact);
        scenario
    }

    /// Every drawn tip or petal reaches to within its radius of the contact model's points, and
    /// nothing of it is farther from them than the radius and the way between two points.
    #[test]
    fn what_is_drawn_is_what_touches() {
        for shape in [EffectorShape::Ring, EffectorShape::Petals] {
            let scenario = scenario(|contact| contact.effector.shape = shape);
            let effector = &scenario.docking.contact.effector;
            let points = effector_points(effector);
            let tip = effector.tip_radius_m;
            let petals = &effector.petals;
            let apart = petals.length_m / (petals.points_per_petal - 1) as f64;
            let (_, tips) = effector_meshes(&scenario);
            let distance =
                |vertex: &[f64; 3], point: &Vector3<f64>| (Vector3::from(*vertex) - point).norm();
            for vertex in &tips.vertices {
                let near = points.iter().map(|point| distance(vertex, point));
                let near = near.fold(f64::INFINITY, f64::min);
                assert!(near < tip.hypot(apart), "{shape:?}: {near}");
            }
            for point in &points {
                let near = tips.vertices.iter().map(|vertex| distance(vertex, point));
                let near = near.fold(f64::INFINITY, f64::min);
                assert!(near < tip.hypot(0.5 * petals.length_m), "{shape:?}: {near}");
            }
        }
    }

    /// The surfaces of the port lie where the contact model has them: nothing is drawn in front.
    #[test]
    fn ports_are_drawn_where_they_are_touched() {
        for (shape, front) in [
            (TargetShape::Plane, 0.0),
            (TargetShape::Cone, 0.0),
            (TargetShape::Ring, 0.01),
        ] {
            let scenario = scenario(|contact| contact.target.shape = shape);
            let (solid, glass, hull) = target_meshes(&scenario);
            let highest = |mesh: &Mesh| {
                let heights = mesh.vertices.iter().map(|vertex| vertex[2]);
                heights.fold(f64::NEG_INFINITY, f64::max)
            };
            let port = highest(&solid).max(highest(&glass));
            assert!((port - front).abs() < 1e-9, "{shape:?}: {port}");
            assert!(highest(&hull) < 0.0);
        }
    }
}
