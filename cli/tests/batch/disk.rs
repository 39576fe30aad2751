//! A full disk: a clear error, and resuming goes on.

use crate::common::{Folder, sound_study};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A disk of its own, a few pages large; unmounted at the end.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(path: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(path).unwrap();
        let options = format!("size={size}");
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &options, "softdock-test"]);
        let done = command.arg(path).output().ok()?;
        done.status.success().then(|| Self(path.to_path_buf()))
    }

    fn enlarge(&self, size: &str) {
        let options = format!("remount,size={size}");
        let mut command = Command::new("mount");
        let done = command.args(["-o", &options]).arg(&self.0).status();
        assert!(done.unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_is_named_and_survived() {
    let folder = Folder::new("disk");
    let keep = "[keep]\nseries = \"all\"\n[base]";
    folder.write("study.toml", &sound_study(40).replace("[base]", keep));
    let Some(disk) = SmallDisk::mount(&folder.join("disk"), "256k") else {
        // Past the capture of the test harness.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED a_full_disk_is_named_and_survived: a small disk (tmpfs) cannot be mounted \
             here, which takes root"
        );
        return;
    };
    let words = [
        "run",
        "study.toml",
        "--out",
        "disk/out",
        "--resume",
        "--json",
    ];
    let error = folder.refused(1, &words);
    assert!(error.contains("no space left"), "{error}");
    assert!(error.contains("resume"), "{error}");
    let status = folder.json(&["status", "disk/out", "--json"]);
    let done = status["finished"].as_u64().unwrap();
    assert!((1..40).contains(&done), "{status}");
    disk.enlarge("64m");
    let rest = folder.json(&words);
    assert_eq!(rest["finished_before"], done);
    folder.json(&["run", "study.toml", "--out", "undisturbed", "--json"]);
    assert!(folder.table("disk/out") == folder.table("undisturbed"));
}
