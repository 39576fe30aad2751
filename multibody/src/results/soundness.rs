//! Whether a result can be believed: sound, suspect with reasons, or failed.
//!
//! A run is watched while it goes ([`Watch`]); what is outside its limit is a [`Reason`] with its
//! evidence. The energy ledger is judged by the share that it misses of what moved,
//!
//! ```text
//! moved(t) = T(t) + Σ |V_i(t) − V_i(0)| + Σ |W_j(t)| + Σ |D_k(t)|                      (1)
//! share    = max |residual(t)| / max(max moved(t), ε (T(0) + Σ |V_i(0)|))             (2)
//! ```
//!
//! T kinetic energy, V potentials (leaves, tendons, gravity, contact), W work done from outside and D
//! energy lost, both since the start [J]. Energy at rest does not count as moved. The second term of
//! (2) is for runs in which next to nothing moves: forces balance to the solver's tolerance, and what
//! is left over does work on the stored energy's scale.

use super::resolution::Resolved;
use core::fmt;
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

/// Share of the energy that moved that a ledger may miss [-].
pub const ALLOWED_ENERGY_SHARE: f64 = 1e-3;

/// ε of eq. (2) [-]: a ledger may miss [`ALLOWED_ENERGY_SHARE`] times this part of the energy that
/// was stored at the start, 1e-9 of it, whatever moves.
const STORED_PART: f64 = 1e-6;

/// Largest axial strain of a leaf [-]. The leaf is bent, not stretched: its thrust gives 5e-6, and
/// what reaches a thousandth has lost its bow or been pulled straight.
pub const ALLOWED_AXIAL_STRAIN: f64 = 1e-3;

/// Largest strain on the surface of a leaf [-]. The material is linear and the strains are small;
/// beyond a hundredth neither is true (titanium alloys yield at about 0.7 %).
pub const ALLOWED_SURFACE_STRAIN: f64 = 1e-2;

/// What makes a result suspect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// The energy ledger misses too much of what moved, eq. (2) [-].
    EnergyMissing,
    /// The contact is pressed in deeper than the radius of its tip [m].
    ContactDepth,
    /// Steps were accepted at their smallest size although they ought to have been smaller [number
    /// of steps].
    StepAtFloor,
    /// The estimated error of a step is above the accuracy asked for [-].
    ErrorEstimate,
    /// The axial strain of a leaf is beyond its model [-].
    AxialStrain,
    /// The strain on the surface of a leaf is beyond its model [-].
    SurfaceStrain,
    /// A motor turned beyond its range [rad].
    MotorRange,
    /// An elastic appendage bends beyond its model [-].
    Deflection,
    /// The peak force moves by more than was asked for when mesh and steps are refined [-].
    PeakError,
    /// The outcome is another one when mesh and steps are refined [-].
    OutcomeError,
    /// The extremes of a tendon's tension may be off by this share of the largest: steps do not resolve
    /// its vibration [-].
    TensionUnresolved,
    /// The largest torque of a motor may be off by this share: steps do not resolve its vibration [-].
    TorqueUnresolved,
    /// The largest force of a leg on the end effector may be off by this share: steps do not resolve its
    /// vibration [-].
    ForceUnresolved,
    /// A model that was run from outside says that its result is not sound [0: not sound, 1: sound].
    ToldByModel,
}

impl Doubt {
    /// Its name for programs.
    pub const fn key(self) -> &'static str {
        match self {
            Self::EnergyMissing => "energy_missing",
            Self::ContactDepth => "contact_depth",
            Self::StepAtFloor => "step_at_floor",
            Self::ErrorEstimate => "error_estimate",
            Self::AxialStrain => "axial_strain",
            Self::SurfaceStrain => "surface_strain",
            Self::MotorRange => "motor_range",
            Self::Deflection => "deflection",
            Self::PeakError => "peak_error",
            Self::OutcomeError => "outcome_error",
            Self::TensionUnresolved => "tension_unresolved",
            Self::TorqueUnresolved => "torque_unresolved",
            Self::ForceUnresolved => "force_unresolved",
            Self::ToldByModel => "told_by_model",
        }
    }
}

/// A reason to doubt a result, with its evidence; values in the unit of the [`Doubt`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reason {
    /// What is wrong.
    pub doubt: Doubt,
    /// The leg that it is about, counted from 1; none if it is about everything.
    pub leg: Option<usize>,
    /// The worst value.
    pub value: f64,
    /// What is allowed.
    pub allowed: f64,
    /// When it was worst [s].
    pub time_s: Option<f64>,
}

impl Reason {
    /// True if it is further beyond what is allowed; NaN is further than any number.
    fn is_worse_than(&self, other: &Self) -> bool {
        // Of what is not allowed at all, more is worse.
        let unit = |allowed: f64| if allowed == 0.0 { 1.0 } else { allowed };
        let (own, others) = (unit(self.allowed), unit(other.allowed));
        !other.value.is_nan() && (self.value.is_nan() || self.value * others > other.value * own)
    }
}

/// Three significant digits, small and large numbers with an exponent.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = *self;
        if value == 0.0 || !value.is_finite() {
            return write!(f, "{value}");
        }
        let text = format!("{value:.2e}");
        let decade = text.split('e').nth(1).and_then(|part| part.parse().ok());
        match decade {
            Some(decade @ -3..4) => write!(f, "{value:.*}", (2_i32 - decade).max(0) as usize),
            _ => f.write_str(&text),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, allowed) = (self.value, self.allowed);
        let milli = |x: f64| Short(1e3 * x);
        let percent = |x: f64| Short(1e2 * x);
        if let Some(leg) = self.leg {
            write!(f, "leg {leg}: ")?;
        }
        match self.doubt {
            Doubt::EnergyMissing => write!(
                f,
                "the energy ledger misses {} % of what moved (allowed {} %)",
                percent(value),
                percent(allowed)
            ),
            Doubt::ContactDepth => write!(
                f,
                "the contact was pressed in by {} mm, deeper than the tip's radius of {} mm",
                milli(value),
                milli(allowed)
            ),
            Doubt::StepAtFloor => write!(
                f,
                "{value} steps ought to have been smaller than the smallest step allowed"
            ),
            Doubt::ErrorEstimate => write!(
                f,
                "the estimated error of a step is {} (asked for {})",
                Short(value),
                Short(allowed)
            ),
            Doubt::AxialStrain => write!(
                f,
                "the leaf is strained by {} % along its axis (its model allows {} %)",
                percent(value),
                percent(allowed)
            ),
            Doubt::SurfaceStrain => write!(
                f,
                "the leaf is strained by {} % at its surface (its model allows {} %)",
                percent(value),
                percent(allowed)
            ),
            Doubt::MotorRange => write!(
                f,
                "the motor turned by {}°, beyond its range of ±{}°",
                Short(value.to_degrees()),
                Short(allowed.to_degrees())
            ),
            Doubt::Deflection => write!(
                f,
                "an elastic appendage bends by {} % of its length (its model allows {} %)",
                percent(value),
                percent(allowed)
            ),
            Doubt::PeakError => write!(
                f,
                "the error of the peak force is {} % (allowed {} %)",
                percent(value),
                percent(allowed)
            ),
            Doubt::OutcomeError => {
                f.write_str("the outcome is another one with elements and steps of half the length")
            }
            Doubt::TensionUnresolved => write!(
                f,
                "the tendon's tension vibrates faster than the steps resolve: its extremes may be off \
                 by {} % (allowed {} %)",
                percent(value),
                percent(allowed)
            ),
            Doubt::TorqueUnresolved => write!(
                f,
                "the motor's torque vibrates faster than the steps resolve: its peak may be off by {} \
                 % (allowed {} %)",
                percent(value),
                percent(allowed)
            ),
            Doubt::ForceUnresolved => write!(
                f,
                "the force of a leg vibrates faster than the steps resolve: its peak may be off by {} % \
                 (allowed {} %)",
                percent(value),
                percent(allowed)
            ),
            Doubt::ToldByModel => f.write_str("the model says that its result is not sound"),
        }?;
        match self.time_s {
            Some(time) if self.doubt == Doubt::ToldByModel => {
                write!(f, ", first at {} s", Short(time))
            }
            Some(time) if self.doubt == Doubt::StepAtFloor => {
                write!(f, ", the last at {} s", Short(time))
            }
            Some(time) => write!(f, ", worst at {} s", Short(time)),
            None => Ok(()),
        }
    }
}

/// For programs: the evidence, and the sentence for people.
impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(6))?;
        map.serialize_entry("reason", self.doubt.key())?;
        map.serialize_entry("leg", &self.leg)?;
        map.serialize_entry("value", &self.value)?;
        map.serialize_entry("allowed", &self.allowed)?;
        map.serialize_entry("time_s", &self.time_s)?;
        map.serialize_entry("text", &self.to_string())?;
        map.end()
    }
}

/// Whether a result can be believed.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Soundness {
    /// Nothing speaks against it.
    #[default]
    Sound,
    /// It was computed to its end, but must not be used without a look at the reasons.
    Suspect(Vec<Reason>),
    /// It could not be computed to its end; what was suspect until then.
    Failed(Vec<Reason>),
}

impl Soundness {
    /// Its name: `sound`, `suspect` or `failed`.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::Sound => "sound",
            Self::Suspect(_) => "suspect",
            Self::Failed(_) => "failed",
        }
    }

    /// The reasons to doubt it.
    pub fn reasons(&self) -> &[Reason] {
        match self {
            Self::Sound => &[],
            Self::Suspect(reasons) | Self::Failed(reasons) => reasons,
        }
    }

    /// True if it was computed and must not be used as it is.
    pub const fn is_suspect(&self) -> bool {
        matches!(self, Self::Suspect(_))
    }

    /// The same of a run that could not be computed to its end.
    pub fn failed(self) -> Self {
        match self {
            Self::Sound => Self::Failed(Vec::new()),
            Self::Suspect(reasons) | Self::Failed(reasons) => Self::Failed(reasons),
        }
    }

    /// The verdict on two runs that make one result: the worse of both, with the reasons of both.
    pub fn and(self, other: Self) -> Self {
        let failed = matches!(self, Self::Failed(_)) || matches!(other, Self::Failed(_));
        let reasons = [self.reasons(), other.reasons()].concat();
        match (failed, reasons.is_empty()) {
            (true, _) => Self::Failed(reasons),
            (false, true) => Self::Sound,
            (false, false) => Self::Suspect(reasons),
        }
    }
}

/// `sound`; `suspect:` or `failed:` with the reasons.
impl fmt::Display for Soundness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())?;
        for (index, reason) in self.reasons().iter().enumerate() {
            f.write_str(if index == 0 { ": " } else { "; " })?;
            reason.fmt(f)?;
        }
        Ok(())
    }
}

/// As the two entries `soundness` and `soundness_reasons` of a result: to be flattened into it.
impl Serialize for Soundness {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("soundness", self.key())?;
        map.serialize_entry("soundness_reasons", self.reasons())?;
        map.end()
    }
}

/// The energies of a run at one time [J].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Books<'a> {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potentials, always in the same order.
    pub potentials: &'a [f64],
    /// Work done from outside since the start.
    pub work: &'a [f64],
    /// Energy lost since the start.
    pub lost: &'a [f64],
    /// What the ledger misses.
    pub residual: f64,
}

/// What an energy ledger misses over a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct LedgerWatch {
    /// Potentials at the start [J]; empty before it.
    start: Vec<f64>,
    /// Energy stored at the start [J].
    stored: f64,
    /// Most that moved, eq. (1) [J].
    moved: f64,
    /// Largest residual [J] and when it was seen [s].
    residual: (f64, f64),
}

impl LedgerWatch {
    fn copy_from(&mut self, other: &Self) {
        self.start.clone_from(&other.start);
        self.stored = other.stored;
        self.moved = other.moved;
        self.residual = other.residual;
    }

    fn note(&mut self, time: f64, books: &Books<'_>) {
        if self.start.is_empty() {
            self.start = books.potentials.to_vec();
            self.stored = books.kinetic + sum(books.potentials);
        }
        let changes = books.potentials.iter().zip(&self.start);
        let changes: f64 = changes.map(|(now, start)| (now - start).abs()).sum();
        let moved = books.kinetic + changes + sum(books.work) + sum(books.lost); // (1)
        self.moved = self.moved.max(moved);
        let residual = books.residual.abs();
        // What is not a number is worse than any number, and stays.
        if residual.is_nan() || residual > self.residual.0 {
            self.residual = (residual, time);
        }
    }

    fn share(&self) -> f64 {
        let moved = self.moved.max(STORED_PART * self.stored);
        match self.residual.0 {
            0.0 => 0.0,
            residual => residual / moved, // (2)
        }
    }
}

/// Sum of absolute values.
fn sum(values: &[f64]) -> f64 {
    values.iter().map(|value| value.abs()).sum()
}

/// Largest strains of a leaf [-].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LeafStrain {
    /// Along its axis.
    pub axial: f64,
    /// On its surface, axial and bending strains together.
    pub surface: f64,
}

/// Watches a run for what makes its result suspect.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Watch {
    ledger: LedgerWatch,
    /// Steps accepted at the smallest size allowed.
    at_floor: usize,
    /// The worst of every doubt, in the order in which they came up.
    #[serde(with = "plain_reasons")]
    reasons: Vec<Reason>,
}

/// Reasons as a saved run keeps them; results tell them to programs with their sentence.
mod plain_reasons {
    use super::Reason;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(reasons: &[Reason], to: S) -> Result<S::Ok, S::Error> {
        let plain = |r: &Reason| (r.doubt, r.leg, r.value, r.allowed, r.time_s);
        reasons.iter().map(plain).collect::<Vec<_>>().serialize(to)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<Reason>, D::Error> {
        let plain = Vec::deserialize(from)?.into_iter();
        let reason = |(doubt, leg, value, allowed, time_s)| Reason {
            doubt,
            leg,
            value,
            allowed,
            time_s,
        };
        Ok(plain.map(reason).collect())
    }
}

impl Watch {
    /// Takes over what another has seen; allocates nothing once it has seen as much.
    pub fn copy_from(&mut self, other: &Self) {
        self.ledger.copy_from(&other.ledger);
        self.at_floor = other.at_floor;
        self.reasons.clone_from(&other.reasons);
    }

    /// Notes the energies at `time` [s]; the first time is the start.
    pub fn energies(&mut self, time: f64, books: &Books<'_>) {
        self.ledger.note(time, books);
    }

    /// Notes the strains of a leaf; `leg` counts from 1, none where there is only one.
    pub fn leaf(&mut self, time: f64, leg: Option<usize>, strain: &LeafStrain) {
        self.strain(Some(time), leg, strain);
    }

    /// The same of a leaf in equilibrium.
    pub fn leaf_at_rest(&mut self, leg: Option<usize>, strain: &LeafStrain) {
        self.strain(None, leg, strain);
    }

    fn strain(&mut self, time_s: Option<f64>, leg: Option<usize>, strain: &LeafStrain) {
        let parts = [
            (Doubt::AxialStrain, strain.axial, ALLOWED_AXIAL_STRAIN),
            (Doubt::SurfaceStrain, strain.surface, ALLOWED_SURFACE_STRAIN),
        ];
        for (doubt, value, allowed) in parts {
            self.limit(Reason {
                doubt,
                leg,
                value,
                allowed,
                time_s,
            });
        }
    }

    /// Notes how deep a contact is pressed in; `radius` is that of its tip [m]. Bare points have
    /// none, and no depth that would be too much.
    pub fn contact(&mut self, time: f64, depth: f64, radius: f64) {
        if radius > 0.0 {
            self.limit(Reason {
                doubt: Doubt::ContactDepth,
                leg: None,
                value: depth,
                allowed: radius,
                time_s: Some(time),
            });
        }
    }

    /// Notes how far an elastic appendage bends, as a share of its length.
    pub fn appendage(&mut self, time: f64, share: f64, allowed: f64) {
        self.limit(Reason {
            doubt: Doubt::Deflection,
            leg: None,
            value: share,
            allowed,
            time_s: Some(time),
        });
    }

    /// Notes how far a motor has turned to either side, and its range [rad].
    pub fn motor(&mut self, time: f64, leg: Option<usize>, turn: f64, range: f64) {
        self.limit(Reason {
            doubt: Doubt::MotorRange,
            leg,
            value: turn.abs(),
            allowed: range,
            time_s: Some(time),
        });
    }

    /// Notes that a model says at `time` [s] that its result is not sound; the first time counts.
    pub fn told_not_sound(&mut self, time: f64) {
        self.add(Reason {
            doubt: Doubt::ToldByModel,
            leg: None,
            value: 0.0,
            allowed: 1.0,
            time_s: Some(time),
        });
    }

    /// Keeps `reason` if its value is above what is allowed, and worse than what is known.
    fn limit(&mut self, reason: Reason) {
        let fine = reason.value <= reason.allowed;
        if !fine {
            self.add(reason);
        }
    }

    /// Notes that `steps` steps until `time` [s] were accepted at the smallest size allowed although
    /// they ought to have been smaller.
    pub fn steps_at_floor(&mut self, time: f64, steps: usize) {
        if steps > 0 {
            self.at_floor += steps;
            self.limit(Reason {
                doubt: Doubt::StepAtFloor,
                leg: None,
                value: self.at_floor as f64,
                allowed: 0.0,
                time_s: Some(time),
            });
        }
    }

    /// Notes the estimated error of a step that was accepted, and the one asked for.
    pub fn step_error(&mut self, time: f64, estimate: f64, asked: f64) {
        self.limit(Reason {
            doubt: Doubt::ErrorEstimate,
            leg: None,
            value: estimate,
            allowed: asked,
            time_s: Some(time),
        });
    }

    /// Notes how far the extremes of a curve may be off by what steps do not resolve, and how far they
    /// are allowed to be.
    pub fn resolved(&mut self, doubt: Doubt, found: &Resolved, allowed: f64) {
        self.limit(Reason {
            doubt,
            leg: None,
            value: found.error,
            allowed,
            time_s: Some(found.time),
        });
    }

    /// Adds a reason; of each doubt the worst stays.
    fn add(&mut self, reason: Reason) {
        let known = |known: &&mut Reason| known.doubt == reason.doubt;
        match self.reasons.iter_mut().find(known) {
            Some(known) if reason.is_worse_than(known) => *known = reason,
            Some(_) => {}
            None => self.reasons.push(reason),
        }
    }

    /// Share of the energy that moved that the ledger misses, eq. (2) [-].
    pub fn missing_share(&self) -> f64 {
        self.ledger.share()
    }

    /// Largest residual of the ledger [J].
    pub fn largest_residual(&self) -> f64 {
        self.ledger.residual.0
    }

    /// The verdict on what was seen so far.
    pub fn soundness(&self) -> Soundness {
        let mut seen = self.clone();
        seen.limit(Reason {
            doubt: Doubt::EnergyMissing,
            leg: None,
            value: self.missing_share(),
            allowed: ALLOWED_ENERGY_SHARE,
            time_s: Some(self.ledger.residual.1),
        });
        seen.reasons.sort_by_key(|reason| reason.doubt);
        if seen.reasons.is_empty() {
            Soundness::Sound
        } else {
            Soundness::Suspect(seen.reasons)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn books(kinetic: f64, potential: f64, lost: f64, residual: f64) -> Books<'static> {
        // Leaked: a test has few of them.
        Books {
            kinetic,
            potentials: Vec::leak(vec![potential]),
            work: &[],
            lost: Vec::leak(vec![lost]),
            residual,
        }
    }

    #[test]
    fn a_ledger_is_judged_by_what_moved_not_by_what_rests() {
        let mut watch = Watch::default();
        watch.energies(0.0, &books(0.5, 100.0, 0.0, 0.0));
        watch.energies(0.1, &books(0.1, 100.2, 0.2, 4e-4));
        // 0.1 kinetic, 0.2 into the potential, 0.2 lost; at the start 0.5 kinetic.
        assert!((watch.missing_share() - 4e-4 / 0.5).abs() < 1e-15);
        assert_eq!(watch.soundness(), Soundness::Sound);
        watch.energies(0.2, &books(0.1, 100.2, 0.2, -6e-4));
        watch.energies(0.3, &books(0.1, 100.2, 0.2, 0.0));
        let soundness = watch.soundness();
        let [reason] = soundness.reasons() else {
            panic!("{soundness}");
        };
        assert_eq!(
            (reason.doubt, reason.time_s),
            (Doubt::EnergyMissing, Some(0.2))
        );
        assert_eq!(
            soundness.to_string(),
            "suspect: the energy ledger misses 0.120 % of what moved (allowed 0.100 %), worst at \
             0.200 s"
        );
    }

    #[test]
    fn what_rests_may_breathe_within_the_solvers_tolerance() {
        let mut watch = Watch::default();
        watch.energies(0.0, &books(0.0, 30.0, 0.0, 0.0));
        watch.energies(1.0, &books(1e-20, 30.0, 0.0, 2.9e-8));
        assert_eq!(watch.soundness(), Soundness::Sound);
        watch.energies(2.0, &books(1e-20, 30.0, 0.0, 3.1e-8));
        assert!(watch.soundness().is_suspect());
        // Nothing at all is no reason to doubt.
        let mut empty = Watch::default();
        empty.energies(0.0, &books(0.0, 0.0, 0.0, 0.0));
        assert_eq!(
            (empty.missing_share(), empty.soundness()),
            (0.0, Soundness::Sound)
        );
    }

    #[test]
    fn what_is_not_a_number_is_suspect() {
        let mut watch = Watch::default();
        watch.energies(0.0, &books(1.0, 0.0, 0.0, 0.0));
        watch.energies(0.1, &books(1.0, 0.0, 0.0, f64::NAN));
        watch.energies(0.2, &books(1.0, 0.0, 0.0, 1e-9));
        watch.contact(0.1, f64::NAN, 0.005);
        let doubts: Vec<Doubt> = watch
            .soundness()
            .reasons()
            .iter()
            .map(|r| r.doubt)
            .collect();
        assert_eq!(doubts, [Doubt::EnergyMissing, Doubt::ContactDepth]);
    }

    #[test]
    fn the_worst_of_every_doubt_is_kept_with_its_leg_and_time() {
        let mut watch = Watch::default();
        let strain = |axial, surface| LeafStrain { axial, surface };
        watch.leaf(0.1, Some(2), &strain(1e-4, 0.012));
        watch.leaf(0.2, Some(5), &strain(2e-3, 0.02));
        watch.leaf(0.3, Some(6), &strain(1e-3, 0.01));
        watch.motor(0.4, Some(1), -0.5, 0.35);
        watch.motor(0.5, Some(1), 0.35, 0.35);
        watch.contact(0.6, 0.006, 0.005);
        watch.contact(0.7, 0.006, 0.0);
        let found = watch.soundness();
        let evidence: Vec<_> = found
            .reasons()
            .iter()
            .map(|r| (r.doubt.key(), r.leg, r.value, r.time_s))
            .collect();
        assert_eq!(
            evidence,
            [
                ("contact_depth", None, 0.006, Some(0.6)),
                ("axial_strain", Some(5), 2e-3, Some(0.2)),
                ("surface_strain", Some(5), 0.02, Some(0.2)),
                ("motor_range", Some(1), 0.5, Some(0.4)),
            ]
        );
        let text = found.to_string();
        assert!(
            text.contains("leg 5: the leaf is strained by 2.00 % at its surface"),
            "{text}"
        );
        assert!(text.contains("leg 1: the motor turned by 28.6°"), "{text}");
    }

    #[test]
    fn steps_at_their_floor_are_counted() {
        let mut watch = Watch::default();
        watch.steps_at_floor(0.1, 0);
        assert_eq!(watch.soundness(), Soundness::Sound);
        watch.steps_at_floor(0.2, 3);
        watch.steps_at_floor(0.3, 0);
        watch.steps_at_floor(0.4, 2);
        let text = "suspect: 5 steps ought to have been smaller than the smallest step allowed, the \
                    last at 0.400 s";
        assert_eq!(watch.soundness().to_string(), text);
    }

    #[test]
    fn a_step_less_accurate_than_asked_for_is_suspect() {
        let mut watch = Watch::default();
        watch.step_error(0.1, 1e-6, 1e-6);
        assert_eq!(watch.soundness(), Soundness::Sound);
        watch.step_error(0.2, 3e-6, 1e-6);
        watch.step_error(0.3, 2e-6, 1e-6);
        let text = "suspect: the estimated error of a step is 3.00e-6 (asked for 1.00e-6), worst at \
                    0.200 s";
        assert_eq!(watch.soundness().to_string(), text);
    }

    #[test]
    fn two_runs_of_one_result_are_as_sound_as_the_worse() {
        let doubt = Soundness::Suspect(vec![Reason {
            doubt: Doubt::ErrorEstimate,
            leg: None,
            value: 2e-3,
            allowed: 1e-3,
            time_s: None,
        }]);
        let text = "suspect: the estimated error of a step is 0.00200 (asked for 0.00100)";
        assert_eq!(doubt.to_string(), text);
        let sound = || Soundness::Sound;
        assert_eq!(sound().and(sound()), Soundness::Sound);
        assert_eq!(sound().and(doubt.clone()), doubt);
        let both = doubt.clone().and(sound().failed());
        assert_eq!((both.key(), both.reasons().len()), ("failed", 1));
        assert!(!both.is_suspect());
    }
}
