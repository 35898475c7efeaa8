// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bits of memory types and buffer usages in words.
#ifndef HALYARD_TOOLS_INFO_MEMORY_WORDS_H_
#define HALYARD_TOOLS_INFO_MEMORY_WORDS_H_

#include <string>
#include <vector>

#include "halyard/allocator.h"

namespace halyard::tools {

/// "device-local", "host-visible", …
std::vector<std::string> MemoryTypeWords(hal_memory_type_t type);
/// "transfer-source", "storage", …
std::vector<std::string> BufferUsageWords(hal_buffer_usage_t usage);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_INFO_MEMORY_WORDS_H_
