// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-run --specialize: constants by number and by name, of images that tell them and of images that do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_files.h"
#include "tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;

constexpr const char* kTyped = HALYARD_REFLECTION_IMAGES "/glslang12_typed.spv";

class RunSpecializeTest : public testing::Test {
 protected:
  void SetUp() override {
    const ToolResult packed = RunProgram("halyard-pack", {std::string("--spirv=") + kTyped, "--output=" + file_});
    ExpectSuccess(packed);
  }

  ToolResult Run(const std::string& device, const std::vector<std::string>& specializations) const {
    std::vector<std::string> arguments = {
        "--device=" + device, "--executable=" + file_,           "--workgroups=1",       "--constant=f32:8",
        "--constant=i32:1",   "--constant=hex:0300000004000000", "--workgroup-size=8,4", "--output=-",
        "--input=f32[9,4]=0"};
    for (const std::string& value : specializations) arguments.push_back("--specialize=" + value);
    return RunProgram("halyard-run", arguments);
  }

  void ExpectUsage(const std::vector<std::string>& specializations, const std::vector<std::string>& words) const {
    ExpectRefused(Run("null", specializations), ExitCode::kUsage, words);
  }

  const TemporaryFolder folder_;
  const std::string file_ = folder_ / "typed.halx";
};

TEST_F(RunSpecializeTest, ReachesTheKernel) {
  const ToolResult devices = RunProgram("halyard-info", {});
  if (devices.out.find("\nvulkan") == std::string::npos) GTEST_SKIP() << "no Vulkan device";
  const auto last_row = [&](const std::vector<std::string>& specializations) {
    const ToolResult result = Run("vulkan", specializations);
    ExpectSuccess(result);
    const size_t begin = result.out.rfind('[');
    return result.out.substr(begin, result.out.rfind(']') - begin + 1);
  };
  EXPECT_EQ(last_row({}), "[0.5 -2 3 4]");
  EXPECT_EQ(last_row({"factor=0.25", "first=-7"}), "[0.25 -6 3 4]");
  EXPECT_EQ(last_row({"4=2", "is_swapped=false", "6=0x10:u32"}), "[8 17 3 4]");
}

TEST_F(RunSpecializeTest, NamesWhatDoesNotExist) {
  ExpectUsage({"factr=1"},
              {"--specialize=factr=1: '", "has no specialisation constant 'factr'; did you mean 'factor'?"});
  ExpectUsage({"7=1"}, {"has no specialisation constant '7'; known: 0 'block' (si32), 4 'factor' (f32), "
                        "5 'is_swapped' (i1), 6 'first' (si32)"});
  ExpectUsage({"99999999999=1"}, {"has no specialisation constant '99999999999'"});
}

TEST_F(RunSpecializeTest, ChecksValuesAgainstTheirTypes) {
  ExpectUsage({"first=2147483648"}, {"--specialize=first=2147483648: ", "out of range for si32"});
  ExpectUsage({"first=1.5"}, {"--specialize=first=1.5: "});
  ExpectUsage({"is_swapped=2"}, {"--specialize=is_swapped=2: "});
  ExpectUsage({"factor=x"}, {"--specialize=factor=x: "});
  ExpectUsage({"factor=1:f64"}, {"constant 4 ('factor') is f32, not f64"});
  ExpectUsage({"factor=1:float"}, {"float"});
}

TEST_F(RunSpecializeTest, TakesEachConstantOnce) {
  ExpectUsage({"factor=1", "4=2"}, {"--specialize=4=2: constant 4 is given twice"});
}

TEST_F(RunSpecializeTest, NeedsAConstantAndAValue) {
  for (const char* const text : {"factor", "factor=", "=1", "factor=:f32"}) {
    ExpectUsage({text}, {"--specialize takes ID=VALUE, NAME=VALUE or ID=VALUE:TYPE, as in BLOCK=64, not '"});
  }
}

TEST_F(RunSpecializeTest, ImagesThatDoNotTellNeedATypeAndANumber) {
  const auto expect_usage = [](const std::string& value) {
    ExpectRefused(RunProgram("halyard-run", {"--device=local", "--executable=" HALYARD_TOOL_TEST_KERNELS,
                                             "--exports=" HALYARD_TOOL_TEST_DATA "/exports.json", "--function=saxpy",
                                             "--workgroups=1", "--specialize=" + value}),
                  ExitCode::kUsage,
                  {"does not tell its specialisation constants; write ID=VALUE:TYPE, as in 0=64:u32"});
  };
  expect_usage("0=1");
  expect_usage("block=1:u32");
  ExpectRefused(RunProgram("halyard-run", {"--device=local", "--executable=" HALYARD_TOOL_TEST_KERNELS,
                                           "--exports=" HALYARD_TOOL_TEST_DATA "/exports.json", "--function=saxpy",
                                           "--workgroups=1", "--specialize=0=1:u32"}),
                ExitCode::kInput, {"specialisation constants"});
}

}  // namespace
}  // namespace halyard::tools
