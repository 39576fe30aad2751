//! Why a call was refused, and with which status.

use crate::abi::{FMI2_DISCARD, FMI2_ERROR, FMI2_WARNING, fmi2Status};
use crate::lifecycle::State;
use crate::model::Failure;

/// Why a call was refused.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// A pointer is missing, or points where no such value can be.
    #[error("{argument} is NULL, misaligned or impossibly long")]
    BadPointer {
        /// The argument.
        argument: &'static str,
    },
    /// The function may not be called in this state.
    #[error(
        "not allowed in the state {}; allowed in {}", state.name(), names(allowed)
    )]
    WrongState {
        /// The state.
        state: State,
        /// Where it would be allowed.
        allowed: &'static [State],
    },
    /// There is no such variable.
    #[error("value reference {reference} is unknown: there are {count} variables, from 0 on")]
    UnknownReference {
        /// The value reference.
        reference: u32,
        /// Number of variables.
        count: usize,
    },
    /// The variable has another type.
    #[error("{variable} (value reference {reference}) is {found}, not {asked}")]
    WrongType {
        /// The variable.
        variable: String,
        /// Its value reference.
        reference: u32,
        /// Its type.
        found: &'static str,
        /// The type of the function.
        asked: &'static str,
    },
    /// The variable cannot be set, or not now.
    #[error("{variable} is {what} and cannot be set in the state {}", state.name())]
    NotSettable {
        /// The variable.
        variable: String,
        /// What it is.
        what: &'static str,
        /// The state.
        state: State,
    },
    /// A value that is not a finite number.
    #[error("{variable} = {value} is not a finite number; it keeps its value")]
    NotFinite {
        /// The variable or argument.
        variable: String,
        /// The value.
        value: f64,
    },
    /// A value outside its range.
    #[error("{variable} = {value} is outside [{min}, {max}]; it keeps its value")]
    OutOfRange {
        /// The variable.
        variable: String,
        /// The value.
        value: f64,
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// The variable is not what the function wants.
    #[error("{variable} (value reference {reference}) is no {wanted}")]
    WrongRole {
        /// The variable.
        variable: String,
        /// Its value reference.
        reference: u32,
        /// What the function wants.
        wanted: &'static str,
    },
    /// A derivative of this order is not available.
    #[error("derivative of order {order} of {variable}: the order must be {allowed}")]
    BadOrder {
        /// The variable.
        variable: String,
        /// The order.
        order: i32,
        /// What it may be.
        allowed: &'static str,
    },
    /// The experiment makes no sense.
    #[error("{quantity} = {value} is not allowed: it must be {allowed}")]
    BadExperiment {
        /// Start, stop or tolerance.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        allowed: &'static str,
    },
    /// The step does not begin where the last one ended.
    #[error("the step begins at t = {given} s, but the slave is at t = {reached} s")]
    WrongTime {
        /// The caller's time [s].
        given: f64,
        /// The time reached [s].
        reached: f64,
    },
    /// The step has no length.
    #[error("a communication step of {length} s at t = {time} s is impossible: it must be > 0 s")]
    BadStep {
        /// Start [s].
        time: f64,
        /// Length [s].
        length: f64,
    },
    /// The step goes beyond the end that was announced.
    #[error("the step ends at t = {end} s, after the stop time {stop} s")]
    BeyondStop {
        /// End of the step [s].
        end: f64,
        /// The stop time [s].
        stop: f64,
    },
    /// The model could not make the step; it is where it was.
    #[error("the step from t = {time} s to {end} s failed, the model is where it was: {cause}")]
    StepFailed {
        /// Start [s].
        time: f64,
        /// End [s].
        end: f64,
        /// Why.
        cause: Failure,
    },
    /// A parameter has an impossible value.
    #[error("the model cannot be built: {0}")]
    Config(Failure),
    /// The model could not be brought to its start.
    #[error("the model cannot start: {0}")]
    NoStart(Failure),
    /// Outputs could not be computed.
    #[error("the outputs cannot be computed: {0}")]
    NoOutput(Failure),
    /// A derivative is not available.
    #[error("no derivative: {0}")]
    NoDerivative(Failure),
    /// The pointer is no saved state of this instance.
    #[error("the pointer is no saved state of this instance")]
    UnknownState,
    /// The buffer is too small.
    #[error("a buffer of {found} bytes is too small: the state needs {needed}")]
    SmallBuffer {
        /// Bytes given.
        found: usize,
        /// Bytes needed.
        needed: usize,
    },
    /// The bytes are no serialised state of this model.
    #[error("the bytes are no saved state of this model: {problem}")]
    BadBytes {
        /// What is wrong with them.
        problem: &'static str,
    },
    /// The numbers in the bytes do not fit.
    #[error("the bytes are no saved state of this model: {0}")]
    Snapshot(Failure),
    /// The slave cannot say.
    #[error("status kind {kind} is not available: steps end before the call returns")]
    NoStatus {
        /// What was asked for.
        kind: i32,
    },
    /// The function belongs to a part of the standard that the model does not offer.
    #[error("not offered: the model is a co-simulation without clocks and events")]
    NotOffered,
    /// The model does not have this ability, and its description says so.
    #[error("the model does not offer {what}: its description does not claim it")]
    NotAble {
        /// The ability.
        what: &'static str,
    },
    /// There are more or fewer values than the variables have.
    #[error("{given} values are given, but the variables named have {needed}")]
    WrongCount {
        /// Values given.
        given: usize,
        /// Values needed.
        needed: usize,
    },
    /// The value reference is an element of an array.
    #[error("value reference {reference} is inside the array {variable}: name its first element")]
    InsideArray {
        /// The array.
        variable: String,
        /// The value reference.
        reference: u32,
    },
    /// A category that does not exist.
    #[error("there is no log category {category}")]
    UnknownCategory {
        /// The category.
        category: String,
    },
    /// A bug in this library.
    #[error("internal failure: {message}; reset the instance")]
    Panicked {
        /// What the panic said.
        message: String,
    },
}

impl Refusal {
    /// The status that the caller gets.
    pub fn status(&self) -> fmi2Status {
        match self {
            Self::UnknownCategory { .. } => FMI2_WARNING,
            Self::NotFinite { .. }
            | Self::OutOfRange { .. }
            | Self::StepFailed { .. }
            | Self::NoDerivative(_)
            | Self::NoStatus { .. }
            | Self::NotAble { .. }
            | Self::NotOffered => FMI2_DISCARD,
            _ => FMI2_ERROR,
        }
    }
}

fn names(states: &[State]) -> String {
    if states.is_empty() {
        return "none, because steps end before the call returns".to_owned();
    }
    let names: Vec<&str> = states.iter().map(|state| state.name()).collect();
    names.join(", ")
}
