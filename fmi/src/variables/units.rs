//! The units of the variables, with their meaning in SI base units.

use softdock_xml::{BaseUnit, DisplayUnit, Unit};

/// Declares the units from one table: name in Rust, name in FMI, exponents of kg, m, s, rad.
macro_rules! units {
    ($($(#[$doc:meta])* $name:ident = $text:literal: $kg:literal $m:literal $s:literal $rad:literal;)+) => {
        /// The unit of a variable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum UnitOf {
            $($(#[$doc])* $name,)+
        }

        /// All units.
        pub const UNITS: &[UnitOf] = &[$(UnitOf::$name),+];

        impl UnitOf {
            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            fn base(self) -> BaseUnit {
                match self {
                    $(Self::$name => BaseUnit { kg: $kg, m: $m, s: $s, rad: $rad, ..BaseUnit::default() },)+
                }
            }
        }
    };
}

units! {
    /// A plain number.
    One = "1": 0 0 0 0;
    /// Metre.
    Metre = "m": 0 1 0 0;
    /// Second.
    Second = "s": 0 0 1 0;
    /// Kilogram.
    Kilogram = "kg": 1 0 0 0;
    /// Radian.
    Radian = "rad": 0 0 0 1;
    /// Newton.
    Newton = "N": 1 1 -2 0;
    /// Newton metre: a torque.
    NewtonMetre = "N.m": 1 2 -2 0;
    /// Joule.
    Joule = "J": 1 2 -2 0;
    /// Pascal.
    Pascal = "Pa": 1 -1 -2 0;
    /// Metre per second.
    MetrePerSecond = "m/s": 0 1 -1 0;
    /// Metre per square second.
    MetrePerSquareSecond = "m/s2": 0 1 -2 0;
    /// Radian per second.
    RadianPerSecond = "rad/s": 0 0 -1 1;
    /// Newton metre per second: rate of a torque.
    NewtonMetrePerSecond = "N.m/s": 1 2 -3 0;
    /// Kilogram square metre: moment of inertia.
    KilogramSquareMetre = "kg.m2": 1 2 0 0;
    /// Newton per metre.
    NewtonPerMetre = "N/m": 1 0 -2 0;
    /// Newton second per metre.
    NewtonSecondPerMetre = "N.s/m": 1 0 -1 0;
    /// Newton metre per radian.
    NewtonMetrePerRadian = "N.m/rad": 1 2 -2 -1;
    /// Newton metre second per radian.
    NewtonMetreSecondPerRadian = "N.m.s/rad": 1 2 -1 -1;
    /// Kilogram per cubic metre.
    KilogramPerCubicMetre = "kg/m3": 1 -3 0 0;
    /// One per metre.
    PerMetre = "1/m": 0 -1 0 0;
    /// One per second.
    PerSecond = "1/s": 0 0 -1 0;
}

impl UnitOf {
    /// Its definition, with units that are easier to read.
    pub fn definition(self) -> Unit {
        let mut unit = Unit::new(self.name(), self.base());
        let per_degree = 180.0 / core::f64::consts::PI;
        unit.display_units = match self {
            Self::Metre => vec![DisplayUnit::new("mm", 1e3)],
            Self::Radian => vec![DisplayUnit::new("deg", per_degree)],
            Self::RadianPerSecond => vec![DisplayUnit::new("deg/s", per_degree)],
            Self::Pascal => vec![DisplayUnit::new("GPa", 1e-9)],
            _ => Vec::new(),
        };
        unit
    }
}
