// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/library_thread.h"

#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include "base/process_wide.h"

namespace halyard {
namespace {

thread_local constinit bool t_is_library_thread = false;

/// Threads that ended their own owners.
class LeftThreads : public HostObject {
 public:
  ~LeftThreads() {
    for (Left& left : threads_) left.thread.join();
  }

  /// Also joins those that have ended since, so that they do not pile up.
  void Add(std::thread& thread, const std::shared_ptr<std::atomic<bool>>& ended) {
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
    std::thread thread;
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

Status LibraryThread::Start(const char* what, std::function<void()> body) noexcept {
  try {
    ended_ = std::make_shared<std::atomic<bool>>(false);
    thread_ = std::thread([body = std::move(body), ended = ended_] {
      t_is_library_thread = true;
      body();
      ended->store(true, std::memory_order_release);
    });
    return kOk;
  } catch (const std::system_error& error) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "%s: the system refused a thread: %s", what, error.what());
  } catch (const std::bad_alloc&) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "%s: no host memory for a thread", what);
  }
}

void LibraryThread::End() noexcept {
  if (!thread_.joinable()) return;
  if (thread_.get_id() != std::this_thread::get_id()) {
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

bool LibraryThread::OnOne() { return t_is_library_thread; }

void LibraryThread::JoinLeft() noexcept { ProcessWide<LeftThreads>::Destroy(); }

bool LibraryThread::JoinEnded() noexcept {
  LeftThreads* const left = ProcessWide<LeftThreads>::Find();
  return !left || left->JoinEnded();
}

}  // namespace halyard
