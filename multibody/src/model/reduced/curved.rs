//! Fields of second order: what bending moves along the body, such as the foreshortening of a bent beam.
//!
//! With the coordinates ζ (m of them) and symmetric matrices H_p, all fields of the body have the factors
//!
//! ```text
//! z = (ζ, s),   s_p = ½ ζᵀ H_p ζ                                                     (1)
//! ż = (η, ζᵀ H_p η),   z̈ = (η̇, ζᵀ H_p η̇ + ηᵀ H_p η)                                  (2)
//! ```
//!
//! so displacements, velocities and energies are those of the body of m + n shapes (`super`), and with
//! J = ∂z/∂ζ the forces and their derivatives
//!
//! ```text
//! f_ζ = Jᵀ f_z,   δf_ζ = Jᵀ δf_z + Σ_p f_{s,p} H_p δζ                                (3)
//! δż = J δη + (0, ηᵀ H_p δζ),   δz̈ = J δη̇ + (0, 2 ηᵀ H_p δη + η̇ᵀ H_p δζ)             (4)
//! ```
//!
//! f_{s,p} H_p is the geometric stiffness: gravity, inertia forces and the elastic forces of interfaces,
//! dual to the field p, stiffen or soften the shapes that bend the body. Everything follows from one
//! configuration, so energy and momentum are conserved exactly.
//!
//! Source: quadratic manifolds, Jain, Tiso, Rutzmoser & Rixen 2017 (`jain2017`); the fields are those of
//! kinematics instead of their static derivatives of modes.

use super::{Columns, RIGID, ShapeMotion, Shapes, add_multiple, dot};
use crate::element::inertia::Weights;
use nalgebra::{DMatrix, Matrix3};

/// Scratch memory of the fields of second order.
#[derive(Debug, Clone, Default)]
pub(crate) struct CurvedScratch {
    /// Derivatives by all fields, eq. (3).
    pub by: [DMatrix<f64>; 2],
    /// ζᵀ H_p, ηᵀ H_p and η̇ᵀ H_p, n × m.
    slopes: [DMatrix<f64>; 3],
    /// ∂f/∂ṡ and ∂f/∂s̈, (6 + m + n) × n.
    columns: [DMatrix<f64>; 2],
    /// A column on all fields.
    column: Vec<f64>,
}

impl CurvedScratch {
    /// Makes room for a body.
    pub fn fit(&mut self, shapes: &Shapes) {
        let (m, n, order) = (
            shapes.count(),
            shapes.quadratic.len(),
            RIGID + shapes.fields(),
        );
        if n == 0 || (self.columns[0].shape(), self.slopes[0].ncols()) == ((order, n), m) {
            return;
        }
        self.by = [0; 2].map(|_| DMatrix::zeros(order, order));
        self.slopes = [0; 3].map(|_| DMatrix::zeros(n, m));
        self.columns = [0; 2].map(|_| DMatrix::zeros(order, n));
        self.column.resize(order, 0.0);
    }
}

impl Shapes {
    /// Column `k` of H_p.
    fn bend(&self, p: usize, k: usize) -> &[f64] {
        let m = self.count();
        &self.quadratic[p].as_slice()[k * m..(k + 1) * m]
    }

    /// Factors of the fields of second order with their first two derivatives behind those of the first m,
    /// eqs. (1) and (2).
    pub(crate) fn extend(&self, zeta: &mut [f64], eta: &mut [f64], eta_rate: &mut [f64]) {
        let m = self.count();
        for p in 0..self.quadratic.len() {
            let (mut s, mut rate, mut change) = (0.0, 0.0, 0.0);
            for k in 0..m {
                let column = self.bend(p, k);
                let (place, speed) = (dot(column, zeta), dot(column, eta));
                s += 0.5 * place * zeta[k];
                rate += place * eta[k];
                change += place * eta_rate[k] + speed * eta[k];
            }
            (zeta[m + p], eta[m + p], eta_rate[m + p]) = (s, rate, change);
        }
    }

    /// Jᵀ f of eq. (3): adds the forces on the fields of second order to those on the coordinates.
    pub(crate) fn contract(&self, zeta: &[f64], forces: &mut [f64]) {
        let m = self.count();
        for p in 0..self.quadratic.len() {
            let force = forces[RIGID + m + p];
            for k in 0..m {
                forces[RIGID + k] += dot(self.bend(p, k), zeta) * force;
            }
        }
    }

    /// Derivatives (3) and (4) on (v, ω, ζ) from those on all fields in `scratch.by`; `forces` are those
    /// on all fields, `rows` as [`Shapes::forces`] left it.
    pub(crate) fn contract_tangents(
        &self,
        at: &ShapeMotion<'_>,
        (weights, dynamic): (&Weights, bool),
        (rows, forces): (&[f64], &[f64]),
        scratch: &mut CurvedScratch,
        [place, motion]: [&mut DMatrix<f64>; 2],
    ) {
        let m = self.count();
        let lists = [at.zeta, at.eta, at.eta_rate];
        for (slopes, list) in scratch.slopes.iter_mut().zip(lists) {
            for p in 0..self.quadratic.len() {
                for k in 0..m {
                    slopes[(p, k)] = dot(self.bend(p, k), list);
                }
            }
        }
        if dynamic {
            self.second_columns(at, rows, &mut scratch.columns);
        }
        let CurvedScratch {
            by: wide,
            slopes: [slopes, rates, changes],
            columns: [by_rate, by_change],
            column,
        } = scratch;
        for j in 0..RIGID + m {
            for (which, out) in [&mut *place, &mut *motion].into_iter().enumerate() {
                column.copy_from_slice(slice(&wide[which], j));
                for p in 0..self.quadratic.len() {
                    let Some(k) = j.checked_sub(RIGID) else {
                        continue;
                    };
                    let second = slice(&wide[which], RIGID + m + p);
                    add_multiple(column, slopes[(p, k)], second);
                    if !dynamic {
                        continue;
                    }
                    let (rate, change) = (rates[(p, k)], changes[(p, k)]);
                    if which == 0 {
                        add_multiple(column, weights.stiffness * rate, slice(by_rate, p)); // (4)
                        add_multiple(column, weights.stiffness * change, slice(by_change, p));
                    } else {
                        add_multiple(column, 2.0 * weights.damping * rate, slice(by_change, p));
                    }
                }
                let (own, second) = column.split_at(RIGID + m);
                let order = out.nrows();
                let target = &mut out.as_mut_slice()[j * order..(j + 1) * order];
                target.copy_from_slice(own);
                for (i, entry) in target[RIGID..].iter_mut().enumerate() {
                    *entry += dot(slice(slopes, i), second); // (3)
                }
            }
        }
        let order = place.nrows();
        for p in 0..self.quadratic.len() {
            let weight = weights.stiffness * forces[RIGID + m + p];
            for k in 0..m {
                let first = (RIGID + k) * order + RIGID;
                let target = &mut place.as_mut_slice()[first..first + m];
                add_multiple(target, weight, self.bend(p, k)); // (3)
            }
        }
    }

    /// ∂f/∂ṡ and ∂f/∂s̈.
    fn second_columns(&self, at: &ShapeMotion<'_>, rows: &[f64], out: &mut [DMatrix<f64>; 2]) {
        let m = self.count();
        let columns = Columns::new(self, at, rows);
        let rate = at.omega.cross_matrix() * 2.0;
        for (which, d) in [rate, Matrix3::identity()].iter().enumerate() {
            out[which].fill(0.0);
            for p in 0..self.quadratic.len() {
                columns.shape_rigid(d, m + p, &mut out[which], p);
                let rows = out[which].nrows();
                let column = &mut out[which].as_mut_slice()[p * rows..(p + 1) * rows];
                for a in (0..3).filter(|a| self.live[3 * (m + p) + a]) {
                    let moved = self.column(4 + 3 * (m + p) + a)[4..].chunks_exact(3);
                    for (sum, at) in column[RIGID..].iter_mut().zip(moved) {
                        *sum += d[(0, a)] * at[0] + d[(1, a)] * at[1] + d[(2, a)] * at[2];
                    }
                }
                if which == 0 {
                    add_multiple(&mut column[RIGID..], 1.0, slice(&self.damping, m + p));
                } else {
                    add_multiple(column, 1.0, slice(&self.rest_mass, RIGID + m + p));
                }
            }
        }
    }
}

/// A column of a matrix.
fn slice(matrix: &DMatrix<f64>, column: usize) -> &[f64] {
    let rows = matrix.nrows();
    &matrix.as_slice()[column * rows..(column + 1) * rows]
}

#[cfg(test)]
mod tests {
    use super::super::tests::{body, evaluate, motion};
    use super::*;
    use nalgebra::Vector3;

    /// Coordinates and fields of second order of the bodies here.
    const M: usize = 4;
    const N: usize = 2;

    fn curved_body() -> Shapes {
        let quadratic = (0..N).map(|p| {
            DMatrix::from_fn(M, M, |k, l| {
                0.7 * ((k + l + 3 * p) as f64 + 0.3 * (k * l) as f64).sin()
            })
        });
        body(M + N).with_quadratic(quadratic.collect())
    }

    /// The three lists, 6 + m each, with the fields of second order behind.
    fn extended(shapes: &Shapes, lists: &[Vec<f64>; 3]) -> [Vec<f64>; 3] {
        let mut out = lists.clone();
        for list in &mut out {
            list.resize(RIGID + M + N, 0.0);
        }
        let [x, w, a] = &mut out;
        shapes.extend(&mut x[RIGID..], &mut w[RIGID..], &mut a[RIGID..]);
        out
    }

    /// Forces on (v, ω, ζ), then on the fields of second order.
    fn forces(shapes: &Shapes, lists: &[Vec<f64>; 3], rows: &mut [f64]) -> Vec<f64> {
        let [x, w, a] = extended(shapes, lists);
        let mut out = vec![0.0; RIGID + M + N];
        evaluate(&x, &w, &a, &mut |at| {
            shapes.forces(at, true, rows, &mut out);
            shapes.contract(at.zeta, &mut out);
        });
        out
    }

    #[test]
    fn tangents_with_fields_of_second_order_equal_finite_differences() {
        let shapes = curved_body();
        let lists = motion(M);
        let mut rows = vec![0.0; shapes.scratch()];
        let mut scratch = CurvedScratch::default();
        scratch.fit(&shapes);
        let order = RIGID + M;
        let mut by = [0; 2].map(|_| DMatrix::zeros(order, order));
        let h = 1e-6;
        for which in 0..3 {
            let weight = |index: usize| f64::from(u8::from(index == which));
            let weights = Weights {
                stiffness: weight(0),
                damping: weight(1),
                inertia: weight(2),
            };
            let own = forces(&shapes, &lists, &mut rows);
            let [x, w, a] = extended(&shapes, &lists);
            evaluate(&x, &w, &a, &mut |at| {
                let [place, motion] = &mut scratch.by;
                shapes.tangents(at, &weights, true, &rows, [place, motion]);
                let [place, motion] = &mut by;
                let known = (rows.as_slice(), own.as_slice());
                shapes.contract_tangents(
                    at,
                    (&weights, true),
                    known,
                    &mut scratch,
                    [place, motion],
                );
            });
            let exact = &by[usize::from(which > 0)];
            for j in if which == 0 { 3 } else { 0 }..order {
                let mut scrap = vec![0.0; shapes.scratch()];
                let mut shifted = |by: f64| {
                    let mut lists = lists.clone();
                    lists[which][j] += by;
                    forces(&shapes, &lists, &mut scrap)
                };
                let (plus, minus) = (shifted(h), shifted(-h));
                for i in 0..order {
                    let difference = (plus[i] - minus[i]) / (2.0 * h);
                    let error = (exact[(i, j)] - difference).abs();
                    assert!(
                        error < 1e-6,
                        "{which} ({i}, {j}): {} {difference}",
                        exact[(i, j)]
                    );
                }
            }
        }
    }

    /// The work of all forces is the change of the energies, the geometric stiffness included.
    #[test]
    fn fields_of_second_order_conserve_energy() {
        let mut shapes = curved_body();
        shapes.damping.fill(0.0);
        // ΔM couples rigid motions and shapes of a body at rest only.
        shapes.rest_mass.fill(0.0);
        let lists = motion(M);
        let [x, w, a] = &lists;
        let energy = |t: f64| {
            let ahead = |x: &[f64], w: &[f64]| -> Vec<f64> {
                x.iter().zip(w).map(|(x, w)| x + t * w).collect()
            };
            let [x, w, a] = extended(&shapes, &[ahead(x, w), ahead(w, a), a.clone()]);
            let mut out = 0.0;
            evaluate(&x, &w, &a, &mut |at| {
                out = shapes.kinetic_energy(at) + shapes.strain_energy(at.zeta);
            });
            out
        };
        let mut rows = vec![0.0; shapes.scratch()];
        let mut force = vec![0.0; RIGID + M + N];
        let [x, w, a] = extended(&shapes, &lists);
        evaluate(&x, &w, &a, &mut |at| {
            let floating = ShapeMotion {
                gravity: Vector3::zeros(),
                ..*at
            };
            shapes.forces(&floating, true, &mut rows, &mut force);
            shapes.contract(at.zeta, &mut force);
        });
        let power: f64 = force.iter().zip(&lists[1]).map(|(f, w)| f * w).sum();
        let change = (energy(1e-6) - energy(-1e-6)) / 2e-6;
        assert!(
            (power - change).abs() < 1e-6 * change.abs().max(1.0),
            "{power} {change}"
        );
    }
}
