// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-run as a user runs it, on both local devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/json.h"
#include "support/temporary_files.h"
#include "tools/arrays.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RunToolTest : public testing::TestWithParam<const char*> {
 protected:
  RunToolTest() {
    WriteNpyFile(folder_ / "x.npy", Array<float>(HAL_ELEMENT_TYPE_F32, {2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}));
    WriteNpyFile(folder_ / "y.npy", Array<float>(HAL_ELEMENT_TYPE_F32, {2, 4}, {1, 1, 1, 1, 1, 1, 1, 1}));
    WriteNpyFile(folder_ / "sum.npy", Array<float>(HAL_ELEMENT_TYPE_F32, {2, 4}, {1, 3, 5, 7, 9, 11, 13, 15}));
    WriteNpyFile(folder_ / "near.npy", Array<double>(HAL_ELEMENT_TYPE_F64, {2, 4}, {1, 3, 5, 7, 9, 11, 13.001, 15}));
    WriteNpyFile(folder_ / "i.npy", Array<int32_t>(HAL_ELEMENT_TYPE_SI32, {3}, {7, 8, -9}));
  }

  std::string Input(const std::string& name) const { return "--input=" + (folder_ / name); }

  // Runs a function of the test kernels with more arguments.
  ToolResult Run(const std::string& function, std::vector<std::string> arguments) const {
    std::vector<std::string> all = {std::string("--device=") + GetParam(), kKernels, kExports,
                                    "--function=" + function};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return RunProgram("halyard-run", all);
  }

  // Saxpy over all elements: y += 2 * x.
  ToolResult Saxpy(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--workgroups=2", "--constant=f32:2", Input("x.npy"), Input("y.npy")});
    return Run("saxpy", std::move(arguments));
  }

  const TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(All, RunToolTest, testing::Values("local://sync", "local://task"),
                         [](const auto& test) { return std::string(test.param).substr(8); });

TEST_P(RunToolTest, ReplacesResultsAndOthersOnlyByForce) {
  for (const char* const option : {"--output=", "--trace="}) {
    const std::string path = folder_.Write("mine", "written by hand");
    const std::string output = option + path;
    const std::string other = "--output=" + (folder_ / "out.npy");
    const std::vector<std::string> arguments =
        output.starts_with("--trace") ? std::vector{output, other} : std::vector{output};
    ExpectRefused(Saxpy(arguments), ExitCode::kOutput, {"mine", "--force"});
    EXPECT_EQ(ReadText(path), "written by hand") << option;
    std::vector<std::string> forced = arguments;
    forced.emplace_back("--force");
    ExpectSuccess(Saxpy(forced));
    ExpectSuccess(Saxpy(arguments));
  }
}

TEST_P(RunToolTest, WritesTheResultInTheShapeOfTheInput) {
  const ToolResult result = Saxpy({"--output=" + (folder_ / "out.npy")});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("f32[2,4] written to"));
  const NpyArray out = ReadNpyFile(folder_ / "out.npy");
  EXPECT_EQ(out.type, HAL_ELEMENT_TYPE_F32);
  EXPECT_THAT(out.shape, ElementsAre(2, 4));
  EXPECT_THAT(Values<float>(out), ElementsAre(1, 3, 5, 7, 9, 11, 13, 15));
}

TEST_P(RunToolTest, EveryRepetitionBeginsWithTheSameData) {
  const ToolResult result =
      Saxpy({"--output=" + (folder_ / "out.npy"), "--repeat=20", "--warmup=3", "--expect=" + (folder_ / "sum.npy")});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("as expected: all 8 elements are equal"));
  EXPECT_THAT(result.out, testing::ContainsRegex("time .* median, .* p10, .* p90 \\(20 runs"));
}

TEST_P(RunToolTest, WriteOnlyOutputsAreDescribed) {
  const ToolResult result =
      Run("divide", {"--workgroups=3", "--constant=u32:4", Input("i.npy"), "--output=" + (folder_ / "q.npy:i32[3]"),
                     "--output=" + (folder_ / "r.npy:i32[1,3]")});
  ExpectSuccess(result);
  EXPECT_THAT(Values<int32_t>(ReadNpyFile(folder_ / "q.npy")), ElementsAre(1, 2, -2));
  EXPECT_THAT(ReadNpyFile(folder_ / "r.npy").shape, ElementsAre(1, 3));
  EXPECT_THAT(Values<int32_t>(ReadNpyFile(folder_ / "r.npy")), ElementsAre(3, 0, -1));
}

TEST_P(RunToolTest, BindingsMayBeNamed) {
  WriteNpyFile(folder_ / "rest.npy", Array<int32_t>(HAL_ELEMENT_TYPE_SI32, {3}, {3, 0, -1}));
  const ToolResult result = Run("divide", {"--workgroups=3", "--constant=u32:4", "--input=0=" + (folder_ / "i.npy"),
                                           "--output=1=:i32[3]", "--expect=2=" + (folder_ / "rest.npy")});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("binding 2   as expected"));
}

TEST_P(RunToolTest, ConstantsMayBeLaidOutLikeAStruct) {
  const ToolResult result = Run("divide", {"--workgroups=1", "--constant=u64:0", "--constant=u32:2", "--constant=u32:0",
                                           "--input=i32[1]=5", "--output=-:i32[1]", "--output=-:i32[1]"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("1xi32=2"));
  EXPECT_THAT(result.out, HasSubstr("1xi32=1"));
}

TEST_P(RunToolTest, ToleranceDecides) {
  const std::string expect = "--expect=" + (folder_ / "near.npy");
  ExpectSuccess(Saxpy({expect, "--tolerance=0.01"}));
  ExpectSuccess(Saxpy({expect, "--tolerance=0,1e-3"}));
  const ToolResult result = Saxpy({expect, "--tolerance=1e-4,1e-6", "--output=" + (folder_ / "out.npy")});
  EXPECT_EQ(result.exit, static_cast<int>(ExitCode::kDifferent));
  EXPECT_THAT(result.out, HasSubstr("different: 1 of 8 elements; the first: [1, 2] is 13, expected 13.001"));
  EXPECT_THAT(Values<float>(ReadNpyFile(folder_ / "out.npy")), ElementsAre(1, 3, 5, 7, 9, 11, 13, 15));
}

TEST_P(RunToolTest, TellsProgramsTheSame) {
  const ToolResult result =
      Saxpy({"--json", "--repeat=5", "--output=" + (folder_ / "out.npy"), "--expect=" + (folder_ / "sum.npy")});
  ExpectSuccess(result);
  const Json document = Json::parse(result.out);
  EXPECT_EQ(document.at("function"), "saxpy");
  EXPECT_EQ(document.at("time_ns").at("runs"), 5);
  EXPECT_GT(document.at("time_ns").at("median"), 0);
  const Json& output = document.at("results").at(0);
  EXPECT_EQ(output.at("binding"), 1);
  EXPECT_EQ(output.at("type"), "f32");
  EXPECT_EQ(output.at("file"), folder_ / "out.npy");
  EXPECT_TRUE(output.at("expected").at("equal"));
}

TEST_P(RunToolTest, WritesATrace) {
  const ToolResult result = Saxpy({"--trace=" + (folder_ / "trace.json"), "--repeat=3"});
  ExpectSuccess(result);
  const Json trace = Json::parse(ReadText(folder_ / "trace.json"));
  size_t dispatches = 0;
  for (const Json& event : trace.at("traceEvents")) dispatches += event.at("name") == "saxpy" ? 1 : 0;
  EXPECT_EQ(dispatches, 3u);
}

TEST_P(RunToolTest, EmptyArraysAreFine) {
  const std::string out = folder_ / "out.npy";
  const ToolResult result =
      Run("ignore", {"--workgroups=1", "--input=f32[0]=1", "--output=" + out + ":i8[3,0]", "--expect=" + out});
  ExpectRefused(result, ExitCode::kInput, {"cannot read"});  // not there yet
  ExpectSuccess(Run("ignore", {"--workgroups=1", "--input=f32[0]=1", "--output=" + out + ":i8[3,0]"}));
  EXPECT_THAT(ReadNpyFile(out).shape, ElementsAre(3, 0));
  ExpectSuccess(Run("ignore", {"--workgroups=1", "--input=f32[0]=1", "--output=" + out, "--expect=" + out}));
}

TEST_P(RunToolTest, BindingsWithoutInputBeginAsZeros) {
  const ToolResult result = Run("ignore", {"--workgroups=1", "--input=f32[1]=1", "--output=-:i8[3]"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("3xi8=0 0 0"));
}

TEST_P(RunToolTest, AnOutputMayGoWhereItsInputCameFrom) {
  ExpectSuccess(Saxpy({"--output=" + (folder_ / "y.npy")}));
  EXPECT_THAT(Values<float>(ReadNpyFile(folder_ / "y.npy")), ElementsAre(1, 3, 5, 7, 9, 11, 13, 15));
}

TEST_P(RunToolTest, AFailingKernelLeavesNoOutput) {
  const ToolResult result = Run("fail", {"--workgroups=1", "--trace=" + (folder_ / "trace.json")});
  ExpectRefused(result, ExitCode::kRun, {"cannot run the kernel", "42", "ABORTED"});
  EXPECT_THAT(folder_.Names(), testing::Not(testing::Contains("trace.json")));
}

TEST_P(RunToolTest, ReadsTheExecutableFilesThatPackMakes) {
  const std::string packed = folder_ / "kernels.halx";
  ExpectSuccess(RunProgram("halyard-pack", {"--local=" HALYARD_TOOL_TEST_KERNELS, kExports, "--output=" + packed}));
  const ToolResult result =
      RunProgram("halyard-run",
                 {std::string("--device=") + GetParam(), "--executable=" + packed, "--function=saxpy", "--workgroups=2",
                  "--constant=f32:2", Input("x.npy"), Input("y.npy"), "--expect=" + (folder_ / "sum.npy")});
  ExpectSuccess(result);
}

}  // namespace
}  // namespace halyard::tools
