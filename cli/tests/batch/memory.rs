//! The memory of the program does not grow with the number of runs.

use crate::common::{Folder, sound_study};
use std::io::Write;
use std::time::Duration;

/// Peak resident memory of a process [bytes], while it lives.
fn peak_memory(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

/// What a larger study may need beyond a small one [bytes]: a block of rows and the allocator's
/// habits; a tenth of what one run needs for all its samples.
const ALLOWED: u64 = 2 << 20;

/// Ten thousand runs are measured by hand (`softdock batch run` under `/usr/bin/time -v`); here are
/// fewer, so that the test is quick. One step each.
#[test]
fn peak_memory_does_not_grow_with_the_number_of_runs() {
    if peak_memory(std::process::id()).is_none() {
        // Past the capture of the test harness.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED peak_memory_does_not_grow_with_the_number_of_runs: the system does not tell \
             the peak memory"
        );
        return;
    }
    let folder = Folder::new("memory");
    let peak = |runs: u64| {
        let name = format!("{runs}.toml");
        let text = sound_study(runs).replace("duration_s = 0.03", "duration_s = 0.001");
        folder.write(&name, &text);
        let words = ["run", &name, "--out", &runs.to_string(), "--threads", "2"];
        let mut child = folder.start(&words);
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            peak = peak_memory(child.id()).unwrap_or(0).max(peak);
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(child.wait().unwrap().success());
        peak
    };
    let (small, large) = (peak(20), peak(400));
    eprintln!("peak memory of 20 and 400 runs: {small} and {large} bytes");
    assert!(small > 0 && large < small + ALLOWED, "{small} {large}");
}
