#!/usr/bin/env bash
# From a bare Debian 12 to a delivered event: installs what is missing, builds, runs the demo.
set -euo pipefail
. "$(dirname "$0")/setup.sh"

# A build for use needs no tests; scripts/test.sh turns them on in a build of its own.
cmake --preset release -DLEASEBOX_TESTS=OFF >/dev/null
cmake --build --preset release --target leasebox_cli
program=$PWD/build/release/src/apps/leasebox

"$program" demo

cat <<EOF

Three commands to try next:
  $program append --store app.db -d billing '{"n":1}'
  $program receive --listen 127.0.0.1:8080      # in another terminal: a consumer
  $program run --store app.db --to billing=http://127.0.0.1:8080/ --until-idle
EOF
