//! Scripts that run a study under PBS (OpenPBS, PBS Professional): an array of shards and a merge.
//!
//! PBS cannot put a task of an array back into the queue by itself: a shard that is out of time ends with
//! the status of an unfinished one, the merge does not start, and submitting again does what is left.

use crate::error::{Result, setting};
use crate::slurm::{Script, SlurmJob, command_line, quote};

/// The scripts of a study: `array.pbs`, `merge.pbs`, and `submit-pbs.sh`, which submits both from the
/// folder they are in.
pub fn scripts(job: &SlurmJob) -> Result<[Script; 3]> {
    job.validate()?;
    let array = head(job, "shards", job.threads, &job.time_limit, &job.memory)?;
    let merge = head(job, "merge", 1, &job.merge_time_limit, &job.merge_memory)?;
    Ok([
        Script {
            file: "array.pbs",
            text: array + &array_body(job),
        },
        Script {
            file: "merge.pbs",
            text: merge + &merge_body(job),
        },
        Script {
            file: "submit-pbs.sh",
            text: submit(job),
        },
    ])
}

/// The head of a script. The partition is PBS's queue.
fn head(
    job: &SlurmJob,
    kind: &str,
    threads: u32,
    time: &Option<String>,
    memory: &Option<String>,
) -> Result<String> {
    let name = job.plain_name();
    let memory = match memory {
        Some(memory) => format!(":mem={}", memory_words(memory)?),
        None => String::new(),
    };
    let mut text = format!(
        "#!/bin/bash\n#PBS -N {name}-{kind}\n#PBS -j oe\n#PBS -r y\n\
         #PBS -l select=1:ncpus={threads}{memory}\n"
    );
    if let Some(time) = time {
        let parts: Vec<&str> = time.split(':').collect();
        let digits = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
        if parts.len() != 3 || !parts.iter().all(digits) {
            return Err(setting("time", time, "must be HH:MM:SS for PBS"));
        }
        text += &format!("#PBS -l walltime={time}\n");
    }
    if let Some(queue) = &job.partition {
        text += &format!("#PBS -q {queue}\n");
    }
    if let Some(account) = &job.account {
        text += &format!("#PBS -A {account}\n");
    }
    Ok(text)
}

/// Slurm's `2G` as PBS's `2gb`; a number alone is of megabytes.
fn memory_words(memory: &str) -> Result<String> {
    let digits = memory.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = memory[digits.len()..].to_ascii_lowercase();
    let unit = match unit.trim_end_matches('b') {
        "" | "m" => "mb",
        "k" => "kb",
        "g" => "gb",
        "t" => "tb",
        _ => "",
    };
    let whole = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    if !whole || unit.is_empty() {
        return Err(setting("mem", memory, "must be a number with K, M, G or T"));
    }
    Ok(format!("{digits}{unit}"))
}

fn array_body(job: &SlurmJob) -> String {
    let array = match job.shards {
        // An array of one task is no array for PBS.
        1 => String::new(),
        shards => format!("#PBS -J 0-{}\n", shards - 1),
    };
    format!(
        r#"{array}
# One shard of the study. Finished runs are never done again, so that it may be stopped and submitted
# at will.
shard=${{PBS_ARRAY_INDEX:-0}}
exec {command} --out {parts}/shard-"$shard" --shard "$shard"/{shards} --threads {threads} --resume
"#,
        command = command_line(&job.run_command),
        parts = quote(&job.below_out("parts")),
        shards = job.shards,
        threads = job.threads,
    )
}

fn merge_body(job: &SlurmJob) -> String {
    format!(
        r#"
# Makes one directory with one table of all shards.
parts=()
for ((shard = 0; shard < {shards}; shard++)); do
  parts+=({folder}/shard-"$shard")
done
exec {command} "${{parts[@]}}" --out {merged}
"#,
        shards = job.shards,
        folder = quote(&job.below_out("parts")),
        command = command_line(&job.merge_command),
        merged = quote(&job.below_out("merged")),
    )
}

fn submit(job: &SlurmJob) -> String {
    format!(
        r#"#!/bin/bash
# Submits the shards of a study and a merge that starts when all of them are done. Submitting again after
# shards were stopped does what is left.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p {parts} {logs}
array=$(qsub -o {logs}/ array.pbs)
merge=$(qsub -o {logs}/ -W depend=afterok:"$array" merge.pbs)
echo "shards: job $array, merge: job $merge"
"#,
        parts = quote(&job.below_out("parts")),
        logs = quote(&job.below_out("logs")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(shards: u64) -> SlurmJob {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        SlurmJob {
            name: "IDSS envelope".into(),
            run_command: words("softdock batch run it's.toml"),
            merge_command: words("softdock batch merge"),
            out: "/scratch/envelope".into(),
            shards,
            threads: 4,
            max_restarts: 10,
            time_limit: Some("12:00:00".into()),
            memory: Some("2G".into()),
            merge_time_limit: Some("00:30:00".into()),
            merge_memory: Some("500".into()),
            partition: Some("short".into()),
            account: None,
        }
    }

    #[test]
    fn scripts_say_what_pbs_needs() {
        let [array, merge, submit] = scripts(&job(64)).unwrap();
        for line in [
            "#PBS -N IDSS-envelope-shards",
            "#PBS -J 0-63",
            "#PBS -l select=1:ncpus=4:mem=2gb",
            "#PBS -l walltime=12:00:00",
            "#PBS -q short",
        ] {
            assert!(
                array.text.lines().any(|l| l == line),
                "{line}\n{}",
                array.text
            );
        }
        assert!(array.text.contains(r"'it'\''s.toml'"));
        assert!(
            array
                .text
                .contains("--shard \"$shard\"/64 --threads 4 --resume")
        );
        assert!(merge.text.contains("select=1:ncpus=1:mem=500mb"));
        assert!(merge.text.contains("walltime=00:30:00"));
        assert!(submit.text.contains("depend=afterok:\"$array\""));
        assert!(!scripts(&job(1)).unwrap()[0].text.contains("#PBS -J"));
    }

    #[test]
    fn what_pbs_does_not_know_is_refused() {
        let days = SlurmJob {
            time_limit: Some("1-12:00:00".into()),
            ..job(2)
        };
        assert!(scripts(&days).unwrap_err().to_string().contains("HH:MM:SS"));
        let memory = SlurmJob {
            memory: Some("2X".into()),
            ..job(2)
        };
        assert!(
            scripts(&memory)
                .unwrap_err()
                .to_string()
                .contains("K, M, G or T")
        );
    }
}
