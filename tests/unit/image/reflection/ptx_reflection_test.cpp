// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What PTX tells: of nvcc, of clang and by hand.
#include "image/reflection/nvidia/ptx_reflection.h"

#include <array>

#include "reflection_images.h"

namespace halyard::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kHead = ".version 8.0\n.target sm_70\n.address_size 64\n";

ReflectedImage ReadPtx(const std::string& text) {
  ReflectedImage image;
  EXPECT_EQ(ReflectPtx(text, &image), kOk) << LastErrorMessage();
  return image;
}

std::string RefusalOf(const std::string& text) {
  return Refusal("ptx", std::as_bytes(std::span(text)), HAL_STATUS_DATA_LOSS);
}

// A kernel with these parameters and this body, whose parameters are then told.
std::string Told(const std::string& parameters, const std::string& body) {
  return ParametersText(KernelOf(ReadPtx(kHead + (".entry f(" + parameters + ") {" + body + "}")), "f"));
}

TEST(PtxReflection, ReadsWhatNvccWroteBeforePointersWereMarked) {
  const ReflectedImage image = ReflectFile("ptx", "nvcc13_sm_90.ptx");
  EXPECT_EQ(image.target, "sm_90");
  EXPECT_EQ(image.producer, "PTX 9.0");
  ASSERT_THAT(image.kernels, SizeIs(2));
  EXPECT_EQ(ParametersText(KernelOf(image, "saxpy")), "c4@0 b0 b1 c4@4");
  const ReflectedKernel& reverse = KernelOf(image, "reverse");
  EXPECT_EQ(ParametersText(reverse), "c8@0 c8@8? c1@16 b0");
  EXPECT_EQ(reverse.constants_size, 17u);
  EXPECT_EQ(reverse.local_memory_size, 512u);
  EXPECT_EQ(reverse.max_workgroup_volume, 128u);
  EXPECT_EQ(WorkgroupText(reverse), "0,1,1");
  EXPECT_FALSE(reverse.is_workgroup_size_known);
}

TEST(PtxReflection, ReadsWhatNvccWritesForNewArchitectures) {
  const ReflectedImage image = ReflectFile("ptx", "nvcc13_sm_100.ptx");
  EXPECT_EQ(ParametersText(KernelOf(image, "saxpy")), "c4@0 b0 b1 c4@4");
  EXPECT_EQ(ParametersText(KernelOf(image, "reverse")), "c8@0 c8@8 c1@16 b0");
}

TEST(PtxReflection, ReadsWhatClangMakesOfOpenClC) {
  const ReflectedImage image = ReflectFile("ptx", "clang19_sm_70.ptx");
  EXPECT_EQ(image.target, "sm_70");
  ASSERT_THAT(image.kernels, SizeIs(4));
  EXPECT_EQ(ParametersText(KernelOf(image, "saxpy")), "c4@0 b0 b1 c4@4");
  EXPECT_EQ(ParametersText(KernelOf(image, "reverse")), "c8@0 c8@8? c1@16 b0");
  EXPECT_EQ(KernelOf(image, "reverse").local_memory_size, 512u);
  EXPECT_THAT(KernelOf(image, "nothing").parameters, IsEmpty());
}

TEST(PtxReflection, ReadsEveryFormOfAPointer) {
  const ReflectedKernel& kernel = KernelOf(ReflectFile("ptx", "spaces.ptx"), "spaces");
  EXPECT_EQ(ParametersText(kernel), "b0 b1 b2 c8@0 b3 c12@8") << "as what ptxas makes of it tells";
  EXPECT_EQ(WorkgroupText(kernel), "32,2,1");
  EXPECT_TRUE(kernel.is_workgroup_size_known);
  EXPECT_EQ(kernel.local_memory_size, 8u);
}

TEST(PtxReflection, TellsAddressesFromNumbersByTheirUse) {
  const std::string load = "ld.param.u64 %rd1, [a]; ";
  EXPECT_EQ(Told(".param .u64 a", load + "cvta.to.global.u64 %rd2, %rd1;"), "b0");
  EXPECT_EQ(Told(".param .u64 a", load + "ld.global.f32 %f1, [%rd1+4];"), "b0");
  EXPECT_EQ(Told(".param .u64 a", load + "@!%p1 st.global.f32 [%rd1], %f1;"), "b0");
  EXPECT_EQ(Told(".param .u64 a", load + "add.s64 %rd3, %rd1, 8; atom.global.add.u32 %r1, [%rd3], 1;"), "b0");
  EXPECT_EQ(Told(".param .u64 a", load + "mad.wide.s32 %rd3, %r1, 4, %rd1; st.f32 [%rd3], %f1;"), "b0");
  EXPECT_EQ(Told(".param .u64 a", load + "setp.ge.u64 %p1, %rd9, %rd1;"), "c8@0?");
  EXPECT_EQ(Told(".param .u64 a", load + "mul.lo.s64 %rd3, %rd1, 4; ld.global.u32 %r1, [%rd3];"), "c8@0?");
  EXPECT_EQ(Told(".param .u64 a", load + "mov.u64 %rd1, %rd7; ld.global.u32 %r1, [%rd1];"), "b0?");
  EXPECT_EQ(Told(".param .u64 a", load + "st.param.b64 [param0+0], %rd1; call g, (param0);"), "b0?");
  EXPECT_EQ(Told(".param .u64 a", ""), "b0?");
  EXPECT_EQ(Told(".param .f64 a, .param .s64 b, .param .b64 c[1]", ""), "c8@0 b0? c8@8?");
}

// Of two parameters whose sum is an address, one is a number.
TEST(PtxReflection, TellsACountFromThePointerThatItIsAddedTo) {
  const std::string loads = "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; add.s64 %rd3, %rd1, %rd2; ";
  const std::string two = ".param .u64 a, .param .u64 b";
  EXPECT_EQ(Told(two, loads + "ld.global.u32 %r1, [%rd3];"), "b0? b1?");
  EXPECT_EQ(Told(two, loads + "ld.global.u32 %r1, [%rd3]; ld.global.u32 %r1, [%rd2];"), "c8@0? b0");
  EXPECT_EQ(Told(two, loads + "ld.global.u32 %r1, [%rd3]; cvta.to.global.u64 %rd9, %rd1;"), "b0 c8@0?");
  EXPECT_EQ(Told(two, loads + "selp.b64 %rd4, %rd1, %rd2, %p1; ld.global.u32 %r1, [%rd4];"), "b0 b1");
  EXPECT_EQ(Told(".param .u64 a, .param .u64 .ptr b", loads + "ld.u32 %r1, [%rd3];"), "c8@0 b0");
}

// Where addresses are in the first parameter, which is a structure of 32 bytes.
std::vector<uint32_t> AddressesAfter(const std::string& body,
                                     const std::string& declaration = ".param .align 8 .b8 s[32]") {
  const std::string kernel = ".entry f(" + declaration + ", .param .u64 n) {" + body + "}";
  const ReflectedKernel told = KernelOf(ReadPtx(kHead + kernel), "f");
  const HostVector<uint32_t>& addresses = told.parameters.front().addresses;
  return {addresses.begin(), addresses.end()};
}

TEST(PtxReflection, FindsAddressesInStructures) {
  EXPECT_THAT(AddressesAfter("ld.param.u64 %rd1, [s+8]; cvta.to.global.u64 %rd2, %rd1;"), ElementsAre(8));
  EXPECT_THAT(AddressesAfter("ld.param.v2.u64 {%rd1, %rd2}, [s+16]; ld.global.f32 %f1, [%rd2+4];"), ElementsAre(24));
  EXPECT_THAT(AddressesAfter("ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [s+16]; add.s64 %rd3, %rd1, 4;"
                             "st.u32 [%rd3], %r1; red.global.add.u32 [%rd2], 1;"),
              ElementsAre(0, 16));
  EXPECT_THAT(AddressesAfter("ld.param.v2.u32 {%r1, %r2}, [s]; mov.b64 %rd1, {%r1, %r2}; st.u32 [%rd1], 1;"),
              ElementsAre(0));
  EXPECT_THAT(
      AddressesAfter("mov.b64 %rd1, s; add.s64 %rd2, %rd1, 16; ld.param.u64 %rd3, [%rd2+8]; ld.u32 %r1, [%rd3];"),
      ElementsAre(24));
  EXPECT_THAT(AddressesAfter("mov.b64 %rd1, s; cvta.param.u64 %rd2, %rd1; ld.u64 %rd3, [%rd2]; ld.u32 %r1, [%rd3];"),
              ElementsAre(0));
  EXPECT_THAT(AddressesAfter("mov.b64 %rd1, s; ld.param.u64 %rd8, [n]; add.s64 %rd2, %rd1, %rd8;"
                             "ld.param.u64 %rd3, [%rd2]; ld.global.u32 %r1, [%rd3];"),
              ElementsAre(kAnyOffset));
  EXPECT_THAT(AddressesAfter("ld.param.u64 %rd1, [s+8]; st.local.u64 [%rd9], %rd1; ld.local.u64 %rd2, [%rd7];"
                             "cvta.to.global.u64 %rd3, %rd2;"),
              ElementsAre(kAnyOffset));
  EXPECT_THAT(AddressesAfter("ld.param.u64 %rd1, [s+8]; ld.param.f64 %fd1, [s]; mul.lo.s64 %rd2, %rd1, 8;"
                             "st.global.u64 [%rd9], %rd1; ld.global.u32 %r1, [%rd2];"),
              IsEmpty());
  EXPECT_EQ(Told(".param .align 8 .b8 s[16]", "ld.param.u64 %rd1, [s]; st.param.b64 [param0], %rd1; call g, (param0);"),
            "c16@0?")
      << "what a function does with it is not known";
}

// Compilers load the addresses of packed structures in pieces.
TEST(PtxReflection, FindsAddressesThatArePutTogether) {
  EXPECT_THAT(AddressesAfter("ld.param.u8 %rd1, [s+1]; ld.param.u8 %rd2, [s+2]; shl.b64 %rd3, %rd2, 8;"
                             "or.b64 %rd4, %rd3, %rd1; ld.param.b8 %rs1, [s+3]; cvt.u64.u16 %rd5, %rs1;"
                             "and.b64 %rd6, %rd5, 255; shl.b64 %rd7, %rd6, 16; or.b64 %rd8, %rd4, %rd7;"
                             "add.s64 %rd9, %rd8, 4; cvta.to.global.u64 %rd10, %rd9; st.global.u8 [%rd10], %rs1;",
                             ".param .align 1 .b8 s[9]"),
              ElementsAre(kAnyOffset));
  const char* const words = ".param .align 4 .b8 s[12]";
  EXPECT_THAT(AddressesAfter("ld.param.u32 %r1, [s+4]; ld.param.u32 %r2, [s+8]; mov.b64 %rd1, {%r1, %r2};"
                             "ld.global.u32 %r3, [%rd1];",
                             words),
              ElementsAre(kAnyOffset));
  EXPECT_THAT(AddressesAfter("ld.param.v2.u32 {%r1, %r2}, [s]; cvt.u64.u32 %rd1, %r1;"
                             "bfi.b64 %rd2, %r2, %rd1, 32, 32; ld.u32 %r3, [%rd2];",
                             words),
              ElementsAre(kAnyOffset));
  EXPECT_THAT(AddressesAfter("ld.param.u16 %rs1, [s]; ld.param.u16 %rs2, [s+2]; mov.b32 %r1, {%rs1, %rs2};"
                             "cvt.u64.u32 %rd1, %r1; ld.u32 %r3, [%rd1];"),
              ElementsAre(kAnyOffset));
  // One number of a few bytes is no address, however it is scaled and added.
  EXPECT_THAT(AddressesAfter("ld.param.u32 %r1, [s+4]; cvt.s64.s32 %rd1, %r1; shl.b64 %rd2, %rd1, 2;"
                             "ld.param.u64 %rd3, [n]; add.s64 %rd4, %rd3, %rd2; ld.u32 %r3, [%rd4];",
                             words),
              IsEmpty());
  EXPECT_EQ(Told(words, "ld.param.u32 %r1, [s+4]; st.param.b32 [param0], %r1; call g, (param0);"), "c12@0")
      << "a number may be handed on";
}

// AMD's compilers pass the member alone.
TEST(PtxReflection, TakesAStructureOfOneAddressForTheAddress) {
  const std::string one = ".param .align 8 .b8 s[8]";
  EXPECT_EQ(Told(one, "ld.param.u64 %rd1, [s]; cvta.to.global.u64 %rd2, %rd1;"), "b0");
  EXPECT_EQ(Told(one, "ld.param.u64 %rd1, [s]; mul.lo.s64 %rd2, %rd1, 8;"), "c8@0?");
  EXPECT_EQ(Told(".param .align 4 .b8 s[8]", "ld.param.u32 %r1, [s];"), "c8@0");
}

// In the manner of Warp, CuTe, Numba and Slang.
TEST(PtxReflection, FindsThePointersOfOtherCompilersArrays) {
  const ReflectedImage image = ReflectFile("ptx", "nvcc13_arrays.ptx");
  const auto addresses = [&](const char* kernel, size_t parameter) {
    const HostVector<uint32_t> found = KernelOf(image, kernel).parameters[parameter].addresses;
    return std::vector<uint32_t>(found.begin(), found.end());
  };
  EXPECT_EQ(ParametersText(KernelOf(image, "warp_scale")), "c56@0 c56@56 c4@112");
  EXPECT_THAT(addresses("warp_scale", 0), ElementsAre(0));
  EXPECT_THAT(addresses("warp_scale", 1), ElementsAre(0));
  EXPECT_EQ(ParametersText(KernelOf(image, "cute_copy")), "c16@0 c16@16");
  EXPECT_THAT(addresses("cute_copy", 0), ElementsAre(0));
  EXPECT_THAT(addresses("cute_copy", 1), ElementsAre(0));
  EXPECT_THAT(addresses("span_fill", 0), ElementsAre(0));
  EXPECT_EQ(ParametersText(KernelOf(image, "only_fill")), "b0 c4@0");
  EXPECT_THAT(addresses("row_fill", 0), ElementsAre(kAnyOffset));
  EXPECT_EQ(ParametersText(KernelOf(image, "_ZN8__main__3rawEi8int32_2a")), "c4@0 b0");
  const ReflectedKernel slang = KernelOf(image, "slang_scale");
  ASSERT_THAT(slang.addresses_in_variables, SizeIs(1));
  EXPECT_EQ(slang.addresses_in_variables[0].variable, "slang_globals");
  EXPECT_THAT(slang.addresses_in_variables[0].offsets, ElementsAre(0));
}

// As Slang's compiler passes what a kernel takes.
TEST(PtxReflection, FindsAddressesInConstantMemory) {
  const ReflectedImage image = ReadPtx(std::string(kHead) +
                                       ".const .align 8 .b8 globals[24];\n.global .u64 head;\n"
                                       ".entry f() { ld.const.u64 %rd1, [globals+16]; cvta.to.global.u64 %rd2, %rd1;\n"
                                       "ld.global.u64 %rd3, [head]; ld.global.u32 %r1, [%rd3]; }\n"
                                       ".entry g() { ld.const.u64 %rd1, [globals]; mul.lo.s64 %rd2, %rd1, 3; }\n");
  const ReflectedKernel found = KernelOf(image, "f");
  ASSERT_THAT(found.addresses_in_variables, SizeIs(1));
  EXPECT_EQ(found.addresses_in_variables[0].variable, "globals");
  EXPECT_THAT(found.addresses_in_variables[0].offsets, ElementsAre(16));
  EXPECT_THAT(KernelOf(image, "g").addresses_in_variables, IsEmpty());
}

// A variable's address plus a number of 64 bits is no reason to take the number for an address.
TEST(PtxReflection, KnowsAddressesOfVariables) {
  const std::string load = ".shared .b32 tile[4]; ld.param.u64 %rd1, [a]; mov.u64 %rd2, tile; mov.u64 %rd5, %rd2; ";
  const ReflectedImage image =
      ReadPtx(kHead + (".entry f(.param .u64 a) {" + load + "add.s64 %rd3, %rd1, %rd5; ld.shared.u32 %r1, [%rd3];}"));
  EXPECT_EQ(ParametersText(KernelOf(image, "f")), "c8@0?");
  EXPECT_EQ(KernelOf(image, "f").obstacle, "");
}

// Compilers that mark addresses mark all of a module.
TEST(PtxReflection, TakesMarksOfTheWholeModule) {
  const std::string marked = ".entry g(.param .u64 .ptr .global p) { ret; }";
  const std::string open = ".entry f(.param .u64 a, .param .u64 b) { ld.param.u64 %rd1, [b]; ld.u32 %r1, [%rd1]; }";
  EXPECT_EQ(ParametersText(KernelOf(ReadPtx(kHead + open), "f")), "b0? b1");
  EXPECT_EQ(ParametersText(KernelOf(ReadPtx(kHead + open + marked), "f")), "c8@0? b0");
  EXPECT_EQ(ParametersText(KernelOf(ReadPtx(kHead + marked + open), "f")), "c8@0? b0");
  // Where no code uses an address without a mark, nothing is left to guess.
  const std::string whole =
      ".entry h(.param .u64 n, .param .u64 .ptr p) { ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ret; }";
  EXPECT_EQ(ParametersText(KernelOf(ReadPtx(kHead + whole + marked), "h")), "c8@0 b0");
  EXPECT_EQ(ParametersText(KernelOf(ReadPtx(kHead + whole + open), "h")), "c8@0? b0");
}

TEST(PtxReflection, BelievesMangledNamesThatAgree) {
  const auto told = [](const std::string& name, const std::string& parameters, const std::string& body = "") {
    return ParametersText(KernelOf(ReadPtx(kHead + (".entry " + name + "(" + parameters + ") {" + body + "}")), name));
  };
  const std::string two = ".param .u64 a, .param .u64 b";
  EXPECT_EQ(told("_Z1fPfm", two), "b0 c8@0");
  EXPECT_EQ(told("_Z1fmPf", two, "ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1];"), "b0? b1") << "the code counts";
  EXPECT_EQ(told("_Z1fmPf", two,
                 "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; add.s64 %rd3, %rd1, %rd2; ld.u32 %r1, [%rd3];"),
            "c8@0 b0");
  EXPECT_EQ(told("_ZN8__main__3rawEi8int32_2a", ".param .u32 n, .param .u64 p",
                 "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;"),
            "c4@0 b0")
      << "as Numba names a pointer";
  EXPECT_EQ(told("_Z1fPf", two), "b0? b1?") << "another count";
  EXPECT_EQ(told("_Z1fPfi", two), "b0? b1?") << "another size";
  EXPECT_EQ(told("_Z1fPfPi", ".param .u64 a, .param .align 4 .b8 b[8]"), "b0? c8@0") << "an array is no address";
  EXPECT_EQ(told("_Z1fdm", ".param .u64 .ptr a, .param .u64 b"), "b0 c8@0") << "the mark counts more";
}

TEST(PtxReflection, TellsTypes) {
  const auto types = [](const std::string& name, const std::string& parameters) {
    std::vector<hal_element_type_t> all;
    const ReflectedKernel kernel = KernelOf(ReadPtx(kHead + (".entry " + name + "(" + parameters + ") {}")), name);
    for (const ReflectedParameter& parameter : kernel.parameters) all.push_back(parameter.element_type);
    return all;
  };
  EXPECT_THAT(types("f", ".param .f32 a, .param .u32 b, .param .s64 c, .param .b32 d, .param .f32 e[2]"),
              ElementsAre(HAL_ELEMENT_TYPE_F32, HAL_ELEMENT_TYPE_I32, HAL_ELEMENT_TYPE_NONE, HAL_ELEMENT_TYPE_NONE,
                          HAL_ELEMENT_TYPE_NONE));
  EXPECT_THAT(types("_Z1fjPdP1S", ".param .u32 a, .param .u64 b, .param .u64 c"),
              ElementsAre(HAL_ELEMENT_TYPE_UI32, HAL_ELEMENT_TYPE_F64, HAL_ELEMENT_TYPE_NONE));
}

TEST(PtxReflection, TellsWhatALaunchNeeds) {
  const ReflectedImage image = ReadPtx(std::string(".version 8.5\n.target sm_90\n") +
                                       ".extern .shared .align 16 .b8 tile[];\n.shared .b32 sum;\n"
                                       ".func g() { mov.u32 %r1, tile; mov.u32 %r2, sum; }\n"
                                       ".func h() { .shared .b32 own; mov.u32 %r1, %envreg2; call g; }\n"
                                       ".entry plain() { ret; }\n"
                                       ".entry calls() .reqntid 64 .explicitcluster .reqnctapercluster 2, 3\n"
                                       "{ call h; }\n"
                                       ".entry ranked() .explicitcluster .maxclusterrank 8 { call.uni g, (); }\n");
  EXPECT_EQ(image.isa_version, 85u);
  const ReflectedKernel plain = KernelOf(image, "plain");
  EXPECT_FALSE(plain.uses_dynamic_local_memory || plain.is_cooperative || plain.is_workgroup_size_exact);
  EXPECT_EQ(plain.local_memory_size + plain.cluster_size.x, 0u);
  const ReflectedKernel calls = KernelOf(image, "calls");
  EXPECT_TRUE(calls.uses_dynamic_local_memory && calls.is_cooperative && calls.is_workgroup_size_exact);
  EXPECT_EQ(calls.local_memory_size, 8u) << "its function's own, and what another names of the module's";
  EXPECT_THAT((std::array{calls.cluster_size.x, calls.cluster_size.y, calls.cluster_size.z}), ElementsAre(2, 3, 1));
  const ReflectedKernel ranked = KernelOf(image, "ranked");
  EXPECT_TRUE(ranked.uses_dynamic_local_memory);
  EXPECT_EQ(ranked.local_memory_size, 4u);
  EXPECT_EQ(ranked.cluster_size.x, 0u) << "the launch says it";
  EXPECT_EQ(ReadPtx(".version 9\n.target sm_90\n").isa_version, 0u);
}

TEST(PtxReflection, ReadsWhatNvccMakesOfMangledNames) {
  const ReflectedImage image = ReflectFile("ptx", "nvcc13_mangled.ptx");
  EXPECT_EQ(ParametersText(KernelOf(image, "_Z5scaleIfEvN5views4ViewIT_EEPKS2_yS2_")), "b0 b1 c8@0 c4@8");
  const ReflectedKernel clustered = KernelOf(image, "_Z9clusteredP6float4x");
  EXPECT_EQ(ParametersText(clustered), "b0 c8@0");
  EXPECT_EQ(clustered.cluster_size.x, 2u);
  EXPECT_TRUE(clustered.uses_dynamic_local_memory);
  EXPECT_EQ(KernelOf(image, "_Z8texturedyPf").obstacle,
            "parameter '_Z8texturedyPf_param_0' is a texture, surface or sampler");
}

TEST(PtxReflection, LaysConstantsOutBySizeAlone) {
  EXPECT_EQ(Told(".param .u8 a, .param .u16 b, .param .f32 c, .param .align 4 .b8 d[12], .param .f64 e, "
                 ".param .align 16 .b8 g[16]",
                 ""),
            "c1@0 c2@2 c4@4 c12@8 c8@24 c16@32");
}

TEST(PtxReflection, CountsWorkgroupMemoryOfTheModuleThatAKernelUses) {
  const std::string text = std::string(kHead) +
                           ".extern .shared .align 16 .b8 dynamic[];\n"
                           ".shared .align 4 .b8 used[16];\n.shared .f32 unused;\n"
                           ".entry f() { .shared .v2 .f32 own[2]; mov.u32 %r1, used; mov.u32 %r2, dynamic; ret; }";
  EXPECT_EQ(KernelOf(ReadPtx(text), "f").local_memory_size, 32u);
}

TEST(PtxReflection, IsNotLedAstray) {
  const std::string text = std::string("// .entry a()\n/* .entry b() { */\n") + kHead +
                           ".file 1 \"odd } name.cu\"\n.global .align 4 .u32 table[2] = {1, 2};\n"
                           ".extern .func (.param .b32 r) g (.param .b64 x);\n"
                           ".func h(.param .b64 x) { { .reg .b32 %r<2>; } ret; }\n"
                           ".visible .entry declared(.param .u32 x);\n"
                           ".weak .entry f(.param .u32 x) .pragma \"a;b\"; .maxnreg 32 .minnctapersm 1\n"
                           "{ .loc 1 2 3, function_name $L__info, inlined_at 1 2 3\n"
                           "ld.param.u32 %r1, [x]; L: { mov.b64 {%r1, %r2}, %rd1; } bra L; }\n"
                           ".section .debug_abbrev { .b8 1 }\n";
  const ReflectedImage image = ReadPtx(text);
  ASSERT_THAT(image.kernels, SizeIs(1));
  EXPECT_EQ(ParametersText(KernelOf(image, "f")), "c4@0");
}

TEST(PtxReflection, BeginsBehindAByteOrderMark) {
  EXPECT_THAT(ReadPtx("\xef\xbb\xbf" + std::string(kHead) + ".entry f() { ret; }").kernels, SizeIs(1));
  ReflectedImage image;
  EXPECT_EQ(Publish(ReflectPtx("\n\xef\xbb\xbf" + std::string(kHead) + ".entry f() { ret; }", &image)),
            HAL_STATUS_DATA_LOSS);
}

TEST(PtxReflection, EndsAtAZeroByte) {
  std::string text = std::string(kHead) + ".entry f() { ret; }";
  text.push_back('\0');
  text += "\xff\xff";
  EXPECT_THAT(ReadPtx(text).kernels, SizeIs(1));
}

TEST(PtxReflection, SaysWhatCannotBeCalled) {
  EXPECT_EQ(KernelOf(ReadPtx(std::string(kHead) + ".entry f(.param .u64 .ptr .shared a) { ret; }"), "f").obstacle,
            "parameter 'a' points to workgroup memory");
  EXPECT_EQ(KernelOf(ReadPtx(std::string(kHead) + ".entry f(.param .texref t) { ret; }"), "f").obstacle,
            "parameter 't' is a texture, surface or sampler");
}

TEST(PtxReflection, KnowsWhatIsNoAddressOfABinding) {
  const auto obstacle = [](const std::string& body, const std::string& type = ".u64") {
    const std::string entry = ".entry f(.param " + type + " a) { ld.param.u64 %rd1, [a]; " + body + " }";
    return std::string(KernelOf(ReadPtx(kHead + entry), "f").obstacle);
  };
  constexpr const char* kWorkgroup = "parameter 'a' points to workgroup memory";
  EXPECT_EQ(obstacle("ld.shared.f32 %f1, [%rd1];"), kWorkgroup);
  EXPECT_EQ(obstacle("@%p1 st.shared::cta.f32 [%rd1+4], %f1;"), kWorkgroup);
  EXPECT_EQ(obstacle("cvta.to.shared.u64 %rd2, %rd1;"), kWorkgroup);
  EXPECT_EQ(obstacle("add.s64 %rd2, %rd1, 4; atom.shared.add.u32 %r1, [%rd2], 1;"), kWorkgroup);
  EXPECT_EQ(obstacle("ld.const.f32 %f1, [%rd1];"), "parameter 'a' points to constant memory");
  EXPECT_EQ(obstacle("", ".u64 .ptr .const .align 4"), "parameter 'a' points to constant memory");
  EXPECT_EQ(obstacle("cp.async.ca.shared.global [%r1], [%rd1], 16;"), "");
  constexpr const char* kTexture = "parameter 'a' is a texture, surface or sampler";
  EXPECT_EQ(obstacle("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];"), kTexture);
  EXPECT_EQ(obstacle("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd7, %rd1, {%f5, %f6}];"), kTexture);
  EXPECT_EQ(obstacle("txq.width.b32 %r1, [%rd1];"), kTexture);
  EXPECT_EQ(obstacle("sust.b.1d.b32.trap [%rd1, {%r3}], {%r2};"), kTexture);
  EXPECT_EQ(obstacle("sust.b.1d.b32.trap [%rd7, {%r3}], {%r2}; ld.global.u32 %r2, [%rd1];"), "");
}

TEST(PtxReflection, NamesFunctionsThatNothingDefines) {
  const auto obstacle = [](const std::string& text) {
    return std::string(KernelOf(ReadPtx(kHead + text), "f").obstacle);
  };
  const std::string declared = ".extern .func (.param .b64 r) get_global_id(.param .b32 d);\n";
  const std::string call = "call.uni (r), get_global_id, (d);";
  constexpr const char* kMessage = "it calls 'get_global_id', which the image does not define";
  EXPECT_EQ(obstacle(declared + ".entry f() {" + call + "}"), kMessage);
  EXPECT_EQ(obstacle(declared + ".func g() {" + call + "} .entry f() { call g; }"), kMessage);
  EXPECT_EQ(obstacle(declared + ".func g() {" + call + "} .entry f() { ret; }"), "");
  EXPECT_EQ(obstacle(declared + ".entry f() {" + call +
                     "} .visible .func (.param .b64 r) get_global_id(.param .b32 d) "
                     "{ ret; }"),
            "");
  EXPECT_EQ(obstacle(".extern .func vprintf(.param .b64 x);.extern .func __assertfail();.extern .func cudaDeviceX();"
                     ".entry f() { call vprintf, (x); call __assertfail; call cudaDeviceX; }"),
            "");
  EXPECT_EQ(obstacle(".func f2(); .func g() { call h; call g; } .func h() { call g; } .entry f() { call g; }"), "");
}

// Each kernel of many calls each function of many.
TEST(PtxReflection, BoundsTheTimeOfFollowingCalls) {
  std::string text = kHead;
  for (int i = 0; i < 3000; ++i) {
    text += ".func g" + std::to_string(i) + "() {" + (i > 0 ? "call g" + std::to_string(i - 1) + ";" : "") + "}\n";
  }
  for (int i = 0; i < 3000; ++i) text += ".entry k" + std::to_string(i) + "() { call g2999; }\n";
  EXPECT_THAT(Refusal("ptx", std::as_bytes(std::span(text)), HAL_STATUS_INCOMPATIBLE), HasSubstr("divide it"));
}

TEST(PtxReflection, NamesTheLineOfAMistake) {
  EXPECT_EQ(RefusalOf(""), "PTX, line 1: expected '.version', found 'the end of the text'");
  EXPECT_EQ(RefusalOf(".version 8.0\n"), "PTX: there is no .target");
  EXPECT_EQ(RefusalOf(".version 8.0\n.target gfx90a\n"),
            "PTX, line 2: .target begins with an architecture like sm_70, not 'gfx90a'");
  EXPECT_EQ(RefusalOf(std::string(kHead) + ".entry f(.param .u65 a) {}"),
            "PTX, line 4: '.u65' is no type of a variable");
  EXPECT_EQ(RefusalOf(std::string(kHead) + ".entry f(.param .b128 .b128 a) {}"),
            "PTX, line 4: '.b128' follows the type of a variable, which is '.b128'");
  EXPECT_EQ(RefusalOf(std::string(kHead) + ".entry f(.param .u32 a"),
            "PTX, line 4: expected ')', found 'the end of the text'");
  EXPECT_EQ(RefusalOf(std::string(kHead) + ".entry f() {\nret;\n"),
            "PTX, line 6: expected the end of the kernel's body, found 'the end of the text'");
  EXPECT_EQ(RefusalOf(std::string(kHead) + ".entry f() .reqntid 0 {}"),
            "PTX, line 4: .reqntid 0 is no size of a workgroup");
  EXPECT_EQ(RefusalOf(std::string(kHead) + ".entry f() .reqnctapercluster 2, 0 {}"),
            "PTX, line 4: .reqnctapercluster 0 is no size of a cluster");
  EXPECT_EQ(RefusalOf(std::string(kHead) + ".func f() {\nret;\n"),
            "PTX, line 6: expected the end of the function's body, found 'the end of the text'");
  EXPECT_EQ(RefusalOf(std::string(kHead) + ".entry f(.param .align 3 .b8 a[4]) {}"),
            "PTX, line 4: .align 3 is no power of two");
  EXPECT_EQ(RefusalOf(std::string(kHead) + ".entry f(.param .b8 a[0]) {}"), "kernel 'f': parameter 0: its size is 0");
  EXPECT_EQ(RefusalOf(std::string(kHead) + "/* never closed"), "PTX, line 4: a comment has no end");
  EXPECT_EQ(RefusalOf(std::string(kHead) + ".entry f() {} .entry f() {}"), "there are two kernels 'f'");
  EXPECT_THAT(RefusalOf(std::string(kHead) + ".entry f() { .shared .b8 a[2147483647]; }"),
              HasSubstr("more than 1 GiB"));
}

TEST(PtxReflection, RefusesAddressesOf32Bits) {
  const std::string text = ".version 8.0\n.target sm_30\n.address_size 32\n";
  EXPECT_THAT(Refusal("ptx", std::as_bytes(std::span(text)), HAL_STATUS_INCOMPATIBLE), HasSubstr("only 64"));
}

TEST(PtxReflection, SurvivesDamage) { ExpectSurvivesDamage("ptx", ReadReflectionImage("nvcc13_sm_90.ptx")); }

}  // namespace
}  // namespace halyard::testing
