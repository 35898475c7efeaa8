#!/usr/bin/env bash
# Everything there is to check: all presets with the slow tests, another machine, formatting, style, documentation, packages.

source "$(dirname "$0")/internal/testing.sh"

./scripts/bootstrap.sh --dev
for preset in release debug asan tsan; do
  attempt run_tests "$preset"
done
attempt ./scripts/cross.sh --all
attempt ./scripts/format.sh --check
attempt ./scripts/tidy.sh
attempt ./scripts/docs.sh
if ((EUID == 0)); then
  attempt ./scripts/prove_packages.sh
else
  echo "The proof of the packages is skipped: it makes a clean system, which needs root."
fi
finish_tests
