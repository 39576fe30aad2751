//! Configuration of a leg: every quantity with its unit in the key, every key optional.
//!
//! Defaults are the published leg. Unknown keys are refused; [`LegConfig::validate`] names the
//! key, the value and the allowed range of whatever is wrong.

use super::check::{finite, positive};
use multibody::element::{ElementKind, Rayleigh};
use multibody::model::{Interpolation, LineLaw, Material, Section, Signal};
use serde::{Deserialize, Serialize};
pub use softdock_settings::ConfigError;
use softdock_settings::{Kind, Range, Setting, Table, check, table, words};

table! {
    /// Where the planar leg's pivots are.
    #[derive(Copy)]
    pub struct Geometry in "geometry" {
        lower_pivot_m: [f64; 2] = [0.150, 0.0], "Lower ground pivot O, where the motor is" ["m"; -100 to 100];
        upper_pivot_m: [f64; 2] = [0.0, 0.400], "Upper ground pivot C" ["m"; -100 to 100];
    }
}

table! {
    /// The crank.
    #[derive(Copy)]
    pub struct Crank in "crank" {
        length_m: f64 = 0.12, "Length of the crank OA" ["m"; 0.001 to 100];
        mass_kg: f64 = 1.0, "Mass of the crank, a slender rod" ["kg"; 1e-6 to 1e6];
    }
}

table! {
    /// The upper link of the planar leg.
    #[derive(Copy)]
    pub struct UpperLink in "link" {
        length_m: f64 = 0.19, "Length of the upper link CB, which stands for the end effector" ["m"; 0.001 to 100];
        mass_kg: f64 = 1.0, "Mass of the upper link, a slender rod" ["kg"; 1e-6 to 1e6];
    }
}

words! {
    /// How the leaf is modelled.
    pub enum LeafKind {
        /// Geometrically exact, strain varying linearly in an element: fourth-order accurate.
        #[default]
        LinearStrain = "linear_strain",
        /// Geometrically exact, constant strain in an element: second-order accurate.
        ConstantStrain = "constant_strain",
    }
}

words! {
    /// How the leaf's section bends.
    pub enum LeafSection {
        /// As a beam: EI times curvature.
        #[default]
        Beam = "beam",
        /// As a strip: between beam and plate, depending on its curvature.
        Strip = "strip",
    }
}

words! {
    /// Whether stops end a motion.
    pub enum EndStops {
        /// In the spatial leg, alone or in a platform; not in the planar one, whose published motions
        /// turn freely.
        #[default]
        Auto = "auto",
        /// Always.
        On = "on",
        /// Never.
        Off = "off",
    }
}

impl From<LeafKind> for ElementKind {
    fn from(kind: LeafKind) -> Self {
        match kind {
            LeafKind::LinearStrain => Self::LinearStrain,
            LeafKind::ConstantStrain => Self::ConstantStrain,
        }
    }
}

/// Modes of the leaf that can be given a damping ratio of their own. They damp deformation of the
/// leaf, not its motion as a whole.
pub const MODAL_RATIOS: usize = 4;

table! {
    /// The leaf spring.
    ///
    /// Beyond the range of Young's modulus, bending and stretching differ by more than a number's
    /// digits.
    #[derive(Copy)]
    pub struct Leaf in "leaf" {
        length_m: f64 = 0.50, "Length of the leaf spring AB when straight" ["m"; 0.001 to 100];
        width_m: f64 = 0.077, "Width, normal to the plane of bending" ["m"; 1e-6 to 10];
        thickness_m: f64 = 0.0012, "Thickness, in the plane of bending" ["m"; 1e-6 to 1];
        youngs_modulus_pa: f64 = Material::titanium().youngs_modulus, "Young's modulus" ["Pa"; 1e3 to 1e13];
        shear_modulus_pa: f64 = Material::titanium().shear_modulus, "Shear modulus" ["Pa"; 1e3 to 1e13];
        shear_factor: f64 = Material::titanium().shear_factor, "Shear correction factor" ["-"; 0.001 to 10];
        density_kg_m3: f64 = Material::titanium().density, "Density" ["kg/m³"; 0.001 to 1e6];
        curvature_per_m: f64 = 0.0, "Curvature of the unstressed leaf, positive to the left of A→B" ["1/m"; -1e4 to 1e4];
        rayleigh_mass_per_s: f64 = 0.0, "Rayleigh damping, mass coefficient alpha: vibrations of the leaf about a leg at rest in its base decay by alpha/2" ["1/s"; 0 to 1e6];
        rayleigh_stiffness_s: f64 = 0.0, "Rayleigh damping, stiffness coefficient beta: every section answers its strain rate with beta times its stiffness" ["s"; 0 to 1e3];
        modal_damping_ratios: [f64; MODAL_RATIOS] = [0.0; MODAL_RATIOS], "Damping ratios of the first four modes of the bowed leaf with its ends held, on top of Rayleigh's" ["-"; 0 to 0.999];
        kind: LeafKind = LeafKind::default(), "Element: linear_strain is fourth-order accurate, constant_strain second-order";
        section: LeafSection = LeafSection::default(), "Bending of the leaf's section: beam (as published), or strip (wide and thin: stiffer, and more stress at its edges)";
        yield_strength_pa: f64 = 880e6, "Yield strength, against which stress is reported; the default is that of Ti-6Al-4V (annealed), commercially pure titanium grade 2 has 275e6 to 345e6" ["Pa"; 1 to 1e12];
    }
}

impl Leaf {
    /// Checks what a strip needs.
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if self.section == LeafSection::Beam {
            return Ok(());
        }
        let curvature = self.curvature_per_m;
        let flat = "0 where leaf.section = \"strip\": a strip is flat when unstressed";
        check(curvature == 0.0, Self::curvature_per_m.key, curvature, flat)?;
        let (shear, nu) = (self.shear_modulus_pa, self.poisson_ratio());
        let allowed = "a third to half of leaf.youngs_modulus_pa where leaf.section = \"strip\": \
                       Poisson's ratio E/2G - 1 must be 0 to 0.5";
        let ok = (0.0..=0.5).contains(&nu);
        check(ok, Self::shear_modulus_pa.key, shear, allowed)
    }

    pub(super) fn material(&self) -> Material {
        Material {
            youngs_modulus: self.youngs_modulus_pa,
            shear_modulus: self.shear_modulus_pa,
            density: self.density_kg_m3,
            shear_factor: self.shear_factor,
        }
    }

    /// Section of the leaf in the plane.
    pub fn planar_section(&self) -> multibody::Result<Section<3, 2>> {
        Section::<3, 2>::rectangle(&self.material(), self.thickness_m, self.width_m)
    }

    /// Section of the leaf in space: thickness along e2, width along e3.
    pub fn spatial_section(&self) -> multibody::Result<Section<6, 3>> {
        Section::<6, 3>::rectangle(&self.material(), self.thickness_m, self.width_m)
    }

    /// The same leaf without damping of single modes, which are known only once it is bowed.
    pub(super) fn without_modal_damping(&self) -> Self {
        Self {
            modal_damping_ratios: [0.0; MODAL_RATIOS],
            ..*self
        }
    }

    /// The same leaf without any damping: neither equilibrium nor undamped modes depend on it.
    pub(super) fn undamped(&self) -> Self {
        Self {
            rayleigh_mass_per_s: 0.0,
            rayleigh_stiffness_s: 0.0,
            ..self.without_modal_damping()
        }
    }

    /// True when single modes are damped.
    pub(super) fn has_modal_damping(&self) -> bool {
        self.modal_damping_ratios.iter().any(|&ratio| ratio > 0.0)
    }

    /// Rayleigh damping.
    pub fn rayleigh(&self) -> Rayleigh {
        Rayleigh {
            mass: self.rayleigh_mass_per_s,
            stiffness: self.rayleigh_stiffness_s,
        }
    }

    /// Bending stiffness EI in the plane [N·m²].
    pub fn bending_stiffness(&self) -> f64 {
        self.youngs_modulus_pa * self.width_m * self.thickness_m.powi(3) / 12.0
    }

    /// Buckling load of the pinned straight leaf, π² EI / L² [N].
    pub fn euler_load(&self) -> f64 {
        let k = core::f64::consts::PI / self.length_m;
        k * k * self.bending_stiffness()
    }
}

table! {
    /// The tendon between A and B. Beyond the range of its stiffness, the tension is rounding of its
    /// length.
    #[derive(Copy)]
    pub struct Tendon in "tendon" {
        present: bool = true, "False leaves the tendon out";
        stiffness_n_per_m: f64 = 2000.0, "Stiffness" ["N/m"; 0.001 to 1e12];
        damping_n_s_per_m: f64 = 1500.0, "Damping; while lengthening only, if damping_shortening_n_s_per_m is given" ["N·s/m"; 0 to 1e9];
        #[serde(skip_serializing_if = "Option::is_none")]
        damping_shortening_n_s_per_m: Option<f64> = None, "Damping while shortening; left out: as while lengthening" ["N·s/m"; 0 to 1e9] sample "0.0";
        #[serde(skip_serializing_if = "Option::is_none")]
        rest_length_m: Option<f64> = None, "Rest length; left out: found by the pre-tension solve" ["m"; 0 to 100] sample "0.3788866560";
        friction_n: f64 = 0.0, "Guide friction" ["N"; 0 to 1e6];
        friction_speed_m_per_s: f64 = 1e-3, "Speed over which the friction changes sign" ["m/s"; 1e-9 to 1e3];
        slack_width_n: f64 = 1e-2, "Half width of the rounded corner at zero tension" ["N"; 1e-9 to 1e3];
        rate_width_m_per_s: f64 = 1e-5, "Half width of the rounded corner between the two dampings" ["m/s"; 1e-12 to 1e3];
        stroke_m: f64 = 0.08, "Stroke of the tendon unit to either side of its length in the pre-tensioned posture, with stops at both ends (spatial leg)" ["m"; 1e-6 to 100];
        end_stops: EndStops = EndStops::default(), "Stops at the ends of the stroke: auto has them in the spatial leg, on and off decide";
        stop_stiffness_n_per_m: f64 = 1e6, "Stiffness of the tendon unit's stops" ["N/m"; 1e-3 to 1e12];
        stop_restitution: f64 = 0.3, "Restitution of the tendon unit's stops" ["-"; 0.01 to 1];
    }
}

impl Tendon {
    /// Tension law for a given rest length [m].
    pub fn law(&self, rest_length: f64) -> LineLaw {
        LineLaw::Tendon {
            stiffness: self.stiffness_n_per_m,
            rest_length,
            damping_lengthening: self.damping_n_s_per_m,
            damping_shortening: self
                .damping_shortening_n_s_per_m
                .unwrap_or(self.damping_n_s_per_m),
            friction: self.friction_n,
            friction_speed: self.friction_speed_m_per_s,
            slack_width: self.slack_width_n,
            rate_width: self.rate_width_m_per_s,
        }
    }
}

/// The side to which the leaf bows, seen along the direction from A to B.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Side {
    /// To the right of A→B: outward, +x in the planar leg.
    #[default]
    #[serde(rename = "+x", alias = "outward")]
    Outward,
    /// To the left of A→B: inward, −x in the planar leg.
    #[serde(rename = "-x", alias = "inward")]
    Inward,
}

impl Setting for Side {
    const KIND: Kind = Kind::Word(&["+x", "-x", "outward", "inward"]);

    fn first_outside(&self, _range: &Range) -> Option<f64> {
        None
    }
}

impl Side {
    /// +1 for a bow to the left of A→B (positive e2), −1 to the right.
    pub fn sign(self) -> f64 {
        match self {
            Self::Outward => -1.0,
            Self::Inward => 1.0,
        }
    }
}

words! {
    /// How the leg starts.
    pub enum Posture {
        /// Bowed, in equilibrium.
        #[default]
        Bowed = "bowed",
        /// Straight and unstressed, mounted at q1.
        Straight = "straight",
    }
}

table! {
    /// The pre-tensioned posture from which everything starts. With a free link, of two chords that
    /// have the tension asked for the longer one is taken, the first on the way from the straight
    /// leaf.
    #[derive(Copy)]
    pub struct Pretension in "pretension" {
        posture: Posture = Posture::default(), "How simulations start: bowed in equilibrium, or straight and unstressed";
        q1_rad: f64 = 0.0, "Crank angle: held here, or where the search starts when free" ["rad"; -10 to 10];
        q3_rad: f64 = 0.0, "Angle of the upper link: held here, or where the search starts when free" ["rad"; -10 to 10];
        hold_q1: bool = true, "Holds the crank at q1";
        hold_q3: bool = true, "Holds the upper link at q3";
        #[serde(skip_serializing_if = "Option::is_none")]
        chord_m: Option<f64> = None, "Distance A to B asked for; needs a free link" ["m"; 0.001 to 100] sample "0.40";
        #[serde(skip_serializing_if = "Option::is_none")]
        tension_n: Option<f64> = None, "Tendon tension asked for; left out: the leaf's own thrust; with a free link, of two chords the longer" ["N"; 0 to 1e9] sample "60.0";
        side: Side = Side::default(), "Side to which the leaf bows: +x is outward, to the right of A→B" ["-"; "+x or -x"];
    }
}

words! {
    /// What the motor at O does.
    pub enum MotorMode {
        /// The crank turns freely under `torque_nm`.
        #[default]
        Torque = "torque",
        /// The crank stays where it is.
        Locked = "locked",
        /// The crank follows `angle_rad`.
        Angle = "angle",
        /// A PD controller pulls the crank toward `angle_rad`, on top of `torque_nm`.
        Hold = "hold",
    }
}

table! {
    /// The motor at O.
    pub struct Motor in "motor" {
        mode: MotorMode = MotorMode::default(), "What the motor does: torque, locked, follow an angle, or hold it with a PD controller";
        torque_nm: History = History::default(), "Torque on the crank: in mode torque what the motor delivers (0 lets go at t = 0), in mode hold added to the controller's and, on the platform, to the torque that holds the equilibrium" ["N·m"];
        angle_rad: History = History::default(), "Target angle in the modes angle and hold, counted from the pre-tensioned q1" ["rad"];
        hold_stiffness_nm_per_rad: f64 = 200.0, "Stiffness of the hold" ["N·m/rad"; 0 to 1e9];
        hold_damping_nm_s_per_rad: f64 = 2.0, "Damping of the hold" ["N·m·s/rad"; 0 to 1e9];
        torque_limit_nm: f64 = 10.0, "Limit of the torque that the motor delivers, whatever asks for it: torque_nm, the hold with the torque that holds the equilibrium, a regulator; motion that is prescribed (locked, angle) has none" ["N·m"; 1e-9 to 1e9];
        range_rad: f64 = 20.0_f64.to_radians(), "Working range to either side of the pre-tensioned posture, the zero of motor.angle_rad, with stops at both ends (spatial leg); motion that is prescribed (locked, angle) knows no stop" ["rad"; 1e-6 to 1e3];
        end_stops: EndStops = EndStops::default(), "Stops at the ends of the range: auto has them in the spatial leg, on and off decide";
        stop_stiffness_nm_per_rad: f64 = 2e4, "Stiffness of the motor's stops" ["N·m/rad"; 1e-3 to 1e12];
        stop_restitution: f64 = 0.3, "Restitution of the motor's stops" ["-"; 0.01 to 1];
        torque_rate_limit_nm_per_s: f64 = 1e9, "Limit of the rate at which the motor's torque changes; 1e9: none" ["N·m/s"; 1e-6 to 1e9];
        stall_torque_nm: f64 = 1e9, "Torque of the torque-speed line at rest, behind the gear; 1e9: no such line" ["N·m"; 1e-9 to 1e9];
        no_load_speed_rad_per_s: f64 = 10.0, "Speed at which the torque-speed line reaches zero, behind the gear; counts with stall_torque_nm" ["rad/s"; 1e-6 to 1e9];
        gear_ratio: f64 = 1.0, "Turns of the rotor per turn of the crank; counts with rotor_inertia_kg_m2" ["-"; -1e6 to 1e6];
        rotor_inertia_kg_m2: f64 = 0.0, "Inertia of the rotor about its axis, felt at the crank with the square of the gear ratio" ["kg·m²"; 0 to 1e6];
        friction_nm: f64 = 0.0, "Dry friction of the drive while it turns" ["N·m"; 0 to 1e9];
        breakaway_friction_nm: f64 = 0.0, "Largest dry friction of the drive at the speed friction_speed_rad_per_s, if above friction_nm" ["N·m"; 0 to 1e9];
        friction_speed_rad_per_s: f64 = 0.01, "Speed over which the dry friction of the drive changes sign" ["rad/s"; 1e-9 to 1e6];
        viscous_friction_nm_s_per_rad: f64 = 0.0, "Viscous friction of the drive" ["N·m·s/rad"; 0 to 1e9];
    }
}

impl Motor {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        self.torque_nm.validate(Self::torque_nm.key)?;
        self.angle_rad.validate(Self::angle_rad.key)?;
        if self.mode == MotorMode::Angle && self.angle_rad.is_rough() {
            return Err(ConfigError {
                key: Self::angle_rad.key,
                value: self.angle_rad.signal().sample(0.0).0,
                allowed: "smooth where it prescribes the motion (motor.mode = \"angle\"): a ramp, or a \
                          table with interpolation = \"cubic\"; steps and the rows of other tables \
                          are jumps of angle or speed",
            });
        }
        Ok(())
    }

    /// Refuses an angle that prescribes the motion and does not begin where the leg is at rest.
    pub fn check_start(&self) -> Result<(), ConfigError> {
        if self.mode != MotorMode::Angle {
            return Ok(());
        }
        let (angle, rate, _) = self.angle_rad.signal().sample(0.0);
        let refused = |value, allowed| {
            let key = Self::angle_rad.key;
            Err(ConfigError {
                key,
                value,
                allowed,
            })
        };
        if angle.abs() > AT_REST {
            return refused(
                angle,
                "0 at t = 0 where it prescribes the motion (motor.mode = \"angle\"), for the leg starts \
                 in its pre-tensioned posture; a ramp leads elsewhere",
            );
        }
        if rate.abs() > AT_REST {
            return refused(
                rate,
                "a motion with a rate of 0 at t = 0 (the number is its rate in rad/s) where it \
                 prescribes the motion (motor.mode = \"angle\"), for the leg starts at rest; a sine \
                 does so with phase_rad = -1.5707963267948966 and offset = amplitude",
            );
        }
        Ok(())
    }
}

/// Angle [rad] and rate [rad/s] below which a prescribed motion begins at rest; the kernel takes no more
/// for consistent either.
const AT_REST: f64 = 1e-6;

table! {
    /// Loads on the upper link.
    pub struct Load in "load" {
        lock_q3: bool = false, "Keeps the upper link where it is";
        torque_nm: History = History::default(), "Torque on the upper link about C" ["N·m"];
        force_x_n: History = History::default(), "Force on the upper link's end B along x" ["N"];
        force_y_n: History = History::default(), "Force on the upper link's end B along y" ["N"];
    }
}

impl Load {
    fn validate(&self) -> Result<(), ConfigError> {
        self.torque_nm.validate(Self::torque_nm.key)?;
        self.force_x_n.validate(Self::force_x_n.key)?;
        self.force_y_n.validate(Self::force_y_n.key)
    }
}

/// A number, or a named time history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum History {
    /// Always the same.
    Constant(f64),
    /// A shape by name.
    Shape(Shape),
}

impl Setting for History {
    const KIND: Kind = Kind::History;

    fn first_outside(&self, _range: &Range) -> Option<f64> {
        None
    }
}

impl Default for History {
    fn default() -> Self {
        Self::Constant(0.0)
    }
}

/// Built-in time histories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// `before` until `time_s`, then `after`.
    Step {
        /// Time of the step [s].
        time_s: f64,
        /// Value before.
        #[serde(default)]
        before: f64,
        /// Value after.
        after: f64,
    },
    /// A smooth ramp.
    Ramp {
        /// Start [s].
        #[serde(default)]
        start_s: f64,
        /// Duration [s].
        duration_s: f64,
        /// Value before.
        #[serde(default)]
        from: f64,
        /// Value after.
        to: f64,
    },
    /// A sine.
    Sine {
        /// Mean value.
        #[serde(default)]
        offset: f64,
        /// Amplitude.
        amplitude: f64,
        /// Frequency [Hz].
        frequency_hz: f64,
        /// Phase [rad].
        #[serde(default)]
        phase_rad: f64,
    },
    /// A sine of growing frequency.
    Chirp {
        /// Mean value.
        #[serde(default)]
        offset: f64,
        /// Amplitude.
        amplitude: f64,
        /// Frequency at the start [Hz].
        start_frequency_hz: f64,
        /// Frequency at the end [Hz].
        end_frequency_hz: f64,
        /// Duration of the sweep [s].
        duration_s: f64,
    },
    /// Rows of a table.
    Table {
        /// Times [s], strictly increasing.
        times_s: Vec<f64>,
        /// Values.
        values: Vec<f64>,
        /// What is between the rows.
        #[serde(default)]
        interpolation: Interpolation,
    },
}

impl History {
    /// A motion that follows it would jump, or its rate would.
    pub fn is_rough(&self) -> bool {
        match self {
            Self::Shape(Shape::Step { before, after, .. }) => before != after,
            Self::Shape(Shape::Table {
                interpolation,
                values,
                ..
            }) => *interpolation != Interpolation::Cubic && values.len() > 1,
            _ => false,
        }
    }

    /// The signal of the kernel.
    pub fn signal(&self) -> Signal {
        match self.clone() {
            Self::Constant(value) => Signal::Constant(value),
            Self::Shape(Shape::Step {
                time_s,
                before,
                after,
            }) => Signal::Step {
                time: time_s,
                before,
                after,
            },
            Self::Shape(Shape::Ramp {
                start_s,
                duration_s,
                from,
                to,
            }) => Signal::Ramp {
                start: start_s,
                duration: duration_s,
                from,
                to,
            },
            Self::Shape(Shape::Sine {
                offset,
                amplitude,
                frequency_hz,
                phase_rad,
            }) => Signal::Sine {
                offset,
                amplitude,
                frequency: frequency_hz,
                phase: phase_rad,
            },
            Self::Shape(Shape::Chirp {
                offset,
                amplitude,
                start_frequency_hz,
                end_frequency_hz,
                duration_s,
            }) => Signal::Chirp {
                offset,
                amplitude,
                start_frequency: start_frequency_hz,
                end_frequency: end_frequency_hz,
                duration: duration_s,
            },
            Self::Shape(Shape::Table {
                times_s,
                values,
                interpolation,
            }) => Signal::Table {
                times: times_s,
                values,
                interpolation,
            },
        }
    }

    /// Checks its numbers; `key` is named in the complaint.
    pub fn validate(&self, key: &'static str) -> Result<(), ConfigError> {
        let all_finite = |values: &[f64]| values.iter().try_for_each(|&value| finite(key, value));
        match self {
            Self::Constant(value) => finite(key, *value),
            Self::Shape(Shape::Step {
                time_s,
                before,
                after,
            }) => all_finite(&[*time_s, *before, *after]),
            Self::Shape(Shape::Ramp {
                start_s,
                duration_s,
                from,
                to,
            }) => {
                positive(key, *duration_s)?;
                all_finite(&[*start_s, *from, *to])
            }
            Self::Shape(Shape::Sine {
                offset,
                amplitude,
                frequency_hz,
                phase_rad,
            }) => all_finite(&[*offset, *amplitude, *frequency_hz, *phase_rad]),
            Self::Shape(Shape::Chirp {
                offset,
                amplitude,
                start_frequency_hz,
                end_frequency_hz,
                duration_s,
            }) => {
                positive(key, *duration_s)?;
                all_finite(&[*offset, *amplitude, *start_frequency_hz, *end_frequency_hz])
            }
            Self::Shape(Shape::Table {
                times_s, values, ..
            }) => {
                let count = times_s.len() as f64;
                let same = !times_s.is_empty() && times_s.len() == values.len();
                check(same, key, count, "as many times as values, at least one")?;
                all_finite(times_s)?;
                all_finite(values)?;
                for pair in times_s.windows(2) {
                    check(pair[1] > pair[0], key, pair[1], "times strictly increasing")?;
                }
                Ok(())
            }
        }
    }
}

table! {
    /// Mesh and time stepping.
    ///
    /// Of the spectral radii that damp unresolved frequencies, 0.9 costs least accuracy: the free
    /// fall of the leg is 4 % more accurate than with the published 0.8. In steps below their range,
    /// accelerations are rounding of positions divided by the step's square.
    #[derive(Copy)]
    pub struct Solver in "solver" {
        elements: usize = 10, "Elements of the leaf" ["-"; 2 to 2000];
        step_s: f64 = 1e-3, "Step size; the largest step when adaptive" ["s"; 1e-7 to 1];
        adaptive: bool = false, "Adapts the step to the error";
        error_tolerance: f64 = 1e-5, "Allowed error of an adaptive step, relative to the leg's size or in rad" ["-"; 1e-12 to 1];
        spectral_radius: f64 = 0.9, "Spectral radius at infinite frequency: 1 keeps energy, 0 damps most" ["-"; 0 to 1];
        newton_tolerance: f64 = 1e-7, "Newton's tolerance, relative to the leg's size or in rad" ["-"; 1e-12 to 0.001];
    }
}

/// Step of the relative error [`TOLERANCE`] [s].
const STEP: f64 = 1e-3;
/// Relative error of angles, velocities and forces of the default leg's swing at [`STEP`].
const TOLERANCE: f64 = 1e-3;
/// Allowed error of an adaptive step, of the tolerance.
const STEP_SHARE: f64 = 1e-2;
/// Newton's tolerance, of the tolerance.
const NEWTON_SHARE: f64 = 1e-4;

impl Solver {
    /// Makes steps as accurate as the relative `tolerance` asks for, never looser than they are. The
    /// error of fixed steps is of second order:
    ///
    /// ```text
    /// h ← min(h, 1 ms √(tolerance/1e-3)),  error of adaptive steps ← min(., 1e-2 tolerance),
    /// Newton's tolerance ← min(., 1e-4 tolerance)                                            (1)
    /// ```
    ///
    /// each within its range.
    pub fn tighten(&mut self, tolerance: f64) {
        let tighter = |value: &mut f64, wanted: f64, smallest: f64| {
            *value = value.min(wanted.max(smallest));
        };
        let [step, error, newton] = [
            Self::step_s.limits(),
            Self::error_tolerance.limits(),
            Self::newton_tolerance.limits(),
        ]
        .map(|[smallest, _]| smallest);
        tighter(
            &mut self.step_s,
            STEP * (tolerance / TOLERANCE).sqrt(),
            step,
        );
        tighter(&mut self.error_tolerance, STEP_SHARE * tolerance, error);
        tighter(&mut self.newton_tolerance, NEWTON_SHARE * tolerance, newton);
    }
}

table! {
    /// Configuration of a planar leg.
    pub struct LegConfig in "" {
        gravity_m_s2: [f64; 2] = [0.0, -9.81], "Gravity along x and y" ["m/s²"; -1000 to 1000];
        /// Pivots.
        table geometry: Geometry;
        /// Lower link.
        table crank: Crank;
        /// Upper link.
        table link: UpperLink;
        /// Leaf spring.
        table leaf: Leaf;
        /// Tendon.
        table tendon: Tendon;
        /// Pre-tensioned posture.
        table pretension: Pretension;
        /// Motor at O.
        table motor: Motor;
        /// Loads on the upper link.
        table load: Load;
        /// Mesh and time stepping.
        table solver: Solver;
    }
}

impl LegConfig {
    /// Checks every value.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        self.leaf.validate()?;
        for (key, stops) in [
            (Motor::end_stops.key, self.motor.end_stops),
            (Tendon::end_stops.key, self.tendon.end_stops),
        ] {
            let allowed = "auto or off: the planar leg is the published one, which has no stops";
            check(stops != EndStops::On, key, 1.0, allowed)?;
        }
        self.load.validate()?;
        self.motor.validate()
    }
}
