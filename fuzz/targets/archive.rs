//! FMUs on disk: whatever the bytes, the archive is read or refused with a message.

#![no_main]

use libfuzzer_sys::fuzz_target;
use softdock_fmu::ModelKind;
use softdock_fmi::import::{Contents, FmuArchive};
use softdock_fmi::package::{FmiVersion, TargetSystem, pack};
use std::path::PathBuf;
use std::sync::LazyLock;

static FILE: LazyLock<PathBuf> = LazyLock::new(|| softdock_fuzz::folder("archive").join("x.fmu"));

/// Our FMUs with something else in place of the library: loading it fails, as it must.
fn seeds() -> Vec<Vec<u8>> {
    let one = |kind: ModelKind| pack(kind.packaged(), FmiVersion::Two, b"no library", TargetSystem::HERE).expect("an FMU");
    ModelKind::ALL.into_iter().map(one).collect()
}

fuzz_target!(
    init: { softdock_fuzz::write_seeds(seeds) },
    |bytes: &[u8]| {
        std::fs::write(&*FILE, bytes).expect("the file");
        if Contents::read(&FILE).is_ok() {
            // Unpacks it; what is in place of the library is none.
            assert!(FmuArchive::open(&FILE).is_err());
        }
    }
);
