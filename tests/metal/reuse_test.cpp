// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the driver uses again: blocks of staging, and the memory of queue allocations. Not while work needs it.
#include <vector>

#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Check;
using cts::CommandBuffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::Ref;
using cts::Semaphore;
using Words = std::vector<uint32_t>;

constexpr uint64_t kUpdate = 64 << 10;  // bytes; four of them fill a block of staging

class ReuseTest : public MetalTest {
 protected:
  static Words Filled(uint32_t word) { return Words(kUpdate / sizeof(word), word); }

  const Device device_ = Open();
  const Semaphore done_ = device_.CreateSemaphore();
};

TEST_F(ReuseTest, UpdatesThatWaitKeepTheirData) {
  constexpr uint32_t kUpdates = 24;
  const Buffer target = device_.CreateBuffer(kUpdates * kUpdate);
  HeldDispatch held(device_);
  for (uint32_t i = 0; i < kUpdates; ++i) {
    const cts::Points waits = {held.end(), {done_, i}};
    ASSERT_OK(device_.QueueUpdate(waits, {{done_, i + 1}}, Filled(i).data(), Ref(target, i * kUpdate, kUpdate)));
  }
  held.Release();
  ASSERT_OK(done_.Wait(kUpdates));
  for (uint32_t i = 0; i < kUpdates; ++i) {
    EXPECT_EQ(device_.Download<uint32_t>(target, i * kUpdate, kUpdate / 4), Filled(i)) << "update " << i;
  }
}

// Each dispatch has an argument buffer of its own, and a block of staging has room for 1,024.
TEST_F(ReuseTest, ALongRecordingKeepsItsArguments) {
  constexpr uint64_t kGroupSize = 256;  // bytes that a workgroup of add_one works on
  constexpr uint64_t kDispatches = 5'000;
  const Executable kernels = device_.LoadKernels("basic");
  const Buffer target = device_.CreateBufferOf(Words(kDispatches * kGroupSize / sizeof(uint32_t), 6));
  const auto record = [&](const CommandBuffer& recording) {
    for (uint64_t i = 0; i < kDispatches; ++i) {
      Check(recording.Dispatch(kernels, "add_one", Dispatch().Bind(Ref(target, i * kGroupSize, kGroupSize))),
            "add_one");
    }
  };
  const CommandBuffer once = device_.Record(record, HAL_COMMAND_BUFFER_ONE_SHOT);
  ASSERT_OK(device_.QueueExecute({}, {{done_, 1}}, once));
  ASSERT_OK(done_.Wait(1));
  EXPECT_THAT(device_.Download<uint32_t>(target), testing::Each(7u));
}

// The second buffer gets the memory of the first one, whose fill has yet to run.
TEST_F(ReuseTest, WorkInCachedMemoryComesAfterItsLastUse) {
  HeldDispatch held(device_);
  const Semaphore other = device_.CreateSemaphore();
  Buffer first;
  Buffer second;
  ASSERT_OK(device_.QueueAlloca({}, {{done_, 1}}, kUpdate, &first));
  ASSERT_OK(device_.QueueFill({{done_, 1}, held.end()}, {{done_, 2}}, first, uint32_t{1}));
  ASSERT_OK(device_.QueueDealloca({{done_, 2}}, {{done_, 3}}, first));
  sim().Reset();
  ASSERT_OK(device_.QueueAlloca({}, {{other, 1}}, kUpdate, &second));
  ASSERT_OK(device_.QueueFill({{other, 1}}, {{other, 2}}, second, uint32_t{2}));
  EXPECT_EQ(sim().Calls("newBufferWithLength:options:"), 0u) << "the memory was cached";
  EXPECT_EQ(sim().Calls("encodeWaitForEvent:value:"), 1u);
  held.Release();
  ASSERT_OK(done_.Wait(3));
  ASSERT_OK(other.Wait(2));
  EXPECT_EQ(device_.Download<uint32_t>(second), Filled(2));
}

}  // namespace
}  // namespace halyard::metal
