// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is read of images and of the texts beside host code.
#include "cuda/image.h"

#include <fstream>
#include <iterator>

#include "cuda_sim_test.h"

namespace halyard::sim {
namespace {

using cuda::abi::ImageKind;
using cuda::abi::ReadImage;
using cuda::abi::ReadPtx;

std::vector<Entry> Entries(std::string_view ptx) {
  std::vector<Entry> entries;
  std::string why;
  EXPECT_TRUE(ReadPtx(ptx, &entries, &why)) << why;
  return entries;
}

TEST(PtxTest, ParametersAreLaidOutByTheirAlignment) {
  const auto entries = Entries(
      ".version 7.0 .target sm_70 .visible .entry f(.param .u8 a, .param .f64 b, .param .align 16 .b8 c[20],"
      " .param .u16 d) { ret; }");
  ASSERT_EQ(entries.size(), 1U);
  ASSERT_EQ(entries[0].parameters.size(), 4U);
  EXPECT_EQ(entries[0].name, "f");
  EXPECT_EQ(entries[0].parameters[1].offset, 8U);
  EXPECT_EQ(entries[0].parameters[2].offset, 16U);
  EXPECT_EQ(entries[0].parameters[2].size, 20U);
  EXPECT_EQ(entries[0].parameters[3].offset, 36U);
}

TEST(PtxTest, AnAlignmentBehindPtrIsThatOfWhatItLeadsTo) {
  const auto entries = Entries(".target sm_70 .entry f(.param .u32 a, .param .u64 .ptr .global .align 64 b) {}");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].parameters[1].offset, 8U);
}

TEST(PtxTest, BlockSizesAreRead) {
  const auto entries = Entries(".target sm_70 .entry f .reqntid 8, 4 .minnctapersm 1 { } .entry g() .maxntid 96 {}");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].required_block, (std::array<uint32_t, 3>{8, 4, 1}));
  EXPECT_EQ(entries[1].threads_per_block, 96U);
}

TEST(PtxTest, BrokenTextsAreRefused) {
  for (const char* text :
       {"", ".target sm_70 .entry f(.param", ".target sm_70 .entry f(.param .u64",
        ".target sm_70 .entry f(.param .x64 a)", ".entry f() {}", ".target sm_70 .entry f(nonsense)"}) {
    std::vector<Entry> entries;
    std::string why;
    EXPECT_FALSE(ReadPtx(text, &entries, &why)) << text;
    EXPECT_NE(why, "");
  }
}

// Of newer texts for newer devices alone.
TEST(PtxTest, ParametersHaveALimit) {
  const auto text = [](const char* version, const char* target, size_t bytes) {
    return std::string(".version ") + version + " .target " + target + " .entry f(.param .u64 a, .param .b8 b[" +
           std::to_string(bytes - 8) + "]) {}";
  };
  const auto fits = [](const std::string& ptx) {
    std::vector<Entry> entries;
    std::string why;
    return ReadPtx(ptx, &entries, &why);
  };
  EXPECT_TRUE(fits(text("8.1", "sm_70", 32764)));
  EXPECT_TRUE(fits(text("9.0", "sm_90a", 32764)));
  EXPECT_FALSE(fits(text("8.1", "sm_70", 32765)));
  EXPECT_FALSE(fits(text("8.0", "sm_70", 32764)));
  EXPECT_FALSE(fits(text("8.1", "sm_60", 32764)));
  EXPECT_TRUE(fits(text("8.0", "sm_70", 4352)));
  EXPECT_FALSE(fits(text("8.0", "sm_70", 4353)));
}

TEST(ImageTest, KindsAreToldApart) {
  EXPECT_EQ(ReadImage("hello").kind, ImageKind::kUnknown);
  EXPECT_EQ(ReadImage("").kind, ImageKind::kUnknown);
  const auto ptx = ReadImage("// comment\n.version 8.0\n");
  EXPECT_EQ(ptx.kind, ImageKind::kPtx);
  EXPECT_EQ(ptx.bytes.size(), 24U);
}

TEST(ImageTest, TheSizeOfAnElfFileIsFoundInItsHeaders) {
  std::ifstream file(HALYARD_SIM_HOST_OBJECT, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ASSERT_FALSE(bytes.empty());
  const auto image = ReadImage(bytes.data());
  EXPECT_EQ(image.kind, ImageKind::kCubin);
  EXPECT_EQ(image.bytes.size(), bytes.size());
}

TEST(HostCodeTest, TheTextComesBackAsItWas) {
  KernelCode kernel;
  kernel.name = "f";
  kernel.symbol = "f_host";
  kernel.workgroup = {8, 4, 1};
  kernel.local_memory = 64;
  kernel.constants_size = 12;
  kernel.parameters = {{true, 1, 8}, {false, 8, 4}, {true, 0, 8}};
  std::string why;
  const auto read = ParseKernels(KernelText(kernel), &why);
  ASSERT_TRUE(read && read->size() == 1) << why;
  EXPECT_EQ(KernelText(read->front()), KernelText(kernel));
  EXPECT_EQ(read->front().binding_count, 2U);
}

TEST(HostCodeTest, WrongTextsAreRefused) {
  for (const char* text : {"binding 0\n", "kernel f\n", "kernel f g\nbinding x\n", "kernel f g\nconstant 0 4\n",
                           "kernel f g\nsurprise\n"}) {
    std::string why;
    EXPECT_FALSE(ParseKernels(text, &why)) << text;
    EXPECT_NE(why, "");
  }
}

}  // namespace
}  // namespace halyard::sim
