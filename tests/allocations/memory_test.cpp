// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that objects take, and that stay when they are gone. Exact: the library's allocator counts what it is asked
// for.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "allocations/counting_allocator.h"
#include "allocations/operations.h"
#include "base/object_memory.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::allocations {
namespace {

constexpr int64_t kMiB = 1 << 20;

/// Bytes of the library that `make()` takes for each of `count` objects.
template <class Make>
double BytesEach(int count, const Make& make) {
  const int64_t before = LiveLibraryBytes();
  for (int i = 0; i < count; ++i) make(i);
  const double bytes = static_cast<double>(LiveLibraryBytes() - before) / count;
  std::printf("%.1f bytes each\n", bytes);
  return bytes;
}

/// Records dispatches of two bindings and 8 bytes of constants; each one names other buffers than the one before.
class Recorder {
 public:
  explicit Recorder(const Workplace& place) : place_(place) {
    const hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
    EXPECT_EQ(hal_command_buffer_create(place.device, &params, commands_.out()), HAL_STATUS_OK);
    EXPECT_EQ(hal_command_buffer_begin(commands_), HAL_STATUS_OK);
  }

  void Record(int number) {
    const auto constants = static_cast<uint64_t>(number);
    const std::array bindings = {hal_buffer_ref(number % 2 ? place_.source : place_.target, 0, HAL_WHOLE_SIZE),
                                 hal_buffer_ref(number % 2 ? place_.target : place_.source, 0, HAL_WHOLE_SIZE)};
    hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
    dispatch.constants = &constants;
    dispatch.constants_size = sizeof(constants);
    dispatch.bindings = hal_buffer_ref_list(bindings.data(), bindings.size());
    ASSERT_EQ(hal_command_buffer_dispatch(commands_, place_.executable, 0, &dispatch), HAL_STATUS_OK)
        << hal_last_error_message();
  }

 private:
  const Workplace& place_;
  CommandBufferHandle commands_;
};

TEST(Recording, AllocatesAlmostNothingOnceWarm) {
  constexpr int kDispatches = 1000;
  const Workplace place("local://sync");
  for (int round = 0; round < 3; ++round) {
    Recorder recorder(place);
    const uint64_t library = LibraryAllocations();
    const uint64_t mallocs = Mallocs();
    for (int i = 0; i < kDispatches; ++i) recorder.Record(i);
    const uint64_t allocations = LibraryAllocations() - library;
    const uint64_t all = Mallocs() - mallocs;
    RecordProperty("allocations", static_cast<int>(allocations));
    // Blocks of 512 bytes to 128 KiB, each twice as large as the one before.
    if (round == 0 || !kKeepsFreedMemory) EXPECT_LE(allocations, 12u);
    if (round > 0 && kKeepsFreedMemory) EXPECT_EQ(allocations, 0u);
    if (round > 0) EXPECT_EQ(all, 0u);
  }
}

TEST(Recording, OfManyDispatchesAllocatesAtMostTwiceInAThousand) {
  constexpr int kDispatches = 100'000;
  const Workplace place("local://sync");
  for (int round = 0; round < 2; ++round) {
    Recorder recorder(place);
    const uint64_t before = LibraryAllocations();
    for (int i = 0; i < kDispatches; ++i) recorder.Record(i);
    EXPECT_LE(LibraryAllocations() - before, kDispatches * 2 / 1000u);
  }
}

TEST(Recording, LeavesABoundedAmountAndTrimFreesIt) {
  const Workplace place("local://sync");
  const int64_t before = LiveLibraryBytes();
  {
    Recorder recorder(place);
    for (int i = 0; i < 100'000; ++i) recorder.Record(i);
    EXPECT_GT(LiveLibraryBytes(), before + 16 * kMiB);
  }
  EXPECT_LE(LiveLibraryBytes(), before + 8 * kMiB);
  ASSERT_EQ(hal_allocator_trim(hal_device_allocator(place.device)), HAL_STATUS_OK);
  EXPECT_LE(LiveLibraryBytes(), before);
}

TEST(Memory, OfARecordedDispatchIsAtMost200Bytes) {
  const Workplace place("local://sync");
  Recorder recorder(place);
  EXPECT_LE(BytesEach(10'000, [&](int i) { recorder.Record(i); }), 200);
}

TEST(Memory, OfASemaphoreIsAtMost160Bytes) {
  constexpr int kCount = 1000;
  const Workplace place("local://sync");
  ASSERT_EQ(hal_allocator_trim(hal_device_allocator(place.device)), HAL_STATUS_OK);
  std::vector<SemaphoreHandle> semaphores(kCount);
  const auto make = [&](int i) {
    ASSERT_EQ(hal_semaphore_create(place.device, nullptr, semaphores[static_cast<size_t>(i)].out()), HAL_STATUS_OK);
  };
  EXPECT_LE(BytesEach(kCount, make), 160);
}

/// Operations that wait for the values 1 … `count` of a semaphore, in this order.
class DeferredCrowd {
 public:
  DeferredCrowd(const Workplace& place, int count) : place_(place), order_(static_cast<size_t>(count)) {
    std::iota(order_.begin(), order_.end(), uint64_t{1});
  }
  void Shuffle() {
    std::mt19937_64 random(order_.size());
    std::shuffle(order_.begin(), order_.end(), random);
  }

  void Submit(int number) {
    const uint64_t value = order_[static_cast<size_t>(number)];
    const hal_timeline_point_t wait = hal_timeline_point(place_.wait, value);
    const hal_timeline_point_t signal = hal_timeline_point(place_.done, value);
    ASSERT_EQ(hal_device_queue_barrier(place_.device, hal::SubmitParams({&wait, 1}, {&signal, 1})), HAL_STATUS_OK)
        << hal_last_error_message();
  }
  int count() const { return static_cast<int>(order_.size()); }

  void End() {
    ASSERT_EQ(hal_semaphore_signal(place_.wait, order_.size()), HAL_STATUS_OK);
    ASSERT_EQ(hal_semaphore_wait(place_.done, order_.size(), HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  }

 private:
  const Workplace& place_;
  std::vector<uint64_t> order_;
};

// With its place in the semaphore's list of waits.
TEST(Memory, OfADeferredOperationIsAtMost320Bytes) {
  const Workplace place("local://sync");
  DeferredCrowd crowd(place, 100'000);
  EXPECT_LE(BytesEach(crowd.count(), [&](int i) { crowd.Submit(i); }), 320);
  crowd.End();
}

class BurstTest : public testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(BurstTest, LeavesAlmostNothingOnceTrimmed) {
  constexpr int kOperations = 200'000;
  const auto [uri, in_order] = GetParam();
  const Workplace place(uri);
  const int64_t before = LiveLibraryBytes();
  DeferredCrowd crowd(place, kOperations);
  if (!in_order) crowd.Shuffle();
  for (int i = 0; i < kOperations; ++i) crowd.Submit(i);
  const int64_t during = LiveLibraryBytes() - before;
  crowd.End();
  ASSERT_EQ(hal_allocator_trim(hal_device_allocator(place.device)), HAL_STATUS_OK);
  const int64_t stays = LiveLibraryBytes() - before;
  std::printf("%lld bytes while %d wait, %lld once trimmed\n", static_cast<long long>(during), kOperations,
              static_cast<long long>(stays));
  EXPECT_GT(during, 40 * kMiB);
  EXPECT_LE(stays, kMiB / 8) << "the target is 8 MiB";
}

INSTANTIATE_TEST_SUITE_P(Local, BurstTest,
                         testing::Combine(testing::Values("local://sync", "local://task?threads=2"), testing::Bool()),
                         [](const auto& tested) {
                           const bool is_sync = std::string(std::get<0>(tested.param)) == "local://sync";
                           return std::string(is_sync ? "Sync" : "Task") +
                                  (std::get<1>(tested.param) ? "InOrder" : "AtRandom");
                         });

}  // namespace
}  // namespace halyard::allocations
