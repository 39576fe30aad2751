//! Files named as input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The text of a file, opened by [`open`].
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// The bytes of a file, opened by [`open`].
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file to read it. What is no file with an end (a folder, a pipe, a device) is refused: to
/// open a pipe would wait for ever until a process writes into it.
pub fn open(path: &Path) -> io::Result<File> {
    let kind = path.metadata()?.file_type();
    let problem = if kind.is_dir() {
        "it is a folder"
    } else if kind.is_file() {
        return File::open(path);
    } else {
        "it is a pipe, a socket or a device, and only regular files are read"
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
}
