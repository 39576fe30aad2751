//! From bytes to text. FMI 2.0 demands UTF-8; Latin-1, which older exporters declare, costs one
//! line and is read too.

use std::borrow::Cow;

use super::cursor::position_of;
use crate::Error;

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(Error::UnsupportedEncoding { encoding: "UTF-16" });
    }
    let bytes = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    if declares_latin1(bytes) {
        return Ok(Cow::Owned(bytes.iter().copied().map(char::from).collect()));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(error) => Err(Error::NotUtf8 {
            position: position_of(bytes, error.valid_up_to()),
        }),
    }
}

/// Whether the XML declaration, if there is one, names Latin-1.
fn declares_latin1(bytes: &[u8]) -> bool {
    if !bytes.starts_with(b"<?xml") {
        return false;
    }
    let end = bytes
        .iter()
        .position(|&byte| byte == b'>')
        .unwrap_or(bytes.len());
    let declaration = bytes[..end].to_ascii_lowercase();
    [
        &b"\"iso-8859-1\""[..],
        b"'iso-8859-1'",
        b"\"latin1\"",
        b"'latin1'",
    ]
    .iter()
    .any(|name| {
        declaration
            .windows(name.len())
            .any(|window| window == *name)
    })
}
