#!/usr/bin/env bash
# Makes the API reference from the public headers: build/docs/html/index.html. A warning is a failure.

source "$(dirname "$0")/internal/steps.sh"

mkdir -p build/docs
step "Make the API reference" docs doxygen docs/Doxyfile
