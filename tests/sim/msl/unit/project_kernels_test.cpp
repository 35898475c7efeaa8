// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What halyard-pack makes of the project's own kernels: all of it compiles, and what was run computes what it should.
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <span>

#include "msl/unit/msl_test.h"

namespace halyard::msl_host {
namespace {

// Where halyard-pack puts the constants of a kernel.
constexpr size_t kConstants = 8;

class ProjectKernelsTest : public MslTest {
 protected:
  // Compiles the translation of a file of kernels. Skips where the build has none.
  void UseKernels(const std::string& name) { UseFile(std::filesystem::path(HALYARD_KERNEL_DIR) / (name + ".metal")); }
  void UseFile(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) GTEST_SKIP() << path << " was not built";
    Use(std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()));
  }

  // What the build made of a shader.
  void UseTranslated(const std::string& name) {
    UseFile(std::filesystem::path(HALYARD_MSL_TRANSLATED) / (name + ".metal"));
  }

  // The argument buffer of a set.
  void BindSet(size_t set, std::vector<void*> addresses) {
    sets_[set] = std::move(addresses);
    Bind(set, &sets_[set]);
  }

  std::array<std::vector<void*>, 8> sets_;
};

TEST_F(ProjectKernelsTest, AllOfThemCompile) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HALYARD_KERNEL_DIR)) {
    if (entry.path().extension() != ".metal") continue;
    SCOPED_TRACE(entry.path());
    UseFile(entry.path());
    EXPECT_FALSE(library_->Kernels().empty());
    ++count;
  }
  if (count == 0) GTEST_SKIP() << "no kernels were translated to MSL";
}

TEST_F(ProjectKernelsTest, MuchOfWhatSpirvCrossWrites) {
  UseTranslated("broad");
  if (IsSkipped()) return;
  const Kernel* const kernel = FindKernel("broad");
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(kernel->has_barriers);
  EXPECT_EQ(library_->Constants().size(), 3);
}

// Each variable is a pointer of its own type to the buffer.
TEST_F(ProjectKernelsTest, ReadsABufferThroughVariablesOfSeveralTypes) {
  UseTranslated("packed_aliases");
  if (IsSkipped()) return;
  std::vector<uint8_t> blocks(2 * 18);
  const auto half = [](uint16_t bits, uint8_t* target) { std::memcpy(target, &bits, sizeof(bits)); };
  for (size_t block = 0; block < 2; ++block) {
    half(0x4000, &blocks[block * 18]);  // 2
    for (size_t i = 0; i < 16; ++i) blocks[block * 18 + 2 + i] = static_cast<uint8_t>(10 * block + i);
  }
  std::vector<float> numbers = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> results(2);
  std::vector<uint32_t> constants = {2};
  BindSet(0, {blocks.data(), numbers.data(), results.data()});
  Bind(kConstants, &constants);
  Run("packed_aliases", {1, 1, 1}, {32, 1, 1});
  // The first byte and the fourth, then the second of four numbers and the last.
  EXPECT_THAT(results, testing::ElementsAre(2 * (0 + 3) + 2 + 4, 2 * (10 + 13) + 6 + 8));
}

TEST_F(ProjectKernelsTest, WritesABufferThroughAnotherVariableThanItReads) {
  UseTranslated("aliases");
  if (IsSkipped()) return;
  std::vector<uint32_t> written = {0, 5};
  std::vector<uint32_t> both = {7, 0x3f800000};  // 7, and 1.0 of the second
  BindSet(0, {written.data()});
  BindSet(2, {both.data()});
  Run("aliases", {1, 1, 1}, {1, 1, 1});
  float result = 0;
  std::memcpy(&result, written.data(), sizeof(result));
  EXPECT_EQ(result, 13.0F);
}

// x is the unsigned constant 0, and `block` the signed one.
TEST_F(ProjectKernelsTest, HasConstantsOfSeveralTypes) {
  UseTranslated("typed");
  if (IsSkipped()) return;
  std::vector<float> y(4 * 9);
  struct {
    float bias = 8;
    int32_t shift = 1;
    std::array<uint32_t, 2> pair = {3, 4};
  } constants;
  BindSet(0, {y.data()});
  launch_.buffers[kConstants] = &constants;
  const std::vector<ConstantValue> values = {Value<float>(4, 0.25F), Value<bool>(5, true), Value<int32_t>(6, -3)};
  program_ = library_->Specialise(values);
  Run("typed", {1, 1, 1}, {8, 4, 1});
  EXPECT_THAT(std::span(y).subspan(32), testing::ElementsAre(0.25F, -2, 3, 4));
}

TEST_F(ProjectKernelsTest, AddsAConstant) {
  UseKernels("cts_basic");
  if (IsSkipped()) return;
  std::vector<uint32_t> source(128);
  std::vector<uint32_t> target(128);
  std::iota(source.begin(), source.end(), 5);
  std::vector<uint32_t> constants = {7};
  BindSet(0, {source.data(), target.data()});
  Bind(kConstants, &constants);
  Run("add_constant", {2, 1, 1}, {64, 1, 1});
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(target[i], i + 5 + 7);
}

class DispatchKernelsTest : public ProjectKernelsTest {
 protected:
  void SetUp() override { UseKernels("cts_dispatch"); }
};

TEST_F(DispatchKernelsTest, PassesConstantsOfAllSizes) {
  struct {
    uint8_t a = 1;
    uint16_t b = 2;
    uint32_t c = 3;
    uint64_t d = 4;
  } constants;
  uint64_t sum = 0;
  BindSet(0, {&sum});
  launch_.buffers[kConstants] = &constants;
  Run("mix_u8_u16_u32_u64_pointer", {1, 1, 1}, {1, 1, 1});
  uint64_t expected = 1;
  for (const uint64_t next : {2, 3, 4}) expected = expected * 1000003 + next;
  EXPECT_EQ(sum, expected);
}

TEST_F(DispatchKernelsTest, FindsSetsWithGapsByTheirMembers) {
  const Kernel* const kernel = FindKernel("mix_sparse_sets");
  ASSERT_NE(kernel, nullptr);
  ASSERT_EQ(kernel->arguments.size(), 2);
  ASSERT_EQ(kernel->arguments[0].members.size(), 2);
  EXPECT_EQ(kernel->arguments[0].members[0].id, 1);
  EXPECT_EQ(kernel->arguments[0].members[1].id, 7);
  EXPECT_EQ(kernel->arguments[0].members[1].offset, 8);
  EXPECT_FALSE(kernel->arguments[0].members[0].writable);
  EXPECT_TRUE(kernel->arguments[1].members[0].writable);

  uint32_t x = 4;
  uint32_t y = 9;
  uint64_t sum = 0;
  BindSet(0, {&x, &y});
  BindSet(1, {&sum});
  Run("mix_sparse_sets", {1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(sum, uint64_t{4} * 1000003 + 9);
}

TEST_F(DispatchKernelsTest, CountsWithAtomics) {
  std::vector<uint32_t> cells(4);
  std::vector<uint32_t> constants = {4};
  BindSet(0, {cells.data()});
  Bind(kConstants, &constants);
  Run("count_visits", {2, 3, 1}, {1, 1, 1});
  EXPECT_THAT(cells, testing::ElementsAre(1, 1, 1, 3));
}

TEST_F(DispatchKernelsTest, WaitsAtBarriers) {
  const Kernel* const kernel = FindKernel("reverse_together");
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(kernel->has_barriers);
  std::vector<uint32_t> source(256);
  std::vector<uint32_t> target(256);
  std::iota(source.begin(), source.end(), 0);
  BindSet(0, {source.data(), target.data()});
  Run("reverse_together", {4, 1, 1}, {64, 1, 1});
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(target[i], i / 64 * 64 + 63 - i % 64);
}

TEST_F(DispatchKernelsTest, HasThreadgroupMemory) {
  std::vector<uint32_t> source = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<uint32_t> target(8);
  std::vector<uint32_t> constants = {4};
  BindSet(0, {source.data(), target.data()});
  Bind(kConstants, &constants);
  launch_.threadgroup_lengths[0] = 16;  // for a translation that takes the memory as an argument
  for (const char* kernel : {"reverse_declared", "reverse_dynamic"}) {
    Run(kernel, {2, 1, 1}, {1, 1, 1});
    EXPECT_THAT(target, testing::ElementsAre(3, 2, 1, 0, 7, 6, 5, 4)) << kernel;
  }
}

TEST_F(DispatchKernelsTest, ReportsTheSizeOfTheWorkgroup) {
  program_ = library_->Specialise({{Value<uint32_t>(0, 8), Value<uint32_t>(1, 2), Value<uint32_t>(2, 1)}});
  std::vector<uint32_t> cells(24);
  BindSet(0, {cells.data()});
  Run("report_sized_workgroup", {2, 1, 1}, {8, 2, 1});
  EXPECT_THAT(cells, testing::ElementsAre(0, 0, 0, 2, 1, 1, 8, 2, 1, 0, 0, 0, 1, 0, 0, 2, 1, 1, 8, 2, 1, 0, 0, 0));
}

}  // namespace
}  // namespace halyard::msl_host
