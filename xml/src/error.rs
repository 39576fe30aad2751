//! What can go wrong in writing, reading and validating, with the evidence.

use std::fmt;

use crate::keyword::{Causality, DependencyKind, Initial, NamingConvention, Variability};

/// A place in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Line, counted from one.
    pub line: usize,
    /// Column in bytes, counted from one.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// A list of the model structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructureList {
    /// The outputs.
    Outputs,
    /// The derivatives of exposed states.
    Derivatives,
    /// What initialisation computes.
    InitialUnknowns,
}

impl fmt::Display for StructureList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Outputs => "Outputs",
            Self::Derivatives => "Derivatives",
            Self::InitialUnknowns => "InitialUnknowns",
        })
    }
}

/// Why two variables may not share a value reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AliasConflict {
    /// Both can be set from outside.
    BothSettable,
    /// Both have a start value, and they are not constants.
    BothHaveStart,
    /// One is constant, the other is not.
    ConstantWithVariable,
    /// Constants whose values differ.
    DifferentConstants,
}

impl fmt::Display for AliasConflict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::BothSettable => "both can be set from outside",
            Self::BothHaveStart => "both have a start value",
            Self::ConstantWithVariable => "only one of them is constant",
            Self::DifferentConstants => "they are constants of different value",
        })
    }
}

/// Why a variable cannot be the derivative of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DerivativeConflict {
    /// There is no variable at that index.
    OutOfRange,
    /// It would be its own derivative.
    OfItself,
    /// Derivative or state is not a continuous real.
    NotContinuousReal,
    /// It is listed as a derivative without naming its state.
    NoState,
}

impl fmt::Display for DerivativeConflict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OutOfRange => "there is no variable at that index",
            Self::OfItself => "a variable is not its own derivative",
            Self::NotContinuousReal => "derivative and state must be continuous reals",
            Self::NoState => "it does not name the state it derives from",
        })
    }
}

/// Everything that can go wrong in this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    // Reading.
    /// The bytes are not UTF-8.
    #[error("not UTF-8 at {position}")]
    NotUtf8 {
        /// Where the first wrong byte is.
        position: Position,
    },
    /// The document is in an encoding that is not read.
    #[error("encoding {encoding} is not supported; FMI 2.0 demands UTF-8")]
    UnsupportedEncoding {
        /// The encoding.
        encoding: &'static str,
    },
    /// The document is not well-formed XML.
    #[error("malformed XML in <{element}> at {position}")]
    Malformed {
        /// The element around it.
        element: String,
        /// Where it is.
        position: Position,
        /// What the parser says.
        source: quick_xml::Error,
    },
    /// The document ends too early.
    #[error("the document ends inside <{element}>, opened at {position}")]
    UnexpectedEnd {
        /// The innermost open element that was being read.
        element: String,
        /// Where it was opened.
        position: Position,
    },
    /// The root is another element.
    #[error("<fmiModelDescription> expected, <{found}> found at {position}")]
    WrongRoot {
        /// The element found.
        found: String,
        /// Where it is.
        position: Position,
    },
    /// There is no root element.
    #[error("<fmiModelDescription> expected, but the document has no element")]
    NoRoot,
    /// Something follows the root element.
    #[error("unexpected content after the root element at {position}")]
    ContentAfterRoot {
        /// Where it is.
        position: Position,
    },
    /// Another version of FMI.
    #[error("FMI version {found:?} is not supported, only 2.0 and 3.0")]
    UnsupportedVersion {
        /// The version found.
        found: String,
    },
    /// A required element is missing.
    #[error("<{parent}> at {position} lacks its element <{element}>")]
    MissingElement {
        /// Where it should be.
        parent: String,
        /// What is missing.
        element: &'static str,
        /// Where the parent begins.
        position: Position,
    },
    /// A required attribute is missing.
    #[error("<{element}> at {position} lacks its attribute {attribute}")]
    MissingAttribute {
        /// The element.
        element: String,
        /// What is missing.
        attribute: &'static str,
        /// Where the element begins.
        position: Position,
    },
    /// An attribute has a value that cannot be understood.
    #[error("attribute {attribute}={value:?} of <{element}> at {position}: expected {expected}")]
    BadValue {
        /// The element.
        element: String,
        /// The attribute.
        attribute: &'static str,
        /// Its value.
        value: String,
        /// What would be right.
        expected: &'static str,
        /// Where the element begins.
        position: Position,
    },

    /// The size of an array cannot be told.
    #[error(
        "variable {variable:?}: its size is the variable of value reference {reference}, which has \
         no whole number >= 0 as its start"
    )]
    BadDimension {
        /// The array.
        variable: String,
        /// The value reference of its size.
        reference: u32,
    },
    /// Too many elements.
    #[error("variable {variable:?}: the description has more than {limit} elements of arrays")]
    TooManyElements {
        /// Where they become too many.
        variable: String,
        /// How many there may be.
        limit: usize,
    },
    /// Too much text.
    #[error(
        "variable {variable:?}: the elements of arrays repeat more than {limit} bytes of names and \
         descriptions"
    )]
    TooMuchText {
        /// Where it becomes too much.
        variable: String,
        /// How much there may be.
        limit: usize,
    },
    /// Too many dependencies.
    #[error(
        "the unknown of value reference {reference}: element by element, unknowns depend on more than \
         {limit} others"
    )]
    TooManyDependencies {
        /// Where they become too many.
        reference: u32,
        /// How many there may be.
        limit: usize,
    },
    /// Start values for another number of elements.
    #[error("variable {variable:?} has {found} start values for {needed} elements")]
    WrongStartCount {
        /// The variable.
        variable: String,
        /// Number of start values.
        found: usize,
        /// Number of elements.
        needed: usize,
    },
    /// A start value needs more than 32 bits.
    #[error("variable {variable:?}: its start value is beyond integers of 32 bits")]
    StartTooLarge {
        /// The variable.
        variable: String,
    },
    /// In FMI 3.0 value references are unique.
    #[error("variable {variable:?}: its value reference {reference} is that of another variable")]
    SharedReference {
        /// The variable.
        variable: String,
        /// The value reference.
        reference: u32,
    },

    // Writing.
    /// The description has something that is not written as FMI 3.0.
    #[error("{what} is not written as FMI 3.0")]
    NotInVersion3 {
        /// What it is.
        what: String,
    },
    /// A value that is not a number cannot be written.
    #[error("{attribute} of {of} is not a number")]
    NotANumber {
        /// The variable or element it belongs to.
        of: String,
        /// The attribute.
        attribute: &'static str,
    },
    /// A character that XML cannot carry, not even escaped.
    #[error("{attribute} of <{element}> contains {character:?}, which XML cannot carry")]
    IllegalCharacter {
        /// The element.
        element: &'static str,
        /// The attribute.
        attribute: &'static str,
        /// The character.
        character: char,
    },
    /// The XML writer failed.
    #[error("writing the XML failed")]
    Write(#[from] std::io::Error),

    // Validating: the description as a whole.
    /// There is neither a co-simulation nor a model-exchange interface.
    #[error("neither CoSimulation nor ModelExchange is described")]
    NoInterface,
    /// The schema wants at least one entry.
    #[error("{list} is empty")]
    Empty {
        /// What is empty.
        list: String,
    },
    /// The model identifier is no C identifier.
    #[error("model identifier {identifier:?} is not a C identifier")]
    BadIdentifier {
        /// The identifier.
        identifier: String,
    },
    /// A capability is claimed without another it rests on.
    #[error("capability {flag} requires {required}")]
    CapabilityRequires {
        /// What is claimed.
        flag: &'static str,
        /// What is missing.
        required: &'static str,
    },
    /// The date is no `xs:dateTime`.
    #[error("generationDateAndTime {value:?} is not of the form YYYY-MM-DDThh:mm:ssZ")]
    BadDateTime {
        /// The date.
        value: String,
    },
    /// A default of the experiment makes no sense.
    #[error("{attribute} = {value} of DefaultExperiment: expected {expected}")]
    BadExperiment {
        /// The attribute.
        attribute: &'static str,
        /// Its value.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// Two things have the same name.
    #[error("{kind} {name:?} is defined more than once")]
    DuplicateName {
        /// What kind of thing.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// Two items of an enumeration have the same value.
    #[error("type {simple_type:?} has two items of value {value}")]
    DuplicateItemValue {
        /// The enumeration.
        simple_type: String,
        /// The value.
        value: i32,
    },
    /// A variable's name breaks the naming convention.
    #[error("variable name {name:?} breaks the {convention} convention at byte {offset}")]
    IllegalName {
        /// The name.
        name: String,
        /// The convention.
        convention: NamingConvention,
        /// Where the name goes wrong.
        offset: usize,
    },

    // Validating: variables.
    /// Causality and variability do not go together.
    #[error("variable {variable:?}: causality {causality} does not go with {variability}")]
    IllegalCombination {
        /// The variable.
        variable: String,
        /// Its causality.
        causality: Causality,
        /// Its variability.
        variability: Variability,
    },
    /// `initial` does not go with causality and variability.
    #[error("variable {variable:?}: initial {initial} does not go with {causality}, {variability}")]
    IllegalInitial {
        /// The variable.
        variable: String,
        /// Its causality.
        causality: Causality,
        /// Its variability.
        variability: Variability,
        /// Its `initial`.
        initial: Initial,
    },
    /// Only reals are continuous, and only a real is independent.
    #[error("variable {variable:?} is continuous or independent, but {found} and not Real")]
    MustBeReal {
        /// The variable.
        variable: String,
        /// Its type.
        found: &'static str,
    },
    /// More than one independent variable.
    #[error("variables {first:?} and {second:?} are both independent")]
    SeveralIndependent {
        /// One.
        first: String,
        /// Another.
        second: String,
    },
    /// A start value is required.
    #[error("variable {variable:?} ({causality}, initial {initial:?}) lacks its start value")]
    StartMissing {
        /// The variable.
        variable: String,
        /// Its causality.
        causality: Causality,
        /// Its `initial`, given or by default.
        initial: Option<Initial>,
    },
    /// A start value is forbidden.
    #[error("variable {variable:?} ({causality}, initial {initial:?}) may not have a start value")]
    StartForbidden {
        /// The variable.
        variable: String,
        /// Its causality.
        causality: Causality,
        /// Its `initial`, given or by default.
        initial: Option<Initial>,
    },
    /// The start value lies outside the range.
    #[error("variable {variable:?}: start {start} is outside [{min}, {max}]")]
    StartOutsideRange {
        /// The variable.
        variable: String,
        /// Its start value.
        start: f64,
        /// Lower end, −∞ if open.
        min: f64,
        /// Upper end, ∞ if open.
        max: f64,
    },
    /// The start value of an enumeration is none of its items.
    #[error("variable {variable:?}: start {start} is no item of {declared_type:?}")]
    StartNoItem {
        /// The variable.
        variable: String,
        /// Its start value.
        start: i32,
        /// The enumeration.
        declared_type: String,
    },
    /// The range is empty.
    #[error("{of}: min {min} is above max {max}")]
    EmptyRange {
        /// The variable or type.
        of: String,
        /// Lower end.
        min: f64,
        /// Upper end.
        max: f64,
    },
    /// The nominal value is not positive.
    #[error("{of}: nominal {nominal} is not positive")]
    BadNominal {
        /// The variable or type.
        of: String,
        /// The value.
        nominal: f64,
    },
    /// A unit is not defined.
    #[error("{of}: unit {unit:?} is not defined")]
    UndefinedUnit {
        /// The variable or type.
        of: String,
        /// The unit.
        unit: String,
    },
    /// A display unit is not defined for the unit.
    #[error("{of}: display unit {display_unit:?} is not defined for unit {unit:?}")]
    UndefinedDisplayUnit {
        /// The variable or type.
        of: String,
        /// The unit, if there is one.
        unit: Option<String>,
        /// The display unit.
        display_unit: String,
    },
    /// A declared type is not defined.
    #[error("variable {variable:?}: type {declared_type:?} is not defined")]
    UndefinedType {
        /// The variable.
        variable: String,
        /// The type.
        declared_type: String,
    },
    /// A declared type is of another kind than the variable.
    #[error("variable {variable:?} is {found}, but its type {declared_type:?} is {declared}")]
    WrongType {
        /// The variable.
        variable: String,
        /// What the variable is.
        found: &'static str,
        /// The type's name.
        declared_type: String,
        /// What the type is.
        declared: &'static str,
    },
    /// Variables of one base type share a value reference and may not.
    #[error("variables {first:?} and {second:?} share {value_reference}: {conflict}")]
    IllegalAlias {
        /// One.
        first: String,
        /// Another.
        second: String,
        /// What they share.
        value_reference: u32,
        /// Why they may not.
        conflict: AliasConflict,
    },
    /// A variable is not the derivative it claims to be.
    #[error("variable {variable:?} as derivative of index {state:?}: {conflict}")]
    BadDerivative {
        /// The variable.
        variable: String,
        /// The index of the state it names.
        state: Option<u32>,
        /// What is wrong.
        conflict: DerivativeConflict,
    },

    // Validating: the model structure.
    /// An index points to no variable.
    #[error("{list}: index {index} is not among the {count} variables, counted from 1")]
    IndexOutOfRange {
        /// The list.
        list: StructureList,
        /// The index.
        index: u32,
        /// The number of variables.
        count: usize,
    },
    /// A variable is listed twice.
    #[error("{list} lists variable {variable:?} more than once")]
    ListedTwice {
        /// The list.
        list: StructureList,
        /// The variable.
        variable: String,
    },
    /// A variable is missing from a list.
    #[error("{list} must list variable {variable:?}")]
    NotListed {
        /// The list.
        list: StructureList,
        /// The variable.
        variable: String,
    },
    /// A variable is listed where it does not belong.
    #[error("{list} must not list variable {variable:?}")]
    WronglyListed {
        /// The list.
        list: StructureList,
        /// The variable.
        variable: String,
    },
    /// Dependencies are not in ascending order.
    #[error("{list}, {variable:?}: dependency {next} follows {previous}, not ascending")]
    DependenciesNotAscending {
        /// The list.
        list: StructureList,
        /// The unknown.
        variable: String,
        /// One index.
        previous: u32,
        /// The one after it.
        next: u32,
    },
    /// A dependency is on a variable that is no known in this list.
    #[error("{list}, {variable:?}: {dependency:?} is not a known there")]
    NotAKnown {
        /// The list.
        list: StructureList,
        /// The unknown.
        variable: String,
        /// What it is said to depend on.
        dependency: String,
    },
    /// There are not as many kinds as dependencies.
    #[error("{list}, {variable:?}: {kinds} dependency kinds for {dependencies:?} dependencies")]
    DependencyKindCount {
        /// The list.
        list: StructureList,
        /// The unknown.
        variable: String,
        /// How many dependencies, if any are given.
        dependencies: Option<usize>,
        /// How many kinds.
        kinds: usize,
    },
    /// A kind that this list does not know.
    #[error("{list}, {variable:?}: dependency kind {kind} is not allowed there")]
    IllegalDependencyKind {
        /// The list.
        list: StructureList,
        /// The unknown.
        variable: String,
        /// The kind.
        kind: DependencyKind,
    },
}
