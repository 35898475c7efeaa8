#!/usr/bin/env bash
# Makes build/python/tools: a virtual environment with what builds and tests the package for Python. Without a registry
# of packages its tests are skipped; they say why.

source "$(dirname "$0")/steps.sh"

tools=build/python/tools requirements=python/requirements.txt reason=build/python/reason

make_environment() {
  rm -rf "$tools"
  python3 -m venv "$tools" &&
    "$tools/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15 --requirement "$requirements" &&
    cp "$requirements" "$tools/" # which says that it is whole
}

mkdir -p build/python
cmp -s "$requirements" "$tools/requirements.txt" && exit 0
rm -f "$reason"
if ! step "Packages of Python" python-tools make_environment; then
  echo "What builds and tests the package for Python could not be installed: $(tail -n 1 "$logs/python-tools.log")" | tee "$reason"
fi
