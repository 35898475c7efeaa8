#!/usr/bin/env bash
# Draws the pictures of the pages: docs/pictures/*.dot to SVG files beside them. Needs the package graphviz.

source "$(dirname "$0")/internal/steps.sh"

draw() {
  local source
  for source in docs/pictures/*.dot; do
    dot -Tsvg "$source" -o "${source%.dot}.svg" || return
  done
}

step "Draw the pictures" pictures draw
