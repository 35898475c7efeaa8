// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the host that processes share through a file descriptor, and what tells that one of them has ended.
#ifndef HALYARD_PLATFORM_SHARED_MEMORY_H_
#define HALYARD_PLATFORM_SHARED_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "platform/file_descriptor.h"

namespace halyard {

/// Whether the functions below work on this system. If not, they return ENOSYS, and the waits must not be called.
#if defined(__linux__)
inline constexpr bool kSharesHostMemory = true;
#else
inline constexpr bool kSharesHostMemory = false;
#endif

/// Functions that return an int return 0, or an error number of the system.

/// Makes a file that lives in memory and has no name, of `size` bytes, all zero. Its size can never change: a mapping
/// of it stays whole whatever other processes do.
int CreateSharedFile(const char* purpose, uint64_t size, FileDescriptor* out) noexcept;

/// What a descriptor has open.
struct SharedFileFacts {
  uint64_t size = 0;           ///< bytes
  uint64_t owner = 0;          ///< the number of a user
  bool never_shrinks = false;  ///< so that no access to a mapping can fail
  bool is_writable = false;    ///< by this descriptor
};
/// EBADF for what is no open descriptor, EINVAL for one of anything but a file that lives in memory.
int ReadSharedFile(int descriptor, SharedFileFacts* out) noexcept;

/// Opens the file that a descriptor has open once more, with a lock of its own.
int Reopen(int descriptor, FileUse use, FileDescriptor* out) noexcept;

/// Memory that a file is mapped to, in addresses that are reserved for it.
struct SharedRange {
  char* begin = nullptr;
  void* reserved = nullptr;
  size_t reserved_size = 0;  ///< bytes
};
/// @param offset     bytes, a multiple of the page size
/// @param alignment  of `begin`: bytes, a power of two; the page size at least
int MapShared(const FileDescriptor& file, uint64_t offset, uint64_t size, uint64_t alignment, bool writes,
              SharedRange* out) noexcept;
void UnmapShared(const SharedRange& range) noexcept;

/// @name Places
/// A byte of a file that one opening of it can lock. The lock goes with the last descriptor of that opening, so with
/// the process at the latest, however it ends. Other openings see that it is gone, in any process.
/// @{
/// EAGAIN or EACCES if another opening has it.
int LockPlace(const FileDescriptor& file, uint64_t place) noexcept;
void UnlockPlace(const FileDescriptor& file, uint64_t place) noexcept;
/// Whether another opening has it.
int IsPlaceLocked(const FileDescriptor& file, uint64_t place, bool* out_locked) noexcept;
/// @}

/// As WaitOnWord() and WakeAllOnWord(), for a word in memory that processes share.
void WaitOnSharedWord(std::atomic<uint32_t>& word, uint32_t expected, uint64_t until) noexcept;
void WakeAllOnSharedWord(std::atomic<uint32_t>& word) noexcept;

}  // namespace halyard

#endif  // HALYARD_PLATFORM_SHARED_MEMORY_H_
