//! Total-order indices without a design of their own, from a polynomial chaos expansion.
//!
//! With u the inputs as points of the unit cube and P_k the Legendre polynomials, orthonormal on
//! (0, 1), a figure is approximated by the terms that explain it best (`sudret2008`, `blatman2011`)
//!
//! ```text
//! y ≈ Σ_α c_α Π_j P_(α_j)(u_j),   Σ_j α_j^q ≤ p^q,   at most three inputs in a term          (1)
//! S_i = Σ_(α_i > 0, others 0) c_α² / V,   T_i = Σ_(α_i > 0) c_α² / V,   V = Σ_(α ≠ 0) c_α²    (2)
//! ```
//!
//! Terms are taken one by one, each the one that goes best with what is left (orthogonal matching
//! pursuit), up to the number with the smallest leave-one-out error. How good the expansion is, is
//! measured on rows that it has not seen, selection included (five parts in turn):
//!
//! ```text
//! Q² = 1 − Σ (y − ŷ)² / Σ (y − ȳ)²                                                          (3)
//! ```
//!
//! What the expansion leaves unexplained may belong to any input (`surrogate_indices.rs`). Figures that
//! jump (captured or not) or have edges leave much unexplained; [`best_surrogate`] then takes a Gaussian
//! process.

use super::Interval;
use super::surrogate_event::surrogate_of_event;
use super::surrogate_indices::{Shares, with_limits};
use super::surrogate_process::surrogate_process;
use crate::sampling::random::{Generator, Stream};

/// Inputs of a term with their degrees.
type Powers = [(usize, u32)];

/// Fewest rows an expansion is made from.
const FEWEST_ROWS: usize = 60;
/// Rows that an expansion is made from at most.
const MOST_ROWS: usize = 3000;
/// Terms to choose from at most.
const MOST_CANDIDATES: usize = 600;
/// Terms chosen at most.
const MOST_TERMS: usize = 120;
/// Exponent q of (1): terms of several inputs have low degrees.
const NORM: f64 = 0.75;
/// Parts of the cross-validation.
pub(super) const PARTS: usize = 5;
/// Share of the variance that is predicted so well that no other surrogate is tried.
const WELL_PREDICTED: f64 = 0.99;
/// Inputs in a term at most.
const MOST_INPUTS: usize = 3;
/// Terms that are tried after the best one before the search ends.
const PATIENCE: usize = 15;

/// Indices of one input from a surrogate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurrogateIndex {
    /// Share of the surrogate's variance of this input alone.
    pub first_order: f64,
    /// What the first-order index can be, given what the surrogate leaves unexplained.
    pub first_order_limits: Interval,
    /// Share of the surrogate's variance of this input alone and with others.
    pub total: f64,
    /// What the total index can be, given what the surrogate leaves unexplained.
    pub total_limits: Interval,
}

/// What stands in for the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurrogateKind {
    /// A polynomial chaos expansion of so many terms.
    Expansion(usize),
    /// A Gaussian process of the figure (kriging).
    Process,
    /// A Gaussian process that says whether an event happens.
    Classifier,
}

/// A surrogate of a figure, by its indices.
#[derive(Debug, Clone, PartialEq)]
pub struct Surrogate {
    /// What it is.
    pub kind: SurrogateKind,
    /// Indices of the inputs.
    pub inputs: Vec<SurrogateIndex>,
    /// Share of the variance that the surrogate predicts on rows it has not seen.
    pub predicted: f64,
    /// Rows it is made from.
    pub rows: usize,
}

/// The surrogate that predicts `y` best, of those that fit it: an event (1 or 0) has the classifier, a
/// figure that polynomials do not follow the process.
pub fn best_surrogate(u: &[Vec<f64>], y: &[f64]) -> Option<Surrogate> {
    let expansion = surrogate(u, y);
    if expansion
        .as_ref()
        .is_some_and(|found| found.predicted > WELL_PREDICTED)
    {
        return expansion;
    }
    let is_event = y.iter().all(|y| y.is_nan() || *y == 0.0 || *y == 1.0);
    let other = match is_event {
        true => surrogate_of_event(u, y),
        false => surrogate_process(u, y),
    };
    match (expansion, other) {
        (Some(expansion), Some(other)) if expansion.predicted >= other.predicted => Some(expansion),
        (expansion, None) => expansion,
        (_, other) => other,
    }
}

/// The expansion of `y` over the points `u` of the unit cube, a row of coordinates for each value;
/// rows whose value is not finite are left out. None if there are too few, or if nothing varies.
pub fn surrogate(u: &[Vec<f64>], y: &[f64]) -> Option<Surrogate> {
    let finite: Vec<usize> = (0..y.len().min(u.len()))
        .filter(|&i| y[i].is_finite())
        .collect();
    let rows = some(&finite, MOST_ROWS);
    let inputs = u.first()?.len();
    if rows.len() < FEWEST_ROWS || inputs == 0 {
        return None;
    }
    let values: Vec<f64> = rows.iter().map(|&i| y[i]).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    if values.iter().all(|y| (y - mean).abs() <= 1e-300) {
        return None;
    }
    let candidates = candidates(inputs, rows.len());
    let points: Vec<&[f64]> = rows.iter().map(|&i| u[i].as_slice()).collect();
    let columns = columns(&candidates, &points);
    let everything: Vec<usize> = (0..rows.len()).collect();
    let fit = Fit::new(&columns, &values, &everything);
    let (predicted, parts) = cross_validated(&columns, &values);
    let shares = |fit: &Fit| fit.shares(&candidates, inputs);
    let parts: Vec<Shares> = parts.iter().map(shares).collect();
    Some(Surrogate {
        kind: SurrogateKind::Expansion(fit.terms.len()),
        inputs: with_limits(&shares(&fit), &parts, predicted),
        predicted,
        rows: rows.len(),
    })
}

/// At most `most` of the places, drawn by a hash.
pub(super) fn some(places: &[usize], most: usize) -> Vec<usize> {
    let hash = |place: &usize| Generator::new(1).bits(Stream::Thinning, 1, 0, *place as u64);
    let mut chosen = places.to_vec();
    chosen.sort_unstable_by_key(hash);
    chosen.truncate(most);
    chosen
}

/// Terms to choose from, each a list of inputs and degrees: as high a degree as keeps their number
/// bearable and below the number of rows.
fn candidates(inputs: usize, rows: usize) -> Vec<Vec<(usize, u32)>> {
    let most = MOST_CANDIDATES.min(4 * rows);
    let mut best = Vec::new();
    for degree in 1..=12 {
        let mut found = Vec::new();
        extend(&mut found, &mut Vec::new(), 0, inputs, degree);
        if found.len() > most {
            break;
        }
        best = found;
    }
    best
}

/// Adds every term that continues `term` with inputs from `from` on.
fn extend(
    found: &mut Vec<Vec<(usize, u32)>>,
    term: &mut Vec<(usize, u32)>,
    from: usize,
    inputs: usize,
    degree: u32,
) {
    if term.len() == MOST_INPUTS {
        return;
    }
    let limit = libm::pow(f64::from(degree), NORM);
    let used: f64 = term
        .iter()
        .map(|(_, k)| libm::pow(f64::from(*k), NORM))
        .sum();
    for input in from..inputs {
        for k in 1..=degree {
            if used + libm::pow(f64::from(k), NORM) > limit + 1e-9 {
                break;
            }
            term.push((input, k));
            found.push(term.clone());
            extend(found, term, input + 1, inputs, degree);
            term.pop();
        }
    }
}

/// Values of the terms at the points, a column for each term.
fn columns(candidates: &[Vec<(usize, u32)>], points: &[&[f64]]) -> Vec<Vec<f64>> {
    let highest = candidates
        .iter()
        .flatten()
        .map(|(_, k)| *k)
        .max()
        .unwrap_or(0) as usize;
    let inputs = points.first().map_or(0, |point| point.len());
    // Legendre polynomials of every input at every point.
    let tables: Vec<Vec<Vec<f64>>> = (0..inputs)
        .map(|j| {
            points
                .iter()
                .map(|point| legendre(point[j], highest))
                .collect()
        })
        .collect();
    let value = |term: &[(usize, u32)], row: usize| -> f64 {
        term.iter()
            .map(|&(j, k)| tables[j][row][k as usize])
            .product()
    };
    candidates
        .iter()
        .map(|term| (0..points.len()).map(|row| value(term, row)).collect())
        .collect()
}

/// P_0 … P_highest at u, orthonormal on (0, 1).
fn legendre(u: f64, highest: usize) -> Vec<f64> {
    let x = 2.0 * u - 1.0;
    let mut p = vec![1.0, x];
    for k in 1..highest {
        let n = k as f64;
        p.push(((2.0 * n + 1.0) * x * p[k] - n * p[k - 1]) / (n + 1.0));
    }
    let norm = |(k, p): (usize, f64)| p * (2.0 * k as f64 + 1.0).sqrt();
    p.into_iter()
        .take(highest + 1)
        .enumerate()
        .map(norm)
        .collect()
}

/// A least-squares fit of chosen terms.
struct Fit {
    mean: f64,
    /// Terms and coefficients.
    terms: Vec<(usize, f64)>,
}

impl Fit {
    /// Fits the rows given by their places.
    fn new(columns: &[Vec<f64>], y: &[f64], rows: &[usize]) -> Self {
        let n = rows.len();
        let mean = rows.iter().map(|&i| y[i]).sum::<f64>() / n as f64;
        let mut residual: Vec<f64> = rows.iter().map(|&i| y[i] - mean).collect();
        let mut leverage = vec![1.0 / n as f64; n];
        // Orthonormal directions, with the triangle that leads back to the terms.
        let mut chosen: Vec<(usize, Vec<f64>)> = Vec::new();
        let mut triangle: Vec<(Vec<f64>, f64)> = Vec::new();
        let mut projections = Vec::new();
        let (mut best, mut best_terms) = (loo(&residual, &leverage, 0), 0);
        while chosen.len() < MOST_TERMS.min(n / 3) && chosen.len() < best_terms + PATIENCE {
            let Some(term) = strongest(columns, rows, &residual, &chosen) else {
                break;
            };
            let Some((direction, along, length)) = direction(&columns[term], rows, &chosen) else {
                break;
            };
            let projection: f64 = direction.iter().zip(&residual).map(|(q, r)| q * r).sum();
            for ((r, h), q) in residual.iter_mut().zip(&mut leverage).zip(&direction) {
                *r -= projection * q;
                *h += q * q;
            }
            chosen.push((term, direction));
            triangle.push((along, length));
            projections.push(projection);
            let error = loo(&residual, &leverage, chosen.len());
            if error < best {
                (best, best_terms) = (error, chosen.len());
            }
        }
        let terms: Vec<usize> = chosen
            .iter()
            .take(best_terms)
            .map(|(term, _)| *term)
            .collect();
        let (coefficients, shift) = solve(&triangle[..best_terms], &projections);
        Self {
            mean: mean - shift,
            terms: terms.into_iter().zip(coefficients).collect(),
        }
    }

    /// Equations (2).
    fn shares(&self, candidates: &[Vec<(usize, u32)>], inputs: usize) -> Shares {
        let terms = || {
            self.terms
                .iter()
                .map(|&(term, c)| (&candidates[term], c * c))
        };
        let variance: f64 = terms().map(|(_, square)| square).sum();
        let share = |accepted: &dyn Fn(&Powers) -> bool| {
            let part: f64 = terms().filter(|(t, _)| accepted(t)).map(|(_, s)| s).sum();
            if variance > 0.0 { part / variance } else { 0.0 }
        };
        let alone = |i: usize| share(&|term| term.len() == 1 && term[0].0 == i);
        let with_others = |i: usize| share(&|term| term.iter().any(|(input, _)| *input == i));
        Shares {
            first: (0..inputs).map(alone).collect(),
            total: (0..inputs).map(with_others).collect(),
        }
    }

    fn value(&self, columns: &[Vec<f64>], row: usize) -> f64 {
        let part = |&(term, c): &(usize, f64)| c * columns[term][row];
        self.mean + self.terms.iter().map(part).sum::<f64>()
    }
}

/// Leave-one-out error of a fit with so many terms, made somewhat larger for their choice.
fn loo(residual: &[f64], leverage: &[f64], terms: usize) -> f64 {
    let n = residual.len() as f64;
    let pairs = residual.iter().zip(leverage);
    let sum: f64 = pairs.map(|(r, h)| (r / (1.0 - h).max(1e-6)).powi(2)).sum();
    sum * (1.0 + terms as f64 / (n - terms as f64).max(1.0)) / n
}

/// The term that goes best with the residual; none if none goes with it at all.
fn strongest(
    columns: &[Vec<f64>],
    rows: &[usize],
    residual: &[f64],
    chosen: &[(usize, Vec<f64>)],
) -> Option<usize> {
    let strength = |term: usize| {
        let column = &columns[term];
        let (mut product, mut square) = (0.0, 0.0);
        for (&row, r) in rows.iter().zip(residual) {
            product += column[row] * r;
            square += column[row] * column[row];
        }
        if square > 0.0 {
            product * product / square
        } else {
            0.0
        }
    };
    let free = (0..columns.len()).filter(|term| chosen.iter().all(|(known, _)| known != term));
    let strengths = free.map(|term| (term, strength(term)));
    let best = strengths.max_by(|a, b| a.1.total_cmp(&b.1))?;
    (best.1 > 0.0).then_some(best.0)
}

/// The part of a column that is new, of length one: orthogonal to the constant and to the directions
/// before. Also how the column follows from them (constant first) and from itself.
fn direction(
    column: &[f64],
    rows: &[usize],
    chosen: &[(usize, Vec<f64>)],
) -> Option<(Vec<f64>, Vec<f64>, f64)> {
    let n = rows.len() as f64;
    let mut part: Vec<f64> = rows.iter().map(|&row| column[row]).collect();
    let before: f64 = part.iter().map(|x| x * x).sum();
    let mut along = vec![0.0; chosen.len() + 1];
    // Twice: once leaves rounding errors behind.
    for _ in 0..2 {
        let mean = part.iter().sum::<f64>() / n;
        along[0] += mean;
        part.iter_mut().for_each(|x| *x -= mean);
        for (place, (_, q)) in chosen.iter().enumerate() {
            let product: f64 = part.iter().zip(q).map(|(x, q)| x * q).sum();
            along[place + 1] += product;
            part.iter_mut().zip(q).for_each(|(x, q)| *x -= product * q);
        }
    }
    let length = part.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length * length <= 1e-10 * before {
        return None;
    }
    part.iter_mut().for_each(|x| *x /= length);
    Some((part, along, length))
}

/// Coefficients of the terms from those of the directions, and what the terms add to the mean.
fn solve(triangle: &[(Vec<f64>, f64)], projections: &[f64]) -> (Vec<f64>, f64) {
    let m = triangle.len();
    let mut coefficients = vec![0.0; m];
    for k in (0..m).rev() {
        let later: f64 = (k + 1..m)
            .map(|j| triangle[j].0[k + 1] * coefficients[j])
            .sum();
        coefficients[k] = (projections[k] - later) / triangle[k].1;
    }
    let shift = triangle
        .iter()
        .zip(&coefficients)
        .map(|((along, _), c)| along[0] * c)
        .sum();
    (coefficients, shift)
}

/// Equation (3), and the expansions that have not seen one part each.
fn cross_validated(columns: &[Vec<f64>], y: &[f64]) -> (f64, Vec<Fit>) {
    let n = y.len();
    let mean = y.iter().sum::<f64>() / n as f64;
    let total: f64 = y.iter().map(|y| (y - mean).powi(2)).sum();
    let (mut missed, mut fits) = (0.0, Vec::new());
    for part in 0..PARTS {
        // Rows are in random order already.
        let (own, others): (Vec<usize>, Vec<usize>) = (0..n).partition(|i| i % PARTS == part);
        let fit = Fit::new(columns, y, &others);
        let errors = own
            .iter()
            .map(|&row| (y[row] - fit.value(columns, row)).powi(2));
        missed += errors.sum::<f64>();
        fits.push(fit);
    }
    (1.0 - missed / total, fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(n: u64, inputs: u32) -> Vec<Vec<f64>> {
        let generator = Generator::new(4);
        let row = |i| {
            (0..inputs)
                .map(|j| generator.uniform(Stream::MonteCarlo, j, i))
                .collect()
        };
        (0..n).map(row).collect()
    }

    /// The totals of the Ishigami function, 0.5576, 0.4424 and 0.2437, from 400 independent points,
    /// which say nothing of x3 by themselves.
    #[test]
    fn totals_of_the_ishigami_function_come_from_independent_points() {
        let pi = core::f64::consts::PI;
        let u = points(400, 3);
        let y: Vec<f64> = u
            .iter()
            .map(|u| {
                let x: Vec<f64> = u.iter().map(|u| pi * (2.0 * u - 1.0)).collect();
                x[0].sin() + 7.0 * x[1].sin().powi(2) + 0.1 * x[2].powi(4) * x[0].sin()
            })
            .collect();
        let found = surrogate(&u, &y).unwrap();
        assert!(found.predicted > 0.97, "{found:?}");
        let exact = [(0.31391, 0.55759), (0.44241, 0.44241), (0.0, 0.24368)];
        for (index, (first, total)) in found.inputs.iter().zip(exact) {
            assert!(
                (index.first_order - first).abs() < 0.03,
                "{index:?} for {first}"
            );
            assert!((index.total - total).abs() < 0.03, "{index:?} for {total}");
            let limits = index.total_limits;
            assert!(
                limits.low <= total + 1e-4 && total - 1e-4 <= limits.high,
                "{index:?} for {total}"
            );
        }
    }

    /// A figure with a jump has another surrogate than a smooth one.
    #[test]
    fn the_surrogate_that_predicts_best_is_taken() {
        let u = points(200, 3);
        let of = |figure: &dyn Fn(&[f64]) -> f64| {
            let y: Vec<f64> = u.iter().map(|u| figure(u)).collect();
            best_surrogate(&u, &y).unwrap()
        };
        let smooth = of(&|u| u[0] + u[1] * u[2]);
        assert!(
            matches!(smooth.kind, SurrogateKind::Expansion(_)),
            "{smooth:?}"
        );
        let event = of(&|u| f64::from(u8::from(u[0] + 0.5 * u[1] > 0.75)));
        assert_eq!(event.kind, SurrogateKind::Classifier);
        let edge = of(&|u| if u[0] > 0.7 { 1.0 + u[1] } else { 0.0 });
        assert_eq!(edge.kind, SurrogateKind::Process);
        assert!(edge.predicted > 0.95, "{edge:?}");
    }

    /// A plane is found exactly, and noise is not predicted.
    #[test]
    fn what_can_be_known_is_known() {
        let u = points(200, 5);
        let plane: Vec<f64> = u.iter().map(|u| 3.0 + u[0] - 2.0 * u[3]).collect();
        let found = surrogate(&u, &plane).unwrap();
        assert!((found.predicted - 1.0).abs() < 1e-9, "{found:?}");
        for (index, share) in found.inputs.iter().zip([0.2, 0.0, 0.0, 0.8, 0.0]) {
            assert!((index.total - share).abs() < 1e-9, "{index:?}");
        }
        let noise: Vec<f64> = (0..200)
            .map(|i| Generator::new(9).uniform(Stream::MonteCarlo, 0, i))
            .collect();
        let found = surrogate(&u, &noise).unwrap();
        assert!(found.predicted < 0.1, "{found:?}");
        assert_eq!(surrogate(&u[..20], &plane[..20]), None);
        assert_eq!(surrogate(&u, &[1.0; 200]), None);
    }
}
