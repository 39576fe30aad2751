//! Files that are whole or absent, and standard output that survives a closed pipe.

use crate::kind;
use crate::supervise;
use anyhow::Result;
use serde::Serialize;
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::NamedTempFile;

/// Common output options of every command.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct OutputArgs {
    /// Prints JSON instead of the summary
    #[arg(long)]
    pub json: bool,
    /// Folder for the result files; made if missing
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

impl OutputArgs {
    /// Refuses a folder in which `name` cannot be written, or that holds results of value, before the
    /// work is done.
    pub fn probe(&self, name: &str) -> Result<()> {
        let Some(out) = &self.out else {
            return Ok(());
        };
        kind::protect(out)?;
        Ok(probe(&out.join(name))?)
    }
}

/// An output that cannot be written: the input's fault, exit status 2.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {cause}", path.display())]
pub struct OutputError {
    /// The file or folder.
    pub path: PathBuf,
    /// Why.
    pub cause: io::Error,
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> OutputError + '_ {
    move |cause| OutputError {
        path: path.to_owned(),
        cause,
    }
}

/// Makes the folder that will hold `path`.
fn make_parent(path: &Path) -> Result<(), OutputError> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => {
            fs::create_dir_all(parent).map_err(failed(parent))
        }
        _ => Ok(()),
    }
}

/// An unfinished file beside `path`; it goes away unless it is made the file itself.
fn unfinished(path: &Path) -> Result<NamedTempFile, OutputError> {
    make_parent(path)?;
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    // Results are for everybody whom the user's mask allows, not for the user alone.
    #[cfg(unix)]
    let shared = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(shared);
    builder.tempfile_in(folder).map_err(|error| {
        // Its text names the temporary file instead of the one asked for.
        failed(path)(
            error
                .raw_os_error()
                .map_or(error, io::Error::from_raw_os_error),
        )
    })
}

/// Refuses a path that cannot be written, before the work is done rather than after.
pub fn probe(path: &Path) -> Result<(), OutputError> {
    if path.is_dir() {
        let cause = io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name a file");
        return Err(OutputError {
            path: path.to_owned(),
            cause,
        });
    }
    unfinished(path).map(drop)
}

/// Removes files of an earlier run that the new results do not replace; what is not there is fine.
pub fn remove_stale(folder: &Path, names: &[&str]) -> Result<(), OutputError> {
    for name in names {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                return Err(OutputError { path, cause });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes `contents` to `path` in one piece: a reader sees the old file or the new one, never
/// half of it.
pub fn write_atomic(path: &Path, contents: &[u8]) -> Result<(), OutputError> {
    let mut file = unfinished(path)?;
    file.write_all(contents)
        .and_then(|()| file.as_file().sync_all())
        .map_err(failed(path))?;
    file.persist(path)
        .map_err(|error| failed(path)(error.error))?;
    Ok(())
}

/// Writes `value` as indented JSON with a newline at the end.
pub fn write_json<T: Serialize + ?Sized>(path: &Path, value: &T) -> Result<(), OutputError> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|error| OutputError {
        path: path.to_owned(),
        cause: error.into(),
    })?;
    text.push(b'\n');
    write_atomic(path, &text)
}

/// `text` without characters that make a terminal do something: names and messages of FMUs may have
/// any.
pub fn printable(text: &str) -> Cow<'_, str> {
    let acts = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Prints an error to standard error.
pub fn print_error(error: &anyhow::Error) {
    eprintln!("softdock: {}", printable(&format!("{error:#}")));
}

/// Prints `text` and a newline. A reader that has gone away (`| head`) is no error.
pub fn say(text: &str) -> Result<(), OutputError> {
    let text = printable(text);
    let mut out = io::stdout().lock();
    match writeln!(out, "{}", text.trim_end_matches('\n')).and_then(|()| out.flush()) {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => Err(OutputError {
            path: "standard output".into(),
            cause,
        }),
        _ => Ok(()),
    }
}

/// How much is said.
static QUIET: AtomicBool = AtomicBool::new(false);
static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Says less (no summary, no progress) or more (what is done) from now on.
pub fn speak(quiet: bool, verbose: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
    VERBOSE.store(verbose, Ordering::Relaxed);
}

/// True if summaries and progress are not wanted.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints a summary for people, unless they asked for quiet.
pub fn tell(text: &str) -> Result<(), OutputError> {
    if is_quiet() { Ok(()) } else { say(text) }
}

/// Says on standard error what is done, if somebody wants to know.
pub fn remark(text: impl FnOnce() -> String) {
    if VERBOSE.load(Ordering::Relaxed) {
        eprintln!("softdock: {}", printable(&text()));
    }
}

/// Prints `value` as indented JSON.
pub fn say_json<T: Serialize + ?Sized>(value: &T) -> Result<(), OutputError> {
    let text = serde_json::to_string_pretty(value).map_err(|error| OutputError {
        path: "standard output".into(),
        cause: error.into(),
    })?;
    say(&text)
}

/// Bytes gathered before they go to the disk: whole rows in one call.
const CHUNK: usize = 1 << 16;

/// Adds the names of the columns of a table.
pub fn append_header(buffer: &mut Vec<u8>, names: &[&str]) {
    append_texts(buffer, names.iter());
}

/// Adds a row of entries given as text, quoted where they need it (RFC 4180).
fn append_texts(buffer: &mut Vec<u8>, entries: impl Iterator<Item = impl AsRef<str>>) {
    for (i, entry) in entries.enumerate() {
        if i > 0 {
            buffer.push(b',');
        }
        let entry = entry.as_ref();
        let blank = |c: char| c.is_whitespace();
        if entry.contains([',', '"', '\n', '\r'])
            || entry.starts_with(blank)
            || entry.ends_with(blank)
        {
            let quoted = entry.replace('"', "\"\"");
            buffer.extend_from_slice(format!("\"{quoted}\"").as_bytes());
        } else {
            buffer.extend_from_slice(entry.as_bytes());
        }
    }
    buffer.push(b'\n');
}

/// Adds a row of a table of numbers: the shortest digits that read back as the same numbers.
pub fn append_row(buffer: &mut Vec<u8>, values: &[f64]) {
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            buffer.push(b',');
        }
        // Writing to memory cannot fail.
        let _ = write!(buffer, "{value:?}");
    }
    buffer.push(b'\n');
}

/// A table of numbers written row by row.
///
/// Rows go to `NAME.partial.csv`, always whole rows at a time, so that a killed run leaves a
/// readable file under a name that says what it is. [`CsvFile::finish`] renames it to `NAME.csv`.
#[derive(Debug)]
pub struct CsvFile {
    path: PathBuf,
    partial: PathBuf,
    file: File,
    columns: usize,
    buffer: Vec<u8>,
}

impl CsvFile {
    /// Opens the file and writes its header.
    pub fn create(path: &Path, header: &[&str]) -> Result<Self, OutputError> {
        probe(path)?;
        let partial = path.with_extension("partial.csv");
        let file = File::create(&partial).map_err(failed(&partial))?;
        supervise::rows_go_to(&partial);
        let mut buffer = Vec::with_capacity(2 * CHUNK);
        append_header(&mut buffer, header);
        Ok(Self {
            path: path.to_owned(),
            partial,
            file,
            columns: header.len(),
            buffer,
        })
    }

    /// Adds a row.
    pub fn row(&mut self, values: &[f64]) -> Result<(), OutputError> {
        self.row_with_words(values, &[])
    }

    /// Adds a row of numbers with words behind them, which hold neither commas nor quotes.
    pub fn row_with_words(&mut self, values: &[f64], words: &[&str]) -> Result<(), OutputError> {
        debug_assert_eq!(values.len() + words.len(), self.columns);
        append_row(&mut self.buffer, values);
        if !words.is_empty() {
            self.buffer.pop();
            for word in words {
                self.buffer.push(b',');
                self.buffer.extend_from_slice(word.as_bytes());
            }
            self.buffer.push(b'\n');
        }
        self.flush_when_due()
    }

    /// Adds a row of entries given as text.
    pub fn text_row(
        &mut self,
        entries: impl Iterator<Item = impl AsRef<str>>,
    ) -> Result<(), OutputError> {
        append_texts(&mut self.buffer, entries);
        self.flush_when_due()
    }

    /// A process that runs foreign code may end at any time: its rows go to the disk at once.
    fn flush_when_due(&mut self) -> Result<(), OutputError> {
        if self.buffer.len() >= CHUNK || supervise::is_supervised() {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Brings what was added to the disk.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.file
            .write_all(&self.buffer)
            .map_err(failed(&self.partial))?;
        self.buffer.clear();
        Ok(())
    }

    /// Completes the file under its own name.
    pub fn finish(mut self) -> Result<PathBuf, OutputError> {
        self.flush()?;
        self.file.sync_all().map_err(failed(&self.partial))?;
        fs::rename(&self.partial, &self.path).map_err(failed(&self.path))?;
        Ok(self.path)
    }

    /// Keeps what there is under the name that marks it as incomplete.
    pub fn keep_partial(mut self) -> Result<PathBuf, OutputError> {
        self.flush()?;
        self.file.sync_all().map_err(failed(&self.partial))?;
        Ok(self.partial)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A folder of its own for each test, removed afterwards.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("softdock-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let mut names: Vec<String> = fs::read_dir(&self.0)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_written_file_replaces_the_old_one_and_leaves_nothing_else() {
        let folder = Folder::new("atomic");
        let path = folder.0.join("deep/er/a.json");
        write_atomic(&path, b"old").unwrap();
        write_atomic(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn unwritable_places_are_refused_beforehand() {
        let folder = Folder::new("probe");
        let file = folder.0.join("file");
        fs::write(&file, "x").unwrap();
        assert!(probe(&file.join("below/a.csv")).is_err());
        assert!(
            probe(&folder.0)
                .unwrap_err()
                .to_string()
                .contains("name a file")
        );
        probe(&folder.0.join("a.csv")).unwrap();
        assert_eq!(folder.names(), ["file"]);
    }

    #[test]
    fn an_unfinished_table_has_whole_rows_under_another_name() {
        let folder = Folder::new("partial");
        let path = folder.0.join("leg.csv");
        let mut csv = CsvFile::create(&path, &["t", "x"]).unwrap();
        for i in 0..10_000 {
            csv.row(&[f64::from(i), 0.1]).unwrap();
        }
        // As a killed process leaves it: the buffer is lost, the file ends with a row.
        let text = fs::read_to_string(folder.0.join("leg.partial.csv")).unwrap();
        assert!(text.starts_with("t,x\n0.0,0.1\n") && text.ends_with(",0.1\n"));
        assert_eq!(folder.names(), ["leg.partial.csv"]);
        csv.finish().unwrap();
        assert_eq!(folder.names(), ["leg.csv"]);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 10_001);
    }

    #[test]
    fn texts_are_quoted_where_they_need_it() {
        let mut buffer = Vec::new();
        append_texts(
            &mut buffer,
            ["a", "a,b", "say \"x\"", "two\nlines", " b", ""].iter(),
        );
        let expected = "a,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\" b\",\n";
        assert_eq!(String::from_utf8(buffer.clone()).unwrap(), expected);
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(buffer.as_slice());
        let row = reader.records().next().unwrap().unwrap();
        let read: Vec<&str> = row.iter().collect();
        assert_eq!(read, ["a", "a,b", "say \"x\"", "two\nlines", " b", ""]);
    }

    #[test]
    fn nothing_that_is_printed_acts_on_the_terminal() {
        assert_eq!(printable("plain µ\n\tx"), "plain µ\n\tx");
        assert_eq!(printable("\u{1b}[2Jx\u{9b}\r"), "\\u{1b}[2Jx\\u{9b}\\r");
    }

    #[test]
    fn numbers_read_back_to_the_last_bit() {
        let folder = Folder::new("digits");
        let path = folder.0.join("a.csv");
        let values = [1.0 / 3.0, -1e-300, 6.02e23, f64::MIN_POSITIVE, 0.1 + 0.2];
        let mut csv = CsvFile::create(&path, &["a", "b", "c", "d", "e"]).unwrap();
        csv.row(&values).unwrap();
        csv.finish().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let row = text.lines().nth(1).unwrap();
        let read: Vec<f64> = row.split(',').map(|entry| entry.parse().unwrap()).collect();
        assert_eq!(read, values);
    }
}
