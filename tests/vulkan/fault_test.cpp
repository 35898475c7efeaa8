// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that writes where no memory is. Only a GPU can show that: on the processor it would be a fault of this
// process. Runs in a process of its own, on Vulkan itself, and says how long it took until the loss was told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "vulkan/device/vulkan_device.h"
#include "vulkan_test.h"
#include "write_word.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::kNoWaits;
using cts::Semaphore;

constexpr uint64_t kNowhere = uint64_t{0xdead} << 32;  // far from all that a device has
constexpr uint64_t kPatience = 60'000'000'000;         // nanoseconds

Executable LoadWriter(const Device& device) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = cts::View("spirv");
  params.data = kWriteWord;
  params.data_size = sizeof(kWriteWord);
  Executable executable;
  cts::Check(hal_executable_create(device, &params, executable.out()), "hal_executable_create");
  return executable;
}

Dispatch Write(uint64_t address, uint32_t value) {
  Dispatch dispatch;
  dispatch.Workgroups(1).Constant(static_cast<uint32_t>(address)).Constant(static_cast<uint32_t>(address >> 32));
  dispatch.Constant(value);
  return dispatch;
}

TEST(AddressTest, AKernelWritesToAnExportedAddress) {
  const Device device = OpenVulkan();
  const hal_buffer_params_t params = cts::DeviceLocal(HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_EXPORT);
  const Buffer buffer = device.CreateBufferOf(std::vector<uint32_t>{1, 2, 3}, params);
  hal_external_memory_t told = HAL_INIT(hal_external_memory_t);
  ASSERT_OK(hal_buffer_export(buffer, HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &told));
  const Executable writer = LoadWriter(device);
  const Semaphore done = device.CreateSemaphore();
  ASSERT_OK(device.QueueDispatch(kNoWaits, {{done, 1}}, writer, "write_word", Write(told.handle + 4, 7)));
  ASSERT_OK(done.Wait(1));
  EXPECT_EQ(device.Download<uint32_t>(buffer), (std::vector<uint32_t>{1, 7, 3}));
}

void Expect(bool is_so, int line, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "line %d: %s (%s)\n", line, what, hal_last_error_message());
  _exit(1);
}

#define CHECK_THAT(condition) Expect(condition, __LINE__, #condition)

hal_status_t Await(const Semaphore& semaphore) { return hal_semaphore_wait(semaphore, 1, kPatience); }

// Everything of the device fails, what depends on it elsewhere too, and all can be released. What NVIDIA's library does
// at exit() may not end after that (docs/vulkan-driver.md).
void RunFault(const std::string& parameters) {
  alarm(90);  // rather than hang
  {
    const Device device = OpenVulkan(parameters);
    const Device other = cts::OpenDevice("local://sync");
    const Executable writer = LoadWriter(device);
    const Semaphore done = device.CreateSemaphore();
    const Semaphore held = device.CreateSemaphore();
    const Semaphore gate = device.CreateSemaphore();
    const Semaphore elsewhere = other.CreateSemaphore();
    const Semaphore well = other.CreateSemaphore();
    CHECK_THAT(other.QueueBarrier({{done, 1}}, {{elsewhere, 1}}) == HAL_STATUS_OK);
    CHECK_THAT(device.QueueBarrier({{gate, 1}}, {{held, 1}}) == HAL_STATUS_OK);
    const auto begin = std::chrono::steady_clock::now();
    CHECK_THAT(device.QueueDispatch(kNoWaits, {{done, 1}}, writer, "write_word", Write(kNowhere, 1)) == HAL_STATUS_OK);
    CHECK_THAT(Await(done) == HAL_STATUS_DEVICE_LOST);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const std::string told = hal_last_error_message();
    CHECK_THAT(Await(held) == HAL_STATUS_DEVICE_LOST);
    CHECK_THAT(Await(elsewhere) == HAL_STATUS_DEVICE_LOST);
    CHECK_THAT(hal_device_query_health(device) == HAL_STATUS_DEVICE_LOST);
    CHECK_THAT(device.QueueDispatch(kNoWaits, {}, writer, "write_word", Write(kNowhere, 1)) == HAL_STATUS_DEVICE_LOST);
    CHECK_THAT(other.QueueBarrier(kNoWaits, {{well, 1}}) == HAL_STATUS_OK);
    CHECK_THAT(Await(well) == HAL_STATUS_OK);
    std::fprintf(stderr, "told after %.2f s: %s\n", taken.count(), told.c_str());
  }
  _exit(0);
}

class FaultTest : public testing::Test {
 protected:
  void SetUp() override {
    if (IsCpu()) GTEST_SKIP() << "the device works on the host's processor";
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts the program again
    const char* const library = std::getenv(kLibrary);
    if (library) library_ = library;
    setenv(kLibrary, "libvulkan.so.1", 1);  // for that
  }
  void TearDown() override {
    if (!library_.empty()) setenv(kLibrary, library_.c_str(), 1);
  }

 private:
  static bool IsCpu() {
    const Device device = OpenVulkan();
    return static_cast<const VulkanDevice*>(device.get())->traits().is_cpu();
  }

  static constexpr const char* kLibrary = "HALYARD_VULKAN_LIBRARY";
  std::string library_;
};

TEST_F(FaultTest, FailsEverythingWithinTheTimeout) {
  std::string log;
  const auto keep = [&](const std::string& text) {
    log = text;
    return text.find("told after ") != std::string::npos;
  };
  EXPECT_EXIT(RunFault("?timeout=5"), testing::ExitedWithCode(0), testing::Truly(keep));
  std::printf("%s", log.c_str());
}

}  // namespace
}  // namespace halyard::vulkan
