//! Properties: the group axioms, the identities of the operators, derivatives by differences, and
//! the plane as part of space.

#![allow(clippy::unwrap_used)]

mod coefficients;
mod operators;
mod reference;
mod special_poses;

use super::{Group, LogAmbiguous, Se2, Se3};
use core::f64::consts::PI;
use nalgebra::{Matrix3, Rotation3, SMatrix, SVector, Unit, Vector3, Vector6};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

/// Identities between quantities of order one to ten, a few dozen roundings of 1e-16 each. The
/// power series of `ad` that some are compared with lose two more digits at the largest angles.
const ROUNDING: f64 = 1e-13;

/// Four-point differences with a step of 1e-3 leave 1e-12 times the fifth derivative and 1e-13
/// of rounding; the fifth derivative is of order 100 at the largest angles drawn.
const DIFFERENCES: f64 = 1e-9;

/// Step of the four-point differences.
const STEP: f64 = 1e-3;

/// Largest angle drawn for operators: past both switches, short of the pole of T⁻¹ at 2π [rad].
const OPERATOR_ANGLE: f64 = 4.5;

/// Largest angle drawn for logarithms: π less ten times the margin of refusal [rad].
const LOG_ANGLE: f64 = PI - 1e-9;

/// A twist with linear components up to 2 and an angle up to `largest`, small ones favoured.
fn twist<const N: usize, const D: usize>(largest: f64) -> impl Strategy<Value = SVector<f64, N>> {
    let angle = prop_oneof![
        3 => 0.0..largest,
        1 => (-12.0..0.0).prop_map(|exponent: f64| 10f64.powf(exponent)),
        1 => Just(0.0),
    ];
    let component = || -1.0..1.0;
    let components = [
        component(),
        component(),
        component(),
        component(),
        component(),
        component(),
    ];
    (components, angle).prop_filter_map("direction too short", |(components, angle)| {
        let mut twist = SVector::<f64, N>::from_fn(|i, _| 2.0 * components[i]);
        let length = twist.rows(D, N - D).norm();
        if length < 1e-2 {
            return None;
        }
        twist.rows_mut(D, N - D).scale_mut(angle / length);
        Some(twist)
    })
}

fn close<const R: usize, const C: usize>(
    found: &SMatrix<f64, R, C>,
    expected: &SMatrix<f64, R, C>,
    tolerance: f64,
) -> TestCaseResult {
    let error = (found - expected).amax();
    prop_assert!(
        error <= tolerance * expected.amax().max(1.0),
        "error {error:e}, found {found}, expected {expected}"
    );
    Ok(())
}

fn same_pose<G: Group<N, D>, const N: usize, const D: usize>(
    found: &G,
    expected: &G,
) -> TestCaseResult {
    close(&found.rotation(), &expected.rotation(), ROUNDING)?;
    close(&found.translation(), &expected.translation(), ROUNDING)
}

/// `Σ_k weight_k ad_v^k`, with `weight_{k+1} = ratio(k) weight_k`.
fn ad_series<G: Group<N, D>, const N: usize, const D: usize>(
    v: &SVector<f64, N>,
    ratio: impl Fn(f64) -> f64,
) -> SMatrix<f64, N, N> {
    let ad = G::ad(v);
    let mut term = SMatrix::identity();
    let mut sum = term;
    for k in 0..60 {
        term = term * ad * ratio(k as f64);
        sum += term;
    }
    sum
}

/// Jacobian of `f` at `v` by four-point differences.
fn jacobian<const R: usize, const C: usize>(
    v: &SVector<f64, C>,
    f: impl Fn(&SVector<f64, C>) -> SVector<f64, R>,
) -> SMatrix<f64, R, C> {
    let mut j = SMatrix::<f64, R, C>::zeros();
    for i in 0..C {
        let at = |steps: f64| {
            let mut shifted = *v;
            shifted[i] += steps * STEP;
            f(&shifted)
        };
        let column = ((at(1.0) - at(-1.0)) * 8.0 - (at(2.0) - at(-2.0))) / (12.0 * STEP);
        j.set_column(i, &column);
    }
    j
}

fn group_axioms<G: Group<N, D>, const N: usize, const D: usize>(
    v: &SVector<f64, N>,
    w: &SVector<f64, N>,
) -> TestCaseResult {
    let (a, b) = (G::exp(v), G::exp(w));
    let ab = a.compose(&b);
    same_pose(&a.compose(&a.inverse()), &G::identity())?;
    same_pose(&G::exp(&-v), &a.inverse())?;
    same_pose(&a.between(&b), &a.inverse().compose(&b))?;
    same_pose(&a.between(&ab), &b)?;
    same_pose(&G::from_parts(a.translation(), a.rotation()), &a)?;
    same_pose(&a.renormalized(), &a)?;
    close(&ab.adjoint(), &(a.adjoint() * b.adjoint()), ROUNDING)?;
    close(&a.adjoint_inverse(), &a.inverse().adjoint(), ROUNDING)?;
    close(
        &a.adjoint(),
        &ad_series::<G, N, D>(v, |k| 1.0 / (k + 1.0)),
        ROUNDING,
    )
}

fn exponential_and_logarithm<G: Group<N, D>, const N: usize, const D: usize>(
    v: &SVector<f64, N>,
    w: &SVector<f64, N>,
) -> TestCaseResult {
    close(&G::exp(v).log().unwrap(), v, ROUNDING)?;
    let product = G::exp(v).compose(&G::exp(w));
    match product.log() {
        Ok(log) => {
            prop_assert!(G::angle(&log) <= PI);
            same_pose(&G::exp(&log), &product)
        }
        Err(LogAmbiguous {
            angle_rad,
            margin_rad,
        }) => {
            prop_assert!((angle_rad - PI).abs() <= margin_rad);
            Ok(())
        }
    }
}

fn brackets<G: Group<N, D>, const N: usize, const D: usize>(
    u: &SVector<f64, N>,
    v: &SVector<f64, N>,
    w: &SVector<f64, N>,
) -> TestCaseResult {
    close(&(G::ad(u) * v), &(-(G::ad(v) * u)), ROUNDING)?;
    close(&(G::coad(u) * v), &(G::ad(v).transpose() * u), ROUNDING)?;
    close(&G::coad(u).transpose(), &(-G::coad(u)), ROUNDING)?;
    let double = |a, b, c| G::ad(a) * (G::ad(b) * c);
    let jacobi = double(u, v, w) + double(v, w, u) + double(w, u, v);
    close(&jacobi, &SVector::zeros(), ROUNDING * 10.0)
}

fn tangents<G: Group<N, D>, const N: usize, const D: usize>(v: &SVector<f64, N>) -> TestCaseResult {
    let (tangent, inverse) = (G::tangent(v), G::tangent_inverse(v));
    close(
        &tangent,
        &ad_series::<G, N, D>(v, |k| -1.0 / (k + 2.0)),
        ROUNDING,
    )?;
    // T⁻¹ grows towards its pole at 2π, and the rounding of the product with it.
    let growth = inverse.amax().max(1.0);
    close(
        &(tangent * inverse),
        &SMatrix::identity(),
        ROUNDING * growth,
    )?;
    close(
        &(inverse * G::exp(&-v).adjoint()),
        &G::tangent_inverse(&-v),
        ROUNDING * growth,
    )?;
    // Eq. (2) of the parent module.
    let pose = G::exp(v);
    let moved = jacobian(v, |v| pose.between(&G::exp(v)).log().unwrap());
    close(&tangent, &moved, DIFFERENCES)
}

fn derivatives<G: Group<N, D>, const N: usize, const D: usize>(
    v: &SVector<f64, N>,
    w: &SVector<f64, N>,
) -> TestCaseResult {
    close(
        &G::tangent_derivative(v, w),
        &jacobian(v, |v| G::tangent(v) * w),
        DIFFERENCES,
    )?;
    close(
        &G::tangent_inverse_derivative(v, w),
        &jacobian(v, |v| G::tangent_inverse(v) * w),
        DIFFERENCES,
    )?;
    close(
        &G::tangent_inverse_transpose_derivative(v, w),
        &jacobian(v, |v| G::tangent_inverse(v).tr_mul(w)),
        DIFFERENCES,
    )
}

fn rotating_vectors<G: Group<N, D>, const N: usize, const D: usize>(
    v: &SVector<f64, N>,
    w: &SVector<f64, N>,
) -> TestCaseResult {
    let zero = SVector::<f64, N>::zeros();
    let u = G::linear_part() * w;
    prop_assert_eq!(u, w.fixed_rows::<D>(0).into_owned());
    prop_assert_eq!(G::angle(v), v.rows(D, N - D).norm());
    close(
        &G::cross(&u),
        &jacobian(&zero, |v| G::exp(v).rotation() * u),
        DIFFERENCES,
    )?;
    let (a, b) = (G::exp(v), G::exp(w));
    let moment = |a: &G, b: &G| G::axis_moment(&a.rotation().tr_mul(&b.rotation()));
    let (by_a, by_b) = G::axis_moment_derivative(&a.rotation().tr_mul(&b.rotation()));
    close(
        &by_a,
        &jacobian(&zero, |d| moment(&a.compose(&G::exp(d)), &b)),
        DIFFERENCES,
    )?;
    close(
        &by_b,
        &jacobian(&zero, |d| moment(&a, &b.compose(&G::exp(d)))),
        DIFFERENCES,
    )?;
    // The axis stays put, so the moment does when frame B turns about the axis of frame A.
    let mut spin = zero;
    spin[N - 1] = 0.7;
    close(
        &moment(&a, &a.compose(&G::exp(&spin))),
        &moment(&a, &a),
        ROUNDING,
    )
}

/// One module of properties per group; the properties themselves are the functions above.
macro_rules! properties_of {
    ($module:ident, $group:ty, $n:literal, $d:literal) => {
        mod $module {
            use super::*;

            proptest! {
                #[test]
                fn poses_form_a_group(
                    v in twist::<$n, $d>(OPERATOR_ANGLE), w in twist::<$n, $d>(OPERATOR_ANGLE)
                ) {
                    group_axioms::<$group, $n, $d>(&v, &w)?;
                }

                #[test]
                fn exponential_and_logarithm_are_inverse(
                    v in twist::<$n, $d>(LOG_ANGLE), w in twist::<$n, $d>(LOG_ANGLE)
                ) {
                    exponential_and_logarithm::<$group, $n, $d>(&v, &w)?;
                }

                #[test]
                fn twists_form_a_lie_algebra(
                    u in twist::<$n, $d>(2.0), v in twist::<$n, $d>(2.0), w in twist::<$n, $d>(2.0)
                ) {
                    brackets::<$group, $n, $d>(&u, &v, &w)?;
                }

                #[test]
                fn tangents_are_those_of_the_exponential(v in twist::<$n, $d>(OPERATOR_ANGLE)) {
                    tangents::<$group, $n, $d>(&v)?;
                }

                #[test]
                fn derivatives_match_differences(
                    v in twist::<$n, $d>(OPERATOR_ANGLE), w in twist::<$n, $d>(2.0)
                ) {
                    derivatives::<$group, $n, $d>(&v, &w)?;
                }

                #[test]
                fn rotating_vectors_match_differences(
                    v in twist::<$n, $d>(OPERATOR_ANGLE), w in twist::<$n, $d>(OPERATOR_ANGLE)
                ) {
                    rotating_vectors::<$group, $n, $d>(&v, &w)?;
                }
            }

            #[test]
            fn not_a_number_never_panics() {
                never_panics::<$group, $n, $d>();
            }
        }
    };
}

properties_of!(plane, Se2, 3, 2);
properties_of!(space, Se3, 6, 3);

fn never_panics<G: Group<N, D>, const N: usize, const D: usize>() {
    for bad in [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e200,
        f64::MIN_POSITIVE,
    ] {
        for i in 0..N {
            let mut v = SVector::<f64, N>::repeat(0.1);
            v[i] = bad;
            let pose = G::exp(&v);
            let _ = (
                pose.log(),
                pose.renormalized().log(),
                pose.inverse().between(&pose),
            );
            let _ = (
                pose.adjoint(),
                pose.adjoint_inverse(),
                G::ad(&v),
                G::coad(&v),
            );
            let _ = (G::tangent(&v), G::tangent_inverse(&v), G::angle(&v));
            let _ = G::tangent_derivative(&v, &v);
            let _ = G::tangent_inverse_derivative(&v, &v);
            let _ = G::tangent_inverse_transpose_derivative(&v, &v);
            let _ = (
                G::axis_moment(&pose.rotation()),
                G::axis_moment_derivative(&pose.rotation()),
            );
            if bad.is_nan() {
                assert!(G::tangent_inverse(&v).iter().any(|entry| entry.is_nan()));
            }
        }
        for entry in 0..D * D {
            let mut rotation = SMatrix::<f64, D, D>::identity();
            rotation[entry] = bad;
            let _ = G::from_parts(SVector::zeros(), rotation).log();
        }
    }
}

/// A planar twist as a spatial one.
fn embedded(v: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(v.x, v.y, 0.0, 0.0, 0.0, v.z)
}

/// The planar part of a spatial operator.
fn planar_part(m: &SMatrix<f64, 6, 6>) -> Matrix3<f64> {
    let rows = [0, 1, 5];
    Matrix3::from_fn(|i, j| m[(rows[i], rows[j])])
}

proptest! {
    #[test]
    fn plane_embedded_in_space_gives_equal_results(
        v in twist::<3, 2>(LOG_ANGLE), w in twist::<3, 2>(2.0)
    ) {
        let (v3, w3) = (embedded(&v), embedded(&w));
        let (plane, space) = (Se2::exp(&v), Se3::exp(&v3));
        let lifted = Se3::new(
            Vector3::new(plane.translation().x, plane.translation().y, 0.0),
            Vector3::z() * plane.angle(),
        );
        same_pose(&space, &lifted)?;
        same_pose(&Se2::new(plane.translation().x, plane.translation().y, v.z), &plane)?;
        close(&space.log().unwrap(), &embedded(&plane.log().unwrap()), ROUNDING)?;
        close(&planar_part(&space.adjoint()), &plane.adjoint(), ROUNDING)?;
        close(&planar_part(&Se3::ad(&v3)), &Se2::ad(&v), 0.0)?;
        close(&planar_part(&Se3::coad(&v3)), &Se2::coad(&v), 0.0)?;
        close(&planar_part(&Se3::tangent(&v3)), &Se2::tangent(&v), ROUNDING)?;
        close(&planar_part(&Se3::tangent_inverse(&v3)), &Se2::tangent_inverse(&v), ROUNDING)?;
        close(
            &planar_part(&Se3::tangent_derivative(&v3, &w3)),
            &Se2::tangent_derivative(&v, &w),
            ROUNDING,
        )?;
        close(
            &planar_part(&Se3::tangent_inverse_derivative(&v3, &w3)),
            &Se2::tangent_inverse_derivative(&v, &w),
            ROUNDING,
        )?;
        close(
            &planar_part(&Se3::tangent_inverse_transpose_derivative(&v3, &w3)),
            &Se2::tangent_inverse_transpose_derivative(&v, &w),
            ROUNDING,
        )?;
    }

    #[test]
    fn renormalising_restores_orthogonality(v in twist::<6, 3>(3.0), drift in -1e-6..1e-6) {
        // A relative error e leaves 5/2 e³, here 3e-18 times the norm of the noise cubed.
        let pose = Se3::exp(&v);
        let noise = Matrix3::from_fn(|i, j| ((3 * i + j) as f64).sin());
        let stretched = pose.rotation() * (Matrix3::identity() + drift * noise);
        let drifted = Se3::from_parts(pose.translation(), stretched);
        let restored = drifted.renormalized().rotation();
        close(&restored.tr_mul(&restored), &Matrix3::identity(), 1e-15)?;
        // The nearest rotation takes away the symmetric part of the noise only.
        let turned = Matrix3::identity() + drift * 0.5 * (noise - noise.transpose());
        close(&restored, &(pose.rotation() * turned), 1e-11)?;

        let pose = Se2::new(v[0], v[1], v[2]);
        let drifted = Se2::from_parts(pose.translation(), pose.rotation() * (1.0 + drift));
        close(&drifted.renormalized().rotation(), &pose.rotation(), 1e-15)?;
    }

    #[test]
    fn rotation_agrees_with_nalgebra(v in twist::<6, 3>(3.0), angle in -6.0..6.0) {
        let vector = Vector3::new(v[3], v[4], v[5]);
        let pose = Se3::new(Vector3::new(v[0], v[1], v[2]), vector);
        close(&pose.rotation(), Rotation3::new(vector).matrix(), ROUNDING)?;
        if let Some(axis) = Unit::try_new(vector, 1e-3) {
            let turned = Se3::from_axis_angle(&axis, angle).rotation();
            close(&turned, Rotation3::from_axis_angle(&axis, angle).matrix(), ROUNDING)?;
        }
    }
}
