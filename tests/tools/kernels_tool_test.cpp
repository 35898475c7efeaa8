// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-kernels as a user runs it, and what the build made with it of the suite's kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/json.h"
#include "support/temporary_files.h"
#include "tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

ToolResult Kernels(const std::vector<std::string>& arguments) { return RunProgram("halyard-kernels", arguments); }

constexpr const char* kScale = R"(// kernel of no account
float twice(float x) { return 2.0f * x; }
kernel scale(64, 2)
  constant float a;
  constant uint8_t tag, bytes[6];
  constant double late @ 24;
  read float x[], w[];
  readwrite float y[] @ 2:5;
  local float tile[3];
  local uint32_t rest[];
{
  if (a > 0.0f) { y[global_id.x] = twice(x[0]); } // }
}
)";

TEST(KernelsToolTest, ReplacesWhatItMadeAndOthersOnlyByForce) {
  const TemporaryFolder folder;
  const std::string source = "--source=" + folder.Write("scale.kernel", kScale);
  for (const char* const option : {"--host=", "--host-c=", "--gpu=", "--exports="}) {
    const std::string path = folder.Write("mine", "written by hand");
    ExpectRefused(Kernels({source, option + path}), ExitCode::kOutput, {"mine", "--force"});
    EXPECT_EQ(ReadText(path), "written by hand") << option;
    ExpectSuccess(Kernels({source, option + path, "--force"}));
    ExpectSuccess(Kernels({source, option + path}));
  }
}

TEST(KernelsToolTest, RemovesNoShadersThatItDidNotMake) {
  const TemporaryFolder folder;
  const std::string source = "--source=" + folder.Write("scale.kernel", kScale);
  std::filesystem::create_directory(folder / "glsl");
  folder.Write("glsl/mine.comp", "#version 450\n");
  folder.Write("glsl/old.comp", "#version 450\n// Made by halyard-kernels; changes are lost.\n");
  ExpectSuccess(Kernels({source, "--glsl=" + (folder / "glsl")}));
  EXPECT_TRUE(std::filesystem::exists(folder / "glsl/mine.comp"));
  EXPECT_TRUE(std::filesystem::exists(folder / "glsl/scale.comp"));
  EXPECT_FALSE(std::filesystem::exists(folder / "glsl/old.comp"));
}

TEST(KernelsToolTest, DescribesWhatTheHeadSays) {
  const TemporaryFolder folder;
  const std::string exports = folder / "scale.json";
  ExpectSuccess(Kernels({"--source=" + folder.Write("scale.kernel", kScale), "--exports=" + exports}));
  const Json kernel = Json::parse(ReadText(exports)).at("exports").at(0);
  EXPECT_EQ(kernel.at("name"), "scale");
  EXPECT_EQ(kernel.at("workgroup_size"), Json({64, 2, 1}));
  EXPECT_EQ(kernel.at("local_memory_size"), 16);
  EXPECT_EQ(kernel.at("constants_size"), 32);
  const Json& parameters = kernel.at("parameters");
  ASSERT_EQ(parameters.size(), 7u);
  EXPECT_EQ(parameters.at(1).at("offset"), 4);
  EXPECT_EQ(parameters.at(2).at("offset"), 6);
  EXPECT_EQ(parameters.at(2).at("size"), 6);
  EXPECT_EQ(parameters.at(3).at("offset"), 24);
  EXPECT_EQ(parameters.at(5).at("binding"), 1);
  EXPECT_EQ(parameters.at(6).at("set"), 2);
  EXPECT_EQ(parameters.at(6).at("binding"), 5);
  EXPECT_EQ(parameters.at(6).at("access"), "read_write");
}

TEST(KernelsToolTest, ErrorsOfCompilersPointIntoTheSource) {
  const TemporaryFolder folder;
  const std::string source = folder.Write("scale.kernel", kScale);
  ExpectSuccess(Kernels({"--source=" + source, "--host=" + (folder / "h.cpp"), "--host-c=" + (folder / "h.c"),
                         "--gpu=" + (folder / "g.cu"), "--glsl=" + (folder / "glsl")}));
  for (const char* file : {"h.cpp", "h.c", "g.cu", "glsl/scale.comp"}) {
    EXPECT_THAT(ReadText(folder / file), HasSubstr("#line 11 \"" + source + "\"\n{\n  if (a")) << file;
  }
}

TEST(KernelsToolTest, RemovesGlslOfKernelsThatAreGone) {
  const TemporaryFolder folder;
  const std::string glsl = "--glsl=" + (folder / "glsl");
  ExpectSuccess(Kernels({"--source=" + folder.Write("a.kernel", "kernel a(1) {} kernel b(1) {}"), glsl}));
  EXPECT_TRUE(std::filesystem::exists(folder / "glsl/b.comp"));
  ExpectSuccess(Kernels({"--source=" + folder.Write("a.kernel", "kernel a(1) {}"), glsl}));
  EXPECT_TRUE(std::filesystem::exists(folder / "glsl/a.comp"));
  EXPECT_FALSE(std::filesystem::exists(folder / "glsl/b.comp"));
}

std::string Repeated(std::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

struct BadSource {
  const char* text;
  const char* words;
};

TEST(KernelsToolTest, RefusesBadSourcesWithTheLine) {
  const TemporaryFolder folder;
  for (const BadSource& bad : {
           BadSource{"// nothing", "has no kernel"},
           BadSource{"kernel", ":1: expected the name of a kernel, found the end of the file"},
           BadSource{"kernel k {}", ":1: expected '(', found '{'"},
           BadSource{"kernel k(0) {}", "a workgroup size, a number from 1"},
           BadSource{"kernel k(99999999999999999999) {}", "a workgroup size"},
           BadSource{"kernel k(1, 2, 3, 4) {}", ":1: expected ')', found ','"},
           BadSource{"\nkernel k(1)\n  reads float x[];\n{}", ":3: expected read, write"},
           BadSource{"kernel k(1) read float4 x[]; {}", "'float4' is no type"},
           BadSource{"kernel k(1) read float x; {}", "expected '[', found ';'"},
           BadSource{"kernel k(1) read float x[8]; {}", "expected ']', found '8'"},
           BadSource{"kernel k(1) constant float a @ 3; {}", "no multiple of 4"},
           BadSource{"kernel k(1) constant float a, b @ 0; {}", "'a' and 'b' in one place"},
           BadSource{"kernel k(1) read float x[], y[] @ 0; {}", "'x' and 'y' in one place"},
           BadSource{"kernel k(1) read float x[]; constant float x; {}", "two things named 'x'"},
           BadSource{"kernel k(1) local float x[], y[]; {}", "two local arrays without a size"},
           BadSource{"kernel k(1)\n  constant float a[262144], b; {}", ":2: 'k' has more than 1 MiB of constants"},
           BadSource{"kernel k(1) constant float a @ 1048576; {}", "more than 1 MiB of constants"},
           BadSource{"kernel k(1) {}\nkernel k(1) {}", ":2: there is a kernel 'k' already"},
           BadSource{"kernel k(1) {\n  if (true) {\n}", ":1: this brace is not closed"},
           BadSource{"kernel k(1) {}\n/* kernel", ":2: this comment does not end"},
           BadSource{"kernel k(1) {\n  barrier();\n}", ":2: a barrier stands between each_item blocks"},
           BadSource{"kernel k(1) {\n  each_item {\n    return;\n  }\n}", ":3: 'k' has each_item blocks"},
       }) {
    ExpectRefused(Kernels({"--source=" + folder.Write("bad.kernel", bad.text)}), ExitCode::kInput, {bad.words});
  }
  const std::string arrays = "kernel k(1)\n" + Repeated("local double a[1048576];", 129) + "{}";
  ExpectRefused(Kernels({"--source=" + folder.Write("bad.kernel", arrays)}), ExitCode::kInput,
                {":2: 'k' has more than 1 GiB of local arrays"});
  const std::string bindings = "kernel k(1)\n" + Repeated("read float a[];", 4097) + "{}";
  ExpectRefused(Kernels({"--source=" + folder.Write("bad.kernel", bindings)}), ExitCode::kInput,
                {":2: 'k' has more than 4096 parameters"});
  ExpectRefused(Kernels({}), ExitCode::kUsage, {"--source=FILE is missing"});
  ExpectRefused(Kernels({"--source=missing.kernel"}), ExitCode::kInput, {"missing.kernel"});
}

// --- What the build made ---

std::string BuiltFile(const std::string& name) { return HALYARD_KERNEL_DIR "/" + name; }

// The parameters of an entry in PTX, as text.
std::vector<std::string> EntryParameters(const std::string& ptx, const std::string& kernel) {
  const size_t begin = ptx.find(".visible .entry " + kernel + "(");
  if (begin == std::string::npos) return {"no such entry"};
  std::vector<std::string> parameters;
  const size_t end = ptx.find(')', begin);
  for (size_t at = ptx.find(".param ", begin); at < end; at = ptx.find(".param ", at + 1)) {
    parameters.push_back(ptx.substr(at + 7, ptx.find_first_of(",\n", at) - at - 7));
  }
  return parameters;
}

TEST(BuiltKernelsTest, PtxTakesWhatTheExportsSay) {
  if (!std::filesystem::exists(BuiltFile("cts_dispatch.ptx"))) GTEST_SKIP() << "the build has no compiler for PTX";
  for (const char* set : {"cts_basic", "cts_dispatch", "cts_dispatch_constants", "cts_dispatch_f64", "cts_state"}) {
    const std::string ptx = ReadText(BuiltFile(std::string(set) + ".ptx"));
    EXPECT_THAT(ptx, HasSubstr(".target sm_70"));
    const Json exports = Json::parse(ReadText(BuiltFile(std::string(set) + ".exports.json"))).at("exports");
    for (const Json& kernel : exports) {
      const std::vector<std::string> found = EntryParameters(ptx, kernel.at("name"));
      ASSERT_EQ(found.size(), kernel.at("parameters").size()) << kernel.at("name");
      for (size_t i = 0; i < found.size(); ++i) {
        const Json& parameter = kernel.at("parameters").at(i);
        if (parameter.at("kind") == "binding") {
          EXPECT_THAT(found[i], testing::StartsWith(".u64 ")) << kernel.at("name");
          continue;
        }
        const int size = parameter.at("size");
        const std::string array = "[" + std::to_string(size) + "]";
        const std::string bits = std::to_string(8 * size) + " ";
        EXPECT_THAT(found[i], testing::AnyOf(HasSubstr(array), testing::StartsWith(".u" + bits),
                                             testing::StartsWith(".f" + bits)))
            << kernel.at("name");
      }
    }
  }
}

TEST(BuiltKernelsTest, MetalHasEveryBindingInItsPlace) {
  if (!std::filesystem::exists(BuiltFile("cts_dispatch.metal"))) GTEST_SKIP() << "the build has no SPIR-V";
  const std::string msl = ReadText(BuiltFile("cts_dispatch.metal"));
  EXPECT_THAT(msl, HasSubstr("mix_sparse_sets_set0& spvDescriptorSet0 [[buffer(0)]]"));
  EXPECT_THAT(msl, HasSubstr("mix_sparse_sets_set1& spvDescriptorSet1 [[buffer(1)]]"));
  const std::string sets = msl.substr(msl.find("struct mix_sparse_sets_set0"), 250);
  EXPECT_THAT(sets, testing::ContainsRegex("\\[\\[id\\(1\\)\\]\\];\n.*\\[\\[id\\(7\\)\\]\\];\n};"));
  EXPECT_THAT(msl, HasSubstr("reverse_declared_hal_constants& _"));
  EXPECT_THAT(msl, Not(HasSubstr("spvDescriptorSetBuffer")));
}

TEST(BuiltKernelsTest, MetalNeedsNoCompilerAtDispatch) {
  if (!std::filesystem::exists(BuiltFile("cts_dispatch.metal"))) GTEST_SKIP() << "the build has no SPIR-V";
  const std::string msl = ReadText(BuiltFile("cts_dispatch.metal"));
  EXPECT_THAT(msl, HasSubstr("threadgroup uint* reverse_dynamic_memory [[threadgroup(0)]]"));
  EXPECT_THAT(msl, HasSubstr("uint3 report_workgroup_WorkGroupSize [[threads_per_threadgroup]]"));
  EXPECT_THAT(msl, Not(HasSubstr("[[function_constant(")));
  EXPECT_THAT(msl, Not(HasSubstr("SPIRV_CROSS_CONSTANT_ID")));
}

}  // namespace
}  // namespace halyard::tools
