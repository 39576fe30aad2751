//! Known solutions, random systems, and what is refused.

#![allow(clippy::unwrap_used)]

use super::{Problem, Time, care, care_residual, dare, dare_residual, discretize, observer};
use super::{lyapunov, sampled_observer};
use crate::error::Error;
use nalgebra::{Complex, DMatrix};

/// What the issue asks for.
const ISSUE_RESIDUAL: f64 = 1e-10;

/// A repeatable stream of numbers in [−1, 1].
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| self.next())
    }
}

fn matrix<const R: usize, const C: usize>(rows: [[f64; C]; R]) -> DMatrix<f64> {
    DMatrix::from_fn(R, C, |i, j| rows[i][j])
}

fn unit(order: usize) -> DMatrix<f64> {
    DMatrix::identity(order, order)
}

fn double_integrator() -> (DMatrix<f64>, DMatrix<f64>) {
    (matrix([[0.0, 1.0], [0.0, 0.0]]), matrix([[0.0], [1.0]]))
}

/// X = [√3, 1; 1, √3], K = [1, √3] for Q = I, R = 1.
#[test]
fn double_integrator_has_its_textbook_gain() {
    let (a, b) = double_integrator();
    let found = care(&a, &b, &unit(2), &unit(1)).unwrap();
    let root = 3.0f64.sqrt();
    assert!((found.gain - matrix([[1.0, root]])).amax() < 1e-14);
    assert!((found.solution - matrix([[root, 1.0], [1.0, root]])).amax() < 1e-14);
    // s² + √3 s + 1 = 0.
    for value in &found.closed_loop {
        let exact = Complex::new(-0.5 * root, 0.5f64.copysign(value.im));
        assert!((value - exact).norm() < 1e-14);
    }
    // The same with an input of 1e-6 and states in millimetres and micrometres per second.
    let t = matrix([[1e3, 0.0], [0.0, 1e6]]);
    let t_inverse = t.clone().try_inverse().unwrap();
    let (a_t, b_t) = (&t * &a * &t_inverse, &t * &b * 1e6);
    let q_t = &t_inverse * &t_inverse;
    let scaled = care(&a_t, &b_t, &q_t, &(unit(1) * 1e12)).unwrap();
    let gain = scaled.gain * &t * 1e6;
    assert!((gain - matrix([[1.0, root]])).amax() < 1e-13);
}

/// x⁺ = a x + b u: b²X² + (R(1 − a²) − b²Q) X − QR = 0.
#[test]
fn scalar_discrete_equation_has_its_root() {
    for (a, b, q, r) in [
        (1.0, 1.0, 1.0, 1.0),
        (1.7, 0.3, 2.0, 0.5),
        (0.2, 1e-3, 1.0, 1.0),
        (-3.0, 2.0, 0.0, 1.0),
        (0.0, 1.0, 1.0, 1.0),
    ] {
        let half: f64 = 0.5 * (r * (1.0 - a * a) - b * b * q);
        let exact = (-half + (half * half + b * b * q * r).sqrt()) / (b * b);
        let cell = |x: f64| DMatrix::from_element(1, 1, x);
        let found = dare(&cell(a), &cell(b), &cell(q), &cell(r)).unwrap();
        assert!(
            (found.solution[(0, 0)] / exact - 1.0).abs() < 1e-8,
            "a = {a}"
        );
        let gain = a * b * exact / (r + b * b * exact);
        assert!((found.gain[(0, 0)] - gain).abs() <= 1e-8 * gain.abs());
        assert!(found.closed_loop[0].norm() < 1.0);
    }
}

#[test]
fn random_systems_are_solved_to_rounding() {
    let mut numbers = Numbers(7);
    let mut worst: (f64, f64) = (0.0, 0.0);
    for trial in 0..60 {
        let (n, m) = (1 + trial % 20, 1 + trial % 3);
        // About half the open-loop eigenvalues are unstable.
        let (a, b) = (numbers.matrix(n, n) * 3.0, numbers.matrix(n, m));
        let root = numbers.matrix(1 + n / 2, n);
        let q = root.tr_mul(&root) + unit(n) * 1e-6;
        let root = numbers.matrix(m, m);
        let r = root.tr_mul(&root) + unit(m) * 0.1;
        let found = care(&a, &b, &q, &r).unwrap();
        assert!(found.closed_loop.iter().all(|value| value.re < 0.0));
        assert!(found.solution.clone().symmetric_eigenvalues().min() > 0.0);
        worst.0 = worst.0.max(found.relative_residual);
        // Sampled slowly enough to be unstable and fast enough to be controlled by so few inputs.
        let (a, b) = discretize(&a, &b, 0.2).unwrap();
        let found = dare(&a, &b, &q, &r).unwrap();
        assert!(found.closed_loop.iter().all(|value| value.norm() < 1.0));
        worst.1 = worst.1.max(found.relative_residual);
    }
    println!(
        "largest relative residual: {:.1e} and {:.1e}",
        worst.0, worst.1
    );
    assert!(worst.0 < 1e-11 && worst.1 < 1e-11);
}

/// Lightly damped modes from 0.5 Hz to 150 kHz, 60 of them: 120 states.
fn modes(count: usize, ratio: f64) -> (DMatrix<f64>, DMatrix<f64>) {
    let mut numbers = Numbers(3);
    let mut a = DMatrix::zeros(2 * count, 2 * count);
    let mut b = DMatrix::zeros(2 * count, 1);
    for i in 0..count {
        let omega = 3.0 * 10f64.powf(5.5 * i as f64 / (count - 1) as f64);
        a[(i, count + i)] = 1.0;
        a[(count + i, i)] = -omega * omega;
        a[(count + i, count + i)] = -2.0 * ratio * omega;
        b[(count + i, 0)] = 1.0 + 0.5 * numbers.next();
    }
    (a, b)
}

#[test]
fn flexible_structure_of_120_states_is_solved() {
    for ratio in [1e-4, 1e-2, 0.3] {
        let (a, b) = modes(60, ratio);
        let mut q = DMatrix::zeros(120, 120);
        for i in 0..60 {
            q[(i, i)] = -a[(60 + i, i)]; // energy
            q[(60 + i, 60 + i)] = 1.0;
        }
        let started = std::time::Instant::now();
        let found = care(&a, &b, &q, &(unit(1) * 1e-2)).unwrap();
        println!(
            "ζ = {ratio}: residual {:.1e}, {} doublings, {} refinements, {:.2?}",
            found.relative_residual,
            found.doublings,
            found.refinements,
            started.elapsed()
        );
        assert!(found.closed_loop.iter().all(|value| value.re < 0.0));
        let (a_d, b_d) = discretize(&a, &b, 1e-3).unwrap();
        let started = std::time::Instant::now();
        let found = dare(&a_d, &b_d, &q, &(unit(1) * 1e-2)).unwrap();
        println!(
            "   sampled at 1 ms: residual {:.1e}, {} doublings, {} refinements, {:.2?}",
            found.relative_residual,
            found.doublings,
            found.refinements,
            started.elapsed()
        );
        assert!(found.closed_loop.iter().all(|value| value.norm() < 1.0));
    }
}

/// The sampled gain goes to the continuous one as the sample time goes to zero.
#[test]
fn sampled_gain_tends_to_the_continuous_one() {
    let (a, b) = double_integrator();
    let exact = care(&a, &b, &unit(2), &unit(1)).unwrap().gain;
    let error = |h: f64| {
        let (a_d, b_d) = discretize(&a, &b, h).unwrap();
        let found = dare(&a_d, &b_d, &(unit(2) * h), &(unit(1) * h)).unwrap();
        (found.gain - &exact).amax()
    };
    let order = (error(0.02) / error(0.01)).log2();
    assert!((order - 1.0).abs() < 0.05, "{order}");
}

#[test]
fn observer_is_the_dual_of_the_regulator() {
    let mut numbers = Numbers(11);
    let (a, c) = (numbers.matrix(6, 6), numbers.matrix(2, 6));
    let (process, measurement) = (unit(6) * 0.3, unit(2) * 0.1);
    let found = observer(&a, &c, &process, &measurement).unwrap();
    assert_eq!(found.gain.shape(), (6, 2));
    let values = multibody::modal::eigen::eigenvalues(&(&a - &found.gain * &c)).unwrap();
    assert!(values.iter().all(|value| value.re < 0.0));
    // Covariance: A P + P Aᵀ − P Cᵀ V⁻¹ C P + W = 0.
    let p = &found.solution;
    let pc = p * c.transpose();
    let balance = &a * p + p * a.transpose() - &pc * pc.transpose() * 10.0 + &process;
    assert!(balance.amax() < 1e-12 * p.amax());
    let found = sampled_observer(&a, &c, &process, &measurement).unwrap();
    let values = multibody::modal::eigen::eigenvalues(&(&a - &found.gain * &c)).unwrap();
    assert!(values.iter().all(|value| value.norm() < 1.0));
}

#[test]
fn residual_functions_agree_with_the_solution() {
    let (a, b) = double_integrator();
    let found = care(&a, &b, &unit(2), &unit(1)).unwrap();
    let residual = care_residual(&a, &b, &unit(2), &unit(1), &found.solution).unwrap();
    assert!(residual < ISSUE_RESIDUAL && residual <= found.relative_residual);
    let wrong = care_residual(&a, &b, &unit(2), &unit(1), &unit(2)).unwrap();
    assert!(wrong > 0.1);
    let found = dare(&a, &b, &unit(2), &unit(1)).unwrap();
    assert!(dare_residual(&a, &b, &unit(2), &unit(1), &found.solution).unwrap() < 1e-14);
}

#[test]
fn lyapunov_equations_are_solved() {
    let mut numbers = Numbers(5);
    let a = numbers.matrix(30, 30) - unit(30) * 8.0;
    let root = numbers.matrix(30, 30);
    let w = root.tr_mul(&root);
    let x = lyapunov::continuous(&a, &w).unwrap();
    assert!((a.tr_mul(&x) + &x * &a + &w).norm() < 1e-12 * w.norm());
    let a = a / 20.0;
    let x = lyapunov::sampled(&a, &w).unwrap();
    assert!((a.tr_mul(&(&x * &a)) - &x + &w).norm() < 1e-13 * x.norm());
    assert!(lyapunov::continuous(&unit(2), &unit(2)).is_err());
    assert!(lyapunov::sampled(&(unit(2) * 1.1), &unit(2)).is_err());
}

/// A damped oscillator at 1e5 rad/s beside a slow decay, over a sample of many periods.
#[test]
fn discretisation_is_exact_for_fast_and_slow_modes() {
    let (omega, zeta, rate, h) = (1e5, 0.01, 0.5, 1e-3);
    let a = matrix([
        [0.0, 1.0, 0.0],
        [-omega * omega, -2.0 * zeta * omega, 0.0],
        [0.0, 0.0, -rate],
    ]);
    let b = matrix([[0.0], [1.0], [1.0]]);
    let (a_d, b_d) = discretize(&a, &b, h).unwrap();
    let damped = omega * f64::sqrt(1.0 - zeta * zeta);
    let (sin, cos) = (damped * h).sin_cos();
    let decay = (-zeta * omega * h).exp();
    let exact = decay * (cos + zeta * omega / damped * sin);
    assert!((a_d[(0, 0)] - exact).abs() < 1e-12);
    assert!((a_d[(0, 1)] * damped - decay * sin).abs() < 1e-12);
    assert!((a_d[(2, 2)] - (-rate * h).exp()).abs() < 1e-14);
    assert!((b_d[(2, 0)] - (1.0 - (-rate * h).exp()) / rate).abs() < 1e-15);
    let exact = (1.0 - exact) / (omega * omega);
    assert!((b_d[(0, 0)] / exact - 1.0).abs() < 1e-10);
    assert!(discretize(&(a * 1e20), &b, h).is_err());
}

#[test]
fn hopeless_problems_are_refused_with_evidence() {
    // An unstable state that no input reaches.
    let a = matrix([[1.0, 0.0], [0.0, -1.0]]);
    let b = matrix([[0.0], [1.0]]);
    let error = care(&a, &b, &unit(2), &unit(1)).unwrap_err();
    let Error::NotStabilizable { lacking, re, .. } = error else {
        panic!("{error}");
    };
    assert!(lacking.starts_with("stabilisable") && (re - 1.0).abs() < 1e-12);
    let sampled = dare(&(a * 2.0), &b, &unit(2), &unit(1)).unwrap_err();
    assert!(
        matches!(sampled, Error::NotStabilizable { .. }),
        "{sampled}"
    );
    // An undamped oscillator that no weight sees.
    let a = matrix([[0.0, 2.0], [-2.0, 0.0]]);
    let error = care(&a, &b, &DMatrix::zeros(2, 2), &unit(1)).unwrap_err();
    let Error::NotStabilizable { lacking, im, .. } = error else {
        panic!("{error}");
    };
    assert!(lacking.starts_with("detectable") && (im - 2.0).abs() < 1e-12);
    // Weights that are none.
    assert!(matches!(
        care(&a, &b, &unit(2), &-unit(1)),
        Err(Error::Kernel(multibody::Error::NotPositive {
            quantity: "R",
            ..
        }))
    ));
    assert!(matches!(
        care(&a, &b, &-unit(2), &unit(1)),
        Err(Error::Kernel(multibody::Error::NotPositive {
            quantity: "Q",
            ..
        }))
    ));
    assert!(care(&a, &b, &unit(3), &unit(1)).is_err());
    assert!(care(&(a * f64::NAN), &b, &unit(2), &unit(1)).is_err());
}

/// An unstable mode need not be weighted: the regulator reflects it at the imaginary axis.
#[test]
fn unweighted_unstable_mode_is_reflected() {
    let (a, b) = (matrix([[2.0]]), matrix([[1.0]]));
    let found = care(&a, &b, &matrix([[0.0]]), &unit(1)).unwrap();
    assert!((found.closed_loop[0].re + 2.0).abs() < 1e-13);
}

#[test]
fn balancing_brings_unlike_units_together() {
    let (a, b) = modes(20, 0.01);
    let problem = Problem::new(Time::Continuous, &a, &b, &unit(40), &unit(1)).unwrap();
    let (scaled, _) = problem.balanced();
    let spread = |p: &Problem| p.a.amax() * p.g.norm().max(p.q.norm());
    assert!(spread(&scaled) < 1e-3 * spread(&problem));
}
