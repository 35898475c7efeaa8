// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread calls the queue operations that it submits.
#ifndef HALYARD_CORE_THREAD_LABELS_H_
#define HALYARD_CORE_THREAD_LABELS_H_

#include <cstdint>
#include <string_view>

#include "base/host_memory.h"
#include "base/per_thread.h"
#include "base/thread_local.h"

namespace halyard {

/// The labels of one thread, from hal_push_label() on. A thread that has never had one has no such object, which is all
/// that its submissions look at.
class ThreadLabels : public HostObject {
 public:
  ThreadLabels() { t_labels = this; }
  ~ThreadLabels() { *place_ = nullptr; }
  ThreadLabels(const ThreadLabels&) = delete;
  ThreadLabels& operator=(const ThreadLabels&) = delete;

  /// May throw std::bad_alloc.
  static ThreadLabels& Get() { return t_labels ? *t_labels : PerThread<ThreadLabels>::Get(); }
  /// NULL if this thread has never had a label.
  static ThreadLabels* Find() { return t_labels; }

  /// Adds a label that is safe to show. May throw std::bad_alloc, and is as before then. Returns what was kept of it,
  /// until the next call; it ends in a zero byte.
  const char* Push(std::string_view label, bool has_range);
  /// Takes the innermost one away; there is one. Returns its `has_range`.
  bool Pop();

  bool empty() const { return levels_.empty(); }
  /// What operations are called now: all labels with '/' between them.
  std::string_view path() const { return path_; }
  /// The number of the last operation that was submitted under a label.
  uint64_t last_operation() const { return last_operation_; }
  void set_last_operation(uint64_t number) { last_operation_ = number; }

 private:
  struct Level {
    size_t size_before;  // of `path_`
    bool has_range;      // a vendor's tool was told
  };

  HALYARD_READ_BY_EVERY_CALL static thread_local constinit inline ThreadLabels* t_labels = nullptr;

  ThreadLabels** const place_ = &t_labels;  // another thread may free it
  HostString path_;
  HostVector<Level> levels_;
  uint64_t last_operation_ = 0;
};

}  // namespace halyard

#endif  // HALYARD_CORE_THREAD_LABELS_H_
