//! The scripts for a cluster do what they say, under strange names too: run by bash with stand-ins
//! for Slurm's commands.

use crate::common::Folder;
use softdock_study::slurm::{SlurmJob, scripts};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

const STRANGE: &str = "it's $HOME `date` \"two\" 100% ; *";

fn executable(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Writes the scripts of a job whose program and paths have strange names. The program notes its
/// arguments and ends with the status asked for.
fn prepare(folder: &Folder) -> SlurmJob {
    let here = folder.join(STRANGE);
    std::fs::create_dir_all(here.join("bin")).unwrap();
    let log = here.join("log").to_string_lossy().replace('\'', r"'\''");
    let note = format!("#!/bin/bash\nprintf '%s|' \"$0\" \"$@\" >> '{log}'\necho >> '{log}'\n");
    let program = here.join("bin/the program");
    let program_text = format!("{note}[ \"$FATE\" = killed ] && kill -9 $$\nexit \"$FATE\"\n");
    executable(&program, &program_text);
    executable(
        &here.join("bin/sbatch"),
        &format!("{note}echo '123;cluster'\n"),
    );
    executable(&here.join("bin/scontrol"), &note);
    executable(&here.join("bin/sleep"), "#!/bin/bash\n");
    let program = program.to_string_lossy().into_owned();
    let job = SlurmJob {
        name: STRANGE.into(),
        run_command: vec![program.clone(), "run".into(), STRANGE.into()],
        merge_command: vec![program, "merge".into()],
        out: here.join("out").to_string_lossy().into_owned(),
        shards: 3,
        threads: 2,
        max_restarts: 5,
        time_limit: None,
        memory: None,
        merge_time_limit: None,
        merge_memory: None,
        partition: None,
        account: None,
    };
    for script in scripts(&job).unwrap() {
        std::fs::write(here.join(script.file), script.text).unwrap();
    }
    job
}

fn bash(folder: &Folder, script: &str, fate: &str, restarts: &str) -> (Output, Vec<String>) {
    let here = folder.join(STRANGE);
    let _ = std::fs::remove_file(here.join("log"));
    let path = format!(
        "{}:{}",
        here.join("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let output = Command::new("bash")
        .arg(here.join(script))
        .env("PATH", path)
        .env("FATE", fate)
        .env("SLURM_ARRAY_TASK_ID", "2")
        .env("SLURM_ARRAY_JOB_ID", "77")
        .env("SLURM_RESTART_COUNT", restarts)
        .output()
        .unwrap();
    let log = std::fs::read_to_string(here.join("log")).unwrap_or_default();
    (output, log.lines().map(str::to_owned).collect())
}

#[test]
fn a_shard_is_run_with_its_arguments_whatever_the_names() {
    let folder = Folder::new("slurm");
    let job = prepare(&folder);
    let (output, log) = bash(&folder, "array.sh", "0", "0");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let part = format!("{}/parts/shard-2", job.out);
    let words = [
        &job.run_command[0],
        "run",
        STRANGE,
        "--out",
        &part,
        "--shard",
        "2/3",
        "--threads",
        "2",
        "--resume",
    ];
    assert_eq!(log, [words.join("|") + "|"]);
}

#[test]
fn interrupted_shards_go_back_into_the_queue_and_failed_ones_do_not() {
    let folder = Folder::new("requeue");
    prepare(&folder);
    for (fate, restarts, status, requeued) in [
        ("killed", "0", 137, true),
        ("75", "4", 75, true),
        ("75", "5", 75, false),
        ("1", "0", 1, false),
    ] {
        let (output, log) = bash(&folder, "array.sh", fate, restarts);
        assert_eq!(output.status.code(), Some(status), "{fate}");
        let asked = log
            .iter()
            .any(|line| line.ends_with("scontrol|requeue|77_2|"));
        assert_eq!(asked, requeued, "{fate} after {restarts} restarts: {log:?}");
    }
}

#[test]
fn the_merge_names_every_shard_and_waits_for_them() {
    let folder = Folder::new("submit");
    let job = prepare(&folder);
    let (output, log) = bash(&folder, "merge.sh", "0", "0");
    assert!(output.status.success());
    let part = |k: u32| format!("{}/parts/shard-{k}", job.out);
    let merged = format!("{}/merged", job.out);
    let words = [
        &job.merge_command[0],
        "merge",
        &part(0),
        &part(1),
        &part(2),
        "--out",
        &merged,
    ]
    .join("|");
    assert_eq!(log, [words + "|"]);
    let (output, log) = bash(&folder, "submit.sh", "0", "0");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(log.len(), 2);
    assert!(
        log[0].contains("100%% ; *") && log[0].ends_with("shard-%a.log|array.sh|"),
        "{log:?}"
    );
    assert!(log[1].contains("--dependency=afterok:123|"), "{log:?}");
    assert!(Path::new(&job.out).join("logs").is_dir());
}
