//! Elastic panels of the target: uniform beams clamped to it, by their modes.
//!
//! A panel of mass m and length l stands at r and points along the unit vector d; it bends along n. Of its
//! clamped modes, scaled so that ∫ φ² dm = 1, with β_k l the roots of 1 + cos βl cosh βl = 0,
//! σ_k = (sinh βl − sin βl) / (cosh βl + cos βl), and φ = ±2/√m at the tip:
//!
//! ```text
//! ∫ φ_k dm = 2 σ_k √m / (β_k l),   ∫ s φ_k dm = 2 √m l / (β_k l)²,   ω_k = ω_1 (β_k / β_1)²      (1)
//! L_k = (n ∫ φ_k dm,  r × n ∫ φ_k dm + d × n ∫ s φ_k dm)                                         (2)
//! ```
//!
//! The moment at the root, of what the panel's inertia does about it, with the acceleration a_r of the root:
//!
//! ```text
//! M = −d × n (½ m l n · a_r + ⅓ m l² n · (ω̇ × d) + Σ_k η̈_k ∫ s φ_k dm)                           (3)
//! ```
//!
//! Rigid, the panel is a slender rod. Sources: Blevins 1979 (`blevins1979`) for the modes, `appendage` of the
//! platform for what they do.

use multibody::math;
use multibody::model::spatial_inertia;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use serde::{Deserialize, Serialize};
use softdock_platform::appendage::{MOST_MODES, ModalMotion, Modes};
use softdock_platform::body::BodyState;
use softdock_settings::{ConfigError, TableEntry};

/// Roots of 1 + cos βl cosh βl = 0.
const ROOTS: [f64; 3] = [
    1.875_104_068_711_961,
    4.694_091_132_974_175,
    7.854_757_438_237_613,
];

/// Deflection over the length of a panel beyond which its inertia is no longer that of the undeformed one to
/// the accuracy of the other figures.
pub const LARGEST_DEFLECTION: f64 = 0.05;

/// A panel of the target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// What it is called.
    #[serde(default)]
    pub name: String,
    /// Where it is clamped, in the frame of the port [m].
    pub root_m: [f64; 3],
    /// Where it points from there.
    pub direction: [f64; 3],
    /// The direction in which it bends, at right angles to its own.
    pub normal: [f64; 3],
    /// Length [m].
    pub length_m: f64,
    /// Mass [kg], beside that of the target.
    pub mass_kg: f64,
    /// First frequency in bending along the normal, clamped [Hz].
    pub frequency_hz: f64,
    /// First frequency in bending across the normal, clamped [Hz]; stiff if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_frequency_hz: Option<f64>,
    /// Damping ratio of its modes.
    #[serde(default = "usual_damping")]
    pub damping_ratio: f64,
    /// Modes per direction of bending.
    #[serde(default = "usual_modes")]
    pub modes: usize,
}

fn usual_damping() -> f64 {
    0.005
}

fn usual_modes() -> usize {
    2
}

impl TableEntry for Panel {}

/// One direction of bending: the direction, its first frequency [Hz], and the number of the first mode.
struct Bending {
    normal: Vector3<f64>,
    frequency: f64,
    first: usize,
}

impl Panel {
    fn direction(&self) -> Vector3<f64> {
        Vector3::from(self.direction).normalize()
    }

    /// Directions of bending; its modes are numbered from `first`.
    fn bendings(&self, first: usize) -> impl Iterator<Item = Bending> {
        let normal = Vector3::from(self.normal).normalize();
        let flat = (normal, Some(self.frequency_hz));
        let edge = (self.direction().cross(&normal), self.edge_frequency_hz);
        let modes = self.modes;
        [flat, edge]
            .into_iter()
            .enumerate()
            .filter_map(move |(i, (normal, frequency))| {
                Some(Bending {
                    normal,
                    frequency: frequency?,
                    first: first + i * modes,
                })
            })
    }

    /// Number of its modes.
    fn mode_count(&self) -> usize {
        self.modes * (1 + usize::from(self.edge_frequency_hz.is_some()))
    }

    /// ∫ φ dm and ∫ s φ dm of mode `k`, eq. (1).
    fn integrals(&self, k: usize) -> [f64; 2] {
        let root = ROOTS[k];
        let mass = self.mass_kg.sqrt();
        let sigma = (math::sinh(root) - math::sin(root)) / (math::cosh(root) + math::cos(root));
        [
            2.0 * sigma * mass / root,
            2.0 * mass * self.length_m / (root * root),
        ]
    }

    /// Inertia of the straight panel about the port.
    fn inertia(&self) -> Matrix6<f64> {
        let d = self.direction();
        let centre = Vector3::from(self.root_m) + d * (0.5 * self.length_m);
        let across = Matrix3::identity() - d * d.transpose();
        let tensor = across * (self.mass_kg * self.length_m.powi(2) / 12.0);
        spatial_inertia(self.mass_kg, centre.into(), tensor)
    }

    fn validate(&self) -> Result<(), ConfigError> {
        let wrong = |key, value, allowed| {
            Err(ConfigError {
                key,
                value,
                allowed,
            })
        };
        let positive = [
            ("target.panel.length_m", self.length_m),
            ("target.panel.mass_kg", self.mass_kg),
            ("target.panel.frequency_hz", self.frequency_hz),
            (
                "target.panel.edge_frequency_hz",
                self.edge_frequency_hz.unwrap_or(1.0),
            ),
        ];
        for (key, value) in positive {
            if !(1e-6..=1e6).contains(&value) {
                return wrong(key, value, "1e-6 to 1e6");
            }
        }
        if !(0.0..1.0).contains(&self.damping_ratio) {
            return wrong("target.panel.damping_ratio", self.damping_ratio, "0 to 1");
        }
        if self.modes > ROOTS.len() {
            let value = self.modes as f64;
            return wrong(
                "target.panel.modes",
                value,
                "0 to 3 per direction of bending",
            );
        }
        if let Some(far) = self.root_m.iter().find(|x| x.abs() > 1e3 || x.is_nan()) {
            return wrong("target.panel.root_m", *far, "-1000 to 1000 m");
        }
        let (d, n) = (Vector3::from(self.direction), Vector3::from(self.normal));
        for (key, v) in [("target.panel.direction", d), ("target.panel.normal", n)] {
            if !(1e-3..=1e3).contains(&v.norm()) {
                return wrong(key, v.norm(), "a direction of length 1e-3 to 1e3");
            }
        }
        let along = d.normalize().dot(&n.normalize());
        if along.abs() > 1e-6 {
            let allowed = "at right angles to the direction (0 is the product of both)";
            return wrong("target.panel.normal", along, allowed);
        }
        Ok(())
    }
}

/// Checks panels together.
pub fn validate(panels: &[Panel]) -> Result<(), ConfigError> {
    panels.iter().try_for_each(Panel::validate)?;
    let count: usize = panels.iter().map(Panel::mode_count).sum();
    if count > MOST_MODES {
        return Err(ConfigError {
            key: "target.panel.modes",
            value: count as f64,
            allowed: "at most 12 for all panels and directions of bending together",
        });
    }
    Ok(())
}

/// Inertia of the straight panels about the port.
pub fn inertia(panels: &[Panel]) -> Matrix6<f64> {
    panels.iter().map(Panel::inertia).sum()
}

/// The modes of all panels.
pub fn modes(panels: &[Panel]) -> Modes {
    let mut out = Modes::default();
    for panel in panels {
        for bending in panel.bendings(out.count) {
            for (k, beta) in ROOTS.iter().enumerate().take(panel.modes) {
                let [shift, lever] = panel.integrals(k);
                let root = Vector3::from(panel.root_m);
                let angular = root.cross(&bending.normal) * shift
                    + panel.direction().cross(&bending.normal) * lever;
                let mode = bending.first + k;
                let column = Vector6::from_fn(|i, _| match i {
                    0..3 => bending.normal[i] * shift,
                    _ => angular[i - 3],
                });
                out.momentum.set_column(mode, &column); // (2)
                let omega = core::f64::consts::TAU * bending.frequency * (beta / ROOTS[0]).powi(2);
                out.stiffness[mode] = omega * omega;
                out.damping[mode] = 2.0 * panel.damping_ratio * omega;
            }
        }
        out.count += panel.mode_count();
    }
    out
}

/// Where panels are most deflected and loaded.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct PanelPeaks {
    /// Largest deflection of a tip [m].
    pub deflection_m: f64,
    /// The same over the panel's length.
    pub share: f64,
    /// When that was [s].
    pub time_s: f64,
    /// Largest bending moment at a root [N·m].
    pub root_moment_nm: f64,
}

impl PanelPeaks {
    /// Looks at the panels of a target that moves as `state`.
    pub fn see(&mut self, panels: &[Panel], state: &BodyState, time: f64) {
        let mut first = 0;
        for panel in panels {
            let deflection = panel.tip(first, &state.modal);
            self.deflection_m = self.deflection_m.max(deflection);
            let share = deflection / panel.length_m;
            if share > self.share {
                (self.share, self.time_s) = (share, time);
            }
            let moment = panel.root_moment(first, state);
            self.root_moment_nm = self.root_moment_nm.max(moment);
            first += panel.mode_count();
        }
    }
}

impl Panel {
    /// Deflection of the tip [m]; its modes are numbered from `first`.
    pub fn tip(&self, first: usize, motion: &ModalMotion) -> f64 {
        let per_mode = 2.0 / self.mass_kg.sqrt();
        let bendings = self.bendings(first).map(|bending| {
            // At the tip the modes are +2, −2, +2, …
            let terms = (0..self.modes).map(|k| {
                let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
                sign * motion.place[bending.first + k]
            });
            (terms.sum::<f64>() * per_mode).powi(2)
        });
        bendings.sum::<f64>().sqrt()
    }

    /// Bending moment at the root [N·m], eq. (3).
    pub fn root_moment(&self, first: usize, state: &BodyState) -> f64 {
        let (d, root) = (self.direction(), Vector3::from(self.root_m));
        let part = |v: &Vector6<f64>, i: usize| -> Vector3<f64> { v.fixed_rows::<3>(i).into() };
        let (v, omega) = (part(&state.velocity, 0), part(&state.velocity, 3));
        let change = part(&state.acceleration, 3);
        let at_root = part(&state.acceleration, 0)
            + omega.cross(&v)
            + change.cross(&root)
            + omega.cross(&omega.cross(&root));
        let (m, l) = (self.mass_kg, self.length_m);
        let normals = [
            Vector3::from(self.normal).normalize(),
            d.cross(&Vector3::from(self.normal).normalize()),
        ];
        let mut moments = normals
            .map(|n| 0.5 * m * l * n.dot(&at_root) + m * l * l / 3.0 * n.dot(&change.cross(&d)));
        for (moment, bending) in moments.iter_mut().zip(self.bendings(first)) {
            for k in 0..self.modes {
                let [_, lever] = self.integrals(k);
                *moment += lever * state.modal.acceleration[bending.first + k];
            }
        }
        (moments[0].powi(2) + moments[1].powi(2)).sqrt()
    }
}
