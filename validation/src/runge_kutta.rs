//! Adaptive explicit Runge–Kutta integration of `y' = f(t, y)` by Dormand–Prince 8(5,3).
//!
//! One step of size h from (t, y), with s = 12 stages, a thirteenth at the end of the step that
//! becomes the first of the next, and three more that are spent only when a requested output time
//! lies inside the step:
//!
//! ```text
//! kᵢ  = f(t + cᵢ h, y + h Σ_{j<i} aᵢⱼ kⱼ),   i = 1 … 16                      (1)
//! y₁  = y + h Σ bⱼ kⱼ                         (bⱼ = a₁₃ⱼ, order 8)           (2)
//! e₅  = Σ e⁵ⱼ kⱼ,   e₃ = Σ e³ⱼ kⱼ            (against orders 5 and 3)       (3)
//! w   = a_tol + r_tol max(|y|, |y₁|)          (per component)               (4)
//! err = h ‖e₅/w‖² / √(M (‖e₅/w‖² + 0.01 ‖e₃/w‖²))                           (5)
//! h'  = h min(6, max(⅓, 0.9 err₋^β err^{−(1/8 − β/5)})),   β = 0.04          (6)
//! y(t + θh) = y + θ(r₁ + (1−θ)(r₂ + θ(r₃ + (1−θ)(r₄ + θ(r₅ + (1−θ)(r₆ + θ r₇))))))
//!                                             (order 7)                     (7)
//! r₁ = y₁ − y,  r₂ = h k₁ − r₁,  r₃ = r₁ − h k₁₃ − r₂,  r₄…₇ = h Σ dⱼ kⱼ     (8)
//! ```
//!
//! | symbol | meaning | shape, unit |
//! |---|---|---|
//! | t, h | time and step | s |
//! | y, kᵢ | state and its stage derivatives | M; the caller's units, per second |
//! | a, b, c, d, e³, e⁵ | coefficients of the method | – |
//! | err, err₋ | scaled error of this step and of the last accepted one; accepted if ≤ 1 | – |
//! | θ | place inside the step, 0 to 1 | – |
//!
//! Sources: Hairer, Nørsett & Wanner 1993 (`hairer1993`), sections II.5, II.6 and II.10, and for
//! the proportional-integral controller Hairer & Wanner 1996 (`hairer1996`), section IV.2; the
//! tests check the coefficients against all 200 conditions of order 8. Deviations: β = 0.04 where
//! the authors' code has 0 unless told otherwise; a trial step on which the right-hand side fails
//! or gives a non-finite number is quartered and tried again, so that only a state the solution
//! itself reaches ends the integration.

use core::ops::RangeInclusive;
use multibody::math;

/// Stages of (1), with those of the dense output.
const STAGES: usize = 16;
/// Position of the stage at the end of the step; its weights are those of the solution (2).
const END_STAGE: usize = 12;
/// Integral part β of the controller (6).
const INTEGRAL_GAIN: f64 = 0.04;
/// Exponent of the proportional part of (6).
const PROPORTIONAL_GAIN: f64 = 1.0 / 8.0 - 0.2 * INTEGRAL_GAIN;
/// Safety factor of (6).
const SAFETY: f64 = 0.9;
/// Bounds of the ratio of successive steps (6).
const STEP_RATIO: [f64; 2] = [1.0 / 3.0, 6.0];
/// Ratio of successive trials after one on which the right-hand side failed.
const RETREAT: f64 = 0.25;
/// Smallest step in units of the spacing of `f64` at the larger end of the interval.
const SMALLEST_STEP_SPACINGS: f64 = 10.0;

/// Error below which (6) remembers no smaller one.
const SMALLEST_ERROR: f64 = 1e-4;
/// Relative tolerances that make sense in `f64`.
const RELATIVE: RangeInclusive<f64> = 1e-15..=0.1;

/// How accurately, and with how much effort at most, to integrate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// Allowed error per step relative to the size of each component [–].
    pub relative: f64,
    /// Allowed error per step of each component, in that component's unit.
    pub absolute: f64,
    /// Largest step [s]; infinite by default.
    pub largest_step: f64,
    /// Number of trial steps, accepted or not, after which to give up.
    pub max_steps: usize,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            relative: 1e-10,
            absolute: 1e-12,
            largest_step: f64::INFINITY,
            max_steps: 100_000,
        }
    }
}

impl Tolerances {
    /// The size an error of 1 stands for, (4).
    fn scale(&self, before: f64, after: f64) -> f64 {
        self.absolute + self.relative * before.abs().max(after.abs())
    }
}

/// What an integration cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Accepted steps.
    pub accepted: usize,
    /// Rejected trial steps.
    pub rejected: usize,
    /// Evaluations of the right-hand side.
    pub evaluations: usize,
}

/// Why an integration ended early; `E` is the error of the right-hand side.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum IntegrationError<E> {
    /// A setting is outside its range.
    #[error("{quantity} = {value} is outside its allowed range: {allowed}")]
    Setting {
        /// What was set.
        quantity: &'static str,
        /// The value it was given.
        value: f64,
        /// The values it may take.
        allowed: &'static str,
    },
    /// The output times are not finite and strictly increasing.
    #[error(
        "output time {index} is {time} s, not a finite time after its predecessor {previous} s"
    )]
    OutputTimes {
        /// Position of the offending time.
        index: usize,
        /// The offending time [s].
        time: f64,
        /// The time before it [s]; NaN for the first.
        previous: f64,
    },
    /// The right-hand side failed, however small the step.
    #[error("right-hand side failed at t = {time} s after a step reduced to {step:e} s")]
    RightHandSide {
        /// Time of the evaluation that failed [s].
        time: f64,
        /// Last step tried [s]; zero for the initial state.
        step: f64,
        /// What the right-hand side reported.
        source: E,
    },
    /// The state or its derivative was not finite, however small the step.
    #[error("component {component} is {value} at t = {time} s after a step reduced to {step:e} s")]
    NotFinite {
        /// Time of the evaluation [s].
        time: f64,
        /// Last step tried [s]; zero for the initial state.
        step: f64,
        /// Position in the state.
        component: usize,
        /// The value or derivative found there.
        value: f64,
    },
    /// The tolerances ask for a step below the resolution of time.
    #[error(
        "step {step:e} s at t = {time} s is below the smallest {smallest:e} s (error {error} > 1)"
    )]
    StepTooSmall {
        /// Time reached [s].
        time: f64,
        /// Step asked for [s].
        step: f64,
        /// Smallest step that time resolves [s].
        smallest: f64,
        /// Scaled error of the last trial, (5) [–].
        error: f64,
    },
    /// The budget of trial steps is used up.
    #[error("{steps} steps reached only t = {time} s of {end} s (step {step:e} s)")]
    TooManySteps {
        /// Time reached [s].
        time: f64,
        /// Step asked for [s].
        step: f64,
        /// Trial steps made.
        steps: usize,
        /// Last requested time [s].
        end: f64,
    },
}

/// Integrates `y' = f(t, y)` from `initial` at `times[0]` and writes y(`times[i]`) to `outputs[i]`.
///
/// The last time is the end of a step; those before it come from the interpolant (7), whose error
/// can be some ten times that at the ends of the steps. Nothing is allocated. When this returns an
/// error at time t, the outputs before t are those already found.
pub fn integrate<const M: usize, E, F>(
    derivative: F,
    initial: [f64; M],
    times: &[f64],
    tolerances: &Tolerances,
    outputs: &mut [[f64; M]],
) -> Result<Statistics, IntegrationError<E>>
where
    F: FnMut(f64, &[f64; M]) -> Result<[f64; M], E>,
{
    let (start, end) = check(times, tolerances, outputs.len())?;
    let mut stepper = Stepper::new(derivative, start, initial)?;
    stepper.next_step = stepper.first_step(end, tolerances);
    outputs[0] = initial;
    let mut written = 1;
    while written < times.len() {
        stepper.accept(end, tolerances)?;
        let inside = written..times.partition_point(|&time| time < stepper.end_time);
        if !inside.is_empty() {
            written = inside.end;
            stepper.interpolate(&times[inside.clone()], &mut outputs[inside])?;
        }
        if times[written] == stepper.end_time {
            outputs[written] = stepper.end_state;
            written += 1;
        }
        stepper.advance();
    }
    Ok(stepper.statistics)
}

/// Refuses settings and times that cannot work; gives the first and the last time.
fn check<E>(
    times: &[f64],
    tolerances: &Tolerances,
    outputs: usize,
) -> Result<(f64, f64), IntegrationError<E>> {
    let require = |valid: bool, quantity, value, allowed| match valid {
        true => Ok(()),
        false => Err(IntegrationError::Setting {
            quantity,
            value,
            allowed,
        }),
    };
    let Tolerances {
        relative,
        absolute,
        largest_step,
        max_steps,
    } = *tolerances;
    let positive = absolute > 0.0 && absolute.is_finite();
    let count = times.len();
    require(
        RELATIVE.contains(&relative),
        "relative tolerance",
        relative,
        "1e-15 to 0.1",
    )?;
    require(positive, "absolute tolerance", absolute, "above 0, finite")?;
    require(largest_step > 0.0, "largest step", largest_step, "above 0")?;
    require(max_steps > 0, "step budget", max_steps as f64, "at least 1")?;
    require(count > 0, "number of times", count as f64, "at least 1")?;
    require(
        outputs == count,
        "number of outputs",
        outputs as f64,
        "the number of times",
    )?;
    let mut previous = f64::NAN;
    for (index, &time) in times.iter().enumerate() {
        if !time.is_finite() || time <= previous {
            return Err(IntegrationError::OutputTimes {
                index,
                time,
                previous,
            });
        }
        previous = time;
    }
    Ok((times[0], previous))
}

/// The state at the start of a step, the stages of the step and the state at its end.
struct Stepper<const M: usize, F> {
    derivative: F,
    time: f64,
    state: [f64; M],
    stages: [[f64; M]; STAGES],
    step: f64,
    end_time: f64,
    end_state: [f64; M],
    next_step: f64,
    last_error: f64,
    statistics: Statistics,
}

impl<const M: usize, E, F> Stepper<M, F>
where
    F: FnMut(f64, &[f64; M]) -> Result<[f64; M], E>,
{
    fn new(derivative: F, time: f64, state: [f64; M]) -> Result<Self, IntegrationError<E>> {
        let mut stepper = Self {
            derivative,
            time,
            state,
            stages: [[0.0; M]; STAGES],
            step: 0.0,
            end_time: time,
            end_state: state,
            next_step: 0.0,
            last_error: SMALLEST_ERROR,
            statistics: Statistics::default(),
        };
        stepper.stages[0] = stepper.evaluate(time, &state)?;
        Ok(stepper)
    }

    /// One evaluation of the right-hand side, from finite numbers to finite numbers.
    fn evaluate(&mut self, time: f64, state: &[f64; M]) -> Result<[f64; M], IntegrationError<E>> {
        let step = self.step;
        let finite = |values: &[f64; M]| match values.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(component) => {
                let value = values[component];
                Err(IntegrationError::NotFinite {
                    time,
                    step,
                    component,
                    value,
                })
            }
        };
        finite(state)?;
        self.statistics.evaluations += 1;
        let slope = (self.derivative)(time, state)
            .map_err(|source| IntegrationError::RightHandSide { time, step, source })?;
        finite(&slope)?;
        Ok(slope)
    }

    /// A first step from the sizes of y, y' and y'' (hairer1993, section II.4).
    fn first_step(&mut self, end: f64, tolerances: &Tolerances) -> f64 {
        let (state, slope) = (self.state, self.stages[0]);
        let size = |values: &[f64; M]| {
            let scaled = |i: usize| values[i] / tolerances.scale(state[i], state[i]);
            ((0..M).map(|i| scaled(i).powi(2)).sum::<f64>() / M as f64).sqrt()
        };
        let limit = tolerances.largest_step.min(end - self.time);
        let (d0, d1) = (size(&state), size(&slope));
        let small = d0 < 1e-5 || d1 < 1e-5;
        let guess = limit.min(if small { 1e-6 } else { 0.01 * d0 / d1 });
        let euler = core::array::from_fn(|i| state[i] + guess * slope[i]);
        // A refusal here says only that the guess reaches too far for the second derivative.
        let Ok(ahead) = self.evaluate(self.time + guess, &euler) else {
            return guess;
        };
        let d2 = size(&core::array::from_fn(|i| ahead[i] - slope[i])) / guess;
        let by_order = math::powf(0.01 / d1.max(d2).max(1e-15), 1.0 / 8.0);
        by_order.min(100.0 * guess).min(limit)
    }

    /// Tries steps from the proposed one downward until one meets the tolerances.
    fn accept(&mut self, end: f64, tolerances: &Tolerances) -> Result<(), IntegrationError<E>> {
        let time = self.time;
        let smallest = SMALLEST_STEP_SPACINGS * f64::EPSILON * time.abs().max(end.abs());
        let mut proposal = self.next_step.min(tolerances.largest_step);
        let mut growth = STEP_RATIO[1];
        loop {
            let steps = self.statistics.accepted + self.statistics.rejected;
            if steps >= tolerances.max_steps {
                let step = proposal;
                return Err(IntegrationError::TooManySteps {
                    time,
                    step,
                    steps,
                    end,
                });
            }
            // A last step a little longer than proposed spares a tiny one after it.
            let lands = time + 1.01 * proposal >= end;
            self.end_time = if lands { end } else { time + proposal };
            self.step = self.end_time - time;
            let trial = self.trial(tolerances);
            if let Ok(error) = trial
                && error <= 1.0
            {
                let memory = math::powf(self.last_error, INTEGRAL_GAIN);
                let ratio = SAFETY * memory / math::powf(error, PROPORTIONAL_GAIN); // (6)
                self.next_step = self.step * ratio.clamp(STEP_RATIO[0], growth);
                self.last_error = error.max(SMALLEST_ERROR);
                self.statistics.accepted += 1;
                return Ok(());
            }
            self.statistics.rejected += 1;
            growth = 1.0;
            let ratio = match trial {
                Ok(error) => (SAFETY / math::powf(error, PROPORTIONAL_GAIN)).max(STEP_RATIO[0]),
                Err(_) => RETREAT,
            };
            proposal = self.step * ratio;
            if proposal < smallest {
                let step = proposal;
                let error = trial?;
                return Err(IntegrationError::StepTooSmall {
                    time,
                    step,
                    smallest,
                    error,
                });
            }
        }
    }

    /// One trial step; leaves its stages and end state and gives its scaled error (5).
    fn trial(&mut self, tolerances: &Tolerances) -> Result<f64, IntegrationError<E>> {
        for stage in 1..END_STAGE {
            self.evaluate_stage(stage)?;
        }
        self.end_state = self.stage_state(END_STAGE); // (2)
        let end_state = self.end_state;
        self.stages[END_STAGE] = self.evaluate(self.end_time, &end_state)?;
        let (mut fifth, mut third) = (0.0, 0.0);
        for i in 0..M {
            let scale = tolerances.scale(self.state[i], self.end_state[i]); // (4)
            fifth += (self.combine(&FIFTH_ORDER_ERROR, i) / scale).powi(2); // (3)
            third += (self.combine(&THIRD_ORDER_ERROR, i) / scale).powi(2);
        }
        let mixed = fifth + 0.01 * third;
        let error = self.step * fifth / (M as f64 * mixed).sqrt(); // (5)
        Ok(if mixed > 0.0 { error } else { 0.0 })
    }

    /// Component `i` of the sum of the stages with the given weights.
    fn combine(&self, weights: &[f64], i: usize) -> f64 {
        weights
            .iter()
            .zip(&self.stages)
            .map(|(weight, stage)| weight * stage[i])
            .sum()
    }

    /// The state at which a stage of (1) evaluates the right-hand side.
    fn stage_state(&self, stage: usize) -> [f64; M] {
        let weights = STAGE_WEIGHTS[stage];
        core::array::from_fn(|i| self.state[i] + self.step * self.combine(weights, i))
    }

    fn evaluate_stage(&mut self, stage: usize) -> Result<(), IntegrationError<E>> {
        let state = self.stage_state(stage); // (1)
        self.stages[stage] = self.evaluate(self.time + NODES[stage] * self.step, &state)?;
        Ok(())
    }

    /// Spends the three further stages and writes the states at `times` inside the step.
    fn interpolate(
        &mut self,
        times: &[f64],
        outputs: &mut [[f64; M]],
    ) -> Result<(), IntegrationError<E>> {
        for stage in END_STAGE + 1..STAGES {
            self.evaluate_stage(stage)?;
        }
        let coefficients: [[f64; 7]; M] = core::array::from_fn(|i| self.dense_coefficients(i));
        for (&time, output) in times.iter().zip(outputs) {
            let theta = (time - self.time) / self.step;
            *output = core::array::from_fn(|i| {
                // (7) from its innermost bracket outward.
                let nested = coefficients[i]
                    .iter()
                    .enumerate()
                    .rev()
                    .fold(0.0, |inner, (n, r)| {
                        let factor = if n % 2 == 0 { theta } else { 1.0 - theta };
                        factor * (r + inner)
                    });
                self.state[i] + nested
            });
        }
        Ok(())
    }

    /// The coefficients r₁ … r₇ of component `i`, (8).
    fn dense_coefficients(&self, i: usize) -> [f64; 7] {
        let first = self.end_state[i] - self.state[i];
        let second = self.step * self.stages[0][i] - first;
        let third = first - self.step * self.stages[END_STAGE][i] - second;
        let [r4, r5, r6, r7] = DENSE_WEIGHTS.map(|weights| self.step * self.combine(&weights, i));
        [first, second, third, r4, r5, r6, r7]
    }

    /// Makes the end of the step the start of the next.
    fn advance(&mut self) {
        self.time = self.end_time;
        self.state = self.end_state;
        self.stages[0] = self.stages[END_STAGE];
    }
}

// The tables stay out of rustfmt's hands, which would give each number a line of its own.

/// Nodes c of (1).
#[rustfmt::skip]
const NODES: [f64; STAGES] = [
    0.0, 0.05260015195876773, 0.0789002279381516, 0.1183503419072274, 0.2816496580927726,
    0.3333333333333333, 0.25, 0.3076923076923077, 0.6512820512820513, 0.6, 0.8571428571428571, 1.0,
    1.0, 0.1, 0.2, 0.7777777777777778
];

/// Weights a of (1), stage by stage; the thirteenth row holds b of (2).
#[rustfmt::skip]
const STAGE_WEIGHTS: [&[f64]; STAGES] = [
    &[],
    &[0.05260015195876773],
    &[0.0197250569845379, 0.0591751709536137],
    &[0.02958758547680685, 0.0, 0.08876275643042054],
    &[0.2413651341592667, 0.0, -0.8845494793282861, 0.924834003261792],
    &[0.037037037037037035, 0.0, 0.0, 0.17082860872947386, 0.12546768756682242],
    &[0.037109375, 0.0, 0.0, 0.17025221101954405, 0.06021653898045596, -0.017578125],
    &[0.03709200011850479, 0.0, 0.0, 0.17038392571223998, 0.10726203044637328,
      -0.015319437748624402, 0.008273789163814023],
    &[0.6241109587160757, 0.0, 0.0, -3.3608926294469414, -0.868219346841726, 27.59209969944671,
      20.154067550477894, -43.48988418106996],
    &[0.47766253643826434, 0.0, 0.0, -2.4881146199716677, -0.590290826836843, 21.230051448181193,
      15.279233632882423, -33.28821096898486, -0.020331201708508627],
    &[-0.9371424300859873, 0.0, 0.0, 5.186372428844064, 1.0914373489967295, -8.149787010746927,
      -18.52006565999696, 22.739487099350505, 2.4936055526796523, -3.0467644718982196],
    &[2.273310147516538, 0.0, 0.0, -10.53449546673725, -2.0008720582248625, -17.9589318631188,
      27.94888452941996, -2.8589982771350235, -8.87285693353063, 12.360567175794303,
      0.6433927460157636],
    &[0.054293734116568765, 0.0, 0.0, 0.0, 0.0, 4.450312892752409, 1.8915178993145003,
      -5.801203960010585, 0.3111643669578199, -0.1521609496625161, 0.20136540080403034,
      0.04471061572777259],
    &[0.056167502283047954, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25350021021662483, -0.2462390374708025,
      -0.12419142326381637, 0.15329179827876568, 0.00820105229563469, 0.007567897660545699,
      -0.008298],
    &[0.03183464816350214, 0.0, 0.0, 0.0, 0.0, 0.028300909672366776, 0.053541988307438566,
      -0.05492374857139099, 0.0, 0.0, -0.00010834732869724932, 0.0003825710908356584,
      -0.00034046500868740456, 0.1413124436746325],
    &[-0.42889630158379194, 0.0, 0.0, 0.0, 0.0, -4.697621415361164, 7.683421196062599,
      4.06898981839711, 0.3567271874552811, 0.0, 0.0, 0.0, -0.0013990241651590145,
      2.9475147891527724, -9.15095847217987],
];

/// Weights e⁵ of (3).
#[rustfmt::skip]
const FIFTH_ORDER_ERROR: [f64; END_STAGE] = [
    0.01312004499419488, 0.0, 0.0, 0.0, 0.0, -1.2251564463762044, -0.4957589496572502,
    1.6643771824549864, -0.35032884874997366, 0.3341791187130175, 0.08192320648511571,
    -0.022355307863886294
];

/// Weights e³ of (3).
#[rustfmt::skip]
const THIRD_ORDER_ERROR: [f64; END_STAGE] = [
    -0.18980075407240762, 0.0, 0.0, 0.0, 0.0, 4.450312892752409, 1.8915178993145003,
    -5.801203960010585, -0.42268232132379197, -0.1521609496625161, 0.20136540080403034,
    0.022651792198360825
];

/// Weights d of (8).
#[rustfmt::skip]
const DENSE_WEIGHTS: [[f64; STAGES]; 4] = [
    [-8.428938276109013, 0.0, 0.0, 0.0, 0.0, 0.5667149535193777, -3.0689499459498917,
     2.38466765651207, 2.117034582445028, -0.871391583777973, 2.2404374302607883,
     0.6315787787694688, -0.08899033645133331, 18.148505520854727, -9.194632392478356,
     -4.436036387594894],
    [10.427508642579134, 0.0, 0.0, 0.0, 0.0, 242.28349177525817, 165.20045171727028,
     -374.5467547226902, -22.113666853125306, 7.733432668472264, -30.674084731089398,
     -9.332130526430229, 15.697238121770845, -31.139403219565178, -9.35292435884448,
     35.81684148639408],
    [19.985053242002433, 0.0, 0.0, 0.0, 0.0, -387.0373087493518, -189.17813819516758,
     527.8081592054236, -11.57390253995963, 6.8812326946963, -1.0006050966910838,
     0.7777137798053443, -2.778205752353508, -60.19669523126412, 84.32040550667716,
     11.99229113618279],
    [-25.69393346270375, 0.0, 0.0, 0.0, 0.0, -154.18974869023643, -231.5293791760455,
     357.6391179106141, 93.40532418362432, -37.45832313645163, 104.0996495089623, 29.8402934266605,
     -43.53345659001114, 96.32455395918828, -39.17726167561544, -149.72683625798564],
];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use core::convert::Infallible;
    use core::f64::consts::PI;

    /// Rounding of a few hundred sums of weights up to 530; the coefficients carry 17 digits.
    const ROUNDING: f64 = 2e-12;

    /// Error of an interpolated state in units of the tolerance (56 measured): the interpolant is
    /// of order 7 and the controller watches the ends of the steps only.
    const DENSE_ERROR: f64 = 100.0;

    /// A rooted tree, by the subtrees that hang on its root.
    #[derive(Clone)]
    struct Tree(Vec<Tree>);

    impl Tree {
        fn order(&self) -> usize {
            1 + self.0.iter().map(Tree::order).sum::<usize>()
        }

        /// Density γ: the product of the orders of all subtrees.
        fn density(&self) -> f64 {
            self.order() as f64 * self.0.iter().map(Tree::density).product::<f64>()
        }

        /// Elementary weight of each stage.
        fn weights(&self) -> [f64; STAGES] {
            let mut product = [1.0; STAGES];
            for subtree in &self.0 {
                let below = subtree.weights();
                for (factor, row) in product.iter_mut().zip(STAGE_WEIGHTS) {
                    *factor *= row.iter().zip(below).map(|(a, w)| a * w).sum::<f64>();
                }
            }
            product
        }

        /// Every tree up to `order` nodes.
        fn all(order: usize) -> Vec<Tree> {
            let mut trees = vec![Tree(Vec::new())];
            for nodes in 2..=order {
                let mut found = Vec::new();
                Tree::forests(&trees, nodes - 1, &mut Vec::new(), &mut found);
                trees.extend(found);
            }
            trees
        }

        /// Every multiset of `trees` with `nodes` nodes, each put under a new root.
        fn forests(trees: &[Tree], nodes: usize, chosen: &mut Vec<Tree>, found: &mut Vec<Tree>) {
            if nodes == 0 {
                found.push(Tree(chosen.clone()));
            }
            for (index, tree) in trees
                .iter()
                .enumerate()
                .filter(|(_, tree)| tree.order() <= nodes)
            {
                chosen.push(tree.clone());
                Tree::forests(&trees[index..], nodes - tree.order(), chosen, found);
                chosen.pop();
            }
        }
    }

    /// Largest residual Σ wⱼ Φⱼ(τ) − θⁿ/γ(τ) over the trees with exactly `order` nodes.
    fn order_residual(weights: &[f64], order: usize, theta: f64) -> f64 {
        let residual = |tree: &Tree| {
            let sum: f64 = weights
                .iter()
                .zip(tree.weights())
                .map(|(b, phi)| b * phi)
                .sum();
            (sum - theta.powi(order as i32) / tree.density()).abs()
        };
        Tree::all(order)
            .iter()
            .filter(|t| t.order() == order)
            .map(residual)
            .fold(0.0, f64::max)
    }

    #[test]
    fn coefficients_satisfy_all_conditions_of_their_orders() {
        assert_eq!(Tree::all(8).len(), 200);
        let solution = STAGE_WEIGHTS[END_STAGE];
        let without = |error: &[f64]| -> Vec<f64> {
            solution.iter().zip(error).map(|(b, e)| b - e).collect()
        };
        let (fifth, third) = (without(&FIFTH_ORDER_ERROR), without(&THIRD_ORDER_ERROR));
        for order in 1..=8 {
            assert!(
                order_residual(solution, order, 1.0) < ROUNDING,
                "solution, order {order}"
            );
        }
        for order in 1..=5 {
            assert!(
                order_residual(&fifth, order, 1.0) < ROUNDING,
                "fifth, order {order}"
            );
        }
        for order in 1..=3 {
            assert!(
                order_residual(&third, order, 1.0) < ROUNDING,
                "third, order {order}"
            );
        }
        // The embedded weights must differ from the solution, or there is no error to see.
        assert!(order_residual(&fifth, 6, 1.0) > 1e-4 && order_residual(&third, 4, 1.0) > 1e-2);
        for (row, node) in STAGE_WEIGHTS.iter().zip(NODES) {
            assert!((row.iter().sum::<f64>() - node).abs() < 1e-14);
        }
    }

    #[test]
    fn interpolant_satisfies_all_conditions_of_order_seven() {
        // With unit vectors for stages and a unit step the interpolated state is the vector of
        // weights b(θ).
        let unit = |i: usize| core::array::from_fn(|j| f64::from(i == j));
        let mut stage = 0;
        let derivative = |_: f64, _: &[f64; STAGES]| {
            stage += 1;
            Ok::<[f64; STAGES], Infallible>(unit(stage - 1))
        };
        let mut stepper = Stepper::new(derivative, 0.0, [0.0; STAGES]).unwrap();
        (stepper.step, stepper.end_time) = (1.0, 1.0);
        stepper.trial(&Tolerances::default()).unwrap();
        let times = [0.15, 0.5, 0.85];
        let mut weights = [[0.0; STAGES]; 3];
        stepper.interpolate(&times, &mut weights).unwrap();
        for (theta, weights) in times.into_iter().zip(&weights) {
            for order in 1..=7 {
                assert!(
                    order_residual(weights, order, theta) < ROUNDING,
                    "order {order} at {theta}"
                );
            }
        }
        assert!(order_residual(&weights[1], 8, 0.5) > 1e-5);
    }

    /// y' = y cos t, y₂' = −y₂² with y = exp(sin t), y₂ = 1/(1 + t).
    fn known(t: f64, y: &[f64; 2]) -> Result<[f64; 2], Infallible> {
        Ok([y[0] * math::cos(t), -y[1] * y[1]])
    }

    fn known_error(t: f64, y: &[f64; 2]) -> f64 {
        (y[0] - math::exp(math::sin(t)))
            .abs()
            .max((y[1] - 1.0 / (1.0 + t)).abs())
    }

    /// Largest error at the steps and half-way inside them, for `steps` equal steps to t = 4.
    fn fixed_step_errors(steps: usize) -> [f64; 2] {
        let mut stepper = Stepper::new(known, 0.0, [1.0; 2]).unwrap();
        let mut errors = [0.0_f64; 2];
        for index in 1..=steps {
            stepper.end_time = 4.0 * index as f64 / steps as f64;
            stepper.step = stepper.end_time - stepper.time;
            stepper.trial(&Tolerances::default()).unwrap();
            let middle = stepper.time + 0.5 * stepper.step;
            let mut inside = [[0.0; 2]];
            stepper.interpolate(&[middle], &mut inside).unwrap();
            stepper.advance();
            errors[0] = errors[0].max(known_error(stepper.time, &stepper.state));
            errors[1] = errors[1].max(known_error(middle, &inside[0]));
        }
        errors
    }

    #[test]
    fn observed_order_is_eight() {
        let [coarse, fine] = [20, 40].map(fixed_step_errors);
        let [solution, dense] = [0, 1].map(|i| math::log2(coarse[i] / fine[i]));
        println!("errors {coarse:?} {fine:?}, observed orders {solution:.2} and {dense:.2}");
        assert!((7.6..8.6).contains(&solution), "{solution}");
        assert!((7.4..8.6).contains(&dense), "{dense}");
    }

    #[test]
    fn requested_times_are_met_within_tolerance_whatever_their_spacing() {
        let tolerances = Tolerances {
            relative: 1e-12,
            absolute: 1e-12,
            ..Tolerances::default()
        };
        let sparse = [0.0, 10.0];
        let dense: Vec<f64> = (0..=1000).map(|i| f64::from(i) * 0.01).collect();
        let mut evaluations = [0; 2];
        for (times, evaluations) in [&sparse[..], &dense].into_iter().zip(&mut evaluations) {
            let mut outputs = vec![[f64::NAN; 2]; times.len()];
            let statistics = integrate(known, [1.0; 2], times, &tolerances, &mut outputs).unwrap();
            *evaluations = statistics.evaluations;
            for (&time, state) in times.iter().zip(&outputs) {
                assert!(known_error(time, state) < DENSE_ERROR * 1e-12, "{time}");
            }
        }
        // Outputs cost at most three stages a step and do not shorten the steps.
        assert!(evaluations[1] > evaluations[0] && 4 * evaluations[1] < 5 * evaluations[0] + 20);
    }

    #[test]
    fn tighter_tolerance_gives_smaller_error() {
        let error = |relative: f64| {
            let tolerances = Tolerances {
                relative,
                absolute: relative,
                ..Tolerances::default()
            };
            let mut outputs = [[0.0; 2]; 2];
            integrate(known, [1.0; 2], &[0.0, 4.0], &tolerances, &mut outputs).unwrap();
            known_error(4.0, &outputs[1])
        };
        let errors = [1e-4, 1e-7, 1e-10].map(error);
        assert!(
            errors[0] > 10.0 * errors[1] && errors[1] > 10.0 * errors[2],
            "{errors:?}"
        );
        assert!(errors[2] < 1e-9);
    }

    #[test]
    fn nan_ends_the_integration_where_it_first_appears() {
        let slope =
            |t: f64, _: &[f64; 1]| Ok::<_, Infallible>([if t > 0.5 { f64::NAN } else { t }]);
        let mut outputs = [[0.0]; 3];
        let times = [0.0, 0.4, 1.0];
        let error = integrate(slope, [0.0], &times, &Tolerances::default(), &mut outputs);
        match error {
            Err(IntegrationError::NotFinite {
                time,
                step,
                component: 0,
                value,
            }) => {
                assert!((time - 0.5).abs() < 1e-13 && step < 1e-13 && value.is_nan());
            }
            other => panic!("{other:?}"),
        }
        assert!((outputs[1][0] - 0.08).abs() < 1e-12);
        let at_start = integrate(
            slope,
            [f64::NAN],
            &times,
            &Tolerances::default(),
            &mut outputs,
        );
        assert!(matches!(
            at_start,
            Err(IntegrationError::NotFinite { step: 0.0, .. })
        ));
    }

    #[test]
    fn failing_right_hand_side_is_reported_with_its_cause() {
        let slope = |_: f64, y: &[f64; 1]| if y[0] > 2.0 { Err(y[0]) } else { Ok([1.0]) };
        let mut outputs = [[0.0]; 2];
        match integrate(
            slope,
            [0.0],
            &[0.0, PI],
            &Tolerances::default(),
            &mut outputs,
        ) {
            Err(IntegrationError::RightHandSide { time, source, .. }) => {
                assert!((time - 2.0).abs() < 1e-13 && (source - 2.0).abs() < 1e-13);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn blow_up_and_exhausted_budget_are_told_apart() {
        let square = |_: f64, y: &[f64; 1]| Ok::<_, Infallible>([y[0] * y[0]]);
        let mut outputs = [[0.0]; 2];
        let blow_up = integrate(
            square,
            [1.0],
            &[0.0, 2.0],
            &Tolerances::default(),
            &mut outputs,
        );
        match blow_up {
            Err(IntegrationError::StepTooSmall {
                time,
                step,
                smallest,
                error,
            }) => {
                assert!((time - 1.0).abs() < 1e-9 && step < smallest && error > 1.0);
            }
            other => panic!("{other:?}"),
        }
        let short = Tolerances {
            max_steps: 3,
            ..Tolerances::default()
        };
        let exhausted = integrate(known, [1.0; 2], &[0.0, 50.0], &short, &mut [[0.0; 2]; 2]);
        assert!(matches!(
            exhausted,
            Err(IntegrationError::TooManySteps { steps: 3, .. })
        ));
    }

    #[test]
    fn impossible_settings_and_times_are_named() {
        let run = |times: &[f64], tolerances: Tolerances, outputs: usize| {
            integrate(
                known,
                [1.0; 2],
                times,
                &tolerances,
                &mut vec![[0.0; 2]; outputs],
            )
        };
        let good = Tolerances::default();
        for (bad, name) in [
            (
                Tolerances {
                    relative: f64::NAN,
                    ..good
                },
                "relative tolerance",
            ),
            (
                Tolerances {
                    absolute: 0.0,
                    ..good
                },
                "absolute tolerance",
            ),
            (
                Tolerances {
                    largest_step: 0.0,
                    ..good
                },
                "largest step",
            ),
            (
                Tolerances {
                    max_steps: 0,
                    ..good
                },
                "step budget",
            ),
        ] {
            let error = run(&[0.0, 1.0], bad, 2).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
        assert!(matches!(
            run(&[0.0], good, 2),
            Err(IntegrationError::Setting { .. })
        ));
        assert!(matches!(
            run(&[], good, 0),
            Err(IntegrationError::Setting { .. })
        ));
        for times in [
            [0.0, 0.0],
            [1.0, 0.0],
            [0.0, f64::INFINITY],
            [0.0, f64::NAN],
        ] {
            let error = run(&times, good, 2).unwrap_err();
            assert!(
                matches!(error, IntegrationError::OutputTimes { index: 1, .. }),
                "{error}"
            );
        }
        assert_eq!(run(&[3.0], good, 1).unwrap().accepted, 0);
    }
}
