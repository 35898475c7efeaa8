// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/library_thread.h"

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "base/exit_deadline.h"
#include "base/host_memory.h"
#include "base/process_wide.h"
#include "base/thread_defaults.h"
#include "base/vendor_gate.h"
#include "base/wait_policy.h"
#include "platform/process.h"

namespace halyard {
namespace {

// Threads that do not rest, in the lower half, of the process whose number is in the upper half: a child of fork() has
// none of its parent's.
constinit std::atomic<uint64_t> g_working{0};
constexpr uint64_t ProcessOf(uint64_t working) { return working >> 32; }
constexpr uint64_t CountOf(uint64_t working) { return working & UINT32_MAX; }

// By the thread that starts another one, so that a started thread is never missed.
void CountStarted() noexcept {
  const uint64_t process = ProcessId();
  uint64_t working = g_working.load(std::memory_order_relaxed);
  uint64_t more = 0;
  do {
    more = ProcessOf(working) == process ? working + 1 : process << 32 | 1;
  } while (!g_working.compare_exchange_weak(working, more, std::memory_order_relaxed));
}

// release: what the thread did comes before.
void CountAtRest() noexcept { g_working.fetch_sub(1, std::memory_order_release); }

void JoinAtExit() {
  const Deadline deadline = ExitDeadline();
  while (!LibraryThread::JoinEnded() && !deadline.passed()) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(kExitPause));
  }
}

/// Threads that ended their own owners.
class LeftThreads : public HostObject {
 public:
  LeftThreads() {
    static constinit std::atomic<bool> is_registered{false};
    if (!is_registered.exchange(true, std::memory_order_relaxed)) std::atexit(JoinAtExit);
  }
  ~LeftThreads() {
    for (Left& left : threads_) left.thread.join();
  }

  /// Also joins those that have ended since, so that they do not pile up.
  void Add(NativeThread& thread, const std::shared_ptr<std::atomic<bool>>& ended) {
    const std::lock_guard lock(mutex_);
    Erase();
    threads_.reserve(threads_.size() + 1);
    threads_.push_back({std::move(thread), ended});
  }

  bool JoinEnded() {
    const std::lock_guard lock(mutex_);
    Erase();
    return threads_.empty();
  }

 private:
  struct Left {
    NativeThread thread;
    std::shared_ptr<std::atomic<bool>> ended;
  };
  void Erase() {
    std::erase_if(threads_, [](Left& left) {
      if (!left.ended->load(std::memory_order_acquire)) return false;
      left.thread.join();
      return true;
    });
  }

  std::mutex mutex_;  // protects the list; held while a thread that has nothing more to do is joined
  HostVector<Left> threads_;
};

}  // namespace

Status LibraryThread::Start(const char* name, const char* what, std::function<void()> body,
                            size_t stack_size) noexcept {
  bool counted = false;
  try {
    ended_ = std::make_shared<std::atomic<bool>>(false);
    auto run = [name, body = std::move(body), ended = ended_] {
      const VendorGate::Thread here;
      NameThisThread(name);
      body();
      CountAtRest();
      ended->store(true, std::memory_order_release);
    };
    CountStarted();
    counted = true;
    const ThreadDefaults defaults;
    const int error = thread_.Start(std::move(run), stack_size);
    if (error == 0) return kOk;
    CountAtRest();
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "%s: the system refused a thread: %s", what,
                std::generic_category().message(error).c_str());
  } catch (const std::bad_alloc&) {
    if (counted) CountAtRest();
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "%s: no host memory for a thread", what);
  }
}

void LibraryThread::End() noexcept {
  if (!thread_.joinable()) return;
  if (!thread_.IsCurrent()) {
    thread_.join();
  } else {
    Leave();
  }
}

void LibraryThread::Leave() noexcept {
  if (!thread_.joinable()) return;
  try {
    ProcessWide<LeftThreads>::Get().Add(thread_, ended_);
  } catch (...) {
    thread_.detach();  // no memory for the list
  }
}

void LibraryThread::Abandon() noexcept {
  if (thread_.joinable()) thread_.detach();
}

LibraryThread::Rest::Rest() noexcept { CountAtRest(); }
LibraryThread::Rest::~Rest() { g_working.fetch_add(1, std::memory_order_relaxed); }

bool LibraryThread::AnyWorks() noexcept { return CountWorking(ProcessId()) > 0; }

uint32_t LibraryThread::CountWorking(uint64_t process) noexcept {
  const uint64_t working = g_working.load(std::memory_order_acquire);
  return ProcessOf(working) == process ? static_cast<uint32_t>(CountOf(working)) : 0;
}

bool LibraryThread::OnOne() { return VendorGate::Thread::IsCurrent(); }

void LibraryThread::JoinLeft() noexcept { ProcessWide<LeftThreads>::Destroy(); }

bool LibraryThread::JoinEnded() noexcept {
  LeftThreads* const left = ProcessWide<LeftThreads>::Find();
  return !left || left->JoinEnded();
}

}  // namespace halyard
