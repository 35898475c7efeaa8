// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams: queues whose operations are carried out one after the other by a thread of their own.
#ifndef HALYARD_TESTS_SIM_ENGINE_STREAM_H_
#define HALYARD_TESTS_SIM_ENGINE_STREAM_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "engine/chance.h"
#include "engine/completion.h"
#include "engine/device.h"
#include "engine/work.h"

namespace halyard::sim {

struct Event;

// That a stream's work is to become a graph; it takes none here. The vendor's layer knows the rules.
struct Capture {
  int mode = 0;  // the vendor's number
  std::thread::id thread;
  bool invalidated = false;
};

// Protected by the runtime's lock like everything else; the thread releases it while it executes.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  // `blocking` streams and the default stream of a context wait for each other.
  Stream(std::shared_ptr<Context> context, bool blocking, uint64_t seed, uint64_t number);

  // Starts the thread, which ends some time after Close().
  void Start();
  // No more operations come; those that were submitted are still carried out.
  void Close();

  // Adds an operation, which begins when all before it and `waits` are done.
  std::shared_ptr<Completion> Submit(Work work, std::vector<std::shared_ptr<Completion>> waits = {});

  // Of the last operation; null if there was none.
  const std::shared_ptr<Completion>& tail() const { return tail_; }
  bool IsIdle() const { return tail_ == nullptr || tail_->done(); }
  const std::shared_ptr<Context>& context() const { return context_; }
  bool blocking() const { return blocking_; }

  std::optional<Capture> capture;  // while there is one
  size_t hardware_queue = 0;       // which of the device's, by the rule of that name

 private:
  struct Operation {
    Work work;
    std::vector<std::shared_ptr<Completion>> waits;
    std::vector<std::shared_ptr<Needed>> held;
    std::shared_ptr<Completion> done;
  };

  void Run();
  Error Carry(Operation& operation, Lock& lock);
  void AddImplicitWaits(std::vector<std::shared_ptr<Completion>>* waits) const;

  const std::shared_ptr<Context> context_;
  const bool blocking_;
  Chance chance_;
  std::deque<Operation> operations_;
  std::condition_variable wake_;
  std::shared_ptr<Completion> tail_;
  bool closed_ = false;
};

// Whether work needs a thing that may still do something: not that of a lost context, whose streams may be behind.
bool IsNeeded(const Needed& thing);

// The stream that a null handle means.
std::shared_ptr<Stream> DefaultStream(const std::shared_ptr<Context>& context);
// The calling thread's own. It and the default stream wait for each other.
std::shared_ptr<Stream> ThreadStream(const std::shared_ptr<Context>& context);

// The stream's writes and waits on 64 bits in memory, which the host may read and write meanwhile.
Work WriteValueWork(uintptr_t address, uint64_t value);
Work WaitValueWork(uintptr_t address, std::function<bool(uint64_t)> reached);
// A host function, on the one thread that runs all of them.
Work HostFunctionWork(void (*function)(void*), void* user_data);

// Whether the calling thread is inside a host function. Needs no lock.
bool InHostFunction();

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_STREAM_H_
