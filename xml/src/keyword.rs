//! The closed vocabularies of the schema, each with its spelling in the XML.

use std::fmt;

/// A vocabulary whose words can be written and read.
pub(crate) trait Keyword: Copy + 'static {
    /// All words, in the order of the schema.
    const ALL: &'static [Self];
    /// What a reader expects, for its error message.
    const EXPECTED: &'static str;
    /// The spelling in the XML.
    fn as_str(self) -> &'static str;
    /// The word with this spelling.
    fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == text)
    }
}

/// Declares a vocabulary from one table of variants and spellings.
macro_rules! keywords {
    (
        $(#[$attributes:meta])*
        pub enum $name:ident expects $expected:literal {
            $($(#[$variant_attributes:meta])* $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$attributes])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_attributes])* $variant,)+
        }

        impl Keyword for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];
            const EXPECTED: &'static str = $expected;
            fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    };
}

keywords! {
    /// How variable names are built.
    #[derive(Default)]
    pub enum NamingConvention expects "flat or structured" {
        /// Any string without line breaks and tabs.
        #[default]
        Flat = "flat",
        /// A hierarchy with `.`, array indices in brackets and `der(...)` for derivatives.
        Structured = "structured",
    }
}

keywords! {
    /// The role of a variable at the boundary of the model.
    #[derive(Default)]
    pub enum Causality expects
        "parameter, calculatedParameter, input, output, local or independent" {
        /// Set by the environment before (or, if tunable, between) the steps.
        Parameter = "parameter",
        /// Computed from parameters at initialisation or when a tunable one changes.
        CalculatedParameter = "calculatedParameter",
        /// Provided by another model.
        Input = "input",
        /// Offered to other models.
        Output = "output",
        /// Internal; may be looked at but not connected.
        #[default]
        Local = "local",
        /// The independent variable, usually time.
        Independent = "independent",
    }
}

keywords! {
    /// When a variable may change its value.
    #[derive(Default)]
    pub enum Variability expects "constant, fixed, tunable, discrete or continuous" {
        /// Never.
        Constant = "constant",
        /// Not after initialisation.
        Fixed = "fixed",
        /// Between communication points, on the environment's demand.
        Tunable = "tunable",
        /// At events or communication points.
        Discrete = "discrete",
        /// At any time; only for reals.
        #[default]
        Continuous = "continuous",
    }
}

keywords! {
    /// How a variable gets its first value.
    pub enum Initial expects "exact, approx or calculated" {
        /// From its start value.
        Exact = "exact",
        /// From an iteration that begins at its start value.
        Approx = "approx",
        /// From other variables.
        Calculated = "calculated",
    }
}

keywords! {
    /// How a known enters the equation of an unknown.
    pub enum DependencyKind expects "dependent, constant, fixed, tunable or discrete" {
        /// In no particular way.
        Dependent = "dependent",
        /// Times a constant factor.
        Constant = "constant",
        /// Times a factor fixed after initialisation.
        Fixed = "fixed",
        /// Times a factor that tunable parameters may change.
        Tunable = "tunable",
        /// Times a factor that changes at events.
        Discrete = "discrete",
    }
}
