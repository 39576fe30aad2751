//! Parameters as an FMU has them: every choice a number or a truth value.

use leg_core::config::{
    ConfigError, Crank, EndStops, Leaf, LeafKind, LeafSection, Motor, MotorMode, Side, Solver,
    Tendon,
};
use softdock_fmi::model::Parameters;

/// The parameters of a leg.
pub trait LegParameters: Parameters {
    /// The crank.
    fn crank(&mut self) -> &mut Crank;
    /// The leaf.
    fn leaf(&mut self) -> &mut Leaf;
    /// The tendon.
    fn tendon(&mut self) -> &mut Tendon;
    /// The motor.
    fn motor(&mut self) -> &mut Motor;
    /// Mesh and time stepping.
    fn solver(&mut self) -> &mut Solver;
    /// What both legs choose between.
    fn choices(&mut self) -> &mut Choices;
}

/// A value that counts only if it is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Whether it counts.
    pub given: bool,
    /// The value.
    pub value: f64,
}

impl Choice {
    /// A value that does not count until somebody says so.
    pub fn ready(value: f64) -> Self {
        let given = false;
        Self { given, value }
    }

    /// The value that counts if there is one, or else `ready`.
    pub fn chosen(value: Option<f64>, ready: Self) -> Self {
        value.map_or(ready, |value| Self { given: true, value })
    }

    /// The value if it counts.
    pub fn get(&self) -> Option<f64> {
        self.given.then_some(self.value)
    }
}

/// What both legs choose between.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choices {
    /// Elements of constant strain.
    pub constant_strain: bool,
    /// Bends like a strip.
    pub strip: bool,
    /// Stops of motor and tendon unit: their positions in `END_STOPS`.
    pub motor_stops: i32,
    /// As above.
    pub tendon_stops: i32,
    /// Bowed inward.
    pub inward: bool,
    /// Damping while shortening [N·s/m].
    pub damping_shortening: Choice,
    /// Rest length of the tendon [m].
    pub rest_length: Choice,
    /// What the motor does: its position in `MODES`.
    pub mode: i32,
    /// Elements of the leaf.
    pub elements: i32,
}

/// What the motor does, by number.
pub const MODES: [MotorMode; 4] = [
    MotorMode::Torque,
    MotorMode::Locked,
    MotorMode::Angle,
    MotorMode::Hold,
];

/// Whether there are stops, by number.
pub const END_STOPS: [EndStops; 3] = [EndStops::Auto, EndStops::On, EndStops::Off];

impl Default for Choices {
    fn default() -> Self {
        let (tendon, solver) = (Tendon::default(), Solver::default());
        Self {
            constant_strain: false,
            strip: false,
            motor_stops: 0,
            tendon_stops: 0,
            inward: false,
            damping_shortening: Choice::ready(tendon.damping_n_s_per_m),
            rest_length: Choice::ready(0.38),
            mode: 0,
            elements: i32::try_from(solver.elements).unwrap_or(10),
        }
    }
}

impl Choices {
    /// What a configuration chose.
    pub fn of(leaf: &Leaf, tendon: &Tendon, motor: &Motor, solver: &Solver, side: Side) -> Self {
        let ready = Self::default();
        let mode = MODES.iter().position(|&mode| mode == motor.mode);
        // Out of reach of an integer is out of the range as well, and refused there.
        let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
        let place = |stops: EndStops| {
            let place = END_STOPS.iter().position(|&known| known == stops);
            place.map_or(0, number)
        };
        Self {
            constant_strain: leaf.kind == LeafKind::ConstantStrain,
            strip: leaf.section == LeafSection::Strip,
            motor_stops: place(motor.end_stops),
            tendon_stops: place(tendon.end_stops),
            inward: side == Side::Inward,
            damping_shortening: Choice::chosen(
                tendon.damping_shortening_n_s_per_m,
                ready.damping_shortening,
            ),
            rest_length: Choice::chosen(tendon.rest_length_m, ready.rest_length),
            mode: mode.map_or(ready.mode, number),
            elements: number(solver.elements),
        }
    }

    /// Writes what was chosen.
    pub fn apply(
        &self,
        leaf: &mut Leaf,
        tendon: &mut Tendon,
        motor: &mut Motor,
        solver: &mut Solver,
    ) -> Result<(), ConfigError> {
        leaf.kind = if self.constant_strain {
            LeafKind::ConstantStrain
        } else {
            LeafKind::LinearStrain
        };
        leaf.section = if self.strip {
            LeafSection::Strip
        } else {
            LeafSection::Beam
        };
        tendon.damping_shortening_n_s_per_m = self.damping_shortening.get();
        tendon.rest_length_m = self.rest_length.get();
        let refuse = |key, value, allowed| ConfigError {
            key,
            value: f64::from(value),
            allowed,
        };
        let stops = |key, number: i32| {
            let place = usize::try_from(number).ok();
            place
                .and_then(|place| END_STOPS.get(place).copied())
                .ok_or_else(|| refuse(key, number, "0, 1 or 2"))
        };
        motor.end_stops = stops("motor.end_stops", self.motor_stops)?;
        tendon.end_stops = stops("tendon.end_stops", self.tendon_stops)?;
        motor.mode = usize::try_from(self.mode)
            .ok()
            .and_then(|mode| MODES.get(mode).copied())
            .ok_or_else(|| refuse("motor.mode", self.mode, "0, 1, 2 or 3"))?;
        solver.elements = usize::try_from(self.elements).map_err(|_| {
            let row = Solver::elements;
            refuse(row.key, self.elements, row.range.allowed)
        })?;
        Ok(())
    }

    /// The side to which the leaf bows.
    pub fn side(&self) -> Side {
        if self.inward {
            Side::Inward
        } else {
            Side::Outward
        }
    }
}
