//! Poses tried one by one: which the platform reaches, and how.

use crate::attitude::Attitude;
use crate::config::PlatformConfig;
use crate::error::{PlatformError, Result};
use crate::motor_range::MotorRange;
use crate::statics::{Saved, StaticPlatform, StaticSettings, Target};
use multibody::group::{Group, Se3};
use nalgebra::Vector3;
use softdock_figures::{Columns, Table, Views, figures};
use std::path::PathBuf;

/// Where a path ends is found to a thousandth of it.
const ROUGH: StaticSettings = StaticSettings {
    smallest_step: 1e-3,
    ..StaticSettings::DEFAULT
};

/// One pose.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// Centre of the end effector [m].
    pub position: [f64; 3],
    /// Its attitude.
    pub attitude: Attitude,
    /// The equilibrium there, if there is one.
    pub reached: Option<Reached>,
    /// How far the path from the nominal pose came [%].
    pub reached_percent: f64,
    /// Why there is no equilibrium; empty if there is one.
    pub reason: String,
}

/// An equilibrium at a pose.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// Whether it is stable with the motors held.
    pub stable: bool,
    /// Whether all motors are inside their ranges.
    pub in_range: bool,
    /// Crank angles [rad].
    pub motors: Vec<f64>,
    /// Holding torques [N·m].
    pub torques: Vec<f64>,
    /// Changes of the chords from the nominal pose [m].
    pub strokes: Vec<f64>,
    /// Eigenvalues of the stiffness, rotations as arc lengths at the joints [N/m].
    pub eigenvalues: [f64; 6],
}

/// What all poses start from.
#[derive(Debug)]
pub struct Workspace {
    nominal: StaticPlatform,
    ranges: Vec<MotorRange>,
    saved: Saved,
    chords: Vec<f64>,
    force: Vector3<f64>,
    moment: Vector3<f64>,
    attitude: Attitude,
}

impl Workspace {
    /// Of a platform under a wrench at the end effector's centre [N, N·m], with the end effector in
    /// this attitude.
    pub fn new(
        config: &PlatformConfig,
        (force, moment): ([f64; 3], [f64; 3]),
        attitude: Attitude,
    ) -> Result<Self> {
        let nominal = StaticPlatform::nominal(config)?;
        Ok(Self {
            saved: nominal.save(),
            chords: nominal.chords(),
            ranges: MotorRange::of_legs(config)?,
            nominal,
            force: force.into(),
            moment: moment.into(),
            attitude,
        })
    }

    /// A platform to try poses with; threads have one each.
    pub fn platform(&self) -> StaticPlatform {
        self.nominal.clone()
    }

    /// Tries to bring the end effector's centre to `position` [m].
    pub fn attempt(&self, platform: &mut StaticPlatform, position: [f64; 3]) -> Result<Tried> {
        platform.restore(&self.saved)?;
        let target = Target {
            pose: Some(Se3::from_parts(position.into(), self.attitude.rotation())),
            motors: None,
            force: self.force,
            moment: self.moment,
        };
        let (reached, reached_percent, reason) = match platform.follow(&target, &ROUGH) {
            Ok(_) => (Some(self.reached(platform)?), 100.0, String::new()),
            Err(PlatformError::NoEquilibrium {
                reached_percent,
                reason,
            }) => (None, reached_percent, reason),
            Err(error) => return Err(error),
        };
        Ok(Tried {
            position,
            attitude: self.attitude,
            reached,
            reached_percent,
            reason,
        })
    }

    fn reached(&self, platform: &mut StaticPlatform) -> Result<Reached> {
        let stability = platform.stability()?;
        let mut motors = platform.motors().iter().zip(&self.ranges);
        let chords = platform.chords().into_iter().zip(&self.chords);
        Ok(Reached {
            stable: stability.stable,
            in_range: motors.all(|(&at, range)| range.used_at(at) <= 1.0),
            motors: platform.motors().to_vec(),
            torques: platform.holding_torques(),
            strokes: chords.map(|(now, before)| now - before).collect(),
            eigenvalues: platform.stiffness_report().eigenvalues,
        })
    }

    /// The columns of a table of poses.
    pub fn columns(legs: usize) -> Columns<Tried> {
        let flag = |on: bool| f64::from(u8::from(on));
        let is = move |tried: &Tried, what: fn(&Reached) -> bool| {
            flag(tried.reached.as_ref().is_some_and(what))
        };
        let number = |tried: &Tried, value: &dyn Fn(&Reached) -> f64| {
            tried.reached.as_ref().map_or(f64::NAN, value)
        };
        let equilibrium = "1 if an equilibrium was found there, by continuation";
        let in_range = "1 if all motors are within motor.range_rad of the pre-tensioned posture";
        Columns::new()
            .each(&["x", "y", "z"], "m", "position", |t: &Tried, i| {
                t.position[i]
            })
            .each(&Attitude::NAMES, "rad", "attitude", |t, i| {
                t.attitude.list()[i]
            })
            .one("reachable", "-", equilibrium, move |t| {
                flag(t.reached.is_some())
            })
            .one(
                "stable",
                "-",
                "1 if it is stable with the motors held",
                move |t| is(t, |reached| reached.stable),
            )
            .one("in_range", "-", in_range, move |t| {
                is(t, |reached| reached.in_range)
            })
            .one(
                "reached",
                "%",
                "how far the path from the nominal pose came",
                |t| (1e3 * t.reached_percent).round() / 1e3,
            )
            .numbered(legs, "motor_{}", "rad", "motor angles", move |t, i| {
                number(t, &|reached| reached.motors[i])
            })
            .numbered(legs, "torque_{}", "N·m", "holding torques", move |t, i| {
                number(t, &|reached| reached.torques[i])
            })
            .numbered(
                legs,
                "stroke_{}",
                "m",
                "change of the distance A to B from the nominal pose",
                move |t, i| number(t, &|reached| reached.strokes[i]),
            )
            .numbered(
                6,
                "k_{}",
                "N/m",
                "eigenvalues of the stiffness, rotations as arcs at the joints",
                move |t, i| number(t, &|reached| reached.eigenvalues[i]),
            )
    }

    /// The table of poses.
    pub fn table(tried: &[Tried], legs: usize) -> Table {
        let mut table = Self::columns(legs).table("workspace.csv", tried);
        let reasons = tried.iter().map(|tried| tried.reason.clone());
        table.words.push(("reason".to_owned(), reasons.collect()));
        table
    }
}

figures! {
    /// What trying many poses gave.
    pub struct WorkspaceResult;
    file: PathBuf as "The table of poses.";
    poses: usize as "Number of poses.";
    reachable: usize = "-", "reachable", "Poses with an equilibrium";
    stable: usize = "-", "stable", "Poses with a stable one";
    in_range: usize = "-", "motors in their range", "Poses with all motors inside their ranges";
    smallest_stiffness_range_n_per_m: [f64; 2] = "N/m", "smallest stiffness",
        "Smallest and largest of the smallest eigenvalue over the stable poses";
    longest_stroke_m: f64 = "m", "longest stroke", "Longest change of a chord";
    wall_s: f64 = "s", "wall time", "Time that the computation took";
}

impl WorkspaceResult {
    /// Of poses whose table is in `file`.
    pub fn new(tried: &[Tried], file: PathBuf, wall_s: f64) -> Self {
        let found: Vec<&Reached> = tried.iter().filter_map(|t| t.reached.as_ref()).collect();
        let mut softest = [f64::INFINITY, f64::NEG_INFINITY];
        for value in found.iter().filter(|f| f.stable).map(|f| f.eigenvalues[0]) {
            softest = [softest[0].min(value), softest[1].max(value)];
        }
        let strokes = found.iter().flat_map(|f| &f.strokes);
        Self {
            file,
            poses: tried.len(),
            reachable: found.len(),
            stable: found.iter().filter(|f| f.stable).count(),
            in_range: found.iter().filter(|f| f.in_range).count(),
            smallest_stiffness_range_n_per_m: softest,
            longest_stroke_m: strokes.fold(0.0, |longest, stroke| longest.max(stroke.abs())),
            wall_s,
        }
    }
}

impl Views for WorkspaceResult {
    const FILE: &'static str = "workspace.json";

    fn title(&self) -> String {
        format!("Workspace: {} poses", self.poses)
    }
}
