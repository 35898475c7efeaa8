// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flags by the names that the headers give them, for messages.
#ifndef HALYARD_BASE_TEXT_FLAG_WORDS_H_
#define HALYARD_BASE_TEXT_FLAG_WORDS_H_

#include <array>
#include <string_view>

#include "halyard/allocator.h"

namespace halyard {

/// A text such as "TRANSFER|MAPPING", in memory of its own.
class FlagWords {
 public:
  const char* c_str() const { return text_.data(); }

 private:
  friend FlagWords UsageWords(hal_buffer_usage_t usage) noexcept;
  friend FlagWords MemoryTypeWords(hal_memory_type_t type) noexcept;
  friend FlagWords HandleWords(hal_peer_handles_t handles) noexcept;

  /// Appends the name if all of `flags` are among `*rest`, and takes them out of there.
  void Take(uint64_t flags, std::string_view name, uint64_t* rest) noexcept;
  /// What has no name is appended as a number; no flag at all is "NONE".
  void End(uint64_t rest) noexcept;
  void Append(std::string_view word) noexcept;

  std::array<char, 128> text_ = {};
};

FlagWords UsageWords(hal_buffer_usage_t usage) noexcept;
FlagWords MemoryTypeWords(hal_memory_type_t type) noexcept;
FlagWords HandleWords(hal_peer_handles_t handles) noexcept;

}  // namespace halyard

#endif  // HALYARD_BASE_TEXT_FLAG_WORDS_H_
