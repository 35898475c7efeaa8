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

// The calling thread's mode; a reference that stays valid while the thread lives.
Error ExchangeCaptureMode(int* mode);
Error BeginCapture(const void* stream, int mode);
Error EndCapture(const void* stream, Out graph);
// 0: not captured, 1: captured, 2: the capture is invalidated.
Error CaptureStateOf(const void* stream, int* state);

// A vendor's enumeration as the number that it is.
template <typename Body, typename Enum>
Error AsNumber(Enum* value, Body body) {
  if (value == nullptr) return Error::kInvalidValue;
  int number = static_cast<int>(*value);
  const Error error = body(&number);
  *value = static_cast<Enum>(number);
  return error;
}

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_CAPTURES_H_
