#!/usr/bin/env bash
# A test of the package for Python, as tests/python/CMakeLists.txt describes it.
#
#   run.sh wheel          builds the wheel of what is built, and installs it in a clean environment
#   run.sh tests PATHS    runs tests of the source tree with it
#
# Takes HALYARD_SOURCE, HALYARD_BUILD and HALYARD_WORK (folders) of the environment. Exits with 77 where
# scripts/internal/python_environment.sh could not install what it needs.

set -euo pipefail

tools=$HALYARD_SOURCE/build/python/tools
if [[ ! -f $tools/requirements.txt ]]; then
  cat "$HALYARD_SOURCE/build/python/reason" 2>/dev/null ||
    echo "Skipped: run scripts/internal/python_environment.sh, which installs what this test needs."
  exit 77
fi
clean=$HALYARD_WORK/clean

build_and_install() {
  rm -rf "$HALYARD_WORK/dist" "$clean"
  "$tools/bin/pip" wheel --quiet --disable-pip-version-check --no-index --no-build-isolation --no-deps \
    --config-settings=cmake.define.HALYARD_BUILD="$HALYARD_BUILD" \
    --config-settings=cmake.define.HALYARD_PYTHON_WERROR=ON \
    --config-settings=build-dir="$HALYARD_WORK/build" \
    --wheel-dir "$HALYARD_WORK/dist" "$HALYARD_SOURCE"
  "$tools/bin/python" -m venv --without-pip "$clean"
  "$tools/bin/pip" --python "$clean/bin/python" install --quiet --disable-pip-version-check --no-index --no-deps \
    "$HALYARD_WORK"/dist/*.whl
  cd /
  env -i "$clean/bin/python" -c 'import halyard; print(halyard.__version__, halyard.devices())'
  env -i "$clean/bin/halyard-info" | head -n 3
  env -i "$clean/bin/halyard-pack" --version
  env -i "$clean/bin/halyard-run" --version
  env -i "$clean/bin/halyard-bench" --version
}

run_tests() {
  local packages
  packages=$("$clean/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  cd "$HALYARD_WORK"
  PYTHONPATH=$packages:$HALYARD_SOURCE/python/tests PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg \
    exec "$tools/bin/python" -m pytest -q -rs -p no:cacheprovider --timeout 120 --rootdir "$HALYARD_SOURCE/python" \
    --durations 3 "${@/#/$HALYARD_SOURCE/}"
}

case $1 in
  wheel) build_and_install ;;
  tests) run_tests "${@:2}" ;;
esac
