// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread-local memory of the library: libraries that are loaded late share a few bytes of it, and dlopen() fails
// beyond.
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "halyard/base.h"
#include "support/temporary_files.h"

#if !defined(HALYARD_SANITIZED)  // sanitizers have such variables of their own
namespace {

/// The bytes of a shared object's thread-local variables.
uint64_t ThreadLocalSize(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header = {};
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part = {};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * header.e_phentsize));
    file.read(reinterpret_cast<char*>(&part), sizeof(part));
    if (part.p_type == PT_TLS) return part.p_memsz;
  }
  return 0;
}

TEST(ThreadLocalMemory, HasAtMost64Bytes) {
  EXPECT_GT(ThreadLocalSize(HALYARD_LIBRARY), 0u) << "the program header is read";
  EXPECT_LE(ThreadLocalSize(HALYARD_LIBRARY), 64u);
}

TEST(ThreadLocalMemory, SufficesForManyCopiesBesideOtherLibraries) {
  const halyard::TemporaryFolder folder;
  ASSERT_TRUE(dlopen(HALYARD_THREAD_LOCAL_LIBRARY, RTLD_NOW | RTLD_LOCAL)) << dlerror();
  for (int i = 0; i < 4; ++i) {
    const std::string copy = folder / ("libhalyard" + std::to_string(i) + ".so");
    std::filesystem::copy_file(HALYARD_LIBRARY, copy);
    void* const library = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << "copy " << i << ": " << dlerror();
    const auto version = reinterpret_cast<decltype(&hal_version)>(dlsym(library, "hal_version"));
    ASSERT_TRUE(version);
    EXPECT_EQ(version(), hal_version());
  }
}

}  // namespace
#endif
