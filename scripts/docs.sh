#!/usr/bin/env bash
# Makes the site from docs and the public headers: build/site/index.html. A warning is a failure, and so is a
# declaration of the C API without documentation.

source "$(dirname "$0")/internal/steps.sh"

tools=build/docs/tools requirements=docs/site/requirements.txt

# Sphinx and its extensions, in an environment of their own.
install_tools() {
  cmp -s "$requirements" "$tools/requirements.txt" && return
  rm -rf "$tools"
  python3 -m venv "$tools" &&
    "$tools/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements" &&
    cp "$requirements" "$tools/"
}

read_headers() { doxygen docs/site/c.doxyfile && doxygen docs/site/cpp.doxyfile; }

make_site() {
  "$tools/bin/sphinx-build" --jobs "$jobs" --quiet --fail-on-warning --keep-going --fresh-env \
    --conf-dir docs/site --doctree-dir build/docs/doctrees docs build/site
}

mkdir -p build/docs
step "Install Sphinx" docs-tools install_tools
step "Read the headers" docs-headers read_headers
step "Make the site" docs-site make_site
