// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queue allocations that go wrong: too much, too late, twice.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/small_device.h"

namespace halyard::cts {
namespace {

// --- Refused at the call ---

struct BadAlloca {
  const char* name;
  hal_status_t status;
  void (*make_invalid)(hal_buffer_params_t*);
};
void PrintTo(const BadAlloca& bad, std::ostream* out) { *out << bad.name; }

class QueueAllocaRefusalTest : public DeviceTestWith<BadAlloca> {};

TEST_P(QueueAllocaRefusalTest, SubmitsNothing) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  GetParam().make_invalid(&params);
  const Semaphore done = CreateSemaphore();
  Buffer buffer;
  EXPECT_STATUS(GetParam().status, device().QueueAlloca(kNoWaits, {{done, 1}}, 64, &buffer, params));
  EXPECT_EQ(buffer.get(), nullptr);
  EXPECT_OK(done.Query());
  EXPECT_OK(done.Signal(1));
}

INSTANTIATE_TEST_SUITE_P(
    Params, QueueAllocaRefusalTest,
    testing::Values(
        BadAlloca{"NoUsage", HAL_STATUS_INVALID_ARGUMENT, [](auto* p) { p->usage = HAL_BUFFER_USAGE_NONE; }},
        BadAlloca{"UnknownUsage", HAL_STATUS_INVALID_ARGUMENT, [](auto* p) { p->usage |= UINT64_C(1) << 50; }},
        BadAlloca{"UnknownType", HAL_STATUS_INVALID_ARGUMENT, [](auto* p) { p->memory_type |= UINT64_C(1) << 50; }},
        BadAlloca{"Alignment24", HAL_STATUS_INVALID_ARGUMENT, [](auto* p) { p->alignment = 24; }}),
    ByName);

class QueueDeallocaTest : public DeviceTest {
 protected:
  hal_status_t Dealloca(const Buffer& buffer) const { return device().QueueDealloca(kNoWaits, {{done_, 1}}, buffer); }
  void TearDown() override {
    EXPECT_OK(done_.Query());
    DeviceTest::TearDown();
  }

  const Semaphore done_ = CreateSemaphore();
};

TEST_F(QueueDeallocaTest, OfAnAllocatorsBufferIsInvalid) {
  const Buffer buffer = device().CreateBufferOf(Counting(10));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Dealloca(buffer));
  EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), Counting(10)));
}

TEST_F(QueueDeallocaTest, OfImportedMemoryIsInvalid) {
  alignas(64) static uint8_t bytes[64];
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(bytes);
  memory.length = sizeof(bytes);
  const hal_buffer_params_t params = Mappable();
  Buffer buffer;
  ASSERT_OK(hal_allocator_import(device().allocator(), &params, &memory, nullptr, nullptr, buffer.out()));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Dealloca(buffer));
}

TEST_F(QueueDeallocaTest, OfASubspanIsInvalid) {
  Buffer buffer;
  ASSERT_OK(device().QueueAlloca(kNoWaits, {{done_, 1}}, 64, &buffer));
  ASSERT_OK(done_.Wait(1));
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(buffer, 0, HAL_WHOLE_SIZE, part.out()));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, device().QueueDealloca(kNoWaits, {{done_, 2}}, part));
  EXPECT_OK(device().QueueDealloca(kNoWaits, {{done_, 2}}, buffer));
  EXPECT_OK(done_.Wait(2));
}

TEST_F(QueueDeallocaTest, OfAnotherDevicesBufferIsInvalid) {
  const Device other = OpenSecondDevice();
  const Semaphore ready = other.CreateSemaphore();
  Buffer buffer;
  ASSERT_OK(other.QueueAlloca(kNoWaits, {{ready, 1}}, 64, &buffer));
  ASSERT_OK(ready.Wait(1));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Dealloca(buffer));
}

TEST_F(QueueDeallocaTest, OfAMappedBufferIsAFailedPrecondition) {
  const Semaphore ready = CreateSemaphore();
  Buffer buffer;
  ASSERT_OK(device().QueueAlloca(kNoWaits, {{ready, 1}}, 64, &buffer, Mappable()));
  ASSERT_OK(ready.Wait(1));
  void* pointer = nullptr;
  ASSERT_OK(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 0, HAL_WHOLE_SIZE, &pointer));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, Dealloca(buffer));
  ASSERT_OK(hal_buffer_unmap(buffer));
  EXPECT_OK(Dealloca(buffer));
  EXPECT_OK(done_.Wait(1));
}

TEST_F(QueueDeallocaTest, TwiceIsAFailedPrecondition) {
  Buffer buffer;
  ASSERT_OK(device().QueueAlloca(kNoWaits, {{done_, 1}}, 64, &buffer));
  ASSERT_OK(device().QueueDealloca({{done_, 1}}, {{done_, 2}}, buffer));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, device().QueueDealloca({{done_, 2}}, {{done_, 3}}, buffer));
  EXPECT_OK(done_.Wait(2));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, device().QueueDealloca({{done_, 2}}, {{done_, 3}}, buffer));
}

TEST_F(QueueDeallocaTest, TwiceWhileTheFirstIsDeferredIsAFailedPrecondition) {
  const Semaphore gate = CreateSemaphore();
  Buffer buffer;
  ASSERT_OK(device().QueueAlloca({{gate, 1}}, {{done_, 1}}, 64, &buffer));
  ASSERT_OK(device().QueueDealloca({{done_, 1}}, {{done_, 2}}, buffer));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, device().QueueDealloca({{done_, 1}}, {{done_, 3}}, buffer));
  ASSERT_OK(gate.Signal(1));
  EXPECT_OK(done_.Wait(2));
}

TEST_F(QueueDeallocaTest, RacingThreadsHaveOneWinner) {
  for (int round = 0; round < 20; ++round) {
    Buffer buffer;
    const Semaphore ready = CreateSemaphore();
    const Semaphore freed = CreateSemaphore();
    ASSERT_OK(device().QueueAlloca(kNoWaits, {{ready, 1}}, 64, &buffer));
    Counter winners;
    OnThreads(4, [&](size_t) {
      const hal_status_t status = device().QueueDealloca({{ready, 1}}, {{freed, 1}}, buffer);
      EXPECT_THAT(status, testing::AnyOf(HAL_STATUS_OK, HAL_STATUS_FAILED_PRECONDITION));
      if (status == HAL_STATUS_OK) winners.Add();
    });
    EXPECT_EQ(winners.count(), 1u);
    EXPECT_OK(freed.Wait(1));
  }
}

TEST_F(QueueDeallocaTest, RefusedDeallocaDoesNotCount) {
  Buffer buffer;
  ASSERT_OK(device().QueueAlloca(kNoWaits, {{done_, 1}}, 64, &buffer));
  const hal_queue_mask_t no_queue = UINT64_C(1) << 63;
  EXPECT_NE(device().QueueDealloca({{done_, 1}}, {{done_, 2}}, buffer, no_queue), HAL_STATUS_OK);
  EXPECT_OK(device().QueueDealloca({{done_, 1}}, {{done_, 2}}, buffer));
  EXPECT_OK(done_.Wait(2));
}

// --- Use after the dealloca ---

/// Something that uses a buffer of 256 bytes.
struct LateUse {
  const char* name;
  hal_status_t (*submit)(const Device& device, const Points& waits, const Points& signals, const Buffer& buffer);
};
void PrintTo(const LateUse& use, std::ostream* out) { *out << use.name; }

const LateUse kLateUses[] = {
    {"Fill", [](const Device& device, const Points& waits, const Points& signals,
                const Buffer& buffer) { return device.QueueFill(waits, signals, buffer, uint32_t{1}); }},
    {"Update",
     [](const Device& device, const Points& waits, const Points& signals, const Buffer& buffer) {
       const std::vector<uint8_t> data(256);
       return device.QueueUpdate(waits, signals, data.data(), buffer);
     }},
    {"CopySource",
     [](const Device& device, const Points& waits, const Points& signals, const Buffer& buffer) {
       return device.QueueCopy(waits, signals, buffer, device.CreateBuffer(256));
     }},
    {"CopyTarget",
     [](const Device& device, const Points& waits, const Points& signals, const Buffer& buffer) {
       return device.QueueCopy(waits, signals, device.CreateBuffer(256), buffer);
     }},
    {"Dispatch",
     [](const Device& device, const Points& waits, const Points& signals, const Buffer& buffer) {
       return device.QueueDispatch(waits, signals, device.LoadKernels("basic"), "add_one", Dispatch().Bind(buffer));
     }},
    {"Subspan",
     [](const Device& device, const Points& waits, const Points& signals, const Buffer& buffer) {
       Buffer part;
       Check(hal_buffer_subspan(buffer, 64, 64, part.out()), "hal_buffer_subspan");
       return device.QueueFill(waits, signals, part, uint32_t{1});
     }},
    {"Recording",
     [](const Device& device, const Points& waits, const Points& signals, const Buffer& buffer) {
       const CommandBuffer commands = device.CreateCommandBuffer();
       Check(commands.Begin(), "hal_command_buffer_begin");
       if (const hal_status_t status = commands.Fill(buffer, uint32_t{1}); status != HAL_STATUS_OK) return status;
       Check(commands.End(), "hal_command_buffer_end");
       return device.QueueExecute(waits, signals, commands);
     }},
    {"BindingTable",
     [](const Device& device, const Points& waits, const Points& signals, const Buffer& buffer) {
       const CommandBuffer commands =
           device.Record([](const CommandBuffer& c) { Check(c.Fill(Slot(0), uint32_t{1}), "fill"); }, 0, 1);
       return device.QueueExecute(waits, signals, commands, {buffer});
     }},
};

class QueueAllocaLateUseTest : public DeviceTestWith<LateUse> {
 protected:
  hal_status_t Submit(const Points& waits, const Points& signals, const Buffer& buffer) const {
    return GetParam().submit(device(), waits, signals, buffer);
  }

  const Semaphore done_ = CreateSemaphore();
  const Semaphore used_ = CreateSemaphore();
  Buffer buffer_;
};

// Whether the call refuses it or the operation fails: it is the same failure, and nothing else is harmed.
TEST_P(QueueAllocaLateUseTest, SubmittedAfterTheDeallocaFails) {
  ASSERT_OK(device().QueueAlloca(kNoWaits, {{done_, 1}}, 256, &buffer_));
  ASSERT_OK(device().QueueDealloca({{done_, 1}}, {{done_, 2}}, buffer_));
  ASSERT_OK(done_.Wait(2));
  hal_status_t status = Submit({{done_, 2}}, {{used_, 1}}, buffer_);
  if (status == HAL_STATUS_OK) status = used_.Wait(1);
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, status);
  EXPECT_OK(hal_device_query_health(device()));
}

// The call cannot know yet that the use comes too late.
TEST_P(QueueAllocaLateUseTest, OrderedAfterTheDeallocaFails) {
  const Semaphore gate = CreateSemaphore();
  ASSERT_OK(device().QueueAlloca({{gate, 1}}, {{done_, 1}}, 256, &buffer_));
  ASSERT_OK(Submit({{done_, 2}}, {{used_, 1}}, buffer_));
  ASSERT_OK(device().QueueDealloca({{done_, 1}}, {{done_, 2}}, buffer_));
  ASSERT_OK(gate.Signal(1));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, used_.Wait(1));
  EXPECT_OK(done_.Wait(2));
  EXPECT_OK(hal_device_query_health(device()));
}

TEST_P(QueueAllocaLateUseTest, OrderedBeforeTheAllocaFails) {
  const Semaphore gate = CreateSemaphore();
  ASSERT_OK(device().QueueAlloca({{gate, 1}}, {{done_, 1}}, 256, &buffer_));
  ASSERT_OK(Submit(kNoWaits, {{used_, 1}}, buffer_));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, used_.Wait(1));
  ASSERT_OK(gate.Signal(1));
  EXPECT_OK(done_.Wait(1));
}

INSTANTIATE_TEST_SUITE_P(Uses, QueueAllocaLateUseTest, testing::ValuesIn(kLateUses), ByName);

TEST_F(QueueDeallocaTest, MappingItAfterwardsIsAFailedPrecondition) {
  Buffer buffer;
  ASSERT_OK(device().QueueAlloca(kNoWaits, {{done_, 1}}, 256, &buffer, Mappable(HAL_BUFFER_USAGE_ALL)));
  ASSERT_OK(device().QueueDealloca({{done_, 1}}, {{done_, 2}}, buffer));
  ASSERT_OK(done_.Wait(2));
  void* pointer = nullptr;
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 0, 4, &pointer));
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION,
                hal_buffer_export(buffer, HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &memory));
}

// --- Running out ---

class QueueAllocaOutOfMemoryTest : public DeviceTest {
 protected:
  const Device& small() const { return small_.device; }
  hal_status_t Alloca(const Points& waits, const Points& signals, uint64_t length, Buffer* buffer) const {
    return small().QueueAlloca(waits, signals, length, buffer);
  }
  /// Expects that three quarters of the memory can be allocated, used and freed.
  void ExpectUsable() const {
    const Semaphore done = small().CreateSemaphore();
    Buffer buffer;
    ASSERT_OK(Alloca(kNoWaits, {{done, 1}}, small_.capacity / 4 * 3, &buffer));
    ASSERT_OK(small().QueueFill({{done, 1}}, {{done, 2}}, Ref(buffer, 0, 64), uint32_t{1}));
    ASSERT_OK(small().QueueDealloca({{done, 2}}, {{done, 3}}, buffer));
    EXPECT_OK(done.Wait(3));
    EXPECT_OK(hal_device_query_health(small()));
  }

  SmallDevice small_ = OpenSmallDevice();
  const Semaphore first_ = small().CreateSemaphore();
  const Semaphore second_ = small().CreateSemaphore();
  const Semaphore third_ = small().CreateSemaphore();
};

TEST_F(QueueAllocaOutOfMemoryTest, FailsItsSignals) {
  Buffer fits;
  Buffer does_not;
  ASSERT_OK(Alloca(kNoWaits, {{first_, 1}}, small_.capacity / 4 * 3, &fits));
  ASSERT_OK(first_.Wait(1));
  ASSERT_OK(Alloca(kNoWaits, {{second_, 1}}, small_.capacity / 4 * 3, &does_not));
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, second_.Wait(1));
  EXPECT_STRNE(hal_last_error_message(), "");
  EXPECT_OK(first_.Query());
  ASSERT_OK(small().QueueDealloca(kNoWaits, {{first_, 2}}, fits));
  ASSERT_OK(first_.Wait(2));
  ExpectUsable();
}

TEST_F(QueueAllocaOutOfMemoryTest, FailsWhatDependsOnItAndNothingElse) {
  Buffer buffer;
  const Buffer other = small().CreateBuffer(64);
  ASSERT_OK(Alloca(kNoWaits, {{first_, 1}}, small_.capacity * 2, &buffer));
  ASSERT_OK(small().QueueFill({{first_, 1}}, {{second_, 1}}, buffer, uint32_t{1}));
  ASSERT_OK(small().QueueFill(kNoWaits, {{third_, 1}}, other, uint32_t{1}));
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, second_.Wait(1));
  EXPECT_OK(third_.Wait(1));
  ExpectUsable();
}

TEST_F(QueueAllocaOutOfMemoryTest, LeavesABufferWithoutMemory) {
  Buffer buffer;
  ASSERT_OK(small().QueueAlloca(kNoWaits, {{first_, 1}}, small_.capacity * 2, &buffer, Mappable()));
  ASSERT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, first_.Wait(1));
  void* pointer = nullptr;
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 0, 4, &pointer));
  EXPECT_EQ(StatisticsOf(small()).bytes_in_use, 0u);
  buffer.reset();
  ExpectUsable();
}

TEST_F(QueueAllocaOutOfMemoryTest, DeallocaOfWhatNeverWasFailsAlong) {
  Buffer buffer;
  ASSERT_OK(Alloca(kNoWaits, {{first_, 1}}, small_.capacity * 2, &buffer));
  ASSERT_OK(small().QueueDealloca({{first_, 1}}, {{second_, 1}}, buffer));
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, second_.Wait(1));
  ExpectUsable();
}

TEST_F(QueueAllocaOutOfMemoryTest, FailedWaitTakesNoMemory) {
  const Semaphore gate = small().CreateSemaphore();
  Buffer buffer;
  ASSERT_OK(Alloca({{gate, 1}}, {{first_, 1}}, small_.capacity / 4 * 3, &buffer));
  ASSERT_OK(gate.Fail(HAL_STATUS_ABORTED));
  EXPECT_STATUS(HAL_STATUS_ABORTED, first_.Wait(1));
  EXPECT_EQ(StatisticsOf(small()).bytes_in_use, 0u);
  ExpectUsable();
}

class QueueAllocaHugeTest : public DeviceTestWith<Number> {};

// No call knows how much memory there will be when its turn comes: that is for the operation to say.
TEST_P(QueueAllocaHugeTest, FailsItsSignals) {
  const Semaphore done = CreateSemaphore();
  Buffer buffer;
  ASSERT_OK(device().QueueAlloca(kNoWaits, {{done, 1}}, GetParam(), &buffer));
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, done.Wait(1));
  EXPECT_OK(hal_device_query_health(device()));
}

class QueueAllocaAbsurdTest : public DeviceTestWith<Number> {};

// What no machine can ever have, on the other hand, needs no turn.
TEST_P(QueueAllocaAbsurdTest, IsRefusedAtTheCall) {
  const Semaphore done = CreateSemaphore();
  Buffer buffer;
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, device().QueueAlloca(kNoWaits, {{done, 1}}, GetParam(), &buffer));
  EXPECT_EQ(done.Value(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Lengths, QueueAllocaAbsurdTest,
                         Numbers("Bytes", {UINT64_C(1) << 63, UINT64_MAX - 63, UINT64_MAX}), ByNameOf);

INSTANTIATE_TEST_SUITE_P(Lengths, QueueAllocaHugeTest,
                         Numbers("Bytes", {UINT64_C(1) << 50, UINT64_C(1) << 62, INT64_MAX}), ByNameOf);

}  // namespace
}  // namespace halyard::cts
