#!/usr/bin/env bash
# Measures what claims cost and writes the raw output to bench/results.
#
#   scripts/bench-claims.sh [--quick] [FOLDER]
#
# FOLDER holds the stores while it runs (default: a temporary one); take one on the disk that
# you want to know about.
set -euo pipefail
cd "$(dirname "$0")/.."

quick=()
name=full
if [ "${1:-}" = --quick ]; then
    quick=(--quick)
    name=quick
    shift
fi
folder=$(mktemp -d ${1:+-p "$1"} -t leasebox-bench-XXXXXX)
trap 'rm -rf "$folder"' EXIT

cmake -S . -B build/bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DLEASEBOX_TESTS=OFF \
    -DLEASEBOX_APPS=OFF -DLEASEBOX_BENCH=ON >/dev/null
cmake --build build/bench --target leasebox_bench_claims ${BENCH_JOBS:+-j"$BENCH_JOBS"} >&2

out=bench/results/claims-$name.txt
mkdir -p bench/results
{
    echo "# scripts/bench-claims.sh ${quick[*]} $(date -u +%Y-%m-%dT%H:%MZ) $(git rev-parse --short HEAD)"
    echo "# $(uname -sr), $(nproc) cores, $(df --output=fstype "$folder" | tail -1), load $(cut -d' ' -f1 /proc/loadavg)"
    build/bench/bench/leasebox_bench_claims "${quick[@]}" "$folder"
} | tee "$out"
