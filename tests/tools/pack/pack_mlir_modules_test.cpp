// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-pack with modules as compilers make them: what is left out and why, types that passes change, libraries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/json.h"
#include "support/program/command.h"
#include "support/temporary_files.h"
#include "support/text.h"
#include "tools/arrays.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

class PackMlirModulesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(HALYARD_MLIR_VERSIONS).empty()) GTEST_SKIP() << "no MLIR tools are here";
  }

  ToolResult Pack(const char* module, std::vector<std::string> arguments = {}) const {
    arguments.push_back("--mlir=" + inputs_.Write("m.mlir", module));
    arguments.push_back("--output=" + file_);
    arguments.emplace_back("--force");
    return RunProgram("halyard-pack", arguments);
  }
  ToolResult Dump() const { return RunProgram("halyard-pack", {"--dump=" + file_}); }
  ToolResult Run(std::vector<std::string> arguments, const std::vector<std::string>& environment = {}) const {
    arguments.insert(arguments.begin(), {"--device=local", "--executable=" + file_});
    return RunProgram("halyard-run", arguments, environment);
  }
  std::string Library(const char* name, const char* code) const {
    std::string path = inputs_ / name;
    RunCommand({HALYARD_TOOL_TEST_COMPILER, "-shared", "-fPIC", "-o", path, inputs_.Write("library.c", code)}, work_);
    return path;
  }

  // A shell script in the place of a tool, for a PATH with the folder of the inputs.
  void PretendTool(const std::string& name, const std::string& script) const {
    const std::string path = inputs_.Write(name, "#!/bin/sh\n" + script);
    RunCommand({"/bin/chmod", "+x", path}, work_);
  }

  const TemporaryFolder folder_;
  const TemporaryFolder inputs_;
  const WorkFolder work_;
  const std::string file_ = folder_ / "m.halx";
};

TEST_F(PackMlirModulesTest, FunctionsThatCannotBeCalledAreLeftOutWithTheReason) {
  constexpr const char* kModule = R"(
module attributes {x.tag = "func.func", x.text = "} \22 ) @helper {"} {
  func.func private @unused(vector<4xf32>, !llvm.struct<(i32)>)
  func.func @good(%x: f32) -> f32 {
    %y = call @helper(%x) : (f32) -> f32
    return %y : f32
  }
  func.func @wide(%v: vector<4xf32>) { return }
  func.func private @helper(%x: f32) -> f32 attributes {x.ops = ["func.func", "{"]} {
    %y = arith.addf %x, %x : f32
    return %y : f32
  }
  module @inner {
    func.func @good() { return }
    func.func @g() { return }
  }
}
)";
  const ToolResult packed = Pack(kModule);
  ExpectSuccess(packed);
  EXPECT_THAT(packed.out, HasSubstr("1 export,"));
  EXPECT_THAT(packed.out, HasSubstr("note: function 'wide': argument 0: the type 'vector<4xf32>' can be neither passed "
                                    "nor stored"));
  EXPECT_THAT(packed.out, HasSubstr("note: function 'g': it lies in a nested module"));
  EXPECT_THAT(packed.out, Not(HasSubstr("unused")));
  ExpectSuccess(Pack(kModule, {"--export=helper"}));
  const ToolResult helped = Run({"--function=helper", "--constant=f32:4", "--output=-"});
  ExpectSuccess(helped);
  EXPECT_THAT(helped.out, HasSubstr("f32=8\n"));
  ExpectRefused(Pack(kModule, {"--export=helpre"}), ExitCode::kInput,
                {"has no function 'helpre' with a body to export", "did you mean 'helper'?"});
  ExpectRefused(Pack("func.func private @only(%x: f32) { return }"), ExitCode::kInput,
                {"has no public function with a body that can be called", "private: only; --export=NAME"});
}

// Types are those that the passes leave; a type that code was not compiled for is refused.
TEST_F(PackMlirModulesTest, TypesAreHeldAgainstWhatWasCompiled) {
  constexpr const char* kModule = R"(
func.func @f(%n: index) -> memref<4xf32> {
  %m = memref.alloc() : memref<4xf32>
  return %m : memref<4xf32>
}
)";
  const std::string lower = " --finalize-memref-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts";
  ExpectSuccess(Pack(kModule, {"--passes=--buffer-results-to-out-params --expand-strided-metadata" + lower}));
  EXPECT_THAT(Dump().out, HasSubstr("(index, memref<4xf32>) -> ()"));
  ExpectRefused(
      Pack(kModule, {"--passes=--pass-pipeline=builtin.module(buffer-results-to-out-params,expand-strided-metadata,"
                     "finalize-memref-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)"}),
      ExitCode::kInput,
      {"INCOMPATIBLE: function 'f': its type is (index) -> (memref<4xf32>)",
       "called as 'struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> (i64)'",
       "compiled as 'void (i64, ptr, ptr, i64, i64, i64)'"});
  ExpectRefused(Pack(kModule, {"--bare-pointers", "--passes=--expand-strided-metadata" + lower}), ExitCode::kInput,
                {"INCOMPATIBLE: function 'f'", "called as 'ptr (i64)'", "use-bare-ptr-memref-call-conv=1"});
}

TEST_F(PackMlirModulesTest, WhatIsNotLoweredIsNamedWithThePassThatWouldHelp) {
  constexpr const char* kModule = R"(
func.func @f(%x: f32, %m: memref<f32>, %a: i32) -> i32 {
  %p = memref.atomic_rmw mulf %x, %m[] : (f32, memref<f32>) -> f32
  %q = arith.ceildivsi %a, %a : i32
  return %q : i32
}
)";
  ExpectRefused(Pack(kModule), ExitCode::kInput, {"m.mlir'", "'memref.atomic_rmw' is left over"});
  ExpectRefused(Pack(kModule, {"--passes=--convert-func-to-llvm --reconcile-unrealized-casts"}), ExitCode::kInput,
                {"'arith.ceildivsi' is left over: --convert-arith-to-llvm"});
}

// One operation, as mlir-opt prints it.
constexpr const char* kReduction = R"("builtin.module"() ({
  "func.func"() <{function_type = (f32) -> (), sym_name = "f"}> ({
  ^bb0(%x: f32):
    "vector.multi_reduction"(%x) : (f32) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
)";

// A tool that refuses the casts which it cannot take away, as that of version 18 does.
TEST_F(PackMlirModulesTest, RefusedCastsDoNotHideWhatIsLeftOver) {
  PretendTool("clang-16", "exit 1\n");
  PretendTool("mlir-translate-16", "exit 1\n");
  PretendTool(
      "mlir-opt-16",
      "case \"$*\" in\n--help) echo '  --convert-func-to-llvm - x'; echo '  --reconcile-unrealized-casts - x';;\n"
      "*--reconcile*) echo \"failed to legalize operation 'builtin.unrealized_conversion_cast'\" >&2; exit 1;;\n"
      "*debuginfo*) exec /bin/cat \"$4\";;\n*) exec /bin/cat \"$3\";;\nesac\n");
  ExpectRefused(
      RunProgram("halyard-pack",
                 {"--mlir=" + inputs_.Write("casts.mlir", kReduction), "--mlir-version=16", "--output=" + file_},
                 {"PATH=" + (inputs_ / "")}),
      ExitCode::kInput,
      {"'vector.multi_reduction' is left over: --lower-vector-multi-reduction would help, which this version "
       "has not"});
}

// Tools that keep elements of f8 as they are and crash later, as those of version 18 do.
TEST_F(PackMlirModulesTest, ElementsThatOnlyNewerVersionsLowerAreNamed) {
  PretendTool("clang-16", "exit 1\n");
  PretendTool("mlir-translate-16", "kill -11 $$\n");
  PretendTool("mlir-opt-16",
              "case \"$*\" in\n--help) echo '  --convert-func-to-llvm - x';;\n"
              "*debuginfo*) exec /bin/cat \"$4\";;\n*) exec /bin/cat \"$3\";;\nesac\n");
  const std::string module = inputs_.Write("f8.mlir", R"("builtin.module"() ({
  "llvm.func"() <{function_type = !llvm.func<void ()>, linkage = #llvm.linkage<external>, sym_name = "f"}> ({
    %0 = "llvm.mlir.constant"() <{value = 0.000000e+00 : f8E5M2}> : () -> f8E5M2
    "llvm.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
)");
  ExpectRefused(RunProgram("halyard-pack", {"--mlir=" + module, "--mlir-version=16", "--output=" + file_},
                           {"PATH=" + (inputs_ / "")}),
                ExitCode::kInput, {"has no pass that lowers elements of f8; version 19 has"});
}

// Tools that say what those of version 16 say where they lack a pass.
TEST_F(PackMlirModulesTest, PassesThatAVersionLacksAreNamed) {
  PretendTool("clang-16", "exit 1\n");
  PretendTool("mlir-translate-16", "exit 1\n");
  PretendTool(
      "mlir-opt-16",
      "case \"$*\" in\n--help) echo '  --convert-func-to-llvm - x';;\n"
      "*--convert-func-to-llvm*) echo \"got '!llvm.ptr<f8E5M2>'\" >&2; exit 1;;\n*) exec /bin/cat \"$4\";;\nesac\n");
  const std::string module = inputs_.Write("lacks.mlir", kReduction);

  ExpectRefused(RunProgram("halyard-pack", {"--mlir=" + module, "--mlir-version=16", "--output=" + file_},
                           {"PATH=" + (inputs_ / "")}),
                ExitCode::kInput,
                {"has no --lower-vector-multi-reduction, which 'vector.multi_reduction' in the module needs",
                 "has no pass that lowers elements of f8; version 19 has"});
  PretendTool("mlir-opt-16",
              "[ \"$1\" = --help ] || { echo \"Dialect \\`ub' not found for custom op 'ub.poison'\" >&2; exit 1; }\n");
  ExpectRefused(RunProgram("halyard-pack", {"--mlir=" + module, "--mlir-version=16", "--output=" + file_},
                           {"PATH=" + (inputs_ / "")}),
                ExitCode::kInput, {"has no dialect 'ub'; a newer one may have it: see --mlir-version"});
}

// No version of MLIR's own tools lowers these.
TEST_F(PackMlirModulesTest, DialectsOfOthersAreNamedWithTheirTools) {
  const std::string begin = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n";
  const auto refuse = [&](const std::string& text, const std::vector<std::string>& words) {
    const ToolResult packed =
        RunProgram("halyard-pack", {"--mlir=" + inputs_.Write("stablehlo.mlir", text), "--output=" + file_});
    ExpectRefused(packed, ExitCode::kInput, words);
    EXPECT_THAT(packed.error, testing::Not(HasSubstr("a newer one may have it")));
  };
  refuse(begin + "  %0 = stablehlo.add %x, %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n",
         {"'stablehlo' is a dialect of StableHLO", "--stablehlo-legalize-to-linalg"});
  refuse(begin +
             "  %0 = \"stablehlo.add\"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
             "  return %0 : tensor<4xf32>\n}\n",
         {"'stablehlo' is a dialect of StableHLO"});
  refuse(begin + "  %0 = \"torch.aten.relu\"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n",
         {"'torch' is a dialect of Torch-MLIR"});
  refuse(
      "module attributes {gpu.container_module} {\n  gpu.module @k {\n"
      "    gpu.func @f(%x: memref<4xf32>) kernel { gpu.return }\n  }\n}\n",
      {"no \"func.func\"", "\"gpu.module\" is for devices", "--cuda, --hip or --spirv"});
}

TEST_F(PackMlirModulesTest, ModulesOfTheLlvmDialectAreTakenAsTheyAre) {
  ExpectSuccess(Pack(R"(
llvm.func @exp(%x: f64, %to: !llvm.ptr) -> f64 {
  %two = llvm.mlir.constant(2.0 : f64) : f64
  %y = llvm.call @twice(%x) : (f64) -> f64
  %z = llvm.fmul %y, %two : f64
  llvm.store %z, %to : f64, !llvm.ptr
  llvm.return %z : f64
}
llvm.func internal @twice(%x: f64) -> f64 {
  %y = llvm.fadd %x, %x : f64
  llvm.return %y : f64
}
llvm.func @struct(%x: !llvm.struct<(i32, i32)>) { llvm.return }
)"));
  EXPECT_THAT(Dump().out, HasSubstr("(f64, void*) -> (f64)"));
  const ToolResult result = Run({"--function=exp", "--constant=f64:3", "--input=f64[1]=0", "--output=-", "--output=-"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("f64=12\n"));
}

// Tensors become memrefs: arguments stay as they are, results are memory of their own.
TEST_F(PackMlirModulesTest, FunctionsOfTensorsBecomeFunctionsOfMemrefs) {
  ExpectSuccess(Pack(R"(
func.func @add(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) attributes {llvm.emit_c_interface} {
  %0 = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  %1 = arith.mulf %0, %b : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
)"));
  EXPECT_THAT(Dump().out, HasSubstr("(memref<?xf32>, memref<?xf32>) -> (memref<?xf32>, memref<?xf32>)"));
  EXPECT_THAT(Dump().out, HasSubstr("read"));
  const ToolResult result = Run({"--input=f32[3]=2", "--input=f32[3]=5", "--output=-", "--output=-"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("3xf32=7 7 7"));
  EXPECT_THAT(result.out, HasSubstr("3xf32=35 35 35"));
}

TEST_F(PackMlirModulesTest, SparseTensorsAreLowered) {
  ExpectSuccess(Pack(R"(
#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @spmv(%d: tensor<4x4xf32>, %x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %a = sparse_tensor.convert %d : tensor<4x4xf32> to tensor<4x4xf32, #csr>
  %r = linalg.matvec ins(%a, %x : tensor<4x4xf32, #csr>, tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
)"));
  const ToolResult result = Run({"--input=f32[4,4]=2", "--input=f32[4]=3", "--input=f32[4]=1", "--output=-"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("4xf32=25 25 25 25"));
}

// What lies between memrefs is freed where the passes can tell; else a note says that it is not.
TEST_F(PackMlirModulesTest, WhatIsNotFreedIsNoted) {
  constexpr const char* kBegin = R"(
func.func @f(%x: tensor<4xf32>, %y: memref<4xf32>) {
  %s = arith.addf %x, %x : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %v = tensor.extract %s[%c0] : tensor<4xf32>
  memref.store %v, %y[%c0] : memref<4xf32>
)";
  const auto pack = [&](const std::string& rest) { return Pack((kBegin + rest).c_str()); };
  const ToolResult freed = pack("return\n}\n");
  ExpectSuccess(freed);
  EXPECT_THAT(freed.out, Not(HasSubstr("note:")));
  const ToolResult frees = pack("%m = memref.alloc() : memref<4xf32>\nmemref.dealloc %m : memref<4xf32>\nreturn\n}\n");
  ExpectSuccess(frees);
  EXPECT_THAT(frees.out, HasSubstr("note: the module returns or frees memrefs beside its tensors"));
  const ToolResult returns = pack(
      "return\n}\nfunc.func @g(%x: memref<4xf32>) -> memref<4xf32> {\n"
      "return %x : memref<4xf32>\n}\n");
  ExpectSuccess(returns);
  EXPECT_THAT(returns.out, HasSubstr("note: the module returns or frees memrefs beside its tensors"));
}

// A static shape needs no binding shape, whatever its strides are: the result is stored densely.
TEST_F(PackMlirModulesTest, StaticResultsOfUnknownStridesAreStoredDensely) {
  ExpectSuccess(Pack(R"(
func.func @column(%x: memref<3x2xf32>) -> memref<3xf32, strided<[?], offset: ?>> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %b, %o, %s:2, %t:2 = memref.extract_strided_metadata %x : memref<3x2xf32> -> memref<f32>, index, index, index, index, index
  %r = memref.reinterpret_cast %b to offset: [%c1], sizes: [3], strides: [%c2] : memref<f32> to memref<3xf32, strided<[?], offset: ?>>
  return %r : memref<3xf32, strided<[?], offset: ?>>
}
)"));
  EXPECT_THAT(Dump().out, HasSubstr("(memref<3x2xf32>) -> (memref<3xf32, strided<[?], offset: ?>>)"));
  WriteNpyFile(inputs_ / "x.npy", Array<float>(HAL_ELEMENT_TYPE_F32, {3, 2}, {0, 1, 2, 3, 4, 5}));
  const ToolResult result = Run({"--input=" + (inputs_ / "x.npy"), "--output=-"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("3xf32=1 3 5\n"));
}

TEST_F(PackMlirModulesTest, ComplexConstantsHaveTwoParts) {
  ExpectSuccess(Pack(R"(
func.func @square(%x: complex<f32>) -> complex<f32> {
  %y = complex.mul %x, %x : complex<f32>
  return %y : complex<f32>
}
)"));
  const ToolResult result = Run({"--constant=complex<f32>:1.5-2i", "--output=-"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("complex<f32>=-1.75-6i"));
  ExpectRefused(Run({"--constant=complex<f32>:1+2", "--output=-"}), ExitCode::kUsage, {"'1+2' is no value for f32"});
}

// Shapes of tensors are tensors themselves until they are lowered.
TEST_F(PackMlirModulesTest, ShapesAreLowered) {
  ExpectSuccess(Pack(R"(
func.func @rows(%x: tensor<?x4xf32>, %n: index) -> index {
  %s = shape.shape_of %x : tensor<?x4xf32> -> tensor<2xindex>
  %c0 = arith.constant 0 : index
  %r = shape.get_extent %s, %c0 : tensor<2xindex>, index -> index
  %t = shape.add %r, %n : index, index -> index
  return %t : index
}
)"));
  const ToolResult result = Run({"--input=f32[3,4]=0", "--constant=u64:39", "--output=-"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("=42\n"));
}

// A pipe can be read only once, and mlir-opt reads the module as well.
TEST_F(PackMlirModulesTest, ModulesComeThroughPipes) {
  const std::string module = inputs_.Write("piped.mlir", "func.func @f(%x: f32) -> f32 { return %x : f32 }\n");
  const WorkFolder work;
  RunCommand({"/bin/sh", "-c",
              Concat("cat '", module, "' | '", HALYARD_TOOL_FOLDER, "/halyard-pack' --mlir=/dev/stdin --output='",
                     file_, "'")},
             work);
  const ToolResult result = Run({"--constant=f32:2", "--output=-"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("f32=2\n"));
}

// The folder of a linked library is kept as RUNPATH. A library that this one needs is found by its own.
TEST_F(PackMlirModulesTest, RunpathsAreKeptAndHonoured) {
  const std::string deeper = Library("libdeeper.so", "float deeper(float x) { return x * 3; }");
  const std::string library = inputs_ / "libouter.so";
  RunCommand({HALYARD_TOOL_TEST_COMPILER, "-shared", "-fPIC", "-o", library,
              inputs_.Write("outer.c", "float deeper(float); float outer(float x) { return deeper(x) + 1; }"), deeper,
              Concat("-Wl,-rpath,", inputs_ / "")},
             work_);
  ExpectSuccess(Pack(R"(
func.func private @outer(f32) -> f32
func.func @f(%x: f32) -> f32 {
  %y = call @outer(%x) : (f32) -> f32
  return %y : f32
}
)",
                     {"--link=" + library}));
  const ToolResult result = Run({"--constant=f32:2", "--output=-"}, {"LD_LIBRARY_PATH="});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("f32=7\n"));
  // An object that was linked elsewhere keeps its own.
  const std::string object = inputs_ / "own.so";
  RunCommand({HALYARD_TOOL_TEST_COMPILER, "-shared", "-fPIC", "-o", object,
              inputs_.Write("own.c", "float outer(float); float f(float x) { return outer(x); }"), library,
              Concat("-Wl,-rpath,", inputs_ / "")},
             work_);
  const std::string module = R"("builtin.module"() ({
  "func.func"() <{function_type = (f32) -> f32, sym_name = "f"}> ({
  ^bb0(%x: f32):
    "func.return"(%x) : (f32) -> ()
  }) : () -> ()
}) : () -> ()
)";
  ExpectSuccess(Pack(module.c_str(), {"--local=" + object}));
  const ToolResult own = Run({"--constant=f32:3", "--output=-"}, {"LD_LIBRARY_PATH="});
  ExpectSuccess(own);
  EXPECT_THAT(own.out, HasSubstr("f32=10\n"));
}

TEST_F(PackMlirModulesTest, LibrariesAreLinkedOrImported) {
  constexpr const char* kModule = R"(
func.func private @"a-b"(f32) -> f32 attributes {llvm.emit_c_interface}
func.func private @cosf(f32) -> f32 attributes {llvm.readnone}
func.func @f(%x: f32) -> f32 {
  %y = call @"a-b"(%x) : (f32) -> f32
  %z = call @cosf(%y) : (f32) -> f32
  return %z : f32
}
)";
  const std::string library = Library(
      "libhelp.so",
      R"(__asm__(".globl \"_mlir_ciface_a-b\"\n.set \"_mlir_ciface_a-b\", help\n"); float help(float x) { return x - 2; })");
  const std::vector<std::string> run = {"--constant=f32:2", "--output=-"};
  const auto expect_one = [&](std::vector<std::string> more) {
    more.insert(more.end(), run.begin(), run.end());
    const ToolResult result = Run(more);
    ExpectSuccess(result);
    EXPECT_THAT(result.out, HasSubstr("f32=1\n"));
  };
  ExpectSuccess(Pack(kModule));
  ExpectRefused(Run(run), ExitCode::kInput,
                {"calls '_mlir_ciface_a-b', which --import does not give", "the names in MLIR: 'a-b'"});
  expect_one({"--import=" + library});
  const std::string other = Library("libother.so", "int other;\n");
  ExpectRefused(Run({"--import=" + other, "--constant=f32:2"}), ExitCode::kInput,
                {"takes nothing from it", "_mlir_ciface_a-b"});
  ExpectRefused(Run({"--import=/nonexistent.so", "--constant=f32:2"}), ExitCode::kInput, {"/nonexistent.so"});
  // The object finds it where it lay.
  ExpectSuccess(Pack(kModule, {"--link=" + library}));
  expect_one({});
  ExpectRefused(Pack(kModule, {"--link=no-such-library"}), ExitCode::kInput,
                {"--link=no-such-library: the compiler finds neither libno-such-library.so"});
}

// MLIR's own runtime libraries need no option: what prints, and what runs asynchronously.
TEST_F(PackMlirModulesTest, RuntimeLibrariesOfMlirAreFound) {
  if (!HALYARD_MLIR_RUNTIME) GTEST_SKIP() << "the package libmlir is not installed";
  ExpectSuccess(Pack(R"(
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func @show(%a: memref<3xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %t = async.execute {
    memref.store %s, %a[%c0] : memref<3xf32>
    async.yield
  }
  async.await %t : !async.token
  %u = memref.cast %a : memref<3xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  vector.print %s : f32
  return
}
)"));
  const ToolResult result = Run({"--input=f32[3]=3", "--constant=f32:5"});
  ExpectSuccess(result);
  EXPECT_THAT(result.out, HasSubstr("[5,  3,  3]"));
  EXPECT_THAT(result.out, HasSubstr("\n5\n"));
}

TEST_F(PackMlirModulesTest, OptionsThatSayNothingAreRefused) {
  ExpectRefused(RunProgram("halyard-pack", {"--local=x.so", "--export=f", "--output=" + file_}), ExitCode::kUsage,
                {"--export is for private functions of --mlir=FILE"});
  ExpectRefused(RunProgram("halyard-pack", {"--local=x.so", "--mlir=f.mlir", "--link=m", "--output=" + file_}),
                ExitCode::kUsage, {"--link is for functions of --mlir=FILE that are compiled here"});
}

}  // namespace
}  // namespace halyard::tools
