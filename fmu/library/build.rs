//! Builds the library that goes into FMUs, so that programs can carry it: an installed `softdock`
//! needs nothing else to export one.
//!
//! The library is built by a cargo of its own, in a folder of its own and always optimised,
//! without symbols and without the flags of the build around it (those of lints, coverage or this
//! machine's processor have no place in a file that goes to other machines). It is built again
//! only when its sources change. `SOFTDOCK_FMU_LIBRARY=FILE` takes a library that was built
//! elsewhere, for instance on an older system.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders of the workspace that the library is made of.
const CRATES: [&str; 14] = [
    "settings",
    "figures",
    "report",
    "multibody",
    "control",
    "leg-core",
    "platform",
    "docking",
    "mechanism",
    "mechanisms",
    "xml",
    "fmi",
    "fmu/legs",
    "fmu",
];
const GIVEN: &str = "SOFTDOCK_FMU_LIBRARY";

fn main() -> Result<(), String> {
    println!("cargo::rerun-if-env-changed={GIVEN}");
    let library = match env::var_os(GIVEN).filter(|path| !path.is_empty()) {
        Some(path) => {
            // One that is built here is not watched: it is newer than this program's start, and
            // everything that carries it would be built once more.
            watch(Path::new(&path));
            PathBuf::from(path)
        }
        None => build()?,
    };
    if !library.is_file() {
        return Err(format!("there is no FMU library {}", library.display()));
    }
    println!(
        "cargo::rustc-env=SOFTDOCK_EMBEDDED_LIBRARY={}",
        library.display()
    );
    Ok(())
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|error| format!("{name}: {error}"))
}

/// Builds the library and gives its path.
fn build() -> Result<PathBuf, String> {
    let here = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let workspace = here.ancestors().nth(2).ok_or("there is no workspace")?;
    for name in CRATES {
        let folder = workspace.join(name);
        if folder.join("src").is_dir() {
            watch(&folder.join("src"));
            watch(&folder.join("Cargo.toml"));
        } else {
            watch(&folder);
        }
    }
    watch(&workspace.join("Cargo.toml"));
    watch(&workspace.join("Cargo.lock"));
    let folder = Path::new(&variable("OUT_DIR")?).join("fmu-library");
    let target = variable("TARGET")?;
    let status = Command::new(variable("CARGO")?)
        .current_dir(workspace)
        .args(["rustc", "--release", "--locked", "--quiet"])
        .args([
            "--package",
            "softdock-fmu",
            "--lib",
            "--no-default-features",
        ])
        .args(["--crate-type", "cdylib", "--target", &target])
        .arg("--target-dir")
        .arg(&folder)
        .args(linker_arguments(&target))
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
        .env("CARGO_PROFILE_RELEASE_PANIC", "unwind")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .status()
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !status.success() {
        return Err(format!("the FMU library could not be built: {status}"));
    }
    let name = match variable("CARGO_CFG_TARGET_OS")?.as_str() {
        "windows" => "softdock_fmu.dll",
        "macos" => "libsoftdock_fmu.dylib",
        _ => "libsoftdock_fmu.so",
    };
    Ok(folder.join(target).join("release").join(name))
}

/// Before glibc 2.34 the functions of threads were in a library of their own: asks for it.
fn linker_arguments(target: &str) -> &'static [&'static str] {
    if target == "x86_64-unknown-linux-gnu" {
        const LIBRARY: &str =
            "link-arg=-Wl,--push-state,--no-as-needed,-l:libpthread.so.0,--pop-state";
        &["--", "-C", LIBRARY]
    } else {
        &[]
    }
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}
