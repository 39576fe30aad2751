//! Configuration of a leg: every quantity with its unit in the key, every key optional.
//!
//! Defaults are the published leg. Unknown keys are refused; [`LegConfig::validate`] names the
//! key, the value and the allowed range of whatever is wrong.

pub use super::check::ConfigError;
use super::check::{check, finite, positive};
use super::parameter as allowed;
use crate::element::{ElementKind, Rayleigh};
use crate::model::{Interpolation, LineLaw, Material, Section, Signal};
use serde::{Deserialize, Serialize};

/// Where the planar leg's pivots are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Geometry {
    /// Lower ground pivot O (motor) [m].
    pub lower_pivot_m: [f64; 2],
    /// Upper ground pivot C [m].
    pub upper_pivot_m: [f64; 2],
}

impl Default for Geometry {
    fn default() -> Self {
        Self {
            lower_pivot_m: [0.150, 0.0],
            upper_pivot_m: [0.0, 0.400],
        }
    }
}

/// A rigid link: a slender rod.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Length [m].
    pub length_m: f64,
    /// Mass [kg].
    pub mass_kg: f64,
}

/// How the leaf is modelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeafKind {
    /// Geometrically exact, strain varying linearly in an element: fourth-order accurate.
    #[default]
    LinearStrain,
    /// Geometrically exact, constant strain in an element: second-order accurate.
    ConstantStrain,
}

impl From<LeafKind> for ElementKind {
    fn from(kind: LeafKind) -> Self {
        match kind {
            LeafKind::LinearStrain => Self::LinearStrain,
            LeafKind::ConstantStrain => Self::ConstantStrain,
        }
    }
}

/// Modes of the leaf that can be given a damping ratio of their own.
pub const MODAL_RATIOS: usize = 4;

/// The leaf spring.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Leaf {
    /// Length [m].
    pub length_m: f64,
    /// Width, normal to the plane of bending [m].
    pub width_m: f64,
    /// Thickness, in the plane of bending [m].
    pub thickness_m: f64,
    /// Young's modulus [Pa].
    pub youngs_modulus_pa: f64,
    /// Shear modulus [Pa].
    pub shear_modulus_pa: f64,
    /// Shear correction factor [-].
    pub shear_factor: f64,
    /// Density [kg/m³].
    pub density_kg_m3: f64,
    /// Curvature of the unstressed leaf in the plane of bending, positive to the left of the
    /// direction from A to B [1/m].
    pub curvature_per_m: f64,
    /// Rayleigh damping, mass coefficient α [1/s]: vibrations of the leaf about a leg at rest in its
    /// base decay with α/2.
    pub rayleigh_mass_per_s: f64,
    /// Rayleigh damping, stiffness coefficient β [s]: every section answers its strain rate with
    /// β times its stiffness.
    pub rayleigh_stiffness_s: f64,
    /// Damping ratios of the first modes of the bowed leaf, its ends held [-], on top of Rayleigh's.
    /// They damp deformation of the leaf, not its motion as a whole.
    pub modal_damping_ratios: [f64; MODAL_RATIOS],
    /// Element.
    pub kind: LeafKind,
}

impl Default for Leaf {
    fn default() -> Self {
        let titanium = Material::titanium();
        Self {
            length_m: 0.50,
            width_m: 0.077,
            thickness_m: 0.0012,
            youngs_modulus_pa: titanium.youngs_modulus,
            shear_modulus_pa: titanium.shear_modulus,
            shear_factor: titanium.shear_factor,
            density_kg_m3: titanium.density,
            curvature_per_m: 0.0,
            rayleigh_mass_per_s: 0.0,
            rayleigh_stiffness_s: 0.0,
            modal_damping_ratios: [0.0; MODAL_RATIOS],
            kind: LeafKind::default(),
        }
    }
}

impl Leaf {
    pub(super) fn material(&self) -> Material {
        Material {
            youngs_modulus: self.youngs_modulus_pa,
            shear_modulus: self.shear_modulus_pa,
            density: self.density_kg_m3,
            shear_factor: self.shear_factor,
        }
    }

    /// Section of the leaf in the plane.
    pub fn planar_section(&self) -> crate::Result<Section<3, 2>> {
        Section::<3, 2>::rectangle(&self.material(), self.thickness_m, self.width_m)
    }

    /// Section of the leaf in space: thickness along e2, width along e3.
    pub fn spatial_section(&self) -> crate::Result<Section<6, 3>> {
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

    fn validate(&self) -> Result<(), ConfigError> {
        allowed::LEAF_LENGTH.check(self.length_m)?;
        allowed::LEAF_WIDTH.check(self.width_m)?;
        allowed::LEAF_THICKNESS.check(self.thickness_m)?;
        allowed::YOUNGS_MODULUS.check(self.youngs_modulus_pa)?;
        allowed::SHEAR_MODULUS.check(self.shear_modulus_pa)?;
        allowed::SHEAR_FACTOR.check(self.shear_factor)?;
        allowed::DENSITY.check(self.density_kg_m3)?;
        allowed::CURVATURE.check(self.curvature_per_m)?;
        allowed::RAYLEIGH_MASS.check(self.rayleigh_mass_per_s)?;
        allowed::RAYLEIGH_STIFFNESS.check(self.rayleigh_stiffness_s)?;
        allowed::MODAL_DAMPING.check_all(&self.modal_damping_ratios)
    }
}

/// The tendon between A and B.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tendon {
    /// False leaves the tendon out.
    pub present: bool,
    /// Stiffness [N/m].
    pub stiffness_n_per_m: f64,
    /// Damping [N·s/m]; while lengthening only, if `damping_shortening_n_s_per_m` is given.
    pub damping_n_s_per_m: f64,
    /// Damping while shortening [N·s/m]; left out: the same as while lengthening.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping_shortening_n_s_per_m: Option<f64>,
    /// Rest length [m]; left out: found by the pre-tension solve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest_length_m: Option<f64>,
    /// Guide friction [N].
    pub friction_n: f64,
    /// Speed over which the friction changes sign [m/s].
    pub friction_speed_m_per_s: f64,
    /// Half width of the rounded corner at zero tension [N].
    pub slack_width_n: f64,
    /// Half width of the rounded corner between the two dampings [m/s].
    pub rate_width_m_per_s: f64,
}

impl Default for Tendon {
    fn default() -> Self {
        Self {
            present: true,
            stiffness_n_per_m: 2000.0,
            damping_n_s_per_m: 1500.0,
            damping_shortening_n_s_per_m: None,
            rest_length_m: None,
            friction_n: 0.0,
            friction_speed_m_per_s: 1e-3,
            slack_width_n: 1e-2,
            rate_width_m_per_s: 1e-5,
        }
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

    fn validate(&self) -> Result<(), ConfigError> {
        allowed::TENDON_STIFFNESS.check(self.stiffness_n_per_m)?;
        allowed::TENDON_DAMPING.check(self.damping_n_s_per_m)?;
        if let Some(value) = self.damping_shortening_n_s_per_m {
            allowed::TENDON_DAMPING_SHORTENING.check(value)?;
        }
        if let Some(value) = self.rest_length_m {
            allowed::REST_LENGTH.check(value)?;
        }
        allowed::TENDON_FRICTION.check(self.friction_n)?;
        allowed::FRICTION_SPEED.check(self.friction_speed_m_per_s)?;
        allowed::SLACK_WIDTH.check(self.slack_width_n)?;
        allowed::RATE_WIDTH.check(self.rate_width_m_per_s)
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

impl Side {
    /// +1 for a bow to the left of A→B (positive e2), −1 to the right.
    pub fn sign(self) -> f64 {
        match self {
            Self::Outward => -1.0,
            Self::Inward => 1.0,
        }
    }
}

/// How the leg starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Posture {
    /// Bowed, in equilibrium.
    #[default]
    Bowed,
    /// Straight and unstressed, mounted at q1.
    Straight,
}

/// The pre-tensioned posture from which everything starts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pretension {
    /// Bowed or straight; simulations start from it.
    pub posture: Posture,
    /// Crank angle [rad]: held here, or where the search starts when free.
    pub q1_rad: f64,
    /// Angle of the upper link [rad]: held, or where the search starts.
    pub q3_rad: f64,
    /// Holds the crank at q1.
    pub hold_q1: bool,
    /// Holds the upper link at q3.
    pub hold_q3: bool,
    /// Distance from A to B asked for [m]; needs `hold_q3 = false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chord_m: Option<f64>,
    /// Tendon tension asked for [N]. With a free link, of two chords that have it the longer one
    /// is taken, the first on the way from the straight leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tension_n: Option<f64>,
    /// Side to which the leaf bows.
    pub side: Side,
}

impl Default for Pretension {
    fn default() -> Self {
        Self {
            posture: Posture::default(),
            q1_rad: 0.0,
            q3_rad: 0.0,
            hold_q1: true,
            hold_q3: true,
            chord_m: None,
            tension_n: None,
            side: Side::default(),
        }
    }
}

impl Pretension {
    fn validate(&self) -> Result<(), ConfigError> {
        allowed::PRETENSION_Q1.check(self.q1_rad)?;
        allowed::PRETENSION_Q3.check(self.q3_rad)?;
        if let Some(chord) = self.chord_m {
            allowed::CHORD.check(chord)?;
        }
        if let Some(tension) = self.tension_n {
            allowed::TENSION.check(tension)?;
        }
        Ok(())
    }
}

/// What the motor at O does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MotorMode {
    /// The crank turns freely under `torque_nm`.
    #[default]
    Torque,
    /// The crank stays where it is.
    Locked,
    /// The crank follows `angle_rad`.
    Angle,
    /// A PD controller pulls the crank toward `angle_rad`, on top of `torque_nm`.
    Hold,
}

/// The motor at O.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Motor {
    /// What it does.
    pub mode: MotorMode,
    /// Torque on the crank [N·m]: a number or a history. In mode `torque` this is what the motor
    /// delivers, within its limit; in mode `hold` it is added to the controller's.
    pub torque_nm: History,
    /// Target angle [rad] in the modes `angle` and `hold`, relative to the pre-tensioned q1.
    pub angle_rad: History,
    /// Stiffness of the hold [N·m/rad].
    pub hold_stiffness_nm_per_rad: f64,
    /// Damping of the hold [N·m·s/rad].
    pub hold_damping_nm_s_per_rad: f64,
    /// Limit of the torque that the motor delivers [N·m], whatever asks for it: `torque_nm`, the
    /// hold, a torque that holds the equilibrium, a regulator, and any sum of them. Motion that is
    /// prescribed (`locked`, `angle`) has no limit.
    pub torque_limit_nm: f64,
    /// Working range: the crank may turn this far [rad] to either side of the pre-tensioned posture,
    /// which is also the zero of `angle_rad`. Its use is reported; nothing stops the crank there.
    pub range_rad: f64,
}

impl Default for Motor {
    fn default() -> Self {
        Self {
            mode: MotorMode::default(),
            torque_nm: History::Constant(0.0),
            angle_rad: History::Constant(0.0),
            hold_stiffness_nm_per_rad: 200.0,
            hold_damping_nm_s_per_rad: 2.0,
            torque_limit_nm: 10.0,
            range_rad: 20.0_f64.to_radians(),
        }
    }
}

impl Motor {
    fn validate(&self) -> Result<(), ConfigError> {
        allowed::HOLD_STIFFNESS.check(self.hold_stiffness_nm_per_rad)?;
        allowed::HOLD_DAMPING.check(self.hold_damping_nm_s_per_rad)?;
        allowed::TORQUE_LIMIT.check(self.torque_limit_nm)?;
        allowed::MOTOR_RANGE.check(self.range_rad)?;
        self.torque_nm.validate("motor.torque_nm")?;
        self.angle_rad.validate("motor.angle_rad")?;
        if self.mode == MotorMode::Angle && self.angle_rad.is_rough() {
            return Err(ConfigError {
                key: "motor.angle_rad",
                value: self.angle_rad.signal().sample(0.0).0,
                allowed: "smooth where it prescribes the motion (motor.mode = \"angle\"): a ramp, or a \
                          table with interpolation = \"cubic\"; steps and the rows of other tables \
                          are jumps of angle or speed",
            });
        }
        Ok(())
    }
}

/// Loads on the upper link.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Load {
    /// Keeps the upper link where it is.
    pub lock_q3: bool,
    /// Torque on the upper link about C [N·m].
    pub torque_nm: History,
    /// Force on the upper link's end B along x [N].
    pub force_x_n: History,
    /// Force on the upper link's end B along y [N].
    pub force_y_n: History,
}

impl Load {
    fn validate(&self) -> Result<(), ConfigError> {
        self.torque_nm.validate("load.torque_nm")?;
        self.force_x_n.validate("load.force_x_n")?;
        self.force_y_n.validate("load.force_y_n")
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

/// Mesh and time stepping.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Solver {
    /// Elements of the leaf.
    pub elements: usize,
    /// Step size [s]; the largest step when adaptive.
    pub step_s: f64,
    /// Adapts the step to the error.
    pub adaptive: bool,
    /// Allowed error of an adaptive step (relative to the leg's size; rad).
    pub error_tolerance: f64,
    /// Spectral radius at infinite frequency ρ∞ ∈ [0, 1]. Of the values that damp unresolved
    /// frequencies, 0.9 costs least accuracy: the free fall of the leg is 4 % more accurate than
    /// with the published 0.8.
    pub spectral_radius: f64,
    /// Newton's tolerance (relative to the leg's size; rad).
    pub newton_tolerance: f64,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            elements: 10,
            step_s: 1e-3,
            adaptive: false,
            error_tolerance: 1e-5,
            spectral_radius: 0.9,
            newton_tolerance: 1e-7,
        }
    }
}

impl Solver {
    fn validate(&self) -> Result<(), ConfigError> {
        allowed::ELEMENTS.check(self.elements as f64)?;
        allowed::STEP.check(self.step_s)?;
        allowed::ERROR_TOLERANCE.check(self.error_tolerance)?;
        allowed::SPECTRAL_RADIUS.check(self.spectral_radius)?;
        allowed::NEWTON_TOLERANCE.check(self.newton_tolerance)
    }
}

/// Configuration of a planar leg.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LegConfig {
    /// Gravity [m/s²].
    pub gravity_m_s2: [f64; 2],
    /// Pivots.
    pub geometry: Geometry,
    /// Lower link (crank).
    pub crank: Link,
    /// Upper link (stands for the end effector).
    pub link: Link,
    /// Leaf spring.
    pub leaf: Leaf,
    /// Tendon.
    pub tendon: Tendon,
    /// Pre-tensioned posture.
    pub pretension: Pretension,
    /// Motor at O.
    pub motor: Motor,
    /// Loads on the upper link.
    pub load: Load,
    /// Mesh and time stepping.
    pub solver: Solver,
}

impl Default for LegConfig {
    fn default() -> Self {
        Self {
            gravity_m_s2: [0.0, -9.81],
            geometry: Geometry::default(),
            crank: Link {
                length_m: 0.12,
                mass_kg: 1.0,
            },
            link: Link {
                length_m: 0.19,
                mass_kg: 1.0,
            },
            leaf: Leaf::default(),
            tendon: Tendon::default(),
            pretension: Pretension::default(),
            motor: Motor::default(),
            load: Load::default(),
            solver: Solver::default(),
        }
    }
}

impl LegConfig {
    /// Checks every value.
    pub fn validate(&self) -> Result<(), ConfigError> {
        allowed::GRAVITY.check_all(&self.gravity_m_s2)?;
        allowed::LOWER_PIVOT.check_all(&self.geometry.lower_pivot_m)?;
        allowed::UPPER_PIVOT.check_all(&self.geometry.upper_pivot_m)?;
        allowed::LINK_LENGTH.check(self.link.length_m)?;
        allowed::LINK_MASS.check(self.link.mass_kg)?;
        self.pretension.validate()?;
        self.load.validate()?;
        validate_shared(
            &self.crank,
            &self.leaf,
            &self.tendon,
            &self.motor,
            &self.solver,
        )
    }
}

/// Checks what the planar and the spatial leg have in common.
pub(super) fn validate_shared(
    crank: &Link,
    leaf: &Leaf,
    tendon: &Tendon,
    motor: &Motor,
    solver: &Solver,
) -> Result<(), ConfigError> {
    allowed::CRANK_LENGTH.check(crank.length_m)?;
    allowed::CRANK_MASS.check(crank.mass_kg)?;
    leaf.validate()?;
    tendon.validate()?;
    motor.validate()?;
    solver.validate()
}
