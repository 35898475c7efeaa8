// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-executor: a local device that does its work on the threads of the application.
///
/// An application that has a pool of threads sized for the machine wants no second one beside it. It hands the device
/// three functions: one takes a job, one runs a loop, one hears that the device is destroyed.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "support/halyard_handles.h"

namespace examples {
namespace {

/// The application's pool, as many have it: threads and a queue of jobs.
class Pool {
 public:
  explicit Pool(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
  }
  /// Runs what is queued, then ends.
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  unsigned size() const { return static_cast<unsigned>(threads_.size()); }
  void Add(std::function<void()> job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

/// A loop of the device. Helpers share it with the thread that runs it, since one may begin when the loop is over.
class Loop {
 public:
  Loop(uint64_t count, hal_executor_range_fn_t body, void* data) : count_(count), body_(body), data_(data) {}

  /// Takes pieces until none is left; true if there was one.
  bool Help() {
    bool helped = false;
    for (uint64_t begin = next_.fetch_add(kPiece); begin < count_; begin = next_.fetch_add(kPiece)) {
      const uint64_t end = std::min(begin + kPiece, count_);
      body_(data_, begin, end);
      helped = true;
      if (done_.fetch_add(end - begin) + (end - begin) == count_) done_.notify_all();
    }
    return helped;
  }
  /// Waits for pieces that helpers are at. Runs no other job meanwhile: that could take long.
  void Await() {
    for (uint64_t done = done_.load(); done < count_; done = done_.load()) done_.wait(done);
  }

 private:
  static constexpr uint64_t kPiece = 16;

  const uint64_t count_;
  const hal_executor_range_fn_t body_;
  void* const data_;
  std::atomic<uint64_t> next_ = 0;
  std::atomic<uint64_t> done_ = 0;
};

/// What the device sees of the pool. Functions that C calls must not throw: what they cannot do is a status.
class Executor {
 public:
  explicit Executor(Pool& pool) : pool_(pool) {}

  hal_executor_t Functions() {
    hal_executor_t functions = HAL_INIT(hal_executor_t);
    functions.user_data = this;
    functions.concurrency = pool_.size();
    functions.submit = [](void* self, hal_executor_task_fn_t run, void* task) {
      return static_cast<Executor*>(self)->Submit(run, task);
    };
    functions.parallel_for = [](void* self, uint64_t count, hal_executor_range_fn_t body, void* data) {
      return static_cast<Executor*>(self)->ParallelFor(count, body, data);
    };
    functions.release = [](void* self) {
      static_cast<Executor*>(self)->released_ = true;
      static_cast<Executor*>(self)->released_.notify_all();
    };
    return functions;
  }

  /// Blocks until the device is destroyed, which may be a moment after its last operation was done.
  void AwaitRelease() { released_.wait(false); }
  int jobs() const { return jobs_; }
  int helpers() const { return helpers_; }

 private:
  hal_status_t Submit(hal_executor_task_fn_t run, void* task) {
    try {
      pool_.Add([=] { run(task); });
      ++jobs_;
      return HAL_STATUS_OK;
    } catch (const std::bad_alloc&) {
      hal_set_error_message(hal_string_view("no memory for another job"));
      return HAL_STATUS_RESOURCE_EXHAUSTED;
    }
  }

  hal_status_t ParallelFor(uint64_t count, hal_executor_range_fn_t body, void* data) {
    std::shared_ptr<Loop> loop;
    try {
      loop = std::make_shared<Loop>(count, body, data);
      for (unsigned i = 1; i < pool_.size(); ++i) {
        pool_.Add([this, loop] { helpers_ += loop->Help() ? 1 : 0; });
      }
    } catch (const std::bad_alloc&) {
      if (!loop) return HAL_STATUS_RESOURCE_EXHAUSTED;  // else there are just fewer helpers
    }
    loop->Help();  // with all threads busy it does the whole loop
    loop->Await();
    return HAL_STATUS_OK;
  }

  Pool& pool_;
  std::atomic<int> jobs_ = 0;
  std::atomic<int> helpers_ = 0;
  std::atomic<bool> released_ = false;
};

constexpr size_t kNumbers = 65536;
constexpr uint32_t kWorkgroups = kNumbers / 64;  // scale() takes 64 numbers to a workgroup
constexpr int kTimes = 10;

/// Has the device double all numbers, ten times.
void Work(const hal_executor_t& executor) {
  const auto device =
      Create<Device>("open the device", hal_device_create_on_executor, hal_string_view("local"), &executor);
  const Executable executable = LoadExecutable(device.get(), KERNELS);
  const Buffer buffer = AllocateBuffer(device.get(), kNumbers * sizeof(float));
  std::vector<float> numbers(kNumbers, 1);
  Check(hal_buffer_write(buffer.get(), 0, numbers.data(), kNumbers * sizeof(float)), "write the numbers");
  const hal_buffer_ref_t binding = hal_buffer_ref(buffer.get(), 0, HAL_WHOLE_SIZE);
  const float factor = 2;
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.workgroup_count = hal_dim3(kWorkgroups, 1, 1);
  params.constants = &factor;
  params.constants_size = sizeof(factor);
  params.bindings = hal_buffer_ref_list(&binding, 1);
  Timeline timeline(device.get());
  for (int i = 0; i < kTimes; ++i) {
    timeline.Submit("submit a dispatch", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
      return hal_device_queue_dispatch(device.get(), hal::SubmitParams(waits, signals), executable.get(), 0, &params);
    });
  }
  timeline.Wait();
  Check(hal_buffer_read(buffer.get(), 0, numbers.data(), kNumbers * sizeof(float)), "read the numbers");
  for (const float number : numbers) {
    if (number != 1 << kTimes) throw std::runtime_error("a number has the wrong value");
  }
}

void Run(unsigned threads) {
  Pool pool(threads);
  Executor executor(pool);
  Work(executor.Functions());
  executor.AwaitRelease();
  // Not needed before a process ends; an application that unloads the library, or looks for leaks, wants it.
  Check(hal_shutdown(), "shut the library down");
  std::printf("%zu numbers, all as expected; %d jobs, %d helpers, 0 objects left\n", kNumbers, executor.jobs(),
              executor.helpers());
}

}  // namespace
}  // namespace examples

// halyard-executor [THREADS]
int main(int argc, char** argv) {
  try {
    examples::Run(argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 2);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-executor: %s\n", error.what());
    return 1;
  }
}
