//! How far the figures of a docking are from converged: the same docking again, finer in everything.
//!
//! Mesh and steps are of second order or better. With f_h a figure that depends smoothly on them, f_(h/2)
//! the same with elements and steps of half the length (or a quarter of the accuracy), and f what both
//! converge to,
//!
//! ```text
//! f_h − f = c h^p,  p ≥ 2   ⇒   |f_h − f| ≤ 4/3 |f_h − f_(h/2)|                           (1)
//! ```
//!
//! which is a bound as far as everything is refined: steps that are held to their error do not all halve,
//! and then it is an estimate.
//!
//! What hangs on an event that one of both runs has and the other has not is not smooth: another outcome
//! is a reason to doubt the result.

use crate::Scenario;
use crate::error::Result;
use crate::figures::Figure;
use crate::summary::Summary;
use multibody::results::soundness::{Doubt, Reason};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The figures whose errors are told.
static FIGURES: [&Figure; 14] = [
    &Summary::peak_contact_force_n,
    &Summary::contact_impulse_n_s,
    &Summary::peak_contact_moment_nm,
    &Summary::peak_interface_tension_n,
    &Summary::peak_interface_compression_n,
    &Summary::peak_interface_shear_n,
    &Summary::peak_interface_bending_nm,
    &Summary::peak_interface_torsion_nm,
    &Summary::capture_time_s,
    &Summary::max_leg_stroke_m,
    &Summary::peak_motor_torque_nm,
    &Summary::peak_leaf_stress_pa,
    &Summary::max_motor_turn_rad,
    &Summary::final_relative_speed_m_s,
];

/// Error over difference (1).
const ERROR_OVER_DIFFERENCE: f64 = 4.0 / 3.0;
/// Error of the peak force, as a part of it, beyond which a result is in doubt if nobody asks for an
/// accuracy.
const ALLOWED_ERROR: f64 = 1e-2;

impl Scenario {
    /// The same docking with elements and steps of half the length, or a quarter of the accuracy asked
    /// for; refused where that is finer than settings may be.
    pub fn refined(&self) -> Result<Self> {
        let mut out = self.clone();
        let solver = &mut out.platform.solver;
        if let Some(accuracy) = &mut solver.accuracy {
            *accuracy *= 0.25;
            out.validate()?;
            return Ok(out);
        }
        solver.step_s *= 0.5;
        solver.step_accuracy *= 0.25;
        solver.macro_step_s *= 0.5;
        out.platform.legs.elements *= 2;
        out.docking.contact.steps_per_half_period *= 2.0;
        out.validate()?;
        Ok(out)
    }
}

/// The error of a figure, in its unit.
#[derive(Debug, Clone, Copy)]
pub struct FigureError {
    /// The figure.
    pub figure: &'static Figure,
    /// Its error.
    pub error: f64,
}

/// Errors of figures, and what they say of the result.
#[derive(Debug, Clone, Default)]
pub struct NumericalErrors {
    /// Of every figure that both runs have.
    pub figures: Vec<FigureError>,
    /// Reasons to doubt the result.
    pub doubts: Vec<Reason>,
}

impl NumericalErrors {
    /// From the figures of a run and of the same run refined; `accuracy` is what was asked for.
    pub fn new(own: &Summary, refined: &Summary, accuracy: Option<f64>) -> Self {
        let error = |figure: &'static Figure| {
            let (own, refined) = (figure.number(own)?, figure.number(refined)?);
            Some(FigureError {
                figure,
                error: ERROR_OVER_DIFFERENCE * (own - refined).abs(),
            })
        };
        let mut out = Self {
            figures: FIGURES.iter().copied().filter_map(error).collect(),
            doubts: Vec::new(),
        };
        let allowed = accuracy.unwrap_or(ALLOWED_ERROR);
        let mut doubt = |doubt, value: f64| {
            if value > allowed {
                out.doubts.push(Reason {
                    doubt,
                    leg: None,
                    value,
                    allowed,
                    time_s: None,
                });
            }
        };
        if own.outcome != refined.outcome {
            doubt(Doubt::OutcomeError, 1.0);
        }
        let peak = own.peak_contact_force_n.zip(out.figures.first());
        if let Some((peak, found)) = peak.filter(|(peak, _)| *peak > 0.0) {
            doubt(Doubt::PeakError, found.error / peak);
        }
        out
    }
}

/// A map from the figure's key to its error.
impl Serialize for NumericalErrors {
    fn serialize<S: Serializer>(&self, serializer: S) -> core::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.figures.len()))?;
        for one in &self.figures {
            map.serialize_entry(one.figure.key, &one.error)?;
        }
        map.end()
    }
}
