//! The shared library: what it exports and what it needs.

use softdock_fmu_library::LIBRARY;

#[cfg(target_os = "linux")]
mod linux {
    use crate::support::{Folder, skip};
    use softdock_fmi::{abi, abi3};
    use softdock_fmu_library::LIBRARY;
    use std::collections::BTreeSet;
    use std::process::Command;

    /// What a tool prints about the library; nothing, with a message, if there is no such tool.
    fn tool(test: &str, program: &str, arguments: &[&str]) -> Option<String> {
        let folder = Folder::new(&format!("{program}{}", arguments.concat()));
        let path = folder.0.join("library.so");
        std::fs::write(&path, LIBRARY).unwrap();
        match Command::new(program).args(arguments).arg(path).output() {
            Ok(output) if output.status.success() => {
                Some(String::from_utf8(output.stdout).unwrap())
            }
            Ok(output) => panic!("{program}: {}", String::from_utf8_lossy(&output.stderr)),
            Err(error) => {
                skip(test, program, &error);
                None
            }
        }
    }

    #[test]
    fn the_library_exports_the_functions_of_the_standard_and_no_others() {
        let test = "the_library_exports_the_functions_of_the_standard_and_no_others";
        let Some(text) = tool(test, "nm", &["-D", "--defined-only"]) else {
            return;
        };
        let exported: BTreeSet<&str> = text
            .lines()
            .filter_map(|line| line.split_whitespace().last())
            .map(|name| name.split('@').next().unwrap())
            .collect();
        let wanted = abi::FUNCTIONS.iter().chain(abi3::FUNCTIONS);
        let wanted: BTreeSet<&str> = wanted.copied().collect();
        assert_eq!(exported, wanted);
    }

    /// Libraries that every Linux system has.
    const SYSTEM: [&str; 5] = [
        "libc.so.6",
        "libm.so.6",
        "libgcc_s.so.1",
        "libpthread.so.0",
        "ld-linux-x86-64.so.2",
    ];

    #[test]
    fn the_library_needs_nothing_but_the_system() {
        let test = "the_library_needs_nothing_but_the_system";
        let Some(text) = tool(test, "readelf", &["-d"]) else {
            return;
        };
        for line in text.lines().filter(|line| line.contains("(NEEDED)")) {
            let name = line.split(['[', ']']).nth(1).unwrap();
            assert!(SYSTEM.contains(&name), "{line}");
        }
    }

    /// The newest glibc that the library may need.
    const GLIBC: [u32; 2] = [2, 18];

    #[test]
    #[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
    fn the_glibc_that_is_needed_is_old() {
        let test = "the_glibc_that_is_needed_is_old";
        let Some(text) = tool(test, "readelf", &["-V"]) else {
            return;
        };
        let needed = text.split("Version needs").nth(1).unwrap();
        let newest = needed
            .split_whitespace()
            .filter_map(|word| word.strip_prefix("GLIBC_"))
            .map(|version| version.split('.').map(|n| n.parse().unwrap()).collect())
            .max_by(|a: &Vec<u32>, b| a.cmp(b))
            .unwrap();
        println!("the FMUs need glibc {}.{} or newer", newest[0], newest[1]);
        assert!(newest.as_slice() <= &GLIBC[..], "{newest:?}");
    }
}

#[test]
fn panics_can_be_caught_in_the_library() {
    // Built with panic = "abort", the library would not need the unwinder.
    let needle = b"_Unwind_RaiseException";
    assert!(LIBRARY.windows(needle.len()).any(|window| window == needle));
}
