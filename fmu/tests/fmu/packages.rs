//! The archive: what is in it, what another reader makes of it, what merging does.

use crate::support::Folder;
use softdock_fmi::import::{Contents, FmuArchive, Options};
use softdock_fmi::package::{FmiVersion, PackageError, TargetSystem, merge, pack};
use softdock_fmu::ModelKind;
use softdock_fmu_library::LIBRARY;
use std::path::PathBuf;

const OTHER: TargetSystem = TargetSystem::WINDOWS_64;

fn write(folder: &Folder, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.0.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn an_fmu_has_all_its_parts() {
    let folder = Folder::new("parts");
    for kind in ModelKind::ALL {
        let bytes = pack(
            kind.packaged(),
            FmiVersion::Two,
            LIBRARY,
            TargetSystem::HERE,
        )
        .unwrap();
        assert_eq!(
            bytes,
            pack(
                kind.packaged(),
                FmiVersion::Two,
                LIBRARY,
                TargetSystem::HERE
            )
            .unwrap()
        );
        let path = write(&folder, kind.name(), &bytes);
        let contents = Contents::read(&path).unwrap();
        let names: Vec<&str> = contents
            .files
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let binary = TargetSystem::HERE.binary(FmiVersion::Two, kind.name());
        let wanted = [
            "modelDescription.xml",
            "model.png",
            "documentation/index.html",
            "documentation/licenses/LICENSE-MIT",
            "documentation/licenses/LICENSE-APACHE",
            &binary,
        ];
        assert_eq!(names, wanted);
        assert!(contents.files.iter().all(|(_, size)| *size > 0));
        assert_eq!(contents.description, kind.description().unwrap());
    }
}

#[test]
fn platforms_are_merged_and_others_refused() {
    let folder = Folder::new("merge");
    let kind = ModelKind::LegPlanar;
    let here = pack(
        kind.packaged(),
        FmiVersion::Two,
        LIBRARY,
        TargetSystem::HERE,
    )
    .unwrap();
    let here = write(&folder, "here.fmu", &here);
    let there = write(
        &folder,
        "there.fmu",
        &pack(kind.packaged(), FmiVersion::Two, b"MZ", OTHER).unwrap(),
    );
    let both = write(&folder, "both.fmu", &merge(&[here.clone(), there]).unwrap());
    let names: Vec<String> = Contents::read(&both)
        .unwrap()
        .files
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    for platform in [TargetSystem::HERE, OTHER] {
        assert!(
            names.contains(&platform.binary(FmiVersion::Two, "LegPlanar")),
            "{names:?}"
        );
    }
    let fmu = FmuArchive::open(&both).unwrap();
    fmu.instantiate("leg", &Options::default())
        .unwrap()
        .initialize(0.0, None)
        .unwrap();
    // The same twice is no conflict; another binary for the same platform is.
    merge(&[both.clone(), here.clone()]).unwrap();
    let changed = write(
        &folder,
        "changed.fmu",
        &pack(
            kind.packaged(),
            FmiVersion::Two,
            b"other",
            TargetSystem::HERE,
        )
        .unwrap(),
    );
    let conflict = merge(&[here.clone(), changed]).unwrap_err();
    assert!(
        matches!(conflict, PackageError::Conflict { .. }),
        "{conflict}"
    );
    let spatial = pack(
        ModelKind::LegSpatial.packaged(),
        FmiVersion::Two,
        b"MZ",
        OTHER,
    )
    .unwrap();
    let spatial = write(&folder, "spatial.fmu", &spatial);
    let different = merge(&[here.clone(), spatial]).unwrap_err();
    assert!(
        matches!(different, PackageError::DifferentModels { .. }),
        "{different}"
    );
    assert!(matches!(
        merge(&[here]),
        Err(PackageError::TooFew { found: 1 })
    ));
}

#[test]
fn files_that_are_no_fmus_are_refused_with_their_reason() {
    let folder = Folder::new("refused");
    let open = |path: &PathBuf| FmuArchive::open(path).unwrap_err().to_string();
    assert!(open(&folder.0.join("absent.fmu")).contains("absent.fmu"));
    assert!(open(&write(&folder, "text.fmu", b"hello")).contains("is no FMU"));
    let other = write(
        &folder,
        "other.fmu",
        &pack(
            ModelKind::LegPlanar.packaged(),
            FmiVersion::Two,
            b"MZ",
            OTHER,
        )
        .unwrap(),
    );
    let message = open(&other);
    assert!(message.contains("win64/LegPlanar.dll"), "{message}");
    let broken = pack(
        ModelKind::LegPlanar.packaged(),
        FmiVersion::Two,
        b"no library",
        TargetSystem::HERE,
    )
    .unwrap();
    let message = open(&write(&folder, "broken.fmu", &broken));
    assert!(message.contains("cannot be loaded"), "{message}");
}

#[test]
fn the_unpacked_library_goes_with_its_last_instance() {
    let folder = Folder::new("unpacked");
    let bytes = pack(
        ModelKind::LegPlanar.packaged(),
        FmiVersion::Two,
        LIBRARY,
        TargetSystem::HERE,
    )
    .unwrap();
    let path = write(&folder, "leg.fmu", &bytes);
    let here = || {
        let mine = format!("softdock-fmu-{}-", std::process::id());
        let entries = std::fs::read_dir(std::env::temp_dir()).unwrap();
        entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.starts_with(&mine))
            .collect::<std::collections::BTreeSet<String>>()
    };
    let fmu = FmuArchive::open(&path).unwrap();
    let mut leg = fmu.instantiate("leg", &Options::default()).unwrap();
    drop(fmu);
    leg.initialize(0.0, None).unwrap();
    let with = here();
    drop(leg);
    // Other tests unpack and remove meanwhile.
    assert!(with.difference(&here()).count() >= 1);
}
