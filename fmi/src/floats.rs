//! The host's floating-point environment, put aside while the leg computes.
//!
//! A host may have traps enabled (`feenableexcept`), another rounding mode, or subnormal numbers
//! flushed to zero. The leg computes with none of that, as every Rust program is compiled to:
//! a trap would end the process, and another rounding changes the results. Every exported function
//! therefore notes the environment of its thread, sets the default and hands the noted one back
//! when it returns, sticky flags included. Callbacks run in the host's environment, and what they
//! change of it lasts.
//!
//! On x86-64 these are MXCSR and the environment of the x87 unit, in which nothing of ours
//! computes but which a C library may use; on AArch64 FPCR and FPSR. On other processors nothing
//! is done: their Rust targets either have no such settings or offer no stable way to reach them.

use processor::Environment;
use std::cell::Cell;
use std::rc::Rc;

/// The host's environment, kept by an instance while a call of it is under way.
#[derive(Debug)]
pub struct HostFloats {
    noted: Cell<Environment>,
}

/// The default environment in force; dropped, the host's.
#[derive(Debug)]
pub struct OwnFloats(Rc<HostFloats>);

impl HostFloats {
    /// For an instance to come, or between two calls.
    pub fn new() -> Rc<Self> {
        let noted = Cell::new(Environment::default());
        Rc::new(Self { noted })
    }

    /// Notes the environment of this thread and sets the default until the result is dropped.
    pub fn put_aside(self: &Rc<Self>) -> OwnFloats {
        self.noted.set(Environment::exchange());
        OwnFloats(Rc::clone(self))
    }

    /// Calls `callback` in the host's environment.
    pub fn in_force<T>(&self, callback: impl FnOnce() -> T) -> T {
        self.noted.get().restore();
        let result = callback();
        // The host may have changed its environment in there: that is what it gets back.
        self.noted.set(Environment::exchange());
        result
    }
}

impl Drop for OwnFloats {
    fn drop(&mut self) {
        self.0.noted.get().restore();
    }
}

#[cfg(target_arch = "x86_64")]
mod processor {
    use core::arch::asm;

    /// MXCSR: all exceptions masked, to nearest, subnormal numbers as they are, no flags.
    const DEFAULT_MXCSR: u32 = 0x1f80;
    /// Control word of the x87 unit: all exceptions masked, to nearest, extended precision.
    const DEFAULT_CONTROL: u16 = 0x037f;

    /// The environment of a thread.
    #[derive(Debug, Clone, Copy)]
    pub struct Environment {
        mxcsr: u32,
        /// The environment of the x87 unit where it differs from the default.
        x87: Option<[u32; 7]>,
    }

    impl Default for Environment {
        fn default() -> Self {
            Self {
                mxcsr: DEFAULT_MXCSR,
                x87: None,
            }
        }
    }

    impl Environment {
        /// Sets the default and gives what was there.
        pub fn exchange() -> Self {
            let (mut mxcsr, mut control) = (0_u32, 0_u16);
            // SAFETY: both instructions only write to the places given.
            unsafe {
                asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags));
                asm!("fnstcw [{}]", in(reg) &raw mut control, options(nostack, preserves_flags));
            }
            let x87 = (control != DEFAULT_CONTROL).then(|| {
                let (mut environment, default) = ([0_u32; 7], DEFAULT_CONTROL);
                // SAFETY: 28 bytes are written. FNSTENV neither waits nor traps, and masks all
                // exceptions, so that one still pending stays so until the host's environment is
                // back. The compiler keeps nothing in the x87 unit.
                unsafe {
                    asm!(
                        "fnstenv [{}]",
                        "fldcw [{}]",
                        in(reg) &raw mut environment,
                        in(reg) &raw const default,
                        options(nostack, preserves_flags)
                    );
                }
                environment
            });
            load(DEFAULT_MXCSR);
            Self { mxcsr, x87 }
        }

        /// Sets this environment.
        pub fn restore(&self) {
            load(self.mxcsr);
            if let Some(environment) = &self.x87 {
                // SAFETY: these 28 bytes came from FNSTENV.
                unsafe {
                    asm!(
                        "fldenv [{}]",
                        in(reg) &raw const *environment,
                        options(nostack, preserves_flags)
                    );
                }
            }
        }
    }

    fn load(mxcsr: u32) {
        // SAFETY: the value is the default, or came from STMXCSR. Flags that are set and not
        // masked do not trap when they are loaded.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack, preserves_flags));
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod processor {
    use core::arch::asm;

    /// The environment of a thread. All zeros is the default: no traps, to nearest, subnormal
    /// numbers as they are, no flags.
    #[derive(Debug, Clone, Copy, Default)]
    pub struct Environment {
        fpcr: u64,
        fpsr: u64,
    }

    impl Environment {
        /// Sets the default and gives what was there.
        pub fn exchange() -> Self {
            let (fpcr, fpsr);
            // SAFETY: reads two registers that every process may read.
            unsafe {
                asm!("mrs {}, fpcr", out(reg) fpcr, options(nostack, preserves_flags));
                asm!("mrs {}, fpsr", out(reg) fpsr, options(nostack, preserves_flags));
            }
            Self::default().restore();
            Self { fpcr, fpsr }
        }

        /// Sets this environment.
        pub fn restore(&self) {
            // SAFETY: the values are zero or were read from these registers.
            unsafe {
                asm!("msr fpcr, {}", in(reg) self.fpcr, options(nostack, preserves_flags));
                asm!("msr fpsr, {}", in(reg) self.fpsr, options(nostack, preserves_flags));
            }
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod processor {
    /// Nothing is known of the environment here.
    #[derive(Debug, Clone, Copy, Default)]
    pub struct Environment;

    impl Environment {
        /// Nothing changes.
        pub fn exchange() -> Self {
            Self
        }

        /// Nothing changes.
        pub fn restore(&self) {}
    }
}
