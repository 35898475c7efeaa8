// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What AMD's loader must not get to see, and which code fits which device.
#if defined(__linux__)  // which has <elf.h>
#include <elf.h>

#include <cstddef>
#include <cstring>
#include <random>

#include "image/reflection/amd/amd_target.h"
#include "image/reflection/amd/hsaco_reflection.h"
#include "image/shared_object/elf_reader.h"
#include "reflection_images.h"

namespace halyard::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kImage = "clang19_gfx1100_v5.hsaco";

std::string CheckFails(const ReflectionImage& image, hal_status_t expected) {
  ReflectedImage reflected;
  EXPECT_EQ(Publish(CheckHsaco(image, &reflected)), expected) << LastErrorMessage();
  EXPECT_TRUE(reflected.kernels.empty());
  return std::string(LastErrorMessage());
}

// Where the file has the descriptor of a kernel: it lies in the first segment, whose addresses are the file's offsets.
size_t DescriptorOf(const ReflectionImage& image, std::string_view symbol) {
  ElfReader elf;
  HostVector<ElfSymbol> symbols;
  EXPECT_EQ(elf.Open(image, "the image"), kOk);
  EXPECT_EQ(elf.ReadSymbols(ElfReader::kDynamicSymbols, &symbols), kOk);
  for (const ElfSymbol& each : symbols) {
    if (each.name == symbol) return static_cast<size_t>(each.address);
  }
  ADD_FAILURE() << "no symbol " << symbol;
  return 0;
}

template <class Number>
ReflectionImage With(ReflectionImage image, size_t offset, Number value) {
  std::memcpy(image.data() + offset, &value, sizeof(value));
  return image;
}

TEST(HsacoCheck, AcceptsWhatClangMakes) {
  for (const char* name : {"clang19_gfx90a_v4.hsaco", "clang19_gfx90a_features_v5.hsaco", kImage}) {
    ReflectedImage image;
    EXPECT_EQ(CheckHsaco(ReadReflectionImage(name), &image), kOk) << name << ": " << LastErrorMessage();
    EXPECT_EQ(image.kernels.size(), 4u);
  }
}

// The section table is the last thing in the file.
TEST(HsacoCheck, RefusesWhatWasCutAtAnyByte) {
  const ReflectionImage image = ReadReflectionImage(kImage);
  for (size_t size = 0; size < image.size(); ++size) {
    ReflectedImage reflected;
    const Bytes cut = Bytes(image).first(size);
    EXPECT_NE(Publish(CheckHsaco(cut, &reflected)), HAL_STATUS_OK) << size;
    EXPECT_FALSE(LastErrorMessage().empty()) << size;
  }
}

TEST(HsacoCheck, SurvivesFlippedBits) {
  constexpr int kImages = 10000;
  std::mt19937 random(20261122);
  const ReflectionImage image = ReadReflectionImage(kImage);
  int refused = 0;
  for (int i = 0; i < kImages; ++i) {
    ReflectionImage damaged = image;
    for (int flip = 0; flip < 4; ++flip) damaged[random() % damaged.size()] ^= std::byte(1u << (random() % 8));
    ReflectedImage reflected;
    const Failure failure(CheckHsaco(damaged, &reflected));
    if (!failure) continue;
    ++refused;
    ASSERT_FALSE(failure.message().empty());
  }
  EXPECT_GT(refused, kImages / 10);  // the rest has other machine code, names or padding
}

// AMD's loader takes the length of the image from the section headers, that of no section included.
TEST(HsacoCheck, SectionsWithoutContentsLieInsideToo) {
  const ReflectionImage image = ReadReflectionImage(kImage);
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof(header));
  EXPECT_THAT(
      CheckFails(With(image, header.e_shoff + offsetof(Elf64_Shdr, sh_size), uint64_t{1} << 20), HAL_STATUS_DATA_LOSS),
      HasSubstr("section '': offset 0 + size 1048576 exceeds its 5912 bytes"));
  EXPECT_THAT(CheckFails(With(image, header.e_shoff + offsetof(Elf64_Shdr, sh_offset), uint64_t{1} << 40),
                         HAL_STATUS_DATA_LOSS),
              HasSubstr("section '': offset 1099511627776 + size 0"));
  EXPECT_THAT(CheckFails(With(image, offsetof(Elf64_Ehdr, e_shnum), uint16_t{0}), HAL_STATUS_DATA_LOSS),
              HasSubstr("no sections"));
}

TEST(HsacoCheck, ComparesDescriptorsWithTheMetadata) {
  const ReflectionImage image = ReadReflectionImage(kImage);
  const size_t descriptor = DescriptorOf(image, "reverse.kd");
  EXPECT_THAT(CheckFails(With(image, descriptor, uint32_t{65536}), HAL_STATUS_DATA_LOSS),
              HasSubstr("the descriptor of 'reverse' has 65536 bytes of workgroup memory"));
  EXPECT_THAT(CheckFails(With(image, descriptor + 8, uint32_t{8}), HAL_STATUS_DATA_LOSS),
              HasSubstr("and 8 of arguments"));
  EXPECT_THAT(CheckFails(With(image, descriptor + 16, uint64_t{1} << 40), HAL_STATUS_DATA_LOSS),
              HasSubstr("lies in no executable segment"));
  EXPECT_THAT(CheckFails(With(image, descriptor + 16, uint64_t{0}), HAL_STATUS_DATA_LOSS),
              HasSubstr("lies in no executable segment"));
}

TEST(HsacoCheck, EveryKernelNeedsASymbol) {
  ReflectionImage image = ReadReflectionImage(kImage);
  const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  size_t at = 0;
  size_t renamed = 0;
  while ((at = text.find("reverse.kd", at)) != std::string_view::npos) {
    // In the metadata the name of the descriptor stands beside that of the kernel, and is not read.
    std::memcpy(image.data() + at, "reversE", 7);
    ++renamed;
  }
  EXPECT_GT(renamed, 0u);
  EXPECT_THAT(CheckFails(image, HAL_STATUS_DATA_LOSS), HasSubstr("has a kernel 'reverse', but no symbol"));
}

uint32_t RankOf(std::string_view device, std::string_view target) {
  uint32_t rank = 0;
  return Publish(RankAmdTarget(device, target, 0, &rank)) == HAL_STATUS_OK ? rank : UINT32_MAX;
}

TEST(AmdTarget, FeaturesThatAreNamedHaveToAgree) {
  constexpr std::string_view kDevice = "gfx90a:sramecc+:xnack-";
  EXPECT_EQ(RankOf(kDevice, "gfx90a:sramecc+:xnack-"), 0u);
  EXPECT_EQ(RankOf(kDevice, "gfx90a:xnack-"), 1u);
  EXPECT_EQ(RankOf(kDevice, "gfx90a"), 2u);
  for (const std::string_view target : {"gfx90a:xnack+", "gfx90a:sramecc-:xnack-", "gfx90a:other+", "gfx90",
                                        "gfx90a:", "gfx90a1", "gfx942", ":xnack-", "", "gfx90a:xnack"}) {
    EXPECT_EQ(RankOf(kDevice, target), target == "gfx90a:" ? 2u : UINT32_MAX) << target;
  }
  EXPECT_THAT(std::string(LastErrorMessage()), HasSubstr("the device is 'gfx90a:sramecc+:xnack-'"));
  EXPECT_EQ(RankOf("gfx1100", "gfx1100"), 0u);
  EXPECT_EQ(RankOf("gfx1100", "gfx1100:xnack-"), UINT32_MAX);
}

}  // namespace
}  // namespace halyard::testing
#endif  // __linux__
