#!/usr/bin/env bash
# Plants small bugs, one at a time, and says which of them no test notices (cargo-mutants).
#
#   tests/mutants.sh GROUP [ARGUMENT…]     further arguments go to cargo-mutants, such as --shard 0/8
#
# Groups, each with the tests that guard it and are quick enough to be run for every bug:
#
#   statistics   study/src/statistics                         tests of `study`
#   store        study/src/store, merge.rs, status.rs, …      tests of `study`
#   maps         fmu/legs/src/variables                       tests of `fmu`
#   settings     cli/src/settings                             unit tests of `cli`
#   results      multibody/src/results                         unit tests of `multibody`
#   summaries    docking/src/summary.rs, outcome.rs, track.rs unit tests of `docking`, tests of `dock`
#
# Needs cargo-mutants: cargo install cargo-mutants. One job; a group takes from minutes to hours. The
# results are in mutants.out of the folder that MUTANTS_OUT names (target/mutants otherwise).
set -euo pipefail
cd "$(dirname "$0")/.."
group=${1:?"which group? statistics, store, maps, settings, results or summaries"}
shift

if ! command -v cargo-mutants >/dev/null 2>&1; then
  echo "cargo-mutants is not on the PATH: cargo install cargo-mutants" >&2
  exit 1
fi

files=()
case $group in
  statistics)
    package=softdock-study
    files=('study/src/statistics/**')
    tests=(--lib --test study -- sensitivity statistics)
    ;;
  store)
    package=softdock-study
    files=('study/src/store/**' study/src/merge.rs study/src/status.rs study/src/missing.rs
      study/src/finish.rs study/src/table/**)
    # Without those that wait for killed processes and full disks.
    tests=(--lib --test study -- --skip kill:: --skip disk --skip slurm:: --skip importers::)
    ;;
  maps)
    package=softdock-leg-models
    files=('fmu/legs/src/variables/**')
    tests=(--package softdock-leg-models --package softdock-fmu --lib --test fmu -- --skip valgrind::)
    ;;
  settings)
    package=softdock
    files=('cli/src/settings/**' cli/src/settings.rs)
    tests=(--bin softdock -- settings)
    ;;
  results)
    package=multibody
    files=('multibody/src/results/**')
    tests=(--lib)
    ;;
  summaries)
    package=softdock-docking
    files=(docking/src/summary.rs docking/src/outcome.rs docking/src/track.rs)
    # What recomputes every figure is a test of the program.
    tests=(--package softdock --package softdock-docking --lib --test dock -- figures outcome)
    ;;
  *)
    echo "unknown group: $group" >&2
    exit 2
    ;;
esac

out=${MUTANTS_OUT:-target/mutants}
mkdir -p "$out"
named=()
for file in "${files[@]}"; do named+=(--file "$file"); done
# Bugs that are not noticed make the exit status 2, those that time out 3; both are in the summary.
exec nice cargo mutants --jobs 1 --no-shuffle --package "$package" "${named[@]}" \
  --output "$out" --profile release "$@" -- "${tests[@]}"
