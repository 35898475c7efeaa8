// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and events of the application: halyard.metal.interop, and imports of host memory that begin anywhere.
#include <algorithm>
#include <memory>
#include <thread>

#include "metal/native/metal_calls.h"
#include "metal_test.h"
#include "platform/memory.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Device;
using cts::kNoWaits;
using cts::Points;
using cts::Ref;
using cts::Semaphore;
using testing::Each;
using testing::HasSubstr;

template <class Native>
void* Handle(const Owned<Native>& object) {
  return object.get();
}

class InteropTest : public MetalTest {
 protected:
  NativeDevice NativeOf(const Device& device) const {
    void* native = nullptr;
    cts::Check(interop_.device(device, &native), "device");
    return static_cast<NativeDevice>(native);
  }
  Owned<NativeSharedEvent> MakeEvent(uint64_t value = 0) const {
    Owned<NativeSharedEvent> event;
    cts::Check(Publish(NewSharedEvent(NativeOf(device_), &event)), "NewSharedEvent");
    if (value > 0) SetSignaledValue(event.get(), value);
    return event;
  }
  /// A buffer as the application makes one.
  OwnedBuffer MakeBuffer(const Device& device, MemoryKind kind, uint64_t length) const {
    OwnedBuffer buffer;
    cts::Check(Publish(NewBuffer(NativeOf(device), kind, length, &buffer)), "NewBuffer");
    return buffer;
  }
  hal_status_t ImportEvent(const Owned<NativeSharedEvent>& event, uint64_t value, const Points& signals) const {
    return interop_.import_event(device_, Handle(event), value, signals);
  }
  hal_status_t ExportEvent(const Points& waits, const Owned<NativeSharedEvent>& event, uint64_t value) const {
    return interop_.export_event(device_, waits, Handle(event), value);
  }
  /// Waits on the host until the event has a value.
  hal_status_t WaitFor(const Owned<NativeSharedEvent>& event, uint64_t value) const {
    const Semaphore reached = device_.CreateSemaphore();
    const hal_status_t status = ImportEvent(event, value, {{reached, 1}});
    return status == HAL_STATUS_OK ? reached.Wait(1) : status;
  }

  const Device device_ = Open();
  const hal_metal_interop_interface_t& interop_ = InteropOf(device_);
  const AutoreleaseScope scope_;
};

TEST_F(InteropTest, GivesTheDeviceAndItsQueues) {
  const Device device = Open("queues=2");
  void* queues[2] = {};
  ASSERT_OK(interop_.queue(device, 0, &queues[0]));
  ASSERT_OK(interop_.queue(device, 1, &queues[1]));
  EXPECT_NE(queues[0], nullptr);
  EXPECT_NE(queues[0], queues[1]);
  EXPECT_EQ(NativeOf(device), NativeOf(device_));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, interop_.queue(device, 2, &queues[0]));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the device has 2"));
}

TEST_F(InteropTest, RefusesWhatIsMissing) {
  const Semaphore semaphore = device_.CreateSemaphore();
  const Owned<NativeSharedEvent> event = MakeEvent();
  const hal_timeline_point_t nothing = {nullptr, 1};
  void* out = nullptr;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, interop_.device(nullptr, &out));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, interop_.device(device_, nullptr));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, interop_.queue(device_, 0, nullptr));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, ImportEvent({}, 1, {{semaphore, 1}}));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, ImportEvent(event, 1, {{semaphore, 0}}));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, ImportEvent(event, 1, {nothing}));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, interop_.import_event(device_, Handle(event), 1, {nullptr, 1}));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, ExportEvent({}, {}, 1));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, ExportEvent({nothing}, event, 1));
}

TEST_F(InteropTest, RefusesADeviceOfAnotherDriver) {
  const Device other = cts::OpenDevice("null");
  void* out = nullptr;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, interop_.device(other, &out));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("not the metal driver's"));
}

TEST_F(InteropTest, ASemaphoreFollowsAnEvent) {
  const Owned<NativeSharedEvent> event = MakeEvent();
  const Semaphore reached = device_.CreateSemaphore();
  const Buffer buffer = device_.CreateBuffer(64);
  ASSERT_OK(ImportEvent(event, 5, {{reached, 3}}));
  ASSERT_OK(device_.QueueFill({{reached, 3}}, {{reached, 4}}, buffer, uint32_t{7}));
  SetSignaledValue(event.get(), 4);
  EXPECT_EQ(reached.Value(), 0u);
  SetSignaledValue(event.get(), 5);
  ASSERT_OK(reached.Wait(4));
  EXPECT_THAT(device_.Download<uint32_t>(buffer), Each(7u));
}

TEST_F(InteropTest, AnEventPastItsValueSignalsAtOnce) {
  const Owned<NativeSharedEvent> event = MakeEvent(9);
  for (const uint64_t value : {0, 1, 9}) EXPECT_OK(WaitFor(event, value));
}

// Then a thread of the driver sees the value.
TEST_F(InteropTest, AListenerMayMissTheValue) {
  const Owned<NativeSharedEvent> event = MakeEvent();
  const Semaphore reached = device_.CreateSemaphore();
  sim().Reset();
  for (uint64_t value = 1; value <= 2; ++value) {
    sim().Fail("notifyListener:atValue:block:", 1, 1);
    ASSERT_OK(ImportEvent(event, value, {{reached, value}}));
    SetSignaledValue(event.get(), value);
    EXPECT_OK(reached.Wait(value));
  }
  EXPECT_EQ(sim().Calls("notifyListener:atValue:block:"), 2u);
}

// The other one finds the value after the next one has come.
TEST_F(InteropTest, PointsOfAnEventAreSignalledInItsOrder) {
  const Owned<NativeSharedEvent> event = MakeEvent();
  const Semaphore reached = device_.CreateSemaphore();
  sim().Reset();
  for (const uint64_t value : {2, 1, 3}) {
    if (value == 1) sim().Fail("notifyListener:atValue:block:", 1, 1);
    ASSERT_OK(ImportEvent(event, value, {{reached, value}}));
  }
  SetSignaledValue(event.get(), 3);
  EXPECT_OK(reached.Wait(3));
}

// Frames in turn on one timeline: each side knows of the other's work from events alone.
TEST_F(InteropTest, AnEventIsSignalledAfterTheWorkThatItFollows) {
  constexpr uint64_t kFrames = 1000;
  const Owned<NativeSharedEvent> to_application = MakeEvent();
  const Owned<NativeSharedEvent> to_halyard = MakeEvent();
  const Semaphore order = device_.CreateSemaphore();
  const Buffer buffer = device_.CreateBuffer(1 << 12);
  for (uint64_t frame = 0; frame < kFrames; ++frame) {
    const Points answered = {{order, 2 * frame + 2}};
    if (frame % 2 == 0) {
      ASSERT_OK(ImportEvent(to_halyard, frame + 1, answered));
    }
    ASSERT_OK(device_.QueueFill(kNoWaits, {{order, 2 * frame + 1}}, buffer, static_cast<uint32_t>(frame)));
    ASSERT_OK(ExportEvent({{order, 2 * frame + 1}}, to_application, frame + 1));
    while (SignaledValue(to_application.get()) <= frame) std::this_thread::yield();
    SetSignaledValue(to_halyard.get(), frame + 1);
    if (frame % 2 == 1) {
      ASSERT_OK(ImportEvent(to_halyard, frame + 1, answered));
    }
  }
  EXPECT_OK(order.Wait(2 * kFrames)) << hal_last_error_message();
}

// The application saw the end of a frame, so the next one needs no wait, on whichever queue it runs.
TEST_F(InteropTest, WorkThatTheApplicationSawEndIsSignalledFirst) {
  constexpr uint64_t kFrames = 1000;
  const Device device = Open("queues=2");
  const Owned<NativeSharedEvent> to_application = MakeEvent();
  const Semaphore order = device.CreateSemaphore();
  const Buffer buffer = device.CreateBuffer(1 << 12);
  for (uint64_t frame = 0; frame < kFrames; ++frame) {
    const Points done = {{order, frame + 1}};
    ASSERT_OK(device.QueueFill(kNoWaits, done, buffer, static_cast<uint32_t>(frame), device.Queue(frame)));
    ASSERT_OK(interop_.export_event(device, done, Handle(to_application), frame + 1));
    while (SignaledValue(to_application.get()) <= frame) std::this_thread::yield();
  }
  EXPECT_OK(order.Wait(kFrames)) << hal_last_error_message();
}

TEST_F(InteropTest, AnImportKeepsItsDevice) {
  const Owned<NativeSharedEvent> event = MakeEvent();
  const Semaphore reached = cts::OpenDevice("null").CreateSemaphore();
  {
    const Device other = Open();
    ASSERT_OK(interop_.import_event(other, Handle(event), 1, cts::Points{{reached, 1}}));
  }
  EXPECT_EQ(reached.Value(), 0u);
  SetSignaledValue(event.get(), 1);
  EXPECT_OK(reached.Wait(1));
}

TEST_F(InteropTest, AnEventSignalsSeveralTimelines) {
  const Owned<NativeSharedEvent> event = MakeEvent();
  const Semaphore first = device_.CreateSemaphore();
  const Semaphore second = device_.CreateSemaphore();
  ASSERT_OK(ImportEvent(event, 1, {{first, 1}, {second, 2}}));
  SetSignaledValue(event.get(), 1);
  EXPECT_OK(first.Wait(1));
  EXPECT_OK(second.Wait(2));
}

TEST_F(InteropTest, AnEventFollowsWorkOfTheDevice) {
  const Owned<NativeSharedEvent> event = MakeEvent();
  HeldDispatch held(device_);
  ASSERT_OK(ExportEvent({held.end()}, event, 5));
  EXPECT_EQ(SignaledValue(event.get()), 0u);
  held.Release();
  EXPECT_OK(WaitFor(event, 5));
  EXPECT_EQ(SignaledValue(event.get()), 5u);
}

TEST_F(InteropTest, AnEventFollowsTheHost) {
  const Owned<NativeSharedEvent> event = MakeEvent();
  const Semaphore gate = device_.CreateSemaphore();
  ASSERT_OK(ExportEvent({{gate, 1}}, event, 2));
  ASSERT_OK(ExportEvent(kNoWaits, MakeEvent(), 1));  // whose last reference is the driver's
  EXPECT_EQ(SignaledValue(event.get()), 0u);
  ASSERT_OK(gate.Signal(1));
  EXPECT_OK(WaitFor(event, 2));
}

TEST_F(InteropTest, AnEventIsSetEvenIfItsWaitFails) {
  const Owned<NativeSharedEvent> event = MakeEvent();
  const Semaphore gate = device_.CreateSemaphore();
  ASSERT_OK(ExportEvent({{gate, 1}}, event, 2));
  ASSERT_OK(gate.Fail(HAL_STATUS_CANCELLED));
  EXPECT_OK(WaitFor(event, 2));
}

TEST_F(InteropTest, TheLogNamesAnExportThatFails) {
  LogRecorder log;
  const Semaphore gate = device_.CreateSemaphore();
  ASSERT_OK(ExportEvent({{gate, 1}}, MakeEvent(), 2));
  ASSERT_OK(gate.Fail(HAL_STATUS_CANCELLED, "no longer wanted"));
  ASSERT_TRUE(log.WaitFor(1));
  EXPECT_EQ(log.lines()[0].level, HAL_LOG_LEVEL_WARNING);
  EXPECT_THAT(log.lines()[0].text, HasSubstr("(export_event, signals nothing) failed: CANCELLED: "));
  EXPECT_THAT(log.lines()[0].text, HasSubstr("no longer wanted"));
}

TEST_F(InteropTest, AnEventThatIsFurtherStaysThere) {
  const Owned<NativeSharedEvent> event = MakeEvent(9);
  const Owned<NativeSharedEvent> behind = MakeEvent();
  ASSERT_OK(ExportEvent(kNoWaits, event, 3));
  ASSERT_OK(ExportEvent(kNoWaits, event, 9));
  ASSERT_OK(ExportEvent(kNoWaits, behind, 1));
  ASSERT_OK(WaitFor(behind, 1));
  EXPECT_EQ(SignaledValue(event.get()), 9u);
}

// --- Memory ---

class MemoryInteropTest : public InteropTest {
 protected:
  hal_status_t Import(const OwnedBuffer& native, uint64_t length, Buffer* out_buffer,
                      const hal_buffer_params_t& params = cts::DeviceLocal()) {
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    memory.type = static_cast<hal_external_memory_type_t>(HAL_METAL_EXTERNAL_MEMORY_TYPE_BUFFER);
    memory.handle = reinterpret_cast<uintptr_t>(native.get());
    memory.length = length;
    return hal_allocator_import(device_.allocator(), &params, &memory, nullptr, nullptr, out_buffer->out());
  }
  /// Fills with a number on the device.
  void Fill(const Ref& range, uint8_t value) {
    const Semaphore done = device_.CreateSemaphore();
    ASSERT_OK(device_.QueueFill(kNoWaits, {{done, 1}}, range, value));
    ASSERT_OK(done.Wait(1));
  }

  Buffer imported_;
};

TEST_F(MemoryInteropTest, AnImportIsTheApplicationsBuffer) {
  const OwnedBuffer native = MakeBuffer(device_, MemoryKind::kShared, 256);
  auto* const bytes = static_cast<uint8_t*>(Contents(native.get()));
  std::fill_n(bytes, 256, 0);
  ASSERT_OK(Import(native, 100, &imported_, cts::Mappable(HAL_BUFFER_USAGE_ALL)));
  Fill(Ref(imported_, 1, 99), 0xab);
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[1], 0xab);
  EXPECT_EQ(bytes[99], 0xab);
  EXPECT_EQ(bytes[100], 0);
}

TEST_F(MemoryInteropTest, AnImportMayOutliveTheApplicationsReference) {
  ASSERT_OK(Import(MakeBuffer(device_, MemoryKind::kPrivate, 256), 256, &imported_));
  Fill(imported_, 3);
  EXPECT_THAT(device_.Download<uint8_t>(imported_), Each(3));
}

TEST_F(MemoryInteropTest, AnImportThatCannotBeIsRefused) {
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Import({}, 16, &imported_));
  const OwnedBuffer small = MakeBuffer(device_, MemoryKind::kPrivate, 256);
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Import(small, 257, &imported_));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("256 bytes, not 257"));
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Import(small, 256, &imported_, cts::Mappable()));
  const OwnedBuffer foreign = MakeBuffer(cts::OpenDevice("metal://1"), MemoryKind::kShared, 256);
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Import(foreign, 256, &imported_));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("another device's"));
}

TEST_F(MemoryInteropTest, AnExportIsTheBufferItself) {
  const auto type = static_cast<hal_external_memory_type_t>(HAL_METAL_EXTERNAL_MEMORY_TYPE_BUFFER);
  const Buffer buffer = device_.CreateBufferOf(std::vector<uint32_t>{11, 12}, cts::Mappable(HAL_BUFFER_USAGE_ALL));
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  ASSERT_OK(hal_buffer_export(buffer, type, &memory));
  const auto native = reinterpret_cast<NativeBuffer>(static_cast<uintptr_t>(memory.handle));
  EXPECT_EQ(memory.length, 8u);
  EXPECT_GE(LengthOf(native), 8u);
  EXPECT_EQ(static_cast<const uint32_t*>(Contents(native))[1], 12u);
  ASSERT_OK(Import(OwnedBuffer::Retaining(native), 8, &imported_));
  EXPECT_THAT(device_.Download<uint32_t>(imported_), testing::ElementsAre(11u, 12u));
}

TEST_F(MemoryInteropTest, ABufferWithoutMemoryHasNothingToExport) {
  const auto type = static_cast<hal_external_memory_type_t>(HAL_METAL_EXTERNAL_MEMORY_TYPE_BUFFER);
  const Semaphore gate = device_.CreateSemaphore();
  const Semaphore done = device_.CreateSemaphore();
  Buffer buffer;
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  ASSERT_OK(device_.QueueAlloca({{gate, 1}}, {{done, 1}}, 64, &buffer,
                                cts::DeviceLocal(HAL_BUFFER_USAGE_ALL & ~HAL_BUFFER_USAGE_MAPPING)));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_export(buffer, type, &memory));
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_OK(hal_buffer_export(buffer, type, &memory));
}

/// A range of host memory: offset in its page, and length.
using HostRange = std::pair<size_t, size_t>;

class HostImportTest : public InteropTest, public testing::WithParamInterface<HostRange> {
 protected:
  static constexpr size_t kBytes = 1 << 16;

  Buffer Import(uint8_t* begin, size_t length) const {
    hal_buffer_params_t params = cts::Mappable(HAL_BUFFER_USAGE_ALL);
    params.memory_type = HAL_MEMORY_TYPE_HOST_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE;
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
    memory.handle = reinterpret_cast<uintptr_t>(begin);
    memory.length = length;
    Buffer buffer;
    cts::Check(hal_allocator_import(device_.allocator(), &params, &memory, nullptr, nullptr, buffer.out()), "import");
    return buffer;
  }

  const std::unique_ptr<uint8_t[]> memory_ = std::make_unique<uint8_t[]>(kBytes);
};

TEST_P(HostImportTest, IsWrittenAndReadWithoutItsNeighbours) {
  const auto [offset, length] = GetParam();
  const uint64_t page = PageSize();
  const uintptr_t begin = reinterpret_cast<uintptr_t>(memory_.get());
  uint8_t* const first = memory_.get() + ((begin + page - 1) / page * page - begin) + page + offset;
  for (size_t i = 0; i < length; ++i) first[i] = static_cast<uint8_t>(i * 7);
  const Buffer imported = Import(first, length);
  const Buffer copy = device_.CreateBuffer(length);
  const Semaphore done = device_.CreateSemaphore();
  ASSERT_OK(device_.QueueCopy(kNoWaits, {{done, 1}}, imported, copy));
  ASSERT_OK(device_.QueueFill({{done, 1}}, {{done, 2}}, imported, uint8_t{0xee}));
  ASSERT_OK(done.Wait(2));
  std::vector<uint8_t> expected(length);
  for (size_t i = 0; i < length; ++i) expected[i] = static_cast<uint8_t>(i * 7);
  EXPECT_EQ(device_.Download<uint8_t>(copy), expected);
  EXPECT_EQ(first[-1], 0);
  EXPECT_THAT(std::vector<uint8_t>(first, first + length), Each(0xee));
  EXPECT_EQ(first[length], 0);
}

INSTANTIATE_TEST_SUITE_P(Metal, HostImportTest,
                         testing::Values(HostRange{0, 4096}, HostRange{0, 1}, HostRange{1, 1}, HostRange{3, 1001},
                                         HostRange{4093, 7}, HostRange{4, 4099}, HostRange{4095, 8193}),
                         [](const auto& test) {
                           return std::to_string(test.param.first) + "_" + std::to_string(test.param.second);
                         });

}  // namespace
}  // namespace halyard::metal
