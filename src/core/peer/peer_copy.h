// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy between memory of two devices, made of operations that every driver has.
#ifndef HALYARD_CORE_PEER_PEER_COPY_H_
#define HALYARD_CORE_PEER_PEER_COPY_H_

#include <cstdint>

#include "base/status.h"
#include "core/peer/between_barriers.h"
#include "driver_kit/object/object.h"
#include "driver_kit/queue/copy_box.h"
#include "halyard/driver_api.h"

namespace halyard {

/// One copy, which is on the way between its barriers. There the devices get what moves the bytes, on whichever thread
/// finds that they may begin.
class PeerCopy final : public BetweenBarriers<PeerCopy> {
 public:
  /// What the one operation signals that may be all that moves the bytes.
  static constexpr uint64_t kMoved = 3;

  /// @param command  COPY or COPY_STRIDED, as a driver gets it, with buffers of two devices
  explicit PeerCopy(const hal_command_t& command);

  hal_device_t* source_device() const { return source_->device; }
  hal_device_t* target_device() const { return target_->device; }

  /// @name Entries of the vtable, which the first barrier calls, and the operation: they move no timeline
  /// @{
  Status Signal(uint64_t value);
  Status FailFrom(hal_status_t status, hal_string_view_t message);
  /// @}
  /// The other half of what it takes to begin: the second barrier is with its device.
  void Confirm() noexcept { CountDown(); }
  /// Submits what moves the bytes, or ends the copy if they have been moved.
  void Run() noexcept override;

  /// @name For what moves the bytes
  /// @{
  /// What is left to be moved. One thread at a time, as its pipe's lock says.
  CopyPieces pieces;
  uint32_t pieces_under_way = 0;  ///< the same
  /// The two ends of a piece.
  hal_buffer_ref_t Source(uint64_t offset, uint64_t length) const;
  hal_buffer_ref_t Target(uint64_t offset, uint64_t length) const;
  /// The first failure counts. One thread at a time, as above.
  void Fail(const Failure& failure) {
    if (!failure_) failure_ = failure;
  }
  bool failed() const { return static_cast<bool>(failure_); }
  /// Ends the copy. It may be gone afterwards, and with it the devices.
  void Finish() noexcept;
  /// @}

 private:
  Status MoveThroughHost(bool* out_moved);

  Ref<hal_buffer_t> source_;
  Ref<hal_buffer_t> target_;
  const uint64_t source_offset_;
  const uint64_t target_offset_;
  const CopyBox box_;
  bool moves_ = false;    // whether the one operation was given to its device
  Ref<hal_file_t> file_;  // that operation's
  Failure failure_;
};

/// Submits an operation of the library's own, on whichever thread that is: one that has begun a stream of the
/// application gets it no more than any other.
Status SubmitApart(hal_device_t* device, const hal_queue_operation_t& operation);

/// INVALID_ARGUMENT if the buffers of a copy belong to two devices and are the same memory of the host, which both have
/// imported, and its ranges overlap there.
Status CheckApart(const hal_buffer_ref_t& source, const hal_buffer_ref_t& target);
/// The same of a COPY or COPY_STRIDED.
Status CheckApart(const hal_command_t& copy);

/// Submits a copy whose buffers belong to two devices, one of them `device`, of which no driver copies by itself.
class PeerCopySubmission {
 public:
  /// Does what comes before, and makes `*operation` what `device` is to be given in place of the copy.
  Status Begin(hal_device_t* device, hal_queue_operation_t* operation);
  /// The operation was submitted. Otherwise nothing is copied.
  void Confirm() noexcept { barriers_.Confirm(); }

 private:
  BarrierPair<PeerCopy> barriers_;  // unless one operation is enough
  Ref<hal_file_t> host_memory_;     // then
};

}  // namespace halyard

#endif  // HALYARD_CORE_PEER_PEER_COPY_H_
