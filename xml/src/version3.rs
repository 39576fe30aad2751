//! Descriptions of FMI 3.0 as importers see them: flattened to scalar variables.
//!
//! What an importer asks of a description (names, types, units, start values, roles, dependencies) is
//! the same in both versions. So one of FMI 3.0 becomes a [`ModelDescription`] with one scalar
//! variable per element of every array: `x` with a dimension of 3 becomes `x[1]`, `x[2]`, `x[3]`, a
//! matrix `a[1,1]`, `a[1,2]`, …, row by row. The value reference of a flattened variable is its place
//! in [`Version3::places`], which says where its number is found: in which variable of the FMU, at
//! which position, as what type. An alias shares the places of what it stands for.
//!
//! Clocks are left out: in a run without event mode nobody may touch them. Bytes (`Binary`) become
//! texts of hexadecimal digits.

use crate::ModelDescription;

/// The types of FMI 3.0, as far as variables of co-simulation have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind3 {
    /// A real of 32 bits.
    Float32,
    /// A real of 64 bits.
    Float64,
    /// An integer of 8 bits.
    Int8,
    /// An integer of 8 bits, not negative.
    UInt8,
    /// An integer of 16 bits.
    Int16,
    /// An integer of 16 bits, not negative.
    UInt16,
    /// An integer of 32 bits.
    Int32,
    /// An integer of 32 bits, not negative.
    UInt32,
    /// An integer of 64 bits.
    Int64,
    /// An integer of 64 bits, not negative.
    UInt64,
    /// A truth value.
    Boolean,
    /// A text.
    String,
    /// Bytes.
    Binary,
    /// An item of an enumeration, which travels as an integer of 64 bits.
    Enumeration,
}

impl Kind3 {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Float32,
        Self::Float64,
        Self::Int8,
        Self::UInt8,
        Self::Int16,
        Self::UInt16,
        Self::Int32,
        Self::UInt32,
        Self::Int64,
        Self::UInt64,
        Self::Boolean,
        Self::String,
        Self::Binary,
        Self::Enumeration,
    ];

    /// The name of its element in the XML.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float32 => "Float32",
            Self::Float64 => "Float64",
            Self::Int8 => "Int8",
            Self::UInt8 => "UInt8",
            Self::Int16 => "Int16",
            Self::UInt16 => "UInt16",
            Self::Int32 => "Int32",
            Self::UInt32 => "UInt32",
            Self::Int64 => "Int64",
            Self::UInt64 => "UInt64",
            Self::Boolean => "Boolean",
            Self::String => "String",
            Self::Binary => "Binary",
            Self::Enumeration => "Enumeration",
        }
    }

    /// The kind of the element of this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Where the value of a flattened variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Value reference of the variable in the FMU.
    pub variable: u32,
    /// Position among its elements, counted from zero.
    pub element: u32,
    /// Number of its elements.
    pub count: u32,
    /// Its type.
    pub kind: Kind3,
    /// Whether sizes of arrays follow from it.
    pub structural: bool,
}

/// A description of FMI 3.0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Version3 {
    /// As one of scalar variables.
    pub description: ModelDescription,
    /// Where the flattened variables are, by their value references.
    pub places: Vec<Place>,
    /// Attributes of the co-simulation interface that only this version has and that are true.
    pub abilities: Vec<&'static str>,
}

/// Most scalar variables that a description may flatten to.
pub(crate) const MOST_ELEMENTS: usize = 1_000_000;

/// Most bytes of names and descriptions that the elements of all arrays may repeat.
pub(crate) const MOST_TEXT: usize = 200_000_000;

/// Most dependencies that the unknowns of a flattened description may name.
pub(crate) const MOST_DEPENDENCIES: usize = 20_000_000;
