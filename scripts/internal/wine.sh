#!/bin/sh
# Runs a program of Windows, in a system of its own below the build folder, without windows and messages of Wine.
export WINEDEBUG="${WINEDEBUG--all}" WINEDLLOVERRIDES="${WINEDLLOVERRIDES-mscoree,mshtml=}" DISPLAY=
export WINEPREFIX="${WINEPREFIX-$(realpath "$(dirname "$0")/../..")/build/wine}"
mkdir -p "$(dirname "$WINEPREFIX")"
exec "$(command -v wine64 || echo /usr/lib/wine/wine64)" "$@"
