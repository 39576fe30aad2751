//! Kinetostatics: published angles, round trips, balance, stiffness, limit points, stability.

use crate::{dfki_rods, free_equilibrium};
use leg_core::planar::LinkDrive;
use multibody::group::{Group, Se3};
use multibody::modal;
use multibody::workspace::Workspace;
use nalgebra::{Rotation3, Vector3, Vector6};
use rayon::prelude::*;
use softdock_platform::PlatformConfig;
use softdock_platform::statics::{CurveEnd, CurveSettings, StaticPlatform, StaticSettings, Target};
use softdock_platform::whole_model::WholeModel;

fn pose(position: [f64; 3], rpy: [f64; 3]) -> Se3 {
    let rotation = Rotation3::from_euler_angles(rpy[0], rpy[1], rpy[2]);
    Se3::from_parts(position.into(), rotation.into_inner())
}

fn inverse(pose: Se3, force: [f64; 3], moment: [f64; 3]) -> Target {
    Target {
        pose: Some(pose),
        motors: None,
        force: force.into(),
        moment: moment.into(),
    }
}

fn forward(motors: &[f64], force: [f64; 3], moment: [f64; 3]) -> Target {
    Target {
        pose: None,
        motors: Some(motors.to_vec()),
        force: force.into(),
        moment: moment.into(),
    }
}

/// Published motor angles of legs 1, 3, 4 [rad], rounded to eight decimals.
const PUBLISHED: [f64; 3] = [0.48785636, 0.42037418, 0.28121390];

#[test]
fn motor_angles_of_the_published_platform_are_reproduced() {
    let mut platform = StaticPlatform::nominal(&dfki_rods()).unwrap();
    let target = inverse(
        pose([0.0, 0.0, 0.5], [10.0_f64.to_radians(), 0.0, 0.0]),
        [0.0; 3],
        [0.0; 3],
    );
    platform
        .follow(&target, &StaticSettings::default())
        .unwrap();
    let q = platform.motors();
    for (leg, published) in [0, 2, 3].into_iter().zip(PUBLISHED) {
        assert!((q[leg] - published).abs() < 2e-8, "{} {}", leg + 1, q[leg]);
    }
    // The pose is symmetric about the plane x = 0: legs 1 and 2, 3 and 6, 4 and 5.
    for (a, b) in [(0, 1), (2, 5), (3, 4)] {
        assert!((q[a] - q[b]).abs() < 1e-10);
    }
}

/// Numbers in [−1, 1] that are always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn three(&mut self, scale: [f64; 3]) -> [f64; 3] {
        scale.map(|x| x * self.next())
    }
}

/// How a round trip ended.
#[derive(Debug, Clone, PartialEq)]
enum Trip {
    /// Back at the pose, with this error [m, rad].
    Back(f64),
    /// No motor angles for this pose.
    Unreachable(String),
    /// The pose is an unstable equilibrium: with the motors held there the platform leaves it.
    Unstable,
    /// Forward ended elsewhere, or nowhere.
    Lost(String),
}

/// Ranges of poses about the nominal one, and of wrenches.
struct Ranges {
    position: [f64; 3],
    rpy: [f64; 3],
    force: [f64; 3],
    moment: [f64; 3],
}

fn trip(nominal: &StaticPlatform, ranges: &Ranges, index: u64) -> Trip {
    let mut numbers = Numbers(0x9e37_79b9 + 7919 * index);
    for _ in 0..4 {
        numbers.next();
    }
    let centre = Vector3::from(nominal.config().end_effector.position_m);
    let asked = pose(
        (centre + Vector3::from(numbers.three(ranges.position))).into(),
        numbers.three(ranges.rpy),
    );
    let (force, moment) = (numbers.three(ranges.force), numbers.three(ranges.moment));
    let settings = StaticSettings::default();
    let mut there = nominal.clone();
    if let Err(error) = there.follow(&inverse(asked, force, moment), &settings) {
        return Trip::Unreachable(error.to_string());
    }
    let stable = there.stability().unwrap().stable;
    let mut back = nominal.clone();
    let found = back.follow(&forward(there.motors(), force, moment), &settings);
    let error = back.pose().between(&asked).log().unwrap().amax();
    match found {
        Ok(_) if error <= 1e-9 => Trip::Back(error),
        _ if !stable => Trip::Unstable,
        Ok(_) => Trip::Lost(format!("{error:e} away")),
        Err(error) => Trip::Lost(error.to_string()),
    }
}

fn round_trips(name: &str, config: &PlatformConfig, ranges: &Ranges) {
    let nominal = StaticPlatform::nominal(config).unwrap();
    let trips: Vec<Trip> = (0..1000u64)
        .into_par_iter()
        .map(|index| trip(&nominal, ranges, index))
        .collect();
    let count = |is: fn(&Trip) -> bool| trips.iter().filter(|trip| is(trip)).count();
    let back = count(|trip| matches!(trip, Trip::Back(_)));
    let unreachable = count(|trip| matches!(trip, Trip::Unreachable(_)));
    let unstable = count(|trip| matches!(trip, Trip::Unstable));
    let lost = count(|trip| matches!(trip, Trip::Lost(_)));
    let worst = trips.iter().fold(0.0_f64, |worst, trip| match trip {
        Trip::Back(error) => worst.max(*error),
        _ => worst,
    });
    println!(
        "{name}: {back} of 1000 back within {worst:.1e}, {unreachable} out of reach, {unstable} \
         unstable, {lost} lost"
    );
    let reasons = trips.iter().filter_map(|trip| match trip {
        Trip::Unreachable(why) | Trip::Lost(why) => Some(why),
        _ => None,
    });
    for why in reasons.take(3) {
        println!("  such as: {why}");
    }
    assert!(back >= 900 && lost == 0, "{name}");
}

#[test]
fn forward_of_inverse_is_the_pose() {
    let ranges = Ranges {
        position: [0.09, 0.09, 0.07],
        rpy: [0.25, 0.25, 0.35],
        force: [3.0, 3.0, 20.0],
        moment: [0.3, 0.3, 0.3],
    };
    round_trips("pacoma", &PlatformConfig::default(), &ranges);
    let ranges = Ranges {
        position: [0.12, 0.12, 0.08],
        rpy: [0.4, 0.4, 0.5],
        force: [2.0, 2.0, 8.0],
        moment: [0.2, 0.2, 0.2],
    };
    round_trips("dfki-rods", &dfki_rods(), &ranges);
}

#[test]
fn moments_balance_about_any_point() {
    let mut numbers = Numbers(42);
    for config in [PlatformConfig::default(), dfki_rods()] {
        let nominal = StaticPlatform::nominal(&config).unwrap();
        let (force, moment) = ([2.0, -1.0, -6.0], [0.2, 0.1, -0.3]);
        let mut platform = nominal.clone();
        let target = forward(nominal.motors(), force, moment);
        let found = platform
            .follow(&target, &StaticSettings::default())
            .unwrap();
        assert!(found.residual < 1e-10, "{found:?}");
        let (force, moment) = (Vector3::from(force), Vector3::from(moment));
        let centre = platform.pose().translation();
        let weight = platform.effector().gravity * config.end_effector.mass_kg;
        for _ in 0..20 {
            let about = Vector3::from(numbers.three([1.0; 3]));
            let mut total = (centre - about).cross(&(force + weight)) + moment;
            for (sphere, on_effector) in platform.spheres().iter().zip(platform.leg_forces()) {
                let at = centre + platform.pose().rotation() * sphere;
                total += (at - about).cross(&on_effector);
            }
            assert!(total.norm() < 1e-9, "{total}");
        }
    }
}

#[test]
fn stiffness_is_the_slope_of_the_load() {
    for config in [PlatformConfig::default(), dfki_rods()] {
        let mut start = StaticPlatform::nominal(&config).unwrap();
        let motors = start.motors().to_vec();
        let (force, moment) = ([1.0, 2.0, -4.0], [0.1, -0.2, 0.1]);
        let settings = StaticSettings::default();
        start
            .follow(&forward(&motors, force, moment), &settings)
            .unwrap();
        let report = start.stiffness_report();
        let rotation = start.pose().rotation();
        let h = 1e-3;
        for k in 0..6 {
            let moved = |sign: f64| {
                let (mut f, mut m) = (force, moment);
                if k < 3 {
                    f[k] += sign * h;
                } else {
                    m[k - 3] += sign * h;
                }
                let mut platform = start.clone();
                platform.follow(&forward(&motors, f, m), &settings).unwrap();
                let twist = start.pose().between(platform.pose()).log().unwrap();
                let mut world = Vector6::zeros();
                for block in [0, 3] {
                    let part = rotation * twist.fixed_rows::<3>(block);
                    world.fixed_rows_mut::<3>(block).copy_from(&part);
                }
                world
            };
            let slope = (moved(1.0) - moved(-1.0)) / (2.0 * h);
            let load = report.matrix * slope;
            let mut unit = Vector6::zeros();
            unit[k] = 1.0;
            assert!((load - unit).amax() < 1e-5, "{k}: {load}");
        }
    }
}

/// Unstable modes of the platform as one model: the same question put to other code.
fn unstable_modes(platform: &StaticPlatform) -> usize {
    let whole = WholeModel::driven(platform, LinkDrive::Prescribed).unwrap();
    let mut workspace = Workspace::new(&whole.model);
    modal::modes(&whole.model, &whole.rest, &mut workspace, 1)
        .unwrap()
        .unstable
}

#[test]
fn a_lateral_load_ends_at_a_limit_point_and_beyond_it_the_equilibrium_is_unstable() {
    let mut config = PlatformConfig::default();
    config.legs.elements = 4;
    let mut platform = free_equilibrium(&config);
    let start = platform.save();
    let target = forward(platform.motors(), [100.0, 0.0, 0.0], [0.0; 3]);
    let error = platform
        .follow(&target, &StaticSettings::default())
        .unwrap_err()
        .to_string();
    println!("{error}");
    assert!(error.contains("limit point"), "{error}");
    let reached: f64 = error
        .split("the path ended at ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .unwrap()
        .parse()
        .unwrap();
    assert!(platform.stability().unwrap().stable);
    assert_eq!(unstable_modes(&platform), 0);

    platform.restore(&start).unwrap();
    let settings = CurveSettings {
        most_points: 80,
        ..CurveSettings::default()
    };
    let curve = platform.load_curve(&target, &settings).unwrap();
    assert_eq!(curve.end, CurveEnd::Points);
    println!("limit points at {:?}", curve.limits);
    assert!((100.0 * curve.limits[0] - reached).abs() < 0.1);
    let top = curve
        .points
        .iter()
        .position(|point| point.unstable_directions > 0)
        .unwrap();
    for (i, point) in curve.points.iter().enumerate() {
        assert!(point.residual < 1e-7);
        assert_eq!(point.unstable_directions, usize::from(i >= top), "{i}");
    }
    let stability = platform.stability().unwrap();
    assert!(!stability.stable && stability.unstable_legs.is_empty());
    assert_eq!(unstable_modes(&platform), 1);
}

#[test]
fn an_upright_load_beyond_the_first_branching_is_called_unstable() {
    // Pressed down along its axis of symmetry the platform could stay symmetric, but would not.
    let mut config = PlatformConfig::default();
    config.legs.elements = 4;
    let mut platform = free_equilibrium(&config);
    let motors = platform.motors().to_vec();
    let settings = StaticSettings::default();
    let mut last = (0, 0.0);
    for force in [20.0, 60.0, 120.0, 250.0] {
        let target = forward(&motors, [0.0, 0.0, -force], [0.0; 3]);
        let found = platform.follow(&target, &settings).unwrap();
        let count = platform.stability().unwrap().unstable_directions;
        assert_eq!(unstable_modes(&platform), count, "{force} N");
        assert_eq!(found.unstable_from.is_some(), count > 0);
        last = (count, force);
    }
    assert!(last.0 >= 2, "{last:?}");
}

#[test]
fn impossible_poses_say_how_far_and_why() {
    let mut platform = StaticPlatform::nominal(&PlatformConfig::default()).unwrap();
    let start = platform.save();
    for (position, expected) in [
        ([0.0, 0.0, 0.7], "takes most part"),
        ([0.4, 0.0, 0.4], "takes most part"),
    ] {
        platform.restore(&start).unwrap();
        let target = inverse(pose(position, [0.0; 3]), [0.0; 3], [0.0; 3]);
        let error = platform
            .follow(&target, &StaticSettings::default())
            .unwrap_err();
        println!("{error}");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(platform.residual() < 1e-8);
    }
}
