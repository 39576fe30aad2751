//! A body of matrices as an assembly: nodes of an interface move rigidly with its frame.
//!
//! With the displacement d and turn θ of an interface whose frame stands at P, its nodes at X move by
//! d + θ × (X − P) and turn by θ; all others are free:
//!
//! ```text
//! q = Z z,   z = (d_1, θ_1, d_2, …, free entries of q),   M_z = Zᵀ M Z             (1)
//! ```
//!
//! Inertia that is not linear in the motion (centrifugal and Coriolis forces on shapes) is that of masses at
//! the nodes, the diagonal of M scaled to the whole mass; the linear part is that of M itself.

use super::{Assembly, Cloud, Station, unit};
use crate::error::Result;
use crate::parts::{MatrixBody, Pose};
use multibody::modal::SecondOrder;
use nalgebra::{DMatrix, Vector3};

/// Number of the beam of stations that belong to none.
pub(super) const NO_BEAM: usize = usize::MAX;

/// The entries of q that move together: coefficient rows of a node at `arm` from a frame.
fn carried(arm: &Vector3<f64>, axis: usize) -> ([f64; 3], [f64; 3]) {
    match axis {
        0..3 => (unit(axis).into(), [0.0; 3]),
        _ => {
            let turn = unit(axis - 3);
            (turn.cross(arm).into(), turn.into())
        }
    }
}

pub(super) fn assembly(body: &MatrixBody) -> Result<Assembly> {
    let matrices = &body.matrices;
    let (step, size) = (matrices.per_node, matrices.mass.nrows());
    let mut owner = vec![None; matrices.nodes.len()];
    for (number, interface) in matrices.interfaces.iter().enumerate() {
        for &node in &interface.nodes {
            owner[node] = Some(number);
        }
    }
    let held = 6 * matrices.interfaces.len();
    let free: Vec<usize> = (0..size).filter(|i| owner[i / step].is_none()).collect();
    let order = held + free.len();
    let mut z = DMatrix::zeros(size, order);
    for (node, owner) in owner.iter().enumerate() {
        let Some(owner) = owner else { continue };
        let arm = matrices.nodes[node] - matrices.interfaces[*owner].place;
        for axis in 0..6 {
            let (shift, turn) = carried(&arm, axis);
            for i in 0..3 {
                z[(step * node + i, 6 * owner + axis)] = shift[i];
                if step == 6 {
                    z[(step * node + 3 + i, 6 * owner + axis)] = turn[i];
                }
            }
        }
    }
    for (column, &row) in free.iter().enumerate() {
        z[(row, held + column)] = 1.0;
    }
    let damping = &matrices.damping + &matrices.stiffness * body.stiffness_damping;
    let full = SecondOrder {
        mass: matrices.mass.clone(),
        damping,
        stiffness: matrices.stiffness.clone(),
    };
    let system = full.transformed(&z); // (1)
    let free_hz = system.modal_basis().map_or_else(
        |_| Vec::new(),
        |basis| {
            let hertz = |w: &f64| w.max(0.0).sqrt() / std::f64::consts::TAU;
            basis.omega_squared.iter().map(hertz).collect()
        },
    );
    Ok(Assembly {
        basis: twists(body, &z, order),
        system,
        nodes: stations(body),
        free_hz,
        length: 1.0,
        rigid: Some(rigid(body, &free, held)),
        bare: None,
    })
}

/// Places of the stations against the frame, which stands in the first interface: interfaces, then nodes.
fn places(body: &MatrixBody) -> Vec<Vector3<f64>> {
    let matrices = &body.matrices;
    let origin = matrices.interfaces[0].place;
    let interfaces = matrices.interfaces.iter().map(|interface| interface.place);
    (interfaces.chain(matrices.nodes.iter().copied()))
        .map(|place| place - origin)
        .collect()
}

fn stations(body: &MatrixBody) -> Vec<(usize, usize, Pose, usize)> {
    let at = |(number, position): (usize, Vector3<f64>)| {
        let pose = Pose {
            position,
            ..Pose::identity()
        };
        (NO_BEAM, number, pose, 6 * number)
    };
    places(body).into_iter().enumerate().map(at).collect()
}

/// Displacements and turns of all stations per coordinate; nodes without turns of their own have none.
fn twists(body: &MatrixBody, z: &DMatrix<f64>, order: usize) -> DMatrix<f64> {
    let matrices = &body.matrices;
    let (step, interfaces) = (matrices.per_node, matrices.interfaces.len());
    let mut out = DMatrix::zeros(6 * (interfaces + matrices.nodes.len()), order);
    for i in 0..6 * interfaces {
        out[(i, i)] = 1.0;
    }
    for node in 0..matrices.nodes.len() {
        let from = z.rows(step * node, step);
        out.rows_mut(6 * (interfaces + node), step).copy_from(&from);
    }
    out
}

/// Coordinates of unit motions of the whole body about its frame.
fn rigid(body: &MatrixBody, free: &[usize], held: usize) -> DMatrix<f64> {
    let places = places(body);
    let (step, interfaces) = (body.matrices.per_node, body.matrices.interfaces.len());
    let mut out = DMatrix::zeros(held + free.len(), 6);
    for axis in 0..6 {
        for (number, place) in places.iter().take(interfaces).enumerate() {
            let (shift, turn) = carried(place, axis);
            for i in 0..3 {
                out[(6 * number + i, axis)] = shift[i];
                out[(6 * number + 3 + i, axis)] = turn[i];
            }
        }
        for (column, row) in free.iter().enumerate() {
            let (shift, turn) = carried(&places[interfaces + row / step], axis);
            let i = row % step;
            out[(held + column, axis)] = if i < 3 { shift[i] } else { turn[i - 3] };
        }
    }
    out
}

/// Moments of the masses at the nodes.
pub(super) fn cloud(body: &MatrixBody, stations: &[Station]) -> Cloud {
    let count = stations.first().map_or(0, |station| station.shift.ncols());
    let mut out = Cloud::new(count);
    let nodes = stations.iter().skip(body.matrices.interfaces.len());
    for (station, mass) in nodes.zip(body.matrices.lumped()) {
        out.add(mass, &station.pose.position, &station.shift);
    }
    out
}
