#!/usr/bin/env bash
# Installs what is missing, builds and runs the tests that are not slow. Closes with the count.
#
#   scripts/test.sh [presets...]    release unless told otherwise

source "$(dirname "$0")/internal/testing.sh"

./scripts/bootstrap.sh --test
./scripts/internal/python_environment.sh
for preset in "${@:-release}"; do
  attempt run_tests "$preset" --label-exclude '^slow$'
done
finish_tests
