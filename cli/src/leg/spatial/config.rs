//! What can be set of a spatial leg that stands alone: the leg, and what happens to its tip.

use leg_core::config::{ConfigError, History, Shape};
use leg_core::spatial::{SpatialChannel, TipDrive};
use leg_core::spatial_simulate::resting_signals;
use leg_core::{LegError, SpatialLegConfig, SpatialPretensioned, SpatialSimulation};
use serde::{Deserialize, Serialize};
use softdock_settings::{table, words};

words! {
    /// What happens to the tip.
    pub enum TipMode {
        /// It is where its motion puts it.
        #[default]
        Held = "held",
        /// It moves under the force that held it, and the given force on top.
        Loaded = "loaded",
        /// It moves under the given force alone.
        Free = "free",
    }
}

impl From<TipMode> for TipDrive {
    fn from(mode: TipMode) -> Self {
        match mode {
            TipMode::Held => Self::Prescribed,
            TipMode::Loaded | TipMode::Free => Self::Free,
        }
    }
}

table! {
    /// The tip B.
    pub struct Tip in "tip" {
        mode: TipMode = TipMode::Held, "The tip: held, free under the force that held it and a load on top, or free under the load alone";
        motion_x_m: History = History::default(), "Displacement of a held tip along x; from rest, without jumps" ["m"];
        motion_y_m: History = History::default(), "Displacement of a held tip along y" ["m"];
        motion_z_m: History = History::default(), "Displacement of a held tip along z" ["m"];
        force_x_n: History = History::default(), "Force on a loaded or free tip along x" ["N"];
        force_y_n: History = History::default(), "Force on a loaded or free tip along y" ["N"];
        force_z_n: History = History::default(), "Force on a loaded or free tip along z" ["N"];
    }
}

/// Keys of the displacements and of the forces, with their histories.
type Keyed<'a> = [(&'static str, &'a History); 3];

impl Tip {
    fn motions(&self) -> Keyed<'_> {
        [
            (Self::motion_x_m.key, &self.motion_x_m),
            (Self::motion_y_m.key, &self.motion_y_m),
            (Self::motion_z_m.key, &self.motion_z_m),
        ]
    }

    fn forces(&self) -> Keyed<'_> {
        [
            (Self::force_x_n.key, &self.force_x_n),
            (Self::force_y_n.key, &self.force_y_n),
            (Self::force_z_n.key, &self.force_z_n),
        ]
    }

    fn validate(&self) -> Result<(), ConfigError> {
        let all = self.motions().into_iter().chain(self.forces());
        all.into_iter()
            .try_for_each(|(key, history)| history.validate(key))
    }

    /// A key whose history cannot be followed, and why.
    pub fn objection(&self) -> Option<(&'static str, String)> {
        let (idle, remedy) = match self.mode {
            TipMode::Held => (
                self.forces(),
                "the tip is held: set tip.mode to \"loaded\" or \"free\"",
            ),
            TipMode::Loaded | TipMode::Free => (
                self.motions(),
                "the tip moves freely: set tip.mode to \"held\"",
            ),
        };
        let given = |(_, history): &&(&str, &History)| **history != History::default();
        if let Some((key, _)) = idle.iter().find(given) {
            return Some((key, format!("{key} has no effect: {remedy}")));
        }
        let mut motions = self.motions().into_iter();
        motions.find_map(|(key, history)| Some((key, format!("{key} {}", jump(history)?))))
    }
}

/// Why a tip cannot follow a displacement from rest, if it cannot.
fn jump(history: &History) -> Option<String> {
    if matches!(history, History::Shape(Shape::Step { .. })) {
        return Some("makes the tip jump: take a ramp instead of a step".to_owned());
    }
    if history.is_rough() {
        let problem = "is a table at whose rows the speed of the tip would jump: add \
                       interpolation = \"cubic\" to it, or --interpolation cubic to --input";
        return Some(problem.to_owned());
    }
    let (place, speed, _) = history.signal().sample(0.0);
    (place.abs() > AT_REST || speed.abs() > AT_REST).then(|| {
        format!(
            "does not start at rest: at t = 0 it is {place} m and {speed} m/s, both must be 0; a \
             sine of amplitude a does with offset = -a and phase_rad = 1.5707963267948966"
        )
    })
}

/// Largest displacement [m] and speed [m/s] with which a tip may start: what the solver takes for
/// closed joints.
const AT_REST: f64 = 1e-6;

/// A spatial leg and its tip.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SpatialSettings {
    /// The leg.
    #[serde(flatten)]
    pub leg: SpatialLegConfig,
    /// What happens to its tip.
    pub tip: Tip,
}

impl SpatialSettings {
    /// Checks every value.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.tip.validate()?;
        self.leg.validate()
    }

    /// The leg at rest in `bowed`, about to move as the settings say.
    pub fn simulation(&self, bowed: SpatialPretensioned) -> Result<SpatialSimulation, LegError> {
        let drive = TipDrive::from(self.tip.mode);
        let mut signals = resting_signals(&bowed, drive);
        let mut set = |channel: SpatialChannel, keyed: Keyed<'_>, start: [f64; 3]| {
            for (i, (_, history)) in keyed.into_iter().enumerate() {
                signals.0[channel as usize + i] = history.signal().shifted(start[i]);
            }
        };
        let held = match self.tip.mode {
            TipMode::Loaded => bowed.tip_force_n.map(|force| -force),
            TipMode::Held | TipMode::Free => [0.0; 3],
        };
        let place = self.leg.tip_position_m;
        set(SpatialChannel::TipPosition, self.tip.motions(), place);
        set(SpatialChannel::TipForce, self.tip.forces(), held);
        SpatialSimulation::driven(bowed, drive, signals)
    }
}
