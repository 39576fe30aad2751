//! Which function may be called in which state: the tables for co-simulation of FMI 2.0 (section
//! 4.2.4 of `fmi2`) and FMI 3.0 (section 4.2 of `fmi3`).
//!
//! Steps run to their end before `fmi2DoStep` returns, so the states *step in progress* and *step
//! cancelled* never come about.

/// State of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Made, nothing computed yet.
    Instantiated,
    /// Between entering and leaving the initialisation.
    Initialization,
    /// Ready for a step.
    StepComplete,
    /// The last step could not be made.
    StepFailed,
    /// The simulation has been ended.
    Terminated,
    /// Something went wrong; only a reset, an earlier state or the end help.
    Error,
}

impl State {
    /// All states.
    pub const ALL: [Self; 6] = [
        Self::Instantiated,
        Self::Initialization,
        Self::StepComplete,
        Self::StepFailed,
        Self::Terminated,
        Self::Error,
    ];

    /// The name that the standard gives it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Instantiated => "instantiated",
            Self::Initialization => "Initialization Mode",
            Self::StepComplete => "stepComplete",
            Self::StepFailed => "stepFailed",
            Self::Terminated => "terminated",
            Self::Error => "error",
        }
    }
}

use State::{Error, Initialization, Instantiated, StepComplete, StepFailed, Terminated};

const ANY: &[State] = &State::ALL;
const READABLE: &[State] = &[Initialization, StepComplete, StepFailed, Terminated, Error];
const SETTABLE: &[State] = &[Instantiated, Initialization, StepComplete];
const STATUS: &[State] = &[StepComplete, StepFailed, Terminated];

/// A function that needs an instance.
pub trait Callable: Copy {
    /// Its name.
    fn name(self) -> &'static str;
    /// The states in which it may be called.
    fn allowed(self) -> &'static [State];
}

/// Declares the functions of a version that need an instance, each with the states in which it may
/// be called.
macro_rules! allowed {
    ($(#[$doc:meta])* $kind:ident: $($name:ident = $text:literal in $states:expr;)+) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $kind {
            $(#[doc = $text] $name,)+
        }

        impl $kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),+];
        }

        impl Callable for $kind {
            fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            fn allowed(self) -> &'static [State] {
                match self {
                    $(Self::$name => $states,)+
                }
            }
        }
    };
}

allowed! {
    /// A function of FMI 2.0 that needs an instance.
    Function:
    SetDebugLogging = "fmi2SetDebugLogging" in ANY;
    FreeInstance = "fmi2FreeInstance" in ANY;
    SetupExperiment = "fmi2SetupExperiment" in &[Instantiated];
    EnterInitializationMode = "fmi2EnterInitializationMode" in &[Instantiated];
    ExitInitializationMode = "fmi2ExitInitializationMode" in &[Initialization];
    Terminate = "fmi2Terminate" in &[StepComplete, StepFailed];
    Reset = "fmi2Reset" in ANY;
    GetReal = "fmi2GetReal" in READABLE;
    GetInteger = "fmi2GetInteger" in READABLE;
    GetBoolean = "fmi2GetBoolean" in READABLE;
    GetString = "fmi2GetString" in READABLE;
    SetReal = "fmi2SetReal" in SETTABLE;
    SetInteger = "fmi2SetInteger" in SETTABLE;
    SetBoolean = "fmi2SetBoolean" in SETTABLE;
    SetString = "fmi2SetString" in SETTABLE;
    GetFmuState = "fmi2GetFMUstate" in ANY;
    SetFmuState = "fmi2SetFMUstate" in ANY;
    FreeFmuState = "fmi2FreeFMUstate" in ANY;
    SerializedFmuStateSize = "fmi2SerializedFMUstateSize" in ANY;
    SerializeFmuState = "fmi2SerializeFMUstate" in ANY;
    DeSerializeFmuState = "fmi2DeSerializeFMUstate" in ANY;
    GetDirectionalDerivative = "fmi2GetDirectionalDerivative" in READABLE;
    SetRealInputDerivatives = "fmi2SetRealInputDerivatives" in SETTABLE;
    GetRealOutputDerivatives = "fmi2GetRealOutputDerivatives"
        in &[StepComplete, StepFailed, Terminated, Error];
    DoStep = "fmi2DoStep" in &[StepComplete];
    CancelStep = "fmi2CancelStep" in &[];
    GetStatus = "fmi2GetStatus" in STATUS;
    GetRealStatus = "fmi2GetRealStatus" in STATUS;
    GetIntegerStatus = "fmi2GetIntegerStatus" in STATUS;
    GetBooleanStatus = "fmi2GetBooleanStatus" in STATUS;
    GetStringStatus = "fmi2GetStringStatus" in STATUS;
}

allowed! {
    /// A function of FMI 3.0 that needs an instance.
    Function3:
    SetDebugLogging = "fmi3SetDebugLogging" in ANY;
    EnterInitializationMode = "fmi3EnterInitializationMode" in &[Instantiated];
    ExitInitializationMode = "fmi3ExitInitializationMode" in &[Initialization];
    EnterConfigurationMode = "fmi3EnterConfigurationMode" in &[Instantiated, StepComplete];
    ExitConfigurationMode = "fmi3ExitConfigurationMode" in &[Instantiated, StepComplete];
    Terminate = "fmi3Terminate" in &[StepComplete, StepFailed];
    Reset = "fmi3Reset" in ANY;
    GetVariable = "fmi3Get{VariableType}" in READABLE;
    SetVariable = "fmi3Set{VariableType}" in SETTABLE;
    GetDependencies = "fmi3GetVariableDependencies" in ANY;
    GetFmuState = "fmi3GetFMUState" in ANY;
    SetFmuState = "fmi3SetFMUState" in ANY;
    FreeFmuState = "fmi3FreeFMUState" in ANY;
    SerializedFmuStateSize = "fmi3SerializedFMUStateSize" in ANY;
    SerializeFmuState = "fmi3SerializeFMUState" in ANY;
    DeserializeFmuState = "fmi3DeserializeFMUState" in ANY;
    GetDirectionalDerivative = "fmi3GetDirectionalDerivative" in READABLE;
    GetAdjointDerivative = "fmi3GetAdjointDerivative" in READABLE;
    GetOutputDerivatives = "fmi3GetOutputDerivatives"
        in &[StepComplete, StepFailed, Terminated, Error];
    DoStep = "fmi3DoStep" in &[StepComplete];
    NotOffered = "a function of clocks, events, model exchange or scheduled execution" in ANY;
}
