// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events.
#include "cuda/call.h"
#include "cuda/entry_points.h"

namespace halyard::cuda::abi {

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    if (event == nullptr) return Error::kInvalidValue;
    auto made = std::make_shared<sim::Event>();
    made->context = CurrentContext();
    made->timing = (flags & CU_EVENT_DISABLE_TIMING) == 0;
    *event = ToHandle<CUevent>(Runtime::Get().events.Add(std::move(made)));
    return Error::kSuccess;
  });
}

CUresult cuEventDestroy_v2(CUevent event) {
  return Call(__func__, Requires::kContext, [&] {
    Runtime& runtime = Runtime::Get();
    const auto found = FindEvent(event);
    if (found == nullptr) return Error::kInvalidHandle;
    if (found->InUse()) runtime.reports.Add(sim::Rule::kDestroyInUse, "an event was destroyed before it was reached");
    runtime.events.Remove(found.get());
    return Error::kSuccess;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindEvent(event);
    const auto recording = FindStream(stream);
    if (found == nullptr || recording == nullptr) return Error::kInvalidHandle;
    if (found->context != recording->context()) return Error::kInvalidHandle;
    sim::RecordEvent(*found, *recording);
    return Error::kSuccess;
  });
}

CUresult cuEventQuery(CUevent event) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindEvent(event);
    return found == nullptr ? Error::kInvalidHandle : sim::QueryEvent(*found);
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    const auto found = FindEvent(event);
    if (found == nullptr) return Error::kInvalidHandle;
    const auto recorded = found->recorded;
    if (recorded == nullptr) return Error::kSuccess;
    recorded->Wait(lock);
    return recorded->error();
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return Call(__func__, Requires::kContext, [&] {
    const auto first = FindEvent(start);
    const auto last = FindEvent(end);
    if (first == nullptr || last == nullptr) return Error::kInvalidHandle;
    return milliseconds == nullptr ? Error::kInvalidValue : sim::ElapsedTime(*first, *last, milliseconds);
  });
}

}  // namespace halyard::cuda::abi
