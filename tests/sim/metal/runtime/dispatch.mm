// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serial queues and immutable data of libdispatch.
#import <Foundation/Foundation.h>
#import <dispatch/dispatch.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#import <objc/blocks_runtime.h>

namespace {

/// What dispatch_retain() and dispatch_release() count.
struct Object {
  virtual ~Object() = default;
  std::atomic<int> references{1};
};

}  // namespace

struct dispatch_queue_s final : Object {
  dispatch_queue_s() : worker([this] { Work(); }) {}
  ~dispatch_queue_s() override {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    changed.notify_all();
    if (worker.get_id() == std::this_thread::get_id()) {
      worker.detach();
    } else {
      worker.join();
    }
  }

  void Post(dispatch_block_t block) {
    {
      const std::lock_guard lock(mutex);
      blocks.push_back(Block_copy(block));
    }
    changed.notify_all();
  }

  void Work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return stop || !blocks.empty(); });
      if (blocks.empty()) return;
      const dispatch_block_t block = blocks.front();
      blocks.pop_front();
      lock.unlock();
      @autoreleasepool {
        block();
      }
      Block_release(block);
      lock.lock();
    }
  }

  std::mutex mutex;  // protects what follows
  std::condition_variable changed;
  std::deque<dispatch_block_t> blocks;
  bool stop = false;
  std::thread worker;
};

struct dispatch_data_s final : Object {
  std::vector<char> bytes;
};

extern "C" {

id objc_retain_for_block(id object) { return [object retain]; }
void objc_release_for_block(id object) { [object release]; }

#define EXPORTED __attribute__((visibility("default")))

EXPORTED dispatch_queue_t dispatch_queue_create(const char*, dispatch_queue_attr_t) { return new dispatch_queue_s; }

EXPORTED void dispatch_async(dispatch_queue_t queue, dispatch_block_t block) { queue->Post(block); }

EXPORTED void dispatch_sync(dispatch_queue_t queue, dispatch_block_t block) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::mutex* const its_mutex = &mutex;
  std::condition_variable* const its_changed = &changed;
  bool* const its_done = &done;
  queue->Post(^{
    block();
    const std::lock_guard lock(*its_mutex);
    *its_done = true;
    its_changed->notify_all();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return done; });
}

EXPORTED dispatch_data_t dispatch_data_create(const void* bytes, size_t size, dispatch_queue_t, dispatch_block_t) {
  auto* const data = new dispatch_data_s;
  data->bytes.assign(static_cast<const char*>(bytes), static_cast<const char*>(bytes) + size);
  return data;
}

EXPORTED size_t dispatch_data_get_size(dispatch_data_t data) { return data->bytes.size(); }

EXPORTED const void* halyardDispatchDataBytes(dispatch_data_t data) { return data->bytes.data(); }

EXPORTED void dispatch_retain(void* object) { static_cast<Object*>(object)->references.fetch_add(1); }

EXPORTED void dispatch_release(void* object) {
  auto* const counted = static_cast<Object*>(object);
  if (counted->references.fetch_sub(1) == 1) delete counted;
}

}  // extern "C"
