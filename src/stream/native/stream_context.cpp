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
  ScopedErrorMessage keeper;
  const NativeScope scope(*api_);
  Status status = scope.status();
  if (status == kOk) status = api_->PrepareIndirectLaunches();
  if (status == kOk) *out_mode = IndirectMode::kDevice;
  if (status == kOk || indirect_choice_ == IndirectChoice::kAuto) return kOk;
  keeper.Dismiss();
  return Checked(status);
}

}  // namespace halyard::stream
