//! The pipe from a supervised process to its parent.
//!
//! On Unix it is one more open file, whose number an environment variable tells; elsewhere it takes
//! the place of standard input, which no command reads there.

use std::fs::File;
use std::io::{self, PipeReader};
use std::process::{Child, Command};

/// Tells the child who its parent is and, on Unix, the number of the pipe.
const VARIABLE: &str = "SOFTDOCK_SUPERVISOR";

/// Starts `command` with the end of a pipe to write to; the other end is returned.
#[cfg(unix)]
pub fn spawn(command: &mut Command) -> io::Result<(Child, PipeReader)> {
    use nix::fcntl::{FcntlArg, FdFlag, fcntl};
    use std::os::fd::AsRawFd;
    let (reader, writer) = io::pipe()?;
    // It shall stay open in the child.
    fcntl(&writer, FcntlArg::F_SETFD(FdFlag::empty()))?;
    let told = format!("{}:{}", std::process::id(), writer.as_raw_fd());
    let child = command.env(VARIABLE, told).spawn()?;
    // The pipe ends when the child does.
    drop(writer);
    Ok((child, reader))
}

/// The pipe to the parent, in a process that was started with one.
#[cfg(unix)]
pub fn from_parent() -> Option<io::Result<File>> {
    let told = std::env::var(VARIABLE).ok()?;
    let (parent, pipe) = told.split_once(':')?;
    // A program that an FMU starts inherits the variable, and not the supervision.
    if parent.parse() != Ok(std::os::unix::process::parent_id()) {
        return None;
    }
    let pipe: u32 = pipe.parse().ok()?;
    Some(File::options().write(true).open(format!("/dev/fd/{pipe}")))
}

/// Starts `command` with the end of a pipe to write to; the other end is returned.
#[cfg(not(unix))]
pub fn spawn(command: &mut Command) -> io::Result<(Child, PipeReader)> {
    let (reader, writer) = io::pipe()?;
    let told = std::process::id().to_string();
    let child = command.env(VARIABLE, told).stdin(writer).spawn()?;
    // The command keeps the end to write to until something else takes its place.
    command.stdin(std::process::Stdio::null());
    Ok((child, reader))
}

/// The pipe to the parent, in a process that was started with one.
#[cfg(windows)]
pub fn from_parent() -> Option<io::Result<File>> {
    use std::os::windows::io::AsHandle;
    std::env::var(VARIABLE).ok()?;
    let handle = io::stdin().as_handle().try_clone_to_owned();
    Some(handle.map(File::from))
}

/// Processes cannot be supervised here.
#[cfg(not(any(unix, windows)))]
pub fn from_parent() -> Option<io::Result<File>> {
    None
}
