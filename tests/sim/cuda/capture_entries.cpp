// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Captures of streams, as far as they concern others: nothing is recorded, and what they forbid is forbidden.
#include <utility>

#include "cuda/call.h"
#include "cuda/capture.h"
#include "cuda/entry_points.h"
#include "cuda/unsafe_calls.h"

namespace halyard::cuda::abi {
namespace {

CUstreamCaptureMode& ThreadMode() {
  static thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

// Whether a thread whose own mode is `mode` is held to what a capture forbids.
bool Forbids(const sim::Capture& capture, CUstreamCaptureMode mode) {
  const auto begun = static_cast<CUstreamCaptureMode>(capture.mode);
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED || begun == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  if (capture.thread == std::this_thread::get_id()) return true;
  return mode == CU_STREAM_CAPTURE_MODE_GLOBAL && begun == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

Error EndCapture(sim::Stream& stream, CUgraph* graph) {
  if (!stream.capture.has_value()) return Error::kCaptureUnmatched;
  const bool relaxed = static_cast<CUstreamCaptureMode>(stream.capture->mode) == CU_STREAM_CAPTURE_MODE_RELAXED;
  if (!relaxed && stream.capture->thread != std::this_thread::get_id()) return Error::kCaptureOfOtherThread;
  *graph = nullptr;
  if (std::exchange(stream.capture, std::nullopt)->invalidated) return Error::kCaptureInvalidated;
  *graph = ToHandle<CUgraph>(Runtime::Get().graphs.Add(std::make_shared<sim::Graph>()));
  return Error::kSuccess;
}

}  // namespace

bool CaptureForbids(const char* name) {
  if (!IsUnsafeCall(name)) return false;
  const Lock lock(Runtime::Get().mutex);
  bool forbidden = false;
  Runtime::Get().streams.ForEach([&](const std::shared_ptr<sim::Stream>& stream) {
    if (!stream->capture.has_value() || !Forbids(*stream->capture, ThreadMode())) return;
    stream->capture->invalidated = true;
    forbidden = true;
  });
  return forbidden;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return Call(__func__, Requires::kInit, [&] {
    if (mode == nullptr || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) return Error::kInvalidValue;
    std::swap(*mode, ThreadMode());
    return Error::kSuccess;
  });
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = stream == nullptr ? nullptr : FindAnyStream(stream);
    if (found == nullptr) return Error::kInvalidHandle;
    if (found->capture.has_value() || mode > CU_STREAM_CAPTURE_MODE_RELAXED) return Error::kInvalidValue;
    found->capture = {static_cast<int>(mode), std::this_thread::get_id(), false};
    return Error::kSuccess;
  });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindAnyStream(stream);
    if (found == nullptr) return Error::kInvalidHandle;
    return graph == nullptr ? Error::kInvalidValue : EndCapture(*found, graph);
  });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindAnyStream(stream);
    if (found == nullptr) return Error::kInvalidHandle;
    if (status == nullptr) return Error::kInvalidValue;
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (!found->capture.has_value()) return Error::kSuccess;
    *status = found->capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
