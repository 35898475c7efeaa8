// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that are lost while they work: what they may still use.
#include <cstdlib>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "halyard/fault_injection.h"
#include "simulation.h"
#include "vulkan/device/vulkan_device.h"
#include "vulkan_test.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define HALYARD_LEAVE_ON_PURPOSE const __lsan::ScopedDisabler leave
#endif
#endif
#ifndef HALYARD_LEAVE_ON_PURPOSE
#define HALYARD_LEAVE_ON_PURPOSE static_cast<void>(0)
#endif

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Device;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;
using testing::HasSubstr;

class LossTest : public testing::Test {
 protected:
  void SetUp() override { setenv(kQueues, "2", 1); }
  /// A lost device asks the spare queue while it ends. The next test counts such calls, and runs code inside one.
  void TearDown() override {
    AwaitEndOfDevices();
    EXPECT_EQ(simulation_.Reports(), 0u);
    unsetenv(kQueues);
  }

  /// With a queue to spare, which tells of silent losses.
  static Device Open(const std::string& parameters = "") { return OpenAnew("?queues=1" + parameters); }

  static VulkanDevice& Internals(const Device& device) { return *static_cast<VulkanDevice*>(device.get()); }
  static void Lose(const Device& device) {
    const void* table = nullptr;
    cts::Check(hal_device_query_interface(device, cts::View(HAL_FAULT_INJECTION_INTERFACE), 1, &table), "the table");
    cts::Check(
        static_cast<const hal_fault_injection_interface_t*>(table)->lose_device(device, cts::View("by the test")),
        "lose_device");
  }
  /// Releases a device and waits for its end: a thread of its own may have the last reference, and would make calls
  /// during the next test.
  void Close(Device device) const {
    device.reset();
    while (simulation_.Calls("vkDestroyDevice") == 0) std::this_thread::yield();
  }
  /// What an abandoned device may use stays until the process ends.
  static NativeDevice* Leave(std::unique_ptr<NativeDevice> native) {
    static auto* const left = new std::vector<std::unique_ptr<NativeDevice>>;
    return left->emplace_back(std::move(native)).get();
  }
  /// Memory of the test, whose release is counted.
  Buffer ImportBytes(const Device& device) {
    hal_external_memory_t given = HAL_INIT(hal_external_memory_t);
    given.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
    given.handle = reinterpret_cast<uintptr_t>(bytes_.data());
    given.length = bytes_.size();
    const hal_buffer_params_t params = cts::Mappable(HAL_BUFFER_USAGE_TRANSFER);
    const auto release = [](void* counter) { static_cast<cts::Counter*>(counter)->Add(); };
    Buffer imported;
    cts::Check(hal_allocator_import(device.allocator(), &params, &given, release, &released_, imported.out()),
               "hal_allocator_import");
    return imported;
  }

  static constexpr const char* kQueues = "HALYARD_SIM_VULKAN_QUEUES";
  const Simulation simulation_;
  std::vector<char> bytes_ = std::vector<char>(4096);
  cts::Counter released_;
};

TEST_F(LossTest, ARecordingThatTheDeviceMayUseServesNoOther) {
  Device device = Open();
  Semaphore done = device.CreateSemaphore();
  Buffer buffer = ImportBytes(device);
  simulation_.LoseAt(1, HALYARD_SIM_LOSS_SILENT);
  ASSERT_OK(device.QueueFill(kNoWaits, {{done, 1}}, Ref(buffer, 0, bytes_.size()), uint8_t{1}));
  buffer.reset();
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, done.Wait(1));
  ASSERT_TRUE(released_.WaitFor(1)) << "the operation has ended";
  VulkanRecording* recording = nullptr;
  ASSERT_OK(Publish(Internals(device).recordings().Acquire(&recording)));
  EXPECT_TRUE(recording->parts().empty()) << "it was used before";
  done.reset();
  Close(std::move(device));
}

/// Transfers between a file and memory that the host cannot reach, which the driver copies through staging.
class FileLossTest : public LossTest {
 protected:
  /// A buffer of the application without an address.
  static Buffer ImportHidden(const Device& device, const NativeBuffer& native) {
    hal_vulkan_buffer_t told = HAL_INIT(hal_vulkan_buffer_t);
    told.buffer = Number(native.buffer);
    told.size = native.size;
    told.usage = kUsage;
    told.memory_type_index = native.type;
    told.memory = Number(native.memory);
    hal_external_memory_t given = HAL_INIT(hal_external_memory_t);
    given.type = static_cast<hal_external_memory_type_t>(HAL_VULKAN_EXTERNAL_MEMORY_TYPE_BUFFER);
    given.handle = reinterpret_cast<uintptr_t>(&told);
    given.length = native.size;
    const hal_buffer_params_t params = cts::DeviceLocal(HAL_BUFFER_USAGE_TRANSFER);
    Buffer imported;
    cts::Check(hal_allocator_import(device.allocator(), &params, &given, nullptr, nullptr, imported.out()), "import");
    return imported;
  }
  cts::File OpenFile() {
    const auto release = [](void* counter) { static_cast<cts::Counter*>(counter)->Add(); };
    cts::File file;
    cts::Check(
        hal_file_from_memory(bytes_.data(), bytes_.size(), HAL_FILE_ACCESS_WRITE, release, &released_, file.out()),
        "hal_file_from_memory");
    return file;
  }

  static constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
};

TEST_F(FileLossTest, ACounterThatWasNeverSubmittedIsALoss) {
  const Device device = Open();
  NativeDevice native(device);
  const Buffer source = ImportHidden(device, native.MakeBuffer(4096, kUsage));
  const Semaphore done = device.CreateSemaphore();
  simulation_.LoseAt(1, HALYARD_SIM_LOSS_WILD);
  ASSERT_OK(device.QueueWrite(kNoWaits, {{done, 1}}, Ref(source, 0, 4096), OpenFile(), 0));
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("a value that was never submitted"));
  EXPECT_TRUE(released_.WaitFor(1)) << "the transfer has ended";
}

// The simulation reports what is destroyed while the device uses it.
TEST_F(FileLossTest, WhatALostDeviceDoesNotEndIsLeftToIt) {
  static std::binary_semaphore is_submitted(0);
  const Device device = Open();
  NativeDevice* const native = Leave(std::make_unique<NativeDevice>(device));
  auto tell = [] { is_submitted.release(); };
  {
    const Buffer source = ImportHidden(device, native->MakeBuffer(4096, kUsage));
    const Semaphore done = device.CreateSemaphore();
    simulation_.LoseAt(1, HALYARD_SIM_LOSS_SILENT);
    simulation_.Inside("vkQueueSubmit2", tell);
    ASSERT_OK(device.QueueWrite(kNoWaits, {{done, 1}}, Ref(source, 0, 4096), OpenFile(), 0));
    is_submitted.acquire();
    Lose(device);
    EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, done.Wait(1));
  }
  EXPECT_TRUE(released_.WaitFor(1)) << "the transfer has ended";
  EXPECT_TRUE(Internals(device).context().abandoned());
}

TEST_F(LossTest, ASpareQueueThatIsNeverIdleDoesNotHoldUpTheTimeout) {
  static std::binary_semaphore is_over(0);
  static std::binary_semaphore has_left(0);
  static auto stay = [] {
    is_over.acquire();
    has_left.release();
  };
  const Device device = Open("&timeout=2");
  const Buffer buffer = device.CreateBuffer(64);
  const Semaphore done = device.CreateSemaphore();
  simulation_.Inside("vkQueueWaitIdle", stay);
  simulation_.LoseAt(1, HALYARD_SIM_LOSS_SILENT);
  ASSERT_OK(device.QueueFill(kNoWaits, {{done, 1}}, buffer, uint32_t{1}));
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("no work of the device has ended in 2 s of waiting"));
  ASSERT_EQ(simulation_.Calls("vkQueueWaitIdle"), 1u);
  is_over.release();
  has_left.acquire();
}

// What an abandoned device keeps is no leak.
TEST_F(LossTest, AnAbandonedDeviceGivesNoMemoryBack) {
  HALYARD_LEAVE_ON_PURPOSE;
  Device device = Open();
  Buffer imported = ImportBytes(device);
  Internals(device).context().Abandon();
  imported.reset();
  device.reset();
  EXPECT_EQ(released_.count(), 0u);
}

TEST_F(LossTest, AnAbandonedDeviceOfTheApplicationIsNotGivenBack) {
  HALYARD_LEAVE_ON_PURPOSE;
  NativeDevice* const native = Leave(std::make_unique<NativeDevice>());
  const hal_vulkan_device_t told = native->told();
  const auto release = [](void* counter) { static_cast<cts::Counter*>(counter)->Add(); };
  cts::Driver driver;
  ASSERT_OK(hal_registry_open_driver(hal_registry_default(), cts::View("vulkan"), driver.out()));
  Device device;
  ASSERT_OK(hal_driver_wrap_device(driver, cts::View(HAL_VULKAN_INTEROP_INTERFACE), &told, 0, nullptr, release,
                                   &released_, device.out()));
  Internals(device).context().Abandon();
  device.reset();
  EXPECT_EQ(released_.count(), 0u);
}

// A lane learns of an end from its callers, too, which do not ask the probe.
TEST_F(LossTest, WorkThatEndsIsProgressForThoseThatWaitForOther) {
  constexpr uint64_t kRounds = 100;
  const Device device = Open();
  const NativeDevice native(device);
  const hal_vulkan_interop_interface_t& interop = InteropOf(device);
  const Buffer buffer = device.CreateBuffer(64);
  const Semaphore done = device.CreateSemaphore();
  VulkanProbe& probe = Internals(device).probe();
  Progress standing;
  ASSERT_OK(Publish(probe.Watch(0, &standing)));
  const uint64_t before = standing.moves;
  for (uint64_t i = 1; i <= kRounds; ++i) {
    ASSERT_OK(device.QueueFill(kNoWaits, {{done, i}}, buffer, uint32_t{1}));
    ASSERT_OK(interop.lock_queue(device, 0));
    CheckVk(native.vk().QueueWaitIdle(native.queue()), "vkQueueWaitIdle");
    ASSERT_OK(interop.unlock_queue(device, 0));
    ASSERT_OK(done.Wait(i));
  }
  ASSERT_OK(Publish(probe.Watch(0, &standing)));
  EXPECT_GE(standing.moves - before, kRounds);
}

// The operation failed, and sets the application's timeline by a submission of its own.
TEST_F(LossTest, ATimelineThatALostDeviceMaySetIsLeftToIt) {
  Device device = Open();
  NativeDevice* const native = Leave(std::make_unique<NativeDevice>(device));
  const Semaphore gate = device.CreateSemaphore();
  ASSERT_OK(InteropOf(device).export_timeline(device, cts::Points{{gate, 1}}, Number(native->MakeTimeline()), 1));
  simulation_.LoseAt(1, HALYARD_SIM_LOSS_SILENT);
  ASSERT_OK(gate.Fail(HAL_STATUS_CANCELLED));
  EXPECT_EQ(simulation_.Calls("vkQueueSubmit2"), 1u);
  Lose(device);
}

}  // namespace
}  // namespace halyard::vulkan
