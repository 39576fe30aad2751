//! A regulator of the pose, tried on the nonlinear platform.

use super::linear::matrix_rows;
use super::scene::{self, FRAMES, Frame};
use crate::audit::{energy_account, note_leaves, note_motors};
use crate::error::Result;
use crate::monolithic::Platform;
use crate::motor_range::MotorRange;
use crate::regulator::{Regulator, Torques};
use crate::statics::StaticPlatform;
use crate::wrench::WrenchHistory;
use multibody::group::Group;
use multibody::math;
use multibody::model::Signal;
use multibody::results::soundness::{Soundness, Watch};
use nalgebra::DVector;
use serde::Serialize;
use softdock_figures::{Columns, Early, Figures, Judged, Table, Views, curve, figures};
use softdock_report::{Axis, Block, Chart, Figure as Shown, Scene};

/// One millimetre [m].
const MILLI: f64 = 1e-3;

/// A push on the end effector, and how the motion after it is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Push {
    /// Force at the start [N].
    pub force: [f64; 3],
    /// Moment at the start [N·m].
    pub moment: [f64; 3],
    /// How long it lasts [s].
    pub time: f64,
    /// Simulated time [s].
    pub duration: f64,
    /// Sampling period [s].
    pub period: f64,
    /// The end effector has settled when it stays this near [m].
    pub settled: f64,
}

/// The platform at one time.
#[derive(Debug, Clone)]
struct Sample {
    t: f64,
    /// Deviation of the end effector's centre, world axes [m].
    moved: [f64; 3],
    /// Rotation from the equilibrium, world axes [rad].
    turned: [f64; 3],
    torques: DVector<f64>,
    saturated: bool,
}

impl Sample {
    fn new(platform: &Platform, equilibrium: &StaticPlatform, torques: Option<&Torques>) -> Self {
        let (start, now) = (equilibrium.pose(), &platform.effector().pose);
        let turn = start.between(now).log();
        let turned = turn.map(|turn| start.rotation() * turn.fixed_rows::<3>(3));
        let legs = platform.legs().iter().map(|leg| leg.motor_torque());
        Self {
            t: platform.time(),
            moved: (now.translation() - start.translation()).into(),
            turned: turned.map_or([f64::NAN; 3], Into::into),
            saturated: torques.is_some_and(|t| t.applied != t.demand),
            torques: torques.map_or_else(
                || DVector::from_iterator(platform.legs().len(), legs),
                |t| t.applied.clone(),
            ),
        }
    }
}

fn norm(v: &[f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Largest values of a motion, of all its steps.
#[derive(Debug, Clone, Copy, Default)]
struct Extremes {
    displacement: f64,
    rotation: f64,
    torque: f64,
}

/// What is looked at in every step, whether there is a sample for it or not.
#[derive(Debug)]
struct Seen<'a> {
    equilibrium: &'a StaticPlatform,
    ranges: Vec<MotorRange>,
    /// Without a regulator the motors turn as far as the push takes them.
    regulated: bool,
    extremes: Extremes,
    watch: Watch,
}

impl Seen<'_> {
    fn look(&mut self, platform: &mut Platform, torques: Option<&Torques>) -> Result<Sample> {
        let sample = Sample::new(platform, self.equilibrium, torques);
        let most = &mut self.extremes;
        most.displacement = most.displacement.max(norm(&sample.moved));
        most.rotation = most.rotation.max(norm(&sample.turned));
        most.torque = most.torque.max(sample.torques.amax());
        energy_account(platform)?.note(platform.time(), &mut self.watch);
        note_leaves(platform, &mut self.watch)?;
        if self.regulated {
            note_motors(platform, &self.ranges, &mut self.watch);
        }
        Ok(sample)
    }
}

/// A motion with or without the regulator.
#[derive(Debug, Clone)]
pub struct PushedMotion {
    samples: Vec<Sample>,
    extremes: Extremes,
    soundness: Soundness,
    ended: Option<String>,
    /// The motion in space.
    scene: Option<Scene>,
}

impl PushedMotion {
    /// Pushes the platform out of `equilibrium`; `at` is told how far the run is [s].
    pub fn new(
        push: &Push,
        equilibrium: &StaticPlatform,
        regulator: Option<&Regulator>,
        mut at: impl FnMut(f64),
    ) -> Result<Self> {
        let mut platform = Platform::at_rest_under(equilibrium, pushed(push, equilibrium))?;
        let count = (push.duration / push.period).ceil().max(1.0) as usize;
        let mut samples = Vec::with_capacity(count + 1);
        let mut ended = None;
        let mut frames = Vec::new();
        let stride = count / FRAMES + 1;
        let mut seen = Seen {
            equilibrium,
            ranges: MotorRange::of_legs(platform.config())?,
            regulated: regulator.is_some(),
            extremes: Extremes::default(),
            watch: Watch::default(),
        };
        for k in 0..=count {
            let torques = regulator.map(|regulator| regulator.torques(&platform));
            let torques = torques.transpose()?;
            samples.push(seen.look(&mut platform, torques.as_ref())?);
            if k % stride == 0 || k == count {
                frames.push(Frame::new(&mut platform)?);
            }
            if k == count {
                break;
            }
            if let (Some(regulator), Some(torques)) = (regulator, &torques) {
                regulator.apply(&mut platform, torques)?;
            }
            let mut looked = Ok(());
            let done = platform.advance_observed((k + 1) as f64 * push.period, |platform| {
                if looked.is_ok() {
                    looked = seen.look(platform, torques.as_ref()).map(|_| ());
                }
            });
            match done {
                Ok(done) => seen.watch.steps_at_floor(platform.time(), done.at_floor),
                Err(error) => {
                    // Without a regulator the platform can fold up: that is a result.
                    ended = Some(error.to_string());
                    break;
                }
            }
            looked?;
            at(platform.time());
        }
        let soundness = match ended {
            None => seen.watch.soundness(),
            Some(_) => seen.watch.soundness().failed(),
        };
        let sentence = match regulator {
            Some(_) => "Under the regulator.",
            None => "Under the holding torques alone.",
        };
        Ok(Self {
            samples,
            extremes: seen.extremes,
            soundness,
            ended,
            scene: scene::scene(platform.config(), &frames, sentence),
        })
    }
}

/// The wrench of the equilibrium with the push above it.
fn pushed(push: &Push, equilibrium: &StaticPlatform) -> WrenchHistory {
    let (force, moment) = equilibrium.wrench();
    WrenchHistory(core::array::from_fn(|i| {
        let (held, push_part) = if i < 3 {
            (force[i], push.force[i])
        } else {
            (moment[i - 3], push.moment[i - 3])
        };
        Signal::Step {
            time: push.time,
            before: held + push_part,
            after: held,
        }
    }))
}

figures! {
    /// What a motion with or without the regulator amounts to.
    #[derive(Clone)]
    pub struct LoopResult;
    largest_displacement_m: f64 = "m", "largest displacement",
        "Largest distance of the end effector from its equilibrium",
        shown_in("mm", MILLI), headline();
    largest_rotation_rad: f64 = "rad", "largest rotation",
        "Largest angle of the end effector from its equilibrium";
    final_displacement_m: f64 = "m", "displacement at the end",
        "Distance of the end effector from its equilibrium at the end",
        shown_in("mm", MILLI);
    settled_after_s: Option<f64> = "s", "settled after",
        "From when on the end effector stays near; none if it does not", headline();
    largest_torque_nm: f64 = "N·m", "largest torque", "Largest torque of a motor", headline();
    saturated_time_s: f64 as "Time for which a torque was at its limit [s].";
    /// The verdict.
    #[serde(flatten)]
    soundness: Soundness as "";
    ended: Option<String> as "Why the run ended early.";
}

impl LoopResult {
    fn new(push: &Push, motion: &PushedMotion) -> Self {
        let (samples, ended) = (&motion.samples, motion.ended.clone());
        let most = &motion.extremes;
        let last_away = samples.iter().rposition(|s| norm(&s.moved) > push.settled);
        let settled = match last_away {
            None => Some(0.0),
            Some(i) => samples.get(i + 1).map(|s| s.t),
        };
        let saturated = samples.iter().filter(|s| s.saturated).count();
        Self {
            largest_displacement_m: most.displacement,
            largest_rotation_rad: most.rotation,
            final_displacement_m: samples.last().map_or(0.0, |s| norm(&s.moved)),
            settled_after_s: settled.filter(|_| ended.is_none()),
            largest_torque_nm: most.torque,
            saturated_time_s: saturated as f64 * push.period,
            soundness: motion.soundness.clone(),
            ended,
        }
    }
}

/// A pole of the closed loop per period.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pole {
    /// Magnitude [-].
    pub magnitude: f64,
    /// Real part [-].
    pub re: f64,
    /// Imaginary part [-].
    pub im: f64,
}

figures! {
    /// A regulator of the pose, and what it does against a push.
    pub struct RegulationResult;
    /// The verdict on both loops.
    #[serde(flatten)]
    soundness: Soundness;
    modes: usize as "Order of the linear model.";
    mode_frequencies_hz: Vec<f64> as "Frequencies of its modes [Hz].";
    response_error: f64 = "-", "response error of its model",
        "Largest relative error of the response of the linear model against the whole platform",
        exponent(2);
    response_compared_below_hz: f64 = "Hz", "  compared up to", "Highest frequency compared",
        decimals(4);
    period_s: f64 as "Sampling period [s].";
    slowest_time_constant_s: f64 = "s", "slowest time constant",
        "Time constant of the slowest pole of the closed loop";
    largest_gain: f64 = "-", "largest gain", "Largest entry of the gain";
    gain: Vec<Vec<f64>> as "Torques per state: modes, then their rates; one row per motor.";
    riccati_residual: f64 as "Relative residual of the Riccati equation.";
    closed_loop: Vec<Pole> as "Eigenvalues of the closed loop per period.";
    torque_limit_nm: f64 = "N·m", "torque limit", "Limit of each motor's torque";
    saturated_time_s: f64 = "s", "at the limit for",
        "Time for which a torque of the closed loop was at its limit";
    holding_torque_nm: Vec<f64> as "Torques that hold the equilibrium [N·m].";
    closed: LoopResult as "The closed loop.";
    open: LoopResult as "The same with the holding torques alone.";
    /// What charts and table show, closed and open.
    #[serde(skip)]
    motions: [PushedMotion; 2] as "";
}

impl Judged for RegulationResult {
    fn soundness(&self) -> &Soundness {
        &self.soundness
    }
}

impl RegulationResult {
    /// Of a regulator and its motions after a push, closed loop first.
    pub fn new(push: &Push, regulator: &Regulator, motions: [PushedMotion; 2]) -> Self {
        let [closed, open] = [&motions[0], &motions[1]].map(|motion| LoopResult::new(push, motion));
        let poles = regulator.riccati.closed_loop.iter().map(|pole| Pole {
            magnitude: math::modulus(*pole),
            re: pole.re,
            im: pole.im,
        });
        let closed_loop: Vec<Pole> = poles.collect();
        let slowest = closed_loop.iter().map(|p| p.magnitude).fold(0.0, f64::max);
        // An open loop that cannot be computed to its end is one that falls apart without the
        // regulator, which is what it is there to show.
        let open_verdict = match &open.soundness {
            Soundness::Failed(_) => Soundness::Sound,
            other => other.clone(),
        };
        Self {
            soundness: closed.soundness.clone().and(open_verdict),
            modes: regulator.linear.model.order(),
            mode_frequencies_hz: regulator.linear.kept_frequencies(),
            response_error: regulator.linear.error.relative,
            response_compared_below_hz: regulator.linear.error.below_hz,
            period_s: push.period,
            slowest_time_constant_s: -push.period / math::ln(slowest),
            largest_gain: regulator.riccati.gain.amax(),
            gain: matrix_rows(&regulator.riccati.gain),
            riccati_residual: regulator.riccati.relative_residual,
            closed_loop,
            torque_limit_nm: regulator.limit,
            saturated_time_s: closed.saturated_time_s,
            holding_torque_nm: regulator.holding.iter().copied().collect(),
            closed,
            open,
            motions,
        }
    }

    fn loops(&self) -> [(&'static str, &LoopResult); 2] {
        [("closed", &self.closed), ("open", &self.open)]
    }
}

impl Views for RegulationResult {
    const FILE: &'static str = "lqr.json";

    fn title(&self) -> String {
        format!("Regulator of the pose on {} modes", self.modes)
    }

    fn lead(&self) -> String {
        let (modes, period, limit) = (self.modes, self.period_s, self.torque_limit_nm);
        format!("{modes} modes, a period of {period} s, torques within ± {limit} N·m.")
    }

    fn rows(&self) -> Vec<Shown> {
        let of_loop = |(name, result): (&str, &LoopResult)| {
            let mut rows = result.lines();
            for row in &mut rows {
                row.label = format!("{name} loop, {}", row.label);
            }
            rows
        };
        let loops = self.loops().into_iter().flat_map(of_loop);
        self.lines().into_iter().chain(loops).collect()
    }

    /// The verdict, and what both loops come to.
    fn on_top(&self) -> Vec<Shown> {
        let of_loop = |(name, result): (&str, &LoopResult)| {
            let mut tiles = result.headlines();
            tiles.retain(|tile| {
                name == "closed" || tile.label != LoopResult::largest_torque_nm.label
            });
            for tile in &mut tiles {
                tile.label = format!("{name} loop, {}", tile.label);
                if let Some(datum) = &mut tile.datum {
                    datum.key = format!("{name}.{}", datum.key);
                }
            }
            tiles
        };
        let loops = self.loops().into_iter().flat_map(of_loop);
        self.headlines().into_iter().chain(loops).collect()
    }

    fn notes(&self) -> Vec<String> {
        let ended = |(name, result): (&str, &LoopResult)| {
            let why = result.ended.as_ref()?;
            Some(format!("{name} loop ended early: {why}"))
        };
        self.loops().into_iter().filter_map(ended).collect()
    }

    fn verdict(&self) -> Soundness {
        self.soundness.clone()
    }

    fn early(&self) -> Option<Early<'_>> {
        let why = self.closed.ended.as_deref()?;
        let time = self.motions[0].samples.last().map_or(0.0, |s| s.t);
        Some(Early { why, time })
    }

    fn tables(&self) -> Vec<Table> {
        type Both = (Sample, Option<Sample>);
        let [closed, open] = &self.motions;
        let legs = closed.samples.first().map_or(0, |s| s.torques.len());
        let mut columns = Columns::over_time(|both: &Both| both.0.t);
        for (suffix, is_open) in [("", false), ("_open", true)] {
            let of = move |both: &Both, value: &dyn Fn(&Sample) -> f64| {
                let sample = if is_open {
                    both.1.as_ref()
                } else {
                    Some(&both.0)
                };
                sample.map_or(f64::NAN, value)
            };
            let keys = |names: [&str; 3]| names.map(|name| format!("{name}{suffix}"));
            let (moved, turned) = (
                keys(["x", "y", "z"]),
                keys(["rotation_x", "rotation_y", "rotation_z"]),
            );
            columns = columns
                .each(
                    &moved.each_ref().map(String::as_str),
                    "m",
                    "deviation",
                    move |b, i| of(b, &|s| s.moved[i]),
                )
                .each(
                    &turned.each_ref().map(String::as_str),
                    "rad",
                    "rotation",
                    move |b, i| of(b, &|s| s.turned[i]),
                )
                .numbered(
                    legs,
                    &format!("torque_{{}}{suffix}"),
                    "N·m",
                    "torque",
                    move |b, i| of(b, &|s| s.torques[i]),
                );
        }
        let both = closed.samples.iter().enumerate();
        let both: Vec<Both> = both
            .map(|(i, sample)| (sample.clone(), open.samples.get(i).cloned()))
            .collect();
        vec![columns.table("lqr.csv", &both)]
    }

    fn blocks(&self) -> Vec<Block> {
        let [closed, open] = &self.motions;
        let both = |value: &dyn Fn(&Sample) -> f64| {
            vec![
                curve("closed loop", &closed.samples, |s| s.t, value),
                curve("open loop", &open.samples, |s| s.t, value),
            ]
        };
        let legs = closed.samples.first().map_or(0, |s| s.torques.len());
        let torque = |i: usize| {
            let name = format!("motor {}", i + 1);
            curve(&name, &closed.samples, |s| s.t, |s| s.torques[i])
        };
        let chart = Chart::over_time;
        // Both open where the closed loop is farthest away: one clock moves both.
        let opening = closed.scene.as_ref().map(|scene| scene.moments.clone());
        let titled = |motion: &PushedMotion, title: &str| {
            let mut scene = motion.scene.clone()?;
            scene.title = title.to_owned();
            scene.moments = opening.clone().unwrap_or_default();
            Some(Block::from(scene))
        };
        let scenes = [titled(closed, "Closed loop"), titled(open, "Open loop")];
        let charts = [
            chart(
                "Displacement",
                "Distance of the end effector from its equilibrium.",
                Axis::new("distance", "mm"),
                both(&|s| 1e3 * norm(&s.moved)),
            ),
            chart(
                "Rotation",
                "Angle of the end effector from its equilibrium.",
                Axis::new("angle", "°"),
                both(&|s| norm(&s.turned).to_degrees()),
            ),
            chart(
                "Torques",
                "Motor torques of the closed loop, within their limits.",
                Axis::new("torque", "N·m"),
                (0..legs).map(torque).collect(),
            ),
        ];
        let scenes = scenes.into_iter().flatten();
        scenes.chain(charts.map(Block::from)).collect()
    }
}
