// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Once warm, a submission allocates nothing.
//
// Warm means that as many operations of the kind were in flight before as are now. On `local://sync` everything happens
// on this thread, so that every call of malloc() in the process is counted. On `local://task` other
// threads do so meanwhile; there the library's own allocations are counted, and those of the whole process are printed.
#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

#include "allocations/counting_allocator.h"
#include "allocations/operations.h"
#include "base/object_memory.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::allocations {
namespace {

constexpr uint64_t kWarmUp = 64;  // operations in flight at once
constexpr uint64_t kSubmissions = 1000;

struct Case {
  const char* uri;
  Operation operation;
  bool deferred;  // submitted before what it waits for is signalled
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const char* uri : {"local://sync", "local://task?threads=2"}) {
    for (const Operation& operation : kOperations) {
      cases.push_back({uri, operation, false});
      cases.push_back({uri, operation, true});
    }
  }
  return cases;
}

class AllocationTest : public testing::TestWithParam<Case> {
 protected:
  AllocationTest() : place_(GetParam().uri) {}

  bool inline_device() const { return std::string(GetParam().uri) == "local://sync"; }
  // What the operation signals in the end.
  uint64_t LastValue(uint64_t step) const { return step * GetParam().operation.values; }
  // Where freed memory is not kept, queue_alloca makes a buffer each time.
  uint64_t OwnObjects() const { return kKeepsFreedMemory || GetParam().operation.values == 1 ? 0 : 1; }

  hal_status_t Submit(uint64_t wait, uint64_t signal) {
    const hal_timeline_point_t waits = hal_timeline_point(place_.wait, wait);
    const hal_timeline_point_t signals = hal_timeline_point(place_.done, signal);
    return GetParam().operation.submit(place_, {&waits, 1}, {&signals, 1});
  }

  /// Lets many operations be in flight at once, so that pools and containers grow to what they will need. A wait that
  /// ends before the thread sleeps registers nothing with the timeline; so a callback does.
  void WarmUp() {
    const auto ignore = [](void*, hal_status_t, hal_string_view_t) {};
    ASSERT_EQ(hal_semaphore_notify(place_.done, LastValue(1), ignore, nullptr, nullptr), HAL_STATUS_OK);
    for (int round = 0; round < 2; ++round) {
      const uint64_t begin = step_;
      for (uint64_t i = 0; i < kWarmUp; ++i, ++step_) {
        ASSERT_EQ(Submit(begin + 1 + i, step_ + 1), HAL_STATUS_OK) << hal_last_error_message();
      }
      for (uint64_t i = 1; i <= kWarmUp; ++i) {  // one at a time, as signals must come in order
        ASSERT_EQ(hal_semaphore_signal(place_.wait, begin + i), HAL_STATUS_OK);
        ASSERT_EQ(hal_semaphore_wait(place_.done, LastValue(begin + i), HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
      }
    }
  }

  hal_status_t SubmitAndWait() {
    const uint64_t value = ++step_;
    hal_status_t status = HAL_STATUS_OK;
    if (!GetParam().deferred) status = hal_semaphore_signal(place_.wait, value);
    if (status == HAL_STATUS_OK) status = Submit(value, value);
    if (GetParam().deferred && status == HAL_STATUS_OK) status = hal_semaphore_signal(place_.wait, value);
    if (status == HAL_STATUS_OK) status = hal_semaphore_wait(place_.done, LastValue(value), HAL_TIMEOUT_INFINITE);
    return status;
  }

  Workplace place_;
  uint64_t step_ = 0;
};

TEST_P(AllocationTest, WarmSubmissionsAllocateNothing) {
  ASSERT_NO_FATAL_FAILURE(WarmUp());
  hal_status_t status = HAL_STATUS_OK;
  const uint64_t library_before = LibraryAllocations();
  const uint64_t mallocs_before = Mallocs();
  for (uint64_t i = 0; i < kSubmissions && status == HAL_STATUS_OK; ++i) status = SubmitAndWait();
  const uint64_t mallocs = Mallocs() - mallocs_before;
  const uint64_t library = LibraryAllocations() - library_before;
  ASSERT_EQ(status, HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(library, kSubmissions * OwnObjects());
  RecordProperty("mallocs", static_cast<int>(mallocs));
  if (!CountsMalloc()) return;
  if (inline_device()) {
    EXPECT_EQ(mallocs, 0u);
  } else {
    std::printf("%llu calls of malloc() in %llu submissions\n", static_cast<unsigned long long>(mallocs),
                static_cast<unsigned long long>(kSubmissions));
  }
}

INSTANTIATE_TEST_SUITE_P(Local, AllocationTest, testing::ValuesIn(Cases()), [](const auto& tested) {
  const bool is_inline = std::string(tested.param.uri) == "local://sync";
  return std::string(is_inline ? "Sync" : "Task") + tested.param.operation.name +
         (tested.param.deferred ? "Deferred" : "");
});

#if defined(__x86_64__)
TEST(Calls, OfCFunctionsAllocateNothing) {
  const Workplace place("local://sync");
  const hal_function_t* function = nullptr;
  ASSERT_EQ(hal_executable_function(place.c_function, 0, &function), HAL_STATUS_OK) << hal_last_error_message();
  uint8_t byte = 0;
  const hal_value_t arguments[] = {hal_value_pointer(&byte), hal_value_pointer(nullptr), hal_value_index(42),
                                   hal_value_index(9),       hal_value_index(4),         hal_value_index(1),
                                   hal_value_index(10)};
  const uint64_t library = LibraryAllocations();
  const uint64_t mallocs = Mallocs();
  hal_status_t status = HAL_STATUS_OK;
  for (uint64_t i = 0; i < kSubmissions && status == HAL_STATUS_OK; ++i) {
    status = hal_function_call(function, std::size(arguments), arguments, 0, nullptr);
  }
  EXPECT_EQ(LibraryAllocations(), library);
  if (CountsMalloc()) EXPECT_EQ(Mallocs(), mallocs);
  EXPECT_EQ(status, HAL_STATUS_OK) << hal_last_error_message();
}
#endif

// Operations that run within their submission take them from the application.
TEST(Constants, AreAlignedForKernelsWhereverTheApplicationHasThem) {
  for (const char* uri : {"local://sync", "local://task?threads=2"}) {
    const Workplace place(uri);
    alignas(16) std::array<char, 32> bytes{};
    const std::array bindings = {hal_buffer_ref(place.source, 0, 64), hal_buffer_ref(place.target, 0, 64)};
    uint64_t value = 0;
    for (size_t offset = 0; offset < 16; ++offset) {
      hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
      dispatch.constants = &bytes[offset];
      dispatch.constants_size = 8;
      dispatch.bindings = hal_buffer_ref_list(bindings.data(), bindings.size());
      const hal_timeline_point_t done = hal_timeline_point(place.done, ++value);
      ASSERT_EQ(
          hal_device_queue_dispatch(place.device, hal::SubmitParams({}, {&done, 1}), place.executable, 0, &dispatch),
          HAL_STATUS_OK);
      EXPECT_EQ(hal_semaphore_wait(place.done, value, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK) << hal_last_error_message();
    }
  }
}

// The counters must be able to see what the tests above say is not there.
TEST(Trim, FreesWhatACrowdOfOperationsLeft) {
  constexpr int kCrowd = 1000;
  const Workplace place("local://sync");
  const hal_timeline_point_t wait = hal_timeline_point(place.wait, 1);
  for (int i = 0; i < kCrowd; ++i) {
    ASSERT_EQ(hal_device_queue_barrier(place.device, hal::SubmitParams({&wait, 1}, {nullptr, 0})), HAL_STATUS_OK);
  }
  ASSERT_EQ(hal_semaphore_signal(place.wait, 1), HAL_STATUS_OK);
  const int64_t before = LiveLibraryAllocations();
  ASSERT_EQ(hal_allocator_trim(hal_device_allocator(place.device)), HAL_STATUS_OK);
  EXPECT_LE(LiveLibraryAllocations(), before - (kCrowd - 1)) << "one may stay for the next operation";
  EXPECT_EQ(hal_device_queue_barrier(place.device, hal::SubmitParams({&wait, 1}, {nullptr, 0})), HAL_STATUS_OK);
}

TEST(Semaphores, AreMadeOfWhatOthersLeft) {
  const Workplace place("local://sync");
  const auto make_and_signal = [&] {
    SemaphoreHandle semaphore;
    hal_status_t status = hal_semaphore_create(place.device, nullptr, semaphore.out());
    return status == HAL_STATUS_OK ? hal_semaphore_signal(semaphore, 1) : status;
  };
  ASSERT_EQ(make_and_signal(), HAL_STATUS_OK);
  const uint64_t library = LibraryAllocations();
  const uint64_t mallocs = Mallocs();
  hal_status_t status = HAL_STATUS_OK;
  for (uint64_t i = 0; i < kSubmissions && status == HAL_STATUS_OK; ++i) status = make_and_signal();
  EXPECT_EQ(status, HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(LibraryAllocations() - library, kKeepsFreedMemory ? 0 : kSubmissions);
  if (CountsMalloc()) EXPECT_EQ(Mallocs(), mallocs);
}

TEST(Trim, FreesWhatSemaphoresLeft) {
  constexpr int kCrowd = 100;
  const Workplace place("local://sync");
  const int64_t before = LiveLibraryAllocations();
  {
    std::vector<SemaphoreHandle> crowd(kCrowd);
    for (SemaphoreHandle& semaphore : crowd) {
      ASSERT_EQ(hal_semaphore_create(place.device, nullptr, semaphore.out()), HAL_STATUS_OK);
    }
  }
  if (kKeepsFreedMemory) EXPECT_EQ(LiveLibraryAllocations(), before + kCrowd);
  ASSERT_EQ(hal_allocator_trim(hal_device_allocator(place.device)), HAL_STATUS_OK);
  EXPECT_LE(LiveLibraryAllocations(), before);
}

TEST(Counters, SeeAllocations) {
  const uint64_t library = LibraryAllocations();
  const uint64_t mallocs = Mallocs();
  const Workplace place("local://sync");
  EXPECT_GT(LibraryAllocations(), library + 5);
  if (CountsMalloc()) EXPECT_GT(Mallocs(), mallocs + 5);
}

}  // namespace
}  // namespace halyard::allocations
