#!/usr/bin/env bash
# Builds the libraries twice from nothing, in folders of other names and at other times, without a cache of compilations.
# They must have the same bytes.

source "$(dirname "$0")/internal/steps.sh"

export CCACHE_DISABLE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
libraries=(libhalyard.so libhalyard.a)

copy_sources() {
  mkdir -p "$1"
  git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --create | tar --extract --directory="$1"
}

# build_in FOLDER: only what the libraries need.
build_in() {
  copy_sources "$1" &&
    cd "$1" &&
    cmake --preset release -DHALYARD_BUILD_TESTS=OFF -DHALYARD_BUILD_TOOLS=OFF -DHALYARD_BUILD_EXAMPLES=OFF \
      -DHALYARD_BUILD_BENCHMARKS=OFF -DHALYARD_INSTALL=OFF &&
    cmake --build --preset release --parallel "$jobs" --target halyard halyard_static
}

compare() {
  local library status=0
  for library in "${libraries[@]}"; do
    cmp "$work/one/build/release/lib/$library" "$work/a folder of another length/build/release/lib/$library" || status=1
  done
  ! grep --binary-files=text -l "$work" "$work"/*/build/release/lib/libhalyard.{so,a} || status=1
  return "$status"
}

step "Build in a folder" reproducible-1 build_in "$work/one"
step "Build in another folder" reproducible-2 build_in "$work/a folder of another length"
step "Compare the libraries" reproducible compare
(cd "$work/one/build/release/lib" && sha256sum "${libraries[@]}")
