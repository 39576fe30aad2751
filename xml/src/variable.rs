//! Variables and the types they may declare.

use crate::keyword::{Causality, Initial, Variability};

/// One scalar variable.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScalarVariable {
    /// The name, unique in the model.
    pub name: String,
    /// The handle in function calls; equal handles of one base type are aliases.
    pub value_reference: u32,
    /// What it is.
    pub description: Option<String>,
    /// Its role.
    pub causality: Causality,
    /// When it may change; absent means continuous.
    pub variability: Option<Variability>,
    /// Where its first value comes from; absent means the default of causality and variability.
    pub initial: Option<Initial>,
    /// Model exchange only: whether an input may be set repeatedly at one instant.
    pub can_handle_multiple_set_per_time_instant: Option<bool>,
    /// Its type, with start value and range.
    pub variable_type: VariableType,
}

impl ScalarVariable {
    /// A real variable without start value; `initial` is left to its default.
    pub fn new(
        name: impl Into<String>,
        value_reference: u32,
        causality: Causality,
        variability: Variability,
    ) -> Self {
        Self {
            name: name.into(),
            value_reference,
            causality,
            variability: Some(variability),
            ..Self::default()
        }
    }

    /// The same variable with another type.
    pub fn with_type(mut self, variable_type: impl Into<VariableType>) -> Self {
        self.variable_type = variable_type.into();
        self
    }

    /// The variability, with the schema's default where none is given.
    pub fn effective_variability(&self) -> Variability {
        self.variability.unwrap_or_default()
    }

    /// The given `initial`, or the default of the standard for this causality and variability
    /// (FMI 2.0, section 2.2.7). Inputs, the independent variable and illegal combinations have
    /// none.
    pub fn effective_initial(&self) -> Option<Initial> {
        self.initial.or_else(|| {
            allowed_initials(self.causality, self.effective_variability())?
                .first()
                .copied()
        })
    }
}

/// The values of `initial` that go with a causality and a variability, the default first: the
/// table of FMI 2.0, section 2.2.7. `Some(&[])` where `initial` must be absent, `None` where the
/// combination itself is illegal.
pub(crate) fn allowed_initials(
    causality: Causality,
    variability: Variability,
) -> Option<&'static [Initial]> {
    use Causality as C;
    use Variability as V;
    const A: &[Initial] = &[Initial::Exact];
    const B: &[Initial] = &[Initial::Calculated, Initial::Approx];
    const C_: &[Initial] = &[Initial::Calculated, Initial::Exact, Initial::Approx];
    const NONE: &[Initial] = &[];
    match (causality, variability) {
        (C::Parameter, V::Fixed | V::Tunable) => Some(A),
        (C::CalculatedParameter, V::Fixed | V::Tunable) => Some(B),
        (C::Input, V::Discrete | V::Continuous) => Some(NONE),
        (C::Output | C::Local, V::Constant) => Some(A),
        (C::Local, V::Fixed | V::Tunable) => Some(B),
        (C::Output | C::Local, V::Discrete | V::Continuous) => Some(C_),
        (C::Independent, V::Continuous) => Some(NONE),
        _ => None,
    }
}

/// The type of a variable, with what belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub enum VariableType {
    /// A 64-bit floating-point number.
    Real(Real),
    /// A 32-bit integer.
    Integer(Integer),
    /// A truth value.
    Boolean(Boolean),
    /// A text; `String` in the XML.
    String(Text),
    /// One of the items of a declared enumeration.
    Enumeration(Enumeration),
}

impl VariableType {
    /// The name of its element in the XML.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Real(_) => "Real",
            Self::Integer(_) => "Integer",
            Self::Boolean(_) => "Boolean",
            Self::String(_) => "String",
            Self::Enumeration(_) => "Enumeration",
        }
    }

    /// The type whose functions get and set it: enumerations travel as integers.
    pub fn base_name(&self) -> &'static str {
        match self {
            Self::Enumeration(_) => "Integer",
            other => other.name(),
        }
    }

    /// Whether it has a start value.
    pub fn has_start(&self) -> bool {
        match self {
            Self::Real(real) => real.start.is_some(),
            Self::Integer(integer) => integer.start.is_some(),
            Self::Boolean(boolean) => boolean.start.is_some(),
            Self::String(text) => text.start.is_some(),
            Self::Enumeration(enumeration) => enumeration.start.is_some(),
        }
    }

    /// The name of the declared type.
    pub fn declared_type(&self) -> Option<&str> {
        match self {
            Self::Real(real) => real.declared_type.as_deref(),
            Self::Integer(integer) => integer.declared_type.as_deref(),
            Self::Boolean(boolean) => boolean.declared_type.as_deref(),
            Self::String(text) => text.declared_type.as_deref(),
            Self::Enumeration(enumeration) => Some(&enumeration.declared_type),
        }
    }
}

impl Default for VariableType {
    fn default() -> Self {
        Self::Real(Real::default())
    }
}

impl From<Real> for VariableType {
    fn from(real: Real) -> Self {
        Self::Real(real)
    }
}

impl From<Integer> for VariableType {
    fn from(integer: Integer) -> Self {
        Self::Integer(integer)
    }
}

impl From<Boolean> for VariableType {
    fn from(boolean: Boolean) -> Self {
        Self::Boolean(boolean)
    }
}

impl From<Text> for VariableType {
    fn from(text: Text) -> Self {
        Self::String(text)
    }
}

impl From<Enumeration> for VariableType {
    fn from(enumeration: Enumeration) -> Self {
        Self::Enumeration(enumeration)
    }
}

/// What belongs to a real variable.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Real {
    /// A type that supplies the attributes left out here.
    pub declared_type: Option<String>,
    /// Unit, range and the like.
    pub attributes: RealAttributes,
    /// The start value.
    pub start: Option<f64>,
    /// One-based index of the variable whose derivative this is.
    pub derivative: Option<u32>,
    /// Model exchange only: whether this state may jump at events.
    pub reinit: bool,
}

/// What real variables and real types share. An absent attribute of a variable is taken from its
/// declared type.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RealAttributes {
    /// The physical quantity, for example `Torque`.
    pub quantity: Option<String>,
    /// The unit of all values, defined in the model.
    pub unit: Option<String>,
    /// The unit to show by default, a display unit of `unit`.
    pub display_unit: Option<String>,
    /// Whether the offset of display units is to be ignored.
    pub relative_quantity: Option<bool>,
    /// Smallest value.
    pub min: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// Typical size, positive.
    pub nominal: Option<f64>,
    /// Whether it grows without limit, like the angle of a wheel.
    pub unbounded: Option<bool>,
}

impl RealAttributes {
    /// These attributes, the absent ones taken from `defaults`.
    pub(crate) fn or(&self, defaults: &Self) -> Self {
        Self {
            quantity: self.quantity.clone().or_else(|| defaults.quantity.clone()),
            unit: self.unit.clone().or_else(|| defaults.unit.clone()),
            display_unit: self
                .display_unit
                .clone()
                .or_else(|| defaults.display_unit.clone()),
            relative_quantity: self.relative_quantity.or(defaults.relative_quantity),
            min: self.min.or(defaults.min),
            max: self.max.or(defaults.max),
            nominal: self.nominal.or(defaults.nominal),
            unbounded: self.unbounded.or(defaults.unbounded),
        }
    }
}

/// What belongs to an integer variable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Integer {
    /// A type that supplies the attributes left out here.
    pub declared_type: Option<String>,
    /// Quantity and range.
    pub attributes: IntegerAttributes,
    /// The start value.
    pub start: Option<i32>,
}

/// What integer variables, integer types and enumeration variables share.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IntegerAttributes {
    /// The quantity.
    pub quantity: Option<String>,
    /// Smallest value.
    pub min: Option<i32>,
    /// Largest value.
    pub max: Option<i32>,
}

impl IntegerAttributes {
    /// These attributes, the absent ones taken from `defaults`.
    pub(crate) fn or(&self, defaults: &Self) -> Self {
        Self {
            quantity: self.quantity.clone().or_else(|| defaults.quantity.clone()),
            min: self.min.or(defaults.min),
            max: self.max.or(defaults.max),
        }
    }
}

/// What belongs to a truth value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Boolean {
    /// The declared type.
    pub declared_type: Option<String>,
    /// The start value.
    pub start: Option<bool>,
}

/// What belongs to a text variable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    /// The declared type.
    pub declared_type: Option<String>,
    /// The start value.
    pub start: Option<String>,
}

/// What belongs to an enumeration variable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Enumeration {
    /// The declared type, which lists the items.
    pub declared_type: String,
    /// Quantity and range.
    pub attributes: IntegerAttributes,
    /// The start value.
    pub start: Option<i32>,
}

/// A type that variables may declare.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SimpleType {
    /// The name, unique among types and different from all variables.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// What it says.
    pub kind: SimpleTypeKind,
}

/// What a declared type says.
#[derive(Debug, Clone, PartialEq)]
pub enum SimpleTypeKind {
    /// Defaults for reals.
    Real(RealAttributes),
    /// Defaults for integers.
    Integer(IntegerAttributes),
    /// Nothing but that it is a truth value.
    Boolean,
    /// Nothing but that it is a text.
    String,
    /// The items of an enumeration.
    Enumeration {
        /// The quantity.
        quantity: Option<String>,
        /// The items, with unique values.
        items: Vec<EnumerationItem>,
    },
}

impl SimpleTypeKind {
    /// The name of its element in the XML.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Real(_) => "Real",
            Self::Integer(_) => "Integer",
            Self::Boolean => "Boolean",
            Self::String => "String",
            Self::Enumeration { .. } => "Enumeration",
        }
    }
}

impl Default for SimpleTypeKind {
    fn default() -> Self {
        Self::Real(RealAttributes::default())
    }
}

/// One item of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EnumerationItem {
    /// The name.
    pub name: String,
    /// The value.
    pub value: i32,
    /// What it means.
    pub description: Option<String>,
}
