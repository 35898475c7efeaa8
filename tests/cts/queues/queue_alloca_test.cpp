// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers that a queue allocates and frees: used before they have an address, in chains. Misuse and running out of
// memory are in queue_alloca_failure_test.cpp.
#include <cstdint>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/routes.h"
#include "cts/small_device.h"

namespace halyard::cts {
namespace {

class QueueAllocaTest : public DeviceTest {
 protected:
  /// A buffer that gets its memory when `gate_` is at 1, which `ready_` at 1 then says.
  Buffer DeferredAlloca(uint64_t length, const hal_buffer_params_t& params = DeviceLocal()) const {
    Buffer buffer;
    Check(device().QueueAlloca({{gate_, 1}}, {{ready_, 1}}, length, &buffer, params), "hal_device_queue_alloca");
    return buffer;
  }
  /// A buffer that has its memory.
  Buffer Allocated(uint64_t length, const hal_buffer_params_t& params = DeviceLocal()) const {
    const Semaphore done = CreateSemaphore();
    Buffer buffer;
    Check(device().QueueAlloca(kNoWaits, {{done, 1}}, length, &buffer, params), "hal_device_queue_alloca");
    Check(done.Wait(1), "alloca");
    return buffer;
  }

  const Semaphore gate_ = CreateSemaphore();
  const Semaphore ready_ = CreateSemaphore();
  const Semaphore done_ = CreateSemaphore();
};

TEST_F(QueueAllocaTest, IsAnOrdinaryBufferOnceItIsReady) {
  const Buffer buffer = Allocated(4000, Mappable());
  const std::vector<uint32_t> values = Counting(1000);
  Upload(buffer, values);
  EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), values));
  EXPECT_OK(device().QueueDealloca(kNoWaits, {{done_, 1}}, buffer));
  EXPECT_OK(done_.Wait(1));
}

TEST_F(QueueAllocaTest, SaysWhatItIsBeforeItIsReady) {
  const Buffer buffer = DeferredAlloca(12'345);
  EXPECT_EQ(hal_buffer_length(buffer), 12'345u);
  hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
  ASSERT_OK(hal_buffer_query_info(buffer, &info));
  EXPECT_EQ(info.length, 12'345u);
  EXPECT_EQ(info.usage, DeviceLocal().usage);
  EXPECT_EQ(info.allocation, buffer.get());
  EXPECT_EQ(info.device, device().get());
  EXPECT_OK(gate_.Signal(1));
  EXPECT_OK(ready_.Wait(1));
}

// The call returns though nothing has signalled the gate, and work that was submitted later overtakes it.
TEST_F(QueueAllocaTest, DoesNotBlockOnItsWaits) {
  const Buffer buffer = DeferredAlloca(64);
  ASSERT_NE(buffer.get(), nullptr);
  ASSERT_OK(Barrier(kNoWaits, {{done_, 1}}));
  ASSERT_OK(done_.Wait(1));
  EXPECT_EQ(ready_.Value(), 0u);
  ASSERT_OK(gate_.Signal(1));
  EXPECT_OK(ready_.Wait(1));
}

TEST_F(QueueAllocaTest, MayBeEmpty) {
  const Buffer buffer = Allocated(0);
  EXPECT_EQ(hal_buffer_length(buffer), 0u);
  EXPECT_OK(device().QueueDealloca(kNoWaits, {{done_, 1}}, buffer));
  EXPECT_OK(done_.Wait(1));
}

TEST_F(QueueAllocaTest, HasTheAlignmentThatWasAskedFor) {
  hal_buffer_params_t params = DeviceLocal(HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_EXPORT);
  for (const uint64_t alignment : {64, 1024, 65'536}) {
    params.alignment = alignment;
    const Buffer buffer = Allocated(100, params);
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    ASSERT_OK(hal_buffer_export(buffer, HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &memory));
    EXPECT_EQ(memory.handle % alignment, 0u);
  }
}

TEST_F(QueueAllocaTest, LiveAllocationsDoNotShareMemory) {
  std::vector<Buffer> buffers(32);
  for (uint32_t i = 0; i < 32; ++i) {
    const uint64_t base = 2 * i;
    ASSERT_OK(device().QueueAlloca({{gate_, 1}, {done_, base}}, {{done_, base + 1}}, 1000, &buffers[i]));
    ASSERT_OK(device().QueueFill({{done_, base + 1}}, {{done_, base + 2}}, buffers[i], i));
  }
  ASSERT_OK(gate_.Signal(1));
  ASSERT_OK(done_.Wait(64));
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_TRUE(SameElements(Download<uint32_t>(buffers[i]), std::vector<uint32_t>(250, i)));
  }
}

TEST_F(QueueAllocaTest, MemoryIsCountedWhileItIsHeld) {
  const Device own = OpenDevice(options().device);
  const Semaphore gate = own.CreateSemaphore();
  const Semaphore done = own.CreateSemaphore();
  Buffer buffer;
  ASSERT_OK(own.QueueAlloca({{gate, 1}}, {{done, 1}}, 50'000, &buffer));
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_GE(StatisticsOf(own).bytes_in_use, 50'000u);
  ASSERT_OK(own.QueueDealloca({{done, 1}}, {{done, 2}}, buffer));
  ASSERT_OK(done.Wait(2));
  EXPECT_EQ(StatisticsOf(own).bytes_in_use, 0u);
  EXPECT_EQ(StatisticsOf(own).allocation_count, 0u);
}

TEST_F(QueueAllocaTest, ReleaseWithoutDeallocaGivesTheMemoryBack) {
  const Device own = OpenDevice(options().device);
  const Semaphore done = own.CreateSemaphore();
  Buffer buffer;
  ASSERT_OK(own.QueueAlloca(kNoWaits, {{done, 1}}, 50'000, &buffer));
  ASSERT_OK(done.Wait(1));
  buffer.reset();
  EXPECT_EQ(StatisticsOf(own).bytes_in_use, 0u);
}

TEST_F(QueueAllocaTest, MayBeReleasedBeforeItIsReady) {
  Buffer buffer = DeferredAlloca(1000);
  buffer.reset();
  ASSERT_OK(gate_.Signal(1));
  EXPECT_OK(ready_.Wait(1));
}

TEST_F(QueueAllocaTest, SubmittedWorkKeepsItUntilDone) {
  Buffer buffer = DeferredAlloca(400);
  const Buffer copy = CreateBuffer(400);
  ASSERT_OK(device().QueueFill({{ready_, 1}}, {{done_, 1}}, buffer, uint32_t{77}));
  ASSERT_OK(device().QueueCopy({{done_, 1}}, {{done_, 2}}, buffer, copy));
  ASSERT_OK(device().QueueDealloca({{done_, 2}}, {{done_, 3}}, buffer));
  buffer.reset();
  ASSERT_OK(gate_.Signal(1));
  ASSERT_OK(done_.Wait(3));
  EXPECT_THAT(Download<uint32_t>(copy), testing::Each(77u));
}

TEST_F(QueueAllocaTest, ObjectOutlivesItsMemory) {
  const Buffer buffer = Allocated(100);
  ASSERT_OK(device().QueueDealloca(kNoWaits, {{done_, 1}}, buffer));
  ASSERT_OK(done_.Wait(1));
  EXPECT_EQ(hal_buffer_length(buffer), 100u);
}

// --- Used before it has an address ---

class QueueAllocaEarlyUseTest : public QueueAllocaTest {
 protected:
  /// Opens the gate and expects that `buffer` holds `expected` once `done_` is at `value`.
  void ExpectAfterwards(uint64_t value, const Buffer& buffer, const std::vector<uint32_t>& expected) const {
    EXPECT_EQ(done_.Value(), 0u);
    ASSERT_OK(gate_.Signal(1));
    ASSERT_OK(done_.Wait(value));
    EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), expected));
  }
};

TEST_F(QueueAllocaEarlyUseTest, InQueueOperations) {
  const Buffer buffer = DeferredAlloca(400);
  const Buffer source = device().CreateBufferOf(Counting(100));
  ASSERT_OK(device().QueueCopy({{ready_, 1}}, {{done_, 1}}, source, buffer));
  ASSERT_OK(device().QueueFill({{done_, 1}}, {{done_, 2}}, Ref(buffer, 0, 40), uint32_t{5}));
  std::vector<uint32_t> expected = Counting(100);
  std::fill_n(expected.begin(), 10, 5);
  ExpectAfterwards(2, buffer, expected);
}

TEST_F(QueueAllocaEarlyUseTest, InADispatch) {
  const Buffer buffer = DeferredAlloca(400);
  const Executable kernels = LoadKernels("basic");
  const Buffer source = device().CreateBufferOf(Counting(100));
  const Dispatch dispatch = Dispatch().WorkItems(100).Constant(uint32_t{3}).Bind(source).Bind(buffer);
  ASSERT_OK(device().QueueDispatch({{ready_, 1}}, {{done_, 1}}, kernels, "add_constant", dispatch));
  ExpectAfterwards(1, buffer, Counting(100, 3));
}

TEST_F(QueueAllocaEarlyUseTest, InARecording) {
  const Buffer buffer = DeferredAlloca(400);
  const Executable kernels = LoadKernels("basic");
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    Check(c.Fill(buffer, uint32_t{10}), "fill");
    Check(c.Barrier(), "barrier");
    Check(c.Dispatch(kernels, "add_one", Dispatch().WorkItems(100).Bind(buffer)), "dispatch");
  });
  ASSERT_OK(device().QueueExecute({{ready_, 1}}, {{done_, 1}}, commands));
  ExpectAfterwards(1, buffer, std::vector<uint32_t>(100, 11));
}

TEST_F(QueueAllocaEarlyUseTest, InABindingTable) {
  const CommandBuffer commands =
      device().Record([](const CommandBuffer& c) { Check(c.Fill(Slot(0), uint32_t{20}), "fill"); }, 0, 1);
  const Buffer buffer = DeferredAlloca(400);
  ASSERT_OK(device().QueueExecute({{ready_, 1}}, {{done_, 1}}, commands, {buffer}));
  ExpectAfterwards(1, buffer, std::vector<uint32_t>(100, 20));
}

TEST_F(QueueAllocaEarlyUseTest, ThroughASubspan) {
  const Buffer buffer = DeferredAlloca(400);
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(buffer, 200, 200, part.out()));
  ASSERT_OK(device().QueueFill({{ready_, 1}}, {{done_, 1}}, Ref(buffer, 0, 200), uint32_t{1}));
  ASSERT_OK(device().QueueFill({{done_, 1}}, {{done_, 2}}, part, uint32_t{2}));
  std::vector<uint32_t> expected(100, 1);
  std::fill_n(expected.begin() + 50, 50, 2);
  ExpectAfterwards(2, buffer, expected);
}

TEST_F(QueueAllocaEarlyUseTest, AsAnIndirectCount) {
  const Buffer counts = DeferredAlloca(12);
  const Executable kernels = LoadKernels("basic");
  const Buffer data = device().CreateBufferOf(Counting(256));
  ASSERT_OK(device().QueueFill({{ready_, 1}}, {{done_, 1}}, counts, uint32_t{1}));
  ASSERT_OK(
      device().QueueDispatch({{done_, 1}}, {{done_, 2}}, kernels, "add_one", Dispatch().Indirect(counts).Bind(data)));
  std::vector<uint32_t> expected = Counting(256);
  for (size_t i = 0; i < 64; ++i) expected[i] += 1;
  ExpectAfterwards(2, data, expected);
}

TEST_F(QueueAllocaEarlyUseTest, WithAFile) {
  std::vector<uint32_t> contents = Counting(100);
  File file;
  ASSERT_OK(hal_file_from_memory(contents.data(), 400, HAL_FILE_ACCESS_READ, nullptr, nullptr, file.out()));
  const Buffer buffer = DeferredAlloca(400);
  ASSERT_OK(device().QueueRead({{ready_, 1}}, {{done_, 1}}, file, 0, buffer));
  ExpectAfterwards(1, buffer, contents);
}

TEST_F(QueueAllocaEarlyUseTest, InAViewOfIt) {
  const Buffer buffer = DeferredAlloca(400);
  BufferView view;
  const int64_t size = 100;
  EXPECT_OK(hal_buffer_view_create(buffer, HAL_ELEMENT_TYPE_I32, 1, &size, view.out()));
  EXPECT_OK(gate_.Signal(1));
  EXPECT_OK(ready_.Wait(1));
}

TEST_F(QueueAllocaEarlyUseTest, MappingItIsAFailedPrecondition) {
  const Buffer buffer = DeferredAlloca(400, Mappable());
  void* pointer = nullptr;
  uint32_t value = 0;
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION,
                hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 0, HAL_WHOLE_SIZE, &pointer));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_read(buffer, 0, &value, sizeof(value)));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_write(buffer, 0, &value, sizeof(value)));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_unmap(buffer));
  ASSERT_OK(gate_.Signal(1));
  ASSERT_OK(ready_.Wait(1));
  EXPECT_OK(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 0, HAL_WHOLE_SIZE, &pointer));
  EXPECT_OK(hal_buffer_unmap(buffer));
}

TEST_F(QueueAllocaEarlyUseTest, MappingAPartIsAFailedPrecondition) {
  const Buffer buffer = DeferredAlloca(400, Mappable());
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(buffer, 100, 100, part.out()));
  void* pointer = nullptr;
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_map(part, HAL_MAP_ACCESS_READ, 0, 4, &pointer));
  ASSERT_OK(gate_.Signal(1));
  ASSERT_OK(ready_.Wait(1));
  EXPECT_OK(hal_buffer_map(part, HAL_MAP_ACCESS_READ, 0, 4, &pointer));
  EXPECT_OK(hal_buffer_unmap(part));
}

TEST_F(QueueAllocaEarlyUseTest, ExportingItIsAFailedPrecondition) {
  const Buffer buffer = DeferredAlloca(400, DeviceLocal(HAL_BUFFER_USAGE_ALL & ~HAL_BUFFER_USAGE_MAPPING));
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION,
                hal_buffer_export(buffer, HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &memory));
  ASSERT_OK(gate_.Signal(1));
  ASSERT_OK(ready_.Wait(1));
  EXPECT_OK(hal_buffer_export(buffer, HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &memory));
}

// --- Chains ---

/// Sizes of the allocations in a chain.
class QueueAllocaChainTest : public DeviceTestWith<Number> {};

// Each link allocates, takes what the link before left, adds one and frees the buffer before; all of it is queued
// before the first may run.
TEST_P(QueueAllocaChainTest, PassesItsValueOn) {
  constexpr uint32_t kLinks = 20;
  const Executable kernels = LoadKernels("basic");
  const uint64_t length = GetParam();
  const Buffer result = CreateBuffer(length);
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  uint64_t step = 0;
  Buffer last = device().CreateBufferOf(Counting(length / 4));
  bool last_is_ours = false;
  for (uint32_t link = 0; link < kLinks; ++link) {
    Buffer next;
    ASSERT_OK(device().QueueAlloca({{gate, 1}, {done, step}}, {{done, step + 1}}, length, &next));
    Dispatch dispatch = Dispatch().Constant(uint32_t{1}).Bind(last).Bind(next);
    length % 256 == 0 ? dispatch.Workgroups(static_cast<uint32_t>(length / 256)) : dispatch.WorkItems(length / 4);
    ASSERT_OK(device().QueueDispatch({{done, step + 1}}, {{done, step + 2}}, kernels, "add_constant", dispatch));
    step += 2;
    if (last_is_ours) {
      ASSERT_OK(device().QueueDealloca({{done, step}}, {{done, step + 1}}, last));
      ++step;
    }
    last = next;
    last_is_ours = true;
  }
  ASSERT_OK(device().QueueCopy({{done, step}}, {{done, step + 1}}, last, result));
  ASSERT_OK(device().QueueDealloca({{done, step + 1}}, {{done, step + 2}}, last));
  last.reset();
  EXPECT_EQ(done.Value(), 0u);
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(step + 2));
  EXPECT_TRUE(SameElements(Download<uint32_t>(result), Counting(length / 4, kLinks)));
}

INSTANTIATE_TEST_SUITE_P(Lengths, QueueAllocaChainTest, Numbers("Bytes", {4, 100, 4096, 65'540, 1'024'000}), ByNameOf);

TEST_F(QueueAllocaTest, ThreadsRunTheirOwnChains) {
  OnThreads(4, [&](size_t thread) {
    const Semaphore done = CreateSemaphore();
    const auto value = static_cast<uint32_t>(thread + 1);
    const Buffer result = CreateBuffer(400);
    for (uint64_t round = 0; round < 25; ++round) {
      const uint64_t base = 4 * round;
      Buffer buffer;
      ASSERT_OK(device().QueueAlloca({{done, base}}, {{done, base + 1}}, 400, &buffer));
      ASSERT_OK(device().QueueFill({{done, base + 1}}, {{done, base + 2}}, buffer, value));
      ASSERT_OK(device().QueueCopy({{done, base + 2}}, {{done, base + 3}}, buffer, result));
      ASSERT_OK(device().QueueDealloca({{done, base + 3}}, {{done, base + 4}}, buffer));
    }
    ASSERT_OK(done.Wait(100));
    EXPECT_TRUE(SameElements(Download<uint32_t>(result), std::vector<uint32_t>(100, value)));
  });
}

/// Chains on a device that holds two of the buffers, not three.
class QueueAllocaLargeChainTest : public DeviceTest {
 protected:
  void RunChain(uint64_t links) {
    const uint64_t length = small_.capacity / 5 * 2 / 64 * 64;
    const Semaphore gate = small_.device.CreateSemaphore();
    const Semaphore done = small_.device.CreateSemaphore();
    const Buffer result = small_.device.CreateBuffer(links * 64);
    // Kept: the dealloca frees the memory, not the last reference.
    std::vector<Buffer> buffers(links);
    uint64_t step = 0;
    for (uint64_t link = 0; link < links; ++link) {
      Buffer& buffer = buffers[link];
      ASSERT_OK(small_.device.QueueAlloca({{gate, 1}, {done, step}}, {{done, step + 1}}, length, &buffer));
      const Ref end(buffer, length - 64, 64);
      ASSERT_OK(small_.device.QueueFill({{done, step + 1}}, {{done, step + 2}}, end, static_cast<uint32_t>(link)));
      ASSERT_OK(small_.device.QueueCopy({{done, step + 2}}, {{done, step + 3}}, end, Ref(result, link * 64, 64)));
      ASSERT_OK(small_.device.QueueDealloca({{done, step + 3}}, {{done, step + 4}}, buffer));
      step += 4;
    }
    EXPECT_EQ(done.Value(), 0u);
    ASSERT_OK(gate.Signal(1));
    ASSERT_OK(done.Wait(step));
    const auto values = small_.device.Download<uint32_t>(result);
    for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], i / 16);
  }

  SmallDevice small_ = OpenSmallDevice();
};

// Eight times 2/5 of the device's memory, queued up front: the live part always fits.
TEST_F(QueueAllocaLargeChainTest, SumMayExceedTheDevicesMemory) { RunChain(8); }

TEST_F(QueueAllocaLargeChainTest, SumMayExceedTheDevicesMemoryByFarSlow) { RunChain(1000); }

// As many chains as queues, all of which want the same memory in turn.
TEST_F(QueueAllocaLargeChainTest, TurnsAreTakenAcrossQueues) {
  const uint64_t length = small_.capacity / 5 * 4;
  const Semaphore turn = small_.device.CreateSemaphore();
  const Semaphore gate = small_.device.CreateSemaphore();
  for (uint64_t i = 0; i < 12; ++i) {
    Buffer buffer;
    const hal_queue_mask_t queue = small_.device.Queue(i);
    ASSERT_OK(small_.device.QueueAlloca({{gate, 1}, {turn, 2 * i}}, {{turn, 2 * i + 1}}, length, &buffer, DeviceLocal(),
                                        queue));
    ASSERT_OK(
        small_.device.QueueDealloca({{turn, 2 * i + 1}}, {{turn, 2 * i + 2}}, buffer, small_.device.Queue(i + 1)));
  }
  ASSERT_OK(gate.Signal(1));
  EXPECT_OK(turn.Wait(24));
}

}  // namespace
}  // namespace halyard::cts
