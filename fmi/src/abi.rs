//! The C interface of FMI 2.0, declared by hand: types, status values and function types.
//!
//! Names and order follow the headers `fmi2TypesPlatform.h` and `fmi2FunctionTypes.h` of the
//! standard (`fmi2`); both sides use this file, the exported functions and the importer.

#![allow(
    non_camel_case_types,
    non_snake_case,
    reason = "names are those of the standard"
)]

use core::ffi::{c_char, c_int, c_uint, c_void};

/// A pointer to an instance, opaque to the caller.
pub type fmi2Component = *mut c_void;
/// A pointer that belongs to the caller and is handed back in callbacks.
pub type fmi2ComponentEnvironment = *mut c_void;
/// A pointer to a saved state, opaque to the caller.
pub type fmi2FMUstate = *mut c_void;
/// The handle of a variable.
pub type fmi2ValueReference = c_uint;
/// A real number.
pub type fmi2Real = f64;
/// An integer.
pub type fmi2Integer = c_int;
/// A truth value: zero or one.
pub type fmi2Boolean = c_int;
/// One character of a text.
pub type fmi2Char = c_char;
/// A text in UTF-8 that ends with a zero.
pub type fmi2String = *const fmi2Char;
/// One byte of a serialised state.
pub type fmi2Byte = c_char;

/// True.
pub const FMI2_TRUE: fmi2Boolean = 1;
/// False.
pub const FMI2_FALSE: fmi2Boolean = 0;

/// What a function returns. A plain number: importers must live with values out of range.
pub type fmi2Status = c_int;
/// All well.
pub const FMI2_OK: fmi2Status = 0;
/// Not quite right, but the computation can go on.
pub const FMI2_WARNING: fmi2Status = 1;
/// The call had no effect; the caller may try something else.
pub const FMI2_DISCARD: fmi2Status = 2;
/// The instance cannot go on unless it is reset or an earlier state is restored.
pub const FMI2_ERROR: fmi2Status = 3;
/// All instances are lost.
pub const FMI2_FATAL: fmi2Status = 4;
/// The step goes on in the background.
pub const FMI2_PENDING: fmi2Status = 5;

/// What kind of interface is instantiated.
pub type fmi2Type = c_int;
/// Model exchange.
pub const FMI2_MODEL_EXCHANGE: fmi2Type = 0;
/// Co-simulation.
pub const FMI2_CO_SIMULATION: fmi2Type = 1;

/// What `fmi2GetStatus` and its kin ask for.
pub type fmi2StatusKind = c_int;
/// The status of a step in the background.
pub const FMI2_DO_STEP_STATUS: fmi2StatusKind = 0;
/// A text on a step in the background.
pub const FMI2_PENDING_STATUS: fmi2StatusKind = 1;
/// The end of the last step that was completed.
pub const FMI2_LAST_SUCCESSFUL_TIME: fmi2StatusKind = 2;
/// Whether the slave wants to end the simulation.
pub const FMI2_TERMINATED: fmi2StatusKind = 3;

/// Takes messages: environment, instance name, status, category, format of `printf`, arguments.
pub type fmi2CallbackLogger = Option<
    unsafe extern "C" fn(
        fmi2ComponentEnvironment,
        fmi2String,
        fmi2Status,
        fmi2String,
        fmi2String,
        ...
    ),
>;
/// Allocates zeroed memory: count, size.
pub type fmi2CallbackAllocateMemory = Option<unsafe extern "C" fn(usize, usize) -> *mut c_void>;
/// Frees it.
pub type fmi2CallbackFreeMemory = Option<unsafe extern "C" fn(*mut c_void)>;
/// Is told that a step in the background has ended.
pub type fmi2StepFinished = Option<unsafe extern "C" fn(fmi2ComponentEnvironment, fmi2Status)>;

/// What the caller provides.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fmi2CallbackFunctions {
    /// Takes messages.
    pub logger: fmi2CallbackLogger,
    /// Allocates memory.
    pub allocateMemory: fmi2CallbackAllocateMemory,
    /// Frees memory.
    pub freeMemory: fmi2CallbackFreeMemory,
    /// Is told of the end of a step.
    pub stepFinished: fmi2StepFinished,
    /// Handed back in callbacks.
    pub componentEnvironment: fmi2ComponentEnvironment,
}

/// Declares the type of every function and the list of all names from one table.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident: fn($($argument:ty),* $(,)?) $(-> $result:ty)?;)+) => {
        /// Types of the functions, one per function, with its name.
        #[allow(non_camel_case_types)]
        pub mod types {
            use super::*;
            $(
                $(#[$doc])*
                pub type $name = unsafe extern "C" fn($($argument),*) $(-> $result)?;
            )+
        }

        /// The names of all functions, common ones first.
        pub const FUNCTIONS: &[&str] = &[$(stringify!($name)),+];
    };
}

functions! {
    /// Gives the platform of the types.
    fmi2GetTypesPlatform: fn() -> fmi2String;
    /// Gives the version of the standard.
    fmi2GetVersion: fn() -> fmi2String;
    /// Switches categories of messages.
    fmi2SetDebugLogging: fn(fmi2Component, fmi2Boolean, usize, *const fmi2String) -> fmi2Status;
    /// Makes an instance.
    fmi2Instantiate: fn(
        fmi2String,
        fmi2Type,
        fmi2String,
        fmi2String,
        *const fmi2CallbackFunctions,
        fmi2Boolean,
        fmi2Boolean,
    ) -> fmi2Component;
    /// Frees an instance.
    fmi2FreeInstance: fn(fmi2Component);
    /// Tells start, stop and tolerance.
    fmi2SetupExperiment: fn(
        fmi2Component,
        fmi2Boolean,
        fmi2Real,
        fmi2Real,
        fmi2Boolean,
        fmi2Real,
    ) -> fmi2Status;
    /// Begins initialisation.
    fmi2EnterInitializationMode: fn(fmi2Component) -> fmi2Status;
    /// Ends initialisation.
    fmi2ExitInitializationMode: fn(fmi2Component) -> fmi2Status;
    /// Ends the simulation.
    fmi2Terminate: fn(fmi2Component) -> fmi2Status;
    /// Goes back to the state after instantiation.
    fmi2Reset: fn(fmi2Component) -> fmi2Status;
    /// Reads reals.
    fmi2GetReal: fn(fmi2Component, *const fmi2ValueReference, usize, *mut fmi2Real) -> fmi2Status;
    /// Reads integers.
    fmi2GetInteger: fn(
        fmi2Component,
        *const fmi2ValueReference,
        usize,
        *mut fmi2Integer,
    ) -> fmi2Status;
    /// Reads truth values.
    fmi2GetBoolean: fn(
        fmi2Component,
        *const fmi2ValueReference,
        usize,
        *mut fmi2Boolean,
    ) -> fmi2Status;
    /// Reads texts.
    fmi2GetString: fn(
        fmi2Component,
        *const fmi2ValueReference,
        usize,
        *mut fmi2String,
    ) -> fmi2Status;
    /// Sets reals.
    fmi2SetReal: fn(
        fmi2Component,
        *const fmi2ValueReference,
        usize,
        *const fmi2Real,
    ) -> fmi2Status;
    /// Sets integers.
    fmi2SetInteger: fn(
        fmi2Component,
        *const fmi2ValueReference,
        usize,
        *const fmi2Integer,
    ) -> fmi2Status;
    /// Sets truth values.
    fmi2SetBoolean: fn(
        fmi2Component,
        *const fmi2ValueReference,
        usize,
        *const fmi2Boolean,
    ) -> fmi2Status;
    /// Sets texts.
    fmi2SetString: fn(
        fmi2Component,
        *const fmi2ValueReference,
        usize,
        *const fmi2String,
    ) -> fmi2Status;
    /// Saves the state.
    fmi2GetFMUstate: fn(fmi2Component, *mut fmi2FMUstate) -> fmi2Status;
    /// Restores a state.
    fmi2SetFMUstate: fn(fmi2Component, fmi2FMUstate) -> fmi2Status;
    /// Frees a saved state.
    fmi2FreeFMUstate: fn(fmi2Component, *mut fmi2FMUstate) -> fmi2Status;
    /// Gives the bytes that a saved state needs.
    fmi2SerializedFMUstateSize: fn(fmi2Component, fmi2FMUstate, *mut usize) -> fmi2Status;
    /// Turns a saved state into bytes.
    fmi2SerializeFMUstate: fn(fmi2Component, fmi2FMUstate, *mut fmi2Byte, usize) -> fmi2Status;
    /// Turns bytes into a saved state.
    fmi2DeSerializeFMUstate: fn(
        fmi2Component,
        *const fmi2Byte,
        usize,
        *mut fmi2FMUstate,
    ) -> fmi2Status;
    /// Derivatives of unknowns along a direction of knowns.
    fmi2GetDirectionalDerivative: fn(
        fmi2Component,
        *const fmi2ValueReference,
        usize,
        *const fmi2ValueReference,
        usize,
        *const fmi2Real,
        *mut fmi2Real,
    ) -> fmi2Status;
    /// Sets derivatives of inputs by time.
    fmi2SetRealInputDerivatives: fn(
        fmi2Component,
        *const fmi2ValueReference,
        usize,
        *const fmi2Integer,
        *const fmi2Real,
    ) -> fmi2Status;
    /// Reads derivatives of outputs by time.
    fmi2GetRealOutputDerivatives: fn(
        fmi2Component,
        *const fmi2ValueReference,
        usize,
        *const fmi2Integer,
        *mut fmi2Real,
    ) -> fmi2Status;
    /// Makes a step.
    fmi2DoStep: fn(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean) -> fmi2Status;
    /// Cancels a step in the background.
    fmi2CancelStep: fn(fmi2Component) -> fmi2Status;
    /// Asks for a status.
    fmi2GetStatus: fn(fmi2Component, fmi2StatusKind, *mut fmi2Status) -> fmi2Status;
    /// Asks for a real.
    fmi2GetRealStatus: fn(fmi2Component, fmi2StatusKind, *mut fmi2Real) -> fmi2Status;
    /// Asks for an integer.
    fmi2GetIntegerStatus: fn(fmi2Component, fmi2StatusKind, *mut fmi2Integer) -> fmi2Status;
    /// Asks for a truth value.
    fmi2GetBooleanStatus: fn(fmi2Component, fmi2StatusKind, *mut fmi2Boolean) -> fmi2Status;
    /// Asks for a text.
    fmi2GetStringStatus: fn(fmi2Component, fmi2StatusKind, *mut fmi2String) -> fmi2Status;
}

/// Name of a status, for messages.
pub fn status_name(status: fmi2Status) -> &'static str {
    match status {
        FMI2_OK => "fmi2OK",
        FMI2_WARNING => "fmi2Warning",
        FMI2_DISCARD => "fmi2Discard",
        FMI2_ERROR => "fmi2Error",
        FMI2_FATAL => "fmi2Fatal",
        FMI2_PENDING => "fmi2Pending",
        _ => "a status that FMI 2.0 does not know",
    }
}
