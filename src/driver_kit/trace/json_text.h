// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The little JSON that the library writes.
#ifndef HALYARD_DRIVER_KIT_TRACE_JSON_TEXT_H_
#define HALYARD_DRIVER_KIT_TRACE_JSON_TEXT_H_

#include <cstdint>
#include <string_view>

#include "base/host_memory.h"

namespace halyard {

/// Appends a quoted string. What is not UTF-8 becomes U+FFFD, so that the result is valid JSON whatever comes in.
void AppendJsonString(std::string_view text, HostString* out);

/// Appends nanoseconds as microseconds with three decimals.
void AppendJsonMicroseconds(uint64_t nanoseconds, HostString* out);

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TRACE_JSON_TEXT_H_
