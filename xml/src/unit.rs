//! Units: their exponents in SI base units, and the units a user may prefer to see.

/// A unit that variables name, with its meaning in SI base units.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Unit {
    /// The name variables refer to, for example `N.m`.
    pub name: String,
    /// Its meaning; without it the unit is only a word.
    pub base_unit: Option<BaseUnit>,
    /// Units in which a tool may show values.
    pub display_units: Vec<DisplayUnit>,
}

impl Unit {
    /// A unit without display units.
    pub fn new(name: impl Into<String>, base_unit: BaseUnit) -> Self {
        Self {
            name: name.into(),
            base_unit: Some(base_unit),
            display_units: Vec::new(),
        }
    }
}

/// A product of powers of base units: base value = `factor` × unit value + `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaseUnit {
    /// Exponent of the kilogram.
    pub kg: i32,
    /// Exponent of the metre.
    pub m: i32,
    /// Exponent of the second.
    pub s: i32,
    /// Exponent of the ampere.
    pub a: i32,
    /// Exponent of the kelvin.
    pub k: i32,
    /// Exponent of the mole.
    pub mol: i32,
    /// Exponent of the candela.
    pub cd: i32,
    /// Exponent of the radian.
    pub rad: i32,
    /// Base units per unit.
    pub factor: f64,
    /// Base value at unit value zero.
    pub offset: f64,
}

impl Default for BaseUnit {
    /// The number one: all exponents zero.
    fn default() -> Self {
        Self {
            kg: 0,
            m: 0,
            s: 0,
            a: 0,
            k: 0,
            mol: 0,
            cd: 0,
            rad: 0,
            factor: 1.0,
            offset: 0.0,
        }
    }
}

/// A unit for display: display value = `factor` × unit value + `offset`.
#[derive(Debug, Clone, PartialEq)]
pub struct DisplayUnit {
    /// The name, unique within its unit.
    pub name: String,
    /// Display units per unit.
    pub factor: f64,
    /// Display value at unit value zero.
    pub offset: f64,
}

impl DisplayUnit {
    /// A display unit without offset.
    pub fn new(name: impl Into<String>, factor: f64) -> Self {
        Self {
            name: name.into(),
            factor,
            offset: 0.0,
        }
    }
}
