// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that is the application's, and memory that moves.
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {
namespace {

class InteropMemoryTest : public InteropTest {
 protected:
  /// Fills `length` bytes at `offset` of an imported buffer that begins at an odd address.
  void FillAndCheck(const std::string& parameters, size_t first, size_t length, uint32_t pattern, size_t size);
};

void InteropMemoryTest::FillAndCheck(const std::string& parameters, size_t first, size_t length, uint32_t pattern,
                                     size_t size) {
  const Ref<hal_device_t> device = OpenDevice(0, parameters);
  std::vector<uint8_t> bytes(4096, 0xEE);
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(bytes.data() + first);
  memory.length = length;
  Ref<hal_buffer_t> buffer;
  ASSERT_OK(hal_allocator_import(hal_device_allocator(device.get()), &params, &memory, nullptr, nullptr, buffer.out()));
  // Once by itself, and twice in a command buffer that may become a graph.
  Ref<hal_command_buffer_t> recording;
  hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  reusable.binding_capacity = 1;
  ASSERT_OK(hal_command_buffer_create(device.get(), &reusable, recording.out()));
  ASSERT_OK(hal_command_buffer_begin(recording.get()));
  ASSERT_OK(hal_command_buffer_fill(recording.get(), hal_slot_ref(0, 0, length), &pattern, size));
  ASSERT_OK(hal_command_buffer_barrier(recording.get()));
  ASSERT_OK(hal_command_buffer_fill(recording.get(), hal_buffer_ref(buffer.get(), 0, length), &pattern, size));
  ASSERT_OK(hal_command_buffer_end(recording.get()));
  const Ref<hal_semaphore_t> done = MakeSemaphore(device);
  const hal_buffer_ref_t whole = hal_buffer_ref(buffer.get(), 0, length);
  for (uint64_t round = 1; round <= 2; ++round) {
    std::fill(bytes.begin(), bytes.end(), 0xEE);
    const Points signals = {{done.get(), round}};
    if (round == 1) {
      ASSERT_OK(
          hal_device_queue_fill(device.get(), hal::SubmitParams(List({}), List(signals), 1), whole, &pattern, size));
    } else {
      ASSERT_OK(hal_device_queue_execute(device.get(), hal::SubmitParams(List({}), List(signals), 1), recording.get(),
                                         hal_buffer_ref_list(&whole, 1)));
    }
    ASSERT_OK(Wait(done, round));
    for (size_t i = 0; i < bytes.size(); ++i) {
      const bool inside = i >= first && i < first + length;
      const auto expected = inside ? static_cast<uint8_t>(pattern >> 8 * ((i - first) % size)) : uint8_t{0xEE};
      ASSERT_EQ(bytes[i], expected) << "byte " << i << " in round " << round;
    }
  }
}

TEST_P(InteropMemoryTest, ImportedMemoryNeedsNoAlignment) {
  FillAndCheck("", 1, 4, 0x01020304, 4);
  FillAndCheck("", 3, 2048, 0x01020304, 4);
  FillAndCheck("", 2, 512, 0x01020304, 4);
  FillAndCheck("", 1, 510, 0x0102, 2);
  FillAndCheck("&command_buffer=graph", 1, 512, 0x01020304, 4);
  FillAndCheck("&command_buffer=graph", 4, 512, 0x01020304, 4);
}

TEST_P(InteropMemoryTest, ManagedMemoryIsBroughtOverAfterTheHostHadIt) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.memory_type = HAL_MEMORY_TYPE_DEVICE_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE;
  params.usage |= HAL_BUFFER_USAGE_MAPPING;
  log_buffer_ = {};
  ASSERT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, 4096, log_buffer_.out()));
  const uint32_t zero = 0;
  ASSERT_OK(hal_buffer_write(log_buffer_.get(), 0, &zero, sizeof(zero)));
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  EXPECT_EQ(vendor::Prefetches(), 0U);
  ASSERT_OK(QueueAppend({}, {{done.get(), 1}}, 5));
  EXPECT_EQ(vendor::Prefetches(), 1U);
  ASSERT_OK(QueueAppend({{done.get(), 1}}, {{done.get(), 2}}, 6));
  EXPECT_EQ(vendor::Prefetches(), 1U) << "the host has not had it since";
  ASSERT_OK(Wait(done, 2));
  uint32_t words[3] = {};
  ASSERT_OK(hal_buffer_read(log_buffer_.get(), 0, words, sizeof(words)));
  EXPECT_THAT(words, testing::ElementsAre(2, 5, 6));
  ASSERT_OK(QueueAppend({{done.get(), 2}}, {{done.get(), 3}}, 7));
  EXPECT_EQ(vendor::Prefetches(), 2U);
  EXPECT_OK(Wait(done, 3));
}

INSTANTIATE_TEST_SUITE_P(Completion, InteropMemoryTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
