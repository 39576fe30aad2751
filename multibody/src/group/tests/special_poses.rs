//! Poses where a property test would rarely go: half turns and the smallest rotations.

use super::super::{Group, LogAmbiguous, Se2, Se3};
use core::f64::consts::PI;
use nalgebra::{Matrix2, Unit, Vector2, Vector3, Vector6};

/// Rotation vectors of length π from rotation matrices rounded at 1e-16: nine roundings.
const LOG_ACCURACY: f64 = 2e-15;

#[test]
fn translations_compose_by_addition() {
    let step = Vector3::new(1.0, 2.0, 3.0);
    let twice = Se3::from_translation(step).compose(&Se3::from_translation(step));
    assert_eq!(twice, Se3::from_translation(2.0 * step));
    let step = Vector2::new(1.0, 2.0);
    let twice = Se2::from_translation(step).compose(&Se2::from_translation(step));
    assert_eq!(twice, Se2::from_translation(2.0 * step));
}

/// Near a half turn the axis comes from the symmetric part of the rotation, and only the sign
/// from the antisymmetric part, which is as small as the distance to π.
#[test]
fn logarithm_near_half_turn_is_accurate_or_refused() {
    let axes = [
        Vector3::x(),
        -Vector3::y(),
        Vector3::z(),
        Vector3::new(1.0, 1.0, 1.0),
        Vector3::new(-0.3, 2.0, 1e-4),
        Vector3::new(1e-9, -1e-5, 1.0),
    ];
    for axis in axes.map(|axis| axis.normalize()) {
        for distance in [1e-2, 1e-5, 1e-7, 1e-9, 2e-10] {
            let vector = (PI - distance) * axis;
            let log = Se3::new(Vector3::new(1.0, 2.0, 3.0), vector).log().unwrap();
            let error = (log.fixed_rows::<3>(3) - vector).amax();
            assert!(
                error < LOG_ACCURACY,
                "{distance:e} from π about {axis}: error {error:e}"
            );
        }
        for distance in [5e-11, 1e-14, 0.0, -1e-14] {
            let refused = Se3::from_axis_angle(&Unit::new_normalize(axis), PI - distance).log();
            let Err(LogAmbiguous {
                angle_rad,
                margin_rad,
            }) = refused
            else {
                panic!("{distance:e} from π about {axis} was not refused: {refused:?}");
            };
            assert!((PI - distance.abs() - angle_rad).abs() < LOG_ACCURACY);
            assert!(margin_rad > distance);
        }
    }
}

/// The plane has one axis, so a half turn has a logarithm either way; ours is π. The rotations
/// here include ones whose cosine rounding has carried past −1.
#[test]
fn planar_logarithm_of_half_turn_is_pi() {
    for cosine in [-1.0, -1.0 - f64::EPSILON, -1.0 + f64::EPSILON] {
        for sine in [0.0, -0.0, 1e-17, -1e-17, 1e-300] {
            let rotation = Matrix2::new(cosine, -sine, sine, cosine);
            let log = Se2::from_parts(Vector2::new(2.0, 0.0), rotation)
                .log()
                .unwrap();
            assert_eq!(log.z, PI);
            assert!(
                (log - Vector3::new(0.0, -PI, PI)).amax() < LOG_ACCURACY,
                "{log}"
            );
        }
    }
    assert_eq!(Se2::new(0.0, 0.0, -3.0).angle(), -3.0);
}

/// The smallest rotations must not be lost to underflow of their squares.
#[test]
fn tiny_twists_survive_the_round_trip_exactly() {
    for size in [1e-9, 1e-160, 1e-200, 1e-300] {
        let v = Vector6::repeat(size);
        assert_eq!(
            Se2::exp(&Vector3::repeat(size)).log().unwrap(),
            Vector3::repeat(size)
        );
        assert_eq!(Se3::exp(&v).log().unwrap(), v);
    }
}
