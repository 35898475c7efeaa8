// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What PTX tells: of nvcc, of clang and by hand.
#include "image/reflection/ptx_reflection.h"

#include "reflection_images.h"

namespace halyard::testing {
namespace {

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
  EXPECT_EQ(ParametersText(KernelOf(image, "reverse")), "c8@0 c8@8? c1@16 b0");
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
  EXPECT_EQ(ParametersText(kernel), "b0 b1 b2 b3? b4 c12@0");
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
  EXPECT_EQ(Told(".param .f64 a, .param .s64 b, .param .b64 c[1]", ""), "c8@0 b0? c8@8");
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
