#!/usr/bin/env bash
# Runs a study on a real Slurm: starts a cluster of one machine, submits a study as an array of 4
# shards, kills one of them with kill -9, lets it go through the queue again, waits for the merge and
# compares its table with that of a single process, byte for byte.
#
#   tests/slurm/run.sh [STUDY.toml PROGRAM [ARGUMENT…]]
#
# PROGRAM ARGUMENT… is put in front of `run`, `merge` and `slurm`; without arguments the example
# program of the study crate and tests/slurm/study.toml are used. With dockings:
#
#   tests/slurm/run.sh tests/slurm/docking.toml target/release/softdock batch
#
# Needs root and Debian's packages slurm-wlm and munge; they are installed if INSTALL=1 is set.
# Where they cannot be had, it says SKIPPED and why, and exits with 0 (with 1 if CI=true).
# Everything happens in a temporary folder, with sockets and ports of its own; nothing of the
# machine's own Slurm is touched.
set -euo pipefail
cd "$(dirname "$0")/../.."

shards=4
victim=2
patience_s=300

skip() {
  echo "SKIPPED tests/slurm/run.sh: $*" >&2
  if [ "${CI:-}" = true ]; then exit 1; fi
  exit 0
}

# --- what it takes -------------------------------------------------------------------------------

[ "$(uname)" = Linux ] || skip "Slurm runs on Linux only"
[ "$(id -u)" -eq 0 ] || skip "starting a cluster takes root"
have_slurm() {
  command -v slurmctld && command -v slurmd && command -v sbatch && command -v munged
} >/dev/null
if ! have_slurm; then
  [ "${INSTALL:-}" = 1 ] ||
    skip "Slurm is not installed (apt-get install slurm-wlm munge, or set INSTALL=1)"
  command -v apt-get >/dev/null || skip "Slurm is not installed, and neither is apt-get"
  apt-get update -qq && apt-get install -y -qq --no-install-recommends slurm-wlm munge ||
    skip "apt-get could not install slurm-wlm and munge"
  have_slurm || skip "slurm-wlm and munge are installed, but their programs are not on the PATH"
fi

if [ $# -ge 2 ]; then
  study=$1
  shift
  program=("$@")
else
  study=tests/slurm/study.toml
  cargo build --release --quiet --package softdock-study --example ishigami
  program=("${CARGO_TARGET_DIR:-target}/release/examples/ishigami")
fi

# --- a cluster of one machine ----------------------------------------------------------------------

folder=$(mktemp -d)
started=()
finish() {
  status=$?
  if [ $status -ne 0 ]; then
    tail -n 20 "$folder"/*.log "$folder"/out/logs/*.log 2>/dev/null || true
  fi
  # The last one started, the node, goes first; each is waited for, since it writes to the folder.
  for ((index = ${#started[@]} - 1; index >= 0; index--)); do
    kill "${started[index]}" 2>/dev/null || continue
    for _ in $(seq 100); do
      kill -0 "${started[index]}" 2>/dev/null || break
      sleep 0.1
    done
  done
  rm -rf "$folder"
  exit $status
}
trap finish EXIT

# The process id of a daemon, once it has written it.
daemon_pid() {
  for _ in $(seq 100); do
    if [ -s "$1" ]; then cat "$1"; return; fi
    sleep 0.1
  done
  return 1
}

free_port() {
  local port=$1
  while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
  echo "$port"
}

mkdir -p "$folder"/state "$folder"/spool
(umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
munged --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" \
  --pid-file="$folder/munge.pid" --log-file="$folder/munge.log" --seed-file="$folder/munge.seed" ||
  skip "munged does not start here: $(tail -n 3 "$folder/munge.log" 2>/dev/null)"
pid=$(daemon_pid "$folder/munge.pid") || skip "munged does not start here"
started+=("$pid")

node=$(hostname -s)
# Without this Slurm takes a node to have 1 MB, and refuses the merge job, which asks for memory.
memory_mb=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
controller_port=$(free_port 26817)
node_port=$(free_port $((controller_port + 1)))
cat >"$folder/slurm.conf" <<CONF
ClusterName=softdock-test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
# No control groups: they are not to be had in every container.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$node NodeAddr=127.0.0.1 CPUs=$shards RealMemory=$memory_mb State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$folder/slurm.conf

slurmctld -c || skip "slurmctld does not start here: $(tail -n 3 "$folder/slurmctld.log")"
pid=$(daemon_pid "$folder/slurmctld.pid") || skip "slurmctld does not start here"
started+=("$pid")
slurmd -c || skip "slurmd does not start here: $(tail -n 3 "$folder/slurmd.log")"
pid=$(daemon_pid "$folder/slurmd.pid") || skip "slurmd does not start here"
started+=("$pid")
for _ in $(seq 60); do
  state=$(sinfo --noheader --format=%T 2>/dev/null || true)
  [ "$state" = idle ] && break
  sleep 0.5
done
[ "$state" = idle ] || skip "the node does not become idle, it is '$state'"
echo "a cluster of one machine: $(sinfo --version), node $node"

# --- the study -----------------------------------------------------------------------------------

"${program[@]}" run "$study" --out "$folder/single" --threads 2 >"$folder/single.log"
"${program[@]}" slurm "$study" --shards $shards --out "$folder/out" --scripts "$folder/scripts"
bash "$folder/scripts/submit.sh"

# The process of a shard, found by the directory it writes to, which no other process names.
shard_pid() { pgrep -f -- "--out $folder/out/parts/shard-$1 " | head -n 1; }

deadline=$((SECONDS + patience_s))
rows=$folder/out/parts/shard-$victim/rows
until pid=$(shard_pid $victim) && [ -n "$pid" ] && [ -n "$(ls "$rows" 2>/dev/null)" ]; do
  [ $SECONDS -lt $deadline ] || { echo "shard $victim does not start" >&2; exit 1; }
  sleep 0.05
done
sleep 1
kill -9 "$pid"
echo "shard $victim (process $pid) was killed with kill -9"

restarted=false
while [ -n "$(squeue --noheader)" ]; do
  [ $SECONDS -lt $deadline ] || { squeue; echo "the jobs do not end" >&2; exit 1; }
  # Slurm lets a job wait for two minutes before it starts again; the test does not.
  waiting=$(squeue --noheader --array --states=PENDING --format='%i %r' |
    awk '$2 == "BeginTime" { print $1 }')
  for job in $waiting; do
    restarted=true
    scontrol update "JobId=$job" StartTime=now
  done
  sleep 0.5
done

# --- what came out -------------------------------------------------------------------------------

log=$folder/out/logs/shard-$victim.log
grep -q 'back into the queue' "$log" || { cat "$log"; echo "the shard was not requeued" >&2; exit 1; }
cat "$log"
before=$(sed -n "s/^shard $victim\/$shards: \([0-9]*\) runs before.*/\1/p" "$log")
if [ -n "$before" ] && [ "$before" -eq 0 ]; then
  echo "the requeued shard did not go on where it stopped" >&2
  exit 1
fi
cmp "$folder/single/results.parquet" "$folder/out/merged/results.parquet"
echo "PASSED: the merged table of $shards shards, one killed and requeued (waited in the queue: \
$restarted), equals that of a single process, byte for byte"
