// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf_symbols.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace halyard::tools {
namespace {

using Bytes = std::span<const std::byte>;

// Of the ELF specification; <elf.h> is not everywhere where images are packed.
constexpr size_t kHeaderSize = 64;
constexpr size_t kSectionSize = 64;
constexpr size_t kSymbolSize = 24;
constexpr uint32_t kDynamicSymbols = 11;  // SHT_DYNSYM

// A number of 1 to 8 bytes, little-endian; the caller has checked that it lies inside.
uint64_t ReadUint(Bytes bytes, size_t offset, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | std::to_integer<uint64_t>(bytes[offset + i]);
  return value;
}

bool IsInside(Bytes bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

struct Section {
  uint32_t type = 0;
  uint32_t link = 0;
  Bytes contents;
};

std::optional<Section> ReadSection(Bytes image, uint64_t index) {
  const uint64_t table = ReadUint(image, 40, 8);
  const uint64_t count = ReadUint(image, 60, 2);
  if (index >= count || !IsInside(image, table, count * kSectionSize)) return std::nullopt;
  const size_t header = table + index * kSectionSize;
  const uint64_t offset = ReadUint(image, header + 24, 8);
  const uint64_t size = ReadUint(image, header + 32, 8);
  Section section;
  section.type = static_cast<uint32_t>(ReadUint(image, header + 4, 4));
  section.link = static_cast<uint32_t>(ReadUint(image, header + 40, 4));
  if (IsInside(image, offset, size)) section.contents = image.subspan(offset, size);
  return section;
}

std::optional<Section> FindDynamicSymbols(Bytes image) {
  for (uint64_t i = 0;; ++i) {
    const std::optional<Section> section = ReadSection(image, i);
    if (!section || section->type == kDynamicSymbols) return section;
  }
}

// The text in a string table from `offset` to its zero byte; empty if it has none.
std::string_view NameAt(Bytes strings, uint64_t offset) {
  if (offset >= strings.size()) return {};
  const Bytes rest = strings.subspan(offset);
  const auto end = std::ranges::find(rest, std::byte{0});
  if (end == rest.end()) return {};
  return {reinterpret_cast<const char*>(rest.data()), static_cast<size_t>(end - rest.begin())};
}

bool IsElf64(Bytes image) {
  return image.size() >= kHeaderSize && std::memcmp(image.data(),
                                                    "\x7f"
                                                    "ELF\x02\x01",
                                                    6) == 0;
}

}  // namespace

std::optional<std::vector<std::string_view>> FindElfSymbols(Bytes image) {
  if (!IsElf64(image)) return std::nullopt;
  const std::optional<Section> symbols = FindDynamicSymbols(image);
  if (!symbols) return std::nullopt;
  const std::optional<Section> strings = ReadSection(image, symbols->link);
  if (!strings) return std::nullopt;
  std::vector<std::string_view> names;
  for (size_t i = 0; i + kSymbolSize <= symbols->contents.size(); i += kSymbolSize) {
    const bool is_defined = ReadUint(symbols->contents, i + 6, 2) != 0;
    const std::string_view name = NameAt(strings->contents, ReadUint(symbols->contents, i, 4));
    if (is_defined && !name.empty()) names.push_back(name);
  }
  return names;
}

}  // namespace halyard::tools
