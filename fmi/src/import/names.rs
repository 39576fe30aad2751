//! Names out of FMUs as names of files.
//!
//! A model may be called anything: `../../etc/x`, `CON`, a kilobyte of letters. What such a name
//! becomes is one component of a path on every system.

/// Longest name made [bytes]; endings and marks of unfinished files find room behind it.
const LONGEST: usize = 120;

/// Names that Windows keeps for devices, whatever ending they carry.
const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];
/// The same, followed by a digit from 1 to 9.
const NUMBERED_DEVICES: [&str; 2] = ["COM", "LPT"];

/// True if `name` is one component of a path on every system, and no device.
pub(super) fn is_file_name(name: &str) -> bool {
    !name.is_empty() && file_name(name) == name
}

/// `name` as the name of a file: characters that have a meaning in paths become `_`.
///
/// ```
/// use softdock_fmi::import::file_name;
///
/// assert_eq!(file_name("LegPlanar"), "LegPlanar");
/// assert_eq!(file_name("../../home/x"), "_._.._home_x");
/// assert_eq!(file_name("nul"), "_nul");
/// ```
pub fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.+ ()[]".contains(c);
    let mut out: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect();
    if out.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&end| out.is_char_boundary(end));
        out.truncate(end.unwrap_or(0));
    }
    // Windows drops dots and blanks at the end, shells hide names that begin with a dot, and blanks
    // or hyphens at the beginning are taken for something else.
    if out.ends_with(['.', ' ']) {
        out.pop();
        out.push('_');
    }
    if out.starts_with(['.', ' ', '-']) {
        out.replace_range(..1, "_");
    }
    if out.is_empty() || is_device(&out) {
        out.insert(0, '_');
    }
    out
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let stem = stem.to_ascii_uppercase();
    DEVICES.contains(&stem.as_str())
        || NUMBERED_DEVICES.iter().any(|device| {
            let number = stem.strip_prefix(device);
            number.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Component, Path};

    #[test]
    fn every_name_becomes_one_component_of_a_path() {
        let long = "ä".repeat(1000);
        let devices = ["con", "NUL.txt", "com1", "LPT9.x.y", "aux ", "con .a"];
        let others = [
            "",
            ".",
            "..",
            "../x",
            "/etc/x",
            "a/../b",
            "a\\b",
            "C:\\x",
            "C:x",
            "a\0b",
            "a\nb",
            "x. ",
            ". .",
            "-rf",
            "$(x)",
            "`x`",
            "a:b",
            "*?<>|\"",
            "\u{202e}txt",
            &long,
        ];
        for name in devices.iter().chain(&others) {
            let made = file_name(name);
            let parts: Vec<_> = Path::new(&made).components().collect();
            assert!(matches!(parts[..], [Component::Normal(_)]), "{name:?}");
            assert!(made.len() <= LONGEST + 1, "{name:?}");
            assert!(!is_device(&made), "{name:?}");
            assert!(
                !made.contains(['\\', ':', '\0', '\n', '*', '"']),
                "{made:?}"
            );
            assert!(!made.ends_with(['.', ' ']), "{made:?}");
            assert!(!is_file_name(name), "{name:?}");
            // What has been made stays as it is.
            assert_eq!(file_name(&made), made);
        }
    }

    #[test]
    fn harmless_names_stay() {
        for name in [
            "LegPlanar",
            "Rod 2 (v1.0)",
            "Größe",
            "a_b-c",
            "Modelica.Blocks",
            "COM",
            "COM10",
        ] {
            assert_eq!(file_name(name), name);
            assert!(is_file_name(name));
        }
    }
}
