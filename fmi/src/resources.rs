//! The resources of an FMU: where a model's own settings stand.

use std::io::Read;
use std::path::{Path, PathBuf};

/// Longest file of settings that is read [bytes].
const LONGEST: u64 = 16 << 20;

/// The name of the file with the settings of a model of this kind.
pub fn file_name(kind: &str) -> String {
    format!("{kind}.toml")
}

/// The folder that a host names: `file:///folder`, `file:/folder` or `file://localhost/folder`,
/// percent-encoded, as FMI 2.0 has it, or a path, as FMI 3.0 has it. None of addresses of other kinds.
pub fn folder(address: &str) -> Option<PathBuf> {
    let Some(rest) = address.strip_prefix("file:") else {
        let other = address.contains("://");
        return (!other && !address.is_empty()).then(|| PathBuf::from(address));
    };
    let rest = match rest.strip_prefix("//") {
        Some(after) => after.strip_prefix("localhost").unwrap_or(after),
        None => rest,
    };
    let path = decoded(rest)?;
    // A drive of Windows stands behind a slash.
    let drive = path.as_bytes().get(2) == Some(&b':') && path.starts_with('/');
    let path = if drive { &path[1..] } else { &path[..] };
    path.starts_with(['/', '\\'])
        .then_some(path)
        .or(drive.then_some(path))
        .map(PathBuf::from)
}

/// A text without its percent encoding; none if that is wrong.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let byte = if byte == b'%' {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
            u8::try_from(16 * high + low).ok()?
        } else {
            byte
        };
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

/// The content of a file of settings.
pub fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    let file = std::fs::File::open(path)?;
    let read = file.take(LONGEST + 1).read_to_string(&mut text)?;
    if read as u64 > LONGEST {
        return Err(std::io::Error::other("the file is longer than 16 MiB"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_every_kind_name_the_folder() {
        let found = |address: &str| folder(address).map(|path| path.display().to_string());
        let place = Some("/tmp/with space/resources".to_owned());
        assert_eq!(found("file:///tmp/with%20space/resources"), place);
        assert_eq!(found("file:/tmp/with%20space/resources"), place);
        assert_eq!(found("file://localhost/tmp/with%20space/resources"), place);
        assert_eq!(found("/tmp/with space/resources"), place);
        assert_eq!(
            found("file:///C:/fmu/resources").as_deref(),
            Some("C:/fmu/resources")
        );
        for wrong in [
            "",
            "http://host/x",
            "file://host/x",
            "file:///a%2",
            "file:///a%zz",
            "file:x",
        ] {
            assert_eq!(found(wrong), None, "{wrong}");
        }
    }
}
