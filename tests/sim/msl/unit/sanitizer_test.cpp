// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sanitizers see what kernels do, and name the lines of their texts.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "msl/unit/msl_test.h"

namespace halyard::msl_host {
namespace {

#ifdef __has_feature
constexpr bool kHasThreadSanitizer = __has_feature(thread_sanitizer);
constexpr bool kHasAddressSanitizer = __has_feature(address_sanitizer);
#else
#ifdef __SANITIZE_THREAD__
constexpr bool kHasThreadSanitizer = true;
#else
constexpr bool kHasThreadSanitizer = false;
#endif
#ifdef __SANITIZE_ADDRESS__
constexpr bool kHasAddressSanitizer = true;
#else
constexpr bool kHasAddressSanitizer = false;
#endif
#endif

constexpr std::string_view kBarrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";
constexpr std::string_view kLastIndex = "63";

class SanitizerTest : public MslTest {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  // Reverses 64 numbers, with one part of the text replaced. Ends the process.
  void Reverse(std::string_view part, std::string_view replacement) {
    std::string text =
        "kernel void reverse(const device uint* in [[buffer(0)]], device uint* out [[buffer(1)]],\n"
        "                    uint i [[thread_index_in_threadgroup]]) {\n"
        "  threadgroup uint memory[64];\n"
        "  memory[i] = in[i];\n"
        "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
        "  out[i] = memory[63 - i];\n"
        "}\n";
    text.replace(text.find(part), part.size(), replacement);
    Use(text);
    std::vector<uint32_t> in(64);
    std::vector<uint32_t> out(64);
    Bind(0, &in);
    Bind(1, &out);
    Run("reverse", {1, 1, 1}, {64, 1, 1});
    std::exit(0);
  }

  // A kernel of the suite that does the same, without its barrier. `text` is what halyard-pack made of it.
  void ReverseWithoutBarrier(std::string text) {
    text.erase(text.find(kBarrier, text.find("kernel void reverse_together(")), kBarrier.size());
    Use(text);
    std::vector<uint32_t> in(64);
    std::vector<uint32_t> out(64);
    std::vector<void*> set = {in.data(), out.data()};
    Bind(0, &set);
    Run("reverse_together", {1, 1, 1}, {64, 1, 1});
    std::exit(0);
  }
};

TEST_F(SanitizerTest, FindNothingInARightKernel) {
  EXPECT_EXIT(Reverse(kBarrier, kBarrier), testing::ExitedWithCode(0), "");
}

// Without its only barrier the kernel runs on threads for its memory's sake alone.
TEST_F(SanitizerTest, AMissingBarrierIsADataRace) {
  if (!kHasThreadSanitizer) GTEST_SKIP() << "needs ThreadSanitizer";
  EXPECT_EXIT(Reverse(kBarrier, ""), testing::ExitedWithCode(66), "data race.*program_source:(6|8)");
}

// DispatchKernelsTest.WaitsAtBarriers runs it as it is.
TEST_F(SanitizerTest, ATranslatedKernelWithoutItsBarrierIsADataRace) {
  if (!kHasThreadSanitizer) GTEST_SKIP() << "needs ThreadSanitizer";
  std::ifstream file(HALYARD_KERNEL_DIR "/cts_dispatch.metal");
  if (!file) GTEST_SKIP() << "no kernels were translated to MSL";
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EXIT(ReverseWithoutBarrier(text), testing::ExitedWithCode(66), "data race.*program_source");
}

TEST_F(SanitizerTest, AnIndexBehindThreadgroupMemoryIsOutOfBounds) {
  if (!kHasAddressSanitizer) GTEST_SKIP() << "needs AddressSanitizer";
  EXPECT_DEATH(Reverse(kLastIndex, "64"), "heap-buffer-overflow.*program_source:8");
}

}  // namespace
}  // namespace halyard::msl_host
