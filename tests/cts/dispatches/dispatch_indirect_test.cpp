// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatches that take their number of workgroups from a buffer that the host or the device wrote.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/routes.h"

namespace halyard::cts {
namespace {

using testing::AnyOf;
using testing::Each;

constexpr uint32_t kCells = 1000;

class IndirectTestBase : public DeviceTest {
 protected:
  Dispatch Counted(const Ref& counts) const { return Dispatch().Indirect(counts).Constant(kCells).Bind(visits_); }
  /// Expects that `count` workgroups ran, each once.
  void ExpectVisits(uint32_t count) const {
    std::vector<uint32_t> expected(kCells, 0);
    std::fill_n(expected.begin(), count, 1);
    EXPECT_TRUE(SameElements(Download<uint32_t>(visits_), expected));
  }

  const Executable kernels_ = LoadKernels("dispatch");
  const Buffer visits_ = device().CreateBufferOf(std::vector<uint32_t>(kCells, 0));
};

// --- Who writes the count ---

/// Writes the count (8, 8, 8) to twelve bytes of `counts`, after `waits`.
struct CountSource {
  const char* name;
  hal_status_t (*write)(const Device& device, const Points& waits, const Points& signals, const Ref& counts);
};
void PrintTo(const CountSource& source, std::ostream* out) { *out << source.name; }

const CountSource kCountSources[] = {
    {"Fill", [](const Device& device, const Points& waits, const Points& signals,
                const Ref& counts) { return device.QueueFill(waits, signals, counts, uint32_t{8}); }},
    {"Update",
     [](const Device& device, const Points& waits, const Points& signals, const Ref& counts) {
       const uint32_t data[] = {8, 8, 8};
       return device.QueueUpdate(waits, signals, data, counts);
     }},
    {"Copy",
     [](const Device& device, const Points& waits, const Points& signals, const Ref& counts) {
       return device.QueueCopy(waits, signals, device.CreateBufferOf<uint32_t>({8, 8, 8}), counts);
     }},
    {"Dispatch",
     [](const Device& device, const Points& waits, const Points& signals, const Ref& counts) {
       const Dispatch dispatch = Dispatch().Constant(uint32_t{8}).Constant(uint32_t{8}).Constant(uint32_t{8});
       return device.QueueDispatch(waits, signals, device.LoadKernels("dispatch"), "constants_12",
                                   cts::Dispatch(dispatch).Bind(counts));
     }},
    {"File",
     [](const Device& device, const Points& waits, const Points& signals, const Ref& counts) {
       static uint32_t contents[] = {8, 8, 8};
       File file;
       Check(hal_file_from_memory(contents, sizeof(contents), HAL_FILE_ACCESS_READ, nullptr, nullptr, file.out()),
             "hal_file_from_memory");
       return device.QueueRead(waits, signals, file, 0, counts);
     }},
};

class IndirectSourceTest : public IndirectTestBase,
                           public testing::WithParamInterface<std::tuple<Route, CountSource>> {};

// The count is 0 when the dispatch is submitted; only what is read when it runs counts.
TEST_P(IndirectSourceTest, CountIsReadWhenTheDispatchRuns) {
  const auto& [route, source] = GetParam();
  for (const uint64_t least : {0, 4, 16, 100, 244}) {
    const uint64_t offset = device().BindingOffset(least);
    SCOPED_TRACE("at " + std::to_string(offset));
    const Buffer counts = device().CreateBufferOf(std::vector<uint32_t>(offset / 4 + 3, 0));
    const Ref count(counts, offset, 12);
    const Semaphore gate = CreateSemaphore();
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(source.write(device(), {{gate, 1}}, {{done, 1}}, count));
    ASSERT_OK(
        Submitter(device(), route).SubmitDispatch({{done, 1}}, {{done, 2}}, kernels_, "count_visits", Counted(count)));
    ASSERT_OK(gate.Signal(1));
    ASSERT_OK(done.Wait(2));
    ExpectVisits(8 * 8 * 8);
    Upload(visits_, std::vector<uint32_t>(kCells, 0));
  }
}

INSTANTIATE_TEST_SUITE_P(Sources, IndirectSourceTest, testing::Combine(Routes(), testing::ValuesIn(kCountSources)),
                         ByParts);

class IndirectHostTest : public IndirectTestBase, public testing::WithParamInterface<Route> {
 protected:
  const Submitter submitter_{device(), GetParam()};
};

TEST_P(IndirectHostTest, HostWritesTheCount) {
  const Buffer counts = device().CreateBufferOf<uint32_t>({3, 4, 5}, Mappable());
  ASSERT_OK(submitter_.Dispatch(kernels_, "count_visits", Counted(counts)));
  ExpectVisits(60);
}

TEST_P(IndirectHostTest, HostWritesTheCountAfterTheSubmission) {
  const Buffer counts = device().CreateBufferOf<uint32_t>({1, 1, 1}, Mappable());
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(submitter_.SubmitDispatch({{gate, 1}}, {{done, 1}}, kernels_, "count_visits", Counted(counts)));
  Upload(counts, std::vector<uint32_t>{7, 2, 1});
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  ExpectVisits(14);
}

TEST_P(IndirectHostTest, KernelSeesTheGridThatWasRead) {
  const Buffer counts = device().CreateBufferOf<uint32_t>({2, 3, 4});
  const Buffer reports = CreateBuffer(24 * 48);
  ASSERT_OK(submitter_.Dispatch(kernels_, "report_workgroup", Dispatch().Indirect(counts).Bind(reports)));
  const std::vector<uint32_t> cells = Download<uint32_t>(reports);
  for (uint32_t i = 0; i < 24; ++i) {
    const std::vector<uint32_t> expected = {i % 2, i / 2 % 3, i / 6, 2, 3, 4};
    EXPECT_EQ(std::vector<uint32_t>(cells.begin() + 12 * i, cells.begin() + 12 * i + 6), expected);
  }
}

TEST_P(IndirectHostTest, DirectCountIsIgnored) {
  const Buffer counts = device().CreateBufferOf<uint32_t>({2, 1, 1});
  ASSERT_OK(submitter_.Dispatch(kernels_, "count_visits",
                                Dispatch().Workgroups(5, 5, 5).Indirect(counts).Constant(kCells).Bind(visits_)));
  ExpectVisits(2);
}

TEST_P(IndirectHostTest, ZeroInAnyDimensionRunsNothing) {
  for (const std::vector<uint32_t>& zero :
       {std::vector<uint32_t>{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {0, 0, 0}, {0, 100, 100}}) {
    EXPECT_OK(submitter_.Dispatch(kernels_, "count_visits", Counted(device().CreateBufferOf(zero))));
  }
  ExpectVisits(0);
}

TEST_P(IndirectHostTest, RecordingReadsTheCountInEachExecution) {
  const Buffer counts = CreateBuffer(12);
  const CommandBuffer commands = device().Record(
      [&](const CommandBuffer& c) { Check(c.Dispatch(kernels_, "count_visits", Counted(counts)), "dispatch"); });
  std::vector<uint32_t> expected(kCells, 0);
  for (const uint32_t count : {5u, 0u, 3u, 10u}) {
    Upload(counts, std::vector<uint32_t>{count, 1, 1});
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands));
    ASSERT_OK(done.Wait(1));
    for (uint32_t i = 0; i < count; ++i) ++expected[i];
  }
  EXPECT_TRUE(SameElements(Download<uint32_t>(visits_), expected));
}

INSTANTIATE_TEST_SUITE_P(Route, IndirectHostTest, Routes(), ByNameOf);

// --- Counts that no device runs ---

struct AbsurdCount {
  const char* name;
  uint32_t count[3];
};
void PrintTo(const AbsurdCount& absurd, std::ostream* out) { *out << absurd.name; }

class IndirectAbsurdCountTest : public IndirectTestBase,
                                public testing::WithParamInterface<std::tuple<Route, AbsurdCount>> {};

// The library cannot know it at submission, so only the operation fails.
TEST_P(IndirectAbsurdCountTest, FailsTheDispatchAndNothingElse) {
  const auto& [route, absurd] = GetParam();
  const hal_dim3_t& most = device().limits().max_workgroup_count;
  const auto& [x, y, z] = absurd.count;
  if (x <= most.x && y <= most.y && z <= most.z) GTEST_SKIP() << "the device takes so many workgroups";
  const Buffer counts = device().CreateBufferOf<uint32_t>({x, y, z});
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE,
                Submitter(device(), route).Dispatch(kernels_, "count_visits", Counted(counts)));
  ExpectVisits(0);
  EXPECT_OK(hal_device_query_health(device()));
}

const AbsurdCount kAbsurdCounts[] = {
    {"XIsHuge", {UINT32_MAX, 1, 1}},
    {"YIsHuge", {1, UINT32_MAX, 1}},
    {"ZIsHuge", {1, 1, UINT32_MAX}},
    {"AllAreHuge", {UINT32_MAX, UINT32_MAX, UINT32_MAX}},
    {"ProductOverflows", {UINT32_C(1) << 31, UINT32_C(1) << 31, 4}},
    {"NegativeAsSigned", {0x80000000u, 0x80000000u, 0x80000000u}},
};
INSTANTIATE_TEST_SUITE_P(Counts, IndirectAbsurdCountTest, testing::Combine(Routes(), testing::ValuesIn(kAbsurdCounts)),
                         ByParts);

// --- Many at a time ---

class IndirectRecordingTest : public IndirectTestBase {};

// Each execution has the counts of its own table, and if no device runs them, a failure of its own.
TEST_F(IndirectRecordingTest, ExecutionsInFlightReadTheirOwnCounts) {
  constexpr uint32_t kExecutions = 24;
  const bool rejects = device().limits().max_workgroup_count.y < UINT32_MAX;
  const CommandBuffer commands = device().Record(
      [&](const CommandBuffer& c) {
        const auto dispatch = cts::Dispatch().Indirect(Slot(0, 0, 12)).Constant(kCells).Bind(Slot(1));
        Check(c.Dispatch(kernels_, "count_visits", dispatch), "dispatch");
        Check(c.Barrier(), "barrier");
        Check(c.Dispatch(kernels_, "count_visits", dispatch), "dispatch");
      },
      0, 2);
  const Semaphore gate = CreateSemaphore();
  std::vector<Buffer> visits;
  std::vector<Semaphore> done;
  for (uint32_t i = 0; i < kExecutions; ++i) {
    const uint32_t y = rejects && i % 5 == 3 ? UINT32_MAX : 2;
    visits.push_back(device().CreateBufferOf(std::vector<uint32_t>(kCells, 0)));
    done.push_back(CreateSemaphore());
    const Buffer counts = device().CreateBufferOf<uint32_t>({i, y, 1});
    ASSERT_OK(device().QueueExecute({{gate, 1}}, {{done[i], 1}}, commands,
                                    {Ref(counts, 0, 12), Ref(visits[i], 0, HAL_WHOLE_SIZE)}));
  }
  ASSERT_OK(gate.Signal(1));
  for (uint32_t i = 0; i < kExecutions; ++i) {
    SCOPED_TRACE(i);
    const bool rejected = rejects && i % 5 == 3;
    EXPECT_STATUS(rejected ? HAL_STATUS_OUT_OF_RANGE : HAL_STATUS_OK, done[i].Wait(1));
    std::vector<uint32_t> expected(kCells, 0);
    if (!rejected) std::fill_n(expected.begin(), 2 * i, 2);
    EXPECT_TRUE(SameElements(Download<uint32_t>(visits[i]), expected));
  }
}

// --- References that are refused ---

struct BadCountRef {
  const char* name;
  hal_status_t status;
  uint64_t offset;
  uint64_t length;
};
void PrintTo(const BadCountRef& bad, std::ostream* out) { *out << bad.name; }

class IndirectBadRefTest : public IndirectTestBase,
                           public testing::WithParamInterface<std::tuple<Route, BadCountRef>> {};

TEST_P(IndirectBadRefTest, IsRefused) {
  const auto& [route, bad] = GetParam();
  const Buffer counts = device().CreateBufferOf(std::vector<uint32_t>(16, 1));
  const Ref ref(counts, bad.offset, bad.length);
  const hal_status_t status = Submitter(device(), route).Dispatch(kernels_, "count_visits", Counted(ref));
  EXPECT_THAT(status, AnyOf(bad.status, HAL_STATUS_OUT_OF_RANGE));
  ExpectVisits(0);
}

const BadCountRef kBadCountRefs[] = {
    {"OffsetNoMultipleOf4", HAL_STATUS_INVALID_ARGUMENT, 2, 12},
    {"OffsetOdd", HAL_STATUS_INVALID_ARGUMENT, 33, 12},
    {"TooShort", HAL_STATUS_INVALID_ARGUMENT, 0, 8},
    {"EndsPastTheBuffer", HAL_STATUS_OUT_OF_RANGE, 56, 12},
    {"RestIsTooShort", HAL_STATUS_OUT_OF_RANGE, 56, HAL_WHOLE_SIZE},
    {"BeginsPastTheBuffer", HAL_STATUS_OUT_OF_RANGE, 68, 12},
    {"OffsetIsHuge", HAL_STATUS_OUT_OF_RANGE, UINT64_MAX - 3, 12},
};
INSTANTIATE_TEST_SUITE_P(Refs, IndirectBadRefTest, testing::Combine(Routes(), testing::ValuesIn(kBadCountRefs)),
                         ByParts);

class IndirectNoBufferTest : public IndirectTestBase {};

TEST_F(IndirectNoBufferTest, IsRefused) {
  EXPECT_NE(Submitter(device(), Route::kQueue).Dispatch(kernels_, "count_visits", Counted(Ref(Buffer(), 0, 12))),
            HAL_STATUS_OK);
  ExpectVisits(0);
}

}  // namespace
}  // namespace halyard::cts
