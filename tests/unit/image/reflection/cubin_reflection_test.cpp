// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What NVIDIA's machine code tells, alone and in fatbins.
#include "image/reflection/nvidia/cubin_reflection.h"

#include "image/reflection/nvidia/fatbin.h"
#include "reflection_images.h"

namespace halyard::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(CubinReflection, ReadsMachineCodeOfOldAndNewArchitectures) {
  for (const auto& [name, target] : {std::pair("nvcc13_sm_75.cubin", "sm_75"),
                                     {"nvcc13_sm_90a.cubin", "sm_90a"},
                                     {"ptxas12_sm_90a.cubin", "sm_90a"}}) {
    SCOPED_TRACE(name);
    const ReflectedImage image = ReflectFile("cubin", name);
    EXPECT_EQ(image.target, target);
    ASSERT_THAT(image.kernels, SizeIs(2));
    EXPECT_EQ(ParametersText(KernelOf(image, "saxpy")), "c4@0 b0? b1? c4@4");
    const ReflectedKernel& reverse = KernelOf(image, "reverse");
    EXPECT_EQ(ParametersText(reverse), "b0? b1? c1@0 b2?");
    EXPECT_EQ(reverse.max_workgroup_volume, 128u);
    EXPECT_EQ(reverse.local_memory_size, 512u);
  }
}

TEST(CubinReflection, KnowsThePointersThatWereMarkedInPtx) {
  const ReflectedImage image = ReflectFile("cubin", "nvcc13_sm_120.cubin");
  EXPECT_EQ(image.target, "sm_120");
  EXPECT_EQ(ParametersText(KernelOf(image, "saxpy")), "c4@0 b0 b1 c4@4");
  EXPECT_EQ(ParametersText(KernelOf(image, "reverse")), "c8@0? c8@8? c1@16 b0");
  EXPECT_EQ(KernelOf(image, "reverse").local_memory_size, 512u);
  const ReflectedKernel& spaces = KernelOf(ReflectFile("cubin", "spaces.cubin"), "spaces");
  EXPECT_EQ(ParametersText(spaces), "b0 b1 b2 c8@0? b3 c12@8");
  EXPECT_EQ(WorkgroupText(spaces), "32,2,1");
}

TEST(CubinReflection, AgreesWithPtxWhereNamesAreMangled) {
  constexpr const char* kView = "_Z5scaleIfEvN5views4ViewIT_EEPKS2_yS2_";
  const ReflectedImage image = ReflectFile("cubin", "nvcc13_mangled.cubin");
  const ReflectedImage ptx = ReflectFile("ptx", "nvcc13_mangled.ptx");
  ASSERT_THAT(image.kernels, SizeIs(3));
  for (const ReflectedKernel& kernel : image.kernels) {
    SCOPED_TRACE(kernel.name);
    const ReflectedKernel other = KernelOf(ptx, kernel.name);
    if (kernel.name != kView) EXPECT_EQ(ParametersText(kernel), ParametersText(other));
    EXPECT_EQ(kernel.cluster_size.x, other.cluster_size.x);
    EXPECT_EQ(kernel.cluster_size.y, other.cluster_size.y);
    for (size_t i = kernel.name == kView ? 1 : 0; i < kernel.parameters.size(); ++i) {
      EXPECT_EQ(kernel.parameters[i].element_type, other.parameters[i].element_type) << i;
    }
  }
  EXPECT_EQ(ParametersText(KernelOf(image, kView)), "c8@0? b0 c8@8 c4@16");
  EXPECT_EQ(ParametersText(KernelOf(ptx, kView)), "b0 b1 c8@0 c4@8") << "its code shows that the class is an address";
  EXPECT_EQ(KernelOf(image, "_Z9clusteredP6float4x").cluster_size.x, 2u);
  EXPECT_EQ(image.isa_version, 0u);
}

// Machine code does not tell what a structure holds.
TEST(CubinReflection, TakesStructuresForGuesses) {
  const ReflectedImage image = ReflectFile("cubin", "nvcc13_arrays.cubin");
  EXPECT_EQ(ParametersText(KernelOf(image, "warp_scale")), "c56@0? c56@56? c4@112");
  EXPECT_EQ(ParametersText(KernelOf(image, "cute_copy")), "c16@0? c16@16?");
  EXPECT_EQ(ParametersText(KernelOf(image, "_ZN8__main__3rawEi8int32_2a")), "c4@0 b0");
}

TEST(CubinReflection, KnowsWhichSizesAreExact) {
  EXPECT_TRUE(KernelOf(ReflectFile("cubin", "spaces.cubin"), "spaces").is_workgroup_size_exact);
  EXPECT_FALSE(KernelOf(ReflectFile("cubin", "nvcc13_sm_75.cubin"), "reverse").is_workgroup_size_exact);
}

TEST(CubinReflection, RefusesOtherMachines) {
  EXPECT_THAT(Refusal("cubin", ReadReflectionImage("clang19_gfx90a_v4.hsaco"), HAL_STATUS_INCOMPATIBLE),
              HasSubstr("machine 224, not for CUDA (190)"));
}

TEST(CubinReflection, NamesTheFieldThatIsWrong) {
  const ReflectionImage image = ReadReflectionImage("nvcc13_sm_75.cubin");
  EXPECT_THAT(Refusal("cubin", std::span(image).first(63), HAL_STATUS_DATA_LOSS),
              HasSubstr("63 bytes are no ELF file"));
  EXPECT_THAT(Refusal("cubin", std::span(image).first(4000), HAL_STATUS_DATA_LOSS),
              HasSubstr("exceeds its 4000 bytes"));
  ReflectionImage changed = image;
  changed[62] = std::byte{0xff};
  EXPECT_THAT(Refusal("cubin", changed, HAL_STATUS_DATA_LOSS), HasSubstr("e_shstrndx"));
  changed = image;
  changed[5] = std::byte{2};
  EXPECT_THAT(Refusal("cubin", changed, HAL_STATUS_DATA_LOSS), HasSubstr("byte order 2"));
}

TEST(CubinReflection, SurvivesDamage) { ExpectSurvivesDamage("cubin", ReadReflectionImage("nvcc13_sm_75.cubin")); }

TEST(Fatbin, ListsItsEntries) {
  const ReflectionImage image = ReadReflectionImage("nvcc13.fatbin");
  HostVector<FatbinEntry> entries;
  ASSERT_EQ(ReadFatbin(image, &entries), kOk) << LastErrorMessage();
  ASSERT_THAT(entries, SizeIs(3));
  EXPECT_EQ(entries[0].kind, FatbinKind::kCubin);
  EXPECT_EQ(entries[0].architecture, 80u);
  EXPECT_EQ(entries[1].architecture, 90u);
  EXPECT_EQ(entries[2].kind, FatbinKind::kPtx);
  EXPECT_TRUE(entries[2].is_compressed);
}

TEST(Fatbin, TellsWhatAnEntryTellsThatIsNotCompressed) {
  EXPECT_EQ(ParametersText(KernelOf(ReflectFile("fatbin", "nvcc13_plain.fatbin"), "set")), "b0 c4@0");
  EXPECT_EQ(ParametersText(KernelOf(ReflectFile("fatbin", "nvcc13.fatbin"), "set")), "b0? c4@0");
  EXPECT_EQ(ParametersText(KernelOf(ReflectFile("cubin", "nvcc13.fatbin"), "set")), "b0? c4@0");
  EXPECT_THAT(Refusal("fatbin", ReadReflectionImage("nvcc13_compressed.fatbin"), HAL_STATUS_INCOMPATIBLE),
              HasSubstr("--no-compress"));
}

TEST(Fatbin, NamesTheFieldThatIsWrong) {
  ReflectionImage image = ReadReflectionImage("nvcc13_plain.fatbin");
  EXPECT_THAT(Refusal("fatbin", std::span(image).first(40), HAL_STATUS_DATA_LOSS), HasSubstr("header size 16 + size"));
  image[16 + 8 + 7] = std::byte{0xff};
  EXPECT_THAT(Refusal("fatbin", image, HAL_STATUS_DATA_LOSS), HasSubstr("entry 0: header size 64 + size"));
}

TEST(Fatbin, SurvivesDamage) { ExpectSurvivesDamage("fatbin", ReadReflectionImage("nvcc13_plain.fatbin")); }

}  // namespace
}  // namespace halyard::testing
