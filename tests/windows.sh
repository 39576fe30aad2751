#!/usr/bin/env bash
# The FMUs on Windows: cross-compiles their library for x86_64-pc-windows-gnu, compares the functions that it
# exports with those on Linux, puts both into one FMU, and runs legs under wine. Compares the outputs of every
# step with those on Linux bit by bit; where bits differ, says by how much, and fails above ALLOWED.
#
#   tests/windows.sh [FOLDER]
#
# FOLDER (below the target folder if it is not given) keeps the library, softdock_fmu.dll, and the merged FMUs.
# Needs the rustup target, MinGW and wine; says SKIPPED and why where one of them is missing, and installs them
# first with INSTALL=1. SOFTDOCK names the program, if it is not the one in the target folder.
set -euo pipefail
cd "$(dirname "$0")/.."

target=x86_64-pc-windows-gnu
# Difference of an output over its largest size that is allowed where bits differ.
ALLOWED=1e-9
built=${CARGO_TARGET_DIR:-target}
folder=${1:-$built/windows}
program=${SOFTDOCK:-$built/release/softdock}

skip() {
  echo "SKIPPED the FMUs on Windows: $*"
  exit 0
}

if [ "${INSTALL:-0}" = 1 ]; then
  rustup target add "$target" || true
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq || true
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      gcc gcc-mingw-w64-x86-64 wine wine64 binutils || true
  fi
fi
rustup target list --installed 2>/dev/null | grep -qx "$target" || skip "no rustup target $target"
command -v x86_64-w64-mingw32-gcc >/dev/null 2>&1 || skip "no x86_64-w64-mingw32-gcc"
command -v cc >/dev/null 2>&1 || skip "no C compiler for this system"
command -v unzip >/dev/null 2>&1 || command -v python3 >/dev/null 2>&1 || skip "neither unzip nor python3"
wine=$(command -v wine64 || command -v wine || command -v wine-stable || true)
[ -n "$wine" ] || skip "no wine"
[ -x "$program" ] || { echo "$program is missing: cargo build --release" >&2; exit 1; }

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

echo "== cross-compiling the library"
# As fmu/library/build.rs builds that of this system.
CARGO_PROFILE_RELEASE_DEBUG=false CARGO_PROFILE_RELEASE_STRIP=symbols \
  CARGO_PROFILE_RELEASE_PANIC=unwind CARGO_PROFILE_RELEASE_LTO=fat \
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1 CARGO_INCREMENTAL=0 \
  cargo rustc --release --locked --package softdock-fmu --lib --no-default-features \
  --crate-type cdylib --target "$target" --target-dir "$folder/build"
dll=$folder/softdock_fmu.dll
cp "$folder/build/$target/release/softdock_fmu.dll" "$dll"

unpack() { # ARCHIVE FOLDER
  rm -rf "$2"
  mkdir -p "$2"
  if command -v unzip >/dev/null 2>&1; then
    unzip -q "$1" -d "$2"
  else
    python3 -m zipfile -e "$1" "$2"
  fi
}

echo "== one FMU for both systems"
for model in LegPlanar LegSpatial; do
  "$program" --quiet fmu export --model "$model" --out "$folder/linux"
  "$program" --quiet fmu export --model "$model" --library "$dll" --out "$folder/win"
  "$program" --quiet fmu merge "$folder/linux/$model.fmu" "$folder/win/$model.fmu" --out "$folder"
  unpack "$folder/$model.fmu" "$folder/$model"
  [ -f "$folder/$model/binaries/linux64/$model.so" ] && [ -f "$folder/$model/binaries/win64/$model.dll" ] ||
    { echo "$model.fmu lacks a binary" >&2; exit 1; }
done

echo "== exported functions"
nm -D --defined-only "$folder/LegPlanar/binaries/linux64/LegPlanar.so" |
  awk '$3 ~ /^fmi[23]/ { sub(/@.*/, "", $3); print $3 }' | sort >"$folder/linux.txt"
x86_64-w64-mingw32-objdump -p "$dll" |
  awk '/\[Ordinal\/Name Pointer\] Table/ { names = 1; next } names && $NF ~ /^fmi[23]/ { print $NF }' |
  sort >"$folder/windows.txt"
[ -s "$folder/linux.txt" ] || { echo "no function is exported on Linux" >&2; exit 1; }
if ! diff "$folder/linux.txt" "$folder/windows.txt"; then
  echo "the libraries export different functions" >&2
  exit 1
fi
echo "$(wc -l <"$folder/windows.txt") functions on both systems"

echo "== runs"
cc -O1 -o "$folder/host" tests/windows/host.c -ldl
x86_64-w64-mingw32-gcc -O1 -o "$folder/host.exe" tests/windows/host.c
export WINEPREFIX="$folder/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="

attribute() { # of the variable NAME in the description: the attribute valueReference
  grep -o "<ScalarVariable name=\"$2\" valueReference=\"[0-9]*\"" "$1" | grep -o '[0-9]*"$' | tr -d '"'
}

failed=0
run_model() { # MODEL INPUT AMPLITUDE
  local description=$folder/$1/modelDescription.xml guid input outputs
  guid=$(grep -o ' guid="[^"]*"' "$description" | cut -d'"' -f2)
  input=$(attribute "$description" "${2//[/\\[}")
  outputs=$(grep -o '<ScalarVariable [^>]*causality="output"' "$description" |
    grep -o 'valueReference="[0-9]*"' | grep -o '[0-9]*')
  # shellcheck disable=SC2086
  "$folder/host" "$folder/$1/binaries/linux64/$1.so" "$guid" 200 0.001 "$input" "$3" $outputs \
    >"$folder/$1.linux.txt"
  # shellcheck disable=SC2086
  "$wine" "$folder/host.exe" "$folder/$1/binaries/win64/$1.dll" "$guid" 200 0.001 "$input" "$3" $outputs |
    tr -d '\r' >"$folder/$1.windows.txt"
  [ "$(wc -l <"$folder/$1.windows.txt")" -eq 300 ] || { echo "$1: lines are missing" >&2; exit 1; }
  # The second half, made again from the saved state, is the first one.
  diff <(sed -n '101,200p' "$folder/$1.windows.txt") <(sed -n '201,300p' "$folder/$1.windows.txt") >/dev/null ||
    { echo "$1: a restored state goes on differently" >&2; failed=1; }
  if cmp -s "$folder/$1.linux.txt" "$folder/$1.windows.txt"; then
    echo "$1: 300 lines with $(echo "$outputs" | wc -w) outputs, the same bits"
    return
  fi
  python3 - "$folder/$1.linux.txt" "$folder/$1.windows.txt" "$ALLOWED" <<'PY' || failed=1
import struct
import sys

rows = []
for path in sys.argv[1:3]:
    with open(path) as file:
        rows.append([[struct.unpack(">d", bytes.fromhex(word))[0] for word in line.split()[1:]] for line in file])
worst = 0.0
for column in zip(*(zip(*table) for table in rows)):
    size = max(abs(value) for value in column[0]) or 1.0
    worst = max(worst, max(abs(a - b) for a, b in zip(*column)) / size)
print(f"bits differ, by at most {worst:.1e} of the largest value of an output")
sys.exit(not worst <= float(sys.argv[3]))
PY
}
run_model LegPlanar 'motor.torque_command' 0.05
run_model LegSpatial 'tip.displacement[3]' 0.0001
[ "$failed" -eq 0 ] || { echo "FAILED" >&2; exit 1; }
echo PASSED
