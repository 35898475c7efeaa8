#!/usr/bin/env bash
# Everything there is to check: all presets with the slow tests, formatting, style, documentation.

source "$(dirname "$0")/internal/testing.sh"

./scripts/bootstrap.sh --dev
for preset in release debug asan tsan; do
  attempt run_tests "$preset"
done
attempt ./scripts/format.sh --check
attempt ./scripts/tidy.sh
attempt ./scripts/docs.sh
finish_tests
