#!/bin/sh
# Peak contact force of every shipped docking at its own settings against the same docking with 20
# elements and even steps of 0.05 ms, until 0.3 s behind the peak. Usage: tests/peaks.sh [path to
# softdock]; takes a quarter of an hour. Ends with status 1 if one is off by more than 0.1 %.
set -eu
softdock=${1:-target/release/softdock}
figure() {
    tr ',' '\n' | sed -n "s/.*\"$1\": *\([0-9.e+-]*\).*/\1/p"
}
run() {
    # A suspect result (status 3) has a peak all the same, and the table should show it.
    "$softdock" dock "$@" --json --no-report || [ $? -eq 3 ]
}
# The names that the program itself lists.
names=$("$softdock" dock no-such-scenario 2>&1 | sed -n 's/.*(there are \(.*\)).*/\1/p' | tr -d ',')
[ -n "$names" ]
worst=0
printf '%-20s %12s %12s %10s\n' scenario 'peak [N]' 'converged' 'error [%]'
for name in $names; do
    own=$(run "$name")
    peak=$(echo "$own" | figure peak_contact_force_n)
    until=$(echo "$own" | figure peak_contact_time_s | awk '{ printf "%.3f", $1 + 0.3 }')
    fine=$(run "$name" --set "duration_s=$until" --set legs.elements=20 --set solver.step_s=5e-5 \
        --set solver.step_accuracy=0 | figure peak_contact_force_n)
    error=$(awk -v a="$peak" -v b="$fine" 'BEGIN { printf "%.4f", 100 * (a / b - 1) }')
    printf '%-20s %12.4f %12.4f %10s\n' "$name" "$peak" "$fine" "$error"
    worst=$(awk -v w="$worst" -v e="$error" 'BEGIN { e = e < 0 ? -e : e; print (e > w ? e : w) }')
done
awk -v w="$worst" 'BEGIN { exit !(w <= 0.1) }'
