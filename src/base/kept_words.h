// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of a failure, which are most wanted when there is no memory to keep them in.
#ifndef HALYARD_BASE_KEPT_WORDS_H_
#define HALYARD_BASE_KEPT_WORDS_H_

#include <string>
#include <string_view>

namespace halyard {

/// The longest beginning of `text` that has no more than `room` bytes; cut text ends in "…" and between characters.
/// `room` is at least 3. Returns how many bytes it wrote to `out`, which may be where `text` is.
size_t CopyTruncated(std::string_view text, char* out, size_t room) noexcept;

/// Memory from the host allocator; when that has none, from a small reserve of the process.
void* AllocateWords(size_t size);
void FreeWords(void* memory, size_t size) noexcept;

template <class T>
struct WordsAllocator {
  using value_type = T;
  WordsAllocator() = default;
  template <class U>
  WordsAllocator(const WordsAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  T* allocate(size_t n) { return static_cast<T*>(AllocateWords(n * sizeof(T))); }
  void deallocate(T* memory, size_t n) noexcept { FreeWords(memory, n * sizeof(T)); }
  template <class U>
  bool operator==(const WordsAllocator<U>&) const noexcept {
    return true;
  }
};

/// Assigning long words may throw std::bad_alloc; of words that the reserve has room for, only when it is used up.
using KeptWords = std::basic_string<char, std::char_traits<char>, WordsAllocator<char>>;

/// Keeps `text` whole, else what the reserve has room for, else nothing.
void Keep(std::string_view text, KeptWords* out) noexcept;

}  // namespace halyard

#endif  // HALYARD_BASE_KEPT_WORDS_H_
