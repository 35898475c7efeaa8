#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the Vulkan driver's own kernels into the header that the driver is built with.

    make_vulkan_builtins.py          writes the header
    make_vulkan_builtins.py --check  fails if the header is another one; skipped (77) with another compiler

So that building needs no compiler of GLSL, the header is part of the source tree.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "drivers/vulkan/recording/builtin"
HEADER = FOLDER / "vulkan_builtin_kernels.h"
KERNELS = {"count_check": "kCountCheck", "copy": "kCopy"}


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def compile_words(source):
    with tempfile.TemporaryDirectory() as folder:
        plain, small = f"{folder}/plain.spv", f"{folder}/small.spv"
        run("glslangValidator", "-V", "-g0", "--target-env", "vulkan1.3", str(source), "-o", plain)
        run("spirv-opt", "-O", "--strip-debug", plain, "-o", small)
        run("spirv-val", "--target-env", "vulkan1.3", small)
        data = pathlib.Path(small).read_bytes()
    return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]


def header_text(version):
    lines = [
        "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
        "// The kernels of this folder as SPIR-V. Written by scripts/internal/make_vulkan_builtins.py with",
        f"// {version}.",
        "#ifndef HALYARD_VULKAN_RECORDING_BUILTIN_VULKAN_BUILTIN_KERNELS_H_",
        "#define HALYARD_VULKAN_RECORDING_BUILTIN_VULKAN_BUILTIN_KERNELS_H_",
        "",
        "#include <cstdint>",
        "",
        "namespace halyard::vulkan {",
        "",
        "// clang-format off",
    ]
    for name, constant in KERNELS.items():
        words = compile_words(FOLDER / f"{name}.comp")
        lines.append(f"inline constexpr uint32_t {constant}[] = {{")
        for i in range(0, len(words), 10):
            lines.append("    " + ", ".join(f"0x{word:08x}" for word in words[i:i + 10]) + ",")
        lines += ["};", ""]
    lines += ["// clang-format on", "}  // namespace halyard::vulkan", "",
              "#endif  // HALYARD_VULKAN_RECORDING_BUILTIN_VULKAN_BUILTIN_KERNELS_H_"]
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] == ["--check"] and not shutil.which("glslangValidator"):
        print("skipped: there is no glslangValidator")
        return 77
    version = run("glslangValidator", "--version").splitlines()[0]
    if sys.argv[1:] == ["--check"]:
        if version not in HEADER.read_text():
            print(f"skipped: the header was made with another compiler than {version}")
            return 77
        if header_text(version) != HEADER.read_text():
            print(f"{HEADER} is not what its sources give: run {__file__}")
            return 1
        return 0
    HEADER.write_text(header_text(version))
    return 0


sys.exit(main())
