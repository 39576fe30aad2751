#!/bin/sh
# Peak contact force of every shipped docking at its own settings against the same docking with 20
# elements and steps of 0.1 ms. Usage: tests/peaks.sh [path to softdock]; takes some minutes.
# Ends with status 1 if one is off by more than 0.1 %.
set -eu
softdock=${1:-target/release/softdock}
peak() {
    # A suspect result (status 3) has a peak all the same, and the table should show it.
    { "$softdock" dock "$@" --json --no-report || [ $? -eq 3 ]; } |
        tr ',' '\n' | sed -n 's/.*"peak_contact_force_n": *\([0-9.e+-]*\).*/\1/p'
}
names="default aligned lateral-50mm idss-corner idss-ring gravity-bench free-floating-pair motors-locked motors-hold motors-impedance motors-lqr"
worst=0
printf '%-20s %12s %12s %10s\n' scenario 'peak [N]' 'converged' 'error [%]'
for name in $names; do
    own=$(peak "$name")
    fine=$(peak "$name" --set legs.elements=20 --set solver.step_s=1e-4)
    error=$(awk -v a="$own" -v b="$fine" 'BEGIN { printf "%.4f", 100 * (a / b - 1) }')
    printf '%-20s %12.4f %12.4f %10s\n' "$name" "$own" "$fine" "$error"
    worst=$(awk -v w="$worst" -v e="$error" 'BEGIN { e = e < 0 ? -e : e; print (e > w ? e : w) }')
done
awk -v w="$worst" 'BEGIN { exit !(w <= 0.1) }'
