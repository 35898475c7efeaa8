// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of a dispatch: how many workgroups run, which ids and sizes they see, and their local memory.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/routes.h"

namespace halyard::cts {
namespace {

using testing::Each;

struct Grid {
  const char* name;
  hal_dim3_t count;
};
void PrintTo(const Grid& grid, std::ostream* out) { *out << grid.name; }

uint64_t Volume(const hal_dim3_t& dim) { return uint64_t{dim.x} * dim.y * dim.z; }

Dispatch WithCount(const hal_dim3_t& count) { return Dispatch().Workgroups(count.x, count.y, count.z); }

// --- Every workgroup once ---

class DispatchGridTest : public DeviceTestWith<Grid> {
 protected:
  void SetUp() override {
    if (count().x > device().limits().max_workgroup_count.x) GTEST_SKIP() << "the device takes fewer workgroups";
  }
  const hal_dim3_t& count() const { return GetParam().count; }
  const Executable kernels_ = LoadKernels("dispatch");
};

TEST_P(DispatchGridTest, EveryWorkgroupRunsOnce) {
  const uint64_t volume = Volume(count());
  const auto cells = static_cast<uint32_t>(volume + 1);  // the last one catches those that should not be
  for (const Route route : kRoutes) {
    const Buffer visits = device().CreateBufferOf(std::vector<uint32_t>(cells, 0));
    const Dispatch dispatch = WithCount(count()).Constant(cells).Bind(visits);
    ASSERT_OK(Submitter(device(), route).Dispatch(kernels_, "count_visits", dispatch));
    std::vector<uint32_t> expected(cells, 1);
    expected.back() = 0;
    EXPECT_TRUE(SameElements(Download<uint32_t>(visits), expected)) << NameOf(route);
  }
}

TEST_P(DispatchGridTest, WorkgroupsSeeTheirIdsAndTheGrid) {
  const uint64_t volume = Volume(count());
  if (volume > 10'000) return;  // as many as are needed to tell ids apart
  std::vector<uint32_t> expected;
  for (uint32_t z = 0; z < count().z; ++z) {
    for (uint32_t y = 0; y < count().y; ++y) {
      for (uint32_t x = 0; x < count().x; ++x) {
        const uint32_t report[] = {x, y, z, count().x, count().y, count().z, 4, 2, 1, 0, 0, 0};
        expected.insert(expected.end(), std::begin(report), std::end(report));
      }
    }
  }
  expected.resize(12 * (volume + 1), 99);
  for (const Route route : kRoutes) {
    const Buffer reports = device().CreateBufferOf(std::vector<uint32_t>(12 * (volume + 1), 99));
    ASSERT_OK(Submitter(device(), route).Dispatch(kernels_, "report_workgroup", WithCount(count()).Bind(reports)));
    EXPECT_TRUE(SameElements(Download<uint32_t>(reports), expected)) << NameOf(route);
  }
}

const Grid kGrids[] = {
    {"One", {1, 1, 1}},          {"X2", {2, 1, 1}},           {"Y2", {1, 2, 1}},
    {"Z2", {1, 1, 2}},           {"X7", {7, 1, 1}},           {"X3Y5", {3, 5, 1}},
    {"X3Z5", {3, 1, 5}},         {"Y3Z5", {1, 3, 5}},         {"X2Y3Z4", {2, 3, 4}},
    {"X4Y3Z2", {4, 3, 2}},       {"X1000", {1000, 1, 1}},     {"Y1000", {1, 1000, 1}},
    {"Z1000", {1, 1, 1000}},     {"X13Y17Z19", {13, 17, 19}}, {"X100000", {100'000, 1, 1}},
    {"X300Y300", {300, 300, 1}}, {"X40Y40Z40", {40, 40, 40}},
};
INSTANTIATE_TEST_SUITE_P(Grids, DispatchGridTest, testing::ValuesIn(kGrids), ByName);

class DispatchEmptyGridTest : public DeviceTestWith<Grid> {};

TEST_P(DispatchEmptyGridTest, RunsNothingAndSignals) {
  const Executable kernels = LoadKernels("dispatch");
  const Buffer visits = device().CreateBufferOf(std::vector<uint32_t>(4, 0));
  const Dispatch dispatch = WithCount(GetParam().count).Constant(uint32_t{4}).Bind(visits);
  for (const Route route : kRoutes) {
    EXPECT_OK(Submitter(device(), route).Dispatch(kernels, "count_visits", dispatch)) << NameOf(route);
  }
  EXPECT_THAT(Download<uint32_t>(visits), Each(0u));
}

const Grid kEmptyGrids[] = {
    {"X0", {0, 1, 1}}, {"Y0", {1, 0, 1}}, {"Z0", {1, 1, 0}}, {"X0Y5Z5", {0, 5, 5}}, {"All0", {0, 0, 0}}};
INSTANTIATE_TEST_SUITE_P(Grids, DispatchEmptyGridTest, testing::ValuesIn(kEmptyGrids), ByName);

class DispatchSizeTest : public DeviceTest {
 protected:
  const Submitter submitter_{device(), Route::kQueue};
};

TEST_F(DispatchSizeTest, AMillionWorkgroupsSlow) {
  constexpr uint32_t kCount = 1'000'000;
  const Executable kernels = LoadKernels("dispatch");
  const Buffer visits = device().CreateBufferOf(std::vector<uint32_t>(kCount + 1, 0));
  ASSERT_OK(submitter_.Dispatch(kernels, "count_visits",
                                Dispatch().Workgroups(1000, kCount / 1000).Constant(kCount + 1).Bind(visits)));
  std::vector<uint32_t> expected(kCount + 1, 1);
  expected.back() = 0;
  EXPECT_TRUE(SameElements(Download<uint32_t>(visits), expected));
}

// --- The size of a workgroup ---

class WorkgroupSizeTest : public DeviceTestWith<Grid> {
 protected:
  void SetUp() override {
    const hal_device_limits_t& limits = device().limits();
    const bool fits = size_.x <= limits.max_workgroup_size.x && size_.y <= limits.max_workgroup_size.y &&
                      size_.z <= limits.max_workgroup_size.z && Volume(size_) <= limits.max_workgroup_volume;
    if (!fits) GTEST_SKIP() << "the device takes no workgroups of this size";
  }
  /// Expects that workgroup (0, 0, 0) is told of the size, on every route.
  void ExpectSizeSeenBy(std::string_view kernel) const {
    const Executable kernels = LoadKernels("dispatch");
    for (const Route route : kRoutes) {
      const Buffer report = CreateBuffer(48);
      const Dispatch dispatch = Dispatch().WorkgroupSize(size_.x, size_.y, size_.z).Bind(report);
      ASSERT_OK(Submitter(device(), route).Dispatch(kernels, kernel, dispatch));
      EXPECT_TRUE(SameElements(Download<uint32_t>(report, 24, 3), {size_.x, size_.y, size_.z})) << NameOf(route);
    }
  }

  const hal_dim3_t size_ = GetParam().count;
};

TEST_P(WorkgroupSizeTest, DispatchOverridesTheExports) { ExpectSizeSeenBy("report_workgroup"); }

TEST_P(WorkgroupSizeTest, DispatchGivesItWhereTheExportHasNone) { ExpectSizeSeenBy("report_sized_workgroup"); }

const Grid kSizes[] = {{"X1", {1, 1, 1}},     {"X32", {32, 1, 1}},     {"X8Y8", {8, 8, 1}},  {"X4Y3Z2", {4, 3, 2}},
                       {"X1Y64", {1, 64, 1}}, {"X1Y1Z64", {1, 1, 64}}, {"X256", {256, 1, 1}}};
INSTANTIATE_TEST_SUITE_P(Sizes, WorkgroupSizeTest, testing::ValuesIn(kSizes), ByName);

// The size decides how many elements the workgroups cover.
TEST_F(DispatchSizeTest, OverriddenSizeIsTheSizeOfTheWork) {
  const Executable kernels = LoadKernels("basic");
  const Buffer data = device().CreateBufferOf(std::vector<uint32_t>(256, 0));
  ASSERT_OK(submitter_.Dispatch(kernels, "add_one", Dispatch().Workgroups(2).WorkgroupSize(16).Bind(data)));
  std::vector<uint32_t> expected(256, 0);
  std::fill_n(expected.begin(), 32, 1);
  EXPECT_TRUE(SameElements(Download<uint32_t>(data), expected));
}

TEST_F(DispatchSizeTest, ExportWithoutASizeNeedsOne) {
  const Executable kernels = LoadKernels("dispatch");
  const Buffer report = CreateBuffer(48);
  EXPECT_NE(submitter_.Dispatch(kernels, "report_sized_workgroup", Dispatch().Bind(report)), HAL_STATUS_OK);
}

// --- Local memory ---

class DynamicLocalMemoryTest : public DeviceTestWith<Number> {};

TEST_P(DynamicLocalMemoryTest, EachWorkgroupHasItsOwn) {
  constexpr uint32_t kWorkgroups = 50;
  const auto count = static_cast<uint32_t>(GetParam().value);
  const auto bytes = static_cast<uint32_t>(count * sizeof(uint32_t));
  if (bytes > device().limits().max_local_memory) GTEST_SKIP() << "the device has less local memory";
  const Executable kernels = LoadKernels("dispatch");
  const Buffer source = device().CreateBufferOf(Counting(kWorkgroups * count));
  std::vector<uint32_t> expected = Counting(kWorkgroups * count);
  for (auto part = expected.begin(); part != expected.end(); part += count) std::reverse(part, part + count);
  for (const Route route : kRoutes) {
    const Buffer target = CreateBuffer(uint64_t{kWorkgroups} * bytes);
    const Dispatch dispatch =
        Dispatch().Workgroups(kWorkgroups).LocalMemory(bytes).Constant(count).Bind(source).Bind(target);
    ASSERT_OK(Submitter(device(), route).Dispatch(kernels, "reverse_dynamic", dispatch));
    EXPECT_TRUE(SameElements(Download<uint32_t>(target), expected)) << NameOf(route);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, DynamicLocalMemoryTest, Numbers("Words", {1, 3, 16, 64, 100, 1024, 4096, 8192}),
                         ByNameOf);

TEST_F(DispatchSizeTest, DeclaredLocalMemoryNeedsNothingFromTheDispatch) {
  const Executable kernels = LoadKernels("dispatch");
  const Buffer source = device().CreateBufferOf(Counting(640));
  const Buffer target = CreateBuffer(2560);
  const Dispatch dispatch = Dispatch().Workgroups(10).Constant(uint32_t{64}).Bind(source).Bind(target);
  ASSERT_OK(submitter_.Dispatch(kernels, "reverse_declared", dispatch));
  std::vector<uint32_t> expected = Counting(640);
  for (auto part = expected.begin(); part != expected.end(); part += 64) std::reverse(part, part + 64);
  EXPECT_TRUE(SameElements(Download<uint32_t>(target), expected));
}

// 64 work-items hand each other their elements: one that ran ahead would read what is not there yet.
TEST_F(DispatchSizeTest, WorkItemsWaitForEachOther) {
  constexpr uint32_t kWorkgroups = 100;
  const Executable kernels = LoadKernels("dispatch");
  const Buffer source = device().CreateBufferOf(Counting(64 * kWorkgroups));
  const Buffer target = CreateBuffer(uint64_t{256} * kWorkgroups);
  const Dispatch dispatch = Dispatch().Workgroups(kWorkgroups).Bind(source).Bind(target);
  ASSERT_OK(submitter_.Dispatch(kernels, "reverse_together", dispatch));
  std::vector<uint32_t> expected = Counting(64 * kWorkgroups);
  for (auto part = expected.begin(); part != expected.end(); part += 64) std::reverse(part, part + 64);
  EXPECT_TRUE(SameElements(Download<uint32_t>(target), expected));
}

TEST_F(DispatchSizeTest, AllOfTheLocalMemoryCanBeHad) {
  const Executable kernels = LoadKernels("dispatch");
  const uint32_t bytes = device().limits().max_local_memory;
  const uint32_t count = std::min<uint32_t>(bytes / 4, 1 << 20);
  const Buffer source = device().CreateBufferOf(Counting(count));
  const Buffer target = CreateBuffer(uint64_t{count} * 4);
  const Dispatch dispatch = Dispatch().LocalMemory(count * 4).Constant(count).Bind(source).Bind(target);
  ASSERT_OK(submitter_.Dispatch(kernels, "reverse_dynamic", dispatch));
  std::vector<uint32_t> expected = Counting(count);
  std::reverse(expected.begin(), expected.end());
  EXPECT_TRUE(SameElements(Download<uint32_t>(target), expected));
}

}  // namespace
}  // namespace halyard::cts
