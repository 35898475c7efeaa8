// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/native/stream_context.h"

#include <utility>

namespace halyard::stream {

StreamContext::StreamContext(SubmissionDevice& device, std::shared_ptr<NativeApi> api,
                             const StreamDeviceOptions& options)
    : device_(device),
      api_(std::move(api)),
      command_buffer_mode_(options.command_buffer),
      indirect_choice_(options.indirect),
      events_(*api_, NativeEventKind::kOrder),
      timed_events_(*api_, NativeEventKind::kTimed),
      clock_(*api_, timed_events_),
      slots_(*api_),
      counters_(*api_) {}

Status StreamContext::ChooseIndirectMode(IndirectMode* out_mode) {
  *out_mode = IndirectMode::kHost;
  if (indirect_choice_ == IndirectChoice::kHost || api_->traits().no_indirect_launches) return kOk;
  const NativeScope scope(*api_);
  Failure failure(scope.entered() ? api_->PrepareIndirectLaunches() : scope.status());
  if (!failure) *out_mode = IndirectMode::kDevice;
  if (!failure || indirect_choice_ == IndirectChoice::kAuto) return kOk;
  return Checked(failure.Take());
}

}  // namespace halyard::stream
