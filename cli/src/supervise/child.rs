//! The process that runs foreign code.

use super::message::Message;
use softdock_fmi::import::{Call, Watcher, remove_unpacked, set_watcher};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Time between signs of life.
const TICK: Duration = Duration::from_millis(100);

/// The way to the parent, and the calls that have not returned.
#[derive(Debug)]
pub struct Channel {
    pipe: Mutex<File>,
    calls: Mutex<Calls>,
}

#[derive(Debug, Default)]
struct Calls {
    next: u64,
    running: BTreeMap<u64, Call>,
}

static CHANNEL: OnceLock<Channel> = OnceLock::new();

/// The way to the parent, if this process has one that watches over it.
pub fn channel() -> Option<&'static Channel> {
    CHANNEL.get()
}

/// Begins to tell the parent what happens.
pub fn begin(pipe: File) {
    let channel = CHANNEL.get_or_init(|| Channel {
        pipe: Mutex::new(pipe),
        calls: Mutex::default(),
    });
    end_with_parent();
    set_watcher(channel);
    std::thread::spawn(move || {
        loop {
            channel.tell(&channel.sign_of_life());
            std::thread::sleep(TICK);
        }
    });
}

/// A parent that is killed cannot end this process; the system does it instead.
#[cfg(target_os = "linux")]
fn end_with_parent() {
    use nix::sys::{prctl::set_pdeathsig, signal::Signal};
    // Where this fails the broken pipe ends the process.
    let _ = set_pdeathsig(Signal::SIGKILL);
}

/// The broken pipe ends the process.
#[cfg(not(target_os = "linux"))]
fn end_with_parent() {}

/// The work is done; what follows is a regular end with this status.
pub fn finished(status: ExitCode) {
    if let Some(channel) = channel() {
        let number = (0..=u8::MAX).find(|&number| ExitCode::from(number) == status);
        channel.tell(&Message::Finished(number.unwrap_or_default()));
    }
}

/// Tells where rows are kept.
pub fn rows_go_to(partial: &Path) {
    if let Some(channel) = channel() {
        channel.tell(&Message::Rows(partial.to_owned()));
    }
}

impl Channel {
    fn tell(&self, message: &Message) {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        if pipe.write_all(&message.line()).is_err() {
            // The parent has gone: nothing can report the end of the run.
            remove_unpacked();
            std::process::exit(crate::failure::FAILED.into());
        }
    }

    fn sign_of_life(&self) -> Message {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        match calls.running.first_key_value() {
            Some((number, call)) => Message::Inside(*number, call.to_string()),
            None => Message::Outside,
        }
    }
}

impl Watcher for Channel {
    fn enter(&self, call: Call) -> u64 {
        // Reading and setting of values is told by signs of life only: it is done often.
        let brief = matches!(call, Call::Function(name) if is_brief(name));
        if !brief {
            self.tell(&Message::Call(call.to_string()));
        }
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let number = calls.next;
        calls.next += 1;
        calls.running.insert(number, call);
        number
    }

    fn leave(&self, number: u64) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.running.remove(&number);
    }
}

/// Whether a function, of either version of the standard, reads or sets values.
fn is_brief(name: &str) -> bool {
    let name_of_function = name.get("fmi2".len()..).unwrap_or_default();
    name_of_function.starts_with("Get") || name_of_function.starts_with("Set") && name != SETUP
}

/// Begins like the functions that set values, but may read files.
const SETUP: &str = "fmi2SetupExperiment";
