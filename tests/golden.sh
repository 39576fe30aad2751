#!/usr/bin/env bash
# Records results that a rebuild of the house must not move, so that two versions of the program can
# be compared bit for bit:
#
#   tests/golden.sh target/release/softdock before
#   tests/golden.sh other/softdock after
#   diff -r before after
#
# Wall times and versions are left out. Takes about three minutes.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
program=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# What differs from run to run: times of this machine, folders.
timeless() {
  sed -E '/"(wall_s|preparation_s|cpu_s)"/d; /wall time/d; s#[^ ]*/tmp[^ ]*##g; /^ *(time series|report|page|table) /d'
}

# keep NAME COMMAND...: standard output and exit status of a command, and the tables it writes.
keep() {
  local name=$1 status=0
  shift
  "$program" "$@" --out "$work/run" >"$work/stdout" 2>"$work/stderr" || status=$?
  { timeless <"$work/stdout"; echo "exit status $status"; } >"$out/$name.txt"
  for file in "$work"/run/*.csv; do [ -e "$file" ] && cp "$file" "$out/$name-$(basename "$file")"; done
  [ -e "$work/run/summary.json" ] && timeless <"$work/run/summary.json" >"$out/$name.json"
  rm -rf "$work/run"
}

"$program" verify 2>/dev/null | sed -E 's/ +[0-9.]+ s$//; / s of wall/d' >"$out/verify.txt" || true
for scenario in default aligned free-floating-pair gravity-bench idss-corner lateral-50mm motors-hold \
  motors-locked motors-lqr; do
  keep "dock-$scenario" dock "$scenario" --no-report
done
keep dock-implicit dock --no-report --set coupling=implicit --set duration_s=0.5
keep dock-fmu dock --no-report --legs fmu --set duration_s=0.5
keep leg-planar leg simulate --duration 1
keep leg-spatial leg spatial simulate --duration 0.5
keep leg-pretension leg pretension
keep leg-modes leg modes
keep platform-simulate platform simulate --duration 0.5 --force 0,0,-20
keep platform-stiffness platform stiffness
keep platform-linearize platform linearize
"$program" fmu export --out fmus >/dev/null
for model in LegPlanar LegSpatial; do
  "$program" fmu simulate "fmus/$model.fmu" --stop-time 0.5 --out run >/dev/null 2>&1 || true
  find run -name '*.csv' -exec cp {} "$out/fmu-$model.csv" \;
  rm -rf run
done
sed 's/^runs *=.*/runs = 50/; s/^duration_s *=.*/duration_s = 1.0/' "$here/../scenarios/idss-envelope.toml" >study.toml
"$program" batch run study.toml --out study >/dev/null 2>&1 || true
"$program" batch report study --json 2>/dev/null | timeless >"$out/study.json" || true
