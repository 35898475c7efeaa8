// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What SPIR-V of glslang tells (make_images.sh), what the suite's own kernels tell, and modules with changed words.
#include "image/reflection/spirv/spirv_reflection.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "image/halx/container.h"
#include "image/reflection/spirv/spirv_computation.h"
#include "image/reflection/spirv/spirv_opcodes.h"
#include "reflection_images.h"
#include "spirv_part.h"

namespace halyard::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Name(const std::string& kernel) { return "glslang12_" + kernel + ".spv"; }

SpirvImage ReadImage(std::span<const std::byte> bytes) {
  SpirvImage image;
  EXPECT_EQ(ReadSpirv(bytes, &image), kOk) << LastErrorMessage();
  return image;
}

SpirvImage ReadKernels(const std::string& name) { return ReadImage(ReadReflectionImage(Name(name))); }

SpirvKernel ReadKernel(const std::string& name) {
  SpirvImage image = ReadKernels(name);
  EXPECT_THAT(image.kernels, SizeIs(1));
  return image.kernels.empty() ? SpirvKernel() : image.kernels.front();
}

/// "0:1 r, 9:2 w": set, number and access of each binding.
std::string BindingsText(const SpirvKernel& kernel) {
  constexpr const char* kAccess[] = {"rw", "r", "w"};
  std::string text;
  for (const SpirvBinding& binding : kernel.bindings) {
    if (!text.empty()) text += ", ";
    text += std::to_string(binding.set) + ":" + std::to_string(binding.binding) + " " + kAccess[binding.access];
  }
  return text;
}

/// "4@0 8@16": size and offset of each.
std::string ConstantsText(const SpirvKernel& kernel) {
  std::string text;
  for (const SpirvPushConstant& constant : kernel.push_constants) {
    if (!text.empty()) text += " ";
    text += std::to_string(constant.size) + "@" + std::to_string(constant.offset);
  }
  return text;
}

std::string SizeText(const hal_dim3_t& size) {
  return std::to_string(size.x) + "," + std::to_string(size.y) + "," + std::to_string(size.z);
}

std::vector<uint32_t> Words(const ReflectionImage& image) {
  std::vector<uint32_t> words(image.size() / sizeof(uint32_t));
  std::memcpy(words.data(), image.data(), image.size());
  return words;
}

/// A module with other words: `change` is called with those of each instruction.
template <class Change>
std::vector<uint32_t> Changed(const std::string& name, const Change& change) {
  std::vector<uint32_t> words = Words(ReadReflectionImage(Name(name)));
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    change(words[at] & 0xFFFF, std::span(words).subspan(at, words[at] >> 16));
  }
  return words;
}

std::string RefusalOf(const std::vector<uint32_t>& words, hal_status_t expected = HAL_STATUS_DATA_LOSS) {
  return Refusal("spirv", std::as_bytes(std::span(words)), expected);
}

// --- What modules tell ---

TEST(SpirvReflection, TellsBindingsConstantsAndLocalSize) {
  const ReflectedImage image = ReflectFile("spirv", Name("saxpy"));
  EXPECT_EQ(image.producer, "SPIR-V 1.5");
  const ReflectedKernel saxpy = KernelOf(image, "saxpy");
  EXPECT_EQ(ParametersText(saxpy), "r:b0 rw:b1 c4@0 c4@4");
  EXPECT_EQ(WorkgroupText(saxpy), "64,1,1");
  EXPECT_TRUE(saxpy.is_workgroup_size_known);
  EXPECT_EQ(saxpy.constants_size, 8u);
}

TEST(SpirvReflection, KeepsSparseSetsAndUnusedBindings) {
  const SpirvKernel sparse = ReadKernel("sparse");
  EXPECT_EQ(BindingsText(sparse), "1:7 r, 9:2 w, 9:4 rw");
  EXPECT_EQ(ConstantsText(sparse), "8@16 12@24");
  EXPECT_EQ(sparse.constants_size, 36u);
  EXPECT_EQ(SizeText(sparse.workgroup_size), "8,4,2");
}

TEST(SpirvReflection, TellsSizesBySpecialisationConstants) {
  for (const char* const name : {"sized", "sized_v16"}) {  // as the built-in WorkgroupSize, and by LocalSizeId
    SCOPED_TRACE(name);
    const SpirvImage image = ReadKernels(name);
    ASSERT_THAT(image.kernels, SizeIs(1));
    const SpirvKernel& sized = image.kernels.front();
    EXPECT_EQ(sized.size_source, SpirvSizeSource::kConstants);
    EXPECT_EQ(SizeText(sized.workgroup_size), "32,2,1");
    EXPECT_THAT(sized.size_ids, ElementsAre(3u, std::nullopt, 5u));
    ASSERT_THAT(image.constants, SizeIs(3));
    EXPECT_EQ(image.constants[0].id, 3u);
    EXPECT_EQ(image.constants[0].size, 4u);
    EXPECT_EQ(image.constants[0].default_value, 32u);
    EXPECT_EQ(image.constants[2].id, 7u);
    EXPECT_EQ(WorkgroupText(KernelOf(ReflectFile("spirv", Name(name)), "sized")), "0,1,1") << "dispatches say";
  }
}

// glslang makes the size a constant of the module, which precedes LocalSize.
// Members that are pointers or hold one, and numbers that a function makes one of.
TEST(SpirvReflection, FindsAddressesInPushConstants) {
  const ReflectedImage image = ReflectFile("spirv", "glslang12_addresses.spv");
  const ReflectedKernel& kernel = KernelOf(image, "addresses");
  ASSERT_EQ(ParametersText(kernel), "c16@0 c8@16 c8@24 c8@32 c8@40 c4@48");
  const std::vector<std::vector<uint32_t>> expected = {{8}, {0}, {0}, {0}, {}, {}};
  for (size_t i = 0; i < expected.size(); ++i) {
    const HostVector<uint32_t>& found = kernel.parameters[i].addresses;
    EXPECT_EQ(std::vector<uint32_t>(found.begin(), found.end()), expected[i]) << i;
  }
}

// Which of the addresses it is, the code computes.
TEST(SpirvReflection, FindsAddressesAtComputedPlacesOfPushConstants) {
  const ReflectedImage image = ReflectFile("spirv", "glslang12_computed.spv");
  const ReflectedKernel& kernel = KernelOf(image, "computed");
  ASSERT_EQ(ParametersText(kernel), "c4@0 c48@8 c16@56 c16@72");
  EXPECT_THAT(kernel.parameters[0].addresses, IsEmpty());
  EXPECT_THAT(kernel.parameters[1].addresses, ElementsAre(kAnyOffset));
  EXPECT_THAT(kernel.parameters[2].addresses, ElementsAre(kAnyOffset));
  EXPECT_THAT(kernel.parameters[3].addresses, IsEmpty()) << "numbers of the same array";
}

TEST(SpirvReflection, TellsSizesThatModulesFix) {
  EXPECT_EQ(ReadKernel("saxpy").size_source, SpirvSizeSource::kFixed);
  const SpirvImage two = ReadKernels("two");  // without that constant
  ASSERT_THAT(two.kernels, SizeIs(2));
  EXPECT_EQ(two.kernels[0].size_source, SpirvSizeSource::kLocalSize);
  EXPECT_EQ(SizeText(two.kernels[0].workgroup_size), "64,1,1");
  EXPECT_EQ(SizeText(two.kernels[1].workgroup_size), "8,4,2");
  EXPECT_EQ(BindingsText(two.kernels[0]), "0:0 r, 0:1 rw");
}

// With the values that a caller gives: COUNT, BLOCK and ROWS. Workgroup memory has ROWS * 4 elements, and 8 more if
// COUNT is greater than 8.
TEST(SpirvReflection, ComputesSizesWithGivenConstants) {
  struct Case {
    std::vector<hal_specialization_t> given;
    uint32_t constants_size;
    uint32_t local_memory_size;
    const char* workgroup_size;
  };
  for (const Case& one : {Case{{}, 20, 256, "0,1,1"},
                          {{{0, 4, 8}}, 36, 256, "0,1,1"},
                          {{{0, 4, 2}}, 12, 256, "0,1,1"},
                          {{{2, 4, 16384}}, 20, 262144, "0,1,1"},
                          {{{2, 4, 1}, {0, 4, 9}}, 40, 48, "0,1,1"},
                          {{{1, 4, 32}}, 20, 256, "32,1,1"}}) {
    ReflectedImage image;
    ASSERT_EQ(Reflect("spirv", ReadReflectionImage(Name("lengths")), &image, one.given), kOk) << LastErrorMessage();
    const ReflectedKernel kernel = KernelOf(image, "lengths");
    EXPECT_EQ(kernel.constants_size, one.constants_size);
    EXPECT_EQ(kernel.parameters.back().value.size, one.constants_size - 4);
    EXPECT_EQ(kernel.local_memory_size, one.local_memory_size);
    EXPECT_EQ(WorkgroupText(kernel), one.workgroup_size);
    EXPECT_EQ(kernel.is_workgroup_size_exact, one.workgroup_size[0] != '0');
  }
}

TEST(SpirvReflection, SizesThatNothingChangesAreExact) {
  for (const char* const name : {"plain", "plain_v16", "saxpy", "two", "uniform"}) {  // the last has 1 x 1 x 1
    const ReflectedImage image = ReflectFile("spirv", Name(name));
    EXPECT_TRUE(image.kernels.front().is_workgroup_size_exact) << name;
    EXPECT_EQ(LaunchFactsOf(image.kernels.front(), "spirv").flags, HAL_EXPORT_EXACT_WORKGROUP_SIZE) << name;
  }
}

TEST(SpirvReflection, ComputesAllThatSizesAreMadeOf) {
  using enum spirv::Opcode;
  const auto compute = [](uint32_t opcode, std::vector<SpirvNumber> operands) {
    return ComputeSpirv(opcode, operands, operands.back().width);
  };
  const SpirvNumber seven(7, 32), two(2, 32), minus_seven(static_cast<uint64_t>(-7), 32), zero(0, 32);
  const SpirvNumber yes(1, 1), no(0, 1);
  EXPECT_EQ(compute(kOpIAdd, {SpirvNumber(UINT32_MAX, 32), two}), 1u) << "in 32 bits";
  EXPECT_EQ(compute(kOpISub, {two, seven}), UINT32_MAX - 4);
  EXPECT_EQ(compute(kOpIMul, {seven, two}), 14u);
  EXPECT_EQ(compute(kOpSDiv, {minus_seven, two}), SpirvNumber(static_cast<uint64_t>(-3), 32).bits);
  EXPECT_EQ(compute(kOpSRem, {minus_seven, two}), SpirvNumber(static_cast<uint64_t>(-1), 32).bits);
  EXPECT_EQ(compute(kOpSMod, {minus_seven, two}), 1u);
  EXPECT_EQ(compute(kOpUMod, {seven, two}), 1u);
  EXPECT_EQ(compute(kOpUDiv, {seven, zero}), std::nullopt);
  EXPECT_EQ(compute(kOpShiftRightArithmetic, {minus_seven, two}), SpirvNumber(static_cast<uint64_t>(-2), 32).bits);
  EXPECT_EQ(compute(kOpShiftLeftLogical, {seven, SpirvNumber(40, 32)}), 0u);
  EXPECT_EQ(compute(kOpBitwiseXor, {seven, two}), 5u);
  EXPECT_EQ(compute(kOpNot, {seven}), UINT32_MAX - 7);
  EXPECT_EQ(compute(kOpSNegate, {seven}), minus_seven.bits);
  EXPECT_EQ(compute(kOpSLessThan, {minus_seven, two}), 1u);
  EXPECT_EQ(compute(kOpULessThan, {minus_seven, two}), 0u);
  EXPECT_EQ(compute(kOpLogicalAnd, {yes, no}), 0u);
  EXPECT_EQ(compute(kOpLogicalNot, {no}), 1u);
  EXPECT_EQ(compute(kOpSelect, {no, seven, two}), 2u);
  EXPECT_EQ(ComputeSpirv(kOpSConvert, std::vector{SpirvNumber(0xFE, 8)}, 16), 0xFFFEu);
  EXPECT_EQ(compute(kOpVectorShuffle, {seven, two}), std::nullopt);
}

// Before 1.4 an entry point lists inputs and outputs only; before 1.3 a storage buffer is a uniform BufferBlock.
TEST(SpirvReflection, FollowsCallsInOldModules) {
  for (const char* const name : {"calls", "calls_v10"}) {
    SCOPED_TRACE(name);
    const SpirvKernel calls = ReadKernel(name);
    EXPECT_EQ(calls.obstacle, "");
    EXPECT_EQ(BindingsText(calls), "0:2 r, 0:4 rw") << "not 0:3, which no function mentions";
    EXPECT_EQ(ConstantsText(calls), "24@0 12@24 8@48");
    EXPECT_EQ(calls.local_memory_size, 48u);
    EXPECT_FALSE(calls.has_dynamic_local_memory);
    EXPECT_EQ(SizeText(calls.workgroup_size), "4,3,1");
  }
}

TEST(SpirvReflection, VariablesAtOnePlaceAreOneBinding) {
  EXPECT_EQ(BindingsText(ReadKernel("aliases")), "0:0 rw, 2:1 r");
}

// As quantised matrices are read: by bytes and by words, whose structs differ.
TEST(SpirvReflection, NamesTheFirstOfSeveralVariables) {
  const SpirvKernel kernel = ReadKernel("packed_aliases");
  EXPECT_EQ(kernel.obstacle, "");
  EXPECT_EQ(BindingsText(kernel), "0:0 r, 0:1 r, 0:2 rw");
  EXPECT_EQ(kernel.bindings[0].name, "data_a_packed") << "of the smaller id";
  EXPECT_EQ(kernel.bindings[0].element_type, HAL_ELEMENT_TYPE_NONE);
  EXPECT_EQ(kernel.bindings[1].element_type, HAL_ELEMENT_TYPE_F32) << "floats and vectors of floats";
  HostVector<uint32_t> alone;
  ASSERT_EQ(ExtractSpirvKernel(Words(ReadReflectionImage(Name("packed_aliases"))), "packed_aliases", &alone), kOk);
  EXPECT_EQ(BindingsText(ReadImage(std::as_bytes(std::span(alone))).kernels.at(0)), BindingsText(kernel));
}

TEST(SpirvReflection, RefusesTwoKindsOfBufferAtOnePlace) {
  EXPECT_EQ(ReadKernel("mixed").obstacle,
            "binding 3 of set 0 is a storage buffer, 'counted', and a uniform buffer, 'count'");
}

TEST(SpirvReflection, TellsNamesAndTypes) {
  for (const char* const name : {"typed", "typed_v16"}) {
    SCOPED_TRACE(name);
    const ReflectedImage image = ReflectFile("spirv", Name(name));
    const ReflectedKernel kernel = KernelOf(image, "typed");
    ASSERT_THAT(kernel.parameters, SizeIs(4));
    const auto text = [](const ReflectedParameter& parameter) {
      return std::string(parameter.name) + ":" + std::to_string(parameter.element_type);
    };
    EXPECT_EQ(text(kernel.parameters[0]), "result:" + std::to_string(HAL_ELEMENT_TYPE_F32));
    EXPECT_EQ(text(kernel.parameters[1]), "bias:" + std::to_string(HAL_ELEMENT_TYPE_F32));
    EXPECT_EQ(text(kernel.parameters[2]), "shift:" + std::to_string(HAL_ELEMENT_TYPE_SI32));
    EXPECT_EQ(text(kernel.parameters[3]), "pair:" + std::to_string(HAL_ELEMENT_TYPE_UI32));
    EXPECT_EQ(WorkgroupText(kernel), "0,1,1");
    EXPECT_FALSE(kernel.is_workgroup_size_exact);
    EXPECT_EQ(SizeText(kernel.fixed_sides), "0,4,1") << "only x is open";
    std::string constants;
    for (const ReflectedConstant& constant : image.constants) {
      constants += std::to_string(constant.id) + " " + std::string(constant.name) + " " +
                   std::to_string(constant.type) + " " + std::to_string(constant.size) + " " +
                   std::to_string(constant.default_value) + "; ";
    }
    EXPECT_EQ(constants,
              "0 block 800 4 64; 4 factor 1312 4 1056964608; 5 is_swapped 257 4 1; 6 first 800 4 4294967293; ");
  }
  EXPECT_TRUE(KernelOf(ReflectFile("spirv", Name("saxpy")), "saxpy").is_workgroup_size_exact);
  EXPECT_EQ(SizeText(KernelOf(ReflectFile("spirv", Name("saxpy")), "saxpy").fixed_sides), "0,0,0");
  EXPECT_TRUE(KernelOf(ReflectFile("spirv", Name("memory_bytes")), "memory_bytes").uses_dynamic_local_memory);
}

TEST(SpirvReflection, KnowsUniformBuffersAndHowLongBlocksAre) {
  const SpirvKernel kernel = ReadKernel("uniform");
  EXPECT_EQ(kernel.obstacle, "");
  ASSERT_THAT(kernel.bindings, SizeIs(2));
  EXPECT_FALSE(kernel.bindings[0].is_uniform);
  EXPECT_EQ(kernel.bindings[0].size, 0u) << "an array alone";
  EXPECT_TRUE(kernel.bindings[1].is_uniform);
  EXPECT_EQ(kernel.bindings[1].access, HAL_BINDING_ACCESS_READ);
  EXPECT_EQ(kernel.bindings[1].size, 4u);
  const SpirvKernel blocks = ReadKernel("blocks");
  EXPECT_EQ(BindingsText(blocks), "0:0 r, 0:1 w, 1:3 r");
  EXPECT_EQ(blocks.bindings[0].size, 48u) << "of std140, whose arrays have strides of 16";
  EXPECT_EQ(blocks.bindings[0].name, "scale");
  EXPECT_EQ(blocks.bindings[2].size, 4u);
}

TEST(SpirvReflection, NamesWhatKernelsCannotTake) {
  EXPECT_EQ(ReadKernel("array").obstacle,
            "binding 5 of set 1 is an array of descriptors; kernels take storage buffers and uniform buffers");
  EXPECT_EQ(ReadKernel("picture").obstacle,
            "binding 0 of set 0 is an image; kernels take storage buffers and uniform buffers");
  EXPECT_THAT(ExportsOf(ReflectFile("spirv", Name("picture")), "spirv").list, SizeIs(0));
}

TEST(SpirvReflection, KnowsDynamicLocalMemory) {
  const auto expect_memory = [](const char* name, bool is_dynamic, uint32_t size) {
    const SpirvKernel kernel = ReadKernel(name);
    EXPECT_EQ(kernel.has_dynamic_local_memory, is_dynamic) << name;
    EXPECT_EQ(kernel.local_memory_size, size) << name;
  };
  expect_memory("dispatched", true, 0);
  expect_memory("memory_bytes", true, 0);
  expect_memory("memory_counted", true, 0);
  expect_memory("memory_twice", true, 0);
  expect_memory("sized_array", false, 4);  // depends on the size, by constant 0, which is 1
  EXPECT_TRUE(ReadImage(ReadReflectionImage("memory_whole.spv")).kernels.at(0).has_dynamic_local_memory);
}

TEST(SpirvReflection, ListsCapabilitiesAndExtensions) {
  EXPECT_THAT(ReadKernels("double").capabilities, ElementsAre(1u, 10u));
  EXPECT_STREQ(SpirvCapabilityName(10), "Float64");
  EXPECT_EQ(SpirvCapabilityName(12345), nullptr);
  EXPECT_THAT(ReadKernels("double").extensions, SizeIs(0));
  std::vector<uint32_t> words = Words(ReadReflectionImage(Name("saxpy")));
  const uint32_t extension[] = {spirv::kOpExtension | 3u << 16, 0x5F565053, 0x00005858};  // "SPV_XX"
  words.insert(words.begin() + 7, std::begin(extension), std::end(extension));
  EXPECT_THAT(ReadImage(std::as_bytes(std::span(words))).extensions, ElementsAre("SPV_XX"));
  words[9] = 0x58585858;
  EXPECT_THAT(RefusalOf(words), HasSubstr("word 8: a text does not end inside its instruction"));
  EXPECT_EQ(ReadKernels("sized_v16").minor_version, 6u);
}

// --- The kernels of the suite ---

class SuiteKernels : public ::testing::TestWithParam<const char*> {
 protected:
  /// The exports as halyard-pack put them together, and what the variant for Vulkan tells alone.
  void SetUp() override {
    const std::string path = std::string(HALYARD_KERNEL_DIR "/") + GetParam() + ".halx";
    ASSERT_EQ(file_.Open(path.c_str()), kOk) << LastErrorMessage();
    for (const ContainerVariant& variant : file_.contents().variants) {
      if (variant.format == "spirv") image_ = ReadImage(variant.image);
    }
    if (image_.kernels.empty()) GTEST_SKIP() << "the file has no SPIR-V: glslang was not found";
  }

  Container file_;
  SpirvImage image_;
};

bool Has(const ContainerExport& info, const SpirvBinding& wanted) {
  return std::any_of(info.parameters.begin(), info.parameters.end(), [&](const hal_parameter_t& parameter) {
    return parameter.kind == HAL_PARAMETER_KIND_BINDING && parameter.set == wanted.set &&
           parameter.binding == wanted.binding && parameter.access == wanted.access;
  });
}

TEST_P(SuiteKernels, TellWhatTheirDescriptionSays) {
  ASSERT_EQ(image_.kernels.size(), file_.contents().exports.size());
  for (const SpirvKernel& kernel : image_.kernels) {
    SCOPED_TRACE(kernel.name);
    const auto& exports = file_.contents().exports;
    const auto info = std::find_if(exports.begin(), exports.end(),
                                   [&](const ContainerExport& known) { return known.name == kernel.name; });
    ASSERT_NE(info, exports.end());
    EXPECT_EQ(kernel.obstacle, "");
    EXPECT_EQ(kernel.size_source, SpirvSizeSource::kLocalSize);
    EXPECT_EQ(SizeText(kernel.workgroup_size), info->workgroup_size.x == 0 ? "1,1,1" : SizeText(info->workgroup_size));
    EXPECT_EQ(kernel.local_memory_size, info->local_memory_size);
    EXPECT_EQ(kernel.has_dynamic_local_memory, kernel.name == "reverse_dynamic");
    for (const SpirvBinding& binding : kernel.bindings) {
      EXPECT_TRUE(Has(*info, binding)) << BindingsText(kernel);
    }
    if (kernel.constants_size > 0) {  // compilers leave out what a kernel does not use
      EXPECT_EQ(kernel.constants_size, info->constants_size);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Sets, SuiteKernels, ::testing::Values("cts_basic", "cts_dispatch", "cts_dispatch_f64"));

// --- Variants ---

TEST(SpirvVariant, HasAnotherSize) {
  const ReflectionImage image = ReadReflectionImage(Name("two"));
  const SpirvImage before = ReadImage(image);
  HostVector<uint32_t> words;
  ASSERT_EQ(MakeSpirvVariant(Words(image), before.kernels.at(1), {16, 3, 5}, &words), kOk) << LastErrorMessage();
  const SpirvImage after = ReadImage(std::as_bytes(std::span(words)));
  EXPECT_EQ(SizeText(after.kernels.at(0).workgroup_size), "64,1,1");
  EXPECT_EQ(SizeText(after.kernels.at(1).workgroup_size), "16,3,5");
  ASSERT_EQ(MakeSpirvVariant(words, after.kernels.at(1), {8, 4, 2}, &words), kOk);
  EXPECT_TRUE(std::ranges::equal(words, Words(image)));
}

TEST(SpirvVariant, IsRefusedWhereOtherThingsDecide) {
  HostVector<uint32_t> variant;
  const std::vector<uint32_t> words = Words(ReadReflectionImage(Name("two")));
  EXPECT_EQ(Publish(MakeSpirvVariant(words, ReadKernel("sized"), {1, 1, 1}, &variant)), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_THAT(LastErrorMessage(), HasSubstr("specialisation constants give the size"));
  EXPECT_EQ(Publish(MakeSpirvVariant(words, ReadKernel("sparse"), {1, 1, 1}, &variant)),
            HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_THAT(LastErrorMessage(), HasSubstr("its module fixes workgroups of 8 x 4 x 2"));
  const SpirvKernel kernel = ReadKernels("two").kernels.at(0);
  EXPECT_EQ(Publish(MakeSpirvVariant(words, kernel, {1, 0, 1}, &variant)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(MakeSpirvVariant({}, kernel, {1, 1, 1}, &variant)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(LastErrorMessage(), HasSubstr("of another module"));
}

// --- One kernel of a module ---

std::string FactsText(const SpirvKernel& kernel) {
  return BindingsText(kernel) + "; " + ConstantsText(kernel) + "; " + SizeText(kernel.workgroup_size) + "; " +
         std::to_string(kernel.local_memory_size) + (kernel.has_dynamic_local_memory ? " and more" : "");
}

// Variables that are push constants.
size_t CountPushConstants(std::span<const uint32_t> words) {
  constexpr uint32_t kPushConstant = 9;
  size_t count = 0;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xFFFF) == spirv::kOpVariable && words[at + 3] == kPushConstant) ++count;
  }
  return count;
}

/// Members of structs whose type no instruction before the struct defines.
size_t CountUndefinedMembers(std::span<const uint32_t> words) {
  std::set<uint32_t> types;
  size_t count = 0;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const uint32_t opcode = words[at] & 0xFFFF;
    if (opcode < spirv::kOpTypeVoid || opcode >= spirv::kOpTypeForwardPointer) continue;
    if (opcode == spirv::kOpTypeStruct) {
      for (size_t word = 2; word < words[at] >> 16; ++word) count += 1 - types.count(words[at + word]);
    }
    types.insert(words[at + 1]);
  }
  return count;
}

TEST_P(SuiteKernels, StayTheSameAlone) {
  for (const ContainerVariant& variant : file_.contents().variants) {
    if (variant.format != "spirv") continue;
    const std::vector<uint32_t> words = Words({variant.image.begin(), variant.image.end()});
    for (const SpirvKernel& kernel : image_.kernels) {
      SCOPED_TRACE(kernel.name);
      HostVector<uint32_t> alone;
      ASSERT_EQ(ExtractSpirvKernel(words, kernel.name, &alone), kOk) << LastErrorMessage();
      EXPECT_LT(alone.size(), words.size());
      const SpirvImage image = ReadImage(std::as_bytes(std::span(alone)));
      ASSERT_EQ(image.kernels.size(), 1u);
      EXPECT_EQ(image.kernels.front().name, kernel.name);
      EXPECT_EQ(FactsText(image.kernels.front()), FactsText(kernel));
      EXPECT_EQ(image.constants.size(), image_.constants.size());
      EXPECT_LE(CountPushConstants(alone), 1u) << "those of other kernels are gone";
      EXPECT_EQ(CountUndefinedMembers(alone), 0u) << "what is kept is whole";
    }
  }
}

// A block with the name of its member behind "hal_" is one of halyard-kernels; other names with "hal_" are anyone's.
// LocalSize alone says the size, once the constant that says it, too, is another built-in.
TEST(SpirvReflection, NamesThatBeginWithHalLeaveTheSizeExact) {
  std::vector<uint32_t> words = Words(ReadReflectionImage(Name("plain")));
  constexpr uint32_t kNumWorkgroups = 24;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const bool is_built_in = (words[at] & 0xFFFF) == spirv::kOpDecorate && words[at + 2] == spirv::kBuiltIn;
    if (is_built_in && words[at + 3] == spirv::kWorkgroupSize) words[at + 3] = kNumWorkgroups;
  }
  const auto rename = [&](uint32_t opcode, size_t text_word, std::string_view name) {
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
      if ((words[at] & 0xFFFF) != opcode) continue;
      auto* const text = reinterpret_cast<char*>(&words[at + text_word]);
      if (std::string_view(text) != "Values" && std::string_view(text) != "values") continue;
      std::fill_n(text, 8, '\0');
      name.copy(text, 7);
    }
  };
  const auto is_exact = [&] {
    ReflectedImage image;
    EXPECT_EQ(Reflect("spirv", std::as_bytes(std::span(words)), &image), kOk) << LastErrorMessage();
    return image.kernels.at(0).is_workgroup_size_exact;
  };
  rename(spirv::kOpName, 2, "hal_abc");
  EXPECT_TRUE(is_exact());
  rename(spirv::kOpMemberName, 3, "abc");
  EXPECT_FALSE(is_exact());
}

TEST(SpirvExtraction, KeepsWhatAKernelCalls) {
  const ReflectionImage image = ReadReflectionImage(Name("calls"));
  HostVector<uint32_t> alone;
  ASSERT_EQ(ExtractSpirvKernel(Words(image), "calls", &alone), kOk);
  EXPECT_EQ(FactsText(ReadImage(std::as_bytes(std::span(alone))).kernels.at(0)), FactsText(ReadKernel("calls")));
  EXPECT_EQ(Publish(ExtractSpirvKernel(Words(image), "other", &alone)), HAL_STATUS_NOT_FOUND);
  EXPECT_EQ(LastErrorMessage(), "the module has no kernel 'other'");
}

// Names and decorations of what is gone would name ids that nothing defines.
TEST(SpirvExtraction, RemovesWhatDescribesOtherFunctions) {
  std::vector<uint32_t> words = Words(ReadReflectionImage(Name("two")));
  const std::vector<uint32_t> before = words;
  std::vector<uint32_t> results;  // of the OpLoad instructions
  size_t annotations = 0;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if (annotations == 0 && (words[at] & 0xFFFF) == spirv::kOpDecorate) annotations = at;
    if ((words[at] & 0xFFFF) == spirv::kOpLoad) results.push_back(words[at + 2]);
  }
  ASSERT_GT(results.size(), 4u);
  constexpr uint32_t kRelaxedPrecision = 0;
  for (const uint32_t id : results) {
    const uint32_t decoration[] = {spirv::kOpDecorate | 3u << 16, id, kRelaxedPrecision};
    words.insert(words.begin() + static_cast<ptrdiff_t>(annotations), std::begin(decoration), std::end(decoration));
  }
  HostVector<uint32_t> saxpy, sparse;
  ASSERT_EQ(ExtractSpirvKernel(words, "saxpy", &saxpy), kOk);
  ASSERT_EQ(ExtractSpirvKernel(words, "sparse", &sparse), kOk);
  HostVector<uint32_t> plain_saxpy, plain_sparse;
  ASSERT_EQ(ExtractSpirvKernel(before, "saxpy", &plain_saxpy), kOk);
  ASSERT_EQ(ExtractSpirvKernel(before, "sparse", &plain_sparse), kOk);
  const size_t kept = saxpy.size() - plain_saxpy.size() + sparse.size() - plain_sparse.size();
  EXPECT_EQ(kept, 3 * results.size()) << "each load is of one of the two";
  EXPECT_GT(saxpy.size(), plain_saxpy.size());
  EXPECT_GT(sparse.size(), plain_sparse.size());
}

// A group decorates several ids at once, and some of them may be gone.
TEST(SpirvExtraction, CopiesModulesWithDecorationGroups) {
  std::vector<uint32_t> words = Words(ReadReflectionImage(Name("two")));
  const uint32_t group[] = {spirv::kOpDecorationGroup | 2u << 16, 84};
  words.insert(words.begin() + 7, std::begin(group), std::end(group));
  HostVector<uint32_t> alone;
  ASSERT_EQ(ExtractSpirvKernel(words, "saxpy", &alone), kOk) << LastErrorMessage();
  EXPECT_TRUE(std::ranges::equal(alone, words));
}

// Pipelines ask for the size of subgroups, whether the module can be divided or not.
TEST(SpirvExtraction, NoModuleSaysTheSizeOfSubgroups) {
  const std::vector<uint32_t> divided = Words(ReadReflectionImage("subgroups.spv"));
  std::vector<uint32_t> whole = divided;
  const uint32_t group[] = {spirv::kOpDecorationGroup | 2u << 16, whole[3]++};
  whole.insert(whole.begin() + 9, std::begin(group), std::end(group));
  for (const std::vector<uint32_t>& words : {divided, whole}) {
    HostVector<uint32_t> alone;
    ASSERT_EQ(ExtractSpirvKernel(words, "subgroups", &alone), kOk) << LastErrorMessage();
    const SpirvImage image = ReadImage(std::as_bytes(std::span(alone)));
    EXPECT_EQ(image.kernels.at(0).subgroup_size, 0u);
    EXPECT_EQ(image.kernels.at(0).workgroup_size.x, 64u);
    const auto dispatch = static_cast<uint32_t>(SpirvCapability::kSubgroupDispatch);
    EXPECT_EQ(std::ranges::count(image.capabilities, dispatch), 0);
  }
  EXPECT_EQ(ReadImage(std::as_bytes(std::span(whole))).kernels.at(0).subgroup_size, 32u);
}

// --- Modules that are refused ---

TEST(SpirvReflection, RefusesOtherKindsOfSpirv) {
  const std::vector<uint32_t> words = Words(ReadReflectionImage(Name("saxpy")));
  const auto with = [&](size_t place, uint32_t word) {
    std::vector<uint32_t> changed = words;
    changed[place] = word;
    return changed;
  };
  EXPECT_THAT(RefusalOf(with(0, 0x03022307)), HasSubstr("word 0: it is SPIR-V of the other byte order"));
  EXPECT_THAT(RefusalOf(with(0, 1)), HasSubstr("word 0: it is no SPIR-V"));
  EXPECT_THAT(RefusalOf(with(1, 0x00010700), HAL_STATUS_INCOMPATIBLE), HasSubstr("word 1: version 1.7 of SPIR-V"));
  EXPECT_THAT(RefusalOf(with(1, 0x01020304), HAL_STATUS_INCOMPATIBLE), HasSubstr("word 1: version 2.3"));
  EXPECT_THAT(RefusalOf(with(3, 0xFFFFFF)), HasSubstr("word 3: the bound of ids is 16777215; it may be 1 to 4194303"));
  EXPECT_THAT(RefusalOf(with(5, 17)), HasSubstr("word 5: instruction 17 has 0 words, of 365 that are left"));
  EXPECT_THAT(RefusalOf(with(5, 17 | 999u << 16)), HasSubstr("word 5: instruction 17 has 999 words"));
  EXPECT_THAT(RefusalOf({words.begin(), words.begin() + 4}), HasSubstr("the 16 bytes are no SPIR-V"));
  EXPECT_THAT(RefusalOf({words.begin(), words.begin() + 5}), HasSubstr("the module has no OpMemoryModel"));
  EXPECT_THAT(Refusal("spirv", ReadReflectionImage("opencl.spv"), HAL_STATUS_INCOMPATIBLE),
              HasSubstr("the module is for OpenCL (addressing model 2, memory model 2); Vulkan takes"));
}

TEST(SpirvReflection, NamesTheWordThatIsWrong) {
  using enum spirv::Opcode;
  const auto changed = [](uint32_t wanted, size_t word, uint32_t value) {
    bool is_done = false;
    return Changed("two", [&](uint32_t opcode, std::span<uint32_t> words) {
      if (opcode == wanted && !std::exchange(is_done, true)) words[word] = value;
    });
  };
  EXPECT_THAT(RefusalOf(changed(kOpEntryPoint, 2, 1)), HasSubstr(": the entry point 1 is no function"));
  EXPECT_THAT(RefusalOf(changed(kOpExecutionMode, 2, 18)), HasSubstr("word 16: the entry point has no LocalSize"));
  EXPECT_THAT(RefusalOf(changed(kOpExecutionMode, 3, 0)), HasSubstr("kernel 'saxpy': word"));
  EXPECT_THAT(RefusalOf(changed(kOpExecutionMode, 4, 0)), HasSubstr(": a side of a workgroup is 0"));
  EXPECT_THAT(RefusalOf(changed(kOpTypeInt, 1, 1000)), HasSubstr("the id 1000 is not below the bound, which is 85"));
  EXPECT_THAT(RefusalOf(changed(kOpTypeFloat, 2, 24)), HasSubstr("a number of 24 bits"));
}

TEST(SpirvReflection, RefusesDeclarationsBehindFunctions) {
  std::vector<uint32_t> words = Words(ReadReflectionImage(Name("saxpy")));
  const uint32_t capability[] = {spirv::kOpCapability | 2u << 16, 1};
  words.insert(words.end(), std::begin(capability), std::end(capability));
  EXPECT_THAT(RefusalOf(words), HasSubstr("word 370: instruction 17 has to stand before all functions"));
}

TEST(SpirvReflection, RefusesWhatIsCutInsideAFunction) {
  const std::vector<uint32_t> words = Words(ReadReflectionImage(Name("saxpy")));
  size_t cuts = 0;
  bool is_inside = false;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if (is_inside) {
      const std::vector<uint32_t> cut(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
      EXPECT_EQ(RefusalOf(cut), "the module ends inside a function") << at;
      ++cuts;
    }
    is_inside |= (words[at] & 0xFFFF) == spirv::kOpFunction;
  }
  EXPECT_GT(cuts, 10u);
}

TEST(SpirvReflection, RefusesFunctionsInsideFunctions) {
  std::vector<uint32_t> words = Words(ReadReflectionImage(Name("saxpy")));
  const uint32_t end = spirv::kOpFunctionEnd | 1u << 16;
  words.push_back(end);
  EXPECT_THAT(RefusalOf(words), HasSubstr("word 370: a function ends where none has begun"));
  const auto changed = Changed("two", [](uint32_t opcode, std::span<uint32_t> instruction) {
    if (opcode == spirv::kOpFunctionEnd) instruction[0] = 1u << 16;  // OpNop
  });
  EXPECT_THAT(RefusalOf(changed), HasSubstr("a function begins inside another one"));
}

// The sum of offset and size must not overflow.
TEST(SpirvReflection, RefusesPushConstantsAtHugeOffsets) {
  const auto words = Changed("saxpy", [](uint32_t opcode, std::span<uint32_t> instruction) {
    const bool is_offset =
        opcode == spirv::kOpMemberDecorate && instruction[3] == spirv::kOffset && instruction[4] == 4;
    if (is_offset) instruction[4] = 0xFFFFFFFC;
  });
  EXPECT_THAT(RefusalOf(words), HasSubstr("member 1 of the push constants ends at byte 4294967296; 1048576 are"));
}

TEST(SpirvReflection, SurvivesDamage) {
  for (const char* const name : {"two", "calls", "dispatched", "sized_v16"}) {
    ExpectSurvivesDamage("spirv", ReadReflectionImage(Name(name)));
  }
}

}  // namespace
}  // namespace halyard::testing
