# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Halyard for Conan 2. `conan create packaging/conan` in a copy of the sources; scripts/prove_conan.sh does that.

xxHash and FlatBuffers are headers, and flatc is a program: all three come from the system (scripts/bootstrap.sh), so that
no recipe of another package is needed.
"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rm


class HalyardConan(ConanFile):
    name = "halyard"
    description = "A hardware abstraction layer for compute, with a C ABI"
    license = "Apache-2.0 WITH LLVM-exception"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": True}

    @property
    def _sources(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._sources, "include", "halyard", "base.h"))
        parts = ("MAJOR", "MINOR", "PATCH")
        self.version = ".".join(re.search(rf"HAL_VERSION_{part} (\d+)", header)[1] for part in parts)

    def export_sources(self):
        for folder in ("cmake", "docs", "drivers", "examples", "include", "src", "third_party", "tools"):
            copy(self, f"{folder}/*", self._sources, self.export_sources_folder)
        for file in ("CMakeLists.txt", "LICENSE", "README.md"):
            copy(self, file, self._sources, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "TOOLS", "EXAMPLES", "BENCHMARKS"):
            toolchain.cache_variables[f"HALYARD_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        cmake = CMake(self)
        cmake.install(component="halyard")
        cmake.install(component="halyard-dev")
        # Both libraries are built, and a linker takes the shared one where it finds both.
        unwanted = "libhalyard.a" if self.options.shared else "libhalyard.so*"
        rm(self, unwanted, os.path.join(self.package_folder, "lib"))

    def package_info(self):
        self.cpp_info.libs = ["halyard"]
        if self.options.shared:
            return
        self.cpp_info.defines = ["HAL_STATIC"]
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["stdc++", "m", "dl", "pthread"]
