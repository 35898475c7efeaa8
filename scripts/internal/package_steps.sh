#!/usr/bin/env bash
# What prove_packages.sh does inside the clean system, one step a call: package_steps.sh STEP [arguments...]
# The packages lie in this folder.

set -euo pipefail
cd "$(dirname "$0")"
export DEBIAN_FRONTEND=noninteractive

# No recommended packages: what is proved is that the dependencies suffice.
install() { apt-get install --yes --no-install-recommends "$@"; }

install_debs() { apt-get update && install ./halyard*.deb; }
install_compiler() { install gcc libc6-dev pkgconf; }
install_cmake() { install cmake make g++; }
install_tbb() { install libtbb-dev; }
install_for_archive() { apt-get update && install gcc libc6-dev pkgconf libtbb12 libbenchmark1debian; }

# Purged, they leave no file.
remove_debs() {
  apt-get purge --yes halyard halyard-dev halyard-tools
  ! find / -xdev -path /proof -prune -o -iname '*halyard*' -print | grep .
}

unpack() { mkdir -p "$1" && tar -xzf halyard-*.tar.gz --strip-components=1 -C "$1"; }
move() { mv "$1" "$2"; }

# use PREFIX: lets the tools find an installation that is not where they look by themselves.
use() {
  [[ $1 == /usr ]] && return
  export PATH=$1/bin:$PATH PKG_CONFIG_PATH=$1/lib/pkgconfig LD_LIBRARY_PATH=$1/lib
}

# The program, copied from the page that the package brings: its first block of C.
copy_program() {
  awk '/^```c$/ { copying = 1; next } /^```$/ && copying { exit } copying' "$1/share/doc/halyard/docs/embedding.md" >hello.c
  grep -q 'int main' hello.c
}

# The command, too, is the page's.
copy_command() { grep -m 1 -o '^gcc .*hello\.c.*' "$1/share/doc/halyard/docs/embedding.md"; }

hello() {
  use "$1"
  copy_program "$1"
  local command
  command=$(copy_command "$1")
  echo "\$ $command"
  rm -f hello
  eval "$command"
  ldd ./hello | grep -E "libhalyard.so.* => (/|$1/)lib/" # where /lib is the same as /usr/lib, either is right
  local device
  for device in "" local://sync local://task; do
    echo "\$ ./hello $device"
    ./hello $device
  done
}

hello_static() {
  copy_program "$1"
  gcc hello.c -o hello $(pkg-config --cflags --libs halyard-static)
  if ldd ./hello | grep libhalyard; then return 1; fi
  ./hello
}

# cmake_project shared|static: the lines of docs/embedding.md in a project of their own.
cmake_project() {
  local target=halyard::halyard
  [[ $1 == shared ]] || target=halyard::static
  copy_program /usr
  rm -rf project
  mkdir project
  cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES C)
find_package(halyard REQUIRED)
add_executable(app ../hello.c)
target_link_libraries(app PRIVATE $target)
END
  cmake -S project -B project/build
  cmake --build project/build
  project/build/app
}

# Every program starts; the conformance suite finds its kernels, the demo its data, and the build tree is not there.
programs() {
  use "$1"
  local program
  for program in "$1"/bin/halyard-*; do
    echo "== $program --help"
    "$program" --help
  done
  [[ ! -x $1/bin/halyard-info ]] || "$1/bin/halyard-info"
  "$1/bin/halyard-cts" --device=local://sync --gtest_brief=1 --gtest_filter='*DispatchTest.*:Queue*:Semaphore*-*Slow*'
  "$1/bin/halyard-digits" --repeat=1 --show=0
}

"$@"
