// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/block_action.h"

#include <utility>

#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/operation.h"

namespace halyard {

void BlockAction::Prepare() noexcept {
  SubmissionAction::Prepare();
  awaits_memory_ = false;
  frees_at_end_ = false;
}

bool BlockAction::IsForDevice() const { return Is<operations::OfDevice>(type()); }

Status BlockAction::RunOperation() {
  return Visit(type(), Overloaded{[&](operations::Io) { return submission_device().Checked(RunIo()); },
                                  [](operations::HostCall) { return kOk; },  // Run() calls it
                                  [](operations::OfDevice) { return kOk; }});
}

bool BlockAction::RunWithoutLane(QueuePoint* after) noexcept {
  if (fails()) return false;
  if (type() == HAL_QUEUE_OPERATION_TYPE_DEALLOCA) {
    block_buffer().DecommitAfter(*after);
    return true;
  }
  return type() == HAL_QUEUE_OPERATION_TYPE_ALLOCA && TakeMemory(after);
}

// False if there is none: no_memory_ says why.
bool BlockAction::TakeMemory(QueuePoint* after) noexcept {
  BlockBuffer& buffer = block_buffer();
  if (buffer.has_memory()) return true;  // the stage comes again
  const Status status = Guard([&] { return buffer.CommitFor(queues(), after); });
  if (status == kOk) {
    awaits_memory_ = false;
    return true;
  }
  no_memory_ = Failure(status);
  return false;
}

// An ALLOCA that finds no memory tries once more when all that it comes after is completed.
Status BlockAction::SubmitMemory() {
  frees_at_end_ = !fails() && type() == HAL_QUEUE_OPERATION_TYPE_DEALLOCA;
  if (fails() || type() != HAL_QUEUE_OPERATION_TYPE_ALLOCA) return kOk;
  const bool is_last_try = std::exchange(awaits_memory_, false);
  QueuePoint after;
  if (TakeMemory(&after)) {
    if (after.epoch != 0) ComeAfter(after.queue, after.epoch);
    return kOk;
  }
  if (is_last_try) return no_memory_.Share();
  awaits_memory_ = true;
  return kOk;
}

void BlockAction::EndMemory() noexcept {
  if (frees_at_end_) block_buffer().DecommitAfter({});
}

}  // namespace halyard
