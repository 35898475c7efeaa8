// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills on streams: what the vendors' functions do, under the runtime's lock.
#ifndef HALYARD_TESTS_SIM_STREAM_API_TRANSFERS_H_
#define HALYARD_TESTS_SIM_STREAM_API_TRANSFERS_H_

#include "engine/transfer.h"
#include "stream_api/call.h"

namespace halyard::sim {

// Which sides of a copy may be memory of the host.
enum class CopyKind { kAny, kUpload, kDownload, kOnDevice };

Copy CopyOf(Word target, Word source, size_t bytes, CopyKind kind);
Error SubmitCopy(const Copy& copy, const void* stream, Lock& lock);
// Of memory that the library knows on both sides: pageable memory is not simulated.
Error SubmitCopy(const CopyRows& copy, const void* stream, Lock& lock);
// Between memory of two devices. What is not opened travels through the host, which is reported.
Error SubmitPeerCopy(Copy copy, const void* stream, Lock& lock);
Error SubmitPeerCopy(const CopyRows& copy, const void* stream, Lock& lock);
Error SubmitFill(const Fill& fill, const void* stream);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_TRANSFERS_H_
