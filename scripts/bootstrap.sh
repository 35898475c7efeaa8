#!/usr/bin/env bash
# Installs the packages that the build needs and this machine lacks (Debian 12, Ubuntu 24.04).
# Says nothing when all is there.
#
#   scripts/bootstrap.sh           what building needs
#   scripts/bootstrap.sh --test    also the compilers of kernels and functions that the tests run
#   scripts/bootstrap.sh --rust    what building needs, and what makes bindings for Rust in a test (install.rust)
#   scripts/bootstrap.sh --cross   what building needs, the compiler for AArch64, and QEMU, which runs its programs
#   scripts/bootstrap.sh --musl    what building needs, Zig's compiler, and musl, which runs its programs
#   scripts/bootstrap.sh --windows what building needs, mingw-w64, and Wine, which runs its programs
#   scripts/bootstrap.sh --dev     also what fuzzes, checks formatting, style and documentation, and makes packages

source "$(dirname "$0")/internal/steps.sh"

packages=(cmake ninja-build g++ ccache libgtest-dev libgmock-dev libbenchmark-dev libxxhash-dev
          libflatbuffers-dev flatbuffers-compiler
          libcli11-dev nlohmann-json3-dev help2man
          libvulkan-dev # the headers
          pkgconf)
zig_machines=()
case ${1:-} in
  '' | --test | --dev | --rust | --cross | --musl | --windows) ;;
  *) echo "usage: scripts/bootstrap.sh [--test|--dev|--rust|--cross|--musl|--windows]" >&2; exit 2 ;;
esac
if [[ ${1:-} == --test || ${1:-} == --dev ]]; then
  llvm=19
  ! grep -q '^ID=ubuntu' /etc/os-release 2>/dev/null || llvm=18 # the newest that Ubuntu 24.04 came out with
  # Functions of MLIR; one source of kernels for CUDA and HIP, for Vulkan, and from there for Metal.
  packages+=("mlir-$llvm-tools" "libmlir-$llvm" "clang-$llvm" "lld-$llvm" glslang-tools spirv-tools libspirv-cross-c-shared-dev)
  packages+=("libclang-rt-$llvm-dev" "llvm-$llvm") # compile the presets with sanitizers, and name the lines of what they find
  # What the simulated Metal is written with. GCC's runtime for Objective-C has the version of the distribution's GCC.
  gcc=12
  ! grep -q '^ID=ubuntu' /etc/os-release 2>/dev/null || gcc=13
  packages+=(libgnustep-base-dev "libobjc-$gcc-dev")
  packages+=(libvulkan1 mesa-vulkan-drivers vulkan-validationlayers) # Vulkan's loader, a software device, the layers
  packages+=(spin)     # checks tests/models
  packages+=(python3 python3-dev python3-venv) # a host of the library in tests/bindings, and the package for it
  packages+=(valgrind) # counts instructions in tests/performance
  packages+=(libdlpack-dev) # DLPack's declarations
  packages+=(libamdhip64-dev) # the vendor's declarations, and a library without a device
fi
if [[ ${1:-} == --rust ]]; then
  # bindgen 0.60 of Debian 12 does not understand libclang 16 and newer.
  libclang=14
  ! grep -q '^ID=ubuntu' /etc/os-release 2>/dev/null || libclang=18
  packages+=(rustc bindgen "libclang1-$libclang" "libclang-common-$libclang-dev")
fi
if [[ ${1:-} == --cross ]]; then
  # 118 MB to download, 601 MB installed. GoogleTest's sources are compiled for the other machine.
  packages+=(g++-aarch64-linux-gnu qemu-user-static googletest)
fi
if [[ ${1:-} == --musl ]]; then
  packages+=(musl googletest python3-venv) # Zig is a package of Python
  zig_machines=(x86_64-linux-musl)
fi
if [[ ${1:-} == --windows ]]; then
  packages+=(g++-mingw-w64-x86-64-posix wine wine64 googletest) # 170 MB to download, 1.1 GB installed
fi
if [[ ${1:-} == --dev ]]; then
  # One version everywhere: the next one would format differently.
  packages+=(clang-format-14 clang-tidy-14 clang libclang-rt-dev)
  packages+=(doxygen python3-venv) # read the headers and run Sphinx, for the site
  packages+=(dpkg-dev file) # cpack finds out with them what a .deb depends on
fi

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

if ! command -v dpkg-query >/dev/null; then
  command -v cmake ninja c++ >/dev/null && exit 0
  echo "This is neither Debian nor Ubuntu. Please install what these packages hold: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done

install_packages() {
  "${as_root[@]}" apt-get update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
}

if ((${#missing[@]} > 0)); then
  as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "These packages are missing, and without root or sudo they cannot be installed here:" >&2
      echo "  apt-get install ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "Missing: ${missing[*]}"
  step "Install packages" bootstrap install_packages
fi
((${#zig_machines[@]} == 0)) || ./scripts/internal/zig.sh "${zig_machines[@]}"
