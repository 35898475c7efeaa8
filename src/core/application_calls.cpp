// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/application_calls.h"

#include <memory>

#include "base/application_call.h"

namespace halyard {

void TimepointCall::OnTimepoint(void* call, hal_status_t status, hal_string_view_t message) {
  auto* const self = static_cast<TimepointCall*>(call);
  if (status != kOk) self->failure_ = Failure::Of(status, View(message));
  DrainScope::DeferCallback(self);
}

void TimepointCall::Run() noexcept {
  const std::unique_ptr<TimepointCall> self(this);
  CallApplicationUntold("a timepoint's callback",
                        [&] { callback_(user_data_, failure_.status, ToC(failure_.message)); });
}

// At once, as whoever hears of an operation's end can rely on what it held being released.
void ReleaseCall::OnRelease(void* call) {
  auto* const self = static_cast<ReleaseCall*>(call);
  if (ApplicationDepth() > 0) {
    DrainScope::DeferCallback(self);
  } else {
    self->Run();
  }
}

void ReleaseCall::Run() noexcept {
  const std::unique_ptr<ReleaseCall> self(this);
  CallApplicationUntold("a release callback", [&] { callback_(user_data_); });
}

}  // namespace halyard
