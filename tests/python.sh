#!/usr/bin/env bash
# Builds the Python package into a virtual environment under the target folder and runs its tests
# against the program, which must have been built before (cargo build --release). Needs Python 3.9 or
# later with venv; what the package and its tests need is installed from the package index.
set -euo pipefail
cd "$(dirname "$0")/.."
target="$(cd "${CARGO_TARGET_DIR:-target}" && pwd)"
python="${PYTHON:-python3}"
program="$target/release/softdock"
[ -x "$program" ] || { echo "there is no $program: cargo build --release" >&2; exit 1; }
"$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 9))' ||
  { echo "$python is older than 3.9 or has no venv" >&2; exit 1; }

environment="$target/python/environment"
[ -x "$environment/bin/python" ] || "$python" -m venv "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
  'maturin>=1.7,<2' numpy pytest pandas pyarrow
# What runs the notebooks; where it cannot be had their tests say so and are skipped.
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
  matplotlib nbclient ipykernel || echo "the notebooks are not run: no nbclient, ipykernel or matplotlib" >&2

# The library for FMUs is part of the program's build; the newest one need not be built again.
library="$(ls -t "$target"/release/build/softdock-fmu-library-*/out/fmu-library/*/release/*softdock_fmu.* \
  2>/dev/null | grep -v '\.d$' | head -1 || true)"
[ -n "$library" ] && export SOFTDOCK_FMU_LIBRARY="$library"

wheels="$target/python/wheels"
rm -rf "$wheels"
# In the target folder of the program, so that what comes from the registry is not built again.
CARGO_TARGET_DIR="$target" "$environment/bin/maturin" build --quiet --locked --release \
  --interpreter "$environment/bin/python" --manifest-path python/Cargo.toml --out "$wheels"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
  --force-reinstall "$wheels"/softdock-*.whl

# From elsewhere, so that what is imported is what was installed.
cd "$target/python"
SOFTDOCK_PROGRAM="$program" "$environment/bin/python" -m pytest -q -p no:cacheprovider \
  "$OLDPWD/python/tests" "$@"
