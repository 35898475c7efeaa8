// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks of a channel: which of them are there, which operations they have come to, and how the channel failed.
#ifndef HALYARD_CORE_COLLECTIVE_CHANNEL_GROUP_H_
#define HALYARD_CORE_COLLECTIVE_CHANNEL_GROUP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "core/collective/collective.h"
#include "core/collective/collective_round.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"

namespace halyard {

class Channel;
class CollectivePart;

/// A list of rounds, whose links are in them.
class RoundList {
 public:
  CollectiveRound* head() const { return head_; }
  void Add(CollectiveRound& round);
  void Remove(CollectiveRound& round);
  RoundList TakeAll() { return std::exchange(*this, {}); }

 private:
  CollectiveRound* head_ = nullptr;
};

/// Matches the operations of the ranks of one process. Shared by their channels and by the parts of operations, so that
/// it outlives the channels of ranks whose operations are under way.
///
/// Lock order: `mutex_` is a leaf, except for the locks of the semaphores that tell of the channel's forming, on which
/// nothing but hal_channel_wait() waits. Parts end without the lock.
class ChannelGroup : public HostObject, public std::enable_shared_from_this<ChannelGroup> {
 public:
  ChannelGroup(uint32_t rank_count, uint64_t timeout_ns);
  ~ChannelGroup();
  ChannelGroup(const ChannelGroup&) = delete;
  ChannelGroup& operator=(const ChannelGroup&) = delete;

  /// A new one; with a time-out it is watched from now on. May throw.
  static Status Make(uint32_t rank_count, uint64_t timeout_ns, std::shared_ptr<ChannelGroup>* out);

  uint32_t rank_count() const { return static_cast<uint32_t>(ranks_.size()); }
  uint64_t timeout_ns() const { return timeout_ns_.load(std::memory_order_relaxed); }
  /// How many threads the host has for the group's work; 0: devices' own threads for host calls do it.
  uint32_t worker_threads() const { return worker_threads_.load(std::memory_order_relaxed); }
  /// Whether the device of a rank works on the host's processors.
  bool is_worker(uint32_t rank) const { return ranks_[rank].is_worker.load(std::memory_order_relaxed); }

  /// A rank has come. ALREADY_EXISTS, or how the group failed.
  Status Attach(uint32_t rank, Channel* channel);
  /// What moves the bytes of an operation that is ready; NULL: the host does.
  hal_channel_engine_t* engine() const { return engine_.load(std::memory_order_acquire); }
  /// A rank leaves. Does nothing for a channel that was refused.
  void Detach(uint32_t rank, const Channel* channel) noexcept;
  uint32_t CountHere();
  Status CheckHealth();
  /// A shorter time-out than the group's counts.
  Status ShortenTimeout(uint64_t timeout_ns);

  /// @name Parts of operations
  /// @{
  /// The next operation of its rank. A failure is that of the group.
  void Join(CollectivePart& part) noexcept;
  void Ready(CollectivePart& part) noexcept;
  /// An operation runs on the engine, which is asked from time to time whether it has failed.
  static void WatchEngine() noexcept;
  /// The waits of a part failed.
  void FailFrom(CollectivePart& part, const Failure& failure) noexcept;
  /// A round has moved its last byte, or failed.
  void EndRound(CollectiveRound& round, Failure failure) noexcept;
  /// @}

  /// The next split of a rank; `child` gets its place once all have come to it. NULL without a colour.
  Status Split(uint32_t rank, uint32_t color, int32_t key, Ref<hal_channel_t> child);

  /// Ends everything with the first failure; further ones are ignored.
  void EndAll(const Failure& failure) noexcept;
  /// Fails if a deadline has passed; the next deadline otherwise.
  Deadline FailLate() noexcept;

 private:
  using Lock = std::unique_lock<std::mutex>;

  struct Rank {
    Channel* channel = nullptr;
    bool has_come = false;
    bool has_left = false;
    std::atomic<bool> is_worker{false};
    uint64_t next_operation = 0;  // its number, of those of all ranks
    uint64_t next_split = 0;
  };
  /// Sends or receives from one rank to another that have not found their counterpart.
  struct Pair {
    HostDeque<CollectiveRound*> open;
    bool open_are_sends = false;
    uint64_t count = 0;  // so far
  };
  struct SplitEntry {
    bool has_come = false;
    uint32_t color = 0;
    int32_t key = 0;
    Ref<hal_channel_t> child;
  };
  struct SplitRound {
    HostVector<SplitEntry> entries;
    uint32_t count = 0;
  };

  Status CreateEngine(const HostVector<Ref<hal_device_t>>& devices);
  static void OnOpened(void* group, hal_channel_engine_t* engine, hal_status_t status) noexcept;
  void FormAll() noexcept;
  Status JoinRound(CollectivePart& part);
  Status JoinAll(CollectivePart& part);
  Status JoinPair(CollectivePart& part);
  CollectiveRound* TakeRound(size_t part_count);
  void GiveRound(CollectiveRound& round) noexcept;
  void PopCompleted() noexcept;
  Status CheckAgreement(const CollectiveRound& round, const CollectivePart& part) const;
  Status CheckPermutation(const CollectiveRound& round) const;
  Status CheckNoneLeft(uint64_t operation) const;
  Status FindLate(const CollectiveRound& round) const;
  bool IsAwaited(uint32_t rank) const;
  void TellForming(const Failure& failure) noexcept;
  static Status Form(SplitRound& split, uint64_t timeout_ns);

  std::atomic<uint64_t> timeout_ns_;
  std::atomic<uint32_t> worker_threads_{0};
  std::atomic<hal_channel_engine_t*> engine_{nullptr};  // written once, when it is open
  hal_channel_engine_t* owned_engine_ = nullptr;        // the same from its creation on; written before a rank leaves
  std::mutex mutex_;                                    // protects what follows
  HostVector<Rank> ranks_;                              // as many as there are from the beginning
  uint32_t here_ = 0;                                   // ranks that have come
  Failure failure_;
  std::atomic<bool> failed_{false};  // written under the lock
  HostDeque<CollectiveRound*>
      operations_;  // of all ranks, by number from first_operation_ on; NULL: it runs, or has run
  uint64_t first_operation_ = 0;
  HostMap<std::pair<uint32_t, uint32_t>, Pair> pairs_;  // by from and to
  RoundList waiting_;
  RoundList running_;
  HostVector<SplitRound> splits_;
  uint64_t first_split_ = 0;
  HostVector<std::unique_ptr<CollectiveRound>> rounds_;  // all, so that a free one is no allocation
  HostVector<CollectiveRound*> free_rounds_;             // has room for all
};

}  // namespace halyard

#endif  // HALYARD_CORE_COLLECTIVE_CHANNEL_GROUP_H_
