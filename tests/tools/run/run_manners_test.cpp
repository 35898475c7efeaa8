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

// y[i] = 3 * x[i], of 96 numbers. Constants as the kernels take them.
struct Manner {
  const char* name;
  const char* kernel;
  std::vector<std::string> constants;
  bool has_note;  // of the validator
};

void PrintTo(const Manner& manner, std::ostream* out) { *out << manner.name; }

class RunMannersTest : public testing::TestWithParam<Manner> {
 protected:
  std::string Image() const { return std::string(HALYARD_CORPUS "/images/manners/") + GetParam().name + ".spv"; }

  const TemporaryFolder folder_;
  const std::string halx_ = folder_ / "k.halx";
};

TEST_P(RunMannersTest, IsPackedWithoutADescription) {
  const ToolResult packed = RunProgram("halyard-pack", {"--spirv=" + Image(), "--output=" + halx_});
  ExpectSuccess(packed);
  EXPECT_EQ(packed.out.find("validator refuses it") != std::string::npos, GetParam().has_note) << packed.out;
  EXPECT_THAT(RunProgram("halyard-pack", {"--dump=" + halx_}).out,
              testing::HasSubstr(std::string("export 0: ") + GetParam().kernel));
}

#ifdef HALYARD_LAVAPIPE

TEST_P(RunMannersTest, ComputesWhatItShould) {
  ExpectSuccess(RunProgram("halyard-pack", {"--spirv=" + Image(), "--output=" + halx_}));
  NpyArray x;
  x.type = HAL_ELEMENT_TYPE_F32;
  x.shape = {96};
  x.bytes.resize(96 * sizeof(float));
  std::vector<float> numbers(96);
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  std::memcpy(x.bytes.data(), numbers.data(), x.bytes.size());
  WriteNpyFile(folder_ / "x.npy", x);
  for (const std::string& file : {Image(), halx_}) {  // as it is, and packed
    std::vector<std::string> arguments = {"--device=vulkan://0",
                                          "--executable=" + file,
                                          "--workgroups=3",
                                          "--input=0=" + (folder_ / "x.npy"),
                                          "--input=1=f32[96]=0",
                                          "--output=1=" + (folder_ / "y.npy"),
                                          "--force"};
    arguments.insert(arguments.end(), GetParam().constants.begin(), GetParam().constants.end());
    const ToolResult run = RunProgram("halyard-run", arguments,
                                      {"VK_ICD_FILENAMES=" HALYARD_LAVAPIPE, "VK_DRIVER_FILES=" HALYARD_LAVAPIPE});
    ASSERT_EQ(run.exit, 0) << run.error;
    const std::vector<float> result = Values<float>(ReadNpyFile(folder_ / "y.npy"));
    ASSERT_EQ(result.size(), numbers.size());
    for (size_t i = 0; i < result.size(); ++i) EXPECT_EQ(result[i], 3 * numbers[i]) << file << ", element " << i;
  }
}

#endif  // HALYARD_LAVAPIPE

INSTANTIATE_TEST_SUITE_P(Corpus, RunMannersTest,
                         testing::Values(Manner{"slang", "scale", {"--constant=f32:3", "--constant=u32:96"}, false},
                                         Manner{
                                             "zig", "kernel.scale", {"--constant=f32:3", "--constant=u32:96"}, false},
                                         Manner{"tint", "scale", {}, false},
                                         Manner{"iree", "scale_dispatch_0", {"--constant=hex:0000000000000000"}, true}),
                         [](const auto& manner) { return std::string(manner.param.name); });

}  // namespace
}  // namespace halyard::tools
