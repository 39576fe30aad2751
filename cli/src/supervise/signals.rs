//! Signals of a supervising process: passed on to the child, and those that end it.

pub use platform::{Forwarder, kill, name, separate};

#[cfg(unix)]
mod platform {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, ExitStatus};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

    /// Puts a child into a process group of its own: the terminal's signals reach it by way of the
    /// parent only, and all that it starts can be ended together.
    pub fn separate(command: &mut Command) {
        command.process_group(0);
    }

    fn group(child: &Child) -> Pid {
        // Process numbers are positive and fit.
        Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX))
    }

    /// Ends a child and what it has started.
    pub fn kill(child: &mut Child) {
        let _ = killpg(group(child), Signal::SIGKILL);
        // If it has left its group.
        let _ = child.kill();
    }

    /// Passes signals on.
    #[derive(Debug)]
    pub struct Forwarder {
        count: Arc<AtomicUsize>,
        last: Arc<AtomicI32>,
    }

    impl Forwarder {
        /// Passes signals on to `child` from now on.
        pub fn new(child: &Child) -> Self {
            let out = Self {
                count: Arc::default(),
                last: Arc::default(),
            };
            let (count, last) = (Arc::clone(&out.count), Arc::clone(&out.last));
            let group = group(child);
            let wanted = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGTSTP];
            let wanted = wanted.map(|signal| signal as i32);
            // Where signals cannot be caught they end this process, and the child with it.
            if let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) {
                std::thread::spawn(move || {
                    for number in signals.forever() {
                        if number == Signal::SIGTSTP as i32 {
                            pause(group);
                            continue;
                        }
                        last.store(number, Ordering::SeqCst);
                        count.fetch_add(1, Ordering::SeqCst);
                        if let Ok(signal) = Signal::try_from(number) {
                            let _ = killpg(group, signal);
                        }
                    }
                });
            }
            out
        }

        /// How many requests to end there have been.
        pub fn count(&self) -> usize {
            self.count.load(Ordering::SeqCst)
        }

        /// The exit status if the child ended because a signal was passed on.
        pub fn explain(&self, status: ExitStatus) -> Option<u8> {
            let asked = self.last.load(Ordering::SeqCst);
            let at_once = self.count() > 1 && status.signal() == Some(Signal::SIGKILL as i32);
            let obeyed = status.signal() == Some(asked) || status.code() == Some(128 + asked);
            (asked != 0 && (obeyed || at_once))
                .then(|| u8::try_from(128 + asked).unwrap_or(u8::MAX))
        }
    }

    /// Stops both processes until they are continued.
    fn pause(group: Pid) {
        let _ = killpg(group, Signal::SIGSTOP);
        let _ = signal_hook::low_level::emulate_default_handler(Signal::SIGTSTP as i32);
        // This process was continued by a signal.
        let _ = killpg(group, Signal::SIGCONT);
    }

    /// The signal that ended a process, in words.
    pub fn name(status: ExitStatus) -> Option<String> {
        let number = status.signal()?;
        let Ok(signal) = Signal::try_from(number) else {
            return Some(format!("signal {number}"));
        };
        let meaning = match signal {
            Signal::SIGABRT => " (it gave up by itself)",
            Signal::SIGSEGV => " (access to memory that is not there)",
            Signal::SIGBUS => " (access to memory that cannot be reached)",
            Signal::SIGFPE => " (arithmetic that is trapped)",
            Signal::SIGILL => " (an instruction that this processor does not know)",
            Signal::SIGKILL => " (from outside, perhaps for want of memory)",
            _ => "",
        };
        Some(format!("{}{meaning}", signal.as_str()))
    }
}

/// Elsewhere the terminal tells all processes, and the child ends by itself.
#[cfg(not(unix))]
mod platform {
    use std::process::{Child, Command, ExitStatus};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    pub fn separate(_: &mut Command) {}

    /// Ends a child.
    pub fn kill(child: &mut Child) {
        let _ = child.kill();
    }

    /// Outlives the signals that the child gets, too.
    #[derive(Debug)]
    pub struct Forwarder(Arc<AtomicUsize>);

    impl Forwarder {
        pub fn new(_: &Child) -> Self {
            let count = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&count);
            let _ = ctrlc::set_handler(move || {
                counted.fetch_add(1, Ordering::SeqCst);
            });
            Self(count)
        }

        pub fn count(&self) -> usize {
            self.0.load(Ordering::SeqCst)
        }

        pub fn explain(&self, _: ExitStatus) -> Option<u8> {
            (self.count() > 0).then_some(crate::failure::STOPPED)
        }
    }

    /// Exceptions are numbers here.
    pub fn name(status: ExitStatus) -> Option<String> {
        let code = status.code().filter(|code| *code < 0)?;
        Some(format!("exception {:#010x}", code as u32))
    }
}
