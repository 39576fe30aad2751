//! Scripts that run a study on a cluster with Slurm: an array of shards, each resumable and requeued
//! when it is interrupted, and a merge that waits for all of them.
//!
//! Nothing here depends on Slurm to be right: the same `--shard K/N --resume` works under any
//! scheduler, and a shard that is started twice or killed at any moment does no harm.

use crate::error::{Result, setting};
use crate::shard::Shard;
use std::path::Path;

/// Exit status of a program that stopped because it was asked to (by SIGTERM, shortly before the
/// time limit): its shard is not finished, and starting it again makes sense. It is the `EX_TEMPFAIL`
/// of sysexits.h.
pub const EXIT_UNFINISHED: u8 = 75;

/// Threads of a shard at most: more than the nodes of clusters have cores.
const MOST_THREADS: u32 = 1024;

/// A study on a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlurmJob {
    /// Name of the job; characters that Slurm could misread become `-`.
    pub name: String,
    /// Program and arguments that run a shard; `--out`, `--shard`, `--threads` and `--resume` are
    /// added.
    pub run_command: Vec<String>,
    /// Program and arguments that merge; the directories and `--out` are added.
    pub merge_command: Vec<String>,
    /// Directory for everything, best absolute: `parts/shard-K`, `logs`, `merged`.
    pub out: String,
    /// Number of shards.
    pub shards: u64,
    /// Threads, and cores, of a shard.
    pub threads: u32,
    /// How often an interrupted shard is started again.
    pub max_restarts: u32,
    /// Time limit in Slurm's form, for example `12:00:00`.
    pub time_limit: Option<String>,
    /// Memory in Slurm's form, for example `2G`.
    pub memory: Option<String>,
    /// Time limit of the merge.
    pub merge_time_limit: Option<String>,
    /// Memory of the merge; it needs that of one block of runs, whatever their number.
    pub merge_memory: Option<String>,
    /// Partition.
    pub partition: Option<String>,
    /// Account.
    pub account: Option<String>,
}

/// A script with the name of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Name of the file.
    pub file: &'static str,
    /// Its text.
    pub text: String,
}

/// The scripts of a study: `array.sh` and `merge.sh` for Slurm, and `submit.sh`, which submits both
/// from the folder they are in.
pub fn scripts(job: &SlurmJob) -> Result<[Script; 3]> {
    job.validate()?;
    Ok([
        Script {
            file: "array.sh",
            text: job.array_script(),
        },
        Script {
            file: "merge.sh",
            text: job.merge_script(),
        },
        Script {
            file: "submit.sh",
            text: job.submit_script(),
        },
    ])
}

impl SlurmJob {
    pub(crate) fn validate(&self) -> Result<()> {
        Shard::new(0, self.shards)?;
        // The cores are those of a node, which is not this machine.
        if !(1..=MOST_THREADS).contains(&self.threads) {
            let allowed = format!("must be 1 to {MOST_THREADS}");
            return Err(setting("threads", self.threads, allowed));
        }
        for (key, words) in [("run", &self.run_command), ("merge", &self.merge_command)] {
            if words.is_empty() {
                return Err(setting(
                    format!("{key}_command"),
                    "[]",
                    "must name a program",
                ));
            }
        }
        let texts = self
            .run_command
            .iter()
            .chain(&self.merge_command)
            .chain([&self.out]);
        for text in texts {
            if text.is_empty() || text.contains('\0') {
                let rule = "words and paths must not be empty or hold NUL";
                return Err(setting("command", format!("{text:?}"), rule));
            }
        }
        let of_merge = [
            ("merge-time", &self.merge_time_limit),
            ("merge-mem", &self.merge_memory),
        ];
        let of_merge = of_merge
            .into_iter()
            .filter_map(|(k, v)| Some((k, v.as_deref()?)));
        for (key, value) in self.options().into_iter().chain(of_merge) {
            let fine = |c: char| c.is_ascii_alphanumeric() || "._-:,+".contains(c);
            if value.is_empty() || !value.chars().all(fine) {
                let rule = "must be letters, digits and . _ - : , +";
                return Err(setting(key, format!("{value:?}"), rule));
            }
        }
        Ok(())
    }

    /// Options that go into the head of a script, where no shell quotes them.
    fn options(&self) -> Vec<(&'static str, &str)> {
        let given = [
            ("time", &self.time_limit),
            ("mem", &self.memory),
            ("partition", &self.partition),
            ("account", &self.account),
        ];
        given
            .into_iter()
            .filter_map(|(key, value)| Some((key, value.as_deref()?)))
            .collect()
    }

    /// The name of a job, of characters that no scheduler misreads.
    pub(crate) fn plain_name(&self) -> String {
        let allowed = |c: char| {
            if c.is_ascii_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '-'
            }
        };
        self.name.chars().map(allowed).collect()
    }

    fn head(&self, kind: &str, time: &Option<String>, memory: &Option<String>) -> String {
        let name = self.plain_name();
        let mut text = format!(
            "#!/bin/bash\n#SBATCH --job-name={name}-{kind}\n#SBATCH --ntasks=1\n\
             #SBATCH --requeue\n#SBATCH --open-mode=append\n"
        );
        for (key, value) in [
            ("time", time),
            ("mem", memory),
            ("partition", &self.partition),
            ("account", &self.account),
        ] {
            if let Some(value) = value {
                text += &format!("#SBATCH --{key}={value}\n");
            }
        }
        text
    }

    fn array_script(&self) -> String {
        let mut text = self.head("shards", &self.time_limit, &self.memory);
        text += &format!(
            "#SBATCH --array=0-{}\n#SBATCH --cpus-per-task={}\n",
            self.shards - 1,
            self.threads
        );
        if self.time_limit.is_some() {
            // Time enough to finish the runs under way.
            text += "#SBATCH --signal=B:TERM@120\n";
        }
        text += &format!(
            r#"
# One shard of the study. Finished runs are never done again, so that it may be stopped and started
# at will. Stopped by a signal, killed, or out of time, it is put back into the queue.
shard=$SLURM_ARRAY_TASK_ID
{command} --out {parts}/shard-"$shard" --shard "$shard"/{shards} --threads {threads} --resume &
program=$!
trap 'kill -TERM "$program" 2>/dev/null' TERM
wait "$program"
status=$?
while kill -0 "$program" 2>/dev/null; do
  wait "$program"
  status=$?
done

if [ "$status" -ge 128 ] || [ "$status" -eq {unfinished} ]; then
  if [ "${{SLURM_RESTART_COUNT:-0}}" -lt {restarts} ]; then
    echo "shard $shard stopped with status $status: back into the queue"
    scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$shard"
    # Slurm ends this script when it takes the shard back.
    sleep 60
  fi
fi
exit "$status"
"#,
            command = command_line(&self.run_command),
            parts = quote(&self.below_out("parts")),
            shards = self.shards,
            threads = self.threads,
            unfinished = EXIT_UNFINISHED,
            restarts = self.max_restarts,
        );
        text
    }

    fn merge_script(&self) -> String {
        let mut text = self.head("merge", &self.merge_time_limit, &self.merge_memory);
        text += &format!(
            r#"
# Makes one directory with one table of all shards.
parts=()
for ((shard = 0; shard < {shards}; shard++)); do
  parts+=({folder}/shard-"$shard")
done
exec {command} "${{parts[@]}}" --out {merged}
"#,
            shards = self.shards,
            folder = quote(&self.below_out("parts")),
            command = command_line(&self.merge_command),
            merged = quote(&self.below_out("merged")),
        );
        text
    }

    fn submit_script(&self) -> String {
        let logs = self.below_out("logs");
        // Slurm reads a percent sign in the name of a log as the start of a pattern.
        let pattern = |name: &str| quote(&format!("{}/{name}", logs.replace('%', "%%")));
        format!(
            r#"#!/bin/bash
# Submits the shards of a study and a merge that starts when all of them are done.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p {parts} {logs}
array=$(sbatch --parsable --output={shard_log} array.sh)
array=${{array%%;*}}
merge=$(sbatch --parsable --dependency=afterok:"$array" --kill-on-invalid-dep=yes \
  --output={merge_log} merge.sh)
echo "shards: job $array, merge: job ${{merge%%;*}}"
"#,
            parts = quote(&self.below_out("parts")),
            logs = quote(&logs),
            shard_log = pattern("shard-%a.log"),
            merge_log = pattern("merge.log"),
        )
    }

    pub(crate) fn below_out(&self, name: &str) -> String {
        Path::new(&self.out)
            .join(name)
            .to_string_lossy()
            .into_owned()
    }
}

pub(crate) fn command_line(words: &[String]) -> String {
    words
        .iter()
        .map(|word| quote(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word that the shell takes as it is.
pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> SlurmJob {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        SlurmJob {
            name: "IDSS envelope".into(),
            run_command: words("softdock batch run study.toml"),
            merge_command: words("softdock batch merge"),
            out: "/scratch/envelope".into(),
            shards: 64,
            threads: 4,
            max_restarts: 10,
            time_limit: Some("12:00:00".into()),
            memory: None,
            merge_time_limit: Some("00:30:00".into()),
            merge_memory: Some("1G".into()),
            partition: Some("short".into()),
            account: None,
        }
    }

    #[test]
    fn scripts_say_what_slurm_needs() {
        let [array, merge, submit] = scripts(&job()).unwrap();
        for line in [
            "#SBATCH --job-name=IDSS-envelope-shards",
            "#SBATCH --array=0-63",
            "#SBATCH --requeue",
            "#SBATCH --time=12:00:00",
            "#SBATCH --signal=B:TERM@120",
            "#SBATCH --partition=short",
            "#SBATCH --cpus-per-task=4",
        ] {
            assert!(
                array.text.lines().any(|found| found == line),
                "{line}\n{}",
                array.text
            );
        }
        assert!(
            array
                .text
                .contains("--shard \"$shard\"/64 --threads 4 --resume")
        );
        assert!(
            merge
                .text
                .contains("#SBATCH --time=00:30:00\n#SBATCH --mem=1G\n")
        );
        assert!(!merge.text.contains("--time=12"));
        assert!(submit.text.contains("--dependency=afterok:\"$array\""));
    }

    #[test]
    fn what_could_be_misread_is_refused() {
        for (change, expected) in [
            (SlurmJob { shards: 0, ..job() }, "shard = 0/0"),
            (
                SlurmJob {
                    threads: 0,
                    ..job()
                },
                "threads = 0",
            ),
            (
                SlurmJob {
                    partition: Some("a b".into()),
                    ..job()
                },
                "partition = \"a b\"",
            ),
            (
                SlurmJob {
                    time_limit: Some("1\n#SBATCH".into()),
                    ..job()
                },
                "time = ",
            ),
            (
                SlurmJob {
                    run_command: Vec::new(),
                    ..job()
                },
                "run_command = []",
            ),
            (
                SlurmJob {
                    out: String::new(),
                    ..job()
                },
                "command = \"\"",
            ),
        ] {
            let error = scripts(&change).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
