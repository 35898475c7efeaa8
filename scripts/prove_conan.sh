#!/usr/bin/env bash
# Builds the Conan package, shared and static, and a program with each. Without a network where this user may do that, so
# that nothing is taken from elsewhere.

source "$(dirname "$0")/internal/steps.sh"

version=2.34.0
tools=$PWD/build/conan/$version
export CONAN_HOME=$PWD/build/conan/home CMAKE_GENERATOR=Ninja

install_conan() {
  python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check "conan==$version"
}

create() { "${alone[@]}" "$tools/bin/conan" create packaging/conan --options="halyard/*:shared=$1" --no-remote; }

alone=()
if ((EUID == 0)) && unshare --net true 2>/dev/null; then
  alone=(unshare --net)
fi
[[ -x $tools/bin/conan ]] || step "Install Conan $version" conan install_conan
[[ -e $CONAN_HOME/profiles/default ]] || step "Look at the compiler" conan-profile "$tools/bin/conan" profile detect
step "Package, shared" conan-shared create True
step "Package, static" conan-static create False
