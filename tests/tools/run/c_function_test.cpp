// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-pack and halyard-run with plain C functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/json.h"
#include "support/temporary_files.h"
#include "tools/arrays.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class CFunctionToolTest : public testing::Test {
 protected:
  std::string File(const std::string& name) const { return folder_ / name; }

  ToolResult PackWith(const std::string& exports) const {
    return RunProgram("halyard-pack", {"--local=" HALYARD_TOOL_TEST_C_FUNCTIONS, "--exports=" + exports, "-o",
                                       File("c.halx"), "--force"});
  }
  ToolResult PackText(const std::string& exports) const {
    return PackWith(folder_.Write("exports.json", R"({"exports": [)" + exports + "]}"));
  }

  /// Runs a function of the packed file.
  ToolResult Run(const std::string& function, std::vector<std::string> arguments) const {
    return RunFile(File("c.halx"), function, std::move(arguments));
  }
  static ToolResult RunFile(const std::string& file, const std::string& function, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--device=local", "--executable=" + file, "--function=" + function});
    return RunProgram("halyard-run", arguments);
  }

  const TemporaryFolder folder_;
};

class CFunctionRunTest : public CFunctionToolTest {
 protected:
  CFunctionRunTest() { ExpectSuccess(PackWith(HALYARD_TOOL_TEST_DATA "/c_functions.json")); }
};

TEST_F(CFunctionRunTest, DumpShowsTypesAndPacksAgain) {
  const ToolResult text = RunProgram("halyard-pack", {"--dump=" + File("c.halx")});
  ExpectSuccess(text);
  EXPECT_THAT(text.out, AllOf(HasSubstr("format version 3"), HasSubstr("(i64, f32, const f32*, f32*) -> ()"),
                              HasSubstr("(ui32, ui32, i64, const f32*, f32*) -> (status)"),
                              HasSubstr("called through    c\n"), HasSubstr("symbol of 1       sum_rows")));
  const ToolResult json = RunProgram("halyard-pack", {"--dump=" + File("c.halx"), "--json"});
  ExpectSuccess(json);
  Json exports = Json::parse(json.out).at("exports");
  EXPECT_EQ(exports[1]["arguments"][1], (Json{{"type", "ui32"}, {"workgroup", "count.x"}}));
  exports[1]["symbol"] = "sum_rows";  // which belongs to the variants
  const std::string before = ReadText(File("c.halx"));
  ExpectSuccess(PackWith(folder_.Write("again.json", JsonText({{"exports", exports}}))));
  EXPECT_EQ(ReadText(File("c.halx")), before);
}

TEST_F(CFunctionRunTest, NumbersAreConstantsAndPointersArrays) {
  const ToolResult result = Run("saxpy", {"--constant=i64:3", "--constant=f32:2", "--input=f32[4]=5",
                                          "--input=f32[4]=1", "--output=" + File("y.npy")});
  ExpectSuccess(result);
  EXPECT_THAT(Values<float>(ReadNpyFile(File("y.npy"))), ElementsAre(11, 11, 11, 1));
}

TEST_F(CFunctionRunTest, TypesAreChecked) {
  ExpectRefused(Run("saxpy", {"--constant=i64:3", "--constant=f32:2", "--input=f32[4]=5", "--input=f64[4]=1"}),
                ExitCode::kInput, {"'saxpy': argument 3 (binding 1) is f32*, but '--input' is f64[4]"});
  ExpectRefused(Run("saxpy", {"--constant=i64:3", "--constant=i32:2", "--input=f32[4]=5", "--input=f32[4]=1"}),
                ExitCode::kUsage, {"--constant=i32:2 is i32, but argument 1 of 'saxpy' is f32"});
  ExpectRefused(Run("saxpy", {"--constant=i64:3", "--constant=f32:2", "--input=0=f32[4]=5"}), ExitCode::kUsage,
                {"the type and shape of argument 3 (binding 1) are not known",
                 "saxpy(i64, f32, binding 0: const f32*, binding 1: f32*) -> ()"});
}

TEST_F(CFunctionRunTest, GridsRunOnceForEachWorkgroup) {
  WriteNpyFile(File("x.npy"), Array<float>(HAL_ELEMENT_TYPE_F32, {3, 2}, {1, 2, 3, 4, 5, 6}));
  const std::vector<std::string> arguments = {"--constant=i64:2", "--input=" + File("x.npy"),
                                              "--output=" + File("sums.npy") + ":f32[3]"};
  std::vector<std::string> grid = arguments;
  grid.emplace_back("--workgroups=3");
  ExpectSuccess(Run("sums", grid));
  EXPECT_THAT(Values<float>(ReadNpyFile(File("sums.npy"))), ElementsAre(1, 7 / 3.0f, 11 / 3.0f));
  ExpectRefused(Run("sums", arguments), ExitCode::kUsage, {"--workgroups=X,Y,Z"});
  grid.back() = "--workgroups=3,2";
  grid.emplace_back("--force");
  ExpectRefused(Run("sums", grid), ExitCode::kRun, {"takes no workgroup id in y"});
}

TEST_F(CFunctionRunTest, StatusFailsTheRun) {
  ExpectRefused(Run("sums", {"--constant=i64:2", "--input=f32[6]=-1", "--output=-:f32[3]", "--workgroups=1"}),
                ExitCode::kRun, {"'sums' returned the status 1"});
}

TEST_F(CFunctionRunTest, ResultsAreOutputs) {
  const ToolResult result = Run("half_of", {"--constant=i32:-7", "--output=-"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("binding 0   f64=-3.5"));
}

TEST_F(CFunctionRunTest, KernelsBesideThemAreKernels) {
  const ToolResult result = Run("marked", {"--output=-:f32[2]", "--workgroups=2"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("2xf32=8 8"));
}

TEST_F(CFunctionToolTest, RunsWhatHalideCompiled) {
  const std::string folder = HALYARD_CORPUS "/images/halide21/";
  ExpectSuccess(RunProgram("halyard-pack", {"--local=" + folder + "blur.x86_64.so", "--exports=" + folder + "blur.json",
                                            "-o", File("blur.halx")}));
  const ToolResult result =
      RunFile(File("blur.halx"), "blur",
              {"--input=f32[3,18]=1.5", "--constant=f32:2", "--output=" + File("out.npy") + ":f32[3,16]"});
  ExpectSuccess(result);
  const NpyArray out = ReadNpyFile(File("out.npy"));
  EXPECT_EQ(out.shape, (std::vector<int64_t>{3, 16}));
  EXPECT_THAT(Values<float>(out), testing::Each(9));
}

TEST_F(CFunctionToolTest, PlainFunctionsAreNoKernels) {
  constexpr const char* kKernel = R"({"name": "saxpy", "parameters": [{"kind": "binding", "binding": 0}]})";
  ExpectRefused(PackText(kKernel), ExitCode::kInput,
                {"does not say that 'saxpy' is a workgroup kernel", "\"convention\": \"c\""});
  ExpectRefused(RunFile(HALYARD_TOOL_TEST_C_FUNCTIONS, "saxpy",
                        {"--exports=" + File("exports.json"), "--input=f32[4]=0", "--workgroups=1"}),
                ExitCode::kInput, {"does not say that 'saxpy' is a workgroup kernel"});
  // Code of other origin may be a kernel; then its description has to say so.
  ExpectSuccess(PackText(R"({"name": "saxpy", "convention": "workgroup"})"));
}

TEST_F(CFunctionToolTest, KernelsAreNoPlainFunctions) {
  ExpectRefused(PackText(R"({"name": "marked", "convention": "c", "arguments": []})"), ExitCode::kInput,
                {"'marked' is a workgroup kernel"});
}

TEST_F(CFunctionToolTest, WhatCannotBePassedIsRefused) {
  ExpectRefused(PackText(R"({"name": "saxpy", "convention": "c", "arguments": ["f32", "complex<f32>"]})"),
                ExitCode::kInput, {"'saxpy'", "arguments[1].element_type", "how complex<f32> is passed"});
  ExpectRefused(PackText(R"({"name": "saxpi", "convention": "c", "arguments": []})"), ExitCode::kInput,
                {"has no symbol 'saxpi'", "did you mean 'saxpy'?"});
  ExpectRefused(PackText(R"({"name": "saxpy", "convention": "c", "arguments": ["i64"], "constants_size": 4})"),
                ExitCode::kInput, {"are not the 1 and 8 that follow from the signature"});
}

}  // namespace
}  // namespace halyard::tools
