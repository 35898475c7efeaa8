#!/usr/bin/env bash
# Runs tinygrad's own tests on the device HALYARD. They are in its repository, not in its wheel:
#
#   HALYARD_TINYGRAD=<a checkout of tinygrad> tinygrad_tests.sh [tests...]
#
# Needs halyard, numpy and pytest in the Python that `python3` is. HALYARD_URI names Halyard's device, `DEV=CPU` runs
# the same tests on tinygrad's own device, to compare.

set -euo pipefail

tree=${HALYARD_TINYGRAD:?a checkout of tinygrad, whose tests are run}
tests=("$@")
((${#tests[@]} > 0)) || tests=(test/test_tiny.py test/backend/test_{ops,jit,graph,symbolic_jit,nn}.py)
cd "$tree"
export DEV=${DEV:-HALYARD} PYTHONPATH=$tree${PYTHONPATH:+:$PYTHONPATH}
exec python3 -m pytest -q -p no:cacheprovider -p halyard.integrations.tinygrad --tb=line "${tests[@]}"
