// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-pack with SPIR-V that glslang made (tests/unit/image/reflection/make_images.sh): what it tells, and what
// becomes of it for Metal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <vector>

#include "support/json.h"
#include "support/temporary_files.h"
#include "tools/tool_process.h"

namespace halyard::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Module(const std::string& name) { return HALYARD_REFLECTION_IMAGES "/glslang12_" + name + ".spv"; }

// A module with other words: `change` is called with those of each instruction.
template <class Change>
std::string Changed(const std::string& name, const Change& change) {
  std::string module = ReadText(Module(name));
  std::vector<uint32_t> words(module.size() / sizeof(uint32_t));
  std::memcpy(words.data(), module.data(), module.size());
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    change(words[at] & 0xFFFF, std::span(words).subspan(at, words[at] >> 16));
  }
  std::memcpy(module.data(), words.data(), module.size());
  return module;
}

class PackSpirvTest : public testing::Test {
 protected:
  /// The exports of a file packed from modules without a description.
  Json Exports(const std::vector<std::string>& images) const {
    std::vector<std::string> arguments = images;
    arguments.push_back("--output=" + file_);
    ExpectSuccess(RunProgram("halyard-pack", arguments));
    const ToolResult dumped = RunProgram("halyard-pack", {"--dump=" + file_, "--json"});
    ExpectSuccess(dumped);
    return Json::parse(dumped.out).at("exports");
  }
  ToolResult TranslateFile(const std::string& path, const std::string& option = "--metal-version=2.3") const {
    return RunProgram("halyard-pack", {"--translate=" + path, "--output=" + msl_, option});
  }
  ToolResult Translate(const std::string& name, const std::string& option = "--metal-version=2.3") const {
    return TranslateFile(Module(name), option);
  }
  std::string Msl(const std::string& name, const std::string& option = "--metal-version=2.3") const {
    ExpectSuccess(Translate(name, option));
    return ReadText(msl_);
  }

  const TemporaryFolder folder_;
  const std::string file_ = folder_ / "kernels.halx";
  const std::string msl_ = folder_ / "kernels.metal";
};

// "b0:7 read, c8@16": bindings as set and number.
std::string SetsText(const Json& info) {
  std::string text;
  for (const Json& parameter : info.at("parameters")) {
    if (!text.empty()) text += ", ";
    if (parameter.at("kind") == "constant") {
      text += "c" + parameter.at("size").dump() + "@" + parameter.at("offset").dump();
    } else {
      text += "b" + parameter.at("set").dump() + ":" + parameter.at("binding").dump() + " " +
              parameter.at("access").get<std::string>();
    }
  }
  return text;
}

TEST_F(PackSpirvTest, TellsBindingsConstantsAndLocalSize) {
  const Json exports = Exports({"--spirv=" + Module("saxpy")});
  ASSERT_EQ(exports.size(), 1u);
  EXPECT_EQ(exports.at(0).at("name"), "saxpy");
  EXPECT_EQ(exports.at(0).at("workgroup_size"), Json::array({64, 1, 1}));
  EXPECT_EQ(exports.at(0).at("constants_size"), 8);
  EXPECT_EQ(SetsText(exports.at(0)), "b0:0 read, b0:1 read_write, c4@0, c4@4");
}

// A size that specialisation constants give can be chosen for each pipeline, so the export leaves it to dispatches.
TEST_F(PackSpirvTest, TellsSizesBySpecialisationConstants) {
  for (const char* const name : {"sized", "sized_v16"}) {  // as a constant of the module, and by LocalSizeId
    const Json exports = Exports({"--spirv=" + Module(name)});
    EXPECT_EQ(exports.at(0).at("workgroup_size").at(0), 0) << name;
    const ToolResult dumped = RunProgram("halyard-pack", {"--dump=" + file_});
    EXPECT_THAT(dumped.out, HasSubstr("32 x 2 x 1, x by constant 3, z by constant 5; write binding y of ui32"))
        << name;  // the defaults
  }
}

// The same of packed modules as of raw ones: a device must not run a kernel with more memory than it has.
TEST_F(PackSpirvTest, AllThatTheReaderTellsIsTakenOver) {
  EXPECT_EQ(Exports({"--spirv=" + Module("shared")}).at(0).at("local_memory_size"), 80000);
  const Json told =
      Json::parse(RunProgram("halyard-pack", {"--dump=" + file_, "--json"}).out).at("variants").at(0).at("reflection");
  EXPECT_EQ(told.at("kernels").at(0).at("local_memory_size"), 80000);
  ExpectRefused(RunProgram("halyard-pack", {"--spirv=" + Module("array"), "--output=" + file_, "--force"}),
                ExitCode::kInput, {"binding 5 of set 1 is an array of descriptors"});
}

// Of the module, of a description, or of an option; two that differ contradict each other.
TEST_F(PackSpirvTest, KernelsAreMadeForSubgroups) {
  const auto launch = [&](const std::vector<std::string>& arguments) {
    (void)Exports(arguments);
    const Json dumped = Json::parse(RunProgram("halyard-pack", {"--dump=" + file_, "--json"}).out);
    return dumped.at("variants").at(0).at("entry_points").at(0).at("launch");
  };
  const std::string told = std::string("--spirv=") + HALYARD_REFLECTION_IMAGES "/subgroups.spv";
  const std::string plain = "--spirv=" + Module("plain");
  EXPECT_EQ(launch({told}).at("subgroup_size"), 32);
  EXPECT_THAT(RunProgram("halyard-pack", {"--dump=" + file_}).out, HasSubstr("subgroups of 32; exact workgroup size"));
  EXPECT_EQ(launch({plain, "--force"}).at("subgroup_size"), 0);
  EXPECT_EQ(launch({plain, "--launch=plain:subgroup=16", "--force"}).at("subgroup_size"), 16);
  const Json range = launch({plain, "--launch=plain:subgroup=16-64", "--force"});
  EXPECT_EQ(range.at("min_subgroup_size"), 16);
  EXPECT_EQ(range.at("max_subgroup_size"), 64);
  EXPECT_THAT(RunProgram("halyard-pack", {"--dump=" + file_}).out, HasSubstr("subgroups of 16 to 64; "));
  const auto described = [&](const std::string& name, const std::string& size) {
    return "--exports=" + folder_.Write("d" + size.substr(0, 1) + ".json",
                                        R"({"exports": [{"name": ")" + name + R"(", "subgroup_size": )" + size + "}]}");
  };
  EXPECT_EQ(launch({plain, described("plain", "64"), "--force"}).at("subgroup_size"), 64);
  EXPECT_EQ(launch({plain, described("plain", R"("-32")"), "--force"}).at("max_subgroup_size"), 32);
  EXPECT_EQ(launch({told, described("subgroups", R"("16-64")"), "--force"}).at("subgroup_size"), 32);
  const auto refuse = [&](const std::vector<std::string>& arguments, ExitCode code, const char* words) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--output=" + file_, "--force"});
    ExpectRefused(RunProgram("halyard-pack", all), code, {words});
  };
  refuse({told, described("subgroups", "64")}, ExitCode::kInput,
         "has subgroups of 64 work-items in the description, but of 32 in the spirv image");
  refuse({told, "--launch=subgroups:subgroup=8"}, ExitCode::kInput, "knows that it runs in subgroups of 32");
  refuse({plain, described("plain", "24")}, ExitCode::kInput, "expected a power of two, such as 32, or a range");
  refuse({plain, "--launch=plain:subgroup=64-32"}, ExitCode::kUsage, "KERNEL:subgroup=LEAST-MOST");
}

// Vulkan allows it; quantised matrices are read by bytes and by words.
TEST_F(PackSpirvTest, VariablesAtOnePlaceAreOneParameter) {
  const Json exports = Exports({"--spirv=" + Module("packed_aliases"), "--metal=" + Module("packed_aliases")});
  EXPECT_EQ(SetsText(exports.at(0)), "b0:0 read, b0:1 read, b0:2 read_write, c4@0");
  EXPECT_EQ(SetsText(Exports({"--spirv=" + Module("aliases"), "--force"}).at(0)), "b0:0 read_write, b2:1 read");
  EXPECT_THAT(Msl("packed_aliases"), HasSubstr("(const device packed_aliases_A&)"));
  ExpectRefused(RunProgram("halyard-pack", {"--spirv=" + Module("mixed"), "--output=" + msl_, "--force"}),
                ExitCode::kInput, {"binding 3 of set 0 is a storage buffer, 'counted', and a uniform buffer, 'count'"});
}

TEST_F(PackSpirvTest, ShowsSpecialisationConstants) {
  (void)Exports({"--spirv=" + Module("typed")});
  const std::string text = RunProgram("halyard-pack", {"--dump=" + file_}).out;
  EXPECT_THAT(text, HasSubstr("  constant 0        block, si32, 64 by default\n"));
  EXPECT_THAT(text, HasSubstr("  constant 4        factor, f32, 0.5 by default\n"));
  EXPECT_THAT(text, HasSubstr("  constant 6        first, si32, -3 by default\n"));
  const Json told =
      Json::parse(RunProgram("halyard-pack", {"--dump=" + file_, "--json"}).out).at("variants").at(0).at("reflection");
  EXPECT_EQ(
      told.at("specialization_constants").at(2),
      Json({{"id", 5}, {"size", 4}, {"default_bits", 1}, {"name", "is_swapped"}, {"type", "i1"}, {"default", "1"}}));
  EXPECT_EQ(told.at("kernels").at(0).at("fixed_sides"), Json::array({0, 4, 1}));
  EXPECT_EQ(
      told.at("kernels").at(0).at("parameters").at(0),
      Json({{"kind", "binding"}, {"guessed", false}, {"access", "read_write"}, {"name", "result"}, {"type", "f32"}}));
}

TEST_F(PackSpirvTest, WhatIsFixedOfAWorkgroupIsKept) {
  (void)Exports({"--spirv=" + Module("typed"), "--metal=" + Module("typed")});
  const std::string text = RunProgram("halyard-pack", {"--dump=" + file_}).out;
  EXPECT_THAT(text, HasSubstr("  launch of 0       workgroups with 4 in y, 1 in z\n"));
  const Json variants = Json::parse(RunProgram("halyard-pack", {"--dump=" + file_, "--json"}).out).at("variants");
  for (const Json& variant : variants) {
    EXPECT_EQ(variant.at("entry_points").at(0).at("launch").at("fixed_sides"), Json::array({0, 4, 1}));
  }
  const std::string other =
      folder_.Write("other.json", R"({"exports": [{"name": "typed", "workgroup_size": [64, 8, 1], )"
                                  R"("constants_size": 16, "parameters": [{"kind": "binding", "binding": 0}, )"
                                  R"({"kind": "constant", "offset": 0, "size": 4}, )"
                                  R"({"kind": "constant", "offset": 4, "size": 4}, )"
                                  R"({"kind": "constant", "offset": 8, "size": 8}]}]})");
  ExpectRefused(
      RunProgram("halyard-pack", {"--metal=" + Module("typed"), "--exports=" + other, "--output=" + file_, "--force"}),
      ExitCode::kInput, {"launch.fixed_sides: (0, 4, 1), but workgroups have (64, 8, 1) work-items"});
}

// The size of a workgroup is unsigned, and the constant with its number need not be.
TEST_F(PackSpirvTest, FunctionConstantsAreNamedByNumberAndType) {
  for (const char* const name : {"typed", "typed_v16"}) {
    const std::string msl = Msl(name);
    EXPECT_THAT(msl, HasSubstr("constant float function_constant_4_float [[function_constant(4)]];")) << name;
    EXPECT_THAT(msl, HasSubstr("constant bool function_constant_5_bool [[function_constant(5)]];")) << name;
    EXPECT_THAT(msl, HasSubstr("constant int function_constant_6_int [[function_constant(6)]];")) << name;
    EXPECT_THAT(msl, Not(HasSubstr("function_constant_0"))) << name << ": the size is an argument";
  }
  const std::string module = Changed("typed", [](uint32_t opcode, std::span<uint32_t> words) {
    if (opcode == 71 && words.size() == 4 && words[2] == 1 && words[3] == 6) words[3] = 4;  // OpDecorate SpecId
  });
  ExpectSuccess(TranslateFile(folder_.Write("shared.spv", module)));
  const std::string msl = ReadText(msl_);
  EXPECT_THAT(msl, HasSubstr("constant float function_constant_4_float [[function_constant(4)]];"));
  EXPECT_THAT(msl, HasSubstr("constant int function_constant_4_int [[function_constant(4)]];"));
}

// Metal compiles for each value of a function constant, so what dispatches choose must be an argument.
TEST_F(PackSpirvTest, MetalReadsTheSizeFromTheGrid) {
  for (const char* const name : {"sized", "sized_v16"}) {
    const std::string msl = Msl(name);
    EXPECT_THAT(msl, HasSubstr(", uint3 sized_WorkGroupSize [[threads_per_threadgroup]])")) << name;
    EXPECT_THAT(msl, HasSubstr("uint3(sized_WorkGroupSize.x, 2u, sized_WorkGroupSize.z).x * sized_scale;")) << name;
    EXPECT_THAT(msl, HasSubstr("constant uint function_constant_7 [[function_constant(7)]];")) << name;
    EXPECT_THAT(msl, Not(HasSubstr("function_constant_3"))) << name;
    EXPECT_THAT(msl, Not(HasSubstr("function_constant_5"))) << name;
  }
}

// Constants 0 to 3 with the names of halyard-kernels, used in expressions and in a function that returns early.
TEST_F(PackSpirvTest, MetalTakesWhatDispatchesChooseAsArguments) {
  const std::string msl = Msl("dispatched");
  EXPECT_THAT(msl, HasSubstr("kernel void dispatched(threadgroup uint* dispatched_memory [[threadgroup(0)]], "));
  EXPECT_THAT(msl, HasSubstr(", uint3 dispatched_WorkGroupSize [[threads_per_threadgroup]])"));
  EXPECT_THAT(msl, HasSubstr("dispatched_memory[i] = "));
  EXPECT_THAT(msl, HasSubstr("if ((uint3(dispatched_WorkGroupSize).x * dispatched_scale) < i)"));
  EXPECT_THAT(msl, HasSubstr("constant uint function_constant_4 [[function_constant(4)]];"));
  for (const char* const gone : {"function_constant_0", "SPIRV_CROSS_CONSTANT_ID", "hal_size", "unsupported"}) {
    EXPECT_THAT(msl, Not(HasSubstr(gone)));
  }
  EXPECT_THAT(Msl("memory_bytes"), HasSubstr("(threadgroup uchar* memory_bytes_memory [[threadgroup(0)]], "));
}

TEST_F(PackSpirvTest, DynamicLocalMemoryIsKnownByItsSizeInBytes) {
  const std::string msl = Msl("memory_counted");  // constant 3 is a number of elements of 4 bytes
  EXPECT_THAT(msl, HasSubstr("#define SPIRV_CROSS_CONSTANT_ID_3 16u"));
  EXPECT_THAT(msl, HasSubstr("threadgroup uint memory[memory_counted_bytes];"));
}

// Arrays that are as long as a workgroup: Metal has to know the size when it compiles.
TEST_F(PackSpirvTest, ArraysOfWorkgroupsFixTheirSize) {
  const std::string msl = Msl("sized_sum");
  EXPECT_THAT(msl, HasSubstr("// For workgroups of 32 in x alone: sized_sum\n"));
  EXPECT_THAT(msl, HasSubstr("threadgroup uint partial[32];"));
  EXPECT_THAT(msl, HasSubstr("threadgroup uint twice[64];"));
  EXPECT_THAT(msl, HasSubstr("constant uint function_constant_1 [[function_constant(1)]];"));
  EXPECT_THAT(msl, Not(HasSubstr("function_constant(0)")));
  const auto pack = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"--metal=" + Module("sized_sum"), "--output=" + file_, "--force"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ToolResult packed = RunProgram("halyard-pack", arguments);
    ExpectSuccess(packed);
    return packed.out;
  };
  const auto variant = [&](size_t index) {
    const ToolResult dumped = RunProgram("halyard-pack", {"--dump=" + file_, "--json"});
    return Json::parse(dumped.out).at("variants").at(index).at("entry_points").at(0).at("launch");
  };
  EXPECT_THAT(pack({}), HasSubstr("'sized_sum' is translated for workgroups of 32 x 1 x 1 alone, "));
  EXPECT_EQ(variant(0).at("flags"), Json({"exact workgroup size"}));
  const std::string description =
      folder_.Write("sized.json", R"({"exports": [{"name": "sized_sum", "workgroup_size": [64, 1, 1]}]})");
  EXPECT_THAT(pack({"--exports=" + description, "--spirv=" + Module("sized_sum")}), Not(HasSubstr("note")));
  EXPECT_EQ(variant(1).at("flags"), Json({"exact workgroup size"}));
  EXPECT_THAT(ReadText(file_), HasSubstr("threadgroup uint partial[64];"));
}

// Parts of vectors of bool in workgroup memory have the size that their declaration has.
TEST_F(PackSpirvTest, PartsOfVectorsOfBoolAreThoseOfTheirDeclaration) {
  const std::string msl = Msl("bools");
  EXPECT_THAT(msl, HasSubstr("threadgroup short2 g;"));
  EXPECT_THAT(msl, HasSubstr("((threadgroup short*)&g)[1u]"));
  EXPECT_THAT(msl, Not(HasSubstr("threadgroup bool*")));
}

TEST_F(PackSpirvTest, AsksForAddressesInPushConstants) {
  const std::string image = "--spirv=" + Module("addresses");
  const ToolResult packed = RunProgram("halyard-pack", {image, "--output=" + file_});
  ExpectSuccess(packed);
  EXPECT_THAT(packed.out, HasSubstr("'addresses' follows addresses that it finds in parameters 0 (from, 16 bytes) in "
                                    "bytes 8 to 15, 1 (target, 8 bytes) in bytes 0 to 7, 2 (number, 8 bytes) in bytes "
                                    "0 to 7, 3 (halves, 8 bytes) in bytes 0 to 7; --parameter=addresses:0+8=binding "));
  EXPECT_THAT(packed.out, Not(HasSubstr("shift"))) << "which is a number";
  const std::string option = "--parameter=addresses:";
  const ToolResult told =
      RunProgram("halyard-pack", {image, "--output=" + file_, "--force", option + "0+8=binding", option + "1=binding",
                                  option + "2=binding", option + "3=constant"});
  ExpectSuccess(told);
  EXPECT_THAT(told.out, Not(HasSubstr("note")));
  const std::string dump = RunProgram("halyard-pack", {"--dump=" + file_}).out;
  EXPECT_THAT(dump, HasSubstr("address in constant 8: binding 0 of set 0, read_write\n"));
  EXPECT_THAT(dump, HasSubstr("address in constant 16: binding 1 of set 0, read_write\n"));
  EXPECT_THAT(dump, HasSubstr("address in constant 24: binding 2 of set 0, read_write\n"));
}

// The translator's memory follows the ids that the head announces.
TEST_F(PackSpirvTest, MoreIdsThanAModuleHasAreNotTranslated) {
  std::string module = ReadText(Module("saxpy"));
  const uint32_t bound = 0x3FFFFF;
  std::memcpy(&module[3 * sizeof(uint32_t)], &bound, sizeof(bound));
  ExpectRefused(TranslateFile(folder_.Write("many_ids.spv", module)), ExitCode::kInput,
                {"kernel 'saxpy': ids up to 4194303 in ", "spirv-opt --compact-ids"});
}

TEST_F(PackSpirvTest, WhatMetalCannotLearnAtDispatchIsRefused) {
  const auto expect_refused = [&](const char* name, const char* words) {
    ExpectRefused(Translate(name), ExitCode::kInput, {"kernel '" + std::string(name) + "': ", words});
  };
  expect_refused("shared_blocks", "OpVariable 'a': blocks in workgroup memory share their bytes");
  expect_refused("memory_length", "Metal does not tell a kernel the bytes of dynamic local memory");
  expect_refused("memory_twice", "constant 3, the bytes of dynamic local memory, is the length of two arrays");
  ExpectRefused(TranslateFile(HALYARD_REFLECTION_IMAGES "/memory_whole.spv"), ExitCode::kInput,
                {"kernel 'memory_whole': ", "an array of dynamic local memory can only be used by elements"});
}

// Only kernels have the arguments that dispatches set, so functions that use them are inlined.
TEST_F(PackSpirvTest, FunctionsThatUseWhatDispatchesChooseAreInlined) {
  for (const char* const name : {"dispatched", "memory_bytes"}) {
    const std::string module = Changed(name, [](uint32_t opcode, std::span<uint32_t> words) {
      if (opcode == 54) words[3] = 2;  // OpFunction DontInline
    });
    ExpectRefused(TranslateFile(folder_.Write("apart.spv", module)), ExitCode::kInput,
                  {"kernel '" + std::string(name) + "': OpFunctionCall: a function cannot be inlined"});
  }
}

TEST_F(PackSpirvTest, SparseSetsAndUnusedBindingsAreKept) {
  const Json exports = Exports({"--spirv=" + Module("sparse")});
  EXPECT_EQ(SetsText(exports.at(0)), "b1:7 read, b9:2 write, b9:4 read_write, c8@16, c12@24");
  EXPECT_EQ(exports.at(0).at("constants_size"), 36);
  EXPECT_EQ(exports.at(0).at("workgroup_size"), Json::array({8, 4, 2}));
}

// saxpy's module has two bindings and two constants of 4 bytes. A compiler may have left out what it does not use.
TEST_F(PackSpirvTest, OtherImagesMustAgree) {
  const std::string spirv = "--spirv=" + Module("saxpy");
  constexpr const char* kBindings = ".param .u64 .ptr x, .param .u64 .ptr y";
  const auto ptx = [&](const std::string& parameters) {
    return "--cuda=" +
           folder_.Write("saxpy.ptx", ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry saxpy(" +
                                          parameters + ") .reqntid 64 { ret; }\n");
  };
  const auto expect_contradiction = [&](const std::string& other, const std::vector<std::string>& words) {
    ExpectRefused(RunProgram("halyard-pack", {other, spirv, "--output=" + file_}), ExitCode::kInput, words);
    ExpectRefused(RunProgram("halyard-pack", {spirv, other, "--output=" + file_}), ExitCode::kInput, words);
  };
  const std::string bindings = kBindings;
  expect_contradiction(ptx(bindings + ", .param .f32 a, .param .u32 n, .param .u32 m"),
                       {"export 'saxpy' has 12 bytes of constants in", "saxpy.ptx", "but 8 in", "saxpy.spv"});
  expect_contradiction(ptx(bindings), {"has 0 bytes of constants in", "saxpy.ptx", "but 8 in", "saxpy.spv"});
  expect_contradiction(ptx(bindings + ", .param .f32 a, .param .f64 n"),
                       {"of export 'saxpy' is a constant of", "bytes", "saxpy.ptx", "saxpy.spv"});
  expect_contradiction(ptx(".param .u64 .ptr x, .param .f32 a, .param .u32 n"),
                       {"export 'saxpy' has 1 bindings in", "saxpy.ptx", "but 2 in", "saxpy.spv"});
  EXPECT_EQ(SetsText(Exports({ptx(bindings + ", .param .f32 a, .param .u32 n"), spirv}).at(0)),
            "b0:0 read, b0:1 read_write, c4@0, c4@4");
  EXPECT_EQ(SetsText(Exports({spirv, ptx(bindings + ", .param .align 4 .b8 both[8]")}).at(0)),
            "b0:0 read, b0:1 read_write, c8@0");
  EXPECT_EQ(SetsText(Exports({ptx(bindings + ", .param .u64 .ptr z, .param .f32 a, .param .u32 n"), spirv}).at(0)),
            "b0:0 read, b0:1 read_write, b0:2 read_write, c4@0, c4@4");
}

TEST_F(PackSpirvTest, ADescriptionMustAgree) {
  const std::string exports =
      folder_.Write("exports.json", R"({"exports": [{"name": "saxpy", "workgroup_size": [64], "parameters": [
        {"kind": "binding", "binding": 0}, {"kind": "binding", "binding": 1},
        {"kind": "constant", "offset": 0, "size": 4}]}]})");
  ExpectRefused(RunProgram("halyard-pack", {"--spirv=" + Module("saxpy"), "--exports=" + exports, "--output=" + file_}),
                ExitCode::kInput, {"has 4 bytes of constants in", "exports.json", "but 8 in", "saxpy.spv"});
}

// There is no buffer index 9 for set 9, so both sets are numbered in their order; bindings keep their numbers as ids.
TEST_F(PackSpirvTest, SetsBecomeArgumentBuffersAndBindingsIds) {
  const std::string msl = Msl("sparse");
  EXPECT_THAT(msl, HasSubstr("sparse_set0& spvDescriptorSet0 [[buffer(0)]]"));
  EXPECT_THAT(msl, HasSubstr("sparse_set1& spvDescriptorSet1 [[buffer(1)]]"));
  const std::string first = msl.substr(msl.find("struct sparse_set0"), msl.find("struct sparse_set1"));
  const std::string second = msl.substr(msl.find("struct sparse_set1"));
  EXPECT_THAT(first, HasSubstr("const device sparse_A* "));
  EXPECT_THAT(first, HasSubstr("[[id(7)]]"));
  EXPECT_THAT(second, HasSubstr("[[id(2)]]"));
  EXPECT_THAT(second, HasSubstr("sparse_Unused* "));
  EXPECT_THAT(second, HasSubstr("[[id(4)]]"));
}

TEST_F(PackSpirvTest, PushConstantsLieBehindAllSets) {
  for (const char* const name : {"saxpy", "sparse"}) {
    const std::string msl = Msl(name);
    EXPECT_THAT(msl, HasSubstr("Constants& _")) << name;
    EXPECT_THAT(msl, HasSubstr("[[buffer(8)]]")) << name;
    EXPECT_THAT(msl, Not(HasSubstr("[[buffer(9)]]"))) << name;
  }
}

TEST_F(PackSpirvTest, KernelsOfOneModuleStayApart) {
  const Json exports = Exports({"--spirv=" + Module("two"), "--metal=" + Module("two")});
  ASSERT_EQ(exports.size(), 2u);
  EXPECT_EQ(exports.at(0).at("workgroup_size"), Json::array({64, 1, 1}));
  EXPECT_EQ(exports.at(1).at("workgroup_size"), Json::array({8, 4, 2}));
  EXPECT_EQ(SetsText(exports.at(0)), "b0:0 read, b0:1 read_write, c4@0, c4@4");
  const std::string dump = RunProgram("halyard-pack", {"--dump=" + file_}).out;
  EXPECT_THAT(dump, HasSubstr("tells saxpy       64 x 1 x 1; read binding x of f32, read_write binding y of f32, "
                              "4 bytes a of f32, 4 bytes n of ui32\n"));
  EXPECT_THAT(dump, HasSubstr("tells             nothing: the exports say what its kernels take\n")) << "of MSL";
  const std::string msl = Msl("two");
  EXPECT_THAT(msl, HasSubstr("kernel void saxpy("));
  EXPECT_THAT(msl, HasSubstr("kernel void sparse("));
}

TEST_F(PackSpirvTest, NamesThatMetalDoesNotTakeAreChanged) {
  const std::string module = Changed("saxpy", [](uint32_t opcode, std::span<uint32_t> words) {
    if (opcode == 15) std::memcpy(&words[3], "sax.y", 5);  // OpEntryPoint
  });
  ExpectSuccess(TranslateFile(folder_.Write("named.spv", module)));
  const std::string msl = ReadText(msl_);
  EXPECT_THAT(msl, HasSubstr("kernel void sax_y("));
  EXPECT_THAT(msl, HasSubstr("constant sax_y_set0& "));
  EXPECT_THAT(msl, Not(HasSubstr("sax.y")));
}

TEST_F(PackSpirvTest, TheVersionOfMetalIsChosen) {
  ExpectRefused(Translate("subgroup", "--metal-version=2.0"), ExitCode::kInput, {"kernel 'subgroup'", "Metal 2.1"});
  EXPECT_THAT(Msl("subgroup", "--metal-version=2.1"), HasSubstr("simd_sum("));
  ExpectRefused(Translate("sparse", "--metal-version=1.2"), ExitCode::kUsage, {"--metal-version takes 2.0 to 9.9"});
  ExpectRefused(Translate("sparse", "--metal-version=two"), ExitCode::kUsage, {"not 'two'"});
}

TEST_F(PackSpirvTest, WhatMetalHasNotIsRefusedByItsInstruction) {
  ExpectRefused(Translate("length"), ExitCode::kInput, {"kernel 'length'", "OpArrayLength", "pass it as a constant"});
  ExpectRefused(Translate("double"), ExitCode::kInput, {"kernel 'double'", "OpTypeFloat 64", "no doubles"});
  ExpectRefused(Translate("picture"), ExitCode::kInput, {"kernel 'picture'", "OpTypeImage", "buffers alone"});
  // Vulkan has both.
  EXPECT_EQ(SetsText(Exports({"--spirv=" + Module("length")}).at(0)), "b0:0 read_write");
  EXPECT_EQ(SetsText(Exports({"--spirv=" + Module("double")}).at(0)), "b0:0 read_write");
}

std::string Image(const std::string& name) { return HALYARD_REFLECTION_IMAGES "/" + name + ".spv"; }

// SPIRV-Cross says of neither what it does not know.
TEST_F(PackSpirvTest, WhatTheTranslatorDoesNotKnowIsToldByItsCapability) {
  ExpectRefused(TranslateFile(Image("matrix")), ExitCode::kInput,
                {"kernel 'matrix': OpCapability CooperativeMatrixNV: SPIRV-Cross does not know what one of them brings "
                 "('Currently no block to insert opcode.')"});
  ExpectRefused(TranslateFile(Image("dot")), ExitCode::kInput,
                {"kernel 'dot': OpCapability DotProduct, DotProductInput4x8BitPacked: SPIRV-Cross does not know"});
}

TEST_F(PackSpirvTest, SidesThatAreComputedAreRefusedForMetal) {
  ExpectRefused(TranslateFile(Image("computed_side")), ExitCode::kInput,
                {"kernel 'computed_side': OpSpecConstantOp: a side of its workgroups is computed"});
}

// A file for Metal tells which constants are sides, whether the kernel is made for one size or not.
TEST_F(PackSpirvTest, MetalsFilesTellWhichConstantsAreSides) {
  const auto launch = [&](const std::string& name) {
    ExpectSuccess(RunProgram("halyard-pack", {"--metal=" + Module(name), "--output=" + file_, "--force"}));
    const Json document = Json::parse(RunProgram("halyard-pack", {"--dump=" + file_, "--json"}).out);
    return document.at("variants").at(0).at("entry_points").at(0).at("launch");
  };
  EXPECT_EQ(launch("nested").at("side_constants"), Json({{"x", 7}}));
  EXPECT_EQ(launch("sized_sum").at("side_constants"), Json({{"x", 0}}));
  EXPECT_FALSE(launch("saxpy").contains("side_constants"));
}

// As optimisers leave it: a switch by a phi or by a computed constant, constants of a size that no code uses.
TEST_F(PackSpirvTest, WhatTheTranslatorWouldNotTakeIsRewritten) {
  ExpectSuccess(TranslateFile(Image("awkward")));
  const std::string text = ReadText(msl_);
  EXPECT_THAT(text, HasSubstr("awkward_N + 1u"));
  EXPECT_THAT(text, Not(HasSubstr("function_constant(0)"))) << "no code uses the size";
}

// The validator allows any offset of a push constant; the sum with its size must not overflow.
TEST_F(PackSpirvTest, PushConstantsAtHugeOffsetsAreRefused) {
  const std::string module = Changed("saxpy", [](uint32_t opcode, std::span<uint32_t> words) {
    const bool is_offset = opcode == 72 && words.size() == 5 && words[3] == 35 && words[4] == 4;
    if (is_offset) words[4] = 0xFFFFFFFC;  // OpMemberDecorate Offset 4294967292
  });
  const std::string far = folder_.Write("far.spv", module);
  ExpectRefused(RunProgram("halyard-pack", {"--spirv=" + far, "--output=" + file_}), ExitCode::kInput,
                {"kernel 'saxpy'", "member 1 of the push constants ends at byte 4294967296; 1048576 are possible"});
}

// The validator checks no types there by itself, and SPIRV-Cross ends the program.
TEST_F(PackSpirvTest, WrongTypesInComputedConstantsAreRefused) {
  uint32_t boolean = 0;
  const std::string module = Changed("dispatched", [&](uint32_t opcode, std::span<uint32_t> words) {
    if (opcode == 20) boolean = words[1];                                    // OpTypeBool
    if (opcode == 52 && words[3] == 81 && boolean != 0) words[1] = boolean;  // OpSpecConstantOp CompositeExtract
  });
  ExpectRefused(TranslateFile(folder_.Write("wrong.spv", module)), ExitCode::kInput, {"wrong.spv' is no valid SPIR-V"});
}

// The validator wants an extension for NoSignedWrap; drivers do not.
TEST_F(PackSpirvTest, PacksWhatTheValidatorRefusesWithItsWordAsANote) {
  const std::string module = HALYARD_CORPUS "/images/iree3.13/axpy.vulkan.spv";
  EXPECT_EQ(SetsText(Exports({"--spirv=" + module}).at(0)), "b0:0 read_write, b0:1 read_write, b0:2 read_write, c16@0");
  const ToolResult packed = RunProgram("halyard-pack", {"--spirv=" + module, "--output=" + file_});
  EXPECT_THAT(packed.out, HasSubstr("axpy.vulkan.spv' is packed as it is, although SPIRV-Tools' validator refuses it"));
  EXPECT_THAT(packed.out, HasSubstr("NoSignedWrap(4469) requires one of these extensions"));
  ExpectRefused(TranslateFile(module), ExitCode::kInput, {"is no valid SPIR-V", "NoSignedWrap"});
}

// Validators know the languages of their time: 8 and later are Slang's, WGSL's, Zig's and of languages to come.
TEST_F(PackSpirvTest, TheLanguageOfTheSourceDoesNotMatter) {
  const Json known = Exports({"--spirv=" + Module("saxpy")});
  for (const uint32_t language : {8u, 10u, 11u, 12u, 4711u}) {
    const std::string module = Changed("saxpy", [&](uint32_t opcode, std::span<uint32_t> words) {
      if (opcode == 3) words[1] = language;  // OpSource
    });
    const std::string path = folder_.Write("language.spv", module);
    EXPECT_EQ(Exports({"--spirv=" + path, "--metal=" + path}), known) << language;
    EXPECT_THAT(RunProgram("halyard-pack", {"--spirv=" + path, "--output=" + file_}).out, Not(HasSubstr("note: ")));
    ExpectSuccess(TranslateFile(path));
  }
}

TEST_F(PackSpirvTest, ModulesForOpenClAreNamedAsThat) {
  const std::string module = Changed("saxpy", [](uint32_t opcode, std::span<uint32_t> words) {
    if (opcode == 17) words[1] = 6;             // OpCapability Kernel
    if (opcode == 14) words[1] = words[2] = 2;  // OpMemoryModel Physical64 OpenCL
    if (opcode == 15) words[1] = 6;             // OpEntryPoint Kernel
  });
  const std::string path = folder_.Write("opencl.spv", module);
  for (const char* const option : {"--spirv=", "--image="}) {
    const ToolResult packed = RunProgram("halyard-pack", {option + path, "--output=" + file_});
    ExpectRefused(packed, ExitCode::kInput, {"opencl.spv': ", "the module is for OpenCL"});
    EXPECT_THAT(packed.error, Not(HasSubstr("--image"))) << option;
  }
}

TEST_F(PackSpirvTest, DamagedModulesAreRefusedByTheValidator) {
  std::string module = ReadText(Module("saxpy"));
  for (const size_t size : {size_t{16}, size_t{20}, size_t{600}, module.size() - 4}) {
    const std::string cut = folder_.Write("cut.spv", module.substr(0, size));
    ExpectRefused(RunProgram("halyard-pack", {"--spirv=" + cut, "--output=" + file_}), ExitCode::kInput, {"cut.spv'"});
  }
  module[12] = module[13] = module[14] = '\xff';  // the bound of ids
  const std::string wrong = folder_.Write("wrong.spv", module);
  ExpectRefused(RunProgram("halyard-pack", {"--spirv=" + wrong, "--output=" + file_}), ExitCode::kInput,
                {"the bound of ids is 16777215; at most 4194303 may be"});
}

}  // namespace
}  // namespace halyard::tools
