// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of the library in a process that continues. Each test is a process of its own, as the others leave drivers
// open.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"
#include "thread_count.h"

namespace halyard {
namespace {

/// The application's heap: counts what the library has of it.
std::atomic<int64_t> g_live{0};

void InstallHeap() {
  hal_host_allocator_t allocator = HAL_INIT(hal_host_allocator_t);
  allocator.allocate = [](void*, size_t size, size_t alignment) {
    g_live += static_cast<int64_t>(size);
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  };
  allocator.free = [](void*, void* memory, size_t size, size_t) {
    g_live -= static_cast<int64_t>(size);
    std::free(memory);
  };
  if (hal_set_host_allocator(&allocator) == HAL_STATUS_OK) return;
  std::fprintf(stderr, "set_host_allocator: %s\n", hal_last_error_message());
  std::exit(2);
}

void Check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s; the last message: %s; %lld bytes live\n", what, hal_last_error_message(),
               static_cast<long long>(g_live.load()));
  std::exit(1);
}

/// Opens a device, has it do something on its threads and on this one, and releases everything.
void UseAndCheck(const char* uri) {
  hal_device_t* device = nullptr;
  hal_semaphore_t* done = nullptr;
  Check(hal_device_create(hal_string_view(uri), &device) == HAL_STATUS_OK, "no device");
  Check(hal_semaphore_create(device, nullptr, &done) == HAL_STATUS_OK, "no semaphore");
  const hal_timeline_point_t signal = {done, 1};
  const auto call = [](void*, hal_status_t) { return HAL_STATUS_OK; };
  Check(
      hal_device_queue_host_call(device, hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)),
                                 call, nullptr) == HAL_STATUS_OK,
      "not submitted");
  Check(hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE) == HAL_STATUS_OK, "not done");
  Check(hal_semaphore_wait(done, 2, 0) == HAL_STATUS_DEADLINE_EXCEEDED, "a message");
  hal_semaphore_release(done);
  hal_device_release(device);
}

void ShutDown() { Check(hal_shutdown() == HAL_STATUS_OK, "shutdown"); }

/// Runs `body` in a process of its own.
template <class Body>
void InChild(const Body& body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((body(), std::exit(0)), testing::ExitedWithCode(0), "");
}

class ShutdownDeviceTest : public testing::TestWithParam<const char*> {};

TEST_P(ShutdownDeviceTest, GivesEverythingBackAndStartsAgain) {
  InChild([] {
    const size_t threads = ThreadCount();
    for (int round = 0; round < 3; ++round) {
      InstallHeap();
      UseAndCheck(GetParam());
      UseAndCheck("null");
      Check(hal_set_host_allocator(nullptr) == HAL_STATUS_FAILED_PRECONDITION, "memory is in use");
      ShutDown();
      Check(g_live == 0, "memory was not released");
      Check(HasAsManyThreadsAs(threads), "threads are left");
      Check(hal_shutdown() == HAL_STATUS_OK, "the second time");
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Devices, ShutdownDeviceTest, testing::Values("local://sync", "local://task?threads=3"),
                         [](const auto& uri) { return uri.index == 0 ? "Sync" : "Task"; });

TEST(ShutdownTest, LeavesAnAllocatorThatWasNotUsed) {
  InChild([] {
    InstallHeap();
    Check(hal_shutdown() == HAL_STATUS_OK, "nothing is alive");
    UseAndCheck("local://sync");
    ShutDown();
    Check(g_live == 0, "memory was not returned to the allocator that it is from");
  });
}

void ExpectAlive(const char* what) {
  Check(hal_shutdown() == HAL_STATUS_FAILED_PRECONDITION, "shut down under an object");
  Check(std::string(hal_last_error_message()).find(std::string("still alive: ") + what + ";") != std::string::npos,
        what);
}

TEST(ShutdownTest, SaysWhatIsAlive) {
  InChild([] {
    hal_device_t* device = nullptr;
    hal_fence_t* fence = nullptr;
    hal_driver_t* driver = nullptr;
    hal_registry_t* registry = nullptr;
    hal_buffer_t* buffer = nullptr;
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    hal_device_create(hal_string_view("local"), &device);
    hal_fence_create(0, &fence);
    ExpectAlive("1 device, 1 fence");
    hal_allocator_allocate(hal_device_allocator(device), &params, 16, &buffer);
    hal_device_release(device);
    hal_fence_release(fence);
    ExpectAlive("1 device");
    hal_buffer_release(buffer);
    hal_pipeline_layout_t* layout = nullptr;
    hal_device_create(hal_string_view("local"), &device);
    Check(hal_pipeline_layout_create(device, 0, nullptr, 4, &layout) == HAL_STATUS_OK, "no layout");
    ExpectAlive("1 device");  // as with layouts that an executable makes
    hal_device_release(device);
    ExpectAlive("1 pipeline layout");
    hal_pipeline_layout_release(layout);
    hal_registry_create(&registry);
    ExpectAlive("1 registry object");
    hal_registry_release(registry);
    hal_registry_open_driver(hal_registry_default(), hal_string_view("local"), &driver);
    ExpectAlive("1 driver");
    hal_driver_release(driver);
    ShutDown();
  });
}

// A wait returns before the callback of its value has, and the operation keeps its device until then. On a busy machine
// a thread may be away for as long.
TEST(ShutdownTest, WaitsForAThreadThatWorks) {
  InChild([] {
    hal_device_t* device = nullptr;
    hal_semaphore_t* done = nullptr;
    hal_device_create(hal_string_view("local://task?threads=2"), &device);
    hal_semaphore_create(device, nullptr, &done);
    static std::atomic<bool> called = false;
    const auto call = [](void*, hal_status_t, hal_string_view_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(600));  // more than hal_shutdown() waits for nothing
      called = true;
    };
    Check(hal_semaphore_notify(done, 1, call, nullptr, nullptr) == HAL_STATUS_OK, "not registered");
    const hal_timeline_point_t signal = {done, 1};
    hal_device_queue_host_call(
        device, hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)),
        [](void*, hal_status_t status) { return status; }, nullptr);
    Check(hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE) == HAL_STATUS_OK, "not done");
    hal_semaphore_release(done);
    hal_device_release(device);
    ShutDown();
    Check(called, "shut down within a callback");
  });
}

TEST(ShutdownTest, AnUploadHidesNoFile) {
  InChild([] {
    std::array<char, 16> data{};
    hal_device_t* device = nullptr;
    hal_semaphore_t* done = nullptr;
    hal_buffer_t* buffer = nullptr;
    hal_file_t* file = nullptr;
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.usage = HAL_BUFFER_USAGE_TRANSFER_TARGET;
    hal_device_create(hal_string_view("local://sync"), &device);
    hal_semaphore_create(device, nullptr, &done);
    hal_allocator_allocate(hal_device_allocator(device), &params, data.size(), &buffer);
    const hal_timeline_point_t signal = {done, 1};
    Check(hal_device_queue_upload(device, hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)),
                                  data.data(), hal_buffer_ref(buffer, 0, data.size())) == HAL_STATUS_OK,
          "not submitted");
    Check(hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE) == HAL_STATUS_OK, "not done");
    hal_buffer_release(buffer);
    hal_semaphore_release(done);
    hal_device_release(device);
    hal_file_from_memory(data.data(), data.size(), HAL_FILE_ACCESS_READ, nullptr, nullptr, &file);
    ExpectAlive("1 file");
    hal_file_release(file);
    ShutDown();
  });
}

TEST(ShutdownTest, IsRefusedInACallback) {
  InChild([] {
    for (const char* uri : {"local://sync", "local://task"}) {
      hal_device_t* device = nullptr;
      hal_semaphore_t* done = nullptr;
      hal_device_create(hal_string_view(uri), &device);
      hal_semaphore_create(device, nullptr, &done);
      const hal_timeline_point_t signal = {done, 1};
      const auto call = [](void*, hal_status_t) { return hal_shutdown(); };
      hal_device_queue_host_call(device, hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)),
                                 call, nullptr);
      Check(hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE) == HAL_STATUS_FAILED_PRECONDITION, "refused");
      Check(std::string(hal_last_error_message()).find("callback") != std::string::npos, "says why");
      hal_semaphore_release(done);
      hal_device_release(device);
    }
    ShutDown();
  });
}

}  // namespace
}  // namespace halyard
