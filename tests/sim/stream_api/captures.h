// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Captures of streams, as far as they concern others: nothing is recorded, and what they forbid is forbidden. The
// numbers of modes and states are the same for all vendors.
#ifndef HALYARD_TESTS_SIM_STREAM_API_CAPTURES_H_
#define HALYARD_TESTS_SIM_STREAM_API_CAPTURES_H_

#include "stream_api/call.h"

namespace halyard::sim {

// Whether the calling thread may not call a function now because a thread captures a stream. If so, the captures that
// forbid it are invalidated. Takes the runtime's lock.
bool CaptureForbids(const char* name);

Error BeginCapture(const void* stream, int mode);
Error EndCapture(const void* stream, Out graph);

// The state of a stream's capture: 0: there is none, 1: it goes on, 2: it is invalidated.
Error FindCaptureState(const void* stream, int* state);
template <typename State>
Error CaptureStateOf(const void* stream, State* state) {
  int number = 0;
  const Error error = FindCaptureState(stream, &number);
  if (error != Error::kSuccess) return error;
  if (state == nullptr) return Error::kInvalidValue;
  *state = static_cast<State>(number);
  return Error::kSuccess;
}

// Exchanges the calling thread's mode with another.
Error ExchangeModeNumber(int* mode);
template <typename Mode>
Error ExchangeCaptureMode(Mode* mode) {
  if (mode == nullptr) return Error::kInvalidValue;
  int number = static_cast<int>(*mode);
  const Error error = ExchangeModeNumber(&number);
  *mode = static_cast<Mode>(number);
  return error;
}

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_CAPTURES_H_
