// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of more bytes than caches keep.
#ifndef HALYARD_BASE_STREAMING_COPY_H_
#define HALYARD_BASE_STREAMING_COPY_H_

#include <cstddef>

namespace halyard {

/// As std::memcpy(). The target does not go through the caches where the processor has such stores: a line that is
/// written as a whole is not read first. For targets that will be out of the caches anyway before they are read.
void StreamingCopy(void* target, const void* source, size_t count);

}  // namespace halyard

#endif  // HALYARD_BASE_STREAMING_COPY_H_
