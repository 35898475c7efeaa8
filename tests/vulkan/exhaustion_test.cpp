// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each allocation of host memory fails once: what the driver keeps, and what it leaves behind.
#include "allocations/counting_allocator.h"
#include "simulation.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::CommandBuffer;
using cts::Device;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;

class ExhaustionTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(simulation_.Reports(), 0u); }

  /// Runs `body` once for each of its allocations, which fails; `check` looks at what that left.
  template <class Body, class Check>
  static void FailEach(const Body& body, const Check& check) {
    bool has_failed = true;
    for (uint64_t n = 1; has_failed; ++n) {
      SCOPED_TRACE("allocation " + std::to_string(n));
      allocations::FailAllocation(n);
      body();
      has_failed = allocations::HasFailed();
      allocations::FailAllocation(0);
      check();
    }
  }

  const Simulation simulation_;
  const Device device_ = OpenVulkan();
};

TEST_F(ExhaustionTest, ALargeBufferThatCannotBeLeavesNoMemory) {
  const hal_buffer_params_t params = cts::DeviceLocal();
  Buffer buffer;
  const uint64_t objects = simulation_.Objects();
  const auto allocate = [&] {
    static_cast<void>(hal_allocator_allocate(device_.allocator(), &params, uint64_t{40} << 20, buffer.out()));
  };
  FailEach(allocate, [&] {
    buffer.reset();
    EXPECT_EQ(simulation_.Objects(), objects);
  });
}

TEST_F(ExhaustionTest, ACommandBufferRunsOnceThereIsMemory) {
  const Buffer data = device_.CreateBuffer(64);
  CommandBuffer commands;
  Semaphore end;
  Semaphore later;
  const auto prepare = [&] {
    end = device_.CreateSemaphore();
    later = device_.CreateSemaphore();
    commands = device_.Record(
        [&](const CommandBuffer& recording) { cts::Check(recording.Fill(Ref(data, 0, 64), uint32_t{1}), "fill"); });
  };
  const auto execute = [&] {
    if (device_.QueueExecute(kNoWaits, {{end, 1}}, commands) == HAL_STATUS_OK) static_cast<void>(end.Wait(1));
  };
  prepare();
  FailEach(execute, [&] {
    ASSERT_OK(device_.QueueExecute(kNoWaits, {{later, 1}}, commands));
    ASSERT_OK(later.Wait(1));
    prepare();
  });
}

}  // namespace
}  // namespace halyard::vulkan
