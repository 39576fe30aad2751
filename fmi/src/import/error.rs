//! What can go wrong with a loaded FMU.

use super::ArchiveProblem;
use crate::abi::{fmi2Status, status_name};
use std::io;
use std::path::PathBuf;

/// What can go wrong with a loaded FMU.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be read or written.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// It is no zip archive.
    #[error("{} is no FMU: {cause}", path.display())]
    NotAnArchive {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: zip::result::ZipError,
    },
    /// The archive is one that is not unpacked.
    #[error("{} is refused: {problem}", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: ArchiveProblem,
    },
    /// The model identifier, which names the binary, is no name of a file.
    #[error("{}: the modelIdentifier {identifier:?} is no name of a file", path.display())]
    BadIdentifier {
        /// The file.
        path: PathBuf,
        /// The identifier.
        identifier: String,
    },
    /// The model description cannot be used.
    #[error("{}: modelDescription.xml: {cause}", path.display())]
    Description {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: Box<softdock_xml::Error>,
    },
    /// It is for model exchange only.
    #[error("{} offers no co-simulation", path.display())]
    NotCoSimulation {
        /// The file.
        path: PathBuf,
    },
    /// The binary is of another version of the standard.
    #[error("{}: the binary follows FMI {version:?}, not {wanted}", path.display())]
    WrongVersion {
        /// The file.
        path: PathBuf,
        /// What the description says.
        wanted: &'static str,
        /// What the binary says.
        version: String,
    },
    /// There is no binary for this platform.
    #[error("{} has no {wanted}; it has {}", path.display(), listed(found))]
    NoBinary {
        /// The file.
        path: PathBuf,
        /// The binary that is needed.
        wanted: String,
        /// The binaries that there are.
        found: Vec<String>,
    },
    /// The binary cannot be loaded.
    #[error("{} cannot be loaded: {}", library.display(), reason(cause))]
    Load {
        /// The unpacked binary.
        library: PathBuf,
        /// Why.
        cause: libloading::Error,
    },
    /// A function is missing.
    #[error("{library} does not export {function}")]
    MissingFunction {
        /// The model.
        library: String,
        /// The function.
        function: &'static str,
    },
    /// The function that makes instances returned NULL.
    #[error("{instance}: {function} made no instance{}", told(log))]
    NotInstantiated {
        /// The function.
        function: &'static str,
        /// The name of the instance.
        instance: String,
        /// What the FMU logged.
        log: String,
    },
    /// A call returned neither *OK* nor *warning*.
    #[error("{instance}: {function} returned {}{}", status_of(function, *status), told(log))]
    Refused {
        /// The name of the instance.
        instance: String,
        /// The function.
        function: &'static str,
        /// What it returned.
        status: fmi2Status,
        /// What the FMU logged.
        log: String,
    },
    /// A step could not be made.
    #[error(
        "{instance}: the step of {step} s from t = {time} s was discarded{}{}",
        reached(*last_time), told(log)
    )]
    Discarded {
        /// The name of the instance.
        instance: String,
        /// Start of the step [s].
        time: f64,
        /// Its length [s].
        step: f64,
        /// End of the last good step [s], if the FMU tells.
        last_time: Option<f64>,
        /// What the FMU logged.
        log: String,
    },
    /// The FMU asks to end the simulation: a regular end, before the end of a step.
    #[error(
        "{instance}: the FMU ended the simulation in the step of {step} s from t = {time} s{}{}",
        reached(*last_time), told(log)
    )]
    Ended {
        /// The name of the instance.
        instance: String,
        /// Start of the step [s].
        time: f64,
        /// Its length [s].
        step: f64,
        /// Where it ended [s], if the FMU tells.
        last_time: Option<f64>,
        /// What the FMU logged.
        log: String,
    },
    /// A real variable is no number.
    #[error("{instance}: the FMU gives {value} for `{variable}` at t = {time} s")]
    NotFinite {
        /// The name of the instance.
        instance: String,
        /// The variable.
        variable: String,
        /// What it is.
        value: f64,
        /// The time that the instance has reached [s].
        time: f64,
    },
    /// There is no such variable.
    #[error("the model {model} has no variable `{name}`")]
    UnknownVariable {
        /// The model.
        model: String,
        /// The name.
        name: String,
    },
    /// Two lists must have the same length.
    #[error("{function}: {references} value references, but {values} values")]
    WrongLength {
        /// The function.
        function: &'static str,
        /// Number of value references.
        references: usize,
        /// Number of values.
        values: usize,
    },
    /// The state was saved from another instance, or has been freed.
    #[error("{instance}: the saved state belongs to another instance or has been freed")]
    ForeignState {
        /// The name of the instance.
        instance: String,
    },
    /// The variable has another type.
    #[error("{instance}: `{variable}` is of the type {kind}")]
    WrongType {
        /// The name of the instance.
        instance: String,
        /// The variable.
        variable: String,
        /// Its type.
        kind: &'static str,
    },
    /// A number that the type of the variable, or an integer of 32 bits, does not have.
    #[error(
        "{instance}: the value of `{variable}` ({kind}) is outside the range of that type or of \
         integers of 32 bits, as which it is carried"
    )]
    OutOfRange {
        /// The name of the instance.
        instance: String,
        /// The variable.
        variable: String,
        /// Its type.
        kind: &'static str,
    },
    /// A text that is to become bytes is none of hexadecimal digits.
    #[error("{instance}: `{variable}` takes bytes as an even number of hexadecimal digits")]
    NotBytes {
        /// The name of the instance.
        instance: String,
        /// The variable.
        variable: String,
    },
    /// A structural parameter cannot be set.
    #[error(
        "{instance}: `{variable}` is a structural parameter; arrays keep the sizes that the model \
         description gives them"
    )]
    Structural {
        /// The name of the instance.
        instance: String,
        /// The variable.
        variable: String,
    },
    /// FMI 3.0 has no such thing.
    #[error("{instance}: FMI 3.0 has no {what}")]
    NotInVersion3 {
        /// The name of the instance.
        instance: String,
        /// What it has not.
        what: &'static str,
    },
    /// A text has a zero inside.
    #[error("the text {text:?} has a zero inside, which C cannot carry")]
    BadText {
        /// The text.
        text: String,
    },
}

/// The name of a status in the version of the standard that the function belongs to.
fn status_of(function: &str, status: fmi2Status) -> String {
    let name = status_name(status);
    if function.starts_with("fmi3") {
        return name.replacen("fmi2", "fmi3", 1).replace("2.0", "3.0");
    }
    name.to_owned()
}

/// What the system said, where it said something.
fn reason(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), ToString::to_string)
}

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        "no binaries at all".to_owned()
    } else {
        names.join(", ")
    }
}

fn told(log: &str) -> String {
    if log.is_empty() {
        String::new()
    } else {
        format!(": {log}")
    }
}

fn reached(time: Option<f64>) -> String {
    time.map_or_else(String::new, |time| format!(", it is at t = {time} s"))
}
