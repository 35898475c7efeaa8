// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An interop queue that begins to work during a pass of Retirement: what the pass retires may come after its work.
#include <thread>

#include "stream/device/external_streams.h"
#include "stream/device/stream_device.h"
#include "submission/test_points.h"
#include "unit/stream/memory_device.h"
#include "unit/stream/stress/delays.h"

namespace halyard::stream {
namespace {

class ExternalOrderTest : public testing::TestWithParam<const char*> {};

TEST_P(ExternalOrderTest, AQueueThatIsOpenedDuringAPassIsRetiredInOrder) {
  MemoryDevice memory(std::string("queues=1&completion=") + GetParam());
  ASSERT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
  auto& device = static_cast<StreamDevice&>(*memory.device.get());
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory.device, 64);
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(memory.device);
  const Ref<hal_semaphore_t> ended = MakeSemaphore(memory.device);
  const Points first = {{timeline.get(), 1}, {ended.get(), 1}};

  Stop stop(kRetirementPass);
  std::thread pass([&] { device.Retire(); });
  EXPECT_TRUE(stop.AwaitVisitor());
  {
    const NativeScope scope(device.api());
    NativeStream stream = nullptr;
    ASSERT_EQ(device.api().CreateStream(&stream), kOk);
    EXPECT_EQ(JoinStream(device, stream, {}, hal_semaphore_list(first.data(), first.size())), kOk)
        << hal_last_error_message();
    EXPECT_EQ(Fill(memory.device, {first.front()}, {{timeline.get(), 2}}, buffer, 1), HAL_STATUS_OK)
        << hal_last_error_message();
    EXPECT_EQ(device.api().SynchronizeStream(device.context().stream(0)), kOk);
    EXPECT_TRUE(device.queue(0).Query(1));
    device.api().DestroyStream(stream);
  }
  stop.Resume();
  pass.join();
  EXPECT_EQ(Wait(timeline, 2), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Wait(ended, 1), HAL_STATUS_OK) << hal_last_error_message();
  uint64_t value = 0;
  EXPECT_EQ(hal_semaphore_query(timeline.get(), &value), HAL_STATUS_OK)
      << "signals came out of order: " << hal_last_error_message();
}

INSTANTIATE_TEST_SUITE_P(Completion, ExternalOrderTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::stream
