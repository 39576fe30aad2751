use super::*;

const DIGEST: [u8; 32] = [7; 32];

/// Rows that are the number of their run and nothing else.
struct Numbers;

impl Expected for Numbers {
    fn belongs(&self, row: &[u8]) -> bool {
        row.len() >= 8
    }

    fn run_of_remains(&self, row: &[u8]) -> Option<u64> {
        Some(u64::from_le_bytes(*row.first_chunk()?))
    }

    fn run_of(&self, row: &[u8]) -> Result<u64> {
        Ok(self.run_of_remains(row).unwrap())
    }
}

fn rows(path: &Path) -> (Vec<Vec<u8>>, Scan) {
    let mut rows = Vec::new();
    let scan = scan(path, &DIGEST, &Numbers, |row| {
        rows.push(row.to_vec());
        Ok(())
    })
    .unwrap();
    (rows, scan)
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("softdock-journal-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn written(path: &Path) -> Vec<Vec<u8>> {
    let row = |run: u64| [&run.to_le_bytes()[..], &vec![9; 30 * run as usize]].concat();
    let rows: Vec<Vec<u8>> = (0..4).map(row).collect();
    let mut journal = Journal::open(path, &DIGEST, 0).unwrap();
    for (run, row) in rows.iter().enumerate() {
        journal.append(run as u64, row, &mut Vec::new()).unwrap();
    }
    journal.sync().unwrap();
    rows
}

/// Cut off after any byte of the last record, or of the header, a journal gives the records that are
/// whole, and goes on from there.
#[test]
fn a_torn_tail_is_dropped_whatever_its_length() {
    let folder = folder("torn");
    let path = folder.join("j");
    let written = written(&path);
    let whole = fs::read(&path).unwrap();
    let last = whole.len() - (written[3].len() + 32);
    for length in (0..=frame::HEADER).chain(last..whole.len()) {
        fs::write(&path, &whole[..length]).unwrap();
        let (found, scan) = rows(&path);
        let expected = if length >= last { &written[..3] } else { &[] };
        assert_eq!(found, expected, "{length} bytes");
        assert_eq!(scan.good + scan.torn, length);
        let mut journal = Journal::open(&path, &DIGEST, scan.good as u64).unwrap();
        for (run, row) in written.iter().enumerate().skip(found.len()) {
            journal.append(run as u64, row, &mut Vec::new()).unwrap();
        }
        assert_eq!(fs::read(&path).unwrap(), whole, "{length} bytes");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_damaged_journal_is_put_aside_and_written_anew() {
    let folder = folder("restore");
    let path = folder.join("j");
    let mut written = written(&path);
    let whole = fs::read(&path).unwrap();
    journal_is_kept(&path, &whole);
    let mut bad = whole.clone();
    let second = frame::HEADER + written[0].len() + 32;
    bad[second + 30] ^= 1;
    for number in 1..3 {
        fs::write(&path, &bad).unwrap();
        restore(&path, &DIGEST, &Numbers, "tag").unwrap();
        let aside = folder.join(format!("j.damaged-{number}"));
        assert_eq!(fs::read(aside).unwrap(), bad);
    }
    written.remove(1);
    let (found, scan) = rows(&path);
    assert_eq!((found, scan.gaps.len(), scan.torn), (written, 0, 0));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
    fs::remove_dir_all(folder).unwrap();
}

fn journal_is_kept(path: &Path, whole: &[u8]) {
    restore(path, &DIGEST, &Numbers, "tag").unwrap();
    assert_eq!(fs::read(path).unwrap(), whole);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn foreign_files_are_refused() {
    let folder = folder("foreign");
    let path = folder.join("j");
    Journal::open(&path, &[8; 32], 0).unwrap();
    let error = scan(&path, &DIGEST, &Numbers, |_| Ok(())).unwrap_err();
    assert!(error.to_string().contains("another digest"), "{error}");
    fs::write(&path, [1; 60]).unwrap();
    let (found, scan) = rows(&path);
    assert!(found.is_empty());
    assert_eq!(scan.gaps[0].place, 0..60);
    fs::remove_dir_all(folder).unwrap();
}
