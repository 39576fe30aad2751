//! Energy of large free vibrations of the leaf.
//!
//! The leaf is a cantilever that starts straight with the velocities of its first mode, such that
//! the linear motion would reach 0.2 L at the tip. There is no strain at the start, so nothing but
//! that mode is excited.

use crate::error::Result;
use crate::models::{LEAF_LENGTH, held, swinging_leaf};
use crate::sources::CONSERVATION;
use crate::{Case, Demand, Quantity};
use multibody::dynamics::{self, StepSettings};
use multibody::element::Rayleigh;
use multibody::group::Group;
use multibody::math;
use multibody::results::energy::energies;
use multibody::workspace::Workspace;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "free vibration of the leaf, 0.2 L",
        source: CONSERVATION,
        quantities: &[
            Quantity {
                name: "|E−E0|/E0, 10⁴ steps of 0.1 ms, ρ∞ = 1",
                unit: "",
                demand: Demand::AtMost(1e-4),
                reason: "promised",
            },
            Quantity {
                name: "(E−E0)/E0 at most, 10⁴ steps of 1 ms, ρ∞ = 0.8",
                unit: "",
                demand: Demand::AtMost(0.0),
                reason: "promised: never grows",
            },
            Quantity {
                name: "its growth from period to period / E0",
                unit: "",
                demand: Demand::AtMost(0.0),
                reason: "promised: never grows; the largest energy of each period is compared, \
                         because E itself ripples by 4e-6 inside a period",
            },
            Quantity {
                name: "tip amplitude / L",
                unit: "",
                demand: Demand::Absolute {
                    reference: &[0.2],
                    allowed: 0.02,
                },
                reason: "shows that the vibration is large; the leaf stiffens a little as it bends",
            },
        ],
        ours: undamped,
    },
    Case {
        name: "damped vibration of the leaf, 0.2 L",
        source: CONSERVATION,
        quantities: &[
            Quantity {
                name: "ledger residual / dissipated, 1 ms, ρ∞ = 0.8",
                unit: "",
                demand: Demand::AtMost(1e-3),
                reason: "promised",
            },
            Quantity {
                name: "observed orders, 1 to 0.5 to 0.25 ms",
                unit: "",
                demand: Demand::Absolute {
                    reference: &[2.0, 2.0],
                    allowed: 0.1,
                },
                reason: "promised: shrinks as Δt²",
            },
        ],
        ours: damped,
    },
];

/// What a run of the leaf shows.
struct Run {
    /// (E − E0)/E0 after every step.
    change: Vec<f64>,
    /// Largest deflection of the tip over the length.
    amplitude: f64,
    /// Residual of the ledger over the energy dissipated, at the end.
    ledger_error: f64,
}

fn run(steps: usize, h: f64, spectral_radius: f64, rayleigh: Rayleigh) -> Result<Run> {
    let (leaf, mut state) = swinging_leaf(10, rayleigh)?;
    let model = &leaf.model;
    let mut workspace = Workspace::new(model);
    let drive = held(&state);
    dynamics::initialize(model, &mut state, &mut workspace, &drive)?;
    let settings = StepSettings {
        spectral_radius,
        ..StepSettings::default()
    };
    let start = state.ledger.initial;
    let mut change = Vec::with_capacity(steps);
    let mut amplitude: f64 = 0.0;
    for _ in 0..steps {
        dynamics::step(model, &mut state, &mut workspace, &drive, h, &settings)?;
        change.push(energies(model, &state)?.mechanical() / start - 1.0);
        amplitude = amplitude.max(state.pose(leaf.tip).translation()[1].abs() / LEAF_LENGTH);
    }
    let residual = state.ledger.residual(&energies(model, &state)?);
    Ok(Run {
        change,
        amplitude,
        ledger_error: (residual / state.ledger.dissipated).abs(),
    })
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn undamped() -> Result<Vec<Vec<f64>>> {
    let fine = run(10_000, 1e-4, 1.0, Rayleigh::default())?;
    let coarse = run(10_000, 1e-3, 0.8, Rayleigh::default())?;
    let drift = fine
        .change
        .iter()
        .fold(0.0, |worst: f64, x| worst.max(x.abs()));
    let periods: Vec<f64> = coarse.change.chunks(250).map(largest).collect();
    let growth: Vec<f64> = periods.windows(2).map(|pair| pair[1] - pair[0]).collect();
    Ok(vec![
        vec![drift],
        vec![largest(&coarse.change)],
        vec![largest(&growth)],
        vec![fine.amplitude],
    ])
}

fn damped() -> Result<Vec<Vec<f64>>> {
    let rayleigh = Rayleigh {
        mass: 1.0,
        stiffness: 1e-3,
    };
    let at =
        |steps: usize, h: f64| -> Result<f64> { Ok(run(steps, h, 0.8, rayleigh)?.ledger_error) };
    let [coarse, middle, fine] = [at(1000, 1e-3)?, at(2000, 0.5e-3)?, at(4000, 0.25e-3)?];
    let orders = vec![math::log2(coarse / middle), math::log2(middle / fine)];
    Ok(vec![vec![coarse], orders])
}
