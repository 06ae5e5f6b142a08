#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. PRESET=asan (or tsan, clang, release)
# picks another build; further arguments go to ctest.
set -euo pipefail
. "$(dirname "$0")/setup.sh"

preset=${PRESET:-dev}
cmake --preset "$preset" -DLEASEBOX_TESTS=ON >/dev/null
cmake --build --preset "$preset"
ctest --preset "$preset" --parallel "$(nproc)" "$@"
