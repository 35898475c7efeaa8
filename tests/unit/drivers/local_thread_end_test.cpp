// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the application that end the thread on which the library calls them, as CPython before 3.14 ends foreign
// threads when the interpreter is gone. The process goes on, and so does the library's thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "driver_kit/object/object.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"

// Other C libraries end a thread without unwinding it: it is gone, and what it was to do is not done.
#ifdef __GLIBC__
namespace halyard {
namespace {

using testing::HasSubstr;

constexpr hal_semaphore_list_t kNone = {nullptr, 0};

/// What ran up to the end of its thread.
struct Endings {
  std::atomic<int> count{0};

  void End() {
    const struct Count {
      ~Count() { ++to; }  // the frames of the application are unwound
      std::atomic<int>& to;
    } at_end{count};
    pthread_exit(nullptr);
  }
  static void EndOf(void* self) { static_cast<Endings*>(self)->End(); }
};

/// A device on which each test ends threads, and that still works afterwards.
class ThreadEndTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_EQ(hal_device_create(hal_string_view(GetParam()), device_.out()), HAL_STATUS_OK);
    ASSERT_EQ(hal_semaphore_create(device_.get(), nullptr, done_.out()), HAL_STATUS_OK);
    hal_set_log_callback(
        [](void* log, hal_log_level_t, hal_string_view_t message) {
          static_cast<std::string*>(log)->append(message.data, message.size).append("\n");
        },
        &log_, HAL_LOG_LEVEL_WARNING);
  }
  void TearDown() override {
    EXPECT_EQ(Barrier(1000), HAL_STATUS_OK);
    EXPECT_EQ(Wait(1000), HAL_STATUS_OK) << "all threads of the device work";
    hal_set_log_callback(nullptr, nullptr, HAL_LOG_LEVEL_WARNING);
  }
  hal_semaphore_list_t Done(uint64_t value) {
    point_ = {done_.get(), value};
    return hal_semaphore_list(&point_, 1);
  }
  hal_status_t Barrier(uint64_t value) {
    return hal_device_queue_barrier(device_.get(), hal::SubmitParams(kNone, Done(value)));
  }
  hal_status_t Call(uint64_t value) {
    const auto call = [](void* endings, hal_status_t status) {
      Endings::EndOf(endings);
      return status;
    };
    return hal_device_queue_host_call(device_.get(), hal::SubmitParams(kNone, Done(value)), call, &endings_);
  }
  hal_status_t Wait(uint64_t value) { return hal_semaphore_wait(done_.get(), value, HAL_TIMEOUT_INFINITE); }
  /// Waits for what the device calls later than the waiting thread wakes.
  void AwaitEndings(int count) {
    while (endings_.count < count) std::this_thread::yield();
  }

  Endings endings_;
  std::string log_;
  Ref<hal_device_t> device_;
  Ref<hal_semaphore_t> done_;
  hal_timeline_point_t point_{};
};

TEST_P(ThreadEndTest, InAHostCall) {
  Ref<hal_semaphore_t> failed;
  for (int i = 0; i < 5; ++i) {  // more than there are threads
    ASSERT_EQ(hal_semaphore_create(device_.get(), nullptr, failed.out()), HAL_STATUS_OK);
    std::swap(failed, done_);
    ASSERT_EQ(Call(1), HAL_STATUS_OK);
    EXPECT_EQ(Wait(1), HAL_STATUS_ABORTED);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("a host call ended its thread"));
    std::swap(failed, done_);
    failed = {};
  }
  EXPECT_EQ(endings_.count, 5);
}

TEST_P(ThreadEndTest, InATimepointsCallback) {
  const auto call = [](void* endings, hal_status_t, hal_string_view_t) { Endings::EndOf(endings); };
  for (uint64_t value = 1; value <= 5; ++value) {
    ASSERT_EQ(hal_semaphore_notify(done_.get(), value, call, &endings_, nullptr), HAL_STATUS_OK);
    ASSERT_EQ(Barrier(value), HAL_STATUS_OK);
    EXPECT_EQ(Wait(value), HAL_STATUS_OK);
  }
  AwaitEndings(5);
}

TEST_P(ThreadEndTest, InAnotherCallback) {
  struct Outer {
    hal_semaphore_t* semaphore;
    Endings* endings;
  } outer{done_.get(), &endings_};
  const auto call_outer = [](void* called, hal_status_t, hal_string_view_t) {
    const Outer& self = *static_cast<Outer*>(called);
    EXPECT_EQ(hal_semaphore_signal(self.semaphore, 2), HAL_STATUS_OK);
    self.endings->End();
  };
  const auto inner = [](void* endings, hal_status_t, hal_string_view_t) { Endings::EndOf(endings); };
  ASSERT_EQ(hal_semaphore_notify(done_.get(), 1, call_outer, &outer, nullptr), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_notify(done_.get(), 2, inner, &endings_, nullptr), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_signal(done_.get(), 1), HAL_STATUS_OK);
  EXPECT_EQ(endings_.count, 2);
  EXPECT_THAT(log_, HasSubstr("a timepoint's callback ended its thread"));
}

TEST_P(ThreadEndTest, InAReleaseCallback) {
  alignas(64) std::array<char, 64> memory{};
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.usage = HAL_BUFFER_USAGE_TRANSFER;
  hal_external_memory_t external = HAL_INIT(hal_external_memory_t);
  external.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  external.handle = reinterpret_cast<uintptr_t>(&memory);
  external.length = sizeof(memory);
  Ref<hal_buffer_t> buffer;
  ASSERT_EQ(hal_allocator_import(hal_device_allocator(device_.get()), &params, &external, Endings::EndOf, &endings_,
                                 buffer.out()),
            HAL_STATUS_OK);
  const uint32_t pattern = 7;
  ASSERT_EQ(hal_device_queue_fill(device_.get(), hal::SubmitParams(kNone, Done(1)),
                                  hal_buffer_ref(buffer.get(), 0, HAL_WHOLE_SIZE), &pattern, sizeof(pattern)),
            HAL_STATUS_OK);
  buffer = {};
  EXPECT_EQ(Wait(1), HAL_STATUS_OK);
  EXPECT_EQ(endings_.count, 1);
}

TEST_P(ThreadEndTest, InAProfilingSinkAndTheLog) {
  hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
  sink.user_data = &endings_;
  sink.record = [](void* endings, const hal_profiling_record_t*) { Endings::EndOf(endings); };
  hal_set_log_callback([](void* endings, hal_log_level_t, hal_string_view_t) { Endings::EndOf(endings); }, &endings_,
                       HAL_LOG_LEVEL_WARNING);
  testing::internal::CaptureStderr();
  ASSERT_EQ(hal_device_profiling_begin(device_.get(), HAL_PROFILING_QUEUE_OPERATIONS, &sink), HAL_STATUS_OK);
  ASSERT_EQ(Barrier(1), HAL_STATUS_OK);
  EXPECT_EQ(Wait(1), HAL_STATUS_OK);
  EXPECT_EQ(hal_device_profiling_end(device_.get()), HAL_STATUS_OK);
  EXPECT_EQ(endings_.count, 2) << "the sink, and the log that tells of it";
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("a profiling sink ended its thread"));
}

TEST_P(ThreadEndTest, InAKernel) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  const std::string path = HALYARD_KERNEL_DIR "/cts_host.so";
  hal_export_info_t kernel = HAL_EXPORT_INFO_INIT;
  kernel.name = hal_string_view("end_thread");
  kernel.workgroup_size = {1, 1, 1};
  params.exports = &kernel;
  params.export_count = 1;
  params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
  params.path = {path.data(), path.size()};
  Ref<hal_executable_t> kernels;
  ASSERT_EQ(hal_executable_create(device_.get(), &params, kernels.out()), HAL_STATUS_OK) << hal_last_error_message();
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.workgroup_count = {64, 1, 1};
  Ref<hal_semaphore_t> failed;
  ASSERT_EQ(hal_semaphore_create(device_.get(), nullptr, failed.out()), HAL_STATUS_OK);
  const hal_timeline_point_t point = {failed.get(), 1};
  ASSERT_EQ(hal_device_queue_dispatch(device_.get(), hal::SubmitParams(kNone, hal_semaphore_list(&point, 1)),
                                      kernels.get(), 0, &dispatch),
            HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(failed.get(), 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_ABORTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the kernel ended its thread"));
}

INSTANTIATE_TEST_SUITE_P(Local, ThreadEndTest, testing::Values("local://sync", "local://task?threads=2"),
                         [](const auto& device) { return device.index == 0 ? "Sync" : "Task"; });

// A thread can be cancelled once; then it stays, like one that has called pthread_exit().
TEST(CancelledThreadTest, ReturnsFromTheLibrary) {
  Ref<hal_device_t> device;
  ASSERT_EQ(hal_device_create(hal_string_view("local://sync"), device.out()), HAL_STATUS_OK);
  Ref<hal_semaphore_t> done;
  ASSERT_EQ(hal_semaphore_create(device.get(), nullptr, done.out()), HAL_STATUS_OK);
  bool returned = false;
  std::thread caller([&] {
    const hal_timeline_point_t point = {done.get(), 1};
    const auto call = [](void*, hal_status_t status) {
      pthread_cancel(pthread_self());
      pthread_testcancel();
      return status;
    };
    EXPECT_EQ(hal_device_queue_host_call(device.get(), hal::SubmitParams(kNone, hal_semaphore_list(&point, 1)), call,
                                         nullptr),
              HAL_STATUS_OK);
    returned = true;
  });
  caller.join();
  EXPECT_TRUE(returned);
  EXPECT_EQ(hal_semaphore_wait(done.get(), 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_ABORTED);
}

/// An executor whose functions end the thread.
TEST(ThreadEndOfExecutorTest, FailsTheOperation) {
  Endings endings;
  hal_executor_t executor = HAL_INIT(hal_executor_t);
  executor.user_data = &endings;
  executor.submit = [](void* self, hal_executor_task_fn_t, void*) {
    Endings::EndOf(self);
    return HAL_STATUS_OK;
  };
  executor.release = Endings::EndOf;
  Ref<hal_device_t> device;
  ASSERT_EQ(hal_device_create_on_executor(hal_string_view("local://task"), &executor, device.out()), HAL_STATUS_OK);
  Ref<hal_semaphore_t> done;
  ASSERT_EQ(hal_semaphore_create(device.get(), nullptr, done.out()), HAL_STATUS_OK);
  const hal_timeline_point_t point = {done.get(), 1};
  ASSERT_EQ(hal_device_queue_host_call(
                device.get(), hal::SubmitParams(kNone, hal_semaphore_list(&point, 1)),
                [](void*, hal_status_t status) { return status; }, nullptr),
            HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(done.get(), 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_ABORTED);
  done = {};
  device = {};
  EXPECT_EQ(endings.count, 2);
}

// In a process of its own: the allocator is for all that the library has.
TEST(ThreadEndOfAllocatorTest, IsNoMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static std::atomic<bool> ends = false;
        hal_host_allocator_t allocator = HAL_INIT(hal_host_allocator_t);
        allocator.allocate = [](void*, size_t size, size_t alignment) -> void* {
          if (ends.exchange(false)) pthread_exit(nullptr);
          return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
        };
        allocator.free = [](void*, void* memory, size_t, size_t) {
          std::free(memory);
          if (ends.exchange(false)) pthread_exit(nullptr);
        };
        if (hal_set_host_allocator(&allocator) != HAL_STATUS_OK) std::exit(2);
        hal_fence_t* fence = nullptr;
        ends = true;
        if (hal_fence_create(1, &fence) != HAL_STATUS_RESOURCE_EXHAUSTED) std::exit(3);
        if (hal_fence_create(1, &fence) != HAL_STATUS_OK) std::exit(4);
        ends = true;
        hal_fence_release(fence);
        std::exit(ends ? 5 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace halyard
#endif
