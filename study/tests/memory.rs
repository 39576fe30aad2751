//! The memory of a study does not grow with the number of its runs: measured by an allocator that
//! keeps the peak. Its own binary, since it replaces the allocator.

#![allow(clippy::unwrap_used)]
// `GlobalAlloc` can only be implemented with unsafe code; it hands everything to the system's
// allocator unchanged.
#![allow(unsafe_code)]

use softdock_study::{
    Case, Completeness, Directory, FigureSpec, Job, Kind, Outcome, Plan, RunOptions, Shard, Study,
    Value, Versions, merge, run,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

static CURRENT: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Peak;

fn grow(size: usize) {
    let now = CURRENT.fetch_add(size, Ordering::SeqCst) + size;
    PEAK.fetch_max(now, Ordering::SeqCst);
}

unsafe impl GlobalAlloc for Peak {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        CURRENT.fetch_sub(layout.size(), Ordering::SeqCst);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Peak = Peak;

/// Peak of the memory in use during `work`, above what was in use before [bytes].
fn peak_of(work: impl FnOnce()) -> usize {
    let before = CURRENT.load(Ordering::SeqCst);
    PEAK.store(before, Ordering::SeqCst);
    work();
    PEAK.load(Ordering::SeqCst) - before
}

const FIGURES: usize = 40;

/// A job that costs nothing, with as many figures as a docking and a series of 100 kB.
struct Cheap(Vec<FigureSpec>);

impl Job for Cheap {
    type Scratch = ();
    fn figures(&self) -> &[FigureSpec] {
        &self.0
    }
    fn scratch(&self) {}
    fn run(&self, case: &Case<'_>, _: &mut ()) -> Outcome {
        let x = case.inputs[0].number().unwrap();
        let figures = (0..FIGURES)
            .map(|j| Some(Value::Real(x + j as f64)))
            .collect();
        Outcome::ok(figures).with_series(vec![0; 100_000])
    }
}

fn plan(job: &Cheap, runs: u64) -> Plan {
    let text = format!(
        "name = \"cheap\"\nruns = {runs}\nsampling = \"latin_hypercube\"\n[keep]\n\
         series = \"worst\"\nfigure = \"f0\"\ncount = 5\n[[vary]]\nkey = \"x\"\n\
         distribution = \"uniform\"\nmin = 0\nmax = 1\n"
    );
    let study = Study::parse(&text, "cheap").unwrap();
    Plan::new(study, toml::Table::new(), job.figures(), "1").unwrap()
}

/// One block of rows, as bytes and as columns, and what the table writer buffers: the most a study of
/// any size needs beyond a tiny one.
const BLOCK_MEMORY: usize = 4 << 20;

/// What each further row group adds to the description of the table at its end [bytes].
const ROW_GROUP_MEMORY: usize = 40 << 10;

#[test]
fn memory_does_not_grow_with_the_number_of_runs() {
    let job = Cheap(
        (0..FIGURES)
            .map(|j| FigureSpec::new(format!("f{j}"), Kind::Real))
            .collect(),
    );
    let folder = std::env::temp_dir().join(format!("softdock-study-memory-{}", std::process::id()));
    let options = RunOptions {
        threads: 2,
        sync_interval: Duration::MAX,
        ..RunOptions::default()
    };
    let run_peak = |runs: u64| {
        let path = folder.join(format!("{runs}"));
        let plan = plan(&job, runs);
        peak_of(|| {
            run(&plan, &job, &path, &options, &|_| {}).unwrap();
        })
    };
    let peaks = [100, 10_000, 40_000].map(run_peak);
    println!("peak of running 100, 10,000 and 40,000 runs: {peaks:?} bytes");
    let row_groups = (40_000 - 10_000) / softdock_study::store::BLOCK as usize + 1;
    assert!(peaks[1] < peaks[0] + BLOCK_MEMORY, "{peaks:?}");
    assert!(
        peaks[2] < peaks[1] + row_groups * ROW_GROUP_MEMORY,
        "{peaks:?}"
    );

    let resume_peak = peak_of(|| {
        let options = RunOptions {
            resume: true,
            ..options
        };
        run(
            &plan(&job, 40_000),
            &job,
            &folder.join("40000"),
            &options,
            &|_| {},
        )
        .unwrap();
    });
    println!("peak of resuming 40,000 finished runs: {resume_peak} bytes");
    assert!(
        resume_peak < peaks[1] + row_groups * ROW_GROUP_MEMORY,
        "{resume_peak}"
    );

    let parts: Vec<Directory> = (0..2)
        .map(|index| {
            let path = folder.join(format!("part-{index}"));
            let options = RunOptions {
                shard: Shard::new(index, 2).unwrap(),
                ..options
            };
            run(&plan(&job, 40_000), &job, &path, &options, &|_| {}).unwrap();
            Directory::open(&path).unwrap()
        })
        .collect();
    let merge_peak = peak_of(|| {
        merge(
            &parts,
            &folder.join("merged"),
            Completeness::Whole,
            Versions::Same,
        )
        .unwrap();
    });
    println!("peak of merging 40,000 runs: {merge_peak} bytes");
    assert!(
        merge_peak < peaks[1] + row_groups * ROW_GROUP_MEMORY,
        "{merge_peak}"
    );
    std::fs::remove_dir_all(folder).unwrap();
}
