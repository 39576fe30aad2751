#!/usr/bin/env bash
# Runs the FMUs of this project in the importer of the crate `fmi` and compares them with the reference
# results inside them: FMI 2.0, since the crate's reader (0.8) refuses descriptions of FMI 3.0 whose
# variables have units ("unknown field `unit`"). The crate wants libclang when it is built: it is installed where
# that is possible (INSTALL=1, as root, with apt-get); where it cannot be had, the script says so and does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

program="${1:-target/release/softdock}"
skip() { echo "SKIPPED tests/fmi-crate.sh: $1"; exit 0; }

have_libclang() {
  [ -n "${LIBCLANG_PATH:-}" ] || ldconfig -p | grep -q 'libclang' ||
    compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' >/dev/null
}
if ! have_libclang && [ "${INSTALL:-0}" = 1 ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libclang-dev >/dev/null || true
fi
have_libclang || skip "libclang is missing (apt-get install libclang-dev)"
[ -x "$program" ] || { echo "$program is missing: cargo build --release" >&2; exit 1; }

target="${CARGO_TARGET_DIR:-target}/fmi-crate"
cargo build --quiet --release --locked --manifest-path tests/fmi-crate/Cargo.toml --target-dir "$target" ||
  skip "the crate fmi cannot be built here"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in 2; do
  for model in LegPlanar LegSpatial EndEffector Platform Docking driven-arm; do
    "$program" fmu export --fmi "$version" --model "$model" --out "$folder/$version" >/dev/null
  done
done
"$target/release/softdock-in-fmi-crate" "$folder"/*/*.fmu
