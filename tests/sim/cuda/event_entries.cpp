// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events.
#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "stream_api/streams.h"

namespace halyard::cuda::abi {

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] { return CreateEvent(event, (flags & CU_EVENT_DISABLE_TIMING) == 0); });
}

CUresult cuEventDestroy_v2(CUevent event) {
  return Call(__func__, Requires::kContext, [&] { return DestroyEvent(event); });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return Call(__func__, Requires::kContext, [&] { return StreamRecordEvent(event, stream); });
}

CUresult cuEventQuery(CUevent event) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) { return QueryEventOf(event, lock); });
}

CUresult cuEventSynchronize(CUevent event) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) { return SynchronizeEvent(event, lock); });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return Call(__func__, Requires::kContext, [&] { return EventElapsedTime(milliseconds, start, end); });
}

}  // namespace halyard::cuda::abi
