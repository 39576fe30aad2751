//! The platform in motion: samples, extremes, account.

use super::scene::{self, Frame};
use crate::Result;
use crate::attitude::Attitude;
use crate::audit::{note_leaves, note_motors};
use crate::config::Coupling;
use crate::motor_range::MotorRange;
use crate::sample::{BodySample, LegState, PlatformSample};
use crate::scheme::{Progress, Scheme, coupling_loss};
use leg_core::config::{Motor, MotorMode};
use multibody::results::resolution::{self, CurveWatch};
use multibody::results::soundness::{Doubt, Soundness, Watch};
use softdock_figures::{Columns, Early, Judged, Value, Views, curve, figures};
use softdock_report::{Axis, Block, Chart, Scene, Series};
use softdock_settings::Words;
use std::path::PathBuf;

/// A tendon with less tension is slack [N].
pub const SLACK_TENSION: f64 = 0.05;

/// Share of the largest by which extremes may be off where steps do not resolve them [-]. The vibration of
/// undamped leaves is some per cent of what motors hold in most motions, and peaks are hardly off for it: of
/// 53 random platforms five were above, four of them off by 7 to 30 %; those below by 7.4 % at most.
const ALLOWED_ERROR: f64 = 0.1;

/// Forces [N] and torques [N·m] below this part of the largest tension [N] are rounding.
const SMALLEST_PART: f64 = 1e-6;

/// One millimetre [m].
const MILLI: f64 = 1e-3;

impl From<&Coupling> for Value {
    fn from(coupling: &Coupling) -> Self {
        Self::Word(Coupling::WORDS[*coupling as usize])
    }
}

figures! {
    /// A motion of the platform.
    #[derive(Clone)]
    pub struct MotionResult;
    complete: bool as "Whether the whole duration was simulated.";
    /// The verdict.
    #[serde(flatten)]
    soundness: Soundness;
    stopped_because: Option<String> as "Why it ended early.";
    file: PathBuf as "The table of its rows.";
    rows: usize as "Number of rows.";
    simulated_s: f64 as "Simulated time [s].";
    coupling: Coupling = "-", "coupling", "How legs and end effector are coupled";
    step_s: f64 as "Step, or macro step of co-simulation [s].";
    steps: usize as "Accepted steps.";
    largest_displacement_m: f64 = "m", "largest displacement",
        "Largest distance of the end effector's centre from where it started",
        shown_in("mm", MILLI), headline();
    largest_speed_m_s: f64 = "m/s", "largest speed", "Largest speed of that centre";
    largest_leg_force_n: f64 = "N", "largest leg force",
        "Largest force of a leg on the end effector", headline();
    tendon_tension_range_n: [f64; 2] = "N", "tendon tension",
        "Smallest and largest tendon tension of any leg", headline();
    slack_time_s: f64 = "s", "slack time, all legs", "Time of slack tendons, summed over the legs";
    largest_motor_torque_nm: f64 = "N·m", "largest motor torque", "Largest torque of a motor",
        headline();
    largest_motor_turn_rad: f64 = "rad", "largest motor turn",
        "Largest turn of a crank from where it started";
    largest_motor_range_use: f64
        as "Largest turn from the pre-tensioned posture over motor.range_rad.";
    peak_interface_tension_n: f64 = "N", "peak interface tension",
        "Largest pull from outside along the docking axis at the mating plane";
    peak_interface_compression_n: f64 = "N", "peak interface compression",
        "Largest push from outside along the docking axis at the mating plane";
    peak_interface_shear_n: f64 = "N", "peak interface shear",
        "Largest force from outside across the docking axis";
    peak_interface_bending_nm: f64 = "N·m", "peak interface bending",
        "Largest moment from outside across the docking axis, about the centre of the mating plane";
    peak_interface_torsion_nm: f64 = "N·m", "peak interface torsion",
        "Largest moment from outside about the docking axis";
    wrench_work_j: f64 = "J", "work of the wrench", "Work of the wrench on the end effector";
    actuator_work_j: f64 = "J", "work of actuators",
        "Work of a floating base's own actuators: its wrench and the law that holds it";
    motor_work_j: f64 = "J", "work of the motors", "Work of motors and winches";
    dissipated_j: f64 = "J", "dissipated", "Energy lost in dampers", headline();
    lost_in_coupling_j: f64
        as "Work that the joints of a co-simulation lose between bodies and legs [J].";
    largest_energy_residual_j: f64 = "J", "energy residual",
        "Largest energy that the account misses", exponent(1), headline();
    energy_residual_rel: f64 = "-", "over what moved",
        "The same over the energy that moved", exponent(1);
    largest_joint_gap_m: f64 = "m", "largest joint gap", "Largest opening of a spherical joint",
        exponent(1);
    iterations_per_step: f64 = "-", "iterations per step", "Newton iterations per step";
    rejected_steps: usize = "-", "steps repeated smaller", "Steps refused and repeated smaller",
        optional();
    wall_s: f64 = "s", "wall time", "Time that the computation took";
    final_position_m: [f64; 3] as "Centre of the end effector at the end [m].";
    final_attitude_rad: Attitude as "Its attitude at the end [rad].";
    legs: usize as "Number of legs.";
    elements: usize as "Elements of each leaf.";
    /// What the charts show.
    #[serde(skip)]
    samples: Vec<PlatformSample> as "";
    /// The motion in space.
    #[serde(skip)]
    scene: Option<Scene> as "";
}

impl Judged for MotionResult {
    fn soundness(&self) -> &Soundness {
        &self.soundness
    }
}

fn body() -> Columns<BodySample> {
    Columns::new()
        .each(&["x", "y", "z"], "m", "position", |b: &BodySample, i| {
            b.position[i]
        })
        .each(&Attitude::NAMES, "rad", "attitude", |b, i| {
            b.attitude.list()[i]
        })
        .each(
            &["vx", "vy", "vz"],
            "m/s",
            "velocity, world axes",
            |b, i| b.velocity[i],
        )
        .each(
            &["wx", "wy", "wz"],
            "rad/s",
            "angular velocity, world axes",
            |b, i| b.spin[i],
        )
}

/// Where a base that does not float is.
const AT_REST: BodySample = BodySample {
    position: [0.0; 3],
    attitude: Attitude {
        pitch: 0.0,
        yaw: 0.0,
        roll: 0.0,
    },
    velocity: [0.0; 3],
    spin: [0.0; 3],
};

/// The columns of a platform with this many legs, whose base floats freely or not.
pub fn columns(legs: usize, floating: bool) -> Columns<PlatformSample> {
    let mut out = Columns::over_time(|s: &PlatformSample| s.t).part("", body(), |s| &s.effector);
    if floating {
        out = out.part("base_", body(), |s: &PlatformSample| {
            s.base.as_ref().unwrap_or(&AT_REST)
        });
    }
    for leg in 0..legs {
        let keys = ["x", "y", "z"].map(|axis| format!("f{}_{axis}", leg + 1));
        let meaning = format!("force of leg {} on the end effector", leg + 1);
        out = out.each(
            &keys.each_ref().map(String::as_str),
            "N",
            &meaning,
            move |s, i| s.legs[leg].force[i],
        );
    }
    out.numbered(legs, "tendon_length_{}", "m", "distance A to B", |s, i| {
        s.legs[i].tendon_length
    })
    .numbered(legs, "tendon_tension_{}", "N", "tendon tension", |s, i| {
        s.legs[i].tendon_tension
    })
    .numbered(legs, "motor_angle_{}", "rad", "crank angle", |s, i| {
        s.legs[i].motor_angle
    })
    .numbered(
        legs,
        "motor_torque_{}",
        "N·m",
        "torque of the motor, or of what prescribes its angle",
        |s, i| s.legs[i].motor_torque,
    )
    .each(
        &[
            "interface_force_x_n",
            "interface_force_y_n",
            "interface_force_z_n",
        ],
        "N",
        "force from outside at the mating plane, the end effector's axes; z: tension above zero",
        |s, i| s.interface.force[i],
    )
    .each(
        &[
            "interface_moment_x_nm",
            "interface_moment_y_nm",
            "interface_moment_z_nm",
        ],
        "N·m",
        "moment from outside about the centre of the mating plane, the end effector's axes",
        |s, i| s.interface.moment[i],
    )
    .one(
        "interface_shear_n",
        "N",
        "force across the docking axis",
        |s| s.interface.shear(),
    )
    .one(
        "interface_bending_nm",
        "N·m",
        "moment across the docking axis",
        |s| s.interface.bending(),
    )
    .one("kinetic", "J", "kinetic energy", kinetic)
    .one("strain", "J", "elastic energy of the leaves", |s| {
        s.energy.strain
    })
    .one("tendon", "J", "elastic energy of the tendons", |s| {
        s.energy.tendons
    })
    .one("gravity", "J", "potential of gravity", |s| s.energy.gravity)
    .one(
        "wrench_work",
        "J",
        "work of the wrench since the start",
        |s| s.energy.wrench_work,
    )
    .one(
        "actuator_work",
        "J",
        "work of a floating base's own actuators since the start",
        |s| s.energy.actuator_work,
    )
    .one(
        "motor_work",
        "J",
        "work of motors and winches since the start",
        |s| s.energy.motor_work,
    )
    .one("dissipated", "J", "energy lost in dampers", |s| {
        s.energy.dissipated
    })
    .one("residual", "J", "what the account of energy misses", |s| {
        s.energy.residual
    })
    .one(
        "joint_gap",
        "m",
        "largest opening of a spherical joint",
        gap,
    )
}

fn kinetic(sample: &PlatformSample) -> f64 {
    sample.energy.bodies_kinetic + sample.energy.legs_kinetic
}

/// Largest opening of a spherical joint [m].
fn gap(sample: &PlatformSample) -> f64 {
    sample.legs.iter().fold(0.0, |gap, leg| gap.max(leg.gap))
}

fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Extremes over a run.
#[derive(Debug, Clone, Default)]
struct Extremes {
    start: Option<PlatformSample>,
    displacement: f64,
    speed: f64,
    leg_force: f64,
    tension: Option<[f64; 2]>,
    torque: f64,
    turn: f64,
    range_use: f64,
    gap: f64,
    slack_time: f64,
    /// Of every leg, step by step: tension of the tendon, torque of the motor, force on the end effector.
    curves: Vec<[CurveWatch; 3]>,
    /// Tension, compression, shear, bending, torsion.
    interface: [f64; 5],
}

impl Extremes {
    /// Takes a sample into account; `last` is the one before.
    fn note(
        &mut self,
        sample: &PlatformSample,
        last: Option<&PlatformSample>,
        ranges: &[MotorRange],
    ) {
        let start = self.start.get_or_insert_with(|| sample.clone());
        let position = sample.effector.position;
        let moved = core::array::from_fn(|i| position[i] - start.effector.position[i]);
        self.displacement = self.displacement.max(norm(moved));
        self.speed = self.speed.max(norm(sample.effector.velocity));
        self.gap = self.gap.max(gap(sample));
        let load = &sample.interface;
        let loads = [
            load.tension(),
            load.compression(),
            load.shear(),
            load.bending(),
            load.torsion().abs(),
        ];
        for (peak, load) in self.interface.iter_mut().zip(loads) {
            *peak = peak.max(load);
        }
        self.curves.resize_with(sample.legs.len(), Default::default);
        for (leg, curves) in sample.legs.iter().zip(&mut self.curves) {
            let values = [leg.tendon_tension, leg.motor_torque, norm(leg.force)];
            for (curve, value) in curves.iter_mut().zip(values) {
                curve.see(sample.t, value);
            }
        }
        let since = last.map_or(0.0, |last| sample.t - last.t);
        for ((leg, first), range) in sample.legs.iter().zip(&start.legs).zip(ranges) {
            self.range_use = self.range_use.max(range.used_at(leg.motor_angle));
            self.leg_force = self.leg_force.max(norm(leg.force));
            self.torque = self.torque.max(leg.motor_torque.abs());
            self.turn = self.turn.max((leg.motor_angle - first.motor_angle).abs());
            let tension = leg.tendon_tension;
            let [low, high] = self.tension.unwrap_or([tension, tension]);
            self.tension = Some([low.min(tension), high.max(tension)]);
            if tension < SLACK_TENSION {
                self.slack_time += since;
            }
        }
    }

    /// Notes what steps do not resolve; the torque of motors that do as they are told is known.
    fn judge(&self, motor: &Motor, watch: &mut Watch) {
        let highest = self.tension.map_or(0.0, |[_, high]| high);
        // Of what rests, rounding is all that moves.
        let least = SMALLEST_PART * highest.max(1.0);
        let tensions = self.curves.iter().map(|[tension, ..]| tension);
        let found = resolution::extremes(tensions, least);
        watch.resolved(Doubt::TensionUnresolved, &found, ALLOWED_ERROR);
        let forces = self.curves.iter().map(|[.., force]| (force, f64::INFINITY));
        let found = resolution::largest(forces, least);
        watch.resolved(Doubt::ForceUnresolved, &found, ALLOWED_ERROR);
        let limit = match motor.mode {
            MotorMode::Torque => return,
            MotorMode::Hold => motor.torque_limit_nm,
            MotorMode::Locked | MotorMode::Angle => f64::INFINITY,
        };
        let torques = self.curves.iter().map(|[_, torque, _]| (torque, limit));
        let found = resolution::largest(torques, least);
        watch.resolved(Doubt::TorqueUnresolved, &found, ALLOWED_ERROR);
    }
}

/// What was seen in every step, whether there is a row for it or not.
#[derive(Debug)]
struct Seen {
    extremes: Extremes,
    watch: Watch,
    ranges: Vec<MotorRange>,
    /// The sample of the last step.
    last: Option<PlatformSample>,
    /// Nothing has changed since.
    is_current: bool,
}

impl Seen {
    /// Looks at the platform after a step.
    fn look(&mut self, platform: &mut dyn Scheme) -> Result<PlatformSample> {
        let sample = PlatformSample::new(platform)?;
        self.extremes
            .note(&sample, self.last.as_ref(), &self.ranges);
        sample.energy.note(sample.t, &mut self.watch);
        note_motors(platform, &self.ranges, &mut self.watch);
        note_leaves(platform, &mut self.watch)?;
        Ok(sample)
    }
}

/// A platform in motion, watched.
#[derive(Debug)]
pub struct Motion {
    platform: Box<dyn Scheme>,
    motor: Motor,
    /// Times at which legs break, ascending.
    breaks: Vec<(f64, usize)>,
    rows: usize,
    done: Progress,
    seen: Seen,
    frames: Vec<Frame>,
}

impl Motion {
    /// A motion of `platform` in which legs break: times [s] and legs, from 0.
    pub fn new(platform: Box<dyn Scheme>, mut breaks: Vec<(f64, usize)>) -> Result<Self> {
        breaks.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Self {
            seen: Seen {
                extremes: Extremes::default(),
                watch: Watch::default(),
                ranges: MotorRange::of_legs(platform.config())?,
                last: None,
                is_current: false,
            },
            motor: platform.config().motor.clone(),
            platform,
            breaks,
            rows: 0,
            done: Progress::default(),
            frames: Vec::new(),
        })
    }

    /// Advances to `time` [s], breaking legs on the way, and looks at the platform in every step.
    pub fn advance_to(&mut self, time: f64) -> Result<&PlatformSample> {
        while let Some(&(at, leg)) = self.breaks.first().filter(|(at, _)| *at <= time) {
            self.steps_to(at)?;
            self.platform.detach(leg);
            self.seen.is_current = false;
            self.breaks.remove(0);
        }
        self.steps_to(time)?;
        self.rows += 1;
        let sample = match self.seen.last.take().filter(|_| self.seen.is_current) {
            Some(sample) => sample,
            None => self.seen.look(self.platform.as_mut())?,
        };
        Ok(self.seen.last.insert(sample))
    }

    fn steps_to(&mut self, time: f64) -> Result<()> {
        let seen = &mut self.seen;
        let mut looked = Ok(());
        let done = self.platform.advance_observed(time, &mut |platform| {
            if looked.is_ok() {
                looked = seen.look(platform).map(|sample| {
                    (seen.last, seen.is_current) = (Some(sample), true);
                });
            }
        })?;
        self.seen.watch.steps_at_floor(time, done.at_floor);
        self.done += done;
        looked
    }

    /// Keeps the platform as it is now for the scene.
    pub fn keep_frame(&mut self) -> Result<()> {
        self.frames.push(Frame::new(self.platform.as_mut())?);
        Ok(())
    }

    /// What was seen of its account, its motors and its leaves.
    pub fn account(&self) -> &Watch {
        &self.seen.watch
    }

    /// What was seen of it, with what its steps do not resolve.
    pub fn watch(&self) -> Watch {
        let mut watch = self.seen.watch.clone();
        self.seen.extremes.judge(&self.motor, &mut watch);
        watch
    }

    /// What the motion up to now amounts to; `samples` are for the charts.
    pub fn result(&mut self, samples: Vec<PlatformSample>) -> Result<MotionResult> {
        let lost_in_coupling_j = coupling_loss(self.platform.as_mut())?;
        let watch = self.watch();
        let (config, coupling) = (self.platform.config(), self.platform.coupling());
        let Seen {
            extremes: worst,
            last,
            ..
        } = &self.seen;
        let last = last.as_ref();
        let energy = last.map(|last| last.energy).unwrap_or_default();
        Ok(MotionResult {
            complete: true,
            soundness: watch.soundness(),
            stopped_because: None,
            file: PathBuf::new(),
            rows: self.rows,
            simulated_s: last.map_or(0.0, |last| last.t),
            coupling,
            step_s: match coupling {
                Coupling::Monolithic => config.solver.step_s,
                Coupling::Implicit | Coupling::Explicit => config.solver.macro_step_s,
            },
            steps: self.done.steps,
            largest_displacement_m: worst.displacement,
            largest_speed_m_s: worst.speed,
            largest_leg_force_n: worst.leg_force,
            tendon_tension_range_n: worst.tension.unwrap_or_default(),
            slack_time_s: worst.slack_time,
            largest_motor_torque_nm: worst.torque,
            largest_motor_turn_rad: worst.turn,
            largest_motor_range_use: worst.range_use,
            peak_interface_tension_n: worst.interface[0],
            peak_interface_compression_n: worst.interface[1],
            peak_interface_shear_n: worst.interface[2],
            peak_interface_bending_nm: worst.interface[3],
            peak_interface_torsion_nm: worst.interface[4],
            wrench_work_j: energy.wrench_work,
            actuator_work_j: energy.actuator_work,
            motor_work_j: energy.motor_work,
            dissipated_j: energy.dissipated,
            lost_in_coupling_j,
            largest_energy_residual_j: watch.largest_residual(),
            energy_residual_rel: watch.missing_share(),
            largest_joint_gap_m: worst.gap,
            iterations_per_step: self.done.iterations as f64 / self.done.steps.max(1) as f64,
            rejected_steps: self.done.rejected,
            wall_s: 0.0,
            final_position_m: last.map_or([0.0; 3], |last| last.effector.position),
            final_attitude_rad: last.map(|last| last.effector.attitude).unwrap_or_default(),
            legs: config.leg_count(),
            elements: config.legs.elements,
            samples,
            scene: scene::scene(config, &self.frames, ""),
        })
    }
}

impl Views for MotionResult {
    const FILE: &'static str = "summary.json";

    fn title(&self) -> String {
        format!("Platform: {} s simulated", self.simulated_s)
    }

    fn lead(&self) -> String {
        format!(
            "{} legs with {} elements, {} s simulated in steps of {} s.",
            self.legs, self.elements, self.simulated_s, self.step_s
        )
    }

    fn verdict(&self) -> Soundness {
        self.soundness.clone()
    }

    fn early(&self) -> Option<Early<'_>> {
        let why = self.stopped_because.as_deref()?;
        let time = self.simulated_s;
        Some(Early { why, time })
    }

    fn blocks(&self) -> Vec<Block> {
        let charts = charts(&self.samples, self.legs).into_iter();
        let scene = self.scene.clone().into_iter().map(Block::from);
        scene.chain(charts.map(Block::from)).collect()
    }
}

fn charts(samples: &[PlatformSample], legs: usize) -> Vec<Chart> {
    let over_time =
        |name: &str, value: &dyn Fn(&PlatformSample) -> f64| curve(name, samples, |s| s.t, value);
    let per_leg = |value: fn(&LegState) -> f64| -> Vec<Series> {
        let leg = |i: usize| over_time(&format!("leg {}", i + 1), &|s| value(&s.legs[i]));
        (0..legs).map(leg).collect()
    };
    let start = samples.first().map_or([0.0; 3], |s| s.effector.position);
    let moved = |i: usize| {
        let axis = ["x", "y", "z"][i];
        over_time(axis, &|s| (s.effector.position[i] - start[i]) / MILLI)
    };
    let turned = |i: usize| over_time(Attitude::NAMES[i], &|s| s.effector.attitude.degrees()[i]);
    let energies = vec![
        over_time("kinetic", &kinetic),
        over_time("work of the wrench", &|s| s.energy.wrench_work),
        over_time("work of the motors", &|s| s.energy.motor_work),
        over_time("dissipated", &|s| s.energy.dissipated),
    ];
    let chart = |title: &str, sentence: &str, axis: (&str, &str), series: Vec<Series>| {
        Chart::over_time(title, sentence, Axis::new(axis.0, axis.1), series)
    };
    vec![
        chart(
            "Displacement",
            "Centre of the end effector from where it started.",
            ("displacement", "mm"),
            (0..3).map(moved).collect(),
        ),
        chart(
            "Attitude",
            "Pitch, yaw and roll of the end effector.",
            ("angle", "°"),
            (0..3).map(turned).collect(),
        ),
        chart(
            "Leg forces",
            "Size of the force of each leg on the end effector.",
            ("force", "N"),
            per_leg(|leg| norm(leg.force)),
        ),
        chart(
            "Tendon tensions",
            "Spring and damper together; at zero a tendon is slack.",
            ("tension", "N"),
            per_leg(|leg| leg.tendon_tension),
        ),
        chart(
            "Motor torques",
            "Torque of each motor, or of what prescribes its angle.",
            ("torque", "N·m"),
            per_leg(|leg| leg.motor_torque),
        ),
        chart(
            "Motor angles",
            "Crank angles.",
            ("angle", "rad"),
            per_leg(|leg| leg.motor_angle),
        ),
        chart(
            "Interface force",
            "From outside at the mating plane: along the docking axis (tension above zero) and across it.",
            ("force", "N"),
            vec![
                over_time("axial", &|s| s.interface.axial()),
                over_time("shear", &|s| s.interface.shear()),
            ],
        ),
        chart(
            "Interface moment",
            "From outside, about the centre of the mating plane.",
            ("moment", "N·m"),
            vec![
                over_time("bending", &|s| s.interface.bending()),
                over_time("torsion", &|s| s.interface.torsion()),
            ],
        ),
        chart(
            "Energy",
            "Motion of everything, work done on the platform, and what the dampers took.",
            ("energy", "J"),
            energies,
        ),
        chart(
            "Energy residual",
            "What the energy account misses: the error of the time integration.",
            ("residual", "J"),
            vec![over_time("residual", &|s| s.energy.residual)],
        ),
    ]
}
