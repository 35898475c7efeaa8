// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The block cache: queue allocations that reuse freed blocks without the native API.
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "unit/stream/memory_device.h"

namespace halyard::stream {
namespace {

constexpr uint64_t kBlockLength = 1000;

/// Runs for completion=fast and completion=portable.
class BlockCacheTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message(); }
  void TearDown() override {
    const std::shared_ptr<MemoryWorld> world = memory_.world;
    timeline_ = {};
    memory_.device = {};
    EXPECT_TRUE(BecomesEmpty(*world)) << world->allocations << " allocations";
    EXPECT_EQ(TakeReports(), "");
  }
  const Ref<hal_device_t>& device() const { return memory_.device; }
  MemoryWorld& world() { return *memory_.world; }

  /// The next point of the timeline, after the one before.
  struct Step {
    Point wait;
    Point signal;
  };
  Step Next() {
    ++value_;
    return {{timeline_.get(), value_ - 1}, {timeline_.get(), value_}};
  }
  Ref<hal_buffer_t> Alloca(uint64_t length, hal_queue_mask_t queues = 1) {
    const Step step = Next();
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    Ref<hal_buffer_t> buffer;
    EXPECT_EQ(hal_device_queue_alloca(
                  device().get(),
                  hal::SubmitParams(hal_semaphore_list(&step.wait, 1), hal_semaphore_list(&step.signal, 1), queues),
                  &params, length, buffer.out()),
              HAL_STATUS_OK)
        << hal_last_error_message();
    return buffer;
  }
  void Dealloca(const Ref<hal_buffer_t>& buffer, hal_queue_mask_t queues = 1) {
    const Step step = Next();
    EXPECT_EQ(hal_device_queue_dealloca(
                  device().get(),
                  hal::SubmitParams(hal_semaphore_list(&step.wait, 1), hal_semaphore_list(&step.signal, 1), queues),
                  buffer.get()),
              HAL_STATUS_OK)
        << hal_last_error_message();
  }
  void Use(const Ref<hal_buffer_t>& buffer) {
    const Step step = Next();
    EXPECT_EQ(Fill(device(), {step.wait}, {step.signal}, buffer, 1, 1), HAL_STATUS_OK) << hal_last_error_message();
  }
  uint64_t Value() {
    uint64_t value = 0;
    EXPECT_EQ(hal_semaphore_query(timeline_.get(), &value), HAL_STATUS_OK);
    return value;
  }
  uint64_t InUse() {
    hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
    EXPECT_EQ(hal_allocator_query_statistics(hal_device_allocator(device().get()), &statistics), HAL_STATUS_OK);
    return statistics.bytes_in_use;
  }

  MemoryDevice memory_{std::string("memory=64MiB&completion=") + GetParam()};
  Ref<hal_semaphore_t> timeline_ = MakeSemaphore(memory_.device);
  uint64_t value_ = 0;
};

TEST_P(BlockCacheTest, ReusesBlocksWithoutTheNativeApi) {
  Dealloca(Alloca(kBlockLength));
  ASSERT_EQ(Wait(timeline_, value_), HAL_STATUS_OK);
  const uint64_t before = MemoryWorld::CallsHere();
  for (int i = 0; i < 10; ++i) {
    const Ref<hal_buffer_t> buffer = Alloca(kBlockLength);
    EXPECT_EQ(Value(), value_) << "nothing has to be waited for";
    EXPECT_EQ(InUse(), kBlockLength);
    Dealloca(buffer);
  }
  EXPECT_EQ(Value(), value_);
  EXPECT_EQ(InUse(), 0u);
  EXPECT_EQ(MemoryWorld::CallsHere(), before);
}

TEST_P(BlockCacheTest, KeepsTheOrderOfWorkThatIsUnderWay) {
  Dealloca(Alloca(kBlockLength));
  ASSERT_EQ(Wait(timeline_, value_), HAL_STATUS_OK);
  world().paused = true;
  const Ref<hal_buffer_t> first = Alloca(kBlockLength);
  const uint64_t reached = value_;
  Use(first);
  const uint64_t before = MemoryWorld::CallsHere();
  Dealloca(first);
  const Ref<hal_buffer_t> second = Alloca(kBlockLength);
  Dealloca(second);
  EXPECT_EQ(MemoryWorld::CallsHere(), before) << "the same memory changed hands in the order of the queue";
  EXPECT_EQ(Value(), reached) << "the fill is not done, nor what comes after it";
  world().paused = false;
  EXPECT_EQ(Wait(timeline_, value_), HAL_STATUS_OK) << hal_last_error_message();
}

TEST_P(BlockCacheTest, TakesNoBlockThatAnotherQueueStillUses) {
  Dealloca(Alloca(kBlockLength));
  ASSERT_EQ(Wait(timeline_, value_), HAL_STATUS_OK);
  world().paused = true;
  const Ref<hal_buffer_t> first = Alloca(kBlockLength);
  Use(first);
  Dealloca(first);
  // Waits for nothing, on another queue.
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  const Ref<hal_semaphore_t> done = MakeSemaphore(device());
  const Point signal = {done.get(), 1};
  Ref<hal_buffer_t> other;
  const uint64_t before = MemoryWorld::CallsHere();
  ASSERT_EQ(hal_device_queue_alloca(device().get(),
                                    hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1), 2),
                                    &params, kBlockLength, other.out()),
            HAL_STATUS_OK);
  EXPECT_GT(MemoryWorld::CallsHere(), before) << "the memory is new";
  world().paused = false;
  EXPECT_EQ(Wait(timeline_, value_), HAL_STATUS_OK);
  EXPECT_EQ(Wait(done, 1), HAL_STATUS_OK);
}

TEST_P(BlockCacheTest, TrimFreesIt) {
  const int before = world().allocations;
  std::vector<Ref<hal_buffer_t>> buffers;
  for (uint64_t i = 1; i <= 100; ++i) buffers.push_back(Alloca(i * kBlockLength));  // more than are cached
  for (const Ref<hal_buffer_t>& buffer : buffers) Dealloca(buffer);
  ASSERT_EQ(Wait(timeline_, value_), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_GT(world().allocations, before);
  ASSERT_EQ(hal_allocator_trim(hal_device_allocator(device().get())), HAL_STATUS_OK);
  for (int i = 0; i < 5000 && world().allocations > before; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(world().allocations, before);
}

// That nothing is left over is what TearDown() expects.
TEST_P(BlockCacheTest, IsFreedAlthoughACallFails) {
  Dealloca(Alloca(kBlockLength));
  ASSERT_EQ(Wait(timeline_, value_), HAL_STATUS_OK) << hal_last_error_message();
  world().Fail("FreeToPool", HAL_STATUS_INTERNAL);
  ASSERT_EQ(hal_allocator_trim(hal_device_allocator(device().get())), HAL_STATUS_OK);
  EXPECT_EQ(world().faults.Failures(), 1u) << "the block was cached, and freed now";
}

TEST_P(BlockCacheTest, IsEmptiedWhereMemoryIsShort) {
  Dealloca(Alloca(kBlockLength));
  ASSERT_EQ(Wait(timeline_, value_), HAL_STATUS_OK);
  world().Fail("AllocateFromPool", HAL_STATUS_RESOURCE_EXHAUSTED);
  const Ref<hal_buffer_t> buffer = Alloca(3 * kBlockLength);
  EXPECT_EQ(Wait(timeline_, value_), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(world().faults.Failures(), 1u) << "the pool was asked";
  Dealloca(buffer);
  EXPECT_EQ(Wait(timeline_, value_), HAL_STATUS_OK);
}

TEST_P(BlockCacheTest, CountsAgainstTheDevicesMemory) {
  // 48 MiB of 64 do not fit twice, and are more than is cached; 12 MiB are cached, and evicted.
  for (const uint64_t mebibytes : {12, 48, 12, 48}) {
    const Ref<hal_buffer_t> buffer = Alloca(mebibytes << 20);
    ASSERT_EQ(Wait(timeline_, value_), HAL_STATUS_OK) << mebibytes << " MiB: " << hal_last_error_message();
    EXPECT_EQ(InUse(), mebibytes << 20);
    Dealloca(buffer);
  }
  const Ref<hal_buffer_t> all = Alloca(uint64_t{64} << 20);
  EXPECT_EQ(Wait(timeline_, value_), HAL_STATUS_OK) << hal_last_error_message();
  Dealloca(all);
  EXPECT_EQ(Wait(timeline_, value_), HAL_STATUS_OK);
}

TEST_P(BlockCacheTest, SharesBlocksAmongThreadsAndQueues) {
  constexpr uint32_t kThreads = 8;
  constexpr uint32_t kRounds = 200;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
      const Ref<hal_semaphore_t> own = MakeSemaphore(device());
      const Ref<hal_buffer_t> result = MakeBuffer(device(), kBlockLength);
      for (uint32_t i = 0; i < kRounds; ++i) {
        const auto queue = [&](uint32_t step) { return hal_queue_mask_t{1} << ((t + i + step * (i % 3)) % 4); };
        const uint64_t first = uint64_t{i} * 4;
        const Point points[5] = {{own.get(), first},
                                 {own.get(), first + 1},
                                 {own.get(), first + 2},
                                 {own.get(), first + 3},
                                 {own.get(), first + 4}};
        Ref<hal_buffer_t> buffer;
        EXPECT_EQ(hal_device_queue_alloca(
                      device().get(),
                      hal::SubmitParams(hal_semaphore_list(&points[0], 1), hal_semaphore_list(&points[1], 1), queue(0)),
                      &params, kBlockLength, buffer.out()),
                  HAL_STATUS_OK);
        EXPECT_EQ(Fill(device(), {points[1]}, {points[2]}, buffer, t * kRounds + i, queue(1)), HAL_STATUS_OK);
        EXPECT_EQ(Copy(device(), {points[2]}, {points[3]}, buffer, result, queue(2)), HAL_STATUS_OK);
        EXPECT_EQ(hal_device_queue_dealloca(
                      device().get(),
                      hal::SubmitParams(hal_semaphore_list(&points[3], 1), hal_semaphore_list(&points[4], 1), queue(3)),
                      buffer.get()),
                  HAL_STATUS_OK);
        if (i % 8 != 7) continue;
        EXPECT_EQ(Wait(own, points[4].value), HAL_STATUS_OK) << hal_last_error_message();
        EXPECT_EQ(First(result), t * kRounds + i) << "no other thread had the memory meanwhile";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(InUse(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Completion, BlockCacheTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::stream
