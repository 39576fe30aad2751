//! The start of a docking: platform in equilibrium, target in front of it.

use crate::config::{DockingConfig, Scenario};
use crate::error::{DockingError, Result};
use crate::panel;
use multibody::group::{Group, Se3};
use multibody::model::spatial_inertia;
use nalgebra::{Vector3, Vector6};
use softdock_platform::actuation::Actuation;
use softdock_platform::attitude::Attitude;
use softdock_platform::body::{Body, BodyState};
use softdock_platform::contact::{BodyMotion, ContactPair, Latch, Mounts};
use softdock_platform::statics::{StaticPlatform, StaticSettings, Target};

/// Where the search for the place of the target starts, along the docking axis [m].
const FAR: f64 = 20.0;
/// Most steps of that search.
const MOST_STEPS: usize = 10_000;
/// A place is found when the gap is this near to the one asked for [m].
const NEAR: f64 = 1e-12;

/// What meets the platform.
#[derive(Debug, Clone)]
pub struct ApproachingTarget {
    /// The target as a body; its frame is its port.
    pub body: Body,
    /// Its motion at the start.
    pub state: BodyState,
    /// Contact with the end effector.
    pub pair: ContactPair,
    /// The latch, open.
    pub latch: Latch,
    /// What it does by itself.
    pub actuation: Option<Actuation>,
}

/// The platform in equilibrium under its own weight, nothing touching it.
pub fn resting_platform(scenario: &Scenario) -> Result<StaticPlatform> {
    let mut platform = StaticPlatform::nominal(&scenario.platform)?;
    let target = Target {
        pose: None,
        motors: Some(platform.motors().to_vec()),
        force: Vector3::zeros(),
        moment: Vector3::zeros(),
    };
    platform.follow(&target, &StaticSettings::default())?;
    if scenario.docking.regulator.active() {
        platform.hold_motors();
    }
    Ok(platform)
}

/// The target in front of an end effector at rest in `effector`.
pub fn approaching_target(config: &DockingConfig, effector: &Se3) -> Result<ApproachingTarget> {
    config.validate()?;
    let pair = config.contact.pair(&Mounts::default())?;
    let wrong = &config.misalignment;
    let attitude = Attitude::from_degrees(wrong.pitch_deg, wrong.yaw_deg, wrong.roll_deg);
    let rotation = attitude.target_rotation();
    let offset = Vector3::new(wrong.lateral_x_m, wrong.lateral_y_m, 0.0);
    let axis_foot = effector.translation() + offset;
    let at = |height: f64| Se3::from_parts(axis_foot + Vector3::z() * height, rotation);
    let height = height_of_gap(config.initial_gap_m, |height| {
        let (a, b) = (
            BodyMotion::at_rest(*effector),
            BodyMotion::at_rest(at(height)),
        );
        pair.alignment(&a, &b).gap
    })?;
    let velocity = Vector3::new(
        wrong.lateral_rate_x_m_s,
        wrong.lateral_rate_y_m_s,
        -config.closing_speed_m_s,
    );
    let spin = Vector3::new(
        wrong.pitch_rate_deg_s,
        wrong.yaw_rate_deg_s,
        wrong.roll_rate_deg_s,
    )
    .map(f64::to_radians);
    let mut twist = Vector6::zeros();
    twist
        .fixed_rows_mut::<3>(0)
        .copy_from(&rotation.tr_mul(&velocity));
    twist
        .fixed_rows_mut::<3>(3)
        .copy_from(&rotation.tr_mul(&spin));
    let target = &config.target;
    let (tensor, centre) = (target.tensor(), target.centre_of_mass());
    let state = BodyState::moving(at(height), twist);
    let held = Attitude::from_degrees(
        target.hold.pitch_deg,
        target.hold.yaw_deg,
        target.hold.roll_deg,
    );
    let centre_of_mass = Vector3::from(centre);
    let law = (target.hold).law(&state, &centre_of_mass, held.target_rotation());
    Ok(ApproachingTarget {
        actuation: Actuation::new(centre_of_mass, target.wrench.history(), law, 0.0),
        body: Body {
            inertia: spatial_inertia(target.mass_kg, centre, tensor)
                + panel::inertia(&target.panel),
            // A test bench carries the weight of what stands for the target.
            gravity: Vector3::zeros(),
            modes: panel::modes(&target.panel),
        },
        state,
        latch: config.contact.latch.latch(&pair),
        pair,
    })
}

/// The height at which the gap is `wanted`: down from far away by what the gap allows, which never
/// passes a surface because a gap cannot shrink faster than the height.
fn height_of_gap(wanted: f64, gap_at: impl Fn(f64) -> f64) -> Result<f64> {
    let mut height = FAR;
    for _ in 0..MOST_STEPS {
        let excess = gap_at(height) - wanted;
        if excess.abs() <= NEAR {
            return Ok(height);
        }
        height -= excess;
        if height < -FAR {
            break;
        }
    }
    Err(DockingError::NoApproach { gap_m: wanted })
}
