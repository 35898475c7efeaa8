// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory as the system gives it.
#ifndef HALYARD_PLATFORM_MEMORY_H_
#define HALYARD_PLATFORM_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace halyard {

/// Bytes.
size_t PageSize() noexcept;

/// Bytes that the machine has; 0 if unknown.
uint64_t PhysicalMemory() noexcept;

/// Maps the first `size` bytes of an open file for reading; 0 or an error number.
int MapFile(int file, size_t size, void** out_memory) noexcept;
void UnmapFile(void* memory, size_t size) noexcept;

/// Whether the process may write each byte of a range of its memory. True where the system does not tell. Slow: reads
/// the list of mappings.
bool MayBeWritten(const void* begin, size_t size) noexcept;

/// Memory of the C library at a multiple of `alignment`, a power of two. NULL if there is none.
/// @param size  bytes, a multiple of `alignment`
void* AllocateAligned(size_t size, size_t alignment) noexcept;
void FreeAligned(void* memory) noexcept;

}  // namespace halyard

#endif  // HALYARD_PLATFORM_MEMORY_H_
