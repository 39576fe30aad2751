//! Journals of a study: whatever the bytes, reading ends well, every row is one of the study, and
//! what is there and what is missing add up.

#![no_main]

use libfuzzer_sys::fuzz_target;
use softdock_study::{
    Case, Directory, FigureSpec, Job, Kind, Outcome, Plan, RunOptions, Study, Value, run, status,
};
use std::path::PathBuf;
use std::sync::LazyLock;

const STUDY: &str = "name = \"fuzz\"\nruns = 6\nsampling = \"sobol\"\n\
    [[vary]]\nkey = \"x\"\ndistribution = \"uniform\"\nmin = 0\nmax = 1\n\
    [[vary]]\nkey = \"law\"\ndistribution = \"choice\"\nvalues = [\"a\", \"bc\"]\n";

/// A job with figures of every kind.
struct Cheap([FigureSpec; 4]);

impl Cheap {
    fn new() -> Self {
        Self([
            FigureSpec::new("force_n", Kind::Real),
            FigureSpec::new("count", Kind::Integer),
            FigureSpec::new("captured", Kind::Bool),
            FigureSpec::new("verdict", Kind::Text),
        ])
    }
}

impl Job for Cheap {
    type Scratch = ();
    fn figures(&self) -> &[FigureSpec] {
        &self.0
    }
    fn scratch(&self) {}
    fn run(&self, case: &Case<'_>, (): &mut ()) -> Outcome {
        match case.run {
            4 => Outcome::failed("diverged"),
            run => Outcome::ok(vec![
                case.inputs[0].number().map(Value::Real),
                Some(Value::Integer(run as i64)),
                (run != 2).then_some(Value::Bool(true)),
                Some(Value::Text(format!("run {run}"))),
            ]),
        }
    }
}

/// A folder of the study with one journal, which is replaced.
struct Place {
    folder: PathBuf,
    journal: PathBuf,
}

static PLACE: LazyLock<Place> = LazyLock::new(|| {
    let job = Cheap::new();
    let study = Study::parse(STUDY, "fuzz.toml").expect("the study");
    let plan = Plan::new(study, Default::default(), job.figures(), "1").expect("the plan");
    let folder = softdock_fuzz::folder("journal");
    let options = RunOptions {
        threads: 1,
        resume: true,
        ..RunOptions::default()
    };
    run(&plan, &job, &folder, &options, &|_| {}).expect("the runs");
    let journal = folder.join("rows/block-000000-shard-0-of-1.journal");
    Place { folder, journal }
});

/// The journal, whole and in the older format: records without marker and run.
fn seeds() -> Vec<Vec<u8>> {
    let whole = std::fs::read(&PLACE.journal).expect("the journal");
    let mut old = whole[..44].to_vec();
    old[7] = b'1';
    let sum = crc32(&old[..40]).to_le_bytes();
    old[40..].copy_from_slice(&sum);
    let mut at = 44;
    while let Some(length) = whole.get(at + 16..at + 20) {
        let rows = u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
        let row = &whole[at + 24..at + 24 + rows];
        old.extend(length);
        old.extend(crc32(&[length, row].concat()).to_le_bytes());
        old.extend(row);
        at += 32 + rows;
    }
    let torn = whole[..whole.len() - 20].to_vec();
    vec![whole, old, torn]
}

/// CRC-32, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32| (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| step(sum))
    })
}

fuzz_target!(
    init: { softdock_fuzz::write_seeds(seeds) },
    |bytes: &[u8]| {
        std::fs::write(&PLACE.journal, bytes).expect("the journal");
        let directory = Directory::open(&PLACE.folder).expect("the folder");
        let plan = directory.plan();
        let mut rows = 0;
        let mut next = 0;
        let read = directory.for_each_row(|row| {
            assert!(row.run >= next && row.run < plan.runs());
            next = row.run + 1;
            rows += 1;
            Ok(())
        });
        let found = status(&[directory.clone()]);
        assert_eq!(read.is_ok(), found.is_ok());
        let Ok(found) = found else { return };
        assert_eq!(found.finished, rows);
        let missing: u64 = found.missing.iter().map(|(first, last)| last - first + 1).sum();
        assert_eq!(missing + rows, plan.runs());
        let damaged: u64 = found.damage.iter().map(|part| part.bytes).sum();
        assert_eq!(damaged, found.damaged_bytes);
        assert!(damaged + found.torn_bytes <= bytes.len() as u64);
    }
);
