//! Assumed modes of a straight beam: k shapes per direction of bending, those of the bare beam clamped at its
//! first interface and free at its end; it does not stretch or twist.
//!
//! With V the shapes, Φ their displacements and turns (times the length) at the second interface, of rank ρ,
//! and C the constraint modes, the coordinates of the kernel are the displacement and turn u of that
//! interface and the shapes that do not move it:
//!
//! ```text
//! z = (V Φ⁺ + C (I − Φ Φ⁺)) u + V N ζ,   Φ N = 0,   Lᵀ u = 0,   L = complement of Φ     (1)
//! ```
//!
//! The sums Lᵀu are rows of the model, so that the body moves in the shapes V alone. Without a second
//! interface the coordinates are those of V.

use super::{Assembly, lifted};
use crate::parts::{BeamPart, Pose};
use multibody::modal::SecondOrder;
use nalgebra::{DMatrix, DVector};

/// Singular values below this share of the largest are zero.
const RANK: f64 = 1e-6;

/// Shapes of the second interface, further shapes, frequencies [Hz], and sums that vanish, eq. (1).
type Shapes = (DMatrix<f64>, DMatrix<f64>, Vec<f64>, Vec<[f64; 6]>);

pub(super) fn shapes<const N: usize, const D: usize>(
    assembly: &Assembly,
    beam: &BeamPart,
    (held, pose): (&DMatrix<f64>, Option<&Pose>),
    constraint_modes: &DMatrix<f64>,
    count: usize,
) -> Option<Shapes> {
    let (v, frequencies) = bending::<N, D>(assembly, count)?;
    let order = v.nrows();
    let Some(pose) = pose else {
        return Some((DMatrix::zeros(order, 0), v, frequencies, Vec::new()));
    };
    // Displacements and turns of the second interface in the axes of the frame, turns times the length.
    let length = beam.length;
    let twists = held.rows(N, N) * &v;
    let unit = |i: usize| if i < D { 1.0 } else { length };
    let mut phi = DMatrix::zeros(N, v.ncols());
    for k in 0..v.ncols() {
        let (shift, turn) = lifted::<N, D>(pose, |i| twists[(i, k)]);
        for i in 0..N {
            phi[(i, k)] = unit(i) * in_order::<D>(&shift, &turn, i);
        }
    }
    // Φ = U S Wᵀ with all columns of U and W, by way of the symmetric eigenproblems.
    let columns = (phi.clone() * phi.transpose()).symmetric_eigen();
    let rows = (phi.transpose() * &phi).symmetric_eigen();
    let largest = columns.eigenvalues.amax();
    let small = |value: f64| value <= RANK * RANK * largest;
    let pick = |vectors: &DMatrix<f64>, values: &DVector<f64>, zero: bool| {
        let chosen: Vec<usize> = (0..values.len())
            .filter(|&i| small(values[i]) == zero)
            .collect();
        vectors.select_columns(&chosen)
    };
    let complement = pick(&columns.eigenvectors, &columns.eigenvalues, true);
    let still = pick(&rows.eigenvectors, &rows.eigenvalues, true);
    let inverse = phi.clone().pseudo_inverse(RANK * largest.sqrt()).ok()?;
    let scale = DMatrix::from_diagonal(&DVector::from_fn(N, |i, _| unit(i)));
    let unscale = DMatrix::from_diagonal(&DVector::from_fn(N, |i, _| 1.0 / unit(i)));
    let rest = DMatrix::identity(N, N) - &phi * &inverse;
    let moved = &v * inverse * &scale + constraint_modes * unscale * rest * &scale; // (1)
    let locked = (complement.column_iter())
        .map(|column| core::array::from_fn(|i| if i < N { column[i] * unit(i) } else { 0.0 }))
        .collect();
    Some((moved, &v * still, frequencies, locked))
}

/// Entry i of a displacement and turn in the order of a twist.
fn in_order<const D: usize>(
    shift: &nalgebra::Vector3<f64>,
    turn: &nalgebra::Vector3<f64>,
    i: usize,
) -> f64 {
    match (i < D, D) {
        (true, _) => shift[i],
        (_, 2) => turn[2],
        _ => turn[i - D],
    }
}

/// Clamped-free modes of the bare beam, `count` per direction of bending, in the coordinates of the assembly.
fn bending<const N: usize, const D: usize>(
    assembly: &Assembly,
    count: usize,
) -> Option<(DMatrix<f64>, Vec<f64>)> {
    // A displacement and the turn that goes with it: e2 with e3, e3 with e2.
    let directions: &[[usize; 2]] = if D == 2 { &[[1, 2]] } else { &[[1, 5], [2, 4]] };
    let bare = assembly.bare.as_ref()?;
    let mut columns = Vec::new();
    let mut frequencies = Vec::new();
    for direction in directions {
        // Twists of this direction of all nodes but the first.
        let wanted: Vec<usize> = (assembly.nodes.iter().skip(1))
            .flat_map(|(.., row)| direction.map(|i| row + i))
            .collect();
        let mut twists = DMatrix::zeros(assembly.basis.nrows(), wanted.len());
        for (column, row) in wanted.iter().enumerate() {
            twists[(*row, column)] = 1.0;
        }
        // Coordinates of these twists: Z spans all of them.
        let solve = |right: &DMatrix<f64>| {
            let square = assembly.basis.tr_mul(&assembly.basis);
            square.lu().solve(&assembly.basis.tr_mul(right))
        };
        let z = solve(&twists)?;
        let system: SecondOrder = bare.transformed(&z);
        let basis = system.modal_basis().ok()?;
        let kept = basis.shapes.columns(0, count.min(basis.shapes.ncols()));
        let shapes = z * kept;
        columns.extend(shapes.column_iter().map(|column| column.into_owned()));
        let hertz = |w: &f64| w.max(0.0).sqrt() / std::f64::consts::TAU;
        frequencies.extend(basis.omega_squared.iter().take(count).map(hertz));
    }
    Some((DMatrix::from_columns(&columns), frequencies))
}
