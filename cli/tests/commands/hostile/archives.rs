//! What an FMU says about itself: names and sizes.

use super::*;
use flate2::{Compress, Compression, Crc, FlushCompress};
use std::process::Output;

/// Names that must not become paths.
const NAMES: [&str; 9] = [
    "../../evil",
    "/etc/evil",
    "..",
    "a/../../evil",
    "a\\..\\evil",
    "CON",
    "nul.csv",
    "C:evil",
    "x&#10;y",
];

#[test]
fn the_name_of_a_model_never_becomes_a_path() {
    for name in NAMES {
        let Some(folder) = folder_with(name) else {
            return;
        };
        let below = folder.path.join("x/y/z");
        fs::create_dir_all(&below).unwrap();
        fs::rename(folder.path.join("model.fmu"), below.join("model.fmu")).unwrap();
        let mut command = folder.command(&simulate("behaviour=0", &["--out", "o", "--json"]));
        let output = command.current_dir(&below).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{name}: {message}");
        let listed = |path: &Path| {
            let entries = fs::read_dir(path).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        assert_eq!(listed(&folder.path), ["x"], "{name}");
        assert_eq!(listed(&folder.path.join("x")), ["y"], "{name}");
        assert_eq!(listed(&folder.path.join("x/y")), ["z"], "{name}");
        assert_eq!(listed(&below), ["model.fmu", "o"], "{name}");
        let written = listed(&below.join("o"));
        assert_eq!(written.len(), 2, "{name}: {written:?}");
        assert!(written.contains(&"summary.json".to_owned()));
        assert!(
            written
                .iter()
                .any(|one| one.ends_with(".csv") && !one.starts_with("nul"))
        );
    }
}

#[test]
fn the_identifier_of_a_model_never_becomes_a_path() {
    for identifier in ["../../../evil", "/tmp/evil", "a/b", "..", "NUL", "a\\b"] {
        let folder = Folder::new();
        let xml = description("Hostile", identifier);
        let binary = TargetSystem::HERE.binary(FmiVersion::Two, identifier);
        let files = [("modelDescription.xml", xml.as_bytes()), (&*binary, b"x")];
        pack(&folder.path.join("model.fmu"), &files);
        let message = folder.refused(2, &simulate("behaviour=0", &[]));
        let refused = message.contains("is no name of a file") || message.contains("leads out");
        assert!(refused, "{identifier}: {message}");
        assert_eq!(folder.names(), ["model.fmu"]);
    }
}

#[test]
fn merging_keeps_hostile_names_inside_its_folder() {
    let Some(folder) = folder_with("../evil") else {
        return;
    };
    fs::copy(folder.path.join("model.fmu"), folder.path.join("b.fmu")).unwrap();
    folder.stdout(&["fmu", "merge", "model.fmu", "b.fmu", "--out", "o"]);
    assert_eq!(folder.names(), ["b.fmu", "model.fmu", "o"]);
    assert!(folder.path.join("o/_._evil.fmu").exists());
}

/// The files of a complete FMU, and one more.
fn with_entry(folder: &Folder, name: &str, content: &[u8]) {
    let xml = description("Hostile", "model");
    let binary = TargetSystem::HERE.binary(FmiVersion::Two, "model");
    let files = [
        ("modelDescription.xml", xml.as_bytes()),
        (&*binary, library().unwrap_or_default()),
        (name, content),
    ];
    pack(&folder.path.join("model.fmu"), &files);
}

#[test]
fn entries_that_lead_out_of_the_folder_are_refused() {
    for name in [
        "../evil",
        "resources/../../evil",
        "/evil",
        "resources\\..\\..\\evil",
        "C:\\evil",
        "documentation/../../evil",
    ] {
        let folder = Folder::new();
        with_entry(&folder, name, b"x");
        let message = folder.refused(2, &simulate("behaviour=0", &[]));
        assert!(
            message.contains("leads out of the folder"),
            "{name}: {message}"
        );
        let shown = folder.stdout(&["fmu", "inspect", "model.fmu"]);
        assert!(shown.contains("would not be unpacked"), "{shown}");
        let message = folder.refused(2, &["fmu", "merge", "model.fmu", "model.fmu"]);
        assert!(
            message.contains("leads out of the folder"),
            "{name}: {message}"
        );
    }
}

#[test]
fn symbolic_links_and_files_that_are_there_twice_are_refused() {
    let folder = Folder::new();
    let path = folder.path.join("model.fmu");
    let xml = description("Hostile", "model");
    let binary = TargetSystem::HERE.binary(FmiVersion::Two, "model");
    let options = SimpleFileOptions::default();
    let mut writer = ZipWriter::new(File::create(&path).unwrap());
    for (name, content) in [("modelDescription.xml", xml.as_bytes()), (&*binary, b"x")] {
        writer.start_file(name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer
        .add_symlink("resources/link", "/etc/passwd", options)
        .unwrap();
    writer.finish().unwrap();
    let message = folder.refused(2, &simulate("behaviour=0", &[]));
    assert!(
        message.contains("\"resources/link\" is a symbolic link"),
        "{message}"
    );
    let twice = [
        ("modelDescription.xml", xml.as_bytes()),
        (&*binary, b"x"),
        ("resources/a", b"1"),
        ("resources//a", b"2"),
    ];
    pack(&path, &twice);
    let message = folder.refused(2, &simulate("behaviour=0", &[]));
    assert!(message.contains("is there twice"), "{message}");
}

/// Bytes of a piece of zeros, and how often it is repeated.
const PIECE: usize = 16 << 20;
const PIECES: usize = 255;

/// Zeros, packed: a stream of deflate that unpacks to 255 times 16 MiB, nearly 4 GiB.
fn packed_zeros() -> Vec<u8> {
    let mut compress = Compress::new(Compression::best(), false);
    let mut piece = Vec::with_capacity(1 << 20);
    let zeros = vec![0; PIECE];
    compress
        .compress_vec(&zeros, &mut piece, FlushCompress::Full)
        .unwrap();
    assert_eq!(compress.total_in(), PIECE as u64);
    let mut out = piece.repeat(PIECES);
    // An empty last block.
    out.extend([3, 0]);
    out
}

/// An archive written by hand, whose entries declare what they like: name, packed bytes, declared
/// size, method.
fn raw_archive(entries: &[(&str, &[u8], u32, u16)]) -> Vec<u8> {
    let (mut out, mut list) = (Vec::new(), Vec::new());
    for (name, data, declared, method) in entries {
        let offset = u32::try_from(out.len()).unwrap();
        let mut header = Vec::new();
        header.extend(20_u16.to_le_bytes());
        header.extend(0_u16.to_le_bytes());
        header.extend(method.to_le_bytes());
        header.extend([0; 4]);
        let mut checksum = Crc::new();
        checksum.update(data);
        header.extend(checksum.sum().to_le_bytes());
        header.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
        header.extend(declared.to_le_bytes());
        header.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        header.extend(0_u16.to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&header);
        out.extend(name.as_bytes());
        out.extend(*data);
        list.extend(b"PK\x01\x02");
        list.extend(20_u16.to_le_bytes());
        list.extend(&header);
        list.extend([0; 10]);
        list.extend(offset.to_le_bytes());
        list.extend(name.as_bytes());
    }
    let (start, size) = (out.len() as u32, list.len() as u32);
    let count = u16::try_from(entries.len()).unwrap();
    out.extend(&list);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

/// Runs where no file may grow beyond 1 MiB: more would end the process with SIGXFSZ.
fn within_a_megabyte(folder: &Folder, more: &[&str]) -> Output {
    let arguments = simulate("behaviour=0", more);
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -f 2048; exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_softdock"))
        .args(arguments)
        .current_dir(&folder.path);
    command.output().unwrap()
}

#[test]
fn a_bomb_is_refused_before_it_goes_off() {
    let folder = Folder::new();
    let zeros = packed_zeros();
    assert!(zeros.len() < 5_000_000);
    let size = u32::try_from(PIECE * PIECES).unwrap();
    let xml = description("Hostile", "model");
    let length = u32::try_from(xml.len()).unwrap();
    let binary = TargetSystem::HERE.binary(FmiVersion::Two, "model");
    let write = |bomb: (&str, u32)| {
        let entries = [
            ("modelDescription.xml", xml.as_bytes(), length, 0),
            (&*binary, b"x", 1, 0),
            (bomb.0, &zeros, bomb.1, 8),
        ];
        fs::write(folder.path.join("model.fmu"), raw_archive(&entries)).unwrap();
    };
    write(("resources/zeros", size));
    for (more, expected) in [
        (
            &[][..],
            "unpacks to 4278190080 bytes, more than the 1073741824 allowed (--max-entry-mb",
        ),
        (
            &["--max-entry-mb", "8000"],
            "more than the 200 times allowed (--max-ratio",
        ),
        (
            &["--max-entry-mb", "8000", "--max-ratio", "2000"],
            "unpacks to more than the 2147483648 bytes allowed (--max-unpacked-mb",
        ),
        (
            &["--max-entries", "2"],
            "it has 3 entries, more than the 2 allowed (--max-entries",
        ),
    ] {
        let output = within_a_megabyte(&folder, more);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(expected), "{message}");
    }
    // One that lies about its size gives no more than it declares, nor does a description.
    for (bomb, declared) in [("resources/zeros", 1000), ("resources/zeros", 0)] {
        write((bomb, declared));
        let output = within_a_megabyte(&folder, &[]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        // The library for archives may notice first.
        let noticed = ["and has more", "larger than its declared"];
        let noticed = noticed.iter().any(|text| message.contains(text));
        assert!(
            noticed && message.contains("\"resources/zeros\""),
            "{message}"
        );
    }
    let entries = [("modelDescription.xml", &*zeros, size, 8)];
    fs::write(folder.path.join("model.fmu"), raw_archive(&entries)).unwrap();
    for command in ["inspect", "simulate"] {
        let message = folder.refused(2, &["fmu", command, "model.fmu"]);
        assert!(
            message.contains("more than the 268435456 allowed"),
            "{message}"
        );
    }
    assert_eq!(folder.names(), ["model.fmu"]);
}
