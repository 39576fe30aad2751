//! `softdock leg inverse` and `softdock platform inverse --motion`: what motors must do for a motion.

mod spline;

use crate::failure::BadInput;
use crate::input_table;
use anyhow::Result;
use leg_core::config::Motor;
use multibody::results::soundness::Soundness;
use serde::Serialize;
use softdock_figures::{Columns, Judged, Table, Views, curve, figures};
use softdock_report::{Axis, Block, Chart, Series};
pub use spline::Spline;
use std::path::Path;

/// A motion asked for: columns of a table as splines.
#[derive(Debug)]
pub struct Wanted {
    /// Its end [s].
    pub duration: f64,
    columns: Vec<(String, Spline)>,
}

impl Wanted {
    /// Reads a table with a column `time_s` that begins at zero and any of the columns `known`.
    pub fn read(path: &Path, known: &[&str]) -> Result<Self> {
        let table = input_table::read(path, known)?;
        let (first, last) = (table.times[0], table.times[table.times.len() - 1]);
        if first != 0.0 || last <= 0.0 {
            let message = format!(
                "{}: time_s goes from {first} to {last}; a motion begins at 0 and has two rows or more",
                path.display()
            );
            return Err(BadInput::new(message).into());
        }
        let columns = table.columns.into_iter();
        Ok(Self {
            duration: last,
            columns: columns
                .map(|(name, values)| (name, Spline::new(table.times.clone(), values)))
                .collect(),
        })
    }

    /// Value, rate and acceleration of a column, if the table has it.
    pub fn at(&self, column: &str, time: f64) -> Option<[f64; 3]> {
        let mut columns = self.columns.iter();
        let found = columns.find(|(name, _)| name == column)?;
        Some(found.1.at(time))
    }
}

/// What motors do at a time.
#[derive(Debug, Clone, Serialize)]
pub struct DemandSample {
    /// Time [s].
    pub t: f64,
    /// Angle [rad], rate [rad/s] and torque [N·m] of every motor.
    pub motors: Vec<[f64; 3]>,
    /// Torques that would hold every place at rest [N·m], where they are known.
    pub holding: Vec<f64>,
    /// Further values, in the order of their columns.
    pub more: Vec<f64>,
}

/// What a motor must be able to do.
#[derive(Debug, Clone, Default, Serialize)]
pub struct MotorDemand {
    /// Which one.
    name: String,
    /// Largest torque, either way [N·m].
    peak_torque_nm: f64,
    /// Root of the mean square of its torque [N·m].
    rms_torque_nm: f64,
    /// Largest rate [rad/s].
    peak_rate_rad_per_s: f64,
    /// Largest power that it gives [W].
    peak_power_w: f64,
    /// Largest power that it takes up [W].
    peak_braking_w: f64,
    /// Smallest and largest angle [rad].
    angle_range_rad: [f64; 2],
}

figures! {
    /// What motors must do for a motion.
    pub struct DemandResult;
    /// The verdict.
    #[serde(flatten)]
    soundness: Soundness;
    duration_s: f64 as "Duration of the motion [s].";
    largest_torque_nm: f64 = "N·m", "largest torque", "Largest torque of a motor", headline();
    largest_rms_torque_nm: f64 = "N·m", "largest torque, r.m.s.",
        "Largest root of the mean square of a motor's torque", headline();
    largest_rate_rad_per_s: f64 = "rad/s", "largest rate", "Largest rate of a motor", headline();
    largest_power_w: f64 = "W", "largest power", "Largest power that a motor gives", headline();
    torque_limit_use: f64 = "-", "of motor.torque_limit_nm",
        "Largest torque over motor.torque_limit_nm", headline();
    largest_position_error_m: Option<f64> = "m", "off the path",
        "Largest distance of the end effector's centre from the path asked for", optional();
    largest_attitude_error_rad: Option<f64> = "rad", "off the attitude",
        "Largest angle between the end effector's attitude and the one asked for", optional();
    energy_residual_rel: f64 = "-", "energy missed", "Energy that the account misses over what moved",
        exponent(1);
    motors: Vec<MotorDemand> as "What every motor must be able to do.";
    /// What was computed, over time.
    #[serde(skip)]
    samples: Vec<DemandSample> as "";
    /// Names, units and meanings of the further columns.
    #[serde(skip)]
    more: Vec<(&'static str, &'static str, &'static str)> as "";
    /// The heading.
    #[serde(skip)]
    heading: String as "";
}

impl Judged for DemandResult {
    fn soundness(&self) -> &Soundness {
        &self.soundness
    }
}

/// What a run hands over.
#[derive(Debug)]
pub struct Demand {
    /// The heading.
    pub heading: String,
    /// The motors' names.
    pub names: Vec<String>,
    /// Rows.
    pub samples: Vec<DemandSample>,
    /// Names, units and meanings of the further columns.
    pub more: Vec<(&'static str, &'static str, &'static str)>,
    /// The verdict.
    pub soundness: Soundness,
    /// Energy that the account misses over what moved.
    pub energy_residual_rel: f64,
    /// Largest errors of position [m] and attitude [rad], of a platform.
    pub errors: Option<[f64; 2]>,
}

impl DemandResult {
    /// The figures of a run.
    pub fn new(demand: Demand, motor: &Motor) -> Self {
        let Demand { names, samples, .. } = demand;
        let motors: Vec<MotorDemand> = (names.into_iter().enumerate())
            .map(|(i, name)| MotorDemand::of(name, i, &samples))
            .collect();
        let largest = |of: fn(&MotorDemand) -> f64| motors.iter().map(of).fold(0.0, f64::max);
        let torque = largest(|motor| motor.peak_torque_nm);
        Self {
            soundness: demand.soundness,
            duration_s: samples.last().map_or(0.0, |last| last.t),
            largest_torque_nm: torque,
            largest_rms_torque_nm: largest(|motor| motor.rms_torque_nm),
            largest_rate_rad_per_s: largest(|motor| motor.peak_rate_rad_per_s),
            largest_power_w: largest(|motor| motor.peak_power_w),
            torque_limit_use: torque / motor.torque_limit_nm,
            largest_position_error_m: demand.errors.map(|errors| errors[0]),
            largest_attitude_error_rad: demand.errors.map(|errors| errors[1]),
            energy_residual_rel: demand.energy_residual_rel,
            motors,
            samples,
            more: demand.more,
            heading: demand.heading,
        }
    }
}

impl MotorDemand {
    fn of(name: String, motor: usize, samples: &[DemandSample]) -> Self {
        let mut out = Self {
            name,
            angle_range_rad: [f64::MAX, f64::MIN],
            ..Self::default()
        };
        let (mut square, mut before) = (0.0, None);
        for sample in samples {
            let [angle, rate, torque] = sample.motors[motor];
            out.peak_torque_nm = out.peak_torque_nm.max(torque.abs());
            out.peak_rate_rad_per_s = out.peak_rate_rad_per_s.max(rate.abs());
            out.peak_power_w = out.peak_power_w.max(torque * rate);
            out.peak_braking_w = out.peak_braking_w.max(-torque * rate);
            let [low, high] = out.angle_range_rad;
            out.angle_range_rad = [low.min(angle), high.max(angle)];
            if let Some((time, last)) = before {
                square += 0.5 * (sample.t - time) * (torque * torque + last);
            }
            before = Some((sample.t, torque * torque));
        }
        let duration = samples.last().map_or(0.0, |last| last.t);
        if duration > 0.0 {
            out.rms_torque_nm = (square / duration).sqrt();
        }
        out
    }
}

impl Views for DemandResult {
    const FILE: &'static str = "inverse.json";

    fn title(&self) -> String {
        self.heading.clone()
    }

    fn lead(&self) -> String {
        format!("{} s of motion.", self.duration_s)
    }

    fn listing(&self) -> Option<(Vec<&'static str>, Vec<Vec<String>>)> {
        let header = vec![
            "motor",
            "torque [N·m]",
            "r.m.s.",
            "rate [rad/s]",
            "power [W]",
            "braking [W]",
            "angles [rad]",
        ];
        let row = |motor: &MotorDemand| {
            let [low, high] = motor.angle_range_rad;
            vec![
                motor.name.clone(),
                format!("{:.4}", motor.peak_torque_nm),
                format!("{:.4}", motor.rms_torque_nm),
                format!("{:.4}", motor.peak_rate_rad_per_s),
                format!("{:.4}", motor.peak_power_w),
                format!("{:.4}", motor.peak_braking_w),
                format!("{low:.4} to {high:.4}"),
            ]
        };
        Some((header, self.motors.iter().map(row).collect()))
    }

    fn verdict(&self) -> Soundness {
        self.soundness.clone()
    }

    fn tables(&self) -> Vec<Table> {
        let count = self.motors.len();
        let mut columns = Columns::over_time(|s: &DemandSample| s.t)
            .numbered(count, "motor_{}_angle_rad", "rad", "angle", |s, i| {
                s.motors[i][0]
            })
            .numbered(count, "motor_{}_rate_rad_per_s", "rad/s", "rate", |s, i| {
                s.motors[i][1]
            })
            .numbered(count, "motor_{}_torque_nm", "N·m", "torque", |s, i| {
                s.motors[i][2]
            });
        if self.samples.iter().all(|s| s.holding.len() == count) {
            let meaning = "torque that would hold it there at rest";
            columns = columns.numbered(
                count,
                "motor_{}_holding_nm",
                "N·m",
                meaning,
                |s: &DemandSample, i| s.holding[i],
            );
        }
        for (k, &(key, unit, meaning)) in self.more.iter().enumerate() {
            columns = columns.one(key, unit, meaning, move |s: &DemandSample| s.more[k]);
        }
        vec![columns.table("inverse.csv", &self.samples)]
    }

    fn blocks(&self) -> Vec<Block> {
        let series = |which: usize| -> Vec<Series> {
            let one = |(i, motor): (usize, &MotorDemand)| {
                curve(
                    &motor.name,
                    &self.samples,
                    |s| s.t,
                    |s: &DemandSample| s.motors[i][which],
                )
            };
            self.motors.iter().enumerate().map(one).collect()
        };
        let chart = |title: &str, what: &str, unit: &str, which: usize| {
            Block::from(Chart::over_time(
                title,
                "",
                Axis::new(what, unit),
                series(which),
            ))
        };
        vec![
            chart("Torques", "torque", "N·m", 2),
            chart("Rates", "rate", "rad/s", 1),
            chart("Angles", "angle", "rad", 0),
        ]
    }
}
