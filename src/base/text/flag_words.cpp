// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/flag_words.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace halyard {

void FlagWords::Append(std::string_view word) noexcept {
  const size_t length = std::strlen(text_.data());
  std::snprintf(text_.data() + length, text_.size() - length, "%s%.*s", length > 0 ? "|" : "",
                static_cast<int>(word.size()), word.data());
}

void FlagWords::Take(uint64_t flags, std::string_view name, uint64_t* rest) noexcept {
  if ((*rest & flags) != flags) return;
  *rest &= ~flags;
  Append(name);
}

void FlagWords::End(uint64_t rest) noexcept {
  if (rest != 0) {
    std::array<char, 24> number;
    std::snprintf(number.data(), number.size(), "0x%" PRIx64, rest);
    Append(number.data());
  }
  if (text_[0] == '\0') Append("NONE");
}

FlagWords UsageWords(hal_buffer_usage_t usage) noexcept {
  FlagWords words;
  uint64_t rest = usage;
  words.Take(HAL_BUFFER_USAGE_TRANSFER, "TRANSFER", &rest);
  words.Take(HAL_BUFFER_USAGE_TRANSFER_SOURCE, "TRANSFER_SOURCE", &rest);
  words.Take(HAL_BUFFER_USAGE_TRANSFER_TARGET, "TRANSFER_TARGET", &rest);
  words.Take(HAL_BUFFER_USAGE_STORAGE, "STORAGE", &rest);
  words.Take(HAL_BUFFER_USAGE_INDIRECT, "INDIRECT", &rest);
  words.Take(HAL_BUFFER_USAGE_MAPPING, "MAPPING", &rest);
  words.Take(HAL_BUFFER_USAGE_EXPORT, "EXPORT", &rest);
  words.Take(HAL_BUFFER_USAGE_READ_ONLY, "READ_ONLY", &rest);
  words.End(rest);
  return words;
}

FlagWords MemoryTypeWords(hal_memory_type_t type) noexcept {
  FlagWords words;
  uint64_t rest = type;
  words.Take(HAL_MEMORY_TYPE_DEVICE_LOCAL, "DEVICE_LOCAL", &rest);
  words.Take(HAL_MEMORY_TYPE_HOST_LOCAL, "HOST_LOCAL", &rest);
  words.Take(HAL_MEMORY_TYPE_HOST_VISIBLE, "HOST_VISIBLE", &rest);
  words.Take(HAL_MEMORY_TYPE_HOST_COHERENT, "HOST_COHERENT", &rest);
  words.Take(HAL_MEMORY_TYPE_HOST_CACHED, "HOST_CACHED", &rest);
  words.End(rest);
  return words;
}

FlagWords HandleWords(hal_peer_handles_t handles) noexcept {
  FlagWords words;
  uint64_t rest = handles;
  words.Take(HAL_PEER_HANDLE_HOST_POINTER, "HOST_POINTER", &rest);
  words.Take(HAL_PEER_HANDLE_DEVICE_POINTER, "DEVICE_POINTER", &rest);
  words.Take(HAL_PEER_HANDLE_OPAQUE_FD, "OPAQUE_FD", &rest);
  words.Take(HAL_PEER_HANDLE_DMA_BUF, "DMA_BUF", &rest);
  words.Take(HAL_PEER_HANDLE_NATIVE_OBJECT, "NATIVE_OBJECT", &rest);
  words.Take(HAL_PEER_HANDLE_HOST_FD, "HOST_FD", &rest);
  words.Take(HAL_PEER_HANDLE_VIRTUAL_FD, "VIRTUAL_FD", &rest);
  words.Take(HAL_PEER_HANDLE_FABRIC, "FABRIC", &rest);
  words.Take(HAL_PEER_HANDLE_IPC, "IPC", &rest);
  words.Take(HAL_PEER_HANDLE_WIN32, "WIN32", &rest);
  words.End(rest);
  return words;
}

}  // namespace halyard
