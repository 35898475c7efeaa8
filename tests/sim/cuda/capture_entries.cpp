// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Captures of streams.
#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "stream_api/captures.h"

namespace halyard::cuda::abi {

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return Call(__func__, Requires::kInit, [&] { return ExchangeCaptureMode(mode); });
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return Call(__func__, Requires::kContext, [&] { return BeginCapture(stream, mode); });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return Call(__func__, Requires::kContext, [&] { return EndCapture(stream, graph); });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return Call(__func__, Requires::kContext, [&] { return CaptureStateOf(stream, status); });
}

}  // namespace halyard::cuda::abi
