// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that the application has opened: hal_driver_wrap_device().
#include <vector>

#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Device;
using cts::Driver;
using cts::kNoWaits;
using cts::Semaphore;
using testing::Each;
using testing::HasSubstr;

class WrappingTest : public testing::Test {
 protected:
  static Driver OpenDriver(const char* name) {
    Driver driver;
    cts::Check(hal_registry_open_driver(hal_registry_default(), cts::View(name), driver.out()), "open the driver");
    return driver;
  }
  hal_status_t Wrap(const hal_vulkan_device_t& told, Device* out, std::vector<hal_key_value_t> pairs = {}) {
    const auto release = [](void* counter) { static_cast<cts::Counter*>(counter)->Add(); };
    const hal_status_t status = hal_driver_wrap_device(driver_, cts::View(HAL_VULKAN_INTEROP_INTERFACE), &told,
                                                       pairs.size(), pairs.data(), release, &released_, out->out());
    if (status == HAL_STATUS_OK) ++wrapped_;
    return status;
  }
  /// Until then the native device is in use.
  void TearDown() override { EXPECT_TRUE(released_.WaitFor(wrapped_)); }
  void Refuse(hal_status_t expected, const hal_vulkan_device_t& told, const char* words) {
    Device device;
    EXPECT_STATUS(expected, Wrap(told, &device));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
    EXPECT_EQ(device.get(), nullptr);
  }
  template <class Change>
  hal_vulkan_device_t Changed(Change change) const {
    hal_vulkan_device_t told = native_.told();
    change(told);
    return told;
  }
  static void Use(const Device& device) {
    const Buffer source = device.CreateBufferOf(std::vector<uint32_t>(256, 1));
    const Buffer target = device.CreateBuffer(1024);
    const cts::Executable kernels = device.LoadKernels("basic");
    const Semaphore done = device.CreateSemaphore();
    ASSERT_OK(device.QueueFill(kNoWaits, {{done, 1}}, source, uint32_t{2}));
    ASSERT_OK(device.QueueDispatch({{done, 1}}, {{done, 2}}, kernels, "add_constant",
                                   cts::Dispatch().Workgroups(4).Constant(uint32_t{3}).Bind(source).Bind(target)));
    ASSERT_OK(done.Wait(2));
    EXPECT_THAT(device.Download<uint32_t>(target), Each(5u));
  }

  size_t wrapped_ = 0;
  cts::Counter released_;
  NativeDevice native_{{VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME}};
  const Driver driver_ = OpenDriver("vulkan");
};

TEST_F(WrappingTest, TheDeviceIsTheApplicationsOwn) {
  Device device;
  ASSERT_OK(Wrap(native_.told(), &device));
  hal_vulkan_device_t told = HAL_INIT(hal_vulkan_device_t);
  hal_vulkan_queue_t queue = HAL_INIT(hal_vulkan_queue_t);
  ASSERT_OK(InteropOf(device).device(device, &told));
  ASSERT_OK(InteropOf(device).queue(device, 0, &queue));
  EXPECT_EQ(told.device, native_.told().device);
  EXPECT_EQ(told.instance, native_.told().instance);
  EXPECT_EQ(told.queues, 1u);
  EXPECT_EQ(queue.queue, native_.queue());
  Use(device);
}

TEST_F(WrappingTest, NothingOfTheApplicationsIsDestroyed) {
  const VkSemaphore timeline = native_.MakeTimeline();
  for (size_t round = 1; round <= 3; ++round) {
    Device device;
    ASSERT_OK(Wrap(native_.told(), &device));
    Use(device);
    const Semaphore reached = device.CreateSemaphore();
    ASSERT_OK(InteropOf(device).import_timeline(device, Number(timeline), round, cts::Points{{reached, 1}}));
    ASSERT_OK(InteropOf(device).export_timeline(device, kNoWaits, Number(timeline), round));
    EXPECT_OK(reached.Wait(1));
    device.reset();
  }
  EXPECT_TRUE(released_.WaitFor(3));
  native_.Submit(timeline, 10);
  native_.Await(timeline, 10);
}

TEST_F(WrappingTest, ParametersCount) {
  Device device;
  ASSERT_OK(Wrap(native_.told(), &device, {{cts::View("queues"), cts::View("2")}}));
  EXPECT_EQ(device.info().queue_count, 2u);
  Use(device);
  Device other;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                Wrap(native_.told(), &other, {{cts::View("validation"), cts::View("on")}}));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Wrap(native_.told(), &other, {{cts::View("colour"), cts::View("red")}}));
}

TEST_F(WrappingTest, AMissingFeatureIsNamed) {
  const struct {
    VkBool32* feature;
    const char* name;
  } needed[] = {{&native_.v12().timelineSemaphore, "timelineSemaphore"},
                {&native_.v12().bufferDeviceAddress, "bufferDeviceAddress"},
                {&native_.v12().hostQueryReset, "hostQueryReset"},
                {&native_.v13().synchronization2, "synchronization2"},
                {&native_.v13().maintenance4, "maintenance4"}};
  for (const auto& one : needed) {
    *one.feature = VK_FALSE;
    Refuse(HAL_STATUS_INCOMPATIBLE, native_.told(), one.name);
    *one.feature = VK_TRUE;
  }
}

TEST_F(WrappingTest, FeaturesMayBeToldOneByOne) {
  VkPhysicalDeviceMaintenance4Features maintenance{};
  maintenance.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES;
  maintenance.maintenance4 = VK_TRUE;
  VkPhysicalDeviceSynchronization2Features synchronization{};
  synchronization.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES;
  synchronization.pNext = &maintenance;
  synchronization.synchronization2 = VK_TRUE;
  VkPhysicalDeviceHostQueryResetFeatures reset{};
  reset.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES;
  reset.pNext = &synchronization;
  reset.hostQueryReset = VK_TRUE;
  VkPhysicalDeviceBufferDeviceAddressFeatures address{};
  address.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
  address.pNext = &reset;
  address.bufferDeviceAddress = VK_TRUE;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  timeline.pNext = &address;
  timeline.timelineSemaphore = VK_TRUE;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &timeline;
  Device device;
  ASSERT_OK(Wrap(Changed([&](auto& told) { told.features = &features; }), &device));
  Use(device);
}

TEST_F(WrappingTest, WhatIsWrongIsNamed) {
  Refuse(HAL_STATUS_INCOMPATIBLE, Changed([](auto& told) { told.api_version = VK_API_VERSION_1_2; }), "Vulkan 1.2");
  Refuse(HAL_STATUS_INVALID_ARGUMENT, Changed([](auto& told) { told.struct_size = 16; }), "struct_size is 16");
  Refuse(HAL_STATUS_INVALID_ARGUMENT, Changed([](auto& told) { told.get_instance_proc_addr = nullptr; }),
         "native->get_instance_proc_addr is NULL");
  Refuse(HAL_STATUS_INVALID_ARGUMENT, Changed([](auto& told) { told.instance = nullptr; }), "native->instance is NULL");
  Refuse(HAL_STATUS_INVALID_ARGUMENT, Changed([](auto& told) { told.physical_device = nullptr; }), "physical_device");
  Refuse(HAL_STATUS_INVALID_ARGUMENT, Changed([](auto& told) { told.device = nullptr; }), "native->device is NULL");
  Refuse(HAL_STATUS_INVALID_ARGUMENT, Changed([](auto& told) { told.features = nullptr; }), "native->features is NULL");
  VkApplicationInfo other{};
  other.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  Refuse(HAL_STATUS_INVALID_ARGUMENT, Changed([&](auto& told) { told.features = &other; }), "sType differs");
  const char* const names[] = {nullptr};
  Refuse(HAL_STATUS_INVALID_ARGUMENT, Changed([&](auto& told) {
           told.extensions = names;
           told.extension_count = 1;
         }),
         "native->extensions[0] is NULL");
  Refuse(HAL_STATUS_INVALID_ARGUMENT, Changed([](auto& told) { told.queue_family = 99; }), "queue_family is 99");
  Refuse(HAL_STATUS_INVALID_ARGUMENT, Changed([](auto& told) { told.queues = 0; }), "queues is 0x0");
  Refuse(HAL_STATUS_INVALID_ARGUMENT, Changed([](auto& told) { told.queues = UINT64_C(1) << 63; }), "a bit for each");
  EXPECT_EQ(released_.count(), 0u);
}

TEST_F(WrappingTest, AnExtensionThatWasNotEnabledIsMissing) {
  Device device;
  ASSERT_OK(Wrap(Changed([](auto& told) { told.extension_count = 0; }), &device));
  const Buffer buffer = device.CreateBuffer(64, cts::DeviceLocal(HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_EXPORT));
  hal_vulkan_memory_t told = HAL_VULKAN_MEMORY_INIT;
  const auto& interop = InteropOf(device);
  EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED,
                interop.export_memory(buffer, HAL_VULKAN_EXTERNAL_MEMORY_TYPE_OPAQUE_FD, &told));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the device lacks VK_KHR_external_memory_fd"));
  uint64_t timeline = 0;
  EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED, interop.create_timeline(device, 0, &timeline));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the device lacks VK_KHR_external_semaphore_fd"));
}

TEST_F(WrappingTest, OtherDriversAndNamesAreRefused) {
  const hal_vulkan_device_t told = native_.told();
  Device device;
  EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED, hal_driver_wrap_device(driver_, cts::View("halyard.other"), &told, 0, nullptr,
                                                                 nullptr, nullptr, device.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("not of 'halyard.other'"));
  EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED,
                hal_driver_wrap_device(OpenDriver("null"), cts::View(HAL_VULKAN_INTEROP_INTERFACE), &told, 0, nullptr,
                                       nullptr, nullptr, device.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("'null' does not implement driver.wrap_device"));
}

}  // namespace
}  // namespace halyard::vulkan
