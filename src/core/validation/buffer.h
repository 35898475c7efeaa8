// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of buffers as arguments.
#ifndef HALYARD_CORE_VALIDATION_BUFFER_H_
#define HALYARD_CORE_VALIDATION_BUFFER_H_

#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Checks that a range lies inside a buffer; `*length` becomes a number of bytes if it was HAL_WHOLE_SIZE.
/// @return OUT_OF_RANGE
Status ResolveRange(const char* function, const hal_buffer_t* buffer, uint64_t offset, uint64_t* length);

}  // namespace halyard

#endif  // HALYARD_CORE_VALIDATION_BUFFER_H_
