// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/captures.h"

#include <utility>

namespace halyard::sim {
namespace {

constexpr int kGlobal = 0;
constexpr int kRelaxed = 2;

int& ThreadMode() {
  static thread_local int mode = kGlobal;
  return mode;
}

// Whether a thread whose own mode is `mode` is held to what a capture forbids.
bool Forbids(const Capture& capture, int mode) {
  if (mode == kRelaxed || capture.mode == kRelaxed) return false;
  if (capture.thread == std::this_thread::get_id()) return true;
  return mode == kGlobal && capture.mode == kGlobal;
}

bool IsMode(int mode) { return mode >= kGlobal && mode <= kRelaxed; }

}  // namespace

bool CaptureForbids(const char* name) {
  if (!IsUnsafeCall(name)) return false;
  const Lock lock(Runtime::Get().mutex);
  bool forbidden = false;
  Runtime::Get().streams.ForEach([&](const std::shared_ptr<Stream>& stream) {
    if (!stream->capture.has_value() || !Forbids(*stream->capture, ThreadMode())) return;
    stream->capture->invalidated = true;
    forbidden = true;
  });
  return forbidden;
}

Error ExchangeModeNumber(int* mode) {
  if (!IsMode(*mode)) return Error::kInvalidValue;
  std::swap(*mode, ThreadMode());
  return Error::kSuccess;
}

Error BeginCapture(const void* stream, int mode) {
  const auto found = stream == nullptr ? nullptr : FindAnyStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  if (found->capture.has_value() || !IsMode(mode)) return Error::kInvalidValue;
  found->capture = {mode, std::this_thread::get_id(), false};
  return Error::kSuccess;
}

Error EndCapture(const void* stream, Out graph) {
  const auto found = FindAnyStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  if (graph.IsNull()) return Error::kInvalidValue;
  if (!found->capture.has_value()) return Error::kCaptureUnmatched;
  const bool own = found->capture->mode == kRelaxed || found->capture->thread == std::this_thread::get_id();
  if (!own) return Error::kCaptureOfOtherThread;
  graph.Put(nullptr);
  if (std::exchange(found->capture, std::nullopt)->invalidated) return Error::kCaptureInvalidated;
  graph.Put(Runtime::Get().graphs.Add(std::make_shared<Graph>()));
  return Error::kSuccess;
}

Error FindCaptureState(const void* stream, int* state) {
  const auto found = FindAnyStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  *state = !found->capture.has_value() ? 0 : found->capture->invalidated ? 2 : 1;
  return Error::kSuccess;
}

}  // namespace halyard::sim
