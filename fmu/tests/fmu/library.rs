//! The shared library: what it exports and what it needs.

use crate::support::library;
use softdock_fmu::abi::FUNCTIONS;
use softdock_fmu::package::library_beside_program;
use std::collections::BTreeSet;
use std::process::Command;

/// What a tool prints about the library; nothing, with a message, if there is no such tool.
fn tool(program: &str, arguments: &[&str]) -> Option<String> {
    let path = library_beside_program().unwrap();
    match Command::new(program).args(arguments).arg(path).output() {
        Ok(output) if output.status.success() => Some(String::from_utf8(output.stdout).unwrap()),
        Ok(output) => panic!("{program}: {}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            println!("skipped: {program} cannot be run: {error}");
            None
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_library_exports_the_functions_of_the_standard_and_no_others() {
    let Some(text) = tool("nm", &["-D", "--defined-only"]) else {
        return;
    };
    let exported: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .map(|name| name.split('@').next().unwrap())
        .collect();
    let wanted: BTreeSet<&str> = FUNCTIONS.iter().copied().collect();
    assert_eq!(exported, wanted);
}

/// Libraries that every Linux system has.
const SYSTEM: [&str; 6] = [
    "libc.so.6",
    "libm.so.6",
    "libgcc_s.so.1",
    "libpthread.so.0",
    "libdl.so.2",
    "ld-linux-x86-64.so.2",
];

#[test]
#[cfg(target_os = "linux")]
fn the_library_needs_nothing_but_the_system() {
    let Some(text) = tool("readelf", &["-d"]) else {
        return;
    };
    for line in text.lines().filter(|line| line.contains("(NEEDED)")) {
        let name = line.split(['[', ']']).nth(1).unwrap();
        assert!(SYSTEM.contains(&name), "{line}");
    }
}

#[test]
fn panics_can_be_caught_in_the_library() {
    // Built with panic = "abort", the library would not need the unwinder.
    let needle = b"_Unwind_RaiseException";
    let library = library();
    assert!(library.windows(needle.len()).any(|window| window == needle));
}
