//! A force sensor below the end effector's port: sampled, late, noisy.

use multibody::math;
use nalgebra::Vector6;
use serde::{Deserialize, Serialize};
use softdock_settings::table;
use std::collections::VecDeque;

table! {
    /// The force sensor that impedance control goes by.
    #[derive(Copy)]
    pub struct ForceSensorConfig in "force_sensor" {
        period_s: f64 = 0.001, "Sampling period of the force sensor; rounded to whole periods of the regulator, one at least" ["s"; 1e-5 to 1];
        delay_s: f64 = 0.0, "From the measurement until the regulator has it; rounded to whole periods of the regulator" ["s"; 0 to 1];
        force_noise_n: f64 = 0.0, "Standard deviation of each component of the force" ["N"; >= 0];
        moment_noise_nm: f64 = 0.0, "Standard deviation of each component of the moment" ["N·m"; >= 0];
        seed: usize = 1, "Seed of the noise: the same seed, the same noise" ["-"; 0 to 1e15];
    }
}

/// A sensor at work.
#[derive(Debug, Clone)]
pub struct ForceSensor {
    config: ForceSensorConfig,
    /// Samples of the regulator per reading.
    every: usize,
    /// Readings under way, the newest last; one per sample of the regulator.
    under_way: VecDeque<Vector6<f64>>,
    delay: usize,
    count: usize,
    reading: Vector6<f64>,
    random: u64,
}

/// What changes in a sensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SensorMemory {
    under_way: Vec<Vector6<f64>>,
    count: usize,
    reading: Vector6<f64>,
    /// Upper and lower half.
    random: [u32; 2],
}

impl ForceSensor {
    /// What changes in it.
    pub fn memory(&self) -> SensorMemory {
        SensorMemory {
            under_way: self.under_way.iter().copied().collect(),
            count: self.count,
            reading: self.reading,
            random: [(self.random >> 32) as u32, self.random as u32],
        }
    }

    /// Goes on from a memory; false, and nothing changes, if it is of a sensor with another delay.
    pub fn recall(&mut self, memory: &SensorMemory) -> bool {
        if memory.under_way.len() != memory.count.min(self.delay + 1) {
            return false;
        }
        self.under_way = memory.under_way.iter().copied().collect();
        self.count = memory.count;
        self.reading = memory.reading;
        let [upper, lower] = memory.random.map(u64::from);
        self.random = (upper << 32) | lower;
        true
    }

    /// A sensor that a regulator asks every `period` [s].
    pub fn new(config: &ForceSensorConfig, period: f64) -> Self {
        Self {
            every: ((config.period_s / period).round() as usize).max(1),
            delay: (config.delay_s / period).round() as usize,
            under_way: VecDeque::new(),
            count: 0,
            reading: Vector6::zeros(),
            random: config.seed as u64,
            config: *config,
        }
    }

    /// Takes the true wrench of this sample; what the regulator gets.
    pub fn read(&mut self, truth: &Vector6<f64>) -> Vector6<f64> {
        if self.count.is_multiple_of(self.every) {
            let noise = Vector6::from_fn(|i, _| {
                let deviation = match i {
                    0..3 => self.config.force_noise_n,
                    _ => self.config.moment_noise_nm,
                };
                if deviation == 0.0 {
                    0.0
                } else {
                    deviation * self.normal()
                }
            });
            self.reading = truth + noise;
        }
        self.count += 1;
        self.under_way.push_back(self.reading);
        if self.under_way.len() > self.delay + 1 {
            self.under_way.pop_front();
        }
        if self.under_way.len() <= self.delay {
            return Vector6::zeros();
        }
        self.under_way.front().copied().unwrap_or_default()
    }

    /// A number between 0 and 1, neither included (SplitMix64, `steele2014`).
    fn uniform(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((z >> 11) as f64 + 0.5) * 2.0_f64.powi(-53)
    }

    /// A normally distributed number of unit deviation (Box and Muller).
    fn normal(&mut self) -> f64 {
        let (a, b) = (self.uniform(), self.uniform());
        (-2.0 * math::ln(a)).sqrt() * math::cos(core::f64::consts::TAU * b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sensor(period_s: f64, delay_s: f64) -> ForceSensor {
        let config = ForceSensorConfig {
            period_s,
            delay_s,
            ..ForceSensorConfig::default()
        };
        ForceSensor::new(&config, 1e-3)
    }

    #[test]
    fn readings_are_held_and_late() {
        let mut late = sensor(2e-3, 3e-3);
        let read: Vec<f64> = (1..=9)
            .map(|k| late.read(&Vector6::repeat(f64::from(k)))[0])
            .collect();
        assert_eq!(read, [0.0, 0.0, 0.0, 1.0, 1.0, 3.0, 3.0, 5.0, 5.0]);
    }

    #[test]
    fn noise_has_its_deviation_and_is_the_same_again() {
        let config = ForceSensorConfig {
            force_noise_n: 0.5,
            ..ForceSensorConfig::default()
        };
        let run = || {
            let mut sensor = ForceSensor::new(&config, 1e-3);
            (0..20_000)
                .map(|_| sensor.read(&Vector6::zeros()))
                .collect::<Vec<_>>()
        };
        let values = run();
        assert_eq!(values, run());
        let mean = values.iter().map(|v| v[1]).sum::<f64>() / 2e4;
        let square = values.iter().map(|v| v[1] * v[1]).sum::<f64>() / 2e4;
        // Three standard errors of mean and of variance.
        assert!(mean.abs() < 3.0 * 0.5 / 2e4_f64.sqrt(), "{mean}");
        assert!(
            (square / 0.25 - 1.0).abs() < 3.0 * (2.0 / 2e4_f64).sqrt(),
            "{square}"
        );
        assert!(values.iter().all(|v| v[4] == 0.0));
    }
}
