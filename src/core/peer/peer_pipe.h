// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the host through which one device's memory is copied to another's, in pieces.
#ifndef HALYARD_CORE_PEER_PEER_PIPE_H_
#define HALYARD_CORE_PEER_PEER_PIPE_H_

#include <array>
#include <cstdint>
#include <mutex>

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "core/peer/peer_copy.h"
#include "driver_kit/queue/copy_box.h"
#include "halyard/driver_api.h"

namespace halyard {

/// The queues that may use a buffer.
hal_queue_mask_t QueuesFor(const hal_buffer_t& buffer);

/// What one device knows of the memory of a pipe.
class StagingMemory {
 public:
  StagingMemory() = default;
  StagingMemory(const StagingMemory&) = delete;
  StagingMemory& operator=(const StagingMemory&) = delete;
  ~StagingMemory() { Close(); }

  /// Imports the memory. If the device does not take it, allocates a buffer of its own, whose bytes then travel as
  /// those of a file.
  Status Open(hal_device_t* device, void* memory, uint64_t length);
  void Close() noexcept;

  hal_device_t* device() const { return device_; }
  /// Whether the buffer is the host's memory itself.
  bool imported() const { return imported_; }
  hal_buffer_ref_t Range(uint64_t offset, uint64_t length) const { return hal_buffer_ref(buffer_, offset, length); }

 private:
  Status Import(void* memory, uint64_t length);
  Status Allocate(uint64_t length);

  hal_device_t* device_ = nullptr;
  hal_buffer_t* buffer_ = nullptr;  // keeps no reference to its device, as it ends before it
  bool imported_ = false;
};

/// The way from one device to another one. It has a few slots, each with a piece on its way: one device fills the slot,
/// then the other empties it. The end of one step starts the next, on the thread that finds it. The slots are at work
/// at the same time, so both devices are. Copies have their turn in the order in which they may begin; the failure of
/// one is none of the others.
///
/// It is made by the first copy and kept until one of the devices ends. Copies keep both devices, so that none is under
/// way when a pipe ends.
class PeerPipe : public HostObject {
 public:
  static constexpr uint64_t kSlotSize = uint64_t{4} << 20;  // bytes

  PeerPipe() = default;
  PeerPipe(const PeerPipe&) = delete;
  PeerPipe& operator=(const PeerPipe&) = delete;
  ~PeerPipe();

  /// Moves the pieces of a copy; then it is finished. Otherwise it is the caller's still.
  static Status Start(PeerCopy& copy);

  Status Open(hal_device_t* source, hal_device_t* target);
  /// Frees the devices' memory, and the host's.
  void Close() noexcept;
  bool Connects(const hal_device_t* source, const hal_device_t* target) const {
    return source_.device() == source && target_.device() == target;
  }
  bool Uses(const hal_device_t* device) const { return source_.device() == device || target_.device() == device; }
  hal_device_t* OtherThan(const hal_device_t* device) const {
    return source_.device() == device ? target_.device() : source_.device();
  }

 private:
  /// What happens to a piece, in this order.
  enum class Step : uint8_t {
    kFill,   ///< the source's device copies it to its staging memory
    kStore,  ///< from there to the host, if it is not there
    kLoad,   ///< from the host to the other device's staging memory, if it is not there
    kEmpty,  ///< the target's device copies it from there
    kEnd,
  };

  /// A part of the memory, and the semaphore that the operation of a step signals.
  class Slot final : public hal_semaphore_t, public Runnable {
   public:
    Slot();

    /// @name Entries of the vtable
    /// @{
    Status Signal(uint64_t value);
    Status Fail(hal_status_t status, hal_string_view_t message);
    /// @}
    void Run() noexcept override;

    PeerPipe* pipe = nullptr;
    uint64_t offset = 0;  ///< in the memory
    /// What is on its way. Belongs to the thread that moves the slot on.
    PeerCopy* copy = nullptr;
    CopyPiece piece;
    Step step = Step::kEnd;
    Failure failure;
  };

  static constexpr size_t kSlots = 4;
  static constexpr uint64_t kLength = kSlots * kSlotSize;

  void Enqueue(PeerCopy& copy) noexcept;
  bool Advance(Slot& slot, PeerCopy** out_ended) noexcept;
  PeerCopy* EndPiece(Slot& slot) noexcept;
  bool TakePiece(Slot& slot) noexcept;
  Slot* TakeIdle() noexcept;
  Step StepAfter(Step step) const;
  Status Submit(Slot& slot) const;
  Status SubmitCopy(Slot& slot, bool fills) const;
  Status SubmitFile(Slot& slot, bool stores) const;

  void* memory_ = nullptr;
  StagingMemory source_;
  StagingMemory target_;
  std::array<Slot, kSlots> slots_;
  std::mutex mutex_;     // protects what follows, and the pieces of copies; a leaf
  RunnableList copies_;  // of which pieces are to be taken; all of one but the first
  std::array<Slot*, kSlots> idle_{};
  size_t idle_count_ = 0;
};

}  // namespace halyard

#endif  // HALYARD_CORE_PEER_PEER_PIPE_H_
