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
install_for_archive() { apt-get update && install gcc libc6-dev pkgconf libbenchmark1debian; }

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

# copy_page PREFIX: copies the smallest program from the page that the package brings. A block of C or JSON goes to the
# file that the paragraph before it begins with; the console session goes to `session`.
copy_page() {
  rm -f session ./hello*
  awk '/^## / { here = /The smallest program/ }
       !here { next }
       /^```/ { language = language ? "" : substr($0, 4); next }
       language == "console" { print >"session" }
       language == "c" || language == "json" { print >file }
       !language && match($0, /^`[^`]*`/) { file = substr($0, 2, RLENGTH - 2); sub(/.*\//, "", file) }' \
    "$1/share/doc/halyard/docs/embedding.md"
}

# Types the commands of the session; all that the page shows must be printed.
hello() {
  use "$1"
  copy_page "$1"
  local line
  while read -r line; do
    if [[ $line == '$ '* ]]; then
      echo "$line"
      eval "${line#'$ '}" </dev/null
    fi
  done <session | tee transcript
  if grep -vxFf transcript session; then
    echo "The page shows the above, which was not printed."
    return 1
  fi
  ldd ./hello | grep -E "libhalyard.so.* => (/|$1/)lib/" # where /lib is the same as /usr/lib, either is right
  ./hello local://sync
  ./hello local://task
}

# The next two take the files that `hello` has left.
hello_static() {
  # shellcheck disable=SC2046  # the flags are words, as in the command of the page
  gcc hello.c -o hello_static $(pkg-config --cflags --libs halyard-static)
  if ldd ./hello_static | grep libhalyard; then return 1; fi
  ./hello_static
}

# cmake_project shared|static: the lines of docs/embedding.md in a project of their own.
cmake_project() {
  local target=halyard::halyard
  [[ $1 == shared ]] || target=halyard::static
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
