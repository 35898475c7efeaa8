// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of one rank in a collective operation, and how its device and the channel's ranks tell each other of it.
#ifndef HALYARD_CORE_COLLECTIVE_COLLECTIVE_PART_H_
#define HALYARD_CORE_COLLECTIVE_COLLECTIVE_PART_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/drain_scope.h"
#include "base/status.h"
#include "core/collective/collective.h"
#include "driver_kit/object/object.h"
#include "driver_kit/timeline/timeline_semaphore.h"
#include "halyard/driver_api.h"

namespace halyard {

class ChannelGroup;
class CollectiveRound;

/// As with a PeerCopy, the rank's device gets two barriers, and this is the timeline between them. The first one waits
/// for what the operation waits for, and signals kBegin. The second one waits for kEnd, and signals what the operation
/// signals.
class CollectivePart final : public TimelineSemaphore, public Runnable {
 public:
  static constexpr uint64_t kBegin = 1;
  static constexpr uint64_t kEnd = 2;

  CollectivePart(std::shared_ptr<ChannelGroup> group, hal_device_t* device, uint32_t rank,
                 const CollectiveRequest& request);

  /// A new one, in the memory of an earlier one. May throw.
  static Ref<hal_semaphore_t> Make(std::shared_ptr<ChannelGroup> group, hal_device_t* device, uint32_t rank,
                                   const CollectiveRequest& request);

  uint32_t rank() const { return rank_; }
  const CollectiveRequest& request() const { return request_; }
  hal_device_t* device() const { return device_.get(); }

  /// @name Entries of the vtable, which the first barrier calls
  /// @{
  Status Signal(uint64_t value);
  Status FailFrom(hal_status_t status, hal_string_view_t message);
  /// @}
  /// The second barrier is with the device: from here on the operation counts.
  void Confirm() noexcept;
  /// Tells the group that the rank is ready, or that it never will be.
  void Run() noexcept override;
  /// Lets go of what the part uses, and has the second barrier run or fail. Once.
  void End(const Failure& failure) noexcept;

  CollectiveRound* round = nullptr;  ///< while the round has the part; protected by the group's lock

 private:
  void CountDown() noexcept;

  const std::shared_ptr<ChannelGroup> group_;
  Ref<hal_device_t> device_;
  Ref<hal_buffer_t> source_;
  Ref<hal_buffer_t> target_;
  const CollectiveRequest request_;
  const uint32_t rank_;
  std::atomic<uint32_t> missing_{2};  // the end of the first barrier, and the second barrier
  Failure failure_;                   // of the first barrier
};

/// Submits an operation whose place in its channel is that of its submission.
class CollectiveSubmission {
 public:
  /// Does what comes before, and makes `*operation` what the device is to be given.
  Status Begin(const std::shared_ptr<ChannelGroup>& group, hal_device_t* device, uint32_t rank,
               const CollectiveRequest& request, hal_queue_operation_t* operation);
  /// The operation was submitted. Otherwise there is none.
  void Confirm() noexcept;

 private:
  Ref<hal_semaphore_t> part_;
  hal_timeline_point_t end_{};
};

}  // namespace halyard

#endif  // HALYARD_CORE_COLLECTIVE_COLLECTIVE_PART_H_
