// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls that a thread is in.
#ifndef HALYARD_PLATFORM_BACKTRACE_H_
#define HALYARD_PLATFORM_BACKTRACE_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace halyard {

/// Writes the calling thread's return addresses, this function's own first; returns how many. 0 where the C library
/// does not tell.
size_t ReadBacktrace(std::span<void*> out_addresses) noexcept;

/// The file that code was loaded from.
struct CodeFile {
  const char* path = nullptr;  // NULL if it has no name
  uintptr_t base = 0;          // where it begins in memory
};
/// False if the loader does not know the address.
bool FindCodeFile(const void* address, CodeFile* out) noexcept;

}  // namespace halyard

#endif  // HALYARD_PLATFORM_BACKTRACE_H_
