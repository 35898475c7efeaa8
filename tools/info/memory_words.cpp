// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory_words.h"

#include <span>
#include <string_view>

namespace halyard::tools {
namespace {

struct Word {
  uint64_t bit;
  std::string_view text;
};

constexpr Word kMemoryTypes[] = {
    {HAL_MEMORY_TYPE_DEVICE_LOCAL, "device-local"}, {HAL_MEMORY_TYPE_HOST_LOCAL, "host-local"},
    {HAL_MEMORY_TYPE_HOST_VISIBLE, "host-visible"}, {HAL_MEMORY_TYPE_HOST_COHERENT, "host-coherent"},
    {HAL_MEMORY_TYPE_HOST_CACHED, "host-cached"},
};

constexpr Word kUsages[] = {
    {HAL_BUFFER_USAGE_TRANSFER_SOURCE, "transfer-source"},
    {HAL_BUFFER_USAGE_TRANSFER_TARGET, "transfer-target"},
    {HAL_BUFFER_USAGE_STORAGE, "storage"},
    {HAL_BUFFER_USAGE_INDIRECT, "indirect"},
    {HAL_BUFFER_USAGE_MAPPING, "mapping"},
    {HAL_BUFFER_USAGE_EXPORT, "export"},
};

std::vector<std::string> WordsOf(uint64_t bits, std::span<const Word> words) {
  std::vector<std::string> texts;
  for (const Word& word : words) {
    if (bits & word.bit) texts.emplace_back(word.text);
  }
  return texts;
}

}  // namespace

std::vector<std::string> MemoryTypeWords(hal_memory_type_t type) { return WordsOf(type, kMemoryTypes); }

std::vector<std::string> BufferUsageWords(hal_buffer_usage_t usage) { return WordsOf(usage, kUsages); }

}  // namespace halyard::tools
