//! Settings and figures that name a leg, an axis or a place.

use multibody::group::{Group, Se3};
use multibody::model::spatial_inertia;
use nalgebra::{Matrix3, Rotation3, Vector3};
use softdock_platform::PlatformConfig;
use softdock_platform::body::{Body, gravity_energy, weight_of};

/// Sums of a few products.
const ROUNDING: f64 = 1e-12;

#[test]
fn gravity_energy_is_that_of_the_mass_centre_and_weight_is_its_slope() {
    let (mass, centre) = (7.0, Vector3::new(0.3, -0.2, 0.5));
    let inertia = spatial_inertia(mass, centre.into(), Matrix3::identity());
    let body = Body::rigid(inertia, Vector3::new(1.0, 2.0, -9.0));
    let place = Vector3::new(4.0, 5.0, 6.0);
    for angles in [[0.0, 0.0, 0.0], [0.4, -1.1, 2.0], [3.0, 0.2, -0.7]] {
        let turn = Rotation3::from_euler_angles(angles[0], angles[1], angles[2]);
        let pose = Se3::from_parts(place, turn.into_inner());
        let expected = -mass * body.gravity.dot(&(place + turn * centre));
        let found = gravity_energy(&body, &pose);
        assert!(
            (found - expected).abs() < ROUNDING * expected.abs(),
            "{found} {expected}"
        );
        let (weight, _) = weight_of(&body, &pose);
        for i in 0..6 {
            // Central differences of a linear and a trigonometric function.
            let step = 1e-5;
            let mut along = nalgebra::Vector6::zeros();
            along[i] = step;
            let at = |direction| gravity_energy(&body, &pose.compose(&Se3::exp(&direction)));
            let slope = (at(along) - at(-along)) / (2.0 * step);
            assert!(
                (slope + weight[i]).abs() < 1e-6,
                "{i}: {slope} {}",
                weight[i]
            );
        }
    }
}

#[test]
fn every_leg_takes_its_own_entries_of_the_lists() {
    let mut config = PlatformConfig::default();
    let legs = &mut config.legs;
    legs.q1_rad = vec![0.01, 0.02, 0.03, 0.04, 0.05, 0.06];
    legs.crank_azimuth_deg = vec![61.0, 117.0, 182.0, 239.0, 301.0, 359.0];
    let (q1, crank) = (legs.q1_rad.clone(), legs.crank_azimuth_deg.clone());
    let (motor, sphere) = (
        legs.motor_azimuth_deg.clone(),
        legs.sphere_azimuth_deg.clone(),
    );
    let at = |azimuth: f64| {
        let angle = azimuth.to_radians();
        Vector3::new(angle.cos(), angle.sin(), 0.0)
    };
    let height = Vector3::from(config.end_effector.position_m);
    let configs = config.leg_configs().unwrap();
    assert_eq!(configs.len(), 6);
    for (i, leg) in configs.iter().enumerate() {
        assert_eq!(leg.q1_rad, q1[i]);
        let same = |found: [f64; 3], expected: Vector3<f64>| {
            (Vector3::from(found) - expected).norm() < ROUNDING
        };
        let motor = at(motor[i]) * config.legs.motor_radius_m;
        assert!(same(leg.base.motor_position_m, motor), "{i}");
        assert!(same(leg.base.crank_direction, at(crank[i])), "{i}");
        let tip = height + at(sphere[i]) * config.legs.sphere_radius_m;
        assert!(same(leg.tip_position_m, tip), "{i}");
    }
}
