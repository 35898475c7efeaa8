// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pending signals of a semaphore, and the operations that depend on them.
#ifndef HALYARD_SUBMISSION_PENDING_SIGNALS_H_
#define HALYARD_SUBMISSION_PENDING_SIGNALS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "base/host_memory.h"

namespace halyard {

class SubmissionAction;

/// A value, and the submission that signals it, or that a signal from outside comes after.
struct PendingSignal {
  uint64_t value = 0;
  uint32_t queue = 0;
  uint64_t epoch = 0;
  bool conditional = false;  ///< it may still fail although its device works
  bool outside = false;      ///< a signal from outside: the semaphore makes it once all lower ones are made
};

/// How far the submission of the pending signal before another one is.
enum class Before {
  kNothing,  ///< there is none, or it is still in flight
  kEnding,   ///< the device has come to its end, and the lane hears of that soon
  kDone,     ///< it is known as completed
};

/// An operation of the semaphore's device that depends on a pending signal.
struct Dependent {
  uint64_t value = 0;
  SubmissionAction* action = nullptr;
  uint64_t use = 0;  ///< of the action, which the pool may have reused since
};

/// Entries of a semaphore, sorted by timeline value. Not synchronised. Adding a value that is higher than all others
/// takes constant time. Nothing is allocated once warm.
template <class Entry>
class SortedByValue {
 public:
  void Add(const Entry& entry) {
    if (first_ > 0 && entries_.size() == entries_.capacity()) Compact();
    const auto place = std::upper_bound(begin(), entries_.end(), entry.value,
                                        [](uint64_t value, const Entry& e) { return value < e.value; });
    entries_.insert(place, entry);
  }

  /// The first that reaches `value`; NULL if none does.
  const Entry* Find(uint64_t value) {
    const auto place =
        std::lower_bound(begin(), entries_.end(), value, [](const Entry& e, uint64_t v) { return e.value < v; });
    return place == entries_.end() ? nullptr : &*place;
  }

  /// The last below `value`; NULL if there is none.
  const Entry* FindBelow(uint64_t value) {
    if (!empty() && back().value < value) return &back();
    const auto place =
        std::lower_bound(begin(), entries_.end(), value, [](const Entry& e, uint64_t v) { return e.value < v; });
    return place == begin() ? nullptr : &*std::prev(place);
  }

  /// Drops the entries of values up to `value`.
  void DropUpTo(uint64_t value) {
    while (first_ < entries_.size() && entries_[first_].value <= value) ++first_;
    if (first_ == entries_.size()) {
      entries_.clear();
      first_ = 0;
    }
  }

  /// Drops the entries for which `is_gone(entry)`.
  template <class IsGone>
  void DropIf(IsGone&& is_gone) {
    entries_.erase(std::remove_if(begin(), entries_.end(), is_gone), entries_.end());
  }

  /// Frees the memory of the list if it has no entries.
  void Trim() noexcept {
    if (!empty()) return;
    HostVector<Entry>().swap(entries_);
    first_ = 0;
  }

  bool empty() const { return first_ == entries_.size(); }
  const Entry& front() const { return entries_[first_]; }
  const Entry& back() const { return entries_.back(); }
  std::span<const Entry> all() const { return std::span(entries_).subspan(first_); }

 private:
  typename HostVector<Entry>::iterator begin() { return entries_.begin() + static_cast<std::ptrdiff_t>(first_); }
  void Compact() {
    entries_.erase(entries_.begin(), begin());
    first_ = 0;
  }

  HostVector<Entry> entries_;
  size_t first_ = 0;  // entries before it were dropped
};

/// The pending signals of a semaphore.
using PendingSignals = SortedByValue<PendingSignal>;
/// The operations that depend on them.
using Dependents = SortedByValue<Dependent>;

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_PENDING_SIGNALS_H_
