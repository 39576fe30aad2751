//! Results depend on the program alone: not on the C library, not on the processor.

use crate::support::{Folder, timeless};
use std::process::Command;

/// Hides the fused instructions from the C library, which then takes other code for its functions.
const RESTRICTED: (&str, &str) = ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-FMA");

/// A docking turned about every axis, with laws that need powers, exponentials and hyperbolic
/// functions. With the functions of the C library its rows differed from the 55th on.
const SCENARIO: [&str; 9] = [
    "--set",
    "misalignment.roll_deg=33",
    "--set",
    "misalignment.yaw_deg=7",
    "--set",
    "contact.friction.law=brown_mcphee",
    "--set",
    "duration_s=0.2",
    "--json",
];

#[test]
fn a_docking_does_not_depend_on_features_of_the_processor() {
    let folder = Folder::new("bits");
    let run = |name: &str, restricted: bool| {
        let mut command = folder.command(&[&SCENARIO[..], &["--out", name]].concat());
        if restricted {
            command.env(RESTRICTED.0, RESTRICTED.1);
        }
        let output = command.output().unwrap();
        assert!(output.status.success());
        let summary = timeless(folder.json(&format!("{name}/summary.json")));
        let file = |file: &str| folder.file(&format!("{name}/{file}"));
        // The only figure of a page that no two runs share.
        let page = file("report.html");
        let page: Vec<String> = page
            .lines()
            .filter(|line| !line.contains("wall time"))
            .map(str::to_owned)
            .collect();
        (file("run.csv"), file("config.toml"), summary, page)
    };
    let (all, fewer) = (run("all", false), run("fewer", true));
    assert!(all.2["peak_contact_force_n"].as_f64().unwrap() > 10.0);
    assert!(all.0 == fewer.0, "run.csv differs");
    assert!(all.1 == fewer.1, "config.toml differs");
    assert_eq!(all.2, fewer.2);
    assert!(all.3 == fewer.3, "report.html differs");
    if !library_depends_on_processor() {
        eprintln!("this C library does not choose its functions by the processor");
    }
}

/// True if the restriction changes what the C library computes here: whether the test above can
/// tell anything on this machine.
fn library_depends_on_processor() -> bool {
    let bits = |restricted: bool| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([
            "--exact",
            "bits::bits_of_the_c_library",
            "--ignored",
            "--nocapture",
        ]);
        if restricted {
            command.env(RESTRICTED.0, RESTRICTED.1);
        }
        let said = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let line = said.lines().find(|line| line.contains("bits:")).unwrap();
        line.to_owned()
    };
    bits(false) != bits(true)
}

#[test]
#[ignore = "run by the test above in a process of its own"]
fn bits_of_the_c_library() {
    let sum = (1..100_000).map(|i| (f64::from(i) * 1e-4).sin().to_bits());
    let sum = sum.fold(0_u64, |sum, bits| sum.rotate_left(1) ^ bits);
    println!("bits: {sum:x}");
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod imports {
    use crate::support::Folder;
    use std::collections::BTreeSet;
    use std::io::Read;
    use std::process::Command;

    /// Functions of the C library whose results are not exact, so that they differ from one to the
    /// next.
    const INEXACT: [&str; 24] = [
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "exp",
        "exp2", "expm1", "hypot", "log", "log10", "log1p", "log2", "pow", "sin", "sincos", "sinh",
        "tan", "tanh",
    ];

    /// What the library of Parquet tables asks for: the size of Bloom filters and the digits of
    /// decimal numbers, neither of which is written.
    const OF_TABLES: [&str; 3] = ["log", "log10", "pow"];

    fn number(bytes: &[u8], at: usize, size: usize) -> usize {
        let mut word = [0; 8];
        word[..size].copy_from_slice(&bytes[at..at + size]);
        usize::try_from(u64::from_le_bytes(word)).unwrap()
    }

    /// Names of the symbols that a 64-bit ELF file wants from others.
    fn imported(file: &[u8]) -> BTreeSet<String> {
        assert_eq!(&file[..6], b"\x7fELF\x02\x01");
        let (table, size, count) = (
            number(file, 0x28, 8),
            number(file, 0x3a, 2),
            number(file, 0x3c, 2),
        );
        let section =
            |i: usize, field: usize, width: usize| number(file, table + i * size + field, width);
        const DYNAMIC_SYMBOLS: usize = 11;
        let symbols = (0..count)
            .find(|&i| section(i, 4, 4) == DYNAMIC_SYMBOLS)
            .unwrap();
        let strings = section(section(symbols, 0x28, 4), 0x18, 8);
        let (start, length) = (section(symbols, 0x18, 8), section(symbols, 0x20, 8));
        let entries = (start..start + length).step_by(24);
        let undefined = entries.filter(|&entry| number(file, entry + 6, 2) == 0);
        let names = undefined.map(|entry| {
            let name = &file[strings + number(file, entry, 4)..];
            let end = name.iter().position(|&byte| byte == 0).unwrap();
            String::from_utf8(name[..end].to_vec()).unwrap()
        });
        names.collect()
    }

    fn inexact(file: &[u8]) -> Vec<String> {
        let all = imported(file);
        assert!(all.contains("malloc"), "no list of imports: {all:?}");
        let found = all
            .into_iter()
            .filter(|name| INEXACT.contains(&name.as_str()));
        found.collect()
    }

    #[test]
    fn the_program_imports_no_inexact_function() {
        let program = std::fs::read(env!("CARGO_BIN_EXE_softdock")).unwrap();
        let found = inexact(&program);
        let unexpected: Vec<_> = found
            .iter()
            .filter(|name| !OF_TABLES.contains(&name.as_str()))
            .collect();
        assert!(unexpected.is_empty(), "{unexpected:?}");
    }

    #[test]
    fn fmus_import_no_inexact_function() {
        let folder = Folder::new("imports");
        let mut export = Command::new(env!("CARGO_BIN_EXE_softdock"));
        export
            .args(["fmu", "export", "--model", "LegSpatial", "--out", "."])
            .current_dir(&folder.0);
        let output = export.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let file = std::fs::File::open(folder.0.join("LegSpatial.fmu")).unwrap();
        let mut archive = zip::ZipArchive::new(file).unwrap();
        let mut library = Vec::new();
        let mut entry = archive.by_name("binaries/linux64/LegSpatial.so").unwrap();
        entry.read_to_end(&mut library).unwrap();
        assert_eq!(inexact(&library), [""; 0]);
    }
}
