// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events: what the vendors' functions do, under the runtime's lock.
#ifndef HALYARD_TESTS_SIM_STREAM_API_STREAMS_H_
#define HALYARD_TESTS_SIM_STREAM_API_STREAMS_H_

#include "stream_api/call.h"

namespace halyard::sim {

// How a stream compares a value in memory with its own; the numbers are the same for all vendors.
enum class Comparison : unsigned int { kGreaterOrEqual = 0, kEqual = 1, kAnd = 2, kNor = 3 };

// Flags: 0, or 1 for a stream that does not wait for the default stream.
Error CreateStream(Out stream, unsigned int flags);
Error DestroyStream(const void* stream);
Error QueryStream(const void* stream);
Error SynchronizeStream(const void* stream, Lock& lock);
Error StreamWaitEvent(const void* stream, const void* event, unsigned int flags);
Error StreamWriteValue(const void* stream, Word address, uint64_t value);
Error StreamWaitValue(const void* stream, Word address, uint64_t value, Comparison comparison);
Error StreamHostFunction(const void* stream, void (*function)(void*), void* user_data);

Error CreateEvent(Out event, bool timing);
Error DestroyEvent(const void* event);
Error StreamRecordEvent(const void* event, const void* stream);
Error QueryEventOf(const void* event, Lock& lock);
Error SynchronizeEvent(const void* event, Lock& lock);
Error EventElapsedTime(float* milliseconds, const void* start, const void* end);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_STREAMS_H_
