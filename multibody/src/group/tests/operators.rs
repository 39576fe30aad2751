//! Products that skip zeros equal products of full matrices.

use super::{OPERATOR_ANGLE, ROUNDING, close, twist};
use crate::group::{Group, Operator, Se2, Se3};
use nalgebra::{SMatrix, SVector};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

/// Entries that nothing else has.
fn entries<const R: usize, const C: usize>() -> SMatrix<f64, R, C> {
    SMatrix::from_fn(|i, j| (1.0 + (3 * i + 7 * j) as f64).sin())
}

fn operators<G: Group<N, D>, const N: usize, const D: usize>(
    v: &SVector<f64, N>,
    w: &SVector<f64, N>,
) -> TestCaseResult {
    let poses = [
        (
            G::exp(v).adjoint_inverse_operator(),
            G::exp(v).adjoint_inverse(),
        ),
        (G::ad_operator(v), G::ad(v)),
        (
            G::Operator::of(&G::tangent_inverse(v)),
            G::tangent_inverse(v),
        ),
    ];
    let (square, flat) = (entries::<N, N>(), entries::<D, N>());
    let mut angular = flat;
    angular.columns_mut(0, D).fill(0.0);
    for (operator, matrix) in poses {
        close(&operator.matrix(), &matrix, 0.0)?;
        close(&operator.negated().matrix(), &-matrix, 0.0)?;
        close(&operator.apply(w), &(matrix * w), ROUNDING)?;
        close(&operator.tr_apply(w), &matrix.tr_mul(w), ROUNDING)?;
        close(&operator.after(&square), &(square * matrix), ROUNDING)?;
        close(&operator.after(&flat), &(flat * matrix), ROUNDING)?;
        close(
            &operator.after_angular(&angular),
            &(angular * matrix),
            ROUNDING,
        )?;
        close(&operator.tr_mul(&square), &matrix.tr_mul(&square), ROUNDING)?;
        let (mut left, mut right) = (square, square);
        operator.add_after(&square, &mut left);
        operator.add_tr_mul(&square, &mut right);
        close(&left, &(square + square * matrix), ROUNDING)?;
        close(&right, &(square + matrix.tr_mul(&square)), ROUNDING)?;
    }
    Ok(())
}

fn sandwiches<G: Group<N, D>, const N: usize, const D: usize>(
    v: &SVector<f64, N>,
    p: &SVector<f64, N>,
) -> TestCaseResult {
    let c = SVector::<f64, N>::from_fn(|i, _| 0.5 + 0.3 * i as f64);
    let (ad, coad, diagonal) = (G::ad(v), G::coad(p), SMatrix::from_diagonal(&c));
    let transposed = ad.transpose();
    close(
        &G::ad_sandwich(v, &c),
        &(ad * diagonal * transposed),
        ROUNDING,
    )?;
    close(
        &G::coad_sandwich(p, &c),
        &(coad * diagonal * coad),
        ROUNDING,
    )?;
    let mixed = coad * diagonal * transposed + G::ad(&c).transpose();
    close(&G::coad_ad_sandwich(p, &c, v, &c), &mixed, ROUNDING)
}

fn cross_products<G: Group<N, D>, const N: usize, const D: usize>(
    v: &SVector<f64, N>,
    w: &SVector<f64, N>,
) -> TestCaseResult {
    let linear = G::linear_part();
    let (u, f) = (linear * v, linear * w);
    close(&G::turn(w, &u), &(G::cross(&u) * w), ROUNDING)?;
    close(&G::moment(&u, &f), &G::cross(&u).tr_mul(&f), ROUNDING)?;
    let mut angular = *w;
    angular.rows_mut(0, D).fill(0.0);
    close(&G::spin(v, w), &-G::ad(v).tr_mul(&angular), ROUNDING)
}

proptest! {
    #[test]
    fn planar_shortcuts_equal_full_products(
        v in twist::<3, 2>(OPERATOR_ANGLE), w in twist::<3, 2>(OPERATOR_ANGLE)
    ) {
        operators::<Se2, 3, 2>(&v, &w)?;
        sandwiches::<Se2, 3, 2>(&v, &w)?;
        cross_products::<Se2, 3, 2>(&v, &w)?;
    }

    #[test]
    fn spatial_shortcuts_equal_full_products(
        v in twist::<6, 3>(OPERATOR_ANGLE), w in twist::<6, 3>(OPERATOR_ANGLE)
    ) {
        operators::<Se3, 6, 3>(&v, &w)?;
        sandwiches::<Se3, 6, 3>(&v, &w)?;
        cross_products::<Se3, 6, 3>(&v, &w)?;
    }
}
