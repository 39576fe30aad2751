//! The functions of a library of FMI 3.0.

use super::super::ImportError;
use super::super::watch::{Call, calling, watched};
use crate::abi3::{fmi3Boolean, fmi3String, types};
use libloading::Library;
use softdock_xml::version3::{Place, Version3};
use std::ffi::CStr;
use std::path::Path;

/// Declares the functions of a library: those that no run does without, and the others.
macro_rules! functions {
    (required: $($required:ident: $type:ty,)+; optional: $($optional:ident: $other:ty,)+;) => {
        /// The functions of a library of FMI 3.0, and where its variables are.
        #[allow(non_snake_case, reason = "names are those of the standard")]
        pub struct Functions3 {
            $(pub $required: $type,)+
            $(pub $optional: Option<$other>,)+
            /// Places of the flattened variables, by value reference.
            pub places: Vec<Place>,
            /// Keeps the functions where they are.
            library: Option<Library>,
        }

        impl Functions3 {
            /// Loads a library and looks its functions up.
            pub fn load(path: &Path, model: &str, read: Version3) -> Result<Self, ImportError> {
                let load = |cause| ImportError::Load { library: path.to_owned(), cause };
                // SAFETY: loading runs what the library wants to run at its start. Whoever opens
                // an FMU asks for that.
                let library = watched(Call::Load, || unsafe { Library::new(path) });
                let library = library.map_err(load)?;
                let missing = |function| ImportError::MissingFunction {
                    library: model.to_owned(),
                    function,
                };
                // SAFETY: the types are those of the standard for these names, and the library is
                // kept as long as the functions.
                unsafe {
                    Ok(Self {
                        $($required: *library
                            .get::<$type>(stringify!($required).as_bytes())
                            .map_err(|_| missing(stringify!($required)))?,)+
                        $($optional: library
                            .get::<$other>(stringify!($optional).as_bytes())
                            .ok()
                            .map(|function| *function),)+
                        places: read.places,
                        library: Some(library),
                    })
                }
            }
        }
    };
}

impl Drop for Functions3 {
    fn drop(&mut self) {
        watched(Call::Unload, || self.library = None);
    }
}

impl Functions3 {
    /// The version of the standard that the library says it follows.
    pub fn version(&self) -> String {
        // SAFETY: the function takes nothing and gives a text that stays.
        let text = calling("fmi3GetVersion", || unsafe { (self.fmi3GetVersion)() });
        if text.is_null() {
            return String::new();
        }
        // SAFETY: not NULL, and a text of the library ends with a zero.
        let text = unsafe { CStr::from_ptr(text) };
        text.to_string_lossy().into_owned()
    }
}

functions! {
    required:
        fmi3GetVersion: types::GetVersion,
        fmi3InstantiateCoSimulation: types::InstantiateCoSimulation,
        fmi3FreeInstance: types::FreeInstance,
        fmi3EnterInitializationMode: types::EnterInitializationMode,
        fmi3ExitInitializationMode: types::Transition,
        fmi3Terminate: types::Transition,
        fmi3Reset: types::Transition,
        fmi3DoStep: types::DoStep,;
    optional:
        fmi3SetDebugLogging: types::SetDebugLogging,
        fmi3GetFloat32: types::Get<f32>,
        fmi3SetFloat32: types::Set<f32>,
        fmi3GetFloat64: types::Get<f64>,
        fmi3SetFloat64: types::Set<f64>,
        fmi3GetInt8: types::Get<i8>,
        fmi3SetInt8: types::Set<i8>,
        fmi3GetUInt8: types::Get<u8>,
        fmi3SetUInt8: types::Set<u8>,
        fmi3GetInt16: types::Get<i16>,
        fmi3SetInt16: types::Set<i16>,
        fmi3GetUInt16: types::Get<u16>,
        fmi3SetUInt16: types::Set<u16>,
        fmi3GetInt32: types::Get<i32>,
        fmi3SetInt32: types::Set<i32>,
        fmi3GetUInt32: types::Get<u32>,
        fmi3SetUInt32: types::Set<u32>,
        fmi3GetInt64: types::Get<i64>,
        fmi3SetInt64: types::Set<i64>,
        fmi3GetUInt64: types::Get<u64>,
        fmi3SetUInt64: types::Set<u64>,
        fmi3GetBoolean: types::Get<fmi3Boolean>,
        fmi3SetBoolean: types::Set<fmi3Boolean>,
        fmi3GetString: types::Get<fmi3String>,
        fmi3SetString: types::Set<fmi3String>,
        fmi3GetBinary: types::GetBinary,
        fmi3SetBinary: types::SetBinary,
        fmi3GetFMUState: types::ChangeState,
        fmi3SetFMUState: types::SetState,
        fmi3FreeFMUState: types::ChangeState,
        fmi3SerializedFMUStateSize: types::StateSize,
        fmi3SerializeFMUState: types::SerializeState,
        fmi3DeserializeFMUState: types::DeserializeState,
        fmi3GetDirectionalDerivative: types::Derivative,
        fmi3GetOutputDerivatives: types::GetOutputDerivatives,;
}
