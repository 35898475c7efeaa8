// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The message of a failure, kept even where memory is exhausted.
#ifndef HALYARD_BASE_STORED_MESSAGE_H_
#define HALYARD_BASE_STORED_MESSAGE_H_

#include <string>
#include <string_view>

namespace halyard {

/// The longest beginning of `text` that has no more than `room` bytes; cut text ends in "…" and between characters.
/// `room` is at least 3. Returns how many bytes it wrote to `out`, which may be where `text` is.
size_t CopyTruncated(std::string_view text, char* out, size_t room) noexcept;

/// Memory from the host allocator; when that has none, from a small reserve of the process.
void* AllocateMessage(size_t size);
void FreeMessage(void* memory, size_t size) noexcept;

template <class T>
struct MessageAllocator {
  using value_type = T;
  MessageAllocator() = default;
  template <class U>
  MessageAllocator(const MessageAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  T* allocate(size_t n) { return static_cast<T*>(AllocateMessage(n * sizeof(T))); }
  void deallocate(T* memory, size_t n) noexcept { FreeMessage(memory, n * sizeof(T)); }
  template <class U>
  bool operator==(const MessageAllocator<U>&) const noexcept {
    return true;
  }
};

/// Assigning a long message may throw std::bad_alloc; if the reserve has room for it, only when that is used up.
using StoredMessage = std::basic_string<char, std::char_traits<char>, MessageAllocator<char>>;

/// Stores `text` whole, else what the reserve has room for, else nothing.
void StoreMessage(std::string_view text, StoredMessage* out) noexcept;

}  // namespace halyard

#endif  // HALYARD_BASE_STORED_MESSAGE_H_
