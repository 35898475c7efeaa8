// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local devices on threads of the application.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "driver_kit/object/object.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"

namespace halyard {
namespace {

/// What the executors below have in common: they count.
struct Counters {
  std::atomic<int> tasks{0};
  std::atomic<int> loops{0};
  std::atomic<int> releases{0};
};

/// Runs every task at once, on the thread that submits it.
class InlineExecutor : public Counters {
 public:
  hal_executor_t Functions() {
    hal_executor_t executor = HAL_INIT(hal_executor_t);
    executor.user_data = this;
    executor.submit = [](void* self, hal_executor_task_fn_t run, void* task) {
      ++static_cast<InlineExecutor*>(self)->tasks;
      run(task);
      return HAL_STATUS_OK;
    };
    executor.release = [](void* self) { ++static_cast<InlineExecutor*>(self)->releases; };
    return executor;
  }
};

/// Takes no task.
class FullExecutor : public Counters {
 public:
  hal_executor_t Functions() {
    hal_executor_t executor = HAL_INIT(hal_executor_t);
    executor.user_data = this;
    executor.submit = [](void* self, hal_executor_task_fn_t, void*) {
      ++static_cast<FullExecutor*>(self)->tasks;
      hal_set_error_message(hal_string_view("the queue is full"));
      return HAL_STATUS_UNAVAILABLE;
    };
    return executor;
  }
};

/// Threads with one queue; loops are split evenly over threads that are made for them.
class ThreadedExecutor : public Counters {
 public:
  explicit ThreadedExecutor(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
  }
  ~ThreadedExecutor() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  hal_executor_t Functions() {
    hal_executor_t executor = HAL_INIT(hal_executor_t);
    executor.user_data = this;
    executor.concurrency = static_cast<uint32_t>(threads_.size());
    executor.submit = [](void* self, hal_executor_task_fn_t run, void* task) {
      static_cast<ThreadedExecutor*>(self)->Submit([=] { run(task); });
      return HAL_STATUS_OK;
    };
    executor.parallel_for = [](void* self, uint64_t count, hal_executor_range_fn_t body, void* loop) {
      return static_cast<ThreadedExecutor*>(self)->Split(count, body, loop);
    };
    executor.release = [](void* self) { ++static_cast<ThreadedExecutor*>(self)->releases; };
    return executor;
  }

 private:
  void Submit(std::function<void()> task) {
    ++tasks;
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(task));
    }
    changed_.notify_one();
  }
  hal_status_t Split(uint64_t count, hal_executor_range_fn_t body, void* loop) {
    ++loops;
    std::thread other(body, loop, count / 2, count);
    body(loop, 0, count / 2);
    other.join();
    return HAL_STATUS_OK;
  }
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const std::function<void()> task = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

template <class Executor>
Ref<hal_device_t> Open(Executor& executor, const char* uri = "local://task") {
  const hal_executor_t functions = executor.Functions();
  Ref<hal_device_t> device;
  EXPECT_EQ(hal_device_create_on_executor(hal_string_view(uri), &functions, device.out()), HAL_STATUS_OK)
      << hal_last_error_message();
  return device;
}

Ref<hal_semaphore_t> MakeSemaphore(const Ref<hal_device_t>& device) {
  Ref<hal_semaphore_t> semaphore;
  EXPECT_EQ(hal_semaphore_create(device.get(), nullptr, semaphore.out()), HAL_STATUS_OK);
  return semaphore;
}

/// A chain of host calls, each of which counts, and a fill by a command buffer after them.
void RunAChain(const Ref<hal_device_t>& device, int length) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device);
  std::atomic<int> calls{0};
  const auto count = [](void* counter, hal_status_t) {
    ++*static_cast<std::atomic<int>*>(counter);
    return HAL_STATUS_OK;
  };
  for (uint64_t i = 1; i <= static_cast<uint64_t>(length); ++i) {
    const hal_timeline_point_t wait = {timeline.get(), i};
    const hal_timeline_point_t signal = {timeline.get(), i + 1};
    ASSERT_EQ(hal_device_queue_host_call(
                  device.get(), hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1)), count,
                  &calls),
              HAL_STATUS_OK);
  }
  ASSERT_EQ(hal_semaphore_signal(timeline.get(), 1), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(timeline.get(), static_cast<uint64_t>(length) + 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  EXPECT_EQ(calls, length);
}

constexpr uint64_t kParts = 8;

/// Executes a command buffer of fills that may run at once, and waits for it. Part `i` of the buffer is then `i`.
hal_status_t RunARecording(const Ref<hal_device_t>& device, Ref<hal_buffer_t>* buffer) {
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  EXPECT_EQ(hal_allocator_allocate(hal_device_allocator(device.get()), &params, 4 * kParts, buffer->out()),
            HAL_STATUS_OK);
  const hal_command_buffer_params_t recording = HAL_INIT(hal_command_buffer_params_t);
  Ref<hal_command_buffer_t> commands;
  EXPECT_EQ(hal_command_buffer_create(device.get(), &recording, commands.out()), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_begin(commands.get()), HAL_STATUS_OK);
  for (uint32_t i = 0; i < kParts; ++i) {
    EXPECT_EQ(hal_command_buffer_fill(commands.get(), hal_buffer_ref(buffer->get(), 4 * i, 4), &i, 4), HAL_STATUS_OK);
  }
  EXPECT_EQ(hal_command_buffer_end(commands.get()), HAL_STATUS_OK);
  const Ref<hal_semaphore_t> done = MakeSemaphore(device);
  const hal_timeline_point_t signal = {done.get(), 1};
  EXPECT_EQ(hal_device_queue_execute(device.get(),
                                     hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)),
                                     commands.get(), hal_buffer_ref_list(nullptr, 0)),
            HAL_STATUS_OK);
  return hal_semaphore_wait(done.get(), 1, HAL_TIMEOUT_INFINITE);
}

void CheckARecording(const Ref<hal_device_t>& device) {
  Ref<hal_buffer_t> buffer;
  ASSERT_EQ(RunARecording(device, &buffer), HAL_STATUS_OK) << hal_last_error_message();
  std::vector<uint32_t> found(kParts);
  std::vector<uint32_t> expected(kParts);
  std::iota(expected.begin(), expected.end(), 0u);
  ASSERT_EQ(hal_buffer_read(buffer.get(), 0, found.data(), 4 * kParts), HAL_STATUS_OK);
  EXPECT_EQ(found, expected);
}

// The chain is longer than any stack would take, if each operation ran inside the one before it.
TEST(HostExecutorTest, AnExecutorMayRunTasksAtOnce) {
  InlineExecutor executor;
  Ref<hal_device_t> device = Open(executor);
  RunAChain(device, 100'000);
  EXPECT_EQ(executor.tasks, 100'000);
  CheckARecording(device);
  EXPECT_EQ(executor.releases, 0);
  device = {};
  EXPECT_EQ(executor.releases, 1);
}

TEST(HostExecutorTest, OperationsAndLoopsRunOnTheApplicationsThreads) {
  ThreadedExecutor executor(3);
  Ref<hal_device_t> device = Open(executor, "local://task?queues=2");
  RunAChain(device, 1000);
  EXPECT_EQ(executor.tasks, 1000);
  CheckARecording(device);
  EXPECT_EQ(executor.loops, 1);
  device = {};
  // The last operation may release its reference a moment after it signalled.
  while (executor.releases == 0) std::this_thread::yield();
  EXPECT_EQ(executor.releases, 1);
}

TEST(HostExecutorTest, AnOperationThatIsNotTakenFailsWithTheReason) {
  FullExecutor executor;
  const Ref<hal_device_t> device = Open(executor);
  const Ref<hal_semaphore_t> done = MakeSemaphore(device);
  const hal_timeline_point_t signal = {done.get(), 1};
  hal_status_t told = HAL_STATUS_OK;
  const auto call = [](void* heard, hal_status_t status) {
    *static_cast<hal_status_t*>(heard) = status;
    return status;
  };
  EXPECT_EQ(
      hal_device_queue_host_call(
          device.get(), hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)), call, &told),
      HAL_STATUS_OK)
      << "a submission that was taken fails through its semaphores";
  EXPECT_EQ(hal_semaphore_wait(done.get(), 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_UNAVAILABLE);
  EXPECT_STREQ(hal_last_error_message(), "the application's executor: submit: the queue is full");
  EXPECT_EQ(told, HAL_STATUS_UNAVAILABLE) << "a host call is called exactly once";
  EXPECT_EQ(executor.tasks, 1);
}

TEST(HostExecutorTest, ALoopThatFailsFailsItsOperation) {
  ThreadedExecutor threads(2);
  hal_executor_t functions = threads.Functions();
  functions.parallel_for = [](void*, uint64_t, hal_executor_range_fn_t, void*) {
    return HAL_STATUS_RESOURCE_EXHAUSTED;
  };
  Ref<hal_device_t> device;
  ASSERT_EQ(hal_device_create_on_executor(hal_string_view("local"), &functions, device.out()), HAL_STATUS_OK);
  Ref<hal_buffer_t> buffer;
  EXPECT_EQ(RunARecording(device, &buffer), HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_STREQ(hal_last_error_message(), "the application's executor: parallel_for failed");
}

hal_status_t TryOpen(const char* uri, const hal_executor_t* functions) {
  Ref<hal_device_t> device;
  return hal_device_create_on_executor(hal_string_view(uri), functions, device.out());
}

TEST(HostExecutorTest, RefusesWhatCannotBe) {
  InlineExecutor executor;
  const hal_executor_t good = executor.Functions();
  EXPECT_EQ(TryOpen("local", nullptr), HAL_STATUS_INVALID_ARGUMENT);
  hal_executor_t functions = good;
  functions.submit = nullptr;
  EXPECT_EQ(TryOpen("local", &functions), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(hal_last_error_message(), "hal_device_create_on_executor: executor->submit is NULL");
  functions = good;
  EXPECT_EQ(TryOpen("local://sync", &good), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(TryOpen("local://task?threads=2", &good), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(TryOpen("null", &good), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_STREQ(hal_last_error_message(),
               "hal_device_create_on_executor: driver 'null' does not implement driver.create_device_on_executor");
  EXPECT_EQ(executor.releases, 0) << "no device was made";
}

}  // namespace
}  // namespace halyard
