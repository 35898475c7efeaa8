// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The channel of one rank.
#ifndef HALYARD_CORE_COLLECTIVE_CHANNEL_H_
#define HALYARD_CORE_COLLECTIVE_CHANNEL_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "core/collective/collective_validation.h"
#include "driver_kit/object/object.h"
#include "halyard/channel.h"
#include "halyard/driver_api.h"

struct hal_channel_t {
  hal_object_t object;
};

namespace halyard {

class ChannelGroup;

/// Has its place among the ranks from its creation on, or from the end of the split that makes it.
class Channel final : public hal_channel_t, public HostObject {
 public:
  /// Without a place. May throw.
  static Ref<hal_channel_t> Make(hal_device_t* device);
  static Channel& Of(hal_channel_t* channel) { return *static_cast<Channel*>(channel); }
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Gives it its place, once.
  Status Place(std::shared_ptr<ChannelGroup> group, uint32_t rank);
  /// FAILED_PRECONDITION while it has none, or how the split failed.
  Status FindPlace(std::shared_ptr<ChannelGroup>* out_group, RankPlace* out_place);

  hal_device_t* device() const { return device_.get(); }
  /// Threads of the host that the device works on; 0 for other devices.
  uint32_t worker_threads() const { return worker_threads_; }
  void Query(hal_channel_info_t* out);
  Status Wait(uint64_t timeout_ns);
  Status Abort(Status failure);
  /// All ranks have come, or never will. The group's, and once for each.
  void TellFormed(const Failure& failure) noexcept;

 private:
  explicit Channel(hal_device_t* device);

  const Ref<hal_device_t> device_;
  const uint32_t worker_threads_;
  Ref<hal_semaphore_t> formed_;         // reaches 1
  std::atomic<bool> has_place_{false};  // written once, after the two that follow
  std::shared_ptr<ChannelGroup> group_;
  uint32_t rank_ = HAL_RANK_NONE;
};

}  // namespace halyard

#endif  // HALYARD_CORE_COLLECTIVE_CHANNEL_H_
