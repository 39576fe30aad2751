//! Modes of a body as its joints hold it, for a reduction that is to answer the mechanism's own loads.
//!
//! Fixed-interface modes are those of a body that nothing moves at its interfaces; a body that swings on a
//! hinge with a free end needs many of them. Here the body's joints hold it against the rest of the
//! mechanism at rest; with the modes y of that, F the rigid motions with their frame and C the constraint
//! modes, the shapes kept are what these leave:
//!
//! ```text
//! Y = y − F r − C c,   r the motion of the frame, c that of the other interfaces against it     (1)
//! ```
//!
//! They vanish at the interfaces, so they are combinations of fixed-interface modes. Kept are those that
//! gravity deflects most, |yᵀ f| / ω, a small share of it also in the other directions, into which the body
//! will turn; without gravity those that forces at the interfaces deflect most.
//!
//! Source: modes under the boundary conditions of the assembly, Benfield & Hruda 1971 (`benfield1971`).

use super::{Assembly, beam_pose, lifted, members, rigid_fields};
use crate::build;
use crate::error::{MechanismError, Result};
use crate::parts::{Description, Host, JointPart, JointPartKind, Pose, ReducedPart, Spot};
use crate::space::Space;
use multibody::modal::{self, SecondOrder};
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// Square of a frequency that counts as zero, against the largest.
const RIGID: f64 = 1e-12;
/// Share of gravity that counts in the directions across it: what a body meets that turns by a hundredth.
const ACROSS: f64 = 0.02;
/// Share of a shape's energy that must be independent of those before.
const INDEPENDENT: f64 = 1e-8;

/// The joints between the body and the rest, with the rest at rest.
fn mounts(description: &Description, part: &ReducedPart) -> Vec<JointPart> {
    let own = |spot: &Spot| match spot.host {
        Host::Beam(beam, node) => {
            let place = part.beams.iter().position(|&member| member == beam)?;
            let pose = beam_pose(&description.beams[beam], node, false).compose(&spot.pose);
            Some((Host::Beam(place, node), pose))
        }
        _ => None,
    };
    let mut out = Vec::new();
    for joint in &description.joints {
        let there = joint.presence.closes.is_none() && joint.presence.closes_when.is_none();
        if !there || !matches!(joint.kind, JointPartKind::Plain(_)) {
            continue;
        }
        let [a, b] = joint.spots.each_ref().map(own);
        let (side, (host, pose)) = match (a, b) {
            (Some(found), None) => (0, found),
            (None, Some(found)) => (1, found),
            _ => continue,
        };
        let mut mount = joint.clone();
        mount.spots[side].host = host;
        mount.spots[1 - side] = Spot {
            host: Host::Ground,
            pose,
        };
        out.push(mount);
    }
    out
}

/// Modes of the body as it is held, as coordinates of the free assembly, with the squares of their
/// frequencies.
fn held_modes<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
    part: &ReducedPart,
    assembly: &Assembly,
) -> Result<(DMatrix<f64>, Vec<f64>)> {
    let mut alone = members(description, part);
    alone.joints.extend(mounts(description, part));
    let active = vec![true; alone.joints.len()];
    let built: build::Built<G, N, D> = build::build(&alone, &active, &[])?;
    let state = State::new(&built.model);
    let mut workspace = Workspace::new(&built.model);
    let failed = MechanismError::computing("modes of a reduced body as its joints hold it");
    let reduction = modal::reduce(&built.model, &state, &mut workspace).map_err(&failed)?;
    let basis = reduction.system.modal_basis().map_err(&failed)?;
    let mut twists = &reduction.basis * &basis.shapes;
    let rows = assembly.basis.nrows();
    for (row, mut values) in twists.row_iter_mut().enumerate() {
        // Z is orthonormal with turns multiplied by the length.
        if row % N >= D {
            values *= assembly.length.powi(2);
        }
    }
    let shapes = assembly.basis.tr_mul(&twists.rows(0, rows));
    Ok((shapes, basis.omega_squared.iter().copied().collect()))
}

/// The shapes (1) and the frequencies of a body that moves in them alone [Hz].
pub(super) fn modes<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
    part: &ReducedPart,
    assembly: &Assembly,
    places: &[(Pose, usize)],
    (held, constraint_modes): (&DMatrix<f64>, &DMatrix<f64>),
) -> Result<Option<(DMatrix<f64>, Vec<f64>)>> {
    let (shapes, squares) = held_modes::<G, N, D>(description, part, assembly)?;
    let fields = rigid_fields::<N, D>(assembly);
    let loads = loads(description, part, assembly, (held, &fields));
    let highest = squares.iter().fold(0.0_f64, |most, w| most.max(*w));
    let mut order: Vec<usize> = (0..squares.len())
        .filter(|&i| squares[i] > RIGID * highest)
        .collect();
    let shares = shapes.tr_mul(&loads);
    let weight = |i: usize| shares.row(i).norm_squared() / squares[i].max(RIGID * highest);
    order.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
    let stiffness = &assembly.system.stiffness;
    let mut kept: Vec<DVector<f64>> = Vec::new();
    for i in order {
        if kept.len() == part.modes {
            break;
        }
        let own = shapes.column(i);
        let mut left = own
            - motion_of_interfaces::<N, D>(
                &own.into_owned(),
                places,
                (held, &fields, constraint_modes),
            );
        let energy = (stiffness * own).dot(&own);
        for other in &kept {
            let share = (stiffness * other).dot(&left);
            left -= other * share;
        }
        let rest = (stiffness * &left).dot(&left);
        if rest > INDEPENDENT * energy {
            kept.push(left / rest.sqrt());
        }
    }
    if kept.len() < part.modes {
        return Ok(None);
    }
    let count = kept.len();
    let basis = DMatrix::from_fn(shapes.nrows(), count, |i, k| kept[k][i]);
    let system: SecondOrder = assembly.system.transformed(&basis);
    let Ok(own) = system.modal_basis() else {
        return Ok(None);
    };
    let hertz = |w: &f64| w.max(0.0).sqrt() / std::f64::consts::TAU;
    Ok(Some((
        basis * &own.shapes,
        own.omega_squared.iter().map(hertz).collect(),
    )))
}

/// Gravity, along it and a share of it across, or unit forces and moments at the interfaces.
fn loads(
    description: &Description,
    part: &ReducedPart,
    assembly: &Assembly,
    (held, fields): (&DMatrix<f64>, &DMatrix<f64>),
) -> DMatrix<f64> {
    let (beam, node) = part.interfaces[0];
    let frame = beam_pose(&description.beams[beam], node, false);
    let gravity = frame.rotation.tr_mul(&Vector3::from(description.gravity));
    if gravity.norm() == 0.0 {
        return held.transpose();
    }
    let along = gravity.normalize() * gravity.normalize().transpose();
    let directions = along + (Matrix3::identity() - along) * ACROSS;
    let falling = DMatrix::from_fn(3, 3, |i, j| directions[(i, j)]);
    &assembly.system.mass * (fields.columns(0, 3) * falling)
}

/// F r + C c of eq. (1).
fn motion_of_interfaces<const N: usize, const D: usize>(
    shape: &DVector<f64>,
    places: &[(Pose, usize)],
    (held, fields, constraint_modes): (&DMatrix<f64>, &DMatrix<f64>, &DMatrix<f64>),
) -> DVector<f64> {
    let twists = held * shape;
    let (shift, turn) = lifted::<N, D>(&places[0].0, |i| twists[i]);
    let rigid = DVector::from_fn(6, |i, _| if i < 3 { shift[i] } else { turn[i - 3] });
    let mut sum = fields * rigid;
    let carried = held * &sum;
    for number in 1..places.len() {
        let pose = &places[number].0;
        let own = lifted::<N, D>(pose, |i| twists[N * number + i] - carried[N * number + i]);
        for i in 0..N {
            let value = match (i < D, D) {
                (true, _) => own.0[i],
                (false, 2) => own.1[2],
                (false, _) => own.1[i - D],
            };
            sum += constraint_modes.column(N * (number - 1) + i) * value;
        }
    }
    sum
}
