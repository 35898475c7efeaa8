// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each allocation of host memory fails once: what the driver keeps, and what it leaves behind.
#include <string>

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

  /// Runs `body` while the n-th allocation fails; whether that came.
  template <class Body>
  static bool Fails(uint64_t nth, const Body& body) {
    allocations::FailAllocation(nth);
    body();
    const bool has_failed = allocations::HasFailed();
    allocations::FailAllocation(0);
    return has_failed;
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
  for (uint64_t nth = 1; Fails(nth, allocate); ++nth) {
    buffer.reset();
    EXPECT_EQ(simulation_.Objects(), objects) << "allocation " << nth;
  }
}

// It keeps up to four recordings, each of which fails to be made first.
TEST_F(ExhaustionTest, ACommandBufferRunsOnceThereIsMemory) {
  constexpr int kAttempts = 5;
  const Buffer data = device_.CreateBuffer(64);
  bool has_failed = true;
  for (uint64_t nth = 1; has_failed; ++nth) {
    SCOPED_TRACE("allocation " + std::to_string(nth));
    const auto record = [&](const CommandBuffer& recording) {
      cts::Check(recording.Fill(Ref(data, 0, 64), uint32_t{1}), "fill");
    };
    const CommandBuffer commands = device_.Record(record, 0);
    has_failed = false;
    for (int i = 0; i < kAttempts; ++i) {
      const Semaphore end = device_.CreateSemaphore();
      has_failed |= Fails(nth, [&] {
        if (device_.QueueExecute(kNoWaits, {{end, 1}}, commands) == HAL_STATUS_OK) static_cast<void>(end.Wait(1));
      });
    }
    const Semaphore done = device_.CreateSemaphore();
    ASSERT_OK(device_.QueueExecute(kNoWaits, {{done, 1}}, commands));
    ASSERT_OK(done.Wait(1));
  }
}

}  // namespace
}  // namespace halyard::vulkan
