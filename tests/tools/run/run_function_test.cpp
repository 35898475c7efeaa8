// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-run with functions compiled by MLIR: by dispatch, and by a plain call where only running shows a shape.
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

constexpr const char* kDifferent = "different: it is f32[3,2], expected f32[2,3]";

class RunFunctionTest : public testing::TestWithParam<const char*> {
 protected:
  RunFunctionTest() {
    ExpectSuccess(
        RunProgram("halyard-pack", {"--local=" HALYARD_TOOL_TEST_FUNCTIONS,
                                    "--mlir=" HALYARD_TOOL_TEST_DATA "/functions.mlir", "-o", File("f.halx")}));
    WriteNpyFile(File("a.npy"), Array<float>(HAL_ELEMENT_TYPE_F32, {2, 3}, {1, 2, 3, 4, 5, 6}));
    WriteNpyFile(File("b.npy"), Array<float>(HAL_ELEMENT_TYPE_F32, {3, 2}, {1, 0, 0, 1, 1, 1}));
    WriteNpyFile(File("ab.npy"), Array<float>(HAL_ELEMENT_TYPE_F32, {2, 2}, {4, 5, 10, 11}));
    WriteNpyFile(File("at.npy"), Array<float>(HAL_ELEMENT_TYPE_F32, {3, 2}, {1, 4, 2, 5, 3, 6}));
    WriteNpyFile(File("i64.npy"), Array<int64_t>(HAL_ELEMENT_TYPE_SI64, {2}, {7, -1}));
    WriteNpyFile(File("bf16.npy"), Array<uint16_t>(HAL_ELEMENT_TYPE_UI16, {1}, {0x3FC0}));  // 1.5
  }

  std::string File(const std::string& name) const { return folder_ / name; }
  std::string Input(const std::string& name) const { return "--input=" + File(name); }

  ToolResult Run(const std::string& function, std::vector<std::string> arguments) const {
    std::vector<std::string> all = {std::string("--device=") + GetParam(), "--executable=" + File("f.halx"),
                                    "--function=" + function};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return RunProgram("halyard-run", all);
  }

  const TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(All, RunFunctionTest, testing::Values("local://sync", "local://task"),
                         [](const auto& test) { return std::string(test.param).substr(8); });

TEST_P(RunFunctionTest, FewerArraysThanMemrefsGoFirstAndComeLast) {
  ExpectSuccess(Run("matmul", {Input("a.npy"), Input("b.npy"), "--output=" + File("c.npy")}));
  const NpyArray c = ReadNpyFile(File("c.npy"));
  EXPECT_THAT(c.shape, ElementsAre(2, 2));
  EXPECT_THAT(Values<float>(c), ElementsAre(4, 5, 10, 11));
  const ToolResult added = Run("matmul", {Input("a.npy"), Input("b.npy"), "--input=f32[2,2]=1", "--output=-"});
  ExpectSuccess(added);
  EXPECT_THAT(added.out, HasSubstr("binding 2   2x2xf32=[5 6][11 12]"));
}

TEST_P(RunFunctionTest, EveryRepetitionBeginsWithTheSameData) {
  const ToolResult result = Run("matmul", {Input("a.npy"), Input("b.npy"), "--expect=" + File("ab.npy"), "--repeat=10",
                                           "--warmup=2", "--trace=" + File("trace.json")});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("as expected: all 4 elements are equal"));
  EXPECT_THAT(result.out, HasSubstr("(10 runs"));
  EXPECT_THAT(ReadText(File("trace.json")), HasSubstr("\"matmul\""));
}

TEST_P(RunFunctionTest, ScalarsAreConstantsAndResults) {
  const ToolResult result = Run("scale", {"--constant=f32:10", "--constant=i64:3", "--input=f32[4]=2", "--output=-",
                                          "--output=" + File("sum.npy")});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("binding 0   4xf32=20 20 20 2\n"));
  const NpyArray sum = ReadNpyFile(File("sum.npy"));
  EXPECT_TRUE(sum.shape.empty());
  EXPECT_THAT(Values<float>(sum), ElementsAre(60));
}

TEST_P(RunFunctionTest, ResultOfUnknownShapeIsCalledFor) {
  const ToolResult result = Run("count", {"--constant=index:3", "--output=" + File("n.npy"), "--repeat=5", "--json"});
  ExpectSuccess(result);
  const Json report = Json::parse(result.out);
  EXPECT_EQ(report.at("route"), "call");
  EXPECT_EQ(report.at("results").at(0).at("shape"), Json({3}));
  EXPECT_THAT(Values<int64_t>(ReadNpyFile(File("n.npy"))), ElementsAre(0, 1, 2));
  const ToolResult empty = Run("count", {"--constant=index:0", "--output=-"});
  ExpectSuccess(empty);
  EXPECT_THAT(empty.out, HasSubstr("called      directly: only running shows the shape of result 0 (binding 0)"));
}

TEST_P(RunFunctionTest, ResultOfANegativeSizeIsNamed) {
  ExpectRefused(Run("count", {"--constant=index:-1", "--output=-"}), ExitCode::kRun,
                {"result 0 (binding 0) came with -1 elements in dimension 0"});
}

TEST_P(RunFunctionTest, ResultOfGivenShapeIsDispatched) {
  const ToolResult result = Run("count", {"--constant=index:3", "--output=-:i64[3]", "--json"});
  ExpectSuccess(result);
  EXPECT_EQ(Json::parse(result.out).at("route"), "dispatch");
  EXPECT_EQ(Json::parse(result.out).at("results").at(0).at("text"), "3xi64=0 1 2");
  ExpectRefused(Run("count", {"--constant=index:3", "--output=-:i64[4]"}), ExitCode::kRun,
                {"'count': result 0 (binding 0)", "memref<3xindex>"});
}

TEST_P(RunFunctionTest, StridedAndUnrankedResultsComeDense) {
  ExpectSuccess(Run("transpose", {Input("a.npy"), "--expect=" + File("at.npy"), "--repeat=3"}));
  ExpectSuccess(Run("transpose", {Input("a.npy"), "--output=:f32[3,2]", "--expect=" + File("at.npy")}));
  ExpectSuccess(Run("same", {Input("a.npy"), "--expect=" + File("a.npy"), "--repeat=3"}));
  ExpectSuccess(Run("same", {"--input=f32[]=5", "--output=" + File("scalar.npy")}));
  EXPECT_TRUE(ReadNpyFile(File("scalar.npy")).shape.empty());
}

TEST_P(RunFunctionTest, ResultOfAnotherShapeIsDifferent) {
  const ToolResult result = Run("transpose", {Input("a.npy"), "--expect=" + File("a.npy")});
  EXPECT_EQ(result.exit, static_cast<int>(ExitCode::kDifferent));
  EXPECT_THAT(result.out, HasSubstr(kDifferent));
}

TEST_P(RunFunctionTest, IntegersStandForWhatNumpyLacks) {
  ExpectSuccess(Run("stand_ins", {Input("bf16.npy"), Input("i64.npy"), "--output=" + File("x.npy") + ":u16[1]",
                                  "--output=" + File("n.npy")}));
  EXPECT_THAT(Values<uint16_t>(ReadNpyFile(File("x.npy"))), ElementsAre(0xBFC0));
  EXPECT_THAT(Values<int64_t>(ReadNpyFile(File("n.npy"))), ElementsAre(8, 0));
  ExpectRefused(Run("stand_ins", {Input("bf16.npy"), Input("i64.npy"), "--output=0=" + File("x.npy")}),
                ExitCode::kUsage, {"NumPy has no bf16", "binding 0"});
}

TEST_P(RunFunctionTest, WorkgroupNumbersRunTheGrid) {
  const ToolResult result = Run("number", {"--workgroups=4", "--output=-"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("4xi32=40 41 42 43"));
  ExpectRefused(Run("number", {}), ExitCode::kUsage, {"--workgroups=X,Y,Z is missing"});
}

TEST_P(RunFunctionTest, ArraysThatDoNotFitTheSignature) {
  ExpectRefused(Run("matmul", {Input("a.npy"), Input("a.npy")}), ExitCode::kInput,
                {"'matmul': argument 1 (binding 1) is memref<3x2xf32>, but '" + File("a.npy") + "' is f32[2,3]"});
  ExpectRefused(Run("matmul", {Input("i64.npy"), Input("b.npy")}), ExitCode::kInput,
                {"argument 0 (binding 0) is memref<2x3xf32>", "is si64[2]"});
  ExpectRefused(Run("scale", {"--constant=f32:1", "--constant=index:1", "--input=f64[4]=1"}), ExitCode::kInput,
                {"'scale': argument 1 (binding 0) is memref<?xf32>, but '--input' is f64[4]"});
  ExpectRefused(Run("matmul", {Input("a.npy"), Input("b.npy"), "--output=c.npy:f32[4]"}), ExitCode::kInput,
                {"argument 2 (binding 2) is memref<2x2xf32>", "f32[4]"});
  ExpectRefused(Run("matmul", {Input("a.npy"), Input("b.npy"), "--expect=" + File("a.npy")}), ExitCode::kInput,
                {"a.npy' is f32[2,3], but the result is f32[2,2]"});
  ExpectRefused(Run("scale", {"--constant=f32:1", "--constant=index:1", "--input=f32[4]=1", "--output=0=-:f32[2]"}),
                ExitCode::kUsage, {"argument 1 (binding 0) is given f32[4], but its output should be f32[2]"});
  ExpectRefused(Run("count", {"--constant=index:3", "--output=-:f32[3]"}), ExitCode::kInput,
                {"result 0 (binding 0) is memref<?xindex>", "f32[3]"});
}

TEST_P(RunFunctionTest, ScalarsThatDoNotFitTheSignature) {
  ExpectRefused(Run("scale", {"--constant=u32:10", "--constant=index:3", "--input=f32[4]=2"}), ExitCode::kUsage,
                {"--constant=u32:10 is ui32, but argument 0 of 'scale' is f32"});
  ExpectRefused(Run("scale", {"--constant=f32:10", "--constant=i32:3", "--input=f32[4]=2"}), ExitCode::kUsage,
                {"--constant=i32:3 is i32, but argument 2 of 'scale' is index"});
  ExpectRefused(Run("scale", {"--constant=f32:10", "--input=f32[4]=2"}), ExitCode::kUsage,
                {"--constant is given 1 time, but the function takes 2 scalars",
                 "scale(f32, binding 0: memref<?xf32>, index) -> (binding 1: f32)"});
}

TEST_P(RunFunctionTest, WhatAFunctionCannotDo) {
  ExpectRefused(Run("matmull", {}), ExitCode::kInput, {"no export 'matmull'; did you mean 'matmul'?"});
  ExpectRefused(Run("scale", {"--constant=f32:1", "--constant=index:1"}), ExitCode::kUsage,
                {"shape of argument 1 (binding 0) are not known", "--output=0=FILE:f32[8,8]"});
  ExpectRefused(Run("same", {}), ExitCode::kUsage, {"argument 0 (binding 0) is read, but has no --input"});
  ExpectRefused(Run("matmul", {Input("a.npy"), Input("b.npy"), "--workgroups=2"}), ExitCode::kRun,
                {"'matmul' takes no workgroup id", "1 x 1 x 1"});
  ExpectRefused(Run("count", {"--constant=index:3", "--workgroups=2"}), ExitCode::kUsage, {"leave out --workgroups"});
  ExpectRefused(Run("count", {"--constant=index:3", "--trace=" + File("t.json")}), ExitCode::kUsage,
                {"'count' is called directly", "--output=FILE:f32[8,8]"});
  ExpectRefused(Run("matmul", {Input("a.npy"), Input("b.npy"), Input("ab.npy"), Input("ab.npy")}), ExitCode::kUsage,
                {"--input is given 4 times, but the function has 3 bindings that are read"});
}

}  // namespace
}  // namespace halyard::tools
