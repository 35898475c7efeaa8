// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reads an image or a file takes memory and time in proportion to its size.
#include <gtest/gtest.h>

#include <cstring>

#include "base/text/suggestions.h"
#include "image/halx/container.h"
#include "image/reflection/amd/amd_target.h"
#include "image/reflection/amd/hsaco_reflection.h"
#include "image/reflection/reflection.h"
#include "image/reflection/spirv/spirv_divider.h"
#include "image/reflection/spirv/spirv_reflection.h"
#include "image/shared_object/elf_check.h"
#include "image/shared_object/elf_symbols.h"
#include "untrusted/bombs.h"
#include "untrusted/bytes_writer.h"
#include "untrusted/cost.h"

namespace halyard::testing {

std::string LibrariesAndImports(size_t libraries, size_t imports);

namespace {

void ReadAll(const Bomb& bomb) {
  ReflectedImage image;
  if (Succeeds(Reflect(bomb.format, bomb.view(), &image))) (void)ExportsOf(image, bomb.format);
}

TEST(Reading, Ptx) {
  for (const Bomb& bomb : PtxBombs()) ExpectCheap(bomb.name, bomb.bytes.size(), [&] { ReadAll(bomb); });
}

TEST(Reading, Spirv) {
  for (const Bomb& bomb : SpirvBombs()) ExpectCheap(bomb.name, bomb.bytes.size(), [&] { ReadAll(bomb); });
}

// As the Vulkan driver does it: it keeps all of them.
TEST(Reading, SpirvKernelsAlone) {
  for (const Bomb& bomb : SpirvBombs()) {
    HostVector<uint32_t> words(bomb.bytes.size() / sizeof(uint32_t));
    std::memcpy(words.data(), bomb.bytes.data(), bomb.bytes.size());
    ExpectCheap(bomb.name + ", divided", bomb.bytes.size(), [&] {
      SpirvImage image;
      SpirvDivider divider;
      if (!Succeeds(ReadSpirv(bomb.view(), &image)) || !Succeeds(divider.Open(words))) return;
      HostVector<SpirvWords> kernels;
      for (const SpirvKernel& kernel : image.kernels) {
        if (!Succeeds(divider.Take(kernel.name, &kernels.emplace_back()))) return;
      }
    });
  }
}

TEST(Reading, Elf) {
  for (const Bomb& bomb : ElfBombs()) {
    ExpectCheap(bomb.name, bomb.bytes.size(), [&] { ReadAll(bomb); });
    ExpectCheap(bomb.name + ", checked", bomb.bytes.size(), [&] {
      ReflectedImage image;
      CheckHsaco(bomb.view(), &image).Ignore();
      CheckElfImage(bomb.view()).Ignore();
    });
  }
}

TEST(Reading, Packs) {
  for (const Bomb& bomb : PackBombs()) {
    ExpectCheap(bomb.name, bomb.bytes.size(), [&] { ReadAll(bomb); });
    ExpectCheap(bomb.name + ", picked", bomb.bytes.size(), [&] {
      OffloadBundle bundle;
      Bytes image;
      if (Succeeds(ReadOffloadBundle(bomb.view(), &bundle))) PickCodeObject("gfx90a:xnack-", bundle, &image).Ignore();
    });
  }
}

TEST(Reading, Files) {
  for (const Bomb& bomb : FileBombs("image", "ptx", "sm_70", "kernel")) {
    ExpectCheap(bomb.name, bomb.bytes.size(), [&] {
      Container container;
      container.Parse(bomb.view()).Ignore();
    });
  }
}

TEST(Reading, Imports) {
  const std::string bytes = LibrariesAndImports(10'000, 10'000);
  ExpectCheap("imports that no library has", bytes.size(),
              [&] { EXPECT_FALSE(FindUnresolvedImports(std::as_bytes(std::span(bytes))).empty()); });
}

// A caller's long name and a file's many.
TEST(Reading, Suggestions) {
  const std::string stem(1000, 'n');
  std::vector<std::string> names;
  size_t size = 0;
  for (size_t i = 0; i < 2000; ++i) size += names.emplace_back(stem + ShortName(i)).size();
  const std::vector<std::string_view> known(names.begin(), names.end());
  ExpectCheap("suggestions", size, [&] { EXPECT_FALSE(SuggestionText(stem + "zzzz", known).empty()); });
}

}  // namespace
}  // namespace halyard::testing
