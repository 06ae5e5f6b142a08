#!/usr/bin/env bash
# Installs what a bare Debian 12 lacks for building and testing Leasebox. Sourced by the other
# scripts; run by itself it only installs. Safe to run again: where nothing is missing it does
# nothing and asks for nothing.
set -euo pipefail

leasebox_packages=(
  g++ clang cmake ninja-build ccache
  libboost1.81-dev libboost-json1.81-dev libboost-url1.81-dev
  libsqlite3-dev libsqlitecpp-dev libssl-dev
  libspdlog-dev libcli11-dev libtomlplusplus-dev
  libgtest-dev libgmock-dev
  sqlite3 python3 openssl pkg-config
)

leasebox_setup() {
  local missing=() package
  for package in "${leasebox_packages[@]}"; do
    dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' ||
      missing+=("$package")
  done
  if [ "${#missing[@]}" -eq 0 ]; then return 0; fi
  echo "Installing Debian packages: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "These packages are missing, and installing them needs root or sudo." >&2
      return 1
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
leasebox_setup
