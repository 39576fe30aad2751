//! An instance through the exported functions, and FMUs packed for tests.

use crate::models::tried;
use softdock_fmi::abi::{
    FMI2_CO_SIMULATION, FMI2_DISCARD, FMI2_ERROR, FMI2_OK, fmi2CallbackFunctions, fmi2Component,
    fmi2Status,
};
use softdock_fmi::exports::access::*;
use softdock_fmi::exports::lifecycle::*;
use softdock_fmi::exports::step::*;
use softdock_fmi::import::{FmuArchive, remove_unpacked};
use softdock_fmi::lifecycle::State;
use softdock_fmi::package::{FmiVersion, TargetSystem, pack};
use softdock_fmu::{ModelKind, fmi2Instantiate};
use softdock_fmu_library::LIBRARY;
use std::collections::HashMap;
use std::ffi::{CString, c_int};
use std::io::Write;
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::{Once, OnceLock};

/// An instance of the functions linked into this program.
pub struct Raw {
    pub component: fmi2Component,
    kind: ModelKind,
}

/// Makes an instance with these callbacks.
pub fn instantiate(
    kind: ModelKind,
    callbacks: *const fmi2CallbackFunctions,
    logging: bool,
) -> fmi2Component {
    let guid = CString::new(kind.guid().unwrap()).unwrap();
    let name = c"leg".as_ptr();
    let logging = i32::from(logging);
    let resources = c"file:///tmp/with%20space/resources".as_ptr();
    // SAFETY: texts end with zeros; the callbacks are NULL or live longer than the instance.
    unsafe {
        fmi2Instantiate(
            name,
            FMI2_CO_SIMULATION,
            guid.as_ptr(),
            resources,
            callbacks,
            0,
            logging,
        )
    }
}

impl Raw {
    pub fn new(kind: ModelKind) -> Self {
        let component = instantiate(kind, null(), false);
        assert!(!component.is_null());
        Self { component, kind }
    }

    /// An instance ready for its first step.
    pub fn started(kind: ModelKind) -> Self {
        let raw = Self::new(kind);
        raw.start();
        raw
    }

    pub fn start(&self) {
        // SAFETY: the component is alive.
        unsafe {
            assert_eq!(fmi2EnterInitializationMode(self.component), FMI2_OK);
            assert_eq!(fmi2ExitInitializationMode(self.component), FMI2_OK);
        }
    }

    /// The same with a model that is as small as the table of models makes it.
    pub fn small_in_state(kind: ModelKind, state: State) -> Self {
        let raw = Self::new(kind);
        tried(kind).make_small(&raw);
        raw.go_to(state);
        raw
    }

    /// A new instance in this state; from `StepComplete` on, one step of 1 ms has been made.
    pub fn in_state(kind: ModelKind, state: State) -> Self {
        let raw = Self::new(kind);
        raw.go_to(state);
        raw
    }

    /// Takes a new instance to this state.
    fn go_to(&self, state: State) {
        let raw = self;
        if state == State::Instantiated {
            return;
        }
        // SAFETY: the component is alive.
        unsafe {
            assert_eq!(fmi2EnterInitializationMode(raw.component), FMI2_OK);
            if state == State::Initialization {
                return;
            }
            assert_eq!(fmi2ExitInitializationMode(raw.component), FMI2_OK);
            assert_eq!(raw.step(0.0, 1e-3), FMI2_OK);
            match state {
                State::StepFailed => assert_eq!(raw.step(1e-3, 1e9), FMI2_DISCARD),
                State::Terminated => assert_eq!(fmi2Terminate(raw.component), FMI2_OK),
                State::Error => assert_eq!(fmi2CancelStep(raw.component), FMI2_ERROR),
                _ => {}
            }
        }
    }

    pub fn reference(&self, name: &str) -> u32 {
        reference(self.kind, name)
    }

    pub fn step(&self, time: f64, length: f64) -> fmi2Status {
        // SAFETY: the component is alive.
        unsafe { fmi2DoStep(self.component, time, length, 0) }
    }

    pub fn get(&self, name: &str) -> f64 {
        let (reference, mut value) = (self.reference(name), f64::NAN);
        // SAFETY: one reference, one value.
        let status = unsafe { fmi2GetReal(self.component, &reference, 1, &mut value) };
        assert_eq!(status, FMI2_OK, "{name}");
        value
    }

    pub fn set(&self, name: &str, value: f64) -> fmi2Status {
        let reference = self.reference(name);
        // SAFETY: one reference, one value.
        unsafe { fmi2SetReal(self.component, &reference, 1, &value) }
    }

    pub fn set_integer(&self, name: &str, value: i32) -> fmi2Status {
        let reference = self.reference(name);
        // SAFETY: one reference, one value.
        unsafe { fmi2SetInteger(self.component, &reference, 1, &value) }
    }

    pub fn set_boolean(&self, name: &str, value: bool) -> fmi2Status {
        let (reference, value) = (self.reference(name), i32::from(value));
        // SAFETY: one reference, one value.
        unsafe { fmi2SetBoolean(self.component, &reference, 1, &value) }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // SAFETY: the component is alive and not used afterwards.
        unsafe { fmi2FreeInstance(self.component) };
        self.component = null_mut();
    }
}

/// The value reference of a variable.
pub fn reference(kind: ModelKind, name: &str) -> u32 {
    // Writing a description takes longer than a step.
    static LISTS: [OnceLock<HashMap<String, u32>>; ModelKind::ALL.len()] =
        [const { OnceLock::new() }; ModelKind::ALL.len()];
    let list = LISTS[kind as usize].get_or_init(|| {
        let description = kind.description().unwrap();
        let variables = description.model_variables.iter();
        variables
            .map(|variable| (variable.name.clone(), variable.value_reference))
            .collect()
    });
    *list.get(name).unwrap_or_else(|| panic!("{name}"))
}

/// A folder of its own for each test, removed afterwards.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("softdock-fmu-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
}

/// Statics are not dropped: what they have unpacked goes at the end of the process.
extern "C" fn remove_at_exit() {
    remove_unpacked();
}

/// The FMU of a model, loaded once for all tests.
pub fn archive(kind: ModelKind) -> &'static FmuArchive {
    static ARCHIVES: [OnceLock<FmuArchive>; ModelKind::ALL.len()] =
        [const { OnceLock::new() }; ModelKind::ALL.len()];
    static AT_EXIT: Once = Once::new();
    ARCHIVES[kind as usize].get_or_init(|| {
        // SAFETY: the function takes nothing and does not unwind.
        AT_EXIT.call_once(|| assert_eq!(unsafe { atexit(remove_at_exit) }, 0));
        let folder = Folder::new(&format!("archive-{}", kind.name()));
        let file = folder.0.join("model.fmu");
        std::fs::write(
            &file,
            pack(
                kind.packaged(),
                FmiVersion::Two,
                LIBRARY,
                TargetSystem::HERE,
            )
            .unwrap(),
        )
        .unwrap();
        FmuArchive::open(&file).unwrap()
    })
}

/// Says, past the capture of the test harness, that a test does nothing because a program is
/// missing.
///
/// # Panics
///
/// If `CI` is `true`: there the program must be installed.
pub fn skip(test: &str, program: &str, error: &std::io::Error) {
    let message = format!("SKIPPED {test}: {program} cannot be run: {error}");
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{message}");
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// Numbers without a pattern, the same in every run (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
