// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/application_calls.h"

#include <memory>

#include "base/application_call.h"
#include "base/per_thread.h"

namespace halyard {
namespace {

struct SpareTimepointCall : HostObject {
  ~SpareTimepointCall() { HostFree(memory, sizeof(TimepointCall), alignof(std::max_align_t)); }
  void* memory = nullptr;
};

}  // namespace

void* TimepointCall::operator new(size_t size) {
  void* const spare = std::exchange(PerThread<SpareTimepointCall>::Get().memory, nullptr);
  return spare ? spare : HostObject::operator new(size);
}

void TimepointCall::operator delete(void* memory, size_t size) noexcept {
  SpareTimepointCall* const spare = PerThread<SpareTimepointCall>::Find();
  if (spare && !spare->memory) {
    spare->memory = memory;
  } else {
    HostObject::operator delete(memory, size);
  }
}

void TimepointCall::OnTimepoint(void* call, hal_status_t status, hal_string_view_t message) {
  auto* const self = static_cast<TimepointCall*>(call);
  if (status != HAL_STATUS_OK) self->failure_ = Failure(FailWith(status, View(message)));
  DrainScope::DeferCallback(self);
}

void TimepointCall::Run() noexcept {
  const std::unique_ptr<TimepointCall> self(this);
  CallApplicationUntold("a timepoint's callback",
                        [&] { callback_(user_data_, failure_.code(), ToC(failure_.message())); });
}

// At once: a thread that hears of an operation's end can rely on what it held being released.
void ReleaseCall::OnRelease(void* call) {
  auto* const self = static_cast<ReleaseCall*>(call);
  if (ApplicationScope::Depth() > 0) {
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
