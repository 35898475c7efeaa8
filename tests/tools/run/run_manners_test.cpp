// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels in the manner of other compilers (tests/corpus/sources/manners): packed without a description, and right on a
// software device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <ostream>

#include "support/temporary_files.h"
#include "tools/arrays.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

constexpr size_t kCount = 96;  // x is 1 to 96

float Threefold(size_t i) { return 3 * static_cast<float>(i + 1); }
float Fivefold(size_t i) { return 5 * static_cast<float>(i + 1); }
float WithTable(size_t i) { return Threefold(i) + (i % 2 == 0 ? 100.0f : 200.0f); }
// Of each 32 the last comes first.
float TurnedRows(size_t i) {
  const size_t from = i / 32 * 32 + 31 - i % 32;
  return static_cast<float>(from + 1) * (i % 2 == 0 ? 2.0f : 5.0f);
}

// A number that is no float, in a list of these.
float Bits(uint32_t number) {
  float bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

struct Manner {
  const char* label;
  const char* name;
  const char* kernel;
  std::vector<std::string> options;       // of the run
  std::vector<std::string> packing = {};  // if packed alone it is right
  std::vector<float> uniform = {};        // binding 2
  float (*value)(size_t i) = Threefold;   // of y
  bool has_note = false;                  // of the validator
};

void PrintTo(const Manner& manner, std::ostream* out) { *out << manner.label; }

class RunMannersTest : public testing::TestWithParam<Manner> {
 protected:
  std::string Image() const { return std::string(HALYARD_CORPUS "/images/manners/") + GetParam().name + ".spv"; }
  ToolResult Pack() const {
    std::vector<std::string> arguments = {"--spirv=" + Image(), "--output=" + halx_};
    arguments.insert(arguments.end(), GetParam().packing.begin(), GetParam().packing.end());
    return RunProgram("halyard-pack", arguments);
  }

  const TemporaryFolder folder_;
  const std::string halx_ = folder_ / "k.halx";
};

TEST_P(RunMannersTest, IsPackedWithoutADescription) {
  const ToolResult packed = Pack();
  ExpectSuccess(packed);
  EXPECT_EQ(packed.out.find("validator refuses it") != std::string::npos, GetParam().has_note) << packed.out;
  EXPECT_THAT(RunProgram("halyard-pack", {"--dump=" + halx_}).out,
              testing::HasSubstr(std::string("export 0: ") + GetParam().kernel));
}

#ifdef HALYARD_LAVAPIPE

TEST_P(RunMannersTest, ComputesWhatItShould) {
  ExpectSuccess(Pack());
  std::vector<float> numbers(kCount);
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  WriteNpyFile(folder_ / "x.npy", Array(HAL_ELEMENT_TYPE_F32, {kCount}, numbers));
  std::vector<std::string> images = {halx_};
  if (GetParam().packing.empty()) images.push_back(Image());  // as it is
  for (const std::string& file : images) {
    std::vector<std::string> arguments = {"--device=vulkan://0",
                                          "--executable=" + file,
                                          "--input=0=" + (folder_ / "x.npy"),
                                          "--input=1=f32[96]=0",
                                          "--output=1=" + (folder_ / "y.npy"),
                                          "--force"};
    arguments.insert(arguments.end(), GetParam().options.begin(), GetParam().options.end());
    if (!GetParam().uniform.empty()) {
      const std::vector<float>& block = GetParam().uniform;
      WriteNpyFile(folder_ / "block.npy", Array(HAL_ELEMENT_TYPE_F32, {static_cast<int64_t>(block.size())}, block));
      arguments.push_back("--input=2=" + (folder_ / "block.npy"));
    }
    const ToolResult run = RunProgram("halyard-run", arguments,
                                      {"VK_ICD_FILENAMES=" HALYARD_LAVAPIPE, "VK_DRIVER_FILES=" HALYARD_LAVAPIPE});
    ASSERT_EQ(run.exit, 0) << run.error;
    const std::vector<float> result = Values<float>(ReadNpyFile(folder_ / "y.npy"));
    ASSERT_EQ(result.size(), kCount);
    for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(result[i], GetParam().value(i)) << file << ", element " << i;
  }
}

#endif  // HALYARD_LAVAPIPE

constexpr const char* kThree = "--workgroups=3";
const std::vector<std::string> kFactorAndCount = {kThree, "--constant=f32:3", "--constant=u32:96"};
constexpr const char* kNoOffsets = "--constant=hex:0000000000000000";
// A slice: the address, which the driver writes, and 96.
constexpr const char* kSlice = "--constant=hex:00000000000000006000000000000000";
constexpr const char* kIree = "scale$async_dispatch_0_elementwise_96_f32";
const std::vector<float> kRows = {0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 5, 0, Bits(kCount), 0, 0, 0};

INSTANTIATE_TEST_SUITE_P(
    Corpus, RunMannersTest,
    testing::Values(Manner{"slang", "slang", "scale", kFactorAndCount},
                    Manner{"slang_cbuffer",
                           "slang_cbuffer",
                           "main",
                           {kThree},
                           {},
                           {3, Bits(kCount), 0, 0, 0, 100, 0, 0, 0, 200, 0, 0},
                           WithTable},
                    Manner{"zig", "zig", "kernel.scale", kFactorAndCount},
                    Manner{"zig_slices",
                           "zig_slices",
                           "kernel.scale",
                           {kThree, kSlice, kSlice, "--constant=f32:3"},
                           {"--parameter=kernel.scale:0+0=binding", "--parameter=kernel.scale:1+0=binding"}},
                    Manner{"tint", "tint", "scale", {kThree}},
                    Manner{"tint_uniform", "tint_uniform", "scale_rows", {kThree}, {}, kRows, TurnedRows},
                    Manner{"taichi", "taichi", "main", {"--workgroups=1"}, {}, {Bits(kCount), 0, 3, 0}},
                    Manner{"iree", "iree", "scale_dispatch_0", {kThree, kNoOffsets}, {}, {}, Threefold, true},
                    Manner{"iree_defaults", "iree_specialised", kIree, {kThree, kNoOffsets, "--workgroup-size=32"}},
                    Manner{"iree_specialised",
                           "iree_specialised",
                           kIree,
                           {"--workgroups=6", kNoOffsets, "--specialize=0=16", "--specialize=7=5"},
                           {},
                           {},
                           Fivefold}),
    [](const auto& manner) { return std::string(manner.param.label); });

}  // namespace
}  // namespace halyard::tools
