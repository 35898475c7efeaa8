// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which devices there are, in which order, and what they are opened with. What is said without a loader, a driver or a
// device is tested by a process for each (CMakeLists.txt).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "simulation.h"
#include "support/temporary_files.h"
#include "vulkan/native/vulkan_traits.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Device;
using cts::kNoWaits;
using cts::Semaphore;
using testing::HasSubstr;

class OpeningTest : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(simulation_.Reports(), 0u);
    unsetenv(kHidden);
  }

  static hal_status_t Open(const std::string& parameters, Device* out) {
    cts::Registry registry;
    cts::Check(hal_registry_create(registry.out()), "hal_registry_create");
    return hal_registry_create_device(registry, cts::View("vulkan://0" + parameters), 0, nullptr, out->out());
  }

  static constexpr const char* kHidden = "HALYARD_SIM_VULKAN_HIDE";
  const Simulation simulation_;
};

TEST(DeviceOrderTest, ProcessorsComeLast) {
  const auto rank = [](VkPhysicalDeviceType type) {
    VulkanTraits traits;
    traits.type = type;
    return RankOf(traits);
  };
  EXPECT_LT(rank(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU), rank(VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU));
  EXPECT_LT(rank(VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU), rank(VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU));
  EXPECT_LT(rank(VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU), rank(VK_PHYSICAL_DEVICE_TYPE_OTHER));
  EXPECT_LT(rank(VK_PHYSICAL_DEVICE_TYPE_OTHER), rank(VK_PHYSICAL_DEVICE_TYPE_CPU));
}

TEST_F(OpeningTest, AUuidNamesTheDevice) {
  const Device first = OpenVulkan();
  const std::string id(first.info().id.data, first.info().id.size);
  EXPECT_EQ(id.size(), 36u) << id;
  const Device same = cts::OpenDevice("vulkan://" + id);
  EXPECT_STREQ(same.info().id.data, id.c_str());
}

TEST_F(OpeningTest, EachNeededFeatureIsNamed) {
  for (const char* feature :
       {"timelineSemaphore", "bufferDeviceAddress", "hostQueryReset", "synchronization2", "maintenance4"}) {
    setenv(kHidden, feature, 1);
    Device device;
    EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, Open("", &device)) << feature;
    EXPECT_THAT(hal_last_error_message(), HasSubstr("finds no device of Vulkan 1.3")) << feature;
  }
}

TEST_F(OpeningTest, RobustAccessIsRefusedWhereItCannotBe) {
  setenv(kHidden, "robustBufferAccess", 1);
  Device device;
  EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, Open("?robust=on", &device));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the device lacks the feature robustBufferAccess"));
  EXPECT_OK(Open("?robust=off", &device));
}

TEST_F(OpeningTest, WrongParametersAreNamed) {
  const struct {
    const char* given;
    const char* name;
  } kWrong[] = {{"?queues=0", "queues"},
                {"?queues=33", "queues"},
                {"?memory=much", "memory"},
                {"?pool=-1", "pool"},
                {"?validation=maybe", "validation"},
                {"?robust=2", "robust"},
                {"?transfers=slow", "transfers"},
                {"?timeout=soon", "timeout"},
                {"?commands_per_submission=4294967296", "commands_per_submission"},
                {"?speed=high", "speed"}};
  for (const auto& [given, name] : kWrong) {
    Device device;
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Open(given, &device)) << given;
    EXPECT_THAT(hal_last_error_message(), HasSubstr(name)) << given;
  }
}

TEST_F(OpeningTest, QueuesAreAsManyAsAskedFor) {
  for (const uint32_t count : {1u, 7u, 32u}) {
    Device device;
    ASSERT_OK(Open("?queues=" + std::to_string(count), &device));
    EXPECT_EQ(device.info().queue_count, count);
  }
}

TEST_F(OpeningTest, MemoryIsALimit) {
  Device device;
  ASSERT_OK(Open("?memory=1MiB", &device));
  const hal_buffer_params_t params = cts::DeviceLocal();
  Buffer buffer;
  ASSERT_OK(hal_allocator_allocate(device.allocator(), &params, 512 << 10, buffer.out()));
  Buffer beyond;
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED,
                hal_allocator_allocate(device.allocator(), &params, 768 << 10, beyond.out()));
  buffer.reset();
  EXPECT_OK(hal_allocator_allocate(device.allocator(), &params, 768 << 10, beyond.out()));
}

TEST_F(OpeningTest, ATraceIsWrittenInTheEnd) {
  const TemporaryFolder folder;
  const std::string path = folder / "trace.json";
  {
    Device device;
    ASSERT_OK(Open("?trace=" + path, &device));
    const Buffer buffer = device.CreateBuffer(64);
    const Semaphore done = device.CreateSemaphore();
    ASSERT_OK(device.QueueFill(kNoWaits, {{done, 1}}, buffer, uint32_t{7}));
    ASSERT_OK(done.Wait(1));
  }
  AwaitEndOfDevices();  // which may come on a thread of the library
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_THAT(text, HasSubstr("fill"));
}

}  // namespace
}  // namespace halyard::vulkan
