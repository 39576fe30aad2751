//! The functions of a loaded library.

use super::ImportError;
use super::watch::{Call, calling, watched};
use crate::abi::types;
use libloading::Library;
use std::ffi::CStr;
use std::path::Path;

/// Declares the functions of a library: those that every FMU must have, and the others.
macro_rules! functions {
    (required: $($required:ident)+; optional: $($optional:ident)+;) => {
        /// The functions of a loaded library.
        #[allow(non_snake_case, reason = "names are those of the standard")]
        pub struct Functions {
            $(pub $required: types::$required,)+
            $(pub $optional: Option<types::$optional>,)+
            /// Keeps the functions where they are.
            library: Option<Library>,
        }

        impl Functions {
            /// Loads a library and looks its functions up.
            pub fn load(path: &Path, model: &str) -> Result<Self, ImportError> {
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
                            .get::<types::$required>(stringify!($required).as_bytes())
                            .map_err(|_| missing(stringify!($required)))?,)+
                        $($optional: library
                            .get::<types::$optional>(stringify!($optional).as_bytes())
                            .ok()
                            .map(|function| *function),)+
                        library: Some(library),
                    })
                }
            }
        }
    };
}

impl Drop for Functions {
    fn drop(&mut self) {
        watched(Call::Unload, || self.library = None);
    }
}

impl Functions {
    /// The version of the standard that the library says it follows.
    pub fn version(&self) -> String {
        // SAFETY: the function takes nothing and gives a text that stays.
        let text = calling("fmi2GetVersion", || unsafe { (self.fmi2GetVersion)() });
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
        fmi2GetVersion
        fmi2Instantiate
        fmi2FreeInstance
        fmi2SetupExperiment
        fmi2EnterInitializationMode
        fmi2ExitInitializationMode
        fmi2Terminate
        fmi2Reset
        fmi2GetReal
        fmi2GetInteger
        fmi2GetBoolean
        fmi2GetString
        fmi2SetReal
        fmi2SetInteger
        fmi2SetBoolean
        fmi2SetString
        fmi2DoStep;
    optional:
        fmi2SetDebugLogging
        fmi2GetFMUstate
        fmi2SetFMUstate
        fmi2FreeFMUstate
        fmi2SerializedFMUstateSize
        fmi2SerializeFMUstate
        fmi2DeSerializeFMUstate
        fmi2GetDirectionalDerivative
        fmi2SetRealInputDerivatives
        fmi2GetRealOutputDerivatives
        fmi2GetRealStatus
        fmi2GetBooleanStatus;
}
