// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Once warm, a copy between two devices allocates nothing, whichever way it goes. The simulated devices' own library is
// not counted.
#include <gmock/gmock.h>

#include <string>

#include "allocations/counting_allocator.h"
#include "base/object_memory.h"
#include "cts/handles.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::allocations {
namespace {

constexpr uint64_t kLength = (uint64_t{1} << 20) + 5;  // bytes: several pieces of a staged copy
constexpr int kInFlight = 32;                          // copies at once, to begin with
constexpr uint64_t kCopies = 60;
constexpr int kMostRounds = 50;

struct Pair {
  const char* name;
  const char* source;
  const char* target;
  hal_copy_route_t route;
};

constexpr Pair kPairs[] = {
    {"Host", "local://sync", "local://task?threads=2", HAL_COPY_ROUTE_HOST},
#if defined(HALYARD_SIMULATED_DEVICES)
    {"Direct", "cuda://0", "cuda://1", HAL_COPY_ROUTE_DIRECT},
    {"ToHost", "cuda://0", "local://task?threads=2", HAL_COPY_ROUTE_HOST},
    {"Staged", "cuda://0", "hip://0", HAL_COPY_ROUTE_STAGED},
    {"StagedBack", "hip://0?completion=portable", "cuda://0?completion=portable", HAL_COPY_ROUTE_STAGED},
#endif
};

cts::Handle<hal_device_t, hal_device_retain, hal_device_release> Open(const char* uri) {
  cts::Handle<hal_device_t, hal_device_retain, hal_device_release> device;
  EXPECT_EQ(hal_device_create(hal_string_view(uri), device.out()), HAL_STATUS_OK) << hal_last_error_message();
  return device;
}

cts::Buffer MakeBuffer(hal_device_t* device) {
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  cts::Buffer buffer;
  EXPECT_EQ(hal_allocator_allocate(hal_device_allocator(device), &params, kLength, buffer.out()), HAL_STATUS_OK)
      << hal_last_error_message();
  return buffer;
}

class PeerCopyAllocationTest : public testing::TestWithParam<Pair> {};

TEST_P(PeerCopyAllocationTest, WarmCopiesAllocateNothing) {
  const auto source = Open(GetParam().source);
  const auto target = Open(GetParam().target);
  hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
  ASSERT_EQ(hal_device_query_peer(source, target, &peer), HAL_STATUS_OK);
  ASSERT_EQ(peer.copy_route, GetParam().route);
  const cts::Buffer from = MakeBuffer(source);
  const cts::Buffer to = MakeBuffer(target);
  cts::Semaphore done;
  ASSERT_EQ(hal_semaphore_create(source, nullptr, done.out()), HAL_STATUS_OK);
  uint64_t value = 0;
  // Even ones are rows.
  const auto submit = [&](hal_device_t* device) {
    const hal_timeline_point_t end = hal_timeline_point(done, ++value);
    const hal_timeline_point_t before = hal_timeline_point(done, value - 1);
    const hal::SubmitParams params({&before, 1}, {&end, 1});
    if (value % 2 != 0) {
      return hal_device_queue_copy(device, params, hal_buffer_ref(from, 0, kLength), hal_buffer_ref(to, 0, kLength));
    }
    hal_strided_copy_params_t rows = HAL_STRIDED_COPY_PARAMS_INIT;
    rows.source = hal_buffer_ref(from, 0, kLength);
    rows.target = hal_buffer_ref(to, 0, kLength);
    rows.width = 700;
    rows.height = 1000;
    rows.source_row_pitch = rows.target_row_pitch = 1024;
    return hal_device_queue_copy_strided(device, params, &rows);
  };
  for (int i = 0; i < kInFlight; ++i) ASSERT_EQ(submit(i % 4 < 2 ? source : target), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_wait(done, value, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK) << hal_last_error_message();
  // Pools grow until they have what the busiest moment needs, which may come late.
  uint64_t allocations = 1;
  for (int round = 0; round < kMostRounds && allocations != 0; ++round) {
    const uint64_t before = LibraryAllocations();
    for (uint64_t i = 0; i < kCopies; ++i) {
      ASSERT_EQ(submit(i % 4 < 2 ? source : target), HAL_STATUS_OK) << hal_last_error_message();
      ASSERT_EQ(hal_semaphore_wait(done, value, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK) << hal_last_error_message();
    }
    allocations = LibraryAllocations() - before;
    if (!kKeepsFreedMemory) return;
  }
  EXPECT_EQ(allocations, 0u) << "in " << kCopies << " copies";
}

INSTANTIATE_TEST_SUITE_P(Routes, PeerCopyAllocationTest, testing::ValuesIn(kPairs),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace halyard::allocations
