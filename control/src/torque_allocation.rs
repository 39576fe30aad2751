//! Motor torques within their limits that come nearest to the wrench asked for.
//!
//! With J the wrench on the end effector per torque of each motor, the torques are those of
//!
//! ```text
//! min ½ (τ − τ_d)ᵀ W (τ − τ_d),   |τ_i| ≤ limit_i,   W = JᵀJ + ε I              (1)
//! τ_i ← clamp(τ_i − [W (τ − τ_d)]_i / W_ii, ± limit_i),   i = 1 … n, 1 … n, …   (2)
//! ```
//!
//! (2) goes down (1), which is convex, along one torque at a time. Torques that are all within
//! their limits stay as they are; cutting each at its limit instead would turn the wrench.

use nalgebra::{DMatrix, DVector};

/// Share of ε in W: decides between torques with the same effect.
const REGULARISATION: f64 = 1e-6;
/// Sweeps of (2); each takes a good part of the distance.
const MOST_SWEEPS: usize = 2000;
/// Change of a torque, over its limit, at which (2) stops.
const SETTLED: f64 = 1e-12;

/// W of eq. (1) for the wrench per torque `by_torque` (6 × n); moments count with `length` [m].
pub fn metric(by_torque: &DMatrix<f64>, length: f64) -> DMatrix<f64> {
    let mut scaled = by_torque.clone();
    for i in 3..scaled.nrows() {
        scaled.row_mut(i).scale_mut(1.0 / length);
    }
    let mut out = scaled.tr_mul(&scaled);
    let largest = out.diagonal().amax().max(f64::MIN_POSITIVE);
    for i in 0..out.nrows() {
        out[(i, i)] += REGULARISATION * largest;
    }
    out
}

/// The torques of eq. (1) for the torques `demand` [N·m], all with the same limit [N·m].
pub fn allocate(demand: &DVector<f64>, limit: f64, metric: &DMatrix<f64>) -> DVector<f64> {
    let mut torque = demand.map(|t| t.clamp(-limit, limit));
    if torque == *demand {
        return torque;
    }
    for _ in 0..MOST_SWEEPS {
        let mut change: f64 = 0.0;
        for i in 0..torque.len() {
            let slope: f64 = (0..torque.len())
                .map(|j| metric[(i, j)] * (torque[j] - demand[j]))
                .sum();
            let next = (torque[i] - slope / metric[(i, i)]).clamp(-limit, limit); // (2)
            change = change.max((next - torque[i]).abs());
            torque[i] = next;
        }
        if change <= SETTLED * limit {
            break;
        }
    }
    torque
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(torque: &DVector<f64>, demand: &DVector<f64>, metric: &DMatrix<f64>) -> f64 {
        let off = torque - demand;
        off.dot(&(metric * &off))
    }

    #[test]
    fn torques_within_limits_are_best_and_others_stay() {
        let by_torque = DMatrix::from_fn(6, 6, |i, j| ((3 * i + 5 * j) as f64).sin());
        let metric = metric(&by_torque, 0.2);
        for seed in 0..50 {
            let demand = DVector::from_fn(6, |i, _| 3.0 * ((7 * seed + i) as f64).sin());
            let limit = 2.0;
            let found = allocate(&demand, limit, &metric);
            assert!(found.amax() <= limit);
            if demand.amax() <= limit {
                assert_eq!(found, demand);
                continue;
            }
            // No worse than cutting or shrinking, and no direction left to improve in.
            let cut = demand.map(|t| t.clamp(-limit, limit));
            let shrunk = &demand * (limit / demand.amax());
            let best = cost(&found, &demand, &metric);
            assert!(best <= cost(&cut, &demand, &metric) + 1e-12);
            assert!(best <= cost(&shrunk, &demand, &metric) + 1e-12);
            let slope = &metric * (&found - &demand);
            for i in 0..6 {
                let free = found[i].abs() < limit * (1.0 - 1e-9);
                let outward = slope[i] * found[i] <= 1e-6 * metric[(i, i)];
                assert!(outward || (free && slope[i].abs() < 1e-6 * metric[(i, i)]));
            }
        }
    }
}
