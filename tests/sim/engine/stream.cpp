// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/stream.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/runtime.h"
#include "engine/vendor_thread.h"

namespace halyard::sim {

Stream::Stream(std::shared_ptr<Context> context, bool blocking, uint64_t seed, uint64_t number)
    : context_(std::move(context)), blocking_(blocking), chance_(seed, number) {}

void Stream::Start() {
  StartVendorThread([stream = shared_from_this()] { stream->Run(); });
}

void Stream::Close() {
  closed_ = true;
  wake_.notify_one();
}

void Stream::AddImplicitWaits(std::vector<std::shared_ptr<Completion>>* waits) const {
  const Stream* standard = context_->default_stream.get();
  if (this == standard) {
    Runtime::Get().ForEachStream(context_, [&](const std::shared_ptr<Stream>& other) {
      if (other->blocking_ && other.get() != this && !other->IsIdle()) waits->push_back(other->tail_);
    });
  } else if (blocking_ && standard != nullptr && !standard->IsIdle()) {
    waits->push_back(standard->tail_);
  }
}

std::shared_ptr<Completion> Stream::Submit(Work work, std::vector<std::shared_ptr<Completion>> waits) {
  AddImplicitWaits(&waits);
  Operation operation = {std::move(work), std::move(waits), {}, std::make_shared<Completion>()};
  operation.held = operation.work.needs;
  for (const uintptr_t address : operation.work.addresses) {
    if (auto allocation = Runtime::Get().memory.Find(address)) operation.held.push_back(std::move(allocation));
  }
  for (const auto& needed : operation.held) needed->BeginIn(context_.get());
  tail_ = operation.done;
  operations_.push_back(std::move(operation));
  wake_.notify_one();
  return tail_;
}

void Stream::Run() {
  Lock lock(Runtime::Get().mutex);
  while (true) {
    wake_.wait(lock, [this] { return closed_ || !operations_.empty(); });
    if (operations_.empty()) return;
    Operation operation = std::move(operations_.front());
    operations_.pop_front();
    const Error error = Carry(operation, lock);
    for (const auto& needed : operation.held) needed->EndIn(context_.get());
    operation.done->Finish(error);
  }
}

Error Stream::Carry(Operation& operation, Lock& lock) {
  Runtime::Get().Pause(lock, chance_);
  if (context_->before_work) context_->before_work(lock);
  for (const auto& wait : operation.waits) wait->Wait(lock);
  if (context_->lost != Error::kSuccess) return context_->lost;
  if (!operation.work.run) return Error::kSuccess;
  const Error error = operation.work.run(lock, *context_);
  if (error != Error::kSuccess) Runtime::Get().Fault(*context_, error);
  // Work that a lost device had begun counts as failed.
  return context_->lost;
}

bool IsNeeded(const Needed& thing) {
  const auto in_lost =
      std::ranges::count_if(thing.users, [](const Context* user) { return user->lost != Error::kSuccess; });
  return thing.pending > in_lost;
}

std::shared_ptr<Stream> DefaultStream(const std::shared_ptr<Context>& context) {
  if (context->default_stream == nullptr) context->default_stream = Runtime::Get().MakeStream(context, true);
  return context->default_stream;
}

std::shared_ptr<Stream> ThreadStream(const std::shared_ptr<Context>& context) {
  auto& stream = context->thread_streams[std::this_thread::get_id()];
  if (stream == nullptr) stream = Runtime::Get().MakeStream(context, true);
  return stream;
}

Work WriteValueWork(uintptr_t address, uint64_t value) {
  Work work;
  work.addresses = {address};
  work.run = [=](Lock&, Context& context) {
    const Error error =
        Runtime::Get().memory.Check({address, sizeof(value), false, false, "a write of a stream"}, context);
    if (error != Error::kSuccess) return error;
    std::atomic_ref(*reinterpret_cast<uint64_t*>(address)).store(value, std::memory_order_release);
    return Error::kSuccess;
  };
  return work;
}

Work WaitValueWork(uintptr_t address, std::function<bool(uint64_t)> reached) {
  Work work;
  work.addresses = {address};
  work.run = [address, reached = std::move(reached)](Lock& lock, Context& context) {
    while (true) {
      const Error error =
          Runtime::Get().memory.Check({address, sizeof(uint64_t), false, false, "a wait of a stream"}, context);
      if (error != Error::kSuccess) return error;
      const std::atomic_ref value(*reinterpret_cast<uint64_t*>(address));
      if (reached(value.load(std::memory_order_acquire))) return Error::kSuccess;
      if (context.lost != Error::kSuccess) return context.lost;
      if (Runtime::Get().shut_down) return Error::kDeinitialized;
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      lock.lock();
    }
  };
  return work;
}

namespace {

thread_local bool in_host_function = false;

// One thread for the host functions of all streams, as vendors have it: one that blocks holds up all others.
class HostFunctionThread {
 public:
  static HostFunctionThread& Get() {
    static auto* const thread = new HostFunctionThread;
    return *thread;
  }

  // Runs the function and returns when it has returned.
  void Call(void (*function)(void*), void* user_data, Lock& lock) {
    const auto done = std::make_shared<Completion>();
    calls_.push_back({function, user_data, done});
    wake_.notify_one();
    done->Wait(lock);
  }

 private:
  struct HostCall {
    void (*function)(void*);
    void* user_data;
    std::shared_ptr<Completion> done;
  };

  HostFunctionThread() {
    StartVendorThread([this] { Run(); });
  }

  void Run() {
    in_host_function = true;
    Lock lock(Runtime::Get().mutex);
    while (true) {
      wake_.wait(lock, [this] { return !calls_.empty(); });
      const HostCall call = std::move(calls_.front());
      calls_.pop_front();
      lock.unlock();
      call.function(call.user_data);
      lock.lock();
      call.done->Finish(Error::kSuccess);
    }
  }

  std::deque<HostCall> calls_;  // protected by the runtime's lock
  std::condition_variable wake_;
};

}  // namespace

Work HostFunctionWork(void (*function)(void*), void* user_data) {
  Work work;
  work.run = [=](Lock& lock, Context&) {
    HostFunctionThread::Get().Call(function, user_data, lock);
    return Error::kSuccess;
  };
  return work;
}

bool InHostFunction() { return in_host_function; }

}  // namespace halyard::sim
