#!/usr/bin/env bash
# Makes the packages, three .deb files and a .tar.gz, in build/packages. docs/packaging.md tells what they hold.
# scripts/prove_packages.sh proves them.

source "$(dirname "$0")/internal/steps.sh"

packages=build/packages

make_packages() {
  rm -rf "$packages"
  cpack --config build/release/CPackConfig.cmake -B "$packages"
  rm -rf "$packages/_CPack_Packages"
}

./scripts/bootstrap.sh --dev
./scripts/build.sh release
step "Make the packages" package make_packages
(cd "$packages" && du --apparent-size -h -- *)
