// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/collective/collective_part.h"

#include <utility>

#include "core/collective/channel_group.h"
#include "driver_kit/object/vtable.h"

namespace halyard {
CollectivePart::CollectivePart(std::shared_ptr<ChannelGroup> group, hal_device_t* device, uint32_t rank,
                               const CollectiveRequest& request)
    : group_(std::move(group)),
      device_(Ref<hal_device_t>::Retaining(device)),
      source_(Ref<hal_buffer_t>::Retaining(request.source.buffer)),
      target_(Ref<hal_buffer_t>::Retaining(request.target.buffer)),
      request_(request),
      rank_(rank) {}

Status CollectivePart::Signal(uint64_t /*value*/) {
  CountDown();
  return kOk;
}

Status CollectivePart::FailFrom(hal_status_t status, hal_string_view_t message) {
  failure_ = Failure(FailWith(status, View(message)));
  CountDown();
  return kOk;
}

void CollectivePart::Confirm() noexcept {
  group_->Join(*this);
  CountDown();
}

void CollectivePart::Run() noexcept {
  const auto kept = Ref<hal_semaphore_t>::Adopting(this);
  if (failure_) {
    group_->FailFrom(*this, failure_);
  } else {
    group_->Ready(*this);
  }
}

void CollectivePart::End(const Failure& failure) noexcept {
  const auto kept = Ref<hal_semaphore_t>::Retaining(this);
  const DrainScope scope;
  source_ = {};  // before the signals: a thread that sees them can rely on it
  target_ = {};
  device_ = {};
  EndTimeline(failure);
}

Status CollectiveSubmission::Begin(const std::shared_ptr<ChannelGroup>& group, hal_device_t* device, uint32_t rank,
                                   const CollectiveRequest& request, hal_queue_operation_t* operation) {
  HAL_TRY(group->CheckHealth());
  return barriers_.Begin(device, CollectivePart::Make(group, device, rank, request), operation);
}

}  // namespace halyard
