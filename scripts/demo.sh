#!/usr/bin/env bash
# Recognises handwritten digits: installs what is missing, builds, runs. Arguments go to the program.
#
#   scripts/demo.sh [--device=URI]

source "$(dirname "$0")/internal/steps.sh"

./scripts/bootstrap.sh
./scripts/build.sh release halyard-digits
exec build/release/bin/halyard-digits "$@"
