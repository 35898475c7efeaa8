// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-run with arguments by the names of parameters, and with grids as expressions of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../pack/triton_corpus.h"
#include "support/temporary_files.h"
#include "tools/arrays.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kNamedExports = R"({"exports": [
  {"name": "saxpy", "symbol": "saxpy_f32", "workgroup_size": [4], "parameters": [
    {"kind": "constant", "name": "alpha", "type": "f32", "offset": 0, "size": 4},
    {"kind": "binding", "name": "x", "type": "f32", "binding": 0, "access": "read"},
    {"kind": "binding", "name": "y", "type": "f32", "binding": 1, "access": "read_write"}]},
  {"name": "divide", "constants_size": 16, "parameters": [
    {"kind": "binding", "name": "source", "binding": 0, "access": "read"},
    {"kind": "constant", "name": "divisor", "offset": 8, "size": 4},
    {"kind": "binding", "name": "quotient", "binding": 1, "access": "write"},
    {"kind": "binding", "name": "remainder", "set": 1, "binding": 0, "access": "write"}]}]})";

class RunNamedTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string exports = folder_.Write("exports.json", kNamedExports);
    ExpectSuccess(RunProgram("halyard-pack",
                             {"--local=" HALYARD_TOOL_TEST_KERNELS, "--exports=" + exports, "--output=" + file_}));
    WriteNpyFile(folder_ / "x.npy", Array<float>(HAL_ELEMENT_TYPE_F32, {8}, {0, 1, 2, 3, 4, 5, 6, 7}));
    WriteNpyFile(folder_ / "i.npy", Array<int32_t>(HAL_ELEMENT_TYPE_SI32, {3}, {7, 8, -9}));
    WriteNpyFile(folder_ / "d.npy", Array<double>(HAL_ELEMENT_TYPE_F64, {2}, {1, 2}));
  }

  ToolResult Run(const std::string& function, const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = {"--device=local", "--executable=" + file_, "--function=" + function};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return RunProgram("halyard-run", all);
  }
  std::string At(const std::string& name) const { return folder_ / name; }

  void ExpectUsage(const std::vector<std::string>& arguments, const std::vector<std::string>& words) const {
    ExpectRefused(Run("saxpy", arguments), ExitCode::kUsage, words);
  }

  const TemporaryFolder folder_;
  const std::string file_ = folder_ / "kernels.halx";
};

TEST_F(RunNamedTest, TakesInputsNumbersAndOutputs) {
  ExpectSuccess(Run("saxpy", {"--grid=2", "alpha=2", "x=" + At("x.npy"), "y=f32[8]=1", "y:" + At("y.npy")}));
  EXPECT_THAT(Values<float>(ReadNpyFile(At("y.npy"))), ElementsAre(1, 3, 5, 7, 9, 11, 13, 15));
}

// In any order, in another set, with types where the file has none. The output has the shape of the input.
TEST_F(RunNamedTest, FindsPlacesByName) {
  ExpectSuccess(Run("divide", {"remainder:" + At("r.npy") + ":si32[3]", "--workgroups=3", "divisor=i32:4",
                               "quotient:" + At("q.npy") + ":si32[3]", "source=" + At("i.npy")}));
  EXPECT_THAT(Values<int32_t>(ReadNpyFile(At("q.npy"))), ElementsAre(1, 2, -2));
  EXPECT_THAT(Values<int32_t>(ReadNpyFile(At("r.npy"))), ElementsAre(3, 0, -1));
}

TEST_F(RunNamedTest, OutputsHaveTheShapeOfTheInputs) {
  ExpectSuccess(Run("saxpy", {"--grid=2", "alpha=2", "x=" + At("x.npy"), "y:" + At("y.npy")}));
  EXPECT_THAT(Values<float>(ReadNpyFile(At("y.npy"))), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
}

TEST_F(RunNamedTest, NamesWhatIsWrong) {
  ExpectUsage({"--grid=2", "alhpa=2"}, {"'alhpa=2': 'saxpy' has no parameter 'alhpa'", "did you mean 'alpha'?"});
  ExpectUsage({"--grid=2", "alpha=two"}, {"two"});
  ExpectUsage({"--grid=2", "alpha=f64:2"}, {"'alpha=f64:2' has 8 bytes, but 'alpha' has 4 bytes"});
  ExpectUsage({"--grid=2", "alpha:a.npy"}, {"'alpha' is a number, which takes alpha=VALUE"});
  ExpectUsage({"--grid=2", "alpha=1", "alpha=2"}, {"'alpha' is given twice"});
  ExpectUsage({"--grid=2", "alpha=1", "--constant=f32:1"}, {"--constant does not go together"});
  ExpectUsage({"--grid=2", "alpha=1", "x=f32[8]=1", "x=f32[8]=2"}, {"--input names binding 0 twice"});
  ExpectUsage({"--grid=2", "alpha=1"}, {"'x' (binding 0) is read, but has no --input"});
  ExpectUsage({"--grid=2", "alpha"}, {"unexpected argument 'alpha'"});
  ExpectUsage({"--grid=2", "alpha="}, {"'alpha=' says nothing behind the name"});
  ExpectUsage({"--grid=2", "=1"}, {"'=1' is no argument"});
  ExpectRefused(Run("divide", {"--grid=3", "divisor=4", "source=" + At("i.npy")}), ExitCode::kUsage,
                {"does not tell the type of 'divisor'", "divisor=i32:4"});
}

TEST_F(RunNamedTest, ChecksTheTypesOfArrays) {
  ExpectRefused(Run("saxpy", {"--grid=2", "alpha=1", "x=" + At("d.npy"), "y=f32[8]=1"}), ExitCode::kInput,
                {"'saxpy': 'x' (binding 0) takes f32, but '", "d.npy' is f64[2]"});
  ExpectRefused(Run("saxpy", {"--grid=2", "alpha=1", "x=f64[2]=0", "y=f32[8]=1"}), ExitCode::kInput,
                {"'x' (binding 0) takes f32, but 'f64[2]'"});
}

TEST_F(RunNamedTest, GridsAreExpressions) {
  const auto count = [&](const std::string& grid) {
    const ToolResult result = RunProgram(
        "halyard-run", {"--device=null", "--executable=" + file_, "--function=divide", "--grid=" + grid,
                        "divisor=i32:100003", "source=" + At("i.npy"), "quotient:-:si32[3]", "remainder:-:si32[3]"});
    const size_t begin = result.out.find("workgroups  ");
    return begin == std::string::npos ? result.error
                                      : result.out.substr(begin + 12, result.out.find(" of ", begin) - begin - 12);
  };
  EXPECT_EQ(count("cdiv(divisor, 1024)"), "98 x 1 x 1");
  EXPECT_EQ(count("max(1,divisor/1000),min(3, 4)*2-1, 7%4"), "100 x 5 x 3");
  EXPECT_EQ(count("(1+2)*(3+4)"), "21 x 1 x 1");
  EXPECT_EQ(count("1+2*3-(-1)"), "8 x 1 x 1");
  for (const auto& [grid, words] : std::vector<std::pair<std::string, std::string>>{
           {"n", "'n' is not given as a number (n=…)"},
           {"cdiv(3,0)", "divides by 0"},
           {"9223372036854775807+1", "exceeds 64 bits"},
           {"cdiv(3", "',' is missing"},
           {"round(3,4)", "'round' is no function; there are cdiv, min and max"},
           {"3 4", "an operator is missing"},
           {"1-1", "'1-1' is 0"},
           {"4294967296", "'4294967296' is 4294967296"},
           {"1,2,3,4", "--workgroups takes X[,Y[,Z]]"},
           {"1,,2", "--workgroups takes X[,Y[,Z]]"},
           {"*", "a number or name is missing"},
           {std::string(100, '(') + "1", "too many parentheses"}}) {
    EXPECT_THAT(count(grid), HasSubstr(words)) << grid;
  }
}

// A raw image that tells what it exports, and one of Triton's cache.
TEST_F(RunNamedTest, TensorMapsTakeArrays) {
  ExpectSuccess(RunProgram("halyard-pack",
                           {"--triton=" + kTritonCorpus + "/3.9.0/sm_90/tma_host", "--output=" + At("tma.halx")}));
  const auto run = [&](const std::string& rows, const std::string& stride) {
    std::vector<std::string> arguments = {"--device=null",         "--executable=" + At("tma.halx"), "--grid=2,3",
                                          "x_desc=f16[100,136]=0", "out_desc:" + At("out.npy"),      "--force"};
    for (const char* const name : {"x_desc", "out_desc"}) {
      for (const std::string& number :
           {".shape.0=" + rows, std::string(".shape.1=136"), ".stride.0=" + stride, std::string(".stride.1=1")}) {
        arguments.push_back(name + number);
      }
    }
    return RunProgram("halyard-run", arguments);
  };
  ExpectSuccess(run("100", "136"));
  EXPECT_EQ(ReadNpyFile(At("out.npy")).shape, (std::vector<int64_t>{100, 136}));
  ExpectRefused(run("100", "130"), ExitCode::kRun,
                {"parameter 0 of \"tma_host\": dimension 0 has a stride of 130 elements of 2 bytes"});
  ExpectRefused(run("101", "136"), ExitCode::kRun, {"reaches over 27472 bytes, but its binding has 27200"});
}

TEST_F(RunNamedTest, ErrorsNameGuesses) {
  ExpectSuccess(RunProgram(
      "halyard-pack", {"--cuda=" HALYARD_CORPUS "/images/nvcc13.0/numbers.cubin", "--output=" + At("numbers.halx")}));
  ExpectRefused(
      RunProgram("halyard-run", {"--device=null", "--executable=" + At("numbers.halx"), "--grid=1",
                                 "--function=plain_c", "--workgroup-size=1", "--constant=i32:1", "--constant=i64:2"}),
      ExitCode::kUsage,
      {"of constants, but --constant gives 16 bytes", "guesses, as the image does not tell", "parameter 3"});
}

TEST_F(RunNamedTest, DryRunsOfOtherCompilersKernels) {
  ExpectSuccess(RunProgram("halyard-pack",
                           {"--triton=" + kTritonCorpus + "/3.9.0/sm_90/vector_add", "--output=" + At("add.halx")}));
  const ToolResult packed =
      RunProgram("halyard-run", {"--device=null", "--executable=" + At("add.halx"), "--grid=cdiv(n,1024)", "n=8",
                                 "x_ptr=" + At("x.npy"), "y_ptr=" + At("x.npy"), "out_ptr:" + At("out.npy")});
  ExpectSuccess(packed);
  EXPECT_EQ(ReadNpyFile(At("out.npy")).shape, std::vector<int64_t>{8});
  const ToolResult raw =
      RunProgram("halyard-run", {"--device=null", "--executable=" HALYARD_REFLECTION_IMAGES "/glslang12_typed.spv",
                                 "--grid=1", "--constant=f32:8", "--constant=i32:1", "--constant=hex:0300000004000000",
                                 "--workgroup-size=8,4", "--input=f32[9,4]=0"});
  ExpectSuccess(raw);
}

}  // namespace
}  // namespace halyard::tools
