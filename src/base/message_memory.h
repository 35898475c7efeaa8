// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for the message of a failure, also where memory is exhausted.
#ifndef HALYARD_BASE_MESSAGE_MEMORY_H_
#define HALYARD_BASE_MESSAGE_MEMORY_H_

#include <cstddef>
#include <string_view>

namespace halyard {

/// The longest beginning of `text` that has no more than `room` bytes; cut text ends in "…" and between characters.
/// `room` is at least 3. Returns how many bytes it wrote to `out`, which may be where `text` is.
size_t CopyTruncated(std::string_view text, char* out, size_t room) noexcept;

/// `*size` bytes from the host allocator, aligned for any object. From a small reserve of the process if there are
/// none, and before the library uses host memory: then `*size` becomes what a block of the reserve has, if that is
/// less. NULL if the reserve is used up, too. Thread-safe.
void* AllocateMessage(size_t* size) noexcept;
/// `size` is what AllocateMessage() has left there. Thread-safe.
void FreeMessage(void* memory, size_t size) noexcept;

}  // namespace halyard

#endif  // HALYARD_BASE_MESSAGE_MEMORY_H_
