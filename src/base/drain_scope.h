// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs work that is released while a call is under way, without recursion and with no lock held.
#ifndef HALYARD_BASE_DRAIN_SCOPE_H_
#define HALYARD_BASE_DRAIN_SCOPE_H_

#include <array>
#include <cstdint>

#include "base/thread_local.h"

namespace halyard {

/// Something to run. A link of an intrusive list, so that queueing it allocates nothing.
class Runnable {
 public:
  virtual void Run() noexcept = 0;

  Runnable* next = nullptr;  // owned by the list that it is in

 protected:
  ~Runnable() = default;
};

/// A first-in, first-out list of runnables. Not synchronised.
class RunnableList {
 public:
  bool empty() const { return head_ == nullptr; }
  Runnable* head() const { return head_; }
  void Push(Runnable* item) {
    item->next = nullptr;
    if (tail_) {
      tail_->next = item;
    } else {
      head_ = item;
    }
    tail_ = item;
  }
  Runnable* Pop() {
    Runnable* const item = head_;
    if (item) {
      head_ = item->next;
      if (!head_) tail_ = nullptr;
      item->next = nullptr;
    }
    return item;
  }

 private:
  Runnable* head_ = nullptr;
  Runnable* tail_ = nullptr;
};

/// The same, for a crowd that lies anywhere in memory: `next` is the item that comes kLanes places later, so that who
/// runs one can load another early.
class RunnableLanes {
 public:
  bool empty() const { return pushed_ == popped_; }
  void Push(Runnable* item) {
    item->next = nullptr;
    Lane& lane = lanes_[pushed_++ % kLanes];
    (lane.head ? lane.tail->next : lane.head) = item;
    lane.tail = item;
  }
  /// NULL if there is none. `*later` is one of those that follow soon, or NULL.
  Runnable* Pop(Runnable** later) {
    if (empty()) return nullptr;
    Lane& lane = lanes_[popped_++ % kLanes];
    Runnable* const item = lane.head;
    *later = lane.head = item->next;
    item->next = nullptr;
    return item;
  }

 private:
  static constexpr uint32_t kLanes = 4;
  struct Lane {
    Runnable* head = nullptr;
    Runnable* tail = nullptr;  // unless it is empty
  };

  std::array<Lane, kLanes> lanes_;
  uint32_t pushed_ = 0;  // so far, counting round; they say whose turn it is
  uint32_t popped_ = 0;
};

/// Runs items together that a thread's drain has gathered.
class GatheringOwner {
 public:
  virtual void RunGathered(RunnableList items) noexcept = 0;

 protected:
  ~GatheringOwner() = default;
};

/// Gathers items of one owner. It is deferred with the first one, and hands over what has come when it runs. Belongs to
/// one thread's drain, so no thread leaves an item to another one.
class Gathering final : public Runnable {
 public:
  void Run() noexcept override;

 private:
  friend class DrainScope;
  GatheringOwner* owner_ = nullptr;
  RunnableList items_;
  Gathering* next_open_ = nullptr;  // of the same drain
};

/// Takes over what would keep a thread for long.
class CallTaker {
 public:
  /// Runs `item` soon, on another thread.
  virtual void Enqueue(Runnable* item) noexcept = 0;

 protected:
  ~CallTaker() = default;
};

/// What a thread has deferred.
struct ThreadDrain {
  RunnableList callbacks;  // of the application: before all work
  RunnableLanes work;
  RunnableLanes long_work;      // when nothing else is left
  Gathering* open = nullptr;    // those that items may still join
  uint32_t callback_count = 0;  // so far, counting round
  CallTaker* taker = nullptr;   // of callbacks and long work; NULL for this thread
};

/// While one exists on a thread, runnables given to Defer() are collected; the outermost one runs them when it ends.
///
/// So a signal first wakes all threads that wait for it, then calls the application, and then runs what it released,
/// short work before long; what those bring about in turn joins the end of the same lists. A chain of any length uses
/// the stack of one.
class DrainScope {
 public:
  DrainScope() { t_thread.drain_state += 2; }
  ~DrainScope() {
    if ((t_thread.drain_state -= 2) == 0) RunDeferred();
  }
  DrainScope(const DrainScope&) = delete;
  DrainScope& operator=(const DrainScope&) = delete;

  /// If this is the outermost scope: runs now what was deferred so far.
  void Drain() noexcept {
    if (t_thread.drain_state == 2) RunDeferred();
  }

  /// Runs `item` when this thread's outermost scope ends, or now if there is none. For the runtime's own work, which is
  /// short and does not call the application.
  static void Defer(Runnable* item);
  /// The same for a callback of the application: it comes before work.
  static void DeferCallback(Runnable* item);
  /// How many callbacks this thread has deferred, counting round.
  static uint32_t CallbackCount() { return t_drain ? t_drain->callback_count : 0; }
  /// Runs `item` where DeferCallback() takes callbacks, once those that were deferred so far have run.
  static void DeferAfterCallbacks(Runnable* item);
  /// The same for work that may take long, such as all that a device without threads of its own does: it comes after
  /// all other work, so that it delays none.
  static void DeferLong(Runnable* item);
  /// Adds `item` to what is gathered for `owner` in this thread's drain. If nothing is, `fresh` gathers from now on,
  /// and is deferred.
  static void Gather(GatheringOwner* owner, Runnable* item, Gathering* fresh);

  /// Whether one alone exists on this thread, and nothing is deferred: what runs now was asked for by the application's
  /// call itself, and was not brought about by other work.
  static bool IsFirst() { return t_thread.drain_state == 3; }

  /// Whether one exists on this thread, which callbacks of the application are called within.
  static bool IsOpen() { return t_thread.drain_state > 1; }

 private:
  friend class SeparateDrain;
  friend class Gathering;

  static Runnable* Next(ThreadDrain& drain, Runnable** later) noexcept;
  static void RunDeferred() noexcept;
  template <class List>
  static void Append(List ThreadDrain::*list, Runnable* item);

  static ThreadDrain& Drained() noexcept { return t_drain ? *t_drain : Make(); }
  static ThreadDrain& Make() noexcept;

  struct Kept;
  /// NULL until this thread defers something for the first time.
  HALYARD_READ_BY_EVERY_CALL static thread_local constinit inline ThreadDrain* t_drain = nullptr;
};

/// Keeps what is deferred while it exists apart from the scopes around it: it runs when this ends.
///
/// With a taker, callbacks and long work go there at once. So a thread that ends others' operations, inside any
/// function of the library or on its own, neither calls the application nor does others' work.
class SeparateDrain {
 public:
  /// `taker` may be NULL; else it must outlive this object.
  explicit SeparateDrain(CallTaker* taker);
  ~SeparateDrain();
  SeparateDrain(const SeparateDrain&) = delete;
  SeparateDrain& operator=(const SeparateDrain&) = delete;

 private:
  ThreadDrain own_;
  ThreadDrain* const around_;
  const int32_t state_;
};

}  // namespace halyard

#endif  // HALYARD_BASE_DRAIN_SCOPE_H_
