//! Tells the program which commit it was built from. Without git, or outside of a checkout, it knows its
//! version alone; `SOFTDOCK_COMMIT` then says which commit it is, if a packager sets it.

use std::path::Path;
use std::process::Command;

/// Folders whose files make the program.
const PARTS: [&str; 16] = [
    "Cargo.lock",
    "cli/src",
    "control/src",
    "docking/src",
    "figures/src",
    "fmi/src",
    "fmu/src",
    "leg-core/src",
    "mechanism/src",
    "multibody/src",
    "platform/src",
    "report/src",
    "scenarios",
    "settings/src",
    "study/src",
    "validation/src",
];

fn git(arguments: &[&str]) -> Option<String> {
    let out = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    out.status.success().then(|| text.trim().to_owned())
}

/// The commit, with a mark if files differ from it.
fn commit() -> Option<String> {
    if let Ok(told) = std::env::var("SOFTDOCK_COMMIT") {
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
        return (!told.is_empty() && told.chars().all(fine)).then_some(told);
    }
    // A checkout of something else, in which the sources happen to lie, is none of this program.
    let root = Path::new("..").canonicalize().ok()?;
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != root {
        return None;
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    for file in ["HEAD", "index"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let mut status = vec!["status", "--porcelain", "--untracked-files=no", "--"];
    let parts: Vec<String> = PARTS.iter().map(|part| format!(":/{part}")).collect();
    status.extend(parts.iter().map(String::as_str));
    let changed = git(&status).is_none_or(|list| !list.is_empty());
    Some(if changed {
        format!("{commit}.modified")
    } else {
        commit
    })
}

fn main() {
    println!("cargo::rerun-if-env-changed=SOFTDOCK_COMMIT");
    for part in PARTS {
        println!("cargo::rerun-if-changed=../{part}");
    }
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match commit() {
        Some(commit) => format!("{version}+{commit}"),
        None => version,
    };
    println!("cargo::rustc-env=SOFTDOCK_VERSION={version}");
}
