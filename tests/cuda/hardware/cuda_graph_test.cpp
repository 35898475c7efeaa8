// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What CUDA lets be patched in an instantiated graph, which no simulation can tell: memory of every kind in one slot.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "cuda/hardware/cuda_test.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cuda {
namespace {

constexpr size_t kWords = 16;
constexpr uint64_t kLength = kWords * sizeof(uint32_t);

using Words = std::vector<uint32_t>;

hal_buffer_ref_t Part(const Ref<hal_buffer_t>& buffer) { return hal_buffer_ref(buffer.get(), 0, HAL_WHOLE_SIZE); }

class CudaGraphTest : public testing::Test {
 protected:
  void SetUp() override {
    if (Open(Uri("command_buffer=graph"), &device_) != HAL_STATUS_OK) GTEST_SKIP() << hal_last_error_message();
  }

  Ref<hal_buffer_t> Make(hal_memory_type_t type) const {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = type;
    if ((type & HAL_MEMORY_TYPE_HOST_VISIBLE) != 0) params.usage |= HAL_BUFFER_USAGE_MAPPING;
    Ref<hal_buffer_t> buffer;
    Check(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, kLength, buffer.out()));
    return buffer;
  }
  Ref<hal_buffer_t> Import(hal_external_memory_type_t type, uint64_t handle) const {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type =
        type == HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER ? HAL_MEMORY_TYPE_HOST_VISIBLE : HAL_MEMORY_TYPE_DEVICE_LOCAL;
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    memory.type = type;
    memory.handle = handle;
    memory.length = kLength;
    Ref<hal_buffer_t> buffer;
    Check(hal_allocator_import(hal_device_allocator(device_.get()), &params, &memory, nullptr, nullptr, buffer.out()));
    return buffer;
  }
  /// Copies slot 0 to slot 1, then writes words 1 to 4 of slot 1 in several ways.
  Ref<hal_command_buffer_t> Record() const {
    hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
    params.binding_capacity = 2;
    Ref<hal_command_buffer_t> commands;
    Check(hal_command_buffer_create(device_.get(), &params, commands.out()));
    Check(hal_command_buffer_begin(commands.get()));
    Check(hal_command_buffer_copy(commands.get(), hal_slot_ref(0, 0, HAL_WHOLE_SIZE),
                                  hal_slot_ref(1, 0, HAL_WHOLE_SIZE)));
    Check(hal_command_buffer_barrier(commands.get()));
    const uint32_t pattern = 0x44332211;
    Check(hal_command_buffer_fill(commands.get(), hal_slot_ref(1, 4, 4), &pattern, 1));
    Check(hal_command_buffer_fill(commands.get(), hal_slot_ref(1, 8, 4), &pattern, 2));
    Check(hal_command_buffer_fill(commands.get(), hal_slot_ref(1, 12, 4), &pattern, 4));
    Check(hal_command_buffer_update(commands.get(), &pattern, hal_slot_ref(1, 16, 4)));
    Check(hal_command_buffer_end(commands.get()));
    return commands;
  }
  /// Fills the source, executes, and fetches the target.
  Words Run(const Ref<hal_command_buffer_t>& commands, const Ref<hal_buffer_t>& source, const Ref<hal_buffer_t>& target,
            uint32_t value, hal_queue_mask_t queues = 1) const {
    Ref<hal_semaphore_t> timeline;
    Check(hal_semaphore_create(device_.get(), nullptr, timeline.out()));
    const hal_timeline_point_t points[3] = {{timeline.get(), 1}, {timeline.get(), 2}, {timeline.get(), 3}};
    const auto list = [&](size_t i) { return hal_semaphore_list(&points[i], 1); };
    const hal_buffer_ref_t table[2] = {Part(source), Part(target)};
    const Ref<hal_buffer_t> staging = Make(HAL_MEMORY_TYPE_HOST_VISIBLE);
    Check(hal_device_queue_fill(device_.get(), hal::SubmitParams(hal_semaphore_list(nullptr, 0), list(0), queues),
                                Part(source), &value, sizeof(value)));
    Check(hal_device_queue_execute(device_.get(), hal::SubmitParams(list(0), list(1), queues), commands.get(),
                                   hal_buffer_ref_list(table, 2)));
    Check(
        hal_device_queue_copy(device_.get(), hal::SubmitParams(list(1), list(2), queues), Part(target), Part(staging)));
    Check(hal_semaphore_wait(timeline.get(), 3, kTenSeconds));
    Words words(kWords);
    Check(hal_buffer_read(staging.get(), 0, words.data(), kLength));
    return words;
  }
  static Words Expected(uint32_t value) {
    Words words(kWords, value);
    const uint32_t written[] = {0x11111111, 0x22112211, 0x44332211, 0x44332211};
    std::copy(std::begin(written), std::end(written), words.begin() + 1);
    return words;
  }

  Ref<hal_device_t> device_;
};

TEST_F(CudaGraphTest, SlotTakesMemoryOfEveryKindInAnyOrder) {
  CUdeviceptr foreign = 0;
  {
    const ContextScope context(device_);
    ASSERT_EQ(context.cuda().cuMemAlloc_v2(&foreign, kLength), CUDA_SUCCESS);
  }
  Words host(kWords);
  {
    const auto each_kind = [&] {
      return std::vector<Ref<hal_buffer_t>>{
          Make(HAL_MEMORY_TYPE_DEVICE_LOCAL),
          Make(HAL_MEMORY_TYPE_DEVICE_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE),
          Make(HAL_MEMORY_TYPE_HOST_VISIBLE),
          Import(HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, reinterpret_cast<uintptr_t>(host.data())),
          Import(HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, foreign),
          Make(HAL_MEMORY_TYPE_DEVICE_LOCAL),
      };
    };
    const Ref<hal_command_buffer_t> commands = Record();
    const std::vector<Ref<hal_buffer_t>> buffers = each_kind();
    uint32_t value = 0;
    for (int round = 0; round < 2; ++round) {
      for (const Ref<hal_buffer_t>& source : buffers) {
        for (const Ref<hal_buffer_t>& target : buffers) {
          if (source.get() == target.get()) continue;
          ++value;
          EXPECT_EQ(Run(commands, source, target, value), Expected(value)) << value;
        }
      }
    }
  }
  const ContextScope context(device_);
  EXPECT_EQ(context.cuda().cuMemFree_v2(foreign), CUDA_SUCCESS);
}

TEST_F(CudaGraphTest, ThreadsShareARecordingWithTablesOfTheirOwn) {
  const Ref<hal_command_buffer_t> commands = Record();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const Ref<hal_buffer_t> source = Make(HAL_MEMORY_TYPE_DEVICE_LOCAL);
      const Ref<hal_buffer_t> targets[2] = {Make(HAL_MEMORY_TYPE_DEVICE_LOCAL), Make(HAL_MEMORY_TYPE_DEVICE_LOCAL)};
      for (uint32_t i = 0; i < 200; ++i) {
        const uint32_t value = 1000 * t + i;
        EXPECT_EQ(Run(commands, source, targets[i % 2], value, hal_queue_mask_t{1} << (t + i / 16) % 4),
                  Expected(value));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace halyard::cuda
