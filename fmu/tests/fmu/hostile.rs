//! The library in hosts that make it hard: floating-point traps and other rounding, a small
//! stack, loading and unloading.
//!
//! Each host is a process of its own, so that a signal ends that one, and a test says so.
#![cfg(target_os = "linux")]

use crate::models::{MODELS, tried};
use crate::support::{Folder, reference};
use libloading::Library;
use softdock_fmi::abi::{FMI2_CO_SIMULATION, FMI2_OK, fmi2CallbackFunctions, fmi2Component, types};
use softdock_fmu::ModelKind;
use softdock_fmu_library::LIBRARY;
use softdock_xml::{Causality, VariableType};
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{null, null_mut};
use std::thread;

/// Runs a test of this file as a process and gives what it printed.
fn child(name: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "--test-threads=1"])
        .arg(format!("hostile::{name}"))
        // Memory that glibc keeps for each thread counts as used: none, please.
        .env("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{name}: {}\n{text}\n{errors}",
        output.status
    );
    assert!(text.contains("1 passed"), "{name} was not run: {text}");
    text
}

/// Looks a function up.
macro_rules! function {
    ($library:expr, $name:ident) => {
        // SAFETY: the type is that of the standard for this name.
        *unsafe { $library.get::<types::$name>(stringify!($name).as_bytes()) }.unwrap()
    };
}

/// The functions of a loaded library that a life uses.
struct Host {
    instantiate: types::fmi2Instantiate,
    free: types::fmi2FreeInstance,
    setup: types::fmi2SetupExperiment,
    enter: types::fmi2EnterInitializationMode,
    exit: types::fmi2ExitInitializationMode,
    terminate: types::fmi2Terminate,
    reset: types::fmi2Reset,
    set_integer: types::fmi2SetInteger,
    set_boolean: types::fmi2SetBoolean,
    set_real: types::fmi2SetReal,
    get_real: types::fmi2GetReal,
    step: types::fmi2DoStep,
    directional: types::fmi2GetDirectionalDerivative,
    rates: types::fmi2GetRealOutputDerivatives,
    save: types::fmi2GetFMUstate,
    restore: types::fmi2SetFMUstate,
    free_state: types::fmi2FreeFMUstate,
    size: types::fmi2SerializedFMUstateSize,
    serialize: types::fmi2SerializeFMUstate,
    deserialize: types::fmi2DeSerializeFMUstate,
    /// Keeps the functions where they are.
    library: Library,
}

impl Host {
    fn load(path: &Path) -> Self {
        // SAFETY: our own library runs nothing when it is loaded.
        let library = unsafe { Library::new(path) }.unwrap();
        Self {
            instantiate: function!(library, fmi2Instantiate),
            free: function!(library, fmi2FreeInstance),
            setup: function!(library, fmi2SetupExperiment),
            enter: function!(library, fmi2EnterInitializationMode),
            exit: function!(library, fmi2ExitInitializationMode),
            terminate: function!(library, fmi2Terminate),
            reset: function!(library, fmi2Reset),
            set_integer: function!(library, fmi2SetInteger),
            set_boolean: function!(library, fmi2SetBoolean),
            set_real: function!(library, fmi2SetReal),
            get_real: function!(library, fmi2GetReal),
            step: function!(library, fmi2DoStep),
            directional: function!(library, fmi2GetDirectionalDerivative),
            rates: function!(library, fmi2GetRealOutputDerivatives),
            save: function!(library, fmi2GetFMUstate),
            restore: function!(library, fmi2SetFMUstate),
            free_state: function!(library, fmi2FreeFMUstate),
            size: function!(library, fmi2SerializedFMUstateSize),
            serialize: function!(library, fmi2SerializeFMUstate),
            deserialize: function!(library, fmi2DeSerializeFMUstate),
            library,
        }
    }
}

/// The library as a file of its own.
fn library_file(folder: &Folder) -> PathBuf {
    let path = folder.0.join("libhostile.so");
    std::fs::write(&path, LIBRARY).unwrap();
    path
}

/// What a life needs to know of a model, found out beforehand.
struct Plan {
    guid: CString,
    /// Integers: references, and what they are.
    counts: (Vec<u32>, Vec<i32>),
    /// Reals: references, and what they are.
    numbers: (Vec<u32>, Vec<f64>),
    /// Truth values: references, and what they are.
    choices: (Vec<u32>, Vec<i32>),
    /// An input, and what it is.
    input: (u32, f64),
    outputs: Vec<u32>,
    output: u32,
    /// Whether derivatives are offered.
    derivatives: bool,
    times: Vec<f64>,
}

/// Communication steps of a life.
const STEPS: usize = 4;

impl Plan {
    fn new(kind: ModelKind, elements: i32) -> Self {
        let tried = tried(kind);
        let description = kind.description().unwrap();
        let shown = |causality| matches!(causality, Causality::Output | Causality::Local);
        let outputs = description.model_variables.iter();
        let outputs = outputs.filter(|v| {
            let calculated = v.causality == Causality::CalculatedParameter;
            matches!(v.variable_type, VariableType::Real(_)) && (calculated || shown(v.causality))
        });
        Self {
            guid: CString::new(kind.guid().unwrap()).unwrap(),
            counts: (tried.small.iter())
                .map(|(name, _)| (reference(kind, name), elements))
                .unzip(),
            numbers: (tried.deep.iter())
                .map(|(name, value)| (reference(kind, name), *value))
                .unzip(),
            choices: Default::default(),
            input: (reference(kind, tried.input.0), 0.5 * tried.input.1),
            output: reference(kind, tried.outputs[0]),
            derivatives: tried.derivatives(),
            outputs: outputs.map(|variable| variable.value_reference).collect(),
            times: (0..=STEPS).map(|k| k as f64 * 1e-3).collect(),
        }
    }

    /// A leg that is built around another one, whose modes are damped.
    fn with_damped_modes(kind: ModelKind) -> Self {
        let mut plan = Self::new(kind, 10);
        let ratio = reference(kind, "leaf.modal_damping_ratio[1]");
        plan.numbers.0.push(ratio);
        plan.numbers.1.push(0.01);
        plan
    }

    /// The planar leg with a free link and a given tension: the deepest search for an equilibrium.
    fn with_a_free_link() -> Self {
        let mut plan = Self::new(ModelKind::LegPlanar, 4);
        for (name, value) in [("pretension.hold_q3", 0), ("pretension.tension_given", 1)] {
            plan.choices.0.push(reference(ModelKind::LegPlanar, name));
            plan.choices.1.push(value);
        }
        plan.numbers
            .0
            .push(reference(ModelKind::LegPlanar, "pretension.tension"));
        plan.numbers.1.push(57.0);
        plan
    }

    fn instantiate(&self, host: &Host, callbacks: *const fmi2CallbackFunctions) -> fmi2Component {
        let (name, guid) = (c"leg".as_ptr(), self.guid.as_ptr());
        // SAFETY: texts end with zeros, and the callbacks live longer than the instance.
        unsafe { (host.instantiate)(name, FMI2_CO_SIMULATION, guid, null(), callbacks, 0, 1) }
    }
}

/// A full life of an instance, every call made through `call`: the bits of all that it showed.
fn life(host: &Host, plan: &Plan, call: &dyn Fn(&mut dyn FnMut() -> i32)) -> Vec<u64> {
    let mut values = vec![0.0; plan.outputs.len()];
    let mut bits = Vec::with_capacity(4096);
    let (mut component, mut state, mut copy) = (null_mut(), null_mut(), null_mut());
    let (mut size, mut bytes) = (0, Vec::new());
    let (mut derivative, mut rate) = (0.0, 0.0);
    let tau = 1e-3;
    // SAFETY: one instance, arrays as long as they are said to be, places for every result.
    unsafe {
        call(&mut || {
            component = plan.instantiate(host, null());
            i32::from(component.is_null())
        });
        for _ in 0..2 {
            let (names, counts) = &plan.counts;
            call(&mut || {
                (host.set_integer)(component, names.as_ptr(), names.len(), counts.as_ptr())
            });
            let (names, numbers) = &plan.numbers;
            call(&mut || (host.set_real)(component, names.as_ptr(), names.len(), numbers.as_ptr()));
            let (names, flags) = &plan.choices;
            call(&mut || {
                (host.set_boolean)(component, names.as_ptr(), names.len(), flags.as_ptr())
            });
            call(&mut || (host.setup)(component, 0, 0.0, 0.0, 0, 0.0));
            call(&mut || (host.enter)(component));
            let count = values.len();
            let references = plan.outputs.as_ptr();
            call(&mut || (host.get_real)(component, references, count, values.as_mut_ptr()));
            bits.extend(values.iter().map(|value| value.to_bits()));
            call(&mut || (host.exit)(component));
            for &time in &plan.times[..STEPS] {
                call(&mut || (host.set_real)(component, &plan.input.0, 1, &plan.input.1));
                call(&mut || (host.step)(component, time, tau, 0));
                call(&mut || (host.get_real)(component, references, count, values.as_mut_ptr()));
                bits.extend(values.iter().map(|value| value.to_bits()));
            }
            let (output, input) = (&plan.output, &plan.input.0);
            if plan.derivatives {
                call(&mut || {
                    (host.directional)(component, output, 1, input, 1, &1.0, &mut derivative)
                });
                call(&mut || (host.rates)(component, output, 1, &1, &mut rate));
            }
            bits.extend([derivative.to_bits(), rate.to_bits()]);
            call(&mut || (host.save)(component, &mut state));
            call(&mut || (host.size)(component, state, &mut size));
            bytes.resize(size, 0);
            call(&mut || (host.serialize)(component, state, bytes.as_mut_ptr(), size));
            call(&mut || (host.deserialize)(component, bytes.as_ptr(), size, &mut copy));
            call(&mut || (host.restore)(component, copy));
            call(&mut || (host.step)(component, plan.times[STEPS], tau, 0));
            call(&mut || (host.free_state)(component, &mut state));
            call(&mut || (host.free_state)(component, &mut copy));
            call(&mut || (host.terminate)(component));
            call(&mut || (host.reset)(component));
        }
        call(&mut || {
            (host.free)(component);
            FMI2_OK
        });
    }
    bits
}

/// A call in the environment of this process.
fn plainly(body: &mut dyn FnMut() -> i32) {
    assert_eq!(body(), FMI2_OK);
}

#[test]
fn small_stacks_suffice() {
    child("child_small_stacks_suffice");
}

/// Stack of the host's thread [bytes].
const SMALL_STACK: usize = 32 * 1024;
/// The same for legs with damped modes: building one bows another one on the way.
const STACK_FOR_MODES: usize = 64 * 1024;

#[test]
#[ignore = "run by another test, as a process of its own"]
fn child_small_stacks_suffice() {
    let folder = Folder::new("small-stack");
    let path = library_file(&folder);
    let mut plans = vec![(Plan::with_a_free_link(), SMALL_STACK)];
    for tried in &MODELS {
        plans.extend([10, 40].map(|elements| (Plan::new(tried.kind, elements), tried.stack)));
    }
    for kind in ModelKind::LEGS {
        plans.push((Plan::with_damped_modes(kind), STACK_FOR_MODES));
    }
    for (plan, stack) in plans {
        let host = Host::load(&path);
        let expected = life(&host, &plan, &plainly);
        let found = thread::Builder::new()
            .stack_size(stack)
            .spawn(move || life(&host, &plan, &plainly))
            .unwrap()
            .join()
            .unwrap();
        assert!(expected == found);
    }
}

#[test]
fn unloading_leaves_nothing_behind() {
    child("child_unloading_leaves_nothing_behind");
}

/// Loads and unloads of the library.
const CYCLES: usize = 100;

#[test]
#[ignore = "run by another test, as a process of its own"]
fn child_unloading_leaves_nothing_behind() {
    let folder = Folder::new("unloading");
    let path = library_file(&folder);
    let plans = ModelKind::ALL.map(|kind| Plan::new(kind, 2));
    let cycle = || {
        let host = Host::load(&path);
        for plan in &plans {
            drop(life(&host, plan, &plainly));
        }
        host.library.close().unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        assert!(!maps.contains("libhostile"), "the library stays loaded");
    };
    // The loader and the C library keep some memory of their own after the first times.
    (0..3).for_each(|_| cycle());
    let before = allocated();
    (0..CYCLES).for_each(|_| cycle());
    let left = allocated().saturating_sub(before);
    assert_eq!(left, 0, "bytes are left of {CYCLES} cycles");
}

/// What glibc tells of its heap.
#[repr(C)]
#[derive(Default)]
struct Heap {
    arena: usize,
    ordblks: usize,
    smblks: usize,
    hblks: usize,
    hblkhd: usize,
    usmblks: usize,
    fsmblks: usize,
    uordblks: usize,
    fordblks: usize,
    keepcost: usize,
}

/// Bytes on the heap.
fn allocated() -> usize {
    let process = libloading::os::unix::Library::this();
    // SAFETY: the function of glibc with this name takes nothing and gives this structure.
    let heap = unsafe {
        let mallinfo2 = process.get::<unsafe extern "C" fn() -> Heap>(b"mallinfo2");
        mallinfo2.unwrap()()
    };
    heap.uordblks + heap.hblkhd
}

#[cfg(target_arch = "x86_64")]
mod environment {
    use super::*;
    use core::arch::asm;
    use std::cell::Cell;
    use std::ffi::{c_char, c_void};

    /// MXCSR and the control and status words of the x87 unit.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct Environment {
        mxcsr: u32,
        control: u16,
        status: u16,
    }

    const DEFAULT: Environment = Environment {
        mxcsr: 0x1f80,
        control: 0x037f,
        status: 0,
    };
    /// A sticky flag of MXCSR: a result was inexact.
    const INEXACT: u32 = 0x20;

    /// Environments that a host may have.
    const HOSTS: [(&str, Environment); 5] = [
        ("default", DEFAULT),
        (
            "traps for invalid, division by zero, overflow and underflow",
            Environment {
                mxcsr: 0x1f80 & !0x0e80,
                control: 0x037f & !0x1d,
                status: 0,
            },
        ),
        (
            "rounds up, numbers of 53 bits in the x87 unit, inexact results on record",
            Environment {
                mxcsr: 0x5f80 | INEXACT,
                control: 0x0a7f,
                status: 0,
            },
        ),
        (
            "rounds down, all flags set",
            Environment {
                mxcsr: 0x3fbf,
                control: 0x037f,
                status: 0,
            },
        ),
        (
            "subnormal numbers are zero",
            Environment {
                mxcsr: 0x9fc0,
                control: 0x037f,
                status: 0,
            },
        ),
    ];

    fn set(environment: Environment) {
        // SAFETY: the values are legal.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const environment.mxcsr, options(nostack));
            asm!("fnclex", "fldcw [{}]", in(reg) &raw const environment.control, options(nostack));
        }
    }

    fn get() -> Environment {
        let mut found = DEFAULT;
        // SAFETY: the instructions write to these places alone.
        unsafe {
            asm!("stmxcsr [{}]", in(reg) &raw mut found.mxcsr, options(nostack));
            asm!("fnstcw [{}]", in(reg) &raw mut found.control, options(nostack));
            asm!("fnstsw [{}]", in(reg) &raw mut found.status, options(nostack));
        }
        found
    }

    /// Makes a call in an environment and checks that it is the same afterwards.
    fn call_in(host: Environment, body: &mut dyn FnMut() -> i32) {
        set(host);
        let status = body();
        let after = get();
        set(DEFAULT);
        assert_eq!(after, host);
        assert_eq!(status, FMI2_OK);
    }

    #[test]
    fn the_hosts_floating_point_environment_changes_nothing_and_is_not_changed() {
        child("environment::child_floating_point_environments");
    }

    #[test]
    #[ignore = "run by another test, as a process of its own"]
    fn child_floating_point_environments() {
        let folder = Folder::new("environment");
        let host = Host::load(&library_file(&folder));
        for kind in ModelKind::ALL {
            let plan = Plan::new(kind, 6);
            let expected = life(&host, &plan, &plainly);
            for (name, environment) in HOSTS {
                let found = life(&host, &plan, &|body| call_in(environment, body));
                assert!(expected == found, "{}: {name}", kind.name());
            }
        }
    }

    thread_local! {
        static SEEN: Cell<Option<Environment>> = const { Cell::new(None) };
    }

    /// A logger that notes its environment and leaves a flag in it.
    unsafe extern "C" fn logger(
        _: *mut c_void,
        _: *const c_char,
        _: i32,
        _: *const c_char,
        _: *const c_char,
    ) {
        let here = get();
        SEEN.set(Some(here));
        set(Environment {
            mxcsr: here.mxcsr | INEXACT,
            ..here
        });
    }

    #[test]
    fn callbacks_run_in_the_hosts_environment_and_may_change_it() {
        child("environment::child_callbacks");
    }

    #[test]
    #[ignore = "run by another test, as a process of its own"]
    fn child_callbacks() {
        let folder = Folder::new("callbacks");
        let host = Host::load(&library_file(&folder));
        // SAFETY: a function that takes less than it is given, as the C interface allows.
        let logger = unsafe {
            std::mem::transmute::<*const (), softdock_fmi::abi::fmi2CallbackLogger>(
                logger as *const (),
            )
        };
        let callbacks = fmi2CallbackFunctions {
            logger,
            allocateMemory: None,
            freeMemory: None,
            stepFinished: None,
            componentEnvironment: null_mut(),
        };
        let plan = Plan::new(ModelKind::LegPlanar, 4);
        let mut component = null_mut();
        let (_, traps) = HOSTS[1];
        let flagged = Environment {
            mxcsr: traps.mxcsr | INEXACT,
            ..traps
        };
        let noted = |body: &mut dyn FnMut()| {
            SEEN.set(None);
            set(traps);
            body();
            let after = get();
            set(DEFAULT);
            assert_eq!(SEEN.get(), Some(traps), "in the callback");
            assert_eq!(after, flagged, "after the call");
        };
        noted(&mut || component = plan.instantiate(&host, &callbacks));
        // SAFETY: the instance is alive until it is freed.
        unsafe {
            assert_eq!((host.enter)(component), FMI2_OK);
            noted(&mut || assert_eq!((host.exit)(component), FMI2_OK));
            (host.free)(component);
        }
    }
}
