// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-pack with modules of MLIR: compiled by each version of the tools that is here, or given as finished objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/json.h"
#include "support/program/command.h"
#include "support/temporary_files.h"
#include "support/text.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A module of one function that calls another, in the form that all versions print, and what a compiler makes of it.
constexpr const char* kGeneric = R"("builtin.module"() ({
  "func.func"() <{sym_name = "outer", function_type = (i32) -> i32}> ({
  ^bb0(%x: i32):
    %r = "func.call"(%x) <{callee = @inner}> : (i32) -> i32
    "func.return"(%r) : (i32) -> ()
  }) {llvm.emit_c_interface} : () -> ()
  "func.func"() <{sym_name = "inner", sym_visibility = "private", function_type = (i32) -> i32}> ({
  }) {llvm.emit_c_interface} : () -> ()
}) : () -> ()
)";
constexpr const char* kCode =
    "int _mlir_ciface_inner(int); int forgotten(int); int _mlir_ciface_outer(int x) {\n"
    "#ifdef FORGET\n"
    "  x = forgotten(x);\n"
    "#endif\n"
    "  return _mlir_ciface_inner(x); }\n";

// Of all three kinds: linalg, memrefs that are made and returned, and a scalar result.
constexpr const char* kModule = R"(
func.func @matmul(%a: memref<2x3xf32> {halyard.access = "read"}, %b: memref<3x2xf32> {halyard.access = "read"},
                  %c: memref<2x2xf32>) attributes {llvm.emit_c_interface} {
  linalg.matmul ins(%a, %b : memref<2x3xf32>, memref<3x2xf32>) outs(%c : memref<2x2xf32>)
  return
}
func.func @filled(%size: index, %value: f32) -> (memref<?xf32>, f32) {
  %made = memref.alloc(%size) : memref<?xf32>
  linalg.fill ins(%value : f32) outs(%made : memref<?xf32>)
  %root = math.sqrt %value : f32
  return %made, %root : memref<?xf32>, f32
}
)";

class PackMlirTest : public testing::Test {
 protected:
  std::string Compile(const std::vector<std::string>& arguments) const {
    const std::string object = inputs_ / "f.so";
    std::vector<std::string> command = {HALYARD_TOOL_TEST_COMPILER, "-shared", "-fPIC", "-o", object};
    command.insert(command.end(), arguments.begin(), arguments.end());
    RunCommand(command, work_);
    return "--local=" + object;
  }

  const TemporaryFolder folder_;  // what is written
  const TemporaryFolder inputs_;
  const WorkFolder work_;
  const std::string output_ = "--output=" + (folder_ / "f.halx");
  const std::string generic_ = "--mlir=" + inputs_.Write("f.mlir", kGeneric);
  const std::string code_ = inputs_.Write("f.c", kCode);
};

TEST_F(PackMlirTest, FinishedObjectNeedsNoTools) {
  const ToolResult packed = Pack(
      {"--local=" HALYARD_TOOL_TEST_FUNCTIONS, "--mlir=" HALYARD_TOOL_TEST_DATA "/functions.mlir", output_}, {"PATH="});
  ExpectSuccess(packed);
  EXPECT_THAT(packed.out, HasSubstr("7 exports, 1 variant"));
  const ToolResult dumped = Pack({"--dump=" + (folder_ / "f.halx")});
  ExpectSuccess(dumped);
  for (const char* words : {"(f32, memref<?xf32>, index) -> (f32)", "(memref<*xf32>) -> (memref<*xf32>)",
                            "(memref<?x?xf32>) -> (memref<?x?xf32, strided<[?, ?], offset: ?>>)", "wrapper"}) {
    EXPECT_THAT(dumped.out, HasSubstr(words));
  }
}

TEST_F(PackMlirTest, ImportStubMakesAnObjectWhole) {
  const std::string stub = folder_ / "stub.c";
  const ToolResult written = Pack({generic_, "--import-stub=" + stub});
  ExpectSuccess(written);
  EXPECT_EQ(written.out, stub + ": imports _mlir_ciface_inner, memrefCopy, abort\n");
  ExpectSuccess(Pack({generic_, Compile({code_, stub}), output_}));
  ExpectRefused(RunProgram("halyard-run", {"--device=local", "--executable=" + (folder_ / "f.halx")}), ExitCode::kInput,
                {"calls '_mlir_ciface_inner', which --import does not give", "NOT_FOUND"});
  const ToolResult json = Pack({generic_, "--import-stub=" + stub, "--json"});
  EXPECT_EQ(Json::parse(json.out).at("imports"), Json({"_mlir_ciface_inner", "memrefCopy", "abort"}));
}

TEST_F(PackMlirTest, UnresolvedImportsAreAllNamed) {
  const ToolResult result = Pack({generic_, Compile({"-DFORGET", code_}), output_});
  ExpectRefused(result, ExitCode::kInput,
                {"f.so' calls", "'_mlir_ciface_inner'", "'forgotten'", "which nothing provides", "--import-stub=FILE"});
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

// Without a module halyard-pack does not look; then the loader says the same.
TEST_F(PackMlirTest, LoadingNamesAllImportsThatAreUnresolved) {
  const std::string exports =
      inputs_.Write("f.json", R"({"exports": [{"name": "_mlir_ciface_outer", "convention": "workgroup"}]})");
  const std::vector<std::string> words = {"'_mlir_ciface_inner'", "'forgotten'", "which nothing provides"};
  ExpectRefused(Pack({"--exports=" + exports, Compile({"-DFORGET", code_}), output_}), ExitCode::kInput, words);
  ExpectRefused(RunProgram("halyard-run", {"--device=local", "--executable=" + (inputs_ / "f.so"),
                                           "--exports=" + exports, "--workgroups=1"}),
                ExitCode::kInput, words);
}

TEST_F(PackMlirTest, MissingSymbolsAreNamed) {
  ExpectRefused(Pack({"--local=" HALYARD_TOOL_TEST_FUNCTIONS, generic_, output_}), ExitCode::kInput,
                {"no symbol '_mlir_ciface_outer' for the export 'outer'"});
}

TEST_F(PackMlirTest, MissingToolsAreNamedWithTheirPackages) {
  const std::string module = "--mlir=" + inputs_.Write("m.mlir", kModule);
  ExpectRefused(Pack({module, output_}, {"PATH="}), ExitCode::kInput,
                {"m.mlir'", "no MLIR tools are here", "apt-get install mlir-19-tools clang-19"});
  ExpectRefused(Pack({generic_, output_}, {"PATH=/nonexistent"}), ExitCode::kInput, {"no MLIR tools are here"});
  ExpectRefused(Pack({module, output_, "--mlir-version=15"}), ExitCode::kInput,
                {"MLIR 15 is not here", "apt-get install mlir-15-tools clang-15"});
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(PackMlirTest, FunctionsOfUnknownTypesAreAllNamed) {
  const std::string module = inputs_.Write("types.mlir", R"("builtin.module"() ({
  "func.func"() <{sym_name = "a", function_type = (tensor<4xf32>) -> ()}> ({ "x"() : () -> () }) : () -> ()
  "func.func"() <{sym_name = "b", function_type = (f32) -> (vector<4xf32>)}> ({ "x"() : () -> () }) : () -> ()
  "func.func"() <{sym_name = "c", function_type = (memref<4xf32, affine_map<(d0) -> (d0 * 2)>>) -> ()}> ({ "x"() : () -> () }) : () -> ()
  "func.func"() <{sym_name = "d", function_type = (memref<4xf32, 3>) -> ()}> ({ "x"() : () -> () }) : () -> ()
}) : () -> ()
)");
  const ToolResult result = Pack({"--mlir=" + module, "--local=" HALYARD_TOOL_TEST_FUNCTIONS, output_});
  ExpectRefused(result, ExitCode::kInput,
                {"types.mlir'", "function 'a': argument 0: 'tensor<4xf32>' is no memory", "--one-shot-bufferize",
                 "function 'b': result 0: the type 'vector<4xf32>' can be neither passed nor stored",
                 "function 'c': argument 0: the layout", "strided<",
                 "function 'd': argument 0: the host has no memory space '3'"});
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(PackMlirTest, TextThatIsNoModuleIsRefused) {
  const auto refuse = [&](const char* text, const char* words) {
    ExpectRefused(Pack({"--mlir=" + inputs_.Write("bad.mlir", text), "--local=" HALYARD_TOOL_TEST_FUNCTIONS, output_}),
                  ExitCode::kInput, {"bad.mlir'", words});
  };
  refuse(R"("builtin.module"() ({}) : () -> ())", "there is no \"func.func\"");
  refuse("\"builtin.module\"() ({\n \"func.func\"() <{sym_name = }> ({}) : () -> ()", "a func.func has no sym_name");
  refuse("\"builtin.module\"() ({\n \"func.func\"( <", "line 2: expected ')'");
  refuse(R"("builtin.module"() ({ "func.func"() <{sym_name = "f", function_type = () -> ()}> ({}) : () -> () }))",
         "has no public function with a body");
}

TEST_F(PackMlirTest, StubNeedsAModule) {
  ExpectRefused(Pack({"--local=x.so", "--exports=x.json", "--host=aarch64", output_}), ExitCode::kUsage,
                {"--host is for functions of --mlir=FILE that are compiled here"});
  ExpectRefused(Pack({generic_, "--host=sparc", output_}), ExitCode::kUsage,
                {"--host takes x86_64 or aarch64, not 'sparc'"});
  ExpectRefused(Pack({generic_, "--host=aarch64", "--host=aarch64", output_}), ExitCode::kUsage,
                {"--host=aarch64 is given twice"});
  ExpectRefused(Pack({generic_, "--host=aarch64", "--host=x86_64", "--cpu=native", output_}), ExitCode::kUsage,
                {"--cpu names a processor of one architecture, and --host names 2"});
  ExpectRefused(Pack({"--local=x.so", "--exports=x.json", "--import-stub=s.c", output_}), ExitCode::kUsage,
                {"--import-stub is for what the functions of --mlir=FILE call"});
  ExpectRefused(Pack({generic_, "--local=x.so", "--import-stub=s.c"}), ExitCode::kUsage, {"--output=FILE is missing"});
}

// With each version of the tools that is installed.
class PackMlirVersionTest : public PackMlirTest, public testing::WithParamInterface<std::string> {
 protected:
  const std::string version_ = "--mlir-version=" + GetParam();
};

std::vector<std::string> Versions() {
  std::vector<std::string> versions;
  for (const std::string_view version : SplitText(HALYARD_MLIR_VERSIONS, ' ')) {
    if (!version.empty()) versions.emplace_back(version);
  }
  return versions;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PackMlirVersionTest);
INSTANTIATE_TEST_SUITE_P(Installed, PackMlirVersionTest, testing::ValuesIn(Versions()),
                         [](const auto& test) { return test.param; });

TEST_P(PackMlirVersionTest, CompilesWhatRuns) {
  const std::string file = folder_ / "f.halx";
  ExpectSuccess(Pack({"--mlir=" + inputs_.Write("m.mlir", kModule), version_, "--cpu=native", output_}));
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--device=local", "--executable=" + file});
    return RunProgram("halyard-run", arguments);
  };
  const ToolResult matmul = run({"--function=matmul", "--input=f32[2,3]=2", "--input=f32[3,2]=3", "--output=-"});
  ExpectSuccess(matmul);
  EXPECT_THAT(matmul.out, HasSubstr("2x2xf32=[18 18][18 18]"));
  const ToolResult filled =
      run({"--function=filled", "--constant=index:3", "--constant=f32:9", "--output=-", "--output=-"});
  ExpectSuccess(filled);
  EXPECT_THAT(filled.out, HasSubstr("3xf32=9 9 9"));
  EXPECT_THAT(filled.out, HasSubstr("f32=3\n"));
}

TEST_P(PackMlirVersionTest, ToolsSayWhatIsWrongInWhichFile) {
  const std::string module = inputs_.Write("wrong.mlir",
                                           "func.func @f(%a: memref<4xf32>) {\n"
                                           "  %b = arith.addf %a, %missing : f32\n  return\n}\n");
  ExpectRefused(Pack({"--mlir=" + module, version_, output_}), ExitCode::kInput,
                {"mlir-opt-" + GetParam() + " failed", module + ":2:", "error:"});
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_P(PackMlirVersionTest, PassesThatDoNotExistAreRefused) {
  const std::string module = "--mlir=" + inputs_.Write("m.mlir", kModule);
  ExpectRefused(Pack({module, version_, "--passes=--no-such-pass", output_}), ExitCode::kInput,
                {"mlir-opt-" + GetParam() + " failed", "no-such-pass"});
}

}  // namespace
}  // namespace halyard::tools
