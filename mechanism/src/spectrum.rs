//! Amplitude spectrum of an output.
//!
//! Of n values with even spacing Δt, less their straight line, with Hann's window w:
//!
//! ```text
//! A(f) = 2 |Σ w_i y_i exp(−2πi f i Δt)| / Σ w_i                                  (1)
//! ```
//!
//! at the frequencies of a discrete transform padded with zeros to a power of two, at least four times
//! as long. A peak is a maximum that is the highest within the width of the window's main lobe
//! (2/T on each side); a parabola through the logarithms of three values places it. A steady sine is
//! found to about 1e-3 of 1/T.

use multibody::math;
use nalgebra::Complex;
use std::f64::consts::{PI, TAU};

/// A spectrum.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spectrum {
    /// Frequencies [Hz], from 0 to half the sampling rate.
    pub frequencies: Vec<f64>,
    /// Amplitudes in the unit of the output.
    pub amplitudes: Vec<f64>,
    /// Amplitudes up to this are rounding.
    rounding: f64,
}

/// A peak of a spectrum.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Peak {
    /// Frequency [Hz].
    pub frequency_hz: f64,
    /// Amplitude in the unit of the output.
    pub amplitude: f64,
}

/// Share of the largest value up to which an amplitude is rounding: an output that grows along a
/// straight line has nothing else.
const ROUNDING: f64 = 1e-12;

/// Fewest values that a spectrum is made of.
const FEWEST: usize = 16;

/// The spectrum of values at even times, if they are even and enough.
pub fn spectrum(times: &[f64], values: &[f64]) -> Option<Spectrum> {
    let n = times.len().min(values.len());
    if n < FEWEST || !values[..n].iter().all(|y| y.is_finite()) {
        return None;
    }
    let step = (times[n - 1] - times[0]) / (n - 1) as f64;
    let even = |i: usize| (times[i] - times[0] - step * i as f64).abs() < 1e-6 * step;
    if step <= 0.0 || !(0..n).all(even) {
        return None;
    }
    let (mean, slope) = line(&values[..n]);
    let size = (4 * n).next_power_of_two();
    let mut data = vec![Complex::new(0.0, 0.0); size];
    let mut sum = 0.0;
    for (i, (place, value)) in data.iter_mut().zip(&values[..n]).enumerate() {
        let w = 0.5 * (1.0 - math::cos(TAU * i as f64 / (n - 1) as f64));
        let middle = i as f64 - 0.5 * (n - 1) as f64;
        place.re = w * (value - mean - slope * middle);
        sum += w;
    }
    transform(&mut data);
    let half = size / 2;
    Some(Spectrum {
        frequencies: (0..=half)
            .map(|i| i as f64 / (size as f64 * step))
            .collect(),
        amplitudes: (0..=half)
            .map(|i| 2.0 * math::modulus(data[i]) / sum) // (1)
            .collect(),
        rounding: ROUNDING
            * values[..n]
                .iter()
                .fold(0.0, |most: f64, y| most.max(y.abs())),
    })
}

/// Mean and slope per value of the straight line through values.
fn line(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let (mut top, mut bottom) = (0.0, 0.0);
    for (i, y) in values.iter().enumerate() {
        let x = i as f64 - 0.5 * (n - 1.0);
        top += x * (y - mean);
        bottom += x * x;
    }
    (mean, top / bottom)
}

/// Discrete Fourier transform in place; the length is a power of two.
fn transform(data: &mut [Complex<f64>]) {
    let n = data.len();
    let bits = n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            data.swap(i, j);
        }
    }
    let mut length = 2;
    while length <= n {
        let half = length / 2;
        let turns: Vec<Complex<f64>> = (0..half)
            .map(|k| {
                let (sin, cos) = math::sin_cos(-PI * k as f64 / half as f64);
                Complex::new(cos, sin)
            })
            .collect();
        for block in data.chunks_mut(length) {
            let (low, high) = block.split_at_mut(half);
            for ((a, b), turn) in low.iter_mut().zip(high).zip(&turns) {
                let product = *b * turn;
                (*a, *b) = (*a + product, *a - product);
            }
        }
        length *= 2;
    }
}

impl Spectrum {
    /// The highest peaks, at most `most`, above `share` of the highest; highest first.
    pub fn peaks(&self, most: usize, share: f64) -> Vec<Peak> {
        let a = &self.amplitudes;
        let count = a.len();
        if count < 3 {
            return Vec::new();
        }
        // The main lobe of Hann's window reaches two of the unpadded steps to each side; padding
        // makes at least four, at most eight steps of one.
        let reach = 8;
        let largest = a.iter().copied().fold(0.0, f64::max);
        let mut out = Vec::new();
        for i in 1..count - 1 {
            let (from, to) = (i.saturating_sub(reach), (i + reach).min(count - 1));
            let highest = a[from..=to].iter().all(|other| *other <= a[i]);
            if !highest || a[i] <= share * largest || a[i] <= self.rounding {
                continue;
            }
            let log = |x: f64| math::ln(x.max(1e-300));
            let (l, m, r) = (log(a[i - 1]), log(a[i]), log(a[i + 1]));
            let bend = l - 2.0 * m + r;
            let shift = if bend < 0.0 {
                0.5 * (l - r) / bend
            } else {
                0.0
            };
            let step = self.frequencies[1];
            out.push(Peak {
                frequency_hz: self.frequencies[i] + shift * step,
                amplitude: math::exp(m - 0.25 * (l - r) * shift),
            });
        }
        out.sort_by(|x, y| y.amplitude.total_cmp(&x.amplitude));
        out.truncate(most);
        out
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn two_sines_are_found_with_frequency_and_amplitude() {
        let times: Vec<f64> = (0..1000).map(|i| 0.01 * i as f64).collect();
        let value =
            |t: f64| 3.0 + 0.2 * t + 1.5 * (TAU * 4.321 * t).sin() + 0.1 * (TAU * 11.7 * t).cos();
        let values: Vec<f64> = times.iter().map(|t| value(*t)).collect();
        let peaks = spectrum(&times, &values).unwrap().peaks(5, 1e-2);
        assert_eq!(peaks.len(), 2, "{peaks:?}");
        assert!((peaks[0].frequency_hz - 4.321).abs() < 1e-3, "{peaks:?}");
        assert!((peaks[0].amplitude - 1.5).abs() < 0.02, "{peaks:?}");
        assert!((peaks[1].frequency_hz - 11.7).abs() < 2e-3, "{peaks:?}");
        assert!((peaks[1].amplitude - 0.1).abs() < 0.005, "{peaks:?}");
    }

    #[test]
    fn uneven_times_have_no_spectrum() {
        let mut times: Vec<f64> = (0..100).map(f64::from).collect();
        times[50] += 0.1;
        assert_eq!(spectrum(&times, &vec![1.0; 100]), None);
        assert_eq!(spectrum(&[0.0, 1.0], &[0.0, 1.0]), None);
    }
}
