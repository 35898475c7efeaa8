#!/usr/bin/env bash
# Installs Zig's compiler in build/zig, and a compiler of that name for a machine in build/zig/MACHINE, for
# cmake/toolchains/zig.cmake. Says nothing when all is there.
#
#   scripts/internal/zig.sh MACHINE...    as Zig names machines: x86_64-linux-musl

source "$(dirname "$0")/steps.sh"

version=0.14.1 # its Clang is version 19, as the one of the sanitizer presets
folder=$PWD/build/zig/$version

install_zig() {
  rm -rf "$folder"
  python3 -m venv "$folder" &&
    "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 2 --timeout 30 "ziglang==$version"
}

# write_tool FILE COMMAND...: the name of FILE tells ccache which compiler it is.
write_tool() {
  local file=$1
  shift
  printf '#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR=%q ZIG_LOCAL_CACHE_DIR=%q\nexec %s "$@"\n' \
    "$folder/cache" "$folder/cache" "$*" >"$file.new"
  chmod +x "$file.new"
  cmp -s "$file.new" "$file" && rm "$file.new" || mv "$file.new" "$file"
}

zig=$(compgen -G "$folder/lib/python3*/site-packages/ziglang/zig" || true)
if [[ -z $zig ]]; then
  step "Install Zig $version" zig install_zig
  zig=$(compgen -G "$folder/lib/python3*/site-packages/ziglang/zig")
fi
for machine in "$@"; do
  mkdir -p "build/zig/$machine"
  write_tool "build/zig/$machine/clang" "$zig" cc --target="$machine"
  write_tool "build/zig/$machine/clang++" "$zig" c++ --target="$machine"
  write_tool "build/zig/$machine/ar" "$zig" ar
  write_tool "build/zig/$machine/ranlib" "$zig" ranlib
  [[ -e build/zig/$machine/libloader.so ]] ||
    "build/zig/$machine/clang" -shared -x c /dev/null -o "build/zig/$machine/libloader.so" # for zig.cmake
done
