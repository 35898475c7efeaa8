// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that ends operations of channels whose ranks do not come in time.
#ifndef HALYARD_CORE_COLLECTIVE_CHANNEL_DEADLINES_H_
#define HALYARD_CORE_COLLECTIVE_CHANNEL_DEADLINES_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "base/host_event.h"
#include "base/host_memory.h"
#include "base/library_thread.h"
#include "base/status.h"

namespace halyard {

class ChannelGroup;

/// One thread for all channels that have a time-out. It sleeps until the earliest deadline of an operation. Later
/// operations of a channel mostly have later ones, so that a program that goes on wakes it once in a time-out.
class ChannelDeadlines : public HostObject {
 public:
  ChannelDeadlines() = default;
  ~ChannelDeadlines();
  ChannelDeadlines(const ChannelDeadlines&) = delete;
  ChannelDeadlines& operator=(const ChannelDeadlines&) = delete;

  /// From now on the group's operations are looked at. RESOURCE_EXHAUSTED if there is no thread. May throw.
  static Status Watch(const std::shared_ptr<ChannelGroup>& group);
  /// An operation has a deadline. Thread-safe.
  static void WakeBy(Deadline deadline) noexcept;

 private:
  Status Add(const std::shared_ptr<ChannelGroup>& group);
  void Hasten(Deadline deadline) noexcept;
  void Work() noexcept;
  Deadline LookAtAll() noexcept;

  std::atomic<uint64_t> next_{Deadline::kNever};  // when the thread looks; written under the lock
  std::mutex mutex_;                              // protects what follows, and orders the bell; a leaf
  HostVector<std::weak_ptr<ChannelGroup>> groups_;
  bool runs_ = false;
  bool stops_ = false;
  HostEvent bell_;
  LibraryThread thread_;  // last, so that it ends before what it uses
};

}  // namespace halyard

#endif  // HALYARD_CORE_COLLECTIVE_CHANNEL_DEADLINES_H_
