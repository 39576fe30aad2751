//! Rayleigh damping recovered from decaying vibrations.

use super::statics::aluminium_spec;
use crate::error::{Failure, Result};
use crate::models::{Cantilever, cantilever_mode, held, start_mode};
use crate::sources::RAYLEIGH;
use crate::{Case, Demand, Quantity};
use core::f64::consts::TAU;
use multibody::dynamics::{self, StepSettings};
use multibody::element::Rayleigh;
use multibody::group::{Group, Se2};
use multibody::math;
use multibody::modal;
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::Vector2;

const DEMANDED: &str = "promised: 2 %";

pub(super) const CASES: &[Case] = &[Case {
    name: "Rayleigh damping, aluminium cantilever",
    source: RAYLEIGH,
    quantities: &[
        Quantity {
            name: "ratio of mode 1, identified for 2 %",
            unit: "",
            demand: Demand::Relative {
                reference: &[0.02],
                allowed: 0.02,
            },
            reason: DEMANDED,
        },
        Quantity {
            name: "ratio of mode 2, identified for 3 %",
            unit: "",
            demand: Demand::Relative {
                reference: &[0.03],
                allowed: 0.02,
            },
            reason: DEMANDED,
        },
        Quantity {
            name: "ratio of mode 3, ½(α/ω + βω)",
            unit: "",
            demand: Demand::Relative {
                reference: &[0.07724883],
                allowed: 0.02,
            },
            reason: DEMANDED,
        },
        Quantity {
            name: "ratios of modes 1 to 3, damped eigenvalues",
            unit: "",
            demand: Demand::Relative {
                reference: &[0.02, 0.03, 0.07724883],
                allowed: 0.02,
            },
            reason: DEMANDED,
        },
    ],
    ours: ratios,
}];

/// Exact frequencies of the first three modes [Hz].
const FREQUENCIES: [f64; 3] = [186.0968, 1160.0287, 3220.6711];
/// Peaks whose decay is measured.
const PEAKS: usize = 5;
const STEPS_PER_PERIOD: usize = 200;

fn ratios() -> Result<Vec<Vec<f64>>> {
    let [w1, w2, _] = FREQUENCIES.map(|f| TAU * f);
    let rayleigh = Rayleigh::from_two_modes(w1, 0.02, w2, 0.03);
    let mut out = Vec::new();
    for mode in 0..3 {
        out.push(vec![damping_ratio(mode, rayleigh)?]);
    }
    out.push(eigenvalue_ratios(rayleigh)?);
    Ok(out)
}

/// Damping ratios of the first three modes from the eigenvalues of the damped beam.
fn eigenvalue_ratios(rayleigh: Rayleigh) -> Result<Vec<f64>> {
    let mut spec = aluminium_spec(20)?;
    spec.rayleigh = rayleigh;
    let beam = Cantilever::<Se2, 3, 2>::new(Se2::identity(), &spec, Vector2::zeros())?;
    let mut workspace = Workspace::new(&beam.model);
    let state = State::new(&beam.model);
    let modes = modal::damped_modes(&beam.model, &state, &mut workspace, 3)?;
    Ok(modes
        .modes
        .iter()
        .map(|mode| mode.damping_ratio())
        .collect())
}

/// Starts the beam straight with the velocities of a mode (that of a slender beam is close enough),
/// so small that the motion is linear, and measures its decay.
fn damping_ratio(mode: usize, rayleigh: Rayleigh) -> Result<f64> {
    let mut spec = aluminium_spec(20)?;
    spec.rayleigh = rayleigh;
    let beam = Cantilever::<Se2, 3, 2>::new(Se2::identity(), &spec, Vector2::zeros())?;
    let model = &beam.model;
    let mut state = State::new(model);
    let speed = 1e-6 * spec.length * TAU * FREQUENCIES[mode];
    start_mode(&mut state, mode, spec.length, speed);
    let mut workspace = Workspace::new(model);
    let drive = held(&state);
    dynamics::initialize(model, &mut state, &mut workspace, &drive)?;
    // Without numerical damping: what decays is Rayleigh's.
    let settings = StepSettings {
        spectral_radius: 1.0,
        tolerance: 1e-12,
        ..StepSettings::default()
    };
    let h = 1.0 / (FREQUENCIES[mode] * STEPS_PER_PERIOD as f64);
    let mut signal = vec![0.0];
    for _ in 0..(PEAKS + 1) * STEPS_PER_PERIOD {
        dynamics::step(model, &mut state, &mut workspace, &drive, h, &settings)?;
        signal.push(amplitude(mode, &state));
    }
    let peaks = peaks(&signal);
    if peaks.len() < PEAKS {
        return Err(Failure::TooFew {
            what: "peaks",
            found: peaks.len(),
            needed: PEAKS,
        });
    }
    // The first peak is left out: the little there is of other modes decays first.
    let decrement = math::ln(peaks[1] / peaks[PEAKS - 1]) / (PEAKS - 2) as f64;
    Ok(decrement / math::hypot(decrement, TAU))
}

/// Share of a mode in the deflection: the mode's shape as a weight suppresses the others once
/// more.
fn amplitude(mode: usize, state: &State<Se2, 3>) -> f64 {
    let last = state.poses.len() - 1;
    let share = |(i, pose): (usize, &Se2)| {
        let weight = if i == last { 0.5 } else { 1.0 };
        weight * cantilever_mode(mode, i as f64 / last as f64).0 * pose.translation()[1]
    };
    state.poses.iter().enumerate().map(share).sum()
}

/// Heights of the maxima of a sampled signal, each from the parabola through three samples.
fn peaks(signal: &[f64]) -> Vec<f64> {
    signal
        .windows(3)
        .filter(|w| w[1] > 0.0 && w[1] >= w[0] && w[1] > w[2])
        .map(|w| {
            let (slope, curvature) = (0.5 * (w[2] - w[0]), w[2] - 2.0 * w[1] + w[0]);
            w[1] - 0.5 * slope * slope / curvature
        })
        .collect()
}
