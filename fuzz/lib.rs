//! What the fuzz targets share: seeds, and a file to hand bytes over in.

use std::fs;
use std::path::{Path, PathBuf};

/// Names the folder that a target writes its seeds to, instead of being run.
pub const SEEDS: &str = "SOFTDOCK_FUZZ_SEEDS";

/// Writes the seeds and ends the process, if that is what is asked for.
///
/// # Panics
///
/// If the seeds cannot be made or written.
pub fn write_seeds<B: AsRef<[u8]>>(seeds: impl FnOnce() -> Vec<B>) {
    let Some(folder) = std::env::var_os(SEEDS) else {
        return;
    };
    for (number, seed) in seeds().iter().enumerate() {
        let path = Path::new(&folder).join(format!("seed-{number}"));
        fs::write(path, seed).expect("a seed cannot be written");
    }
    std::process::exit(0);
}

/// A folder of this process, in memory where there is such a place; left to `run.sh` to remove.
///
/// # Panics
///
/// If it cannot be made.
pub fn folder(name: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() {
        memory.to_path_buf()
    } else {
        std::env::temp_dir()
    };
    let path = base.join(format!("softdock-fuzz-{name}-{}", std::process::id()));
    fs::create_dir_all(&path).expect("a folder cannot be made");
    path
}
