use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

const DIGEST: [u8; 32] = [7; 32];

/// Rows of a made-up study: the run, eight bytes that follow from it, anything.
struct Known;

fn input(run: u64) -> [u8; 8] {
    (run.wrapping_add(1))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .to_le_bytes()
}

impl Expected for Known {
    fn belongs(&self, row: &[u8]) -> bool {
        self.run_of_remains(row).is_some()
    }

    fn run_of_remains(&self, row: &[u8]) -> Option<u64> {
        let run = u64::from_le_bytes(*row.first_chunk()?);
        row[8..].starts_with(&input(run)).then_some(run)
    }

    fn run_of(&self, row: &[u8]) -> Result<u64> {
        Ok(self.run_of_remains(row).unwrap_or(u64::MAX))
    }
}

fn row(run: u64, rest: &[u8]) -> Vec<u8> {
    [&run.to_le_bytes()[..], &input(run), rest].concat()
}

/// The records of a file in either format, one for each of `rests`.
fn records(format: Format, rests: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut record = Vec::new();
    let each = |(run, rest): (usize, &Vec<u8>)| {
        let row = row(run as u64, rest);
        if format == Format::Framed {
            encode(&DIGEST, run as u64, &row, &mut record).unwrap();
            return record.clone();
        }
        let length = (row.len() as u32).to_le_bytes();
        let sum = plain_checksum(&length, &row).to_le_bytes();
        [&length[..], &sum, &row].concat()
    };
    rests.iter().enumerate().map(each).collect()
}

fn file(format: Format, records: &[Vec<u8>]) -> Vec<u8> {
    let magic = if format == Format::Framed {
        &FRAMED
    } else {
        &PLAIN
    };
    [&header_of(magic, &DIGEST)[..], &records.concat()].concat()
}

/// Rows and what else reading finds.
fn read(bytes: &[u8]) -> (Vec<Vec<u8>>, Scan) {
    let mut rows = Vec::new();
    let scan = scan(bytes, &DIGEST, &Known, |row| {
        rows.push(row.to_vec());
        Ok(())
    });
    (rows, scan.unwrap().unwrap())
}

fn sample(format: Format) -> Vec<Vec<u8>> {
    let inner = match format {
        // What looks like an older record inside a row is not taken for one.
        Format::Framed => records(Format::Plain, &[b"inner".to_vec()]).concat(),
        _ => b"nothing of the kind".to_vec(),
    };
    vec![
        b"first".to_vec(),
        Vec::new(),
        vec![0; 40],
        inner,
        "text with ü and \u{10FFFF}".as_bytes().to_vec(),
    ]
}

/// Every bit of a file, in every place there is: marker, run, length, checksums, row, header. One
/// record is lost, or none with the header, and it is known which.
#[test]
fn one_flipped_bit_costs_one_record_and_no_other() {
    for format in [Format::Framed, Format::Plain] {
        let records = records(format, &sample(format));
        let whole = file(format, &records);
        let (rows, intact) = read(&whole);
        assert_eq!(rows.len(), records.len());
        assert_eq!(
            (intact.good, intact.torn, intact.gaps),
            (whole.len(), 0, vec![])
        );
        let mut start = HEADER;
        let mut owner = vec![None; HEADER];
        for (run, record) in records.iter().enumerate() {
            owner.extend(vec![Some((run, start)); record.len()]);
            start += record.len();
        }
        for (byte, owner) in owner.iter().enumerate() {
            for bit in 0..8 {
                let mut bad = whole.clone();
                bad[byte] ^= 1 << bit;
                let (found, scan) = read(&bad);
                let mut expected = rows.clone();
                let place = format!("{format:?} byte {byte} bit {bit}: {scan:?}");
                let Some((run, start)) = *owner else {
                    assert_eq!(found, expected, "{place}");
                    assert_eq!(scan.gaps.len(), 1, "{place}");
                    assert_eq!(scan.gaps[0].place, 0..HEADER, "{place}");
                    continue;
                };
                expected.remove(run);
                assert_eq!(found, expected, "{place}");
                let last = run + 1 == records.len();
                if scan.torn > 0 {
                    // A length that points behind the end looks like a record not yet written.
                    assert!(last && format == Format::Plain, "{place}");
                    continue;
                }
                assert_eq!(scan.gaps.len(), 1, "{place}");
                let gap = &scan.gaps[0];
                assert_eq!(gap.place, start..start + records[run].len(), "{place}");
                // The run of an older record is known unless the bit is in what tells it.
                if format == Format::Framed || byte >= start + BEFORE_PLAIN + 16 {
                    assert_eq!(gap.runs, [run as u64], "{place}");
                }
            }
        }
    }
}

#[test]
fn a_torn_record_is_no_damage_and_zeros_are() {
    let records = records(Format::Framed, &sample(Format::Framed));
    let whole = file(Format::Framed, &records);
    let last = whole.len() - records[4].len();
    for length in last + 1..whole.len() {
        let (rows, scan) = read(&whole[..length]);
        assert_eq!((rows.len(), scan.good, scan.torn), (4, last, length - last));
        assert!(scan.gaps.is_empty());
        // The file has its length and the data never arrived.
        let zeros = [&whole[..length], &vec![0; whole.len() - length + 100]].concat();
        let (rows, scan) = read(&zeros);
        assert_eq!(
            (rows.len(), scan.torn, scan.gaps.len()),
            (4, 0, 1),
            "{length}"
        );
        assert_eq!(scan.gaps[0].place, last..zeros.len());
        // Something was written behind the torn record after all: it is read.
        let more = [&whole[..length], &records[0]].concat();
        let (rows, scan) = read(&more);
        assert_eq!(
            (rows.len(), scan.torn, scan.gaps.len()),
            (5, 0, 1),
            "{length}"
        );
    }
    let zeros = [&whole[..], &[0; 512]].concat();
    let (rows, scan) = read(&zeros);
    assert_eq!((rows.len(), scan.gaps.len()), (5, 1));
    assert!(scan.gaps[0].zeros && scan.gaps[0].runs.is_empty());
    for length in 0..HEADER {
        let (rows, scan) = read(&whole[..length]);
        assert_eq!((rows.len(), scan.good, scan.torn), (0, 0, length));
        assert!(scan.gaps.is_empty());
    }
}

#[test]
fn records_of_another_study_are_not_read() {
    let records = records(Format::Framed, &sample(Format::Framed));
    let other = [&header(&[8; 32])[..], &records.concat()].concat();
    let found = scan(&other, &DIGEST, &Known, |_| panic!("a row")).unwrap();
    assert_eq!(found, Err(OtherStudy));
    // Without a header that can be read, their own checksums tell.
    let mut bare = other;
    bare[..HEADER].fill(0);
    bare.truncate(HEADER + records[0].len() + records[1].len());
    let found = scan(&bare, &[8; 32], &Known, |_| panic!("a row")).unwrap();
    assert_eq!(found.unwrap().gaps.len(), 1);
}

/// What happens to files.
#[derive(Debug, Clone)]
enum Accident {
    Flip(usize, u8),
    Overwrite(usize, Vec<u8>),
    Zero(usize, usize),
    Cut(usize),
    Remove(usize, usize),
    Insert(usize, Vec<u8>),
    Repeat(usize, usize),
}

fn accident() -> impl Strategy<Value = Accident> {
    let place = 0..1200_usize;
    let junk = prop::collection::vec(any::<u8>(), 1..60);
    prop_oneof![
        4 => (place.clone(), 0..8_u8).prop_map(|(at, bit)| Accident::Flip(at, bit)),
        2 => (place.clone(), junk.clone()).prop_map(|(at, junk)| Accident::Overwrite(at, junk)),
        2 => (place.clone(), 1..200_usize).prop_map(|(at, n)| Accident::Zero(at, n)),
        1 => place.clone().prop_map(Accident::Cut),
        1 => (place.clone(), 1..80_usize).prop_map(|(at, n)| Accident::Remove(at, n)),
        1 => (place.clone(), junk).prop_map(|(at, junk)| Accident::Insert(at, junk)),
        1 => (place, 1..150_usize).prop_map(|(at, n)| Accident::Repeat(at, n)),
    ]
}

impl Accident {
    fn happen(&self, bytes: &mut Vec<u8>) {
        let end = bytes.len();
        let part = |at: usize, n: usize| at.min(end)..at.saturating_add(n).min(end);
        match self {
            Self::Flip(at, bit) => {
                if let Some(byte) = bytes.get_mut(*at) {
                    *byte ^= 1 << bit;
                }
            }
            Self::Overwrite(at, junk) => {
                let place = part(*at, junk.len());
                let count = place.len();
                bytes[place].copy_from_slice(&junk[..count]);
            }
            Self::Zero(at, n) => bytes[part(*at, *n)].fill(0),
            Self::Cut(at) => bytes.truncate(*at),
            Self::Remove(at, n) => drop(bytes.drain(part(*at, *n))),
            Self::Insert(at, junk) => {
                let at = (*at).min(end);
                bytes.splice(at..at, junk.iter().copied());
            }
            Self::Repeat(at, n) => {
                let again = bytes[part(*at, *n)].to_vec();
                let at = (*at).min(end);
                bytes.splice(at..at, again);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    /// Whatever happens to a file, every record whose bytes are still there is read, nothing else
    /// is, and every byte is accounted for.
    #[test]
    fn whole_records_are_read_and_no_others(
        plain in any::<bool>(),
        rests in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..150), 0..8),
        accidents in prop::collection::vec(accident(), 1..5),
    ) {
        let format = if plain { Format::Plain } else { Format::Framed };
        let records = records(format, &rests);
        let rows: Vec<Vec<u8>> =
            rests.iter().enumerate().map(|(run, rest)| row(run as u64, rest)).collect();
        let mut bytes = file(format, &records);
        for accident in &accidents {
            accident.happen(&mut bytes);
        }
        let (found, scan) = read(&bytes);
        let holds = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
        for (record, row) in records.iter().zip(&rows) {
            if holds(record) {
                prop_assert!(found.contains(row), "{scan:?}");
            }
        }
        for row in &found {
            prop_assert!(rows.contains(row), "{row:?}");
        }
        let read: usize = found.iter().map(|row| row.len()).sum();
        let around = if plain { BEFORE_PLAIN } else { BEFORE + BEHIND };
        let lost: usize = scan.gaps.iter().map(|gap| gap.place.len()).sum();
        let named = format_of(&bytes, &DIGEST).unwrap().is_some();
        let all = if named { HEADER } else { 0 } + read + found.len() * around + lost + scan.torn;
        prop_assert_eq!(all, bytes.len());
        // Runs that are called lost were there, and a framed one of them was not read in its place.
        for run in scan.gaps.iter().flat_map(|gap| &gap.runs) {
            prop_assert!((*run as usize) < rows.len(), "{run}");
        }
    }

    /// Whatever the bytes, reading them ends, and what is read would be written the same.
    #[test]
    fn nonsense_is_all_damage(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let (rows, scan) = read(&bytes);
        prop_assert!(rows.is_empty());
        let places: BTreeSet<usize> = scan.gaps.iter().flat_map(|gap| gap.place.clone()).collect();
        prop_assert_eq!(places.len() + scan.torn, bytes.len());
    }
}
