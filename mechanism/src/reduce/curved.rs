//! Fields of second order of a beam assembly, for the geometric stiffness of a reduced body.
//!
//! The strains of the beams stay linear in the coordinates ζ, so that the elastic energy is that of the full
//! beams; the places that follow from these strains are carried to second order. Along a tree of beams from
//! the moving frame, with H = H_0 exp(ε ν + ε² μ / 2) at every node and the relative pose
//! E exp(ε a + ε² b / 2) from node to node, to first and second order
//!
//! ```text
//! ν_B = Ad(E)⁻¹ ν_A + a                                                              (1)
//! μ_B = Ad(E)⁻¹ μ_A + b + [Ad(E)⁻¹ ν_A, a]                                           (2)
//! exp(d_0 + ε δ) = E exp(ε a + ε² b / 2)                                             (3)
//! u = R_0 (ε ν_v + ½ ε² (μ_v + ν_ω × ν_v)),   θ = R_0 (ε ν_ω + ½ ε² μ_ω)             (4)
//! ```
//!
//! δ is the strain of the element. The terms of second order are Θ(ζ, ζ) / 2 with a symmetric bilinear Θ.
//! On deformations y of unit elastic energy the fields that carry most of Θ are found by a singular value
//! decomposition, weighted by mass, the interfaces by all of it:
//!
//! ```text
//! Θ(ζ, ζ) / 2 ≈ Σ_p θ_p s_p,   s_p = ½ ζᵀ H_p ζ                                      (5)
//! ```
//!
//! Coordinates of interfaces are their displacements, whatever moves them. With c_p the part of θ_p there
//! and φ_i their constraint modes, the strains are those of ξ and the fields those that leave interfaces
//! where they are:
//!
//! ```text
//! ξ = ζ − Σ_p c_p s_p,   θ_p − Σ_i c_pi φ_i,   U = ½ ξᵀ K ξ                          (6)
//! ```
//!
//! Beams with closed loops between them, and bodies of matrices, have no such fields: their geometric
//! stiffness is left out.

use super::{Station, lifted};
use crate::parts::{Description, Host, Pose, ReducedPart};
use multibody::group::{Group, Se3};
use nalgebra::{Cholesky, DMatrix, DVector, Matrix6, SymmetricEigen, Vector3, Vector6};

/// Motions of a station, one for each field or pair of fields.
type Motions = Vec<Vector6<f64>>;

/// Deformations whose terms of second order are looked at: the softest.
const MOST_DEFORMATIONS: usize = 30;
/// Fields kept.
const MOST_FIELDS: usize = 8;
/// Fields below this share of the largest are left out.
const SMALLEST: f64 = 1e-3;

/// Fields of second order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curved {
    /// H_p of eq. (5).
    pub quadratic: Vec<DMatrix<f64>>,
    /// −c_p of eq. (6), m × n.
    pub coupling: DMatrix<f64>,
    /// Displacement and turn of every station per field, eq. (6), 3 × n.
    pub moved: Vec<[DMatrix<f64>; 2]>,
}

/// The fields of an assembly with the linear shapes of `stations`, M and K on their coordinates; `interfaces`
/// are the stations of interfaces, the first of which is the frame. None if they are not defined.
pub(super) fn fields<const N: usize, const D: usize>(
    description: &Description,
    part: &ReducedPart,
    stations: &[Station],
    (mass, stiffness): (&DMatrix<f64>, &DMatrix<f64>),
) -> Option<Curved> {
    let at = |&(beam, node): &(usize, usize)| {
        (stations.iter()).position(|station| (station.beam, station.node) == (beam, node))
    };
    let interfaces: Vec<usize> = part.interfaces.iter().map(at).collect::<Option<_>>()?;
    let order = tree(description, part, stations, *interfaces.first()?)?;
    let soft = Soft::new(mass, stiffness)?;
    let first: Vec<Vec<Vector6<f64>>> = (stations.iter())
        .map(|station| twists(station, &soft.shapes))
        .collect();
    let second = second_order(stations, &order, &first);
    let weights = weights(description, part, stations, &interfaces);
    let (quadratic, parts) = soft.compressed(&second, &weights);
    let mut moved: Vec<[DMatrix<f64>; 2]> = second
        .iter()
        .map(|field| field.each_ref().map(|pairs| pairs * &parts))
        .collect();
    let count = stiffness.nrows();
    let mut coupling = DMatrix::zeros(count, quadratic.len());
    for (number, &interface) in interfaces.iter().enumerate().skip(1) {
        let [shift, turn] = &moved[interface];
        for i in 0..N {
            let row = match (i < D, D) {
                (true, _) => shift.row(i),
                (false, 2) => turn.row(2),
                (false, _) => turn.row(i - D),
            };
            coupling.row_mut(N * (number - 1) + i).copy_from(&(-row)); // (6)
        }
    }
    for (station, [shift, turn]) in stations.iter().zip(&mut moved) {
        *shift += &station.shift * &coupling;
        *turn += &station.turn * &coupling;
    }
    Some(Curved {
        quadratic,
        coupling,
        moved,
    })
}

/// Twists of a station in its own axes per deformation.
fn twists(station: &Station, shapes: &DMatrix<f64>) -> Vec<Vector6<f64>> {
    let back = station.pose.rotation.transpose();
    let (shift, turn) = (
        back * &station.shift * shapes,
        back * &station.turn * shapes,
    );
    (0..shapes.ncols())
        .map(|k| {
            Vector6::from_fn(|i, _| {
                if i < 3 {
                    shift[(i, k)]
                } else {
                    turn[(i - 3, k)]
                }
            })
        })
        .collect()
}

/// Steps from station to station, the root first: (from, to). None if there are loops, or parts apart.
fn tree(
    description: &Description,
    part: &ReducedPart,
    stations: &[Station],
    root: usize,
) -> Option<Vec<(usize, usize)>> {
    let mut links: Vec<[usize; 2]> = (1..stations.len())
        .filter(|&i| stations[i].beam == stations[i - 1].beam)
        .map(|i| [i - 1, i])
        .collect();
    for &joint in &part.joints {
        let ends = description.joints[joint].spots.map(|spot| match spot.host {
            Host::Beam(beam, node) => {
                (stations.iter()).position(|s| (s.beam, s.node) == (beam, node))
            }
            _ => None,
        });
        let [Some(a), Some(b)] = ends else {
            return None;
        };
        links.push([a, b]);
    }
    if links.len() + 1 != stations.len() {
        return None;
    }
    let mut neighbours = vec![Vec::new(); stations.len()];
    for [a, b] in links {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let (mut steps, mut known, mut next) = (Vec::new(), vec![false; stations.len()], vec![root]);
    known[root] = true;
    while let Some(from) = next.pop() {
        for &to in &neighbours[from] {
            if !known[to] {
                known[to] = true;
                steps.push((from, to));
                next.push(to);
            }
        }
    }
    (steps.len() + 1 == stations.len()).then_some(steps)
}

fn group(pose: &Pose) -> Se3 {
    Se3::from_parts(pose.position, pose.rotation)
}

/// Pairs (k, l) of deformations, k ≤ l, in the order of columns.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |k| (k..count).map(move |l| (k, l)))
}

/// Displacements and turns of second order of every station, 3 × pairs: Θ of y_k y_l, with √2 for k ≠ l so
/// that the squares of the factors add up.
fn second_order(
    stations: &[Station],
    steps: &[(usize, usize)],
    first: &[Vec<Vector6<f64>>],
) -> Vec<[DMatrix<f64>; 2]> {
    let count = first.first().map_or(0, Vec::len);
    let pair_count = count * (count + 1) / 2;
    let mut mu: Vec<Vec<Vector6<f64>>> = vec![Vec::new(); stations.len()];
    if let Some(&(root, _)) = steps.first() {
        mu[root] = vec![Vector6::zeros(); pair_count];
    }
    for &(from, to) in steps {
        let between = group(&stations[from].pose).between(&group(&stations[to].pose));
        let back = between.adjoint_inverse();
        let carried: Vec<Vector6<f64>> = first[from].iter().map(|nu| back * nu).collect();
        let own: Vec<Vector6<f64>> = (first[to].iter().zip(&carried))
            .map(|(nu, carried)| nu - carried) // (1)
            .collect();
        let brackets: Vec<Matrix6<f64>> = carried.iter().map(Se3::ad).collect();
        let bend = Bend::new(&between);
        let strains: Vec<Vector6<f64>> = own.iter().map(|a| bend.strain(a)).collect();
        mu[to] = pairs(count)
            .zip(&mu[from])
            .map(|((k, l), before)| {
                let bracket = (brackets[k] * own[l] + brackets[l] * own[k]) * 0.5;
                back * before + bend.second(&strains[k], &strains[l]) + bracket // (2)
            })
            .collect();
    }
    let lift = |(station, (first, mu)): (&Station, (&Motions, &Motions))| {
        let mut out = [0; 2].map(|_| DMatrix::zeros(3, pair_count));
        for (column, ((k, l), mu)) in pairs(count).zip(mu).enumerate() {
            let split = |v: &Vector6<f64>| -> [Vector3<f64>; 2] {
                [v.fixed_rows::<3>(0).into(), v.fixed_rows::<3>(3).into()]
            };
            let ([u_k, w_k], [u_l, w_l], [u, w]) = (split(&first[k]), split(&first[l]), split(mu));
            let share = if k == l {
                1.0
            } else {
                core::f64::consts::SQRT_2
            };
            let shift = u + (w_k.cross(&u_l) + w_l.cross(&u_k)) * 0.5; // (4)
            let (shift, turn) = lifted::<6, 3>(&station.pose, |i| {
                if i < 3 {
                    shift[i] * share
                } else {
                    w[i - 3] * share
                }
            });
            out[0].set_column(column, &shift);
            out[1].set_column(column, &turn);
        }
        out
    };
    (stations.iter())
        .zip(first.iter().zip(&mu))
        .map(lift)
        .collect()
}

/// The exponential about an element's undeformed state to second order, eq. (3).
struct Bend {
    /// a → δ.
    strain: Matrix6<f64>,
    /// b of two unit strains i and j, row by row; none for a rigid link.
    second: Option<Box<[[Vector6<f64>; 6]; 6]>>,
}

impl Bend {
    fn new(between: &Se3) -> Self {
        let undeformed = between.log().unwrap_or_else(|_| Vector6::zeros());
        let length = undeformed.fixed_rows::<3>(0).norm();
        let strain = Se3::tangent_inverse(&undeformed);
        if length == 0.0 {
            return Self {
                strain,
                second: None,
            };
        }
        // Central differences: smooth functions of order one in these units, so that 1e-3 leaves 1e-6 of
        // truncation and 1e-10 of rounding.
        let step = |i: usize| if i < 3 { 1e-3 * length } else { 1e-3 };
        let start = Se3::exp(&undeformed);
        let at = |i: usize, by_i: f64, j: usize, by_j: f64| {
            let mut changed = undeformed;
            changed[i] += by_i * step(i);
            changed[j] += by_j * step(j);
            let moved = start.between(&Se3::exp(&changed)).log();
            moved.unwrap_or_else(|_| Vector6::zeros())
        };
        let second = core::array::from_fn(|i| {
            core::array::from_fn(|j| {
                let sum = at(i, 1.0, j, 1.0) - at(i, 1.0, j, -1.0) - at(i, -1.0, j, 1.0)
                    + at(i, -1.0, j, -1.0);
                sum / (4.0 * step(i) * step(j))
            })
        });
        Self {
            strain,
            second: Some(Box::new(second)),
        }
    }

    fn strain(&self, a: &Vector6<f64>) -> Vector6<f64> {
        self.strain * a
    }

    fn second(&self, first: &Vector6<f64>, other: &Vector6<f64>) -> Vector6<f64> {
        let mut sum = Vector6::zeros();
        if let Some(second) = &self.second {
            for (i, row) in second.iter().enumerate() {
                for (j, b) in row.iter().enumerate() {
                    let weight = first[i] * other[j];
                    if weight != 0.0 {
                        sum += b * weight;
                    }
                }
            }
        }
        sum
    }
}

/// Square roots of what displacement and turn of a station count for.
fn weights(
    description: &Description,
    part: &ReducedPart,
    stations: &[Station],
    interfaces: &[usize],
) -> Vec<[f64; 2]> {
    let mut out = vec![[0.0, 0.0]; stations.len()];
    let mut whole = 0.0;
    for i in 1..stations.len() {
        if stations[i].beam == stations[i - 1].beam {
            let beam = &description.beams[stations[i].beam];
            let half = 0.5 * beam.section.mass * beam.length / beam.elements as f64;
            out[i][0] += half;
            out[i - 1][0] += half;
            whole += 2.0 * half;
        }
    }
    for &mass in &part.masses {
        let mass = &description.masses[mass];
        if let Host::Beam(beam, node) = mass.spot.host
            && let Some(i) = (stations.iter()).position(|s| (s.beam, s.node) == (beam, node))
        {
            out[i][0] += mass.mass;
            whole += mass.mass;
        }
    }
    // A turn of an interface counts as its displacement at the distance of the frame.
    for &i in &interfaces[1..] {
        let arm = stations[i].pose.position.norm_squared();
        out[i][0] += whole;
        out[i][1] += whole * arm;
    }
    for pair in &mut out {
        *pair = pair.map(f64::sqrt);
    }
    out
}

/// Soft deformations of unit elastic energy.
struct Soft {
    /// ζ of unit y, m × r.
    shapes: DMatrix<f64>,
    /// y of ζ, r × m.
    back: DMatrix<f64>,
}

impl Soft {
    fn new(mass: &DMatrix<f64>, stiffness: &DMatrix<f64>) -> Option<Self> {
        let lower = Cholesky::new(stiffness.clone())?.l();
        // M in coordinates of unit energy: its largest eigenvalues belong to the lowest frequencies.
        let left = lower.solve_lower_triangular(mass)?;
        let mut inner = lower.solve_lower_triangular(&left.transpose())?;
        multibody::modal::symmetrize(&mut inner);
        let eigen = SymmetricEigen::new(inner);
        let mut order: Vec<usize> = (0..mass.nrows()).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        order.truncate(MOST_DEFORMATIONS);
        let vectors = eigen.eigenvectors.select_columns(&order);
        Some(Self {
            shapes: lower.transpose().solve_upper_triangular(&vectors)?,
            back: (&lower * vectors).transpose(),
        })
    }

    /// H_p on ζ, and the factors of the pairs in every field, pairs × n.
    fn compressed(
        &self,
        second: &[[DMatrix<f64>; 2]],
        weights: &[[f64; 2]],
    ) -> (Vec<DMatrix<f64>>, DMatrix<f64>) {
        let pair_count = second.first().map_or(0, |field| field[0].ncols());
        let kept = weights
            .iter()
            .map(|w| w.iter().filter(|w| **w > 0.0).count());
        let mut weighted = DMatrix::zeros(3 * kept.sum::<usize>(), pair_count);
        let mut row = 0;
        for (field, weights) in second.iter().zip(weights) {
            for (matrix, &weight) in field.iter().zip(weights) {
                if weight > 0.0 {
                    (weighted.rows_mut(row, 3)).copy_from(&(matrix * weight));
                    row += 3;
                }
            }
        }
        // W = U S Vᵀ by way of W Wᵀ; fields below SMALLEST² ≈ 1e-6 of the largest square are not wanted.
        let eigen = SymmetricEigen::new(&weighted * weighted.transpose());
        let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        let largest = order.first().map_or(0.0, |&i| eigen.eigenvalues[i]);
        order.retain(|&i| eigen.eigenvalues[i] > SMALLEST * SMALLEST * largest);
        order.truncate(MOST_FIELDS);
        let count = self.shapes.ncols();
        let mut parts = DMatrix::zeros(pair_count, order.len());
        let mut quadratic = Vec::new();
        for (p, &i) in order.iter().enumerate() {
            let factors: DVector<f64> =
                weighted.tr_mul(&eigen.eigenvectors.column(i)) / eigen.eigenvalues[i].sqrt();
            let mut h = DMatrix::zeros(count, count);
            for (column, (k, l)) in pairs(count).enumerate() {
                // The columns are Θ_kk and √2 Θ_kl, so the monomials are y_k² and √2 y_k y_l.
                let share = if k == l {
                    1.0
                } else {
                    core::f64::consts::FRAC_1_SQRT_2
                };
                (h[(k, l)], h[(l, k)]) = (share * factors[column], share * factors[column]);
            }
            quadratic.push(self.back.tr_mul(&h) * &self.back);
            parts.set_column(p, &factors);
        }
        (quadratic, parts)
    }
}
