//! Motion of the four-bar in time.
//!
//! ```text
//! d/dt (q1, q̇1, W) = (q̇1, (Q − b q̇1²)/m, τ1 q̇1 + τ3 q̇3)                     (1)
//! ```
//!
//! with m, b and Q of `dynamics.rs` and W the work of the torques [J], integrated by Dormand–Prince
//! 8(5,3) (`crate::runge_kutta`). Nothing dissipates: kinetic energy + potential energy − W stays
//! what it was. Everything else is a function of q1, q̇1 and the torques, and is evaluated at the
//! requested times only; the loop is closed exactly there.

use super::dynamics::{Energy, Reactions, Torques};
use super::{Branch, Configuration, FourBar, FourBarError, PerBar};
use crate::runge_kutta::{IntegrationError, Tolerances, integrate};

/// Where a motion starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Start {
    /// Angle of link 1 [rad].
    pub q1: f64,
    /// Rate of link 1 [rad/s].
    pub q1_rate: f64,
    /// Assembly, kept throughout.
    pub branch: Branch,
}

/// The four-bar at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Time [s].
    pub time: f64,
    /// Position, with the angles [rad].
    pub configuration: Configuration,
    /// Angular rates [rad/s].
    pub rates: PerBar<f64>,
    /// Angular accelerations [rad/s²].
    pub accelerations: PerBar<f64>,
    /// Torques that act [N·m].
    pub torques: Torques,
    /// Pin forces [N].
    pub reactions: Reactions,
    /// Energies [J].
    pub energy: Energy,
    /// Work of the torques since the start [J].
    pub work: f64,
}

impl FourBar {
    /// The motion under gravity alone, at `times` [s]; the first of them is the time of the start.
    pub fn simulate(
        &self,
        start: &Start,
        times: &[f64],
        tolerances: &Tolerances,
    ) -> Result<Vec<Sample>, IntegrationError<FourBarError>> {
        self.simulate_driven(start, times, tolerances, |_, _, _| Torques::default())
    }

    /// The motion under gravity and torques given as a function of the time [s], the configuration
    /// and the angular rates [rad/s].
    pub fn simulate_driven(
        &self,
        start: &Start,
        times: &[f64],
        tolerances: &Tolerances,
        torques: impl Fn(f64, &Configuration, &PerBar<f64>) -> Torques,
    ) -> Result<Vec<Sample>, IntegrationError<FourBarError>> {
        let derivative = |time: f64, &[q1, q1_rate, _]: &[f64; 3]| {
            let configuration = self.assemble(q1, start.branch)?;
            let rates = configuration.rates(q1_rate);
            let torques = torques(time, &configuration, &rates);
            let accelerations = self.accelerations(&configuration, q1_rate, torques);
            let power = torques.link1 * rates.link1 + torques.link3 * rates.link3;
            Ok([q1_rate, accelerations.link1, power]) // (1)
        };
        let mut states = vec![[0.0; 3]; times.len()];
        let initial = [start.q1, start.q1_rate, 0.0];
        integrate(derivative, initial, times, tolerances, &mut states)?;
        let sample_at = |time: f64, [q1, q1_rate, work]: [f64; 3]| {
            let configuration = self.assemble(q1, start.branch)?;
            let torques = torques(time, &configuration, &configuration.rates(q1_rate));
            Ok(self.sample(time, configuration, q1_rate, torques, work))
        };
        let step = 0.0;
        let refuse = |time, source| IntegrationError::RightHandSide { time, step, source };
        let pairs = times.iter().zip(states);
        pairs
            .map(|(&t, state)| sample_at(t, state).map_err(|source| refuse(t, source)))
            .collect()
    }

    /// Everything there is to know at one time.
    fn sample(
        &self,
        time: f64,
        configuration: Configuration,
        q1_rate: f64,
        torques: Torques,
        work: f64,
    ) -> Sample {
        let accelerations = self.accelerations(&configuration, q1_rate, torques);
        Sample {
            time,
            configuration,
            rates: configuration.rates(q1_rate),
            accelerations,
            torques,
            reactions: self.reactions(&configuration, q1_rate, &accelerations, torques),
            energy: self.energy(&configuration, q1_rate),
            work,
        }
    }
}
