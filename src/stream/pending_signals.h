// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The signals of a timeline that are on their way.
#ifndef HALYARD_STREAM_PENDING_SIGNALS_H_
#define HALYARD_STREAM_PENDING_SIGNALS_H_

#include <algorithm>
#include <cstdint>

#include "common/host_memory.h"

namespace halyard::stream {

/// A value, and the submission that signals it.
struct PendingSignal {
  uint64_t value = 0;
  uint32_t queue = 0;
  uint64_t epoch = 0;
  bool uncertain = false;  ///< it may yet fail without its device being lost
};

/// Sorted by value. Not synchronised. Rising values cost a constant; nothing is allocated once warm.
class PendingSignals {
 public:
  void Add(const PendingSignal& signal) {
    if (first_ > 0 && signals_.size() == signals_.capacity()) Compact();
    const auto place = std::upper_bound(begin(), signals_.end(), signal.value,
                                        [](uint64_t value, const PendingSignal& s) { return value < s.value; });
    signals_.insert(place, signal);
  }

  /// The first that reaches `value`; NULL if none does.
  const PendingSignal* Find(uint64_t value) {
    const auto place = std::lower_bound(begin(), signals_.end(), value,
                                        [](const PendingSignal& s, uint64_t v) { return s.value < v; });
    return place == signals_.end() ? nullptr : &*place;
  }

  /// Drops what signals values up to `value`.
  void DropUpTo(uint64_t value) {
    while (first_ < signals_.size() && signals_[first_].value <= value) ++first_;
    if (first_ == signals_.size()) {
      signals_.clear();
      first_ = 0;
    }
  }

  bool empty() const { return first_ == signals_.size(); }
  const PendingSignal& front() const { return signals_[first_]; }
  const PendingSignal& back() const { return signals_.back(); }

 private:
  HostVector<PendingSignal>::iterator begin() { return signals_.begin() + static_cast<std::ptrdiff_t>(first_); }
  void Compact() {
    signals_.erase(signals_.begin(), begin());
    first_ = 0;
  }

  HostVector<PendingSignal> signals_;
  size_t first_ = 0;  // those before it were dropped
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_PENDING_SIGNALS_H_
