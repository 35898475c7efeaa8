// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of one rank in a collective operation, and how its device and the channel's ranks tell each other of it.
#ifndef HALYARD_CORE_COLLECTIVE_COLLECTIVE_PART_H_
#define HALYARD_CORE_COLLECTIVE_COLLECTIVE_PART_H_

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "core/collective/collective.h"
#include "core/peer/between_barriers.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"

namespace halyard {

class ChannelGroup;
class CollectiveRound;

/// The timeline between the two barriers of the rank's device.
class CollectivePart final : public BetweenBarriers<CollectivePart> {
 public:
  CollectivePart(std::shared_ptr<ChannelGroup> group, hal_device_t* device, uint32_t rank,
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
  const std::shared_ptr<ChannelGroup> group_;
  Ref<hal_device_t> device_;
  Ref<hal_buffer_t> source_;
  Ref<hal_buffer_t> target_;
  const CollectiveRequest request_;
  const uint32_t rank_;
  Failure failure_;  // of the first barrier
};

/// Submits an operation whose place in its channel is that of its submission.
class CollectiveSubmission {
 public:
  /// Does what comes before, and makes `*operation` what the device is to be given.
  Status Begin(const std::shared_ptr<ChannelGroup>& group, hal_device_t* device, uint32_t rank,
               const CollectiveRequest& request, hal_queue_operation_t* operation);
  /// The operation was submitted. Otherwise there is none.
  void Confirm() noexcept { barriers_.Confirm(); }

 private:
  BarrierPair<CollectivePart> barriers_;
};

}  // namespace halyard

#endif  // HALYARD_CORE_COLLECTIVE_COLLECTIVE_PART_H_
