//! Model descriptions of FMI 2.0 and 3.0, written and read; knows nothing of mechanics.
//!
//! A [`ModelDescription`] is the content of one `modelDescription.xml`, as typed values:
//!
//! - [`ModelDescription::to_xml`] writes it, in the element order of the FMI 2.0 schema, the same
//!   bytes for the same content on every machine and in every locale;
//! - [`ModelDescription::to_xml_3`] writes it as FMI 3.0, [`ModelDescription::terminals_xml`] the
//!   terminals of that version;
//! - [`ModelDescription::from_xml`] reads one of any origin, for co-simulation, model exchange or
//!   both, [`version3::Version3::from_xml`] one of FMI 3.0, flattened to scalar variables; what the schema does not know is skipped, what is wrong is named with its position;
//! - [`ModelDescription::validate`] checks what a schema cannot: which causality, variability and
//!   initial go together, where start values belong, that units exist and lists are exact;
//! - [`ModelDescription::content_guid`] derives the GUID from the content.
//!
//! [`ssp`] writes how components are put together to a system.
//!
//! Reading does not validate: a description that breaks a rule of the standard but can be
//! understood is read, so that a tool can still show it. Numbers in FMI are in the unit that the
//! variable names; this crate does not convert them.
//!
//! ```
//! use softdock_xml::{
//!     Causality, CoSimulation, ModelDescription, Real, ScalarVariable, Unknown, Variability,
//! };
//!
//! let mut description = ModelDescription::new("Spring", CoSimulation::new("Spring"));
//! description.model_variables = vec![
//!     ScalarVariable::new("force", 0, Causality::Input, Variability::Continuous)
//!         .with_type(Real { start: Some(0.0), ..Real::default() }),
//!     ScalarVariable::new("length", 1, Causality::Output, Variability::Continuous),
//! ];
//! description.model_structure.outputs = vec![Unknown::independent(2)];
//! description.model_structure.initial_unknowns = vec![Unknown::independent(2)];
//! description.validate()?;
//! description.guid = description.content_guid()?;
//!
//! let xml = description.to_xml()?;
//! assert_eq!(ModelDescription::from_xml(xml.as_bytes())?, description);
//! # Ok::<(), softdock_xml::Error>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod description;
mod error;
mod guid;
mod keyword;
mod number;
mod read;
pub mod ssp;
mod terminals;
mod unit;
mod validate;
mod variable;
pub mod version3;
mod write;

#[cfg(test)]
mod tests;

pub use description::{
    CoSimulation, DefaultExperiment, FMI_VERSION, LogCategory, ModelDescription, ModelExchange,
    ModelStructure, Unknown,
};
pub use error::{AliasConflict, DerivativeConflict, Error, Position, StructureList};
pub use keyword::{Causality, DependencyKind, Initial, NamingConvention, Variability};
pub use read::fmi_version;
pub use unit::{BaseUnit, DisplayUnit, Unit};
pub use variable::{
    Boolean, Enumeration, EnumerationItem, Integer, IntegerAttributes, Real, RealAttributes,
    ScalarVariable, SimpleType, SimpleTypeKind, Text, VariableType,
};
