#!/usr/bin/env bash
# Runs the fuzz targets with libFuzzer, one after the other, and says how often each was executed and
# what was found.
#
#   fuzz/run.sh [SECONDS [TARGET…]]     60 seconds each, all targets, unless told otherwise
#
# Needs cargo-fuzz, which is installed into fuzz/target/tools if it is missing, a C++ compiler for
# libFuzzer itself, and an instrumenting compiler: a nightly one, or a stable one that is told to act
# as one (RUSTC_BOOTSTRAP=1, set here). Where that cannot be had the script says SKIPPED and why, with
# exit status 0. Exit status 1 when a target does not build or an input is found that breaks it; such
# inputs are kept in fuzz/artifacts, what was learnt in fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-60}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(settings journal fmu_state model_description model_description_3 archive)

skip() {
  echo "SKIPPED fuzzing: $*"
  exit 0
}

tools=$PWD/target/tools
log=$(mktemp)
export TMPDIR=${TMPDIR:-/tmp}
trap 'rm -f "$log"; rm -rf /dev/shm/softdock-fuzz-* "$TMPDIR"/softdock-fuzz-*' EXIT

command -v c++ >/dev/null 2>&1 || skip "there is no C++ compiler (c++), which libFuzzer is built with"
if ! command -v cargo-fuzz >/dev/null 2>&1; then
  export PATH=$tools/bin:$PATH
  if ! command -v cargo-fuzz >/dev/null 2>&1; then
    echo "installing cargo-fuzz into fuzz/target/tools"
    cargo install --quiet --debug --root "$tools" cargo-fuzz >"$log" 2>&1 ||
      skip "cargo-fuzz is missing and cannot be installed: $(tail -n 3 "$log")"
  fi
fi

rustc --version | grep -q nightly || export RUSTC_BOOTSTRAP=1
probe=$(mktemp -d)
echo 'fn main() {}' >"$probe/probe.rs"
instrumented=(-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=1)
if ! rustc "${instrumented[@]}" --crate-type lib -o "$probe/probe.rlib" "$probe/probe.rs" 2>"$log"; then
  rm -rf "$probe"
  skip "this compiler cannot instrument code: $(head -n 3 "$log")"
fi
sanitizer=address
if ! rustc -Zsanitizer=address -o "$probe/probe" "$probe/probe.rs" 2>"$log" || ! "$probe/probe"; then
  echo "without AddressSanitizer, which this compiler does not have: $(head -n 1 "$log")"
  sanitizer=none
fi
rm -rf "$probe"

# The versions of the program's dependencies, with what only the targets need added to them.
[ -f Cargo.lock ] || cp ../Cargo.lock Cargo.lock

host=$(rustc -vV | sed -n 's/^host: //p')
found=0
for target in "${targets[@]}"; do
  echo "== $target"
  cargo fuzz build --fuzz-dir . --sanitizer "$sanitizer" "$target" >"$log" 2>&1 ||
    { tail -n 40 "$log" >&2; echo "$target does not build" >&2; exit 1; }
  program=$PWD/target/$host/release/$target
  mkdir -p "corpus/$target" "artifacts/$target"
  SOFTDOCK_FUZZ_SEEDS=$PWD/corpus/$target "$program" >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; echo "$target cannot make its seeds" >&2; exit 1; }
  # Leaks are not looked for: what lives as long as the process is kept on purpose.
  if ASAN_OPTIONS=detect_leaks=0 "$program" "corpus/$target" \
    -artifact_prefix="artifacts/$target/" -max_total_time="$seconds" -timeout=25 \
    -rss_limit_mb=4096 -max_len=60000 -print_final_stats=1 >"$log" 2>&1; then
    result="nothing found"
  else
    result="FOUND: $(grep -E 'panicked|ERROR|SUMMARY|Test unit written' "$log" | head -n 6)"
    found=1
  fi
  executions=$(sed -n 's/^stat::number_of_executed_units: //p' "$log")
  coverage=$(grep -oE 'cov: [0-9]+' "$log" | tail -n 1)
  echo "$target: ${executions:-?} executions, ${coverage:-cov: ?}, $result"
done
exit "$found"
