//! Records of a journal as bytes, and how they are found again behind damage.
//!
//! ```text
//! file   = magic [8] · digest of the study [32] · checksum of both [u32] · record …
//! record = marker [8] · run [u64] · length of the row [u32] · checksum of digest, run, length [u32]
//!          · row · checksum of digest, run, length, row [8]
//! ```
//!
//! All little-endian. The short checksums are CRC-32, the one of a record is the first eight bytes of
//! SHA-256. Since both cover the digest, a record vouches for itself: the header of the file is not
//! needed to read it. The marker begins with a byte that UTF-8 does not have, so that no text of a row
//! can contain it. Where a record cannot be read, the search goes on byte by byte behind its start
//! until the next one whose checksums fit: its length is not trusted.
//!
//! Older journals (magic `SDSTUDY1`) have records without marker and run:
//!
//! ```text
//! record = length of the row [u32] · checksum of length and row [u32] · row
//! ```
//!
//! Behind damage such a record is believed if its checksum fits and its inputs are those of its run.

use crate::error::Result;
use sha2::{Digest, Sha256};
use std::ops::Range;

/// Length of the header of a file [bytes].
pub(crate) const HEADER: usize = 44;

const FRAMED: [u8; 8] = *b"SDSTUDY2";
const PLAIN: [u8; 8] = *b"SDSTUDY1";
const MARKER: [u8; 8] = *b"\xF5SDrow\r\n";

/// What stands in front of a row, and behind it [bytes].
const BEFORE: usize = 24;
const BEHIND: usize = 8;

/// What stands in front of a row of an older journal [bytes].
const BEFORE_PLAIN: usize = 8;

/// How the records of a file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// With marker and run.
    Framed,
    /// Without: an older journal.
    Plain,
}

/// What a row must be like. Records of older journals do not say which study they belong to.
pub(crate) trait Expected {
    /// Whether the bytes are a row of the study, with the inputs of its run.
    fn belongs(&self, row: &[u8]) -> bool;

    /// The run whose row the bytes begin with; the rest of them may be damaged.
    fn run_of_remains(&self, row: &[u8]) -> Option<u64>;

    /// The run of a row whose checksum fits; one that does not belong to the file is an error.
    fn run_of(&self, row: &[u8]) -> Result<u64>;
}

/// A part of a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) place: Range<usize>,
    /// Runs whose records were there, where they can still be told.
    pub(crate) runs: Vec<u64>,
    /// Whether every byte is zero.
    pub(crate) zeros: bool,
}

/// What reading a file found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scan {
    pub(crate) format: Format,
    /// Up to here there are header and whole records, if there is no gap.
    pub(crate) good: usize,
    /// Length of the beginning of a record at the end, which its writer did not get to finish.
    pub(crate) torn: usize,
    pub(crate) gaps: Vec<Gap>,
}

/// The header of a new file.
pub(crate) fn header(digest: &[u8; 32]) -> [u8; HEADER] {
    header_of(&FRAMED, digest)
}

fn header_of(magic: &[u8; 8], digest: &[u8; 32]) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(magic);
    bytes[8..40].copy_from_slice(digest);
    let checksum = crc32fast::hash(&bytes[..40]);
    bytes[40..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Writes the record of a row into `record`; none if the row is too long.
pub(crate) fn encode(digest: &[u8; 32], run: u64, row: &[u8], record: &mut Vec<u8>) -> Option<()> {
    let length = u32::try_from(row.len()).ok()?;
    record.clear();
    record.extend(MARKER);
    record.extend(run.to_le_bytes());
    record.extend(length.to_le_bytes());
    record.extend(short_checksum(digest, &record[8..20]).to_le_bytes());
    record.extend(row);
    record.extend(long_checksum(digest, &record[8..20], row));
    Some(())
}

fn short_checksum(digest: &[u8; 32], run_and_length: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(digest);
    hasher.update(run_and_length);
    hasher.finalize()
}

fn long_checksum(digest: &[u8; 32], run_and_length: &[u8], row: &[u8]) -> [u8; BEHIND] {
    let mut hasher = Sha256::new();
    hasher.update(digest);
    hasher.update(run_and_length);
    hasher.update(row);
    let sum: [u8; 32] = hasher.finalize().into();
    let mut first = [0; BEHIND];
    first.copy_from_slice(&sum[..BEHIND]);
    first
}

/// The checksum of a record of an older journal.
fn plain_checksum(length: &[u8], row: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(length);
    hasher.update(row);
    hasher.finalize()
}

/// The header of a file can be read and names another study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OtherStudy;

/// Hands the row of every record whose checksums fit to `each`, in the order of the file, and says
/// what else there is.
pub(crate) fn scan(
    bytes: &[u8],
    digest: &[u8; 32],
    expected: &impl Expected,
    mut each: impl FnMut(&[u8]) -> Result<()>,
) -> Result<std::result::Result<Scan, OtherStudy>> {
    let named = match format_of(bytes, digest) {
        Ok(format) => format,
        Err(other) => return Ok(Err(other)),
    };
    let mut reader = Reader {
        bytes,
        digest,
        format: named.unwrap_or(Format::Framed),
        expected,
    };
    // Without a header the records tell.
    if named.is_none() && reader.next_record(0).is_none() {
        reader.format = Format::Plain;
    }
    let mut scan = Scan {
        format: reader.format,
        good: 0,
        torn: 0,
        gaps: Vec::new(),
    };
    let mut behind_damage = named.is_none();
    let mut at = if named.is_some() { HEADER } else { 0 };
    while at < bytes.len() {
        if let Some((row, end)) = reader.record(at, behind_damage) {
            each(row)?;
            at = end;
            behind_damage = false;
            continue;
        }
        let next = reader.next_record(at + 1);
        match next {
            None if reader.is_torn(at) => {
                scan.torn = bytes.len() - at;
                break;
            }
            _ => scan.gaps.push(reader.gap(at..next.unwrap_or(bytes.len()))),
        }
        at = next.unwrap_or(bytes.len());
        behind_damage = true;
    }
    scan.good = at;
    Ok(Ok(scan))
}

/// The format that the header names; none if it cannot be read.
fn format_of(bytes: &[u8], digest: &[u8; 32]) -> std::result::Result<Option<Format>, OtherStudy> {
    for (magic, format) in [(&FRAMED, Format::Framed), (&PLAIN, Format::Plain)] {
        let whole = header_of(magic, digest);
        if bytes.starts_with(&whole) {
            return Ok(Some(format));
        }
        let Some(found) = bytes.first_chunk::<HEADER>() else {
            continue;
        };
        let fits = found[40..] == crc32fast::hash(&found[..40]).to_le_bytes();
        if fits && found[..8] == *magic {
            return Err(OtherStudy);
        }
    }
    Ok(None)
}

struct Reader<'a, X> {
    bytes: &'a [u8],
    digest: &'a [u8; 32],
    format: Format,
    expected: &'a X,
}

impl<'a, X: Expected> Reader<'a, X> {
    /// The row of the record that begins at `at`, and where the record ends. Behind damage a record
    /// of an older journal must also belong to the study: its short checksum alone could fit by
    /// chance somewhere.
    fn record(&self, at: usize, behind_damage: bool) -> Option<(&'a [u8], usize)> {
        match self.format {
            Format::Framed => self.framed_record(at),
            Format::Plain => self.plain_record(at, behind_damage),
        }
    }

    fn framed_record(&self, at: usize) -> Option<(&'a [u8], usize)> {
        let (_, length) = self.frame(at)?;
        let start = at + BEFORE;
        let end = start.checked_add(length)?;
        let row = self.bytes.get(start..end)?;
        let sum = self.bytes.get(end..end.checked_add(BEHIND)?)?;
        let run_and_length = &self.bytes[at + 8..at + 20];
        (sum == long_checksum(self.digest, run_and_length, row)).then_some((row, end + BEHIND))
    }

    /// Run and length of the row that the frame at `at` names.
    fn frame(&self, at: usize) -> Option<(u64, usize)> {
        let frame = self.bytes.get(at..)?.first_chunk::<BEFORE>()?;
        let fits = || frame[20..] == short_checksum(self.digest, &frame[8..20]).to_le_bytes();
        if frame[..8] != MARKER || !fits() {
            return None;
        }
        let run = u64::from_le_bytes(*frame[8..].first_chunk()?);
        let length = u32::from_le_bytes(*frame[16..].first_chunk()?);
        Some((run, usize::try_from(length).ok()?))
    }

    fn plain_record(&self, at: usize, behind_damage: bool) -> Option<(&'a [u8], usize)> {
        let length = self.plain_length(at)?;
        let start = at + BEFORE_PLAIN;
        let end = start.checked_add(length)?;
        let row = self.bytes.get(start..end)?;
        // First: it refuses nearly all offsets of a damaged part after a few bytes.
        if behind_damage && !self.expected.belongs(row) {
            return None;
        }
        let sum = plain_checksum(&self.bytes[at..at + 4], row).to_le_bytes();
        (self.bytes[at + 4..start] == sum).then_some((row, end))
    }

    fn plain_length(&self, at: usize) -> Option<usize> {
        let before = self.bytes.get(at..)?.first_chunk::<BEFORE_PLAIN>()?;
        usize::try_from(u32::from_le_bytes(*before.first_chunk()?)).ok()
    }

    /// Where the first record begins that begins at `from` or later.
    fn next_record(&self, from: usize) -> Option<usize> {
        let candidates = from..self.bytes.len();
        let marked = |at: &usize| self.format == Format::Plain || self.bytes[*at] == MARKER[0];
        candidates
            .filter(marked)
            .find(|&at| self.record(at, true).is_some())
    }

    /// Whether what begins at `at` is the beginning of a record or of the header, and nothing else:
    /// what a writer leaves that was killed, or that is at work at this moment.
    fn is_torn(&self, at: usize) -> bool {
        let rest = &self.bytes[at..];
        let starts = |whole: &[u8]| rest.len() < whole.len() && whole.starts_with(rest);
        match self.format {
            _ if at < HEADER => {
                let header = |magic| starts(&header_of(magic, self.digest));
                at == 0 && (header(&FRAMED) || header(&PLAIN))
            }
            Format::Framed if rest.len() < BEFORE => {
                let known = rest.len().min(MARKER.len());
                rest[..known] == MARKER[..known]
            }
            Format::Framed => self
                .frame(at)
                .is_some_and(|(_, length)| rest.len() < (BEFORE + BEHIND).saturating_add(length)),
            Format::Plain => self
                .plain_length(at)
                .is_none_or(|length| rest.len() < BEFORE_PLAIN.saturating_add(length)),
        }
    }

    /// What can still be said of a part that cannot be read.
    fn gap(&self, place: Range<usize>) -> Gap {
        // The first record of the part began where the part begins, or behind the header.
        let first = if place.start == 0 {
            HEADER
        } else {
            place.start
        };
        let named = |at| self.frame(at).map(|(run, _)| run);
        let remains = |before: usize| {
            let row = self.bytes.get(first + before..place.end)?;
            self.expected.run_of_remains(row)
        };
        let mut runs = Vec::new();
        match self.format {
            Format::Plain => runs.extend(remains(BEFORE_PLAIN)),
            Format::Framed => {
                if named(first).is_none() {
                    runs.extend(remains(BEFORE));
                }
                runs.extend(place.clone().filter_map(named));
            }
        }
        let zeros = self.bytes[place.clone()].iter().all(|&byte| byte == 0);
        Gap { place, runs, zeros }
    }
}

#[cfg(test)]
mod tests;
