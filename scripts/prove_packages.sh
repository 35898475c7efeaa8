#!/usr/bin/env bash
# Proves the packages where nothing is installed yet. In a minimal Debian: installs the .deb files, and builds and runs
# what docs/embedding.md shows, as the page says. In another one: unpacks the .tar.gz, does the same, moves the folder,
# and does it again. Needs root.
#
#   scripts/prove_packages.sh              makes the packages first
#   scripts/prove_packages.sh --no-build   takes those in build/packages

source "$(dirname "$0")/internal/clean_root.sh"

[[ ${1:-} == --no-build ]] || ./scripts/package.sh

# prove TITLE STEP...: a step of package_steps.sh, in the clean system. Logs are numbered, as steps occur twice.
prove() {
  local title=$1
  shift
  step "$title" "prove-packages-$((++proved))-$1" run_inside /proof "./package_steps.sh $*"
}
proved=0

bring_packages() {
  mkdir "$1/proof"
  cp build/packages/* scripts/internal/package_steps.sh "$1/proof/"
}

make_clean_root debian
pristine=$root-pristine
trap 'rm -rf --one-file-system "$root" "$pristine"' EXIT
bring_packages "$root"
cp -a "$root" "$pristine"

echo "== the .deb files"
prove "Install with apt" install_debs
prove "Install gcc and pkg-config" install_compiler
prove "The program of the docs" hello /usr
prove "Installed programs" programs /usr
prove "Install cmake and g++" install_cmake
prove "CMake project, shared" cmake_project shared
prove "CMake project, static" cmake_project static
prove "The program, static" hello_static
prove "Remove with apt" remove_debs

echo "== the .tar.gz"
rm -rf --one-file-system "$root"
mv "$pristine" "$root"
prove "Install gcc and libraries" install_for_archive
prove "Unpack in /opt" unpack /opt/halyard
prove "The program of the docs" hello /opt/halyard
prove "Programs of the archive" programs /opt/halyard
prove "Move it to \$HOME" move /opt/halyard /root/halyard
prove "The program again" hello /root/halyard
prove "Programs again" programs /root/halyard
