// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs work that is released while a call is under way, without recursion and with no lock held.
#ifndef HALYARD_COMMON_ACTION_DRAIN_H_
#define HALYARD_COMMON_ACTION_DRAIN_H_

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

/// While one exists on a thread, runnables given to Defer() are collected; the outermost one runs them when it ends.
///
/// So a signal first wakes everybody who waits for it and then runs what it released; what those runs release in
/// turn joins the end of the same list. A chain of any length uses the stack of one.
class DrainScope {
 public:
  DrainScope();
  ~DrainScope();
  DrainScope(const DrainScope&) = delete;
  DrainScope& operator=(const DrainScope&) = delete;

  /// Runs `item` when this thread's outermost scope ends, or now if there is none.
  static void Defer(Runnable* item);
  /// How many exist on this thread. Callbacks of the application are called within one, so that it tells whether a call
  /// comes from a callback.
  static int Depth();
};

}  // namespace halyard

#endif  // HALYARD_COMMON_ACTION_DRAIN_H_
