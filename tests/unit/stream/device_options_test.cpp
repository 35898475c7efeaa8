// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a stream device may keep, and the trace that it writes, by its parameters.
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "support/temporary_files.h"
#include "unit/stream/memory_device.h"

namespace halyard::stream {
namespace {

using testing::HasSubstr;

/// Allocates and frees in the order of a queue, twice; the second time the block may have been cached.
void AllocateTwice(const Ref<hal_device_t>& device) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device);
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  for (uint64_t value = 1; value <= 3; value += 2) {
    const Point allocated = {timeline.get(), value};
    const Point freed = {timeline.get(), value + 1};
    Ref<hal_buffer_t> buffer;
    ASSERT_EQ(hal_device_queue_alloca(
                  device.get(), hal::SubmitParams(hal_semaphore_list(nullptr, 0), hal_semaphore_list(&allocated, 1), 1),
                  &params, 4096, buffer.out()),
              HAL_STATUS_OK);
    ASSERT_EQ(hal_device_queue_dealloca(
                  device.get(), hal::SubmitParams(hal_semaphore_list(&allocated, 1), hal_semaphore_list(&freed, 1), 1),
                  buffer.get()),
              HAL_STATUS_OK);
    ASSERT_EQ(Wait(timeline, value + 1), HAL_STATUS_OK);
  }
}

TEST(DeviceOptionsTest, ThePoolKeepsWhatItIsTold) {
  const MemoryDevice all;
  ASSERT_EQ(all.status, HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(all.world->pool_keeps, UINT64_MAX);
  AllocateTwice(all.device);
  EXPECT_EQ(all.world->Calls("AllocateFromPool"), 1u) << "the second one is the first one's memory";

  const MemoryDevice some("pool=1MiB");
  ASSERT_EQ(some.status, HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(some.world->pool_keeps, uint64_t{1} << 20);
  AllocateTwice(some.device);
  EXPECT_EQ(some.world->Calls("AllocateFromPool"), 1u);

  const MemoryDevice none("pool=0");
  ASSERT_EQ(none.status, HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(none.world->pool_keeps, 0u);
  AllocateTwice(none.device);
  EXPECT_EQ(none.world->Calls("AllocateFromPool"), 2u);
}

TEST(DeviceOptionsTest, PinnedMemoryIsCachedUpToABound) {
  for (const auto& [parameters, expected] : {std::pair("pinned_pool=1MiB", 1u), std::pair("pinned_pool=0", 2u)}) {
    const MemoryDevice memory(parameters);
    ASSERT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
    const uint64_t before = memory.world->Calls("AllocateHost");
    for (int i = 0; i < 2; ++i) {
      Ref<hal_buffer_t> buffer;
      ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(memory.device.get()), &params, 4096, buffer.out()),
                HAL_STATUS_OK);
    }
    EXPECT_EQ(memory.world->Calls("AllocateHost") - before, expected) << parameters;
  }
}

// The threads of its queues run already, and look at all queues.
TEST(DeviceOptionsTest, DeviceThatCannotBeMadeAsAWholeGoesQuietly) {
  for (int i = 0; i < 100; ++i) {
    const MemoryDevice memory("queues=8&trace=" + testing::TempDir() + "no-such-folder/trace.json");
    ASSERT_NE(memory.status, HAL_STATUS_OK);
    EXPECT_TRUE(BecomesEmpty(*memory.world));
  }
}

TEST(DeviceOptionsTest, TheTraceHoldsWhatTheDeviceDid) {
  const TemporaryFolder folder;
  const std::string path = folder / "trace.json";
  {
    const MemoryDevice memory("trace=" + path);
    ASSERT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
    AllocateTwice(memory.device);
  }
  // A thread of the device may release the last reference.
  std::string trace;
  for (int i = 0; i < 1000 && trace.find("dealloca") == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::ifstream file(path);
    trace.assign(std::istreambuf_iterator<char>(file), {});
  }
  EXPECT_THAT(trace, HasSubstr("alloca"));
  EXPECT_THAT(trace, HasSubstr("dealloca"));
}

}  // namespace
}  // namespace halyard::stream
