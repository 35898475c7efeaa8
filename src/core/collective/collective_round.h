// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One collective operation: the parts of its ranks, from the first that comes until the last byte is moved.
#ifndef HALYARD_CORE_COLLECTIVE_COLLECTIVE_ROUND_H_
#define HALYARD_CORE_COLLECTIVE_COLLECTIVE_ROUND_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/small_mutex.h"
#include "base/status.h"
#include "core/collective/collective.h"
#include "core/collective/reduction.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"

namespace halyard {

class ChannelGroup;
class CollectivePart;

/// What a group knows of an operation until it runs. The group's lock protects it. Then it no longer changes.
struct RoundMatch {
  Collective what;
  uint64_t number = 0;                ///< of the operations of the channel, or of those from one rank to another
  HostVector<CollectivePart*> parts;  ///< NULL: has not come. Of two ranks: the sender's first. References
  uint32_t joined = 0;
  uint32_t ready = 0;
  uint32_t first = 0;   ///< the part that came first
  uint32_t ranks[2]{};  ///< of an operation between two: from, to
  Deadline deadline;    ///< once a part is ready
  bool is_running = false;

  bool complete() const { return joined == parts.size(); }
};

/// Moves the bytes of an operation, in pieces, on the host.
///
/// Memory that is like the host's is used where it is. Other memory is staged: its device copies each piece to memory
/// of the round, and from there. What the host does runs as host calls of the ranks' devices, those of the host's
/// processors if there are any. So it runs on the threads of their executors, and a round has as many *slots* as they
/// have threads. Each slot has one piece on its way at a time, and takes the next one when that has ended. No thread
/// waits: the end of each step starts the next.
///
/// The last slot that finds no piece left ends the round.
class CollectiveRound final : public HostObject, public Runnable {
 public:
  CollectiveRound() = default;
  ~CollectiveRound();
  CollectiveRound(const CollectiveRound&) = delete;
  CollectiveRound& operator=(const CollectiveRound&) = delete;

  RoundMatch match;
  CollectiveRound* next_of_group = nullptr;      ///< links of a list of the group
  CollectiveRound* previous_of_group = nullptr;  ///< the same

  /// Makes it a new one, of so many parts. May throw.
  void Reset(size_t part_count);
  /// All parts are ready. The group has to stay until Finish(). Runs the operation, which may have ended then.
  void Start(std::shared_ptr<ChannelGroup> group) noexcept;
  void Run() noexcept override;
  /// Has it end early: no further pieces are taken. Thread-safe.
  void Stop() noexcept { stops_.store(true, std::memory_order_relaxed); }
  /// Ends all parts that have come.
  void EndParts(const Failure& failure) noexcept;

 private:
  /// A part's memory while the round runs.
  struct PartMemory {
    std::byte* source = nullptr;  ///< NULL: is staged, or there is none
    std::byte* target = nullptr;  ///< the same
    bool source_is_mapped = false;
    bool target_is_mapped = false;
  };
  /// What happens to a piece, in this order.
  enum class Step : uint8_t {
    kTake,
    kFill,   ///< devices copy inputs to staging memory
    kWork,   ///< the host combines and moves
    kEmpty,  ///< devices copy outputs from staging memory
    kLent,   ///< the channel's engine has the whole operation
  };

  /// A piece on its way, and the semaphore that the copies of a step signal. A part of its round.
  class Slot final : public hal_semaphore_t, public Runnable, public HostObject {
   public:
    Slot();

    /// @name Entries of the vtable
    /// @{
    Status Signal(uint64_t value);
    Status Fail(hal_status_t status, hal_string_view_t message);
    /// @}
    /// What the copies have brought about.
    void Run() noexcept override { round->Advance(*this, false); }
    void CountDown() noexcept;

    CollectiveRound* round = nullptr;
    hal_device_t* worker = nullptr;    ///< whose host calls move the pieces
    std::byte* memory = nullptr;       ///< for staging
    std::atomic<uint32_t> pending{0};  ///< copies under way, and one for the thread that submits them
    Step step = Step::kTake;           ///< this and what follows belong to the thread that moves the slot on
    Transfer transfer;
    uint64_t transfer_number = UINT64_MAX;
    uint64_t offset = 0;  ///< of the piece in the transfer, in bytes
    uint64_t length = 0;
    HostVector<const std::byte*> inputs;  ///< where the host finds them
    HostVector<std::byte*> outputs;       ///< where it puts them: those that are not staged, or all of an exchange
  };

  static constexpr uint64_t kPiece = uint64_t{256} << 10;  // bytes
  static constexpr uint64_t kLeastStagedPiece = uint64_t{64} << 10;
  static constexpr uint64_t kMostStaging = uint64_t{8} << 20;    // bytes of a slot
  static constexpr uint64_t kMostInline = uint64_t{64} << 10;    // bytes that are moved on the thread that starts
  static constexpr uint64_t kStreamedFrom = uint64_t{32} << 20;  // bytes that caches do not keep
  static constexpr uint64_t kExchangeBlock = uint64_t{4} << 10;  // bytes of each input, which the first cache keeps
  static constexpr size_t kStagedSlots = 4;

  Status Prepare();
  Status LendToEngine(bool* out_lent);
  void MapMemory();
  void UnmapMemory() noexcept;
  size_t ScratchOfSlot() noexcept;
  Status PrepareSlots();
  void Launch() noexcept;
  void Advance(Slot& slot, bool is_worker) noexcept;
  bool TakePiece(Slot& slot) noexcept;
  void Locate(Slot& slot) noexcept;
  bool NeedsWorker(const Slot& slot) const;
  bool SubmitFills(Slot& slot) noexcept;
  bool SubmitEmpties(Slot& slot) noexcept;
  void SubmitStaged(Slot& slot, bool fills, const TransferEnd& end, std::byte* memory) noexcept;
  bool EndSubmission(Slot& slot) noexcept;
  Status SubmitWork(Slot& slot) const;
  static hal_status_t OnHost(void* slot, hal_status_t status);
  void Work(Slot& slot) noexcept;
  void MoveToAll(const Slot& slot) const noexcept;
  void MoveEach(const Slot& slot) const noexcept;
  void Exchange(const Slot& slot) const noexcept;
  void Move(std::byte* output, const std::byte* input, size_t length) const noexcept;
  void FailFrom(Status status) noexcept;
  void EndSlot() noexcept;
  void Finish() noexcept;

  bool IsStaged(const TransferEnd& end, bool is_input) const {
    return !(is_input ? memory_[end.part].source : memory_[end.part].target);
  }
  std::byte* Scratch(const Slot& slot, size_t input) const { return slot.memory + input * scratch_; }
  const CollectiveRequest& RequestOf(uint32_t part) const;
  void FreeStaging() noexcept;

  // Set before the slots are launched.
  std::shared_ptr<ChannelGroup> group_;
  HostVector<PartMemory> memory_;
  HostVector<double> scales_;
  HostVector<hal_engine_part_t> lent_;  // what the engine is asked for
  ReductionFunction reduce_ = nullptr;
  bool any_staged_ = false;
  bool streams_ = false;
  uint64_t piece_ = 0;    // bytes
  uint64_t scratch_ = 0;  // bytes of memory for each input of a piece; 0: none is needed
  uint64_t pieces_of_transfer_ = 0;
  uint64_t piece_count_ = 0;
  HostVector<std::unique_ptr<Slot>> slots_;  // those that were ever needed
  size_t slot_count_ = 0;                    // those at work
  std::byte* staging_ = nullptr;
  size_t staging_size_ = 0;

  std::atomic<bool> stops_{false};
  std::atomic<uint64_t> next_piece_{0};
  std::atomic<size_t> slots_at_work_{0};
  SmallMutex mutex_;  // protects failure_ until the round ends; a leaf
  Failure failure_;   // the first one
};

}  // namespace halyard

#endif  // HALYARD_CORE_COLLECTIVE_COLLECTIVE_ROUND_H_
