//! `softdock platform inverse --motion`: what the motors must do to lead the end effector along a path.
//!
//! At times along the path the motor angles are those of the equilibrium under the wrench from outside and
//! the inertia of the end effector there (d'Alembert); then the platform is run with these angles prescribed,
//! and its torques are read off. Damping and the inertia of the legs are in that run alone, so the end
//! effector strays from its path a little; by how much is told.

use crate::inverse::{Demand, DemandResult, DemandSample, Spline, Wanted};
use crate::run;
use anyhow::{Context, Result};
use leg_core::config::MotorMode;
use multibody::group::{Group, Se3};
use multibody::model::{Interpolation, Signal};
use nalgebra::{Vector3, Vector6};
use softdock_platform::PlatformConfig;
use softdock_platform::attitude::Attitude;
use softdock_platform::results::Motion;
use softdock_platform::scheme;
use softdock_platform::statics::{StaticPlatform, StaticSettings, Target};
use softdock_platform::wrench::WrenchHistory;
use std::path::Path;

/// Columns of the motion beside the time: pose, then a wrench.
pub const COLUMNS: [&str; 12] = [
    "x_m",
    "y_m",
    "z_m",
    "pitch_rad",
    "yaw_rad",
    "roll_rad",
    "force_x_n",
    "force_y_n",
    "force_z_n",
    "moment_x_nm",
    "moment_y_nm",
    "moment_z_nm",
];

/// Most equilibria along a path.
const MOST_PLACES: usize = 400;
/// They are not nearer than this many steps.
const STEPS_BETWEEN: f64 = 4.0;
/// Half the distance of the attitudes that the angular acceleration is taken from [s].
const APART: f64 = 1e-3;

/// The path of the end effector.
struct PathOf<'a> {
    wanted: &'a Wanted,
    nominal: [f64; 6],
}

impl PathOf<'_> {
    fn pose_list(&self, time: f64) -> [f64; 6] {
        core::array::from_fn(|i| {
            let found = self.wanted.at(COLUMNS[i], time);
            found.map_or(self.nominal[i], |at| at[0])
        })
    }

    fn pose(&self, time: f64) -> Se3 {
        let [x, y, z, pitch, yaw, roll] = self.pose_list(time);
        let attitude = Attitude::from([pitch, yaw, roll]);
        Se3::from_parts(Vector3::new(x, y, z), attitude.rotation())
    }

    /// The wrench from outside, world axes.
    fn wrench(&self, time: f64) -> Vector6<f64> {
        Vector6::from_fn(|i, _| self.wanted.at(COLUMNS[6 + i], time).map_or(0.0, |at| at[0]))
    }

    /// Inertia forces of the end effector with the inertia `m`: force and moment about its origin, world axes.
    fn inertia(&self, m: &nalgebra::Matrix6<f64>, time: f64) -> Vector6<f64> {
        let rotation = self.pose(time).rotation();
        let of = |derivative: usize| {
            let at = |i: usize| {
                self.wanted
                    .at(COLUMNS[i], time)
                    .map_or(0.0, |at| at[derivative])
            };
            rotation.tr_mul(&Vector3::new(at(0), at(1), at(2)))
        };
        // The attitude against the one now, before and after; at an end beside it, as the path stands still
        // beyond.
        let last = (self.wanted.duration - APART).max(APART);
        let time = time.clamp(APART, last);
        let here = Se3::from_parts(Vector3::zeros(), self.pose(time).rotation());
        let turn = |by: f64| -> Vector3<f64> {
            let there = Se3::from_parts(Vector3::zeros(), self.pose(time + by).rotation());
            turned(&here, &there)
        };
        let (after, before) = (turn(APART), turn(-APART));
        let omega = (after - before) / (2.0 * APART);
        let omega_rate = (after + before) / (APART * APART);
        let velocity = of(1);
        let linear_rate = of(2) - omega.cross(&velocity);
        let twist = join(&velocity, &omega);
        let (momentum, change) = (m * twist, m * join(&linear_rate, &omega_rate));
        let part = |v: &Vector6<f64>, k: usize| -> Vector3<f64> { v.fixed_rows::<3>(3 * k).into() };
        let force = part(&change, 0) + omega.cross(&part(&momentum, 0));
        let moment = part(&change, 1)
            + omega.cross(&part(&momentum, 1))
            + velocity.cross(&part(&momentum, 0));
        join(&(rotation * force), &(rotation * moment))
    }
}

/// Turn from one attitude to another in the axes of the first [rad]; nothing at half a turn, where its axis is
/// not known.
fn turned(from: &Se3, to: &Se3) -> Vector3<f64> {
    let between = from.inverse().compose(to).log();
    between.map_or_else(|_| Vector3::zeros(), |v| v.fixed_rows::<3>(3).into())
}

fn join(a: &Vector3<f64>, b: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

/// Computes what the motors must do.
pub fn compute(config: &PlatformConfig, file: &Path) -> Result<DemandResult> {
    let wanted = Wanted::read(file, &COLUMNS)?;
    let mut config = config.clone();
    config.motor.mode = MotorMode::Angle;
    config.motor.angle_rad = Default::default();
    let step = config.solver.step_s;
    run::check_times(wanted.duration, step).map_err(crate::failure::BadInput::new)?;
    let nominal = StaticPlatform::nominal(&config)?;
    let place = nominal.pose().translation();
    let turn = Attitude::of_body(nominal.pose()).list();
    let path = PathOf {
        wanted: &wanted,
        nominal: [place.x, place.y, place.z, turn[0], turn[1], turn[2]],
    };
    let (start, angles, holding) = angles_along(&path, nominal, step)?;
    let wrench = wrench_history(&path, step);
    let mut platform = scheme::start(&start, wrench)?;
    let rows = run::Grid::new(wanted.duration, step);
    let times: Vec<f64> = (0..=rows.last).map(|i| rows.time(i)).collect();
    for (leg, spline) in angles.iter().enumerate() {
        let first = spline.at(0.0)[0];
        let signal = Signal::Table {
            times: times.clone(),
            values: times.iter().map(|t| spline.at(*t)[0] - first).collect(),
            interpolation: Interpolation::Cubic,
        };
        platform.set_motor(leg, None, Some(signal));
    }
    let mut motion = Motion::new(platform, Vec::new())?;
    let (mut samples, mut worst) = (Vec::new(), [0.0_f64; 2]);
    let mut progress = run::Progress::new(wanted.duration);
    for time in times {
        let sample = motion.advance_to(time)?;
        let pose = path.pose(time);
        let centre = Vector3::from(sample.effector.position);
        let attitude = sample.effector.attitude.rotation();
        let off = (centre - pose.translation()).norm();
        let asked = Se3::from_parts(Vector3::zeros(), pose.rotation());
        let shown = Se3::from_parts(Vector3::zeros(), attitude);
        let turned = turned(&asked, &shown).norm();
        worst = [worst[0].max(off), worst[1].max(turned)];
        samples.push(DemandSample {
            t: time,
            motors: (sample.legs.iter())
                .map(|leg| [leg.motor_angle, leg.motor_rate, leg.motor_torque])
                .collect(),
            holding: holding.iter().map(|spline| spline.at(time)[0]).collect(),
            more: (sample.effector.position.into_iter())
                .chain(sample.effector.attitude.list())
                .chain([off, turned])
                .collect(),
        });
        progress.at(time);
    }
    progress.finish();
    let watch = motion.account();
    let demand = Demand {
        heading: "What the motors of the platform must do".to_owned(),
        names: (1..=angles.len())
            .map(|leg| format!("motor {leg}"))
            .collect(),
        samples,
        more: vec![
            ("x_m", "m", "centre of the end effector"),
            ("y_m", "m", "centre of the end effector"),
            ("z_m", "m", "centre of the end effector"),
            ("pitch_rad", "rad", "its attitude"),
            ("yaw_rad", "rad", "its attitude"),
            ("roll_rad", "rad", "its attitude"),
            ("position_error_m", "m", "distance from the path"),
            (
                "attitude_error_rad",
                "rad",
                "angle from the attitude asked for",
            ),
        ],
        soundness: watch.soundness(),
        energy_residual_rel: watch.missing_share(),
        errors: Some(worst),
    };
    Ok(DemandResult::new(demand, &config.motor))
}

/// The equilibrium at the start, and angles and holding torques of the motors along the path.
fn angles_along(
    path: &PathOf<'_>,
    mut platform: StaticPlatform,
    step: f64,
) -> Result<(StaticPlatform, Vec<Spline>, Vec<Spline>)> {
    let duration = path.wanted.duration;
    let between = (STEPS_BETWEEN * step).max(duration / MOST_PLACES as f64);
    let count = (duration / between).ceil().max(4.0) as usize;
    let inertia = platform.effector().inertia;
    let legs = platform.motors().len();
    let (mut angles, mut torques) = (vec![Vec::new(); legs], vec![Vec::new(); legs]);
    let (mut times, mut start) = (Vec::new(), None);
    for i in 0..=count {
        let time = duration * i as f64 / count as f64;
        let load = path.wrench(time) - path.inertia(&inertia, time);
        let target = Target {
            pose: Some(path.pose(time)),
            motors: None,
            force: load.fixed_rows::<3>(0).into(),
            moment: load.fixed_rows::<3>(3).into(),
        };
        platform
            .follow(&target, &StaticSettings::default())
            .with_context(|| format!("the motion asked for, at t = {time:.4} s"))?;
        times.push(time);
        for (leg, (angle, torque)) in
            (platform.motors().iter().zip(platform.holding_torques())).enumerate()
        {
            angles[leg].push(*angle);
            torques[leg].push(torque);
        }
        start.get_or_insert_with(|| platform.clone());
    }
    let splines = |lists: Vec<Vec<f64>>| -> Vec<Spline> {
        let one = |values| Spline::new(times.clone(), values);
        lists.into_iter().map(one).collect()
    };
    let start = start.unwrap_or(platform);
    Ok((start, splines(angles), splines(torques)))
}

/// The wrench from outside as histories.
fn wrench_history(path: &PathOf<'_>, step: f64) -> WrenchHistory {
    let rows = run::Grid::new(path.wanted.duration, step);
    let times: Vec<f64> = (0..=rows.last).map(|i| rows.time(i)).collect();
    WrenchHistory(core::array::from_fn(|i| Signal::Table {
        values: times.iter().map(|t| path.wrench(*t)[i]).collect(),
        times: times.clone(),
        interpolation: Interpolation::Linear,
    }))
}
