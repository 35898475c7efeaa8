// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One queue operation on its way: deferred until its waits are reached, then run, then signalling.
#ifndef HALYARD_DRIVER_KIT_QUEUE_QUEUE_ACTION_H_
#define HALYARD_DRIVER_KIT_QUEUE_QUEUE_ACTION_H_

#include <array>
#include <atomic>
#include <span>

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/prefetch.h"
#include "base/status.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"

namespace halyard {

/// The part of a queue operation that all drivers share. A driver derives from it and adds what the operation does.
///
/// Life: Defer() registers the action with every semaphore that it waits for. When the last wait is reached, or the
/// first one fails, OnReady() is called, once, within a DrainScope and with no lock held but, where FailDeferred() is
/// called for all actions of a pool, that of the pool. The thread that runs the action then calls Complete(), which
/// signals or fails the semaphores of its signal list. The memory goes back through Recycle() after that, and after
/// every registered callback has come: a failed action may still have waits out. If the signals cause callbacks of the
/// application, it goes back after those have run, so an action in use tells that they have not.
///
/// An action keeps the semaphores alive that it signals, not those that it waits for. A semaphore that is destroyed
/// cancels the action, since no caller can signal it any more.
///
/// Releasing N actions costs O(N): each is found by the semaphore that it waits for, never by a scan.
///
/// What a plain operation touches lies in the first cache line, except a second signal; what a derived class adds
/// comes after the second: see PrefetchAction().
class alignas(kCacheLine) QueueAction : public Runnable {
 public:
  /// Takes the signal list; what Complete() will signal.
  void SetSignals(hal_semaphore_list_t signals);

  /// Starts to wait. May call OnReady() before it returns; the action may be gone then.
  void Defer(hal_semaphore_list_t waits);

  /// Instead of Defer(), for an action that waits for nothing and is run by the caller: neither OnReady() nor
  /// FailDeferred() comes to it.
  void Begin();

  /// Whether a wait has failed, so that the action is not to do its work. Stable from OnReady() on.
  bool wait_failed() const { return state_.load(std::memory_order_relaxed) == State::kFailed; }
  /// If so: how.
  const Failure& wait_failure() const { return failure_; }

  /// Makes the action ready to fail if it still waits; nothing otherwise. For when its device is lost.
  void FailDeferred(const Failure& failure) noexcept;

  /// Ends the action: signals if `status` is OK, else fails the signals with it. The action may be
  /// gone when it returns.
  void Complete(Status status) noexcept;

 protected:
  ~QueueAction() = default;

  /// The action may run: now on this thread (DrainScope::Defer(this)), or elsewhere.
  virtual void OnReady() noexcept = 0;
  /// Nothing refers to the action any more.
  virtual void Recycle() noexcept = 0;
  /// For OnReady(): the action is not to do its work, but to fail with `status`, unless a wait has failed.
  void FailReady(Status status) noexcept;
  /// Registers `callback` with `this` for one wait. A driver whose device waits by itself asks for less than that the
  /// value is reached. A failure brings no callback.
  virtual Status Await(const hal_timeline_point_t& point, hal_timepoint_fn_t callback) noexcept;
  /// Why the action cannot run whatever it waits for, if its device is lost; else NULL.
  virtual const Failure* DeviceFailure() const noexcept { return nullptr; }

  /// A point that Complete() signals.
  struct Signal {
    Ref<hal_semaphore_t> semaphore;
    uint64_t value = 0;
  };
  /// Nothing is to be signalled: the submission is taken back, and its caller told.
  void WithdrawSignals() noexcept {
    ClearSignals();
    withdrawn_ = true;
  }
  bool withdrawn() const { return withdrawn_; }
  /// Whether Complete() has deferred the action once more, behind the callbacks that its signals caused: Run() calls
  /// DropReference() then, and nothing else.
  bool ended() const { return ended_; }
  /// One more callback than the waits bring is to come, before the action is used again. While it waits or runs.
  void AddReference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void DropReference() noexcept;
  /// Signals the list. A driver that knows its own semaphores replaces it.
  virtual void SignalAll() noexcept;
  std::span<Signal> signals() {
    return {signal_count_ > kFewSignals ? many_signals_.data() : few_signals_.data(), signal_count_};
  }

 private:
  enum class State : uint8_t { kWaiting, kReady, kFailed };

  static void OnTimepoint(void* user_data, hal_status_t status, hal_string_view_t message);
  void WaitEnded(hal_status_t status, hal_string_view_t message) noexcept;
  bool Leave(State state) noexcept;
  void ClearSignals() noexcept;
  void FailAll(Status status) noexcept;

  static constexpr size_t kFewSignals = 2;

  // Waits that are not reached yet, and one while Defer() registers. The thread that takes it to 0 makes the action
  // ready.
  std::atomic<uint32_t> unreached_{0};
  // Callbacks that are still to come, and one for Complete(). The thread that takes it to 0 recycles.
  std::atomic<uint32_t> references_{0};
  // kWaiting from Defer() on; changed by what makes the action ready: the last wait that is reached, the first that
  // fails, or the loss of the device.
  std::atomic<State> state_{State::kReady};
  bool withdrawn_ = false;
  bool ended_ = false;  // written by the thread that has the action
  uint32_t signal_count_ = 0;
  std::array<Signal, kFewSignals> few_signals_;  // used unless there are more
  HostVector<Signal> many_signals_;
  Failure failure_;  // written by the thread that sets state_ to kFailed, before anything runs the action
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_QUEUE_ACTION_H_
