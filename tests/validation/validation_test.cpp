// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an application is told while HALYARD_VALIDATION=1 is set. Through the public API alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"

namespace halyard {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::mutex g_mutex;  // protects what follows
std::string g_log;

std::string TakeLog() {
  const std::lock_guard lock(g_mutex);
  return std::exchange(g_log, {});
}

void Append(void*, hal_log_level_t, hal_string_view_t message) {
  const std::lock_guard lock(g_mutex);
  g_log.append(message.data, message.size).append("\n");
}

class ValidationTest : public ::testing::Test {
 protected:
  ValidationTest() { Begin("1"); }
  ~ValidationTest() override {
    End();
    setenv("HALYARD_VALIDATION", "0", 1);
    hal_set_log_callback(nullptr, nullptr, HAL_LOG_LEVEL_ERROR);
  }

  void Begin(const char* validation) {
    setenv("HALYARD_VALIDATION", validation, 1);
    hal_set_log_callback(Append, nullptr, HAL_LOG_LEVEL_WARNING);
    TakeLog();
    EXPECT_EQ(hal_device_create(hal_string_view("local://sync"), &device_), HAL_STATUS_OK) << hal_last_error_message();
  }
  void End() {
    hal_device_release(std::exchange(device_, nullptr));
    hal_status_t status = hal_shutdown();
    while (status == HAL_STATUS_FAILED_PRECONDITION) status = hal_shutdown();
    EXPECT_EQ(status, HAL_STATUS_OK) << hal_last_error_message();
  }

  hal_allocator_t* Allocator() const { return hal_device_allocator(device_); }
  hal_buffer_t* MakeBuffer() const {
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
    hal_buffer_t* buffer = nullptr;
    EXPECT_EQ(hal_allocator_allocate(Allocator(), &params, 64, &buffer), HAL_STATUS_OK) << hal_last_error_message();
    return buffer;
  }
  hal_semaphore_t* MakeSemaphore() const {
    hal_semaphore_t* semaphore = nullptr;
    EXPECT_EQ(hal_semaphore_create(device_, nullptr, &semaphore), HAL_STATUS_OK) << hal_last_error_message();
    return semaphore;
  }

  hal_device_t* device_ = nullptr;
};

template <class T>
T* As(void* handle) {
  return static_cast<T*>(handle);
}

/// One class of handles: how to make one, to give references, and to use it.
struct Class {
  const char* name;  ///< as in function names
  std::function<void*(hal_device_t*)> make;
  std::function<void(void*)> retain;
  std::function<void(void*)> release;
  std::function<void(void*)> use;  ///< leaves a message if the handle is wrong
};

#define HALYARD_CALLS(type)                                              \
  [](void* handle) { hal_##type##_retain(As<hal_##type##_t>(handle)); }, \
      [](void* handle) { hal_##type##_release(As<hal_##type##_t>(handle)); }

hal_buffer_t* BufferOf(hal_device_t* device) {
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  hal_buffer_t* buffer = nullptr;
  hal_allocator_allocate(hal_device_allocator(device), &params, 64, &buffer);
  return buffer;
}

/// All that can be made without an image of kernels.
std::vector<Class> Classes() {
  return {
      {"buffer", BufferOf, HALYARD_CALLS(buffer),
       [](void* handle) { hal_buffer_flush(As<hal_buffer_t>(handle), 0, HAL_WHOLE_SIZE); }},
      {"buffer_view",
       [](hal_device_t* device) {
         hal_buffer_t* const buffer = BufferOf(device);
         const int64_t size = 4;
         hal_buffer_view_t* view = nullptr;
         hal_buffer_view_create(buffer, HAL_ELEMENT_TYPE_F32, 1, &size, &view);
         hal_buffer_release(buffer);
         return view;
       },
       HALYARD_CALLS(buffer_view), [](void* handle) { hal_buffer_view_length(As<hal_buffer_view_t>(handle)); }},
      {"semaphore",
       [](hal_device_t* device) {
         hal_semaphore_t* semaphore = nullptr;
         hal_semaphore_create(device, nullptr, &semaphore);
         return semaphore;
       },
       HALYARD_CALLS(semaphore), [](void* handle) { hal_semaphore_signal(As<hal_semaphore_t>(handle), 1); }},
      {"fence",
       [](hal_device_t*) {
         hal_fence_t* fence = nullptr;
         hal_fence_create(1, &fence);
         return fence;
       },
       HALYARD_CALLS(fence), [](void* handle) { hal_fence_list(As<hal_fence_t>(handle)); }},
      {"channel",
       [](hal_device_t* device) {
         hal_channel_t* channel = nullptr;
         hal_channel_create_all(1, &device, 0, &channel);
         return channel;
       },
       HALYARD_CALLS(channel), [](void* handle) { hal_channel_wait(As<hal_channel_t>(handle), 0); }},
      {"event",
       [](hal_device_t* device) {
         hal_event_t* event = nullptr;
         hal_event_create(device, &event);
         return event;
       },
       HALYARD_CALLS(event), nullptr},
      {"command_buffer",
       [](hal_device_t* device) {
         const hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
         hal_command_buffer_t* commands = nullptr;
         hal_command_buffer_create(device, &params, &commands);
         return commands;
       },
       HALYARD_CALLS(command_buffer), [](void* handle) { hal_command_buffer_begin(As<hal_command_buffer_t>(handle)); }},
      {"executable_cache",
       [](hal_device_t* device) {
         hal_executable_cache_t* cache = nullptr;
         hal_executable_cache_create(device, nullptr, &cache);
         return cache;
       },
       HALYARD_CALLS(executable_cache),
       [](void* handle) { hal_executable_cache_trim(As<hal_executable_cache_t>(handle)); }},
      {"descriptor_set_layout",
       [](hal_device_t* device) {
         hal_descriptor_set_layout_t* layout = nullptr;
         hal_descriptor_set_layout_create(device, 0, nullptr, &layout);
         return layout;
       },
       HALYARD_CALLS(descriptor_set_layout),
       [](void* handle) { hal_descriptor_set_layout_bindings(As<hal_descriptor_set_layout_t>(handle), nullptr); }},
      {"pipeline_layout",
       [](hal_device_t* device) {
         hal_pipeline_layout_t* layout = nullptr;
         hal_pipeline_layout_create(device, 0, nullptr, 0, &layout);
         return layout;
       },
       HALYARD_CALLS(pipeline_layout),
       [](void* handle) { hal_pipeline_layout_set_count(As<hal_pipeline_layout_t>(handle)); }},
      {"file",
       [](hal_device_t*) {
         static std::array<char, 16> memory;
         hal_file_t* file = nullptr;
         hal_file_from_memory(memory.data(), memory.size(), HAL_FILE_ACCESS_READ, nullptr, nullptr, &file);
         return file;
       },
       HALYARD_CALLS(file), [](void* handle) { hal_file_length(As<hal_file_t>(handle)); }},
      {"registry",
       [](hal_device_t*) {
         hal_registry_t* registry = nullptr;
         hal_registry_create(&registry);
         return registry;
       },
       HALYARD_CALLS(registry), nullptr},
      {"device",
       [](hal_device_t*) {
         hal_device_t* device = nullptr;
         hal_device_create(hal_string_view("local://sync"), &device);
         return device;
       },
       HALYARD_CALLS(device), [](void* handle) { hal_device_info(As<hal_device_t>(handle)); }},
  };
}

std::string Function(const Class& type, const char* verb) {
  return std::string("hal_").append(type.name).append("_").append(verb);
}

TEST_F(ValidationTest, RightUseSaysNothing) {
  for (const Class& type : Classes()) {
    void* const handle = type.make(device_);
    ASSERT_NE(handle, nullptr) << type.name << ": " << hal_last_error_message();
    type.retain(handle);
    type.release(handle);
    if (type.use) type.use(handle);
    type.release(handle);
  }
  EXPECT_THAT(TakeLog(), IsEmpty());
}

TEST_F(ValidationTest, ReleasedTwice) {
  for (const Class& type : Classes()) {
    void* const handle = type.make(device_);
    type.release(handle);
    EXPECT_THAT(TakeLog(), IsEmpty());
    type.release(handle);
    const std::string log = TakeLog();
    EXPECT_THAT(log, AllOf(HasSubstr(Function(type, "release") + ": the handle is a"), HasSubstr("that was destroyed"),
                           HasSubstr("made by hal_")));
    EXPECT_EQ(log, std::string(hal_last_error_message()) + "\n");
  }
}

TEST_F(ValidationTest, RetainedAfterTheEnd) {
  for (const Class& type : Classes()) {
    void* const handle = type.make(device_);
    type.release(handle);
    type.retain(handle);
    EXPECT_THAT(TakeLog(), AllOf(HasSubstr(Function(type, "retain")), HasSubstr("that was destroyed")));
  }
}

TEST_F(ValidationTest, UsedAfterTheEnd) {
  for (const Class& type : Classes()) {
    if (!type.use) continue;
    void* const handle = type.make(device_);
    type.release(handle);
    hal_device_query_health(nullptr);  // another message
    type.use(handle);
    EXPECT_THAT(hal_last_error_message(),
                AllOf(HasSubstr(std::string("hal_") + type.name), HasSubstr("that was destroyed (made by hal_"),
                      HasSubstr("expected a")));
  }
}

TEST_F(ValidationTest, AnotherKind) {
  const std::vector<Class> classes = Classes();
  for (size_t i = 0; i < classes.size(); ++i) {
    const Class& other = classes[(i + 1) % classes.size()];
    void* const handle = other.make(device_);
    classes[i].retain(handle);
    EXPECT_THAT(TakeLog(), AllOf(HasSubstr(Function(classes[i], "retain")), HasSubstr("expected a")));
    classes[i].release(handle);
    EXPECT_THAT(TakeLog(), AllOf(HasSubstr(Function(classes[i], "release")), HasSubstr("expected a")));
    other.release(handle);
    EXPECT_THAT(TakeLog(), IsEmpty()) << other.name;
  }
}

TEST_F(ValidationTest, NoObjectOfTheLibrary) {
  std::array<uint64_t, 32> foreign{};
  foreign.fill(0x4142434445464748);
  for (const Class& type : Classes()) {
    type.release(foreign.data());
    EXPECT_THAT(TakeLog(), AllOf(HasSubstr(Function(type, "release")), HasSubstr("no object of the library")));
    if (!type.use) continue;
    type.use(foreign.data());
    EXPECT_THAT(hal_last_error_message(), HasSubstr("no object of the library"));
  }
  for (const uint64_t word : foreign) EXPECT_EQ(word, 0x4142434445464748u);
}

TEST_F(ValidationTest, TheLibrarysOwnReferencesAreNotTheApplications) {
  hal_buffer_t* const buffer = MakeBuffer();
  hal_buffer_t* part = nullptr;
  ASSERT_EQ(hal_buffer_subspan(buffer, 0, 16, &part), HAL_STATUS_OK);  // keeps the buffer alive
  hal_buffer_release(buffer);
  hal_buffer_release(buffer);
  EXPECT_THAT(TakeLog(), HasSubstr("hal_buffer_release: the handle is a buffer (made by hal_allocator_allocate"));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("released once too often"));
  EXPECT_EQ(hal_buffer_flush(part, 0, 16), HAL_STATUS_OK) << hal_last_error_message();
  hal_buffer_release(part);
}

TEST_F(ValidationTest, ADestroyedSemaphoreInAList) {
  hal_semaphore_t* const semaphore = MakeSemaphore();
  const hal_timeline_point_t point = hal_timeline_point(semaphore, 1);
  hal_semaphore_release(semaphore);
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({&point, 1}, hal_semaphore_list_empty())),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(
      hal_last_error_message(),
      AllOf(HasSubstr(
                "hal_device_queue_barrier: submit->wait_list.points[0].semaphore is a semaphore that was destroyed"),
            HasSubstr("made by hal_semaphore_create")));
}

TEST_F(ValidationTest, ADestroyedBufferInACommand) {
  hal_buffer_t* const buffer = MakeBuffer();
  hal_buffer_release(buffer);
  const uint32_t pattern = 7;
  EXPECT_EQ(hal_device_queue_fill(device_, hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list_empty()),
                                  hal_buffer_ref(buffer, 0, 16), &pattern, 4),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("hal_device_queue_fill: target.buffer is a buffer that was destroyed (made by hal_allocator_"));
}

TEST_F(ValidationTest, AnAllocatorEndsWithItsDevice) {
  hal_allocator_t* const allocator = Allocator();
  hal_allocator_release(allocator);
  EXPECT_THAT(TakeLog(), HasSubstr("hal_allocator_release: the handle is an allocator"));
  hal_device_release(std::exchange(device_, nullptr));
  EXPECT_EQ(hal_allocator_trim(allocator), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("allocator is an allocator that was destroyed"));
}

TEST_F(ValidationTest, TheDefaultRegistryIsLent) {
  hal_registry_retain(hal_registry_default());
  hal_registry_release(hal_registry_default());
  EXPECT_THAT(TakeLog(), IsEmpty());
  hal_registry_release(hal_registry_default());
  EXPECT_THAT(TakeLog(), HasSubstr("hal_registry_release: the handle is a registry (made by hal_registry_default"));
  hal_device_t* device = nullptr;
  EXPECT_EQ(hal_device_create(hal_string_view("local://sync"), &device), HAL_STATUS_OK) << hal_last_error_message();
  hal_device_release(device);
}

TEST_F(ValidationTest, ShutdownNamesWhatIsAlive) {
  hal_semaphore_t* const semaphore = MakeSemaphore();
  hal_fence_t* fence = nullptr;
  ASSERT_EQ(hal_fence_create(1, &fence), HAL_STATUS_OK);
  EXPECT_EQ(hal_shutdown(), HAL_STATUS_FAILED_PRECONDITION);
  const std::string message = hal_last_error_message();
  EXPECT_THAT(message, AllOf(HasSubstr("1 device"), HasSubstr("Not released: a device (made by hal_device_create"),
                             HasSubstr("a semaphore (made by hal_semaphore_create"), HasSubstr("a fence (made by ")));
  EXPECT_THAT(TakeLog(), HasSubstr("hal_shutdown: not released: a fence (made by hal_fence_create"));
  hal_fence_release(fence);
  hal_semaphore_release(semaphore);
}

TEST_F(ValidationTest, LabelsAreSaid) {
  hal_semaphore_t* const semaphore = MakeSemaphore();
  ASSERT_EQ(hal_object_set_label(semaphore, hal_string_view("frame 7")), HAL_STATUS_OK);
  EXPECT_EQ(hal_shutdown(), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("a semaphore 'frame 7' (made by hal_semaphore_create"));
  hal_fence_release(As<hal_fence_t>(semaphore));
  EXPECT_THAT(TakeLog(), HasSubstr("hal_fence_release: the handle is a semaphore 'frame 7' (made by"));
  hal_semaphore_release(semaphore);
  EXPECT_EQ(hal_object_set_label(semaphore, hal_string_view("late")), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(
      hal_last_error_message(),
      HasSubstr("hal_object_set_label: object is a semaphore that was destroyed (made by hal_semaphore_create"));
}

TEST_F(ValidationTest, OffAfterShutdown) {
  End();
  Begin("0");
  hal_semaphore_t* const semaphore = MakeSemaphore();
  EXPECT_EQ(hal_shutdown(), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_THAT(hal_last_error_message(), Not(HasSubstr("Not released")));
  hal_semaphore_release(semaphore);
}

TEST_F(ValidationTest, ManyThreads) {
  constexpr int kThreads = 16;
  constexpr int kRounds = 50;
  hal_semaphore_t* const shared = MakeSemaphore();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        hal_semaphore_retain(shared);
        hal_buffer_t* const buffer = MakeBuffer();
        hal_semaphore_t* const semaphore = MakeSemaphore();
        hal_buffer_release(buffer);
        hal_semaphore_release(semaphore);
        hal_semaphore_release(shared);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(TakeLog(), IsEmpty());
  hal_semaphore_release(shared);
}

// Of all threads that release one reference, one has it.
TEST_F(ValidationTest, ManyThreadsReleaseOneReference) {
  constexpr int kThreads = 16;
  hal_fence_t* fence = nullptr;
  ASSERT_EQ(hal_fence_create(0, &fence), HAL_STATUS_OK);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&] { hal_fence_release(fence); });
  for (std::thread& thread : threads) thread.join();
  const std::string log = TakeLog();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), kThreads - 1) << log;
}

}  // namespace
}  // namespace halyard
