//! The C interface of FMI 3.0, declared by hand: types, status values and function types.
//!
//! Names and order follow the headers `fmi3PlatformTypes.h` and `fmi3FunctionTypes.h` of the
//! standard (`fmi3`). Status values are those of FMI 2.0 without *pending*.

#![allow(
    non_camel_case_types,
    non_snake_case,
    reason = "names are those of the standard"
)]

use core::ffi::{c_char, c_int, c_uint, c_void};

/// A pointer to an instance, opaque to the caller.
pub type fmi3Instance = *mut c_void;
/// A pointer that belongs to the caller and is handed back in callbacks.
pub type fmi3InstanceEnvironment = *mut c_void;
/// A pointer to a saved state, opaque to the caller.
pub type fmi3FMUState = *mut c_void;
/// The handle of a variable.
pub type fmi3ValueReference = c_uint;
/// A real number of 64 bits.
pub type fmi3Float64 = f64;
/// An integer of 32 bits.
pub type fmi3Int32 = i32;
/// A truth value, C's `bool`. A byte here: whatever a caller passes is then a valid value.
pub type fmi3Boolean = u8;
/// A text in UTF-8 that ends with a zero.
pub type fmi3String = *const c_char;
/// One byte of a serialised state.
pub type fmi3Byte = u8;
/// A clock: ticking or not.
pub type fmi3Clock = u8;
/// What a function returns: one of the statuses of [`crate::abi`] up to *fatal*.
pub type fmi3Status = c_int;

/// True.
pub const FMI3_TRUE: fmi3Boolean = 1;
/// False.
pub const FMI3_FALSE: fmi3Boolean = 0;

/// Takes messages: environment, status, category, message.
pub type fmi3LogMessageCallback =
    Option<unsafe extern "C" fn(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String)>;
/// Is told of values inside a step.
pub type fmi3IntermediateUpdateCallback = Option<
    unsafe extern "C" fn(
        fmi3InstanceEnvironment,
        fmi3Float64,
        fmi3Boolean,
        fmi3Boolean,
        fmi3Boolean,
        fmi3Boolean,
        *mut fmi3Boolean,
        *mut fmi3Float64,
    ),
>;

/// Types of the functions that an importer calls.
pub mod types {
    use super::*;

    /// Gives the version of the standard.
    pub type GetVersion = unsafe extern "C" fn() -> fmi3String;
    /// Makes an instance.
    pub type InstantiateCoSimulation = unsafe extern "C" fn(
        fmi3String,
        fmi3String,
        fmi3String,
        fmi3Boolean,
        fmi3Boolean,
        fmi3Boolean,
        fmi3Boolean,
        *const fmi3ValueReference,
        usize,
        fmi3InstanceEnvironment,
        fmi3LogMessageCallback,
        fmi3IntermediateUpdateCallback,
    ) -> fmi3Instance;
    /// Frees an instance.
    pub type FreeInstance = unsafe extern "C" fn(fmi3Instance);
    /// Switches categories of messages.
    pub type SetDebugLogging =
        unsafe extern "C" fn(fmi3Instance, fmi3Boolean, usize, *const fmi3String) -> fmi3Status;
    /// Begins initialisation.
    pub type EnterInitializationMode = unsafe extern "C" fn(
        fmi3Instance,
        fmi3Boolean,
        fmi3Float64,
        fmi3Float64,
        fmi3Boolean,
        fmi3Float64,
    ) -> fmi3Status;
    /// Goes on in the life of an instance.
    pub type Transition = unsafe extern "C" fn(fmi3Instance) -> fmi3Status;
    /// Makes a step.
    pub type DoStep = unsafe extern "C" fn(
        fmi3Instance,
        fmi3Float64,
        fmi3Float64,
        fmi3Boolean,
        *mut fmi3Boolean,
        *mut fmi3Boolean,
        *mut fmi3Boolean,
        *mut fmi3Float64,
    ) -> fmi3Status;
    /// Reads values of one type.
    pub type Get<T> = unsafe extern "C" fn(
        fmi3Instance,
        *const fmi3ValueReference,
        usize,
        *mut T,
        usize,
    ) -> fmi3Status;
    /// Sets values of one type.
    pub type Set<T> = unsafe extern "C" fn(
        fmi3Instance,
        *const fmi3ValueReference,
        usize,
        *const T,
        usize,
    ) -> fmi3Status;
    /// Reads bytes.
    pub type GetBinary = unsafe extern "C" fn(
        fmi3Instance,
        *const fmi3ValueReference,
        usize,
        *mut usize,
        *mut *const fmi3Byte,
        usize,
    ) -> fmi3Status;
    /// Sets bytes.
    pub type SetBinary = unsafe extern "C" fn(
        fmi3Instance,
        *const fmi3ValueReference,
        usize,
        *const usize,
        *const *const fmi3Byte,
        usize,
    ) -> fmi3Status;
    /// Saves a state, or frees one.
    pub type ChangeState = unsafe extern "C" fn(fmi3Instance, *mut fmi3FMUState) -> fmi3Status;
    /// Goes back to a state.
    pub type SetState = unsafe extern "C" fn(fmi3Instance, fmi3FMUState) -> fmi3Status;
    /// Tells how many bytes a state has.
    pub type StateSize = unsafe extern "C" fn(fmi3Instance, fmi3FMUState, *mut usize) -> fmi3Status;
    /// Turns a state into bytes.
    pub type SerializeState =
        unsafe extern "C" fn(fmi3Instance, fmi3FMUState, *mut fmi3Byte, usize) -> fmi3Status;
    /// Turns bytes into a state.
    pub type DeserializeState =
        unsafe extern "C" fn(fmi3Instance, *const fmi3Byte, usize, *mut fmi3FMUState) -> fmi3Status;
    /// Derivatives along a direction.
    pub type Derivative = unsafe extern "C" fn(
        fmi3Instance,
        *const fmi3ValueReference,
        usize,
        *const fmi3ValueReference,
        usize,
        *const fmi3Float64,
        usize,
        *mut fmi3Float64,
        usize,
    ) -> fmi3Status;
    /// Derivatives of outputs by time.
    pub type GetOutputDerivatives = unsafe extern "C" fn(
        fmi3Instance,
        *const fmi3ValueReference,
        usize,
        *const fmi3Int32,
        *mut fmi3Float64,
        usize,
    ) -> fmi3Status;
}

/// The names of all functions of the standard: what an importer may look for.
pub const FUNCTIONS: &[&str] = &[
    "fmi3GetVersion",
    "fmi3SetDebugLogging",
    "fmi3InstantiateModelExchange",
    "fmi3InstantiateCoSimulation",
    "fmi3InstantiateScheduledExecution",
    "fmi3FreeInstance",
    "fmi3EnterInitializationMode",
    "fmi3ExitInitializationMode",
    "fmi3EnterEventMode",
    "fmi3Terminate",
    "fmi3Reset",
    "fmi3GetFloat32",
    "fmi3GetFloat64",
    "fmi3GetInt8",
    "fmi3GetUInt8",
    "fmi3GetInt16",
    "fmi3GetUInt16",
    "fmi3GetInt32",
    "fmi3GetUInt32",
    "fmi3GetInt64",
    "fmi3GetUInt64",
    "fmi3GetBoolean",
    "fmi3GetString",
    "fmi3GetBinary",
    "fmi3GetClock",
    "fmi3SetFloat32",
    "fmi3SetFloat64",
    "fmi3SetInt8",
    "fmi3SetUInt8",
    "fmi3SetInt16",
    "fmi3SetUInt16",
    "fmi3SetInt32",
    "fmi3SetUInt32",
    "fmi3SetInt64",
    "fmi3SetUInt64",
    "fmi3SetBoolean",
    "fmi3SetString",
    "fmi3SetBinary",
    "fmi3SetClock",
    "fmi3GetNumberOfVariableDependencies",
    "fmi3GetVariableDependencies",
    "fmi3GetFMUState",
    "fmi3SetFMUState",
    "fmi3FreeFMUState",
    "fmi3SerializedFMUStateSize",
    "fmi3SerializeFMUState",
    "fmi3DeserializeFMUState",
    "fmi3GetDirectionalDerivative",
    "fmi3GetAdjointDerivative",
    "fmi3EnterConfigurationMode",
    "fmi3ExitConfigurationMode",
    "fmi3GetIntervalDecimal",
    "fmi3GetIntervalFraction",
    "fmi3GetShiftDecimal",
    "fmi3GetShiftFraction",
    "fmi3SetIntervalDecimal",
    "fmi3SetIntervalFraction",
    "fmi3SetShiftDecimal",
    "fmi3SetShiftFraction",
    "fmi3EvaluateDiscreteStates",
    "fmi3UpdateDiscreteStates",
    "fmi3EnterContinuousTimeMode",
    "fmi3CompletedIntegratorStep",
    "fmi3SetTime",
    "fmi3SetContinuousStates",
    "fmi3GetContinuousStateDerivatives",
    "fmi3GetEventIndicators",
    "fmi3GetContinuousStates",
    "fmi3GetNominalsOfContinuousStates",
    "fmi3GetNumberOfEventIndicators",
    "fmi3GetNumberOfContinuousStates",
    "fmi3EnterStepMode",
    "fmi3GetOutputDerivatives",
    "fmi3DoStep",
    "fmi3ActivateModelPartition",
];
